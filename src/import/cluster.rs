//! Junctions that run into each other become polygons with straight mouths.

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;
use i_overlay::i_shape::float::area::Area;

use super::graph::Graph;
use super::sections::{Cluster, End, Outlines, Sections, piece};
use crate::geometry::Point;
use crate::geometry::outline::{first_crossing, signed_area};

/// Corners nearer than this part of the width are one.
const SAME_PLACE: f64 = 1e-6;
/// Walls shorter than this many widths are needles for the mesh; they are removed where that leaves a simple polygon.
const SHORT_WALL: f64 = 0.05;
/// Enclosed walls smaller than this many widths squared are dropped: a post of a seventh of the width across.
const SMALLEST_POST: f64 = 0.02;
/// Polygons with more corners are left as they are: looking at every short wall costs time like their number cubed.
const MOST_CORNERS_TO_TIDY: usize = 400;

/// Where a section ends in an open mouth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct MouthKey {
    /// Index into [`Sections::all`].
    pub section: usize,
    /// 0 where the section begins, 1 where it ends.
    pub side: usize,
}

/// A simple polygon with mouths.
#[derive(Debug)]
pub(super) struct Outline {
    /// Counter-clockwise, m.
    pub corners: Vec<Point>,
    /// A mouth and the corner that its edge starts from.
    pub mouths: Vec<(MouthKey, usize)>,
}

/// What became of a cluster.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Usually one; several where pieces meet in a point only.
    pub outlines: Vec<Outline>,
    /// Mouths that other channels reach across.
    pub covered: Vec<MouthKey>,
    /// Area of the largest enclosed wall that is worth keeping, m^2.
    pub enclosed: f64,
    /// How many enclosed walls were too small to keep.
    pub dropped_posts: usize,
    /// The outline crosses itself.
    pub crossed: bool,
}

/// The mouths that a cluster has to have.
pub(super) fn mouths(graph: &Graph, sections: &Sections, cluster: &Cluster) -> Vec<MouthKey> {
    let mut mouths = Vec::new();
    for &k in &cluster.sections {
        let section = &sections.all[k];
        let [i, j] = graph.channels[section.channel];
        if section.from > 0.0 || graph.ports[i].is_some() {
            mouths.push(MouthKey { section: k, side: 0 });
        }
        if section.to < graph.length(section.channel) || graph.ports[j].is_some() {
            mouths.push(MouthKey { section: k, side: 1 });
        }
    }
    mouths
}

/// Middle and outward direction (a unit vector) of a mouth.
pub(super) fn mouth_at(graph: &Graph, sections: &Sections, key: MouthKey) -> (Point, Point) {
    let section = &sections.all[key.section];
    let (start, axis) = (graph.start(section.channel), graph.axis(section.channel));
    if key.side == 0 {
        (start + axis * section.from, -axis)
    } else {
        (start + axis * section.to, axis)
    }
}

/// Unites the pieces of a cluster.
pub(super) fn merge(graph: &Graph, ends: &[[End; 2]], outlines: &Outlines, sections: &Sections, cluster: &Cluster) -> Merged {
    let pieces: Vec<_> = cluster
        .sections
        .iter()
        .map(|&k| piece(graph, ends, &sections.all[k]))
        .collect();
    let shapes = FloatOverlay::<[f64; 2], i64>::from_subj(&pieces).overlay(OverlayRule::Subject, FillRule::NonZero);
    let keys = mouths(graph, sections, cluster);
    let mut merged = Merged::default();
    let mut found = Vec::new();
    let width = graph.width;
    for shape in &shapes {
        let Some((outer, holes)) = shape.split_first() else { continue };
        if outer[..].area().abs() <= SAME_PLACE * width * width {
            continue;
        }
        for hole in holes {
            let area = hole[..].area().abs();
            if area > SMALLEST_POST * width * width {
                merged.enclosed = merged.enclosed.max(area);
            } else if area > SAME_PLACE * width * width {
                merged.dropped_posts += 1;
            }
        }
        let mut corners: Vec<Point> = outer.iter().map(|&[x, y]| Point::new(x, y)).collect();
        if signed_area(&corners) < 0.0 {
            corners.reverse();
        }
        let mut corners = distinct(corners, width);
        let mut fixed = vec![false; corners.len()];
        let mut mouths = Vec::new();
        for &key in &keys {
            if let Some(first) = fix_mouth(graph, sections, key, &mut corners) {
                let second = (first + 1) % corners.len();
                (fixed[first], fixed[second]) = (true, true);
                mouths.push((key, first));
                found.push(key);
            }
        }
        let outline = tidy(Outline { corners, mouths }, fixed, outlines, width);
        merged.crossed |= first_crossing(&outline.corners).is_some();
        merged.outlines.push(outline);
    }
    merged.covered = keys.into_iter().filter(|key| !found.contains(key)).collect();
    merged
}

