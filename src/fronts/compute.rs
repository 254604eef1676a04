//! Values of fronts: dense partial factorisations, children before parents, on the pool of whoever calls.
//!
//! ```text
//! F = sum of children = [ F_bb F_be ]      W = -F_ee^-1 F_eb           x_e = W x_b + F_ee^-1 b_e
//!                       [ F_eb F_ee ]      S = F_bb + F_be W           (symmetric)
//! ```
//! Large fronts are cut into panels of fixed width, so a value never depends on the number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::{Mat, Par};
use stokeslet_base::parallel;
use thiserror::Error;

use super::plan::{Child, Image, KindId, Plan, Recipe};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::profile::{Recorder, Work};
use stokeslet_base::table::Table;

mod front;
mod inside;
mod lower;
mod mirror_pair;

use front::Part;
pub use inside::Inside;
pub use lower::mirror;
use lower::{Lower, Triangle};
use mirror_pair::Mirror;

/// What is left of a front on its boundary: `n_boundary` x `n_boundary`, symmetric.
pub type Schur = Mat<f64>;

/// Where the matrices of leaves come from.
pub trait Leaves: Sync {
    /// The matrix of a leaf over its boundary, then its eliminated unknowns; symmetric.
    fn assemble(&self, leaf: u32) -> Mat<f64>;
}

/// Values that outlive a run, by key.
pub trait Known: Sync {
    /// A Schur complement of an earlier run.
    fn schur(&self, key: Fingerprint) -> Option<Arc<Schur>>;
    /// Keeps one for later runs.
    fn keep_schur(&self, key: Fingerprint, schur: &Arc<Schur>);
    /// What substitution needs, of an earlier run.
    fn inside(&self, key: Fingerprint) -> Option<Arc<Inside>>;
    /// Keeps that for later runs.
    fn keep_inside(&self, key: Fingerprint, inside: &Arc<Inside>);
}

impl Known for Table {
    fn schur(&self, key: Fingerprint) -> Option<Arc<Schur>> {
        self.get(key)
    }

    fn keep_schur(&self, key: Fingerprint, schur: &Arc<Schur>) {
        self.keep(
            key,
            schur.clone(),
            8 * (schur.nrows() * schur.ncols()) as u64,
        );
    }

    fn inside(&self, key: Fingerprint) -> Option<Arc<Inside>> {
        self.get(key)
    }

    fn keep_inside(&self, key: Fingerprint, inside: &Arc<Inside>) {
        self.keep(key, inside.clone(), inside.bytes());
    }
}

/// What is asked of a computation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Kinds whose Schur complements are read afterwards. Others go as soon as their parents have them.
    pub schurs: &'a [KindId],
    /// Kinds that are substituted.
    pub insides: &'a [KindId],
    /// Whether all that these are made of is substituted too.
    pub deep: bool,
}

/// Why fronts can't be computed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FrontError {
    /// The eliminated block of this kind is singular.
    #[error("front {kind} has a singular pivot block")]
    Singular {
        /// Its number.
        kind: KindId,
    },
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// How fronts are computed.
#[derive(Clone, Copy)]
pub struct FrontRun<'a> {
    /// Assembles leaves.
    pub leaves: &'a dyn Leaves,
    /// Results of earlier runs.
    pub known: &'a dyn Known,
    /// Asked between fronts: true stops the run.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then: fronts done, fronts to do.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// Told of every front that is asked for and computed.
    pub recorder: &'a Recorder,
}

/// A Schur complement: as a square where somebody else reads it.
#[derive(Clone, Debug)]
enum Held {
    Whole(Arc<Schur>),
    Lower(Arc<Lower>),
}

impl Held {
    fn triangle(&self) -> Triangle<'_> {
        match self {
            Self::Whole(schur) => Triangle::Whole(schur),
            Self::Lower(schur) => Triangle::Lower(schur),
        }
    }
}

/// Values by kind.
#[derive(Debug, Default)]
pub struct Values {
    schurs: Vec<Option<Held>>,
    insides: Vec<Option<Arc<Inside>>>,
}

impl Values {
    /// What is left of a kind on its boundary.
    ///
    /// # Panics
    /// Where it wasn't asked for: a bug of the caller.
    pub fn schur(&self, kind: KindId) -> &Schur {
        match &self.schurs[kind as usize] {
            Some(Held::Whole(schur)) => schur,
            Some(Held::Lower(_)) | None => {
                panic!("the Schur complement of front {kind} wasn't asked for")
            }
        }
    }

