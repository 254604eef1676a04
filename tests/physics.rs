//! What holds of any Stokes flow, whatever the chip: balances, reciprocity, linearity, reversal.

use faer::{Mat, Side};
use stokeslet::chip::{Chip, Condition};
use stokeslet::design::{DepthModel, SIDE_LAYER_FACTOR};
use stokeslet::fem::lagrange::cell_point;
use stokeslet::fem::quadrature;
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::{PortKind, Solution};
use stokeslet::shape::Shape;

#[macro_use]
mod support;
use support::chips::{
    Builder, all_designs, arc, from_file, lattice, square, straight, tee, with_conditions,
};
use support::{largest, order, solved};

const W: f64 = 1e-4;
const ARMS: [f64; 3] = [4.0 * W, 3.0 * W, 5.5 * W];

/// The tee with each kind of conditions: pressures only, all kinds, flow rates only.
fn tees() -> Vec<Chip> {
    use Condition::{FlowRate, Pressure, TractionFree};
    let conditions = [
        ("pressures", [Pressure(3.0), Pressure(-1.0), Pressure(0.5)]),
        (
            "flow, pressure, traction-free",
            [FlowRate(1e-7), Pressure(2.0), TractionFree],
        ),
        (
            "two flows and a pressure",
            [FlowRate(1e-7), FlowRate(4e-8), Pressure(2.0)],
        ),
        ("flows", [FlowRate(1e-7), FlowRate(-3e-8), FlowRate(-7e-8)]),
    ];
    conditions
        .map(|(name, conditions)| Chip {
            name: name.into(),
            ..tee(ARMS, W, conditions)
        })
        .to_vec()
}

fn more_chips() -> Vec<Chip> {
    let mut chips = tees();
    for chip in tees() {
        chips.push(Chip {
            name: format!("shallow {}", chip.name),
            model: DepthModel::Shallow,
            depth: Some(0.7 * W),
            ..chip
        });
    }
    let network = lattice(3);
    let p = |k: usize| Condition::Pressure([1.0, 0.3, -2.0, 0.0][k]);
    chips.push(with_conditions(&network, &[p(0), p(1), p(2), p(3)]));
    let q = |k: usize| Condition::FlowRate([0.01, 0.003, -0.005, -0.008][k]);
    chips.push(with_conditions(&network, &[q(0), q(1), q(2), q(3)]));
    chips.push(with_conditions(
        &network,
        &[q(0), p(1), q(2), Condition::TractionFree],
    ));
    chips
}

#[test]
fn conductance_is_symmetric_semidefinite_and_blind_to_a_constant_pressure() {
    for chip in more_chips().into_iter().chain([from_file("voronoi-s15")]) {
        let g = solved(&chip, 4).conductance;
        let n = chip.ports.len();
        let names: Vec<&str> = chip.ports.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(g.ports, names, "ports in the chip's order");
        let size = (0..n).map(|i| g.matrix[i][i]).fold(f64::INFINITY, f64::min);
        assert!(size > 0.0, "{}: every port lets something in", chip.name);
        let rel = 1e-10;
        for i in 0..n {
            assert_small!(
                g.matrix[i].iter().sum::<f64>(),
                g.matrix[i][i],
                rel,
                "row {i} of {}: equal pressures drive nothing",
                chip.name
            );
            for j in 0..n {
                let scale = g.matrix[i][i].max(g.matrix[j][j]);
                assert_small!(
                    g.matrix[i][j] - g.matrix[j][i],
                    scale,
                    rel,
                    "reciprocity of ports {i} and {j} of {}",
                    chip.name
                );
                assert!(
                    i == j || g.matrix[i][j] <= 1e-10 * scale,
                    "{}: pressure at {j} drives flow out at {i}",
                    chip.name
                );
            }
        }
        let m = Mat::from_fn(n, n, |i, j| 0.5 * (g.matrix[i][j] + g.matrix[j][i]));
        let eigenvalues = m.self_adjoint_eigenvalues(Side::Lower).unwrap();
        let most = eigenvalues[n - 1];
        assert!(
            eigenvalues[0] > -rel * most,
            "{}: nothing flows by itself: {eigenvalues:?}",
            chip.name
        );
        assert!(
            eigenvalues[1] > 1e-6 * most,
            "{}: one connected component, so one null vector: {eigenvalues:?}",
            chip.name
        );
    }
}

