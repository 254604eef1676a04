//! `stokeslet solve` and `verify` as their users meet them: files, tables, batches, resuming, stopping.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Pressure falls 100 Pa over 1 mm: the mean speed is w^2 dp / (12 mu L) = 83.3 mm/s, the peak 1.5 times that.
const STRAIGHT: &str = r#"format = 1
title = "Straight channel"

[fluid]
viscosity = "1 mPa s"

[chip]
model = "planar"
width = "100 um"
depth = "50 um"

[components]
p = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "1 mm" } }

[ports]
inlet = { at = "p.a", pressure = "1 mbar" }
outlet = { at = "p.b", pressure = "0 Pa" }
"#;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stokeslet"));
    command
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1");
    command
}

/// Runs and demands an exit code; returns stdout and stderr.
fn demand(code: i32, folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = command(folder, arguments).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
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

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Column `name` of `results.csv`, without cells that hold commas.
fn column(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join("results.csv")).unwrap();
    let mut lines = text.lines();
    let k = lines
        .next()
        .unwrap()
        .split(',')
        .position(|c| c == name)
        .unwrap();
    lines
        .map(|l| l.split(',').nth(k).unwrap().to_string())
        .collect()
}

#[test]
fn a_straight_channel_carries_poiseuille_flow() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let (out, _) = demand(
        0,
        here.path(),
        &[
            "solve",
            "straight.toml",
            "--resolution",
            "4",
            "--probe",
            "0.5 mm,0",
            "--line",
            "5e-4,-1e-4:5e-4,1e-4:5",
        ],
    );
    for text in [
        "straight: planar, resolution 4",
        "inlet",
        "pressure",
        "power turned into heat",
        "peak speed 125 mm/s",
        "residual",
        "unknowns",
    ] {
        assert!(out.contains(text), "the table says `{text}`:\n{out}");
    }
    let results = here.path().join("results/straight");
    assert_eq!(
        listing(&results),
        [
            "fields.vtu",
            "line.csv",
            "picture.svg",
            "ports.csv",
            "summary.json"
        ]
    );
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap();
    let close = |got: &serde_json::Value, want: f64, what: &str| {
        let got = got.as_f64().unwrap();
        assert!(
            (got - want).abs() < 1e-9 * want.abs(),
            "{what}: {got} against {want}"
        );
    };
    close(
        &json["ports"][0]["flow_rate"],
        1e-4f64.powi(3) * 5e-5 * 100.0 / (12.0 * 1e-3 * 1e-3),
        "flow rate in m^3/s",
    );
    close(&json["max_speed"], 0.125, "peak speed");
    close(
        &json["probes"][0]["pressure"],
        50.0,
        "pressure in the middle",
    );
    close(
        &json["probes"][0]["speed"],
        0.125,
        "speed on the centre line",
    );
    assert!(json["relative_residual"].as_f64().unwrap() <= 1e-10);
    assert!(json["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
}

/// Lines of a parabola: the fluid on the middle line takes L / peak, and walls have w dp / 2 L.
#[test]
fn streamlines_and_wall_shear_are_written_on_request() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let arguments = [
        "solve",
        "straight.toml",
        "--resolution=4",
        "--streamlines=inlet:3",
        "--streamlines=2",
        "--streamlines=0.5 mm,20 um",
        "--streamlines=0.5 mm,9 mm",
        "--walls",
        "--picture=wall-shear",
    ];
    let (_, said) = demand(0, here.path(), &arguments);
    assert!(
        said.contains("D413") && said.contains("(500 µm, 9.00 mm)"),
        "a seed outside the flow is told: {said}"
    );
    let results = here.path().join("results/straight");
    let read = |name: &str| fs::read_to_string(results.join(name)).unwrap();
    let lines = read("streamlines.csv");
    let rows: Vec<Vec<&str>> = lines
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    let of = |line: &str| -> Vec<&Vec<&str>> { rows.iter().filter(|r| r[0] == line).collect() };
    assert!(of("7").is_empty(), "three, two and one");
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    let middle = of("2");
    let last = middle[middle.len() - 1];
    assert_eq!(last[1], "inlet");
    let takes = number(last[3]) * 0.125 / 1e-3;
    assert!(
        (takes - 1.0).abs() < 2e-3,
        "{takes} of the length over the peak"
    );
    assert!(
        of("6")
            .iter()
            .all(|r| r[1].is_empty() && (number(r[5]) - 2e-5).abs() < 1e-9)
    );
    let walls = read("walls.csv");
    assert_eq!(
        walls.lines().next(),
        Some("wall,part,distance_m,x_m,y_m,wall_shear_stress_Pa")
    );
    for row in walls.lines().skip(1) {
        let shear = number(row.rsplit(',').next().unwrap());
        assert!((shear / 5.0 - 1.0).abs() < 1e-6, "{row}");
    }
    for name in ["streamlines.vtp", "walls.vtp"] {
        assert!(read(name).contains("<VTKFile type=\"PolyData\""), "{name}");
    }
    let picture = read("picture.svg");
    assert!(picture.contains("wall shear stress (Pa)"), "{picture}");
    assert!(
        picture.contains("stroke-linecap=\"round\""),
        "walls are coloured"
    );
    let vtu = fs::read(results.join("fields.vtu")).unwrap();
    let header = String::from_utf8_lossy(&vtu[..4000]).into_owned();
    assert!(header.contains("Name=\"wall_shear_stress\""), "{header}");
    // The next solve doesn't keep what it wasn't asked for, and resuming believes what it was.
    let (out, _) = demand(0, here.path(), &[&arguments[..], &["--resume"]].concat());
    assert!(out.contains("as before"), "{out}");
    demand(
        0,
        here.path(),
        &["solve", "straight.toml", "--resolution=4"],
    );
    assert!(!results.join("walls.csv").exists() && !results.join("streamlines.vtp").exists());
    let (_, said) = demand(
        1,
        here.path(),
        &["solve", "straight.toml", "--streamlines=inlett:3"],
    );
    assert!(said.contains("did you mean `inlet`"), "{said}");
    let (_, said) = demand(
        2,
        here.path(),
        &["solve", "straight.toml", "--streamlines=inlet:0"],
    );
    assert!(said.contains("from 1 to"), "{said}");
}

