//! What the table of numbers tells of the last frame: of scenes and of tanks, each line with what it means.

use crate::liquids::Shown;
use crate::liquids::settings::thousands;
use crate::liquids::shot::Shot;
use crate::liquids::subjects::Group;
use crate::panels::toolbar::seconds;
use stokeslet_dynamics::lcp::SolveLog;
use stokeslet_dynamics::scenes::FrameLog;
use stokeslet_dynamics::scenes::eckert::TankStep;
use stokeslet_flow::export::readable::figures;

/// A name, what it means, and its value in a view.
pub type Line = (&'static str, &'static str, fn(&Shown) -> String);

/// All lines of a group, in their order.
pub fn lines(group: Group) -> impl Iterator<Item = &'static Line> {
    let own = match group {
        Group::Scenes => SCENE,
        Group::Tanks => TANK,
        // Theirs are measures of the system.
        Group::System(_) => return [].iter().chain(&[]),
    };
    SOLVE.iter().chain(own)
}

/// Lines about the last solve, also about one that failed.
const SOLVE: &[Line] = &[
    ("solver", "Who solved last", |v| {
        of_solve(v, |log| log.solver.to_owned())
    }),
    (
        "iterations",
        "Inner iterations and line searches of the last solve",
        |v| of_solve(v, |log| thousands(log.iterations())),
    ),
    ("outer", "Linear systems set up in the last solve", |v| {
        of_solve(v, |log| thousands(log.outer))
    }),
];

/// Lines about a frame of a scene.
const SCENE: &[Line] = &[
    (
        "residual",
        "Of the last solve: infinity norm of the minimum map, 1/s; the tolerance is 1e-6",
        |v| of_solve(v, |log| format!("{:.1e}", log.residual())),
    ),
    ("substeps", "Pressure solves of the frame", |v| {
        of_frame(v, |frame| frame.solves.len().to_string())
    }),
    (
        "time a substep",
        "Of the pressure solve, mean over the frame",
        |v| {
            of_frame(v, |frame| {
                let all: f64 = frame.solves.iter().map(|s| s.seconds).sum();
                seconds_fine(all / frame.solves.len().max(1) as f64)
            })
        },
    ),
    ("unknowns", "Cells with a pressure", |v| {
        of_frame(v, |frame| thousands(frame.unknowns))
    }),
    ("cells in S", "Cells that may leave the wall", |v| {
        of_frame(v, |frame| thousands(frame.at_wall))
    }),
    (
        "detached",
        "Cells in S whose bound holds: p = 0, they have left",
        |v| of_frame(v, |frame| thousands(frame.detached)),
    ),
    ("pockets", "Parts of the liquid without air", |v| {
        of_frame(v, |frame| frame.pockets.to_string())
    }),
    (
        "divergence",
        "The largest violation of continuity after any solve of the frame, 1/s",
        |v| of_frame(v, |frame| format!("{:.1e} 1/s", frame.divergence)),
    ),
    (
        "volume",
        "Cells in liquid and open space; the unit cube is 1 m³, the unit square 1 m²",
        |v| {
            let unit = match *v.shot {
                Shot::Plane(_) => "m²",
                Shot::Space(_) | Shot::System(_) => "m³",
            };
            of_frame(v, |frame| format!("{:.4} {unit}", frame.volume))
        },
    ),
];

/// Lines about a step of a tank.
const TANK: &[Line] = &[
    (
        "residual",
        "Of the last step: what the method ends by, as its last iteration left it",
        |v| of_solve(v, |log| format!("{:.1e}", log.residual())),
    ),
    (
        "tolerance",
        "What the residual has to fall below; of a single solve, what its inner iterations do",
        |v| {
            let tolerance = v.last.as_ref().map(|solved| solved.tolerance);
            tolerance.map_or_else(String::new, |tolerance| format!("{tolerance:.1e}"))
        },
    ),
    ("time a step", "Of all that the method does", |v| {
        of_step(v, |step| seconds_fine(step.log.solve.seconds))
    }),
    ("cells", "Cells of liquid", |v| {
        of_step(v, |step| thousands(step.volume))
    }),
    (
        "filled",
        "Cells of liquid with at least half the particles that cells start with",
        |v| of_step(v, |step| thousands(step.filled)),
    ),
    (
        "detached",
        "Cells of walls that the step took for air: liquid may leave there",
        |v| of_step(v, |step| thousands(step.log.detached.len())),
    ),
    (
        "pockets",
        "Parts of the liquid without air while all walls were closed",
        |v| of_step(v, |step| step.log.pockets.to_string()),
    ),
    (
        "divergence",
        "The largest that the step left in any cell of liquid, a unit of time",
        |v| of_step(v, |step| format!("{:.1e}", step.log.divergence_left)),
    ),
    (
        "velocity residual",
        "The largest velocity that was taken off walls in the last iteration, cells a time; of methods that alternate",
        |v| {
            of_step(v, |step| {
                let last = step.log.velocity.last();
                last.map_or_else(|| "–".to_owned(), |last| format!("{last:.1e}"))
            })
        },
    ),
    (
        "at the ceiling",
        "Cells of liquid within one cell of it",
        |v| of_step(v, |step| thousands(step.reach.ceiling)),
    ),
    (
        "fastest",
        "The largest velocity on faces of liquid, cells a time",
        |v| of_step(v, |step| figures(step.max_speed)),
    ),
];

fn of_solve(view: &Shown, of: impl Fn(&SolveLog) -> String) -> String {
    let last = view.last.as_ref();
    last.map_or_else(String::new, |solved| of(&solved.log))
}

fn of_frame(view: &Shown, of: impl Fn(&FrameLog) -> String) -> String {
    let frame = view.rows.last().and_then(|row| row.frame());
    frame.map_or_else(|| "–".to_owned(), of)
}

fn of_step(view: &Shown, of: impl Fn(&TankStep) -> String) -> String {
    let step = view.rows.last().and_then(|row| row.step());
    step.map_or_else(|| "–".to_owned(), of)
}

/// Also of less than a millisecond.
fn seconds_fine(time: f64) -> String {
    if time < 9.95e-3 {
        format!("{} ms", figures(time * 1e3))
    } else {
        seconds(time)
    }
}
