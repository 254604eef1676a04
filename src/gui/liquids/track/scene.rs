//! A scene of \[000\] or \[001\] under way: any solver of complementarity problems, walls that separate or stick.

use std::sync::Arc;

use super::{NotDone, Track};
use crate::liquids::means::Means;
use crate::liquids::run::AnyRun;
use crate::liquids::settings::Choice;
use crate::liquids::shot::{Contact, Snapshot, fastest};
use crate::liquids::told::{Account, Failure, Row, Solved, Told, forget_history};
use crate::words::capital;
use stokeslet_dynamics::lcp::{Lcp, LcpSolver, SolveLog, Status, Trace, Watch, solver};
use stokeslet_dynamics::scenes::{Simulation, SimulationError};

/// The scene, and who solves.
pub struct SceneTrack<const D: usize> {
    choice: Choice,
    state: SceneEnd<D>,
    solver: Box<dyn LcpSolver<D>>,
    next: Option<Next<D>>,
}

/// The end of a whole frame.
struct SceneEnd<const D: usize> {
    simulation: Arc<Simulation<D>>,
    liquid: Arc<Vec<f64>>,
    /// The same for views.
    seen: Snapshot<D>,
}

/// A frame that is made but not yet taken.
struct Next<const D: usize> {
    state: SceneEnd<D>,
    told: Told,
    /// What the solver knew before.
    memory: Vec<u32>,
}

impl<const D: usize> SceneTrack<D> {
    /// From a state on; none if there is no such solver.
    pub fn new(
        simulation: Arc<Simulation<D>>,
        liquid: Arc<Vec<f64>>,
        seen: Snapshot<D>,
        choice: Choice,
    ) -> Option<Self> {
        let solver = solver::<D>(&choice.solver)?;
        let mut track = Self {
            choice,
            state: SceneEnd {
                simulation,
                liquid,
                seen,
            },
            solver,
            next: None,
        };
        track.set_walls();
        Some(track)
    }

    fn set_walls(&mut self) {
        let separation = self.choice.walls.separation();
        let state = &mut self.state;
        if state.simulation.separation != separation {
            let mut simulation = (*state.simulation).clone();
            simulation.separation = separation;
            state.simulation = Arc::new(simulation);
            state.seen.run = AnyRun::Scene {
                simulation: state.simulation.clone(),
                liquid: state.liquid.clone(),
            };
        }
    }
}

impl<const D: usize> Track<D> for SceneTrack<D> {
    fn means(&self) -> Means {
        Means::Solver(self.choice.clone())
    }

    fn now(&self) -> &Snapshot<D> {
        &self.state.seen
    }

    fn choose(&mut self, means: &Means) {
        let Means::Solver(choice) = means else {
            return;
        };
        if choice.solver != self.choice.solver
            && let Some(solver) = solver::<D>(&choice.solver)
        {
            self.solver = solver;
        }
        self.choice.clone_from(choice);
        self.set_walls();
    }

    fn renew(&mut self) {
        if let Some(solver) = solver::<D>(&self.choice.solver) {
            self.solver = solver;
        }
    }

    fn frame(
        &mut self,
        view: usize,
        watch: Watch<'_>,
        solved: &mut (dyn FnMut(&SolveLog) + Send + Sync),
    ) -> Result<(), NotDone> {
        let mut simulation = (*self.state.simulation).clone();
        let memory = self.solver.memory();
        let n = simulation.mac.cells.len();
        let mut seen = SeenSolver {
            inner: &mut *self.solver,
            solved,
            pressure: vec![0.0; n],
            contact: vec![Contact::None; n],
        };
        let mut liquid = self.state.liquid.clone();
        let told = simulation.frame(&mut seen, watch, &mut |step| {
            if let Some(geometry) = &step.assembled.lcp.geometry {
                liquid = geometry.liquid.clone();
            }
        });
        let (pressure, contact) = (seen.pressure, seen.contact);
        let mut frame = match told {
            Ok(frame) => frame,
            Err(error) => {
                self.solver.recall(memory);
                return Err(not_done(view, error));
            }
        };
        let last = frame.solves.last().cloned();
        for solve in &mut frame.solves {
            forget_history(&mut solve.history);
        }
        let simulation = Arc::new(simulation);
        let run = AnyRun::Scene {
            simulation: simulation.clone(),
            liquid: liquid.clone(),
        };
        let seen = Snapshot {
            fastest: fastest(&run),
            run,
            pressure: Arc::new(pressure),
            contact: Arc::new(contact),
        };
        let row = Row {
            time: simulation.time,
            fastest: seen.fastest,
            pressures: seen.pressures(),
            account: Account::Frame {
                walls: self.choice.walls,
                frame,
            },
        };
        self.next = Some(Next {
            state: SceneEnd {
                simulation,
                liquid,
                seen,
            },
            told: Told {
                row,
                solved: last.map(Solved::from),
            },
            memory,
        });
        Ok(())
    }

