//! The mesh of a polygon, moved after another one that differs little from it.
//!
//! ```text
//! on an edge          a node stays at its part of it
//! on a round post     a node stays at its angle
//! inside              displacements are harmonic: linear finite elements on the mesh at hand
//! ```
//! Meshed anew, such a polygon may have other cells however little it differs: Delaunay triangles flip, lines of a grid part. Derivatives
//! want the same cells. Where a mesh of its own [has them](lies_near), that is the better one: cells at corners keep their sizes.

use faer::Mat;
use rustc_hash::FxHashMap;
use stokeslet_fronts::algebra::{Entry, SparseCholesky};

use super::polygon::angles_and_scales;
use super::{BlockMesh, Domain, PlanePolygon};
use stokeslet_base::geometry::Point;
use stokeslet_cad::shape::Hole;

/// Nodes this near to an edge or to a round post are on it, in cells.
const ON_EDGE: f64 = 1e-7;
/// Nodes aren't moved further than this, in cells: another polygon isn't nearly the same.
const FURTHEST: f64 = 0.5;

/// The image of the mesh `of` a domain in another, and in its cells; `None` where the two have not as many corners, sockets and posts, in the same
/// order, differ by more than half a cell, or a cell would become half or twice as large.
///
/// # Accuracy and cost
/// Linear in what differs, so results follow as smoothly. A sparse Cholesky factorisation of the vertices inside.
pub fn image(
    of: &PlanePolygon,
    from: &Domain<'_>,
    to: &Domain<'_>,
    resolution: u32,
) -> Option<PlanePolygon> {
    let is_alike = from.sockets == to.sockets
        && from.corners.len() == to.corners.len()
        && from.holes.len() == to.holes.len();
    if !is_alike {
        return None;
    }
    let moves = displacements(&of.mesh, from, to)?;
    if !moves.iter().all(|by| by.norm() < FURTHEST) {
        return None;
    }
    let mut mesh = of.mesh.clone();
    for (node, by) in mesh.nodes.iter_mut().zip(&moves) {
        *node = [node[0] + by.x, node[1] + by.y];
    }
    let kept = |(new, old): (f64, f64)| new > 0.5 * old && new < 2.0 * old;
    if !areas(&mesh).zip(areas(&of.mesh)).all(kept) {
        return None;
    }
    let mut sockets = of.sockets.clone();
    for (socket, (angle, scale)) in sockets.iter_mut().zip(angles_and_scales(to, resolution)) {
        (socket.angle, socket.scale) = (angle, scale);
    }
    Some(PlanePolygon {
        mesh,
        sockets,
        cut_as: Some(of.mesh.clone()),
    })
}

/// Areas of all cells, between their vertices.
fn areas(mesh: &BlockMesh<2>) -> impl Iterator<Item = f64> {
    let at = |n: u32| Point::new(mesh.nodes[n as usize][0], mesh.nodes[n as usize][1]);
    let cells = mesh.cells.chunks_exact(6);
    cells.map(move |c| 0.5 * (at(c[1]) - at(c[0])).cross(at(c[2]) - at(c[0])))
}

/// Whether two meshes have the same cells, and their nodes lie near each other.
pub fn lies_near(a: &BlockMesh<2>, b: &BlockMesh<2>) -> bool {
    let mut nodes = a.nodes.iter().zip(&b.nodes);
    a.cells == b.cells
        && a.nodes.len() == b.nodes.len()
        && nodes.all(|(p, q)| (p[0] - q[0]).hypot(p[1] - q[1]) < FURTHEST)
}

/// By node, in cells; `None` where an end of the mesh is on no edge and on no post.
fn displacements(mesh: &BlockMesh<2>, from: &Domain<'_>, to: &Domain<'_>) -> Option<Vec<Point>> {
    let place = |n: u32| Point::new(mesh.nodes[n as usize][0], mesh.nodes[n as usize][1]);
    let mut moves: Vec<Option<Point>> = vec![None; mesh.nodes.len()];
    for edge in outer_edges(mesh) {
        for n in edge {
            if moves[n as usize].is_none() {
                moves[n as usize] = Some(on_edge(place(n), from, to)?);
            }
        }
    }
    harmonic(mesh, &mut moves)?;
    for cell in mesh.cells.chunks_exact(6) {
        for k in 0..3 {
            let [a, b, middle] = [cell[k], cell[(k + 1) % 3], cell[3 + k]].map(|n| n as usize);
            if moves[middle].is_none() {
                moves[middle] = Some((moves[a]? + moves[b]?) * 0.5);
            }
        }
    }
    moves.into_iter().collect()
}

