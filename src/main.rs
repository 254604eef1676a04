//! `stokeslet` on the command line: arguments in, an exit code out. The subcommands are in `cli/`, one file each.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
