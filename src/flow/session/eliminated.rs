//! The method of fronts: a chip eliminated once, and asked for any values at its ports.

use std::time::Instant;

use super::Job;
use super::conductances::conductances;
use super::flow::Flow;
use super::measure::{
    Stillness, UNKNOWN_SPEED, check_balance, mass_imbalance, port_results, set_still,
};
use super::space::{Deep, Measured, Plane, Space};
use super::{
    Conductance, Eliminated, Method, Progress, Solution, SolveError, SolveReport, SolveSettings,
    Stage, WallShear, method::check_conditions,
};
use crate::field::Fields;
use crate::field::ports::PortValues;
use crate::stokes::mouth::{Mouth, PortData, port_data, port_values};
use crate::stokes::slabs::State;
use stokeslet_base::cancel::CancelToken;
use stokeslet_cad::chip::{Chip, Condition, Port};
use stokeslet_cad::design::DepthModel;

/// Pieces eliminated once on to their mouths, then groups of them: see [`stokeslet_fronts`]. In the plane and in space.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fronts;

impl Method for Fronts {
    fn name(&self) -> &'static str {
        "fronts"
    }

    fn eliminate(&self, chip: &Chip, job: &Job<'_>) -> Result<Box<dyn Eliminated>, SolveError> {
        Ok(match chip.model {
            DepthModel::Full => {
                let space = Box::new(Deep::new(chip, job.settings)?);
                Box::new(Kept::new(space, chip, job)?)
            }
            _ => Box::new(Kept::new(Box::new(Plane::new(chip)), chip, job)?),
        })
    }
}

/// An eliminated chip in `D` dimensions.
struct Kept<const D: usize> {
    space: Box<dyn Space<D>>,
    flow: Flow<D>,
    ports: Vec<Port>,
    mouths: Vec<Mouth>,
    stillness: Stillness,
    settings: SolveSettings,
    conductance: Conductance,
    report: SolveReport,
}

impl<const D: usize> Kept<D> {
    fn new(space: Box<dyn Space<D>>, chip: &Chip, job: &Job<'_>) -> Result<Self, SolveError> {
        let start = Instant::now();
        let recorder = job.settings.recorder();
        let mut report = SolveReport::default();
        (job.progress)(Stage::Mesh, 0.0);
        let stage = recorder.stage("mesh");
        let system = space.system(chip, job)?;
        space.note(&mut report);
        report.timings.plan = system.plan_seconds;
        report.timings.mesh = start.elapsed().as_secs_f64() - system.plan_seconds;
        drop(stage);
        report.method = Fronts.name();
        report.unknowns = system.n_unknowns;
        report.canonical_blocks = system.pieces.len();
        (job.progress)(Stage::Plan, 0.0);
        let flow = Flow::new(system, job, &mut report)?;
        let clock = Instant::now();
        let _stage = recorder.stage("back substitute");
        let ports = flow.system.ports.iter();
        let mouths = ports.map(|p| space.mouth(&flow.system, p)).collect();
        let mut kept = Self {
            space,
            flow,
            ports: chip.ports.clone(),
            mouths,
            stillness: Stillness::new(chip),
            settings: job.settings.clone(),
            conductance: Conductance::default(),
            report,
        };
        kept.conductance = kept.conductances();
        kept.report.timings.back_substitute = clock.elapsed().as_secs_f64();
        kept.report.timings.total = start.elapsed().as_secs_f64();
        Ok(kept)
    }
}

impl<const D: usize> Eliminated for Kept<D> {
    fn conductance(&self) -> &Conductance {
        &self.conductance
    }

    fn report(&self) -> &SolveReport {
        &self.report
    }

