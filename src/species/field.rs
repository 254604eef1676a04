//! Streams become values at the nodes of the fields.
//!
//! In pipes by stations whose distances from the entry grow geometrically, as layers do; in regions by the stream function and by how far the
//! nearest stream line has come. Where no stream line passes (eddies, dead ends) a node has what passes nearest.

use std::borrow::Cow;

use rstar::RTree;
use rstar::primitives::GeomWithData;
use stokeslet_base::parallel;

use crate::elliptic::pipe::InPipe;
use crate::elliptic::{Elliptic, Insides};
use crate::network::{NO_PIPE, Network, Pipe, STILL};
use crate::paths::Paths;
use crate::profile::Profile;
use crate::rational::Exponential;
use crate::region::{Line, Way, traced};
use crate::stream::{Places, Stream};
use crate::transport::{Followed, StageTable, Task, Within, advance, even_areas};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_flow::field::Field;

/// Distances of two stations of a pipe from its entry are at most in this ratio.
const RATIO: f64 = 1.8;
/// Where the first station behind the entry is at least, over the pipe's length.
const FIRST: f64 = 1e-4;
/// How much farther than the nearest mark one may be, in widths of the narrowest socket, that knows the stream line better.
const NEAR: f64 = 0.25;

/// Values of tubes with their places, to be read at any eta.
struct Section<'a> {
    places: &'a Places,
    value: Vec<f64>,
}

impl Section<'_> {
    /// Linear between the middles of tubes.
    fn at(&self, eta: f64) -> f64 {
        Middles::at(self.places, eta).read(&self.value)
    }
}

/// A place between the middles of two tubes, or of one at a wall.
#[derive(Clone, Copy)]
struct Middles {
    right: usize,
    left: usize,
    part: f64,
}

impl Middles {
    fn at(places: &Places, eta: f64) -> Self {
        let middle = &places.middle;
        let k = middle.partition_point(|&m| m < eta);
        let (right, left) = (k.saturating_sub(1), k.min(middle.len().saturating_sub(1)));
        let part = match middle.get(right..=left) {
            Some([a, b]) if b > a => (eta - a) / (b - a),
            _ => 0.5,
        };
        Self { right, left, part }
    }

    /// Linear between values at the middles of tubes; 0 without any.
    fn read(self, value: &[f64]) -> f64 {
        match (value.get(self.right), value.get(self.left)) {
            (Some(a), Some(b)) => a + self.part * (b - a),
            _ => 0.0,
        }
    }
}

/// Values of a followed species (or of ages) at every node of the fields.
pub fn nodal(
    chip: &Chip,
    fields: &Field<2>,
    paths: &Paths,
    followed: &Followed,
    task: &Task<'_>,
    elements: &Elements<'_>,
) -> Vec<f64> {
    let net = &paths.net;
    let known = &paths.nodes_of_pipe;
    let nodes_of_pipe = known.get().unwrap_or_else(|| {
        // Found before the lock is taken: threads of the pool must not wait for each other in it.
        let found = nodes_of_pipes(net, fields);
        known.get_or_init(|| found)
    });
    let mut out = vec![0.0; fields.nodes.len()];
    let of_pipe = |p: usize| {
        let nodes = &nodes_of_pipe[p];
        let values = match &followed.modes[p] {
            Some(modes) => by_modes(chip, fields, paths, p, modes, nodes),
            None => in_pipe(chip, fields, paths, p, followed, task, nodes),
        };
        (Cow::Borrowed(&nodes[..]), values)
    };
    let of_region = |r: usize| {
        let traces = followed.traces[r].as_ref();
        let solved = traces.and_then(|traces| by_elements(elements, paths, r, traces));
        solved.unwrap_or_else(|| in_region(fields, paths, r, &followed.regions[r]))
    };
    let regions = net.regions.len();
    let found = parallel::map(regions + nodes_of_pipe.len(), 1, |k| {
        match k.checked_sub(regions) {
            Some(p) => of_pipe(p),
            None => of_region(k),
        }
    });
    for (nodes, values) in found {
        for (n, v) in nodes.iter().zip(values) {
            out[*n as usize] = v;
        }
    }
    out
}

/// The elements that solved regions, and what they know of their insides.
pub type Elements<'a> = (Elliptic<'a>, &'a Insides);

