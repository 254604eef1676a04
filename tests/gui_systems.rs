//! The workspace of what is stepped, with the systems beside the liquids: their scenes, settings, views, files and bodies that are held.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, vec2};
use egui_kittest::kittest::Queryable;
use stokeslet::SYSTEMS;
use stokeslet::dynamics::lcp::Watch;
use stokeslet::dynamics::report::picture::Framing;
use stokeslet::dynamics::stepped::look::Role;
use stokeslet::dynamics::stepped::{Run, SceneRow};
use stokeslet_gui::liquids::settings::{Colour, Mark, Side, Slice};
use stokeslet_gui::liquids::shot::{Shot, SystemShot};
use stokeslet_gui::liquids::systems::install;
use stokeslet_gui::liquids::{LiquidCommand as L, LiquidFormat};
use stokeslet_gui::{App, Command, Workspace};

#[path = "support/stepping.rs"]
mod stepping;

use stepping::{Window, apply, home, liquid, settled, step, until};

/// A scene of each system that is quick.
const QUICK: [&str; 3] = [
    "particles/hydrostatic",
    "contact/plane_r_slide",
    "apic/inlet",
];

/// Among the systems' scenes, at the start of one.
fn opened(home: &Path, scene: &str) -> Window {
    install(&SYSTEMS);
    let mut window = stepping::open(home);
    apply(&mut window, Command::Enter(Workspace::Liquids));
    liquid(&mut window, L::Scene(scene.to_owned()));
    settled(&mut window);
    assert_eq!(window.state().settings().liquids.scene, scene);
    window
}

fn shot(window: &Window, view: usize) -> SystemShot {
    match &*window.state().liquids().views[view].shot {
        Shot::System(shot) => (**shot).clone(),
        _ => panic!("of another system"),
    }
}

fn set(side: Side, key: &str, value: &str) -> L {
    L::Set(side, key.to_owned(), Some(value.to_owned()))
}

/// The scene of a system, run without a window.
fn alone(scene: &str, changes: &[&str], steps: usize) -> Box<dyn Run> {
    let (system, name) = scene.split_once('/').expect("a system's scene");
    let system = stokeslet::system(system).expect("a system");
    let changes: Vec<String> = changes.iter().map(|c| (*c).to_owned()).collect();
    let text = system.file(name).expect("a scene");
    let mut run = system.start(text, None, &changes).expect("starts");
    for _ in 0..steps {
        run.advance(Watch::SILENT).expect("a step");
    }
    run
}

/// Every point of a view, to the bit.
fn places(shot: &SystemShot) -> Vec<[f64; 3]> {
    let points = shot.seen.look.points.iter().flat_map(|p| p.at.clone());
    let meshes = shot.seen.look.meshes.iter().flat_map(|m| m.points.clone());
    points.chain(meshes).collect()
}

#[test]
fn scenes_of_every_system_are_listed_started_and_stepped_as_the_command_line_does() {
    let home = home();
    let mut window = opened(home.path(), QUICK[0]);
    for (scene, (tab, card)) in QUICK.into_iter().zip([
        ("Particles", "Scene Hydrostatic"),
        ("Contact", "Scene Plane r slide"),
        ("Transfers", "Scene Inlet"),
    ]) {
        window.get_by_label(tab).click();
        window.run_steps(2);
        window.get_by_label(card).click();
        settled(&mut window);
        assert_eq!(window.state().settings().liquids.scene, scene);
        assert_eq!(window.state().liquids().frame(), Some(0));
        step(&mut window, 3);
        let run = alone(scene, &[], 3);
        let got = shot(&window, 0);
        assert_eq!(got.seen.time, run.seen().time);
        assert_eq!(
            places(&got),
            places(&SystemShot::new(got.system, run.seen())),
            "{scene}"
        );
        let view = &window.state().liquids().views[0];
        let rows: String = view.rows.iter().map(|row| row.csv()).collect();
        assert_eq!(rows, run.log(), "{scene}: the log of the command line");
        assert!(window.state().settings().liquids.systems.is_empty());
        let values = &view.rows[2].of_system().expect("of a system").values;
        assert_eq!(values.len(), got.system.measures().len());
        // It is said.
        let name = got.system.measures()[0].name;
        assert!(window.query_all_by_label(name).count() > 0, "{name}");
        window.get_by_label("Restart").click();
        settled(&mut window);
        assert_eq!(window.state().liquids().frame(), Some(0));
        assert!(window.state().liquids().views[0].rows.is_empty());
    }
    // And back among liquids.
    liquid(&mut window, L::Scene("square".to_owned()));
    liquid(&mut window, L::Size(16));
    step(&mut window, 1);
    assert!(window.state().liquids().views[0].last.is_some());
}