#[test]
fn only_the_formats_asked_for_are_written() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    demand(
        0,
        here.path(),
        &[
            "solve",
            "straight.toml",
            "--resolution",
            "2",
            "--format",
            "csv,system",
        ],
    );
    let results = here.path().join("results/straight");
    let want = [
        "matrix.mtx",
        "ports.csv",
        "rhs.mtx",
        "solution.mtx",
        "summary.json",
        "unknowns.csv",
    ];
    assert_eq!(listing(&results), want);
    let header = fs::read_to_string(results.join("matrix.mtx")).unwrap();
    assert!(header.starts_with("%%MatrixMarket matrix coordinate real symmetric\n"));
    demand(
        0,
        here.path(),
        &[
            "solve",
            "straight.toml",
            "--resolution",
            "2",
            "--format",
            "json",
        ],
    );
    assert_eq!(
        listing(&results),
        ["summary.json"],
        "files of the earlier solve went with it"
    );
}

#[test]
fn one_bad_design_does_not_stop_the_rest_and_every_design_has_a_row() {
    let broken = STRAIGHT.replace("\"1 mPa s\"", "\"1 mPa\"");
    let here = folder_with(&[
        ("d/c.toml", STRAIGHT),
        ("d/a.toml", &broken),
        ("d/b.toml", STRAIGHT),
        ("e/b.toml", STRAIGHT),
    ]);
    let arguments = [
        "solve",
        "d",
        "e/*.toml",
        "missing.toml",
        "--resolution",
        "2",
        "--format",
        "json",
        "--threads",
        "2",
    ];
    let (out, err) = demand(2, here.path(), &arguments);
    assert!(out.contains("3 of 5 designs solved"), "{out}");
    assert!(
        err.contains("missing.toml") && err.contains("D008"),
        "{err}"
    );
    let results = here.path().join("results");
    assert_eq!(
        column(&results, "design"),
        ["a", "b", "c", "b", "missing"],
        "in the order of the arguments"
    );
    assert_eq!(column(&results, "folder"), ["", "b", "c", "b-2", ""]);
    assert_eq!(
        column(&results, "status"),
        ["design_errors", "ok", "ok", "ok", "could_not_run"]
    );
    assert_eq!(
        listing(&results),
        [
            ".results.lock",
            "b",
            "b-2",
            "c",
            "results.csv",
            "results_ports.csv"
        ],
        "failures leave nothing behind"
    );
    demand(
        1,
        here.path(),
        &["solve", "d", "--resolution", "2", "--format", "json"],
    );
}

