//! Numbers that say how good they are: power in against power dissipated, set pressures as set, flows that balance over steps of
//! thousands, fluid that rests where nothing drives it, and error estimates beside true errors.

use proptest::test_runner::{RngAlgorithm, TestRng};
use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, Condition};
use stokeslet::design::DepthModel;
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::{
    Solution, SolveError, SolveSettings, advice, silent, solve, solve_with_errors,
};
use stokeslet::shape::Shape;
use stokeslet::table::Table;

#[macro_use]
mod support;
use support::chips::{
    Builder, all_designs, arc, from_file, from_text, straight, tee, with_conditions,
};
use support::{at, largest, solved, solved_with};

/// Power that comes in at the ports.
fn power(s: &Solution) -> f64 {
    s.ports.iter().map(|p| p.flow_rate * p.pressure).sum()
}

fn heat(s: &Solution) -> f64 {
    s.dissipation.expect("all was wanted")
}

#[test]
fn power_in_at_the_ports_is_turned_into_heat() {
    for name in all_designs() {
        let chip = from_file(&name);
        let s = solved(&chip, 4);
        assert_close!(heat(&s), power(&s), 1e-10, "{name}, {}", chip.model.name());
    }
    for model in DepthModel::ALL {
        for name in ["tee", "y-mixer", "flow-focus", "straight"] {
            let mut chip = from_file(name);
            (chip.model, chip.depth) = (model, chip.depth.or(Some(40e-6)));
            let s = solved(&chip, 4);
            assert_close!(heat(&s), power(&s), 1e-10, "{name}, {}", model.name());
        }
    }
    let mut whole = at(4);
    whole.depth.whole = true;
    let mut chip = from_file("tee");
    (chip.model, chip.depth) = (DepthModel::Full, Some(40e-6));
    let s = solved_with(&chip, &whole, &Table::default());
    assert_close!(heat(&s), power(&s), 1e-10, "the whole depth");
}

#[test]
fn both_methods_dissipate_alike() {
    let chip = from_file("bridge");
    let by = |k: usize| {
        let settings = SolveSettings {
            method: stokeslet::METHODS[k],
            ..at(4)
        };
        heat(&solved_with(&chip, &settings, &Table::default()))
    };
    assert_close!(by(1), by(0), 1e-9, "block rows against fronts");
}

#[test]
fn a_set_pressure_is_reported_as_set() {
    let [a, b, c] = [1.0, 0.25, 0.0].map(Condition::Pressure);
    let s = solved(&tee([1e-4, 2e-4, 3e-4], 1e-4, [a, b, c]), 4);
    let pressures: Vec<f64> = s.ports.iter().map(|p| p.pressure).collect();
    assert_eq!(pressures, [1.0, 0.25, 0.0]);
    let off = largest(s.ports.iter().map(|p| p.mean_pressure - p.pressure));
    assert!(
        off > 1e-9 && off < 0.02,
        "what the coarse field has is another thing: {off:e}"
    );
}

/// Pipes one after the other, each narrower, 20 of its own widths long, joined by steps.
fn cascade(widths: &[f64], conditions: [Condition; 2]) -> Chip {
    let mut components = String::new();
    let mut ends = Vec::new();
    for (k, pair) in widths.windows(2).enumerate() {
        let [a, b] = [pair[0], pair[1]];
        components += &format!(
            "s{k} = {{ kind = \"step\", parameters = {{ width_start = \"{a:e} m\", width_end = \"{b:e} m\" }}, {} }}\n",
            match k {
                0 => "at = [\"0 mm\", \"0 mm\"]".to_string(),
                _ => format!("attach = \"a\", to = \"p{k}.b\""),
            }
        );
        components += &format!(
            "p{next} = {{ kind = \"pipe\", parameters = {{ length = \"{:e} m\", width = \"{b:e} m\" }}, attach = \"a\", to = \"s{k}.b\" }}\n",
            20.0 * b,
            next = k + 1,
        );
        ends.push(k + 1);
    }
    let last = ends.last().expect("a step");
    let text = format!(
        "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"1 mm\" }}\n[components]\n{components}\n\
         [ports]\nin = {{ at = \"s0.a\", pressure = \"1 Pa\" }}\nout = {{ at = \"p{last}.b\", pressure = \"0 Pa\" }}\n"
    );
    with_conditions(&from_text(&text, "cascade"), &conditions)
}

