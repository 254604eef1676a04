//! A study and its design, checked against each other and ready to run.

use stokeslet_base::diagnostic::{Diagnostic, nearest};
use stokeslet_base::fingerprint::{Domain, Hasher};
use stokeslet_base::units::Powers;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::{Design, Value};

use crate::codes::MISFIT;
use crate::journal::Header;
use crate::output::{Catalogue, Output, head};
use crate::plan::Plan;
use crate::study::{Sample, Size, Study};

/// The points of a study, and what is kept of each.
#[derive(Debug)]
pub struct Prepared<'s> {
    /// The points.
    pub plan: Plan<'s>,
    /// The columns.
    pub outputs: Vec<Output>,
    /// What records of it begin with.
    pub header: Header,
}

/// The value of a design's variable as a sample, if it is a quantity or a number.
pub fn nominal(design: &Design, name: &str) -> Option<Sample> {
    match design.parametric.variable(name)?.value.as_ref()? {
        Value::Number(value) => Some(Sample::Amount(*value, [0; 5])),
        Value::Quantity(value, dimension) => Some(Sample::Amount(*value, dimension.powers())),
        Value::Text(text) => Some(Sample::Text(text.clone())),
        Value::Bool(flag) => Some(Sample::Text(flag.to_string())),
        Value::List(_) => None,
    }
}

/// Checks a study against its design, `text`, which was read and placed; `shard` is from 1, of how many.
///
/// # Errors
/// D349 for variables and outputs that aren't there, and what is wrong with formulas.
pub fn prepare<'s>(
    study: &'s Study,
    (text, design, chip): (&str, &Design, &Chip),
    shard: (usize, usize),
) -> Result<Prepared<'s>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let named = study
        .ranges
        .iter()
        .map(|range| (&range.name, Some(range.powers)));
    let strays = study.uncertainty.iter().map(|one| match one.size {
        Size::Relative(_) => (&one.name, None),
        Size::Absolute(_, powers) => (&one.name, Some(powers)),
    });
    for (name, powers) in named.chain(strays) {
        let Some(variable) = design.parametric.variable(name) else {
            let variables = design.parametric.variables.iter().map(|v| v.name.as_str());
            let fault = Diagnostic::error(MISFIT, format!("the design has no variable `{name}`"));
            faults.push(match nearest(name, variables) {
                Some(near) => fault.with_help(format!("did you mean `{near}`?")),
                None => fault.with_help("add it to its [variables]"),
            });
            continue;
        };
        let of: Option<Powers> = match nominal(design, &variable.name) {
            Some(Sample::Amount(_, powers)) => Some(powers),
            _ => None,
        };
        if let (Some(wanted), Some(got)) = (of, powers)
            && wanted != got
        {
            faults.push(Diagnostic::error(
                MISFIT,
                format!("`{name}` measures something else in the design than in the study"),
            ));
        }
    }
    for uncertain in &study.uncertainty {
        let range = study.ranges.iter().find(|r| r.name == uncertain.name);
        let is_number = |value: &Sample| value.number().is_some();
        if range.is_some_and(|range| !range.values.iter().all(is_number)) {
            let message = format!(
                "`{}` has values that are no numbers to stray from",
                uncertain.name
            );
            faults.push(Diagnostic::error(MISFIT, message));
        }
    }
    let catalogue = Catalogue::new(design, chip);
    let mut outputs = Vec::new();
    for (name, formula) in &study.outputs {
        match catalogue.output(name, formula) {
            Ok(output) if study.ports_only && Catalogue::needs_fields(&output) => {
                faults.push(Diagnostic::error(
                    MISFIT,
                    format!("`{name}` needs fields, which `ports_only = true` leaves out"),
                ));
            }
            Ok(output) => outputs.push(output),
            Err(fault) => faults.push(fault),
        }
    }
    if study.outputs.is_empty() {
        outputs = catalogue.usual();
    }
    let plan = Plan::new(study, &|name| nominal(design, name));
    let plan = match plan {
        Ok(plan) if faults.is_empty() => plan,
        Ok(_) => return Err(faults),
        Err(name) => {
            let message = format!("`{name}` has no number in the design to stray from");
            faults.push(Diagnostic::error(MISFIT, message));
            return Err(faults);
        }
    };
    let powers_of = |name: &String| {
        let range = study.ranges.iter().find(|range| range.name == *name);
        let powers = range.map(|range| range.powers);
        powers.unwrap_or_else(|| match nominal(design, name) {
            Some(Sample::Amount(_, powers)) => powers,
            _ => [0; 5],
        })
    };
    let variables = plan.variables().iter();
    let variables = variables.map(|name| head(name, powers_of(name)));
    let strays = study.uncertainty.iter().map(|one| &one.name);
    let strays = strays.map(|name| head(&format!("{name} nominal"), powers_of(name)));
    let made_of = (env!("CARGO_PKG_VERSION"), study, text, chip);
    let header = Header {
        study: 1,
        key: format!(
            "{:032x}",
            Hasher::new(Domain::Study).printed(&made_of).finish().0
        ),
        points: plan.len(),
        shard,
        variables: variables.chain(strays).collect(),
        n_nominal: study.uncertainty.len(),
        has_resolution: !study.resolution.is_empty(),
        outputs: outputs.iter().map(Output::head).collect(),
    };
    Ok(Prepared {
        plan,
        outputs,
        header,
    })
}
