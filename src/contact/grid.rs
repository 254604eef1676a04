//! The grid of material points in one step: which nodes carry mass, and the quadratic B-splines between points and nodes.
//!
//! Nodes are numbered along x first, so the 27 around a point are nine rows of three that follow each other, and along the longer of y and z last.
//! What points add to nodes is summed in shares: equally many points, by body and by slab across that axis, each share by itself, and shares
//! one after the other. How many there are depends on the points alone: the same bits for any number of threads.

mod numbering;
mod single;

use numbering::{longer, numbered};
pub(crate) use single::{Stiffness, vector};

use std::ops::{AddAssign, Range};

use crate::loops::{FEW, Work, each};
use crate::material::M9;
use crate::real::{M3, V3};
use crate::state::Points;
use rayon::prelude::*;

/// Farthest node from the origin, in spacings.
const FARTHEST: f64 = (1u64 << 40) as f64;

/// How far within its cell a point is taken to be at least, in spacings: on the very edge its weight on the last node would be nothing, and a
/// node without mass has no velocity.
const EDGE: f64 = 1e-8;

/// Nodes whose sums one thread adds up at a time.
const NODES: usize = 1024;

/// Points of a share at least, where there is more than one.
const SHARE: usize = 96;

/// Shares at most.
const SHARES: usize = 64;

/// Weights of one point along each axis, and their slopes.
struct Stencil {
    w: [[f64; 3]; 3],
    dw: [[f64; 3]; 3],
}

impl Stencil {
    /// Of row `r` of nodes: products of the weights across x, and with the slope along y, along z.
    fn row(&self, r: usize) -> [f64; 3] {
        let (b, c) = (r % 3, r / 3);
        let Stencil { w, dw } = self;
        [w[1][b] * w[2][c], dw[1][b] * w[2][c], w[1][b] * dw[2][c]]
    }
}

/// Points whose sums onto nodes are made by one thread.
pub(crate) struct Share {
    points: Vec<u32>,
    /// Nodes that they reach.
    nodes: Range<usize>,
}

/// What can be summed on nodes.
pub(crate) trait Sum: Copy + Send + Sync + AddAssign {
    /// Nothing.
    const ZERO: Self;
}

impl Sum for f64 {
    const ZERO: Self = 0.0;
}

impl Sum for V3 {
    const ZERO: Self = V3::new(0.0, 0.0, 0.0);
}

/// What acts on points beside their own stress, and back on other unknowns; linear in the velocities of all.
pub(crate) trait OnPoints: Sync {
    /// Whether anything acts on point `p`.
    fn acts_on(&self, p: usize) -> bool;
    /// The force on point `p` that moves at `velocity`; those on other unknowns are added to the list, by the first of three.
    fn force(&self, p: usize, velocity: &V3, others: &mut Vec<(usize, V3)>) -> V3;
}

/// The grid of one step.
pub(crate) struct Grid {
    pub mass: Vec<f64>,
    pub velocity: Vec<V3>,
    dx: f64,
    base: Vec<[i64; 3]>,
    stencils: Vec<Stencil>,
    /// First node of each row of three around every point.
    rows: Vec<[u32; 9]>,
    n_nodes: usize,
    /// Points by body and by the slab of cells they are in across the longer of y and z.
    order: Vec<u32>,
    /// The axis across these slabs.
    slab_axis: usize,
}

