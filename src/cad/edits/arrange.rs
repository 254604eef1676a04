//! Turns, mirrors and lines up what is selected.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{FRAC_PI_2, PI};

use super::draft::Draft;
use super::overlays;
use super::rigid::transform;
use super::sockets::{bounds_of, owner, tidy_point};
use super::{Align, Axis, Drawing, Refusal};
use crate::chip::normalise;
use crate::design::{Edit, Placement, overlay_bounds};
use stokeslet_base::geometry::{Motion, Point};

/// Turns by quarter turns, counter-clockwise, about the middle of the selection.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub fn rotate(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    quarters: i32,
) -> Result<Vec<Edit>, Refusal> {
    let angle = normalise(f64::from(quarters.rem_euclid(4)) * FRAC_PI_2);
    about_middle(drawing, selection, Motion::new(angle, Point::default()))
}

/// Mirrors about the middle of the selection. What is attached to something that stays is mirrored where it is.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub fn mirror(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    axis: Axis,
) -> Result<Vec<Edit>, Refusal> {
    let motion = Motion {
        angle: match axis {
            Axis::X => PI,
            Axis::Y => 0.0,
        },
        mirror: true,
        translation: Point::default(),
    };
    about_middle(drawing, selection, motion)
}

fn about_middle(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    turn: Motion,
) -> Result<Vec<Edit>, Refusal> {
    let overlays = overlay_bounds(drawing.design, |name| selection.contains(name));
    let selected: BTreeSet<usize> = match (drawing.indices(selection), overlays) {
        (Err(refusal), None) => return Err(refusal),
        (items, _) => items.unwrap_or_default().into_iter().collect(),
    };
    // Components say where the middle is: their channels may be routed anew and would shift it.
    let components = drawing.design.components.len();
    let (low, high) = bounds_of(drawing.layout, |item| {
        item < components && selected.contains(&item)
    })
    .or_else(|| bounds_of(drawing.layout, |item| selected.contains(&item)))
    .or(overlays)
    .ok_or(Refusal::NothingSelected)?;
    // Tidy, so that turning back meets the same middle.
    let middle = tidy_point((low + high) * 0.5, drawing.design.width.0);
    let motion = Motion {
        translation: middle - turn.apply(middle),
        ..turn
    };
    let mut draft = Draft::of(drawing);
    overlays::transform(&mut draft, selection, &motion);
    if selected.is_empty() {
        return Ok(draft.edits());
    }
    let wishes = selected.into_iter().map(|item| (item, motion)).collect();
    transform(&mut draft, &wishes);
    Ok(draft.settled())
}

/// Lines up selected components; those that are attached to each other go together.
///
/// # Errors
/// [`Refusal::NothingSelected`], [`Refusal::TooFew`].
pub fn align(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    how: Align,
) -> Result<Vec<Edit>, Refusal> {
    let groups = groups(drawing, selection)?;
    let mut boxes: Vec<(Vec<usize>, Point, Point)> = groups
        .into_iter()
        .filter_map(|group| {
            let (low, high) = bounds_of(drawing.layout, |item| group.contains(&item))?;
            Some((group, low, high))
        })
        .collect();
    let spreads = matches!(how, Align::SpreadX | Align::SpreadY);
    let least = if spreads { 3 } else { 2 };
    if boxes.len() < least {
        return Err(Refusal::TooFew(least));
    }
    let shifts = if spreads {
        let along = |p: Point| if how == Align::SpreadX { p.x } else { p.y };
        boxes.sort_by(|a, b| along(a.1).total_cmp(&along(b.1)));
        spread(&boxes, along)
    } else {
        line_up(&boxes, how)
    };
    let is_x = matches!(
        how,
        Align::Left | Align::CentreX | Align::Right | Align::SpreadX
    );
    let mut wishes = BTreeMap::new();
    for ((group, ..), shift) in boxes.iter().zip(shifts) {
        let by = if is_x {
            Point::new(shift, 0.0)
        } else {
            Point::new(0.0, shift)
        };
        wishes.extend(group.iter().map(|&item| (item, Motion::new(0.0, by))));
    }
    let mut draft = Draft::of(drawing);
    transform(&mut draft, &wishes);
    Ok(draft.settled())
}

/// How far every box goes, m.
fn line_up(boxes: &[(Vec<usize>, Point, Point)], how: Align) -> Vec<f64> {
    let side = |low: Point, high: Point| match how {
        Align::Left => low.x,
        Align::Right => high.x,
        Align::Bottom => low.y,
        Align::Top => high.y,
        Align::CentreX | Align::SpreadX => (low.x + high.x) / 2.0,
        Align::CentreY | Align::SpreadY => (low.y + high.y) / 2.0,
    };
    let sides: Vec<f64> = boxes.iter().map(|b| side(b.1, b.2)).collect();
    let least = sides.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = sides.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let target = match how {
        Align::Left | Align::Bottom => least,
        Align::Right | Align::Top => greatest,
        _ => (least + greatest) / 2.0,
    };
    sides.into_iter().map(|side| target - side).collect()
}

/// The outermost boxes stay, the gaps between become equal.
fn spread(boxes: &[(Vec<usize>, Point, Point)], along: impl Fn(Point) -> f64) -> Vec<f64> {
    let first = along(boxes[0].1);
    let last = boxes.iter().map(|b| along(b.2)).fold(first, f64::max);
    let taken: f64 = boxes.iter().map(|b| along(b.2) - along(b.1)).sum();
    let gap = (last - first - taken) / (boxes.len() - 1) as f64;
    let mut next = first;
    let shift = |b: &(Vec<usize>, Point, Point)| {
        let shift = next - along(b.1);
        next += along(b.2) - along(b.1) + gap;
        shift
    };
    boxes.iter().map(shift).collect()
}

/// Selected components, each with those that hang on it.
fn groups(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Result<Vec<Vec<usize>>, Refusal> {
    let components = drawing.design.components.len();
    let selected = drawing.indices(selection)?;
    let hosts: BTreeMap<&str, (usize, Option<&str>)> = selected
        .into_iter()
        .filter(|item| *item < components)
        .map(|item| {
            let component = &drawing.design.components[item];
            let host = match &component.placement {
                Placement::Attached(attachment) => Some(owner(&attachment.to.value)),
                Placement::Absolute { .. } => None,
            };
            (component.name.value.as_str(), (item, host))
        })
        .collect();
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (name, (item, _)) in &hosts {
        let mut root = *name;
        // Attachments in a circle are a mistake that the problems tell of.
        for _ in 0..hosts.len() {
            match hosts.get(root).and_then(|(_, host)| *host) {
                Some(host) if hosts.contains_key(host) => root = host,
                _ => break,
            }
        }
        groups.entry(root).or_default().push(*item);
    }
    Ok(groups.into_values().collect())
}
