//! A chip eliminated once is asked again and again: for any values at its ports, of the kinds that it was eliminated with.

use std::time::Instant;

use super::conductances::conductances;
use super::flow::{Flow, Job};
use super::measure::{UNKNOWN_SPEED, mass_imbalance, port_results};
use super::space::{Deep, Measured, Plane, Space};
use super::{
    Conductance, Method, PortKind, Progress, Solution, SolveError, SolveReport, SolveSettings,
    Stage, WallShear,
};
use crate::field::Fields;
use crate::field::ports::PortValues;
use crate::stokes::mouth::{Mouth, PortData, port_data, port_values};
use crate::stokes::slabs::State;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition, Port};
use stokeslet_cad::design::DepthModel;

/// Flow rates balance when their sum is at most this part of half the sum of their magnitudes.
const BALANCE_TOLERANCE: f64 = 1e-9;

/// An eliminated chip.
///
/// It holds all factors, about what a solve takes at its peak; they are shared with the table that it was eliminated with.
/// Asking again costs a substitution, a residual and the measurements: of a chip of many copies that is most of a first solve, of
/// one with large junctions, three dimensions or ports only a small part.
pub struct Eliminated {
    chip: Dimensions,
}

enum Dimensions {
    Plane(Box<Kept<2>>),
    Space(Box<Kept<3>>),
}

