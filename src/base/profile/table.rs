//! A profile as a table: seconds by stage, tasks by kind and size; text for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Serialize;

use super::recorder::{Event, Lane, Profile};

/// Sizes that the text shows, those with most flops; the JSON has all.
const SHOWN_SIZES: usize = 12;

/// What a profile adds up to. Rows are in an order that does not depend on timing: stages as they began, kinds by name, sizes by
/// number.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProfileTable {
    /// From the beginning of the first span to the end of the last.
    pub seconds: f64,
    /// In the order in which they first began.
    pub stages: Vec<StageRow>,
    /// By name.
    pub tasks: Vec<TaskRow>,
}

/// A stage.
#[derive(Clone, Debug, Serialize)]
pub struct StageRow {
    /// Its name.
    pub stage: &'static str,
    /// During which it, or a task of it, ran on any thread.
    pub seconds: f64,
    /// Share of all seconds; stages that ran side by side add up to more than 1.
    pub share: f64,
    /// Greatest memory of the process up to the end of the stage, bytes; `None` where nobody could tell.
    pub peak_memory_bytes: Option<u64>,
}

/// Tasks of a kind.
#[derive(Clone, Debug, Serialize)]
pub struct TaskRow {
    /// Their name.
    pub kind: &'static str,
    /// Results that were asked for.
    pub asked: u64,
    /// Results that were computed: spans.
    pub computed: u64,
    /// Asked for over computed; `None` where none was computed.
    pub reuse: Option<f64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of the results.
    pub bytes: u64,
    /// Seconds of all threads together, without what spans inside these took.
    pub seconds: f64,
    /// 1e9 flops per second of one thread; `None` where no flops were stated. Of fronts, the flops are those of the factorisation that
    /// was taken and of what follows from it, while the seconds hold assembly and sums of children too: small fronts are slower by
    /// it. Other threads may help with a large front; their time isn't in its seconds.
    pub gflop_per_s: Option<f64>,
    /// By rows, then columns.
    pub sizes: Vec<SizeRow>,
}

/// Tasks of a kind and a size.
#[derive(Clone, Debug, Serialize)]
pub struct SizeRow {
    /// Rows and columns.
    pub size: (u32, u32),
    /// How many.
    pub computed: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// As for the kind.
    pub seconds: f64,
    /// As for the kind.
    pub gflop_per_s: Option<f64>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    computed: u64,
    flops: u64,
    bytes: u64,
    nanoseconds: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.computed += other.computed;
        self.flops += other.flops;
        self.bytes += other.bytes;
        self.nanoseconds += other.nanoseconds;
    }

    fn rate(self) -> Option<f64> {
        // Flops per nanosecond are GFLOP/s.
        (self.flops > 0).then(|| self.flops as f64 / self.nanoseconds.max(1) as f64)
    }
}

impl Profile {
    /// Adds everything up.
    pub fn table(&self) -> ProfileTable {
        let spans = || self.lanes.iter().flat_map(|l| &l.events);
        let begin = spans().map(|e| e.start).min().unwrap_or(0);
        let end = spans().map(|e| e.start + e.duration).max().unwrap_or(0);
        let seconds = seconds(end - begin);
        ProfileTable {
            seconds,
            stages: self.stages(seconds),
            tasks: self.tasks(),
        }
    }

