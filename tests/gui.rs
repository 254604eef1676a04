//! The whole window without a display: what a user does with pointer and keys, and what becomes of the design.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use stokeslet::chip::SocketUse;
use stokeslet::design::{
    Attachment, Bend, OverlayLayer, OverlayShape, Placement, PortCondition, Spanned, Value,
};
use stokeslet::edits::{Align, Axis};
use stokeslet::export::Format;
use stokeslet::geometry::Point;
use stokeslet::units::{Dimension, Metre, Pascal, Radian};
use stokeslet_gui::command::{ChannelEnd, Layer, Panel, Theme};
use stokeslet_gui::files::export::PictureFormat;
use stokeslet_gui::results::Quantity;
use stokeslet_gui::{App, Command, Selection, Start, Tool};
use tempfile::TempDir;

#[path = "gui/actions.rs"]
mod actions;
#[path = "support/broken.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the corpus is needed here, not its assertions; a failed helper fails its test"
)]
mod broken;
#[path = "gui/dimensions.rs"]
mod dimensions;
#[cfg(target_os = "linux")]
#[path = "gui/disk.rs"]
mod disk;
#[path = "gui/errors.rs"]
mod errors;
#[path = "gui/films.rs"]
mod films;
#[path = "gui/habits.rs"]
mod habits;
#[path = "gui/keyboard.rs"]
mod keyboard;
#[path = "gui/killed.rs"]
mod killed;
#[path = "gui/large.rs"]
mod large;
#[path = "gui/named.rs"]
mod named;
#[path = "gui/opening.rs"]
mod opening;
#[path = "gui/random.rs"]
mod random;
#[path = "gui/small.rs"]
mod small;
#[path = "gui/species.rs"]
mod species;
#[path = "gui/variables.rs"]
mod variables;

type Window = Harness<'static, App>;

/// The window as it starts, with settings and recovered work in a folder of its own.
fn open(design: Option<&Path>, home: &Path) -> Window {
    open_by(0.25, design, home)
}

/// As [`open`], with steps of so many seconds.
fn open_by(step: f32, design: Option<&Path>, home: &Path) -> Window {
    let start = Start {
        design: design.map(Path::to_owned),
        components: None,
        home: Some(home.to_owned()),
    };
    let mut window = Harness::builder()
        .with_size(vec2(1280.0, 800.0))
        .with_max_steps(60)
        .with_step_dt(step)
        .build_eframe(move |creation| App::new(&start, &creation.egui_ctx));
    window.run_steps(4);
    window
}

fn home() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("designs/{name}.toml"))
}

fn text(window: &Window) -> String {
    window.state().document().text.to_string()
}

fn apply(window: &mut Window, command: Command) {
    window.state_mut().apply(command);
    window.run_steps(2);
}

