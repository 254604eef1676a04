//! The solved flow of a chip in three dimensions, read at any point of its lower half.
//!
//! The mesh is a plane one in layers, with nodes at the plane's P2 nodes times the levels of the layers and nowhere else. So the velocity is read as the
//! product of the plane's quadratics and those of a layer: the nodal values of the tetrahedra, continuous, of the same order.

use rustc_hash::FxHashMap;
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::{Field, FieldIndex};

use crate::trace::quadratic;

/// How far a height may be off mid-depth, over the depth.
const TINY: f64 = 1e-9;

/// A place among the cells.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Across the chip, m.
    pub plane: Point,
    /// Over the floor, m: up to half the depth.
    pub height: f64,
}

impl At {
    /// So far along a direction.
    pub fn moved(self, direction: [f64; 3], by: f64) -> Self {
        let [x, y, z] = direction;
        Self {
            plane: self.plane + Point::new(x, y) * by,
            height: self.height + z * by,
        }
    }
}

/// Velocities on the lower half of a chip's depth.
#[derive(Debug)]
pub struct Slab {
    /// The plane's nodes and cells, with the mean of the velocity over the depth.
    pub mean: Field<2>,
    /// Integrals of that mean over every plane cell, exact for the tetrahedra: their fluxes balance to rounding, those of the
    /// velocity read here to 1e-3. m^3/s.
    pub integrals: Vec<Point>,
    index: FieldIndex,
    /// m.
    pub depth: f64,
    /// From the floor to mid-depth, an odd number: bounds of layers and their middles in turn.
    pub levels: usize,
    /// m/s, at every plane node on every level.
    velocity: Vec<[f64; 3]>,
    /// Plane node and level of every node of the flow in space; those above mid-depth have the level of their image below.
    pub place: Vec<(u32, u32)>,
    /// By plane cell: the side of a square as large, m.
    size: Vec<f64>,
}

impl Slab {
    /// Sorts the nodes of a flow in space by those of its plane at mid-depth. `None` where they aren't columns of equal levels.
    pub fn new(in_space: &Field<3>, middle: &Field<2>) -> Option<Self> {
        let key = |x: f64, y: f64| (x.to_bits(), y.to_bits());
        let columns = middle.nodes.iter().enumerate();
        let number: FxHashMap<(u64, u64), u32> =
            columns.map(|(k, p)| (key(p.x, p.y), k as u32)).collect();
        let n = middle.nodes.len();
        let half = 0.5 * in_space.depths.depth;
        let below = |z: f64| z <= half + TINY * in_space.depths.depth;
        let count = in_space.nodes.iter().filter(|x| below(x[2])).count();
        let levels = count.checked_div(n)?;
        if levels < 3 || levels % 2 == 0 || levels * n != count {
            return None;
        }
        let level = |z: f64| {
            (z.min(in_space.depths.depth - z) / half * (levels - 1) as f64).round() as usize
        };
        let mut velocity = vec![[f64::NAN; 3]; count];
        let mut place = Vec::with_capacity(in_space.nodes.len());
        for (&[x, y, z], &u) in in_space.nodes.iter().zip(&in_space.velocity) {
            let column = *number.get(&key(x, y))?;
            let level = level(z);
            place.push((column, level as u32));
            if below(z) {
                velocity[column as usize * levels + level] = u;
            }
        }
        if velocity.iter().any(|u| u[0].is_nan()) {
            return None;
        }
        // Simpson's rule is exact for quadratics, layer by layer.
        let weight = |level: usize| match level {
            0 => 1.0,
            last if last + 1 == levels => 1.0,
            odd if odd % 2 == 1 => 4.0,
            _ => 2.0,
        } / (3 * (levels - 1)) as f64;
        let mut mean = middle.clone();
        for (k, u) in mean.velocity.iter_mut().enumerate() {
            let column = &velocity[k * levels..(k + 1) * levels];
            let terms = column.iter().enumerate();
            *u = terms.fold(Point::default(), |sum, (l, v)| {
                sum + Point::new(v[0], v[1]) * weight(l)
            });
        }
        let integrals = integrals(in_space, middle, &place)?;
        let size = mean.cells.iter().map(|cell| {
            let [a, b, c] = [0, 1, 2].map(|k| mean.nodes[cell[k] as usize]);
            (0.5 * (b - a).cross(c - a)).abs().sqrt()
        });
        Some(Self {
            size: size.collect(),
            integrals,
            index: FieldIndex::new(&mean),
            mean,
            depth: in_space.depths.depth,
            levels,
            velocity,
            place,
        })
    }

