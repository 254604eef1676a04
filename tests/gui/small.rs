//! Small things that stopped people who tried the window for the first time.

use super::*;

#[test]
fn messages_wait_while_a_dialog_is_open() {
    let home = home();
    let mut window = empty(home.path());
    // Refused, which is said.
    apply(&mut window, Command::Undo);
    window.run_steps(2);
    let said = |window: &Window| window.query_by_label_contains("Undo: ").is_some();
    assert!(said(&window));
    apply(&mut window, Command::Shortcuts);
    window.run_steps(2);
    assert!(!said(&window), "over the dialog");
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(said(&window), "it waited");
}

#[test]
fn unsaved_work_is_asked_about_once() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    for _ in 0..3 {
        apply(&mut window, Command::New);
    }
    window.get_by_label("Don't save").click();
    window.run_steps(4);
    assert!(window.query_by_label("Don't save").is_none(), "asked again");
    assert!(!text(&window).contains("tee"), "{}", text(&window));
}

#[test]
fn edges_of_panels_are_caught_on_both_sides() {
    let home = home();
    let mut window = empty(home.path());
    let canvas = |window: &Window| window.state().canvas().view.rect;
    for off in [-3.0, 3.0] {
        let before = canvas(&window);
        let edge = before.left_center() + vec2(off, 40.0);
        drag(&mut window, edge, vec2(-20.0, 0.0));
        let after = canvas(&window);
        assert!(
            after.left() < before.left() - 5.0,
            "{off}: {before} {after}"
        );
        assert!(window.state().selection().is_empty());
    }
}

/// Long values had been cut off in fields that stayed narrow, beside empty room.
#[test]
fn fields_grow_with_what_is_in_them() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    apply(&mut window, Command::Select(Selection::one("short")));
    window.run_steps(3);
    let edge = window.state().canvas().view.rect.right_center();
    drag(&mut window, edge, vec2(-120.0, 0.0));
    let field = |window: &Window, value: &str| {
        let mut all = window.query_all_by_role(Role::TextInput);
        let field = all.find(|n| n.value().as_deref() == Some(value));
        field.map(|n| n.rect()).expect("a field with it")
    };
    let before = field(&window, "4 mm");
    click(&mut window, before.center());
    let long = "4.000000000 mm + 0.000000001 mm";
    window.event(Event::Text(long.to_owned()));
    window.run_steps(3);
    let after = field(&window, long).width();
    // Some five points a letter.
    assert!(
        after > before.width() && after > 5.0 * long.len() as f32,
        "{before} {after}"
    );
}

/// A plot's legend had lain over what is written above it.
#[test]
fn a_plots_legend_lies_over_no_words() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    let at = window.state().document().layout.parts[0].motion.translation;
    for dy in [0.0, 5e-5] {
        let from = at + Point::new(0.0, dy);
        apply(
            &mut window,
            Command::AddLine(from, from + Point::new(2e-4, 0.0)),
        );
    }
    settle(&mut window);
    let entry = |name: &'static str| {
        let entry = window.query_by_role_and_label(Role::CheckBox, name);
        entry.map(|n| n.rect())
    };
    let entries: Vec<_> = ["line 1", "line 2"].into_iter().filter_map(entry).collect();
    assert_eq!(entries.len(), 2, "the legend's entries");
    for label in window.query_all_by_role(Role::Label) {
        for entry in &entries {
            assert!(
                !entry.intersects(label.rect()),
                "{:?} at {:?} under the legend",
                label.value(),
                label.rect()
            );
        }
    }
}

#[test]
fn a_channel_between_tees_moves_or_says_why_not() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    place(&mut window, "tee", 2e-3, 0.0);
    let between = |to: &str| ChannelEnd::Socket(to.to_owned());
    apply(
        &mut window,
        Command::Channel {
            from: between("tee1.up"),
            to: between("tee2.up"),
            via: vec![Point::new(0.0, 0.8e-3), Point::new(2e-3, 0.8e-3)],
            bend: Bend::Mitred,
        },
    );
    apply(&mut window, Command::Fit);
    window.run_steps(6);
    let design = |window: &Window| window.state().document().design.clone().expect("a design");
    assert_eq!(design(&window).channels.len(), 1, "{}", text(&window));
    let height = |window: &Window| design(window).channels[0].via[0].value.y;
    let before = height(&window);
    // Its upper run goes up, its ends stay.
    let run = on_screen(&window, Point::new(1e-3, before));
    drag(&mut window, run, vec2(0.0, -60.0));
    let after = height(&window);
    assert!(after > before + 1e-5, "{}", text(&window));
    // One without a bend has nowhere to go: that is said.
    apply(
        &mut window,
        Command::Channel {
            from: between("tee1.right"),
            to: between("tee2.left"),
            via: Vec::new(),
            bend: Bend::Mitred,
        },
    );
    apply(&mut window, Command::Select(Selection::default()));
    window.run_steps(4);
    let before = text(&window);
    let straight = on_screen(&window, Point::new(1e-3, 0.0));
    drag(&mut window, straight, vec2(0.0, -40.0));
    assert_eq!(text(&window), before);
    assert!(
        window
            .query_by_role_and_label(Role::Button, "Dismiss message")
            .is_some(),
        "in silence"
    );
}

