//! Forward and back substitution as planned vector operations: equal ones once, zero ones not at all.
//!
//! ```text
//! forward, in order:    v_i = b_i - sum over earlier neighbours of W^T v
//! backward, reversed:   x_i = V_i v_i - sum over later neighbours of W x
//! ```
//! All operations of one level depend on lower levels only and run side by side.

use faer::{ColRef, Mat};
use rustc_hash::FxHashMap;
use stokeslet_base::parallel;
use stokeslet_fronts::algebra::add_product;

use super::id::MatRef;
use super::order::Elimination;
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::table::Caching;

/// A vector by number; 0 is the zero vector.
type VecId = u32;
const ZERO: VecId = 0;

/// One vector operation: `base + sum of sign * matrix * vector`.
struct VecOperation {
    row: u32,
    base: Option<u32>,
    terms: Vec<(bool, MatRef, VecId)>,
    level: u32,
}

struct VecPlan {
    operations: Vec<VecOperation>,
    keys: Vec<Fingerprint>,
    known: FxHashMap<Fingerprint, VecId>,
    caching: Caching,
}

impl VecPlan {
    /// The vector `base + terms`; `base` is the number of a right-hand side's row.
    fn make(
        &mut self,
        row: u32,
        base: Option<u32>,
        mut terms: Vec<(bool, MatRef, VecId)>,
    ) -> VecId {
        terms.retain(|t| t.2 != ZERO && !t.1.is_zero());
        if base.is_none() && terms.is_empty() {
            return ZERO;
        }
        let mut key = Hasher::new(Domain::RowVector).word(base.map_or(u64::MAX, u64::from));
        for &(minus, m, v) in &terms {
            let bits = u64::from(minus)
                | u64::from(m.is_transposed()) << 1
                | u64::from(m.is_negated()) << 2;
            key = key
                .word(u64::from(m.id()) << 3 | bits)
                .key(self.keys[v as usize]);
        }
        let key = key.finish();
        let next = self.operations.len() as VecId;
        if self.caching == Caching::Cached
            && let Some(&known) = self.known.get(&key)
        {
            return known;
        }
        self.known.insert(key, next);
        let level = terms
            .iter()
            .map(|t| self.operations[t.2 as usize].level + 1)
            .max()
            .unwrap_or(0);
        self.operations.push(VecOperation {
            row,
            base,
            terms,
            level,
        });
        self.keys.push(key);
        next
    }
}

/// Which rows of the solution are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// Every row.
    All,
    /// These rows; what they don't need is not computed.
    Rows(&'a [u32]),
}

