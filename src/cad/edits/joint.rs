//! What goes between sockets that differ in width: a taper, whose width changes evenly, or a step, whose width changes at once.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::names::Names;
use super::sockets::own_mouths;
use super::{Drawing, Refusal};
use crate::design::{Component, Design, Dimension, Edit, Spanned, Value};

/// Goes between sockets that differ in width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Joint {
    /// The width changes evenly.
    #[default]
    Taper,
    /// The width changes at once.
    Step,
}

/// Its widths, at sockets `a` and `b`.
pub(super) const WIDTHS: [&str; 2] = ["width_start", "width_end"];

impl Joint {
    /// All of them.
    pub const ALL: [Joint; 2] = [Joint::Taper, Joint::Step];

    /// Its kind in the library.
    pub fn kind(self) -> &'static str {
        match self {
            Joint::Taper => "taper",
            Joint::Step => "step",
        }
    }

    /// The joint of this kind, if it is one.
    pub fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|joint| joint.kind() == kind)
    }

    /// Parameters that its length from socket to socket is the sum of.
    fn lengths(self) -> &'static [&'static str] {
        match self {
            Joint::Taper => &["length"],
            Joint::Step => &["length_start", "length_end"],
        }
    }
}

/// Names of joints that a change adds.
pub fn joints_added(edits: &[Edit]) -> BTreeSet<String> {
    let added = edits.iter().filter_map(|edit| match edit {
        Edit::AddComponent(c) => Joint::of_kind(&c.kind.value).map(|_| c.name.value.clone()),
        _ => None,
    });
    added.collect()
}

/// From socket to socket, m; `None` where the library can't make it.
pub(super) fn length_of(drawing: &Drawing<'_>, joint: &Component) -> Option<f64> {
    let (kind, defaults) = (&joint.kind.value, drawing.defaults());
    let made = drawing
        .library
        .realise(kind, &joint.parameters, &defaults)
        .ok()?;
    match own_mouths(&made)[..] {
        [(_, a), (_, b)] => Some((b.middle - a.middle).norm()),
        _ => None,
    }
}

/// Makes tapers and steps of these names joints of one kind, as long as they are; whatever else is named stays. What a joint was
/// called after its kind, it is called anew. Names of all of them afterwards.
///
/// # Errors
/// [`Refusal::NothingSelected`] where none of them is a joint of another kind; [`Refusal::OnlyOf`] for a parameter that the other kind
/// doesn't have; [`Refusal::Library`] for what it can't be.
pub fn set_joint(
    drawing: &Drawing<'_>,
    names: &BTreeSet<String>,
    joint: Joint,
) -> Result<(Vec<Edit>, Vec<String>), Refusal> {
    let mut draft = Draft::of(drawing);
    let mut changed = Vec::new();
    for old in &drawing.design.components {
        let was = Joint::of_kind(&old.kind.value).filter(|was| *was != joint);
        let (Some(was), true) = (was, names.contains(&old.name.value)) else {
            continue;
        };
        let new = changed_to(drawing, &draft.design, old, was, joint)?;
        let name = new.name.value.clone();
        rename(&mut draft, &old.name.value, &name);
        if let Some(component) = draft.component_mut(&old.name.value) {
            *component = new;
        }
        changed.push(name);
    }
    match changed.is_empty() {
        true => Err(Refusal::NothingSelected),
        false => Ok((draft.settled(), changed)),
    }
}

fn changed_to(
    drawing: &Drawing<'_>,
    design: &Design,
    old: &Component,
    was: Joint,
    joint: Joint,
) -> Result<Component, Refusal> {
    let mut new = old.clone();
    new.kind = Spanned::nowhere(joint.kind().to_owned());
    if has_default_name(old, was) {
        new.name = Spanned::nowhere(Names::of_items(design).fresh(joint.kind()));
    }
    new.dimensions
        .retain(|of| WIDTHS.contains(&of.value.as_str()));
    new.parameters
        .retain(|(name, _)| !was.lengths().contains(&name.value.as_str()));
    let mut others = new.parameters.iter();
    if let Some((other, _)) = others.find(|(name, _)| !WIDTHS.contains(&name.value.as_str())) {
        return Err(Refusal::OnlyOf {
            component: old.name.value.clone(),
            parameter: other.value.clone(),
            kind: joint.kind(),
        });
    }
    if let Some(length) = length_of(drawing, old) {
        let lengths = joint.lengths();
        for of in lengths {
            let value = Value::Quantity(length / lengths.len() as f64, Dimension::Length);
            let parameter = (Spanned::nowhere((*of).to_owned()), Spanned::nowhere(value));
            new.parameters.push(parameter);
        }
    }
    realisable(drawing, &new)?;
    Ok(new)
}

/// # Errors
/// [`Refusal::Library`]: why a component can't be made.
pub(super) fn realisable(drawing: &Drawing<'_>, component: &Component) -> Result<(), Refusal> {
    let (kind, parameters) = (&component.kind.value, &component.parameters);
    match drawing
        .library
        .realise(kind, parameters, &drawing.defaults())
    {
        Ok(_) => Ok(()),
        Err(faults) => Err(faults
            .into_iter()
            .next()
            .map_or(Refusal::NoWay, Refusal::library)),
    }
}

/// Whether it is called after its kind: taper1, taper2, ...
fn has_default_name(component: &Component, joint: Joint) -> bool {
    let number = component.name.value.strip_prefix(joint.kind());
    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

/// Sockets and groups of a component that is to be called otherwise.
fn rename(draft: &mut Draft<'_>, from: &str, to: &str) {
    if from == to {
        return;
    }
    for socket in ["a", "b"] {
        draft.redirect(&format!("{from}.{socket}"), &format!("{to}.{socket}"));
    }
    let groups = draft.design.groups.iter_mut();
    for member in groups.flat_map(|group| &mut group.of) {
        if member.value == from {
            to.clone_into(&mut member.value);
        }
    }
}
