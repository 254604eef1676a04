//! A program that is really killed: the test runs itself again, in a process that draws until its end.

use std::env;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable;
use stokeslet_gui::Command;

use super::{apply, empty, home, open, place, text};

/// Of the process that is killed: where it keeps its work.
const HOME: &str = "STOKESLET_TEST_KILLED";
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn work_that_was_not_saved_is_offered_after_a_kill() {
    if let Some(home) = env::var_os(HOME) {
        return draw_until_killed(Path::new(&home));
    }
    let home = home();
    let mut child = Process::new(env::current_exe().expect("this test"))
        .args([
            "--exact",
            "killed::work_that_was_not_saved_is_offered_after_a_kill",
        ])
        .env(HOME, home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let folder = home.path().join("recovery");
    let begin = Instant::now();
    let drawn = loop {
        match kept(&folder).filter(|kept| kept.contains("cross1")) {
            Some(drawn) => break drawn,
            None if begin.elapsed() > PATIENCE => panic!("nothing was kept"),
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    child.kill().expect("it runs until then");
    child.wait().expect("it is gone");

    let mut window = open(None, home.path());
    window.run_steps(3);
    window.get_by_label("Recover").click();
    window.run_steps(4);
    assert_eq!(text(&window), drawn);
    assert!(drawn.contains("tee1"), "{drawn}");
    assert!(
        window.state().document().is_modified(),
        "it is in no file yet"
    );
    // What was done before is undone as if nothing had happened.
    apply(&mut window, Command::Undo);
    assert_ne!(text(&window), drawn);
    assert!(!text(&window).contains("cross1"), "{}", text(&window));
    apply(&mut window, Command::Redo);
    assert_eq!(text(&window), drawn);
    let saved = home.path().join("saved.toml");
    apply(&mut window, Command::SaveTo(saved.clone()));
    assert_eq!(std::fs::read_to_string(saved).expect("saved"), drawn);
    assert_eq!(kept(&folder), None, "nothing is left to recover");
}

fn draw_until_killed(home: &Path) {
    let mut window = empty(home);
    place(&mut window, "tee", 0.0, 0.0);
    place(&mut window, "cross", 0.01, 0.0);
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        window.step();
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The text that is kept for a crash, once it is there whole.
fn kept(folder: &Path) -> Option<String> {
    let mut files = std::fs::read_dir(folder).ok()?.flatten();
    let file = files.find(|file| file.path().extension().is_some_and(|e| e == "json"))?;
    let kept = std::fs::read_to_string(file.path()).ok()?;
    let kept: serde_json::Value = serde_json::from_str(&kept).ok()?;
    Some(kept["text"].as_str()?.to_owned())
}
