//! A solved chip with all that the window needs of it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Quantity;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::profile::ProfileTable;
use stokeslet_cad::chip::Chip;
use stokeslet_flow::export::readable::figures;
use stokeslet_flow::field::{FieldIndex, Sample};
use stokeslet_flow::kinds::{Kinds, seam_nodes};
use stokeslet_flow::probe::SolvedFlow;
use stokeslet_flow::quantities::{self, FieldQuantity, Origin};
use stokeslet_flow::session::{Solution, advice};
use stokeslet_flow::walls::{WallStress, wall_stress};

/// What a solve found ready from solves before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// All of the elimination: only values at ports had changed.
    Factors,
    /// Fronts of the chip, of which `computed` were computed; the rest are copies of these, or were known from solves before.
    Fronts {
        /// Fronts, copies counted.
        all: u64,
        /// Fronts computed in this solve.
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
#[derive(Clone, Debug)]
pub struct Solved {
    /// Revision of the document that was solved.
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
    pub index: Arc<FieldIndex>,
    derived: Arc<[Derived; quantities::ALL.len()]>,
    walls: Arc<OnceLock<WallStress>>,
    doubts: Arc<Mutex<Option<Doubts>>>,
    kinds: Arc<OnceLock<Kinds>>,
    seam_nodes: Arc<OnceLock<Vec<Point>>>,
}

/// What makes numbers doubtful, and for which density of the fluid, kg/m^3: that of a design changes without a solve.
type Doubts = (Option<f64>, Arc<[Diagnostic]>);

/// What is known of a quantity by now.
#[derive(Debug, Default)]
struct Derived {
    ends: OnceLock<[f64; 2]>,
    at_nodes: OnceLock<Vec<f64>>,
}

impl Solved {
    /// Makes ready what every frame needs. Work for a thread: some milliseconds a hundred thousand cells.
    pub fn new(revision: u64, chip: Arc<Chip>, solution: Solution, resolution: u32) -> Self {
        let index = FieldIndex::new(&solution.fields);
        Self::indexed(revision, chip, solution, (resolution, index))
    }

    /// As [`Self::new`]; `None` where `is_cancelled`, asked now and then, said so.
    pub fn unless(
        revision: u64,
        chip: Arc<Chip>,
        solution: Solution,
        resolution: u32,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let index = FieldIndex::unless(&solution.fields, is_cancelled)?;
        Some(Self::indexed(revision, chip, solution, (resolution, index)))
    }

    /// What makes its numbers doubtful, as `solve` tells it; `density` is that of its design, kg/m^3.
    pub fn doubts(&self, density: Option<f64>) -> Arc<[Diagnostic]> {
        let mut known = self.doubts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, doubts)) = known.as_ref()
            && *of == density
        {
            return doubts.clone();
        }
        let (chip, solution) = (&self.chip, &self.solution);
        let all = advice::of_solved(chip, self.resolution, solution, density);
        let all: Arc<[Diagnostic]> = all.into();
        *known = Some((density, all.clone()));
        all
    }

    fn indexed(
        revision: u64,
        chip: Arc<Chip>,
        solution: Solution,
        (resolution, index): (u32, FieldIndex),
    ) -> Self {
        Self {
            revision,
            chip,
            solution: Arc::new(solution),
            resolution,
            seconds: 0.0,
            reuse: Reuse::Unknown,
            profile: None,
            index: Arc::new(index),
            derived: Arc::default(),
            walls: Arc::default(),
            doubts: Arc::default(),
            kinds: Arc::default(),
            seam_nodes: Arc::default(),
        }
    }

    /// The same, of a document that has changed in nothing that is solved; all of it is shared.
    pub fn again(&self, revision: u64) -> Self {
        Self {
            revision,
            ..self.clone()
        }
    }

    /// The fields at a point; `None` outside the flow. Some microseconds at most.
    pub fn at(&self, p: Point) -> Option<Sample> {
        self.index.at(&self.solution.fields, p)
    }

    /// The same, as the sciences ask it.
    pub fn flow(&self) -> SolvedFlow<'_> {
        SolvedFlow {
            chip: &self.chip,
            solution: &self.solution,
            index: &self.index,
        }
    }

    /// Ends of the colours of a quantity.
    pub fn range_of(&self, quantity: Quantity) -> [f64; 2] {
        match quantity {
            Quantity::Flow(flow) if flow.is_on_walls() => self.wall_stress().spanned(),
            Quantity::Flow(flow) => {
                let [low, high] = self.ends(flow);
                [if flow.is_magnitude { 0.0 } else { low }, high]
            }
            // What the flow carries is not in it: `Dissolved::range_of`.
            Quantity::Species(_) | Quantity::Age => [0.0, 0.0],
        }
    }

    /// Greatest value in the field, which colours may not reach.
    pub fn greatest(&self, quantity: Quantity) -> f64 {
        let value = match quantity {
            Quantity::Flow(flow) if flow.is_on_walls() => self.wall_stress().range[1],
            Quantity::Flow(flow) => self.ends(flow)[1],
            Quantity::Species(_) | Quantity::Age => 0.0,
        };
        if value.is_finite() { value } else { 0.0 }
    }

    /// Least and greatest value of a quantity at the nodes, 0 where it has none; computed when first asked for.
    fn ends(&self, quantity: &FieldQuantity) -> [f64; 2] {
        let fields = &self.solution.fields;
        let ends = || {
            let values = match self.at_nodes(quantity) {
                Some(values) => Cow::Borrowed(values),
                None => Cow::Owned(quantity.at_nodes(fields).unwrap_or_default()),
            };
            let of = |(a, b): (f64, f64), &v: &f64| (a.min(v), b.max(v));
            let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), of);
            if low <= high { [low, high] } else { [0.0; 2] }
        };
        match self.derived_of(quantity) {
            Some(derived) => *derived.ends.get_or_init(ends),
            None => ends(),
        }
    }

    /// Values at the nodes of a quantity that no pixel finds by itself, SI; computed when first asked for, some milliseconds a hundred thousand cells.
    pub fn at_nodes(&self, quantity: &FieldQuantity) -> Option<&[f64]> {
        if !matches!(quantity.origin, Origin::Gradient { .. } | Origin::Whole(_)) {
            return None;
        }
        let derived = self.derived_of(quantity)?;
        let values = || quantity.at_nodes(&self.solution.fields).unwrap_or_default();
        let values = derived.at_nodes.get_or_init(values);
        // A cut through a flow in space has no stream function.
        (!values.is_empty()).then_some(values)
    }

    fn derived_of(&self, quantity: &FieldQuantity) -> Option<&Derived> {
        let row = quantities::ALL.iter().position(|q| *q == quantity)?;
        self.derived.get(row)
    }

    /// Stress along the walls; computed when first asked for, some milliseconds.
    pub fn wall_stress(&self) -> &WallStress {
        self.walls
            .get_or_init(|| wall_stress(&self.solution.fields, self.chip.plane_viscosity()))
    }

    /// Its parts by kind; worked out when first asked for.
    pub fn kinds(&self) -> &Kinds {
        self.kinds
            .get_or_init(|| Kinds::new(&self.chip, &self.solution.fields))
    }

    /// Nodes that parts share, m; worked out when first asked for, some milliseconds a hundred thousand cells.
    pub fn seam_nodes(&self) -> &[Point] {
        self.seam_nodes
            .get_or_init(|| seam_nodes(&self.solution.fields))
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
    use crate::results::tests::{solved, solved_example};
    use stokeslet_flow::field::index::{cell_box, nodes_of, velocity};
    use stokeslet_flow::field::{Field, barycentric};

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

    /// How well the cell that holds the point best holds it, and the velocity there.
    fn search(fields: &Field<2>, p: Point) -> Option<(f64, Point)> {
        let cells = 0..fields.cells.len();
        let places = cells.filter_map(|c| Some((c, barycentric(&nodes_of(fields, c), p)?)));
        places
            .map(|(c, xi)| {
                (
                    xi.into_iter().fold(f64::INFINITY, f64::min),
                    velocity(fields, c, &xi),
                )
            })
            .filter(|(least, _)| *least >= -1e-9)
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    #[test]
    fn the_grid_says_what_a_look_at_every_cell_says() {
        for name in ["y-mixer", "spiral-delay", "straight"] {
            let solved = solved_example(name, 4);
            let fields = &solved.solution.fields;
            let (low, high) = solved.index.extent();
            let (mut inside, mut on_edges) = (0, 0);
            let check = |p: Point| {
                let (got, want) = (solved.at(p), search(fields, p));
                assert_eq!(got.is_some(), want.is_some(), "{name} at {p:?}");
                if let (Some(got), Some((_, want))) = (got, want) {
                    let scale = solved.solution.max_speed.unwrap().0;
                    assert!(
                        (got.velocity - want).norm() < 1e-9 * scale,
                        "{name} at {p:?}"
                    );
                    return 1;
                }
                0
            };
            for k in 0..400_u32 {
                // A sequence that fills the box evenly.
                let (s, t) = (f64::from(k) * 0.754_877_666, f64::from(k) * 0.569_840_291);
                let size = high - low;
                inside += check(low + Point::new(size.x * s.fract(), size.y * t.fract()));
            }
            // Nodes of walls: inside, though rounding may put them a little out of every cell and out of its bins.
            for &(cell, edge) in fields.walls.iter().step_by(fields.walls.len() / 50 + 1) {
                let x = nodes_of(fields, cell as usize);
                on_edges += check(x[edge as usize]) + check(x[edge as usize + 3]);
            }
            assert!(inside > 10, "{name}: {inside} points were inside");
            assert!(
                on_edges >= 50,
                "{name}: {on_edges} points of walls were inside"
            );
        }
    }

    #[test]
    fn every_cell_of_a_box_is_visited_once() {
        let solved = solved_example("y-mixer", 4);
        let fields = &solved.solution.fields;
        let (low, high) = solved.index.extent();
        let mut seen = vec![0; fields.cells.len()];
        solved
            .index
            .for_cells_in(fields, low, high, |c, _| seen[c] += 1);
        assert!(
            seen.iter().all(|&n| n == 1),
            "the whole chip holds every cell"
        );
        let middle = (low + high) * 0.5;
        let mut seen = vec![0; fields.cells.len()];
        solved
            .index
            .for_cells_in(fields, low, middle, |c, _| seen[c] += 1);
        for (c, &n) in seen.iter().enumerate() {
            let (a, _) = cell_box(&nodes_of(fields, c));
            let must = a.x <= middle.x && a.y <= middle.y;
            assert!(n <= 1 && (n == 1 || !must), "cell {c} seen {n} times");
        }
    }

    #[test]
    fn no_number_is_in_no_cell() {
        let channel = solved(&crate::results::tests::channel(), 4);
        assert!(channel.at(Point::new(f64::NAN, 0.0)).is_none());
    }
}
