//! Unsaved work, written every few seconds beside the settings, so that a crash or a power cut costs no more than those.
//!
//! ```text
//! text as it changes --note--> thread, waits a little, newest only --> HOME/recovery/<pid>-<time>.json
//! saved or closed --clear--> the file goes;  next start --leftovers--> files whose program is dead: what can be recovered
//! ```
//! The newest steps of undo are kept with it. A file is written whole or not at all, so a crash while writing leaves the one before.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use web_time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sysinfo::{Pid, ProcessesToUpdate, System};

use super::sentence;
use crate::history::{History, Past, Recent};
use stokeslet_flow::export::write_file;

/// From a change to its file: long enough that typing writes once, short enough to lose little.
pub const DELAY: Duration = Duration::from_millis(600);
/// Largest file of this kind that is read, bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Work that was not saved, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaved {
    /// The design's text.
    pub text: String,
    /// The way back.
    #[serde(default)]
    pub past: Past,
    /// The file that it belongs to, if it has one.
    pub path: Option<PathBuf>,
    /// What the window called it.
    pub name: String,
    /// When it was written, seconds since 1970.
    pub time: u64,
    /// The program that wrote it.
    pub pid: u32,
    /// When that program was started, seconds since 1970: tells it from a later one with the same number.
    pub started: u64,
}

/// Unsaved work of a program that is no more.
#[derive(Clone, Debug)]
pub struct Leftover {
    /// What can be recovered.
    pub unsaved: Unsaved,
    file: PathBuf,
}

impl Leftover {
    /// Removes it from the disk: it was recovered and saved, or is not wanted.
    pub fn discard(&self) {
        // What can't be removed is offered again, which is better than failing here.
        let _ = fs::remove_file(&self.file);
    }
}

enum Order {
    Note(Unsaved, Recent),
    Clear(Sender<()>),
}

/// Writes unsaved work on a thread of its own.
#[derive(Debug)]
pub struct Autosave {
    orders: Option<Sender<Order>>,
    failures: Receiver<String>,
    thread: Option<JoinHandle<()>>,
    pid: u32,
    started: u64,
}

impl Autosave {
    /// Writes into `home/recovery`, `delay` after a change.
    pub fn new(home: &Path, delay: Duration) -> Self {
        let (pid, now) = (std::process::id(), seconds());
        let file = folder(home).join(format!("{pid}-{}.json", nanos()));
        let (orders, received) = channel();
        let (failed, failures) = channel();
        let thread = std::thread::Builder::new()
            .name("autosave".to_owned())
            .spawn(move || write_as_ordered(&file, delay, &received, &failed))
            .ok();
        Self {
            // Without a thread nobody hears, and nothing is kept; the window works nevertheless.
            orders: Some(orders),
            failures,
            thread,
            pid,
            started: start_of(pid).unwrap_or(now),
        }
    }

    /// Says what is unsaved now; costs a frame no more than copying the text.
    pub fn note(&self, history: &History, path: Option<&Path>, name: &str) {
        let unsaved = Unsaved {
            text: history.steps()[history.now()].text.to_string(),
            past: Past::default(),
            path: path.map(Path::to_owned),
            name: name.to_owned(),
            time: seconds(),
            pid: self.pid,
            started: self.started,
        };
        self.send(Order::Note(unsaved, history.recent()));
    }

    /// Everything is saved, or given up on purpose: nothing is left to recover when this returns.
    pub fn clear(&self) {
        let (done, wait) = channel();
        self.send(Order::Clear(done));
        // A disk that hangs must not hang the window for good.
        let _ = wait.recv_timeout(Duration::from_secs(1));
    }

    /// Why work could not be kept, once each time.
    pub fn failure(&self) -> Option<String> {
        self.failures.try_iter().last()
    }

    fn send(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // Nobody hears where the system gave no thread.
            let _ = orders.send(order);
        }
    }
}

