//! Habits of people who draw: each was missing or wrong once, as somebody found who tried the window for the first time.

use super::*;
use stokeslet::chip::Layout;
use stokeslet::edits::Joint;

/// A typed value of a field of the inspector, taken with Enter.
fn type_into(window: &mut Window, label: &str, new: &str) {
    window.get_by_role_and_label(Role::TextInput, label).click();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(2);
    window.event(Event::Text(new.to_owned()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
}

fn layout(window: &Window) -> std::sync::Arc<Layout> {
    window.state().document().layout.clone()
}

fn middle_of(window: &Window, item: &str) -> Point {
    let layout = layout(window);
    let item = layout.item(item).expect("it is there");
    let sockets: Vec<Point> = layout
        .sockets
        .iter()
        .filter(|s| s.item == item)
        .map(|s| s.geometry.middle)
        .collect();
    let sum = sockets.iter().fold(Point::default(), |sum, p| sum + *p);
    sum * (1.0 / sockets.len() as f64)
}

fn kinds(window: &Window, kind: &str) -> usize {
    let design = window.state().document().design.clone().expect("a design");
    let all = design.components.iter();
    all.filter(|c| c.kind.value == kind).count()
}

/// Problems that aren't about missing ports or ends that nothing meets yet.
fn wrong(window: &Window) -> Vec<String> {
    let all = window.state().document().diagnostics.iter();
    let all = all.filter(|d| !["D231", "D232", "D233", "D234"].contains(&d.code));
    all.map(|d| format!("{} {}", d.code, d.message)).collect()
}

fn drag_with(window: &mut Window, modifiers: Modifiers, from: Pos2, by: Vec2) {
    window.hover_at(from);
    window.run_steps(2);
    window.event(Event::ModifiersChanged(modifiers));
    window.run_steps(1);
    drag(window, from, by);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(2);
}

#[test]
fn a_number_without_a_unit_is_in_that_of_its_field_and_a_branch_gets_tapers() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    attach(&mut window, "pipe", "a", "tee1.right");
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    type_into(&mut window, "length", "3000");
    let at = |window: &Window, name: &str| {
        let layout = layout(window);
        let mut all = layout.sockets.iter();
        let socket = all.find(|s| layout.full_name(s) == name);
        socket.expect("it is there").geometry
    };
    let length = |window: &Window| {
        let (a, b) = (at(window, "pipe1.a"), at(window, "pipe1.b"));
        (b.middle - a.middle).norm()
    };
    assert!(
        (length(&window) - 3e-3).abs() < 1e-12,
        "micrometres, as the field said: {}",
        text(&window)
    );
    let end = at(&window, "pipe1.b").middle;
    type_into(&mut window, "width", "50");
    assert_eq!(wrong(&window), Vec::<String>::new(), "{}", text(&window));
    let width = at(&window, "pipe1.a").width;
    assert!((width / 5e-5 - 1.0).abs() < 1e-12, "{width}");
    assert_eq!(kinds(&window, "taper"), 1, "{}", text(&window));
    let off = (at(&window, "pipe1.b").middle - end).norm();
    assert!(off < 1e-12, "the branch ends where it did: {off:e}");
}

/// A taper goes in at once, and beside it stands what else could; the answer holds for it and from then on.
#[test]
fn whether_tapers_or_steps_join_widths_is_asked_once() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    for socket in ["right", "left", "up"] {
        attach(&mut window, "pipe", "a", &format!("tee1.{socket}"));
    }
    let narrow = |window: &mut Window, pipe: &str| {
        apply(window, Command::Select(Selection::one(pipe)));
        type_into(window, "width", "50");
        window.run_steps(3);
    };
    narrow(&mut window, "pipe1");
    assert_eq!((kinds(&window, "taper"), kinds(&window, "step")), (1, 0));
    window.get_by_label("A taper joins the widths that differ here.");
    narrow(&mut window, "pipe3");
    window.get_by_label("Tapers join the widths that differ here.");
    assert!(
        window
            .query_by_label("A taper joins the widths that differ here.")
            .is_none()
    );
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    window.get_by_label("Use steps").click();
    window.run_steps(4);
    assert!(window.query_by_label("Use steps").is_none());
    let selected = window.state().selection();
    assert_eq!(selected.single(), Some("pipe1"), "it stays what is edited");
    assert_eq!((kinds(&window, "taper"), kinds(&window, "step")), (0, 2));
    assert_eq!(wrong(&window), Vec::<String>::new(), "{}", text(&window));
    narrow(&mut window, "pipe2");
    assert!(window.query_by_label("Use steps").is_none(), "asked once");
    assert_eq!((kinds(&window, "taper"), kinds(&window, "step")), (0, 3));
    assert_eq!(window.state().settings().joint, Some(Joint::Step));
    // Both ways by hand as well, for what is selected.
    let all = window.state().document().design.clone().unwrap();
    let steps = all.components.iter().filter(|c| c.kind.value == "step");
    let items = steps.map(|c| c.name.value.clone()).collect();
    apply(
        &mut window,
        Command::Select(Selection { items, port: None }),
    );
    apply(&mut window, Command::SetJoint(Joint::Taper));
    assert_eq!((kinds(&window, "taper"), kinds(&window, "step")), (3, 0));
    assert_eq!(wrong(&window), Vec::<String>::new(), "{}", text(&window));
}

