//! The solver's own thread: the newest chip asked for becomes a [`Solved`], and the table of operations outlives every solve.
//!
//! ```text
//! request(Job) --newest only--> thread, pool --eliminate (or kept: only values at ports changed)--> substitute --> Event
//! cancel() ----token----------------^
//! ```
//! The window never waits for it. A panic of the solver is an [`Event::Failed`] like any other.

mod check;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use web_time::{Duration, Instant};

use rayon::ThreadPool;

use super::newest::Wake;
use super::{Reuse, Solved, WorkerStatus};
use crate::background::{self, Found, Next};
use crate::words::capital;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::profile::{ProfileTable, Recorder};
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_flow::session::{
    Eliminated, SolveError, SolveSettings, Stage, eliminate, memory, side_by_side,
};

/// A solve that something newer waits for may go on for so long: while a component is dragged, the field follows it in steps
/// rather than not at all.
const PATIENCE: Duration = Duration::from_millis(150);
/// Part of the free memory that a solve may use: the rest is for the window and for others.
pub(super) const SHARE_OF_FREE: f64 = 0.8;

/// A chip to solve.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to solve.
    pub chip: Arc<Chip>,
    /// Revision of the document.
    pub revision: u64,
    /// Cell edges across a channel.
    pub resolution: u32,
}

/// What became of a job.
#[derive(Clone, Debug)]
pub enum Event {
    /// It was solved.
    Solved(Arc<Solved>),
    /// It can't be solved.
    Failed {
        /// Revision of the document.
        revision: u64,
        /// A sentence for people.
        message: String,
    },
    /// [`Worker::cancel`] stopped it.
    Cancelled,
}

/// The solver's own thread. Ends when dropped; a solve under way is cancelled.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<Inbox>,
    changed: Condvar,
    wake: Wake,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Inbox {
    next: Option<(Job, Instant)>,
    running: Option<Running>,
    events: Vec<Event>,
    is_over: bool,
}

#[derive(Clone, Debug)]
struct Running {
    token: CancelToken,
    started: Instant,
    resolution: u32,
    stage: Stage,
    fraction: f64,
}

/// A chip's elimination, kept for other values at its ports.
struct Kept {
    chip: Arc<Chip>,
    resolution: u32,
    eliminated: Box<dyn Eliminated>,
    profile: Arc<ProfileTable>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inbox> {
        // Solves run outside the lock; nothing inside panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    /// Starts the thread; `wake` is called whenever there is something to drain. What solves have in common is in `table`.
    pub fn new(table: Arc<Table>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            wake: Arc::new(wake),
        });
        let own = shared.clone();
        let started = background::serve("solver", move || {
            let (pool, kept) = (background::pool("solver"), Mutex::default());
            move || run(&own, &table, (&pool, &kept))
        });
        if let Err(error) = started {
            shared.lock().events.push(Event::Failed {
                revision: 0,
                message: format!("nothing can be solved: the system starts no thread ({error})"),
            });
        }
        Self { shared }
    }

    /// Asks for a chip. A job that waits is forgotten; one under way is cancelled unless it is done very soon.
    pub fn request(&self, job: Job) {
        let mut state = self.shared.lock();
        state.next = Some((job, Instant::now()));
        if let Some(running) = &state.running
            && running.started.elapsed() >= PATIENCE
        {
            running.token.cancel();
        }
        self.shared.changed.notify_one();
    }

    /// Stops the solve under way and forgets the one that waits. The window hears of it at once, the cores some time later.
    pub fn cancel(&self) {
        let mut state = self.shared.lock();
        let waited = state.next.take().is_some();
        let ran = state
            .running
            .as_ref()
            .is_some_and(|r| !r.token.is_cancelled());
        if let Some(running) = &state.running {
            running.token.cancel();
        }
        if waited || ran {
            state.events.push(Event::Cancelled);
        }
    }

    /// What happened since the last call. Never waits.
    pub fn drain(&self) -> Vec<Event> {
        std::mem::take(&mut self.shared.lock().events)
    }

    /// What it is doing.
    pub fn status(&self) -> WorkerStatus {
        let state = self.shared.lock();
        let running = state
            .running
            .as_ref()
            .filter(|r| !r.token.is_cancelled())
            .map(|r| {
                let part = r.stage.overall(r.fraction);
                (r.stage, part, r.started.elapsed(), r.resolution)
            });
        // Something waits for a thread that will have it at once: the same to people.
        let waiting = state
            .next
            .as_ref()
            .map(|(job, asked)| (Stage::Read, 0.0, asked.elapsed(), job.resolution));
        WorkerStatus {
            running: running.or(waiting),
            exporting: None,
        }
    }

    /// Whether the cores are free: nothing runs, not even what was cancelled, and nothing waits.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.lock();
        state.running.is_none() && state.next.is_none()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        if let Some(running) = &state.running {
            running.token.cancel();
        }
        self.shared.changed.notify_one();
    }
}