impl Drop for Autosave {
    /// Writes what waits to be written: whoever leaves without [`Autosave::clear`] has not saved.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write_as_ordered(
    file: &Path,
    delay: Duration,
    orders: &Receiver<Order>,
    failed: &Sender<String>,
) {
    let mut waiting: Option<((Unsaved, Recent), Instant)> = None;
    loop {
        let order = match &waiting {
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((_, due)) => orders.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match order {
            // The first change sets the time, so that steady typing is written too.
            Ok(Order::Note(unsaved, recent)) => {
                let due = waiting.map_or_else(|| Instant::now() + delay, |(_, due)| due);
                waiting = Some(((unsaved, recent), due));
            }
            Ok(Order::Clear(done)) => {
                waiting = None;
                let _ = fs::remove_file(file);
                let _ = done.send(());
            }
            Err(ended) => {
                if let Some(((mut unsaved, recent), _)) = waiting.take() {
                    unsaved.past = Past::of(&recent);
                    write(file, &unsaved, failed);
                }
                if ended == RecvTimeoutError::Disconnected {
                    return;
                }
            }
        }
    }
}

fn write(file: &Path, unsaved: &Unsaved, failed: &Sender<String>) {
    let said = match serde_json::to_vec(unsaved) {
        Ok(bytes) => write_file(file, &bytes).map_err(|e| sentence(&e)),
        Err(e) => Err(e.to_string()),
    };
    if let Err(why) = said {
        let _ = failed.send(format!("Unsaved work can't be kept safe: {why}"));
    }
}

/// What programs that are no more left unsaved, newest first. Files that can't be read are left alone.
pub fn leftovers(home: &Path) -> Vec<Leftover> {
    leftovers_but(home, &|unsaved| {
        start_of(unsaved.pid).is_some_and(|started| started.abs_diff(unsaved.started) <= 2)
    })
}

/// [`leftovers`], `is_alive` telling whose program still runs.
fn leftovers_but(home: &Path, is_alive: &dyn Fn(&Unsaved) -> bool) -> Vec<Leftover> {
    let Ok(entries) = fs::read_dir(folder(home)) else {
        return Vec::new();
    };
    let files = entries.filter_map(|entry| entry.ok().map(|e| e.path()));
    let mut found: Vec<Leftover> = files
        .filter(|file| file.extension().is_some_and(|e| e == "json"))
        .filter(|file| fs::metadata(file).is_ok_and(|data| data.len() <= MAX_BYTES))
        .filter_map(|file| {
            let unsaved: Unsaved = serde_json::from_slice(&fs::read(&file).ok()?).ok()?;
            (!is_alive(&unsaved)).then_some(Leftover { unsaved, file })
        })
        .collect();
    found.sort_by(|a, b| (b.unsaved.time, &b.file).cmp(&(a.unsaved.time, &a.file)));
    found
}

fn folder(home: &Path) -> PathBuf {
    home.join("recovery")
}

/// When a process was started, seconds since 1970; `None` where there is none.
fn start_of(pid: u32) -> Option<u64> {
    let pid = Pid::from_u32(pid);
    let mut system = System::new();
    system.refresh_processes(ProcessesToUpdate::Some(&[pid]), false);
    system.process(pid).map(sysinfo::Process::start_time)
}

fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn seconds() -> u64 {
    since_1970().as_secs()
}

fn nanos() -> u128 {
    since_1970().as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> History {
        History::new(content.into())
    }

    fn wait_for(mut is_true: impl FnMut() -> bool, what: &str) {
        let begin = Instant::now();
        while !is_true() {
            assert!(begin.elapsed() < Duration::from_secs(10), "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn work_of_a_dead_program_is_offered_and_of_a_live_one_is_not() {
        let home = tempfile::tempdir().unwrap();
        let autosave = Autosave::new(home.path(), Duration::from_millis(1));
        let path = Path::new("/designs/chip.toml");
        autosave.note(&text("format = 1\n"), Some(path), "chip");
        wait_for(
            || leftovers_but(home.path(), &|_| false).len() == 1,
            "written without being asked again",
        );
        // As a kill does: the thread is never told.
        std::mem::forget(autosave);
        assert!(leftovers(home.path()).is_empty(), "this program still runs");
        let left = leftovers_but(home.path(), &|unsaved| unsaved.pid != std::process::id());
        assert_eq!(left[0].unsaved.text, "format = 1\n");
        assert_eq!(left[0].unsaved.path.as_deref(), Some(path));
        left[0].discard();
        assert!(leftovers_but(home.path(), &|_| false).is_empty());
    }

    #[test]
    fn another_program_with_the_number_of_a_dead_one_is_not_taken_for_it() {
        let home = tempfile::tempdir().unwrap();
        let dead = Unsaved {
            text: "a".into(),
            past: Past::default(),
            path: None,
            name: "untitled".into(),
            time: 1_000,
            pid: std::process::id(),
            started: 900,
        };
        fs::create_dir_all(folder(home.path())).unwrap();
        fs::write(
            folder(home.path()).join("1-1.json"),
            serde_json::to_vec(&dead).unwrap(),
        )
        .unwrap();
        fs::write(folder(home.path()).join("2-2.json"), "{ broken").unwrap();
        let left = leftovers(home.path());
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].unsaved, dead);
    }

    #[test]
    fn a_clean_save_leaves_nothing_and_leaving_without_one_leaves_the_newest() {
        let home = tempfile::tempdir().unwrap();
        let autosave = Autosave::new(home.path(), Duration::from_secs(3600));
        autosave.note(&text("1"), None, "untitled");
        autosave.clear();
        drop(autosave);
        assert!(leftovers_but(home.path(), &|_| false).is_empty());
        let autosave = Autosave::new(home.path(), Duration::from_secs(3600));
        autosave.note(&text("1"), None, "untitled");
        autosave.note(&text("2"), None, "untitled");
        drop(autosave);
        let left = leftovers_but(home.path(), &|_| false);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].unsaved.text, "2");
    }

    #[test]
    fn a_home_that_cannot_be_written_is_told() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        let autosave = Autosave::new(&file, Duration::ZERO);
        autosave.note(&text("1"), None, "untitled");
        let mut said = None;
        wait_for(
            || {
                said = autosave.failure().or(said.take());
                said.is_some()
            },
            "the failure is heard",
        );
        assert!(said.unwrap().contains("kept safe"));
    }
}
