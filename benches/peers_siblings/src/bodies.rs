//! Rigid bodies with friction: thresholds, creep, energy, seconds a step.

use crate::row;
use crate::setup::{Body, ENGINES, Engine, Setup, Shape, World, length};
use cpu_time::ProcessTime;

/// The studies by name.
pub const STUDIES: [(&str, fn()); 6] = [
    ("slope", slope),
    ("thrown", thrown),
    ("topple", topple),
    ("stack", stack),
    ("pyramid", pyramid),
    ("ladder", ladder),
];

const G: f64 = 9.81;
const TAN: f64 = 0.11;

/// Gravity on a slope of 0.11, downhill along x.
fn downhill() -> [f64; 3] {
    let cos = 1.0 / (1.0 + TAN * TAN).sqrt();
    [G * TAN * cos, 0.0, -G * cos]
}

fn run(world: &mut dyn World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

/// Seconds of a step, by many.
fn timed(scene: &str, name: &str, world: &mut dyn World, steps: usize) {
    let begin = ProcessTime::now();
    run(world, steps);
    let seconds = begin.elapsed().as_secs_f64() / steps as f64;
    row(scene, name, "seconds a step", None, seconds, "s");
}

/// The value between one that holds and one that fails where it changes, to a two-thousandth of their distance; none if either is wrong.
fn bisect(mut holding: f64, mut failing: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if !holds(holding) || holds(failing) {
        return f64::NAN;
    }
    for _ in 0..11 {
        let middle = 0.5 * (holding + failing);
        *(if holds(middle) {
            &mut holding
        } else {
            &mut failing
        }) = middle;
    }
    0.5 * (holding + failing)
}

fn threshold(scene: &str, name: &str, exact: f64, found: f64) {
    row(scene, name, "threshold", Some(exact), found, "");
    let error = 100.0 * (found / exact - 1.0);
    row(scene, name, "its error", None, error, "%");
}

/// A cube of a tenth of a metre on the floor.
fn cube(friction: f64, velocity: f64) -> Setup {
    let (mass, stiffness) = (0.04, 1e3);
    let sunk = mass * 9.751 / 4.0 / stiffness;
    let mut body = Body::new(Shape::Box([0.1; 3]), mass, [0.0, 0.0, 0.05 - sunk]);
    body.velocity = [velocity, 0.0, 0.0];
    Setup {
        bodies: vec![body],
        has_wall: false,
        gravity: downhill(),
        friction,
        step: 1e-3,
        stiffness,
        size: 0.1,
    }
}

fn slope() {
    for (name, engine) in ENGINES {
        let holds = |mu: f64| {
            let mut world = engine(&cube(mu, 0.0));
            run(&mut *world, 1000);
            let half = world.position(0)[0];
            run(&mut *world, 1000);
            // A thousandth of the slope too little friction would make this way.
            world.position(0)[0] - half < 0.1 * 1.5 * G * 1e-3 * TAN
        };
        threshold("slope", name, TAN, bisect(0.13, 0.09, holds));
        let mut world = engine(&cube(0.1, 0.1));
        run(&mut *world, 600);
        let cos = 1.0 / (1.0 + TAN * TAN).sqrt();
        let exact = 0.06 + 0.5 * G * cos * (TAN - 0.1) * 0.36;
        let way = world.position(0)[0];
        row(
            "slope",
            name,
            "way of a sliding cube after .6 s",
            Some(exact),
            way,
            "m",
        );
        let mut world = engine(&cube(0.125, 0.1));
        run(&mut *world, 3000);
        let exact = 0.01 / (2.0 * G * cos * (0.125 - TAN));
        let way = world.position(0)[0];
        row(
            "slope",
            name,
            "way of a stopping cube",
            Some(exact),
            way,
            "m",
        );
        let start = world.position(0);
        timed("slope", name, &mut *world, 10_000);
        let end = world.position(0);
        let creep = length([0, 1, 2].map(|k| end[k] - start[k])) / 0.1;
        row(
            "slope",
            name,
            "creep at rest in 10,000 steps",
            Some(0.0),
            creep,
            "sides",
        );
        row(
            "slope",
            name,
            "energy of motion at rest",
            Some(0.0),
            world.kinetic(),
            "J",
        );
    }
}

/// A ball thrown flat on to the floor without spin: it slips, then rolls with 5/7 of its speed.
fn thrown() {
    for (name, engine) in ENGINES {
        let (radius, mass, stiffness, mu) = (0.1, 0.002, 10.0, 0.2);
        let h = 0.1 / 26.0;
        let sunk = h * (mass * G / (std::f64::consts::PI * stiffness * radius)).sqrt();
        let mut ball = Body::new(Shape::Ball(radius), mass, [0.0, 0.0, radius - sunk]);
        ball.velocity = [1.0, 0.0, 0.0];
        let setup = Setup {
            bodies: vec![ball],
            has_wall: false,
            gravity: [0.0, 0.0, -G],
            friction: mu,
            step: 1e-3,
            stiffness,
            size: 0.2,
        };
        let mut world = engine(&setup);
        // Slips for 2 v / (7 mu g) = .146 s.
        let slips = 2.0 / 7.0 / mu / G;
        let mut rolls_at = f64::NAN;
        for step in 1..=500 {
            world.step();
            let ratio = world.spin(0)[1] * radius / world.velocity(0)[0];
            if rolls_at.is_nan() && ratio > 0.99 {
                rolls_at = f64::from(step) * 1e-3;
            }
        }
        row("thrown", name, "rolls after", Some(slips), rolls_at, "s");
        let speed = world.velocity(0)[0];
        row(
            "thrown",
            name,
            "speed of rolling",
            Some(5.0 / 7.0),
            speed,
            "m/s",
        );
        let way = 0.5 * 5.0 / 7.0 + slips * (1.0 - 5.0 / 7.0) / 2.0;
        let found = world.position(0)[0];
        row("thrown", name, "way after .5 s", Some(way), found, "m");
        timed("thrown", name, &mut *world, 1000);
    }
}

fn topple() {
    for (name, engine) in ENGINES {
        let stands = |ratio: f64| {
            let mut setup = cube(0.9, 0.0);
            setup.bodies[0].shape = Shape::Box([0.1 * ratio, 0.1 * ratio, 0.1]);
            setup.stiffness = 1e5;
            setup.bodies[0].position[2] = 0.05 - 1e-6;
            let mut world = engine(&setup);
            run(&mut *world, 4000);
            world.position(0)[2] > 0.04
        };
        threshold("topple", name, TAN, bisect(0.15, 0.09, stands));
    }
}

fn stack() {
    for (name, engine) in ENGINES {
        let mut bodies = Vec::new();
        let (mut side, mut z) = (0.1_f64, 0.0);
        for k in 0..5 {
            let mass = 1000.0 * side.powi(3);
            let mut body = Body::new(Shape::Box([side; 3]), mass, [0.0, 0.0, z + side / 2.0]);
            let turn = 2.4 * f64::from(k);
            body.velocity = [0.02 * turn.cos(), 0.02 * turn.sin(), 0.0];
            bodies.push(body);
            z += side;
            side *= 0.95;
        }
        let setup = Setup {
            bodies,
            has_wall: false,
            gravity: [0.0, 0.0, -G],
            friction: 0.3,
            step: 0.01,
            stiffness: 1e6,
            size: 0.1,
        };
        let mut world = engine(&setup);
        run(&mut *world, 1000);
        let places = |w: &dyn World| -> Vec<[f64; 3]> { (0..5).map(|k| w.position(k)).collect() };
        let start = places(&*world);
        timed("stack", name, &mut *world, 10_000);
        let ways = places(&*world)
            .into_iter()
            .zip(&start)
            .map(|(a, b)| length([0, 1, 2].map(|k| a[k] - b[k])));
        let drift = ways.fold(0.0, f64::max) / 0.1;
        row(
            "stack",
            name,
            "drift at rest in 10,000 frames",
            Some(0.0),
            drift,
            "sides",
        );
        row(
            "stack",
            name,
            "energy of motion at rest",
            Some(0.0),
            world.kinetic(),
            "J",
        );
        let top = world.position(4)[2];
        row(
            "stack",
            name,
            "sideways of the top box",
            None,
            world.position(4)[0].hypot(world.position(4)[1]),
            "m",
        );
        row(
            "stack",
            name,
            "height of the top box",
            Some(0.4117127),
            top,
            "m",
        );
    }
}

/// Three balls that carry one of three times their radius and mass.
fn pyramid() {
    let build = |mu: f64| {
        let (r, big, gap) = (0.1, 0.3, 0.001);
        let apart = (2.0 * r + gap) / 3f64.sqrt();
        let up = ((r + big) * (r + big) - apart * apart).sqrt();
        let mut bodies: Vec<Body> = (0..3)
            .map(|k| {
                let turn = std::f64::consts::TAU * f64::from(k) / 3.0;
                let at = [apart * turn.cos(), apart * turn.sin(), r - 1e-4];
                let mut body = Body::new(Shape::Ball(r), 0.0042, at);
                body.rotation = [0.3 + turn, 0.5, 0.2];
                body
            })
            .collect();
        bodies.push(Body::new(
            Shape::Ball(big),
            0.0126,
            [0.0, 0.0, r + up - 2e-4],
        ));
        Setup {
            bodies,
            has_wall: false,
            gravity: [0.0, 0.0, -G],
            friction: mu,
            step: 0.002,
            stiffness: 1e3,
            size: 0.2,
        }
    };
    let sin: f64 = 0.201 / (3f64.sqrt() * 0.4);
    let exact = (sin.asin() / 2.0).tan();
    for (name, engine) in ENGINES {
        let drop = |mu: f64, seconds: f64| {
            let mut world = engine(&build(mu));
            let start = world.position(3)[2];
            run(&mut *world, (seconds / 0.002) as usize);
            start - world.position(3)[2]
        };
        let holds = |mu: f64| drop(mu, 4.0) < 0.03 * 0.3;
        threshold("pyramid", name, exact, bisect(0.25, 0.05, holds));
        for mu in [0.05, 0.14, 0.16, 0.2] {
            let what = format!("drop of the top ball in 4 s at friction {mu}");
            row("pyramid", name, &what, None, drop(mu, 4.0), "m");
        }
        let mut world = engine(&build(0.2));
        run(&mut *world, 2500);
        let start = world.position(3)[2];
        timed("pyramid", name, &mut *world, 2500);
        let creep = (start - world.position(3)[2]) / 0.3;
        row(
            "pyramid",
            name,
            "drop from 5 to 10 s at friction .2",
            Some(0.0),
            creep,
            "radii",
        );
    }
}

/// A thin board that leans on a wall, friction at both ends.
fn ladder() {
    let (long, thick, wide) = (1.0_f64, 0.02, 0.2);
    let angle = 60f64.to_radians();
    // From the wall at x = 0 down to the floor: turned about y so that its length points up and to the wall.
    let (s, c) = angle.sin_cos();
    let corner = |a: f64, b: f64| {
        [
            -a * c * long / 2.0 + b * s * thick / 2.0,
            a * s * long / 2.0 + b * c * thick / 2.0,
        ]
    };
    let corners = [
        corner(1.0, 1.0),
        corner(1.0, -1.0),
        corner(-1.0, 1.0),
        corner(-1.0, -1.0),
    ];
    let left = corners.iter().copied().min_by(|a, b| a[0].total_cmp(&b[0]));
    let low = corners.iter().copied().min_by(|a, b| a[1].total_cmp(&b[1]));
    let (left, low) = (left.expect("four corners"), low.expect("four corners"));
    // Its middle: the corner farthest left touches the wall, the lowest one the floor.
    let middle = [-left[0], -low[1]];
    let (foot, high) = (middle[0] + low[0], middle[1] + left[1]);
    // (foot - x) - mu high - mu^2 x = 0, x the middle's distance from the wall.
    let x = middle[0];
    let exact = (-high + (high * high + 4.0 * x * (foot - x)).sqrt()) / (2.0 * x);
    let build = |mu: f64| {
        let mut body = Body::new(
            Shape::Box([long, wide, thick]),
            1.0,
            [middle[0] - 1e-5, 0.0, middle[1] - 1e-5],
        );
        // Turned about y by this, the box's x axis points up and away from the floor's foot.
        body.rotation = [0.0, angle - std::f64::consts::PI, 0.0];
        Setup {
            bodies: vec![body],
            has_wall: true,
            gravity: [0.0, 0.0, -G],
            friction: mu,
            step: 1e-3,
            stiffness: 3e5,
            size: 1.0,
        }
    };
    for (name, engine) in ENGINES {
        let engine: Engine = engine;
        let stands = |mu: f64| {
            let mut world = engine(&build(mu));
            run(&mut *world, 3000);
            world.position(0)[2] > 0.9 * middle[1]
        };
        threshold("ladder", name, exact, bisect(0.5, 0.1, stands));
        let mut world = engine(&build(0.4));
        run(&mut *world, 2000);
        let start = world.position(0);
        timed("ladder", name, &mut *world, 10_000);
        let end = world.position(0);
        let creep = length([0, 1, 2].map(|k| end[k] - start[k])) / long;
        row(
            "ladder",
            name,
            "creep in 10,000 steps at friction .4",
            Some(0.0),
            creep,
            "lengths",
        );
    }
}
