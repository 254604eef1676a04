//! Records in a file that is whole whenever the program is killed: one line a record, appended and synced; a torn last line is dropped.
//!
//! ```text
//! {"study":1,"key":"...","points":121,"shard":[1,1],"variables":["w [m]"],"has_resolution":false,"outputs":["q1 [m^3/s]"]}
//! {"index":0,"values":[0.00005],"status":"ok","outputs":[1.2e-9],"seconds":0.004}
//! ```
//! The key covers the design, the study, the library's parts in it, and the program's version: what was solved from anything else isn't taken up.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use web_time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::run::Record;

/// The file in a study's folder.
pub const FILE: &str = "points.jsonl";
/// A record is on the disk after this time at the latest: a sync takes milliseconds, a small chip no longer.
const SYNC_EVERY: Duration = Duration::from_millis(200);

/// The first line: what all records are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of this format.
    pub study: u32,
    /// Key of design, study and program.
    pub key: String,
    /// In all shards.
    pub points: usize,
    /// This one, from 1, and how many.
    pub shard: (usize, usize),
    /// Heads of the variables' columns, then of those that tell what uncertain ones stray from.
    pub variables: Vec<String>,
    /// How many the latter are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_nominal: usize,
    /// Whether records have a resolution.
    pub has_resolution: bool,
    /// Heads of the outputs' columns.
    pub outputs: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Why records can't be kept or read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// What the file system says.
    #[error("can't {doing} `{}`", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// Results are there already.
    #[error("`{}` has results already: --resume goes on from them, --out takes another folder", .0.display())]
    Exists(PathBuf),
    /// Another process writes there.
    #[error("another process is at work on `{}`", .0.display())]
    Busy(PathBuf),
    /// Results of another design, study or version of the program.
    #[error("`{}` holds results of another study, another design or another version of this program; remove it, or take another folder", .0.display())]
    Other(PathBuf),
    /// Not such a file.
    #[error("line {line} of `{}` is not a record of a study: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A record that can't be put into words: our bug.
    #[error("a record can't be written")]
    Record(#[from] serde_json::Error),
}

fn on<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> JournalError + 'a {
    move |source| JournalError::Io {
        doing,
        path: path.to_path_buf(),
        source,
    }
}

/// What to do where records are already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Go on from them.
    Resume,
    /// Refuse.
    Refuse,
}

/// Records on their way to the disk.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    waiting: Vec<u8>,
    synced: Instant,
}

impl Journal {
    /// Opens or begins the file in `folder`, which is made; the records that it has, by index.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn open(
        folder: &Path,
        header: &Header,
        existing: Existing,
    ) -> Result<(Self, BTreeMap<usize, Record>), JournalError> {
        fs::create_dir_all(folder).map_err(on("create the folder", folder))?;
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(on("open", &path))?;
        // Where a file system has no locks, nobody is kept out.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(JournalError::Busy(path));
        }
        let bytes = fs::read(&path).map_err(on("read", &path))?;
        let whole = whole_lines(&bytes);
        if whole == 0 && !can_be_torn_header(&bytes) {
            let reason = "the file isn't a study's, and is left alone".to_owned();
            return Err(JournalError::Malformed {
                path,
                line: 1,
                reason,
            });
        }
        let mut records = BTreeMap::new();
        if whole > 0 {
            if existing == Existing::Refuse {
                return Err(JournalError::Exists(path));
            }
            let (found, kept) = parse(&bytes[..whole], &path)?;
            if found != *header {
                return Err(JournalError::Other(path));
            }
            records = kept;
        }
        file.set_len(whole as u64).map_err(on("write", &path))?;
        file.seek(SeekFrom::End(0)).map_err(on("write", &path))?;
        let mut journal = Self {
            path,
            file,
            waiting: Vec::new(),
            synced: Instant::now(),
        };
        if whole == 0 {
            serde_json::to_writer(&mut journal.waiting, header)?;
            journal.waiting.push(b'\n');
            journal.sync()?;
        }
        Ok((journal, records))
    }

    /// Adds a record; it is on the disk within a fifth of a second, if others follow, or after [`Self::sync`].
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        serde_json::to_writer(&mut self.waiting, record)?;
        self.waiting.push(b'\n');
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Puts everything on the disk.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn sync(&mut self) -> Result<(), JournalError> {
        if !self.waiting.is_empty() {
            let file = &mut self.file;
            let written = file
                .write_all(&self.waiting)
                .and_then(|()| file.sync_data());
            written.map_err(on("write", &self.path))?;
            self.waiting.clear();
        }
        self.synced = Instant::now();
        Ok(())
    }
}

/// Bytes up to the end of the last line that is whole; a kill in the middle of a write leaves half of one, or zeros.
fn whole_lines(bytes: &[u8]) -> usize {
    let mut end = bytes
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    while end > 0 {
        let start = bytes[..end - 1]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        if serde_json::from_slice::<serde_json::Value>(&bytes[start..end]).is_ok() {
            return end;
        }
        end = start;
    }
    0
}

/// Whether a file without a whole line may be what a kill or a crash left of a header: its beginning, or zeros behind some of it.
fn can_be_torn_header(bytes: &[u8]) -> bool {
    const BEGINNING: &[u8] = b"{\"study\":";
    let written = bytes.iter().take_while(|b| **b != 0).count();
    let (written, rest) = bytes.split_at(written);
    let many = written.len().min(BEGINNING.len());
    let begins = written[..many] == BEGINNING[..many] && !written.contains(&b'\n');
    begins && rest.iter().all(|b| *b == 0)
}

/// Reads a file of records.
///
/// # Errors
/// [`JournalError`].
pub fn read(folder: &Path) -> Result<(Header, BTreeMap<usize, Record>), JournalError> {
    let path = folder.join(FILE);
    let bytes = fs::read(&path).map_err(on("read", &path))?;
    parse(&bytes[..whole_lines(&bytes)], &path)
}

fn parse(bytes: &[u8], path: &Path) -> Result<(Header, BTreeMap<usize, Record>), JournalError> {
    let malformed = |line: usize, reason: String| JournalError::Malformed {
        path: path.to_path_buf(),
        line,
        reason,
    };
    let mut lines = bytes.split(|b| *b == b'\n').enumerate();
    let header: Header = match lines.next() {
        Some((_, line)) => {
            serde_json::from_slice(line).map_err(|error| malformed(1, error.to_string()))?
        }
        None => return Err(malformed(1, "it is empty".to_owned())),
    };
    let mut records = BTreeMap::new();
    for (k, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let record: Record =
            serde_json::from_slice(line).map_err(|error| malformed(k + 1, error.to_string()))?;
        let is_of_study = record.index < header.points
            && record.outputs.len() == header.outputs.len()
            && record.values.len() == header.variables.len();
        if !is_of_study {
            return Err(malformed(k + 1, "it is of another study".to_owned()));
        }
        records.entry(record.index).or_insert(record);
    }
    Ok((header, records))
}
