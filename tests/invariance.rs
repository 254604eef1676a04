//! A chip moved, turned, mirrored or scaled as a whole: the same flow, and for the moves nothing computed again.

use std::f64::consts::{FRAC_PI_2, PI};

use stokeslet::chip::{Chip, Condition};
use stokeslet::design::DepthModel;
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::Solution;
use stokeslet::shape::{Shape, Strip};
use stokeslet::table::Table;

#[macro_use]
mod support;
use support::chips::{Builder, arc, from_file, lattice, square, straight, tee};
use support::{at, largest, solved, solved_with};

const MIXED: [Condition; 3] = [
    Condition::FlowRate(1e-9),
    Condition::Pressure(2.0),
    Condition::TractionFree,
];

/// Every kind of part: pipe, arc, taper, square, irregular polygon.
fn medley() -> Chip {
    let w = 1e-4;
    let mut b = Builder::new("medley");
    let middle = b.place(
        square(w, &[3, 1, 2]),
        Motion::new(0.2, Point::new(1e-4, -2e-4)),
    );
    let bend = b.attach(arc(1.3 * w, 1.1, w), 0, (middle, 1));
    let taper = Shape::Strip(Strip::Straight {
        length: 3.0 * w,
        width_start: w,
        width_end: 1.6 * w,
    });
    let left = b.attach(taper, 0, (middle, 0));
    let kite = Shape::Polygon {
        corners: [(-0.5, 0.0), (0.5, 0.0), (0.9, 1.1), (0.0, 1.6), (-0.6, 0.8)]
            .map(|(x, y)| Point::new(x * w, y * w))
            .to_vec(),
        sockets: vec![0],
        holes: Vec::new(),
    };
    let up = b.attach(straight(1.5 * w, w), 0, (middle, 2));
    b.attach(kite, 0, (up, 1));
    let last = b.attach(straight(1.2 * w, w), 1, (bend, 1));
    b.port("out", (last, 0), Condition::Pressure(1.0));
    b.port("in", (left, 1), Condition::Pressure(20.0));
    b.chip
}

fn chips() -> Vec<Chip> {
    let mut shallow = tee([4e-4, 3e-4, 5.5e-4], 1e-4, MIXED);
    shallow.model = DepthModel::Shallow;
    shallow.depth = Some(6e-5);
    shallow.name = "shallow tee".into();
    let enclosed = [
        Condition::FlowRate(2e-9),
        Condition::FlowRate(-5e-10),
        Condition::FlowRate(-1.5e-9),
    ];
    let mut enclosed = tee([4e-4, 3e-4, 5.5e-4], 1e-4, enclosed);
    enclosed.name = "enclosed tee".into();
    vec![
        tee([4e-4, 3e-4, 5.5e-4], 1e-4, MIXED),
        shallow,
        enclosed,
        medley(),
        lattice(4),
        from_file("voronoi-s4"),
    ]
}

fn motions() -> Vec<Motion> {
    let mirror = |angle, x, y| Motion {
        angle,
        mirror: true,
        translation: Point::new(x, y),
    };
    vec![
        Motion::new(0.0, Point::new(3e-3, -7e-3)),
        Motion::new(FRAC_PI_2, Point::default()),
        Motion::new(PI, Point::new(1e-3, 0.0)),
        Motion::new(0.7, Point::new(-2e-3, 1e-3)),
        Motion::new(-2.9, Point::new(1e-3, 5e-3)),
        mirror(0.0, 0.0, 0.0),
        mirror(1.234, 2e-3, 2e-3),
    ]
}

/// Powers of the scale that a result is multiplied by when lengths are.
struct Powers {
    flow: i32,
    pressure: i32,
    conductance: i32,
}

const SAME: Powers = Powers {
    flow: 0,
    pressure: 0,
    conductance: 0,
};

/// Checks ports, conductance, peak speed and wall shear; each against the greatest of its kind.
fn assert_same(
    got: &Solution,
    want: &Solution,
    (scale, powers): (f64, &Powers),
    rel: f64,
    what: &str,
) {
    let compare = |name: &str, got: Vec<f64>, want: Vec<f64>, power: i32| {
        assert_eq!(got.len(), want.len(), "{name} of {what}");
        let factor = scale.powi(power);
        let size = largest(want.iter().copied()) * factor;
        assert!(size > 0.0, "{name} of {what} is not zero");
        let off = largest(got.iter().zip(&want).map(|(g, w)| g - w * factor));
        assert_small!(off, size, rel, "{name} of {what}");
    };
    let flows = |s: &Solution| s.ports.iter().map(|p| p.flow_rate).collect();
    let pressures = |s: &Solution| s.ports.iter().map(|p| p.mean_pressure).collect();
    let conductances = |s: &Solution| s.conductance.matrix.concat();
    compare("flow", flows(got), flows(want), powers.flow);
    compare("pressure", pressures(got), pressures(want), powers.pressure);
    compare(
        "conductance",
        conductances(got),
        conductances(want),
        powers.conductance,
    );
    // Stress goes with pressure; speed = stress * length / viscosity.
    compare(
        "peak speed",
        vec![got.max_speed.expect("fields").0],
        vec![want.max_speed.expect("fields").0],
        powers.pressure + 1,
    );
    compare(
        "wall shear",
        vec![
            got.wall_shear.expect("fields").mean,
            got.wall_shear.expect("fields").max,
        ],
        vec![
            want.wall_shear.expect("fields").mean,
            want.wall_shear.expect("fields").max,
        ],
        powers.pressure,
    );
}

