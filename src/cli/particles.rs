//! `stokeslet particles`: incompressible particles with rigid bodies and contacts ([002]), run from scene files.

use std::io;

use image::RgbImage;
use stokeslet::dynamics::report::shaded::{Ball, Camera, Drawing, draw, grown, surrounding};
use stokeslet::dynamics::report::table::Row;
use stokeslet::dynamics::scene_file::BuiltIn;
use stokeslet::particles::simulation::{self, Checkpoint};
use stokeslet::particles::table::{EXAMPLES, rows};
use stokeslet::particles::{Scene, Settings, Simulation, StepLog, export, scenes};

use super::stepped::Fault;
use super::stepped::args::TableArgs;
use super::stepped::sibling::Sibling;

const FLUID: [u8; 3] = [70, 130, 200];
const FAST: [u8; 3] = [235, 245, 255];
const WALL: [u8; 3] = [150, 150, 150];
const BODIES: [[u8; 3]; 4] = [
    [214, 120, 60],
    [120, 170, 90],
    [190, 100, 160],
    [220, 180, 70],
];

impl Sibling for Simulation {
    type Scene = Scene;
    type Settings = Settings;
    type Log = StepLog;
    const COMMAND: &'static str = "particles";
    const SOURCE: &'static str = "paper";
    const HEAD: &'static str = simulation::HEAD;

    fn built_in() -> &'static [BuiltIn<Scene>] {
        scenes::all()
    }

    fn size(scene: &Scene) -> String {
        format!("{} m apart", scene.spacing)
    }

    fn run_name(scene: &Scene, _: &Settings) -> String {
        scene.name.clone()
    }

    fn start(scene: &Scene, settings: &Settings) -> Result<Self, Fault> {
        Ok(Self::new(scene, settings)?)
    }

    fn needed(&self) -> usize {
        (self.scene().duration / self.scene().step).ceil() as usize
    }

    fn done(&self) -> usize {
        self.steps() as usize
    }

    fn step(&mut self) -> Result<StepLog, Fault> {
        Ok(self.step()?)
    }

    fn row(log: &StepLog) -> String {
        log.row()
    }

    /// The box around everything at the start; tanks hold what moves later.
    fn bounds(&self) -> [[f64; 3]; 2] {
        let snapshot = self.snapshot();
        let bodies = snapshot.bodies.iter().flat_map(|b| &b.particles);
        let all = snapshot.fluid.iter().chain(&snapshot.walls).chain(bodies);
        grown(surrounding(all.copied()), [0.5 * snapshot.spacing; 3])
    }

    fn picture(&self, bounds: [[f64; 3]; 2]) -> RgbImage {
        let snapshot = self.snapshot();
        let is_space = snapshot.dimension == 3;
        let radius = 0.5 * snapshot.spacing;
        let ball = |at: &[f64; 3], colour| Ball {
            at: *at,
            radius,
            colour,
        };
        let speed = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let fastest = snapshot.velocity.iter().map(speed).fold(1e-12, f64::max);
        let mut balls: Vec<Ball> = Vec::new();
        for (at, v) in snapshot.fluid.iter().zip(&snapshot.velocity) {
            let mix = speed(v) / fastest;
            let colour = std::array::from_fn(|k| {
                (f64::from(FLUID[k]) * (1.0 - mix) + f64::from(FAST[k]) * mix) as u8
            });
            balls.push(ball(at, colour));
        }
        for (k, body) in snapshot.bodies.iter().enumerate() {
            let colour = BODIES[k % BODIES.len()];
            balls.extend(body.particles.iter().map(|at| ball(at, colour)));
        }
        if !is_space {
            // In space walls would hide what they hold.
            balls.extend(snapshot.walls.iter().map(|at| ball(at, WALL)));
        }
        let drawing = Drawing {
            balls,
            triangles: Vec::new(),
        };
        let camera = if is_space {
            Camera::around(0.5, 0.35)
        } else {
            Camera::PLANE
        };
        draw(&drawing, &camera, bounds)
    }

    fn write(&self, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        let snapshot = self.snapshot();
        match format {
            "vtu" => Some(export::vtu(&snapshot, out)),
            "ply" => Some(export::ply(&snapshot, out)),
            _ => None,
        }
    }

    fn told(&self, logs: &[StepLog]) -> String {
        let last = &logs[logs.len() - 1];
        format!(
            "{:.4} s simulated with {} particles and {} bodies; energy {:.4e} J, compression {:.2e}, {} steps to doubt",
            last.time,
            self.n_fluid(),
            self.n_bodies(),
            last.energy(),
            last.compression,
            logs.iter().filter(|l| !l.doubts().is_empty()).count()
        )
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        self.checkpoint().save(&mut out)?;
        Ok(out)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let loaded = Self::resume(&Checkpoint::load(bytes)?)?;
        if (loaded.scene(), loaded.settings()) != (self.scene(), self.settings()) {
            return Err("it is of another scene or of other settings".into());
        }
        *self = loaded;
        Ok(())
    }

    fn tables() -> Vec<&'static str> {
        EXAMPLES.to_vec()
    }

    fn rows(name: &str, args: &TableArgs, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, Fault> {
        Ok(rows(name, args.at(), keep_on)?)
    }
}
