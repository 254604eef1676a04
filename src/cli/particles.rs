//! `stokeslet particles`: incompressible particles with rigid bodies and contacts ([002]), run from scene files.

use std::fs;

use image::RgbImage;
use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::report::shaded::{Ball, Camera, Drawing, draw};
use stokeslet::particles::simulation::Checkpoint;
use stokeslet::particles::table::{At, EXAMPLES, Row, TableError, rows};
use stokeslet::particles::{Scene, Settings, Simulation, StepLog, export, scenes};

use super::outcome::{CliError, Outcome};
use super::print_out;
use super::stepped::args::{RunArgs, SiblingArgs, SiblingCommand, TableArgs};
use super::stepped::settings::settings;
use super::stepped::text::columns;
use super::stepped::{LoadError, RunRequest, Stepped, Watching, on_threads, run as run_stepped};

const FLUID: [u8; 3] = [70, 130, 200];
const FAST: [u8; 3] = [235, 245, 255];
const WALL: [u8; 3] = [150, 150, 150];
const BODIES: [[u8; 3]; 4] = [
    [214, 120, 60],
    [120, 170, 90],
    [190, 100, 160],
    [220, 180, 70],
];

/// Runs one of its subcommands.
///
/// # Errors
/// What keeps it from going on.
pub fn run(args: &SiblingArgs) -> Result<Outcome, CliError> {
    match &args.command {
        SiblingCommand::Scenes(args) => print_out(&match &args.scene {
            Some(name) => builtin(name)?.toml.to_owned(),
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
        .map(|s| vec![s.name.into(), s.section.into(), s.title.into()])
        .collect();
    columns(&["scene", "paper", "what happens"], &rows)
}

fn builtin(name: &str) -> Result<&'static scenes::BuiltIn, CliError> {
    scenes::find(name).ok_or_else(|| CliError::Usage {
        message: format!(
            "there is no scene `{name}`; `stokeslet particles scenes` lists them, and a file of your own ends in .toml"
        ),
    })
}

/// The scene of a name or a file, at the size that was asked for.
fn scene(args: &RunArgs) -> Result<Scene, CliError> {
    let fault = |error: &dyn std::fmt::Display| CliError::Usage {
        message: format!("{}: {error}", args.scene),
    };
    let scene = if args.scene.ends_with(".toml") {
        let text = fs::read_to_string(&args.scene).map_err(|source| CliError::Read {
            path: args.scene.clone().into(),
            source,
        })?;
        Scene::parse(&text).map_err(|e| fault(&e))?
    } else {
        builtin(&args.scene)?.scene()
    };
    match &args.size {
        Some(size) => scene.at_size(size).map_err(|e| fault(&e)),
        None => Ok(scene),
    }
}

fn run_scene(args: &RunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let scene = scene(args)?;
    let settings: Settings = settings(&args.set)?;
    let steps = args
        .steps
        .map_or((scene.duration / scene.step).ceil() as usize, |n| {
            n as usize
        })
        .max(1);
    let simulation = Simulation::new(&scene, &settings).map_err(|error| CliError::Usage {
        message: format!("{}: {error}", args.scene),
    })?;
    let request = RunRequest {
        title: scene.title.clone(),
        out: args.out.join(format!("particles-{}", scene.name)),
        frames: steps,
        every: args.every.map_or(steps.div_ceil(20), |n| n as usize),
        formats: args.format.clone(),
        resume: args.resume,
    };
    let track = Track {
        bounds: bounds(&simulation),
        simulation,
        log: String::new(),
        last: None,
        doubts: 0,
    };
    run_stepped(&mut [Box::new(track)], &request, cancel)
}

/// One running scene.
struct Track {
    simulation: Simulation,
    /// Of everything at the start, walls too; m.
    bounds: [[f64; 3]; 2],
    log: String,
    last: Option<StepLog>,
    /// Steps that give reason to doubt them.
    doubts: usize,
}

/// The box around everything at the start; tanks hold what moves later.
fn bounds(simulation: &Simulation) -> [[f64; 3]; 2] {
    let snapshot = simulation.snapshot();
    let bodies = snapshot.bodies.iter().flat_map(|b| &b.particles);
    let all = snapshot.fluid.iter().chain(&snapshot.walls).chain(bodies);
    let mut out = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for p in all {
        for axis in 0..3 {
            out[0][axis] = out[0][axis].min(p[axis]);
            out[1][axis] = out[1][axis].max(p[axis]);
        }
    }
    let half = 0.5 * snapshot.spacing;
    out[0].iter_mut().for_each(|v| *v -= half);
    out[1].iter_mut().for_each(|v| *v += half);
    out
}

impl Stepped for Track {
    fn name(&self) -> &str {
        &self.simulation.scene().name
    }

    fn done(&self) -> usize {
        self.simulation.steps() as usize
    }

    fn advance(&mut self, _watch: &Watching<'_>) -> Result<(), CliError> {
        let log = self.simulation.step()?;
        let mut row = Vec::new();
        // Writing into a vector does not fail. The head is written once, by the run.
        let _ = export::csv([&log], &mut row);
        let text = String::from_utf8_lossy(&row);
        self.log += text.split_once('\n').map_or("", |(_, row)| row);
        self.doubts += usize::from(!log.doubts().is_empty());
        self.last = Some(log);
        Ok(())
    }

    fn head(&self) -> String {
        let mut head = Vec::new();
        // Writing into a vector does not fail.
        let _ = export::csv([], &mut head);
        String::from_utf8_lossy(&head).into_owned()
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn picture(&self) -> RgbImage {
        let snapshot = self.simulation.snapshot();
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
        draw(&drawing, &camera, self.bounds)
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        let (snapshot, mut out) = (self.simulation.snapshot(), Vec::new());
        match format {
            "vtu" => export::vtu(&snapshot, &mut out).ok()?,
            "ply" => export::ply(&snapshot, &mut out).ok()?,
            _ => return None,
        }
        Some(out)
    }

    fn told(&self) -> Option<String> {
        let last = self.last.as_ref()?;
        Some(format!(
            "{}: {:.4} s simulated with {} particles and {} bodies; energy {:.4e} J, compression {:.2e}, {} steps to doubt",
            self.name(),
            last.time,
            self.simulation.n_fluid(),
            self.simulation.n_bodies(),
            last.energy(),
            last.compression,
            self.doubts
        ))
    }

    fn save(&self) -> Result<Vec<u8>, CliError> {
        let mut out = Vec::new();
        let checkpoint = self.simulation.checkpoint();
        checkpoint.save(&mut out)?;
        out.push(b'\n');
        out.extend(self.log.as_bytes());
        Ok(out)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let end = bytes
            .iter()
            .position(|b| *b == b'\n')
            .unwrap_or(bytes.len());
        let (state, log) = bytes.split_at(end);
        let loaded = Simulation::resume(&Checkpoint::load(state)?)?;
        if (loaded.scene(), loaded.settings())
            != (self.simulation.scene(), self.simulation.settings())
        {
            return Err("it is of another scene or of other settings".into());
        }
        self.simulation = loaded;
        self.log = String::from_utf8_lossy(log).trim_start().to_owned();
        Ok(())
    }
}

fn table(args: &TableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    use std::ops::ControlFlow;
    let names: Vec<&str> = match args.names.is_empty() {
        true => EXAMPLES.to_vec(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    let at = if args.paper { At::Paper } else { At::Small };
    let mut missed = 0;
    for name in names {
        let mut watch = |_: f64| match cancel.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let found = match rows(name, at, &mut watch) {
            Ok(found) => found,
            Err(TableError::Stopped) => return Ok(Outcome::CouldNotRun),
            Err(error) => {
                return Err(CliError::Usage {
                    message: error.to_string(),
                });
            }
        };
        missed += found.iter().filter(|r| !r.holds()).count();
        let cells: Vec<Vec<String>> = found.iter().map(cells).collect();
        let head = ["paper", "what", "printed or exact", "ours", "accepted", ""];
        print_out(&(columns(&head, &cells) + "\n"))?;
    }
    if missed > 0 {
        print_out(&format!("{missed} outside what is accepted\n"))?;
        return Ok(Outcome::Inaccurate);
    }
    Ok(Outcome::Fine)
}

fn cells(row: &Row) -> Vec<String> {
    let number = |x: f64| {
        if x == 0.0 || (1e-3..1e4).contains(&x.abs()) {
            format!("{x:.4}")
        } else {
            format!("{x:.3e}")
        }
    };
    let range = match (row.low > f64::MIN, row.high < f64::MAX) {
        (true, true) => format!("{} to {}", number(row.low), number(row.high)),
        (false, true) => format!("at most {}", number(row.high)),
        (true, false) => format!("at least {}", number(row.low)),
        (false, false) => String::new(),
    };
    vec![
        row.example.into(),
        row.name.clone(),
        row.printed.clone(),
        format!("{} {}", number(row.ours), row.unit),
        range,
        if row.holds() { "" } else { "MISSED" }.into(),
    ]
}
