//! Runs a scene once and lets many solvers answer each of its pressure problems.

use crate::lcp::{LcpSolver, Purpose, SolveLog, Status, Watch, entry, solver};
use crate::linear::inf_norm;
use crate::mg::{Coarse, Hierarchy, Recipe, Weights};
use crate::pressure::Separation;
use crate::scenes::{AnyScene, Scene, Simulation, SimulationError};

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The scene.
    pub scene: AnyScene,
    /// Cells a side.
    pub size: usize,
    /// Frames to run.
    pub frames: usize,
    /// Only the first substep after this many frames, with solvers that remember nothing.
    pub single: Option<usize>,
    /// The solver that moves the simulation on.
    pub driver: &'static str,
    /// The solvers that are measured.
    pub solvers: Vec<&'static str>,
}

/// What a solver did over all problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which.
    pub solver: &'static str,
    /// Problems it was given.
    pub solves: usize,
    /// Iterations of all of them.
    pub iterations: usize,
    /// The most for one.
    pub most: usize,
    /// Linear systems of all of them.
    pub outer: usize,
    /// How many took none, one, two ... linear systems.
    pub by_outer: Vec<usize>,
    /// Seconds for all of them.
    pub seconds: f64,
    /// The part of these seconds for hierarchies and factors.
    pub setup_seconds: f64,
    /// Problems it did not solve; a fixed schedule asks for no more than its cycles.
    pub failed: usize,
    /// Problems another solver finished.
    pub handed_over: usize,
    /// Problems where its pressure differs from the first solver's by more than 1e-4 of the largest.
    pub disagreed: usize,
    /// The log of the last problem.
    pub last: Option<SolveLog>,
}

/// What a campaign found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// One a solver.
    pub solvers: Vec<Measured>,
    /// Unknowns of the last problem seen.
    pub unknowns: usize,
    /// Those of them at walls.
    pub at_wall: usize,
    /// The largest violation of continuity after a projection, 1/s.
    pub divergence: f64,
}

impl Findings {
    /// What it says of some of the solvers, in their order.
    pub fn of(&self, solvers: &[&str]) -> Self {
        let of = |name: &&str| self.solvers.iter().find(|m| m.solver == *name).cloned();
        Self {
            solvers: solvers.iter().filter_map(of).collect(),
            ..self.clone()
        }
    }
}

/// Runs a campaign.
///
/// # Shapes and units
/// - `progress`: told frames done
/// # Errors
/// Where the driver fails or somebody asked to stop.
pub fn measure(
    campaign: &Campaign,
    watch: Watch<'_>,
    progress: &dyn Fn(usize),
) -> Result<Findings, SimulationError> {
    match &campaign.scene {
        AnyScene::Plane(scene) => run(scene, campaign, watch, progress),
        AnyScene::Space(scene) => run(scene, campaign, watch, progress),
    }
}

fn run<const D: usize>(
    scene: &Scene<D>,
    campaign: &Campaign,
    watch: Watch<'_>,
    progress: &dyn Fn(usize),
) -> Result<Findings, SimulationError> {
    let mut simulation = Simulation::new(scene.clone(), campaign.size, Separation::Cut);
    let mut driver = named::<D>(campaign.driver);
    let mut solvers: Vec<_> = campaign.solvers.iter().map(|s| named::<D>(s)).collect();
    let mut findings = Findings {
        solvers: campaign.solvers.iter().map(|s| Measured::of(s)).collect(),
        unknowns: 0,
        at_wall: 0,
        divergence: 0.0,
    };
    let frames = campaign.single.map_or(campaign.frames, |f| f + 1);
    for frame in 0..frames {
        let Findings {
            solvers: measured,
            unknowns,
            at_wall,
            ..
        } = &mut findings;
        let done = simulation.frame(&mut *driver, watch, &mut |step| {
            let is_asked = campaign
                .single
                .is_none_or(|f| step.frame == f && step.substep == 0);
            if !is_asked {
                return;
            }
            let lcp = &step.assembled.lcp;
            *unknowns = lcp.n();
            *at_wall = lcp.in_s.iter().filter(|s| **s).count();
            let mut first: Option<Vec<f64>> = None;
            for (solver, measured) in solvers.iter_mut().zip(measured.iter_mut()) {
                if campaign.single.is_some() {
                    solver.forget();
                }
                // The driver will meet whatever is wrong with the problem itself.
                let Ok(solution) = solver.solve(lcp, watch) else {
                    measured.failed += 1;
                    continue;
                };
                measured.add(&solution.log);
                let is_lcp = entry(measured.solver).is_some_and(|e| e.purpose == Purpose::Lcp);
                if is_lcp && solution.log.status == Status::Converged {
                    let want = first.get_or_insert_with(|| solution.best().to_vec());
                    measured.disagreed += usize::from(differ(want, solution.best()));
                }
            }
        })?;
        findings.divergence = findings.divergence.max(done.divergence);
        progress(frame + 1);
    }
    Ok(findings)
}

fn named<const D: usize>(name: &str) -> Box<dyn LcpSolver<D>> {
    solver(name).expect("campaigns name solvers of the table")
}

fn differ(a: &[f64], b: &[f64]) -> bool {
    let apart = a
        .iter()
        .zip(b)
        .fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    apart > 1e-4 * inf_norm(a).max(1e-6)
}

impl Measured {
    fn of(solver: &'static str) -> Self {
        Self {
            solver,
            solves: 0,
            iterations: 0,
            most: 0,
            outer: 0,
            by_outer: Vec::new(),
            seconds: 0.0,
            setup_seconds: 0.0,
            failed: 0,
            handed_over: 0,
            disagreed: 0,
            last: None,
        }
    }

    fn add(&mut self, log: &SolveLog) {
        self.solves += 1;
        self.iterations += log.iterations();
        self.most = self.most.max(log.iterations());
        self.outer += log.outer;
        if self.by_outer.len() <= log.outer {
            self.by_outer.resize(log.outer + 1, 0);
        }
        self.by_outer[log.outer] += 1;
        self.seconds += log.seconds;
        self.setup_seconds += log.setup_seconds;
        self.failed += usize::from(!log.status.is_done());
        self.handed_over += usize::from(log.fallback.is_some());
        self.last = Some(log.clone());
    }

    /// A sum over all problems as a mean of one.
    pub fn mean(&self, sum: f64) -> f64 {
        sum / self.solves.max(1) as f64
    }
}

/// Seconds to build the first coarse matrix under the first problem of a scene in space: direct discretisation, Galerkin with
/// trilinear weights, Galerkin with barycentric ones.
///
/// # Shapes and units
/// - `size`: cells a side of the fine grid, even
/// - `seconds`: tells the time
pub fn coarsening(scene: &Scene<3>, size: usize, seconds: &dyn Fn() -> f64) -> [f64; 3] {
    let lcp = Simulation::new(scene.clone(), size, Separation::Cut)
        .next_problem()
        .lcp;
    [
        (Weights::Barycentric, Coarse::Direct),
        (Weights::Trilinear, Coarse::Galerkin),
        (Weights::Barycentric, Coarse::Galerkin),
    ]
    .map(|(weights, coarse)| {
        let recipe = Recipe {
            weights,
            coarse,
            ..Recipe::default()
        };
        let begin = seconds();
        let geometry = lcp.geometry.as_ref();
        let coarser = Hierarchy::first_coarse(&lcp.matrix, &lcp.places, geometry, recipe);
        let taken = seconds() - begin;
        assert!(coarser.is_some_and(|n| n > 0), "a grid that can be halved");
        taken
    })
}
