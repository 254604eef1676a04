//! Walls that slip: plug flow, halves of symmetric channels and chips, corners and curves, keys, what is refused.

use std::f64::consts::{FRAC_PI_2, PI};

use stokeslet::canonical::canonicalise;
use stokeslet::chip::{Chip, Condition};
use stokeslet::design::DepthModel;
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::{Solution, SolveError, Solver};
use stokeslet::shape::{LEFT_WALL, RIGHT_WALL, Shape, Strip, WallKind, Walls};
use stokeslet::stokes::boundary::SlipEdges;
use stokeslet::stokes::duct;

#[macro_use]
mod support;
use support::chips::{Builder, arc, channel, from_text, straight};
use support::{order, solved};

const MU: f64 = 1e-3;
const W: f64 = 1e-4;
/// Viscosity, width, length and flow rate of most channels here.
const Q: f64 = 1e-9;

fn both_ways() -> [Motion; 3] {
    let mirrored = Motion {
        angle: 2.2,
        mirror: true,
        translation: Point::new(-3e-3, 1e-3),
    };
    let turned = Motion::new(0.3, Point::new(1e-3, 2e-3));
    [Motion::IDENTITY, turned, mirrored]
}

fn slipping(mut chip: Chip, edges: &[usize]) -> Chip {
    for part in &mut chip.parts {
        for &edge in edges {
            part.walls = part.walls.clone().with(edge, WallKind::Slip);
        }
    }
    chip
}

/// Power that becomes heat.
fn heat(s: &Solution) -> f64 {
    s.dissipation.expect("fields were wanted")
}

/// Power that comes in at the ports.
fn power(s: &Solution) -> f64 {
    s.ports.iter().map(|p| p.pressure * p.flow_rate).sum()
}

#[test]
fn a_plug_needs_no_pressure_in_the_plane() {
    for motion in both_ways() {
        let conditions = [Condition::FlowRate(Q), Condition::Pressure(3.0)];
        let chip = channel(1.037e-3, W, motion, conditions);
        let s = solved(&slipping(chip, &[LEFT_WALL, RIGHT_WALL]), 5);
        let speed = Q / W;
        for (&v, &p) in s.fields.velocity.iter().zip(&s.fields.pressure) {
            let back = motion.inverse().rotate(v);
            assert_small!((back - Point::new(speed, 0.0)).norm(), speed, 1e-10, "plug");
            assert_close!(p, 3.0, 1e-10, "no pressure drops");
        }
        assert_small!(s.ports[0].pressure - 3.0, 3.0, 1e-10, "nor at the port");
        assert_eq!(
            (
                s.wall_shear.expect("fields").min,
                s.wall_shear.expect("fields").max
            ),
            (0.0, 0.0)
        );
        let scale = MU * speed * speed;
        assert_small!(heat(&s), scale, 1e-9, "nothing becomes heat");
    }
}

#[test]
fn between_side_walls_that_slip_floor_and_ceiling_hold_the_fluid() {
    let (depth, length, drop) = (0.4 * W, 6.3e-4, 50.0);
    let exact = W * depth.powi(3) * drop / (12.0 * MU * length);
    let conditions = [Condition::Pressure(drop), Condition::Pressure(0.0)];
    for (model, r) in [
        (DepthModel::Shallow, 4),
        (DepthModel::ShallowBrinkman, 5),
        (DepthModel::Full, 4),
    ] {
        let mut chip = channel(length, W, both_ways()[1], conditions);
        chip.model = model;
        chip.depth = Some(depth);
        let mut chip = slipping(chip, &[LEFT_WALL, RIGHT_WALL]);
        let s = solved(&chip, r);
        let what = model.name();
        assert_close!(
            s.ports[0].flow_rate,
            exact,
            1e-9,
            "flow of the {what} model"
        );
        assert_close!(heat(&s), power(&s), 1e-9, "heat of the {what} model");
        chip.ports[0].condition = Condition::FlowRate(exact / depth);
        let s = solved(&chip, r);
        assert_close!(s.ports[0].pressure, drop, 1e-9, "by flow, {what} model");
        if model == DepthModel::Full {
            assert_close!(
                s.wall_shear.expect("fields").max,
                drop / length * depth / 2.0,
                1e-8,
                "shear on floor and ceiling"
            );
        }
    }
}

