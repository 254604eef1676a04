//! Junctions whose sharp corners lie between pipes, with slices of each pipe added: then the corners lie inside, where meshes are graded.
//!
//! ```text
//!      |   |              |   |
//! -----+   |         ---+-+---+        a socket that ends in a sharp corner moves into its pipe, as far as cells are smaller,
//!      :   |    ->      : .   |        or to half a cell from its middle (: the sockets), so that all
//! -----+---+         ---+-----+        small cells are the junction's
//! ```
//! The chip's channels stay what they are, to the last bit of their union: only where one part ends and the next begins moves. Numbers
//! of parts, sockets, connections and ports stay, too.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

use crate::mesh::Corners;
use crate::mesh::grading::{REACH, inner_angle, is_sharp};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::shape::{Hole, Part, Shape, SocketRef, Strip};

/// The chip with slices of its pipes added to every junction that has sharp corners between them.
///
/// Pipes of one width give; arcs, tapers and pipes shorter than three cells don't, nor do sockets that meet another polygon, nor pipes
/// of another depth, nor parts with walls that slip.
pub fn with_arms<'a>(chip: &'a Chip, resolution: u32, corners: Corners) -> Cow<'a, Chip> {
    if corners == Corners::Plain || chip.model == DepthModel::Full || resolution == 0 {
        return Cow::Borrowed(chip);
    }
    let mut givers: Vec<Vec<Option<SocketRef>>> = chip
        .parts
        .iter()
        .map(|part| match &part.shape {
            Shape::Polygon { sockets, .. } => vec![None; sockets.len()],
            Shape::Strip(_) => Vec::new(),
        })
        .collect();
    for c in chip.connections.iter().filter(|c| !chip.is_free(c)) {
        for (to, from) in [(c.a, c.b), (c.b, c.a)] {
            if gives(chip, from, resolution)
                && chip.depth_of(to.part) == chip.depth_of(from.part)
                && let Some(place) = givers.get_mut(to.part).and_then(|g| g.get_mut(to.socket))
            {
                *place = Some(from);
            }
        }
    }
    let mut out = Cow::Borrowed(chip);
    for (k, part) in chip.parts.iter().enumerate() {
        let Shape::Polygon {
            corners,
            sockets,
            holes,
        } = &part.shape
        else {
            continue;
        };
        // Walls that slip are numbered by their edges, which arms would shift.
        if part.walls.can_slip() {
            continue;
        }
        let given = |socket: usize| givers[k][socket].is_some();
        let wanted = wanted(corners, sockets, &given);
        if !wanted.contains(&true) {
            continue;
        }
        let from = wanted.iter().zip(&givers[k]);
        let from: Vec<Option<SocketRef>> = from.map(|(w, pipe)| pipe.filter(|_| *w)).collect();
        let cells = |pipe: SocketRef| given_cells(&chip.parts[pipe.part], resolution);
        let arms: Vec<Option<f64>> = from.iter().map(|pipe| pipe.and_then(cells)).collect();
        let chip = out.to_mut();
        chip.parts[k].shape = extended((corners, sockets, holes), &arms, resolution);
        for (pipe, cells) in from.into_iter().zip(arms) {
            if let (Some(pipe), Some(cells)) = (pipe, cells) {
                shorten(chip, pipe, cells, resolution);
            }
        }
    }
    out
}

/// Whether the part at a socket can give slices away there.
fn gives(chip: &Chip, from: SocketRef, resolution: u32) -> bool {
    let part = chip.parts.get(from.part);
    part.is_some_and(|part| given_cells(part, resolution).is_some())
}

/// How many cells a part gives away at each of its ends, if it can.
fn given_cells(part: &Part, resolution: u32) -> Option<f64> {
    let Shape::Strip(Strip::Straight {
        length,
        width_start,
        width_end,
    }) = &part.shape
    else {
        return None;
    };
    let is_even = (width_start - width_end).abs() <= 1e-9 * width_start;
    if part.walls.can_slip() || !is_even {
        return None;
    }
    let length = length / width_start * f64::from(resolution);
    let most = (0.5 * (length - 1.0) + 1e-6).floor();
    (most >= 1.0).then(|| (REACH * f64::from(resolution)).ceil().min(most))
}

/// Which sockets end in a corner that is sharp once their pipes, and those beside them, are taken as walls that go on straight.
fn wanted(corners: &[Point], sockets: &[usize], given: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let n = corners.len();
    let at_edge = |edge: usize| sockets.iter().position(|&s| s == edge);
    let mut wanted = vec![false; sockets.len()];
    for corner in 0..n {
        let beside = [(corner + n - 1) % n, corner].map(at_edge);
        let pipes: Vec<usize> = beside.into_iter().flatten().collect();
        // All around the corner must become the junction's, or it stays on a socket.
        if pipes.is_empty() || !pipes.iter().all(|&s| given(s)) {
            continue;
        }
        let angle = inner_angle(corners, corner) + FRAC_PI_2 * pipes.len() as f64;
        if is_sharp(angle) {
            pipes.iter().for_each(|&s| wanted[s] = true);
        }
    }
    wanted
}

