//! A rectangular socket's P2 nodes: the developed velocity of unit flow there, and the weights of integrals over the socket.
//!
//! ```text
//! 2L  +--o--+--o--+     r edges across, L layers up; nodes (across, level) at across (2 L + 1) + level, where across
//!     |   \ | /   |     counts the socket's plane nodes from either side
//!     o  x  o  x  o     P2 weights of a rectangle: its side middles o one sixth of it (from either cell), its diagonal's
//!     | /   |   \ |     middle x one third, its corners nothing
//! 0   +--o--+--o--+     P1 weights: the diagonal's ends one third, the other corners one sixth
//! ```

use crate::mesh::Top;
use crate::stokes::boundary::socket::{in_mirror, is_held, mirrored_width};
use stokeslet_cad::shape::WallKind;

use super::{flow_rate, velocity};

#[cfg(test)]
mod tests;

/// How velocity is spread over a rectangular socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DuctProfile {
    /// The exact developed velocity.
    #[default]
    Series,
    /// The product of two parabolas (Ding 2019, section 4.6), which is not developed: it settles within about a width.
    BiQuadratic,
}

impl DuctProfile {
    /// Velocity of unit flow at a point, the inverse square of the unit of length.
    ///
    /// # Shapes and units
    /// - `y` in `[-width/2, width/2]`, `z` in `[-depth/2, depth/2]`; between two side walls that slip the width is infinite, and
    ///   the velocity that of flow between floor and ceiling, up to a factor
    pub fn velocity(self, width: f64, depth: f64, y: f64, z: f64) -> f64 {
        match self {
            _ if width.is_infinite() => {
                let t = 2.0 * z / depth;
                1.5 / depth * ((1.0 - t) * (1.0 + t)).max(0.0)
            }
            Self::Series => velocity(width, depth, y, z) / flow_rate(width, depth),
            Self::BiQuadratic => {
                let parabola = |x: f64, size: f64| {
                    let t = 2.0 * x / size;
                    1.5 / size * ((1.0 - t) * (1.0 + t)).max(0.0)
                };
                parabola(y, width) * parabola(z, depth)
            }
        }
    }
}

/// The grid of a socket's P2 nodes, triangulated as [`crate::mesh::extrude()`] does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SocketGrid {
    /// Edges across, even, at least 2.
    pub resolution: u32,
    /// Layers through the meshed depth, at least 1.
    pub layers: u32,
    /// Across, in any unit of length.
    pub width: f64,
    /// Depth of the layers, in that unit: half the channel's under [`Top::Symmetry`].
    pub depth: f64,
    /// What bounds the last level.
    pub top: Top,
    /// The walls at the first and at the last node across.
    pub walls: [WallKind; 2],
}

impl SocketGrid {
    /// Number of P2 nodes.
    pub fn n_nodes(&self) -> usize {
        (2 * self.resolution as usize + 1) * (2 * self.layers as usize + 1)
    }

    /// Inward velocity at every node for unit flow into the channel, the inverse square of the unit of length.
    ///
    /// Zero on walls that hold the fluid. Scaled so that the P2 interpolant carries unit flow exactly: 1 over all of the channel, so 1/2 over a
    /// meshed half.
    pub fn profile(&self, profile: DuctProfile) -> Vec<f64> {
        let (channel_depth, carries) = match self.top {
            Top::Wall => (self.depth, 1.0),
            Top::Symmetry => (2.0 * self.depth, 0.5),
        };
        let (across, levels) = (2 * self.resolution, 2 * self.layers);
        let mut values: Vec<f64> = (0..=across)
            .flat_map(|i| (0..=levels).map(move |k| (i, k)))
            .map(|(i, k)| {
                let closed = k == levels && self.top == Top::Wall;
                if is_held(self.walls, i, across + 1) || k == 0 || closed {
                    return 0.0;
                }
                // From the nearer side and wall: mirror images to the last bit.
                let k = match self.top {
                    Top::Wall => k.min(levels - k),
                    Top::Symmetry => k,
                };
                let y = match mirrored_width(self.walls) {
                    1.0 => self.width * (f64::from(i.min(across - i)) / f64::from(across) - 0.5),
                    _ => {
                        let t = 2.0 * f64::from(i) / f64::from(across) - 1.0;
                        self.width * in_mirror(self.walls, t)
                    }
                };
                let z = self.depth * f64::from(k) / f64::from(levels) - channel_depth / 2.0;
                profile.velocity(self.width * mirrored_width(self.walls), channel_depth, y, z)
            })
            .collect();
        let carried: f64 = values.iter().zip(self.weights()).map(|(v, w)| v * w).sum();
        values.iter_mut().for_each(|v| *v *= carries / carried);
        values
    }

    /// Integral over the socket of every node's P2 basis function, the square of the unit of length.
    pub fn weights(&self) -> Vec<f64> {
        let rectangle = self.rectangle();
        let mut weights = vec![0.0; self.n_nodes()];
        self.rectangles(|j, l| {
            for (i, k, share) in [
                (0, 1, 6.0),
                (2, 1, 6.0),
                (1, 0, 6.0),
                (1, 2, 6.0),
                (1, 1, 3.0),
            ] {
                weights[self.index(2 * j + i, 2 * l + k)] += rectangle / share;
            }
        });
        weights
    }

    /// Integral over the socket of every node's P1 basis function; zero at edge middles.
    pub fn p1_weights(&self) -> Vec<f64> {
        let rectangle = self.rectangle();
        let mut weights = vec![0.0; self.n_nodes()];
        self.rectangles(|j, l| {
            // Diagonals run up towards the middle of the socket, mirrored in the upper half between walls.
            let mirrored = self.top == Top::Wall && 2 * l >= self.layers;
            let to_next = (2 * j < self.resolution) != mirrored;
            for (i, k) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
                let share = if (i == k) == to_next { 3.0 } else { 6.0 };
                weights[self.index(2 * j + i, 2 * l + k)] += rectangle / share;
            }
        });
        weights
    }

    fn index(&self, across: u32, level: u32) -> usize {
        across as usize * (2 * self.layers as usize + 1) + level as usize
    }

    /// Area of one rectangle.
    fn rectangle(&self) -> f64 {
        self.width / f64::from(self.resolution) * (self.depth / f64::from(self.layers))
    }

    fn rectangles(&self, mut each: impl FnMut(u32, u32)) {
        for j in 0..self.resolution {
            (0..self.layers).for_each(|l| each(j, l));
        }
    }
}
