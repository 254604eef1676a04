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
    for name in [
        "circle",
        "double-sphere",
        "fas-mg",
        "mprgp",
        "T6.12",
        "T1-dam-box",
        "levitating-planes",
        "admm-vel-sep",
        "T4.2-2d",
    ] {
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
fn volume_is_kept_unless_the_papers_way_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let left = |out: &str, more: &[&str]| -> f64 {
        let mut arguments = vec!["run", "sphere", "--size", "16", "--frames", "80"];
        arguments.extend(["--out", out, "--format", "csv"]);
        arguments.extend(more);
        demand(0, folder.path(), &arguments);
        let log = folder.path().join(out).join("sphere-16/frames.csv");
        let log = fs::read_to_string(log).unwrap();
        let mut lines = log.lines().map(|l| l.split(',').collect::<Vec<_>>());
        let column = lines
            .next()
            .unwrap()
            .iter()
            .position(|h| h.starts_with("volume"));
        let volumes: Vec<f64> = lines.map(|l| l[column.unwrap()].parse().unwrap()).collect();
        volumes[volumes.len() - 1] / volumes[0]
    };
    let (kept, papers) = (left("kept", &[]), left("papers", &["--keep-volume=false"]));
    assert!((kept - 1.0).abs() < 0.03, "{kept}");
    assert!(papers < 0.9, "{papers}");
}

#[test]
fn figures_of_the_papers_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (told, _) = demand(0, folder.path(), &["figure", "f5.1,F5.6", "--out", "f"]);
    assert!(told.contains("P barycentric"), "{told}");
    for name in ["F5.1-32.csv", "F5.1-32.png", "F5.6-8.csv", "F5.6-8.png"] {
        assert!(folder.path().join("f").join(name).exists(), "{name}");
    }
    let (_, err) = demand(2, folder.path(), &["figure", "F9.9"]);
    assert!(err.contains("F4.15"), "{err}");
    let (_, err) = demand(2, folder.path(), &["figure", "F5.6", "--size", "9"]);
    assert!(err.contains("even"), "{err}");
}

#[test]
fn a_tank_is_run_by_a_splitting_method_beside_one_solve_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let run = |out: &str, frames: &str, more: &[&str]| {
        let mut arguments = vec!["run", "breaking-dam", "--size", "24", "--out", out];
        arguments.extend(["--frames", frames, "--solver", "iop-sep", "--walls", "both"]);
        arguments.extend(["--format", "png,csv,vtu", "--every", "8"]);
        arguments.extend(more);
        demand(0, folder.path(), &arguments).0
    };
    run("parts", "8", &[]);
    let told = run("parts", "16", &["--resume"]);
    assert!(
        told.contains("orig-ps ") && told.contains("iop-sep "),
        "{told}"
    );
    run("whole", "16", &[]);
    let file = |out: &str, name: &str| {
        fs::read(folder.path().join(out).join("breaking-dam-24").join(name)).unwrap()
    };
    for name in ["frame-0016.png", "iop-sep-0016.vtu", "orig-ps-0016.vtu"] {
        assert!(
            file("parts", name) == file("whole", name),
            "{name} differs after a stop"
        );
    }
    let log = String::from_utf8(file("parts", "frames.csv")).unwrap();
    assert_eq!(log.lines().count(), 1 + 2 * 16);
    // In space, and by a solver of complementarity problems.
    let space = [
        "run",
        "stairs-3d",
        "--size",
        "12",
        "--frames",
        "2",
        "--solver",
        "pi-mgpcg",
    ];
    let (told, _) = demand(0, folder.path(), &space);
    assert!(told.contains("cells of liquid"), "{told}");
}

#[test]
fn tables_of_splitting_methods_are_printed_kept_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "table", "t4.4", "--sizes", "16", "--frames", "20", "--out", "out",
    ];
    let (first, _) = demand(0, folder.path(), &arguments);
    assert!(
        first.contains("CG printed") && first.contains("305"),
        "{first}"
    );
    let file = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert!(file("T4.4-2d-16.csv").contains("1e-3,1e-2,"));
    assert!(file("T4.4-2d-16.svg").contains("eps_CG 1e-4, printed"));
    let again: Vec<&str> = arguments.iter().copied().chain(["--resume"]).collect();
    assert!(demand(0, folder.path(), &again).0.contains("is done"));
    let (_, err) = demand(2, folder.path(), &["table", "E11", "--solvers", "iop-sep"]);
    assert!(err.contains("can't be chosen"), "{err}");
}

