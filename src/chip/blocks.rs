//! A chip cut into blocks and block rows: who is a copy of whom, and which unknowns belong to which row.
//!
//! ```text
//! part --canonicalise--> shape --mesh (once per shape)--> kinds of blocks, lines
//!                                                             |
//! Block = (kind, frame)      Row = (layout, frame)      Side = how a kind of block sees a row
//! ```
//! A *row* is a set of unknowns: a block's interior, or a line where blocks meet. A *side* lists which of a block's nodes
//! belong to a row, and how the row lies relative to the block; it has no absolute place, so copies have equal sides, and two
//! sides fix a matrix block. Everything relative is quantised. Knows nothing of physics but which unknowns exist.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::canonical::{CanonicalShape, Canonicalised, canonicalise};
use super::{Chip, Condition, DepthModel};
use crate::fingerprint::{Fingerprint, Hasher};
use crate::geometry::quantise::quantise_angle;
use crate::geometry::{Motion, Point};
use crate::mesh::{BlockKind, ComponentMesh, INTERIOR, LineNode, MeshError};
use crate::session::BlockCounts;

/// Orientation and unit of length of a block or a row: `v_in_chip = R(angle) M(mirror) v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Rotation in the chip, rad.
    pub angle: f64,
    /// Mirrored in its own x axis before it is turned.
    pub mirror: bool,
    /// Cell size there, m: the unit of canonical coordinates.
    pub unit: f64,
}

impl Frame {
    /// A vector of the frame in the chip.
    pub fn to_chip(&self, v: Point) -> Point {
        self.motion().rotate(v)
    }

    /// A vector of the chip in the frame.
    pub fn to_frame(&self, v: Point) -> Point {
        self.motion().inverse().rotate(v)
    }

    fn motion(&self) -> Motion {
        Motion {
            angle: self.angle,
            mirror: self.mirror,
            translation: Point::default(),
        }
    }
}

/// Which velocity components of a node are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Velocity {
    /// Given: walls and flow-rate ports.
    Given,
    /// Only along the row's own x axis: developed pressure ports.
    Normal,
    /// Both.
    Both,
}

/// The unknowns of one node of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeUnknowns {
    /// Velocity.
    pub velocity: Velocity,
    /// Whether the node carries a pressure.
    pub pressure: bool,
    /// False where another row owns the node (corners where mouths touch).
    pub owned: bool,
}

/// How a row numbers its unknowns: velocities node by node (x before y), then pressures.
#[derive(Clone, Debug)]
pub struct Layout {
    /// One a node.
    pub nodes: Vec<NodeUnknowns>,
    /// First velocity unknown of each node.
    pub velocity_at: Vec<u32>,
    /// Pressure unknown of each node (meaningful where it has one).
    pub pressure_at: Vec<u32>,
    /// Place of each node among the owned ones.
    pub ordinal: Vec<u32>,
    /// Number of unknowns.
    pub n_unknowns: usize,
    /// Number of owned nodes.
    pub n_owned: usize,
    /// Number of velocity unknowns; they come first.
    pub n_velocity: usize,
    /// Key.
    pub fingerprint: Fingerprint,
}

impl Layout {
    fn new(nodes: Vec<NodeUnknowns>) -> Self {
        let mut key = Hasher::new(0x1a0);
        let (mut velocity_at, mut pressure_at, mut ordinal) = (Vec::new(), Vec::new(), Vec::new());
        let (mut n, mut n_owned) = (0, 0);
        for node in &nodes {
            key = key.word(node.velocity as u64 | u64::from(node.pressure) << 2 | u64::from(node.owned) << 3);
            velocity_at.push(n);
            n += if node.owned { node.velocity as u32 } else { 0 };
            ordinal.push(n_owned);
            n_owned += u32::from(node.owned);
        }
        let n_velocity = n as usize;
        for node in &nodes {
            pressure_at.push(n);
            n += u32::from(node.pressure && node.owned);
        }
        let (n_unknowns, n_owned) = (n as usize, n_owned as usize);
        Self {
            nodes,
            velocity_at,
            pressure_at,
            ordinal,
            n_unknowns,
            n_owned,
            n_velocity,
            fingerprint: key.finish(),
        }
    }
}

