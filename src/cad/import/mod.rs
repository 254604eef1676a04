//! Other people's files become designs: plain networks of straight channels, as JSON.
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
//! | D314 | a cluster of junctions that encloses a wall, or can't be cut from its channels |
//! | D315 | an inlet or outlet that lies inside a junction |

mod cluster;
mod emit;
mod graph;
mod ring;
mod sections;

pub use emit::network;
