//! The points' stiffness in single precision, for GMRES and what it is preconditioned with: three directions lie in one register, and half as much is read.

use std::ops::AddAssign;

use wide::f32x4;

use super::{Grid, OnPoints, Reach, Sum};
use crate::loops::{Work, each, each_light};
use crate::material::M9;
use crate::real::{M3, V3};

impl Sum for f32x4 {
    const ZERO: Self = f32x4::ZERO;
}

/// Columns of a 3 x 3 matrix.
#[derive(Clone, Copy)]
struct Columns([f32x4; 3]);

impl AddAssign for Columns {
    fn add_assign(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }
}

impl Sum for Columns {
    const ZERO: Self = Columns([f32x4::ZERO; 3]);
}

/// A vector of space in lanes; its fourth is nothing.
#[inline]
fn lanes(v: &V3) -> f32x4 {
    f32x4::new([v.x as f32, v.y as f32, v.z as f32, 0.0])
}

#[inline]
pub(crate) fn vector(lanes: f32x4) -> V3 {
    let [x, y, z, _] = lanes.to_array();
    V3::new(f64::from(x), f64::from(y), f64::from(z))
}

/// Stiffness of a point: for each column of the stress, what the nine entries of a gradient (by rows) make of it.
type Columns9 = [[f32x4; 9]; 3];

/// Stiffness of the points that have any: sand that came apart has none.
pub(crate) struct Stiffness {
    /// Where each point's is in the list.
    place: Vec<Option<u32>>,
    list: Vec<Columns9>,
}

impl Stiffness {
    /// Of the derivatives of stresses by gradients of those points that didn't come apart.
    pub(crate) fn new(is_apart: &[bool], of: impl Fn(usize) -> M9 + Sync + Send) -> Stiffness {
        let n = is_apart.len();
        let points: Vec<usize> = (0..n).filter(|p| !is_apart[*p]).collect();
        let mut place = vec![None; n];
        for (i, p) in points.iter().enumerate() {
            place[*p] = Some(i as u32);
        }
        let list = each(Work::Heavy, points.len(), |i| {
            let mut out = [[f32x4::ZERO; 9]; 3];
            for (kl, column) in of(points[i]).as_slice().chunks_exact(9).enumerate() {
                for (j, out) in out.iter_mut().enumerate() {
                    let [x, y, z] = [column[j], column[3 + j], column[6 + j]];
                    out[kl] = lanes(&V3::new(x, y, z));
                }
            }
            out
        });
        Stiffness { place, list }
    }

    /// Of point `p`, if it has any.
    fn of(&self, p: usize) -> Option<&Columns9> {
        self.place[p].map(|i| &self.list[i as usize])
    }
}

/// Columns of the stress of a gradient's columns.
#[inline]
fn stress(stiffness: &Columns9, gradient: [f32x4; 3]) -> [f32x4; 3] {
    let gradient = gradient.map(f32x4::to_array);
    let mut out = [f32x4::ZERO; 3];
    for k in 0..3 {
        for l in 0..3 {
            let g = f32x4::splat(gradient[l][k]);
            for (out, stiffness) in out.iter_mut().zip(stiffness) {
                *out += stiffness[3 * k + l] * g;
            }
        }
    }
    out
}

/// The same by the transpose of the stiffness.
#[inline]
fn transposed_stress(stiffness: &Columns9, gradient: [f32x4; 3]) -> [f32x4; 3] {
    let mut out = [[0.0; 4]; 3];
    for k in 0..3 {
        for (l, out) in out.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|j| stiffness[j][3 * k + l] * gradient[j]);
            out[k] = (x + y + z).reduce_add();
        }
    }
    out.map(f32x4::new)
}

