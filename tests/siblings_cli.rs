//! `stokeslet particles`, `contact` and `apic` as a user runs them: scenes from files, pictures and files, going on, mistakes.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn stokeslet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stokeslet"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs what must succeed; returns what it printed.
fn fine(arguments: &[&str]) -> String {
    let output = stokeslet(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// The log of a run in this folder.
fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("frames.csv")).unwrap()
}

/// (system, a scene that takes a moment, the folder of its results, how its files begin)
const QUICK: [(&str, &str, &str, &str); 3] = [
    ("particles", "buoyancy", "particles-buoyancy", "buoyancy"),
    ("contact", "stack_rr", "contact-stack_rr", "stack_rr"),
    ("apic", "inlet", "apic-inlet", "apic"),
];

/// A bit is enough: what would go on from another state is refused, and the file stays.
#[test]
fn no_damaged_checkpoint_is_gone_on_from() {
    for (system, scene, folder, _) in QUICK {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().to_str().unwrap();
        let run = |more: &[&str]| {
            let arguments = [system, "run", scene, "--out", out, "--format", "csv"];
            stokeslet(&[&arguments[..], more].concat())
        };
        assert!(run(&["--steps", "1"]).status.success(), "{system}");
        let files = fs::read_dir(place.path().join(folder)).unwrap();
        let mut files = files.map(|file| file.unwrap().path());
        let file = files.find(|f| f.extension().is_some_and(|e| e == "bin"));
        let file = file.expect("a checkpoint");
        let whole = fs::read(&file).unwrap();
        for at in [whole.len() / 3, whole.len() / 2, whole.len() - 40] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).unwrap();
            let output = run(&["--steps", "2", "--resume"]);
            let told = text(&output.stderr);
            assert!(
                !output.status.success() && told.contains("damaged"),
                "{system}: {told}"
            );
            assert_eq!(fs::read(&file).unwrap(), damaged, "{system}");
        }
        fs::write(&file, &whole).unwrap();
        assert!(
            run(&["--steps", "2", "--resume"]).status.success(),
            "{system}"
        );
    }
}

#[test]
fn a_wrong_setting_is_told_as_what_was_given_not_as_a_line_of_the_scene() {
    let output = stokeslet(&["contact", "run", "stack_rr", "--set", "friction=-1"]);
    let told = text(&output.stderr);
    assert!(!output.status.success());
    assert!(
        told.contains("--set friction=-1") && !told.contains("line 0"),
        "{told}"
    );
}

/// By what is set otherwise in each, not by what all have.
#[test]
fn runs_side_by_side_are_named_by_what_differs() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().to_str().unwrap();
    let mut arguments = vec!["contact", "run", "stack_rr", "--steps", "1", "--out", out];
    arguments.extend([
        "--set",
        "friction=0.4",
        "--set",
        "coupling=coupled,lagged_friction",
    ]);
    fine(&[&arguments[..], &["--format", "csv,ply", "--every", "1"]].concat());
    let folder = place.path().join("contact-stack_rr");
    let files = fs::read_dir(&folder).unwrap();
    let files: Vec<String> = files
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["stack_rr-coupled-", "stack_rr-lagged_friction-"] {
        assert!(
            files.iter().any(|f| f.starts_with(name)),
            "{name}: {files:?}"
        );
    }
    assert!(log(&folder).contains("stack_rr-lagged_friction"));
}

#[test]
fn a_run_that_is_taken_up_again_writes_what_one_run_writes() {
    for (system, scene, folder, name) in QUICK {
        let place = tempfile::tempdir().unwrap();
        let (once, twice) = (place.path().join("once"), place.path().join("twice"));
        let run = |out: &Path, steps: &str, more: &[&str]| {
            let out = out.to_str().unwrap();
            let mut arguments = vec![system, "run", scene, "--steps", steps, "--out", out];
            arguments.extend(["--format", "png,csv,vtu,ply", "--every", "6"]);
            arguments.extend(more);
            fine(&arguments)
        };
        run(&once, "12", &["--threads", "1"]);
        run(&twice, "6", &["--threads", "2"]);
        run(&twice, "12", &["--resume"]);
        let (once, twice) = (once.join(folder), twice.join(folder));
        assert_eq!(
            log(&once).lines().count(),
            13,
            "{system}: a head and 12 steps"
        );
        assert_eq!(log(&once), log(&twice), "{system}: logs to the last digit");
        for file in [
            "frame-0012.png",
            &format!("{name}-0012.vtu"),
            &format!("{name}-0012.ply"),
        ] {
            let (a, b) = (fs::read(once.join(file)), fs::read(twice.join(file)));
            assert!(a.unwrap() == b.unwrap(), "{system}: {file} differs");
        }
    }
}

