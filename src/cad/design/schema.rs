//! What a design file says, with units resolved and the place of everything kept.
//!
//! ```toml
//! format = 1
//! title = "Y with a mixer"            # optional
//!
//! [fluid]
//! viscosity = "0.89 mPa s"
//! density = "997 kg/m^3"               # optional: it only tells how good it is to leave inertia out
//!
//! [chip]
//! model = "planar"                    # or "shallow", "full", "shallow-brinkman"; default planar
//! depth = "50 um"                     # optional in planar
//! width = "100 um"                    # default width of channels and components
//! resolution = 8                      # optional
//! walls = "no-slip"                   # or "slip": what side walls do to the fluid unless a component says otherwise; default no-slip
//!
//! [variables]                          # optional; used anywhere below as "=w" or "=2 * w + 20 um"
//! w = "100 um"
//! n = 4                                # a number
//! gap = "=w / 2"                       # may use the others
//!
//! [components]
//! y1 = { kind = "y", at = ["0 mm", "0 mm"], rotation = "90 deg", mirror = true, parameters = { angle = "60 deg" } }
//! t1 = { kind = "tee", attach = "left", to = "y1.out", depth = "20 um" }   # its socket `left` meets `y1.out`; this also connects them
//!
//! [channels]
//! c1 = { from = "y1.a", to = "t1.up", via = [["1 mm", "0 mm"]], bend = "round", radius = "200 um", width = "100 um" }
//! c2 = { from = "y1.b", via = [["1 mm", "2 mm"]] }         # without `to` it ends at its last way-point, in socket `c2.end`
//!
//! [connections]                        # sockets that already lie on each other
//! pairs = [["y1.out", "t1.left"]]
//!
//! [links]                              # straight pipes off the drawing: tubing, netlists; each end is joined to a socket wherever it is
//! l1 = { from = "c2.end", to = "t1.up", length = "12 mm", width = "100 um", bends = 2 }   # sockets `l1.start`, `l1.end` where one is left out
//!
//! [sheets]                             # only parts of one sheet mustn't overlap
//! default = "chip"
//! of = { t1 = "upper" }
//!
//! [ports]
//! inlet = { at = "y1.a", flow_rate = "5 uL/min" }
//! waste = { at = "t1.right", pressure = "0 Pa" }
//! drain = { at = "c2.end", traction_free = true }
//!
//! [species]                            # what is dissolved; see `species.rs`
//! dye = { diffusivity = "4.3e-10 m^2/s", inlets = { inlet = "1 mM" } }
//!
//! [control]                            # drawn and exported, not solved; see `overlays.rs`
//! valve = { box = [["0 mm", "0 mm"], ["200 um", "200 um"]] }
//!
//! [notes]                              # the same, for people
//! n1 = { text = "mixes here", at = ["3 mm", "1 mm"] }
//!
//! [groups]                             # what is selected together
//! pump = { of = ["t1", "valve"] }
//! ```
//!
//! - Every quantity is a text with a number and a unit; the units are the rows of `units/table.rs`, with prefixes, products and powers ("mPa s", "m^2/s", "uL/min").
//! - `walls` and the parameters of pipes (`left_wall`, `right_wall`) and polygons (`slip`, `no_slip`) say which walls let the fluid slip:
//!   nothing flows through them, and they hold nothing back, like a line of symmetry. In the full model these are the side walls; floor
//!   and ceiling always hold the fluid, and so does the drag that stands for them in the shallow models. A closed end is as `walls` says.
//!   Where walls that slip meet in a corner the fluid rests; corners of less than 25 degrees count as parts of a curve.
//! - `depth` of a component, channel or link is its own; without it, it is as deep as the chip. Where two depths meet the floor has a step: volume is
//!   kept and pressure goes on, without the loss of the step itself. Not in the full model.
//! - `format`, `fluid.viscosity` and `chip.width` are required, `chip.depth` in the shallow and full models and where a flow rate is a volume per time.
//! - Names have letters, digits, `_` and `-`; components, channels, control shapes and notes can't have the same.
//! - Tables may as well be written as sections (`[components.y1]`) or with dotted keys.
//! - `dimensions = ["length"]` of a component writes the values of these parameters beside it.
//! - `repeat = 5`, or `repeat = { count = [4, 3], step = ["1 mm", "=2 * w"] }`, makes an entry of components, channels or ports a row or
//!   a grid of copies: `p_1`, `p_2`, ..., or `p_1_1`, ... In each, expressions know its numbers `i` and `j`, and texts may hold them: "row_{i}.up".
//!   `step` moves each copy of a placed one; `through = "out"` attaches each copy but the first to that socket of the one before.
//! - In `parameters`, a text that starts like a number is a quantity and must read as one; any other text is a text.

use std::ops::Range;

use crate::design::DepthModel;
use crate::shape::WallKind;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{
    FlowRate, FlowRatePerDepth, KilogramPerCubicMetre, Metre, Pascal, PascalSecond, Radian,
};

use super::{Group, Overlay, SpeciesSection, Value};
use crate::library::Defaults;

/// A value and the bytes of the file that it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Bytes of the text.
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// A value that comes from no text.
    pub fn nowhere(value: T) -> Self {
        Self { value, span: 0..0 }
    }
}