/// Among particles nothing that can be done speaks of liquids, but going to one of them.
#[test]
fn commands_name_the_system_that_is_seen_or_any_scene() {
    let home = home();
    let window = opened(home.path(), QUICK[0]);
    let seen = window.state().context();
    let possible = L::offered()
        .into_iter()
        .filter(|command| command.is_enabled(&seen).is_ok());
    let labels: Vec<(L, String)> = possible.map(|c| (c.clone(), c.label())).collect();
    let is_elsewhere = |command: &L| matches!(command, L::Scene(name) if !name.contains('/'));
    for (command, label) in &labels {
        assert!(
            is_elsewhere(command) || !label.contains("iquid"),
            "{command:?}: {label}"
        );
    }
    let has = |label: &str| labels.iter().any(|(_, l)| l == label);
    for label in [
        "Particles: scene Hydrostatic",
        "Contact: scene Plane r slide",
        "Transfers: scene Inlet",
        "Liquids: scene Square",
        "Scene: compare two views",
        "Scene: colour by speed",
        "Scene: left solver subspace",
    ] {
        assert!(has(label), "{label}: {labels:#?}");
    }
}

#[test]
fn two_transfers_run_side_by_side_and_one_is_changed_while_it_runs() {
    let home = home();
    let mut window = opened(home.path(), "apic/inlet");
    liquid(&mut window, set(Side::Left, "transfer", "pic"));
    liquid(&mut window, L::Compare(true));
    liquid(&mut window, set(Side::Right, "transfer", "flip"));
    liquid(&mut window, L::Restart);
    step(&mut window, 5);
    let liquids = window.state().liquids();
    let names: Vec<&str> = liquids.views.iter().map(|v| v.choice.label()).collect();
    assert_eq!(names, ["Pic", "Flip"]);
    for (k, transfer) in ["transfer=pic", "transfer=flip"].into_iter().enumerate() {
        let run = alone("apic/inlet", &[transfer], 5);
        assert_eq!(
            places(&shot(&window, k)),
            places(&SystemShot::new(SYSTEMS[2], run.seen()))
        );
    }
    let apart = liquids.apart.expect("twins are known by number");
    assert!(apart.farthest > 1e-9, "{apart:?}");
    // While it plays.
    window.key_press(Key::Space);
    until(&mut window, "three more", |app| {
        app.liquids().frame() >= Some(8)
    });
    liquid(&mut window, set(Side::Right, "transfer", "xpic"));
    let count = window.state().liquids().views[1].rows.len();
    until(&mut window, "the new transfer", |app| {
        let view = &app.liquids().views[1];
        view.choice.label() == "Xpic" && view.rows.len() > count + 2
    });
    assert!(window.state().liquids().is_playing);
    window.key_press(Key::Space);
    settled(&mut window);
    let liquids = window.state().liquids();
    let numbers = |k: usize| -> Vec<f64> { liquids.views[k].rows.iter().map(|r| r.time).collect() };
    assert_eq!(numbers(0), numbers(1), "in step, none lost or done twice");
    // The usual value again; what is no value is refused.
    liquid(
        &mut window,
        L::Set(Side::Right, "transfer".to_owned(), None),
    );
    for wrong in [
        set(Side::Left, "transfer", "apik"),
        set(Side::Left, "slover", "pic"),
        set(Side::Left, "order", "-3"),
        L::Scale("huge".to_owned()),
        L::Slice(Slice { axis: 0, at: 0.5 }),
        L::Size(32),
        L::Mark(Mark::Contacts),
    ] {
        liquid(&mut window, wrong);
    }
    let settings = &window.state().settings().liquids;
    let want = BTreeMap::from([("transfer".to_owned(), "pic".to_owned())]);
    assert_eq!(settings.systems["apic"], [want, BTreeMap::new()]);
    assert!(settings.scale.is_empty());
    // Another of its sizes.
    liquid(&mut window, L::Compare(false));
    liquid(&mut window, L::Scale("paper".to_owned()));
    settled(&mut window);
    let cells = shot(&window, 0).seen.look.cells.expect("cells").n;
    assert_eq!(cells, [64, 64]);
    // Another scene starts at its usual size, though it has one of that name.
    let apic = stokeslet::system("apic").expect("a system");
    let has_paper = |row: &SceneRow| row.name == "square" && row.sizes.contains(&"paper".into());
    assert!(apic.scenes().iter().any(has_paper));
    liquid(&mut window, L::Scene("apic/square".to_owned()));
    assert!(window.state().settings().liquids.scale.is_empty());
}