    /// What substitution needs of a kind.
    ///
    /// # Panics
    /// Where it wasn't asked for: a bug of the caller.
    pub fn inside(&self, kind: KindId) -> &Inside {
        self.insides[kind as usize]
            .as_ref()
            .expect("fronts are computed before they are substituted")
    }

    /// Puts in the value of a given kind.
    pub fn set(&mut self, kind: KindId, schur: Arc<Schur>) {
        if self.schurs.len() <= kind as usize {
            self.schurs.resize(kind as usize + 1, None);
        }
        self.schurs[kind as usize] = Some(Held::Whole(schur));
    }

    /// Computes what is wanted and not known.
    ///
    /// # Errors
    /// [`FrontError`].
    /// # Accuracy and cost
    /// LU with partial pivoting inside a block; [`super::Counters::flops`]. The same bits for any number of threads and for
    /// known or unknown results.
    pub fn compute(
        &mut self,
        plan: &Plan,
        wanted: Wanted<'_>,
        run: FrontRun<'_>,
    ) -> Result<(), FrontError> {
        faer::set_global_parallelism(Par::Seq); // parallel over fronts and panels, never inside a kernel
        self.schurs.resize(plan.kinds.len(), None);
        self.insides.resize_with(plan.kinds.len(), || None);
        let mut missing = self.missing(plan, wanted, run.known);
        let all: usize = missing.levels.iter().map(Vec::len).sum();
        let done = AtomicUsize::new(0);
        for level in std::mem::take(&mut missing.levels) {
            let made = parallel::map_owned(level.clone(), |kind| {
                if (run.is_cancelled)() {
                    return Err(FrontError::Cancelled);
                }
                let mut span = run
                    .recorder
                    .span("eliminate", name(plan, kind), Work::default());
                let (schur, inside) = self.front(plan, kind, run.leaves)?;
                span.set_work(work(plan, kind, &inside));
                let inside = Arc::new(inside);
                let key = plan.kinds[kind as usize].key;
                run.known.keep_inside(inside_key(key), &inside);
                // Spans of strips are doubled again in the next design: kept where they are no larger than their factors.
                let kind_of = &plan.kinds[kind as usize];
                let is_small = kind_of.n_boundary <= 2 * kind_of.n_eliminated;
                let schur = if missing.is_read[kind as usize] || is_small {
                    let whole = Arc::new(schur.whole());
                    run.known.keep_schur(schur_key(key), &whole);
                    Held::Whole(whole)
                } else {
                    Held::Lower(Arc::new(schur))
                };
                let done = done.fetch_add(1, Ordering::Relaxed);
                if done.is_multiple_of(16) {
                    (run.progress)(done, all);
                }
                Ok((kind, schur, inside))
            });
            let made = made.into_iter().collect::<Result<Vec<_>, FrontError>>()?;
            for (kind, schur, inside) in made {
                let k = kind as usize;
                if missing.is_read[k] || missing.parents[k] > 0 {
                    self.schurs[k] = Some(schur);
                }
                self.insides[k] = Some(inside);
            }
            for &kind in &level {
                for child in plan.kinds[kind as usize].children() {
                    let c = child.kind as usize;
                    missing.parents[c] -= 1;
                    if missing.parents[c] == 0 && !missing.is_read[c] {
                        self.schurs[c] = None;
                    }
                }
            }
        }
        (run.progress)(all, all);
        if (run.is_cancelled)() {
            return Err(FrontError::Cancelled);
        }
        Ok(())
    }

