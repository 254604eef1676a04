//! About how many unknowns a chip has, before anything is meshed.

use stokeslet_base::geometry::outline::signed_area;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::shape::{Hole, Shape, Strip};

/// Unknowns a square of one cell: two triangles have four quadratic velocity nodes and one pressure.
const UNKNOWNS_PER_SQUARE: f64 = 9.0;
/// A layer of cells in three dimensions has so many unknowns for each of the plane's.
const DEEP: f64 = 4.0;

/// About how many unknowns a chip has at a resolution (cell edges across a channel).
///
/// Cells of every part are taken to be as large as its narrowest socket says; with the full model, layers are about as high
/// as cells are wide. Parts without sockets count for nothing.
pub fn about_unknowns(chip: &Chip, resolution: u32) -> f64 {
    let r = f64::from(resolution);
    let narrowest = |shape: &Shape| {
        let widths = shape.sockets().into_iter().map(|m| m.width);
        widths.fold(f64::INFINITY, f64::min)
    };
    let shapes = || chip.parts.iter().map(|part| &part.shape);
    let squares: f64 = shapes()
        .map(|shape| {
            let width = narrowest(shape);
            r * r * area(shape) / (width * width)
        })
        .sum();
    let layers = match (chip.model, chip.depth) {
        (DepthModel::Full, Some(depth)) => {
            let width = shapes().map(narrowest).fold(f64::INFINITY, f64::min);
            DEEP * (0.5 * r * depth / width).max(2.0)
        }
        _ => 1.0,
    };
    UNKNOWNS_PER_SQUARE * squares * layers
}

fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Polygon { corners, holes, .. } => {
            signed_area(corners).abs() - holes.iter().map(Hole::area).sum::<f64>()
        }
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::{channel, example, solved};

    #[test]
    fn the_estimate_is_near_the_truth() {
        for chip in [channel(), example("y-mixer"), example("tee")] {
            let real = solved(&chip, 8).solution.report.unknowns as f64;
            let estimate = about_unknowns(&chip, 8);
            assert!(
                (0.6..1.6).contains(&(estimate / real)),
                "{}: {estimate} against {real}",
                chip.name
            );
        }
        // grid20 at resolution 8 has 1.49 million unknowns (measured by three solvers).
        let estimate = about_unknowns(&example("grid20"), 8);
        assert!((1.0e6..2.2e6).contains(&estimate), "{estimate}");
    }
}