#[test]
fn half_a_channel_with_a_wall_that_slips_is_half_a_channel() {
    // Poiseuille in a channel of 2 W: w^3 / (12 mu) dp / L, half of it.
    let (length, drop) = (1.3e-3, 50.0);
    let exact = 0.5 * (2.0 * W).powi(3) * drop / (12.0 * MU * length);
    let mut flows = Vec::new();
    for motion in both_ways() {
        for (slip, sign) in [(LEFT_WALL, 1.0), (RIGHT_WALL, -1.0)] {
            let conditions = [Condition::Pressure(drop), Condition::Pressure(0.0)];
            let mut chip = slipping(channel(length, W, motion, conditions), &[slip]);
            let s = solved(&chip, 4);
            assert_close!(s.ports[0].flow_rate, exact, 1e-10, "half of Poiseuille");
            let fall = drop / length;
            let peak = fall * W * W / (2.0 * MU);
            for (&at, &v) in s.fields.nodes.iter().zip(&s.fields.velocity) {
                let y = sign * motion.inverse().apply(at).y + W / 2.0;
                let want = motion.rotate(Point::new(fall / (2.0 * MU) * y * (2.0 * W - y), 0.0));
                assert_small!((v - want).norm(), peak, 1e-10, "half a parabola");
            }
            assert_close!(
                s.wall_shear.expect("fields").min,
                fall * W,
                1e-9,
                "at the wall that holds"
            );
            assert_close!(
                s.wall_shear.expect("fields").max,
                fall * W,
                1e-9,
                "at the wall that holds"
            );
            assert_close!(heat(&s), power(&s), 1e-10, "heat");
            chip.ports[0].condition = Condition::FlowRate(exact);
            let s = solved(&chip, 4);
            assert_close!(s.ports[0].pressure, drop, 1e-10, "by its flow rate");
            flows.push(s.ports[0].pressure);
        }
    }
}

#[test]
fn half_a_shallow_channel_and_half_a_duct_converge_to_halves() {
    let (length, drop) = (6e-4, 50.0);
    let conditions = [Condition::Pressure(drop), Condition::Pressure(0.0)];
    let half = |model: DepthModel, depth: f64, r: u32| {
        let mut chip = slipping(channel(length, W, both_ways()[2], conditions), &[LEFT_WALL]);
        chip.model = model;
        chip.depth = Some(depth);
        let by_pressure = solved(&chip, r);
        let flow = by_pressure.ports[0].flow_rate;
        assert_close!(heat(&by_pressure), power(&by_pressure), 1e-9, "heat");
        chip.ports[0].condition = Condition::FlowRate(flow / depth);
        (flow, solved(&chip, r).ports[0].mean_pressure)
    };
    // Q = w d^3 / (12 mu) dp/L (1 - tanh(k w) / (k w)): half of a channel of 2 w.
    let depth = 0.5 * W;
    let k = 12.0_f64.sqrt() / depth * W;
    let exact = W * depth.powi(3) / (12.0 * MU) * drop / length * (1.0 - k.tanh() / k);
    let errors = [4, 8, 16].map(|r| {
        let (flow, pressure) = half(DepthModel::ShallowBrinkman, depth, r);
        assert_small!(
            pressure - drop,
            drop,
            40.0 / f64::from(r).powi(3),
            "by flow, r = {r}"
        );
        (r, (flow / exact - 1.0).abs())
    });
    println!("half a shallow channel: {errors:?}");
    assert!(order(errors[1], errors[2]) > 3.0, "{errors:?}");
    assert_small!(errors[2].1, 1.0, 1e-4, "half a shallow channel at r = 16");
    // The series of a duct of 2 W, half of it.
    let depth = W;
    let exact = 0.5 * duct::flow_rate(2.0 * W, depth) * drop / (MU * length);
    let errors = [4, 6].map(|r| {
        let (flow, pressure) = half(DepthModel::Full, depth, r);
        assert_small!(pressure - drop, drop, 0.02, "by flow, r = {r}");
        (r, (flow / exact - 1.0).abs())
    });
    println!("half a duct: {errors:?}");
    assert!(order(errors[0], errors[1]) > 2.5, "{errors:?}");
    assert_small!(errors[1].1, 1.0, 3e-3, "half a duct at r = 6");
}

