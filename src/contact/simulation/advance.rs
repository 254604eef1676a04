//! One step: solved, made in halves where that stalls, accepted.
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

/// Most times that a step is halved; no step of a bundled scene needs more than two.
const HALVINGS: u32 = 4;

/// A step's solve, and what it started from.
struct Solved {
    trial: Trial,
    log: SolveLog,
    /// Pairs that touch at its end, with full friction.
    contacts: Vec<Contact>,
    start: Places,
    grid: Option<Grid>,
}

impl Simulation {
    /// One step of the bodies that are there, on the pool's threads.
    pub(super) fn advance_one(&mut self) -> StepLog {
        // Vertices inside of bodies are no particles, but count.
        let many = self.n_particles().max(self.state.nodes.x.len());
        let is_worth_it = !Work::Usual.stays(many / 2);
        let mut advance = || awake::with(is_worth_it, |awake| self.advance_with(awake));
        // From outside of the pool each of a step's many loops would wait for a thread to wake.
        match rayon::current_thread_index().is_none() && !Work::Heavy.stays(many) {
            true => rayon::scope(|_| advance()),
            false => advance(),
        }
    }

    /// [`Self::step`] without what comes in: whole, or in halves.
    fn advance_with(&mut self, awake: &Awake) -> StepLog {
        let mut report = self.advance_by(awake, HALVINGS);
        self.state.step += 1;
        (report.step, report.time) = (self.state.step, self.time());
        self.energies(&mut report.energies);
        self.totals.note(&report.solve);
        report
    }

    /// Advances by the model's time step, in halves where the solve of the whole stalls, which are halved in their turn at most so many times. Where a part
    /// stalls all the same the whole is taken as far as it was solved.
    fn advance_by(&mut self, awake: &Awake, halvings: u32) -> StepLog {
        awake.renew();
        let whole = self.solved(awake);
        if whole.log.status != SolveStatus::Stalled || halvings == 0 {
            return self.accept(whole);
        }
        let (before, mut all) = (self.state.clone(), whole.log.clone());
        self.model.dt /= 2.0;
        let mut half = |simulation: &mut Simulation| {
            let half = simulation.advance_by(awake, halvings - 1);
            all.add(&half.solve);
            (half.solve.status == SolveStatus::Converged).then_some(half)
        };
        let last = half(self).and_then(|_| half(self));
        self.model.dt *= 2.0;
        let mut report = last.unwrap_or_else(|| {
            self.state = before;
            all.residuals.extend(whole.log.residuals.last());
            self.accept(whole)
        });
        all.status = report.solve.status;
        report.solve = all;
        report
    }

    /// The solve of the next step, by which nothing moves yet.
    fn solved(&self, awake: &Awake) -> Solved {
        let model = &self.model;
        let start = Start::new(model, &self.state);
        let grid = (!self.state.points.x.is_empty())
            .then(|| Grid::new(&self.state.points, &model.layers, model.dx));
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
            awake,
        );
        let gravity = if model.gravity.norm() > 0.0 {
            model.gravity.norm()
        } else {
            9.81
        };
        let tau = self.scene.tolerance
            * self.settings.newton.tolerance_factor
            * model.dt
            * gravity
            * self.total_mass().sqrt();
        let (trial, log) = solve(&system, &self.settings.newton, tau);
        let ends = trial.places.particles(model);
        // Attachments follow full friction at the end, whatever the solve held fixed.
        let contacts = if model.coupling == Coupling::Coupled {
            trial.contacts.clone()
        } else {
            Pairs {
                frozen: None,
                ..system.pairs()
            }
            .touching(&trial.places, &ends, model.mu)
        };
        drop(system);
        Solved {
            trial,
            log,
            contacts,
            start: start.places,
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
                    .map(|c| 0.5 * c.spring.norm_squared() / model.k)
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
        self.advance(solved.trial, solved.grid.as_ref(), &solved.start);
        self.state.attachments = attachments;
        report
    }

