//! Fronts against block rows, and what fronts alone promise: nothing twice, the same bits, a cost that copies don't share in.

use std::collections::HashMap;
use std::sync::Arc;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, Condition};
use stokeslet::design::DepthModel;
use stokeslet::field::Field;
use stokeslet::geometry::{Motion, Point};
use stokeslet::profile::Recorder;
use stokeslet::session::{
    Eliminated, Solution, SolveError, SolveSettings, WantedResults, eliminate, silent,
};
use stokeslet::shape::{Part, Shape, Strip};
use stokeslet::table::Caching;
use stokeslet::table::Table;
use stokeslet::thesis::CONNECTIONS;

#[macro_use]
mod support;
use support::chips::{
    Builder, all_designs, arc, channel, from_file, lattice, square, straight, tee, with_conditions,
};
use support::{at, largest, solved, solved_with};

fn by_rows(resolution: u32) -> SolveSettings {
    SolveSettings {
        method: &CONNECTIONS,
        ..at(resolution)
    }
}

fn uncached(resolution: u32) -> SolveSettings {
    SolveSettings {
        caching: Caching::Uncached,
        ..at(resolution)
    }
}

/// Nodes of `b` by those of `a`, by their places: the two methods number them differently.
fn same_places(a: &Field<2>, b: &Field<2>, what: &str) -> Vec<usize> {
    assert_eq!(a.nodes.len(), b.nodes.len(), "{what}: nodes");
    assert_eq!(a.cells.len(), b.cells.len(), "{what}: cells");
    let size = largest(a.nodes.iter().flat_map(|p| [p.x, p.y]));
    // Two connected components may touch in pictures, never in tests: places tell nodes apart.
    let tile = 1e-6 * size;
    let key = |p: Point| [(p.x / tile).round() as i64, (p.y / tile).round() as i64];
    let mut places: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    for (n, &p) in b.nodes.iter().enumerate() {
        places.entry(key(p)).or_default().push(n);
    }
    let mut taken = vec![false; b.nodes.len()];
    let nearest = |p: Point| {
        let [x, y] = key(p);
        let around = (-1..=1).flat_map(|i| (-1..=1).map(move |j| [x + i, y + j]));
        let near = around.filter_map(|k| places.get(&k)).flatten().copied();
        near.min_by(|&m, &n| (b.nodes[m] - p).norm().total_cmp(&(b.nodes[n] - p).norm()))
    };
    a.nodes
        .iter()
        .map(|&p| {
            let n = nearest(p).unwrap_or_else(|| panic!("{what}: no node near {p:?}"));
            assert!(!taken[n], "{what}: two nodes near {p:?}");
            taken[n] = true;
            assert_small!(
                (b.nodes[n] - p).norm(),
                size,
                1e-9,
                "{what}: place of a node"
            );
            n
        })
        .collect()
}

/// Fields, ports, conductance, peak speed and wall shear.
fn assert_same(a: &Solution, b: &Solution, tolerance: f64, what: &str) {
    assert_eq!(a.report.unknowns, b.report.unknowns, "{what}: unknowns");
    let (fa, fb) = (&a.fields, &b.fields);
    let places = same_places(fa, fb, what);
    let speed = largest(fb.velocity.iter().map(|v| v.norm()));
    let pressure = largest(fb.pressure.iter().copied());
    let pairs = || places.iter().enumerate();
    let off_v = largest(pairs().map(|(i, &j)| (fa.velocity[i] - fb.velocity[j]).norm()));
    let off_p = largest(pairs().map(|(i, &j)| fa.pressure[i] - fb.pressure[j]));
    println!(
        "{what}: velocities differ by {:.1e}, pressures by {:.1e}, residuals {:.1e} and {:.1e}",
        off_v / speed,
        off_p / pressure,
        a.report.relative_residual,
        b.report.relative_residual
    );
    assert!(speed > 0.0 && pressure > 0.0, "{what}: something flows");
    assert_small!(off_v, speed, tolerance, "{what}: velocity");
    assert_small!(off_p, pressure, tolerance, "{what}: pressure");
    let flow = largest(b.ports.iter().map(|p| p.flow_rate));
    for (p, q) in a.ports.iter().zip(&b.ports) {
        assert_small!(
            p.flow_rate - q.flow_rate,
            flow,
            tolerance,
            "{what}: flow at {}",
            p.id
        );
        let off = p.mean_pressure - q.mean_pressure;
        assert_small!(off, pressure, tolerance, "{what}: pressure at {}", p.id);
    }
    assert_conductance(a, b, tolerance, what);
    assert_close!(
        a.max_speed.expect("fields").0,
        b.max_speed.expect("fields").0,
        tolerance,
        "{what}: peak speed"
    );
    for (got, want) in [
        (
            a.wall_shear.expect("fields").mean,
            b.wall_shear.expect("fields").mean,
        ),
        (
            a.wall_shear.expect("fields").max,
            b.wall_shear.expect("fields").max,
        ),
    ] {
        assert_close!(got, want, 10.0 * tolerance, "{what}: wall shear");
    }
    let both = |s: &Solution| (s.fields.walls.len(), s.fields.part.len());
    assert_eq!(both(a), both(b), "{what}: walls and cells");
}