/// An outline with some of its sockets moved outward by so many of their cells.
fn extended(
    (corners, sockets, holes): (&[Point], &[usize], &[Hole]),
    arms: &[Option<f64>],
    resolution: u32,
) -> Shape {
    let n = corners.len();
    let mut out = Vec::with_capacity(2 * n);
    let mut moved = sockets.to_vec();
    for (k, &a) in corners.iter().enumerate() {
        out.push(a);
        let Some(socket) = sockets.iter().position(|&s| s == k) else {
            continue;
        };
        moved[socket] = out.len() - 1;
        if let Some(cells) = arms[socket] {
            let b = corners[(k + 1) % n];
            let outward = -(b - a).left() * (cells / f64::from(resolution));
            moved[socket] = out.len();
            out.extend([a + outward, b + outward]);
        }
    }
    Shape::Polygon {
        corners: out,
        sockets: moved,
        holes: holes.to_vec(),
    }
}

/// Takes some cells from a pipe at one of its sockets; the rest stays where it is.
fn shorten(chip: &mut Chip, at: SocketRef, cells: f64, resolution: u32) {
    let part = &mut chip.parts[at.part];
    if let Shape::Strip(Strip::Straight {
        length,
        width_start,
        ..
    }) = &mut part.shape
    {
        let by = *width_start * cells / f64::from(resolution);
        *length -= by;
        if at.socket == 0 {
            part.motion.translation = part.motion.apply(Point::new(by, 0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::geometry::Motion;
    use stokeslet_base::geometry::outline::signed_area;
    use stokeslet_cad::shape::Connection;

    /// A square of width 1 with pipes of 4 at its left and upper side, the second one joined by its end.
    fn bend(length: f64) -> Chip {
        let part = |name: &str, shape, angle, x, y| Part {
            name: name.into(),
            shape,
            walls: Default::default(),
            motion: Motion::new(angle, Point::new(x, y)),
            depth: None,
        };
        let pipe = Shape::Strip(Strip::Straight {
            length,
            width_start: 1.0,
            width_end: 1.0,
        });
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let square = Shape::Polygon {
            corners: corners.map(|(x, y)| Point::new(x, y)).to_vec(),
            sockets: vec![3, 2],
            holes: Vec::new(),
        };
        let up = std::f64::consts::FRAC_PI_2;
        let join = |a: (usize, usize), b: (usize, usize)| Connection {
            a: SocketRef {
                part: a.0,
                socket: a.1,
            },
            b: SocketRef {
                part: b.0,
                socket: b.1,
            },
        };
        Chip {
            name: "bend".into(),
            viscosity: 1.0,
            model: DepthModel::Planar,
            depth: None,
            parts: vec![
                part("bend", square, 0.0, 0.0, 0.0),
                part("left", pipe.clone(), 0.0, -length, 0.5),
                part("up", pipe, up, 0.5, 1.0),
            ],
            connections: vec![join((0, 0), (1, 1)), join((2, 0), (0, 1))],
            ports: vec![],
        }
    }

    #[test]
    fn sockets_at_sharp_corners_move_into_their_pipes_and_nothing_is_lost() {
        let chip = bend(4.0);
        let made = with_arms(&chip, 8, Corners::Graded);
        let Shape::Polygon { corners, .. } = &made.parts[0].shape else {
            panic!("stays a polygon");
        };
        assert!(
            (signed_area(corners) - 2.25).abs() < 1e-12,
            "five slices of each pipe more"
        );
        for part in &made.parts[1..] {
            assert_eq!(part.shape.sockets()[1].middle.x, 3.375);
        }
        for joint in &made.connections {
            assert!(!made.is_free(joint), "sockets still lie on each other");
        }
        let sharp = crate::mesh::grading::sharp_corners;
        let Shape::Polygon {
            corners, sockets, ..
        } = &made.parts[0].shape
        else {
            panic!("stays a polygon");
        };
        assert_eq!(sharp(corners, sockets).len(), 1);
    }

    #[test]
    fn short_pipes_give_nothing_and_plain_corners_want_nothing() {
        let plain = bend(4.0);
        assert!(matches!(
            with_arms(&plain, 8, Corners::Plain),
            Cow::Borrowed(_)
        ));
        let short = bend(0.3);
        assert!(matches!(
            with_arms(&short, 8, Corners::Graded),
            Cow::Borrowed(_)
        ));
        let mut port = bend(4.0);
        port.connections.pop();
        assert!(
            matches!(with_arms(&port, 8, Corners::Graded), Cow::Borrowed(_)),
            "a corner beside an open socket is none"
        );
    }
}
