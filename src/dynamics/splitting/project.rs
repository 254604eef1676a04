//! Frees velocities of divergence by any of the methods.

use thiserror::Error;

use super::alternate::{Scheme, alternate};
use super::complement::complement;
use super::walled::{Passes, walled};
use super::{Method, Settings, System, Warning, Wetted};
use crate::grid::{CellFlag, Mac};
use crate::lcp::{LcpError, LcpSolver, SolveLog, Status, Watch};

/// What can't be solved by anyone.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SplitError {
    /// Not one flag a cell.
    #[error("{flags} flags for {cells} cells")]
    Flags {
        /// Flags given.
        flags: usize,
        /// Cells of the grid.
        cells: usize,
    },
    /// Liquid at the edge of the grid.
    #[error(
        "cell {cell} at the edge of the grid holds liquid; a layer of solid cells has to be around it"
    )]
    Unwalled {
        /// The cell.
        cell: usize,
    },
    /// A velocity that is no number, or infinite.
    #[error("the velocity across axis {axis} on face {face} is {value}")]
    NotFinite {
        /// The face's axis.
        axis: usize,
        /// Its index.
        face: usize,
        /// The value.
        value: f64,
    },
    /// A tolerance that can't be met.
    #[error("the {name} tolerance is {value}, which is not positive")]
    Tolerance {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// No such solver of complementarity problems.
    #[error("there is no solver {name}")]
    Solver {
        /// The name.
        name: &'static str,
    },
    /// The complementarity problem isn't one.
    #[error("the complementarity problem can't be solved")]
    Problem(#[source] LcpError),
}

/// What a projection did.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitLog {
    /// Counts and status; `outer` ADMM or IOP iterations, `inner` all conjugate gradient iterations, `history` the residual that
    /// decides about the end.
    pub solve: SolveLog,
    /// r_vel after every outer iteration: `max |u - v|` (ADMM), the largest velocity taken off walls (IOP); else empty.
    pub velocity: Vec<f64>,
    /// r_div, `max |div u|`, after every outer iteration.
    pub divergence: Vec<f64>,
    /// Solid cells that acted as a free surface, ascending.
    pub detached: Vec<u32>,
    /// `max |div u|` over all cells of liquid, of the velocities that come out.
    pub divergence_left: f64,
    /// Parts of the liquid that touched no air while all walls were closed; 0 for methods that never solve with closed walls.
    pub pockets: usize,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Velocities and how they were found; only handed out together with a decision about unmet tolerances.
#[derive(Clone, Debug)]
pub struct Projected<const D: usize> {
    velocity: Mac<D>,
    /// What was done.
    pub log: SplitLog,
}

/// A projection that ended above its tolerance.
#[derive(Clone, Debug, Error)]
#[error("{} ended after {} outer iterations with residual {:.2e} ({})", log.solve.solver, log.solve.outer, log.solve.residual(), log.solve.status.word())]
pub struct Unconverged<const D: usize> {
    /// What was done.
    pub log: Box<SplitLog>,
    /// The last velocities.
    pub best: Box<Mac<D>>,
}

impl<const D: usize> Projected<D> {
    /// The velocities, if the tolerance was met.
    ///
    /// # Errors
    /// [`Unconverged`] with the log and the last velocities.
    pub fn converged(self) -> Result<(Mac<D>, SplitLog), Unconverged<D>> {
        if self.log.solve.status == Status::Converged {
            Ok((self.velocity, self.log))
        } else {
            Err(Unconverged {
                log: Box::new(self.log),
                best: Box::new(self.velocity),
            })
        }
    }

    /// The velocities, however good; for comparisons that look at [`Projected::log`] as well.
    pub fn best(&self) -> &Mac<D> {
        &self.velocity
    }
}

/// What a method keeps from step to step for warm starts.
#[derive(Default)]
pub struct Memory<const D: usize> {
    /// The first pressure of the last step, one a cell.
    pressure: Vec<f64>,
    /// The solver of complementarity problems, which remembers which cells had left the wall.
    pub(super) solver: Option<Box<dyn LcpSolver<D>>>,
}

impl<const D: usize> Clone for Memory<D> {
    /// The solver is not copied: the copy starts cold there.
    fn clone(&self) -> Self {
        Self {
            pressure: self.pressure.clone(),
            solver: None,
        }
    }
}

impl<const D: usize> std::fmt::Debug for Memory<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let solver = self.solver.as_ref().map(|s| s.name());
        write!(f, "Memory({} cells, {solver:?})", self.pressure.len())
    }
}

/// A projection under way.
pub(super) struct Projection<'a, const D: usize> {
    pub(super) wetted: &'a Wetted<D>,
    pub(super) flags: &'a [CellFlag],
    pub(super) settings: &'a Settings,
    pub(super) watch: Watch<'a>,
    pub(super) memory: &'a mut Memory<D>,
    pub(super) mac: Mac<D>,
    pub(super) log: SplitLog,
}