fn assert_conductance(a: &Solution, b: &Solution, tolerance: f64, what: &str) {
    assert_eq!(a.conductance.ports, b.conductance.ports, "{what}");
    let all = |s: &Solution| s.conductance.matrix.concat();
    let (ga, gb) = (all(a), all(b));
    assert_eq!(ga.len(), gb.len(), "{what}: conductances");
    let size = largest(gb.iter().copied());
    for (x, y) in ga.iter().zip(&gb) {
        assert_small!(x - y, size, tolerance, "{what}: conductance");
    }
}

fn pressures(values: &[f64]) -> Vec<Condition> {
    values.iter().map(|&p| Condition::Pressure(p)).collect()
}

fn flows(values: &[f64]) -> Vec<Condition> {
    values.iter().map(|&q| Condition::FlowRate(q)).collect()
}

fn small_tee() -> Chip {
    use Condition::{FlowRate, Pressure, TractionFree};
    let conditions = [FlowRate(1e-9), Pressure(2.0), TractionFree];
    tee([4e-4, 3e-4, 5.5e-4], 1e-4, conditions)
}

/// A junction without any symmetry: sockets of 1, 1.2 and 1 widths on three sides of a quadrangle, and its mirror image.
fn lopsided() -> Shape {
    let corners = [
        (-50.0, -60.0),
        (60.0, -60.0),
        (90.0, 40.0),
        (20.0, 110.0),
        (-50.0, 40.0),
    ];
    Shape::Polygon {
        corners: corners
            .map(|(x, y)| Point::new(x * 1e-6, y * 1e-6))
            .to_vec(),
        sockets: vec![4, 1, 2],
        holes: Vec::new(),
    }
}

/// The junction and its mirror image, joined by a pipe; others end in ports, one in nothing.
fn mirrored_pair() -> Chip {
    let mut b = Builder::new("mirrored pair");
    let first = b.place(lopsided(), Motion::IDENTITY);
    let width = b.chip.parts[first].shape.sockets()[1].width;
    let link = b.attach(straight(5.3e-4, width), 0, (first, 1));
    let end = b.chip.parts[link].motion;
    let socket = b.chip.parts[link].shape.sockets()[1];
    let (target, direction) = (end.apply(socket.middle), end.turn(socket.direction));
    let own = lopsided().sockets()[1];
    // Mirrored first, then turned so that its socket looks at the pipe.
    let mirrored = Motion {
        mirror: true,
        ..Motion::IDENTITY
    };
    let turn = direction + std::f64::consts::PI - mirrored.turn(own.direction);
    let turned = Motion::new(turn, Point::default()).after(&mirrored);
    let motion = Motion {
        translation: target - turned.apply(own.middle),
        ..turned
    };
    let second = b.place(lopsided(), motion);
    b.chip.connections.push(stokeslet::shape::Connection {
        a: stokeslet::shape::SocketRef {
            part: link,
            socket: 1,
        },
        b: stokeslet::shape::SocketRef {
            part: second,
            socket: 1,
        },
    });
    for (part, name) in [(first, "a"), (second, "b")] {
        let width = b.chip.parts[part].shape.sockets()[0].width;
        let arm = b.attach(straight(2.5e-4, width), 0, (part, 0));
        let drive = if name == "a" { 3.0 } else { 0.0 };
        b.port(name, (arm, 1), Condition::Pressure(drive));
    }
    let width = b.chip.parts[first].shape.sockets()[2].width;
    let side = b.attach(straight(3.1e-4, width), 0, (first, 2));
    b.port("c", (side, 1), Condition::FlowRate(1e-10));
    b.chip
}