#[test]
fn a_checkpoint_of_other_settings_is_refused() {
    let settings = ["alpha=0.1", "friction=0.4", "tolerance=1e-4"];
    for ((system, scene, ..), setting) in QUICK.into_iter().zip(settings) {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().to_str().unwrap();
        let run = [
            system, "run", scene, "--out", out, "--format", "csv", "--steps",
        ];
        fine(&[&run[..], &["2"]].concat());
        let output = stokeslet(&[&run[..], &["3", "--resume", "--set", setting]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{system}: {said}");
        assert!(said.contains("other settings"), "{system}: {said}");
    }
}

#[test]
fn a_printed_scene_is_a_file_to_start_from() {
    for (system, scene, folder, _) in QUICK {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("mine.toml");
        fs::write(&file, fine(&[system, "scenes", scene])).unwrap();
        let out = place.path().to_str().unwrap();
        let file = file.to_str().unwrap();
        fine(&[
            system, "run", file, "--steps", "3", "--format", "csv", "--out", out,
        ]);
        let mine = log(&place.path().join(folder));
        fine(&[
            system, "run", scene, "--steps", "3", "--format", "csv", "--out", out,
        ]);
        assert_eq!(mine, log(&place.path().join(folder)), "{system}");
    }
}

#[test]
fn mistakes_name_their_place() {
    let place = tempfile::tempdir().unwrap();
    for (system, scene, ..) in QUICK {
        let broken = place.path().join("broken.toml");
        let whole = fine(&[system, "scenes", scene]);
        fs::write(&broken, whole.replacen("name = ", "nmae = ", 1)).unwrap();
        let broken = broken.to_str().unwrap();
        for (arguments, says) in [
            (vec!["run", broken], "nmae"),
            (vec!["run", "nosuch"], "scenes"),
            (vec!["run", "nosuch.toml"], "nosuch.toml"),
            (vec!["run", scene, "--set", "nosuch=1"], "nosuch"),
            (vec!["table", "nosuch"], "nosuch"),
        ] {
            let output = stokeslet(&[&[system][..], &arguments].concat());
            let said = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{system} {arguments:?}: {said}"
            );
            assert!(said.contains(says), "{system} {arguments:?}: {said}");
        }
    }
}

/// A mesh is looked for beside the scene that names it, wherever the program is run.
#[test]
fn a_scene_may_name_a_mesh_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("own.toml");
    let scene = "name = 'own'\nabout = 'a tetrahedron'\ntime_step = 0.01\nduration = 1\nfriction = 0.3\nstiffness = 100\n\
                 plane = [{ normal = [0, 0, 1] }]\n[[body]]\nname = 'a'\nkind = 'rigid'\nmass = 1\nposition = [0, 0, 1]\n\
                 shape = { mesh = { file = 'a.obj', scale = 0.1 } }\n[sizes.cube]\nshapes = { a = { box = { sides = [1, 1, 1], cells = [1, 1, 1] } } }\n";
    fs::write(&file, scene).unwrap();
    let (file, out) = (file.to_str().unwrap(), place.path().to_str().unwrap());
    let run = [
        "contact", "run", file, "--steps", "3", "--format", "csv,ply", "--out", out,
    ];
    let refused = |says: &str| {
        let output = stokeslet(&run);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{says}: {said}");
    };
    refused("mesh `a.obj`");
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let mesh = place.path().join("a.obj");
    fs::write(&mesh, format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\n")).unwrap();
    refused("isn't closed");
    fs::write(
        &mesh,
        format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
    )
    .unwrap();
    fine(&run);
    let folder = place.path().join("contact-own");
    assert_eq!(log(&folder).lines().count(), 4, "a head and 3 steps");
    // Going on needs the file no more than any other run does.
    let more = [
        &run[..3],
        &["--steps", "5", "--resume", "--format", "csv", "--out", out],
    ]
    .concat();
    fine(&more);
    assert_eq!(log(&folder).lines().count(), 6);
    // Its other size is another run, which doesn't go on from this one.
    fine(&[&run[..], &["--size", "cube", "--resume"]].concat());
    let folder = place.path().join("contact-own@cube");
    assert_eq!(log(&folder).lines().count(), 4);
}

#[test]
fn the_threshold_of_sliding_is_in_the_table() {
    let printed = fine(&["contact", "table", "plane_r_stick", "--seconds", "2"]);
    assert!(printed.contains("plane_r_stick"), "{printed}");
}

#[test]
fn several_transfers_run_side_by_side_and_their_losses_are_drawn() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().to_str().unwrap();
    let printed = fine(&[
        "apic",
        "run",
        "inlet",
        "--set",
        "transfer=apic,pic",
        "--steps",
        "3",
        "--format",
        "csv,vti",
        "--out",
        out,
    ]);
    assert!(
        printed.contains("apic: ") && printed.contains("pic: "),
        "{printed}"
    );
    let folder = place.path().join("apic-inlet");
    assert_eq!(
        log(&folder).lines().count(),
        7,
        "a head and 3 steps of each"
    );
    assert!(folder.join("pic-0003.vti").exists());
    fine(&["apic", "fourier", "maps", "--size", "32", "--out", out]);
    assert!(place.path().join("maps.png").exists());
    let table = fine(&["apic", "table", "X2"]);
    assert!(!table.contains("MISSED"), "{table}");
}
