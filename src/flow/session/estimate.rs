//! How good the numbers of a solve are: the same chip at half the resolution and at a quarter, and what the differences say.
//!
//! ```text
//! Solution at r --+
//!                 +-- differences at ports, of conductances, of the peak shear --> ErrorEstimate, extrapolated values
//! solve at r / 2 -+
//! solve at r / 4 -+  (ports only)
//! ```
//! # What is assumed
//! An error is the sum of a part that sharp corners bring, which falls as `r^-1.2` at worst, and a smooth one, which falls as `r^-3.3`
//! (a pipe's own side layers, arcs). Differences at r, r/2 and r/4 tell the two apart: with `x = 2^1.2`, `y = 2^3.3` and the ratio
//! `q` of the coarser to the finer difference `d`, the error is
//!
//! ```text
//! d ((y - q) / ((x - 1) (y - x)) + (q - x) / ((y - 1) (y - x)))      at most d / 2, as if it fell as r^-1.6
//! ```
//! Where r/4 is too coarse it is d / 2. Most corners converge at order 1.8 (`tests/corners.rs`), so that most estimates are too large by a
//! half. That all this holds on whole chips, where errors add and cancel, is measured: both orders were chosen on `designs/`, where
//! estimates are 0.5 to 4 of the true errors, and held on random networks that had no part in it (`tests/trust.rs`).
//!
//! Extrapolated values take order 2.

use serde::Serialize;

use super::{Progress, Solution, SolveError, SolveSettings, WantedResults, silent, solve};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_cad::design::DepthModel;

/// The least order of convergence that estimates take for granted: `log2 3`.
const ORDER: f64 = 1.584_962_500_721_156;

/// `2^order` of errors of sharp corners and of smooth ones.
const CORNERS: f64 = 2.3;
const SMOOTH: f64 = 10.0;

/// The largest [change](ErrorEstimate::peak_change) of the peak wall shear stress from which its error is estimated, as if it fell with the first power of
/// the resolution (on smooth walls it falls with the second). At inner corners of 200 degrees the peak changes by 12 % with each doubling for ever, at right
/// ones by a quarter of it; at corners that turn by less than 16 degrees it passes for settled.
pub const SETTLED: f64 = 0.1;

/// The order of extrapolation.
const EXTRAPOLATION_ORDER: f64 = 2.0;

/// Errors of the values of a port. Given values have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PortError {
    /// m^3/s, m^2/s where the chip has no depth.
    pub flow_rate: f64,
    /// Pa.
    pub pressure: f64,
    /// The flow rate extrapolated from both resolutions.
    pub extrapolated_flow_rate: f64,
    /// The pressure extrapolated from both resolutions, Pa.
    pub extrapolated_pressure: f64,
}

/// Estimates of the errors of a solution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorEstimate {
    /// The coarser resolution.
    pub coarse_resolution: u32,
    /// Unknowns of the coarser system.
    pub coarse_unknowns: usize,
    /// Seconds that the coarser solve took.
    pub seconds: f64,
    /// The largest error of a port's flow or pressure, over the largest flow or pressure.
    pub relative: f64,
    /// In the chip's order of ports.
    pub ports: Vec<PortError>,
    /// Error of each conductance, in their unit; row-major as they are.
    pub conductance: Vec<Vec<f64>>,
    /// Error of the peak wall shear stress, Pa; `None` where it isn't settled, and where only ports were wanted.
    pub peak_wall_shear: Option<f64>,
    /// By how much the peak wall shear stress differs from the coarser solution's, over itself. Beyond [`SETTLED`] no error follows from it: at
    /// a sharp inner corner the stress has no limit (at a right angle it grows by a third with each doubling of the resolution), and in
    /// cells wider than the layers at side walls it is too small.
    pub peak_change: Option<f64>,
}

impl ErrorEstimate {
    /// The resolution at which the relative error is expected to be `wanted`, for a solution at `resolution`: even, at least 4.
    pub fn resolution_for(&self, wanted: f64, resolution: u32) -> u32 {
        let factor = (self.relative / wanted).powf(1.0 / ORDER);
        let exact = f64::from(resolution) * factor;
        // Beyond a few thousands the number is of no use but to say so.
        let even = (exact / 2.0).ceil().clamp(2.0, 1e6) as u32;
        2 * even
    }
}

