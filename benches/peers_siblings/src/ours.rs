//! A setup as a scene of our `contact`.

use crate::setup::{Setup, Shape, World};
use stokeslet_contact::newton::NewtonSettings;
use stokeslet_contact::{Scene, SceneFile, Settings, Simulation};

struct Ours(Simulation);

pub fn start(setup: &Setup) -> Box<dyn World> {
    let mut text = format!(
        "name = 'peer'\nabout = 'a setup'\ntime_step = {}\nduration = 1e6\nfriction = {}\nstiffness = {}\ngravity = {:?}\n",
        setup.step, setup.friction, setup.stiffness, setup.gravity
    );
    text += "plane = [{ name = 'floor', normal = [0, 0, 1] }";
    if setup.has_wall {
        text += ", { name = 'wall', normal = [1, 0, 0] }";
    }
    text += "]\n";
    for (k, body) in setup.bodies.iter().enumerate() {
        let shape = match body.shape {
            Shape::Box(sides) => format!("box = {{ sides = {sides:?} }}"),
            Shape::Ball(radius) => format!("ball = {{ radius = {radius}, level = 4 }}"),
        };
        text += &format!(
            "[[body]]\nname = 'body {k}'\nkind = 'rigid'\nsurface = 'level_set'\nshape = {{ {shape} }}\nmass = {}\nposition = {:?}\n\
             rotation = {:?}\nvelocity = {:?}\n",
            body.mass, body.position, body.rotation, body.velocity
        );
    }
    let scene = Scene::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let settings = Settings {
        newton: NewtonSettings {
            tolerance_factor: 1e-5,
            ..NewtonSettings::default()
        },
        ..Settings::default()
    };
    Box::new(Ours(
        Simulation::new(&scene, &settings).expect("a sound scene starts"),
    ))
}

impl Ours {
    fn rigid(&self, body: usize) -> &stokeslet_contact::state::Rigid {
        &self.0.state().rigids[body]
    }
}

impl World for Ours {
    fn step(&mut self) {
        self.0.step();
    }
    fn position(&self, body: usize) -> [f64; 3] {
        self.rigid(body).x.into()
    }
    fn velocity(&self, body: usize) -> [f64; 3] {
        self.rigid(body).v.into()
    }
    fn spin(&self, body: usize) -> [f64; 3] {
        self.rigid(body).w.into()
    }
    fn kinetic(&self) -> f64 {
        let of = |b: &stokeslet_contact::state::Rigid| {
            let w = b.q.inverse() * b.w;
            0.5 * b.mass * b.v.norm_squared() + 0.5 * b.inertia.component_mul(&w).dot(&w)
        };
        self.0.state().rigids.iter().map(of).sum()
    }
}
