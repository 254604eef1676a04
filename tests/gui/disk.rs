//! Disks that are really full or really read-only: tests run themselves again, in a process that has a file system of 64 KiB for
//! itself.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable;
use stokeslet_gui::Command;

use super::{Window, apply, empty, home, place, text};

/// Of the process that has such a disk: where it is, and why it takes nothing.
const DISK: &str = "STOKESLET_TEST_DISK";
const REASON: &str = "STOKESLET_TEST_REASON";
/// A file system of its own, gone with the process.
const SMALL_DISK: &str =
    r#"mount -t tmpfs -o size=64k none "$1" && exec "$2" --exact "$3" --nocapture"#;
/// Where nobody may mount: files that can't grow past 32 KiB fail in the same place, with another reason.
const SMALL_FILES: &str = r#"trap '' XFSZ; ulimit -f 64; exec "$2" --exact "$3" --nocapture"#;

/// And where folders are protected instead: a user who may not mount is held by them.
const PLAIN: &str = r#"exec "$2" --exact "$3" --nocapture"#;

#[test]
fn a_full_disk_is_named_and_the_work_is_kept() {
    let reasons = [
        "the disk is full",
        "the file would be larger than the system allows",
    ];
    match disk_and_reason() {
        Some((disk, reason)) => save_where_there_is_no_room(&disk, &reason),
        None => again(
            "disk::a_full_disk_is_named_and_the_work_is_kept",
            SMALL_FILES,
            reasons,
        ),
    }
}

#[test]
fn a_read_only_folder_is_named_and_the_work_is_kept() {
    let reasons = ["the disk can only be read", "you have no permission"];
    match disk_and_reason() {
        Some((disk, reason)) => save_where_nobody_may(&disk, &reason, reason == reasons[0]),
        None => again(
            "disk::a_read_only_folder_is_named_and_the_work_is_kept",
            PLAIN,
            reasons,
        ),
    }
}

/// What [`again`] tells the process that it starts.
fn disk_and_reason() -> Option<(PathBuf, String)> {
    let disk = env::var_os(DISK)?;
    Some((disk.into(), env::var(REASON).ok()?))
}

/// Runs a test again, with a disk of its own where that is allowed and by `otherwise` where it isn't; `reasons` of what goes wrong.
fn again(test: &str, otherwise: &str, reasons: [&str; 2]) {
    let disk = home();
    let may_mount = Process::new("unshare").args(["-rm", "true"]).output();
    let mut child = if may_mount.is_ok_and(|probe| probe.status.success()) {
        let mut child = Process::new("unshare");
        child.args(["-rm", "sh", "-c", SMALL_DISK]);
        child.env(REASON, reasons[0]);
        child
    } else {
        let mut child = Process::new("sh");
        child.args(["-c", otherwise]).env(REASON, reasons[1]);
        child
    };
    let own = env::current_exe().expect("this test");
    child.arg("sh").arg(disk.path()).arg(own).arg(test);
    let output = child.env(DISK, disk.path()).output().expect("a shell");
    let said = [output.stdout, output.stderr].map(|s| String::from_utf8_lossy(&s).into_owned());
    assert!(
        output.status.success() && said[0].contains("1 passed"),
        "{}\n{}",
        said[0],
        said[1]
    );
}

/// A window whose design is saved on the disk, the file, and its text.
fn saved_on(disk: &Path, home: &Path) -> (Window, PathBuf, String) {
    let mut window = empty(home);
    place(&mut window, "tee", 0.0, 0.0);
    let file = disk.join("chip.toml");
    apply(&mut window, Command::SaveTo(file.clone()));
    let saved = text(&window);
    assert_eq!(std::fs::read_to_string(&file).expect("it had room"), saved);
    (window, file, saved)
}

fn save_where_nobody_may(disk: &Path, reason: &str, is_mounted: bool) {
    let home = home();
    let (mut window, file, saved) = saved_on(disk, home.path());
    let mut close = Process::new(if is_mounted { "mount" } else { "chmod" });
    let how: &[&str] = if is_mounted {
        &["-o", "remount,ro"]
    } else {
        &["555"]
    };
    let closed = close.args(how).arg(disk).status();
    assert!(closed.expect("a program").success(), "nothing is forbidden");

    place(&mut window, "cross", 0.01, 0.0);
    let work = text(&window);
    assert_ne!(work, saved);
    for command in [Command::Save, Command::SaveTo(disk.join("new.toml"))] {
        apply(&mut window, command);
        window.run_steps(2);
        window.get_by_label_contains(&format!("folder `{}`: {reason}", disk.display()));
        assert!(window.state().document().is_modified(), "not saved");
        assert_eq!(text(&window), work, "and not lost");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), saved);
    let other = home.path().join("elsewhere.toml");
    apply(&mut window, Command::SaveTo(other.clone()));
    assert!(!window.state().document().is_modified());
    assert_eq!(std::fs::read_to_string(&other).expect("saved"), work);
    if !is_mounted {
        // So that it can be removed.
        let open = Process::new("chmod").arg("755").arg(disk).status();
        assert!(open.expect("a program").success());
    }
}

fn save_where_there_is_no_room(disk: &Path, full: &str) {
    let home = home();
    let (mut window, file, saved) = saved_on(disk, home.path());
    let work = format!("{saved}# {}\n", "much more ".repeat(10_000));
    apply(&mut window, Command::SetText(work.clone()));
    apply(&mut window, Command::Save);
    window.run_steps(2);
    window.get_by_label_contains(&format!("{}`: {full}", file.display()));
    assert!(window.state().document().is_modified(), "not saved");
    assert_eq!(text(&window), work, "and not lost");
    let on_disk = std::fs::read_to_string(&file).expect("it is still there");
    assert_eq!(on_disk, saved, "what was saved before is whole");
    let names = std::fs::read_dir(disk).expect("the disk").count();
    assert_eq!(names, 1, "nothing half-written takes room");

    // Where there is room it goes on, and until then it is kept for a crash.
    if full.contains("disk") {
        let begin = Instant::now();
        while !is_kept(&home.path().join("recovery"), &work) {
            window.step();
            assert!(begin.elapsed() < Duration::from_secs(60), "never kept");
            std::thread::sleep(Duration::from_millis(10));
        }
        let other = home.path().join("elsewhere.toml");
        apply(&mut window, Command::SaveTo(other.clone()));
        assert!(!window.state().document().is_modified());
        assert_eq!(std::fs::read_to_string(&other).expect("saved"), work);
    }
}

/// Whether a file of the folder holds the text.
fn is_kept(folder: &Path, work: &str) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .filter_map(|kept| serde_json::from_str::<serde_json::Value>(&kept).ok())
        .any(|kept| kept["text"] == work)
}
