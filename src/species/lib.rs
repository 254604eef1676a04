//! Dissolved species on a solved flow.
use thiserror::Error;
mod followed;
mod input;
pub mod network;
pub mod profile;
pub mod psi;
pub mod rational;
pub mod region;
pub mod stream;
pub mod trace;
pub mod transport;

pub use followed::{ALONG, AtPort, Paths, SpeciesResult, segregation, solve};
pub use input::{Inflow, Settings, Species};

/// Why species could not be followed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SpeciesError {
    /// Only ports were solved.
    #[error("species need the velocity everywhere; solve without --ports-only")]
    NoFields,
    /// Nothing flows.
    #[error("nothing flows through this chip, so nothing carries the species")]
    Still,
    /// Made for the plane.
    #[error(
        "species are made for the planar and shallow models; this chip is solved with the {model} model"
    )]
    Depth {
        /// Its name.
        model: &'static str,
    },
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
    /// Flow in circles that doesn't settle.
    #[error("species that go round a loop of channels don't settle")]
    Circular,
    /// A stream line that ends nowhere.
    #[error("a stream line is lost in region {region}")]
    Lost {
        /// Which.
        region: usize,
    },
}