/// Edges of one cell only: their ends and their middle.
fn outer_edges(mesh: &BlockMesh<2>) -> Vec<[u32; 3]> {
    let mut once: FxHashMap<u32, [u32; 3]> = FxHashMap::default();
    for cell in mesh.cells.chunks_exact(6) {
        for k in 0..3 {
            let edge = [cell[k], cell[(k + 1) % 3], cell[3 + k]];
            if once.remove(&edge[2]).is_none() {
                once.insert(edge[2], edge);
            }
        }
    }
    once.into_values().collect()
}

/// How far a place on an edge or a post of one domain is from its image in another.
fn on_edge(p: Point, from: &Domain<'_>, to: &Domain<'_>) -> Option<Point> {
    let mut best = (ON_EDGE, None);
    let mut along = |a: &[Point], b: &[Point]| {
        let n = a.len().min(b.len());
        for k in 0..n {
            let next = (k + 1) % n;
            let off = p.distance_to_segment(a[k], a[next]);
            if off < best.0 {
                let edge = a[next] - a[k];
                let part = ((p - a[k]).dot(edge) / edge.dot(edge)).clamp(0.0, 1.0);
                let by = (b[k] - a[k]) * (1.0 - part) + (b[next] - a[next]) * part;
                best = (off, Some(by));
            }
        }
    };
    along(from.corners, to.corners);
    for (a, b) in from.holes.iter().zip(to.holes) {
        if let (Hole::Polygon(a), Hole::Polygon(b)) = (a, b) {
            along(a, b);
        }
    }
    for (a, b) in from.holes.iter().zip(to.holes) {
        if let (
            Hole::Circle { centre, radius },
            Hole::Circle {
                centre: c,
                radius: r,
            },
        ) = (a, b)
        {
            let off = ((p - *centre).norm() - radius).abs();
            if off < best.0 {
                let image = *c + (p - *centre) * (r / radius);
                best = (off, Some(image - p));
            }
        }
    }
    best.1
}

