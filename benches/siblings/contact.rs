//! Frictional contact: what a step takes, which preconditioner pays, how sand grows, how near thresholds are.
//!
//! ```text
//! cargo bench -p stokeslet-contact --bench contact                       every study; over an hour
//! cargo bench -p stokeslet-contact --bench contact -- scenes stack bowl  every scene, or those named
//! cargo bench -p stokeslet-contact --bench contact -- preconditioners [NAME...]
//! cargo bench -p stokeslet-contact --bench contact -- products [NAME...]   of GMRES in double and single precision
//! cargo bench -p stokeslet-contact --bench contact -- sand
//! cargo bench -p stokeslet-contact --bench contact -- threads [NAME...]   of scenes of material points; `bowl@2.5` from 2.5 s on
//! cargo bench -p stokeslet-contact --bench contact -- thresholds [WORD...]   those whose names have one of the words
//! cargo bench -p stokeslet-contact --bench contact -- expected [NAME...]   what each scene's file expects, beside what it does
//! ```
//! `NAME:paper` is a scene at the paper's size. Seconds are processor time of one thread, but for `threads`. Results with dates are in `README.md` beside this file.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use cpu_time::ProcessTime;
use stokeslet_contact::scene::{Quantity, ShapeSpec};
use stokeslet_contact::table::rows;
use stokeslet_contact::{
    Checkpoint, Kind, Preconditioner, Scene, SceneFile, Settings, Simulation, scenes,
};

#[path = "../../src/contact/tests/support/mod.rs"]
mod support;

use support::{box_on_a_slope, cube_between_walls, sharp, wedged_by};

/// As in the program.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Processor seconds that a scene may take in `scenes`, and on the way to the steps of `preconditioners` and `products`.
const PATIENCE: f64 = 20.0;

/// Turns of `threads` that count, and nanoseconds of a [`round_trip`] before and after a turn up to which it does.
const TURNS: usize = 15;
const NEAR: f64 = 100.0;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let (study, names) = match asked.split_first() {
        Some((study, names)) => (study.as_str(), names),
        None => ("", &[][..]),
    };
    let wants = |name: &str| study.is_empty() || study == name;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.expect("a thread");
    if wants("scenes") {
        one.install(|| all_scenes(names));
    }
    if wants("products") {
        one.install(|| products(names));
    }
    if wants("preconditioners") {
        one.install(|| preconditioners(names));
    }
    if wants("sand") {
        one.install(sand);
    }
    if wants("threads") {
        threads(names);
    }
    if wants("expected") {
        one.install(|| expected(names));
    }
    if wants("thresholds") {
        one.install(|| thresholds(names));
    }
}

/// The scenes of these names, `sand_on_sph:paper` being that of another size; all of them at the small one if there are none.
fn chosen(names: &[String]) -> Vec<Scene> {
    if names.is_empty() {
        return scenes::all().iter().map(|s| s.scene()).collect();
    }
    let named = names.iter().map(|name| {
        let (name, size) = name.split_once(':').unwrap_or((name, ""));
        let scene = scenes::find(name).expect("the name of a scene").scene();
        match size {
            "" => scene,
            size => scene.at_size(size).expect("a size of the scene"),
        }
    });
    named.collect()
}

fn started(scene: &Scene, settings: &Settings) -> Simulation {
    Simulation::new(scene, settings).expect("a scene that comes with the program starts")
}

/// Every scene from its start, for `PATIENCE` (ten times that where one is asked for at another size) or its duration.
fn all_scenes(names: &[String]) {
    let is_sized = names.iter().any(|name| name.contains(':'));
    let patience = if is_sized { 10.0 * PATIENCE } else { PATIENCE };
    println!(
        "scene,particles,dt s,steps,seconds a step,paper seconds a frame,Newton a step,worst,GMRES a Newton,in parts,not converged,worst residual"
    );
    for scene in chosen(names) {
        let mut simulation = started(&scene, &Settings::default());
        let begin = ProcessTime::now();
        while !simulation.is_over() && begin.elapsed().as_secs_f64() < patience {
            simulation.step();
        }
        let seconds = begin.elapsed().as_secs_f64();
        let t = simulation.totals();
        let steps = t.steps.max(1) as f64;
        let paper = scene.paper.as_ref().map(|p| p.seconds_per_frame);
        println!(
            "{},{},{},{},{:.3e},{},{:.2},{},{:.1},{},{},{:.1}",
            scene.name,
            simulation.n_particles(),
            scene.time_step,
            t.steps,
            seconds / steps,
            paper.map_or(String::new(), |p| p.to_string()),
            t.newton as f64 / steps,
            t.worst_newton,
            t.gmres as f64 / t.newton.max(1) as f64,
            t.in_parts,
            t.stalled + t.cut,
            t.worst_residual
        );
    }
}

