//! One elimination step as operations on named matrices, each essentially different operation once.
//!
//! With row `i` next and neighbours `j`, `k` of it:
//! ```text
//! V   = A_ii^-1                     Inverse
//! W_j = V A_ij                      Product
//! A_jk -= A_ij^T W_k                collected; one Sum when A_jk is used, its terms sorted
//! ```
//! Sums are flat and sorted by key, so that neither the order of eliminations nor the side from which a matrix is seen
//! matters: `(A_ij^T V A_ik)^T = A_ik^T V A_ij`, and of a sum and its transpose the one with the smaller key is stored.
//! That makes the hashing aware of transposition, negation, associativity and commutativity (thesis, section 4.4.1).

use rustc_hash::FxHashMap;

use super::id::MatRef;
use super::system::{BlockSystem, Leaves, Step};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::table::Caching;

/// How a matrix is made.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Assembled by the caller.
    Leaf(u32),
    /// `-[0 I; I 0]` of half the size each.
    Exchange,
    /// Inverse of a symmetric matrix.
    Inverse(MatRef),
    /// Inverse on the complement of its one null vector.
    PseudoInverse(MatRef),
    /// `a * b`.
    Product(MatRef, MatRef),
    /// `base - sum of a^T * b`: one BLAS-like operation a term, into the memory of one result.
    Sum(MatRef, Vec<(MatRef, MatRef)>),
    /// `[U 0]` of the factorisation `U V^T` of a matrix of low rank; its width is twice the rank.
    LeftFactor(MatRef),
    /// `[0 V]` of the same.
    RightFactor(MatRef),
}

/// What the plan counts; the same on any machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Matrix operations.
    pub operations: usize,
    /// Floating-point operations of them.
    pub flops: u64,
    /// Bytes of all their results.
    pub bytes: u64,
}

/// A coupling whose updates are collected until it is used.
#[derive(Clone, Debug)]
struct Entry {
    base: MatRef,
    terms: Vec<Term>,
}

/// `-p^T V q`, with `w_p = V p` and `w_q = V q`.
#[derive(Clone, Copy, Debug)]
struct Term {
    inverse: MatRef,
    p: MatRef,
    q: MatRef,
    w_p: MatRef,
    w_q: MatRef,
}

/// Plans eliminations; grows [`Planner::operations`] and [`Planner::steps`].
pub struct Planner {
    /// Operation that makes each id (the first two are special and unused).
    pub operations: Vec<Operation>,
    /// Rows and columns of each id.
    pub shapes: Vec<(u32, u32)>,
    /// Key of each id.
    pub keys: Vec<Fingerprint>,
    /// Ids that substitution or a later stage needs: never freed.
    pub retained: Vec<bool>,
    /// Eliminated rows, in order.
    pub steps: Vec<Step>,
    /// Unknowns of each row.
    pub sizes: Vec<u32>,
    /// Counts.
    pub counters: Counters,
    known: FxHashMap<Fingerprint, u32>,
    caching: Caching,
    entries: FxHashMap<(u32, u32), Entry>,
    neighbours: Vec<Vec<u32>>,
    connected_components: Vec<u32>,
    left_in_connected_component: Vec<u32>,
    singular_connected_components: Vec<bool>,
}

impl Planner {
    /// Takes the rows and couplings of a system.
    pub fn new(system: &BlockSystem, leaves: &dyn Leaves, caching: Caching) -> Self {
        let special = Hasher::new(Domain::RowZero).finish();
        let mut planner = Self {
            operations: vec![Operation::Exchange; 2],
            shapes: vec![(0, 0); 2],
            keys: vec![special, Hasher::new(Domain::RowIdentity).finish()],
            retained: vec![false; 2],
            steps: Vec::with_capacity(system.sizes.len()),
            sizes: system.sizes.clone(),
            counters: Counters::default(),
            known: FxHashMap::default(),
            caching,
            entries: FxHashMap::default(),
            neighbours: vec![Vec::new(); system.sizes.len()],
            connected_components: system.connected_components.clone(),
            left_in_connected_component: vec![0; system.singular_connected_components.len()],
            singular_connected_components: system.singular_connected_components.clone(),
        };
        for (&component, _) in system
            .connected_components
            .iter()
            .zip(&system.sizes)
            .filter(|(_, size)| **size > 0)
        {
            planner.left_in_connected_component[component as usize] += 1;
        }
        planner.entries.reserve(2 * system.couplings.len());
        for &(i, j, leaf) in &system.couplings {
            let key = Hasher::new(Domain::RowLeaf)
                .key(leaves.fingerprint(leaf.leaf))
                .finish();
            let id = planner.intern(key, leaves.shape(leaf.leaf), || Operation::Leaf(leaf.leaf));
            planner.set_entry(i, j, MatRef::stored(id).transposed_if(leaf.transposed));
        }
        planner
    }

