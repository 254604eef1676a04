//! A thread a question: the design's text and what is asked become a stream of [`Heard`]. In a browser, which gives a page no
//! threads, a sweep solves a point a frame, and other questions are answered in one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use rayon::ThreadPoolBuildError;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::table::Table;
use stokeslet_cad::library::Library;
use stokeslet_flow::session::{SolveError, SolveSettings, WantedResults, memory};
use stokeslet_study::fit::{Fit, FitError, Goal, Varied};
use stokeslet_study::output::{Catalogue, Output, mentions_fields};
use stokeslet_study::prepared::{nominal, prepare};
use stokeslet_study::run::{Record, Run};
use stokeslet_study::sample::{Eliminations, SampleError, Sampler};
use stokeslet_study::sensitivity::{Context, sensitivities};
use stokeslet_study::study::Sample;

use super::{Column, Found, Question, Sweep, Tolerances};
use crate::background::{self, Next};
use crate::words::sentence;

/// Part of the free memory that a study may use: the rest is for the window, the live solve and others.
const SHARE_OF_FREE: f64 = 0.5;

/// A question about a design.
#[derive(Clone, Debug)]
pub struct Job {
    /// The design's text.
    pub text: Arc<str>,
    /// What messages call it.
    pub name: String,
    /// Components.
    pub library: Library,
    /// What is asked.
    pub question: Question,
}

/// What comes back.
#[derive(Clone, Debug)]
pub enum Heard {
    /// A sweep begins; it has no points yet.
    Began(Sweep),
    /// A point of it ended.
    Point(Record),
    /// A step of a fit: its number, and how much is missed.
    Step(usize, f64),
    /// Values for goals.
    Found(Found),
    /// What each 1 % does.
    Tolerances(Tolerances),
    /// There is no answer: a sentence for people.
    Failed(String),
    /// Nothing more comes.
    Done,
}

/// Asks one question at a time. What is under way is given up when something else is asked, or when dropped.
#[derive(Debug, Default)]
pub struct Asker {
    /// Eliminations outlive the questions: a second sweep over the same values is told at once.
    table: Arc<Table>,
    under_way: Option<(CancelToken, Receiver<Heard>)>,
}

impl Asker {
    /// Asks; `wake` is called whenever there is something to drain.
    pub fn ask(&mut self, job: Job, wake: impl Fn() + Send + 'static) {
        self.stop();
        let cancel = CancelToken::new();
        let (sender, receiver) = channel();
        self.under_way = Some((cancel.clone(), receiver));
        let (table, told) = (self.table.clone(), sender.clone());
        let started = background::serve("study", move || {
            let telling = Telling { sender, wake };
            let (mut turn, kept) = (Turn::here(), Arc::default());
            move || {
                let answered = catch_unwind(AssertUnwindSafe(|| {
                    answer(&job, turn, (&table, &kept), &cancel, &telling)
                }));
                match answered {
                    Ok(Ok(Some(next))) => {
                        turn = next;
                        return Next::GoOn;
                    }
                    Ok(Ok(None)) => {}
                    Ok(Err(message)) => telling.tell(Heard::Failed(message)),
                    Err(_) => telling.tell(Heard::Failed(
                        "The study failed by a mistake of the program; please report it."
                            .to_owned(),
                    )),
                }
                telling.tell(Heard::Done);
                Next::End
            }
        });
        if let Err(error) = started {
            let message = format!("No study can be run: the system starts no thread ({error}).");
            // Nobody else has the other end.
            let _ = told.send(Heard::Failed(message));
            let _ = told.send(Heard::Done);
        }
    }

    /// Gives up what is under way; nothing more is heard of it.
    pub fn stop(&mut self) {
        if let Some((cancel, _)) = self.under_way.take() {
            cancel.cancel();
        }
    }