/// Azimuthal flow between cylinders a < b driven by dp/dtheta = -K where one wall has no shear:
/// u = -(K/mu) (r/2 ln r - r/4) + c1 r/2 + c2/r, r d(u/r)/dr = -K/(2 mu) - 2 c2/r^2.
fn annulus(k: f64, slips: f64, holds: f64) -> impl Fn(f64) -> f64 {
    let g = move |x: f64| k / MU * (x / 2.0 * x.ln() - x / 4.0);
    let c2 = -k / (4.0 * MU) * slips * slips;
    let c1 = 2.0 / holds * (g(holds) - c2 / holds);
    move |x: f64| -g(x) + c1 * x / 2.0 + c2 / x
}

#[test]
fn arcs_slip_along_their_circles_and_let_nothing_through() {
    for (radius, angle, slip) in [
        (W, FRAC_PI_2, LEFT_WALL),
        (0.8 * W, 1.3 * PI, RIGHT_WALL),
        (3.0 * W, 1.0, LEFT_WALL),
    ] {
        let mut b = Builder::new("arc");
        let part = b.place(arc(radius, angle, W), Motion::new(0.9, Point::default()));
        b.port("in", (part, 0), Condition::Pressure(10.0));
        b.port("out", (part, 1), Condition::Pressure(0.0));
        let chip = slipping(b.chip, &[slip]);
        let (inner, outer) = (radius - W / 2.0, radius + W / 2.0);
        let (slips, holds) = match slip {
            LEFT_WALL => (inner, outer),
            _ => (outer, inner),
        };
        let u = annulus(10.0 / angle, slips, holds);
        let centre = chip.parts[0].motion.apply(Point::new(0.0, radius));
        let errors = [4, 8, 16].map(|r| {
            let s = solved(&chip, r);
            let sum = s.ports[0].flow_rate + s.ports[1].flow_rate;
            assert_small!(sum, s.ports[0].flow_rate, 1e-11, "what comes in goes out");
            assert_close!(heat(&s), power(&s), 1e-9, "heat");
            let errors = s
                .fields
                .nodes
                .iter()
                .zip(&s.fields.velocity)
                .map(|(&at, &v)| {
                    let d = at - centre;
                    let x = d.norm();
                    (v - d.left() * (u(x) / x)).norm()
                });
            (
                r,
                errors.fold(0.0, f64::max) / s.max_speed.expect("fields").0,
            )
        });
        println!("arc {:.1} w, {angle:.2} rad: {errors:?}", radius / W);
        assert!(order(errors[1], errors[2]) > 2.5, "{errors:?}");
        assert_small!(errors[2].1, 1.0, 1e-3, "radius {radius} at r = 16");
    }
}

#[test]
fn an_arc_between_pipes_that_slip_balances_in_space_too() {
    let mut b = Builder::new("bend");
    let first = b.place(straight(W, W), Motion::new(0.4, Point::default()));
    let bend = b.attach(arc(0.9 * W, FRAC_PI_2, W), 0, (first, 1));
    let last = b.attach(straight(W, W), 0, (bend, 1));
    b.port("in", (first, 0), Condition::Pressure(10.0));
    b.port("out", (last, 1), Condition::Pressure(0.0));
    let mut chip = slipping(b.chip, &[LEFT_WALL, RIGHT_WALL]);
    chip.model = DepthModel::Full;
    chip.depth = Some(0.5 * W);
    let s = solved(&chip, 4);
    let sum = s.ports[0].flow_rate + s.ports[1].flow_rate;
    assert_small!(sum, s.ports[0].flow_rate, 1e-11, "what comes in goes out");
    assert_close!(heat(&s), power(&s), 1e-9, "heat");
    // Floor and ceiling alone: more than with side walls, and near the flow between plates of the middle line's length.
    let plates = W * (0.5 * W).powi(3) * 10.0 / (12.0 * MU * (2.0 * W + 0.9 * W * FRAC_PI_2));
    assert_close!(s.ports[0].flow_rate, plates, 0.1, "between plates");
}

