//! Solving a chip in one expression.

use super::{
    DepthSettings, Eliminated, ErrorEstimate, Method, Progress, Solution, SolveError,
    SolveSettings, WantedResults, eliminate, silent, solve, solve_with_errors,
};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::Chip;

/// A chip and how it is to be solved; everything but the chip has a default.
///
/// # Example
/// ```
/// # use stokeslet_cad::chip::{Chip, Condition, Port};
/// # use stokeslet_cad::design::DepthModel;
/// # use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};
/// # use stokeslet_base::geometry::Motion;
/// # let pipe = Strip::Straight { length: 1e-3, width_start: 1e-4, width_end: 1e-4 };
/// # let port = |name: &str, socket, p| Port { name: name.into(), socket: SocketRef { part: 0, socket }, condition: Condition::Pressure(p) };
/// # let chip = Chip {
/// #     name: "channel".into(), viscosity: 1e-3, model: DepthModel::Planar, depth: None, connections: vec![],
/// #     parts: vec![Part { name: "pipe".into(), shape: Shape::Strip(pipe), motion: Motion::IDENTITY, walls: Default::default(), depth: None }],
/// #     ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
/// # };
/// use stokeslet_base::table::Table;
/// use stokeslet_flow::session::Solver;
///
/// let table = Table::default(); // what one solve computes the next ones find there
/// let solution = Solver::new(&chip).resolution(16).cache(&table).solve()?;
/// let exact = 1e-4_f64.powi(3) * 100.0 / (12.0 * 1e-3 * 1e-3); // w^3 dp / (12 mu L)
/// assert!((solution.ports[0].flow_rate / exact - 1.0).abs() < 1e-10);
/// # Ok::<(), stokeslet_flow::session::SolveError>(())
/// ```
#[must_use = "nothing is solved before `solve`, `solve_with_errors` or `eliminate`"]
pub struct Solver<'a> {
    chip: &'a Chip,
    settings: SolveSettings,
    table: Option<&'a Table>,
    progress: &'a Progress<'a>,
    cancel: CancelToken,
}

impl<'a> Solver<'a> {
    /// A chip, to be solved with [`SolveSettings::default`].
    pub fn new(chip: &'a Chip) -> Self {
        Self {
            chip,
            settings: SolveSettings::default(),
            table: None,
            progress: &silent,
            cancel: CancelToken::new(),
        }
    }

    /// Cell edges across a channel, at least 2; even in three dimensions. Default 8.
    pub fn resolution(mut self, resolution: u32) -> Self {
        self.settings.resolution = resolution;
        self
    }

    /// What is done about sharp inner corners, in the plane. Default [`super::Corners::Plain`].
    pub fn corners(mut self, corners: super::Corners) -> Self {
        self.settings.corners = corners;
        self
    }

    /// Ports and conductances only, without fields: faster.
    pub fn ports_only(mut self) -> Self {
        self.settings.wanted = WantedResults::PortsOnly;
        self
    }

    /// How unknowns are eliminated. Default [`super::Fronts`].
    pub fn method(mut self, method: &'static dyn Method) -> Self {
        self.settings.method = method;
        self
    }

    /// How chips in three dimensions are solved.
    pub fn depth(mut self, depth: DepthSettings) -> Self {
        self.settings.depth = depth;
        self
    }

    /// All settings at once.
    pub fn settings(mut self, settings: SolveSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Where results of operations are kept from solve to solve. Default a table of its own.
    pub fn cache(mut self, table: &'a Table) -> Self {
        self.table = Some(table);
        self
    }

    /// Who hears how far it is. Default nobody.
    pub fn progress(mut self, progress: &'a Progress<'a>) -> Self {
        self.progress = progress;
        self
    }

    /// What stops it from another thread.
    pub fn cancel(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Solves.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn solve(self) -> Result<Solution, SolveError> {
        self.with_table(|s, table| solve(s.chip, &s.settings, table, s.progress, &s.cancel))
    }

    /// Solves, also at half the resolution, and estimates the errors.
    ///
    /// # Errors
    /// [`SolveError`]; [`SolveError::TooCoarse`] below a resolution of 4.
    pub fn solve_with_errors(self) -> Result<(Solution, ErrorEstimate), SolveError> {
        self.with_table(|s, table| {
            solve_with_errors(s.chip, &s.settings, table, s.progress, &s.cancel)
        })
    }

    /// Eliminates, to be asked for many conditions.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn eliminate(self) -> Result<Box<dyn Eliminated>, SolveError> {
        self.with_table(|s, table| eliminate(s.chip, &s.settings, table, s.progress, &s.cancel))
    }

    fn with_table<T>(&self, work: impl Fn(&Self, &Table) -> T) -> T {
        match self.table {
            Some(table) => work(self, table),
            None => work(self, &Table::default()),
        }
    }
}
