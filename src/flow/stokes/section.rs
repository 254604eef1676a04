//! Unknowns across a channel: the nodes of a socket, over the depth where there is one, and which unknowns they carry.
//!
//! Every socket has `2r + 1` nodes across and, in three dimensions, `2L + 1` levels over the solved depth. All sockets of a chip
//! have one numbering: velocities node by node in the socket's own frame (outward, left of outward, up), then pressures.
//!
//! Where some wall of the chip slips, the nodes at both ends of a socket have velocities too, along the walls there; a part whose wall holds
//! the fluid has none, and what one of two parts doesn't have is zero. Lines within a strip have ends like the strip's walls.

use super::boundary::Components;
pub use crate::mesh::Top;
use stokeslet_fronts::Image;

/// Numbers the unknowns of a socket.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Space dimension, 2 or 3.
    pub dimension: usize,
    /// Cells across.
    pub resolution: u32,
    /// Layers of cells over the depth; 0 in two dimensions.
    pub layers: u32,
    /// Above.
    pub top: Top,
    /// Components that are unknown at the first and the last node across.
    pub ends: [Components; 2],
    velocity_at: Vec<u32>,
    pressure_at: Vec<u32>,
    /// Unknowns of a socket.
    pub n: usize,
    /// Velocities of a socket; they come first.
    pub n_velocity: usize,
}

/// No unknown.
pub const NONE: u32 = u32::MAX;

impl Section {
    /// The section of a plane chip.
    pub fn plane(resolution: u32) -> Self {
        Self::new(2, resolution, 0, Top::Wall)
    }

    /// The section of a chip with depth, whose walls hold the fluid.
    pub fn new(dimension: usize, resolution: u32, layers: u32, top: Top) -> Self {
        Self::with(dimension, resolution, layers, top, [Components::NONE; 2])
    }

    /// The same with other ends.
    pub fn with_ends(&self, ends: [Components; 2]) -> Self {
        Self::with(self.dimension, self.resolution, self.layers, self.top, ends)
    }

    fn with(
        dimension: usize,
        resolution: u32,
        layers: u32,
        top: Top,
        ends: [Components; 2],
    ) -> Self {
        let mut section = Self {
            dimension,
            resolution,
            layers,
            top,
            ends,
            velocity_at: Vec::new(),
            pressure_at: Vec::new(),
            n: 0,
            n_velocity: 0,
        };
        let (across, levels) = (section.n_across(), section.n_levels());
        let mut n = 0;
        for i in 0..across {
            for level in 0..levels {
                let free = section.components_at(i, level);
                section
                    .velocity_at
                    .push(if free.is_empty() { NONE } else { n });
                n += free.len();
            }
        }
        section.n_velocity = n as usize;
        for i in 0..across {
            for level in 0..levels {
                let has = i % 2 == 0 && level % 2 == 0;
                section.pressure_at.push(if has { n } else { NONE });
                n += u32::from(has);
            }
        }
        section.n = n as usize;
        section
    }

    /// Nodes across.
    pub fn n_across(&self) -> u32 {
        2 * self.resolution + 1
    }

    /// Nodes over the depth.
    pub fn n_levels(&self) -> u32 {
        2 * self.layers + 1
    }

    /// Nodes of a socket.
    pub fn n_nodes(&self) -> usize {
        (self.n_across() * self.n_levels()) as usize
    }

    /// Velocity components that are unknown at a level, away from side walls. Floor and ceiling hold the fluid.
    pub fn components(&self, level: u32) -> Components {
        match (self.dimension, level) {
            (2, _) => Components::PLANE,
            (_, 0) => Components::NONE,
            (_, l) if l == 2 * self.layers => match self.top {
                Top::Symmetry => Components::PLANE,
                Top::Wall => Components::NONE,
            },
            _ => Components::SPACE,
        }
    }

    fn components_at(&self, i: u32, level: u32) -> Components {
        let components = self.components(level);
        match i {
            0 => components.and(self.ends[0]),
            _ if i + 1 == self.n_across() => components.and(self.ends[1]),
            _ => components,
        }
    }

    /// First velocity unknown of a node, and the components that are unknown, in their order.
    pub fn velocity(&self, i: u32, level: u32) -> Option<(u32, Components)> {
        let first = self.velocity_at[(i * self.n_levels() + level) as usize];
        (first != NONE).then(|| (first, self.components_at(i, level)))
    }

    /// The unknown that a component of a node's velocity is.
    pub fn unknown(&self, i: u32, level: u32, component: u32) -> Option<u32> {
        let (first, components) = self.velocity(i, level)?;
        Some(first + components.place(component)?)
    }

    /// Pressure unknown of a node.
    pub fn pressure(&self, i: u32, level: u32) -> Option<u32> {
        let k = self.pressure_at[(i * self.n_levels() + level) as usize];
        (k != NONE).then_some(k)
    }

