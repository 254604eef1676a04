//! Records as a tidy table: one row a point in the order of their indices, one column a variable or output, SI, units in the heads.

use std::collections::BTreeMap;
use std::io::{self, Write};

use stokeslet_flow::export::csv::cell;

use crate::journal::Header;
use crate::run::{Cell, Record};

/// Whether a table has the columns that [`write_csv`] writes for this study: such a one may be written over.
pub fn is_of_study(table: &str, header: &Header) -> bool {
    let mut own = Vec::new();
    // Writing into a list doesn't fail.
    let _ = write_csv(&mut own, header, &BTreeMap::new());
    let first = table.lines().next().unwrap_or_default();
    own.trim_ascii_end() == first.as_bytes()
}

/// Writes the table as CSV. Numbers are the shortest that read back as the same bits; what isn't there is empty.
///
/// # Errors
/// What the writer says.
pub fn write_csv(
    out: &mut dyn Write,
    header: &Header,
    records: &BTreeMap<usize, Record>,
) -> io::Result<()> {
    write!(out, "index")?;
    for head in &header.variables {
        write!(out, ",{}", cell(head))?;
    }
    if header.has_resolution {
        write!(out, ",resolution")?;
    }
    for head in &header.outputs {
        write!(out, ",{}", cell(head))?;
    }
    writeln!(out, ",seconds,status,message")?;
    for record in records.values() {
        write!(out, "{}", record.index)?;
        for value in &record.values {
            match value {
                Cell::Number(number) => write!(out, ",{number:e}")?,
                Cell::Text(text) => write!(out, ",{}", cell(text))?,
            }
        }
        if header.has_resolution {
            write!(out, ",{}", record.resolution.unwrap_or_default())?;
        }
        for value in &record.outputs {
            match value {
                Some(number) => write!(out, ",{number:e}")?,
                None => write!(out, ",")?,
            }
        }
        let (status, message) = (record.status.name(), record.message.replace('\n', " "));
        writeln!(out, ",{:.4},{status},{}", record.seconds, cell(&message))?;
    }
    Ok(())
}

/// Points without a record, as ranges for people: `3, 7-12`.
pub fn missing(points: usize, records: &BTreeMap<usize, Record>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut start = None;
    for index in 0..=points {
        let is_missing = index < points && !records.contains_key(&index);
        match (is_missing, start) {
            (true, None) => start = Some(index),
            (false, Some(first)) => {
                parts.push(match index - first {
                    1 => first.to_string(),
                    _ => format!("{first}-{}", index - 1),
                });
                start = None;
            }
            _ => {}
        }
    }
    let more = parts.len().saturating_sub(20);
    parts.truncate(20);
    let text = parts.join(", ");
    if more > 0 {
        format!("{text} and {more} more runs of them")
    } else {
        text
    }
}
