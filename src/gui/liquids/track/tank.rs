//! A tank of \[003\] under way: any splitting method, with the practical settings of the thesis, as the command line runs it.

use std::sync::Arc;

use super::{NotDone, Track};
use crate::liquids::means::Means;
use crate::liquids::run::AnyRun;
use crate::liquids::shot::{Contact, Snapshot, fastest};
use crate::liquids::told::{Account, Failure, Row, Solved, Told, forget_history};
use crate::words::capital;
use stokeslet_dynamics::lcp::{SolveLog, Status, Watch};
use stokeslet_dynamics::scenes::eckert::{FlowError, TankFlow};
use stokeslet_dynamics::splitting::{Method, MethodEntry, Residual, Settings, SplitLog, method};

/// The tank, and who solves.
pub struct TankTrack<const D: usize> {
    entry: &'static MethodEntry,
    settings: Settings,
    state: StepEnd<D>,
    next: Option<(StepEnd<D>, Told)>,
}

/// The end of a whole step.
struct StepEnd<const D: usize> {
    /// What methods keep for warm starts is in it; none of the settings here asks for any.
    flow: Arc<TankFlow<D>>,
    /// The same for views.
    seen: Snapshot<D>,
}

impl<const D: usize> TankTrack<D> {
    /// From a state on; none if there is no such method.
    pub fn new(flow: Arc<TankFlow<D>>, seen: Snapshot<D>, name: &str) -> Option<Self> {
        Some(Self {
            entry: method(name)?,
            settings: Settings::practical::<D>(),
            state: StepEnd { flow, seen },
            next: None,
        })
    }

    /// A log with what plots show besides: residuals that did not decide.
    fn solved(&self, log: &SplitLog, fastest: f64) -> Solved {
        let others = [("velocity", &log.velocity), ("divergence", &log.divergence)];
        let is_other =
            |residuals: &Vec<f64>| !residuals.is_empty() && *residuals != log.solve.history;
        Solved {
            log: log.solve.clone(),
            tolerance: tolerance(self.entry.method, &self.settings, fastest),
            others: others
                .into_iter()
                .filter(|(_, residuals)| is_other(residuals))
                .map(|(name, residuals)| (name, residuals.clone()))
                .collect(),
        }
    }

    fn not_done(&self, view: usize, error: FlowError<D>) -> NotDone {
        let failed = |message, solved| {
            NotDone::Failed(Box::new(Failure {
                view,
                message,
                solved,
            }))
        };
        match error {
            FlowError::Unconverged { source, .. }
                if source.log.solve.status == Status::Cancelled =>
            {
                NotDone::Cancelled
            }
            FlowError::Unconverged { step, source } => failed(
                format!("Step {step} is not done: {source}"),
                Some(self.solved(&source.log, 0.0)),
            ),
            FlowError::Problem { ref source, .. } => {
                failed(capital(&format!("{error}: {source}")), None)
            }
        }
    }
}

/// What the residual that decides has to fall below. ADMM's velocity residual is measured by the fastest velocity of its last
/// iteration, for which that of the result stands here.
fn tolerance(method: Method, settings: &Settings, fastest: f64) -> f64 {
    match method {
        Method::Admm(Residual::Velocity, _) => {
            settings.velocity_absolute + settings.velocity_relative * fastest
        }
        Method::Admm(Residual::Divergence, _) | Method::Iop(_) | Method::IopSepBc => {
            settings.divergence
        }
        Method::OrigPs | Method::OrigPsSep | Method::Lcp(_) => settings.inner_tolerance,
    }
}

impl<const D: usize> Track<D> for TankTrack<D> {
    fn means(&self) -> Means {
        Means::Method(self.entry.name.to_owned())
    }

    fn now(&self) -> &Snapshot<D> {
        &self.state.seen
    }

    fn choose(&mut self, means: &Means) {
        if let Means::Method(name) = means
            && let Some(entry) = method(name)
        {
            self.entry = entry;
        }
    }

    /// Nothing is known from step to step.
    fn renew(&mut self) {}

    fn frame(
        &mut self,
        view: usize,
        watch: Watch<'_>,
        solved: &mut (dyn FnMut(&SolveLog) + Send + Sync),
    ) -> Result<(), NotDone> {
        if (watch.cancelled)() {
            return Err(NotDone::Cancelled);
        }
        let mut flow = (*self.state.flow).clone();
        let step = flow.step(self.entry.method, &self.settings, watch, &mut |_| {});
        let mut step = step.map_err(|error| self.not_done(view, error))?;
        solved(&step.log.solve);
        let last = self.solved(&step.log, step.max_speed);
        for history in [
            &mut step.log.solve.history,
            &mut step.log.velocity,
            &mut step.log.divergence,
        ] {
            forget_history(history);
        }
        let mut contact = vec![Contact::None; flow.flags.len()];
        for cell in &step.log.detached {
            contact[*cell as usize] = Contact::Detached;
        }
        let flow = Arc::new(flow);
        let run = AnyRun::Tank(flow.clone());
        let seen = Snapshot {
            fastest: fastest(&run),
            pressure: Arc::default(),
            contact: Arc::new(contact),
            run,
        };
        let row = Row {
            time: seen.run.time(),
            fastest: seen.fastest,
            pressures: seen.pressures(),
            account: Account::Step {
                method: self.entry.name.to_owned(),
                step: Box::new(step),
            },
        };
        let told = Told {
            row,
            solved: Some(last),
        };
        self.next = Some((StepEnd { flow, seen }, told));
        Ok(())
    }

