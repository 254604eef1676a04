use super::*;
use crate::liquids::settings::{Choice, Walls};

fn setup(scene: &str, size: usize) -> Setup {
    Setup {
        scene: scene.to_owned(),
        size,
        keep_volume: false,
        scale: String::new(),
        own: None,
    }
}

fn solver(name: &str) -> Means {
    Choice::of(name).into()
}

fn method(name: &str) -> Means {
    Means::Method(name.to_owned())
}

fn runner() -> Runner {
    Runner::new(|| ())
}

/// All news until it rests.
fn rested(runner: &Runner) -> Vec<News> {
    let begin = Instant::now();
    let mut all = Vec::new();
    loop {
        all.extend(runner.drain());
        if runner.is_idle() && !all.is_empty() {
            return all;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "it doesn't rest");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn steps_are_made_and_a_solver_chosen_between_them_is_used() {
    let runner = runner();
    runner.start(setup("circle", 16), vec![solver("pi-mgpcg")]);
    runner.go(Goal::Frames(2));
    let news = rested(&runner);
    assert!(matches!(news[0], News::Started(_)));
    assert_eq!(news.len(), 3, "two frames");
    runner.choose(vec![solver("pgs")]);
    runner.go(Goal::Frames(1));
    let news = rested(&runner);
    let [News::Chosen(_), News::Frame(views, told, None)] = &news[..] else {
        panic!("{news:?}");
    };
    assert_eq!(views[0].shot.frames(), 3);
    assert!(told[0].row.solves().iter().all(|s| s.solver == "pgs"));
}

#[test]
fn two_views_go_in_step_from_where_the_first_is() {
    let runner = runner();
    runner.start(setup("circle", 16), vec![solver("pi-mgpcg")]);
    runner.go(Goal::Frames(1));
    rested(&runner);
    let sticking = Choice {
        walls: Walls::Sticking,
        ..Choice::of("pcg-mic")
    };
    runner.choose(vec![solver("pi-mgpcg"), sticking.into()]);
    runner.go(Goal::Frames(2));
    let news = rested(&runner);
    let Some(News::Frame(views, told, Some(apart))) = news.last() else {
        panic!("{news:?}");
    };
    assert_eq!((views.len(), told.len()), (2, 2));
    assert!(views.iter().all(|view| view.shot.frames() == 3));
    assert_eq!(views[1].shot.walls(), Some(Walls::Sticking));
    assert!(apart.farthest >= apart.mean, "{apart:?}");
}

#[test]
fn a_solver_that_fails_is_told_and_another_goes_on_from_the_last_frame() {
    let runner = runner();
    runner.start(setup("circle", 32), vec![solver("fmg-literal")]);
    runner.go(Goal::Frames(30));
    let news = rested(&runner);
    let Some(News::Failed(failure)) = news.last() else {
        panic!("fmg-literal stalls, {} news", news.len());
    };
    let solved = failure.solved.as_ref().expect("a solve that failed");
    let log = &solved.log;
    assert!(log.status != stokeslet_dynamics::lcp::Status::Converged && log.history.len() > 1);
    let done = news.len() - 2;
    runner.choose(vec![solver("pi-mgpcg")]);
    runner.go(Goal::Frames(1));
    let news = rested(&runner);
    let Some(News::Frame(views, ..)) = news.last() else {
        panic!("{news:?}");
    };
    assert_eq!(views[0].shot.frames(), done + 1);
}

#[test]
fn rest_answers_soon_and_a_new_start_makes_the_old_run_void() {
    let runner = runner();
    // Minutes of work: sweeps without a hierarchy.
    runner.start(setup("sphere", 64), vec![solver("pgs")]);
    runner.go(Goal::Endless);
    let begin = Instant::now();
    while runner.status().busy.is_none() && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Instant::now();
    runner.go(Goal::Rest);
    while !{
        runner.drain();
        runner.is_idle()
    } && asked.elapsed() < Duration::from_secs(30)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Half a second in the release build; here solvers are slower and others are at work.
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    runner.go(Goal::Endless);
    runner.start(setup("circle", 16), vec![solver("pi-mgpcg")]);
    let news = rested(&runner);
    let [News::Started(views)] = &news[..] else {
        panic!("{news:?}");
    };
    assert!(matches!(*views[0].shot, Shot::Plane(_)));
}

#[test]
fn what_is_not_there_is_a_failure_and_no_loop() {
    let runner = runner();
    for (setup, choice, why) in [
        (setup("bathtub", 32), solver("pgs"), "no scene `bathtub`"),
        (setup("circle", 8), solver("pgs"), "hold the scene circle"),
        (setup("circle", 16), solver("gauss"), "no solver `gauss`"),
        (
            setup("circle", 16),
            method("iop-sep"),
            "no solver `iop-sep`",
        ),
        (
            setup("stairs", 16),
            method("iop-sep"),
            "hold the tank stairs",
        ),
        (setup("breaking-dam", 16), method("iop"), "no method `iop`"),
        (setup("breaking-dam", 16), solver("pgs"), "no method `pgs`"),
    ] {
        runner.start(setup, vec![choice]);
        runner.go(Goal::Endless);
        let news = rested(&runner);
        let [News::Failed(failure)] = &news[..] else {
            panic!("{why}: {news:?}");
        };
        assert!(failure.message.contains(why), "{}", failure.message);
    }
}

#[test]
fn tanks_go_in_step_and_their_method_changes_between_steps() {
    let runner = runner();
    for tank in ["breaking-dam", "breaking-dam-3d"] {
        runner.start(setup(tank, 16), vec![method("iop-sep-bc")]);
        runner.go(Goal::Frames(2));
        assert_eq!(rested(&runner).len(), 3, "{tank}: a start and two steps");
        runner.choose(vec![method("admm-div-sep"), method("orig-ps")]);
        runner.go(Goal::Frames(1));
        let news = rested(&runner);
        let [News::Chosen(_), News::Frame(views, told, Some(apart))] = &news[..] else {
            panic!("{tank}: {news:?}");
        };
        assert!(views.iter().all(|view| view.shot.frames() == 3));
        let solvers: Vec<_> = told.iter().map(|t| t.row.solves()[0].solver).collect();
        assert_eq!(solvers, ["admm-div-sep", "orig-ps"]);
        assert_eq!(apart.of, 0.0, "no pressure is told");
    }
}