/// Does the job that waits; `kept` is what the one before left.
fn run(
    shared: &Shared,
    table: &Table,
    (pool, kept): (&Option<ThreadPool>, &Mutex<Option<Kept>>),
) -> Next {
    let (job, asked, token) = match wait(shared) {
        Found::Job(job) => job,
        Found::Nothing => return Next::GoOn,
        Found::Over => return Next::End,
    };
    let work = |(job, token): &(Job, CancelToken)| {
        let solve = || {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            solve_one(job, table, shared, token, &mut kept)
        };
        match pool {
            Some(pool) => pool.install(solve),
            None => solve(),
        }
    };
    let outcome = side_by_side(&[(job.clone(), token.clone())], 1, work).pop();
    let event = match outcome {
        Some(Ok(Ok(mut solved))) => {
            solved.seconds = asked.elapsed().as_secs_f64();
            Some(Event::Solved(Arc::new(solved)))
        }
        Some(Ok(Err(Refusal::Cancelled))) | None => None,
        Some(Ok(Err(Refusal::Because(message)))) => Some(failed((job.revision, message))),
        Some(Err(crash)) => {
            // What a crash left behind is not trusted.
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Some(failed((job.revision, crash.to_string())))
        }
    };
    let mut state = shared.lock();
    state.running = None;
    // What was cancelled is stale, however it ended.
    if !token.is_cancelled() {
        state.events.extend(event);
    }
    drop(state);
    (shared.wake)();
    Next::GoOn
}

fn failed((revision, message): (u64, String)) -> Event {
    Event::Failed { revision, message }
}

fn wait(shared: &Shared) -> Found<(Job, Instant, CancelToken)> {
    let mut state = shared.lock();
    loop {
        if state.is_over {
            return Found::Over;
        }
        if let Some((job, asked)) = state.next.take() {
            let token = CancelToken::new();
            state.running = Some(Running {
                token: token.clone(),
                started: Instant::now(),
                resolution: job.resolution,
                stage: Stage::Mesh,
                fraction: 0.0,
            });
            return Found::Job((job, asked, token));
        }
        match background::park(&shared.changed, state) {
            Some(parked) => state = parked,
            None => return Found::Nothing,
        }
    }
}

/// Why a job has no result.
enum Refusal {
    Cancelled,
    Because(String),
}

impl From<SolveError> for Refusal {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Cancelled => Refusal::Cancelled,
            SolveError::OutOfMemory { needed, allowed } => {
                Refusal::Because(check::too_large(needed, allowed))
            }
            other => Refusal::Because(capital(&other.to_string())),
        }
    }
}

fn solve_one(
    job: &Job,
    table: &Table,
    shared: &Shared,
    token: &CancelToken,
    kept: &mut Option<Kept>,
) -> Result<Solved, Refusal> {
    let progress = |stage: Stage, fraction: f64| {
        let mut state = shared.lock();
        let is_awaited = state.next.is_some();
        if let Some(running) = &mut state.running {
            (running.stage, running.fraction) = (stage, fraction);
            if is_awaited && running.started.elapsed() >= PATIENCE {
                running.token.cancel();
            }
        }
    };
    let conditions: Vec<Condition> = job.chip.ports.iter().map(|p| p.condition).collect();
    let is_kept = kept.as_ref().is_some_and(|k| {
        k.resolution == job.resolution && differs_in_values_only(&k.chip, &job.chip)
    });
    let mut reuse = Reuse::Factors;
    if !is_kept {
        // Its factors are in the table; what else it holds makes room.
        *kept = None;
        let allowed = (SHARE_OF_FREE * memory::free() as f64) as u64;
        check::fits(&job.chip, job.resolution, allowed).map_err(Refusal::Because)?;
        let recorder = Arc::new(Recorder::on());
        let settings = SolveSettings {
            resolution: job.resolution,
            memory_limit: Some(allowed),
            recorder: Some(recorder.clone()),
            ..SolveSettings::default()
        };
        let eliminated = eliminate(&job.chip, &settings, table, &progress, token)?;
        let profile = recorder.profile().table();
        let fronts = profile.tasks.iter().filter(|t| t.kind.ends_with("front"));
        reuse = Reuse::Fronts {
            all: eliminated.report().tasks as u64,
            computed: fronts.map(|t| t.computed).sum(),
        };
        *kept = Some(Kept {
            chip: job.chip.clone(),
            resolution: job.resolution,
            eliminated,
            profile: Arc::new(profile),
        });
    }
    let Some(kept) = kept else {
        return Err(Refusal::Cancelled);
    };
    let mut solution = kept.eliminated.solve(&conditions, &progress, token)?;
    if reuse != Reuse::Factors {
        let (first, then) = (kept.eliminated.report().timings, solution.report.timings);
        solution.report.timings = stokeslet_flow::session::Timings {
            back_substitute: first.back_substitute + then.back_substitute,
            results: first.results + then.results,
            total: first.total + then.total,
            ..first
        };
    }
    let is_cancelled = || token.is_cancelled();
    let (revision, chip) = (job.revision, job.chip.clone());
    let solved = Solved::unless(revision, chip, solution, job.resolution, &is_cancelled);
    let mut solved = solved.ok_or(Refusal::Cancelled)?;
    solved.reuse = reuse;
    solved.profile = Some(kept.profile.clone());
    Ok(solved)
}

/// Whether two chips have the same solution.
pub(crate) fn is_same(a: &Chip, b: &Chip) -> bool {
    let ports = a.ports.iter().zip(&b.ports);
    differs_in_values_only(a, b) && ports.into_iter().all(|(p, q)| p.condition == q.condition)
}

/// Whether two chips are the same but for the values at their ports.
fn differs_in_values_only(a: &Chip, b: &Chip) -> bool {
    let same_kind =
        |a: Condition, b: Condition| std::mem::discriminant(&a) == std::mem::discriminant(&b);
    a.viscosity == b.viscosity
        && a.model == b.model
        && a.depth == b.depth
        && a.ports.len() == b.ports.len()
        && a.ports.iter().zip(&b.ports).all(|(p, q)| {
            p.name == q.name && p.socket == q.socket && same_kind(p.condition, q.condition)
        })
        && a.connections == b.connections
        && a.parts == b.parts
}

#[cfg(test)]
mod tests;
