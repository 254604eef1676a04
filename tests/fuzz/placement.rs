//! Random designs to chips, and small ones to solutions.

use stokeslet::chip::{Chip, place};
use stokeslet::design::parse;
use stokeslet::diagnostic::{Diagnostic, Severity, render};

use crate::choices::Choices;
use crate::in_time;
use crate::random_design::{library, random_design};
use crate::reader::check_diagnostics;
use crate::solver::{Outcome, solve_if_small};
use crate::validity::check_chip;

/// Makes a design, reads and places it, and solves it where that is quick.
pub fn target(bytes: &[u8]) -> Outcome {
    let mut choices = Choices(bytes);
    let text = random_design(&mut choices);
    let resolution = 2 + choices.below(3) as u32;
    check(&text, resolution)
}

/// What must hold for any design.
pub fn check(text: &str, resolution: u32) -> Outcome {
    let (design, diagnostics) = parse(text, "fuzzed");
    let Some(design) = design else {
        check_diagnostics(&diagnostics, text.as_bytes());
        return Outcome::Unread;
    };
    let (chip, diagnostics): (Option<Chip>, Vec<Diagnostic>) =
        in_time("placing", text, || place(&design, library()));
    check_diagnostics(&diagnostics, text.as_bytes());
    in_time("drawing its mistakes", text, || {
        render(&diagnostics, "fuzzed.toml", text)
    });
    let faults = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    assert_eq!(
        chip.is_some(),
        faults == 0,
        "a chip, or mistakes: {diagnostics:?}\n{text}"
    );
    let Some(chip) = chip else {
        return Outcome::Refused;
    };
    check_chip(&chip, text);
    solve_if_small(&chip, resolution, text)
}
