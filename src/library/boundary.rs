//! The outline of any shape as corners, for pictures and for finding overlaps.

use std::f64::consts::TAU;

use crate::chip::{Shape, Strip};
use crate::geometry::Point;

/// The corners of a shape in its own frame, counter-clockwise, m. Arcs become chords, `chords_per_turn` of them for a whole circle.
pub fn boundary(shape: &Shape, chords_per_turn: usize) -> Vec<Point> {
    match *shape {
        Shape::Polygon { ref corners, .. } => corners.clone(),
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => vec![
            Point::new(0.0, -width_start / 2.0),
            Point::new(length, -width_end / 2.0),
            Point::new(length, width_end / 2.0),
            Point::new(0.0, width_start / 2.0),
        ],
        Shape::Strip(Strip::Arc { radius, angle, width }) => {
            let chords = ((angle / TAU * chords_per_turn as f64).ceil() as usize).clamp(2, 100_000);
            let centre = Point::new(0.0, radius);
            let at = |r: f64, k: usize| centre + Point::unit(angle * k as f64 / chords as f64 - TAU / 4.0) * r;
            let outer = (0..=chords).map(|k| at(radius + width / 2.0, k));
            let inner = (0..=chords).rev().map(|k| at(radius - width / 2.0, k));
            outer.chain(inner).collect()
        }
    }
}
