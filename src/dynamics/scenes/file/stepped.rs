//! The running scene as whoever steps systems knows it: command line and window.

use std::io;

use super::run::{HEAD, LiquidLog, LiquidRun, LiquidSnapshot};
use super::{LiquidScene, LiquidSettings};
use crate::grid::Lattice;
use crate::lcp::{Status, Watch};
use crate::report::surface::{Surface, surface};
use crate::report::table::Row;
use crate::report::vtk::{self, Cloud, Image, Values as Field};
use crate::scene_file::BuiltIn;
use crate::stepped::look::{BODIES, Cells, Look, Points, Role};
use crate::stepped::{
    Choice, Fault, Feature, Measure, Plot, Sibling, TableRequest, Values, measure,
};

const BUILT_IN: &[BuiltIn<LiquidScene>] = &[
    BuiltIn::new("course", "", include_str!("../files/course.toml")),
    BuiltIn::new(
        "course-space",
        "",
        include_str!("../files/course-space.toml"),
    ),
];

/// The liquid's surface in space, closed at the domain's sides; of stairs along the cells' middles.
fn liquid_surface(snapshot: &LiquidSnapshot) -> Option<Surface> {
    // What is in walls is no liquid: the surface ends there.
    let both = snapshot.liquid.iter().zip(&snapshot.walls);
    surface_of(
        snapshot,
        both.map(|(liquid, wall)| liquid.max(-wall)).collect(),
    )
}

/// Where liquid may be, as a surface that looks away from it.
fn wall_surface(snapshot: &LiquidSnapshot) -> Option<Surface> {
    surface_of(snapshot, snapshot.walls.iter().map(|wall| -wall).collect())
}

/// Where values of cells are 0, in space.
fn surface_of(snapshot: &LiquidSnapshot, values: Vec<f64>) -> Option<Surface> {
    (snapshot.dimension == 3).then(|| {
        let lattice = Lattice::<3>::new(snapshot.cells);
        surface(&lattice, &values, |c| {
            c.map(|c| (c as f64 + 0.5) * snapshot.dx)
        })
    })
}