/// What scenes expect: all of those that get there in ten times `PATIENCE`, or those named however long they take.
fn expected(names: &[String]) {
    println!("scene,what,ours,unit,least,most,holds,why");
    for scene in chosen(names) {
        let begin = ProcessTime::now();
        let keep_on = || !names.is_empty() || begin.elapsed().as_secs_f64() < 10.0 * PATIENCE;
        let settings = Settings::default();
        match rows(&scene, &settings, f64::INFINITY, &keep_on) {
            Ok(rows) => {
                for row in rows {
                    let holds = if row.holds() { "yes" } else { "NO" };
                    println!(
                        "{},{},{:.4e},{},{},{},{holds},{}",
                        row.study, row.name, row.ours, row.unit, row.low, row.high, row.reference
                    );
                }
            }
            Err(error) => println!("{},{error},,,,,,", scene.name),
        }
    }
}

/// A run from a checkpoint on: seconds a step, Newton and GMRES iterations a step, steps made in parts and those that didn't converge.
fn from(checkpoint: &Checkpoint, steps: u32) -> String {
    let mut simulation = Simulation::resume(checkpoint).expect("the same scene");
    let before = *simulation.totals();
    let begin = ProcessTime::now();
    for _ in 0..steps {
        simulation.step();
    }
    let n = f64::from(steps);
    let after = simulation.totals();
    format!(
        "{:.3e},{:.2},{:.1},{},{}",
        begin.elapsed().as_secs_f64() / n,
        (after.newton - before.newton) as f64 / n,
        (after.gmres - before.gmres) as f64 / n,
        after.in_parts - before.in_parts,
        after.stalled + after.cut - before.stalled - before.cut,
    )
}

/// A scene where `PATIENCE` took it (at most a third of its duration), and as many steps as take a quarter of that.
fn under_way(scene: &Scene) -> (Checkpoint, u32) {
    run_to(scene, scene.duration / 3.0, PATIENCE)
}

/// A scene at a time or where so many processor seconds took it, and as many steps as take a quarter of [`PATIENCE`].
fn run_to(scene: &Scene, time: f64, patience: f64) -> (Checkpoint, u32) {
    let mut simulation = started(scene, &Settings::default());
    let begin = ProcessTime::now();
    let mut checkpoint = simulation.checkpoint();
    while simulation.time() < time && begin.elapsed().as_secs_f64() < patience {
        checkpoint = simulation.checkpoint();
        simulation.step();
    }
    let each = begin.elapsed().as_secs_f64() / simulation.totals().steps.max(1) as f64;
    let steps = (PATIENCE / 4.0 / each.max(1e-9)).clamp(2.0, 200.0) as u32;
    (checkpoint, steps)
}

/// The same steps of a scene under way with every preconditioner.
fn preconditioners(names: &[String]) {
    println!(
        "scene,at s,steps,preconditioner,seconds a step,Newton a step,GMRES a step,in parts,not converged"
    );
    for scene in chosen(names) {
        let (checkpoint, steps) = under_way(&scene);
        for preconditioner in [
            Preconditioner::None,
            Preconditioner::BlockJacobi,
            Preconditioner::Direct,
        ] {
            let mut other = checkpoint.clone();
            other.settings.newton.preconditioner = preconditioner;
            let told = from(&other, steps);
            println!(
                "{},{:.3},{steps},{preconditioner:?},{told}",
                scene.name,
                checkpoint.state.step as f64 * scene.time_step
            );
        }
    }
}

/// Steps of a scene from where `PATIENCE` took it (at most a third of its duration), with products of GMRES in double and in single precision and
/// ended at several residuals.
fn products(names: &[String]) {
    println!(
        "scene,at s,steps,precision,tolerance,seconds a step,Newton a step,GMRES a step,in parts,not converged"
    );
    for scene in chosen(names) {
        let (checkpoint, steps) = under_way(&scene);
        for (single, tolerance) in [
            (false, Some(1e-3)),
            (true, Some(1e-3)),
            (false, Some(3e-2)),
            (true, Some(3e-2)),
            (true, None),
        ] {
            let mut other = checkpoint.clone();
            let newton = &mut other.settings.newton;
            newton.single_precision = single;
            newton.gmres_tolerance = tolerance;
            let told = from(&other, steps);
            let precision = if single { "single" } else { "double" };
            let tolerance = tolerance.map_or("default".to_owned(), |t| format!("{t:e}"));
            println!(
                "{},{:.3},{steps},{precision},{tolerance},{told}",
                scene.name,
                checkpoint.state.step as f64 * scene.time_step
            );
        }
    }
}

