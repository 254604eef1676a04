use super::{Parts, SMALLEST};
use crate::newton::{NewtonSettings, SolveStatus};
use crate::scenes;
use crate::simulation::{Settings, Simulation};
use stokeslet_dynamics::awake;

fn stack(tolerance_factor: f64) -> Simulation {
    let newton = NewtonSettings {
        tolerance_factor,
        ..NewtonSettings::default()
    };
    let settings = Settings {
        newton,
        ..Settings::default()
    };
    let scene = scenes::find("stack").expect("built in").scene();
    Simulation::new(&scene, &settings).expect("a sound scene")
}

/// The parts of a step of which those that end in `stalls`, and last as long as said there, stall.
fn parts(stalls: &[(f64, f64)]) -> Vec<f64> {
    let (mut parts, mut out) = (Parts::down_to(SMALLEST), Vec::new());
    while !parts.are_over() {
        if stalls.contains(&(parts.done + parts.next, parts.next)) && parts.halve() {
            continue;
        }
        out.push(parts.next);
        parts.go_on();
    }
    out
}

#[test]
fn parts_are_halves_and_halves_of_halves() {
    assert_eq!(parts(&[]), [1.0]);
    assert_eq!(parts(&[(1.0, 1.0)]), [0.5, 0.5]);
    let first = [(1.0, 1.0), (0.5, 0.5)];
    assert_eq!(parts(&first), [0.25, 0.25, 0.5]);
    let second = [(1.0, 1.0), (1.0, 0.5), (0.75, 0.25)];
    assert_eq!(parts(&second), [0.5, 0.125, 0.125, 0.25]);
    // The first sixteenth can't be solved: what follows isn't halved, though all would stall.
    let all: Vec<(f64, f64)> = (0..5)
        .flat_map(|halvings| {
            let part = 0.5_f64.powi(halvings);
            (1..=1 << halvings).map(move |k| (f64::from(k) * part, part))
        })
        .collect();
    assert_eq!(parts(&all), [0.0625, 0.0625, 0.125, 0.25, 0.5]);
}

/// A stack solved sharply, one of whose first steps has a kink.
#[test]
fn a_step_that_stalls_is_two_of_half_the_time() {
    let mut simulation = stack(1e-5);
    let mut before = simulation.checkpoint();
    let mut steps = (0..20).map(|_| {
        before = simulation.checkpoint();
        simulation.step()
    });
    let log = steps.find(|log| log.solve.parts > 1);
    let log = log.expect("a step that stalls");
    assert_eq!(log.solve.parts, 2, "once halved");
    assert_eq!(log.solve.status, SolveStatus::Converged);
    assert!(log.row().contains(",in_parts,"), "{}", log.row());
    let totals = *simulation.totals();
    assert_eq!((totals.in_parts, totals.stalled), (1, 0));
    assert_eq!(totals.steps, log.step);

    let mut halves = before.clone();
    halves.scene.time_step /= 2.0;
    let mut halves = Simulation::resume(&halves).expect("the same bodies");
    let logs = [halves.step(), halves.step()];
    assert!(logs.iter().all(|log| log.solve.parts == 1));
    halves.state.step -= 1;
    assert_eq!(halves.state, simulation.state);
    assert_eq!(halves.touches(), simulation.touches());
    assert_eq!(log.energies, logs[1].energies);
    let walked = logs.iter().map(|log| log.longest_walk).max();
    assert_eq!(Some(log.longest_walk), walked);
    let all =
        |of: fn(&crate::SolveLog) -> usize| logs.iter().map(|log| of(&log.solve)).sum::<usize>();
    assert!(
        log.solve.iterations > all(|solve| solve.iterations),
        "and those of what stalled"
    );
    assert_eq!(
        log.solve.residuals.len(),
        all(|solve| solve.residuals.len())
    );

    let mut same = Simulation::resume(&before).expect("the same scene");
    assert_eq!((same.step(), same.time()), (log, simulation.time()));
}

/// Below rounding nothing converges, in no part either: parts are taken as they are, and that is told.
#[test]
fn what_stalls_in_the_smallest_part_is_accepted_and_told() {
    let mut simulation = stack(1e-20);
    let mut halves = Simulation::resume(&simulation.checkpoint()).expect("the same scene");
    let log = awake::with(false, |awake| {
        simulation.advance_by_parts(Parts::down_to(0.5), awake)
    });
    let left = awake::with(false, |awake| {
        [0, 1].map(|_| {
            let solved = halves.solve(0.5 * halves.model.dt, awake);
            halves.accept(solved).solve.left
        })
    });
    assert_eq!(log.solve.status, SolveStatus::Stalled);
    assert_eq!((log.solve.parts, log.step), (2, 1));
    assert!(left[0] > 1.0 && left[1] > 1.0);
    assert_eq!(log.solve.left, left[0].max(left[1]));
    halves.state.step += 1;
    assert_eq!(halves.state, simulation.state);
    let totals = simulation.totals();
    assert_eq!((totals.in_parts, totals.stalled), (0, 1));
    assert_eq!(totals.worst_residual, log.solve.left);
}
