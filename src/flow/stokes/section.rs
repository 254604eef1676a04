//! Unknowns across a channel: the nodes of a mouth, over the depth where there is one, and which unknowns they carry.
//!
//! Every mouth has `2r + 1` nodes across and, in three dimensions, `2L + 1` levels over the solved depth. All mouths of a chip
//! have one numbering: velocities node by node in the mouth's own frame (outward, left of outward, up), then pressures.

pub use crate::mesh::Top;
use stokeslet_fronts::Image;

/// Numbers the unknowns of a mouth.
#[derive(Clone, Debug)]
pub struct Section {
    /// Space dimension, 2 or 3.
    pub dimension: usize,
    /// Cells across.
    pub resolution: u32,
    /// Layers of cells over the depth; 0 in two dimensions.
    pub layers: u32,
    /// Above.
    pub top: Top,
    velocity_at: Vec<u32>,
    pressure_at: Vec<u32>,
    /// Unknowns of a mouth.
    pub n: usize,
    /// Velocities of a mouth; they come first.
    pub n_velocity: usize,
}

/// No unknown.
pub const NONE: u32 = u32::MAX;

impl Section {
    /// The section of a plane chip.
    pub fn plane(resolution: u32) -> Self {
        Self::new(2, resolution, 0, Top::Wall)
    }

    /// The section of a chip with depth.
    pub fn new(dimension: usize, resolution: u32, layers: u32, top: Top) -> Self {
        let mut section = Self {
            dimension,
            resolution,
            layers,
            top,
            velocity_at: Vec::new(),
            pressure_at: Vec::new(),
            n: 0,
            n_velocity: 0,
        };
        let (across, levels) = (section.n_across(), section.n_levels());
        let mut n = 0;
        for i in 0..across {
            for level in 0..levels {
                let free = if i == 0 || i + 1 == across {
                    0
                } else {
                    section.components(level)
                };
                section.velocity_at.push(if free == 0 { NONE } else { n });
                n += free;
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

    /// Nodes of a mouth.
    pub fn n_nodes(&self) -> usize {
        (self.n_across() * self.n_levels()) as usize
    }

    /// Velocity components that are unknown at a level, away from side walls; they are the first of them.
    pub fn components(&self, level: u32) -> u32 {
        match (self.dimension, level) {
            (2, _) => 2,
            (_, 0) => 0,
            (_, l) if l == 2 * self.layers => match self.top {
                Top::Symmetry => 2,
                Top::Wall => 0,
            },
            _ => 3,
        }
    }

    /// First velocity unknown of a node, and how many it has.
    pub fn velocity(&self, i: u32, level: u32) -> Option<(u32, u32)> {
        let first = self.velocity_at[(i * self.n_levels() + level) as usize];
        (first != NONE).then(|| (first, self.components(level)))
    }

    /// Pressure unknown of a node.
    pub fn pressure(&self, i: u32, level: u32) -> Option<u32> {
        let k = self.pressure_at[(i * self.n_levels() + level) as usize];
        (k != NONE).then_some(k)
    }

    /// A mouth's unknowns as those of the mouth that it meets: `x_mine[k] = factor * x_other[to]`.
    ///
    /// Both look outward and count counter-clockwise about themselves, so they look and count opposite ways; unless one of the
    /// two lies mirrored: then they count alike, and only the outward component changes its sign.
    pub fn facing(&self, relative_mirror: bool, pressure_factor: f64) -> Vec<Image> {
        let last = self.n_across() - 1;
        let other = |i: u32| if relative_mirror { i } else { last - i };
        let signs = if relative_mirror {
            [-1.0, 1.0, 1.0]
        } else {
            [-1.0, -1.0, 1.0]
        };
        let mut images = vec![Image::plain(NONE); self.n];
        for i in 0..self.n_across() {
            for level in 0..self.n_levels() {
                if let (Some((mine, n)), Some((there, _))) =
                    (self.velocity(i, level), self.velocity(other(i), level))
                {
                    for c in 0..n {
                        images[(mine + c) as usize] = Image {
                            to: there + c,
                            factor: signs[c as usize],
                        };
                    }
                }
                if let (Some(mine), Some(there)) =
                    (self.pressure(i, level), self.pressure(other(i), level))
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
    fn a_mouth_has_the_unknowns_of_the_specification() {
        assert_eq!(Section::plane(8).n, 39);
        assert_eq!(Section::plane(16).n, 79);
        // Square duct, half depth by symmetry: 215 at r = 6, 92 at r = 4.
        assert_eq!(Section::new(3, 6, 3, Top::Symmetry).n, 215);
        assert_eq!(Section::new(3, 4, 2, Top::Symmetry).n, 92);
    }

    #[test]
    fn facing_twice_is_the_identity() {
        let section = Section::new(3, 4, 2, Top::Symmetry);
        for mirror in [false, true] {
            let images = section.facing(mirror, 1.0);
            for (k, image) in images.iter().enumerate() {
                let back = images[image.to as usize];
                assert_eq!((back.to as usize, back.factor * image.factor), (k, 1.0));
            }
        }
    }
}
