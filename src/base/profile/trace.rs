//! A profile as Chrome trace events, which Perfetto (ui.perfetto.dev) and `chrome://tracing` open.
//!
//! One line ("thread") per thread that worked, a box per span; stages are boxes around their tasks. Size, flops and rate are in
//! the arguments of a box; the greatest memory so far is a counter.
//!
//! # Source
//! "Trace Event Format", The Chromium Authors: metadata events (`M`), complete events (`X`, times in microseconds), counters (`C`).

use std::io::{self, Write};

use serde::ser::{SerializeSeq, Serializer};
use serde::{Serialize, ser};
use serde_json::{Value, json};

use super::recorder::{Event, Lane, Profile};

/// All spans are of one process; viewers want a number for it.
const PROCESS: u32 = 1;

impl Profile {
    /// Writes the trace as JSON: threads in order, their spans in order.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_trace(&self, out: &mut dyn Write) -> io::Result<()> {
        let trace = Trace {
            events: Events(self),
            unit: "ms",
        };
        serde_json::to_writer(out, &trace).map_err(io::Error::from)
    }
}

#[derive(Serialize)]
struct Trace<'a> {
    #[serde(rename = "traceEvents")]
    events: Events<'a>,
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
}

/// Written one by one: a trace may have a million events.
struct Events<'a>(&'a Profile);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut events = serializer.serialize_seq(None)?;
        events.serialize_element(&named("process_name", 0, json!({ "name": "stokeslet" })))?;
        for (thread, lane) in self.0.lanes.iter().enumerate() {
            write_lane(&mut events, thread, lane)?;
        }
        events.end()
    }
}

fn write_lane<S: SerializeSeq>(events: &mut S, thread: usize, lane: &Lane) -> Result<(), S::Error>
where
    S::Error: ser::Error,
{
    events.serialize_element(&named("thread_name", thread, json!({ "name": lane.name })))?;
    events.serialize_element(&named(
        "thread_sort_index",
        thread,
        json!({ "sort_index": thread }),
    ))?;
    for event in &lane.events {
        events.serialize_element(&complete(thread, event))?;
        if let Some(bytes) = event.peak_memory {
            events.serialize_element(&json!({
                "name": "peak memory", "ph": "C", "pid": PROCESS, "tid": thread,
                "ts": microseconds(event.start + event.duration), "args": { "bytes": bytes },
            }))?;
        }
    }
    Ok(())
}

/// A name of the process or of a thread.
fn named(what: &str, thread: usize, args: Value) -> Value {
    json!({ "name": what, "ph": "M", "pid": PROCESS, "tid": thread, "args": args })
}

/// A span.
fn complete(thread: usize, event: &Event) -> Value {
    let args = match event.kind {
        None => json!({}),
        Some(_) => json!({
            "rows": event.work.size.0,
            "columns": event.work.size.1,
            "flops": event.work.flops,
            "bytes": event.work.bytes,
            // Flops per nanosecond are GFLOP/s.
            "gflop_per_s": event.work.flops as f64 / event.duration.max(1) as f64,
        }),
    };
    json!({
        "name": event.kind.unwrap_or(event.stage), "cat": event.stage, "ph": "X", "pid": PROCESS, "tid": thread,
        "ts": microseconds(event.start), "dur": microseconds(event.duration), "args": args,
    })
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 * 1e-3
}

#[cfg(test)]
mod tests {
    use super::super::{Recorder, Work};
    use super::*;

    #[test]
    fn a_trace_names_its_threads_and_holds_every_span() {
        let recorder = Recorder::with_memory(|| 4096);
        {
            let _stage = recorder.stage("eliminate");
            let work = Work {
                flops: 2000,
                bytes: 80,
                size: (5, 2),
            };
            drop(recorder.span("eliminate", "factor \"1\"", work));
        }
        let mut text = Vec::new();
        recorder.profile().write_trace(&mut text).unwrap();
        let trace: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(trace["displayTimeUnit"], "ms");
        let events = trace["traceEvents"].as_array().unwrap();
        let of =
            |phase: &str| -> Vec<&Value> { events.iter().filter(|e| e["ph"] == phase).collect() };
        let (meta, spans, counters) = (of("M"), of("X"), of("C"));
        assert_eq!(
            meta.len() + spans.len() + counters.len(),
            events.len(),
            "of three kinds"
        );
        let names: Vec<&str> = meta.iter().filter_map(|e| e["name"].as_str()).collect();
        assert_eq!(names, ["process_name", "thread_name", "thread_sort_index"]);
        assert!(meta[1]["args"]["name"].is_string(), "the thread has a name");
        assert_eq!(spans.len(), 2);
        let (stage, task) = (spans[0], spans[1]);
        assert_eq!(
            (&stage["name"], &stage["cat"]),
            (&json!("eliminate"), &json!("eliminate"))
        );
        assert_eq!(
            (&task["name"], &task["cat"]),
            (&json!("factor \"1\""), &json!("eliminate"))
        );
        for (key, want) in [("rows", 5), ("columns", 2), ("flops", 2000), ("bytes", 80)] {
            assert_eq!(task["args"][key], want, "{key}");
        }
        let number = |e: &Value, key: &str| e[key].as_f64().unwrap();
        assert!(
            number(stage, "ts") <= number(task, "ts")
                && number(task, "ts") + number(task, "dur")
                    <= number(stage, "ts") + number(stage, "dur") + 1e-9,
            "the task lies in its stage: {stage} {task}"
        );
        assert!(
            events.iter().all(|e| e["pid"] == 1 && e["tid"] == 0),
            "one thread of one process"
        );
        assert_eq!(counters[0]["args"]["bytes"], 4096);
    }

    #[test]
    fn nothing_recorded_is_a_trace_too() {
        let mut text = Vec::new();
        Recorder::off().profile().write_trace(&mut text).unwrap();
        let trace: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(trace["traceEvents"].as_array().unwrap().len(), 1);
    }
}
