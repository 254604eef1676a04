//! The compiled half of the Python package `stokeslet`: texts of designs in, results with numpy arrays out.
//!
//! What reads like Python is in `python/stokeslet/__init__.py`; here is what needs the solver. Solves run on threads of their own, without the
//! interpreter's lock, while the calling thread looks for Ctrl-C.

mod answers;
mod result;
mod work;

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stokeslet_base::diagnostic::{Diagnostic, Severity, line_and_column};
use stokeslet_cad::chip::{Chip, place};
use stokeslet_cad::design::{DepthModel, Design, Setting, parse_with, print};
use stokeslet_cad::import;
use stokeslet_cad::library::{Library, process_text};
use stokeslet_cad::outline::{Format, Outlines, Settings, write};
use stokeslet_cad::rules::{self, read_process};

use work::Session;

pyo3::create_exception!(
    stokeslet,
    DesignError,
    pyo3::exceptions::PyValueError,
    "A design has mistakes; see its attribute `diagnostics`."
);
pyo3::create_exception!(
    stokeslet,
    SolveError,
    pyo3::exceptions::PyRuntimeError,
    "A chip that can't be solved."
);

/// Settings of variables as Python gives them.
pub(crate) fn settings(variables: &BTreeMap<String, String>) -> Vec<Setting> {
    let one = |(name, value): (&String, &String)| Setting {
        name: name.clone(),
        value: value.clone(),
    };
    variables.iter().map(one).collect()
}

/// The exception of a design's mistakes, with all of them as its attribute.
pub(crate) fn design_error(py: Python<'_>, mistakes: &[Diagnostic], text: &str) -> PyErr {
    let errors = mistakes.iter().filter(|m| m.severity == Severity::Error);
    let lines: Vec<String> = errors.map(|m| m.to_string()).collect();
    let error = DesignError::new_err(lines.join("\n"));
    let kept =
        describe(py, mistakes, text).and_then(|list| error.value(py).setattr("diagnostics", list));
    match kept {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Diagnostics as dictionaries.
fn describe<'py>(
    py: Python<'py>,
    mistakes: &[Diagnostic],
    text: &str,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let one = |mistake: &Diagnostic| {
        let dict = PyDict::new(py);
        dict.set_item("code", mistake.code)?;
        dict.set_item("severity", mistake.severity.to_string())?;
        dict.set_item("message", &mistake.message)?;
        dict.set_item("help", mistake.help.as_deref())?;
        dict.set_item("component", mistake.place.component.as_deref())?;
        let line = mistake
            .place
            .span
            .as_ref()
            .map(|span| line_and_column(text, span.start).0);
        dict.set_item("line", line)?;
        Ok(dict)
    };
    mistakes.iter().map(one).collect()
}

/// Reads and places; with the diagnostics, warnings too.
pub(crate) fn read(
    text: &str,
    name: &str,
    variables: &BTreeMap<String, String>,
    model: Option<&str>,
) -> (Option<(Design, Chip)>, Vec<Diagnostic>) {
    let (design, mut mistakes) = parse_with(text, name, &settings(variables));
    let Some(mut design) = design else {
        return (None, mistakes);
    };
    if let Some(model) = model {
        match DepthModel::of_name(model) {
            Some(model) if !model.needs_depth() || design.depth.is_some() => design.model = model,
            Some(_) => {
                let message = format!("the {model} model needs the chip's depth");
                mistakes.push(Diagnostic::error("D401", message));
                return (None, mistakes);
            }
            None => {
                mistakes.push(Diagnostic::error(
                    "D012",
                    format!("there is no model `{model}`"),
                ));
                return (None, mistakes);
            }
        }
    }
    let (chip, placed) = place(&design, &Library::embedded());
    mistakes.extend(placed);
    (chip.map(|chip| (design, chip)), mistakes)
}

/// All diagnostics of a design, warnings too, as dictionaries; with the text of a process also what it can't make.
#[pyfunction]
#[pyo3(signature = (text, name, variables, process=None))]
fn check<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    variables: BTreeMap<String, String>,
    process: Option<&str>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let (read, mut mistakes) = read(text, name, &variables, None);
    if let (Some((design, chip)), Some(process)) = (read, process) {
        let process = read_process(process).map_err(|faults| design_error(py, &faults, process))?;
        match rules::check(&design, &chip, &process) {
            Ok(violations) => {
                mistakes.extend(violations.iter().map(|v| v.diagnostic(&process)));
            }
            Err(faults) => mistakes.extend(faults),
        }
    }
    describe(py, &mistakes, text)
}

