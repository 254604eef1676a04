//! What fuzzing found stays found: every file in `designs/regressions/` is read, placed and solved like a fuzzed one.

use std::path::Path;

use crate::{network, placement, reader};

#[test]
fn every_regression_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs/regressions");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        println!("{}", path.display());
        reader::check(&bytes);
        if let Ok(text) = String::from_utf8(bytes) {
            for resolution in 2..=4 {
                placement::check(&text, resolution);
            }
        }
    }
}

/// Networks that once stopped the elimination: lone cells in sharp corners of junctions, and two whose cause is another.
#[test]
fn every_network_that_was_found_is_imported_and_placed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/networks");
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for resolution in [2, 4, 8] {
            network::check(&text, resolution);
        }
    }
}
