//! Scene files (TOML) -> scenes, checked: what every sibling system does with scenes of its own kind.
//!
//! ```text
//! text --SceneFile::parse--> scene, or a SceneError that names line and key     scene --print--> text
//! ```
//! A system writes its scene as a struct and says in [`SceneFile::check`] what must hold of it; reading, printing, finding lines and the
//! list of scenes that come with a crate are here. Knows of no system.

use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use toml::de::DeTable;

/// A value outside its range, of a scene or of settings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{key}` is {value}, but must be {range}")]
pub struct WrongValue {
    /// The key, as `body[2].density`.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What it may be.
    pub range: String,
}

/// Why a scene can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SceneError {
    /// The text isn't a scene: syntax, an unknown or a missing key, a wrong type.
    #[error("{message}")]
    Text {
        /// Line, from 1.
        line: usize,
        /// The reader's message with the line drawn.
        message: String,
    },
    /// A value outside its range.
    #[error("{}{wrong}", at_line(*line))]
    Value {
        /// Line of the key in the text, from 1; 0 for a scene that wasn't read from text.
        line: usize,
        /// Which value.
        wrong: WrongValue,
    },
    /// No such size.
    #[error("the scene has no size `{0}`")]
    UnknownSize(String),
}

/// `line 3: `; nothing of what no line says.
fn at_line(line: usize) -> String {
    match line {
        0 => String::new(),
        line => format!("line {line}: "),
    }
}

/// A scene as files hold it.
pub trait SceneFile: Clone + Serialize + DeserializeOwned {
    /// A short name.
    fn name(&self) -> &str;

    /// What happens, in a line.
    fn title(&self) -> &str;

    /// Hands every value that could be wrong to `checks`.
    fn check(&self, checks: &mut Checks);

    /// The same scene at another of its sizes, if it has one of this name.
    fn sized(&self, _size: &str) -> Option<Self> {
        None
    }

    /// Reads a scene.
    ///
    /// # Errors
    /// [`SceneError::Text`] for what the reader refuses (unknown keys too), [`SceneError::Value`] for values outside their range; both
    /// with the line.
    fn parse(text: &str) -> Result<Self, SceneError> {
        let scene: Self = toml::from_str(text).map_err(|error| SceneError::Text {
            line: line_at(text, error.span().map_or(0, |span| span.start)),
            message: error.to_string(),
        })?;
        match wrong_in(&scene) {
            Some(wrong) => Err(SceneError::Value {
                line: line_of(text, &wrong.key),
                wrong,
            }),
            None => Ok(scene),
        }
    }

    /// The scene as text that [`SceneFile::parse`] reads back as the same scene.
    ///
    /// # Panics
    /// Never for scenes: all their keys are text and their numbers finite.
    fn print(&self) -> String {
        toml::to_string_pretty(self).expect("a scene holds only what TOML can say")
    }

    /// Checks every value.
    ///
    /// # Errors
    /// The first [`SceneError::Value`], with line 0.
    fn validate(&self) -> Result<(), SceneError> {
        match wrong_in(self) {
            Some(wrong) => Err(SceneError::Value { line: 0, wrong }),
            None => Ok(()),
        }
    }

    /// The same scene at another of its sizes.
    ///
    /// # Errors
    /// [`SceneError::UnknownSize`]; [`SceneError::Value`] where a value doesn't go with that size.
    fn at_size(&self, size: &str) -> Result<Self, SceneError> {
        let scene = self
            .sized(size)
            .ok_or_else(|| SceneError::UnknownSize(size.to_owned()))?;
        scene.validate()?;
        Ok(scene)
    }
}

/// Takes values and keeps the first that is wrong.
#[derive(Debug, Default)]
pub struct Checks {
    wrong: Option<WrongValue>,
}

/// The first value of a scene that is wrong; its name comes first, since folders of results are called so.
fn wrong_in<S: SceneFile>(scene: &S) -> Option<WrongValue> {
    first_wrong(|checks| {
        checks.names_a_folder("name", scene.name());
        scene.check(checks);
    })
}

/// The first value that `check` finds wrong.
pub fn first_wrong(check: impl FnOnce(&mut Checks)) -> Option<WrongValue> {
    let mut checks = Checks::default();
    check(&mut checks);
    checks.wrong
}

impl Checks {
    /// Whether nothing was wrong so far: what follows may count on it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.wrong.is_none()
    }

    /// A value of which the caller knows whether it is `good`; `range` ends "but must be".
    pub fn that(&mut self, good: bool, key: impl Display, value: impl Display, range: &str) {
        if self.is_sound() && !good {
            self.wrong = Some(WrongValue {
                key: key.to_string(),
                value: value.to_string(),
                range: range.to_owned(),
            });
        }
    }

    /// The name of a scene or of one of its sizes, after which folders are called.
    pub fn names_a_folder(&mut self, key: impl Display, name: &str) {
        let letters = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        self.that(
            !name.is_empty() && name.chars().all(letters),
            key,
            format_args!("{name:?}"),
            "letters, digits, `-` and `_`: it names the folder of results",
        );
    }

    /// A finite number above 0.
    pub fn positive(&mut self, key: impl Display, value: f64) {
        self.that(value > 0.0 && value.is_finite(), key, value, "positive");
    }

    /// A number in a closed interval; not-a-number is in none. An infinite end is none: numbers must be finite.
    pub fn within(&mut self, key: impl Display, value: f64, range: RangeInclusive<f64>) {
        let (low, high) = (range.start(), range.end());
        let words = match high.is_finite() {
            true => format!("from {low} to {high}"),
            false => format!("at least {low}"),
        };
        let good = range.contains(&value) && value.is_finite();
        self.that(good, key, value, &words);
    }

    /// As many finite numbers as axes.
    pub fn vector(&mut self, key: impl Display, value: &[f64], axes: usize) {
        let good = value.len() == axes && value.iter().all(|v| v.is_finite());
        let range = match axes {
            1 => "one finite number".to_owned(),
            n => format!("{n} finite numbers"),
        };
        self.that(good, key, format_args!("{value:?}"), &range);
    }

    /// The same, or nothing.
    pub fn optional(&mut self, key: impl Display, value: &[f64], axes: usize) {
        if !value.is_empty() {
            self.vector(key, value, axes);
        }
    }
}

