//! Loops on the threads of the caller's pool: results in order, the same for any number of threads.
//!
//! All of them come down to [`tasks`], which knows no types, and to functions that know only those of results: what a loop adds to a program
//! is little more than its body. Rayon's own iterators are compiled anew for every closure; they were a quarter of the intermediate code of
//! `flow` and of `apic`.
//!
//! Sums aren't here: their order must not hang on how many threads there are. Sum pieces of a fixed size with [`map`], and then its results.
//! Nor do errors end a loop: collect [`map`]'s results, and the first error in order is the same for any number of threads.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Spans a thread, so that one who is done early finds more to do.
const SPANS: usize = 32;

/// Calls `work(0)` to `work(n - 1)`, each of which any thread may take.
pub fn tasks(n: usize, work: &(dyn Fn(usize) + Sync)) {
    if n < 2 || rayon::current_num_threads() == 1 {
        (0..n).for_each(work);
    } else {
        (0..n).into_par_iter().with_max_len(1).for_each(work);
    }
}

/// Lists what `of` adds for each span of `0..n`, one span after the other.
///
/// For loops that give none or several results for an element. Where spans begin depends on the threads there are, so nothing that `of` adds may.
/// # Shapes and units
/// - `least`: elements below which a span isn't worth a thread of its own
pub fn spans<T: Send>(
    n: usize,
    least: usize,
    of: impl Fn(Range<usize>, &mut Vec<T>) + Sync,
) -> Vec<T> {
    spans_of(n, least, &of)
}

fn spans_of<T: Send>(
    n: usize,
    least: usize,
    of: &(dyn Fn(Range<usize>, &mut Vec<T>) + Sync),
) -> Vec<T> {
    let size = size_of_span(n, least);
    let mut all = Vec::new();
    if size >= n {
        of(0..n, &mut all);
        return all;
    }
    let made: Vec<Mutex<Vec<T>>> = (0..n.div_ceil(size)).map(|_| Mutex::default()).collect();
    tasks(made.len(), &|k| {
        let mut out = Vec::new();
        of(k * size..n.min((k + 1) * size), &mut out);
        *held(&made[k]) = out;
    });
    all.reserve_exact(made.iter().map(|out| held(out).len()).sum());
    for out in made {
        all.append(&mut own(out));
    }
    all
}

/// `(0..n).map(of)`.
///
/// # Shapes and units
/// - `least`: elements below which sharing out isn't worth a thread: 1 where each takes microseconds, thousands where each takes a nanosecond
/// # Accuracy and cost
/// Results of spans are copied into one list; [`fill`] writes them where they stay.
pub fn map<T: Send>(n: usize, least: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    spans_of(n, least, &|span, out| {
        out.reserve_exact(span.len());
        span.for_each(|k| out.push(of(k)));
    })
}

/// [`map`] for results that take less time than to copy them.
pub fn fill<T: Send + Clone + Default>(
    n: usize,
    least: usize,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut out = vec![T::default(); n];
    each_mut(&mut out, size_of_span(n, least), |k, out| *out = of(k));
    out
}

/// [`map`] with some memory of its own for each thread, such as lists that are filled anew.
pub fn map_with<M: Send, T: Send>(
    n: usize,
    least: usize,
    memory: impl Fn() -> M + Sync,
    of: impl Fn(&mut M, usize) -> T + Sync,
) -> Vec<T> {
    let idle = Mutex::new(Vec::new());
    spans_of(n, least, &|span, out| {
        let lent = held(&idle).pop();
        let mut lent = lent.unwrap_or_else(&memory);
        out.reserve_exact(span.len());
        span.for_each(|k| out.push(of(&mut lent, k)));
        held(&idle).push(lent);
    })
}

/// `items.iter().map(of)`; see [`map`].
pub fn each<A: Sync, T: Send>(items: &[A], least: usize, of: impl Fn(&A) -> T + Sync) -> Vec<T> {
    map(items.len(), least, |k| of(&items[k]))
}

/// `items.into_iter().map(of)`, where any thread may take any item: for those that cost much and unevenly, and for those that are to be had only
/// once, as parts of a list that is written to.
pub fn map_owned<A: Send, T: Send>(items: Vec<A>, of: impl Fn(A) -> T + Sync) -> Vec<T> {
    map_owned_of(items, &of)
}

