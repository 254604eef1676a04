//! A definition: what a file of the library says.

use rhai::{AST, Dynamic};

use stokeslet_base::units::Dimension;

/// A component's entry in the library.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name, the file's stem.
    pub name: String,
    /// The folder it lies in, which groups components for people.
    pub family: String,
    /// What it is, in one line.
    pub doc: String,
    /// In the file's order; the default and range of one may use those before it.
    pub parameters: Vec<Parameter>,
    /// What is said of its sockets: name and one line. Sockets whose number depends on parameters may be missing.
    pub socket_docs: Vec<(String, String)>,
    /// How its shape follows from the parameters.
    pub(super) body: Body,
}

impl Definition {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }
}

/// A parameter of a definition.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub kind: ParameterKind,
    /// Used where a design gives none.
    pub default: Expression,
    /// Least value (of each element of a list).
    pub min: Option<Expression>,
    /// Greatest value (of each element of a list).
    pub max: Option<Expression>,
    /// What it is, in one line.
    pub doc: String,
}

/// What a parameter may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A length, m.
    Length,
    /// An angle, rad.
    Angle,
    /// A whole number.
    Count,
    /// A number without a unit.
    Number,
    /// true or false.
    Bool,
    /// One of these texts.
    Choice(Vec<String>),
    /// A list of lengths, m.
    Lengths,
    /// A list of angles, rad.
    Angles,
    /// A list of whole numbers.
    Counts,
    /// A list of points, each a pair of lengths, m.
    Points,
}

impl ParameterKind {
    /// Reads the word of a definition file.
    pub(super) fn parse(word: &str, choices: Vec<String>) -> Option<Self> {
        Some(match word {
            "length" => Self::Length,
            "angle" => Self::Angle,
            "count" => Self::Count,
            "number" => Self::Number,
            "bool" => Self::Bool,
            "choice" => Self::Choice(choices),
            "lengths" => Self::Lengths,
            "angles" => Self::Angles,
            "counts" => Self::Counts,
            "points" => Self::Points,
            _ => return None,
        })
    }

    /// All words of definition files.
    pub(super) const WORDS: [&'static str; 10] = [
        "length", "angle", "count", "number", "bool", "choice", "lengths", "angles", "counts",
        "points",
    ];

    /// What a value of this kind is, with its article and an example, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Length => "a length, such as \"100 um\"".to_owned(),
            Self::Angle => "an angle, such as \"90 deg\"".to_owned(),
            Self::Count => "a whole number, such as 4".to_owned(),
            Self::Number => "a number without a unit, such as 0.5".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Choice(choices) => format!("one of {}", quoted(choices)),
            Self::Lengths => "a list of lengths, such as [\"100 um\", \"50 um\"]".to_owned(),
            Self::Angles => "a list of angles, such as [\"0 deg\", \"120 deg\"]".to_owned(),
            Self::Counts => "a list of whole numbers, such as [1, 3]".to_owned(),
            Self::Points => {
                "a list of points, such as [[\"0 um\", \"0 um\"], [\"1 mm\", \"0 um\"]]".to_owned()
            }
        }
    }

    /// The dimension of its numbers; `None` for those without a unit.
    pub fn dimension(&self) -> Option<Dimension> {
        match self {
            Self::Length | Self::Lengths | Self::Points => Some(Dimension::Length),
            Self::Angle | Self::Angles => Some(Dimension::Angle),
            Self::Count | Self::Counts | Self::Number | Self::Bool | Self::Choice(_) => None,
        }
    }

    /// The texts that a choice has; none for other kinds.
    pub fn choices(&self) -> &[String] {
        match self {
            Self::Choice(choices) => choices,
            _ => &[],
        }
    }

    /// A value as a design writes it, for kinds where any will do as an example.
    pub(super) fn example(&self) -> Option<&'static str> {
        match self {
            Self::Length => Some("\"500 um\""),
            Self::Angle => Some("\"60 deg\""),
            Self::Count => Some("4"),
            Self::Angles => Some("[\"0 deg\", \"120 deg\", \"250 deg\"]"),
            _ => None,
        }
    }

    /// The word of definition files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Angle => "angle",
            Self::Count => "count",
            Self::Number => "number",
            Self::Bool => "bool",
            Self::Choice(_) => "choice",
            Self::Lengths => "lengths",
            Self::Angles => "angles",
            Self::Counts => "counts",
            Self::Points => "points",
        }
    }
}

/// Texts in quotes, with commas.
pub(super) fn quoted(words: &[String]) -> String {
    words
        .iter()
        .map(|w| format!("\"{w}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A value of a definition file: what it says, and how to get it.
#[derive(Clone, Debug)]
pub struct Expression {
    /// As the file says it.
    pub text: String,
    /// How to get it.
    pub(super) code: Code,
}

/// See [`Expression`].
#[derive(Clone, Debug)]
pub(super) enum Code {
    /// A value with its unit resolved.
    Constant(Dynamic),
    /// To be evaluated with the parameters.
    Script(AST),
    /// A list of such.
    List(Vec<Expression>),
}

/// How a shape follows from the parameters.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A channel between two sockets.
    Strip(Box<StripBody>),
    /// A script that gives the corners, each `[x, y]` or `[x, y, "socket on the edge from here"]`.
    Outline(AST),
    /// A script that places other components.
    Compose(AST),
}

/// A strip's dimensions as expressions, and the names of its sockets.
#[derive(Clone, Debug)]
pub(super) struct StripBody {
    /// Which and how large.
    pub dimensions: StripDimensions,
    /// At the start, and at the end; an end without a name is closed.
    pub sockets: Vec<String>,
    /// The right and the left wall, where the definition says of what kind they are: a kind's name, or "chip".
    pub walls: [Option<Expression>; 2],
}

/// See [`StripBody`].
#[derive(Clone, Debug)]
pub(super) enum StripDimensions {
    /// Straight, width changing linearly.
    Straight {
        /// m
        length: Expression,
        /// m
        width_start: Expression,
        /// m
        width_end: Expression,
    },
    /// Part of a circle.
    Arc {
        /// Radius of the centre line, m.
        radius: Expression,
        /// rad
        angle: Expression,
        /// m
        width: Expression,
    },
}
