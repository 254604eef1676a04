//! A solution becomes other people's files: one file of this module per format, each written whole or not at all.
//!
//! ```text
//! Results --export--> hidden folder --publish--> DIR/<design>/{summary.json, fields.vtu, picture.svg, ports.csv, ...}
//! ```
//! Start at [`export`]; add a format as a row of [`Format`] and an arm there. Knows no command line and prints nothing.

mod contour;
pub mod csv;
mod error;
mod extra;
#[cfg(not(target_arch = "wasm32"))]
mod folder;
mod format;
mod labels;
pub mod matrix_market;
#[cfg(target_arch = "wasm32")]
mod page;
mod picture;
pub mod polylines;
pub mod readable;
mod summary;
mod surface;
mod vtu;
mod wall_picture;

use std::io;
use std::path::Path;

use crate::field::{Line, LinePoint, Sample, Sampler};
use crate::session::{AssembledSystem, ErrorEstimate, Progress, Solution, Stage, Timings};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;

pub use error::ExportError;
pub use extra::{Column, Extra, ExtraFile, NodalField};
#[cfg(not(target_arch = "wasm32"))]
pub use folder::{Staging, write_file};
pub use format::Format;
#[cfg(target_arch = "wasm32")]
pub use page::{Staging, hand_out_files, write_file};
pub use summary::{
    Digest, DigestErrors, DigestPort, DigestPortError, DigestTimings, Summary, is_sealed,
    model_name,
};
pub use surface::Colouring;

/// All that results are written from.
pub struct Results<'a> {
    /// What was solved.
    pub chip: &'a Chip,
    /// One line for people, if the design has one.
    pub title: Option<&'a str>,
    /// Cell edges across a channel.
    pub resolution: u32,
    /// What came out.
    pub solution: &'a Solution,
    /// How good the numbers are, where that was asked.
    pub errors: Option<&'a ErrorEstimate>,
    /// The assembled system; written where it is given.
    pub system: Option<&'a AssembledSystem>,
    /// Points to report in the summary, m.
    pub probes: &'a [Point],
    /// Lines to sample into `line.csv`.
    pub lines: &'a [Line],
    /// What `picture.svg` shows.
    pub colouring: Colouring,
    /// Seconds so far; `export` and `total` are completed here.
    pub timings: Timings,
    /// Seconds since the solve began (time is the caller's).
    pub clock: &'a dyn Fn() -> f64,
    /// Greatest memory of the process so far, bytes (machines are the caller's).
    pub peak_memory: &'a dyn Fn() -> u64,
    /// What other computations add.
    pub extra: &'a Extra,
    /// Says what the results were made from; equal stamps, equal results.
    pub stamp: &'a str,
}

/// Fields at the probes and along the lines of a [`Results`].
pub struct Samples {
    /// In the order of the probes; `None` outside the flow.
    pub probes: Vec<Option<Sample>>,
    /// In the order of the lines.
    pub lines: Vec<Vec<LinePoint>>,
    /// More columns of the lines.
    pub columns: Vec<csv::LineColumn>,
}

impl Samples {
    /// Samples the fields; builds the index of cells only when something was asked.
    pub fn of(results: &Results<'_>) -> Self {
        if results.probes.is_empty() && results.lines.is_empty() {
            return Self {
                probes: Vec::new(),
                lines: Vec::new(),
                columns: Vec::new(),
            };
        }
        let fields = &results.solution.fields;
        let sampler = Sampler::new(fields);
        let lines: Vec<Vec<LinePoint>> = results
            .lines
            .iter()
            .map(|line| line.sample(&sampler))
            .collect();
        let columns = match lines.is_empty() {
            true => Vec::new(),
            false => csv::LineColumn::of_the_whole(fields, sampler.index(), &lines),
        };
        Self {
            probes: results.probes.iter().map(|&p| sampler.at(p)).collect(),
            lines,
            columns,
        }
    }
}

/// What an export tells besides its files.
pub struct Exported {
    /// For a table on the terminal.
    pub samples: Samples,
    /// Seconds by stage, completed.
    pub timings: Timings,
    /// The summary as a later run will read it.
    pub digest: Digest,
}

