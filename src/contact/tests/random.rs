//! Random scenes of every kind and shape, some of which come in later, with masses, stiffnesses and speeds far from sensible: nothing panics, and whatever isn't a number
//! any more, or isn't solved, says so.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use stokeslet_contact::{Scene, SceneFile, Settings, Simulation, SolveStatus};

struct Random(u64);

impl Random {
    fn next(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.next(low, high))
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next(0.0, n as f64) as usize).min(n - 1)
    }
    fn vector(&mut self, size: f64) -> String {
        let x = [0; 3].map(|_| self.next(-size, size));
        format!("{x:?}")
    }
}

fn scene(seed: u64) -> Scene {
    let mut r = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    (0..3).for_each(|_| {
        r.next(0.0, 1.0);
    });
    let coupling = ["coupled", "coupled", "lagged", "lagged_friction"][r.below(4)];
    let dt = r.power(-4.0, -1.5);
    let mut text = format!(
        "name = 'random'\nabout = 'anything'\ntime_step = {dt}\nduration = 1\nfriction = {}\nstiffness = {}\ntolerance = {}\n\
         gravity = {}\ncoupling = '{coupling}'\ngrid_spacing = {}\n",
        r.power(-3.0, 1.0),
        r.power(-1.0, 6.0),
        r.power(-3.0, 1.0),
        r.vector(20.0),
        r.next(0.03, 0.2)
    );
    text += &format!(
        "plane = [{{ normal = [{}, {}, 1] }}]\n",
        r.next(-0.5, 0.5),
        r.next(-0.5, 0.5)
    );
    for k in 0..1 + r.below(4) {
        let (a, b) = (r.next(0.05, 0.3), r.next(0.05, 0.3));
        let cells = [0; 3].map(|_| 1 + r.below(3));
        let boxed = format!("{{ box = {{ sides = [{a}, {b}, {a}], cells = {cells:?} }} }}");
        let ball = format!(
            "{{ ball = {{ radius = {a}, level = {}, shells = {}, spacing = {} }} }}",
            r.below(3),
            1 + r.below(2),
            a * r.next(0.2, 0.9)
        );
        let torus = format!(
            "{{ torus = {{ major = {b}, minor = {}, cells = [{}, {}] }} }}",
            b * r.next(0.1, 0.9),
            3 + r.below(6),
            3 + r.below(6)
        );
        let sheet = format!("{{ sheet = {{ side = {b}, cells = {} }} }}", 1 + r.below(6));
        let cone = format!(
            "{{ cone = {{ radius = {a}, height = {b}, spacing = {} }} }}",
            0.3 * a.min(b)
        );
        let kind = ["rigid", "deformable", "points", "cloth", "fixed"][r.below(5)];
        let shape = match kind {
            "cloth" => sheet,
            "points" => [boxed, ball, cone][r.below(3)].clone(),
            _ => [boxed, ball, torus][r.below(3)].clone(),
        };
        let surface = ["mesh", "level_set", "none"][r.below(3)];
        let sand = match kind == "points" && r.below(2) == 0 {
            true => format!("sand = {}\n", r.next(5.0, 50.0)),
            false => String::new(),
        };
        // Some come in while the scene runs, of these some again and again.
        let from = match r.below(3) {
            0 => dt * r.next(0.0, 3.0),
            _ => 0.0,
        };
        let again = match from > 0.0 && kind != "fixed" && r.below(2) == 0 {
            true => format!(
                "again = {{ every = {}, times = 2 }}\n",
                dt * r.next(0.5, 2.0)
            ),
            false => String::new(),
        };
        text += &format!(
            "[[body]]\nname = 'body {k}'\nkind = '{kind}'\nshape = {shape}\nmass = {}\nposition = [{}, {}, {}]\nrotation = {}\n\
             velocity = {}\nangular_velocity = {}\nsurface = '{surface}'\nyoung = {}\npoisson = {}\nself_contact = {}\n\
             from = {from}\n{again}{sand}",
            r.power(-4.0, 4.0),
            r.next(-0.2, 0.2),
            r.next(-0.2, 0.2),
            r.next(-0.1, 0.8),
            r.vector(4.0),
            r.vector(10.0),
            r.vector(30.0),
            r.power(0.0, 8.0),
            r.next(0.0, 0.49),
            r.below(2) == 0
        );
    }
    Scene::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"))
}

/// Steps a scene; every number of it must be one, unless the step said that it wasn't solved. Whether all were.
fn throw(seed: u64, steps: u32) -> bool {
    let scene = scene(seed);
    let settings = Settings {
        newton: stokeslet_contact::NewtonSettings {
            // What doesn't converge in so many mostly never does.
            most_iterations: 30,
            ..Default::default()
        },
        ..Settings::default()
    };
    let mut simulation = Simulation::new(&scene, &settings).unwrap();
    let mut solved = true;
    for step in 0..steps {
        let log = simulation.step();
        solved &= log.solve.status == SolveStatus::Converged;
        let snapshot = simulation.snapshot();
        let points = snapshot.bodies.iter().flat_map(|b| &b.points);
        let finite = points.flatten().all(|x| x.is_finite()) && log.energies.total().is_finite();
        assert!(
            finite || !solved,
            "seed {seed}, step {step}: not a number, and nothing says so"
        );
        if !finite {
            return false;
        }
    }
    solved
}

#[test]
fn a_few_wild_scenes_are_solved_or_say_so() {
    let solved = (0..24).filter(|seed| throw(*seed, 4)).count();
    println!("{solved} of 24 solved in every step");
    assert!(solved > 6, "many are no trouble: {solved} of 24");
}

/// `RANDOM_SCENES` is how many, 2,000 if it isn't set.
#[test]
#[ignore = "some minutes in release"]
fn thousands_of_wild_scenes_are_solved_or_say_so() {
    let many = std::env::var("RANDOM_SCENES");
    let many = many.ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let solved = (1000..1000 + many).filter(|seed| throw(*seed, 15)).count();
    println!("{many} scenes of 15 steps, {solved} solved in every one");
}
