use super::*;
use crate::SceneFile;
use crate::krylov::norm;
use crate::newton::Preconditioner;
use crate::scene::Scene;
use crate::simulation::{Settings, Simulation};
use crate::testing::{MIXED, Random, assert_small};

fn derivative_error(text: &str, steps: usize, seed: u64) -> (f64, f64, usize) {
    let scene = Scene::parse(text).unwrap();
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    for _ in 0..steps {
        simulation.step();
    }
    simulation.with_system(|system| {
        let mut random = Random::new(seed);
        let z: Vec<f64> = system
            .falling()
            .iter()
            .zip(&system.scale)
            .map(|(f, s)| f + 1e-2 * s * (random.number() - 0.5))
            .collect();
        let trial = system.at(&z);
        let [tangent, single] = [Precision::Double, Precision::Single]
            .map(|precision| system.tangent(&trial, Preconditioner::BlockJacobi, precision));
        let pinned =
            |i: usize| {
                system.model.pinned.iter().any(|&n| {
                    (system.node_at(n as usize)..system.node_at(n as usize) + 3).contains(&i)
                })
            };
        let u: Vec<f64> = (0..system.len())
            .map(|i| {
                if pinned(i) {
                    0.0
                } else {
                    system.scale[i] * (random.number() - 0.5)
                }
            })
            .collect();
        let v: Vec<f64> = (0..system.len())
            .map(|i| system.scale[i] * (random.number() - 0.5))
            .collect();
        let hu = tangent.times(&u, Side::Plain);
        let htv = tangent.times(&v, Side::Transposed);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let size = dot(&hu, &hu).sqrt();
        assert_small(
            dot(&v, &hu) - dot(&htv, &u),
            dot(&v, &v).sqrt() * size,
            1e-12,
            "the transposed product is the transpose",
        );
        let large = dot(&htv, &htv).sqrt();
        for (x, side, exact, size) in [
            (&u, Side::Plain, &hu, size),
            (&v, Side::Transposed, &htv, large),
        ] {
            let product = single.times(x, side);
            let off: Vec<f64> = product.iter().zip(exact).map(|(s, h)| s - h).collect();
            assert_small(
                dot(&off, &off).sqrt(),
                size,
                1e-5,
                "products in single precision",
            );
        }
        let step = 1e-6;
        let at = |s: f64| {
            system
                .at(&z.iter().zip(&u).map(|(z, u)| z + s * u).collect::<Vec<_>>())
                .residual
        };
        let (a, b) = (at(step), at(-step));
        let slope: Vec<f64> = a
            .iter()
            .zip(&b)
            .map(|(a, b)| (a - b) / (2.0 * step))
            .collect();
        let error: Vec<f64> = slope
            .iter()
            .zip(&hu)
            .map(|(s, h)| if s.is_finite() { s - h } else { f64::NAN })
            .collect();
        let skewness = dot(&v, &hu) - dot(&u, &tangent.times(&v, Side::Plain));
        (
            dot(&error, &error).sqrt() / size,
            skewness.abs() / (dot(&v, &v).sqrt() * size),
            trial.contacts.len(),
        )
    })
}

#[test]
fn the_whole_derivative_is_that_of_finite_differences() {
    let mut asymmetry = 0.0f64;
    let mut touching = 0;
    for steps in 0..12 {
        let (error, skewness, contacts) = derivative_error(MIXED, steps, steps as u64);
        assert_small(
            error,
            1.0,
            1e-6,
            &format!("H u against differences after {steps} steps"),
        );
        asymmetry = asymmetry.max(skewness);
        touching = touching.max(contacts);
    }
    let by_area = format!("stiffness_by_area = true\n{MIXED}");
    for steps in [6, 9, 11] {
        let (error, _, contacts) = derivative_error(&by_area, steps, steps as u64);
        assert_small(error, 1.0, 1e-6, &format!("by area, {steps} steps"));
        assert!(contacts > 0, "after {steps} steps");
    }
    assert!(touching > 20, "the bodies touch each other: {touching}");
    assert!(
        asymmetry > 1e-4,
        "friction makes H asymmetric: {asymmetry:e}"
    );
}

