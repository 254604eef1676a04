//! Sharp inner corners: the cells around each become smaller towards it.
//!
//! ```text
//! b------------c     velocities behave as rho^0.54 at a corner of 270 degrees, pressures as rho^-0.46: no polynomial follows that.
//! |\         / |     The star of cells around the corner v is parted by shorter and shorter copies of its outline; what lies
//! | \ b'--- c' |     outside the star stays as it is, so neighbours, mouths and copies don't see it.
//! |  \|   / |  |
//! v---v---a'---a
//! ```
//! Two errors of opposite sign meet here: cells that are large beside their distance from the corner make a flow too small, pressures
//! that are too coarse let fluid through. Parting the star takes from the second only. So stars are made of more, narrower cells first
//! (diagonals of a grid run through its sharp corners), and parted as often and as far as leaves the least of both
//! (`tests/corners.rs` has the errors).

use rustc_hash::FxHashMap;

use super::grid::socket_of;
use super::{Domain, P2Mesh};
use stokeslet_base::geometry::Point;

/// What is done about sharp inner corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Corners {
    /// Nothing: cells there are as large as elsewhere.
    #[default]
    Plain,
    /// Cells become smaller towards them. In the plane.
    Graded,
}

/// How often a star is parted.
pub fn levels_x() -> usize { std::env::var("XL").ok().and_then(|s| s.parse().ok()).unwrap_or(2) }
pub fn ratio_x() -> f64 { std::env::var("XR").ok().and_then(|s| s.parse().ok()).unwrap_or(0.45) }

/// Length of a copy of its outline over that of the one before.



/// Inner angles above this are sharp, rad: 200 degrees. Below, velocities are nearly as smooth as elsewhere.
const SHARP: f64 = 200.0 / 180.0 * std::f64::consts::PI;

/// Below this (in cells) two points are the same.
const SAME: f64 = 1e-7;

/// Whether an inner angle, in rad, is sharp.
pub fn is_sharp(angle: f64) -> bool {
    angle > SHARP
}

/// The inner angle of a counter-clockwise outline at a corner, rad, in (0, 2 pi).
pub fn inner_angle(corners: &[Point], at: usize) -> f64 {
    let n = corners.len();
    let (before, after) = (corners[(at + n - 1) % n], corners[(at + 1) % n]);
    let (to, from) = (after - corners[at], before - corners[at]);
    let angle = to.cross(from).atan2(to.dot(from));
    angle.rem_euclid(std::f64::consts::TAU)
}

/// The sharp corners of an outline, between two walls.
pub fn sharp_corners(corners: &[Point], sockets: &[usize]) -> Vec<usize> {
    let n = corners.len();
    let is_wall = |edge: usize| !sockets.contains(&edge);
    (0..n)
        .filter(|&k| is_wall(k) && is_wall((k + n - 1) % n) && is_sharp(inner_angle(corners, k)))
        .collect()
}

/// A mesh with smaller cells at sharp corners, and what it was made of.
#[derive(Clone, Debug)]
pub struct GradedMesh {
    /// The mesh as it was.
    pub coarse: P2Mesh,
    /// For each cell, the cell of `coarse` that it is a part of.
    pub parents: Vec<u32>,
}

/// Grades a mesh towards the sharp corners of its outline; `None` where it has none.
///
/// # Shapes and units
/// - `mesh`: of the domain, straight between its vertices but on round posts; becomes the graded one, whose first cells keep their
///   numbers; cells at mouths keep their edges there
pub fn grade(mesh: &mut P2Mesh, domain: &Domain<'_>) -> Option<GradedMesh> {
    let mut stars = stars(mesh, domain.sharp_points().into_iter());
    if stars.is_empty() {
        return None;
    }
    let mut vertices = mesh.nodes[..mesh.n_vertices].to_vec();
    let mut triangles: Vec<[u32; 3]> = mesh.cells.iter().map(|c| [c[0], c[1], c[2]]).collect();
    let mut parents: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut centres: Vec<u32> = stars.keys().copied().collect();
    centres.sort_unstable();
    for centre in centres {
        for _ in 0..levels_x() {
            part(
                centre,
                &mut stars,
                &mut vertices,
                &mut triangles,
                &mut parents,
            );
        }
    }
    let points = vertices.clone();
    let &Domain {
        corners, sockets, ..
    } = domain;
    let on_socket =
        |a: u32, b: u32| socket_of(corners, sockets, points[a as usize], points[b as usize]);
    let rounds = domain.rounds(&points);
    let half = |a: u32, b: u32| rounds.middle([a, b], points[a as usize], points[b as usize]);
    let graded = P2Mesh::new(vertices, &triangles, sockets.len(), on_socket, half);
    let coarse = std::mem::replace(mesh, graded);
    Some(GradedMesh { coarse, parents })
}

