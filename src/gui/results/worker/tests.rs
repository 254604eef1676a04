use super::*;
use crate::results::tests::{channel, example};
use stokeslet_flow::session::{silent, solve};

/// Waits for the next event.
fn next(worker: &Worker) -> Event {
    let start = Instant::now();
    let mut events = Vec::new();
    while events.is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "nothing happens"
        );
        std::thread::sleep(Duration::from_millis(1));
        events = worker.drain();
    }
    assert_eq!(events.len(), 1, "one thing at a time: {events:?}");
    events.remove(0)
}

fn next_solved(worker: &Worker) -> Arc<Solved> {
    match next(worker) {
        Event::Solved(solved) => solved,
        other => panic!("wanted a solution, got {other:?}"),
    }
}

fn job(chip: &Chip, revision: u64, resolution: u32) -> Job {
    Job {
        chip: Arc::new(chip.clone()),
        revision,
        resolution,
    }
}

fn settle(worker: &Worker) -> Duration {
    let start = Instant::now();
    while !worker.is_idle() {
        assert!(start.elapsed() < Duration::from_secs(300), "it never ends");
        std::thread::sleep(Duration::from_millis(1));
    }
    start.elapsed()
}

#[test]
fn other_values_at_ports_are_answered_from_the_factors_as_if_solved_afresh() {
    let worker = Worker::new(Arc::default(), || {});
    let mut chip = example("y-mixer");
    worker.request(job(&chip, 1, 6));
    let first = next_solved(&worker);
    assert!(
        matches!(first.reuse, Reuse::Fronts { computed, .. } if computed > 0),
        "{:?}",
        first.reuse
    );
    chip.ports[0].condition = match chip.ports[0].condition {
        Condition::FlowRate(q) => Condition::FlowRate(3.0 * q),
        other => panic!("the design has changed: {other:?}"),
    };
    worker.request(job(&chip, 2, 6));
    let second = next_solved(&worker);
    assert_eq!(second.reuse, Reuse::Factors);
    assert_eq!(second.revision, 2);
    let settings = SolveSettings {
        resolution: 6,
        ..SolveSettings::default()
    };
    let fresh = solve(
        &chip,
        &settings,
        &Table::default(),
        &silent,
        &CancelToken::new(),
    )
    .unwrap();
    for (got, want) in second.solution.ports.iter().zip(&fresh.ports) {
        assert_eq!(
            (got.flow_rate, got.mean_pressure),
            (want.flow_rate, want.mean_pressure),
            "port {}",
            got.id
        );
    }
    assert_eq!(second.solution.fields.velocity, fresh.fields.velocity);
    // Another kind of condition is another elimination, and so is another viscosity.
    chip.ports[0].condition = Condition::Pressure(1000.0);
    worker.request(job(&chip, 3, 6));
    assert_ne!(next_solved(&worker).reuse, Reuse::Factors);
    chip.viscosity *= 2.0;
    worker.request(job(&chip, 4, 6));
    let last = next_solved(&worker);
    assert_ne!(last.reuse, Reuse::Factors);
    assert!(
        last.reuse.share() > Some(0.5),
        "fronts don't depend on viscosity: {:?}",
        last.reuse
    );
}

#[test]
fn of_many_jobs_at_once_the_newest_wins() {
    let worker = Worker::new(Arc::default(), || {});
    let chip = example("grid20");
    worker.request(job(&chip, 1, 16));
    while worker.status().running.is_none_or(|r| r.0 == Stage::Read) {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(PATIENCE);
    for revision in 2..=9 {
        worker.request(job(&channel(), revision, 4));
    }
    let solved = next_solved(&worker);
    assert_eq!(
        solved.revision, 9,
        "the others were dropped, the first though it ran"
    );
    settle(&worker);
    assert!(worker.drain().is_empty(), "and nothing of them comes later");
}

/// Beside other tests and at a lower priority than theirs no clock can be trusted, but all of it is slowed alike. Seconds are the
/// bench's: `cargo bench --bench frames`.
#[test]
fn a_large_solve_is_cancelled_in_less_than_half_its_time() {
    let chip = example("grid20");
    let whole = {
        let worker = Worker::new(Arc::default(), || {});
        let begin = Instant::now();
        worker.request(job(&chip, 1, 16));
        next_solved(&worker);
        begin.elapsed()
    };
    let worker = Worker::new(Arc::default(), || {});
    // Into every stage: the time that a cancelled solve still takes depends on where it is.
    let mut cancelled = 0;
    for after in [20, 80, 200, 350, 500, 800] {
        worker.request(job(&chip, 1, 16));
        std::thread::sleep(Duration::from_millis(after));
        let at = worker.status().running;
        if at.is_none() {
            // A fast machine is done by then.
            worker.drain();
            continue;
        }
        cancelled += 1;
        let asked = Instant::now();
        worker.cancel();
        assert!(
            worker.status().running.is_none(),
            "the window hears of it at once"
        );
        assert!(matches!(worker.drain()[..], [Event::Cancelled]));
        settle(&worker);
        let took = asked.elapsed();
        eprintln!("cancelled after {after} ms, in {at:?}: the cores were free in {took:?}");
        assert!(
            2 * took < whole,
            "after {after} ms in {at:?} it took {took:?}, a whole solve {whole:?}"
        );
        assert!(worker.drain().is_empty(), "no result of what was cancelled");
    }
    assert!(cancelled >= 3, "too few were under way: {cancelled}");
}

#[test]
fn what_cannot_be_solved_fails_with_a_sentence_and_the_worker_goes_on() {
    let worker = Worker::new(Arc::default(), || {});
    worker.request(job(&example("grid20"), 1, 100_000));
    match next(&worker) {
        Event::Failed {
            revision: 1,
            message,
        } => assert!(message.contains("lower the resolution"), "{message}"),
        other => panic!("{other:?}"),
    }
    // A part whose index doesn't exist: our own mistake, a panic in the solver.
    let mut broken = channel();
    broken.ports[0].socket.part = 7;
    worker.request(job(&broken, 2, 4));
    match next(&worker) {
        Event::Failed {
            revision: 2,
            message,
        } => assert!(!message.is_empty()),
        other => panic!("{other:?}"),
    }
    worker.request(job(&channel(), 3, 4));
    assert_eq!(next_solved(&worker).revision, 3);
}
