//! Reports parts that lie on each other: boxes first, then the area that the outlines share.

use std::cell::LazyCell;
use std::ops::Range;

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;
use i_overlay::i_shape::float::area::Area;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use rustc_hash::FxHashSet;

use super::assembly::Assembly;
use super::connect::Joint;
use super::fault::error;
use crate::shape::{Part, Shape, Strip};

use stokeslet_base::diagnostic::Reporter;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::geometry::separate::{Bounds, share_at_most};

/// Parts that aren't connected may share this part of the narrower one's width squared: rounding only.
const STRANGERS_MAY_SHARE: f64 = 1e-6;
/// Connected parts may share a little more: their sockets agree to 1e-6 of the width in place and in direction.
const NEIGHBOURS_MAY_SHARE: f64 = 1e-5;
/// Arcs become polygons with a corner at least every so many radians; a chord is then within 4e-4 radii of its arc.
const ARC_STEP: f64 = std::f64::consts::PI / 60.0;
/// After so many overlapping pairs of parts the search ends: they come in crowds where a design is badly wrong.
const ENOUGH: usize = 100;

/// Reports every pair of components with overlapping parts once (D230).
pub(super) fn check(assembly: &Assembly, out: &mut Reporter) {
    let outlines = Outlines::new(&assembly.parts);
    let boxes = (0..assembly.parts.len()).filter_map(|k| {
        let envelope = envelope(outlines.of(k)?.1);
        Some(GeomWithData::new(Rectangle::from_aabb(envelope), k))
    });
    let tree = RTree::bulk_load(boxes.collect());
    // Hardly ever asked for.
    let joined = LazyCell::new(|| {
        let parts = |joint: &Joint| (joint.connection.a.part, joint.connection.b.part);
        both_ways(assembly.joints.iter().map(parts))
    });
    let disagreeing = both_ways(assembly.disagreeing.iter().copied());
    let mut reported = FxHashSet::default();
    let mut found = 0;
    let mut near: Vec<usize> = Vec::new();
    for k in 0..assembly.parts.len() {
        let Some(mine) = outlines.of(k) else { continue };
        // Links were laid beside each other.
        if assembly.sheet(k).is_none() {
            continue;
        }
        near.clear();
        near.extend(
            tree.locate_in_envelope_intersecting(envelope(mine.1))
                .map(|entry| entry.data)
                .filter(|&other| other > k && !disagreeing.contains(&(k, other)))
                .filter(|&other| assembly.sheet(k) == assembly.sheet(other)),
        );
        near.sort_unstable();
        for &other in &near {
            let pair = (assembly.owners[k], assembly.owners[other]);
            let known = reported.contains(&pair);
            let width = narrowest(assembly, k).min(narrowest(assembly, other));
            let mut shared = 0.0;
            if !known {
                let Some(theirs) = outlines.of(other) else {
                    continue;
                };
                if !width.is_finite()
                    || share_at_most(mine, theirs, STRANGERS_MAY_SHARE * width * width)
                {
                    continue;
                }
                shared = shared_area(mine.0, theirs.0);
                let allowed = if joined.contains(&(k, other)) {
                    NEIGHBOURS_MAY_SHARE
                } else {
                    STRANGERS_MAY_SHARE
                };
                if shared <= allowed * width * width {
                    continue;
                }
            }
            found += 1;
            if reported.insert(pair) {
                report(k, other, shared / (width * width), assembly, out);
            }
            if found >= ENOUGH {
                return;
            }
        }
    }
}

/// Pairs, and the same the other way round.
fn both_ways(pairs: impl Iterator<Item = (usize, usize)>) -> FxHashSet<(usize, usize)> {
    pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect()
}

/// Width of the narrowest socket of a part, m.
fn narrowest(assembly: &Assembly, part: usize) -> f64 {
    let widths = assembly.part_sockets[part]
        .iter()
        .map(|socket| socket.width);
    widths.fold(f64::INFINITY, f64::min)
}

fn report(k: usize, other: usize, share: f64, assembly: &Assembly, out: &mut Reporter) {
    let (a, b) = (&assembly.parts[k].name, &assembly.parts[other].name);
    let share = if share < 0.01 {
        format!("{share:.1e}")
    } else {
        format!("{share:.2}")
    };
    let message =
        format!("`{a}` and `{b}` overlap: they share {share} squares of the channel's width");
    let help = "move them apart; channels that cross are joined by a `cross` component".to_owned();
    let name = assembly.owner(other);
    out.report(error("D230", &name.span, &name.value, message, Some(help)));
}

/// Area that two polygons share, m^2.
fn shared_area(a: &[Point], b: &[Point]) -> f64 {
    let plain =
        |corners: &[Point]| -> Vec<[f64; 2]> { corners.iter().map(|p| [p.x, p.y]).collect() };
    // 64-bit integers inside: with 32 bits a pipe of a thousand widths is too coarse for the tolerance.
    let mut overlay = FloatOverlay::<[f64; 2], i64>::from_subj_and_clip(&plain(a), &plain(b));
    overlay
        .overlay(OverlayRule::Intersect, FillRule::NonZero)
        .area()
        .abs()
}

