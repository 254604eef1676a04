//! Part of a design as a design of its own: what is cut off its host gets a place, channels cut off an end get a free one.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::draft::Draft;
use super::free_start::free_start;
use super::groups;
use super::names::Names;
use super::sockets::{Sockets, owner, placement_at, tidy_point};
use super::{Drawing, Refusal};
use crate::design::{Channel, Design, Placement, Spanned};
use stokeslet_base::geometry::Point;

/// The selected components, channels and overlays with the connections and ports among them.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub(super) fn subset(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
) -> Result<Design, Refusal> {
    let design = drawing.design;
    let width = design.width.0;
    let sockets = Sockets::of(drawing.layout);
    let mut subset = Design {
        components: Vec::new(),
        channels: Vec::new(),
        connections: Vec::new(),
        links: Vec::new(),
        sheets: Default::default(),
        ports: Vec::new(),
        species: Default::default(),
        overlays: design
            .overlays
            .iter()
            .filter(|o| selection.contains(&o.name.value))
            .cloned()
            .collect(),
        ..design.clone()
    };
    let mut kept: FxHashSet<&str> = FxHashSet::default();
    let is_selected = |name: &str| selection.contains(name);
    let components = design.components.iter();
    kept.extend(
        components
            .map(|c| c.name.value.as_str())
            .filter(|name| is_selected(name)),
    );
    let selected: Vec<&Channel> = design
        .channels
        .iter()
        .filter(|c| is_selected(&c.name.value))
        .collect();
    // Channels may hang on ends of channels, in any order.
    loop {
        let before = kept.len();
        for channel in &selected {
            if kept.contains(owner(&channel.from.value)) {
                kept.insert(&channel.name.value);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let mut names = Names::of_items(design);
    let draft = Draft::of(drawing);
    for channel in selected {
        let to_kept = |to: &&crate::design::Spanned<String>| kept.contains(owner(&to.value));
        let to = channel.to.as_ref();
        let end = to.and_then(|to| sockets.geometry(&to.value));
        let mut copy = channel.clone();
        copy.to = to.filter(to_kept).cloned();
        if to.is_some() && copy.to.is_none() {
            copy.via
                .extend(end.map(|end| Spanned::nowhere(tidy_point(end.middle, width))));
        }
        if kept.contains(channel.name.value.as_str()) {
            if copy.to.is_some() || !copy.via.is_empty() {
                subset.channels.push(copy);
            }
            continue;
        }
        // Cut off where it starts: a pipe makes the start, what it led to is left.
        let Some(from) = sockets.geometry(&channel.from.value) else {
            continue;
        };
        let mut points: Vec<Point> = vec![from.middle];
        points.extend(channel.via.iter().map(|v| v.value));
        points.extend(end.map(|end| end.middle));
        let across = channel.width.map_or(from.width, |width| width.0);
        if let Some((mut pipe, mut rest)) =
            free_start(&draft, &mut names, &points, across, channel.bend)
        {
            pipe.depth = channel.depth;
            rest.iter_mut().for_each(|rest| rest.depth = channel.depth);
            subset.components.push(pipe);
            subset.channels.extend(rest);
        }
    }
    for (k, component) in design.components.iter().enumerate() {
        if !kept.contains(component.name.value.as_str()) {
            continue;
        }
        let mut copy = component.clone();
        if let Placement::Attached(attachment) = &component.placement
            && !kept.contains(owner(&attachment.to.value))
        {
            let motion = drawing.layout.motions.get(k).copied().flatten();
            copy.placement = placement_at(&motion.unwrap_or_default(), width);
        }
        subset.components.push(copy);
    }
    let is_kept = |socket: &str| kept.contains(owner(socket));
    let pairs = design.connections.iter();
    let pairs = pairs.filter(|pair| is_kept(&pair.a.value) && is_kept(&pair.b.value));
    subset.connections = pairs.cloned().collect();
    let ports = design.ports.iter().filter(|port| is_kept(&port.at.value));
    subset.ports = ports.cloned().collect();
    groups::keep(&mut subset.groups, is_selected);
    let has_none = subset.components.is_empty() && subset.channels.is_empty();
    if has_none && subset.overlays.is_empty() {
        return Err(Refusal::NothingSelected);
    }
    Ok(subset)
}