fn map_owned_of<A: Send, T: Send>(items: Vec<A>, of: &(dyn Fn(A) -> T + Sync)) -> Vec<T> {
    if items.len() < 2 || rayon::current_num_threads() == 1 {
        return items.into_iter().map(of).collect();
    }
    let items: Vec<Mutex<Option<A>>> = items.into_iter().map(|a| Mutex::new(Some(a))).collect();
    let made: Vec<Mutex<Option<T>>> = items.iter().map(|_| Mutex::default()).collect();
    tasks(items.len(), &|k| {
        let item = held(&items[k]).take();
        let result = item.map(of);
        *held(&made[k]) = result;
    });
    made.into_iter().filter_map(own).collect()
}

/// Works on pieces of a list, `size` elements each but for the last; `work` has a piece's first index and the piece.
pub fn pieces_mut<T: Send>(x: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    pieces_of(x, size, &work);
}

fn pieces_of<T: Send>(x: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    if x.len() <= size {
        return work(0, x);
    }
    let pieces: Vec<Mutex<&mut [T]>> = x.chunks_mut(size).map(Mutex::new).collect();
    tasks(pieces.len(), &|k| work(k * size, &mut held(&pieces[k])));
}

/// Works on every element of a list, in pieces of `size`; `work` has its index and the element.
pub fn each_mut<T: Send>(x: &mut [T], size: usize, work: impl Fn(usize, &mut T) + Sync) {
    pieces_of(x, size, &|first, piece| {
        for (k, x) in piece.iter_mut().enumerate() {
            work(first + k, x);
        }
    });
}

fn size_of_span(n: usize, least: usize) -> usize {
    match rayon::current_num_threads() {
        1 => n.max(1),
        threads => n.div_ceil(SPANS * threads).max(least).max(1),
    }
}

// A task that panics ends the loop, so nobody reads what it left.

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_threads(threads: usize, test: impl Fn() + Send + Sync) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("a pool").install(test);
    }

    #[test]
    fn results_are_in_order_for_any_number_of_threads() {
        for threads in 1..5 {
            on_threads(threads, || {
                for n in [0, 1, 2, 17, 1000] {
                    for least in [0, 1, 7, 5000] {
                        let squares: Vec<usize> = (0..n).map(|k| k * k).collect();
                        assert_eq!(map(n, least, |k| k * k), squares);
                        assert_eq!(fill(n, least, |k| k * k), squares);
                        let even = spans(n, least, |span, out| {
                            out.extend(span.filter(|k| k % 2 == 0));
                        });
                        assert_eq!(even, (0..n).step_by(2).collect::<Vec<_>>());
                    }
                    assert_eq!(
                        map_with(n, 1, Vec::new, |seen, k| {
                            seen.push(k);
                            seen[seen.len() - 1]
                        }),
                        (0..n).collect::<Vec<_>>()
                    );
                    let words: Vec<String> = (0..n).map(|k| k.to_string()).collect();
                    assert_eq!(each(&words, 3, String::clone), words);
                    assert_eq!(map_owned(words.clone(), |word| word), words);
                }
            });
        }
    }

    #[test]
    fn each_element_is_in_one_piece() {
        on_threads(3, || {
            for (n, size) in [(0, 4), (3, 4), (4, 4), (1001, 10)] {
                let mut x = vec![0; n];
                pieces_mut(&mut x, size, |first, piece| {
                    assert!(piece.len() <= size);
                    for (k, x) in piece.iter_mut().enumerate() {
                        *x += first + k;
                    }
                });
                assert_eq!(x, (0..n).collect::<Vec<_>>());
                each_mut(&mut x, size, |k, x| *x -= k);
                assert_eq!(x, vec![0; n]);
            }
        });
    }

    #[test]
    fn memory_is_lent_again() {
        let made = std::sync::atomic::AtomicUsize::new(0);
        let make = || made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        on_threads(2, || drop(map_with(1000, 1, make, |_, k| k)));
        assert!(made.into_inner() <= 2);
    }

    #[test]
    fn several_threads_take_part() {
        // Each task waits until the other has begun.
        let both = std::sync::Barrier::new(2);
        on_threads(2, || {
            tasks(2, &|_| {
                both.wait();
            });
        });
    }

    #[test]
    fn items_that_cost_much_are_nobodys_for_being_neighbours() {
        // The first two wait for each other.
        let both = std::sync::Barrier::new(2);
        on_threads(2, || {
            let of = |k: usize| {
                if k < 2 {
                    both.wait();
                }
                k
            };
            assert_eq!(map_owned((0..8).collect(), of), (0..8).collect::<Vec<_>>());
        });
    }

    #[test]
    fn a_panic_of_a_task_is_the_callers() {
        let of = |k: usize| assert!(k != 3, "the third");
        let caught = std::panic::catch_unwind(|| on_threads(2, || drop(map(8, 1, of))));
        assert!(caught.is_err());
    }
}
