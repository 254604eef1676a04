//! Between particles and faces: sums over kernels one way, values and first moments the other.
//!
//! ```text
//! scatter   m_ia = sum_p w m_p,   q_ia = sum_p w m_p (v_pa + c_pa . r)        r = x_ia - x_p, c = D⁻¹ b
//! gather    v_pa = sum_i w u_ia,  b_pa = sum_i w u_ia r
//! ```
//! Every axis of the velocity has a lattice of faces of its own, so everything is done once an axis. The methods on top differ in what
//! they put in and what they keep: [`Transfer`], [`xpic`]; beside bodies values are fitted to those faces that are valid: [`mls`].

mod gather;
pub mod mls;
mod scatter;
pub mod xpic;

use serde::{Deserialize, Serialize};

use crate::kernel::{Kernel, Reach};

pub use gather::{Gathered, gather, gather_all};
pub use scatter::{Sums, scatter, velocities};

/// How velocities go from particles to the grid and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// Particles take the grid's velocity: stable, and dissipative in second order.
    Pic,
    /// Particles take the change of the grid's velocity: no dissipation, and noise that nothing removes.
    Flip,
    /// FLIP without the part of the noise that `order` round trips of PIC filter out.
    Xpic,
    /// Particles take the grid's velocity and its first moments: dissipative in fourth order, keeps angular momentum.
    #[default]
    Apic,
}

impl Transfer {
    /// All of them.
    pub const ALL: [Transfer; 4] = [
        Transfer::Pic,
        Transfer::Flip,
        Transfer::Xpic,
        Transfer::Apic,
    ];

    /// Its name, as a command takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Transfer::Pic => "pic",
            Transfer::Flip => "flip",
            Transfer::Xpic => "xpic",
            Transfer::Apic => "apic",
        }
    }

    /// Whether particles are moved with their own velocity, which is then the grid's at their place.
    #[must_use]
    pub fn moves_by_itself(self) -> bool {
        matches!(self, Transfer::Pic | Transfer::Apic)
    }
}

/// The nodes that one particle reaches along each axis, for faces across that axis (which lie on nodes) and across others (half a cell
/// off).
#[derive(Clone, Copy)]
pub(crate) struct Reaches<const D: usize> {
    on: [Reach; D],
    off: [Reach; D],
}

impl<const D: usize> Reaches<D> {
    /// The reaches of a particle at `x` in cells.
    #[inline]
    pub(crate) fn new(kernel: Kernel, x: [f64; D]) -> Self {
        Self {
            on: x.map(|x| kernel.reach(x)),
            off: x.map(|x| kernel.reach(x - 0.5)),
        }
    }

    /// For component `axis`.
    #[inline]
    pub(crate) fn of(&self, axis: usize) -> [&Reach; D] {
        std::array::from_fn(|k| if k == axis { &self.on[k] } else { &self.off[k] })
    }
}

/// The diagonal of `D` over `dx²` for component `axis` of a particle at `x` in cells.
#[inline]
pub(crate) fn second_moments<const D: usize>(kernel: Kernel, x: [f64; D], axis: usize) -> [f64; D] {
    std::array::from_fn(|k| kernel.second_moment(if k == axis { x[k] } else { x[k] - 0.5 }))
}

/// Below this part of `dx²` the linear kernel's second moment counts as none: the pseudo-inverse of `D`.
const LEAST_MOMENT: f64 = 1e-10;

/// The gradient `c = D⁺ b` of component `axis`, 1/s.
#[inline]
#[must_use]
pub fn gradient<const D: usize>(
    kernel: Kernel,
    x: [f64; D],
    axis: usize,
    b: [f64; D],
    dx: f64,
) -> [f64; D] {
    let d = second_moments(kernel, x, axis);
    std::array::from_fn(|k| {
        if d[k] > LEAST_MOMENT {
            b[k] / (d[k] * dx * dx)
        } else {
            0.0
        }
    })
}

/// The moments `b = D c` of component `axis`, m²/s.
#[inline]
#[must_use]
pub fn moments<const D: usize>(
    kernel: Kernel,
    x: [f64; D],
    axis: usize,
    c: [f64; D],
    dx: f64,
) -> [f64; D] {
    let d = second_moments(kernel, x, axis);
    std::array::from_fn(|k| d[k] * dx * dx * c[k])
}
