//! Why an intention can't be carried out, as sentences for the user.

use thiserror::Error;

use stokeslet_base::diagnostic::Diagnostic;

/// Why nothing was changed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refusal {
    /// Nothing to do it with.
    #[error("nothing is selected that this could be done with")]
    NothingSelected,
    /// An array of more than a design should have.
    #[error("an array of {0} things is too large")]
    TooMany(u64),
    /// A channel between components that stay.
    #[error("what is selected is held by what it is joined to: move that too, or drag way-points")]
    Held,
    /// To line up takes two, to spread three.
    #[error("select at least {0} components that aren't attached to each other")]
    TooFew(usize),
    /// Nothing to open.
    #[error("no end is free: all are joined or open already")]
    NothingFree,
    /// One thing is no group.
    #[error("select at least 2 things to group them")]
    Alone,
    /// No component or channel of this name, or it could not be placed.
    #[error("there is no component or channel `{0}`, or it has no place yet: see the problems")]
    NoItem(String),
    /// No component of the library.
    #[error("the library has no component `{0}`")]
    NoKind(String),
    /// A component that can't be made.
    #[error("{}", .0.message)]
    Library(Box<Diagnostic>),
    /// No such socket, or its item could not be placed.
    #[error("there is no socket `{0}`, or it has no place yet: see the problems")]
    NoSocket(String),
    /// A socket has one partner.
    #[error("socket `{0}` is connected already: start on a pipe to insert a tee there")]
    Connected(String),
    /// A socket is open to the outside.
    #[error("socket `{socket}` is open to the outside by port `{port}`: remove the port first")]
    HasPort {
        /// `item.socket`.
        socket: String,
        /// The port's name.
        port: String,
    },
    /// Nothing can be dissolved in what doesn't enter.
    #[error("the design has no port that liquid enters by: open a socket to the outside first")]
    NoInlet,
    /// No port of this name.
    #[error("there is no port `{0}`")]
    NoPort(String),
    /// Liquid leaves there.
    #[error("by port `{0}` liquid is drawn off: name one where it enters")]
    DrawsOff(String),
    /// Both ends are one.
    #[error("a channel needs two different ends")]
    SameEnd,
    /// A mirror without a direction.
    #[error("a mirror line has two ends: drag it")]
    NoLine,
    /// No way leads there.
    #[error(
        "no channel fits between these ends: move them apart, turn one of them, or add way-points"
    )]
    NoWay,
    /// Widths differ, and the library has no joint.
    #[error(
        "`{from}` and `{to}` differ in width, and the library has no `{kind}` to put between them"
    )]
    NoJoint {
        /// `item.socket`.
        from: String,
        /// `item.socket`.
        to: String,
        /// What would go between.
        kind: &'static str,
    },
    /// A joint of the other kind has no such parameter.
    #[error("`{component}` has a `{parameter}`, which a {kind} can't have")]
    OnlyOf {
        /// The joint.
        component: String,
        /// Its parameter.
        parameter: String,
        /// What it was to be.
        kind: &'static str,
    },
    /// Nothing straight to put a tee on.
    #[error("a tee can be inserted into pipes and straight runs of channels, not into `{0}`")]
    NotStraight(String),
    /// Too short for a tee.
    #[error("`{0}` is too short here for a tee")]
    TooShort(String),
    /// No such way-point.
    #[error("channel `{channel}` has no way-point {index}")]
    NoWayPoint {
        /// The channel.
        channel: String,
        /// Counted from 0.
        index: usize,
    },
    /// The channel could not be built so.
    #[error("{}", .0.message)]
    Channel(Box<Diagnostic>),
    /// Not a part of a design.
    #[error("the clipboard holds nothing of a design: {0}")]
    NotADesign(String),
    /// A reference that leads out of what is pasted.
    #[error("the clipboard's `{item}` refers to `{socket}`, which isn't in it")]
    RefersOutside {
        /// The component, channel or port.
        item: String,
        /// `item.socket`.
        socket: String,
    },
}

impl Refusal {
    /// The library can't make it.
    pub(super) fn library(fault: Diagnostic) -> Self {
        Self::Library(Box::new(fault))
    }

    /// The channel could not be built.
    pub(super) fn channel(fault: Diagnostic) -> Self {
        Self::Channel(Box::new(fault))
    }
}