/// The box around parts, m; `None` around none.
pub(super) fn bounds_of(parts: &[Part]) -> Option<(Point, Point)> {
    let mut corners = Vec::new();
    for part in parts {
        push_outline(part, &mut corners);
    }
    corners.retain(|p| p.x.is_finite() && p.y.is_finite());
    (!corners.is_empty()).then(|| bounds(&corners))
}

fn envelope(bounds: &Bounds) -> AABB<[f64; 2]> {
    let Bounds { low, high } = bounds;
    AABB::from_corners([low.x, low.y], [high.x, high.y])
}

/// The outlines of all parts in the chip's frame, one behind the other.
struct Outlines {
    corners: Vec<Point>,
    /// Where each part's corners are, and the box around them.
    parts: Vec<(Range<usize>, Bounds)>,
}

impl Outlines {
    fn new(parts: &[Part]) -> Self {
        let mut outlines = Self {
            corners: Vec::with_capacity(4 * parts.len()),
            parts: Vec::with_capacity(parts.len()),
        };
        for part in parts {
            let first = outlines.corners.len();
            push_outline(part, &mut outlines.corners);
            // What is too far out was reported (D205) and lies on nothing; the overlay takes bounded numbers only.
            let is_near = |p: &Point| p.x.abs() < 1e100 && p.y.abs() < 1e100;
            if !outlines.corners[first..].iter().all(is_near) {
                outlines.corners.truncate(first);
            }
            let (low, high) = bounds(&outlines.corners[first..]);
            let range = first..outlines.corners.len();
            outlines.parts.push((range, Bounds { low, high }));
        }
        outlines
    }

    /// A part's outline and the box around it.
    fn of(&self, part: usize) -> Option<(&[Point], &Bounds)> {
        let (range, bounds) = &self.parts[part];
        (!range.is_empty()).then(|| (&self.corners[range.clone()], bounds))
    }
}

/// Appends the outline of a part in the chip's frame; arcs as polygons.
fn push_outline(part: &Part, corners: &mut Vec<Point>) {
    let place = part.motion.to_apply();
    match &part.shape {
        Shape::Polygon { corners: own, .. } => corners.extend(own.iter().map(|&p| place(p))),
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => {
            let own = [
                Point::new(0.0, -width_start / 2.0),
                Point::new(*length, -width_end / 2.0),
                Point::new(*length, width_end / 2.0),
                Point::new(0.0, width_start / 2.0),
            ];
            corners.extend(own.map(place));
        }
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let n = ((angle / ARC_STEP).ceil() as usize).clamp(1, 1000);
            let centre = Point::new(0.0, *radius);
            let on = |k: usize, r: f64| {
                centre + Point::unit(angle * k as f64 / n as f64 - std::f64::consts::FRAC_PI_2) * r
            };
            let outer = (0..=n).map(|k| on(k, radius + width / 2.0));
            let inner = (0..=n).rev().map(|k| on(k, radius - width / 2.0));
            corners.extend(outer.chain(inner).map(place));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use stokeslet_base::geometry::Motion;

    fn strip(length: f64, motion: Motion) -> Part {
        let shape = Strip::Straight {
            length,
            width_start: 1.0,
            width_end: 0.6,
        };
        Part {
            name: String::new(),
            shape: Shape::Strip(shape),
            motion,
            walls: Default::default(),
            depth: None,
        }
    }

    proptest! {
        /// The short way may give up, but never hides an overlap that the overlay finds.
        #[test]
        fn what_lines_tell_apart_the_overlay_tells_apart(
            angles in [-4.0_f64..4.0, -4.0_f64..4.0], along in -0.01_f64..0.01, across in -4.0_f64..4.0,
            is_far in any::<bool>(), mirror in any::<bool>(), turned in any::<bool>(),
        ) {
            let first = Motion::new(angles[0], Point::new(if is_far { 9e5 } else { 0.0 }, 3.0));
            // Nearly at the end of the first, in line with it or at any angle.
            let second = Motion {
                angle: if turned { angles[1] } else { angles[0] },
                mirror,
                translation: first.apply(Point::new(3.0 + along * along * along.signum(), across)),
            };
            let outlines = Outlines::new(&[strip(3.0, first), strip(2.0, second)]);
            let (a, b) = (outlines.of(0).unwrap(), outlines.of(1).unwrap());
            let shared = shared_area(a.0, b.0);
            if share_at_most(a, b, STRANGERS_MAY_SHARE) {
                prop_assert!(shared <= STRANGERS_MAY_SHARE * 1.01, "they share {shared}");
            } else if !turned && along > 1e-3 {
                prop_assert!(false, "one lies behind the end of the other, and no line was found");
            }
        }
    }
}
