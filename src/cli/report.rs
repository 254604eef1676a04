//! What `solve` prints.

use std::fmt::Write as _;
use std::path::Path;

use stokeslet::export::csv::kind_name;
use stokeslet::export::readable::{Quantity, figures, percent};
use stokeslet::export::{Digest, model_name};
use stokeslet::field::drag::PostForce;
use stokeslet::geometry::Point;
use stokeslet::probe;
use stokeslet::session::{ErrorEstimate, PortResult, Solution, SolveReport, WantedResults};

use super::inputs::Input;
use super::solve_one::Report;

/// What enters at each port, and its pressure, with their estimated errors where there are any.
pub fn ports(ports: &[PortResult], flow: Quantity, errors: Option<&ErrorEstimate>) -> String {
    let most_flow = ports.iter().map(|p| p.flow_rate.abs()).fold(0.0, f64::max);
    let most_pressure = ports.iter().map(|p| p.pressure.abs()).fold(0.0, f64::max);
    let error = |error: f64, most: f64, of: Quantity| match error {
        0.0 => "as given".to_string(),
        error if error < 1e-9 * most => "rounding".to_string(),
        error => format!("± {}", of.show(error)),
    };
    let rows: Vec<Vec<String>> = ports
        .iter()
        .enumerate()
        .map(|(k, p)| {
            let mut row = vec![
                p.id.clone(),
                kind_name(p.kind).replace('_', " "),
                flow.show(without_rounding(p.flow_rate, most_flow)),
            ];
            let errors = errors.map(|e| e.ports[k]);
            row.extend(errors.map(|e| error(e.flow_rate, most_flow, flow)));
            row.push(Quantity::Pressure.show(without_rounding(p.pressure, most_pressure)));
            row.extend(errors.map(|e| error(e.pressure, most_pressure, Quantity::Pressure)));
            row
        })
        .collect();
    let heads: &[&str] = match errors {
        Some(_) => &["port", "condition", "flow in", "error", "pressure", "error"],
        None => &["port", "condition", "flow in", "pressure"],
    };
    aligned(heads, &rows)
}

/// The short table of one solved design.
pub fn table(
    input: &Input,
    report: &Report,
    (probes, wanted): (&[Point], WantedResults),
    folder: &Path,
    peak_memory: u64,
) -> String {
    let (solution, counts) = (&report.solution, &report.solution.report);
    let flow = Quantity::of_flow(report.chip.depth.is_some());
    let mut text = format!(
        "{}: {}, resolution {}, {} unknowns\n",
        input.name,
        model_name(report.chip.model),
        report.resolution,
        grouped(counts.unknowns)
    );
    text += &blocks(counts);
    text += &ports(&solution.ports, flow, report.errors.as_ref());
    if counts.still {
        text += "  nothing flows: no flow rate is given, and connected ports have one pressure\n";
    }
    if let Some(errors) = &report.errors {
        text += &estimated(errors, report.resolution);
    }
    if wanted == WantedResults::All {
        text += &extremes(
            solution,
            report.chip.depth.is_some(),
            report.reynolds.map(|r| r.0),
        );
    }
    text += &posts(solution.posts.as_deref().unwrap_or_default());
    text += &report.species;
    // Writing into a String does not fail.
    for (at, sample) in probes.iter().zip(&report.samples.probes) {
        let found = match sample {
            Some(s) => probe::lines(s, false).join(", "),
            None => "outside the flow".into(),
        };
        let _ = writeln!(text, "  probe at {}: {found}", place(*at));
    }
    let _ = writeln!(
        text,
        "  relative residual {:.1e} after {} refinement step{}, mass imbalance {:.1e}",
        counts.relative_residual,
        counts.refinement_steps,
        if counts.refinement_steps == 1 {
            ""
        } else {
            "s"
        },
        counts.mass_imbalance
    );
    let _ = writeln!(
        text,
        "  {} s, {} at most; results in {}",
        figures(report.timings.total),
        Quantity::Memory.show(peak_memory as f64),
        folder.display()
    );
    text
}

/// What the thesis counts, of a method that cuts the chip into blocks; else nothing.
fn blocks(counts: &SolveReport) -> String {
    let Some(blocks) = counts.blocks else {
        return String::new();
    };
    format!(
        "  by block rows: {} regular, {} irregular and {} separator blocks of {} shapes, {} unique matrices, {} tasks, {} GFLOP\n",
        grouped(blocks.regular),
        grouped(blocks.irregular),
        grouped(blocks.separator),
        grouped(counts.canonical_blocks),
        grouped(counts.unique_matrices),
        grouped(counts.tasks),
        figures(counts.flops as f64 * 1e-9)
    )
}

