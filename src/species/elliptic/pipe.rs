//! A pipe that was solved as modes: concentrations anywhere along it.

use std::sync::Arc;

use super::section::{Modes, Section};
use crate::stream::Stream;

/// A pipe as modes: `c(x) = P+ exp(-mu+ x) a + P- exp(-mu- (L - x)) b`, plus the reference.
#[derive(Clone, Debug)]
pub struct InPipe {
    /// Elements across, from the right wall looking along the flow.
    pub section: Section,
    /// Its modes.
    pub modes: Arc<Modes>,
    /// Widths.
    pub length: f64,
    /// Amplitudes at the upstream end of modes that decay downstream.
    pub down: Vec<f64>,
    /// Amplitudes at the downstream end of modes that decay upstream.
    pub up: Vec<f64>,
    /// Concentration that is 0 in the amplitudes.
    pub reference: f64,
    /// m^2/s.
    pub flow: f64,
}

impl InPipe {
    /// Nodal values at a distance from the upstream end, in widths.
    pub fn at(&self, x: f64) -> Vec<f64> {
        let m = &self.modes;
        (0..self.section.n())
            .map(|i| {
                let down: f64 = (0..self.down.len())
                    .map(|k| m.down_shape[(i, k)] * (-m.down[k] * x).exp() * self.down[k])
                    .sum();
                let far = self.length - x;
                let up: f64 = (0..self.up.len())
                    .map(|k| m.up_shape[(i, k)] * (-m.up[k] * far).exp() * self.up[k])
                    .sum();
                self.reference + down + up
            })
            .collect()
    }

    /// What the pipe carries, concentration times m^2/s: only the constant mode carries anything.
    pub fn rate(&self) -> f64 {
        self.flow * (self.reference + self.down[0])
    }

    /// Tubes at a distance from the upstream end, in widths.
    pub fn tubes(&self, x: f64, n: usize) -> Stream {
        self.section.tubes(&self.at(x), self.flow, n)
    }

    /// Tubes that carry all of [`Self::rate`]: what diffusion carries along is spread over all of them.
    pub fn carrying(&self, x: f64, n: usize) -> Stream {
        let mut out = self.tubes(x, n);
        let add = (self.rate() - out.rate()) / self.flow;
        out.value.iter_mut().for_each(|c| *c += add);
        out
    }
}
