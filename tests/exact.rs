//! Flows with a closed form: those that the elements hold are met to rounding, the others at the order that the mesh allows.

use std::f64::consts::{FRAC_PI_2, PI};

use stokeslet::chip::Condition;
use stokeslet::design::{DepthModel, SIDE_LAYER_FACTOR};
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::Solution;
use stokeslet::shape::{Shape, Strip};
use stokeslet::stokes::duct;

#[macro_use]
mod support;
use support::chips::{Builder, arc, channel, from_text, straight};
use support::{largest, order, solved};

const MU: f64 = 1e-3;
const W: f64 = 1e-4;

/// Checks every nodal value against Poiseuille flow along +x of the frame `channel`, from x = 0 at pressure `p0` with a
/// gradient of `-fall` Pa/m, in a channel of width `width` about the x axis.
fn assert_poiseuille(
    s: &Solution,
    channel: Motion,
    width: f64,
    p0: f64,
    fall: f64,
    rel: f64,
    what: &str,
) {
    let back = channel.inverse();
    let f = &s.fields;
    let speed = fall * width * width / (8.0 * MU);
    let (mut u_error, mut p_error, mut p_scale) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (n, &at) in f.nodes.iter().enumerate() {
        let p = back.apply(at);
        let u = channel.rotate(Point::new(
            fall / (2.0 * MU) * (width * width / 4.0 - p.y * p.y),
            0.0,
        ));
        u_error = u_error.max((f.velocity[n] - u).norm());
        let pressure = p0 - fall * p.x;
        p_error = p_error.max((f.pressure[n] - pressure).abs());
        p_scale = p_scale.max(pressure.abs());
    }
    println!(
        "{what}: velocity {:.1e}, pressure {:.1e}",
        u_error / speed,
        p_error / p_scale
    );
    assert!(
        !f.nodes.is_empty() && f.velocity.len() == f.nodes.len(),
        "{what} has nodes"
    );
    assert_small!(
        u_error,
        speed,
        rel,
        "velocity of {what}: P2 holds the parabola"
    );
    assert_small!(
        p_error,
        p_scale,
        rel,
        "pressure of {what}: P1 holds the linear fall"
    );
}

#[test]
fn poiseuille_is_exact_in_straight_pipes_of_any_length_and_direction() {
    let mirrored = Motion {
        angle: 2.2,
        mirror: true,
        translation: Point::new(-3e-3, 1e-3),
    };
    let motions = [
        Motion::IDENTITY,
        Motion::new(0.3, Point::new(1e-3, 2e-3)),
        mirrored,
    ];
    for (k, (length, r)) in [
        (1e-3, 4),
        (1.037e-3, 5),
        (0.31e-4, 8),
        (2.4e-2, 8),
        (7e-4, 2),
    ]
    .into_iter()
    .enumerate()
    {
        let q = 1e-9;
        let fall = 12.0 * MU * q / W.powi(3);
        let drop = fall * length;
        for (conditions, p0) in [
            (
                [Condition::Pressure(drop + 7.0), Condition::Pressure(7.0)],
                drop + 7.0,
            ),
            ([Condition::FlowRate(q), Condition::Pressure(0.0)], drop),
            // The stated zero is the lowest port.
            ([Condition::FlowRate(q), Condition::FlowRate(-q)], drop),
        ] {
            let motion = motions[k % 3];
            let s = solved(&channel(length, W, motion, conditions), r);
            let what = format!("pipe of {length} m at r = {r}, {:?}", conditions[1]);
            assert_poiseuille(&s, motion, W, p0, fall, 1e-10, &what);
            assert_close!(s.ports[0].flow_rate, q, 1e-10, "flow in of the {what}");
            assert_close!(s.ports[1].flow_rate, -q, 1e-10, "flow out of the {what}");
            assert_close!(
                s.ports[0].mean_pressure - s.ports[1].mean_pressure,
                drop,
                1e-10,
                "drop of the {what}"
            );
            assert_close!(
                s.max_speed.expect("fields").0,
                1.5 * q / W,
                0.02,
                "peak of the {what}: nodes may miss the axis"
            );
            assert_close!(
                s.wall_shear.expect("fields").max,
                fall * W / 2.0,
                1e-9,
                "wall shear of the {what} is even"
            );
            assert_close!(
                s.wall_shear.expect("fields").min,
                fall * W / 2.0,
                1e-9,
                "wall shear of the {what} is even"
            );
        }
    }
}