#[test]
fn the_conductance_does_not_depend_on_the_conditions_that_it_was_found_with() {
    let all: Vec<Vec<Vec<f64>>> = tees()
        .iter()
        .map(|chip| solved(chip, 6).conductance.matrix)
        .collect();
    for (chip, g) in tees().iter().zip(&all) {
        for i in 0..3 {
            for j in 0..3 {
                // Developed flow and developed pressure differ by what decays along arms of a few widths; a port that is free of
                // traction bends the flow before it.
                let is_free = chip
                    .ports
                    .iter()
                    .any(|p| matches!(p.condition, Condition::TractionFree));
                let rel = if is_free { 1e-2 } else { 1e-4 };
                assert_close!(
                    g[i][j],
                    all[0][i][j],
                    rel,
                    "conductance {i} {j} with {}",
                    chip.name
                );
            }
        }
    }
}

#[test]
fn conductance_times_given_pressures_gives_the_solved_flows() {
    for chip in more_chips() {
        let s = solved(&chip, 4);
        let size = largest(s.ports.iter().map(|p| p.flow_rate));
        let only_pressures = s.ports.iter().all(|p| p.kind == PortKind::Pressure);
        for (row, port) in s.conductance.matrix.iter().zip(&s.ports) {
            // A pressure port's mean pressure is the given one up to the mesh near the port; the given one counts.
            let pressure = |k: usize| match chip.ports[k].condition {
                Condition::Pressure(p) => p,
                Condition::TractionFree => 0.0,
                Condition::FlowRate(_) => s.ports[k].mean_pressure,
            };
            let flow: f64 = row.iter().enumerate().map(|(k, g)| g * pressure(k)).sum();
            // Where flow is given, the dual pressure is the work's, which a developed flow shares with the mean.
            let rel = if only_pressures { 1e-9 } else { 1e-2 };
            assert_small!(
                flow - port.flow_rate,
                size,
                rel,
                "flow at {} of {}",
                port.id,
                chip.name
            );
        }
    }
}

/// Heat that the flow makes: integral of 2 mu eps : eps and, between near walls above and below, of 12 mu |u|^2 / depth^2.
///
/// Per metre of depth, W/m, by quadrature of our own over the fields.
fn dissipation(chip: &Chip, s: &Solution) -> f64 {
    let side = match chip.model {
        DepthModel::Shallow => SIDE_LAYER_FACTOR,
        _ => 1.0,
    };
    let drag = chip
        .depth
        .filter(|_| chip.model != DepthModel::Planar)
        .map_or(0.0, |depth| 12.0 / (depth * depth));
    let rule = quadrature::simplex::<2>(8);
    let mut heat = 0.0;
    for cell in &s.fields.cells {
        let nodes = cell.map(|n| [s.fields.nodes[n as usize].x, s.fields.nodes[n as usize].y]);
        let values = cell.map(|n| s.fields.velocity[n as usize]);
        for (l, w) in rule.points.iter().zip(&rule.weights) {
            let point = cell_point::<2>(&nodes, l);
            let mut gradient = [[0.0; 2]; 2];
            let mut u = Point::default();
            for ((v, g), phi) in values.iter().zip(&point.gradients).zip(&point.values) {
                u = u + *v * *phi;
                for j in 0..2 {
                    gradient[0][j] += v.x * g[j];
                    gradient[1][j] += v.y * g[j];
                }
            }
            let off = 0.5 * (gradient[0][1] + gradient[1][0]);
            let rate = gradient[0][0].powi(2) + gradient[1][1].powi(2) + 2.0 * off * off;
            heat += chip.viscosity * (2.0 * side * rate + drag * u.dot(u)) * w * point.det_jacobian;
        }
    }
    heat
}

