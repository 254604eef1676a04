//! Properties that move sockets: whatever hangs on them follows, channels are routed anew.

use super::draft::Draft;
use super::keep_lines::{keep_directions, keep_lines};
use super::rigid::transform;
use super::settle::reroute;
use super::sockets::{Sockets, same_width, tidy_point};
use super::widths::{fitting, mend_joints};
use super::{Drawing, Obstacles, Refusal};
use crate::chip::channel_parts;
use crate::design::{Bend, Channel, Edit, Placement, Spanned, Value};
use crate::shape::Socket;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Metre;

/// Puts a component at a position and angle as typed; what is attached follows.
///
/// # Errors
/// [`Refusal::NoItem`].
pub fn set_placement(
    drawing: &Drawing<'_>,
    component: &str,
    placement: &Placement,
) -> Result<Vec<Edit>, Refusal> {
    let mut draft = Draft::of(drawing);
    let item = drawing.layout.item(component);
    let now = item.and_then(|item| drawing.layout.motions.get(item).copied().flatten());
    if let (
        Some(item),
        Some(now),
        Placement::Absolute {
            at,
            rotation,
            mirror,
        },
    ) = (item, now, placement)
    {
        let then = Motion {
            angle: rotation.0,
            mirror: *mirror,
            translation: *at,
        };
        let wish = std::iter::once((item, then.after(&now.inverse())));
        transform(&mut draft, &wish.collect());
    }
    let found = draft.component_mut(component);
    let found = found.ok_or_else(|| Refusal::NoItem(component.to_owned()))?;
    // To the bit as typed.
    found.placement = placement.clone();
    Ok(draft.settled())
}

/// Sets a parameter, or takes it back to its default; channels at the component's sockets are routed anew, and where its sockets get
/// another width than what is joined there, joints go between.
///
/// # Errors
/// [`Refusal::NoItem`], or why there can't be a joint.
pub fn set_parameter(
    drawing: &Drawing<'_>,
    component: &str,
    parameter: &str,
    value: Option<Value>,
) -> Result<Vec<Edit>, Refusal> {
    let mut draft = Draft::of(drawing);
    if draft.component_mut(component).is_none() {
        return Err(Refusal::NoItem(component.to_owned()));
    }
    draft.set_parameter(component, parameter, value);
    mend_joints(&mut draft, drawing, component)?;
    Ok(draft.settled())
}

/// Sets width and bend of a channel; it is routed anew where its bends need more room. Where its sockets are wider or narrower, joints
/// go between.
///
/// # Errors
/// [`Refusal::NoItem`], why there can't be a joint, or what the channel can't be ([`Refusal::Channel`]).
pub fn set_channel_shape(
    drawing: &Drawing<'_>,
    channel: &str,
    width: Option<Metre>,
    bend: Bend,
) -> Result<Vec<Edit>, Refusal> {
    let mut draft = Draft::of(drawing);
    let (from, to) = ends(drawing, channel)?;
    let across = width.map_or(from.width, |width| width.0);
    let (from, to) = if std::iter::once(&from)
        .chain(&to)
        .all(|end| same_width(end.width, across))
    {
        (from, to)
    } else {
        fit_ends(&mut draft, channel, across)?
    };
    let found = draft.channel_mut(channel);
    let found = found.ok_or_else(|| Refusal::NoItem(channel.to_owned()))?;
    (found.width, found.bend) = (width, bend);
    if let Err(faults) = channel_parts(found, &from, to.as_ref()) {
        match reroute(found, &from, to.as_ref(), &obstacles_to(drawing, channel)) {
            Some(via) => found.via = via.into_iter().map(Spanned::nowhere).collect(),
            None => {
                return Err(faults
                    .into_iter()
                    .next()
                    .map_or(Refusal::NoWay, Refusal::channel));
            }
        }
    }
    Ok(draft.settled())
}