/// Eliminates a chip: all of a solve that does not depend on the values at its ports.
///
/// # Errors
/// [`SolveError`]; [`SolveError::FrontsOnly`] by the method of block rows.
/// # Example
/// ```
/// # use stokeslet_cad::chip::{Chip, Condition, Port};
/// # use stokeslet_cad::design::DepthModel;
/// # use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};
/// # use stokeslet_base::table::Table;
/// # use stokeslet_base::geometry::Motion;
/// # let pipe = Strip::Straight { length: 1e-3, width_start: 1e-4, width_end: 1e-4 };
/// # let port = |name: &str, socket, p| Port { name: name.into(), socket: SocketRef { part: 0, socket }, condition: Condition::Pressure(p) };
/// # let chip = Chip {
/// #     name: "channel".into(), viscosity: 1e-3, model: DepthModel::Planar, depth: None, connections: vec![],
/// #     parts: vec![Part { name: "pipe".into(), shape: Shape::Strip(pipe), motion: Motion::IDENTITY }],
/// #     ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
/// # };
/// use stokeslet_base::cancel::CancelToken;
/// use stokeslet_flow::session::{SolveSettings, eliminate, silent};
///
/// let (settings, token) = (SolveSettings::default(), CancelToken::new());
/// let eliminated = eliminate(&chip, &settings, &Table::default(), &silent, &token)?;
/// let flow = |p| {
///     let conditions = [Condition::Pressure(p), Condition::Pressure(0.0)];
///     eliminated.solve(&conditions, &silent, &token).map(|solution| solution.ports[0].flow_rate)
/// };
/// assert!((flow(200.0)? / flow(100.0)? - 2.0).abs() < 1e-9);
/// # Ok::<(), stokeslet_flow::session::SolveError>(())
/// ```
pub fn eliminate(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Eliminated, SolveError> {
    if let Method::Rows(_) = settings.method {
        let what = "a chip that is eliminated once and asked again";
        return Err(SolveError::FrontsOnly { what });
    }
    let job = Job {
        settings,
        table,
        progress,
        cancel,
    };
    let chip = match chip.model {
        DepthModel::Full => {
            let space = Box::new(Deep::new(chip, settings)?);
            Dimensions::Space(Box::new(Kept::new(space, chip, &job)?))
        }
        _ => Dimensions::Plane(Box::new(Kept::new(Box::new(Plane::new(chip)), chip, &job)?)),
    };
    Ok(Eliminated { chip })
}

impl Eliminated {
    /// Solves for these conditions, in the chip's order of ports; bit for bit what [`super::solve`] would return.
    ///
    /// The report's timings are those of this call alone; what the elimination took is in [`Self::report`].
    ///
    /// # Errors
    /// [`SolveError::OtherConditions`] where kinds are not those of the elimination, [`SolveError::Unbalanced`],
    /// [`SolveError::NotConverged`], [`SolveError::Cancelled`].
    pub fn solve(
        &self,
        conditions: &[Condition],
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<Solution, SolveError> {
        match &self.chip {
            Dimensions::Plane(kept) => kept.solve(conditions, progress, cancel),
            Dimensions::Space(kept) => kept.solve(conditions, progress, cancel),
        }
    }

    /// Between the ports, whatever their values.
    pub fn conductance(&self) -> &Conductance {
        match &self.chip {
            Dimensions::Plane(kept) => &kept.conductance,
            Dimensions::Space(kept) => &kept.conductance,
        }
    }

    /// Counters and timings of the elimination.
    pub fn report(&self) -> &SolveReport {
        match &self.chip {
            Dimensions::Plane(kept) => &kept.report,
            Dimensions::Space(kept) => &kept.report,
        }
    }
}

/// An eliminated chip in `D` dimensions.
struct Kept<const D: usize> {
    space: Box<dyn Space<D>>,
    flow: Flow<D>,
    ports: Vec<Port>,
    mouths: Vec<Mouth>,
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
            settings: job.settings.clone(),
            conductance: Conductance::default(),
            report,
        };
        kept.conductance = kept.conductances();
        kept.report.timings.back_substitute = clock.elapsed().as_secs_f64();
        kept.report.timings.total = start.elapsed().as_secs_f64();
        Ok(kept)
    }

    fn solve(
        &self,
        asked: &[Condition],
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<Solution, SolveError> {
        let start = Instant::now();
        self.check(asked)?;
        let recorder = self.settings.recorder();
        let (space, system) = (&self.space, &self.flow.system);
        let mut report = self.report.clone();
        report.timings = super::Timings::default();

        progress(Stage::BackSubstitute, 0.0);
        let stage = recorder.stage("back substitute");
        let conditions: Vec<Condition> = asked.iter().map(|c| space.condition(*c)).collect();
        let values = conditions.iter().map(|c| c.value());
        let PortData { loads, given } = port_data(system, &self.ports, &self.mouths, values);
        let loads = State {
            shared: loads,
            slabs: Vec::new(),
        };
        let flow = &self.flow;
        let mut answer = flow.solve(&loads, &given, &self.settings, cancel, &mut report)?;
        report.timings.back_substitute = start.elapsed().as_secs_f64();
        drop(stage);

        progress(Stage::Results, 0.0);
        let clock = Instant::now();
        let stage = recorder.stage("results");
        system.complete(&mut answer.state.shared);
        let mut values = self.see(&answer.state.shared, &answer.reactions, &conditions);
        // Where only differences of pressure are known, the lowest mean pressure of a port is the stated zero.
        let islands = self.free_islands();
        let free = || values.iter().zip(&islands).filter(|v| v.1.is_some());
        let lowest = free()
            .map(|v| v.0.mean_pressure)
            .fold(f64::INFINITY, f64::min);
        let shift = if lowest.is_finite() { -lowest } else { 0.0 };
        for (v, _) in values.iter_mut().zip(&islands).filter(|v| v.1.is_some()) {
            v.mean_pressure += shift;
        }
        report.mass_imbalance = mass_imbalance(&values);
        let ports = port_results(&self.ports, space.flow_unit(), &values);
        if cancel.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        let measured = match &flow.slabs {
            Some(slabs) => {
                let shift = |part: usize| {
                    let interface = system.instances[part].interfaces.first();
                    let is_free = interface.is_some_and(|&i| system.free_island(i).is_some());
                    if is_free { shift } else { 0.0 }
                };
                let is_cancelled = || cancel.is_cancelled();
                space.measure(system, slabs, &answer.state, &shift, &is_cancelled)
            }
            None => Measured {
                max_speed: UNKNOWN_SPEED,
                wall_shear: WallShear::UNKNOWN,
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
        Ok(Solution {
            report,
            ports,
            conductance: self.conductance.clone(),
            max_speed: measured.max_speed,
            wall_shear: measured.wall_shear,
            fields: measured.fields,
            solid: measured.solid,
        })
    }

    /// One condition a port, each of the kind of the elimination, and flows that balance where nothing else lets fluid out.
    fn check(&self, asked: &[Condition]) -> Result<(), SolveError> {
        if asked.len() != self.ports.len() {
            return Err(SolveError::ConditionCount {
                asked: asked.len(),
                ports: self.ports.len(),
            });
        }
        for (port, asked) in self.ports.iter().zip(asked) {
            let (was, asked) = (PortKind::of(port.condition), PortKind::of(*asked));
            if was != asked {
                let port = port.name.clone();
                return Err(SolveError::OtherConditions { port, was, asked });
            }
        }
        let islands = self.free_islands();
        for island in 0..self.flow.system.is_free.len() as u32 {
            let here = asked.iter().zip(&islands).filter(|p| *p.1 == Some(island));
            let (sum, size) = here.fold((0.0, 0.0), |(sum, size), (c, _)| {
                (sum + c.value(), size + c.value().abs() / 2.0)
            });
            if sum.abs() > BALANCE_TOLERANCE * size {
                return Err(SolveError::Unbalanced { part: sum / size });
            }
        }
        Ok(())
    }

    /// By port: its island, where only differences of pressure are known there.
    fn free_islands(&self) -> Vec<Option<u32>> {
        let system = &self.flow.system;
        let ports = system.ports.iter();
        ports.map(|p| system.free_island(p.interface)).collect()
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
                        .map(|(port, &value)| match port.condition {
                            Condition::FlowRate(_) => Condition::FlowRate(value),
                            Condition::Pressure(_) => Condition::Pressure(value),
                            Condition::TractionFree => Condition::TractionFree,
                        })
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

/// Answers that are found together: every front is read once for all of them.
const CASES: usize = 16;
