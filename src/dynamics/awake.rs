//! Threads of the pool that stay awake between loops that follow each other closely.
//!
//! A thread of rayon's pool that finds no work for some microseconds goes to sleep, and waking it takes as long as a light loop. A step
//! that is hundreds of such loops, with a little work of one thread between them, waits for threads to wake most of the time.
//! ```text
//!  thread 0   ==loop==--------==loop==-----==loop==----- ...    renew() before each few loops
//!  thread 1   ==loop==looking.==loop==look.==loop==looking......sleeps: nothing came
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How often a thread looks for work in vain before it sleeps: about a millisecond.
const LOOKS: usize = 3000;

/// Pieces of work after which a thread goes back to what it waited for: it may have begun to look in the middle of other work.
const PIECES: usize = 256;

/// Keeps threads of the current pool awake. Those that find nothing for a while sleep all the same; none looks on once this is dropped.
pub struct Awake {
    /// Threads at most, beside the caller's.
    most: usize,
    /// Those that look, or will.
    looking: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Awake {
    /// For loops that are worth `threads` threads; nothing is kept awake before [`Self::renew`], nor outside of a pool.
    pub fn new(threads: usize) -> Awake {
        let others = rayon::current_thread_index().map_or(0, |_| rayon::current_num_threads() - 1);
        Awake {
            most: others.min(threads.saturating_sub(1)),
            looking: Arc::default(),
            is_over: Arc::default(),
        }
    }

    /// Has as many threads look for work as are wanted and don't yet.
    pub fn renew(&self) {
        while self.looking.load(Ordering::Relaxed) < self.most {
            self.looking.fetch_add(1, Ordering::Relaxed);
            let (looking, is_over) = (self.looking.clone(), self.is_over.clone());
            let own = rayon::current_thread_index();
            rayon::spawn(move || {
                if rayon::current_thread_index() != own {
                    look(&is_over);
                }
                looking.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Does what work there is until none comes any more.
fn look(is_over: &AtomicBool) {
    let (mut in_vain, mut pieces) = (0, 0);
    while in_vain < LOOKS && pieces < PIECES && !is_over.load(Ordering::Relaxed) {
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

    #[test]
    fn others_look_for_work_and_sleep_in_the_end() {
        pool(3).install(|| {
            for (wanted, others) in [(1, 0), (2, 1), (9, 2)] {
                let awake = Awake::new(wanted);
                awake.renew();
                assert_eq!(awake.looking.load(Ordering::Relaxed), others);
                let looking = awake.looking.clone();
                while looking.load(Ordering::Relaxed) > 0 {
                    std::thread::yield_now();
                }
                awake.renew();
                drop(awake);
                while looking.load(Ordering::Relaxed) > 0 {
                    std::thread::yield_now();
                }
            }
        });
        let outside = Awake::new(2);
        outside.renew();
        assert_eq!(
            outside.looking.load(Ordering::Relaxed),
            0,
            "no pool to wait in"
        );
    }

    /// Each waits for pieces that the others took, and looks for work of theirs meanwhile.
    #[test]
    fn many_at_once_in_a_small_pool_come_to_their_ends() {
        let pool = &pool(2);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                let steps = || {
                    let awake = Awake::new(2);
                    for _ in 0..300 {
                        awake.renew();
                        let sum: usize = (0..64_usize).into_par_iter().with_max_len(1).sum();
                        assert_eq!(sum, 2016);
                    }
                };
                scope.spawn(move || pool.install(steps));
            }
        });
    }
}
