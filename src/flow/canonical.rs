//! Shapes in their own canonical frame: translation, rotation, reflection and scale removed, quantised to integers.
//!
//! A shape is *recognised* by integers in billionths of its narrowest socket, coarse enough that no rounding of a placement
//! tells two copies apart. It is *meshed* from the first copy's own lengths, rounded to 1e-12: meshed from billionths, sockets of
//! neighbours would differ by 1e-10, and in a long network that leak of mass costs 1e-5 of the pressure.

use std::sync::Arc;

use crate::mesh::{
    ComponentMesh, Corners, Domain as MeshDomain, MeshError, PlanePart, PlanePolygon, arc, image,
    lies_near, plane_arc, plane_arc_like, plane_polygon, plane_straight, plane_straight_like,
    polygon, straight,
};
use crate::stokes::boundary::SlipEdges;
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::geometry::quantise::{quantise, quantise_angle, restore_angle};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_cad::shape::{Hole, LEFT_WALL, RIGHT_WALL, Shape, Socket, Strip, WallKind, Walls};

/// A shape without place, direction, handedness and size. Equal keys have equal meshes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CanonicalShape {
    /// Length and widths in billionths of the narrower end.
    Straight([i64; 3]),
    /// Radius in billionths of the width; angle in billionths of a quarter turn.
    Arc([i64; 2]),
    /// Corners in billionths of the narrowest socket; which edges are sockets; posts, sorted.
    Polygon(Vec<[i64; 2]>, Vec<usize>, Vec<CanonicalHole>),
}

/// A post in a canonical shape, in billionths of its narrowest socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CanonicalHole {
    /// Centre and radius.
    Circle([i64; 3]),
    /// Corners, clockwise from the least.
    Polygon(Vec<[i64; 2]>),
}

/// Lengths of a shape in widths of its narrowest socket, in the order of [`CanonicalShape`]'s integers.
#[derive(Clone, Debug)]
struct Lengths(Vec<f64>);

/// A part's shape as its canonical shape, and the way back.
#[derive(Clone, Debug)]
pub struct Canonicalised {
    /// The key.
    pub shape: CanonicalShape,
    lengths: Lengths,
    /// Width that is one in the key, m.
    pub width: f64,
    /// `part_from_canonical`.
    pub motion: Motion,
    /// The part's socket of each socket of the canonical shape.
    pub socket_of: Vec<usize>,
    /// Edges of the canonical shape whose walls slip; part of the key of whatever depends on what walls do.
    pub slip: Vec<usize>,
    /// What its mesh does about sharp corners.
    pub corners: Corners,
}

/// Takes place, direction, handedness and size from a shape and its walls.
pub fn canonicalise(shape: &Shape, walls: &Walls) -> Canonicalised {
    canonicalise_in(None, shape, walls)
}

/// As [`canonicalise`], in the frame that `model` has among those that its shape could have: shapes that differ little then do so in
/// their own frames too.
pub fn canonicalise_like(model: &Canonicalised, shape: &Shape, walls: &Walls) -> Canonicalised {
    let first = model.socket_of.first().copied().unwrap_or_default();
    canonicalise_in(Some((model.motion.mirror, first)), shape, walls)
}

/// `frame`: whether it is mirrored, and which socket looks to -x. That of the smallest key where it isn't given.
fn canonicalise_in(frame: Option<(bool, usize)>, shape: &Shape, walls: &Walls) -> Canonicalised {
    match shape {
        Shape::Strip(strip) => {
            let mut slip = shape.wall_edges();
            slip.retain(|&edge| walls.kind(edge) == WallKind::Slip);
            // A straight one with its left wall slipping is the mirror image of one with its right.
            let is_mirrored = matches!(strip, Strip::Straight { .. }) && slip == [LEFT_WALL];
            if is_mirrored {
                slip = vec![RIGHT_WALL];
            }
            let (shape, width, lengths) = match *strip {
                Strip::Straight {
                    length,
                    width_start,
                    width_end,
                } => {
                    let w = width_start.min(width_end);
                    let lengths = [length, width_start, width_end];
                    let key = CanonicalShape::Straight(lengths.map(|x| quantise(x, w)));
                    (key, w, lengths.map(|x| fine(x / w)).to_vec())
                }
                Strip::Arc {
                    radius,
                    angle,
                    width,
                } => {
                    // Angles go up to a full turn; `quantise_angle` wraps, and 0 stands for the full turn.
                    let steps = quantise_angle(angle);
                    let steps = if steps == 0 { 4_000_000_000 } else { steps };
                    let key = CanonicalShape::Arc([quantise(radius, width), steps]);
                    (key, width, vec![fine(radius / width), restore_angle(steps)])
                }
            };
            Canonicalised {
                shape,
                lengths: Lengths(lengths),
                width,
                motion: Motion {
                    mirror: is_mirrored,
                    ..Motion::IDENTITY
                },
                socket_of: vec![0, 1],
                slip,
                corners: Corners::Plain,
            }
        }
        Shape::Polygon {
            corners,
            sockets,
            holes,
        } => canonical_polygon(frame, (corners, sockets, holes), &shape.sockets(), walls),
    }
}

