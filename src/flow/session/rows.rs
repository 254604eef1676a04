//! A chip solved by block rows, as the thesis has it: cut, plan, eliminate, substitute, refine, measure.

use std::time::Instant;

use rayon::prelude::*;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::{Caching, Table};

use super::{
    Conductance, Ownership, Progress, Solution, SolveError, SolveReport, SolveSettings, Stage,
    WallShear, WantedResults,
    conductances::conductances,
    measure::{UNKNOWN_SPEED, fastest, mass_imbalance, port_results},
};
use crate::blocks::{BlockModel, CutError, cut};
use crate::elimination::order::EliminateSettings;
use crate::elimination::substitution::{self, Wanted};
use crate::elimination::{Elimination, EliminationError, RunSettings, eliminate};
use crate::field::ports::{PortValues, gives_flow, port_values};
use crate::field::{Fields, build, wall_shear};
use crate::stokes::assemble::{BlockMatrices, block_system};
use crate::stokes::boundary::{PortLine, add_port, port_line};
use crate::stokes::residual::{Data, Residuals, Rows};
use stokeslet_cad::chip::{Chip, Condition};

/// Solves a chip by block rows; see [`super::solve`].
pub(super) fn solve_by_rows(
    chip: &Chip,
    settings: &SolveSettings,
    ownership: Ownership,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Solution, SolveError> {
    let start = Instant::now();
    let mut report = SolveReport::default();
    let model = cut_chip(chip, settings, ownership, progress, &mut report)?;
    let matrices = BlockMatrices::new(&model);
    let solver = Solver::new(
        &model,
        &matrices,
        settings,
        table,
        progress,
        cancel,
        &mut report,
    )?;

    progress(Stage::BackSubstitute, 0.0);
    let clock = Instant::now();
    let data = solver.port_data(chip.ports.iter().map(|p| p.condition.value()), chip);
    let mut rows = solver.solve(&data, &mut report)?;
    report.timings.back_substitute = clock.elapsed().as_secs_f64();

    progress(Stage::Results, 0.0);
    let clock = Instant::now();
    let mut values = solver.ports(chip, &rows, &data);
    if solver.system_is_singular {
        // Only differences of pressure are known: the lowest mean pressure of a port is the stated zero.
        let lowest = values
            .iter()
            .map(|v| v.mean_pressure)
            .fold(f64::INFINITY, f64::min);
        solver.shift_pressure(&mut rows, -lowest);
        values = solver.ports(chip, &rows, &data);
    }
    let unit = chip.depth.unwrap_or(1.0);
    let ports = port_results(&chip.ports, unit, &values);
    report.mass_imbalance = mass_imbalance(&values);
    let conductance = solver.conductance(chip, unit);
    let (wall_shear, fields, max_speed) = match settings.wanted {
        WantedResults::All => {
            let fields = build::fields(&model, &solver.residuals, &rows, &data);
            let shear = wall_shear::wall_shear(&model, &solver.residuals, &rows, &data);
            let fastest = fastest(&fields);
            (shear, fields, fastest)
        }
        WantedResults::PortsOnly => (WallShear::UNKNOWN, Fields::default(), UNKNOWN_SPEED),
    };
    report.timings.results = clock.elapsed().as_secs_f64();
    report.timings.total = start.elapsed().as_secs_f64();
    Ok(Solution {
        report,
        ports,
        conductance,
        max_speed,
        wall_shear,
        fields,
        solid: None,
    })
}

/// Cuts a chip and counts what came out.
pub(super) fn cut_chip(
    chip: &Chip,
    settings: &SolveSettings,
    ownership: Ownership,
    progress: &Progress<'_>,
    report: &mut SolveReport,
) -> Result<BlockModel, SolveError> {
    progress(Stage::Mesh, 0.0);
    let clock = Instant::now();
    let model = cut(chip, settings.resolution, ownership).map_err(|CutError { part, error }| {
        SolveError::Mesh {
            part: chip.parts[part].name.clone(),
            reason: error.to_string(),
        }
    })?;
    report.timings.mesh = clock.elapsed().as_secs_f64();
    report.unknowns = model.n_unknowns;
    report.blocks = model.counts;
    report.canonical_blocks = model.kinds.len();
    Ok(model)
}

/// An eliminated chip: solves for any data on its ports.
pub struct Solver<'a> {
    model: &'a BlockModel,
    residuals: Residuals<'a>,
    elimination: Elimination,
    lines: Vec<PortLine>,
    islands: Vec<u32>,
    singular_islands: Vec<bool>,
    system_is_singular: bool,
    settings: &'a SolveSettings,
}

