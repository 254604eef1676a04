//! The component library: definition files and parameters become shapes and sockets. Does not know the solver.

mod junction;
mod realisation;

pub use junction::{JunctionError, JunctionOutline, junction_outline};
pub use realisation::Realisation;