#[test]
fn resume_skips_what_is_done_and_unchanged() {
    let here = folder_with(&[("d/a.toml", STRAIGHT), ("d/b.toml", STRAIGHT)]);
    let arguments = [
        "solve",
        "d",
        "--resolution",
        "2",
        "--format",
        "json",
        "--resume",
    ];
    let lines = |out: &str| -> Vec<bool> {
        out.lines()
            .take(2)
            .map(|l| l.contains("as before"))
            .collect()
    };
    let (out, _) = demand(0, here.path(), &arguments);
    assert_eq!(lines(&out), [false, false], "{out}");
    let rows = fs::read_to_string(here.path().join("results/results.csv")).unwrap();

    let (out, _) = demand(0, here.path(), &arguments);
    assert_eq!(lines(&out), [true, true], "nothing changed:\n{out}");
    let again = fs::read_to_string(here.path().join("results/results.csv")).unwrap();
    assert_eq!(again, rows, "rows are the same, whoever solved");

    fs::write(
        here.path().join("d/a.toml"),
        format!("# a comment\n{STRAIGHT}"),
    )
    .unwrap();
    let (out, _) = demand(0, here.path(), &arguments);
    assert_eq!(
        lines(&out),
        [true, true],
        "a comment doesn't change the chip:\n{out}"
    );

    fs::write(
        here.path().join("d/a.toml"),
        STRAIGHT.replace("1 mbar", "2 mbar"),
    )
    .unwrap();
    let (out, _) = demand(0, here.path(), &arguments);
    assert_eq!(
        out.lines().filter(|l| l.contains("as before")).count(),
        1,
        "only `a` is solved again:\n{out}"
    );

    fs::remove_file(here.path().join("results/b/summary.json")).unwrap();
    let (out, _) = demand(0, here.path(), &arguments);
    assert_eq!(
        out.lines().filter(|l| l.contains("as before")).count(),
        1,
        "only `b` is solved again:\n{out}"
    );

    let (out, _) = demand(
        0,
        here.path(),
        &[
            "solve",
            "d",
            "--resolution",
            "3",
            "--format",
            "json",
            "--resume",
        ],
    );
    assert!(!out.contains("as before"), "settings changed:\n{out}");
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_solving() {
    let here = folder_with(&[("straight.toml", STRAIGHT), ("file", "")]);
    let (_, err) = demand(
        2,
        here.path(),
        &["solve", "straight.toml", "--out", "file/results"],
    );
    assert!(err.contains("file/results"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_told_by_name() {
    use std::os::unix::fs::PermissionsExt;
    let here = folder_with(&[("straight.toml", STRAIGHT), ("locked/keep", "")]);
    let locked = here.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        return; // A superuser writes anywhere.
    }
    let (_, err) = demand(
        2,
        here.path(),
        &["solve", "straight.toml", "--out", "locked"],
    );
    assert!(err.contains("locked") && err.contains("ermission"), "{err}");
}

#[test]
fn too_little_memory_is_refused_with_the_figure() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let (_, err) = demand(
        2,
        here.path(),
        &["solve", "straight.toml", "--memory-limit", "1KiB"],
    );
    assert!(
        err.contains("needs about") && err.contains("1.00 KiB"),
        "{err}"
    );
    assert_eq!(
        listing(&here.path().join("results")),
        [".results.lock", "results.csv", "results_ports.csv"]
    );
}

#[test]
fn the_shallow_model_needs_a_depth() {
    let flat = STRAIGHT.replace("depth = \"50 um\"\n", "");
    let here = folder_with(&[("straight.toml", STRAIGHT), ("flat.toml", &flat)]);
    demand(
        0,
        here.path(),
        &[
            "solve",
            "straight.toml",
            "--model",
            "shallow",
            "--resolution",
            "2",
            "--format",
            "json",
        ],
    );
    let summary = fs::read_to_string(here.path().join("results/straight/summary.json")).unwrap();
    assert!(summary.contains("\"model\": \"shallow\""), "{summary}");
    let (_, err) = demand(
        1,
        here.path(),
        &["solve", "flat.toml", "--model", "shallow"],
    );
    assert!(err.contains("depth"), "{err}");
}

#[test]
fn the_full_model_writes_the_whole_depth_and_needs_one() {
    let flat = STRAIGHT.replace("depth = \"50 um\"\n", "");
    let here = folder_with(&[("straight.toml", STRAIGHT), ("flat.toml", &flat)]);
    let solve = ["solve", "straight.toml", "--model", "full", "--resolution"];
    let (out, _) = demand(0, here.path(), &[&solve[..], &["2"]].concat());
    assert!(out.contains("full"), "{out}");
    let results = here.path().join("results/straight");
    let summary = fs::read_to_string(results.join("summary.json")).unwrap();
    for line in [
        "\"model\": \"full\"",
        "\"layers\": 2",
        "\"half_depth\": true",
        "\"flow_rate\": \"m^3/s\"",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    let fields = fs::read(results.join("fields.vtu")).unwrap();
    let head = String::from_utf8_lossy(&fields[..400.min(fields.len())]);
    assert!(head.contains("UnstructuredGrid"), "{head}");
    assert!(results.join("picture.svg").is_file(), "mid-depth is drawn");
    let (_, err) = demand(2, here.path(), &[&solve[..], &["3"]].concat());
    assert!(err.contains("use 2 or 4"), "{err}");
    let (_, err) = demand(1, here.path(), &["solve", "flat.toml", "--model", "full"]);
    assert!(err.contains("depth"), "{err}");
}

#[test]
fn three_dimensions_can_be_set() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let solve = |more: &[&str]| {
        let all = [
            "solve",
            "straight.toml",
            "--model",
            "full",
            "--resolution",
            "2",
        ];
        demand(0, here.path(), &[&all[..], more].concat());
        fs::read_to_string(here.path().join("results/straight/summary.json")).unwrap()
    };
    let usual = solve(&[]);
    let finer = solve(&["--layers", "3"]);
    assert!(finer.contains("\"layers\": 3"), "{finer}");
    let whole = solve(&["--whole-depth"]);
    assert!(whole.contains("\"half_depth\": false"), "{whole}");
    // Pressure drives this chip: flow doesn't ask how it would have been spread.
    let unknowns = |summary: &str| {
        let json: serde_json::Value = serde_json::from_str(summary).unwrap();
        json["unknowns"].as_u64().unwrap()
    };
    assert!(unknowns(&usual) < unknowns(&finer));
    assert!(unknowns(&finer) < unknowns(&whole));
    let flat = ["solve", "straight.toml", "--layers", "3"];
    let (_, err) = demand(1, here.path(), &flat);
    assert!(
        err.contains("D402") && err.contains("--model full"),
        "{err}"
    );
}

/// What would change nothing is refused.
#[test]
fn options_without_an_effect_are_refused() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    for (more, what) in [
        (&["--model", "full", "--corners", "graded"][..], "--corners"),
        (
            &["--picture", "pressure", "--format", "json"],
            "--picture pressure",
        ),
        (&["--picture", "presure"], "did you mean `pressure`?"),
    ] {
        let (_, err) = demand(
            1,
            here.path(),
            &[&["solve", "straight.toml"], more].concat(),
        );
        assert!(err.contains(what), "{more:?}: {err}");
        assert!(!here.path().join("results/straight").exists(), "{more:?}");
    }
}

/// Floor and ceiling of a shallow chip are sheared by `6 mu u / depth`; they are none of the walls in the plane.
#[test]
fn shallow_chips_tell_the_shear_of_floor_and_side_walls() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let solve = |model: &str| {
        let arguments = [
            "solve",
            "straight.toml",
            "--model",
            model,
            "--resolution",
            "8",
        ];
        let (out, _) = demand(0, here.path(), &arguments);
        let text = fs::read_to_string(here.path().join("results/straight/summary.json")).unwrap();
        (
            out,
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
        )
    };
    let (out, summary) = solve("shallow");
    assert!(out.contains(" (mean over the depth) at "), "{out}");
    assert!(
        out.contains("of side walls") && out.contains("of floor and ceiling"),
        "{out}"
    );
    let number = |key: &str| summary[key].as_f64().unwrap();
    let want = 6.0 * number("viscosity") * number("max_speed") / number("depth");
    let found = summary["floor_shear"]["max"].as_f64().unwrap();
    assert!((found / want - 1.0).abs() < 1e-12, "{found}, not {want}");
    let (out, summary) = solve("planar");
    assert!(
        out.contains("  wall shear stress") && summary["floor_shear"].is_null(),
        "{out}"
    );
}