/// Whatever is shown, while nobody does anything no frame is asked for.
#[test]
fn a_window_that_waits_is_idle_in_every_state() {
    let states: &[(&str, &[Command])] = &[
        ("gallery", &[Command::Gallery]),
        ("first steps", &[Command::Hint(Some(4))]),
        ("tree", &[Command::TogglePanel(Panel::Tree)]),
        ("source", &[Command::TogglePanel(Panel::Source)]),
        ("species", &[Command::TogglePanel(Panel::Species)]),
        ("study", &[Command::TogglePanel(Panel::Study)]),
        ("streamlines", &[Command::ToggleLayer(Layer::Streamlines)]),
        ("mesh", &[Command::ToggleLayer(Layer::Mesh)]),
        ("channel tool", &[Command::SetTool(Tool::Channel)]),
        ("shortcuts", &[Command::Shortcuts]),
        (
            "dimensions",
            &[Command::SelectAll, Command::ToggleDimensions],
        ),
        ("hidden", &[Command::SelectAll, Command::HideSelected]),
    ];
    for (name, commands) in states {
        let home = home();
        let mut window = open(Some(&example("y-mixer")), home.path());
        for command in *commands {
            apply(&mut window, command.clone());
        }
        let begin = Instant::now();
        let mut quiet = 0;
        let ctx = window.ctx.clone();
        while quiet < 8 && begin.elapsed() < Duration::from_secs(30) {
            window.step();
            let waits = window.state().is_settled() && !ctx.has_requested_repaint();
            quiet = if waits { quiet + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(quiet, 8, "{name}: {:?}", ctx.repaint_causes());
    }
}

#[test]
fn an_empty_chip_is_no_mistake_and_nobody_is_told_to_write_toml() {
    let home = home();
    let mut window = empty(home.path());
    window.get_by_label("Problems: nothing drawn yet");
    place(&mut window, "pipe", 0.0, 0.0);
    window.run_steps(3);
    window.get_by_label("Problems: 1 error, 2 warnings");
    window.get_by_label_contains("take the port tool (O)");
    for code in ["[ports]", "to say so", "line 1", "`"] {
        let told = window.query_all_by_label_contains(code).count();
        assert_eq!(told, 0, "{code}");
    }
}

/// On a small window, too.
fn open_small(name: &str, home: &Path) -> Window {
    let start = Start {
        design: Some(example(name)),
        components: None,
        home: Some(home.to_owned()),
    };
    let mut window = Harness::builder()
        .with_size(vec2(1024.0, 700.0))
        .with_max_steps(60)
        .build_eframe(move |creation| App::new(&start, &creation.egui_ctx));
    window.run_steps(6);
    window
}

#[test]
fn the_card_of_first_steps_covers_no_port() {
    for name in ["tee", "y-mixer", "h-filter", "straight"] {
        let home = home();
        let mut window = open_small(name, home.path());
        apply(&mut window, Command::Hint(Some(4)));
        window.run_steps(4);
        let card = window.get_by_label("Read the flow").rect();
        let done = window.get_by_label("Done").rect();
        let card = card.union(done);
        let design = window.state().document().design.clone();
        for port in &design.expect("a design").ports {
            let label = format!("port {}", port.name.value);
            let port = window.get_by_role_and_label(Role::Button, &label).rect();
            assert!(!card.intersects(port), "{name}: {card} {label} {port}");
        }
    }
}

#[test]
fn the_list_of_keys_has_no_text_over_text() {
    let home = home();
    let mut window = open_small("tee", home.path());
    apply(&mut window, Command::Hint(None));
    // What lies behind the list is none of its text.
    for panel in [
        Panel::Palette,
        Panel::Inspector,
        Panel::Results,
        Panel::Problems,
    ] {
        apply(&mut window, Command::TogglePanel(panel));
    }
    apply(&mut window, Command::Shortcuts);
    window.run_steps(4);
    let known = window.get_by_label("Ungroup").rect();
    let all = window.query_all_by_role(Role::Label);
    // Those of the dialog are in its two columns, about the line of a known one.
    let lines: Vec<_> = all
        .map(|n| (n.rect(), n.value().unwrap_or_default()))
        .filter(|(rect, _)| (rect.center().y - known.center().y).abs() < 120.0)
        .filter(|(rect, _)| rect.left() > known.left() - 160.0)
        .collect();
    assert!(lines.len() > 10, "{lines:?}");
    for (k, (a, what)) in lines.iter().enumerate() {
        for (b, other) in &lines[..k] {
            let shared = a.intersect(*b);
            let is_over = shared.width() > 1.0 && shared.height() > 1.0;
            assert!(!is_over, "{what} over {other}: {a} {b}");
        }
    }
}

/// Whatever Tab comes to has a ring around it.
#[test]
fn what_has_the_keyboard_has_a_ring() {
    use eframe::egui::epaint::{ClippedShape, Shape};
    let home = home();
    let mut window = open(Some(&example("y-mixer")), home.path());
    settle(&mut window);
    let ring = |window: &Window| {
        let shapes = window.output().shapes.iter();
        let rects = shapes.filter_map(|ClippedShape { shape, .. }| match shape {
            Shape::Rect(rect) if rect.stroke.width == 2.0 => Some(rect.rect),
            _ => None,
        });
        rects.collect::<Vec<_>>()
    };
    assert!(ring(&window).is_empty(), "nothing was done by keys");
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..40 {
        window.key_press(Key::Tab);
        window.run_steps(2);
        let id = window.ctx.memory(|memory| memory.focused());
        let response = id.and_then(|id| window.ctx.read_response(id));
        let Some(response) = response else {
            continue;
        };
        seen.insert(format!("{}", response.rect));
        let about = response.interact_rect.expand(1.0);
        let found = ring(&window);
        assert!(found.contains(&about), "{about}: {found:?}");
    }
    assert!(seen.len() > 20, "{} stops", seen.len());
    click(&mut window, Pos2::new(600.0, 500.0));
    assert!(ring(&window).is_empty(), "the mouse needs none");
}

fn settle(window: &mut Window) {
    solved(window);
    window.run_steps(3);
}

#[test]
fn names_of_kinds_and_parameters_are_words() {
    let home = home();
    let mut window = open(Some(&example("serpentine-mixing")), home.path());
    apply(&mut window, Command::Select(Selection::one("mixer")));
    window.run_steps(3);
    window.get_by_label("serpentine round");
    let labels = window.query_all_by_role(Role::Label);
    let with: Vec<String> = labels
        .filter_map(|n| n.value())
        .filter(|text| text.contains('_'))
        .collect();
    assert!(with.is_empty(), "{with:?}");
}

/// All that the fields of the window hold.
fn fields(window: &Window) -> Vec<String> {
    let all = window.query_all_by_role(Role::TextInput);
    all.filter_map(|n| n.value()).collect()
}

#[test]
fn values_have_units_and_no_more_figures_than_anybody_means() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "pipe", 0.0, 0.0);
    apply(&mut window, Command::Fit);
    window.run_steps(4);
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    for _ in 0..3 {
        apply(&mut window, Command::Rotate(1));
    }
    let at = on_screen(&window, Point::new(0.0, -0.2e-3));
    drag(&mut window, at, vec2(-37.0, 23.0));
    let all = fields(&window);
    assert!(all.len() > 6, "{all:?}");
    for value in all {
        let figures = value.chars().filter(char::is_ascii_digit).count();
        assert!(figures <= 7, "{value}");
        assert!(!value.ends_with(" m"), "{value}");
    }
    // What is given is shown as given, not as it was solved.
    let mut window = open(Some(&example("tee")), home.path());
    settle(&mut window);
    let labels = window.query_all_by_role(Role::Label);
    let shown: Vec<String> = labels.filter_map(|n| n.value()).collect();
    let zeros = shown.iter().filter(|text| *text == "0 Pa").count();
    assert!(zeros >= 2, "{shown:?}");
    for text in shown.iter().filter(|text| text.ends_with("Pa")) {
        let is_noise = text.trim_start_matches('-').starts_with("0.");
        assert!(!is_noise, "{text}");
    }
}

