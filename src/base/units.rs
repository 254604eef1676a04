//! Physical quantities as types, and their texts: what crosses a module boundary carries its unit, kernels use plain SI `f64`.
//!
//! [`parse_quantity`] turns "100 um" into 1e-4 and [`Dimension::Length`]; [`print_quantity`] turns it into "100 µm".
//! Reading is correctly rounded for decimal units, so "100 um" and "0.1 mm" are the same bits, and what is printed reads back as the same bits.
//! Knows the units of design files and how to read and print them; knows nothing of designs.
//!
//! To add a unit: one row in `units/table.rs`.

mod error;
mod parse;
mod print;
mod table;

pub use error::QuantityError;
pub use parse::{parse_any_quantity, parse_quantity, parse_quantity_as};
pub use print::{print_length, print_quantity, to_digits};
pub use table::Powers;

use std::fmt;

use serde::{Deserialize, Serialize};

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
    /// mol/m^3
    Concentration,
    /// kg/m^3
    Density,
}

impl Dimension {
    /// What units of these powers measure, if designs have a use for it: `[0, 1, 0, 0]` is a length.
    pub fn of_powers(powers: Powers) -> Option<Self> {
        table::dimension(powers)
    }

    /// Powers of its units: the inverse of [`Self::of_powers`].
    pub fn powers(self) -> Powers {
        table::powers(self)
    }

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Length,
        Self::Angle,
        Self::Pressure,
        Self::Viscosity,
        Self::FlowRate,
        Self::FlowRatePerDepth,
        Self::Concentration,
        Self::Density,
    ];

    /// How such a quantity is written, for messages.
    pub fn example(self) -> &'static str {
        match self {
            Self::Length => "100 um",
            Self::Angle => "45 deg",
            Self::Pressure => "20 mbar",
            Self::Viscosity => "0.89 mPa s",
            Self::FlowRate => "5 uL/min",
            Self::FlowRatePerDepth => "1e-6 m^2/s",
            Self::Concentration => "1 mol/m^3",
            Self::Density => "1000 kg/m^3",
        }
    }

    /// The SI unit, in ASCII.
    pub fn si_unit(self) -> &'static str {
        match self {
            Self::Length => "m",
            Self::Angle => "rad",
            Self::Pressure => "Pa",
            Self::Viscosity => "Pa s",
            Self::FlowRate => "m^3/s",
            Self::FlowRatePerDepth => "m^2/s",
            Self::Concentration => "mol/m^3",
            Self::Density => "kg/m^3",
        }
    }
}

impl fmt::Display for Dimension {
    /// With its article: "a length".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "a length",
            Self::Angle => "an angle",
            Self::Pressure => "a pressure",
            Self::Viscosity => "a viscosity",
            Self::FlowRate => "a flow rate",
            Self::FlowRatePerDepth => "a flow rate per depth",
            Self::Concentration => "a concentration",
            Self::Density => "a density",
        })
    }
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);
    };
}

quantity!(
    /// A length in m.
    Metre
);
quantity!(
    /// An angle in rad (design files use degrees by default).
    Radian
);
quantity!(
    /// A pressure in Pa.
    Pascal
);
quantity!(
    /// A dynamic viscosity in Pa s.
    PascalSecond
);
quantity!(
    /// A density in kg/m^3.
    KilogramPerCubicMetre
);
quantity!(
    /// A volumetric flow rate in m^3/s.
    FlowRate
);
quantity!(
    /// A flow rate per metre of depth, in m^2/s (the `planar` model's own).
    FlowRatePerDepth
);