/// Frames until the solver has answered for what is shown.
fn solved(window: &mut Window) {
    let begin = Instant::now();
    loop {
        window.step();
        let app = window.state();
        let revision = app.document().revision;
        let done = app.results().solved.as_ref();
        if done.is_some_and(|solved| solved.revision == revision) {
            return;
        }
        let failure = &app.results().failure;
        assert!(failure.is_none(), "{failure:?}");
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "no answer; problems: {:?}",
            app.document().diagnostics
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Where a point of the chip is on the screen.
fn on_screen(window: &Window, p: Point) -> Pos2 {
    window.state().canvas().view.to_screen(p)
}

fn click(window: &mut Window, at: Pos2) {
    window.hover_at(at);
    window.run_steps(2);
    window.drag_at(at);
    window.run_steps(1);
    window.drop_at(at);
    window.run_steps(3);
}

/// Two clicks; one only where steps are short ([`open_by`]).
fn double_click(window: &mut Window, at: Pos2) {
    window.hover_at(at);
    window.run_steps(2);
    for pressed in [true, false, true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.step();
    }
}

fn drag(window: &mut Window, from: Pos2, by: Vec2) {
    window.hover_at(from);
    window.run_steps(2);
    window.drag_at(from);
    window.run_steps(1);
    for k in 1..=4 {
        window.hover_at(from + by * (k as f32 / 4.0));
        window.run_steps(2);
    }
    window.drop_at(from + by);
    window.run_steps(3);
}

fn absolute(x: f64, y: f64) -> Placement {
    Placement::Absolute {
        at: Point::new(x, y),
        rotation: Radian(0.0),
        mirror: false,
    }
}

fn place(window: &mut Window, kind: &str, x: f64, y: f64) {
    apply(
        window,
        Command::Place {
            kind: kind.to_owned(),
            placement: absolute(x, y),
        },
    );
}

fn attach(window: &mut Window, kind: &str, socket: &str, to: &str) {
    let attachment = Attachment {
        socket: Spanned::nowhere(socket.to_owned()),
        to: Spanned::nowhere(to.to_owned()),
        mirror: false,
    };
    apply(
        window,
        Command::Place {
            kind: kind.to_owned(),
            placement: Placement::Attached(attachment),
        },
    );
}

/// An empty design, the gallery closed.
fn empty(home: &Path) -> Window {
    let mut window = open(None, home);
    window.key_press(Key::Escape);
    window.run_steps(3);
    window
}

#[test]
fn a_chip_is_placed_connected_solved_undone_and_redone() {
    let home = home();
    let mut window = empty(home.path());
    let before = text(&window);
    place(&mut window, "y", 0.0, 0.0);
    let sockets: Vec<String> = {
        let layout = &window.state().document().layout;
        let names = layout.sockets.iter().map(|s| layout.full_name(s));
        names.collect()
    };
    assert_eq!(sockets.len(), 3, "{sockets:?}");
    attach(&mut window, "pipe", "a", &sockets[0]);
    // The rest with the pointer: the port tool, and a click on every free socket.
    window.key_press(Key::O);
    window.run_steps(2);
    apply(&mut window, Command::Fit);
    window.run_steps(4);
    let free: Vec<Point> = {
        let layout = &window.state().document().layout;
        let free = layout.sockets.iter().filter(|s| s.used == SocketUse::Free);
        free.map(|s| s.geometry.middle).collect()
    };
    assert_eq!(free.len(), 3, "two of the Y, one of the pipe");
    for p in free {
        let at = on_screen(&window, p);
        click(&mut window, at);
    }
    let design = window.state().document().design.clone().expect("a design");
    assert_eq!(design.ports.len(), 3, "{}", text(&window));
    solved(&mut window);
    let flows: Vec<f64> = {
        let solved = window.state().results().solved.clone().expect("solved");
        let ports = solved.solution.ports.iter();
        ports.map(|p| p.flow_rate).collect()
    };
    let total: f64 = flows.iter().sum();
    assert!(
        flows[0].abs() > 0.0 && total.abs() < 1e-9 * flows[0].abs(),
        "{flows:?}"
    );

    let after = text(&window);
    let steps = window.state().document().history.now();
    assert_eq!(steps, 5, "two components, three ports");
    for _ in 0..steps {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
    }
    assert_eq!(text(&window), before, "undone to the last byte");
    for _ in 0..steps {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
        window.run_steps(2);
    }
    assert_eq!(text(&window), after, "and done again");
}

#[test]
fn a_component_comes_from_the_library_by_pointer_and_is_dragged() {
    let home = home();
    let mut window = empty(home.path());
    window.get_by_label("Search components").focus();
    window.run_steps(2);
    window.get_by_label("Search components").type_text("cross");
    window.run_steps(3);
    window.get_by_label("cross").click();
    window.run_steps(3);
    let middle = window.state().canvas().view.rect.center();
    click(&mut window, middle);
    let layout = window.state().document().layout.clone();
    assert_eq!(layout.items, ["cross1"], "{}", text(&window));
    window.key_press(Key::Escape);
    window.run_steps(2);
    let at = layout.motions[0].expect("placed").translation;
    let from = on_screen(&window, at);
    drag(&mut window, from, vec2(120.0, -60.0));
    let moved = window.state().document().layout.motions[0].expect("placed");
    let by = moved.translation - at;
    let scale = window.state().canvas().view.scale;
    assert!((by.x / scale - 120.0).abs() < 20.0, "{by:?} at {scale}");
    assert!((by.y / scale - 60.0).abs() < 20.0, "{by:?} at {scale}");
    let history = &window.state().document().history;
    assert_eq!(
        history.now(),
        2,
        "a drag is one step: {:?}",
        history.undo_label()
    );
}

#[test]
fn a_channel_is_drawn_from_socket_to_socket() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "pipe", 0.0, 0.0);
    place(&mut window, "pipe", 3e-3, 1e-3);
    apply(&mut window, Command::Fit);
    window.run_steps(4);
    window.key_press(Key::C);
    window.run_steps(2);
    let ends: Vec<Point> = {
        let layout = &window.state().document().layout;
        let middle = |name: &str| {
            let mut sockets = layout.sockets.iter();
            let found = sockets.find(|s| layout.full_name(s) == name);
            found.expect("a socket of a pipe").geometry.middle
        };
        vec![middle("pipe1.b"), middle("pipe2.a")]
    };
    for p in ends {
        let at = on_screen(&window, p);
        click(&mut window, at);
    }
    let design = window.state().document().design.clone().expect("a design");
    assert_eq!(design.channels.len(), 1, "{}", text(&window));
    let channel = &design.channels[0];
    assert_eq!(channel.from.value, "pipe1.b");
    assert_eq!(
        channel.to.as_ref().map(|to| to.value.as_str()),
        Some("pipe2.a")
    );
    let layout = &window.state().document().layout;
    let connected = layout
        .sockets
        .iter()
        .filter(|s| s.used == SocketUse::Connected);
    assert_eq!(connected.count(), 4, "both ends of the channel meet a pipe");
}

