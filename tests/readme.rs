//! The README says what is true: its design solves, its tests and files exist, its test command is the gate.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::place;
use stokeslet::design::parse;
use stokeslet::library::Library;
use stokeslet::session::{SolveSettings, silent, solve};
use stokeslet::table::Table;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// The first block of code in a language.
fn block<'a>(text: &'a str, after: &str, language: &str) -> &'a str {
    let text = text.split_once(after).unwrap().1;
    let fence = format!("```{language}\n");
    text.split_once(&fence)
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0
}

/// What stands between backquotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

#[test]
fn the_design_in_the_readme_solves() {
    let text = readme();
    let (design, diagnostics) = parse(block(&text, "## A design", "toml"), "readme");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (chip, diagnostics) = place(&design.unwrap(), &Library::embedded());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let settings = SolveSettings {
        resolution: 4,
        ..SolveSettings::default()
    };
    let solution = solve(
        &chip.unwrap(),
        &settings,
        &Table::default(),
        &silent,
        &CancelToken::new(),
    )
    .unwrap();
    let flows: Vec<f64> = solution.ports.iter().map(|p| p.flow_rate).collect();
    assert_eq!(flows.len(), 3, "dye, water and the outlet");
    let out = -2.0 * 2e-9 / 60.0;
    assert!(
        (flows[2] / out - 1.0).abs() < 1e-9,
        "the outlet passes what the two inlets bring, {out:e} m^3/s: {flows:?}"
    );
}

/// Two points of it instead of six.
#[test]
fn the_study_in_the_readme_runs() {
    let text = readme();
    let study = block(&text, "## Many chips", "toml");
    let few = study.replace("count = 6", "count = 2");
    assert_ne!(few, study, "its range has six points");
    let folder = tempfile::tempdir().unwrap();
    let designs = root().join("designs");
    let few = few.replace("\"designs/", &format!("\"{}/", designs.display()));
    let file = folder.path().join("study.toml");
    fs::write(&file, few).unwrap();
    let out = folder.path().join("out");
    let run = Command::new(env!("CARGO_BIN_EXE_stokeslet"))
        .arg("sweep")
        .args([&file, Path::new("--out"), &out])
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let table = fs::read_to_string(out.join("results.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 3, "{table}");
    let column = |name: &str| rows[0].iter().position(|c| c.starts_with(name)).unwrap();
    let number = |row: usize, name: &str| rows[row][column(name)].parse::<f64>().unwrap();
    assert!(
        number(1, "mixed") > number(2, "mixed"),
        "slower mixes more: {table}"
    );
    for row in [1, 2] {
        assert!(
            (number(row, "share") - 0.5).abs() < 1e-9,
            "half enters there: {table}"
        );
    }
}

#[test]
fn every_test_and_bench_that_the_readme_names_exists() {
    let mut named = 0;
    for line in readme().lines() {
        let mut source = String::new();
        for word in quoted(line) {
            let is_file = word.ends_with(".rs");
            let folders = ["tests/", "benches/", "src/"];
            if is_file && folders.iter().any(|folder| word.starts_with(folder)) {
                source =
                    fs::read_to_string(root().join(word)).unwrap_or_else(|e| panic!("{word}: {e}"));
                named += 1;
            } else if !source.is_empty() && word.matches('_').count() > 2 {
                assert!(
                    source.contains(&format!("fn {word}(")),
                    "no test `{word}` in the file that this line names: {line}"
                );
            }
        }
    }
    assert!(
        named > 5,
        "the claims name their tests: {named} files found"
    );
}

#[test]
fn files_that_the_readme_links_exist() {
    let text = readme();
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .filter(|target| !target.starts_with("http"));
    for target in targets {
        assert!(root().join(target).exists(), "no file {target}");
    }
    for line in text.lines().filter(|l| l.starts_with("| ")) {
        for word in quoted(line).filter(|w| w.starts_with("src/")) {
            assert!(root().join(word).exists(), "no file {word}: {line}");
        }
    }
}

#[test]
fn the_gate_is_the_test_command_of_the_readme() {
    let command = block(&readme(), "## Test", "sh").to_string();
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    // Then come Python's own tests, the window in a browser, and other people's programs.
    assert!(
        script.ends_with(&format!(
            "\ngate() {{\n{command}}}\ngate\nwait \"$fetching\"\n.ci/python\n.ci/web\ntests/interop/audit --where-possible\n"
        )),
        ".ci/run ends with {command}"
    );
}
