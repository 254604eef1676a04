//! What frames of the window take while a large chip is solved, and how fast a solve is cancelled: the real app, without a display.
//!
//! ```text
//! cargo bench --bench frames            everything below; a minute
//! cargo bench --bench frames -- chip      grid20 at r = 16 (6 million unknowns) to its fields; cancelled there and at r = 24
//! cargo bench --bench frames -- --spikes  and says which frames were slow, and what the window was at
//! cargo bench --bench frames -- large     of a chip of 20,000 parts, which is zoomed, and of which one part, and its width, is dragged
//! cargo bench --bench frames -- liquids   while liquids run at 128² and 64³; paused there, by solver
//! ```
//! A frame is all that the window does for it but the graphics card's part: events, solver's answers, panels, canvas, tessellation.
//! Where nothing else is done the pointer moves over the chip, so that the field is probed. `cancel`: from the command until the cores are
//! free again.

mod support;

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use eframe::egui::{self, Pos2, pos2, vec2};
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use stokeslet_gui::liquids::LiquidCommand;
use stokeslet_gui::liquids::settings::Side;
use stokeslet_gui::{App, Command, Selection, Start, Workspace};
use support::{Asked, Failure, Report, median, root};

/// 60 a second.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// Nobody waits longer for a solve.
const PATIENCE: Duration = Duration::from_secs(120);
/// A frame that takes longer is noticed, ms.
const SLOW: f64 = 16.0;
/// Worth telling of, ms.
const SPIKE: f64 = 8.0;
/// When solves are cancelled, s, by resolution: in every stage, in a window that knows nothing of the chip yet.
const CANCELLED: [(u32, [f64; 6]); 2] = [
    (16, [0.1, 0.3, 0.6, 0.9, 1.2, 1.5]),
    (24, [0.3, 0.8, 1.2, 1.6, 2.2, 3.0]),
];
/// Runs of liquids: scene, cells a side, solver.
const LIQUIDS: [(&str, usize, &str); 5] = [
    ("circle", 128, "pi-mgpcg"),
    ("circle", 128, "pgs"),
    ("sphere", 64, "pi-mgpcg"),
    ("sphere", 64, "fas-mg"),
    ("sphere", 64, "pgs"),
];
/// Each runs for so long.
const RUN: Duration = Duration::from_secs(6);
const HEADINGS: [&str; 7] = [
    "what",
    "frames",
    "median ms",
    "99 % ms",
    "slowest ms",
    "over 16 ms",
    "cancel ms",
];

type Window = Harness<'static, App>;

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

fn measure(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    let home = tempfile::tempdir()?;
    if asked.wants("liquids") {
        liquids(home.path(), &mut report)?;
    }
    if asked.wants("chip") {
        chip(home.path(), &mut report)?;
    }
    if asked.wants("large") {
        large(home.path(), &mut report)?;
    }
    let note = "1280 x 800, 60 frames a second, the pointer moving over the canvas; cancel to within a frame";
    report.finish("frames", note, asked)
}

fn liquids(home: &Path, report: &mut Report) -> Result<(), Failure> {
    let (mut window, mut bench) = Bench::open(home)?;
    let apply = |window: &mut Window, command| window.state_mut().apply(command);
    let liquid = Command::Liquid;
    apply(&mut window, Command::Enter(Workspace::Liquids));
    for (scene, size, solver) in LIQUIDS {
        use LiquidCommand as L;
        apply(&mut window, liquid(L::Scene(scene.to_owned())));
        apply(&mut window, liquid(L::Size(size)));
        apply(
            &mut window,
            liquid(L::Solver(Side::Left, solver.to_owned())),
        );
        apply(&mut window, liquid(L::Restart));
        bench.until(&mut window, App::is_liquid_settled)?;
        bench.times.clear();
        let first = window.state().liquids().frame().unwrap_or(0);
        apply(&mut window, liquid(L::Play));
        bench.idle(&mut window, RUN);
        let made = window.state().liquids().frame().unwrap_or(0) - first;
        let clock = Instant::now();
        apply(&mut window, liquid(L::Pause));
        bench.until(&mut window, App::is_liquid_settled)?;
        bench.cancelled = Some(clock.elapsed().as_secs_f64() * 1e3);
        let what = format!(
            "liquids: {scene} {size} {solver}, {made} frames in {} s",
            RUN.as_secs()
        );
        bench.row(&what, report);
    }
    Ok(())
}

