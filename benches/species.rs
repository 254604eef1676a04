//! Dissolved species beside standard methods: time and accuracy in one run.
//!
//! ```text
//! cargo bench --bench species                    all
//! cargo bench --bench species -- tee             one case
//! cargo bench --bench species -- --record        keep the table in benches/results/species.csv
//! ```
//! The standard methods get the flow's own mesh and velocity: SUPG with quadratic elements, Galerkin without it and of order 4, and upwind finite volumes with one
//! unknown a cell, all by faer's sparse LU. Their time is that of factorisation and solution only.
//!
//! | column | what is timed |
//! | --- | --- |
//! | flow s | the flow, nothing kept from before |
//! | species s | ours: everything behind the solved flow, which is stream functions, stream lines, and one species at outlets with its error estimate (two runs); theirs: as said |
//! | again s | ours with another diffusivity on the same flow: what a slider of the window waits for, at outlets |
//! | fields s | ours: values at all nodes of the fields |
//! | shown s | what the window does once a flow is there: all behind it, with ages at ports and the concentration everywhere |
//! | shown again s | what it does when a slider of the diffusivity has moved |
//! | ours is faster | a standard method's `species s` over ours |
//!
//! Seconds are medians of five (of one where a run takes over five seconds).

#[path = "species/standard.rs"]
mod standard;
mod support;

use std::time::Instant;

use standard::{Standard, standard, unmixed};
use stokeslet::chip::Chip;
use stokeslet::session::{Solution, SolveSettings};
use stokeslet::species::{Engine, Inflow, Paths, Settings, Species, SpeciesResult};
use support::{Asked, Failure, Report, design, median, seconds, solve_afresh};

/// A case: design, resolution, Peclet number of the greatest flow, engine, what it is compared with.
struct Case {
    design: &'static str,
    resolution: u32,
    peclet: f64,
    engine: Engine,
    /// Greatest order of elements.
    most_order: usize,
    /// `int u c (1 - c) / Q` at the last port, where it is known: rows 6 and 7 of the specification.
    known: Option<f64>,
    /// Methods beside it.
    standard: &'static [Standard],
}

const STABLE: &[Standard] = &[Standard::Supg, Standard::Upwind];
const PLAIN: &[Standard] = &[Standard::Galerkin, Standard::Quartic, Standard::Supg];
const GALERKIN: &[Standard] = &[Standard::Galerkin, Standard::Quartic];
const SUPG: &[Standard] = &[Standard::Supg];

const fn tubes(
    design: &'static str,
    resolution: u32,
    peclet: f64,
    standard: &'static [Standard],
) -> Case {
    Case {
        design,
        resolution,
        peclet,
        engine: Engine::Tubes,
        most_order: 4,
        known: None,
        standard,
    }
}

const fn elements(case: Case) -> Case {
    Case {
        engine: Engine::Elliptic,
        ..case
    }
}

/// The window's first look where tubes are too rough for one.
const fn rough_elements(design: &'static str, resolution: u32, peclet: f64) -> Case {
    Case {
        most_order: 1,
        ..elements(tubes(design, resolution, peclet, &[]))
    }
}

/// The tee of rows 6 and 7.
const fn tee(resolution: u32, peclet: f64, known: f64, standard: &'static [Standard]) -> Case {
    Case {
        known: Some(known),
        ..tubes("tee-row", resolution, peclet, standard)
    }
}

const CASES: [Case; 23] = [
    elements(tee(8, 300.0, 0.106635, PLAIN)),
    tee(8, 1e4, 0.018674, STABLE),
    tee(16, 1e4, 0.018674, SUPG),
    tee(32, 1e4, 0.018674, SUPG),
    tee(64, 1e4, 0.018674, SUPG),
    tee(96, 1e4, 0.018674, SUPG),
    tee(8, 1e5, 0.005905, STABLE),
    tubes("serpentine-mixing", 8, 1e4, STABLE),
    tubes("long", 8, 1e4, &[]),
    tubes("gradient-generator", 8, 1e4, STABLE),
    // Tubes at Peclet numbers where elements are chosen, here and below: the window's first look.
    tubes("gradient-generator", 8, 300.0, &[]),
    elements(tubes("gradient-generator", 8, 300.0, PLAIN)),
    tubes("gradient-profile", 8, 10.0, &[]),
    elements(tubes("gradient-profile", 8, 10.0, PLAIN)),
    rough_elements("gradient-profile", 8, 10.0),
    elements(tubes("gradient-profile", 8, 1.0, &[])),
    rough_elements("gradient-profile", 8, 1.0),
    tubes("grid20", 8, 1e4, SUPG),
    tubes("grid20", 8, 300.0, &[]),
    elements(tubes("grid20", 8, 300.0, GALERKIN)),
    elements(tubes("grid20", 4, 30.0, GALERKIN)),
    elements(tubes("grid20", 8, 1.0, &[])),
    rough_elements("grid20", 8, 1.0),
];

