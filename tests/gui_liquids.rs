//! The workspace of liquids without a display: scenes and tanks, solvers and methods changed while they run, two views in step, and
//! a chip that stays as it was.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use stokeslet::dynamics::lcp::{Status, Watch, solver};
use stokeslet::dynamics::pressure::Separation;
use stokeslet::dynamics::report::frames::{TANK_HEAD, tank_row};
use stokeslet::dynamics::report::still::Still;
use stokeslet::dynamics::report::vtu;
use stokeslet::dynamics::scenes::eckert::{FlowSettings, TankFlow, tank};
use stokeslet::dynamics::scenes::{Simulation, scene2};
use stokeslet::dynamics::splitting::{METHODS, Method, Settings, method};
use stokeslet_gui::command::Theme;
use stokeslet_gui::liquids::means::Means;
use stokeslet_gui::liquids::settings::{Choice, Colour, Mark, Side, Slice, Walls};
use stokeslet_gui::liquids::shot::Shot;
use stokeslet_gui::liquids::{LiquidCommand as L, LiquidFormat};
use stokeslet_gui::{App, Command, Workspace};

#[path = "support/stepping.rs"]
mod stepping;

use stepping::{PATIENCE, Window, apply, home, liquid, open, settled, step, until};

/// Among liquids, on a small grid.
fn opened(home: &Path) -> Window {
    let mut window = open(home);
    apply(&mut window, Command::Enter(Workspace::Liquids));
    liquid(&mut window, L::Size(16));
    settled(&mut window);
    window
}

#[test]
fn the_workspace_is_opened_by_its_tab_a_scene_is_chosen_and_stepped() {
    let home = home();
    let mut window = open(home.path());
    assert_eq!(window.state().workspace(), Workspace::Chip);
    assert!(
        window.state().liquids().views.is_empty(),
        "nothing is simulated that nobody looks at"
    );
    window.get_by_label("Liquids").click();
    window.run_steps(3);
    settled(&mut window);
    assert_eq!(window.state().workspace(), Workspace::Liquids);
    liquid(&mut window, L::Size(16));
    window.get_by_label("Scene Square").click();
    settled(&mut window);
    assert_eq!(window.state().settings().liquids.scene, "square");
    window.key_press(Key::Period);
    window.run_steps(2);
    settled(&mut window);
    let liquids = window.state().liquids();
    assert_eq!(liquids.frame(), Some(1));
    assert!((liquids.time().expect("a time") - 0.01).abs() < 1e-12);
    let view = &liquids.views[0];
    let last = view.last.as_ref().expect("a solve");
    assert_eq!(last.log.status, Status::Converged);
    let frame = view.rows[0].frame().expect("of a scene");
    assert!(frame.unknowns > 50 && frame.at_wall > 10);
    assert!(
        window.query_by_label("converged").is_some(),
        "and it is said"
    );
    window.get_by_label("Restart").click();
    settled(&mut window);
    assert_eq!(window.state().liquids().frame(), Some(0));
    assert!(window.state().liquids().views[0].rows.is_empty());
}

#[test]
fn it_plays_pauses_and_takes_another_solver_while_it_runs() {
    let home = home();
    let mut window = opened(home.path());
    window.key_press(Key::Space);
    until(&mut window, "ten frames", |app| {
        app.liquids().frame() >= Some(10)
    });
    assert!(window.state().liquids().is_playing);
    liquid(&mut window, L::Solver(Side::Left, "pgs".to_owned()));
    let solver = |app: &App| {
        let last = app.liquids().views[0].last.as_ref();
        last.map(|last| last.log.solver)
    };
    until(&mut window, "the new solver", |app| {
        solver(app) == Some("pgs")
    });
    assert!(window.state().liquids().is_playing, "it goes on");
    let rows = &window.state().liquids().views[0].rows;
    assert_eq!(rows[0].solves()[0].solver, "fas-mg");
    let frames = rows.iter().filter_map(|row| row.frame());
    let numbers: Vec<usize> = frames.map(|frame| frame.frame).collect();
    assert_eq!(numbers.len(), rows.len());
    let all: Vec<usize> = (0..numbers.len()).collect();
    assert_eq!(numbers, all, "no frame is lost or done twice");
    window.key_press(Key::Space);
    settled(&mut window);
    let frame = window.state().liquids().frame();
    std::thread::sleep(Duration::from_millis(60));
    window.run_steps(4);
    assert_eq!(window.state().liquids().frame(), frame, "it rests");
}