    /// The same fluid flowing backwards.
    pub fn reversed(mut self) -> Self {
        self.velocity.iter_mut().flatten().for_each(|u| *u = -*u);
        let mean = self.mean.velocity.iter_mut();
        mean.chain(&mut self.integrals).for_each(|u| *u = *u * -1.0);
        self
    }

    /// Velocity at a place, m/s, with its plane cell; `None` outside the fluid. A cell that may hold it is tried first.
    pub fn velocity(&self, at: At, hint: u32) -> Option<([f64; 3], u32)> {
        let found = self.index.locate_from(&self.mean, at.plane, hint)?;
        let layers = (self.levels - 1) / 2;
        // Above mid-depth is the image of below.
        let half = 0.5 * self.depth;
        let (height, side) = match at.height > half {
            true => (self.depth - at.height, -1.0),
            false => (at.height, 1.0),
        };
        let s = (height / half).clamp(0.0, 1.0) * layers as f64;
        let layer = (s as usize).min(layers - 1);
        let t = s - layer as f64;
        let up = [
            (1.0 - t) * (1.0 - 2.0 * t),
            4.0 * t * (1.0 - t),
            t * (2.0 * t - 1.0),
        ];
        let mut u = [0.0; 3];
        for (phi, &node) in quadratic(found.xi)
            .iter()
            .zip(&self.mean.cells[found.cell as usize])
        {
            let from = node as usize * self.levels + 2 * layer;
            for (v, psi) in self.velocity[from..from + 3].iter().zip(&up) {
                let weight = phi * psi;
                for (u, v) in u.iter_mut().zip(v) {
                    *u += weight * v;
                }
            }
        }
        u[2] *= side;
        Some((u, found.cell))
    }

    /// Side of a square as large as a plane cell, m.
    pub fn size(&self, cell: u32) -> f64 {
        self.size[cell as usize]
    }

    /// Height of a level over the floor, m.
    pub fn height(&self, level: usize) -> f64 {
        0.5 * self.depth * level as f64 / (self.levels - 1) as f64
    }
}

/// Integrals of the velocity of the lower half over every plane cell, over half the depth. `None` where tetrahedra aren't parts of prisms.
fn integrals(in_space: &Field<3>, middle: &Field<2>, place: &[(u32, u32)]) -> Option<Vec<Point>> {
    let sorted = |mut corners: [u32; 3]| {
        corners.sort_unstable();
        corners
    };
    let cells = middle.cells.iter().enumerate();
    let number: FxHashMap<[u32; 3], usize> = cells
        .map(|(c, n)| (sorted([n[0], n[1], n[2]]), c))
        .collect();
    let half = 0.5 * in_space.depths.depth;
    let mut out = vec![Point::default(); middle.cells.len()];
    for cell in in_space.cells.iter() {
        let x = [0, 1, 2, 3].map(|k| in_space.nodes[cell[k] as usize]);
        if x.iter().any(|p| p[2] > half + TINY * in_space.depths.depth) {
            continue;
        }
        // Two of its four corners are above each other.
        let mut corners: Vec<u32> = cell[..4].iter().map(|&n| place[n as usize].0).collect();
        corners.sort_unstable();
        corners.dedup();
        let plane = *number.get(&sorted(corners.try_into().ok()?))?;
        let [a, b, c] = [1, 2, 3].map(|k| [0, 1, 2].map(|i| x[k][i] - x[0][i]));
        let volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))
            .abs()
            / 6.0;
        for (k, &node) in cell.iter().enumerate() {
            let [u, v, _] = in_space.velocity[node as usize];
            let weight = if k < 4 { -1.0 / 20.0 } else { 1.0 / 5.0 };
            out[plane] = out[plane] + Point::new(u, v) * (weight * volume / half);
        }
    }
    Some(out)
}