/// The line of a place in a text, from 1.
fn line_at(text: &str, place: usize) -> usize {
    1 + text[..place.min(text.len())].matches('\n').count()
}

/// The line on which a key as `body[2].density` stands, from 1; the line of its table where the key isn't there.
fn line_of(text: &str, key: &str) -> usize {
    let mut place = 0;
    let document = DeTable::parse(text).ok();
    let mut table = document.as_ref().map(|found| found.get_ref());
    for part in key.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse::<usize>().ok()),
            None => (part, None),
        };
        let entry = table.and_then(|t| t.iter().find(|(k, _)| k.get_ref() == name));
        let Some((found, mut value)) = entry else {
            break;
        };
        place = found.span().start;
        let list = value.get_ref().as_array();
        if let Some(item) = index.and_then(|k| list.and_then(|list| list.get(k))) {
            (place, value) = (item.span().start, item);
        }
        table = value.get_ref().as_table();
    }
    line_at(text, place)
}

/// A scene that comes with a crate.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn<S> {
    /// Its name, as a command takes it; also of its file.
    pub name: &'static str,
    /// The section, figure or table of the paper it is of, or empty.
    pub source: &'static str,
    /// The file.
    pub toml: &'static str,
    of: PhantomData<fn() -> S>,
}

impl<S: SceneFile> BuiltIn<S> {
    /// A scene by its name, source and file.
    #[must_use]
    pub const fn new(name: &'static str, source: &'static str, toml: &'static str) -> Self {
        Self {
            name,
            source,
            toml,
            of: PhantomData,
        }
    }

    /// The scene, at its small size.
    ///
    /// # Panics
    /// Never: tests read every built-in scene.
    #[must_use]
    pub fn scene(&self) -> S {
        S::parse(self.toml).expect("built-in scenes are read by the tests")
    }
}

/// The functions `all` and `find` of a crate's built-in scenes, each a name (also of its file in `scenes/` beside this one) and its source.
#[macro_export]
macro_rules! built_in_scenes {
    ($scene:ty: $($name:literal, $source:literal;)*) => {
        const ALL: &[$crate::scene_file::BuiltIn<$scene>] = &[$($crate::scene_file::BuiltIn::new(
            $name, $source, include_str!(concat!("scenes/", $name, ".toml")),
        )),*];

        /// All built-in scenes, the paper's first.
        #[must_use]
        pub fn all() -> &'static [$crate::scene_file::BuiltIn<$scene>] {
            ALL
        }

        /// The built-in scene of a name.
        #[must_use]
        pub fn find(name: &str) -> Option<&'static $crate::scene_file::BuiltIn<$scene>> {
            ALL.iter().find(|s| s.name == name)
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = 'a'\n[start]\nspeed = 1\n\n[[body]]\nmass = 1\n[[body]]\nmass = 2\nballs = [\n  { r = 1 },\n  { r = 2 },\n]\n[sizes.paper]\nstep = 1\n";

    #[test]
    fn keys_are_found_on_their_lines() {
        for (key, line) in [
            ("name", 1),
            ("start.speed", 3),
            ("start.wave", 2),
            ("body[0].mass", 6),
            ("body[1].mass", 8),
            ("body[1].density", 7),
            ("body[1].balls[1].r", 11),
            ("sizes.paper.step", 14),
            ("nothing", 1),
        ] {
            assert_eq!(line_of(TEXT, key), line, "{key}");
        }
    }

    #[derive(Clone, serde::Serialize, serde::Deserialize)]
    struct Named {
        name: String,
    }

    impl SceneFile for Named {
        fn name(&self) -> &str {
            &self.name
        }

        fn title(&self) -> &str {
            "nothing"
        }

        fn check(&self, _: &mut Checks) {}
    }

    #[test]
    fn a_name_that_would_lead_out_of_the_folder_of_results_is_refused() {
        assert!(Named::parse("name = 'dam-break_2'").is_ok());
        for name in ["", "../up", "a/b", "a b", "C:"] {
            let refused = Named::parse(&format!("name = '{name}'")).err();
            let told = refused.map_or(String::new(), |e| e.to_string());
            assert!(told.contains("line 1: `name`"), "{name}: {told}");
        }
    }

    #[test]
    fn the_first_wrong_value_is_kept() {
        let wrong = first_wrong(|checks| {
            checks.positive("a", 1.0);
            checks.within("b", f64::NAN, 0.0..=1.0);
            checks.positive("c", -1.0);
        });
        let told = wrong.map(|w| w.to_string());
        assert_eq!(told.as_deref(), Some("`b` is NaN, but must be from 0 to 1"));
        assert_eq!(first_wrong(|checks| checks.optional("d", &[], 2)), None);
        let infinite = first_wrong(|checks| checks.within("e", f64::INFINITY, 0.0..=f64::INFINITY));
        assert!(infinite.is_some(), "no end, and yet finite");
    }
}
