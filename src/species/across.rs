//! A concentration profile across any section of a chip, with its mixing index: two points in, a profile out.

use serde::Serialize;
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::{Field, FieldIndex};

use crate::trace::quadratic;

/// One place of a section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Place {
    /// From the first point, m.
    pub distance: f64,
    /// Concentration.
    pub value: f64,
    /// Velocity through the section, m/s: positive from right to left looking from the first point to the second.
    pub through: f64,
}

/// A profile across a section.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Across {
    /// Places in the fluid, in order.
    pub places: Vec<Place>,
    /// Flow through the section, m^2/s, whatever its direction: the integral of the speed through it.
    pub flow: f64,
    /// Flux-weighted mean concentration; `None` without flow.
    pub mean: Option<f64>,
    /// `1 - sqrt(I_s)`, flux-weighted, between the concentrations that enter the chip; `None` where it isn't defined.
    pub mixing_index: Option<f64>,
    /// Greatest and least concentration.
    pub range: Option<[f64; 2]>,
}

/// Reads nodal values along the straight line from `a` to `b`.
///
/// ```text
/// I_s = int |u.n| (c - c_m)^2 / (int |u.n| (c_max - c_m)(c_m - c_min)),   mixing index 1 - sqrt(I_s)
/// ```
/// # Shapes and units
/// - `values`: one a node of the fields; `entering`: least and greatest concentration that enters the chip; `n`: places, at least 2; ends in m
/// # Accuracy and cost
/// Quadratic in every cell, midpoint rule between equally spaced places; places outside the fluid are left out. `n` look-ups.
pub fn across(
    fields: &Field<2>,
    index: &FieldIndex,
    values: &[f64],
    [a, b]: [Point; 2],
    n: usize,
    entering: [f64; 2],
) -> Across {
    let mut out = Across::default();
    let along = b - a;
    let length = along.norm();
    if n < 2 || !(length > 0.0 && length.is_finite()) || values.len() != fields.nodes.len() {
        return out;
    }
    let normal = Point::new(-along.y, along.x) * (1.0 / length);
    let (mut carried, mut square) = (0.0, 0.0);
    for k in 0..n {
        // Midpoints: walls at both ends then count with half a step of fluid, not twice with nothing.
        let distance = length * (k as f64 + 0.5) / n as f64;
        let Some(at) = index.locate(fields, a + along * (distance / length)) else {
            continue;
        };
        let cell = fields.cells[at.cell as usize];
        let basis = quadratic(at.xi);
        let (mut value, mut u) = (0.0, Point::default());
        for (phi, &node) in basis.iter().zip(&cell) {
            value += phi * values[node as usize];
            u = u + fields.velocity[node as usize] * *phi;
        }
        let through = u.dot(normal);
        let share = through.abs() * length / n as f64;
        out.flow += share;
        carried += share * value;
        square += share * value * value;
        let [low, high] = out.range.unwrap_or([value; 2]);
        out.range = Some([low.min(value), high.max(value)]);
        out.places.push(Place {
            distance,
            value,
            through,
        });
    }
    if out.flow > 0.0 {
        let mean = carried / out.flow;
        out.mean = Some(mean);
        let [low, high] = entering;
        let most = (high - mean) * (mean - low);
        if high > low && most > 1e-9 * (high - low).powi(2) {
            let segregation = (square / out.flow - mean * mean) / most;
            out.mixing_index = Some(1.0 - segregation.max(0.0).sqrt());
        }
    }
    out
}
