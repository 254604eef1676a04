//! The tables of \[003\]: ours beside the printed ones, and what goes beyond them.
//!
//! Whole runs are printed for 96³; ours may be of any size. Tables by tolerances, whose runs take hours, are taken from the inputs of
//! every so many steps of one run, the same for all.

mod accuracy;
mod beyond;
mod catalogue;
mod obstacles;
mod residuals;
mod whole;

use super::flow::FlowError;
use super::runs::{Averages, snapshots};
use super::{FlowSettings, Snapshot, Tank, Unmet};
use crate::grid::Mac;
use crate::lcp::Watch;
use crate::splitting::{Method, SplitLog, method};

pub use accuracy::{agreement, identical_inputs, thresholds, thresholds_walled};
pub use beyond::{accelerated, grid_growth, lcp_beside};
pub use catalogue::{TABLES, TableEntry, table_entry};
pub use obstacles::{planes_events, stairs_events};
pub use residuals::{periods, residual_shape};
pub use whole::{calibrate, kick_table, sampled_runs, volumes, whole_runs};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct TableRequest<'a> {
    /// Cells a side, the solid layer included.
    pub n: usize,
    /// Steps.
    pub steps: usize,
    /// Inputs are taken every so many steps.
    pub every: usize,
    /// Who looks on.
    pub watch: Watch<'a>,
}

impl TableRequest<'_> {
    fn note<const D: usize>(&self, tank: &Tank<D>, what: &str) -> String {
        format!(
            "{} in {D}D, n = {}, {} steps, {what}",
            tank.name, self.n, self.steps
        )
    }
}

/// Loops go on with what they have; the tables count how often.
fn flow<const D: usize>() -> FlowSettings {
    FlowSettings {
        unmet: Unmet::GoOn,
        ..FlowSettings::of::<D>()
    }
}

fn by_name(name: &str) -> Method {
    method(name)
        .map(|m| m.method)
        .expect("tables name methods of the registry")
}

fn one(value: f64) -> String {
    format!("{value:.1}")
}

fn or_blank(value: Option<f64>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

fn inputs<const D: usize>(
    tank: &Tank<D>,
    driver: &str,
    request: &TableRequest<'_>,
) -> Result<Vec<Snapshot<D>>, FlowError<D>> {
    snapshots(
        tank,
        request.n,
        &flow::<D>(),
        by_name(driver),
        (request.steps, request.every),
        request.watch,
    )
}

fn averages<const D: usize>(done: &[(SplitLog, Mac<D>)]) -> Averages {
    Averages::of(done.iter().map(|d| &d.0))
}
