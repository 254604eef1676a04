use super::*;
use crate::SceneFile;
use crate::seeding::Seeding;

fn periodic(n: usize, seeding: Seeding) -> Scene {
    let side = |_: &str| "kind = \"periodic\"".to_owned();
    let sides: String = ["x_low", "x_high", "y_low", "y_high"]
        .iter()
        .map(|s| format!("[sides.{s}]\n{}\n", side(s)))
        .collect();
    let text = format!(
        "name = \"t\"\nlow = [0, 0]\nhigh = [2, 2]\ncells = [{n}, {n}]\nstep_over_cell = 0.5\nduration = 1\ndensity = 3\n\
         [start]\nflow = \"taylor-green\"\nwave = 3.141592653589793\n{sides}"
    );
    let mut scene = Scene::parse(&text).unwrap();
    scene.seeding = seeding;
    scene
}

fn exact() -> Settings {
    Settings {
        tolerance: 1e-14,
        ..Settings::default()
    }
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let settings = Settings {
                transfer: Transfer::Xpic,
                order: 3,
                ..Settings::default()
            };
            let mut scene = periodic(40, Seeding::Poisson);
            scene.reseed = true;
            let mut world = World::<2>::new(&scene, &settings);
            for _ in 0..20 {
                world.step().unwrap();
            }
            (world.particles.clone(), world.after)
        })
    };
    let (one, two) = (run(1), run(2));
    assert!(one == two, "bits differ");
}

#[test]
fn what_is_no_number_is_an_error() {
    let mut world = World::<2>::new(&periodic(8, Seeding::Regular), &exact());
    world.particles.v[3][1] = f64::NAN;
    assert_eq!(world.step(), Err(StepError::NotFinite { step: 1 }));
}

/// Rest stays rest under gravity in a closed box, whatever the particles' places: no boiling.
#[test]
fn a_pool_at_rest_does_not_boil() {
    let mut scene = periodic(16, Seeding::Poisson);
    scene.sides.clear();
    scene.start.flow = crate::field::Flow::Rest;
    scene.gravity = vec![0.0, -9.81];
    for transfer in Transfer::ALL {
        let settings = Settings {
            transfer,
            tolerance: 1e-10,
            ..Settings::default()
        };
        let mut world = World::<2>::new(&scene, &settings);
        for _ in 0..10 {
            world.step().unwrap();
        }
        let speed = world
            .after
            .iter()
            .flatten()
            .fold(0.0f64, |m, u| m.max(u.abs()));
        assert!(speed < 1e-8, "{transfer:?}: {speed}");
    }
}
