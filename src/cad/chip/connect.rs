//! Joins sockets by name, and checks that those that meet agree in place, direction and width.

use std::f64::consts::PI;
use std::ops::Range;

use rstar::RTree;
use rstar::primitives::GeomWithData;
use rustc_hash::FxHashMap;

use super::assembly::{Assembly, normalise};
use super::channel::{DIRECTION_TOLERANCE, PLACE_TOLERANCE};
use super::fault::{abridge, error, show_angle, show_length};
use crate::shape::{Connection, SocketRef};

use crate::design::{Design, Spanned};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, nearest};

/// A connection and where the design asks for it.
#[derive(Debug)]
pub(super) struct Joint {
    /// The two sockets.
    pub connection: Connection,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// Whether the two needn't lie on each other.
    pub is_free: bool,
}

/// A component's outer socket.
#[derive(Debug)]
pub(super) struct Named {
    /// Its own name, without the component's.
    pub name: String,
    /// Index into [`Assembly::names`].
    pub item: usize,
    /// Where it is.
    pub socket: SocketRef,
}

/// Joins the pairs under `[connections]`, then checks all connections and looks for missing ones.
pub(super) fn connect(design: &Design, assembly: &mut Assembly, out: &mut Reporter) {
    for pair in &design.connections {
        let ends = [&pair.a, &pair.b].map(|name| find_socket(name, "", assembly));
        match ends {
            [Ok(a), Ok(b)] => {
                assembly.joints.push(Joint {
                    connection: Connection { a, b },
                    span: pair.a.span.start..pair.b.span.end,
                    is_free: false,
                });
            }
            ends => out
                .diagnostics
                .extend(ends.into_iter().filter_map(Result::err).flatten()),
        }
    }
    let mut disagreeing = Vec::new();
    let mut joined: FxHashMap<SocketRef, usize> = FxHashMap::default();
    joined.reserve(2 * assembly.joints.len());
    for (k, joint) in assembly.joints.iter().enumerate() {
        let Connection { a, b } = joint.connection;
        if let Some(&other) = joined.get(&a).or(joined.get(&b)).filter(|_| a != b) {
            let shared = if joined.contains_key(&a) { a } else { b };
            let earlier = assembly.joints[other].connection;
            let partner = if earlier.a == shared {
                earlier.b
            } else {
                earlier.a
            };
            let message = format!(
                "{} is connected twice: already to {}",
                show_socket(assembly, shared),
                show_socket(assembly, partner)
            );
            let help = Some(
                "a socket has one partner; join more channels with a `tee`, `cross` or `junction`"
                    .to_owned(),
            );
            out.report(error(
                "D223",
                &joint.span,
                &assembly.owner(a.part).value,
                message,
                help,
            ));
            continue;
        }
        if a == b {
            let message = format!("{} is connected to itself", show_socket(assembly, a));
            let help = Some("name two different sockets".to_owned());
            out.report(error(
                "D223",
                &joint.span,
                &assembly.owner(a.part).value,
                message,
                help,
            ));
            continue;
        }
        joined.insert(a, k);
        joined.insert(b, k);
        if !check_agreement(joint, assembly, out) {
            disagreeing.push((a.part, b.part));
        }
    }
    check_missing(&joined, assembly, out);
    assembly.disagreeing = disagreeing;
}

/// Whether sockets that meet agree in width, place and direction; the first disagreement is reported.
fn check_agreement(joint: &Joint, assembly: &Assembly, out: &mut Reporter) -> bool {
    let Connection { a, b } = joint.connection;
    let (socket_a, socket_b) = (assembly.geometry(a), assembly.geometry(b));
    let width = socket_a.width.min(socket_b.width);
    let gap = (socket_a.middle - socket_b.middle).norm();
    let bend = normalise(socket_a.direction - socket_b.direction + PI).abs();
    let names = || (show_socket(assembly, a), show_socket(assembly, b));
    let (code, message, help) = if (socket_a.width - socket_b.width).abs() > PLACE_TOLERANCE * width
    {
        let ((a, b), widths) = (names(), [socket_a.width, socket_b.width].map(show_length));
        let message = format!("{a} is {} wide, but {b} is {} wide", widths[0], widths[1]);
        (
            "D222",
            message,
            "give both the same width, or put a `taper` or `step` between",
        )
    } else if joint.is_free {
        return true;
    } else if gap > PLACE_TOLERANCE * width {
        let (a, b) = names();
        let message = format!(
            "{a} and {b} don't meet: they are {} apart",
            show_length(gap)
        );
        (
            "D220",
            message,
            "attach one component to the other, or draw a channel between them",
        )
    } else if bend > DIRECTION_TOLERANCE {
        let ((a, b), directions) = (
            names(),
            [socket_a.direction, socket_b.direction].map(show_angle),
        );
        let message = format!(
            "{a} looks along {}, but {b} looks along {}",
            directions[0], directions[1]
        );
        (
            "D221",
            message,
            "sockets that meet look in opposite directions: rotate or mirror one component",
        )
    } else {
        return true;
    };
    out.report(error(
        code,
        &joint.span,
        &assembly.owner(a.part).value,
        message,
        Some(help.to_owned()),
    ));
    false
}

