//! What is typed while a channel is drawn: the length of its next leg, and its direction where one is given.
//!
//! ```text
//! 500           in the unit of the design's width            500 um<30      at 30 degrees, counter-clockwise from x
//! 0.5 mm        in this one
//! ```

use eframe::egui::{Event, Key};

use super::ToolInput;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, parse_quantity_as, print_quantity};

/// Longest text that is listened to.
const MOST: usize = 24;

/// What a text asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// m
    pub length: f64,
    /// Instead of the pointer's direction, rad.
    pub angle: Option<f64>,
}

impl Leg {
    /// Reads what was typed; plain numbers are in `unit`.
    pub fn read(text: &str, unit: &str) -> Option<Self> {
        let (length, angle) = match text.split_once('<') {
            Some((length, angle)) => (length, Some(angle.trim().parse::<f64>().ok()?)),
            None => (text, None),
        };
        let length = length.trim();
        let length = match length.parse::<f64>() {
            Ok(_) => parse_quantity_as(&format!("{length} {unit}"), Dimension::Length),
            Err(_) => parse_quantity_as(length, Dimension::Length),
        };
        let length = length.ok().filter(|l| l.is_finite() && *l > 0.0)?;
        Some(Self {
            length,
            angle: angle.map(f64::to_radians),
        })
    }

    /// Where the leg ends that begins at `from` and would go to `toward`.
    pub fn end(&self, from: Point, toward: Point) -> Option<Point> {
        let direction = match self.angle {
            Some(angle) => Point::unit(angle),
            None => toward - from,
        };
        let length = direction.norm();
        (length > 0.0).then(|| from + direction * (self.length / length))
    }
}

/// The unit that lengths of a design are written in: that of its width.
pub fn usual_unit(width: f64) -> String {
    let text = print_quantity(width, Dimension::Length);
    let unit = text.split_once(' ').map_or("um", |(_, unit)| unit);
    unit.to_owned()
}

/// Takes what is typed from the input, so that no shortcut hears it. Only what can be a length is taken: a digit first, then units too.
pub fn hear(typed: &mut String, input: &ToolInput<'_>) {
    if !input.hears_keys {
        return;
    }
    input.ui.ctx().input_mut(|keys| {
        if keys.modifiers.command || keys.modifiers.alt {
            return;
        }
        let begins = typed.is_empty();
        let mut taken = !begins;
        keys.events.retain(|event| match event {
            Event::Text(text) => {
                let is_number = text.chars().all(|c| c.is_ascii_digit() || c == '.');
                let is_more = text.chars().all(|c| "umnkµ <-".contains(c));
                let takes = is_number || (taken && is_more);
                if takes && typed.len() + text.len() <= MOST {
                    typed.push_str(text);
                    taken = true;
                }
                !takes
            }
            Event::Key {
                key: Key::Backspace,
                pressed: true,
                ..
            } if !begins => {
                typed.pop();
                false
            }
            // The keys that the text comes from.
            Event::Key { key, .. } => {
                let name = key.name();
                let is_number = name.len() == 1 && name.chars().all(|c| c.is_ascii_digit());
                let is_more = matches!(key, Key::U | Key::M | Key::N | Key::K | Key::Space);
                !(is_number || *key == Key::Period || (taken && is_more))
            }
            _ => true,
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_usual_unit_or_their_own_and_may_have_an_angle() {
        let leg = |text: &str| Leg::read(text, "um");
        let plain = leg("500").expect("a length");
        assert!((plain.length - 5e-4).abs() < 1e-15 && plain.angle.is_none());
        assert!((leg("0.5 mm").expect("a length").length - 5e-4).abs() < 1e-15);
        let slant = leg("1mm<90").expect("a length");
        let end = slant.end(Point::default(), Point::new(1.0, 0.0));
        let end = end.expect("somewhere");
        assert!((end - Point::new(0.0, 1e-3)).norm() < 1e-15, "{end:?}");
        for wrong in ["", "0", "-5", "5 kg", "mm", "1<x"] {
            assert_eq!(leg(wrong), None, "{wrong}");
        }
        assert_eq!(usual_unit(1e-4), "µm");
    }
}