#[test]
fn steps_of_thousands_in_width_balance_to_1e_10() {
    let by_pressure = [Condition::Pressure(1.0), Condition::Pressure(0.0)];
    let by_flow = [Condition::FlowRate(1e-9), Condition::Pressure(0.0)];
    for widths in [
        &[2e-3, 40e-6, 0.8e-6, 16e-9][..],
        &[1e-3, 50e-6, 2.5e-6],
        &[1e-3, 1e-4, 1e-5, 1e-6],
        &[1e-3, 20e-6, 0.4e-6],
    ] {
        for conditions in [by_pressure, by_flow] {
            let chip = cascade(widths, conditions);
            let s = solved(&chip, 4);
            let r = &s.report;
            println!(
                "{widths:?} {conditions:?}: residual {:.1e}, imbalance {:.1e}, {} steps",
                r.relative_residual, r.mass_imbalance, r.refinement_steps
            );
            assert!(r.relative_residual <= 1e-10, "{widths:?} {conditions:?}");
            assert!(
                r.mass_imbalance <= 1e-10,
                "{widths:?} {conditions:?}: {:e}",
                r.mass_imbalance
            );
            let g = &s.conductance.matrix;
            assert_close!(g[0][1], g[1][0], 1e-10, "{widths:?}: symmetric");
            assert_close!(
                -g[0][1],
                g[0][0],
                1e-10,
                "{widths:?}: what goes in comes out"
            );
        }
    }
}

#[test]
fn nothing_flows_where_nothing_drives() {
    let mut one = tee([1e-4; 3], 1e-4, [Condition::Pressure(5.0); 3]);
    for chip in [one.clone(), {
        one.ports.truncate(1);
        one
    }] {
        for settings in [
            at(4),
            SolveSettings {
                method: stokeslet::METHODS[1],
                ..at(4)
            },
        ] {
            let s = solved_with(&chip, &settings, &Table::default());
            assert!(s.report.still, "{} ports", chip.ports.len());
            assert!(s.ports.iter().all(|p| p.flow_rate == 0.0));
            assert_eq!(
                (
                    s.max_speed.expect("fields").0,
                    s.wall_shear.expect("fields").max,
                    heat(&s)
                ),
                (0.0, 0.0, 0.0)
            );
            assert!(s.fields.velocity.iter().all(|v| v.norm() == 0.0));
            let off = largest(s.fields.pressure.iter().map(|p| p - 5.0));
            assert!(
                off < 1e-9,
                "the pressure is that of the ports: off by {off:e}"
            );
        }
    }
    let [a, b] = [1.0, 1.0 + 1e-12].map(Condition::Pressure);
    let barely = tee([1e-4; 3], 1e-4, [a, b, a]);
    assert!(
        !solved(&barely, 4).report.still,
        "a small difference is one"
    );
}

#[test]
fn estimates_need_something_coarser() {
    let chip = from_file("tee");
    let settings = at(3);
    let (table, cancel) = (Table::default(), CancelToken::new());
    let refused = solve_with_errors(&chip, &settings, &table, &silent, &cancel);
    assert!(
        matches!(refused, Err(SolveError::TooCoarse { resolution: 3 })),
        "{:?}",
        refused.err()
    );
}