/// Settings of the solves that a solution is held against: at half of its resolution, and at a quarter from 8 on.
struct Coarser {
    half: SolveSettings,
    quarter: Option<SolveSettings>,
}

impl Coarser {
    fn than(chip: &Chip, settings: &SolveSettings) -> Result<Self, SolveError> {
        let half = halved(chip, settings)?;
        let quarter = match settings.resolution {
            0..8 => None,
            _ => Some(SolveSettings {
                wanted: WantedResults::PortsOnly,
                ..halved(chip, &half)?
            }),
        };
        Ok(Self { half, quarter })
    }
}

/// Half of a resolution; even in three dimensions.
fn halved(chip: &Chip, settings: &SolveSettings) -> Result<SolveSettings, SolveError> {
    let resolution = settings.resolution;
    if resolution < 4 {
        return Err(SolveError::TooCoarse { resolution });
    }
    let mut coarse = settings.clone();
    coarse.recorder = None;
    coarse.resolution = match chip.model {
        DepthModel::Full => 2 * (resolution / 4),
        _ => resolution / 2,
    };
    coarse.depth.layers = settings.depth.layers.map(|n| (n / 2).max(1));
    Ok(coarse)
}

/// Solves, and estimates the errors by solving at half and at a quarter of the resolution at the same time.
///
/// # Errors
/// [`SolveError::TooCoarse`] below a resolution of 4; else as a solve.
pub fn solve_with_errors(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<(Solution, ErrorEstimate), SolveError> {
    let Coarser { half, quarter } = Coarser::than(chip, settings)?;
    let beside = |settings: &SolveSettings, share: f64, progress: &Progress<'_>| {
        let limit = settings.memory_limit.map(|m| (share * m as f64) as u64);
        let settings = SolveSettings {
            memory_limit: limit,
            ..settings.clone()
        };
        solve(chip, &settings, table, progress, cancel)
    };
    let or_alone = |solved, settings: &SolveSettings, progress: &Progress<'_>| match solved {
        Err(SolveError::OutOfMemory { .. }) => solve(chip, settings, table, progress, cancel),
        solved => solved,
    };
    // Solves leave cores idle, since plans and small fronts hardly share out; the coarser ones fill them.
    let (fine, (at_half, at_quarter)) = rayon::join(
        || beside(settings, SHARES[0], progress),
        || {
            rayon::join(
                || beside(&half, SHARES[1], &silent),
                || quarter.as_ref().map(|q| beside(q, SHARES[2], &silent)),
            )
        },
    );
    let fine = or_alone(fine, settings, progress)?;
    let at_half = or_alone(at_half, &half, &silent)?;
    let at_quarter = at_quarter
        .zip(quarter.as_ref())
        .map(|(solved, settings)| or_alone(solved, settings, &silent))
        .transpose()?;
    let resolutions = [settings.resolution, half.resolution];
    let errors = errors(chip, resolutions, &fine, &at_half, at_quarter.as_ref());
    Ok((fine, errors))
}

/// Estimates the errors of a solution that is there already, as [`solve_with_errors`] does.
///
/// - `settings`: those that it was solved with
///
/// # Errors
/// [`SolveError::TooCoarse`] below a resolution of 4; else as the coarser solves.
pub fn estimate_errors(
    chip: &Chip,
    settings: &SolveSettings,
    solution: &Solution,
    table: &Table,
    cancel: &CancelToken,
) -> Result<ErrorEstimate, SolveError> {
    let Coarser { half, quarter } = Coarser::than(chip, settings)?;
    let solve = |settings: &SolveSettings| solve(chip, settings, table, &silent, cancel);
    let at_half = solve(&half)?;
    let at_quarter = quarter.as_ref().map(solve).transpose()?;
    let resolutions = [settings.resolution, half.resolution];
    let quarter = at_quarter.as_ref();
    Ok(errors(chip, resolutions, solution, &at_half, quarter))
}

/// Shares of the memory that is allowed, of solves side by side; one of half the resolution has about a quarter of the unknowns.
const SHARES: [f64; 3] = [0.7, 0.25, 0.05];

