//! Walls of a polygon that slip: what each node of its mesh may do.

use std::collections::BTreeMap;

use super::Components;
use crate::mesh::{BlockMesh, PlaneSocket};
use stokeslet_base::geometry::Point;

/// Edges of a canonical shape whose walls slip, in cells: what its pieces depend on beside their meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SlipEdges {
    /// None.
    #[default]
    None,
    /// Whether a strip's right wall slips, and its left one.
    Strip([bool; 2]),
    /// Edges of a polygon that slip, from where to where.
    Polygon(Vec<[Point; 2]>),
}

/// What a node of a plane mesh may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// Anything.
    Free,
    /// Move along a wall: a unit vector of the half plane x > 0 or, where x is zero, upwards, so that edges that run opposite ways
    /// are alike.
    Along([f64; 2]),
    /// Move out of its socket, whose wall runs straight out of it.
    Outward,
    /// Move upwards: two walls that slip meet there.
    Upwards,
    /// Nothing.
    Held,
}

impl Freedom {
    /// Which components of its velocity are unknown, as far as the side walls say.
    pub fn components(self) -> Components {
        match self {
            Freedom::Free => Components::SPACE,
            Freedom::Along(_) | Freedom::Outward => Components::ALONG,
            Freedom::Upwards => Components::UP,
            Freedom::Held => Components::NONE,
        }
    }

    /// Along a wall that runs this way.
    pub(super) fn along(way: Point) -> Self {
        // An edge along an axis is exactly so, whatever rounding its corners have.
        let snap = |x: f64| if x.abs() < STRAIGHT { 0.0 } else { x };
        let unit = way.normalized();
        let (x, y) = (snap(unit.x), snap(unit.y));
        Self::Along(match (x == 0.0, y == 0.0) {
            (true, _) => [0.0, 1.0],
            (_, true) => [1.0, 0.0],
            _ if x < 0.0 => [-x, -y],
            _ => [x, y],
        })
    }
}

/// Chords whose directions differ by less than this belong to a curve, rad; others meet in a corner. A circle of 16 chords
/// turns by 22.5 degrees at each, one of 12 by 30.
pub const SMOOTH: f64 = 25.0 / 180.0 * std::f64::consts::PI;

/// Directions that differ by less than this are one, rad: outlines are kept to 1e-12 of a width.
const STRAIGHT: f64 = 1e-9;

/// A node lies on an edge from which it is so far, cells.
const SAME: f64 = 1e-7;

/// What each node may do that lies on a wall; the others are free. One a node of the mesh.
///
/// # Shapes and units
/// - `edges`: of the outline whose walls slip, counter-clockwise, in the mesh's unit
pub fn freedoms(
    mesh: &BlockMesh<2>,
    edges: &[[Point; 2]],
    sockets: &[PlaneSocket],
) -> Vec<Freedom> {
    let held = |&is: &bool| if is { Freedom::Held } else { Freedom::Free };
    let mut out: Vec<Freedom> = mesh.on_wall.iter().map(held).collect();
    if edges.is_empty() {
        return out;
    }
    let at = |n: u32| {
        let [x, y] = mesh.nodes[n as usize];
        Point::new(x, y)
    };
    // The chords that end in each node, each as long as its facet; `None`: on a wall that holds the fluid.
    let mut chords: BTreeMap<u32, Vec<Option<Point>>> = BTreeMap::new();
    for &(cell, k) in &mesh.walls {
        let nodes = mesh.cell(cell as usize);
        let (a, b) = (nodes[k as usize], nodes[(k as usize + 1) % 3]);
        let edge = edges
            .iter()
            .find(|edge| lies_on(edge, at(a)) && lies_on(edge, at(b)));
        // The outline's own direction, one for all its facets.
        let chord = edge.map(|[p, q]| (*q - *p).normalized() * (at(b) - at(a)).norm());
        for n in [a, b, nodes[3 + k as usize]] {
            chords.entry(n).or_default().push(chord);
        }
    }
    for (&n, chords) in &chords {
        out[n as usize] = meet(chords);
    }
    let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
    for socket in sockets {
        for &n in &socket.nodes {
            let n_sockets = seen.entry(n).or_default();
            *n_sockets += 1;
            let outward = Point::unit(socket.angle);
            out[n as usize] = match out[n as usize] {
                Freedom::Along([x, y])
                    if *n_sockets == 1 && outward.cross(Point::new(x, y)).abs() < STRAIGHT =>
                {
                    Freedom::Outward
                }
                Freedom::Free => Freedom::Free,
                Freedom::Along(_) if *n_sockets == 1 => Freedom::Upwards,
                _ => Freedom::Held,
            };
        }
    }
    out
}

