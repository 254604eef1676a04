//! What a system with scene files says of itself, once for everyone who runs it.

use std::io;

use image::RgbImage;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Fault, Look};
use crate::lcp::Watch;
use crate::report::picture::Framing;
use crate::report::table::{At, Row};
use crate::scene_file::{BuiltIn, SceneFile};

/// Where a number of every step is drawn over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plot {
    /// Among energies.
    Energy,
    /// Among counts of iterations.
    Count,
    /// Among residuals and violated constraints, as powers of ten.
    Error,
    /// Nowhere: it is in tables only.
    Table,
}

/// A number that every step tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for counts and ratios.
    pub unit: &'static str,
    /// What it is, in a sentence without its end.
    pub about: &'static str,
    /// Where it is drawn.
    pub plot: Plot,
}

/// A number that every step tells: name, unit, what it is, where it is drawn.
pub const fn measure(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    plot: Plot,
) -> Measure {
    Measure {
        name,
        unit,
        about,
        plot,
    }
}

/// What a setting may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A number between these.
    Number(f64, f64),
    /// A whole number between these.
    Count(u32, u32),
}

/// A setting that people choose, also while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Its key, as settings have it; dots reach into tables.
    pub key: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence without its end.
    pub about: &'static str,
    /// What it may be.
    pub values: Values,
}

/// What a system tells or takes that others don't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Points have pressures.
    Pressure,
    /// Cells in the plane have a vorticity.
    Vorticity,
    /// Pairs that touch are told.
    Contacts,
    /// What is drawn can be held by a hand.
    Hand,
}

/// Gives the bytes of a file that a scene names, by that name.
pub type Reader<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// How a table is asked for.
#[derive(Clone, Copy, Debug)]
pub struct TableRequest {
    /// At which size.
    pub at: At,
    /// At most so many seconds of each scene are simulated, where that is asked.
    pub seconds: f64,
}

/// A simulation that a scene file starts.
pub trait Sibling: Sized + Send + 'static {
    /// Its scenes.
    type Scene: SceneFile + Send + 'static;
    /// Its numerical choices.
    type Settings: Serialize + DeserializeOwned + Default + Clone + PartialEq + Send + 'static;
    /// What a step tells.
    type Log: Send + 'static;
    /// Its state at an instant, for drawing and writing.
    type Snapshot: Send + Sync + 'static;
    /// Its name: the subcommand, and the first word of folders of results.
    const NAME: &'static str;
    /// Its name for people.
    const LABEL: &'static str;
    /// What it simulates, in a sentence without its end.
    const ABOUT: &'static str;
    /// What [`BuiltIn::source`] is, as the head of a column.
    const SOURCE: &'static str;
    /// The head of [`Sibling::row`], without its end.
    const HEAD: &'static str;
    /// Keys of its scene files that no other file has, by which a file is known to be one.
    const KEYS: &'static [&'static str];
    /// Numbers that every step tells.
    const MEASURES: &'static [Measure];
    /// The formats of [`Sibling::write`]; a scene may lack what one of them holds.
    const FORMATS: &'static [&'static str];
    /// What it tells or takes that others don't.
    const FEATURES: &'static [Feature];
    /// Settings that people choose.
    const CHOICES: &'static [Choice];

    /// The scenes that come with the program.
    fn built_in() -> &'static [BuiltIn<Self::Scene>];
    /// 2 or 3.
    fn dimension(scene: &Self::Scene) -> usize;
    /// How large a scene is, in a word or two.
    fn size(scene: &Self::Scene) -> String;
    /// Other sizes that a scene has, by name.
    fn sizes(scene: &Self::Scene) -> Vec<String>;
    /// What tells runs of one scene apart: part of the names of files.
    fn run_name(scene: &Self::Scene, settings: &Self::Settings) -> String;
    /// The scene with what it names beside its file, such as meshes, put into it; `read` gives a file's bytes. None of a scene that names
    /// nothing.
    ///
    /// # Errors
    /// Files that can't be read, or are at fault.
    fn complete(_scene: &Self::Scene, _read: &Reader<'_>) -> Result<Option<Self::Scene>, Fault> {
        Ok(None)
    }
    /// Starts a scene.
    ///
    /// # Errors
    /// A scene or settings out of range.
    fn start(scene: &Self::Scene, settings: &Self::Settings) -> Result<Self, Fault>;
    /// Goes on with other settings; `scene` is the one that was started.
    ///
    /// # Errors
    /// Settings out of range; then nothing changes.
    fn adopt(&mut self, scene: &Self::Scene, settings: &Self::Settings) -> Result<(), Fault>;
    /// Steps that the scene's duration needs.
    fn needed(&self) -> usize;
    /// Steps made.
    fn done(&self) -> usize;
    /// Time, s.
    fn time(&self) -> f64;
    /// One step. Where it takes long it may stop early, with any error, once `watch` says so.
    ///
    /// # Errors
    /// A state that can't be gone on from.
    fn step(&mut self, watch: Watch<'_>) -> Result<Self::Log, Fault>;
    /// A step as a line of CSV, without its end.
    fn row(log: &Self::Log) -> String;
    /// The numbers of a step, as [`Sibling::MEASURES`] lists them.
    fn measures(log: &Self::Log) -> Vec<f64>;
    /// Why a step that was made should be doubted, if it should.
    fn doubt(log: &Self::Log) -> Option<String>;
    /// The state, copied.
    fn snapshot(&self) -> Self::Snapshot;
    /// The box that pictures show, m; asked at the start.
    fn bounds(&self) -> [[f64; 3]; 2];
    /// What can be drawn of a state of this run.
    fn look(&self, snapshot: &Self::Snapshot, bounds: [[f64; 3]; 2]) -> Look;
    /// The picture of a series.
    fn picture(_snapshot: &Self::Snapshot, look: &Look, framing: &Framing) -> RgbImage {
        look.picture(framing)
    }
    /// Writes a state in the format of this name, one of [`Sibling::FORMATS`], if it can be written so.
    fn write(snapshot: &Self::Snapshot, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>>;
    /// The residuals of every solve of these steps as CSV, where solves are told.
    fn solves(_logs: &[Self::Log]) -> Option<String> {
        None
    }
    /// What came of the steps of this process; there is at least one.
    fn told(&self, logs: &[Self::Log]) -> String;
    /// The state.
    ///
    /// # Errors
    /// A state that can't be written.
    fn save(&self) -> Result<Vec<u8>, Fault>;
    /// Goes on from a state.
    ///
    /// # Errors
    /// One of another scene or of other settings, or a damaged one.
    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault>;
    /// The tables there are.
    fn tables() -> Vec<&'static str>;
    /// The rows of a table.
    ///
    /// # Errors
    /// No such table; runs that fail; `keep_on` that says no.
    fn rows(
        name: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Row>, Fault>;
    /// The rows of one of your own scenes, where tables are of scenes.
    fn rows_of(
        _scene: &Self::Scene,
        _request: &TableRequest,
        _keep_on: &dyn Fn() -> bool,
    ) -> Option<Result<Vec<Row>, Fault>> {
        None
    }
    /// Takes hold of what is at a point (m), if something there can be held: it follows [`Sibling::drag`] until it is let go.
    fn grab(&mut self, _at: [f64; 3]) -> bool {
        false
    }
    /// Where the hand is now, m; `None` lets go.
    fn drag(&mut self, _to: Option<[f64; 3]>) {}
}
