//! A solved flow into dissolved species: concentrations at outlets and everywhere, mixing indices, ages of the fluid.
//!
//! ```text
//! Chip + Solution --network--> pipes, regions --psi--> stream functions --trace, region--> ways of streams --transport--> tubes at every socket
//!                                                                                                              |
//!                                         species' D and inlets -------------------------------------------------+--> followed: outlets, balance, estimate
//!                                                                                                              +--> field: values at nodes
//! ```
//! | module | turns what into what | may use |
//! | --- | --- | --- |
//! | [`profile`] | a channel into its developed profile over eta | |
//! | [`rational`] | a tridiagonal generator into its exponential; no physics | |
//! | [`stream`] | tubes side by side: exchange, cutting, joining, regridding | `profile`, `rational` |
//! | [`network`] | a solved chip into developed pipes and the regions between them, with balanced flows | `profile` |
//! | [`psi`] | the velocity of a region into its stream function | `network` |
//! | [`trace`] | a value of psi into a stream line | `psi` |
//! | [`region`] | stream lines into bundles, stages and equivalent lengths | `trace` |
//! | `copies` | ways of one region into those of all that flow alike | `region` |
//! | [`transport`] | streams at ports into streams everywhere, region by region along the flow | `region`, `stream`, `plan` |
//! | [`elliptic`] | regions at low Peclet numbers into concentrations on their sockets: the second engine | `psi`, `stream` |
//! | [`plan`] | Peclet numbers into engines, and the order of regions | `elliptic` |
//! | [`field`] | streams into nodal values | `transport` |
//! | [`Paths`] | a solved chip into where its fluid goes, which all species share | `region`, `copies`, `plan` |
//! | [`solve`] | species into results | all above |
//! | [`across`](mod@across) | nodal values and two points into a profile with its mixing index | `trace` |
//! | [`tracers`] | ways of the fluid into particles at any time | `trace` |
//! | [`duct`] | a cross-section in three dimensions into its exact transfer | |
//! | [`space`] | a chip in three dimensions: pipes by `duct`, regions by maps between cells | `duct`, `network` |
//! | [`files`] | results into columns, fields and profiles of files | |
//! | [`drawing`] | a region into a picture of its tubes | `region` |
//!
//! [`method`] is the page for numerical analysts.
//!
//! # The method
//! `div(u c - D grad c) = 0` with the solved velocity, no flux through walls. The fluid is cut into tubes between stream lines. A tube carries
//! one number, its mean concentration, and is carried whole: advection is exact, streams that meet are put side by side, streams that
//! part are cut at the stream line that parts them. There is no numerical diffusion along the flow or at junctions at any Peclet number.
//! Across, neighbours exchange:
//! ```text
//! W dc/dt = -T c      W: flow of each tube      T: chain with conductances  k = D lambda / (eta_i+1 - eta_i),   lambda = int |u| ds / (Q u(eta))
//! ```
//! In a pipe `lambda = L/w`. A region has three stages (drawn at [`region`]), each one exponential. `W^-1 T` is the generator of a Markov chain:
//! constants stay constants, sums stay sums, and nothing leaves the range of the inlets.
//!
//! Tubes that enter are uniform in eta, so those at walls carry little; where two streams meet, these lie beside the new interface, and the
//! layer that grows there is resolved from its first moment.
//!
//! # Two engines
//! Tubes leave out diffusion along the flow. Measured against elements it changes an outlet's mean by less than `0.11/Pe` of the range that enters a
//! region, and a fifth of that in a bend, where nothing parts: [`ALONG`]`/Pe` and [`ALONG_BEND`]`/Pe` are reported, summed over the regions passed; errors of
//! profiles fade as these do. Regions with more than two outlets have more of it, in proportion to how often streams part
//! (`designs/wide.toml`, four outlets: `0.29/Pe` at Pe 100). Regions where this exceeds the tolerance (1e-3: below `Pe` of about 150), and whose layers
//! elements resolve, are solved by [`elliptic`]. Added to the estimate: what diffuses through
//! pipes in which hardly anything flows, where tubes are on a side of them; the difference to half as many tubes and one order less; and what the
//! error of the flow does ([`OF_FLOW`]). Ages are followed by tubes everywhere.
//!
//! # Sources
//! Tubes between stream lines as coordinates: von Mises 1927. Rational exponential: Trefethen, Weideman, Schmelzer, BIT 46 (2006). Mixing index:
//! Danckwerts 1952; Nguyen, Wu, J. Micromech. Microeng. 15, R1 (2005). `Pe = Q/(h D)` throughout: flow per depth over diffusivity.

use thiserror::Error;
pub mod across;
mod along;
mod copies;
pub mod drawing;
pub mod duct;
pub mod elliptic;
pub mod field;
pub mod files;
mod followed;
mod input;
pub mod method;
pub mod network;
mod paths;
pub mod plan;
pub mod profile;
pub mod psi;
pub mod rational;
pub mod region;
pub mod space;
pub mod stream;
pub mod trace;
pub mod tracers;
pub mod transport;

pub use across::{Across, across};
pub use along::{ALONG, ALONG_BEND, OF_FLOW};
pub use followed::{AtPort, SpeciesResult, segregation, solve, solve_unless};
pub use input::{Engine, Inflow, Settings, Species};
pub use paths::Paths;

/// Why species could not be followed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SpeciesError {
    /// Only ports were solved.
    #[error("species need the velocity everywhere; solve without --ports-only")]
    NoFields,
    /// Nothing flows.
    #[error("nothing flows through this chip, so nothing carries the species")]
    Still,
    /// The second engine is made for the plane.
    #[error(
        "elements follow species in the planar and shallow models only; leave out the choice of an engine to follow them in three dimensions"
    )]
    ElementsInSpace,
    /// Made for walls that hold the fluid.
    #[error("species are made for walls that hold the fluid; some here slip")]
    SlipWalls,
    /// Made for one depth: a species' way through a pipe is known by its flow a metre of depth.
    #[error("species are made for chips of one depth, and parts of this one have their own")]
    Depths,
    /// The rim of a region is not made of loops with ports and pipes on the outer one.
    #[error("the walls of region {region} don't close around it")]
    Topology {
        /// Which.
        region: usize,
    },
    /// Its stream function can't be solved for.
    #[error("the stream function of region {region} can't be solved for")]
    Singular {
        /// Which.
        region: usize,
    },
    /// A pipe from port to port whose modes can't be found.
    #[error("the modes of pipe {pipe} can't be solved for")]
    Modes {
        /// Which.
        pipe: usize,
    },
    /// Flow in circles that doesn't settle.
    #[error("species that go round a loop of channels don't settle")]
    Circular,
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
    /// A stream line that ends nowhere.
    #[error("a stream line is lost in region {region}")]
    Lost {
        /// Which.
        region: usize,
    },
}
