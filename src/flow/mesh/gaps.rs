//! How small cells must be where walls of an outline come near each other, and towards sharp corners.
//!
//! In a [gap](stokeslet_cad::shape::gaps) the flow is a Poiseuille flow of the gap's own width, which cells as large as the gap can't carry: at one cell across it
//! is several times too large, and nothing else tells. So a gap gets half as many cells across as a channel, and they grow slowly from
//! there; posts are gone round in edges that are counted likewise.
//!
//! All of this is in proportion to the resolution, so that at twice the resolution every cell is half as large: else solutions near gaps
//! wouldn't converge, and comparing two of them would say nothing about their errors.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, PointDistance, RTree, RTreeObject};

use super::grading::{REACH, size_towards};
use super::{Domain, MeshError};
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_cad::shape::Hole;
use stokeslet_cad::shape::gaps::{Gap, SMALLEST_GAP, gaps};

/// Cells across a gap, over the resolution.
const ACROSS: f64 = 0.5;
/// Edges around a post, however small, over the resolution. At a resolution of 8 quadratic edges leave a circle by 4e-5 of its radius then.
const AROUND: f64 = 2.0;
/// How fast cells grow away from a gap, cells a cell, times the resolution.
const GROWTH: f64 = 2.4;
/// At coarser resolutions gaps and posts are meshed as at this one: with one cell across, several times too much flows through a gap, and
/// cells that grow faster have bad shapes.
const COARSEST: f64 = 5.0;
/// A size that is larger than wanted by less than this is as good.
const AS_GOOD: f64 = 1.03;
/// Places around a round post from which gaps are looked for first.
const COARSE: usize = 32;

/// Sizes of cells along the walls of an outline and of posts: one, but less near gaps and around small posts.
pub struct Sizes {
    sources: RTree<Source>,
    /// The smallest size of any source.
    smallest: f64,
    /// Sharp corners, and how far from them cells are smaller.
    corners: RTree<[f64; 2]>,
    reach: f64,
    /// Cells a cell.
    growth: f64,
}

/// A place that wants cells of a size; in cells.
#[derive(Clone, Copy, Debug)]
struct Source {
    at: [f64; 2],
    size: f64,
}

impl RTreeObject for Source {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        AABB::from_point(self.at)
    }
}

impl PointDistance for Source {
    fn distance_2(&self, p: &[f64; 2]) -> f64 {
        self.at.distance_2(p)
    }
}

impl Sizes {
    /// Measures the gaps of an outline and of the posts in it; cells become smaller towards `sharp` points.
    ///
    /// # Errors
    /// [`MeshError::Gap`]: two walls nearer than [`SMALLEST_GAP`] times `resolution`.
    pub fn new(domain: &Domain<'_>, resolution: u32, sharp: Vec<Point>) -> Result<Self, MeshError> {
        let width = f64::from(resolution);
        let finer = width.max(COARSEST);
        // As many as the narrowest socket has, where that has fewer.
        let across = (ACROSS * finer).min(width);
        // Cells of size one do for gaps that are wider than this.
        let mut found = gaps(domain.corners, domain.sockets, across);
        beside_posts(domain, across, &mut found);
        if let Some(gap) = found.iter().find(|gap| gap.width < SMALLEST_GAP * width) {
            return Err(MeshError::Gap {
                gap: gap.width / width,
            });
        }
        let source = |gap: &Gap| Source {
            at: [gap.at.x, gap.at.y],
            size: gap.width / across,
        };
        let mut sources: Vec<Source> = found.iter().map(source).collect();
        for hole in domain.holes {
            around(hole, AROUND * finer, &mut sources);
        }
        let mut sizes = Self {
            sources: RTree::new(),
            smallest: 0.0,
            corners: RTree::bulk_load(sharp.into_iter().map(|p| [p.x, p.y]).collect()),
            reach: REACH * width,
            growth: GROWTH / finer,
        };
        // The smallest first: most of the others are as good as said by then, and asking is faster the fewer there are.
        sources.sort_by(|a, b| a.size.total_cmp(&b.size));
        sizes.smallest = sources.first().map_or(1.0, |source| source.size);
        for source in sources {
            let [x, y] = source.at;
            if sizes.at(Point::new(x, y)) > AS_GOOD * source.size {
                sizes.sources.insert(source);
            }
        }
        Ok(sizes)
    }

    /// Whether cells of size one do everywhere.
    pub fn is_uniform(&self) -> bool {
        self.sources.size() == 0 && self.corners.size() == 0
    }

    /// How many cells lie between a wall and cells of size one, a cell of the wall: the sum over layers that grow from it.
    pub fn cells_a_wall_cell(&self) -> f64 {
        if self.is_uniform() {
            1.0
        } else {
            1.0 + 1.0 / self.growth
        }
    }

