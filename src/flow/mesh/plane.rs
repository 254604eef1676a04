//! A part's mesh as the fronts eliminate it: a polygon whole, a strip as one slice and a rule.
//!
//! Positions are those of the listed mesh before it is cut, in the canonical shape's own frame and in its cells. They are not
//! snapped: snap them after moving them to the origin of a piece, and pieces that are copies are equal bit for bit.

use super::dissect::{Dissection, dissect};
use super::pattern::{self, Placement, SliceKind, StripPattern};
use super::{BlockKind, BlockMesh, Corners, Domain, INTERIOR, MeshError, P2Mesh, polygon, strip};

/// A canonical shape's mesh in its own frame, in cells; slices of strips are described, not listed.
#[derive(Clone, Debug)]
pub enum PlanePart {
    /// A pipe, taper or arc.
    Strip(PlaneStrip),
    /// Any other outline.
    Polygon(PlanePolygon),
}

/// Slices across a flow. Costs the same however many they are.
#[derive(Clone, Debug)]
pub struct PlaneStrip {
    /// The kinds of slices that there are, each in the frame of its own first cross-section: at the origin, looking along +x.
    pub slices: Vec<(SliceKind, PlaneSlice)>,
    /// How many, and where they lie.
    pub pattern: StripPattern,
}

/// One slice: the mesh and its nodes sorted.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSlice {
    /// The mesh, in cells of the slice's first cross-section.
    pub mesh: BlockMesh<2>,
    /// Nodes of the first cross-section from -y to +y: 2r+1.
    pub left: Vec<u32>,
    /// Nodes of the second cross-section from -y to +y: 2r+1.
    pub right: Vec<u32>,
    /// All others.
    pub interior: Vec<u32>,
}

/// A whole polygon.
#[derive(Clone, Debug)]
pub struct PlanePolygon {
    /// The mesh.
    pub mesh: BlockMesh<2>,
    /// Its sockets, in the order of the canonical shape's. Two that meet in a corner share that node.
    pub sockets: Vec<PlaneSocket>,
    /// A mesh with the same cells that says where it is cut, if another than itself does.
    pub cut_as: Option<BlockMesh<2>>,
}

/// A socket of a polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSocket {
    /// Its nodes, counter-clockwise about the part: 2r+1.
    pub nodes: Vec<u32>,
    /// Outward direction, rad.
    pub angle: f64,
    /// Unit of its cells in cells of the part.
    pub scale: f64,
}

impl PlanePart {
    /// What it takes in memory.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Strip(strip) => strip.slices.iter().map(|(_, s)| s.mesh.bytes()).sum(),
            Self::Polygon(polygon) => polygon.mesh.bytes(),
        }
    }
}

/// A straight pipe or a taper from the origin along +x, slices described.
///
/// # Shapes and units
/// - `length`, `width_start`, `width_end` in cell sizes of the narrower end, so that its width is `resolution`
/// # Errors
/// [`MeshError::Dimension`], [`MeshError::TooManyCells`] beyond a billion slices.
pub fn plane_straight(
    resolution: u32,
    length: f64,
    width_start: f64,
    width_end: f64,
) -> Result<PlanePart, MeshError> {
    let strip = pattern::straight(resolution, length, width_start, width_end)?;
    Ok(PlanePart::Strip(PlaneStrip::new(&strip)))
}

/// An arc from the origin along +x that turns left by `angle` rad, slices described; `radius` in cells.
///
/// # Errors
/// As [`plane_straight`].
pub fn plane_arc(resolution: u32, radius: f64, angle: f64) -> Result<PlanePart, MeshError> {
    Ok(PlanePart::Strip(PlaneStrip::new(&pattern::arc(
        resolution, radius, angle,
    )?)))
}

/// As [`plane_straight`] of `own` length and widths, with as many slices as one of the length and widths `model` has.
///
/// # Errors
/// As [`plane_straight`]; [`MeshError::Dimension`] where so many slices can't be its own.
pub fn plane_straight_like(
    resolution: u32,
    model: [f64; 3],
    own: [f64; 3],
) -> Result<PlanePart, MeshError> {
    let counts = pattern::straight(resolution, model[0], model[1], model[2])?.counts;
    let strip = pattern::straight_of(Some(counts), resolution, own[0], [own[1], own[2]])?;
    Ok(PlanePart::Strip(PlaneStrip::new(&strip)))
}

