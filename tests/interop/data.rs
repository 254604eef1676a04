//! Data of other projects, beside the repository: tests of it say nothing where it isn't there.

use std::path::PathBuf;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::Chip;
use stokeslet::session::{Solution, SolveError, SolveSettings, progress, solve};
use stokeslet::table::Table;

/// Files of a folder of the interchange data, by name; none where the data isn't there.
pub fn files(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../shared/interop-data").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return Vec::new();
    };
    let mut files: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_string_lossy().into_owned();
            let is_json = name.to_lowercase().ends_with(".json");
            Some((
                name,
                std::fs::read_to_string(&path).ok().filter(|_| is_json)?,
            ))
        })
        .collect();
    files.sort();
    files
}

/// Ports only, at a resolution.
pub fn solved(chip: &Chip, resolution: u32) -> Result<Solution, SolveError> {
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    solve(
        chip,
        &settings,
        &Table::default(),
        &progress::silent,
        &CancelToken::new(),
    )
}
