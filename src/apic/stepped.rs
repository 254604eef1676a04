//! The simulation as whoever steps systems knows it: command line and window.

use std::io;

use image::RgbImage;
use stokeslet_dynamics::lcp::Watch;
use stokeslet_dynamics::report::picture::Framing;
use stokeslet_dynamics::report::table::Row;
use stokeslet_dynamics::scene_file::BuiltIn;
use stokeslet_dynamics::stepped::look::{BODIES, Cells, Look, Points, Role};
use stokeslet_dynamics::stepped::{
    Choice, Fault, Feature, Measure, Plot, Sibling, TableRequest, Values, measure,
};

use crate::picture::{Scale, draw};
use crate::simulation::HEAD;
use crate::table::{STUDIES, rows};
use crate::{Scene, Settings, Simulation, Snapshot, StepLog, export, scenes};

impl Sibling for Simulation {
    type Scene = Scene;
    type Settings = Settings;
    type Log = StepLog;
    type Snapshot = Snapshot;
    const NAME: &'static str = "apic";
    const LABEL: &'static str = "Transfers";
    const ABOUT: &'static str = "Flow on particles and staggered grids: PIC, FLIP, XPIC and APIC transfers beside each other";
    const SOURCE: &'static str = "figure";
    const HEAD: &'static str = HEAD;
    const KEYS: &'static [&'static str] = &["step_over_cell", "bodies_hold", "seeding"];
    const MEASURES: &'static [Measure] = &[
        measure(
            "particles",
            "J",
            "Kinetic energy of particles",
            Plot::Energy,
        ),
        measure("grid", "J", "Kinetic energy on faces", Plot::Energy),
        measure(
            "iterations",
            "",
            "Iterations of the pressure solver",
            Plot::Count,
        ),
        measure(
            "outflow",
            "m/s",
            "Net outflow that the pressure left in a cell",
            Plot::Error,
        ),
        measure(
            "mean square speed",
            "m²/s²",
            "Mean square of the faces' velocities",
            Plot::Table,
        ),
        measure(
            "enstrophy",
            "1/s²",
            "Mean square of the vorticity, each component twice",
            Plot::Table,
        ),
        measure(
            "fastest",
            "m/s",
            "The largest velocity component",
            Plot::Table,
        ),
        measure(
            "Courant",
            "",
            "Cells that the fastest moves in a step",
            Plot::Table,
        ),
        measure(
            "particles in all",
            "",
            "Particles after the step",
            Plot::Table,
        ),
        measure("added", "", "Particles added to empty cells", Plot::Table),
        measure(
            "taken out",
            "",
            "Particles that left, or were taken from crowded cells",
            Plot::Table,
        ),
    ];
    const FORMATS: &'static [&'static str] = &["vtu", "vti", "ply"];
    const FEATURES: &'static [Feature] = &[Feature::Pressure, Feature::Vorticity];
    const CHOICES: &'static [Choice] = &[
        Choice {
            key: "transfer",
            name: "Transfer",
            about: "How velocities go to the grid and back",
            values: Values::Words(&["apic", "pic", "flip", "xpic"]),
        },
        Choice {
            key: "kernel",
            name: "Kernel",
            about: "The spline between particles and faces",
            values: Values::Words(&["linear", "quadratic", "cubic"]),
        },
        Choice {
            key: "order",
            name: "Order of XPIC",
            about: "The round trips it filters with, and one more; 1 is PIC",
            values: Values::Count(1, 20),
        },
        Choice {
            key: "flip_share",
            name: "Share of FLIP",
            about: "The rest is PIC: 1 loses nothing and keeps all noise",
            values: Values::Number(0.0, 1.0),
        },
        Choice {
            key: "tolerance",
            name: "Tolerance",
            about: "Net outflow left in a cell, over the largest speed",
            values: Values::Number(1e-14, 0.1),
        },
        Choice {
            key: "max_iterations",
            name: "Iterations",
            about: "At most so many iterations of the pressure solver",
            values: Values::Count(1, 100_000),
        },
    ];

    fn built_in() -> &'static [BuiltIn<Scene>] {
        scenes::all()
    }

    fn dimension(scene: &Scene) -> usize {
        scene.dimension()
    }

    fn size(scene: &Scene) -> String {
        let cells: Vec<String> = scene.cells.iter().map(ToString::to_string).collect();
        format!("{} cells", cells.join(" x "))
    }

    fn sizes(scene: &Scene) -> Vec<String> {
        scene.sizes.keys().cloned().collect()
    }

    fn run_name(_: &Scene, settings: &Settings) -> String {
        settings.name()
    }

    fn start(scene: &Scene, settings: &Settings) -> Result<Self, Fault> {
        Ok(Self::new(scene, settings)?)
    }

    fn adopt(&mut self, _: &Scene, settings: &Settings) -> Result<(), Fault> {
        Ok(self.set_settings(settings)?)
    }

    fn needed(&self) -> usize {
        self.scene().steps()
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
            log.particle_energy,
            log.grid_energy,
            log.iterations as f64,
            log.residual,
            log.energy,
            log.enstrophy,
            log.fastest,
            log.courant,
            log.particles as f64,
            log.added as f64,
            (log.left + log.thinned) as f64,
        ]
    }

    fn doubt(log: &StepLog) -> Option<String> {
        (log.courant > 1.0).then(|| {
            format!(
                "the fastest moves {:.2} cells a step: a shorter step_over_cell may help",
                log.courant
            )
        })
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        self.snapshot().bounds
    }

    fn look(&self, snapshot: &Snapshot, bounds: [[f64; 3]; 2]) -> Look {
        let length = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [nx, ny, _] = snapshot.cells;
        let is_plane = snapshot.dimension == 2;
        let cells = is_plane.then(|| Cells {
            n: [nx, ny],
            low: [snapshot.bounds[0][0], snapshot.bounds[0][1]],
            dx: snapshot.dx,
            vorticity: snapshot.vorticity.iter().map(|w| w[2]).collect(),
            body: snapshot.body.clone(),
        });
        // Cell by cell, as it is solved for.
        let pressure = |x: &[f64; 3]| {
            let c: [usize; 3] = std::array::from_fn(|k| {
                let at = (x[k] - snapshot.bounds[0][k]) / snapshot.dx;
                (at.max(0.0) as usize).min(snapshot.cells[k] - 1)
            });
            let cell = c[0] + nx * (c[1] + ny * c[2]);
            snapshot.pressure.get(cell).copied().unwrap_or(0.0)
        };
        Look {
            dimension: snapshot.dimension,
            up: 1,
            from: [0.5, 0.35],
            bounds,
            palette: BODIES,
            points: vec![Points {
                role: Role::Fluid,
                at: snapshot.x.clone(),
                radius: 0.2 * snapshot.dx,
                speed: snapshot.v.iter().map(length).collect(),
                pressure: snapshot.x.iter().map(pressure).collect(),
                id: snapshot.id.clone(),
            }],
            meshes: Vec::new(),
            contacts: Vec::new(),
            cells,
        }
    }

    fn picture(snapshot: &Snapshot, _: &Look, framing: &Framing) -> RgbImage {
        draw(snapshot, Scale { vorticity: None }, framing)
    }

    fn write(snapshot: &Snapshot, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        match format {
            "vtu" => Some(export::vtu(snapshot, out)),
            "vti" => Some(export::vti(snapshot, out)),
            "ply" => Some(export::ply(snapshot, out)),
            _ => None,
        }
    }

    fn told(&self, logs: &[StepLog]) -> String {
        let last = &logs[logs.len() - 1];
        let iterations: usize = logs.iter().map(|l| l.iterations).sum();
        let errors = self.errors().map_or(String::new(), |e| {
            format!(
                "; off the known flow by {:.3e} m/s on faces, {:.3e} m/s on particles (root mean square)",
                e.grid_l2, e.particles_l2
            )
        });
        format!(
            "{:.4} s simulated, {} particles, mean square speed {:.4e} m2/s2, {:.1} pressure iterations a step, {:.2} cells a step at most{errors}",
            last.time,
            last.particles,
            last.energy,
            iterations as f64 / logs.len() as f64,
            last.courant,
        )
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        Ok(self.save()?)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        Ok(self.load(bytes)?)
    }

    fn tables() -> Vec<&'static str> {
        STUDIES.to_vec()
    }

    fn rows(
        name: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Row>, Fault> {
        Ok(rows(name, request.at, keep_on)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_dynamics::stepped::{Of, Run, System};

    fn run(transfer: &str) -> Box<dyn Run> {
        let system: &dyn System = &Of::<Simulation>::ROW;
        let text = system.file("inlet").expect("a scene");
        let changes = [format!("transfer={transfer}")];
        system.start(text, None, &changes).expect("starts")
    }

    #[test]
    fn a_copy_goes_on_to_the_bit_and_another_transfer_goes_on_from_there() {
        let mut pic = run("pic");
        for _ in 0..6 {
            pic.advance(Watch::SILENT).expect("a step");
        }
        let mut copy = pic.fork().expect("a copy");
        let mut other = pic.fork().expect("a copy");
        other.adopt(&["transfer=apic".into()]).expect("a transfer");
        for run in [&mut pic, &mut copy, &mut other] {
            for _ in 0..6 {
                run.advance(Watch::SILENT).expect("a step");
            }
        }
        let points = |run: &dyn Run| run.seen().look.points[0].at.clone();
        assert_eq!(points(&*pic), points(&*copy), "to the bit");
        assert_ne!(points(&*pic), points(&*other));
        let energy = |run: &dyn Run| run.last().map_or(f64::NAN, |row| row.values[0]);
        let (low, high) = (energy(&*pic), energy(&*other));
        assert!(
            low < high && high < 1.2 * low,
            "APIC loses less: {low} {high}"
        );
        assert!(other.adopt(&["transfer=apik".into()]).is_err());
        assert!(
            other.adopt(&["flip_share=7".into()]).is_err(),
            "out of range"
        );
        other.advance(Watch::SILENT).expect("it goes on");
    }
}
