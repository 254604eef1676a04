//! A thread that does the newest of what it is asked for: what came before and was not begun is forgotten.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::background::{self, Found, Next};

/// Wakes the window: something is done.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Does jobs `J` one after the other, each becoming perhaps an `R`. Ends, after the job at hand, when dropped.
#[derive(Debug)]
pub struct Newest<J, R> {
    shared: Arc<Shared<J, R>>,
}

#[derive(Debug)]
struct Shared<J, R> {
    state: Mutex<Slots<J, R>>,
    changed: Condvar,
    /// Whether a newer job waits, or nobody does.
    is_stale: AtomicBool,
}

#[derive(Debug)]
struct Slots<J, R> {
    next: Option<J>,
    done: Option<R>,
    is_busy: bool,
    is_over: bool,
}

impl<J, R> Shared<J, R> {
    fn lock(&self) -> MutexGuard<'_, Slots<J, R>> {
        // Jobs run outside the lock; nothing inside panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J: Send + 'static, R: Send + 'static> Newest<J, R> {
    /// Starts the thread. `work` is told how to ask whether a newer job waits; a job that panics has no result, and the thread
    /// goes on.
    pub fn new(
        name: &str,
        wake: Wake,
        work: impl Fn(J, &(dyn Fn() -> bool + Sync)) -> Option<R> + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(Slots {
                next: None,
                done: None,
                is_busy: false,
                is_over: false,
            }),
            changed: Condvar::new(),
            is_stale: AtomicBool::new(false),
        });
        let own = shared.clone();
        // Where no thread can be started there are no pictures, and everything else goes on.
        let _ = background::serve(name, move || {
            move || {
                let job = match wait(&own) {
                    Found::Job(job) => job,
                    Found::Nothing => return Next::GoOn,
                    Found::Over => return Next::End,
                };
                let is_stale = || own.is_stale.load(Ordering::Relaxed);
                let result = catch_unwind(AssertUnwindSafe(|| work(job, &is_stale)));
                let mut state = own.lock();
                state.is_busy = false;
                if let Ok(Some(result)) = result {
                    state.done = Some(result);
                }
                drop(state);
                wake();
                Next::GoOn
            }
        });
        Self { shared }
    }

    /// Asks for a job; one that waits is forgotten.
    pub fn ask(&self, job: J) {
        let mut state = self.shared.lock();
        state.next = Some(job);
        self.shared.is_stale.store(true, Ordering::Relaxed);
        self.shared.changed.notify_one();
    }

    /// The newest result, once.
    pub fn take(&self) -> Option<R> {
        self.shared.lock().done.take()
    }

    /// Whether something is being done or waits.
    pub fn is_busy(&self) -> bool {
        let state = self.shared.lock();
        state.is_busy || state.next.is_some()
    }
}

fn wait<J, R>(shared: &Shared<J, R>) -> Found<J> {
    let mut state = shared.lock();
    loop {
        if state.is_over {
            return Found::Over;
        }
        if let Some(job) = state.next.take() {
            state.is_busy = true;
            shared.is_stale.store(false, Ordering::Relaxed);
            return Found::Job(job);
        }
        match background::park(&shared.changed, state) {
            Some(parked) => state = parked,
            None => return Found::Nothing,
        }
    }
}

impl<J, R> Drop for Newest<J, R> {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.is_stale.store(true, Ordering::Relaxed);
        self.shared.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use web_time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_newest_job_wins_and_a_panic_kills_nothing() {
        let (begun, hear_begun) = mpsc::channel();
        let (go, hear_go) = mpsc::channel::<()>();
        let newest = Newest::new("test", Arc::new(|| {}), move |job: u32, _| {
            let _ = begun.send(job);
            let _ = hear_go.recv();
            assert!(job != 3, "job 3 is broken");
            Some(10 * job)
        });
        newest.ask(0);
        assert_eq!(hear_begun.recv(), Ok(0));
        for job in 1..=3 {
            newest.ask(job);
        }
        assert!(newest.is_busy());
        go.send(()).unwrap();
        assert_eq!(hear_begun.recv(), Ok(3), "1 and 2 were forgotten");
        go.send(()).unwrap();
        newest.ask(4);
        assert_eq!(hear_begun.recv(), Ok(4), "the thread survived job 3");
        go.send(()).unwrap();
        let start = Instant::now();
        while newest.is_busy() && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(newest.take(), Some(40));
        assert_eq!(newest.take(), None, "once");
    }
}
