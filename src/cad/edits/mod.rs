//! Intentions (move these, draw a channel) into changes of the text. Pure: they see the design and its layout, and nothing else.
//!
//! ```text
//!  Drawing (design, layout, library)
//!     | one file an intention: what should lie where
//!     v
//!  Draft: the design as it is to be --settle--> channels routed anew, connections that ended or began
//!     | diff: what differs from the design
//!     v
//!  Vec<Edit>
//! ```
//! Whatever is refused is a [`Refusal`], a sentence for the user; nothing else can go wrong. Where sockets come to lie on
//! each other, face to face and as wide, they are connected; where connected ones part, the connection goes.

mod arrange;
mod auto_route;
mod channel;
mod crossing;
mod delete;
mod diff;
mod dimensions;
mod draft;
mod free_start;
mod grid_search;
mod groups;
mod handles;
mod joint;
mod keep_lines;
mod moving;
mod names;
mod obstacles;
mod overlays;
mod paste;
mod place;
mod ports;
mod refusal;
mod rigid;
mod settle;
mod shape;
mod sockets;
mod species;
mod subset;
mod tee;
#[cfg(test)]
mod tests;
mod widths;

pub use arrange::{align, mirror, rotate};
pub use auto_route::{RouteEnd, RouteTask, auto_route};
pub use channel::channel;
pub use delete::delete;
pub use dimensions::{
    Dimensioned, dimension_notes, dimensions, dimensions_of, set_dimension, toggle_dimensions,
};
pub use draft::Preview;
pub use groups::{group, together, ungroup};
pub use handles::{Handle, can_be, handles, value_of};
pub use joint::{Joint, joints_added, set_joint};
pub use moving::{Snapping, move_items, preview_move};
use names::{fresh_name, fresh_port_name};
pub use obstacles::Obstacles;
pub use overlays::add_overlay;
pub use paste::{
    array, array_step, beside, circular_pattern, copy, duplicate, middle, mirror_copy, paste,
};
pub use place::place;
pub use ports::{add_port, open_ends};
pub use refusal::Refusal;
pub use shape::{move_way_point, set_channel_shape, set_parameter, set_placement};
pub use sockets::{own_sockets, same_width};
pub use species::add_species;
pub use tee::insert_tee;

use crate::chip::Layout;
use crate::design::Design;
use crate::library::Library;
use stokeslet_base::geometry::Point;

/// What intentions are about: the design, where everything of it lies, what it can use.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The design as its text says it.
    pub design: &'a Design,
    /// [`crate::chip::lay_out`] of that design with that library.
    pub layout: &'a Layout,
    /// What components are made from.
    pub library: &'a Library,
    /// What goes between sockets that differ in width.
    pub joint: Joint,
}

impl<'a> Drawing<'a> {
    /// The drawing of a design and its layout; widths are joined by tapers.
    pub fn new(design: &'a Design, layout: &'a Layout, library: &'a Library) -> Self {
        Self {
            design,
            layout,
            library,
            joint: Joint::default(),
        }
    }
}

/// An end of a channel that is being drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelEnd {
    /// `item.socket`.
    Socket(String),
    /// A place on a pipe or on a straight run of a channel: a tee goes there.
    OnPipe {
        /// The component or channel.
        item: String,
        /// Where, m.
        at: Point,
    },
    /// Empty space.
    Free(Point),
}

/// A direction of the chip's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Left and right change places.
    X,
    /// Top and bottom change places.
    Y,
}

/// How selected components line up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left edges.
    Left,
    /// Middles, on a vertical line.
    CentreX,
    /// Right edges.
    Right,
    /// Upper edges.
    Top,
    /// Middles, on a horizontal line.
    CentreY,
    /// Lower edges.
    Bottom,
    /// Equal gaps from left to right.
    SpreadX,
    /// Equal gaps from top to bottom.
    SpreadY,
}

impl Align {
    /// All of them.
    pub const ALL: [Align; 8] = [
        Align::Left,
        Align::CentreX,
        Align::Right,
        Align::Top,
        Align::CentreY,
        Align::Bottom,
        Align::SpreadX,
        Align::SpreadY,
    ];

    /// Its name in menus.
    pub fn label(self) -> &'static str {
        match self {
            Align::Left => "Align left edges",
            Align::CentreX => "Align middles on a vertical line",
            Align::Right => "Align right edges",
            Align::Top => "Align upper edges",
            Align::CentreY => "Align middles on a horizontal line",
            Align::Bottom => "Align lower edges",
            Align::SpreadX => "Spread from left to right",
            Align::SpreadY => "Spread from top to bottom",
        }
    }
}
