//! What a solve returns.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::field::Field;
use crate::field::drag::PostForce;
use crate::field::floor_shear::FloorShear;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Condition;

/// Geometry blocks by kind (thesis, figure 4.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BlockCounts {
    /// At most two neighbours that aren't separators.
    pub regular: usize,
    /// More than two.
    pub irregular: usize,
    /// Bound the components.
    pub separator: usize,
}

/// Seconds by stage.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Timings {
    /// Reading the design file.
    pub read: f64,
    /// Placing and checking components.
    pub place: f64,
    /// Cutting into blocks and meshing the canonical ones.
    pub mesh: f64,
    /// Planning the elimination.
    pub plan: f64,
    /// Assembly of canonical matrices and elimination.
    pub eliminate: f64,
    /// Forward and back substitution, residual, refinement.
    pub back_substitute: f64,
    /// Ports, conductance, wall shear.
    pub results: f64,
    /// Writing files.
    pub export: f64,
    /// All of it.
    pub total: f64,
}

/// Counters of a solve; deterministic but for `timings` and `peak_memory_bytes`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SolveReport {
    /// Unknowns of the assembled system.
    pub unknowns: usize,
    /// Layers of cells over the solved depth; 0 in the plane.
    pub layers: u32,
    /// Whether half of the depth was solved, the other half being its mirror image.
    pub half_depth: bool,
    /// The method that eliminated it.
    pub method: &'static str,
    /// Geometry blocks by kind, of methods that cut the chip into blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<BlockCounts>,
    /// Canonical blocks (meshes).
    pub canonical_blocks: usize,
    /// Tasks of the plan.
    pub tasks: usize,
    /// Essentially different matrix blocks of the assembled system.
    pub unique_matrices: usize,
    /// Essentially different matrices that the elimination makes.
    pub computed_matrices: usize,
    /// Floating-point operations of the elimination's matrix tasks.
    pub flops: u64,
    /// The plan's own estimate of its peak memory, bytes.
    pub estimated_memory_bytes: u64,
    /// Largest relative residual of the assembled system after refinement.
    pub relative_residual: f64,
    /// Refinement steps taken.
    pub refinement_steps: u32,
    /// |sum of port flows| over half the sum of their magnitudes.
    pub mass_imbalance: f64,
    /// Whether nothing drives a flow: all velocities are zero then.
    pub still: bool,
    /// Seconds by stage.
    pub timings: Timings,
}

/// The kind of a port's condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PortKind {
    /// Flow rate given.
    FlowRate,
    /// Pressure given.
    Pressure,
    /// Free of traction.
    TractionFree,
}

impl PortKind {
    /// The kind of a condition.
    pub fn of(condition: Condition) -> Self {
        match condition {
            Condition::FlowRate(_) => Self::FlowRate,
            Condition::Pressure(_) => Self::Pressure,
            Condition::TractionFree => Self::TractionFree,
        }
    }
}

impl fmt::Display for PortKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FlowRate => "a given flow rate",
            Self::Pressure => "a given pressure",
            Self::TractionFree => "no traction",
        })
    }
}

/// Flow and pressure at a port.
#[derive(Clone, Debug, Serialize)]
pub struct PortResult {
    /// The port's name.
    pub id: String,
    /// Its condition.
    pub kind: PortKind,
    /// Into the chip: m^3/s where the chip has a depth, else m^2/s.
    pub flow_rate: f64,
    /// What does the work, Pa: the given pressure where one is given, else the inward traction on the socket weighted with the
    /// developed profile. The sum of `flow_rate * pressure` is [`Solution::dissipation`].
    pub pressure: f64,
    /// Mean of the static pressure field over the socket, Pa. On a coarse mesh it differs from `pressure`, where it is given, by
    /// the error of the field.
    pub mean_pressure: f64,
}

/// Flow into the chip at each port for unit pressure at each port: Q = G p.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Conductance {
    /// Port names, in the order of rows and columns.
    pub ports: Vec<String>,
    /// Row-major; m^3/(s Pa) where the chip has a depth, else m^2/(s Pa).
    pub matrix: Vec<Vec<f64>>,
}

