//! `stokeslet export` as its users meet it: files, exit codes, messages. What is in the files is tested in `cad/outline/tests.rs`.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const ALL: &str = "dxf,gds,stl,mask,parchmint";

fn export(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stokeslet"))
        .arg("export")
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn design(name: &str) -> String {
    format!("{}/designs/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_format_is_a_file_named_after_the_design() {
    let folder = tempfile::tempdir().unwrap();
    let mixer = design("y-mixer");
    let output = export(
        folder.path(),
        &[&mixer, "--format", ALL, "--out", "workshop"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for ending in [".dxf", ".gds", ".stl", ".mask.svg", ".parchmint.json"] {
        let path = folder.path().join(format!("workshop/y-mixer{ending}"));
        assert!(fs::metadata(&path).unwrap().len() > 500, "{ending}");
    }
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told.lines().count(), 5, "{told}");
}

#[test]
fn a_solid_without_a_depth_says_how_to_give_one_and_the_rest_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let wide = design("wide");
    let output = export(folder.path(), &[&wide, "--format", "stl,dxf"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--depth"), "{}", stderr(&output));
    assert!(folder.path().join("wide.dxf").exists());
    assert!(!folder.path().join("wide.stl").exists());
    let output = export(
        folder.path(),
        &[&wide, "--format", "stl", "--depth", "5 mm"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn settings_that_mean_nothing_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let tee = design("tee");
    for (arguments, word) in [
        (["--format", "gds", "--tolerance", "-1 nm"], "tolerance"),
        (["--format", "gds", "--grid", "3 Pa"], "--grid"),
        (["--format", "gdsii", "--grid", "1 nm"], "gds"),
        (["--format", "stl", "--floor", "0 mm"], "floor"),
    ] {
        let output = export(folder.path(), &[&[tee.as_str()], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
    fs::write(folder.path().join("bad.toml"), "format = 1\n").unwrap();
    let output = export(folder.path(), &["bad.toml", "--format", "dxf"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("D005"), "{}", stderr(&output));
}