#[test]
fn the_heat_made_is_the_work_done_at_the_ports() {
    let straight_walls = more_chips().into_iter().filter(|c| {
        c.ports
            .iter()
            .all(|p| matches!(p.condition, Condition::Pressure(_)))
    });
    let mut b = Builder::new("arc");
    let bend = b.place(arc(0.8 * W, 2.0, W), Motion::new(0.3, Point::default()));
    let pipe = b.attach(straight(2.0 * W, W), 0, (bend, 1));
    b.port("a", (bend, 0), Condition::Pressure(5.0));
    b.port("b", (pipe, 1), Condition::Pressure(1.0));
    // Curved cells are integrated with a rule that is exact for straight ones.
    let cases = straight_walls.map(|c| (c, 1e-9)).chain([(b.chip, 1e-6)]);
    let mut n_cases = 0;
    for (chip, rel) in cases {
        let s = solved(&chip, 4);
        let work: f64 = chip
            .ports
            .iter()
            .zip(&s.ports)
            .map(|(port, result)| match port.condition {
                Condition::Pressure(p) => p * result.flow_rate / chip.depth.unwrap_or(1.0),
                _ => unreachable!("pressure ports only"),
            })
            .sum();
        let heat = dissipation(&chip, &s);
        println!(
            "{}: heat {heat:.6e}, off by {:.1e}",
            chip.name,
            heat / work - 1.0
        );
        assert!(heat > 0.0, "{}: something flows", chip.name);
        assert_close!(heat, work, rel, "energy balance of {}", chip.name);
        n_cases += 1;
    }
    assert!(n_cases >= 4, "tee, shallow tee, lattice, arc");
}

#[test]
fn doubling_the_viscosity_halves_what_pressures_drive_and_doubles_what_flows_need() {
    for chip in more_chips() {
        let thick = Chip {
            viscosity: 2.0 * chip.viscosity,
            ..chip.clone()
        };
        let (thin, thick) = (solved(&chip, 4), solved(&thick, 4));
        let kinds = |kind| {
            chip.ports
                .iter()
                .all(|p| kind == matches!(p.condition, Condition::Pressure(_)))
        };
        for (row, thick_row) in thin
            .conductance
            .matrix
            .iter()
            .zip(&thick.conductance.matrix)
        {
            let size = largest(row.iter().copied());
            for (g, h) in row.iter().zip(thick_row) {
                assert_small!(g - 2.0 * h, size, 1e-9, "conductance of {}", chip.name);
            }
        }
        let flow_size = largest(thin.ports.iter().map(|p| p.flow_rate));
        let pressure_size = largest(thick.ports.iter().map(|p| p.mean_pressure));
        for (a, b) in thin.ports.iter().zip(&thick.ports) {
            if kinds(true) {
                assert_small!(
                    a.flow_rate - 2.0 * b.flow_rate,
                    flow_size,
                    1e-9,
                    "{} of {}",
                    a.id,
                    chip.name
                );
            }
            if chip
                .ports
                .iter()
                .all(|p| matches!(p.condition, Condition::FlowRate(_)))
            {
                assert_small!(
                    2.0 * a.mean_pressure - b.mean_pressure,
                    pressure_size,
                    1e-9,
                    "{} of {}",
                    a.id,
                    chip.name
                );
            }
        }
    }
}

#[test]
fn where_only_flows_are_given_the_lowest_port_is_the_zero_of_pressure() {
    for flows in [
        [1e-9, -3e-10, -7e-10],
        [-1e-9, 3e-10, 7e-10],
        [0.0, -2e-9, 2e-9],
    ] {
        let s = solved(&tee(ARMS, W, flows.map(Condition::FlowRate)), 5);
        let pressures: Vec<f64> = s.ports.iter().map(|p| p.pressure).collect();
        let lowest = pressures.iter().copied().fold(f64::INFINITY, f64::min);
        let size = largest(pressures.iter().copied());
        assert!(size > 0.0, "something flows");
        assert_small!(lowest, size, 1e-12, "lowest of {pressures:?}");
        let most_out = (0..3)
            .min_by(|a, b| flows[*a].total_cmp(&flows[*b]))
            .unwrap();
        assert_small!(
            pressures[most_out],
            size,
            1e-12,
            "most flows out where pressure is lowest"
        );
        for (port, flow) in s.ports.iter().zip(flows) {
            assert_eq!(port.flow_rate, flow, "given flows are given back");
        }
    }
}

