//! `sweep`, `sensitivity`, `fit` and `--set` as their users meet them: tables, kills, shards, fitted designs.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const TEE: &str = r#"format = 1
[variables]
l = "4 mm"                # of the short arm
q = "6 uL/min"
[fluid]
viscosity = "0.89 mPa s"
[chip]
width = "100 um"
depth = "100 um"
resolution = 4
[components]
tee = { kind = "tee", at = ["0 mm", "0 mm"] }
feed = { kind = "pipe", attach = "b", to = "tee.up", parameters = { length = "2 mm" } }
short = { kind = "pipe", attach = "a", to = "tee.left", parameters = { length = "=l" } }
long = { kind = "pipe", attach = "a", to = "tee.right", parameters = { length = "8 mm" } }
[ports]
inlet = { at = "feed.a", flow_rate = "=q" }
left = { at = "short.b", pressure = "0 Pa" }
right = { at = "long.b", pressure = "0 Pa" }
"#;

const STUDY: &str = r#"format = 1
design = "tee.toml"
ports_only = true
[ranges]
l = { from = "3 mm", to = "5 mm", count = 10 }
q = { from = "1 uL/min", to = "9 uL/min", count = 80 }
"#;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stokeslet"));
    let command_here = command.args(arguments).current_dir(folder);
    command_here.env("NO_COLOR", "1");
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
        "{arguments:?}\n{out}\n{err}"
    );
    (out, err)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tee.toml"), TEE).unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    folder
}

/// The table without its seconds, the third column from the end.
fn table(path: &Path) -> String {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).from_path(path).unwrap();
    let line = |line: csv::StringRecord| {
        let cells: Vec<&str> = line.iter().collect();
        let n = cells.len() - 3;
        [&cells[..n], &cells[n + 1..]].concat().join(",")
    };
    let lines = reader.into_records().map(|record| line(record.unwrap()));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sweep_that_is_killed_and_resumed_gives_the_same_table_and_so_do_shards() {
    let folder = folder();
    let here = folder.path();
    demand(0, here, &["sweep", "study.toml", "--out", "whole"]);
    let whole = table(&here.join("whole/results.csv"));
    assert_eq!(whole.lines().count(), 801);
    assert!(
        whole.starts_with("index,l [m],q [m^3/s],ports.inlet.flow_rate [m^3/s],"),
        "{whole}"
    );
    assert!(here.join("whole/ports.left.flow_rate.svg").is_file());
    let resume = ["sweep", "study.toml", "--out", "killed", "--resume"];
    let mut kills = 0;
    for k in 0_u64..20 {
        let mut child = command(here, &resume)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Anywhere between the start and well into it.
        sleep(Duration::from_millis(20 + 37 * k % 400));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    assert!(
        kills > 3,
        "the machine is too fast for this test: {kills} kills"
    );
    demand(0, here, &resume);
    assert_eq!(table(&here.join("killed/results.csv")), whole);
    for k in 1..=7 {
        demand(
            0,
            here,
            &[
                "sweep",
                "study.toml",
                "--out",
                "spread",
                "--shard",
                &format!("{k}/7"),
            ],
        );
    }
    let shards: Vec<String> = (1..=7).map(|k| format!("spread/shard-{k}-of-7")).collect();
    let mut merge = vec!["sweep", "merge", "--out", "spread"];
    merge.extend(shards.iter().map(String::as_str));
    demand(0, here, &merge);
    assert_eq!(table(&here.join("spread/results.csv")), whole);
    merge.pop();
    let (_, err) = demand(3, here, &merge);
    assert!(err.contains("114 points are missing"), "{err}");
    let (_, err) = demand(2, here, &["sweep", "study.toml", "--out", "whole"]);
    assert!(err.contains("--resume"), "{err}");
    fs::write(here.join("tee.toml"), TEE.replace("8 mm", "9 mm")).unwrap();
    let (_, err) = demand(
        2,
        here,
        &["sweep", "study.toml", "--out", "whole", "--resume"],
    );
    assert!(err.contains("another design"), "{err}");
}

#[test]
fn mistakes_of_studies_are_drawn_and_failed_points_are_rows() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("bad.toml"), STUDY.replace("l = {", "ll = {")).unwrap();
    let (_, err) = demand(1, here, &["sweep", "bad.toml"]);
    assert!(
        err.contains("D349") && err.contains("no variable `ll`"),
        "{err}"
    );
    fs::write(
        here.join("bad.toml"),
        STUDY.replace("count = 10", "cuont = 10"),
    )
    .unwrap();
    let (_, err) = demand(1, here, &["sweep", "bad.toml"]);
    assert!(err.contains("D348") && err.contains("cuont"), "{err}");
    for (values, what) in [
        ("values = [1, \"inf\"]", "finite"),
        (
            "from = 1e-300, to = 1e300, count = 3, scale = \"log\"",
            "too far apart",
        ),
    ] {
        let values = STUDY.replace("from = \"3 mm\", to = \"5 mm\", count = 10", values);
        fs::write(here.join("bad.toml"), values).unwrap();
        let (_, err) = demand(1, here, &["sweep", "bad.toml"]);
        assert!(err.contains(what), "{err}");
    }
    // What isn't ours stays.
    fs::create_dir(here.join("mine")).unwrap();
    let notes = here.join("mine/points.jsonl");
    fs::write(&notes, "my notes\n").unwrap();
    let (_, err) = demand(2, here, &["sweep", "study.toml", "--out", "mine"]);
    assert!(
        err.contains("points.jsonl") && err.contains("left alone"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(&notes).unwrap(), "my notes\n");
    let negative = STUDY.replace(
        "from = \"3 mm\", to = \"5 mm\", count = 10",
        "values = [\"4 mm\", \"-4 mm\"]",
    );
    fs::write(here.join("some.toml"), negative).unwrap();
    let (out, err) = demand(3, here, &["sweep", "some.toml", "--out", "some"]);
    assert!(out.contains("80 of 160 points solved, 80 failed"), "{out}");
    assert!(
        err.contains("80 points, ") && err.contains("length"),
        "{err}"
    );
    let (script, _) = demand(
        0,
        here,
        &["sweep", "script", "study.toml", "--slurm", "--shards", "4"],
    );
    assert!(
        script.contains("#SBATCH --array=1-4")
            && script.contains("--shard \"$SLURM_ARRAY_TASK_ID\"/4"),
        "{script}"
    );
    let (script, _) = demand(
        0,
        here,
        &[
            "sweep",
            "script",
            "study.toml",
            "--parallel",
            "--shards",
            "4",
        ],
    );
    assert!(script.contains("seq 4 | parallel"), "{script}");
}

