//! The simulations' own thread: frames of one view or two in step, told to the window as they are done.
//!
//! ```text
//! start(Setup, choices), choose(choices), go(Goal) --newest only--> thread, pool --frames, whole or not at all--> News
//! rest(), choose(), start() ---token: between a solver's iterations, between substeps---^
//! ```
//! The window never waits for it. A frame under way when something else is chosen is given up and done again by the new choice;
//! nothing is shown that only a part of the views has reached. Views take turns rather than cores, so that their seconds compare.

mod stage;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use web_time::{Duration, Instant};

use rayon::ThreadPool;

use self::stage::{Stage, failed, views};
use super::means::Means;
use super::shot::{Apart, Shot};
use super::systems::OwnScene;
use super::told::{Failure, Told};
use super::track::NotDone;
use crate::background::{self, Found, Next};
use crate::results::newest::Wake;
use stokeslet_base::cancel::CancelToken;
use stokeslet_dynamics::stepped::Hand;

/// Frames follow each other no faster than this: eyes see no more, and the processor has other things to do.
const LEAST: Duration = Duration::from_micros(16_600);
/// The rate is that of so many frames.
const RATED: usize = 20;

/// What to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// A name of the list of subjects.
    pub scene: String,
    /// Cells a side.
    pub size: usize,
    /// Whether volume that is lost or gained is made up for; tanks go without.
    pub keep_volume: bool,
    /// Which of its sizes another system's scene has; empty for its usual one.
    pub scale: String,
    /// The scene, if it is one of one's own.
    pub own: Option<Arc<OwnScene>>,
}

/// How far to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Not at all.
    #[default]
    Rest,
    /// So many frames.
    Frames(usize),
    /// On and on.
    Endless,
}

/// Where a view is now.
#[derive(Clone, Debug)]
pub struct View {
    /// The end of its last frame.
    pub shot: Arc<Shot>,
    /// What was chosen for it.
    pub choice: Means,
}

/// What happened, in its order.
#[derive(Clone, Debug)]
pub enum News {
    /// Another scene, size or a new start: what was known of the run before is void.
    Started(Vec<View>),
    /// Other solvers, walls or methods, another number of views.
    Chosen(Vec<View>),
    /// A frame of every view.
    Frame(Vec<View>, Vec<Told>, Option<Apart>),
    /// A view has no next frame; all rest.
    Failed(Failure),
}

/// What it is doing.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunnerStatus {
    /// How far it is asked to go.
    pub goal: Goal,
    /// The frame under way, if it takes its time: which view, solves done, time since its start.
    pub busy: Option<(usize, usize, Duration)>,
    /// Frames a second, while it plays.
    pub rate: Option<f64>,
}

