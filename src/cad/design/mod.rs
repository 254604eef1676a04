//! Text to [`Design`] and back: versioned, every mistake reported with its place, comments survive a rewrite.
//!
//! [`parse`] reads a file (its form is drawn at [`Design`]'s module, `schema.rs`), [`print()`] writes a fresh one, [`rewrite`] changes an existing text and
//! leaves the rest of it as people wrote it. A design that was read is complete in itself: units resolved, ranges checked, names well-formed
//! and unique. Whether kinds, sockets and parameters exist is for `library` and `chip` to say.
//!
//! | code | what is wrong |
//! |---|---|
//! | D001 | the file is not text in UTF-8 |
//! | D002 | the text is not TOML |
//! | D003 | the format version is missing, or not one that this program reads |
//! | D004 | unknown key |
//! | D005 | a key or section is missing |
//! | D006 | a value of the wrong type |
//! | D007 | a quantity that can't be read: no unit, unknown unit, not finite |
//! | D008 | a quantity of the wrong kind, such as a pressure for a width |
//! | D009 | out of range |
//! | D010 | a name or key given twice |
//! | D011 | a name that isn't well-formed |
//! | D012 | not one of the choices |
//! | D013 | keys that exclude each other |
//! | D014 | not `component.socket` |
//! | D015 | too large: bytes, counts, nesting |
//! | D016 | a volumetric flow rate in a chip without a depth |
//! | D017 | warning: a depth, but no model that says how it enters |
//! | D018 | a species that enters by a port that isn't there, or by one where liquid is drawn off |
//! | D019 | warning: a group of something that isn't there |
//! | D340 | an expression that can't be read |
//! | D341 | variables that depend on themselves |
//! | D342 | an unknown variable, unit or function in an expression |
//! | D343 | units in an expression that disagree, or a result that measures nothing a design speaks of |
//! | D344 | an expression without a finite value, or one that fails |
//! | D345 | a variable set from outside that isn't there, or to what it can't be |
//! | D346 | a repetition that can't be: its count, a counter in braces, too many copies |
//! | D347 | a step without `at`, or `through` without `attach` |

mod codes;
mod components;
mod depth;
mod groups;
mod keys;
mod links;
mod names;
mod overlays;
mod page;
mod parse;
mod print;
mod rewrite;
mod schema;
mod sections;
mod species;
mod table;
mod value;
mod variables;

pub use depth::{DepthModel, SIDE_LAYER_FACTOR};
pub use groups::Group;
pub use overlays::{Overlay, OverlayLayer, OverlayShape, overlay_bounds};
pub use page::{format_page, json_schema};
pub use parse::{parse, parse_with};
pub use print::print;
pub use rewrite::{Edit, RewriteError, rewrite};
pub use schema::{
    Attachment, Bend, Channel, Component, Connection, Design, Link, Placement, Port, PortCondition,
    Sheets, Spanned,
};
pub use species::{Concentration, DissolvedSpecies, Inlet, SpeciesSection};
pub use value::{Dimension, Value};
pub use variables::{Expression, Parametric, Repetition, Setting, Step, Variable, formula};

/// The version of the format that [`parse`] reads and [`print()`] writes.
pub const FORMAT: i64 = 1;