/// A taper in a shallow chip: drag tells its slices apart.
fn tapered() -> Chip {
    let mut b = Builder::new("taper with drag");
    b.chip.model = DepthModel::Shallow;
    b.chip.depth = Some(4e-5);
    let first = b.place(
        straight(2e-4, 1e-4),
        Motion::new(0.3, Point::new(1e-4, 2e-4)),
    );
    let taper = Shape::Strip(Strip::Straight {
        length: 3e-4,
        width_start: 1e-4,
        width_end: 2.2e-4,
    });
    let taper = b.attach(taper, 0, (first, 1));
    // A quarter turn is a whole number of angle quanta; others are up to 8e-10 rad off, each method in its own way.
    let bend = b.attach(
        arc(3e-4, std::f64::consts::FRAC_PI_2, 2.2e-4),
        0,
        (taper, 1),
    );
    let last = b.attach(straight(9e-4, 2.2e-4), 1, (bend, 1));
    b.port("in", (first, 0), Condition::FlowRate(2e-12));
    b.port("out", (last, 0), Condition::Pressure(0.0));
    b.chip
}

/// A tee whose arm up ends in nothing.
fn dead_end() -> Chip {
    let mut chip = small_tee();
    chip.name = "tee with a closed arm".into();
    chip.ports.truncate(2);
    chip
}

/// Every port's flow is given, so only differences of pressure are known.
fn all_flows() -> Chip {
    let mut chip = with_conditions(&small_tee(), &flows(&[1e-9, -3e-10, -7e-10]));
    chip.name = "tee of given flows".into();
    chip
}

/// Two chips in one: a tee whose pressure is free and one whose pressure is not.
fn connected_components() -> Chip {
    let mut chip = all_flows();
    chip.name = "two connected components".into();
    let other = with_conditions(&small_tee(), &pressures(&[5.0, 1.0, 0.0]));
    let n = chip.parts.len();
    let away = Motion::new(0.7, Point::new(3e-3, 1e-3));
    chip.parts.extend(other.parts.iter().map(|part| Part {
        name: format!("other {}", part.name),
        shape: part.shape.clone(),
        motion: away.after(&part.motion),
        walls: part.walls.clone(),
        depth: None,
    }));
    for mut c in other.connections {
        c.a.part += n;
        c.b.part += n;
        chip.connections.push(c);
    }
    for mut port in other.ports {
        port.socket.part += n;
        port.name = format!("other {}", port.name);
        chip.ports.push(port);
    }
    chip
}

/// Three junctions socket to socket, a port on one of them, a ring of pipes.
fn ring() -> Chip {
    let mut b = Builder::new("ring");
    let w = 1e-4;
    let a = b.place(square(w, &[0, 1, 3]), Motion::IDENTITY);
    let middle = b.attach(square(w, &[1, 3]), 1, (a, 1));
    let next = b.attach(square(w, &[0, 1, 3]), 2, (middle, 0));
    // Down from both, round the bends and together.
    let left = b.attach(straight(2e-4, w), 0, (a, 0));
    let bend = b.attach(arc(w, std::f64::consts::PI, w), 0, (left, 1));
    b.attach(straight(2e-4, w), 0, (bend, 1));
    let last = b.chip.parts.len() - 1;
    b.chip.connections.push(stokeslet::shape::Connection {
        a: stokeslet::shape::SocketRef {
            part: last,
            socket: 1,
        },
        b: stokeslet::shape::SocketRef {
            part: next,
            socket: 0,
        },
    });
    let exit = b.attach(straight(1e-4, w), 0, (next, 1));
    b.port("in", (a, 2), Condition::Pressure(1.0));
    b.port("out", (exit, 1), Condition::TractionFree);
    b.chip
}

