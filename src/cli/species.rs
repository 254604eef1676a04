//! Dissolved species of a design: from its section to columns, fields, profiles and a table.

use std::fmt::Write as _;
use std::ops::Range;

use stokeslet::chip::{Chip, Condition};
use stokeslet::design::{Design, Dimension};
use stokeslet::diagnostic::{Diagnostic, nearest};
use stokeslet::export::readable::{Quantity, figures};
use stokeslet::export::{Colouring, Extra, Format};
use stokeslet::quantities;
use stokeslet::session::Solution;
use stokeslet::species::{
    Engine, Paths, Settings, Species, SpeciesError, SpeciesResult, files, solve,
};
use stokeslet::units::parse_quantity_as;

use super::args::SolveArgs;
use super::outcome::CliError;

/// Greatest imbalance of a species, over what enters.
const MAX_IMBALANCE: f64 = 1e-9;

/// What the command line says of species.
#[derive(Clone, Debug)]
pub struct SpeciesRequest {
    /// Diffusivities instead of the designs', m^2/s.
    pub diffusivities: Vec<(String, f64)>,
    /// Whether to leave species out.
    pub skip: bool,
    /// Estimated error, over the range, that is accepted.
    pub tolerance: f64,
    /// Tubes across, engines.
    pub settings: Settings,
    /// What the picture shows: a built-in name, `age`, or a species.
    pub picture: String,
}

impl SpeciesRequest {
    /// Judges the arguments.
    ///
    /// # Errors
    /// A diffusivity that can't be read.
    pub fn new(args: &SolveArgs) -> Result<Self, CliError> {
        let one = |text: &String| {
            let usage = |why: String| CliError::Usage {
                message: format!(
                    "--species {text}: {why}; write NAME=D, such as --species \"dye=4e-10 m^2/s\""
                ),
            };
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| usage("no `=`".to_owned()))?;
            let value = parse_quantity_as(value, Dimension::FlowRatePerDepth)
                .map_err(|e| usage(e.to_string()))?;
            if !(value > 0.0 && value <= 1e-4) {
                return Err(usage(
                    "a diffusivity is positive and at most 1e-4 m^2/s".to_owned(),
                ));
            }
            Ok((name.trim().to_owned(), value))
        };
        if args.species_tolerance.is_nan() || args.species_tolerance <= 0.0 {
            let message = "--species-tolerance must be positive".to_owned();
            return Err(CliError::Usage { message });
        }
        Ok(Self {
            diffusivities: args.species.iter().map(one).collect::<Result<_, _>>()?,
            skip: args.no_species || args.ports_only,
            tolerance: args.species_tolerance,
            settings: Settings {
                tubes: usize::from(args.species_tubes),
                engine: Engine::named(&args.species_engine).unwrap_or_default(),
                tolerance: args.species_tolerance,
                ..Settings::default()
            },
            picture: args.picture.clone(),
        })
    }
}

/// Species followed on a solved chip.
#[derive(Default)]
pub struct Found {
    /// For the files.
    pub extra: Extra,
    /// For the terminal.
    pub text: String,
    /// Whether balance or estimate exceed what is accepted.
    pub inaccurate: bool,
    /// Instead of the request's.
    pub colouring: Option<Colouring>,
    /// What was noticed.
    pub warnings: Vec<Diagnostic>,
}

/// How an unknown picture is told.
const PICTURE: &str = "--picture asks for";