#[test]
fn channels_that_cross_are_joined_by_a_cross() {
    let home = home();
    let mut window = empty(home.path());
    let centre = window.state().canvas().view.rect.center();
    for (from, to) in [
        (vec2(-160.0, 0.0), vec2(160.0, 0.0)),
        (vec2(0.0, -140.0), vec2(0.0, 140.0)),
    ] {
        apply(&mut window, Command::SetTool(Tool::Channel));
        for p in [from, to] {
            click(&mut window, centre + p);
            window.run_steps(3);
        }
        window.key_press(Key::Enter);
        window.run_steps(3);
    }
    assert_eq!(kinds(&window, "cross"), 1, "{}", text(&window));
    assert_eq!(wrong(&window), Vec::<String>::new(), "{}", text(&window));
    let free = layout(&window);
    let free = free.sockets.iter().filter(|s| s.used == SocketUse::Free);
    assert_eq!(free.count(), 4, "four ends");
}

#[test]
fn what_is_dragged_on_to_a_socket_hangs_on_it_again() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "pipe", 0.0, 0.0);
    attach(&mut window, "pipe", "a", "pipe1.b");
    apply(&mut window, Command::Fit);
    window.run_steps(4);
    let from = on_screen(&window, middle_of(&window, "pipe2"));
    drag(&mut window, from, vec2(0.0, 90.0));
    let there = on_screen(&window, middle_of(&window, "pipe2"));
    assert!((there - from).length() > 50.0, "it was pulled off");
    drag(&mut window, there, from - there + vec2(3.0, -2.0));
    let joined = middle_of(&window, "pipe2");
    // The neighbour takes it along.
    let neighbour = on_screen(&window, middle_of(&window, "pipe1"));
    drag(&mut window, neighbour, vec2(0.0, -60.0));
    let moved = middle_of(&window, "pipe2") - joined;
    assert!(moved.y > 0.0, "left behind: {moved:?}\n{}", text(&window));
}

#[test]
fn lengths_are_typed_while_a_channel_is_drawn() {
    let home = home();
    let mut window = empty(home.path());
    apply(&mut window, Command::SetTool(Tool::Channel));
    let centre = window.state().canvas().view.rect.center();
    click(&mut window, centre - vec2(200.0, 0.0));
    window.run_steps(3);
    let colours = window.state().shown().colour;
    let leg = |window: &mut Window, toward: Vec2, typed: &str| {
        window.hover_at(centre + toward);
        window.run_steps(2);
        for letter in typed.chars() {
            let key = match letter {
                // Elsewhere a held space bar pans.
                ' ' => Some(Key::Space),
                _ => Key::from_name(&letter.to_string()),
            };
            if let Some(key) = key {
                window.key_down(key);
            }
            window.event(Event::Text(letter.to_string()));
            window.step();
            if let Some(key) = key {
                window.key_up(key);
            }
        }
        window.key_press(Key::Enter);
        window.run_steps(2);
    };
    leg(&mut window, vec2(0.0, 5.0), "1234");
    // Straight up from there: legs turn by eighths.
    leg(&mut window, vec2(47.0, -150.0), "0.7 mm");
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert_eq!(
        window.state().shown().colour,
        colours,
        "digits are no shortcuts here"
    );
    let design = window.state().document().design.clone().expect("a design");
    let layout = layout(&window);
    let ends: Vec<Point> = layout
        .sockets
        .iter()
        .filter(|s| s.used == SocketUse::Free)
        .map(|s| s.geometry.middle)
        .collect();
    assert_eq!(ends.len(), 2, "{}", text(&window));
    let d = ends[1] - ends[0];
    let spans = [d.x.abs(), d.y.abs()];
    assert!(
        (spans[0] - 1.234e-3).abs() < 1e-9 && (spans[1] - 0.7e-3).abs() < 1e-9,
        "{spans:?}\n{}",
        text(&window)
    );
    assert_eq!(design.channels.len(), 1, "a pipe and the rest");
}

