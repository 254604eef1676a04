//! Dissolved species beside standard methods: time and accuracy in one run.
//!
//! ```text
//! cargo bench --bench species                    all
//! cargo bench --bench species -- tee             one case
//! cargo bench --bench species -- --record        keep the table in benches/results/species.csv
//! ```
//! The standard methods get the flow's own mesh and velocity: SUPG with quadratic elements, and upwind finite volumes with one unknown a cell, both by
//! faer's sparse LU. Their time is that of factorisation and solution only; ours is everything behind the solved flow: stream
//! functions, stream lines, and one species with its error estimate (two runs). Seconds are medians of five (of one where a run takes over five seconds).

#[path = "species/standard.rs"]
mod standard;
mod support;

use std::time::Instant;

use standard::{Standard, standard, unmixed};
use stokeslet::chip::Chip;
use stokeslet::session::{Solution, SolveSettings};
use stokeslet::species::{Engine, Inflow, Paths, Settings, Species, SpeciesResult};
use support::{Asked, Failure, Report, design, median, seconds, solve_afresh};

/// A case: design, resolution, Peclet number of the greatest flow, what the elliptic engine is asked.
struct Case {
    design: &'static str,
    resolution: u32,
    peclet: f64,
    engine: Engine,
    /// `int u c (1 - c) / Q` at the last port, where it is known: row 6 of the specification.
    known: Option<f64>,
    /// Also the standard methods.
    standard: bool,
}

const fn case(design: &'static str, resolution: u32, peclet: f64, engine: Engine) -> Case {
    Case {
        design,
        resolution,
        peclet,
        engine,
        known: None,
        standard: true,
    }
}

const CASES: [Case; 12] = [
    Case {
        known: Some(0.106635),
        ..case("tee-row", 8, 300.0, Engine::Elliptic)
    },
    Case {
        known: Some(0.018674),
        ..case("tee-row", 8, 1e4, Engine::Tubes)
    },
    Case {
        known: Some(0.018674),
        ..case("tee-row", 16, 1e4, Engine::Tubes)
    },
    Case {
        known: Some(0.018674),
        ..case("tee-row", 32, 1e4, Engine::Tubes)
    },
    Case {
        known: Some(0.018674),
        ..case("tee-row", 64, 1e4, Engine::Tubes)
    },
    Case {
        known: Some(0.005905),
        ..case("tee-row", 8, 1e5, Engine::Tubes)
    },
    case("serpentine-mixing", 8, 1e4, Engine::Tubes),
    case("gradient-generator", 8, 1e4, Engine::Tubes),
    case("gradient-generator", 8, 300.0, Engine::Elliptic),
    case("gradient-profile", 8, 10.0, Engine::Elliptic),
    case("grid20", 8, 1e4, Engine::Tubes),
    Case {
        standard: false,
        ..case("grid20", 8, 300.0, Engine::Elliptic)
    },
];

/// The tee of row 6.
const TEE: &str = r#"
format = 1
fluid = { viscosity = "1 Pa s" }
chip = { width = "1 m" }
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "4 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "3 m" } } }
ports = { up = { at = "u.a", flow_rate = "0.5 m^2/s" }, left = { at = "l.a", flow_rate = "0.5 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;

fn chip(name: &str) -> Result<Chip, Failure> {
    if name != "tee-row" {
        return Ok(design(name)?.chip);
    }
    let (design, mistakes) = stokeslet::design::parse(TEE, name);
    let design = design.ok_or_else(|| format!("{mistakes:?}"))?;
    Ok(support::placed(&design)?.chip)
}

/// Median seconds of five, of one where that took long, and the last answer.
fn timed<T>(mut run: impl FnMut() -> Result<T, Failure>) -> Result<(f64, T), Failure> {
    let mut all = Vec::new();
    loop {
        let clock = Instant::now();
        let answer = run()?;
        all.push(clock.elapsed().as_secs_f64());
        if all.len() == 5 || all[0] > 5.0 {
            return Ok((median(all), answer));
        }
    }
}

fn ours(chip: &Chip, solution: &Solution, case: &Case) -> Result<SpeciesResult, Failure> {
    let paths = Paths::of(chip, solution)?;
    let first = paths
        .net
        .port_flow
        .iter()
        .position(|q| *q > 0.0)
        .unwrap_or_default();
    let species = Species {
        name: "dye".to_owned(),
        diffusivity: paths.net.largest / case.peclet,
        inflow: (0..chip.ports.len())
            .map(|k| Inflow::uniform(f64::from(u8::from(k == first))))
            .collect(),
    };
    let settings = Settings {
        engine: case.engine,
        ..Settings::default()
    };
    let mut out = stokeslet::species::solve(chip, &paths, &[species], settings, false)?;
    Ok(out.remove(0))
}

/// Relative error of `int u c (1 - c)`.
fn error(got: f64, known: Option<f64>) -> String {
    known.map_or_else(String::new, |want| {
        format!("{:.1e}", (got / want - 1.0).abs())
    })
}

fn main() -> Result<(), Failure> {
    let Some(asked) = Asked::from_args() else {
        return Ok(());
    };
    let mut report = Report::new(&[
        "design",
        "r",
        "Pe",
        "method",
        "unknowns",
        "flow s",
        "species s",
        "flow/species",
        "error",
        "out of range",
    ]);
    for case in CASES.iter().filter(|c| asked.wants(c.design)) {
        let chip = chip(case.design)?;
        let settings = SolveSettings {
            resolution: case.resolution,
            ..SolveSettings::default()
        };
        let (flow, solution) = timed(|| solve_afresh(&chip, &settings))?;
        let mut add = |method: String, unknowns: String, time: f64, error: String, range: f64| {
            report.add(vec![
                case.design.to_owned(),
                case.resolution.to_string(),
                format!("{:.0e}", case.peclet),
                method,
                unknowns,
                seconds(flow),
                seconds(time),
                format!("{:.2}", flow / time),
                error,
                format!("{range:.0e}"),
            ]);
        };
        let (time, result) = timed(|| ours(&chip, &solution, case))?;
        let got = result
            .streams
            .ports
            .last()
            .and_then(Option::as_ref)
            .map_or(f64::NAN, |s| s.mean() * (1.0 - s.mean()) - s.variance());
        let method = match result.element_order {
            0 => "tubes".to_owned(),
            k => format!("elements of order {k}"),
        };
        add(
            method,
            String::new(),
            time,
            error(got, case.known),
            result.range_violated,
        );
        if !case.standard {
            continue;
        }
        let methods: &[Standard] = match case.engine {
            Engine::Elliptic => &[Standard::Galerkin, Standard::Supg],
            _ => &[Standard::Supg, Standard::Upwind],
        };
        for &method in methods {
            let mut times = Vec::new();
            let answer = loop {
                let answer = standard(&chip, &solution, case.peclet, method)?;
                times.push(answer.seconds);
                if times.len() == 5 || times[0] > 5.0 {
                    break answer;
                }
            };
            let last = chip.ports.len() - 1;
            let got = if case.known.is_some() {
                unmixed(&chip, &solution, &answer, last)
            } else {
                f64::NAN
            };
            add(
                method.name().to_owned(),
                answer.unknowns.to_string(),
                median(times),
                error(got, case.known),
                answer.out_of_range,
            );
        }
    }
    report.finish("species", "error: of int u c (1 - c) behind the tee, relative (row 6 of the table in the docs of species)", &asked)
}
