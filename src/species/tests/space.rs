//! Species in three dimensions, against what is exact and against quadratic tetrahedra on all of the chip.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::{Chip, place};
use stokeslet_cad::library::Library;
use stokeslet_flow::fem::lagrange::cell_point;
use stokeslet_flow::fem::quadrature::simplex;
use stokeslet_flow::mesh::TETRAHEDRON_FACETS;
use stokeslet_flow::session::{DepthSettings, Solution, Solver};
use stokeslet_species::{Engine, Paths, Settings, SpeciesError, SpeciesResult};
use support::{CROSS, H, TEE, dye};

/// A chip of width-1 channels, `depth` deep, to be solved in three dimensions.
fn placed(text: &str, depth: f64) -> Chip {
    let head = format!(
        "format = 1\nfluid = {{ viscosity = \"1 Pa s\" }}\nchip = {{ width = \"1 m\", depth = \"{depth} m\", model = \"full\" }}\n"
    );
    let text = text.replace(" m^2/s", " m^3/s");
    let (design, mistakes) = stokeslet_cad::design::parse(format!("{head}{text}"), "space");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (chip, mistakes) = place(&design.unwrap(), &Library::embedded());
    assert!(mistakes.is_empty(), "{mistakes:?}");
    chip.unwrap()
}

/// The same, solved.
fn solved(text: &str, depth: f64, resolution: u32) -> (Chip, Solution) {
    let chip = placed(text, depth);
    let solution = Solver::new(&chip).resolution(resolution).solve().unwrap();
    (chip, solution)
}

fn follow(
    chip: &Chip,
    paths: &Paths,
    peclet: f64,
    inflow: &[(&str, f64)],
    ages: bool,
) -> SpeciesResult {
    let species = dye(chip, paths.net.largest / peclet, inflow);
    stokeslet_species::solve(chip, paths, &[species], Settings::default(), ages)
        .unwrap()
        .remove(0)
}

/// Quadratic tetrahedra on all of the solved half: `int D grad c . grad v + v u . grad c = 0`, values given where fluid enters. Flux-weighted means of
/// `c` and `c^2` at every port where it leaves.
fn galerkin(
    chip: &Chip,
    solution: &Solution,
    diffusivity: f64,
    inflow: &[(&str, f64)],
) -> Vec<Option<[f64; 2]>> {
    let nodal = solution.in_space.as_ref().unwrap();
    let n = nodal.nodes.len();
    let position = |k: u32| nodal.nodes[k as usize];
    let mut given: Vec<Option<f64>> = vec![None; n];
    let mut planes = Vec::new();
    for (port, solved) in chip.ports.iter().zip(&solution.ports) {
        let part = &chip.parts[port.socket.part];
        let socket = part.shape.sockets()[port.socket.socket];
        let (middle, out) = (
            part.motion.apply(socket.middle),
            Point::unit(part.motion.turn(socket.direction)),
        );
        let is_on = move |x: [f64; 3]| {
            let d = Point::new(x[0], x[1]) - middle;
            d.dot(out).abs() < 1e-9 && d.norm() < 0.51
        };
        if solved.flow_rate > 0.0 {
            let value = inflow
                .iter()
                .find(|i| i.0 == port.name)
                .map_or(0.0, |i| i.1);
            (0..n)
                .filter(|&k| is_on(nodal.nodes[k]))
                .for_each(|k| given[k] = Some(value));
            planes.push(None);
        } else {
            planes.push(Some((is_on, out)));
        }
    }
    let rule = simplex::<3>(5);
    let mut triplets = Vec::new();
    let mut rhs = Mat::<f64>::zeros(n, 1);
    for cell in nodal.cells.iter() {
        let nodes: [[f64; 3]; 10] = std::array::from_fn(|k| position(cell[k]));
        for (l, weight) in rule.points.iter().zip(&rule.weights) {
            let at = cell_point::<3>(&nodes, l);
            let (values, g) = (&at.values, &at.gradients);
            let mut u = [0.0; 3];
            for (phi, &k) in values.iter().zip(cell) {
                (0..3).for_each(|i| u[i] += phi * nodal.velocity[k as usize][i]);
            }
            let dx = weight * at.det_jacobian;
            for i in 0..10 {
                let row = cell[i] as usize;
                if given[row].is_some() {
                    continue;
                }
                for j in 0..10 {
                    let dot =
                        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                    let entry = dx * (diffusivity * dot(&g[i], &g[j]) + values[i] * dot(&u, &g[j]));
                    match given[cell[j] as usize] {
                        Some(c) => rhs[(row, 0)] -= entry * c,
                        None => triplets.push(Triplet::new(row, cell[j] as usize, entry)),
                    }
                }
            }
        }
    }
    for (k, c) in given.iter().enumerate() {
        if let Some(c) = c {
            triplets.push(Triplet::new(k, k, 1.0));
            rhs[(k, 0)] = *c;
        }
    }
    let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).unwrap();
    let c = matrix.sp_lu().unwrap().solve(&rhs);
    // Over the facets of every outlet.
    let facet_rule = simplex::<2>(6);
    planes
        .into_iter()
        .map(|plane| {
            let (is_on, out) = plane?;
            let mut sums = [0.0; 3];
            for cell in nodal.cells.iter() {
                for facet in TETRAHEDRON_FACETS {
                    let corners = facet.map(|k| position(cell[k]));
                    if !corners.iter().all(|x| is_on(*x)) {
                        continue;
                    }
                    let nodes: [[f64; 3]; 10] = std::array::from_fn(|k| position(cell[k]));
                    let side = |k: usize| -> [f64; 3] {
                        std::array::from_fn(|i| corners[k][i] - corners[0][i])
                    };
                    let ([ax, ay, az], [bx, by, bz]) = (side(1), side(2));
                    let normal = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
                    let twice = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
                    for (l, weight) in facet_rule.points.iter().zip(&facet_rule.weights) {
                        let mut inside = [0.0; 4];
                        facet.iter().zip(l).for_each(|(&k, l)| inside[k] = *l);
                        let at = cell_point::<3>(&nodes, &inside);
                        let (mut through, mut value) = (0.0, 0.0);
                        for (phi, &k) in at.values.iter().zip(cell) {
                            let [u, v, _] = nodal.velocity[k as usize];
                            through += phi * (u * out.x + v * out.y);
                            value += phi * c[(k as usize, 0)];
                        }
                        let flux = weight * twice * through;
                        sums[0] += flux;
                        sums[1] += flux * value;
                        sums[2] += flux * value * value;
                    }
                }
            }
            Some([sums[1] / sums[0], sums[2] / sums[0]])
        })
        .collect()
}

