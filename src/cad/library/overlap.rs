//! Parts of one component that lie on each other.

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;

use super::boundary::boundary;
use crate::shape::Part;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{bounds, signed_area};

/// Chords per turn of arcs: the gap between chord and arc is 2e-4 of the radius.
const CHORDS_PER_TURN: usize = 160;
/// Areas that are shared up to this part of the smaller part's area come from rounding and chords.
const TOLERANCE: f64 = 1e-3;

/// A part's corners in the component's frame and the box around them.
struct Placed {
    corners: Vec<[f64; 2]>,
    area: f64,
    low: Point,
    high: Point,
}

/// The first two parts that share an area.
///
/// Sweeps along x, so that only parts near each other are compared.
pub(super) fn first_overlap(parts: &[Part]) -> Option<(usize, usize)> {
    let placed: Vec<Placed> = parts
        .iter()
        .map(|part| {
            let corners: Vec<Point> = boundary(&part.shape, CHORDS_PER_TURN)
                .iter()
                .map(|&p| part.motion.apply(p))
                .collect();
            let (low, high) = bounds(&corners);
            Placed {
                area: signed_area(&corners).abs(),
                low,
                high,
                corners: corners.iter().map(|p| [p.x, p.y]).collect(),
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&a, &b| placed[a].low.x.total_cmp(&placed[b].low.x));
    for (position, &i) in order.iter().enumerate() {
        let a = &placed[i];
        for &j in order[position + 1..]
            .iter()
            .take_while(|&&j| placed[j].low.x < a.high.x)
        {
            let b = &placed[j];
            if b.low.y < a.high.y
                && b.high.y > a.low.y
                && shared_area(a, b) > TOLERANCE * a.area.min(b.area)
            {
                return Some((i.min(j), i.max(j)));
            }
        }
    }
    None
}

fn shared_area(a: &Placed, b: &Placed) -> f64 {
    // Boxes that share less than the tolerance can't hold shapes that share more; neighbours in a row end here.
    let width = a.high.x.min(b.high.x) - a.low.x.max(b.low.x);
    let height = a.high.y.min(b.high.y) - a.low.y.max(b.low.y);
    if width * height <= TOLERANCE * a.area.min(b.area) {
        return 0.0;
    }
    let shapes = a
        .corners
        .overlay(&b.corners, OverlayRule::Intersect, FillRule::NonZero);
    let contours = shapes.iter().flatten();
    contours
        .map(|contour| {
            signed_area(
                &contour
                    .iter()
                    .map(|p| Point::new(p[0], p[1]))
                    .collect::<Vec<_>>(),
            )
        })
        .sum::<f64>()
        .abs()
}