/// What all of a body's surface together presses with is the same, and each vertex has its part.
#[test]
fn stiffness_by_area_is_shared_among_the_vertices_of_each_surface() {
    for (text, differs) in [
        (MIXED.to_owned(), false),
        (format!("stiffness_by_area = true\n{MIXED}"), true),
    ] {
        let scene = Scene::parse(&text).unwrap();
        let (model, _) = crate::assemble::assemble(&scene, scene.body.len());
        let mut bodies = 0;
        for of_body in model.particles.chunk_by(|a, b| a.body == b.body) {
            let mean = of_body.iter().map(|p| p.k).sum::<f64>() / of_body.len() as f64;
            assert_small(
                mean / scene.stiffness - 1.0,
                1.0,
                1e-12,
                "on average the scene's",
            );
            let [least, most] = of_body
                .iter()
                .fold([f64::MAX, 0.0_f64], |[a, b], p| [a.min(p.k), b.max(p.k)]);
            let is_surface = !matches!(of_body[0].source, crate::model::Source::Point(_));
            assert_eq!(most > 1.01 * least, differs && is_surface, "{least} {most}");
            bodies += usize::from(is_surface);
        }
        assert!(bodies > 1, "{bodies}");
    }
}

const SAND: &str = r#"
name = "heap"
about = "Sand on a slope."
time_step = 0.002
duration = 1
friction = 0.5
stiffness = 1e4
grid_spacing = 0.05
plane = [{ normal = [0.2, 0, 1] }]
[[body]]
name = "sand"
kind = "points"
sand = 30
mass = 2
shape = { box = { sides = [0.2, 0.2, 0.2], cells = [8, 8, 8] } }
position = [0, 0, 0.11]
velocity = [0.5, 0.2, -1]
"#;

/// [`SAND`] with a ball that it runs into.
fn sand_and_a_ball() -> String {
    SAND.replace(
        "[[body]]",
        "[[body]]\nname = 'ball'\nkind = 'rigid'\nmass = 1\nshape = { ball = { radius = 0.1, level = 2 } }\nposition = [0.185, 0, 0.1]\n[[body]]",
    )
}

/// Sand that flows has a stiffness that isn't symmetric: a product that were transposed by mistake would be another. Its contacts push the floor, which
/// has no unknowns, and a ball, which has.
#[test]
fn products_of_sand_are_alike_in_both_precisions_and_the_diagonal_is_theirs() {
    products_of_sand(SAND, 0);
    products_of_sand(&sand_and_a_ball(), 3);
}

fn products_of_sand(text: &str, least_at_ball: usize) {
    let scene = Scene::parse(text).unwrap();
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    for _ in 0..20 {
        simulation.step();
    }
    simulation.with_system(|system| {
        let mut random = Random::new(5);
        let z: Vec<f64> = system
            .scale
            .iter()
            .map(|s| 0.3 * s * (random.number() - 0.5))
            .collect();
        let trial = system.at(&z);
        let apart = trial.svds.iter().filter(|svd| svd.is_none()).count();
        assert!(
            apart > 50 && trial.svds.len() - apart > 50,
            "both kinds: {apart}"
        );
        let at_ball = trial.contacts.iter().filter(|c| {
            let source = system.model.particles[c.particle as usize].source;
            let object = &system.model.objects[c.object as usize];
            matches!(source, Source::Point(_)) && matches!(object.frame, Frame::Rigid(_))
        });
        let at_ball = at_ball.count();
        assert!(at_ball >= least_at_ball, "sand touches the ball: {at_ball}");
        let [tangent, single] = [Precision::Double, Precision::Single]
            .map(|precision| system.tangent(&trial, Preconditioner::BlockJacobi, precision));
        let u: Vec<f64> = (0..system.len()).map(|_| random.number() - 0.5).collect();
        let less =
            |a: &[f64], b: &[f64]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        let of = |side| tangent.times(&u, side);
        let (plain, transposed) = (of(Side::Plain), of(Side::Transposed));
        assert!(less(&plain, &transposed) > 1e-2 * norm(&plain), "it flows");
        for (side, exact) in [(Side::Plain, plain), (Side::Transposed, transposed)] {
            let product = single.times(&u, side);
            assert_small(
                less(&product, &exact),
                norm(&exact),
                1e-5,
                "single precision",
            );
            // What contacts push the ball by is small beside the stresses of sand.
            let first = system.grid_at(0);
            let pushed = less(&exact[..first], &u[..first]);
            assert!((pushed > 0.0) == (first > 0), "contacts push the ball");
            let off = less(&product[..first], &exact[..first]);
            assert!(off <= 1e-4 * pushed, "the ball's: {off:e} of {pushed:e}");
        }
        let blocks = single.diagonal(true);
        for i in (0..blocks.len()).step_by(17) {
            for b in 0..3 {
                let mut unit = vec![0.0; system.len()];
                unit[3 * i + b] = 1.0;
                let column = tangent.times(&unit, Side::Plain);
                for a in 0..3 {
                    let (own, exact) = (blocks[i][(a, b)], column[3 * i + a]);
                    assert_small(own - exact, blocks[i].norm(), 1e-5, "diagonal");
                }
            }
        }
    });
}

