//! A chip eliminated by block rows, as the thesis has it: cut, plan, eliminate; then substitute, refine, measure.

use std::sync::Arc;
use std::time::Instant;

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::parallel;
use stokeslet_base::table::{Caching, Table};
use stokeslet_cad::chip::{Chip, Condition, Port};
use stokeslet_cad::design::DepthModel;
use stokeslet_flow::field::Field;
use stokeslet_flow::field::floor_shear::Floors;
use stokeslet_flow::field::ports::{PortValues, gives_flow};
use stokeslet_flow::session;
use stokeslet_flow::session::conductances::conductances;
use stokeslet_flow::session::measure::{
    Stillness, check_balance, fastest, mass_imbalance, port_results, set_still,
};
use stokeslet_flow::session::{
    Conductance, Eliminated, Job, Method, Progress, Solution, SolveError, SolveReport,
    SolveSettings, Stage, Timings, WantedResults, check_conditions, silent,
};

use crate::assemble::{BlockMatrices, block_system};
use crate::blocks::{BlockModel, CutError, cut};
use crate::boundary::{PortLine, add_port, port_line};
use crate::elimination::order::EliminateSettings;
use crate::elimination::substitution::{self, Wanted};
use crate::elimination::{Elimination, EliminationError, Leaves, RunSettings, eliminate};
use crate::fields::fields;
use crate::ports::port_values;
use crate::residual::{Data, Residuals, Rows};
use crate::wall_shear::wall_shear;

/// Which block row owns the unknowns on the connection of two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Each connection is a block row of its own and the blocks keep their interiors.
    Connections,
    /// The thesis's rule: each connection is split evenly between its two blocks.
    EvenSplit,
}

/// Block rows of the whole chip, in the plane: neighbours in pipes by cyclic reduction, then separators in COLAMD order.
///
/// # Source
/// Ding 2019, chapter 4.
#[derive(Clone, Copy, Debug)]
pub struct BlockRows {
    /// Who owns the unknowns between two blocks.
    pub ownership: Ownership,
}

/// As the thesis has it.
pub static EVEN_SPLIT: BlockRows = BlockRows {
    ownership: Ownership::EvenSplit,
};

/// The same with whole connections: smaller rows.
pub static CONNECTIONS: BlockRows = BlockRows {
    ownership: Ownership::Connections,
};

impl Method for BlockRows {
    fn name(&self) -> &'static str {
        match self.ownership {
            Ownership::EvenSplit => "thesis",
            Ownership::Connections => "thesis-connections",
        }
    }

    fn eliminate(&self, chip: &Chip, job: &Job<'_>) -> Result<Box<dyn Eliminated>, SolveError> {
        if chip.model == DepthModel::Full {
            return Err(SolveError::PlaneOnly {
                what: "the thesis's method of block rows",
            });
        }
        if chip.parts.iter().any(|part| part.walls.can_slip()) {
            return Err(SolveError::SlipWalls {
                what: "the thesis's method of block rows",
            });
        }
        if chip.connections.iter().any(|joint| chip.is_free(joint)) {
            return Err(SolveError::Links {
                what: "the thesis's method of block rows",
            });
        }
        if chip.has_depths() {
            return Err(SolveError::Depths {
                what: "the thesis's method of block rows",
            });
        }
        let start = Instant::now();
        let mut report = SolveReport {
            method: self.name(),
            ..SolveReport::default()
        };
        let model = cut_chip(chip, self.ownership, job, &mut report)?;
        let mut kept = Kept::new(chip, Arc::new(model), job, report)?;
        let clock = Instant::now();
        kept.conductance = kept.conductances();
        kept.report.timings.results = clock.elapsed().as_secs_f64();
        kept.report.timings.total = start.elapsed().as_secs_f64();
        Ok(Box::new(kept))
    }
}