#[test]
fn a_parameter_is_typed_into_the_inspector_and_taken_back() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    let before = text(&window);
    let flow_into_short = |window: &Window| {
        let solved = window.state().results().solved.clone().expect("solved");
        let names = solved.chip.ports.iter().map(|p| p.name.as_str());
        let left = names.clone().position(|name| name == "left");
        solved.solution.ports[left.expect("a port")].flow_rate
    };
    let flow_before = flow_into_short(&window);
    // The pipe is selected where it lies.
    let at = on_screen(&window, Point::new(-2e-3, 0.0));
    click(&mut window, at);
    assert_eq!(window.state().selection().single(), Some("short"));
    let field = |window: &Window| {
        window
            .get_by_role_and_label(Role::TextInput, "length")
            .value()
            .expect("a text")
    };
    assert_eq!(field(&window), "4 mm");
    window
        .get_by_role_and_label(Role::TextInput, "length")
        .click();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(2);
    window.event(Event::Text("3500 um".to_owned()));
    window.run_steps(2);
    assert_eq!(text(&window), before, "not before it is taken");
    window.key_press(Key::Enter);
    window.run_steps(3);
    let line = |length: &str| {
        format!(
            "short = {{ kind = \"pipe\", attach = \"a\", to = \"tee.left\", parameters = {{ length = \"{length}\" }} }}"
        )
    };
    let after = text(&window);
    assert_eq!(
        after,
        before.replace(&line("4 mm"), &line("3.5 mm")),
        "the one value, and nothing else"
    );
    assert_eq!(field(&window), "3.5 mm");
    solved(&mut window);
    let flow_after = flow_into_short(&window);
    assert!(
        flow_after.abs() > 1.01 * flow_before.abs(),
        "a shorter pipe takes more: {flow_before:e}, then {flow_after:e}"
    );
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    assert_eq!(text(&window), before, "undone to the last byte");
    assert_eq!(field(&window), "4 mm");
}

