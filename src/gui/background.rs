//! Work behind the window. On threads that give way to the one that draws it, which otherwise waits for a processor behind
//! a solve that has a thread on each (`cargo bench --bench frames -- --spikes` tells how long); in a browser, which gives a page no
//! threads, between frames.
//!
//! ```text
//! serve(work) --threads--> a loop: work(), which waits by park()
//!             --browser--> a list:  turn(), after each frame, calls each work() once; park() waits for nothing
//! ```

use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, MutexGuard, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use web_time::Duration;

/// Whether a loop of [`serve`] goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There is more to do, or will be.
    GoOn,
    /// Nobody wants anything any more.
    End,
}

/// What a loop found to do.
#[derive(Debug)]
pub enum Found<J> {
    /// This.
    Job(J),
    /// Nothing yet, and nothing can be waited for here.
    Nothing,
    /// Nobody wants anything any more.
    Over,
}

/// Calls what `make` makes, there, again and again until it ends; it waits, by [`park`], where there is nothing to do.
///
/// # Errors
/// The system starts no thread.
pub fn serve<W: FnMut() -> Next + 'static>(
    name: &str,
    make: impl FnOnce() -> W + Send + 'static,
) -> io::Result<()> {
    platform::start(name, make)
}

/// Does something once.
///
/// # Errors
/// The system starts no thread.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    serve(name, move || {
        let mut work = Some(work);
        move || {
            if let Some(work) = work.take() {
                work();
            }
            Next::End
        }
    })
}

/// Drops something large beside the window; here where no thread starts.
pub fn discard<T: Send + 'static>(old: T) {
    let _ = spawn("discard", move || drop(old));
}

/// Two things at once: the second on a thread of its own, not among a solve's, which the frame would wait for; here where none starts.
pub fn both<A, B: Send>(a: impl FnOnce() -> A, b: impl Fn() -> B + Sync) -> (A, B) {
    if cfg!(target_arch = "wasm32") {
        return (a(), b());
    }
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, &b);
        let a = a();
        let b = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => b(),
        };
        (a, b)
    })
}

/// A value that is made at once, or beside the window where that takes long.
pub struct Later<T> {
    place: Arc<OnceLock<T>>,
    make: Arc<dyn Fn() -> T + Send + Sync>,
}

impl<T> Clone for Later<T> {
    fn clone(&self) -> Self {
        Self {
            place: self.place.clone(),
            make: self.make.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Later").field(&self.place).finish()
    }
}

impl<T: Send + Sync + 'static> Later<T> {
    /// Made by `make`, on a thread if that `is_long`, which then calls `wake`.
    pub fn new(
        is_long: bool,
        make: impl Fn() -> T + Send + Sync + 'static,
        wake: impl FnOnce() + Send + 'static,
    ) -> Self {
        let later = Self {
            place: Arc::default(),
            make: Arc::new(make),
        };
        let there = later.clone();
        let work = move || {
            let _ = there.place.set((there.make)());
            wake();
        };
        if !is_long || spawn("later", work).is_err() {
            later.now();
        }
        later
    }

    /// It, once it is there.
    pub fn get(&self) -> Option<&T> {
        self.place.get()
    }

    /// It, made here if it isn't there yet.
    pub fn now(&self) -> &T {
        self.place.get_or_init(|| (self.make)())
    }
}

/// Waits until `changed` is told of; `None` where nothing can be waited for.
pub fn park<'s, S>(changed: &Condvar, state: MutexGuard<'s, S>) -> Option<MutexGuard<'s, S>> {
    match cfg!(target_arch = "wasm32") {
        true => None,
        false => Some(changed.wait(state).unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Waits for so long, or until `changed` is told of and `holds` no more; not at all where nothing can be waited for.
pub fn pause<S>(
    changed: &Condvar,
    state: MutexGuard<'_, S>,
    rest: Duration,
    holds: impl FnMut(&mut S) -> bool,
) {
    if cfg!(not(target_arch = "wasm32")) {
        // Whatever ends the wait, the caller looks anew.
        let _ = changed.wait_timeout_while(state, rest, holds);
    }
}

/// Threads for one solver, one a processor; `None` where the system starts none: the global ones serve then.
pub fn pool(name: &'static str) -> Option<ThreadPool> {
    ThreadPoolBuilder::new()
        .thread_name(move |k| format!("{name} {k}"))
        .start_handler(|_| platform::give_way())
        .build()
        .ok()
}

pub use platform::{prepare, turn};

#[cfg(not(target_arch = "wasm32"))]
mod platform {
    use std::io;

    use rayon::ThreadPoolBuilder;
    use thread_priority::{ThreadPriority, ThreadPriorityValue};

    use super::Next;

    /// Priority out of 100; on Linux a niceness of 9, a seventh of the share of a thread that draws.
    const PRIORITY: u8 = 25;

    /// Has what runs on the global threads, such as painting fields, give way too. Where they run already they stay as they are.
    pub fn prepare() {
        let builder = ThreadPoolBuilder::new().start_handler(|_| give_way());
        let _ = builder.build_global();
    }

    /// Threads need no turn.
    pub fn turn() {}

    pub(super) fn start<W: FnMut() -> Next>(
        name: &str,
        make: impl FnOnce() -> W + Send + 'static,
    ) -> io::Result<()> {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                give_way();
                let mut work = make();
                while work() == Next::GoOn {}
            })
            .map(drop)
    }

    /// Where the system doesn't let it, such as a program that gives way even more, nothing changes.
    pub(super) fn give_way() {
        if let Ok(value) = ThreadPriorityValue::try_from(PRIORITY) {
            let _ = ThreadPriority::Crossplatform(value).set_for_current();
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod platform {
    use std::cell::RefCell;
    use std::io;

    use super::Next;

    type Work = Box<dyn FnMut() -> Next>;

    thread_local! {
        static WAITING: RefCell<Vec<Work>> = const { RefCell::new(Vec::new()) };
    }

    /// The page's one thread is all that there is.
    pub fn prepare() {}

    /// Gives everything that waits one turn; what it starts has its own in the next.
    pub fn turn() {
        let mut list = WAITING.take();
        list.retain_mut(|work| work() == Next::GoOn);
        WAITING.with_borrow_mut(|started| {
            list.append(started);
            *started = list;
        });
    }

    pub(super) fn start<W: FnMut() -> Next + 'static>(
        _: &str,
        make: impl FnOnce() -> W,
    ) -> io::Result<()> {
        let work = Box::new(make());
        WAITING.with_borrow_mut(|list| list.push(work));
        Ok(())
    }

    pub(super) fn give_way() {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// This thread's niceness: the 19th value, of which the name, in brackets, is the second.
    fn niceness() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("a thread's state");
        let after = stat.rsplit_once(')').expect("a name in brackets").1;
        let value = after.split_whitespace().nth(16).expect("nineteen values");
        value.parse().expect("a number")
    }

    #[test]
    fn threads_that_compute_give_way_and_the_one_that_starts_them_does_not() {
        let own = niceness();
        let (tell, told) = mpsc::channel();
        spawn("test", move || {
            tell.send(niceness()).expect("someone waits")
        })
        .expect("a thread");
        let gives_way = |niceness: &i32| *niceness >= 9;
        assert!(told.recv().is_ok_and(|n| gives_way(&n)));
        let pool = pool("test").expect("a pool");
        assert!(pool.broadcast(|_| niceness()).iter().all(gives_way));
        assert_eq!(niceness(), own);
    }
}
