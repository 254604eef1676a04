//! Control shapes and notes: paths, polygons and labels on layers of their own.

use std::f64::consts::TAU;

use super::{Grid, MOST_CORNERS, Records, chord_turn, rectangle, round, to_grid, within_reach};
use crate::design::{Overlay, OverlayLayer, OverlayShape};
use crate::outline::OutlineError;
use crate::shape::Hole;
use stokeslet_base::geometry::Point;

const CONTROL: i16 = 3;
const NOTES: i16 = 11;

/// A control shape or a note in database units, and its layer.
pub(super) enum OnLayer {
    Path(i16, i64, Vec<Grid>),
    Polygon(i16, Vec<Grid>),
    Label(i16, String, Grid),
}

impl OnLayer {
    /// - `usual`: width of what says none, m; `grid`, `limit`: the database unit and the farthest coordinate, m
    pub fn of(
        overlay: &Overlay,
        usual: f64,
        tolerance: f64,
        (grid, limit): (f64, f64),
    ) -> Result<Self, OutlineError> {
        let layer = match overlay.layer {
            OverlayLayer::Control => CONTROL,
            OverlayLayer::Notes => NOTES,
        };
        let name = || overlay.name.value.clone();
        let (low, high) = overlay.shape.bounds(usual);
        // A width is a number of the format as well.
        let reach = [low.x, low.y, high.x, high.y, high.x - low.x, high.y - low.y];
        let reach = reach.into_iter().map(f64::abs).fold(0.0, f64::max);
        within_reach(name, reach, grid, limit)?;
        let on_grid =
            |points: &[Point]| -> Vec<Grid> { points.iter().map(|p| to_grid(*p, grid)).collect() };
        let on_layer = match &overlay.shape {
            OverlayShape::Path { points, width } => {
                let width = round(width.map_or(usual, |w| w.0), grid).max(1);
                Self::Path(layer, width, on_grid(points))
            }
            OverlayShape::Rectangle(corners) => Self::Polygon(layer, on_grid(&rectangle(*corners))),
            OverlayShape::Circle { centre, diameter } => {
                let radius = diameter.0 / 2.0;
                let n = (TAU / chord_turn(radius, tolerance)).ceil();
                let n = n.min(MOST_CORNERS as f64);
                let hole = Hole::Circle {
                    centre: *centre,
                    radius,
                };
                Self::Polygon(layer, on_grid(&hole.chords(n as usize)))
            }
            OverlayShape::Text { at, text, .. } => {
                Self::Label(layer, text.clone(), to_grid(*at, grid))
            }
        };
        match &on_layer {
            Self::Path(_, _, points) | Self::Polygon(_, points) if points.len() > MOST_CORNERS => {
                Err(OutlineError::TooManyCorners {
                    part: name(),
                    corners: points.len(),
                    limit: MOST_CORNERS,
                })
            }
            _ => Ok(on_layer),
        }
    }

    pub fn put(&self, out: &mut Records) {
        match self {
            Self::Path(layer, width, points) => out.path(*layer, *width, points),
            Self::Polygon(layer, corners) => out.boundary((*layer, 0), corners),
            Self::Label(layer, text, at) => out.label(*layer, text, *at),
        }
    }
}
