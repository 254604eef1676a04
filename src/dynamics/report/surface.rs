//! A level set on points of a lattice in space becomes triangles, by marching tetrahedra.
//!
//! Every cube between eight samples is cut into six tetrahedra around its diagonal; a tetrahedron is cut by none, one or two triangles.
//! Neighbours cut their common faces alike, so the surface has no cracks, and is closed where it doesn't leave the lattice.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::grid::Lattice;

/// Triangles with shared vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices, m.
    pub points: Vec<[f64; 3]>,
    /// Triangles, counterclockwise seen from outside (where values are positive).
    pub triangles: Vec<[u32; 3]>,
}

/// Corners of the six tetrahedra of a cube around the diagonal from corner 0 to corner 7; bits are axes. All are right-handed.
const TETRAHEDRA: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 6, 4, 7],
    [0, 4, 5, 7],
    [0, 5, 1, 7],
];

/// The surface where a level set is 0.
///
/// # Shapes and units
/// - `values`: one a point of the lattice, negative inside; `at`: where a point is, m
/// # Accuracy and cost
/// Vertices are linear between samples. Linear in the points.
pub fn surface(
    points: &Lattice<3>,
    values: &[f64],
    at: impl Fn([usize; 3]) -> [f64; 3],
) -> Surface {
    let mut out = Surface::default();
    let mut known: FxHashMap<(usize, usize), u32> = FxHashMap::default();
    let is_in = |i: usize| values[i] < 0.0;
    for i in 0..points.len() {
        let c = points.coordinates(i);
        if (0..3).any(|a| c[a] + 1 >= points.n[a]) {
            continue;
        }
        let corners: [usize; 8] = std::array::from_fn(|k| {
            points.index(std::array::from_fn(|axis| c[axis] + ((k >> axis) & 1)))
        });
        let inside = corners.iter().filter(|c| is_in(**c)).count();
        if inside == 0 || inside == 8 {
            continue;
        }
        let mut vertex = |a: usize, b: usize| -> u32 {
            let key = (a.min(b), a.max(b));
            *known.entry(key).or_insert_with(|| {
                let (low, high) = key;
                let t = values[low] / (values[low] - values[high]);
                let (p, q) = (at(points.coordinates(low)), at(points.coordinates(high)));
                out.points
                    .push(std::array::from_fn(|k| p[k] + t * (q[k] - p[k])));
                out.points.len() as u32 - 1
            })
        };
        for tetrahedron in TETRAHEDRA {
            let t = tetrahedron.map(|k| corners[k]);
            let (inner, outer): (Vec<usize>, Vec<usize>) = (0..4).partition(|k| is_in(t[*k]));
            // Even permutations of (inner, outer) keep the tetrahedron's hand.
            let order: Vec<usize> = inner.iter().chain(&outer).copied().collect();
            let is_even = parity(&order);
            let cut: Vec<[u32; 3]> = match (&inner[..], &outer[..]) {
                ([a], [b, c, d]) => vec![[
                    vertex(t[*a], t[*b]),
                    vertex(t[*a], t[*c]),
                    vertex(t[*a], t[*d]),
                ]],
                ([a, b, c], [d]) => vec![[
                    vertex(t[*a], t[*d]),
                    vertex(t[*b], t[*d]),
                    vertex(t[*c], t[*d]),
                ]],
                ([a, b], [c, d]) => {
                    let corners = [(a, c), (a, d), (b, d), (b, c)];
                    let [p, q, r, s] = corners.map(|(i, o)| vertex(t[*i], t[*o]));
                    vec![[p, q, r], [p, r, s]]
                }
                _ => continue,
            };
            for [p, q, r] in cut {
                let triangle = if is_even { [p, q, r] } else { [p, r, q] };
                if p != q && q != r && p != r {
                    out.triangles.push(triangle);
                }
            }
        }
    }
    out
}

/// Whether an order of 0 to 3 is an even permutation.
fn parity(order: &[usize]) -> bool {
    let swaps = (0..order.len())
        .flat_map(|i| (i + 1..order.len()).map(move |j| (i, j)))
        .filter(|(i, j)| order[*i] > order[*j])
        .count();
    swaps.is_multiple_of(2)
}

impl Surface {
    /// The volume that it encloses, m³; of a closed surface.
    pub fn volume(&self) -> f64 {
        let point = |v: u32| self.points[v as usize];
        let part = |[a, b, c]: [[f64; 3]; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        let all = self.triangles.iter();
        all.map(|t| part(t.map(point))).sum::<f64>() / 6.0
    }

    /// It as a PLY, in text.
    ///
    /// # Errors
    /// What the writer says.
    pub fn ply(&self, out: &mut dyn Write) -> io::Result<()> {
        let (n, m) = (self.points.len(), self.triangles.len());
        writeln!(out, "ply\nformat ascii 1.0\nelement vertex {n}")?;
        for axis in ["x", "y", "z"] {
            writeln!(out, "property double {axis}")?;
        }
        writeln!(
            out,
            "element face {m}\nproperty list uchar int vertex_indices\nend_header"
        )?;
        for [x, y, z] in &self.points {
            writeln!(out, "{x} {y} {z}")?;
        }
        for [a, b, c] in &self.triangles {
            writeln!(out, "3 {a} {b} {c}")?;
        }
        Ok(())
    }

    /// It as a Wavefront OBJ.
    ///
    /// # Errors
    /// What the writer says.
    pub fn obj(&self, out: &mut dyn Write) -> io::Result<()> {
        for [x, y, z] in &self.points {
            writeln!(out, "v {x} {y} {z}")?;
        }
        for [a, b, c] in self.triangles.iter().map(|t| t.map(|v| v + 1)) {
            writeln!(out, "f {a} {b} {c}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_s_surface_is_closed_points_outward_and_has_its_volume() {
        let lattice = Lattice::cube(24);
        let at = |c: [usize; 3]| c.map(|c| (c as f64 - 11.3) / 10.0);
        let values: Vec<f64> = (0..lattice.len())
            .map(|i| {
                at(lattice.coordinates(i))
                    .iter()
                    .map(|x| x * x)
                    .sum::<f64>()
                    .sqrt()
                    - 0.8
            })
            .collect();
        let ball = surface(&lattice, &values, at);
        let mut edges: FxHashMap<(u32, u32), i32> = FxHashMap::default();
        for t in &ball.triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
        }
        assert!(edges.values().all(|n| *n == 0), "every edge has two sides");
        let want = 4.0 / 3.0 * std::f64::consts::PI * 0.512;
        assert!(
            (ball.volume() / want - 1.0).abs() < 0.02,
            "{} {want}",
            ball.volume()
        );
        let mut text = Vec::new();
        ball.obj(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let of = |c: &str| text.lines().filter(|l| l.starts_with(c)).count();
        assert_eq!(
            (of("v "), of("f ")),
            (ball.points.len(), ball.triangles.len())
        );
    }
}