/// The tee of row 6.
const TEE: &str = r#"
format = 1
fluid = { viscosity = "1 Pa s" }
chip = { width = "1 m" }
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "4 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "3 m" } } }
ports = { up = { at = "u.a", flow_rate = "0.5 m^2/s" }, left = { at = "l.a", flow_rate = "0.5 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;

/// A serpentine of 20,000 widths behind a tee.
const LONG: &str = r#"
format = 1
fluid = { viscosity = "1 mPa s" }
chip = { model = "shallow", width = "100 um", depth = "50 um" }
components = { meet = { kind = "tee", at = ["0 mm", "0 mm"], rotation = "-90 deg" }, mixer = { kind = "serpentine_round", attach = "in", to = "meet.up", parameters = { legs = 200, height = "10 mm" } } }
ports = { sample = { at = "meet.left", flow_rate = "1 uL/min" }, buffer = { at = "meet.right", flow_rate = "1 uL/min" }, out = { at = "mixer.out", pressure = "0 Pa" } }
"#;

fn chip(name: &str) -> Result<Chip, Failure> {
    let text = match name {
        "tee-row" => TEE,
        "long" => LONG,
        _ => return Ok(design(name)?.chip),
    };
    let (design, mistakes) = stokeslet::design::parse(text, name);
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

/// Seconds of everything behind the flow, of another diffusivity, and of all fields; and what came out.
struct Ours {
    first: f64,
    again: f64,
    fields: f64,
    /// As the window does it: first, again.
    shown: [f64; 2],
    result: SpeciesResult,
}

fn follow(
    chip: &Chip,
    paths: &Paths,
    peclet: f64,
    settings: Settings,
    ages: bool,
) -> Result<SpeciesResult, Failure> {
    let net = &paths.net;
    let first = net.port_flow.iter().position(|q| *q > 0.0);
    let first = first.unwrap_or_default();
    let species = Species {
        name: "dye".to_owned(),
        diffusivity: net.largest / peclet,
        inflow: (0..chip.ports.len())
            .map(|k| Inflow::uniform(f64::from(u8::from(k == first))))
            .collect(),
    };
    let mut out = stokeslet::species::solve(chip, paths, &[species], settings, ages)?;
    Ok(out.remove(0))
}

fn ours(chip: &Chip, solution: &Solution, case: &Case) -> Result<Ours, Failure> {
    let settings = Settings {
        engine: case.engine,
        most_order: case.most_order,
        ..Settings::default()
    };
    let (first, (paths, result)) = timed(|| {
        let paths = Paths::of(chip, solution)?;
        let result = follow(chip, &paths, case.peclet, settings, false)?;
        Ok((paths, result))
    })?;
    // Another number each time: nothing of the last may help.
    let mut peclet = case.peclet;
    let (again, _) = timed(|| {
        peclet *= 0.97;
        follow(chip, &paths, peclet, settings, false)
    })?;
    let (fields, _) = timed(|| Ok(result.nodal(chip, &solution.fields, &paths, settings)))?;
    let show = |paths: &Paths, peclet: f64| -> Result<usize, Failure> {
        let result = follow(chip, paths, peclet, settings, true)?;
        let values = result.nodal(chip, &solution.fields, paths, settings);
        Ok(values.len())
    };
    let (first_shown, _) = timed(|| show(&Paths::of(chip, solution)?, case.peclet))?;
    let (again_shown, _) = timed(|| {
        peclet *= 0.97;
        show(&paths, peclet)
    })?;
    Ok(Ours {
        first,
        again,
        fields,
        shown: [first_shown, again_shown],
        result,
    })
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
        "again s",
        "fields s",
        "shown s",
        "shown again s",
        "ours is faster",
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
        let mut add = |method: String, unknowns: String, times: [String; 6], error, range: f64| {
            let [species, again, fields, shown, shown_again, faster] = times;
            report.add(vec![
                case.design.to_owned(),
                case.resolution.to_string(),
                format!("{:.0e}", case.peclet),
                method,
                unknowns,
                seconds(flow),
                species,
                again,
                fields,
                shown,
                shown_again,
                faster,
                error,
                format!("{range:.0e}"),
            ]);
        };
        let ours = ours(&chip, &solution, case)?;
        let result = &ours.result;
        let last = result.streams.ports.last().and_then(Option::as_ref);
        let got = last.map_or(f64::NAN, |s| s.mean() * (1.0 - s.mean()) - s.variance());
        let method = match (result.regions_by_tubes, result.element_order) {
            (_, 0) => "tubes".to_owned(),
            (0, k) => format!("elements of order {k}"),
            (n, k) => format!("elements of order {k}; tubes in {n} regions"),
        };
        let [shown, shown_again] = ours.shown.map(seconds);
        let [first, again, fields] = [ours.first, ours.again, ours.fields].map(seconds);
        add(
            method,
            String::new(),
            [first, again, fields, shown, shown_again, String::new()],
            error(got, case.known),
            result.range_violated,
        );
        for &method in case.standard {
            let mut times = Vec::new();
            let answer = loop {
                let answer = standard(&chip, &solution, case.peclet, method)?;
                times.push(answer.seconds);
                if times.len() == 5 || times[0] > 5.0 {
                    break answer;
                }
            };
            let got = match case.known {
                Some(_) => unmixed(&chip, &solution, &answer, chip.ports.len() - 1),
                None => f64::NAN,
            };
            let time = median(times);
            let faster = format!("{:.1}", time / ours.first);
            add(
                method.name().to_owned(),
                answer.unknowns.to_string(),
                [
                    seconds(time),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    faster,
                ],
                error(got, case.known),
                answer.out_of_range,
            );
        }
    }
    let note = "error: of int u c (1 - c) behind the tee, relative (rows 6 and 7 of the specification's table)";
    report.finish("species", note, &asked)
}
