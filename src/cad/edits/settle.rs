//! After a change: channels whose sockets went elsewhere are routed anew, connections follow what meets and what parted.
//!
//! Nothing that was broken before and didn't move is touched: what a user left half done stays as it is.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::Draft;
use super::keep_lines::keep_lines;
use super::obstacles::Obstacles;
use super::sockets::{Sockets, meet, same_socket, same_width};
use super::{RouteEnd, RouteTask, auto_route, diff};
use crate::chip::{LaidSocket, Layout, PLACE_TOLERANCE, SocketUse, channel_parts};
use crate::design::{Channel, Spanned};
use crate::shape::Socket;
use stokeslet_base::geometry::Point;

/// Components may hang on ends of channels that hang on components: so many times the mending starts over.
const ROUNDS: usize = 12;

/// Mends channels and connections of a draft; where everything lies then.
pub(super) fn settle(draft: &mut Draft<'_>) -> Layout {
    let before = Sockets::of(draft.from.layout);
    let mut after = draft.lay_out();
    let mut tried = FxHashSet::default();
    for _ in 0..ROUNDS {
        if !mend_channels(draft, &before, &after, &mut tried) {
            break;
        }
        after = draft.lay_out();
    }
    let is_changed = {
        let sockets = Sockets::of(&after);
        let parted = part_pairs(draft, &before, &sockets);
        join_pairs(draft, &before, &sockets) || parted
    };
    if is_changed {
        return draft.lay_out();
    }
    after
}

/// Routes channels that no longer fit their sockets; whether any was changed.
fn mend_channels(
    draft: &mut Draft<'_>,
    before: &Sockets<'_>,
    after: &Layout,
    tried: &mut FxHashSet<String>,
) -> bool {
    let sockets = Sockets::of(after);
    let old = draft.from.design.channels.iter();
    let old: FxHashMap<&str, &Channel> = old.map(|c| (c.name.value.as_str(), c)).collect();
    let mut obstacles = None;
    let mut changed = false;
    for k in 0..draft.design.channels.len() {
        let channel = &draft.design.channels[k];
        let Some((from, to)) = ends(channel, &sockets) else {
            continue;
        };
        if tried.contains(&channel.name.value)
            || !is_touched(&old, channel, before, &sockets)
            || channel_parts(channel, &from, to.as_ref()).is_ok()
        {
            continue;
        }
        tried.insert(channel.name.value.clone());
        let obstacles = obstacles.get_or_insert_with(|| Obstacles::of(after));
        if let Some(via) = reroute(channel, &from, to.as_ref(), obstacles) {
            let channel = &mut draft.design.channels[k];
            channel.via = via.into_iter().map(Spanned::nowhere).collect();
            if let Ok(parts) = channel_parts(channel, &from, to.as_ref()) {
                obstacles.add(&parts);
            }
            changed = true;
        }
    }
    changed
}

/// The sockets that a channel runs between, where both are placed.
fn ends(channel: &Channel, sockets: &Sockets<'_>) -> Option<(Socket, Option<Socket>)> {
    let from = sockets.geometry(&channel.from.value)?;
    let to = match &channel.to {
        Some(to) => Some(sockets.geometry(&to.value)?),
        None => None,
    };
    Some((from, to))
}

/// Whether the draft changed a channel, or where it runs between.
fn is_touched(
    old: &FxHashMap<&str, &Channel>,
    channel: &Channel,
    before: &Sockets<'_>,
    after: &Sockets<'_>,
) -> bool {
    let old = old.get(channel.name.value.as_str());
    let unchanged = old.is_some_and(|old| diff::same_channel(old, channel));
    let ends = std::iter::once(&channel.from).chain(&channel.to);
    !unchanged || ends.into_iter().any(|end| moved(&end.value, before, after))
}

/// Whether a socket is elsewhere, or new.
fn moved(socket: &str, before: &Sockets<'_>, after: &Sockets<'_>) -> bool {
    match (before.geometry(socket), after.geometry(socket)) {
        (Some(before), Some(after)) => !same_socket(&before, &after),
        (before, after) => before.is_some() != after.is_some(),
    }
}