/// The text of a process that came with the program.
#[pyfunction]
fn process(name: &str) -> PyResult<String> {
    let found = process_text(name, None).map(|(text, _)| text);
    found.map_err(|fault| pyo3::exceptions::PyValueError::new_err(fault.to_string()))
}

/// Another program's file (ParchMint, 3DuF, MMFT, a network) as a design file, and what was noticed on the way.
#[pyfunction]
fn import_text<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
) -> PyResult<(String, Vec<Bound<'py, PyDict>>)> {
    let library = Library::embedded();
    let (imported, notes) = import::read(text, name, &library, &import::Options::default());
    let has_errors = notes.iter().any(|n| n.severity == Severity::Error);
    match imported {
        Some(imported) if !has_errors => Ok((imported.text, describe(py, &notes, text)?)),
        _ => Err(design_error(py, &notes, text)),
    }
}

/// A design in canonical form, with variables set.
#[pyfunction]
fn canonical(
    py: Python<'_>,
    text: &str,
    name: &str,
    variables: BTreeMap<String, String>,
) -> PyResult<String> {
    let (design, mistakes) = parse_with(text, name, &settings(&variables));
    design
        .map(|design| print(&design))
        .ok_or_else(|| design_error(py, &mistakes, text))
}

/// The variables of a design: name, and value as text in TOML.
#[pyfunction]
fn variables(py: Python<'_>, text: &str, name: &str) -> PyResult<Vec<(String, String)>> {
    let (design, mistakes) = parse_with(text, name, &[]);
    let design = design.ok_or_else(|| design_error(py, &mistakes, text))?;
    Ok(design
        .parametric
        .variables
        .into_iter()
        .map(|v| (v.name, v.source))
        .collect())
}

/// The outlines of a design in one of the formats dxf, gds, stl, mask, parchmint.
#[pyfunction]
fn outlines(
    py: Python<'_>,
    text: &str,
    name: &str,
    variables: BTreeMap<String, String>,
    format: &str,
) -> PyResult<Vec<u8>> {
    let (read, mistakes) = read(text, name, &variables, None);
    let Some((design, chip)) = read else {
        return Err(design_error(py, &mistakes, text));
    };
    let format = Format::from_name(format).ok_or_else(|| {
        pyo3::exceptions::PyValueError::new_err(format!("there is no format `{format}`"))
    })?;
    let outlines = Outlines::new(&chip).with_design(&design, &Library::embedded());
    write(format, &outlines, &Settings::default())
        .map_err(|error| SolveError::new_err(error.to_string()))
}

/// The component library: name, family and one line of each.
#[pyfunction]
fn components() -> Vec<(String, String, String)> {
    let library = Library::embedded();
    let definitions = library.definitions();
    let one =
        |d: &stokeslet_cad::library::Definition| (d.name.clone(), d.family.clone(), d.doc.clone());
    definitions.iter().map(|d| one(d)).collect()
}

/// Values from one quantity to another, evenly spaced, as texts that read back as the same bits.
#[pyfunction]
fn linspace(start: &str, stop: &str, count: usize) -> PyResult<Vec<String>> {
    use stokeslet_study::study::{Sample, Scale, between};
    match (Sample::parse(start), Sample::parse(stop)) {
        (Sample::Amount(from, powers), Sample::Amount(to, others)) if powers == others => {
            let range = between("", from, to, count.min(10_000_000), Scale::Linear, powers);
            Ok(range.values.iter().map(Sample::to_text).collect())
        }
        _ => Err(pyo3::exceptions::PyValueError::new_err(format!(
            "`{start}` and `{stop}` are not two quantities of one kind"
        ))),
    }
}

/// The compiled half of the package.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DesignError", module.py().get_type::<DesignError>())?;
    module.add("SolveError", module.py().get_type::<SolveError>())?;
    module.add_class::<Session>()?;
    module.add_class::<result::Result>()?;
    module.add_class::<work::Sampler>()?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(process, module)?)?;
    module.add_function(wrap_pyfunction!(import_text, module)?)?;
    module.add_function(wrap_pyfunction!(answers::sensitivity, module)?)?;
    module.add_function(wrap_pyfunction!(answers::fit, module)?)?;
    module.add_function(wrap_pyfunction!(canonical, module)?)?;
    module.add_function(wrap_pyfunction!(variables, module)?)?;
    module.add_function(wrap_pyfunction!(outlines, module)?)?;
    module.add_function(wrap_pyfunction!(components, module)?)?;
    module.add_function(wrap_pyfunction!(linspace, module)?)?;
    Ok(())
}