#[test]
fn the_palette_of_commands_finds_what_people_call_things() {
    for (words, tool) in [
        ("measure", Tool::Ruler),
        ("pen", Tool::Channel),
        ("inlet", Tool::Port),
        ("annotate", Tool::Overlay(OverlayLayer::Notes)),
        ("symmetry", Tool::Mirror),
    ] {
        let home = home();
        let mut window = empty(home.path());
        window.key_press_modifiers(Modifiers::COMMAND, Key::P);
        window.run_steps(3);
        window.event(Event::Text(words.to_owned()));
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(*window.state().context().tool, tool, "{words}");
    }
}

/// The badge of a slanted thing lies on it, not at the corner of the box around it.
#[test]
fn what_is_wrong_is_marked_where_it_is() {
    use eframe::egui::epaint::{ClippedShape, Shape};
    let home = home();
    let mut window = empty(home.path());
    apply(&mut window, Command::Hint(None));
    place(&mut window, "pipe", 0.0, 0.0);
    let turn = Placement::Absolute {
        at: Point::default(),
        rotation: Radian(0.6),
        mirror: false,
    };
    apply(&mut window, Command::SetPlacement("pipe1".to_owned(), turn));
    apply(
        &mut window,
        Command::SetParameter {
            component: "pipe1".to_owned(),
            parameter: "length".to_owned(),
            value: Some(Value::Quantity(4e-3, Dimension::Length)),
        },
    );
    // Two that lie on each other.
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    apply(&mut window, Command::DuplicateBy(Point::new(1e-4, 0.0)));
    apply(&mut window, Command::Fit);
    window.run_steps(6);
    let shapes = window.output().shapes.iter();
    let badges = shapes.filter_map(|ClippedShape { shape, .. }| match shape {
        Shape::Circle(circle) if circle.radius == 8.0 => Some(circle.center),
        _ => None,
    });
    let badges: Vec<Pos2> = badges.collect();
    assert!(!badges.is_empty(), "{}", text(&window));
    let view = window.state().canvas().view;
    for badge in badges {
        let p = view.to_chip(badge);
        let along = Point::unit(0.6);
        let off = (p - along * along.dot(p)).norm();
        assert!(off < 1.2e-4, "{off} from the pipe's axis");
    }
}