/// New way-points: those of the user, shifted along their own lines, if that gives a channel; else the shortest way.
pub(super) fn reroute(
    channel: &Channel,
    from: &Socket,
    to: Option<&Socket>,
    obstacles: &Obstacles,
) -> Option<Vec<Point>> {
    let via: Vec<Point> = channel.via.iter().map(|v| v.value).collect();
    let fits = |via: &[Point]| {
        let mut channel = channel.clone();
        channel.via = via.iter().copied().map(Spanned::nowhere).collect();
        channel_parts(&channel, from, to).is_ok()
    };
    if let Some(kept) = keep_lines(from, to, &via).filter(|kept| fits(kept)) {
        return Some(kept);
    }
    let to = match (to, via.last()) {
        (Some(to), _) => RouteEnd::Socket(*to),
        (None, Some(end)) => RouteEnd::Free(*end),
        (None, None) => return None,
    };
    let task = RouteTask {
        from: *from,
        to,
        width: channel.width.map_or(from.width, |width| width.0),
        bend: channel.bend,
    };
    auto_route(&task, obstacles)
}

/// Ends the pairs of [connections] whose sockets parted; whether there were any.
fn part_pairs(draft: &mut Draft<'_>, before: &Sockets<'_>, after: &Sockets<'_>) -> bool {
    let n = draft.design.connections.len();
    draft.design.connections.retain(|pair| {
        let (a, b) = (pair.a.value.as_str(), pair.b.value.as_str());
        let (Some(socket_a), Some(socket_b)) = (after.geometry(a), after.geometry(b)) else {
            return true;
        };
        meet(&socket_a, &socket_b)
            || !same_width(socket_a.width, socket_b.width)
            || !(moved(a, before, after) || moved(b, before, after))
    });
    draft.design.connections.len() < n
}

/// Connects free sockets that came to lie on each other; whether there were any.
fn join_pairs(draft: &mut Draft<'_>, before: &Sockets<'_>, after: &Sockets<'_>) -> bool {
    let layout = after.layout;
    let mut free: Vec<(&LaidSocket, Socket)> = layout
        .sockets
        .iter()
        // Of two items of one name, which is a mistake, the first.
        .filter(|socket| layout.item(&layout.items[socket.item]) == Some(socket.item))
        .filter(|socket| socket.used == SocketUse::Free)
        .map(|socket| (socket, socket.geometry))
        .filter(|(_, socket)| socket.middle.x.is_finite() && socket.middle.y.is_finite())
        .collect();
    free.sort_by(|(socket, a), (other, b)| {
        let by_item = || layout.items[socket.item].cmp(&layout.items[other.item]);
        let by_place = a.middle.x.total_cmp(&b.middle.x).then_with(by_item);
        by_place.then_with(|| socket.name.cmp(&other.name))
    });
    // What one partner has left another may have, that lay there all the time.
    let is_new = |socket: &LaidSocket| {
        let old = before.of_item(&layout.items[socket.item], &socket.name);
        old.is_none_or(|old| {
            old.used != SocketUse::Free || !same_socket(&old.geometry, &socket.geometry)
        })
    };
    let is_new: Vec<bool> = free.iter().map(|(socket, _)| is_new(socket)).collect();
    // Most of a chip stays where it is: only what is new looks around.
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for k in (0..free.len()).filter(|&k| is_new[k]) {
        let (_, socket) = &free[k];
        let left = free[..k].iter().enumerate().rev();
        let left = left.take_while(|(_, (_, other))| {
            socket.middle.x - other.middle.x <= PLACE_TOLERANCE * socket.width
        });
        let right = free.iter().enumerate().skip(k + 1);
        let right = right.take_while(|(_, (_, other))| {
            other.middle.x - socket.middle.x <= PLACE_TOLERANCE * socket.width
        });
        let met = left
            .chain(right)
            .filter(|(_, (_, other))| meet(socket, other));
        pairs.extend(met.map(|(j, _)| (k.min(j), k.max(j))));
    }
    let mut taken: FxHashSet<usize> = FxHashSet::default();
    for (j, k) in pairs {
        if !taken.contains(&j) && !taken.contains(&k) {
            taken.extend([j, k]);
            let [a, b] = [j, k].map(|at| layout.full_name(free[at].0));
            draft.connect(&a, &b);
        }
    }
    !taken.is_empty()
}