/// A piece of straight channel of width one between a socket across and a socket slanted by `slant` widths: no grid fits it.
fn slanted(length: f64, slant: f64) -> Shape {
    let corners = [
        (0.0, -0.5),
        (length - slant / 2.0, -0.5),
        (length + slant / 2.0, 0.5),
        (0.0, 0.5),
    ];
    Shape::Polygon {
        corners: corners.map(|(x, y)| Point::new(x * W, y * W)).to_vec(),
        sockets: vec![3, 1],
        holes: Vec::new(),
    }
}

#[test]
fn poiseuille_is_exact_on_delaunay_meshes_and_through_slanted_sockets() {
    for (r, slant) in [(4, 0.4), (5, 0.73), (8, -0.6)] {
        let motion = Motion::new(1.1, Point::new(-2e-3, 1e-3));
        let mut b = Builder::new("slanted");
        let first = b.place(straight(2.2 * W, W), motion);
        let a = b.attach(slanted(1.9, slant), 0, (first, 1));
        let c = b.attach(slanted(1.6, slant), 1, (a, 1));
        let last = b.attach(straight(1.5 * W, W), 0, (c, 0));
        let length = (2.2 + 1.9 + 1.6 + 1.5) * W;
        let fall = 2e5;
        b.port("in", (first, 0), Condition::Pressure(fall * length));
        b.port("out", (last, 1), Condition::Pressure(0.0));
        let s = solved(&b.chip, r);
        assert_poiseuille(
            &s,
            motion,
            W,
            fall * length,
            fall,
            1e-10,
            &format!("slanted sockets at r = {r}"),
        );
        // Irregular triangles indeed: a grid would have a handful of different cell areas.
        let mut areas: Vec<i64> = s
            .fields
            .cells
            .iter()
            .map(|c| {
                let [a, b, c] = [c[0], c[1], c[2]].map(|n| s.fields.nodes[n as usize]);
                let (u, v) = (b - a, c - a);
                (1e6 * (u.x * v.y - u.y * v.x) / (W * W)).round() as i64
            })
            .collect();
        areas.sort_unstable();
        areas.dedup();
        assert!(areas[0] > 0, "cells run counter-clockwise");
        assert!(
            areas.len() > 20,
            "only {} different areas: not a Delaunay mesh",
            areas.len()
        );
    }
}

#[test]
fn poiseuille_is_exact_through_a_chain_of_straight_parts() {
    let motion = Motion::new(-0.7, Point::default());
    let mut b = Builder::new("chain");
    let mut at = b.place(straight(3.0 * W, W), motion);
    let mut length = 3.0;
    for l in [1.0, 0.13, 2.5, 5.01, 0.5] {
        at = b.attach(straight(l * W, W), 0, (at, 1));
        length += l;
    }
    let half = 0.5 * W;
    let rectangle = Shape::Polygon {
        corners: [(-2.0, -1.0), (2.0, -1.0), (2.0, 1.0), (-2.0, 1.0)]
            .map(|(x, y)| Point::new(x * half, y * half))
            .to_vec(),
        sockets: vec![3, 1],
        holes: Vec::new(),
    };
    at = b.attach(rectangle, 0, (at, 1));
    at = b.attach(straight(W, W), 1, (at, 1));
    let fall = 3e5;
    let drop = fall * (length + 3.0) * W;
    b.port(
        "in",
        (0, 0),
        Condition::FlowRate(fall * W.powi(3) / (12.0 * MU)),
    );
    b.port("out", (at, 0), Condition::Pressure(-5.0));
    let s = solved(&b.chip, 6);
    assert_poiseuille(&s, motion, W, drop - 5.0, fall, 1e-10, "chain of parts");
}

