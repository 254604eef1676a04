//! Other people's files and the designs that they need: links, ParchMint, rules of fabrication.

#[path = "interop/data.rs"]
mod data;
#[path = "interop/links.rs"]
mod links;
#[path = "interop/parchmint.rs"]
mod parchmint;
