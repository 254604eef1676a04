//! Cuts every channel into sections that belong to junctions and pipes between them.
//!
//! ```text
//! node i |=====section=====|-------- pipe --------|==section==| node j
//!        0               reach                              length
//! ```
//! A station of a channel is blocked where other channels touch its walls: near its nodes, up to where neighbouring walls
//! meet, and wherever another channel lies across. Blocked stretches are sections; sections that touch belong to one cluster.

use std::f64::consts::{PI, TAU};

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;
use i_overlay::i_shape::float::area::Area;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::graph::Graph;
use crate::library::junction_outline;
use stokeslet_base::geometry::Point;

/// The shortest pipe worth having, in widths: a shorter one would be a slice thinner than a cell.
const SHORTEST_PIPE: f64 = 0.1;
/// Added around stretches that other channels block, in widths, so that no sliver of wall is left.
const MARGIN: f64 = 0.1;
/// Corners farther from the node than this many widths are cut off, as junctions do.
const MITRE_LIMIT: f64 = 2.0;
/// Lengths that differ by less than this part of the width are equal.
pub(super) const EQUAL: f64 = 1e-9;
/// Channels may share this part of the width squared and count as touching only.
const SHARED: f64 = 1e-9;

/// Where the walls of a channel begin at one of its nodes, m along the channel from the node; negative for outer corners.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    /// Beginning of the wall to the left, seen from the node.
    pub left: f64,
    /// Beginning of the wall to the right.
    pub right: f64,
    /// Where the left wall begins, in the chip's frame; shared bit for bit with the neighbour's right wall.
    pub left_corner: Point,
    /// Where the right wall begins.
    pub right_corner: Point,
    /// How far from the node a lone junction cuts the channel, m; at least as far as both walls begin.
    pub reach: f64,
}

impl End {
    /// The least distance at which the channel can be cut, m.
    fn clear(&self) -> f64 {
        self.left.max(self.right).max(0.0)
    }
}

/// A stretch of a channel that belongs to a junction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// Index of the channel.
    pub channel: usize,
    /// Station where it begins, m from the channel's first node.
    pub from: f64,
    /// Station where it ends, m.
    pub to: f64,
}

/// All sections of a network, and which of them touch.
#[derive(Debug)]
pub(super) struct Sections {
    /// By channel, then by station.
    pub all: Vec<Section>,
    /// Sections of every channel: a range of `all`.
    pub of_channel: Vec<std::ops::Range<usize>>,
    /// Clusters: indices into `all`, in order; of the node alone where no section is listed.
    pub clusters: Vec<Cluster>,
}

/// Junctions that run into each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Cluster {
    /// Nodes with at least two channels.
    pub nodes: Vec<usize>,
    /// Indices into [`Sections::all`].
    pub sections: Vec<usize>,
}

/// Where walls begin at both ends of every channel.
pub(super) fn ends(graph: &Graph) -> Vec<[End; 2]> {
    let mut ends = vec![[End::default(); 2]; graph.channels.len()];
    let half = graph.width / 2.0;
    for (fan, &node) in graph
        .arms
        .iter()
        .zip(&graph.nodes)
        .filter(|(fan, _)| fan.len() > 1)
    {
        for (k, arm) in fan.iter().enumerate() {
            let next = &fan[(k + 1) % fan.len()];
            let gap = (next.direction - arm.direction).rem_euclid(TAU);
            let mut start = if (gap - PI).abs() < 1e-12 {
                0.0
            } else {
                half / (gap / 2.0).tan()
            };
            let (this, that) = (Point::unit(arm.direction), Point::unit(next.direction));
            let mut corners = [node + this.left() * half + this * start; 2];
            if gap > PI && half.hypot(start) > MITRE_LIMIT * graph.width {
                start = 0.0;
                corners = [node + this.left() * half, node - that.left() * half];
            }
            let end = &mut ends[arm.channel][arm.end];
            (end.left, end.left_corner) = (start, corners[0]);
            let end = &mut ends[next.channel][next.end];
            (end.right, end.right_corner) = (start, corners[1]);
        }
        let sockets: Vec<(f64, f64)> = fan.iter().map(|arm| (arm.direction, graph.width)).collect();
        let reaches = junction_outline(&sockets)
            .map(|outline| outline.reaches)
            .unwrap_or_default();
        for (k, arm) in fan.iter().enumerate() {
            let end = &mut ends[arm.channel][arm.end];
            end.reach = reaches.get(k).copied().unwrap_or(0.0).max(end.clear());
        }
    }
    ends
}

