//! What the window reads from the disk and writes to it.

pub mod export;
pub mod settings;
