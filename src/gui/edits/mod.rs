//! Intentions (move these, draw a channel) into changes of the text. Pure: they see the design and its layout, and nothing else.

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
