//! Mistakes of users as values: code, place, message, help. Collected, never thrown at the first.
//!
//! [`render`] draws them with the text underlined; `Display` is the one-line form. Codes are stable:
//!
//! | codes | raised by | about |
//! |---|---|---|
//! | D001 to D099 | `design` (its module doc lists them) | reading a design file |
//! | D101 to D199 | `library` | kinds of components and their parameters |
//! | D201 to D299 | `chip` | placement, connections, overlaps, ports |
//! | D301 to D329 | `import` | networks, and other programs' files |
//! | D330 to D334 | `chip` | links and sheets |
//! | D335 to D339 | `rules` | processes of fabrication |

mod nearest;
mod presentable;
mod render;

pub use nearest::nearest;
pub use presentable::presentable;
pub use render::{line_and_column, render, render_coloured};

use std::fmt;
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

impl Diagnostic {
    /// An error without a place or help yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            place: Place::default(),
            message: message.into(),
            help: None,
        }
    }

    /// A warning without a place or help yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// At these bytes of the file.
    #[must_use]
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.place.span = Some(span);
        self
    }

    /// About this component, channel or port.
    #[must_use]
    pub fn about(mut self, component: impl Into<String>) -> Self {
        self.place.component = Some(component.into());
        self
    }

    /// With what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for Diagnostic {
    /// One line: `error[D004]: unknown key 'widht' (did you mean 'width'?)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
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
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}
