//! A scene of ours in Salva, with Rapier for its body: the same particles at the start, walls as one layer of boundary particles.

use super::Water;
use rapier2d::prelude::*;
use salva2d::integrations::rapier::{ColliderSampling, FluidsPipeline};
use salva2d::object::{Boundary, Fluid, FluidHandle};
use salva2d::solver::ArtificialViscosity;
use stokeslet_particles::simulation::Snapshot;
use stokeslet_particles::{Scene, Settings, Simulation};

pub(super) struct Salva {
    gravity: Vector<f32>,
    fluids: FluidsPipeline,
    fluid: FluidHandle,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad: BroadPhase,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibodies: MultibodyJointSet,
    ccd: CCDSolver,
    body: Option<RigidBodyHandle>,
    /// As it started; what moves is put in anew.
    start: Snapshot,
}

fn point(x: &[f64; 3]) -> Point<f32> {
    Point::new(x[0] as f32, x[1] as f32)
}

impl Salva {
    pub(super) fn new(scene: &Scene, viscosity: f32) -> Salva {
        let start = Simulation::new(scene, &Settings::default())
            .expect("a sound scene")
            .snapshot();
        let l = scene.spacing;
        let mut fluids = FluidsPipeline::new(l as f32 / 2.0, 2.0);
        let mut fluid = Fluid::new(
            start.fluid.iter().map(point).collect(),
            l as f32 / 2.0,
            scene.fluid_density as f32,
        );
        if viscosity > 0.0 {
            let force = ArtificialViscosity::new(viscosity, 0.0);
            fluid.nonpressure_forces.push(Box::new(force));
        }
        let fluid = fluids.liquid_world.add_fluid(fluid);
        // The layer of walls next to what they hold.
        let tank = &scene.tank[0];
        let out = |x: &[f64; 3]| {
            let beyond = |k: usize| {
                (tank.min[k] - x[k])
                    .max(x[k] - tank.min[k] - (tank.size[k] / l).round() * l)
                    .max(0.0)
            };
            beyond(0).max(if x[1] < tank.min[1] { beyond(1) } else { 0.0 })
        };
        let layer = start.walls.iter().filter(|x| out(x) < 0.75 * l);
        let walls = layer.map(point).collect();
        fluids.liquid_world.add_boundary(Boundary::new(walls));
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let mut body = None;
        if let Some(first) = start.bodies.first() {
            let shape = &scene.body[0].boxes[0];
            let half = [0, 1].map(|k| ((shape.size[k] / l).round() * l / 2.0) as f32);
            let handle = bodies.insert(
                RigidBodyBuilder::dynamic()
                    .translation(point(&first.centre).coords)
                    .can_sleep(false),
            );
            let collider = colliders.insert_with_parent(
                ColliderBuilder::cuboid(half[0], half[1])
                    .density(scene.body[0].density as f32)
                    .friction(0.0),
                handle,
                &mut bodies,
            );
            let local: Vec<Point<f32>> = first
                .particles
                .iter()
                .map(|x| [x[0] - first.centre[0], x[1] - first.centre[1], 0.0])
                .filter(|x| {
                    let deep = |k: usize| f64::from(half[k]) - x[k].abs();
                    deep(0).min(deep(1)) < 0.75 * l
                })
                .map(|x| point(&x))
                .collect();
            let boundary = fluids.liquid_world.add_boundary(Boundary::new(Vec::new()));
            fluids.coupling.register_coupling(
                boundary,
                collider,
                ColliderSampling::StaticSampling(local),
            );
            // Walls for the body.
            let [w, h] = [0, 1].map(|k| tank.size[k] as f32);
            for (x, y, a, b) in [
                (w / 2.0, -0.5, w, 0.5),
                (-0.5, h / 2.0, 0.5, h),
                (w + 0.5, h / 2.0, 0.5, h),
            ] {
                let slab = ColliderBuilder::cuboid(a, b).translation(vector![x, y]);
                colliders.insert(slab.friction(0.0));
            }
            body = Some(handle);
        }
        Salva {
            gravity: vector![scene.gravity[0] as f32, scene.gravity[1] as f32],
            fluids,
            fluid,
            parameters: IntegrationParameters {
                dt: scene.step as f32,
                ..IntegrationParameters::default()
            },
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad: BroadPhase::new(),
            narrow: NarrowPhase::new(),
            bodies,
            colliders,
            joints: ImpulseJointSet::new(),
            multibodies: MultibodyJointSet::new(),
            ccd: CCDSolver::new(),
            body,
            start,
        }
    }
}

impl Water for Salva {
    fn step(&mut self) {
        self.fluids.step(
            &self.gravity,
            self.parameters.dt,
            &self.colliders,
            &mut self.bodies,
        );
        self.pipeline.step(
            &self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibodies,
            &mut self.ccd,
            None,
            &(),
            &(),
        );
    }

    fn snapshot(&self) -> Snapshot {
        let mut out = self.start.clone();
        let fluid = self.fluids.liquid_world.fluids().get(self.fluid);
        let fluid = fluid.expect("it was put in");
        let three = |x: f32, y: f32| [f64::from(x), f64::from(y), 0.0];
        out.fluid = fluid.positions.iter().map(|p| three(p.x, p.y)).collect();
        out.velocity = fluid.velocities.iter().map(|v| three(v.x, v.y)).collect();
        if let Some(handle) = self.body {
            let pose = self.bodies[handle].position();
            let at = &self.start.bodies[0];
            let body = &mut out.bodies[0];
            let moved = |x: &[f64; 3]| {
                let local = point(&[x[0] - at.centre[0], x[1] - at.centre[1], 0.0]);
                let p = pose * local;
                three(p.x, p.y)
            };
            body.particles = at.particles.iter().map(moved).collect();
            body.centre = moved(&at.centre);
        }
        out
    }

    fn body_velocity(&self) -> [f64; 2] {
        let handle = self.body.expect("a scene with a body");
        let v = self.bodies[handle].linvel();
        [f64::from(v.x), f64::from(v.y)]
    }
}
