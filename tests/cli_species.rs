//! Dissolved species and tracers at the command line: engines, mistakes with their places, files.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::Command;

const TEE: &str = r#"format = 1
fluid = { viscosity = "1 mPa s" }
chip = { model = "planar", width = "100 um", depth = "50 um" }

[components]
t = { kind = "tee", at = ["0 mm", "0 mm"] }
l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "400 um" } }
u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "400 um" } }
r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "400 um" } }

[ports]
sample = { at = "l.a", flow_rate = "FLOW" }
buffer = { at = "u.a", flow_rate = "FLOW" }
out = { at = "r.b", pressure = "0 Pa" }

[species]
dye = { diffusivity = "4e-10 m^2/s", inlets = { sample = 1 } }
"#;

/// Solves one design; exit code, stdout, stderr.
fn solve(folder: &Path, text: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    fs::write(folder.join("x.toml"), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_stokeslet"))
        .args(["solve", "x.toml", "--out", "results", "--resolution", "4"])
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn each_mistake_names_its_code_and_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let good = TEE.replace("FLOW", "1 uL/min");
    for (from, to, code, line) in [
        ("sample = 1", "sampel = 1", "D018", 17),
        ("sample = 1", "sample = -1", "D009", 17),
        ("sample = 1", "sample = \"1 mbar\"", "D008", 17),
        ("4e-10 m^2/s", "0 m^2/s", "D009", 17),
        ("4e-10 m^2/s", "4e-10 m/s", "D007", 17),
        ("FLOW", "FLOW", "", 0),
    ] {
        let (exit, out, err) = solve(folder.path(), &good.replace(from, to), &[]);
        if code.is_empty() {
            assert_eq!(exit, Some(0), "{out}{err}");
            continue;
        }
        assert_eq!(exit, Some(1), "{to}: {out}{err}");
        assert!(
            err.contains(code) && err.contains(&format!("x.toml:{line}")),
            "{to}: {err}"
        );
    }
    let still = TEE.replace("FLOW", "0 uL/min");
    let (exit, _, err) = solve(folder.path(), &still, &[]);
    assert!(
        exit == Some(1) && err.contains("D410") && err.contains("x.toml:17"),
        "{exit:?} {err}"
    );
}

#[test]
fn engines_are_chosen_and_can_be_demanded() {
    let folder = tempfile::tempdir().unwrap();
    // Pe = 1 uL/min / 50 um / D: 833 at 1, 17 at 0.02.
    for (flow, arguments, code, says) in [
        ("1 uL/min", &[][..], 0, ", tubes,"),
        (
            "0.02 uL/min",
            &["--species-tolerance", "0.005"][..],
            0,
            "elements of order",
        ),
        (
            "0.02 uL/min",
            &["--species-engine", "tubes"][..],
            3,
            ", tubes,",
        ),
    ] {
        let (exit, out, err) = solve(folder.path(), &TEE.replace("FLOW", flow), arguments);
        assert!(out.contains(says), "{flow} {arguments:?}: {out}{err}");
        assert_eq!(exit, Some(code), "{flow} {arguments:?}: {out}{err}");
        // Whoever gets a 3 is told what of, where, and what to do.
        let says_why = [
            "D414",
            "x.toml:17",
            "--species-tolerance",
            "--species-engine elliptic",
        ];
        let told = says_why.iter().filter(|word| err.contains(**word)).count();
        assert_eq!(told, if code == 3 { 4 } else { 0 }, "{flow}: {err}");
    }
    let summary = fs::read_to_string(folder.path().join("results/x/summary.json")).unwrap();
    assert!(summary.contains("regions_by_elements"), "{summary}");
}

/// A picture of what isn't followed is refused before anything is solved, with what asks for it.
#[test]
fn a_picture_of_ages_says_how_ages_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let text = TEE.replace("FLOW", "1 uL/min");
    let (exit, out, err) = solve(folder.path(), &text, &["--picture", "age"]);
    assert!(
        exit == Some(1) && err.contains("residence_time = true"),
        "{out}{err}"
    );
    let (exit, out, err) = solve(folder.path(), &text, &["--picture", "agent"]);
    assert!(
        exit == Some(1) && !err.contains("residence_time"),
        "{out}{err}"
    );
    let with = text.replace("[species]", "[species]\nresidence_time = true");
    let (exit, out, err) = solve(folder.path(), &with, &["--picture", "age"]);
    assert_eq!(exit, Some(0), "{out}{err}");
    assert!(out.contains(" s, spread "), "no error of the age: {out}");
    let summary = fs::read_to_string(folder.path().join("results/x/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["species"][0]["unit"], "", "given as parts");
}

#[test]
fn tracers_are_frames_of_a_period_and_go_with_the_next_solve() {
    let folder = tempfile::tempdir().unwrap();
    let text = TEE.replace("FLOW", "1 uL/min");
    let (exit, out, err) = solve(folder.path(), &text, &["--tracers", "10"]);
    assert!(exit == Some(0) && out.contains("10 ways"), "{out}{err}");
    let frames = folder.path().join("results/x/tracers");
    let index = fs::read_to_string(frames.join("tracers.pvd")).unwrap();
    let files: Vec<&str> = index
        .split("file=\"")
        .skip(1)
        .filter_map(|t| t.split('"').next())
        .collect();
    assert_eq!(files.len(), 48);
    for file in files {
        let points = fs::read_to_string(frames.join(file)).unwrap();
        assert!(points.contains("NumberOfPoints") && points.trim_end().ends_with("</VTKFile>"));
        let picture = fs::read_to_string(frames.join(file.replace("vtu", "svg"))).unwrap();
        assert!(picture.matches("<circle").count() > 100, "{file}");
    }
    let (exit, ..) = solve(folder.path(), &text, &[]);
    assert_eq!(exit, Some(0));
    assert!(!frames.exists(), "frames of another solve");
}

/// In three dimensions: tracers go with the mean over the depth, species are everywhere, elements are refused before anything is solved.
#[test]
fn species_are_followed_over_the_depth() {
    let folder = tempfile::tempdir().unwrap();
    let deep = TEE.replace("FLOW", "1 uL/min").replace("planar", "full");
    let run = |arguments: &[&str]| solve(folder.path(), &deep, arguments);
    let written = |name: &str| fs::read(folder.path().join("results/x").join(name)).unwrap();
    let files = ["--picture", "dye", "--format", "csv,json,svg,vtu"];
    let loose = ["--species-tolerance", "0.01"];
    let (exit, out, err) = run(&[&files[..], &loose[..]].concat());
    assert!(
        exit == Some(0) && out.contains("maps between sections of 48 x 24 cells"),
        "{out}{err}"
    );
    assert!(out.contains("out (out): 0.500000"), "{out}");
    let profiles = String::from_utf8(written("profiles.csv")).unwrap();
    let mut lines = profiles.lines();
    assert_eq!(lines.next(), Some("species,port,eta,y_m,z_m,c"));
    let rows: Vec<&str> = lines.collect();
    assert!(rows.len() == 48 * 12 && rows.iter().all(|r| r.starts_with("dye,out,")));
    let fields = String::from_utf8_lossy(&written("fields.vtu")).into_owned();
    assert!(fields.contains("Name=\"dye\""), "a scalar of the solid");
    assert!(String::from_utf8_lossy(&written("picture.svg")).contains("dye"));
    let (exit, out, err) = run(&["--tracers", "10", "--no-species"]);
    assert!(exit == Some(0) && out.contains("10 ways"), "{out}{err}");
    let (exit, _, err) = run(&["--species-engine", "elliptic"]);
    assert!(
        exit == Some(1) && err.contains("leave out the choice of an engine"),
        "{err}"
    );
    // What is less exact than was asked isn't mended by what is refused.
    let (exit, _, err) = run(&["--species-tolerance", "1e-5"]);
    assert!(exit == Some(3) && !err.contains("elliptic"), "{err}");
}