/// A symmetric chip on its axis: a channel of 2 W that widens to 6 W and narrows again, and its upper half.
fn expansion(motion: Motion) -> [Chip; 2] {
    let place = |points: &[(f64, f64)]| {
        points
            .iter()
            .map(|&(x, y)| Point::new(x * W, y * W))
            .collect()
    };
    let whole = Shape::Polygon {
        corners: place(&[
            (0.0, -1.0),
            (1.0, -1.0),
            (2.0, -3.0),
            (5.0, -3.0),
            (5.0, -1.0),
            (6.0, -1.0),
            (6.0, 1.0),
            (5.0, 1.0),
            (5.0, 3.0),
            (2.0, 3.0),
            (1.0, 1.0),
            (0.0, 1.0),
        ]),
        sockets: vec![11, 5],
        holes: Vec::new(),
    };
    let half = Shape::Polygon {
        corners: place(&[
            (0.0, 0.0),
            (6.0, 0.0),
            (6.0, 1.0),
            (5.0, 1.0),
            (5.0, 3.0),
            (2.0, 3.0),
            (1.0, 1.0),
            (0.0, 1.0),
        ]),
        sockets: vec![7, 1],
        holes: Vec::new(),
    };
    [(whole, 2.0), (half, 1.0)].map(|(shape, width)| {
        let is_half = width == 1.0;
        let mut b = Builder::new("expansion");
        let chamber = b.place(shape, motion);
        let left = b.attach(straight(2.0 * W, width * W), 1, (chamber, 0));
        let right = b.attach(straight(2.0 * W, width * W), 0, (chamber, 1));
        b.port("in", (left, 0), Condition::Pressure(10.0));
        b.port("out", (right, 1), Condition::Pressure(0.0));
        if is_half {
            b.chip.parts[chamber].walls = Walls::default().with(0, WallKind::Slip);
            for pipe in [left, right] {
                b.chip.parts[pipe].walls = Walls::default().with(RIGHT_WALL, WallKind::Slip);
            }
        }
        b.chip
    })
}

#[test]
fn half_an_expansion_carries_half() {
    let [whole, half] = expansion(Motion::new(0.3, Point::default()));
    let errors = [4, 8].map(|r| {
        let (a, b) = (solved(&whole, 2 * r), solved(&half, r));
        assert_close!(heat(&b), power(&b), 1e-9, "heat");
        let sum = b.ports[0].flow_rate + b.ports[1].flow_rate;
        assert_small!(sum, b.ports[0].flow_rate, 1e-11, "balance");
        (
            r,
            (2.0 * b.ports[0].flow_rate / a.ports[0].flow_rate - 1.0).abs(),
        )
    });
    println!("half an expansion: {errors:?}");
    assert_small!(errors[1].1, 1.0, 2e-3, "half of the whole: {errors:?}");
    // Turned, the same numbers.
    let flow = solved(&half, 4).ports[0].flow_rate;
    for angle in [0.0, 1.7, -2.6] {
        let turned = &expansion(Motion::new(angle, Point::new(W, 3.0 * W)))[1];
        let other = solved(turned, 4).ports[0].flow_rate;
        assert_close!(other, flow, 1e-9, "turned by {angle}");
    }
    // In space: coarse, to a per cent.
    let [mut whole, mut half] = expansion(Motion::IDENTITY);
    for chip in [&mut whole, &mut half] {
        chip.model = DepthModel::Full;
        chip.depth = Some(W);
    }
    let (a, b) = (solved(&whole, 4), solved(&half, 2));
    let half = 2.0 * b.ports[0].flow_rate / a.ports[0].flow_rate;
    println!("half an expansion in space: {half}");
    assert_close!(half, 1.0, 0.02, "in space");
    assert_close!(heat(&b), power(&b), 1e-9, "heat in space");
}

/// A channel of 2 W, `inlet` widths long, that parts into two of W at `angle` to either side of its axis; and its upper half.
fn fork(angle: f64, inlet: f64) -> [Chip; 2] {
    let (out, across) = (Point::unit(angle), Point::unit(angle).left());
    let upper = [
        out * (4.0 * W) - across * (0.5 * W),
        out * (4.0 * W) + across * (0.5 * W),
    ];
    // Where the branch's outer wall meets the channel's.
    let on_wall = Point::new((upper[1].x * out.y + (W - upper[1].y) * out.x) / out.y, W);
    // Where its inner wall meets the axis.
    let apex = Point::new((upper[0].x * out.y - upper[0].y * out.x) / out.y, 0.0);
    let mirror = |p: Point| Point::new(p.x, -p.y);
    let start = on_wall.x.min(0.0) - inlet * W;
    let socket = [Point::new(start, W), Point::new(start, 0.0)];
    let half = Shape::Polygon {
        corners: vec![socket[1], apex, upper[0], upper[1], on_wall, socket[0]],
        sockets: vec![5, 2],
        holes: Vec::new(),
    };
    let whole = Shape::Polygon {
        corners: vec![
            mirror(socket[0]),
            mirror(on_wall),
            mirror(upper[1]),
            mirror(upper[0]),
            apex,
            upper[0],
            upper[1],
            on_wall,
            socket[0],
        ],
        sockets: vec![8, 2, 5],
        holes: Vec::new(),
    };
    [(whole, 3), (half, 2)].map(|(shape, n)| {
        let mut b = Builder::new("fork");
        let part = b.place(shape, Motion::new(-0.7, Point::default()));
        for socket in 0..n {
            let pressure = if socket == 0 { 10.0 } else { 0.0 };
            b.port(
                &format!("p{socket}"),
                (part, socket),
                Condition::Pressure(pressure),
            );
        }
        if n == 2 {
            b.chip.parts[part].walls = Walls::default().with(0, WallKind::Slip);
        }
        b.chip
    })
}

