//! A start in two parts: bodies settle in their wedge, then get the masses that put its threshold where the scene wants it.

use super::{Simulation, StartError};
use crate::model::Kind;
use crate::real::{M3, V3};
use crate::scene::Wedge;
use crate::state::State;

impl Simulation {
    /// Settles a wedge: without weight and friction, then with masses that put its threshold where the scene wants it.
    pub(super) fn settle(&mut self) -> Result<(), StartError> {
        let Some(wedge) = self.scene.wedge.clone() else {
            return Ok(());
        };
        let (gravity, mu) = (self.model.gravity, self.model.mu);
        self.model.gravity = V3::zeros();
        self.model.mu = 0.0;
        let numbers = |names: &mut dyn Iterator<Item = &String>| -> Vec<usize> {
            names.filter_map(|n| self.body_index(n)).collect()
        };
        let held = numbers(&mut [&wedge.body].into_iter().chain(&wedge.ball));
        let also = numbers(&mut wedge.also.iter());
        let before = self.state.clone();
        let steps = (wedge.settle / self.model.dt).round() as u64;
        for _ in 0..steps {
            self.advance();
        }
        let force = self.force_between(&wedge.body, &wedge.wall).0;
        if force <= 0.0 {
            return Err(StartError::LooseWedge {
                body: wedge.body,
                wall: wedge.wall,
                force,
            });
        }
        let weigh = |name: &String| {
            self.scene
                .body
                .iter()
                .find(|b| b.name == *name)
                .map_or(0.0, |b| b.mass)
        };
        let carried = match &wedge.ball {
            Some(ball) => weigh(&wedge.body) + 0.5 * weigh(ball),
            None => 0.5 * weigh(&wedge.body),
        };
        let factor = wedge.threshold * force / (gravity.norm() * carried);
        self.model.gravity = gravity;
        self.model.mu = mu;
        for b in 0..self.model.bodies.len() {
            let is_held = held.contains(&b);
            if !is_held {
                self.start_again(b, &before);
            }
            if is_held || also.contains(&b) {
                self.weigh(b, factor);
            }
            if is_held {
                self.halt(b);
            }
        }
        self.state.step = 0;
        Ok(())
    }

    /// What a settled wedge's masses are of those in the scene.
    pub(super) fn mass_factor(&self, wedge: &Wedge) -> f64 {
        let spec = self.scene.body.iter().find(|b| b.name == wedge.body);
        let now = self.body_index(&wedge.body).map_or(0.0, |b| self.mass(b));
        spec.map_or(1.0, |spec| now / spec.mass)
    }

    fn mass(&self, b: usize) -> f64 {
        let body = &self.model.bodies[b];
        let range = body.first..body.first + body.count;
        match body.kind {
            Kind::Fixed => 0.0,
            Kind::Rigid => self.state.rigids[body.first].mass,
            Kind::Deformable | Kind::Cloth => self.state.nodes.mass[range].iter().sum(),
            Kind::Points => self.state.points.mass[range].iter().sum(),
        }
    }

    /// A body's masses times `factor`.
    pub(super) fn weigh(&mut self, b: usize, factor: f64) {
        let body = &self.model.bodies[b];
        let range = body.first..body.first + body.count;
        let times = |masses: &mut [f64]| masses.iter_mut().for_each(|m| *m *= factor);
        match body.kind {
            Kind::Fixed => {}
            Kind::Rigid => {
                let r = &mut self.state.rigids[body.first];
                (r.mass, r.inertia) = (r.mass * factor, r.inertia * factor);
            }
            Kind::Deformable | Kind::Cloth => times(&mut self.state.nodes.mass[range]),
            Kind::Points => times(&mut self.state.points.mass[range]),
        }
    }

