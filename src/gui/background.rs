//! Threads that compute behind the window. They give way to the one that draws it, which otherwise waits for a processor behind
//! a solve that has a thread on each (`cargo bench --bench frames -- --spikes` tells how long).

use std::io;

use rayon::{ThreadPool, ThreadPoolBuilder};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// Of 100; on Linux a niceness of 9, a seventh of the share of a thread that draws.
const PRIORITY: u8 = 25;

/// Starts a thread that computes.
///
/// # Errors
/// The system starts no thread.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            give_way();
            work();
        })
        .map(drop)
}

/// Threads for one solver, one a processor; `None` where the system starts none: the global ones serve then.
pub fn pool(name: &'static str) -> Option<ThreadPool> {
    ThreadPoolBuilder::new()
        .thread_name(move |k| format!("{name} {k}"))
        .start_handler(|_| give_way())
        .build()
        .ok()
}

/// Has what runs on the global threads, such as painting fields, give way too. Where they run already they stay as they are.
pub fn prepare() {
    let builder = ThreadPoolBuilder::new().start_handler(|_| give_way());
    let _ = builder.build_global();
}

/// Where the system doesn't let it, such as a program that gives way even more, nothing changes.
fn give_way() {
    if let Ok(value) = ThreadPriorityValue::try_from(PRIORITY) {
        let _ = ThreadPriority::Crossplatform(value).set_for_current();
    }
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