#[test]
fn fronts_and_block_rows_give_the_same_fields_cached_or_not() {
    for (chip, r) in [
        (small_tee(), 5),
        (mirrored_pair(), 4),
        (tapered(), 4),
        (dead_end(), 4),
        (all_flows(), 5),
        (connected_components(), 3),
        (ring(), 4),
        (
            channel(
                3.17e-3,
                1e-4,
                Motion::new(2.0, Point::default()),
                [Condition::Pressure(1.0), Condition::FlowRate(-1e-10)],
            ),
            4,
        ),
    ] {
        let fronts = solved(&chip, r);
        let rows = solved_with(&chip, &by_rows(r), &Table::default());
        assert_same(&fronts, &rows, 1e-8, &format!("{} by rows", chip.name));
        let plain = solved_with(&chip, &uncached(r), &Table::default());
        assert_same(&fronts, &plain, 1e-8, &format!("{} uncached", chip.name));
        assert!(plain.report.computed_matrices >= fronts.report.computed_matrices);
    }
}

#[test]
fn fronts_and_block_rows_give_the_same_fields_on_designs() {
    for (name, r) in [
        ("tee", 4),
        // Sockets of three widths, two of which share a corner.
        ("flow-focus", 4),
        ("y-mixer", 4),
        ("spiral-delay", 3),
        ("wide", 2),
        ("voronoi-s4", 2),
        // Layers of its junctions end in blocks that keep no pivot of their own: a pressure without velocities (14), the two
        // ends of an edge with the velocity at its middle (9).
        ("voronoi-s4", 9),
        ("voronoi-s4", 14),
        ("pockets", 4),
    ] {
        let chip = from_file(name);
        let fronts = solved(&chip, r);
        let rows = solved_with(&chip, &by_rows(r), &Table::default());
        assert_same(&fronts, &rows, 1e-8, &format!("{name} by rows"));
    }
}

/// 2,304 leaves of one copy: their products are done side by side. One that is left out or added twice would show.
#[test]
fn the_residual_of_one_large_part_is_that_of_all_its_leaves() {
    let solution = solved(&from_file("wide"), 4);
    let residual = solution.report.relative_residual;
    assert!(residual < 1e-12, "{residual:.1e}");
    assert_eq!(solution.report.refinement_steps, 0);
}

#[test]
fn uncached_fronts_give_the_same_fields_on_designs() {
    for (name, r) in [("y-mixer", 4), ("bridge", 4), ("voronoi-s15", 3)] {
        let chip = from_file(name);
        let fronts = solved(&chip, r);
        let plain = solved_with(&chip, &uncached(r), &Table::default());
        assert_same(&fronts, &plain, 1e-8, &format!("{name} uncached"));
        assert!(
            plain.report.flops > fronts.report.flops,
            "{name}: copies cost"
        );
    }
}

#[test]
fn a_chip_of_mirror_images_gives_mirror_images() {
    let chip = mirrored_pair();
    // The second junction is the first one's mirror image: as many pieces as without it.
    let kinds = |chip: &Chip| solved(chip, 4).report.canonical_blocks;
    let mut shapes: Vec<String> = chip
        .parts
        .iter()
        .map(|p| format!("{:?}", p.shape))
        .collect();
    shapes.sort();
    shapes.dedup();
    assert_eq!(kinds(&chip), shapes.len(), "a mirrored part is a copy");
    // The whole chip mirrored flows the same.
    let mut mirrored = chip.clone();
    let flip = Motion {
        mirror: true,
        ..Motion::IDENTITY
    };
    for part in &mut mirrored.parts {
        part.motion = flip.after(&part.motion);
    }
    let (a, b) = (solved(&chip, 4), solved(&mirrored, 4));
    let scale = largest(a.ports.iter().map(|p| p.flow_rate));
    for (p, q) in a.ports.iter().zip(&b.ports) {
        assert_small!(p.flow_rate - q.flow_rate, scale, 1e-10, "flow at {}", p.id);
    }
    assert_conductance(&b, &a, 1e-10, "mirrored");
}