/// Values in a region that elements solved.
fn by_elements<'a>(
    elements: &Elements<'_>,
    paths: &'a Paths,
    r: usize,
    traces: &[Vec<f64>],
) -> Option<(Cow<'a, [u32]>, Vec<f64>)> {
    let (psi, (engine, insides)) = (&paths.psi[r], elements);
    let mut values = engine.inside(insides, r, &traces.concat())?;
    values.iter_mut().for_each(|c| *c += engine.reference);
    Some((Cow::Borrowed(&psi.nodes), values))
}

/// Values in a pipe that was solved as modes.
fn by_modes(
    chip: &Chip,
    fields: &Field<2>,
    paths: &Paths,
    p: usize,
    modes: &InPipe,
    nodes: &[u32],
) -> Vec<f64> {
    let pipe = &paths.net.pipes[p];
    let place = place_in_pipe(chip, fields, pipe);
    // Nodes of one cross-section share its values.
    let mut order: Vec<(usize, [f64; 2])> = nodes.iter().map(|&n| place(n)).enumerate().collect();
    order.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
    let mut out = vec![0.0; nodes.len()];
    let mut section: Option<(f64, Vec<f64>)> = None;
    for (k, [from, eta]) in order {
        let x = from * modes.length;
        let (_, values) = match section.take() {
            Some(known) if (known.0 - x).abs() < 1e-9 => section.insert(known),
            _ => section.insert((x, modes.at(x))),
        };
        out[k] = modes.section.at(values, eta);
    }
    out
}

/// Where nodes of a pipe lie along the flow, 0..1, and over eta.
pub(crate) fn place_in_pipe<'a>(
    chip: &Chip,
    fields: &'a Field<2>,
    pipe: &'a Pipe,
) -> impl Fn(u32) -> [f64; 2] + 'a {
    let motion = &chip.parts[pipe.part].motion;
    let side = if motion.mirror == (pipe.flow > 0.0) {
        -1.0
    } else {
        1.0
    };
    let back = motion.inverse().to_apply();
    move |node| {
        let x = back(fields.nodes[node as usize]);
        let eta = (0.5 + side * x.y / pipe.width).clamp(0.0, 1.0);
        let from = (x.x - pipe.along[0]) / pipe.length;
        let from = if pipe.flow > 0.0 { from } else { 1.0 - from };
        [from.clamp(0.0, 1.0), eta]
    }
}

fn in_pipe(
    chip: &Chip,
    fields: &Field<2>,
    paths: &Paths,
    p: usize,
    followed: &Followed,
    task: &Task<'_>,
    nodes: &[u32],
) -> Vec<f64> {
    let net = &paths.net;
    let pipe = &net.pipes[p];
    let Some([begin, _]) = followed.pipes[p]
        .as_ref()
        .filter(|_| pipe.flow.abs() >= STILL * net.largest)
    else {
        return vec![0.0; nodes.len()];
    };
    let profile = net.profile(pipe.width);
    let place = place_in_pipe(chip, fields, pipe);
    let at: Vec<[f64; 2]> = nodes.iter().map(|&n| place(n)).collect();
    let parts = stations(at.iter().map(|[from, _]| *from));
    let mut scratch = Exponential::default();
    // Tubes keep their flows along a pipe, so they keep their places.
    let places = begin.places(profile);
    let sections: Vec<Vec<f64>> = parts
        .iter()
        .map(|part| {
            let mut stream = begin.clone();
            // Fields show means of ages.
            stream.square.clear();
            let (length, area) = (
                part * pipe.length / pipe.width,
                part * pipe.length * pipe.width,
            );
            let stage: StageTable<'_> = (&|_| length, &|edges| even_areas(area, edges));
            advance(&mut stream, &places, task, stage, &mut scratch);
            stream.value
        })
        .collect();
    let value = |&[from, eta]: &[f64; 2]| {
        let (k, t) = between(&parts, from);
        let middles = Middles::at(&places, eta);
        (1.0 - t) * middles.read(&sections[k - 1]) + t * middles.read(&sections[k])
    };
    at.iter().map(value).collect()
}

/// By pipe: the nodes of its cells, each once.
pub(crate) fn nodes_of_pipes(net: &Network, fields: &Field<2>) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); net.pipes.len()];
    for (cell, &p) in fields.cells.iter().zip(&net.pipe_of_cell) {
        if p != NO_PIPE {
            out[p as usize].extend(cell);
        }
    }
    parallel::map_owned(out, |mut nodes| {
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    })
}

