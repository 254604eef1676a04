//! Physical quantities as types: what crosses a module boundary carries its unit, kernels use plain SI `f64`.
//!
//! Knows the units of design files and how to read and print them; knows nothing of designs.

use serde::{Deserialize, Serialize};

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
    /// A volumetric flow rate in m^3/s.
    FlowRate
);
quantity!(
    /// A flow rate per metre of depth, in m^2/s (the `planar` model's own).
    FlowRatePerDepth
);
