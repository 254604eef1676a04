//! `stokeslet contact`: rigid bodies, deformable meshes and material points with frictional contact ([004], chapter 2), run from scene files.

use std::fs;

use image::RgbImage;
use stokeslet::cancel::CancelToken;
use stokeslet::contact::table::{Row, Run};
use stokeslet::contact::{
    Checkpoint, Kind, Scene, Settings, Simulation, SolveStatus, StepLog, export, scenes,
};
use stokeslet::dynamics::report::shaded::{Ball, Camera, Drawing, Triangle, draw};

use super::outcome::{CliError, Outcome};
use super::print_out;
use super::stepped::args::{RunArgs, SiblingArgs, SiblingCommand, TableArgs};
use super::stepped::settings::settings;
use super::stepped::text::columns;
use super::stepped::{LoadError, RunRequest, Stepped, Watching, on_threads, run as run_stepped};

const HEAD: &str =
    "step,time_s,status,newton,gmres,kinetic_J,potential_J,elastic_J,contact_J,touching,sticking\n";

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

/// Runs one of its subcommands.
///
/// # Errors
/// What keeps it from going on.
pub fn run(args: &SiblingArgs) -> Result<Outcome, CliError> {
    match &args.command {
        SiblingCommand::Scenes(args) => print_out(&match &args.scene {
            Some(name) => entry(name)?.text.to_owned(),
            None => list(),
        })
        .map(|()| Outcome::Fine),
        SiblingCommand::Run(args) => on_threads(args.threads, |cancel| run_scene(args, cancel)),
        SiblingCommand::Table(args) => on_threads(args.threads, |cancel| table(args, cancel)),
    }
}

fn list() -> String {
    let rows: Vec<Vec<String>> = scenes::all()
        .iter()
        .filter_map(|entry| scenes::find(entry.name))
        .map(|scene| {
            let row = scene.paper.map_or(String::new(), |p| p.row);
            vec![scene.name, row, scene.about]
        })
        .collect();
    columns(&["scene", "table 2.1", "what happens"], &rows)
}

fn entry(name: &str) -> Result<&'static scenes::Entry, CliError> {
    let found = scenes::all().iter().find(|e| e.name == name);
    found.ok_or_else(|| CliError::Usage {
        message: format!(
            "there is no scene `{name}`; `stokeslet contact scenes` lists them, and a file of your own ends in .toml"
        ),
    })
}

fn scene(name: &str) -> Result<Scene, CliError> {
    let text = match name.ends_with(".toml") {
        true => fs::read_to_string(name).map_err(|source| CliError::Read {
            path: name.into(),
            source,
        })?,
        false => entry(name)?.text.to_owned(),
    };
    Scene::parse(&text).map_err(|error| CliError::Usage {
        message: format!("{name}: {error}"),
    })
}

fn run_scene(args: &RunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let scene = scene(&args.scene)?;
    if args.size.is_some() {
        return Err(CliError::Usage {
            message: "scenes of contact have one size; change the scene's file instead of --size"
                .into(),
        });
    }
    let settings: Settings = settings(&args.set)?;
    let simulation = start(&scene, &settings)?;
    let step = simulation.scene().time_step;
    let steps = args
        .steps
        .map_or((scene.duration / step).ceil() as usize, |n| n as usize)
        .max(1);
    let request = RunRequest {
        title: scene.about.clone(),
        out: args.out.join(format!("contact-{}", scene.name)),
        frames: steps,
        every: args.every.map_or(steps.div_ceil(20), |n| n as usize),
        formats: args.format.clone(),
        resume: args.resume,
    };
    let track = Track {
        bounds: bounds(&simulation),
        name: scene.name.clone(),
        settings,
        simulation,
        log: String::new(),
        last: None,
    };
    run_stepped(&mut [Box::new(track)], &request, cancel)
}

fn start(scene: &Scene, settings: &Settings) -> Result<Simulation, CliError> {
    Simulation::new(scene, settings).map_err(|error| CliError::Usage {
        message: format!("{}: {error}", scene.name),
    })
}

/// One running scene.
struct Track {
    name: String,
    settings: Settings,
    simulation: Simulation,
    /// Of everything at the start, and some space around it; m.
    bounds: [[f64; 3]; 2],
    log: String,
    last: Option<StepLog>,
}

/// The box around everything at the start, half as large again sideways: bodies slide and fall.
fn bounds(simulation: &Simulation) -> [[f64; 3]; 2] {
    let snapshot = simulation.snapshot();
    let mut out = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for p in snapshot.bodies.iter().flat_map(|b| &b.points) {
        for axis in 0..3 {
            out[0][axis] = out[0][axis].min(p[axis]);
            out[1][axis] = out[1][axis].max(p[axis]);
        }
    }
    let [mut least, mut most] = out;
    for (axis, share) in [0.5, 0.5, 0.05].into_iter().enumerate() {
        let around = share * (most[axis] - least[axis]);
        least[axis] -= around;
        most[axis] += around;
    }
    [least, most]
}

impl Stepped for Track {
    fn name(&self) -> &str {
        &self.name
    }

    fn done(&self) -> usize {
        self.simulation.totals().steps as usize
    }

    fn advance(&mut self, _watch: &Watching<'_>) -> Result<(), CliError> {
        let log = self.simulation.step();
        let (solve, e) = (&log.solve, &log.energies);
        let status = match solve.status {
            SolveStatus::Converged => "converged",
            SolveStatus::Stalled => "stalled",
            SolveStatus::MaxIterations => "limit",
        };
        self.log += &format!(
            "{},{},{status},{},{},{},{},{},{},{},{}\n",
            log.step,
            log.time,
            solve.iterations,
            solve.gmres_iterations,
            e.kinetic,
            e.potential,
            e.elastic,
            e.contact,
            log.touching,
            log.sticking
        );
        self.last = Some(log);
        Ok(())
    }

