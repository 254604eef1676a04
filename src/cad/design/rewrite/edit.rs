//! The changes that can be made to a design file, and why one can't be.

use thiserror::Error;

use crate::design::DepthModel;
use crate::design::{
    Channel, Component, Connection, Overlay, Placement, Port, PortCondition, Value,
};
use crate::design::{DissolvedSpecies, Inlet};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, PascalSecond};

/// One change. Spans inside are ignored: they are places of another text.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets or removes the title.
    SetTitle(Option<String>),
    /// Sets the dynamic viscosity.
    SetViscosity(PascalSecond),
    /// Sets how the depth enters.
    SetModel(DepthModel),
    /// Sets or removes the depth of the chip.
    SetDepth(Option<Metre>),
    /// Sets the default width.
    SetWidth(Metre),
    /// Sets or removes the resolution.
    SetResolution(Option<u32>),
    /// Sets a variable, or adds it at the end of `[variables]`; an expression is a text that begins with `=`.
    SetVariable {
        /// The variable.
        name: String,
        /// Its new value.
        value: Value,
    },
    /// Gives a value of the chip, the fluid, or of a component, channel, link or port by an expression. Of copies that are repeated this
    /// one is written out.
    SetExpression {
        /// Where it stands, such as `chip.width` or `ports.inlet.flow_rate`.
        keys: Vec<String>,
        /// The expression, with its `=`.
        source: String,
    },
    /// Removes a variable; expressions that use it stay, and are mistakes then.
    RemoveVariable(String),
    /// Adds a component at the end.
    AddComponent(Component),
    /// Removes a component; what refers to it stays.
    RemoveComponent(String),
    /// Puts a component elsewhere.
    Place {
        /// The component.
        component: String,
        /// Its new place.
        placement: Placement,
    },
    /// Sets a parameter, or removes it so that the library's default holds.
    SetParameter {
        /// The component.
        component: String,
        /// The parameter.
        parameter: String,
        /// Its new value.
        value: Option<Value>,
    },
    /// Makes a component at a place of its own the first of a row or grid of copies, as one entry of the file.
    Repeat {
        /// The component; its copies are called after it, `post_1` or `post_1_1`.
        component: String,
        /// Columns and rows, at least two copies in all.
        count: (u32, u32),
        /// From one column and one row to the next, m.
        step: Point,
    },
    /// Gives a component, channel or link a depth of its own, or takes it away so that the chip's holds.
    SetItemDepth {
        /// The component, channel or link.
        item: String,
        /// Its new depth.
        depth: Option<Metre>,
    },
    /// Sets which parameters of a component have their values written beside it; with none, nothing is.
    SetDimensions {
        /// The component.
        component: String,
        /// Names of its parameters.
        of: Vec<String>,
    },
    /// Renames a component, channel, control shape or note, also where it is referred to.
    Rename {
        /// Name now.
        from: String,
        /// Name to be.
        to: String,
    },
    /// Adds a channel at the end.
    AddChannel(Channel),
    /// Replaces the channel of the same name.
    SetChannel(Channel),
    /// Removes a channel; what refers to it stays.
    RemoveChannel(String),
    /// Joins two sockets.
    Connect(Connection),
    /// Undoes a connection, whichever way round it is written.
    Disconnect(Connection),
    /// Adds a port at the end.
    AddPort(Port),
    /// Removes a port.
    RemovePort(String),
    /// Renames a port, also where species enter by it.
    RenamePort {
        /// Name now.
        from: String,
        /// Name to be.
        to: String,
    },
    /// Sets what holds at a port.
    SetCondition {
        /// The port.
        port: String,
        /// Its new condition.
        condition: PortCondition,
    },
    /// Adds a control shape or a note at the end of its section.
    AddOverlay(Overlay),
    /// Replaces the control shape or note of the same name, perhaps on the other layer.
    SetOverlay(Overlay),
    /// Removes a control shape or a note.
    RemoveOverlay(String),
    /// Sets what a group has, or adds one; with nothing the group goes.
    SetGroup {
        /// The group.
        name: String,
        /// Names of what belongs to it.
        of: Vec<String>,
    },
    /// Adds a dissolved species at the end.
    AddSpecies(DissolvedSpecies),
    /// Removes a species.
    RemoveSpecies(String),
    /// Sets how fast a species diffuses.
    SetDiffusivity {
        /// The species.
        species: String,
        /// m^2/s.
        diffusivity: f64,
    },
    /// Sets what of a species enters by a port.
    SetInlet {
        /// The species.
        species: String,
        /// The port and what enters by it.
        inlet: Inlet,
    },
}

/// Why an edit can't be made.
#[derive(Debug, Error)]
pub enum RewriteError {
    /// The text, or a new value (lists nested beyond all measure), can't be read, so nothing can be changed.
    #[error("the text is not TOML")]
    NotToml(#[from] toml_edit::TomlError),
    /// There is no such thing in the file.
    #[error("there is no {what} `{name}` in the design")]
    NotFound {
        /// A component, a channel, ...
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// The name is in use.
    #[error("the design has a {what} `{name}` already")]
    Taken {
        /// A component, a channel, ...
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Something else stands where a table belongs.
    #[error("`{key}` is not a table in this file")]
    NotATable {
        /// Where.
        key: String,
    },
}
