//! Many chips from one design with variables: sweeps that survive being killed, derivatives, and designs that meet goals.
//!
//! ```text
//! study file --parse--> Study --plan--> points, numbered --run: side by side, one table--> records --journal--> table (CSV), charts (SVG)
//!    design + variables --sensitivity--> derivatives        design + goals --fit--> values of variables
//! ```
//! | module | turns what into what |
//! | --- | --- |
//! | [`study`] | a study file into what is asked for |
//! | [`plan`] | a study into numbered points: the numbers depend on the study alone |
//! | [`output`] | a solution into the numbers that a study names |
//! | [`sample`] | a point into its solution: a design read anew, its elimination reused where only port values differ |
//! | [`prepared`] | a study and its design, checked against each other, into what can be run |
//! | [`run`] | points into records, side by side, in any order |
//! | [`journal`] | records into a file that is whole after a kill at any moment, and back |
//! | [`table`] | records into tidy CSV |
//! | `parquet_table` | the same as Parquet, with the feature `parquet` |
//! | [`chart`] | columns of a table into pictures |
//! | [`sensitivity`] | a design into derivatives of its results |
//! | [`tolerances`] | derivatives into a picture |
//! | [`fit`] | a design and goals into values of its variables |
//! | [`script`] | a study into a batch script for a cluster |
//!
//! Knows no command line and no windows; prints nothing.

pub mod chart;
pub mod fit;
pub mod journal;
pub mod output;
#[cfg(feature = "parquet")]
pub mod parquet_table;
pub mod plan;
pub mod prepared;
pub mod run;
pub mod sample;
pub mod script;
pub mod sensitivity;
pub mod study;
pub mod table;
pub mod tolerances;

/// Codes of diagnostics about studies.
pub(crate) mod codes {
    /// A study file that says what can't be.
    pub const STUDY: &str = "D348";
    /// A study that doesn't fit its design: unknown variables or outputs.
    pub const MISFIT: &str = "D349";
}
