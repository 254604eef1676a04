//! Rows 5 to 8 and 13 of the specification's table, on flows of this program.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_cad::chip::{Chip, place};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::Solver;
use stokeslet_species::trace::Tracer;
use stokeslet_species::{Engine, Inflow, Paths, Settings, Species, SpeciesResult};

/// A chip of width-1 channels, solved, and its paths.
fn paths(text: &str, resolution: u32) -> (Chip, Paths) {
    let head = "format = 1\nfluid = { viscosity = \"1 Pa s\" }\nchip = { width = \"1 m\" }\n";
    let (design, mistakes) = stokeslet_cad::design::parse(format!("{head}{text}"), "row");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (chip, mistakes) = place(&design.unwrap(), &Library::embedded());
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let chip = chip.unwrap();
    let solution = Solver::new(&chip).resolution(resolution).solve().unwrap();
    let paths = Paths::of(&chip, &solution).unwrap();
    (chip, paths)
}

fn run(
    chip: &Chip,
    paths: &Paths,
    peclet: f64,
    inflow: &[(&str, f64)],
    tubes: usize,
) -> SpeciesResult {
    let inflow = chip.ports.iter().map(|p| {
        let value = inflow.iter().find(|i| i.0 == p.name).map_or(0.0, |i| i.1);
        Inflow::uniform(value)
    });
    let species = Species {
        name: "dye".into(),
        diffusivity: 1.0 / peclet,
        inflow: inflow.collect(),
    };
    let mut out = stokeslet_species::solve(
        chip,
        paths,
        &[species],
        Settings {
            tubes,
            engine: Engine::Tubes,
            ..Settings::default()
        },
        true,
    )
    .unwrap();
    let out = out.remove(0);
    assert!(out.balance.abs() < 1e-9, "balance {:e}", out.balance);
    assert!(out.range_violated < 1e-11, "range {:e}", out.range_violated);
    out
}

