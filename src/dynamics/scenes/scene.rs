//! A container, the liquid in it, and what happens to them.

use crate::grid::{Lattice, Shape};

/// A container that swings along an axis: displacement `amplitude sin(2 pi t / period)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Which axis.
    pub axis: usize,
    /// Largest displacement, m.
    pub amplitude: f64,
    /// Time of a swing, s.
    pub period: f64,
}

impl Motion {
    /// Displacement at a time.
    pub fn displacement(&self, time: f64) -> f64 {
        self.amplitude * (std::f64::consts::TAU * time / self.period).sin()
    }

    /// Its second derivative.
    pub fn acceleration(&self, time: f64) -> f64 {
        let rate = std::f64::consts::TAU / self.period;
        -self.displacement(time) * rate * rate
    }

    /// Its rate.
    pub fn speed(&self, time: f64) -> f64 {
        let rate = std::f64::consts::TAU / self.period;
        self.amplitude * rate * (rate * time).cos()
    }
}

/// Liquid with a velocity of its own at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Jet<const D: usize> {
    /// Where it is.
    pub liquid: Shape<D>,
    /// Its velocity, m/s.
    pub velocity: [f64; D],
}

/// What is simulated, in a rectangle or box from the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene<const D: usize> {
    /// Its name.
    pub name: &'static str,
    /// The longest side, m.
    pub side: f64,
    /// All sides, in parts of the longest.
    pub aspect: [f64; D],
    /// Where liquid may be.
    pub open: Shape<D>,
    /// Where it is at the start.
    pub liquid: Shape<D>,
    /// Its velocity at the start, m/s.
    pub velocity: [f64; D],
    /// Several liquids that move differently at the start; none where `velocity` is that of all.
    pub jets: Vec<Jet<D>>,
    /// Particles a cell.
    pub particles: usize,
    /// How the container moves.
    pub motion: Option<Motion>,
    /// Acceleration along y, m/s².
    pub gravity: f64,
    /// Time between frames, s.
    pub frame: f64,
    /// Whether liquid that particles lose or gain as they crowd and scatter is made up for.
    pub keeps_volume: bool,
}

impl<const D: usize> Scene<D> {
    /// The same with the volume kept, and with particles enough that none of the liquid's cells falls empty as they move.
    pub fn keeping_volume(mut self) -> Self {
        self.keeps_volume = true;
        self.particles = self.particles.max(1 << D);
        self
    }

    /// Its cells, `n` along the longest side.
    pub fn lattice(&self, n: usize) -> Lattice<D> {
        Lattice::new(self.aspect.map(|part| (part * n as f64).round() as usize))
    }

    /// The velocity at a place at the start: that of the jet that it is in, or nearest to.
    pub fn velocity_at(&self, x: [f64; D]) -> [f64; D] {
        let distance = |jet: &&Jet<D>| jet.liquid.distance(x);
        let nearest = self
            .jets
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(self.velocity, |jet| jet.velocity)
    }

    /// Whether a grid of `n` cells along the longest side holds the scene: what is open never reaches into the outermost cells, wherever the
    /// container swings. Those are the wall that every solver counts on.
    pub fn fits(&self, n: usize) -> bool {
        let cells = self.lattice(n).n;
        if cells.iter().any(|n| *n < 3) {
            return false;
        }
        let dx = self.side / n as f64;
        let swings = match &self.motion {
            Some(motion) => vec![
                (motion.axis, motion.amplitude),
                (motion.axis, -motion.amplitude),
            ],
            None => vec![(0, 0.0)],
        };
        // Nodes on the inner side of the outermost cells.
        let is_open = |side: usize, node: usize, (axis, by): (usize, f64)| {
            let mut rest = node;
            let mut x = [0.0; D];
            for (a, x) in x.iter_mut().enumerate() {
                *x = if a == side / 2 {
                    if side.is_multiple_of(2) {
                        dx
                    } else {
                        (cells[a] - 1) as f64 * dx
                    }
                } else {
                    let across = cells[a] + 1;
                    let c = rest % across;
                    rest /= across;
                    c as f64 * dx
                };
            }
            x[axis] -= by;
            self.open.distance(x) < 0.0
        };
        !(0..2 * D).any(|side| {
            let others = (0..D).filter(|a| *a != side / 2);
            let nodes: usize = others.map(|a| cells[a] + 1).product();
            swings
                .iter()
                .any(|swing| (0..nodes).any(|node| is_open(side, node, *swing)))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::scenes::{scene2, scene3};

    #[test]
    fn a_scene_fits_a_grid_whose_outermost_cells_are_wall() {
        let circle = scene2("circle").expect("a scene");
        assert!(circle.fits(16) && circle.fits(512));
        assert!(!circle.fits(8), "open at 0.1, cells of 0.125");
        let swinging = scene2("swinging-circle").expect("a scene");
        assert!(!swinging.fits(16), "swings to 0.05, cells of 0.0625");
        assert!(swinging.fits(32));
        let sphere = scene3("sphere").expect("a scene");
        assert!(sphere.fits(16) && !sphere.fits(0));
    }
}