    fn advance(&mut self, trial: Trial, grid: Option<&Grid>, start: &Places) {
        let dt = self.model.dt;
        for (i, b) in self.state.rigids.iter_mut().enumerate() {
            b.x = trial.places.rigids[i].x;
            b.q = trial.orientations[i];
            b.v = trial.velocities[i];
            b.w = trial.spins[i];
        }
        for i in 0..self.state.nodes.x.len() {
            self.state.nodes.v[i] = (trial.places.nodes[i] - start.nodes[i]) / dt;
        }
        self.state.nodes.x = trial.places.nodes;
        for &i in &self.model.pinned {
            self.state.nodes.x[i as usize] = start.nodes[i as usize];
            self.state.nodes.v[i as usize] = V3::zeros();
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
        let start = Start::new(&self.model, &self.state);
        let grid = (!self.state.points.x.is_empty())
            .then(|| Grid::new(&self.state.points, &self.model.layers, self.model.dx));
        let (model, state, grid) = (&self.model, &self.state, grid.as_ref());
        let system = |awake: &Awake| f(&System::new(model, state, grid, &start, None, awake));
        awake::with(false, system)
    }
}

#[cfg(test)]
mod tests {
    use crate::newton::{NewtonSettings, SolveStatus};
    use crate::scenes;
    use crate::simulation::{Settings, Simulation};
    use stokeslet_dynamics::awake;

    fn settings(tolerance_factor: f64) -> Settings {
        let newton = NewtonSettings {
            tolerance_factor,
            ..NewtonSettings::default()
        };
        Settings {
            newton,
            ..Settings::default()
        }
    }

    /// A stack solved sharply, whose friction starts at a kink.
    #[test]
    fn a_step_that_stalls_is_two_of_half_the_time() {
        let scene = scenes::find("stack").expect("built in").scene();
        let mut simulation = Simulation::new(&scene, &settings(1e-5)).expect("a sound scene");
        let mut before = simulation.checkpoint();
        let mut steps = (0..20).map(|_| {
            before = simulation.checkpoint();
            simulation.step()
        });
        let log = steps.find(|log| log.solve.parts > 0);
        let log = log.expect("a step that stalls");
        assert_eq!(log.solve.parts, 2, "once halved");
        assert_eq!(log.solve.status, SolveStatus::Converged);
        assert!(log.row().contains(",in parts,"), "{}", log.row());
        let totals = *simulation.totals();
        assert_eq!((totals.in_parts, totals.stalled), (1, 0));
        assert_eq!(totals.steps, log.step);

        let mut halves = before.clone();
        halves.scene.time_step /= 2.0;
        let mut halves = Simulation::resume(&halves).expect("the same bodies");
        let logs = [halves.step(), halves.step()];
        assert!(logs.iter().all(|log| log.solve.parts == 0));
        assert_eq!(halves.state().rigids, simulation.state().rigids);
        assert_eq!(halves.state().attachments, simulation.state().attachments);
        assert_eq!(log.energies, logs[1].energies);
        let mut same = Simulation::resume(&before).expect("the same scene");
        assert_eq!((same.step(), same.time()), (log, simulation.time()));
    }

    /// Below rounding nothing converges, in no part either: what the whole came to is kept.
    #[test]
    fn a_step_that_stalls_in_a_part_too_is_as_if_it_were_never_halved() {
        let scene = scenes::find("stack").expect("built in").scene();
        let mut simulation = Simulation::new(&scene, &settings(1e-20)).expect("a sound scene");
        let mut whole = Simulation::resume(&simulation.checkpoint()).expect("the same scene");
        let (log, alone) = awake::with(false, |awake| {
            (simulation.advance_by(awake, 1), whole.solved(awake))
        });
        assert_eq!(log.solve.status, SolveStatus::Stalled);
        assert_eq!(log.solve.parts, 1, "after the first half");
        assert!(log.solve.iterations > alone.log.iterations);
        assert_eq!(log.solve.residuals.last(), alone.log.residuals.last());
        whole.accept(alone);
        assert_eq!(whole.state, simulation.state);
        assert_eq!(whole.model.dt, simulation.model.dt);
        simulation.totals.note(&log.solve);
        let totals = simulation.totals();
        assert_eq!((totals.in_parts, totals.stalled), (0, 1));
    }
}