    /// What is still to compute, from the wanted kinds down.
    fn missing(&mut self, plan: &Plan, wanted: Wanted<'_>, known: &dyn Known) -> Missing {
        let n = plan.kinds.len();
        let mut is_read = vec![false; n];
        wanted
            .schurs
            .iter()
            .for_each(|&k| is_read[k as usize] = true);
        let mut schur_needed = is_read.clone();
        let mut inside_needed = vec![false; n];
        wanted
            .insides
            .iter()
            .for_each(|&k| inside_needed[k as usize] = true);
        let mut compute = vec![false; n];
        let mut parents = vec![0_u32; n];
        for k in (0..n).rev() {
            let key = plan.kinds[k].key;
            if matches!(plan.kinds[k].recipe, Recipe::Given) {
                is_read[k] = true; // not ours to drop
                continue;
            }
            if schur_needed[k] && self.schurs[k].is_none() {
                self.schurs[k] = known.schur(schur_key(key)).map(Held::Whole);
                compute[k] |= self.schurs[k].is_none();
            }
            if inside_needed[k] && self.insides[k].is_none() {
                self.insides[k] = known.inside(inside_key(key));
                compute[k] |= self.insides[k].is_none();
            }
            for child in plan.kinds[k].children() {
                let c = child.kind as usize;
                schur_needed[c] |= compute[k];
                parents[c] += u32::from(compute[k]);
                inside_needed[c] |= wanted.deep && inside_needed[k];
            }
        }
        let mut height = vec![0_usize; n];
        let mut levels: Vec<Vec<KindId>> = Vec::new();
        for k in (0..n).filter(|&k| compute[k]) {
            let below = plan.kinds[k]
                .children()
                .iter()
                .filter(|c| compute[c.kind as usize]);
            height[k] = below
                .map(|c| height[c.kind as usize] + 1)
                .max()
                .unwrap_or(0);
            if levels.len() <= height[k] {
                levels.resize(height[k] + 1, Vec::new());
            }
            levels[height[k]].push(k as KindId);
        }
        // The largest first, so that the pool doesn't wait for one that came last.
        for level in &mut levels {
            level.sort_by_key(|&k| (std::cmp::Reverse(plan.kinds[k as usize].flops()), k));
        }
        Missing {
            levels,
            is_read,
            parents,
        }
    }

    fn front(
        &self,
        plan: &Plan,
        id: KindId,
        leaves: &dyn Leaves,
    ) -> Result<(Lower, Inside), FrontError> {
        let kind = &plan.kinds[id as usize];
        let (b, e) = (kind.n_boundary as usize, kind.n_eliminated as usize);
        let done = match &kind.recipe {
            Recipe::Leaf(leaf) => {
                let matrix = leaves.assemble(*leaf);
                let images: Vec<Image> = (0..(b + e) as u32).map(Image::plain).collect();
                let part = Part::new(Triangle::Whole(&matrix), &images, b);
                front::eliminate(&[part], b, e)
            }
            Recipe::Join(children) => {
                let held = |child: &Child| {
                    let held = self.schurs[child.kind as usize].as_ref();
                    held.expect("children come before their parents").triangle()
                };
                if let Some(mirror) = Mirror::between(children, b, e) {
                    mirror_pair::eliminate(held(&children[0]), mirror)
                } else {
                    let part = |child: &Child| Part::new(held(child), &child.images, b);
                    front::eliminate(&children.iter().map(part).collect::<Vec<_>>(), b, e)
                }
            }
            Recipe::Given => unreachable!("given fronts are put in before anything needs them"),
        };
        done.ok_or(FrontError::Singular { kind: id })
    }
}

/// Kinds still to compute.
struct Missing {
    /// By height: those of one level need only those of the levels before.
    levels: Vec<Vec<KindId>>,
    /// Whether the Schur complement is read afterwards.
    is_read: Vec<bool>,
    /// How many that are still to compute read the Schur complement.
    parents: Vec<u32>,
}

/// What a profile calls a front.
fn name(plan: &Plan, kind: KindId) -> &'static str {
    match plan.kinds[kind as usize].recipe {
        Recipe::Leaf(_) => "leaf front",
        _ => "joined front",
    }
}

/// What was done for it: which factorisation a front takes is known only then.
fn work(plan: &Plan, kind: KindId, made: &Inside) -> Work {
    let kind = &plan.kinds[kind as usize];
    Work {
        flops: made.flops(),
        bytes: kind.bytes(),
        size: (kind.n_eliminated, kind.n_boundary),
    }
}

/// A table's key of a Schur complement.
pub fn schur_key(kind: Fingerprint) -> Fingerprint {
    Hasher::new(Domain::FrontSchur).key(kind).finish()
}

/// A table's key of what substitution needs.
fn inside_key(kind: Fingerprint) -> Fingerprint {
    Hasher::new(Domain::FrontInside).key(kind).finish()
}

#[cfg(test)]
mod tests;
