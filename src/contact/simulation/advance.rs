//! One step: solved and accepted, whole or in parts.
//!
//! Newton's method stalls at kinks of the residual, where a contact goes from stick to slip or from triangle to triangle, and where springs that are
//! compressed give way sideways. In half the time less happens, and mass counts four times as much beside stiffness.

use super::log::{Energies, StepLog};
use super::{Simulation, Touch};
use crate::contact::{Attachment, Contact, Pairs, Start};
use crate::grid::Grid;
use crate::loops::{FEW, Work};
use crate::model::{Coupling, Places};
use crate::newton::{SolveLog, SolveStatus, solve};
use crate::real::V3;
use crate::system::{System, Trial};
use rayon::prelude::*;
use stokeslet_dynamics::awake::{self, Awake};

/// The smallest part that a step is halved to. None of those that stalled in bundled scenes, as far as they were run, needed less than a quarter.
const SMALLEST: f64 = 1.0 / 16.0;

/// The solve of a part of a step.
struct Solved {
    dt: f64,
    trial: Trial,
    log: SolveLog,
    /// Pairs that touch at its end, with full friction.
    contacts: Vec<Contact>,
    grid: Option<Grid>,
}

impl Simulation {
    /// One step of the bodies that are there, on the pool's threads.
    pub(super) fn advance(&mut self) -> StepLog {
        // Vertices inside of bodies are no particles, but count.
        let many = self.n_particles().max(self.state.nodes.x.len());
        let is_worth_it = !Work::Usual.stays(many / 2);
        let mut advance =
            || awake::with(is_worth_it, |awake| self.advance_by_parts(SMALLEST, awake));
        // From outside of the pool each of a step's many loops would wait for a thread to wake.
        match rayon::current_thread_index().is_none() && !Work::Heavy.stays(many) {
            true => rayon::scope(|_| advance()),
            false => advance(),
        }
    }

    /// One step: whole, or in halves and halves of halves. Where the `smallest` part stalls it is accepted as it is, and nothing after it is halved: a step that
    /// can't be solved takes few solves.
    fn advance_by_parts(&mut self, mut smallest: f64, awake: &Awake) -> StepLog {
        let mut halved = SolveLog::default();
        let mut accepted: Option<StepLog> = None;
        let mut parts = vec![1.0];
        while let Some(part) = parts.pop() {
            awake.renew();
            let mut solved = self.solve(part * self.model.dt, awake);
            if solved.log.status == SolveStatus::Stalled {
                if part > smallest {
                    parts.extend([part / 2.0; 2]);
                    halved.add_work(&solved.log);
                    continue;
                }
                smallest = 1.0;
            }
            solved.log.left *= part;
            let log = self.accept(solved);
            accepted = Some(match accepted {
                None => log,
                Some(before) => before.followed_by(log),
            });
        }
        let mut log = accepted.expect("a step has a part");
        log.solve.add_work(&halved);
        self.state.step += 1;
        (log.step, log.time) = (self.state.step, self.time());
        self.energies(&mut log.energies);
        self.totals.note(&log.solve);
        log
    }

    /// The grid of the material points, if there are any.
    fn grid(&self) -> Option<Grid> {
        let (points, model) = (&self.state.points, &self.model);
        (!points.x.is_empty()).then(|| Grid::new(points, &model.layers, model.dx))
    }

    /// Solves the next `dt` seconds, by which nothing moves yet.
    fn solve(&self, dt: f64, awake: &Awake) -> Solved {
        let model = &self.model;
        let start = Start::new(model, Places::of(&self.state));
        let grid = self.grid();
        let frozen = (model.coupling != Coupling::Coupled).then(|| {
            let pairs = Pairs {
                model,
                attachments: &self.state.attachments,
                start: &start,
                frozen: None,
            };
            pairs.freeze()
        });
        let system = System::new(
            model,
            &self.state,
            grid.as_ref(),
            &start,
            frozen.as_ref(),
            dt,
            awake,
        );
        let gravity = if model.gravity.norm() > 0.0 {
            model.gravity.norm()
        } else {
            9.81
        };
        let tau = self.scene.tolerance
            * self.settings.newton.tolerance_factor
            * dt
            * gravity
            * self.total_mass().sqrt();
        let (mut trial, log) = solve(&system, &self.settings.newton, tau);
        // Attachments follow full friction at the end, whatever the solve held fixed.
        let contacts = if model.coupling == Coupling::Coupled {
            std::mem::take(&mut trial.contacts)
        } else {
            let pairs = Pairs {
                frozen: None,
                ..system.pairs()
            };
            let ends = trial.places.particles(model);
            pairs.touching(&trial.places, &ends, model.mu)
        };
        drop(system);
        Solved {
            dt,
            trial,
            log,
            contacts,
            grid,
        }
    }

