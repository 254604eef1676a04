//! What pictures and files show of a run, whichever loop runs it: walls, liquid and particles in the unit square or cube.

use std::borrow::Cow;

use crate::grid::{CellFlag, sample};
use crate::scenes::Simulation;
use crate::scenes::eckert::TankFlow;

/// Whether something is at a point.
type Is<'a, const D: usize> = Box<dyn Fn([f64; D]) -> bool + 'a>;

/// A run at one moment.
pub struct Still<'a, const D: usize> {
    /// Whether a point is in a wall.
    pub is_wall: Is<'a, D>,
    /// Whether a point that is not in a wall is in the liquid.
    pub is_liquid: Is<'a, D>,
    /// Side of a cell.
    pub dx: f64,
    /// Particles.
    pub x: Cow<'a, [[f64; D]]>,
    /// Time: s of scenes, the thesis's of tanks.
    pub time: f64,
    velocity: Box<dyn Fn(usize) -> [f64; D] + 'a>,
}

impl<const D: usize> Still<'_, D> {
    /// A particle's velocity, in sides of the domain a time.
    pub fn velocity(&self, particle: usize) -> [f64; D] {
        (self.velocity)(particle)
    }
}

impl<'a, const D: usize> From<&'a Simulation<D>> for Still<'a, D> {
    fn from(simulation: &'a Simulation<D>) -> Self {
        let mac = &simulation.mac;
        let (walls, liquid) = (simulation.walls(), simulation.liquid());
        let nodes = mac.cells.nodes();
        let dx = mac.dx;
        Self {
            is_wall: Box::new(move |x| sample(&nodes, &walls.distance, x.map(|x| x / dx)) < 0.0),
            is_liquid: Box::new(move |x| {
                sample(&mac.cells, &liquid, x.map(|x| x / dx - 0.5)) < 0.0
            }),
            dx,
            x: Cow::Borrowed(&simulation.x),
            time: simulation.time,
            velocity: Box::new(|p| mac.velocity(simulation.x[p])),
        }
    }
}

impl<'a, const D: usize> From<&'a TankFlow<D>> for Still<'a, D> {
    fn from(tank: &'a TankFlow<D>) -> Self {
        let cells = tank.mac.cells;
        let n = cells.n[0] as f64;
        let is = move |flag: CellFlag| -> Is<'a, D> {
            Box::new(move |x: [f64; D]| {
                let c = std::array::from_fn(|a| ((x[a] * n) as usize).min(cells.n[a] - 1));
                tank.flags[cells.index(c)] == flag
            })
        };
        Self {
            is_wall: is(CellFlag::Solid),
            is_liquid: is(CellFlag::Fluid),
            dx: 1.0 / n,
            x: tank.x.iter().map(|x| x.map(|x| x / n)).collect(),
            time: tank.steps as f64 * tank.settings.dt,
            velocity: Box::new(move |p| tank.v[p].map(|v| v / n)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::eckert::{FlowSettings, tank};

    #[test]
    fn a_tank_is_wall_around_liquid_at_the_left_and_air_at_the_right() {
        let tank = tank::<2>("breaking-dam").expect("a tank");
        let flow = TankFlow::new(&tank, 20, FlowSettings::of::<2>());
        let still = Still::from(&flow);
        assert!((still.is_wall)([0.01, 0.5]) && (still.is_wall)([1.0, 1.0]));
        assert!((still.is_liquid)([0.2, 0.3]) && !(still.is_liquid)([0.7, 0.3]));
        assert!(still.x.iter().flatten().all(|x| (0.05..0.61).contains(x)));
        assert_eq!((still.time, still.velocity(0)), (0.0, [0.0; 2]));
    }
}
