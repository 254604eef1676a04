//! Whether a chip can be solved here at all, said before anything is meshed: a typed resolution must not end in a crash.

use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::shape::{Shape, Strip};
use stokeslet_flow::export::readable::Quantity;

/// Unknowns a square of one cell: two triangles have four quadratic velocity nodes and one pressure.
const UNKNOWNS_PER_SQUARE: f64 = 9.0;
/// Bytes that fields, cells and their index take for each unknown, at least.
const BYTES_PER_UNKNOWN: f64 = 60.0;
/// A layer of cells in three dimensions has so many unknowns for each of the plane's.
const DEEP: f64 = 4.0;

/// Refuses what can't fit by far; what nearly fits is decided by the plan.
pub(super) fn fits(chip: &Chip, resolution: u32, allowed: u64) -> Result<(), String> {
    if resolution < 2 {
        return Err(format!(
            "The resolution is {resolution} and must be at least 2 cells across a channel"
        ));
    }
    let needed = unknowns(chip, resolution) * BYTES_PER_UNKNOWN;
    if needed > allowed as f64 {
        return Err(too_large(needed as u64, allowed));
    }
    Ok(())
}

/// The sentence for a solve that needs too much memory.
pub(super) fn too_large(needed: u64, allowed: u64) -> String {
    format!(
        "A solve at this resolution needs about {} of memory and {} are free: lower the resolution",
        Quantity::Memory.show(needed as f64),
        Quantity::Memory.show(allowed as f64),
    )
}

/// About how many unknowns a chip has: cells of every part are as large as its narrowest mouth says.
fn unknowns(chip: &Chip, resolution: u32) -> f64 {
    let r = f64::from(resolution);
    let squares: f64 = chip
        .parts
        .iter()
        .map(|part| {
            let narrowest = part
                .shape
                .mouths()
                .iter()
                .map(|m| m.width)
                .fold(f64::INFINITY, f64::min);
            r * r * area(&part.shape) / (narrowest * narrowest)
        })
        .sum();
    let layers = match (chip.model, chip.depth) {
        (DepthModel::Full, Some(depth)) => {
            let mouths = chip.parts.iter().flat_map(|p| p.shape.mouths());
            let narrowest = mouths.map(|m| m.width).fold(f64::INFINITY, f64::min);
            DEEP * (0.5 * r * depth / narrowest).max(2.0)
        }
        _ => 1.0,
    };
    UNKNOWNS_PER_SQUARE * squares * layers
}

fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => length * 0.5 * (width_start + width_end),
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => radius * angle * width,
        Shape::Polygon { corners, .. } => {
            let n = corners.len();
            let twice: f64 = (0..n)
                .map(|k| Point::cross(corners[k], corners[(k + 1) % n]))
                .sum();
            0.5 * twice.abs()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{channel, example, solved};

    #[test]
    fn the_estimate_is_near_the_truth() {
        for chip in [channel(), example("y-mixer"), example("tee")] {
            let real = solved(&chip, 8).solution.report.unknowns as f64;
            let estimate = unknowns(&chip, 8);
            assert!(
                (0.6..1.6).contains(&(estimate / real)),
                "{}: {estimate} against {real}",
                chip.name
            );
        }
    }

    #[test]
    fn an_absurd_resolution_is_refused_in_a_sentence() {
        let allowed = 8 << 30;
        assert_eq!(fits(&channel(), 16, allowed), Ok(()));
        let message = fits(&channel(), 1_000_000, allowed).unwrap_err();
        assert!(
            message.contains("8.00 GiB are free: lower the resolution"),
            "{message}"
        );
        assert!(fits(&channel(), 1, allowed).is_err());
    }
}