/// The thread. Ends when dropped; a frame under way is given up.
#[derive(Debug)]
pub struct Runner {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<Exchange>,
    changed: Condvar,
    wake: Wake,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Exchange {
    wanted: Option<Wanted>,
    at: At,
    goal: Goal,
    token: CancelToken,
    working: bool,
    busy: Option<(usize, usize, Instant)>,
    done_at: VecDeque<Instant>,
    news: Vec<News>,
    /// What the pointer holds in which view.
    hold: Option<(usize, Hand)>,
    is_over: bool,
}

/// Which run the views are of, and what was chosen for them; none before the first.
type At = Option<(u64, Vec<Means>)>;

#[derive(Clone)]
struct Wanted {
    serial: u64,
    setup: Setup,
    choices: Vec<Means>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Exchange> {
        // Frames are made outside the lock; nothing inside panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchange {
    /// What is under way is void.
    fn stop(&mut self) {
        self.token.cancel();
        self.token = CancelToken::new();
    }
}

impl Runner {
    /// Starts the thread; `wake` is called whenever there is something to drain.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            wake: Arc::new(wake),
        });
        let own = shared.clone();
        let started = background::serve("liquids", move || {
            let mut running = Running::default();
            move || run(&own, &mut running)
        });
        if let Err(error) = started {
            shared.lock().news.push(News::Failed(Failure {
                view: 0,
                message: format!("Nothing can be simulated: the system starts no thread ({error})"),
                solved: None,
            }));
        }
        Self { shared }
    }

    /// Another scene or size, or the same from its start. At rest.
    pub fn start(&self, setup: Setup, choices: Vec<Means>) {
        let mut state = self.shared.lock();
        let serial = state.wanted.as_ref().map_or(1, |wanted| wanted.serial + 1);
        state.wanted = Some(Wanted {
            serial,
            setup,
            choices,
        });
        state.goal = Goal::Rest;
        state.hold = None;
        // What was told of the run before is void, read or not.
        state.news.clear();
        state.stop();
        self.shared.changed.notify_one();
    }

    /// Other solvers, walls or methods, another number of views; goes on if it went.
    pub fn choose(&self, choices: Vec<Means>) {
        let mut state = self.shared.lock();
        if let Some(wanted) = &mut state.wanted
            && wanted.choices != choices
        {
            wanted.choices = choices;
            state.stop();
            self.shared.changed.notify_one();
        }
    }

    /// Goes so far.
    pub fn go(&self, goal: Goal) {
        let mut state = self.shared.lock();
        if state.goal != Goal::Endless || goal != Goal::Endless {
            state.done_at.clear();
        }
        state.goal = match (state.goal, goal) {
            // Steps asked for while others are made add up.
            (Goal::Frames(left), Goal::Frames(more)) => Goal::Frames(left + more),
            (_, goal) => goal,
        };
        if goal == Goal::Rest {
            state.stop();
        }
        self.shared.changed.notify_one();
    }

    /// Holds what a hand has taken in a view, or lets go; from the next frame on.
    pub fn hold(&self, hold: Option<(usize, Hand)>) {
        self.shared.lock().hold = hold;
    }

    /// What happened since the last call. Never waits.
    pub fn drain(&self) -> Vec<News> {
        std::mem::take(&mut self.shared.lock().news)
    }

    /// What it is doing.
    pub fn status(&self) -> RunnerStatus {
        let state = self.shared.lock();
        let rate = match (state.done_at.front(), state.done_at.back()) {
            (Some(first), Some(last)) if state.goal == Goal::Endless && last > first => {
                Some((state.done_at.len() - 1) as f64 / (*last - *first).as_secs_f64())
            }
            _ => None,
        };
        RunnerStatus {
            goal: state.goal,
            busy: state
                .busy
                .map(|(view, solves, since)| (view, solves, since.elapsed())),
            rate,
        }
    }

    /// Whether nothing is under way and nothing waits.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.lock();
        let is_there = match (&state.wanted, &state.at) {
            (Some(wanted), Some((serial, choices))) => {
                wanted.serial == *serial && wanted.choices == *choices
            }
            (wanted, _) => wanted.is_none(),
        };
        is_there && !state.working && state.goal == Goal::Rest && state.news.is_empty()
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        state.stop();
        self.shared.changed.notify_one();
    }
}

/// What to do next.
enum Work {
    Start(Wanted),
    Choose(Vec<Means>),
    Frame,
}

/// What goes from one piece of work to the next.
struct Running {
    pool: Option<ThreadPool>,
    stage: Option<Stage>,
    at: At,
}

impl Default for Running {
    fn default() -> Self {
        Self {
            pool: background::pool("liquids"),
            stage: None,
            at: None,
        }
    }
}

