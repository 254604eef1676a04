//! The numerical choices of a run, apart from its physics: which coupling, which solver, when it stops.

use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::{WrongValue, first_wrong};

/// How bodies and walls act on the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coupling {
    /// The paper's ("A"): particles of bodies and walls count in the number density only, and act by contacts.
    #[default]
    Contacts,
    /// Ours ("B"): they are in all sums as well, so the pressure of a fluid particle pushes them. Contacts stay. Better added mass, fewer sweeps.
    Sums,
}

/// What solves a step's constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Projected Gauss-Seidel (SOR with `over_relaxation`): cheap, slows down as a tank deepens.
    #[default]
    GaussSeidel,
    /// Primal-dual active set with preconditioned conjugate gradients for each set; sweeps when it cycles. Unreliable where contacts depend on
    /// each other at large ratios of mass.
    ActiveSet,
    /// Sweeps that guess the active set, then conjugate gradients inside it with a projected search: the objective never grows, so it cannot cycle.
    /// The one to take when sweeps are too slow.
    Subspace,
}

/// The first guess of a step's pressures and impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Zero, as the paper has it.
    Cold,
    /// The last step's, by particle and by pair.
    #[default]
    Warm,
}

/// Numerical choices. The default is the cheap one for interactive use: warm sweeps with over-relaxation 1.5.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How bodies and walls act on the fluid. Default the paper's.
    pub coupling: Coupling,
    /// What solves the constraints. Default sweeps.
    pub solver: Solver,
    /// The first guess. Default warm.
    pub start: Start,
    /// Stop when every constraint moved less than this fraction of the step's speed `max(g h, 1e-3 max|u*|)`. Default 0.01.
    /// Smaller costs sweeps; larger lets deep tanks sink.
    pub tolerance: f64,
    /// At most so many sweeps, or products with the constraint matrix. Default 200.
    pub max_iterations: u32,
    /// Factor of each Gauss-Seidel correction, in (0, 2). Default 1.5; 1 is plain. Over 1.5 hurts wide tanks.
    pub over_relaxation: f64,
    /// Fraction of a density error removed in a step, in \[0, 1\]. Default 0.05. 0 lets the fluid shrink, 1 makes pressures noisy.
    pub alpha: f64,
    /// Fraction of a penetration removed in a step, in \[0, 1\]. Default 0.05.
    pub contact_alpha: f64,
    /// Contacts are also made for gaps up to this many spacings, which they let close but not cross. Default 0, as in the paper; 0.5 cuts
    /// penetrations to a third and less.
    pub margin: f64,
    /// The gyroscopic force of turning bodies. Default off, as in the paper.
    pub gyroscope: Gyroscope,
}

/// Whether turning bodies feel the gyroscopic force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscope {
    /// Angular velocity changes by torques only.
    #[default]
    Off,
    /// `omega* -= h I^-1 (omega x I omega)` before the constraints; explicit, so for small `h |omega|`.
    Explicit,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            coupling: Coupling::Contacts,
            solver: Solver::GaussSeidel,
            start: Start::Warm,
            tolerance: 1e-2,
            max_iterations: 200,
            over_relaxation: 1.5,
            alpha: 0.05,
            contact_alpha: 0.05,
            margin: 0.0,
            gyroscope: Gyroscope::Off,
        }
    }
}

impl Settings {
    /// The settings of the paper's tables: cold, plain sweeps, at most so many.
    #[must_use]
    pub fn paper(max_iterations: u32) -> Settings {
        Settings {
            start: Start::Cold,
            over_relaxation: 1.0,
            max_iterations,
            ..Settings::default()
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// The first setting outside its range; not-a-number is outside every range.
    pub fn validate(&self) -> Result<(), WrongValue> {
        let wrong = first_wrong(|c| {
            c.within("tolerance", self.tolerance, 0.0..=1e3);
            let most = self.max_iterations;
            c.that(most > 0, "max_iterations", most, "at least 1");
            let factor = self.over_relaxation;
            let stable = factor > 0.0 && factor < 2.0;
            c.that(stable, "over_relaxation", factor, "between 0 and 2");
            c.within("alpha", self.alpha, 0.0..=1.0);
            c.within("contact_alpha", self.contact_alpha, 0.0..=1.0);
            c.within("margin", self.margin, 0.0..=1.0);
        });
        wrong.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every range is checked, not-a-number included.
    #[test]
    fn settings_outside_their_ranges_are_named() {
        let bad: [(&str, Settings); 4] = [
            (
                "tolerance",
                Settings {
                    tolerance: f64::NAN,
                    ..Settings::default()
                },
            ),
            (
                "over_relaxation",
                Settings {
                    over_relaxation: 2.0,
                    ..Settings::default()
                },
            ),
            (
                "max_iterations",
                Settings {
                    max_iterations: 0,
                    ..Settings::default()
                },
            ),
            (
                "margin",
                Settings {
                    margin: -0.1,
                    ..Settings::default()
                },
            ),
        ];
        for (name, settings) in bad {
            assert_eq!(settings.validate().unwrap_err().key, name);
        }
        assert_eq!(Settings::default().validate(), Ok(()));
    }
}
