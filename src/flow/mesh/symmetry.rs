//! Outlines that are their own mirror image get meshes that are: half of one is meshed, up to the axis, and unfolded.
//!
//! ```text
//!   +------+          +---|                +---|---+
//!  /        \        /    |  meshed, the  /    |    \
//! +  o    o  +  ->  +  o  |  axis as a   +  o  |  o  +
//!  \        /        \    |  wall is      \    |    /
//!   +------+          +---|                +---|---+
//! ```
//! A mesh that isn't would tell mirror-symmetric pairs of a symmetric chip apart, by as much as its own errors.

use rustc_hash::FxHashSet;

use super::Domain;
use super::gaps::Sizes;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::contains;
use stokeslet_cad::shape::Hole;

/// Below this two places (in cells) are the same.
const SAME: f64 = 1e-6;

/// The axis of a symmetric domain: a point, and a unit vector along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    at: Point,
    along: Point,
}

/// An edge or a circle, as it lies in multiples of [`SAME`].
type Feature = ([i64; 4], u8);

impl Axis {
    /// An axis of symmetry of a domain and of its mesh's sockets; of several one that crosses a socket.
    pub fn of(domain: &Domain<'_>, resolution: u32) -> Option<Self> {
        let (corners, n) = (domain.corners, domain.corners.len());
        if n < 3 {
            return None;
        }
        let own: FxHashSet<Feature> = features(domain, |p| p, false).collect();
        // A reflection turns the outline round: it takes corner i to corner (sum - i) for some sum.
        let crossing_sockets = domain.sockets.iter().map(|&k| (2 * k + 1) % n);
        let mut axes = crossing_sockets.chain(0..n).filter_map(|sum| {
            let (a, b) = match sum {
                0 => (corners[1], corners[n - 1]),
                _ => (corners[0], corners[sum]),
            };
            let across = b - a;
            (across.norm() > SAME).then(|| Self {
                at: (a + b) * 0.5,
                along: across.left().normalized(),
            })
        });
        let holds = |axis: &Self| {
            let is_even = |&k: &usize| {
                let [a, b] = [corners[k], corners[(k + 1) % n]].map(|p| axis.side(p));
                a * b >= 0.0 || resolution.is_multiple_of(2)
            };
            domain.sockets.iter().all(is_even)
                && features_are_in(&own, features(domain, |p| axis.mirrored(p), true))
        };
        axes.find(holds)
    }

    /// Way from the axis, positive on the side that is meshed.
    fn side(&self, p: Point) -> f64 {
        let side = self.along.cross(p - self.at);
        if side.abs() < SAME { 0.0 } else { side }
    }

    fn mirrored(&self, p: Point) -> Point {
        let across = self.along.left();
        p - across * (2.0 * across.dot(p - self.at))
    }

    /// Walls and sockets on the side that is meshed, and the axis where it lies in the fluid: chains of edges, in cells.
    pub fn half(
        &self,
        domain: &Domain<'_>,
        divide: &dyn Fn(usize) -> Vec<Point>,
        sizes: &Sizes,
    ) -> Vec<Vec<Point>> {
        let mut chains = Vec::new();
        let mut on_axis: Vec<Point> = Vec::new();
        let corners = domain.corners;
        self.clip(corners, divide, &mut chains, &mut on_axis);
        for hole in domain.holes {
            match hole {
                Hole::Polygon(corners) => {
                    let edge =
                        |k: usize| sizes.divide(corners[k], corners[(k + 1) % corners.len()]);
                    self.clip(corners, &edge, &mut chains, &mut on_axis);
                }
                Hole::Circle { centre, radius } if self.side(*centre) == 0.0 => {
                    // From the axis round the side that is meshed and back to it.
                    let start = self.along.angle();
                    let at = |way: f64| *centre + Point::unit(start + way / radius) * *radius;
                    let half = std::f64::consts::PI * radius;
                    let mut chain = sizes.divide_along(half, at);
                    chain.push(at(half));
                    on_axis.extend([at(0.0), at(half)]);
                    chains.push(chain);
                }
                Hole::Circle { centre, .. } if self.side(*centre) > 0.0 => {
                    let mut chain = Domain::divide(hole, sizes);
                    chain.extend(chain.first().copied());
                    chains.push(chain);
                }
                Hole::Circle { .. } => {}
            }
        }
        let way = |p: &Point| self.along.dot(*p - self.at);
        on_axis.sort_by(|a, b| way(a).total_cmp(&way(b)));
        on_axis.dedup_by(|a, b| (*a - *b).norm() < SAME);
        for pair in on_axis.windows(2) {
            let middle = (pair[0] + pair[1]) * 0.5;
            if contains(corners, middle) && !domain.holes.iter().any(|h| h.contains(middle)) {
                let mut chain = sizes.divide(pair[0], pair[1]);
                chain.push(pair[1]);
                chains.push(chain);
            }
        }
        chains
    }