/// The station behind a place, and how far the place is from the one before to that: layers grow like the root of the distance.
pub(crate) fn between(stations: &[f64], from: f64) -> (usize, f64) {
    let k = stations
        .partition_point(|&part| part < from)
        .clamp(1, stations.len() - 1);
    let (a, b) = (stations[k - 1].sqrt(), stations[k].sqrt());
    (k, (from.sqrt() - a) / (b - a))
}

/// Stations of a pipe over its length: its entry, where the nearest of the nodes behind it is, and on to its end.
pub(crate) fn stations(nodes: impl Iterator<Item = f64>) -> Vec<f64> {
    let nearest = nodes.filter(|&from| from > 1e-9).fold(1.0, f64::min);
    let first = nearest.max(FIRST);
    let count = ((1.0 / first).ln() / RATIO.ln()).ceil();
    let ratio = first.powf(-1.0 / count);
    let behind = (0..=count as i32).map(|k| (first * ratio.powi(k)).min(1.0));
    std::iter::once(0.0).chain(behind).collect()
}

/// A point of a stream line: its bundle, its stage, and how far it has come in it.
#[derive(Clone, Copy)]
struct Mark {
    at: Point,
    bundle: u32,
    stage: u8,
    part: f64,
}

/// The points of all stream lines of a region.
fn marks(paths: &Paths, r: usize) -> Vec<Mark> {
    let mut out = Vec::new();
    let bundles = traced(&paths.net, r, &paths.psi[r], &paths.ways[r]);
    for (b, lines) in bundles.iter().enumerate() {
        for (Line { cuts, .. }, trace) in lines {
            let (a, c) = (cuts[0].min(cuts[1]), cuts[0].max(cuts[1]));
            let whole = trace.length[trace.length.len() - 1];
            let ends = [0.0, a, c, whole].map(|l| trace.at(&trace.work, l));
            for (k, &at) in trace.points.iter().enumerate() {
                let stage = usize::from(trace.length[k] > a) + usize::from(trace.length[k] > c);
                let span = ends[stage + 1] - ends[stage];
                let part = if span > 0.0 {
                    ((trace.work[k] - ends[stage]) / span).clamp(0.0, 1.0)
                } else {
                    1.0
                };
                out.push(Mark {
                    at,
                    bundle: b as u32,
                    stage: stage as u8,
                    part,
                });
            }
        }
    }
    out
}

/// Where a node of a region lies among its streams, whatever they carry.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    stage: u8,
    /// Index of the inlet, chain or outlet.
    stream: u32,
    /// How far it has come in its stage, 0..1.
    part: f64,
    eta: f64,
}

/// Places of a region's nodes, in the order of its stream function.
fn places(fields: &Field<2>, paths: &Paths, r: usize) -> Vec<Place> {
    let (psi, ways, region) = (&paths.psi[r], &paths.ways[r], &paths.net.regions[r]);
    let marks = marks(paths, r);
    let width = region
        .sockets
        .iter()
        .map(|m| m.width)
        .fold(f64::INFINITY, f64::min);
    let near = width * NEAR;
    let mut by_bundle = vec![Vec::new(); ways.bundles.len()];
    for mark in marks {
        by_bundle[mark.bundle as usize].push(GeomWithData::new([mark.at.x, mark.at.y], mark));
    }
    let nearby: Vec<_> = by_bundle.into_iter().map(RTree::bulk_load).collect();
    // Chain of every bundle, and the flow to the right of it there.
    let mut in_chain = vec![(0, 0.0, 1.0); ways.bundles.len()];
    let flow = |b: usize| ways.bundles[b].psi[1] - ways.bundles[b].psi[0];
    for (c, chain) in ways.chains.iter().enumerate() {
        let whole: f64 = chain.bundles.iter().map(|&b| flow(b)).sum();
        let mut below = 0.0;
        for &b in &chain.bundles {
            in_chain[b] = (c, below, whole);
            below += flow(b);
        }
    }
    let place = |k: usize| {
        let (at, s) = (fields.nodes[psi.nodes[k] as usize], psi.value[k]);
        let nearest = |tree: &RTree<GeomWithData<[f64; 2], Mark>>| {
            let entry = tree.nearest_neighbor([at.x, at.y])?;
            let [x, y] = *entry.geom();
            Some((entry.data, (x - at.x).hypot(y - at.y)))
        };
        // Where a bundle is near that this stream line belongs to, no other is asked for.
        let holds = |b: usize| {
            let [low, high] = ways.bundles[b].psi;
            (low..=high).contains(&s)
        };
        let closest = |holding: bool| {
            let trees = nearby.iter().enumerate();
            let trees = trees.filter(|(b, _)| holds(*b) == holding);
            let found = trees.filter_map(|(_, tree)| nearest(tree));
            found.min_by(|a, b| a.1.total_cmp(&b.1))
        };
        // The nearest mark, or one that is nearly as near and whose bundle this stream line belongs to.
        let own = closest(true);
        let mark = match own {
            Some((mark, distance)) if distance <= near => mark,
            _ => match (own, closest(false)) {
                (Some((mark, distance)), Some((_, least))) if distance <= least + near => mark,
                (_, Some((other, _))) => other,
                (own, None) => own?.0,
            },
        };
        let b = mark.bundle as usize;
        let bundle = &ways.bundles[b];
        let s = s.clamp(bundle.psi[0], bundle.psi[1]);
        let of_way = |way: &Way| (way.profile, (s - way.psi[0]) / (way.psi[1] - way.psi[0]));
        let (stream, (profile, part)) = match mark.stage {
            0 => (bundle.inlet, of_way(&ways.inlets[bundle.inlet])),
            1 => {
                let (c, below, whole) = in_chain[b];
                let part = (below + s - bundle.psi[0]) / whole;
                (c, (ways.chains[c].profile, part))
            }
            _ => (bundle.outlet, of_way(&ways.outlets[bundle.outlet])),
        };
        Some(Place {
            stage: mark.stage,
            stream: stream as u32,
            part: mark.part,
            eta: profile.eta(part.clamp(0.0, 1.0)),
        })
    };
    (0..psi.nodes.len()).filter_map(place).collect()
}

