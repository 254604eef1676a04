//! Design files: reading, printing, rewriting, and the corpus of broken ones.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "design/broken.rs"]
mod broken;
#[path = "support/broken.rs"]
mod corpus;
#[path = "design/random.rs"]
mod random;
#[path = "design/read.rs"]
mod read;
#[path = "design/rewrite.rs"]
mod rewrite;
#[path = "design/support.rs"]
mod support;
