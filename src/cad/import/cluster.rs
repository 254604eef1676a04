//! Junctions that run into each other become polygons with straight sockets.

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;
use i_overlay::i_shape::float::area::Area;

use super::graph::Graph;
use super::ring::{Corner, OpenEdge, Stretch, split};
use super::sections::{Cluster, End, Outlines, Sections, piece};
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{first_crossing, signed_area};

/// Corners nearer than this part of the width are one.
const SAME_PLACE: f64 = 1e-6;
/// Walls shorter than this many widths are needles for the mesh; they are removed where that leaves a simple polygon.
const SHORT_WALL: f64 = 0.05;
/// Enclosed walls smaller than this many widths squared are dropped: a post of a seventh of the width across.
const SMALLEST_POST: f64 = 0.02;
/// Polygons with more corners are left as they are: looking at every short wall costs time like their number cubed.
const MOST_CORNERS_TO_TIDY: usize = 400;

/// Where a section ends in an open socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SocketKey {
    /// Index into [`Sections::all`].
    pub section: usize,
    /// 0 where the section begins, 1 where it ends.
    pub side: usize,
}

/// A simple polygon with sockets.
#[derive(Debug)]
pub(super) struct Outline {
    /// Counter-clockwise, m.
    pub corners: Vec<Point>,
    /// A socket and the corner that its edge starts from.
    pub sockets: Vec<(SocketKey, usize)>,
    /// A cut that another outline of the cluster shares, and the corner that its edge starts from.
    pub cuts: Vec<(usize, usize)>,
}

/// What became of a cluster.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Usually one; several where pieces meet in a point only.
    pub outlines: Vec<Outline>,
    /// Sockets that other channels reach across.
    pub covered: Vec<SocketKey>,
    /// Whether it encloses a wall that no cuts set free.
    pub encloses: bool,
    /// How many enclosed walls were too small to keep.
    pub dropped_posts: usize,
    /// The outline crosses itself.
    pub crossed: bool,
}

/// The sockets that a cluster has to have.
pub(super) fn sockets(graph: &Graph, sections: &Sections, cluster: &Cluster) -> Vec<SocketKey> {
    let mut sockets = Vec::new();
    for &k in &cluster.sections {
        let section = &sections.all[k];
        let [i, j] = graph.channels[section.channel];
        if section.from > 0.0 || graph.ports[i].is_some() {
            sockets.push(SocketKey {
                section: k,
                side: 0,
            });
        }
        if section.to < graph.length(section.channel) || graph.ports[j].is_some() {
            sockets.push(SocketKey {
                section: k,
                side: 1,
            });
        }
    }
    sockets
}

/// Middle and outward direction (a unit vector) of a socket.
pub(super) fn socket_at(graph: &Graph, sections: &Sections, key: SocketKey) -> (Point, Point) {
    let section = &sections.all[key.section];
    let (start, axis) = (graph.start(section.channel), graph.axis(section.channel));
    if key.side == 0 {
        (start + axis * section.from, -axis)
    } else {
        (start + axis * section.to, axis)
    }
}

/// Unites the pieces of a cluster.
pub(super) fn merge(
    graph: &Graph,
    ends: &[[End; 2]],
    outlines: &Outlines,
    sections: &Sections,
    cluster: &Cluster,
) -> Merged {
    let pieces: Vec<_> = cluster
        .sections
        .iter()
        .map(|&k| piece(graph, ends, &sections.all[k]))
        .collect();
    let shapes = FloatOverlay::<[f64; 2], i64>::from_subj(&pieces)
        .overlay(OverlayRule::Subject, FillRule::NonZero);
    let keys = sockets(graph, sections, cluster);
    let mut merged = Merged {
        covered: keys.clone(),
        ..Merged::default()
    };
    let width = graph.width;
    let mut n_cuts = 0;
    for shape in &shapes {
        let Some((outer, holes)) = shape.split_first() else {
            continue;
        };
        if outer[..].area().abs() <= SAME_PLACE * width * width {
            continue;
        }
        let mut contours = vec![walls(outer, width)];
        for hole in holes {
            let area = hole[..].area().abs();
            if area > SMALLEST_POST * width * width {
                contours.push(walls(hole, width));
            } else if area > SAME_PLACE * width * width {
                merged.dropped_posts += 1;
            }
        }
        for (k, &key) in keys.iter().enumerate() {
            if contours
                .iter_mut()
                .any(|walls| fix_socket(graph, sections, key, k, walls))
            {
                merged.covered.retain(|covered| *covered != key);
            }
        }
        let pieces = if contours.len() == 1 {
            contours
        } else {
            let stretch = |&k: &usize| {
                let section = &sections.all[k];
                Stretch {
                    start: graph.start(section.channel),
                    axis: graph.axis(section.channel),
                    reach: [section.from, section.to],
                    width,
                }
            };
            let own: Vec<Stretch> = cluster.sections.iter().map(stretch).collect();
            split(&contours, &own, width).unwrap_or_else(|| {
                merged.encloses = true;
                Vec::new()
            })
        };
        let mut most = 0;
        for mut corners in pieces {
            tidy(&mut corners, outlines, width);
            let open_edges = || {
                corners
                    .iter()
                    .enumerate()
                    .filter_map(|(k, corner)| Some((corner.open?, k)))
            };
            let socket = |(edge, k)| {
                if let OpenEdge::Socket(socket) = edge {
                    Some((keys[socket], k))
                } else {
                    None
                }
            };
            let cut = |(edge, k)| {
                if let OpenEdge::Cut(cut) = edge {
                    Some((n_cuts + cut, k))
                } else {
                    None
                }
            };
            let (sockets, cuts): (Vec<_>, Vec<_>) = (
                open_edges().filter_map(socket).collect(),
                open_edges().filter_map(cut).collect(),
            );
            most = cuts
                .iter()
                .map(|&(cut, _)| cut + 1 - n_cuts)
                .fold(most, usize::max);
            let corners: Vec<Point> = corners.iter().map(|corner| corner.at).collect();
            merged.crossed |= signed_area(&corners) <= 0.0 || first_crossing(&corners).is_some();
            merged.outlines.push(Outline {
                corners,
                sockets,
                cuts,
            });
        }
        n_cuts += most;
    }
    merged
}