/// As [`plane_arc`] of `own` radius and angle, with as many slices as one of the radius and the angle `model` has.
///
/// # Errors
/// As [`plane_arc`].
pub fn plane_arc_like(
    resolution: u32,
    model: [f64; 2],
    own: [f64; 2],
) -> Result<PlanePart, MeshError> {
    let counts = pattern::arc(resolution, model[0], model[1])?.counts;
    let strip = pattern::arc_of(Some(counts), resolution, own[0], own[1])?;
    Ok(PlanePart::Strip(PlaneStrip::new(&strip)))
}

/// A polygon, in cells of its narrowest socket.
///
/// # Errors
/// [`MeshError`]: no socket, an outline that meets itself, more cells than can be afforded.
pub fn plane_polygon(
    resolution: u32,
    domain: &Domain<'_>,
    grading: Corners,
) -> Result<PlanePolygon, MeshError> {
    let mut made = polygon::mesh(resolution, domain, grading)?;
    let sockets = std::mem::take(&mut made.mesh.sockets)
        .into_iter()
        .zip(made.angles.iter().zip(&made.scales))
        .map(|(nodes, (&angle, &scale))| PlaneSocket {
            nodes,
            angle,
            scale,
        })
        .collect();
    let mesh = whole(made.mesh);
    Ok(PlanePolygon {
        mesh,
        sockets,
        cut_as: None,
    })
}

/// A component's mesh as one block.
fn whole(mesh: P2Mesh) -> BlockMesh<2> {
    BlockMesh {
        nodes: mesh.nodes.iter().map(|p| [p.x, p.y]).collect(),
        n_vertices: mesh.n_vertices,
        cells: mesh.cells.into_iter().flatten().collect(),
        on_wall: mesh.on_wall,
        walls: mesh.walls,
    }
}

impl PlanePolygon {
    /// Cuts its cells as [`dissect`] does.
    pub fn dissect(&self, cells_a_leaf: usize) -> Dissection {
        dissect(self.cut_as.as_ref().unwrap_or(&self.mesh), cells_a_leaf)
    }
}

impl PlaneStrip {
    fn new(strip: &StripPattern) -> Self {
        let make = |kind| {
            let made = strip::slice(strip.resolution, &strip.map(kind), kind);
            (kind, PlaneSlice::new(made.0))
        };
        Self {
            slices: strip.kinds().into_iter().map(make).collect(),
            pattern: *strip,
        }
    }

    /// Number of slices.
    pub fn n_slices(&self) -> u64 {
        self.pattern.counts.all()
    }

    /// Which of [`Self::slices`] slice `k` is.
    pub fn slice(&self, k: u64) -> usize {
        let kind = self.pattern.counts.kind(k);
        self.slices.iter().position(|s| s.0 == kind).unwrap_or(0)
    }

    /// Where slice `k` lies in the strip's frame.
    pub fn placement(&self, k: u64) -> Placement {
        self.pattern.placement(k)
    }

    /// (outward direction in rad, unit of its cells in cells of the part) of the start and of the end.
    pub fn sockets(&self) -> [(f64, f64); 2] {
        let (start, end) = (self.placement(0), self.placement(self.n_slices()));
        [
            (start.angle + std::f64::consts::PI, start.scale),
            (end.angle, end.scale),
        ]
    }
}

