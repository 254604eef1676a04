//! Sockets that meet each other, ports or nothing, numbered: connections first, then ports, then closed ends.

use super::{Interface, Meets, PartError, Placed, Port};
use crate::mesh::MeshError;
use crate::stokes::section::NONE;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::shape::{Connection, SocketRef};

/// The part of a socket, and its number in the canonical shape.
fn find(placed: &[Placed], s: SocketRef) -> Result<(u32, u32), PartError> {
    let socket = placed
        .get(s.part)
        .and_then(|p| p.canonical.socket_of.iter().position(|&k| k == s.socket));
    let socket = socket.ok_or(PartError {
        part: s.part.min(placed.len().saturating_sub(1)),
        error: MeshError::UnknownSocket { socket: s.socket }.into(),
    })?;
    Ok((s.part as u32, socket as u32))
}

/// Numbers all sockets: connections first, then ports, then closed ends.
pub(super) fn interfaces(
    chip: &Chip,
    placed: &mut [Placed],
    resolution: u32,
) -> Result<Vec<Interface>, PartError> {
    let mut out: Vec<Interface> = Vec::new();
    let unit = |placed: &[Placed], (part, socket): (u32, u32)| {
        let p = &placed[part as usize];
        let own = p.canonical.socket_of[socket as usize];
        chip.parts[part as usize].shape.sockets()[own].width / f64::from(resolution)
    };
    let is_step = |c: &Connection| chip.depth_ratio(c.a.part) != chip.depth_ratio(c.b.part);
    let mut n_free = 0;
    for c in &chip.connections {
        let (a, b) = (find(placed, c.a)?, find(placed, c.b)?);
        let is_strip = |s: (u32, u32)| placed[s.0 as usize].canonical.shape.is_strip();
        let owner = if (is_strip(a), a) <= (is_strip(b), b) {
            a
        } else {
            b
        };
        for s in [a, b] {
            placed[s.0 as usize].interfaces[s.1 as usize] = out.len() as u32;
        }
        out.push(Interface {
            owner,
            unit: unit(placed, owner),
            depth: chip.depth_ratio(owner.0 as usize),
            meets: Meets::Part,
            free: (chip.is_free(c) || is_step(c)).then(|| {
                n_free += 1;
                n_free - 1
            }),
        });
    }
    for (k, port) in chip.ports.iter().enumerate() {
        let s = find(placed, port.socket)?;
        placed[s.0 as usize].interfaces[s.1 as usize] = out.len() as u32;
        out.push(Interface {
            owner: s,
            unit: unit(placed, s),
            depth: chip.depth_ratio(s.0 as usize),
            meets: Meets::Port(k as u32),
            free: None,
        });
    }
    for part in 0..placed.len() {
        for socket in 0..placed[part].interfaces.len() {
            if placed[part].interfaces[socket] == NONE {
                placed[part].interfaces[socket] = out.len() as u32;
                let owner = (part as u32, socket as u32);
                let own = placed[part].canonical.socket_of[socket];
                let chip_part = &chip.parts[part];
                let kind = chip_part.walls.kind(chip_part.shape.edge_of(own));
                out.push(Interface {
                    owner,
                    unit: unit(placed, owner),
                    depth: chip.depth_ratio(part),
                    meets: Meets::Wall(kind),
                    free: None,
                });
            }
        }
    }
    Ok(out)
}

pub(super) fn ports(chip: &Chip, placed: &[Placed]) -> Vec<Port> {
    chip.ports
        .iter()
        .filter_map(|port| {
            let (part, socket) = find(placed, port.socket).ok()?;
            let shape = &chip.parts[part as usize];
            let place = shape.shape.sockets()[port.socket.socket];
            Some(Port {
                interface: placed[part as usize].interfaces[socket as usize],
                outward: shape.motion.rotate(Point::unit(place.direction)),
                middle: shape.motion.apply(place.middle),
                width: place.width,
                walls: Default::default(),
            })
        })
        .collect()
}