/// A column of sand of about so many points that falls apart on a floor.
fn column(points: usize) -> Scene {
    let n = (points as f64 / 2.0).cbrt().round() as usize;
    let side = 0.2;
    let spacing = side / n as f64;
    let text = format!(
        "name = 'column'\nabout = 'sand that falls apart'\ntime_step = {}\nduration = 1\nfriction = 0.6\nstiffness = 1e4\n\
         grid_spacing = {}\nplane = [{{ normal = [0, 0, 1] }}]\n[[body]]\nname = 'sand'\nkind = 'points'\nsand = 30\nmass = {}\n\
         shape = {{ box = {{ sides = [{side}, {side}, {}], cells = [{n}, {n}, {}] }} }}\nposition = [0, 0, {}]\n",
        0.1 * spacing,
        2.0 * spacing,
        2200.0 * 2.0 * side * side * side,
        2.0 * side,
        2 * n,
        // The lowest points lie half a spacing inside: they touch the floor.
        side - 0.5001 * spacing
    );
    Scene::parse(&text).expect("a sound scene")
}

/// Seconds a step over the number of points, at steps that shrink with the spacing.
fn sand() {
    println!(
        "points,steps,seconds a step,microseconds a point and step,Newton a step,GMRES a step"
    );
    for points in [1_000, 4_000, 16_000, 50_000, 100_000] {
        let scene = column(points);
        let mut simulation = started(&scene, &Settings::default());
        let steps = if points > 20_000 { 10 } else { 30 };
        let begin = ProcessTime::now();
        for _ in 0..steps {
            simulation.step();
        }
        let each = begin.elapsed().as_secs_f64() / f64::from(steps);
        let (n, t) = (simulation.n_particles() as f64, simulation.totals());
        println!(
            "{n},{steps},{each:.4},{:.2},{:.2},{:.1}",
            1e6 * each / n,
            t.newton as f64 / t.steps as f64,
            t.gmres as f64 / t.steps as f64
        );
    }
}

/// Nanoseconds that a number takes from one thread to another and back: tens where their cores share a cache, hundreds where they don't.
fn round_trip() -> f64 {
    const TRIPS: u64 = 2_000;
    let (number, together) = (AtomicU64::new(0), Barrier::new(2));
    let pass_on = |first: u64| {
        together.wait();
        let begin = Instant::now();
        for trip in 0..TRIPS {
            let mut looks = 0;
            while number.load(Ordering::Acquire) != 2 * trip + first {
                std::hint::spin_loop();
                looks += 1;
                if looks % 10_000 == 0 {
                    std::thread::yield_now(); // there may be one core only
                }
            }
            number.store(2 * trip + first + 1, Ordering::Release);
        }
        begin.elapsed().as_secs_f64()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| pass_on(1));
        1e9 * pass_on(0) / TRIPS as f64
    })
}