/// Wall shear stress over all walls, Pa.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallShear {
    /// Least magnitude.
    pub min: f64,
    /// Mean magnitude by length.
    pub mean: f64,
    /// Greatest magnitude.
    pub max: f64,
    /// Where it is least, m.
    pub min_at: Point,
    /// Where it is greatest, m.
    pub max_at: Point,
}

/// A solved chip.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Counters.
    pub report: SolveReport,
    /// In the chip's order of ports.
    pub ports: Vec<PortResult>,
    /// Between the ports.
    pub conductance: Conductance,
    /// Greatest nodal speed, m/s, and where; `None` where only ports were wanted.
    pub max_speed: Option<(f64, Point)>,
    /// Over all walls: those of the plane, and floor and ceiling in the `full` model; `None` where only ports were wanted.
    pub wall_shear: Option<WallShear>,
    /// On floor and ceiling of a `shallow` chip, which are none of these walls; `None` in other models and where only ports were wanted.
    pub floor_shear: Option<FloorShear>,
    /// Power that viscosity turns into heat: W where the chip has a depth, else W/m. `None` where only ports were wanted.
    pub dissipation: Option<f64>,
    /// Forces of the fluid on posts, part by part. `None` where only ports were wanted, and of block rows.
    pub posts: Option<Vec<PostForce>>,
    /// Velocity and pressure; empty where only ports were wanted. Of a chip in three dimensions: at mid-depth, where nothing
    /// flows up or down.
    pub fields: Field<2>,
    /// All of the fields of a chip in three dimensions; `None` in the plane or where only ports were wanted.
    pub in_space: Option<Field<3>>,
}

impl Solution {
    /// Where only ports are wanted.
    pub(crate) fn at_ports(
        report: SolveReport,
        ports: Vec<PortResult>,
        conductance: Conductance,
    ) -> Self {
        Self {
            report,
            ports,
            conductance,
            max_speed: None,
            wall_shear: None,
            floor_shear: None,
            dissipation: None,
            posts: None,
            fields: Field::<2>::default(),
            in_space: None,
        }
    }

    /// As where only ports are wanted.
    #[must_use]
    pub fn without_fields(self) -> Self {
        Self::at_ports(self.report, self.ports, self.conductance)
    }
}

/// What an unknown of the assembled system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownKind {
    /// Velocity, nearer to x than to y; just where it points to, the unknown's direction says.
    VelocityX,
    /// Velocity, nearer to y.
    VelocityY,
    /// Pressure.
    Pressure,
}

/// Place and kind of one unknown.
#[derive(Clone, Copy, Debug)]
pub struct Unknown {
    /// What it is.
    pub kind: UnknownKind,
    /// Place of its node, m.
    pub at: Point,
    /// Direction of the velocity component in the chip's frame (unit vector; zero for pressure).
    pub direction: Point,
    /// Physical value = `scale` * value in the system.
    pub scale: f64,
}

/// The assembled global system `A x = b`, for other solvers.
#[derive(Clone, Debug, Default)]
pub struct AssembledSystem {
    /// Unknowns.
    pub n: usize,
    /// Lower triangle including the diagonal: (row, column, value), sorted by column, then row, no repeats.
    pub lower: Vec<(u32, u32, f64)>,
    /// Right-hand side.
    pub rhs: Vec<f64>,
    /// Our solution.
    pub solution: Vec<f64>,
    /// What each unknown is.
    pub unknowns: Vec<Unknown>,
}

/// Greatest depth of a chip in three dimensions, in widths of its narrowest socket.
pub(super) const MAX_ASPECT: f64 = 1e3;

