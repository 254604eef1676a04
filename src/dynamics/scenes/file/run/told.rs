//! What a liquid under way tells of its frames: numbers, and what is to be seen.

use std::sync::Arc;

use crate::lcp::{SolveLog, Watch, solver};
use crate::report::npz;
use crate::scenes::Simulation;

/// What a frame took and what came out, in SI.
#[derive(Clone, Debug)]
pub struct LiquidLog {
    /// Its number, from 1.
    pub frame: usize,
    /// Time at its end, s.
    pub time: f64,
    /// One log a pressure solve; residuals as their method has them.
    pub solves: Vec<SolveLog>,
    /// Cells of liquid.
    pub cells: usize,
    /// Cells that have left the wall.
    pub detached: usize,
    /// Parts of the liquid without air.
    pub pockets: usize,
    /// The largest violation of continuity after a solve, 1/s.
    pub divergence: f64,
    /// Volume of the liquid, m² or m³.
    pub volume: f64,
    /// The largest velocity component, m/s.
    pub max_speed: f64,
    /// Kinetic energy over density, m⁴/s² or m⁵/s².
    pub kinetic: f64,
    /// Potential energy over density from y = 0, in the same unit.
    pub potential: f64,
}

/// The head of [`LiquidLog::row`].
pub const HEAD: &str = "frame,time_s,solver,solves,iterations,outer,residual,seconds,cells,detached,pockets,divergence_1_s,volume,max_speed_m_s,kinetic,potential,status";

impl LiquidLog {
    /// Iterations of all solves.
    pub fn iterations(&self) -> usize {
        self.solves.iter().map(SolveLog::iterations).sum()
    }

    /// The largest residual of any solve.
    pub fn residual(&self) -> f64 {
        let all = self.solves.iter().map(SolveLog::residual);
        all.fold(0.0, f64::max)
    }

    /// As a line of CSV, without its end.
    pub fn row(&self) -> String {
        let last = self.solves.last();
        format!(
            "{},{},{},{},{},{},{:e},{:e},{},{},{},{:e},{},{},{},{},{}",
            self.frame,
            self.time,
            last.map_or("", |s| s.solver),
            self.solves.len(),
            self.iterations(),
            self.solves.iter().map(|s| s.outer).sum::<usize>(),
            self.residual(),
            self.solves.iter().map(|s| s.seconds).sum::<f64>(),
            self.cells,
            self.detached,
            self.pockets,
            self.divergence,
            self.volume,
            self.max_speed,
            self.kinetic,
            self.potential,
            last.map_or("", |s| s.status.word()),
        )
    }
}

/// A scene at cut walls, which a frame begins from.
#[derive(Clone, Debug)]
pub enum Next {
    /// In the plane.
    Plane(Arc<Simulation<2>>),
    /// In space.
    Space(Arc<Simulation<3>>),
    /// Walls along the cells: its methods have no one problem.
    Stairs,
}

impl Next {
    /// The pressure problem that the next frame begins with, solved, as numpy's `.npz`; none of stairs, and where it can't be solved.
    pub fn problem(&self) -> Option<Vec<u8>> {
        fn solved<const D: usize>(simulation: &Simulation<D>) -> Option<Vec<u8>> {
            let lcp = simulation.next_problem().lcp;
            let mut solver = solver::<D>("pi-mgpcg")?;
            let (p, _) = solver.solve(&lcp, Watch::SILENT).ok()?.converged().ok()?;
            Some(npz::problem(&lcp, &p))
        }
        match self {
            Next::Plane(simulation) => solved(simulation),
            Next::Space(simulation) => solved(simulation),
            Next::Stairs => None,
        }
    }
}

/// What is to be seen of a running scene, in SI; in the plane third parts are 0.
#[derive(Clone, Debug)]
pub struct LiquidSnapshot {
    /// 2 or 3.
    pub dimension: usize,
    /// Frames done.
    pub frames: usize,
    /// Time, s.
    pub time: f64,
    /// Side of the domain, m.
    pub side: f64,
    /// Cells along each axis; 1 along what isn't there.
    pub cells: [usize; 3],
    /// Side of a cell, m.
    pub dx: f64,
    /// Particles: positions, m.
    pub x: Vec<[f64; 3]>,
    /// Particles: velocities, m/s.
    pub v: Vec<[f64; 3]>,
    /// By cell, x fastest: pressure over density of the last solve, m²/s²; 0 where there was none, empty where none is told.
    pub pressure: Vec<f64>,
    /// By cell: velocity at its centre, m/s.
    pub velocity: Vec<[f64; 3]>,
    /// By cell: velocity across its lower face of each axis, m/s.
    pub faces: Vec<[f64; 3]>,
    /// By cell: distance to the liquid's surface at its centre, negative inside, m; of stairs half a cell either way.
    pub liquid: Vec<f64>,
    /// By cell: distance to the nearest wall at its centre, positive in open space, m; of stairs half a cell either way.
    pub walls: Vec<f64>,
    /// What the next frame begins from.
    pub next: Next,
}
