use crate::model::Coupling;
use crate::newton::{NewtonSettings, SolveLog, SolveStatus};
use crate::simulation::{Settings, Simulation};
use crate::testing::MIXED;
use crate::{Scene, SceneFile, scenes};
use stokeslet_dynamics::awake;

fn sharp(tolerance_factor: f64) -> Settings {
    let newton = NewtonSettings {
        tolerance_factor,
        ..NewtonSettings::default()
    };
    Settings {
        newton,
        ..Settings::default()
    }
}

/// A stack solved sharply, one of whose first steps has a kink.
#[test]
fn a_step_that_stalls_is_two_of_half_the_time() {
    let scene = scenes::find("stack").expect("built in").scene();
    let mut simulation = Simulation::new(&scene, &sharp(1e-5)).expect("a sound scene");
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
    let scene = Scene::parse(MIXED).expect("a scene");
    for coupling in [
        Coupling::Coupled,
        Coupling::LaggedFriction,
        Coupling::Lagged,
    ] {
        let mut settings = sharp(1e-20);
        settings.newton.most_trials = 3;
        settings.coupling = Some(coupling);
        let mut simulation = Simulation::new(&scene, &settings).expect("a sound scene");
        // Parts of a quarter, none of which may be halved again, and steps that last as long.
        let mut quarters = simulation.checkpoint();
        quarters.scene.time_step /= 4.0;
        let mut quarters = Simulation::resume(&quarters).expect("the same bodies");
        let (log, parts) = awake::with(false, |awake| {
            let log = simulation.advance_by_parts(0.25, awake);
            let quarter = |_| quarters.advance_by_parts(1.0, awake);
            (log, [0, 1].map(quarter))
        });
        assert_eq!(log.solve.status, SolveStatus::Stalled);
        // A quarter, after which nothing is halved: another, then a half.
        assert_eq!((log.solve.parts, log.step), (3, 1));
        let stalled = parts
            .iter()
            .all(|log| log.solve.status == SolveStatus::Stalled);
        assert!(stalled);
        let mut half = quarters.checkpoint();
        half.scene.time_step *= 2.0;
        let mut half = Simulation::resume(&half).expect("the same bodies");
        let last = awake::with(false, |awake| half.advance_by_parts(1.0, awake));
        let [first, second] = parts.map(|log| 0.25 * log.solve.left);
        let left = first.max(second).max(0.5 * last.solve.left);
        assert_eq!(log.solve.left, left, "in tolerances of the whole step");
        half.state.step = 1;
        assert!(half.state == simulation.state, "{coupling:?}");
        let totals = simulation.totals();
        assert_eq!((totals.in_parts, totals.stalled), (0, 1));
        assert_eq!(totals.worst_residual, log.solve.left);
    }
}

/// A part that was cut tells more than one that stalled, that more than one that converged, and of the same the larger residual.
#[test]
fn a_step_in_parts_ended_as_the_worst_of_them_did() {
    use SolveStatus::{Converged, MaxIterations, Stalled};
    let told = |parts: &[(SolveStatus, f64)]| {
        let log = |&(status, left): &(SolveStatus, f64)| SolveLog {
            status,
            left,
            parts: 1,
            ..SolveLog::default()
        };
        let mut logs = parts.iter().map(log);
        let mut all = logs.next().expect("a part");
        logs.for_each(|part| all.add_part(&part));
        assert_eq!(all.parts, parts.len());
        (all.status, all.left)
    };
    assert_eq!(
        told(&[(Converged, 0.5), (Converged, 0.1)]),
        (Converged, 0.5)
    );
    assert_eq!(told(&[(Converged, 9.0), (Stalled, 2.0)]), (Stalled, 2.0));
    assert_eq!(told(&[(Stalled, 2.0), (Converged, 9.0)]), (Stalled, 2.0));
    assert_eq!(told(&[(Stalled, 2.0), (Stalled, 3.0)]), (Stalled, 3.0));
    assert_eq!(
        told(&[(MaxIterations, 5.0), (Stalled, 7.0)]),
        (MaxIterations, 5.0)
    );
    assert_eq!(
        told(&[(Stalled, 7.0), (MaxIterations, 5.0)]),
        (MaxIterations, 5.0)
    );
    assert!(told(&[(Stalled, 7.0), (Stalled, f64::NAN)]).1.is_nan());
}