/// Writes `formats` (and `summary.json` always) into the folder `target`; what an earlier solve left there under the same
/// names goes.
///
/// # Errors
/// What the file system says; [`io::ErrorKind::Interrupted`] when `cancel` was used. Nothing is written then.
pub fn export(
    target: &Path,
    formats: &[Format],
    results: &Results<'_>,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Exported, ExportError> {
    let begin = (results.clock)();
    let staging = Staging::new(target)?;
    let samples = Samples::of(results);
    let mut formats: Vec<Format> = formats
        .iter()
        .copied()
        .filter(|f| *f != Format::Json)
        .collect();
    formats.sort_unstable();
    formats.dedup();
    for (k, format) in formats.iter().enumerate() {
        progress(Stage::Export, k as f64 / formats.len() as f64);
        if cancel.is_cancelled() {
            return Err(ExportError::on("write", target)(
                io::ErrorKind::Interrupted.into(),
            ));
        }
        write_format(&staging, *format, results, &samples)?;
        for file in results.extra.files.iter().filter(|f| f.format == *format) {
            staging.write(file.name, |out| out.write_all(&file.bytes))?;
        }
    }
    let mut timings = results.timings;
    timings.total = (results.clock)();
    timings.export = timings.total - begin;
    let unreadable =
        |e: serde_json::Error| ExportError::on("write", &target.join("summary.json"))(e.into());
    let mut summary = Summary::new(results, &samples.probes, timings);
    summary.files = staging.sizes()?;
    let summary = summary::sealed(&serde_json::to_string_pretty(&summary).map_err(unreadable)?);
    // Read back rather than copied: the reader may differ in the last bit, and a run must tell what a later one will.
    let digest = serde_json::from_str(&summary).map_err(unreadable)?;
    staging.write("summary.json", |out| writeln!(out, "{summary}"))?;
    staging.publish()?;
    progress(Stage::Export, 1.0);
    Ok(Exported {
        samples,
        timings,
        digest,
    })
}

fn write_format(
    staging: &Staging,
    format: Format,
    results: &Results<'_>,
    samples: &Samples,
) -> Result<(), ExportError> {
    match format {
        // Written last, by the caller: it tells how long the others took.
        Format::Json => Ok(()),
        Format::Vtu => staging.write("fields.vtu", |out| match &results.solution.in_space {
            Some(in_space) => {
                let known = |f: &&NodalField| f.in_space.len() == in_space.nodes.len();
                let extra = results.extra.fields.iter().filter(known);
                let scalars = extra.map(|f| (&*f.name, in_space.whole_of(&f.in_space).into()));
                vtu::write(out, &*in_space.whole(), scalars)
            }
            None => {
                let extra = results.extra.fields.iter();
                let scalars = extra.map(|f| (&*f.name, f.values.as_slice().into()));
                vtu::write(out, &results.solution.fields, scalars)
            }
        }),
        Format::Svg => staging.write("picture.svg", |out| {
            picture::write(out, results, results.colouring)
        }),
        Format::Csv => {
            staging.write("ports.csv", |out| {
                let (has_depth, columns) = (results.chip.depth.is_some(), &results.extra.columns);
                csv::write_ports(
                    out,
                    &results.solution.ports,
                    results.errors,
                    has_depth,
                    columns,
                )
            })?;
            let posts = results.solution.posts.as_deref().unwrap_or_default();
            if !posts.is_empty() {
                staging.write("posts.csv", |out| csv::write_posts(out, posts))?;
            }
            if let Some(text) = &results.extra.profiles {
                staging.write("profiles.csv", |out| out.write_all(text.as_bytes()))?;
            }
            if samples.lines.is_empty() {
                return Ok(());
            }
            staging.write("line.csv", |out| {
                csv::write_lines(out, &samples.lines, &samples.columns)
            })
        }
        Format::System => {
            let Some(system) = results.system else {
                return Ok(());
            };
            staging.write("matrix.mtx", |out| matrix_market::write_matrix(out, system))?;
            staging.write("rhs.mtx", |out| {
                matrix_market::write_vector(out, &system.rhs)
            })?;
            staging.write("solution.mtx", |out| {
                matrix_market::write_vector(out, &system.solution)
            })?;
            staging.write("unknowns.csv", |out| {
                matrix_market::write_unknowns(out, &system.unknowns)
            })
        }
    }
}