#[test]
fn moved_turned_and_mirrored_chips_flow_alike_and_recompute_nothing() {
    for chip in chips() {
        let table = Table::with_budget(1 << 30);
        let want = solved_with(&chip, &at(4), &table);
        let known = table.len();
        assert!(known > 0, "{}: the table keeps results", chip.name);
        for motion in motions() {
            let what = format!("{} after {motion:?}", chip.name);
            let got = solved_with(&chip.moved(motion), &at(4), &table);
            assert_eq!(table.len(), known, "{what}: nothing is computed again");
            let (a, b) = (&got.report, &want.report);
            assert_eq!(
                (a.unique_matrices, a.canonical_blocks, a.blocks, a.unknowns),
                (b.unique_matrices, b.canonical_blocks, b.blocks, b.unknowns),
                "{what}: the same blocks and matrices"
            );
            assert_eq!(
                (a.computed_matrices, a.flops),
                (b.computed_matrices, b.flops),
                "{what}: the same plan"
            );
            assert_same(&got, &want, (1.0, &SAME), 1e-9, &what);
        }
    }
}

#[test]
fn fields_turn_with_the_chip() {
    let chip = medley();
    let want = solved(&chip, 5);
    for motion in motions() {
        let got = solved(&chip.moved(motion), 5);
        let n = want.fields.nodes.len();
        assert_eq!(got.fields.nodes.len(), n, "as many nodes after {motion:?}");
        let peak = largest(want.fields.pressure.iter().copied());
        for k in 0..n {
            let place = motion.apply(want.fields.nodes[k]);
            assert_small!(
                (got.fields.nodes[k] - place).norm(),
                1e-4,
                1e-9,
                "node {k} after {motion:?}"
            );
            let v = motion.rotate(want.fields.velocity[k]);
            assert_small!(
                (got.fields.velocity[k] - v).norm(),
                want.max_speed.expect("fields").0,
                1e-9,
                "velocity {k} after {motion:?}"
            );
            let p = got.fields.pressure[k] - want.fields.pressure[k];
            assert_small!(p, peak, 1e-9, "pressure {k} after {motion:?}");
        }
        // Cells stay counter-clockwise, and wall edges stay on walls.
        for cell in &got.fields.cells {
            let [a, b, c] = [cell[0], cell[1], cell[2]].map(|n| got.fields.nodes[n as usize]);
            let (u, v) = (b - a, c - a);
            assert!(
                u.x * v.y - u.y * v.x > 0.0,
                "cells are counter-clockwise after {motion:?}"
            );
        }
        for &(cell, edge) in &got.fields.walls {
            let cell = got.fields.cells[cell as usize];
            for n in [
                cell[edge as usize],
                cell[(edge as usize + 1) % 3],
                cell[3 + edge as usize],
            ] {
                let v = got.fields.velocity[n as usize].norm();
                assert_small!(
                    v,
                    want.max_speed.expect("fields").0,
                    1e-12,
                    "no slip on walls after {motion:?}"
                );
            }
        }
    }
}

#[test]
fn a_far_away_chip_flows_alike() {
    // A millimetre of chip ten metres from its origin: positions lose four digits, shapes none.
    let chip = medley();
    let want = solved(&chip, 4);
    let got = solved(&chip.moved(Motion::new(0.4, Point::new(10.0, -7.0))), 4);
    assert_same(&got, &want, (1.0, &SAME), 1e-9, "medley far away");
}

#[test]
fn scaled_chips_flow_with_the_powers_of_the_scale() {
    for chip in chips() {
        let with_depth = i32::from(chip.depth.is_some());
        let only_pressures = chip
            .ports
            .iter()
            .all(|p| matches!(p.condition, Condition::Pressure(_)));
        let mut chip = chip;
        if !only_pressures {
            // Given pressures other than zero beside given flows have no common power.
            for port in &mut chip.ports {
                if matches!(port.condition, Condition::Pressure(_)) {
                    port.condition = Condition::Pressure(0.0);
                }
            }
        }
        // Planar: dp ~ mu Q / w^2 for Q per depth.
        let powers = Powers {
            flow: if only_pressures { 2 } else { 0 } + with_depth,
            pressure: if only_pressures { 0 } else { -2 },
            conductance: 2 + with_depth,
        };
        let table = Table::with_budget(1 << 30);
        let want = solved_with(&chip, &at(4), &table);
        let known = table.len();
        for scale in [0.25, 8.0, 1.7e-3, 31.4] {
            let what = format!("{} scaled by {scale}", chip.name);
            let got = solved_with(&chip.scaled(scale), &at(4), &table);
            assert_eq!(
                got.report.unique_matrices, want.report.unique_matrices,
                "{what}: the same matrices"
            );
            assert_same(&got, &want, (scale, &powers), 1e-9, &what);
            if scale.log2().fract() == 0.0 {
                assert_eq!(
                    table.len(),
                    known,
                    "{what}: powers of two round nothing, so nothing is computed again"
                );
            }
        }
    }
}

