//! A setup in Rapier, with its defaults but for the unit of length (its own advice for small bodies) and sleeping, which would hide creep.

use crate::setup::{Setup, Shape, World};
use rapier3d::prelude::*;

struct Peer {
    gravity: Vector,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibodies: MultibodyJointSet,
    soft: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

pub fn start(setup: &Setup) -> Box<dyn World> {
    let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
    let mu = setup.friction as f32;
    let slab = |half: [f64; 3], at: [f64; 3]| {
        ColliderBuilder::cuboid(half[0] as f32, half[1] as f32, half[2] as f32)
            .translation(vector(at))
            .friction(mu)
            .restitution(0.0)
    };
    colliders.insert(slab([20.0, 20.0, 1.0], [0.0, 0.0, -1.0]));
    if setup.has_wall {
        colliders.insert(slab([1.0, 20.0, 20.0], [-1.0, 0.0, 0.0]));
    }
    let mut handles = Vec::new();
    for body in &setup.bodies {
        let built = RigidBodyBuilder::dynamic()
            .translation(vector(body.position))
            .rotation(vector(body.rotation))
            .linvel(vector(body.velocity))
            .can_sleep(false);
        let handle = bodies.insert(built);
        let shape = match body.shape {
            Shape::Box([a, b, c]) => {
                ColliderBuilder::cuboid(a as f32 / 2.0, b as f32 / 2.0, c as f32 / 2.0)
            }
            Shape::Ball(radius) => ColliderBuilder::ball(radius as f32),
        };
        let collider = shape.mass(body.mass as f32).friction(mu).restitution(0.0);
        colliders.insert_with_parent(collider, handle, &mut bodies);
        handles.push(handle);
    }
    let parameters = IntegrationParameters {
        dt: setup.step as f32,
        length_unit: setup.size as f32,
        ..IntegrationParameters::default()
    };
    Box::new(Peer {
        gravity: vector(setup.gravity),
        parameters,
        pipeline: PhysicsPipeline::new(),
        islands: IslandManager::new(),
        broad: BroadPhaseBvh::new(),
        narrow: NarrowPhase::new(),
        bodies,
        colliders,
        joints: ImpulseJointSet::new(),
        multibodies: MultibodyJointSet::new(),
        soft: SoftBodySet::default(),
        ccd: CCDSolver::new(),
        handles,
    })
}

impl Peer {
    fn body(&self, k: usize) -> &RigidBody {
        &self.bodies[self.handles[k]]
    }
}

fn array(v: Vector) -> [f64; 3] {
    [v.x, v.y, v.z].map(f64::from)
}

impl World for Peer {
    fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibodies,
            &mut self.soft,
            &mut self.ccd,
            &(),
            &(),
        );
    }
    fn position(&self, body: usize) -> [f64; 3] {
        array(self.body(body).translation())
    }
    fn velocity(&self, body: usize) -> [f64; 3] {
        array(self.body(body).linvel())
    }
    fn spin(&self, body: usize) -> [f64; 3] {
        array(self.body(body).angvel())
    }
    fn kinetic(&self) -> f64 {
        let all = self.handles.iter();
        all.map(|h| f64::from(self.bodies[*h].kinetic_energy()))
            .sum()
    }
}
