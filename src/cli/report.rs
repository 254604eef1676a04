//! What `solve` prints and the rows of `results.csv`.

use std::fmt::Write as _;
use std::path::Path;

use stokeslet::export::csv::{cell, kind_name};
use stokeslet::export::readable::{Quantity, figures};
use stokeslet::export::{Digest, model_name};
use stokeslet::geometry::Point;
use stokeslet::session::{Solution, SolveReport, WantedResults};

use super::inputs::Input;
use super::solve_one::{Failure, Report};

/// The short table of one solved design.
pub fn table(
    input: &Input,
    report: &Report,
    (probes, wanted): (&[Point], WantedResults),
    folder: &Path,
    peak_memory: u64,
) -> String {
    let (solution, counts) = (&report.solution, &report.solution.report);
    let flow = flow_quantity(report.chip.depth.is_some());
    let mut text = format!(
        "{}: {}, resolution {}, {} unknowns\n",
        input.name,
        model_name(report.chip.model),
        report.resolution,
        grouped(counts.unknowns)
    );
    let ports = &solution.ports;
    let most_flow = ports.iter().map(|p| p.flow_rate.abs()).fold(0.0, f64::max);
    let most_pressure = ports
        .iter()
        .map(|p| p.mean_pressure.abs())
        .fold(0.0, f64::max);
    let rows: Vec<[String; 4]> = ports
        .iter()
        .map(|p| {
            [
                p.id.clone(),
                kind_name(p.kind).replace('_', " "),
                flow.show(without_rounding(p.flow_rate, most_flow)),
                Quantity::Pressure.show(without_rounding(p.mean_pressure, most_pressure)),
            ]
        })
        .collect();
    text += &blocks(counts);
    text += &aligned(["port", "condition", "flow in", "mean pressure"], &rows);
    if wanted == WantedResults::All {
        text += &extremes(solution);
    }
    text += &report.species;
    // Writing into a String does not fail.
    for (at, sample) in probes.iter().zip(&report.samples.probes) {
        let found = match sample {
            Some(s) => format!(
                "{}, {}",
                Quantity::Speed.show(s.velocity.norm()),
                Quantity::Pressure.show(s.pressure)
            ),
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
fn extremes(solution: &Solution) -> String {
    let ((speed, at), shear) = (solution.max_speed, solution.wall_shear);
    format!(
        "  peak speed {} at {}\n  wall shear stress {} on average, at most {} at {}\n",
        Quantity::Speed.show(speed),
        place(at),
        Quantity::Pressure.show(shear.mean),
        Quantity::Pressure.show(shear.max),
        place(shear.max_at)
    )
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

fn flow_quantity(has_depth: bool) -> Quantity {
    if has_depth {
        Quantity::FlowRate
    } else {
        Quantity::FlowRatePerDepth
    }
}

/// Zero where a value is far below the accuracy of those around it: people should not read meaning into rounding.
fn without_rounding(value: f64, scale: f64) -> f64 {
    if value.abs() < 1e-9 * scale {
        0.0
    } else {
        value
    }
}

fn place(p: Point) -> String {
    format!(
        "({}, {})",
        Quantity::Length.show(p.x),
        Quantity::Length.show(p.y)
    )
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
fn aligned(heads: [&str; 4], rows: &[[String; 4]]) -> String {
    let wide = |k: usize| {
        let cells = rows.iter().map(|r| r[k].chars().count());
        cells.chain([heads[k].len()]).max().unwrap_or_default()
    };
    let [a, b, c, d] = [wide(0), wide(1), wide(2), wide(3)];
    let mut text = format!(
        "  {:<a$}  {:<b$}  {:>c$}  {:>d$}\n",
        heads[0], heads[1], heads[2], heads[3]
    );
    for [port, kind, flow, pressure] in rows {
        let _ = writeln!(text, "  {port:<a$}  {kind:<b$}  {flow:>c$}  {pressure:>d$}");
    }
    text
}

/// The head of `results.csv`. `flow_rates` are in m^3/s where the design has a depth, else m^2/s.
pub const HEAD: &str = "design,file,folder,status,reason,model,resolution,unknowns,relative_residual,mass_imbalance,\
                        max_speed_m_per_s,flow_rates,mean_pressures_Pa,total_s\n";

/// A row of `results.csv`: what a design gave, or why it gave nothing.
pub fn row(input: &Input, result: &Result<Digest, &Failure>) -> String {
    let file = input.path.display().to_string();
    let (design, file, folder) = (cell(&input.name), cell(&file), cell(&input.folder));
    match result {
        Ok(d) => {
            let list = |value: &dyn Fn(&stokeslet::export::DigestPort) -> f64| {
                let parts: Vec<String> = d
                    .ports
                    .iter()
                    .map(|p| format!("{}={:e}", p.id, value(p)))
                    .collect();
                parts.join("; ")
            };
            let (flows, pressures) = (list(&|p| p.flow_rate), list(&|p| p.mean_pressure));
            format!(
                "{design},{file},{folder},ok,,{},{},{},{:e},{:e},{},{},{},{:.3}\n",
                d.model,
                d.resolution,
                d.unknowns,
                d.relative_residual,
                d.mass_imbalance,
                d.max_speed.map_or(String::new(), |v| format!("{v:e}")),
                cell(&flows),
                cell(&pressures),
                d.timings_s.total
            )
        }
        Err(failure) => {
            let reason = super::chain(*failure);
            format!(
                "{design},{file},,{},{},,,,,,,,,\n",
                failure.status(),
                cell(&reason)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_cells_as_the_head() {
        let input = Input {
            path: "a/y.toml".into(),
            name: "y".into(),
            folder: "y".into(),
        };
        let commas = |text: &str| text.matches(',').count();
        assert_eq!(commas(&row(&input, &Ok(Digest::default()))), commas(HEAD));
        let failure = Failure::Solve(stokeslet::session::SolveError::Cancelled);
        let failed = row(&input, &Err(&failure));
        assert_eq!(commas(&failed), commas(HEAD));
        assert!(
            failed.contains("could_not_run,stopped on request"),
            "{failed}"
        );
    }

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
