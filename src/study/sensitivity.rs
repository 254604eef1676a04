//! Derivatives of a design's results to its lengths, depth, viscosity, port values and variables.
//!
//! Each by a central difference whose two solves reuse the elimination: a step of refinement with its factors leads to the chip that is a
//! little changed ([`Nearby`]), and a changed port value costs a substitution only. Results are linear in port values, so there the
//! difference is exact. Where that step doesn't give what is asked (conductances, species), changed parts are eliminated anew, and everything
//! else comes from the table.
//!
//! Changed chips are solved on images of the design's mesh: their own mesh where it has the same cells, else the design's moved after their
//! outlines. Meshes follow lengths by whole cells, and where one more fits (round numbers are just where that happens), or Delaunay triangles
//! flip, a flow jumps by its error of discretisation: 7e-5 at resolution 4, 1.4e-5 at 8 in the tee of the tests, which a difference across
//! would divide by its step. Moving nodes jumps nowhere, but resizes the cells at sharp corners and their errors with them, where meshes of
//! its own keep them. So own meshes come first: at resolution 4 the flow of `wide`'s last outlet changes by 4.8 % of its chamber's height on
//! moved meshes, by 2.7 % on its own, near and far.

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::parallel;
use stokeslet_base::table::Table;
use stokeslet_base::units::{
    Dimension, FlowRate, FlowRatePerDepth, Metre, Pascal, PascalSecond, Powers,
};
use stokeslet_cad::chip::{Chip, Condition, place};
use stokeslet_cad::design::{Design, PortCondition, Setting, Value, parse_with};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::{
    Eliminated, Nearby, Solution, SolveError, SolveSettings, WantedResults, eliminate, silent,
};

use crate::output::{Catalogue, Output};
use crate::sample::{SampleError, Sampled};

/// Half of the difference, relative to the value: its square times the third derivative is the error, 1e-6 where that is one, and
/// rounding of 1e-10 in the results becomes 1e-7.
pub const STEP: f64 = 1e-3;
/// Parts of [`STEP`] that are tried in turn: a thousandth of hundreds of cells moves nodes too far for an image.
const SHARES: [f64; 3] = [1.0, 0.1, 0.01];

/// What a result is derived to.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// For people: `mixer.legs_height`, `ports.in.pressure`, `viscosity`.
    pub name: String,
    /// SI.
    pub value: f64,
    /// Powers of its unit.
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
    let is_expression = |keys: &[&str]| design.parametric.expression(keys).is_some();
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
/// Relative [`STEP`] squared. Two steps of refinement a parameter, of a product with what is changed and a substitution between parts each
/// (inside of parts, too, where more than ports is asked for), or two eliminations of what is changed.
pub fn sensitivities(
    design: &Design,
    outputs: &[Output],
    context: &Context<'_>,
) -> Result<Sensitivities, SampleError> {
    let begin = web_time::Instant::now();
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
        let values = Output::all_of(outputs, &sampled);
        let values = values.into_iter().map(Result::ok).collect();
        sampled.check()?;
        Ok(values)
    };
    let ask = |conditions: &[Condition]| -> Result<Vec<Option<f64>>, SampleError> {
        let solution = eliminated.solve(conditions, &silent, context.cancel)?;
        taken(design, &chip, solution)
    };
    let conditions: Vec<Condition> = chip.ports.iter().map(|port| port.condition).collect();
    let (solution, nearby) = match can_step {
        true => eliminated.solve_and_keep(&conditions, settings.wanted, context.cancel)?,
        false => {
            let solution = eliminated.solve(&conditions, &silent, context.cancel)?;
            (solution, None)
        }
    };
    let values = taken(design, &chip, solution)?;
    let first = begin.elapsed().as_secs_f64();
    let begin = web_time::Instant::now();
    let mut parameters = parameters(design);
    // The flow knows nothing of what it carries.
    let follows = outputs.iter().any(Catalogue::needs_species);
    parameters.retain(|p| follows || !matches!(p.target, Target::Diffusivity(_)));
    let one = |parameter: &Parameter| -> Result<Vec<Option<f64>>, String> {
        let step = STEP * parameter.value.abs();
        // Results `steps` away.
        let at = |steps: f64| -> Result<Option<Vec<Option<f64>>>, SampleError> {
            if let Target::Port(k) = parameter.target {
                let mut conditions = conditions.clone();
                let value = conditions[k].value();
                conditions[k] = conditions[k].with_value(value + steps * STEP * value.abs());
                let Some(nearby) = &nearby else {
                    return ask(&conditions).map(Some);
                };
                let mut driven = chip.clone();
                driven.ports[k].condition = conditions[k];
                let solution = nearby.solve(&driven, context.table, context.cancel)?;
                return solution.map(|s| taken(design, &driven, s)).transpose();
            }
            let moved = moved(design, parameter, parameter.value + steps * step, context)?;
            let chip = placed(&moved, context)?;
            let around = (&*eliminated, nearby.as_deref());
            match solved(&chip, around, context)? {
                Some(solution) => taken(&moved, &chip, solution).map(Some),
                None => Ok(None),
            }
        };
        let mut found = Err(String::new());
        for share in SHARES {
            let nearer = |steps: f64| at(steps * share);
            found = slope(&values, share * step, &nearer);
            if found.is_ok() || parameter.is_of_port() {
                break;
            }
        }
        found
    };
    let derivatives = parallel::each(&parameters, 1, one);
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

/// Derivatives from results at whole steps from the middle, which are none where the mesh there is no image of the middle's: a central
/// difference, or a one-sided one of the same order where one side can't be had.
fn slope(
    middle: &[Option<f64>],
    step: f64,
    at: &dyn Fn(f64) -> Result<Option<Vec<Option<f64>>>, SampleError>,
) -> Result<Vec<Option<f64>>, String> {
    let combine = |weights: [f64; 3], a: &[Option<f64>], b: &[Option<f64>]| {
        let all = middle.iter().zip(a).zip(b);
        all.map(|((m, a), b)| {
            Some((weights[0] * (*m)? + weights[1] * (*a)? + weights[2] * (*b)?) / step)
        })
        .collect()
    };
    let mut reason = "no mesh at hand follows it".to_owned();
    let mut side = |steps: f64| match at(steps) {
        Ok(found) => found,
        Err(error) => {
            reason = error.to_string();
            None
        }
    };
    let sides = [1.0, -1.0].map(|sign| (sign, side(sign)));
    if let [(_, Some(up)), (_, Some(down))] = &sides {
        return Ok(combine([0.0, 0.5, -0.5], up, down));
    }
    for (sign, near) in sides {
        if let Some(near) = near
            && let Some(far) = side(2.0 * sign)
        {
            return Ok(combine([-1.5 * sign, 2.0 * sign, -0.5 * sign], &near, &far));
        }
    }
    Err(reason)
}

/// A chip's solution on the image of a mesh at hand, `None` where it has none: in one step from a chip nearby, where there is one, else by an
/// elimination.
fn solved(
    chip: &Chip,
    (eliminated, nearby): (&dyn Eliminated, Option<&dyn Nearby>),
    context: &Context<'_>,
) -> Result<Option<Solution>, SolveError> {
    let (table, cancel) = (context.table, context.cancel);
    if let Some(nearby) = nearby {
        return nearby.solve(chip, table, cancel);
    }
    let Some(alike) = eliminated.alike(chip, table, cancel)? else {
        return Ok(None);
    };
    let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
    alike.solve(&conditions, &silent, cancel).map(Some)
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
