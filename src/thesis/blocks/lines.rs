//! Lines of all parts become rows in the making: joined where parts meet, classed, and numbered so that copies agree.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::frame::BlockFrame;
use super::layout::{NodeUnknowns, Velocity};
use super::model::RowClass;
use super::parts::{Meets, Meshed};
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_flow::mesh::{LineNode, line_number};

/// A line of the chip before its unknowns are numbered.
pub struct Draft {
    /// Its nodes, in its own order.
    pub nodes: Arc<Vec<LineNode>>,
    /// What lies beyond it.
    pub meets: Meets,
    /// The part whose line it is; for a line between two parts, the strip's, else the lower part's.
    pub part: usize,
    /// Its axes.
    pub frame: BlockFrame,
    /// When it may be eliminated.
    pub class: RowClass,
}

/// The lines of a chip.
pub struct Lines {
    /// By number.
    pub drafts: Vec<Draft>,
    /// By part and line of its mesh: the line's number, and whether it counts the mesh's line backwards.
    pub of_part: Vec<Vec<Option<(u32, bool)>>>,
    /// (line, node) that stands for another (line, node): corners that two sockets share.
    aliases: FxHashMap<(u32, u32), (u32, u32)>,
}

impl Lines {
    /// Numbers the lines of all parts.
    pub fn new(parts: &[Meshed]) -> Self {
        let of_part = parts
            .iter()
            .map(|p| vec![None; p.mesh.lines.len()])
            .collect();
        let mut lines = Self {
            drafts: Vec::new(),
            of_part,
            aliases: FxHashMap::default(),
        };
        lines.number_polygons(parts);
        lines.number_strips(parts);
        lines.find_aliases(parts);
        lines
    }

    /// Makes the draft of a line, once; `flip` turns its axes by half a turn, so that it looks and counts the other way.
    fn make(&mut self, parts: &[Meshed], part: usize, line: usize, class: RowClass, flip: bool) {
        if self.of_part[part][line].is_some() {
            return;
        }
        let p = &parts[part];
        let meets = p.mesh.lines[line]
            .socket
            .map_or(Meets::Itself, |s| p.sockets[s]);
        if let Meets::Part(other, socket) = meets {
            // A line between two parts is the strip's, else the lower part's.
            let mine = (!p.is_strip, part) <= (!parts[other].is_strip, other);
            if !mine {
                return self.make(parts, other, socket, class, flip);
            }
        }
        let p = &parts[part];
        let l = &p.mesh.lines[line];
        let half_turn = if flip { std::f64::consts::PI } else { 0.0 };
        let frame = BlockFrame {
            angle: p.chip_from_canonical.turn(l.angle + half_turn),
            mirror: p.chip_from_canonical.mirror,
            unit: l.scale * p.unit,
        };
        let mut nodes = l.nodes.clone();
        if flip {
            nodes = Arc::new(nodes.iter().rev().copied().collect());
        }
        let number = self.drafts.len() as u32;
        self.drafts.push(Draft {
            nodes,
            meets,
            part,
            frame,
            class,
        });
        let mirror = p.chip_from_canonical.mirror;
        self.of_part[part][line] = Some((number, flip));
        if let Meets::Part(other, socket) = meets {
            // Both count counter-clockwise about themselves: opposite ways, unless one of them is mirrored.
            let backwards = (mirror == parts[other].chip_from_canonical.mirror) != flip;
            self.of_part[other][socket] = Some((number, backwards));
        }
    }

    /// Rows of polygons, their sockets, and the separators one slice inside the pipes beyond: all in the polygon's own order,
    /// so that every copy numbers (and later eliminates) them alike.
    fn number_polygons(&mut self, parts: &[Meshed]) {
        for part in (0..parts.len())
            .filter(|&p| !parts[p].is_strip)
            .collect::<Vec<_>>()
        {
            let n_sockets = parts[part].sockets.len();
            for line in n_sockets..parts[part].mesh.lines.len() {
                self.make(parts, part, line, RowClass::Inner, false);
            }
            for s in 0..n_sockets {
                let class = match parts[part].sockets[s] {
                    Meets::Part(other, _) if !parts[other].is_strip => RowClass::Separator,
                    _ => RowClass::Last,
                };
                self.make(parts, part, s, class, false);
            }
            for s in 0..n_sockets {
                let Meets::Part(other, end) = parts[part].sockets[s] else {
                    continue;
                };
                let n = parts[other].mesh.blocks.len();
                if !parts[other].is_strip || n < 2 {
                    continue;
                }
                let j = if end == 0 { 1 } else { n - 1 };
                self.make(
                    parts,
                    other,
                    line_number(j, n) as usize,
                    RowClass::Separator,
                    end == 0,
                );
            }
        }
    }

    fn number_strips(&mut self, parts: &[Meshed]) {
        for part in (0..parts.len())
            .filter(|&p| parts[p].is_strip)
            .collect::<Vec<_>>()
        {
            let n = parts[part].mesh.blocks.len();
            for j in 0..=n {
                let line = line_number(j, n) as usize;
                let class = match parts[part].mesh.lines[line]
                    .socket
                    .map(|s| parts[part].sockets[s])
                {
                    Some(Meets::Part(..)) => RowClass::Separator,
                    _ => RowClass::Inner,
                };
                self.make(parts, part, line, class, false);
            }
        }
    }

    /// The line and node that a node of a part's line is, whoever keeps it.
    pub fn node(&self, part: usize, line: usize, index: usize) -> (u32, u32) {
        let (row, backwards) = self.of_part[part][line].expect("all lines have rows by now");
        let n = self.drafts[row as usize].nodes.len();
        (row, if backwards { n - 1 - index } else { index } as u32)
    }

    /// A node that two sockets share belongs to the lower row.
    fn find_aliases(&mut self, parts: &[Meshed]) {
        for (part, meshed) in parts.iter().enumerate() {
            for alias in &meshed.mesh.aliases {
                let a = self.resolve(self.node(part, alias.keeps.0, alias.keeps.1));
                let b = self.resolve(self.node(part, alias.same.0, alias.same.1));
                if a != b {
                    self.aliases.insert(a.max(b), a.min(b));
                }
            }
        }
    }

    /// The (line, node) that keeps a node.
    pub fn resolve(&self, mut at: (u32, u32)) -> (u32, u32) {
        while let Some(&next) = self.aliases.get(&at) {
            at = next;
        }
        at
    }

    /// Whether another line keeps some node of this one.
    pub fn is_shared(&self, line: u32) -> bool {
        let n = self.drafts[line as usize].nodes.len() as u32;
        !self.aliases.is_empty() && (0..n).any(|i| self.aliases.contains_key(&(line, i)))
    }

    /// The unknowns of each node of a line.
    pub fn unknowns(&self, chip: &Chip, line: u32) -> Vec<NodeUnknowns> {
        let draft = &self.drafts[line as usize];
        let velocity = match draft.meets {
            Meets::Port(k) => match chip.ports[k].condition {
                Condition::FlowRate(_) => Velocity::Given,
                Condition::Pressure(_) => Velocity::Normal,
                Condition::TractionFree => Velocity::Both,
            },
            Meets::Wall => Velocity::Given,
            Meets::Part(..) | Meets::Itself => Velocity::Both,
        };
        let nodes = draft.nodes.iter().enumerate();
        nodes
            .map(|(i, node)| NodeUnknowns {
                velocity: if node.wall { Velocity::Given } else { velocity },
                pressure: node.vertex,
                owned: !self.aliases.contains_key(&(line, i as u32)),
            })
            .collect()
    }
}