#[test]
fn shift_moves_along_one_axis_and_alt_copies() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    // Room for three of them.
    apply(&mut window, Command::Fit);
    for _ in 0..6 {
        apply(&mut window, Command::ZoomOut);
    }
    window.run_steps(4);
    let at = |window: &Window| layout(window).motions[0].expect("placed").translation;
    let before = at(&window);
    let from = on_screen(&window, before);
    drag_with(&mut window, Modifiers::SHIFT, from, vec2(70.0, 22.0));
    let by = at(&window) - before;
    assert!(by.x > 0.0 && by.y == 0.0, "{by:?}");
    let (original, from) = (at(&window), on_screen(&window, at(&window)));
    drag_with(&mut window, Modifiers::ALT, from, vec2(0.0, 120.0));
    assert_eq!(at(&window), original, "the original stays");
    assert_eq!(kinds(&window, "tee"), 2, "{}", text(&window));
    let copy = layout(&window).motions[1].expect("placed").translation;
    assert!(
        copy.y < original.y && (copy.x - original.x).abs() < 1e-5,
        "{copy:?}"
    );
    // A copy by keys doesn't lie on its original.
    apply(&mut window, Command::Duplicate);
    assert_eq!(kinds(&window, "tee"), 3);
    assert_eq!(
        wrong(&window),
        Vec::<String>::new(),
        "nothing lies on anything"
    );
}

#[test]
fn nothing_jumps_under_the_pointer() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    let canvas = |window: &Window| window.state().canvas().view.rect;
    let fit = |window: &Window| window.get_by_label("Fit all").rect();
    let (rect, button) = (canvas(&window), fit(&window));
    apply(&mut window, Command::SetTool(Tool::Place("tee".to_owned())));
    assert_eq!(fit(&window), button, "the toolbar stays");
    apply(&mut window, Command::SetTool(Tool::Select));
    // Many problems, none, and other tabs: the panel below is as high as it was made.
    let good = text(&window);
    for broken in [
        format!("{}{good}", "x = 1\n".repeat(30)),
        good.clone(),
        "format".to_owned(),
        good,
    ] {
        apply(&mut window, Command::SetText(broken));
        window.run_steps(3);
        assert_eq!(canvas(&window), rect);
    }
    for panel in [
        Panel::Profiles,
        Panel::Method,
        Panel::History,
        Panel::Source,
    ] {
        apply(&mut window, Command::TogglePanel(panel));
        window.run_steps(3);
        assert_eq!(canvas(&window), rect, "{panel:?}");
    }
    apply(&mut window, Command::Select(Selection::one("short")));
    window.run_steps(3);
    assert_eq!(canvas(&window), rect);
}

/// The bar that told of a solve had pushed what is beside it away, under the pointer.
#[test]
fn the_toolbar_stands_still_while_a_chip_is_solved() {
    let home = home();
    let mut window = open(Some(&example("y-mixer")), home.path());
    solved(&mut window);
    let place = |window: &Window| {
        let mut lists = window.get_all_by_role(Role::ComboBox);
        let colours = lists.find(|list| list.value().as_deref() == Some("speed"));
        colours.expect("the list of colours").rect()
    };
    let idle = place(&window);
    apply(&mut window, Command::SolveAt(32));
    assert!(
        window.state().context().worker.running.is_some(),
        "it solves"
    );
    assert_eq!(place(&window), idle);
    apply(&mut window, Command::Cancel);
}

#[test]
fn escape_closes_a_list_and_keeps_the_selection() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    apply(&mut window, Command::Select(Selection::one("short")));
    window
        .get_all_by_role(Role::ComboBox)
        .find(|list| list.value().as_deref() == Some("speed"))
        .expect("the list of colours")
        .click();
    window.run_steps(3);
    assert!(
        window.query_by_label("wall shear stress").is_some(),
        "the list is open"
    );
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(
        window.query_by_label("wall shear stress").is_none(),
        "and closed"
    );
    assert_eq!(window.state().selection().single(), Some("short"));
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(window.state().selection().is_empty());
}

