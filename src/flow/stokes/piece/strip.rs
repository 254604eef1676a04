//! Strips: one slice's front, doubled again and again.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::leaf::{Leaf, Moves, along};
use super::{Body, Patch, Piece, PieceError, Workshop};
use crate::mesh::{MeshError, Placement, PlaneSlice, PlaneStrip, SliceCounts};
use crate::stokes::boundary::{Freedom, StripWalls, strip_walls};
use crate::stokes::section::{NONE, Section};
use stokeslet_base::geometry::sin_cos;
use stokeslet_fronts::tree::ScaledRange;
use stokeslet_fronts::{Child, Image, KindId, Node, Plan, Tree};

/// What it takes to walk through a strip.
#[derive(Debug)]
pub struct StripBody {
    strip: PlaneStrip,
    /// Unknowns and nodes of a line, and inside a slice: slices of all kinds have as many.
    line: u32,
    inside: u32,
    line_nodes: u32,
    inside_nodes: u32,
    n: u64,
    kinds: Kinds,
    /// Leaf of each kind of slice, or one a slice where drag tells them apart.
    leaves: Vec<u32>,
    /// Whether slices of a kind are alike.
    alike: bool,
    /// By kind of slice, nodes of its mesh: 0 left, 1 right, 2 inside, and the place there.
    slice_nodes: Vec<Vec<(u8, u32)>>,
    /// Size of the strip's cells in the unit that all pieces share, where they share one: slices then have that unit too.
    size: Option<f64>,
}

/// Kinds of spans of slices, by first slice (0 where those of a kind are alike) and how many there are of each kind.
type Kinds = FxHashMap<(u64, SliceCounts), KindId>;

/// Longer than this many widths, ends may be coupled by few numbers.
const FAR: f64 = 1.5;

/// The fronts of a strip.
pub fn piece<const D: usize>(
    strip: &PlaneStrip,
    slips: [bool; 2],
    [drag, size]: [f64; 2],
    shop: &mut Workshop<'_, D>,
) -> Result<Piece, PieceError> {
    let n = strip.n_slices();
    let turns = strip.placement(1).angle != strip.placement(0).angle;
    let walls = |slice: &PlaneSlice| strip_walls(slice, slips, turns);
    let walls: Vec<StripWalls> = strip.slices.iter().map(|slice| walls(&slice.1)).collect();
    // Its lines have ends like its walls; a socket's, like all walls of the chip.
    let socket = shop.section;
    let section = socket.with_ends(walls[0].ends);
    let line = section.n as u32;
    let ratio = strip.placement(1).scale / strip.placement(0).scale;
    let own_units = shop.extrusion.unit().is_none();
    // Drag and depth tell slices of different size apart.
    let alike = (drag == 0.0 && own_units) || (ratio - 1.0).abs() < 1e-12;
    let mut leaves = Vec::new();
    let mut kinds = Kinds::default();
    let mut slice_nodes = vec![Vec::new(); strip.slices.len()];
    let (mut inside, mut inside_nodes) = (0, 0);
    let mut make = |k: u64, shop: &mut Workshop<'_, D>| -> Result<(KindId, u32), MeshError> {
        let kind = strip.slice(k);
        let slice = &strip.slices[kind].1;
        let Placement { angle, scale, .. } = strip.placement(k);
        let after = strip.placement(k + 1);
        let whole_turn = std::f64::consts::TAU;
        let turn = (after.angle - angle).rem_euclid(whole_turn);
        let (leaf, nodes) = slice_leaf(
            slice,
            turn,
            if own_units { after.scale / scale } else { 1.0 },
            drag * scale * scale,
            size * scale,
            (&section, &walls[kind]),
            shop,
        )?;
        inside = leaf.moves.len() as u32 - 2 * line;
        inside_nodes = nodes.iter().filter(|p| p.0 == 2).count() as u32;
        slice_nodes[kind] = nodes;
        Ok(shop.leaf(leaf.key(), [2 * line, inside], || leaf))
    };
    let counts = strip.pattern.counts;
    // Where those of a kind are alike, the first of each stands for all.
    let made: Vec<u64> = if alike {
        counts.firsts()
    } else {
        (0..n).collect()
    };
    for k in made {
        shop.go_on()?;
        let (kind, leaf) = make(k, shop)?;
        kinds.insert((if alike { 0 } else { k }, counts.span(k, 1)), kind);
        leaves.push(leaf);
    }
    let root = span(&mut shop.plan, &mut kinds, (counts, alike), line, (0, n));
    // Socket 0 looks against the flow; its line is kept in the strip's own axes, along the flow.
    let first = socket.facing_in(&section, false, 1.0);
    let mut second = socket.plain_in(&section);
    for image in second.iter_mut().filter(|image| image.to != NONE) {
        image.to += line;
    }
    // A wall that doesn't run straight out of a socket meets another one there: the fluid rests in the corner.
    let mut rests = Vec::new();
    for side in (0..2).filter(|&side| walls[0].slopes[side] != 0.0) {
        let i = [0, section.n_across() - 1][side];
        let there = (0..section.n_levels()).filter_map(|level| section.unknown(i, level, 0));
        rests.extend(there.flat_map(|k| [k, line + k]));
    }
    let (across, levels) = (section.n_across(), section.n_levels());
    let line_nodes = across * levels;
    let socket_node = |reverse: bool, base: u32| {
        (0..across)
            .flat_map(|i| (0..levels).map(move |l| (i, l)))
            .map(|(i, l)| base + if reverse { across - 1 - i } else { i } * levels + l)
            .collect::<Vec<u32>>()
    };
    let end_scale = strip.placement(n).scale;
    let socket_scales = if own_units {
        vec![strip.placement(0).scale, end_scale]
    } else {
        vec![1.0; 2]
    };
    Ok(Piece {
        root,
        n_boundary: 2 * line as usize,
        n: ((n + 1) * u64::from(line) + n * u64::from(inside)) as usize,
        sockets: vec![first, second],
        rests,
        socket_nodes: vec![socket_node(true, 0), socket_node(false, line_nodes)],
        n_boundary_nodes: 2 * line_nodes as usize,
        n_nodes: ((n + 1) * u64::from(line_nodes) + n * u64::from(inside_nodes)) as usize,
        socket_scales,
        is_long: n as f64 >= FAR * f64::from(section.resolution),
        n_leaves: n,
        body: Body::Strip(Box::new(StripBody {
            strip: strip.clone(),
            line,
            inside,
            line_nodes,
            inside_nodes,
            n,
            kinds,
            leaves,
            alike,
            slice_nodes,
            size: (!own_units).then_some(size),
        })),
    })
}