    /// Adds the edges of a closed outline that lie on the side that is meshed, and its places on the axis.
    fn clip(
        &self,
        corners: &[Point],
        divide: &dyn Fn(usize) -> Vec<Point>,
        chains: &mut Vec<Vec<Point>>,
        on_axis: &mut Vec<Point>,
    ) {
        for (k, &a) in corners.iter().enumerate() {
            let b = corners[(k + 1) % corners.len()];
            let (from, to) = (self.side(a), self.side(b));
            if from == 0.0 {
                on_axis.push(a);
            }
            let mut chain = divide(k);
            chain.push(b);
            if from * to < 0.0 {
                // It crosses the axis at right angles, in its middle: half as many edges as it would have, at least one.
                let middle = (a + b) * 0.5;
                let n = (chain.len() - 1).div_ceil(2);
                if from < 0.0 {
                    chain.reverse();
                }
                let end = chain[0];
                let is_even = chain.len() % 2 == 1;
                let stretch = (middle - end).norm() / (chain[n] - end).norm();
                let stretch = if is_even { 1.0 } else { stretch };
                for p in &mut chain {
                    *p = end + (*p - end) * stretch;
                }
                chain.truncate(n);
                chain.push(middle);
                on_axis.push(middle);
            } else if from + to <= 0.0 {
                continue;
            }
            chains.push(chain);
        }
    }

    /// Adds the mirror image of a half's mesh to it.
    pub fn unfold(&self, vertices: &mut Vec<Point>, triangles: &mut Vec<[u32; 3]>) {
        let n = vertices.len();
        let mut image: Vec<u32> = (0..n as u32).collect();
        for k in 0..n {
            if self.side(vertices[k]) != 0.0 {
                image[k] = vertices.len() as u32;
                vertices.push(self.mirrored(vertices[k]));
            }
        }
        // Backwards, so that the second vertex stays the second: quadrature on curved cells is symmetric in the other two only.
        let mirrored = |t: &[u32; 3]| [t[2], t[1], t[0]].map(|v| image[v as usize]);
        let other: Vec<[u32; 3]> = triangles.iter().map(mirrored).collect();
        triangles.extend(other);
    }
}

fn features_are_in(all: &FxHashSet<Feature>, mut these: impl Iterator<Item = Feature>) -> bool {
    these.all(|feature| all.contains(&feature))
}