/// Cuts a chip and counts what came out.
fn cut_chip(
    chip: &Chip,
    ownership: Ownership,
    job: &Job<'_>,
    report: &mut SolveReport,
) -> Result<BlockModel, SolveError> {
    (job.progress)(Stage::Mesh, 0.0);
    let clock = Instant::now();
    let settings = job.settings;
    let cut = cut(chip, settings.resolution, settings.corners, ownership);
    let model = cut.map_err(|CutError { part, error }| SolveError::Mesh {
        part: chip.parts[part].name.clone(),
        reason: error.to_string(),
    })?;
    report.timings.mesh = clock.elapsed().as_secs_f64();
    report.unknowns = model.n_unknowns;
    report.blocks = Some(model.counts);
    report.canonical_blocks = model.kinds.len();
    Ok(model)
}

/// An eliminated chip: solves for any data on its ports.
struct Kept {
    ports: Vec<Port>,
    /// Flow in the unit of results over flow per metre of depth.
    unit: f64,
    floors: Floors,
    model: Arc<BlockModel>,
    residuals: Residuals,
    elimination: Elimination,
    lines: Vec<PortLine>,
    connected_components: Vec<u32>,
    singular_connected_components: Vec<bool>,
    stillness: Stillness,
    settings: SolveSettings,
    conductance: Conductance,
    report: SolveReport,
}

impl Eliminated for Kept {
    fn conductance(&self) -> &Conductance {
        &self.conductance
    }

    fn report(&self) -> &SolveReport {
        &self.report
    }

    fn alike(
        &self,
        chip: &Chip,
        table: &Table,
        cancel: &CancelToken,
    ) -> Result<Option<Box<dyn Eliminated>>, SolveError> {
        let made = session::eliminate(chip, &self.settings, table, &silent, cancel)?;
        let is_alike = made.report().unknowns == self.report.unknowns;
        Ok(is_alike.then_some(made))
    }

