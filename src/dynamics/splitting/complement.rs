//! The complementarity problem of the same liquid and walls, for comparison with the splitting methods.
//!
//! ```text
//! A p + b = 0 away from walls,   0 <= p  perp  A p + b >= 0 in cells at walls,   b = div u with all walls closed
//! ```
//! `A` is that of OrigPS. Where a cell has left the wall its pressure is 0 and what is left of its divergence comes in through the
//! wall: it is given to the cell's wall faces in equal parts, so that the field that comes out has none.
//! The free surface is at the centre of the cell that left, while splitting methods have it half a cell into the wall: results
//! differ by that much.

use super::project::{Projection, SplitError};
use super::{Detached, System, Warm};
use crate::lcp::{Lcp, Status, TOLERANCE, solver};

/// Solves the problem by a solver of `liquid/lcp`, as well as the other methods solve theirs: the minimum map, and with it the
/// divergence that is left, is within `inner_tolerance`.
///
/// Solvers end at a tolerance of their own, [`TOLERANCE`]. The problem is homogeneous, so it is handed over in the unit in which that
/// is what was asked for.
///
/// # Errors
/// [`SplitError::Solver`] for an unknown name, [`SplitError::Problem`] for numbers that are none.
pub(super) fn complement<const D: usize>(
    run: &mut Projection<'_, D>,
    name: &'static str,
) -> Result<Status, SplitError> {
    let known = run.memory.solver.take();
    let warm = known.filter(|s| run.settings.warm == Warm::Inner && s.name() == name);
    let mut solver = match warm {
        Some(solver) => solver,
        None => solver::<D>(name).ok_or(SplitError::Solver { name })?,
    };
    let wetted = run.wetted;
    let closed = Detached::none(wetted);
    let system = System::new(wetted, run.flags, &closed.open);
    wetted.close(&closed.open, &mut run.mac);
    let n = system.wet.len();
    let mut place = vec![usize::MAX; wetted.n()];
    for (k, i) in system.wet.iter().enumerate() {
        place[*i as usize] = k;
    }
    let mut walls_of = vec![0usize; n];
    for wall in &wetted.walls {
        if let Some(count) = walls_of.get_mut(place[wall.fluid as usize]) {
            *count += 1;
        }
    }
    let mut in_s: Vec<bool> = walls_of.iter().map(|n| *n > 0).collect();
    // Where there is no air there is no room to leave the wall.
    for i in system.pockets.iter().flat_map(|p| &p.unknowns) {
        in_s[*i as usize] = false;
    }
    run.log.pockets = system.pockets.len();
    let unit = run.settings.inner_tolerance / TOLERANCE;
    let problem = Lcp {
        matrix: system.matrix.clone(),
        b: system
            .wet
            .iter()
            .map(|i| wetted.divergence(&run.mac, *i as usize) / unit)
            .collect(),
        in_s,
        places: system.places.clone(),
        geometry: None,
    };
    let solution = solver
        .solve(&problem, run.watch)
        .map_err(SplitError::Problem)?;
    run.memory.solver = Some(solver);
    let p: Vec<f64> = solution.best().iter().map(|p| p * unit).collect();
    system.subtract_gradient(&p, &mut run.mac);
    let mut left = vec![false; wetted.walls.len()];
    let slack: Vec<f64> = system
        .wet
        .iter()
        .map(|i| wetted.divergence(&run.mac, *i as usize))
        .collect();
    for (wall, left) in wetted.walls.iter().zip(&mut left) {
        let k = place[wall.fluid as usize];
        if k < n && problem.in_s[k] && p[k] <= 0.0 {
            *left = slack[k] > 0.0;
            *wall.face.of_mut(&mut run.mac) = wall.away * slack[k].max(0.0) / walls_of[k] as f64;
        }
    }
    run.log.detached = Detached::of(wetted, &left, run.settings.marking).cells;
    run.log.divergence.push(wetted.max_divergence(&run.mac));
    run.log.solve = solution.log;
    for residual in &mut run.log.solve.history {
        *residual *= unit;
    }
    Ok(run.log.solve.status)
}