/// The cells around the vertex at each of some points.
fn stars(mesh: &P2Mesh, points: impl Iterator<Item = Point>) -> FxHashMap<u32, Vec<usize>> {
    let vertices = &mesh.nodes[..mesh.n_vertices];
    let mut stars: FxHashMap<u32, Vec<usize>> = points
        .filter_map(|p| vertices.iter().position(|v| (*v - p).norm() < SAME))
        .map(|v| (v as u32, Vec::new()))
        .collect();
    if !stars.is_empty() {
        for (c, cell) in mesh.cells.iter().enumerate() {
            for v in &cell[..3] {
                if let Some(star) = stars.get_mut(v) {
                    star.push(c);
                }
            }
        }
    }
    stars
}

/// Parts the star of a vertex once: each cell by a shorter copy of the edge opposite, and what is left of it in two.
fn part(
    centre: u32,
    stars: &mut FxHashMap<u32, Vec<usize>>,
    vertices: &mut Vec<Point>,
    triangles: &mut Vec<[u32; 3]>,
    parents: &mut Vec<u32>,
) {
    let v = vertices[centre as usize];
    let mut nearer: FxHashMap<u32, u32> = FxHashMap::default();
    for c in stars.get(&centre).cloned().unwrap_or_default() {
        let t = triangles[c];
        let Some(i) = t.iter().position(|&n| n == centre) else {
            continue;
        };
        let outer = [t[(i + 1) % 3], t[(i + 2) % 3]];
        let inner = outer.map(|n| {
            *nearer.entry(n).or_insert_with(|| {
                vertices.push(v + (vertices[n as usize] - v) * ratio_x());
                vertices.len() as u32 - 1
            })
        });
        let ([a, b], [p, q]) = (outer, inner);
        let length = |m: u32, n: u32| (vertices[m as usize] - vertices[n as usize]).norm();
        // The shorter diagonal: its cells are the rounder ones.
        let rest = if length(p, b) < length(a, q) {
            [[p, a, b], [p, b, q]]
        } else {
            [[p, a, q], [a, b, q]]
        };
        triangles[c] = [centre, p, q];
        for (&other, star) in stars.iter_mut().filter(|s| *s.0 != centre) {
            if outer.contains(&other) {
                star.retain(|&k| k != c);
                for (k, cell) in rest.iter().enumerate() {
                    if cell.contains(&other) {
                        star.push(triangles.len() + k);
                    }
                }
            }
        }
        triangles.extend(rest);
        parents.extend([parents[c]; 2]);
    }
}

#[cfg(test)]
mod experiment {
    use crate::mesh::Corners;
    use crate::probe::testing::*;
    use crate::session::{SolveSettings, WantedResults, silent, solve};
    use stokeslet_base::cancel::CancelToken;
    use stokeslet_base::table::Table;

