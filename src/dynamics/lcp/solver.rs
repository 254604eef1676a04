//! What every solver is asked and what it answers.

use thiserror::Error;

use super::Lcp;

/// Who looks on: may stop a solve, and tells the time (nothing here reads a clock).
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Whether somebody asked to stop.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Seconds of processor time, from any origin.
    pub seconds: &'a (dyn Fn() -> f64 + Sync),
}

impl Watch<'static> {
    /// Never stops, and has no clock: seconds are 0.
    pub const SILENT: Self = Self {
        cancelled: &|| false,
        seconds: &|| 0.0,
    };
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The residual is below the tolerance.
    Converged,
    /// The residual no longer falls.
    Stagnated,
    /// It fell too slowly.
    MaxIterations,
    /// All cycles of a fixed schedule are done, and the residual is what it is: how \[001\] works.
    Scheduled,
    /// Somebody asked to stop.
    Cancelled,
}

impl Status {
    /// In a word, for tables.
    pub fn word(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::Stagnated => "stagnated",
            Status::MaxIterations => "limit",
            Status::Scheduled => "scheduled",
            Status::Cancelled => "cancelled",
        }
    }

    /// Whether the method did what it promises: met the tolerance, or ran its fixed schedule.
    pub fn is_done(self) -> bool {
        matches!(self, Status::Converged | Status::Scheduled)
    }
}

/// What a solve did. One schema for all methods, so that one table and one plot serve all.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveLog {
    /// The solver's name in the registry.
    pub solver: &'static str,
    /// How it ended.
    pub status: Status,
    /// Linear systems set up (1 for methods that have no outer loop).
    pub outer: usize,
    /// Inner iterations or cycles, all systems together.
    pub inner: usize,
    /// Steps of line searches.
    pub line_searches: usize,
    /// Residual at the start and after every cycle or outer iteration.
    pub history: Vec<f64>,
    /// The solver that finished the work where this one gave up.
    pub fallback: Option<&'static str>,
    /// Processor time spent on hierarchies and factors, s.
    pub setup_seconds: f64,
    /// Processor time in all, s.
    pub seconds: f64,
}

impl SolveLog {
    /// The log of a solve that has not begun.
    pub fn new(solver: &'static str) -> Self {
        Self {
            solver,
            status: Status::Converged,
            outer: 0,
            inner: 0,
            line_searches: 0,
            history: Vec::new(),
            fallback: None,
            setup_seconds: 0.0,
            seconds: 0.0,
        }
    }

    /// The count that the papers' tables print: inner iterations and line searches.
    pub fn iterations(&self) -> usize {
        self.inner + self.line_searches
    }

    /// The last residual.
    pub fn residual(&self) -> f64 {
        self.history.last().copied().unwrap_or(0.0)
    }
}

/// A pressure and how it was found. The pressure is only handed out together with a decision about unmet tolerances.
#[derive(Clone, Debug)]
pub struct Solution {
    p: Vec<f64>,
    /// What the solve did.
    pub log: SolveLog,
}

impl Solution {
    /// The pressure, if the residual is below the tolerance or the method has a schedule instead of one.
    ///
    /// # Errors
    /// [`NotConverged`] with the log and the best that was found.
    pub fn converged(self) -> Result<(Vec<f64>, SolveLog), NotConverged> {
        if self.log.status.is_done() {
            Ok((self.p, self.log))
        } else {
            Err(NotConverged {
                status: self.log.status,
                solver: self.log.solver,
                residual: self.log.residual(),
                log: Box::new(self.log),
                best: self.p,
            })
        }
    }

    /// The pressure, however good; for comparisons that look at [`Solution::log`] as well.
    pub fn best(&self) -> &[f64] {
        &self.p
    }
}

/// A solve that ended above its tolerance.
#[derive(Clone, Debug, Error)]
#[error("{solver} ended with residual {residual:.2e} ({})", status.word())]
pub struct NotConverged {
    /// How it ended.
    pub status: Status,
    /// Which solver.
    pub solver: &'static str,
    /// The last residual.
    pub residual: f64,
    /// What it did.
    pub log: Box<SolveLog>,
    /// The last iterate.
    pub best: Vec<f64>,
}