/// The same steps of scenes of material points on one thread, on two, and twice at once on one thread each: what two threads of this machine do
/// that have nothing to do with each other, which may be less than twice one. With it [`round_trip`]: a virtual machine's processors may come to be far
/// apart, for seconds. Medians of the turns before and after which they were near, of four times as many at most; of all if there was none.
fn threads(names: &[String]) {
    println!(
        "scene,points,at s,steps,one thread s,two threads s,two at once s,ratio,of two at once,round trip ns,turns,of"
    );
    let of_points = |scene: &Scene| scene.body.iter().any(|b| b.kind == Kind::Points);
    let (names, times): (Vec<String>, Vec<Option<f64>>) = names
        .iter()
        .map(|name| match name.split_once('@') {
            Some((name, time)) => (name.to_owned(), Some(time.parse().expect("seconds"))),
            None => (name.clone(), None),
        })
        .unzip();
    let times = times.into_iter().chain(std::iter::repeat(None));
    for (scene, time) in chosen(&names).into_iter().zip(times) {
        if !of_points(&scene) {
            continue;
        }
        let pools = [1, 1, 2].map(|n| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
            pool.expect("threads")
        });
        let [one, other, two] = &pools;
        let (checkpoint, steps) = one.install(|| match time {
            Some(time) => run_to(&scene, time, f64::INFINITY),
            None => under_way(&scene),
        });
        let steps = steps.div_ceil(TURNS as u32);
        let of = |pool: &rayon::ThreadPool, together: &Barrier| {
            let mut simulation = Simulation::resume(&checkpoint).expect("the same scene");
            together.wait();
            let begin = Instant::now();
            pool.install(|| (0..steps).for_each(|_| _ = simulation.step()));
            begin.elapsed().as_secs_f64()
        };
        let at_once = || {
            let together = Barrier::new(2);
            std::thread::scope(|scope| {
                let beside = scope.spawn(|| of(other, &together));
                of(one, &together).max(beside.join().expect("no panic"))
            })
        };
        let alone = |pool| of(pool, &Barrier::new(1));
        let (mut turns, mut far): (Vec<[f64; 4]>, Vec<[f64; 4]>) = (Vec::new(), Vec::new());
        let mut before = round_trip();
        while turns.len() < TURNS && turns.len() + far.len() < 4 * TURNS {
            let [one, two, at_once] = [alone(one), alone(two), at_once()];
            let after = round_trip();
            let trip = f64::max(before, after);
            let turns = if trip < NEAR { &mut turns } else { &mut far };
            turns.push([one, two, at_once, trip]);
            before = after;
        }
        let tried = turns.len() + far.len();
        let counted = if turns.is_empty() { far } else { turns };
        let median = |k: usize| {
            let mut all: Vec<f64> = counted.iter().map(|turn| turn[k]).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let [one, two, at_once, trip] = [0, 1, 2, 3].map(median);
        let at = checkpoint.state.step as f64 * scene.time_step;
        println!(
            "{},{},{at:.3},{steps},{one:.4},{two:.4},{at_once:.4},{:.2},{:.2},{trip:.0},{},{tried}",
            scene.name,
            checkpoint.state.points.x.len(),
            one / two,
            2.0 * one / at_once,
            counted.len(),
        );
    }
}

/// The value between `low` (holds) and `high` (doesn't) where `holds` changes, to a two-thousandth of their distance.
fn bisect(mut holds_at: f64, mut fails_at: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    if !holds(holds_at) || holds(fails_at) {
        return None;
    }
    for _ in 0..11 {
        let middle = 0.5 * (holds_at + fails_at);
        if holds(middle) {
            holds_at = middle;
        } else {
            fails_at = middle;
        }
    }
    Some(0.5 * (holds_at + fails_at))
}

/// A row, if its name is among those asked for.
fn told(names: &[String], what: &str, exact: f64, found: impl FnOnce() -> Option<f64>) {
    if !names.is_empty() && !names.iter().any(|name| what.contains(name)) {
        return;
    }
    match found() {
        Some(found) => println!(
            "{what},{exact:.6},{found:.6},{:.3}",
            100.0 * (found / exact - 1.0)
        ),
        None => println!("{what},{exact:.6},outside the search,"),
    }
}

/// Whether a body at rest on the slope moves less in the second half of a time than a hundredth of what a difference of a thousandth of the
/// slope would make of it.
fn stays(scene: &Scene, mu: f64, seconds: f64) -> bool {
    let mut simulation = started(scene, &sharp(mu));
    let mut half = 0.0;
    while simulation.time() < seconds {
        simulation.step();
        if simulation.time() <= 0.5 * seconds {
            half = way(&simulation);
        }
    }
    let slow = 0.375 * 9.81 * 1e-3 * 0.11 * seconds * seconds;
    way(&simulation) - half < 0.1 * slow
}

fn way(simulation: &Simulation) -> f64 {
    let along = Some([1.0, 0.0, 0.0]);
    let way = simulation.quantity("cube", Quantity::Travel, along);
    way.expect("the scene has a cube")
}