#[test]
fn variables_are_set_from_the_command_line() {
    let folder = folder();
    let here = folder.path();
    let ports = ["solve", "tee.toml", "--ports-only"];
    let (as_is, _) = demand(0, here, &ports);
    let (set, _) = demand(0, here, &[&ports[..], &["--set", "l=8mm"]].concat());
    assert!(
        set.contains("-3.00 µL/min"),
        "even arms share evenly: {set}"
    );
    assert_ne!(as_is, set);
    let (_, err) = demand(1, here, &["check", "tee.toml", "--set", "ll=8mm"]);
    assert!(err.contains("D345") && err.contains("it has l, q"), "{err}");
    let (_, err) = demand(1, here, &["check", "tee.toml", "--set", "l=8 mPa"]);
    assert!(
        err.contains("D007") || err.contains("D345") || err.contains("D103"),
        "{err}"
    );
    demand(2, here, &["check", "tee.toml", "--set", "l"]);
}

#[test]
fn sensitivities_are_a_table_and_a_fit_is_a_design() {
    let folder = folder();
    let here = folder.path();
    let (out, _) = demand(
        0,
        here,
        &[
            "sensitivity",
            "tee.toml",
            "--of",
            "ports.inlet.pressure",
            "--out",
            "d.csv",
            "--picture",
            "d.svg",
        ],
    );
    let row = |name: &str| {
        out.lines()
            .find(|line| line.trim_start().starts_with(name))
            .unwrap()
            .to_owned()
    };
    // Pressure of a given flow is proportional to the viscosity.
    assert!(row("viscosity").ends_with("+1.0000"), "{out}");
    assert!(row("q ").ends_with("+1.0000"), "{out}");
    let csv = fs::read_to_string(here.join("d.csv")).unwrap();
    assert!(
        csv.starts_with(
            "parameter,value,unit,d ports.inlet.pressure [Pa] / d parameter,message\nl,4e-3,m,"
        ),
        "{csv}"
    );
    let picture = fs::read_to_string(here.join("d.svg")).unwrap();
    assert!(
        picture.contains("viscosity") && picture.contains("+1.00"),
        "{picture}"
    );
    let goal = "ports.left.flow_rate = 3 * ports.right.flow_rate";
    let fit = [
        "fit",
        "tee.toml",
        "--vary",
        "l=1mm:8mm",
        "--goal",
        goal,
        "--out",
        "fitted.toml",
    ];
    demand(0, here, &fit);
    let text = fs::read_to_string(here.join("fitted.toml")).unwrap();
    assert!(
        text.contains("# of the short arm") && text.contains("length = \"=l\""),
        "{text}"
    );
    let (out, _) = demand(0, here, &["solve", "fitted.toml", "--ports-only"]);
    assert!(
        out.contains("-4.50 µL/min") && out.contains("-1.50 µL/min"),
        "{out}"
    );
    let (_, err) = demand(
        3,
        here,
        &["fit", "tee.toml", "--vary", "l=3mm:8mm", "--goal", goal],
    );
    assert!(err.contains("can't be met"), "{err}");
    let (_, err) = demand(
        1,
        here,
        &[
            "fit",
            "tee.toml",
            "--vary",
            "l",
            "--goal",
            "ports.x.pressure = 1 Pa",
        ],
    );
    assert!(err.contains("D349"), "{err}");
    // A goal that has no value says which one, and why.
    for (goal, why) in [
        ("minimise ports.left.pressure", "goal 1: it is zero"),
        (
            "ports.left.flow_rate / ports.left.pressure = ports.right.flow_rate / ports.right.pressure",
            "` has no value: ",
        ),
    ] {
        let (_, err) = demand(2, here, &["fit", "tee.toml", "--vary", "l", "--goal", goal]);
        assert!(err.contains(why), "{err}");
    }
}