/// How a span of slices is parted: where their kind changes; slices of one kind at the largest power of two that is shorter, so that
/// pipes of any length share kinds of fronts.
fn left_part(span: SliceCounts) -> u64 {
    let mut kinds = span.0.into_iter().filter(|&n| n > 0);
    match (kinds.next(), kinds.next()) {
        (Some(first), Some(_)) => first,
        _ => 1 << (63 - (span.all() - 1).leading_zeros()),
    }
}

/// The kind of a span of slices, planning what it needs: a logarithmic number of joins where those of a kind are alike.
fn span(
    plan: &mut Plan,
    kinds: &mut Kinds,
    (counts, alike): (SliceCounts, bool),
    line: u32,
    (first, n): (u64, u64),
) -> KindId {
    let within = counts.span(first, n);
    let key = (if alike { 0 } else { first }, within);
    if let Some(&known) = kinds.get(&key) {
        return known;
    }
    let left = left_part(within);
    let a = span(plan, kinds, (counts, alike), line, (first, left));
    let b = span(plan, kinds, (counts, alike), line, (first + left, n - left));
    // Local numbers: first line, last line, then the middle, which goes.
    let images = |from: u32, to: u32| -> Arc<[Image]> {
        (0..line)
            .map(|k| Image::plain(from * line + k))
            .chain((0..line).map(|k| Image::plain(to * line + k)))
            .collect()
    };
    let children = vec![
        Child {
            kind: a,
            images: images(0, 2),
        },
        Child {
            kind: b,
            images: images(2, 1),
        },
    ];
    let kind = plan.join(children, 2 * line, line);
    kinds.insert(key, kind);
    kind
}