/// Outer sockets that lie on each other, face to face, without a connection.
fn check_missing(joined: &FxHashMap<SocketRef, usize>, assembly: &Assembly, out: &mut Reporter) {
    let entries = assembly
        .sockets
        .iter()
        .enumerate()
        .filter(|(_, named)| !joined.contains_key(&named.socket));
    let entries = entries.map(|(k, named)| {
        let at = assembly.geometry(named.socket).middle;
        GeomWithData::new([at.x, at.y], k)
    });
    let tree = RTree::bulk_load(entries.collect());
    for entry in &tree {
        let (k, named) = (entry.data, &assembly.sockets[entry.data]);
        let socket = assembly.geometry(named.socket);
        let radius = PLACE_TOLERANCE * socket.width;
        for near in tree
            .locate_within_distance(*entry.geom(), radius * radius)
            .filter(|near| near.data > k)
        {
            let other = &assembly.sockets[near.data];
            let facing =
                normalise(socket.direction - assembly.geometry(other.socket).direction + PI);
            let sheets = [named, other].map(|named| assembly.sheet(named.socket.part));
            if facing.abs() > DIRECTION_TOLERANCE || sheets[0] != sheets[1] {
                continue;
            }
            let (a, b) = (assembly.full_name(named), assembly.full_name(other));
            let message = format!("sockets `{a}` and `{b}` lie on each other but aren't connected");
            let help = format!("add [\"{a}\", \"{b}\"] to `pairs` under [connections]");
            let name = assembly.names[other.item];
            out.report(error("D226", &name.span, &name.value, message, Some(help)));
        }
    }
}

/// The socket that `component.socket` names.
///
/// # Errors
/// D208, D202, D203; no diagnostic at all where the component is known but could not be placed.
pub(super) fn find_socket(
    name: &Spanned<String>,
    asking: &str,
    assembly: &Assembly,
) -> Result<SocketRef, Vec<Diagnostic>> {
    let Some((component, socket)) = name.value.rsplit_once('.') else {
        let message = format!("`{}` names no socket", name.value);
        let help = Some("sockets are written `component.socket`".to_owned());
        return Err(vec![error("D208", &name.span, asking, message, help)]);
    };
    if let Some(found) = assembly.socket(component, socket) {
        return Ok(found);
    }
    let asking = if asking.is_empty() { component } else { asking };
    let Some(item) = assembly
        .names
        .iter()
        .position(|known| known.value == component)
    else {
        let help = nearest(
            component,
            assembly.names.iter().map(|known| known.value.as_str()),
        )
        .map(|known| format!("did you mean `{known}`?"));
        let message = format!("there is no component or channel `{component}`");
        return Err(vec![error("D202", &name.span, asking, message, help)]);
    };
    let mut its_sockets = assembly
        .sockets
        .iter()
        .filter(|named| named.item == item)
        .map(|named| named.name.as_str());
    if its_sockets.clone().next().is_none() && !assembly.links.contains(&item) {
        return Err(Vec::new());
    }
    let help = sockets_help(socket, &mut its_sockets);
    Err(vec![error(
        "D203",
        &name.span,
        asking,
        format!("`{component}` has no socket `{socket}`"),
        help,
    )])
}

/// What to write instead of a socket that isn't there.
pub(super) fn sockets_help<'a>(
    wanted: &str,
    sockets: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let sockets: Vec<&str> = sockets.collect();
    let all: Vec<String> = sockets.iter().map(|socket| format!("`{socket}`")).collect();
    let all = format!("its sockets are {}", abridge(&all, ", "));
    match nearest(wanted, sockets) {
        Some(near) => Some(format!("did you mean `{near}`? {all}")),
        None => Some(all),
    }
}

/// `component.socket` for an outer socket, the part's name for an inner one.
fn show_socket(assembly: &Assembly, socket: SocketRef) -> String {
    match assembly.sockets.iter().find(|named| named.socket == socket) {
        Some(named) => format!("socket `{}`", assembly.full_name(named)),
        None => format!(
            "socket {} of `{}`",
            socket.socket, assembly.parts[socket.part].name
        ),
    }
}
