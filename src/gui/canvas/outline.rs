//! Shapes become outlines and triangles in their own frame, flattened as finely as the zoom asks.
//!
//! Every shape is tessellated once for all parts that have it; arcs once more each time the zoom halves or doubles. Knows no screen.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use lyon::math::point;
use lyon::path::{Path, Polygon};
use lyon::tessellation::{
    BuffersBuilder, FillOptions, FillRule, FillTessellator, FillVertex, VertexBuffers,
};
use rustc_hash::{FxBuildHasher, FxHashMap};

use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_cad::shape::{Hole, Shape, Strip};

/// Chords leave an arc by at most this much of a point of the screen.
const TOLERANCE: f64 = 0.15;
/// More outlines than this are not kept.
const MOST_KEPT: usize = 20_000;

/// One shape, ready to be drawn.
#[derive(Debug)]
pub struct Outline {
    /// Round the shape, counter-clockwise, m; then round each of its posts, and whatever else the triangles need.
    pub points: Vec<Point>,
    /// Indices into `points`, three a triangle.
    pub triangles: Vec<u32>,
    /// In order round the shape.
    pub edges: Vec<Edge>,
    /// Points round the shape: the first so many of `points`.
    pub round: usize,
    /// Where the walls of its posts are among `points`, each closed.
    pub posts: Vec<std::ops::Range<usize>>,
}

/// An edge of an outline: a wall, or a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its first point.
    pub from: usize,
    /// How many chords it has.
    pub chords: usize,
    /// Which socket it is, if it is one.
    pub socket: Option<usize>,
}

/// Outlines of all shapes drawn so far; clones are the same ones, on any thread.
#[derive(Clone, Debug, Default)]
pub struct Outlines(Arc<Drawn>);

#[derive(Debug, Default)]
struct Drawn {
    ids: DashMap<Vec<u64>, usize, FxBuildHasher>,
    next: AtomicUsize,
    kept: DashMap<(usize, i32), Arc<Outline>, FxBuildHasher>,
}

impl Outlines {
    /// The number of a shape: equal shapes have equal numbers.
    pub fn id(&self, shape: &Shape) -> usize {
        let next = || self.0.next.fetch_add(1, Ordering::Relaxed);
        *self.0.ids.entry(key(shape)).or_insert_with(next)
    }

    /// The outline of a shape, fine enough where a point of the screen is `scale` m.
    pub fn get(&self, id: usize, shape: &Shape, scale: f64) -> Arc<Outline> {
        let level = level(shape, scale);
        let kept = &self.0.kept;
        if let Some(known) = kept.get(&(id, level)) {
            return known.clone();
        }
        if kept.len() > MOST_KEPT {
            kept.clear();
        }
        let new = Arc::new(outline(shape, TOLERANCE * f64::from(level).exp2()));
        kept.entry((id, level)).or_insert(new).clone()
    }

    /// Whether so much was drawn since the start that numbers should be given anew.
    pub fn is_full(&self) -> bool {
        self.0.next.load(Ordering::Relaxed) > MOST_KEPT
    }