#[test]
fn a_port_that_changes_reuses_all_factors_and_fields_follow() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    let solved_once = window.state().results().solved.clone().expect("solved");
    let design = window.state().document().design.clone().expect("a design");
    let port = &design.ports[0];
    let condition = match port.condition.value {
        PortCondition::Pressure(p) => PortCondition::Pressure(Pascal(2.0 * p.0 + 10.0)),
        PortCondition::FlowRate(q) => {
            PortCondition::FlowRate(stokeslet::units::FlowRate(2.0 * q.0))
        }
        PortCondition::FlowRatePerDepth(q) => {
            PortCondition::FlowRatePerDepth(stokeslet::units::FlowRatePerDepth(2.0 * q.0))
        }
        PortCondition::TractionFree => PortCondition::Pressure(Pascal(10.0)),
    };
    apply(
        &mut window,
        Command::SetCondition(port.name.value.clone(), condition),
    );
    solved(&mut window);
    let again = window.state().results().solved.clone().expect("solved");
    assert!(again.revision > solved_once.revision);
    assert_eq!(again.reuse.share(), Some(1.0), "{:?}", again.reuse);
    let speeds = [&solved_once, &again].map(|s| s.solution.max_speed.expect("fields").0);
    assert!((speeds[1] / speeds[0] - 1.0).abs() > 0.01, "{speeds:?}");
}

#[test]
fn probes_lines_and_exports_hold_what_the_field_holds() {
    let home = home();
    let mut window = open(Some(&example("straight")), home.path());
    solved(&mut window);
    let inside = {
        let solved = window.state().results().solved.clone().expect("solved");
        solved.solution.max_speed.expect("fields").1
    };
    apply(&mut window, Command::AddProbe(inside));
    apply(
        &mut window,
        Command::AddLine(inside, inside + Point::new(2e-4, 0.0)),
    );
    assert_eq!(window.state().shown().probes.len(), 1);
    assert!(window.state().settings().panels.contains(&Panel::Profiles));
    // An end of the line is dragged, with the select tool, and the profile is another one.
    let from = on_screen(&window, inside + Point::new(2e-4, 0.0));
    drag(&mut window, from, vec2(0.0, 30.0));
    let [start, end] = window.state().shown().lines[0];
    let by = window.state().canvas().view.length(30.0);
    assert_eq!(start, inside);
    let off = end - (inside + Point::new(2e-4, -by));
    assert!(off.norm() < 0.1 * by, "{off:?} of {by:e}");
    assert_eq!(
        window.state().document().history.now(),
        0,
        "nothing of the chip moved"
    );
    let out = home.path().join("results");
    apply(
        &mut window,
        Command::ExportTo(Format::ALL.to_vec(), out.clone()),
    );
    let picture = home.path().join("seen.svg");
    apply(
        &mut window,
        Command::PictureTo(PictureFormat::Svg, picture.clone()),
    );
    let begin = Instant::now();
    while !(out.join("summary.json").exists() && picture.exists()) {
        window.step();
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
    assert!(summary.contains("\"ports\""), "{summary}");
    assert!(out.join("fields.vtu").exists() && out.join("ports.csv").exists());
    let svg = std::fs::read_to_string(picture).expect("a picture");
    assert!(
        svg.starts_with("<svg") && svg.len() > 2_000,
        "{} bytes",
        svg.len()
    );
}

#[test]
fn every_broken_file_opens_with_its_problems_and_can_be_mended() {
    let home = home();
    let mut window = empty(home.path());
    for broken in broken::corpus() {
        apply(&mut window, Command::OpenPath(broken.path.clone()));
        window.run_steps(2);
        let app = window.state();
        let shown = app.document().path.as_ref();
        assert_eq!(shown, Some(&broken.path), "it is shown, broken or not");
        let n = app.document().diagnostics.len();
        assert!(n > 0, "{}: nothing is said", broken.path.display());
        // What isn't text can't be mended as text; it must not be lost either.
        if std::str::from_utf8(&broken.bytes).is_ok() {
            assert_eq!(
                text(&window).as_bytes(),
                broken.bytes,
                "{}",
                broken.path.display()
            );
            assert!(!app.document().is_modified());
        } else {
            let name = app.document().name().to_owned();
            assert!(
                app.document().is_modified(),
                "{name}: saving would change it"
            );
            // Left for another: the question is answered.
            window.run_steps(2);
            apply(&mut window, Command::New);
            window.get_by_label("Don't save").click();
            window.run_steps(3);
        }
    }
}

#[test]
fn files_that_cannot_be_read_or_written_leave_the_work_as_it_is() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    let drawn = text(&window);
    // A file in place of a folder: nobody can write there, not even root.
    let blocked = home.path().join("file");
    std::fs::write(&blocked, "x").expect("written");
    apply(&mut window, Command::SaveTo(blocked.join("chip.toml")));
    window.run_steps(2);
    assert!(window.state().document().is_modified(), "not saved");
    assert_eq!(text(&window), drawn);
    window.get_by_label_contains("chip.toml");
    let saved = home.path().join("chip.toml");
    apply(&mut window, Command::SaveTo(saved.clone()));
    assert!(!window.state().document().is_modified());
    // Vanished: saving writes it anew.
    std::fs::remove_file(&saved).expect("removed");
    apply(&mut window, Command::SetWidth(Metre(2e-4)));
    apply(&mut window, Command::Save);
    assert!(saved.exists() && !window.state().document().is_modified());
    // Opening what is not there changes nothing.
    let now = text(&window);
    apply(
        &mut window,
        Command::OpenPath(home.path().join("nothing.toml")),
    );
    assert_eq!(text(&window), now);
}

