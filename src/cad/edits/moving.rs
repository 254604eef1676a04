//! Moves what is selected; what is attached follows, channels are routed anew.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::Draft;
use super::rigid::transform;
use super::sockets::{facing_each_other, same_width};
use super::{Drawing, Refusal};
use crate::chip::{LaidSocket, SocketUse};
use crate::design::Edit;
use stokeslet_base::geometry::{Motion, Point};

/// Moves the selected items by so much, m.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub fn move_items(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    by: Point,
) -> Result<Vec<Edit>, Refusal> {
    let mut draft = Draft::of(drawing);
    transform(&mut draft, &wishes(drawing, selection, by)?);
    Ok(draft.settled())
}

fn wishes(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    by: Point,
) -> Result<BTreeMap<usize, Motion>, Refusal> {
    let motion = Motion::new(0.0, by);
    let selected = drawing.indices(selection)?;
    Ok(selected.into_iter().map(|item| (item, motion)).collect())
}

/// The move nearest to `by` that puts a free socket of what moves on a free socket of what stays, face to face and equally
/// wide; with that socket's full name. [`move_items`] by that much connects them.
pub fn snap_move(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    by: Point,
    radius: f64,
) -> Option<(Point, String)> {
    let mut draft = Draft::of(drawing);
    let moved = transform(&mut draft, &wishes(drawing, selection, by).ok()?);
    let motion = Motion::new(0.0, by);
    let sockets = &drawing.layout.sockets;
    let free = |how: Motion| -> Vec<&LaidSocket> {
        let of_such = |s: &&LaidSocket| s.used == SocketUse::Free && moved[s.item] == Some(how);
        sockets.iter().filter(of_such).collect()
    };
    let (moving, staying) = (free(motion), free(Motion::IDENTITY));
    let mut best: Option<(f64, Point, String)> = None;
    for own in moving {
        for target in &staying {
            let gap = target.mouth.middle - (own.mouth.middle + by);
            let is_better = gap.norm() <= best.as_ref().map_or(radius, |best| best.0);
            if is_better
                && same_width(own.mouth.width, target.mouth.width)
                && facing_each_other(&own.mouth, &target.mouth)
            {
                best = Some((gap.norm(), by + gap, drawing.layout.full_name(target)));
            }
        }
    }
    best.map(|(_, by, name)| (by, name))
}
