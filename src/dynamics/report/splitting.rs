//! The tables of \[003\] as pictures: ours full, the thesis's dashed.

use std::collections::BTreeSet;

use super::chart::{Axis, Chart, Series};
use crate::scenes::eckert::Table;
use crate::splitting::method;

/// Pictures of a table, with what tells them apart; none where it says nothing that lines could show.
pub fn charts(table: &Table) -> Vec<(String, Chart)> {
    match table.id.as_str() {
        "T4.1" | "T4.5" | "T4.6" => vec![(String::new(), by_method(table, &[""]))],
        "T4.3" => vec![(String::new(), by_method(table, &["high", "low"]))],
        "T4.2" => ["ADMMVelSep", "ADMMDivSep", "IOPDivSep"]
            .iter()
            .map(|name| ((*name).to_string(), by_tolerance(table, name)))
            .collect(),
        "T4.4" => vec![(String::new(), by_tolerance(table, "CG"))],
        "E11" => vec![(
            String::new(),
            lines(table, "outer iterations", Axis::Linear),
        )],
        "E17" => vec![(
            String::new(),
            lines(table, "cells a side", Axis::Logarithmic),
        )],
        _ => Vec::new(),
    }
}

fn chart(table: &Table, name: &str, [x_label, y_label]: [&str; 2]) -> Chart {
    Chart {
        title: [&table.id, name].join(" ").trim_end().to_string(),
        x_label: x_label.into(),
        y_label: y_label.into(),
        x_axis: Axis::Logarithmic,
        y_axis: Axis::Logarithmic,
        names: Vec::new(),
        series: Vec::new(),
    }
}

/// A row's number under a heading.
fn number(table: &Table, row: &[String], heading: &str) -> Option<f64> {
    number_at(row, table.headings.iter().position(|h| h == heading)?)
}

fn number_at(row: &[String], column: usize) -> Option<f64> {
    row.get(column)?.parse().ok()
}

/// Conjugate gradient and outer iterations of every method; `accuracies`: of the table's column of that name, if it has one.
fn by_method(table: &Table, accuracies: &[&str]) -> Chart {
    let mut methods: Vec<&str> = Vec::new();
    for row in &table.rows {
        if !methods.contains(&row[0].as_str()) {
            methods.push(&row[0]);
        }
    }
    let column = table.headings.iter().position(|h| h == "accuracy");
    let mut series = Vec::new();
    for (k, accuracy) in accuracies.iter().enumerate() {
        let of = || {
            let rows = table.rows.iter();
            rows.filter(move |row| column.is_none_or(|c| row[c] == *accuracy))
        };
        for (m, measure) in ["CG", "outer"].iter().enumerate() {
            for (dashed, heading) in [
                (false, (*measure).to_string()),
                (true, format!("{measure} printed")),
            ] {
                let point = |row: &Vec<String>| {
                    let at = methods.iter().position(|m| *m == row[0])?;
                    Some((at as f64, number(table, row, &heading)?))
                };
                series.push(Series {
                    label: [accuracy, heading.as_str()].join(" ").trim().to_string(),
                    points: of().filter_map(point).collect(),
                    colour: 2 * k + m,
                    dashed,
                });
            }
        }
    }
    Chart {
        names: methods
            .iter()
            .map(|m| method(m).map_or(*m, |m| m.label).to_string())
            .collect(),
        x_axis: Axis::Linear,
        series,
        ..chart(table, "", ["", "iterations"])
    }
}

/// Iterations over the loop's tolerance, a line for every tolerance of the inner solves; the printed ones are in the next column.
fn by_tolerance(table: &Table, heading: &str) -> Chart {
    let column = table.headings.iter().position(|h| h == heading);
    let inner: BTreeSet<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
    let mut inner: Vec<&str> = inner.into_iter().collect();
    inner.sort_by_key(|s| std::cmp::Reverse(s.trim_start_matches("1e-").parse().unwrap_or(0)));
    let mut series = Vec::new();
    for (colour, tolerance) in inner.into_iter().enumerate() {
        for (k, dashed) in [false, true].into_iter().enumerate() {
            let rows = table.rows.iter().filter(|row| row[0] == tolerance);
            let point = |row: &Vec<String>| {
                Some((
                    number(table, row, "eps outer")?,
                    number_at(row, column? + k)?,
                ))
            };
            let points: Vec<(f64, f64)> = rows.filter_map(point).collect();
            if !points.is_empty() {
                series.push(Series {
                    label: format!(
                        "eps_CG {tolerance}{}",
                        if dashed { ", printed" } else { "" }
                    ),
                    points,
                    colour,
                    dashed,
                });
            }
        }
    }
    let name = if heading == "CG" { "" } else { heading };
    Chart {
        series,
        ..chart(table, name, ["tolerance of the loop", "CG iterations"])
    }
}

/// All columns over the first.
fn lines(table: &Table, x_label: &str, x_axis: Axis) -> Chart {
    let series = (1..table.headings.len()).map(|column| Series {
        label: table.headings[column].clone(),
        points: table
            .rows
            .iter()
            .filter_map(|row| Some((number_at(row, 0)?, number_at(row, column)?)))
            .collect(),
        colour: column - 1,
        dashed: false,
    });
    let y_label = if x_axis == Axis::Linear {
        "residual"
    } else {
        "iterations"
    };
    Chart {
        x_axis,
        series: series.collect(),
        ..chart(table, "", [x_label, y_label])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(id: &str, headings: &[&str], rows: &[&[&str]]) -> Table {
        let mut table = Table::new(id, String::new(), headings);
        for row in rows {
            table.add(row.iter().map(|s| (*s).to_string()).collect());
        }
        table
    }

    #[test]
    fn ours_and_the_printed_are_lines_of_one_colour() {
        let table = table(
            "T4.4",
            &["eps_CG", "eps outer", "CG", "CG printed", "outer", "unmet"],
            &[
                &["1e-4", "1e-4", "151", "253", "1.72", "0"],
                &["1e-4", "1e-3", "151", "248", "1.72", "0"],
                &["1e-3", "1e-3", "122", "182", "1.72", "0"],
            ],
        );
        let [(_, chart)] = &charts(&table)[..] else {
            panic!("one picture");
        };
        let of = |colour: usize, dashed: bool| {
            let mut lines = chart.series.iter();
            let found = lines.find(|s| (s.colour, s.dashed) == (colour, dashed));
            found.expect("a line").points.clone()
        };
        assert_eq!(of(0, false), [(1e-4, 151.0), (1e-3, 151.0)]);
        assert_eq!(of(0, true), [(1e-4, 253.0), (1e-3, 248.0)]);
        assert_eq!(of(1, true), [(1e-3, 182.0)]);
    }

    #[test]
    fn methods_stand_along_the_axis_by_name() {
        let table = table(
            "T4.5",
            &["method", "CG", "CG printed", "outer", "outer printed"],
            &[
                &["orig-ps", "7.0", "20", "1.00", ""],
                &["iop-sep-bc", "11.6", "34", "1.99", "1.99"],
            ],
        );
        let (_, chart) = &charts(&table)[0];
        assert_eq!(chart.names.len(), 2);
        assert_eq!(chart.series[1].points, [(0.0, 20.0), (1.0, 34.0)]);
        assert_eq!(
            chart.series[3].points,
            [(1.0, 1.99)],
            "what isn't printed has no point"
        );
    }
}