/// When a row may be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowClass {
    /// Inside one block: first, condensing it.
    Interior,
    /// Between the blocks of one component.
    Inner,
    /// At a mouth of a polygon; corners are shared with the next mouth.
    Mouth,
    /// Bounds components from each other: last.
    Separator,
}

/// A block row of the system.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index into [`BlockModel::layouts`].
    pub layout: u32,
    /// Its own axes and unit.
    pub frame: Frame,
    /// Number of its first owned node in the chip.
    pub first_node: u32,
    /// When it may be eliminated.
    pub class: RowClass,
}

/// How a kind of block sees a row.
#[derive(Clone, Debug)]
pub struct Side {
    /// Index into [`BlockModel::kinds`].
    pub kind: u32,
    /// The row's layout.
    pub layout: u32,
    /// (node of the block, node of the row).
    pub nodes: Vec<(u32, u32)>,
    /// `v_in_block = R(turn) M(mirror) v_in_row`; rad.
    pub turn: f64,
    /// See `turn`.
    pub mirror: bool,
    /// The row's unit in units of the block.
    pub scale: f64,
    /// Key.
    pub fingerprint: Fingerprint,
}

/// A block touches a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incidence {
    /// Index into [`BlockModel::rows`].
    pub row: u32,
    /// Index into [`BlockModel::sides`].
    pub side: u32,
}

/// A canonical block and its key.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Mesh and places.
    pub block: Arc<BlockKind<2>>,
    /// Key of the mesh.
    pub fingerprint: Fingerprint,
}

/// A copy of a canonical block in the chip.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index into [`BlockModel::kinds`].
    pub kind: u32,
    /// Index into `Chip::parts`.
    pub part: u32,
    /// Orientation and unit.
    pub frame: Frame,
    /// Where its origin lies in the chip, m.
    pub origin: Point,
    /// The rows it touches, by row.
    pub incidences: Vec<Incidence>,
}

impl Block {
    /// A point of the block's mesh in the chip, m.
    pub fn to_chip(&self, p: [f64; 2]) -> Point {
        self.origin + self.frame.to_chip(Point::new(p[0], p[1]) * self.frame.unit)
    }
}

/// Where a port lies among the blocks.
#[derive(Clone, Debug)]
pub struct PortPlace {
    /// Row of the port's line.
    pub row: u32,
    /// Outward unit vector in the chip.
    pub outward: Point,
    /// Middle of the mouth, m.
    pub middle: Point,
    /// Across, m.
    pub width: f64,
}

/// A chip cut into blocks and rows.
#[derive(Clone, Debug)]
pub struct BlockModel {
    /// Cells across a channel.
    pub resolution: u32,
    /// Drag of the depth model at unit length 1 m: 12 / depth^2, or 0; 1/m^2.
    pub drag: f64,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// Canonical blocks.
    pub kinds: Vec<Kind>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// Distinct layouts.
    pub layouts: Vec<Layout>,
    /// Block rows.
    pub rows: Vec<Row>,
    /// Distinct sides.
    pub sides: Vec<Side>,
    /// Pairs of separators at the two ends of a strip at least one and a half widths long.
    pub far_pairs: Vec<(u32, u32)>,
    /// In the chip's order of ports.
    pub ports: Vec<PortPlace>,
    /// Geometry blocks by kind.
    pub counts: BlockCounts,
    /// Unknowns of the system.
    pub n_unknowns: usize,
    /// Nodes of the chip.
    pub n_nodes: usize,
}

/// A part that can't be meshed.
#[derive(Clone, Debug, PartialEq)]
pub struct CutError {
    /// Index into `Chip::parts`.
    pub part: usize,
    /// Why.
    pub error: MeshError,
}

/// Cuts a chip into blocks.
///
/// # Errors
/// [`CutError`] names the part whose shape can't be meshed.
pub fn cut(chip: &Chip, resolution: u32) -> Result<BlockModel, CutError> {
    let mut builder = Builder::new(chip, resolution)?;
    builder.number_polygon_rows();
    builder.number_strip_rows();
    builder.find_aliases();
    builder.lay_out_rows();
    builder.place_blocks();
    Ok(builder.finish())
}