    /// A body at rest where it is.
    fn halt(&mut self, b: usize) {
        let body = &self.model.bodies[b];
        let range = body.first..body.first + body.count;
        match body.kind {
            Kind::Fixed => {}
            Kind::Rigid => {
                let r = &mut self.state.rigids[body.first];
                (r.v, r.w) = (V3::zeros(), V3::zeros());
            }
            Kind::Deformable | Kind::Cloth => self.state.nodes.v[range].fill(V3::zeros()),
            Kind::Points => {
                self.state.points.v[range.clone()].fill(V3::zeros());
                self.state.points.affine[range].fill(M3::zeros());
            }
        }
    }

    /// A body where the scene puts it.
    fn start_again(&mut self, b: usize, before: &State) {
        let body = &self.model.bodies[b];
        let range = body.first..body.first + body.count;
        match body.kind {
            Kind::Fixed => {}
            Kind::Rigid => self.state.rigids[body.first] = before.rigids[body.first].clone(),
            Kind::Deformable | Kind::Cloth => {
                let (nodes, was) = (&mut self.state.nodes, &before.nodes);
                nodes.x[range.clone()].copy_from_slice(&was.x[range.clone()]);
                nodes.v[range.clone()].copy_from_slice(&was.v[range]);
            }
            Kind::Points => {
                let (points, was) = (&mut self.state.points, &before.points);
                points.x[range.clone()].copy_from_slice(&was.x[range.clone()]);
                points.v[range.clone()].copy_from_slice(&was.v[range.clone()]);
                points.affine[range.clone()].copy_from_slice(&was.affine[range.clone()]);
                points.gradient[range.clone()].copy_from_slice(&was.gradient[range]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Settings;
    use crate::{Scene, SceneFile, scenes};

    /// Without weight, or of what never moves, a wedge's masses would be endless.
    #[test]
    fn a_wedge_needs_weight_and_a_body_that_moves() {
        let text = scenes::find("wdg_rr").expect("a scene").toml;
        let floating = format!("gravity = [0, 0, 0]\n{text}");
        let walled = text.replace("body = \"block\"\nwall", "body = \"left\"\nwall");
        for (text, says) in [(floating, "`gravity`"), (walled, "`wedge.body`")] {
            let error = Scene::parse(&text).expect_err(says).to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    /// A body beside a wedge whose mass follows it starts where and as fast as its scene says, also when it comes in later.
    #[test]
    fn what_is_weighed_beside_a_wedge_keeps_its_start() {
        let text = scenes::find("wdg_dr_r").expect("a scene").toml;
        for (from, steps) in [("", 0), ("from = 0.05", 6)] {
            let start = format!("velocity = [0, 0, 4.605]\n{from}");
            let scene = Scene::parse(&text.replace("from = 1.0", &start)).expect("a scene");
            let mut simulation = Simulation::new(&scene, &Settings::default()).expect("starts");
            let mut resumed = None;
            for k in 0..steps {
                assert!(simulation.body("heavy").is_none(), "{k}");
                simulation.step();
                resumed.get_or_insert_with(|| simulation.checkpoint());
            }
            let mass = |s: &Simulation, k: usize| s.state().rigids[k].mass;
            let ratio = mass(&simulation, 1) / mass(&simulation, 0);
            assert!((ratio - 10.0).abs() < 1e-9, "by the same factor: {ratio}");
            assert!((mass(&simulation, 0) - 0.01).abs() > 1e-6, "which isn't 1");
            let heavy = simulation.body("heavy").expect("a body");
            let fallen = steps.min(1) as f64 * 0.01;
            assert!((heavy.velocity.z - (4.605 - 9.81 * fallen)).abs() < 1e-6);
            if let Some(checkpoint) = resumed {
                let mut again = Simulation::resume(&checkpoint).expect("the same scene");
                (1..steps).for_each(|_| _ = again.step());
                assert_eq!(
                    again.state(),
                    simulation.state(),
                    "the mass is not kept anywhere else"
                );
            } else {
                assert_eq!(heavy.position, V3::new(0.0, 0.0, 0.5));
            }
        }
    }
}