    fn solve(
        &self,
        asked: &[Condition],
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<Solution, SolveError> {
        let start = Instant::now();
        check_conditions(&self.ports, &self.free_islands(), asked)?;
        let recorder = self.settings.recorder();
        let (space, system) = (&self.space, &self.flow.system);
        let mut report = self.report.clone();
        report.timings = super::Timings::default();

        progress(Stage::BackSubstitute, 0.0);
        let stage = recorder.stage("back substitute");
        let conditions: Vec<Condition> = asked.iter().map(|c| space.condition(*c)).collect();
        let datum = self.datum(&conditions);
        let at_port = |k: usize| datum[system.islands[system.ports[k].interface as usize] as usize];
        let values = conditions.iter().enumerate().map(|(k, c)| match c {
            Condition::FlowRate(flow) => *flow,
            _ => c.value() - at_port(k),
        });
        let PortData { loads, given } = port_data(system, &self.ports, &self.mouths, values);
        let loads = State {
            shared: loads,
            slabs: Vec::new(),
        };
        let flow = &self.flow;
        let is_still = self.stillness.is_still(&conditions);
        let imbalance = |shared: &[f64], reactions: &[f64]| {
            if is_still {
                return 0.0; // of rounding
            }
            let mut shared = shared.to_vec();
            system.complete(&mut shared);
            mass_imbalance(&self.see(&shared, reactions, &conditions))
        };
        let mut answer = flow.solve(
            &loads,
            &given,
            (&self.settings, &imbalance),
            cancel,
            &mut report,
        )?;
        report.timings.back_substitute = start.elapsed().as_secs_f64();
        drop(stage);

        progress(Stage::Results, 0.0);
        let clock = Instant::now();
        let stage = recorder.stage("results");
        system.complete(&mut answer.state.shared);
        let mut values = self.see(&answer.state.shared, &answer.reactions, &conditions);
        for (k, v) in values.iter_mut().enumerate() {
            v.mean_pressure += at_port(k);
            if let Condition::FlowRate(_) = conditions[k] {
                v.work_pressure += at_port(k);
            }
        }
        // Where only differences of pressure are known, the lowest pressure of a port is the stated zero.
        let islands = self.free_islands();
        let free = || values.iter().zip(&islands).filter(|v| v.1.is_some());
        let lowest = free()
            .map(|v| v.0.work_pressure)
            .fold(f64::INFINITY, f64::min);
        let shift = if lowest.is_finite() { -lowest } else { 0.0 };
        for (v, _) in values.iter_mut().zip(&islands).filter(|v| v.1.is_some()) {
            v.work_pressure += shift;
            v.mean_pressure += shift;
        }
        report.mass_imbalance = mass_imbalance(&values);
        if !is_still {
            check_balance(report.mass_imbalance)?;
        }
        let ports = port_results(&self.ports, space.flow_unit(), &values);
        if cancel.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        let measured = match &flow.slabs {
            Some(slabs) => {
                let shift = |part: usize| {
                    let interface = system.instances[part].interfaces.first();
                    let is_free = interface.is_some_and(|&i| system.free_island(i).is_some());
                    let island = interface.map(|&i| system.islands[i as usize] as usize);
                    island.map_or(0.0, |i| datum[i]) + if is_free { shift } else { 0.0 }
                };
                let is_cancelled = || cancel.is_cancelled();
                space.measure(system, slabs, &answer.state, &shift, &is_cancelled)
            }
            None => Measured {
                max_speed: UNKNOWN_SPEED,
                wall_shear: WallShear::UNKNOWN,
                dissipation: f64::NAN,
                posts: Vec::new(),
                fields: Fields::default(),
                solid: None,
            },
        };
        // Hundreds of megabytes of a large chip: giving them back takes its time too.
        drop(answer);
        drop(stage);
        if cancel.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        report.timings.results = clock.elapsed().as_secs_f64();
        report.timings.total = start.elapsed().as_secs_f64();
        let mut solution = Solution {
            report,
            ports,
            conductance: self.conductance.clone(),
            max_speed: measured.max_speed,
            wall_shear: measured.wall_shear,
            dissipation: flow.slabs.is_some().then_some(measured.dissipation),
            posts: flow.slabs.is_some().then_some(measured.posts),
            fields: measured.fields,
            solid: measured.solid,
        };
        if is_still {
            set_still(&mut solution);
        }
        Ok(solution)
    }
}

impl<const D: usize> Kept<D> {
    /// By port: its island, where only differences of pressure are known there.
    fn free_islands(&self) -> Vec<Option<u32>> {
        let system = &self.flow.system;
        let ports = system.ports.iter();
        ports.map(|p| system.free_island(p.interface)).collect()
    }

