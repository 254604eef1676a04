//! Walls of a picture, coloured by their shear stress.

use std::fmt::Write as _;

use svg::node::element::{Group, Path};

use super::surface::PictureFrame;
use crate::field::Field;
use crate::field::index::nodes_of;
use crate::walls::WallStress;

/// Width of a wall, picture units.
const WIDTH: f64 = 3.2;

/// Strokes along all walls: one path a colour, `bands` of them over `[0, top]` Pa, in units of `grain`.
pub(super) fn walls(
    fields: &Field<2>,
    stress: &WallStress,
    frame: &PictureFrame,
    (top, bands, grain): (f64, usize, f64),
    colour: &dyn Fn(f64) -> String,
) -> Group {
    let mut data = vec![String::new(); bands];
    for (&(cell, edge), &[a, b]) in fields.walls.iter().zip(&stress.at_ends) {
        let (x, k) = (nodes_of(fields, cell as usize), edge as usize);
        let place = |n: usize| frame.place(x[n]).map(|v| (v / grain).round() as i64);
        let [from, middle, to] = [place(k), place(k + 3), place((k + 1) % 3)];
        let mean = 0.5 * (a + b);
        for (ends, value) in [
            ([from, middle], 0.5 * (a + mean)),
            ([middle, to], 0.5 * (mean + b)),
        ] {
            let part = if top > 0.0 {
                f64::from(value) / top
            } else {
                0.0
            };
            let band = ((part * bands as f64) as usize).min(bands - 1);
            let [[x, y], [dx, dy]] = [ends[0], [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]]];
            // Writing into a String does not fail.
            let _ = write!(data[band], "M{x} {y}l{dx} {dy}");
        }
    }
    let mut group = Group::new();
    for (band, data) in data.into_iter().enumerate().filter(|(_, d)| !d.is_empty()) {
        let path = Path::new()
            .set("fill", "none")
            .set("stroke", colour((band as f64 + 0.5) / bands as f64))
            .set("stroke-width", WIDTH / grain)
            .set("stroke-linecap", "round")
            .set("d", data);
        group = group.add(path);
    }
    group
}