/// Solves side by side share the memory that is allowed; what doesn't fit beside the others is solved alone.
#[test]
fn errors_are_estimated_in_the_memory_that_the_largest_solve_needs() {
    let chip = from_file("bridge");
    let (table, cancel) = (Table::default(), CancelToken::new());
    let needed = |r| {
        let s = solve(&chip, &at(r), &table, &silent, &cancel).expect("a bridge");
        s.report.estimated_memory_bytes
    };
    let limit = [8, 4, 2].map(needed).into_iter().max();
    let settings = SolveSettings {
        memory_limit: limit,
        ..at(8)
    };
    let (_, errors) = solve_with_errors(&chip, &settings, &Table::default(), &silent, &cancel)
        .expect("each of them fits alone");
    let (_, free) = solve_with_errors(&chip, &at(8), &table, &silent, &cancel).expect("a bridge");
    assert_eq!(errors.ports, free.ports);
    let less = SolveSettings {
        memory_limit: limit.map(|m| m - 1),
        ..settings
    };
    let refused = solve_with_errors(&chip, &less, &table, &silent, &cancel);
    assert!(
        matches!(refused, Err(SolveError::OutOfMemory { needed, allowed }) if allowed == needed - 1),
        "{:?}",
        refused.err()
    );
}

/// A tree of pipes and junctions: each junction a tee, a cross or a bend whose free arms go on, with random lengths; sources and sinks
/// at the ends.
fn random_tree(seed: u8) -> Chip {
    use proptest::prelude::Rng;
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut below = |n: u32| rng.next_u32() % n;
    let w = 1e-4;
    let mut b = Builder::new("tree");
    let first = b.place(straight(w * f64::from(2 + below(6)), w), Default::default());
    let mut open = vec![(first, 1)];
    let mut ends = vec![(first, 0)];
    for _ in 0..2 + below(4) {
        if open.is_empty() {
            break;
        }
        let at = open.remove(below(open.len() as u32) as usize);
        let sides: &[usize] = match below(4) {
            0 => &[3, 1, 2],
            1 => &[3, 0, 1, 2],
            2 => &[3, 2],
            _ => &[3, 0],
        };
        let joint = b.attach(support::chips::square(w, sides), 0, at);
        for socket in 1..sides.len() {
            let end = below(2) as usize;
            let length = w * (1.0 + f64::from(below(8)) + 0.25 * f64::from(below(4)));
            let pipe = b.attach(straight(length, w), end, (joint, socket));
            open.push((pipe, 1 - end));
        }
    }
    ends.extend(open);
    for (k, &end) in ends.iter().enumerate() {
        let condition = match (k, below(3)) {
            (0, _) => Condition::Pressure(100.0),
            (1, _) => Condition::Pressure(0.0),
            (_, 0) => Condition::FlowRate(1e-8 * f64::from(1 + below(9))),
            _ => Condition::Pressure(f64::from(below(60))),
        };
        b.port(&format!("p{k}"), end, condition);
    }
    b.chip
}

/// The estimate at r = 8 over the true error, against r = 32, of the largest relative error of a chip.
fn honesty(name: &str, chip: &Chip) -> Option<f64> {
    let (table, cancel) = (Table::default(), CancelToken::new());
    let ports_only = |r| SolveSettings {
        wanted: stokeslet::session::WantedResults::PortsOnly,
        ..at(r)
    };
    let settings = ports_only(8);
    let (s, e) = solve_with_errors(chip, &settings, &table, &silent, &cancel)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let fine = solve(chip, &ports_only(32), &table, &silent, &cancel).expect("as the solve");
    let size = |of: &dyn Fn(usize) -> f64| largest((0..chip.ports.len()).map(of));
    let (flow, pressure) = (
        size(&|k| s.ports[k].flow_rate),
        size(&|k| s.ports[k].pressure),
    );
    // The fine solution has an error too: a sixteenth at order two.
    let true_error = size(&|k| {
        let of_flow = (s.ports[k].flow_rate - fine.ports[k].flow_rate) / flow;
        let of_pressure = (s.ports[k].pressure - fine.ports[k].pressure) / pressure;
        of_flow.abs().max(of_pressure.abs())
    });
    let extrapolated = size(&|k| {
        let of_flow = (e.ports[k].extrapolated_flow_rate - fine.ports[k].flow_rate) / flow;
        let of_pressure = (e.ports[k].extrapolated_pressure - fine.ports[k].pressure) / pressure;
        of_flow.abs().max(of_pressure.abs())
    });
    println!(
        "{name:<22} error {true_error:.2e}, estimate {:.2e}, ratio {:.2}; extrapolated {extrapolated:.1e}",
        e.relative,
        e.relative / true_error
    );
    // Straight ducts are exact: nothing to estimate.
    (true_error > 1e-8).then_some(e.relative / true_error)
}

