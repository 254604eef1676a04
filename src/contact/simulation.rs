//! A running scene: one implicit step after another, with a log of each.
//!
//! A step builds the grid of the material points, solves one system for every body together, and makes its decisions permanent:
//! places, velocities, and the attachments of pairs that still touch (`advance.rs`). Start at [`Simulation::step`].

use crate::assemble::assemble;
use crate::model::{Coupling, Model};
use crate::newton::NewtonSettings;
use crate::real::V3;
use crate::scene::Scene;
use crate::state::State;
use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::{SceneError, SceneFile};
use thiserror::Error;

mod advance;
mod arrive;
mod hand;
mod log;
mod measure;
mod wedge;

pub use hand::Pull;
pub use log::{Energies, HEAD, StepLog, Totals};

/// How a scene is run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The solve of each step.
    pub newton: NewtonSettings,
    /// Overrides the scene's coupling.
    pub coupling: Option<Coupling>,
    /// Overrides the scene's friction.
    pub friction: Option<f64>,
    /// Overrides the scene's time step, s.
    pub time_step: Option<f64>,
}

/// A simulation that can't be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The scene is at fault.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A wedge whose measured body isn't pressed against its wall.
    #[error(
        "wedge: body `{body}` doesn't press against `{wall}` after it has settled (normal force {force} N)"
    )]
    LooseWedge {
        /// The body.
        body: String,
        /// The wall.
        wall: String,
        /// What was measured.
        force: f64,
    },
    /// A mesh that is still in its file.
    #[error("the mesh of body `{body}` was not read from its file `{file}`")]
    MeshNotRead {
        /// The body.
        body: String,
        /// The file.
        file: String,
    },
    /// A checkpoint of another scene.
    #[error("the checkpoint has {found} {what}, the scene {wanted}")]
    OtherScene {
        /// What was counted.
        what: &'static str,
        /// In the checkpoint.
        found: usize,
        /// In the scene.
        wanted: usize,
    },
}

/// A pair that touches, for pictures and sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Name of the particle's body.
    pub body: String,
    /// Name of the object's body.
    pub object: String,
    /// Particle, m.
    pub particle: V3,
    /// Attachment, m.
    pub attachment: V3,
    /// Unit normal out of the object.
    pub normal: V3,
    /// Force on the particle, N.
    pub force: V3,
    /// Whether it sticks.
    pub sticking: bool,
}

impl Touch {
    /// Normal and tangential force, N.
    pub fn parts(&self) -> (f64, f64) {
        let n = self.force.dot(&self.normal);
        (n, (self.force - self.normal * n).norm())
    }
}

/// Where a body is and how it moves: its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre, m.
    pub position: V3,
    /// Velocity, m/s.
    pub velocity: V3,
    /// Angular velocity, rad/s (0 of all but rigid bodies).
    pub spin: V3,
}

/// All that a run needs to go on, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The scene.
    pub scene: Scene,
    /// The settings.
    pub settings: Settings,
    /// Places, velocities, attachments.
    pub state: State,
    /// The state that expectations are measured from.
    pub origin: Vec<V3>,
    /// Counts so far.
    pub totals: Totals,
}

/// A running scene.
pub struct Simulation {
    scene: Scene,
    settings: Settings,
    model: Model,
    state: State,
    origin: Vec<V3>,
    totals: Totals,
    touches: Vec<Touch>,
    pull: Option<Pull>,
}