    /// What came since the last call. Never waits.
    pub fn drain(&mut self) -> Vec<Heard> {
        let Some((_, receiver)) = &self.under_way else {
            return Vec::new();
        };
        let heard: Vec<Heard> = receiver.try_iter().collect();
        if matches!(heard.last(), Some(Heard::Done)) {
            self.under_way = None;
        }
        heard
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.under_way.is_none()
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How much of a sweep is solved before others have a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// All of it, on threads.
    Whole,
    /// One point, of this index.
    Point(usize),
}

impl Turn {
    /// What a host with threads, or without, begins with.
    fn here() -> Self {
        match cfg!(target_arch = "wasm32") {
            true => Self::Point(0),
            false => Self::Whole,
        }
    }
}

struct Telling<W> {
    sender: Sender<Heard>,
    wake: W,
}

impl<W: Fn()> Telling<W> {
    /// Nobody may be there to hear it: then it was cancelled.
    fn tell(&self, heard: Heard) {
        if self.sender.send(heard).is_ok() {
            (self.wake)();
        }
    }
}

/// Answers, or a part of a sweep; what is to be answered next, if that isn't all.
fn answer(
    job: &Job,
    turn: Turn,
    (table, kept): (&Table, &Arc<Eliminations>),
    cancel: &CancelToken,
    telling: &Telling<impl Fn()>,
) -> Result<Option<Turn>, String> {
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let needs_fields = match &job.question {
        Question::Sweep(study) => !study.ports_only,
        Question::Goals { goals, .. } => goals.iter().any(|goal| mentions_fields(goal)),
        Question::Tolerances => false,
    };
    let settings = SolveSettings {
        wanted: match needs_fields {
            true => WantedResults::All,
            false => WantedResults::PortsOnly,
        },
        memory_limit: Some((memory::free() as f64 * SHARE_OF_FREE) as u64),
        ..SolveSettings::default()
    };
    let sampler = Sampler::new(
        (&job.text, &job.name),
        &job.library,
        settings.clone(),
        table,
    )
    .keeping(kept.clone());
    let (design, chip) = sampler.chip(&[]).map_err(|error| said(&error))?;
    match &job.question {
        Question::Sweep(study) => {
            let prepared =
                prepare(study, (&job.text, &design, &chip), (1, 1)).map_err(|all| first(&all))?;
            let powers = |name: &String| match nominal(&design, name) {
                Some(Sample::Amount(_, powers)) => powers,
                _ => [0; 5],
            };
            let variables = prepared.plan.variables().iter().map(|name| Column {
                name: name.clone(),
                powers: powers(name),
            });
            if matches!(turn, Turn::Whole | Turn::Point(0)) {
                telling.tell(Heard::Began(Sweep {
                    variables: variables.collect(),
                    outputs: prepared.outputs.iter().map(column).collect(),
                    header: prepared.header.clone(),
                    records: Default::default(),
                }));
            }
            let run = Run {
                plan: &prepared.plan,
                sampler: &sampler,
                outputs: &prepared.outputs,
                threads: std::thread::available_parallelism().map_or(1, usize::from),
                memory_limit: settings.memory_limit,
            };
            let all = 0..prepared.plan.len();
            match turn {
                Turn::Whole => {
                    let mut tell = |record| {
                        telling.tell(Heard::Point(record));
                        Ok(())
                    };
                    let indices: Vec<usize> = all.collect();
                    run.solve::<ThreadPoolBuildError>(&indices, cancel, &mut tell)
                        .map_err(|error| format!("No study can be run: {error}."))?;
                    Ok(None)
                }
                Turn::Point(index) if all.contains(&index) => {
                    let solved = run.solve_here(index, cancel);
                    let next = solved.map(|record| {
                        telling.tell(Heard::Point(record));
                        Turn::Point(index + 1)
                    });
                    Ok(next)
                }
                Turn::Point(_) => Ok(None),
            }
        }
        Question::Goals { varied, goals } => {
            let catalogue = Catalogue::new(&design, &chip);
            let read: Vec<Goal> = goals
                .iter()
                .map(|goal| Goal::parse(goal, &catalogue))
                .collect::<Result<_, _>>()
                .map_err(|mistake| first(&[mistake]))?;
            let varied: Vec<Varied> = varied
                .iter()
                .map(|name| Varied::about(&design, name))
                .collect::<Result<_, _>>()
                .map_err(|message| sentence(&message))?;
            let fit = Fit {
                sampler: &sampler,
                set: &[],
                varied: &varied,
                goals: &read,
                resolution: None,
                cancel,
            };
            let fitted = match fit.run(&mut |step, miss| telling.tell(Heard::Step(step, miss))) {
                Ok(fitted) => fitted,
                Err(FitError::Sample(error)) => return Err(said(&error)),
                Err(error) => return Err(sentence(&error.to_string())),
            };
            telling.tell(Heard::Found(Found {
                variables: varied
                    .iter()
                    .map(|v| Column {
                        name: v.name.clone(),
                        powers: v.powers,
                    })
                    .collect(),
                before: varied.iter().map(|v| v.start).collect(),
                values: fitted.values,
                goals: goals.iter().cloned().zip(fitted.misses).collect(),
                is_met: fitted.is_met,
            }));
            Ok(None)
        }
        Question::Tolerances => {
            let outputs = Catalogue::new(&design, &chip).answers(&chip);
            let context = Context {
                text: &job.text,
                set: &[],
                library: &job.library,
                settings: &settings,
                table,
                cancel,
            };
            match sensitivities(&design, &outputs, &context) {
                Ok(found) => telling.tell(Heard::Tolerances(Tolerances {
                    outputs,
                    found: Arc::new(found),
                })),
                Err(SampleError::Solve(SolveError::Cancelled)) => {}
                Err(error) => return Err(said(&error)),
            }
            Ok(None)
        }
    }
}

fn column(output: &Output) -> Column {
    Column {
        name: output.name.clone(),
        powers: output.powers,
    }
}

fn said(error: &SampleError) -> String {
    match error {
        SampleError::Design(mistakes) => first(mistakes),
        SampleError::Solve(error) => sentence(&error.to_string()),
        SampleError::Species(error) => sentence(&error.to_string()),
    }
}

/// The gravest of what is wrong.
fn first(mistakes: &[Diagnostic]) -> String {
    let gravest = mistakes.iter().max_by_key(|mistake| mistake.severity);
    let text = gravest.map_or_else(
        || "the design has errors".to_owned(),
        |mistake| match &mistake.help {
            Some(help) => format!("{}: {help}", mistake.message),
            None => mistake.message.clone(),
        },
    );
    sentence(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_study::study::Study;

    /// What a page is told, which solves a point a frame, is what a window is told, whose points are solved side by side.
    #[test]
    fn a_sweep_in_turns_tells_what_a_sweep_on_threads_does() {
        let text = include_str!("../../../designs/tee.toml")
            .replace("[fluid]", "[variables]\nl = \"1 mm\"\n[fluid]")
            .replace("\"8 mm\"", "\"=l\"");
        let study = Study::over("l", ([1e-3, 2e-3], [0, 1, 0, 0, 0]), 3, Vec::new());
        let job = Job {
            text: text.into(),
            name: "tee".to_owned(),
            library: Library::embedded(),
            question: Question::Sweep(study),
        };
        let told = |begin: Turn| {
            let (sender, receiver) = channel();
            let telling = Telling {
                sender,
                wake: || (),
            };
            let (table, kept) = (Table::default(), Arc::default());
            let cancel = CancelToken::new();
            let mut part = Some(begin);
            let mut turns = 0;
            while let Some(now) = part {
                let all = answer(&job, now, (&table, &kept), &cancel, &telling);
                part = all.expect("an answer");
                turns += 1;
            }
            drop(telling);
            let (mut begun, mut records) = (0, Vec::new());
            for heard in receiver {
                match heard {
                    Heard::Began(_) => begun += 1,
                    Heard::Point(record) => records.push(record),
                    other => panic!("{other:?}"),
                }
            }
            records.sort_by_key(|record| record.index);
            let records: Vec<_> = records.into_iter().map(|r| (r.index, r.outputs)).collect();
            (turns, begun, records)
        };
        let (turns, begun, whole) = told(Turn::Whole);
        assert_eq!((turns, begun, whole.len()), (1, 1, 3));
        let (turns, begun, in_turns) = told(Turn::Point(0));
        assert_eq!((turns, begun), (4, 1), "the last turn finds nothing left");
        assert_eq!(in_turns, whole);
    }
}
