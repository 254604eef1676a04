//! Names of components, channels and ports, and the `component.socket` that refers to them.

use std::ops::Range;

use super::table::{Table, short};
use super::{OverlayLayer, Spanned, codes};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Sections of what is found by name, and what one entry of each is called: no two may have the same name.
pub(super) const ITEMS: [(&str, &str); 4] = [
    ("components", "component"),
    ("channels", "channel"),
    (
        OverlayLayer::Control.section(),
        OverlayLayer::Control.entry(),
    ),
    (OverlayLayer::Notes.section(), OverlayLayer::Notes.entry()),
];

/// Longest name, bytes.
const MAX_LENGTH: usize = 100;

/// Letters, digits, `_` and `-`: a dot separates the socket, a slash the parts of a component.
fn is_well_formed(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_LENGTH
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Reports a name that references could not write.
pub(super) fn check_name(what: &str, name: &str, span: Range<usize>, reporter: &mut Reporter) {
    if !is_well_formed(name) {
        let message = format!("\"{}\" can't name a {what}", short(name).escape_debug());
        let help = format!("use letters, digits, `_` and `-`, at most {MAX_LENGTH} bytes");
        reporter.report(
            Diagnostic::error(codes::NAME, message)
                .at(span)
                .with_help(help),
        );
    }
}

/// The text at `key` as `component.socket`.
pub(super) fn socket_of(
    table: &Table<'_, '_>,
    key: &str,
    reporter: &mut Reporter,
) -> Option<Spanned<String>> {
    let text = table.text(key, reporter)?;
    check_socket(table, key, text, reporter)
}

/// Checks that a text has the form `component.socket`.
pub(super) fn check_socket(
    table: &Table<'_, '_>,
    key: &str,
    text: Spanned<String>,
    reporter: &mut Reporter,
) -> Option<Spanned<String>> {
    let is_reference = text
        .value
        .split_once('.')
        .is_some_and(|(component, socket)| is_well_formed(component) && is_well_formed(socket));
    if is_reference {
        return Some(text);
    }
    let message = format!(
        "`{key}` of {} is \"{}\", wanted a socket of a component",
        table.what,
        short(&text.value).escape_debug()
    );
    let help =
        "write the component's name, a dot and the socket's name, such as \"y1.out\"".to_owned();
    table.report(reporter, codes::SOCKET, message, text.span, Some(help));
    None
}

/// The text at `key` as the name of one of the component's own sockets.
pub(super) fn own_socket(
    table: &Table<'_, '_>,
    key: &str,
    reporter: &mut Reporter,
) -> Option<Spanned<String>> {
    let text = table.text(key, reporter)?;
    if is_well_formed(&text.value) {
        return Some(text);
    }
    let message = format!(
        "`{key}` of {} is \"{}\", wanted the name of its own socket",
        table.what,
        short(&text.value).escape_debug()
    );
    let help =
        "name the socket alone, such as \"left\"; the other component's goes to `to`".to_owned();
    table.report(reporter, codes::SOCKET, message, text.span, Some(help));
    None
}
