//! A solved chip with all that the window needs of it.

use std::sync::{Arc, OnceLock};

use super::Quantity;
use super::field::FieldIndex;
use super::kinds::Kinds;
use super::walls::{WallStress, wall_stress};
use crate::chip::Chip;
use crate::export::readable::figures;
use crate::field::Sample;
use crate::geometry::Point;
use crate::profile::ProfileTable;
use crate::session::Solution;

/// Part of the walls whose stress the colours span: in sharp corners it grows without bound as cells get finer.
const SPANNED: f64 = 0.99;

/// What a solve found ready from solves before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// All of the elimination: only values at ports had changed.
    Factors,
    /// Of all fronts of the chip, `computed` were computed; the rest are copies of these, or were known from solves before.
    Fronts {
        /// Fronts, copies counted.
        all: u64,
        /// Of these, computed in this solve.
        computed: u64,
    },
    /// Nobody counted.
    #[default]
    Unknown,
}

impl Reuse {
    /// The part that wasn't computed, 0 to 1.
    pub fn share(self) -> Option<f64> {
        match self {
            Reuse::Factors => Some(1.0),
            Reuse::Fronts { all, computed } if all > 0 => {
                Some(1.0 - computed.min(all) as f64 / all as f64)
            }
            _ => None,
        }
    }
}

/// A solved chip with all that the window needs of it.
#[derive(Debug)]
pub struct Solved {
    /// Of the document that was solved.
    pub revision: u64,
    /// What was solved.
    pub chip: Arc<Chip>,
    /// Its solution.
    pub solution: Arc<Solution>,
    /// Cell edges across a channel.
    pub resolution: u32,
    /// From the request to the result.
    pub seconds: f64,
    /// What was known before.
    pub reuse: Reuse,
    /// Work by stage and task; that of the elimination where only values at ports changed since.
    pub profile: Option<Arc<ProfileTable>>,
    /// Where its cells are.
    pub index: FieldIndex,
    pressures: [f64; 2],
    walls: OnceLock<WallStress>,
    kinds: OnceLock<Kinds>,
    seam_nodes: OnceLock<Vec<Point>>,
}

impl Solved {
    /// Makes ready what every frame needs. Work for a thread: some milliseconds a hundred thousand cells.
    pub fn new(revision: u64, chip: Arc<Chip>, solution: Solution, resolution: u32) -> Self {
        let index = FieldIndex::new(&solution.fields);
        let (low, high) = solution
            .fields
            .pressure
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &p| {
                (a.min(p), b.max(p))
            });
        Self {
            revision,
            chip,
            solution: Arc::new(solution),
            resolution,
            seconds: 0.0,
            reuse: Reuse::Unknown,
            profile: None,
            index,
            pressures: if low <= high { [low, high] } else { [0.0, 0.0] },
            walls: OnceLock::new(),
            kinds: OnceLock::new(),
            seam_nodes: OnceLock::new(),
        }
    }

    /// The fields at a point; `None` outside the flow. Some microseconds at most.
    pub fn at(&self, p: Point) -> Option<Sample> {
        self.index.at(&self.solution.fields, p)
    }

    /// Ends of the colours of a quantity.
    pub fn range_of(&self, quantity: Quantity) -> [f64; 2] {
        match quantity {
            Quantity::Speed => [0.0, self.greatest(quantity)],
            Quantity::Pressure => self.pressures,
            Quantity::WallShear => {
                let mut all: Vec<f32> = self
                    .wall_stress()
                    .at_ends
                    .iter()
                    .flatten()
                    .copied()
                    .collect();
                let last = all.len().saturating_sub(1);
                if all.is_empty() {
                    return [0.0, 0.0];
                }
                let at = (SPANNED * last as f64) as usize;
                let (_, &mut top, _) = all.select_nth_unstable_by(at, f32::total_cmp);
                [0.0, f64::from(top)]
            }
        }
    }

    /// Greatest value in the field, which colours may not reach.
    pub fn greatest(&self, quantity: Quantity) -> f64 {
        let value = match quantity {
            Quantity::Speed => self.solution.max_speed.0,
            Quantity::Pressure => self.pressures[1],
            Quantity::WallShear => self.wall_stress().range[1],
        };
        if value.is_finite() { value } else { 0.0 }
    }

    /// Stress along the walls; computed when first asked for, some milliseconds.
    pub fn wall_stress(&self) -> &WallStress {
        self.walls
            .get_or_init(|| wall_stress(&self.solution.fields, self.chip.viscosity))
    }

    /// Its parts by kind; worked out when first asked for.
    pub fn kinds(&self) -> &Kinds {
        self.kinds
            .get_or_init(|| Kinds::new(&self.chip, &self.solution.fields))
    }

    /// Nodes that parts share, m; worked out when first asked for, some milliseconds a hundred thousand cells.
    pub fn seam_nodes(&self) -> &[Point] {
        self.seam_nodes
            .get_or_init(|| super::kinds::seam_nodes(&self.solution.fields))
    }

    /// The same, where somebody has asked before: for a frame.
    pub fn seam_nodes_if_known(&self) -> Option<&[Point]> {
        self.seam_nodes.get().map(Vec::as_slice)
    }

    /// For the status line: `1.23 M unknowns, 97 % reused, 0.080 s`.
    pub fn summary(&self) -> String {
        let mut facts = vec![format!(
            "{} unknowns",
            count(self.solution.report.unknowns as u64)
        )];
        match self.reuse {
            Reuse::Factors => facts.push("factors kept".to_owned()),
            reuse => {
                if let Some(share) = reuse.share() {
                    facts.push(format!("{:.0} % reused", (100.0 * share).floor()));
                }
            }
        }
        facts.push(seconds(self.seconds));
        facts.join(", ")
    }
}

/// A number of things: `950`, `12.3 k`, `1.23 M`.
pub fn count(n: u64) -> String {
    match n {
        0..1000 => n.to_string(),
        1000..999_500 => format!("{} k", figures(n as f64 / 1e3)),
        _ => format!("{} M", figures(n as f64 / 1e6)),
    }
}

/// A time for people: `0.8 ms`, `80 ms`, `1.25 s`.
pub fn seconds(s: f64) -> String {
    if s < 0.0995 {
        format!("{:.*} ms", usize::from(s < 0.00995), 1e3 * s)
    } else if s < 9.995 {
        format!("{s:.2} s")
    } else {
        format!("{s:.0} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_things_and_times_are_short() {
        for (n, want) in [
            (950, "950"),
            (12_345, "12.3 k"),
            (999_499, "999 k"),
            (1_234_567, "1.23 M"),
        ] {
            assert_eq!(count(n), want);
        }
        for (s, want) in [
            (0.0008, "0.8 ms"),
            (0.08, "80 ms"),
            (0.25, "0.25 s"),
            (12.34, "12 s"),
        ] {
            assert_eq!(seconds(s), want);
        }
    }

    #[test]
    fn what_was_known_is_a_share() {
        assert_eq!(
            Reuse::Fronts {
                all: 40,
                computed: 10
            }
            .share(),
            Some(0.75)
        );
        assert_eq!(Reuse::Factors.share(), Some(1.0));
        assert_eq!(Reuse::Unknown.share(), None);
    }
}