#[test]
fn half_a_fork_carries_half_whichever_way_its_axis_lies() {
    let mut is_slanted = false;
    for (degrees, inlet) in [(40.0_f64, 2.0), (55.0, 6.0), (70.0, 2.0)] {
        let [whole, half] = fork(degrees.to_radians(), inlet);
        let part = &half.parts[0];
        if let SlipEdges::Polygon(edges) = canonicalise(&part.shape, &part.walls).slip_edges(8) {
            let way = edges[0][1] - edges[0][0];
            is_slanted |= way.x.abs().min(way.y.abs()) > 0.1 * way.norm();
        }
        let (a, b) = (solved(&whole, 8), solved(&half, 8));
        let ratio = 2.0 * b.ports[0].flow_rate / a.ports[0].flow_rate;
        println!("fork at {degrees}: {ratio}");
        assert_close!(ratio, 1.0, 5e-3, "fork at {degrees} degrees");
        let sum = b.ports[0].flow_rate + b.ports[1].flow_rate;
        assert_small!(
            sum,
            b.ports[0].flow_rate,
            1e-11,
            "balance at {degrees} degrees"
        );
        assert_close!(heat(&b), power(&b), 1e-9, "heat at {degrees} degrees");
    }
    assert!(is_slanted, "some axis lies askew in its piece's own frame");
}

/// A quarter turn between straight walls of one width, its outer wall an arc of `n` chords: 0 for an arc indeed.
fn quarter(n: usize, kind: WallKind) -> Chip {
    let (inner, outer) = (0.5 * W, 1.5 * W);
    let mut b = Builder::new("quarter");
    let conditions = [Condition::Pressure(10.0), Condition::Pressure(0.0)];
    if n == 0 {
        let first = b.place(straight(W, W), Motion::IDENTITY);
        let bend = b.attach(arc(W, FRAC_PI_2, W), 0, (first, 1));
        let last = b.attach(straight(W, W), 0, (bend, 1));
        b.port("in", (first, 0), conditions[0]);
        b.port("out", (last, 1), conditions[1]);
        return match kind {
            WallKind::Slip => slipping(b.chip, &[RIGHT_WALL]),
            WallKind::NoSlip => b.chip,
        };
    }
    // About the centre of the turn; the outer wall is to the right.
    let curve = |radius: f64, n: usize| {
        let angle = move |k: usize| FRAC_PI_2 * (k as f64 / n as f64 - 1.0);
        (0..=n).map(move |k| Point::unit(angle(k)) * radius)
    };
    let mut corners = vec![Point::new(-W, -outer)];
    corners.extend(curve(outer, n));
    corners.extend([Point::new(outer, W), Point::new(inner, W)]);
    corners.extend(curve(inner, 24).collect::<Vec<_>>().into_iter().rev());
    corners.push(Point::new(-W, -inner));
    let shape = Shape::Polygon {
        sockets: vec![corners.len() - 1, n + 2],
        corners,
        holes: Vec::new(),
    };
    let part = b.place(shape, Motion::IDENTITY);
    let walls = (0..n + 2).fold(Walls::default(), |walls, edge| walls.with(edge, kind));
    b.chip.parts[part].walls = walls;
    b.port("in", (part, 0), conditions[0]);
    b.port("out", (part, 1), conditions[1]);
    b.chip
}

