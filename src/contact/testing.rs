//! Helpers of the tests: a fixed random source and assertions that say why.

use crate::real::V3;

/// Random numbers from an integer hash of an index.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
    /// Uniform in (0, 1).
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        crate::generate::hashed(self.0)
    }
    /// Uniform in the cube (-1, 1).
    pub(crate) fn vector(&mut self) -> V3 {
        V3::new(
            2.0 * self.number() - 1.0,
            2.0 * self.number() - 1.0,
            2.0 * self.number() - 1.0,
        )
    }
}

#[track_caller]
pub(crate) fn assert_small(value: f64, scale: f64, rel: f64, why: &str) {
    assert!(
        value.abs() <= rel * scale,
        "{value:e} > {rel:e} * {scale:e}: {why}"
    );
}