/// A whole design file.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The file's stem, or what the caller calls it.
    pub name: String,
    /// One line for people.
    pub title: Option<String>,
    /// Dynamic viscosity.
    pub viscosity: PascalSecond,
    /// Density; no flow depends on it, but whether inertia may be left out.
    pub density: Option<KilogramPerCubicMetre>,
    /// How the depth enters.
    pub model: DepthModel,
    /// Depth of the chip.
    pub depth: Option<Metre>,
    /// Default width of channels and components.
    pub width: Metre,
    /// Cell edges across a channel, if the design asks for one.
    pub resolution: Option<u32>,
    /// What side walls and closed ends do to the fluid where no component says otherwise.
    pub walls: WallKind,
    /// In the file's order.
    pub components: Vec<Component>,
    /// In the file's order.
    pub channels: Vec<Channel>,
    /// In the file's order.
    pub connections: Vec<Connection>,
    /// In the file's order.
    pub links: Vec<Link>,
    /// Which parts may lie over which.
    pub sheets: Sheets,
    /// In the file's order.
    pub ports: Vec<Port>,
    /// Variables, and what was written with them; the values are in the fields above.
    pub parametric: super::Parametric,
    /// What is dissolved in the liquid.
    pub species: SpeciesSection,
    /// What is selected together, in the file's order.
    pub groups: Vec<Group>,
    /// Control layer and notes, which aren't solved; those of one layer in the file's order.
    pub overlays: Vec<Overlay>,
}

impl Design {
    /// What the chip says once for all components, with a component's own depth.
    pub fn defaults_of(&self, component: &Component) -> Defaults {
        Defaults {
            width: self.width.0,
            depth: component.depth.or(self.depth).map(|depth| depth.0),
        }
    }
}

/// A component of the design.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its name; unique among components and channels.
    pub name: Spanned<String>,
    /// The library entry.
    pub kind: Spanned<String>,
    /// Where it lies.
    pub placement: Placement,
    /// By name, in the file's order.
    pub parameters: Vec<(Spanned<String>, Spanned<Value>)>,
    /// Its own depth; default the chip's.
    pub depth: Option<Metre>,
    /// Parameters whose values are written beside it.
    pub dimensions: Vec<Spanned<String>>,
}

/// Where a component lies.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// At a position of the chip.
    Absolute {
        /// Origin of the component's frame, m.
        at: Point,
        /// Counter-clockwise.
        rotation: Radian,
        /// Mirrored in its own x axis before it is turned.
        mirror: bool,
    },
    /// By one of its sockets on a socket of another component, which this also connects.
    Attached(Attachment),
}

/// See [`Placement::Attached`].
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// The component's own socket.
    pub socket: Spanned<String>,
    /// `component.socket` that it meets.
    pub to: Spanned<String>,
    /// Mirrored in its own x axis.
    pub mirror: bool,
}

/// How a channel turns at its way-points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bend {
    /// Walls meet in corners.
    Mitred,
    /// Arcs of this radius of the centre line.
    Round(Metre),
}

/// A channel drawn from socket to socket through way-points; becomes pipes and bends.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its name; unique among components and channels.
    pub name: Spanned<String>,
    /// `component.socket` where it starts.
    pub from: Spanned<String>,
    /// `component.socket` where it ends; without it, the channel ends in its own socket `end`.
    pub to: Option<Spanned<String>>,
    /// Way-points, m.
    pub via: Vec<Spanned<Point>>,
    /// Across; default the width of the socket it starts from.
    pub width: Option<Metre>,
    /// How it turns; default mitred.
    pub bend: Bend,
    /// Its own depth; default the chip's.
    pub depth: Option<Metre>,
}

/// Two sockets that lie on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// `component.socket`.
    pub a: Spanned<String>,
    /// `component.socket`.
    pub b: Spanned<String>,
}

/// A straight pipe off the drawing, whose ends are joined to sockets wherever these are.
///
/// An end without a socket is one of the link's own: `start`, or `end`.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name; unique among components, channels and links.
    pub name: Spanned<String>,
    /// `component.socket` where it starts.
    pub from: Option<Spanned<String>>,
    /// `component.socket` where it ends.
    pub to: Option<Spanned<String>>,
    /// Length of the straight pipe; 0 joins the two sockets directly.
    pub length: Metre,
    /// Across; default the width of the socket that it starts from, or else ends in.
    pub width: Option<Metre>,
    /// Right-angled bends in its middle, in turn to the left and to the right.
    pub bends: u32,
    /// Its own depth; default the chip's.
    pub depth: Option<Metre>,
}

/// Sheets of the drawing: parts of different sheets may lie over each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheets {
    /// The sheet of whatever is not in `of`; empty where the design has no `[sheets]`.
    pub default: String,
    /// Components and channels of other sheets, in the file's order.
    pub of: Vec<(Spanned<String>, String)>,
}

/// A socket opened to the outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name.
    pub name: Spanned<String>,
    /// `component.socket`.
    pub at: Spanned<String>,
    /// What holds there.
    pub condition: Spanned<PortCondition>,
}

/// What holds at a port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PortCondition {
    /// Into the chip; needs the chip's depth.
    FlowRate(FlowRate),
    /// Into the chip, per metre of depth.
    FlowRatePerDepth(FlowRatePerDepth),
    /// Developed flow at this pressure.
    Pressure(Pascal),
    /// sigma n = 0.
    TractionFree,
}
