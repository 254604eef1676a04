//! Boundaries: which velocities are unknown on walls and ports, what is given there, and what tells pieces apart by it.
//!
//! | | which unknowns | which data | which key |
//! | --- | --- | --- | --- |
//! | side wall that holds the fluid | none | zero | |
//! | side wall that slips | along the wall; across it none | | [`SlipEdges`] in the shape's key; directions in those of leaves |
//! | closed end | as a wall | zero | none: it is the chip's, not the piece's |
//! | port of a given flow rate | none | the developed profile ([`socket`]) | none |
//! | port of a given pressure | outward; none along the socket | the traction `-p` | none |
//! | port free of traction | all | | none |
//! | floor and ceiling | none: they hold the fluid | zero | [`super::piece::Extrusion::key`] |
//! | plane of mid-depth, where half the depth is solved | none upwards | | the same |
//!
//! # Walls that slip
//! No fluid goes through them and no shear stress acts on them. The second is what the weak form asks for where nothing else is said;
//! the first takes a velocity away: a node there has one unknown in the plane, its speed along the wall. What the wall does to
//! the fluid comes out as the reaction that no row is written for.
//!
//! ```text
//!  --o--o--o--    straight: along the edge                  --o--.            corner: where edges of different directions meet
//!                                                                 \           both forbid, and the node rests
//!  --o--.         a curve of chords (less than SMOOTH):            o
//!        `o-.     along what lets as much out as in,        ==o== socket      at a socket's ends: outward, where the wall runs straight
//!            `o   |chord before| + |chord after|              |               out of it; else the next wall has another direction
//! ```
//! Without the rule for curves the fluid would rest at each of their corners, and the finer the chords the more it would be held: the
//! limit of ever more chords would be a wall that holds it. Along `l1 t1 + l2 t2` the velocity of a node lets nothing out in
//! sum, since its basis function weighs both edges by their lengths (Engelman, Sani and Gresho, "The implementation of normal and/or
//! tangential boundary conditions in finite element codes", Int. J. Numer. Meth. Fluids 2, 1982).
//! Arcs of strips are curved exactly at their nodes, whose direction is the circle's. What flows through the quadratic edges between
//! them is left out of the continuity equation ([`super::local::add_wall_flux`]), so ports balance to rounding there too.

mod components;
mod slip;
pub mod socket;
mod strip;

pub use components::Components;
pub use slip::{Freedom, SMOOTH, SlipEdges, freedoms};
pub(super) use strip::{StripWalls, strip_walls};

use crate::stokes::system::Meets;
use stokeslet_cad::chip::{Condition, Port};
use stokeslet_cad::shape::WallKind;
use stokeslet_fronts::Class;

/// What becomes of a socket's velocities: outward ones, and all others; `None`: they are unknowns like those between parts.
pub fn classes(meets: Meets, ports: &[Port]) -> Option<[Class; 2]> {
    match meets {
        Meets::Part => None,
        Meets::Wall(WallKind::NoSlip) => Some([Class::Given, Class::Given]),
        Meets::Wall(WallKind::Slip) => Some([Class::Given, Class::Free]),
        Meets::Port(port) => match ports[port as usize].condition {
            Condition::FlowRate(_) => Some([Class::Given, Class::Given]),
            Condition::Pressure(_) => Some([Class::Free, Class::Zero]),
            Condition::TractionFree => None,
        },
    }
}
