//! The grid of material points in one step: which nodes carry mass, and the quadratic B-splines between points and nodes.
//!
//! Sums over a node's points run in the order of the points, so they have the same bits for any number of threads.

use crate::real::{M3, V3};
use crate::state::Points;
use rayon::prelude::*;

/// Farthest node from the origin, in spacings.
const FARTHEST: f64 = (1u64 << 40) as f64;

/// Points below which loops stay on the caller's thread.
pub(crate) const FEW: usize = 512;

/// Weights of one point along each axis, and their slopes.
struct Stencil {
    w: [[f64; 3]; 3],
    dw: [[f64; 3]; 3],
}

/// The grid of one step.
pub(crate) struct Grid {
    pub mass: Vec<f64>,
    pub velocity: Vec<V3>,
    dx: f64,
    base: Vec<[i64; 3]>,
    stencils: Vec<Stencil>,
    nodes_of: Vec<[u32; 27]>,
    first: Vec<u32>,
    points_of: Vec<(u32, u8)>,
}

/// `(0..n).map(f)` in order, on several threads when there are many.
pub(crate) fn each<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if n < FEW {
        (0..n).map(f).collect()
    } else {
        (0..n).into_par_iter().with_min_len(64).map(f).collect()
    }
}

/// The nodes around each point, numbered along x, then y, then z, then by body; and how many there are.
fn numbered(base: &[[i64; 3]], body_of: &[u32]) -> (Vec<[u32; 27]>, usize) {
    let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
    for b in base {
        for i in 0..3 {
            low[i] = low[i].min(b[i]);
            high[i] = high[i].max(b[i] + 3);
        }
    }
    let place = |p: usize, k: usize| {
        let at = [k % 3, k / 3 % 3, k / 9];
        let [x, y, z] = [0, 1, 2].map(|i| base[p][i] - low[i] + at[i] as i64);
        [i64::from(body_of[p]), z, y, x]
    };
    let size: [i64; 3] = if base.is_empty() {
        [0; 3]
    } else {
        [0, 1, 2].map(|i| high[i] - low[i])
    };
    let bodies = body_of.iter().max().map_or(0.0, |b| f64::from(*b) + 1.0);
    let cells = bodies * size.iter().map(|n| *n as f64).product::<f64>();
    let mut nodes_of = vec![[0u32; 27]; base.len()];
    // A table of all places in the box is quick; points that flew far apart would make it endless.
    if cells <= 64.0 * base.len() as f64 + 1e6 {
        let cell = |p: usize, k: usize| {
            let [body, z, y, x] = place(p, k);
            (((body * size[2] + z) * size[1] + y) * size[0] + x) as usize
        };
        let mut number = vec![u32::MAX; cells as usize];
        for p in 0..base.len() {
            for k in 0..27 {
                number[cell(p, k)] = 0;
            }
        }
        let mut count = 0;
        for n in number.iter_mut().filter(|n| **n == 0) {
            *n = count;
            count += 1;
        }
        for (p, nodes) in nodes_of.iter_mut().enumerate() {
            for (k, node) in nodes.iter_mut().enumerate() {
                *node = number[cell(p, k)];
            }
        }
        return (nodes_of, count as usize);
    }
    let mut all: Vec<[i64; 4]> = (0..base.len())
        .flat_map(|p| (0..27).map(move |k| (p, k)))
        .map(|(p, k)| place(p, k))
        .collect();
    all.sort_unstable();
    all.dedup();
    for (p, nodes) in nodes_of.iter_mut().enumerate() {
        for (k, node) in nodes.iter_mut().enumerate() {
            let found = all.binary_search(&place(p, k));
            *node = found.expect("every place is in the list") as u32;
        }
    }
    (nodes_of, all.len())
}

