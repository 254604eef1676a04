//! How a run ended: exit codes, and errors that stop a subcommand.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use stokeslet::export::ExportError;
use thiserror::Error;

/// How a run ended. Of many designs the gravest counts: could not run, then errors in the input, then accuracy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 3: solved, but not to the accuracy asked for.
    Inaccurate,
    /// Exit code 1: the design or network has errors.
    InputErrors,
    /// Exit code 2: wrong usage, files that can't be read or written, too little memory, stopped.
    CouldNotRun,
}

impl Outcome {
    /// As a number.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Fine => 0,
            Outcome::InputErrors => 1,
            Outcome::CouldNotRun => 2,
            Outcome::Inaccurate => 3,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome.code())
    }
}

/// What stops a subcommand; exit code 2.
#[derive(Debug, Error)]
pub enum CliError {
    /// An argument that clap can't judge.
    #[error("{message}")]
    Usage {
        /// What is wrong and what would be right.
        message: String,
    },
    /// A file that can't be read.
    #[error("can't read `{}`", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A folder or pattern that names no design.
    #[error("`{pattern}` holds no designs (files *.toml)")]
    NoDesigns {
        /// As given.
        pattern: String,
    },
    /// No window can be opened.
    #[cfg(feature = "gui")]
    #[error("no window can be opened ({0}); `stokeslet solve` works without one")]
    Window(String),
    /// A pattern that isn't one.
    #[error("`{pattern}` is not a pattern")]
    Pattern {
        /// As given.
        pattern: String,
        /// Why.
        #[source]
        source: glob::PatternError,
    },
    /// The component library has errors; they were printed.
    #[error("the component library can't be read ({errors} errors)")]
    Library {
        /// How many.
        errors: usize,
    },
    /// A component that can't be shown.
    #[error(transparent)]
    Components(#[from] super::components::ComponentsError),
    /// Results can't be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The worker threads can't be started.
    #[error("can't start {threads} threads")]
    Threads {
        /// How many.
        threads: usize,
        /// What rayon said.
        #[source]
        source: rayon::ThreadPoolBuildError,
    },
    /// The handler of Ctrl-C can't be set.
    #[error("can't listen for Ctrl-C")]
    Signal(#[from] ctrlc::Error),
    /// Records of a study can't be kept or read.
    #[error(transparent)]
    Journal(#[from] stokeslet::study::journal::JournalError),
    /// The worker threads of a study can't be started.
    #[error("can't start the threads")]
    Workers(#[from] rayon::ThreadPoolBuildError),
    /// The refinement study failed.
    #[error(transparent)]
    Solve(#[from] stokeslet::session::SolveError),
    /// A liquid that can't go on.
    #[cfg(feature = "dynamics")]
    #[error(transparent)]
    Liquid(#[from] stokeslet::dynamics::scenes::SimulationError),
    /// A tank that can't.
    #[cfg(feature = "dynamics")]
    #[error(transparent)]
    Tank(#[from] stokeslet::dynamics::scenes::eckert::TankError),
    /// A figure that can't be made.
    #[cfg(feature = "dynamics")]
    #[error(transparent)]
    Figure(#[from] stokeslet::dynamics::report::figures::FigureError),
    /// A simulation of a scene file that can't go on, or whose state can't be written.
    #[cfg(feature = "dynamics")]
    #[error(transparent)]
    Sibling(super::stepped::Fault),
    /// A run that can't be taken up.
    #[cfg(feature = "dynamics")]
    #[error("can't go on from `{}`; without --resume the run starts over", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: super::stepped::Fault,
    },
    /// A picture that can't be encoded.
    #[cfg(feature = "dynamics")]
    #[error("can't draw the picture")]
    Picture(#[from] image::ImageError),
    /// Stdout is closed or full.
    #[error("can't write to the terminal")]
    Stdout(#[source] io::Error),
}