#[test]
fn chords_of_a_curve_slip_like_the_curve() {
    let flow = |n, kind| {
        let s = solved(&quarter(n, kind), 8);
        let [a, b] = [0, 1].map(|k| s.ports[k].flow_rate);
        assert_small!(a + b, a, 1e-11, "balance of {n} chords");
        assert_close!(heat(&s), power(&s), 1e-9, "heat of {n} chords");
        a
    };
    let curve = flow(0, WallKind::Slip);
    let chords = [6, 12, 18].map(|n| flow(n, WallKind::Slip) / curve);
    let corners = flow(3, WallKind::Slip) / curve;
    let held = flow(18, WallKind::NoSlip) / curve;
    println!("6, 12, 18 chords of a quarter turn: {chords:?} of an arc, 3: {corners}, held {held}");
    assert_close!(
        chords[0],
        1.0,
        0.1,
        "chords of 15 degrees, which cut off some of the width"
    );
    assert_close!(chords[2], 1.0, 0.01, "chords of 5 degrees");
    assert!(corners < 0.9 && held < 0.4, "what holds is seen");
}

#[test]
fn walls_tell_pieces_apart_and_copies_stay_copies() {
    let key = |shape: &Shape, walls: &Walls| {
        let c = canonicalise(shape, walls);
        (c.content(), c.motion.mirror)
    };
    let pipe = straight(3.0 * W, W);
    let slip = |edges: &[usize]| {
        let walls = Walls::default();
        edges
            .iter()
            .fold(walls, |walls, &e| walls.with(e, WallKind::Slip))
    };
    let (left, right) = (
        key(&pipe, &slip(&[LEFT_WALL])),
        key(&pipe, &slip(&[RIGHT_WALL])),
    );
    assert_eq!(left.0, right.0, "mirror images of each other");
    assert_ne!(left.1, right.1);
    let held = key(&pipe, &Walls::default()).0;
    let both = key(&pipe, &Walls::default().or(WallKind::Slip)).0;
    assert!(left.0 != held && both != held && both != left.0);
    let sockets_only = slip(&[1, 3]);
    assert_eq!(key(&pipe, &sockets_only).0, held, "sockets are no walls");
    let bend = arc(2.0 * W, 1.0, W);
    assert_ne!(
        key(&bend, &slip(&[LEFT_WALL])).0,
        key(&bend, &slip(&[RIGHT_WALL])).0
    );
    // A symmetric polygon with one wall that slips, and its mirror image.
    let chamber = |mirror: bool| {
        let sign = if mirror { -1.0 } else { 1.0 };
        let mut corners = [
            (0.0, -0.5),
            (1.0, -1.5),
            (3.0, -1.5),
            (4.0, -0.5),
            (4.0, 0.5),
            (3.0, 1.5),
            (1.0, 1.5),
            (0.0, 0.5),
        ]
        .map(|(x, y)| Point::new(x * W, sign * y * W))
        .to_vec();
        let mut sockets = vec![7, 3];
        let mut edge = 1;
        if mirror {
            corners.reverse();
            sockets = vec![7, 3];
            edge = 5;
        }
        (
            Shape::Polygon {
                corners,
                sockets,
                holes: Vec::new(),
            },
            slip(&[edge]),
        )
    };
    let [a, b] = [false, true].map(chamber);
    assert_eq!(key(&a.0, &a.1).0, key(&b.0, &b.1).0);
    assert_eq!(
        key(&a.0, &Walls::default()).0,
        key(&b.0, &Walls::default()).0
    );
    assert_ne!(key(&a.0, &a.1).0, key(&a.0, &Walls::default()).0);
}

#[test]
fn a_taper_that_slips_between_pipes_that_slip_balances() {
    let mut b = Builder::new("taper");
    let first = b.place(straight(2.0 * W, W), Motion::new(0.4, Point::default()));
    let shape = Shape::Strip(Strip::Straight {
        length: 3.0 * W,
        width_start: W,
        width_end: 2.0 * W,
    });
    let taper = b.attach(shape, 0, (first, 1));
    let last = b.attach(straight(2.0 * W, 2.0 * W), 0, (taper, 1));
    b.port("in", (first, 0), Condition::FlowRate(Q));
    b.port("out", (last, 1), Condition::Pressure(0.0));
    let held = solved(&b.chip, 8).ports[0].pressure;
    let chip = slipping(b.chip, &[LEFT_WALL, RIGHT_WALL]);
    let drops = [8, 16, 32].map(|r| {
        let s = solved(&chip, r);
        let sum = s.ports[0].flow_rate + s.ports[1].flow_rate;
        assert_small!(sum, Q, 1e-11, "balance");
        assert_close!(heat(&s), power(&s), 1e-9, "heat");
        s.ports[0].pressure
    });
    println!("taper: held {held}, slipping {drops:?}");
    assert!(drops.iter().all(|&drop| drop > 0.0 && drop < 0.2 * held));
}

