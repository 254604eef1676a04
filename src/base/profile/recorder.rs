//! Spans, as they end on many threads, and what they add up to: a [`Profile`].

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use web_time::Instant;

use super::Work;

/// Threads are spread over this many locks, so that two seldom meet at one.
const N_SHARDS: usize = 16;

/// Hears of work from any thread; see the [module](super).
///
/// # Accuracy and cost
/// Off: a branch. On: two readings of the clock, an uncontended lock (a quarter of a microsecond in all) and 88 bytes per span. So a
/// span is for a task of ten microseconds or more; put small ones together.
#[derive(Default)]
pub struct Recorder {
    active: Option<Box<Active>>,
}

struct Active {
    begin: Instant,
    peak_memory: Option<fn() -> u64>,
    shards: [Mutex<BTreeMap<u32, Lane>>; N_SHARDS],
    asked: Mutex<BTreeMap<&'static str, u64>>,
}

/// What one thread did.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// Number in its pool, for a worker of one.
    pub worker: Option<usize>,
    /// For people.
    pub name: String,
    /// By their beginning, a span before those inside it.
    pub events: Vec<Event>,
}

/// A span that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub stage: &'static str,
    /// None for the stage itself.
    pub kind: Option<&'static str>,
    pub work: Work,
    /// Nanoseconds since the recorder was made.
    pub start: u64,
    /// Nanoseconds.
    pub duration: u64,
    /// Greatest memory of the process up to its end, bytes.
    pub peak_memory: Option<u64>,
}

/// Everything a recorder heard, in order: threads by their number in their pool, spans by their beginning.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub(super) lanes: Vec<Lane>,
    pub(super) asked: BTreeMap<&'static str, u64>,
}

/// Work under way; recorded when dropped. Stays on its thread.
#[must_use = "a span lasts until it is dropped: bind it to a name"]
pub struct Span<'a> {
    open: Option<Open<'a>>,
    stays_on_its_thread: PhantomData<*const ()>,
}

struct Open<'a> {
    recorder: &'a Active,
    stage: &'static str,
    kind: Option<&'static str>,
    work: Work,
    start: Instant,
}

impl Recorder {
    /// One that hears nothing.
    pub const fn off() -> Self {
        Self { active: None }
    }

    /// One that knows no memory.
    pub fn on() -> Self {
        Self::new(None)
    }

    /// One that also asks for the greatest memory of the process so far (bytes) at the end of every stage.
    pub fn with_memory(peak_memory: fn() -> u64) -> Self {
        Self::new(Some(peak_memory))
    }

    fn new(peak_memory: Option<fn() -> u64>) -> Self {
        Self {
            active: Some(Box::new(Active {
                begin: Instant::now(),
                peak_memory,
                shards: Default::default(),
                asked: Mutex::default(),
            })),
        }
    }

    /// Whether it hears anything: to skip what is only worked out for it.
    pub fn is_on(&self) -> bool {
        self.active.is_some()
    }

    /// A task of a kind, within a stage, from now until the guard is dropped. Kinds have the same name in every stage.
    pub fn span(&self, stage: &'static str, kind: &'static str, work: Work) -> Span<'_> {
        self.open(stage, Some(kind), work)
    }

    /// A whole stage, from now until the guard is dropped.
    pub fn stage(&self, stage: &'static str) -> Span<'_> {
        self.open(stage, None, Work::default())
    }

    /// Results of this kind were asked for `n` times more, whether they were computed, known or equal to others. Where a kind
    /// is never counted, what was computed was asked for.
    pub fn count(&self, kind: &'static str, n: u64) {
        if let Some(active) = &self.active {
            *lock(&active.asked).entry(kind).or_default() += n;
        }
    }

    /// Everything that has ended by now.
    pub fn profile(&self) -> Profile {
        let Some(active) = &self.active else {
            return Profile::default();
        };
        let mut lanes: Vec<(u32, Lane)> = active
            .shards
            .iter()
            .flat_map(|shard| lock(shard).clone())
            .collect();
        // Threads of no pool come first, in the order in which they were first heard of in this process.
        lanes.sort_by_key(|(thread, lane)| (lane.worker, *thread));
        let mut lanes: Vec<Lane> = lanes.into_iter().map(|(_, lane)| lane).collect();
        for lane in &mut lanes {
            // Spans were recorded as they ended; of equals, the one that ended last is outside.
            lane.events.reverse();
            lane.events
                .sort_by_key(|e| (e.start, std::cmp::Reverse(e.duration)));
        }
        Profile {
            lanes,
            asked: lock(&active.asked).clone(),
        }
    }

    fn open(&self, stage: &'static str, kind: Option<&'static str>, work: Work) -> Span<'_> {
        Span {
            open: self.active.as_deref().map(|recorder| Open {
                recorder,
                stage,
                kind,
                work,
                start: Instant::now(),
            }),
            stays_on_its_thread: PhantomData,
        }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() {
            "Recorder(on)"
        } else {
            "Recorder(off)"
        })
    }
}

