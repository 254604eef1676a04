//! Every design of `designs/` in the plane: balance, constants, range, ages.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_cad::chip::place;
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::library::Library;
use stokeslet_flow::session::Solver;
use stokeslet_species::{Inflow, Paths, Settings, Species};

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
        let out =
            stokeslet_species::solve(&chip, &paths, &both, Settings { tubes: 64 }, peclet < 1e3)
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

/// What the designs in `questions/` answer at their own settings. They belong in `designs/` once their answers are measured and in their first
/// lines, with golden numbers.
#[test]
#[ignore = "prints; cargo test -p stokeslet-species --test designs answers -- --ignored --nocapture"]
fn answers_of_designs_with_species() {
    for (name, scales) in [
        ("serpentine-mixing", &[1.0, 10.0, 100.0][..]),
        ("gradient-profile", &[1.0]),
        ("h-filter-species", &[1.0]),
        ("chamber-age", &[1.0]),
    ] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/questions/{name}.toml"));
        let text = std::fs::read_to_string(path).unwrap();
        let (design, mistakes) = stokeslet_cad::design::parse(&text, name);
        assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
        let design = design.unwrap();
        let (chip, mistakes) = place(&design, &Library::embedded());
        assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
        let chip = chip.unwrap();
        let solution = Solver::new(&chip).solve().unwrap();
        let clock = std::time::Instant::now();
        let paths = Paths::of(&chip, &solution).unwrap();
        println!(
            "{name}: {} regions, paths {:.1?}",
            paths.net.regions.len(),
            clock.elapsed()
        );
        for &scale in scales {
            // Flow times s is diffusivity over s: Stokes flow is linear.
            let species: Vec<Species> = design
                .species
                .species
                .iter()
                .map(|section| {
                    let species = Species::of_design(section, &chip);
                    Species {
                        diffusivity: species.diffusivity / scale,
                        ..species
                    }
                })
                .collect();
            let clock = std::time::Instant::now();
            let out = stokeslet_species::solve(&chip, &paths, &species, Settings::default(), true)
                .unwrap();
            for r in &out {
                println!(
                    "  flow x {scale}, {}: Pe {:.0}..{:.0}, balance {:.0e}, estimate {:.1e}",
                    r.name, r.peclet[0], r.peclet[1], r.balance, r.estimated_error
                );
                for p in &r.ports {
                    println!(
                        "    {}: mean {:?}, mixing {:?}, age {:?} s",
                        p.port,
                        p.mean,
                        p.mixing_index,
                        p.age_mean_s.map(|a| a / scale)
                    );
                }
                let (values, ages) = r.nodal(&chip, &solution.fields, &paths, Settings::default());
                let fold = |v: &[f64]| {
                    v.iter()
                        .copied()
                        .enumerate()
                        .fold((f64::INFINITY, 0, f64::NEG_INFINITY), |b, (k, x)| {
                            (b.0.min(x), if x > b.2 { k } else { b.1 }, b.2.max(x))
                        })
                };
                let (low, _, high) = fold(&values);
                println!("    nodes from {low} to {high}");
                if let Some(ages) = ages {
                    let (_, k, most) = fold(&ages);
                    println!(
                        "    oldest {:.4} s at {:?}",
                        most / scale,
                        solution.fields.nodes[k]
                    );
                }
            }
            println!("    {:.1?}", clock.elapsed());
        }
    }
}
