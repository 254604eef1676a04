//! What a frame of the canvas costs, from the pointer's events to triangles ready for the graphics card, without a window.
//!
//! ```text
//! cargo bench --bench canvas            grid20, voronoi-s4 and 20,000 tees, at 1280 x 800 and 2560 x 1440; some seconds
//! ```
//! `fit`: the whole chip, the pointer moving over it. `pan`: the same, pushed a little every frame. `zoom`: the wheel, a notch a
//! frame, in and out again. `all`: everything selected. `edit`: the layout is another one every frame.

mod support;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use eframe::egui::{self, Event, Modifiers, MouseWheelUnit, Painter, TouchPhase, Vec2, pos2, vec2};
use stokeslet::library::Library;
use stokeslet_gui::canvas::{Canvas, FieldPainter, View};
use stokeslet_gui::context::{Selection, ViewContext, WindowState};
use stokeslet_gui::document::Document;
use support::{Asked, Failure, Report, median};

const FRAMES: usize = 120;
const DESIGNS: [&str; 3] = ["grid20", "voronoi-s4", TEES];
/// 142 by 141 of them.
const TEES: &str = "20,000 tees";
const SIZES: [[f32; 2]; 2] = [[1280.0, 800.0], [2560.0, 1440.0]];
const ACTIONS: [&str; 5] = ["fit", "pan", "zoom", "all", "edit"];
const HEADINGS: [&str; 7] = [
    "design",
    "parts",
    "window",
    "action",
    "median ms",
    "slowest ms",
    "triangles",
];

struct Nothing;

impl FieldPainter for Nothing {
    fn under(&mut self, _: &Painter, _: &View, _: &ViewContext<'_>) {}
    fn over(&mut self, _: &Painter, _: &View, _: &ViewContext<'_>) {}
}

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    let mut report = Report::new(&HEADINGS);
    let done = DESIGNS.iter().try_for_each(|name| {
        if asked.wants(name) {
            measure(name, &mut report)
        } else {
            Ok(())
        }
    });
    let note =
        format!("{FRAMES} frames each, with tessellation; nothing is drawn by a graphics card");
    match done.and_then(|()| report.finish("canvas", &note, &asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(name: &str, report: &mut Report) -> Result<(), Failure> {
    let text = match name {
        TEES => "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\n\
            t = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"], repeat = { count = [142, 141], step = [\"1 mm\", \"1 mm\"] } }\n"
            .to_owned(),
        _ => {
            let path = format!("{}/designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path)?
        }
    };
    let library = Library::embedded();
    let document = Document::new(&text, name, None, &library);
    let mut state = WindowState::new(document, library);
    let everything = Selection {
        items: state.document.layout.items.iter().cloned().collect(),
        port: None,
    };
    for size in SIZES {
        for action in ACTIONS {
            state.selection = match action {
                "all" => everything.clone(),
                _ => Selection::default(),
            };
            let parts = state.document.layout.parts.len();
            let (times, triangles) = frames(action, size, &mut state);
            let slowest = times.iter().copied().fold(0.0, f64::max);
            report.add(vec![
                name.into(),
                parts.to_string(),
                format!("{} x {}", size[0], size[1]),
                action.into(),
                format!("{:.2}", median(times)),
                format!("{slowest:.2}"),
                triangles.to_string(),
            ]);
        }
    }
    Ok(())
}

/// Milliseconds of every frame, and triangles of the last.
fn frames(action: &str, size: [f32; 2], state: &mut WindowState) -> (Vec<f64>, usize) {
    let ctx = egui::Context::default();
    let mut canvas = Canvas::default();
    canvas.fit(&state.document.layout, state.document.design.as_deref());
    let (mut times, mut triangles) = (Vec::new(), 0);
    for frame in 0..FRAMES + 10 {
        if action == "edit" {
            state.document.layout = Arc::new((*state.document.layout).clone());
        }
        let seen = state.context();
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(
                pos2(0.0, 0.0),
                vec2(size[0], size[1]),
            )),
            time: Some(frame as f64 / 60.0),
            events: events(action, frame, size),
            ..egui::RawInput::default()
        };
        let clock = Instant::now();
        let output = ctx.run_ui(input, |ui| {
            let mut commands = Vec::new();
            canvas.ui(ui, &seen, &mut Nothing, &mut commands);
        });
        let shapes = output.shapes.clone();
        let scale = output.pixels_per_point;
        output.drop_without_applying_deltas();
        let meshes = ctx.tessellate(shapes, scale);
        let spent = clock.elapsed().as_secs_f64() * 1e3;
        // The first frames load fonts and fit the chip.
        if frame >= 10 {
            times.push(spent);
        }
        triangles = meshes
            .iter()
            .map(|m| match &m.primitive {
                egui::epaint::Primitive::Mesh(mesh) => mesh.indices.len() / 3,
                egui::epaint::Primitive::Callback(_) => 0,
            })
            .sum();
    }
    (times, triangles)
}

fn events(action: &str, frame: usize, size: [f32; 2]) -> Vec<Event> {
    let t = frame as f32 * 0.1;
    let middle = vec2(size[0], size[1]) * 0.5;
    let pointer = middle + vec2(t.cos(), t.sin()) * (0.3 * size[1]);
    let wheel = |unit, delta: Vec2| Event::MouseWheel {
        unit,
        delta,
        phase: TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    };
    let mut events = vec![Event::PointerMoved(pointer.to_pos2())];
    let back_and_forth = if frame % 40 < 20 { 1.0 } else { -1.0 };
    match action {
        "pan" => events.push(wheel(
            MouseWheelUnit::Point,
            Vec2::new(3.0, 2.0) * back_and_forth,
        )),
        "zoom" => events.push(wheel(
            MouseWheelUnit::Line,
            Vec2::new(0.0, 0.5 * back_and_forth),
        )),
        _ => {}
    }
    events
}
