//! Widths of one branch: where what is joined differs in width from now on, a joint (a taper or a step) goes between.
//!
//! ```text
//! host o====== branch        -->     host o==<joint>-- branch      a straight branch gives the joint its length: its far end stays
//! ```
//! A joint that is there already is set to the new width, and leaves when there is nothing left to do for it.

use super::draft::{Draft, attached, component};
use super::joint::{Joint, WIDTHS, length_of, realisable};
use super::names::Names;
use super::sockets::{Sockets, owner, same_width, tidy};
use super::{Drawing, Refusal};
use crate::chip::Layout;
use crate::design::{Component, Dimension, Placement, Spanned, Value};

/// A branch keeps at least this length, widths of its own.
const SHORTEST: f64 = 0.25;

/// Puts a joint on a socket; returns its other socket.
///
/// # Errors
/// [`Refusal::NoJoint`] where the library has none, [`Refusal::Library`] where it can't be so wide.
pub(super) fn put_joint(
    draft: &mut Draft<'_>,
    on: &str,
    on_width: f64,
    other: &str,
    other_width: f64,
) -> Result<String, Refusal> {
    let kind = draft.from.joint.kind();
    if draft.from.library.get(kind).is_none() {
        return Err(Refusal::NoJoint {
            from: other.to_owned(),
            to: on.to_owned(),
            kind,
        });
    }
    let name = Names::of_items(&draft.design).fresh(kind);
    let width = |name: &str, width: f64| {
        (
            Spanned::nowhere(name.to_owned()),
            Spanned::nowhere(Value::Quantity(width, Dimension::Length)),
        )
    };
    let parameters = vec![width(WIDTHS[0], other_width), width(WIDTHS[1], on_width)];
    let placement = attached("b", on.to_owned(), false);
    let new = component(name.clone(), kind, placement, parameters);
    realisable(&draft.from, &new)?;
    draft.design.components.push(new);
    Ok(format!("{name}.a"))
}

/// The socket to use instead of `socket`, which something `width` wide is to be joined to: itself where it is as wide, that of a joint
/// which is there already or put in, or what such a joint hangs on where it isn't needed any more.
///
/// # Errors
/// As of [`put_joint`].
pub(super) fn fitting(
    draft: &mut Draft<'_>,
    layout: &Layout,
    socket: &str,
    width: f64,
) -> Result<String, Refusal> {
    let sockets = Sockets::of(layout);
    let own = sockets.geometry(socket);
    let own = own.ok_or_else(|| Refusal::NoSocket(socket.to_owned()))?;
    if same_width(own.width, width) {
        return Ok(socket.to_owned());
    }
    let Some(host) = host_of_joint(draft, socket) else {
        return put_joint(draft, socket, own.width, socket, width);
    };
    if sockets
        .geometry(&host)
        .is_some_and(|host| same_width(host.width, width))
    {
        let gone = owner(socket).to_owned();
        draft.design.components.retain(|c| c.name.value != gone);
        return Ok(host);
    }
    let parameter = match socket.ends_with(".a") {
        true => WIDTHS[0],
        false => WIDTHS[1],
    };
    set_width(draft, owner(socket), parameter, width)?;
    Ok(socket.to_owned())
}

/// Gives a joint another width at one end; where it is too short for that then, its lengths are the usual ones again.
///
/// # Errors
/// [`Refusal::Library`] where it can't be so wide.
fn set_width(
    draft: &mut Draft<'_>,
    joint: &str,
    parameter: &str,
    width: f64,
) -> Result<(), Refusal> {
    let quantity = Value::Quantity(width, Dimension::Length);
    draft.set_parameter(joint, parameter, Some(quantity));
    let from = draft.from;
    let Some(component) = draft.component_mut(joint) else {
        return Ok(());
    };
    if realisable(&from, component).is_err()
        && let Some(joint) = Joint::of_kind(&component.kind.value)
    {
        joint.forget_lengths(component);
    }
    realisable(&from, component)
}

/// What a joint hangs on with its other socket, if `socket` is one of a joint that nothing else needs.
fn host_of_joint(draft: &Draft<'_>, socket: &str) -> Option<String> {
    let (name, own) = socket.rsplit_once('.')?;
    let mut components = draft.design.components.iter();
    let joint = components.find(|c| c.name.value == name && is_joint(c))?;
    match &joint.placement {
        Placement::Attached(attachment) if attachment.socket.value != own => {
            Some(attachment.to.value.clone())
        }
        _ => None,
    }
}

fn is_joint(component: &Component) -> bool {
    Joint::of_kind(&component.kind.value).is_some()
}

