//! Values of parameters: quantities with their dimension, numbers, texts, lists.

pub use stokeslet_base::units::Dimension;

/// A parameter's value as a design gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number with a unit, in SI.
    Quantity(f64, Dimension),
    /// A number without a unit.
    Number(f64),
    /// true or false.
    Bool(bool),
    /// Anything else that is written in quotes.
    Text(String),
    /// A list of values.
    List(Vec<Value>),
}
