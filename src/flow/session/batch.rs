//! Many jobs side by side, in a bounded number, with results in the order of the jobs. Knows nothing of chips.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use thiserror::Error;

/// A job that panicked: our bug, which must not take the other jobs with it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("internal error, please report it: {message}")]
pub struct Crashed {
    /// What the panic said.
    pub message: String,
}

/// Runs `work` on every job, at most `workers` at once, each started in the order of the jobs.
///
/// The results are in the order of the jobs, whoever finished first. A job that panics becomes [`Crashed`]; the rest go on.
pub fn side_by_side<J: Sync, R: Send>(
    jobs: &[J],
    workers: usize,
    work: impl Fn(&J) -> R + Sync,
) -> Vec<Result<R, Crashed>> {
    let run = |job: &J| {
        catch_unwind(AssertUnwindSafe(|| work(job))).map_err(|panic| crashed(panic.as_ref()))
    };
    let workers = workers.min(jobs.len());
    if workers <= 1 {
        return jobs.iter().map(run).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<R, Crashed>)>> = Mutex::new(Vec::with_capacity(jobs.len()));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((k, job)) = take(jobs, &next) {
                    let result = run(job);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((k, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, J>(jobs: &'a [J], next: &AtomicUsize) -> Option<(usize, &'a J)> {
    let k = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(k).map(|job| (k, job))
}

fn crashed(panic: &(dyn Any + Send)) -> Crashed {
    let message = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    Crashed { message }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_jobs_and_a_crash_stays_alone() {
        let jobs: Vec<u64> = (0..20).collect();
        for workers in [1, 4, 100] {
            let results = side_by_side(&jobs, workers, |&k| {
                // The first jobs take longest.
                thread::sleep(Duration::from_millis((20 - k) / 4));
                assert!(k != 7, "job {k} is broken");
                k * k
            });
            assert_eq!(results.len(), 20);
            for (k, result) in results.iter().enumerate() {
                match result {
                    Ok(square) => assert_eq!(*square, (k * k) as u64),
                    Err(crash) => assert_eq!((k, crash.message.as_str()), (7, "job 7 is broken")),
                }
            }
        }
    }

    #[test]
    fn no_more_than_the_workers_run_at_once() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        side_by_side(&[(); 12], 3, |()| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(2));
            now.fetch_sub(1, Ordering::SeqCst);
        });
        let most = most.into_inner();
        assert!((1..=3).contains(&most), "{most} at once with 3 workers");
    }
}