    fn take(&mut self) -> Option<Told> {
        let (state, told) = self.next.take()?;
        self.state = state;
        Some(told)
    }

    fn give_up(&mut self) {
        self.next = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_dynamics::scenes::eckert::{FlowSettings, tank};

    fn flow() -> TankFlow<2> {
        let tank = tank::<2>("breaking-dam").expect("a tank");
        TankFlow::new(&tank, 16, FlowSettings::of::<2>())
    }

    /// Liquid that leaves the ceiling at once.
    fn falling() -> TankFlow<2> {
        let tank = tank::<2>("stairs-ceiling").expect("a tank");
        TankFlow::new(&tank, 32, FlowSettings::of::<2>())
    }

    fn track(flow: TankFlow<2>, name: &str) -> TankTrack<2> {
        let flow = Arc::new(flow);
        let seen = Snapshot::at_start(AnyRun::Tank(flow.clone()));
        TankTrack::new(flow, seen, name).expect("a method")
    }

    #[test]
    fn a_step_is_that_of_the_loop_and_leaves_the_state_alone() {
        let mut track = track(falling(), "admm-vel-sep");
        let mut alone = falling();
        let method = Method::named("admm-vel-sep").expect("a method");
        let settings = Settings::practical::<2>();
        let mut let_go = 0;
        for _ in 0..8 {
            let before = track.now().run.frames();
            let done = track.frame(0, Watch::SILENT, &mut |_| {});
            assert!(done.is_ok() && track.now().run.frames() == before);
            let told = track.take().expect("a step");
            let step = alone
                .step(method, &settings, Watch::SILENT, &mut |_| {})
                .expect("converges");
            assert_eq!(track.state.flow.x, alone.x, "to the last bit");
            let marked = track.now().contact.iter();
            let marked = marked.filter(|c| **c == Contact::Detached).count();
            assert_eq!(marked, step.log.detached.len());
            let_go += marked;
            let solved = told.solved.expect("a solve");
            assert_eq!(solved.log.history, step.log.velocity, "it decides");
            assert_eq!(
                solved.others,
                [("divergence", step.log.divergence)],
                "and is plotted once"
            );
            assert!(solved.log.residual() <= 1.5 * solved.tolerance);
        }
        assert!(let_go > 5, "the ceiling's cells at least: {let_go}");
    }

    #[test]
    fn a_cancelled_step_is_no_failure_and_a_number_that_is_none_is_one() {
        let mut still = track(flow(), "iop-sep");
        let watch = Watch {
            cancelled: &|| true,
            ..Watch::SILENT
        };
        let done = still.frame(0, watch, &mut |_| {});
        assert!(matches!(done, Err(NotDone::Cancelled)));
        assert!(still.take().is_none());
        let mut broken = flow();
        broken.settings.gravity = f64::NAN;
        let mut broken = track(broken, "iop-sep");
        let Err(NotDone::Failed(failure)) = broken.frame(1, Watch::SILENT, &mut |_| {}) else {
            panic!("not a number");
        };
        assert!(
            failure.view == 1 && failure.message.contains("NaN"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn a_method_that_gives_up_is_a_failure_with_its_residuals() {
        let mut track = track(flow(), "iop-sep");
        track.settings.divergence = 1e-9;
        track.settings.outer_limit = 3;
        let Err(NotDone::Failed(failure)) = track.frame(0, Watch::SILENT, &mut |_| {}) else {
            panic!("three iterations are too few");
        };
        assert_eq!(failure.status(), "limit");
        assert!(
            failure.message.starts_with("Step 1 is not done: iop-sep"),
            "{}",
            failure.message
        );
        let solved = failure.solved.expect("a solve");
        assert_eq!(solved.log.history.len(), 3);
        assert_eq!(solved.tolerance, 1e-9);
        assert_eq!(track.now().run.frames(), 0);
    }

    #[test]
    fn another_method_goes_on_from_the_same_state_and_a_solver_is_not_heard() {
        let mut track = track(flow(), "orig-ps");
        for name in ["orig-ps", "stairs-pi-mgpcg", "iop-sep-bc"] {
            track.choose(&Means::Method(name.to_owned()));
            track.choose(&Means::Method("gauss".to_owned()));
            track.choose(&crate::liquids::settings::Choice::of("pgs").into());
            assert!(track.frame(0, Watch::SILENT, &mut |_| {}).is_ok());
            let told = track.take().expect("a step");
            assert_eq!(told.row.solves()[0].solver, name);
        }
        assert_eq!(track.now().run.frames(), 3);
    }
}
