//! `stokeslet contact`: rigid bodies, deformable meshes and material points with frictional contact ([004], chapter 2), run from scene files.

use std::io;

use image::RgbImage;
use stokeslet::contact::simulation::HEAD;
use stokeslet::contact::table::rows;
use stokeslet::contact::{Checkpoint, Kind, Scene, Settings, Simulation, StepLog, export, scenes};
use stokeslet::dynamics::report::shaded::{
    Ball, Camera, Drawing, Triangle, draw, grown, surrounding,
};
use stokeslet::dynamics::report::table::Row;
use stokeslet::dynamics::scene_file::BuiltIn;

use super::stepped::Fault;
use super::stepped::args::TableArgs;
use super::stepped::sibling::{Sibling, scene};

const GROUND: [u8; 3] = [225, 225, 220];
const FIXED: [u8; 3] = [170, 170, 165];
const SAND: [u8; 3] = [205, 170, 110];
const BODIES: [[u8; 3]; 5] = [
    [214, 110, 70],
    [90, 140, 200],
    [120, 170, 90],
    [190, 110, 170],
    [220, 180, 80],
];

impl Sibling for Simulation {
    type Scene = Scene;
    type Settings = Settings;
    type Log = StepLog;
    const COMMAND: &'static str = "contact";
    const SOURCE: &'static str = "table 2.1";
    const HEAD: &'static str = HEAD;

    fn built_in() -> &'static [BuiltIn<Scene>] {
        scenes::all()
    }

    fn size(scene: &Scene) -> String {
        format!("{} bodies", scene.body.len())
    }

    fn run_name(scene: &Scene, _: &Settings) -> String {
        scene.name.clone()
    }

    fn start(scene: &Scene, settings: &Settings) -> Result<Self, Fault> {
        Ok(Self::new(scene, settings)?)
    }

    fn needed(&self) -> usize {
        (self.scene().duration / self.scene().time_step).ceil() as usize
    }

    fn done(&self) -> usize {
        self.totals().steps as usize
    }

    fn step(&mut self) -> Result<StepLog, Fault> {
        Ok(self.step())
    }

    fn row(log: &StepLog) -> String {
        log.row()
    }

    /// The box around everything at the start, twice as large sideways: bodies slide and fall.
    fn bounds(&self) -> [[f64; 3]; 2] {
        let snapshot = self.snapshot();
        let points = snapshot.bodies.iter().flat_map(|b| &b.points);
        let [least, most] = surrounding(points.map(|p| [p.x, p.y, p.z]));
        let shares = [0.5, 0.5, 0.05];
        let around = std::array::from_fn(|k| shares[k] * (most[k] - least[k]));
        grown([least, most], around)
    }

    fn picture(&self, bounds: [[f64; 3]; 2]) -> RgbImage {
        let snapshot = self.snapshot();
        let mut drawing = Drawing {
            triangles: ground(self.scene(), bounds),
            ..Drawing::default()
        };
        for (k, body) in snapshot.bodies.iter().enumerate() {
            let colour = match body.kind {
                Kind::Fixed => FIXED,
                _ if body.is_sand => SAND,
                _ => BODIES[k % BODIES.len()],
            };
            if body.triangles.is_empty() {
                let radius = spacing(body.points.len(), &bounds);
                drawing.balls.extend(body.points.iter().map(|p| Ball {
                    at: [p.x, p.y, p.z],
                    radius,
                    colour,
                }));
            }
            drawing
                .triangles
                .extend(body.triangles.iter().map(|t| Triangle {
                    corners: t.map(|v| {
                        let p = body.points[v as usize];
                        [p.x, p.y, p.z]
                    }),
                    colour,
                }));
        }
        draw(&drawing, &Camera::around(0.6, 0.3), bounds)
    }

    fn write(&self, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        let snapshot = self.snapshot();
        match format {
            "vtu" => Some(export::vtu::write(&snapshot, out)),
            "ply" => Some(export::ply::write(&snapshot, out)),
            _ => None,
        }
    }

    fn told(&self, logs: &[StepLog]) -> String {
        let (last, totals) = (&logs[logs.len() - 1], self.totals());
        format!(
            "{:.4} s simulated with {} contact particles; {:.1} Newton iterations a step, {} steps not converged, energy {:.4e} J, {} pairs touch, {} stick",
            last.time,
            self.n_particles(),
            totals.newton as f64 / totals.steps.max(1) as f64,
            totals.stalled + totals.cut,
            last.energies.total(),
            last.touching,
            last.sticking
        )
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        Ok(serde_json::to_vec(&self.checkpoint())?)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let found: Checkpoint = serde_json::from_slice(bytes)?;
        if (&found.scene, &found.settings) != (self.scene(), self.settings()) {
            return Err("it is of another scene or of other settings".into());
        }
        *self = Self::resume(&found)?;
        Ok(())
    }

    fn tables() -> Vec<&'static str> {
        scenes::all().iter().map(|s| s.name).collect()
    }

    fn rows(name: &str, args: &TableArgs, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, Fault> {
        let scene = scene::<Self>(name)?;
        Ok(rows(&scene, &Settings::default(), args.seconds, keep_on)?)
    }
}

/// Planes as squares under what is drawn.
fn ground(scene: &Scene, [least, most]: [[f64; 3]; 2]) -> Vec<Triangle> {
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (least[k] + most[k]));
    let half = (0..3).map(|k| most[k] - least[k]).fold(0.0, f64::max) * 0.5;
    let planes = scene.plane.iter();
    planes
        .flat_map(|plane| {
            let length = plane.normal.iter().map(|n| n * n).sum::<f64>().sqrt();
            let n = plane.normal.map(|x| x / length);
            let away = (0..3).map(|k| n[k] * middle[k]).sum::<f64>() - plane.offset;
            let foot: [f64; 3] = std::array::from_fn(|k| middle[k] - away * n[k]);
            let axis = (0..3).min_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs()));
            let mut u = [0.0; 3];
            u[axis.unwrap_or(0)] = 1.0;
            let along: f64 = (0..3).map(|k| u[k] * n[k]).sum();
            let u: [f64; 3] = std::array::from_fn(|k| u[k] - along * n[k]);
            let size = u.iter().map(|x| x * x).sum::<f64>().sqrt();
            let u = u.map(|x| x / size);
            let v = [
                n[1] * u[2] - n[2] * u[1],
                n[2] * u[0] - n[0] * u[2],
                n[0] * u[1] - n[1] * u[0],
            ];
            let at = |a: f64, b: f64| -> [f64; 3] {
                std::array::from_fn(|k| foot[k] + half * (a * u[k] + b * v[k]))
            };
            let [p, q, r, s] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
            [[p, q, r], [p, r, s]].map(|corners| Triangle {
                corners,
                colour: GROUND,
            })
        })
        .collect()
}

/// A radius with which so many points look like a body about a third as large as the picture's box.
fn spacing(points: usize, [least, most]: &[[f64; 3]; 2]) -> f64 {
    let volume: f64 = (0..3).map(|k| (most[k] - least[k]).max(1e-9)).product();
    0.3 * (volume / 8.0 / points.max(1) as f64).cbrt()
}
