//! Files of other programs with something wrong in them: read into a design that can be placed, or refused with a code.

use std::sync::OnceLock;

use stokeslet::chip::place;
use stokeslet::design::{Design, parse, print};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::drawing::draw;
use stokeslet::import::{self, Options};
use stokeslet::rules::read_process;

use crate::choices::Choices;
use crate::in_time;
use crate::mutate::{mutated, seeds};
use crate::random_design::library;

const WORDS: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "-1",
    "0",
    "1e-320",
    "1e308",
    "18446744073709551616",
    "400",
    "\\ud800",
    "\"params\"",
    "\"position\"",
    "\"channelWidth\"",
    "\"rotation\"",
    "\"H\"",
    "\"FLOW\"",
    "\"NODE\"",
    "\"MIXER\"",
    "\"numberOfBends\"",
    "depth",
];

const VALUES: [&str; 14] = [
    "0", "1", "2", "90", "400", "5000", "12000", "0.5", "-1", "1e308", "null", "[]", "{}", "\"\"",
];

/// One of the files in `tests/foreign` with changes.
fn text(bytes: &[u8], file: &str) -> String {
    static SEEDS: OnceLock<Vec<(&'static str, String)>> = OnceLock::new();
    let all = SEEDS.get_or_init(|| {
        vec![
            (
                "parchmint",
                include_str!("../foreign/parchmint.json").to_owned(),
            ),
            ("mmft", include_str!("../foreign/mmft.json").to_owned()),
            (
                "threeduf",
                include_str!("../foreign/threeduf.json").to_owned(),
            ),
            (
                "process",
                include_str!("../foreign/process.toml").to_owned(),
            ),
        ]
    });
    let own: Vec<Vec<u8>> = all
        .iter()
        .filter(|(name, _)| *name == file)
        .map(|(_, text)| text.clone().into_bytes())
        .chain(
            (file == "process")
                .then(|| seeds(&["components/processes"], "toml"))
                .into_iter()
                .flatten(),
        )
        .collect();
    let mut choices = Choices(bytes);
    // Half of them stay well-formed: then what is wrong is a value.
    let bytes = if choices.percent(50) {
        other_values(&mut choices, &own[0])
    } else {
        mutated(&mut choices, &own, &WORDS)
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text with other values in the place of some of its numbers.
fn other_values(choices: &mut Choices, text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    for _ in 0..=choices.below(3) {
        let is_digit = |b: &u8| b.is_ascii_digit() || *b == b'.';
        let from = choices.below(out.len());
        let Some(start) = out[from..].iter().position(is_digit).map(|k| from + k) else {
            continue;
        };
        let length = out[start..].iter().take_while(|b| is_digit(b)).count();
        let value = choices.pick(&VALUES);
        out.splice(start..start + length, value.bytes());
    }
    out
}

/// What must hold for any import: a design or mistakes, and a design can be placed and read again.
fn check(text: &str, design: Option<&Design>, said: &[Diagnostic]) -> bool {
    let faults = said
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    assert_eq!(
        design.is_some(),
        faults == 0,
        "a design, or mistakes: {said:?}\n{text}"
    );
    assert!(
        said.iter()
            .all(|d| !d.message.is_empty() && d.code.starts_with('D')),
        "{said:?}"
    );
    let Some(design) = design else { return false };
    let (again, mistakes) = parse(print(design), "fuzzed");
    assert!(again.is_some(), "{mistakes:?}\nfrom\n{text}");
    true
}

/// ParchMint, and what can be drawn of it.
pub fn parchmint(bytes: &[u8]) -> bool {
    let text = text(bytes, "parchmint");
    let options = Options::default();
    let (read, said) = in_time("importing", &text, || {
        import::parchmint(&text, "fuzzed", library(), &options)
    });
    let design = read.map(|read| read.design);
    if let Some(design) = &design {
        let (drawn, said) = in_time("drawing", &text, || draw(design, library(), None));
        let drawn = drawn.map(|drawn| drawn.design);
        check(&text, drawn.as_ref(), &said);
        if let Some(drawn) = &drawn {
            let (_, said) = place(drawn, library());
            assert!(
                said.iter().all(|d| d.severity == Severity::Warning),
                "{said:?}\n{text}"
            );
        }
    }
    check(&text, design.as_ref(), &said)
}

/// MMFT.
pub fn mmft(bytes: &[u8]) -> bool {
    let text = text(bytes, "mmft");
    let (read, said) = in_time("importing", &text, || import::mmft(&text, "fuzzed"));
    check(&text, read.map(|read| read.design).as_ref(), &said)
}

/// Drawings of 3DuF.
pub fn threeduf(bytes: &[u8]) -> bool {
    let text = text(bytes, "threeduf");
    let options = Options::default();
    let (read, said) = in_time("importing", &text, || {
        import::threeduf(&text, "fuzzed", library(), &options)
    });
    check(&text, read.map(|read| read.design).as_ref(), &said)
}

/// Processes of fabrication.
pub fn process(bytes: &[u8]) -> bool {
    let text = text(bytes, "process");
    match in_time("reading", &text, || read_process(&text)) {
        Ok(process) => {
            for rule in &process.rules {
                let _ = in_time("a limit", &text, || rule.limit(Some(1e-4)));
            }
            true
        }
        Err(faults) => {
            assert!(
                faults.iter().all(|d| !d.message.is_empty()),
                "{faults:?}\n{text}"
            );
            false
        }
    }
}
