//! Bytes to [`Design`]: encoding, TOML, then section by section. Collects every mistake; no bytes make it panic.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::components::{read_channels, read_components};
use super::groups::read_groups;
use super::links::{read_links, read_sheets};
use super::overlays::{OverlayLayer, read_overlays};
use super::sections::{read_chip, read_connections, read_fluid, read_ports};
use super::species::{SpeciesSection, read_species};
use super::table::{Node, Owner, Table};
use super::variables::{Variables, evaluate_tree, expand, put};
use super::{Design, FORMAT, Parametric, Setting, codes, keys, names};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Largest design file, bytes: some hundred thousand components.
const MAX_BYTES: usize = 64 << 20;
/// Syntax errors shown and judged; a picture named `.toml` would give one per line.
const MAX_SYNTAX_ERRORS: usize = 20;

/// Reads a design file; `name` becomes the design's.
///
/// There is a design exactly when no diagnostic is an error. Spans are bytes of `text`.
///
/// # Example
/// ```
/// let (design, diagnostics) = stokeslet_cad::design::parse("format = 1\n[fluid]\nviscosity = 0.89\n[chip]\nwidth = \"1 mm\"\n", "y");
/// assert!(design.is_none());
/// assert_eq!(diagnostics[0].code, "D007"); // 0.89 what?
/// ```
pub fn parse(text: impl AsRef<[u8]>, name: &str) -> (Option<Design>, Vec<Diagnostic>) {
    parse_with(text, name, &[])
}

/// Reads a design file with some of its variables set to other values.
///
/// # Example
/// ```
/// use stokeslet_cad::design::{Setting, parse_with};
/// let text = "format = 1\nvariables = { w = \"1 mm\" }\nfluid.viscosity = \"1 cP\"\nchip.width = \"=w / 2\"\n";
/// let (design, _) = parse_with(text, "y", &[Setting::parse("w=80um").unwrap()]);
/// assert_eq!(design.unwrap().width.0, 40e-6);
/// ```
pub fn parse_with(
    text: impl AsRef<[u8]>,
    name: &str,
    settings: &[Setting],
) -> (Option<Design>, Vec<Diagnostic>) {
    let mut reporter = Reporter::default();
    let design = decode(text.as_ref(), &mut reporter)
        .and_then(|text| read_text(text, name, settings, &mut reporter));
    let design = design.filter(|_| !reporter.has_errors());
    let mut diagnostics = reporter.diagnostics;
    diagnostics
        .sort_by_key(|diagnostic| diagnostic.place.span.as_ref().map_or(0, |span| span.start));
    debug_assert!(
        design.is_some() || !diagnostics.is_empty(),
        "no design and nobody says why"
    );
    (design, diagnostics)
}

fn decode<'t>(bytes: &'t [u8], reporter: &mut Reporter) -> Option<&'t str> {
    if bytes.len() > MAX_BYTES {
        let message = format!(
            "the file has {} bytes, more than any design ({MAX_BYTES})",
            bytes.len()
        );
        reporter.report(Diagnostic::error(codes::TOO_LARGE, message).at(0..0));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = error.valid_up_to();
            let end = (at + error.error_len().unwrap_or(1)).min(bytes.len());
            let line = bytes[..at].iter().filter(|b| **b == b'\n').count() + 1;
            let message = match bytes {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is in UTF-16".to_owned(),
                _ => format!(
                    "the file is not text in UTF-8: byte 0x{:02x} in line {line}",
                    bytes[at]
                ),
            };
            let help = "save the file as UTF-8 (an old editor may have written `µ` or `°` in Latin-1: `um` and `deg` do as well)";
            reporter.report(
                Diagnostic::error(codes::ENCODING, message)
                    .at(at..end)
                    .with_help(help),
            );
            None
        }
    }
}

fn read_text(
    text: &str,
    name: &str,
    settings: &[Setting],
    reporter: &mut Reporter,
) -> Option<Design> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let judged = &errors[..errors.len().min(MAX_SYNTAX_ERRORS)];
    let mut lines_told: Vec<Range<usize>> = Vec::new();
    for error in judged
        .iter()
        .filter(|error| !is_below_repeated_header(text, judged, error))
    {
        // The rest of a line that went wrong can't be trusted: one error says it.
        let lines = lines_of(text, error.span());
        if !lines_told.contains(&lines) || is_repeated(error) {
            lines_told.push(lines);
            reporter.report(syntax_error(text, error));
        }
    }
    if errors.len() > judged.len() {
        // No design but another kind of file: what its keys mean is of no interest.
        let message = format!("{} more errors like these", errors.len() - judged.len());
        reporter.report(Diagnostic::error(codes::SYNTAX, message).at(text.len()..text.len()));
        return None;
    }
    let mut meaning = Reporter::default();
    let design = read_parametric(root.into_inner(), name, settings, &mut meaning);
    // What follows from broken syntax is not the user's mistake: missing things may be in the part that could not be read.
    let is_syntax_broken = reporter.diagnostics.iter().any(|d| d.code == codes::SYNTAX);
    let broken: Vec<Range<usize>> = judged.iter().map(|error| lost_to(text, error)).collect();
    for diagnostic in meaning.diagnostics {
        let span = diagnostic.place.span.clone().unwrap_or(0..0);
        let is_in = |lines: &Range<usize>| {
            span.start < lines.end.max(lines.start + 1)
                && lines.start < span.end.max(span.start + 1)
        };
        let is_missing = [codes::MISSING, codes::VERSION].contains(&diagnostic.code);
        if !(is_syntax_broken && is_missing || broken.iter().any(is_in)) {
            reporter.report(diagnostic);
        }
    }
    design
}