impl<'a> Solver<'a> {
    /// Plans and runs the elimination.
    pub fn new(
        model: &'a BlockModel,
        matrices: &'a BlockMatrices,
        settings: &'a SolveSettings,
        table: &Table,
        progress: &Progress<'_>,
        cancel: &CancelToken,
        report: &mut SolveReport,
    ) -> Result<Self, SolveError> {
        progress(Stage::Plan, 0.0);
        let clock = Instant::now();
        let (system, leaves) = block_system(model, matrices);
        report.unique_matrices = crate::elimination::Leaves::n_leaves(&leaves);
        // What the solve holds beside the plan's matrices: three vectors of the system's size and the fields on all nodes.
        let fixed = 8 * (3 * model.n_unknowns as u64 + 12 * model.n_nodes as u64);
        let planned = std::cell::Cell::new(0.0);
        let run = RunSettings {
            rank_tolerance: 1e-13,
            table,
            is_cancelled: &|| cancel.is_cancelled(),
            progress: &|done, all| progress(Stage::Eliminate, done as f64 / all.max(1) as f64),
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
            EliminationError::Singular { row } => SolveError::Singular { row },
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
        let residuals = Residuals::new(model, matrices);
        let lines = model
            .ports
            .iter()
            .map(|p| port_line(model, &residuals, p))
            .collect();
        let system_is_singular = model
            .ports
            .iter()
            .any(|p| system.singular_islands[system.islands[p.row as usize] as usize]);
        let (islands, singular_islands) = (system.islands, system.singular_islands);
        Ok(Self {
            model,
            residuals,
            elimination,
            lines,
            islands,
            singular_islands,
            system_is_singular,
            settings,
        })
    }

    /// Nodes along each port.
    pub fn port_lines(&self) -> &[PortLine] {
        &self.lines
    }

    /// How the chip is cut.
    pub fn model(&self) -> &BlockModel {
        self.model
    }

    /// Maps between blocks and rows.
    pub fn residuals(&self) -> &Residuals<'a> {
        &self.residuals
    }

    /// The elimination's factors and counters.
    pub fn elimination(&self) -> &Elimination {
        &self.elimination
    }

    /// Data with the given value at each port: inflow (m^2/s) where its flow is given, else pressure (Pa).
    pub fn port_data(&self, values: impl Iterator<Item = f64>, chip: &Chip) -> Data {
        let mut data = Data::default();
        for (k, value) in values.enumerate().filter(|(_, v)| *v != 0.0) {
            let condition = if gives_flow(chip.ports[k].condition) {
                Condition::FlowRate(value)
            } else {
                Condition::Pressure(value)
            };
            add_port(
                self.model,
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
    pub fn solve(&self, data: &Data, report: &mut SolveReport) -> Result<Rows, SolveError> {
        let caching = self.settings.caching;
        let rhs = self.residuals.rows(None, data);
        let scale = self.residuals.norms(&rhs).into_iter().fold(0.0, f64::hypot);
        let (mut rows, vector_tasks) =
            substitution::solve(&self.elimination, &rhs, Wanted::All, caching);
        report.tasks += vector_tasks;
        rows.truncate(self.model.rows.len());
        report.refinement_steps = 0;
        loop {
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
    pub fn ports(&self, chip: &Chip, rows: &Rows, data: &Data) -> Vec<PortValues> {
        let ports = chip.ports.iter().zip(&self.model.ports).zip(&self.lines);
        ports
            .map(|((port, place), line)| {
                port_values(
                    self.model,
                    &self.residuals,
                    place,
                    line,
                    port.condition,
                    (rows, data),
                )
            })
            .collect()
    }

    /// Conductance between the ports, m^2/(s Pa) times `unit`: one more right-hand side a port, substituted back only to the
    /// ports.
    pub fn conductance(&self, chip: &Chip, unit: f64) -> Conductance {
        let wanted: Vec<u32> = {
            let mut rows: Vec<u32> = Vec::new();
            for port in &self.model.ports {
                for &(block, _) in self.residuals.touching(port.row) {
                    rows.extend(
                        self.model.blocks[block as usize]
                            .incidences
                            .iter()
                            .map(|i| i.row),
                    );
                }
            }
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        let group: Vec<Option<u32>> = self
            .model
            .ports
            .iter()
            .map(|p| {
                let island = self.islands[p.row as usize];
                self.singular_islands[island as usize].then_some(island)
            })
            .collect();
        let answer = |values: &Vec<f64>| {
            let data = self.port_data(values.iter().copied(), chip);
            let rhs = self.residuals.rows(None, &data);
            let (mut rows, _) = substitution::solve(
                &self.elimination,
                &rhs,
                Wanted::Rows(&wanted),
                self.settings.caching,
            );
            rows.truncate(self.model.rows.len());
            self.ports(chip, &rows, &data)
        };
        // Side by side: each walks through the whole network by itself.
        conductances(&chip.ports, &group, unit, |cases| {
            cases.par_iter().map(answer).collect()
        })
    }

    /// Adds a constant to the pressure (Pa) of the islands where it is free.
    pub fn shift_pressure(&self, rows: &mut Rows, by: f64) {
        for (k, row) in self.model.rows.iter().enumerate() {
            if self.singular_islands[self.islands[k] as usize] {
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