#[test]
fn two_views_run_in_step_and_say_how_far_they_are_apart() {
    let home = home();
    let mut window = opened(home.path());
    step(&mut window, 1);
    liquid(&mut window, L::Compare(true));
    liquid(&mut window, L::Walls(Side::Right, Walls::Sticking));
    liquid(&mut window, L::Solver(Side::Right, "pcg-ic".to_owned()));
    settled(&mut window);
    let first = window.state().liquids().views[0].shot.clone();
    assert_eq!(window.state().liquids().views.len(), 2);
    assert_eq!(
        window.state().liquids().views[1].shot.frames(),
        first.frames()
    );
    step(&mut window, 12);
    let liquids = window.state().liquids();
    let [a, b] = &liquids.views[..] else {
        panic!("two views");
    };
    assert_eq!(a.shot.time(), b.shot.time());
    assert_eq!((a.rows.len(), b.rows.len()), (13, 12));
    assert_eq!(
        (a.shot.walls(), b.shot.walls()),
        (Some(Walls::Separating), Some(Walls::Sticking))
    );
    let apart = liquids.apart.expect("two of the same scene");
    assert!(
        apart.farthest > 1e-6,
        "walls that let go part them: {apart:?}"
    );
    let choice = Choice {
        solver: "pcg-ic".to_owned(),
        walls: Walls::Sticking,
    };
    assert_eq!(b.choice, Means::Solver(choice));
    liquid(&mut window, L::Compare(false));
    settled(&mut window);
    assert_eq!(window.state().liquids().views.len(), 1);
    assert_eq!(window.state().liquids().apart, None);
}

#[test]
fn solvers_of_the_same_problem_stay_together() {
    let home = home();
    let mut window = opened(home.path());
    liquid(&mut window, L::Compare(true));
    liquid(&mut window, L::Solver(Side::Right, "mprgp".to_owned()));
    step(&mut window, 3);
    let apart = window.state().liquids().apart.expect("two views");
    // The tolerance of 1e-6 1/s over three frames of 10 ms.
    assert!(apart.farthest < 1e-6, "{apart:?}");
    assert!(apart.pressure < 1e-3 * apart.of, "{apart:?}");
}

#[test]
fn a_scene_in_space_is_cut_where_the_slider_says() {
    let home = home();
    let mut window = opened(home.path());
    liquid(&mut window, L::Scene("ball-box".to_owned()));
    liquid(&mut window, L::Size(16));
    step(&mut window, 1);
    let shot = window.state().liquids().views[0].shot.clone();
    assert!(matches!(*shot, Shot::Space(_)));
    for (axis, at) in [(2, 0.5), (0, 0.5), (1, 0.55)] {
        liquid(&mut window, L::Slice(Slice { axis, at }));
        settled(&mut window);
        let slice = window.state().settings().liquids.slice;
        assert_eq!(slice, Slice { axis, at });
        assert!(shot.probe(slice, [0.5, 0.5]).is_some(), "through the ball");
    }
    liquid(&mut window, L::Slice(Slice { axis: 2, at: 0.15 }));
    let slice = window.state().settings().liquids.slice;
    assert_eq!(shot.probe(slice, [0.5, 0.5]), None, "beside it");
    // What is no slice is refused.
    liquid(&mut window, L::Slice(Slice { axis: 7, at: 0.1 }));
    liquid(
        &mut window,
        L::Slice(Slice {
            axis: 0,
            at: f64::NAN,
        }),
    );
    assert_eq!(window.state().settings().liquids.slice, slice);
}