/// A part with its mesh and its place.
struct Meshed {
    mesh: Arc<ComponentMesh>,
    /// Chip-wide kind of each of the mesh's kinds.
    kinds: Arc<Vec<u32>>,
    canonical: Canonicalised,
    chip_from_canonical: Motion,
    unit: f64,
    is_strip: bool,
    /// Row of each line, and whether the row counts the line backwards.
    rows: Vec<Option<(u32, bool)>>,
    /// What each canonical socket meets.
    sockets: Vec<Meets>,
}

#[derive(Clone, Copy, PartialEq)]
enum Meets {
    Wall,
    Port(usize),
    Part(usize, usize),
}

/// A row before its layout is known.
struct Draft {
    nodes: Arc<Vec<LineNode>>,
    meets: Meets,
    frame: Frame,
    class: RowClass,
}

struct Builder<'a> {
    chip: &'a Chip,
    resolution: u32,
    kinds: Vec<Kind>,
    parts: Vec<Meshed>,
    drafts: Vec<Draft>,
    /// (row, node) that stands for another (row, node).
    aliases: FxHashMap<(u32, u32), (u32, u32)>,
    layouts: Vec<Layout>,
    layout_numbers: FxHashMap<Fingerprint, u32>,
    rows: Vec<Row>,
    sides: Vec<Side>,
    side_numbers: FxHashMap<Fingerprint, u32>,
    plain_sides: FxHashMap<PlainSide, u32>,
    blocks: Vec<Block>,
}

/// What fixes a side where no node is shared by mouths: kind, slot, backwards, layout, turn, mirror, scale.
type PlainSide = (u32, u16, bool, u32, i64, bool, i64);

impl<'a> Builder<'a> {
    fn new(chip: &'a Chip, resolution: u32) -> Result<Self, CutError> {
        let mut meshes: FxHashMap<CanonicalShape, (Arc<ComponentMesh>, Arc<Vec<u32>>)> = FxHashMap::default();
        let mut kind_numbers: FxHashMap<Fingerprint, u32> = FxHashMap::default();
        let mut kinds: Vec<Kind> = Vec::new();
        let mut parts = Vec::with_capacity(chip.parts.len());
        for (index, part) in chip.parts.iter().enumerate() {
            let canonical = canonicalise(&part.shape);
            if !meshes.contains_key(&canonical.shape) {
                let mesh = canonical
                    .shape
                    .mesh(resolution)
                    .map_err(|error| CutError { part: index, error })?;
                let numbers = mesh.kinds.iter().map(|kind| {
                    let fingerprint = kind_fingerprint(kind);
                    *kind_numbers.entry(fingerprint).or_insert_with(|| {
                        kinds.push(Kind {
                            block: Arc::new(kind.clone()),
                            fingerprint,
                        });
                        kinds.len() as u32 - 1
                    })
                });
                let numbers = Arc::new(numbers.collect());
                meshes.insert(canonical.shape.clone(), (Arc::new(mesh), numbers));
            }
            let (mesh, numbers) = &meshes[&canonical.shape];
            let chip_from_canonical = part.motion.after(&canonical.motion);
            parts.push(Meshed {
                rows: vec![None; mesh.lines.len()],
                sockets: vec![Meets::Wall; canonical.socket_of.len()],
                mesh: mesh.clone(),
                kinds: numbers.clone(),
                unit: canonical.width / f64::from(resolution),
                is_strip: canonical.shape.is_strip(),
                canonical,
                chip_from_canonical,
            });
        }
        let socket = |parts: &[Meshed], s: super::SocketRef| {
            let found = parts[s.part].canonical.socket_of.iter().position(|&k| k == s.socket);
            (s.part, found.expect("a chip's connections and ports name sockets that exist"))
        };
        for c in &chip.connections {
            let (a, b) = (socket(&parts, c.a), socket(&parts, c.b));
            parts[a.0].sockets[a.1] = Meets::Part(b.0, b.1);
            parts[b.0].sockets[b.1] = Meets::Part(a.0, a.1);
        }
        for (k, port) in chip.ports.iter().enumerate() {
            let (part, s) = socket(&parts, port.socket);
            parts[part].sockets[s] = Meets::Port(k);
        }
        Ok(Self {
            chip,
            resolution,
            kinds,
            parts,
            drafts: Vec::new(),
            aliases: FxHashMap::default(),
            layouts: Vec::new(),
            layout_numbers: FxHashMap::default(),
            rows: Vec::new(),
            sides: Vec::new(),
            side_numbers: FxHashMap::default(),
            plain_sides: FxHashMap::default(),
            blocks: Vec::new(),
        })
    }