    fn solve(
        &self,
        conditions: &[Condition],
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<Solution, SolveError> {
        let start = Instant::now();
        let free = self.free_connected_components();
        check_conditions(&self.ports, &free, conditions)?;
        let mut report = self.report.clone();
        report.timings = Timings::default();

        progress(Stage::BackSubstitute, 0.0);
        let data = self.port_data(conditions.iter().map(|c| c.value()));
        let mut rows = self.refine(&data, cancel, &mut report)?;
        report.timings.back_substitute = start.elapsed().as_secs_f64();

        progress(Stage::Results, 0.0);
        let clock = Instant::now();
        let mut values = self.see(&rows, &data, conditions);
        if free.iter().any(Option::is_some) {
            // Only differences of pressure are known: the lowest pressure of a port is the stated zero.
            let known = values.iter().zip(&free).filter(|v| v.1.is_some());
            let lowest = known
                .map(|v| v.0.work_pressure)
                .fold(f64::INFINITY, f64::min);
            self.shift_pressure(&mut rows, -lowest);
            values = self.see(&rows, &data, conditions);
        }
        report.mass_imbalance = mass_imbalance(&values);
        let is_still = self.stillness.is_still(conditions);
        if !is_still {
            check_balance(report.mass_imbalance)?;
        }
        let (wall_shear, floor_shear, fields, max_speed) = match self.settings.wanted {
            WantedResults::All => {
                let fields = fields(&self.model, &self.residuals, &rows, &data);
                let shear = wall_shear(&self.model, &self.residuals, &rows, &data);
                let fastest = fastest(&fields);
                (
                    Some(shear),
                    self.floors.shear(&fields),
                    fields,
                    Some(fastest),
                )
            }
            WantedResults::PortsOnly => (None, None, Field::<2>::default(), None),
        };
        let dissipation = match self.settings.wanted {
            WantedResults::All => Some(self.unit * self.residuals.dissipation(&rows, &data)),
            WantedResults::PortsOnly => None,
        };
        report.timings.results = clock.elapsed().as_secs_f64();
        report.timings.total = start.elapsed().as_secs_f64();
        let mut solution = Solution {
            report,
            ports: port_results(&self.ports, self.unit, &values),
            conductance: self.conductance.clone(),
            max_speed,
            wall_shear,
            floor_shear,
            dissipation,
            posts: None,
            fields,
            in_space: None,
        };
        if is_still {
            set_still(&mut solution);
        }
        Ok(solution)
    }
}

impl Kept {
    /// Plans and runs the elimination.
    fn new(
        chip: &Chip,
        model: Arc<BlockModel>,
        job: &Job<'_>,
        mut report: SolveReport,
    ) -> Result<Self, SolveError> {
        let settings = job.settings;
        (job.progress)(Stage::Plan, 0.0);
        let clock = Instant::now();
        let matrices = Arc::new(BlockMatrices::new(&model));
        let (system, leaves) = block_system(&model, &matrices);
        report.unique_matrices = leaves.n_leaves();
        // What the solve holds beside the plan's matrices: three vectors of the system's size and the fields on all nodes.
        let fixed = 8 * (3 * model.n_unknowns as u64 + 12 * model.n_nodes as u64);
        let planned = std::cell::Cell::new(0.0);
        let run = RunSettings {
            rank_tolerance: 1e-13,
            table: job.table,
            is_cancelled: &|| job.cancel.is_cancelled(),
            progress: &|done, all| {
                (job.progress)(Stage::Eliminate, done as f64 / all.max(1) as f64);
            },
        };
        let eliminated = eliminate(
            &system,
            &leaves,
            EliminateSettings {
                caching: settings.caching,
                run,
                memory_limit: settings.memory_limit.map(|m| m.saturating_sub(fixed)),
                planned: &|_| {
                    planned.set(if planned.get() == 0.0 {
                        clock.elapsed().as_secs_f64()
                    } else {
                        planned.get()
                    })
                },
            },
        );
        let elimination = eliminated.map_err(|error| match error {
            EliminationError::Singular { row } => SolveError::Singular {
                what: "block row",
                number: row,
            },
            EliminationError::Cancelled => SolveError::Cancelled,
            EliminationError::OutOfMemory { needed, .. } => SolveError::OutOfMemory {
                needed: needed + fixed,
                allowed: settings.memory_limit.unwrap_or(u64::MAX),
            },
        })?;
        report.timings.plan = planned.get();
        report.timings.eliminate = clock.elapsed().as_secs_f64() - planned.get();
        report.tasks = elimination.counters.operations;
        report.computed_matrices = elimination.counters.operations;
        report.flops = elimination.counters.flops;
        report.estimated_memory_bytes = elimination.estimated_bytes + fixed;
        let (connected_components, singular_connected_components) = (
            system.connected_components,
            system.singular_connected_components,
        );
        drop(leaves);
        let residuals = Residuals::new(model.clone(), matrices);
        let lines = model
            .ports
            .iter()
            .map(|p| port_line(&model, &residuals, p))
            .collect();
        Ok(Self {
            ports: chip.ports.clone(),
            unit: chip.depth.unwrap_or(1.0),
            floors: Floors::of(chip),
            model,
            residuals,
            elimination,
            lines,
            connected_components,
            singular_connected_components,
            stillness: Stillness::new(chip),
            settings: settings.clone(),
            conductance: Conductance::default(),
            report,
        })
    }

    /// By port: its connected part of the chip, where only differences of pressure are known there.
    fn free_connected_components(&self) -> Vec<Option<u32>> {
        let component = |row: u32| self.connected_components[row as usize];
        let ports = self.model.ports.iter().map(|p| component(p.row));
        ports
            .map(|i| self.singular_connected_components[i as usize].then_some(i))
            .collect()
    }

    /// Data with the given value at each port: inflow (m^2/s) where its flow is given, else pressure (Pa).
    fn port_data(&self, values: impl Iterator<Item = f64>) -> Data {
        let mut data = Data::default();
        for (k, value) in values.enumerate().filter(|(_, v)| *v != 0.0) {
            let condition = if gives_flow(self.ports[k].condition) {
                Condition::FlowRate(value)
            } else {
                Condition::Pressure(value)
            };
            add_port(
                &self.model,
                &self.residuals,
                &self.model.ports[k],
                &self.lines[k],
                condition,
                &mut data,
            );
        }
        data
    }

