//! Chips that take longer to lay out than a frame: edits are made beside the window.

use super::*;

/// So many tees a side, a millimetre apart: enough that nobody lays them out in a frame.
const SIDE: usize = 100;

fn tees() -> String {
    let mut text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\n".to_owned();
    for k in 0..SIDE * SIDE {
        let (x, y) = (k % SIDE, k / SIDE);
        text += &format!("t{k} = {{ kind = \"tee\", at = [\"{x} mm\", \"{y} mm\"] }}\n");
    }
    text
}

fn large(home: &Path) -> Window {
    let path = home.join("tees.toml");
    std::fs::write(&path, tees()).expect("a file");
    let mut window = open(Some(&path), home);
    window.run_steps(4);
    window
}

fn is_editing(window: &Window) -> bool {
    window.state().context().is_editing
}

/// Frames until no edit is being made; how many there were.
fn made(window: &mut Window) -> usize {
    let begin = Instant::now();
    let mut frames = 0;
    while is_editing(window) {
        assert!(begin.elapsed() < Duration::from_secs(120), "never made");
        std::thread::sleep(Duration::from_millis(1));
        window.step();
        frames += 1;
    }
    window.run_steps(2);
    frames
}

fn line(window: &Window, name: &str) -> String {
    let text = text(window);
    let mut lines = text.lines();
    let line = lines.find(|line| line.starts_with(&format!("{name} =")));
    line.expect("a component").to_owned()
}

#[test]
fn a_part_of_a_large_chip_is_dropped_while_frames_go_on() {
    let home = home();
    let mut window = large(home.path());
    apply(&mut window, Command::Select(Selection::one("t0")));
    apply(&mut window, Command::FitSelection);
    let at = on_screen(&window, Point::new(0.0, 0.0));
    let before = text(&window);
    window.hover_at(at);
    window.run_steps(2);
    window.drag_at(at);
    window.run_steps(1);
    for k in 1..=4 {
        window.hover_at(at + vec2(10.0 * k as f32, 0.0));
        window.run_steps(2);
    }
    window.drop_at(at + vec2(40.0, 0.0));
    window.step();
    assert!(is_editing(&window), "made in the frame of the drop");
    assert_eq!(text(&window), before, "seen before it was made");
    assert!(made(&mut window) > 0);
    let after = text(&window);
    let changed: Vec<&str> = after
        .lines()
        .zip(before.lines())
        .filter(|(a, b)| a != b)
        .map(|(a, _)| a)
        .collect();
    assert!(
        matches!(changed[..], [line] if line.starts_with("t0 =")),
        "{changed:?}"
    );
    apply(&mut window, Command::Undo);
    made(&mut window);
    assert_eq!(text(&window), before);
}

#[test]
fn what_is_asked_while_an_edit_is_made_waits_in_its_order() {
    let home = home();
    let mut window = large(home.path());
    let by = Point::new(0.0, -5e-4);
    let asked = [
        Command::Select(Selection::one("t1")),
        Command::Move(by),
        Command::Select(Selection::one("t2")),
        Command::Move(by),
        Command::Move(by),
        Command::Undo,
    ];
    for command in asked {
        window.state_mut().apply(command);
    }
    assert!(is_editing(&window));
    assert!(line(&window, "t1").contains("\"0 mm\"]"));
    // What only looks doesn't wait.
    let scale = window.state().canvas().view.scale;
    apply(&mut window, Command::ZoomIn);
    assert!(window.state().canvas().view.scale != scale);
    made(&mut window);
    assert!(line(&window, "t1").contains("-500 "));
    assert!(line(&window, "t2").contains("\"0 mm\"]"), "undone");
    assert!(window.state().selection().items.contains("t2"));
    let history = &window.state().document().history;
    assert_eq!((history.now(), history.steps().len()), (1, 3));
}

/// Values of panels have the frame wait for what is being made, and are over it; leaving asks about all of it.
#[test]
fn values_asked_for_meanwhile_are_over_what_is_being_made() {
    let home = home();
    let mut window = large(home.path());
    let apply = |window: &mut Window, command| window.state_mut().apply(command);
    apply(&mut window, Command::Select(Selection::one("t1")));
    apply(&mut window, Command::Move(Point::new(0.0, -5e-4)));
    assert!(is_editing(&window));
    // As a panel has it that still shows the tee where it was.
    let turned = Placement::Absolute {
        at: Point::new(1e-3, 0.0),
        rotation: Radian(std::f64::consts::FRAC_PI_2),
        mirror: false,
    };
    apply(&mut window, Command::SetPlacement("t1".to_owned(), turned));
    assert!(line(&window, "t1").contains("-500 "), "made before it");
    made(&mut window);
    let now = line(&window, "t1");
    assert!(now.contains("-500 ") && now.contains("90 deg"), "{now}");
    apply(&mut window, Command::Move(Point::new(0.0, -5e-4)));
    apply(&mut window, Command::Quit);
    window.run_steps(3);
    assert!(!is_editing(&window));
    assert!(line(&window, "t1").contains("-1 mm"));
    window.get_by_label("Don't save");
}