    fn take(&mut self) -> Option<Told> {
        let next = self.next.take()?;
        self.state = next.state;
        Some(next.told)
    }

    fn give_up(&mut self) {
        if let Some(next) = self.next.take() {
            self.solver.recall(next.memory);
        }
    }
}

fn not_done(view: usize, error: SimulationError) -> NotDone {
    match error {
        SimulationError::NotConverged { source, .. } if source.status == Status::Cancelled => {
            NotDone::Cancelled
        }
        SimulationError::NotConverged { frame, source } => NotDone::Failed(Box::new(Failure {
            view,
            message: format!("Frame {} is not done: {source}", frame + 1),
            solved: Some(Solved::from(*source.log)),
        })),
        SimulationError::Problem { ref source, .. } => NotDone::Failed(Box::new(Failure {
            view,
            message: capital(&format!("{error}: {source}")),
            solved: None,
        })),
    }
}

/// A solver whose answers are seen: pressures and contacts by cell.
struct SeenSolver<'a, const D: usize> {
    inner: &'a mut dyn LcpSolver<D>,
    solved: &'a mut (dyn FnMut(&SolveLog) + Send + Sync),
    pressure: Vec<f64>,
    contact: Vec<Contact>,
}

impl<const D: usize> LcpSolver<D> for SeenSolver<'_, D> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        // A solver that needs no iteration would never look.
        if trace.cancelled() {
            return (vec![0.0; problem.n()], Status::Cancelled);
        }
        let (p, status) = self.inner.run(problem, trace);
        (self.solved)(&trace.log);
        self.pressure.fill(0.0);
        self.contact.fill(Contact::None);
        for (i, cell) in problem.places.of.iter().enumerate() {
            let cell = *cell as usize;
            self.pressure[cell] = p[i];
            self.contact[cell] = match (problem.in_s[i], p[i] > 0.0) {
                (false, _) => Contact::None,
                (true, true) => Contact::Held,
                (true, false) => Contact::Detached,
            };
        }
        (p, status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liquids::settings::Walls;
    use stokeslet_dynamics::scenes::scene2;

    fn circle() -> Simulation<2> {
        let scene = scene2("circle").expect("a scene");
        Simulation::new(scene, 16, Walls::Separating.separation())
    }

    fn track(simulation: Simulation<2>, solver: &str) -> SceneTrack<2> {
        let simulation = Arc::new(simulation);
        let seen = Snapshot::at_start(AnyRun::of_scene(simulation.clone()));
        let liquid = Arc::new(simulation.liquid());
        SceneTrack::new(simulation, liquid, seen, Choice::of(solver)).expect("a solver")
    }

    #[test]
    fn a_frame_is_that_of_the_simulation_and_leaves_the_state_alone() {
        let mut track = track(circle(), "pi-mgpcg");
        let mut solves = 0;
        let done = track.frame(0, Watch::SILENT, &mut |_| solves += 1);
        assert!(done.is_ok(), "it converges");
        assert_eq!(track.now().run.frames(), 0, "made, not taken");
        let mut alone = circle();
        let mut solver = solver::<2>("pi-mgpcg").expect("a solver");
        let frame = alone
            .frame(&mut *solver, Watch::SILENT, &mut |_| {})
            .expect("converges");
        let told = track.take().expect("a frame");
        assert_eq!(track.state.simulation.x, alone.x, "to the last bit");
        let detached = told.row.frame().map(|frame| frame.detached);
        assert_eq!(
            (detached, solves),
            (Some(frame.detached), frame.solves.len())
        );
        let marked = track.now().contact.iter();
        let marked = marked.filter(|c| **c == Contact::Detached).count();
        assert_eq!(
            marked, frame.detached,
            "marked where the simulation counts them"
        );
        assert!(told.solved.is_some_and(|s| s.log.history.len() > 1));
        assert_eq!((track.now().run.frames(), alone.frames), (1, 1));
        assert!(track.take().is_none(), "once");
    }

    #[test]
    fn a_cancelled_frame_is_no_failure_and_changes_nothing() {
        let mut track = track(circle(), "pgs");
        let watch = Watch {
            cancelled: &|| true,
            ..Watch::SILENT
        };
        let done = track.frame(0, watch, &mut |_| {});
        assert!(matches!(done, Err(NotDone::Cancelled)));
        assert!(track.take().is_none() && track.now().run.frames() == 0);
    }

    #[test]
    fn a_number_that_is_none_is_a_failure_with_a_sentence() {
        let mut broken = circle();
        broken.scene.gravity = f64::NAN;
        let mut track = track(broken, "pi-mgpcg");
        let Err(NotDone::Failed(failure)) = track.frame(1, Watch::SILENT, &mut |_| {}) else {
            panic!("not a number");
        };
        assert!(
            failure.view == 1 && failure.message.contains("NaN"),
            "{}",
            failure.message
        );
    }
}