impl Sibling for LiquidRun {
    type Scene = LiquidScene;
    type Settings = LiquidSettings;
    type Log = LiquidLog;
    type Snapshot = LiquidSnapshot;
    const NAME: &'static str = "liquid";
    const LABEL: &'static str = "From files";
    const ABOUT: &'static str =
        "Liquids in scenes of one's own, at cut walls or along the cells, by any solver or method";
    const SOURCE: &'static str = "paper";
    const HEAD: &'static str = HEAD;
    const KEYS: &'static [&'static str] = &["open", "liquid", "keep_volume"];
    const MEASURES: &'static [Measure] = &[
        measure(
            "kinetic",
            "m^4/s²",
            "Kinetic energy over density, a metre deep in the plane",
            Plot::Energy,
        ),
        measure(
            "potential",
            "m^4/s²",
            "Potential energy over density, from y = 0",
            Plot::Energy,
        ),
        measure("energy", "m^4/s²", "Both together", Plot::Energy),
        measure(
            "iterations",
            "",
            "Inner iterations and line searches of the frame's solves",
            Plot::Count,
        ),
        measure(
            "outer",
            "",
            "Linear systems set up, or outer iterations",
            Plot::Count,
        ),
        measure(
            "divergence",
            "1/s",
            "The largest violation of continuity after a solve",
            Plot::Error,
        ),
        measure(
            "residual",
            "",
            "The largest of the frame's solves, as their method has it",
            Plot::Table,
        ),
        measure("solves", "", "Pressure solves of the frame", Plot::Table),
        measure("cells", "", "Cells of liquid", Plot::Table),
        measure(
            "detached",
            "",
            "Cells that have left the wall; of stairs, cells of walls that let go",
            Plot::Table,
        ),
        measure(
            "pockets",
            "",
            "Parts of the liquid without air",
            Plot::Table,
        ),
        measure("volume", "m²", "Of the liquid; m³ in space", Plot::Table),
        measure(
            "fastest",
            "m/s",
            "The largest velocity component",
            Plot::Table,
        ),
    ];
    const FORMATS: &'static [&'static str] = &[
        "vtu",
        "vti",
        "ply",
        "obj",
        "mesh.ply",
        "walls.obj",
        "walls.ply",
        "npz",
    ];
    const FEATURES: &'static [Feature] = &[Feature::Pressure];
    const CHOICES: &'static [Choice] = &[
        Choice {
            key: "solver",
            name: "Solver",
            about: "Who solves: of complementarity problems, or a splitting method, which needs walls along the cells",
            values: Values::Words(&[
                "fas-mg",
                "fas-aa",
                "pi-mgpcg",
                "pi-pcg",
                "pe-mg",
                "newton",
                "mprgp",
                "pgs",
                "iop-sep-bc",
                "iop-sep",
                "iop-stick",
                "admm-vel-sep",
                "admm-div-sep",
                "orig-ps",
                "orig-ps-sep",
            ]),
        },
        Choice {
            key: "walls",
            name: "Walls",
            about: "Whether walls cut cells or go along them; splitting methods need stairs. Restart after a change",
            values: Values::Words(&["cut", "stairs"]),
        },
        Choice {
            key: "leaving",
            name: "Leaving",
            about: "Which cells may leave cut walls",
            values: Values::Words(&["separating", "sticking", "centre", "near"]),
        },
        Choice {
            key: "gravity",
            name: "Gravity",
            about: "Along y, m/s², instead of the scene's",
            values: Values::Number(-100.0, 100.0),
        },
        Choice {
            key: "flip",
            name: "Share of FLIP",
            about: "At stairs; the rest is PIC",
            values: Values::Number(0.0, 1.0),
        },
    ];

    fn built_in() -> &'static [BuiltIn<LiquidScene>] {
        BUILT_IN
    }

    fn dimension(scene: &LiquidScene) -> usize {
        scene.dimension
    }

    fn size(scene: &LiquidScene) -> String {
        if scene.extent.is_some() {
            let cells = scene.aspect().into_iter();
            let cells = cells.map(|part| (part * scene.cells as f64).round().to_string());
            return cells.collect::<Vec<_>>().join(" x ") + " cells";
        }
        let power = if scene.dimension == 3 { "³" } else { "²" };
        format!("{}{power} cells", scene.cells)
    }

    fn sizes(scene: &LiquidScene) -> Vec<String> {
        scene.sizes.keys().cloned().collect()
    }

    fn run_name(scene: &LiquidScene, settings: &LiquidSettings) -> String {
        settings.over(&scene.settings).name()
    }

    fn start(scene: &LiquidScene, settings: &LiquidSettings) -> Result<Self, Fault> {
        Ok(Self::new(scene, settings)?)
    }

    fn adopt(&mut self, scene: &LiquidScene, settings: &LiquidSettings) -> Result<(), Fault> {
        Ok(self.adopt(scene, settings)?)
    }

    fn needed(&self) -> usize {
        self.scene().frames()
    }

    fn done(&self) -> usize {
        self.frames()
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn step(&mut self, watch: Watch<'_>) -> Result<LiquidLog, Fault> {
        Ok(self.frame(watch)?)
    }

    fn row(log: &LiquidLog) -> String {
        log.row()
    }

    fn measures(log: &LiquidLog) -> Vec<f64> {
        vec![
            log.kinetic,
            log.potential,
            log.kinetic + log.potential,
            log.iterations() as f64,
            log.solves.iter().map(|s| s.outer).sum::<usize>() as f64,
            log.divergence,
            log.residual(),
            log.solves.len() as f64,
            log.cells as f64,
            log.detached as f64,
            log.pockets as f64,
            log.volume,
            log.max_speed,
        ]
    }

    fn doubt(log: &LiquidLog) -> Option<String> {
        let mut scheduled = log.solves.iter();
        let is_scheduled = scheduled.any(|s| s.status == Status::Scheduled);
        is_scheduled.then(|| "the method runs a schedule: what is left is what is left".to_owned())
    }

    fn snapshot(&self) -> LiquidSnapshot {
        self.snapshot()
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        let scene = self.scene();
        let side = |k: usize| scene.side() * scene.aspect().get(k).copied().unwrap_or(0.0);
        [[0.0; 3], std::array::from_fn(side)]
    }

    fn look(&self, snapshot: &LiquidSnapshot, bounds: [[f64; 3]; 2]) -> Look {
        let length = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let is_plane = snapshot.dimension == 2;
        let [nx, ny, _] = snapshot.cells;
        let part = |distance: &f64| (0.5 - distance / snapshot.dx).clamp(0.0, 1.0);
        let cells = is_plane.then(|| Cells {
            n: [nx, ny],
            low: [0.0; 2],
            dx: snapshot.dx,
            vorticity: Vec::new(),
            body: snapshot.walls.iter().map(part).collect(),
        });
        let pressure = |x: &[f64; 3]| {
            let c: [usize; 3] = std::array::from_fn(|k| {
                ((x[k] / snapshot.dx).max(0.0) as usize).min(snapshot.cells[k] - 1)
            });
            let cell = c[0] + nx * (c[1] + ny * c[2]);
            snapshot.pressure.get(cell).copied().unwrap_or(0.0)
        };
        let share = if is_plane { 0.25 } else { 0.4 };
        Look {
            dimension: snapshot.dimension,
            up: 1,
            from: [0.5, 0.35],
            bounds,
            palette: BODIES,
            points: vec![Points {
                role: Role::Fluid,
                at: snapshot.x.clone(),
                radius: share * snapshot.dx,
                speed: snapshot.v.iter().map(length).collect(),
                pressure: match snapshot.pressure.is_empty() {
                    true => Vec::new(),
                    false => snapshot.x.iter().map(pressure).collect(),
                },
                id: Vec::new(),
            }],
            meshes: Vec::new(),
            contacts: Vec::new(),
            cells,
        }
    }

    fn write(snapshot: &LiquidSnapshot, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        let id: Vec<u32> = (0..snapshot.x.len() as u32).collect();
        let cloud = Cloud {
            time: snapshot.time,
            x: &snapshot.x,
            v: &snapshot.v,
            id: &id,
        };
        match format {
            "vtu" => Some(vtk::vtu(&cloud, out)),
            "ply" => Some(vtk::ply(&cloud, out)),
            "vti" => {
                let mut fields = vec![
                    ("velocity", Field::Vectors(&snapshot.velocity)),
                    ("lower_faces", Field::Vectors(&snapshot.faces)),
                    ("liquid", Field::Numbers(&snapshot.liquid)),
                    ("walls", Field::Numbers(&snapshot.walls)),
                ];
                if !snapshot.pressure.is_empty() {
                    fields.push(("pressure", Field::Numbers(&snapshot.pressure)));
                }
                let image = Image {
                    time: snapshot.time,
                    dimension: snapshot.dimension,
                    cells: snapshot.cells,
                    low: [0.0; 3],
                    dx: snapshot.dx,
                    fields: &fields,
                };
                Some(vtk::vti(&image, out))
            }
            "obj" => Some(liquid_surface(snapshot)?.obj(out)),
            "mesh.ply" => Some(liquid_surface(snapshot)?.ply(out)),
            "walls.obj" => Some(wall_surface(snapshot)?.obj(out)),
            "walls.ply" => Some(wall_surface(snapshot)?.ply(out)),
            "npz" => {
                out.extend(snapshot.next.problem()?);
                Some(Ok(()))
            }
            _ => None,
        }
    }

    fn solves(logs: &[LiquidLog]) -> Option<String> {
        let mut text =
            String::from("frame,solve,solver,status,outer,inner,seconds,check,residual\n");
        for log in logs {
            for (k, solve) in log.solves.iter().enumerate() {
                for (check, residual) in solve.history.iter().enumerate() {
                    text += &format!(
                        "{},{k},{},{},{},{},{:e},{check},{residual:e}\n",
                        log.frame,
                        solve.solver,
                        solve.status.word(),
                        solve.outer,
                        solve.inner,
                        solve.seconds,
                    );
                }
            }
        }
        Some(text)
    }

    fn told(&self, logs: &[LiquidLog]) -> String {
        let last = &logs[logs.len() - 1];
        let iterations: usize = logs.iter().map(LiquidLog::iterations).sum();
        let solves: usize = logs.iter().map(|log| log.solves.len()).sum();
        format!(
            "{:.4} s simulated, {:.1} iterations a solve, divergence {:.1e} 1/s at most, volume {:.4} then {:.4}, {} detached at the end",
            last.time,
            iterations as f64 / solves.max(1) as f64,
            logs.iter().map(|log| log.divergence).fold(0.0, f64::max),
            logs[0].volume,
            last.volume,
            last.detached,
        )
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        Ok(self.save())
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        Ok(self.load(bytes)?)
    }

    fn tables() -> Vec<&'static str> {
        Vec::new()
    }

    fn rows(_: &str, _: &TableRequest, _: &dyn Fn() -> bool) -> Result<Vec<Row>, Fault> {
        Err("tables of liquids are made by `stokeslet liquid table`".into())
    }
}
