//! Mutated files of every format: refused with a code or read, never a panic, never long.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use stokeslet::design::{parse, print};
use stokeslet::drawing::draw;
use stokeslet::import::{Options, format_of, mmft, network, parchmint, threeduf};
use stokeslet::library::Library;
use stokeslet::rules::read_process;

const PARCHMINT: &str = include_str!("../foreign/parchmint.json");
const MMFT: &str = include_str!("../foreign/mmft.json");
const DRAWING: &str = include_str!("../foreign/threeduf.json");
const NETWORK: &str = include_str!("../foreign/network.json");
const DESIGN: &str = include_str!("../foreign/links.toml");
const PROCESS: &str = include_str!("../foreign/process.toml");

/// A change of a text: bytes dropped, a number or word put in the place of another, a piece twice.
fn mutated(text: &str, seed: &[(u8, usize, usize)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(kind, at, length) in seed {
        let at = at % bytes.len().max(1);
        let end = (at + 1 + length % 12).min(bytes.len());
        const WORDS: [&str; 10] = [
            "1e308",
            "-1",
            "null",
            "[]",
            "{}",
            "\"\"",
            "0",
            "1e-320",
            "99999999999",
            "\"a\"",
        ];
        // A word in the place of the number or text that stands here.
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"\"._-".contains(b);
        match kind % 4 {
            0 => {
                bytes.drain(at..end);
            }
            1 | 2 => {
                let start = bytes[..at]
                    .iter()
                    .rposition(|b| !is_word(b))
                    .map_or(0, |k| k + 1);
                let stop = bytes[at..]
                    .iter()
                    .position(|b| !is_word(b))
                    .map_or(bytes.len(), |k| at + k);
                let word = WORDS[length % WORDS.len()];
                bytes.splice(start..stop.max(start), word.bytes());
            }
            _ => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn quickly<T>(what: &str, text: &str, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = read();
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{what} took {:?}: {text}",
        start.elapsed()
    );
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_are_read_or_refused_with_a_code(seed in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>()), 1..6)) {
        let library = Library::embedded();
        let text = mutated(PARCHMINT, &seed);
        let _ = format_of(&text);
        let (read, said) = quickly("ParchMint", &text, || parchmint(&text, "x", &library, &Options::default()));
        prop_assert!(read.is_some() || said.iter().any(|d| !d.code.is_empty()), "refused without a word: {text}");
        if let Some(netlist) = read {
            let (drawn, said) = quickly("layout", &text, || draw(&netlist.design, &library, None));
            prop_assert!(drawn.is_some() || !said.is_empty(), "not drawn without a word: {text}");
        }
        let text = mutated(DRAWING, &seed);
        let _ = format_of(&text);
        let (read, said) = quickly("3DuF", &text, || threeduf(&text, "x", &library, &Options::default()));
        prop_assert!(read.is_some() || !said.is_empty(), "refused without a word: {text}");
        let text = mutated(MMFT, &seed);
        let (read, said) = quickly("MMFT", &text, || mmft(&text, "x"));
        prop_assert!(read.is_some() || !said.is_empty(), "refused without a word: {text}");
        let text = mutated(NETWORK, &seed);
        let (read, said) = quickly("network", &text, || network(&text, "x"));
        prop_assert!(read.is_some() || !said.is_empty(), "refused without a word: {text}");
        let text = mutated(DESIGN, &seed);
        let (read, said) = quickly("design", &text, || parse(&text, "x"));
        prop_assert!(read.is_some() || !said.is_empty(), "refused without a word: {text}");
        if let Some(design) = read {
            let (again, mistakes) = parse(print(&design), "x");
            prop_assert!(again.is_some(), "printed and not read again: {mistakes:?}");
            quickly("placing", &text, || stokeslet::chip::place(&design, &library));
        }
        let text = mutated(PROCESS, &seed);
        if let Ok(process) = quickly("process", &text, || read_process(&text)) {
            for rule in &process.rules {
                let _ = quickly("limit", &text, || rule.limit(Some(1e-4)));
            }
        }
    }
}

#[test]
fn the_files_that_are_mutated_are_fine_as_they_are() {
    let (read, said) = parchmint(PARCHMINT, "x", &Library::embedded(), &Options::default());
    assert!(read.is_some(), "{said:?}");
    let (read, said) = mmft(MMFT, "x");
    assert!(read.is_some(), "{said:?}");
    let (read, said) = threeduf(DRAWING, "x", &Library::embedded(), &Options::default());
    assert!(read.is_some(), "{said:?}");
    assert!(network(NETWORK, "x").0.is_some());
    assert!(parse(DESIGN, "x").0.is_some());
    assert!(read_process(PROCESS).is_ok());
}