fn chip(home: &Path, report: &mut Report) -> Result<(), Failure> {
    let (mut window, mut bench) = Bench::open(home)?;
    bench.idle(&mut window, Duration::from_secs(2));
    bench.row("nothing is solved", report);
    bench.solve(&mut window, 16)?;
    bench.row("solve, r = 16", report);
    // Now what was solved first is thrown away, and only fields are made.
    bench.solve(&mut window, 16)?;
    bench.row("again, r = 16", report);
    drop(window);
    for (resolution, times) in CANCELLED {
        for after in times {
            let (mut window, mut bench) = Bench::open(home)?;
            window.state_mut().apply(Command::SolveAt(resolution));
            bench.idle(&mut window, Duration::from_secs_f64(after));
            let Some(running) = window.state().context().worker.running else {
                break;
            };
            let clock = Instant::now();
            window.state_mut().apply(Command::Cancel);
            bench.until(&mut window, App::is_solver_idle)?;
            let took = clock.elapsed().as_secs_f64() * 1e3;
            bench.cancelled = Some(took);
            let what = format!(
                "cancelled after {after} s, r = {resolution}: {:?}",
                running.0
            );
            bench.row(&what, report);
        }
    }
    Ok(())
}

/// 20,000 tees, each of its own line and joined to none.
fn tees() -> String {
    let mut text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\n".to_owned();
    for k in 0..20_000 {
        let (x, y) = (k % 142, k / 142);
        text += &format!("t{k} = {{ kind = \"tee\", at = [\"{x} mm\", \"{y} mm\"] }}\n");
    }
    text
}

/// One of 20,000 parts is dragged about, over the whole chip and over a few of its neighbours.
fn large(home: &Path, report: &mut Report) -> Result<(), Failure> {
    let design = home.join("tees.toml");
    std::fs::write(&design, tees())?;
    let (mut window, mut bench) = Bench::open_design(home, &design)?;
    bench.idle(&mut window, Duration::from_secs(1));
    bench.row("20,000 parts, the pointer moves", report);
    for k in 0..60 {
        let turns = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        bench.event(&mut window, wheel(turns[k % turns.len()]));
    }
    bench.row("20,000 parts, zoomed in and out", report);
    for (name, notches) in [("all of them seen", 0), ("some hundred seen", 24)] {
        let middle = window.state().canvas().view.rect.center();
        let middle = pos2(middle.x, middle.y);
        bench.step(&mut window, middle);
        for _ in 0..notches {
            bench.event(&mut window, wheel(1.0));
        }
        let view = window.state().canvas().view;
        let part = &window.state().document().layout.parts[142 * 70 + 71];
        let inside = part.shape.sockets()[0].middle * 0.5 + part.shape.sockets()[1].middle * 0.5;
        let at = view.to_screen(part.motion.apply(inside));
        bench.step(&mut window, at);
        bench.times.clear();
        bench.event(&mut window, button(at, true));
        for k in 0..8 {
            bench.step(&mut window, at + vec2(k as f32, 0.0));
        }
        bench.row(&format!("20,000 parts, one picked up, {name}"), report);
        for k in 0..60 {
            let t = k as f32 * 0.1;
            bench.step(&mut window, at + vec2(t.cos() - 1.0, t.sin()) * 40.0);
        }
        bench.row(&format!("20,000 parts, one dragged, {name}"), report);
        bench.event(&mut window, button(at + vec2(20.0, 20.0), false));
        bench.until(&mut window, App::is_settled)?;
        bench.idle(&mut window, Duration::from_secs(1));
        bench.row("it is dropped, and a second more", report);
    }
    let tee = Selection::one("t7");
    window.state_mut().apply(Command::Select(tee));
    bench.idle(&mut window, Duration::from_secs(1));
    let fields = window.get_all_by_role_and_label(Role::TextInput, "width");
    let at = fields.last().ok_or("no field of the tee's width")?;
    let at = at.rect().center();
    bench.step(&mut window, at);
    bench.times.clear();
    bench.event(&mut window, button(at, true));
    for k in 0..120 {
        bench.step(&mut window, at + vec2(k as f32, 0.0));
    }
    bench.event(&mut window, button(at + vec2(120.0, 0.0), false));
    bench.until(&mut window, App::is_settled)?;
    bench.row("20,000 parts, the width of one is dragged", report);
    Ok(())
}

/// The wheel, turned by so many notches.
fn wheel(notches: f32) -> egui::Event {
    egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, notches),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: egui::Modifiers::NONE,
    }
}

/// The left button there, pressed or released.
fn button(pos: Pos2, pressed: bool) -> egui::Event {
    egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    }
}

/// How long this thread was on a processor and waited for one, and how long the machine's host gave its processors to others, ms;
/// none where the system doesn't tell.
fn scheduled() -> Option<[f64; 3]> {
    let thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut thread = thread.split_whitespace().map(str::parse::<f64>);
    let all = std::fs::read_to_string("/proc/stat").ok()?;
    let stolen: f64 = all
        .lines()
        .next()?
        .split_whitespace()
        .nth(8)?
        .parse()
        .ok()?;
    let [ran, waited] = [thread.next()?.ok()?, thread.next()?.ok()?];
    Some([ran * 1e-6, waited * 1e-6, stolen * 10.0])
}

/// The window with a design, which it solves at once as far as it is interactive.
fn open(home: &Path, design: &Path) -> Window {
    let start = Start {
        design: Some(design.to_owned()),
        components: None,
        home: Some(home.to_owned()),
    };
    Harness::builder()
        .with_size(vec2(1280.0, 800.0))
        .with_max_steps(60)
        .build_eframe(move |creation| App::new(&start, &creation.egui_ctx))
}

