//! Bytes to a design: any bytes, and files with something wrong in them.

use std::sync::OnceLock;

use stokeslet::design::{self, parse, print, rewrite};
use stokeslet::diagnostic::{Diagnostic, Severity, render};

use crate::choices::Choices;
use crate::in_time;
use crate::mutate::{mutated, seeds};

const WORDS: [&str; 44] = [
    "format = 1\n",
    "[fluid]\n",
    "viscosity",
    "[chip]\n",
    "model",
    "\"shallow\"",
    "depth",
    "width",
    "resolution",
    "[components]\n",
    "[channels]\n",
    "[ports]\n",
    "[connections]\n",
    "pairs = [",
    "kind",
    "attach",
    "to",
    "at = [",
    "rotation",
    "mirror = true",
    "parameters = {",
    "via",
    "bend",
    "\"round\"",
    "radius",
    "flow_rate",
    "pressure",
    "traction_free",
    " = ",
    "\"",
    "\"\"\"",
    "'",
    "{",
    "}",
    "[[",
    "]]",
    "\"1e999 um\"",
    "\"nan mm\"",
    "\"-0 um\"",
    "\"5 uL/min\"",
    "9223372036854775808",
    "\u{feff}",
    "\u{202e}é\u{301}",
    "\r\n\0",
];

/// Reads, and where there is a design, prints it and reads it again.
pub fn target(bytes: &[u8]) {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let seeds = SEEDS.get_or_init(|| {
        seeds(
            &["designs", "designs/regressions", "tests/broken/designs"],
            "toml",
        )
    });
    let mut choices = Choices(bytes);
    let input = if choices.percent(15) {
        choices.0.to_vec()
    } else {
        mutated(&mut choices, seeds, &WORDS)
    };
    check(&input);
}

/// What must hold for any file.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (design, diagnostics) = in_time("reading", &text, || parse(input, "fuzzed"));
    check_diagnostics(&diagnostics, input);
    in_time("drawing its mistakes", &text, || {
        render(&diagnostics, "fuzzed.toml", &text)
    });
    let faults = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    assert_eq!(
        design.is_some(),
        faults == 0,
        "a design, or mistakes:\n{text}"
    );
    let Some(design) = design else {
        return;
    };
    let printed = print(&design);
    let (again, diagnostics) = parse(&printed, "fuzzed");
    let again = again.unwrap_or_else(|| {
        panic!("what it prints can't be read: {diagnostics:?}\n{printed}\nfrom\n{text}")
    });
    assert_eq!(
        print(&again),
        printed,
        "prints as it was read, from\n{text}"
    );
    let same =
        rewrite(&text, &[]).unwrap_or_else(|fault| panic!("can't be rewritten: {fault}\n{text}"));
    // Line ends that are mixed become alike, and the last line gets one.
    let lines = |text: &str| text.replace('\r', "").trim_end_matches('\n').to_owned();
    assert!(
        lines(&same) == lines(&text),
        "a rewrite without edits changes nothing but line ends:\n{text}\nbecomes\n{same}"
    );
}

/// Each has something to say, and a place inside the text that can be cut out of it.
pub fn check_diagnostics(diagnostics: &[Diagnostic], input: &[u8]) {
    for diagnostic in diagnostics {
        assert!(!diagnostic.message.is_empty(), "{diagnostic:?}");
        let Some(span) = &diagnostic.place.span else {
            continue;
        };
        assert!(
            span.start <= span.end && span.end <= input.len(),
            "{diagnostic:?} lies outside of the text"
        );
        if let Ok(text) = std::str::from_utf8(input) {
            let whole = text.is_char_boundary(span.start) && text.is_char_boundary(span.end);
            assert!(whole, "{diagnostic:?} cuts a character");
        }
    }
}

#[test]
fn nothing_and_the_format_alone_are_mistakes() {
    for input in ["", "format = 1\n"] {
        check(input.as_bytes());
        assert_eq!(design::parse(input, "x").0, None);
    }
}
