//! Cuts a polygon with holes into simple ones: across the channels that run around each hole.
//!
//! ```text
//!  outer  ___________            A cut joins two contours across a channel. Walking the walls with the inside to the left, and
//!        |   __|__   |           crossing over wherever a cut begins, traces the pieces; every cut is an edge of two of them.
//!        |  |hole |--|
//!        |  |_____|  |
//! ```

use stokeslet_base::geometry::Point;

/// Cuts end at least this many widths from the corners of walls, and keep this far from each other.
const CLEARANCE: f64 = 0.06;
/// Cuts longer than this many widths run along a channel rather than across it.
const LONGEST_CUT: f64 = 2.5;
/// Stations tried along every stretch.
const STATIONS: usize = 24;

/// A corner of a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Where, m.
    pub at: Point,
    /// Whether it belongs to a socket or a cut, and so has to stay.
    pub fixed: bool,
    /// The index of a socket or cut on the edge from here to the next corner.
    pub open: Option<OpenEdge>,
}

/// What an open edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenEdge {
    /// A socket, by its index in the cluster's list.
    Socket(usize),
    /// A cut, shared by two pieces.
    Cut(usize),
}

/// A stretch of a channel, across which cuts may run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// On the channel's axis, where its lengths count from, m.
    pub start: Point,
    /// Along it, a unit vector.
    pub axis: Point,
    /// Where the stretch begins and ends, m.
    pub reach: [f64; 2],
    /// Width of the channel, m.
    pub width: f64,
}

/// One end of a possible cut: a place on an edge of a contour.
#[derive(Clone, Copy)]
struct Hit {
    contour: usize,
    edge: usize,
    /// From the edge's first corner, m.
    along: f64,
    at: Point,
}

/// The pieces, each counter-clockwise; none where no cuts take the holes apart.
///
/// - `contours`: the outer one counter-clockwise, holes clockwise
/// - `stretches`: of the channels along which to look for cuts
/// - `width`: of the narrowest of them, m
pub(super) fn split(
    contours: &[Vec<Corner>],
    stretches: &[Stretch],
    width: f64,
) -> Option<Vec<Vec<Corner>>> {
    let mut cuts: Vec<[Hit; 2]> = Vec::new();
    for cut in candidates(contours, stretches) {
        if cuts
            .iter()
            .all(|other| apart(&cut, other, CLEARANCE * width))
        {
            cuts.push(cut);
        }
    }
    loop {
        let (pieces, idle) = trace(contours, &cuts);
        if !idle.is_empty() {
            // A cut with one piece on both sides takes nothing apart.
            let mut k = 0;
            cuts.retain(|_| {
                k += 1;
                !idle.contains(&(k - 1))
            });
            continue;
        }
        return connected(contours.len(), &cuts).then_some(pieces);
    }
}

/// Possible cuts, the shortest of every stretch, shortest first.
fn candidates(contours: &[Vec<Corner>], stretches: &[Stretch]) -> Vec<[Hit; 2]> {
    let length = |cut: &[Hit; 2]| (cut[0].at - cut[1].at).norm();
    let shortest = |stretch: &Stretch| {
        let (axis, [begin, end]) = (stretch.axis, stretch.reach);
        let stations = (0..STATIONS).map(|k| (k as f64 + 0.5) / STATIONS as f64);
        let cuts = stations.filter_map(|share| {
            let from = stretch.start + axis * (begin + share * (end - begin));
            let hits = [
                hit(contours, from, axis.left())?,
                hit(contours, from, -axis.left())?,
            ];
            let clear = hits
                .iter()
                .all(|hit| is_clear(contours, hit, CLEARANCE * stretch.width));
            (hits[0].contour != hits[1].contour
                && clear
                && length(&hits) <= LONGEST_CUT * stretch.width)
                .then_some(hits)
        });
        cuts.min_by(|a, b| length(a).total_cmp(&length(b)))
    };
    let mut cuts: Vec<[Hit; 2]> = stretches.iter().filter_map(shortest).collect();
    cuts.sort_by(|a, b| length(a).total_cmp(&length(b)));
    cuts
}

/// The first wall that a ray meets.
fn hit(contours: &[Vec<Corner>], from: Point, direction: Point) -> Option<Hit> {
    let mut best: Option<(f64, Hit)> = None;
    for (contour, corners) in contours.iter().enumerate() {
        for edge in 0..corners.len() {
            let (a, b) = (corners[edge].at, corners[(edge + 1) % corners.len()].at);
            let turn = direction.cross(b - a);
            if turn == 0.0 {
                continue;
            }
            let distance = (a - from).cross(b - a) / turn;
            let share = (a - from).cross(direction) / turn;
            if distance > 0.0
                && (0.0..=1.0).contains(&share)
                && best.is_none_or(|(least, _)| distance < least)
            {
                let along = share * (b - a).norm();
                best = Some((
                    distance,
                    Hit {
                        contour,
                        edge,
                        along,
                        at: from + direction * distance,
                    },
                ));
            }
        }
    }
    best.map(|(_, hit)| hit)
}

