//! The tanks of \[003\]: what is in them, the FLIP loop in cell units, and its tables beside ours.
//!
//! ```text
//! Tank --TankFlow::new--> TankFlow --step (any method of liquid/splitting)--> TankStep { SplitLog, volume, reach }
//!                                        |
//!                                        +--snapshots--> the same flags and velocities for all methods --tables--> Table
//! ```

mod flow;
mod flow_settings;
mod measure;
mod printed;
mod runs;
mod table;
mod tables;
mod tank;

pub use flow::{FlowError, Snapshot, TankError, TankFlow, TankStep};
pub use flow_settings::{FlowSettings, Unmet, WallStart};
pub use measure::{Events, Reach};
pub use printed::{PrintedRow, T4_1, T4_2, T4_3, T4_4, T4_5, T4_6};
pub use runs::{Averages, compare, differences, run, snapshots};
pub use table::Table;
pub use tables::{
    TABLES, TableEntry, TableRequest, accelerated, agreement, calibrate, grid_growth,
    identical_inputs, kick_table, lcp_beside, periods, planes_events, residual_shape, sampled_runs,
    stairs_events, table_entry, thresholds, thresholds_walled, volumes, whole_runs,
};
pub use tank::{AnyTank, TANKS, Tank, TankEntry, tank};
