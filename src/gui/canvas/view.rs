//! Where the chip is on the screen: pan and zoom, free of any drawing.

use eframe::egui::{Pos2, Rect, Vec2, pos2, vec2};

use stokeslet_base::geometry::Point;

/// Least and greatest size of a point of the screen, m: a nanometre to a metre.
const SCALES: [f64; 2] = [1e-9, 1.0];

/// Room beside what is shown whole, points.
const MARGIN: f32 = 96.0;

/// Maps the chip (m, y up) to the screen (points, y down).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is in the middle of the canvas, m.
    pub middle: Point,
    /// Size of a point of the screen, m.
    pub scale: f64,
    /// The canvas on the screen.
    pub rect: Rect,
}

impl Default for View {
    fn default() -> Self {
        Self {
            middle: Point::default(),
            scale: 5e-6,
            rect: Rect::from_min_size(Pos2::ZERO, vec2(800.0, 600.0)),
        }
    }
}

impl View {
    /// A point of the chip on the screen.
    pub fn to_screen(&self, p: Point) -> Pos2 {
        let d = (p - self.middle) * (1.0 / self.scale);
        let centre = self.rect.center();
        pos2(centre.x + d.x as f32, centre.y - d.y as f32)
    }

    /// A point of the screen on the chip, m.
    pub fn to_chip(&self, p: Pos2) -> Point {
        let d = p - self.rect.center();
        self.middle + Point::new(f64::from(d.x), -f64::from(d.y)) * self.scale
    }

    /// A length of the screen on the chip, m.
    pub fn length(&self, points: f32) -> f64 {
        f64::from(points) * self.scale
    }

    /// Moves the chip along with the pointer.
    pub fn pan(&mut self, by: Vec2) {
        self.middle = self.middle + Point::new(-f64::from(by.x), f64::from(by.y)) * self.scale;
    }

    /// Zooms by `factor` (greater than 1: closer), keeping what is at `at` where it is.
    pub fn zoom(&mut self, factor: f64, at: Pos2) {
        let kept = self.to_chip(at);
        self.scale = (self.scale / factor).clamp(SCALES[0], SCALES[1]);
        self.middle = self.middle + (kept - self.to_chip(at));
    }

    /// Shows a box of the chip whole, with room for ports and their names around it.
    pub fn fit(&mut self, low: Point, high: Point) {
        if !(low.x <= high.x && low.y <= high.y) {
            return;
        }
        // Room for the arrows and names of ports.
        let inside = |length: f32| f64::from((length - 2.0 * MARGIN).max(0.5 * length)).max(1.0);
        let size = high - low;
        let scale = (size.x / inside(self.rect.width())).max(size.y / inside(self.rect.height()));
        if scale > 0.0 {
            self.scale = scale.clamp(SCALES[0], SCALES[1]);
        }
        self.middle = (low + high) * 0.5;
    }

    /// The part of the chip that is seen: lower left and upper right corner, m.
    pub fn seen(&self) -> (Point, Point) {
        (
            self.to_chip(self.rect.left_bottom()),
            self.to_chip(self.rect.right_top()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zoom_keeps_what_is_under_the_pointer() {
        let mut view = View::default();
        let at = pos2(123.0, 456.0);
        let kept = view.to_chip(at);
        view.zoom(3.7, at);
        let now = view.to_chip(at);
        assert!((now - kept).norm() < 1e-6 * view.scale, "{kept:?} {now:?}");
        let back = view.to_screen(kept);
        assert!((back - at).length() < 1e-2, "{back:?}");
    }

    #[test]
    fn fit_shows_the_whole_box() {
        let mut view = View::default();
        let (low, high) = (Point::new(-1e-3, 2e-3), Point::new(5e-3, 3e-3));
        view.fit(low, high);
        for p in [low, high] {
            assert!(view.rect.contains(view.to_screen(p)), "{p:?}");
        }
        let (seen_low, seen_high) = view.seen();
        assert!(
            (seen_high.x - seen_low.x) < 1.4 * (high.x - low.x),
            "no more room than needed"
        );
    }
}
