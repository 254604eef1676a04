//! Closed triangle meshes as solids: their volume and moments, and the points or cells of a lattice that are inside.

use crate::generate::{Solid, oriented};
use crate::real::{M3, V3};
use nalgebra::SymmetricEigen;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why triangles are no solid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClosedError {
    /// A corner that isn't there.
    #[error("triangle {triangle} has a vertex that isn't there")]
    NoVertex {
        /// The triangle, from 1.
        triangle: usize,
    },
    /// An edge that isn't between two triangles that run along it in opposite directions.
    #[error(
        "the mesh isn't closed: the edge from ({from}) to ({to}) must be between exactly two triangles of the same orientation"
    )]
    Open {
        /// One end.
        from: String,
        /// The other.
        to: String,
    },
    /// No volume.
    #[error("the mesh encloses no volume")]
    Flat,
}

/// A closed mesh, oriented outward.
pub(crate) struct Closed {
    pub points: Vec<V3>,
    pub triangles: Vec<[u32; 3]>,
}

/// A solid's mass properties, a kilogram.
pub(crate) struct Moments {
    pub volume: f64,
    pub centre: V3,
    /// Columns: the principal axes, a right-handed frame.
    pub axes: M3,
    /// Principal moments about the centre, m^2.
    pub inertia: V3,
}

impl Closed {
    /// Checks that triangles enclose a volume; turns them round if they face inward.
    pub(crate) fn new(
        points: Vec<V3>,
        mut triangles: Vec<[u32; 3]>,
    ) -> Result<Closed, ClosedError> {
        let mut along: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        for (k, t) in triangles.iter().enumerate() {
            if t.iter().any(|v| *v as usize >= points.len()) {
                return Err(ClosedError::NoVertex { triangle: k + 1 });
            }
            for i in 0..3 {
                *along.entry((t[i], t[(i + 1) % 3])).or_default() += 1;
            }
        }
        for (&(a, b), count) in &along {
            if a == b || *count != 1 || along.get(&(b, a)) != Some(&1) {
                let place = |v: u32| {
                    let p = &points[v as usize];
                    format!("{}, {}, {}", p.x, p.y, p.z)
                };
                let (from, to) = (place(a), place(b));
                return Err(ClosedError::Open { from, to });
            }
        }
        let (low, high) = extent(&points);
        let box_volume = (high - low).product();
        let volume = signed_volume(&points, &triangles);
        if volume.abs().is_nan() || volume.abs() <= 1e-9 * box_volume || box_volume == 0.0 {
            return Err(ClosedError::Flat);
        }
        if volume < 0.0 {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        Ok(Closed { points, triangles })
    }

    fn corners(&self) -> impl Iterator<Item = [V3; 3]> + '_ {
        let at = |v: u32| self.points[v as usize];
        self.triangles.iter().map(move |t| t.map(at))
    }