    fn head(&self) -> String {
        HEAD.to_owned()
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn picture(&self) -> RgbImage {
        let snapshot = self.simulation.snapshot();
        let mut drawing = Drawing {
            triangles: self.ground(),
            ..Drawing::default()
        };
        for (k, body) in snapshot.bodies.iter().enumerate() {
            let colour = match body.kind {
                Kind::Fixed => FIXED,
                _ if body.is_sand => SAND,
                _ => BODIES[k % BODIES.len()],
            };
            if body.triangles.is_empty() {
                let radius = spacing(body.points.len(), &self.bounds);
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
        draw(&drawing, &Camera::around(0.6, 0.3), self.bounds)
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        let (snapshot, mut out) = (self.simulation.snapshot(), Vec::new());
        match format {
            "vtu" => export::vtu::write(&snapshot, &mut out).ok()?,
            "ply" => export::ply::write(&snapshot, &mut out).ok()?,
            _ => return None,
        }
        Some(out)
    }

    fn told(&self) -> Option<String> {
        let (last, totals) = (self.last.as_ref()?, self.simulation.totals());
        Some(format!(
            "{}: {:.4} s simulated with {} contact particles; {:.1} Newton iterations a step, {} steps not converged, energy {:.4e} J, {} pairs touch, {} stick",
            self.name,
            last.time,
            self.simulation.n_particles(),
            totals.newton as f64 / totals.steps.max(1) as f64,
            totals.stalled + totals.cut,
            last.energies.total(),
            last.touching,
            last.sticking
        ))
    }

    fn save(&self) -> Result<Vec<u8>, CliError> {
        let kept = (&self.settings, self.simulation.checkpoint(), &self.log);
        serde_json::to_vec(&kept).map_err(CliError::State)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let (settings, checkpoint, log): (Settings, Checkpoint, String) =
            serde_json::from_slice(bytes)?;
        if settings != self.settings || checkpoint.scene != *self.simulation.scene() {
            return Err("it is of another scene or of other settings".into());
        }
        self.simulation = Simulation::resume(&checkpoint)?;
        self.log = log;
        Ok(())
    }
}

impl Track {
    /// Planes as squares under what is drawn.
    fn ground(&self) -> Vec<Triangle> {
        let [least, most] = self.bounds;
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (least[k] + most[k]));
        let half = (0..3).map(|k| most[k] - least[k]).fold(0.0, f64::max) * 0.5;
        let planes = self.simulation.scene().plane.iter();
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
}

/// A radius with which so many points look like a body about a third as large as the picture's box.
fn spacing(points: usize, [least, most]: &[[f64; 3]; 2]) -> f64 {
    let volume: f64 = (0..3).map(|k| (most[k] - least[k]).max(1e-9)).product();
    0.3 * (volume / 8.0 / points.max(1) as f64).cbrt()
}

fn table(args: &TableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let names: Vec<&str> = match args.names.is_empty() {
        true => scenes::all().iter().map(|e| e.name).collect(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    let mut found = Vec::new();
    for name in names {
        let scene = scene(name)?;
        let mut run = Run::new(&scene, &Settings::default()).map_err(|error| CliError::Usage {
            message: format!("{name}: {error}"),
        })?;
        let until = run.needed().min(args.seconds);
        let half = 0.5 * run.simulation.scene().time_step;
        while run.simulation.time() < until - half {
            if cancel.is_cancelled() {
                return Ok(Outcome::CouldNotRun);
            }
            run.step();
        }
        found.push(run.row());
    }
    let missed = found.iter().filter(|r| !r.passes()).count();
    let cells: Vec<Vec<String>> = found.iter().flat_map(cells).collect();
    let head = [
        "scene",
        "simulated",
        "Newton a step",
        "not converged",
        "expected",
        "ours",
        "",
    ];
    print_out(&columns(&head, &cells))?;
    if missed > 0 {
        print_out(&format!("{missed} scenes outside what is expected\n"))?;
        return Ok(Outcome::Inaccurate);
    }
    Ok(Outcome::Fine)
}

/// A line for each expectation of a scene; at least one.
fn cells(row: &Row) -> Vec<Vec<String>> {
    let first = [
        row.scene.clone(),
        format!("{:.2} s", row.time),
        format!("{:.1}", row.mean_newton),
        (row.totals.stalled + row.totals.cut).to_string(),
    ];
    if row.verdicts.is_empty() {
        let verdict = if row.passes() { "" } else { "MISSED" };
        let rest = ["nothing".into(), String::new(), verdict.to_owned()];
        return vec![first.into_iter().chain(rest).collect()];
    }
    let mut lines = Vec::new();
    for (k, verdict) in row.verdicts.iter().enumerate() {
        let expect = &verdict.expect;
        let range = match (expect.least, expect.most) {
            (Some(a), Some(b)) => format!("{a} to {b}"),
            (Some(a), None) => format!("at least {a}"),
            (None, Some(b)) => format!("at most {b}"),
            (None, None) => "anything".into(),
        };
        let quantity = format!("{:?}", expect.quantity).to_lowercase();
        let head = if k == 0 {
            first.clone()
        } else {
            std::array::from_fn(|_| String::new())
        };
        lines.push(
            head.into_iter()
                .chain([
                    format!("{} {quantity} at {} s: {range}", expect.body, expect.at),
                    verdict
                        .measured
                        .map_or("not run so far".into(), |m| format!("{m:.4e}")),
                    if verdict.is_met() { "" } else { "MISSED" }.into(),
                ])
                .collect(),
        );
    }
    lines
}