/// Whether a cut may end here: on a wall, away from its corners.
fn is_clear(contours: &[Vec<Corner>], hit: &Hit, clearance: f64) -> bool {
    let corners = &contours[hit.contour];
    let length = (corners[(hit.edge + 1) % corners.len()].at - corners[hit.edge].at).norm();
    corners[hit.edge].open.is_none() && hit.along >= clearance && length - hit.along >= clearance
}

/// Whether two cuts neither cross nor come near each other.
fn apart(a: &[Hit; 2], b: &[Hit; 2], clearance: f64) -> bool {
    let side = |p: Point, q: Point, r: Point| (q - p).cross(r - p);
    let [(p, q), (r, s)] = [a, b].map(|cut| (cut[0].at, cut[1].at));
    let crosses = side(p, q, r) * side(p, q, s) <= 0.0 && side(r, s, p) * side(r, s, q) <= 0.0;
    let distance = |p: Point, (a, b): (Point, Point)| {
        let share = (b - a).dot(p - a) / (b - a).dot(b - a);
        (p - (a + (b - a) * share.clamp(0.0, 1.0))).norm()
    };
    let ends = [
        distance(p, (r, s)),
        distance(q, (r, s)),
        distance(r, (p, q)),
        distance(s, (p, q)),
    ];
    !crosses && ends.into_iter().all(|distance| distance >= clearance)
}

/// The pieces that cuts leave, and the cuts with one piece on both sides.
fn trace(contours: &[Vec<Corner>], cuts: &[[Hit; 2]]) -> (Vec<Vec<Corner>>, Vec<usize>) {
    // All corners in one list, the ends of cuts among them; `next` goes along the wall, `across` over the cut.
    let (mut corners, mut next, mut across): (Vec<Corner>, Vec<usize>, Vec<Option<usize>>) =
        Default::default();
    let mut place = vec![[0; 2]; cuts.len()];
    for (contour, walls) in contours.iter().enumerate() {
        let first = corners.len();
        for (edge, &corner) in walls.iter().enumerate() {
            corners.push(corner);
            let ends = cuts.iter().enumerate().flat_map(|(cut, hits)| {
                hits.iter()
                    .enumerate()
                    .map(move |(end, hit)| (cut, end, hit))
            });
            let mut ends: Vec<_> = ends
                .filter(|(_, _, hit)| (hit.contour, hit.edge) == (contour, edge))
                .collect();
            ends.sort_by(|a, b| a.2.along.total_cmp(&b.2.along));
            for (cut, end, hit) in ends {
                place[cut][end] = corners.len();
                corners.push(Corner {
                    at: hit.at,
                    fixed: true,
                    open: None,
                });
            }
        }
        next.extend(first + 1..corners.len());
        next.push(first);
    }
    across.resize(corners.len(), None);
    let mut cut_at = vec![None; corners.len()];
    for (cut, &[a, b]) in place.iter().enumerate() {
        (across[a], across[b]) = (Some(b), Some(a));
        (cut_at[a], cut_at[b]) = (Some(cut), Some(cut));
    }
    let mut pieces: Vec<Vec<Corner>> = Vec::new();
    let mut done = vec![false; corners.len()];
    let mut sides: Vec<Vec<usize>> = vec![Vec::new(); cuts.len()];
    for start in 0..corners.len() {
        if done[start] {
            continue;
        }
        // Each step leaves a corner along its wall; a cut that begins where the step ends is crossed at once.
        let (mut piece, mut k) = (Vec::new(), start);
        while !done[k] {
            done[k] = true;
            piece.push(corners[k]);
            k = next[k];
            if let (Some(over), Some(cut)) = (across[k], cut_at[k]) {
                piece.push(Corner {
                    open: Some(OpenEdge::Cut(cut)),
                    ..corners[k]
                });
                sides[cut].push(pieces.len());
                k = over;
            }
        }
        pieces.push(piece);
    }
    let idle = (0..cuts.len())
        .filter(|&cut| sides[cut].first() == sides[cut].last())
        .collect();
    (pieces, idle)
}

/// Whether the cuts hold all contours together: only then is every piece without holes.
fn connected(n_contours: usize, cuts: &[[Hit; 2]]) -> bool {
    let mut reached = vec![false; n_contours];
    reached[0] = true;
    for _ in 0..n_contours {
        for [a, b] in cuts {
            let any = reached[a.contour] || reached[b.contour];
            (reached[a.contour], reached[b.contour]) = (any, any);
        }
    }
    reached.into_iter().all(|reached| reached)
}
