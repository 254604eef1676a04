//! What results were made from, as one short text: equal stamps, equal results.
//!
//! The chip is hashed as it was placed, so a change of a component's definition counts, and a comment in the design doesn't.

use std::fs;
use std::path::Path;

use stokeslet::chip::Chip;
use stokeslet::design::Design;
use stokeslet::export::{Digest, is_sealed};
use stokeslet::fingerprint::{Domain, Hasher};
use stokeslet::session::SolveSettings;

use super::request::SolveRequest;

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
    let made_of = (
        (env!("CARGO_PKG_VERSION"), title, chip),
        (design.map(|d| &d.species), &request.species),
        (
            settings.resolution,
            settings.depth,
            settings.corners,
            settings.caching,
            settings.method.name(),
        ),
        (
            settings.tolerance,
            settings.max_refinement_steps,
            settings.wanted,
        ),
        (&request.formats, &request.probes, &request.lines),
        (&request.colouring, &request.errors),
        (&request.streamlines, request.walls, request.tracers),
    );
    let key = Hasher::new(Domain::SolveStamp).printed(&made_of).finish();
    format!("{:032x}", key.0)
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
    // What else was asked for is among the digest's files.
    let mut certain = request.formats.iter().flat_map(|f| f.certain_files());
    let complete = certain.all(|name| folder.join(name).is_file());
    (complete && digest.stamp == stamp).then_some(digest)
}