impl Grid {
    /// The grid of spacing `dx` (m) under `points`, with their mass and momentum. Each body has nodes of its own, so bodies don't
    /// stick to each other through a node between them.
    pub(crate) fn new(points: &Points, body_of: &[u32], dx: f64) -> Grid {
        let n = points.x.len();
        let base: Vec<[i64; 3]> = points
            .x
            .iter()
            .map(|x| {
                // What flew off after a step that wasn't solved still has a number.
                [0, 1, 2].map(|i| (x[i] / dx - 0.5).floor().clamp(-FARTHEST, FARTHEST) as i64)
            })
            .collect();
        let stencils = each(n, |p| {
            let mut s = Stencil {
                w: [[0.0; 3]; 3],
                dw: [[0.0; 3]; 3],
            };
            for (i, first) in base[p].iter().enumerate() {
                let f = points.x[p][i] / dx - *first as f64;
                s.w[i] = [
                    0.5 * (1.5 - f).powi(2),
                    0.75 - (f - 1.0).powi(2),
                    0.5 * (f - 0.5).powi(2),
                ];
                s.dw[i] = [(f - 1.5) / dx, -2.0 * (f - 1.0) / dx, (f - 0.5) / dx];
            }
            s
        });
        let (nodes_of, n_nodes) = numbered(&base, body_of);
        let mut first = vec![0u32; n_nodes + 1];
        for node in nodes_of.iter().flatten() {
            first[*node as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            first[node + 1] += first[node];
        }
        let mut fill = first.clone();
        let mut points_of = vec![(0u32, 0u8); 27 * n];
        for (p, nodes) in nodes_of.iter().enumerate() {
            for (k, node) in nodes.iter().enumerate() {
                let node = *node;
                points_of[fill[node as usize] as usize] = (p as u32, k as u8);
                fill[node as usize] += 1;
            }
        }
        let mut grid = Grid {
            mass: Vec::new(),
            velocity: Vec::new(),
            dx,
            base,
            stencils,
            nodes_of,
            first,
            points_of,
        };
        grid.mass = each(n_nodes, |i| {
            grid.around(i)
                .map(|(p, k)| grid.weight(p, k) * points.mass[p])
                .sum()
        });
        grid.velocity = each(n_nodes, |i| {
            let momentum: V3 = grid
                .around(i)
                .map(|(p, k)| {
                    (points.v[p] + points.affine[p] * (grid.node_position(p, k) - points.x[p]))
                        * (grid.weight(p, k) * points.mass[p])
                })
                .sum();
            momentum / grid.mass[i]
        });
        grid
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The points around node `i` and which of their 27 nodes it is.
    fn around(&self, i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.points_of[self.first[i] as usize..self.first[i + 1] as usize]
            .iter()
            .map(|&(p, k)| (p as usize, k as usize))
    }

    pub(crate) fn nodes_of(&self, p: usize) -> &[u32; 27] {
        &self.nodes_of[p]
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
        (0..27)
            .map(|k| u(self.nodes_of[p][k] as usize) * self.weight(p, k))
            .sum()
    }

    /// The gradient of the node field `u` at point `p`.
    pub(crate) fn gradient_at(&self, p: usize, u: impl Fn(usize) -> V3) -> M3 {
        let mut g = M3::zeros();
        for k in 0..27 {
            g += u(self.nodes_of[p][k] as usize) * self.slope(p, k).transpose();
        }
        g
    }

    /// The affine velocity of point `p` at `x` from the node field `u`.
    pub(crate) fn affine_at(&self, p: usize, x: &V3, u: impl Fn(usize) -> V3) -> M3 {
        let mut b = M3::zeros();
        for k in 0..27 {
            b += u(self.nodes_of[p][k] as usize)
                * (self.node_position(p, k) - x).transpose()
                * self.weight(p, k);
        }
        b * (4.0 / (self.dx * self.dx))
    }

    /// On each node the sum over its points of `stress slope + weight force`.
    pub(crate) fn gather(&self, stress: &[M3], force: Option<&[V3]>) -> Vec<V3> {
        each(self.n_nodes(), |i| {
            let mut sum = V3::zeros();
            for (p, k) in self.around(i) {
                sum += stress[p] * self.slope(p, k);
                if let Some(force) = force {
                    sum += force[p] * self.weight(p, k);
                }
            }
            sum
        })
    }

    /// The diagonal block of node `i` of the operator with `tangents` at the points.
    pub(crate) fn diagonal(&self, i: usize, tangents: &[crate::material::M9]) -> M3 {
        let mut sum = M3::zeros();
        for (p, k) in self.around(i) {
            let s = self.slope(p, k);
            let c = &tangents[p];
            sum += M3::from_fn(|a, b| {
                (0..3)
                    .map(|j| {
                        (0..3)
                            .map(|l| c[(3 * a + j, 3 * b + l)] * s[j] * s[l])
                            .sum::<f64>()
                    })
                    .sum()
            });
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

    /// A point that flew far off costs no memory, and the numbers of the others stay as they are.
    #[test]
    fn nodes_are_numbered_alike_however_far_points_are_apart() {
        let mut random = Random::new(41);
        let mut cell = || (20.0 * random.number()) as i64 - 10;
        let mut base: Vec<[i64; 3]> = (0..300).map(|_| [cell(), cell(), cell()]).collect();
        let mut body: Vec<u32> = (0..300).map(|p| p % 3).collect();
        let (near, count) = numbered(&base, &body);
        assert!(near.iter().flatten().all(|node| (*node as usize) < count));
        base.push([1 << 40, 1 << 40, 1 << 40]);
        body.push(2);
        let (far, more) = numbered(&base, &body);
        assert_eq!((far[..300] == near[..], more), (true, count + 27));
        assert_eq!(numbered(&[], &[]), (Vec::new(), 0));
    }

    #[test]
    fn weights_hold_linear_fields_and_momentum() {
        let mut random = Random::new(29);
        let n = 600;
        let mut points = Points::default();
        for _ in 0..n {
            points.x.push(random.vector());
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
                places[grid.nodes_of(p)[k] as usize] = grid.node_position(p, k);
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
    }
}
