//! Other people's files and the designs that they need: links, ParchMint, layouts of netlists, MMFT, drawings of 3DuF, mutated files.

#[path = "interop/data.rs"]
mod data;
#[path = "interop/hostile.rs"]
mod hostile;
#[path = "interop/layout.rs"]
mod layout;
#[path = "interop/links.rs"]
mod links;
#[path = "interop/mmft.rs"]
mod mmft;
#[path = "interop/parchmint.rs"]
mod parchmint;
#[path = "interop/threeduf.rs"]
mod threeduf;