    #[test]
    #[ignore]
    fn experiment() {
        for (name, inner, centre, want) in [("bend", "kind = \"bend\"", 1.0, -0.2401426),
            ("bend120", "kind = \"bend\", parameters = { angle = \"120 deg\" }", 1.732_050_807_568_877_2, -0.73620),
            ("bend60", "kind = \"bend\", parameters = { angle = \"60 deg\" }", 0.577_350_269_189_625_8, 0.0),
            ("bend135", "kind = \"bend\", parameters = { angle = \"135 deg\" }", 2.414213562373095, 0.0),
            ] {
            let text = format!("format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ model = \"planar\", width = \"100 um\" }}\ncomponents = {{ x = {{ {inner}, at = [\"0 mm\", \"0 mm\"] }}, p = {{ kind = \"pipe\", attach = \"b\", to = \"x.a\", parameters = {{ length = \"600 um\" }} }}, q = {{ kind = \"pipe\", attach = \"a\", to = \"x.b\", parameters = {{ length = \"600 um\" }} }} }}\n[ports]\na = {{ at = \"p.a\", flow_rate = \"1e-8 m^2/s\" }}\nb = {{ at = \"q.b\", pressure = \"0 Pa\" }}\n");
            let (design, m) = stokeslet_cad::design::parse(&text, "x");
            assert!(m.is_empty(), "{m:?}");
            let (chip, m) = stokeslet_cad::chip::place(&design.unwrap(), &stokeslet_cad::library::Library::embedded());
            let chip = chip.unwrap_or_else(|| panic!("{m:?}"));
            for corners in [Corners::Plain, Corners::Graded] {
                for r in [4, 8, 16, 32, 64] {
                    if corners == Corners::Plain && r != 64 && r != 8 { continue; }
                    let settings = SolveSettings { resolution: r, corners, wanted: WantedResults::PortsOnly, ..Default::default() };
                    let s = solve(&chip, &settings, &Table::default(), &silent, &CancelToken::default()).unwrap();
                    let q = 1e-8;
                    let len = s.ports[0].pressure * 1e-12 / (12.0 * 1e-3 * q) / 1e-4;
                    let e = len - 12.0 - centre;
                    println!("{name} {corners:?} r={r} excess {e:.7} off {:.1e} unknowns {}", e - want, s.report.unknowns);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::polygon::mesh;

    fn points(corners: &[(f64, f64)]) -> Vec<Point> {
        corners.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    fn area(mesh: &P2Mesh) -> f64 {
        let at = |n: u32| mesh.nodes[n as usize];
        let cells = mesh.cells.iter();
        cells
            .map(|c| {
                let twice = (at(c[1]) - at(c[0])).cross(at(c[2]) - at(c[0]));
                assert!(twice > 0.0, "no cell is turned over");
                twice / 2.0
            })
            .sum()
    }

    /// A bend, and a wall of half a cell between two channels: two sharp corners in one cell.
    #[test]
    fn cells_around_sharp_corners_are_parted_and_nothing_else_changes() {
        let bend = [
            (0.0, 0.0),
            (8.0, 0.0),
            (8.0, 8.0),
            (4.0, 8.0),
            (4.0, 4.0),
            (0.0, 4.0),
        ];
        let fork = [
            (0.0, 0.0),
            (8.5, 0.0),
            (8.5, 4.0),
            (4.0, 4.0),
            (4.0, 4.5),
            (8.5, 4.5),
            (8.5, 8.5),
            (0.0, 8.5),
        ];
        for (outline, sockets, sharp) in [(&bend[..], &[2, 5][..], 1), (&fork, &[1, 5], 2)] {
            let corners = points(outline);
            let of = |kind| mesh(4, &Domain::simple(&corners, sockets), kind).expect("meshes");
            let (plain, graded) = (of(Corners::Plain), of(Corners::Graded));
            assert!(plain.graded.is_none());
            let made = graded.graded.as_ref().expect("has a sharp corner");
            let (before, after) = (made.coarse.cells.len(), graded.mesh.cells.len());
            assert_eq!(before, plain.mesh.cells.len());
            assert!((area(&graded.mesh) - area(&plain.mesh)).abs() < 1e-9);
            let added = after - before;
            assert!((20 * sharp..=30 * sharp).contains(&added), "{added}");
            assert_eq!(graded.mesh.sockets.len(), plain.mesh.sockets.len());
            for (a, b) in graded.mesh.sockets.iter().zip(&plain.mesh.sockets) {
                assert_eq!(a.len(), b.len(), "mouths keep their nodes");
            }
            // Euler's formula: a mesh without hanging nodes.
            let edges = graded.mesh.nodes.len() - graded.mesh.n_vertices;
            assert_eq!(graded.mesh.n_vertices + after, edges + 1);
        }
    }

    #[test]
    fn angles_are_those_inside() {
        let bend = points(&[
            (0.0, 0.0),
            (2.0, 0.0),
            (2.0, 2.0),
            (1.0, 2.0),
            (1.0, 1.0),
            (0.0, 1.0),
        ]);
        let degrees = |k| inner_angle(&bend, k).to_degrees();
        assert!((degrees(0) - 90.0).abs() < 1e-9);
        assert!((degrees(4) - 270.0).abs() < 1e-9);
        assert_eq!(sharp_corners(&bend, &[]), [4]);
        assert_eq!(sharp_corners(&bend, &[4]), [0; 0], "beside a mouth");
    }
}
