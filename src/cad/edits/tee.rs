//! A tee on a pipe or on a straight run of a channel: what was connected stays connected, and keeps its place.
//!
//! ```text
//!   host o====== p ======o next     -->     host o== p1 ==+--+== p ==o next
//!                                                         |up|
//! ```
//! The piece that keeps the name is the one with the further socket, so that ports and whatever else is there need no change;
//! where a port is at the first socket of a pipe, it is the other one.

use super::auto_route::bend_reach;
use super::draft::{Draft, attached, component};
use super::names::Names;
use super::sockets::{own_sockets, placement_at, tidy};
use super::{Drawing, Refusal};
use crate::chip::{Layout, normalise};
use crate::design::{Channel, Component, Dimension, Edit, Placement, Spanned, Value};
use crate::shape::{Shape, Strip};
use stokeslet_base::geometry::{Motion, Point};

/// Pieces shorter than this many widths are refused: no mesh and no user likes them.
const SHORTEST: f64 = 0.25;

/// Inserts a tee into a pipe or a channel at the place nearest to `at`; its branch looks to the side where `toward` is.
///
/// Returns the full name of the branch's socket, to start from.
/// # Errors
/// [`Refusal::NoItem`], [`Refusal::NotStraight`], [`Refusal::TooShort`].
/// # Accuracy and cost
/// What is attached downstream keeps its place to 1e-13 m: lengths are tidy numbers.
pub fn insert_tee(
    drawing: &Drawing<'_>,
    item: &str,
    at: Point,
    toward: Point,
) -> Result<(Vec<Edit>, String), Refusal> {
    let mut draft = Draft::of(drawing);
    let branch = insert(&mut draft, drawing.layout, item, at, toward)?;
    Ok((draft.edits(), branch))
}

/// What goes into a run: its kind, and what the width of its branches is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Junction {
    /// One branch.
    Tee,
    /// Two, across from each other.
    Cross,
}

impl Junction {
    fn kind(self) -> &'static str {
        match self {
            Junction::Tee => "tee",
            Junction::Cross => "cross",
        }
    }

    fn widths(self) -> [&'static str; 2] {
        match self {
            Junction::Tee => ["width", "branch_width"],
            Junction::Cross => ["width", "cross_width"],
        }
    }
}

/// [`insert_tee`] in a draft that lies as `layout` says.
pub(super) fn insert(
    draft: &mut Draft<'_>,
    layout: &Layout,
    item: &str,
    at: Point,
    toward: Point,
) -> Result<String, Refusal> {
    let tee = insert_junction(draft, layout, item, at, (Junction::Tee, toward))?;
    Ok(format!("{tee}.up"))
}

/// Inserts a tee or a cross; its socket `up` looks to the side where `toward` is. Returns its name.
///
/// # Errors
/// As of [`insert_tee`].
pub(super) fn insert_junction(
    draft: &mut Draft<'_>,
    layout: &Layout,
    item: &str,
    at: Point,
    junction: (Junction, Point),
) -> Result<String, Refusal> {
    let components = &draft.design.components;
    if let Some(k) = components.iter().position(|c| c.name.value == item) {
        return into_pipe(draft, layout, k, at, junction);
    }
    let channels = &draft.design.channels;
    match channels.iter().position(|c| c.name.value == item) {
        Some(k) => into_channel(draft, layout, k, at, junction),
        None => Err(Refusal::NoItem(item.to_owned())),
    }
}

/// A junction of this width: its parameters, and how far its through sockets are from its middle, m.
fn sized(
    draft: &Draft<'_>,
    junction: Junction,
    width: f64,
) -> Result<(Parameters, f64, f64), Refusal> {
    let kind = junction.kind();
    let parameters = draft.widths(width, &junction.widths());
    let library = draft.from.library;
    let realised = library.realise(kind, &parameters, &draft.from.defaults());
    let realised = realised.map_err(|faults| match faults.into_iter().next() {
        Some(fault) => Refusal::library(fault),
        None => Refusal::NoKind(kind.to_owned()),
    })?;
    let own = own_sockets(&realised);
    let reach = |name: &str| {
        let found = own.iter().find(|(socket, _)| *socket == name);
        let found = found.ok_or_else(|| Refusal::NoSocket(format!("{kind}.{name}")))?;
        Ok(found.1.middle.x.abs())
    };
    Ok((parameters, reach("left")?, reach("right")?))
}

