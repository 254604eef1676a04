//! B-splines: how far a particle reaches on the grid, and with which weights.

use serde::{Deserialize, Serialize};

/// The spline of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// Two nodes an axis. Cheap; its second moment vanishes on nodes, so APIC's affine part is lost there.
    Linear,
    /// Three nodes an axis: the usual one.
    #[default]
    Quadratic,
    /// Four nodes an axis: smoother and slightly more dissipative.
    Cubic,
}

/// A kernel's nodes along one axis, in cells.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The first node; the others follow.
    pub first: i64,
    /// Their weights; the last are 0 where a kernel has fewer nodes.
    pub weights: [f64; 4],
    /// From the particle to the first node.
    pub offset: f64,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Kernel; 3] = [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic];

    /// Its name, as a command takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Linear => "linear",
            Kernel::Quadratic => "quadratic",
            Kernel::Cubic => "cubic",
        }
    }

    /// Nodes along an axis.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Kernel::Linear => 2,
            Kernel::Quadratic => 3,
            Kernel::Cubic => 4,
        }
    }

    /// The nodes that a particle at `x` reaches along an axis whose nodes are the integers.
    ///
    /// # Accuracy and cost
    /// Weights are at least 0 and sum to 1 within rounding; first moments about the particle vanish.
    /// # Source
    /// \[004\] section 3.2.2.
    #[inline]
    #[must_use]
    pub fn reach(self, x: f64) -> Reach {
        match self {
            Kernel::Linear => {
                let first = x.floor();
                let f = x - first;
                Reach {
                    first: first as i64,
                    weights: [1.0 - f, f, 0.0, 0.0],
                    offset: -f,
                }
            }
            Kernel::Quadratic => {
                let middle = (x + 0.5).floor();
                let d = x - middle;
                Reach {
                    first: middle as i64 - 1,
                    weights: [
                        0.5 * (0.5 - d) * (0.5 - d),
                        0.75 - d * d,
                        0.5 * (0.5 + d) * (0.5 + d),
                        0.0,
                    ],
                    offset: -1.0 - d,
                }
            }
            Kernel::Cubic => {
                let low = x.floor();
                let f = x - low;
                let g = 1.0 - f;
                Reach {
                    first: low as i64 - 1,
                    weights: [
                        g * g * g / 6.0,
                        2.0 / 3.0 - 0.5 * f * f * (2.0 - f),
                        2.0 / 3.0 - 0.5 * g * g * (2.0 - g),
                        f * f * f / 6.0,
                    ],
                    offset: -1.0 - f,
                }
            }
        }
    }

    /// Derivatives of the weights by `x`, for the same nodes.
    #[must_use]
    pub fn slopes(self, x: f64) -> [f64; 4] {
        match self {
            Kernel::Linear => [-1.0, 1.0, 0.0, 0.0],
            Kernel::Quadratic => {
                let d = x - (x + 0.5).floor();
                [d - 0.5, -2.0 * d, d + 0.5, 0.0]
            }
            Kernel::Cubic => {
                let f = x - x.floor();
                let g = 1.0 - f;
                [
                    -0.5 * g * g,
                    -2.0 * f + 1.5 * f * f,
                    2.0 * g - 1.5 * g * g,
                    0.5 * f * f,
                ]
            }
        }
    }

    /// The second moment of the weights about the particle along an axis: the diagonal of `D` over `dx²`. It is constant but for the
    /// linear kernel.
    #[inline]
    #[must_use]
    pub fn second_moment(self, x: f64) -> f64 {
        match self {
            Kernel::Linear => {
                let f = x - x.floor();
                f * (1.0 - f)
            }
            Kernel::Quadratic => 0.25,
            Kernel::Cubic => 1.0 / 3.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_what_the_transfers_rely_on() {
        for kernel in Kernel::ALL {
            for k in 0..200 {
                let x = -2.0 + 0.0371 * f64::from(k);
                let reach = kernel.reach(x);
                let moment = |power: i32| -> f64 {
                    (0..4)
                        .map(|i| reach.weights[i] * (reach.offset + i as f64).powi(power))
                        .sum()
                };
                assert!((reach.first as f64 - x - reach.offset).abs() < 1e-14);
                assert!((moment(0) - 1.0).abs() < 1e-14, "{kernel:?} {x}");
                assert!(moment(1).abs() < 1e-14, "{kernel:?} {x}");
                assert!(
                    (moment(2) - kernel.second_moment(x)).abs() < 1e-14,
                    "{kernel:?} {x}"
                );
                assert!(reach.weights.iter().all(|w| *w >= 0.0));
                assert!(reach.weights[kernel.width()..].iter().all(|w| *w == 0.0));
            }
        }
    }

    #[test]
    fn slopes_are_differences_of_weights() {
        let h = 1e-6;
        for kernel in Kernel::ALL {
            for k in 0..50 {
                let x = 0.013 + 0.0371 * f64::from(k);
                let (low, high) = (kernel.reach(x - h), kernel.reach(x + h));
                if low.first != high.first {
                    continue;
                }
                for i in 0..4 {
                    let slope = (high.weights[i] - low.weights[i]) / (2.0 * h);
                    assert!(
                        (slope - kernel.slopes(x)[i]).abs() < 1e-8,
                        "{kernel:?} {x} {i}"
                    );
                }
            }
        }
    }
}