/// Cuts all channels; `floors` are the least reaches (m) that an earlier attempt asked for, by channel and end.
pub(super) fn cut(
    graph: &Graph,
    ends: &[[End; 2]],
    blocks: &[Block],
    floors: &[[f64; 2]],
) -> Sections {
    let mut blocked: Vec<Vec<(f64, f64)>> = vec![Vec::new(); graph.channels.len()];
    for block in blocks {
        for (channel, stretch) in block {
            blocked[*channel].push(*stretch);
        }
    }
    let (mut all, mut of_channel) = (Vec::new(), Vec::new());
    for (channel, stretches) in blocked.iter().enumerate() {
        let first = all.len();
        let sections = cut_channel(graph, channel, &ends[channel], stretches, &floors[channel]);
        all.extend(
            sections
                .into_iter()
                .map(|(from, to)| Section { channel, from, to }),
        );
        of_channel.push(first..all.len());
    }
    let clusters = clusters(graph, &all, &of_channel, blocks);
    Sections {
        all,
        of_channel,
        clusters,
    }
}

fn cut_channel(
    graph: &Graph,
    channel: usize,
    ends: &[End; 2],
    blocked: &[(f64, f64)],
    floors: &[f64; 2],
) -> Vec<(f64, f64)> {
    let (width, length) = (graph.width, graph.length(channel));
    let open = graph.channels[channel].map(|node| graph.arms[node].len() == 1);
    let reach = [0, 1].map(|end| ends[end].reach.max(floors[end]));
    let clear = [0, 1].map(|end| ends[end].clear().max(floors[end]));
    let mut stretches: Vec<(f64, f64)> = blocked
        .iter()
        .map(|&(from, to)| {
            (
                (from - MARGIN * width).max(0.0),
                (to + MARGIN * width).min(length),
            )
        })
        .collect();
    if stretches.is_empty() {
        let (free, tight) = (length - reach[0] - reach[1], length - clear[0] - clear[1]);
        if free < SHORTEST_PIPE * width && free.abs() > EQUAL * width {
            // A closed end has to be left a stretch of its own that is worth having.
            let walled =
                (0..2).any(|end| open[end] && graph.ports[graph.channels[channel][end]].is_none());
            if tight < SHORTEST_PIPE * width * if walled { 2.0 } else { 1.0 } {
                return if open == [true; 2] {
                    Vec::new()
                } else {
                    vec![(0.0, length)]
                };
            }
            let station = clear[0] + tight / 2.0;
            return [(!open[0], (0.0, station)), (!open[1], (station, length))]
                .into_iter()
                .filter_map(|(kept, section)| kept.then_some(section))
                .collect();
        }
    }
    // A station shared by two sections stands in both bit for bit.
    let first_end = reach[0].min(length);
    let last_start = if (length - reach[1] - first_end).abs() <= EQUAL * width {
        first_end
    } else {
        (length - reach[1]).max(0.0)
    };
    stretches.extend((!open[0]).then_some((0.0, first_end)));
    stretches.extend((!open[1]).then_some((last_start, length)));
    stretches.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut merged: Vec<(f64, f64)> = Vec::new();
    for (from, to) in stretches {
        match merged.last_mut() {
            Some(last) if from < last.1 + SHORTEST_PIPE * width && from != last.1 => {
                last.1 = last.1.max(to)
            }
            _ => merged.push((from, to)),
        }
    }
    for section in &mut merged {
        section.0 = if section.0 < SHORTEST_PIPE * width {
            0.0
        } else {
            section.0
        };
        section.1 = if length - section.1 < SHORTEST_PIPE * width {
            length
        } else {
            section.1
        };
    }
    merged
}

