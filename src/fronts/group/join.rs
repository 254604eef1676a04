//! Several fronts become one: which unknowns go, how the rest is numbered.

use std::sync::Arc;

use super::{Class, Element, free};
use crate::plan::{Child, Image, KindId, NOWHERE, Plan};

/// An element on its way up, and the joint that made it.
pub(super) struct Live {
    pub element: Element,
    pub joint: Option<u32>,
}

impl Live {
    /// An element that nothing was joined to yet.
    pub fn new(element: Element) -> Self {
        Self {
            element,
            joint: None,
        }
    }

    /// Unknowns of its boundary.
    pub fn size(&self) -> usize {
        self.element.boundary.len()
    }
}

/// A join that was planned.
pub(super) struct Joint {
    pub kind: KindId,
    pub boundary: Vec<Image>,
    pub eliminated: Vec<u32>,
    pub children: Vec<u32>,
}

/// Plans joins and lists them, children before parents.
pub(super) struct Joiner<'a> {
    pub plan: &'a mut Plan,
    pub joints: Vec<Joint>,
    /// By shared unknown: a number that one join gives it; [`NOWHERE`] between joins. Much cheaper than a map for each join.
    local: Vec<u32>,
}

impl<'a> Joiner<'a> {
    /// For `n` shared unknowns.
    pub fn new(plan: &'a mut Plan, n: usize) -> Self {
        Self {
            plan,
            joints: Vec::new(),
            local: vec![NOWHERE; n],
        }
    }

    /// One front of these elements, eliminating all their free unknowns that `goes` says so of.
    ///
    /// Unknowns are numbered as the first element lists them, satellites in the order in which they meet it: copies are alike.
    pub fn join(
        &mut self,
        mut parts: Vec<Live>,
        class: &[Class],
        goes: impl Fn(u32) -> bool,
    ) -> Live {
        let local = &mut self.local;
        let shared = |l: &Live| -> Vec<u32> {
            let all = l.element.boundary.iter().map(|i| i.to);
            all.filter(|&g| g != NOWHERE).collect()
        };
        let hub = shared(&parts[0]);
        for (k, &g) in hub.iter().enumerate() {
            local[g as usize] = k as u32;
        }
        parts[1..].sort_by_cached_key(|l| {
            let met = l.element.boundary.iter().filter(|i| i.to != NOWHERE);
            let met = met.map(|i| local[i.to as usize]);
            met.filter(|&k| k != NOWHERE).min()
        });
        hub.iter().for_each(|&g| local[g as usize] = NOWHERE);

        let goes = |g: u32| class[g as usize] == Class::Free && goes(g);
        let (mut boundary, mut eliminated) = (Vec::new(), Vec::new());
        for image in parts.iter().flat_map(|l| &l.element.boundary) {
            let g = image.to;
            if g == NOWHERE || class[g as usize] == Class::Zero || local[g as usize] != NOWHERE {
                continue;
            }
            let list = if goes(g) {
                &mut eliminated
            } else {
                &mut boundary
            };
            local[g as usize] = list.len() as u32;
            list.push(g);
        }
        let n_boundary = boundary.len() as u32;
        for &g in &eliminated {
            local[g as usize] += n_boundary;
        }
        let place = |image: &Image| Image {
            to: match image.to {
                NOWHERE => NOWHERE,
                g => local[g as usize],
            },
            factor: image.factor,
        };
        let children = parts
            .iter()
            .map(|l| Child {
                kind: l.element.kind,
                images: l.element.boundary.iter().map(&place).collect::<Arc<[_]>>(),
            })
            .collect();
        for &g in boundary.iter().chain(&eliminated) {
            local[g as usize] = NOWHERE;
        }
        self.plan.counters.asked += 1;
        let kind = self
            .plan
            .join(children, n_boundary, eliminated.len() as u32);
        let boundary: Vec<Image> = boundary.into_iter().map(Image::plain).collect();
        self.joints.push(Joint {
            kind,
            boundary: boundary.clone(),
            eliminated,
            children: parts.iter().filter_map(|l| l.joint).collect(),
        });
        Live {
            element: Element { kind, boundary },
            joint: Some(self.joints.len() as u32 - 1),
        }
    }

    /// Eliminates what is free of an element that shares it with nobody.
    pub fn finish(&mut self, live: Live, class: &[Class]) -> Live {
        if free(&live.element, class).next().is_some() {
            self.join(vec![live], class, |_| true)
        } else {
            live
        }
    }
}
