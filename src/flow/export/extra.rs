//! What other computations on the solution add to its files: columns of ports, nodal fields, sections of the summary, whole files.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Format;
use crate::walls::WallStress;

/// One more column of `ports.csv`.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its header.
    pub name: String,
    /// By port; empty where there is no value.
    pub values: Vec<Option<f64>>,
}

/// One more scalar at every node of the fields.
#[derive(Clone, Debug, Default)]
pub struct NodalField {
    /// Its name.
    pub name: String,
    /// Its unit, for legends; may be empty.
    pub unit: String,
    /// By node; of a chip in three dimensions at mid-depth.
    pub values: Vec<f64>,
    /// By node of a flow in space; empty where it isn't known there.
    pub in_space: Vec<f64>,
}

/// One more file.
#[derive(Clone, Debug)]
pub struct ExtraFile {
    /// Written where this format is.
    pub format: Format,
    /// One of the names of the format's files.
    pub name: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl ExtraFile {
    /// What `write` writes, which must fail only where its writer does.
    pub fn new(
        format: Format,
        name: &'static str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Self {
        let mut bytes = Vec::new();
        // Writing into memory does not fail.
        let _ = write(&mut bytes);
        Self {
            format,
            name,
            bytes,
        }
    }
}

/// Additions to the files of a solution; nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Columns of `ports.csv`.
    pub columns: Vec<Column>,
    /// Fields of `fields.vtu` and `picture.svg`.
    pub fields: Vec<NodalField>,
    /// Under their names in `summary.json`.
    pub summary: BTreeMap<&'static str, serde_json::Value>,
    /// Stress on the walls, where the picture shows it.
    pub walls: Option<WallStress>,
    /// Files of their own.
    pub files: Vec<ExtraFile>,
    /// `profiles.csv`, where there is anything to say.
    pub profiles: Option<String>,
}
