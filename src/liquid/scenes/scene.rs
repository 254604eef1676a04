//! A container, the liquid in it, and what happens to them.

use crate::liquid::grid::Shape;

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

    /// Its rate.
    pub fn speed(&self, time: f64) -> f64 {
        let rate = std::f64::consts::TAU / self.period;
        self.amplitude * rate * (rate * time).cos()
    }
}

/// What is simulated, in the unit square or cube.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene<const D: usize> {
    /// Its name.
    pub name: &'static str,
    /// Where liquid may be.
    pub open: Shape<D>,
    /// Where it is at the start.
    pub liquid: Shape<D>,
    /// Its velocity at the start, m/s.
    pub velocity: [f64; D],
    /// Particles a cell.
    pub particles: usize,
    /// How the container moves.
    pub motion: Option<Motion>,
    /// Acceleration along y, m/s².
    pub gravity: f64,
    /// Time between frames, s.
    pub frame: f64,
}
