//! What a channel should not run through: outlines of placed parts, boxed in whatever frame is asked for.

use crate::chip::Layout;
use crate::library::boundary;
use crate::shape::Part;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::geometry::{Motion, Point};

/// Chords of a whole circle: boxes need no finer arcs.
const CHORDS: usize = 32;
/// Channels that touch something along this part of their width are said to run through it.
const TOUCH: f64 = 1e-6;

/// Outlines in the chip's frame, m.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    outlines: Vec<Vec<Point>>,
}

/// Lower left and upper right corner.
pub(super) type Box2 = (Point, Point);

impl Obstacles {
    /// All parts of a layout.
    pub fn of(layout: &Layout) -> Self {
        let mut obstacles = Self::default();
        obstacles.add(&layout.parts);
        obstacles
    }

    /// More parts.
    pub fn add(&mut self, parts: &[Part]) {
        for part in parts {
            let place = part.motion.to_apply();
            let outline = boundary(&part.shape, CHORDS).into_iter().map(place);
            let outline: Vec<Point> = outline.collect();
            if !outline.is_empty() && outline.iter().all(|p| p.x.is_finite() && p.y.is_finite()) {
                self.outlines.push(outline);
            }
        }
    }

    /// Boxes in a frame: what `into` makes of the chip's points.
    pub(super) fn boxes(&self, into: &Motion) -> Vec<Box2> {
        let place = into.to_apply();
        let box_of = |outline: &Vec<Point>| {
            let points: Vec<Point> = outline.iter().map(|&p| place(p)).collect();
            bounds(&points)
        };
        self.outlines.iter().map(box_of).collect()
    }

    /// How many parts a channel through these points would run through, about.
    pub(super) fn hits(&self, points: &[Point], width: f64) -> usize {
        let runs = points.windows(2).map(|run| {
            let into = Motion::new((run[1] - run[0]).angle(), run[0]).inverse();
            let high = Point::new((run[1] - run[0]).norm(), width / 2.0);
            let corridor = (Point::new(0.0, -width / 2.0), high);
            let boxes = self.boxes(&into);
            boxes
                .iter()
                .filter(|b| overlap(b, &corridor, width))
                .count()
        });
        runs.sum()
    }
}

/// Whether boxes share more than their rims.
pub(super) fn overlap(a: &Box2, b: &Box2, width: f64) -> bool {
    let rim = TOUCH * width;
    a.0.x < b.1.x - rim && b.0.x < a.1.x - rim && a.0.y < b.1.y - rim && b.0.y < a.1.y - rim
}