type Parameters = Vec<(Spanned<String>, Spanned<Value>)>;

/// Lengths before and after a tee in the middle of a run, whose first and last part are taken by bends.
fn divide(
    at: f64,
    length: f64,
    taken: (f64, f64),
    reach: (f64, f64),
    width: f64,
) -> Option<(f64, f64)> {
    let least = taken.0 + reach.0 + SHORTEST * width;
    let most = length - taken.1 - reach.1 - SHORTEST * width;
    (least <= most).then(|| {
        let at = at.clamp(least, most);
        let before = tidy(at - reach.0, width);
        (before, tidy(length - before - reach.0 - reach.1, width))
    })
}

fn into_pipe(
    draft: &mut Draft<'_>,
    layout: &Layout,
    index: usize,
    at: Point,
    (junction, toward): (Junction, Point),
) -> Result<String, Refusal> {
    let pipe = draft.design.components[index].clone();
    let name = pipe.name.value.clone();
    let not_straight = || Refusal::NotStraight(name.clone());
    let motion = layout.motions.get(index).copied().flatten();
    let motion = motion.ok_or_else(|| Refusal::NoItem(name.clone()))?;
    let library = draft.from.library;
    let realised = library
        .realise(&pipe.kind.value, &pipe.parameters, &draft.from.defaults())
        .map_err(|_| not_straight())?;
    let has_length = library
        .get(&pipe.kind.value)
        .is_some_and(|definition| definition.parameter("length").is_some());
    let [part] = &realised.parts[..] else {
        return Err(not_straight());
    };
    let Shape::Strip(Strip::Straight {
        length,
        width_start: width,
        width_end,
    }) = part.shape
    else {
        return Err(not_straight());
    };
    let socket = |k: usize| {
        let mut sockets = realised.sockets.iter();
        sockets
            .find(|(_, at)| at.socket == k)
            .map(|(name, _)| name.clone())
    };
    let (Some(first), true) = (socket(0), has_length && width == width_end) else {
        return Err(not_straight());
    };
    let second = socket(1);
    let motion = motion.after(&part.motion);
    let local = motion.inverse().apply(at);
    let (parameters, left, right) = sized(draft, junction, width)?;
    let lengths = divide(local.x, length, (0.0, 0.0), (left, right), width);
    let (before, after) = lengths.ok_or_else(|| Refusal::TooShort(name.clone()))?;
    let axis = Point::unit(motion.turn(0.0));
    let looks_right = axis.cross(toward - motion.apply(Point::new(before + left, 0.0))) < 0.0;

    let mut names = Names::of_items(&draft.design);
    let (tee_name, new_name) = (names.fresh(junction.kind()), names.fresh(&name));
    let has_port = |socket: &str| {
        let full = format!("{name}.{socket}");
        draft.design.ports.iter().any(|port| port.at.value == full)
    };
    // A pipe's pieces are alike; of another kind the piece with the further end is the one that is special.
    let keeps_first = pipe.kind.value == "pipe" && has_port(&first);
    let mut new_parameters = draft.widths(width, &["width"]);
    let new_length = if keeps_first { after } else { before };
    let quantity = Value::Quantity(new_length, Dimension::Length);
    new_parameters.push((
        Spanned::nowhere("length".to_owned()),
        Spanned::nowhere(quantity),
    ));
    let names = Pieces {
        front: if keeps_first { &name } else { &new_name },
        front_out: if keeps_first {
            second.as_deref().unwrap_or("b")
        } else {
            "b"
        },
        back: if keeps_first { &new_name } else { &name },
        back_in: if keeps_first { "a" } else { &first },
        tee: &tee_name,
    };
    // References to the socket that goes to the new piece.
    if keeps_first {
        if let Some(second) = &second {
            draft.redirect(&format!("{name}.{second}"), &format!("{new_name}.b"));
        }
    } else {
        draft.redirect(&format!("{name}.{first}"), &format!("{new_name}.a"));
    }
    let kept_length = if keeps_first { before } else { after };
    let quantity = Value::Quantity(kept_length, Dimension::Length);
    draft.set_parameter(&name, "length", Some(quantity));
    let places = chain(&pipe, &names, &first, keeps_first, looks_right);
    let (front, tee_place, back) = places;
    let (kept, new) = if keeps_first {
        (front, back)
    } else {
        (back, front)
    };
    if let Some(component) = draft.component_mut(&name) {
        component.placement = kept;
    }
    let all = &mut draft.design.components;
    let piece = component(new_name.clone(), "pipe", new, new_parameters);
    let tee = component(tee_name.clone(), junction.kind(), tee_place, parameters);
    // As deep as what was divided.
    all.extend([piece, tee].map(|new| Component {
        depth: pipe.depth,
        ..new
    }));
    Ok(tee_name)
}

