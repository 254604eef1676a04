//! Derivatives of a design's results to its lengths, depth, viscosity, port values and variables.
//!
//! Each by a central difference whose two solves reuse the elimination: a step of refinement with its factors leads to the chip that is a
//! little changed ([`Nearby`]), and a changed port value costs a substitution only. Results are linear in port values, so there the
//! difference is exact. Where that step can't be taken (conductances, species, meshes that aren't images of each other) a changed part is
//! eliminated anew, and everything else comes from the table.
//!
//! Meshes follow lengths by whole cells: where one more fits, a flow jumps by its error of discretisation (7e-5 at resolution 4, 1.4e-5 at
//! 8 in the tee of the tests), which a difference across would divide by its step. Round numbers are just where that happens. So
//! differences are taken between equal meshes only. Meshes of Delaunay triangles may have as many unknowns and still be others: derivatives
//! to the height of the chamber of `designs/wide.toml` are off by 2e-4 that way, and to widths of `designs/h-filter.toml` and
//! `designs/flow-focus.toml` some are told not to be had.

use rayon::prelude::*;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_base::units::{
    Dimension, FlowRate, FlowRatePerDepth, Metre, Pascal, PascalSecond, Powers,
};
use stokeslet_cad::chip::{Chip, Condition, place};
use stokeslet_cad::design::{Design, PortCondition, Setting, Value, parse_with};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::{
    Nearby, Solution, SolveError, SolveSettings, WantedResults, eliminate, silent,
};

use crate::output::{Catalogue, Output};
use crate::sample::{SampleError, Sampled};

/// Half of the difference, relative to the value: its square times the third derivative is the error, 1e-6 where that is one, and
/// rounding of 1e-10 in the results becomes 1e-7.
pub const STEP: f64 = 1e-3;
/// Parts of [`STEP`] that are tried in turn, where the mesh changes on both sides: pipes of hundreds of slices lose or win one within a thousandth.
const SHARES: [f64; 3] = [1.0, 0.1, 0.01];

/// What a result is derived to.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// For people: `mixer.legs_height`, `ports.in.pressure`, `viscosity`.
    pub name: String,
    /// SI.
    pub value: f64,
    /// Of its unit.
    pub powers: Powers,
    target: Target,
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    Variable(String),
    Width,
    Depth,
    Viscosity,
    Diffusivity(usize),
    Component(usize, usize),
    Channel(usize),
    Port(usize),
}

const LENGTH: Powers = [0, 1, 0, 0, 0];

impl Parameter {
    /// Whether no mesh depends on it.
    fn is_of_port(&self) -> bool {
        matches!(self.target, Target::Port(_))
    }
}

