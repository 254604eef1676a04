//! `KEY=VALUE` becomes a struct of settings, whatever its fields are.

use serde::de::DeserializeOwned;
use thiserror::Error;

/// A change of settings that isn't one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// No `=`.
    #[error("--set {change}: write KEY=VALUE")]
    NoValue {
        /// As given.
        change: String,
    },
    /// An unknown key (with those that there are), or a value of the wrong type.
    #[error("--set {change}: {message}")]
    Wrong {
        /// As given.
        change: String,
        /// The reader's message.
        message: String,
    },
    /// Changes that are fine alone.
    #[error("--set: {message}")]
    Together {
        /// The reader's message.
        message: String,
    },
}

/// Settings of type `T` with these changed: each is a key and a value of TOML; a bare word is a text, and a dotted key reaches into a
/// table.
///
/// # Errors
/// [`SettingsError`] that names the key.
pub fn settings<T: DeserializeOwned>(changes: &[String]) -> Result<T, SettingsError> {
    let mut text = String::new();
    for change in changes {
        let Some((key, value)) = change.split_once('=') else {
            let change = change.clone();
            return Err(SettingsError::NoValue { change });
        };
        let (key, value) = (key.trim().replace('-', "_"), value.trim());
        let is_toml = format!("x = {value}").parse::<toml::Table>().is_ok();
        let line = match is_toml {
            true => format!("{key} = {value}\n"),
            false => format!("{key} = {}\n", toml::Value::String(value.to_owned())),
        };
        toml::from_str::<T>(&line).map_err(|error| SettingsError::Wrong {
            change: change.clone(),
            message: error.message().to_owned(),
        })?;
        text += &line;
    }
    toml::from_str(&text).map_err(|error| SettingsError::Together {
        message: error.message().to_owned(),
    })
}

/// The changes of every run: a list such as `transfer=apic,flip` makes one of each.
pub fn each(changes: &[String]) -> Vec<Vec<String>> {
    let mut runs: Vec<Vec<String>> = vec![Vec::new()];
    for change in changes {
        let values: Vec<String> = match change.split_once('=') {
            // A list of TOML is one value.
            Some((key, values)) if !values.contains(['[', '{', '"', '\'']) => {
                values.split(',').map(|v| format!("{key}={v}")).collect()
            }
            _ => vec![change.clone()],
        };
        let longer = |run: &Vec<String>| {
            let with = |value: &String| [&run[..], std::slice::from_ref(value)].concat();
            values.iter().map(with).collect::<Vec<_>>()
        };
        runs = runs.iter().flat_map(longer).collect();
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stepped::system::value_of;

    #[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Solver {
        #[default]
        GaussSeidel,
        ActiveSet,
    }

    #[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        factor: f64,
    }

    #[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Chosen {
        inner: Inner,
        solver: Solver,
        max_iterations: u32,
        friction: Option<f64>,
    }

    fn of(changes: &[&str]) -> Result<Chosen, SettingsError> {
        let changes: Vec<String> = changes.iter().map(|c| (*c).to_owned()).collect();
        settings(&changes)
    }

    #[test]
    fn a_setting_is_changed_by_its_name_and_a_wrong_one_is_named() {
        let changed = of(&[
            "solver=active-set",
            "max-iterations = 7",
            "inner.factor=2.5",
        ])
        .unwrap();
        assert_eq!(changed.solver, Solver::ActiveSet, "a bare word");
        assert_eq!(
            changed.max_iterations, 7,
            "a number, dashes for underscores"
        );
        assert_eq!(changed.inner.factor, 2.5, "in a table");
        let all = toml::Value::try_from(&changed).unwrap();
        let value = |key: &str| value_of(&all, key);
        assert_eq!(value("solver").as_deref(), Some("active-set"));
        assert_eq!(value("inner.factor").as_deref(), Some("2.5"));
        assert_eq!((value("friction"), value("inner")), (None, None));
        for (wrong, says) in [
            ("solver", "KEY=VALUE"),
            ("slover=pcg", "slover"),
            ("solver=pcg", "gauss-seidel"),
            ("max_iterations=many", "many"),
        ] {
            let error = of(&[wrong]).unwrap_err().to_string();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn lists_become_several_runs() {
        let of = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|c| (*c).to_owned()).collect();
            each(&changes)
        };
        assert_eq!(of(&[]), [Vec::<String>::new()]);
        assert_eq!(
            of(&["transfer=pic,flip", "order=2,5"]),
            [
                ["transfer=pic", "order=2"],
                ["transfer=pic", "order=5"],
                ["transfer=flip", "order=2"],
                ["transfer=flip", "order=5"]
            ]
        );
        assert_eq!(of(&["x=[1, 2]"]), [["x=[1, 2]"]], "a list of TOML is one");
    }
}
