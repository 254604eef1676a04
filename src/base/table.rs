//! Results that outlive a solve: the next one reuses what the last ones computed, least recently used results go first.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dashmap::DashMap;
use serde::Serialize;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::fingerprint::Fingerprint;

/// Whether equal operations are computed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Equal operations are computed once: the method.
    Cached,
    /// Every operation is computed where it occurs (the thesis's "elim"), to measure what caching brings.
    Uncached,
}

/// A table holds at most one part in this many of the machine's memory unless told otherwise.
const SHARE_OF_MACHINE: u64 = 4;

/// Values of any type by the key of what makes them; shared by threads and by solves.
///
/// A key covers everything that its value depends on, so it doesn't matter to a result whether a value was found here or
/// computed again: budget, evictions and timing change how long a solve takes, never a bit of it. Values of different types
/// have different keys (make the type part of what is hashed).
///
/// # Requires
/// Values must not change after they were kept (no interior mutability that shows).
/// # Accuracy and cost
/// Exact least-recently-used order by a counter of uses, not by a clock: the same calls in the same order evict the same
/// values. [`Table::get`] takes no lock but that of one shard of the map; [`Table::keep`] takes one lock for O(log n), on
/// average over the calls: each value is looked at for eviction once per use at most.
/// # Example
/// ```
/// use std::sync::Arc;
/// use stokeslet_base::table::Table;
/// use stokeslet_base::fingerprint::Fingerprint;
///
/// let table = Table::with_budget(1 << 20);
/// let key = Fingerprint(7);
/// table.keep(key, Arc::new(vec![1.0; 3]), 24);
/// assert_eq!(*table.get::<Vec<f64>>(key).expect("it was kept"), [1.0; 3]);
/// assert_eq!(table.counters().hits, 1);
/// ```
#[derive(Debug)]
pub struct Table {
    entries: DashMap<Fingerprint, Entry, rustc_hash::FxBuildHasher>,
    queue: Mutex<Queue>,
    budget: u64,
    /// Counts uses; each is given to one value only.
    tick: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    value: Arc<dyn Any + Send + Sync>,
    bytes: u64,
    last_use: AtomicU64,
    /// Where it stands in [`Queue::order`]; never later than its last use.
    queued: u64,
}

/// Who goes first. A use doesn't move a value in the queue: whoever comes to the front and was used since goes back to where
/// that use puts it. So uses need no lock, and the first who stays at the front is the least recently used.
#[derive(Debug, Default)]
struct Queue {
    order: BTreeMap<u64, Fingerprint>,
    bytes: u64,
    evictions: u64,
}

/// What a table did and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TableCounters {
    /// Values that were asked for and found.
    pub hits: u64,
    /// Values that were asked for in vain.
    pub misses: u64,
    /// Values that had to go.
    pub evictions: u64,
    /// Values that it holds.
    pub entries: u64,
    /// Bytes that it holds.
    pub bytes: u64,
}

impl Default for Table {
    /// A table that holds at most a quarter of the machine's memory (of a container's, where it allows less).
    fn default() -> Self {
        Self::with_budget(machine_memory() / SHARE_OF_MACHINE)
    }
}

impl Table {
    /// A table that holds at most `budget` bytes; 0 keeps nothing.
    ///
    /// A smaller budget computes more again; a larger one takes memory from the solves. A value that was evicted lives on while
    /// somebody uses it: the budget bounds what the table holds, not what solves do.
    pub fn with_budget(budget: u64) -> Self {
        Self {
            entries: DashMap::default(),
            queue: Mutex::default(),
            budget,
            tick: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The value of a key, if it is known and of this type; that is a use of it.
    pub fn get<T: Any + Send + Sync>(&self, key: Fingerprint) -> Option<Arc<T>> {
        let found = self.entries.get(&key).and_then(|entry| {
            let value = Arc::clone(&entry.value).downcast::<T>().ok()?;
            entry
                .last_use
                .fetch_max(self.next_tick(), Ordering::Relaxed);
            Some(value)
        });
        let counter = if found.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Keeps a value of `bytes` bytes, all that it holds included; those used longest ago go until there is room.
    ///
    /// A value that is larger than the whole budget is not kept, and nothing goes for it. Of an equal key and type the first
    /// value stays, and counts as used.
    pub fn keep<T: Any + Send + Sync>(&self, key: Fingerprint, value: Arc<T>, bytes: u64) {
        let bytes = bytes.max(1);
        if bytes > self.budget {
            return;
        }
        // Freed after the lock: a large value may take its time.
        let mut gone = Vec::new();
        let mut queue = self.lock();
        if let Some(entry) = self.entries.get(&key)
            && entry.value.is::<T>()
        {
            entry
                .last_use
                .fetch_max(self.next_tick(), Ordering::Relaxed);
            return;
        }
        if let Some((_, other)) = self.entries.remove(&key) {
            queue.order.remove(&other.queued);
            queue.bytes -= other.bytes;
            gone.push(other);
        }
        while queue.bytes > self.budget - bytes {
            match self.evict(&mut queue) {
                Some(entry) => gone.push(entry),
                None => break,
            }
        }
        let now = self.next_tick();
        queue.order.insert(now, key);
        queue.bytes += bytes;
        self.entries.insert(
            key,
            Entry {
                value,
                bytes,
                last_use: AtomicU64::new(now),
                queued: now,
            },
        );
        drop(queue);
        drop(gone);
    }

    /// How many values it holds.
    pub fn len(&self) -> usize {
        self.lock().order.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all values, at most the budget.
    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// Most bytes that it may hold.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// What it did since it was made, and what it holds.
    pub fn counters(&self) -> TableCounters {
        let queue = self.lock();
        TableCounters {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evictions: queue.evictions,
            entries: queue.order.len() as u64,
            bytes: queue.bytes,
        }
    }

    /// Takes out the value that was used longest ago.
    fn evict(&self, queue: &mut Queue) -> Option<Entry> {
        loop {
            let (queued, key) = queue.order.pop_first()?;
            {
                // Entries come and go under the queue's lock only, so those in the queue are in the map.
                let mut entry = self.entries.get_mut(&key)?;
                let last_use = *entry.last_use.get_mut();
                if last_use > queued {
                    entry.queued = last_use;
                    queue.order.insert(last_use, key);
                    continue;
                }
            }
            let (_, entry) = self.entries.remove(&key)?;
            queue.bytes -= entry.bytes;
            queue.evictions += 1;
            return Some(entry);
        }
    }

    fn next_tick(&self) -> u64 {
        self.tick.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing between two changes of the queue panics.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of memory that the machine, or the container within it, has in all. Asked once.
fn machine_memory() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let system = System::new_with_specifics(
            RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
        );
        let all = system.total_memory();
        match system.cgroup_limits() {
            Some(limits) if limits.total_memory > 0 => all.min(limits.total_memory),
            _ => all,
        }
    })
}

#[cfg(test)]
mod tests;
