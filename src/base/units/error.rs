//! What can be wrong with a quantity, and what to do about it.

use thiserror::Error;

use super::Dimension;

/// Why a text is no quantity.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum QuantityError {
    /// Nothing there.
    #[error("the quantity is empty")]
    Empty,
    /// Over 200 bytes.
    #[error("a text of {bytes} bytes is too long for a quantity")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It starts with something else.
    #[error("`{text}` doesn't start with a number")]
    NoNumber {
        /// What was read.
        text: String,
    },
    /// `1,5 mm`
    #[error("`{text}` has a comma in its number")]
    Comma {
        /// What was read.
        text: String,
    },
    /// NaN, an infinity, or a number beyond what can be held.
    #[error("`{text}` is not a finite number that can be held")]
    NotFinite {
        /// What was read.
        text: String,
    },
    /// A bare number.
    #[error("`{number}` has no unit")]
    MissingUnit {
        /// The number as written.
        number: String,
    },
    /// No such unit.
    #[error("unknown unit `{unit}`")]
    UnknownUnit {
        /// As written.
        unit: String,
        /// A unit that is written almost so.
        nearest: Option<String>,
    },
    /// The unit can't be read: a stray sign, an exponent without a number.
    #[error("the unit `{unit}` can't be read")]
    MalformedUnit {
        /// As written.
        unit: String,
    },
    /// A unit of nothing that designs speak of, such as kg.
    #[error("the unit `{unit}` measures nothing that a design speaks of")]
    NoDimension {
        /// As written.
        unit: String,
    },
    /// A quantity of another kind than the caller wants.
    #[error("`{text}` is {got}, wanted {wanted}")]
    WrongDimension {
        /// As written.
        text: String,
        /// What it measures.
        got: Dimension,
        /// What it should measure.
        wanted: Dimension,
    },
}

impl QuantityError {
    /// What to do about it, for a place that wants `wanted`.
    pub fn help(&self, wanted: Option<Dimension>) -> String {
        let example = wanted.map_or("100 um", Dimension::example);
        match self {
            Self::UnknownUnit {
                nearest: Some(near),
                ..
            } => format!("did you mean `{near}`?"),
            Self::Comma { .. } => format!(
                "write decimals with a point, such as \"{}\"",
                if wanted.is_some() { example } else { "1.5 mm" }
            ),
            Self::MissingUnit { number } => {
                let unit = example.split_once(' ').map_or("um", |(_, unit)| unit);
                format!("write the number with its unit, such as \"{number} {unit}\"")
            }
            _ => format!("write a number and a unit, such as \"{example}\""),
        }
    }
}