#[test]
fn a_solver_that_stalls_is_said_to_and_another_goes_on() {
    let home = home();
    let mut window = opened(home.path());
    liquid(&mut window, L::Size(32));
    liquid(&mut window, L::Solver(Side::Left, "fmg-literal".to_owned()));
    liquid(&mut window, L::Play);
    until(&mut window, "a failure", |app| {
        app.liquids().failure.is_some()
    });
    settled(&mut window);
    let liquids = window.state().liquids();
    assert!(!liquids.is_playing, "nothing goes on without a pressure");
    let failure = liquids.failure.clone().expect("a failure");
    let log = failure.solved.expect("a solve").log;
    assert_ne!(log.status, Status::Converged);
    let last = liquids.views[0].last.as_ref().expect("its residuals");
    assert_eq!(
        last.log.status, log.status,
        "the plot is of the solve that failed"
    );
    let done = liquids.frame();
    let word = log.status.word();
    let seen = window.query_all_by_label_contains(word).count();
    assert!(seen > 0, "`{word}` is on the screen");
    liquid(&mut window, L::Solver(Side::Left, "pi-mgpcg".to_owned()));
    settled(&mut window);
    step(&mut window, 1);
    assert_eq!(window.state().liquids().frame(), done.map(|f| f + 1));
}

#[test]
fn the_chip_its_undo_and_what_is_unsaved_stay_as_they_were() {
    let home = home();
    let mut window = open(home.path());
    apply(
        &mut window,
        Command::SetWidth(stokeslet::units::Metre(2e-4)),
    );
    let text = window.state().document().text.clone();
    let steps = window.state().document().history.steps().len();
    let revision = window.state().document().revision;
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    window.run_steps(2);
    assert_eq!(window.state().workspace(), Workspace::Liquids);
    liquid(&mut window, L::Size(16));
    liquid(&mut window, L::Play);
    until(&mut window, "frames", |app| {
        app.liquids().frame() >= Some(3)
    });
    // What is about the chip is refused here.
    for command in [
        Command::Undo,
        Command::SelectAll,
        Command::Delete,
        Command::Solve,
        Command::SetText(String::new()),
    ] {
        apply(&mut window, command);
    }
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.key_press(Key::Delete);
    window.run_steps(2);
    assert_eq!(window.state().document().revision, revision);
    // Unsaved work is asked about here too.
    apply(&mut window, Command::Quit);
    assert!(window.query_by_label("Don't save").is_some());
    window.key_press(Key::Escape);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num1);
    window.run_steps(3);
    assert_eq!(window.state().workspace(), Workspace::Chip);
    let app = window.state();
    assert_eq!(app.document().text, text);
    assert_eq!(app.document().history.steps().len(), steps);
    assert!(app.document().is_modified());
    settled(&mut window);
    let frame = window.state().liquids().frame();
    std::thread::sleep(Duration::from_millis(60));
    window.run_steps(3);
    assert_eq!(
        window.state().liquids().frame(),
        frame,
        "nobody looks: it rests"
    );
    apply(&mut window, Command::Undo);
    assert_ne!(window.state().document().text, text, "undo works as before");
}

