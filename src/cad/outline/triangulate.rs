//! The inside of closed walls as triangles on the walls' own corners: constrained Delaunay, then a flood from the walls.

use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::OutlineError;
use stokeslet_base::geometry::Point;

/// Triangles over points.
#[derive(Clone, Debug, Default)]
pub(super) struct Triangles {
    /// Corners, as given; equal ones are one.
    pub points: Vec<Point>,
    /// Counter-clockwise; the label of each that is inside.
    pub triangles: Vec<([u32; 3], Option<u32>)>,
    /// Which point each given corner is, loop by loop.
    pub corners: Vec<Vec<u32>>,
    /// Which points the ends of each line are.
    pub lines: Vec<[u32; 2]>,
}

/// A line within the loops: its ends, and the labels to its left and to its right.
pub(super) type Line = ([Point; 2], [u32; 2]);

/// Triangles of everything within the convex hull of some loops, inside to the left of their edges.
///
/// # Shapes and units
/// - `loops`: closed polygons, inside to the left, with the label of what is there for every edge
/// - `lines`: where labels change within the loops; `extra`: more points, to the hull of which the triangles reach
/// # Errors
/// [`OutlineError::WallsCross`] where two edges cross.
pub(super) fn triangulate(
    (loops, labels): (&[Vec<Point>], &[Vec<u32>]),
    lines: &[Line],
    extra: &[Point],
) -> Result<Triangles, OutlineError> {
    let mut mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut points: Vec<Point> = Vec::new();
    let crossing = |p: Point| OutlineError::WallsCross {
        x_mm: p.x * 1e3,
        y_mm: p.y * 1e3,
    };
    // Coordinates of the order of one keep the predicates in their range.
    let insert = |mesh: &mut ConstrainedDelaunayTriangulation<Point2<f64>>, p: Point| {
        mesh.insert(Point2::new(p.x * 1e3, p.y * 1e3))
            .map_err(|_| crossing(p))
    };
    let mut corners = Vec::with_capacity(loops.len());
    for polygon in loops {
        let mut numbers = Vec::with_capacity(polygon.len());
        for &p in polygon {
            let handle = insert(&mut mesh, p)?;
            if handle.index() == points.len() {
                points.push(p);
            }
            numbers.push(handle);
        }
        corners.push(numbers);
    }
    for &p in extra {
        if insert(&mut mesh, p)?.index() == points.len() {
            points.push(p);
        }
    }
    let mut ends = Vec::with_capacity(lines.len());
    for (line, _) in lines {
        let mut handles = Vec::with_capacity(2);
        for &p in line {
            let handle = insert(&mut mesh, p)?;
            if handle.index() == points.len() {
                points.push(p);
            }
            handles.push(handle);
        }
        ends.push([handles[0], handles[1]]);
    }
    let around = |numbers: &Vec<FixedVertexHandle>| -> Vec<[FixedVertexHandle; 2]> {
        let next = numbers.iter().cycle().skip(1);
        numbers.iter().zip(next).map(|(&a, &b)| [a, b]).collect()
    };
    for [a, b] in corners.iter().flat_map(around).chain(ends.iter().copied()) {
        if a == b {
            continue;
        }
        if !mesh.can_add_constraint(a, b) {
            return Err(crossing(points[a.index()]));
        }
        mesh.add_constraint(a, b);
    }
    let mut inside: Vec<Option<u32>> = vec![None; mesh.num_all_faces()];
    let mut todo = Vec::new();
    let mut seed = |a, b, label: u32| {
        if let Some(edge) = mesh.get_edge_from_neighbors(a, b) {
            todo.push((edge.face().fix(), label));
        }
    };
    for (numbers, labels) in corners.iter().zip(labels) {
        for ([a, b], &label) in around(numbers).into_iter().zip(labels) {
            seed(a, b, label);
        }
    }
    for ([a, b], (_, [left, right])) in ends.iter().zip(lines) {
        seed(*a, *b, *left);
        seed(*b, *a, *right);
    }
    while let Some((face, label)) = todo.pop() {
        let Some(face) = mesh.face(face).as_inner() else {
            continue;
        };
        let known = &mut inside[face.fix().index()];
        if known.is_some() {
            continue;
        }
        *known = Some(label);
        for edge in face.adjacent_edges() {
            if !edge.is_constraint_edge() {
                todo.push((edge.rev().face().fix(), label));
            }
        }
    }
    let triangles = mesh.inner_faces().map(|face| {
        let numbers = face.vertices().map(|v| v.index() as u32);
        (numbers, inside[face.fix().index()])
    });
    Ok(Triangles {
        triangles: triangles.collect(),
        corners: corners
            .into_iter()
            .map(|numbers| numbers.into_iter().map(|v| v.index() as u32).collect())
            .collect(),
        lines: ends
            .into_iter()
            .map(|ends| ends.map(|v| v.index() as u32))
            .collect(),
        points,
    })
}
