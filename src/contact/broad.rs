//! Broad phase: which particles may reach an object, by boxes around runs of particles that lie together.
//!
//! Boxes around a run, at the start of a step and on trial, are taken into the object's frame: nothing is left out that a particle's own box would
//! let in.

use crate::loops::{Work, each};
use crate::mesh::bounds;
use crate::model::{Model, Object, Pose, Run};
use crate::real::V3;

/// Rounding of a box that is turned, over its size and distance.
const ROUNDING: f64 = 1e-9;

/// The box around a run: its middle and half its sides.
pub(crate) struct RunBox {
    x: V3,
    half: V3,
}

impl RunBox {
    fn around(points: &[V3]) -> RunBox {
        let (low, high) = match points.iter().all(|x| x.iter().all(|x| x.is_finite())) {
            true => bounds(points),
            false => [V3::repeat(f64::NAN); 2].into(), // on no side of anything: let in
        };
        RunBox {
            x: (low + high) / 2.0,
            half: (high - low) / 2.0,
        }
    }

    /// Least and greatest coordinates in the frame of a pose.
    fn in_frame(&self, pose: &Pose) -> (V3, V3) {
        let x = pose.r.transpose() * (self.x - pose.x);
        let half = pose.r.transpose().abs() * self.half;
        let largest = half.amax() + self.x.amax() + pose.x.amax();
        let half = half.add_scalar(largest * ROUNDING);
        (x - half, x + half)
    }
}

/// Boxes around the runs of particles that are here.
pub(crate) fn run_boxes(model: &Model, particles: &[V3]) -> Vec<RunBox> {
    let around = |k: usize| RunBox::around(&particles[model.runs[k].particles.clone()]);
    each(Work::Heavy, model.runs.len(), around)
}

/// Where the runs are at the start of a step and on trial.
pub(crate) struct Broad<'a> {
    runs: &'a [Run],
    start: &'a [RunBox],
    trial: Vec<RunBox>,
}

impl<'a> Broad<'a> {
    /// Runs that were in the boxes `start`, with particles on trial.
    pub(crate) fn new(model: &'a Model, start: &'a [RunBox], trial: &[V3]) -> Broad<'a> {
        Broad {
            runs: &model.runs,
            start,
            trial: run_boxes(model, trial),
        }
    }

    /// The particles of runs that may touch `object` and may be between `low` and `high` of its frame, ascending: on trial, where its pose is `trial`, and on the way
    /// from the `start` if that is given.
    pub(crate) fn reaching(
        &self,
        object: &Object,
        start: Option<&Pose>,
        trial: &Pose,
        (low, high): (V3, V3),
    ) -> Vec<u32> {
        let mut out = Vec::new();
        for (k, run) in self.runs.iter().enumerate() {
            if object.body == run.body && !object.self_contact {
                continue;
            }
            let at_end = self.trial[k].in_frame(trial);
            let at_start = start.map_or(at_end, |pose| self.start[k].in_frame(pose));
            let boxes = [at_start, at_end];
            let is_apart = |i: usize| {
                let is_below = boxes.iter().all(|(_, h)| h[i] < low[i]);
                is_below || boxes.iter().all(|(l, _)| l[i] > high[i])
            };
            if !(0..3).any(is_apart) {
                out.extend(run.particles.start as u32..run.particles.end as u32);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::{Settings, Simulation, scenes};
    use nalgebra::Rotation3;

    /// Boxes that turn on their way between runs that move: whatever a particle's own box would let in is there.
    #[test]
    fn no_particle_that_reaches_a_box_is_left_out() {
        let scene = scenes::find("bowl").expect("built in").scene();
        let simulation = Simulation::new(&scene, &Settings::default()).expect("a sound scene");
        let model = simulation.model();
        let object = &model.objects[0];
        let mut random = Random::new(41);
        let (mut all, mut let_in) = (0, 0);
        for round in 0..200 {
            // Half of them far from the origin, where rounding is a box's own size.
            let far = V3::repeat(if round % 2 == 0 { 0.0 } else { 1e8 });
            let pose = |random: &mut Random| Pose {
                x: far + random.vector() * 4.0,
                r: Rotation3::new(random.vector() * 2.0).into_inner(),
            };
            let poses = [pose(&mut random), pose(&mut random)];
            let centres: Vec<V3> = model
                .runs
                .iter()
                .map(|_| far + random.vector() * 4.0)
                .collect();
            let near = |random: &mut Random| -> Vec<V3> {
                let of_run = |(run, x): (&Run, &V3)| -> Vec<V3> {
                    let near = run.particles.clone();
                    near.map(|_| x + random.vector() * 0.3).collect()
                };
                model.runs.iter().zip(&centres).flat_map(of_run).collect()
            };
            let (mut start, mut trial) = (near(&mut random), near(&mut random));
            start[90].y = f64::NAN;
            trial[400].x = f64::INFINITY;
            let high = random.vector().abs() * 0.5;
            let before = run_boxes(model, &start);
            let broad = Broad::new(model, &before, &trial);
            let bounds = (-high, high);
            let found = broad.reaching(object, Some(&poses[0]), &poses[1], bounds);
            assert!(found.is_sorted());
            for (p, particle) in model.particles.iter().enumerate() {
                let path = [(&poses[0], start[p]), (&poses[1], trial[p])];
                let [a, b] = path.map(|(pose, x)| pose.r.transpose() * (x - pose.x));
                let is_apart = |i: usize| a[i].min(b[i]) > high[i] || a[i].max(b[i]) < -high[i];
                let may = !(0..3).any(is_apart) && particle.body != object.body;
                assert!(
                    !may || found.binary_search(&(p as u32)).is_ok(),
                    "particle {p}"
                );
            }
            all += model.particles.len();
            let_in += found.len();
        }
        assert!(let_in > 0 && let_in < all / 2, "{let_in} of {all} let in");
    }
}