impl Grid {
    /// The grid of spacing `dx` (m) under `points`, with their mass and momentum. Each body has nodes of its own but for
    /// those that join others, so bodies don't stick to each other through a node between them.
    pub(crate) fn new(points: &Points, body_of: &[u32], dx: f64) -> Grid {
        let n = points.x.len();
        let base: Vec<[i64; 3]> = each(Work::Usual, n, |p| {
            // What flew off after a step that wasn't solved still has a number.
            let first = |x: f64| (x / dx - 0.5).floor().clamp(-FARTHEST, FARTHEST) as i64;
            [0, 1, 2].map(|i| first(points.x[p][i]))
        });
        let stencils = each(Work::Usual, n, |p| {
            let mut s = Stencil {
                w: [[0.0; 3]; 3],
                dw: [[0.0; 3]; 3],
            };
            for (i, first) in base[p].iter().enumerate() {
                let f = (points.x[p][i] / dx - *first as f64).clamp(0.5 + EDGE, 1.5 - EDGE);
                s.w[i] = [
                    0.5 * (1.5 - f).powi(2),
                    0.75 - (f - 1.0).powi(2),
                    0.5 * (f - 0.5).powi(2),
                ];
                s.dw[i] = [(f - 1.5) / dx, -2.0 * (f - 1.0) / dx, (f - 0.5) / dx];
            }
            s
        });
        let slab_axis = longer(&base);
        let (rows, n_nodes) = numbered(&base, body_of, slab_axis);
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&p| (body_of[p as usize], base[p as usize][slab_axis]));
        let mut grid = Grid {
            mass: Vec::new(),
            velocity: Vec::new(),
            dx,
            base,
            stencils,
            rows,
            n_nodes,
            order,
            slab_axis,
        };
        let all = grid.shares(|_| true);
        grid.mass = grid.onto_nodes(&all, |p, add| {
            for (k, add) in add.iter_mut().enumerate() {
                *add = grid.weight(p, k) * points.mass[p];
            }
        });
        let momentum = grid.onto_nodes(&all, |p, add: &mut [V3; 27]| {
            for (k, add) in add.iter_mut().enumerate() {
                let off = grid.node_position(p, k) - points.x[p];
                *add =
                    (points.v[p] + points.affine[p] * off) * (grid.weight(p, k) * points.mass[p]);
            }
        });
        let velocity = momentum.iter().zip(&grid.mass).map(|(p, m)| p / *m);
        grid.velocity = velocity.collect();
        grid
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// The points that add something to nodes, shared out.
    pub(crate) fn shares(&self, adds: impl Fn(usize) -> bool) -> Vec<Share> {
        let points = self.order.iter().copied().filter(|p| adds(*p as usize));
        let points: Vec<u32> = points.collect();
        // Neighbours in a slab of cells have most nodes in common: less than a slab a share costs more than it brings.
        let slab = |p: u32| self.base[p as usize][self.slab_axis];
        let next = points.windows(2).filter(|p| slab(p[0]) != slab(p[1]));
        let slabs = 1 + next.count();
        let most = (points.len() / SHARE).min(slabs).clamp(1, SHARES);
        let many = 1 << most.ilog2();
        let share = |k: usize| {
            let of = |k: usize| k * points.len() / many;
            let points = points[of(k)..of(k + 1)].to_vec();
            let reached = points.iter().map(|p| &self.rows[*p as usize]);
            let (start, end) = reached.fold((u32::MAX, 0), |(start, end), rows| {
                (start.min(rows[0]), end.max(rows[8] + 3))
            });
            Share {
                nodes: start.min(end) as usize..end as usize,
                points,
            }
        };
        (0..many).map(share).collect()
    }

    /// On each node the sum of what points add; `of` writes what a point adds to its 27 nodes.
    fn onto_nodes<T: Sum>(
        &self,
        shares: &[Share],
        of: impl Fn(usize, &mut [T; 27]) + Sync + Send,
    ) -> Vec<T> {
        self.onto_all(shares, |p, add, _| of(p, add)).0
    }

    /// [`Self::onto_nodes`], with a list of what the points add elsewhere, in the order of shares.
    fn onto_all<T: Sum>(
        &self,
        shares: &[Share],
        of: impl Fn(usize, &mut [T; 27], &mut Vec<(usize, V3)>) + Sync + Send,
    ) -> (Vec<T>, Vec<(usize, V3)>) {
        let of_share = |share: &Share| {
            let mut sums = vec![T::ZERO; share.nodes.len()];
            let mut others = Vec::new();
            let mut add = [T::ZERO; 27];
            for &p in &share.points {
                of(p as usize, &mut add, &mut others);
                for (first, add) in self.rows[p as usize].iter().zip(add.chunks_exact(3)) {
                    let from = *first as usize - share.nodes.start;
                    for (sum, add) in sums[from..from + 3].iter_mut().zip(add) {
                        *sum += *add;
                    }
                }
            }
            (sums, others)
        };
        let (sums, others): (Vec<Vec<T>>, Vec<_>) = if self.rows.len() < FEW {
            shares.iter().map(of_share).collect()
        } else {
            shares.par_iter().with_max_len(1).map(of_share).collect()
        };
        // A node's sums in the order of the shares.
        let add = |(chunk, out): (usize, &mut [T])| {
            let own = chunk * NODES..chunk * NODES + out.len();
            for (share, sums) in shares.iter().zip(&sums) {
                let from = share.nodes.start.max(own.start);
                let to = share.nodes.end.min(own.end);
                if from < to {
                    let sums = &sums[from - share.nodes.start..to - share.nodes.start];
                    for (out, sum) in out[from - own.start..].iter_mut().zip(sums) {
                        *out += *sum;
                    }
                }
            }
        };
        let mut out = vec![T::ZERO; self.n_nodes];
        if self.n_nodes <= NODES {
            add((0, &mut out));
        } else {
            out.par_chunks_mut(NODES).enumerate().for_each(add);
        }
        (out, others.concat())
    }

