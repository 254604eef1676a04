//! Threads of the pool that stay awake between loops that follow each other closely.
//!
//! A thread of rayon's pool that finds no work for some microseconds goes to sleep, and waking it takes as long as a light loop. A step
//! that is hundreds of such loops, with a little work of one thread between them, waits for threads to wake most of the time.
//! ```text
//!  thread 0   ==loop==--------==loop==-----==loop==----- ...    renew() before each few loops
//!  thread 1   ==loop==looking.==loop==look.==loop==looking......sleeps: nothing came
//! ```
//! All others of the pool look, or none: a sleeper beside threads that look would be woken at each piece of work. Tried with two threads.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How often a thread looks for work in vain before it sleeps: about a millisecond where nobody else wants its core.
const LOOKS: usize = 3000;

/// Pieces of work after which a thread goes back to what it waited for: it may have begun to look in the middle of other work.
const PIECES: usize = 256;

thread_local! {
    /// Whether this thread is within [`with`], or looks: then it must not look (again), since others wait for it.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Makes this thread busy until it is dropped.
struct Busy {
    before: bool,
}

impl Busy {
    fn begin() -> Busy {
        Busy {
            before: IS_BUSY.replace(true),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        IS_BUSY.set(self.before);
    }
}

#[derive(Default)]
struct Shared {
    /// Threads that look.
    looking: AtomicUsize,
    /// Threads that were told to and haven't heard yet.
    told: AtomicUsize,
    is_over: AtomicBool,
}

/// Keeps the other threads of a pool awake; those that find nothing for a while sleep all the same.
pub struct Awake {
    others: usize,
    looks: usize,
    shared: Arc<Shared>,
}

/// `f` with the other threads of the current pool awake from [`Awake::renew`] on, where its loops are worth several (`is_worth_it`); outside of a pool nobody is.
pub fn with<T>(is_worth_it: bool, f: impl FnOnce(&Awake) -> T) -> T {
    with_looks(is_worth_it, LOOKS, f)
}

fn with_looks<T>(is_worth_it: bool, looks: usize, f: impl FnOnce(&Awake) -> T) -> T {
    let others = match rayon::current_thread_index() {
        Some(_) if is_worth_it => rayon::current_num_threads() - 1,
        _ => 0,
    };
    let shared = Arc::default();
    let awake = Awake {
        others,
        looks,
        shared,
    };
    let _busy = Busy::begin();
    f(&awake)
}

impl Awake {
    /// Has those look for work that don't.
    pub fn renew(&self) {
        // Who has heard looks by then.
        let of = |n: &AtomicUsize| n.load(Ordering::Acquire);
        if of(&self.shared.told) > 0 || of(&self.shared.looking) == self.others {
            return;
        }
        let (shared, looks) = (self.shared.clone(), self.looks);
        shared.told.store(self.others, Ordering::Relaxed);
        // This thread hears it too, but maybe only when it waits next: the others must not be taken for told until then.
        let own = rayon::current_thread_index();
        rayon::spawn_broadcast(move |thread| {
            if Some(thread.index()) == own {
                return;
            }
            let looks_now = !IS_BUSY.get();
            if looks_now {
                shared.looking.fetch_add(1, Ordering::Relaxed);
            }
            shared.told.fetch_sub(1, Ordering::Release);
            if looks_now {
                look(looks, &shared.is_over);
                shared.looking.fetch_sub(1, Ordering::Relaxed);
            }
        });
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
    }
}

/// Does what work there is until none comes any more.
fn look(looks: usize, is_over: &AtomicBool) {
    let _busy = Busy::begin();
    let (mut in_vain, mut pieces) = (0, 0);
    while in_vain < looks && pieces < PIECES && !is_over.load(Ordering::Relaxed) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            (in_vain, pieces) = (0, pieces + 1);
        } else {
            in_vain += 1;
            std::thread::yield_now(); // other programs may want this core
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads")
    }

    /// Waits until so many look.
    fn wait_for(awake: &Awake, wanted: usize) {
        while awake.shared.looking.load(Ordering::Relaxed) != wanted {
            awake.renew();
            std::thread::yield_now();
        }
    }

    #[test]
    fn all_others_look_until_it_is_over() {
        pool(3).install(|| {
            // However long they may: what ends them is the end.
            let shared = with_looks(true, usize::MAX, |awake| {
                wait_for(awake, 2);
                awake.renew();
                assert_eq!(
                    awake.shared.told.load(Ordering::Relaxed),
                    0,
                    "nobody is told twice"
                );
                awake.shared.clone()
            });
            while shared.looking.load(Ordering::Relaxed) > 0 {
                std::thread::yield_now();
            }
        });
    }

    /// This thread never waits for others, and so hears nothing of what it told all of them: no reason not to tell them again.
    #[test]
    fn they_sleep_where_nothing_comes_and_look_again_when_told() {
        pool(2).install(|| {
            with_looks(true, 20_000, |awake| {
                let wait_for = |wanted: usize| {
                    let begin = std::time::Instant::now();
                    while awake.shared.looking.load(Ordering::Relaxed) != wanted {
                        let waited = begin.elapsed().as_secs();
                        assert!(waited < 60, "{wanted} were to look");
                        std::hint::spin_loop();
                    }
                };
                for _ in 0..3 {
                    awake.renew();
                    wait_for(1);
                    wait_for(0);
                }
            });
        });
    }

    #[test]
    fn nobody_is_told_where_it_is_not_worth_it_or_there_is_nobody() {
        let told = |awake: &Awake| {
            awake.renew();
            awake.shared.told.load(Ordering::Relaxed)
        };
        assert_eq!(with(true, told), 0, "outside of a pool");
        assert_eq!(pool(1).install(|| with(true, told)), 0);
        assert_eq!(pool(2).install(|| with(false, told)), 0);
        assert!(!IS_BUSY.get());
    }

    /// Each waits for pieces that others took, and is told to look for work meanwhile: it must not.
    #[test]
    fn many_at_once_in_a_small_pool_come_to_their_ends() {
        let pool = &pool(2);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                let steps = |awake: &Awake| {
                    for _ in 0..300 {
                        awake.renew();
                        let sum: usize = (0..64_usize).into_par_iter().with_max_len(1).sum();
                        assert_eq!(sum, 2016);
                    }
                };
                scope.spawn(move || pool.install(|| with_looks(true, usize::MAX, steps)));
            }
        });
    }
}
