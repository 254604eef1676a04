//! A chip becomes its solution: eliminated, then asked for its own conditions.

use web_time::Instant;

use super::{Progress, Solution, SolveError, SolveSettings, Timings, WantedResults, eliminate};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition};

/// Solves a chip: fields, port results, conductance, wall shear, and the counters of the solve.
///
/// # Shapes and units
/// - SI throughout; flow rates of the solution are m^3/s where the chip has a depth, else m^2/s
/// # Errors
/// [`SolveError`]; a solution is returned only if its relative residual is at most `settings.tolerance`.
/// # Example
/// ```
/// use stokeslet_cad::chip::{Chip, Condition, Port};
/// use stokeslet_cad::design::DepthModel;
/// use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};
/// use stokeslet_base::table::Table;
/// use stokeslet_base::geometry::Motion;
/// use stokeslet_base::cancel::CancelToken;
/// use stokeslet_flow::session::{SolveSettings, solve};
///
/// // A channel of 1 mm x 0.1 mm between 100 Pa and 0 Pa.
/// let pipe = Strip::Straight { length: 1e-3, width_start: 1e-4, width_end: 1e-4 };
/// let port = |name: &str, socket, p| Port { name: name.into(), socket: SocketRef { part: 0, socket }, condition: Condition::Pressure(p) };
/// let chip = Chip {
///     name: "channel".into(),
///     viscosity: 1e-3,
///     model: DepthModel::Planar,
///     depth: None,
///     parts: vec![Part { name: "pipe".into(), shape: Shape::Strip(pipe), motion: Motion::IDENTITY, walls: Default::default(), depth: None }],
///     connections: vec![],
///     ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
/// };
/// let solution = solve(&chip, &SolveSettings::default(), &Table::default(), &|_, _| {}, &CancelToken::new())?;
/// let exact = 1e-4_f64.powi(3) * 100.0 / (12.0 * 1e-3 * 1e-3); // w^3 dp / (12 mu L)
/// assert!((solution.ports[0].flow_rate / exact - 1.0).abs() < 1e-10);
/// # Ok::<(), stokeslet_flow::session::SolveError>(())
/// ```
pub fn solve(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Solution, SolveError> {
    let start = Instant::now();
    let eliminated = eliminate(chip, settings, table, progress, cancel)?;
    let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
    let solved = eliminated.solve(&conditions, progress, cancel);
    let ports_only = settings.wanted == WantedResults::PortsOnly;
    if ports_only && matches!(solved, Err(SolveError::Imbalance { .. })) {
        // Along thousands of parts the rounding of their fronts adds up, as the square of their number: what is known of unknowns inside
        // of parts mends it, and is thrown away.
        drop(eliminated);
        let settings = SolveSettings {
            wanted: WantedResults::All,
            ..settings.clone()
        };
        let whole = solve(chip, &settings, table, progress, cancel)?;
        return Ok(whole.without_fields());
    }
    let mut solution = solved?;
    let (first, then) = (&eliminated.report().timings, &solution.report.timings);
    solution.report.timings = Timings {
        back_substitute: first.back_substitute + then.back_substitute,
        results: first.results + then.results,
        total: start.elapsed().as_secs_f64(),
        ..*first
    };
    Ok(solution)
}
