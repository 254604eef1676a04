//! Work on a thread of its own with one answer, asked for every frame.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use crate::background;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// Our bug: the work panicked.
    #[error("the work ended without an answer, which is a mistake of this program")]
    Crashed,
    /// The system gave no thread.
    #[error("the system has no thread to spare")]
    NoThread,
}

/// Work under way.
#[derive(Debug)]
pub struct Task<T> {
    answer: Receiver<Result<T, NoAnswer>>,
}

impl<T: Send + 'static> Task<T> {
    /// Starts the work; `wake` is called when it is done, such as to draw a frame.
    pub fn start(
        name: &str,
        wake: impl FnOnce() + Send + 'static,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Self {
        let (tell, answer) = channel();
        let failed = tell.clone();
        let started = background::spawn(name, move || {
            // Nothing that the work leaves half done is seen by others: it owns what it works on.
            let done = catch_unwind(AssertUnwindSafe(work)).map_err(|_| NoAnswer::Crashed);
            // Nobody waits any more once the window is closed.
            let _ = tell.send(done);
            wake();
        });
        if started.is_err() {
            let _ = failed.send(Err(NoAnswer::NoThread));
        }
        Self { answer }
    }

    /// An answer that the page will have.
    #[cfg(target_arch = "wasm32")]
    pub fn later(wake: impl FnOnce() + 'static, work: impl Future<Output = T> + 'static) -> Self {
        let (tell, answer) = channel();
        wasm_bindgen_futures::spawn_local(async move {
            // Nobody waits any more once the page is left.
            let _ = tell.send(Ok(work.await));
            wake();
        });
        Self { answer }
    }

    /// The answer, once.
    pub fn poll(&self) -> Option<Result<T, NoAnswer>> {
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(NoAnswer::Crashed)),
        }
    }

    /// Waits for the answer: for tests and for leaving.
    pub fn wait(&self) -> Result<T, NoAnswer> {
        self.answer.recv().unwrap_or(Err(NoAnswer::Crashed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_and_a_panic_is_one_too() {
        let (woken, wait) = channel();
        let task = Task::start("sum", move || woken.send(()).unwrap(), || 1 + 1);
        assert_eq!(task.wait(), Ok(2));
        wait.recv().expect("woken");
        let task: Task<i32> = Task::start("crash", || (), || panic!("on purpose"));
        assert_eq!(task.wait(), Err(NoAnswer::Crashed));
    }
}
