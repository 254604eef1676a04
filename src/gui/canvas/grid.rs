//! The grid and the scale bar: round steps of 1, 2 and 5 that suit the zoom.

use eframe::egui::{Align2, FontId, Painter, Rect, Stroke, pos2};

use super::View;
use super::theme::Colours;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, print_quantity};

/// Lines of the grid are at least this far apart, points.
const CLOSEST: f64 = 9.0;
/// The scale bar is at most this long, points.
const LONGEST_BAR: f64 = 130.0;

/// The grid at one zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Between fine lines, and what positions snap to, m.
    pub minor: f64,
    /// Between strong lines, m.
    pub major: f64,
}

impl Grid {
    /// The finest grid whose lines can be told apart.
    pub fn at(scale: f64) -> Self {
        let (minor, mantissa) = round_up(CLOSEST * scale);
        // The strong lines are round as well: 1 -> 5, 2 -> 10, 5 -> 20 would be no decade's.
        let factor = match mantissa {
            1 | 2 => 5.0,
            _ => 2.0,
        };
        Self {
            minor,
            major: tidy(minor * factor),
        }
    }

    /// The nearest crossing of fine lines.
    pub fn snap(&self, p: Point) -> Point {
        Point::new(snap(p.x, self.minor), snap(p.y, self.minor))
    }
}

/// The nearest multiple of `step`, without the last bits of the product: 3 * 0.1 is 0.3.
pub fn snap(x: f64, step: f64) -> f64 {
    tidy((x / step).round() * step)
}

/// To a femtometre or twelve figures, whichever is coarser: what rounding left is dropped, so that files hold round numbers.
fn tidy(x: f64) -> f64 {
    // Adding nothing makes the negative zero a zero.
    format!("{x:.11e}").parse().unwrap_or(x) + 0.0
}

/// The least of 1, 2, 5 times a power of ten that is at least `x`, and which of the three.
fn round_up(x: f64) -> (f64, u32) {
    let decade = x.log10().floor() as i32;
    for power in [decade, decade + 1] {
        for mantissa in [1, 2, 5] {
            let step: f64 = format!("{mantissa}e{power}").parse().unwrap_or(x);
            if step >= x * (1.0 - 1e-9) {
                return (step, mantissa);
            }
        }
    }
    (x, 1)
}

/// The greatest of 1, 2, 5 times a power of ten that is at most `x`.
fn round_down(x: f64) -> f64 {
    let decade = x.log10().floor() as i32;
    [5, 2, 1]
        .iter()
        .filter_map(|mantissa| format!("{mantissa}e{decade}").parse().ok())
        .find(|&step: &f64| step <= x * (1.0 + 1e-9))
        .unwrap_or(x)
}

/// Length of the scale bar, m.
pub fn bar(scale: f64) -> f64 {
    round_down(LONGEST_BAR * scale)
}

/// Draws the grid behind everything.
pub fn paint(painter: &Painter, view: &View, colours: &Colours) {
    let grid = Grid::at(view.scale);
    let pixel = 1.0 / painter.pixels_per_point();
    let major_every = (grid.major / grid.minor).round() as i64;
    let (low, high) = view.seen();
    let stroke_of = |k: i64| {
        let colour = if k == 0 {
            colours.axis
        } else if k % major_every == 0 {
            colours.grid_major
        } else {
            colours.grid
        };
        Stroke::new(pixel, colour)
    };
    let rect = view.rect;
    let (first, last) = (steps(low.x, grid.minor), steps(high.x, grid.minor));
    // Strong lines last, so that they run over the fine ones.
    for strong in [false, true] {
        for k in first..=last + 1 {
            if (k % major_every == 0) == strong {
                let x = view.to_screen(Point::new(k as f64 * grid.minor, 0.0)).x;
                painter.vline(
                    painter.round_to_pixel_center(x),
                    rect.y_range(),
                    stroke_of(k),
                );
            }
        }
        for k in steps(low.y, grid.minor)..=steps(high.y, grid.minor) + 1 {
            if (k % major_every == 0) == strong {
                let y = view.to_screen(Point::new(0.0, k as f64 * grid.minor)).y;
                painter.hline(
                    rect.x_range(),
                    painter.round_to_pixel_center(y),
                    stroke_of(k),
                );
            }
        }
    }
}

fn steps(x: f64, step: f64) -> i64 {
    (x / step).floor() as i64
}

/// Draws the scale bar in the lower left corner; returns where it is.
pub fn paint_bar(painter: &Painter, view: &View, colours: &Colours) -> Rect {
    let length = bar(view.scale);
    let across = (length / view.scale) as f32;
    let corner = view.rect.left_bottom();
    let (left, y) = (corner.x + 16.0, corner.y - 14.0);
    let right = left + across;
    let room = Rect::from_min_max(pos2(left - 8.0, y - 24.0), pos2(right + 8.0, y + 7.0));
    painter.rect_filled(room, 4.0, colours.paper);
    let stroke = Stroke::new(1.5, colours.ink);
    painter.line_segment([pos2(left, y), pos2(right, y)], stroke);
    for x in [left, right] {
        painter.line_segment([pos2(x, y - 4.0), pos2(x, y + 0.75)], stroke);
    }
    let text = print_quantity(length, Dimension::Length);
    let middle = pos2((left + right) / 2.0, y - 6.0);
    let font = FontId::proportional(12.0);
    painter.text(middle, Align2::CENTER_BOTTOM, text, font, colours.ink);
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_or_five_and_can_be_told_apart_at_any_zoom() {
        for k in -90..1 {
            let scale = 10f64.powf(f64::from(k) / 10.0);
            let grid = Grid::at(scale);
            let apart = grid.minor / scale;
            assert!((CLOSEST * 0.999..CLOSEST * 2.6).contains(&apart), "{apart}");
            let mantissa = grid.minor / 10f64.powi(grid.minor.log10().floor() as i32);
            let round = [1.0, 2.0, 5.0, 10.0];
            assert!(
                round.iter().any(|r| (mantissa - r).abs() < 1e-9),
                "{mantissa}"
            );
            let bar = bar(scale) / scale;
            assert!(
                (LONGEST_BAR * 0.39..=LONGEST_BAR * 1.001).contains(&bar),
                "{bar}"
            );
        }
    }

    #[test]
    fn snapped_positions_are_round_to_the_last_bit() {
        let grid = Grid {
            minor: 1e-5,
            major: 5e-5,
        };
        for (x, want) in [(3.2e-5, 3e-5), (-7.4e-5, -7e-5), (1.23456e-3, 1.23e-3)] {
            let got = grid.snap(Point::new(x, x));
            assert_eq!(got, Point::new(want, want));
        }
        assert_eq!(
            print_quantity(snap(6.9e-5, 1e-5), Dimension::Length),
            "70 µm"
        );
        let zero = snap(-4e-6, 1e-5);
        assert!(zero == 0.0 && zero.is_sign_positive(), "not `-0 m`");
    }
}
