//! The library as text for people: a table of components, or one component with its parameters and sockets.

use std::fmt::Write;

use super::realise::{Defaults, Library};
use super::{Definition, Parameter};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::units::{Dimension, print_quantity};

/// All components by family, one line each.
pub fn list(library: &Library) -> String {
    let definitions = library.definitions();
    let column = definitions.iter().map(|d| d.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut family = "";
    for definition in definitions {
        if definition.family != family {
            let gap = if family.is_empty() { "" } else { "\n" };
            family = &definition.family;
            push(&mut text, format_args!("{gap}{family}\n"));
        }
        push(
            &mut text,
            format_args!("  {:column$}  {}\n", definition.name, definition.doc),
        );
    }
    text
}

/// One component: parameters with type, default, range and meaning; sockets; a line for a design.
///
/// # Errors
/// D101 for an unknown component, with the nearest name; what is wrong with its defaults.
pub fn describe(
    library: &Library,
    name: &str,
    defaults: &Defaults,
) -> Result<String, Vec<Diagnostic>> {
    let realisation = library.realise(name, &[], defaults)?;
    let Some(definition) = library.get(name) else {
        return Ok(String::new());
    };
    let mut text = format!("{name}: {}\n", definition.doc);
    if !definition.parameters.is_empty() {
        let rows = definition
            .parameters
            .iter()
            .map(|p| parameter_row(library, definition, p, defaults));
        let rows: Vec<[String; 5]> = rows
            .collect::<Result<_, _>>()
            .map_err(|fault| vec![fault])?;
        let heads = ["parameter", "type", "default", "range", "what it is"].map(str::to_owned);
        text.push('\n');
        text.push_str(&columns(std::iter::once(&heads).chain(&rows)));
        let width = print_quantity(defaults.width, Dimension::Length);
        push(
            &mut text,
            format_args!("\nValues in brackets are for a chip whose channels are {width} wide.\n"),
        );
    }
    let docs = |socket: &str| {
        definition
            .socket_docs
            .iter()
            .find(|(s, _)| s == socket)
            .map_or("", |(_, doc)| doc)
    };
    let rows: Vec<[String; 2]> = realisation
        .sockets
        .iter()
        .map(|(s, _)| [s.clone(), docs(s).to_owned()])
        .collect();
    let heads = ["socket".to_owned(), "where it is".to_owned()];
    text.push('\n');
    text.push_str(&columns(std::iter::once(&heads).chain(&rows)));
    push(
        &mut text,
        format_args!("\nIn a design:  {}\n", example(definition)),
    );
    Ok(text)
}

fn parameter_row(
    library: &Library,
    definition: &Definition,
    parameter: &Parameter,
    defaults: &Defaults,
) -> Result<[String; 5], Diagnostic> {
    let value = library.default_value(&definition.name, &parameter.name, defaults)?;
    let default = &parameter.default.text;
    let default = if *default == value || value == "[]" {
        default.clone()
    } else {
        format!("{default} ({value})")
    };
    let range = match (&parameter.min, &parameter.max) {
        (Some(min), Some(max)) => format!("{} to {}", min.text, max.text),
        (Some(min), None) => format!("at least {}", min.text),
        (None, Some(max)) => format!("at most {}", max.text),
        (None, None) => parameter.kind.choices().join(" or "),
    };
    Ok([
        parameter.name.clone(),
        parameter.kind.word().to_owned(),
        default,
        range,
        parameter.doc.clone(),
    ])
}

/// How a design says it.
fn example(definition: &Definition) -> String {
    let shown = definition
        .parameters
        .iter()
        .find(|p| p.name != "width" && p.kind.example().is_some());
    let parameters = shown.and_then(|p| {
        p.kind
            .example()
            .map(|value| format!(", parameters = {{ {} = {value} }}", p.name))
    });
    format!(
        "my_{0} = {{ kind = \"{0}\", at = [\"1 mm\", \"2 mm\"]{1} }}",
        definition.name,
        parameters.unwrap_or_default()
    )
}

/// Rows in columns that are as wide as they need be; the last one is free.
fn columns<'a, const N: usize>(rows: impl Iterator<Item = &'a [String; N]> + Clone) -> String {
    let mut widths = [0; N];
    for row in rows.clone() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        push(
            &mut text,
            format_args!("  {}\n", cells.join("  ").trim_end()),
        );
    }
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments) {
    // Writing to a String can't fail.
    let _ = text.write_fmt(arguments);
}