    /// Makes the row of a line, once; `flip` turns its axes by half a turn, so that it looks and counts the other way.
    fn make_row(&mut self, part: usize, line: usize, class: RowClass, flip: bool) {
        if self.parts[part].rows[line].is_some() {
            return;
        }
        let p = &self.parts[part];
        let meets = p.mesh.lines[line]
            .socket
            .map_or(Meets::Part(part, usize::MAX), |s| p.sockets[s]);
        if let Meets::Part(other, socket) = meets
            && socket != usize::MAX
        {
            // A line between two parts is the strip's, else the lower part's.
            let mine = (!p.is_strip, part) <= (!self.parts[other].is_strip, other);
            if !mine {
                return self.make_row(other, socket, class, flip);
            }
        }
        let p = &self.parts[part];
        let l = &p.mesh.lines[line];
        let half_turn = if flip { std::f64::consts::PI } else { 0.0 };
        let frame = Frame {
            angle: p.chip_from_canonical.turn(l.angle + half_turn),
            mirror: p.chip_from_canonical.mirror,
            unit: l.scale * p.unit,
        };
        let mut nodes = l.nodes.clone();
        if flip {
            nodes = Arc::new(nodes.iter().rev().copied().collect());
        }
        let row = self.drafts.len() as u32;
        self.drafts.push(Draft {
            nodes,
            meets,
            frame,
            class,
        });
        let mirror = p.chip_from_canonical.mirror;
        self.parts[part].rows[line] = Some((row, flip));
        if let Meets::Part(other, socket) = meets
            && socket != usize::MAX
        {
            // Both count counter-clockwise about themselves: opposite ways, unless one of them is mirrored.
            let backwards = (mirror == self.parts[other].chip_from_canonical.mirror) != flip;
            self.parts[other].rows[socket] = Some((row, backwards));
        }
    }

    /// Rows of polygons, their mouths, and the separators one slice inside the pipes beyond: all in the polygon's own order,
    /// so that every copy numbers (and later eliminates) them alike.
    fn number_polygon_rows(&mut self) {
        for part in (0..self.parts.len()).filter(|&p| !self.parts[p].is_strip).collect::<Vec<_>>() {
            let n_sockets = self.parts[part].sockets.len();
            for line in n_sockets..self.parts[part].mesh.lines.len() {
                self.make_row(part, line, RowClass::Inner, false);
            }
            for s in 0..n_sockets {
                let class = match self.parts[part].sockets[s] {
                    Meets::Part(other, _) if !self.parts[other].is_strip => RowClass::Separator,
                    _ => RowClass::Mouth,
                };
                self.make_row(part, s, class, false);
            }
            for s in 0..n_sockets {
                let Meets::Part(other, end) = self.parts[part].sockets[s] else {
                    continue;
                };
                let n = self.parts[other].mesh.blocks.len();
                if !self.parts[other].is_strip || n < 2 {
                    continue;
                }
                let j = if end == 0 { 1 } else { n - 1 };
                self.make_row(other, crate::mesh::line_number(j, n) as usize, RowClass::Separator, end == 0);
            }
        }
    }

    fn number_strip_rows(&mut self) {
        for part in (0..self.parts.len()).filter(|&p| self.parts[p].is_strip).collect::<Vec<_>>() {
            let n = self.parts[part].mesh.blocks.len();
            for j in 0..=n {
                let line = crate::mesh::line_number(j, n) as usize;
                let class = match self.parts[part].mesh.lines[line].socket.map(|s| self.parts[part].sockets[s]) {
                    Some(Meets::Part(..)) => RowClass::Separator,
                    _ => RowClass::Inner,
                };
                self.make_row(part, line, class, false);
            }
        }
    }

