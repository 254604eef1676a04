//! The simulation as whoever steps systems knows it: command line and window.

use std::io;

use stokeslet_dynamics::lcp::Watch;
use stokeslet_dynamics::report::shaded::{grown, surrounding};
use stokeslet_dynamics::report::table::Row;
use stokeslet_dynamics::scene_file::BuiltIn;
use stokeslet_dynamics::stepped::look::{Contact, Look, Points, Role};
use stokeslet_dynamics::stepped::{
    Choice, Fault, Feature, Measure, Plot, Sibling, TableRequest, Values, measure,
};

use crate::simulation::{Checkpoint, HEAD, Pull};
use crate::table::{EXAMPLES, rows};
use crate::{Scene, Settings, Simulation, Snapshot, StepLog, export, scenes};

/// Colours of bodies.
const BODIES: &[[u8; 3]] = &[
    [214, 120, 60],
    [120, 170, 90],
    [190, 100, 160],
    [220, 180, 70],
];

impl Sibling for Simulation {
    type Scene = Scene;
    type Settings = Settings;
    type Log = StepLog;
    type Snapshot = Snapshot;
    const NAME: &'static str = "particles";
    const LABEL: &'static str = "Particles";
    const ABOUT: &'static str =
        "Incompressible particles and rigid bodies, all constraints solved as one set";
    const SOURCE: &'static str = "paper";
    const HEAD: &'static str = HEAD;
    const KEYS: &'static [&'static str] = &["spacing", "tank", "fluid_density"];
    const MEASURES: &'static [Measure] = &[
        measure(
            "kinetic",
            "J",
            "Kinetic energy of fluid and bodies",
            Plot::Energy,
        ),
        measure(
            "potential",
            "J",
            "Potential energy, gravity's alone",
            Plot::Energy,
        ),
        measure("energy", "J", "Kinetic and potential energy", Plot::Energy),
        measure(
            "iterations",
            "",
            "Sweeps and products with the matrix of constraints",
            Plot::Count,
        ),
        measure(
            "residual",
            "m/s",
            "The largest violation of a constraint that is left",
            Plot::Error,
        ),
        measure(
            "compression",
            "",
            "The largest number density over that at rest, less 1",
            Plot::Error,
        ),
        measure("contacts", "", "Pairs that touch", Plot::Table),
        measure(
            "depth",
            "spacings",
            "The deepest penetration of a body",
            Plot::Table,
        ),
        measure(
            "Courant",
            "",
            "Spacings that the fastest moves in a step",
            Plot::Table,
        ),
    ];
    const FORMATS: &'static [&'static str] = &["vtu", "ply"];
    const FEATURES: &'static [Feature] = &[Feature::Pressure, Feature::Contacts, Feature::Hand];
    const CHOICES: &'static [Choice] = &[
        Choice {
            key: "solver",
            name: "Solver",
            about: "What solves a step's constraints",
            values: Values::Words(&["gauss-seidel", "active-set", "subspace"]),
        },
        Choice {
            key: "coupling",
            name: "Coupling",
            about: "How bodies and walls act on the fluid: by contacts, as in the paper, or in all sums as well",
            values: Values::Words(&["contacts", "sums"]),
        },
        Choice {
            key: "start",
            name: "First guess",
            about: "Zero, or the impulses of the last step",
            values: Values::Words(&["warm", "cold"]),
        },
        Choice {
            key: "tolerance",
            name: "Tolerance",
            about: "What constraints may be violated by, as a part of the speed that gravity gives in a step",
            values: Values::Number(0.0, 1.0),
        },
        Choice {
            key: "max_iterations",
            name: "Iterations",
            about: "At most so many sweeps or products a step",
            values: Values::Count(1, 100_000),
        },
        Choice {
            key: "alpha",
            name: "Relaxation",
            about: "The part of a density error that is removed in a step: 0 lets the fluid shrink, 1 makes pressures noisy",
            values: Values::Number(0.0, 1.0),
        },
    ];

    fn built_in() -> &'static [BuiltIn<Scene>] {
        scenes::all()
    }

    fn dimension(scene: &Scene) -> usize {
        scene.dimension as usize
    }

    fn size(scene: &Scene) -> String {
        format!("{} m apart", scene.spacing)
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

    fn adopt(&mut self, _: &Scene, settings: &Settings) -> Result<(), Fault> {
        Ok(self.set_settings(settings)?)
    }

    fn needed(&self) -> usize {
        (self.scene().duration / self.scene().step).ceil() as usize
    }

    fn done(&self) -> usize {
        self.steps() as usize
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn step(&mut self, _: Watch<'_>) -> Result<StepLog, Fault> {
        Ok(self.step()?)
    }

    fn row(log: &StepLog) -> String {
        log.row()
    }

    fn measures(log: &StepLog) -> Vec<f64> {
        vec![
            log.kinetic,
            log.potential,
            log.energy(),
            f64::from(log.iterations),
            log.residual,
            log.compression,
            log.contacts as f64,
            log.body_depth,
            log.courant,
        ]
    }

    fn doubt(log: &StepLog) -> Option<String> {
        log.doubts().first().map(ToString::to_string)
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    /// The box around everything at the start; tanks hold what moves later.
    fn bounds(&self) -> [[f64; 3]; 2] {
        let snapshot = self.snapshot();
        let bodies = snapshot.bodies.iter().flat_map(|b| &b.particles);
        let all = snapshot.fluid.iter().chain(&snapshot.walls).chain(bodies);
        grown(surrounding(all.copied()), [0.5 * snapshot.spacing; 3])
    }

    fn look(&self, snapshot: &Snapshot, bounds: [[f64; 3]; 2]) -> Look {
        let points = |role, at: &[[f64; 3]]| Points {
            role,
            at: at.to_vec(),
            radius: 0.5 * snapshot.spacing,
            speed: Vec::new(),
            pressure: Vec::new(),
            id: Vec::new(),
        };
        let length = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut all = vec![Points {
            speed: snapshot.velocity.iter().map(length).collect(),
            pressure: snapshot.smoothed.clone(),
            ..points(Role::Fluid, &snapshot.fluid)
        }];
        for (k, body) in snapshot.bodies.iter().enumerate() {
            let own = points(Role::Body(k), &body.particles);
            let speed = body.particles.iter().map(|p| {
                let arm: [f64; 3] = std::array::from_fn(|i| p[i] - body.centre[i]);
                let turned: [f64; 3] = std::array::from_fn(|i| {
                    let (j, l) = ((i + 1) % 3, (i + 2) % 3);
                    body.velocity[i] + body.spin[j] * arm[l] - body.spin[l] * arm[j]
                });
                length(&turned)
            });
            all.push(Points {
                speed: speed.collect(),
                ..own
            });
        }
        if snapshot.dimension == 2 {
            // In space walls would hide what they hold.
            all.push(points(Role::Wall, &snapshot.walls));
        }
        let contacts = snapshot.contacts.iter().map(|c| Contact {
            at: c.point,
            push: c.normal.map(|n| n * c.impulse),
            sticks: None,
            normal: c.normal,
            friction: self.scene().friction,
        });
        Look {
            dimension: snapshot.dimension as usize,
            up: 2,
            from: [0.5, 0.35],
            bounds,
            palette: BODIES,
            points: all,
            meshes: Vec::new(),
            contacts: contacts.collect(),
            cells: None,
        }
    }

    fn write(snapshot: &Snapshot, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        match format {
            "vtu" => Some(export::vtu(snapshot, out)),
            "ply" => Some(export::ply(snapshot, out)),
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

    fn rows(
        name: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Row>, Fault> {
        Ok(rows(name, request.at, keep_on)?)
    }

    fn grab(&mut self, at: [f64; 3]) -> bool {
        let found = self.body_at(at);
        self.set_pull(found.map(|(body, grip)| Pull {
            body,
            grip,
            target: at,
        }));
        found.is_some()
    }

    fn drag(&mut self, to: Option<[f64; 3]>) {
        let held = self.pull();
        self.set_pull(to.zip(held).map(|(target, pull)| Pull { target, ..pull }));
    }
}
