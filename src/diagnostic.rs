//! Mistakes of users as values: code, place, message, help. Collected, never thrown at the first.

use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look; the design can be solved.
    Warning,
    /// The design can't be solved.
    Error,
}

/// Where a diagnostic points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Bytes of the file's text, if it came from a file.
    pub span: Option<Range<usize>>,
    /// The component, channel or port that it is about, by name.
    pub component: Option<String>,
}

/// One mistake: what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code such as `D012`; the table is in the module that raises it.
    pub code: &'static str,
    /// How bad.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// One sentence: what is wrong, with the values.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

/// Collects diagnostics; parsing and checking report all they find.
#[derive(Clone, Debug, Default)]
pub struct Reporter {
    /// In the order they were found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reporter {
    /// Adds one.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}