/// Names of a divided pipe: `front` has its first socket, `back` its second one.
struct Pieces<'n> {
    front: &'n str,
    front_out: &'n str,
    back: &'n str,
    back_in: &'n str,
    tee: &'n str,
}

/// Placements of the front piece, the tee and the back piece: what the pipe hung on, the piece there hangs on.
fn chain(
    pipe: &Component,
    names: &Pieces<'_>,
    first: &str,
    keeps_first: bool,
    looks_right: bool,
) -> (Placement, Placement, Placement) {
    let of = |item: &str, socket: &str| format!("{item}.{socket}");
    let hangs_on_back = match &pipe.placement {
        Placement::Attached(attachment) => attachment.socket.value != first,
        Placement::Absolute { .. } => false,
    };
    if hangs_on_back {
        let mut back = pipe.placement.clone();
        if let (Placement::Attached(attachment), true) = (&mut back, keeps_first) {
            attachment.socket.value = "b".to_owned();
        }
        return (
            attached(names.front_out, of(names.tee, "left"), false),
            attached("right", of(names.back, names.back_in), looks_right),
            back,
        );
    }
    let mut front = pipe.placement.clone();
    if let (Placement::Attached(attachment), false) = (&mut front, keeps_first) {
        attachment.socket.value = "a".to_owned();
    }
    (
        front,
        attached("left", of(names.front, names.front_out), looks_right),
        attached(names.back_in, of(names.tee, "right"), false),
    )
}

