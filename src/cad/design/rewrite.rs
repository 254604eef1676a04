//! Changes to the text of a design file that leave the rest of it alone: comments, order, spacing.

mod connections;
mod edit;
mod rename;
mod repeated;

pub use edit::{Edit, RewriteError};

use toml_edit::{DocumentMut, Item, RawString, Table, TableLike, Value as TomlValue};

use super::names::ITEMS;
use super::variables::Expression;
use super::{Dimension, OverlayLayer, Placement, Value, groups, overlays, print, species};

/// Applies the edits in order; the text as it is, but for them. (Line ends of both kinds in one file become line feeds.)
///
/// # Errors
/// [`RewriteError`] at the first edit that can't be made; the text is unchanged then. Values aren't judged: [`super::parse`] the result.
///
/// # Example
/// ```
/// use stokeslet_base::units::Metre;
/// use stokeslet_cad::design::{Edit, rewrite};
/// let text = "[chip] # ours\nwidth = \"100 um\" # narrow\n";
/// let text = rewrite(text, &[Edit::SetWidth(Metre(2e-4))]).unwrap();
/// assert_eq!(text, "[chip] # ours\nwidth = \"200 µm\" # narrow\n");
/// ```
pub fn rewrite(text: &str, edits: &[Edit]) -> Result<String, RewriteError> {
    match repeated::resolve(text, edits)? {
        Some((text, edits)) => apply_all(&text, &edits),
        None => apply_all(text, edits),
    }
}

