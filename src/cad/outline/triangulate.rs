//! The inside of closed walls as triangles on the walls' own corners: constrained Delaunay, then a flood from the walls.

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::OutlineError;
use stokeslet_base::geometry::Point;

/// Triangles over points.
#[derive(Clone, Debug, Default)]
pub(super) struct Triangles {
    /// Corners, as given; equal ones are one.
    pub points: Vec<Point>,
    /// Counter-clockwise; whether each is inside.
    pub triangles: Vec<([u32; 3], bool)>,
    /// Which point each given corner is, loop by loop.
    pub corners: Vec<Vec<u32>>,
}

/// Triangles of everything within the convex hull of some loops, inside to the left of their edges.
///
/// # Shapes and units
/// - `loops`: closed polygons, inside to the left; `extra`: more points, to the hull of which the triangles reach
/// # Errors
/// [`OutlineError::WallsCross`] where two edges cross.
pub(super) fn triangulate(
    loops: &[Vec<Point>],
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
    for numbers in &corners {
        for (&a, &b) in numbers.iter().zip(numbers.iter().cycle().skip(1)) {
            if a == b {
                continue;
            }
            if !mesh.can_add_constraint(a, b) {
                return Err(crossing(points[a.index()]));
            }
            mesh.add_constraint(a, b);
        }
    }
    let mut inside = vec![false; mesh.num_all_faces()];
    let mut todo = Vec::new();
    for numbers in &corners {
        for (&a, &b) in numbers.iter().zip(numbers.iter().cycle().skip(1)) {
            if let Some(edge) = mesh.get_edge_from_neighbors(a, b) {
                todo.push(edge.face().fix());
            }
        }
    }
    while let Some(face) = todo.pop() {
        let Some(face) = mesh.face(face).as_inner() else {
            continue;
        };
        if std::mem::replace(&mut inside[face.fix().index()], true) {
            continue;
        }
        for edge in face.adjacent_edges() {
            if !edge.is_constraint_edge() {
                todo.push(edge.rev().face().fix());
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
        points,
    })
}