#[test]
fn a_slow_taper_follows_lubrication() {
    // Walls slope by 0.01; lubrication errs by the square of that and by what the developed ports disturb.
    let (start, end, length) = (W, 0.8 * W, 10.0 * W);
    let mut b = Builder::new("taper");
    let taper = b.place(
        Shape::Strip(Strip::Straight {
            length,
            width_start: start,
            width_end: end,
        }),
        Motion::new(0.4, Point::default()),
    );
    let q = 1e-9;
    b.port("in", (taper, 0), Condition::FlowRate(q));
    b.port("out", (taper, 1), Condition::Pressure(0.0));
    let lubrication = 6.0 * MU * q * length * (start + end) / (start * end).powi(2);
    for r in [4, 8] {
        let s = solved(&b.chip, r);
        println!(
            "taper r = {r}: {:.2e}",
            s.ports[0].mean_pressure / lubrication - 1.0
        );
        assert_close!(
            s.ports[0].mean_pressure,
            lubrication,
            2e-3,
            "pressure drop of a taper at r = {r} by lubrication"
        );
    }
}

#[test]
fn flow_around_an_arc_converges_to_the_annulus() {
    // Azimuthal Stokes flow between cylinders a < b, driven by dp/dtheta = -K:
    // Q = K / mu [ (b^2 - a^2) / 8 - a^2 b^2 ln(b/a)^2 / (2 (b^2 - a^2)) ]   (Dean 1928, without inertia).
    for (radius, angle) in [(W, FRAC_PI_2), (0.7 * W, 1.3 * PI), (3.0 * W, 1.0)] {
        let mut b = Builder::new("arc");
        let part = b.place(arc(radius, angle, W), Motion::new(0.9, Point::default()));
        b.port("in", (part, 0), Condition::Pressure(10.0));
        b.port("out", (part, 1), Condition::Pressure(0.0));
        let k = 10.0 / angle;
        let (inner, outer) = (radius - W / 2.0, radius + W / 2.0);
        let squares = outer * outer - inner * inner;
        let exact = k / MU
            * (squares / 8.0 - (inner * outer * (outer / inner).ln()).powi(2) / (2.0 * squares));
        let centre = b.chip.parts[0].motion.apply(Point::new(0.0, radius));
        let mut errors = Vec::new();
        for r in [4, 8, 16] {
            let s = solved(&b.chip, r);
            let flow = (s.ports[0].flow_rate / exact - 1.0).abs();
            // The swirl in closed form, at all nodes: u = -(K/mu) (r/2 ln r - r/4) + c1 r/2 + c2/r, zero on the walls.
            let g = |x: f64| k / MU * (x / 2.0 * x.ln() - x / 4.0);
            let det = inner / 2.0 / outer - outer / 2.0 / inner;
            let c1 = (g(inner) / outer - g(outer) / inner) / det;
            let c2 = (inner / 2.0 * g(outer) - outer / 2.0 * g(inner)) / det;
            let mut worst = 0.0_f64;
            for (&at, &v) in s.fields.nodes.iter().zip(&s.fields.velocity) {
                let d = at - centre;
                let x = d.norm();
                let u = d.left() * ((c1 * x / 2.0 + c2 / x - g(x)) / x);
                worst = worst.max((v - u).norm());
            }
            errors.push((r, flow, worst / s.max_speed.expect("fields").0));
        }
        for pair in errors.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let (of_flow, of_velocity) =
                (order((a.0, a.1), (b.0, b.1)), order((a.0, a.2), (b.0, b.2)));
            println!(
                "arc {:.1} w, {angle:.2} rad, r = {}: flow {:.1e} (order {of_flow:.2}), velocity {:.1e} (order {of_velocity:.2})",
                radius / W,
                b.0,
                b.1,
                b.2
            );
            assert!(
                of_flow > 3.0,
                "flow converges at order {of_flow} around curved walls"
            );
            assert!(
                of_velocity > 2.5,
                "velocity converges at order {of_velocity} around curved walls"
            );
        }
        assert_small!(
            errors[2].1,
            1.0,
            1e-4,
            "flow error at r = 16 around {radius}"
        );
        assert_small!(
            errors[2].2,
            1.0,
            1e-3,
            "velocity error at r = 16 around {radius}"
        );
    }
}