fn text(chip: &str, components: &str, ports: &str) -> String {
    format!(
        "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n{chip}\n[components]\n{components}\n[ports]\n{ports}\n"
    )
}

const FLOW: &str =
    "i = { at = \"p.a\", flow_rate = \"1e-9 m^2/s\" }\no = { at = \"q.b\", pressure = \"0 Pa\" }";
const PIPES: &str = "p = { kind = \"pipe\", at = [\"0 m\", \"0 m\"] }\nq = { kind = \"pipe\", attach = \"a\", to = \"p.b\" }";

#[test]
fn designs_say_which_walls_slip() {
    let all = from_text(&text("walls = \"slip\"", PIPES, FLOW), "all");
    let s = solved(&all, 4);
    assert_small!(s.ports[0].pressure, MU * Q / W / W, 1e-8, "a plug");
    // One wall of one pipe holds after all: half of Poiseuille in it, if it were long.
    let one = PIPES.replace(
        "\"0 m\"] }",
        "\"0 m\"], parameters = { left_wall = \"no-slip\" } }",
    );
    let s = solved(&from_text(&text("walls = \"slip\"", &one, FLOW), "one"), 4);
    let half = 12.0 * MU * Q * 4.0 * W / (4.0 * W.powi(3));
    assert_close!(
        s.ports[0].pressure,
        half,
        0.3,
        "one wall holds along four widths"
    );
    // A polygon: edges by number.
    let polygon = "p = { kind = \"polygon\", at = [\"0 m\", \"0 m\"], parameters = { points = [[\"0 um\", \"0 um\"], [\"500 um\", \"0 um\"], [\"500 um\", \"100 um\"], [\"0 um\", \"100 um\"]], mouths = [4, 2], slip = [3] } }";
    let ports = "i = { at = \"p.m1\", flow_rate = \"1e-9 m^2/s\" }\no = { at = \"p.m2\", pressure = \"0 Pa\" }";
    let s = solved(&from_text(&text("", polygon, ports), "polygon"), 4);
    let half = 12.0 * MU * Q * 5e-4 / (4.0 * W.powi(3));
    assert_close!(s.ports[0].pressure, half, 1e-9, "half of Poiseuille");
    let both = polygon.replace("slip = [3]", "no_slip = [1]");
    let t = solved(
        &from_text(&text("walls = \"slip\"", &both, ports), "polygon"),
        4,
    );
    assert_close!(t.ports[0].pressure, half, 1e-9, "the same said otherwise");
}

