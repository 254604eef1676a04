//! The simulation as whoever steps systems knows it: command line and window.

use std::io;

use stokeslet_dynamics::lcp::Watch;
use stokeslet_dynamics::report::shaded::{grown, surrounding};
use stokeslet_dynamics::report::table::{At, Row};
use stokeslet_dynamics::scene_file::{BuiltIn, SceneFile};
use stokeslet_dynamics::stepped::look::{self, BODIES, Look, Mesh, Points, Role};
use stokeslet_dynamics::stepped::{
    Choice, Fault, Feature, Measure, Plot, Reader, Sibling, TableRequest, Values, measure,
};

use crate::real::V3;
use crate::scene::{BodySpec, FROM, ShapeSpec};
use crate::simulation::{HEAD, Pull};
use crate::snapshot::BodyView;
use crate::table::rows;
use crate::{
    Checkpoint, Kind, Scene, Settings, Simulation, Snapshot, SolveStatus, StepLog, export, scenes,
};

impl Sibling for Simulation {
    type Scene = Scene;
    type Settings = Settings;
    type Log = StepLog;
    type Snapshot = Snapshot;
    const NAME: &'static str = "contact";
    const LABEL: &'static str = "Contact";
    const ABOUT: &'static str =
        "Rigid bodies, deformable meshes and material points with friction, in one implicit step";
    const SOURCE: &'static str = "table 2.1";
    const HEAD: &'static str = HEAD;
    const KEYS: &'static [&'static str] = &["time_step", "stiffness", "plane"];
    const MEASURES: &'static [Measure] = &[
        measure("kinetic", "J", "Energy of motion", Plot::Energy),
        measure(
            "potential",
            "J",
            "Energy of height, from the origin",
            Plot::Energy,
        ),
        measure(
            "elastic",
            "J",
            "Stored in elements, springs and points",
            Plot::Energy,
        ),
        measure(
            "contact",
            "J",
            "Stored in the contact springs",
            Plot::Energy,
        ),
        measure("total", "J", "All energies together", Plot::Energy),
        measure("Newton", "", "Newton iterations of the step", Plot::Count),
        measure("GMRES", "", "Products inside GMRES", Plot::Count),
        measure(
            "residual",
            "",
            "Of the step's system, over its tolerance: 1 is reached",
            Plot::Error,
        ),
        measure("touching", "", "Pairs that touch", Plot::Table),
        measure("sticking", "", "Pairs whose attachment held", Plot::Table),
    ];
    const FORMATS: &'static [&'static str] = &["vtu", "ply"];
    const FEATURES: &'static [Feature] = &[Feature::Contacts, Feature::Hand];
    const CHOICES: &'static [Choice] = &[
        Choice {
            key: "friction",
            name: "Friction",
            about: "Coefficient between everything, instead of the scene's",
            values: Values::Number(0.0, 10.0),
        },
        Choice {
            key: "coupling",
            name: "Coupling",
            about: "Contact in the step's system, frozen at its start, or friction alone frozen",
            values: Values::Words(&["coupled", "lagged", "lagged_friction"]),
        },
        Choice {
            key: "newton.preconditioner",
            name: "Preconditioner",
            about: "What GMRES is preconditioned with",
            values: Values::Words(&["direct", "block_jacobi", "none"]),
        },
        Choice {
            key: "newton.tolerance_factor",
            name: "Tolerance",
            about: "What ends a step, as a part of the scene's tolerance",
            values: Values::Number(1e-9, 10.0),
        },
        Choice {
            key: "newton.most_iterations",
            name: "Iterations",
            about: "At most so many Newton iterations a solve, of which a step made in parts has several",
            values: Values::Count(1, 100_000),
        },
    ];

    fn built_in() -> &'static [BuiltIn<Scene>] {
        scenes::all()
    }

    fn dimension(_: &Scene) -> usize {
        3
    }

    fn size(scene: &Scene) -> String {
        let times = |body: &BodySpec| 1 + body.again.map_or(0, |again| again.times);
        match scene.body.iter().map(times).sum::<usize>() {
            1 => "1 body".to_owned(),
            n => format!("{n} bodies"),
        }
    }

    fn sizes(scene: &Scene) -> Vec<String> {
        scene.sizes.keys().cloned().collect()
    }

    fn run_name(scene: &Scene, _: &Settings) -> String {
        scene.name.clone()
    }

    fn start(scene: &Scene, settings: &Settings) -> Result<Self, Fault> {
        Ok(Self::new(scene, settings)?)
    }

    fn adopt(&mut self, scene: &Scene, settings: &Settings) -> Result<(), Fault> {
        let mut checkpoint = self.checkpoint();
        if settings.time_step.unwrap_or(scene.time_step) != checkpoint.scene.time_step {
            return Err("the time step can't change in a run: start anew".into());
        }
        // A wedge has set the masses; all else is the scene's.
        checkpoint.scene.coupling = settings.coupling.unwrap_or(scene.coupling);
        checkpoint.scene.friction = settings.friction.unwrap_or(scene.friction);
        checkpoint.settings = settings.clone();
        let pull = self.pull();
        *self = Self::resume(&checkpoint)?;
        // Who holds a body goes on holding it.
        self.set_pull(pull);
        Ok(())
    }

    fn needed(&self) -> usize {
        (self.scene().duration / self.scene().time_step).ceil() as usize
    }

    fn done(&self) -> usize {
        self.totals().steps as usize
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn step(&mut self, _: Watch<'_>) -> Result<StepLog, Fault> {
        Ok(self.step())
    }

    fn row(log: &StepLog) -> String {
        log.row()
    }

    fn measures(log: &StepLog) -> Vec<f64> {
        let (solve, e) = (&log.solve, &log.energies);
        vec![
            e.kinetic,
            e.potential,
            e.elastic,
            e.contact,
            e.total(),
            solve.iterations as f64,
            solve.gmres_iterations as f64,
            solve.left,
            log.touching as f64,
            log.sticking as f64,
        ]
    }

    fn doubt(log: &StepLog) -> Option<String> {
        match log.solve.status {
            SolveStatus::Converged => None,
            SolveStatus::Stalled => Some("the solve stalled above its tolerance".to_owned()),
            SolveStatus::MaxIterations => {
                Some("the solve ended after its most iterations".to_owned())
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    /// What the scene's view says, or the box around everything there is and, where it comes in, what is to come, twice as large sideways:
    /// bodies slide and fall.
    fn bounds(&self) -> [[f64; 3]; 2] {
        if let Some(view) = self.scene().view {
            return [view.least, view.most];
        }
        let (snapshot, to_come) = (self.snapshot(), self.to_come());
        let bodies = snapshot.bodies.iter().chain(&to_come);
        let points = bodies.flat_map(|b| &b.points);
        let [least, most] = surrounding(points.map(|p| [p.x, p.y, p.z]));
        let shares = [0.5, 0.5, 0.05];
        let around = std::array::from_fn(|k| shares[k] * (most[k] - least[k]));
        grown([least, most], around)
    }

    fn look(&self, snapshot: &Snapshot, bounds: [[f64; 3]; 2]) -> Look {
        let array = |v: &V3| [v.x, v.y, v.z];
        let mut look = Look {
            dimension: 3,
            up: 2,
            from: self.scene().view.map_or(FROM, |view| view.from),
            bounds,
            palette: BODIES,
            points: Vec::new(),
            meshes: [
                ground(self.scene(), bounds),
                bowls(self.scene(), snapshot.time),
            ]
            .concat(),
            contacts: Vec::new(),
            cells: None,
        };
        for (k, body) in snapshot.bodies.iter().enumerate() {
            let at = body.points.iter().map(array).collect();
            let speed = body.velocities.iter().map(|v| v.norm()).collect();
            let role = role(body, k);
            if body.triangles.is_empty() {
                look.points.push(Points {
                    role,
                    at,
                    radius: RADIUS * self.scene().grid_spacing.unwrap_or_default(),
                    speed,
                    pressure: Vec::new(),
                    id: Vec::new(),
                });
            } else {
                look.meshes.push(Mesh {
                    role,
                    one_sided: false,
                    points: at,
                    triangles: body.triangles.clone(),
                    speed,
                });
            }
        }
        let contact = |touch: &crate::simulation::Touch| look::Contact {
            at: array(&touch.attachment),
            push: array(&touch.force),
            sticks: Some(touch.sticking),
            normal: array(&touch.normal),
            friction: self.scene().friction,
        };
        look.contacts = snapshot.touches.iter().map(contact).collect();
        look
    }

    fn write(snapshot: &Snapshot, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        match format {
            "vtu" => Some(export::vtu::write(snapshot, out)),
            "ply" => Some(export::ply::write(snapshot, out)),
            _ => None,
        }
    }

    fn told(&self, logs: &[StepLog]) -> String {
        let (last, totals) = (&logs[logs.len() - 1], self.totals());
        format!(
            "{:.4} s simulated with {} contact particles; {:.1} Newton iterations a step; steps made in parts: {}, not converged: {}; energy {:.4e} J, {} pairs touch, {} stick",
            last.time,
            self.n_particles(),
            totals.newton as f64 / totals.steps.max(1) as f64,
            totals.in_parts,
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

    fn grab(&mut self, at: [f64; 3]) -> bool {
        let target = V3::from(at);
        let found = self.body_at(target);
        self.set_pull(found.map(|(body, grip)| Pull { body, grip, target }));
        found.is_some()
    }

    fn drag(&mut self, to: Option<[f64; 3]>) {
        let held = self.pull();
        let follow = |(to, pull): ([f64; 3], Pull)| Pull {
            target: V3::from(to),
            ..pull
        };
        self.set_pull(to.zip(held).map(follow));
    }

    fn complete(scene: &Scene, read: &Reader<'_>) -> Result<Option<Scene>, Fault> {
        let names_files = scene.without_mesh().is_some();
        Ok(match names_files {
            true => Some(scene.with_meshes(read)?),
            false => None,
        })
    }

    fn tables() -> Vec<&'static str> {
        scenes::all().iter().map(|s| s.name).collect()
    }

    fn rows(
        name: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Row>, Fault> {
        let known = scenes::find(name);
        let scene = known
            .ok_or_else(|| format!("there is no scene `{name}`"))?
            .scene();
        rows_at(&scene, request, keep_on)
    }

    fn rows_of(
        scene: &Scene,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Option<Result<Vec<Row>, Fault>> {
        Some(rows_at(scene, request, keep_on))
    }
}

/// What a scene expects, at the paper's size where that is asked for and there is one.
fn rows_at(
    scene: &Scene,
    request: &TableRequest,
    keep_on: &dyn Fn() -> bool,
) -> Result<Vec<Row>, Fault> {
    let settings = Settings::default();
    let run = |scene: &Scene| Ok(rows(scene, &settings, request.seconds, keep_on)?);
    match request.at == At::Paper && scene.sizes.contains_key("paper") {
        true => run(&scene.at_size("paper")?),
        false => run(scene),
    }
}

fn role(body: &BodyView, k: usize) -> Role {
    match body.kind {
        Kind::Fixed => Role::Fixed,
        _ if body.is_sand => Role::Sand,
        _ => Role::Body(k),
    }
}

/// Planes as squares under what is drawn.
fn ground(scene: &Scene, [least, most]: [[f64; 3]; 2]) -> Vec<Mesh> {
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (least[k] + most[k]));
    let half = (0..3).map(|k| most[k] - least[k]).fold(0.0, f64::max) * 0.5;
    let planes = scene.plane.iter();
    planes
        .map(|plane| {
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
            Mesh {
                role: Role::Ground,
                one_sided: true,
                points: vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)],
                triangles: vec![[0, 1, 2], [0, 2, 3]],
                speed: Vec::new(),
            }
        })
        .collect()
}

/// Cells of a bowl around and from its rim to its bottom, for pictures.
const BOWL: [usize; 2] = [48, 12];

/// Bowls, which have no surface of their own to draw.
fn bowls(scene: &Scene, time: f64) -> Vec<Mesh> {
    let [around, down] = BOWL;
    let bowl = |body: &BodySpec| {
        let ShapeSpec::Bowl { radius } = body.shape else {
            return None;
        };
        let point = |k: usize| {
            let turn = (k % around) as f64 / around as f64 * std::f64::consts::TAU;
            let dip = (k / around) as f64 / down as f64 * std::f64::consts::FRAC_PI_2;
            let [x, y, z] = body.position;
            let out = radius * dip.cos();
            [
                x + out * turn.cos(),
                y + out * turn.sin(),
                z - radius * dip.sin(),
            ]
        };
        let corner = |j: usize, i: usize| (j * around + i % around) as u32;
        let cell = |j: usize, i: usize| {
            let [a, b] = [corner(j, i), corner(j, i + 1)];
            let [c, d] = [corner(j + 1, i), corner(j + 1, i + 1)];
            // Seen from inside.
            [[a, b, c], [b, d, c]]
        };
        let cells = (0..down).flat_map(|j| (0..around).flat_map(move |i| cell(j, i)));
        Some(Mesh {
            role: Role::Fixed,
            one_sided: true,
            points: (0..(down + 1) * around).map(point).collect(),
            triangles: cells.collect(),
            speed: Vec::new(),
        })
    };
    // What is there at a time came in at the beginning of the step before it.
    let n_present = scene.n_present((time - scene.time_step).max(0.0));
    scene.body[..n_present].iter().filter_map(bowl).collect()
}

/// Of a grid cell, in which there are about two material points along each side: balls that nearly touch.
const RADIUS: f64 = 0.3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SceneFile;
    use stokeslet_dynamics::stepped::{Of, System};

    /// Pictures show what the scene says; walls of a wedge and a bowl face what they hold.
    #[test]
    fn scenes_say_what_their_pictures_show() {
        let text = "name='a'\nabout='b'\ntime_step=0.01\nduration=1\nfriction=0.3\nstiffness=1e3\n\
             [view]\nleast=[-1, 0, 0]\nmost=[1, 2, 3]\nfrom=[0.1, 0.9]\n\
             [[body]]\nname='bowl'\nkind='fixed'\nshape={ bowl = { radius = 0.25 } }\nposition=[0, 0, 0.25]\n";
        let scene = Scene::parse(text).expect("a scene");
        let simulation = Simulation::new(&scene, &Settings::default()).expect("starts");
        let bounds = simulation.bounds();
        assert_eq!(bounds, [[-1.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
        let look = simulation.look(&simulation.snapshot(), bounds);
        assert_eq!(look.from, [0.1, 0.9]);
        let [bowl] = &look.meshes[..] else {
            panic!("{} meshes", look.meshes.len())
        };
        for triangle in &bowl.triangles {
            let [a, b, c] = triangle.map(|k| V3::from(bowl.points[k as usize]));
            let inwards = V3::new(0.0, 0.0, 0.25) - (a + b + c) / 3.0;
            // The lowest row is triangles whose third corner is the bottom, twice.
            let normal = (b - a).cross(&(c - a));
            assert!(normal.norm() < 1e-9 || normal.dot(&inwards) > 0.0);
        }
        let error = Scene::parse(&text.replace("[1, 2, 3]", "[-2, 2, 3]")).expect_err("no box");
        assert!(error.to_string().contains("view.most"), "{error}");
    }

    #[test]
    fn a_thrown_cube_whose_friction_is_taken_away_runs_on_as_the_slope_says() {
        let system: &dyn System = &Of::<Simulation>::ROW;
        let text = system.file("plane_r_stick").expect("a scene");
        let mut run = system.start(text, None, &[]).expect("starts");
        let watch = stokeslet_dynamics::lcp::Watch::SILENT;
        for _ in 0..20 {
            run.advance(watch).expect("a step");
        }
        let kinetic = |run: &dyn stokeslet_dynamics::stepped::Run| {
            run.last().map_or(f64::NAN, |row| row.values[0])
        };
        let thrown = kinetic(&*run);
        let mut other = run.fork().expect("a copy");
        other.adopt(&["friction=0".to_owned()]).expect("a number");
        assert_eq!((other.done(), other.seen().time), (20, run.seen().time));
        for _ in 0..20 {
            run.advance(watch).expect("a step");
            other.advance(watch).expect("a step");
        }
        assert!(kinetic(&*run) < thrown, "friction slows it down");
        // v0 + g (sin - mu cos) t, with mu = 0 in the second half of one of them.
        let (along, across, mu, t): (f64, f64, f64, f64) = (1.072_630, 9.751_183, 0.125, 0.02);
        let slowed = 0.1 + 2.0 * t * (along - mu * across);
        let freed = 0.1 + t * (along - mu * across) + t * along;
        let (ratio, want) = (kinetic(&*other) / kinetic(&*run), (freed / slowed).powi(2));
        assert!((ratio / want - 1.0).abs() < 0.02, "{ratio} against {want}");
        // And holds again where it is.
        other.adopt(&[]).expect("the scene's");
        let refused = other.adopt(&["time_step=0.5".to_owned()]);
        assert!(refused.is_err(), "another clock");
    }

    #[test]
    fn a_hand_lifts_a_body_of_any_kind_which_falls_when_it_is_let_go() {
        for name in ["plane_r_stick", "plane_d_stick", "plane_m_stick"] {
            let scene = scenes::find(name).expect("a scene").scene();
            let mut simulation = Simulation::new(&scene, &Settings::default()).expect("starts");
            let centre = |s: &Simulation| s.body("cube").expect("a body").position;
            let start = centre(&simulation);
            assert!(
                !simulation.grab([start.x, start.y, start.z + 3.0]),
                "{name}: nothing is there"
            );
            let top = [start.x, start.y, start.z + 0.05];
            assert!(simulation.grab(top), "{name}");
            simulation.drag(Some([top[0], top[1], top[2] + 0.1]));
            let steps = (0.4 / scene.time_step) as usize;
            for _ in 0..steps {
                simulation.step();
            }
            let up = centre(&simulation).z - start.z;
            assert!((up - 0.1).abs() < 0.01, "{name}: lifted by {up}");
            simulation.drag(None);
            assert_eq!(simulation.pull(), None);
            for _ in 0..steps / 4 {
                simulation.step();
            }
            let down = centre(&simulation).z - start.z;
            // g cos t^2 / 2 = .049 m.
            assert!(
                (0.03..0.06).contains(&(up - down)),
                "{name}: fell by {}",
                up - down
            );
        }
    }

    #[test]
    fn a_wedge_keeps_the_masses_it_settled_to_when_settings_change() {
        let scene = scenes::find("wdg_rr").expect("a scene").scene();
        assert!(scene.validate().is_ok());
        let settings = Settings::default();
        let mut simulation = Simulation::new(&scene, &settings).expect("starts");
        let before = simulation.state().clone();
        let other = Settings {
            friction: Some(0.7),
            ..settings
        };
        simulation.adopt(&scene, &other).expect("adopts");
        assert_eq!(simulation.state(), &before);
        assert_eq!(simulation.scene().friction, 0.7);
    }
}