/// What only the fields tell.
fn extremes(solution: &Solution, has_depth: bool, reynolds: Option<f64>) -> String {
    let (Some((speed, at)), Some(shear)) = (solution.max_speed, solution.wall_shear) else {
        return String::new();
    };
    let power = match has_depth {
        true => Quantity::Power,
        false => Quantity::PowerPerDepth,
    };
    let heat = solution.dissipation.map_or(String::new(), |heat| {
        format!("  power turned into heat {}\n", power.show(heat))
    });
    let reynolds = reynolds.map_or(String::new(), |re| {
        format!(", Reynolds number there {}", figures(re))
    });
    let stress = |mean: f64, max: f64, at: Point| {
        let [mean, max] = [mean, max].map(|s| Quantity::Pressure.show(s));
        format!("{mean} on average, at most {max} at {}", place(at))
    };
    let walls = stress(shear.mean, shear.max, shear.max_at);
    let shear = match solution.floor_shear {
        None => format!("  wall shear stress {walls}\n"),
        Some(floor) => format!(
            "  shear stress of side walls {walls}\n  shear stress of floor and ceiling {}\n",
            stress(floor.mean, floor.max, floor.max_at)
        ),
    };
    // With a floor that the plane doesn't see.
    let mean = match solution.floor_shear {
        Some(_) => " (mean over the depth)",
        None => "",
    };
    format!(
        "{heat}  peak speed {}{mean} at {}{reynolds}\n{shear}",
        Quantity::Speed.show(speed),
        place(at),
    )
}

/// Posts that a report lists; all are in the files.
const MOST_POSTS: usize = 6;

/// Forces on posts, the largest first where there are many.
fn posts(posts: &[PostForce]) -> String {
    let mut order: Vec<&PostForce> = posts.iter().collect();
    let is_many = posts.len() > MOST_POSTS;
    if is_many {
        order.sort_by(|a, b| b.force.norm().total_cmp(&a.force.norm()));
    }
    let mut text = String::new();
    for post in order.iter().take(MOST_POSTS) {
        // Writing into a String does not fail.
        let _ = writeln!(
            text,
            "  force on post {} of `{}` at {}: ({:.4e}, {:.4e}) N/m of depth, torque {:.3e} N",
            post.post,
            post.part,
            place(post.at),
            post.force.x,
            post.force.y,
            post.torque
        );
    }
    if is_many {
        let n = posts.len();
        let _ = writeln!(
            text,
            "  the largest of {n} posts; all are in summary.json and posts.csv"
        );
    }
    text
}

/// How good the numbers are, and what would make them better.
fn estimated(errors: &ErrorEstimate, resolution: u32) -> String {
    let finer = |part: f64| {
        format!(
            "{} at {}",
            percent(part),
            errors.resolution_for(part, resolution)
        )
    };
    let goals: Vec<String> = [0.01, 1e-3]
        .into_iter()
        .filter(|&goal| goal < errors.relative)
        .map(finer)
        .collect();
    let more = match goals.is_empty() {
        true => String::new(),
        false => format!("; by resolution, {}", goals.join(", ")),
    };
    let mut text = format!(
        "  errors estimated against resolution {}: at most {}{more}\n",
        errors.coarse_resolution,
        percent(errors.relative)
    );
    match (errors.peak_wall_shear, errors.peak_change) {
        (Some(shear), _) if errors.relative > 1e-9 => {
            text += &format!("  peak wall shear ± {}\n", Quantity::Pressure.show(shear));
        }
        (None, Some(change)) => {
            text += &format!(
                "  peak wall shear not settled: changed by {} from resolution {}; at sharp inner corners it grows without end, in cells wider than the depth it is too small\n",
                percent(change),
                errors.coarse_resolution
            );
        }
        _ => {}
    }
    text
}

/// One line for a design of many.
pub fn line(input: &Input, digest: &Digest, how: &str) -> String {
    format!(
        "{:<24} {how:<8} {:>12} unknowns  residual {:.1e}  {:>8} s\n",
        input.folder,
        grouped(digest.unknowns),
        digest.relative_residual,
        figures(digest.timings_s.total)
    )
}

/// Zero where a value is far below the accuracy of those around it: people should not read meaning into rounding.
fn without_rounding(value: f64, scale: f64) -> f64 {
    if value.abs() < 1e-9 * scale {
        0.0
    } else {
        value
    }
}

/// A point; a coordinate that is rounding of zero, below 1e-12 of the other or a femtometre, is zero.
fn place(p: Point) -> String {
    let show = |x: f64, other: f64| {
        let is_rounding = x.abs() < (1e-12 * other.abs()).max(1e-15);
        Quantity::Length.show(if is_rounding { 0.0 } else { x })
    };
    format!("({}, {})", show(p.x, p.y), show(p.y, p.x))
}

/// `1234567` as `1 234 567`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Columns under their heads: the first two to the left, numbers to the right.
fn aligned(heads: &[&str], rows: &[Vec<String>]) -> String {
    let wide = |k: usize| {
        let cells = rows.iter().map(|r| r[k].chars().count());
        cells.chain([heads[k].len()]).max().unwrap_or_default()
    };
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells
            .enumerate()
            .map(|(k, cell)| match (wide(k), k < 2) {
                (width, true) => format!("{cell:<width$}"),
                (width, false) => format!("{cell:>width$}"),
            })
            .collect();
        format!("  {}\n", padded.join("  "))
    };
    let mut text = line(&mut heads.iter().copied());
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        for (n, want) in [
            (7, "7"),
            (1234, "1 234"),
            (1_234_567, "1 234 567"),
            (123_456, "123 456"),
        ] {
            assert_eq!(grouped(n), want);
        }
    }
}