/// Stretches of two channels that lie on each other: channel, (from, to) in m.
pub(super) type Block = [(usize, (f64, f64)); 2];

/// The outlines of all channels, whole, and a tree of their boxes.
pub(super) struct Outlines {
    polygons: Vec<Vec<[f64; 2]>>,
    tree: RTree<GeomWithData<Rectangle<[f64; 2]>, usize>>,
}

impl Outlines {
    /// Draws all channels.
    pub fn new(graph: &Graph, ends: &[[End; 2]]) -> Self {
        let whole = |channel| Section {
            channel,
            from: 0.0,
            to: graph.length(channel),
        };
        let polygons: Vec<_> = (0..graph.channels.len())
            .map(|channel| piece(graph, ends, &whole(channel)))
            .collect();
        let boxed =
            |outline: &Vec<[f64; 2]>| Rectangle::from_aabb(AABB::from_points(outline.iter()));
        let entries = polygons
            .iter()
            .enumerate()
            .map(|(k, outline)| GeomWithData::new(boxed(outline), k));
        let tree = RTree::bulk_load(entries.collect());
        Self { polygons, tree }
    }

    /// Channels whose box touches that of a polygon, in order.
    fn near(&self, polygon: &[[f64; 2]]) -> Vec<usize> {
        let near = self
            .tree
            .locate_in_envelope_intersecting(AABB::from_points(polygon.iter()));
        let mut near: Vec<usize> = near.map(|entry| entry.data).collect();
        near.sort_unstable();
        near
    }

    /// Whether a polygon shares area with any channel.
    pub fn covers_some_of(&self, polygon: &[[f64; 2]], width: f64) -> bool {
        self.near(polygon)
            .into_iter()
            .any(|k| !shared(polygon, &self.polygons[k], width).is_empty())
    }

    /// Finds where channels lie on each other, other than next to a node that they share.
    pub fn blocks(&self, graph: &Graph, ends: &[[End; 2]]) -> Vec<Block> {
        let mut blocks = Vec::new();
        for (k, outline) in self.polygons.iter().enumerate() {
            for other in self.near(outline).into_iter().filter(|&other| other > k) {
                for contour in shared(outline, &self.polygons[other], graph.width) {
                    let block =
                        [k, other].map(|channel| (channel, stretch(graph, channel, &contour)));
                    if !beside_shared_node(graph, ends, &block) {
                        blocks.push(block);
                    }
                }
            }
        }
        blocks
    }
}

/// The outer contours of what two polygons share.
fn shared(a: &[[f64; 2]], b: &[[f64; 2]], width: f64) -> Vec<Vec<[f64; 2]>> {
    let mut overlay = FloatOverlay::<[f64; 2], i64>::from_subj_and_clip(a, b);
    let mut shapes = overlay.overlay(OverlayRule::Intersect, FillRule::NonZero);
    shapes.retain(|shape| shape[..].area().abs() > SHARED * width * width);
    shapes
        .into_iter()
        .filter_map(|shape| shape.into_iter().next())
        .collect()
}

/// The stations between which a contour lies, kept on the channel.
fn stretch(graph: &Graph, channel: usize, contour: &[[f64; 2]]) -> (f64, f64) {
    let (start, axis, length) = (
        graph.start(channel),
        graph.axis(channel),
        graph.length(channel),
    );
    let stations = contour
        .iter()
        .map(|&[x, y]| axis.dot(Point::new(x, y) - start).clamp(0.0, length));
    stations.fold((length, 0.0), |(from, to), station| {
        (from.min(station), to.max(station))
    })
}

