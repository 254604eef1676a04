//! Loops over many, on the threads of the caller's pool where that pays: results in order, the same for any number of threads.

use rayon::prelude::*;
use stokeslet_base::parallel;

/// Elements of usual work below which a loop stays on the caller's thread.
pub(crate) const FEW: usize = 512;

/// What one element of a loop takes: loops over few stay on the caller's thread, since sharing them out costs more than it brings.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Some hundred nanoseconds.
    Usual,
    /// A microsecond and more: stiffnesses, walks on meshes.
    Heavy,
    /// A loop of its own over so many elements of usual work, or over some of them: a few such loops are shared out each by itself.
    Over(usize),
}

impl Work {
    /// Whether a loop over `n` stays on the caller's thread.
    pub(crate) fn stays(self, n: usize) -> bool {
        n < match self {
            Work::Usual => FEW,
            Work::Heavy => 64,
            Work::Over(many) if many < FEW => usize::MAX,
            Work::Over(_) => 8,
        }
    }

    /// `0..n`, of which a thread takes enough at a time.
    fn all(self, n: usize) -> impl IndexedParallelIterator<Item = usize> {
        let least = match self {
            Work::Usual => 64,
            Work::Heavy => 16,
            Work::Over(_) => 1,
        };
        (0..n).into_par_iter().with_min_len(least)
    }
}

/// `(0..n).map(f)` in order, on several threads when there are many.
pub(crate) fn each<T: Send>(work: Work, n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    match work.stays(n) {
        true => (0..n).map(f).collect(),
        false => work.all(n).map(any(&f)).collect(),
    }
}

/// [`each`] of what takes a nanosecond or two, as what only copies or scales: only very many are shared out. (With it, and larger chunks in GMRES, 201
/// steps of `sand_on_sph` took 6.0 s of one thread, 6.5 without.)
pub(crate) fn each_light<T: Send + Clone + Default>(
    n: usize,
    f: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    match n < 16384 {
        true => (0..n).map(f).collect(),
        false => parallel::fill(n, 64, f),
    }
}

/// Those of [`each`] that are something: most of many are not.
pub(crate) fn each_some<T: Send>(
    work: Work,
    n: usize,
    f: impl Fn(usize) -> Option<T> + Sync + Send,
) -> Vec<T> {
    match work.stays(n) {
        true => (0..n).filter_map(f).collect(),
        false => work.all(n).filter_map(any(&f)).collect(),
    }
}

/// [`each`] of pairs, apart.
pub(crate) fn each_pair<A: Send, B: Send>(
    work: Work,
    n: usize,
    f: impl Fn(usize) -> (A, B) + Sync + Send,
) -> (Vec<A>, Vec<B>) {
    if work.stays(n) {
        return (0..n).map(f).unzip();
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    work.all(n).map(any(&f)).unzip_into_vecs(&mut a, &mut b);
    (a, b)
}

/// Any function of an index: shared loops are compiled once a type of results, not once a loop.
fn any<T>(f: &(impl Fn(usize) -> T + Sync)) -> &(dyn Fn(usize) -> T + Sync) {
    f
}

/// What `a` and `b` give, both at once where loops over `n` of usual work are shared out: parts of one that stay on their thread don't leave the others idle.
pub(crate) fn both<A: Send, B: Send>(
    n: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    match Work::Usual.stays(n) {
        true => (a(), b()),
        false => rayon::join(a, b),
    }
}
