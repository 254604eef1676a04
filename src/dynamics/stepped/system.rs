//! A system without its types: a row of a list that scenes are started from, and a scene that runs.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use image::RgbImage;

use super::running::Running;
use super::settings::{SettingsError, settings};
use super::{Choice, Fault, Feature, Look, Measure, Reader, Sibling, TableRequest, Track};
use crate::report::table::Row;
use crate::scene_file::{SceneError, SceneFile};

/// A scene, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneRow {
    /// Its name.
    pub name: String,
    /// Where it is in the paper; empty for one of your own.
    pub source: &'static str,
    /// What happens, in a line.
    pub title: String,
    /// 2 or 3.
    pub dimension: usize,
    /// How large it is, in a word or two.
    pub size: String,
    /// Other sizes, by name.
    pub sizes: Vec<String>,
}

/// A system of scenes that are stepped.
pub trait System: Sync {
    /// Its name: the subcommand.
    fn name(&self) -> &'static str;
    /// Its name for people.
    fn label(&self) -> &'static str;
    /// What it simulates, in a sentence without its end.
    fn about(&self) -> &'static str;
    /// What [`SceneRow::source`] is.
    fn source(&self) -> &'static str;
    /// Keys of its scene files that no other file has.
    fn keys(&self) -> &'static [&'static str];
    /// Numbers that every step tells.
    fn measures(&self) -> &'static [Measure];
    /// The formats that states are written in, by name; a scene may lack what one of them holds.
    fn formats(&self) -> &'static [&'static str];
    /// What it tells or takes that others don't.
    fn features(&self) -> &'static [Feature];
    /// Settings that people choose.
    fn choices(&self) -> &'static [Choice];
    /// The scenes that come with the program.
    fn scenes(&self) -> Vec<SceneRow>;
    /// The file of a scene that comes with the program.
    fn file(&self, name: &str) -> Option<&'static str>;
    /// Reads a scene file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    fn read(&self, text: &str) -> Result<SceneRow, SceneError>;
    /// A scene file with what it names beside it, such as meshes, put into it; the same text where it names nothing.
    ///
    /// # Errors
    /// What is wrong with it, and with the files that it names.
    fn complete(&self, text: String, read: &Reader<'_>) -> Result<String, Fault>;
    /// Starts the scene of a file with these changes of settings (`KEY=VALUE`).
    ///
    /// # Errors
    /// A file, size, settings or scene that is at fault.
    fn start(
        &self,
        text: &str,
        size: Option<&str>,
        changes: &[String],
    ) -> Result<Box<dyn Run>, Fault>;
    /// All settings with these changes: equal for changes that come to the same.
    ///
    /// # Errors
    /// A change that isn't one.
    fn settings(&self, changes: &[String]) -> Result<toml::Value, SettingsError>;
    /// The tables there are.
    fn tables(&self) -> Vec<&'static str>;
    /// The rows of a table.
    ///
    /// # Errors
    /// No such table; runs that fail; `keep_on` that says no.
    fn rows(
        &self,
        name: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Row>, Fault>;
    /// The rows of one of your own scenes (its file's text), where tables are of scenes.
    fn rows_of(
        &self,
        text: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Option<Result<Vec<Row>, Fault>>;
}

/// Two of the same name are the same.
impl PartialEq for dyn System {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn System {}

impl fmt::Debug for dyn System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a setting by its key; dots reach into tables. None of what isn't set.
pub fn value_of(settings: &toml::Value, key: &str) -> Option<String> {
    let found = key
        .split('.')
        .try_fold(settings, |at, part| at.as_table()?.get(part))?;
    match found {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Table(_) | toml::Value::Array(_) => None,
        other => Some(other.to_string()),
    }
}

/// A hand that holds what is at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// Where it took hold, m.
    pub from: [f64; 3],
    /// Where it is, m.
    pub to: [f64; 3],
}

/// A step that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRow {
    /// Its line of the log.
    pub csv: String,
    /// Its numbers, as the system's measures list them.
    pub values: Vec<f64>,
    /// Why it should be doubted.
    pub doubt: Option<String>,
}

/// Bytes in the format of a name.
type Written = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

/// The picture of a series.
type Pictured = dyn Fn(&Look) -> RgbImage + Send + Sync;

/// A run at an instant: nothing in it changes any more.
#[derive(Clone)]
pub struct RunSnapshot {
    /// Steps made.
    pub done: usize,
    /// Time, s.
    pub time: f64,
    /// The head of its log.
    pub head: String,
    /// What can be drawn.
    pub look: Look,
    pub(super) written: Arc<Written>,
    pub(super) pictured: Arc<Pictured>,
}

impl RunSnapshot {
    /// It in the format of this name (`vtu`, `ply`, `vti`), if it can be written so.
    pub fn file(&self, format: &str) -> Option<Vec<u8>> {
        (self.written)(format)
    }

    /// The picture of a series.
    pub fn picture(&self) -> RgbImage {
        (self.pictured)(&self.look)
    }
}

impl fmt::Debug for RunSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSnapshot")
            .field("done", &self.done)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

/// A scene that runs.
pub trait Run: Track + Send {
    /// Another name, where two are called alike.
    fn rename(&mut self, name: String);
    /// Steps that the scene's duration needs.
    fn needed(&self) -> usize;
    /// As it is now.
    fn seen(&self) -> RunSnapshot;
    /// The last step of this process.
    fn last(&self) -> Option<StepRow>;
    /// Goes on with these changes of settings instead.
    ///
    /// # Errors
    /// A change that isn't one, or out of range; then nothing changes.
    fn adopt(&mut self, changes: &[String]) -> Result<(), Fault>;
    /// Another that goes on from here.
    ///
    /// # Errors
    /// A state that can't be copied.
    fn fork(&self) -> Result<Box<dyn Run>, Fault>;
    /// Holds what a hand has taken, or lets go.
    fn hold(&mut self, hand: Option<Hand>);
}

/// The row of a system.
pub struct Of<S>(PhantomData<fn() -> S>);

impl<S> Of<S> {
    /// The row.
    pub const ROW: Self = Self(PhantomData);
}

fn row<S: Sibling>(scene: &S::Scene, source: &'static str) -> SceneRow {
    SceneRow {
        name: scene.name().to_owned(),
        source,
        title: scene.title().to_owned(),
        dimension: S::dimension(scene),
        size: S::size(scene),
        sizes: S::sizes(scene),
    }
}

impl<S: Sibling> System for Of<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn label(&self) -> &'static str {
        S::LABEL
    }

    fn about(&self) -> &'static str {
        S::ABOUT
    }

    fn source(&self) -> &'static str {
        S::SOURCE
    }

    fn keys(&self) -> &'static [&'static str] {
        S::KEYS
    }

    fn measures(&self) -> &'static [Measure] {
        S::MEASURES
    }

    fn formats(&self) -> &'static [&'static str] {
        S::FORMATS
    }

    fn features(&self) -> &'static [Feature] {
        S::FEATURES
    }

    fn choices(&self) -> &'static [Choice] {
        S::CHOICES
    }

    fn scenes(&self) -> Vec<SceneRow> {
        let all = S::built_in().iter();
        all.map(|b| row::<S>(&b.scene(), b.source)).collect()
    }

    fn file(&self, name: &str) -> Option<&'static str> {
        let found = S::built_in().iter().find(|b| b.name == name);
        found.map(|b| b.toml)
    }

    fn read(&self, text: &str) -> Result<SceneRow, SceneError> {
        Ok(row::<S>(&S::Scene::parse(text)?, ""))
    }

    fn complete(&self, text: String, read: &Reader<'_>) -> Result<String, Fault> {
        let Some(scene) = S::complete(&S::Scene::parse(&text)?, read)? else {
            return Ok(text);
        };
        scene.validate()?;
        Ok(scene.print())
    }

    fn start(
        &self,
        text: &str,
        size: Option<&str>,
        changes: &[String],
    ) -> Result<Box<dyn Run>, Fault> {
        let mut scene = S::Scene::parse(text)?;
        if let Some(size) = size {
            scene = scene.at_size(size)?;
        }
        Ok(Box::new(Running::<S>::start(scene, settings(changes)?)?))
    }

    fn settings(&self, changes: &[String]) -> Result<toml::Value, SettingsError> {
        let settings: S::Settings = settings(changes)?;
        toml::Value::try_from(settings).map_err(|error| SettingsError::Together {
            message: error.to_string(),
        })
    }

    fn tables(&self) -> Vec<&'static str> {
        S::tables()
    }

    fn rows(
        &self,
        name: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Row>, Fault> {
        S::rows(name, request, keep_on)
    }

    fn rows_of(
        &self,
        text: &str,
        request: &TableRequest,
        keep_on: &dyn Fn() -> bool,
    ) -> Option<Result<Vec<Row>, Fault>> {
        match S::Scene::parse(text) {
            Ok(scene) => S::rows_of(&scene, request, keep_on),
            Err(error) => Some(Err(error.into())),
        }
    }
}