/// The chip with every condition times `factor`.
fn driven(chip: &Chip, factor: f64) -> Chip {
    let conditions: Vec<Condition> = chip
        .ports
        .iter()
        .map(|p| match p.condition {
            Condition::FlowRate(q) => Condition::FlowRate(factor * q),
            Condition::Pressure(p) => Condition::Pressure(factor * p),
            Condition::TractionFree => Condition::TractionFree,
        })
        .collect();
    with_conditions(chip, &conditions)
}

#[test]
fn the_flow_is_linear_and_reverses_with_its_conditions() {
    for chip in more_chips() {
        let want = solved(&chip, 4);
        for factor in [-1.0, 3.7, -1e-6, 1e6] {
            let got = solved(&driven(&chip, factor), 4);
            let what = format!("{} driven {factor} times", chip.name);
            let (speed, top) = (
                want.max_speed.expect("fields").0,
                largest(want.fields.pressure.iter().copied()),
            );
            // Only differences of pressure count where nothing fixes it: the zero moves to another port when flow reverses.
            let zero = if chip.fixes_pressure() {
                0.0
            } else {
                got.fields.pressure[0] / factor - want.fields.pressure[0]
            };
            for n in 0..want.fields.nodes.len() {
                let v = got.fields.velocity[n] * (1.0 / factor) - want.fields.velocity[n];
                assert_small!(v.norm(), speed, 1e-8, "velocity {n}, {what}");
                let p = got.fields.pressure[n] / factor - want.fields.pressure[n] - zero;
                assert_small!(p, top, 1e-8, "pressure {n}, {what}");
            }
            let flow = largest(want.ports.iter().map(|p| p.flow_rate));
            for (a, b) in got.ports.iter().zip(&want.ports) {
                assert_small!(
                    a.flow_rate / factor - b.flow_rate,
                    flow,
                    1e-9,
                    "{} of {what}",
                    a.id
                );
            }
        }
    }
}

#[test]
fn nothing_flows_where_nothing_drives() {
    use Condition::{FlowRate, Pressure, TractionFree};
    for (conditions, pressure) in [
        ([Pressure(7.0), Pressure(7.0), Pressure(7.0)], 7.0),
        ([FlowRate(0.0), Pressure(-2.0), Pressure(-2.0)], -2.0),
        ([FlowRate(0.0), FlowRate(0.0), FlowRate(0.0)], 0.0),
        ([TractionFree, Pressure(0.0), FlowRate(0.0)], 0.0),
    ] {
        let s = solved(&tee(ARMS, W, conditions), 4);
        // 7 Pa would drive about 1e-2 m/s down a pipe of a millimetre.
        assert!(
            s.max_speed.expect("fields").0 <= 1e-12,
            "{conditions:?}: {} m/s",
            s.max_speed.expect("fields").0
        );
        for p in &s.fields.pressure {
            assert!((p - pressure).abs() <= 1e-9, "{conditions:?}: {p} Pa");
        }
        assert!(!s.report.mass_imbalance.is_nan(), "no imbalance of nothing");
    }
}

#[test]
fn superposed_flows_add_up() {
    let base = lattice(3);
    let p = |v: [f64; 4]| with_conditions(&base, &v.map(Condition::Pressure));
    let (a, b, both) = (
        solved(&p([1.0, 0.0, -0.5, 0.0]), 4),
        solved(&p([0.0, 2.0, 0.25, 1.0]), 4),
        solved(&p([1.0, 2.0, -0.25, 1.0]), 4),
    );
    for n in 0..both.fields.nodes.len() {
        let off = a.fields.velocity[n] + b.fields.velocity[n] - both.fields.velocity[n];
        assert_small!(
            off.norm(),
            both.max_speed.expect("fields").0,
            1e-8,
            "velocity at node {n}"
        );
    }
}

#[test]
fn mass_is_conserved_on_every_design() {
    let names = all_designs();
    assert!(names.len() >= 5, "designs are found");
    for name in names {
        let chip = from_file(&name);
        let s = solved(&chip, 4);
        println!(
            "{name}: {} unknowns, mass imbalance {:.1e}, residual {:.1e}, {} refinement steps",
            s.report.unknowns,
            s.report.mass_imbalance,
            s.report.relative_residual,
            s.report.refinement_steps
        );
        assert_small!(s.report.mass_imbalance, 1.0, 1e-9, "mass balance of {name}");
        assert_small!(s.report.relative_residual, 1.0, 1e-10, "residual of {name}");
        let sum: f64 = s.ports.iter().map(|p| p.flow_rate).sum();
        let size = largest(s.ports.iter().map(|p| p.flow_rate));
        assert!(size > 0.0, "{name}: something flows");
        assert_small!(sum, size, 2e-9, "flows of the ports of {name}");
    }
}

