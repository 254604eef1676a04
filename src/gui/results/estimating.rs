//! The thread that estimates errors: the newest solution is held against coarser ones while nobody waits for the solver.
//!
//! ```text
//! want(Solved) --newest only--> thread, pool --flow::estimate_errors (r / 2, r / 4; the solver's table)--> Estimate --take()--> Results
//! forget() ----token---------------^
//! ```

use std::sync::{Arc, Weak};

use super::newest::{Newest, Wake};
use super::worker::SHARE_OF_FREE;
use super::{Results, Solved};
use crate::background;
use crate::words::capital;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_flow::session::{
    ErrorEstimate, Solution, SolveError, SolveSettings, estimate_errors, memory,
};

/// What is known of the errors of a solution.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Whose errors they are; that of an older chip may go.
    pub solution: Weak<Solution>,
    /// The errors, or a sentence that says why they aren't known.
    pub errors: Result<ErrorEstimate, String>,
}

impl Results {
    /// What is known by now of the errors of a solved chip.
    pub fn estimate_of(&self, solved: &Solved) -> Option<&Estimate> {
        let estimate = self.estimate.as_deref();
        estimate.filter(|e| is(&e.solution, &solved.solution))
    }

    /// The errors of a solved chip, where they are known.
    pub fn errors_of(&self, solved: &Solved) -> Option<&ErrorEstimate> {
        self.estimate_of(solved)?.errors.as_ref().ok()
    }
}

/// The thread, and what it was last asked.
#[derive(Debug)]
pub struct Estimator {
    thread: Newest<Order, Estimate>,
    /// Whose errors, and what stops it. It keeps no solution: a large one makes room for the next.
    asked: Option<(Weak<Solution>, CancelToken)>,
}

fn is(known: &Weak<Solution>, solution: &Arc<Solution>) -> bool {
    std::ptr::eq(known.as_ptr(), Arc::as_ptr(solution))
}

#[derive(Clone, Debug)]
struct Order {
    solved: Arc<Solved>,
    cancel: CancelToken,
}

impl Estimator {
    /// Starts the thread; `wake` is called when something is done. What copies of parts share is in `table`.
    pub fn new(table: Arc<Table>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let wake: Wake = Arc::new(wake);
        let pool = background::pool("errors");
        let thread = Newest::new("errors", wake, move |order: Order, _| {
            let estimate = || estimate(&order, &table);
            match &pool {
                Some(pool) => pool.install(estimate),
                None => estimate(),
            }
        });
        Self {
            thread,
            asked: None,
        }
    }

    /// Whether the errors of this solution were asked for last.
    pub fn has_asked(&self, solved: &Solved) -> bool {
        let asked = self.asked.as_ref();
        asked.is_some_and(|(known, _)| is(known, &solved.solution))
    }

    /// Asks for the errors of a solution; what is older stops.
    pub fn want(&mut self, solved: Arc<Solved>) {
        self.forget();
        let cancel = CancelToken::new();
        self.asked = Some((Arc::downgrade(&solved.solution), cancel.clone()));
        self.thread.ask(Order { solved, cancel });
    }

    /// What was asked means nothing any more.
    pub fn forget(&mut self) {
        if let Some((_, cancel)) = self.asked.take() {
            cancel.cancel();
        }
    }

    /// What was found, once.
    pub fn take(&self) -> Option<Estimate> {
        self.thread.take()
    }

    /// Whether it is at work.
    pub fn is_busy(&self) -> bool {
        self.thread.is_busy()
    }
}

impl Drop for Estimator {
    fn drop(&mut self) {
        self.forget();
    }
}

/// `None` where it was cancelled.
fn estimate(order: &Order, table: &Table) -> Option<Estimate> {
    let solved = &order.solved;
    let settings = SolveSettings {
        resolution: solved.resolution,
        memory_limit: Some((SHARE_OF_FREE * memory::free() as f64) as u64),
        ..SolveSettings::default()
    };
    let (chip, solution) = (&solved.chip, &solved.solution);
    let errors = match estimate_errors(chip, &settings, solution, table, &order.cancel) {
        Err(SolveError::Cancelled) => return None,
        errors => errors.map_err(|error| capital(&error.to_string())),
    };
    Some(Estimate {
        solution: Arc::downgrade(solution),
        errors,
    })
}

#[cfg(test)]
mod tests {
    use web_time::{Duration, Instant};

    use super::*;
    use crate::results::tests::{example, solved};
    use stokeslet_flow::session::{silent, solve_with_errors};

    fn taken(estimator: &Estimator) -> Option<Estimate> {
        let start = Instant::now();
        while estimator.is_busy() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        estimator.take()
    }

    #[test]
    fn errors_are_those_of_the_command_line_and_belong_to_one_solution() {
        let chip = example("tee");
        let solved = solved(&chip, 8);
        let mut estimator = Estimator::new(Arc::default(), || ());
        estimator.want(solved.clone());
        let found = taken(&estimator).expect("an estimate");
        let settings = SolveSettings {
            resolution: 8,
            ..SolveSettings::default()
        };
        let (table, cancel) = (Table::default(), CancelToken::new());
        let (_, mut wanted) =
            solve_with_errors(&chip, &settings, &table, &silent, &cancel).expect("a tee is solved");
        let results = Results {
            estimate: Some(Arc::new(found)),
            ..Results::default()
        };
        let errors = results.errors_of(&solved).expect("its errors");
        wanted.seconds = errors.seconds;
        assert_eq!(*errors, wanted);
        let other = super::super::tests::solved(&chip, 8);
        assert!(results.estimate_of(&other).is_none(), "solved again");
    }

    #[test]
    fn what_is_forgotten_is_not_told_and_what_has_no_estimate_says_why() {
        let mut estimator = Estimator::new(Arc::default(), || ());
        let tee = example("tee");
        estimator.want(solved(&tee, 8));
        estimator.forget();
        estimator.want(solved(&tee, 3));
        let found = taken(&estimator).expect("an answer");
        let why = found.errors.expect_err("3 has no half");
        assert!(why.contains('4'), "{why}");
    }
}
