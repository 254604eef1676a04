//! Outlines of any shape: constrained Delaunay triangles with the mouths' edges fixed.

use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation,
};

use super::gaps::Sizes;
use super::grid::{MAX_CELLS, socket_of};
use super::{Domain, MeshError, P2Mesh};
use stokeslet_base::geometry::Point;

/// Meshes a polygon, with or without posts, with cells of about size one, or smaller near gaps and small posts. Edges on round posts
/// are curved: quadratic, with their middles on the circle.
///
/// # Shapes and units
/// - `domain` in cells; every mouth gets `resolution` equal edges
/// # Source
/// Ruppert's refinement by the `spade` crate, walls and mouths divided before and never split; then Laplacian smoothing.
pub fn delaunay(domain: &Domain<'_>, resolution: u32, sizes: &Sizes) -> Result<P2Mesh, MeshError> {
    let &Domain {
        corners, sockets, ..
    } = domain;
    let mut loops = vec![divide(corners, sockets, resolution, sizes)];
    loops.extend(domain.holes.iter().map(|hole| Domain::divide(hole, sizes)));
    let n_boundary: usize = loops.iter().map(Vec::len).sum();
    let area: f64 = corners
        .iter()
        .zip(corners.iter().cycle().skip(1))
        .map(|(a, b)| a.cross(*b))
        .sum::<f64>()
        / 2.0;
    // Cells that get larger from the boundary on are a few times as many as its edges.
    let grown = if sizes.is_uniform() { 1.0 } else { 4.0 };
    let estimate = area / 0.4 + grown * n_boundary as f64;
    if estimate > MAX_CELLS {
        return Err(MeshError::TooManyCells {
            cells: estimate,
            limit: MAX_CELLS,
        });
    }
    let mut cdt = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(n_boundary);
    for p in loops.iter().flatten() {
        handles.push(
            cdt.insert(Point2::new(p.x, p.y))
                .map_err(|_| MeshError::Dimension)?,
        );
    }
    let mut first = 0;
    for boundary in &loops {
        let own = &handles[first..first + boundary.len()];
        first += boundary.len();
        for (k, &a) in own.iter().enumerate() {
            let b = own[(k + 1) % own.len()];
            if a == b || !cdt.can_add_constraint(a, b) {
                return Err(MeshError::NotSimple {
                    x: boundary[k].x,
                    y: boundary[k].y,
                });
            }
            cdt.add_constraint(a, b);
        }
    }
    let parameters = RefinementParameters::<f64>::new()
        .exclude_outer_faces(true)
        .keep_constraint_edges()
        .with_angle_limit(AngleLimit::from_deg(28.0))
        .with_max_allowed_area(0.6)
        .with_max_additional_vertices((4.0 * estimate) as usize + 1000);
    let result = cdt.refine(parameters);
    let excluded: std::collections::BTreeSet<usize> =
        result.excluded_faces.iter().map(|f| f.index()).collect();
    let mut numbers = vec![u32::MAX; cdt.num_vertices()];
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for face in cdt
        .inner_faces()
        .filter(|f| !excluded.contains(&f.fix().index()))
    {
        triangles.push(face.vertices().map(|v| {
            let number = &mut numbers[v.fix().index()];
            if *number == u32::MAX {
                *number = vertices.len() as u32;
                vertices.push(Point::new(v.position().x, v.position().y));
            }
            *number
        }));
    }
    if triangles.is_empty() || triangles.len() as f64 > MAX_CELLS {
        return Err(MeshError::Refinement);
    }
    let n_boundary = handles.iter().map(|h| numbers[h.index()]);
    let mut fixed = vec![false; vertices.len()];
    for n in n_boundary {
        *fixed.get_mut(n as usize).ok_or(MeshError::Refinement)? = true;
    }
    smooth(&mut vertices, &triangles, &fixed);
    let points = vertices.clone();
    let on_socket =
        |a: u32, b: u32| socket_of(corners, sockets, points[a as usize], points[b as usize]);
    let rounds = domain.rounds(&points);
    let half = |a: u32, b: u32| rounds.middle([a, b], points[a as usize], points[b as usize]);
    Ok(P2Mesh::new(
        vertices,
        &triangles,
        sockets.len(),
        on_socket,
        half,
    ))
}

/// The boundary's vertices: mouths in `resolution` equal edges, walls in steps near one, or smaller near gaps.
fn divide(corners: &[Point], sockets: &[usize], resolution: u32, sizes: &Sizes) -> Vec<Point> {
    let mut out = Vec::new();
    for (k, &a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        let n = if sockets.contains(&k) {
            f64::from(resolution)
        } else if sizes.is_uniform() {
            (b - a).norm().round().max(1.0)
        } else {
            out.extend(sizes.divide(a, b));
            continue;
        };
        out.extend((0..n as usize).map(|i| a + (b - a) * (i as f64 / n)));
    }
    out
}

/// Moves inner vertices to the mean of their neighbours, where that turns no cell over.
fn smooth(vertices: &mut [Point], triangles: &[[u32; 3]], fixed: &[bool]) {
    let mut cells_at = vec![Vec::new(); vertices.len()];
    for (c, t) in triangles.iter().enumerate() {
        for &v in t {
            cells_at[v as usize].push(c);
        }
    }
    for _ in 0..4 {
        for v in (0..vertices.len()).filter(|&v| !fixed[v]) {
            let mut sum = Point::default();
            for &c in &cells_at[v] {
                for &n in triangles[c].iter().filter(|&&n| n as usize != v) {
                    sum = sum + vertices[n as usize];
                }
            }
            let old = vertices[v];
            let worst = |vertices: &[Point]| {
                cells_at[v]
                    .iter()
                    .map(|&c| shape(vertices, triangles[c]))
                    .fold(f64::INFINITY, f64::min)
            };
            let before = worst(vertices);
            vertices[v] = sum * (0.5 / cells_at[v].len() as f64);
            if worst(vertices) < before.min(0.6) {
                vertices[v] = old;
            }
        }
    }
}

/// Shape of a triangle: 1 where equilateral, 0 where flat, negative where turned over.
fn shape(vertices: &[Point], t: [u32; 3]) -> f64 {
    let [a, b, c] = t.map(|n| vertices[n as usize]);
    let squares = (b - a).dot(b - a) + (c - b).dot(c - b) + (a - c).dot(a - c);
    2.0 * 3f64.sqrt() * (b - a).cross(c - a) / squares
}
