//! Every design of `designs/` in the plane: balance, constants, range, ages.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_cad::chip::{Chip, place};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::Solver;
use stokeslet_species::network::End;
use stokeslet_species::{Engine, Inflow, Paths, Settings, Species};
use support::{by_first_inlet, designs, dye, row};

/// Follows a species that enters by the first inlet, and one that enters everywhere.
fn follow(name: &str, chip: &Chip, resolution: u32, cases: &[(Engine, f64)]) {
    let solution = Solver::new(chip).resolution(resolution).solve().unwrap();
    let clock = std::time::Instant::now();
    let paths = Paths::of(chip, &solution).unwrap_or_else(|e| panic!("{name}: {e}"));
    let found = clock.elapsed();
    for &(engine, peclet) in cases {
        let dye = by_first_inlet(chip, &paths, peclet);
        let everywhere = Species {
            inflow: vec![Inflow::uniform(0.7); chip.ports.len()],
            ..dye.clone()
        };
        let settings = Settings {
            tubes: 64,
            engine,
            ..Settings::default()
        };
        let ages = engine == Engine::Tubes && peclet < 1e3;
        let out =
            stokeslet_species::solve(chip, &paths, &[dye, everywhere], settings, ages).unwrap();
        let what = format!("{name} Pe {peclet} {}", engine.name());
        for result in &out {
            let balance = result.balance.abs();
            assert!(balance < 1e-9, "{what}: balance {balance:e}");
            // Elements leave the range by their error, which is measured and reported, not asserted.
            let range = result.range_violated;
            assert!(
                range < 1e-11 || result.element_order > 0,
                "{what}: range {range:e}"
            );
        }
        for port in out[1].ports.iter().filter_map(|p| p.mean) {
            assert!(
                (port - 0.7).abs() < 1e-11,
                "{what}: a constant became {port}"
            );
        }
        println!(
            "{what}: {} regions ({} by elements), {} pipes, paths {found:.1?}, balance {:.0e}, range {:.0e}, estimate {:.1e}",
            paths.net.regions.len(),
            out[0].regions_by_elements,
            paths.net.pipes.len(),
            out[0].balance,
            out[0].range_violated,
            out[0].estimated_error
        );
    }
    println!("{name}: {:.1?} in all", clock.elapsed());
}

#[test]
fn every_small_design_keeps_balance_constants_and_range() {
    for (name, chip) in designs(false) {
        let cases = [
            (Engine::Tubes, 300.0),
            (Engine::Tubes, 1e4),
            (Engine::Elliptic, 30.0),
            (Engine::Elliptic, 1e-6),
        ];
        follow(&name, &chip, 4, &cases);
    }
}

/// Also where everything feels everything, and where nothing feels anything.
#[test]
#[ignore = "minutes: cargo test --release -p stokeslet-species --test designs -- --ignored --nocapture"]
fn every_design_keeps_balance_constants_and_range_at_any_peclet_number() {
    let mut cases = Vec::new();
    for peclet in [1e-6, 1e-3, 1.0, 30.0, 1e3] {
        cases.push((Engine::Elliptic, peclet));
        cases.push((Engine::Auto, peclet));
    }
    for peclet in [1.0, 300.0, 1e4, 1e6] {
        cases.push((Engine::Tubes, peclet));
    }
    for large in [false, true] {
        for (name, chip) in designs(large) {
            follow(&name, &chip, if large { 4 } else { 8 }, &cases);
        }
    }
}

