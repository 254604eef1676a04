//! The grid of material points in one step: which nodes carry mass, and the quadratic B-splines between points and nodes.
//!
//! Nodes are numbered along x first, so the 27 around a point are nine rows of three that follow each other, and along the longer of y and z last.
//! What points add to nodes is summed in shares: equally many points, by body and by slab across that axis, each share by itself, and shares
//! one after the other. How many there are depends on the points alone: the same bits for any number of threads.

mod numbering;
mod shares;
mod single;

use numbering::{longer, numbered};
pub(crate) use shares::Reach;
use shares::Share;
pub(crate) use single::{Stiffness, vector};

use std::ops::AddAssign;

use crate::loops::{FEW, Work, both, each, each_light};
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

/// What can be summed on nodes.
pub(crate) trait Sum: Copy + Send + Sync + AddAssign {
    /// Nothing.
    const ZERO: Self;
}

impl Sum for V3 {
    const ZERO: Self = V3::new(0.0, 0.0, 0.0);
}

/// Mass and its momentum.
#[derive(Clone, Copy)]
struct MassAndMomentum {
    mass: f64,
    momentum: V3,
}

impl AddAssign for MassAndMomentum {
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.momentum += other.momentum;
    }
}

impl Sum for MassAndMomentum {
    const ZERO: Self = MassAndMomentum {
        mass: 0.0,
        momentum: <V3 as Sum>::ZERO,
    };
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
    /// All points and nodes.
    all: Reach,
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
        let in_slabs = || {
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_cached_key(|&p| (body_of[p as usize], base[p as usize][slab_axis]));
            order
        };
        let number = || numbered(&base, body_of, slab_axis);
        let ((rows, n_nodes), order) = both(n, number, in_slabs);
        let mut grid = Grid {
            mass: Vec::new(),
            velocity: Vec::new(),
            dx,
            base,
            stencils,
            rows,
            n_nodes,
            order,
            all: Reach::default(),
            slab_axis,
        };
        grid.all = grid.everything();
        let moved = grid.onto_nodes(
            |_| true,
            |p, add: &mut [MassAndMomentum; 27]| {
                for (k, add) in add.iter_mut().enumerate() {
                    let mass = grid.weight(p, k) * points.mass[p];
                    let off = grid.node_position(p, k) - points.x[p];
                    let momentum = (points.v[p] + points.affine[p] * off) * mass;
                    *add = MassAndMomentum { mass, momentum };
                }
            },
        );
        grid.mass = moved.iter().map(|sum| sum.mass).collect();
        grid.velocity = moved.iter().map(|sum| sum.momentum / sum.mass).collect();
        grid
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// On each node the sum of what those points add that add anything; `of` writes what a point adds to its 27 nodes.
    fn onto_nodes<T: Sum>(
        &self,
        adds: impl Fn(usize) -> bool + Sync + Send,
        of: impl Fn(usize, &mut [T; 27]) + Sync + Send,
    ) -> Vec<T> {
        let of_those = |p: usize, _: &[u32; 9], add: &mut [T; 27], _: &mut Vec<(usize, V3)>| {
            let adds = adds(p);
            if adds {
                of(p, add);
            }
            adds
        };
        self.onto_all(&self.all, of_those).0
    }

