//! What must hold for any chip that was placed without an error.

use std::collections::HashSet;

use stokeslet::chip::Chip;
use stokeslet::geometry::Point;
use stokeslet::geometry::outline::{first_crossing, signed_area};
use stokeslet::shape::{Shape, Socket, SocketRef};

/// Sockets that meet agree to this part of their width.
const AGREES: f64 = 1e-6;

/// Checks a chip; `text` is where it came from.
pub fn check_chip(chip: &Chip, text: &str) {
    let mut names = HashSet::new();
    for part in &chip.parts {
        assert!(
            names.insert(&part.name),
            "two parts are named {}:\n{text}",
            part.name
        );
        for socket in part.shape.sockets() {
            let numbers = [
                socket.middle.x,
                socket.middle.y,
                socket.direction,
                socket.width,
            ];
            assert!(
                numbers.iter().all(|x| x.is_finite()),
                "{}: {socket:?}\n{text}",
                part.name
            );
            assert!(
                socket.width > 0.0,
                "{} has a socket without width:\n{text}",
                part.name
            );
        }
        if let Shape::Polygon {
            corners, sockets, ..
        } = &part.shape
        {
            assert!(
                signed_area(corners) > 0.0,
                "{} runs clockwise:\n{text}",
                part.name
            );
            assert_eq!(
                first_crossing(corners),
                None,
                "{} meets itself:\n{text}",
                part.name
            );
            assert!(
                sockets.iter().all(|&k| k < corners.len()),
                "{}: sockets are edges\n{text}",
                part.name
            );
        }
    }
    let mut used = HashSet::new();
    let mut use_once = |socket: SocketRef| {
        assert!(
            used.insert(socket),
            "socket {socket:?} serves twice:\n{text}"
        )
    };
    for connection in &chip.connections {
        use_once(connection.a);
        use_once(connection.b);
        let (a, b) = (geometry(chip, connection.a), geometry(chip, connection.b));
        let who = format!(
            "{} and {}",
            chip.parts[connection.a.part].name, chip.parts[connection.b.part].name
        );
        assert!(
            (a.middle - b.middle).norm() <= AGREES * a.width,
            "{who} lie apart:\n{text}"
        );
        assert!(
            (a.width - b.width).abs() <= AGREES * a.width,
            "{who} differ in width:\n{text}"
        );
        let turned = Point::unit(a.direction) + Point::unit(b.direction);
        assert!(turned.norm() <= AGREES, "{who} are askew:\n{text}");
    }
    assert!(!chip.ports.is_empty(), "a chip has ports:\n{text}");
    chip.ports.iter().for_each(|port| use_once(port.socket));
}

/// A socket in the chip's frame.
fn geometry(chip: &Chip, at: SocketRef) -> Socket {
    let part = &chip.parts[at.part];
    let socket = part.shape.sockets()[at.socket];
    Socket {
        middle: part.motion.apply(socket.middle),
        direction: part.motion.turn(socket.direction),
        width: socket.width,
    }
}

/// Cells that a part needs at this resolution, roughly.
fn cells(shape: &Shape, resolution: f64) -> f64 {
    let sockets = shape.sockets();
    let narrowest = sockets
        .iter()
        .map(|socket| socket.width)
        .fold(f64::INFINITY, f64::min);
    let area = match shape {
        Shape::Polygon { corners, .. } => signed_area(corners),
        Shape::Strip(strip) => match *strip {
            stokeslet::shape::Strip::Straight {
                length,
                width_start,
                width_end,
            } => length * width_start.max(width_end),
            stokeslet::shape::Strip::Arc {
                radius,
                angle,
                width,
            } => radius * angle * width,
        },
    };
    2.0 * area * (resolution / narrowest).powi(2)
}

/// Cells that a chip needs at this resolution, roughly.
pub fn size(chip: &Chip, resolution: u32) -> f64 {
    chip.parts
        .iter()
        .map(|part| cells(&part.shape, f64::from(resolution)))
        .sum()
}
