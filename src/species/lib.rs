//! Dissolved species on a solved flow.
pub mod profile;
pub mod rational;
pub mod stream;