impl Simulation {
    /// Starts `scene`: builds its bodies, registers what already touches, settles its wedge if it has one.
    ///
    /// # Errors
    /// [`StartError::Scene`] as [`Scene::validate`]; [`StartError::LooseWedge`].
    /// # Example
    /// ```
    /// use stokeslet_contact::{Settings, Simulation, scenes};
    /// let scene = scenes::find("plane_r_slide").unwrap().scene();
    /// let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    /// let log = simulation.step();
    /// assert!(log.touching == 4, "a cube stands on four vertices");
    /// ```
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Simulation, StartError> {
        scene.validate()?;
        let mut scene = scene.without_sizes();
        scene.coupling = settings.coupling.unwrap_or(scene.coupling);
        scene.friction = settings.friction.unwrap_or(scene.friction);
        scene.time_step = settings.time_step.unwrap_or(scene.time_step);
        scene.validate()?;
        if let Some((body, file)) = scene.without_mesh() {
            let (body, file) = (body.to_owned(), file.to_owned());
            return Err(StartError::MeshNotRead { body, file });
        }
        let scene = scene.in_order_of_arrival();
        scene.validate()?;
        let (model, state) = assemble(&scene, scene.n_present(0.0));
        let mut simulation = Simulation {
            scene,
            settings: settings.clone(),
            model,
            state,
            origin: Vec::new(),
            totals: Totals::default(),
            touches: Vec::new(),
            pull: None,
        };
        simulation.register([0, 0]);
        simulation.settle()?;
        simulation.origin = (0..simulation.model.bodies.len())
            .map(|b| simulation.motion(b).position)
            .collect();
        simulation.totals = Totals::default();
        Ok(simulation)
    }

    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// [`StartError::OtherScene`] when its state doesn't fit its scene.
    pub fn resume(checkpoint: &Checkpoint) -> Result<Simulation, StartError> {
        let scene = checkpoint.scene.without_sizes();
        scene.validate()?;
        if let Some((body, file)) = scene.without_mesh() {
            let (body, file) = (body.to_owned(), file.to_owned());
            return Err(StartError::MeshNotRead { body, file });
        }
        let scene = scene.in_order_of_arrival();
        let state = checkpoint.state.clone();
        // The step that was made last had the bodies of its beginning.
        let last = state.step.saturating_sub(1) as f64 * scene.time_step;
        let (model, fresh) = assemble(&scene, scene.n_present(last));
        let counts = [
            ("rigid bodies", state.rigids.len(), fresh.rigids.len()),
            ("vertices", state.nodes.x.len(), fresh.nodes.x.len()),
            (
                "velocities of vertices",
                state.nodes.v.len(),
                fresh.nodes.x.len(),
            ),
            (
                "masses of vertices",
                state.nodes.mass.len(),
                fresh.nodes.x.len(),
            ),
            ("points", state.points.x.len(), fresh.points.x.len()),
            (
                "velocities of points",
                state.points.v.len(),
                fresh.points.x.len(),
            ),
            (
                "affine velocities",
                state.points.affine.len(),
                fresh.points.x.len(),
            ),
            (
                "deformation gradients",
                state.points.gradient.len(),
                fresh.points.x.len(),
            ),
            (
                "masses of points",
                state.points.mass.len(),
                fresh.points.x.len(),
            ),
            (
                "volumes of points",
                state.points.volume.len(),
                fresh.points.x.len(),
            ),
            ("objects", state.attachments.len(), fresh.attachments.len()),
            ("origins", checkpoint.origin.len(), model.bodies.len()),
        ];
        for (what, found, wanted) in counts {
            if found != wanted {
                return Err(StartError::OtherScene {
                    what,
                    found,
                    wanted,
                });
            }
        }
        let (settings, origin) = (checkpoint.settings.clone(), checkpoint.origin.clone());
        Ok(Simulation {
            scene,
            settings,
            model,
            state,
            origin,
            totals: checkpoint.totals,
            touches: Vec::new(),
            pull: None,
        })
    }

    /// All that is needed to go on.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            scene: self.scene.clone(),
            settings: self.settings.clone(),
            state: self.state.clone(),
            origin: self.origin.clone(),
            totals: self.totals,
        }
    }

    /// The scene as it runs: with the settings' overrides, bodies in the order in which they come in, those that come again each by itself.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// Places, velocities, attachments.
    pub fn state(&self) -> &State {
        &self.state
    }
    /// Counts since the start.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }
    /// Pairs that touched at the end of the last step.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }
    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.step as f64 * self.model.dt
    }
    /// Whether the scene's duration is over.
    pub fn is_over(&self) -> bool {
        self.time() > self.scene.duration - 0.5 * self.model.dt
    }
    /// Contact particles of all bodies.
    pub fn n_particles(&self) -> usize {
        self.model.particles.len()
    }
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// One step.
    ///
    /// # Accuracy and cost
    /// First order in the time step. Where the solve stalls the step is made in halves, and these in halves, down to a sixteenth; where that stalls, it and all
    /// that follow are taken as they are (as in the paper). The log tells of either, and [`Self::totals`] count them. Such a step takes a solve for each of its
    /// parts, and one for each that was halved.
    /// # Source
    /// Ding 2019, sections 2.2 and 2.3; halves are ours.
    pub fn step(&mut self) -> StepLog {
        self.admit();
        self.follow_hand();
        self.advance()
    }
}
