//! Text into a placed, checked chip: designs, the component library, other people's networks. No solver is known here.
//!
//! ```text
//! design file --parse--> Design --place--> Chip { parts, connections, ports }
//!                                 ^
//!   components/ --load--> Library-+            network (JSON) --import--> design file
//! ```
//! | module | turns what into what |
//! | --- | --- |
//! | [`shape`] | what a part is made of: strips and polygons with sockets |
//! | [`design`] | text into a [`design::Design`] and back; comments survive |
//! | [`library`] | component definitions and parameters into shapes and sockets |
//! | [`chip`] | design and library into a placed, checked [`chip::Chip`] |
//! | [`edits`] | intentions (move these, draw a channel) into [`design::Edit`]s of the text; pure |
//! | [`drawing`] | a design whose joints are links into one with places and channels |
//! | [`outline`] | a chip into drawings, masks and solids for the workshop |
//! | [`rules`] | a chip and a process's limits into the places that break them |
//! | [`import`] | other people's designs into ours |

pub mod chip;
pub mod design;
pub mod drawing;
pub mod edits;
pub mod import;
pub mod library;
pub mod outline;
pub mod rules;
pub mod shape;
