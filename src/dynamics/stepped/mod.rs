//! Whatever is stepped frame by frame, for those who step it: the command line, and the window.
//!
//! ```text
//! Sibling (a crate's simulation, with its types) --Of--> dyn System (a row of a list) --start--> dyn Run: steps, what is seen, checkpoints
//! ```
//! A system with scene files implements [`Sibling`] and is then run by everyone; who lists and runs systems knows [`System`] and [`Run`]
//! only. Knows of no system, no files and no window.
//!
//! | file | turns what into what |
//! | --- | --- |
//! | [`sibling`] | what a system says of itself |
//! | [`system`] | a system into a row of a list, without its types |
//! | `running` | a scene into steps |
//! | [`settings`] | `KEY=VALUE` into a struct of settings |
//! | [`look`] | a state into what can be drawn |

pub mod look;
mod running;
pub mod settings;
pub mod sibling;
pub mod system;

use std::error::Error;

use image::RgbImage;

use crate::lcp::Watch;
use crate::report::picture::Framing;
pub use look::Look;
pub use sibling::{Choice, Feature, Measure, Plot, Reader, Sibling, TableRequest, Values, measure};
pub use system::{Hand, Of, Run, RunSnapshot, SceneRow, StepRow, System};

/// Why a simulation can't start, go on, be saved or be taken up.
pub type Fault = Box<dyn Error + Send + Sync>;

/// One of the simulations of a run, which are drawn side by side.
pub trait Track {
    /// What tells it from the others: in names of files and in the log.
    fn name(&self) -> &str;
    /// Frames or steps done.
    fn done(&self) -> usize;
    /// Time, as what runs counts it.
    fn time(&self) -> f64;
    /// One frame or step. Stops early, with any error, once `watch` says so.
    ///
    /// # Errors
    /// A state that can't be gone on from.
    fn advance(&mut self, watch: Watch<'_>) -> Result<(), Fault>;
    /// The head of its log.
    fn head(&self) -> String;
    /// A row a frame.
    fn log(&self) -> &str;
    /// As it looks.
    fn picture(&self, framing: &Framing) -> RgbImage;
    /// It in the format of this name (`vtu`, `ply`), if it can be written so.
    fn file(&self, format: &str) -> Option<Vec<u8>>;
    /// The residuals of every solve of this process as CSV, where solves are told.
    fn solves(&self) -> Option<String> {
        None
    }
    /// What the last frame or step of this process did.
    fn told(&self) -> Option<String>;
    /// A checkpoint.
    ///
    /// # Errors
    /// A state that can't be written.
    fn save(&self) -> Result<Vec<u8>, Fault>;
    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// A checkpoint of something else, or a damaged one.
    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault>;
}
