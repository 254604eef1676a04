//! What is selected together.

use std::collections::BTreeSet;

use super::names::Names;
use super::{Drawing, Refusal};
use crate::design::{Design, Edit, Group, Spanned};

/// Puts what is selected into a group of its own; what it belonged to before it leaves. Returns the group's name.
///
/// # Errors
/// [`Refusal::NothingSelected`]; [`Refusal::Alone`] where that is one thing.
pub fn group(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
) -> Result<(Vec<Edit>, String), Refusal> {
    let names = named(drawing.design, selection);
    match names.len() {
        0 => return Err(Refusal::NothingSelected),
        1 => return Err(Refusal::Alone),
        _ => {}
    }
    let mut edits = left(drawing.design, selection);
    let name = Names::of_groups(drawing.design).fresh("group");
    edits.push(Edit::SetGroup {
        name: name.clone(),
        of: names,
    });
    Ok((edits, name))
}

/// Takes what is selected out of its groups.
///
/// # Errors
/// [`Refusal::NothingSelected`] where none of it is in a group.
pub fn ungroup(drawing: &Drawing<'_>, selection: &BTreeSet<String>) -> Result<Vec<Edit>, Refusal> {
    let edits = left(drawing.design, selection);
    match edits.is_empty() {
        true => Err(Refusal::NothingSelected),
        false => Ok(edits),
    }
}

/// What is selected with one thing: all of its group, or it alone.
pub fn together(design: &Design, name: &str) -> BTreeSet<String> {
    let group = design.groups.iter().find(|group| group.has(name));
    match group {
        Some(group) => group.of.iter().map(|member| member.value.clone()).collect(),
        None => BTreeSet::from([name.to_owned()]),
    }
}

/// Names that are selected, in the order of the design.
fn named(design: &Design, selection: &BTreeSet<String>) -> Vec<String> {
    let components = design.components.iter().map(|c| &c.name.value);
    let channels = design.channels.iter().map(|c| &c.name.value);
    let overlays = design.overlays.iter().map(|o| &o.name.value);
    let all = components.chain(channels).chain(overlays);
    all.filter(|name| selection.contains(*name))
        .cloned()
        .collect()
}

/// Groups without what leaves them; of those that have one thing left nothing stays.
fn left(design: &Design, leaving: &BTreeSet<String>) -> Vec<Edit> {
    let groups = design.groups.iter();
    let touched = groups.filter(|group| group.of.iter().any(|m| leaving.contains(&m.value)));
    let edit = |group: &Group| Edit::SetGroup {
        name: group.name.value.clone(),
        of: staying(group, |name| !leaving.contains(name)),
    };
    touched.map(edit).collect()
}

fn staying(group: &Group, stays: impl Fn(&str) -> bool) -> Vec<String> {
    let names = group.of.iter().map(|member| &member.value);
    let of: Vec<String> = names.filter(|name| stays(name)).cloned().collect();
    if of.len() > 1 { of } else { Vec::new() }
}

/// Keeps of a design's groups what is kept of their members.
pub(super) fn keep(groups: &mut Vec<Group>, stays: impl Fn(&str) -> bool) {
    for group in groups.iter_mut() {
        let kept = staying(group, &stays);
        group.of = kept.into_iter().map(Spanned::nowhere).collect();
    }
    groups.retain(|group| !group.of.is_empty());
}
