//! The component library: definition files and parameters become shapes and sockets. Does not know the solver.

mod realisation;

pub use realisation::Realisation;
