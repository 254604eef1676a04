//! From velocities and level sets to a complementarity problem, and from its solution back to velocities.
//!
//! ```text
//! Mac, Walls, liquid --assemble--> Lcp --(lcp)--> pressure --project--> Mac without divergence, valid faces
//! ```

mod assemble;
mod pockets;
mod project;

pub use assemble::{Assembled, Separation, Walls, assemble, divergence};
pub use pockets::{Pocket, close_pockets};
pub use project::{Faces, constrain, project};
