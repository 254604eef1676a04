//! Rules of fabrication: a process file's limits against a chip's walls.
//!
//! Widths of strips are known; widths in polygons and gaps are distances of walls that see each other, never of a mesh. Links have no place
//! and are not looked at. A process file holds rules with a kind, a value (which may be an expression in `depth`), a severity
//! and a source:
//! ```toml
//! format = 1
//! name = "PDMS, soft lithography"
//! [[rule]]
//! kind = "min_width"
//! value = "2 * depth + 20 um"
//! severity = "error"
//! source = "who says so"
//! ```
//! | kind | value | violated where |
//! |---|---|---|
//! | `min_width` | length | two walls of a channel are nearer |
//! | `min_gap` | length | two walls with no channel between are nearer (walls that meet at more than 45 degrees aren't a gap) |
//! | `min_radius` | length | an arc's centre line is tighter |
//! | `inner_radius` | length | a corner of the channel, seen from inside, is sharper |
//! | `aspect_min`, `aspect_max` | number | height over width is less at the widest place, more at the narrowest |
//! | `max_span` | length | the largest circle inside has a larger diameter |
//! | `port_spacing` | length | middles of two ports are nearer |
//! | `depth_min`, `depth_max` | length | the chip is shallower, deeper |
//!
//! Limits of a part are those of its own depth; of a gap between two depths, the stricter.
//!
//! | code | mistake |
//! |---|---|
//! | D237 | a wall thinner than a fiftieth of the narrowest channel, whatever the process (warning) |
//! | D335 | a process file that can't be read, or isn't there |
//! | D336 | a rule without a source, or of a kind that isn't known |
//! | D337 | a value that isn't a length or number, or needs a depth that the chip has not |
//! | D338 | a rule that the chip violates |

mod measure;
mod picture;
mod process;
mod report;
mod thin;
mod walls;

pub use picture::picture;
pub use process::{Process, Rule, RuleKind, read_process};
pub use report::{csv, json, lyrdb};
pub use thin::{ThinWall, thin_wall_warning, thinnest_wall};

use crate::chip::{Chip, is_drawn};
use crate::design::Design;
use crate::outline::Outlines;
use stokeslet_base::diagnostic::{Diagnostic, Severity};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, print_quantity};

/// A place where a chip breaks a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Index into the process's rules.
    pub rule: usize,
    /// The rule's kind.
    pub kind: RuleKind,
    /// Measured: m, or a ratio.
    pub value: f64,
    /// The rule's limit, in the same unit.
    pub limit: f64,
    /// How bad.
    pub severity: Severity,
    /// Where, m.
    pub at: Point,
    /// The place's box, m.
    pub bounds: (Point, Point),
    /// The segment that was measured, where there is one, m.
    pub segment: Option<(Point, Point)>,
    /// Names of the parts.
    pub parts: Vec<String>,
}

impl Violation {
    /// One sentence.
    pub fn describe(&self) -> String {
        let show = |x: f64| match self.kind.dimension() {
            Some(dimension) => print_quantity((x * 1e12).round() / 1e12, dimension),
            None => format!("{:.4}", x),
        };
        let than = if self.kind.is_least() {
            "less than"
        } else {
            "more than"
        };
        format!(
            "{} of {} is {}, {than} {}",
            self.kind.words(),
            self.parts.join(" and "),
            show(self.value),
            show(self.limit)
        )
    }

    /// As the command line tells it.
    pub fn diagnostic(&self, process: &Process) -> Diagnostic {
        let rule = &process.rules[self.rule];
        let diagnostic = match self.severity {
            Severity::Error => Diagnostic::error("D338", self.describe()),
            Severity::Warning => Diagnostic::warning("D338", self.describe()),
        };
        let show = |p: Point| {
            let [x, y] =
                [p.x, p.y].map(|x| print_quantity((x * 1e9).round() / 1e9, Dimension::Length));
            format!("({x}, {y})")
        };
        let name = self.parts.first().map_or("the chip", String::as_str);
        let place = match self.segment {
            Some((a, b)) => format!("the distance from {} to {}", show(a), show(b)),
            None => format!("{name} at {}", show(self.at)),
        };
        diagnostic
            .about(place)
            .with_help(format!("{}: {}", process.name, rule.source))
    }
}

/// Every place where a chip breaks a process's rules, in the order of the rules, then of the parts.
///
/// # Errors
/// D337: a rule's value can't be had for this chip.
/// # Accuracy and cost
/// To rounding, arcs as arcs; the widest place of a polygon to 1e-3 of its size. n log n in walls.
pub fn check(
    design: &Design,
    chip: &Chip,
    process: &Process,
) -> Result<Vec<Violation>, Vec<Diagnostic>> {
    let outlines = Outlines::new(chip);
    let drawn = is_drawn(design, chip);
    let scene = walls::Scene {
        chip,
        outlines: &outlines,
        drawn: &drawn,
    };
    let mut out = Vec::new();
    let mut faults = Vec::new();
    let mut depths = depths(chip);
    let mut cache = measure::Cache::default();
    for (k, rule) in process.rules.iter().enumerate() {
        let limits: Result<Vec<f64>, Diagnostic> =
            depths.iter().map(|d| rule.limit(d.depth)).collect();
        let limits = match limits {
            Ok(limits) => limits,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let first = out.len();
        let strictest = limits.iter().copied().fold(0.0, f64::max);
        let strictest = limits.iter().position(|limit| *limit == strictest);
        for (j, (depth, limit)) in depths.iter_mut().zip(&limits).enumerate() {
            depth.is_strictest = strictest == Some(j);
            let found = measure::violations(&scene, (k, rule), *limit, depth, &mut cache);
            out.extend(found);
        }
        if depths.len() > 1 {
            once(&mut out, first);
        }
    }
    if faults.is_empty() {
        Ok(out)
    } else {
        Err(faults)
    }
}

/// The depths of a chip's parts, each once; the chip's own where it has no parts.
fn depths(chip: &Chip) -> Vec<measure::Depth> {
    let of: Vec<Option<f64>> = (0..chip.parts.len()).map(|k| chip.depth_of(k)).collect();
    let mut all = of.clone();
    all.sort_by(|a, b| a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0)));
    all.dedup();
    if all.is_empty() {
        all.push(chip.depth);
    }
    let one = |depth: Option<f64>| measure::Depth {
        depth,
        is_here: of.iter().map(|d| *d == depth).collect(),
        is_strictest: false,
    };
    all.into_iter().map(one).collect()
}

/// Keeps one violation of a place that is told for two depths: the one with the greater limit.
fn once(out: &mut Vec<Violation>, first: usize) {
    let mut kept: Vec<Violation> = Vec::new();
    for new in out.drain(first..) {
        let same = |old: &&mut Violation| old.segment.is_some() && old.segment == new.segment;
        match kept.iter_mut().find(same) {
            Some(old) if old.limit < new.limit => *old = new,
            Some(_) => {}
            None => kept.push(new),
        }
    }
    out.extend(kept);
}

#[cfg(test)]
mod tests;
