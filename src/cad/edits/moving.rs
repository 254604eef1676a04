//! Moves what is selected; what is attached follows, channels are routed anew.

use std::collections::{BTreeMap, BTreeSet};

use rstar::RTree;
use rstar::primitives::GeomWithData;

use super::draft::{Draft, Preview, attached};
use super::overlays;
use super::rigid::transform;
use super::sockets::{facing_each_other, meet, owner, same_width};
use super::{Drawing, Refusal};
use crate::chip::{LaidSocket, SocketUse};
use crate::design::{Edit, Placement};
use crate::shape::Socket;
use stokeslet_base::geometry::{Motion, Point};

/// Moves the selected items by so much, m. A component that comes to lie on a free socket of what stays is attached there.
///
/// # Errors
/// [`Refusal::NothingSelected`]; [`Refusal::Held`] where nothing of it can go anywhere.
pub fn move_items(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    by: Point,
) -> Result<Vec<Edit>, Refusal> {
    let draft = moved(drawing, selection, by)?;
    let edits = match moves_only_overlays(drawing, selection) {
        true => draft.edits(),
        false => draft.settled(),
    };
    if edits.is_empty() && by != Point::default() {
        return Err(Refusal::Held);
    }
    Ok(edits)
}

/// What [`move_items`] leads to, without its text: for every step of a pointer.
///
/// # Errors
/// As of [`move_items`].
pub fn preview_move(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
    by: Point,
) -> Result<Preview, Refusal> {
    let draft = moved(drawing, selection, by)?;
    Ok(match moves_only_overlays(drawing, selection) {
        true => Preview {
            design: draft.design,
            layout: drawing.layout.clone(),
        },
        false => draft.previewed(),
    })
}

fn moved<'d>(
    drawing: &Drawing<'d>,
    selection: &BTreeSet<String>,
    by: Point,
) -> Result<Draft<'d>, Refusal> {
    let mut draft = Draft::of(drawing);
    let motion = Motion::new(0.0, by);
    let has_overlays = overlays::transform(&mut draft, selection, &motion);
    let wishes = match wishes(drawing, selection, by) {
        Err(_) if has_overlays => return Ok(draft),
        wishes => wishes?,
    };
    let moved = transform(&mut draft, &wishes);
    let snapping = Snapping::of(drawing, &moved, by);
    attach_where_they_land(&mut draft, drawing, &snapping, by);
    Ok(draft)
}

/// Whether nothing moves that the layout has.
fn moves_only_overlays(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> bool {
    drawing.indices(selection).is_err()
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

/// Components that have a place of their own and now touch a free socket of what stays hang on it from now on, as what is dropped
/// on a socket does: with one that is only connected the neighbour would go without it.
fn attach_where_they_land(
    draft: &mut Draft<'_>,
    drawing: &Drawing<'_>,
    snapping: &Snapping,
    by: Point,
) {
    if by == Point::default() {
        return;
    }
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    for (name, own) in &snapping.moving {
        let there = Socket {
            middle: own.middle + by,
            ..*own
        };
        let met = |(target, socket): &&(String, Socket)| {
            meet(&there, socket) && !taken.contains(target.as_str())
        };
        let near = snapping.around(there.middle, own.width).find(met);
        let Some((target, _)) = near else {
            continue;
        };
        let Some((item, socket)) = name.rsplit_once('.') else {
            continue;
        };
        if hangs_on(drawing, owner(target), item) {
            continue;
        }
        let Some(component) = draft.component_mut(item) else {
            continue;
        };
        if let Placement::Absolute { mirror, .. } = component.placement {
            component.placement = attached(socket, target.clone(), mirror);
            taken.insert(target);
        }
    }
}

/// Whether an item has its place from another, by attachments and by channels.
fn hangs_on(drawing: &Drawing<'_>, item: &str, other: &str) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut next = vec![item];
    while let Some(item) = next.pop() {
        if item == other {
            return true;
        }
        if !seen.insert(item) {
            continue;
        }
        let components = drawing.design.components.iter();
        for component in components.filter(|c| c.name.value == item) {
            if let Placement::Attached(attachment) = &component.placement {
                next.push(owner(&attachment.to.value));
            }
        }
        let channels = drawing.design.channels.iter();
        for channel in channels.filter(|c| c.name.value == item) {
            next.push(owner(&channel.from.value));
            next.extend(channel.to.iter().map(|to| owner(&to.value)));
        }
    }
    false
}

/// Free sockets of what moves and of what stays, found once a drag.
#[derive(Clone, Debug, Default)]
pub struct Snapping {
    moving: Vec<(String, Socket)>,
    staying: Vec<(String, Socket)>,
    /// `staying` by place.
    places: RTree<GeomWithData<[f64; 2], usize>>,
}

impl Snapping {
    /// For a drag of the selected items; without sockets where none of them is in the design.
    pub fn new(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Self {
        // Any move tells who goes along.
        let by = Point::new(drawing.design.width.0, 0.0);
        let Ok(wishes) = wishes(drawing, selection, by) else {
            return Self::default();
        };
        let mut draft = Draft::of(drawing);
        let moved = transform(&mut draft, &wishes);
        Self::of(drawing, &moved, by)
    }

    fn of(drawing: &Drawing<'_>, moved: &[Option<Motion>], by: Point) -> Self {
        let free = |how: Motion| -> Vec<(String, Socket)> {
            let of_such = |s: &&LaidSocket| s.used == SocketUse::Free && moved[s.item] == Some(how);
            let sockets = drawing.layout.sockets.iter().filter(of_such);
            let named = sockets.map(|s| (drawing.layout.full_name(s), s.geometry));
            let is_somewhere = |at: Point| at.x.is_finite() && at.y.is_finite();
            named.filter(|(_, m)| is_somewhere(m.middle)).collect()
        };
        let staying = free(Motion::IDENTITY);
        let place = |(k, (_, socket)): (usize, &(String, Socket))| {
            GeomWithData::new([socket.middle.x, socket.middle.y], k)
        };
        Self {
            moving: free(Motion::new(0.0, by)),
            places: RTree::bulk_load(staying.iter().enumerate().map(place).collect()),
            staying,
        }
    }

    /// The move nearest to `by`, at most `radius` from it, that puts a free socket of what moves on a free socket of what stays, face
    /// to face and equally wide; with that socket's full name. [`move_items`] by that much joins them.
    pub fn nearest(&self, by: Point, radius: f64) -> Option<(Point, &str)> {
        let mut best: Option<(f64, Point, &str)> = None;
        for (_, own) in &self.moving {
            for (name, target) in self.around(own.middle + by, radius) {
                let gap = target.middle - (own.middle + by);
                let is_better = gap.norm() <= best.map_or(radius, |best| best.0);
                if is_better
                    && same_width(own.width, target.width)
                    && facing_each_other(own, target)
                {
                    best = Some((gap.norm(), by + gap, name));
                }
            }
        }
        best.map(|(_, by, name)| (by, name))
    }

    /// Sockets that stay, near a place.
    fn around(&self, at: Point, radius: f64) -> impl Iterator<Item = &(String, Socket)> {
        let near = self
            .places
            .locate_within_distance([at.x, at.y], radius * radius);
        near.map(|place| &self.staying[place.data])
    }
}