    fn row_node(&self, part: usize, line: usize, index: usize) -> (u32, u32) {
        let (row, backwards) = self.parts[part].rows[line].expect("all lines have rows by now");
        let n = self.drafts[row as usize].nodes.len();
        (row, if backwards { n - 1 - index } else { index } as u32)
    }

    /// A node that two mouths share belongs to the lower row.
    fn find_aliases(&mut self) {
        for part in 0..self.parts.len() {
            for alias in self.parts[part].mesh.aliases.clone() {
                let a = self.resolve(self.row_node(part, alias.keeps.0, alias.keeps.1));
                let b = self.resolve(self.row_node(part, alias.same.0, alias.same.1));
                if a != b {
                    self.aliases.insert(a.max(b), a.min(b));
                }
            }
        }
    }

    fn resolve(&self, mut at: (u32, u32)) -> (u32, u32) {
        while let Some(&next) = self.aliases.get(&at) {
            at = next;
        }
        at
    }

    fn lay_out_rows(&mut self) {
        for row in 0..self.drafts.len() {
            let draft = &self.drafts[row];
            let at_socket = match draft.meets {
                Meets::Port(k) => match self.chip.ports[k].condition {
                    Condition::FlowRate(_) => Velocity::Given,
                    Condition::Pressure(_) => Velocity::Normal,
                    Condition::TractionFree => Velocity::Both,
                },
                Meets::Wall => Velocity::Given,
                Meets::Part(..) => Velocity::Both,
            };
            let nodes = draft.nodes.iter().enumerate().map(|(i, node)| NodeUnknowns {
                velocity: if node.wall { Velocity::Given } else { at_socket },
                pressure: node.vertex,
                owned: !self.aliases.contains_key(&(row as u32, i as u32)),
            });
            let nodes = nodes.collect();
            let (frame, class) = (draft.frame, draft.class);
            let layout = self.intern_layout(nodes);
            self.rows.push(Row {
                layout,
                frame,
                first_node: 0,
                class,
            });
        }
    }

    fn intern_layout(&mut self, nodes: Vec<NodeUnknowns>) -> u32 {
        let layout = Layout::new(nodes);
        *self.layout_numbers.entry(layout.fingerprint).or_insert_with(|| {
            self.layouts.push(layout);
            self.layouts.len() as u32 - 1
        })
    }

    fn place_blocks(&mut self) {
        let shared: std::collections::HashSet<u32, rustc_hash::FxBuildHasher> =
            self.aliases.keys().map(|&(row, _)| row).collect();
        for part in 0..self.parts.len() {
            let mesh = self.parts[part].mesh.clone();
            for placed in &mesh.blocks {
                let p = &self.parts[part];
                let kind = p.kinds[placed.kind];
                let motion = p.chip_from_canonical;
                let frame = Frame {
                    angle: motion.turn(placed.angle),
                    mirror: motion.mirror,
                    unit: p.unit * placed.scale,
                };
                let origin = motion.apply(placed.origin * p.unit);
                let slots: Vec<(u32, bool)> = placed
                    .lines
                    .iter()
                    .map(|&(line, slot_backwards)| {
                        let (row, row_backwards) = p.rows[line as usize].expect("all lines have rows by now");
                        (row, slot_backwards != row_backwards)
                    })
                    .collect();
                let mut incidences = if slots.iter().any(|(row, _)| shared.contains(row)) {
                    self.shared_incidences(kind, &frame, &slots)
                } else {
                    let plain = slots.iter().enumerate();
                    plain
                        .map(|(slot, &(row, backwards))| self.plain_incidence(kind, &frame, slot as u16, row, backwards))
                        .collect()
                };
                incidences.extend(self.interior(kind, &frame));
                incidences.sort_by_key(|i| i.row);
                self.blocks.push(Block {
                    kind,
                    part: part as u32,
                    frame,
                    origin,
                    incidences,
                });
            }
        }
    }

