//! The sections `[links]` and `[sheets]`: joints without a place, and which parts may lie over which.

use toml::de::DeValue;

use super::names::socket_of;
use super::sections::{LENGTHS, named_entries};
use super::table::{Node, Owner, Table, in_file_order};
use super::{Dimension, Link, Sheets, Spanned, codes, keys};
use stokeslet_base::diagnostic::Reporter;
use stokeslet_base::units::Metre;

/// Most bends of one link.
const MAX_BENDS: i64 = 1000;

pub(super) fn read_links(node: &Node<'_>, reporter: &mut Reporter) -> Vec<Link> {
    named_entries(node, "links", reporter)
        .into_iter()
        .filter_map(|(name, node)| read_link(name, node, reporter))
        .collect()
}

fn read_link(name: Spanned<String>, node: &Node<'_>, reporter: &mut Reporter) -> Option<Link> {
    let what = Owner::Named("link", &name.value);
    let table = Table::open_node(node, what, &keys::LINKS.names(), reporter)?;
    table.require(
        "length",
        "say how long it is: length = \"12.4 mm\"; \"0 mm\" joins two sockets directly",
        reporter,
    );
    let from = socket_of(&table, "from", reporter);
    let to = socket_of(&table, "to", reporter);
    let length = table.quantity_within("length", Dimension::Length, (0.0, LENGTHS.1), reporter);
    let width = table.quantity_within("width", Dimension::Length, LENGTHS, reporter);
    let depth = table.quantity_within("depth", Dimension::Length, LENGTHS, reporter);
    let bends = table.integer("bends", reporter);
    if let Some(bends) = bends
        .as_ref()
        .filter(|b| !(0..=MAX_BENDS).contains(&b.value))
    {
        let message = format!("`bends` of {} can't be {}", table.what, bends.value);
        let help = format!("from 0 to {MAX_BENDS}");
        table.report(
            reporter,
            codes::RANGE,
            message,
            bends.span.clone(),
            Some(help),
        );
        return None;
    }
    // What was given but can't be read was reported.
    let is_broken = table.has("from") && from.is_none()
        || table.has("to") && to.is_none()
        || table.has("width") && width.is_none()
        || table.has("depth") && depth.is_none()
        || table.has("bends") && bends.is_none();
    if is_broken {
        return None;
    }
    Some(Link {
        name,
        from,
        to,
        length: Metre(length?.value),
        width: width.map(|width| Metre(width.value)),
        bends: bends.map_or(0, |bends| bends.value as u32),
        depth: depth.map(|depth| Metre(depth.value)),
    })
}

/// Name of the sheet of everything that isn't said to be on another, unless the design calls it otherwise.
const DEFAULT_SHEET: &str = "chip";

pub(super) fn read_sheets(node: &Node<'_>, reporter: &mut Reporter) -> Option<Sheets> {
    let table = Table::open_node(
        node,
        Owner::Words("[sheets]"),
        &keys::SHEETS.names(),
        reporter,
    )?;
    let mut sheets = Sheets {
        default: table
            .text("default", reporter)
            .map_or_else(|| DEFAULT_SHEET.to_owned(), |text| text.value),
        of: Vec::new(),
    };
    let Some(of) = table.get("of") else {
        return Some(sheets);
    };
    let DeValue::Table(entries) = of.get_ref() else {
        let wanted = "a table of components and their sheets, such as { pump = \"top\" }";
        table.wrong_type("of", of, of.get_ref(), wanted, reporter);
        return None;
    };
    for (key, node) in in_file_order(entries) {
        let Some(sheet) = node.get_ref().as_str() else {
            let wanted = "the name of a sheet in quotes";
            table.wrong_type(key.get_ref(), node, node.get_ref(), wanted, reporter);
            continue;
        };
        let component = Spanned {
            value: key.get_ref().to_string(),
            span: key.span(),
        };
        sheets.of.push((component, sheet.to_owned()));
    }
    Some(sheets)
}
