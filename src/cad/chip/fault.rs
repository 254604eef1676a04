//! How mistakes of placement are worded.

use std::ops::Range;

use super::assembly::normalise;
use stokeslet_base::diagnostic::{Diagnostic, Place, Severity};

/// An error that points at `span` and names `component`.
pub(super) fn error(
    code: &'static str,
    span: &Range<usize>,
    component: &str,
    message: String,
    help: Option<String>,
) -> Diagnostic {
    let place = Place {
        span: Some(span.clone()),
        component: Some(component.to_owned()),
    };
    Diagnostic {
        code,
        severity: Severity::Error,
        place,
        message,
        help,
    }
}

/// A length for people.
pub(super) fn show_length(metres: f64) -> String {
    let (scaled, unit) = match metres.abs() {
        size if size < 1e-3 => (metres * 1e6, "um"),
        size if size < 1.0 => (metres * 1e3, "mm"),
        _ => (metres, "m"),
    };
    format!("{} {unit}", (scaled * 1e6).round() / 1e6)
}

/// An angle for people.
pub(super) fn show_angle(radians: f64) -> String {
    format!(
        "{} deg",
        (normalise(radians).to_degrees() * 1e6).round() / 1e6
    )
}

/// At most twelve of a list, joined.
pub(super) fn abridge(names: &[String], between: &str) -> String {
    const SHOWN: usize = 12;
    let shown = names[..names.len().min(SHOWN)].join(between);
    if names.len() > SHOWN {
        format!("{shown}{between}... ({} in all)", names.len())
    } else {
        shown
    }
}