#[test]
fn parts_given_from_their_other_end_make_the_same_chip() {
    // A pipe given from its other end, a square turned by a quarter: other words for the same chip.
    let w = 1e-4;
    let build = |flip: bool| {
        let mut b = Builder::new("tee");
        let turn = if flip { FRAC_PI_2 } else { 0.0 };
        // Sides in the square's own frame: a quarter turn takes side k to side k + 1.
        let sides: Vec<usize> = [3, 1, 2]
            .iter()
            .map(|k| if flip { (k + 3) % 4 } else { *k })
            .collect();
        let middle = b.place(square(w, &sides), Motion::new(turn, Point::default()));
        for (k, condition) in MIXED.into_iter().enumerate() {
            let own = usize::from(flip);
            let arm = b.attach(straight((3.0 + k as f64) * w, w), own, (middle, k));
            b.port(&format!("port{k}"), (arm, 1 - own), condition);
        }
        b.chip
    };
    let (want, got) = (solved(&build(false), 4), solved(&build(true), 4));
    assert_eq!(got.report.unknowns, want.report.unknowns, "the same chip");
    for (i, row) in want.conductance.matrix.iter().enumerate() {
        for (j, g) in row.iter().enumerate() {
            assert_close!(
                got.conductance.matrix[i][j],
                *g,
                1e-9,
                "conductance {i} {j} of flipped parts"
            );
        }
    }
}

/// A stem, a part that parts the flow, and two arms that are mirror images at y = 0, each with a corner and an arc of its own.
fn forked(middle: Shape, stem: usize, arms: [usize; 2]) -> Chip {
    let w = 1e-4;
    let mut b = Builder::new("forked");
    let stem_socket = middle.sockets()[stem];
    let turn = Motion::new(PI - stem_socket.direction, Point::default());
    let middle = b.place(middle, turn);
    let stem = b.attach(straight(2.4 * w, w), 1, (middle, stem));
    b.port("in", (stem, 0), Condition::FlowRate(1e-9));
    // Lengths of odd and of broken numbers of cells; the twin is given from its other end.
    let length = 2.62 * w;
    for (k, &arm) in arms.iter().enumerate() {
        let pipe = b.attach(straight(length, w), k, (middle, arm));
        let bend = b.attach(square(w, &[3, [0, 2][k]]), 0, (pipe, 1 - k));
        let round = b.attach(arc(1.2 * w, 0.9, w), k, (bend, 1));
        let last = b.attach(straight(1.9 * w, w), k, (round, 1 - k));
        b.port(&format!("out{k}"), (last, 1 - k), Condition::Pressure(0.0));
    }
    b.chip
}

/// What leaves a symmetric chip leaves it evenly: meshes of pipes, of symmetric junctions on a grid and off it, of posts are symmetric.
#[test]
fn mirror_symmetric_pairs_carry_the_same_flow() {
    use stokeslet::shape::Hole;
    let w = 1e-4;
    let p = |x: f64, y: f64| Point::new(x * w, y * w);
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let y_corners = vec![
        p(-0.6, -0.5),
        p(0.2, -0.5),
        p(h, -0.5 - h),
        p(2.0 * h, -0.5),
        p(2.0 * h - 0.5, 0.0),
        p(2.0 * h, 0.5),
        p(h, 0.5 + h),
        p(0.2, 0.5),
        p(-0.6, 0.5),
    ];
    let with_posts = |holes: Vec<Hole>| Shape::Polygon {
        corners: y_corners.clone(),
        sockets: vec![8, 2, 5],
        holes,
    };
    let post = |x: f64, y: f64, r: f64| Hole::Circle {
        centre: p(x, y),
        radius: r * w,
    };
    let posts = vec![
        post(0.3, 0.0, 0.12),
        post(-0.2, 0.25, 0.1),
        post(-0.2, -0.25, 0.1),
    ];
    for (name, shape, resolutions) in [
        ("tee", square(w, &[3, 0, 2]), vec![4, 5, 8]),
        ("Y", with_posts(vec![]), vec![4, 8]),
        ("Y with posts", with_posts(posts), vec![4, 8]),
    ] {
        let chip = forked(shape, 0, [1, 2]);
        for r in resolutions {
            let s = solved(&chip, r);
            let [one, other] = [1, 2].map(|k| s.ports[k].flow_rate);
            println!(
                "{name}, r = {r}: {:.1e}, residual {:.1e}, imbalance {:.1e}, {} steps",
                (one / other - 1.0).abs(),
                s.report.relative_residual,
                s.report.mass_imbalance,
                s.report.refinement_steps
            );
            assert_close!(one, other, 1e-9, "{name}, r = {r}");
            assert_close!(one, -0.5e-9, 1e-9, "{name}, r = {r}");
        }
    }
}
