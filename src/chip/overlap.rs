//! Reports parts that lie on each other: boxes first, then the area that the outlines share.

use std::collections::HashSet;

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;
use i_overlay::i_shape::float::area::Area;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::assembly::Assembly;
use super::fault::error;
use super::{Part, Shape, Strip};
use crate::diagnostic::Reporter;
use crate::geometry::Point;

/// Parts that aren't connected may share this part of the narrower one's width squared: rounding only.
const STRANGERS_MAY_SHARE: f64 = 1e-6;
/// Connected parts may share a little more: their mouths agree to 1e-6 of the width in place and in direction.
const NEIGHBOURS_MAY_SHARE: f64 = 1e-5;
/// Arcs become polygons with a corner at least every so many radians; a chord is then within 4e-4 radii of its arc.
const ARC_STEP: f64 = std::f64::consts::PI / 60.0;
/// After so many overlapping pairs of parts the search ends: they come in crowds where a design is badly wrong.
const ENOUGH: usize = 100;

/// Reports every pair of components with overlapping parts once (D230).
pub(super) fn check(assembly: &Assembly, out: &mut Reporter) {
    let mut outlines: Vec<Vec<[f64; 2]>> = assembly.parts.iter().map(outline).collect();
    // What is too far out was reported (D205) and lies on nothing; the overlay takes bounded numbers only.
    outlines
        .iter_mut()
        .filter(|outline| !outline.iter().flatten().all(|x| x.abs() < 1e100))
        .for_each(Vec::clear);
    let widths: Vec<f64> = assembly
        .mouths
        .iter()
        .map(|mouths| {
            mouths
                .iter()
                .map(|mouth| mouth.width)
                .fold(f64::INFINITY, f64::min)
        })
        .collect();
    let boxes = outlines
        .iter()
        .enumerate()
        .filter(|(_, outline)| !outline.is_empty())
        .map(|(k, outline)| {
            let envelope = AABB::from_points(outline.iter());
            GeomWithData::new(Rectangle::from_aabb(envelope), k)
        });
    let tree = RTree::bulk_load(boxes.collect());
    let joined: HashSet<(usize, usize)> = assembly
        .joints
        .iter()
        .map(|joint| (joint.connection.a.part, joint.connection.b.part))
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect();

    let disagreeing: HashSet<(usize, usize)> = assembly
        .disagreeing
        .iter()
        .flat_map(|&(a, b)| [(a, b), (b, a)])
        .collect();
    let mut reported = HashSet::new();
    let mut found = 0;
    for (k, outline) in outlines
        .iter()
        .enumerate()
        .filter(|(_, outline)| !outline.is_empty())
    {
        let envelope = AABB::from_points(outline.iter());
        let mut near: Vec<usize> = tree
            .locate_in_envelope_intersecting(envelope)
            .map(|entry| entry.data)
            .collect();
        near.retain(|&other| other > k && !disagreeing.contains(&(k, other)));
        near.sort_unstable();
        for other in near {
            let width = widths[k].min(widths[other]);
            let allowed = if joined.contains(&(k, other)) {
                NEIGHBOURS_MAY_SHARE
            } else {
                STRANGERS_MAY_SHARE
            };
            let pair = (assembly.owners[k], assembly.owners[other]);
            let known = reported.contains(&pair);
            let shared = if known {
                0.0
            } else {
                shared_area(outline, &outlines[other])
            };
            if !known && (shared <= allowed * width * width || !width.is_finite()) {
                continue;
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
fn shared_area(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    // 64-bit integers inside: with 32 bits a pipe of a thousand widths is too coarse for the tolerance.
    let mut overlay = FloatOverlay::<[f64; 2], i64>::from_subj_and_clip(a, b);
    overlay
        .overlay(OverlayRule::Intersect, FillRule::NonZero)
        .area()
        .abs()
}

/// The outline of a part in the chip's frame; arcs as polygons.
pub(super) fn outline(part: &Part) -> Vec<[f64; 2]> {
    let corners = match &part.shape {
        Shape::Polygon { corners, .. } => corners.clone(),
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => vec![
            Point::new(0.0, -width_start / 2.0),
            Point::new(*length, -width_end / 2.0),
            Point::new(*length, width_end / 2.0),
            Point::new(0.0, width_start / 2.0),
        ],
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
            outer.chain(inner).collect()
        }
    };
    corners
        .iter()
        .map(|&corner| part.motion.apply(corner))
        .map(|p| [p.x, p.y])
        .collect()
}
