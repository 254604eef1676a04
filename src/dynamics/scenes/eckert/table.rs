//! Rows of text under headings, as a page or a spreadsheet takes them.

use std::fmt::Write as _;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What the specification calls it.
    pub id: String,
    /// What was run.
    pub note: String,
    /// Headings.
    pub headings: Vec<String>,
    /// Rows, as long as the headings.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Without rows.
    pub fn new(id: &str, note: String, headings: &[&str]) -> Self {
        Self {
            id: id.to_string(),
            note,
            headings: headings.iter().map(|h| (*h).to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.headings.len(), "{:?}", self.headings);
        self.rows.push(row);
    }

    /// A value by its row's first cell and its heading.
    pub fn value(&self, row: &str, heading: &str) -> Option<f64> {
        let column = self.headings.iter().position(|h| h == heading)?;
        let row = self.rows.iter().find(|r| r[0] == row)?;
        row[column].parse().ok()
    }

    /// Columns of equal width, the note above them.
    pub fn text(&self) -> String {
        let lines = || std::iter::once(&self.headings).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max();
        let widths: Vec<usize> = (0..self.headings.len())
            .map(|k| width(k).unwrap_or(0))
            .collect();
        let mut out = format!("{}: {}\n", self.id, self.note);
        for line in lines() {
            let cells = line.iter().zip(&widths).enumerate();
            let cells = cells.map(|(k, (cell, width))| match k {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            out += &cells.collect::<Vec<_>>().join("  ");
            out.push('\n');
        }
        out
    }

    /// Comma-separated, the note as comments before it.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        for line in self.note.lines() {
            let _ = writeln!(out, "# {line}"); // a String takes anything
        }
        let _ = writeln!(out, "{}", self.headings.join(","));
        for row in &self.rows {
            let _ = writeln!(out, "{}", row.join(","));
        }
        out
    }
}
