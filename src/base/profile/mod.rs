//! What a solve did and when: spans of work become a table of stages and tasks, and a trace that a viewer opens.
//!
//! ```text
//! &Recorder --span, stage, count--> Profile --table--> ProfileTable: text, JSON
//!                                          --write_trace--> trace.json for Perfetto or chrome://tracing
//! ```
//! A span is measured from its making to its drop, on the thread where both happen. A recorder that is off costs a branch per
//! span. Nothing recorded ever enters a result: this is the one module below the sessions that reads a clock.
//!
//! ```
//! use stokeslet_base::profile::{Recorder, Work};
//!
//! let recorder = Recorder::on();
//! {
//!     let _eliminate = recorder.stage("eliminate");
//!     recorder.count("factor", 3); // asked for three times, made once
//!     let _span = recorder.span("eliminate", "factor", Work { flops: 333, bytes: 800, size: (10, 10) });
//! }
//! let table = recorder.profile().table();
//! assert_eq!((table.tasks[0].asked, table.tasks[0].computed), (3, 1));
//! println!("{table}");
//! ```

mod recorder;
mod table;
mod trace;

pub use recorder::{Profile, Recorder, Span};
pub use table::{ProfileTable, SizeRow, StageRow, TaskRow};

/// What a task does: known from sizes, never measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Floating-point operations, a multiplication and an addition being two; without those of spans inside this one.
    pub flops: u64,
    /// Bytes of the result.
    pub bytes: u64,
    /// Rows and columns of the result, or whatever two numbers tell tasks of one kind apart.
    pub size: (u32, u32),
}
