//! Bodies that come into a run under way.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_contact::scene::Quantity;
use stokeslet_contact::{
    Checkpoint, Scene, SceneFile, Settings, Simulation, SolveStatus, scenes, table,
};
use stokeslet_dynamics::report::table::Row;
use stokeslet_dynamics::stepped::Sibling;

/// A ball that falls from the start, and what else a test wants.
fn scene(more: &str) -> String {
    format!(
        "name = 'late'\nabout = 'bodies that come in'\ntime_step = 0.002\nduration = 1\nfriction = 0.5\nstiffness = 1e4\n\
         grid_spacing = 0.05\nplane = [{{ normal = [0, 0, 1] }}]\n\
         [[body]]\nname = 'first'\nkind = 'rigid'\nmass = 1\nshape = {{ ball = {{ radius = 0.1, level = 2 }} }}\nposition = [2, 0, 9]\n{more}"
    )
}

const SECOND: &str = "[[body]]\nname = 'second'\nkind = 'rigid'\nmass = 1\nshape = { box = { sides = [0.1, 0.1, 0.1] } }\n\
                      position = [0, 0, 5]\nvelocity = [1, 0, 0]\nfrom = 0.1\n";
const SOFT: &str = "[[body]]\nname = 'soft'\nkind = 'deformable'\nmass = 1\nshape = { box = { sides = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }\n\
                    position = [4, 0, 0.049]\nfrom = 0.05\n";
const SAND: &str = "[[body]]\nname = 'sand'\nkind = 'points'\nsand = 30\nmass = 2.2\n\
                    shape = { box = { sides = [0.1, 0.1, 0.1], cells = [4, 4, 4] } }\nposition = [0, 0, 0.0375]\n";

fn started(text: &str) -> Simulation {
    Simulation::new(&Scene::parse(text).unwrap(), &Settings::default()).unwrap()
}

#[test]
fn a_body_falls_from_the_time_it_comes_in() {
    // Written before the first, so its number is another one than that of its arrival.
    let text = scene("").replace("[[body]]", &format!("{SECOND}[[body]]"));
    let mut simulation = started(&text);
    for _ in 0..50 {
        assert!(simulation.body("second").is_none());
        simulation.step();
    }
    let t = 50.0 * 0.002;
    for n in 1..=25 {
        simulation.step();
        let second = simulation.body("second").unwrap();
        // Backward Euler falls by dt^2 g n (n + 1) / 2.
        let fallen = 0.002_f64.powi(2) * 9.81 * f64::from(n * (n + 1)) / 2.0;
        assert!(
            (second.position.z - (5.0 - fallen)).abs() < 1e-9,
            "step {n}"
        );
        assert!((second.position.x - 0.002 * f64::from(n)).abs() < 1e-9);
        let drop = simulation.quantity("second", Quantity::Drop, None).unwrap();
        assert!((drop - fallen).abs() < 1e-9, "from where it came in");
    }
    let first = simulation.body("first").unwrap();
    let whole = t + 0.05;
    assert!((9.0 - first.position.z - 0.5 * 9.81 * whole * (whole + 0.002)).abs() < 1e-6);
}

/// A particle that starts inside a mesh never enters it, so its pair has to be registered: a late soft cube in a block that is there, and a late block over
/// a soft cube that is there.
#[test]
fn what_comes_in_overlapping_a_mesh_is_pushed_out() {
    let block = "[[body]]\nname = 'block'\nkind = 'fixed'\nshape = { box = { sides = [0.3, 0.3, 0.2] } }\nposition = [4, 0, 0.1]\n";
    let soft = SOFT
        .replace("0.049]", "0.247]")
        .replace("from = 0.05\n", "");
    for (block, soft, late) in [
        (block.to_owned(), format!("{soft}from = 0.05\n"), "soft"),
        (
            format!("{block}from = 0.05\n"),
            format!("{soft}velocity = [0, 0, 0.24525]\n"),
            "block",
        ),
    ] {
        let mut simulation = started(&scene(&format!("{block}{soft}")));
        for n in 0..25 {
            assert_eq!(simulation.step().touching, 0, "{late}, step {n}");
            assert!(simulation.body(late).is_none());
        }
        // Thrown up, the cube that is there is where it began at twice the way's top: 2 v / g = .05 s.
        let log = simulation.step();
        assert_eq!(
            log.touching, 9,
            "{late}: the vertices of the cube's base are inside"
        );
        for _ in 0..100 {
            simulation.step();
        }
        let centre = simulation.body("soft").unwrap().position;
        assert!(
            (centre.z - 0.25).abs() < 0.005,
            "{late}: rests on the block, {centre:?}"
        );
    }
}

