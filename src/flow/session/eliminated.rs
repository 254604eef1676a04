//! The method of fronts: a chip eliminated once, and asked for any values at its ports.

use web_time::Instant;

use super::conductances::conductances;
use super::flow::{Answer, Flow, Imbalance};
use super::measure::{Stillness, check_balance, mass_imbalance, set_still};
use super::nearby::{Around, Nearby};
use super::readout::Readout;
use super::space::{Deep, Plane, Space};
use super::{
    Conductance, Eliminated, Job, Method, Progress, Solution, SolveError, SolveReport,
    SolveSettings, Stage, WantedResults, method::check_conditions, silent, with_arms,
};
use crate::canonical::Canonicalised;
use crate::field::ports::PortValues;
use crate::stokes::local_vectors::ChipVector;
use crate::stokes::socket::{PortData, PortSocket, port_data};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition, Port};
use stokeslet_cad::design::DepthModel;

/// Pieces eliminated once on to their sockets, then groups of them: see [`stokeslet_fronts`]. In the plane and in space.
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
                Box::new(Kept::new(space, chip, job, None)?)
            }
            _ => Box::new(Kept::new(Box::new(Plane::new(chip)), chip, job, None)?),
        })
    }
}

/// An eliminated chip in `D` dimensions.
pub(super) struct Kept<const D: usize> {
    pub(super) space: Box<dyn Space<D>>,
    pub(super) flow: Flow<D>,
    ports: Vec<Port>,
    sockets: Vec<PortSocket>,
    stillness: Stillness,
    pub(super) settings: SolveSettings,
    conductance: Conductance,
    pub(super) report: SolveReport,
}

impl<const D: usize> Kept<D> {
    /// `like`: shapes whose meshes are wanted, a little moved.
    fn new(
        space: Box<dyn Space<D>>,
        chip: &Chip,
        job: &Job<'_>,
        like: Option<&[Canonicalised]>,
    ) -> Result<Self, SolveError> {
        let start = Instant::now();
        let recorder = job.settings.recorder();
        let mut report = SolveReport::default();
        (job.progress)(Stage::Mesh, 0.0);
        let stage = recorder.stage("mesh");
        let system = space.system(chip, job, like)?;
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
        let sockets = ports.map(|p| space.socket(&flow.system, p)).collect();
        let mut kept = Self {
            space,
            flow,
            ports: chip.ports.clone(),
            sockets,
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
        Ok(self.solve_with(asked, progress, cancel)?.0)
    }

    fn solve_and_keep(
        &self,
        asked: &[Condition],
        wanted: WantedResults,
        cancel: &CancelToken,
    ) -> Result<(Solution, Option<Box<dyn Nearby + '_>>), SolveError> {
        let (solution, answer, datum) = self.solve_with(asked, &silent, cancel)?;
        let conditions: Vec<Condition> = asked.iter().map(|c| self.space.condition(*c)).collect();
        if self.flow.local_vectors.is_none() || self.stillness.is_still(&conditions) {
            return Ok((solution, None));
        }
        let loads = self.readout().data(&conditions, &datum).loads;
        let is_ports = wanted == WantedResults::PortsOnly;
        let left = is_ports.then(|| self.flow.left_by(&answer, &loads));
        let around = Around {
            kept: self,
            begin: answer.state,
            left,
            datum,
        };
        Ok((solution, Some(Box::new(around))))
    }

    fn alike(
        &self,
        chip: &Chip,
        table: &Table,
        cancel: &CancelToken,
    ) -> Result<Option<Box<dyn Eliminated>>, SolveError> {
        let settings = &self.settings;
        let chip = &*with_arms(chip, settings.resolution, settings.corners);
        let job = Job::silent(settings, table, cancel);
        let space = self.space.of(chip, settings)?;
        let own = &self.flow.system;
        let kept = Self::new(space, chip, &job, Some(&own.shapes))?;
        let is_image = kept.flow.system.is_image_of(own);
        Ok(is_image.then(|| Box::new(kept) as Box<dyn Eliminated>))
    }
}

impl<const D: usize> Kept<D> {
    /// A solution, the unknowns that it is read from, and the pressures that those are relative to.
    fn solve_with(
        &self,
        asked: &[Condition],
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<(Solution, Answer, Vec<f64>), SolveError> {
        let start = Instant::now();
        check_conditions(
            &self.ports,
            &self.readout().free_connected_components(),
            asked,
        )?;
        let recorder = self.settings.recorder();
        let mut report = self.report.clone();
        report.timings = super::Timings::default();

        progress(Stage::BackSubstitute, 0.0);
        let stage = recorder.stage("back substitute");
        let conditions: Vec<Condition> = asked.iter().map(|c| self.space.condition(*c)).collect();
        let datum = self.datum(&conditions);
        let readout = self.readout();
        let is_still = self.stillness.is_still(&conditions);
        let mut answer = self.answer(&conditions, &datum, cancel, &mut report)?;
        report.timings.back_substitute = start.elapsed().as_secs_f64();
        drop(stage);

        progress(Stage::Results, 0.0);
        let clock = Instant::now();
        let stage = recorder.stage("results");
        self.flow.system.complete(&mut answer.state.shared);
        let values = readout.values(&answer.state.shared, &answer.reactions, &conditions);
        let (values, shift) = readout.levelled(values, &conditions, &datum);
        report.mass_imbalance = mass_imbalance(&values);
        if !is_still {
            check_balance(report.mass_imbalance)?;
        }
        let mut solution = readout.solution(
            (&values, shift),
            &answer.state,
            &datum,
            (report, self.conductance.clone()),
            cancel,
        )?;
        drop(stage);
        solution.report.timings.results = clock.elapsed().as_secs_f64();
        solution.report.timings.total = start.elapsed().as_secs_f64();
        if is_still {
            set_still(&mut solution);
        }
        Ok((solution, answer, datum))
    }

    /// What its answers are read with.
    fn readout(&self) -> Readout<'_, D> {
        Readout {
            space: &*self.space,
            system: &self.flow.system,
            local_vectors: self.flow.local_vectors.as_ref(),
            ports: &self.ports,
            sockets: &self.sockets,
        }
    }