/// What an error leaves without meaning: its lines; all that stands below a header that can't be read, since nobody knows whose it is.
fn lost_to(text: &str, error: &toml::de::Error) -> Range<usize> {
    let lines = lines_of(text, error.span());
    if is_repeated(error) || !text[lines.clone()].trim_start().starts_with('[') {
        return lines;
    }
    let next_header = text[lines.end..].find("\n[");
    lines.start..next_header.map_or(text.len(), |at| lines.end + at)
}

fn is_repeated(error: &toml::de::Error) -> bool {
    error.message().starts_with("duplicate key")
}

/// A header given twice is said once: the keys below it, which are the first one's again, are not.
fn is_below_repeated_header(
    text: &str,
    errors: &[toml::de::Error],
    error: &toml::de::Error,
) -> bool {
    let line = |error: &toml::de::Error| lines_of(text, error.span());
    let is_header = |error: &toml::de::Error| {
        is_repeated(error) && text[line(error)].trim_start().starts_with('[')
    };
    is_repeated(error)
        && !is_header(error)
        && errors.iter().any(|header| {
            let end = line(header).end;
            is_header(header)
                && end <= line(error).start
                && !text[end..line(error).start].contains("\n[")
        })
}

fn syntax_error(text: &str, error: &toml::de::Error) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let span =
        text.floor_char_boundary(span.start)..text.ceil_char_boundary(span.end.min(text.len()));
    if is_repeated(error) {
        let message = format!(
            "`{}` is given twice",
            super::table::short(&text[span.clone()])
        );
        return Diagnostic::error(codes::DUPLICATE, message)
            .at(span)
            .with_help("rename one of the two, or remove it");
    }
    if error.message().contains("recurs") {
        return Diagnostic::error(codes::TOO_LARGE, "lists or tables are nested too deeply")
            .at(span);
    }
    let diagnostic = Diagnostic::error(
        codes::SYNTAX,
        format!("this is not TOML: {}", error.message()),
    )
    .at(span.clone());
    let line = &text[lines_of(text, Some(span))];
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    if value.starts_with(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_alphabetic())
    {
        return diagnostic.with_help("quantities are written in quotes, such as \"100 um\"");
    }
    diagnostic
}

/// The whole lines that a span touches, without the last line break.
fn lines_of(text: &str, span: Option<Range<usize>>) -> Range<usize> {
    let span = span.unwrap_or(0..0);
    let (start, end) = (
        text.floor_char_boundary(span.start),
        text.ceil_char_boundary(span.end.min(text.len())),
    );
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let last = text[end.max(start)..]
        .find('\n')
        .map_or(text.len(), |at| end.max(start) + at);
    first..last
}

/// Resolves repetitions, variables and expressions, and reads the rest as if they had never been there.
fn read_parametric(
    mut root: DeTable<'_>,
    name: &str,
    settings: &[Setting],
    reporter: &mut Reporter,
) -> Option<Design> {
    // Another version may have other keys: nothing but the version is worth a word then.
    if !read_version(&root, reporter) {
        return None;
    }
    let variables = Variables::read(&root, settings, reporter);
    let mut repetitions = expand(&mut root, &variables, reporter);
    let found = evaluate_tree(&root, &variables, reporter);
    // The values live as long as what was found, not as long as the text.
    let mut root: DeTable<'_> = root;
    put(&mut root, &found);
    let mut rest = Reporter::default();
    let design = read_root(&root, name, &mut rest);
    let is_news = |diagnostic: &Diagnostic| {
        let span = diagnostic.place.span.as_ref();
        span.is_none_or(|span| !found.failed.contains(span))
    };
    reporter
        .diagnostics
        .extend(rest.diagnostics.into_iter().filter(is_news));
    let mut design = design?;
    super::print::note_copies(&design, &mut repetitions);
    design.parametric = Parametric {
        variables: variables.listed,
        expressions: found.expressions.clone(),
        repetitions,
    };
    Some(design)
}