#[test]
fn a_fitted_design_has_what_was_set_and_its_own_file_is_kept_where_goals_are_missed() {
    let folder = folder();
    let here = folder.path();
    let goal = "ports.left.flow_rate = 3 * ports.right.flow_rate";
    let fit = |vary: &'static str, out: &'static str| {
        let set = ["--set", "q=1.2 uL/min"];
        [
            &[
                "fit", "tee.toml", "--vary", vary, "--goal", goal, "--out", out,
            ][..],
            &set,
        ]
        .concat()
    };
    let (out, _) = demand(0, here, &fit("l=1mm:8mm", "fitted.toml"));
    assert!(out.contains("and") && out.contains(", met"), "{out}");
    let (out, _) = demand(0, here, &["solve", "fitted.toml", "--ports-only"]);
    assert!(
        out.contains("-900 nL/min") && out.contains("-300 nL/min"),
        "{out}"
    );
    let (out, err) = demand(3, here, &fit("l=3mm:8mm", "tee.toml"));
    assert!(out.contains("missed by") && out.contains("nL/min"), "{out}");
    assert!(err.contains("`tee.toml` is left as it was"), "{err}");
    assert_eq!(fs::read_to_string(here.join("tee.toml")).unwrap(), TEE);
}

#[test]
fn what_was_set_is_told_in_the_summary() {
    let folder = folder();
    let here = folder.path();
    let solve = ["solve", "tee.toml", "--ports-only"];
    demand(
        0,
        here,
        &[&solve[..], &["--set", "q=1.2 uL/min", "--set", "l=3mm"]].concat(),
    );
    let summary = || {
        let text = fs::read_to_string(here.join("results/tee/summary.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let set = serde_json::json!({ "l": "3mm", "q": "1.2 uL/min" });
    assert_eq!(summary()["set"], set);
    demand(0, here, &solve);
    assert!(summary()["set"].is_null());
}

/// Neither somebody's notes nor the table of solves; its own is written over.
#[test]
fn a_sweep_leaves_tables_of_something_else_alone() {
    let folder = folder();
    let here = folder.path();
    let study = STUDY.replace("count = 80", "count = 2");
    fs::write(
        here.join("study.toml"),
        study.replace("count = 10", "count = 2"),
    )
    .unwrap();
    fs::create_dir(here.join("notes")).unwrap();
    let notes = here.join("notes/results.csv");
    fs::write(&notes, "a year of work\n").unwrap();
    let (_, err) = demand(2, here, &["sweep", "study.toml", "--out", "notes"]);
    assert!(err.contains("table of something else"), "{err}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "a year of work\n");
    demand(
        0,
        here,
        &["solve", "tee.toml", "--ports-only", "--out", "solved"],
    );
    demand(2, here, &["sweep", "study.toml", "--out", "solved"]);
    demand(0, here, &["sweep", "study.toml", "--out", "own"]);
    demand(
        0,
        here,
        &["sweep", "study.toml", "--out", "own", "--resume"],
    );
    for shard in ["1/2", "2/2"] {
        demand(
            0,
            here,
            &["sweep", "study.toml", "--out", "big", "--shard", shard],
        );
    }
    let merge = ["sweep", "merge", "big/shard-1-of-2", "big/shard-2-of-2"];
    demand(0, here, &merge);
    demand(0, here, &merge);
    let (_, err) = demand(2, here, &[&merge[..], &["--out", "notes"]].concat());
    assert!(err.contains("table of something else"), "{err}");
}

/// What `solve` warns of is told of points and of what a fit found.
#[test]
fn doubts_are_told_of_sweeps_and_fits() {
    let folder = folder();
    let here = folder.path();
    let study = STUDY.replace(", count = 80", ", count = 2");
    let fast = study
        .replace("count = 10", "count = 2")
        .replace("9 uL/min", "90 mL/min");
    fs::write(here.join("study.toml"), fast).unwrap();
    let (_, err) = demand(0, here, &["sweep", "study.toml"]);
    assert!(
        err.contains("4 points, 0 the first: D411") && err.contains("2 points, 1 the first: D409"),
        "{err}"
    );
    let table = fs::read_to_string(here.join("sweep/results.csv")).unwrap();
    let doubtful = table.lines().filter(|line| line.contains("D409")).count();
    assert_eq!(doubtful, 2, "{table}");
    let goal = "ports.inlet.pressure = 3 bar";
    let (_, err) = demand(
        0,
        here,
        &[
            "fit",
            "tee.toml",
            "--vary",
            "q=1uL/min:1L/min",
            "--goal",
            goal,
        ],
    );
    assert!(err.contains("D409"), "{err}");
}

/// Each row has what its uncertain values stray from; a value that isn't there has its reason; a study beside its design is no design.
#[test]
fn rows_tell_what_they_are_about_and_why_a_value_is_missing() {
    let folder = folder();
    let here = folder.path();
    let study = "format = 1\ndesign = \"tee.toml\"\nports_only = true\n\
        [ranges]\nl = { values = [\"3 mm\", \"5 mm\"] }\n\
        [outputs]\nx = \"ports.inlet.flow_rate / ports.left.pressure\"\n\
        [uncertainty]\nq = { sigma = \"2 %\", samples = 2 }\nl = { half_width = \"10 um\", samples = 2 }\n";
    fs::write(here.join("study.toml"), study).unwrap();
    let (_, err) = demand(0, here, &["sweep", "study.toml"]);
    assert!(err.contains("`x` has no value"), "{err}");
    let mut table = csv::Reader::from_path(here.join("sweep/results.csv")).unwrap();
    let heads = "index,l [m],q [m^3/s],l nominal [m],q nominal [m^3/s],x [kg^-1 m^4 s],seconds,status,message";
    let found = table
        .headers()
        .unwrap()
        .iter()
        .collect::<Vec<_>>()
        .join(",");
    assert_eq!(found, heads);
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let nominal: Vec<&str> = rows.iter().map(|row| &row[3]).collect();
    assert_eq!(nominal, ["3e-3", "3e-3", "5e-3", "5e-3"]);
    for row in &rows {
        let of = |k: usize| row[k].parse::<f64>().unwrap();
        assert!(of(1) != of(3) && (of(1) - of(3)).abs() <= 1e-5);
        assert!(of(2) != 1e-10 && (of(4) - 1e-10).abs() < 1e-22);
        assert!(row[5].is_empty() && row[8].contains("`x` has no value"));
    }
    let solved = ["--ports-only", "--out", "solved"];
    let (_, err) = demand(0, here, &[&["solve", "."], &solved[..]].concat());
    assert!(err.contains("is a study, left out"), "{err}");
    let (_, err) = demand(2, here, &[&["solve", "study.toml"], &solved[..]].concat());
    assert!(err.contains("stokeslet sweep study.toml"), "{err}");
}

/// A channel that two streams share, a millimetre long.
const SHARED: &str = r#"format = 1
[variables]
q = "1 uL/min"
[fluid]
viscosity = "1 mPa s"
[chip]
width = "100 um"
depth = "100 um"
resolution = 4
[components]
tee = { kind = "tee", at = ["0 mm", "0 mm"] }
mix = { kind = "pipe", attach = "a", to = "tee.up", parameters = { length = "4 mm" } }
one = { kind = "pipe", attach = "b", to = "tee.left", parameters = { length = "300 um" } }
two = { kind = "pipe", attach = "a", to = "tee.right", parameters = { length = "300 um" } }
[ports]
dye = { at = "one.a", flow_rate = "=q" }
water = { at = "two.b", flow_rate = "=q" }
out = { at = "mix.b", pressure = "0 Pa" }
[species]
dye = { diffusivity = "1e-9 m^2/s", inlets = { dye = 1 } }
"#;

#[test]
fn mixing_is_swept_and_derived_like_any_other_result() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("shared.toml"), SHARED).unwrap();
    let study = r#"format = 1
design = "shared.toml"
[ranges]
q = { values = ["0.25 uL/min", "1 uL/min", "4 uL/min"] }
[outputs]
mixing = "species.dye.out.mixing"
mean = "species.dye.out.mean"
"#;
    fs::write(here.join("mixing.toml"), study).unwrap();
    demand(0, here, &["sweep", "mixing.toml", "--out", "swept"]);
    let csv = fs::read_to_string(here.join("swept/results.csv")).unwrap();
    let mut lines = csv.lines();
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("index,q [m^3/s],mean,mixing,")
    );
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            line.split(',')
                .take(4)
                .map(|x| x.parse().unwrap())
                .collect()
        })
        .collect();
    // Slower is better mixed; half of what leaves is dye.
    assert!(rows[0][3] > rows[1][3] && rows[1][3] > rows[2][3], "{csv}");
    assert!(rows.iter().all(|row| (row[2] - 0.5).abs() < 1e-3), "{csv}");
    let (out, _) = demand(
        0,
        here,
        &[
            "sensitivity",
            "shared.toml",
            "--of",
            "species.dye.out.mixing",
        ],
    );
    let slope = |name: &str| -> f64 {
        let line = out.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap()
            .split_whitespace()
            .last()
            .unwrap()
            .parse()
            .unwrap()
    };
    // What diffuses faster mixes better, and at a given flow the viscosity is nothing to it.
    assert!(slope("species.dye.diffusivity") > 0.1, "{out}");
    assert!(slope("viscosity").abs() < 1e-3, "{out}");
    // A mistake is named.
    let (_, err) = demand(
        1,
        here,
        &[
            "sensitivity",
            "shared.toml",
            "--of",
            "species.dye.outt.mixing",
        ],
    );
    assert!(
        err.contains("did you mean `species.dye.out.mixing`"),
        "{err}"
    );
}