/// Drops corners that lie on the one before.
fn distinct(corners: Vec<Point>, width: f64) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(corners.len());
    for corner in corners {
        if kept.last().is_none_or(|last| (*last - corner).norm() > SAME_PLACE * width) {
            kept.push(corner);
        }
    }
    while kept.len() > 1 && (kept[0] - kept[kept.len() - 1]).norm() <= SAME_PLACE * width {
        kept.pop();
    }
    kept
}

/// Finds the edge of a mouth and puts its corners in their exact places; none where the outline has no such edge.
fn fix_mouth(graph: &Graph, sections: &Sections, key: MouthKey, corners: &mut [Point]) -> Option<usize> {
    let (middle, direction) = mouth_at(graph, sections, key);
    let across = direction.left() * (graph.width / 2.0);
    let near = |p: Point, q: Point| (p - q).norm() <= 2.0 * SAME_PLACE * graph.width;
    let n = corners.len();
    let first = (0..n).find(|&k| near(corners[k], middle - across) && near(corners[(k + 1) % n], middle + across))?;
    corners[first] = middle - across;
    corners[(first + 1) % n] = middle + across;
    Some(first)
}

/// Drops corners on straight walls and, where it can, walls too short to mesh.
fn tidy(outline: Outline, mut fixed: Vec<bool>, outlines: &Outlines, width: f64) -> Outline {
    let Outline { mut corners, mouths } = outline;
    let firsts: Vec<Point> = mouths.iter().map(|&(_, first)| corners[first]).collect();
    loop {
        drop_straight(&mut corners, &mut fixed, width);
        if corners.len() > MOST_CORNERS_TO_TIDY || !remove_short_wall(&mut corners, &mut fixed, outlines, width) {
            break;
        }
    }
    let place = |p: &Point| {
        corners
            .iter()
            .position(|corner| corner == p)
            .expect("corners of mouths are never removed")
    };
    let mouths = mouths
        .iter()
        .zip(&firsts)
        .map(|(&(key, _), first)| (key, place(first)))
        .collect();
    Outline { corners, mouths }
}

/// Drops corners on straight walls, and the tips of spikes without width.
fn drop_straight(corners: &mut Vec<Point>, fixed: &mut Vec<bool>, width: f64) {
    let mut k = 0;
    while k < corners.len() && corners.len() > 3 {
        let n = corners.len();
        let (to, from) = (corners[k] - corners[(k + n - 1) % n], corners[(k + 1) % n] - corners[k]);
        if !fixed[k] && to.cross(from).abs() <= SAME_PLACE * width * to.norm().max(from.norm()) {
            corners.remove(k);
            fixed.remove(k);
            k = k.saturating_sub(1);
        } else {
            k += 1;
        }
    }
}

/// Removes one end of the first short wall that can do without; false where there is none.
fn remove_short_wall(corners: &mut Vec<Point>, fixed: &mut Vec<bool>, outlines: &Outlines, width: f64) -> bool {
    let n = corners.len();
    for k in 0..n {
        let next = (k + 1) % n;
        if (corners[next] - corners[k]).norm() >= SHORT_WALL * width || n <= 3 {
            continue;
        }
        for end in [k, next] {
            if fixed[end] {
                continue;
            }
            let (before, corner, after) = (corners[(end + n - 1) % n], corners[end], corners[(end + 1) % n]);
            // Without a corner that points inwards the outline grows: not into another channel.
            let grows = (corner - before).cross(after - corner) < 0.0;
            let gain = [before, corner, after].map(|p| [p.x, p.y]);
            if grows && outlines.covers_some_of(&gain, width) {
                continue;
            }
            let mut fewer = corners.clone();
            fewer.remove(end);
            if signed_area(&fewer) > 0.0 && first_crossing(&fewer).is_none() {
                *corners = fewer;
                fixed.remove(end);
                return true;
            }
        }
    }
    false
}
