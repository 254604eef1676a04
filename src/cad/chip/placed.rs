//! The chip: placed parts, who meets whom, and the ports. Everything in SI, everything checked.

use std::f64::consts::PI;

use super::assembly::{normalise, socket_after};
use super::channel::{DIRECTION_TOLERANCE, PLACE_TOLERANCE};
use crate::design::DepthModel;
use crate::shape::{Connection, Part, SocketRef};

/// What holds at a port. Flow rates are per metre of the chip's depth (m^2/s) and positive into the chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Developed profile that carries this flow rate, m^2/s.
    FlowRate(f64),
    /// Developed flow at this pressure, Pa: tangential velocity zero, normal traction -p.
    Pressure(f64),
    /// sigma n = 0.
    TractionFree,
}

impl Condition {
    /// A condition of the same kind with another value.
    pub fn with_value(self, value: f64) -> Self {
        match self {
            Condition::FlowRate(_) => Condition::FlowRate(value),
            Condition::Pressure(_) => Condition::Pressure(value),
            Condition::TractionFree => Condition::TractionFree,
        }
    }

    /// The given flow rate (m^2/s) or pressure (Pa); free of traction is zero pressure.
    pub fn value(self) -> f64 {
        match self {
            Condition::FlowRate(flow) => flow,
            Condition::Pressure(pressure) => pressure,
            Condition::TractionFree => 0.0,
        }
    }
}

/// A socket that opens to the outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name in the design.
    pub name: String,
    /// Which socket.
    pub socket: SocketRef,
    /// What holds there.
    pub condition: Condition,
}

/// A placed, connected, checked chip. Sockets that neither a connection nor a port names are closed ends (walls).
#[derive(Clone, Debug)]
pub struct Chip {
    /// The design's name.
    pub name: String,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// How the depth enters.
    pub model: DepthModel,
    /// Depth of parts that have none of their own, m; always given where [`DepthModel::needs_depth`]. Flows per depth are per this one.
    pub depth: Option<f64>,
    /// Placed leaves.
    pub parts: Vec<Part>,
    /// Joined sockets.
    pub connections: Vec<Connection>,
    /// Open sockets.
    pub ports: Vec<Port>,
}

impl Chip {
    /// Viscosity of the equations that are solved, Pa s: the liquid's, or larger in [`DepthModel::Shallow`]. Stress, pressure and power
    /// of fields in the plane are with it.
    pub fn plane_viscosity(&self) -> f64 {
        self.viscosity * self.model.plane_viscosity_factor()
    }

    /// Whether the sockets of a joint don't lie on each other: one end of a link.
    pub fn is_free(&self, joint: &Connection) -> bool {
        let socket = |at: SocketRef| {
            let part = self.parts.get(at.part)?;
            let socket = *part.shape.sockets().get(at.socket)?;
            Some(socket_after(&part.motion, &socket))
        };
        let (Some(a), Some(b)) = (socket(joint.a), socket(joint.b)) else {
            return false;
        };
        // Ten times what placed sockets may disagree by: nothing else is between.
        (a.middle - b.middle).norm() > 10.0 * PLACE_TOLERANCE * a.width
            || normalise(a.direction - b.direction + PI).abs() > 10.0 * DIRECTION_TOLERANCE
    }

    /// Drag of floor and ceiling over [`Chip::plane_viscosity`] in parts as deep as the chip, 1/m^2.
    pub fn drag(&self) -> f64 {
        self.model.drag(self.depth)
    }

    /// How deep a part is, m.
    pub fn depth_of(&self, part: usize) -> Option<f64> {
        let own = self.parts.get(part).and_then(|part| part.depth);
        own.or(self.depth)
    }

    /// Drag of floor and ceiling in a part over [`Chip::plane_viscosity`], 1/m^2.
    pub fn drag_of(&self, part: usize) -> f64 {
        self.model.drag(self.depth_of(part))
    }

    /// A part's depth over the chip's: what it carries at the same velocity. 1 where the chip has no depth.
    pub fn depth_ratio(&self, part: usize) -> f64 {
        match (self.parts.get(part).and_then(|part| part.depth), self.depth) {
            (Some(own), Some(chip)) if own != chip => own / chip,
            _ => 1.0,
        }
    }

    /// Whether any part is deeper or shallower than the chip.
    pub fn has_depths(&self) -> bool {
        (0..self.parts.len()).any(|part| self.depth_ratio(part) != 1.0)
    }

    /// Least and greatest depth, m.
    pub fn depths(&self) -> Option<[f64; 2]> {
        let all = || (0..self.parts.len()).filter_map(|part| self.depth_of(part));
        let (low, high) = all().fold((f64::INFINITY, 0.0_f64), |(low, high), d| {
            (low.min(d), high.max(d))
        });
        (low <= high)
            .then_some([low, high])
            .or(self.depth.map(|d| [d; 2]))
    }
}
