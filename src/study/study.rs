//! Study files: which variables of a design take which values, and what is wanted of each chip.
//!
//! ```toml
//! format = 1
//! design = "mixer.toml"               # beside the study file
//! method = "grid"                     # grid | list | latin_hypercube | random
//! samples = 200                       # of the last two
//! seed = 7
//! ports_only = true                   # no fields: faster
//! resolution = [4, 8]                 # or one number; a variable like the others
//! [ranges]                            # of variables of the design
//! w = { from = "50 um", to = "150 um", count = 11 }      # or steps = "10 um"; scale = "log"
//! n = { values = [2, 4, 8] }
//! [outputs]                           # columns; default all port flows and pressures, and conductances
//! q1 = "ports.inlet.flow_rate"
//! share = "ports.out1.flow_rate / ports.inlet.flow_rate"
//! [uncertainty]                       # every point is repeated with these about its values, which `w nominal` tells
//! w = { sigma = "2 %", samples = 50 } # normal; or half_width = "1 um": uniform
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::units::{Dimension, Powers, parse_any_quantity};

use crate::codes::STUDY;
use crate::output::mentions_fields;

/// The version of the format.
pub const FORMAT: i64 = 1;
/// More points than this are a mistake in a count.
pub const MAX_POINTS: usize = 10_000_000;

/// How points are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Every value with every other.
    Grid,
    /// First values together, second values together, ...
    List,
    /// Random, but evenly spread along each variable.
    LatinHypercube,
    /// Random.
    Random,
}

/// Between equal differences or equal ratios.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}

/// A value that a variable can take.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// A number in SI with the powers of its units.
    Amount(f64, Powers),
    /// Anything else.
    Text(String),
}

impl Sample {
    /// As `--set` takes it, to the last bit.
    pub fn to_text(&self) -> String {
        match self {
            Self::Amount(value, [0, 0, 0, 0, 0]) => format!("{value:e}"),
            Self::Amount(value, powers) => format!("{value:e} {}", unit(*powers)),
            Self::Text(text) => text.clone(),
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Amount(value, _) => Some(*value),
            Self::Text(_) => None,
        }
    }

    /// Reads a quantity or a number; anything else is a text.
    pub fn parse(text: &str) -> Self {
        if let Ok((value, powers)) = parse_any_quantity(text) {
            return Self::Amount(value, powers);
        }
        match text.trim().parse() {
            Ok(value) => Self::Amount(value, [0; 5]),
            Err(_) => Self::Text(text.to_owned()),
        }
    }
}

/// SI units of these powers: `Pa`, `m^3/s`; nothing for plain numbers.
pub fn unit(powers: Powers) -> String {
    if let Some(dimension) = Dimension::of_powers(powers) {
        return dimension.si_unit().to_owned();
    }
    let named = ["kg", "m", "s", "rad"].iter().zip(powers);
    let factors: Vec<String> = named
        .filter(|(_, power)| *power != 0)
        .map(|(unit, power)| match power {
            1 => (*unit).to_owned(),
            _ => format!("{unit}^{power}"),
        })
        .collect();
    factors.join(" ")
}

/// The values of one variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The variable.
    pub name: String,
    /// Values of a grid or list; of random methods, strata where they are listed.
    pub values: Vec<Sample>,
    /// Ends and scale, where values lie between.
    pub between: Option<(f64, f64, Scale)>,
    /// Powers of the unit of numbers.
    pub powers: Powers,
}

/// How a variable strays from its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    /// The variable.
    pub name: String,
    /// Standard deviation or half width.
    pub size: Size,
    /// Normal, or uniform.
    pub is_normal: bool,
    /// Repetitions of each point.
    pub samples: usize,
}

/// A size of errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// A part of the value.
    Relative(f64),
    /// SI.
    Absolute(f64, Powers),
}

/// A study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// File name of the design, from the study's folder.
    pub design: String,
    /// How points are chosen.
    pub method: Method,
    /// Samples of random methods.
    pub samples: usize,
    /// Seed of random methods and uncertainty.
    pub seed: u64,
    /// Whether fields are left out.
    pub ports_only: bool,
    /// Cell edges across a channel; empty: what the design says.
    pub resolution: Vec<u32>,
    /// By name.
    pub ranges: Vec<Range>,
    /// Names of columns and their formulas; empty: all of the ports.
    pub outputs: Vec<(String, String)>,
    /// By name.
    pub uncertainty: Vec<Uncertainty>,
}