#[test]
fn the_table_of_fixed_cycles_has_a_row_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "table", "T1", "--sizes", "16", "--frames", "1", "--out", "out",
    ];
    let (told, _) = demand(0, folder.path(), &arguments);
    for scene in ["ball-box", "dam-box", "rotated-box", "dam-sphere"] {
        let csv = folder.path().join(format!("out/T1-{scene}.csv"));
        assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 3);
    }
    assert!(
        told.contains("CM11, no LCP") && !told.contains("failed"),
        "{told}"
    );
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
fn tables_of_one_scene_share_a_run_and_say_what_each_says_alone() {
    let folder = tempfile::tempdir().unwrap();
    let told = |tables: &str| {
        let arguments = [
            "table", tables, "--sizes", "16,32", "--frames", "3", "--out", tables,
        ];
        demand(0, folder.path(), &arguments).0
    };
    let together = told("T6.7,T6.1,T6.3");
    let blocks: Vec<&str> = together.matches(" solves, pressures").collect();
    assert_eq!(blocks.len(), 3, "{together}");
    for alone in ["T6.7", "T6.1", "T6.3"] {
        // Seconds are in the last columns, and no run's are another's.
        let counts = |tables: &str| -> Vec<String> {
            let csv = folder.path().join(format!("{tables}/{alone}.csv"));
            let text = fs::read_to_string(csv).unwrap();
            let of = |line: &str| line.split(',').take(8).collect::<Vec<_>>().join(",");
            text.lines().map(of).collect()
        };
        told(alone);
        assert_eq!(counts(alone), counts("T6.7,T6.1,T6.3"));
        assert!(counts(alone).len() > 12, "two sizes of six solvers or more");
    }
}

#[test]
fn names_that_do_not_exist_are_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["run", "bathtub"][..],
        &["run", "circle", "--solver", "gauss"],
        &["table", "T9.9"],
        &["run", "breaking-dam", "--solver", "gauss"],
        &["run", "circle", "--size", "3"],
    ] {
        let (_, err) = demand(2, folder.path(), arguments);
        assert!(
            err.contains("there is no") || err.contains("a number from 8"),
            "{err}"
        );
    }
    for (arguments, hint) in [
        (
            &["run", "stairs", "--walls", "sticking"][..],
            "orig-ps, admm",
        ),
        (&["run", "stairs", "--set", "gravity=1"], "for scenes"),
        (&["run", "circle", "--set", "flap=1"], "flap"),
        (&["run", "stairs", "--keep-volume"], "for scenes"),
    ] {
        let (_, err) = demand(2, folder.path(), arguments);
        assert!(err.contains(hint), "{err}");
    }
}

/// Rows of a run's log, split.
fn rows(folder: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join("frames.csv")).unwrap();
    let lines = text.lines().skip(1);
    lines
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