    fn plain_incidence(&mut self, kind: u32, frame: &Frame, slot: u16, row: u32, backwards: bool) -> Incidence {
        let r = &self.rows[row as usize];
        let (layout, (turn, mirror, scale)) = (r.layout, relative(frame, &r.frame));
        let key = (kind, slot, backwards, layout, turn, mirror, scale);
        if let Some(&side) = self.plain_sides.get(&key) {
            return Incidence { row, side };
        }
        let n = self.layouts[layout as usize].nodes.len() as u32;
        let count = |i: u32| if backwards { n - 1 - i } else { i };
        let nodes = self.kinds[kind as usize]
            .block
            .nodes_in(slot)
            .into_iter()
            .map(|(node, i)| (node, count(i)))
            .collect();
        let side = self.intern_side(kind, layout, nodes, turn, mirror, scale);
        self.plain_sides.insert(key, side);
        Incidence { row, side }
    }

    fn interior(&mut self, kind: u32, frame: &Frame) -> Option<Incidence> {
        let block = self.kinds[kind as usize].block.clone();
        let inside = block.nodes_in(INTERIOR);
        let unknowns = inside.iter().map(|&(n, _)| NodeUnknowns {
            velocity: if block.mesh.on_wall[n as usize] {
                Velocity::Given
            } else {
                Velocity::Both
            },
            pressure: (n as usize) < block.mesh.n_vertices,
            owned: true,
        });
        let layout = self.intern_layout(unknowns.collect());
        if inside.is_empty() {
            return None;
        }
        self.rows.push(Row {
            layout,
            frame: *frame,
            first_node: 0,
            class: RowClass::Interior,
        });
        let row = self.rows.len() as u32 - 1;
        Some(self.plain_incidence(kind, frame, INTERIOR, row, false))
    }

    /// As [`Self::plain_incidence`] for a block some of whose nodes belong to another row than their line's.
    fn shared_incidences(&mut self, kind: u32, frame: &Frame, slots: &[(u32, bool)]) -> Vec<Incidence> {
        let mut by_row: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        let block = self.kinds[kind as usize].block.clone();
        for (slot, &(row, backwards)) in slots.iter().enumerate() {
            let n = self.drafts[row as usize].nodes.len() as u32;
            for (node, i) in block.nodes_in(slot as u16) {
                let (owner, index) = self.resolve((row, if backwards { n - 1 - i } else { i }));
                by_row.entry(owner).or_default().push((node, index));
            }
        }
        let mut found = Vec::new();
        for (row, nodes) in by_row {
            let r = &self.rows[row as usize];
            let (layout, (turn, mirror, scale)) = (r.layout, relative(frame, &r.frame));
            found.push(Incidence {
                row,
                side: self.intern_side(kind, layout, nodes, turn, mirror, scale),
            });
        }
        found
    }

    fn intern_side(&mut self, kind: u32, layout: u32, nodes: Vec<(u32, u32)>, turn: i64, mirror: bool, scale: i64) -> u32 {
        let mut key = Hasher::new(0x51de)
            .key(self.kinds[kind as usize].fingerprint)
            .key(self.layouts[layout as usize].fingerprint)
            .int(turn)
            .word(u64::from(mirror))
            .int(scale);
        for &(a, b) in &nodes {
            key = key.word(u64::from(a) << 32 | u64::from(b));
        }
        let fingerprint = key.finish();
        *self.side_numbers.entry(fingerprint).or_insert_with(|| {
            let turn = crate::geometry::quantise::restore_angle(turn);
            self.sides.push(Side {
                kind,
                layout,
                nodes,
                turn,
                mirror,
                scale: scale as f64 / SCALE_STEPS,
                fingerprint,
            });
            self.sides.len() as u32 - 1
        })
    }