    /// Size of cells at a point, in cells: at most 1.
    pub fn at(&self, p: Point) -> f64 {
        let p = [p.x, p.y];
        let corner = self.corners.nearest_neighbor(p);
        let towards = corner.map_or(1.0, |corner| {
            size_towards(corner.distance_2(&p).sqrt(), self.reach)
        });
        let wants = |source: &Source| source.size + self.growth * source.distance_2(&p).sqrt();
        let nearest = self.sources.nearest_neighbor(p).map(wants);
        let least = nearest.map_or(towards, |size| size.min(towards));
        // What is farther can't make cells smaller than that.
        let reach = (least - self.smallest).max(0.0) / self.growth;
        let near = self.sources.locate_within_distance(p, reach * reach);
        near.map(wants).fold(least, f64::min)
    }

    /// Points that divide the wall from `a` to `b` into edges of about the wanted sizes; `a` first, `b` left out.
    pub fn divide(&self, a: Point, b: Point) -> Vec<Point> {
        let length = (b - a).norm();
        if self.is_uniform() {
            let n = length.round().max(1.0);
            return (0..n as usize)
                .map(|i| a + (b - a) * (i as f64 / n))
                .collect();
        }
        self.divide_along(length, |s| a + (b - a) * (s / length))
    }

    /// The same for a wall of any form and this length, from the places along it.
    pub fn divide_along(&self, length: f64, along: impl Fn(f64) -> Point) -> Vec<Point> {
        // Edges passed at each of many places, the integral of 1 / size.
        let mut passed = vec![(0.0, 0.0)];
        let (mut s, mut edges) = (0.0, 0.0);
        while s < length {
            let size = self.at(along(s));
            let step = (size / 4.0).min(length - s);
            edges += step / self.at(along(s + step / 2.0));
            s = if s + step < length - 1e-9 * size {
                s + step
            } else {
                length
            };
            passed.push((s, edges));
        }
        let n = edges.round().max(1.0);
        let mut k = 0;
        (0..n as usize)
            .map(|i| {
                let want = edges * i as f64 / n;
                while k + 2 < passed.len() && passed[k + 1].1 <= want {
                    k += 1;
                }
                let ((s0, e0), (s1, e1)) = (passed[k], passed[k + 1]);
                along(s0 + (s1 - s0) * (want - e0) / (e1 - e0))
            })
            .collect()
    }
}

/// Gaps below `reach` between posts, and between posts and the outline: of every place on a post's wall the way to the nearest wall of
/// anything else, which nothing can lie in between. Places are as far apart as half of their gaps.
fn beside_posts(domain: &Domain<'_>, reach: f64, out: &mut Vec<Gap>) {
    let boxed = |k: usize, (low, high): (Point, Point)| {
        GeomWithData::new(Rectangle::from_corners([low.x, low.y], [high.x, high.y]), k)
    };
    let posts = domain.holes.iter().enumerate();
    let posts = RTree::bulk_load(posts.map(|(k, hole)| boxed(k, hole.bounds())).collect());
    let edge = |k: usize| {
        (
            domain.corners[k],
            domain.corners[(k + 1) % domain.corners.len()],
        )
    };
    let walls = (0..domain.corners.len()).filter(|k| !domain.sockets.contains(k));
    let walls = RTree::bulk_load(
        walls
            .map(|k| {
                let (a, b) = edge(k);
                boxed(k, bounds(&[a, b]))
            })
            .collect(),
    );
    let around =
        |p: Point| AABB::from_corners([p.x - reach, p.y - reach], [p.x + reach, p.y + reach]);
    for (k, hole) in domain.holes.iter().enumerate() {
        if let Hole::Polygon(corners) = hole {
            // Notches of its own.
            out.extend(gaps(corners, &[], reach));
        }
        // The width at a place, and the place across where that is on the outline.
        let width = |p: Point| {
            let others = posts.locate_in_envelope_intersecting(around(p));
            let others = others.filter(|other| other.data != k);
            let apart = others.map(|other| domain.holes[other.data].distance_to_wall(p));
            let to_post = (apart.fold(reach, f64::min), None);
            let outer = walls
                .locate_in_envelope_intersecting(around(p))
                .map(|wall| {
                    let (a, b) = edge(wall.data);
                    let t = ((p - a).dot(b - a) / (b - a).dot(b - a)).clamp(0.0, 1.0);
                    let q = a + (b - a) * t;
                    ((q - p).norm(), Some(q))
                });
            outer.fold(
                to_post,
                |least, found| if found.0 < least.0 { found } else { least },
            )
        };
        let corners = hole.chords(COARSE);
        for (i, &a) in corners.iter().enumerate() {
            let mut pieces = vec![(a, corners[(i + 1) % corners.len()])];
            while let Some((a, b)) = pieces.pop() {
                let (gap, across) = width(a);
                let half = onto(hole, (a + b) * 0.5);
                // The way changes by no more than the way along the wall.
                let length = (b - a).norm();
                if gap - length < reach && length > 0.5 * gap.max(1e-3 * reach) {
                    pieces.extend([(half, b), (a, half)]);
                    continue;
                }
                if gap < reach {
                    let places = [Some(a), across];
                    out.extend(places.into_iter().flatten().map(|at| Gap {
                        at,
                        width: gap,
                        walls: [0, 0],
                    }));
                }
            }
        }
    }
}