#[test]
fn mass_imbalance_counts_flow_that_is_given_wrong() {
    // What `place` would refuse: the solver may fail, but it must not return a flow that looks balanced.
    use Condition::FlowRate;
    let chip = tee(
        ARMS,
        W,
        [FlowRate(1e-9), FlowRate(-3e-10), FlowRate(-6e-10)],
    );
    let result = stokeslet::session::solve(
        &chip,
        &support::at(4),
        &stokeslet::table::Table::default(),
        &|_, _| {},
        &stokeslet::cancel::CancelToken::new(),
    );
    if let Ok(s) = result {
        assert!(
            s.report.mass_imbalance > 0.01,
            "imbalance {:e}",
            s.report.mass_imbalance
        );
    }
}

/// A square chamber four widths wide between two narrow channels and one more in its lower wall.
fn chamber() -> Chip {
    let corners = [
        (0.0, 0.0),
        (2.5, 0.0),
        (3.5, 0.0),
        (4.0, 0.0),
        (4.0, 2.5),
        (4.0, 3.5),
        (4.0, 4.0),
        (0.0, 4.0),
        (0.0, 2.0),
        (0.0, 1.0),
    ];
    let mut b = Builder::new("chamber");
    let room = b.place(
        Shape::Polygon {
            corners: corners.map(|(x, y)| Point::new(x * W, y * W)).to_vec(),
            sockets: vec![8, 4, 1],
            holes: Vec::new(),
        },
        Motion::IDENTITY,
    );
    for (k, condition) in [
        Condition::FlowRate(1e-9),
        Condition::Pressure(0.0),
        Condition::TractionFree,
    ]
    .into_iter()
    .enumerate()
    {
        let pipe = b.attach(straight(4.0 * W, W), 0, (room, k));
        b.port(&format!("port{k}"), (pipe, 1), condition);
    }
    b.chip
}

/// The pressure that a chip's one pressure port gives.
fn given_pressure(chip: &Chip) -> f64 {
    let mut given = chip.ports.iter().filter_map(|p| match p.condition {
        Condition::Pressure(p) => Some(p),
        _ => None,
    });
    given.next().expect("the chips of this test have one")
}

#[test]
fn port_results_approach_a_finer_solution_as_r_grows() {
    let bent = {
        let mut b = Builder::new("bends");
        let mut at = (b.place(straight(3.0 * W, W), Motion::IDENTITY), 1);
        for side in [2, 0] {
            let corner = b.attach(square(W, &[3, side]), usize::from(side == 0), at);
            // Sockets are numbered in the order given: 0 is the left side, 1 the other.
            let next = b.attach(straight(2.0 * W, W), 0, (corner, usize::from(side != 0)));
            at = (next, 1);
        }
        b.port("in", (0, 0), Condition::FlowRate(1e-9));
        b.port("out", at, Condition::Pressure(0.0));
        b.chip
    };
    for chip in [tees().remove(2), chamber(), bent] {
        let fine = solved(&chip, 24);
        let given = given_pressure(&chip);
        let resistance = |s: &Solution| s.ports[0].mean_pressure - given;
        let mut last: Option<(u32, f64)> = None;
        for r in [4, 8, 16] {
            let s = solved(&chip, r);
            let error = (resistance(&s) / resistance(&fine) - 1.0).abs();
            if let Some((coarse_r, coarse)) = last {
                let order = order((coarse_r, coarse), (r, error));
                println!("{} at r = {r}: {error:.2e}, order {order:.2}", chip.name);
                // Corners that stick out into the flow leave order 2 x 0.545 = 1.09 in the end.
                assert!(
                    order > 0.7,
                    "inlet pressure of {} approaches the finer one at order {order}",
                    chip.name
                );
            }
            last = Some((r, error));
        }
        assert_small!(
            last.unwrap().1,
            1.0,
            3e-3,
            "inlet pressure of {} at r = 16",
            chip.name
        );
    }
}