    /// On each node in reach the sum of what points add, and a list of what they add elsewhere, in the order of shares. `of` gets a point with its rows in
    /// the numbering of the reach, says whether it adds anything to its 27 nodes, and writes it.
    fn onto_all<T: Sum>(
        &self,
        reach: &Reach,
        of: impl Fn(usize, &[u32; 9], &mut [T; 27], &mut Vec<(usize, V3)>) -> bool + Sync + Send,
    ) -> (Vec<T>, Vec<(usize, V3)>) {
        let (shares, n_nodes) = (&reach.shares, reach.nodes.len());
        let of_share = |share: &Share| {
            let mut sums = vec![T::ZERO; share.nodes.len()];
            let mut others = Vec::new();
            let mut add = [T::ZERO; 27];
            for (&p, rows) in share.points.iter().zip(&share.rows) {
                if !of(p as usize, rows, &mut add, &mut others) {
                    continue;
                }
                for (first, add) in rows.iter().zip(add.chunks_exact(3)) {
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
            // Of any function of a share, so that the loop is compiled once a type.
            let of_share: &(dyn Fn(&Share) -> _ + Sync) = &of_share;
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
        let mut out = vec![T::ZERO; n_nodes];
        if n_nodes <= NODES {
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
    #[inline]
    pub(crate) fn value_at(&self, p: usize, u: impl Fn(usize) -> V3) -> V3 {
        self.value_and_gradient(p, u).0
    }

    /// The node field `u` at point `p`, and its gradient.
    pub(crate) fn value_and_gradient(&self, p: usize, u: impl Fn(usize) -> V3) -> (V3, M3) {
        self.by_rows(p, &self.rows[p], u)
    }

    /// The same of nodes that are numbered otherwise, by the point's rows.
    #[inline]
    fn by_rows(&self, p: usize, rows: &[u32; 9], u: impl Fn(usize) -> V3) -> (V3, M3) {
        let stencil = &self.stencils[p];
        let (w, dw) = (&stencil.w[0], &stencil.dw[0]);
        let mut at_point = V3::zeros();
        let mut by = [V3::zeros(); 3];
        for (r, &first) in rows.iter().enumerate() {
            let first = first as usize;
            let u = [u(first), u(first + 1), u(first + 2)];
            let value = u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
            let slope = u[0] * dw[0] + u[1] * dw[1] + u[2] * dw[2];
            let [across, along_y, along_z] = stencil.row(r);
            at_point += value * across;
            by[0] += slope * across;
            by[1] += value * along_y;
            by[2] += value * along_z;
        }
        (at_point, M3::from_columns(&by))
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
    pub(crate) fn gather(&self, stress: &[M3], force: &[V3]) -> Vec<V3> {
        let adds = |p: usize| stress[p] != M3::zeros() || force[p] != V3::zeros();
        self.onto_nodes(adds, |p, add: &mut [V3; 27]| {
            self.spread(p, &stress[p], &force[p], add);
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
        reach: &Reach,
        stiffness: &[M9],
        is_transposed: bool,
        u: impl Fn(usize) -> V3 + Sync + Send,
        on_points: &impl OnPoints,
    ) -> (Vec<V3>, Vec<(usize, V3)>) {
        let nodes = each_light(reach.nodes.len(), u);
        let u = |i: usize| nodes[i];
        let of = |p: usize, rows: &[u32; 9], add: &mut [V3; 27], others: &mut Vec<_>| {
            let c = &stiffness[p];
            let (velocity, gradient) = self.by_rows(p, rows, u);
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
                true => on_points.force(p, &velocity, others),
                false => V3::zeros(),
            };
            self.spread(p, &stress, &force, add);
            true
        };
        self.onto_all(reach, of)
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
            let shares = grid.reach(|p| p % 5 != 0).shares;
            let many: Vec<usize> = shares.iter().map(|share| share.points.len()).collect();
            assert!(
                many.len() == 4 && many.iter().all(|n| *n == 120),
                "{many:?}"
            );
            let mut points: Vec<u32> = shares.into_iter().flat_map(|s| s.points).collect();
            points.sort_unstable();
            let wanted: Vec<u32> = (0..600).filter(|p| p % 5 != 0).collect();
            assert_eq!(points, wanted, "each that adds is in one share");
            reach_is_where_points_go(&grid);
        }
    }

    /// Few of the points reach a part of the nodes, each by its own rows.
    fn reach_is_where_points_go(grid: &Grid) {
        let reach = grid.reach(|p| p % 50 == 0);
        let mut reached = vec![false; reach.nodes.len()];
        let mut many = 0;
        for share in &reach.shares {
            for (p, rows) in share.points.iter().zip(&share.rows) {
                for k in 0..27 {
                    let own = rows[k / 3] as usize + k % 3;
                    assert_eq!(reach.nodes[own] as usize, grid.node(*p as usize, k));
                    assert!(share.nodes.contains(&own));
                    reached[own] = true;
                }
                many += 1;
            }
        }
        assert_eq!(many, 12);
        assert!(reached.iter().all(|r| *r) && reached.len() < grid.n_nodes());
        assert!(reach.nodes.is_sorted());
        assert!(grid.reach(|_| false).nodes.is_empty());
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
                (grid.value_and_gradient(p, |i| a * places[i]).1 - a).norm(),
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