#[test]
fn a_scene_of_ones_own_is_run_by_solvers_of_both_families_and_written_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = demand(0, folder.path(), &["scenes", "course"]);
    fs::write(
        folder.path().join("mine.toml"),
        file.replace("name = \"course\"", "name = \"mine\""),
    )
    .unwrap();
    let solvers = "fas-mg,pi-mgpcg,iop-sep-bc,iop-sep,orig-ps";
    let set = format!("solver={solvers}");
    let (told, _) = demand(
        0,
        folder.path(),
        &[
            "run",
            "mine.toml",
            "--set",
            &set,
            "--size",
            "24",
            "--frames",
            "4",
            "--every",
            "2",
            "--out",
            "out",
            "--format",
            "csv,vti,vtu,ply,npz,solves",
        ],
    );
    let out = folder.path().join("out/liquid-mine");
    let rows = rows(&out);
    assert_eq!(rows.len(), 20, "four frames of five: {told}");
    for solver in solvers.split(',') {
        let own: Vec<_> = rows.iter().filter(|row| row[0] == solver).collect();
        assert_eq!(own.len(), 4, "{solver}");
        assert!(
            own.iter()
                .all(|row| row[3] == solver && row[17] == "converged"),
            "{own:?}"
        );
        for ending in ["0002.vti", "0004.vti", "0004.vtu", "0004.ply"] {
            assert!(
                out.join(format!("{solver}-{ending}")).exists(),
                "{solver} {ending}"
            );
        }
        let series = fs::read_to_string(out.join(format!("{solver}-vti.pvd"))).unwrap();
        assert_eq!(series.matches("<DataSet").count(), 2, "{series}");
        assert!(
            series.contains(&format!(
                "timestep=\"0.04\" part=\"0\" file=\"{solver}-0004.vti\""
            )),
            "{series}"
        );
        let solves = fs::read_to_string(out.join(format!("solves-{solver}.csv"))).unwrap();
        assert!(solves.lines().count() > 4, "residuals of every solve");
    }
    // The problem is one of cut walls only.
    assert!(out.join("fas-mg-0004.npz").exists() && !out.join("iop-sep-0004.npz").exists());
}

#[test]
fn a_run_from_a_file_that_is_taken_up_again_writes_what_one_run_writes() {
    let folder = tempfile::tempdir().unwrap();
    let run = |out: &str, frames: &str, more: &[&str]| {
        let mut arguments = vec![
            "run", "course", "--size", "16", "--out", out, "--frames", frames,
        ];
        arguments.extend(["--set", "solver=pi-mgpcg,iop-sep", "--format", "csv,vtu"]);
        arguments.extend(more);
        demand(0, folder.path(), &arguments);
    };
    run("whole", "6", &[]);
    run("parts", "3", &["--threads", "1"]);
    run("parts", "6", &["--resume"]);
    // All but the seconds.
    let told = |out: &str| -> Vec<Vec<String>> {
        let mut all = rows(&folder.path().join(out).join("liquid-course"));
        for row in &mut all {
            row.remove(8);
        }
        all
    };
    assert_eq!(told("whole"), told("parts"));
    for name in ["pi-mgpcg-0006.vtu", "iop-sep-0006.vtu"] {
        let read = |out: &str| fs::read(folder.path().join(out).join("liquid-course").join(name));
        assert!(read("whole").unwrap() == read("parts").unwrap(), "{name}");
    }
}

#[test]
fn settings_change_what_comes_with_the_program_and_mistakes_name_line_and_key() {
    let folder = tempfile::tempdir().unwrap();
    // A splitting method where walls cut cells, and a gravity that holds nothing down.
    let (told, _) = demand(
        0,
        folder.path(),
        &[
            "run",
            "circle",
            "--solver",
            "iop-sep",
            "--set",
            "gravity=0",
            "--size",
            "16",
            "--frames",
            "3",
            "--format",
            "csv",
            "--out",
            "out",
        ],
    );
    assert!(told.contains("iop-sep"), "{told}");
    for row in rows(&folder.path().join("out/liquid-circle")) {
        let speed: f64 = row[14].parse().unwrap();
        assert!(speed < 1e-9, "at rest: {row:?}");
    }
    let (file, _) = demand(0, folder.path(), &["scenes", "circle"]);
    for (from, to, says) in [
        ("radius = 0.4", "radius = 0.5", "line 6: `open`"),
        (
            "radius = 0.4",
            "radius = -1",
            "line 6: `open.ball.radius` is -1",
        ),
        ("dimension = 2", "dimenson = 2", "dimenson"),
        (
            "[[liquid]]",
            "settings = { divergence = 0 }\n[[liquid]]",
            "line 8: `settings.divergence`",
        ),
    ] {
        let wrong = file.replacen(from, to, 1);
        assert_ne!(wrong, file, "{from}");
        fs::write(folder.path().join("wrong.toml"), wrong).unwrap();
        let (_, err) = demand(2, folder.path(), &["run", "wrong.toml", "--frames", "1"]);
        assert!(
            err.contains("wrong.toml") && err.contains(says),
            "{to}: {err}"
        );
    }
}