    /// Node `k` of the 27 around point `p`.
    pub(crate) fn node(&self, p: usize, k: usize) -> usize {
        self.rows[p][k / 3] as usize + k % 3
    }

    pub(crate) fn weight(&self, p: usize, k: usize) -> f64 {
        let w = &self.stencils[p].w;
        w[0][k % 3] * w[1][k / 3 % 3] * w[2][k / 9]
    }

    fn slope(&self, p: usize, k: usize) -> V3 {
        let Stencil { w, dw } = &self.stencils[p];
        let [a, b, c] = [k % 3, k / 3 % 3, k / 9];
        V3::new(
            dw[0][a] * w[1][b] * w[2][c],
            w[0][a] * dw[1][b] * w[2][c],
            w[0][a] * w[1][b] * dw[2][c],
        )
    }

    fn node_position(&self, p: usize, k: usize) -> V3 {
        let b = &self.base[p];
        V3::new(
            (b[0] + (k % 3) as i64) as f64,
            (b[1] + (k / 3 % 3) as i64) as f64,
            (b[2] + (k / 9) as i64) as f64,
        ) * self.dx
    }

    /// The node field `u` at point `p`.
    pub(crate) fn value_at(&self, p: usize, u: impl Fn(usize) -> V3) -> V3 {
        let stencil = &self.stencils[p];
        let mut sum = V3::zeros();
        for (r, &first) in self.rows[p].iter().enumerate() {
            let first = first as usize;
            let [w, _, _] = stencil.row(r);
            let along = u(first) * stencil.w[0][0]
                + u(first + 1) * stencil.w[0][1]
                + u(first + 2) * stencil.w[0][2];
            sum += along * w;
        }
        sum
    }

    /// The gradient of the node field `u` at point `p`.
    pub(crate) fn gradient_at(&self, p: usize, u: impl Fn(usize) -> V3) -> M3 {
        let stencil = &self.stencils[p];
        let (w, dw) = (&stencil.w[0], &stencil.dw[0]);
        let mut by = [V3::zeros(); 3];
        for (r, &first) in self.rows[p].iter().enumerate() {
            let first = first as usize;
            let u = [u(first), u(first + 1), u(first + 2)];
            let value = u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
            let slope = u[0] * dw[0] + u[1] * dw[1] + u[2] * dw[2];
            let [across, along_y, along_z] = stencil.row(r);
            by[0] += slope * across;
            by[1] += value * along_y;
            by[2] += value * along_z;
        }
        M3::from_columns(&by)
    }

    /// The affine velocity of point `p` at `x` from the node field `u`.
    pub(crate) fn affine_at(&self, p: usize, x: &V3, u: impl Fn(usize) -> V3) -> M3 {
        let mut b = M3::zeros();
        for k in 0..27 {
            b +=
                u(self.node(p, k)) * (self.node_position(p, k) - x).transpose() * self.weight(p, k);
        }
        b * (4.0 / (self.dx * self.dx))
    }

    /// On each node the sum over its points of `stress slope + weight force`.
    pub(crate) fn gather(&self, stress: &[M3], force: Option<&[V3]>) -> Vec<V3> {
        let adds =
            |p: usize| stress[p] != M3::zeros() || force.is_some_and(|f| f[p] != V3::zeros());
        self.onto_nodes(&self.shares(adds), |p, add: &mut [V3; 27]| {
            let force = force.map_or_else(V3::zeros, |force| force[p]);
            self.spread(p, &stress[p], &force, add);
        })
    }

    /// What point `p` adds to its nodes: `stress slope + weight force`.
    fn spread(&self, p: usize, stress: &M3, force: &V3, add: &mut [V3; 27]) {
        let stencil = &self.stencils[p];
        let (w, dw) = (&stencil.w[0], &stencil.dw[0]);
        let [x, y, z] = [0, 1, 2].map(|j| V3::from(stress.column(j)));
        for (r, add) in add.chunks_exact_mut(3).enumerate() {
            let [across, along_y, along_z] = stencil.row(r);
            let of_slope = x * across;
            let of_value = y * along_y + z * along_z + force * across;
            for (a, add) in add.iter_mut().enumerate() {
                *add = of_slope * dw[a] + of_value * w[a];
            }
        }
    }

