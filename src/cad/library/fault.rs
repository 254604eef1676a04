//! Diagnostics of the library, in one place with their codes.

use stokeslet_base::diagnostic::{Diagnostic, Place, Severity};

/// A definition file that can't be read.
pub(super) const UNREADABLE: &str = "D100";
/// No component of this name.
pub(super) const UNKNOWN_KIND: &str = "D101";
/// No parameter of this name.
pub(super) const UNKNOWN_PARAMETER: &str = "D102";
/// A value of another kind than the parameter's.
pub(super) const WRONG_KIND: &str = "D103";
/// A value outside its range.
pub(super) const OUT_OF_RANGE: &str = "D104";
/// NaN or an infinity.
pub(super) const NOT_FINITE: &str = "D105";
/// A parameter given twice.
pub(super) const TWICE: &str = "D106";
/// A script that fails or never ends.
pub(super) const SCRIPT: &str = "D107";
/// More parts than a component may have.
pub(super) const TOO_MANY_PARTS: &str = "D108";
/// An outline that is no simple polygon.
pub(super) const BAD_OUTLINE: &str = "D109";
/// Sockets that are missing, named twice, or lie on one edge.
pub(super) const BAD_SOCKET: &str = "D110";
/// Sockets that should meet but don't agree in place, direction or width.
pub(super) const NO_MEETING: &str = "D111";
/// Components in components without end.
pub(super) const TOO_DEEP: &str = "D112";
/// Parts of a component that lie on each other.
pub(super) const OVERLAP: &str = "D113";
/// A strip that is too short, too narrow, or turns too sharply.
pub(super) const BAD_STRIP: &str = "D114";

/// Parameters that the definition itself refuses.
pub(super) const REFUSED: &str = "D115";

/// An error.
pub(super) fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Error,
        place: Place::default(),
        message: message.into(),
        help: None,
    }
}

/// An error and what to do about it.
pub(super) fn error_with_help(
    code: &'static str,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic {
        help: Some(help.into()),
        ..error(code, message)
    }
}