/// What is wrong with the request for this design, before anything is solved.
pub fn check(design: &Design, request: &SpeciesRequest) -> Option<Diagnostic> {
    let names: Vec<&str> = design
        .species
        .species
        .iter()
        .map(|s| s.name.value.as_str())
        .collect();
    let unknown = |name: &str, what: &str| {
        let message = format!("{what} `{name}`, which this design doesn't have");
        // Of pictures there are more than species.
        let of_flow = quantities::ALL.iter().map(|q| q.name.replace('_', "-"));
        let others: Vec<String> = match what {
            PICTURE => of_flow.collect(),
            _ => Vec::new(),
        };
        let known = others
            .iter()
            .map(String::as_str)
            .chain(names.iter().copied());
        let help = match nearest(name, known.clone()) {
            _ if name == "age" && !request.skip => {
                "`residence_time = true` under [species] asks for the age of the fluid".to_owned()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None if !others.is_empty() => {
                let all: Vec<&str> = known.collect();
                format!(
                    "there are {}; species are added under [species]",
                    all.join(", ")
                )
            }
            None if names.is_empty() => "add it under [species]".to_owned(),
            None => format!("its species are {}", names.join(", ")),
        };
        Some(Diagnostic::error("D403", message).with_help(help))
    };
    if let Some((name, _)) = request
        .diffusivities
        .iter()
        .find(|d| !names.contains(&d.0.as_str()))
    {
        return unknown(name, "--species names");
    }
    let picture = request.picture.as_str();
    let known = match picture {
        of_flow if quantities::named(of_flow).is_some() => true,
        "age" => design.species.residence_time && !request.skip,
        _ => names.contains(&picture) && !request.skip,
    };
    if !known {
        return unknown(picture, PICTURE);
    }
    None
}

/// Follows the design's species.
///
/// # Errors
/// [`SpeciesError`].
pub fn run(
    design: &Design,
    chip: &Chip,
    solution: &Solution,
    request: &SpeciesRequest,
    formats: &[Format],
) -> Result<Found, SpeciesError> {
    let mut found = Found::default();
    if request.skip {
        return Ok(found);
    }
    if design.species.species.is_empty() {
        if design.species.residence_time {
            let message = "no age is found: [species] has `residence_time` and no species";
            let help = "ages are followed with a species' diffusivity: name one, such as the liquid's own, whose concentration is 0";
            let warning = Diagnostic::warning("D418", message).with_help(help);
            found.warnings.push(warning);
        }
        return Ok(found);
    }
    let settings = request.settings;
    let paths = Paths::of(chip, solution)?;
    let species: Vec<Species> = design
        .species
        .species
        .iter()
        .map(|section| {
            let mut species = Species::of_design(section, chip);
            let given = request.diffusivities.iter();
            if let Some((_, diffusivity)) = given.rev().find(|d| d.0 == species.name) {
                species.diffusivity = *diffusivity;
            }
            species
        })
        .collect();
    warn(design, chip, &paths, &mut found.warnings);
    let results = solve(
        chip,
        &paths,
        &species,
        settings,
        design.species.residence_time,
    )?;
    let sections = &design.species.species;
    let units: Vec<&str> = sections.iter().map(files::unit).collect();
    for ((result, section), unit) in results.iter().zip(sections).zip(&units) {
        let doubts = doubts(result, section.name.span.clone(), request);
        found.inaccurate |= !doubts.is_empty();
        found.warnings.extend(doubts);
        found.text += &table(result, unit);
    }
    let fields = &solution.fields;
    found.extra = files::extra(chip, fields, &paths, settings, (&results, &units));
    if formats.contains(&Format::Vtu) {
        files::add_solid(chip, &paths, settings, &results, &mut found.extra);
    }
    let mut names = found.extra.fields.iter();
    let picture = names.position(|f| f.name == request.picture);
    found.colouring = picture.map(Colouring::Extra);
    Ok(found)
}

/// Ports whose part only the solved flow tells.
fn warn(design: &Design, chip: &Chip, paths: &Paths, out: &mut Vec<Diagnostic>) {
    for (k, port) in chip.ports.iter().enumerate() {
        let flow = paths.net.port_flow[k];
        let named = design
            .species
            .species
            .iter()
            .flat_map(|s| &s.inlets)
            .find(|i| i.port.value == port.name);
        let unit = if paths.has_depth {
            Quantity::FlowRate
        } else {
            Quantity::FlowRatePerDepth
        };
        let shown = unit.show(flow.abs() * paths.depth);
        match named {
            None if flow > 1e-9 * paths.net.largest
                && !matches!(port.condition, Condition::FlowRate(_)) =>
            {
                let message = format!(
                    "{shown} enter by port `{}`, which names no concentration: it brings 0",
                    port.name
                );
                let help = format!("say so with inlets = {{ {} = 0 }}", port.name);
                out.push(
                    Diagnostic::warning("D404", message)
                        .about(port.name.clone())
                        .with_help(help),
                );
            }
            Some(inlet) if flow < -1e-9 * paths.net.largest => {
                let message = format!(
                    "{shown} leave by port `{}`, which names a concentration: it isn't used",
                    port.name
                );
                out.push(
                    Diagnostic::warning("D405", message)
                        .at(inlet.port.span.clone())
                        .about(port.name.clone()),
                );
            }
            _ => {}
        }
    }
}

/// What of a species is less exact than was asked: the exit code is 3 then, and this says why.
fn doubts(result: &SpeciesResult, span: Range<usize>, request: &SpeciesRequest) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut doubt = |code, message: String, help: String| {
        let warning = Diagnostic::warning(code, message).at(span.clone());
        out.push(warning.about(result.name.clone()).with_help(help));
    };
    // Not a number fails too.
    let is_within = |value: f64, most: f64| value <= most;
    if !is_within(result.estimated_error, request.tolerance) {
        let of_tubes = result.error_of_discretisation;
        let (of_along, of_flow) = (result.error_along, result.error_of_flow);
        let message = format!(
            "outlets of `{}` are known to {:.1e} of the range (estimated: {of_tubes:.1e} discretisation, {of_along:.1e} diffusion along the flow, {of_flow:.1e} flow), which is more than --species-tolerance {:e}",
            result.name, result.estimated_error, request.tolerance
        );
        let worst = of_tubes.max(of_along).max(of_flow);
        let mend = if worst == of_along && result.section.is_some() {
            "--model shallow includes diffusion along the flow".to_owned()
        } else if worst == of_along && result.regions_by_tubes > 0 {
            "--species-engine elliptic includes diffusion along the flow".to_owned()
        } else if worst == of_tubes && result.element_order == 0 {
            format!("use --species-tubes {}", 2 * request.settings.tubes)
        } else {
            "use a finer --resolution".to_owned()
        };
        let help = format!(
            "{mend}; or accept it with --species-tolerance {:.0e}",
            above(result.estimated_error)
        );
        doubt("D414", message, help);
    }
    if !is_within(result.balance.abs(), MAX_IMBALANCE) {
        let message = format!(
            "what leaves of `{}` differs from what enters by {:.1e} of it, which is more than {MAX_IMBALANCE:e}",
            result.name,
            result.balance.abs()
        );
        let help = "--species-engine tubes balances to rounding".to_owned();
        doubt("D415", message, help);
    }
    out
}