/// Means and flux-weighted `c (1 - c)` of maps are those of tetrahedra on the same flow, within their own estimate.
fn is_that_of_tetrahedra(text: &str, depth: f64, inflow: &[(&str, f64)]) {
    let (chip, solution) = solved(text, depth, 6);
    let paths = Paths::of(&chip, &solution).unwrap();
    for pe in [30.0, 100.0] {
        let out = follow(&chip, &paths, pe, inflow, false);
        let known = galerkin(&chip, &solution, paths.net.largest / pe, inflow);
        for (k, port) in out.ports.iter().enumerate() {
            let Some([mean, square]) = known[k] else {
                continue;
            };
            let stream = out.streams.ports[k].as_ref().unwrap();
            let ours = stream.mean();
            let mixed = ours - stream.variance() - ours * ours;
            let off = [ours - mean, mixed - (mean - square)];
            let (name, estimate) = (&port.port, out.estimated_error);
            println!(
                "depth {depth} Pe {pe} {name}: mean {ours:.5} ({mean:.5}), c (1 - c) {mixed:.5}, off by {off:?}, estimate {estimate:.1e}"
            );
            assert!(off.iter().all(|d| d.abs() < estimate), "{name}: {off:?}");
        }
    }
}

#[test]
fn a_tee_is_that_of_tetrahedra() {
    for depth in [0.5, 1.0] {
        is_that_of_tetrahedra(&TEE.replace("LENGTH", "6"), depth, &[("left", 1.0)]);
    }
}

/// Streams that run side by side and part again: what they exchange between is in the means.
#[test]
fn a_crossing_is_that_of_tetrahedra() {
    is_that_of_tetrahedra(CROSS, 0.5, &[("west", 1.0)]);
}