fn into_channel(
    draft: &mut Draft<'_>,
    layout: &Layout,
    index: usize,
    at: Point,
    (junction, toward): (Junction, Point),
) -> Result<String, Refusal> {
    let channel = draft.design.channels[index].clone();
    let name = channel.name.value.clone();
    let socket = |full_name: &str| {
        let mut all = layout.sockets.iter();
        all.find(|s| layout.full_name(s) == full_name)
            .map(|s| s.geometry)
    };
    let no_item = || Refusal::NoItem(name.clone());
    let from = socket(&channel.from.value).ok_or_else(no_item)?;
    let width = channel.width.map_or(from.width, |width| width.0);
    let mut points = vec![from.middle];
    points.extend(channel.via.iter().map(|v| v.value));
    if let Some(to) = &channel.to {
        points.push(socket(&to.value).ok_or_else(no_item)?.middle);
    }
    let (parameters, left, right) = sized(draft, junction, width)?;
    let reaches = reaches(&channel, width, &points);
    // The nearest run that is long enough.
    let mut best: Option<(f64, usize, Point, Point)> = None;
    for (k, run) in points.windows(2).enumerate() {
        let length = (run[1] - run[0]).norm();
        let axis = (run[1] - run[0]).normalized();
        let taken = (reaches[k], reaches[k + 1]);
        let along = axis.dot(at - run[0]);
        let Some((before, _)) = divide(along, length, taken, (left, right), width) else {
            continue;
        };
        let middle = run[0] + axis * (before + left);
        let nearest = run[0] + axis * along.clamp(0.0, length);
        let distance = (at - nearest).norm();
        if best.as_ref().is_none_or(|best| distance < best.0) {
            best = Some((distance, k, middle, axis));
        }
    }
    let (_, run, middle, axis) = best.ok_or_else(|| Refusal::TooShort(name.clone()))?;
    let mut names = Names::of_items(&draft.design);
    let (tee_name, new_name) = (names.fresh(junction.kind()), names.fresh(&name));
    let motion = Motion {
        angle: normalise(axis.angle()),
        mirror: axis.cross(toward - middle) < 0.0,
        translation: middle,
    };
    // The further piece keeps the name: its end may have a port, or something attached.
    let front = Channel {
        name: Spanned::nowhere(new_name),
        to: Some(Spanned::nowhere(format!("{tee_name}.left"))),
        via: channel.via[..run].to_vec(),
        ..channel.clone()
    };
    draft.design.channels[index] = Channel {
        from: Spanned::nowhere(format!("{tee_name}.right")),
        via: channel.via[run..].to_vec(),
        ..channel
    };
    let depth = front.depth;
    draft.design.channels.push(front);
    let placement = placement_at(&motion, width);
    let tee = component(tee_name.clone(), junction.kind(), placement, parameters);
    draft.design.components.push(Component { depth, ..tee });
    Ok(tee_name)
}

/// Straight run that the bend at every point takes, m.
fn reaches(channel: &Channel, width: f64, points: &[Point]) -> Vec<f64> {
    let corner = |p: &[Point]| {
        let turn = normalise((p[2] - p[1]).angle() - (p[1] - p[0]).angle()).abs();
        if turn < 1e-6 {
            0.0
        } else {
            bend_reach(width, channel.bend, turn)
        }
    };
    let corners = points.windows(3).map(corner);
    std::iter::once(0.0).chain(corners).chain([0.0]).collect()
}

/// Which of some pieces is nearest to a place: a pipe may have been divided already.
pub(super) fn nearest_piece(layout: &Layout, pieces: &[String], at: Point) -> Option<String> {
    let distance = |name: &String| {
        let item = layout.item(name)?;
        let parts = layout.parts.iter().zip(&layout.owners);
        let gaps = parts.filter(|(_, owner)| **owner == item).map(|(part, _)| {
            let local = part.motion.inverse().apply(at);
            let (low, high) = stokeslet_base::geometry::outline::bounds(&crate::library::boundary(
                &part.shape,
                32,
            ));
            let off = Point::new(
                (low.x - local.x).max(local.x - high.x).max(0.0),
                (low.y - local.y).max(local.y - high.y).max(0.0),
            );
            off.norm()
        });
        gaps.min_by(f64::total_cmp)
    };
    let near = pieces
        .iter()
        .filter_map(|name| Some((distance(name)?, name)));
    near.min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.clone())
}

/// The pieces that an item may have been divided into by a draft.
pub(super) fn pieces(draft: &Draft<'_>, item: &str) -> Vec<String> {
    let old = Names::of_items(draft.from.design);
    let is_new = |name: &&String| !old.has(name);
    let design = &draft.design;
    let pipes = design.components.iter().filter(|c| c.kind.value == "pipe");
    let names = pipes.map(|c| &c.name.value);
    let names = names.chain(design.channels.iter().map(|c| &c.name.value));
    let mut pieces: Vec<String> = names.filter(is_new).cloned().collect();
    pieces.push(item.to_owned());
    pieces
}
