//! A new component: the edit that puts it where it snapped to.

use super::draft::{Draft, component};
use super::ports::check_free;
use super::{Drawing, Refusal, fresh_name};
use crate::design::{Edit, Placement};

/// Places a component of the library; returns its name, made from the kind.
///
/// Other free sockets of it that come to lie on free sockets are connected too.
/// # Errors
/// [`Refusal::NoKind`], [`Refusal::NoSocket`], [`Refusal::Connected`], [`Refusal::HasPort`].
pub fn place(
    drawing: &Drawing<'_>,
    kind: &str,
    placement: &Placement,
) -> Result<(Vec<Edit>, String), Refusal> {
    if drawing.library.get(kind).is_none() {
        return Err(Refusal::NoKind(kind.to_owned()));
    }
    if let Placement::Attached(attachment) = placement {
        check_free(drawing, &attachment.to.value)?;
    }
    let name = fresh_name(drawing.design, kind);
    let mut draft = Draft::of(drawing);
    let new = component(name.clone(), kind, placement.clone(), Vec::new());
    draft.design.components.push(new);
    Ok((draft.settled(), name))
}