#[test]
fn leaving_unsaved_work_asks_first() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    let drawn = text(&window);
    apply(&mut window, Command::OpenExample("tee".into()));
    assert_eq!(text(&window), drawn, "not before the question is answered");
    window.get_by_label("Cancel").click();
    window.run_steps(3);
    assert_eq!(text(&window), drawn);
    apply(&mut window, Command::OpenExample("tee".into()));
    window.get_by_label("Don't save").click();
    window.run_steps(3);
    assert_eq!(window.state().document().name(), "tee");
    solved(&mut window);
}

#[test]
fn zooming_by_keys_zooms_the_chip_and_nothing_else() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    let before = window.state().canvas().view;
    window.key_press_modifiers(Modifiers::COMMAND, Key::Minus);
    window.run_steps(4);
    let after = window.state().canvas().view;
    assert!(after.scale > 1.1 * before.scale, "more metres a point");
    assert_eq!(window.ctx.zoom_factor(), 1.0);
    assert_eq!(after.rect, before.rect, "panels stay as they are");
}

/// A double click on a port's label and F2 on whatever is selected put the cursor into its name.
#[test]
fn a_port_is_renamed_by_a_double_click_and_by_f2() {
    let home = home();
    let mut window = open_by(1.0 / 60.0, Some(&example("serpentine-mixing")), home.path());
    let before = text(&window);
    let on_port = window.get_by_label("port sample").rect().center();
    double_click(&mut window, on_port);
    let name = |window: &mut Window, new: &str| {
        window.run_steps(3);
        let field = window.get_by_role_and_label(Role::TextInput, "name");
        assert!(field.is_focused(), "the name waits to be typed over");
        field.type_text(new);
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
    };
    name(&mut window, "dye_inlet");
    let named = before
        .replace("sample = { at", "dye_inlet = { at")
        .replace("inlets = { sample = 1 }", "inlets = { dye_inlet = 1 }");
    assert_eq!(text(&window), named, "species enter by the port's new name");
    assert_eq!(
        window.state().selection(),
        &Selection::of_port("dye_inlet"),
        "it stays selected"
    );
    window.key_press(Key::F2);
    name(&mut window, "in");
    assert!(text(&window).contains("inlets = { in = 1 }"));
    apply(&mut window, Command::Select(Selection::one("mixer")));
    window.key_press(Key::F2);
    name(&mut window, "wave");
    assert!(text(&window).contains("wave = { kind"));
    // A name that is taken is refused with a reason, and nothing changes.
    let now = text(&window);
    apply(
        &mut window,
        Command::RenamePort("in".to_owned(), "buffer".to_owned()),
    );
    assert_eq!(text(&window), now);
    assert!(
        window
            .query_by_label_contains("has a port “buffer” already")
            .is_some()
    );
    for _ in 0..3 {
        apply(&mut window, Command::Undo);
    }
    assert_eq!(text(&window), before);
}

