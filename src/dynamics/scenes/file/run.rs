//! A scene file's liquid under way: frames by the loop of scenes or by that of tanks, told in SI by both.

use thiserror::Error;

use self::world::{Named, World};
use super::LiquidScene;
use super::settings::LiquidSettings;
use crate::lcp::Watch;
use crate::report::checkpoint::CheckpointError;
use crate::scene_file::{SceneError, SceneFile, WrongValue};
use crate::scenes::SimulationError;
use crate::scenes::eckert::TankError;

mod told;
mod world;

pub use told::{HEAD, LiquidLog, LiquidSnapshot, Next};

/// Why a scene can't start or go on.
#[derive(Debug, Error)]
pub enum LiquidError {
    /// The scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The settings.
    #[error("setting {0}")]
    Settings(#[from] WrongValue),
    /// Nothing to see.
    #[error(
        "there is no particle: the liquid isn't where it is open, or the cells are too large for it"
    )]
    Empty,
    /// What would start anew.
    #[error("`{0}` can't change in a run: start anew")]
    Fixed(&'static str),
    /// A frame of the loop of scenes.
    #[error(transparent)]
    Frame(#[from] SimulationError),
    /// A step of the loop of tanks.
    #[error(transparent)]
    Step(#[from] TankError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A checkpoint of something else.
    #[error("it is of another scene or of other settings")]
    OtherRun,
}

enum Inner {
    Plane(Box<World<2>>),
    Space(Box<World<3>>),
}

macro_rules! either {
    ($inner:expr, $world:ident => $do:expr) => {
        match $inner {
            Inner::Plane($world) => $do,
            Inner::Space($world) => $do,
        }
    };
}

/// A scene file's liquid, running.
pub struct LiquidRun {
    scene: LiquidScene,
    /// Those of the file under those that were given.
    settings: LiquidSettings,
    inner: Inner,
}

impl LiquidRun {
    /// A scene at its start.
    ///
    /// # Errors
    /// A scene or settings out of range, a solver that doesn't mind its walls, no liquid.
    pub fn new(scene: &LiquidScene, settings: &LiquidSettings) -> Result<Self, LiquidError> {
        let all = settings.over(&scene.settings);
        all.validate()?;
        let mut scene = scene.clone();
        scene.cells = all.cells.unwrap_or(scene.cells);
        scene.gravity = all.gravity.unwrap_or(scene.gravity);
        scene.keep_volume = all.keep_volume.unwrap_or(scene.keep_volume);
        scene.validate()?;
        let inner = match scene.dimension {
            2 => Inner::Plane(Box::new(World::new(&scene, &all)?)),
            _ => Inner::Space(Box::new(World::new(&scene, &all)?)),
        };
        Ok(Self {
            scene,
            settings: all,
            inner,
        })
    }

    /// The scene, with what settings changed of it.
    pub fn scene(&self) -> &LiquidScene {
        &self.scene
    }

    /// The settings, those of the file included.
    pub fn settings(&self) -> &LiquidSettings {
        &self.settings
    }

    /// Goes on with other settings; `file` is the scene that was started.
    ///
    /// # Errors
    /// Settings out of range, or such as would need another grid; then nothing changes.
    pub fn adopt(
        &mut self,
        file: &LiquidScene,
        settings: &LiquidSettings,
    ) -> Result<(), LiquidError> {
        let all = settings.over(&file.settings);
        all.validate()?;
        let now = &self.settings;
        let fixed = [
            ("cells", all.cells != now.cells),
            ("particles", all.particles != now.particles),
            ("keep_volume", all.keep_volume != now.keep_volume),
        ];
        if let Some((name, _)) = fixed.iter().find(|(_, differs)| *differs) {
            return Err(LiquidError::Fixed(name));
        }
        let gravity = all.gravity.unwrap_or(file.gravity);
        let (side, frame) = (self.scene.side(), self.scene.frame);
        either!(&mut self.inner, world => world.adopt(&all, gravity, side, frame))?;
        self.scene.gravity = gravity;
        self.settings = all;
        Ok(())
    }

    /// Frames done.
    pub fn frames(&self) -> usize {
        either!(&self.inner, world => world.frames())
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.frames() as f64 * self.scene.frame
    }

    /// One frame; the state stays that of the frame before if it can't be finished.
    ///
    /// # Errors
    /// [`LiquidError::Frame`], [`LiquidError::Step`].
    pub fn frame(&mut self, watch: Watch<'_>) -> Result<LiquidLog, LiquidError> {
        let settings = &self.settings;
        let scene = &self.scene;
        match &mut self.inner {
            Inner::Plane(world) => world.frame(scene, settings, watch),
            Inner::Space(world) => world.frame(scene, settings, watch),
        }
    }

    /// What is to be seen now.
    pub fn snapshot(&self) -> LiquidSnapshot {
        let (frames, time) = (self.frames(), self.time());
        either!(&self.inner, world => world.snapshot(&self.scene, frames, time, world.next()))
    }

    /// What a checkpoint is of.
    fn key(&self) -> String {
        format!("{:?} {:?}", self.scene, self.settings)
    }

    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        either!(&self.inner, world => world.save(&self.key()))
    }

    /// Goes on from a state of the same scene with the same settings.
    ///
    /// # Errors
    /// A checkpoint of something else, or a damaged one.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), LiquidError> {
        let key = self.key();
        let loaded = either!(&mut self.inner, world => world.load(bytes, &key));
        loaded.map_err(|error| match error {
            CheckpointError::OtherRun { .. } => LiquidError::OtherRun,
            CheckpointError::Damaged => error.into(),
        })
    }
}

#[cfg(test)]
mod tests;