/// Where the walls that meet in a node let it go; `None`: one that holds the fluid.
fn meet(chords: &[Option<Point>]) -> Freedom {
    let chords: Option<Vec<Point>> = chords.iter().copied().collect();
    let Some(chords) = chords.filter(|chords| !chords.is_empty()) else {
        return Freedom::Held;
    };
    let first = chords[0];
    let turn = |c: &Point| first.cross(*c).atan2(first.dot(*c)).abs();
    let most = chords.iter().map(turn).fold(0.0, f64::max);
    if most < STRAIGHT {
        Freedom::along(first)
    } else if most < SMOOTH {
        Freedom::along(chords.iter().fold(Point::default(), |sum, c| sum + *c))
    } else {
        Freedom::Upwards
    }
}

fn lies_on([p, q]: &[Point; 2], x: Point) -> bool {
    let along = (*q - *p).normalized();
    let t = (x - *p).dot(along);
    (x - *p).cross(along).abs() < SAME && t > -SAME && t < (*q - *p).norm() + SAME
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Corners, Domain, plane_polygon};

    fn freedom_at(corners: &[(f64, f64)], slip: &[usize], places: &[(f64, f64)]) -> Vec<Freedom> {
        let corners: Vec<Point> = corners.iter().map(|&(x, y)| Point::new(x, y)).collect();
        let edges: Vec<_> = slip
            .iter()
            .map(|&k| [corners[k], corners[(k + 1) % corners.len()]])
            .collect();
        let Ok(part) = plane_polygon(
            4,
            &Domain::simple(&corners, &[corners.len() - 1]),
            Corners::Plain,
        ) else {
            panic!("a sound polygon")
        };
        let all = freedoms(&part.mesh, &edges, &part.sockets);
        let find = |&(x, y): &(f64, f64)| {
            let near = |p: &[f64; 2]| (p[0] - x).hypot(p[1] - y) < 1e-6;
            all[part.mesh.nodes.iter().position(near).expect("a node there")]
        };
        places.iter().map(find).collect()
    }

    #[test]
    fn fluid_rests_where_walls_of_two_directions_meet_and_where_one_holds_it() {
        let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
        // The socket is the left edge; below and above run straight out of it.
        let places = [
            (2.0, 0.0),
            (4.0, 2.0),
            (4.0, 0.0),
            (4.0, 4.0),
            (0.0, 0.0),
            (0.0, 4.0),
            (2.0, 2.0),
        ];
        let found = freedom_at(&square, &[0, 1], &places);
        let along_x = Freedom::Along([1.0, 0.0]);
        let along_y = Freedom::Along([0.0, 1.0]);
        let (corner, held) = (Freedom::Upwards, Freedom::Held);
        assert_eq!(
            found,
            [
                along_x,
                along_y,
                corner,
                held,
                Freedom::Outward,
                held,
                Freedom::Free
            ]
        );
    }

    #[test]
    fn chords_of_a_curve_pass_on_what_flows_along_them() {
        // 20 degrees between the walls in the middle of the bottom; their chords there are one cell each.
        let (c, s) = (20.0_f64.to_radians().cos(), 20.0_f64.to_radians().sin());
        let turning = [
            (0.0, 0.0),
            (4.0, 0.0),
            (4.0 + 4.0 * c, 4.0 * s),
            (8.0, 6.0),
            (0.0, 4.0),
        ];
        let found = freedom_at(&turning, &[0, 1], &[(4.0, 0.0)]);
        let Freedom::Along([x, y]) = found[0] else {
            panic!("a curve: {found:?}")
        };
        assert!((y.atan2(x) - 10.0_f64.to_radians()).abs() < 1e-9, "{x} {y}");
        // 30 degrees are a corner.
        let (c, s) = (30.0_f64.to_radians().cos(), 30.0_f64.to_radians().sin());
        let turning = [
            (0.0, 0.0),
            (4.0, 0.0),
            (4.0 + 4.0 * c, 4.0 * s),
            (8.0, 6.0),
            (0.0, 4.0),
        ];
        assert_eq!(
            freedom_at(&turning, &[0, 1], &[(4.0, 0.0)]),
            [Freedom::Upwards]
        );
    }
}
