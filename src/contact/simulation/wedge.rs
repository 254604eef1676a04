//! A start in two parts: bodies settle in their wedge, then get the masses that put its threshold where the scene wants it.

use super::{Simulation, StartError};
use crate::model::Kind;
use crate::real::{M3, V3};

impl Simulation {
    /// Settles a wedge: without weight and friction, then with masses that put its threshold where the scene wants it.
    pub(super) fn settle(&mut self) -> Result<(), StartError> {
        let Some(wedge) = self.scene.wedge.clone() else {
            return Ok(());
        };
        let (gravity, mu) = (self.model.gravity, self.model.mu);
        self.model.gravity = V3::zeros();
        self.model.mu = 0.0;
        let held: Vec<usize> = wedge
            .also
            .iter()
            .chain([&wedge.body])
            .chain(&wedge.ball)
            .filter_map(|n| self.body_index(n))
            .collect();
        let others: Vec<usize> = (0..self.model.bodies.len())
            .filter(|b| !held.contains(b))
            .collect();
        let before = self.state.clone();
        let steps = (wedge.settle / self.model.dt).round() as u64;
        for _ in 0..steps {
            self.step();
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
        for b in held {
            let body = &self.model.bodies[b];
            let range = body.first..body.first + body.count;
            match body.kind {
                Kind::Fixed => {}
                Kind::Rigid => {
                    let r = &mut self.state.rigids[body.first];
                    (r.mass, r.inertia, r.v, r.w) = (
                        r.mass * factor,
                        r.inertia * factor,
                        V3::zeros(),
                        V3::zeros(),
                    );
                }
                Kind::Deformable | Kind::Cloth => {
                    for i in range {
                        self.state.nodes.mass[i] *= factor;
                        self.state.nodes.v[i] = V3::zeros();
                    }
                }
                Kind::Points => {
                    for i in range {
                        self.state.points.mass[i] *= factor;
                        self.state.points.v[i] = V3::zeros();
                        self.state.points.affine[i] = M3::zeros();
                    }
                }
            }
        }
        // Bodies outside the wedge start where the scene puts them.
        for b in others {
            let body = &self.model.bodies[b];
            let range = body.first..body.first + body.count;
            match body.kind {
                Kind::Fixed => {}
                Kind::Rigid => self.state.rigids[body.first] = before.rigids[body.first].clone(),
                Kind::Deformable | Kind::Cloth => {
                    self.state.nodes.x[range.clone()]
                        .copy_from_slice(&before.nodes.x[range.clone()]);
                    self.state.nodes.v[range.clone()].copy_from_slice(&before.nodes.v[range]);
                }
                Kind::Points => {
                    for i in range {
                        self.state.points.x[i] = before.points.x[i];
                        self.state.points.v[i] = before.points.v[i];
                        self.state.points.affine[i] = before.points.affine[i];
                        self.state.points.gradient[i] = before.points.gradient[i];
                    }
                }
            }
        }
        self.state.step = 0;
        Ok(())
    }
}