/// Beside sand the nodes of the grid are left as they are; rigid and elastic unknowns go through the factors of their own entries, or without
/// vertices through their blocks.
#[test]
fn the_preconditioner_beside_sand_inverts_all_but_the_grid() {
    let all = MIXED.replace("kind = \"points\"", "kind = \"points\"\nsand = 30");
    for (text, has_vertices) in [(all, true), (sand_and_a_ball(), false)] {
        let scene = Scene::parse(&text).unwrap();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        for _ in 0..10 {
            simulation.step();
        }
        simulation.with_system(|system| {
            let trial = system.at(&system.falling());
            let tangent = system.tangent(&trial, Preconditioner::Direct, Precision::Single);
            let mut random = Random::new(6);
            let all: Vec<f64> = (0..system.len()).map(|_| random.number() - 0.5).collect();
            let u = tangent.coupled(&all);
            let solved = tangent.precondition(&u);
            let first = system.grid_at(0);
            assert!(first > 0 && first < u.len());
            assert_eq!(solved[first..], u[first..], "the grid's own");
            let mut back = vec![0.0; first];
            if has_vertices {
                for (i, j, entry) in tangent.entries() {
                    back[i] += entry * solved[j];
                }
            } else {
                for (i, block) in tangent.diagonal(false).iter().enumerate() {
                    let v = block * vec3(&solved, 3 * i);
                    back[3 * i..3 * i + 3].copy_from_slice(v.as_slice());
                }
            }
            for (back, u) in back.iter().zip(&u) {
                assert_small(back - u, 1.0, 1e-9, "the others' inverse");
            }
        });
    }
}

/// `f` of the first step of soft sand beside a ball where points that came apart touch something, in which contacts count as much as stresses elsewhere, and
/// nodes are out of reach of all that is stiff or touches.
fn spread_out(f: impl Fn(&System, &[f64], &Trial)) {
    let text = sand_and_a_ball().replace("sand = 30", "sand = 30\nyoung = 2e4");
    let scene = Scene::parse(&text).unwrap();
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    let found = (0..150).any(|_| {
        simulation.step();
        simulation.with_system(|system| {
            let mut random = Random::new(9);
            let mut z = system.falling();
            for (z, s) in z.iter_mut().zip(&system.scale) {
                *z += 0.3 * s * (random.number() - 0.5);
            }
            let trial = system.at(&z);
            let is_apart = |p: u32| {
                let p = p as usize;
                system.model.materials[p].is_apart(&trial.gradients[p])
            };
            let touching = trial.contacts.iter().filter(|c| {
                let source = system.model.particles[c.particle as usize].source;
                matches!(source, Source::Point(p) if is_apart(p))
            });
            let tangent = system.exact_tangent(&trial);
            let out = (system.len() - tangent.inverse_scale.len()) / 3;
            let is_it = touching.count() > 10 && out > 10;
            if is_it {
                f(system, &z, &trial);
            }
            is_it
        })
    });
    assert!(found, "no such step");
}