#[test]
fn estimates_are_between_half_and_four_times_the_error_on_random_networks() {
    let ratios = (0..20).filter_map(|seed| honesty(&format!("tree {seed}"), &random_tree(seed)));
    let ratios: Vec<f64> = ratios.collect();
    assert!(ratios.len() > 15, "most trees have corners");
    assert!(
        ratios.iter().all(|r| (0.5..=4.0).contains(r)),
        "{ratios:.2?}"
    );
}

#[test]
fn estimates_are_between_half_and_four_times_the_error_on_designs() {
    let large = ["grid20", "rgrid", "wide", "voronoi-s15"];
    let names = all_designs()
        .into_iter()
        .filter(|n| !large.contains(&n.as_str()));
    let ratios: Vec<(String, f64)> = names
        .filter_map(|name| honesty(&name, &from_file(&name)).map(|r| (name, r)))
        .collect();
    assert!(ratios.len() > 8);
    assert!(
        ratios.iter().all(|r| (0.5..=4.0).contains(&r.1)),
        "{ratios:.2?}"
    );
}

#[test]
#[ignore = "large designs at r = 32: `cargo test --release --test trust -- --ignored --nocapture`, minutes and gigabytes"]
fn estimates_on_large_designs() {
    for name in ["grid20", "rgrid", "wide", "voronoi-s15"] {
        let ratio = honesty(name, &from_file(name)).expect("has corners");
        assert!((0.5..=4.0).contains(&ratio), "{name}: {ratio}");
    }
}

#[test]
fn closed_sockets_are_walls_to_the_wall_shear() {
    // A cross whose lower and upper sockets are closed, and the same square without them.
    let of = |component: &str, [left, right]: [&str; 2], method: usize| {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"100 um\" }}\n\
             components = {{ x = {{ {component}, at = [\"0 mm\", \"0 mm\"] }} }}\n[ports]\n\
             in = {{ at = \"x.{left}\", pressure = \"1 Pa\" }}\nout = {{ at = \"x.{right}\", pressure = \"0 Pa\" }}\n"
        );
        let settings = SolveSettings {
            method: stokeslet::METHODS[method],
            ..at(8)
        };
        solved_with(&from_text(&text, "pockets"), &settings, &Table::default())
    };
    let cross = r#"kind = "cross""#;
    let (fronts, rows) = (
        of(cross, ["left", "right"], 0),
        of(cross, ["left", "right"], 1),
    );
    assert_close!(
        rows.wall_shear.expect("fields").mean,
        fronts.wall_shear.expect("fields").mean,
        1e-7,
        "by both methods"
    );
    assert_eq!(rows.fields.walls.len(), fronts.fields.walls.len());
    assert_eq!(
        fronts.fields.walls.len(),
        16,
        "eight edges above, eight below"
    );
    let square = r#"kind = "polygon", parameters = { points = [["-50 um", "-50 um"], ["50 um", "-50 um"], ["50 um", "50 um"], ["-50 um", "50 um"]], mouths = [2, 4] }"#;
    let walls = of(square, ["m2", "m1"], 0);
    let (got, want) = (
        fronts.wall_shear.expect("fields").mean,
        walls.wall_shear.expect("fields").mean,
    );
    assert_close!(got, want, 0.05, "but for the mesh in the corners");
    assert!(want > 0.0);
}