/// The polygon in the frame with the smallest key, of all with one socket at the origin looking to -x, mirrored or not.
fn canonical_polygon(
    frame: Option<(bool, usize)>,
    (corners, socket_edges, holes): (&[Point], &[usize], &[Hole]),
    sockets: &[Socket],
    walls: &Walls,
) -> Canonicalised {
    let width = sockets
        .iter()
        .map(|m| m.width)
        .fold(f64::INFINITY, f64::min);
    let n = corners.len();
    let mut best: Option<Canonicalised> = None;
    for mirror in [false, true] {
        for (start, socket) in sockets.iter().enumerate() {
            if frame.is_some_and(|frame| frame != (mirror, start)) {
                continue;
            }
            // The mirror comes first in a motion, so it is the mirrored direction that turns to -x.
            let angle = if mirror {
                std::f64::consts::PI + socket.direction
            } else {
                std::f64::consts::PI - socket.direction
            };
            let back = Motion {
                angle,
                mirror,
                translation: Point::default(),
            };
            let canonical_from_part = Motion {
                translation: -back.rotate(socket.middle),
                ..back
            };
            // Counter-clockwise order survives a reflection only backwards.
            let place = |i: usize| {
                if mirror {
                    (socket_edges[start] + 1 + n - i) % n
                } else {
                    (socket_edges[start] + i) % n
                }
            };
            let placed: Vec<Point> = (0..n)
                .map(|i| canonical_from_part.apply(corners[place(i)]))
                .collect();
            let key = placed
                .iter()
                .map(|p| [quantise(p.x, width), quantise(p.y, width)])
                .collect();
            let edge_of = |i: usize| if mirror { place(i + 1) } else { place(i) };
            let edges: Vec<(usize, usize)> = (0..n)
                .filter_map(|i| {
                    socket_edges
                        .iter()
                        .position(|&s| s == edge_of(i))
                        .map(|s| (i, s))
                })
                .collect();
            let (holes, of_holes) = canonical_holes(holes, &canonical_from_part, width);
            let shape = CanonicalShape::Polygon(key, edges.iter().map(|e| e.0).collect(), holes);
            let slip: Vec<usize> = (0..n)
                .filter(|&i| !socket_edges.contains(&edge_of(i)))
                .filter(|&i| walls.kind(edge_of(i)) == WallKind::Slip)
                .collect();
            let is_less = |b: &Canonicalised| (&shape, &slip) < (&b.shape, &b.slip);
            if best.as_ref().is_none_or(is_less) {
                let socket_of = edges.iter().map(|e| e.1).collect();
                let lengths = placed
                    .iter()
                    .flat_map(|p| [fine(p.x / width), fine(p.y / width)]);
                best = Some(Canonicalised {
                    shape,
                    lengths: Lengths(lengths.chain(of_holes).collect()),
                    width,
                    motion: canonical_from_part.inverse(),
                    socket_of,
                    slip,
                    corners: Corners::Plain,
                });
            }
        }
    }
    best.unwrap_or(Canonicalised {
        shape: CanonicalShape::Polygon(Vec::new(), Vec::new(), Vec::new()),
        lengths: Lengths(Vec::new()),
        width: 1.0,
        motion: Motion::IDENTITY,
        socket_of: Vec::new(),
        slip: Vec::new(),
        corners: Corners::Plain,
    })
}

