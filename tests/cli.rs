//! The program as its users meet it: arguments, exit codes, messages. What needs a solve is in `cli_solve.rs`.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const GOOD: &str = r#"format = 1
title = "Straight channel"

[fluid]
viscosity = "1 mPa s"

[chip]
width = "100 um"

[components]
p = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "1 mm" } }

[ports]
inlet = { at = "p.a", pressure = "1 mbar" }
outlet = { at = "p.b", pressure = "0 Pa" }
"#;

const NETWORK: &str = r#"{"name": "ell", "width": 1e-4, "nodes": [[0, 0], [1e-3, 0], [1e-3, 1e-3]], "channels": [[0, 1], [1, 2]],
"inlets": [0], "outlets": [2], "flow_rate": 1e-6, "viscosity": 1e-3}"#;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stokeslet"));
    command
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs and demands an exit code; returns stdout and stderr.
fn demand(code: i32, folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = run(folder, arguments);
    let (out, err) = (stdout(&output), stderr(&output));
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\nstdout: {out}\nstderr: {err}"
    );
    (out, err)
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn help_names_every_subcommand_and_the_exit_codes() {
    let here = folder_with(&[]);
    let (help, _) = demand(0, here.path(), &["--help"]);
    for word in [
        "solve",
        "check",
        "components",
        "import",
        "verify",
        "Examples:",
        "Exit codes:",
    ] {
        assert!(help.contains(word), "help mentions `{word}`:\n{help}");
    }
    for subcommand in ["solve", "check", "components", "import", "verify"] {
        let (help, _) = demand(0, here.path(), &[subcommand, "--help"]);
        assert!(help.contains("Usage:"), "{help}");
    }
    demand(0, here.path(), &["--version"]);
}

