//! `stokeslet liquid` as its users meet it.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::Command;

fn demand(code: i32, folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_stokeslet"))
        .arg("liquid")
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{out}\n{err}"
    );
    (out, err)
}

#[test]
fn scenes_solvers_and_tables_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = demand(0, folder.path(), &["scenes"]);
    for name in ["circle", "double-sphere", "fas-mg", "mprgp", "T6.12"] {
        assert!(out.contains(name), "{name}");
    }
}

#[test]
fn a_run_writes_what_was_asked_for_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let run = |out: &str, frames: &str, more: &[&str]| {
        let mut arguments = vec![
            "run", "circle", "--size", "16", "--out", out, "--frames", frames,
        ];
        arguments.extend([
            "--solver",
            "pi-pcg",
            "--walls",
            "both",
            "--format",
            "png,csv,vtu",
        ]);
        arguments.extend(more);
        demand(0, folder.path(), &arguments)
    };
    run("parts", "3", &["--every", "3"]);
    run("parts", "6", &["--every", "3", "--resume"]);
    run("whole", "6", &["--every", "3"]);
    let file = |out: &str, name: &str| {
        fs::read(folder.path().join(out).join("circle-16").join(name)).unwrap()
    };
    for name in ["frame-0006.png", "separating-0006.vtu", "sticking-0006.vtu"] {
        assert!(
            file("parts", name) == file("whole", name),
            "{name} differs after a stop"
        );
    }
    let log = String::from_utf8(file("parts", "frames.csv")).unwrap();
    assert_eq!(log.lines().count(), 1 + 2 * 6);
    // A checkpoint that is cut off is refused, not half read.
    let path = folder
        .path()
        .join("parts/circle-16/checkpoint-separating.bin");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let (_, err) = demand(
        2,
        folder.path(),
        &[
            "run", "circle", "--size", "16", "--out", "parts", "--frames", "7", "--solver",
            "pi-pcg", "--resume",
        ],
    );
    assert!(err.contains("damaged"), "{err}");
}

#[test]
fn a_table_prints_ours_beside_the_papers_and_keeps_sizes_that_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let table = |more: &[&str]| {
        let mut arguments = vec![
            "table", "t6.1", "--sizes", "32", "--frames", "3", "--out", "out",
        ];
        arguments.extend(["--solvers", "fas-mg,pcg-mic"]);
        arguments.extend(more);
        demand(0, folder.path(), &arguments).0
    };
    let first = table(&[]);
    assert!(
        first.contains("FAS-MG") && first.contains("| 7.45"),
        "{first}"
    );
    let csv = fs::read_to_string(folder.path().join("out/T6.1.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(
        fs::read_to_string(folder.path().join("out/T6.1.svg"))
            .unwrap()
            .contains("FAS-MG, paper")
    );
    assert_eq!(table(&["--resume"]), first, "read back, not run again");
}

#[test]
fn names_that_do_not_exist_are_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["run", "bathtub"][..],
        &["run", "circle", "--solver", "gauss"],
        &["table", "T9.9"],
        &["run", "circle", "--size", "3"],
    ] {
        let (_, err) = demand(2, folder.path(), arguments);
        assert!(
            err.contains("there is no") || err.contains("a number from 8"),
            "{err}"
        );
    }
}
