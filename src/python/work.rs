//! What solves: a chip that was eliminated once and is asked again, and a design that is solved at many values.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_base::units::{Dimension, parse_quantity};
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_cad::design::Design;
use stokeslet_cad::library::Library;
use stokeslet_flow::session::{
    Eliminated, Solution, SolveError as Failure, SolveSettings, WantedResults, eliminate, silent,
    solve,
};
use stokeslet_study::sample::{SampleError, Sampled, Sampler as Inner};

use crate::result::Result;
use crate::{SolveError, design_error, read, settings};

/// Results of earlier solves, for all of the interpreter's.
pub(crate) static TABLE: LazyLock<Table> = LazyLock::new(Table::default);

/// Ctrl-C is heard within this time.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own without the interpreter's lock; Ctrl-C cancels it.
pub(crate) fn with_signals<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&CancelToken) -> T + Send,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| SolveError::new_err(error.to_string()))?;
    let cancel = CancelToken::new();
    let token = cancel.clone();
    let (result, interrupted) = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let pool = &pool;
            let worker = scope.spawn(move || {
                let result = pool.install(|| work(&token));
                // Nobody listens only where the other side panicked.
                let _ = sender.send(());
                result
            });
            let mut interrupted = None;
            while receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    interrupted = Some(error);
                    cancel.cancel();
                }
            }
            (worker.join(), interrupted)
        })
    });
    match (result, interrupted) {
        (_, Some(error)) => Err(error),
        (Ok(result), None) => Ok(result),
        (Err(_), None) => Err(SolveError::new_err("internal error, please report it")),
    }
}

fn failed(error: &Failure) -> PyErr {
    SolveError::new_err(error.to_string())
}

pub(crate) fn wanted(fields: bool) -> WantedResults {
    match fields {
        true => WantedResults::All,
        false => WantedResults::PortsOnly,
    }
}

/// A chip that keeps its elimination: other values at its ports cost a substitution.
#[pyclass(module = "stokeslet._core")]
pub struct Session {
    design: Design,
    chip: Chip,
    settings: SolveSettings,
    threads: Option<usize>,
    eliminated: Option<Arc<dyn Eliminated>>,
}

impl Session {
    fn result(&self, solution: Solution) -> Result {
        let (design, chip) = (self.design.clone(), self.chip.clone());
        let sampled = Sampled::new(design, chip, solution, &CancelToken::new());
        Result::new(sampled, self.settings.resolution)
    }
}