/// A contour as walls, corners that lie on the one before dropped.
fn walls(contour: &[[f64; 2]], width: f64) -> Vec<Corner> {
    let corners = distinct(
        contour.iter().map(|&[x, y]| Point::new(x, y)).collect(),
        width,
    );
    corners
        .into_iter()
        .map(|at| Corner {
            at,
            fixed: false,
            open: None,
        })
        .collect()
}

/// Drops corners that lie on the one before.
fn distinct(corners: Vec<Point>, width: f64) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(corners.len());
    for corner in corners {
        if kept
            .last()
            .is_none_or(|last| (*last - corner).norm() > SAME_PLACE * width)
        {
            kept.push(corner);
        }
    }
    while kept.len() > 1 && (kept[0] - kept[kept.len() - 1]).norm() <= SAME_PLACE * width {
        kept.pop();
    }
    kept
}

/// Finds the edge of a socket and puts its corners in their exact places; false where the walls have no such edge.
fn fix_socket(
    graph: &Graph,
    sections: &Sections,
    key: SocketKey,
    index: usize,
    walls: &mut [Corner],
) -> bool {
    let (middle, direction) = socket_at(graph, sections, key);
    let across = direction.left() * (graph.width / 2.0);
    let near = |p: Point, q: Point| (p - q).norm() <= 2.0 * SAME_PLACE * graph.width;
    let n = walls.len();
    let is_socket = |&k: &usize| {
        near(walls[k].at, middle - across) && near(walls[(k + 1) % n].at, middle + across)
    };
    let Some(first) = (0..n).find(is_socket) else {
        return false;
    };
    walls[first] = Corner {
        at: middle - across,
        fixed: true,
        open: Some(OpenEdge::Socket(index)),
    };
    let second = &mut walls[(first + 1) % n];
    (second.at, second.fixed) = (middle + across, true);
    true
}

/// Drops corners on straight walls and, where it can, walls too short to mesh.
fn tidy(corners: &mut Vec<Corner>, outlines: &Outlines, width: f64) {
    loop {
        drop_straight(corners, width);
        if corners.len() > MOST_CORNERS_TO_TIDY || !remove_short_wall(corners, outlines, width) {
            break;
        }
    }
}

/// Drops corners on straight walls, and the tips of spikes without width.
fn drop_straight(corners: &mut Vec<Corner>, width: f64) {
    let mut k = 0;
    while k < corners.len() && corners.len() > 3 {
        let n = corners.len();
        let (before, corner, after) = (
            corners[(k + n - 1) % n].at,
            corners[k].at,
            corners[(k + 1) % n].at,
        );
        let (to, from) = (corner - before, after - corner);
        if !corners[k].fixed
            && to.cross(from).abs() <= SAME_PLACE * width * to.norm().max(from.norm())
        {
            corners.remove(k);
            k = k.saturating_sub(1);
        } else {
            k += 1;
        }
    }
}

/// Removes one end of the first short wall that can do without; false where there is none.
fn remove_short_wall(corners: &mut Vec<Corner>, outlines: &Outlines, width: f64) -> bool {
    let n = corners.len();
    for k in 0..n {
        let next = (k + 1) % n;
        if (corners[next].at - corners[k].at).norm() >= SHORT_WALL * width || n <= 3 {
            continue;
        }
        for end in [k, next].into_iter().filter(|&end| !corners[end].fixed) {
            let (before, corner, after) = (
                corners[(end + n - 1) % n].at,
                corners[end].at,
                corners[(end + 1) % n].at,
            );
            // Without a corner that points inwards the outline grows: not into another channel.
            let grows = (corner - before).cross(after - corner) < 0.0;
            let gain = [before, corner, after].map(|p| [p.x, p.y]);
            if grows && outlines.covers_some_of(&gain, width) {
                continue;
            }
            let fewer: Vec<Point> = (0..n)
                .filter(|&k| k != end)
                .map(|k| corners[k].at)
                .collect();
            if signed_area(&fewer) > 0.0 && first_crossing(&fewer).is_none() {
                corners.remove(end);
                return true;
            }
        }
    }
    false
}
