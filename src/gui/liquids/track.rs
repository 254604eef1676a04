//! One simulation of the workspace: who solves for it, and its frames, whole or not at all.

use std::sync::Arc;

use super::settings::Choice;
use super::shot::{Contact, Failure, Row, Snapshot, fastest};
use crate::gui::words::capital;
use crate::liquid::lcp::{Lcp, LcpSolver, SolveLog, Status, Trace, Watch, solver};
use crate::liquid::scenes::SimulationError;

/// A simulation under way.
pub(super) struct Track<const D: usize> {
    /// What was chosen for it.
    pub choice: Choice,
    /// The end of the last whole frame.
    pub now: Snapshot<D>,
    solver: Box<dyn LcpSolver<D>>,
}

/// A frame that is done but not yet taken.
pub(super) struct Done<const D: usize> {
    /// Its end.
    pub after: Snapshot<D>,
    /// What it took.
    pub row: Row,
    /// The last solve, with its residuals.
    pub log: Option<SolveLog>,
    /// What the solver knew before.
    memory: Vec<u32>,
}

/// Why a frame isn't done.
pub(super) enum NotDone {
    /// Somebody asked to stop.
    Cancelled,
    /// It can't be.
    Failed(Box<Failure>),
}

impl<const D: usize> Track<D> {
    /// From a state on; none if there is no such solver.
    pub fn new(now: Snapshot<D>, choice: Choice) -> Option<Self> {
        let solver = solver::<D>(&choice.solver)?;
        let mut track = Self {
            choice,
            now,
            solver,
        };
        track.set_walls();
        Some(track)
    }

    /// Another solver, other walls; the state stays.
    pub fn choose(&mut self, choice: Choice) {
        if choice.solver != self.choice.solver
            && let Some(solver) = solver::<D>(&choice.solver)
        {
            self.solver = solver;
        }
        self.choice = choice;
        self.set_walls();
    }

    /// The same solver without what it knew.
    pub fn renew(&mut self) {
        if let Some(solver) = solver::<D>(&self.choice.solver) {
            self.solver = solver;
        }
    }

    fn set_walls(&mut self) {
        let separation = self.choice.walls.separation();
        if self.now.simulation.separation != separation {
            let mut simulation = (*self.now.simulation).clone();
            simulation.separation = separation;
            self.now.simulation = Arc::new(simulation);
        }
    }

    /// Makes the next frame, without taking it: the state stays that of the last whole frame.
    ///
    /// `solved` is told of every solve.
    pub fn frame(
        &mut self,
        view: usize,
        watch: Watch<'_>,
        solved: &mut (dyn FnMut(&SolveLog) + Send),
    ) -> Result<Done<D>, NotDone> {
        let mut simulation = (*self.now.simulation).clone();
        let memory = self.solver.memory();
        let mut seen = Seen {
            inner: &mut *self.solver,
            solved,
            pressure: vec![0.0; self.now.pressure.len()],
            contact: vec![Contact::None; self.now.contact.len()],
        };
        let mut liquid = self.now.liquid.clone();
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
        let log = frame.solves.last().cloned();
        for solve in &mut frame.solves {
            // The last residual is all that tables need.
            solve.history.drain(..solve.history.len().saturating_sub(1));
            solve.history.shrink_to_fit();
        }
        let after = Snapshot {
            fastest: fastest(&simulation),
            liquid,
            pressure: Arc::new(pressure),
            contact: Arc::new(contact),
            simulation: Arc::new(simulation),
        };
        let row = Row {
            walls: self.choice.walls,
            time: after.simulation.time,
            fastest: after.fastest,
            pressures: after.pressures(),
            frame,
        };
        Ok(Done {
            after,
            row,
            log,
            memory,
        })
    }

    /// The frame is not taken: what the solver learnt in it is forgotten.
    pub fn give_up(&mut self, done: Done<D>) {
        self.solver.recall(done.memory);
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
            log: Some(*source.log),
        })),
        SimulationError::Problem { ref source, .. } => NotDone::Failed(Box::new(Failure {
            view,
            message: capital(&format!("{error}: {source}")),
            log: None,
        })),
    }
}

/// A solver whose answers are seen: pressures and contacts by cell.
struct Seen<'a, const D: usize> {
    inner: &'a mut dyn LcpSolver<D>,
    solved: &'a mut (dyn FnMut(&SolveLog) + Send),
    pressure: Vec<f64>,
    contact: Vec<Contact>,
}

impl<const D: usize> LcpSolver<D> for Seen<'_, D> {
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
    use crate::gui::liquids::settings::Walls;
    use crate::liquid::scenes::{Simulation, scene2};

    fn track(solver: &str) -> Track<2> {
        let scene = scene2("circle").expect("a scene");
        let simulation = Simulation::new(scene, 16, Walls::Separating.separation());
        let now = Snapshot::at_start(Arc::new(simulation));
        Track::new(now, Choice::of(solver)).expect("a solver")
    }

    #[test]
    fn a_frame_is_that_of_the_simulation_and_leaves_the_state_alone() {
        let mut track = track("pi-mgpcg");
        let mut solves = 0;
        let done = track.frame(0, Watch::SILENT, &mut |_| solves += 1);
        let Ok(done) = done else {
            panic!("it converges");
        };
        let scene = scene2("circle").expect("a scene");
        let mut alone = Simulation::new(scene, 16, Walls::Separating.separation());
        let mut solver = solver::<2>("pi-mgpcg").expect("a solver");
        let frame = alone
            .frame(&mut *solver, Watch::SILENT, &mut |_| {})
            .expect("converges");
        assert_eq!(done.after.simulation.x, alone.x, "to the last bit");
        assert_eq!(
            (done.row.frame.detached, solves),
            (frame.detached, frame.solves.len())
        );
        let detached = done.after.contact.iter();
        let detached = detached.filter(|c| **c == Contact::Detached).count();
        assert_eq!(
            detached, frame.detached,
            "marked where the simulation counts them"
        );
        assert!(done.log.is_some_and(|log| log.history.len() > 1));
        assert_eq!((track.now.simulation.frames, alone.frames), (0, 1));
    }

    #[test]
    fn a_cancelled_frame_is_no_failure_and_changes_nothing() {
        let mut track = track("pgs");
        let watch = Watch {
            cancelled: &|| true,
            ..Watch::SILENT
        };
        let done = track.frame(0, watch, &mut |_| {});
        assert!(matches!(done, Err(NotDone::Cancelled)));
        assert_eq!(track.now.simulation.frames, 0);
    }

    #[test]
    fn a_number_that_is_none_is_a_failure_with_a_sentence() {
        let mut track = track("pi-mgpcg");
        let mut broken = (*track.now.simulation).clone();
        broken.scene.gravity = f64::NAN;
        track.now.simulation = Arc::new(broken);
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