fn apply_all(text: &str, edits: &[Edit]) -> Result<String, RewriteError> {
    let mut document: DocumentMut = text.parse()?;
    for edit in edits {
        apply(&mut document, edit)?;
    }
    for edit in edits {
        if let Edit::RemovePort(name) = edit {
            leave_out_inlets(&mut document, name);
        }
    }
    // An edit sets all values of what it changes, also those that stay as they are: these keep their expressions.
    if text.contains("\"=") || text.contains("'=") {
        let (before, _) = super::parse(text, "");
        if let Some(before) = before {
            let mut kept = before.parametric.expressions;
            kept.retain(|expression| !edits.iter().any(|edit| gives(edit, expression)));
            super::variables::restore(&mut document, &kept);
        }
    }
    let mut out = document.to_string();
    // The editor writes plain line feeds and no byte-order mark: put back what the file had.
    if text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count() {
        out = out.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if text.starts_with('\u{feff}') && !out.starts_with('\u{feff}') {
        out.insert(0, '\u{feff}');
    }
    Ok(out)
}

/// Whether an edit is about just the value that an expression gives: then it stands, also where both are equal.
fn gives(edit: &Edit, expression: &Expression) -> bool {
    match edit {
        Edit::SetViscosity(_) => expression.is_at(&["fluid", "viscosity"]),
        Edit::SetWidth(_) => expression.is_at(&["chip", "width"]),
        Edit::SetDepth(_) => expression.is_at(&["chip", "depth"]),
        Edit::SetCondition { port, condition } => {
            let (key, _) = print::condition(condition);
            expression.is_at(&[PORT.0, port, key])
        }
        _ => false,
    }
}

fn apply(document: &mut DocumentMut, edit: &Edit) -> Result<(), RewriteError> {
    match edit {
        Edit::SetTitle(title) => set_or_remove(
            document.as_table_mut(),
            "title",
            title.as_deref().map(print::quoted),
        )?,
        Edit::SetViscosity(viscosity) => {
            let text = print::quantity(viscosity.0, Dimension::Viscosity);
            set(section(document, "fluid")?, "viscosity", &text)?;
        }
        Edit::SetModel(model) => set(
            section(document, "chip")?,
            "model",
            &print::quoted(print::model_name(*model)),
        )?,
        Edit::SetDepth(depth) => {
            let text = depth.map(|depth| print::quantity(depth.0, Dimension::Length));
            set_or_remove(section(document, "chip")?, "depth", text)?;
        }
        Edit::SetWidth(width) => set(
            section(document, "chip")?,
            "width",
            &print::quantity(width.0, Dimension::Length),
        )?,
        Edit::SetResolution(resolution) => {
            set_or_remove(
                section(document, "chip")?,
                "resolution",
                resolution.map(|r| r.to_string()),
            )?;
        }
        Edit::SetVariable { name, value } => {
            set(section(document, "variables")?, name, &print::value(value))?;
        }
        Edit::SetExpression { keys, source } => express(document, keys, source)?,
        Edit::RemoveVariable(name) => remove(document, VARIABLE, name)?,
        Edit::AddComponent(component) => {
            add(
                document,
                COMPONENT,
                &component.name.value,
                &print::component(component),
            )?;
        }
        Edit::RemoveComponent(name) => remove(document, COMPONENT, name)?,
        Edit::Place {
            component,
            placement,
        } => place(entry(document, COMPONENT, component)?, placement)?,
        Edit::SetParameter {
            component,
            parameter,
            value,
        } => set_parameter(
            entry(document, COMPONENT, component)?,
            parameter,
            value.as_ref(),
        )?,
        Edit::Repeat {
            component,
            count: (columns, rows),
            step,
        } => {
            let [x, y] = [step.x, step.y].map(|v| print::quantity(v, Dimension::Length));
            let (zero, table) = ("\"0 m\"", entry(document, COMPONENT, component)?);
            let text = match (columns, rows) {
                (n, 1) => format!("{{ count = {n}, step = [{x}, {zero}] }}"),
                (1, n) => format!("{{ count = {n}, step = [{zero}, {y}] }}"),
                _ => format!("{{ count = [{columns}, {rows}], step = [{x}, {y}] }}"),
            };
            set(table, "repeat", &text)?;
        }
        Edit::SetItemDepth { item, depth } => {
            let has = |(section, _): &Named| {
                let section = document.get(section);
                section.is_some_and(|section| section.get(item).is_some())
            };
            let all = [COMPONENT, CHANNEL, LINK];
            let named = all.into_iter().find(has).unwrap_or(COMPONENT);
            let text = depth.map(|depth| print::quantity(depth.0, Dimension::Length));
            set_or_remove(entry(document, named, item)?, "depth", text)?;
        }
        Edit::SetDimensions { component, of } => {
            let text = (!of.is_empty()).then(|| print::names_of(of.iter().map(String::as_str)));
            set_or_remove(entry(document, COMPONENT, component)?, "dimensions", text)?;
        }
        Edit::Rename { from, to } => rename::rename(document, from, to)?,
        Edit::AddChannel(channel) => add(
            document,
            CHANNEL,
            &channel.name.value,
            &print::channel(channel),
        )?,
        Edit::SetChannel(channel) => {
            let fresh = toml_value(&print::channel(channel))?;
            let table = entry(document, CHANNEL, &channel.name.value)?;
            for key in ["from", "to", "via", "bend", "radius", "width", "depth"] {
                let text = fresh
                    .as_inline_table()
                    .and_then(|fresh| fresh.get(key))
                    .map(ToString::to_string);
                set_or_remove(table, key, text)?;
            }
        }
        Edit::RemoveChannel(name) => remove(document, CHANNEL, name)?,
        Edit::Connect(connection) => connections::connect(document, connection)?,
        Edit::Disconnect(connection) => connections::disconnect(document, connection)?,
        Edit::AddPort(port) => add(document, PORT, &port.name.value, &print::port(port))?,
        Edit::RemovePort(name) => remove(document, PORT, name)?,
        Edit::RenamePort { from, to } => rename::rename_port(document, from, to)?,
        Edit::SetCondition { port, condition } => {
            let (key, text) = print::condition(condition);
            let table = entry(document, PORT, port)?;
            for other in CONDITIONS.into_iter().filter(|other| *other != key) {
                unset(table, other);
            }
            set(table, key, &text)?;
        }
        Edit::AddOverlay(added) => {
            let text = overlays::overlay(added);
            add(document, overlay(added.layer), &added.name.value, &text)?;
        }
        Edit::SetOverlay(changed) => {
            let name = &changed.name.value;
            let now = overlay_called(document, name)?;
            if now != overlay(changed.layer) {
                remove(document, now, name)?;
                let text = overlays::overlay(changed);
                return add(document, overlay(changed.layer), name, &text);
            }
            let table = entry(document, now, name)?;
            let fields = overlays::fields(&changed.shape);
            let now: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
            for key in now {
                if !fields.iter().any(|(field, _)| *field == key) {
                    unset(table, &key);
                }
            }
            for (key, text) in fields {
                set(table, key, &text)?;
            }
        }
        Edit::RemoveOverlay(name) => {
            let named = overlay_called(document, name)?;
            remove(document, named, name)?;
        }
        Edit::SetGroup { name, of } if of.is_empty() => remove(document, GROUP, name)?,
        Edit::SetGroup { name, of } => {
            let text = groups::group(of.iter().map(String::as_str));
            set(section(document, GROUP.0)?, name, &text)?;
        }
        Edit::AddSpecies(added) => {
            let text = species::one(added);
            add(document, SPECIES, &added.name.value, &text)?;
        }
        Edit::RemoveSpecies(name) => remove(document, SPECIES, name)?,
        Edit::SetDiffusivity {
            species: name,
            diffusivity,
        } => {
            let text = species::diffusivity(*diffusivity);
            set(entry(document, SPECIES, name)?, "diffusivity", &text)?;
        }
        Edit::SetInlet {
            species: name,
            inlet,
        } => {
            let table = entry(document, SPECIES, name)?;
            if table.get("inlets").is_none() {
                set(table, "inlets", "{}")?;
            }
            let inlets = table.get_mut("inlets").and_then(Item::as_table_like_mut);
            let inlets = inlets.ok_or_else(|| RewriteError::NotATable {
                key: format!("species.{name}.inlets"),
            })?;
            set(inlets, &inlet.port.value, &species::steps(inlet))?;
        }
    }
    Ok(())
}

/// What ports have one of.
const CONDITIONS: [&str; 3] = ["flow_rate", "pressure", "traction_free"];

fn express(document: &mut DocumentMut, keys: &[String], source: &str) -> Result<(), RewriteError> {
    let text = print::quoted(source);
    let no_value = || RewriteError::NotFound {
        what: "value",
        name: keys.join("."),
    };
    if !source.starts_with('=') {
        return Err(no_value());
    }
    match keys {
        [of, key] if ["chip", "fluid"].contains(&of.as_str()) => {
            set(section(document, of)?, key, &text)
        }
        [of, name, key] => {
            let all = [COMPONENT, CHANNEL, LINK, PORT];
            let named = all.into_iter().find(|named| named.0 == of);
            let table = entry(document, named.ok_or_else(no_value)?, name)?;
            if of == PORT.0 && CONDITIONS.contains(&key.as_str()) {
                let others = CONDITIONS.into_iter().filter(|other| other != key);
                others.for_each(|other| unset(table, other));
            }
            set(table, key, &text)
        }
        _ => Err(no_value()),
    }
}

/// A section of named things, and what one of them is called.
type Named = (&'static str, &'static str);
const COMPONENT: Named = ("components", "component");
const CHANNEL: Named = ("channels", "channel");
const LINK: Named = ("links", "link");
const PORT: Named = ("ports", "port");
const VARIABLE: Named = ("variables", "variable");
const SPECIES: Named = ("species", "species");

const GROUP: Named = ("groups", "group");

fn overlay(layer: OverlayLayer) -> Named {
    (layer.section(), layer.entry())
}

/// Where an overlay stands.
fn overlay_called(document: &DocumentMut, name: &str) -> Result<Named, RewriteError> {
    let all = OverlayLayer::ALL.map(overlay);
    let mut found = all.into_iter().filter(|(section, _)| {
        let section = document.get(section);
        section.is_some_and(|section| section.get(name).is_some())
    });
    found.next().ok_or_else(|| RewriteError::NotFound {
        what: "control shape or note",
        name: name.to_owned(),
    })
}

/// The section, made at the end of the file if it isn't there.
fn section<'d>(
    document: &'d mut DocumentMut,
    key: &str,
) -> Result<&'d mut dyn TableLike, RewriteError> {
    let item = document
        .entry(key)
        .or_insert_with(|| Item::Table(Table::new()));
    item.as_table_like_mut()
        .ok_or_else(|| RewriteError::NotATable {
            key: key.to_owned(),
        })
}