    /// By connected part of the chip: the pressure that others are solved relative to, Pa.
    ///
    /// What all pressures have in common is only rounded: so it is the least that is given. Where widths differ much, what lies behind a
    /// narrow channel is at a pressure that is nearly constant and, in units of its own cells, huge: rounding it would drown the flow there.
    /// So it is that of the widest mouth, which a substitution without fields tells well enough; what is solved then is the same flow.
    fn datum(&self, conditions: &[Condition]) -> Vec<f64> {
        let system = &self.flow.system;
        let mut least = vec![f64::INFINITY; system.is_free.len()];
        for (port, condition) in system.ports.iter().zip(conditions) {
            let least = &mut least[system.islands[port.interface as usize] as usize];
            if !matches!(condition, Condition::FlowRate(_)) {
                *least = least.min(condition.value());
            }
        }
        let finite = |p: f64| if p.is_finite() { p } else { 0.0 };
        let mut datum: Vec<f64> = least.into_iter().map(finite).collect();
        let units = || system.interfaces.iter().map(|i| i.unit);
        let narrowest = units().fold(f64::INFINITY, f64::min);
        if D == 3 || units().fold(0.0, f64::max) <= MUCH_WIDER * narrowest {
            return datum;
        }
        let values = conditions.iter().map(|c| c.value());
        let data = port_data(system, &self.ports, &self.mouths, values);
        let found = self.flow.solve_shared(&[(&data.loads, &data.given)]);
        let Some((mut shared, _)) = found.into_iter().next() else {
            return datum;
        };
        system.complete(&mut shared);
        let mut widest = vec![0.0; datum.len()];
        let middle = system.section.resolution & !1; // a vertex
        for (k, interface) in system.interfaces.iter().enumerate() {
            let island = system.islands[k] as usize;
            if let Some(p) = system.section.pressure(middle, 0)
                && interface.unit > widest[island]
                && !system.is_free[island]
            {
                widest[island] = interface.unit;
                let canonical = shared[k * system.section.n + p as usize];
                datum[island] =
                    canonical * system.viscosity / interface.unit / interface.depth.sqrt();
            }
        }
        datum
    }

    fn see(&self, shared: &[f64], reactions: &[f64], at: &[Condition]) -> Vec<PortValues> {
        let one = |(k, mouth)| port_values(&self.flow.system, k, mouth, at[k], (shared, reactions));
        self.mouths.iter().enumerate().map(one).collect()
    }

    /// On shared unknowns only, m^2/(s Pa) (m^3 with depth).
    fn conductances(&self) -> Conductance {
        let system = &self.flow.system;
        let unit = self.space.flow_unit();
        let answers = |cases: &[Vec<f64>]| -> Vec<Vec<PortValues>> {
            let data: Vec<PortData> = cases
                .iter()
                .map(|values| port_data(system, &self.ports, &self.mouths, values.iter().copied()))
                .collect();
            let both: Vec<(&[f64], &[f64])> = data.iter().map(|d| (&*d.loads, &*d.given)).collect();
            let found = self.flow.solve_shared(&both);
            let seen = cases
                .iter()
                .zip(found)
                .map(|(values, (mut shared, reactions))| {
                    system.complete(&mut shared);
                    let given = self.ports.iter().zip(values);
                    let conditions: Vec<Condition> = given
                        .map(|(port, &value)| port.condition.with_value(value))
                        .collect();
                    self.see(&shared, &reactions, &conditions)
                });
            seen.collect()
        };
        // Few at a time: each has a vector of its own on all that the parts share.
        conductances(&self.ports, &self.free_islands(), unit, |cases| {
            cases.chunks(CASES).flat_map(answers).collect()
        })
    }
}

/// Widths that differ by more than this make pressures relative to those of the widest mouth.
const MUCH_WIDER: f64 = 8.0;

/// Answers that are found together: every front is read once for all of them.
const CASES: usize = 16;