/// Whether both stretches end before their channel is cut at a node that the channels share.
fn beside_shared_node(graph: &Graph, ends: &[[End; 2]], block: &Block) -> bool {
    let within = |(channel, (from, to)): (usize, (f64, f64)), node: usize| {
        let slack = EQUAL.sqrt() * graph.width;
        if graph.channels[channel][0] == node {
            to <= ends[channel][0].clear() + slack
        } else {
            graph.length(channel) - from <= ends[channel][1].clear() + slack
        }
    };
    let shared = graph.channels[block[0].0]
        .into_iter()
        .find(|node| graph.channels[block[1].0].contains(node));
    shared.is_some_and(|node| block.iter().all(|&side| within(side, node)))
}

/// The polygon of a section: the channel's rectangle, mitred at its nodes so that the pieces of a fan fit together.
pub(super) fn piece(graph: &Graph, ends: &[[End; 2]], section: &Section) -> Vec<[f64; 2]> {
    let Section { channel, from, to } = *section;
    let (start, axis, length, half) = (
        graph.start(channel),
        graph.axis(channel),
        graph.length(channel),
        graph.width / 2.0,
    );
    let [first, last] = &ends[channel];
    let place = |station: f64, across: f64| start + axis * station + axis.left() * across;
    // A wall that begins past a right angle's corner is hidden in the neighbour: there the bare rectangle will do.
    let hidden = (half * (1.0 + EQUAL)).min((to - from) / 2.0);
    let closed = |node: usize| graph.arms[node].len() == 1;
    let wall = |begins: f64, corner: Point, bare: Point, node: usize| {
        if begins > hidden || closed(node) {
            bare
        } else {
            corner
        }
    };
    let [i, j] = graph.channels[channel];
    let mut corners = Vec::with_capacity(6);
    if from <= 0.0 {
        corners.push(wall(first.left, first.left_corner, place(0.0, half), i));
        corners.push(graph.nodes[i]);
        corners.push(wall(first.right, first.right_corner, place(0.0, -half), i));
    } else {
        corners.extend([place(from, half), place(from, -half)]);
    }
    if to >= length {
        // Left and right are seen from the channel's other node.
        corners.push(wall(last.left, last.left_corner, place(length, -half), j));
        corners.push(graph.nodes[j]);
        corners.push(wall(last.right, last.right_corner, place(length, half), j));
    } else {
        corners.extend([place(to, -half), place(to, half)]);
    }
    corners.into_iter().map(|p| [p.x, p.y]).collect()
}

/// Nodes and sections that touch, by union and find.
fn clusters(
    graph: &Graph,
    all: &[Section],
    of_channel: &[std::ops::Range<usize>],
    blocks: &[Block],
) -> Vec<Cluster> {
    fn root(parents: &mut [usize], mut k: usize) -> usize {
        while parents[k] != k {
            parents[k] = parents[parents[k]];
            k = parents[k];
        }
        k
    }
    let n = graph.nodes.len();
    let mut parents: Vec<usize> = (0..n + all.len()).collect();
    let mut join = |a: usize, b: usize| {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b)] = a.min(b);
    };
    for (k, section) in all.iter().enumerate() {
        let [i, j] = graph.channels[section.channel];
        if section.from <= 0.0 {
            join(i, n + k);
        }
        if section.to >= graph.length(section.channel) {
            join(j, n + k);
        }
    }
    for block in blocks {
        let [a, b] = block.map(|(channel, (from, to))| {
            let middle = (from + to) / 2.0;
            of_channel[channel]
                .clone()
                .find(|&k| all[k].from <= middle && middle <= all[k].to)
        });
        if let (Some(a), Some(b)) = (a, b) {
            join(n + a, n + b);
        }
    }
    let mut clusters: Vec<Cluster> = vec![Cluster::default(); n + all.len()];
    for k in 0..n + all.len() {
        let cluster = &mut clusters[root(&mut parents, k)];
        if k >= n {
            cluster.sections.push(k - n);
        } else if graph.arms[k].len() > 1 {
            cluster.nodes.push(k);
        }
    }
    clusters.retain(|cluster| !cluster.sections.is_empty());
    clusters
}
