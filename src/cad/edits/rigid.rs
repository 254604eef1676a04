//! Wishes (this goes there) into placements: what is attached follows, what leaves its host gets a place of its own.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::draft::Draft;
use super::sockets::{Sockets, owner, tidy_point};
use crate::chip::{facing, socket_after};
use crate::design::Placement;
use stokeslet_base::geometry::Motion;

/// How every item moved, chip to chip; `None` where it did not move as one.
pub(super) type Moved = Vec<Option<Motion>>;

/// Carries out the wishes, by index of the item.
///
/// An attached component follows its host. If it was to go elsewhere it leaves it; but mirrored beside a host that stays, it stays
/// attached and is mirrored there. Channels between ends that move alike move along; of others only the way-points that were
/// wished for, and [`super::settle`] does the rest.
pub(super) fn transform(draft: &mut Draft<'_>, wishes: &BTreeMap<usize, Motion>) -> Moved {
    let layout = draft.from.layout;
    let n = layout.items.len();
    let items: FxHashMap<&str, usize> = (0..n).map(|k| (layout.items[k].as_str(), k)).collect();
    let sockets = Sockets::of(layout);
    let mut moved: Moved = vec![None; n];
    for item in in_order(draft) {
        moved[item] = if item < draft.design.components.len() {
            component(draft, item, wishes.get(&item), &items, &moved, &sockets)
        } else {
            channel(draft, item, wishes.get(&item), &items, &moved)
        };
    }
    moved
}

/// Items without a place first, then every item after those that it hangs on.
fn in_order(draft: &Draft<'_>) -> Vec<usize> {
    let layout = draft.from.layout;
    let components = draft.design.components.len();
    let placed = |item: &usize| layout.motions.get(*item).is_some_and(Option::is_some);
    let mut order: Vec<usize> = (0..components).filter(|item| !placed(item)).collect();
    let mut owners = layout.owners.clone();
    owners.dedup();
    order.extend(owners);
    order
}

fn component(
    draft: &mut Draft<'_>,
    item: usize,
    wish: Option<&Motion>,
    items: &FxHashMap<&str, usize>,
    moved: &Moved,
    sockets: &Sockets<'_>,
) -> Option<Motion> {
    let width = draft.design.width.0;
    let name = draft.design.components[item].name.value.clone();
    let now = draft.from.layout.motions.get(item).copied().flatten();
    let component = &mut draft.design.components[item];
    let attachment = match &mut component.placement {
        Placement::Absolute {
            at,
            rotation,
            mirror,
        } => {
            let Some(wish) = wish else {
                return Some(Motion::IDENTITY);
            };
            let now = Motion {
                angle: rotation.0,
                mirror: *mirror,
                translation: *at,
            };
            if *wish != Motion::IDENTITY {
                component.placement = super::sockets::placement_at(&wish.after(&now), width);
            }
            return Some(*wish);
        }
        Placement::Attached(attachment) => attachment,
    };
    let host = items
        .get(owner(&attachment.to.value))
        .and_then(|host| moved[*host]);
    if wish.is_none() || wish == host.as_ref() {
        // The whole tree is mirrored, not its root alone.
        if host.is_some_and(|host| host.mirror) {
            attachment.mirror = !attachment.mirror;
        }
        return host;
    }
    let (wish, now) = (*wish?, now?);
    if wish.mirror && host == Some(Motion::IDENTITY) {
        let own = sockets.geometry(&format!("{name}.{}", attachment.socket.value))?;
        let target = sockets.geometry(&attachment.to.value)?;
        attachment.mirror = !attachment.mirror;
        let own = socket_after(&now.inverse(), &own);
        let then = facing(&own, &target, attachment.mirror);
        return Some(then.after(&now.inverse()));
    }
    draft.put(item, &wish.after(&now));
    Some(wish)
}

fn channel(
    draft: &mut Draft<'_>,
    item: usize,
    wish: Option<&Motion>,
    items: &FxHashMap<&str, usize>,
    moved: &Moved,
) -> Option<Motion> {
    let width = draft.design.width.0;
    let index = item.checked_sub(draft.design.components.len())?;
    let channel = draft.design.channels.get_mut(index)?;
    let host = |socket: &str| items.get(owner(socket)).and_then(|item| moved[*item]);
    let from = host(&channel.from.value);
    let to = match &channel.to {
        Some(to) => host(&to.value),
        // A free end has no host: it goes where the channel is wished to go, else it stays.
        None => Some(wish.copied().unwrap_or(Motion::IDENTITY)),
    };
    let as_one = from.filter(|_| from == to);
    // Way-points alone can be shifted, but hardly turned between ends that stay.
    let shift = as_one
        .filter(|motion| *motion != Motion::IDENTITY)
        .or(wish.copied().filter(|w| !w.mirror && w.angle == 0.0));
    if let Some(motion) = shift.filter(|motion| *motion != Motion::IDENTITY) {
        for via in &mut channel.via {
            via.value = tidy_point(motion.apply(via.value), width);
        }
    }
    match (as_one, wish) {
        (Some(Motion::IDENTITY), Some(wish)) if *wish != Motion::IDENTITY => None,
        _ => as_one,
    }
}
