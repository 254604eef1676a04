//! Bodies that come into a run under way: when, and how often.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::Checks;

use super::{BodySpec, Expect, Scene};
use crate::model::Kind;

/// A body that comes in more than once, as what is poured does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// Time between two of them, s.
    pub every: f64,
    /// How often after the first time.
    pub times: usize,
}

/// Most bodies that one body comes in as.
const MOST: usize = 1000;

impl BodySpec {
    /// Names of the bodies that follow the first where it comes [again](Self::again): `sand 2`, `sand 3`, ...
    pub(super) fn copies(&self) -> impl Iterator<Item = String> + use<'_> {
        let times = self.again.map_or(0, |again| again.times.min(MOST));
        (0..times).map(move |k| format!("{} {}", self.name, k + 2))
    }
}

impl Scene {
    /// The scene with a body for every time that one comes in, earlier ones first; bodies of one time stay in their order.
    pub(crate) fn in_order_of_arrival(mut self) -> Scene {
        let specs = std::mem::take(&mut self.body);
        for mut spec in specs {
            let names: Vec<String> = spec.copies().collect();
            let every = spec.again.take().map_or(0.0, |again| again.every);
            let joins = match spec.kind {
                Kind::Points => spec.joins.clone().or_else(|| Some(spec.name.clone())),
                _ => None,
            };
            let copy = |(k, name)| BodySpec {
                name,
                from: spec.from + (k + 1) as f64 * every,
                joins: joins.clone(),
                ..spec.clone()
            };
            let copies: Vec<BodySpec> = names.into_iter().enumerate().map(copy).collect();
            self.body.push(spec);
            self.body.extend(copies);
        }
        // Checked times are numbers; zeros of both signs are one.
        let earlier = |a: &BodySpec, b: &BodySpec| a.from.partial_cmp(&b.from);
        let earlier = |a: &BodySpec, b: &BodySpec| earlier(a, b).unwrap_or(Ordering::Equal);
        self.body.sort_by(earlier);
        self
    }

    /// Bodies that are there in the step that begins at `time` (s), of a scene in order of arrival: the first so many.
    pub(crate) fn n_present(&self, time: f64) -> usize {
        let until = time + 0.5 * self.time_step;
        self.body.partition_point(|b| b.from <= until)
    }
}

impl Scene {
    /// When body `k` comes in, how often, and what it joins.
    pub(super) fn check_arrival(&self, c: &mut Checks, k: usize) {
        let b = &self.body[k];
        c.within(format_args!("body[{k}].from"), b.from, 0.0..=f64::INFINITY);
        if let Some(again) = b.again {
            c.positive(format_args!("body[{k}].again.every"), again.every);
            let key = format_args!("body[{k}].again.times");
            c.within(key, again.times as f64, 1.0..=MOST as f64);
        }
        if let Some(name) = &b.joins {
            let is_there = |o: &BodySpec| {
                o.name == *name && o.kind == Kind::Points && o.joins.is_none() && o.from <= b.from
            };
            let can = b.kind == Kind::Points && self.body[..k].iter().any(is_there);
            let key = format_args!("body[{k}].joins");
            let range = "of material points, and the name of others above, which join none and are there by then";
            c.that(can, key, format_args!("{name:?}"), range);
        }
    }

    /// That the body of an expectation is there when it is measured: what comes in is first seen at the end of its first step.
    pub(super) fn check_presence(&self, c: &mut Checks, k: usize, expect: &Expect) {
        let is_there = |b: &BodySpec| b.from == 0.0 || expect.at > b.from + 0.5 * self.time_step;
        let body = self.body.iter().find(|b| b.name == expect.body);
        let key = format_args!("expect[{k}].at");
        let range = "after the body has come in";
        c.that(body.is_none_or(is_there), key, expect.at, range);
        if let Some(since) = expect.since {
            let from = body.map_or(0.0, |b| b.from);
            let key = format_args!("expect[{k}].since");
            c.that(since >= from, key, since, "after the body has come in");
            let range = "at least a step before `at`";
            let is_before = since + 0.99 * self.time_step <= expect.at;
            c.that(is_before, key, since, range);
        }
    }
}