fn in_region<'a>(
    fields: &Field<2>,
    paths: &'a Paths,
    r: usize,
    within: &Within,
) -> (Cow<'a, [u32]>, Vec<f64>) {
    let (psi, ways, region) = (&paths.psi[r], &paths.ways[r], &paths.net.regions[r]);
    if ways.bundles.is_empty() {
        let mut nodes: Vec<u32> = region
            .cells
            .iter()
            .flat_map(|&c| fields.cells[c as usize])
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let values = vec![0.0; nodes.len()];
        return (Cow::Owned(nodes), values);
    }
    // A stage's tubes keep their flows, so its ends share their places.
    let with_places = |list: &'_ [[Stream; 2]], profiles: Vec<Profile>| -> Vec<Places> {
        let both = list.iter().zip(profiles);
        both.map(|(ends, profile)| ends[0].places(profile))
            .collect()
    };
    let of_ways = |ways: &[Way]| ways.iter().map(|w| w.profile).collect();
    let of_chains = ways.chains.iter().map(|c| c.profile).collect();
    let lists = [&within.inlets, &within.chains, &within.outlets];
    let along = [
        with_places(&within.inlets, of_ways(&ways.inlets)),
        with_places(&within.chains, of_chains),
        with_places(&within.outlets, of_ways(&ways.outlets)),
    ];
    let section = |places, end: &Stream| Section {
        places,
        value: end.value.clone(),
    };
    let stages: Vec<Vec<[Section<'_>; 2]>> = (lists.iter().zip(&along))
        .map(|(list, places)| {
            let both = list.iter().zip(places);
            both.map(|(ends, places)| [0, 1].map(|end| section(places, &ends[end])))
                .collect()
        })
        .collect();
    let places = paths.places[r].get_or_init(|| places(fields, paths, r));
    let value = |place: &Place| {
        let [begin, end] = &stages[usize::from(place.stage)][place.stream as usize];
        (1.0 - place.part) * begin.at(place.eta) + place.part * end.at(place.eta)
    };
    let values = places.iter().map(value).collect();
    (Cow::Borrowed(&psi.nodes), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_are_as_many_as_nodes_can_tell_apart() {
        for (nodes, least, most) in [(vec![0.0, 0.3, 1.0], 3, 5), (vec![0.0, 1e-7, 0.2], 17, 18)] {
            let parts = stations(nodes.iter().copied());
            assert!((least..=most).contains(&parts.len()), "{parts:?}");
            assert!(
                parts[0] == 0.0
                    && parts[1] <= nodes[1].max(FIRST)
                    && (parts[parts.len() - 1] - 1.0).abs() < 1e-12
            );
            assert!(
                parts[1..]
                    .windows(2)
                    .all(|p| p[1] > p[0] && p[1] < 1.001 * RATIO * p[0])
            );
        }
        assert_eq!(
            stations([0.0, 1.0].into_iter()),
            [0.0, 1.0],
            "a node at each end"
        );
    }
}
