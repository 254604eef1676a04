//! Broad phase: which particles may reach an object, by boxes around runs of particles that lie together.
//!
//! Boxes around a run, at the start of a step and on trial, are taken into the object's frame, so what is left out is exactly what no particle's own
//! box would let in.

use std::ops::Range;

use crate::loops::{Work, each};
use crate::mesh::bounds;
use crate::model::{Model, Object, Particle, Pose};
use crate::real::V3;

/// Particles of a run at most: those of a body follow each other, row by row where it is a lattice.
const RUN: usize = 128;

/// Rounding of a box that is turned, over its size and distance.
const ROUNDING: f64 = 1e-9;

/// Particles of one body that follow each other.
pub(crate) struct Run {
    pub body: u32,
    pub particles: Range<usize>,
}

/// All particles, in runs.
pub(crate) fn runs(particles: &[Particle]) -> Vec<Run> {
    let mut out = Vec::new();
    let mut first = 0;
    for of_body in particles.chunk_by(|a, b| a.body == b.body) {
        for part in of_body.chunks(RUN) {
            out.push(Run {
                body: part[0].body,
                particles: first..first + part.len(),
            });
            first += part.len();
        }
    }
    out
}

/// A box: its middle and half its sides.
struct Middle {
    x: V3,
    half: V3,
}

impl Middle {
    fn around(points: &[V3]) -> Middle {
        let (low, high) = bounds(points);
        Middle {
            x: (low + high) / 2.0,
            half: (high - low) / 2.0,
        }
    }

    /// Least and greatest coordinates in the frame of a pose.
    fn in_frame(&self, pose: &Pose) -> (V3, V3) {
        let x = pose.r.transpose() * (self.x - pose.x);
        let half = pose.r.transpose().abs() * self.half;
        let half = half + (half + self.x.abs() + pose.x.abs()) * ROUNDING;
        (x - half, x + half)
    }
}

/// Where the runs are at the start of a step and on trial.
pub(crate) struct Broad<'a> {
    runs: &'a [Run],
    boxes: Vec<[Middle; 2]>,
}

impl Broad<'_> {
    pub(crate) fn new<'a>(model: &'a Model, start: &[V3], trial: &[V3]) -> Broad<'a> {
        let runs = &model.runs;
        let around = |k: usize| {
            let of = |at: &[V3]| Middle::around(&at[runs[k].particles.clone()]);
            [of(start), of(trial)]
        };
        Broad {
            runs,
            boxes: each(Work::Heavy, runs.len(), around),
        }
    }

    /// The particles of runs that may touch `object` and may come between `low` and `high` of its frame, ascending; `poses` at the start and on trial.
    /// `is_held` tells of a range of particles whether any is attached to it.
    pub(crate) fn reaching(
        &self,
        object: &Object,
        poses: [&Pose; 2],
        (low, high): (V3, V3),
        is_held: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<u32> {
        let mut out = Vec::new();
        for (run, boxes) in self.runs.iter().zip(&self.boxes) {
            if object.body == run.body && !object.self_contact {
                continue;
            }
            let [(l0, h0), (l1, h1)] = [0, 1].map(|k| boxes[k].in_frame(poses[k]));
            let (l, h) = (l0.inf(&l1), h0.sup(&h1));
            if (0..3).any(|i| h[i] < low[i] || l[i] > high[i]) && !is_held(&run.particles) {
                continue;
            }
            out.extend(run.particles.start as u32..run.particles.end as u32);
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
        for _ in 0..200 {
            let pose = |random: &mut Random| Pose {
                x: random.vector() * 4.0,
                r: Rotation3::new(random.vector() * 2.0).into_inner(),
            };
            let poses = [pose(&mut random), pose(&mut random)];
            let centres: Vec<V3> = model.runs.iter().map(|_| random.vector() * 4.0).collect();
            let near = |random: &mut Random| -> Vec<V3> {
                let of_run = |(run, x): (&Run, &V3)| -> Vec<V3> {
                    let near = run.particles.clone();
                    near.map(|_| x + random.vector() * 0.3).collect()
                };
                model.runs.iter().zip(&centres).flat_map(of_run).collect()
            };
            let (start, trial) = (near(&mut random), near(&mut random));
            let high = random.vector().abs() * 0.5;
            let broad = Broad::new(model, &start, &trial);
            let held = 3..4;
            let is_held = |run: &Range<usize>| run.contains(&held.start);
            let found = broad.reaching(object, [&poses[0], &poses[1]], (-high, high), is_held);
            assert!(found.is_sorted() && found.contains(&3));
            for (p, particle) in model.particles.iter().enumerate() {
                let path = [(&poses[0], start[p]), (&poses[1], trial[p])];
                let [a, b] = path.map(|(pose, x)| pose.r.transpose() * (x - pose.x));
                let reaches =
                    (0..3).all(|i| a[i].min(b[i]) <= high[i] && a[i].max(b[i]) >= -high[i]);
                let may = reaches && particle.body != object.body;
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
