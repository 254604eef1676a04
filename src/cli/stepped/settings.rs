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

/// The settings of every run: a list such as `transfer=apic,flip` makes one of each.
///
/// # Errors
/// As [`settings`]; the same settings twice.
pub fn all_settings<T: DeserializeOwned + PartialEq>(
    changes: &[String],
) -> Result<Vec<T>, CliError> {
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
    let mut found: Vec<T> = Vec::new();
    for run in &runs {
        let one = settings(run)?;
        if found.contains(&one) {
            return Err(usage("--set names the same settings twice".into()));
        }
        found.push(one);
    }
    Ok(found)
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

    #[test]
    fn lists_become_several_runs() {
        use stokeslet::apic::Settings;
        let of = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|c| (*c).to_owned()).collect();
            all_settings(&changes).map(|all| all.iter().map(Settings::name).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]).unwrap(), ["apic"]);
        assert_eq!(
            of(&["transfer=pic,flip", "kernel=cubic"]).unwrap(),
            ["pic-cubic", "flip-cubic"]
        );
        assert_eq!(
            of(&["transfer=xpic", "order=2,5"]).unwrap(),
            ["xpic2", "xpic5"]
        );
        for wrong in ["transfer", "transfer=pic,pic", "transfer=apik"] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
    }
}
