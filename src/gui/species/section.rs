//! The section of the channel under the pointer: from wall to wall across the flow, with the concentrations along it.

use super::Dissolved;
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::{Field, FieldIndex};
use stokeslet_species::{Across, across};

/// Steps towards a wall, in narrowest widths of the chip.
const STEP: f64 = 1.0 / 24.0;
/// Farthest wall, in steps.
const MOST: usize = 4000;
/// Halvings of the last step: the wall is known to a thousandth of a step.
const HALVINGS: usize = 10;
/// Places along the section.
const PLACES: usize = 161;

/// A section across the flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// From the right wall to the left looking along the flow, m.
    pub ends: [Point; 2],
    /// The place that it was taken through, m.
    pub at: Point,
    /// By species.
    pub across: Vec<Across>,
}

impl Section {
    /// Takes it through a point; `None` outside the flow and where nothing flows.
    ///
    /// # Accuracy and cost
    /// Straight, at right angles to the velocity at the point: a cross-section of a channel, and in a chamber what lies beside the point.
    /// Some hundred look-ups, below a millisecond.
    pub fn through(dissolved: &Dissolved, at: Point) -> Option<Self> {
        let solved = &dissolved.solved;
        let (fields, index) = (&solved.solution.fields, &solved.index);
        let velocity = solved.at(at)?.velocity;
        let speed = velocity.norm();
        if speed <= 1e-9 * solved.solution.max_speed?.0 {
            return None;
        }
        let left = Point::new(-velocity.y, velocity.x) * (1.0 / speed);
        let net = &dissolved.paths.net;
        let widths = net.pipes.iter().map(|p| p.width);
        let sockets = net.regions.iter().flat_map(|r| &r.sockets).map(|m| m.width);
        let narrowest = widths.chain(sockets).fold(f64::INFINITY, f64::min);
        if !narrowest.is_finite() {
            return None;
        }
        let wall = |direction: Point| wall(fields, index, at, direction, STEP * narrowest);
        let ends = [wall(left * -1.0), wall(left)];
        let species = dissolved.fields.iter().zip(&dissolved.entering);
        let across = species
            .map(|(values, entering)| across(fields, index, values, ends, PLACES, *entering));
        Some(Self {
            ends,
            at,
            across: across.collect(),
        })
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        (self.ends[1] - self.ends[0]).norm()
    }
}

/// The last point of the flow from `at` in a direction.
fn wall(fields: &Field<2>, index: &FieldIndex, at: Point, direction: Point, step: f64) -> Point {
    let is_inside = |x: f64| index.locate(fields, at + direction * x).is_some();
    let mut inside = 0.0;
    let mut outside = step;
    for _ in 0..MOST {
        if !is_inside(outside) {
            break;
        }
        inside = outside;
        outside += step;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        if is_inside(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    at + direction * inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::species::tests::{TEE, dissolved};

    #[test]
    fn a_section_goes_from_wall_to_wall_and_knows_how_mixed_it_is() {
        let dissolved = dissolved(TEE);
        // The tee's right arm goes along x from the middle of the junction.
        let near = Section::through(&dissolved, Point::new(3e-4, 1e-5)).unwrap();
        let far = Section::through(&dissolved, Point::new(1.9e-3, -2e-5)).unwrap();
        for section in [&near, &far] {
            assert!((section.length() / 1e-4 - 1.0).abs() < 2e-3, "{section:?}");
            assert!(section.ends[0].y < section.ends[1].y, "from the right wall");
            let mean = section.across[0].mean.unwrap();
            assert!((mean - 0.5).abs() < 0.02, "{mean}");
        }
        let mixed = |s: &Section| s.across[0].mixing_index.unwrap();
        assert!(mixed(&near) > 0.0 && mixed(&far) > mixed(&near) + 0.05);
        let outlet = dissolved.results[0].ports[2].mixing_index.unwrap();
        assert!((mixed(&far) - outlet).abs() < 0.03, "{outlet}");
        assert_eq!(Section::through(&dissolved, Point::new(1.0, 0.0)), None);
    }
}