impl Study {
    /// One variable at `count` values from the first to the last of `ends`, SI; `outputs` are columns and their formulas, fields are
    /// computed where one needs them.
    pub fn over(
        name: &str,
        (ends, powers): ([f64; 2], Powers),
        count: usize,
        outputs: Vec<(String, String)>,
    ) -> Self {
        let last = count.saturating_sub(1).max(1) as f64;
        let value = |k: usize| at(ends[0], ends[1], Scale::Linear, k as f64 / last);
        Self {
            design: String::new(),
            method: Method::Grid,
            samples: 0,
            seed: 0,
            ports_only: !outputs.iter().any(|(_, formula)| mentions_fields(formula)),
            resolution: Vec::new(),
            ranges: vec![Range {
                name: name.to_owned(),
                values: (0..count)
                    .map(|k| Sample::Amount(value(k), powers))
                    .collect(),
                between: Some((ends[0], ends[1], Scale::Linear)),
                powers,
            }],
            outputs,
            uncertainty: Vec::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: i64,
    design: String,
    #[serde(default = "grid")]
    method: Method,
    samples: Option<usize>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    ports_only: bool,
    #[serde(default)]
    resolution: OneOrMore,
    #[serde(default)]
    ranges: toml::Table,
    #[serde(default)]
    outputs: toml::Table,
    #[serde(default)]
    uncertainty: toml::Table,
}

fn grid() -> Method {
    Method::Grid
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    #[default]
    None,
    One(u32),
    More(Vec<u32>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeEntry {
    from: Option<toml::Value>,
    to: Option<toml::Value>,
    count: Option<usize>,
    steps: Option<toml::Value>,
    #[serde(default)]
    scale: Scale,
    values: Option<Vec<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncertaintyEntry {
    sigma: Option<toml::Value>,
    half_width: Option<toml::Value>,
    samples: usize,
}

fn wrong(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(STUDY, message)
}

/// Whether a file is a study rather than a design: it names its design, and has no fluid.
pub fn is_study(text: &str) -> bool {
    toml::from_str::<toml::Table>(text)
        .is_ok_and(|table| table.contains_key("design") && !table.contains_key("fluid"))
}

/// Reads a study file; mistakes of different sections are all told.
///
/// # Errors
/// Diagnostics D348; spans are bytes of `text`.
pub fn parse(text: &str) -> Result<Study, Vec<Diagnostic>> {
    let file: File = toml::from_str(text).map_err(|error| {
        let diagnostic = wrong(format!("the study can't be read: {}", error.message()));
        vec![match error.span() {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        }]
    })?;
    let mut faults = Vec::new();
    if file.format != FORMAT {
        faults.push(wrong(format!(
            "the study has format {}, this program reads {FORMAT}",
            file.format
        )));
    }
    let resolution = match file.resolution {
        OneOrMore::None => Vec::new(),
        OneOrMore::One(one) => vec![one],
        OneOrMore::More(more) => more,
    };
    if let Some(bad) = resolution.iter().find(|r| !(2..=512).contains(*r)) {
        faults.push(wrong(format!("a resolution of {bad} is not from 2 to 512")));
    }
    let is_random = matches!(file.method, Method::LatinHypercube | Method::Random);
    if is_random && file.samples.is_none_or(|n| n == 0 || n > MAX_POINTS) {
        faults.push(
            wrong(format!(
                "random methods need `samples`, from 1 to {MAX_POINTS}"
            ))
            .with_help("samples = 200"),
        );
    }
    let mut keep = |fault: Diagnostic, name: &str| {
        faults.push(place(fault, text, name));
    };
    let mut ranges = Vec::new();
    for (name, value) in file.ranges {
        match read_range(&name, value, is_random) {
            Ok(range) => ranges.push(range),
            Err(fault) => keep(fault, &name),
        }
    }
    let mut uncertainty = Vec::new();
    for (name, value) in file.uncertainty {
        match read_uncertainty(&name, value) {
            Ok(one) => uncertainty.push(one),
            Err(fault) => keep(fault, &name),
        }
    }
    let mut outputs = Vec::new();
    for (name, value) in file.outputs {
        match value.as_str() {
            Some(formula) => outputs.push((name, formula.to_owned())),
            None => keep(wrong(format!("output `{name}` is no text")), &name),
        }
    }
    if file.method == Method::List {
        let lengths: BTreeMap<usize, &str> = ranges
            .iter()
            .map(|r: &Range| (r.values.len(), r.name.as_str()))
            .collect();
        if lengths.len() > 1 {
            let all: Vec<String> = lengths
                .iter()
                .map(|(n, name)| format!("`{name}` has {n}"))
                .collect();
            faults.push(wrong(format!(
                "a list takes values together, but their numbers differ: {}",
                all.join(", ")
            )));
        }
    }
    let study = Study {
        design: file.design,
        method: file.method,
        samples: file.samples.unwrap_or_default(),
        seed: file.seed,
        ports_only: file.ports_only,
        resolution,
        ranges,
        outputs,
        uncertainty,
    };
    if faults.is_empty() && study.count().is_none_or(|n| n > MAX_POINTS) {
        faults.push(wrong(format!(
            "the study has more than {MAX_POINTS} points"
        )));
    }
    if faults.is_empty() {
        Ok(study)
    } else {
        Err(faults)
    }
}

/// At the line that a key begins.
fn place(fault: Diagnostic, text: &str, name: &str) -> Diagnostic {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start();
        if let Some(tail) = rest.strip_prefix(name)
            && tail.trim_start().starts_with(['=', '.'])
        {
            return fault.at(start..start + line.trim_end().len()).about(name);
        }
        start += line.len();
    }
    fault.about(name)
}

/// A value; nothing where it is none, or no finite one.
fn sample(value: &toml::Value) -> Option<Sample> {
    match value {
        toml::Value::String(text) => match Sample::parse(text) {
            Sample::Amount(value, _) if !value.is_finite() => None,
            sample => Some(sample),
        },
        toml::Value::Integer(number) => Some(Sample::Amount(*number as f64, [0; 5])),
        toml::Value::Float(number) if number.is_finite() => Some(Sample::Amount(*number, [0; 5])),
        toml::Value::Boolean(flag) => Some(Sample::Text(flag.to_string())),
        _ => None,
    }
}

fn amount(value: &toml::Value, what: &str, name: &str) -> Result<(f64, Powers), Diagnostic> {
    match sample(value) {
        Some(Sample::Amount(value, powers)) => Ok((value, powers)),
        _ => Err(wrong(format!(
            "`{what}` of `{name}` is neither a quantity nor a number"
        ))),
    }
}

fn read_range(name: &str, value: toml::Value, is_random: bool) -> Result<Range, Diagnostic> {
    let entry: RangeEntry = value.try_into().map_err(|error: toml::de::Error| {
        wrong(format!("range of `{name}`: {}", error.message()))
    })?;
    if let Some(values) = &entry.values {
        if entry.from.is_some()
            || entry.to.is_some()
            || entry.count.is_some()
            || entry.steps.is_some()
        {
            return Err(wrong(format!(
                "`{name}` has both `values` and ends: keep one"
            )));
        }
        let samples: Option<Vec<Sample>> = values.iter().map(sample).collect();
        let values = samples.filter(|values| !values.is_empty() && values.len() <= MAX_POINTS);
        let values = values.ok_or_else(|| {
            wrong(format!(
                "`values` of `{name}` is not a list of quantities, finite numbers or texts"
            ))
        })?;
        let powers = match &values[0] {
            Sample::Amount(_, powers) => *powers,
            Sample::Text(_) => [0; 5],
        };
        return Ok(Range {
            name: name.to_owned(),
            values,
            between: None,
            powers,
        });
    }
    let (Some(from), Some(to)) = (&entry.from, &entry.to) else {
        return Err(wrong(format!("`{name}` has no values"))
            .with_help("give `values`, or `from`, `to` and `count`"));
    };
    let ((from, powers), (to, others)) = (amount(from, "from", name)?, amount(to, "to", name)?);
    if powers != others {
        return Err(wrong(format!(
            "the ends of `{name}` measure different things"
        )));
    }
    if entry.scale == Scale::Log && !(from > 0.0 && to > 0.0) {
        return Err(wrong(format!(
            "a logarithmic range of `{name}` needs positive ends"
        )));
    }
    let is_sound = match entry.scale {
        Scale::Linear => (to - from).is_finite(),
        Scale::Log => (to / from).is_normal(),
    };
    if !is_sound {
        return Err(wrong(format!("the ends of `{name}` are too far apart")));
    }
    let count = match (&entry.count, &entry.steps) {
        (Some(count), None) => *count,
        (None, Some(steps)) => {
            let (step, of) = amount(steps, "steps", name)?;
            let n = (to - from) / step;
            if of != powers || entry.scale == Scale::Log || !(n >= 0.0 && n < MAX_POINTS as f64) {
                return Err(wrong(format!(
                    "`steps` of `{name}` doesn't lead from `from` to `to`"
                )));
            }
            // The last step may be short of `to`; rounding must not lose it.
            let whole = (n + 1e-9).floor();
            let end = from + whole * step;
            let n = whole as usize + 1;
            return Ok(between(name, from, end, n, Scale::Linear, powers));
        }
        (None, None) if is_random => 0,
        _ => {
            return Err(wrong(format!(
                "give one of `count` and `steps` for `{name}`"
            )));
        }
    };
    if !is_random && !(1..=MAX_POINTS).contains(&count) {
        return Err(wrong(format!("`count` of `{name}` is {count}")));
    }
    Ok(between(name, from, to, count, entry.scale, powers))
}

/// A range of evenly spaced values.
pub fn between(
    name: &str,
    from: f64,
    to: f64,
    count: usize,
    scale: Scale,
    powers: Powers,
) -> Range {
    let last = count.saturating_sub(1).max(1) as f64;
    let value = |k: usize| match k {
        0 => from,
        _ if k + 1 == count => to,
        _ => at(from, to, scale, k as f64 / last),
    };
    Range {
        name: name.to_owned(),
        values: (0..count)
            .map(|k| Sample::Amount(value(k), powers))
            .collect(),
        between: Some((from, to, scale)),
        powers,
    }
}

/// The value at `t` of the way.
pub(crate) fn at(from: f64, to: f64, scale: Scale, t: f64) -> f64 {
    match scale {
        Scale::Linear => from + (to - from) * t,
        Scale::Log => from * (to / from).powf(t),
    }
}

fn read_uncertainty(name: &str, value: toml::Value) -> Result<Uncertainty, Diagnostic> {
    let entry: UncertaintyEntry = value.try_into().map_err(|error: toml::de::Error| {
        wrong(format!("uncertainty of `{name}`: {}", error.message()))
    })?;
    let (given, is_normal) = match (&entry.sigma, &entry.half_width) {
        (Some(sigma), None) => (sigma, true),
        (None, Some(width)) => (width, false),
        _ => {
            return Err(wrong(format!(
                "give one of `sigma` and `half_width` for `{name}`"
            )));
        }
    };
    let percent = given
        .as_str()
        .and_then(|text| text.trim().strip_suffix('%'));
    let size = match percent {
        Some(number) => match number.trim().parse::<f64>() {
            Ok(number) => Size::Relative(number / 100.0),
            Err(_) => return Err(wrong(format!("the size of `{name}` is no percentage"))),
        },
        None => {
            let (size, powers) = amount(given, "sigma", name)?;
            Size::Absolute(size, powers)
        }
    };
    let value = match size {
        Size::Relative(value) | Size::Absolute(value, _) => value,
    };
    let is_sound = value.is_finite() && value >= 0.0;
    if !is_sound || !(1..=MAX_POINTS).contains(&entry.samples) {
        return Err(wrong(format!(
            "uncertainty of `{name}` needs a size of 0 or more, and at least one sample"
        )));
    }
    Ok(Uncertainty {
        name: name.to_owned(),
        size,
        is_normal,
        samples: entry.samples,
    })
}