#[test]
fn a_run_is_exported_as_the_command_line_writes_it() {
    let home = home();
    let mut window = opened(home.path());
    liquid(&mut window, L::Compare(true));
    step(&mut window, 2);
    let path = |name: &str| home.path().join(name);
    for (format, name) in [
        (LiquidFormat::Png, "a.png"),
        (LiquidFormat::Csv, "a.csv"),
        (LiquidFormat::Vtu, "a.vtu"),
    ] {
        liquid(&mut window, L::ExportTo(format, path(name)));
        settled(&mut window);
    }
    let picture = image::open(path("a.png")).expect("a picture");
    assert_eq!((picture.width(), picture.height()), (1032, 512));
    let rows = std::fs::read_to_string(path("a.csv")).expect("rows");
    assert_eq!(rows.lines().count(), 1 + 2 * 2);
    assert!(rows.starts_with("frame,walls,substeps,iterations"));
    for name in ["a.vtu", "a-2.vtu"] {
        let bytes = std::fs::read(path(name)).expect("particles");
        assert!(bytes.starts_with(b"<?xml"), "{name}");
    }
    // A folder that isn't there and can't be made is told, and nothing is lost.
    std::fs::write(path("file"), "").expect("a file");
    liquid(
        &mut window,
        L::ExportTo(LiquidFormat::Csv, path("file").join("in.csv")),
    );
    settled(&mut window);
    let told = window
        .query_all_by_label_contains("Nothing was exported")
        .count();
    assert_eq!(told, 1);
}

#[test]
fn what_was_chosen_is_there_again_after_a_restart() {
    let home = home();
    let mut window = opened(home.path());
    liquid(&mut window, L::Scene("maze".to_owned()));
    liquid(&mut window, L::Size(32));
    liquid(&mut window, L::Solver(Side::Left, "fas-mg".to_owned()));
    liquid(&mut window, L::Colour(Colour::Pressure));
    let want = window.state().settings().liquids.clone();
    let begin = Instant::now();
    while !home.path().join("settings.json").is_file() {
        assert!(begin.elapsed() < PATIENCE, "settings are kept");
        window.step();
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(window);
    let again = open(home.path());
    assert_eq!(again.state().settings().liquids, want);
}

#[test]
fn a_scene_keeps_its_volume_where_that_is_ticked_and_a_tank_has_nothing_to_tick() {
    let home = home();
    let mut window = opened(home.path());
    let as_alone = |window: &mut Window, scene| {
        step(window, 4);
        let rows = &window.state().liquids().views[0].rows;
        let volumes: Vec<f64> = rows
            .iter()
            .filter_map(|r| r.frame())
            .map(|f| f.volume)
            .collect();
        assert_eq!(volumes.len(), 4);
        let size = window.state().settings().liquids.size();
        let mut alone = Simulation::new(scene, size, Separation::Cut);
        let mut solver = solver::<2>("fas-mg").expect("a solver");
        for volume in volumes {
            let frame = alone.frame(&mut *solver, Watch::SILENT, &mut |_| {});
            assert_eq!(volume, frame.expect("converges").volume, "to the last bit");
        }
    };
    let scene = scene2("circle").expect("a scene");
    as_alone(&mut window, scene.clone().keeping_volume());
    window.get_by_label("Keep volume").click();
    window.run_steps(2);
    settled(&mut window);
    let liquids = window.state().liquids();
    assert_eq!(liquids.frame(), Some(0), "another run");
    as_alone(&mut window, scene);
    liquid(&mut window, L::Scene("breaking-dam".to_owned()));
    assert!(window.query_by_label("Keep volume").is_none());
    step(&mut window, 1);
    liquid(&mut window, L::KeepVolume(true));
    settled(&mut window);
    assert_eq!(
        window.state().liquids().frame(),
        Some(1),
        "refused, and nothing starts anew"
    );
}

/// A tank on a small grid, from its start.
fn opened_tank(home: &Path, name: &str) -> Window {
    let mut window = opened(home);
    liquid(&mut window, L::Scene(name.to_owned()));
    liquid(&mut window, L::Size(16));
    settled(&mut window);
    window
}

fn solvers(app: &App) -> Vec<&'static str> {
    let rows = app.liquids().views[0].rows.iter();
    rows.map(|row| row.solves()[0].solver).collect()
}

