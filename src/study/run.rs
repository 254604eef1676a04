//! Points become records, side by side. A point that fails is a record, too; one that is cancelled is none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use web_time::Instant;

use serde::{Deserialize, Serialize};
use stokeslet_base::cancel::CancelToken;
use stokeslet_flow::session::SolveError;
use stokeslet_species::SpeciesError;

use crate::output::Output;
use crate::plan::Plan;
use crate::sample::{SampleError, Sampler};
use crate::study::Sample;

/// Between what is told of one point.
pub const BETWEEN: &str = " | ";

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Solved.
    Ok,
    /// The design has mistakes at these values.
    DesignErrors,
    /// The accuracy was not reached.
    NotAccurate,
    /// Too little memory, or our bug.
    CouldNotRun,
}

impl Status {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::DesignErrors => "design_errors",
            Self::NotAccurate => "not_accurate",
            Self::CouldNotRun => "could_not_run",
        }
    }
}

/// The value of a variable in a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// SI.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl From<&Sample> for Cell {
    fn from(sample: &Sample) -> Self {
        match sample {
            Sample::Amount(value, _) => Self::Number(*value),
            Sample::Text(text) => Self::Text(text.clone()),
        }
    }
}

/// What became of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Index of the point.
    pub index: usize,
    /// By variable, then by uncertain variable what it strays from.
    pub values: Vec<Cell>,
    /// Cell edges across a channel, where the study says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<u32>,
    /// How it ended.
    pub status: Status,
    /// Why, where it failed; else what makes its results doubtful, by codes, and why outputs have no value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// By output, SI; nothing where there is none.
    pub outputs: Vec<Option<f64>>,
    /// That it took.
    pub seconds: f64,
}

/// What a run is.
pub struct Run<'a> {
    /// What to solve.
    pub plan: &'a Plan<'a>,
    /// How.
    pub sampler: &'a Sampler<'a>,
    /// What to keep of each.
    pub outputs: &'a [Output],
    /// Threads in all; points are solved one a thread while there are enough of them.
    pub threads: usize,
    /// Bytes for all solves together.
    pub memory_limit: Option<u64>,
}

impl Run<'_> {
    /// Solves the points of these indices; `done` hears of each as it ends, in no order, on this thread.
    ///
    /// # Errors
    /// What `done` returns; it stops the rest. Or threads that can't be started.
    pub fn solve<E: From<rayon::ThreadPoolBuildError>>(
        &self,
        indices: &[usize],
        cancel: &CancelToken,
        done: &mut dyn FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let workers = self.threads.min(indices.len()).max(1);
        let share = self.memory_limit.map(|limit| limit / workers as u64);
        let pools = (0..workers)
            .map(|_| {
                let threads = (self.threads / workers).max(1);
                rayon::ThreadPoolBuilder::new().num_threads(threads).build()
            })
            .collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let too_large: Mutex<Vec<usize>> = Mutex::default();
        let stop = CancelToken::new();
        let is_stopped = || stop.is_cancelled() || cancel.is_cancelled();
        let mut result = Ok(());
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(4 * workers);
            for pool in &pools {
                let (sender, next, too_large) = (sender.clone(), &next, &too_large);
                scope.spawn(move || {
                    while let Some(&index) = indices.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if is_stopped() {
                            break;
                        }
                        match self.one(index, Some(pool), share, cancel) {
                            One::Done(record) => {
                                if sender.send(record).is_err() {
                                    break;
                                }
                            }
                            One::TooLarge if workers > 1 => {
                                if let Ok(mut list) = too_large.lock() {
                                    list.push(index);
                                }
                            }
                            One::TooLarge | One::Cancelled => {}
                        }
                    }
                });
            }
            drop(sender);
            for record in receiver {
                if result.is_ok() {
                    result = done(record);
                    if result.is_err() {
                        stop.cancel();
                    }
                }
            }
        });
        result?;
        // What needs more than its share is solved alone.
        let mut alone = too_large.into_inner().unwrap_or_default();
        alone.sort_unstable();
        let pool = &pools[0];
        for index in alone {
            if is_stopped() {
                break;
            }
            if let One::Done(record) = self.one(index, Some(pool), None, cancel) {
                done(record)?;
            }
        }
        Ok(())
    }

    /// Solves the point of this index on the caller's threads, for a host that starts none; `None` where it was cancelled.
    pub fn solve_here(&self, index: usize, cancel: &CancelToken) -> Option<Record> {
        match self.one(index, None, None, cancel) {
            One::Done(record) => Some(record),
            One::TooLarge | One::Cancelled => None,
        }
    }

    fn one(
        &self,
        index: usize,
        pool: Option<&rayon::ThreadPool>,
        share: Option<u64>,
        cancel: &CancelToken,
    ) -> One {
        let begin = Instant::now();
        let point = self.plan.point(index);
        let settings = self.plan.settings(&point);
        let all_values = point.values.iter().chain(&point.nominal);
        let all_values: Vec<Cell> = all_values.map(Cell::from).collect();
        let limit = share.or(self.memory_limit);
        let solved = catch_unwind(AssertUnwindSafe(|| {
            let solve = || {
                let how = (point.resolution, limit);
                let sampled = self.sampler.solve(&settings, how, cancel)?;
                let found = Output::all_of(self.outputs, &sampled);
                sampled.check()?;
                let resolution = self.sampler.resolution(point.resolution, &sampled.design);
                let doubts = sampled.doubts(resolution);
                let doubts = doubts
                    .iter()
                    .map(|doubt| format!("{}: {}", doubt.code, doubt.message));
                let absent = found.iter().filter_map(|value| value.clone().err());
                let told: Vec<String> = doubts.chain(absent).collect();
                let outputs = found.into_iter().map(Result::ok).collect();
                Ok::<(Vec<Option<f64>>, String), SampleError>((outputs, told.join(BETWEEN)))
            };
            match pool {
                Some(pool) => pool.install(solve),
                None => solve(),
            }
        }));
        let failed = |status, message: String| Record {
            index,
            values: all_values.clone(),
            resolution: point.resolution,
            status,
            message,
            outputs: vec![None; self.outputs.len()],
            seconds: begin.elapsed().as_secs_f64(),
        };
        One::Done(match solved {
            Ok(Ok((outputs, doubts))) => Record {
                outputs,
                ..failed(Status::Ok, doubts)
            },
            Ok(Err(
                SampleError::Solve(SolveError::Cancelled)
                | SampleError::Species(SpeciesError::Cancelled),
            )) => return One::Cancelled,
            Ok(Err(SampleError::Solve(SolveError::OutOfMemory { .. })))
                if share.is_some() && share != self.memory_limit =>
            {
                return One::TooLarge;
            }
            Ok(Err(error)) => {
                let status = match &error {
                    SampleError::Design(_) => Status::DesignErrors,
                    SampleError::Solve(SolveError::NotConverged { .. }) => Status::NotAccurate,
                    SampleError::Solve(_) | SampleError::Species(_) => Status::CouldNotRun,
                };
                failed(status, error.to_string())
            }
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                let text = text.unwrap_or_else(|| "no message".to_owned());
                failed(
                    Status::CouldNotRun,
                    format!("internal error, please report it: {text}"),
                )
            }
        })
    }
}

enum One {
    Done(Record),
    TooLarge,
    Cancelled,
}