    /// Pairs of separators that a long strip lies between.
    fn far_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for p in self.parts.iter().filter(|p| p.is_strip) {
            let n = p.mesh.blocks.len();
            let separators: Vec<(usize, u32)> = [0, 1, n.saturating_sub(1), n]
                .into_iter()
                .filter(|&j| j <= n)
                .filter_map(|j| p.rows[crate::mesh::line_number(j, n) as usize].map(|(row, _)| (j, row)))
                .filter(|&(_, row)| self.rows[row as usize].class == RowClass::Separator)
                .collect();
            if let (Some(a), Some(b)) = (separators.first(), separators.last())
                && (b.0 - a.0) as f64 >= 1.5 * f64::from(self.resolution)
            {
                pairs.push((a.1, b.1));
            }
        }
        pairs
    }

    fn counts(&self) -> BlockCounts {
        let mut counts = BlockCounts::default();
        for p in &self.parts {
            let n = p.mesh.blocks.len();
            if p.is_strip {
                let joined = |s: usize| matches!(p.sockets[s], Meets::Part(..));
                let separators = (usize::from(joined(0)) + usize::from(joined(1))).min(n);
                counts.separator += separators;
                counts.regular += n - separators;
                continue;
            }
            let mut touching = vec![Vec::new(); p.mesh.lines.len()];
            for (b, placed) in p.mesh.blocks.iter().enumerate() {
                placed.lines.iter().for_each(|&(l, _)| touching[l as usize].push(b));
            }
            for (b, placed) in p.mesh.blocks.iter().enumerate() {
                let inner = placed
                    .lines
                    .iter()
                    .filter(|(l, _)| p.mesh.lines[*l as usize].socket.is_none());
                let mut others: Vec<usize> = inner
                    .flat_map(|(l, _)| touching[*l as usize].iter().copied())
                    .filter(|&o| o != b)
                    .collect();
                others.sort_unstable();
                others.dedup();
                if others.len() > 2 {
                    counts.irregular += 1
                } else {
                    counts.regular += 1
                }
            }
        }
        counts
    }

    fn ports(&self) -> Vec<PortPlace> {
        let place = |port: &super::Port| {
            let p = &self.parts[port.socket.part];
            let s = p.canonical.socket_of.iter().position(|&k| k == port.socket.socket);
            let (row, _) = p.rows[s.expect("ports name sockets that exist")].expect("all lines have rows by now");
            let part = &self.chip.parts[port.socket.part];
            let mouth = part.shape.mouths()[port.socket.socket];
            PortPlace {
                row,
                outward: part.motion.rotate(Point::unit(mouth.direction)),
                middle: part.motion.apply(mouth.middle),
                width: mouth.width,
            }
        };
        self.chip.ports.iter().map(place).collect()
    }

    fn finish(mut self) -> BlockModel {
        let mut first_node = 0;
        let mut n_unknowns = 0;
        for row in &mut self.rows {
            row.first_node = first_node;
            first_node += self.layouts[row.layout as usize].n_owned as u32;
            n_unknowns += self.layouts[row.layout as usize].n_unknowns;
        }
        let drag = match (self.chip.model, self.chip.depth) {
            (DepthModel::Shallow, Some(depth)) => 12.0 / (depth * depth),
            _ => 0.0,
        };
        BlockModel {
            resolution: self.resolution,
            drag,
            viscosity: self.chip.viscosity,
            far_pairs: self.far_pairs(),
            ports: self.ports(),
            counts: self.counts(),
            kinds: self.kinds,
            blocks: self.blocks,
            layouts: self.layouts,
            rows: self.rows,
            sides: self.sides,
            n_unknowns,
            n_nodes: first_node as usize,
        }
    }
}

/// Steps of the relative scale of two frames.
const SCALE_STEPS: f64 = 1e12;

/// Turn, reflection and scale of a row's frame as its block sees them, quantised.
fn relative(block: &Frame, row: &Frame) -> (i64, bool, i64) {
    let turn = row.angle - block.angle;
    let turn = if block.mirror { -turn } else { turn };
    (
        quantise_angle(turn),
        block.mirror != row.mirror,
        (row.unit / block.unit * SCALE_STEPS).round() as i64,
    )
}

fn kind_fingerprint(kind: &BlockKind<2>) -> Fingerprint {
    let m = &kind.mesh;
    let mut key = Hasher::new(0xb10c).word(m.n_vertices as u64).word(kind.n_slots as u64);
    for (p, place) in m.nodes.iter().zip(&kind.places) {
        key = key
            .float(p[0])
            .float(p[1])
            .word(u64::from(place.slot) << 32 | u64::from(place.index));
    }
    for &wall in &m.on_wall {
        key = key.word(u64::from(wall));
    }
    for &n in &m.cells {
        key = key.word(u64::from(n));
    }
    key.finish()
}
