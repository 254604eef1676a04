//! A table of a paper beside ours: text, CSV, picture.

use super::chart::{Axis, Chart, Series};
use super::measure::Findings;
use super::paper::{Measure, PaperTable};
use crate::lcp::entry;

/// Our value for a size and a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Cells a side.
    pub size: usize,
    /// Which solver.
    pub solver: String,
    /// The value in the table's measure.
    pub value: f64,
    /// Problems solved.
    pub solves: usize,
    /// Solves that did not converge.
    pub failed: usize,
    /// Solves with a pressure unlike the others'.
    pub disagreed: usize,
    /// Mean seconds of a solve.
    pub seconds: f64,
    /// The part of these seconds for hierarchies and factors.
    pub setup_seconds: f64,
    /// Unknowns of the last problem.
    pub unknowns: usize,
}

/// The head of the CSV.
pub const HEAD: &str =
    "table,size,solver,ours,paper,solves,failed,disagreed,seconds,setup_seconds,unknowns\n";

/// What a campaign says for a table.
pub fn cells(table: &PaperTable, size: usize, findings: &Findings) -> Vec<Cell> {
    findings
        .solvers
        .iter()
        .map(|m| {
            let value = match table.measure {
                Measure::Outer => m.mean(m.outer as f64),
                Measure::Seconds | Measure::Coarsening => m.mean(m.seconds),
                Measure::Iterations | Measure::Single(_) => m.mean(m.iterations as f64),
            };
            Cell {
                size,
                solver: m.solver.to_string(),
                value,
                solves: m.solves,
                failed: m.failed,
                disagreed: m.disagreed,
                seconds: m.mean(m.seconds),
                setup_seconds: m.mean(m.setup_seconds),
                unknowns: findings.unknowns,
            }
        })
        .collect()
}

fn short(v: Option<f64>) -> String {
    match v {
        None => "-".into(),
        Some(v) if v >= 1000.0 => format!("{v:.0}"),
        Some(v) if v >= 0.1 => format!("{v:.2}"),
        Some(v) => format!("{v:.2e}"),
    }
}

/// Rows of the CSV, without its head.
pub fn csv(table: &PaperTable, cells: &[Cell]) -> String {
    cells
        .iter()
        .map(|c| {
            let paper = table
                .value(c.size, &c.solver)
                .map_or(String::new(), |v| v.to_string());
            format!(
                "{},{},{},{},{paper},{},{},{},{:e},{:e},{}\n",
                table.id,
                c.size,
                c.solver,
                (c.value * 1e6).round() / 1e6,
                c.solves,
                c.failed,
                c.disagreed,
                c.seconds,
                c.setup_seconds,
                c.unknowns
            )
        })
        .collect()
}

/// Rows of a CSV back as cells; a row that isn't one is left out.
pub fn parse(text: &str) -> Vec<Cell> {
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [
                _,
                size,
                solver,
                value,
                _,
                solves,
                failed,
                disagreed,
                seconds,
                setup,
                unknowns,
            ] = fields.as_slice()
            else {
                return None;
            };
            Some(Cell {
                size: size.parse().ok()?,
                solver: (*solver).to_string(),
                value: value.parse().ok()?,
                solves: solves.parse().ok()?,
                failed: failed.parse().ok()?,
                disagreed: disagreed.parse().ok()?,
                seconds: seconds.parse().ok()?,
                setup_seconds: setup.parse().ok()?,
                unknowns: unknowns.parse().ok()?,
            })
        })
        .collect()
}

/// The table's solvers, then others that were asked for.
fn solvers<'a>(table: &PaperTable, cells: &'a [Cell]) -> Vec<&'a str> {
    let mut all: Vec<&str> = table.solvers.to_vec();
    for cell in cells {
        if !all.contains(&cell.solver.as_str()) {
            all.push(&cell.solver);
        }
    }
    all
}

