//! A solved chip with arrays that numpy owns.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::{Line, Sampler};
use stokeslet_flow::quantities;
use stokeslet_flow::session::Solution;
use stokeslet_study::sample::Sampled;

use crate::SolveError;

/// Species, port, mean concentration, mixing index, estimated error.
type SpeciesRow = (String, String, Option<f64>, Option<f64>, Option<f64>);

/// A solved chip.
#[pyclass(module = "stokeslet._core", frozen)]
pub struct Result {
    sampled: Sampled,
    resolution: u32,
    arrays: [PyOnceLock<Py<PyAny>>; 4],
}

impl Result {
    pub(crate) fn new(sampled: Sampled, resolution: u32) -> Self {
        Self {
            sampled,
            resolution,
            arrays: [const { PyOnceLock::new() }; 4],
        }
    }

    /// An array that is made once: numpy takes over the numbers, read-only.
    fn array<'py>(
        &self,
        py: Python<'py>,
        which: usize,
        make: impl FnOnce(&Solution) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.arrays[which].get_or_try_init(py, || {
            let array = make(&self.sampled.solution)?;
            array.getattr("flags")?.setattr("writeable", false)?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(array.bind(py).clone())
    }
}

/// Rows of `width`.
fn rows<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    width: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let n = values.len() / width;
    Ok(values.into_pyarray(py).reshape([n, width])?.into_any())
}

fn flat(points: &[Point]) -> Vec<f64> {
    points.iter().flat_map(|p| [p.x, p.y]).collect()
}

#[pymethods]
impl Result {
    /// Ports: name, kind of condition, flow rate into the chip, the pressure that does the work, the mean of the field's.
    #[getter]
    fn port_rows(&self) -> Vec<(String, String, f64, f64, f64)> {
        let ports = self.sampled.solution.ports.iter();
        ports
            .map(|port| {
                let kind = stokeslet_flow::export::csv::kind_name(port.kind).to_owned();
                let (pressure, mean) = (port.pressure, port.mean_pressure);
                (port.id.clone(), kind, port.flow_rate, pressure, mean)
            })
            .collect()
    }

    /// Unit of flow rates: m^3/s where the chip has a depth, else m^2/s.
    #[getter]
    fn flow_unit(&self) -> &'static str {
        match self.sampled.chip.depth {
            Some(_) => "m^3/s",
            None => "m^2/s",
        }
    }

    /// Flow into each port for unit pressure at each.
    #[getter]
    fn conductance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let matrix = &self.sampled.solution.conductance.matrix;
        let values: Vec<f64> = matrix.iter().flatten().copied().collect();
        rows(py, values, matrix.len().max(1))
    }

    /// Nodes of the mesh, m.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, 0, |s| rows(py, flat(&s.fields.nodes), 2))
    }

    /// Quadratic triangles: three vertices, then the middles of edges 01, 12, 20.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, 1, |s| {
            let nodes = s.fields.cells.iter().flatten().map(|&n| n as i32);
            rows(py, nodes.collect(), 6)
        })
    }

    /// At the nodes, m/s.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, 2, |s| rows(py, flat(&s.fields.velocity), 2))
    }

    /// At the nodes, Pa.
    #[getter]
    fn pressure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, 3, |s| {
            Ok(s.fields.pressure.clone().into_pyarray(py).into_any())
        })
    }

    /// A quantity at the nodes, by its name: speed, pressure, shear_rate.
    fn quantity<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let fields = &self.sampled.solution.fields;
        let values = quantities::named(name).and_then(|q| q.at_nodes(fields));
        match values {
            Some(values) => Ok(values.into_pyarray(py)),
            None => {
                let names: Vec<&str> = quantities::inside().map(|q| q.name).collect();
                let message = format!("no quantity `{name}`: there are {}", names.join(", "));
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// What is dissolved, at the ports: species, port, mean concentration, mixing index, estimated error of the mean.
    fn species(&self, py: Python<'_>) -> PyResult<Vec<SpeciesRow>> {
        let found = py.detach(|| self.sampled.species());
        let found = found
            .as_ref()
            .map_err(|error| SolveError::new_err(error.to_string()))?;
        let rows = found.iter().flat_map(|species| {
            species.ports.iter().map(|port| {
                let (name, at) = (species.name.clone(), port.port.clone());
                (name, at, port.mean, port.mixing_index, port.error)
            })
        });
        Ok(rows.collect())
    }

    /// Velocity (n, 2) and pressure (n) at points; not a number outside the flow.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        points: Vec<[f64; 2]>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>)> {
        let (velocity, pressure) = py.detach(|| {
            let sampler = Sampler::new(&self.sampled.solution.fields);
            let mut velocity = Vec::with_capacity(2 * points.len());
            let mut pressure = Vec::with_capacity(points.len());
            for [x, y] in points {
                let at = sampler.at(Point::new(x, y));
                let (v, p) = at.map_or((Point::new(f64::NAN, f64::NAN), f64::NAN), |s| {
                    (s.velocity, s.pressure)
                });
                velocity.extend([v.x, v.y]);
                pressure.push(p);
            }
            (velocity, pressure)
        });
        Ok((rows(py, velocity, 2)?, pressure.into_pyarray(py)))
    }

    /// Points of a line from one point to another.
    fn line_points<'py>(
        &self,
        py: Python<'py>,
        from: [f64; 2],
        to: [f64; 2],
        n: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let line = Line {
            from: Point::new(from[0], from[1]),
            to: Point::new(to[0], to[1]),
            n,
        };
        let step = line.to - line.from;
        let last = n.saturating_sub(1).max(1) as f64;
        let points: Vec<Point> = (0..n)
            .map(|k| line.from + step * (k as f64 / last))
            .collect();
        rows(py, flat(&points), 2)
    }

    /// Numbers of the whole chip: peak speed and wall shear, and what the solve took and reached.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (s, dict) = (&self.sampled.solution, PyDict::new(py));
        dict.set_item("design", &self.sampled.chip.name)?;
        dict.set_item("model", self.sampled.chip.model.name())?;
        dict.set_item("resolution", self.resolution)?;
        dict.set_item("unknowns", s.report.unknowns)?;
        dict.set_item("relative_residual", s.report.relative_residual)?;
        dict.set_item("mass_imbalance", s.report.mass_imbalance)?;
        dict.set_item("seconds", s.report.timings.total)?;
        dict.set_item("max_speed", s.max_speed.map(|m| m.0))?;
        dict.set_item("wall_shear_min", s.wall_shear.map(|w| w.min))?;
        dict.set_item("wall_shear_mean", s.wall_shear.map(|w| w.mean))?;
        dict.set_item("wall_shear_max", s.wall_shear.map(|w| w.max))?;
        dict.set_item("floor_shear_mean", s.floor_shear.map(|f| f.mean))?;
        dict.set_item("floor_shear_max", s.floor_shear.map(|f| f.max))?;
        Ok(dict)
    }
}
