//! One simulation of the workspace: who solves for it, and its frames, whole or not at all. To the runner scenes and tanks are alike;
//! other systems run by themselves (`system`).

mod scene;
pub(super) mod system;
mod tank;

use std::sync::Arc;

use super::means::Means;
use super::run::AnyRun;
use super::shot::Snapshot;
use super::subjects::Subject;
use super::told::{Failure, Told};
use stokeslet_dynamics::lcp::{SolveLog, Watch};
use stokeslet_dynamics::scenes::Simulation;
use stokeslet_dynamics::scenes::eckert::{FlowSettings, TankFlow};

use scene::SceneTrack;
use tank::TankTrack;

/// Why a frame isn't done.
pub(super) enum NotDone {
    /// Somebody asked to stop.
    Cancelled,
    /// It can't be.
    Failed(Box<Failure>),
}

/// A simulation under way.
pub(super) trait Track<const D: usize>: Send {
    /// What was chosen for it.
    fn means(&self) -> Means;

    /// The end of the last whole frame.
    fn now(&self) -> &Snapshot<D>;

    /// Another solver, other walls, another method; the state stays. What is for another loop is not heard.
    fn choose(&mut self, means: &Means);

    /// The same without what it knew.
    fn renew(&mut self);

    /// Makes the next frame, without taking it: the state stays that of the last whole frame.
    ///
    /// `solved` is told of every solve, `view` is what failures name.
    fn frame(
        &mut self,
        view: usize,
        watch: Watch<'_>,
        solved: &mut (dyn FnMut(&SolveLog) + Send + Sync),
    ) -> Result<(), NotDone>;

    /// Takes the frame that was made.
    fn take(&mut self) -> Option<Told>;

    /// The frame that was made is not taken: what was learnt in it is forgotten.
    fn give_up(&mut self);
}

/// A subject at its start, `n` cells a side.
pub(super) fn start<const D: usize>(subject: Subject<D>, n: usize, means: &Means) -> Snapshot<D> {
    Snapshot::at_start(match subject {
        Subject::Scene(scene) => {
            let walls = means.walls().separation();
            AnyRun::of_scene(Arc::new(Simulation::new(scene, n, walls)))
        }
        Subject::Tank(tank) => {
            let flow = TankFlow::new(&tank, n, FlowSettings::of::<D>());
            AnyRun::Tank(Arc::new(flow))
        }
    })
}

/// From a state on; none if there are no such means, or not for what runs.
pub(super) fn track<const D: usize>(from: Snapshot<D>, means: &Means) -> Option<Box<dyn Track<D>>> {
    match (&from.run, means) {
        (AnyRun::Scene { simulation, liquid }, Means::Solver(choice)) => {
            let (simulation, liquid) = (simulation.clone(), liquid.clone());
            let track = SceneTrack::new(simulation, liquid, from, choice.clone())?;
            Some(Box::new(track))
        }
        (AnyRun::Tank(flow), Means::Method(name)) => {
            let flow = flow.clone();
            Some(Box::new(TankTrack::new(flow, from, name)?))
        }
        _ => None,
    }
}
