//! Live editing: how long from an edit of the text until the field on the screen has followed, and how long its image takes.
//!
//! ```text
//! cargo bench --bench live              a lattice of 100 crossings, one of them moved to and fro; the picture of grid20; some seconds
//! ```
//! `edit` begins with the text after the edit: parsed, placed and checked, solved on the worker's thread with its table of
//! operations warm, and painted at 1280 x 800. `pressure` changes only a value at a port.

mod support;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stokeslet::chip::{Chip, place};
use stokeslet::design::{parse, print};
use stokeslet::library::Library;
use stokeslet_gui::canvas::View;
use stokeslet_gui::results::painting::{Asked as Picture, Look, paint};
use stokeslet_gui::results::raster::Window;
use stokeslet_gui::results::{Event, Job, Quantity, Solved, Worker};
use support::{Asked, Failure, Report, chips, median, seconds};

const SIDE: usize = 10;
/// Of the window in live mode.
const RESOLUTION: u32 = 6;
const REPETITIONS: usize = 9;
const HEADINGS: [&str; 7] = [
    "what", "unknowns", "reused", "place s", "solve s", "paint s", "whole s",
];

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    match measure(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A text of the lattice with one crossing moved by so much of the crossings' distance.
fn text(by: f64) -> Result<String, Failure> {
    let design = chips::lattice_design(
        SIDE,
        |_, _| true,
        |k| {
            let by = if k == SIDE * SIDE / 2 + SIDE / 2 {
                by
            } else {
                0.0
            };
            [by, 0.5 * by]
        },
    )?;
    Ok(print(&design))
}

fn chip(text: &str, library: &Library) -> Result<Chip, Failure> {
    let (design, mistakes) = parse(text.as_bytes(), "lattice");
    let design = design.ok_or_else(|| format!("{mistakes:?}"))?;
    let (chip, mistakes) = place(&design, library);
    Ok(chip.ok_or_else(|| format!("{mistakes:?}"))?)
}

fn solve(worker: &Worker, chip: Chip, resolution: u32) -> Result<Arc<Solved>, Failure> {
    worker.request(Job {
        chip: Arc::new(chip),
        revision: 0,
        resolution,
    });
    loop {
        match worker.drain().pop() {
            Some(Event::Solved(solved)) => return Ok(solved),
            Some(Event::Failed { message, .. }) => return Err(message.into()),
            Some(Event::Cancelled) => return Err("cancelled".into()),
            None => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}

/// Paints all of a chip at 1280 x 800; seconds.
fn picture(solved: &Arc<Solved>) -> f64 {
    let mut view = View {
        rect: eframe::egui::Rect::from_min_size(
            eframe::egui::Pos2::ZERO,
            eframe::egui::vec2(1280.0, 800.0),
        ),
        ..View::default()
    };
    let (low, high) = solved.index.extent();
    view.fit(low, high);
    let look = Look {
        colour: Some(Quantity::SPEED),
        range: None,
        mesh: false,
        parts: false,
        is_dark: false,
        pixels_per_point: 1.0,
        arrows: None,
    };
    let asked = Picture {
        dissolved: None,
        solved: solved.clone(),
        window: Window::of_view(&view, 1.0),
        look,
    };
    paint(asked).seconds
}

fn measure(asked: &Asked) -> Result<(), Failure> {
    let library = Library::embedded();
    let worker = Worker::new(Arc::default(), || {});
    let mut report = Report::new(&HEADINGS);
    let mut add = |what: &str, solved: &Solved, [place, solve, paint, whole]: [f64; 4]| {
        report.add(vec![
            what.into(),
            solved.solution.report.unknowns.to_string(),
            solved
                .reuse
                .share()
                .map_or_else(|| "-".into(), |s| format!("{s:.3}")),
            seconds(place),
            seconds(solve),
            seconds(paint),
            seconds(whole),
        ]);
    };
    let first = solve(&worker, chip(&text(0.0)?, &library)?, RESOLUTION)?;
    add(
        "first solve",
        &first,
        [0.0, first.seconds, picture(&first), 0.0],
    );
    for what in ["move a crossing", "move it back", "pressure"] {
        let mut times = [const { Vec::new() }; 4];
        let mut last = None;
        for k in 0..REPETITIONS {
            // A crossing goes to a new place every time; back it goes to where it has been.
            let by = 0.02 + 0.006 * k as f64;
            let prepared = text(if what == "move a crossing" { by } else { 0.0 })?;
            if what == "move it back" {
                solve(&worker, chip(&text(by)?, &library)?, RESOLUTION)?;
            }
            let start = Instant::now();
            let mut chip = chip(&prepared, &library)?;
            if what == "pressure" {
                for port in &mut chip.ports {
                    if let stokeslet::chip::Condition::FlowRate(q) = &mut port.condition {
                        *q *= 1.0 + 0.1 * k as f64;
                    }
                }
            }
            let placed = start.elapsed().as_secs_f64();
            let solved = solve(&worker, chip, RESOLUTION)?;
            let solved_at = start.elapsed().as_secs_f64();
            let paint = picture(&solved);
            let whole = start.elapsed().as_secs_f64();
            for (times, t) in times
                .iter_mut()
                .zip([placed, solved_at - placed, paint, whole])
            {
                times.push(t);
            }
            last = Some(solved);
        }
        let last = last.ok_or("nothing was run")?;
        add(what, &last, times.map(median));
    }
    let grid = solve(&worker, support::design("grid20")?.chip, 8)?;
    let paint = median((0..REPETITIONS).map(|_| picture(&grid)).collect());
    add("grid20, r = 8", &grid, [0.0, grid.seconds, paint, 0.0]);
    report.finish(
        "live",
        "medians of 9; an edit of one of 100 crossings, from its text to pixels",
        asked,
    )
}