    /// Volume, centre of mass and principal moments of the solid.
    ///
    /// # Accuracy and cost
    /// Exact for polyhedra but for rounding: sums of tetrahedra from a corner of their box.
    pub(crate) fn moments(&self) -> Moments {
        let (origin, _) = extent(&self.points);
        let (mut volume, mut first, mut second) = (0.0, V3::zeros(), M3::zeros());
        for [a, b, c] in self.corners().map(|t| t.map(|p| p - origin)) {
            let v = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += v;
            first += sum * (v / 4.0);
            // The integral of x x^T over a tetrahedron with a corner at 0.
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += (squares + sum * sum.transpose()) * (v / 20.0);
        }
        let arm = first / volume;
        let spread = second / volume - arm * arm.transpose();
        let tensor = M3::from_diagonal_element(spread.trace()) - spread;
        let eigen = SymmetricEigen::new((tensor + tensor.transpose()) * 0.5);
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            let turned = -axes.column(2);
            axes.set_column(2, &turned);
        }
        Moments {
            volume,
            centre: origin + arm,
            axes,
            inertia: eigen.eigenvalues,
        }
    }

    /// Spacings along each axis of the box around it, rounded up; huge for a spacing that is far too small.
    pub(crate) fn cells(&self, h: f64) -> [f64; 3] {
        let (low, high) = extent(&self.points);
        let n = (high - low) / h;
        [n.x, n.y, n.z].map(|x| x.ceil().max(1.0))
    }

    /// Lattice places of spacing `h` whose middles are inside, by their numbers along the axes, and the place of the first middle.
    fn inside(&self, h: f64) -> (Vec<[usize; 3]>, V3) {
        let (low, high) = extent(&self.points);
        let [nx, ny, nz] = self.cells(h).map(|n| n as usize);
        let n = V3::new(nx as f64, ny as f64, nz as f64);
        // The lattice stands in the middle of the box.
        let first = (low + high - n * h) * 0.5 + V3::repeat(0.5 * h);
        let mut crossings: BTreeMap<[usize; 2], Vec<f64>> = BTreeMap::new();
        for t in &self.triangles {
            let tri = t.map(|v| self.points[v as usize]);
            let range = |k: usize, count: usize| {
                let least = tri.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
                let most = tri.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
                let from = ((least - first[k]) / h).floor().max(0.0) as usize;
                let to = ((most - first[k]) / h).ceil().max(0.0) as usize;
                from..(to + 1).min(count)
            };
            for i in range(0, nx) {
                for j in range(1, ny) {
                    let (x, y) = (first.x + i as f64 * h, first.y + j as f64 * h);
                    if let Some(z) = self.crossing(t, x, y) {
                        crossings.entry([i, j]).or_default().push(z);
                    }
                }
            }
        }
        let mut out = Vec::new();
        for ([i, j], mut heights) in crossings {
            heights.sort_by(f64::total_cmp);
            for pair in heights.chunks_exact(2) {
                let from = ((pair[0] - first.z) / h).ceil().max(0.0) as usize;
                out.extend(
                    (from..nz)
                        .take_while(|k| first.z + (*k as f64) * h < pair[1])
                        .map(|k| [i, j, k]),
                );
            }
        }
        out.sort_unstable_by_key(|[i, j, k]| [*k, *j, *i]);
        (out, first)
    }

    /// Where the upright line through `(x, y)` crosses a triangle.
    ///
    /// Whether it does is asked edge by edge, and of an edge the same from either side, so a line crosses a closed mesh an even number of
    /// times even through edges and vertices.
    fn crossing(&self, t: &[u32; 3], x: f64, y: f64) -> Option<f64> {
        let mut is_within = false;
        for i in 0..3 {
            let (u, v) = (t[i], t[(i + 1) % 3]);
            let (a, b) = (
                self.points[u.min(v) as usize],
                self.points[u.max(v) as usize],
            );
            if (a.y > y) != (b.y > y) {
                let at = a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
                is_within ^= at > x;
            }
        }
        let [a, b, c] = t.map(|v| self.points[v as usize]);
        let n = (b - a).cross(&(c - a));
        (is_within && n.z != 0.0).then(|| a.z - (n.x * (x - a.x) + n.y * (y - a.y)) / n.z)
    }

    /// The points of a lattice of spacing `h` that are inside.
    pub(crate) fn fill(&self, h: f64) -> Vec<V3> {
        let (inside, first) = self.inside(h);
        let place = |n: [usize; 3]| first + V3::new(n[0] as f64, n[1] as f64, n[2] as f64) * h;
        inside.into_iter().map(place).collect()
    }

    /// Cubes of side `h` whose middles are inside, in six tetrahedra each: a solid with steps for a surface.
    pub(crate) fn steps(&self, h: f64) -> Solid {
        let (inside, first) = self.inside(h);
        let mut number: BTreeMap<[usize; 3], u32> = BTreeMap::new();
        let (mut points, mut tets) = (Vec::new(), Vec::new());
        for [i, j, k] in inside {
            let corner = |c: usize| {
                let at = [i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)];
                *number.entry(at).or_insert_with(|| {
                    let n = V3::new(at[0] as f64, at[1] as f64, at[2] as f64);
                    points.push(first + (n - V3::repeat(0.5)) * h);
                    points.len() as u32 - 1
                })
            };
            let corners: Vec<u32> = (0..8).map(corner).collect();
            for [a, b] in crate::generate::CUBE {
                tets.push([0, a, b, 7].map(|c| corners[c]));
            }
        }
        let tets = oriented(&points, tets);
        (points, tets)
    }
}

/// The box around points.
fn extent(points: &[V3]) -> (V3, V3) {
    let all = points.iter();
    let (low, high) = (V3::repeat(f64::INFINITY), V3::repeat(f64::NEG_INFINITY));
    all.fold((low, high), |(low, high), p| (low.inf(p), high.sup(p)))
}

