//! The numerical choices of a run, apart from its physics.

use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::{WrongValue, first_wrong};

use crate::kernel::Kernel;
use crate::transfer::Transfer;

/// Numerical choices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How velocities go to the grid and back. Default APIC.
    pub transfer: Transfer,
    /// Round trips that XPIC filters with, and one more; 1 is PIC. Default 2. Higher is less dissipative, noisier and dearer.
    pub order: u32,
    /// FLIP's share, the rest is PIC, in \[0, 1\]. Default 1, which loses nothing and keeps all noise.
    pub flip_share: f64,
    /// The spline. Default quadratic.
    pub kernel: Kernel,
    /// Net outflow left in a cell after projection, over the largest speed. Default 1e-6. Smaller costs iterations.
    pub tolerance: f64,
    /// At most so many iterations of the pressure solver. Default 200.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            transfer: Transfer::Apic,
            order: 2,
            flip_share: 1.0,
            kernel: Kernel::Quadratic,
            tolerance: 1e-6,
            max_iterations: 200,
        }
    }
}

impl Settings {
    /// Whether all are in range.
    ///
    /// # Errors
    /// The first that isn't.
    pub fn validate(&self) -> Result<(), WrongValue> {
        let wrong = first_wrong(|c| {
            c.within("order", f64::from(self.order), 1.0..=20.0);
            c.within("flip_share", self.flip_share, 0.0..=1.0);
            c.within("tolerance", self.tolerance, 1e-14..=0.1);
            let most = self.max_iterations;
            c.that(most > 0, "max_iterations", most, "at least 1");
        });
        wrong.map_or(Ok(()), Err)
    }

    /// A short name, such as `xpic5` or `apic-cubic`.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = self.transfer.name().to_owned();
        if self.transfer == Transfer::Xpic {
            name += &self.order.to_string();
        }
        if self.kernel != Kernel::Quadratic {
            name += "-";
            name += self.kernel.name();
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_named() {
        assert!(Settings::default().validate().is_ok());
        let wrong = Settings {
            tolerance: f64::NAN,
            ..Settings::default()
        };
        assert_eq!(wrong.validate().unwrap_err().key, "tolerance");
    }
}