#[test]
fn a_tank_is_chosen_by_a_click_and_stepped_as_the_command_line_steps_it() {
    let home = home();
    let mut window = opened(home.path());
    step(&mut window, 2);
    assert!(window.query_by_label("Tank Breaking dam").is_none());
    window.get_by_label("Tanks").click();
    window.run_steps(3);
    assert!(window.query_by_label("Scene Square").is_none());
    assert!(window.query_by_label("Tank Breaking dam 3D").is_some());
    window.get_by_label("Tank Breaking dam").click();
    settled(&mut window);
    assert_eq!(window.state().settings().liquids.scene, "breaking-dam");
    let liquids = window.state().liquids();
    assert_eq!((liquids.frame(), liquids.views.len()), (Some(0), 1));
    assert!(liquids.views[0].rows.is_empty(), "a run of its own");
    for _ in 0..2 {
        window.key_press(Key::Period);
        window.run_steps(2);
        settled(&mut window);
    }
    let liquids = window.state().liquids();
    assert!(liquids.failure.is_none(), "{:?}", liquids.failure);
    assert_eq!((liquids.frame(), liquids.time()), (Some(2), Some(1.0)));
    let view = &liquids.views[0];
    assert_eq!(view.choice, Means::Method("iop-sep-bc".to_owned()));
    let tank = tank::<2>("breaking-dam").expect("a tank");
    let mut alone = TankFlow::new(&tank, 16, FlowSettings::of::<2>());
    let settings = Settings::practical::<2>();
    for row in &view.rows {
        let step = alone.step(Method::IopSepBc, &settings, Watch::SILENT, &mut |_| {});
        let (want, got) = (step.expect("converges"), row.step().expect("of a tank"));
        assert_eq!(
            (got.volume, got.max_speed, got.log.divergence_left),
            (want.volume, want.max_speed, want.log.divergence_left),
            "to the last bit"
        );
    }
    assert!(window.query_by_label("converged").is_some(), "it is said");
    let Shot::Plane(now) = &*window.state().liquids().views[0].shot else {
        panic!("in the plane");
    };
    let x = now.run.particle(7);
    assert_eq!(x, alone.x[7].map(|x| x / 16.0));
    // Back among scenes their solver is as it was chosen.
    liquid(&mut window, L::Scene("circle".to_owned()));
    step(&mut window, 1);
    assert_eq!(solvers(window.state()), ["fas-mg"]);
    assert!(
        window.query_by_label("Scene Square").is_some(),
        "listed again"
    );
}

#[test]
fn every_method_steps_every_tank_in_the_plane() {
    let home = home();
    let mut window = opened(home.path());
    for name in [
        "breaking-dam",
        "stairs",
        "levitating-planes",
        "stairs-ceiling",
    ] {
        liquid(&mut window, L::Scene(name.to_owned()));
        for method in METHODS {
            liquid(&mut window, L::Method(Side::Left, method.name.to_owned()));
            step(&mut window, 1);
        }
        let want: Vec<_> = METHODS.iter().map(|method| method.name).collect();
        assert_eq!(solvers(window.state()), want, "{name}");
    }
}

#[test]
fn a_tank_plays_and_takes_another_method_while_it_plays() {
    let home = home();
    let mut window = opened_tank(home.path(), "breaking-dam");
    window.key_press(Key::Space);
    until(&mut window, "ten steps", |app| {
        app.liquids().frame() >= Some(10)
    });
    // Chosen in the list, as people do.
    window.get_by_label("Method of the left view").click();
    window.run_steps(3);
    window.get_by_label("ADMMVelSep").click();
    until(&mut window, "the new method", |app| {
        solvers(app).last() == Some(&"admm-vel-sep")
    });
    assert!(window.state().liquids().is_playing, "it goes on");
    let settings = &window.state().settings().liquids;
    assert_eq!(settings.methods[0], "admm-vel-sep");
    assert_eq!(settings.choices[0].solver, "fas-mg", "remembered apart");
    window.key_press(Key::Space);
    settled(&mut window);
    let view = &window.state().liquids().views[0];
    let steps = view.rows.iter().filter_map(|row| row.step());
    let numbers: Vec<usize> = steps.map(|step| step.step).collect();
    let all: Vec<usize> = (1..=view.rows.len()).collect();
    assert_eq!(numbers, all, "no step is lost or done twice");
    assert_eq!(solvers(window.state())[0], "iop-sep-bc");
    // What the plots show: the residual that decides, the other beside it, and what has to be reached.
    let last = view.last.as_ref().expect("a solve");
    assert!(last.log.residual() <= last.tolerance && last.tolerance >= 1e-3);
    let others: Vec<_> = last.others.iter().map(|(name, _)| *name).collect();
    assert_eq!(others, ["divergence"]);
    assert_eq!(last.others[0].1.len(), last.log.history.len());
    liquid(&mut window, L::Restart);
    settled(&mut window);
    assert_eq!(window.state().liquids().frame(), Some(0));
    step(&mut window, 1);
}