/// All edges and circles of a domain, moved by `place`; edges backwards where that mirrors.
fn features<'a>(
    domain: &'a Domain<'_>,
    place: impl Fn(Point) -> Point + 'a + Copy,
    is_mirror: bool,
) -> impl Iterator<Item = Feature> + 'a {
    let steps = |x: f64| (x / SAME).round() as i64;
    let edge = move |a: Point, b: Point, kind: u8| {
        let (a, b) = if is_mirror { (b, a) } else { (a, b) };
        let (a, b) = (place(a), place(b));
        ([a.x, a.y, b.x, b.y].map(steps), kind)
    };
    let ring = move |corners: &'a [Point], sockets: &'a [usize]| {
        (0..corners.len()).map(move |k| {
            let b = corners[(k + 1) % corners.len()];
            edge(corners[k], b, u8::from(sockets.contains(&k)))
        })
    };
    let posts = domain.holes.iter().flat_map(move |hole| match hole {
        Hole::Polygon(corners) => ring(corners, &[]).collect::<Vec<Feature>>(),
        Hole::Circle { centre, radius } => {
            let p = place(*centre);
            vec![([p.x, p.y, *radius, 0.0].map(steps), 2)]
        }
    });
    ring(domain.corners, domain.sockets).chain(posts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Corners;
    use crate::mesh::polygon::mesh;

    fn points(corners: &[(f64, f64)]) -> Vec<Point> {
        corners.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    /// Places of all nodes and of the cells' middles, mirrored at y = 0 or not, in an order of their own.
    fn places(made: &crate::mesh::P2Mesh, mirror: f64) -> Vec<[i64; 2]> {
        let key = |p: Point| [p.x, mirror * p.y].map(|x| (x * 1e7).round() as i64);
        let middle = |c: &[u32; 6]| {
            let [a, b, c] = [0, 1, 2].map(|k| made.nodes[c[k] as usize]);
            (a + b + c) * (1.0 / 3.0)
        };
        let mut found: Vec<_> = made.nodes.iter().map(|&p| key(p)).collect();
        found.extend(made.cells.iter().map(|c| key(middle(c))));
        found.sort_unstable();
        found
    }

    #[test]
    fn a_symmetric_outline_with_posts_has_a_symmetric_mesh() {
        // A Y whose arms are at 45 degrees, its stem along x; a post on the axis and one on either side of it.
        let y = points(&[
            (0.0, -4.0),
            (16.0, -4.0),
            (21.7, -9.7),
            (27.3, -4.0),
            (23.3, 0.0),
            (27.3, 4.0),
            (21.7, 9.7),
            (16.0, 4.0),
            (0.0, 4.0),
        ]);
        let circle = |x: f64, y: f64, radius: f64| Hole::Circle {
            centre: Point::new(x, y),
            radius,
        };
        let square = |y: f64| {
            Hole::Polygon(points(&[
                (8.0, y),
                (8.0, y + 1.0),
                (9.0, y + 1.0),
                (9.0, y),
            ]))
        };
        for holes in [
            vec![],
            vec![
                circle(12.0, 0.0, 1.3),
                circle(5.0, 2.0, 0.7),
                circle(5.0, -2.0, 0.7),
            ],
            vec![square(-0.5), square(1.7), square(-2.7)],
        ] {
            let domain = Domain {
                corners: &y,
                sockets: &[2, 5, 8],
                holes: &holes,
            };
            let made = mesh(8, &domain, Corners::Plain).expect("meshes").mesh;
            assert_eq!(places(&made, 1.0), places(&made, -1.0), "{holes:?}");
            let holes = holes.len();
            let edges = made.nodes.len() - made.n_vertices;
            // Euler's formula: a mesh without hanging nodes.
            assert_eq!(made.n_vertices + made.cells.len() + holes, edges + 1);
        }
        let lone = [circle(5.0, 2.0, 0.7)];
        let domain = Domain {
            corners: &y,
            sockets: &[2, 5, 8],
            holes: &lone,
        };
        assert_eq!(Axis::of(&domain, 8), None, "a post without a mirror image");
        let domain = Domain::simple(&y, &[2, 8]);
        assert_eq!(
            Axis::of(&domain, 8),
            None,
            "a socket without a mirror image"
        );
        let domain = Domain::simple(&y, &[2, 5, 8]);
        assert_eq!(
            Axis::of(&domain, 7),
            None,
            "the axis lies in the middle of an edge"
        );
    }
}