fn signed_volume(points: &[V3], triangles: &[[u32; 3]]) -> f64 {
    let (origin, _) = extent(points);
    let at = |v: u32| points[v as usize] - origin;
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(at);
        a.dot(&b.cross(&c)) / 6.0
    };
    triangles.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{box_surface, icosphere, torus};
    use crate::mesh::{Topology, boundary};
    use crate::testing::assert_small;
    use nalgebra::Rotation3;

    #[test]
    fn a_turned_and_shifted_box_has_its_moments() {
        let (points, triangles) = box_surface(&V3::new(0.5, 1.0, 2.0));
        let turn = Rotation3::from_scaled_axis(V3::new(0.4, -1.0, 0.3)).into_inner();
        let shift = V3::new(10.0, -20.0, 30.0);
        let moved = points.iter().map(|p| turn * p + shift).collect();
        // Written inside out: it is turned round.
        let inward = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let closed = Closed::new(moved, inward).expect("a box is closed");
        let m = closed.moments();
        assert_small(m.volume - 8.0, 8.0, 1e-12, "volume");
        assert_small((m.centre - shift).norm(), 1.0, 1e-12, "centre");
        let mut found: Vec<f64> = m.inertia.iter().copied().collect();
        found.sort_by(f64::total_cmp);
        // (b^2 + c^2) / 12 of sides 1, 2, 4.
        for (found, exact) in found.iter().zip([5.0, 17.0, 20.0].map(|x| x / 12.0)) {
            assert_small(found - exact, exact, 1e-12, "principal moments");
        }
        let tensor = m.axes * M3::from_diagonal(&m.inertia) * m.axes.transpose();
        let exact = M3::from_diagonal(&(V3::new(20.0, 17.0, 5.0) / 12.0));
        let exact = turn * exact * turn.transpose();
        assert_small((tensor - exact).norm(), 1.0, 1e-12, "about their axes");
        assert_small(m.axes.determinant() - 1.0, 1.0, 1e-12, "right-handed");
    }

    #[test]
    fn what_is_not_closed_is_told_with_its_place() {
        let (points, mut triangles) = icosphere(1, 1.0);
        let whole = Closed::new(points.clone(), triangles.clone());
        assert!(whole.is_ok());
        let mut turned = triangles.clone();
        turned[3].swap(0, 1);
        triangles.pop();
        for bad in [triangles, turned] {
            let error = Closed::new(points.clone(), bad).err().expect("has a hole");
            assert!(
                matches!(error, ClosedError::Open { .. }),
                "{error}: an edge is open"
            );
        }
        let none = Closed::new(points.clone(), vec![[0, 1, 99]]).err();
        assert_eq!(none, Some(ClosedError::NoVertex { triangle: 1 }));
        let flat = Closed::new(points, vec![[0, 1, 2], [0, 2, 1]]).err();
        assert_eq!(flat, Some(ClosedError::Flat));
    }

    #[test]
    fn lattices_fill_what_is_inside() {
        // Lattice lines pass exactly through edges and vertices of the box and the torus.
        let (ball, ring) = (icosphere(3, 1.0), torus(24, 12, 0.75, 0.25));
        let boxed = box_surface(&V3::new(0.5, 0.5, 0.5));
        for (name, (points, triangles), h) in [
            ("box", boxed, 0.25),
            ("ball", ball, 0.1),
            ("torus", ring, 0.0625),
        ] {
            let closed = Closed::new(points, triangles).expect("closed");
            let exact = closed.moments();
            let filled = closed.fill(h);
            let volume = filled.len() as f64 * h.powi(3);
            // Four places across the ring's thickness tell its volume to a twentieth.
            assert_small(volume / exact.volume - 1.0, 1.0, 0.05, name);
            let mean = filled.iter().sum::<V3>() / filled.len() as f64;
            assert_small((mean - exact.centre).norm(), 1.0, 1e-3, name);
            let (points, tets) = closed.steps(h);
            let surface = boundary(&tets);
            let topology = Topology::new(surface, points.len());
            let open = topology.neighbours.iter().flatten().any(Option::is_none);
            assert!(!open, "{name}: the steps are closed");
            assert_eq!(tets.len(), 6 * filled.len(), "{name}");
        }
        let (points, triangles) = box_surface(&V3::new(0.5, 0.5, 0.5));
        let closed = Closed::new(points, triangles).expect("closed");
        assert_eq!(closed.fill(0.25).len(), 64, "4 x 4 x 4 cells of a cube");
    }
}