#[test]
fn a_shallow_channel_carries_the_flow_of_a_rectangular_duct() {
    // Relative error of the flow that is allowed at r = 16. Ten times as wide as deep, cells are 0.6 of the depth: 5.2e-4 is theirs.
    let table = [
        (1.0, 4e-3),
        (1.5, 1e-3),
        (2.0, 5e-4),
        (3.0, 5e-4),
        (5.0, 5e-4),
        (10.0, 5.5e-4),
    ];
    let (length, drop) = (2.0 * W, 50.0);
    for (aspect, allowed) in table {
        let mut chip = channel(
            length,
            W,
            Motion::IDENTITY,
            [Condition::Pressure(drop), Condition::Pressure(0.0)],
        );
        chip.model = DepthModel::Shallow;
        chip.depth = Some(W / aspect);
        let s = solved(&chip, 16);
        let exact = duct::flow_rate(W, W / aspect) * drop / (MU * length);
        println!(
            "w/d {aspect}: {:+.4} %",
            100.0 * (s.ports[0].flow_rate / exact - 1.0)
        );
        assert_close!(
            s.ports[0].flow_rate,
            exact,
            allowed,
            "duct series, w/d {aspect}"
        );
        let floor = s.floor_shear.expect("fields");
        let depth = W / aspect;
        let stress = |speed: f64| 6.0 * MU * speed / depth;
        // Where cells are wide the speed isn't that along the channel alone: off by 5.7e-9 five times as wide as deep.
        let mean = s.ports[0].flow_rate / (W * depth);
        assert_close!(floor.mean, stress(mean), 1e-6, "mean of the floor");
        let (fastest, _) = s.max_speed.expect("fields");
        assert_close!(floor.max, stress(fastest), 1e-12, "greatest of the floor");
        let node = s.fields.nodes.iter().position(|at| *at == floor.max_at);
        let there = s.fields.velocity[node.expect("at a node")].norm();
        assert_close!(there, fastest, 1e-12, "where it is fastest");
        // Walls hold back what pressure pushes.
        let side = s.wall_shear.expect("fields").mean;
        let held = 2.0 * length * (W * floor.mean + depth * side);
        assert_close!(
            held,
            drop * W * depth,
            0.02,
            "force on all walls, w/d {aspect}"
        );
    }
}

/// The full model's walls are all four of the duct.
#[test]
fn shear_of_floor_and_side_walls_is_that_of_the_full_model() {
    let (length, drop) = (2.0 * W, 50.0);
    let ends = [Condition::Pressure(drop), Condition::Pressure(0.0)];
    for aspect in [1.0, 2.0] {
        let mut chip = channel(length, W, Motion::IDENTITY, ends);
        chip.depth = Some(W / aspect);
        chip.model = DepthModel::Full;
        let full = solved(&chip, 8);
        assert!(full.floor_shear.is_none(), "its floor is a wall");
        let of_all = full.wall_shear.expect("fields").mean;
        chip.model = DepthModel::Shallow;
        let shallow = solved(&chip, 16);
        let (floor, side) = (shallow.floor_shear, shallow.wall_shear);
        let (floor, side) = (floor.expect("fields").mean, side.expect("fields").mean);
        let mean = (aspect * floor + side) / (aspect + 1.0);
        println!("w/d {aspect}: full {of_all}, shallow {mean}: floor {floor}, sides {side}");
        assert_close!(mean, of_all, 0.02, "mean of all walls, w/d {aspect}");
        chip.model = DepthModel::Planar;
        assert!(solved(&chip, 4).floor_shear.is_none(), "there is none");
    }
}

#[test]
fn a_shallow_channel_converges_to_the_brinkman_profile() {
    // Q = w d^3 / (12 mu) dp/L (1 - tanh(k w/2) / (k w/2)), k = sqrt(12 / a) / d, a = 1 or 1.1916.
    let (length, drop) = (8e-4, 50.0);
    let brinkman = (DepthModel::ShallowBrinkman, 1.0);
    let shallow = (DepthModel::Shallow, SIDE_LAYER_FACTOR);
    for (depth, (model, factor)) in [2.0 * W, 0.5 * W, 0.3 * W]
        .into_iter()
        .flat_map(|depth| [(depth, brinkman), (depth, shallow)])
    {
        let half = (12.0 / factor).sqrt() / depth * W / 2.0;
        let exact = W * depth.powi(3) / (12.0 * MU) * drop / length * (1.0 - half.tanh() / half);
        let mut errors = Vec::new();
        for r in [4, 8, 16] {
            let mut chip = channel(
                length,
                W,
                Motion::new(0.2, Point::default()),
                [Condition::Pressure(drop), Condition::Pressure(0.0)],
            );
            chip.model = model;
            chip.depth = Some(depth);
            let by_pressure = solved(&chip, r);
            errors.push((r, (by_pressure.ports[0].flow_rate / exact - 1.0).abs()));
            assert_close!(
                by_pressure.conductance.matrix[0][0] * drop,
                by_pressure.ports[0].flow_rate,
                1e-9,
                "conductance counts the depth as flow does"
            );
            chip.ports[0].condition = Condition::FlowRate(exact / depth);
            let by_flow = solved(&chip, r);
            let allowed = [2e-2, 2e-3, 2e-4][(r as usize / 4).ilog2() as usize];
            assert_close!(
                by_flow.ports[0].mean_pressure,
                drop,
                allowed,
                "the developed profile of the drag needs the same drop, depth {depth}, r = {r}"
            );
        }
        for pair in errors.windows(2) {
            let order = order(pair[0], pair[1]);
            println!("depth {:.1} w: {:?} order {order:.2}", depth / W, pair[1]);
            assert!(
                order > 3.0,
                "flow of a shallow channel converges at order {order}"
            );
        }
        assert_small!(
            errors[2].1,
            1.0,
            1e-4,
            "flow error at r = 16 for depth {depth}"
        );
    }
}

