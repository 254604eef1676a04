//! Bodies on axis-parallel planes, as every engine here can be given them.

/// What a body looks like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A box of these edges, m.
    Box([f64; 3]),
    /// A ball of this radius, m.
    Ball(f64),
}

/// A rigid body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub shape: Shape,
    pub mass: f64,
    pub position: [f64; 3],
    /// Rotation vector.
    pub rotation: [f64; 3],
    pub velocity: [f64; 3],
}

impl Body {
    pub fn new(shape: Shape, mass: f64, position: [f64; 3]) -> Body {
        Body {
            shape,
            mass,
            position,
            rotation: [0.0; 3],
            velocity: [0.0; 3],
        }
    }
}

/// Bodies above the plane z = 0, perhaps beside the plane x = 0.
#[derive(Clone, Debug)]
pub struct Setup {
    pub bodies: Vec<Body>,
    pub has_wall: bool,
    pub gravity: [f64; 3],
    pub friction: f64,
    pub step: f64,
    /// Of our penalty, N/m a contact point; others have none.
    pub stiffness: f64,
    /// The size of a body, m: Rapier's unit of length.
    pub size: f64,
}

/// An engine with a setup in it.
pub trait World {
    fn step(&mut self);
    fn position(&self, body: usize) -> [f64; 3];
    fn velocity(&self, body: usize) -> [f64; 3];
    fn spin(&self, body: usize) -> [f64; 3];
    /// Energy of motion of all bodies, J.
    fn kinetic(&self) -> f64;
}

/// Starts a setup.
pub type Engine = fn(&Setup) -> Box<dyn World>;

/// The engines, by name.
pub const ENGINES: [(&str, Engine); 2] = [
    ("ours", crate::ours::start),
    ("rapier3d", crate::rapier::start),
];

/// The length of a vector.
pub fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