/// A slice's leaf: unknowns of its left line, right line and inside; and the place of each node.
fn slice_leaf<const D: usize>(
    slice: &PlaneSlice,
    turn: f64,
    ratio: f64,
    drag: f64,
    size: f64,
    (section, walls): (&Section, &StripWalls),
    shop: &Workshop<'_, D>,
) -> Result<(Leaf<D>, Vec<(u8, u32)>), MeshError> {
    let space = shop
        .extrusion
        .extrude(&slice.mesh, &[&slice.left, &slice.right], size)?;
    let first_pressure = (D * space.mesh.nodes.len()) as u32;
    let d = D as u32;
    let mut moves: Vec<Moves> = Vec::new();
    let mut places = vec![(2_u8, 0_u32); space.mesh.nodes.len()];
    let (s, c) = sin_cos(turn);
    for (side, line) in [&slice.left, &slice.right].into_iter().enumerate() {
        let base = moves.len();
        moves.resize(base + section.n, Moves::new());
        for (i, &plane) in line.iter().enumerate() {
            for level in 0..section.n_levels() {
                let node = space.node(plane, level);
                places[node as usize] = (side as u8, i as u32 * section.n_levels() + level);
                if let Some((first, components)) = section.velocity(i as u32, level) {
                    let slope = match i {
                        0 => walls.slopes[0],
                        _ if i + 1 == line.len() => walls.slopes[1],
                        _ => 0.0,
                    };
                    for (place, k) in components.iter().enumerate() {
                        let to = &mut moves[base + first as usize + place];
                        match (side, k) {
                            (_, 0) if slope != 0.0 => {
                                *to = smallvec![(d * node, 1.0), (d * node + 1, slope)]
                            }
                            (1, 0) if s != 0.0 => *to = smallvec![(d * node, c), (d * node + 1, s)],
                            (1, 1) if s != 0.0 => {
                                *to = smallvec![(d * node, -s), (d * node + 1, c)]
                            }
                            _ => *to = smallvec![(d * node + k, 1.0)],
                        }
                    }
                }
                if let Some(p) = section.pressure(i as u32, level) {
                    // A line's pressures are in its own unit: `s p / mu` grows with the unit.
                    let factor = if side == 1 && (ratio - 1.0).abs() > 1e-12 {
                        1.0 / ratio
                    } else {
                        1.0
                    };
                    moves[base + p as usize] = smallvec![(first_pressure + node, factor)];
                }
            }
        }
    }
    let mut pressures = Vec::new();
    let mut inside = 0;
    for &plane in &slice.interior {
        for level in 0..section.n_levels() {
            let node = space.node(plane, level);
            places[node as usize] = (2, inside);
            inside += 1;
            let freedom = walls.inside[plane as usize];
            for k in section.components(level).and(freedom.components()).iter() {
                moves.push(match (freedom, k) {
                    (Freedom::Along(way), 0) => along(d * node, way),
                    _ => smallvec![(d * node + k, 1.0)],
                });
            }
            if (node as usize) < space.mesh.n_vertices {
                pressures.push(smallvec![(first_pressure + node, 1.0)]);
            }
        }
    }
    moves.extend(pressures);
    Ok((Leaf::new(space.mesh, drag, moves), places))
}

impl StripBody {
    fn line_at(&self, j: u64) -> u32 {
        let slot = match j {
            0 => 0,
            j if j == self.n => 1,
            j => j + 1,
        };
        slot as u32 * self.line
    }

    fn node_line_at(&self, j: u64) -> u32 {
        let slot = match j {
            0 => 0,
            j if j == self.n => 1,
            j => j + 1,
        };
        slot as u32 * self.line_nodes
    }

    fn inside_at(&self, k: u64) -> u32 {
        ((self.n + 1) * u64::from(self.line) + k * u64::from(self.inside)) as u32
    }

    pub fn tree(&self, piece: &Piece, plan: &Plan) -> Tree {
        let mut nodes = Vec::with_capacity(2 * self.n as usize);
        let mut stack = vec![(0, self.n, 0)];
        while let Some((first, n, depth)) = stack.pop() {
            let within = self.strip.pattern.counts.span(first, n);
            let key = (if self.alike { 0 } else { first }, within);
            let range = |j| ScaledRange {
                start: self.line_at(j),
                len: self.line,
                factor: 1.0,
            };
            let eliminated = if n == 1 {
                self.inside_at(first)
            } else {
                let left = left_part(within);
                stack.push((first, left, depth + 1));
                stack.push((first + left, n - left, depth + 1));
                self.line_at(first + left)
            };
            nodes.push(Node {
                kind: self.kinds[&key],
                boundary: vec![range(first), range(first + n)],
                eliminated,
                depth,
            });
        }
        Tree::new(piece.n_boundary, piece.n, nodes, |kind| {
            plan.kinds[kind as usize].n_eliminated > 0
        })
    }

    pub fn patches(&self) -> impl Iterator<Item = Patch> + '_ {
        (0..self.n).map(|k| {
            let kind = self.strip.slice(k);
            let leaf = self.leaves[if self.alike { kind } else { k as usize }];
            let Placement {
                angle,
                scale,
                origin,
            } = self.strip.placement(k);
            let (scale, origin) = match self.size {
                Some(size) => (1.0, origin * size),
                None => (scale, origin),
            };
            let bases = [
                self.node_line_at(k),
                self.node_line_at(k + 1),
                ((self.n + 1) * u64::from(self.line_nodes) + k * u64::from(self.inside_nodes))
                    as u32,
            ];
            Patch {
                leaf,
                unknowns: [
                    (self.line_at(k), self.line),
                    (self.line_at(k + 1), self.line),
                    (self.inside_at(k), self.inside),
                ]
                .map(|(start, len)| ScaledRange {
                    start,
                    len,
                    factor: 1.0,
                })
                .to_vec(),
                nodes: self.slice_nodes[kind]
                    .iter()
                    .map(|&(r, i)| bases[r as usize] + i)
                    .collect(),
                angle,
                scale,
                origin,
            }
        })
    }
}