/// Whatever is followed: nothing is lost, constants stay constants, nothing leaves the range, and ages times flow are the volume.
#[test]
fn balance_constants_range_and_volume_are_kept_to_rounding() {
    for (text, depth, inlets) in [
        (TEE.replace("LENGTH", "6"), 1.0, ["left", "up"]),
        (CROSS.to_owned(), 0.5, ["west", "south"]),
        (H.to_owned(), 0.25, ["ul", "ll"]),
    ] {
        let (chip, solution) = solved(&text, depth, 6);
        let paths = Paths::of(&chip, &solution).unwrap();
        for pe in [1.0, 1e2, 1e4, 1e6] {
            let out = follow(&chip, &paths, pe, &[(inlets[0], 1.0)], true);
            assert!(out.balance.abs() < 1e-12, "Pe {pe}: {:e}", out.balance);
            assert!(out.range_violated < 1e-11, "{:e}", out.range_violated);
            let both = [(inlets[0], 3.0), (inlets[1], 3.0)];
            let constant = follow(&chip, &paths, pe, &both, false);
            for stream in constant.streams.ports.iter().flatten() {
                let (low, high) = stream.range();
                assert!(low > 3.0 - 1e-11 && high < 3.0 + 1e-11, "{low} {high}");
            }
            let net = &paths.net;
            let aged: f64 = (0..chip.ports.len())
                .filter(|&k| net.port_flow[k] < 0.0)
                .map(|k| -net.port_flow[k] * out.ports[k].age_mean_s.unwrap())
                .sum();
            let regions: f64 = net.regions.iter().map(|r| r.area).sum();
            let pipes: f64 = net.pipes.iter().map(|p| p.length * p.width).sum();
            assert!((aged / (regions + pipes) - 1.0).abs() < 1e-9, "{aged}");
        }
    }
}

/// Two pipes that meet are one pipe: their joint is a region, whose map is nearly the identity.
#[test]
fn a_joint_between_two_pipes_is_one_pipe() {
    let pipe = |rest: &str, end: &str| {
        format!(
            "components = {{ p = {{ kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = {{ length = \"LENGTH m\" }} }}{rest} }}\nports = {{ in = {{ at = \"p.a\", flow_rate = \"1 m^2/s\" }}, out = {{ at = \"{end}.b\", pressure = \"0 Pa\" }} }}\n"
        )
    };
    let one = pipe("", "p").replace("LENGTH", "8");
    let two = ", q = { kind = \"pipe\", attach = \"a\", to = \"p.b\", parameters = { length = \"4 m\" } }";
    let two = pipe(two, "q").replace("LENGTH", "4");
    let spread = |text: &str, pe: f64| {
        let (chip, solution) = solved(text, 0.5, 6);
        let paths = Paths::of(&chip, &solution).unwrap();
        let mut species = dye(&chip, paths.net.largest / pe, &[("in", 1.0)]);
        species.inflow[0].steps.push((0.4, 0.0));
        let settings = Settings::default();
        let out = stokeslet_species::solve(&chip, &paths, &[species], settings, false).unwrap();
        let stream = out[0].streams.ports[1].clone().unwrap();
        (paths.net.regions.len(), stream.mean(), stream.variance())
    };
    for pe in [100.0, 1e4] {
        let (whole, joined) = (spread(&one, pe), spread(&two, pe));
        println!("Pe {pe}: {whole:?} {joined:?}");
        assert_eq!((whole.0, joined.0), (0, 1), "regions");
        assert!((whole.1 - joined.1).abs() < 1e-12, "means");
        // Variances fall from 0.24: the joint smears by less than half a cell.
        assert!((whole.2 - joined.2).abs() < 1e-3, "{whole:?} {joined:?}");
    }
}

/// Behind a tee the layer between two streams is broader at the floor, where fluid is slow, than at mid-depth.
#[test]
fn layers_are_broader_at_the_floor_than_at_mid_depth() {
    let (chip, solution) = solved(&TEE.replace("LENGTH", "6"), 0.5, 6);
    let paths = Paths::of(&chip, &solution).unwrap();
    let out = follow(&chip, &paths, 1000.0, &[("left", 1.0)], false);
    let port = chip.ports.iter().position(|p| p.name == "right").unwrap();
    let [ny, nz] = paths
        .space
        .as_ref()
        .unwrap()
        .cells(1.0, Settings::default().tubes);
    let values = &out.streams.ports[port].as_ref().unwrap().value;
    // From the middle of the layer, the root of the second moment of where c changes.
    let width = |row: usize| {
        let row = &values[row * ny..(row + 1) * ny];
        let steps = row.windows(2).enumerate();
        let moment = |p: i32, about: f64| -> f64 {
            let place = |i: usize| ((i + 1) as f64 / ny as f64 - about).powi(p);
            steps
                .clone()
                .map(|(i, w)| (w[1] - w[0]).abs() * place(i))
                .sum()
        };
        let middle = moment(1, 0.0) / moment(0, 0.0);
        (moment(2, middle) / moment(0, middle)).sqrt()
    };
    let (floor, middle) = (width(0), width(nz - 1));
    println!("floor {floor:.4}, mid-depth {middle:.4}");
    assert!(floor > 1.2 * middle, "{floor} {middle}");
}