#[test]
fn two_methods_are_compared_on_one_tank_and_part_at_the_walls() {
    let home = home();
    // Its liquid begins at the ceiling, and only sticks there if the method holds it.
    let mut window = opened_tank(home.path(), "stairs-ceiling");
    step(&mut window, 1);
    liquid(&mut window, L::Compare(true));
    settled(&mut window);
    step(&mut window, 10);
    let liquids = window.state().liquids();
    let [a, b] = &liquids.views[..] else {
        panic!("two views");
    };
    assert_eq!((a.rows.len(), b.rows.len()), (11, 10));
    assert_eq!(
        (a.choice.label(), b.choice.label()),
        ("IOPDivSepBC", "OrigPS")
    );
    assert_eq!(
        (a.choice.walls(), b.choice.walls()),
        (Walls::Separating, Walls::Sticking)
    );
    let let_go = |view: &stokeslet_gui::liquids::Shown| {
        let steps = view.rows.iter().filter_map(|row| row.step());
        steps.map(|step| step.log.detached.len()).sum::<usize>()
    };
    assert!(let_go(a) > 0 && let_go(b) == 0, "only one lets go");
    let last = a.rows.last().and_then(|row| row.step()).expect("a step");
    assert_eq!(a.shot.detached(), last.log.detached.len(), "marked");
    let apart = liquids.apart.expect("two of the same tank");
    assert!(apart.farthest > 1e-6 && apart.of == 0.0, "{apart:?}");
    // The same method twice goes the same way.
    let right = L::Method(Side::Right, "iop-sep-bc".to_owned());
    liquid(&mut window, right);
    liquid(&mut window, L::Restart);
    step(&mut window, 3);
    let apart = window.state().liquids().apart.expect("two views");
    assert_eq!(apart.farthest, 0.0);
}

#[test]
fn a_tank_in_space_is_cut_by_the_slice_and_probed_without_a_pressure() {
    let home = home();
    let mut window = opened_tank(home.path(), "breaking-dam-3d");
    step(&mut window, 2);
    let shot = window.state().liquids().views[0].shot.clone();
    assert!(matches!(*shot, Shot::Space(_)));
    for (axis, at) in [(2, 0.5), (1, 0.3), (0, 0.2)] {
        liquid(&mut window, L::Slice(Slice { axis, at }));
        settled(&mut window);
        let slice = window.state().settings().liquids.slice;
        assert_eq!(slice, Slice { axis, at });
        let probe = shot.probe(slice, [0.25, 0.3]).expect("in the block");
        assert!(probe.speed > 0.0 && probe.pressure.is_none(), "{probe:?}");
    }
    let slice = Slice { axis: 0, at: 0.8 };
    assert_eq!(shot.probe(slice, [0.25, 0.3]), None, "beside it");
}

