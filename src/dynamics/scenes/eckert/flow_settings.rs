//! How the FLIP loop runs.

/// What walls see of the velocity before the pressure solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallStart {
    /// Nothing: the normal velocity at walls is set to 0.
    Zeroed,
    /// What particles and gravity bring there.
    Kept,
}

/// What to do with a pressure that is not as good as was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// End the run.
    Fail,
    /// Go on with the best that was found; the step's log says so.
    GoOn,
}

/// How the loop runs; what the thesis doesn't print is our choice.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSettings {
    /// Time step. Default 0.5 (printed).
    pub dt: f64,
    /// Acceleration downward per cell of the domain's side, cells per time². Default [`FlowSettings::GRAVITY`]; that of the
    /// framework's scenes is 0.002.
    pub gravity: f64,
    /// Share of FLIP, the rest is PIC. Default 1; smaller: calmer, thicker liquid.
    pub flip: f64,
    /// Particles a cell and direction. Default 3 in the plane, 2 in space.
    pub particles: usize,
    /// How far particles start from their place, in parts of it. Default 0.2.
    pub jitter: f64,
    /// Default: kept, with which separating methods leave the ceiling when the thesis says so (about t = 100; zeroed: 117 at 96²).
    pub walls: WallStart,
    /// Default: fail.
    pub unmet: Unmet,
}

impl FlowSettings {
    /// Acceleration per cell of the domain's side.
    pub const GRAVITY: f64 = 0.002;

    /// Defaults.
    pub fn of<const D: usize>() -> Self {
        Self {
            dt: 0.5,
            gravity: Self::GRAVITY,
            flip: 1.0,
            particles: if D == 2 { 3 } else { 2 },
            jitter: 0.2,
            walls: WallStart::Kept,
            unmet: Unmet::Fail,
        }
    }
}