/// Keys that are held down don't fill the queue, and what is selected meanwhile stays so.
#[test]
fn steps_in_a_row_are_one_and_a_later_selection_stays() {
    let home = home();
    let mut window = large(home.path());
    let apply = |window: &mut Window, command| window.state_mut().apply(command);
    apply(&mut window, Command::Select(Selection::one("t1")));
    for _ in 0..20 {
        apply(&mut window, Command::Move(Point::new(0.0, -1e-5)));
    }
    made(&mut window);
    assert!(line(&window, "t1").contains("-200 "));
    assert_eq!(window.state().document().history.now(), 2);
    apply(&mut window, Command::Duplicate);
    apply(&mut window, Command::Select(Selection::one("t7")));
    made(&mut window);
    assert_eq!(window.state().selection(), &Selection::one("t7"));
    let history = &window.state().document().history;
    assert_eq!(history.undo_label(), Some("Duplicate t1"));
    for _ in 0..3 {
        apply(&mut window, Command::Undo);
    }
    made(&mut window);
    assert_eq!(window.state().document().history.now(), 0);
    assert!(!window.state().document().is_modified());
}

/// What can't be made is said, as on a small chip, and what comes next is done.
#[test]
fn a_refused_edit_of_a_large_chip_is_said() {
    let home = home();
    let mut window = large(home.path());
    let itself = || ChannelEnd::Socket("t1.left".to_owned());
    window.state_mut().apply(Command::Channel {
        from: itself(),
        to: itself(),
        via: Vec::new(),
        bend: Bend::Mitred,
    });
    assert!(is_editing(&window));
    window
        .state_mut()
        .apply(Command::Select(Selection::one("t1")));
    window
        .state_mut()
        .apply(Command::Move(Point::new(0.0, -5e-4)));
    // What is said goes after some seconds, and each of these frames takes a quarter of one.
    let mut said = false;
    while is_editing(&window) {
        window.step();
        let what = "needs two different ends";
        said |= window.query_by_label_contains(what).is_some();
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(said);
    assert!(line(&window, "t1").contains("-500 "));
    let history = &window.state().document().history;
    assert_eq!(history.steps().len(), 2);
}

/// The field of the width of what is selected.
fn width(window: &Window) -> Pos2 {
    let all = window.get_all_by_role_and_label(Role::TextInput, "width");
    all.last().expect("a field").rect().center()
}

/// Drags from there by these ways, a frame each, and lets go.
fn drag(window: &mut Window, at: Pos2, ways: &[f32]) {
    let button = |at, pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.hover_at(at);
    window.run_steps(2);
    window.event(button(at, true));
    window.step();
    let mut there = at;
    for by in ways {
        there = at + vec2(*by, 0.0);
        window.hover_at(there);
        window.step();
    }
    window.event(button(there, false));
    window.step();
}

/// A number that is dragged goes on while it is made; what it was last is what is there at the end, in one step.
#[test]
fn a_number_of_a_large_chip_is_dragged_while_frames_go_on() {
    let home = home();
    let mut window = large(home.path());
    apply(&mut window, Command::Select(Selection::one("t1")));
    made(&mut window);
    let (at, before) = (width(&window), line(&window, "t1"));
    drag(&mut window, at, &[12.0, 24.0, 36.0, 60.0, 18.0, 6.0]);
    assert!(is_editing(&window));
    assert_eq!(line(&window, "t1"), before, "seen before it was made");
    made(&mut window);
    let after = line(&window, "t1");
    let two = "width = \"120 µm\"";
    assert!(after.contains(two), "two steps of 10 µm: {after}");
    let steps = |window: &Window| window.state().document().history.steps().len();
    assert_eq!(steps(&window), 2, "one step");
    // Back to where it began, before anything was made of it.
    drag(&mut window, at, &[12.0, 60.0, 0.0]);
    made(&mut window);
    let after = line(&window, "t1");
    assert!(after.contains(two), "{after}");
    apply(&mut window, Command::Undo);
    made(&mut window);
    apply(&mut window, Command::Undo);
    made(&mut window);
    assert_eq!(line(&window, "t1"), before);
}

/// Two drags are two steps, the second from what the first came to, however soon it begins; two values that are typed, too.
#[test]
fn what_is_changed_twice_in_a_row_is_two_steps() {
    let home = home();
    let mut window = large(home.path());
    apply(&mut window, Command::Select(Selection::one("t1")));
    made(&mut window);
    let at = width(&window);
    drag(&mut window, at, &[12.0, 6.0]);
    assert!(is_editing(&window));
    drag(&mut window, at, &[12.0, 6.0]);
    made(&mut window);
    let line = |window: &Window| line(window, "t1");
    assert!(line(&window).contains("140 µm"), "{}", line(&window));
    let undo = |window: &mut Window| {
        apply(window, Command::Undo);
        made(window);
    };
    undo(&mut window);
    assert!(line(&window).contains("120 µm"), "{}", line(&window));
    undo(&mut window);
    let typed = |um: f64| Command::SetParameter {
        component: "t1".to_owned(),
        parameter: "width".to_owned(),
        value: Some(Value::Quantity(um * 1e-6, Dimension::Length)),
    };
    window.state_mut().apply(typed(130.0));
    assert!(is_editing(&window));
    window.state_mut().apply(typed(150.0));
    made(&mut window);
    assert!(line(&window).contains("150 µm"), "{}", line(&window));
    undo(&mut window);
    assert!(line(&window).contains("130 µm"), "{}", line(&window));
}
