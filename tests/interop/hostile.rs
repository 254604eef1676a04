//! Mutated files of every format: refused with a code or read, never a panic, never long.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use stokeslet::design::{parse, print};
use stokeslet::import::{Options, format_of, mmft, network, parchmint};
use stokeslet::library::Library;
use stokeslet::rules::read_process;

const PARCHMINT: &str = r#"{"name":"t","version":"1.2","layers":[{"id":"0","name":"f","type":"FLOW"}],"params":{"lambda":10},
"components":[{"id":"a","name":"a","entity":"PORT","params":{}},{"id":"b","name":"b","entity":"PORT","params":{}},
{"id":"m","name":"m","entity":"MIXER","x-span":4060,"y-span":4860,"params":{"numberOfBends":2,"bendSpacing":1230,"height":250},"ports":[{"label":"1","x":0,"y":0},{"label":"2","x":10,"y":0}]},
{"id":"t","name":"t","entity":"TREE","x-span":4060,"y-span":4860,"params":{"out":4,"flowChannelWidth":100},"ports":[]},
{"id":"n","name":"n","entity":"NODE","params":{}},{"id":"q","name":"q","entity":"GRADIENT GENERATOR","params":{"in":1,"out":3}}],
"connections":[{"id":"c1","layer":"0","source":{"component":"a","port":"1"},"sinks":[{"component":"m","port":"1"}],"params":{"channelWidth":400},"paths":[{"wayPoints":[[0,0],[10,20]]}]},
{"id":"c2","layer":"0","source":{"component":"m","port":"2"},"sinks":[{"component":"n"},{"component":"t","port":"1"}],"params":{"channelWidth":400}},
{"id":"c3","layer":"0","source":{"component":"n"},"sinks":[{"component":"b","port":"1"},{"component":"q","port":"2"}],"params":{"channelWidth":200}}],"valves":[]}"#;

const MMFT: &str = r#"{"network":{"nodes":[{"x":0,"y":0,"z":0,"ground":true},{"x":0.001,"y":0},{"x":0.002,"y":0},{"x":0.002,"y":0.001},{"x":0.003,"y":0,"ground":true},{"x":0.002,"y":0.002,"ground":true}],
"channels":[{"node1":0,"node2":1,"width":1e-4,"height":5e-5},{"node1":1,"node2":2,"width":1e-4,"height":5e-5},{"node1":2,"node2":3,"width":5e-5,"height":5e-5},{"node1":2,"node2":4,"width":1e-4,"height":5e-5},{"node1":3,"node2":5,"width":5e-5,"height":5e-5,"length":0.004}]},
"simulation":{"resistanceModel":"Rectangular","fluids":[{"viscosity":0.001}],"pumps":[{"channel":0,"type":"PumpFlowRate","flowRate":1e-10}],"fixtures":[{"phase":0}],"activeFixture":0}}"#;

const NETWORK: &str = r#"{"name":"n","width":1e-4,"flow_rate":1e-6,"viscosity":1e-3,"nodes":[[0,0],[0.001,0],[0.002,0]],"channels":[[0,1],[1,2]],"inlets":[0],"outlets":[2]}"#;

const DESIGN: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\", depth = \"50 um\" }\n[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n[links]\nl = { from = \"t.left\", to = \"t.up\", length = \"3 mm\", bends = 2 }\nm = { from = \"t.right\", length = \"1 mm\", width = \"100 um\" }\n[sheets]\ndefault = \"chip\"\nof = { t = \"top\" }\n[ports]\nin = { at = \"m.end\", pressure = \"1 kPa\" }\n";

const PROCESS: &str = "format = 1\nname = \"p\"\n[[rule]]\nkind = \"min_width\"\nvalue = \"2 * depth + 20 um\"\nseverity = \"error\"\nsource = \"s\"\n";

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
    assert!(network(NETWORK, "x").0.is_some());
    assert!(parse(DESIGN, "x").0.is_some());
    assert!(read_process(PROCESS).is_ok());
}
