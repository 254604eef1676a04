//! A design as a file with comments: where it came from, what was assumed, what things were called.

use std::collections::BTreeMap;

use crate::design::{Design, print};
use stokeslet_base::diagnostic::{Diagnostic, Severity};

/// Longest comment, characters.
const LONGEST: usize = 200;

/// Prints a design with a head of comments, the warnings of its import below it, and a comment at each entry of a section that has one.
pub(super) fn annotate(
    design: &Design,
    head: &[String],
    diagnostics: &[Diagnostic],
    comments: &BTreeMap<(&'static str, String), String>,
) -> String {
    let mut out = String::new();
    let notes = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Warning)
        .map(|d| format!("{}: {}", d.code, d.message));
    for line in head.iter().cloned().chain(notes) {
        out.push_str(&format!("# {}\n", plain(&line)));
    }
    out.push('\n');
    let by_place: BTreeMap<(&str, &str), &String> = comments
        .iter()
        .map(|((section, name), text)| ((*section, name.as_str()), text))
        .collect();
    let mut section = String::new();
    for line in print(design).lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name.to_owned();
        }
        out.push_str(line);
        let comment = line
            .split_once(" = ")
            .and_then(|(name, _)| by_place.get(&(section.as_str(), name)));
        if let Some(comment) = comment {
            out.push_str(&format!("  # {}", plain(comment)));
        }
        out.push('\n');
    }
    out
}

/// One line without control characters.
fn plain(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}