/// The point of a circle in the direction of a point; a polygon's edges are straight, so a point on one stays.
fn onto(hole: &Hole, p: Point) -> Point {
    match hole {
        Hole::Circle { centre, radius } => *centre + (p - *centre).normalized() * *radius,
        Hole::Polygon(_) => p,
    }
}

/// What a post itself wants, where its edges are short: `edges` around it.
fn around(hole: &Hole, edges: f64, sources: &mut Vec<Source>) {
    let size = hole.perimeter() / edges;
    if size >= 1.0 {
        return;
    }
    let corners = match hole {
        Hole::Circle { .. } => hole.chords(2 * edges as usize),
        Hole::Polygon(corners) => corners.clone(),
    };
    for (k, &a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        let n = ((b - a).norm() / size).ceil().max(1.0);
        sources.extend((0..n as usize).map(|i| {
            let p = a + (b - a) * (i as f64 / n);
            Source {
                at: [p.x, p.y],
                size,
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(corners: &[(f64, f64)]) -> Vec<Point> {
        corners.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    /// A channel of 8 by 40 cells with a wall of thickness 2 from above that leaves a gap.
    fn notched(gap: f64) -> Vec<Point> {
        points(&[
            (0.0, 0.0),
            (40.0, 0.0),
            (40.0, 8.0),
            (21.0, 8.0),
            (21.0, gap),
            (19.0, gap),
            (19.0, 8.0),
            (0.0, 8.0),
        ])
    }

    #[test]
    fn a_gap_is_divided_by_four_and_what_is_far_by_one() {
        let corners = notched(0.4);
        let sizes =
            Sizes::new(&Domain::simple(&corners, &[1, 7]), 8, Vec::new()).expect("wide enough");
        for x in [19.0, 20.0, 21.0] {
            assert!((sizes.at(Point::new(x, 0.0)) - 0.1).abs() < 0.1 * (AS_GOOD - 1.0));
        }
        assert_eq!(sizes.at(Point::new(2.0, 0.0)), 1.0);
        let floor = sizes.divide(corners[0], corners[1]);
        let edges: Vec<f64> = floor.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
        let under = floor
            .iter()
            .filter(|p| (19.0..=21.0).contains(&p.x))
            .count();
        assert!((19..=23).contains(&under), "{under}");
        for pair in edges.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((0.7..1.43).contains(&ratio), "{pair:?}");
        }
        assert!((edges[0] - 1.0).abs() < 0.05);
    }

    /// The same outline at other resolutions, in their own smaller cells.
    #[test]
    fn cells_everywhere_halve_where_the_resolution_doubles() {
        let of = |r: u32| {
            let cells = f64::from(r) / 8.0;
            let corners: Vec<Point> = notched(0.4).iter().map(|&p| p * cells).collect();
            let sizes =
                Sizes::new(&Domain::simple(&corners, &[1, 7]), r, Vec::new()).expect("wide enough");
            move |x: f64, y: f64| sizes.at(Point::new(x, y) * cells) / cells
        };
        let (r8, r16, r32) = (of(8), of(16), of(32));
        for (x, y) in [
            (20.0, 0.2),
            (20.0, 0.0),
            (22.0, 0.5),
            (17.0, 1.0),
            (12.0, 4.0),
            (1.0, 1.0),
        ] {
            for [coarse, fine] in [[r8(x, y), r16(x, y)], [r16(x, y), r32(x, y)]] {
                assert!(
                    (coarse / fine - 2.0).abs() < 0.15,
                    "({x}, {y}): {coarse} and {fine}"
                );
            }
        }
    }

    #[test]
    fn a_gap_that_is_too_small_is_refused() {
        match Sizes::new(&Domain::simple(&notched(1e-9), &[1, 7]), 8, Vec::new()) {
            Err(MeshError::Gap { gap }) => assert!((gap - 1.25e-10).abs() < 1e-13),
            other => panic!("{:?}", other.map(|sizes| sizes.is_uniform())),
        }
    }
}