    /// All unknowns for conditions in the unit of the equations, refined.
    fn answer(
        &self,
        conditions: &[Condition],
        datum: &[f64],
        cancel: &CancelToken,
        report: &mut SolveReport,
    ) -> Result<Answer, SolveError> {
        let readout = self.readout();
        let PortData { loads, given } = readout.data(conditions, datum);
        let loads = ChipVector {
            shared: loads,
            local: Vec::new(),
        };
        let is_still = self.stillness.is_still(conditions);
        let imbalance = |shared: &[f64], reactions: &[f64]| {
            if is_still {
                return 0.0; // of rounding
            }
            let mut shared = shared.to_vec();
            self.flow.system.complete(&mut shared);
            mass_imbalance(&readout.values(&shared, reactions, conditions))
        };
        let settings = (&self.settings, &imbalance as Imbalance<'_>);
        self.flow.solve(&loads, &given, settings, cancel, report)
    }

    /// By connected part of the chip: the pressure that others are solved relative to, Pa.
    ///
    /// What all pressures have in common is only rounded: so it is the least that is given. Where widths differ much, what lies behind a
    /// narrow channel is at a pressure that is nearly constant and, in units of its own cells, huge: rounding it would drown the flow there.
    /// So it is that of the widest socket, which a substitution without fields tells well enough; what is solved then is the same flow.
    fn datum(&self, conditions: &[Condition]) -> Vec<f64> {
        let system = &self.flow.system;
        let mut least = vec![f64::INFINITY; system.is_free.len()];
        for (port, condition) in system.ports.iter().zip(conditions) {
            let least = &mut least[system.connected_components[port.interface as usize] as usize];
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
        let data = port_data(system, &self.ports, &self.sockets, values);
        let found = self.flow.solve_shared(&[(&data.loads, &data.given)]);
        let Some((mut shared, _)) = found.into_iter().next() else {
            return datum;
        };
        system.complete(&mut shared);
        let mut widest = vec![0.0; datum.len()];
        let middle = system.section.resolution & !1; // a vertex
        for (k, interface) in system.interfaces.iter().enumerate() {
            let component = system.connected_components[k] as usize;
            if let Some(p) = system.section.pressure(middle, 0)
                && interface.unit > widest[component]
                && !system.is_free[component]
            {
                widest[component] = interface.unit;
                let canonical = shared[k * system.section.n + p as usize];
                datum[component] =
                    canonical * system.viscosity / interface.unit / interface.depth.sqrt();
            }
        }
        datum
    }

    /// On shared unknowns only, m^2/(s Pa) (m^3 with depth).
    fn conductances(&self) -> Conductance {
        let system = &self.flow.system;
        let unit = self.space.flow_unit();
        let answers = |cases: &[Vec<f64>]| -> Vec<Vec<PortValues>> {
            let data: Vec<PortData> = cases
                .iter()
                .map(|values| port_data(system, &self.ports, &self.sockets, values.iter().copied()))
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
                    self.readout().values(&shared, &reactions, &conditions)
                });
            seen.collect()
        };
        // Few at a time: each has a vector of its own on all that the parts share.
        conductances(
            &self.ports,
            &self.readout().free_connected_components(),
            unit,
            |cases| cases.chunks(CASES).flat_map(answers).collect(),
        )
    }
}

/// Widths that differ by more than this make pressures relative to those of the widest socket.
const MUCH_WIDER: f64 = 8.0;

/// Answers that are found together: every front is read once for all of them.
const CASES: usize = 16;
