//! Bodies that come into a run under way: when, and how often.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{BodySpec, Scene};
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
pub(super) const MOST: usize = 1000;

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
            let again = spec.again.take();
            let copies: Vec<BodySpec> = again.map_or(Vec::new(), |again| {
                let copy = |(k, name): (usize, String)| BodySpec {
                    name,
                    from: spec.from + (k + 1) as f64 * again.every,
                    joins: match spec.kind {
                        Kind::Points => spec.joins.clone().or_else(|| Some(spec.name.clone())),
                        _ => None,
                    },
                    ..spec.clone()
                };
                let named = BodySpec {
                    again: Some(again),
                    ..spec.clone()
                };
                named.copies().enumerate().map(copy).collect()
            });
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