struct Bench {
    frame: usize,
    /// Of every frame, ms.
    times: Vec<f64>,
    /// From the command to free cores, ms.
    cancelled: Option<f64>,
    tells: bool,
}

impl Bench {
    /// A window with grid20 that has come to rest.
    fn open(home: &Path) -> Result<(Window, Self), Failure> {
        Self::open_design(home, &root().join("designs/grid20.toml"))
    }

    fn open_design(home: &Path, design: &Path) -> Result<(Window, Self), Failure> {
        let mut window = open(home, design);
        let mut bench = Self {
            frame: 0,
            times: Vec::new(),
            cancelled: None,
            tells: std::env::args().any(|a| a == "--spikes"),
        };
        bench.until(&mut window, App::is_settled)?;
        window.state_mut().apply(Command::SetLive(false));
        bench.times.clear();
        Ok((window, bench))
    }

    /// One frame, and the wait for the next.
    fn frame(&mut self, window: &mut Window) {
        let t = self.frame as f32 * 0.02;
        let app = window.state();
        let rect = match app.workspace() {
            Workspace::Chip => app.canvas().view.rect,
            Workspace::Liquids => app.stage().view.rect,
        };
        let by = vec2(t.cos() * rect.width(), t.sin() * rect.height()) * 0.35;
        self.step(window, pos2(rect.center().x, rect.center().y) + by);
    }

    /// One frame with the pointer there.
    fn step(&mut self, window: &mut Window, pointer: Pos2) {
        self.event(window, egui::Event::PointerMoved(pointer));
    }

    /// One frame that hears this.
    fn event(&mut self, window: &mut Window, event: egui::Event) {
        // More events would be more frames of one step.
        window.event(event);
        let before = window.state().context().worker.running;
        let scheduled = self.tells.then(scheduled).flatten();
        let clock = Instant::now();
        window.step();
        let stepped = clock.elapsed();
        let shapes = window.output().shapes.clone();
        let meshes = window.ctx.tessellate(shapes, window.ctx.pixels_per_point());
        let spent = clock.elapsed();
        drop(meshes);
        let ms = spent.as_secs_f64() * 1e3;
        if self.tells && ms > SPIKE {
            let (step, at) = (stepped.as_secs_f64() * 1e3, self.frame);
            eprintln!("frame {at}: {ms:.1} ms, {step:.1} of them in the app, during {before:?}");
            if let Some((old, new)) = scheduled.zip(self::scheduled()) {
                let [ran, waited, stolen] = [0, 1, 2].map(|k| new[k] - old[k]);
                eprintln!(
                    "    {ran:.1} on a processor, {waited:.1} waiting for one, {:.1} for something else; {stolen:.0} taken from the machine",
                    ms - ran - waited
                );
            }
        }
        self.times.push(ms);
        self.frame += 1;
        std::thread::sleep(FRAME.saturating_sub(spent));
    }

    fn until(&mut self, window: &mut Window, done: impl Fn(&App) -> bool) -> Result<(), Failure> {
        let begin = Instant::now();
        loop {
            self.frame(window);
            if let Some(failure) = &window.state().results().failure {
                return Err(failure.clone().into());
            }
            if done(window.state()) {
                return Ok(());
            }
            if begin.elapsed() > PATIENCE {
                return Err("the window doesn't come to rest".into());
            }
        }
    }

    fn idle(&mut self, window: &mut Window, time: Duration) {
        let begin = Instant::now();
        while begin.elapsed() < time {
            self.frame(window);
        }
    }

    /// Until the fields are on the canvas.
    fn solve(&mut self, window: &mut Window, resolution: u32) -> Result<(), Failure> {
        // Held weakly: throwing it away is the window's.
        let old = window.state().results().solved.as_ref();
        let old = old.map_or_else(Weak::new, Arc::downgrade);
        window.state_mut().apply(Command::SolveAt(resolution));
        self.until(window, |app| {
            let new = app.results().solved.as_ref();
            new.is_some_and(|new| Arc::as_ptr(new) != old.as_ptr()) && app.is_settled()
        })?;
        // What is left behind is thrown away by now.
        self.idle(window, Duration::from_millis(500));
        Ok(())
    }

    fn row(&mut self, what: &str, report: &mut Report) {
        let mut times = std::mem::take(&mut self.times);
        times.sort_by(f64::total_cmp);
        let part = |p: f64| times[((times.len() - 1) as f64 * p) as usize];
        let slow = times.iter().filter(|ms| **ms > SLOW).count();
        report.add(vec![
            what.into(),
            times.len().to_string(),
            format!("{:.2}", median(times.clone())),
            format!("{:.2}", part(0.99)),
            format!("{:.2}", part(1.0)),
            slow.to_string(),
            self.cancelled
                .take()
                .map_or_else(|| "-".into(), |ms| format!("{ms:.0}")),
        ]);
    }
}
