//! Removes what is selected, with the channels, connections and ports that need it.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::draft::Draft;
use super::groups;
use super::sockets::owner;
use super::{Drawing, Refusal};
use crate::design::{Edit, Placement};
use stokeslet_base::geometry::Motion;

/// Removes components, channels, overlays and a port by name. What was attached to them stays where it is.
///
/// # Errors
/// [`Refusal::NothingSelected`].
pub fn delete(
    drawing: &Drawing<'_>,
    items: &BTreeSet<String>,
    port: Option<&str>,
) -> Result<Vec<Edit>, Refusal> {
    let design = drawing.design;
    let mut gone: FxHashSet<&str> = FxHashSet::default();
    let names = design.components.iter().map(|c| &c.name.value);
    let names = names.chain(design.channels.iter().map(|c| &c.name.value));
    gone.extend(
        names
            .filter(|name| items.contains(*name))
            .map(String::as_str),
    );
    let has_overlays = design
        .overlays
        .iter()
        .any(|o| items.contains(&o.name.value));
    if gone.is_empty()
        && !has_overlays
        && !design
            .ports
            .iter()
            .any(|p| Some(p.name.value.as_str()) == port)
    {
        return Err(Refusal::NothingSelected);
    }
    // Channels may hang on ends of channels.
    loop {
        let before = gone.len();
        for channel in &design.channels {
            let mut ends = std::iter::once(&channel.from).chain(&channel.to);
            if ends.any(|end| gone.contains(owner(&end.value))) {
                gone.insert(&channel.name.value);
            }
        }
        if gone.len() == before {
            break;
        }
    }
    let mut draft = Draft::of(drawing);
    let stays = |socket: &str| !gone.contains(owner(socket));
    for (k, component) in design.components.iter().enumerate() {
        if let Placement::Attached(attachment) = &component.placement
            && !stays(&attachment.to.value)
        {
            let motion = drawing.layout.motions.get(k).copied().flatten();
            draft.put(k, &motion.unwrap_or(Motion::IDENTITY));
        }
    }
    let kept = &mut draft.design;
    kept.components
        .retain(|c| !gone.contains(c.name.value.as_str()));
    kept.channels
        .retain(|c| !gone.contains(c.name.value.as_str()));
    kept.overlays.retain(|o| !items.contains(&o.name.value));
    groups::keep(&mut kept.groups, |name| {
        !gone.contains(name) && !items.contains(name)
    });
    kept.connections
        .retain(|pair| stays(&pair.a.value) && stays(&pair.b.value));
    kept.ports
        .retain(|p| stays(&p.at.value) && Some(p.name.value.as_str()) != port);
    Ok(draft.settled())
}
