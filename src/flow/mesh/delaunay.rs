//! Outlines of any shape: constrained Delaunay triangles with the sockets' edges fixed.

use std::collections::BTreeSet;

use rstar::RTree;
use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, Point2, PositionInTriangulation,
    RefinementParameters, Triangulation,
};

use super::gaps::Sizes;
use super::grid::{MAX_CELLS, socket_of};
use super::symmetry::Axis;
use super::{Domain, MeshError, P2Mesh};
use stokeslet_base::geometry::Point;

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The largest area of a cell, over the square of its size.
const MAX_AREA: f64 = 0.6;

/// New vertices keep this much of their cell's circumradius from each other.
const APART: f64 = 0.8;

/// Meshes a polygon, with or without posts, with cells of about size one, or smaller near gaps and small posts. Edges on round posts
/// are curved: quadratic, with their middles on the circle.
///
/// # Shapes and units
/// - `domain` in cells; every socket gets `resolution` equal edges
/// # Source
/// Ruppert's refinement by the `spade` crate, walls and sockets divided before and never split; then Laplacian smoothing.
pub fn delaunay(domain: &Domain<'_>, resolution: u32, sizes: &Sizes) -> Result<P2Mesh, MeshError> {
    let &Domain {
        corners, sockets, ..
    } = domain;
    let edge = |k: usize| divide(corners, sockets, k, resolution, sizes);
    let axis = Axis::of(domain, resolution);
    let chains: Vec<Vec<Point>> = match &axis {
        Some(axis) => axis.half(domain, &edge, sizes),
        None => {
            let outline = (0..corners.len()).flat_map(edge).collect();
            let posts = domain.holes.iter().map(|hole| Domain::divide(hole, sizes));
            let rings = std::iter::once(outline).chain(posts);
            rings
                .map(|mut ring: Vec<Point>| {
                    ring.extend(ring.first().copied());
                    ring
                })
                .collect()
        }
    };
    let halves = if axis.is_some() { 2 } else { 1 };
    let n_boundary = halves * chains.iter().map(Vec::len).sum::<usize>();
    let area: f64 = corners
        .iter()
        .zip(corners.iter().cycle().skip(1))
        .map(|(a, b)| a.cross(*b))
        .sum::<f64>()
        / 2.0;
    // Cells that get larger from the boundary on are a few times as many as its edges.
    let estimate = area / 0.4 + sizes.cells_a_wall_cell() * n_boundary as f64;
    if estimate > MAX_CELLS {
        return Err(MeshError::TooManyCells {
            cells: estimate,
            limit: MAX_CELLS,
        });
    }
    let mut cdt = Cdt::new();
    let mut handles = Vec::with_capacity(n_boundary);
    for chain in &chains {
        let first = handles.len();
        for p in chain {
            let handle = cdt.insert(Point2::new(p.x, p.y));
            handles.push(handle.map_err(|_| MeshError::Dimension)?);
        }
        for (pair, p) in handles[first..].windows(2).zip(chain) {
            let (a, b) = (pair[0], pair[1]);
            if a == b || !cdt.can_add_constraint(a, b) {
                return Err(MeshError::NotSimple { x: p.x, y: p.y });
            }
            cdt.add_constraint(a, b);
        }
    }
    let outside = refine(&mut cdt, sizes, (4.0 * estimate) as usize + 1000);
    let mut numbers = vec![u32::MAX; cdt.num_vertices()];
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for face in cdt
        .inner_faces()
        .filter(|f| !outside.contains(&f.fix().index()))
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
    if let Some(axis) = &axis {
        axis.unfold(&mut vertices, &mut triangles);
    }
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

/// The vertices of edge `k` of an outline but the last: a socket in `resolution` equal edges, a wall in steps near one, or smaller near
/// gaps.
fn divide(
    corners: &[Point],
    sockets: &[usize],
    k: usize,
    resolution: u32,
    sizes: &Sizes,
) -> Vec<Point> {
    let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
    if !sockets.contains(&k) {
        return sizes.divide(a, b);
    }
    let n = resolution as usize;
    (0..n)
        .map(|i| a + (b - a) * (i as f64 / n as f64))
        .collect()
}

/// Adds vertices until angles are good and no cell is larger than wanted, or there are `most` more; returns the faces outside the fluid.
fn refine(cdt: &mut Cdt, sizes: &Sizes, most: usize) -> BTreeSet<usize> {
    let parameters = RefinementParameters::<f64>::new()
        .exclude_outer_faces(true)
        .keep_constraint_edges()
        .with_angle_limit(AngleLimit::from_deg(28.0))
        .with_max_allowed_area(MAX_AREA);
    let most = cdt.num_vertices().saturating_add(most);
    // Wanted at each vertex: asked for once, not again for every cell of every round.
    let mut wanted: Vec<f64> = Vec::new();
    loop {
        let left = most.saturating_sub(cdt.num_vertices());
        let result = cdt.refine(parameters.clone().with_max_additional_vertices(left));
        let outside: BTreeSet<usize> = result.excluded_faces.iter().map(|f| f.index()).collect();
        if sizes.is_uniform() {
            return outside;
        }
        let new = cdt.vertices().skip(wanted.len()).map(|v| v.position());
        let sizes_there = new.map(|p| sizes.at(Point::new(p.x, p.y)));
        wanted.extend(sizes_there.collect::<Vec<f64>>());
        let more = middles_of_large_cells(cdt, &outside, &wanted);
        let before = cdt.num_vertices();
        for p in more {
            if cdt.num_vertices() < most && cdt.insert(Point2::new(p[0], p[1])).is_err() {
                break;
            }
        }
        if cdt.num_vertices() == before {
            return outside;
        }
    }
}

/// Circumcentres of cells that are larger than wanted at their vertices, the largest first and no two in one of their circles.
///
/// Between refinements alone cells would follow the sizes along walls only, and grow from there as fast as angles allow. Where a
/// circumcentre lies outside, or so near a wall that a flat cell would come of it, the cell stays.
fn middles_of_large_cells(cdt: &Cdt, outside: &BTreeSet<usize>, wanted: &[f64]) -> Vec<[f64; 2]> {
    let mut large = Vec::new();
    for face in cdt.inner_faces() {
        if outside.contains(&face.fix().index()) {
            continue;
        }
        let sum: f64 = face
            .vertices()
            .map(|v| wanted[v.fix().index()])
            .iter()
            .sum();
        let size = sum / 3.0;
        let excess = face.area() / (MAX_AREA * size * size);
        if excess <= 1.0 {
            continue;
        }
        let (centre, radius_2) = face.circumcircle();
        let [start, ..] = face.vertices();
        let lies_well = match cdt.locate_with_hint(centre, start.fix()) {
            PositionInTriangulation::OnFace(at) => {
                !outside.contains(&at.index())
                    && cdt.face(at).adjacent_edges().iter().all(|edge| {
                        let [a, b] = edge.positions();
                        let to = |p: Point2<f64>| Point::new(p.x - centre.x, p.y - centre.y);
                        !edge.is_constraint_edge() || to(a).dot(to(b)) > 0.0
                    })
            }
            PositionInTriangulation::OnEdge(edge) => !cdt.directed_edge(edge).is_constraint_edge(),
            _ => false,
        };
        if lies_well {
            large.push((excess, [centre.x, centre.y], radius_2));
        }
    }
    large.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut taken: RTree<[f64; 2]> = RTree::new();
    let mut out = Vec::new();
    for (_, centre, radius_2) in large {
        let reach = APART * APART * radius_2;
        if taken.locate_within_distance(centre, reach).next().is_none() {
            taken.insert(centre);
            out.push(centre);
        }
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
