//! Every file in `designs/` and every component of the library runs, and says what it said before.
//!
//! The numbers are in `tests/golden/`; `UPDATE_GOLDEN=1 cargo test --test designs` writes them anew. A commit that changes one says why.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "designs/components.rs"]
mod components;
#[path = "designs/files.rs"]
mod files;
#[path = "designs/golden.rs"]
mod golden;
#[path = "designs/resistors.rs"]
mod resistors;
#[path = "designs/stream.rs"]
mod stream;
#[path = "designs/support.rs"]
mod support;