/// Solves for one right-hand side with the factors of `elimination`.
///
/// # Shapes and units
/// - `rhs[row]`: `Some` of length `sizes[row]`, or `None` for zero; returns a vector for every row (empty where not wanted), and the number of operations
/// # Accuracy and cost
/// About `2 n_i (n_i + 2 sum n_j)` flops a row; equal vectors (symmetric chips) are computed once. Bitwise the same for any
/// number of threads.
pub fn solve(
    elimination: &Elimination,
    rhs: &[Option<Vec<f64>>],
    wanted: Wanted<'_>,
    caching: Caching,
) -> (Vec<Vec<f64>>, usize) {
    let n_rows = elimination.sizes.len();
    let zero = VecOperation {
        row: 0,
        base: None,
        terms: Vec::new(),
        level: 0,
    };
    let mut plan = VecPlan {
        operations: vec![zero],
        keys: vec![Hasher::new(Domain::RowZeroVector).finish()],
        known: FxHashMap::default(),
        caching,
    };
    let mut incoming: Vec<Vec<(bool, MatRef, VecId)>> = vec![Vec::new(); n_rows];
    let mut forward = vec![ZERO; n_rows];
    for step in &elimination.steps {
        let base = rhs
            .get(step.row as usize)
            .and_then(|b| b.as_ref())
            .map(|_| step.row);
        let v = plan.make(
            step.row,
            base,
            std::mem::take(&mut incoming[step.row as usize]),
        );
        forward[step.row as usize] = v;
        if v != ZERO {
            for &(j, w) in step.neighbours.iter().filter(|(_, w)| !w.is_zero()) {
                incoming[j as usize].push((true, w.transposed(), v));
            }
        }
    }
    let mut needed = vec![matches!(wanted, Wanted::All); n_rows];
    if let Wanted::Rows(rows) = wanted {
        rows.iter().for_each(|&r| needed[r as usize] = true);
        for step in elimination.steps.iter() {
            if needed[step.row as usize] {
                step.neighbours
                    .iter()
                    .for_each(|&(j, _)| needed[j as usize] = true);
            }
        }
    }
    let mut solution = vec![ZERO; n_rows];
    for step in elimination
        .steps
        .iter()
        .rev()
        .filter(|s| needed[s.row as usize])
    {
        let mut terms = vec![(false, step.inverse, forward[step.row as usize])];
        terms.extend(
            step.neighbours
                .iter()
                .map(|&(j, w)| (true, w, solution[j as usize])),
        );
        solution[step.row as usize] = plan.make(step.row, None, terms);
    }
    let values = run(elimination, &plan, rhs);
    let count = plan.operations.len() - 1;
    let mut uses = vec![0_u32; plan.operations.len()];
    solution.iter().for_each(|&v| uses[v as usize] += 1);
    let mut values: Vec<Option<Vec<f64>>> = values.into_iter().map(Some).collect();
    let out = solution
        .iter()
        .enumerate()
        .map(|(row, &v)| {
            if !needed[row] {
                return Vec::new();
            }
            if v == ZERO {
                return vec![0.0; elimination.sizes[row] as usize];
            }
            uses[v as usize] -= 1;
            let slot = &mut values[v as usize];
            let taken = if uses[v as usize] == 0 {
                slot.take()
            } else {
                slot.clone()
            };
            taken.expect("taken only at its last use")
        })
        .collect();
    (out, count)
}

fn run(elimination: &Elimination, plan: &VecPlan, rhs: &[Option<Vec<f64>>]) -> Vec<Vec<f64>> {
    let n_levels = plan.operations.iter().map(|o| o.level).max().unwrap_or(0) as usize + 1;
    let mut by_level: Vec<Vec<u32>> = vec![Vec::new(); n_levels];
    for (id, operation) in plan.operations.iter().enumerate().skip(1) {
        by_level[operation.level as usize].push(id as u32);
    }
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); plan.operations.len()];
    for level in by_level {
        let made = parallel::each(&level, 16, |&id| {
            evaluate(elimination, &plan.operations[id as usize], rhs, &values)
        });
        for (id, value) in level.into_iter().zip(made) {
            values[id as usize] = value;
        }
    }
    values
}

fn evaluate(
    elimination: &Elimination,
    operation: &VecOperation,
    rhs: &[Option<Vec<f64>>],
    values: &[Vec<f64>],
) -> Vec<f64> {
    let n = elimination.sizes[operation.row as usize] as usize;
    let mut out = match operation.base.and_then(|b| rhs[b as usize].as_ref()) {
        Some(b) => Mat::from_fn(n, 1, |i, _| b[i]),
        None => Mat::zeros(n, 1),
    };
    for &(minus, m, v) in &operation.terms {
        let vector = ColRef::from_slice(&values[v as usize]).as_mat();
        let sign = if minus != m.is_negated() { -1.0 } else { 1.0 };
        if m.id() == MatRef::IDENTITY.id() {
            (0..n).for_each(|i| out[(i, 0)] += sign * vector[(i, 0)]);
            continue;
        }
        let held = elimination
            .store
            .get(m.id())
            .expect("steps name retained matrices");
        let matrix = if m.is_transposed() {
            held.transpose()
        } else {
            held.as_ref().as_ref()
        };
        add_product(out.as_mut(), sign, matrix, vector);
    }
    (0..n).map(|i| out[(i, 0)]).collect()
}
