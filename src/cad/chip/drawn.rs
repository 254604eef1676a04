//! The part of a chip that has a place: what a workshop makes of a design with links.

use super::{Chip, Port};
use crate::design::Design;
use crate::shape::{Connection, SocketRef};

/// Whether each part of a design's chip lies on the drawing: all but links.
pub fn is_drawn(design: &Design, chip: &Chip) -> Vec<bool> {
    let links: rustc_hash::FxHashSet<&str> = design
        .links
        .iter()
        .map(|link| link.name.value.as_str())
        .collect();
    let item = |name: &str| {
        name.split('/')
            .next()
            .is_some_and(|item| links.contains(item))
    };
    chip.parts.iter().map(|part| !item(&part.name)).collect()
}

/// A chip without its links; sockets that they met become walls, ports at their ends go with them.
pub fn drawn(design: &Design, chip: &Chip) -> Chip {
    let is_drawn = is_drawn(design, chip);
    let mut number = vec![None; chip.parts.len()];
    let mut next = 0;
    for (part, number) in number.iter_mut().enumerate() {
        if is_drawn[part] {
            *number = Some(next);
            next += 1;
        }
    }
    let moved = |at: SocketRef| {
        let part = number.get(at.part).copied().flatten()?;
        Some(SocketRef { part, ..at })
    };
    let connections = chip.connections.iter().filter(|joint| !chip.is_free(joint));
    let connections = connections.filter_map(|joint| {
        let (a, b) = (moved(joint.a)?, moved(joint.b)?);
        Some(Connection { a, b })
    });
    let ports = chip.ports.iter().filter_map(|port| {
        let socket = moved(port.socket)?;
        Some(Port {
            socket,
            ..port.clone()
        })
    });
    let parts = chip
        .parts
        .iter()
        .zip(&is_drawn)
        .filter(|(_, is_drawn)| **is_drawn);
    Chip {
        name: chip.name.clone(),
        parts: parts.map(|(part, _)| part.clone()).collect(),
        connections: connections.collect(),
        ports: ports.collect(),
        ..*chip
    }
}
