//! What a chip is made of, before it is placed: strips and polygons with sockets, and how sockets are joined. All in SI.

pub mod gaps;
mod holes;
mod walls;

pub use holes::Hole;
pub use walls::{LEFT_WALL, RIGHT_WALL, WallKind, Walls};

use stokeslet_base::geometry::{Motion, Point};

/// A channel-like piece between two sockets, cut into slices across the flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strip {
    /// From the origin along +x. Socket 0 is at x = 0 and looks to -x, socket 1 at x = `length` and looks to +x.
    /// Its width goes linearly from `width_start` to `width_end`.
    Straight {
        /// Length along x, m.
        length: f64,
        /// Width at x = 0, m.
        width_start: f64,
        /// Width at x = `length`, m.
        width_end: f64,
    },
    /// A circular arc that starts at the origin along +x and turns left about (0, radius).
    /// Socket 0 is at the origin and looks to -x, socket 1 is at the end. (Mirror the part for a right turn.)
    Arc {
        /// Radius of the centre line, m; greater than half the width.
        radius: f64,
        /// Turned, rad; in (0, 2 pi).
        angle: f64,
        /// Across, m.
        width: f64,
    },
}

/// The geometry of one part in its own frame, m. Parts are the leaves of components: composed components were taken apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// See [`Strip`]; sockets 0 and 1.
    Strip(Strip),
    /// A simple polygon, counter-clockwise, with or without posts in it.
    Polygon {
        /// Corners, counter-clockwise, no two alike.
        corners: Vec<Point>,
        /// Socket k is the edge from `corners[sockets[k]]` to the next corner.
        sockets: Vec<usize>,
        /// What the fluid flows around: inside, apart from the outline and from each other.
        holes: Vec<Hole>,
    },
}

/// A socket of a part in the frame of its shape: an edge that another part can meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Socket {
    /// Middle of the edge, m.
    pub middle: Point,
    /// Outward direction, rad.
    pub direction: f64,
    /// Length of the edge, m.
    pub width: f64,
}

impl Shape {
    /// The edge that a socket is, as [`Walls`] counts them.
    pub fn edge_of(&self, socket: usize) -> usize {
        match self {
            Shape::Strip(_) => [3, 1][socket.min(1)],
            Shape::Polygon { sockets, .. } => sockets[socket],
        }
    }

    /// Its posts: none but in polygons.
    pub fn holes(&self) -> &[Hole] {
        match self {
            Shape::Strip(_) => &[],
            Shape::Polygon { holes, .. } => holes,
        }
    }

    /// The edges of its outline that are no socket: its walls but for those of posts.
    pub fn wall_edges(&self) -> Vec<usize> {
        match self {
            Shape::Strip(_) => vec![RIGHT_WALL, LEFT_WALL],
            Shape::Polygon {
                corners, sockets, ..
            } => {
                let edges = 0..corners.len();
                edges.filter(|edge| !sockets.contains(edge)).collect()
            }
        }
    }

    /// The sockets of this shape, in its own frame.
    pub fn sockets(&self) -> Vec<Socket> {
        use std::f64::consts::PI;
        match self {
            Shape::Strip(Strip::Straight {
                length,
                width_start,
                width_end,
            }) => vec![
                Socket {
                    middle: Point::new(0.0, 0.0),
                    direction: PI,
                    width: *width_start,
                },
                Socket {
                    middle: Point::new(*length, 0.0),
                    direction: 0.0,
                    width: *width_end,
                },
            ],
            Shape::Strip(Strip::Arc {
                radius,
                angle,
                width,
            }) => vec![
                Socket {
                    middle: Point::new(0.0, 0.0),
                    direction: PI,
                    width: *width,
                },
                Socket {
                    middle: Point::new(0.0, *radius) + Point::unit(angle - PI / 2.0) * *radius,
                    direction: *angle,
                    width: *width,
                },
            ],
            Shape::Polygon {
                corners, sockets, ..
            } => sockets
                .iter()
                .map(|&k| {
                    let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                    Socket {
                        middle: (a + b) * 0.5,
                        direction: (-(b - a).left()).angle(),
                        width: (b - a).norm(),
                    }
                })
                .collect(),
        }
    }
}

/// A placed leaf of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Path of names, such as `mixer/bend3`; unique in the chip.
    pub name: String,
    /// The shape in its own frame.
    pub shape: Shape,
    /// Where it lies: `chip_from_part`.
    pub motion: Motion,
    /// What its walls do to the fluid.
    pub walls: Walls,
    /// Its own depth, m; without one it is as deep as the chip.
    pub depth: Option<f64>,
}

/// One socket of one part, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketRef {
    /// Index into the parts of a [chip](crate::chip::Chip::parts).
    pub part: usize,
    /// Index into the part's [`Shape::sockets`].
    pub socket: usize,
}

/// Two sockets joined: same place, opposite directions, same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// One side.
    pub a: SocketRef,
    /// The other side.
    pub b: SocketRef,
}