/// A scene that comes with the program, changed and opened as one's own.
fn opened_as_own(home: &Path, scene: &str, changes: &[(&str, &str)]) -> Window {
    install(&SYSTEMS);
    let (system, name) = scene.split_once('/').expect("a system's scene");
    let system = stokeslet::system(system).expect("a system");
    let mut text = system.file(name).expect("a scene").to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    let file = home.join("own.toml");
    std::fs::write(&file, text).expect("written");
    let mut window = stepping::open(home);
    apply(&mut window, Command::OpenPath(file));
    settled(&mut window);
    window
}

#[test]
fn the_second_view_goes_on_from_where_the_first_is_with_other_friction() {
    let home = home();
    // On this slope (tan = .11) a cube at rest is held by a friction of .5 and slides without it.
    let at_rest = [
        ("velocity = [0.1, 0, 0]", "velocity = [0, 0, 0]"),
        ("friction = 0.125", "friction = 0.5"),
    ];
    let mut window = opened_as_own(home.path(), "contact/plane_r_stick", &at_rest);
    // By then it no longer swings in the springs of its friction.
    step(&mut window, 60);
    liquid(&mut window, L::Compare(true));
    liquid(&mut window, set(Side::Right, "friction", "0"));
    settled(&mut window);
    let frames: Vec<usize> = window
        .state()
        .liquids()
        .views
        .iter()
        .map(|v| v.shot.frames())
        .collect();
    assert_eq!(frames, [60, 60]);
    step(&mut window, 20);
    let kinetic = |k: usize| {
        let row = window.state().liquids().views[k].rows.last();
        row.and_then(|row| row.of_system()).expect("a step").values[0]
    };
    assert!(
        kinetic(1) > 100.0 * kinetic(0),
        "only one slides: {} {}",
        kinetic(0),
        kinetic(1)
    );
    // As far as the slope lets it in .02 s: g sin t^2 / 2.
    let along = |k: usize| {
        let at = places(&shot(&window, k));
        at.iter().map(|x| x[0]).sum::<f64>() / 8.0
    };
    let (slid, want) = (along(1) - along(0), 0.5 * 1.072_630 * 0.02_f64.powi(2));
    assert!((slid / want - 1.0).abs() < 0.15, "{slid} of {want}");
    let apart = window.state().liquids().apart.expect("the same bodies");
    assert!(apart.farthest > 1e-6);
    let contacts = [0, 1].map(|k| shot(&window, k).seen.look.contacts);
    let [held, loose] = &contacts;
    assert!(held.iter().any(|c| c.sticks == Some(true)), "{held:?}");
    assert!(
        held.iter()
            .all(|c| (c.friction, c.normal) == (0.5, [0.0, 0.0, 1.0]))
    );
    assert!(!loose.is_empty() && loose.iter().all(|c| c.friction == 0.0));
}

/// The canvas on the screen.
fn canvas(window: &Window) -> Rect {
    window.get_by_label_contains("View: ").rect()
}