/// What differences say of the errors of `solution`.
///
/// # Shapes and units
/// - `resolutions`: of `solution` and of `coarse`
/// - `quarter`: a third one that is coarser again, where there is one
fn errors(
    chip: &Chip,
    resolutions: [u32; 2],
    solution: &Solution,
    coarse: &Solution,
    quarter: Option<&Solution>,
) -> ErrorEstimate {
    // How much finer it is: 2, or near it for odd and for 3D resolutions.
    let finer = f64::from(resolutions[0]) / f64::from(resolutions[1]);
    let share = quarter.map_or(f64::INFINITY, |c| share(solution, coarse, c));
    let share = share.min(1.0 / (finer.powf(ORDER) - 1.0));
    let beyond = 1.0 / (finer.powf(EXTRAPOLATION_ORDER) - 1.0);
    let error = |fine: f64, coarse: f64| share * (fine - coarse).abs();
    let extrapolated = |fine: f64, coarse: f64| fine + beyond * (fine - coarse);
    let ports: Vec<PortError> = chip
        .ports
        .iter()
        .zip(solution.ports.iter().zip(&coarse.ports))
        .map(|(port, (fine, coarse))| {
            let gives_flow = matches!(port.condition, Condition::FlowRate(_));
            let of_flow = [fine.flow_rate, coarse.flow_rate];
            let of_pressure = [fine.pressure, coarse.pressure];
            let given = |given: bool, [fine, coarse]: [f64; 2]| match given {
                true => (0.0, fine),
                false => (error(fine, coarse), extrapolated(fine, coarse)),
            };
            let (flow_rate, extrapolated_flow_rate) = given(gives_flow, of_flow);
            let (pressure, extrapolated_pressure) = given(!gives_flow, of_pressure);
            PortError {
                flow_rate,
                pressure,
                extrapolated_flow_rate,
                extrapolated_pressure,
            }
        })
        .collect();
    let both = solution
        .conductance
        .matrix
        .iter()
        .zip(&coarse.conductance.matrix);
    let conductance = both
        .map(|(fine, coarse)| {
            fine.iter()
                .zip(coarse)
                .map(|(f, c)| error(*f, *c))
                .collect()
        })
        .collect();
    let shear = |s: &Solution| s.wall_shear.map(|shear| shear.max);
    let peaks = shear(solution).zip(shear(coarse));
    let peak_change = peaks.map(|(fine, coarse)| match fine > 0.0 {
        true => (fine - coarse).abs() / fine,
        false => 0.0,
    });
    ErrorEstimate {
        coarse_resolution: resolutions[1],
        coarse_unknowns: coarse.report.unknowns,
        seconds: coarse.report.timings.total,
        relative: relative(solution, &ports),
        ports,
        conductance,
        peak_wall_shear: peaks
            .filter(|_| peak_change.is_some_and(|change| change <= SETTLED))
            .map(|(fine, coarse)| (fine - coarse).abs() / (finer - 1.0)),
        peak_change,
    }
}

/// What the difference of two solutions is multiplied by to estimate the error of the finer one, by their difference to a third that is
/// coarser again.
fn share(fine: &Solution, coarse: &Solution, coarsest: &Solution) -> f64 {
    let largest = |a: &Solution, b: &Solution| {
        let errors = a.ports.iter().zip(&b.ports).map(|(a, b)| PortError {
            flow_rate: (a.flow_rate - b.flow_rate).abs(),
            pressure: (a.pressure - b.pressure).abs(),
            ..PortError::default()
        });
        relative(fine, &errors.collect::<Vec<_>>())
    };
    let (d, before) = (largest(fine, coarse), largest(coarse, coarsest));
    if d == 0.0 {
        return f64::INFINITY;
    }
    let q = (before / d).clamp(CORNERS, SMOOTH);
    let (x, y) = (CORNERS, SMOOTH);
    (y - q) / ((x - 1.0) * (y - x)) + (q - x) / ((y - 1.0) * (y - x))
}

/// The largest error of a flow over the largest flow, or of a pressure over the largest pressure.
fn relative(solution: &Solution, errors: &[PortError]) -> f64 {
    let ports = &solution.ports;
    let greatest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
    let flow = greatest(&mut ports.iter().map(|p| p.flow_rate));
    let pressure = greatest(&mut ports.iter().map(|p| p.pressure));
    let over = |error: f64, size: f64| if size > 0.0 { error / size } else { 0.0 };
    errors
        .iter()
        .map(|e| over(e.flow_rate, flow).max(over(e.pressure, pressure)))
        .fold(0.0, f64::max)
}
