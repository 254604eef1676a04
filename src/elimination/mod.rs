//! elimination
