//! Chips to solutions or errors.

use stokeslet::cancel::CancelToken;
use stokeslet::chip::Chip;
use stokeslet::session::{Corners, SolveError, SolveSettings, solve};
use stokeslet::table::Table;
use stokeslet::thesis::blocks::cut;

use crate::validity::size;

/// More cells take too long for a case among many.
const MOST_CELLS: f64 = 6e3;
/// Flow that may be lost. (Flow rates given at all ports may be unbalanced by as much as placement allows.)
const MASS_IMBALANCE: f64 = 1e-6;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Unread,
    Refused,
    TooLarge,
    NotMeshed,
    Solved,
}

/// Cuts and solves a chip that is not too large.
pub fn solve_if_small(chip: &Chip, resolution: u32, text: &str) -> Outcome {
    if size(chip, resolution) > MOST_CELLS {
        return Outcome::TooLarge;
    }
    let ownership = stokeslet::thesis::Ownership::Connections;
    let is_cut = cut(chip, resolution, Corners::Plain, ownership).is_ok();
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    match solve(
        chip,
        &settings,
        &Table::default(),
        &|_, _| {},
        &CancelToken::new(),
    ) {
        Ok(solution) => {
            let finite = solution
                .ports
                .iter()
                .all(|port| port.flow_rate.is_finite() && port.mean_pressure.is_finite());
            assert!(
                finite,
                "{:?}\nat resolution {resolution}\n{text}",
                solution.ports
            );
            let largest = solution
                .ports
                .iter()
                .map(|port| port.flow_rate.abs())
                .fold(0.0, f64::max);
            let lost: f64 = solution.ports.iter().map(|port| port.flow_rate).sum();
            // Below this nothing flows but rounding: 1e-9 of what 1 Pa drives through a square of channel.
            let nothing = 1e-9 * 1e-8 * 50e-6 / (12.0 * chip.viscosity);
            assert!(
                lost.abs() <= MASS_IMBALANCE * largest + nothing,
                "{lost:e} of {largest:e} is lost at resolution {resolution}\n{text}"
            );
            Outcome::Solved
        }
        Err(SolveError::Mesh { .. }) => {
            assert!(!is_cut, "what can be cut can be meshed\n{text}");
            Outcome::NotMeshed
        }
        Err(error) => panic!("{error}\nat resolution {resolution}\n{text}"),
    }
}