impl Grid {
    /// On each node in reach the sum over its points of `stress slope + weight force`, where the stress is that of the gradient of the field `u` of these
    /// nodes, by the stiffness or its transpose, and the force that of its value; and the forces on other unknowns.
    ///
    /// # Accuracy and cost
    /// About 1e-6 of the largest term.
    pub(crate) fn product(
        &self,
        reach: &Reach,
        stiffness: &Stiffness,
        is_transposed: bool,
        u: impl Fn(usize) -> V3 + Sync + Send,
        on_points: &impl OnPoints,
    ) -> (Vec<f32x4>, Vec<(usize, V3)>) {
        let u = each_light(reach.nodes.len(), |i| lanes(&u(i)));
        let of = |p: usize, rows: &[u32; 9], add: &mut [f32x4; 27], others: &mut Vec<_>| {
            let stencil = &self.stencils[p];
            let [mut w, mut dw] = [[[f32x4::ZERO; 3]; 3]; 2];
            for i in 0..3 {
                for k in 0..3 {
                    w[i][k] = f32x4::splat(stencil.w[i][k] as f32);
                    dw[i][k] = f32x4::splat(stencil.dw[i][k] as f32);
                }
            }
            // Across z last: a row of three nodes, then three rows, then three of these.
            let (mut gx, mut gy, mut gz) = (f32x4::ZERO, f32x4::ZERO, f32x4::ZERO);
            let mut velocity = f32x4::ZERO;
            for c in 0..3 {
                let (mut value, mut along_x, mut along_y) = (f32x4::ZERO, f32x4::ZERO, f32x4::ZERO);
                for b in 0..3 {
                    let first = rows[3 * c + b] as usize;
                    let row = &u[first..first + 3];
                    let own = row[0] * w[0][0] + row[1] * w[0][1] + row[2] * w[0][2];
                    let slope = row[0] * dw[0][0] + row[1] * dw[0][1] + row[2] * dw[0][2];
                    value += own * w[1][b];
                    along_x += slope * w[1][b];
                    along_y += own * dw[1][b];
                }
                gx += along_x * w[2][c];
                gy += along_y * w[2][c];
                gz += value * dw[2][c];
                velocity += value * w[2][c];
            }
            let [x, y, z] = match (stiffness.of(p), is_transposed) {
                (None, _) => [f32x4::ZERO; 3],
                (Some(stiffness), false) => stress(stiffness, [gx, gy, gz]),
                (Some(stiffness), true) => transposed_stress(stiffness, [gx, gy, gz]),
            };
            let force = match on_points.acts_on(p) {
                true => lanes(&on_points.force(p, &vector(velocity), others)),
                false => f32x4::ZERO,
            };
            for c in 0..3 {
                let of_x = x * w[2][c];
                let of_y = y * w[2][c];
                let of_z = z * dw[2][c] + force * w[2][c];
                for b in 0..3 {
                    let of_slope = of_x * w[1][b];
                    let of_value = of_y * dw[1][b] + of_z * w[1][b];
                    for a in 0..3 {
                        add[9 * c + 3 * b + a] = of_slope * dw[0][a] + of_value * w[0][a];
                    }
                }
            }
            true
        };
        self.onto_all(reach, of)
    }

    /// The diagonal blocks of the operator with these stiffnesses at the points.
    pub(crate) fn diagonal(&self, stiffness: &Stiffness) -> Vec<M3> {
        let is_stiff = |p: usize| stiffness.place[p].is_some();
        let sums = self.onto_nodes(is_stiff, |p, add: &mut [Columns; 27]| {
            let stiffness = stiffness.of(p).expect("others add nothing");
            for (k, add) in add.iter_mut().enumerate() {
                let slope = self.slope(p, k);
                let slope = [slope.x, slope.y, slope.z].map(|s| f32x4::splat(s as f32));
                for (b, out) in add.0.iter_mut().enumerate() {
                    let mut sum = f32x4::ZERO;
                    for l in 0..3 {
                        let kl = 3 * b + l;
                        let along = stiffness[0][kl] * slope[0]
                            + stiffness[1][kl] * slope[1]
                            + stiffness[2][kl] * slope[2];
                        sum += along * slope[l];
                    }
                    *out = sum;
                }
            }
        });
        let matrix = |sum: Columns| M3::from_columns(&sum.0.map(vector));
        sums.into_iter().map(matrix).collect()
    }
}