#[test]
fn a_drop_from_the_library_gives_the_keyboard_to_the_canvas() {
    let home = home();
    let mut window = empty(home.path());
    window.get_by_label("Search components").focus();
    window.run_steps(2);
    window.get_by_label("Search components").type_text("cross");
    window.run_steps(3);
    let from = window.get_by_label("cross").rect().center();
    let to = window.state().canvas().view.rect.center();
    drag(&mut window, from, to - from);
    assert_eq!(kinds(&window, "cross"), 1, "{}", text(&window));
    window.key_press(Key::R);
    window.run_steps(3);
    assert!(!window.get_by_label("Search components").is_focused());
    window.event(Event::Text("r".to_owned()));
    window.run_steps(2);
    let typed = window.get_by_label("Search components").value();
    assert_eq!(
        typed.as_deref(),
        Some("cross"),
        "nothing more is typed there"
    );
}

#[test]
fn undoing_everything_takes_the_colours_along() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "pipe", 0.0, 0.0);
    for socket in ["pipe1.a", "pipe1.b"] {
        apply(&mut window, Command::AddPort(socket.to_owned()));
    }
    solved(&mut window);
    assert!(window.state().results().solved.is_some());
    // Given as nothing, shown as nothing.
    assert!(
        window.query_all_by_label("0 Pa").next().is_some(),
        "the outlet's pressure"
    );
    apply(&mut window, Command::GoTo(0));
    window.run_steps(4);
    assert!(window.state().results().solved.is_none());
}

#[test]
fn rulers_stay_and_seeds_where_nothing_flows_are_refused() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    // Its card would lie over the corner.
    apply(&mut window, Command::Hint(None));
    apply(&mut window, Command::SetTool(Tool::Ruler));
    let corner = window.state().canvas().view.rect.left_bottom() + vec2(80.0, -80.0);
    drag(&mut window, corner, vec2(100.0, 0.0));
    drag(&mut window, corner - vec2(0.0, 30.0), vec2(100.0, 0.0));
    apply(&mut window, Command::SetTool(Tool::Streamline));
    assert_eq!(
        window.state().shown().rulers.len(),
        2,
        "they stay with another tool"
    );
    click(&mut window, corner);
    assert!(
        window.state().shown().seeds.is_empty(),
        "nothing flows there"
    );
    let at = on_screen(&window, Point::new(-2e-3, 0.0));
    click(&mut window, at);
    assert_eq!(window.state().shown().seeds.len(), 1);
    apply(&mut window, Command::ClearProbes);
    assert!(window.state().shown().rulers.is_empty());
}

/// Everything selected, nothing under way: no frame is asked for.
#[test]
fn a_window_with_everything_selected_is_idle() {
    let home = home();
    let mut window = open(Some(&example("grid20")), home.path());
    apply(&mut window, Command::SetLive(false));
    apply(&mut window, Command::Cancel);
    apply(&mut window, Command::SelectAll);
    let begin = Instant::now();
    while !window.state().is_settled() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        window.step();
    }
    // Until what was told has faded and the settings are stored.
    let ctx = window.ctx.clone();
    let mut quiet = 0;
    while quiet < 8 && begin.elapsed() < Duration::from_secs(60) {
        window.step();
        quiet = match ctx.has_requested_repaint() {
            true => 0,
            false => quiet + 1,
        };
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(quiet, 8, "frames are asked for: {:?}", ctx.repaint_causes());
}

#[test]
fn a_picture_for_print_is_dark_on_light_and_has_no_background() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    apply(&mut window, Command::SetTheme(Theme::Dark));
    let picture = home.path().join("print.svg");
    apply(
        &mut window,
        Command::PictureTo(PictureFormat::Print, picture.clone()),
    );
    let begin = Instant::now();
    while !picture.exists() {
        assert!(begin.elapsed() < Duration::from_secs(20), "no picture");
        window.step();
        std::thread::sleep(Duration::from_millis(5));
    }
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    let ground = svg.lines().nth(1).expect("the ground");
    assert!(
        ground.contains("fill=\"none\"") || ground.contains("opacity=\"0\""),
        "{ground}"
    );
    // The legend and the scale bar are there.
    assert!(svg.contains("speed") && svg.contains("mm"), "{}", svg.len());
    window.run_steps(3);
    assert!(
        window.ctx.global_style().visuals.dark_mode,
        "the window is dark again"
    );
}

