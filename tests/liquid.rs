//! The liquid loop as physics: continuity after every projection, no particle lost, walls that let go and walls that don't.

use stokeslet::dynamics::lcp::{Watch, solver};
use stokeslet::dynamics::pressure::Separation;
use stokeslet::dynamics::scenes::{FrameLog, Scene, Simulation, scene2, scene3};

fn run<const D: usize>(
    scene: Scene<D>,
    n: usize,
    frames: usize,
    separation: Separation,
) -> (Simulation<D>, Vec<FrameLog>) {
    let mut simulation = Simulation::new(scene, n, separation);
    let mut solver = solver::<D>("fas-mg").expect("a name");
    let told = (0..frames)
        .map(|_| {
            simulation
                .frame(&mut *solver, Watch::SILENT, &mut |_| {})
                .expect("converges")
        })
        .collect();
    (simulation, told)
}

/// Particles closer to the ceiling quarter of a container's wall than two cells.
fn at_ceiling<const D: usize>(simulation: &Simulation<D>) -> usize {
    let near = 2.0 * simulation.mac.dx;
    simulation
        .x
        .iter()
        .filter(|x| {
            let up = x[1] - 0.5;
            let side = (0..D)
                .filter(|a| *a != 1)
                .map(|a| (x[a] - 0.5).powi(2))
                .sum::<f64>();
            up > side.sqrt() && simulation.scene.open.distance(**x) > -near
        })
        .count()
}

#[test]
fn continuity_holds_after_every_projection_and_no_particle_is_lost_in_200_frames() {
    let (start, _) = run(scene2("circle").expect("a scene"), 32, 0, Separation::Cut);
    let (end, told) = run(scene2("circle").expect("a scene"), 32, 200, Separation::Cut);
    // A particle carries a fixed mass: all of them are there, and all in open space.
    assert_eq!(end.x.len(), start.x.len());
    let dx = end.mac.dx;
    for x in &end.x {
        assert!(
            end.scene.open.distance(*x) < 0.2 * dx,
            "{x:?} is in the wall"
        );
    }
    for frame in &told {
        // 10 times the tolerance of the pressure's residual.
        assert!(
            frame.divergence <= 1e-5,
            "frame {}: {:e}",
            frame.frame,
            frame.divergence
        );
    }
}

/// Particles crowd and scatter, and the level set made of them loses or gains; a source inside the liquid makes up for it.
#[test]
fn volume_comes_back_to_one_percent_within_200_frames_where_it_is_kept() {
    let late = |scene: Scene<2>| {
        let (_, told) = run(scene, 32, 200, Separation::Cut);
        for frame in &told {
            assert!(frame.divergence <= 1e-5, "{:e}", frame.divergence);
        }
        let last = &told[180..];
        let mean = last.iter().map(|f| f.volume).sum::<f64>() / last.len() as f64;
        mean / told[0].volume
    };
    let scene = || scene2("circle").expect("a scene");
    let (kept, as_it_is) = (late(scene().keeping_volume()), late(scene()));
    assert!((kept - 1.0).abs() < 0.01, "{kept}");
    assert!(
        (as_it_is - 1.0).abs() > 0.02,
        "else it proves nothing: {as_it_is}"
    );
}

/// At frame 68 the splash has come round: sticking walls carry it along the whole ceiling, separating walls have let go of it.
#[test]
fn separating_walls_let_go_of_what_sticking_walls_hold() {
    let scene = || scene2("circle").expect("a scene");
    let let_go = at_ceiling(&run(scene(), 48, 68, Separation::Cut).0);
    let held = at_ceiling(&run(scene(), 48, 68, Separation::Sticking).0);
    assert!(held > 100, "sticking walls hold a layer: {held}");
    assert!(
        2 * let_go < held,
        "{let_go} particles at the ceiling, {held} with sticking walls"
    );
}

/// [001] figure 2: a ball thrown against a circle's wall. Both ways to let liquid go do so, in nearly the same cells.
#[test]
fn pressures_held_on_edges_and_in_cells_let_go_alike() {
    // The cells that hold liquid, and how many particles are at the wall's upper part.
    let thrown = |name: &str, separation| {
        let scene = scene2("thrown-circle").expect("a scene");
        let mut simulation = Simulation::new(scene, 48, separation);
        let mut solver = solver::<2>(name).expect("a name");
        for _ in 0..40 {
            simulation
                .frame(&mut *solver, Watch::SILENT, &mut |_| {})
                .expect("its schedule is done");
        }
        let (cells, dx) = (simulation.mac.cells, simulation.mac.dx);
        let mut mask = vec![false; cells.len()];
        for x in &simulation.x {
            mask[cells.index(x.map(|x| (x / dx) as usize))] = true;
        }
        let is_at_wall =
            |x: &&[f64; 2]| x[1] > 0.7 && simulation.scene.open.distance(**x) > -2.0 * dx;
        (mask, simulation.x.iter().filter(is_at_wall).count())
    };
    let (cells, by_cells) = thrown("cm11", Separation::Cut);
    let (edges, by_edges) = thrown("cm11-edges", Separation::Cut);
    let (_, held) = thrown("cm11", Separation::Sticking);
    let differing = cells.iter().zip(&edges).filter(|(a, b)| a != b).count();
    let differing = differing as f64 / cells.len() as f64;
    assert!(differing < 0.02, "{differing}");
    assert!(
        4 * by_cells.max(by_edges) < held,
        "{by_cells} and {by_edges} at the wall, {held} held"
    );
}

#[test]
fn pressures_in_space_keep_continuity_too() {
    let (_, told) = run(
        scene3("double-sphere").expect("a scene"),
        16,
        5,
        Separation::Cut,
    );
    for frame in told {
        assert!(frame.divergence <= 1e-5 && frame.unknowns > 50, "{frame:?}");
    }
}

#[test]
fn a_swinging_container_takes_its_liquid_along() {
    let (end, told) = run(
        scene2("swinging-circle").expect("a scene"),
        32,
        25,
        Separation::Cut,
    );
    assert!(told.iter().all(|f| f.divergence <= 1e-5));
    // After half a swing the container is back in the middle.
    let by = end.scene.motion.expect("it swings").displacement(end.time);
    assert!(by.abs() < 1e-3, "{by}");
    let dx = end.mac.dx;
    for x in &end.x {
        assert!(
            end.scene.open.distance([x[0] - by, x[1]]) < 0.3 * dx,
            "{x:?}"
        );
    }
}

/// A column of liquid at rest in a box under gravity stays at rest: the pressure is hydrostatic.
#[test]
fn a_still_pool_stays_still() {
    use stokeslet::dynamics::grid::Shape;
    let mut scene = scene2("square").expect("a scene");
    scene.name = "pool";
    scene.liquid = Shape::Below {
        normal: [0.0, 1.0],
        offset: 0.5,
    };
    let (_, told) = run(scene, 32, 10, Separation::Cut);
    let fastest = told.iter().map(|f| f.max_speed).fold(0.0, f64::max);
    // Falling freely it would have 0.98 m/s by now; the surface of particles is rough, so it isn't quite 0.
    assert!(fastest < 0.25, "{fastest}");
}