/// Does the work that waits.
fn run(shared: &Shared, Running { pool, stage, at }: &mut Running) -> Next {
    let (work, token) = match wait(shared, at) {
        Found::Job(job) => job,
        Found::Nothing => return Next::GoOn,
        Found::Over => return Next::End,
    };
    let begin = Instant::now();
    let mut make = || -> Result<News, NotDone> {
        match &work {
            Work::Start(wanted) => {
                // The run before makes room.
                *stage = None;
                *stage = Some(Stage::new(&wanted.setup, &wanted.choices)?);
                Ok(News::Started(views(stage)))
            }
            Work::Choose(choices) => {
                if let Some(stage) = stage {
                    stage.choose(choices)?;
                }
                Ok(News::Chosen(views(stage)))
            }
            Work::Frame => match stage {
                Some(stage) => stage.frame(shared, &token),
                None => Err(NotDone::Cancelled),
            },
        }
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| match pool {
        Some(pool) => pool.install(&mut make),
        None => make(),
    }));
    let outcome = outcome.unwrap_or_else(|_| {
        Err(failed(
            "The simulation ended without an answer, which is a mistake of this program".into(),
        ))
    });
    if let (Err(NotDone::Failed(_)), Some(stage)) = (&outcome, &mut *stage) {
        // What a crash or a failure left in solvers is not trusted.
        stage.renew();
    }
    match &work {
        Work::Start(wanted) => *at = Some((wanted.serial, wanted.choices.clone())),
        Work::Choose(choices) => {
            if let Some(at) = at {
                at.1.clone_from(choices);
            }
        }
        Work::Frame => {}
    }
    tell(shared, at, outcome, &token, begin);
    Next::GoOn
}

/// Takes what became of work into the state, unless it is of a run that was left.
fn tell(
    shared: &Shared,
    at: &At,
    outcome: Result<News, NotDone>,
    token: &CancelToken,
    begin: Instant,
) {
    let mut state = shared.lock();
    state.working = false;
    state.busy = None;
    state.at.clone_from(at);
    let serial = at.as_ref().map(|at| at.0);
    let is_void = state.wanted.as_ref().map(|w| w.serial) != serial;
    match outcome {
        _ if is_void => {}
        // Whatever was asked for meanwhile, it is done and the views are there.
        Ok(news) => {
            if matches!(news, News::Frame(..)) {
                state.goal = match state.goal {
                    Goal::Frames(n) if n > 1 => Goal::Frames(n - 1),
                    Goal::Endless => Goal::Endless,
                    _ => Goal::Rest,
                };
                state.done_at.push_back(Instant::now());
                while state.done_at.len() > RATED {
                    state.done_at.pop_front();
                }
            }
            state.news.push(news);
        }
        Err(_) if token.is_cancelled() => {}
        Err(NotDone::Failed(failure)) => {
            state.goal = Goal::Rest;
            state.news.push(News::Failed(*failure));
        }
        Err(NotDone::Cancelled) => state.goal = Goal::Rest,
    }
    let is_endless = state.goal == Goal::Endless;
    drop(state);
    (shared.wake)();
    if is_endless {
        pace(shared, begin);
    }
}

/// Waits until the next frame is due, or something else is asked for.
fn pace(shared: &Shared, begin: Instant) {
    let rest = LEAST.saturating_sub(begin.elapsed());
    let state = shared.lock();
    let goes_on = |state: &mut Exchange| state.goal == Goal::Endless && !state.is_over;
    background::pause(&shared.changed, state, rest, goes_on);
}

fn wait(shared: &Shared, at: &At) -> Found<(Work, CancelToken)> {
    let mut state = shared.lock();
    loop {
        if state.is_over {
            return Found::Over;
        }
        let work = match (&state.wanted, at) {
            (Some(wanted), None) => Some(Work::Start(wanted.clone())),
            (Some(wanted), Some((serial, _))) if wanted.serial != *serial => {
                Some(Work::Start(wanted.clone()))
            }
            (Some(wanted), Some((_, choices))) if wanted.choices != *choices => {
                Some(Work::Choose(wanted.choices.clone()))
            }
            (Some(_), Some(_)) if state.goal != Goal::Rest => Some(Work::Frame),
            _ => None,
        };
        if let Some(work) = work {
            state.working = true;
            return Found::Job((work, state.token.clone()));
        }
        match background::park(&shared.changed, state) {
            Some(parked) => state = parked,
            None => return Found::Nothing,
        }
    }
}

#[cfg(test)]
mod tests;