/// A corner's pressure belongs to two sockets, in the unit of either. (Block rows leave it out of the second socket's mean.)
#[test]
fn mean_pressures_of_ports_are_those_of_the_fields_also_on_sockets_that_share_corners() {
    let mut b = Builder::new("ports on a junction");
    let junction = b.place(lopsided(), Motion::IDENTITY);
    let conditions = [
        Condition::TractionFree,
        Condition::Pressure(1.0),
        Condition::FlowRate(1e-10),
    ];
    for (k, condition) in conditions.into_iter().enumerate() {
        b.port(&format!("p{k}"), (junction, k), condition);
    }
    let chip = b.chip;
    let solution = solved(&chip, 4);
    let sockets = chip.parts[junction].shape.sockets();
    for (port, socket) in solution.ports.iter().zip(&sockets) {
        let (out, along) = (
            Point::unit(socket.direction),
            socket.direction + std::f64::consts::FRAC_PI_2,
        );
        let along = Point::unit(along);
        let mut on: Vec<(f64, f64)> = solution
            .fields
            .nodes
            .iter()
            .zip(&solution.fields.pressure)
            .map(|(p, value)| (*p - socket.middle, *value))
            .filter(|(d, _)| d.dot(out).abs() < 1e-11 && d.dot(along).abs() < 0.501 * socket.width)
            .map(|(d, value)| (d.dot(along), value))
            .collect();
        on.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(on.len(), 9, "nodes of a socket at r = 4");
        let trapezoid = |w: &[(f64, f64)]| (w[1].0 - w[0].0) * (w[0].1 + w[1].1) / 2.0;
        let mean = on.windows(2).map(trapezoid).sum::<f64>() / socket.width;
        let size = largest(solution.fields.pressure.iter().copied());
        assert_small!(
            port.mean_pressure - mean,
            size,
            1e-8,
            "mean pressure at {}",
            port.id
        );
    }
}

/// All numbers of a solution, to the last bit.
fn bits(s: &Solution) -> Vec<u64> {
    let fields = s.fields.velocity.iter().flat_map(|v| [v.x, v.y]);
    let ports = s.ports.iter().flat_map(|p| [p.flow_rate, p.mean_pressure]);
    let shear = s.wall_shear.map_or([0.0; 3], |w| [w.min, w.mean, w.max]);
    let rest = [
        s.report.relative_residual,
        s.max_speed.map_or(0.0, |m| m.0),
        shear[0],
        shear[1],
        shear[2],
    ];
    fields
        .chain(s.fields.pressure.iter().copied())
        .chain(ports)
        .chain(s.conductance.matrix.iter().flatten().copied())
        .chain(rest)
        .map(f64::to_bits)
        .collect()
}

#[test]
fn threads_and_what_is_known_change_no_bit() {
    for (chip, r) in [
        (lattice(5), 4),
        (connected_components(), 4),
        (tapered(), 6),
        (from_file("voronoi-s15"), 4),
        (from_file("y-mixer"), 8),
    ] {
        let table = Table::with_budget(1 << 30);
        let with = |threads: usize, table: &Table| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            bits(&pool.unwrap().install(|| solved_with(&chip, &at(r), table)))
        };
        let want = with(1, &Table::with_budget(0));
        let name = &chip.name;
        assert!(
            with(2, &Table::with_budget(0)) == want,
            "{name}: two threads"
        );
        assert!(with(2, &table) == want, "{name}: cold table");
        assert!(with(1, &table) == want, "{name}: warm table");
        // Warmed by ports only: joins are known, what they are made of is not.
        let half = Table::with_budget(1 << 30);
        solved_with(&chip, &ports_only(r), &half);
        assert!(with(2, &half) == want, "{name}: table warmed by ports only");
        let small = Table::with_budget(table.bytes() / 10);
        for round in ["first", "second"] {
            assert!(
                with(2, &small) == want,
                "{name}: small table, {round} solve"
            );
        }
    }
}