#[test]
fn threads_and_caching_do_not_change_the_fields() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let fields = |arguments: &[&str]| {
        let all = [
            &[
                "solve",
                "straight.toml",
                "--resolution",
                "3",
                "--format",
                "vtu",
            ],
            arguments,
        ]
        .concat();
        demand(0, here.path(), &all);
        fs::read(here.path().join("results/straight/fields.vtu")).unwrap()
    };
    assert!(
        fields(&["--threads", "1"]) == fields(&["--threads", "3"]),
        "bitwise equal for any number of threads"
    );
    fields(&["--no-cache"]);
}

#[test]
fn verify_prints_errors_and_orders() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    for arguments in [
        &["verify", "--resolutions", "2,4"][..],
        &["verify", "straight.toml", "--resolutions", "2,4"],
    ] {
        let (out, _) = demand(0, here.path(), arguments);
        assert!(
            out.contains("velocity L2") && out.contains("pressure max"),
            "{out}"
        );
        assert_eq!(
            out.lines().count(),
            4,
            "a title, a head and two rows:\n{out}"
        );
    }
}

#[test]
fn ports_only_gives_the_same_ports_without_fields() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let results = here.path().join("results/straight");
    let solve = ["solve", "straight.toml", "--resolution", "4"];
    let summary = || -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap()
    };
    demand(0, here.path(), &solve);
    let all = summary();
    let ports_csv = fs::read(results.join("ports.csv")).unwrap();
    let with = |more: &[&'static str]| [&solve, more].concat();
    let (out, _) = demand(0, here.path(), &with(&["--ports-only"]));
    assert!(
        out.contains("inlet") && !out.contains("peak speed") && !out.contains("shear"),
        "ports and nothing that only fields tell:\n{out}"
    );
    assert_eq!(
        listing(&results),
        ["ports.csv", "summary.json"],
        "the fields of the earlier solve went"
    );
    let ports = summary();
    for key in ["ports", "conductance", "conductance_ports", "unknowns"] {
        assert_eq!(ports[key], all[key], "`{key}` doesn't depend on the fields");
    }
    assert!(
        fs::read(results.join("ports.csv")).unwrap() == ports_csv,
        "nor do the ports' rows"
    );
    assert!(all["max_speed"].is_f64() && ports["max_speed"].is_null());
    assert!(ports["wall_shear"]["max"].is_null());
    assert_eq!(
        column(&here.path().join("results"), "max_speed_m_per_s"),
        [""]
    );

    // What was done for the ports is read back, and is not done for the fields.
    let again =
        |more: &[&'static str]| demand(0, here.path(), &[&with(more)[..], &["--resume"]].concat());
    let (out, _) = again(&["--ports-only"]);
    assert!(out.contains("as before"), "{out}");
    let (out, _) = again(&["--format", "csv"]);
    assert!(
        !out.contains("as before"),
        "the peak speed is missing:\n{out}"
    );
}

/// Rounding adds up along 16,000 parts: what flowed out differed by 6e-8 from what flowed in, and ports alone were refused.
#[test]
fn ports_of_a_channel_of_thousands_of_way_points_balance() {
    let point = |k: usize| format!("[\"{} mm\", \"{} mm\"]", k.div_ceil(2), k / 2);
    let via: Vec<String> = (1..=8000).map(point).collect();
    let design = STRAIGHT
        .replace("at = [\"0 mm\", \"0 mm\"]", "at = [\"-1 mm\", \"0 mm\"]")
        .replace(
            "[ports]",
            &format!(
                "[channels]\nc = {{ from = \"p.b\", via = [{}] }}\n\n[ports]",
                via.join(", ")
            ),
        )
        .replace("at = \"p.b\"", "at = \"c.end\"");
    let folder = folder_with(&[("long.toml", &design)]);
    let arguments = ["solve", "long.toml", "--ports-only", "--format", "json"];
    demand(
        0,
        folder.path(),
        &[&arguments[..], &["--resolution", "2"]].concat(),
    );
    let summary = fs::read_to_string(folder.path().join("results/long/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let imbalance = summary["mass_imbalance"].as_f64().unwrap();
    assert!(imbalance < 1e-9, "{imbalance}");
}

/// An allocation that fails is told, and is exit code 2 as all that couldn't run.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_ends_is_an_exit_code_and_a_sentence() {
    let design = STRAIGHT.replace("length = \"1 mm\"", "length = \"300 mm\"");
    let folder = folder_with(&[("long.toml", &design)]);
    let solve = "ulimit -v 1000000; exec \"$0\" solve long.toml --resolution 64 --threads 1";
    let output = Command::new("sh")
        .args(["-c", solve, env!("CARGO_BIN_EXE_stokeslet")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("memory"), "{err}");
}

#[test]
fn ports_only_refuses_what_needs_fields() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    for (more, word) in [
        (["--format", "csv,vtu"], "--format vtu"),
        (["--format", "svg"], "--format svg"),
        (["--format", "system"], "--format system"),
        (["--probe", "0,0"], "--probe"),
        (["--line", "0,0:1,1:3"], "--line"),
        (["--picture", "speed"], "--picture"),
    ] {
        let arguments = [&["solve", "straight.toml", "--ports-only"], &more[..]].concat();
        let (_, err) = demand(2, here.path(), &arguments);
        assert!(
            err.contains("--ports-only") && err.contains(word),
            "{more:?}: {err}"
        );
    }
    assert_eq!(listing(here.path()), ["straight.toml"], "nothing is solved");
}

#[test]
fn a_profile_is_printed_and_written_and_goes_with_the_next_solve() {
    let here = folder_with(&[("straight.toml", STRAIGHT)]);
    let results = here.path().join("results/straight");
    let solve = [
        "solve",
        "straight.toml",
        "--resolution",
        "3",
        "--format",
        "json",
    ];
    let (out, _) = demand(0, here.path(), &[&solve[..], &["--profile"]].concat());
    let stages = [
        "read, place",
        "mesh",
        // Long pipes are eliminated before it is planned who joins whom.
        "eliminate",
        "plan",
        "back substitute",
        "results",
        "export",
    ];
    let at: Vec<usize> = stages
        .iter()
        .map(|s| {
            out.find(&format!("\n  {s} "))
                .unwrap_or_else(|| panic!("`{s}` in\n{out}"))
        })
        .collect();
    assert!(at.is_sorted(), "in the order of the pipeline:\n{out}");
    assert_eq!(
        listing(&results),
        ["profile.json", "summary.json", "trace.json"]
    );
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(results.join(name)).unwrap()).unwrap()
    };
    let profile = read("profile.json");
    let named: Vec<&str> = profile["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["stage"].as_str().unwrap())
        .collect();
    assert_eq!(named, stages);
    let seconds = |row: &serde_json::Value| row["seconds"].as_f64().unwrap();
    let sum: f64 = profile["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(seconds)
        .sum();
    assert!(
        sum <= seconds(&profile) * (1.0 + 1e-9) && sum > 0.0,
        "stages don't overlap: {profile}"
    );
    assert!(profile["stages"][1]["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    let trace = read("trace.json");
    let spans = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|e| e["ph"] == "X" && e["dur"].as_f64().unwrap() >= 0.0);
    assert!(spans.count() >= stages.len());

    demand(0, here.path(), &solve);
    assert_eq!(
        listing(&results),
        ["summary.json"],
        "a profile of another solve would mislead"
    );
}

#[test]
fn rows_of_earlier_runs_stay_in_the_tables() {
    let here = folder_with(&[("a.toml", STRAIGHT), ("b.toml", STRAIGHT)]);
    let solve = |design: &str| {
        let quick = ["--resolution", "2", "--format", "json"];
        demand(0, here.path(), &[&["solve", design], &quick[..]].concat())
    };
    solve("a.toml");
    solve("b.toml");
    solve("a.toml");
    let results = here.path().join("results");
    assert_eq!(column(&results, "design"), ["a", "b"]);
    let ports = fs::read_to_string(results.join("results_ports.csv")).unwrap();
    let cells: Vec<Vec<&str>> = ports.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(cells.len(), 5, "two ports a design:\n{ports}");
    assert!(
        cells.iter().all(|row| row.len() == cells[0].len()),
        "{ports}"
    );
    assert_eq!(cells[1][..4], ["a", "a.toml", "a", "inlet"]);
}

#[test]
fn errors_are_estimated_and_an_accuracy_chooses_the_resolution() {
    let tee = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/designs/tee.toml")).unwrap();
    let here = folder_with(&[("tee.toml", &tee)]);
    let format = ["--format", "json,csv"];
    let (out, _) = demand(
        0,
        here.path(),
        &[&["solve", "tee.toml", "--error"], &format[..]].concat(),
    );
    assert!(
        out.contains("±") && out.contains("errors estimated against resolution 4"),
        "{out}"
    );
    // At the tee's corners it grows by a third with each doubling.
    assert!(out.contains("peak wall shear not settled: "), "{out}");
    let summary = || -> serde_json::Value {
        let text = fs::read_to_string(here.path().join("results/tee/summary.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let errors = summary()["error_estimate"].clone();
    assert!(errors["peak_wall_shear"].is_null(), "{errors}");
    let change = errors["peak_change"].as_f64().unwrap();
    assert!((0.2..0.4).contains(&change), "{change}");
    let at_8 = errors["relative"].as_f64().unwrap();
    assert!(at_8 > 1e-5, "{at_8}");
    let wanted = format!("{}", at_8 / 3.0);
    let accuracy = ["solve", "tee.toml", "--accuracy", &wanted];
    demand(0, here.path(), &[&accuracy, &format[..]].concat());
    let finer = summary();
    assert!(finer["error_estimate"]["relative"].as_f64().unwrap() <= at_8 / 3.0);
    assert!(finer["resolution"].as_u64().unwrap() > 8, "{finer}");
    let designs = concat!(env!("CARGO_MANIFEST_DIR"), "/designs/h-filter.toml");
    let (_, err) = demand(3, here.path(), &["solve", designs, "--accuracy", "1e-6"]);
    assert!(err.contains("needs a resolution of about"), "{err}");
    let (_, err) = demand(2, here.path(), &["solve", "tee.toml", "--accuracy", "70%"]);
    assert!(err.contains("--accuracy"), "{err}");
    let (_, err) = demand(
        2,
        here.path(),
        &["solve", "tee.toml", "--error", "--resolution", "3"],
    );
    assert!(err.contains("too coarse"), "{err}");
}

/// One after the other they get the folders that they get together.
#[test]
fn designs_of_one_name_keep_their_own_results() {
    let here = folder_with(&[("a/y.toml", STRAIGHT), ("b/y.toml", STRAIGHT)]);
    let solve = |design: &str| {
        let arguments = ["solve", design, "--resolution", "2", "--ports-only"];
        let (out, _) = demand(0, here.path(), &arguments);
        out
    };
    assert!(solve("a/y.toml").contains("results/y\n"));
    assert!(solve("b/y.toml").contains("results/y-2\n"));
    assert!(
        solve("./b/y.toml").contains("results/y-2\n"),
        "its own again"
    );
    // From their own folders, where both are `y.toml`; and after a solve that failed.
    for (folder, name) in [("a", "y"), ("b", "y-2")] {
        let arguments = [
            "solve",
            "y.toml",
            "--out",
            "../results",
            "--resolution",
            "2",
            "--ports-only",
        ];
        let (out, _) = demand(0, &here.path().join(folder), &arguments);
        assert!(out.contains(&format!("results/{name}\n")), "{out}");
    }
    let a = here.path().join("a/y.toml");
    fs::write(&a, "format = 1").unwrap();
    demand(1, here.path(), &["solve", "a/y.toml", "--ports-only"]);
    assert!(solve("b/y.toml").contains("results/y-2\n"));
    fs::create_dir(here.path().join("c")).unwrap();
    fs::write(here.path().join("c/y.toml"), STRAIGHT).unwrap();
    assert!(
        solve("c/y.toml").contains("results/y-3\n"),
        "a's results stay"
    );
    fs::remove_file(&a).unwrap();
    fs::create_dir(here.path().join("d")).unwrap();
    fs::write(here.path().join("d/y.toml"), STRAIGHT).unwrap();
    assert!(
        solve("d/y.toml").contains("results/y\n"),
        "of a design that is no more"
    );
    let table = fs::read_to_string(here.path().join("results/results.csv")).unwrap();
    assert!(
        !table.contains("a/y.toml"),
        "its results are replaced: {table}"
    );
}

#[test]
fn resume_believes_no_damaged_results() {
    let here = folder_with(&[("a.toml", STRAIGHT)]);
    let arguments = [
        "solve",
        "a.toml",
        "--resolution",
        "2",
        "--format",
        "vtu,json",
        "--resume",
    ];
    let is_skipped = || {
        let (out, _) = demand(0, here.path(), &arguments);
        out.contains("as before")
    };
    assert!(!is_skipped() && is_skipped());
    let vtu = here.path().join("results/a/fields.vtu");
    fs::write(&vtu, vec![b' '; 100]).unwrap();
    assert!(!is_skipped() && is_skipped(), "a VTU of 100 bytes");
    let summary = here.path().join("results/a/summary.json");
    let text = fs::read_to_string(&summary).unwrap();
    fs::write(
        &summary,
        text.replace("\"resolution\": 2", "\"resolution\": 3"),
    )
    .unwrap();
    assert!(!is_skipped() && is_skipped(), "an edited summary");
}

#[test]
fn an_import_leaves_the_file_that_it_reads() {
    let network =
        r#"{"name":"n","layers":[{"id":"f","name":"flow"}],"components":[],"connections":[]}"#;
    let folder = folder_with(&[("a.json", network)]);
    let (_, err) = demand(2, folder.path(), &["import", "a.json", "-o", "./a.json"]);
    assert!(err.contains("another name"), "{err}");
    let after = fs::read_to_string(folder.path().join("a.json")).unwrap();
    assert_eq!(after, network);
}

#[cfg(unix)]
#[test]
fn pictures_of_components_are_readable_as_other_files_are() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with(&[("other", "")]);
    demand(0, folder.path(), &["components", "pipe", "--svg", "p"]);
    let mode = |name: &str| {
        fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("p/pipe.svg"), mode("other"));
}

#[test]
fn odd_inputs_are_refused_or_contained() {
    let huge = STRAIGHT.replace("pressure = \"1 mbar\"", "flow_rate = \"1e150 m^3/s\"");
    let title = STRAIGHT.replace("Straight channel", "bell \\u0007 bell");
    let here = folder_with(&[
        ("huge.toml", &huge),
        ("...toml", STRAIGHT),
        ("bell.toml", &title),
    ]);
    let quick = ["--resolution", "2"];
    let (_, err) = {
        let output = command(here.path(), &["solve", "huge.toml", "--resolution", "2"])
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(0), "overflow is no result");
        (0, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(err.contains("error"), "{err}");
    demand(
        0,
        here.path(),
        &[&["solve", "...toml"], &quick[..]].concat(),
    );
    assert!(here.path().join("results/design/summary.json").is_file());
    demand(
        0,
        here.path(),
        &[&["solve", "bell.toml"], &quick[..]].concat(),
    );
    let picture = fs::read_to_string(here.path().join("results/bell/picture.svg")).unwrap();
    assert!(!picture.contains('\u{7}'));
    #[cfg(unix)]
    {
        let (_, err) = demand(2, here.path(), &["check", "/dev/zero"]);
        assert!(err.contains("not a file"), "{err}");
    }
}