#[test]
fn a_very_wide_shallow_channel_is_plane_poiseuille_across_its_depth() {
    let (depth, length, drop) = (0.05 * W, 4e-4, 50.0);
    let mut chip = channel(
        length,
        W,
        Motion::IDENTITY,
        [Condition::Pressure(drop), Condition::Pressure(0.0)],
    );
    chip.model = DepthModel::Shallow;
    chip.depth = Some(depth);
    let s = solved(&chip, 24);
    let plane = W * depth.powi(3) / (12.0 * MU) * drop / length;
    // Side walls take 0.63025 d of the width, 3.2 per cent, in layers thinner than a cell.
    assert_close!(
        s.ports[0].flow_rate,
        plane * (1.0 - 0.05 * 0.63025),
        1e-3,
        "thin side layers"
    );
}

#[test]
fn a_pipe_of_the_library_is_poiseuille_too() {
    let chip = from_text(
        "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n\
         [components]\np = { kind = \"pipe\", at = [\"1 mm\", \"0 m\"], rotation = \"30 deg\", parameters = { length = \"2 mm\" } }\n\
         [ports]\ni = { at = \"p.a\", pressure = \"240 Pa\" }\no = { at = \"p.b\", pressure = \"0 Pa\" }\n",
        "pipe",
    );
    let s = solved(&chip, 4);
    assert_close!(
        s.ports[0].flow_rate,
        W.powi(3) * 240.0 / (12.0 * MU * 2e-3),
        1e-10,
        "w^3 dp / (12 mu L)"
    );
    let exact = 1.5 * s.ports[0].flow_rate / W;
    assert_close!(
        largest(s.fields.velocity.iter().map(|v| v.norm())),
        exact,
        1e-10,
        "peak speed on the axis"
    );
}

/// Pressures that fall by a million times what they do over a width: a double tells the flow of a slice to 1e-9 there, and no vector of
/// doubles has a residual of 1e-10.
#[test]
fn poiseuille_is_exact_in_pipes_of_twenty_thousand_widths() {
    let (q, length) = (1e-9, 20_000.0 * W);
    let drop = 12.0 * MU * q / W.powi(3) * length;
    for conditions in [
        [Condition::FlowRate(q), Condition::Pressure(0.0)],
        [Condition::Pressure(drop), Condition::Pressure(0.0)],
    ] {
        let s = solved(&channel(length, W, Motion::IDENTITY, conditions), 2);
        let report = &s.report;
        println!(
            "{:.1e} in {} steps",
            report.relative_residual, report.refinement_steps
        );
        assert!(report.relative_residual <= 1e-10, "{conditions:?}");
        assert!(report.mass_imbalance <= 1e-10, "{conditions:?}");
        assert_close!(s.ports[0].flow_rate, q, 1e-9, "{conditions:?}");
        assert_close!(s.ports[0].pressure, drop, 1e-9, "{conditions:?}");
        let shear = 6.0 * MU * q / (W * W);
        assert_close!(
            s.wall_shear.expect("fields").min,
            shear,
            1e-7,
            "{conditions:?}"
        );
        assert_close!(
            s.wall_shear.expect("fields").max,
            shear,
            1e-7,
            "{conditions:?}"
        );
    }
}