    /// [`Self::product`] in double precision, with the stiffness of every point; nothing for sand that came apart.
    pub(crate) fn product_in_double(
        &self,
        shares: &[Share],
        stiffness: &[M9],
        is_transposed: bool,
        u: impl Fn(usize) -> V3 + Sync + Send,
        on_points: &impl OnPoints,
    ) -> (Vec<V3>, Vec<(usize, V3)>) {
        let nodes = each(Work::Light, self.n_nodes, u);
        let u = |i: usize| nodes[i];
        self.onto_all(shares, |p, add: &mut [V3; 27], others| {
            let (c, gradient) = (&stiffness[p], self.gradient_at(p, u));
            let mut stress = M3::zeros();
            for i in 0..9 {
                let entry = |j: usize| match is_transposed {
                    false => c[(i, j)],
                    true => c[(j, i)],
                };
                let sum: f64 = (0..9).map(|j| entry(j) * gradient[(j / 3, j % 3)]).sum();
                stress[(i / 3, i % 3)] = sum;
            }
            let force = match on_points.acts_on(p) {
                true => on_points.force(p, &self.value_at(p, u), others),
                false => V3::zeros(),
            };
            self.spread(p, &stress, &force, add);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

    /// Lattices lie on edges of cells as soon as their spacing and the grid's have a common measure.
    #[test]
    fn points_on_edges_of_cells_leave_no_node_without_mass() {
        let mut points = Points::default();
        for x in [V3::new(0.02, 0.06, 0.1), V3::new(0.01, 0.02, -0.02)] {
            points.x.push(x);
            points.v.push(V3::new(1.0, 2.0, 3.0));
            points.affine.push(M3::zeros());
            points.gradient.push(M3::identity());
            points.mass.push(0.5);
            points.volume.push(1.0);
        }
        let grid = Grid::new(&points, &[0, 0], 0.04);
        for (mass, velocity) in grid.mass.iter().zip(&grid.velocity) {
            assert!(*mass > 0.0);
            assert_small((velocity - points.v[0]).norm(), 1.0, 1e-9, "all go alike");
        }
    }

    #[test]
    fn weights_hold_linear_fields_and_momentum() {
        // As deep as they are high, and four times as deep: shared out by height and by depth.
        for (depth, axis) in [(1.0, 2), (4.0, 1)] {
            let grid = weights_hold(&V3::new(1.0, depth, 1.0));
            assert_eq!(grid.slab_axis, axis);
            let shares = grid.shares(|p| p % 5 != 0);
            let many: Vec<usize> = shares.iter().map(|share| share.points.len()).collect();
            assert!(
                many.len() == 4 && many.iter().all(|n| *n == 120),
                "{many:?}"
            );
            let mut points: Vec<u32> = shares.into_iter().flat_map(|s| s.points).collect();
            points.sort_unstable();
            let wanted: Vec<u32> = (0..600).filter(|p| p % 5 != 0).collect();
            assert_eq!(points, wanted, "each that adds is in one share");
        }
    }

    fn weights_hold(box_of_points: &V3) -> Grid {
        let mut random = Random::new(29);
        let n = 600;
        let mut points = Points::default();
        for _ in 0..n {
            points.x.push(random.vector().component_mul(box_of_points));
            points.v.push(random.vector());
            points.affine.push(M3::from_fn(|_, _| random.number()));
            points.gradient.push(M3::identity());
            points.mass.push(random.number());
            points.volume.push(1.0);
        }
        let grid = Grid::new(&points, &vec![0; n], 0.3);
        let before: V3 = (0..n).map(|p| points.v[p] * points.mass[p]).sum();
        let after: V3 = (0..grid.n_nodes())
            .map(|i| grid.velocity[i] * grid.mass[i])
            .sum();
        assert_small((before - after).norm(), 1.0, 1e-11, "P2G keeps momentum");
        let mut places = vec![V3::zeros(); grid.n_nodes()];
        for p in 0..n {
            for k in 0..27 {
                places[grid.node(p, k)] = grid.node_position(p, k);
            }
        }
        let a = M3::from_fn(|_, _| random.number());
        for p in 0..n {
            assert_small(
                (grid.value_at(p, |i| a * places[i]) - a * points.x[p]).norm(),
                1.0,
                1e-13,
                "linear fields are held",
            );
            assert_small(
                (grid.gradient_at(p, |i| a * places[i]) - a).norm(),
                1.0,
                1e-12,
                "with their gradient",
            );
            assert_small(
                (grid.affine_at(p, &points.x[p], |i| a * places[i]) - a).norm(),
                1.0,
                1e-12,
                "and APIC's affine part",
            );
        }
        grid
    }
}