#[test]
fn what_comes_again_presses_on_what_came_before() {
    let again = "again = { every = 0.1, times = 2 }\n";
    let high = SAND.replace("0.0375]", "0.1875]\nvelocity = [0, 0, -1]");
    let run = |text: &str| {
        let mut simulation = started(&scene(text));
        for _ in 0..300 {
            simulation.step();
        }
        simulation
    };
    let joined = run(&format!("{high}{again}"));
    let names: Vec<&str> = joined
        .scene()
        .body
        .iter()
        .map(|b| b.name.as_str())
        .collect();
    assert_eq!(names, ["first", "sand", "sand 2", "sand 3"]);
    assert_eq!(joined.state().points.x.len(), 3 * 64);
    let height = |s: &Simulation, name: &str| s.body(name).unwrap().position.z;
    let above = height(&joined, "sand 3") - height(&joined, "sand");
    assert!(above > 0.02, "the last lies on the first: {above}");
    // Points of a grid of their own don't meet.
    let apart = run(&format!(
        "{high}{}",
        high.replace("'sand'", "'other'")
            .replace("velocity", "from = 0.2\nvelocity")
    ));
    let above = height(&apart, "other") - height(&apart, "sand");
    assert!(above.abs() < 0.01, "{above}");
}

#[test]
fn a_run_resumed_before_or_after_an_arrival_has_the_same_bits() {
    let text = scene(&format!(
        "{SECOND}{SAND}again = {{ every = 0.06, times = 1 }}\n{SOFT}"
    ));
    let mut straight = started(&text);
    let mut saved = Vec::new();
    for n in 0..60 {
        if [10, 24, 25, 26, 30, 31, 50, 51].contains(&n) {
            saved.push(serde_json::to_string(&straight.checkpoint()).unwrap());
        }
        straight.step();
    }
    assert_eq!(straight.scene().body.len(), 5);
    for text in saved {
        let mut resumed =
            Simulation::resume(&serde_json::from_str::<Checkpoint>(&text).unwrap()).unwrap();
        while resumed.state().step < 60 {
            resumed.step();
        }
        assert!(resumed.checkpoint() == straight.checkpoint());
    }
}

/// Rigid bodies and points that come again, points that join others by name, and nothing that moves at the start.
#[test]
fn every_kind_comes_again_and_resumes() {
    let boxes = SECOND.replace(
        "from = 0.1",
        "from = 0.02\nagain = { every = 0.02, times = 2 }",
    );
    let more = SAND.replace("'sand'", "'more'").replace("0.0375]", "0.2]");
    let more =
        format!("{more}from = 0.01\njoins = 'sand'\nagain = {{ every = 0.05, times = 1 }}\n");
    let text = scene("").replace("[2, 0, 9]", "[2, 0, 9]\nfrom = 0.01");
    let text = format!("{text}{boxes}{SAND}from = 0.004\n{more}");
    let mut straight = started(&text);
    for _ in 0..2 {
        let log = straight.step();
        assert_eq!(
            log.solve.status,
            SolveStatus::Converged,
            "there is nothing to solve"
        );
        assert!(log.solve.residuals.iter().all(|r| *r == 0.0));
    }
    for _ in 2..20 {
        straight.step();
    }
    assert_eq!(straight.totals().cut, 0);
    let mut resumed = Simulation::resume(&straight.checkpoint()).unwrap();
    for _ in 20..40 {
        assert_eq!(straight.step(), resumed.step());
    }
    let names = [
        "sand", "first", "more", "second", "second 2", "second 3", "more 2",
    ];
    let bodies = straight.scene().body.iter();
    assert_eq!(bodies.map(|b| b.name.as_str()).collect::<Vec<_>>(), names);
    assert!(names.iter().all(|name| straight.body(name).is_some()));
}

#[test]
fn a_wedge_settles_without_what_comes_in_later() {
    let wedge = scenes::find("wdg_rr").unwrap().toml;
    let late = SECOND.replace("0.1\n", "0.02\n");
    let alone = started(wedge);
    let mut beside = started(&format!("{wedge}{late}{WALL}"));
    assert_eq!(
        alone.state().rigids,
        beside.state().rigids,
        "the same masses"
    );
    for _ in 0..10 {
        beside.step();
    }
    assert!(beside.body("second").is_some());
    Simulation::resume(&beside.checkpoint()).unwrap();
}

