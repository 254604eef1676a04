//! Y6: a box that is pumped through and closed after 80 s: what goes on turning, and what particles keep to themselves.

use super::convergence::built_in;
use crate::measure;
use crate::settings::Settings;
use crate::table::{TableError, check};
use crate::transfer::Transfer;
use crate::world::World;
use stokeslet_dynamics::report::table::{At, Row};

/// Energies when the box is closed and at the end.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// On faces, J: at 80 s, at 200 s.
    grid: [f64; 2],
    /// On particles, J: at the same times.
    particles: [f64; 2],
    /// The largest excess of the particles' energy over the grid's, over the particles'.
    hidden: f64,
}

fn run<const D: usize>(
    at: At,
    transfer: Transfer,
    keep_on: &dyn Fn() -> bool,
) -> Result<(Found, World<D>), TableError> {
    let scene = built_in(if D == 2 { "inlet" } else { "inlet-space" }, at)?;
    let settings = Settings {
        transfer,
        ..Settings::default()
    };
    let mut world = World::<D>::new(&scene, &settings);
    let closed = (80.0 / scene.step()).round() as u64;
    let mut found = Found {
        grid: [0.0; 2],
        particles: [0.0; 2],
        hidden: 0.0,
    };
    let steps = scene.steps() as u64;
    for step in 1..=steps {
        check(keep_on)?;
        world.step()?;
        // Often enough for the largest; measuring takes as long as a tenth of a step.
        if step % 16 == 0 || step == closed || step == steps {
            let (grid, particles) = (
                measure::grid_energy(&world),
                measure::particle_energy(&world),
            );
            if step > closed / 8 {
                found.hidden = found.hidden.max(1.0 - grid / particles);
            }
            if step == closed || step == steps {
                let k = usize::from(step == steps);
                found.grid[k] = grid;
                found.particles[k] = particles;
            }
        }
    }
    Ok((found, world))
}

/// Vortices: cells where the stream function has an extremum among its neighbours, above a quarter of its largest size.
fn vortices(world: &World<2>) -> (usize, usize) {
    let (grid, n) = (&world.grid, world.grid.cells.n);
    // On nodes, from below: psi_y = u.
    let mut psi = vec![0.0; (n[0] + 1) * (n[1] + 1)];
    let faces = grid.faces(0);
    for i in 0..=n[0] {
        for j in 0..n[1] {
            let at = faces.index([i + crate::grid::GHOST, j + crate::grid::GHOST]);
            psi[i + (j + 1) * (n[0] + 1)] = psi[i + j * (n[0] + 1)] + world.after[0][at] * grid.dx;
        }
    }
    let most = psi.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let mut found = (0, 0);
    for j in 1..n[1] {
        for i in 1..n[0] {
            let at = |di: usize, dj: usize| psi[i + di - 1 + (j + dj - 1) * (n[0] + 1)];
            let here = at(1, 1);
            if here.abs() < 0.25 * most {
                continue;
            }
            let around = (0..9).filter(|k| *k != 4).map(|k| at(k % 3, k / 3));
            if here > 0.0 && around.clone().all(|p| p < here) {
                found.0 += 1;
            } else if here < 0.0 && around.clone().all(|p| p > here) {
                found.1 += 1;
            }
        }
    }
    found
}

/// Y6.
pub(super) fn rows(at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let mut rows = Vec::new();
    let mut kept = Vec::new();
    for transfer in [Transfer::Pic, Transfer::Apic, Transfer::Flip] {
        let name = transfer.name();
        let (found, world) = run::<2>(at, transfer, keep_on)?;
        let left = found.grid[1] / found.grid[0];
        kept.push(left);
        let line = Row::new(
            "Y6",
            format!("2D {name}: grid energy at 200 s over that at 80 s"),
            "",
            left,
        );
        rows.push(match transfer {
            Transfer::Pic => line.at_most(0.05),
            _ => line.at_least(0.1_f64.max(10.0 * kept[0])),
        });
        for (k, when) in ["80 s", "200 s"].into_iter().enumerate() {
            let off = found.particles[k] / found.grid[k] - 1.0;
            let line = Row::new(
                "Y6",
                format!("2D {name}: particle over grid energy - 1 at {when}"),
                "near 0 (P)",
                off,
            );
            let most = if transfer == Transfer::Flip {
                0.15
            } else {
                0.05
            };
            rows.push(line.within(-most, most));
        }
        if transfer != Transfer::Pic {
            let (plus, minus) = vortices(&world);
            rows.push(
                Row::new(
                    "Y6",
                    format!("2D {name}: vortices at 200 s"),
                    "2 (P)",
                    (plus + minus) as f64,
                )
                .within(2.0, 2.0),
            );
        }
    }
    for transfer in [Transfer::Pic, Transfer::Apic, Transfer::Flip] {
        let name = transfer.name();
        let (found, _) = run::<3>(at, transfer, keep_on)?;
        rows.push(Row::new(
            "Y6",
            format!("3D {name}: grid energy at 200 s over that at 80 s"),
            "to 0 (P)",
            found.grid[1] / found.grid[0],
        ));
        for (k, when) in ["80 s", "200 s"].into_iter().enumerate() {
            let off = found.particles[k] / found.grid[k] - 1.0;
            let printed = if transfer == Transfer::Flip {
                "far over 0 (P)"
            } else {
                "near 0 (P)"
            };
            let line = Row::new(
                "Y6",
                format!("3D {name}: particle over grid energy - 1 at {when}"),
                printed,
                off,
            );
            rows.push(match (transfer, k) {
                (Transfer::Flip, 1) => line.at_least(0.15),
                (Transfer::Flip, _) => line,
                _ => line.within(-0.05, 0.05),
            });
        }
        if transfer == Transfer::Flip {
            rows.push(Row::new(
                "Y6",
                "3D flip: largest part of particle energy not on the grid",
                "about 1/3 (P)",
                found.hidden,
            ));
        }
    }
    Ok(rows)
}