/// Puts joints at the ends of a channel where they are of another width; where its ends are then.
fn fit_ends(
    draft: &mut Draft<'_>,
    channel: &str,
    width: f64,
) -> Result<(Socket, Option<Socket>), Refusal> {
    let no_item = || Refusal::NoItem(channel.to_owned());
    let layout = draft.from.layout;
    let old = draft.channel_mut(channel).ok_or_else(no_item)?.clone();
    let from = fitting(draft, layout, &old.from.value, width)?;
    let to = match &old.to {
        Some(to) => Some(fitting(draft, layout, &to.value, width)?),
        None => None,
    };
    let found = draft.channel_mut(channel).ok_or_else(no_item)?;
    found.from.value.clone_from(&from);
    if let (Some(end), Some(to)) = (&mut found.to, &to) {
        end.value.clone_from(to);
    }
    let layout = draft.lay_out();
    let sockets = Sockets::of(&layout);
    let socket = |name: &String| {
        let socket = sockets.geometry(name);
        socket.ok_or_else(|| Refusal::NoSocket(name.clone()))
    };
    Ok((socket(&from)?, to.as_ref().map(socket).transpose()?))
}

/// Moves one way-point; its two runs keep their directions if they can.
///
/// # Errors
/// [`Refusal::NoItem`], [`Refusal::NoWayPoint`], or what the channel can't be ([`Refusal::Channel`]).
pub fn move_way_point(
    drawing: &Drawing<'_>,
    channel: &str,
    index: usize,
    at: Point,
) -> Result<Vec<Edit>, Refusal> {
    let mut draft = Draft::of(drawing);
    let (from, to) = ends(drawing, channel)?;
    let found = draft.channel_mut(channel);
    let found = found.ok_or_else(|| Refusal::NoItem(channel.to_owned()))?;
    let via: Vec<Point> = found.via.iter().map(|v| v.value).collect();
    if index >= via.len() {
        return Err(Refusal::NoWayPoint {
            channel: channel.to_owned(),
            index,
        });
    }
    let mut moved = via.clone();
    moved[index] = at;
    let along = keep_directions(&from, to.as_ref(), &via, index, at);
    let shifted = keep_lines(&from, to.as_ref(), &moved);
    let candidates = if is_orthogonal(&from, to.as_ref(), &via) {
        [along, Some(moved), shifted]
    } else {
        [Some(moved), along, shifted]
    };
    let width = drawing.design.width.0;
    let mut first_fault = None;
    for via in candidates.into_iter().flatten() {
        found.via = via
            .into_iter()
            .map(|p| Spanned::nowhere(tidy_point(p, width)))
            .collect();
        match channel_parts(found, &from, to.as_ref()) {
            Ok(_) => return Ok(draft.settled()),
            Err(faults) => first_fault = first_fault.or(faults.into_iter().next()),
        }
    }
    Err(first_fault.map_or(Refusal::NoWay, Refusal::channel))
}

/// Whether all corners are right angles.
fn is_orthogonal(from: &Socket, to: Option<&Socket>, via: &[Point]) -> bool {
    let mut points = vec![from.middle];
    points.extend(via);
    points.extend(to.map(|to| to.middle));
    points.windows(3).all(|p| {
        let (a, b) = ((p[1] - p[0]).normalized(), (p[2] - p[1]).normalized());
        a.dot(b).abs() < 1e-6
    })
}

/// The sockets of a channel, where they are placed.
fn ends(drawing: &Drawing<'_>, channel: &str) -> Result<(Socket, Option<Socket>), Refusal> {
    let mut channels = drawing.design.channels.iter();
    let found: &Channel = channels
        .find(|c| c.name.value == channel)
        .ok_or_else(|| Refusal::NoItem(channel.to_owned()))?;
    let sockets = Sockets::of(drawing.layout);
    let socket = |name: &String| {
        let socket = sockets.geometry(name);
        socket.ok_or_else(|| Refusal::NoSocket(name.clone()))
    };
    let to = found.to.as_ref().map(|to| socket(&to.value)).transpose()?;
    Ok((socket(&found.from.value)?, to))
}

/// Everything but the channel itself.
fn obstacles_to(drawing: &Drawing<'_>, channel: &str) -> Obstacles {
    let own = drawing.layout.item(channel);
    let parts = drawing.layout.parts.iter().zip(&drawing.layout.owners);
    let mut obstacles = Obstacles::default();
    for (part, _) in parts.filter(|(_, owner)| Some(**owner) != own) {
        obstacles.add(std::slice::from_ref(part));
    }
    obstacles
}