    /// Makes a solve's decisions permanent. Its log has no time and no energies but those of contacts yet.
    fn accept(&mut self, solved: Solved) -> StepLog {
        let (model, contacts) = (&self.model, solved.contacts);
        let mut attachments: Vec<Vec<(u32, Attachment)>> = vec![Vec::new(); model.objects.len()];
        for c in &contacts {
            attachments[c.object as usize].push((c.particle, c.moved));
        }
        let name = |b: u32| model.bodies[b as usize].name.clone();
        self.touches = contacts
            .iter()
            .map(|c| Touch {
                body: name(model.particles[c.particle as usize].body),
                object: name(model.objects[c.object as usize].body),
                particle: c.z,
                attachment: c.y,
                normal: c.normal,
                force: c.force(),
                sticking: c.stuck,
            })
            .collect();
        let report = StepLog {
            step: 0,
            time: 0.0,
            solve: solved.log,
            energies: Energies {
                contact: contacts
                    .iter()
                    .map(|c| (c.spring, model.particles[c.particle as usize].k))
                    // By area, a vertex of triangles without any has none.
                    .filter(|(_, k)| *k > 0.0)
                    .map(|(spring, k)| 0.5 * spring.norm_squared() / k)
                    .sum(),
                ..Energies::default()
            },
            touching: contacts.len(),
            sticking: contacts.iter().filter(|c| c.stuck).count(),
            longest_walk: contacts
                .iter()
                .map(|c| c.states as usize)
                .max()
                .unwrap_or(0),
            one_state: contacts.iter().filter(|c| c.states <= 1).count(),
            unfinished_walks: contacts.iter().filter(|c| c.unfinished).count(),
        };
        self.move_to(solved.trial, solved.dt, solved.grid.as_ref());
        self.state.attachments = attachments;
        report
    }

    /// Takes everything to where a trial of `dt` seconds has it.
    fn move_to(&mut self, trial: Trial, dt: f64, grid: Option<&Grid>) {
        for (i, b) in self.state.rigids.iter_mut().enumerate() {
            b.x = trial.places.rigids[i].x;
            b.q = trial.orientations[i];
            b.v = trial.velocities[i];
            b.w = trial.spins[i];
        }
        let nodes = &mut self.state.nodes;
        let before = std::mem::replace(&mut nodes.x, trial.places.nodes);
        for ((v, x), before) in nodes.v.iter_mut().zip(&nodes.x).zip(&before) {
            *v = (x - before) / dt;
        }
        for &i in &self.model.pinned {
            nodes.x[i as usize] = before[i as usize];
            nodes.v[i as usize] = V3::zeros();
        }
        if let Some(grid) = grid {
            let points = &mut self.state.points;
            let velocity = |i: usize| trial.grid_velocities[i];
            // Few points stay on their thread, as in `each`.
            let least = if points.x.len() < FEW { FEW } else { 64 };
            let (motions, before) = (points.v.par_iter_mut().zip(&mut points.affine), &points.x);
            motions
                .zip(&mut points.gradient)
                .enumerate()
                .with_min_len(least)
                .for_each(|(p, ((v, affine), gradient))| {
                    *v = grid.value_at(p, velocity);
                    *affine = grid.affine_at(p, &before[p], velocity);
                    *gradient = self.model.materials[p].settle(&trial.gradients[p]);
                });
            points.x = trial.places.points;
        }
    }

    /// The system of the next step, for tests of its derivative.
    #[cfg(test)]
    pub(crate) fn with_system<T>(&self, f: impl FnOnce(&System) -> T) -> T {
        let start = Start::new(&self.model, Places::of(&self.state));
        let grid = self.grid();
        let (model, state, grid) = (&self.model, &self.state, grid.as_ref());
        let system = |awake: &Awake| {
            f(&System::new(
                model, state, grid, &start, None, model.dt, awake,
            ))
        };
        awake::with(false, system)
    }
}

#[cfg(test)]
mod tests;