#[test]
fn what_has_no_meaning_for_tanks_or_scenes_is_refused() {
    let home = home();
    let mut window = opened(home.path());
    liquid(&mut window, L::Colour(Colour::Pressure));
    assert_eq!(
        window.state().settings().liquids.shown_colour(),
        Colour::Pressure
    );
    liquid(&mut window, L::Method(Side::Left, "orig-ps".to_owned()));
    let settings = &window.state().settings().liquids;
    assert_eq!(settings.methods[0], "iop-sep-bc", "a scene takes no method");
    liquid(&mut window, L::Scene("breaking-dam".to_owned()));
    step(&mut window, 1);
    let settings = &window.state().settings().liquids;
    assert_eq!(settings.shown_colour(), Colour::Speed, "none is told");
    liquid(&mut window, L::Colour(Colour::Plain));
    liquid(&mut window, L::Colour(Colour::Pressure));
    liquid(&mut window, L::Solver(Side::Left, "pgs".to_owned()));
    liquid(&mut window, L::Walls(Side::Left, Walls::Sticking));
    liquid(&mut window, L::Method(Side::Left, "fas-mg".to_owned()));
    liquid(&mut window, L::Method(Side::Right, "iop-sep".to_owned()));
    // None of the sizes at which the planes would fall between cells.
    liquid(&mut window, L::Scene("stairs".to_owned()));
    liquid(&mut window, L::Size(16));
    let settings = &window.state().settings().liquids;
    assert_eq!(settings.colour, Colour::Plain);
    assert_eq!(settings.choices[0], Choice::of("fas-mg"));
    assert_eq!(settings.methods, ["iop-sep-bc", "orig-ps"]);
    assert_eq!(settings.size(), 32);
    step(&mut window, 1);
    liquid(&mut window, L::Scene("square".to_owned()));
    liquid(&mut window, L::Size(32));
    step(&mut window, 1);
    assert_eq!(solvers(window.state()), ["fas-mg"]);
}

#[test]
fn a_run_of_a_tank_is_exported_as_the_command_line_writes_it() {
    let home = home();
    let mut window = opened_tank(home.path(), "breaking-dam");
    liquid(&mut window, L::Compare(true));
    step(&mut window, 2);
    let path = |name: &str| home.path().join(name);
    for (format, name) in [
        (LiquidFormat::Png, "t.png"),
        (LiquidFormat::Csv, "t.csv"),
        (LiquidFormat::Vtu, "t.vtu"),
    ] {
        liquid(&mut window, L::ExportTo(format, path(name)));
        settled(&mut window);
    }
    let picture = image::open(path("t.png")).expect("a picture");
    assert_eq!((picture.width(), picture.height()), (1032, 512));
    let text = std::fs::read_to_string(path("t.csv")).expect("rows");
    let mut want = TANK_HEAD.to_owned();
    for view in &window.state().liquids().views {
        for row in &view.rows {
            let step = row.step().expect("of a tank");
            want += &tank_row(row.solves()[0].solver, step);
        }
    }
    assert_eq!(text, want);
    let starts: Vec<&str> = text.lines().map(|line| &line[..5]).collect();
    assert_eq!(starts, ["step,", "1,iop", "2,iop", "1,ori", "2,ori"]);
    let tank = tank::<2>("breaking-dam").expect("a tank");
    for (name, method) in [("t.vtu", Method::IopSepBc), ("t-2.vtu", Method::OrigPs)] {
        let mut alone = TankFlow::new(&tank, 16, FlowSettings::of::<2>());
        for _ in 0..2 {
            let settings = Settings::practical::<2>();
            alone
                .step(method, &settings, Watch::SILENT, &mut |_| {})
                .expect("converges");
        }
        let mut want = Vec::new();
        vtu::write(&mut want, &Still::from(&alone)).expect("into memory");
        assert!(
            std::fs::read(path(name)).expect("particles") == want,
            "{name}"
        );
    }
}