#[test]
fn an_array_of_chambers_takes_six_actions() {
    let home = home();
    let mut window = empty(home.path());
    // Two actions: the library, the canvas.
    place(&mut window, "chamber", 0.0, 0.0);
    // Opened, twice typed, made.
    window.get_by_label("Array").click();
    window.run_steps(3);
    type_into(&mut window, "columns", "5");
    type_into(&mut window, "rows", "5");
    window.get_by_label("Make array of 25").click();
    window.run_steps(3);
    assert_eq!(kinds(&window, "chamber"), 25);
    let wrong = wrong(&window);
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(window.state().selection().items.len(), 25);
    let text = window.state().document().text.clone();
    assert_eq!(
        text.matches("chamber").count(),
        2,
        "one entry of the file: {text}"
    );
    apply(&mut window, Command::Undo);
    assert_eq!(kinds(&window, "chamber"), 1, "one step");
    // Sixteen times too many is refused with a sentence.
    let count = (1000, 1000);
    let step = Point::new(1e-3, 1e-3);
    apply(&mut window, Command::Select(Selection::one("chamber1")));
    apply(&mut window, Command::Array { count, step });
    window.get_by_label_contains("is too large");
}

/// Twice the flow needs twice the pressure: what was before is beside what is now, and its walls stay on the canvas.
#[test]
fn what_is_solved_is_held_against_what_was_kept() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    apply(&mut window, Command::KeepBefore);
    window.run_steps(2);
    window.get_by_label("Before and now");
    assert!(
        window.query_all_by_label("same").count() >= 4,
        "nothing was changed yet"
    );
    let design = window.state().document().design.clone().unwrap();
    for port in &design.ports {
        if let PortCondition::FlowRate(q) = port.condition.value {
            let twice = PortCondition::FlowRate(stokeslet::units::FlowRate(2.0 * q.0));
            apply(
                &mut window,
                Command::SetCondition(port.name.value.clone(), twice),
            );
        }
    }
    solved(&mut window);
    window.run_steps(2);
    assert!(
        window.query_all_by_label("+100 %").count() >= 3,
        "flows, pressures and speed are twice what they were"
    );
    // Another file is compared with what was kept of this one.
    apply(&mut window, Command::OpenPath(example("y-mixer")));
    window.run_steps(4);
    solved(&mut window);
    window.run_steps(2);
    window.get_by_label("Before and now");
    window.get_by_label("Forget");
    apply(&mut window, Command::ForgetBefore);
    window.run_steps(2);
    assert!(window.query_by_label("Before and now").is_none());
}

