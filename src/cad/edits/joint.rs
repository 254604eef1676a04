//! What goes between sockets that differ in width: a taper, whose width changes evenly, or a step, whose width changes at once.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::names::Names;
use super::sockets::{own_sockets, owner, tidy};
use super::{Drawing, Refusal};
use crate::design::{Component, Design, Dimension, Edit, Spanned, Step, Value};

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

    /// Takes its lengths back to what they are by default.
    pub(super) fn forget_lengths(self, component: &mut Component) {
        let parameters = &mut component.parameters;
        parameters.retain(|(name, _)| !self.lengths().contains(&name.value.as_str()));
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
    match own_sockets(&made)[..] {
        [(_, a), (_, b)] => Some((b.middle - a.middle).norm()),
        _ => None,
    }
}

/// Makes tapers and steps of these names joints of one kind, as long as they are; whatever else is named stays. What a joint was
/// called after its kind, it is called anew, unless something else than sockets and groups mentions it. Names of all of them afterwards.
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
    let mut free = Names::of_items(drawing.design);
    let kept = mentioned(drawing.design);
    let mut renamed: FxHashMap<String, String> = FxHashMap::default();
    let mut changed = Vec::new();
    for component in &mut draft.design.components {
        let was = Joint::of_kind(&component.kind.value).filter(|was| *was != joint);
        let (Some(was), true) = (was, names.contains(&component.name.value)) else {
            continue;
        };
        let mut new = changed_to(drawing, component, was, joint)?;
        let old = &component.name.value;
        if has_default_name(old, was) && !kept.contains(old.as_str()) {
            let name = free.fresh(joint.kind());
            renamed.insert(old.clone(), name.clone());
            new.name = Spanned::nowhere(name);
        }
        changed.push(new.name.value.clone());
        *component = new;
    }
    draft.rename(&renamed);
    match changed.is_empty() {
        true => Err(Refusal::NothingSelected),
        false => Ok((draft.settled(), changed)),
    }
}

fn changed_to(
    drawing: &Drawing<'_>,
    old: &Component,
    was: Joint,
    joint: Joint,
) -> Result<Component, Refusal> {
    let mut new = old.clone();
    new.kind = Spanned::nowhere(joint.kind().to_owned());
    new.dimensions
        .retain(|of| WIDTHS.contains(&of.value.as_str()));
    was.forget_lengths(&mut new);
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
        let each = tidy(length / lengths.len() as f64, drawing.design.width.0);
        for of in lengths {
            let value = Value::Quantity(each, Dimension::Length);
            let parameter = (Spanned::nowhere((*of).to_owned()), Spanned::nowhere(value));
            new.parameters.push(parameter);
        }
    }
    realisable(drawing, &new)?;
    Ok(new)
}

/// Components that links, sheets or their own expressions are about: another name would lose these.
fn mentioned(design: &Design) -> BTreeSet<&str> {
    let ends = design.links.iter().flat_map(|link| [&link.from, &link.to]);
    let of_links = ends.flatten().map(|socket| owner(&socket.value));
    let of_sheets = design.sheets.of.iter().map(|(name, _)| name.value.as_str());
    let paths = design.parametric.expressions.iter();
    let of_expressions = paths.filter_map(|expression| match &expression.path[..] {
        [Step::Key(section), Step::Key(name), ..] if section == "components" => Some(name.as_str()),
        _ => None,
    });
    of_links.chain(of_sheets).chain(of_expressions).collect()
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

/// Whether a joint is called after its kind: taper1, taper2, ...
fn has_default_name(name: &str, joint: Joint) -> bool {
    let number = name.strip_prefix(joint.kind());
    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}
