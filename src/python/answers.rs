//! What is asked of a design rather than of one solve: derivatives of its results, and values of its variables that meet goals.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stokeslet_base::units::to_digits;
use stokeslet_cad::library::Library;
use stokeslet_flow::session::SolveSettings;
use stokeslet_study::fit::{Fit, FitError, Goal, Varied};
use stokeslet_study::output::{Catalogue, Output};
use stokeslet_study::sample::{SampleError, Sampler};
use stokeslet_study::sensitivity::{Context, sensitivities};
use stokeslet_study::study::Sample;

use crate::work::{TABLE, check_resolution, wanted, with_signals};
use crate::{SolveError, design_error, read, settings};

/// Name, value (SI) and derivatives by output, of one parameter; why there are none, where it can't be moved.
type Row = (String, f64, Option<Vec<Option<f64>>>, Option<String>);

/// Names and values of results, and a row for each parameter.
type Derived = (Vec<String>, Vec<Option<f64>>, Vec<Row>);

/// Values of variables as texts, what is left of each goal, and whether all are met.
type Met = (BTreeMap<String, String>, Vec<Option<f64>>, bool);

fn failed(py: Python<'_>, error: &SampleError, text: &str) -> PyErr {
    match error {
        SampleError::Design(mistakes) => design_error(py, mistakes, text),
        other => SolveError::new_err(other.to_string()),
    }
}

/// Derivatives of results to every number of a design. Returns names and values of the results, and a row for each parameter.
#[pyfunction]
#[pyo3(signature = (text, name, variables, of, resolution=None))]
pub fn sensitivity(
    py: Python<'_>,
    text: &str,
    name: &str,
    variables: BTreeMap<String, String>,
    of: Vec<String>,
    resolution: Option<u32>,
) -> PyResult<Derived> {
    check_resolution(resolution)?;
    let (placed, mistakes) = read(text, name, &variables, None);
    let (mut design, chip) = placed.ok_or_else(|| design_error(py, &mistakes, text))?;
    design.resolution = resolution.or(design.resolution);
    let catalogue = Catalogue::new(&design, &chip);
    let outputs: Vec<Output> = match of.is_empty() {
        true => catalogue.answers(&chip),
        false => of
            .iter()
            .map(|text| catalogue.output(text, text))
            .collect::<Result<_, _>>()
            .map_err(|mistake| PyValueError::new_err(mistake.to_string()))?,
    };
    let how = SolveSettings {
        wanted: wanted(outputs.iter().any(Catalogue::needs_fields)),
        ..SolveSettings::default()
    };
    let (library, set) = (Library::embedded(), settings(&variables));
    let found = with_signals(py, None, |cancel| {
        let context = Context {
            text,
            set: &set,
            library: &library,
            settings: &how,
            table: &TABLE,
            cancel,
        };
        sensitivities(&design, &outputs, &context)
    })?;
    let found = found.map_err(|error| failed(py, &error, text))?;
    let rows = found.parameters.into_iter().zip(found.derivatives);
    let rows = rows.map(|(parameter, derivatives)| {
        let (derivatives, why) = match derivatives {
            Ok(derivatives) => (Some(derivatives), None),
            Err(why) => (None, Some(why)),
        };
        (parameter.name, parameter.value, derivatives, why)
    });
    let names = outputs.into_iter().map(|output| output.name).collect();
    Ok((names, found.values, rows.collect()))
}

/// Values of variables that meet goals, as texts, with what is left of each goal and whether all are met.
#[pyfunction]
#[pyo3(signature = (text, name, variables, vary, goals, resolution=None))]
pub fn fit(
    py: Python<'_>,
    text: &str,
    name: &str,
    variables: BTreeMap<String, String>,
    vary: BTreeMap<String, Option<(String, String)>>,
    goals: Vec<String>,
    resolution: Option<u32>,
) -> PyResult<Met> {
    check_resolution(resolution)?;
    let (placed, mistakes) = read(text, name, &variables, None);
    let (design, chip) = placed.ok_or_else(|| design_error(py, &mistakes, text))?;
    let catalogue = Catalogue::new(&design, &chip);
    let goals: Vec<Goal> = goals
        .iter()
        .map(|goal| Goal::parse(goal, &catalogue))
        .collect::<Result<_, _>>()
        .map_err(|mistake| PyValueError::new_err(mistake.to_string()))?;
    let mut varied = Vec::new();
    for (name, bounds) in &vary {
        let mut one = Varied::about(&design, name).map_err(PyValueError::new_err)?;
        if let Some((low, high)) = bounds {
            one.bounds = match (Sample::parse(low), Sample::parse(high)) {
                (Sample::Amount(a, of_a), Sample::Amount(b, of_b))
                    if of_a == one.powers && of_b == one.powers && a < b =>
                {
                    (a, b)
                }
                _ => {
                    let message = format!("`{low}` and `{high}` are no bounds of `{name}`");
                    return Err(PyValueError::new_err(message));
                }
            };
        }
        varied.push(one);
    }
    let how = SolveSettings {
        wanted: wanted(goals.iter().any(Goal::needs_fields)),
        ..SolveSettings::default()
    };
    let (library, set) = (Library::embedded(), settings(&variables));
    let sampler = Sampler::new((text, name), &library, how, &TABLE);
    let fitted = with_signals(py, None, |cancel| {
        let fit = Fit {
            sampler: &sampler,
            set: &set,
            varied: &varied,
            goals: &goals,
            resolution,
            cancel,
        };
        fit.run(&mut |_, _| {})
    })?;
    let fitted = fitted.map_err(|error| match error {
        FitError::Sample(error) => failed(py, &error, text),
        other => PyValueError::new_err(other.to_string()),
    })?;
    let values = varied.iter().zip(&fitted.values).map(|(one, &value)| {
        let value = Sample::Amount(to_digits(value, 10), one.powers);
        (one.name.clone(), value.to_text())
    });
    Ok((values.collect(), fitted.misses, fitted.is_met))
}
