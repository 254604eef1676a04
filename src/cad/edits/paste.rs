//! Copies: to text that people can read and paste into a file, from such text, and beside the original.

use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::draft::{Draft, references_mut};
use super::names::Names;
use super::overlays::{self, around_both};
use super::sockets::{bounds_of, owner, placement_at, tidy_point};
use super::subset::subset;
use super::{Drawing, Refusal};
use crate::chip::{lay_out, normalise};
use crate::design::{Design, Dimension, Edit, Placement, overlay_bounds, parse, rewrite};
use stokeslet_base::diagnostic::Severity;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::print_quantity;

/// Without a place, copies go so many widths to the right and down.
const BESIDE: f64 = 2.0;
/// Most things that one array makes.
const MAX_COPIES: u64 = 20_000;

/// What is selected as the text of sections of a design file: attachments, channels, connections and ports among it are kept.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub fn copy(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Result<String, Refusal> {
    let part = subset(drawing, selection)?;
    let mut edits: Vec<Edit> = Vec::new();
    edits.extend(part.components.into_iter().map(Edit::AddComponent));
    edits.extend(part.channels.into_iter().map(Edit::AddChannel));
    edits.extend(part.overlays.into_iter().map(Edit::AddOverlay));
    edits.extend(part.groups.into_iter().map(|group| Edit::SetGroup {
        name: group.name.value,
        of: group.of.into_iter().map(|member| member.value).collect(),
    }));
    edits.extend(part.connections.into_iter().map(Edit::Connect));
    edits.extend(part.ports.into_iter().map(Edit::AddPort));
    rewrite("", &edits).map_err(|error| Refusal::NotADesign(error.to_string()))
}

/// Adds what a text holds, under names of its own; the middle of it comes to lie at `at`, or a little beside where it was.
/// Returns the names of the new components and channels.
///
/// The text is a whole design file or sections of one.
/// # Errors
/// [`Refusal::NotADesign`], [`Refusal::RefersOutside`].
pub fn paste(
    drawing: &Drawing<'_>,
    snippet: &str,
    at: Option<Point>,
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    let part = read(drawing, snippet)?;
    if part.components.is_empty() && part.channels.is_empty() && part.overlays.is_empty() {
        let nothing = "it has no components, no channels and nothing drawn over them".to_owned();
        return Err(Refusal::NotADesign(nothing));
    }
    let beside = Point::new(BESIDE, -BESIDE) * drawing.design.width.0;
    let by = match at {
        None => beside,
        Some(at) => {
            let layout = lay_out(&part, drawing.library);
            let around = around_both(
                bounds_of(&layout, |_| true),
                overlay_bounds(&part, |_| true),
            );
            around.map_or(beside, |(low, high)| at - (low + high) * 0.5)
        }
    };
    add(drawing, part, &[Motion::new(0.0, by)])
}

/// Copies what is selected, shifted by `by` (m). Returns the names of the new components and channels.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub fn duplicate(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    by: Point,
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    let part = subset(drawing, selection)?;
    add(drawing, part, &[Motion::new(0.0, by)])
}

/// Copies what is selected as a mirror on the line through two points (m) shows it; what meets there, face to face, is joined. Returns the
/// names of the copies.
///
/// # Errors
/// [`Refusal::NothingSelected`]; [`Refusal::NoLine`] where the points are one.
pub fn mirror_copy(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    [from, to]: [Point; 2],
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    let along = to - from;
    if along.norm() <= 1e-6 * drawing.design.width.0 {
        return Err(Refusal::NoLine);
    }
    let part = subset(drawing, selection)?;
    // Mirrored in the x axis, then turned by twice the line's angle: the line's points stay.
    let turn = Motion {
        angle: normalise(2.0 * along.angle()),
        mirror: true,
        translation: Point::default(),
    };
    let mirror = Motion {
        translation: from - turn.apply(from),
        ..turn
    };
    add(drawing, part, &[mirror])
}