/// Nodes under sand that came apart have nothing but their mass: the solve goes without them, and reports the residual of the whole system.
#[test]
fn nodes_out_of_reach_of_what_is_stiff_are_solved_at_once() {
    spread_out(|system, z, trial| {
        let mut random = Random::new(7);
        let b: Vec<f64> = (0..system.len()).map(|_| random.number() - 0.5).collect();
        for (rel, precision) in [(1e-1, Precision::Single), (1e-6, Precision::Double)] {
            let tangent = system.tangent(trial, Preconditioner::Direct, precision);
            let (n, all) = (tangent.coupled(&b).len(), system.len());
            assert!(all / 3 < n && n + 30 < all, "{n} of {all} are coupled");
            let (u, report) = tangent.solve(&b, rel, 200);
            let hu = tangent.times(&u, Side::Plain);
            let left: Vec<f64> = hu.iter().zip(&b).map(|(h, b)| h - b).collect();
            let left = norm(&left) / norm(&b);
            assert!(left <= 1.01 * rel, "{left:e} after {report:?}");
            assert_small(left - report.residual, rel, 1e-2, "the whole residual");
            let same = (0..all).filter(|&i| u[i] == b[i] && hu[i] == b[i]).count();
            assert_eq!(same, all - n, "and exact there");
            let nothing = vec![0.0; all];
            let (u, report) = tangent.solve(&nothing, rel, 20);
            assert!(u == nothing && report.residual == 0.0, "nothing of nothing");
            // However small it is: squares of its numbers are none in single precision.
            let tiny: Vec<f64> = b.iter().map(|b| 1e-30 * b).collect();
            let (small, _) = tangent.solve(&tiny, rel, 200);
            let hu = tangent.times(&small, Side::Plain);
            let left: Vec<f64> = hu.iter().zip(&tiny).map(|(h, b)| h - b).collect();
            assert_small(norm(&left), norm(&tiny), 1.01 * rel, "of little");
        }
        // Differences of the residual know nothing of reach.
        let exact = system.exact_tangent(trial);
        let step = 1e-7;
        let at = |s: f64| {
            let z: Vec<f64> = z.iter().zip(&b).map(|(z, b)| z + s * b).collect();
            system.at(&z).residual
        };
        let slope: Vec<f64> = at(step)
            .iter()
            .zip(at(-step))
            .map(|(a, b)| (a - b) / (2.0 * step))
            .collect();
        let hb = exact.times(&b, Side::Plain);
        let off: Vec<f64> = slope.iter().zip(&hb).map(|(s, h)| s - h).collect();
        assert_small(norm(&off), norm(&hb), 1e-4, "against differences");
    });
}

#[test]
fn blocks_of_nodes_in_reach_precondition_their_own() {
    spread_out(|system, _, trial| {
        let tangent = system.tangent(trial, Preconditioner::BlockJacobi, Precision::Single);
        let mut random = Random::new(8);
        let all: Vec<f64> = (0..system.len()).map(|_| random.number() - 0.5).collect();
        let u = tangent.coupled(&all);
        assert!(u.len() + 30 < all.len(), "some are out of reach");
        let solved = tangent.precondition(&u);
        let blocks = tangent.diagonal(true);
        // The coupled blocks in the order of all.
        let numbers: Vec<f64> = (0..system.len()).map(|i| (i / 3) as f64).collect();
        let coupled = tangent.coupled(&numbers);
        for i in 0..u.len() / 3 {
            let back = blocks[coupled[3 * i] as usize] * vec3(&solved, 3 * i);
            assert_small(
                (back - vec3(&u, 3 * i)).norm(),
                1.0,
                1e-9,
                "the block's own",
            );
        }
    });
}
