//! Other people's files and the designs that they need: links, ParchMint, MMFT, mutated files.

#[path = "interop/data.rs"]
mod data;
#[path = "interop/hostile.rs"]
mod hostile;
#[path = "interop/links.rs"]
mod links;
#[path = "interop/mmft.rs"]
mod mmft;
#[path = "interop/parchmint.rs"]
mod parchmint;