    /// Whether these are the same: numbers of the one are those of the other.
    pub fn are(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Which power of two the zoom is at; shapes without arcs look the same at any.
fn level(shape: &Shape, scale: f64) -> i32 {
    match shape {
        Shape::Strip(Strip::Arc { .. }) => scale.log2().floor() as i32,
        Shape::Polygon { holes, .. } if holes.iter().any(is_round) => scale.log2().floor() as i32,
        _ => 0,
    }
}

fn is_round(hole: &Hole) -> bool {
    matches!(hole, Hole::Circle { .. })
}

/// A shape's own numbers, to the bit.
fn key(shape: &Shape) -> Vec<u64> {
    match shape {
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => vec![
            0,
            length.to_bits(),
            width_start.to_bits(),
            width_end.to_bits(),
        ],
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => vec![1, radius.to_bits(), angle.to_bits(), width.to_bits()],
        Shape::Polygon {
            corners,
            sockets,
            holes,
        } => {
            let places = corners.iter().flat_map(|p| [p.x.to_bits(), p.y.to_bits()]);
            let sockets = sockets.iter().map(|&s| s as u64);
            [2, corners.len() as u64]
                .into_iter()
                .chain(places)
                .chain(sockets)
                .chain(holes.iter().flat_map(key_of_hole))
                .collect()
        }
    }
}

fn key_of_hole(hole: &Hole) -> Vec<u64> {
    match hole {
        Hole::Circle { centre, radius } => [centre.x, centre.y, *radius].map(f64::to_bits).to_vec(),
        Hole::Polygon(corners) => {
            let places = corners.iter().flat_map(|p| [p.x.to_bits(), p.y.to_bits()]);
            [corners.len() as u64].into_iter().chain(places).collect()
        }
    }
}

/// A shape's outline whose chords leave its arcs by at most `tolerance`, m.
pub fn outline(shape: &Shape, tolerance: f64) -> Outline {
    match *shape {
        Shape::Polygon {
            ref corners,
            ref sockets,
            ref holes,
        } => {
            let chords = |hole: &Hole| hole.chords(chords_of(hole, tolerance));
            let holes: Vec<Vec<Point>> = holes.iter().map(chords).collect();
            polygon(corners, sockets, &holes)
        }
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => Outline {
            points: vec![
                Point::new(0.0, -width_start / 2.0),
                Point::new(length, -width_end / 2.0),
                Point::new(length, width_end / 2.0),
                Point::new(0.0, width_start / 2.0),
            ],
            triangles: vec![0, 1, 2, 0, 2, 3],
            edges: strip_edges(1),
            round: 4,
            posts: Vec::new(),
        },
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => arc(radius, angle, width, tolerance),
    }
}

/// Both walls of a strip with the sockets between, counter-clockwise from the right-hand wall.
fn strip_edges(chords: usize) -> Vec<Edge> {
    let edge = |from, chords, socket| Edge {
        from,
        chords,
        socket,
    };
    vec![
        edge(0, chords, None),
        edge(chords, 1, Some(1)),
        edge(chords + 1, chords, None),
        edge(2 * chords + 1, 1, Some(0)),
    ]
}

fn arc(radius: f64, angle: f64, width: f64, tolerance: f64) -> Outline {
    let (outer, inner) = (radius + width / 2.0, radius - width / 2.0);
    // A chord over 2 a leaves its circle by r (1 - cos a).
    let half = (1.0 - (tolerance / outer).min(1.0)).acos().clamp(1e-5, 0.3);
    let chords = (angle / (2.0 * half)).ceil().clamp(2.0, 200_000.0) as usize;
    let centre = Point::new(0.0, radius);
    let at =
        |r: f64, k: usize| centre + Point::unit(angle * k as f64 / chords as f64 - FRAC_PI_2) * r;
    let right = (0..=chords).map(|k| at(outer, k));
    let left = (0..=chords).rev().map(|k| at(inner, k));
    let points: Vec<Point> = right.chain(left).collect();
    let n = points.len();
    let triangles = (0..chords)
        .flat_map(|k| [k, k + 1, n - 2 - k, k, n - 2 - k, n - 1 - k].map(|index| index as u32))
        .collect();
    Outline {
        points,
        triangles,
        edges: strip_edges(chords),
        round: n,
        posts: Vec::new(),
    }
}

/// How many chords go round a post.
fn chords_of(hole: &Hole, tolerance: f64) -> usize {
    let Hole::Circle { radius, .. } = hole else {
        return 0;
    };
    let half = (1.0 - (tolerance / radius).min(1.0))
        .acos()
        .clamp(1e-3, 0.3);
    (std::f64::consts::PI / half).ceil() as usize
}

fn polygon(corners: &[Point], sockets: &[usize], holes: &[Vec<Point>]) -> Outline {
    let mut points = corners.to_vec();
    let mut posts = Vec::with_capacity(holes.len());
    for hole in holes {
        posts.push(points.len()..points.len() + hole.len());
        points.extend(hole);
    }
    // The tessellator counts in single precision, so the shape is blown up to the size of one.
    let (low, high) = bounds(corners);
    let size = (high.x - low.x).max(high.y - low.y).max(f64::MIN_POSITIVE);
    let small = |p: &Point| point(((p.x - low.x) / size) as f32, ((p.y - low.y) / size) as f32);
    let scaled: Vec<lyon::math::Point> = points.iter().map(small).collect();
    let bits = |p: lyon::math::Point| (p.x.to_bits(), p.y.to_bits());
    let mut index: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (k, &p) in scaled.iter().enumerate() {
        index.entry(bits(p)).or_insert(k as u32);
    }
    let mut buffers: VertexBuffers<lyon::math::Point, u32> = VertexBuffers::new();
    let options = FillOptions::non_zero().with_tolerance(1e-6);
    let position = |vertex: FillVertex<'_>| vertex.position();
    let around = |points| Polygon {
        points,
        closed: true,
    };
    let done = if posts.is_empty() {
        let output = &mut BuffersBuilder::new(&mut buffers, position);
        FillTessellator::new().tessellate_polygon(around(&scaled), &options, output)
    } else {
        let mut path = Path::builder();
        path.add_polygon(around(&scaled[..corners.len()]));
        posts
            .iter()
            .for_each(|post| path.add_polygon(around(&scaled[post.clone()])));
        let options = options.with_fill_rule(FillRule::EvenOdd);
        let output = &mut BuffersBuilder::new(&mut buffers, position);
        FillTessellator::new().tessellate_path(&path.build(), &options, output)
    };
    let mut triangles = Vec::new();
    // A shape that can't be filled, such as one of no area, still has its walls.
    if done.is_ok() {
        let of_vertex: Vec<u32> = buffers
            .vertices
            .iter()
            .map(|&v| {
                *index.entry(bits(v)).or_insert_with(|| {
                    points.push(low + Point::new(f64::from(v.x), f64::from(v.y)) * size);
                    (points.len() - 1) as u32
                })
            })
            .collect();
        triangles.extend(buffers.indices.iter().map(|&k| of_vertex[k as usize]));
    }
    let edges = (0..corners.len())
        .map(|k| Edge {
            from: k,
            chords: 1,
            socket: sockets.iter().position(|&s| s == k),
        })
        .collect();
    Outline {
        points,
        triangles,
        edges,
        round: corners.len(),
        posts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::geometry::outline::signed_area;

    fn area(outline: &Outline) -> f64 {
        outline
            .triangles
            .chunks_exact(3)
            .map(|t| {
                let [a, b, c] = [t[0], t[1], t[2]].map(|k| outline.points[k as usize]);
                ((b - a).cross(c - a) / 2.0).abs()
            })
            .sum()
    }

    #[test]
    fn triangles_cover_a_polygon_once() {
        let corners: Vec<Point> = [
            (0.0, 0.0),
            (3.0, 0.0),
            (3.0, 1.0),
            (1.0, 1.0),
            (1.0, 2.0),
            (3.0, 2.0),
            (3.0, 3.0),
            (0.0, 3.0),
        ]
        .iter()
        .map(|&(x, y)| Point::new(x * 1e-4, y * 1e-4))
        .collect();
        let shape = Shape::Polygon {
            corners: corners.clone(),
            sockets: vec![1],
            holes: vec![Hole::Circle {
                centre: Point::new(5e-5, 1.5e-4),
                radius: 2e-5,
            }],
        };
        let outline = outline(&shape, 1e-9);
        let post = std::f64::consts::PI * 4e-10;
        let want = signed_area(&corners) - post;
        assert!((area(&outline) / want - 1.0).abs() < 1e-5, "{want}");
        assert_eq!(outline.edges[1].socket, Some(0));
        assert_eq!(outline.round, 8);
    }

    #[test]
    fn an_arc_is_as_sharp_as_asked_and_no_sharper() {
        let shape = Shape::Strip(Strip::Arc {
            radius: 3e-4,
            angle: 2.0,
            width: 1e-4,
        });
        for tolerance in [1e-6, 1e-8, 1e-10] {
            let outline = outline(&shape, tolerance);
            let chords = outline.edges[0].chords;
            let centre = Point::new(0.0, 3e-4);
            let sag = (0..chords)
                .map(|k| {
                    let middle = (outline.points[k] + outline.points[k + 1]) * 0.5;
                    3.5e-4 - (middle - centre).norm()
                })
                .fold(0.0, f64::max);
            assert!(sag <= tolerance * 1.01, "{sag} > {tolerance}");
            assert!(sag > tolerance * 0.3, "{sag}: wasteful below {tolerance}");
            let exact = 2.0 / 2.0 * (3.5e-4f64.powi(2) - 2.5e-4f64.powi(2));
            assert!((area(&outline) / exact - 1.0).abs() < 4.0 * tolerance / 1e-4);
        }
    }

    #[test]
    fn equal_shapes_are_tessellated_once_a_level() {
        let outlines = Outlines::default();
        let arc = |radius| {
            Shape::Strip(Strip::Arc {
                radius,
                angle: 1.0,
                width: 1e-4,
            })
        };
        let (a, b) = (outlines.id(&arc(1e-3)), outlines.id(&arc(2e-3)));
        assert_ne!(a, b);
        assert_eq!(a, outlines.id(&arc(1e-3)));
        let coarse = outlines.get(a, &arc(1e-3), 5e-6);
        assert!(Arc::ptr_eq(&coarse, &outlines.get(a, &arc(1e-3), 5.1e-6)));
        let fine = outlines.get(a, &arc(1e-3), 5e-8);
        assert!(fine.points.len() > 5 * coarse.points.len());
    }
}