/// Copies of what is selected in columns and rows, `step` (m) from one to the next; what is selected is the first of them. Returns
/// the names of all of them. One component that nothing is joined to becomes a repeated entry of the file.
///
/// # Errors
/// [`Refusal::NothingSelected`]; [`Refusal::TooMany`] copies.
pub fn array(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    (columns, rows): (u32, u32),
    step: Point,
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    let part = subset(drawing, selection)?;
    let n = u64::from(columns) * u64::from(rows) * selection.len() as u64;
    if n > MAX_COPIES {
        return Err(Refusal::TooMany(n));
    }
    let all = || (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    if let Some(component) = alone(drawing, &part) {
        let names: Vec<String> = all()
            .map(|(i, j)| match (columns, rows) {
                (_, 1) => format!("{component}_{}", i + 1),
                (1, _) => format!("{component}_{}", j + 1),
                _ => format!("{component}_{}_{}", i + 1, j + 1),
            })
            .collect();
        let is_taken = |name: &String| drawing.layout.items.contains(name);
        if names.len() > 1 && !names.iter().any(is_taken) {
            let edit = Edit::Repeat {
                component: component.to_owned(),
                count: (columns, rows),
                step,
            };
            return Ok((vec![edit], names));
        }
    }
    let offsets: Vec<Motion> = all()
        .skip(1)
        .map(|(i, j)| Point::new(step.x * f64::from(i), step.y * f64::from(j)))
        .map(|by| Motion::new(0.0, by))
        .collect();
    let (edits, names) = add(drawing, part, &offsets)?;
    let all = selection.iter().cloned().chain(names).collect();
    Ok((edits, all))
}

/// Copies of what is selected around a centre (m), in equal angles, each turned with its place; what is selected is the first of them.
/// Returns the names of all of them.
///
/// # Errors
/// [`Refusal::NothingSelected`]; [`Refusal::TooMany`] copies.
pub fn circular_pattern(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    count: u32,
    centre: Point,
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    let part = subset(drawing, selection)?;
    let n = u64::from(count) * selection.len() as u64;
    if n > MAX_COPIES {
        return Err(Refusal::TooMany(n));
    }
    let turns: Vec<Motion> = (1..count)
        .map(|k| {
            let turn = Motion::new(
                normalise(TAU * f64::from(k) / f64::from(count)),
                Point::default(),
            );
            Motion {
                translation: centre - turn.apply(centre),
                ..turn
            }
        })
        .collect();
    let (edits, names) = add(drawing, part, &turns)?;
    let all = selection.iter().cloned().chain(names).collect();
    Ok((edits, all))
}

/// The name of the only component of a part of a design, where it has a place of its own, is no copy of a repeated entry, and nothing refers to it.
fn alone<'p>(drawing: &Drawing<'_>, part: &'p Design) -> Option<&'p str> {
    let ([component], [], []) = (&part.components[..], &part.channels[..], &part.overlays[..])
    else {
        return None;
    };
    let name = component.name.value.as_str();
    let mut design = drawing.design.clone();
    let is_referred = references_mut(&mut design).any(|r| owner(&r.value) == name)
        || design.sheets.of.iter().any(|(item, _)| item.value == name)
        || design.links.iter().any(|link| {
            let ends = [&link.from, &link.to].into_iter().flatten();
            ends.into_iter().any(|end| owner(&end.value) == name)
        });
    let repetitions = &design.parametric.repetitions;
    let is_copy = repetitions
        .iter()
        .any(|r| r.copies.iter().any(|c| c == name));
    let is_free = matches!(component.placement, Placement::Absolute { .. });
    (is_free && !is_referred && !is_copy).then_some(name)
}

/// How far apart the copies of an array are by themselves, m: what is selected, and a gap of two widths.
pub fn array_step(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Point {
    let gap = BESIDE * drawing.design.width.0;
    let size =
        selected_bounds(drawing, selection).map_or(Point::default(), |(low, high)| high - low);
    tidy_point(size + Point::new(gap, gap), drawing.design.width.0)
}

/// Where a copy of what is selected goes by itself, m: so far to the right or down, whichever is shorter, that it doesn't lie on its
/// original.
pub fn beside(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Point {
    let gap = BESIDE * drawing.design.width.0;
    match selected_bounds(drawing, selection) {
        None => Point::new(gap, -gap),
        Some((low, high)) if high.x - low.x <= high.y - low.y => tidy_point(
            Point::new(high.x - low.x + gap, 0.0),
            drawing.design.width.0,
        ),
        Some((low, high)) => tidy_point(
            Point::new(0.0, low.y - high.y - gap),
            drawing.design.width.0,
        ),
    }
}

/// In the middle of the box around what is selected, m; `None` where none of it is placed.
pub fn middle(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Option<Point> {
    let bounds = selected_bounds(drawing, selection);
    bounds.map(|(low, high)| tidy_point((low + high) * 0.5, drawing.design.width.0))
}

/// The box around what is selected, m.
fn selected_bounds(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Option<(Point, Point)> {
    let items = bounds_of(drawing.layout, |item| {
        let name = drawing.layout.items.get(item);
        name.is_some_and(|name| selection.contains(name))
    });
    let overlays = overlay_bounds(drawing.design, |name| selection.contains(name));
    around_both(items, overlays)
}

/// A text as a design; what sections of a file leave out is that of this one.
fn read(drawing: &Drawing<'_>, snippet: &str) -> Result<Design, Refusal> {
    let not_a_design = Refusal::NotADesign;
    let table: toml::Table =
        toml::from_str(snippet).map_err(|error| not_a_design(error.message().to_owned()))?;
    let design = drawing.design;
    let mut head = String::new();
    // Writing into a String can't fail.
    if !table.contains_key("format") {
        let _ = writeln!(head, "format = {}", crate::design::FORMAT);
    }
    if !table.contains_key("fluid") {
        let viscosity = print_quantity(design.viscosity.0, Dimension::Viscosity);
        let _ = writeln!(head, "fluid = {{ viscosity = \"{viscosity}\" }}");
    }
    if !table.contains_key("chip") {
        let width = print_quantity(design.width.0, Dimension::Length);
        let depth = design.depth.map_or_else(String::new, |depth| {
            format!(
                ", depth = \"{}\"",
                print_quantity(depth.0, Dimension::Length)
            )
        });
        let _ = writeln!(head, "chip = {{ width = \"{width}\"{depth} }}");
    }
    let (part, mistakes) = parse(head + snippet.trim_start_matches('\u{feff}'), "clipboard");
    part.ok_or_else(|| {
        let worst = mistakes.into_iter().find(|d| d.severity == Severity::Error);
        not_a_design(worst.map_or_else(String::new, |d| d.message))
    })
}

/// Adds a copy of the part for each of the motions, under fresh names.
fn add(
    drawing: &Drawing<'_>,
    mut part: Design,
    motions: &[Motion],
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    check_references(&mut part)?;
    let mut items = Names::of_items(drawing.design);
    let mut ports = Names::of_ports(drawing.design);
    let mut groups = Names::of_groups(drawing.design);
    let mut draft = Draft::of(drawing);
    let mut names = Vec::new();
    for motion in motions {
        let mut copy = part.clone();
        carry(&mut copy, motion, drawing.design.width.0);
        names.extend(rename(&mut copy, &mut items, &mut ports));
        for group in &mut copy.groups {
            group.name.value = groups.fresh_or_same(&group.name.value);
        }
        let design = &mut draft.design;
        design.components.append(&mut copy.components);
        design.channels.append(&mut copy.channels);
        design.groups.append(&mut copy.groups);
        design.overlays.append(&mut copy.overlays);
        design.connections.append(&mut copy.connections);
        design.ports.append(&mut copy.ports);
    }
    Ok((draft.settled(), names))
}

fn carry(part: &mut Design, motion: &Motion, width: f64) {
    for component in &mut part.components {
        match &mut component.placement {
            Placement::Absolute { at, .. } if !motion.mirror && motion.angle == 0.0 => {
                *at = tidy_point(motion.apply(*at), width);
            }
            Placement::Absolute {
                at,
                rotation,
                mirror,
            } => {
                let now = Motion {
                    angle: rotation.0,
                    mirror: *mirror,
                    translation: *at,
                };
                component.placement = placement_at(&motion.after(&now), width);
            }
            // Its place follows from its host's, mirrored as that is.
            Placement::Attached(attachment) => attachment.mirror ^= motion.mirror,
        }
    }
    for channel in &mut part.channels {
        for via in &mut channel.via {
            via.value = tidy_point(motion.apply(via.value), width);
        }
    }
    for overlay in &mut part.overlays {
        overlays::apply(overlay, motion, width);
    }
}

/// Gives everything a name that is free, wherever it is referred to. Returns the names of all but ports.
fn rename(part: &mut Design, items: &mut Names, ports: &mut Names) -> Vec<String> {
    let mut renamed: FxHashMap<String, String> = FxHashMap::default();
    let mut names = Vec::new();
    let components = part.components.iter_mut().map(|c| &mut c.name.value);
    let channels = part.channels.iter_mut().map(|c| &mut c.name.value);
    let overlays = part.overlays.iter_mut().map(|o| &mut o.name.value);
    for name in components.chain(channels).chain(overlays) {
        let fresh = items.fresh_or_same(name);
        renamed.insert(std::mem::replace(name, fresh.clone()), fresh.clone());
        names.push(fresh);
    }
    for reference in references_mut(part) {
        if let Some((item, socket)) = reference.value.split_once('.')
            && let Some(fresh) = renamed.get(item)
        {
            reference.value = format!("{fresh}.{socket}");
        }
    }
    for member in part.groups.iter_mut().flat_map(|group| &mut group.of) {
        if let Some(fresh) = renamed.get(&member.value) {
            member.value.clone_from(fresh);
        }
    }
    for port in &mut part.ports {
        port.name.value = ports.fresh_or_same(&port.name.value);
    }
    names
}

/// What refers to something that isn't there would be no design, or worse, hang on what happens to have that name here.
fn check_references(part: &mut Design) -> Result<(), Refusal> {
    let names = Names::of_items(part);
    let outside = references_mut(part).find(|reference| !names.has(owner(&reference.value)));
    let Some(socket) = outside.map(|reference| reference.value.clone()) else {
        return Ok(());
    };
    let attached = part.components.iter().find_map(|c| match &c.placement {
        Placement::Attached(attachment) if attachment.to.value == socket => Some(&c.name.value),
        _ => None,
    });
    let ends = |c: &&crate::design::Channel| {
        c.from.value == socket || c.to.as_ref().is_some_and(|to| to.value == socket)
    };
    let channel = part.channels.iter().find(ends).map(|c| &c.name.value);
    let port = part.ports.iter().find(|port| port.at.value == socket);
    let item = attached
        .or(channel)
        .or(port.map(|port| &port.name.value))
        .map_or_else(|| "connections".to_owned(), String::clone);
    Err(Refusal::RefersOutside { item, socket })
}