fn read_root(root: &DeTable<'_>, name: &str, reporter: &mut Reporter) -> Option<Design> {
    let table = Table::open(
        root,
        0..0,
        Owner::Words("the design"),
        &keys::of_file(),
        reporter,
    );
    let title = table.text("title", reporter).map(|title| title.value);
    let fluid = section(
        &table,
        "fluid",
        "[fluid]\nviscosity = \"0.89 mPa s\"",
        reporter,
    )
    .and_then(|node| read_fluid(node, reporter));
    let chip_node = section(&table, "chip", "[chip]\nwidth = \"100 um\"", reporter);
    let chip = chip_node.and_then(|node| read_chip(node, reporter));
    let components = table
        .get("components")
        .map_or_else(Vec::new, |node| read_components(node, reporter));
    let channels = table
        .get("channels")
        .map_or_else(Vec::new, |node| read_channels(node, reporter));
    let connections = table
        .get("connections")
        .map_or_else(Vec::new, |node| read_connections(node, reporter));
    let links = table
        .get("links")
        .map_or_else(Vec::new, |node| read_links(node, reporter));
    let sheets = table
        .get("sheets")
        .and_then(|node| read_sheets(node, reporter))
        .unwrap_or_default();
    let has_depth = chip_node.is_none_or(|node| node.get_ref().get("depth").is_some());
    let ports = table
        .get("ports")
        .map_or_else(Vec::new, |node| read_ports(node, has_depth, reporter));
    let species = table
        .get("species")
        .map_or_else(SpeciesSection::default, |node| {
            read_species(node, root.get("ports"), &ports, reporter)
        });
    let overlays = OverlayLayer::ALL.into_iter().flat_map(|layer| {
        let node = table.get(layer.section());
        node.map_or_else(Vec::new, |node| read_overlays(node, layer, reporter))
    });
    let overlays = overlays.collect();
    let groups = table.get("groups");
    let groups = groups.map_or_else(Vec::new, |node| read_groups(node, root, reporter));
    check_names(root, reporter);
    let ((viscosity, density), chip) = (fluid?, chip?);
    Some(Design {
        name: name.to_owned(),
        title,
        viscosity,
        density,
        model: chip.model,
        depth: chip.depth,
        width: chip.width,
        resolution: chip.resolution,
        walls: chip.walls,
        components,
        channels,
        connections,
        links,
        sheets,
        ports,
        parametric: Parametric::default(),
        species,
        groups,
        overlays,
    })
}

/// A section that every design has.
fn section<'a, 'i>(
    table: &Table<'a, 'i>,
    key: &str,
    example: &str,
    reporter: &mut Reporter,
) -> Option<&'a Node<'i>> {
    table.require(key, &format!("add the section:\n{example}"), reporter);
    table.get(key)
}

/// Whether the rest of the file is worth reading.
fn read_version(root: &DeTable<'_>, reporter: &mut Reporter) -> bool {
    let error = |message: String, span| {
        Diagnostic::error(codes::VERSION, message)
            .at(span)
            .with_help(format!(
                "this program reads `format = {FORMAT}`, at the top of the file"
            ))
    };
    let Some(node) = root.get("format") else {
        reporter.report(error(
            "the file doesn't say its format version".to_owned(),
            0..0,
        ));
        return true;
    };
    let version = match node.get_ref() {
        DeValue::Integer(version) => version.to_string(),
        _ => {
            reporter.report(error(
                "`format` is not a whole number".to_owned(),
                node.span(),
            ));
            return true;
        }
    };
    if version.parse() != Ok(FORMAT) {
        reporter.report(error(
            format!("the file has format {}", super::table::short(&version)),
            node.span(),
        ));
        return false;
    }
    true
}

/// Well-formed names everywhere; components, channels and what is drawn over them share theirs.
fn check_names(root: &DeTable<'_>, reporter: &mut Reporter) {
    let tables = |key: &str| root.get(key).and_then(|node| node.get_ref().as_table());
    let others = [("links", "link"), ("ports", "port")];
    for (section, what) in names::ITEMS.into_iter().chain(others) {
        for (name, _) in tables(section).into_iter().flatten() {
            names::check_name(what, name.get_ref(), name.span(), reporter);
        }
    }
    for (k, (section, what)) in names::ITEMS.into_iter().enumerate() {
        for (name, _) in tables(section).into_iter().flatten() {
            let has = |(other, _): &&(&str, &str)| {
                tables(other).is_some_and(|table| table.contains_key(name.get_ref().as_ref()))
            };
            let Some((_, other)) = names::ITEMS[..k].iter().find(has) else {
                continue;
            };
            let message = format!(
                "`{}` names a {other} and a {what}",
                super::table::short(name.get_ref())
            );
            let diagnostic = Diagnostic::error(codes::DUPLICATE, message)
                .at(name.span())
                .about(name.get_ref().as_ref());
            reporter.report(
                diagnostic.with_help("things are found by these names: rename one of the two"),
            );
        }
    }
}