/// Puts joints where sockets of a component are of another width than before, and what is joined there isn't. Pairs of
/// `[connections]`, both of whose components have places of their own, are left: nothing gives way there.
///
/// # Errors
/// As of [`put_joint`].
pub(super) fn mend_joints(
    draft: &mut Draft<'_>,
    drawing: &Drawing<'_>,
    name: &str,
) -> Result<(), Refusal> {
    let layout = draft.lay_out();
    let before = Sockets::of(drawing.layout);
    let item = layout.item(name);
    let own = layout.sockets.iter().filter(|s| Some(s.item) == item);
    let mut changed: Vec<(String, f64)> = own
        .filter(|now| {
            let then = before.of_item(name, &now.name);
            then.is_some_and(|then| !same_width(then.geometry.width, now.geometry.width))
        })
        .map(|now| (layout.full_name(now), now.geometry.width))
        .collect();
    changed.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut taken = 0.0;
    for (socket, width) in &changed {
        taken += mend_own(draft, &layout, name, socket, *width)?;
        taken += mend_others(draft, &before, socket, *width)?;
    }
    shorten(draft, drawing, name, taken);
    Ok(())
}

/// Mends the socket by which a component hangs on another; returns the length that a new joint takes, m.
fn mend_own(
    draft: &mut Draft<'_>,
    layout: &Layout,
    name: &str,
    socket: &str,
    width: f64,
) -> Result<f64, Refusal> {
    let hangs = draft.component_mut(name).and_then(|c| match &c.placement {
        Placement::Attached(a) if format!("{name}.{}", a.socket.value) == socket => {
            Some(a.to.value.clone())
        }
        _ => None,
    });
    let Some(host) = hangs else {
        return Ok(0.0);
    };
    let n = draft.design.components.len();
    let fit = fitting(draft, layout, &host, width)?;
    let length = length_of_new(draft, n);
    if let Some(c) = draft.component_mut(name)
        && let Placement::Attached(attachment) = &mut c.placement
    {
        attachment.to.value = fit;
    }
    Ok(length)
}

/// Mends what hangs or begins on a socket; returns the length that new joints take, m.
fn mend_others(
    draft: &mut Draft<'_>,
    before: &Sockets<'_>,
    socket: &str,
    width: f64,
) -> Result<f64, Refusal> {
    let old = before.geometry(socket).map_or(width, |old| old.width);
    let is_here = |to: &Spanned<String>| to.value == socket;
    let hangs =
        draft.design.components.iter().any(
            |c| matches!(&c.placement, Placement::Attached(a) if is_here(&a.to) && !is_joint(c)),
        );
    let channels = draft.design.channels.iter();
    let begins = channels
        .flat_map(|c| std::iter::once(&c.from).chain(&c.to))
        .any(is_here);
    let is_between = |c: &&mut Component| {
        is_joint(c) && matches!(&c.placement, Placement::Attached(a) if is_here(&a.to))
    };
    if let Some(joint) = draft.design.components.iter_mut().find(is_between) {
        let own = match &joint.placement {
            Placement::Attached(a) if a.socket.value == "a" => WIDTHS[0],
            _ => WIDTHS[1],
        };
        let joint = joint.name.value.clone();
        set_width(draft, &joint, own, width)?;
        return Ok(0.0);
    }
    if !hangs && !begins {
        return Ok(0.0);
    }
    let n = draft.design.components.len();
    let fit = put_joint(draft, socket, width, socket, old)?;
    let length = length_of_new(draft, n);
    let joint = owner(&fit).to_owned();
    for c in &mut draft.design.components {
        if c.name.value != joint
            && let Placement::Attached(a) = &mut c.placement
            && a.to.value == socket
        {
            a.to.value.clone_from(&fit);
        }
    }
    for channel in &mut draft.design.channels {
        for end in std::iter::once(&mut channel.from).chain(&mut channel.to) {
            if end.value == socket {
                end.value.clone_from(&fit);
            }
        }
    }
    Ok(length)
}

/// The length of a joint that was added since there were `n` components, m.
fn length_of_new(draft: &Draft<'_>, n: usize) -> f64 {
    let new = draft.design.components.get(n);
    new.and_then(|joint| length_of(&draft.from, joint))
        .unwrap_or(0.0)
}

/// Takes the length of new joints off a straight pipe, so that its ends stay where they were.
fn shorten(draft: &mut Draft<'_>, drawing: &Drawing<'_>, name: &str, taken: f64) {
    let before = Sockets::of(drawing.layout);
    let ends = ["a", "b"].map(|socket| before.geometry(&format!("{name}.{socket}")));
    let [Some(a), Some(b)] = ends else { return };
    let is_pipe = draft
        .component_mut(name)
        .is_some_and(|c| c.kind.value == "pipe");
    let length = (b.middle - a.middle).norm() - taken;
    let width = a.width.max(b.width);
    if taken > 0.0 && is_pipe && length >= SHORTEST * width {
        let quantity = Value::Quantity(tidy(length, width), Dimension::Length);
        draft.set_parameter(name, "length", Some(quantity));
    }
}