/// What leaves a channel has been in it for its volume over the flow rate in the mean; diffusion across evens ages.
#[test]
fn ages_are_swept_like_any_other_result() {
    let folder = folder();
    let here = folder.path();
    let pipe = r#"format = 1
[variables]
q = "1 uL/min"
[fluid]
viscosity = "1 mPa s"
[chip]
width = "100 um"
depth = "50 um"
resolution = 4
[components]
pipe = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "4 mm" } }
[ports]
inlet = { at = "pipe.a", flow_rate = "=q" }
out = { at = "pipe.b", pressure = "0 Pa" }
[species]
dye = { diffusivity = "1e-10 m^2/s", inlets = { inlet = 1 } }
"#;
    fs::write(here.join("pipe.toml"), pipe).unwrap();
    let study = r#"format = 1
design = "pipe.toml"
[ranges]
q = { values = ["1 uL/min", "4 uL/min"] }
[outputs]
age = "species.dye.out.age"
spread = "species.dye.out.age_spread / species.dye.out.age"
volume = "-species.dye.out.age * ports.out.flow_rate"
"#;
    fs::write(here.join("ages.toml"), study).unwrap();
    demand(0, here, &["sweep", "ages.toml", "--out", "swept"]);
    let mut table = csv::Reader::from_path(here.join("swept/results.csv")).unwrap();
    let heads: Vec<&str> = table.headers().unwrap().iter().skip(2).take(3).collect();
    assert_eq!(heads, ["age [s]", "spread", "volume [m^3]"]);
    let mut spreads = Vec::new();
    for row in table.records() {
        let row = row.unwrap();
        let of = |k: usize| row[k].parse::<f64>().unwrap();
        assert!((of(4) / 2e-11 - 1.0).abs() < 1e-3, "{row:?}");
        assert!((of(2) * of(1) / 2e-11 - 1.0).abs() < 1e-3, "{row:?}");
        spreads.push(of(3));
    }
    assert!(
        spreads[0] > 0.1 && spreads[0] < spreads[1],
        "diffusion across the channel evens ages: {spreads:?}"
    );
}
