//! How the depth of a chip enters the equations.

/// How the depth of the chip enters the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthModel {
    /// Two-dimensional flow per unit depth, as in the thesis.
    Planar,
    /// Depth-averaged: the walls above and below add the drag 12 mu u / depth^2, and in the plane the viscosity is
    /// [`SIDE_LAYER_FACTOR`] times the liquid's, so that side walls hold back as much as those of a rectangular duct.
    Shallow,
    /// [`DepthModel::Shallow`] with the liquid's own viscosity in the plane: Brinkman's equation as it is often written. Its side
    /// layers are 8 % too thin, and channels twice as wide as deep carry 3.6 % too much.
    ShallowBrinkman,
    /// Three-dimensional: the chip extruded by its depth, walls above and below.
    Full,
}

/// Viscosity in the plane over the liquid's, in the shallow model: 1.1916.
///
/// ```text
/// -kappa mu lap u + 12 mu u / d^2 + grad p = 0 in a channel:   Q = w d^3 G / (12 mu) (1 - tanh(k)/k),   k = w/d sqrt(3/kappa)
/// rectangular duct, w >= d:                                    Q = w d^3 G / (12 mu) (1 - c d/w + ...),  c = 186 zeta(5)/pi^5
/// ```
/// Side walls take the width `c d` of the duct and `sqrt(kappa/3) d` of the model, so `kappa = 3 c^2`. What is left is exponentially
/// small in `w/d`: -0.32 % of the flow at w/d 1, -0.05 % at 1.5, -0.01 % at 2, less beyond; but -2.2 % at 0.5 and -11 % at 0.1. With
/// `kappa = 1` it is +8.5, +5.5, +3.8 and, at ten, +0.56 %. Cells add theirs, up to 0.05 % at ten with 16 across.
///
/// # Source
/// The series of the rectangular duct, as in White, Viscous Fluid Flow, section 3-3.3; the averaging is ours.
pub const SIDE_LAYER_FACTOR: f64 = 3.0 * SIDE_LAYERS * SIDE_LAYERS;

/// Width that both side walls of a wide duct take, over its depth: 192/pi^5 times the sum of 1/n^5 over odd n.
const SIDE_LAYERS: f64 = 0.630_248_876_283_867_2;

impl DepthModel {
    /// All of them, in the order in which they are offered.
    pub const ALL: [DepthModel; 4] = [
        DepthModel::Planar,
        DepthModel::Shallow,
        DepthModel::ShallowBrinkman,
        DepthModel::Full,
    ];

    /// Its name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            DepthModel::Planar => "planar",
            DepthModel::Shallow => "shallow",
            DepthModel::ShallowBrinkman => "shallow-brinkman",
            DepthModel::Full => "full",
        }
    }

    /// The model of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Whether it needs the chip's depth.
    pub fn needs_depth(self) -> bool {
        self != DepthModel::Planar
    }

    /// Whether the flow is an average over the depth, held back by floor and ceiling.
    pub fn is_averaged(self) -> bool {
        matches!(self, DepthModel::Shallow | DepthModel::ShallowBrinkman)
    }

    /// Viscosity in the plane over the liquid's.
    pub fn plane_viscosity_factor(self) -> f64 {
        match self {
            DepthModel::Shallow => SIDE_LAYER_FACTOR,
            DepthModel::Planar | DepthModel::ShallowBrinkman | DepthModel::Full => 1.0,
        }
    }

    /// Drag of floor and ceiling over the viscosity in the plane, 1/m^2: 12 / depth^2 over the factor above, or 0.
    pub fn drag(self, depth: Option<f64>) -> f64 {
        match depth.filter(|_| self.is_averaged()) {
            Some(depth) => 12.0 / (depth * depth * self.plane_viscosity_factor()),
            None => 0.0,
        }
    }
}