/// What is given at a port can be read, however narrow the window.
#[test]
fn values_of_ports_are_whole() {
    let home = home();
    let mut window = open_small("serpentine-mixing", home.path());
    settle(&mut window);
    let field = window.get_by_role_and_label(Role::TextInput, "given at sample");
    assert_eq!(field.value().as_deref(), Some("500 nL/min"));
    let font = eframe::egui::TextStyle::Body.resolve(&window.ctx.global_style());
    let text = window.ctx.fonts_mut(|fonts| {
        fonts.layout_no_wrap("500 nL/min".to_owned(), font, eframe::egui::Color32::BLACK)
    });
    let (room, wanted) = (field.rect().width(), text.size().x);
    assert!(room >= wanted + 4.0, "{room} for {wanted}");
}

/// Rows that nobody sees aren't laid out, but screen readers find them, where they are.
#[test]
fn problems_out_of_sight_keep_their_room_and_their_names() {
    use eframe::egui::Rect;
    use egui_kittest::kittest::NodeT;
    let home = home();
    let design = home.path().join("tees.toml");
    let text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\n\
        t = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"], repeat = { count = [6, 5], step = [\"1 mm\", \"1 mm\"] } }\n";
    std::fs::write(&design, text).unwrap();
    let start = Start {
        design: Some(design),
        components: None,
        home: Some(home.path().to_owned()),
    };
    let mut window: Window = Harness::builder()
        .with_size(vec2(1024.0, 700.0))
        .with_max_steps(60)
        .build_eframe(move |creation| App::new(&start, &creation.egui_ctx));
    window.run_steps(6);
    apply(&mut window, Command::Hint(None));
    let messages: Vec<String> = window.state().document().diagnostics[..]
        .iter()
        .map(|d| d.message.replace('`', ""))
        .collect();
    assert!(messages.len() > 50, "{}", messages.len());
    let rows = |window: &Window| -> Vec<Rect> {
        let all = window.query_all_by_role(Role::Button);
        let rows = all.filter(|node| {
            let label = node.accesskit_node().label().unwrap_or_default();
            messages.contains(&label.replace(['“', '”'], ""))
        });
        let rects = rows.map(|node| node.rect());
        // Symbols on the canvas have the same words.
        rects.filter(|rect| rect.width() > 100.0).collect()
    };
    let seen = rows(&window);
    println!("{} problems, {} rows", messages.len(), seen.len());
    assert!(seen.len() >= messages.len(), "{} rows", seen.len());
    for pair in seen.windows(2) {
        assert!(pair[1].top() >= pair[0].bottom() - 1.0, "{pair:?}");
    }
    // A narrower panel lays them out anew, once.
    window.run_steps(3);
    assert_eq!(rows(&window), seen);
}