/// In three dimensions, with a small tee's conditions.
fn deep_tee() -> Chip {
    let mut chip = small_tee();
    chip.name = "deep tee".into();
    chip.model = DepthModel::Full;
    chip.depth = Some(6e-5);
    chip
}

#[test]
fn an_eliminated_chip_asked_again_gives_the_bits_of_a_fresh_solve() {
    for (chip, settings) in [
        (small_tee(), at(4)),
        (small_tee(), ports_only(4)),
        (connected_components(), at(3)),
        (connected_components(), ports_only(3)),
        (lattice(4), at(4)),
        (deep_tee(), at(4)),
        (deep_tee(), ports_only(4)),
    ] {
        let what = format!("{}, {:?}", chip.name, settings.wanted);
        let ask = |kept: &dyn Eliminated, chip: &Chip| {
            let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
            let solution = kept.solve(&conditions, &silent, &CancelToken::new());
            solution.unwrap_or_else(|e| panic!("{what}: {e}"))
        };
        let kept = eliminate(
            &chip,
            &settings,
            &Table::default(),
            &silent,
            &CancelToken::new(),
        );
        let kept = kept.unwrap_or_else(|e| panic!("{what}: {e}"));
        let first = ask(&*kept, &chip);
        let before = bits(&first);
        // Larger flows by the same factor, so that they balance; pressures by another and shifted.
        let other = chip.ports.iter().map(|p| match p.condition {
            Condition::FlowRate(q) => Condition::FlowRate(-2.5 * q),
            Condition::Pressure(p) => Condition::Pressure(1.5 * p + 0.3),
            Condition::TractionFree => Condition::TractionFree,
        });
        let other = with_conditions(&chip, &other.collect::<Vec<_>>());
        let second = ask(&*kept, &other);
        let fresh = |chip| bits(&solved_with(chip, &settings, &Table::default()));
        assert!(bits(&second) == fresh(&other), "{what}: other values");
        assert!(bits(&second) != before, "{what}: they change the answer");
        assert!(bits(&first) == before, "{what}: the first answer stays");
        assert!(
            bits(&ask(&*kept, &chip)) == fresh(&chip),
            "{what}: first values again"
        );
    }
}

#[test]
fn an_eliminated_chip_refuses_conditions_that_it_was_not_made_for() {
    let ask = |chip: &Chip, conditions: &[Condition]| {
        let token = CancelToken::new();
        let kept = eliminate(chip, &at(3), &Table::default(), &silent, &token);
        kept.unwrap().solve(conditions, &silent, &token)
    };
    use Condition::{FlowRate, Pressure, TractionFree};
    match ask(&small_tee(), &[FlowRate(1e-9), FlowRate(0.0), TractionFree]) {
        Err(SolveError::OtherConditions { port, .. }) => assert_eq!(port, "right"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        ask(&small_tee(), &[FlowRate(1e-9), Pressure(0.0)]),
        Err(SolveError::ConditionCount { asked: 2, ports: 3 })
    ));
    assert!(matches!(
        ask(&all_flows(), &flows(&[1e-9, -3e-10, -6e-10])),
        Err(SolveError::Unbalanced { .. })
    ));
    // Block rows keep the same contract: they answer again, as fronts do, and refuse the same.
    let again = |settings: &SolveSettings, asked: &[Condition]| {
        eliminate(
            &small_tee(),
            settings,
            &Table::default(),
            &silent,
            &CancelToken::new(),
        )
        .and_then(|kept| kept.solve(asked, &silent, &CancelToken::new()))
    };
    let other = [FlowRate(2e-9), Pressure(3.0), TractionFree];
    let (rows, fronts) = (again(&by_rows(3), &other), again(&at(3), &other));
    let (rows, fronts) = (rows.expect("rows answer"), fronts.expect("fronts answer"));
    for (a, b) in rows.ports.iter().zip(&fronts.ports) {
        assert_close!(
            a.flow_rate,
            b.flow_rate,
            1e-9,
            "both methods, another condition"
        );
    }
    assert!(matches!(
        again(&by_rows(3), &[FlowRate(1e-9), Pressure(0.0)]),
        Err(SolveError::ConditionCount { asked: 2, ports: 3 })
    ));
}