const TEE: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "4 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "LENGTH m" } } }
ports = { left = { at = "l.a", flow_rate = "0.5 m^2/s" }, up = { at = "u.a", flow_rate = "0.5 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;

/// `int u c (1 - c)` at a port.
fn unmixed(out: &SpeciesResult, port: usize) -> f64 {
    let s = out.streams.ports[port].as_ref().unwrap();
    s.flow
        .iter()
        .zip(&s.value)
        .map(|(w, c)| w * c * (1.0 - c))
        .sum()
}

/// Spec section 12, rows 6 and 7.
#[test]
fn two_streams_meet_in_a_tee() {
    let (chip, paths) = paths(&TEE.replace("LENGTH", "3"), 8);
    let rows = [
        (100.0, 0.177457),
        (300.0, 0.106635),
        (1e3, 0.0588735),
        (3e3, 0.0340622),
        (1e4, 0.018674),
        (1e5, 0.005905),
    ];
    for (peclet, want) in rows {
        let coarse = unmixed(&run(&chip, &paths, peclet, &[("up", 1.0)], 64), 2);
        let out = run(&chip, &paths, peclet, &[("up", 1.0)], 128);
        let fine = unmixed(&out, 2);
        let best = fine + (fine - coarse) / 3.0;
        println!("tee Pe {peclet}: {coarse:.6} {fine:.6} {best:.6} want {want}");
        assert!(
            (best - want).abs() < 0.05 / peclet + 4e-4 * want,
            "Pe {peclet}: {best} against {want}"
        );
        ages_add_up(&chip, &paths, &out);
    }
}

/// Spec section 12, row 12: the same by the tool's own fields at two resolutions. Seen: 4e-4 and less, but 6.5e-4 at r = 16
/// and Pe 1e3: with r (to 64), tubes (256) and lines (40) it goes to 0.05894 here, 7e-4 above what the specification has.
#[test]
fn a_tee_by_fields_of_two_resolutions() {
    for (r, rows) in [
        (8, [(1e3, 0.058905), (1e4, 0.018680), (1e5, 0.005907)]),
        (16, [(1e3, 0.058898), (1e4, 0.018674), (1e5, 0.005905)]),
    ] {
        let (chip, paths) = paths(&TEE.replace("LENGTH", "3"), r);
        for (peclet, want) in rows {
            let of = |tubes| unmixed(&run(&chip, &paths, peclet, &[("up", 1.0)], tubes), 2);
            let (coarse, fine) = (of(64), of(128));
            let best = fine + (fine - coarse) / 3.0;
            println!("tee r {r} Pe {peclet}: {best:.6} want {want}");
            assert!(
                (best - want).abs() < 1e-3 * want,
                "r {r} Pe {peclet}: {best} against {want}"
            );
        }
    }
}

/// `sum Q <m1> = volume`.
fn ages_add_up(chip: &Chip, paths: &Paths, out: &SpeciesResult) {
    let sum: f64 = out
        .ports
        .iter()
        .filter(|p| p.rate <= 0.0 && p.error.is_some())
        .map(|p| {
            p.age_mean_s.unwrap()
                * paths.net.port_flow[chip.ports.iter().position(|q| q.name == p.port).unwrap()]
                    .abs()
        })
        .sum();
    let pipes: f64 = paths
        .net
        .pipes
        .iter()
        .filter(|p| p.flow != 0.0)
        .map(|p| p.length * p.width)
        .sum();
    let regions: f64 = paths.net.regions.iter().map(|r| r.area).sum();
    assert!(
        (sum / (pipes + regions) - 1.0).abs() < 1e-9,
        "ages {sum}, volume {}",
        pipes + regions
    );
}

const BEND: &str = r#"
components = { b = { kind = "bend", at = ["0 m", "0 m"] }, i = { kind = "pipe", attach = "b", to = "b.a", parameters = { length = "2 m" } }, o = { kind = "pipe", attach = "a", to = "b.b", parameters = { length = "3 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;

/// Spec section 12, row 8b: how long neighbours lie beside each other round a corner, from 2 widths before it to 1 behind, less 3; known to 0.01. At the
/// inner wall the flow's singular corner is resolved late: 0.070, 0.052 and 0.041 at r = 16, 32 and 96.
#[test]
fn neighbours_lie_longer_beside_each_other_towards_the_outer_wall() {
    let mut inner = f64::INFINITY;
    for (r, inner_is_within) in [(16, 0.04), (32, 0.025), (96, 0.01)] {
        let (_, paths) = paths(BEND, r);
        let k = paths
            .ways
            .iter()
            .position(|w| !w.inlets.is_empty())
            .unwrap();
        let (ways, region) = (&paths.ways[k], &paths.net.regions[k]);
        let (tracer, profile) = (Tracer::new(&paths.psi[k], region), ways.chains[0].profile);
        // The region has 1.5 widths of pipe before the corner and behind it: together as much as 2 and 1.
        let at = |eta: f64| {
            let trace = tracer
                .trace(ways.inlets[0].socket, profile.flow(eta))
                .unwrap();
            trace.work[trace.work.len() - 1] / profile.speed(eta) - 3.0
        };
        let is_outer_first = at(0.25) > at(0.75);
        let at = |k: i32| {
            let eta = f64::from(k) / 128.0;
            at(if is_outer_first { eta } else { 1.0 - eta })
        };
        let rows = [(1, 1.090), (33, 0.902), (65, 0.634), (97, 0.356)].map(|row| (row, 0.01));
        for ((k, want), within) in rows.into_iter().chain([((127, 0.032), inner_is_within)]) {
            println!("r {r} eta {k}/128: {:.4}, {want}", at(k));
            assert!(
                (at(k) - want).abs() < within,
                "r {r} eta {k}/128: {}",
                at(k)
            );
        }
        assert!(at(127) < inner, "r {r}: {}", at(127));
        inner = at(127);
        // The outermost line of the table, a thousandth of a width from the outer wall, is as long as that at a 128th.
        let rows = &ways.chains[0].table.0;
        let outermost = rows[if is_outer_first { 0 } else { rows.len() - 1 }];
        assert!(
            (outermost.lambda - 3.0 - 1.09).abs() < 0.03,
            "r {r}: {outermost:?}"
        );
    }
}

/// Spec section 12, row 8: a bend, whose inner wall is shorter.
#[test]
fn a_bend_is_not_its_centre_line() {
    let (chip, paths) = paths(BEND, 8);
    let part = chip.parts.iter().find(|p| p.name.starts_with('b')).unwrap();
    println!("bend {:?}", part.shape);
    for (peclet, want) in [(100.0, 0.0185831), (300.0, 0.0518586), (1e3, 0.0743704)] {
        // In steps: the sine of the specification, each step its mean; symmetric, so that the turn's side doesn't matter.
        let n = 128;
        let wave = |eta: f64| -(std::f64::consts::PI * (eta - 0.5)).cos() / std::f64::consts::PI;
        let at = |k: usize| k as f64 / n as f64;
        let steps = (0..n)
            .map(|k| {
                (
                    at(k),
                    0.5 + 0.5 * (wave(at(k + 1)) - wave(at(k))) * n as f64,
                )
            })
            .collect();
        let species = Species {
            name: "dye".into(),
            diffusivity: 1.0 / peclet,
            inflow: vec![Inflow { steps }, Inflow::default()],
        };
        let out = stokeslet_species::solve(
            &chip,
            &paths,
            &[species],
            Settings {
                tubes: n,
                engine: Engine::Tubes,
                ..Settings::default()
            },
            true,
        )
        .unwrap()
        .remove(0);
        let s = out.streams.ports[1].as_ref().unwrap();
        let got: f64 = s
            .flow
            .iter()
            .zip(&s.value)
            .map(|(w, c)| w * (c - 0.5).powi(2))
            .sum();
        println!("bend Pe {peclet}: {got:.7} want {want}");
        assert!(
            (got - want).abs() < 2e-4,
            "Pe {peclet}: {got} against {want}"
        );
        ages_add_up(&chip, &paths, &out);
    }
}

const CROSS: &str = r#"
components = { x = { kind = "cross", at = ["0 m", "0 m"] }, w = { kind = "pipe", attach = "b", to = "x.left", parameters = { length = "4 m" } }, s = { kind = "pipe", attach = "b", to = "x.down", parameters = { length = "4 m" } }, e = { kind = "pipe", attach = "a", to = "x.right", parameters = { length = "2 m" } }, n = { kind = "pipe", attach = "a", to = "x.up", parameters = { length = "2 m" } } }
ports = { west = { at = "w.a", flow_rate = "0.5 m^2/s" }, south = { at = "s.a", flow_rate = "0.5 m^2/s" }, east = { at = "e.b", pressure = "0 Pa" }, north = { at = "n.b", flow_rate = "-0.4 m^2/s" } }
"#;

/// Spec section 12, row 13: streams that touch in a crossing.
#[test]
fn two_streams_touch_in_a_crossing() {
    let (chip, paths) = paths(CROSS, 8);
    for w in &paths.ways {
        println!(
            "inlets {} outlets {} bundles {} chains {:?}",
            w.inlets.len(),
            w.outlets.len(),
            w.bundles.len(),
            w.chains
                .iter()
                .map(|c| c.bundles.clone())
                .collect::<Vec<_>>()
        );
    }
    for (peclet, east, north) in [
        (100.0, 0.80821, 0.03769),
        (300.0, 0.82885, 0.00672),
        (1e3, 0.83322, 0.00017),
        (1e4, 5.0 / 6.0, 0.0),
    ] {
        let out = run(&chip, &paths, peclet, &[("south", 1.0)], 128);
        let (e, n) = (out.ports[2].mean.unwrap(), out.ports[3].mean.unwrap());
        println!("cross Pe {peclet}: {e:.5} {n:.5} want {east} {north}");
        assert!(
            (e - east).abs() < 0.15 / peclet + 1e-3 && (n - north).abs() < 0.15 / peclet + 1e-3
        );
        ages_add_up(&chip, &paths, &out);
    }
}

const H: &str = r#"
components = { a = { kind = "tee", at = ["0 m", "0 m"], rotation = "-90 deg" }, m = { kind = "pipe", attach = "a", to = "a.up", parameters = { length = "6 m" } }, b = { kind = "tee", attach = "up", to = "m.b" }, ul = { kind = "pipe", attach = "b", to = "a.LEFT", parameters = { length = "2 m" } }, ll = { kind = "pipe", attach = "b", to = "a.RIGHT", parameters = { length = "2 m" } }, ur = { kind = "pipe", attach = "a", to = "b.RIGHT", parameters = { length = "2 m" } }, lr = { kind = "pipe", attach = "a", to = "b.LEFT", parameters = { length = "2 m" } } }
ports = { ul = { at = "ul.a", flow_rate = "0.5 m^2/s" }, ll = { at = "ll.a", flow_rate = "0.5 m^2/s" }, ur = { at = "ur.b", pressure = "0 Pa" }, lr = { at = "lr.b", pressure = "0 Pa" } }
"#;

/// Spec section 12, row 5: an H of width-1 channels.
#[test]
fn an_h_parts_what_has_not_crossed() {
    let (chip, paths) = paths(&H.replace("LEFT", "left").replace("RIGHT", "right"), 8);
    for (peclet, want) in [
        (100.0, 0.656392),
        (300.0, 0.794361),
        (1e3, 0.8865),
        (1e4, 0.96399),
        (1e5, 0.98861),
        (1e6, 0.9964),
    ] {
        let mean = |tubes: usize| {
            let out = run(&chip, &paths, peclet, &[("ul", 1.0)], tubes);
            ages_add_up(&chip, &paths, &out);
            out.ports[2].mean.unwrap()
        };
        let (coarse, fine) = (mean(64), mean(128));
        println!("H Pe {peclet}: {coarse:.5} {fine:.5} want {want}");
        let fine = fine.max(1.0 - fine);
        assert!(
            (fine - want).abs() < 0.15 / peclet + 1e-3,
            "Pe {peclet}: {fine} against {want}"
        );
    }
}