/// Why a chip could not be solved.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The plan needs more memory than allowed.
    #[error(
        "the plan needs about {needed} bytes of memory and {allowed} are allowed; lower the resolution or raise the limit"
    )]
    OutOfMemory {
        /// Estimate of the plan, bytes.
        needed: u64,
        /// Limit, bytes.
        allowed: u64,
    },
    /// Iterative refinement did not reach the tolerance.
    #[error(
        "the relative residual stayed at {residual:.2e} after {steps} refinement steps (wanted {tolerance:.0e})"
    )]
    NotConverged {
        /// Reached.
        residual: f64,
        /// Wanted.
        tolerance: f64,
        /// Taken.
        steps: u32,
    },
    /// What flows in does not flow out, however small the residual is.
    #[error(
        "what flows in and what flows out differ by {imbalance:.1e} of the flow (at most {max:.0e} is accepted); widths that differ by thousands in one chip do this: solve its parts apart, or raise --resolution",
        max = super::measure::MAX_IMBALANCE
    )]
    Imbalance {
        /// |sum of port flows| over half the sum of their magnitudes.
        imbalance: f64,
    },
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
    /// A part could not be meshed.
    #[error("part `{part}` can't be meshed at this resolution: {reason}")]
    Mesh {
        /// The part's name.
        part: String,
        /// Why.
        reason: String,
    },
    /// An odd resolution in three dimensions.
    #[error(
        "three dimensions need an even resolution, so that sockets look alike from both sides: use {} or {}", resolution - 1, resolution + 1
    )]
    OddResolution {
        /// What was asked for.
        resolution: u32,
    },
    /// Errors are estimated by solving at half the resolution.
    #[error(
        "errors are estimated from half the resolution, which must be at least 2; {resolution} is too coarse, use 4 or more"
    )]
    TooCoarse {
        /// What was asked for.
        resolution: u32,
    },
    /// A chip in three dimensions without a depth to solve.
    #[error(
        "three dimensions need the chip's depth, positive and at most {} times its narrowest width; it is {depth:?}",
        MAX_ASPECT
    )]
    Depth {
        /// What it has, m.
        depth: Option<f64>,
    },
    /// Something that is made for the plane only.
    #[error("{what} is made for chips in the plane; use the model planar or shallow")]
    PlaneOnly {
        /// What.
        what: &'static str,
    },
    /// A chip with links, where neighbours must lie beside each other.
    #[error(
        "{what} is made for chips without links: draw them as channels, or leave out `--method`"
    )]
    Links {
        /// What.
        what: &'static str,
    },
    /// A chip whose parts differ in depth, where there must be one.
    #[error("{what} is made for chips of one depth, and parts of this one have their own")]
    Depths {
        /// What.
        what: &'static str,
    },
    /// A chip with walls that slip, where all must hold the fluid.
    #[error(
        "{what} is made for walls that hold the fluid, and some here slip: leave out `--method`"
    )]
    SlipWalls {
        /// What.
        what: &'static str,
    },
    /// A condition of another kind than the chip was eliminated with.
    #[error(
        "port `{port}` was eliminated with {was} and is asked for with {asked}; eliminate the chip again"
    )]
    OtherConditions {
        /// The port's name.
        port: String,
        /// In the elimination.
        was: PortKind,
        /// Now.
        asked: PortKind,
    },
    /// Not one condition a port.
    #[error("{asked} conditions for {ports} ports")]
    ConditionCount {
        /// Conditions.
        asked: usize,
        /// Ports.
        ports: usize,
    },
    /// All flow rates of connected ports are given, and what goes in does not come out.
    #[error("the flow rates at the ports don't balance: {:.1e} of the flow has nowhere to go", part.abs())]
    Unbalanced {
        /// Sum of the flow rates over half the sum of their magnitudes.
        part: f64,
    },
    /// The network that fronts leave over is singular.
    #[error("the network of junctions and pipe ends is singular")]
    SingularNetwork,
    /// A pivot block is singular.
    #[error("the elimination met a singular pivot in {what} {number}")]
    Singular {
        /// What the method eliminates: a front, a block row.
        what: &'static str,
        /// Which one.
        number: usize,
    },
}
