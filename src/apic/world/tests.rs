use super::*;
use crate::SceneFile;
use crate::kernel::Kernel;
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

/// \[004\] 3.4.1: a slip wall is the same as a mirror image beyond it, so a quarter of a mirrored torus is a box.
#[test]
fn slip_walls_equal_mirrored_particles() {
    for (transfer, order, kernel) in [
        (Transfer::Apic, 1, Kernel::Quadratic),
        (Transfer::Apic, 1, Kernel::Cubic),
        (Transfer::Flip, 1, Kernel::Quadratic),
        (Transfer::Xpic, 3, Kernel::Quadratic),
        (Transfer::Pic, 1, Kernel::Linear),
    ] {
        let settings = Settings {
            transfer,
            order,
            kernel,
            ..exact()
        };
        let torus = periodic(16, Seeding::Jittered);
        let mut quarter = torus.clone();
        quarter.high = vec![1.0, 1.0];
        quarter.cells = vec![8, 8];
        quarter.sides.clear();
        quarter.validate().unwrap();
        let mut box_ = World::<2>::new(&quarter, &settings);
        let mut mirrored = Vec::new();
        for x in &box_.particles.x {
            for k in 0..4 {
                mirrored.push([
                    if k & 1 == 1 { 2.0 - x[0] } else { x[0] },
                    if k & 2 == 2 { 2.0 - x[1] } else { x[1] },
                ]);
            }
        }
        let mut whole = World::<2>::with_positions(&torus, &settings, mirrored);
        for _ in 0..10 {
            box_.step().unwrap();
            whole.step().unwrap();
        }
        let mut worst = 0.0f64;
        for axis in 0..2 {
            let (small, large) = (box_.grid.faces(axis), whole.grid.faces(axis));
            for i in 0..small.len() {
                let c = small.coordinates(i);
                if box_.grid.is_inside(axis, c) {
                    let d = box_.after[axis][i] - whole.after[axis][large.index(c)];
                    worst = worst.max(d.abs());
                }
            }
        }
        assert!(worst < 1e-10, "{transfer:?} {kernel:?}: {worst}");
        assert!(box_.after[0].iter().any(|u| u.abs() > 0.5));
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

#[test]
fn inflow_past_a_disc_keeps_its_cells_filled() {
    let text = r#"
name = "t"
low = [-1, -1]
high = [3, 1]
cells = [32, 16]
step_over_cell = 0.5
duration = 4
reseed = true
start = { flow = "uniform", velocity = [1, 0] }
sides = { x_low = { kind = "inflow", velocity = [1, 0] }, x_high = { kind = "free" } }
body = [{ centre = [0, 0], radius = 0.25 }]
"#;
    for hold in [false, true] {
        let mut scene = Scene::parse(text).unwrap();
        scene.bodies_hold = hold;
        let mut world = World::<2>::new(&scene, &Settings::default());
        let mut left = 0;
        for _ in 0..scene.steps() {
            let changes = world.step().unwrap();
            left += changes.left;
            assert!(changes.momentum_lost < 0.01, "{changes:?}");
        }
        assert!(left > 1500, "{left} of about 2048 have left");
        let keys = world.cells_of_particles();
        let sorted = Sorted::new(world.grid.cells.len(), &keys);
        let solid = world.solid.as_ref().unwrap();
        let empty = (0..world.grid.cells.len())
            .filter(|c| solid.cell[*c] && sorted.of(*c).is_empty())
            .count();
        // Counted after the step's reseeding, before the next: none has moved since.
        assert!(empty <= 4, "{empty} empty cells (slivers beside the disc)");
        assert!(world.particles.x.iter().all(|x| x[0].hypot(x[1]) >= 0.25));
        // What enters leaves: the flow through a cross-section downstream.
        let faces = world.grid.faces(0);
        let c = |row: usize| [crate::grid::GHOST + 28, crate::grid::GHOST + row];
        let flow: f64 = (0..16).map(|r| world.after[0][faces.index(c(r))]).sum();
        assert!((flow / 16.0 - 1.0).abs() < 1e-4, "{flow}");
    }
}