/// Displacements of the vertices that have none yet, from those of the others.
fn harmonic(mesh: &BlockMesh<2>, moves: &mut [Option<Point>]) -> Option<()> {
    let inside: Vec<usize> = (0..mesh.n_vertices)
        .filter(|&v| moves[v].is_none())
        .collect();
    if inside.is_empty() {
        return Some(());
    }
    let mut row = vec![usize::MAX; mesh.n_vertices];
    for (k, &v) in inside.iter().enumerate() {
        row[v] = k;
    }
    let mut triplets = Vec::new();
    let mut right: Mat<f64> = Mat::zeros(inside.len(), 2);
    for cell in mesh.cells.chunks_exact(6) {
        let v = [cell[0], cell[1], cell[2]].map(|n| n as usize);
        let x = v.map(|n| Point::new(mesh.nodes[n][0], mesh.nodes[n][1]));
        // Of each vertex, the edge opposite: gradients are these, turned, over twice the area.
        let opposite = [x[2] - x[1], x[0] - x[2], x[1] - x[0]];
        let twice_area = opposite[0].cross(opposite[1]);
        for i in (0..3).filter(|&i| row[v[i]] != usize::MAX) {
            for j in 0..3 {
                let value = opposite[i].dot(opposite[j]) / (2.0 * twice_area);
                match moves[v[j]] {
                    Some(by) => {
                        right[(row[v[i]], 0)] -= value * by.x;
                        right[(row[v[i]], 1)] -= value * by.y;
                    }
                    None if row[v[j]] <= row[v[i]] => {
                        triplets.push(Entry::new(row[v[i]], row[v[j]], value));
                    }
                    None => {}
                }
            }
        }
    }
    let found = SparseCholesky::new(inside.len(), &triplets)?.solve(&right);
    for (k, &v) in inside.iter().enumerate() {
        moves[v] = Some(Point::new(found[(k, 0)], found[(k, 1)]));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Corners, plane_polygon};

    const R: u32 = 6;

    /// A chamber with slanted walls and two posts, one of them round, in cells; `grown` moves everything.
    fn chamber(grown: f64) -> (Vec<Point>, Vec<Hole>) {
        let p = Point::new;
        let corners = vec![
            p(0.0, 3.0),
            p(0.0, -3.0),
            p(9.0 + grown, -11.0 - grown),
            p(27.0, -10.0),
            p(30.0 + grown, -3.0 + 0.5 * grown),
            p(30.0 + grown, 3.0 + 0.5 * grown),
            p(22.0, 12.0 + grown),
        ];
        let square = [(9.0, 1.0), (9.0, 3.0), (11.0, 3.0), (11.0, 1.0)];
        let square = square.map(|(x, y)| p(x + grown, y - 0.3 * grown));
        let round = Hole::Circle {
            centre: p(17.0 - grown, -2.0),
            radius: 2.5 + 0.4 * grown,
        };
        (corners, vec![round, Hole::Polygon(square.to_vec())])
    }

    fn domain(of: &(Vec<Point>, Vec<Hole>)) -> Domain<'_> {
        Domain {
            corners: &of.0,
            sockets: &[0, 4],
            holes: &of.1,
        }
    }

    #[test]
    fn an_image_fills_the_other_domain_with_the_same_cells() {
        let (model, own) = (chamber(0.0), chamber(0.02));
        for corners in [Corners::Plain, Corners::Graded] {
            let of = plane_polygon(R, &domain(&model), corners).expect("a chamber");
            let cells = of.mesh.cells.clone();
            let made = image(&of, &domain(&model), &domain(&own), R).expect("near enough");
            assert_eq!(made.mesh.cells, cells);
            for (a, b) in areas(&made.mesh).zip(areas(&of.mesh)) {
                assert!((a / b - 1.0).abs() < 0.1, "{a} and {b}");
            }
            let anew = plane_polygon(R, &domain(&own), corners).expect("a chamber");
            for (a, b) in made.sockets.iter().zip(&anew.sockets) {
                assert_eq!((a.angle, a.scale), (b.angle, b.scale));
                for (n, m) in a.nodes.iter().zip(&b.nodes) {
                    let (n, m) = (made.mesh.nodes[*n as usize], anew.mesh.nodes[*m as usize]);
                    assert!((n[0] - m[0]).abs() + (n[1] - m[1]).abs() < 1e-12);
                }
            }
            // Middles of walls of the round post are on it.
            let Hole::Circle { centre, radius } = own.1[0] else {
                unreachable!()
            };
            let off = |n: &[f64; 2]| (Point::new(n[0], n[1]) - centre).norm() - radius;
            let on =
                |m: &PlanePolygon| m.mesh.nodes.iter().filter(|n| off(n).abs() < 1e-12).count();
            assert_eq!(on(&made), on(&anew));
        }
    }

    #[test]
    fn displacements_are_linear_in_what_differs() {
        let model = chamber(0.0);
        let of = plane_polygon(R, &domain(&model), Corners::Plain).expect("a chamber");
        let moved = |grown: f64| {
            let own = chamber(grown);
            let made = image(&of, &domain(&model), &domain(&own), R);
            made.expect("near enough").mesh.nodes
        };
        let (one, two) = (moved(0.01), moved(0.02));
        for ((a, b), c) in of.mesh.nodes.iter().zip(&one).zip(&two) {
            for k in 0..2 {
                assert!((a[k] - 2.0 * b[k] + c[k]).abs() < 1e-12);
            }
        }
        assert_eq!(moved(0.0), of.mesh.nodes);
    }

    #[test]
    fn other_polygons_have_no_images() {
        let (model, far) = (chamber(0.0), chamber(0.6));
        let of = plane_polygon(R, &domain(&model), Corners::Plain).expect("a chamber");
        assert!(image(&of, &domain(&model), &domain(&far), R).is_none());
        let (mut fewer, same) = (chamber(0.0), chamber(0.0));
        fewer.1.pop();
        assert!(image(&of, &domain(&model), &domain(&fewer), R).is_none());
        assert!(image(&of, &domain(&model), &domain(&same), R).is_some());
    }
}