/// The table as text: a line a solver, ours and the paper's for every size.
pub fn text(table: &PaperTable, cells: &[Cell]) -> String {
    let mut sizes: Vec<usize> = cells.iter().map(|c| c.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut out = format!("{}: {} (ours | paper)\n{:<20}", table.id, table.title, "");
    for size in &sizes {
        out += &format!("{:>22}", size);
    }
    out.push('\n');
    for solver in solvers(table, cells) {
        let of: Vec<Option<&Cell>> = sizes
            .iter()
            .map(|s| cells.iter().find(|c| c.size == *s && c.solver == solver))
            .collect();
        if of.iter().all(Option::is_none) {
            continue;
        }
        out += &format!("{:<20}", entry(solver).map_or(solver, |e| e.label));
        for (size, cell) in sizes.iter().zip(of) {
            let mut ours = short(cell.map(|c| c.value));
            if let Some(cell) = cell.filter(|c| c.failed > 0) {
                ours += &format!(" ({} of {} failed)", cell.failed, cell.solves);
            }
            // Words of failures may need more room than a column has.
            out += &format!(
                "  {:>20}",
                format!("{ours} | {}", short(table.value(*size, solver)))
            );
        }
        out.push('\n');
    }
    let disagreed: usize = cells.iter().map(|c| c.disagreed).sum();
    let solves = cells.iter().map(|c| c.solves).sum::<usize>();
    out += &format!("{solves} solves, pressures that differ by more than 1e-4: {disagreed}\n");
    out
}

/// The table as a picture: ours full, the paper's dashed.
pub fn picture(table: &PaperTable, cells: &[Cell]) -> String {
    let mut series = Vec::new();
    for (colour, solver) in solvers(table, cells).into_iter().enumerate() {
        let label = entry(solver).map_or(solver, |e| e.label);
        let ours: Vec<(f64, f64)> = cells
            .iter()
            .filter(|c| c.solver == solver && c.failed < c.solves.max(1))
            .map(|c| (c.size as f64, c.value))
            .collect();
        let theirs: Vec<(f64, f64)> = table
            .rows
            .iter()
            .filter_map(|r| Some((r.0 as f64, table.value(r.0, solver)?)))
            .collect();
        for (points, dashed) in [(ours, false), (theirs, true)] {
            if !points.is_empty() {
                series.push(Series {
                    label: if dashed {
                        format!("{label}, paper")
                    } else {
                        label.to_string()
                    },
                    points,
                    colour,
                    dashed,
                });
            }
        }
    }
    Chart {
        title: format!("{}: {}", table.id, table.title),
        x_label: "cells a side".into(),
        y_label: match table.measure {
            Measure::Seconds | Measure::Coarsening => "s".into(),
            _ => "iterations".into(),
        },
        x_axis: Axis::Logarithmic,
        y_axis: Axis::Logarithmic,
        names: Vec::new(),
        series,
    }
    .svg()
}

/// Residual histories of a campaign's last problem.
pub fn histories(title: &str, findings: &Findings) -> Chart {
    Chart {
        title: title.to_string(),
        x_label: "cycles, or outer iterations of policy and penalty methods".into(),
        y_label: "infinity norm of the minimum map".into(),
        x_axis: Axis::Linear,
        y_axis: Axis::Logarithmic,
        names: Vec::new(),
        series: findings
            .solvers
            .iter()
            .enumerate()
            .filter_map(|(colour, m)| {
                let log = m.last.as_ref()?;
                Some(Series {
                    label: entry(m.solver).map_or(m.solver, |e| e.label).to_string(),
                    points: log
                        .history
                        .iter()
                        .enumerate()
                        .map(|(k, r)| (k as f64, *r))
                        .collect(),
                    colour,
                    dashed: false,
                })
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::paper::tables;

    #[test]
    fn rows_survive_their_way_through_a_file() {
        let t = tables("T6.1")[0];
        let cell = Cell {
            size: 64,
            solver: "fas-mg".into(),
            value: 8.15,
            solves: 313,
            failed: 0,
            disagreed: 0,
            seconds: 2.5e-3,
            setup_seconds: 1e-3,
            unknowns: 1174,
        };
        let other = Cell {
            solver: "fas-warm".into(),
            ..cell.clone()
        };
        let shown = super::text(t, &[cell.clone(), other]);
        assert!(shown.contains("FAS warm"), "asked for by name: {shown}");
        let text = format!("{HEAD}{}", csv(t, std::slice::from_ref(&cell)));
        assert!(text.contains("T6.1,64,fas-mg,8.15,10.39,313"));
        assert_eq!(parse(&text), vec![cell.clone()]);
        assert!(super::text(t, &[cell]).contains("8.15 | 10.39"));
    }
}