fn ports_only(resolution: u32) -> SolveSettings {
    SolveSettings {
        wanted: WantedResults::PortsOnly,
        ..at(resolution)
    }
}

#[test]
fn ports_alone_are_what_a_whole_solve_says_of_them() {
    for (chip, r) in [
        (small_tee(), 4),
        (connected_components(), 4),
        (dead_end(), 3),
        (lattice(4), 4),
        (from_file("spiral-delay"), 4),
    ] {
        let (all, ports) = (
            solved(&chip, r),
            solved_with(&chip, &ports_only(r), &Table::default()),
        );
        assert!(ports.fields.nodes.is_empty() && ports.max_speed.is_none());
        // A solve of fields may refine; ports alone can't.
        let flow = largest(all.ports.iter().map(|p| p.flow_rate));
        let pressure = largest(all.ports.iter().map(|p| p.mean_pressure));
        for (p, q) in ports.ports.iter().zip(&all.ports) {
            let what = format!("{} at {}", chip.name, p.id);
            assert_small!(p.flow_rate - q.flow_rate, flow, 1e-9, "flow, {what}");
            assert_small!(
                p.mean_pressure - q.mean_pressure,
                pressure,
                1e-9,
                "pressure, {what}"
            );
        }
        assert_conductance(&ports, &all, 1e-12, &chip.name);
    }
}

/// Fronts that a solve computes, and their floating-point operations.
fn computed(chip: &Chip, settings: &SolveSettings, table: &Table) -> (u64, u64) {
    let recorder = Arc::new(Recorder::on());
    let settings = SolveSettings {
        recorder: Some(recorder.clone()),
        ..settings.clone()
    };
    solved_with(chip, &settings, table);
    let tasks = recorder.profile().table().tasks;
    let fronts = tasks.iter().filter(|t| t.kind.ends_with("front"));
    fronts.fold((0, 0), |(n, flops), t| (n + t.computed, flops + t.flops))
}

#[test]
fn after_a_component_moved_few_fronts_are_computed() {
    let moved = |dy: f64| {
        let mut b = Builder::new("moved");
        let w = 1e-4;
        let middle = b.place(square(w, &[3, 1, 2]), Motion::IDENTITY);
        let left = b.attach(straight(6e-4, w), 0, (middle, 0));
        let right = b.attach(straight(9e-4, w), 0, (middle, 1));
        // What is moved: the tee above, and so the length of the pipe to it.
        let up = b.attach(straight(7e-4 + dy, w), 0, (middle, 2));
        let top = b.attach(square(w, &[0, 1, 3]), 0, (up, 1));
        let a = b.attach(straight(5e-4, w), 0, (top, 1));
        let c = b.attach(straight(8e-4, w), 0, (top, 2));
        for (k, part) in [left, right, a, c].into_iter().enumerate() {
            b.port(&format!("p{k}"), (part, 1), Condition::Pressure(k as f64));
        }
        b.chip
    };
    let table = Table::with_budget(1 << 30);
    let [first, again, cells, part] =
        [0.0, 0.0, 2.5e-4, 2.5e-4 + 1.23e-5].map(|dy| computed(&moved(dy), &at(8), &table));
    println!(
        "(fronts, flops): {first:?}, again {again:?}, moved by cells {cells:?}, by part of a cell {part:?}"
    );
    assert_eq!(again, (0, 0), "nothing is new");
    // The pipe is, with the lengths that it is doubled from (what is left of them isn't kept), and no junction: 15 and 21 of
    // 52 fronts, a third of the work of so small a chip. A part of a cell makes a pair of slices of their own.
    for second in [cells, part] {
        assert!(2 * second.0 < first.0, "{second:?} after {first:?}");
        assert!(5 * second.1 < 3 * first.1, "{second:?} after {first:?}");
    }
}

