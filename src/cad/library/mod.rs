//! The component library: definition files and parameters become shapes and sockets. Does not know the solver.
//!
//! A definition is a file `components/<family>/<name>.toml`; a new file is a new component, without code or a rebuild.
//! Lengths in expressions are in m, angles in rad; `um`, `mm`, `deg` and `pi` are factors; `width` is the chip's default width.
//! ```toml
//! doc = "Straight channel"
//!
//! [parameters.length]          # types: length angle count number bool choice lengths angles counts points
//! type = "length"
//! default = "4 * width"        # a quantity ("100 um") or an expression in the parameters before it
//! min = "width / 10"           # in all parameters; for lists, of each element; left out, there is no limit
//! doc = "from socket to socket"
//!
//! [sockets]
//! a = "at the start, looking to -x"
//!
//! # and one of
//! strip = { shape = "straight", sockets = ["a", "b"], length = "length", width_start = "width", width_end = "width" }
//! strip = { shape = "arc", sockets = ["a", "b"], radius = "radius", angle = "90 deg", width = "width" }
//! outline = "[[0, 0], [1 * mm, 0, \"right\"], ...]"   # counter-clockwise; a name makes the edge from here a socket
//! #                                                     # posts: #{ circle: [x, y], radius: r } or #{ hole: [[x, y], ...] } among the corners
//! compose = "attach(...)"                              # places other components: see `compose.rs` for what it can call
//! ```
//! Scripts are rhai without files, clocks or imports, with limits on operations, depth and sizes: none can hang or crash the program.
//!
//! | code | what is wrong |
//! |---|---|
//! | D100 | a definition file can't be read |
//! | D101 | no component of this name |
//! | D102 | no parameter of this name |
//! | D103 | a value of the wrong kind or dimension |
//! | D104 | a value out of its range |
//! | D105 | a value that is not finite |
//! | D106 | a parameter given twice |
//! | D107 | a script that fails, or takes too long |
//! | D108 | too many parts |
//! | D109 | an outline that is no simple counter-clockwise polygon |
//! | D110 | sockets missing, named or used twice, without width |
//! | D111 | sockets that should meet but don't agree |
//! | D112 | components nested too deep |
//! | D113 | parts of a component that lie on each other |
//! | D114 | a strip without length or width, or an arc that is too tight |
//! | D115 | parameters that the definition itself refuses (`throw` in its script) |

mod boundary;
mod builder;
mod compose;
mod definition;
mod entry;
mod fault;
mod given;
mod junction;
mod leaf;
mod limits;
mod listing;
mod load;
mod overlap;
mod parse;
mod picture;
mod polygon;
mod posts;
mod realisation;
mod realise;
mod rounded;
mod route;
mod script;
mod value;

pub use boundary::boundary;
pub use definition::{Definition, Expression, Parameter, ParameterKind};
pub use junction::{JunctionError, JunctionOutline, junction_outline};
pub use limits::length_in_depth;
pub use listing::{describe, list};
pub use load::process_text;
pub use picture::picture;
pub use realisation::Realisation;
pub use realise::{Defaults, Library};