    /// The id of the operation with this key, new where caching is off.
    fn intern(
        &mut self,
        key: Fingerprint,
        shape: (u32, u32),
        operation: impl FnOnce() -> Operation,
    ) -> u32 {
        let next = self.operations.len() as u32;
        match self.caching {
            Caching::Uncached => {}
            Caching::Cached => match self.known.entry(key) {
                std::collections::hash_map::Entry::Occupied(found) => return *found.get(),
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(next);
                }
            },
        }
        let operation = operation();
        self.counters.operations += 1;
        self.counters.flops += self.flops(&operation, shape);
        self.counters.bytes += 8 * u64::from(shape.0) * u64::from(shape.1);
        self.operations.push(operation);
        self.shapes.push(shape);
        // Without caching equal keys are different results, so that the shared table must not mix them up either.
        self.keys.push(if self.caching == Caching::Uncached {
            Hasher::new(Domain::RowUncached)
                .key(key)
                .word(u64::from(next))
                .finish()
        } else {
            key
        });
        self.retained.push(false);
        next
    }

    /// Floating-point operations: 2 m n k for products, 2 n^3 for inverses.
    fn flops(&self, operation: &Operation, (m, n): (u32, u32)) -> u64 {
        let (m, n) = (u64::from(m), u64::from(n));
        match operation {
            Operation::Leaf(_) | Operation::Exchange => 0,
            Operation::Inverse(_) => 2 * n * n * n,
            Operation::PseudoInverse(_) => 20 * n * n * n,
            Operation::Product(a, _) => 2 * m * n * u64::from(self.shape(*a).1),
            Operation::Sum(_, terms) => terms
                .iter()
                .map(|(a, _)| 2 * m * n * u64::from(self.shape(*a).0))
                .sum(),
            Operation::LeftFactor(s) | Operation::RightFactor(s) => {
                let (a, b) = self.shape(*s);
                20 * u64::from(a) * u64::from(b) * u64::from(a.min(b))
            }
        }
    }

    /// Rows and columns of a reference.
    pub fn shape(&self, m: MatRef) -> (u32, u32) {
        let (rows, columns) = self.shapes[m.id() as usize];
        if m.is_transposed() {
            (columns, rows)
        } else {
            (rows, columns)
        }
    }

    fn key_of(&self, m: MatRef) -> Fingerprint {
        let base = self.keys[m.id() as usize];
        if !m.is_transposed() && !m.is_negated() {
            return base;
        }
        Hasher::new(Domain::RowView)
            .key(base)
            .word(u64::from(m.is_transposed()) | u64::from(m.is_negated()) << 1)
            .finish()
    }

    /// `a * b`, simplified where a factor is special.
    pub fn product(&mut self, a: MatRef, b: MatRef) -> MatRef {
        match (a, b) {
            _ if a.is_zero() || b.is_zero() => MatRef::ZERO,
            _ if a.id() == MatRef::IDENTITY.id() => {
                if a.is_negated() {
                    b.negated()
                } else {
                    b
                }
            }
            _ if b.id() == MatRef::IDENTITY.id() => {
                if b.is_negated() {
                    a.negated()
                } else {
                    a
                }
            }
            _ => {
                let negated = a.is_negated() != b.is_negated();
                let (a, b) = (positive(a), positive(b));
                let key = Hasher::new(Domain::RowProduct)
                    .key(self.key_of(a))
                    .key(self.key_of(b))
                    .finish();
                let shape = (self.shape(a).0, self.shape(b).1);
                let made = MatRef::stored(self.intern(key, shape, || Operation::Product(a, b)));
                if negated { made.negated() } else { made }
            }
        }
    }

    /// Inverse of a symmetric matrix.
    fn inverse(&mut self, a: MatRef, singular: bool) -> MatRef {
        let a = MatRef::stored(a.id()); // symmetric: its transpose is itself
        let key = Hasher::new(if singular {
            Domain::RowPseudoInverse
        } else {
            Domain::RowInverse
        })
        .key(self.key_of(a))
        .finish();
        let shape = self.shape(a);
        MatRef::stored(self.intern(key, shape, || {
            if singular {
                Operation::PseudoInverse(a)
            } else {
                Operation::Inverse(a)
            }
        }))
    }

    /// The coupling of two rows as it is now, with `i` for rows and `j` for columns.
    pub fn coupling(&mut self, i: u32, j: u32) -> MatRef {
        let (low, high) = (i.min(j), i.max(j));
        let Some(entry) = self.entries.get_mut(&(low, high)) else {
            return MatRef::ZERO;
        };
        if !entry.terms.is_empty() {
            let terms = std::mem::take(&mut entry.terms);
            let base = entry.base;
            let shape = (self.sizes[low as usize], self.sizes[high as usize]);
            let sum = self.sum(base, terms, shape);
            self.entries.insert(
                (low, high),
                Entry {
                    base: sum,
                    terms: Vec::new(),
                },
            );
        }
        self.entries[&(low, high)].base.transposed_if(i > j)
    }

    /// One sum, stored in the orientation with the smaller key.
    fn sum(&mut self, base: MatRef, terms: Vec<Term>, shape: (u32, u32)) -> MatRef {
        let mut as_is: Vec<(Fingerprint, Term)> =
            terms.iter().map(|t| (self.term_key(t), *t)).collect();
        let mut turned: Vec<(Fingerprint, Term)> = terms
            .iter()
            .map(|t| Term {
                inverse: t.inverse,
                p: t.q,
                q: t.p,
                w_p: t.w_q,
                w_q: t.w_p,
            })
            .map(|t| (self.term_key(&t), t))
            .collect();
        as_is.sort_by_key(|t| t.0);
        turned.sort_by_key(|t| t.0);
        let key = |base: MatRef, terms: &[(Fingerprint, Term)]| {
            terms
                .iter()
                .fold(
                    Hasher::new(Domain::RowSum).key(self.key_of(base)),
                    |h, t| h.key(t.0),
                )
                .finish()
        };
        let (key_as_is, key_turned) = (key(base, &as_is), key(base.transposed(), &turned));
        let transposed = key_turned < key_as_is;
        let (key, base, terms) = if transposed {
            (key_turned, base.transposed(), turned)
        } else {
            (key_as_is, base, as_is)
        };
        let shape = if transposed {
            (shape.1, shape.0)
        } else {
            shape
        };
        let factors: Vec<(MatRef, MatRef)> = terms.iter().map(|(_, t)| (t.p, t.w_q)).collect();
        MatRef::stored(self.intern(key, shape, || Operation::Sum(base, factors)))
            .transposed_if(transposed)
    }

    fn term_key(&self, t: &Term) -> Fingerprint {
        Hasher::new(Domain::RowTerm)
            .key(self.key_of(t.inverse))
            .key(self.key_of(t.p))
            .key(self.key_of(t.q))
            .finish()
    }

    fn set_entry(&mut self, i: u32, j: u32, base: MatRef) {
        let (low, high) = (i.min(j), i.max(j));
        self.entries.insert(
            (low, high),
            Entry {
                base: base.transposed_if(i > j),
                terms: Vec::new(),
            },
        );
        if i != j {
            self.link(i, j);
        }
    }

    fn link(&mut self, i: u32, j: u32) {
        for (a, b) in [(i, j), (j, i)] {
            if let Err(at) = self.neighbours[a as usize].binary_search(&b) {
                self.neighbours[a as usize].insert(at, b);
            }
        }
    }

    /// Rows that `row` couples with now.
    pub fn neighbours(&self, row: u32) -> &[u32] {
        &self.neighbours[row as usize]
    }

    /// Eliminates a row; its neighbours become neighbours of each other.
    pub fn eliminate(&mut self, row: u32) {
        if self.sizes[row as usize] == 0 {
            return;
        }
        let component = self.connected_components[row as usize] as usize;
        self.left_in_connected_component[component] -= 1;
        let singular = self.left_in_connected_component[component] == 0
            && self.singular_connected_components[component];
        let diagonal = self.coupling(row, row);
        let inverse = self.inverse(diagonal, singular);
        self.entries.remove(&(row, row));
        self.retain(inverse);
        let neighbours = std::mem::take(&mut self.neighbours[row as usize]);
        let mut parts = Vec::with_capacity(neighbours.len());
        for &j in &neighbours {
            let a = self.coupling(row, j);
            self.entries.remove(&(row.min(j), row.max(j)));
            let at = self.neighbours[j as usize]
                .binary_search(&row)
                .expect("neighbours are mutual");
            self.neighbours[j as usize].remove(at);
            let w = self.product(inverse, a);
            self.retain(w);
            parts.push((j, a, w));
        }
        for (at, &(j, p, w_p)) in parts.iter().enumerate() {
            for &(k, q, w_q) in &parts[at..] {
                let term = Term {
                    inverse,
                    p,
                    q,
                    w_p,
                    w_q,
                };
                let entry = self.entries.entry((j, k)).or_insert_with(|| Entry {
                    base: MatRef::ZERO,
                    terms: Vec::new(),
                });
                entry.terms.push(term);
                if j != k {
                    self.link(j, k);
                }
            }
        }
        self.steps.push(Step {
            row,
            inverse,
            neighbours: parts.into_iter().map(|(j, _, w)| (j, w)).collect(),
        });
    }

    /// Keeps a matrix for substitution or for a later stage.
    pub fn retain(&mut self, m: MatRef) {
        self.retained[m.id() as usize] = true;
    }

    /// Settles all couplings that are left, so that the operations so far can run. Returns (row, row, matrix).
    pub fn settle(&mut self) -> Vec<(u32, u32, MatRef)> {
        let mut left: Vec<(u32, u32)> = self.entries.keys().copied().collect();
        left.sort_unstable();
        left.into_iter()
            .map(|(i, j)| {
                let m = self.coupling(i, j);
                self.retain(m);
                (i, j, m)
            })
            .collect()
    }

    /// The two factors of a coupling of low rank.
    pub fn factors(&mut self, coupling: MatRef) -> (MatRef, MatRef) {
        let source = positive(MatRef::stored(coupling.id()));
        let (a, b) = self.shape(source);
        let width = 2 * a.min(b); // the rank is known only when it has run; this is its bound
        let make = |planner: &mut Self, domain: Domain, rows: u32, op: fn(MatRef) -> Operation| {
            let key = Hasher::new(domain).key(planner.key_of(source)).finish();
            let id = planner.intern(key, (rows, width), || op(source));
            planner.retain(MatRef::stored(id));
            MatRef::stored(id)
        };
        let left = make(self, Domain::RowLeftFactor, a, Operation::LeftFactor);
        let right = make(self, Domain::RowRightFactor, b, Operation::RightFactor);
        if coupling.is_transposed() {
            (right, left)
        } else {
            (left, right)
        }
    }

    /// Puts a row of `2 rank` unknowns between `i` and `j` in place of their coupling `U V^T`.
    ///
    /// ```text
    /// x_i row:  ... + U z_1 = b_i      z row:  U^T x_i - z_2 = 0
    /// x_j row:  ... + V z_2 = b_j              V^T x_j - z_1 = 0
    /// ```
    /// which is symmetric, with `-[0 I; I 0]` for the new row's diagonal.
    pub fn insert_between(
        &mut self,
        i: u32,
        j: u32,
        (left, right): (MatRef, MatRef),
        rank: u32,
    ) -> u32 {
        let row = self.sizes.len() as u32;
        self.entries.remove(&(i.min(j), i.max(j)));
        for (a, b) in [(i, j), (j, i)] {
            self.neighbours[a as usize].retain(|&n| n != b);
        }
        self.sizes.push(2 * rank);
        self.neighbours.push(Vec::new());
        self.connected_components
            .push(self.connected_components[i as usize]);
        self.left_in_connected_component[self.connected_components[i as usize] as usize] += 1;
        for m in [left, right] {
            self.shapes[m.id() as usize].1 = 2 * rank;
        }
        let key = Hasher::new(Domain::RowExchange)
            .word(u64::from(rank))
            .finish();
        let diagonal = self.intern(key, (2 * rank, 2 * rank), || Operation::Exchange);
        self.set_entry(row, row, MatRef::stored(diagonal));
        self.set_entry(i, row, left);
        self.set_entry(j, row, right);
        row
    }
}

fn positive(m: MatRef) -> MatRef {
    if m.is_negated() { m.negated() } else { m }
}