/// Pipes of three widths pass on few numbers at r = 6 and more; at r = 4 they pass on more than a third of a socket's 19, so they
/// are not parted there, and the whole lattice is one group whose kinds grow (108 and 185).
#[test]
fn kinds_of_fronts_hardly_grow_with_a_lattice() {
    for r in [6, 8] {
        let report = |n| solved_with(&lattice(n), &ports_only(r), &Table::default()).report;
        let [ten, twenty] = [10, 20].map(report);
        for r in [&ten, &twenty] {
            println!(
                "{} unknowns, {} kinds, {} pieces, {:.2e} flops",
                r.unknowns, r.computed_matrices, r.canonical_blocks, r.flops as f64
            );
        }
        // Parts and junctions take the same; what joins the groups grows like the number of rounds.
        assert!(
            2 * twenty.computed_matrices < 3 * ten.computed_matrices,
            "kinds of fronts: {} and {}",
            ten.computed_matrices,
            twenty.computed_matrices
        );
        assert!(
            twenty.flops < 1000 * twenty.unknowns as u64,
            "joining the groups stays small: {} operations",
            twenty.flops
        );
        assert_eq!(ten.canonical_blocks, twenty.canonical_blocks, "pieces");
        assert!(
            twenty.tasks > 3 * ten.tasks,
            "though four times as many are asked for"
        );
    }
}

#[test]
fn kinds_of_fronts_of_a_pipe_grow_like_the_logarithm_of_its_length() {
    let report = |widths: f64| {
        let ends = [Condition::Pressure(1.0), Condition::Pressure(0.0)];
        let chip = channel(widths * 1e-4, 1e-4, Motion::IDENTITY, ends);
        solved_with(&chip, &ports_only(4), &Table::default()).report
    };
    let found: Vec<(f64, usize, u64)> = [10.0, 100.0, 1000.0, 10_000.0]
        .into_iter()
        .map(|w| (w, report(w).computed_matrices, report(w).flops))
        .collect();
    println!("(widths, kinds, flops): {found:?}");
    for pair in found.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        // log2(10) doublings more of either half, each with at most two spans: the whole ones and what is left over.
        assert!(b.1 >= a.1 && b.1 - a.1 <= 16, "{found:?}");
        assert!(b.2 < 3 * a.2, "{found:?}");
    }
    // Doubled lengths: one join more of either half.
    let kinds = [128.0, 256.0, 512.0].map(|w| report(w).computed_matrices);
    assert_eq!(
        [kinds[1] - kinds[0], kinds[2] - kinds[1]],
        [2, 2],
        "{kinds:?}"
    );
}

#[test]
fn every_design_is_solved_to_the_tolerance_at_resolution_4() {
    for name in all_designs() {
        let report = solved(&from_file(&name), 4).report;
        println!(
            "{name}: {:.1e} after {} refinements, imbalance {:.1e}, {:.2} s",
            report.relative_residual,
            report.refinement_steps,
            report.mass_imbalance,
            report.timings.total
        );
        assert_small!(report.relative_residual, 1.0, 1e-10, "residual of {name}");
        assert!(report.refinement_steps <= 1, "{name}: factors are good");
        assert_small!(report.mass_imbalance, 1.0, 1e-9, "mass balance of {name}");
    }
}

/// `cargo test --release --test fronts a_stop_is_heard -- --ignored --nocapture`
#[test]
#[ignore = "measures time, of a machine that does nothing else; a minute in release"]
fn a_stop_is_heard_within_half_a_second_at_any_moment() {
    use std::time::{Duration, Instant};
    for (name, r) in [("grid20", 16), ("voronoi-s15", 24)] {
        let chip = from_file(name);
        let mut worst = Duration::ZERO;
        for k in 0.. {
            let token = CancelToken::new();
            let (done, told) = std::thread::scope(|scope| {
                let asked = scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(50 * k));
                    token.cancel();
                    Instant::now()
                });
                let solved =
                    stokeslet::session::solve(&chip, &at(r), &Table::default(), &silent, &token);
                let returned = Instant::now();
                let asked = asked.join().expect("it only sleeps");
                let after = returned.saturating_duration_since(asked);
                (solved.is_ok(), after)
            });
            worst = worst.max(told);
            if done {
                break;
            }
        }
        println!("{name} at r = {r}: {worst:?} at most");
        assert!(worst < Duration::from_millis(500), "{name}: {worst:?}");
    }
}