const WALL: &str = "[[body]]\nname = 'wall'\nkind = 'fixed'\nshape = { box = { sides = [0.1, 0.1, 0.1] } }\nposition = [0, 9, 0]\nfrom = 0.01\n";

#[test]
fn what_comes_in_is_checked_with_its_scene() {
    let wedge = "[wedge]\nthreshold = 0.1\nbody = 'second'\nwall = 'first'\n";
    let expect = "[[expect]]\nbody = 'second'\nquantity = 'drop'\nat = 0.05\nwhy = ''\n";
    for (more, says) in [
        (SECOND.replace("0.1\n", "-0.1\n"), "`body[1].from`"),
        (
            format!("{SAND}again = {{ every = 0, times = 2 }}"),
            "`body[1].again.every`",
        ),
        (
            format!("{SAND}again = {{ every = 1, times = 0 }}"),
            "`body[1].again.times`",
        ),
        (
            format!("{SAND}again = {{ every = 1, times = 2000 }}"),
            "`body[1].again.times`",
        ),
        (format!("{SAND}joins = 'first'"), "`body[1].joins`"),
        (format!("{SAND}joins = 'nobody'"), "`body[1].joins`"),
        (format!("{SECOND}joins = 'first'"), "`body[1].joins`"),
        (
            format!(
                "{SAND}again = {{ every = 1, times = 2 }}\n{}",
                SAND.replace("sand'", "sand 2'")
            ),
            "`body[2].name`",
        ),
        (format!("{SECOND}{expect}"), "`expect[0].at`"),
        (
            format!("{SECOND}{}", expect.replace("0.05", "0.1")),
            "`expect[0].at`",
        ),
        (
            format!("{SECOND}{}since = 0.05\n", expect.replace("0.05", "0.2")),
            "`expect[0].since`",
        ),
        (
            format!("{SECOND}{}since = 0.1999\n", expect.replace("0.05", "0.2")),
            "`expect[0].since`",
        ),
        (
            format!("{SECOND}{}", expect.replace("0.05", "inf")),
            "`expect[0].at`",
        ),
        (format!("{SECOND}{wedge}also = ['second']\n"), "`wedge`"),
        (
            format!("{SECOND}again = {{ every = 1, times = 1 }}\n{wedge}"),
            "`wedge`",
        ),
        (format!("{SECOND}{wedge}"), "`wedge`"),
    ] {
        let error = Scene::parse(&scene(&more)).expect_err(says).to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
    // Of copies it is known when they are made.
    let again = "again = { every = 0.5, times = 1 }\n";
    let copy = expect.replace("second", "second 2");
    let plane = "plane = [{ normal = [0, 0, 1] }";
    let named = scene(&format!("{SECOND}{again}")).replace(
        plane,
        &format!("{plane}, {{ name = 'second 2', normal = [1, 0, 0], offset = -9 }}"),
    );
    for (text, says) in [
        (scene(&format!("{SECOND}{again}{copy}")), "`expect[0].at`"),
        (named, "`body[2].name`"),
    ] {
        let scene = Scene::parse(&text).unwrap();
        let error = Simulation::new(&scene, &Settings::default())
            .err()
            .expect(says)
            .to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
}

/// The first step of what comes in is the first time at which it is measured.
#[test]
fn what_comes_in_is_measured_at_the_end_of_its_first_step() {
    let expect =
        "[[expect]]\nbody = 'second'\nquantity = 'speed'\nat = 0.102\nleast = 1\nwhy = 'thrown'\n";
    let scene = Scene::parse(&scene(&format!("{SECOND}{expect}"))).unwrap();
    let rows = table::rows(&scene, &Settings::default(), f64::INFINITY, &|| true).unwrap();
    assert!(rows.iter().all(Row::holds), "{rows:?}");
}

/// Pictures without a view of their own hold what comes in.
#[test]
fn pictures_hold_what_is_to_come() {
    let text = scene(SECOND).replace("[2, 0, 9]", "[2, 0, 9]\nfrom = 0.01");
    let [least, most] = started(&text).bounds();
    assert!(
        least[0] < 0.0 && most[0] > 2.0 && most[2] > 9.0,
        "{least:?} {most:?}"
    );
}
