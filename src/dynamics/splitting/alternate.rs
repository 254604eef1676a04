//! ADMM and IOP: a pressure solve that takes walls for air, then the walls, in turn.
//!
//! ```text
//! ADMM: v = u, q = 0                                   IOP
//!   u <- solve(u, walls as air)                          u <- solve(u, walls as air)
//!   first time: which walls does the liquid leave?       first time: which walls does the liquid leave?
//!   v = u + q,  v = 0 on the other walls                 u = 0 on the other walls
//!   q += u - v,  r_vel = max |u - v|                     r_vel = max |change|
//!   u = v - q,   r_div = max |div u|                     r_div = max |div u|
//! ```
//! Away from closed walls `v = u + q` and so `q = 0` for ever: the dual needs memory on closed walls only, and IOP is ADMM that
//! forgets it. Both end with `v`: 0 on closed walls, `u` elsewhere (the thesis's listing returns `u`, which would leave what the
//! tolerance allows of flow through walls).

use super::pressure::{Prepared, Pressure};
use super::project::Projection;
use super::{
    Classify, Detached, Residual, System, WallKind, detached_by_pressure, detached_by_velocity,
};
use crate::lcp::Status;

/// What alternates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// With a dual variable.
    Admm(Residual),
    /// Without.
    Iop,
}

/// Runs the loop.
///
/// # Source
/// \[003\] algorithms 2 and 4.
pub(super) fn alternate<const D: usize>(
    run: &mut Projection<'_, D>,
    scheme: Scheme,
    walls: WallKind,
) -> Status {
    let wetted = run.wetted;
    let system = System::new(wetted, run.flags, &vec![true; wetted.walls.len()]);
    let prepared = Prepared::new(&system, run.settings.inner);
    let mut pressure = Pressure::new(wetted, &system, &prepared, run.settings, run.watch);
    run.recall(&system, &mut pressure.p);
    let mut detached = Detached::none(wetted);
    let mut dual = vec![0.0; wetted.walls.len()];
    let mut end = Status::MaxIterations;
    for outer in 0..run.settings.outer_limit {
        let inward = pressure.solve(&mut run.mac);
        run.log.solve.outer += 1;
        run.log.solve.inner += inward.iterations;
        if inward.status != Status::Converged {
            end = inward.status;
            break;
        }
        if outer == 0 {
            run.remember(&system, &pressure.p);
            if walls == WallKind::Separating {
                let marking = run.settings.marking;
                detached = match run.settings.classify {
                    Classify::Velocity => detached_by_velocity(wetted, &run.mac, marking),
                    Classify::Pressure => {
                        detached_by_pressure(wetted, &pressure.by_liquid(), marking)
                    }
                };
            }
        }
        let fastest = wetted.max_speed(&run.mac);
        let mut apart = 0.0f64;
        for (k, wall) in wetted.walls.iter().enumerate() {
            if detached.open[k] {
                continue;
            }
            let u = wall.face.of_mut(&mut run.mac);
            apart = apart.max(u.abs());
            if let Scheme::Admm(_) = scheme {
                dual[k] += *u;
            }
            *u = -dual[k];
        }
        let divergence = wetted.max_divergence(&run.mac);
        run.log.velocity.push(apart);
        run.log.divergence.push(divergence);
        let settings = run.settings;
        let (residual, enough) = match scheme {
            Scheme::Admm(Residual::Velocity) => (
                apart,
                settings.velocity_absolute + settings.velocity_relative * fastest,
            ),
            Scheme::Admm(Residual::Divergence) | Scheme::Iop => (divergence, settings.divergence),
        };
        if let Some(status) = run.ends(residual, enough) {
            end = status;
            break;
        }
    }
    wetted.close(&detached.open, &mut run.mac);
    run.log.detached = detached.cells;
    end
}
