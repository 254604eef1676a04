//! Numbers by node and by unknown of a polygon, lent to whoever needs them: much cheaper than maps, or arrays made anew for every task.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use crate::stokes::section::NONE;

/// `NONE` everywhere between uses.
pub(super) struct Scratch {
    pub node: Vec<u32>,
    pub unknown: Vec<u32>,
}

/// As many as were ever in use at a time.
pub(super) struct Scratches {
    sizes: [usize; 2],
    idle: Mutex<Vec<Scratch>>,
}

/// One, until it is dropped.
pub(super) struct Lent<'a> {
    scratch: Scratch,
    to: &'a Scratches,
}

impl Scratches {
    pub fn new(n_nodes: usize, n_unknowns: usize) -> Self {
        Self {
            sizes: [n_nodes, n_unknowns],
            idle: Mutex::new(Vec::new()),
        }
    }

    pub fn take(&self) -> Lent<'_> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let scratch = idle.unwrap_or_else(|| {
            let [node, unknown] = self.sizes.map(|n| vec![NONE; n]);
            Scratch { node, unknown }
        });
        Lent { scratch, to: self }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let [node, unknown] =
            [&mut self.scratch.node, &mut self.scratch.unknown].map(std::mem::take);
        let mut idle = self.to.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(Scratch { node, unknown });
    }
}

impl Deref for Lent<'_> {
    type Target = Scratch;
    fn deref(&self) -> &Scratch {
        &self.scratch
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Scratch {
        &mut self.scratch
    }
}