#[test]
fn the_flags_of_the_contract_exist() {
    let here = folder_with(&[]);
    let (help, _) = demand(0, here.path(), &["solve", "--help"]);
    for flag in [
        "--resolution",
        "--model",
        "--out",
        "--format",
        "--threads",
        "--no-cache",
        "--memory-limit",
        "--probe",
        "--line",
        "--resume",
    ] {
        assert!(help.contains(flag), "`{flag}` is in the contract");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_says_what_would_be_right() {
    let here = folder_with(&[("y.toml", GOOD)]);
    for (arguments, hint) in [
        (vec!["solve", "y.toml", "--resolutoin", "8"], "--resolution"),
        (vec!["sovle", "y.toml"], "solve"),
        (vec!["solve"], "DESIGN"),
        (vec!["solve", "y.toml", "--format", "swg"], "svg"),
        (vec!["solve", "y.toml", "--resolution", "1"], "2..=512"),
        (vec!["solve", "y.toml", "--threads", "0"], "1..=4096"),
        (vec!["solve", "y.toml", "--model", "deep"], "shallow"),
        (
            vec!["solve", "y.toml", "--memory-limit", "8 elephants"],
            "8GiB",
        ),
        (vec!["solve", "y.toml", "--probe", "1 mm"], "X,Y"),
        (vec!["solve", "y.toml", "--probe", "1 mPa,0"], "length"),
        (
            vec!["solve", "y.toml", "--line", "0,0:1,1"],
            "X0,Y0:X1,Y1:N",
        ),
        (
            vec!["solve", "y.toml", "--line", "0,0:1,1:1"],
            "number of points",
        ),
        (vec!["check", "y.toml", "--library", "nowhere"], "nowhere"),
        (vec!["verify", "--resolutions", "4,x"], "4,x"),
        (vec!["import", "n.json"], "--output"),
    ] {
        let (_, err) = demand(2, here.path(), &arguments);
        // clap names the value, not always the whole list.
        let hint = if hint == "4,x" { "x" } else { hint };
        assert!(
            err.contains(hint),
            "{arguments:?} is answered with `{hint}`:\n{err}"
        );
    }
    assert!(!here.path().join("results").exists(), "nothing was written");
}

#[test]
fn files_that_are_not_there_and_folders_without_designs_exit_with_2() {
    let here = folder_with(&[("empty/notes.txt", "none here")]);
    for (design, hint) in [
        ("missing.toml", "missing.toml"),
        ("empty", "holds no designs"),
        ("*.toml", "holds no designs"),
    ] {
        let (_, err) = demand(2, here.path(), &["check", design]);
        assert!(err.contains(hint), "{err}");
    }
}

#[test]
fn a_broken_design_is_shown_underlined_with_exit_code_1() {
    let broken = GOOD
        .replace("\"1 mPa s\"", "\"1 mPa\"")
        .replace("kind = \"pipe\"", "kind = \"pip\"");
    let here = folder_with(&[("good.toml", GOOD), ("broken.toml", &broken)]);
    let (out, err) = demand(1, here.path(), &["check", "good.toml", "broken.toml"]);
    assert!(out.contains("good.toml: fine, 1 part and 2 ports"), "{out}");
    assert!(
        err.contains("broken.toml:5:13"),
        "file, line and column:\n{err}"
    );
    assert!(err.contains("──"), "underlined:\n{err}");
    demand(0, here.path(), &["check", "good.toml"]);
}

#[test]
fn bytes_that_are_not_text_are_a_diagnostic() {
    let here = folder_with(&[]);
    fs::write(here.path().join("noise.toml"), [0xff, 0xfe, 0x00, 0x61]).unwrap();
    let (_, err) = demand(1, here.path(), &["check", "noise.toml"]);
    assert!(err.contains("D001"), "{err}");
}

#[test]
fn components_are_listed_described_and_drawn() {
    let here = folder_with(&[]);
    let (list, _) = demand(0, here.path(), &["components"]);
    for name in ["pipe", "tee", "serpentine_round"] {
        assert!(list.contains(name), "{list}");
    }
    let (tee, _) = demand(0, here.path(), &["components", "tee", "--svg", "pictures"]);
    assert!(tee.contains("branch_width"), "{tee}");
    assert!(
        fs::read_to_string(here.path().join("pictures/tee.svg"))
            .unwrap()
            .contains("<svg")
    );
    let (_, err) = demand(2, here.path(), &["components", "tea"]);
    assert!(err.contains("tee"), "suggests what was meant:\n{err}");
}

#[test]
fn a_component_of_the_users_own_needs_no_rebuild() {
    let definition = "doc = \"Long pipe\"\n\n[parameters.width]\ntype = \"length\"\ndefault = \"width\"\ndoc = \"across\"\n\n\
                      [sockets]\na = \"start\"\nb = \"end\"\n\n[strip]\nshape = \"straight\"\nsockets = [\"a\", \"b\"]\n\
                      length = \"20 * width\"\nwidth_start = \"width\"\nwidth_end = \"width\"\n";
    let design = GOOD
        .replace("kind = \"pipe\"", "kind = \"long_pipe\"")
        .replace(", parameters = { length = \"1 mm\" }", "");
    let here = folder_with(&[
        ("mine/channels/long_pipe.toml", definition),
        ("y.toml", &design),
    ]);
    demand(1, here.path(), &["check", "y.toml"]);
    demand(0, here.path(), &["check", "y.toml", "--library", "mine"]);
}

#[test]
fn a_network_becomes_a_design_that_checks() {
    let here = folder_with(&[("ell.json", NETWORK), ("cut.json", &NETWORK[..60])]);
    demand(0, here.path(), &["import", "ell.json", "-o", "ell.toml"]);
    demand(0, here.path(), &["check", "ell.toml"]);
    let (printed, _) = demand(0, here.path(), &["import", "ell.json", "-o", "-"]);
    assert!(printed.contains("[ports]"), "{printed}");
    let (_, err) = demand(1, here.path(), &["import", "cut.json", "-o", "cut.toml"]);
    assert!(err.contains("D301"), "{err}");
    assert!(
        !here.path().join("cut.toml").exists(),
        "nothing is written from a broken network"
    );
    let (_, err) = demand(2, here.path(), &["import", "none.json", "-o", "x.toml"]);
    assert!(err.contains("none.json"), "{err}");
    let (_, err) = demand(
        2,
        here.path(),
        &["import", "ell.json", "-o", "ell.json/x.toml"],
    );
    assert!(err.contains("ell.json"), "{err}");
}

/// What a plain network says itself isn't driven or closed by flags, which would do nothing.
#[test]
fn imports_refuse_what_they_cannot_use_and_read_marks_of_byte_order() {
    let wide: Vec<u8> = NETWORK.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let here = folder_with(&[
        ("ell.json", NETWORK),
        ("mark.json", &format!("\u{feff}{NETWORK}")),
    ]);
    fs::write(
        here.path().join("wide.json"),
        [&[0xff, 0xfe][..], &wide].concat(),
    )
    .unwrap();
    for flag in [
        ["--drive", "x=1 Pa"],
        ["--close", "y"],
        ["--width", "50 um"],
    ] {
        let all = [&["import", "ell.json", "-o", "x.toml"], &flag[..]].concat();
        let (_, err) = demand(2, here.path(), &all);
        assert!(err.contains(flag[0]), "{err}");
    }
    let drawing = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/threeduf.json");
    let (_, err) = demand(
        2,
        here.path(),
        &["import", drawing, "-o", "x.toml", "--close", "y"],
    );
    assert!(err.contains("--close changes nothing"), "{err}");
    let (_, err) = demand(2, here.path(), &["import", "wide.json", "-o", "x.toml"]);
    assert!(err.contains("UTF-16"), "{err}");
    assert!(!here.path().join("x.toml").exists());
    demand(0, here.path(), &["import", "mark.json", "-o", "x.toml"]);
}

/// Designs of one name beside each other, and a netlist that would be drawn over itself.
#[test]
fn nothing_is_written_over_something_else() {
    let thin = GOOD.replace("100 um", "2 um");
    let here = folder_with(&[("a/y.toml", &thin), ("b/y.toml", GOOD)]);
    let process = ["--process", "pdms", "--out", "out"];
    run(
        here.path(),
        &[&["check", "a/y.toml", "b/y.toml"], &process[..]].concat(),
    );
    let rows = |name: &str| {
        let text = fs::read_to_string(here.path().join("out").join(name)).unwrap();
        text.lines().count() - 1
    };
    assert!(rows("y.violations.csv") > rows("y-2.violations.csv"));
    let netlist = include_str!("foreign/links.toml");
    fs::write(here.path().join("l.toml"), netlist).unwrap();
    let (_, err) = demand(
        2,
        here.path(),
        &["layout", "l.toml", "-o", "./l.toml", "--no-solve"],
    );
    assert!(err.contains("another name"), "{err}");
    assert_eq!(
        fs::read_to_string(here.path().join("l.toml")).unwrap(),
        netlist
    );
}

/// The page and the schema that lie beside the designs are those that the program prints.
#[test]
fn the_format_s_page_and_schema_are_those_of_the_program() {
    let here = folder_with(&[]);
    let designs = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs");
    for (arguments, name) in [
        (&["format"][..], "FORMAT.md"),
        (&["format", "--schema"], "format.schema.json"),
    ] {
        let (out, _) = demand(0, here.path(), arguments);
        let kept = fs::read_to_string(designs.join(name)).unwrap();
        assert!(
            out == kept,
            "stokeslet {} > designs/{name} brings it up to date",
            arguments.join(" ")
        );
    }
}

#[test]
fn walls_without_thickness_are_told_of_by_check() {
    let twice = GOOD
        .replace(
            "[ports]\n",
            "q = { kind = \"pipe\", at = [\"0 mm\", \"0.1 mm\"], parameters = { length = \"1 mm\" } }\n\n[ports]\n",
        )
        .replace("\n\n[ports]", "\n[ports]")
        + "in2 = { at = \"q.a\", pressure = \"1 mbar\" }\nout2 = { at = \"q.b\", pressure = \"0 Pa\" }\n";
    let here = folder_with(&[("walls.toml", &twice)]);
    let (_, err) = demand(0, here.path(), &["check", "walls.toml"]);
    assert!(
        err.contains("D237") && err.contains("has no thickness"),
        "{err}"
    );
}
