//! What fuzzing found stays found: every file in `designs/regressions/` is read, placed and solved like a fuzzed one.

use std::path::Path;

use crate::{placement, reader};

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
