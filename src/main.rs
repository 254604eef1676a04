//! `stokeslet` on the command line: arguments in, an exit code out. The subcommands are in `cli/`, one file each.

mod cli;

use std::process::ExitCode;

/// Fronts and local vectors of megabytes come and go; the system's allocator hands them back to the kernel and faults them in
/// again, others do so on whichever thread next asks for memory, the window's too. Its settings are in `.cargo/config.toml`.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cli::run()
}