/// A problem that can't be solved by anyone.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LcpError {
    /// A number that is none, or is infinite.
    #[error("{what} of unknown {unknown} is {value}")]
    NotFinite {
        /// Which part of the problem.
        what: &'static str,
        /// Number of the unknown.
        unknown: usize,
        /// The value.
        value: f64,
    },
    /// A diagonal entry that is not positive.
    #[error("the diagonal entry of unknown {unknown} is {value}, which is not positive")]
    Diagonal {
        /// Number of the unknown.
        unknown: usize,
        /// The value.
        value: f64,
    },
}

/// Counts and residuals of a solve under way.
#[derive(Debug)]
pub struct Trace<'a> {
    watch: Watch<'a>,
    /// The residual that is good enough, infinity norm of the unscaled minimum map.
    pub tolerance: f64,
    /// What has been done.
    pub log: SolveLog,
}

impl Trace<'_> {
    /// Notes a residual; tells how the solve ends, if it does now.
    pub fn record(&mut self, residual: f64) -> Option<Status> {
        self.log.history.push(residual);
        if residual <= self.tolerance {
            Some(Status::Converged)
        } else if !residual.is_finite() {
            Some(Status::Stagnated)
        } else if self.cancelled() {
            Some(Status::Cancelled)
        } else {
            None
        }
    }

    /// Whether somebody asked to stop.
    pub fn cancelled(&self) -> bool {
        (self.watch.cancelled)()
    }

    /// Runs a part of the solve that sets up hierarchies or factors.
    pub fn setup<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let begin = (self.watch.seconds)();
        let result = work();
        self.log.setup_seconds += (self.watch.seconds)() - begin;
        result
    }

    /// The watch.
    pub fn watch(&self) -> Watch<'_> {
        self.watch
    }
}

/// The tolerance of \[000\]: absolute, infinity norm of the minimum map.
pub const TOLERANCE: f64 = 1e-6;

/// A method for [`Lcp`]s. Implementors write [`LcpSolver::run`]; callers use [`LcpSolver::solve`].
///
/// `Sync`, since tanks keep one and are drawn and written by several threads.
pub trait LcpSolver<const D: usize>: Send + Sync {
    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// Works until [`Trace::record`] says how it ended, or a limit of its own.
    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status);

    /// What it keeps from solve to solve: the cells that were off the wall. Nothing by default.
    fn memory(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Remembers what [`LcpSolver::memory`] told.
    fn recall(&mut self, _memory: Vec<u32>) {}

    /// Forgets what it kept from earlier solves.
    fn forget(&mut self) {
        self.recall(Vec::new());
    }

    /// Solves to [`TOLERANCE`].
    ///
    /// # Errors
    /// [`LcpError`] if the problem isn't one. A tolerance not met is a status of the solution.
    fn solve(&mut self, problem: &Lcp<D>, watch: Watch<'_>) -> Result<Solution, LcpError> {
        check(problem)?;
        let begin = (watch.seconds)();
        let mut trace = Trace {
            watch,
            tolerance: TOLERANCE,
            log: SolveLog::new(self.name()),
        };
        let (p, status) = if problem.n() == 0 {
            (Vec::new(), Status::Converged)
        } else {
            self.run(problem, &mut trace)
        };
        let mut log = trace.log;
        log.status = status;
        log.seconds = (watch.seconds)() - begin;
        Ok(Solution { p, log })
    }
}

fn check<const D: usize>(problem: &Lcp<D>) -> Result<(), LcpError> {
    let matrix = &problem.matrix;
    for i in 0..problem.n() {
        if !problem.b[i].is_finite() {
            return Err(LcpError::NotFinite {
                what: "the right hand side",
                unknown: i,
                value: problem.b[i],
            });
        }
        if let Some(value) = matrix.row(i).1.iter().find(|v| !v.is_finite()) {
            return Err(LcpError::NotFinite {
                what: "a matrix entry",
                unknown: i,
                value: *value,
            });
        }
        let value = matrix.diagonal[i];
        if !value.is_finite() {
            return Err(LcpError::NotFinite {
                what: "the diagonal",
                unknown: i,
                value,
            });
        }
        if value <= 0.0 {
            return Err(LcpError::Diagonal { unknown: i, value });
        }
    }
    Ok(())
}
