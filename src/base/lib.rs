//! What every layer of Stokeslet uses: units, users' mistakes as values, keys of content, points and motions, cancelling, the
//! table of results, loops on threads.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`units`] | quantities of SI and their text |
//! | [`diagnostic`] | a user's mistake as a value: code, place, message, help; drawn underlined |
//! | [`fingerprint`] | 128-bit keys of content |
//! | [`geometry`] | points, rigid motions, quantisation, outlines |
//! | [`table`] | results by the key of what makes them, shared by threads and solves |
//! | [`parallel`] | loops on the threads of the caller's pool |
//! | [`cancel`] | a request to stop that reaches the inner loops |
//! | [`profile`] | spans of work into tables and traces; enters no result |
//!
//! Knows no chips, no equations, no files and no windows.

pub mod cancel;
pub mod diagnostic;
pub mod fingerprint;
pub mod geometry;
pub mod parallel;
pub mod profile;
pub mod table;
pub mod units;
pub mod vectors;
