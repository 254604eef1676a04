//! The tables by name: what each runs.

use super::{
    TableRequest, accelerated, agreement, calibrate, grid_growth, identical_inputs, kick_table,
    lcp_beside, planes_events, residual_shape, sampled_runs, stairs_events, thresholds,
    thresholds_walled, volumes, whole_runs,
};
use crate::scenes::eckert::{T4_1, T4_5, T4_6, Table, Tank, TankError, tank};

/// A table of the thesis, or of what goes beyond it.
#[derive(Clone, Copy, Debug)]
pub struct TableEntry {
    /// Its number there or in the specification, with the dimension.
    pub id: &'static str,
    /// In a sentence.
    pub title: &'static str,
    /// Cells a side unless another number is asked for: 96, as in the thesis, or fewer in space.
    pub side: usize,
    /// Steps unless another number is asked for.
    pub steps: usize,
    /// Inputs are those of every so many steps; 1: whole runs.
    pub every: usize,
    make: fn(&TableRequest<'_>) -> Result<Table, TankError>,
}

impl TableEntry {
    /// Runs it.
    ///
    /// # Errors
    /// [`TankError`]: somebody asked to stop, or a pressure that can't be solved for.
    pub fn make(&self, request: &TableRequest<'_>) -> Result<Table, TankError> {
        (self.make)(request)
    }
}

/// Cells a side in the plane, that of the thesis, and in space, where it has 96.
const SIDES: [usize; 2] = [96, 32];
/// Sides of E17.
const GROWTH: [usize; 5] = [24, 48, 72, 96, 128];
/// Gravity over the side, of E8.
const GRAVITY: [f64; 1] = [0.002];
/// Methods whose events are told.
const EVENTS: [&str; 6] = [
    "orig-ps",
    "orig-ps-sep",
    "iop-sep-bc",
    "iop-sep",
    "admm-vel-sep",
    "stairs-pi-pcg",
];

const fn row(
    id: &'static str,
    title: &'static str,
    [side, steps, every]: [usize; 3],
    make: fn(&TableRequest<'_>) -> Result<Table, TankError>,
) -> TableEntry {
    TableEntry {
        id,
        title,
        side,
        steps,
        every,
        make,
    }
}

/// All tables.
pub const TABLES: &[TableEntry] = &[
    row(
        "T4.1-3d",
        "iterations, breaking dam, whole runs",
        [SIDES[1], 250, 1],
        |r| Ok(whole_runs("T4.1", &of::<3>("breaking-dam"), T4_1, r)?),
    ),
    row(
        "T4.1-3d-sampled",
        "the same on the inputs of every 25th step",
        [64, 250, 25],
        |r| Ok(sampled_runs("T4.1", &of::<3>("breaking-dam"), T4_1, r)?),
    ),
    row(
        "T4.2-2d",
        "iterations by tolerances, breaking dam",
        [SIDES[0], 250, 25],
        |r| Ok(thresholds(&of("breaking-dam"), r)?),
    ),
    row(
        "T4.3-2d",
        "iterations on the same inputs, high and low accuracy",
        [SIDES[0], 250, 25],
        |r| Ok(identical_inputs(&of("breaking-dam"), r)?),
    ),
    row(
        "T4.4-2d",
        "iterations of IOPDivSepBC by tolerances",
        [SIDES[0], 250, 10],
        |r| Ok(thresholds_walled(&of("breaking-dam"), r)?),
    ),
    row(
        "T4.5-3d",
        "iterations, stairs, whole runs",
        [SIDES[1], 350, 1],
        |r| Ok(whole_runs("T4.5", &of::<3>("stairs"), T4_5, r)?),
    ),
    row(
        "T4.6-3d",
        "iterations, levitating planes, whole runs",
        [SIDES[1], 350, 1],
        |r| Ok(whole_runs("T4.6", &of::<3>("levitating-planes"), T4_6, r)?),
    ),
    row(
        "E8-E9-2d",
        "when the liquid is where, breaking dam",
        [SIDES[0], 250, 1],
        |r| Ok(calibrate(&of::<2>("breaking-dam"), &EVENTS, &GRAVITY, r)?),
    ),
    row(
        "E8-E9-3d",
        "when the liquid is where, breaking dam",
        [SIDES[1], 250, 1],
        |r| Ok(calibrate(&of::<3>("breaking-dam"), &EVENTS, &GRAVITY, r)?),
    ),
    row(
        "F4.16-3d",
        "when the liquid is where, stairs",
        [SIDES[1], 350, 1],
        |r| Ok(stairs_events::<3>(r)?),
    ),
    row(
        "F4.16-2d",
        "the same in the plane",
        [SIDES[0], 350, 1],
        |r| Ok(stairs_events::<2>(r)?),
    ),
    row(
        "F4.19-3d",
        "when the liquid is where, levitating planes",
        [SIDES[1], 350, 1],
        |r| Ok(planes_events::<3>(r)?),
    ),
    row(
        "F4.19-2d",
        "the same in the plane",
        [SIDES[0], 350, 1],
        |r| Ok(planes_events::<2>(r)?),
    ),
    row(
        "E10-2d",
        "how far the methods' velocities are apart",
        [SIDES[0], 250, 5],
        |r| Ok(agreement(&of("breaking-dam"), r)?),
    ),
    row(
        "E11-2d",
        "how residuals fall in one step",
        [SIDES[0], 150, 1],
        |r| Ok(residual_shape(&of("breaking-dam"), r)?),
    ),
    row(
        "E12-2d",
        "the kick away from the ceiling, stairs",
        [SIDES[0], 5, 1],
        |r| Ok(kick_table(&of::<2>("stairs-ceiling"), r)?),
    ),
    row(
        "E13-3d",
        "volumes, stairs and levitating planes",
        [SIDES[1], 350, 1],
        |r| Ok(volumes(&[of::<3>("stairs"), of("levitating-planes")], r)?),
    ),
    row(
        "E15-2d",
        "iterations with other inner solvers and warm starts",
        [SIDES[0], 250, 10],
        |r| Ok(accelerated(&of::<2>("breaking-dam"), r)?),
    ),
    row(
        "E16-2d",
        "complementarity beside splitting",
        [SIDES[0], 250, 10],
        |r| Ok(lcp_beside(&of::<2>("breaking-dam"), r)?),
    ),
    row(
        "E16-3d",
        "complementarity beside splitting",
        [SIDES[1], 250, 10],
        |r| Ok(lcp_beside(&of::<3>("breaking-dam"), r)?),
    ),
    row(
        "E16-3d-96",
        "the same at the thesis's size, on the inputs of every 25th step",
        [96, 250, 25],
        |r| Ok(lcp_beside(&of::<3>("breaking-dam"), r)?),
    ),
    row(
        "E17-2d",
        "iterations by size, breaking dam; sides of its own",
        [SIDES[0], 250, 25],
        |r| Ok(grid_growth(&of("breaking-dam"), &GROWTH, r)?),
    ),
];

/// The table of a name; `T4.1` is the first of those whose name begins with it.
pub fn table_entry(name: &str) -> Option<&'static TableEntry> {
    let is = |t: &&TableEntry| t.id.eq_ignore_ascii_case(name);
    let begins = |t: &&TableEntry| {
        let (head, tail) = t.id.split_at_checked(name.len()).unwrap_or(("", ""));
        head.eq_ignore_ascii_case(name) && tail.starts_with('-')
    };
    TABLES
        .iter()
        .find(is)
        .or_else(|| TABLES.iter().find(begins))
}

fn of<const D: usize>(name: &str) -> Tank<D> {
    tank(name).expect("tables name tanks of their dimension")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_by_number_whatever_their_dimension() {
        for entry in TABLES {
            assert_eq!(table_entry(entry.id).map(|t| t.id), Some(entry.id));
        }
        let found = |name: &str| table_entry(name).map(|t| t.id);
        assert_eq!(found("t4.1"), Some("T4.1-3d"));
        assert_eq!(found("E16"), Some("E16-2d"));
        assert_eq!(found("E16-3d"), Some("E16-3d"));
        assert_eq!(found("T4"), None, "no part of a number");
        assert_eq!(found(""), None);
    }
}