/// Posts in a canonical frame, sorted, and their lengths in widths in the same order.
fn canonical_holes(
    holes: &[Hole],
    canonical_from_part: &Motion,
    width: f64,
) -> (Vec<CanonicalHole>, Vec<f64>) {
    let steps = |p: &Point| [quantise(p.x, width), quantise(p.y, width)];
    let fine_of = |p: &Point| [fine(p.x / width), fine(p.y / width)];
    let mut placed: Vec<(CanonicalHole, Vec<f64>)> = holes
        .iter()
        .map(|hole| match hole.moved(canonical_from_part) {
            Hole::Circle { centre, radius } => {
                let [x, y] = steps(&centre);
                let key = CanonicalHole::Circle([x, y, quantise(radius, width)]);
                let [x, y] = fine_of(&centre);
                (key, vec![x, y, fine(radius / width)])
            }
            Hole::Polygon(mut corners) => {
                let least = (0..corners.len()).min_by_key(|&k| steps(&corners[k]));
                corners.rotate_left(least.unwrap_or(0));
                let key = corners.iter().map(steps).collect();
                (
                    CanonicalHole::Polygon(key),
                    corners.iter().flat_map(fine_of).collect(),
                )
            }
        })
        .collect();
    placed.sort_by(|a, b| a.0.cmp(&b.0));
    let (keys, lengths): (Vec<_>, Vec<Vec<f64>>) = placed.into_iter().unzip();
    (keys, lengths.concat())
}

impl Canonicalised {
    /// The same, to be meshed with these corners.
    pub fn with_corners(mut self, corners: Corners) -> Self {
        self.corners = corners;
        self
    }

    /// Meshes the shape with `resolution` cells across its narrowest channel; lengths come out in those cells.
    pub fn mesh(&self, resolution: u32) -> Result<ComponentMesh, MeshError> {
        match &self.in_cells(resolution) {
            InCells::Straight([length, from, to]) => straight(resolution, *length, *from, *to),
            InCells::Arc { radius, angle } => arc(resolution, *radius, *angle),
            InCells::Polygon(corners, sockets, holes) => {
                polygon(resolution, &domain(corners, sockets, holes), self.corners)
            }
        }
    }

    /// The same mesh for the fronts: slices of strips are described, not listed, and polygons are whole.
    pub fn plane(&self, resolution: u32) -> Result<PlanePart, MeshError> {
        match &self.in_cells(resolution) {
            InCells::Straight([length, from, to]) => {
                plane_straight(resolution, *length, *from, *to)
            }
            InCells::Arc { radius, angle } => plane_arc(resolution, *radius, *angle),
            InCells::Polygon(corners, sockets, holes) => {
                let domain = domain(corners, sockets, holes);
                plane_polygon(resolution, &domain, self.corners).map(PlanePart::Polygon)
            }
        }
    }

    /// A mesh of this shape that is an image of the one of `model`, a little moved: its own where that is one (it changes least), or where
    /// none can be. `meshed`: the mesh of `model`, asked for of a polygon.
    ///
    /// # Errors
    /// As [`Self::plane`].
    pub fn plane_like(
        &self,
        model: &Self,
        resolution: u32,
        meshed: &dyn Fn() -> Result<Arc<PlanePart>, MeshError>,
    ) -> Result<PlanePart, MeshError> {
        let strip = match (model.in_cells(resolution), self.in_cells(resolution)) {
            (InCells::Straight(model), InCells::Straight(own)) => {
                plane_straight_like(resolution, model, own).ok()
            }
            (
                InCells::Arc { radius, angle },
                InCells::Arc {
                    radius: r,
                    angle: a,
                },
            ) => plane_arc_like(resolution, [radius, angle], [r, a]).ok(),
            (InCells::Polygon(a, b, c), InCells::Polygon(p, q, s)) => {
                let (from, to) = (domain(&a, b, &c), domain(&p, q, &s));
                let own = plane_polygon(resolution, &to, self.corners)?;
                let model = meshed()?;
                let PlanePart::Polygon(model) = model.as_ref() else {
                    return Ok(PlanePart::Polygon(own));
                };
                return Ok(PlanePart::Polygon(
                    match lies_near(&own.mesh, &model.mesh) {
                        true => PlanePolygon {
                            cut_as: Some(model.mesh.clone()),
                            ..own
                        },
                        false => image(model, &from, &to, resolution).unwrap_or(own),
                    },
                ));
            }
            _ => None,
        };
        strip.map_or_else(|| self.plane(resolution), Ok)
    }