#[test]
fn a_tank_and_its_methods_are_there_again_and_unknown_ones_fall_back() {
    let home = home();
    let mut window = opened_tank(home.path(), "breaking-dam");
    liquid(&mut window, L::Compare(true));
    let right = L::Method(Side::Right, "admm-div-stick".to_owned());
    liquid(&mut window, right);
    let want = window.state().settings().liquids.clone();
    let file = home.path().join("settings.json");
    let kept = || std::fs::read_to_string(&file).unwrap_or_default();
    let begin = Instant::now();
    while !kept().contains("admm-div-stick") {
        assert!(begin.elapsed() < PATIENCE, "settings are kept");
        window.step();
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(window);
    let again = open(home.path());
    assert_eq!(again.state().settings().liquids, want);
    assert_eq!(want.methods, ["iop-sep-bc", "admm-div-stick"]);
    drop(again);
    let text = kept();
    let wrong = text
        .replace("\"breaking-dam\"", "\"bathtub\"")
        .replace("\"iop-sep-bc\"", "\"fas-mg\"");
    assert_ne!(wrong, text);
    std::fs::write(&file, wrong).expect("written");
    let mut mended = open(home.path());
    let settings = mended.state().settings().liquids.clone();
    assert_eq!(settings.scene, "circle");
    assert_eq!(settings.methods, ["iop-sep-bc", "admm-div-stick"]);
    assert!(settings.methods.iter().all(|name| method(name).is_some()));
    apply(&mut mended, Command::Enter(Workspace::Liquids));
    step(&mut mended, 1);
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Anything that the workspace offers, and some that it must refuse; sizes stay small, so that a test stays short.
    fn command(&mut self) -> Command {
        match self.below(24) {
            0 => Command::Enter(Workspace::ALL[self.below(2)]),
            1 => Command::Enter(Workspace::Liquids),
            8..=14 => Command::Liquid([L::Step, L::Play, L::PlayOrPause][self.below(3)].clone()),
            2 => Command::Liquid(L::Size([16, 17, 32][self.below(3)])),
            3 => Command::Liquid(L::Scene(
                ["circle", "bathtub", "sphere", "breaking-dam"][self.below(4)].into(),
            )),
            4 => Command::Liquid(L::Slice(Slice {
                axis: self.below(4),
                at: self.below(5) as f64 / 4.0,
            })),
            5 => [Command::Fit, Command::ZoomIn, Command::ZoomOut][self.below(3)].clone(),
            6 => Command::SetTheme([Theme::Light, Theme::Dark][self.below(2)]),
            7 => Command::Liquid(L::Mark(Mark::ALL[self.below(2)])),
            _ => {
                let offered: Vec<L> = L::offered()
                    .into_iter()
                    .filter(|c| !matches!(c, L::Size(_) | L::Export(_)))
                    .collect();
                Command::Liquid(offered[self.below(offered.len())].clone())
            }
        }
    }
}

#[test]
fn four_hundred_random_commands_never_panic_and_leave_the_chip_alone() {
    let home = home();
    let mut window = opened(home.path());
    let before = window.state().document().text.clone();
    let mut random = Random(3);
    let mut frames = 0;
    for k in 0..400 {
        let command = random.command();
        window.state_mut().apply(command);
        if k % 4 == 0 {
            window.step();
            std::thread::sleep(Duration::from_millis(2));
        }
        let has_run = |window: &Window| window.state().liquids().frame() > Some(0);
        // On a busy machine the next command comes before the first frame: now and then it waits.
        let begin = Instant::now();
        while k % 16 == 0
            && window.state().liquids().is_playing
            && !has_run(&window)
            && begin.elapsed() < Duration::from_millis(500)
        {
            window.step();
            std::thread::sleep(Duration::from_millis(5));
        }
        frames += usize::from(has_run(&window));
    }
    assert_eq!(window.state().document().text, before);
    assert!(frames > 10, "something ran: {frames}");
    apply(&mut window, Command::Enter(Workspace::Liquids));
    liquid(&mut window, L::Scene("square".to_owned()));
    liquid(&mut window, L::Size(16));
    liquid(&mut window, L::Solver(Side::Left, "pi-mgpcg".to_owned()));
    liquid(&mut window, L::Compare(false));
    liquid(&mut window, L::Restart);
    settled(&mut window);
    step(&mut window, 1);
}