/// The pen begins where nothing is, also on an empty chip, and ends on a pipe or where nothing is.
#[test]
fn the_pen_begins_and_ends_anywhere() {
    let home = home();
    let mut window = open(None, home.path());
    apply(&mut window, Command::New);
    apply(&mut window, Command::SetTool(Tool::Channel));
    let centre = window.state().canvas().view.rect.center();
    let pen = |window: &mut Window, points: &[Vec2]| {
        for &p in points {
            click(window, centre + p);
            // Apart in time, so that two clicks are not a double click.
            window.run_steps(3);
        }
        window.key_press(Key::Enter);
        window.run_steps(3);
    };
    pen(&mut window, &[vec2(-150.0, 0.0), vec2(150.0, 0.0)]);
    let design = window.state().document().design.clone().expect("a design");
    assert_eq!(design.components.len(), 1, "{}", text(&window));
    assert_eq!(design.components[0].kind.value, "pipe");
    // From nothing on to the pipe: a tee goes in.
    click(&mut window, centre + vec2(0.0, -120.0));
    window.run_steps(3);
    click(&mut window, centre);
    window.run_steps(3);
    let design = window.state().document().design.clone().expect("a design");
    let kinds: Vec<&str> = design
        .components
        .iter()
        .map(|c| c.kind.value.as_str())
        .collect();
    assert!(kinds.contains(&"tee"), "{kinds:?}");
    let errors = window.state().document().diagnostics.iter();
    let errors: Vec<_> = errors
        .filter(|d| d.severity == stokeslet::diagnostic::Severity::Error)
        .collect();
    // Nothing drives it yet, but all is joined.
    assert!(
        errors.iter().all(|d| d.message.contains("port")),
        "{errors:?}"
    );
    let free = |window: &Window| {
        let layout = window.state().document().layout.clone();
        let free = layout.sockets.iter();
        free.filter(|s| s.used == SocketUse::Free).count()
    };
    assert_eq!(free(&window), 3, "{}", text(&window));
    for _ in 0..2 {
        apply(&mut window, Command::Undo);
    }
    let design = window.state().document().design.clone().expect("a design");
    assert!(design.components.is_empty());
}

#[test]
fn what_hangs_on_another_is_detached_where_it_lies() {
    let home = home();
    let mut window = open(Some(&example("bridge")), home.path());
    let before = text(&window);
    apply(&mut window, Command::Detach);
    assert_eq!(text(&window), before, "nothing is selected");
    apply(&mut window, Command::Select(Selection::one("feed")));
    let place = |window: &Window| {
        let layout = &window.state().document().layout;
        let item = layout.item("feed").expect("it is there");
        layout.motions[item].expect("it lies somewhere").translation
    };
    let lay = place(&window);
    apply(&mut window, Command::Detach);
    let design = window.state().document().design.clone().expect("a design");
    let feed = design.components.iter().find(|c| c.name.value == "feed");
    let placement = &feed.expect("it is there").placement;
    assert!(
        matches!(placement, Placement::Absolute { .. }),
        "{placement:?}"
    );
    assert!((place(&window) - lay).norm() < 1e-12);
    apply(&mut window, Command::Undo);
    assert_eq!(text(&window), before);
}
