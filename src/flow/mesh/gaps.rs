//! How small cells must be where walls of an outline come near each other.
//!
//! In a [gap](stokeslet_cad::shape::gaps) the flow is a Poiseuille flow of the gap's own width, which cells as large as the gap can't carry: at one cell across it
//! is several times too large, and nothing else tells. So cells shall be a quarter of the gap, and grow slowly from there.

use rstar::{AABB, PointDistance, RTree, RTreeObject};

use super::MeshError;
use stokeslet_base::geometry::Point;
use stokeslet_cad::shape::gaps::{Gap, SMALLEST_GAP, gaps};

/// Cells that are wanted across a gap; as many as across the narrowest socket where that has fewer.
const CELLS_ACROSS: u32 = 4;
/// How fast cells grow away from a gap: cells a cell.
const GROWTH: f64 = 0.3;
/// Sizes of cells along the walls of an outline: one, but less near gaps.
pub struct Sizes(RTree<Source>);

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
    /// Measures the gaps of an outline.
    ///
    /// # Shapes and units
    /// - `corners` counter-clockwise, in cells; `sockets`: the edges that are no walls
    /// # Errors
    /// [`MeshError::Gap`]: two walls nearer than [`SMALLEST_GAP`] times `resolution`.
    pub fn new(corners: &[Point], sockets: &[usize], resolution: u32) -> Result<Self, MeshError> {
        let width = f64::from(resolution);
        let across = f64::from(resolution.min(CELLS_ACROSS));
        // Cells of size one do for gaps that are wider than this.
        let found = gaps(corners, sockets, across);
        if let Some(gap) = found.iter().find(|gap| gap.width < SMALLEST_GAP * width) {
            return Err(MeshError::Gap {
                gap: gap.width / width,
            });
        }
        let source = |gap: &Gap| Source {
            at: [gap.at.x, gap.at.y],
            size: gap.width / across,
        };
        let sources = found.iter().map(source).collect();
        Ok(Self(RTree::bulk_load(sources)))
    }

    /// Whether cells of size one do everywhere.
    pub fn is_uniform(&self) -> bool {
        self.0.size() == 0
    }

    /// Size of cells at a point, in cells: at most 1.
    pub fn at(&self, p: Point) -> f64 {
        let p = [p.x, p.y];
        // What is farther can't make cells smaller than one.
        let near = self.0.locate_within_distance(p, GROWTH.powi(-2));
        near.map(|source| source.size + GROWTH * source.distance_2(&p).sqrt())
            .fold(1.0, f64::min)
    }

    /// Points that divide the wall from `a` to `b` into edges of about the wanted sizes; `a` first, `b` left out.
    pub fn divide(&self, a: Point, b: Point) -> Vec<Point> {
        let length = (b - a).norm();
        let along = |s: f64| a + (b - a) * (s / length);
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
        let sizes = Sizes::new(&corners, &[1, 7], 8).expect("wide enough");
        for x in [19.0, 20.0, 21.0] {
            assert!((sizes.at(Point::new(x, 0.0)) - 0.1).abs() < 1e-12);
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

    #[test]
    fn a_gap_that_is_too_small_is_refused() {
        match Sizes::new(&notched(1e-9), &[1, 7], 8) {
            Err(MeshError::Gap { gap }) => assert!((gap - 1.25e-10).abs() < 1e-13),
            other => panic!("{:?}", other.map(|sizes| sizes.is_uniform())),
        }
    }
}