    /// The edges whose walls slip, in cells.
    pub fn slip_edges(&self, resolution: u32) -> SlipEdges {
        if self.slip.is_empty() {
            return SlipEdges::None;
        }
        match self.in_cells(resolution) {
            InCells::Straight(_) | InCells::Arc { .. } => {
                SlipEdges::Strip([RIGHT_WALL, LEFT_WALL].map(|edge| self.slip.contains(&edge)))
            }
            InCells::Polygon(corners, ..) => {
                let edge = |&k: &usize| [corners[k], corners[(k + 1) % corners.len()]];
                SlipEdges::Polygon(self.slip.iter().map(edge).collect())
            }
        }
    }

    /// All that its mesh and its walls depend on besides the resolution: lengths to the last bit, where the shape's integers are
    /// coarser.
    pub fn content(&self) -> Fingerprint {
        let kind = match &self.shape {
            CanonicalShape::Straight(_) => Hasher::new(Domain::CanonicalStraight),
            CanonicalShape::Arc(_) => Hasher::new(Domain::CanonicalArc),
            CanonicalShape::Polygon(_, sockets, holes) => {
                let kind = Hasher::new(match self.corners {
                    Corners::Plain => Domain::CanonicalPolygon,
                    Corners::Graded => Domain::CanonicalGradedPolygon,
                });
                let key = sockets
                    .iter()
                    .fold(kind.word(sockets.len() as u64), |key, &s| {
                        key.word(s as u64)
                    });
                // Which of the lengths are whose; keys without posts are what they were before there were any.
                holes.iter().fold(key, |key, hole| match hole {
                    CanonicalHole::Circle(_) => key.word(1 << 40),
                    CanonicalHole::Polygon(corners) => key.word(2 << 40 | corners.len() as u64),
                })
            }
        };
        let kind = kind.word(self.slip.len() as u64);
        let kind = self
            .slip
            .iter()
            .fold(kind, |key, &edge| key.word(edge as u64));
        let lengths = self.lengths.0.iter();
        lengths.fold(kind, |key, &x| key.float(x)).finish()
    }

    fn in_cells(&self, resolution: u32) -> InCells<'_> {
        let r = f64::from(resolution);
        let lengths = &self.lengths.0;
        match &self.shape {
            CanonicalShape::Straight(_) => {
                InCells::Straight([lengths[0] * r, lengths[1] * r, lengths[2] * r])
            }
            CanonicalShape::Arc(_) => InCells::Arc {
                radius: lengths[0] * r,
                angle: lengths[1],
            },
            CanonicalShape::Polygon(key, sockets, holes) => {
                let corner = |c: &[f64]| Point::new(c[0] * r, c[1] * r);
                let (corners, mut rest) = lengths.split_at(2 * key.len());
                let mut take = |n: usize| {
                    let (own, left) = rest.split_at(n);
                    rest = left;
                    own
                };
                let holes = holes
                    .iter()
                    .map(|hole| match hole {
                        CanonicalHole::Circle(_) => {
                            let own = take(3);
                            Hole::Circle {
                                centre: corner(own),
                                radius: own[2] * r,
                            }
                        }
                        CanonicalHole::Polygon(key) => {
                            Hole::Polygon(take(2 * key.len()).chunks(2).map(corner).collect())
                        }
                    })
                    .collect();
                InCells::Polygon(corners.chunks(2).map(corner).collect(), sockets, holes)
            }
        }
    }
}

/// A canonical shape's lengths in cells.
enum InCells<'a> {
    /// Length, width at the start, width at the end.
    Straight([f64; 3]),
    Arc {
        radius: f64,
        /// rad
        angle: f64,
    },
    /// Corners, the edges that are sockets, and posts.
    Polygon(Vec<Point>, &'a [usize], Vec<Hole>),
}