impl<const D: usize> Projection<'_, D> {
    /// Notes a residual; tells how the loop ends, if it does now.
    pub(super) fn ends(&mut self, residual: f64, enough: f64) -> Option<Status> {
        self.log.solve.history.push(residual);
        if residual <= enough {
            Some(Status::Converged)
        } else if !residual.is_finite() {
            Some(Status::Stagnated)
        } else {
            (self.watch.cancelled)().then_some(Status::Cancelled)
        }
    }

    /// The pressure of the step before as a first guess.
    pub(super) fn recall(&self, system: &System<D>, p: &mut [f64]) {
        if self.memory.pressure.len() == self.flags.len() {
            for (p, cell) in p.iter_mut().zip(&system.places.of) {
                *p = self.memory.pressure[*cell as usize];
            }
        }
    }

    /// Keeps a pressure for the next step.
    pub(super) fn remember(&mut self, system: &System<D>, p: &[f64]) {
        self.memory.pressure.clear();
        self.memory.pressure.resize(self.flags.len(), 0.0);
        for (p, cell) in p.iter().zip(&system.places.of) {
            self.memory.pressure[*cell as usize] = *p;
        }
    }
}

/// Frees velocities of divergence.
///
/// # Shapes and units
/// - `flags`: one a cell of `velocity.cells`; cells of side 1 (`velocity.dx` is not looked at), walls at rest
/// - `velocity`: after advection and forces, in cells per time; values on faces at walls count (what arrives there), those on faces
///   without liquid pass through unchanged
/// - `memory`: of earlier steps of the same liquid; looked at with [`super::Warm::Inner`] only
/// # Errors
/// [`SplitError`]. A tolerance that is not met is a status of what is returned.
/// # Accuracy and cost
/// Sticking methods and OrigPS agree to their tolerances; so do ADMM and IOP with separating walls and IOPSepBC as far as they
/// open the same walls (the first looks at a solve with all walls as air, the last at one with all closed).
/// # Source
/// \[003\] chapter 3.
pub fn project<const D: usize>(
    flags: &[CellFlag],
    velocity: &Mac<D>,
    method: Method,
    settings: &Settings,
    memory: &mut Memory<D>,
    watch: Watch<'_>,
) -> Result<Projected<D>, SplitError> {
    settings.validate()?;
    let begin = (watch.seconds)();
    let wetted = Wetted::new(velocity.cells, flags)?;
    check(&wetted, velocity)?;
    let name = method.entry().map_or("unnamed", |e| e.name);
    let mut run = Projection {
        wetted: &wetted,
        flags,
        settings,
        watch,
        memory,
        mac: velocity.clone(),
        log: SplitLog {
            solve: SolveLog::new(name),
            velocity: Vec::new(),
            divergence: Vec::new(),
            detached: Vec::new(),
            divergence_left: 0.0,
            pockets: 0,
            warnings: warnings(method, settings),
        },
    };
    let status = match method {
        Method::OrigPs => walled(&mut run, Passes::Closed),
        Method::OrigPsSep => walled(&mut run, Passes::Once),
        Method::IopSepBc => walled(&mut run, Passes::Repeated),
        Method::Admm(residual, walls) => alternate(&mut run, Scheme::Admm(residual), walls),
        Method::Iop(walls) => alternate(&mut run, Scheme::Iop, walls),
        Method::Lcp(solver) => complement(&mut run, solver)?,
    };
    let (velocity, mut log) = (run.mac, run.log);
    log.solve.solver = name;
    log.solve.status = status;
    log.solve.seconds = (watch.seconds)() - begin;
    log.divergence_left = wetted.max_divergence(&velocity);
    Ok(Projected { velocity, log })
}

/// ADMM's velocity residual may be as strict as it likes (\[003\] section 4.1).
fn warnings(method: Method, settings: &Settings) -> Vec<Warning> {
    let bound = matches!(
        method,
        Method::Admm(super::Residual::Divergence, _) | Method::Iop(_) | Method::IopSepBc
    );
    if bound && settings.divergence < settings.inner_tolerance {
        vec![Warning::OuterTighterThanInner {
            outer: settings.divergence,
            inner: settings.inner_tolerance,
        }]
    } else {
        Vec::new()
    }
}

fn check<const D: usize>(wetted: &Wetted<D>, mac: &Mac<D>) -> Result<(), SplitError> {
    for lower in &wetted.lower {
        for (axis, low) in lower.iter().enumerate() {
            for face in [*low as usize, (low + wetted.up[axis]) as usize] {
                let value = mac.u[axis][face];
                if !value.is_finite() {
                    return Err(SplitError::NotFinite { axis, face, value });
                }
            }
        }
    }
    Ok(())
}