/// Drags, and lets go after `meanwhile`.
fn drag(
    window: &mut Window,
    button: PointerButton,
    from: Pos2,
    to: Pos2,
    meanwhile: impl FnOnce(&mut Window),
) {
    let pressed = |pos, pressed| Event::PointerButton {
        pos,
        button,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(Event::PointerMoved(from));
    window.step();
    window.event(pressed(from, true));
    window.step();
    for k in 1..=8 {
        window.event(Event::PointerMoved(from + (to - from) * (k as f32 / 8.0)));
        window.step();
    }
    meanwhile(window);
    window.event(pressed(to, false));
    window.run_steps(2);
}

#[test]
fn a_scene_in_space_is_turned_by_dragging_and_fitted_again() {
    let home = home();
    let mut window = opened(home.path(), "contact/plane_r_slide");
    // Beside the body, which would be held.
    let beside = canvas(&window).left_top() + vec2(70.0, 90.0);
    assert_eq!(window.state().stage().seen_from(), None);
    let before = window.state().stage().view;
    drag(
        &mut window,
        PointerButton::Primary,
        beside,
        beside + vec2(80.0, -40.0),
        |_| {},
    );
    let from = window.state().stage().seen_from().expect("turned");
    let own = shot(&window, 0).seen.look.from;
    assert!(from[0] < own[0] - 0.3 && from[1] < own[1] - 0.1, "{from:?}");
    drag(
        &mut window,
        PointerButton::Primary,
        beside,
        beside + vec2(0.0, 900.0),
        |_| {},
    );
    let steep = window.state().stage().seen_from().expect("turned");
    assert!(steep[1] < 1.6, "not beyond straight above: {steep:?}");
    drag(
        &mut window,
        PointerButton::Secondary,
        beside,
        beside + vec2(50.0, 0.0),
        |_| {},
    );
    let after = window.state().stage().view;
    assert_eq!(
        window.state().stage().seen_from(),
        Some(steep),
        "moved, not turned"
    );
    assert!(after.middle.x < before.middle.x, "{after:?}");
    apply(&mut window, Command::Fit);
    assert_eq!(window.state().stage().seen_from(), None);
    settled(&mut window);
}

#[test]
fn a_body_follows_the_pointer_that_holds_it_and_falls_back_when_let_go() {
    let home = home();
    // Coarser than the program's scene, so that steps are quick.
    let coarse = [("spacing = 0.03", "spacing = 0.1")];
    let mut window = opened_as_own(home.path(), "particles/buoyancy", &coarse);
    let height = |app: &App| {
        let Shot::System(shot) = &*app.liquids().views[0].shot else {
            panic!("of another system");
        };
        let body = shot
            .seen
            .look
            .points
            .iter()
            .find(|p| matches!(p.role, Role::Body(_)));
        let at = &body.expect("a box").at;
        at.iter().map(|x| x[1]).sum::<f64>() / at.len() as f64
    };
    let start = height(window.state());
    let view = window.state().stage().view;
    let on_screen = |x: f64, y: f64| {
        let middle = canvas(&window).center();
        let d = [
            (x - view.middle.x) / view.scale,
            (view.middle.y - y) / view.scale,
        ];
        middle + vec2(d[0] as f32, d[1] as f32)
    };
    let (from, to) = (on_screen(1.0, 0.8), on_screen(1.0, 1.3));
    window.key_press(Key::Space);
    window.run_steps(2);
    let mut lifted = start;
    drag(&mut window, PointerButton::Primary, from, to, |window| {
        // So many simulated steps, however long they take: the grip is where the pointer is, and at rest.
        let frame = window.state().liquids().frame().unwrap_or(0);
        until(window, "a lift", |app| {
            app.liquids().frame() > Some(frame + 60)
        });
        lifted = height(window.state());
    });
    assert!(lifted > start + 0.3, "{start} {lifted}");
    assert_eq!(
        window.state().stage().view.middle,
        view.middle,
        "held, not moved"
    );
    // However it moved when it was let go: a body that stays in the air waits here until the patience ends.
    until(&mut window, "a fall", |app| height(app) < lifted - 0.05);
    window.key_press(Key::Space);
    settled(&mut window);
    // Beside it the picture is moved.
    let corner = canvas(&window).left_top() + vec2(30.0, 60.0);
    drag(
        &mut window,
        PointerButton::Primary,
        corner,
        corner + vec2(25.0, 0.0),
        |_| {},
    );
    assert!(window.state().stage().view.middle.x < view.middle.x);
}

#[test]
fn a_body_in_space_is_held_where_the_pointer_took_it_while_the_scene_is_seen_from_anywhere() {
    let home = home();
    let mut window = opened(home.path(), "contact/plane_r_stick");
    let height = |window: &Window| {
        let look = shot(window, 0).seen.look;
        let body = look
            .meshes
            .into_iter()
            .find(|m| matches!(m.role, Role::Body(_)));
        let at = body.expect("a cube").points;
        at.iter().map(|x| x[2]).sum::<f64>() / at.len() as f64
    };
    let start = height(&window);
    let beside = canvas(&window).left_top() + vec2(70.0, 90.0);
    drag(
        &mut window,
        PointerButton::Primary,
        beside,
        beside + vec2(40.0, 10.0),
        |_| {},
    );
    let seen_from = window.state().stage().seen_from();
    assert!(seen_from.is_some(), "turned");
    window.key_press(Key::Space);
    window.run_steps(2);
    let middle = canvas(&window).center();
    let scale = window.state().stage().view.scale;
    let to = middle - vec2(0.0, 60.0);
    let mut lifted = start;
    drag(&mut window, PointerButton::Primary, middle, to, |window| {
        let frame = window.state().liquids().frame().unwrap_or(0);
        until(window, "a lift", |app| {
            app.liquids().frame() > Some(frame + 200)
        });
        lifted = height(window);
    });
    // The pointer's way is mostly upwards in space as well; held by its face, the cube hangs from it.
    let way = 60.0 * scale;
    assert!(
        (0.2 * way..1.1 * way).contains(&(lifted - start)),
        "{} of {way}",
        lifted - start
    );
    assert_eq!(window.state().stage().seen_from(), seen_from, "not turned");
    let frame = window.state().liquids().frame().unwrap_or(0);
    until(&mut window, "a fall", |app| {
        app.liquids().frame() > Some(frame + 60)
    });
    assert!(height(&window) < lifted, "let go");
    window.key_press(Key::Space);
    settled(&mut window);
}

#[test]
fn scene_files_of_ones_own_open_from_either_workspace_and_mistakes_are_told() {
    let home = home();
    install(&SYSTEMS);
    let mut window = stepping::open(home.path());
    let file = home.path().join("mine.toml");
    let whole = stokeslet::system("particles").and_then(|s| s.file("buoyancy"));
    let mine = whole
        .expect("a scene")
        .replace("name = \"buoyancy\"", "name = \"mine\"")
        .replace("spacing = 0.03", "spacing = 0.1")
        .replace("density = 500.0", "density = 100.0");
    std::fs::write(&file, &mine).expect("written");
    apply(&mut window, Command::OpenPath(file.clone()));
    settled(&mut window);
    assert_eq!(window.state().workspace(), Workspace::Liquids);
    let settings = &window.state().settings().liquids;
    assert_eq!(settings.scene, "particles/mine (own)");
    assert_eq!(settings.entry().dimension, 2);
    step(&mut window, 2);
    assert!(
        window.query_all_by_label_contains("Scene Mine").count() > 0,
        "listed"
    );
    // As the file says.
    let mut own = SYSTEMS[0].start(&mine, None, &[]).expect("starts");
    for _ in 0..2 {
        own.advance(Watch::SILENT).expect("a step");
    }
    assert_eq!(
        places(&shot(&window, 0)),
        places(&SystemShot::new(SYSTEMS[0], own.seen()))
    );
    // Dropped on the window, with a mistake: told, and what runs goes on.
    let broken = home.path().join("broken.toml");
    std::fs::write(&broken, mine.replace("step = 0.0025", "step = -1")).expect("written");
    apply(&mut window, Command::OpenPath(broken));
    let seen = window.query_all_by_label_contains("`step` is -1").count();
    assert!(seen > 0, "told");
    assert_eq!(window.state().liquids().frame(), Some(2));
    // A mesh beside the file, which is told when it isn't there.
    let meshed = home.path().join("meshed.toml");
    let text = "name = 'meshed'\nabout = 'a tetrahedron'\ntime_step = 0.01\nduration = 1\nfriction = 0.3\nstiffness = 100\n\
                [[body]]\nname = 'own'\nkind = 'rigid'\nmass = 1\nshape = { mesh = { file = 'own.obj' } }\n";
    std::fs::write(&meshed, text).expect("written");
    apply(&mut window, Command::OpenPath(meshed.clone()));
    let seen = window.query_all_by_label_contains("mesh `own.obj`").count();
    assert!(seen > 0, "told");
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::write(home.path().join("own.obj"), tetrahedron).expect("written");
    apply(&mut window, Command::OpenPath(meshed));
    settled(&mut window);
    step(&mut window, 1);
    assert_eq!(shot(&window, 0).seen.look.meshes[0].triangles.len(), 4);
    // A design is a design.
    let design = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs/straight.toml");
    apply(&mut window, Command::OpenPath(design));
    assert_eq!(window.state().document().name(), "straight");
    assert_eq!(window.state().workspace(), Workspace::Chip, "and is seen");
    // Of a file that is no longer known, the program starts with what it knows.
    let mut again = stepping::open(home.path());
    let settings = again.state().settings().liquids.clone();
    assert!(
        settings.own.is_none() && !settings.scene.contains("mine"),
        "{}",
        settings.scene
    );
    apply(&mut again, Command::Enter(Workspace::Liquids));
    settled(&mut again);
}

#[test]
fn a_run_is_exported_as_the_command_line_writes_it_and_colours_are_kept_by_system() {
    let home = home();
    let mut window = opened(home.path(), "apic/inlet");
    liquid(&mut window, L::Colour(Colour::Pressure));
    liquid(&mut window, L::Mark(Mark::Vorticity));
    step(&mut window, 2);
    let path = |name: &str| home.path().join(name);
    for (format, name) in [
        (LiquidFormat::Png, "a.png"),
        (LiquidFormat::Csv, "a.csv"),
        (LiquidFormat::Vtu, "a.vtu"),
        (LiquidFormat::Vti, "a.vti"),
        (LiquidFormat::Ply, "a.ply"),
        (LiquidFormat::Obj, "a.obj"),
    ] {
        liquid(&mut window, L::ExportTo(format, path(name)));
        settled(&mut window);
    }
    assert!(!path("a.obj").exists(), "transfers have no such surface");
    let run = alone("apic/inlet", &[], 2);
    let csv = std::fs::read_to_string(path("a.csv")).expect("rows");
    assert_eq!(csv, format!("{}{}", run.head(), run.log()));
    for format in ["vtu", "vti", "ply"] {
        let written = std::fs::read(path(&format!("a.{format}"))).ok();
        assert!(written.is_some() && written == run.file(format), "{format}");
    }
    let picture = image::open(path("a.png")).expect("a picture").to_rgb8();
    assert!(
        picture == run.picture(&Framing::default()),
        "the same pixels"
    );
    liquid(&mut window, L::Scene("contact/plane_r_slide".to_owned()));
    assert_eq!(
        window.state().settings().liquids.shown_colour(),
        Colour::Plain
    );
    liquid(&mut window, L::Colour(Colour::Speed));
    liquid(&mut window, L::Scene("circle".to_owned()));
    assert_eq!(
        window.state().settings().liquids.shown_colour(),
        Colour::Speed
    );
    liquid(&mut window, L::Scene("apic/inlet".to_owned()));
    assert_eq!(
        window.state().settings().liquids.shown_colour(),
        Colour::Pressure
    );
    settled(&mut window);
}

#[test]
fn random_commands_among_systems_never_panic() {
    let home = home();
    let mut window = opened(home.path(), QUICK[0]);
    let mut state = 7u64;
    let mut below = |n: usize| {
        // A linear congruential generator's upper bits.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n.max(1)
    };
    let mut ran = 0;
    for k in 0..200 {
        let command = match below(12) {
            0 | 1 => L::Scene(QUICK[below(3)].to_owned()),
            2 => L::Scene("square".to_owned()),
            3 => L::Scale(["", "paper", "middle"][below(3)].to_owned()),
            4..=6 => [L::Step, L::Play, L::PlayOrPause][below(3)].clone(),
            7 => set(Side::ALL[below(2)], "transfer", ["pic", "flip"][below(2)]),
            _ => {
                let is_quick = |c: &L| !matches!(c, L::Scene(_) | L::Size(_) | L::Export(_));
                let all: Vec<L> = L::offered().into_iter().filter(is_quick).collect();
                all[below(all.len())].clone()
            }
        };
        window.state_mut().apply(Command::Liquid(command));
        if k % 3 == 0 {
            window.step();
            std::thread::sleep(Duration::from_millis(2));
        }
        let begin = Instant::now();
        while k % 10 == 0
            && window.state().liquids().is_playing
            && window.state().liquids().frame() < Some(1)
            && begin.elapsed() < Duration::from_millis(500)
        {
            window.step();
            std::thread::sleep(Duration::from_millis(5));
        }
        ran += usize::from(window.state().liquids().frame() > Some(0));
    }
    assert!(ran > 5, "something ran: {ran}");
    liquid(&mut window, L::Pause);
    liquid(&mut window, L::Compare(false));
    liquid(&mut window, L::Scene(QUICK[2].to_owned()));
    liquid(&mut window, L::Restart);
    settled(&mut window);
    step(&mut window, 1);
}
