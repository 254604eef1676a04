//! Diagnostics as a terminal can take them: few of a kind, short lines, no control characters.

use std::collections::BTreeMap;

use super::{Diagnostic, line_and_column};

/// So many of one code are shown; what is wrong in the same way many times has one cause.
const OF_A_KIND: usize = 20;
/// Longer messages are cut, characters.
const LONGEST_MESSAGE: usize = 1000;
/// Lines of a file longer than this, bytes, are not drawn: their place is told in numbers.
const LONGEST_LINE: usize = 1000;

/// The diagnostics that are worth showing, and the text that their spans index, without control characters but line ends and tabs.
///
/// At most twenty of a code stay; a last one of its code tells how many more there are.
pub fn presentable(diagnostics: &[Diagnostic], text: &str) -> (Vec<Diagnostic>, String) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        let n = seen.entry(diagnostic.code).or_default();
        *n += 1;
        if *n <= OF_A_KIND {
            out.push(shown(diagnostic, text));
        }
    }
    for (code, n) in seen.into_iter().filter(|s| s.1 > OF_A_KIND) {
        let Some(last) = diagnostics.iter().rfind(|d| d.code == code) else {
            continue;
        };
        let message = format!("and {} more like these", n - OF_A_KIND);
        out.push(Diagnostic {
            severity: last.severity,
            ..Diagnostic::error(last.code, message)
        });
    }
    // Byte for byte, so that spans stay.
    let text = text.chars().flat_map(|c| {
        let n = if is_harmful(c) { c.len_utf8() } else { 1 };
        std::iter::repeat_n(if is_harmful(c) { '?' } else { c }, n)
    });
    (out, text.collect())
}

fn is_harmful(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// A sentence without control characters, cut where it is very long.
fn sentence(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(LONGEST_MESSAGE)
        .flat_map(|c| -> Box<dyn Iterator<Item = char>> {
            if is_harmful(c) {
                Box::new(c.escape_default())
            } else {
                Box::new(std::iter::once(c))
            }
        })
        .collect();
    if text.chars().nth(LONGEST_MESSAGE).is_some() {
        out.push_str(" ...");
    }
    out
}

fn shown(diagnostic: &Diagnostic, text: &str) -> Diagnostic {
    let mut out = diagnostic.clone();
    out.message = sentence(&out.message);
    out.help = out.help.as_deref().map(sentence);
    out.place.component = out.place.component.as_deref().map(sentence);
    if let Some(span) = &diagnostic.place.span {
        let start = span.start.min(text.len());
        let bytes = text.as_bytes();
        let before = bytes[..start].iter().rev().position(|&b| b == b'\n');
        let after = bytes[start..].iter().position(|&b| b == b'\n');
        let line = before.unwrap_or(start) + after.unwrap_or(text.len() - start);
        if line > LONGEST_LINE {
            let (line, column) = line_and_column(text, start);
            out.message = format!("line {line}, column {column}: {}", out.message);
            out.place.span = None;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_of_one_kind_are_told_in_a_few_lines() {
        let island = |k| Diagnostic::error("D232", format!("part {k} is an island"));
        let mut all: Vec<Diagnostic> = (0..89_999).map(island).collect();
        all.push(Diagnostic::warning("D231", "one of another kind"));
        let (few, _) = presentable(&all, "");
        assert_eq!(few.len(), 22);
        assert!(few.iter().any(|d| d.code == "D231"));
        let last = few.last().expect("tells how many more");
        assert_eq!(last.message, "and 89979 more like these");
    }

    #[test]
    fn escapes_and_endless_lines_do_not_reach_the_terminal() {
        let text = format!(
            "a = \"\u{1b}[31m\u{9b}x\"\nb = \"{}\"\n",
            "y".repeat(497_000)
        );
        let at = |place: &str| text.find(place).expect("is there");
        let all = [
            Diagnostic::error("D001", "red \u{1b}[31m").at(at("\u{1b}")..at("x")),
            Diagnostic::error("D002", "z".repeat(5000)).at(at("yyy")..at("yyy") + 3),
        ];
        let (shown, clean) = presentable(&all, &text);
        assert_eq!(clean.len(), text.len(), "spans stay");
        assert!(!clean.contains(['\u{1b}', '\u{9b}']) && clean.contains("\"?[31m??x\""));
        assert_eq!(shown[0].message, "red \\u{1b}[31m");
        assert!(shown[0].place.span.is_some());
        assert!(shown[1].place.span.is_none() && shown[1].message.len() < 1100);
        assert!(
            shown[1].message.starts_with("line 2, column "),
            "{}",
            shown[1].message
        );
    }
}