/// The next number of one figure above.
fn above(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    (value / power + 1e-9).ceil() * power
}

/// Which engines followed it.
fn engines(result: &SpeciesResult) -> String {
    let (tubes, elements) = (result.regions_by_tubes, result.regions_by_elements);
    let order = result.element_order;
    if let Some([across, over_half]) = result.section {
        let over = 2 * over_half;
        return format!("maps between sections of {across} x {over} cells");
    }
    match (tubes, elements) {
        (_, 0) if order == 0 => "tubes".to_owned(),
        (0, _) => format!("elements of order {order}"),
        _ => format!("{tubes} regions by tubes, {elements} by elements of order {order}"),
    }
}

/// What is printed of one species.
fn table(result: &SpeciesResult, unit: &str) -> String {
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    };
    let mut text = format!(
        "  {}: D {:e} m^2/s, Q/(h D) from {} to {}, {}, balance {:.1e}, estimated error {:.1e} of the range ({:.1e} discretisation, {:.1e} diffusion along the flow, {:.1e} flow)\n",
        result.name,
        result.diffusivity,
        figures(result.peclet[0]),
        figures(result.peclet[1]),
        engines(result),
        result.balance,
        result.estimated_error,
        result.error_of_discretisation,
        result.error_along,
        result.error_of_flow,
    );
    for port in &result.ports {
        let Some(mean) = port.mean else { continue };
        let part = port
            .mixing_index
            .map_or_else(String::new, |m| format!(", mixing index {m:.4}"));
        let age = port.age_mean_s.map_or_else(String::new, |a| {
            let spread = port
                .age_std_s
                .map_or_else(String::new, |s| format!(", spread {} s", figures(s)));
            format!(", age {} s{spread}", figures(a))
        });
        let way = if port.error.is_some() { "out" } else { "in" };
        let _ = writeln!(
            text,
            "    {} ({way}): {mean:.6}{unit}{part}{age}",
            port.port
        );
    }
    text
}
