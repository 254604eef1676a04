//! Other people's files become designs: plain networks of straight channels ([`network`]), ParchMint netlists ([`parchmint()`]),
//! networks of MMFT ([`mmft()`]), drawings of 3DuF ([`threeduf()`]).
//!
//! Guarantees that what is imported without an error can be placed: nodes become junctions, and junctions that run into each
//! other become one. Knows nothing of the solver.
//!
//! | code | mistake |
//! | --- | --- |
//! | D301 | not JSON, or cut short |
//! | D302 | not a network: a key that is missing, unknown or of the wrong type |
//! | D303 | a number out of range |
//! | D304, D305, D306 | a channel to a node that isn't there, to itself, or there twice |
//! | D307 | channels that cross or run on top of one another |
//! | D308 | an inlet or outlet at a node that isn't the end of one channel |
//! | D309, D310 | a node without a channel; two nodes in one place |
//! | D311, D312 | a node that is an inlet or outlet twice; none at all |
//! | D313 | too many nodes or channels |
//! | D314 | a cluster of junctions, or shapes of a drawing (warning), that encloses a wall or can't be cut from its channels |
//! | D315 | an inlet or outlet that lies inside a junction |
//! | D320 | not a file of the format, or without a flow layer |
//! | D321 | an entity that is not known, or drawn simpler than it is (warning) |
//! | D322 | an end at what isn't there |
//! | D323 | a port's label that the component has not (warning) |
//! | D324 | an island with fewer than two ports (warning; an error where there is no other) |
//! | D325 | channels wider than the component has room for |
//! | D326 | a depth that differs from the chip's |
//! | D327 | connections that tell no width (warning) |
//! | D328 | the control layer, which is left out (warning) |
//! | D329 | a parameter out of the range that can be made; a length that isn't told (warning) |

mod annotate;
mod cluster;
mod emit;
mod format;
mod graph;
mod json;
pub mod mmft;
pub mod parchmint;
mod placeable;
mod ring;
mod sections;
pub mod threeduf;

pub use emit::network;
pub use format::{Format, format_of, read};
pub use mmft::{mmft, mmft_laws};
pub use parchmint::{Imported, Options, parchmint};
pub use threeduf::threeduf;