/// Every number of a design that its results can be derived to: variables first, then what is written as a length, a viscosity, or
/// a value at a port. What an expression gives is left to its variables.
pub fn parameters(design: &Design) -> Vec<Parameter> {
    let mut out = Vec::new();
    let mut add = |name: String, value: f64, powers, target| {
        if value.is_finite() && value != 0.0 {
            out.push(Parameter {
                name,
                value,
                powers,
                target,
            });
        }
    };
    for variable in &design.parametric.variables {
        let is_own = !variable.source.starts_with("\"=");
        match &variable.value {
            Some(Value::Quantity(value, dimension)) if is_own => {
                let target = Target::Variable(variable.name.clone());
                add(variable.name.clone(), *value, dimension.powers(), target);
            }
            _ => {}
        }
    }
    let is_expression = |keys: &[&str]| {
        design.parametric.expressions.iter().any(|e| {
            let path = e.path.iter().map(|step| match step {
                stokeslet_cad::design::Step::Key(key) => key.as_str(),
                stokeslet_cad::design::Step::Index(_) => "",
            });
            path.eq(keys.iter().copied())
        })
    };
    if !is_expression(&["chip", "width"]) {
        add("chip.width".into(), design.width.0, LENGTH, Target::Width);
    }
    if let Some(depth) = design.depth.filter(|_| !is_expression(&["chip", "depth"])) {
        add("chip.depth".into(), depth.0, LENGTH, Target::Depth);
    }
    if !is_expression(&["fluid", "viscosity"]) {
        let powers = Dimension::Viscosity.powers();
        add(
            "viscosity".into(),
            design.viscosity.0,
            powers,
            Target::Viscosity,
        );
    }
    for (k, species) in design.species.species.iter().enumerate() {
        let (name, value) = (&species.name.value, species.diffusivity.value);
        if !is_expression(&["species", name, "diffusivity"]) {
            let powers = [0, 2, -1, 0, 0];
            let name = format!("species.{name}.diffusivity");
            add(name, value, powers, Target::Diffusivity(k));
        }
    }
    for (k, component) in design.components.iter().enumerate() {
        for (l, (name, value)) in component.parameters.iter().enumerate() {
            let path = [
                "components",
                &component.name.value,
                "parameters",
                &name.value,
            ];
            match value.value {
                Value::Quantity(value, Dimension::Length) if !is_expression(&path) => {
                    let name = format!("{}.{}", component.name.value, name.value);
                    add(name, value, LENGTH, Target::Component(k, l));
                }
                _ => {}
            }
        }
    }
    for (k, channel) in design.channels.iter().enumerate() {
        if let Some(width) = channel.width
            && !is_expression(&["channels", &channel.name.value, "width"])
        {
            add(
                format!("{}.width", channel.name.value),
                width.0,
                LENGTH,
                Target::Channel(k),
            );
        }
    }
    for (k, port) in design.ports.iter().enumerate() {
        let (what, value, dimension) = match port.condition.value {
            PortCondition::FlowRate(FlowRate(q)) => ("flow_rate", q, Dimension::FlowRate),
            PortCondition::FlowRatePerDepth(FlowRatePerDepth(q)) => {
                ("flow_rate", q, Dimension::FlowRatePerDepth)
            }
            PortCondition::Pressure(Pascal(p)) => ("pressure", p, Dimension::Pressure),
            PortCondition::TractionFree => continue,
        };
        if !is_expression(&["ports", &port.name.value, what]) {
            let name = format!("ports.{}.{what}", port.name.value);
            add(name, value, dimension.powers(), Target::Port(k));
        }
    }
    out
}

/// A design's results and their derivatives.
#[derive(Clone, Debug)]
pub struct Sensitivities {
    /// What they are derived to.
    pub parameters: Vec<Parameter>,
    /// By output: its value, SI.
    pub values: Vec<Option<f64>>,
    /// By parameter and output: the derivative in SI, or why there is none.
    pub derivatives: Vec<Result<Vec<Option<f64>>, String>>,
    /// Seconds of the first solve, and of all others together (of the processor where they ran side by side).
    pub seconds: (f64, f64),
}

/// What all solves of [`sensitivities`] share.
pub struct Context<'a> {
    /// The design file's text, for its variables.
    pub text: &'a str,
    /// Variables set from outside.
    pub set: &'a [Setting],
    /// Components.
    pub library: &'a Library,
    /// How to solve.
    pub settings: &'a SolveSettings,
    /// Results by what makes them.
    pub table: &'a Table,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