    /// Solves for the data, refining with the same factors until the relative residual is at most the tolerance.
    ///
    /// The relative residual is the larger of the momentum and the continuity rows' residual norms over the right-hand side's
    /// norm, all in canonical coordinates, where both equations have entries of one size.
    fn refine(
        &self,
        data: &Data,
        cancel: &CancelToken,
        report: &mut SolveReport,
    ) -> Result<Rows, SolveError> {
        let caching = self.settings.caching;
        let rhs = self.residuals.rows(None, data);
        let scale = self.residuals.norms(&rhs).into_iter().fold(0.0, f64::hypot);
        let (mut rows, vector_tasks) =
            substitution::solve(&self.elimination, &rhs, Wanted::All, caching);
        report.tasks += vector_tasks;
        rows.truncate(self.model.rows.len());
        report.refinement_steps = 0;
        loop {
            if cancel.is_cancelled() {
                return Err(SolveError::Cancelled);
            }
            let residual = self.residuals.rows(Some(&rows), data);
            let norms = self.residuals.norms(&residual);
            report.relative_residual = if scale > 0.0 {
                norms[0].max(norms[1]) / scale
            } else {
                0.0
            };
            if report.relative_residual <= self.settings.tolerance {
                return Ok(rows);
            }
            if report.refinement_steps >= self.settings.max_refinement_steps
                || !report.relative_residual.is_finite()
            {
                return Err(SolveError::NotConverged {
                    residual: report.relative_residual,
                    tolerance: self.settings.tolerance,
                    steps: report.refinement_steps,
                });
            }
            let (correction, _) =
                substitution::solve(&self.elimination, &residual, Wanted::All, Caching::Uncached);
            for (row, correction) in rows.iter_mut().zip(&correction) {
                row.iter_mut().zip(correction).for_each(|(x, d)| *x += d);
            }
            report.refinement_steps += 1;
        }
    }

    /// Flow and pressures at every port.
    fn see(&self, rows: &Rows, data: &Data, conditions: &[Condition]) -> Vec<PortValues> {
        let ports = conditions.iter().zip(&self.model.ports).zip(&self.lines);
        ports
            .map(|((&condition, place), line)| {
                port_values(
                    &self.model,
                    &self.residuals,
                    place,
                    line,
                    condition,
                    (rows, data),
                )
            })
            .collect()
    }

    /// Conductance between the ports, m^2/(s Pa) times the unit of results: one more right-hand side a port, substituted back only
    /// to the ports.
    fn conductances(&self) -> Conductance {
        let blocks = self
            .model
            .ports
            .iter()
            .flat_map(|port| self.residuals.touching(port.row));
        let mut wanted: Vec<u32> = blocks
            .flat_map(|&(block, _)| &self.model.blocks[block as usize].incidences)
            .map(|i| i.row)
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let answer = |values: &Vec<f64>| {
            let data = self.port_data(values.iter().copied());
            let rhs = self.residuals.rows(None, &data);
            let (mut rows, _) = substitution::solve(
                &self.elimination,
                &rhs,
                Wanted::Rows(&wanted),
                self.settings.caching,
            );
            rows.truncate(self.model.rows.len());
            let given = self.ports.iter().zip(values);
            let conditions: Vec<Condition> = given
                .map(|(port, &value)| port.condition.with_value(value))
                .collect();
            self.see(&rows, &data, &conditions)
        };
        // Side by side: each walks through the whole network by itself.
        conductances(
            &self.ports,
            &self.free_connected_components(),
            self.unit,
            |cases| parallel::each(cases, 1, answer).into_iter().collect(),
        )
    }

    /// Adds a constant to the pressure (Pa) of the connected components where it is free.
    fn shift_pressure(&self, rows: &mut Rows, by: f64) {
        for (k, row) in self.model.rows.iter().enumerate() {
            if self.singular_connected_components[self.connected_components[k] as usize] {
                let n_velocity = self.model.layouts[row.layout as usize].n_velocity;
                let canonical = by * row.frame.unit / self.model.viscosity;
                rows[k]
                    .iter_mut()
                    .skip(n_velocity)
                    .for_each(|p| *p += canonical);
            }
        }
    }
}