    /// A socket's unknowns as those of the socket that it meets: `x_mine[k] = factor * x_other[to]`.
    ///
    /// Both look outward and count counter-clockwise about themselves, so they look and count opposite ways; unless one of the
    /// two lies mirrored: then they count alike, and only the outward component changes its sign.
    pub fn facing(&self, relative_mirror: bool, pressure_factor: f64) -> Vec<Image> {
        self.facing_in(self, relative_mirror, pressure_factor)
    }

    /// What [`Self::facing`] says, where the socket's part is deeper: `depths` is the root of its depth over the other's.
    ///
    /// Unknowns are times the root of the depth, so pressures and velocities along the socket take that factor. Across it, volume is kept:
    /// `d u` of both is the same.
    pub fn of_depths(&self, mut images: Vec<Image>, depths: f64) -> Vec<Image> {
        if depths == 1.0 {
            return images;
        }
        images.iter_mut().for_each(|image| image.factor *= depths);
        for i in 0..self.n_across() {
            for level in 0..self.n_levels() {
                if let Some(across) = self.unknown(i, level, 0) {
                    images[across as usize].factor /= depths * depths;
                }
            }
        }
        images
    }

    /// A socket's unknowns as those of a line with other ends that it faces; [`NONE`] where that has none.
    pub fn facing_in(
        &self,
        line: &Self,
        relative_mirror: bool,
        pressure_factor: f64,
    ) -> Vec<Image> {
        let last = self.n_across() - 1;
        let other = |i: u32| if relative_mirror { i } else { last - i };
        let signs = if relative_mirror {
            [-1.0, 1.0, 1.0]
        } else {
            [-1.0, -1.0, 1.0]
        };
        self.images_in(line, other, signs, pressure_factor)
    }

    /// A socket's unknowns as those of a line with other ends that lies as it does; [`NONE`] where that has none.
    pub fn plain_in(&self, line: &Self) -> Vec<Image> {
        self.images_in(line, |i| i, [1.0; 3], 1.0)
    }

    fn images_in(
        &self,
        line: &Self,
        other: impl Fn(u32) -> u32,
        signs: [f64; 3],
        pressure_factor: f64,
    ) -> Vec<Image> {
        let mut images = vec![Image::plain(NONE); self.n];
        for i in 0..self.n_across() {
            for level in 0..self.n_levels() {
                if let Some((mine, components)) = self.velocity(i, level) {
                    for (k, c) in components.iter().enumerate() {
                        if let Some(to) = line.unknown(other(i), level, c) {
                            images[mine as usize + k] = Image {
                                to,
                                factor: signs[c as usize],
                            };
                        }
                    }
                }
                if let (Some(mine), Some(there)) =
                    (self.pressure(i, level), line.pressure(other(i), level))
                {
                    images[mine as usize] = Image {
                        to: there,
                        factor: pressure_factor,
                    };
                }
            }
        }
        images
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_the_unknowns_of_the_specification() {
        assert_eq!(Section::plane(8).n, 39);
        assert_eq!(Section::plane(16).n, 79);
        // Square duct, half depth by symmetry: 215 at r = 6, 92 at r = 4.
        assert_eq!(Section::new(3, 6, 3, Top::Symmetry).n, 215);
        assert_eq!(Section::new(3, 4, 2, Top::Symmetry).n, 92);
    }

    #[test]
    fn ends_at_walls_that_slip_have_velocities_along_them() {
        let along = [Components::ALONG; 2];
        assert_eq!(Section::plane(8).with_ends(along).n, 39 + 2);
        // At each end five levels: the floor's none, mid-depth one, three with the one upwards.
        let section = Section::new(3, 4, 2, Top::Symmetry);
        assert_eq!(section.with_ends(along).n, 92 + 2 * (1 + 3 * 2));
        // A socket's unknowns on a line with one end that holds the fluid: the others one to one.
        let line = section.with_ends([Components::NONE, Components::ALONG]);
        let images = section.with_ends(along).facing_in(&line, false, 1.0);
        let mut to: Vec<u32> = images.iter().map(|i| i.to).filter(|&k| k != NONE).collect();
        to.sort_unstable();
        assert_eq!(to, (0..line.n as u32).collect::<Vec<_>>());
    }

    #[test]
    fn facing_twice_is_the_identity() {
        let section = Section::new(3, 4, 2, Top::Symmetry).with_ends([Components::ALONG; 2]);
        for mirror in [false, true] {
            let images = section.facing(mirror, 1.0);
            for (k, image) in images.iter().enumerate() {
                let back = images[image.to as usize];
                assert_eq!((back.to as usize, back.factor * image.factor), (k, 1.0));
            }
        }
    }
}
