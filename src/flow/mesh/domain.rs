//! What a polygon's mesh is made for: an outline, its sockets and the posts in it.

use std::f64::consts::TAU;

use super::gaps::Sizes;
use super::grading::sharp_corners;
use stokeslet_base::geometry::Point;
use stokeslet_cad::shape::Hole;

/// Vertices of a mesh are on a circle that are this near, in cells.
const ON_CIRCLE: f64 = 1e-7;
const NONE: u32 = u32::MAX;

/// An outline with sockets and posts, in cells of its narrowest socket.
#[derive(Clone, Copy, Debug)]
pub struct Domain<'a> {
    /// Counter-clockwise.
    pub corners: &'a [Point],
    /// Socket k is the edge after corner `sockets[k]`.
    pub sockets: &'a [usize],
    /// Inside, apart from the outline and from each other.
    pub holes: &'a [Hole],
}

impl<'a> Domain<'a> {
    /// An outline without posts.
    pub fn simple(corners: &'a [Point], sockets: &'a [usize]) -> Self {
        Self {
            corners,
            sockets,
            holes: &[],
        }
    }

    /// Whether all its dimensions are numbers.
    pub fn is_finite(&self) -> bool {
        let is_finite = |p: &Point| p.x.is_finite() && p.y.is_finite();
        self.corners.iter().all(is_finite)
            && self.holes.iter().all(|hole| match hole {
                Hole::Circle { centre, radius } => is_finite(centre) && radius.is_finite(),
                Hole::Polygon(corners) => corners.iter().all(is_finite),
            })
    }

    /// Where the mesh has sharp inner corners between walls; those of posts are.
    pub fn sharp_points(&self) -> Vec<Point> {
        let outer = sharp_corners(self.corners, self.sockets);
        let mut points: Vec<Point> = outer.into_iter().map(|k| self.corners[k]).collect();
        for hole in self.holes {
            if let Hole::Polygon(corners) = hole {
                points.extend(sharp_corners(corners, &[]).into_iter().map(|k| corners[k]));
            }
        }
        points
    }

    /// The vertices on a post's wall, clockwise: where edges of the mesh are to begin.
    pub fn divide(hole: &Hole, sizes: &Sizes) -> Vec<Point> {
        match hole {
            Hole::Circle { centre, radius } => {
                // Turned and measured as one straight wall, wound up.
                let at = |way: f64| *centre + Point::unit(-way / radius) * *radius;
                sizes.divide_along(TAU * radius, at)
            }
            Hole::Polygon(corners) => {
                let n = corners.len();
                let edges = (0..n).map(|k| (corners[k], corners[(k + 1) % n]));
                edges.flat_map(|(a, b)| sizes.divide(a, b)).collect()
            }
        }
    }

    /// Which round post each of some vertices is on.
    pub fn rounds(&self, vertices: &[Point]) -> Rounds {
        let circles: Vec<(Point, f64)> = self
            .holes
            .iter()
            .filter_map(|hole| match hole {
                Hole::Circle { centre, radius } => Some((*centre, *radius)),
                Hole::Polygon(_) => None,
            })
            .collect();
        let mut of_vertex = Vec::new();
        if !circles.is_empty() {
            of_vertex = vec![NONE; vertices.len()];
        }
        for (k, &(centre, radius)) in circles.iter().enumerate() {
            for (of, &p) in of_vertex.iter_mut().zip(vertices) {
                if ((p - centre).norm() - radius).abs() < ON_CIRCLE {
                    *of = k as u32;
                }
            }
        }
        Rounds { circles, of_vertex }
    }
}

/// Which vertices are on which round post.
pub struct Rounds {
    /// Centres and radii.
    circles: Vec<(Point, f64)>,
    /// Empty where there are no circles.
    of_vertex: Vec<u32>,
}

impl Rounds {
    /// The middle of the edge between two vertices, `p` and `q`: on the circle where both are on one. The edge between two places of a
    /// circle that aren't neighbours would lie in the solid, so the mesh has none.
    pub fn middle(&self, [a, b]: [u32; 2], p: Point, q: Point) -> Point {
        let straight = (p + q) * 0.5;
        let of = |v: u32| self.of_vertex.get(v as usize).copied().unwrap_or(NONE);
        match self.circles.get(of(a) as usize) {
            Some(&(centre, radius)) if of(a) == of(b) => {
                centre + (straight - centre).normalized() * radius
            }
            _ => straight,
        }
    }
}
