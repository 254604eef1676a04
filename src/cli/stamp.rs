//! What results were made from, as one short text: equal stamps, equal results.
//!
//! The chip is hashed as it was placed, so a change of a component's definition counts, and a comment in the design doesn't.

use std::fmt::{self, Write as _};
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use stokeslet::chip::Chip;
use stokeslet::design::Design;
use stokeslet::export::{Digest, Format, is_sealed};
use stokeslet::session::SolveSettings;

use super::request::SolveRequest;

/// Text goes straight into the hash: a chip of many parts would be a long string.
struct Hashing(DefaultHasher);

impl fmt::Write for Hashing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// The stamp of a chip, its title, the settings, what was asked for, and this program's version.
///
/// Threads and memory limits are left out: results don't depend on them.
pub fn stamp(
    chip: &Chip,
    design: Option<&Design>,
    title: Option<&str>,
    settings: &SolveSettings,
    request: &SolveRequest,
) -> String {
    let mut hash = Hashing(DefaultHasher::new());
    // Writing into the hash does not fail. Debug prints every bit of a float that matters.
    let _ = write!(
        hash,
        "{:?}|{:?}|",
        design.map(|d| &d.species),
        request.species
    );
    let _ = write!(
        hash,
        "{}|{title:?}|{chip:?}|{}|{:?}|{:?}|{:?}|{}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}|{:?}",
        env!("CARGO_PKG_VERSION"),
        settings.resolution,
        settings.depth,
        settings.corners,
        settings.caching,
        settings.method.name(),
        settings.tolerance,
        settings.max_refinement_steps,
        settings.wanted,
        request.formats,
        request.probes,
        request.lines,
        request.colouring,
        request.errors,
    );
    format!("{:016x}", hash.0.finish())
}

/// The digest of the results in `folder`, if they are complete and bear this stamp.
pub fn done_before(folder: &Path, stamp: &str, request: &SolveRequest) -> Option<Digest> {
    let text = fs::read_to_string(folder.join("summary.json")).ok()?;
    let digest: Digest = serde_json::from_str(&text).ok()?;
    let has_size = |(name, size): (&String, &u64)| {
        fs::metadata(folder.join(name)).is_ok_and(|file| file.is_file() && file.len() == *size)
    };
    if !is_sealed(&text) || !digest.files.iter().all(has_size) {
        return None;
    }
    let complete = request
        .formats
        .iter()
        .flat_map(|f| f.files().iter().map(move |name| (f, *name)))
        .filter(|(f, name)| {
            !(**f == Format::Csv && *name == "line.csv" && request.lines.is_empty())
                && *name != "profiles.csv"
        })
        .all(|(_, name)| folder.join(name).is_file());
    (complete && digest.stamp == stamp).then_some(digest)
}
