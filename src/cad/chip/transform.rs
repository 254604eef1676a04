//! Whole chips moved, turned, mirrored and scaled.

use super::{Chip, Condition};
use crate::shape::{Shape, Strip};
use stokeslet_base::geometry::Motion;

impl Chip {
    /// The chip after a rigid motion.
    pub fn moved(&self, motion: Motion) -> Chip {
        let mut chip = self.clone();
        for part in &mut chip.parts {
            part.motion = motion.after(&part.motion);
        }
        chip
    }

    /// The chip with all lengths (depths too) multiplied by `factor`; flow rates per depth stay as they are.
    pub fn scaled(&self, factor: f64) -> Chip {
        let mut chip = self.clone();
        for part in &mut chip.parts {
            part.motion.translation = part.motion.translation * factor;
            part.shape = match &part.shape {
                Shape::Strip(Strip::Straight {
                    length,
                    width_start,
                    width_end,
                }) => Shape::Strip(Strip::Straight {
                    length: length * factor,
                    width_start: width_start * factor,
                    width_end: width_end * factor,
                }),
                Shape::Strip(Strip::Arc {
                    radius,
                    angle,
                    width,
                }) => Shape::Strip(Strip::Arc {
                    radius: radius * factor,
                    angle: *angle,
                    width: width * factor,
                }),
                Shape::Polygon {
                    corners,
                    sockets,
                    holes,
                } => Shape::Polygon {
                    corners: corners.iter().map(|&c| c * factor).collect(),
                    sockets: sockets.clone(),
                    holes: holes.iter().map(|hole| hole.scaled(factor)).collect(),
                },
            };
            part.depth = part.depth.map(|d| d * factor);
        }
        chip.depth = chip.depth.map(|d| d * factor);
        chip
    }

    /// Whether any port gives a pressure or is free of traction.
    pub fn fixes_pressure(&self) -> bool {
        self.ports
            .iter()
            .any(|p| !matches!(p.condition, Condition::FlowRate(_)))
    }
}