impl PlaneSlice {
    fn new(kind: BlockKind<2>) -> Self {
        let nodes = |slot| kind.nodes_in(slot).into_iter().map(|(n, _)| n).collect();
        let (left, right, interior) = (nodes(0), nodes(1), nodes(INTERIOR));
        Self {
            mesh: kind.mesh,
            left,
            right,
            interior,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ComponentMesh, arc, straight};
    use stokeslet_base::geometry::Point;

    fn strip(part: Result<PlanePart, MeshError>) -> PlaneStrip {
        match part.expect("a sound strip") {
            PlanePart::Strip(strip) => strip,
            PlanePart::Polygon(_) => panic!("a strip was asked for"),
        }
    }

    fn assert_same(listed: &ComponentMesh, described: &PlaneStrip) {
        assert_eq!(listed.blocks.len() as u64, described.n_slices());
        for (k, block) in listed.blocks.iter().enumerate() {
            let slice = &described.slices[described.slice(k as u64)].1;
            assert_eq!(listed.kinds[block.kind].mesh, slice.mesh, "slice {k}");
            let place = described.placement(k as u64);
            assert_eq!(
                (block.angle, block.scale, block.origin),
                (place.angle, place.scale, place.origin),
                "slice {k}"
            );
        }
        for (line, (angle, scale)) in listed.lines.iter().zip(described.sockets()) {
            assert_eq!((line.angle, line.scale), (angle, scale));
        }
    }

    #[test]
    fn a_described_strip_is_the_listed_one_to_the_last_bit() {
        for (length, from, to) in [
            (40.3, 8.0, 8.0),
            (40.0, 8.0, 8.0),
            (0.3, 8.0, 8.0),
            (30.0, 8.0, 21.7),
            (30.0, 19.1, 8.0),
        ] {
            let listed = straight(8, length, from, to).expect("listed");
            assert_same(&listed, &strip(plane_straight(8, length, from, to)));
        }
        let listed = arc(7, 20.2, 2.3).expect("listed");
        assert_same(&listed, &strip(plane_arc(7, 20.2, 2.3)));
    }

    #[test]
    fn a_slice_s_nodes_are_sorted_once_and_counted_upwards() {
        for r in [7, 8] {
            let slice = strip(plane_straight(r, 5.0, f64::from(r), f64::from(r))).slices;
            let slice = &slice[0].1;
            let mut all = [&slice.left[..], &slice.right, &slice.interior].concat();
            all.sort_unstable();
            assert_eq!(all, (0..slice.mesh.nodes.len() as u32).collect::<Vec<_>>());
            for (side, x) in [(&slice.left, 0.0), (&slice.right, 1.0)] {
                assert_eq!(side.len(), 2 * r as usize + 1);
                for (i, &n) in side.iter().enumerate() {
                    let y = 0.5 * i as f64 - 0.5 * f64::from(r);
                    assert_eq!(slice.mesh.nodes[n as usize], [x, y]);
                }
            }
        }
    }

    /// The listed mesh's blocks, placed, have the same cells, in the order of the polygon's.
    #[test]
    fn a_whole_polygon_is_the_listed_one_uncut() {
        let square = [(0.0, -4.0), (8.0, -4.0), (8.0, 4.0), (0.0, 4.0)];
        let slanted = [(0.0, -4.0), (8.0, -4.0), (12.0, 5.0), (0.0, 4.0)];
        for (outline, enough) in [(square, 1e-12), (slanted, 1e-12)] {
            let corners = outline.map(|(x, y)| Point::new(x, y));
            let domain = Domain::simple(&corners, &[1, 3]);
            let listed = polygon::polygon(8, &domain, Corners::Plain).expect("listed");
            let Ok(part) = plane_polygon(8, &domain, Corners::Plain) else {
                panic!("a polygon stays one")
            };
            // Quantised triangles of both, sorted.
            let key = |x: f64| (x / (1e3 * enough)).round() as i64;
            let mut want: Vec<[[i64; 2]; 6]> = Vec::new();
            for block in &listed.blocks {
                let mesh = &listed.kinds[block.kind].mesh;
                want.extend((0..mesh.n_cells()).map(|c| {
                    let nodes = mesh.cell(c);
                    std::array::from_fn(|i| {
                        let p = mesh.nodes[nodes[i] as usize];
                        [key(p[0] + block.origin.x), key(p[1] + block.origin.y)]
                    })
                }));
            }
            let mut got: Vec<[[i64; 2]; 6]> = (0..part.mesh.n_cells())
                .map(|c| {
                    let nodes = part.mesh.cell(c);
                    std::array::from_fn(|i| part.mesh.nodes[nodes[i] as usize].map(key))
                })
                .collect();
            want.sort_unstable();
            got.sort_unstable();
            assert_eq!(got, want);
            for (socket, line) in part.sockets.iter().zip(&listed.lines) {
                assert_eq!((socket.angle, socket.scale), (line.angle, line.scale));
                assert_eq!(socket.nodes.len(), 17);
                let outward = Point::unit(socket.angle);
                let at = |i: usize| {
                    let p = part.mesh.nodes[socket.nodes[i] as usize];
                    Point::new(p[0], p[1])
                };
                let along = (at(16) - at(0)) * (1.0 / (8.0 * socket.scale));
                assert!((along - outward.left()).norm() < 1e-12, "counter-clockwise");
            }
        }
    }
}
