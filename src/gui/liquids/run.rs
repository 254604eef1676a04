//! A simulation of either loop as views see it: places in the unit square or cube, velocities, edges of walls and of the liquid.
//! Nothing in it changes any more.

use std::sync::Arc;

use super::settings::Walls;
use super::subjects::Group;
use stokeslet_dynamics::grid::{CellFlag, Lattice, Mac, sample};
use stokeslet_dynamics::particles::extend_into_solid;
use stokeslet_dynamics::pressure::Separation;
use stokeslet_dynamics::report::frames;
use stokeslet_dynamics::report::still::Still;
use stokeslet_dynamics::scenes::Simulation;
use stokeslet_dynamics::scenes::eckert::TankFlow;

/// What runs, in either loop.
#[derive(Clone, Debug)]
pub enum AnyRun<const D: usize> {
    /// A scene of \[000\] or \[001\], in metres.
    Scene {
        /// Particles, velocities, walls.
        simulation: Arc<Simulation<D>>,
        /// The liquid's level set at cell centres, continued into walls, m.
        liquid: Arc<Vec<f64>>,
    },
    /// A tank of \[003\], in cells.
    Tank(Arc<TankFlow<D>>),
}

impl<const D: usize> AnyRun<D> {
    /// The run of a simulation whose pressure was never solved for.
    pub fn of_scene(simulation: Arc<Simulation<D>>) -> Self {
        let mac = &simulation.mac;
        let mut liquid = simulation.liquid();
        let walls = &simulation.walls().distance;
        extend_into_solid(&mac.cells, mac.dx, walls, &mut liquid);
        AnyRun::Scene {
            liquid: Arc::new(liquid),
            simulation,
        }
    }

    /// Which loop it is.
    pub fn group(&self) -> Group {
        match self {
            AnyRun::Scene { .. } => Group::Scenes,
            AnyRun::Tank(_) => Group::Tanks,
        }
    }

    fn mac(&self) -> &Mac<D> {
        match self {
            AnyRun::Scene { simulation, .. } => &simulation.mac,
            AnyRun::Tank(flow) => &flow.mac,
        }
    }

    /// In its own unit of length: metres or cells.
    fn positions(&self) -> &[[f64; D]] {
        match self {
            AnyRun::Scene { simulation, .. } => &simulation.x,
            AnyRun::Tank(flow) => &flow.x,
        }
    }

    /// Its own units of length in a side of the picture.
    fn side(&self) -> f64 {
        match self {
            AnyRun::Scene { .. } => 1.0,
            AnyRun::Tank(flow) => flow.mac.cells.n[0] as f64,
        }
    }

    /// The cells.
    pub fn cells(&self) -> &Lattice<D> {
        &self.mac().cells
    }

    /// Side of a cell.
    pub fn dx(&self) -> f64 {
        self.mac().dx / self.side()
    }

    /// Frames or steps done.
    pub fn frames(&self) -> usize {
        match self {
            AnyRun::Scene { simulation, .. } => simulation.frames,
            AnyRun::Tank(flow) => flow.steps,
        }
    }

    /// Time: s of scenes, the thesis's of tanks.
    pub fn time(&self) -> f64 {
        match self {
            AnyRun::Scene { simulation, .. } => simulation.time,
            AnyRun::Tank(flow) => flow.steps as f64 * flow.settings.dt,
        }
    }

    /// What walls do; of a tank that is up to who solves.
    pub fn walls(&self) -> Option<Walls> {
        match self {
            AnyRun::Scene { simulation, .. } => Some(match simulation.separation {
                Separation::Sticking => Walls::Sticking,
                _ => Walls::Separating,
            }),
            AnyRun::Tank(_) => None,
        }
    }

    /// How many particles.
    pub fn particles(&self) -> usize {
        self.positions().len()
    }

    /// Where a particle is.
    pub fn particle(&self, k: usize) -> [f64; D] {
        let side = self.side();
        self.positions()[k].map(|x| x / side)
    }

    /// The velocity at a place: m/s of scenes, cells a time of tanks.
    pub fn velocity(&self, x: [f64; D]) -> [f64; D] {
        let side = self.side();
        self.mac().velocity(x.map(|x| x * side))
    }

