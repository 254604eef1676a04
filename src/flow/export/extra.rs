//! What other computations on the solution add to its files: columns of ports, nodal fields, sections of the summary, whole files.

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
    /// By node.
    pub values: Vec<f64>,
}

/// Additions to the files of a solution; nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Of `ports.csv`.
    pub columns: Vec<Column>,
    /// Of `fields.vtu` and `picture.svg`.
    pub fields: Vec<NodalField>,
    /// Under its name in `summary.json`.
    pub summary: Option<(&'static str, serde_json::Value)>,
    /// `profiles.csv`, where there is anything to say.
    pub profiles: Option<String>,
}