/// A channel 400 um by 100 um with a wall of `thickness` from above, and from below where `jaws`, that leaves `gap`; all m.
fn gapped(gap: f64, thickness: f64, jaws: bool) -> Chip {
    let (w, l) = (100e-6, 400e-6);
    let (left, right) = ((l - thickness) / 2.0, (l + thickness) / 2.0);
    let (low, high) = match jaws {
        true => ((w - gap) / 2.0, (w + gap) / 2.0),
        false => (0.0, gap),
    };
    let below = [(left, 0.0), (left, low), (right, low), (right, 0.0)];
    let above = [(right, w), (right, high), (left, high), (left, w)];
    let mut corners = vec![(0.0, 0.0)];
    corners.extend(jaws.then_some(below).into_iter().flatten());
    corners.extend([(l, 0.0), (l, w)]);
    corners.extend(above);
    corners.push((0.0, w));
    let sockets = vec![corners.len() - 1, if jaws { 5 } else { 1 }];
    let corners = corners.iter().map(|&(x, y)| Point::new(x, y)).collect();
    let mut b = Builder::new("gapped");
    let part = b.place(
        Shape::Polygon {
            corners,
            sockets,
            holes: Vec::new(),
        },
        Motion::IDENTITY,
    );
    b.port("in", (part, 0), Condition::Pressure(1.0));
    b.port("out", (part, 1), Condition::Pressure(0.0));
    b.chip
}

/// Cells of a width of the channel let a gap of a twentieth of it flow 1.5 times too much, of a hundredth 8 times.
#[test]
fn what_flows_through_a_narrow_gap_is_right_at_a_coarse_resolution() {
    for (gap, thickness, jaws) in [
        (20e-6, 20e-6, false),
        (5e-6, 20e-6, false),
        (5e-6, 20e-6, true),
        (2e-6, 5e-6, false),
        (1e-6, 10e-6, true),
        (0.2e-6, 1e-6, true),
    ] {
        let chip = gapped(gap, thickness, jaws);
        let flow = |r| solved(&chip, r).ports[0].flow_rate;
        let [r4, r8, r32] = [4, 8, 32].map(flow);
        assert_close!(r4, r32, 0.01, "{gap:e} {thickness:e} {jaws}, r = 4");
        assert_close!(r8, r32, 0.01, "{gap:e} {thickness:e} {jaws}, r = 8");
    }
}

