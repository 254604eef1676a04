//! The window's workspace of what is stepped, driven without a display.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::vec2;
use egui_kittest::Harness;
use stokeslet_gui::liquids::LiquidCommand as L;
use stokeslet_gui::{App, Command, Start};
use tempfile::TempDir;

/// The program in a window that nobody sees.
pub type Window = Harness<'static, App>;

/// What takes longer never happens.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A folder for settings.
pub fn home() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The window with a design and with settings in a folder of its own.
pub fn open(home: &Path) -> Window {
    let design = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs/tee.toml");
    let start = Start {
        design: Some(design),
        components: None,
        home: Some(home.to_owned()),
    };
    let mut window = Harness::builder()
        .with_size(vec2(1280.0, 800.0))
        .with_max_steps(60)
        .build_eframe(move |creation| App::new(&start, &creation.egui_ctx));
    window.run_steps(4);
    window
}

/// Does a command.
pub fn apply(window: &mut Window, command: Command) {
    window.state_mut().apply(command);
    window.run_steps(2);
}

/// Does a command of the workspace.
pub fn liquid(window: &mut Window, command: L) {
    apply(window, Command::Liquid(command));
}

/// Frames of the window until it is so.
pub fn until(window: &mut Window, what: &str, is_so: impl Fn(&App) -> bool) {
    let begin = Instant::now();
    while !is_so(window.state()) {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        window.step();
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// Until nothing is simulated and all pictures are made.
pub fn settled(window: &mut Window) {
    window.run_steps(2);
    until(window, "settled", App::is_liquid_settled);
    window.run_steps(3);
    until(window, "settled", App::is_liquid_settled);
}

/// Makes so many frames.
pub fn step(window: &mut Window, frames: usize) {
    settled(window);
    let want = window.state().liquids().frame().map_or(0, |f| f + frames);
    for _ in 0..frames {
        window.state_mut().apply(Command::Liquid(L::Step));
    }
    settled(window);
    let failure = &window.state().liquids().failure;
    assert!(failure.is_none(), "{failure:?}");
    assert_eq!(window.state().liquids().frame(), Some(want));
}
