//! Solves that know the walls: OrigPS, OrigPSSep and IOPSepBC, which is OrigPSSep again and again.
//!
//! ```text
//! OrigPS      solve(u, closed walls)
//! OrigPSSep   solve(u, closed walls), update walls as if they were air, open those that the liquid leaves, close the others
//! IOPSepBC    OrigPSSep, then solve(u, walls but the opened) until max |div u| is small
//! ```
//! Opening a wall after the solve lets liquid in through it that nothing makes up for: the divergence of OrigPSSep. The second
//! solve of IOPSepBC takes it away, and the kick with it.

use super::pressure::{Prepared, Pressure};
use super::project::Projection;
use super::{Classify, Detached, System, detached_by_pressure};
use crate::lcp::Status;

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// One solve, no wall opens.
    Closed,
    /// One solve, then walls open.
    Once,
    /// Until the divergence is small.
    Repeated,
}

/// Runs the passes.
///
/// # Source
/// \[003\] algorithms 1 and 5, section 3.5.
pub(super) fn walled<const D: usize>(run: &mut Projection<'_, D>, passes: Passes) -> Status {
    let wetted = run.wetted;
    let closed = Detached::none(wetted);
    let arrived: Vec<f64> = wetted.walls.iter().map(|w| w.face.of(&run.mac)).collect();
    let system = System::new(wetted, run.flags, &closed.open);
    run.log.pockets = system.pockets.len();
    let p = match pass(run, &system, true) {
        Ok(p) => p,
        Err(status) => return status,
    };
    let detached = if passes == Passes::Closed {
        closed
    } else {
        open_walls(run, &p, &arrived)
    };
    run.log.detached.clone_from(&detached.cells);
    let mut divergence = wetted.max_divergence(&run.mac);
    run.log.divergence.push(divergence);
    if passes != Passes::Repeated {
        // What opened walls leave is the method's; everything else is the inner solve's, and that converged.
        run.log.solve.history.push(divergence);
        return Status::Converged;
    }
    let enough = run.settings.divergence;
    if let Some(status) = run.ends(divergence, enough) {
        return status;
    }
    let system = System::new(wetted, run.flags, &detached.open);
    for _ in 1..run.settings.outer_limit {
        if let Err(status) = pass(run, &system, false) {
            return status;
        }
        divergence = wetted.max_divergence(&run.mac);
        run.log.divergence.push(divergence);
        if let Some(status) = run.ends(divergence, enough) {
            return status;
        }
    }
    Status::MaxIterations
}

/// One solve; its pressure, one a cell of liquid.
fn pass<const D: usize>(
    run: &mut Projection<'_, D>,
    system: &System<D>,
    is_first: bool,
) -> Result<Vec<f64>, Status> {
    let prepared = Prepared::new(system, run.settings.inner);
    let mut pressure = Pressure::new(run.wetted, system, &prepared, run.settings, run.watch);
    if is_first {
        run.recall(system, &mut pressure.p);
    }
    let inward = pressure.solve(&mut run.mac);
    run.log.solve.outer += 1;
    run.log.solve.inner += inward.iterations;
    if is_first {
        run.remember(system, &pressure.p);
    }
    match inward.status {
        Status::Converged => Ok(pressure.by_liquid()),
        status => Err(status),
    }
}

/// Updates walls as if they were air, opens those that the liquid leaves; the others stay closed.
fn open_walls<const D: usize>(run: &mut Projection<'_, D>, p: &[f64], arrived: &[f64]) -> Detached {
    let wetted = run.wetted;
    // Where walls are air, u -= p_high - p_low with 0 on the wall's side.
    let hypothetical: Vec<f64> = wetted
        .walls
        .iter()
        .zip(arrived)
        .map(|(wall, u)| u - wall.away * p[wall.fluid as usize])
        .collect();
    let marking = run.settings.marking;
    let detached = match run.settings.classify {
        Classify::Pressure => detached_by_pressure(wetted, p, marking),
        Classify::Velocity => {
            let left: Vec<bool> = wetted
                .walls
                .iter()
                .zip(&hypothetical)
                .map(|(wall, u)| wall.away * u > 0.0)
                .collect();
            Detached::of(wetted, &left, marking)
        }
    };
    for ((wall, open), u) in wetted.walls.iter().zip(&detached.open).zip(hypothetical) {
        if *open {
            *wall.face.of_mut(&mut run.mac) = u;
        }
    }
    detached
}