#[test]
fn what_makes_numbers_doubtful_is_told() {
    let codes = |chip: &str, fluid: &str, pressure: &str, resolution| {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\"{fluid} }}\nchip = {{ {chip} }}\n\
             components = {{ p = {{ kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = {{ length = \"2 mm\" }} }} }}\n[ports]\n\
             in = {{ at = \"p.a\", pressure = \"{pressure}\" }}\nout = {{ at = \"p.b\", pressure = \"0 Pa\" }}\n"
        );
        let (design, mistakes) = stokeslet::design::parse(&text, "advice");
        let density = design.unwrap_or_else(|| panic!("{mistakes:?}")).density;
        let chip = from_text(&text, "advice");
        let solution = solved(&chip, resolution);
        let density = density.map(|d| d.0);
        let found = advice::of_solved(&chip, resolution, &solution, density);
        found.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    let fine = "model = \"shallow\", width = \"100 um\", depth = \"50 um\"";
    assert_eq!(codes(fine, "", "1 mbar", 8), [""; 0]);
    let narrow = "model = \"shallow\", width = \"20 um\", depth = \"50 um\"";
    assert_eq!(codes(narrow, "", "1 mbar", 4), ["D406"]);
    let brinkman = fine.replace("shallow", "shallow-brinkman");
    assert_eq!(codes(&brinkman, "", "1 mbar", 8), ["D406"]);
    let full = narrow.replace("shallow", "full");
    assert_eq!(codes(&full, "", "1 mbar", 4), [""; 0]);
    let flat = "model = \"shallow\", width = \"100 um\", depth = \"10 um\"";
    assert_eq!(codes(flat, "", "1 mbar", 8), ["D407"]);
    assert_eq!(codes(flat, "", "1 mbar", 10), [""; 0]);
    let planar = "model = \"planar\", width = \"100 um\", depth = \"100 um\"";
    assert_eq!(codes(planar, "", "0.1 mbar", 4), ["D411"]);
    let slipping = format!("{flat}, walls = \"slip\"");
    assert_eq!(codes(&slipping, "", "1 mbar", 8), [""; 0], "no layers");
    let deep = planar.replace("depth = \"100 um\"", "depth = \"1 mm\"");
    assert_eq!(codes(&deep, "", "0.1 mbar", 4), [""; 0]);
    let bottomless = "model = \"planar\", width = \"100 um\"";
    assert_eq!(codes(bottomless, "", "0.1 mbar", 4), [""; 0]);
    assert_eq!(codes(fine, "", "20 mbar", 8), ["D408"]);
    assert_eq!(
        codes(fine, ", density = \"1 kg/m^3\"", "20 mbar", 8),
        [""; 0]
    );
    assert_eq!(
        codes(fine, ", density = \"0.001 kg/m^3\"", "3 bar", 8),
        ["D409"]
    );
}

/// A round bend between straight pipes has a greatest stress, which is found to the error that is told; at a tee's corners there is none.
#[test]
fn the_error_of_a_peak_is_told_where_it_has_a_limit() {
    let errors = |chip: &Chip| {
        let table = Table::default();
        let found = solve_with_errors(chip, &at(8), &table, &silent, &CancelToken::new());
        let (solution, errors) = found.expect("a sound chip");
        (solution.wall_shear.expect("fields").max, errors)
    };
    let ends = [Condition::Pressure(10.0), Condition::Pressure(0.0)];
    let mut b = Builder::new("bend");
    b.place(straight(3e-4, 1e-4), Motion::IDENTITY);
    b.attach(arc(1e-4, 1.5, 1e-4), 0, (0, 1));
    b.attach(straight(3e-4, 1e-4), 0, (1, 1));
    b.port("in", (0, 0), ends[0]);
    b.port("out", (2, 1), ends[1]);
    let (peak, told) = errors(&b.chip);
    let exact = solved(&b.chip, 64).wall_shear.expect("fields").max;
    let (error, off) = (told.peak_wall_shear.expect("settled"), (peak - exact).abs());
    println!("{peak} +- {error}, off by {off} of {exact}");
    assert!(
        off <= error && error < 0.1 * exact,
        "{peak} +- {error}, {exact}"
    );
    let (_, told) = errors(&tee([1e-4; 3], 1e-4, [ends[0], ends[1], ends[1]]));
    assert_eq!(told.peak_wall_shear, None, "corners");
    assert!(told.peak_change.expect("fields") > 0.2);
}

#[test]
fn the_reynolds_number_of_a_channel_is_that_of_its_mean_speed_and_hydraulic_diameter() {
    let [a, b] = [Condition::Pressure(1e3), Condition::Pressure(0.0)];
    let chip = support::chips::channel(2e-3, 1e-4, Motion::IDENTITY, [a, b]);
    let s = solved(&chip, 8);
    let mean = s.ports[0].flow_rate / 1e-4;
    let want = 998.0 * mean * 2e-4 / chip.viscosity;
    let (got, _) = advice::reynolds(&chip, &s, 998.0).expect("fields are there");
    assert_close!(
        got,
        want,
        1e-9,
        "2/3 of the peak is the mean between plates"
    );
}
