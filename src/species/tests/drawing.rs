//! The drawing of tubes through a tee in the docs, and what it must show.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use support::{Row, TEE, row};

fn tee() -> String {
    let Row { paths, .. } = row(&TEE.replace("LENGTH", "3"), 8);
    let r = paths.ways.iter().position(|w| w.inlets.len() == 2).unwrap();
    stokeslet_species::drawing::tubes(&paths, r, 420.0, 2).unwrap()
}

#[test]
fn the_tee_shows_two_streams_apart_then_joined_and_where_they_meet() {
    let drawing = tee();
    let count = |what: &str| drawing.matches(what).count();
    assert_eq!(count("<circle"), 1, "they meet once and never part");
    // 16 lines a bundle, every second one; a path a stage.
    assert_eq!([count("#56b4e9"), count("#0072b2")], [16, 16]);
    assert!(
        drawing.lines().all(|l| !l.trim().is_empty()),
        "a blank line would end the picture in the docs"
    );
}

#[test]
#[ignore = "writes the drawing of the docs, seconds"]
fn draw() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("method/tee.svg");
    std::fs::write(path, tee()).unwrap();
}
