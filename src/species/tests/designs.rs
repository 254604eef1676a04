//! Every design of `designs/` in the plane: balance, constants, range, ages.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_cad::chip::place;
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::library::Library;
use stokeslet_flow::session::Solver;
use stokeslet_species::{Engine, Inflow, Paths, Settings, Species};

/// Follows a species that enters by the first inlet, and one that enters everywhere.
fn follow(path: &std::path::Path) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let (design, mistakes) = stokeslet_cad::design::parse(&text, &name);
    assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
    let (chip, _) = place(&design.unwrap(), &Library::embedded());
    let chip = chip.unwrap();
    if chip.model == DepthModel::Full {
        return;
    }
    let solution = Solver::new(&chip).resolution(4).solve().unwrap();
    let clock = std::time::Instant::now();
    let paths = Paths::of(&chip, &solution).unwrap_or_else(|e| panic!("{name}: {e}"));
    let first = paths.net.port_flow.iter().position(|q| *q > 0.0).unwrap();
    let found = clock.elapsed();
    for peclet in [300.0, 1e4] {
        let species = |inflow: &dyn Fn(usize) -> f64| Species {
            name: "dye".into(),
            diffusivity: paths.net.largest / peclet,
            inflow: (0..chip.ports.len())
                .map(|k| Inflow::uniform(inflow(k)))
                .collect(),
        };
        let both = [
            species(&|k| f64::from(u8::from(k == first))),
            species(&|_| 0.7),
        ];
        let out = stokeslet_species::solve(
            &chip,
            &paths,
            &both,
            Settings {
                tubes: 64,
                engine: Engine::Tubes,
                ..Settings::default()
            },
            peclet < 1e3,
        )
        .unwrap();
        for result in &out {
            assert!(
                result.balance.abs() < 1e-9,
                "{name}: balance {:e}",
                result.balance
            );
            assert!(
                result.range_violated < 1e-11,
                "{name}: range {:e}",
                result.range_violated
            );
        }
        for port in out[1].ports.iter().filter_map(|p| p.mean) {
            assert!(
                (port - 0.7).abs() < 1e-11,
                "{name}: a constant became {port}"
            );
        }
        let means: Vec<String> = out[0]
            .ports
            .iter()
            .filter(|p| p.error.is_some())
            .filter_map(|p| p.mean)
            .take(6)
            .map(|m| format!("{m:.4}"))
            .collect();
        println!(
            "{name}: {} regions, {} pipes, paths {found:.1?}, Pe {peclet}, outlets {means:?}, estimate {:.1e}",
            paths.net.regions.len(),
            paths.net.pipes.len(),
            out[0].estimated_error
        );
    }
    println!("{name}: {:.1?} in all", clock.elapsed());
}

fn designs(large: bool) {
    const LARGE: [&str; 5] = [
        "grid20.toml",
        "voronoi-s15.toml",
        "rgrid.toml",
        "wide.toml",
        "voronoi-s4.toml",
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let is =
        |path: &std::path::PathBuf| LARGE.contains(&&*path.file_name().unwrap().to_string_lossy());
    for path in paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "toml") && is(p) == large)
    {
        follow(path);
    }
}

#[test]
fn every_small_design_keeps_balance_constants_and_range() {
    designs(false);
}

#[test]
#[ignore = "minutes in the dev profile; cargo test -p stokeslet-species --test designs -- --ignored --nocapture"]
fn every_large_design_keeps_balance_constants_and_range() {
    designs(true);
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
