//! Values of parameters: quantities with their dimension, numbers, texts, lists.

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// m
    Length,
    /// rad
    Angle,
    /// Pa
    Pressure,
    /// Pa s
    Viscosity,
    /// m^3/s
    FlowRate,
    /// m^2/s
    FlowRatePerDepth,
}

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