fn domain<'a>(corners: &'a [Point], sockets: &'a [usize], holes: &'a [Hole]) -> MeshDomain<'a> {
    MeshDomain {
        corners,
        sockets,
        holes,
    }
}

/// Rounded to 1e-12: far below what matters, above the last bits that a motion disturbs.
fn fine(x: f64) -> f64 {
    let steps = (x * 1e12).round();
    // Beyond 2^53 steps the number is kept as it is.
    if steps.abs() < 9e15 { steps / 1e12 } else { x }
}

impl CanonicalShape {
    /// Whether it is cut into slices across the flow.
    pub fn is_strip(&self) -> bool {
        !matches!(self, CanonicalShape::Polygon(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::geometry::quantise::restore;

    fn bend(motion: Motion, scale: f64) -> Shape {
        let corners = [
            (0.0, 0.0),
            (3.0, 0.0),
            (3.0, 1.0),
            (1.0, 1.5),
            (1.0, 3.0),
            (0.0, 3.0),
        ];
        let mut corners: Vec<Point> = corners
            .map(|(x, y)| motion.apply(Point::new(x, y) * scale))
            .to_vec();
        let mut sockets = vec![1, 4];
        if motion.mirror {
            corners.reverse();
            sockets = vec![3, 0];
        }
        Shape::Polygon {
            corners,
            sockets,
            holes: Vec::new(),
        }
    }

    #[test]
    fn moved_turned_mirrored_and_scaled_shapes_share_one_key() {
        let want = canonicalise(&bend(Motion::IDENTITY, 1.0), &Walls::default()).shape;
        for (angle, mirror, scale) in [(0.7, false, 1.0), (2.0, true, 1e-4), (-1.2, true, 3.0)] {
            let motion = Motion {
                angle,
                mirror,
                translation: Point::new(0.3, -0.1),
            };
            let shape = bend(motion, scale);
            let got = canonicalise(&shape, &Walls::default());
            assert_eq!(got.shape, want, "angle {angle}, mirror {mirror}");
            // The way back puts every corner where it was.
            let (CanonicalShape::Polygon(key, edges, _), Shape::Polygon { corners, .. }) =
                (&got.shape, &shape)
            else {
                panic!("polygons stay polygons")
            };
            for c in key {
                let p = got
                    .motion
                    .apply(Point::new(restore(c[0]), restore(c[1])) * got.width);
                assert!(
                    corners.iter().any(|q| (*q - p).norm() < 1e-8 * got.width),
                    "corner {p:?}"
                );
            }
            for (k, &edge) in edges.iter().enumerate() {
                let middle = (Point::new(restore(key[edge][0]), restore(key[edge][1]))
                    + Point::new(
                        restore(key[(edge + 1) % key.len()][0]),
                        restore(key[(edge + 1) % key.len()][1]),
                    ))
                    * (0.5 * got.width);
                let want = shape.sockets()[got.socket_of[k]].middle;
                assert!(
                    (got.motion.apply(middle) - want).norm() < 1e-8 * got.width,
                    "socket {k}"
                );
            }
        }
    }

    #[test]
    fn the_described_mesh_has_the_cells_of_the_listed_one() {
        let pipe = Strip::Straight {
            length: 7.3e-4,
            width_start: 1e-4,
            width_end: 1e-4,
        };
        let arc = Strip::Arc {
            radius: 3e-4,
            angle: 1.2,
            width: 1e-4,
        };
        for shape in [
            Shape::Strip(pipe),
            Shape::Strip(arc),
            bend(Motion::IDENTITY, 1e-4),
        ] {
            let canonical = canonicalise(&shape, &Walls::default());
            let listed = canonical.mesh(6).expect("listed");
            let cells = |kind: usize| listed.kinds[kind].mesh.n_cells();
            let want: usize = listed.blocks.iter().map(|b| cells(b.kind)).sum();
            let got = match canonical.plane(6).expect("described") {
                PlanePart::Strip(strip) => {
                    let cells = |k| strip.slices[strip.slice(k)].1.mesh.n_cells();
                    (0..strip.n_slices()).map(cells).sum()
                }
                PlanePart::Polygon(part) => part.mesh.n_cells(),
            };
            assert_eq!(got, want, "{shape:?}");
        }
    }
}
