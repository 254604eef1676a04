//! Design files: reading, printing, rewriting, and the corpus of broken ones.

#[path = "design/broken.rs"]
mod broken;
#[path = "design/read.rs"]
mod read;
#[path = "design/rewrite.rs"]
mod rewrite;
#[path = "design/support.rs"]
mod support;
