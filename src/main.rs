//! `stokeslet` on the command line: arguments in, an exit code out. The subcommands are in `cli/`, one file each.

mod cli;

use std::process::ExitCode;

/// Fronts and slabs of megabytes come and go; the system's allocator hands them back to the kernel and faults them in again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