/// Thresholds by halving, beside the analytic ones.
fn thresholds(names: &[String]) {
    println!("threshold,exact,found,error %");
    for (name, what, seconds) in [
        ("plane_r_stick", "slope; rigid; 8 vertices", 2.0),
        ("plane_d_stick", "slope; deformable; 6 tetrahedra", 2.0),
        ("iplane_m_stick", "slope; 1331 material points", 1.0),
    ] {
        let mut scene = scenes::find(name).expect("a scene").scene();
        scene.body[0].velocity = [0.0; 3];
        told(names, what, 0.11, || {
            bisect(0.12, 0.1, |mu| stays(&scene, mu, seconds))
        });
    }
    for (kind, slope) in [("rigid", 0.11), ("deformable", 0.11), ("points", 0.5)] {
        let stands = |ratio: f64| {
            let scene = box_on_a_slope(kind, slope, ratio);
            let mut simulation = started(&scene, &sharp(0.9));
            while simulation.time() < 0.3 {
                simulation.step();
            }
            let along = Some([1.0, 0.0, 0.0]);
            let way = simulation.quantity("box", Quantity::Travel, along);
            way.expect("a box") < 1e-4
        };
        let what = format!("toppling; {kind}");
        told(names, &what, slope, || {
            bisect(1.1 * slope, 0.9 * slope, stands)
        });
    }
    let scene = scenes::find("plane_sph_roll").expect("a scene").scene();
    let rolls = |mu: f64| {
        let settings = Settings {
            time_step: Some(0.001),
            ..sharp(mu)
        };
        let mut simulation = started(&scene, &settings);
        while simulation.time() < 1.0 {
            simulation.step();
        }
        let m = simulation.body("ball").expect("a ball");
        m.spin.norm() * 0.1 / m.velocity.norm() > 0.995
    };
    told(
        names,
        "rolling; rigid ball of 10242 vertices",
        2.0 / 7.0 * 0.11,
        || bisect(0.04, 0.025, rolls),
    );
    for kind in ["rigid", "deformable", "points"] {
        let scene = cube_between_walls(kind);
        told(names, &format!("wedge of one cube; {kind}"), 0.2, || {
            bisect(0.21, 0.19, |mu| holds(&scene, "cube", mu))
        });
    }
    for (name, body, exact, range) in [
        ("wdg_rr", "block", 0.05, [0.06, 0.04]),
        ("wdg_dr", "block", 0.01, [0.02, 0.004]),
        ("wdg_rm", "cube", 0.158, [0.25, 0.1]),
    ] {
        let scene = scenes::find(name).expect("a scene").scene();
        told(names, &format!("wedge; {name}"), exact, || {
            bisect(range[0], range[1], |mu| holds(&scene, body, mu))
        });
    }
    for (name, level, overlap, young) in [
        ("wdg_rr", 5, Some(5e-3), None),
        ("wdg_rr", 6, Some(5e-3), None),
        ("wdg_rr", 6, Some(1e-3), None),
        ("wdg_rr", 7, Some(1e-3), None),
        ("wdg_rr", 7, Some(3e-4), None),
        ("wdg_rr", 4, Some(3e-4), None),
        ("wdg_rr", 4, Some(1e-4), None),
        ("wdg_rr", 5, Some(5e-5), None),
        ("wdg_dr", 3, Some(4e-4), Some(1e7)),
        ("wdg_dr", 4, Some(1e-4), Some(1e7)),
        ("wdg_rm", 3, None, Some(1e4)),
        ("wdg_rm", 5, None, Some(1e5)),
    ] {
        let mut scene = scenes::find(name).expect("a scene").scene();
        finer(&mut scene, level, overlap, young);
        let exact = scene.wedge.as_ref().expect("a wedge").threshold;
        let body = scene.body[0].name.clone();
        let overlap = overlap.map_or(String::new(), |o| format!("; overlap {o:e} m"));
        let young = young.map_or(String::new(), |e| format!("; Young's modulus {e:e} Pa"));
        told(
            names,
            &format!("wedge; {name}; ball of level {level}{overlap}{young}"),
            exact,
            || bisect(1.04 * exact, 0.9 * exact, |mu| holds(&scene, &body, mu)),
        );
    }
}

/// Whether a body in a wedge stands still after 1.5 s.
fn holds(scene: &Scene, body: &str, mu: f64) -> bool {
    let mut simulation = started(scene, &sharp(mu));
    while simulation.time() < 1.5 {
        simulation.step();
    }
    let speed = simulation.quantity(body, Quantity::Speed, None);
    speed.expect("a body") < 1e-3
}

/// A wedge of a pair with a finer ball, another overlap of the pair and its walls, m, and a stiffer soft body, Pa.
fn finer(scene: &mut Scene, level: u32, overlap: Option<f64>, young: Option<f64>) {
    let ShapeSpec::Ball { radius, .. } = scene.body[1].shape else {
        panic!("the second body of a pair is its ball");
    };
    scene.body[1].shape = ShapeSpec::Ball {
        radius,
        level,
        shells: 1,
        spacing: None,
    };
    if let Some(overlap) = overlap {
        wedged_by(scene, overlap);
    }
    for body in scene.body.iter_mut().filter(|b| b.kind != Kind::Rigid) {
        body.young = young;
    }
}