/// Values at nodes are those of the streams: at ports, and in range; those in space at mid-depth are the plane's.
#[test]
fn nodes_have_the_values_of_streams() {
    let (chip, solution) = solved(&TEE.replace("LENGTH", "6"), 0.5, 6);
    let paths = Paths::of(&chip, &solution).unwrap();
    let out = follow(&chip, &paths, 300.0, &[("left", 1.0)], true);
    let settings = Settings::default();
    let plane = out.nodal(&chip, &solution.fields, &paths, settings);
    assert!(plane.iter().all(|c| (-1e-11..=1.0 + 1e-11).contains(c)));
    let in_space = solution.in_space.as_ref().unwrap();
    let all = out.in_space(&chip, &paths, settings, false).unwrap();
    assert_eq!(all.len(), in_space.nodes.len());
    let at = |p: Point| solution.fields.nodes.iter().position(|n| *n == p);
    let mut compared = 0;
    for (x, c) in in_space.nodes.iter().zip(&all) {
        if (x[2] - 0.25).abs() < 1e-9 {
            assert_eq!(*c, plane[at(Point::new(x[0], x[1])).unwrap()]);
            compared += 1;
        }
    }
    assert_eq!(compared, plane.len());
    // What enters from the left is in the left arm, and none of it in the other.
    let mean = |part: usize| {
        let cells = solution.fields.cells.iter().zip(&solution.fields.part);
        let nodes: Vec<u32> = cells
            .filter(|(_, p)| **p as usize == part)
            .flat_map(|(c, _)| *c)
            .collect();
        nodes.iter().map(|&n| plane[n as usize]).sum::<f64>() / nodes.len() as f64
    };
    assert!(mean(1) > 0.99 && mean(2) < 0.01 && (mean(3) - 0.5).abs() < 0.02);
    let ages = out
        .nodal_ages(&chip, &solution.fields, &paths, settings)
        .unwrap();
    assert!(ages.iter().all(|a| *a >= 0.0 && *a < 100.0));
}

/// Where all of the depth was solved only its lower half is followed: with the same result.
#[test]
fn half_of_the_depth_and_all_of_it_are_the_same() {
    let found = [false, true].map(|whole| {
        let depth = DepthSettings {
            whole,
            ..DepthSettings::default()
        };
        let chip = placed(CROSS, 0.5);
        let solution = Solver::new(&chip)
            .resolution(4)
            .depth(depth)
            .solve()
            .unwrap();
        let paths = Paths::of(&chip, &solution).unwrap();
        let out = follow(&chip, &paths, 300.0, &[("west", 1.0)], true);
        let all = out.in_space(&chip, &paths, Settings::default(), false);
        let in_space = solution.in_space.unwrap();
        assert_eq!(all.unwrap().len(), in_space.nodes.len());
        let means = out.ports.iter().map(|p| [p.mean, p.age_mean_s]);
        means.flatten().flatten().collect::<Vec<_>>()
    });
    let off = found[0].iter().zip(&found[1]).map(|(a, b)| (a - b).abs());
    let most = off.fold(0.0, f64::max);
    println!("{most:e} between half and all of the depth");
    // Lines on the bounds of cells may end in either.
    assert!(found[0].len() == 8 && most < 1e-3, "{found:?}");
}

#[test]
fn threads_change_no_bit() {
    let (chip, solution) = solved(CROSS, 0.5, 4);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let paths = Paths::of(&chip, &solution).unwrap();
            let out = follow(&chip, &paths, 1000.0, &[("west", 1.0)], true);
            let ports = serde_json::to_string(&out.ports).unwrap();
            (
                ports,
                out.nodal(&chip, &solution.fields, &paths, Settings::default()),
            )
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn elements_are_refused() {
    let (chip, solution) = solved(CROSS, 0.5, 4);
    let paths = Paths::of(&chip, &solution).unwrap();
    let settings = Settings {
        engine: Engine::Elliptic,
        ..Settings::default()
    };
    let species = dye(&chip, 1.0, &[("west", 1.0)]);
    let found = stokeslet_species::solve(&chip, &paths, &[species], settings, false);
    assert_eq!(found.err(), Some(SpeciesError::ElementsInSpace));
}
