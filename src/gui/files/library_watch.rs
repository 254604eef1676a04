//! New and changed component files become a new library, without a restart.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_cad::library::Library;

/// Between two looks at the folders.
pub const PERIOD: Duration = Duration::from_secs(1);
/// Most files that are looked at; folders beyond are no libraries.
const MAX_FILES: usize = 20_000;

/// What was found after a change: the new library, or what is wrong with the files; the old library stays then.
pub type Found = Result<Library, Vec<Diagnostic>>;

/// Looks at the folders of components on a thread of its own, until it is dropped.
#[derive(Debug)]
pub struct LibraryWatch {
    found: Receiver<Found>,
    // Dropped with the watch, which ends the thread.
    _stop: Sender<()>,
}

impl LibraryWatch {
    /// Watches the user's folder and the one beside the binary; `wake` is called when something was found.
    pub fn new(
        user_folder: Option<&Path>,
        period: Duration,
        wake: impl Fn() + Send + 'static,
    ) -> Self {
        let user_folder = user_folder.map(Path::to_owned);
        let (tell, found) = channel();
        let (stop, stopped) = channel::<()>();
        // Without a thread nothing is ever found, and the library is that of the start.
        let _ = std::thread::Builder::new()
            .name("library".to_owned())
            .spawn(move || {
                let folders = Library::folders(user_folder.as_deref());
                let mut known = state(&folders);
                while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                    let now = state(&folders);
                    if now == known {
                        continue;
                    }
                    known = now;
                    if tell.send(Library::find(user_folder.as_deref())).is_err() {
                        return;
                    }
                    wake();
                }
            });
        Self { found, _stop: stop }
    }

    /// The newest that was found since the last call.
    pub fn poll(&self) -> Option<Found> {
        self.found.try_iter().last()
    }
}

/// Every component file with its time and size.
type State = Vec<(PathBuf, Option<SystemTime>, u64)>;

fn state(folders: &[PathBuf]) -> State {
    let mut files = State::new();
    for folder in folders {
        note(folder, true, &mut files);
    }
    files.sort();
    files
}

fn note(folder: &Path, families: bool, files: &mut State) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(data) = fs::metadata(&path) else {
            continue;
        };
        if data.is_dir() && families {
            note(&path, false, files);
        } else if path.extension().is_some_and(|e| e == "toml") && files.len() < MAX_FILES {
            files.push((path, data.modified().ok(), data.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use web_time::Instant;

    fn next(watch: &LibraryWatch) -> Found {
        let begin = Instant::now();
        loop {
            if let Some(found) = watch.poll() {
                return found;
            }
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "nothing was found"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_new_file_is_a_new_component_and_a_broken_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let family = folder.path().join("mine");
        fs::create_dir(&family).unwrap();
        let watch = LibraryWatch::new(Some(folder.path()), Duration::from_millis(5), || ());
        let pipe = include_str!("../../../components/channels/pipe.toml");
        // Moved there whole, as editors do: a file half written would be told as broken first.
        let place = |name: &str, text: &str| {
            let half = folder.path().join("half");
            fs::write(&half, text).unwrap();
            fs::rename(&half, family.join(name)).unwrap();
        };
        std::thread::sleep(Duration::from_millis(100));
        place("my_pipe.toml", pipe);
        let library = next(&watch).expect("it is well-formed");
        assert!(library.get("my_pipe").is_some());
        place("broken.toml", "doc = ");
        let faults = next(&watch).expect_err("it is broken");
        assert!(
            faults.iter().any(|f| f.message.contains("broken.toml")),
            "{faults:?}"
        );
        fs::remove_file(family.join("broken.toml")).unwrap();
        assert!(next(&watch).is_ok());
    }
}