/// The table of one named thing.
fn entry<'d>(
    document: &'d mut DocumentMut,
    (section, what): Named,
    name: &str,
) -> Result<&'d mut dyn TableLike, RewriteError> {
    let not_found = || RewriteError::NotFound {
        what,
        name: name.to_owned(),
    };
    let item = document
        .get_mut(section)
        .and_then(|item| item.get_mut(name))
        // What a table doesn't have it makes when it is asked for it so, as nothing.
        .filter(|item| !item.is_none())
        .ok_or_else(not_found)?;
    item.as_table_like_mut()
        .ok_or_else(|| RewriteError::NotATable {
            key: format!("{section}.{name}"),
        })
}

fn add(
    document: &mut DocumentMut,
    named: Named,
    name: &str,
    text: &str,
) -> Result<(), RewriteError> {
    for (key, what) in match named {
        PORT => &[PORT][..],
        SPECIES => &[SPECIES],
        _ => &ITEMS,
    } {
        if document
            .get(key)
            .is_some_and(|item| item.get(name).is_some())
        {
            return Err(RewriteError::Taken {
                what,
                name: name.to_owned(),
            });
        }
    }
    set(section(document, named.0)?, name, text)
}

/// Sets the value of a key; its comments stay.
fn set(table: &mut dyn TableLike, key: &str, text: &str) -> Result<(), RewriteError> {
    let mut value = toml_value(text)?;
    match table.get_mut(key) {
        Some(item) => {
            // An assignment alone would drop the comment at the end of the line: it belongs to the old value.
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => {
            // The space before a closing brace is read as part of the last value: it moves to the new last one.
            let last = table
                .iter_mut()
                .last()
                .and_then(|(_, item)| item.as_value_mut())
                .filter(|last| is_blank(suffix(last)));
            if let Some(last) = last {
                value.decor_mut().set_suffix(suffix(last).to_owned());
                last.decor_mut().set_suffix("");
                value.decor_mut().set_prefix(" ");
            }
            table.insert(key, Item::Value(value));
        }
    }
    Ok(())
}

/// Removes a key, but not the space before the closing brace behind it.
fn unset(table: &mut dyn TableLike, key: &str) {
    let removed = table.remove(key).and_then(|item| item.into_value().ok());
    let last = table
        .iter_mut()
        .last()
        .and_then(|(_, item)| item.as_value_mut());
    if let (Some(removed), Some(last)) = (removed, last)
        && is_blank(suffix(&removed))
        && suffix(last).is_empty()
    {
        last.decor_mut().set_suffix(suffix(&removed).to_owned());
    }
}

/// What stands behind a value: a comment, or the space before a brace.
fn suffix(value: &TomlValue) -> &str {
    value
        .decor()
        .suffix()
        .and_then(RawString::as_str)
        .unwrap_or_default()
}

fn is_blank(text: &str) -> bool {
    !text.is_empty() && text.trim().is_empty()
}

fn set_or_remove(
    table: &mut dyn TableLike,
    key: &str,
    text: Option<String>,
) -> Result<(), RewriteError> {
    match text {
        Some(text) => set(table, key, &text)?,
        None => unset(table, key),
    }
    Ok(())
}

/// A value without spacing of its own.
fn toml_value(text: &str) -> Result<TomlValue, RewriteError> {
    let mut value: TomlValue = text.trim().parse()?;
    value.decor_mut().clear();
    Ok(value)
}

fn place(table: &mut dyn TableLike, placement: &Placement) -> Result<(), RewriteError> {
    let fields = print::placement(placement);
    for key in ["at", "rotation", "mirror", "attach", "to"] {
        if !fields.iter().any(|(field, _)| *field == key) {
            unset(table, key);
        }
    }
    for (key, text) in fields {
        set(table, key, &text)?;
    }
    Ok(())
}

fn set_parameter(
    table: &mut dyn TableLike,
    parameter: &str,
    value: Option<&Value>,
) -> Result<(), RewriteError> {
    if table.get("parameters").is_none() {
        if value.is_none() {
            return Ok(());
        }
        set(table, "parameters", "{}")?;
    }
    let parameters = table
        .get_mut("parameters")
        .and_then(Item::as_table_like_mut);
    let parameters = parameters.ok_or_else(|| RewriteError::NotATable {
        key: "parameters".to_owned(),
    })?;
    set_or_remove(parameters, parameter, value.map(print::value))
}

/// Removes a line with the comment right above it; what stands above an empty line before that belongs to the section and moves on.
/// Species don't enter any more by a port that was removed and not put back.
fn leave_out_inlets(document: &mut DocumentMut, port: &str) {
    let ports = document.get(PORT.0);
    if ports.is_some_and(|ports| ports.get(port).is_some()) {
        return;
    }
    let species = document.get_mut("species");
    let species = species.and_then(Item::as_table_like_mut);
    for (_, item) in species.into_iter().flat_map(|table| table.iter_mut()) {
        let inlets = item.as_table_like_mut();
        let inlets = inlets.and_then(|table| table.get_mut("inlets"));
        if let Some(inlets) = inlets.and_then(Item::as_table_like_mut) {
            inlets.remove(port);
        }
    }
}

fn remove(
    document: &mut DocumentMut,
    (section, what): Named,
    name: &str,
) -> Result<(), RewriteError> {
    let entries = document.get(section);
    if entries.and_then(|entries| entries.get(name)).is_none() {
        return Err(RewriteError::NotFound {
            what,
            name: name.to_owned(),
        });
    }
    let Some(table) = document.get_mut(section).and_then(Item::as_table_mut) else {
        // The whole section in braces: no comments inside to save.
        document
            .get_mut(section)
            .and_then(Item::as_table_like_mut)
            .and_then(|table| table.remove(name));
        return Ok(());
    };
    let next = table
        .iter()
        .map(|(key, _)| key.to_owned())
        .skip_while(|key| key != name)
        .nth(1);
    let Some((key, _)) = table.remove_entry(name) else {
        return Ok(());
    };
    let text = |raw: Option<&RawString>| {
        raw.and_then(RawString::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let above = text(key.leaf_decor().prefix()).replace("\r\n", "\n");
    let kept = above.rfind("\n\n").map_or("", |at| &above[..at + 2]);
    if let Some(mut next) = next
        .as_deref()
        .and_then(|next| table.key_mut(next))
        .filter(|_| !kept.trim().is_empty())
    {
        let prefix = text(next.leaf_decor().prefix());
        next.leaf_decor_mut()
            .set_prefix(format!("{kept}{}", prefix.trim_start_matches('\n')));
    }
    Ok(())
}
