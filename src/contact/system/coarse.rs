//! A coarse space for the material points' grid: velocities that are constant on groups of nodes.
//!
//! Blocks on the diagonal mend what differs from node to node; that a stiff body moves as a whole takes GMRES as many products as it is
//! nodes wide. Here the matrix between groups is assembled from the points (those whose nodes are all in one group add nothing), factored,
//! and its solution added to that of the blocks.

use super::derivative::{Block, contract};
use super::{Slot, System, vec3};
use crate::direct::Factors;
use crate::material::M9;
use crate::real::{M3, V3};

/// Nodes along a side of a group. Of 2, 3, 4 and 6 the best on the sand scenes (`benches/siblings`).
const SIDE: i64 = 4;

/// Groups of nodes and the factors of the matrix between them.
pub(super) struct Coarse {
    group: Vec<u32>,
    count: usize,
    factors: Factors,
}

/// The groups that a point's nodes are in: their sums of slopes and of weights.
struct Part {
    group: u32,
    slope: V3,
    weight: f64,
}

impl Coarse {
    /// None without a grid, or if the matrix is singular.
    pub(super) fn new(system: &System, points: &[M9], blocks: &[Block]) -> Option<Coarse> {
        let grid = system.grid?;
        let (group, places) = grid.groups(&system.model.layers, SIDE);
        let count = places.len();
        let parts = |p: usize| {
            let mut out: Vec<Part> = Vec::with_capacity(8);
            for (k, node) in grid.nodes_of(p).iter().enumerate() {
                let (group, slope, weight) =
                    (group[*node as usize], grid.slope(p, k), grid.weight(p, k));
                match out.iter_mut().find(|part| part.group == group) {
                    Some(part) => {
                        part.slope += slope;
                        part.weight += weight;
                    }
                    None => out.push(Part {
                        group,
                        slope,
                        weight,
                    }),
                }
            }
            out
        };
        // A point reaches three nodes along each axis, so its groups are neighbours: blocks by their offset.
        let mut matrix = vec![[M3::zeros(); 27]; count];
        let slot = |a: u32, b: u32| {
            let (a, b) = (places[a as usize], places[b as usize]);
            let [x, y, z] = [0, 1, 2].map(|k| (b[k] - a[k] + 1) as usize);
            (z * 3 + y) * 3 + x
        };
        for (node, g) in group.iter().enumerate() {
            matrix[*g as usize][13] += M3::from_diagonal_element(grid.mass[node]);
        }
        for (p, tangent) in points.iter().enumerate() {
            let parts = parts(p);
            if parts.len() < 2 {
                // All of its nodes move alike: nothing is deformed.
                continue;
            }
            for a in &parts {
                for b in &parts {
                    matrix[a.group as usize][slot(a.group, b.group)] +=
                        contract(tangent, &a.slope, &b.slope);
                }
            }
        }
        for block in blocks {
            for (row, place) in block.slots.iter().enumerate() {
                let Slot::Point(p) = *place else { continue };
                let push = block.part(row, row);
                let parts = parts(p as usize);
                for a in &parts {
                    for b in &parts {
                        matrix[a.group as usize][slot(a.group, b.group)] +=
                            push * (a.weight * b.weight);
                    }
                }
            }
        }
        let number: std::collections::BTreeMap<[i64; 4], usize> =
            places.iter().enumerate().map(|(g, at)| (*at, g)).collect();
        let mut entries = Vec::new();
        for (g, row) in matrix.iter().enumerate() {
            for (k, m) in row.iter().enumerate() {
                let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(|o| o as i64 - 1);
                let at = places[g];
                let Some(other) = number.get(&[at[0] + x, at[1] + y, at[2] + z, at[3]]) else {
                    continue;
                };
                for i in 0..3 {
                    for j in 0..3 {
                        if m[(i, j)] != 0.0 {
                            entries.push((3 * g + i, 3 * other + j, m[(i, j)]));
                        }
                    }
                }
            }
        }
        let factors = Factors::new(3 * count, &entries)?;
        Some(Coarse {
            group,
            count,
            factors,
        })
    }

    /// Adds the groups' solution for the scaled residual `u` to `out`, both of the whole system.
    pub(super) fn add(&self, system: &System, u: &[f64], out: &mut [f64]) {
        let first = system.grid_at(0);
        let mut sums = vec![0.0; 3 * self.count];
        for (node, g) in self.group.iter().enumerate() {
            let at = first + 3 * node;
            let v = vec3(u, at) * system.scale[at];
            for k in 0..3 {
                sums[3 * *g as usize + k] += v[k];
            }
        }
        self.factors.solve_in_place(&mut sums);
        for (node, g) in self.group.iter().enumerate() {
            let at = first + 3 * node;
            for k in 0..3 {
                out[at + k] += sums[3 * *g as usize + k] * system.scale[at + k];
            }
        }
    }
}