impl Span<'_> {
    /// States the work where it is known only at the end (a rank that was found).
    pub fn set_work(&mut self, work: Work) {
        if let Some(open) = &mut self.open {
            open.work = work;
        }
    }
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        if let Some(open) = &self.open {
            open.recorder.record(open, Instant::now());
        }
    }
}

impl Active {
    fn record(&self, open: &Open<'_>, end: Instant) {
        let nanoseconds =
            |from: Instant, to: Instant| to.saturating_duration_since(from).as_nanos() as u64;
        let event = Event {
            stage: open.stage,
            kind: open.kind,
            work: open.work,
            start: nanoseconds(self.begin, open.start),
            duration: nanoseconds(open.start, end),
            peak_memory: match open.kind {
                None => self.peak_memory.map(|ask| ask()),
                Some(_) => None,
            },
        };
        let thread = thread_number();
        lock(&self.shards[thread as usize % N_SHARDS])
            .entry(thread)
            .or_insert_with(Lane::of_this_thread)
            .events
            .push(event);
    }
}

impl Lane {
    fn of_this_thread() -> Self {
        let worker = rayon::current_thread_index();
        let name = match worker {
            Some(k) => format!("worker {k}"),
            None => std::thread::current().name().unwrap_or("thread").into(),
        };
        Self {
            worker,
            name,
            events: Vec::new(),
        }
    }
}

/// A number of this thread in the process, which no other thread has.
fn thread_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: Cell<Option<u32>> = const { Cell::new(None) };
    }
    NUMBER.with(|number| {
        number.get().unwrap_or_else(|| {
            let new = NEXT.fetch_add(1, Ordering::Relaxed);
            number.set(Some(new));
            new
        })
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whatever was pushed is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_recorder_that_is_off_hears_nothing() {
        let recorder = Recorder::off();
        {
            let _stage = recorder.stage("mesh");
            let _span = recorder.span("mesh", "grid", Work::default());
        }
        recorder.count("grid", 1);
        let profile = recorder.profile();
        assert!(profile.lanes.is_empty() && profile.asked.is_empty());
    }

    #[test]
    fn spans_of_all_threads_are_kept_in_the_order_of_their_beginnings() {
        let recorder = Recorder::with_memory(|| 77);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        {
            let _stage = recorder.stage("eliminate");
            pool.install(|| {
                pool.broadcast(|_| {
                    let _outer = recorder.span("eliminate", "outer", Work::default());
                    for _ in 0..2 {
                        let mut inner = recorder.span("eliminate", "inner", Work::default());
                        thread::sleep(Duration::from_millis(1));
                        inner.set_work(Work {
                            flops: 5,
                            ..Work::default()
                        });
                    }
                });
            });
        }
        let profile = recorder.profile();
        let names: Vec<&str> = profile.lanes.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names.len(), 4, "this thread and three workers: {names:?}");
        assert_eq!(
            names[1..],
            ["worker 0", "worker 1", "worker 2"],
            "in their order"
        );
        let stage = profile.lanes[0].events[0];
        assert_eq!((stage.kind, stage.peak_memory), (None, Some(77)));
        for lane in &profile.lanes[1..] {
            let kinds: Vec<_> = lane.events.iter().filter_map(|e| e.kind).collect();
            assert_eq!(
                kinds,
                ["outer", "inner", "inner"],
                "the outer one began first"
            );
            let [outer, first, second] = lane.events[..] else {
                panic!("three spans")
            };
            assert!(
                first.start + first.duration <= second.start,
                "one after the other"
            );
            assert!(
                first.duration >= 1_000_000 && outer.duration >= first.duration + second.duration,
                "a span takes as long as what it holds"
            );
            assert!(
                stage.start <= outer.start
                    && outer.start + outer.duration <= stage.start + stage.duration
            );
            assert_eq!((first.work.flops, outer.work.flops), (5, 0));
            assert_eq!(
                first.peak_memory, None,
                "memory is asked for at the end of stages"
            );
        }
    }

    #[test]
    fn every_span_of_many_tasks_is_kept_once() {
        let recorder = Recorder::on();
        rayon::scope(|scope| {
            for _ in 0..500 {
                scope.spawn(|_| {
                    let _span = recorder.span("substitute", "product", Work::default());
                    recorder.count("product", 2);
                });
            }
        });
        let profile = recorder.profile();
        let n: usize = profile.lanes.iter().map(|l| l.events.len()).sum();
        assert_eq!((n, profile.asked["product"]), (500, 1000));
    }
}