/// What the designs about species say in their first lines: design, flow over its own, species, port, mean, mixing index, age (s).
#[test]
fn designs_with_species_answer_what_their_first_lines_say() {
    type Row = (
        &'static str,
        f64,
        &'static str,
        &'static str,
        [Option<f64>; 3],
    );
    const ROWS: [Row; 11] = [
        (
            "serpentine-mixing",
            1.0,
            "dye",
            "out",
            [Some(0.5), Some(0.9756), Some(6.809)],
        ),
        (
            "serpentine-mixing",
            10.0,
            "dye",
            "out",
            [Some(0.5), Some(0.3769), Some(0.6809)],
        ),
        (
            "serpentine-mixing",
            100.0,
            "dye",
            "out",
            [Some(0.5), Some(0.1041), Some(0.06809)],
        ),
        (
            "gradient-profile",
            1.0,
            "dye",
            "c0",
            [Some(0.0), None, None],
        ),
        (
            "gradient-profile",
            1.0,
            "dye",
            "c25",
            [Some(0.2216), Some(0.9947), None],
        ),
        (
            "gradient-profile",
            1.0,
            "dye",
            "c50",
            [Some(0.4999), Some(0.9926), None],
        ),
        (
            "gradient-profile",
            1.0,
            "dye",
            "c75",
            [Some(0.7783), Some(0.9947), None],
        ),
        (
            "h-filter-species",
            1.0,
            "small",
            "product",
            [Some(0.08163), None, None],
        ),
        (
            "h-filter-species",
            1.0,
            "small",
            "waste",
            [Some(0.5850), None, None],
        ),
        (
            "h-filter-species",
            1.0,
            "large",
            "product",
            [Some(0.002249), None, None],
        ),
        (
            "chamber-age",
            1.0,
            "oxygen",
            "outlet",
            [Some(1.0), None, Some(4.56)],
        ),
    ];
    for rows in ROWS.chunk_by(|a, b| a.0 == b.0) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../designs/{}.toml", rows[0].0));
        let text = std::fs::read_to_string(path).unwrap();
        let (design, mistakes) = stokeslet_cad::design::parse(&text, rows[0].0);
        let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
        let (chip, mistakes) = place(&design, &Library::embedded());
        let chip = chip.unwrap_or_else(|| panic!("{mistakes:?}"));
        let solution = Solver::new(&chip).solve().unwrap();
        let paths = Paths::of(&chip, &solution).unwrap();
        for (name, scale, species, port, want) in rows {
            let section = &design.species.species;
            let section = section.iter().find(|s| s.name.value == *species).unwrap();
            // Flow times s is diffusivity over s and age over s: Stokes flow is linear.
            let mut dissolved = Species::of_design(section, &chip);
            dissolved.diffusivity /= scale;
            let settings = Settings::default();
            let out =
                stokeslet_species::solve(&chip, &paths, &[dissolved], settings, true).unwrap();
            // `solve` ends well with the program's own designs.
            let estimate = out[0].estimated_error;
            assert!(
                estimate < settings.tolerance || *scale != 1.0,
                "{name}: estimated error {estimate:.1e}"
            );
            let got = out[0].ports.iter().find(|p| p.port == *port).unwrap();
            let age = got.age_mean_s.map(|age| age / scale);
            let got = [got.mean, got.mixing_index, age];
            for (got, want) in got.iter().zip(want).filter(|(_, want)| want.is_some()) {
                let (got, want) = (got.unwrap(), want.unwrap());
                // Three digits are told.
                let is_close = (got - want).abs() <= 1e-3 * want.abs() + 1e-12;
                assert!(is_close, "{name} x {scale}, {port}: {got}, not {want}");
            }
        }
    }
}

/// A chamber with a way round: three long legs, or a top leg so near that its ends are of the chamber's own region.
const LOOP: &str = r#"
components = { c = { kind = "chamber", at = ["0 m", "0 m"], parameters = { length = "8 m", height = "2 m", socket_width = "1 m", left = 1, right = 1, top_at = ["1 m", "7 m"] } }, i = { kind = "pipe", attach = "b", to = "c.left1", parameters = { length = "4 m" } }, o = { kind = "pipe", attach = "a", to = "c.right1", parameters = { length = "4 m" } } }
channels = { round = { from = "c.top1", to = "c.top2", via = [["-3 m", "HEIGHT m"], ["3 m", "HEIGHT m"]] } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;

#[test]
fn what_goes_round_a_loop_comes_back() {
    for height in ["9", "2"] {
        let row = row(&LOOP.replace("HEIGHT", height), 8);
        let round = row.paths.net.pipes.iter().filter(|p| {
            let ends = [p.ends[0], p.ends[1]];
            ends.iter().all(|e| matches!(e, End::Region(..)))
        });
        let least = round.map(|p| p.flow.abs()).fold(f64::INFINITY, f64::min);
        let pipes = row.paths.net.pipes.len();
        println!("{height}: {pipes} pipes, {least:.1e} goes round");
        assert!(least > 1e-6 && least < 0.5, "{least:e}");
        for (engine, peclet) in [
            (Engine::Tubes, 1e3),
            (Engine::Tubes, 1e5),
            (Engine::Elliptic, 30.0),
        ] {
            let settings = Settings {
                engine,
                ..Settings::default()
            };
            let all = |value: f64| dye(&row.chip, 1.0 / peclet, &[("in", value)]);
            let species = [all(0.7), all(1.0)];
            let out = stokeslet_species::solve(&row.chip, &row.paths, &species, settings, true);
            let out = out.unwrap();
            for (result, enters) in out.iter().zip([0.7, 1.0]) {
                assert!(result.balance.abs() < 1e-9, "{}", result.balance);
                let mean = result.ports[1].mean.unwrap();
                assert!((mean - enters).abs() < 1e-11, "{engine:?} {mean}");
            }
        }
    }
}