    fn stages(&self, all: f64) -> Vec<StageRow> {
        let mut by_stage: BTreeMap<&'static str, Vec<&Event>> = BTreeMap::new();
        for event in self.lanes.iter().flat_map(|l| &l.events) {
            by_stage.entry(event.stage).or_default().push(event);
        }
        let mut rows: Vec<(u64, StageRow)> = by_stage
            .into_iter()
            .map(|(stage, mut events)| {
                events.sort_by_key(|e| e.start);
                let seconds = seconds(covered(&events));
                let row = StageRow {
                    stage,
                    seconds,
                    share: if all > 0.0 { seconds / all } else { 0.0 },
                    peak_memory_bytes: events.iter().filter_map(|e| e.peak_memory).max(),
                };
                (events[0].start, row)
            })
            .collect();
        rows.sort_by_key(|(start, _)| *start);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn tasks(&self) -> Vec<TaskRow> {
        let mut by_kind: BTreeMap<&'static str, BTreeMap<(u32, u32), Sum>> = BTreeMap::new();
        for kind in self.asked.keys() {
            by_kind.entry(kind).or_default();
        }
        for lane in &self.lanes {
            for (event, own) in lane.events.iter().zip(own_nanoseconds(lane)) {
                let Some(kind) = event.kind else { continue };
                let sizes = by_kind.entry(kind).or_default();
                sizes.entry(event.work.size).or_default().add(Sum {
                    computed: 1,
                    flops: event.work.flops,
                    bytes: event.work.bytes,
                    nanoseconds: own,
                });
            }
        }
        by_kind
            .into_iter()
            .map(|(kind, sizes)| {
                let mut sum = Sum::default();
                sizes.values().for_each(|s| sum.add(*s));
                let asked = self.asked.get(kind).copied().unwrap_or(sum.computed);
                TaskRow {
                    kind,
                    asked,
                    computed: sum.computed,
                    reuse: (sum.computed > 0).then(|| asked as f64 / sum.computed as f64),
                    flops: sum.flops,
                    bytes: sum.bytes,
                    seconds: seconds(sum.nanoseconds),
                    gflop_per_s: sum.rate(),
                    sizes: sizes.into_iter().map(size_row).collect(),
                }
            })
            .collect()
    }
}

fn size_row((size, sum): ((u32, u32), Sum)) -> SizeRow {
    SizeRow {
        size,
        computed: sum.computed,
        flops: sum.flops,
        seconds: seconds(sum.nanoseconds),
        gflop_per_s: sum.rate(),
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 * 1e-9
}

/// Nanoseconds during which at least one of the events ran; they are sorted by their beginning.
fn covered(events: &[&Event]) -> u64 {
    let (mut sum, mut until) = (0, 0);
    for event in events {
        let end = event.start + event.duration;
        sum += end.saturating_sub(event.start.max(until));
        until = until.max(end);
    }
    sum
}

/// Each event's duration without that of the events directly inside it. A thread's spans nest: a task that waits for others may
/// run a foreign one meanwhile, and that one's time is not its own.
fn own_nanoseconds(lane: &Lane) -> Vec<u64> {
    let events = &lane.events;
    let mut own: Vec<u64> = events.iter().map(|e| e.duration).collect();
    let mut open: Vec<usize> = Vec::new();
    for (k, event) in events.iter().enumerate() {
        while let Some(&outer) = open.last()
            && events[outer].start + events[outer].duration < event.start + event.duration
        {
            open.pop();
        }
        if let Some(&outer) = open.last() {
            own[outer] = own[outer].saturating_sub(event.duration);
        }
        open.push(k);
    }
    own
}

impl fmt::Display for ProfileTable {
    /// Three tables with their columns aligned; those without rows are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = self.stages.iter().map(|s| {
            vec![
                s.stage.into(),
                format!("{:.4}", s.seconds),
                format!("{:.1} %", 100.0 * s.share),
                s.peak_memory_bytes.map_or("-".into(), mebibytes),
            ]
        });
        let all = [
            "all".into(),
            format!("{:.4}", self.seconds),
            String::new(),
            String::new(),
        ];
        f.write_str(&aligned(
            &["stage", "seconds", "share", "peak MiB"],
            stages.chain([all.to_vec()]).collect(),
        ))?;
        if self.tasks.is_empty() {
            return Ok(());
        }
        let tasks = self.tasks.iter().map(|t| {
            vec![
                t.kind.into(),
                t.asked.to_string(),
                t.computed.to_string(),
                t.reuse.map_or("-".into(), |r| format!("{r:.1}")),
                gigaflops(t.flops),
                mebibytes(t.bytes),
                format!("{:.4}", t.seconds),
                t.gflop_per_s.map_or("-".into(), |r| format!("{r:.2}")),
            ]
        });
        f.write_char('\n')?;
        f.write_str(&aligned(
            &[
                "task",
                "asked for",
                "computed",
                "reuse",
                "GFLOP",
                "MiB",
                "thread s",
                "GFLOP/s",
            ],
            tasks.collect(),
        ))?;
        f.write_char('\n')?;
        f.write_str(&aligned(
            &[
                "size", "rows", "columns", "computed", "GFLOP", "thread s", "GFLOP/s",
            ],
            self.largest_sizes(),
        ))
    }
}

impl ProfileTable {
    /// Rows of text for the sizes with most flops.
    fn largest_sizes(&self) -> Vec<Vec<String>> {
        let mut sizes: Vec<(&str, &SizeRow)> = self
            .tasks
            .iter()
            .flat_map(|t| t.sizes.iter().map(|s| (t.kind, s)))
            .collect();
        sizes.sort_by_key(|(kind, s)| (std::cmp::Reverse(s.flops), *kind, s.size));
        sizes.truncate(SHOWN_SIZES);
        let row = |(kind, s): (&str, &SizeRow)| {
            vec![
                kind.into(),
                s.size.0.to_string(),
                s.size.1.to_string(),
                s.computed.to_string(),
                gigaflops(s.flops),
                format!("{:.4}", s.seconds),
                s.gflop_per_s.map_or("-".into(), |r| format!("{r:.2}")),
            ]
        };
        sizes.into_iter().map(row).collect()
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1_048_576.0)
}

fn gigaflops(flops: u64) -> String {
    format!("{:.4}", flops as f64 * 1e-9)
}

/// Columns under their heads, indented by two: the first to the left, numbers to the right.
fn aligned(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let head = heads.iter().map(|h| (*h).to_string()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let wide = |k: usize| lines.iter().map(|l| l[k].chars().count()).max();
    let widths: Vec<usize> = (0..heads.len()).map(|k| wide(k).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in &lines {
        let mut out = String::new();
        for (k, (cell, width)) in line.iter().zip(&widths).enumerate() {
            // Writing into a String does not fail.
            let _ = match k {
                0 => write!(out, "  {cell:<width$}"),
                _ => write!(out, "  {cell:>width$}"),
            };
        }
        text.push_str(out.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