#[pymethods]
impl Session {
    /// Reads and places the design.
    #[new]
    #[pyo3(signature = (text, name, variables, resolution=None, model=None, fields=true, threads=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "these are the keyword arguments of a Python function"
    )]
    fn new(
        py: Python<'_>,
        text: &str,
        name: &str,
        variables: BTreeMap<String, String>,
        resolution: Option<u32>,
        model: Option<&str>,
        fields: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (read, mistakes) = read(text, name, &variables, model);
        let (design, chip) = read.ok_or_else(|| design_error(py, &mistakes, text))?;
        let resolution = resolution.or(design.resolution);
        check_resolution(resolution)?;
        let usual = SolveSettings::default();
        Ok(Self {
            design,
            chip,
            settings: SolveSettings {
                resolution: resolution.unwrap_or(usual.resolution),
                wanted: wanted(fields),
                ..usual
            },
            threads,
            eliminated: None,
        })
    }

    /// Solves once, keeping nothing.
    fn solve_once(&self, py: Python<'_>) -> PyResult<Result> {
        let (chip, settings) = (&self.chip, &self.settings);
        let solved = with_signals(py, self.threads, |cancel| {
            solve(chip, settings, &TABLE, &silent, cancel)
        })?;
        let solution = solved.map_err(|error| failed(&error))?;
        Ok(self.result(solution))
    }

    /// Solves; the elimination is kept for the next time.
    fn solve(&mut self, py: Python<'_>) -> PyResult<Result> {
        let (chip, settings) = (&self.chip, &self.settings);
        let known = self.eliminated.clone();
        type Solved = std::result::Result<(Arc<dyn Eliminated>, Solution), Failure>;
        let solved: Solved = with_signals(py, self.threads, |cancel| {
            let eliminated = match known {
                Some(eliminated) => eliminated,
                None => eliminate(chip, settings, &TABLE, &silent, cancel)?.into(),
            };
            let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
            let solution = eliminated.solve(&conditions, &silent, cancel)?;
            Ok((eliminated, solution))
        })?;
        let (eliminated, solution) = solved.map_err(|error| failed(&error))?;
        self.eliminated = Some(eliminated);
        Ok(self.result(solution))
    }

    /// Sets what holds at a port: a quantity such as "30 mbar" or "5 uL/min".
    fn set_port(&mut self, name: &str, value: &str) -> PyResult<()> {
        let depth = self.chip.depth;
        let part = self.chip.ports.iter().find(|port| port.name == name);
        let ratio = part.map_or(1.0, |port| self.chip.depth_ratio(port.socket.part));
        let port = self.chip.ports.iter_mut().find(|port| port.name == name);
        let port =
            port.ok_or_else(|| PyValueError::new_err(format!("there is no port `{name}`")))?;
        let read =
            parse_quantity(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let condition = match (read, depth) {
            ((value, Dimension::Pressure), _) => Condition::Pressure(value),
            // Per metre of depth there; conditions are per metre of the chip's.
            ((value, Dimension::FlowRatePerDepth), _) => Condition::FlowRate(value * ratio),
            ((value, Dimension::FlowRate), Some(depth)) => Condition::FlowRate(value / depth),
            _ => {
                let message =
                    format!("`{value}` is neither a pressure nor a flow rate of this chip");
                return Err(PyValueError::new_err(message));
            }
        };
        if std::mem::discriminant(&condition) != std::mem::discriminant(&port.condition) {
            self.eliminated = None;
        }
        port.condition = condition;
        Ok(())
    }
}

/// A design that is solved at many values of its variables, by as many threads as like to; results are shared between solves.
#[pyclass(module = "stokeslet._core", frozen)]
pub struct Sampler {
    text: String,
    name: String,
    fields: bool,
    resolution: Option<u32>,
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (text, name, resolution=None, fields=false))]
    fn new(text: String, name: String, resolution: Option<u32>, fields: bool) -> PyResult<Self> {
        check_resolution(resolution)?;
        Ok(Self {
            text,
            name,
            fields,
            resolution,
        })
    }

    /// Solves at these values of variables, on one thread.
    fn solve(&self, py: Python<'_>, variables: BTreeMap<String, String>) -> PyResult<Result> {
        let usual = SolveSettings::default();
        let how = SolveSettings {
            wanted: wanted(self.fields),
            ..usual.clone()
        };
        let library = Library::embedded();
        let inner = Inner::new((&self.text, &self.name), &library, how, &TABLE);
        let set = settings(&variables);
        let solved = with_signals(py, Some(1), |cancel| {
            inner.solve(&set, (self.resolution, None), cancel)
        })?;
        match solved {
            Ok(sampled) => {
                let resolution = self.resolution.or(sampled.design.resolution);
                let resolution = resolution.unwrap_or(usual.resolution);
                Ok(Result::new(sampled, resolution))
            }
            Err(SampleError::Design(mistakes)) => Err(design_error(py, &mistakes, &self.text)),
            Err(error) => Err(SolveError::new_err(error.to_string())),
        }
    }
}

/// Refuses what nobody can solve.
///
/// # Errors
/// `ValueError`.
pub fn check_resolution(resolution: Option<u32>) -> PyResult<()> {
    match resolution.filter(|r| !(2..=512).contains(r)) {
        Some(bad) => Err(PyValueError::new_err(format!(
            "a resolution of {bad} is not from 2 to 512"
        ))),
        None => Ok(()),
    }
}
