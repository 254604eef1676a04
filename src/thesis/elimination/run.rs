//! Runs planned operations on a work-stealing pool: longest dependency chain first, memory freed at last use.
//!
//! Each operation's value depends on its operands alone, never on timing, so results are the same bits for any number of
//! threads and for a cold or a warm table.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use faer::Mat;
use stokeslet_fronts::algebra::{Lu, Svd, add_product, product, thin_svd};
use thiserror::Error;

use super::id::MatRef;
use super::plan::{Operation, Planner};
use super::system::Leaves;
use stokeslet_base::table::Table;

/// How operations are run.
#[derive(Clone, Copy)]
pub struct RunSettings<'a> {
    /// Singular values below this part of the largest (or of one, if that is larger) are dropped from couplings of low rank.
    /// Default 1e-13: the residual of the whole stays at rounding; larger drops more and the refinement has to mend it.
    pub rank_tolerance: f64,
    /// Results of earlier solves.
    pub table: &'a Table,
    /// Asked between operations: true stops the run.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then: (operations done, operations to do).
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Why a run ended early.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RunError {
    /// The inverse of this matrix is not finite.
    #[error("matrix {id} has no inverse")]
    Singular {
        /// Id of the inverse.
        id: u32,
    },
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// Values by id.
#[derive(Debug, Default)]
pub struct Store {
    slots: Vec<Mutex<Option<Arc<Mat<f64>>>>>,
}

impl Store {
    /// The value of an id, if it is kept.
    pub fn get(&self, id: u32) -> Option<Arc<Mat<f64>>> {
        self.lock(id).clone()
    }

    fn lock(&self, id: u32) -> std::sync::MutexGuard<'_, Option<Arc<Mat<f64>>>> {
        // A poisoned slot still holds a whole value or none: values are put in complete.
        self.slots[id as usize]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Wakes the workers that wait when one of them panics: a bug of ours must end the run, not hang it.
struct StopOnPanic<'a, F: Fn()>(&'a F);

impl<F: Fn()> Drop for StopOnPanic<'_, F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Ids that an operation reads.
fn operands(operation: &Operation) -> Vec<u32> {
    let refs: Vec<MatRef> = match operation {
        Operation::Leaf(_) | Operation::Exchange => vec![],
        Operation::Inverse(a)
        | Operation::PseudoInverse(a)
        | Operation::LeftFactor(a)
        | Operation::RightFactor(a) => vec![*a],
        Operation::Product(a, b) => vec![*a, *b],
        Operation::Sum(base, terms) => std::iter::once(*base)
            .chain(terms.iter().flat_map(|&(a, b)| [a, b]))
            .collect(),
    };
    let mut ids: Vec<u32> = refs
        .into_iter()
        .filter(|m| !m.is_special())
        .map(MatRef::id)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Operations still to run, with what each waits for.
struct Schedule {
    tasks: Vec<u32>,
    operands: Vec<Vec<u32>>,
    dependents: Vec<Vec<u32>>,
    waiting: Vec<AtomicU32>,
    priority: Vec<u32>,
    /// Uses of each id by tasks still to run.
    uses: Vec<AtomicU32>,
}

const NO_TASK: u32 = u32::MAX;

/// Which operations are needed for the retained ids, given what store and table hold.
fn schedule(planner: &Planner, store: &Store, table: &Table) -> Schedule {
    let n = planner.operations.len();
    let mut needed = vec![false; n];
    let mut tasks = Vec::new();
    let mut all_operands = Vec::new();
    let uses: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
    for id in (MatRef::FIRST_ID as usize..n).rev() {
        needed[id] |= planner.retained[id];
        if !needed[id] || store.lock(id as u32).is_some() {
            continue;
        }
        if planner.retained[id]
            && let Some(known) = table.get(planner.keys[id])
        {
            *store.lock(id as u32) = Some(known);
            continue;
        }
        let read = operands(&planner.operations[id]);
        for &o in &read {
            needed[o as usize] = true;
            uses[o as usize].fetch_add(1, Ordering::Relaxed);
        }
        tasks.push(id as u32);
        all_operands.push(read);
    }
    tasks.reverse();
    all_operands.reverse();
    let mut task_of = vec![NO_TASK; n];
    for (t, &id) in tasks.iter().enumerate() {
        task_of[id as usize] = t as u32;
    }
    let mut dependents = vec![Vec::new(); tasks.len()];
    let mut waiting = Vec::with_capacity(tasks.len());
    for (t, read) in all_operands.iter().enumerate() {
        let before: Vec<u32> = read
            .iter()
            .map(|&o| task_of[o as usize])
            .filter(|&o| o != NO_TASK)
            .collect();
        waiting.push(AtomicU32::new(before.len() as u32));
        before
            .into_iter()
            .for_each(|b| dependents[b as usize].push(t as u32));
    }
    let mut priority = vec![0; tasks.len()];
    for t in (0..tasks.len()).rev() {
        priority[t] = dependents[t]
            .iter()
            .map(|&d| priority[d as usize] + 1)
            .max()
            .unwrap_or(0);
    }
    Schedule {
        tasks,
        operands: all_operands,
        dependents,
        waiting,
        priority,
        uses,
    }
}

/// Largest number of bytes held at once if the plan ran in order, and bytes that stay: the estimate shown before a run.
pub fn estimate_bytes(planner: &Planner) -> (u64, u64) {
    let n = planner.operations.len();
    let size = |id: usize| 8 * u64::from(planner.shapes[id].0) * u64::from(planner.shapes[id].1);
    let mut last_use = vec![0; n];
    for (id, operation) in planner
        .operations
        .iter()
        .enumerate()
        .skip(MatRef::FIRST_ID as usize)
    {
        operands(operation)
            .into_iter()
            .for_each(|o| last_use[o as usize] = id);
    }
    let mut dying = vec![0; n];
    let (mut held, mut peak, mut kept) = (0_u64, 0, 0);
    for id in MatRef::FIRST_ID as usize..n {
        held += size(id);
        if planner.retained[id] {
            kept += size(id);
        } else {
            dying[last_use[id].max(id)] += size(id);
        }
        peak = peak.max(held);
        held -= dying[id];
    }
    (peak, kept)
}

/// Runs every operation that the retained ids need and that isn't known yet.
///
/// # Errors
/// [`RunError::Singular`] where an inverse is not finite; [`RunError::Cancelled`].
/// # Accuracy and cost
/// Explicit inverses by LU with partial pivoting inside a block; the caller judges the residual of the whole. The flops of
/// `planner.counters`, on the pool that calls; bitwise the same for any number of threads.
pub fn run(
    planner: &Planner,
    store: &mut Store,
    leaves: &dyn Leaves,
    settings: RunSettings<'_>,
) -> Result<(), RunError> {
    store
        .slots
        .resize_with(planner.operations.len(), Mutex::default);
    let store = &*store;
    let schedule = schedule(planner, store, settings.table);
    let ready: BinaryHeap<(u32, std::cmp::Reverse<u32>)> = (0..schedule.tasks.len() as u32)
        .filter(|&t| schedule.waiting[t as usize].load(Ordering::Relaxed) == 0)
        .map(|t| (schedule.priority[t as usize], std::cmp::Reverse(t)))
        .collect();
    let queue = Mutex::new(ready);
    let wake = Condvar::new();
    let left = AtomicUsize::new(schedule.tasks.len());
    let failure: Mutex<Option<RunError>> = Mutex::new(None);
    let total = schedule.tasks.len();
    let stop = || {
        left.store(0, Ordering::Release);
        let _guard = queue
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        wake.notify_all();
    };
    let worker = || {
        let _stops_others = StopOnPanic(&stop);
        loop {
            let task = {
                let mut queue = queue
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                loop {
                    if left.load(Ordering::Acquire) == 0 {
                        return;
                    }
                    if let Some((_, std::cmp::Reverse(task))) = queue.pop() {
                        break task as usize;
                    }
                    queue = wake
                        .wait(queue)
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                }
            };
            let outcome = if (settings.is_cancelled)() {
                Err(RunError::Cancelled)
            } else {
                execute(
                    planner,
                    store,
                    leaves,
                    &schedule,
                    task,
                    settings.rank_tolerance,
                )
            };
            match outcome {
                Ok(value) => {
                    let id = schedule.tasks[task];
                    if planner.retained[id as usize] {
                        let bytes = 8 * (value.nrows() * value.ncols()) as u64;
                        let key = planner.keys[id as usize];
                        settings.table.keep(key, value.clone(), bytes);
                    }
                    *store.lock(id) = Some(value);
                }
                Err(error) => {
                    failure
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .get_or_insert(error);
                    stop();
                    return;
                }
            }
            for &o in &schedule.operands[task] {
                if schedule.uses[o as usize].fetch_sub(1, Ordering::AcqRel) == 1
                    && !planner.retained[o as usize]
                {
                    *store.lock(o) = None;
                }
            }
            let freed: Vec<u32> = schedule.dependents[task]
                .iter()
                .copied()
                .filter(|&d| schedule.waiting[d as usize].fetch_sub(1, Ordering::AcqRel) == 1)
                .collect();
            let mut queue = queue
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            for d in freed {
                queue.push((schedule.priority[d as usize], std::cmp::Reverse(d)));
            }
            // A failure may have set this to zero meanwhile; then it must stay there.
            let before = left
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1))
                .unwrap_or(0);
            if before.is_multiple_of(64) {
                (settings.progress)(total - before.min(total), total);
            }
            wake.notify_all();
        }
    };
    rayon::scope(|scope| {
        for _ in 1..rayon::current_num_threads().min(total.max(1)) {
            scope.spawn(|_| worker());
        }
        worker();
    });
    match failure
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// The value of one operation.
fn execute(
    planner: &Planner,
    store: &Store,
    leaves: &dyn Leaves,
    schedule: &Schedule,
    task: usize,
    rank_tolerance: f64,
) -> Result<Arc<Mat<f64>>, RunError> {
    let id = schedule.tasks[task];
    let value = |m: MatRef| {
        store
            .get(m.id())
            .expect("operands run before and live until their last use")
    };
    let (rows, columns) = planner.shapes[id as usize];
    let (rows, columns) = (rows as usize, columns as usize);
    let made = match &planner.operations[id as usize] {
        Operation::Leaf(leaf) => leaves.assemble(*leaf),
        Operation::Exchange => Mat::from_fn(rows, rows, |i, j| {
            if i.abs_diff(j) == rows / 2 { -1.0 } else { 0.0 }
        }),
        Operation::Inverse(a) => inverse(&value(*a), id)?,
        Operation::PseudoInverse(a) => pseudo_inverse(&value(*a), id)?,
        Operation::Product(a, b) => {
            let mut out = Mat::zeros(rows, columns);
            multiply(&mut out, 1.0, (*a, &value(*a)), (*b, &value(*b)));
            out
        }
        Operation::Sum(base, terms) => {
            // A sum that also multiplies by its base must not overwrite it.
            let is_read = terms
                .iter()
                .any(|(a, b)| a.id() == base.id() || b.id() == base.id());
            let may_take = !is_read && !planner.retained[base.id() as usize];
            let mut out = start(store, schedule, *base, may_take, (rows, columns));
            for &(a, b) in terms {
                multiply(&mut out, -1.0, (a.transposed(), &value(a)), (b, &value(b)));
            }
            out
        }
        Operation::LeftFactor(a) => low_rank(&value(*a), rank_tolerance, Half::Left, id)?,
        Operation::RightFactor(a) => low_rank(&value(*a), rank_tolerance, Half::Right, id)?,
    };
    Ok(Arc::new(made))
}

/// The matrix that a sum starts from: the base's own memory where this is its last use, else a copy.
fn start(
    store: &Store,
    schedule: &Schedule,
    base: MatRef,
    may_take: bool,
    (rows, columns): (usize, usize),
) -> Mat<f64> {
    if base.is_zero() {
        return Mat::zeros(rows, columns);
    }
    let id = base.id();
    let last = may_take && schedule.uses[id as usize].load(Ordering::Acquire) == 1;
    let held = if last {
        store.lock(id).take()
    } else {
        store.get(id)
    };
    let held = held.expect("operands run before and live until their last use");
    match (base.is_transposed(), Arc::try_unwrap(held)) {
        (false, Ok(own)) => own,
        (true, Ok(own)) => own.transpose().to_owned(),
        (false, Err(shared)) => Mat::clone(&shared),
        (true, Err(shared)) => shared.transpose().to_owned(),
    }
}

/// `out += alpha a b`, honouring the references' bits.
fn multiply(
    out: &mut Mat<f64>,
    alpha: f64,
    (a, a_value): (MatRef, &Mat<f64>),
    (b, b_value): (MatRef, &Mat<f64>),
) {
    let sign = if a.is_negated() != b.is_negated() {
        -alpha
    } else {
        alpha
    };
    let lhs = if a.is_transposed() {
        a_value.transpose()
    } else {
        a_value.as_ref()
    };
    let rhs = if b.is_transposed() {
        b_value.transpose()
    } else {
        b_value.as_ref()
    };
    add_product(out.as_mut(), sign, lhs, rhs);
}

fn finite(m: Mat<f64>, id: u32) -> Result<Mat<f64>, RunError> {
    let sum: f64 = (0..m.ncols())
        .map(|j| (0..m.nrows()).map(|i| m[(i, j)]).sum::<f64>())
        .sum();
    if sum.is_finite() {
        Ok(m)
    } else {
        Err(RunError::Singular { id })
    }
}

fn inverse(a: &Mat<f64>, id: u32) -> Result<Mat<f64>, RunError> {
    finite(Lu::new(a.as_ref()).inverse(), id)
}

/// Inverse on the complement of the one null vector: the smallest singular value is taken for zero.
fn pseudo_inverse(a: &Mat<f64>, id: u32) -> Result<Mat<f64>, RunError> {
    let Svd { u, values: s, v } = thin_svd(a.as_ref()).ok_or(RunError::Singular { id })?;
    let n = a.nrows();
    let kept = n - 1;
    let scaled = Mat::from_fn(n, kept, |i, k| v[(i, k)] / s[k]);
    let u = u.as_ref().subcols(0, kept);
    finite(product(scaled.as_ref(), u.transpose()), id)
}

#[derive(Clone, Copy, PartialEq)]
enum Half {
    Left,
    Right,
}

/// `[U 0]` or `[0 V]` with `a = U V^T` up to the tolerance, the singular values shared between the factors.
fn low_rank(a: &Mat<f64>, tolerance: f64, half: Half, id: u32) -> Result<Mat<f64>, RunError> {
    let Svd { u, values: s, v } = thin_svd(a.as_ref()).ok_or(RunError::Singular { id })?;
    let largest = s.first().copied().unwrap_or_default();
    // Entries of canonical matrices are of order one, so noise sits at rounding times one, however weak the coupling.
    let rank = (0..s.len())
        .filter(|&k| s[k] > tolerance * largest.max(1.0))
        .count();
    let (factor, shift) = if half == Half::Left {
        (u, 0)
    } else {
        (v, rank)
    };
    let column = |i: usize, j: usize| {
        let k = j.wrapping_sub(shift);
        if k < rank {
            factor[(i, k)] * s[k].sqrt()
        } else {
            0.0
        }
    };
    finite(Mat::from_fn(factor.nrows(), 2 * rank, column), id)
}