    /// Its magnitude.
    pub fn speed(&self, x: [f64; D]) -> f64 {
        let v = self.velocity(x);
        v.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// The cell that holds a place, if it is on the grid.
    pub fn cell(&self, x: [f64; D]) -> Option<usize> {
        let (cells, dx) = (self.cells(), self.dx());
        let mut c = [0; D];
        for a in 0..D {
            let at = x[a] / dx;
            if !(0.0..cells.n[a] as f64).contains(&at) {
                return None;
            }
            c[a] = at as usize;
        }
        Some(cells.index(c))
    }

    /// Whether a cell holds liquid.
    pub fn is_liquid(&self, cell: usize) -> bool {
        match self {
            AnyRun::Scene { liquid, .. } => liquid[cell] < 0.0,
            AnyRun::Tank(flow) => flow.flags[cell] == CellFlag::Fluid,
        }
    }

    /// Distance to the nearest wall, positive in open space. `seen` are the axes of the picture: the stairs of tanks have edges
    /// where the picture has them, not behind it.
    pub fn openness(&self, x: [f64; D], seen: [usize; 2]) -> f64 {
        match self {
            AnyRun::Scene { simulation, .. } => {
                let mac = &simulation.mac;
                let at = x.map(|x| x / mac.dx);
                sample(&mac.cells.nodes(), &simulation.walls().distance, at)
            }
            AnyRun::Tank(flow) => {
                let is_open = |cell: usize| Some(flow.flags[cell] != CellFlag::Solid);
                self.dx() * stairs(self, x, seen, is_open)
            }
        }
    }

    /// Distance to the surface, positive in the liquid, which goes on into walls: those are drawn over it.
    pub fn depth(&self, x: [f64; D], seen: [usize; 2]) -> f64 {
        match self {
            AnyRun::Scene { simulation, liquid } => {
                let mac = &simulation.mac;
                let centred = x.map(|x| x / mac.dx - 0.5);
                -sample(&mac.cells, liquid, centred)
            }
            AnyRun::Tank(flow) => {
                let is_wet = |cell: usize| match flow.flags[cell] {
                    CellFlag::Fluid => Some(true),
                    CellFlag::Air => Some(false),
                    CellFlag::Solid => None,
                };
                self.dx() * stairs(self, x, seen, is_wet)
            }
        }
    }

    /// What pictures and files of the command line show of it.
    pub fn still(&self) -> Still<'_, D> {
        match self {
            AnyRun::Scene { simulation, .. } => Still::from(&**simulation),
            AnyRun::Tank(flow) => Still::from(&**flow),
        }
    }

    /// The head of its table.
    pub fn head(&self) -> &'static str {
        match self {
            AnyRun::Scene { .. } => frames::HEAD,
            AnyRun::Tank(_) => frames::TANK_HEAD,
        }
    }
}

/// Distance from a place to the edge of the cells that are in, along the axes that are seen, in cells: positive inside. Only the
/// cells around are looked at, so it is never more than 1. Cells of which it isn't said are neither in nor an edge.
fn stairs<const D: usize>(
    run: &AnyRun<D>,
    x: [f64; D],
    seen: [usize; 2],
    is_in: impl Fn(usize) -> Option<bool>,
) -> f64 {
    let (cells, dx) = (run.cells(), run.dx());
    let at = x.map(|x| x / dx);
    let c: [usize; D] = std::array::from_fn(|a| (at[a].max(0.0) as usize).min(cells.n[a] - 1));
    let own = is_in(cells.index(c)).unwrap_or(false);
    // To the cell before, to this one, to the next, along either axis.
    let gaps = seen.map(|a| {
        let part = (at[a] - c[a] as f64).clamp(0.0, 1.0);
        [part, 0.0, 1.0 - part]
    });
    let mut nearest = 1.0f64;
    for (i, across) in gaps[0].iter().enumerate() {
        for (j, up) in gaps[1].iter().enumerate() {
            let mut other = c;
            for (axis, step) in seen.into_iter().zip([i, j]) {
                // Before the first cell there is none: it wraps to one that isn't there.
                other[axis] = (c[axis] + step).wrapping_sub(1);
            }
            let is_there = seen.into_iter().all(|a| other[a] < cells.n[a]);
            if is_there && is_in(cells.index(other)) == Some(!own) {
                nearest = nearest.min(across.hypot(*up));
            }
        }
    }
    if own { nearest } else { -nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_dynamics::scenes::eckert::{FlowSettings, tank};

    fn dam() -> AnyRun<2> {
        let tank = tank::<2>("breaking-dam").expect("a tank");
        AnyRun::Tank(Arc::new(TankFlow::new(&tank, 20, FlowSettings::of::<2>())))
    }

    #[test]
    fn the_stairs_of_a_tank_are_where_its_cells_end() {
        let (run, seen) = (dam(), [0, 1]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        // The layer of solid cells ends at 0.05; the liquid at 0.4 and 0.6.
        assert!(near(run.openness([0.06, 0.3], seen), 0.01));
        assert!(near(run.openness([0.03, 0.3], seen), -0.02));
        assert!(near(run.depth([0.38, 0.3], seen), 0.02));
        assert!(near(run.depth([0.43, 0.3], seen), -0.03));
        let corner = run.depth([0.42, 0.615], seen);
        assert!(near(corner, -0.025), "3, 4, 5: {corner}");
        assert!(
            run.depth([0.06, 0.3], seen) > 0.04,
            "a wall is no surface of the liquid"
        );
        assert!(near(run.openness([0.5, 0.5], seen), 0.05), "no farther");
        // The edge of the grid is no edge of the wall.
        assert!(near(run.openness([0.0, 0.5], seen), -0.05));
    }

    #[test]
    fn a_tank_is_seen_in_the_unit_square_and_its_speeds_in_cells() {
        let AnyRun::Tank(flow) = dam() else {
            panic!("a tank");
        };
        let mut flow = (*flow).clone();
        flow.mac.u[0].fill(3.0);
        flow.steps = 4;
        let run = AnyRun::Tank(Arc::new(flow));
        assert!((run.speed([0.5, 0.5]) - 3.0).abs() < 1e-12);
        assert_eq!((run.frames(), run.time(), run.dx()), (4, 2.0, 0.05));
        let inside = |k| run.particle(k).iter().all(|x| (0.05..0.61).contains(x));
        assert!((0..run.particles()).all(inside));
        let cell = run.cell([0.2, 0.3]).expect("on the grid");
        assert!(run.is_liquid(cell) && run.cell([1.2, 0.3]).is_none());
    }
}
