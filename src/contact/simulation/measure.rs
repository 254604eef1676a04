//! What a state says: motion of bodies, quantities that scenes expect, energies, forces.

use super::{Energies, Motion, Simulation, Touch};
use crate::loops::{Work, each};
use crate::model::Kind;
use crate::real::{M3, V3};
use crate::scene::Quantity;

impl Simulation {
    pub(super) fn body_index(&self, name: &str) -> Option<usize> {
        self.model.bodies.iter().position(|b| b.name == name)
    }

    /// Motion of the body of that name (a plane or fixed body: at rest in its place).
    pub fn body(&self, name: &str) -> Option<Motion> {
        self.body_index(name).map(|b| self.motion(b))
    }

    pub(super) fn motion(&self, b: usize) -> Motion {
        let body = &self.model.bodies[b];
        let mean = |x: &[V3], v: &[V3], m: &[f64]| {
            let range = body.first..body.first + body.count;
            let mass: f64 = m[range.clone()].iter().sum();
            let sum = |list: &[V3]| range.clone().map(|i| list[i] * m[i]).sum::<V3>() / mass;
            Motion {
                position: sum(x),
                velocity: sum(v),
                spin: V3::zeros(),
            }
        };
        match body.kind {
            Kind::Fixed => Motion {
                position: body.pose.0,
                velocity: V3::zeros(),
                spin: V3::zeros(),
            },
            Kind::Rigid => {
                let r = &self.state.rigids[body.first];
                Motion {
                    position: r.x,
                    velocity: r.v,
                    spin: r.w,
                }
            }
            Kind::Deformable | Kind::Cloth => mean(
                &self.state.nodes.x,
                &self.state.nodes.v,
                &self.state.nodes.mass,
            ),
            Kind::Points => mean(
                &self.state.points.x,
                &self.state.points.v,
                &self.state.points.mass,
            ),
        }
    }

    /// A quantity of a body now, measured from when it came in.
    pub fn quantity(
        &self,
        name: &str,
        quantity: Quantity,
        direction: Option<[f64; 3]>,
    ) -> Option<f64> {
        let b = self.body_index(name)?;
        let now = self.motion(b);
        let way = now.position - self.origin[b];
        let up = -self
            .model
            .gravity
            .try_normalize(0.0)
            .unwrap_or_else(|| -V3::z());
        Some(match quantity {
            Quantity::Travel => {
                direction.map_or_else(|| way.norm(), |d| way.dot(&V3::from(d).normalize()))
            }
            Quantity::Drop => -way.dot(&up),
            Quantity::Sideways => (way - up * way.dot(&up)).norm(),
            Quantity::Speed => now.velocity.norm(),
            Quantity::Spin => now.spin.norm(),
            Quantity::Height => now.position.z,
            Quantity::Turn => {
                let body = &self.model.bodies[b];
                if body.kind != Kind::Rigid {
                    return None;
                }
                let turn = self.state.rigids[body.first].q * body.pose.1.inverse();
                let turn = turn.scaled_axis();
                direction.map_or_else(|| turn.norm(), |d| turn.dot(&V3::from(d).normalize()))
            }
        })
    }

    pub(super) fn total_mass(&self) -> f64 {
        let s = &self.state;
        s.rigids.iter().map(|b| b.mass).sum::<f64>()
            + s.nodes.mass.iter().sum::<f64>()
            + s.points.mass.iter().sum::<f64>()
    }

    pub(super) fn energies(&self, out: &mut Energies) {
        let (s, g) = (&self.state, &self.model.gravity);
        for b in &s.rigids {
            let w = b.q.inverse() * b.w;
            out.kinetic +=
                0.5 * b.mass * b.v.norm_squared() + 0.5 * b.inertia.component_mul(&w).dot(&w);
            out.potential -= b.mass * g.dot(&b.x);
        }
        for i in 0..s.nodes.x.len() {
            out.kinetic += 0.5 * s.nodes.mass[i] * s.nodes.v[i].norm_squared();
            out.potential -= s.nodes.mass[i] * g.dot(&s.nodes.x[i]);
        }
        for p in 0..s.points.x.len() {
            out.kinetic += 0.5 * s.points.mass[p] * s.points.v[p].norm_squared();
            out.potential -= s.points.mass[p] * g.dot(&s.points.x[p]);
        }
        for t in &self.model.tets {
            let mut f = M3::zeros();
            for (n, slope) in t.nodes.iter().zip(&t.slopes) {
                f += s.nodes.x[*n as usize] * slope.transpose();
            }
            out.elastic += t.volume * t.material.energy(&f);
        }
        for spring in &self.model.springs {
            let l =
                (s.nodes.x[spring.ends[0] as usize] - s.nodes.x[spring.ends[1] as usize]).norm();
            out.elastic += 0.5 * spring.stiffness * spring.rest * (l / spring.rest - 1.0).powi(2);
        }
        out.elastic += each(Work::Usual, s.points.x.len(), |p| {
            s.points.volume[p] * self.model.materials[p].energy(&s.points.gradient[p])
        })
        .iter()
        .sum::<f64>();
    }

    /// Normal and tangential force between a body and an object at the end of the last step: sums over particles of the parts, N.
    pub fn force_between(&self, body: &str, object: &str) -> (f64, f64) {
        let parts = self
            .touches
            .iter()
            .filter(|t| t.body == body && t.object == object)
            .map(Touch::parts);
        parts.fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1))
    }
}