/// The derivatives of some outputs of a design to all its [`parameters`].
///
/// # Errors
/// Where the design itself can't be solved; a parameter that can't be moved is told in its place.
/// # Accuracy and cost
/// Relative [`STEP`] squared. Two steps of refinement a parameter, of a product and a substitution each; up to six, or as many eliminations
/// of what is changed, where the mesh changes with it.
pub fn sensitivities(
    design: &Design,
    outputs: &[Output],
    context: &Context<'_>,
) -> Result<Sensitivities, SampleError> {
    let begin = std::time::Instant::now();
    let chip = placed(design, context)?;
    let settings = SolveSettings {
        resolution: design.resolution.unwrap_or(context.settings.resolution),
        ..context.settings.clone()
    };
    // Steps to chips nearby go through all unknowns.
    let can_step = !outputs.iter().any(Catalogue::needs_elimination);
    let with_fields = SolveSettings {
        wanted: WantedResults::All,
        ..settings.clone()
    };
    let first_settings = if can_step { &with_fields } else { &settings };
    let eliminated = eliminate(
        &chip,
        first_settings,
        context.table,
        &silent,
        context.cancel,
    )?;
    let taken = |design: &Design, chip: &Chip, solution| -> Result<Vec<Option<f64>>, SampleError> {
        let sampled = Sampled::new(design.clone(), chip.clone(), solution, context.cancel);
        let values = outputs.iter().map(|output| output.of(&sampled)).collect();
        sampled.check()?;
        Ok(values)
    };
    let ask = |conditions: &[Condition]| -> Result<Vec<Option<f64>>, SampleError> {
        let solution = eliminated.solve(conditions, &silent, context.cancel)?;
        taken(design, &chip, solution)
    };
    let conditions: Vec<Condition> = chip.ports.iter().map(|port| port.condition).collect();
    let values = ask(&conditions)?;
    let nearby = match can_step {
        true => eliminated.nearby(&conditions, context.cancel)?,
        false => None,
    };
    let unknowns = eliminated.report().unknowns;
    let first = begin.elapsed().as_secs_f64();
    let begin = std::time::Instant::now();
    let mut parameters = parameters(design);
    // The flow knows nothing of what it carries.
    let follows = outputs.iter().any(Catalogue::needs_species);
    parameters.retain(|p| follows || !matches!(p.target, Target::Diffusivity(_)));
    let one = |parameter: &Parameter| -> Result<Vec<Option<f64>>, String> {
        let step = STEP * parameter.value.abs();
        // Results and unknowns `steps` away.
        let at = |steps: f64| -> Result<(Vec<Option<f64>>, usize), SampleError> {
            if let Target::Port(k) = parameter.target {
                let mut conditions = conditions.clone();
                let value = conditions[k].value();
                conditions[k] = conditions[k].with_value(value + steps * STEP * value.abs());
                return Ok((ask(&conditions)?, unknowns));
            }
            let moved = moved(design, parameter, parameter.value + steps * step, context)?;
            let chip = placed(&moved, context)?;
            let solution = solved(&chip, nearby.as_deref(), &settings, context)?;
            let unknowns = solution.report.unknowns;
            Ok((taken(&moved, &chip, solution)?, unknowns))
        };
        let mut found = Err(String::new());
        for share in SHARES {
            let nearer = |steps: f64| at(steps * share);
            found = slope(&values, unknowns, share * step, &nearer);
            if found.is_ok() || parameter.is_of_port() {
                break;
            }
        }
        found
    };
    let derivatives = parameters.par_iter().map(one).collect();
    if context.cancel.is_cancelled() {
        return Err(SolveError::Cancelled.into());
    }
    Ok(Sensitivities {
        parameters,
        values,
        derivatives,
        seconds: (first, begin.elapsed().as_secs_f64()),
    })
}

/// Outputs, and the unknowns of the mesh that they were had with.
type Measured = (Vec<Option<f64>>, usize);

