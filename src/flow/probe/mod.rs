//! What is asked of a solved flow at points and along lines: samples, readings for people, profiles.

mod profile;
#[cfg(test)]
pub(crate) mod testing;

pub use profile::{Profile, profiles, profiles_csv};

use crate::export::readable::{Quantity, figures};
use crate::field::{FieldIndex, Sample};
use crate::quantities::at_points;
use crate::session::Solution;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;

/// A solved chip with the index of its cells: all that is needed to ask for values anywhere.
#[derive(Clone, Copy, Debug)]
pub struct SolvedFlow<'a> {
    /// What was solved.
    pub chip: &'a Chip,
    /// Its solution.
    pub solution: &'a Solution,
    /// Where the cells of its fields are.
    pub index: &'a FieldIndex,
}

impl SolvedFlow<'_> {
    /// The fields at a point; `None` outside the flow. Some microseconds at most.
    pub fn at(&self, p: Point) -> Option<Sample> {
        self.index.at(&self.solution.fields, p)
    }
}

/// What a probe reads: a line a quantity, and two more for the components of the velocity.
pub fn lines(sample: &Sample, with_components: bool) -> Vec<String> {
    let speed = sample.velocity.norm();
    let mut lines: Vec<String> = at_points()
        .filter_map(|q| Some(q.shown.show(q.of_sample(sample)?)))
        .collect();
    if with_components {
        // In one unit, so that they can be compared.
        let scale = Quantity::Speed.scale_for(speed);
        let part = |v: f64| {
            let v = v * scale.factor;
            let least = 1e-6 * speed * scale.factor;
            figures(if v.abs() <= least { 0.0 } else { v })
        };
        lines.push(format!("u {} {}", part(sample.velocity.x), scale.unit));
        lines.push(format!("v {} {}", part(sample.velocity.y), scale.unit));
    }
    lines
}

/// In one line, for the status bar: `12.5 mm/s, 100 Pa, 250 1/s`; `None` outside the flow.
pub fn reading(solved: &SolvedFlow<'_>, p: Point) -> Option<String> {
    Some(lines(&solved.at(p)?, false).join(", "))
}

#[cfg(test)]
mod tests {
    use web_time::Instant;

    use super::testing::{channel, solved, solved_example};
    use super::*;

    #[test]
    fn a_probe_reads_every_value_with_its_unit() {
        let solved = solved(&channel(), 4);
        let sample = solved.flow().at(Point::new(5e-4, 0.0)).unwrap();
        assert_eq!(
            lines(&sample, true),
            ["125 mm/s", "50.0 Pa", "0 1/s", "u 125 mm/s", "v 0 mm/s"]
        );
        assert_eq!(
            reading(&solved.flow(), Point::new(5e-4, 0.0)).as_deref(),
            Some("125 mm/s, 50.0 Pa, 0 1/s")
        );
        assert_eq!(reading(&solved.flow(), Point::new(0.0, 1.0)), None);
    }

    #[test]
    fn a_reading_is_a_small_part_of_a_frame() {
        let solved = solved_example("y-mixer", 6);
        let (low, high) = solved.extent();
        let start = Instant::now();
        let mut inside = 0;
        for k in 0..2000 {
            let t = f64::from(k) / 2000.0;
            let p = low + Point::new((high.x - low.x) * t, (high.y - low.y) * (7.0 * t).fract());
            inside += usize::from(reading(&solved.flow(), p).is_some());
        }
        let each = start.elapsed().as_secs_f64() / 2000.0;
        assert!(inside > 0);
        assert!(each < 1e-4, "{each} s a reading, without optimisation");
    }
}
