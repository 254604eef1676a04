//! Pairs of `[connections]` come and go; a comment stays on the line that it was written on.

use toml_edit::{Array, DocumentMut, Item, RawString, Value as TomlValue};

use super::{RewriteError, section, set, toml_value};
use crate::design::{Connection, print};

pub(super) fn connect(
    document: &mut DocumentMut,
    connection: &Connection,
) -> Result<(), RewriteError> {
    let table = section(document, "connections")?;
    if table.get("pairs").is_none() {
        set(table, "pairs", "[]")?;
    }
    let pairs = table
        .get_mut("pairs")
        .and_then(Item::as_array_mut)
        .ok_or_else(|| RewriteError::NotATable {
            key: "connections.pairs".to_owned(),
        })?;
    let mut pair = toml_value(&print::connection(connection))?;
    if let Some(last) = pairs.iter().last() {
        let (_, spacing) = split_first_line(text(last.decor().prefix()));
        let spacing = match spacing.rfind('\n') {
            Some(at) => spacing[at..].to_owned(),
            None => " ".to_owned(),
        };
        // Behind a last comma stands the comment of the last line: the new pair comes after it.
        let (comment, rest) = split_first_line(text(Some(pairs.trailing())));
        pair.decor_mut().set_prefix(format!("{comment}{spacing}"));
        pairs.set_trailing(rest);
    }
    pairs.push_formatted(pair);
    Ok(())
}

pub(super) fn disconnect(
    document: &mut DocumentMut,
    connection: &Connection,
) -> Result<(), RewriteError> {
    let (a, b) = (connection.a.value.as_str(), connection.b.value.as_str());
    let is_it = |pair: &TomlValue| {
        let sockets: Vec<&str> = pair
            .as_array()
            .into_iter()
            .flat_map(|pair| pair.iter().filter_map(TomlValue::as_str))
            .collect();
        sockets == [a, b] || sockets == [b, a]
    };
    let pairs = document
        .get_mut("connections")
        .and_then(|item| item.get_mut("pairs"))
        .and_then(Item::as_array_mut);
    let found = pairs.and_then(|pairs| {
        let at = pairs.iter().position(is_it)?;
        remove_with_comment(pairs, at);
        Some(())
    });
    found.ok_or_else(|| RewriteError::NotFound {
        what: "connection",
        name: format!("{a} - {b}"),
    })
}

/// What follows a comma up to the end of the line is read as part of the next item: after a removal it goes back to its line.
fn remove_with_comment(pairs: &mut Array, at: usize) {
    let removed = pairs.remove(at);
    let (comment_before, _) = split_first_line(text(removed.decor().prefix()));
    match pairs.get_mut(at) {
        Some(next) => {
            let (_, rest) = split_first_line(text(next.decor().prefix()));
            let prefix = if at == 0 {
                rest.trim_start_matches(' ').to_owned()
            } else {
                rest
            };
            next.decor_mut()
                .set_prefix(format!("{comment_before}{prefix}"));
        }
        None => {
            let (_, rest) = split_first_line(text(Some(pairs.trailing())));
            pairs.set_trailing(format!("{comment_before}{rest}"));
        }
    }
}

fn text(raw: Option<&RawString>) -> String {
    raw.and_then(RawString::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The comment of the line before, and the rest from the line break on; spacing within one line is rest.
fn split_first_line(text: String) -> (String, String) {
    match text.find('\n') {
        Some(at) => (text[..at].to_owned(), text[at..].to_owned()),
        None => (String::new(), text),
    }
}