/// Derivatives from results at whole steps from the middle: a central difference where both neighbours have the mesh of the middle,
/// else a one-sided one of the same order, on the side that has.
fn slope(
    middle: &[Option<f64>],
    unknowns: usize,
    step: f64,
    at: &dyn Fn(f64) -> Result<Measured, SampleError>,
) -> Result<Vec<Option<f64>>, String> {
    let words = |error: SampleError| error.to_string();
    let combine = |weights: [f64; 3], a: &[Option<f64>], b: &[Option<f64>]| {
        let all = middle.iter().zip(a).zip(b);
        all.map(|((m, a), b)| {
            Some((weights[0] * (*m)? + weights[1] * (*a)? + weights[2] * (*b)?) / step)
        })
        .collect()
    };
    let sides = [at(1.0), at(-1.0)];
    if let [Ok((up, n)), Ok((down, m))] = &sides
        && [*n, *m] == [unknowns; 2]
    {
        return Ok(combine([0.0, 0.5, -0.5], up, down));
    }
    // Lines of a mesh that coincide in the middle part on either side: there all meshes are alike, but for the middle's.
    if let [Ok((near, n)), Ok((_, m))] = &sides
        && n == m
    {
        let [far, farthest] = [at(2.0).map_err(words)?, at(3.0).map_err(words)?];
        if [far.1, farthest.1] == [*n; 2] {
            return Ok(extrapolated([near, &far.0, &farthest.0], step));
        }
    }
    let mut reason = "the mesh changes on both sides".to_owned();
    for (sign, side) in [1.0, -1.0].into_iter().zip(sides) {
        match side {
            Ok((near, n)) if n == unknowns => {
                let (far, n) = at(2.0 * sign).map_err(words)?;
                if n == unknowns {
                    return Ok(combine([-1.5 * sign, 2.0 * sign, -0.5 * sign], &near, &far));
                }
            }
            Ok(_) => {}
            Err(error) => reason = words(error),
        }
    }
    Err(reason)
}

/// A chip's solution: in one step from a chip nearby, where there is one, else by an elimination of its own.
fn solved(
    chip: &Chip,
    nearby: Option<&dyn Nearby>,
    settings: &SolveSettings,
    context: &Context<'_>,
) -> Result<Solution, SolveError> {
    let (table, cancel) = (context.table, context.cancel);
    if let Some(nearby) = nearby
        && let Some(solution) = nearby.solve(chip, settings.wanted, table, cancel)?
    {
        return Ok(solution);
    }
    let eliminated = eliminate(chip, settings, table, &silent, cancel)?;
    let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
    eliminated.solve(&conditions, &silent, cancel)
}

/// The derivative at the beginning, of the second order, from results one, two and three steps away from it.
fn extrapolated(at: [&[Option<f64>]; 3], step: f64) -> Vec<Option<f64>> {
    let all = at[0].iter().zip(at[1]).zip(at[2]);
    all.map(|((a, b), c)| Some((-2.5 * (*a)? + 4.0 * (*b)? - 1.5 * (*c)?) / step))
        .collect()
}

fn placed(design: &Design, context: &Context<'_>) -> Result<Chip, SampleError> {
    let (chip, mistakes) = place(design, context.library);
    chip.ok_or(SampleError::Design(mistakes))
}

/// The design with one of its numbers changed.
fn moved(
    design: &Design,
    parameter: &Parameter,
    value: f64,
    context: &Context<'_>,
) -> Result<Design, SampleError> {
    let mut moved = design.clone();
    match &parameter.target {
        Target::Variable(name) => {
            let mut set: Vec<Setting> = context
                .set
                .iter()
                .filter(|s| s.name != *name)
                .cloned()
                .collect();
            set.push(Setting {
                name: name.clone(),
                value: crate::study::Sample::Amount(value, parameter.powers).to_text(),
            });
            let (read, mistakes) = parse_with(context.text, &design.name, &set);
            let mut read = read.ok_or(SampleError::Design(mistakes))?;
            read.model = design.model;
            return Ok(read);
        }
        Target::Width => moved.width = Metre(value),
        Target::Depth => moved.depth = Some(Metre(value)),
        Target::Viscosity => moved.viscosity = PascalSecond(value),
        Target::Diffusivity(k) => moved.species.species[*k].diffusivity.value = value,
        Target::Component(k, l) => {
            moved.components[*k].parameters[*l].1.value = Value::Quantity(value, Dimension::Length);
        }
        Target::Channel(k) => moved.channels[*k].width = Some(Metre(value)),
        // Asked of the elimination at hand.
        Target::Port(_) => {}
    }
    Ok(moved)
}

#[cfg(test)]
mod tests;