#[test]
fn valves_and_notes_are_drawn_over_the_chip_and_never_solved() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "pipe", 0.0, 0.0);
    apply(&mut window, Command::Fit);
    window.run_steps(4);
    let layers = |window: &Window| {
        let design = window.state().document().design.clone().expect("a design");
        let all = design.overlays.iter();
        all.map(|o| (o.layer, o.name.value.clone()))
            .collect::<Vec<_>>()
    };
    let parts = layout(&window).parts.len();
    let middle = on_screen(&window, middle_of(&window, "pipe1"));
    // A valve is a drag, by the key of its tool.
    window.key_press_modifiers(Modifiers::SHIFT, Key::C);
    window.run_steps(2);
    drag(&mut window, middle - vec2(30.0, 30.0), vec2(60.0, 60.0));
    // A note is a click, and what is typed then is what it says.
    window.key_press(Key::N);
    window.run_steps(2);
    click(&mut window, middle + vec2(0.0, 120.0));
    window.run_steps(4);
    window.event(Event::Text("shut by hand".to_owned()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
    let control = (OverlayLayer::Control, "valve1".to_owned());
    let note = (OverlayLayer::Notes, "note1".to_owned());
    assert_eq!(
        layers(&window),
        [control.clone(), note],
        "{}",
        text(&window)
    );
    assert!(
        text(&window).contains("\"shut by hand\""),
        "{}",
        text(&window)
    );
    assert_eq!(layout(&window).parts.len(), parts, "no part of the flow");
    // Screen readers find it, and the field of its layer.
    window.get_by_label("valve1 (control shape)");
    window.get_by_role_and_label(Role::ComboBox, "layer");
    // All is dragged together, and comes back by undo.
    let before = text(&window);
    apply(&mut window, Command::SelectAll);
    drag(&mut window, middle, vec2(90.0, 0.0));
    let moved = text(&window);
    assert_ne!(moved, before);
    let design = window.state().document().design.clone().expect("a design");
    let at = middle_of(&window, "pipe1");
    let (low, high) = design.overlays[0].shape.bounds(0.0);
    assert!(
        ((low + high) * 0.5 - at).norm() < 5e-5,
        "the valve stays over its pipe\n{moved}"
    );
    apply(&mut window, Command::Undo);
    assert_eq!(text(&window), before);
    apply(&mut window, Command::Select(Selection::one("note1")));
    window.key_press(Key::Delete);
    window.run_steps(3);
    assert_eq!(layers(&window), [control]);
}

#[test]
fn a_button_shows_what_it_would_do_while_the_pointer_rests_on_it() {
    let home = home();
    let mut window = empty(home.path());
    for (x, y) in [(0.0, 0.0), (2e-3, 0.5e-3), (5e-3, -0.4e-3)] {
        place(&mut window, "chamber", x, y);
    }
    apply(&mut window, Command::SelectAll);
    apply(&mut window, Command::Fit);
    window.run_steps(6);
    let before = text(&window);
    let heights = |window: &Window| -> Vec<f64> {
        let layout = window.state().document().shown_layout().clone();
        let all = layout.motions.iter().flatten();
        all.map(|m| (m.translation.y * 1e9).round()).collect()
    };
    let apart = heights(&window);
    let button = window.get_by_role_and_label(Role::Button, "Top").rect();
    window.hover_at(button.center());
    window.run_steps(3);
    let shown = heights(&window);
    assert!(shown.iter().all(|y| *y == shown[0]), "{shown:?}");
    assert_eq!(text(&window), before, "nothing is done yet");
    window.hover_at(window.state().canvas().view.rect.center());
    window.run_steps(3);
    assert_eq!(heights(&window), apart, "shown no longer");
    click(&mut window, button.center());
    assert_ne!(text(&window), before);
    assert_eq!(heights(&window), shown);
    // After a click what is done is seen, not what another click would do; nothing is solved for a trial.
    let revision = window.state().document().revision;
    let mirror = window
        .get_by_role_and_label(Role::Button, "Left and right")
        .rect();
    window.hover_at(mirror.center());
    window.run_steps(4);
    assert!(window.state().document().has_preview());
    assert!(window.state().is_solver_idle());
    window.hover_at(window.state().canvas().view.rect.center());
    window.run_steps(3);
    assert_eq!(
        window.state().document().revision,
        revision,
        "what was solved holds"
    );
    click(&mut window, mirror.center());
    window.run_steps(4);
    assert!(!window.state().document().has_preview());
}

#[test]
fn a_number_is_not_dragged_to_what_its_component_can_not_have() {
    let home = home();
    let mut window = open(Some(&example("y-mixer")), home.path());
    apply(&mut window, Command::Select(Selection::one("mixer")));
    window.run_steps(4);
    let field = window.get_by_role_and_label(Role::TextInput, "width");
    let at = field.rect().center();
    drag(&mut window, at, vec2(-60.0, 0.0));
    assert_eq!(wrong(&window), Vec::<String>::new(), "{}", text(&window));
    let after = text(&window);
    let mixer = after.lines().find(|line| line.starts_with("mixer = "));
    let mixer = mixer.expect("it is there");
    assert!(
        mixer.contains("width = "),
        "it went down as far as it can: {mixer}"
    );
}

/// A straight channel that ends at a port goes with what it begins at: no dog-leg before the port.
#[test]
fn a_part_that_moves_takes_a_straight_channel_and_its_port_along() {
    let home = home();
    let mut window = empty(home.path());
    let text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n[channels]\nc = { from = \"t.right\", via = [[\"2 mm\", \"0 mm\"]] }\n[ports]\nout = { at = \"c.end\", pressure = \"0 Pa\" }\n";
    apply(&mut window, Command::SetText(text.to_owned()));
    apply(&mut window, Command::Fit);
    window.run_steps(3);
    let from = on_screen(
        &window,
        layout(&window).motions[0].expect("placed").translation,
    );
    drag_with(&mut window, Modifiers::NONE, from, vec2(0.0, 60.0));
    let tee = layout(&window).motions[0].expect("placed").translation;
    assert!(tee.y < -1e-4, "{tee:?}");
    let design = window.state().document().design.clone().expect("a design");
    let via: Vec<Point> = design.channels[0].via.iter().map(|v| v.value).collect();
    let [end] = via[..] else {
        panic!("{via:?}");
    };
    assert!(
        (end.x - 2e-3).abs() < 1e-12 && (end.y - tee.y).abs() < 1e-12,
        "{end:?}"
    );
    assert_eq!(design.ports[0].at.value, "c.end");
}
