//! `--set KEY=VALUE` becomes a struct of settings, whatever its fields are.

use serde::de::DeserializeOwned;

use super::super::outcome::CliError;

/// Settings of type `T` with these changed: each is a key and a value of TOML; a bare word is a text, and a dotted key reaches into a
/// table.
///
/// # Errors
/// [`CliError::Usage`] that names the key: unknown (with those that there are), or with a value of the wrong type.
pub fn settings<T: DeserializeOwned>(changes: &[String]) -> Result<T, CliError> {
    let mut text = String::new();
    for change in changes {
        let Some((key, value)) = change.split_once('=') else {
            return Err(usage(format!("--set {change}: write KEY=VALUE")));
        };
        let (key, value) = (key.trim().replace('-', "_"), value.trim());
        let is_toml = format!("x = {value}").parse::<toml::Table>().is_ok();
        let line = match is_toml {
            true => format!("{key} = {value}\n"),
            false => format!("{key} = {}\n", toml::Value::String(value.to_owned())),
        };
        toml::from_str::<T>(&line)
            .map_err(|error| usage(format!("--set {change}: {}", error.message())))?;
        text += &line;
    }
    toml::from_str(&text).map_err(|error| usage(format!("--set: {}", error.message())))
}

fn usage(message: String) -> CliError {
    CliError::Usage { message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet::particles::{Settings, Solver};

    #[test]
    fn a_setting_is_changed_by_its_name_and_a_wrong_one_is_named() {
        let of = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|c| (*c).to_owned()).collect();
            settings::<Settings>(&changes)
        };
        let changed = of(&["solver=active-set", "max-iterations = 7"]).unwrap();
        assert_eq!(changed.solver, Solver::ActiveSet, "a bare word");
        assert_eq!(
            changed.max_iterations, 7,
            "a number, dashes for underscores"
        );
        assert_eq!(changed.alpha, Settings::default().alpha, "the rest stays");
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
}