#[test]
fn what_cannot_be_is_underlined() {
    let mistakes = |text: &str| {
        let (design, mut found) = stokeslet::design::parse(text, "broken");
        if let Some(design) = design {
            found.extend(
                stokeslet::chip::place(&design, &stokeslet::library::Library::embedded()).1,
            );
        }
        let found = found.into_iter().filter(|d| d.code != "D231");
        found
            .map(|d| {
                let span = d.place.span.clone().unwrap_or_default();
                (d.code, d.message.clone(), text[span].to_owned())
            })
            .collect::<Vec<_>>()
    };
    let pressures =
        "i = { at = \"p.a\", pressure = \"1 Pa\" }\no = { at = \"q.b\", pressure = \"0 Pa\" }";
    let found = mistakes(&text("walls = \"slip\"", PIPES, pressures));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, found[0].2.as_str()), ("D236", "\"0 Pa\""));
    // A floor, a wall, a flow rate, or a bend of pipes in two directions hold it.
    let shallow = "walls = \"slip\"\nmodel = \"shallow\"\ndepth = \"50 um\"";
    assert_eq!(mistakes(&text(shallow, PIPES, pressures)), []);
    assert_eq!(mistakes(&text("walls = \"slip\"", PIPES, FLOW)), []);
    let bent = PIPES.replace("kind = \"pipe\", attach", "kind = \"bend\", attach");
    assert_eq!(mistakes(&text("walls = \"slip\"", &bent, pressures)), []);
    // An arc turns like a wheel, but not with a pipe at its end.
    let wheel = "p = { kind = \"arc\", at = [\"0 m\", \"0 m\"] }\nq = { kind = \"arc\", attach = \"a\", to = \"p.b\", parameters = { angle = \"90 deg\" } }";
    assert_eq!(
        mistakes(&text("walls = \"slip\"", wheel, pressures))[0].0,
        "D236"
    );
    let both = wheel
        .replace("kind = \"arc\", attach", "kind = \"pipe\", attach")
        .replace(", parameters = { angle = \"90 deg\" }", "");
    assert_eq!(mistakes(&text("walls = \"slip\"", &both, pressures)), []);

    let found = mistakes(&text("walls = \"slippy\"", PIPES, FLOW));
    assert_eq!(
        (found.len(), found[0].2.as_str()),
        (1, "\"slippy\""),
        "{found:?}"
    );
    let wrong = PIPES.replace(
        "\"0 m\"] }",
        "\"0 m\"], parameters = { left_wall = \"wet\" } }",
    );
    let found = mistakes(&text("", &wrong, FLOW));
    assert_eq!(
        (found.len(), found[0].2.as_str()),
        (1, "\"wet\""),
        "{found:?}"
    );
    let polygon = |slip: &str| {
        let p = format!(
            "p = {{ kind = \"polygon\", at = [\"0 m\", \"0 m\"], parameters = {{ {slip} }} }}"
        );
        let ports = "i = { at = \"p.m1\", pressure = \"1 Pa\" }\no = { at = \"p.m2\", pressure = \"0 Pa\" }";
        mistakes(&text("", &p, ports))
    };
    assert_eq!(polygon("slip = [2]"), []);
    for (said, why) in [
        ("slip = [1]", "edge 1 is a mouth"),
        ("slip = [9]", "no edge 9"),
        ("slip = [2], no_slip = [2]", "named twice"),
    ] {
        let found = polygon(said);
        assert_eq!(found.len(), 1, "{said}: {found:?}");
        assert!(found[0].1.contains(why), "{said}: {found:?}");
    }
}

#[test]
fn what_is_made_for_walls_that_hold_the_fluid_says_so() {
    let chip = from_text(&text("walls = \"slip\"", PIPES, FLOW), "slip");
    for method in [stokeslet::METHODS[1], stokeslet::METHODS[2]] {
        let refused = Solver::new(&chip).resolution(4).method(method).solve();
        assert!(matches!(refused, Err(SolveError::SlipWalls { .. })));
    }
    let refused = stokeslet::species::Paths::of(&chip, &solved(&chip, 4)).err();
    assert_eq!(refused, Some(stokeslet::species::SpeciesError::SlipWalls));
}

#[test]
fn designs_with_walls_print_and_parse() {
    let (design, _) = stokeslet::design::parse(text("walls = \"slip\"", PIPES, FLOW), "slip");
    let design = design.expect("parsed");
    assert_eq!(design.walls, WallKind::Slip);
    let (again, _) = stokeslet::design::parse(stokeslet::design::print(&design), "slip");
    assert_eq!(again.expect("parsed").walls, WallKind::Slip);
}

#[test]
fn closed_ends_are_as_the_chip_says() {
    // A dead end off a channel that slips: its fluid hardly moves, and a plug passes it almost without resistance.
    let tee = "t = { kind = \"tee\", at = [\"0 m\", \"0 m\"] }\nd = { kind = \"pipe\", attach = \"a\", to = \"t.up\" }";
    let ports = "i = { at = \"t.left\", flow_rate = \"1e-9 m^2/s\" }\no = { at = \"t.right\", pressure = \"0 Pa\" }";
    let slip = solved(&from_text(&text("walls = \"slip\"", tee, ports), "slip"), 4);
    let hold = solved(&from_text(&text("", tee, ports), "hold"), 4);
    assert_close!(heat(&slip), power(&slip), 1e-9, "heat");
    assert!(slip.ports[0].pressure < hold.ports[0].pressure);
    assert_eq!(
        (
            slip.wall_shear.expect("fields").min,
            slip.wall_shear.expect("fields").max
        ),
        (0.0, 0.0),
        "no wall holds"
    );
}
