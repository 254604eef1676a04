//! A chip as pieces that share unknowns: which piece each part is a copy of, and what its sockets meet.
//!
//! ```text
//! part --canonical shape--> Piece (made once)          interface = a socket that meets another socket, a port or nothing
//!   `--motion, unit-------> Instance --boundary-------> shared unknowns: section.n for every interface
//! ```
//! A part's unknowns are velocities and pressures times the root of its depth over the chip's: then its matrix is that of the same part
//! in a chip as deep (`depth A u u` and `depth p div u` with no factor left), so parts of equal shape and drag are copies whatever
//! else is deep. Where two depths meet, `d u` across the socket, `u` along it and `p` are those of both: what leaves one part enters
//! the next, and conductances stay symmetric.
//!
//! An interface's unknowns are in the frame of one of its two sockets (the polygon's, else that of the lower part), so that
//! junctions, the costly ones, see them as they are and stay copies of each other.

mod alike;
mod interfaces;
mod supply;

use std::sync::Arc;

use interfaces::{interfaces, ports};
use rustc_hash::FxHashMap;
use stokeslet_base::parallel;
pub use supply::Supply;
use supply::{make, orders};

use super::boundary;
use super::piece::{Canonical, Extrusion, Leaf, Names, Patch, Piece, PieceError};
use super::section::{NONE, Section};
use crate::canonical::{Canonicalised, canonicalise, canonicalise_like};
use crate::mesh::Corners;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_cad::shape::WallKind;
use stokeslet_fronts::{Class, Element, Image, KindId, NOWHERE, Plan};

/// A copy of a piece in the chip.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Index into [`System::pieces`].
    pub piece: u32,
    /// Where the canonical shape lies.
    pub motion: Motion,
    /// Unit of the piece, m.
    pub unit: f64,
    /// Its depth over the chip's.
    pub depth: f64,
    /// Drag of floor and ceiling there over the viscosity in the plane: [`Chip::drag_of`], 1/m^2.
    pub drag: f64,
    /// One a boundary unknown of the piece: the shared unknown that it is.
    pub boundary: Vec<Image>,
    /// One a boundary node of the piece: number in the chip.
    pub nodes: Vec<u32>,
    /// The interface at each socket.
    pub interfaces: Vec<u32>,
}

/// What an interface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// Two parts.
    Part,
    /// A port, by number.
    Port(u32),
    /// Nothing: a closed end.
    Wall(WallKind),
}

/// A socket and what it meets.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Part and socket whose frame its unknowns are in.
    pub owner: (u32, u32),
    /// Unit of that socket, m.
    pub unit: f64,
    /// Depth of that socket's part over the chip's.
    pub depth: f64,
    /// What it meets.
    pub meets: Meets,
    /// Where its two sockets don't lie on each other (the joint of a link), or velocity jumps, as two depths meet: a number of its own
    /// among such interfaces. Its nodes are two sets then, one a socket.
    pub free: Option<u32>,
}

/// A port's place.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Its interface.
    pub interface: u32,
    /// Outward unit vector in the chip.
    pub outward: Point,
    /// Middle of the socket, m.
    pub middle: Point,
    /// Across, m.
    pub width: f64,
    /// The walls at its first and at its last node.
    pub walls: [WallKind; 2],
}

/// A chip as pieces.
pub struct System<const D: usize> {
    /// Unknowns of a socket.
    pub section: Section,
    /// Fronts planned so far.
    pub plan: Plan,
    /// Their leaves.
    pub leaves: Vec<Arc<Leaf<D>>>,
    /// Essentially different parts.
    pub pieces: Vec<Arc<Canonical<D>>>,
    /// What `plan` and `leaves` call what is theirs, by piece.
    pub names: Vec<Names>,
    /// In the chip's order of parts.
    pub shapes: Vec<Canonicalised>,
    /// Copies, in the chip's order of parts.
    pub instances: Vec<Instance>,
    /// All sockets.
    pub interfaces: Vec<Interface>,
    /// In the chip's order of ports.
    pub ports: Vec<Port>,
    /// What becomes of each shared unknown.
    pub class: Vec<Class>,
    /// A shared pressure of every connected component whose pressure nothing fixes.
    pub datums: Vec<u32>,
    /// Connected component of each interface, and whether its pressure is free.
    pub connected_components: Vec<u32>,
    /// By connected component.
    pub is_free: Vec<bool>,
    /// Unknowns of the whole system.
    pub n_unknowns: usize,
    /// Shared unknowns that another stands for: (one, the other, factor), `x_one = factor * x_other`.
    pub aliases: Vec<(u32, u32, f64)>,
    /// Nodes on interfaces; they are numbered first.
    pub n_shared_nodes: usize,
    /// Number in the chip of each interface's nodes, across, then level.
    pub interface_nodes: Vec<u32>,
    /// Seconds that planning the pieces took, apart from meshing them.
    pub plan_seconds: f64,
    /// Dynamic viscosity in the plane, Pa s: [`Chip::plane_viscosity`].
    pub viscosity: f64,
}

/// A part that can't be made a piece.
#[derive(Clone, Debug, PartialEq)]
pub struct PartError {
    /// Index into `Chip::parts`.
    pub part: usize,
    /// Why.
    pub error: PieceError,
}

/// A part's canonical shape and its sockets' interfaces.
struct Placed {
    canonical: Canonicalised,
    interfaces: Vec<u32>,
}

impl<const D: usize> System<D> {
    /// Makes the pieces of a chip and numbers what they share.
    ///
    /// # Shapes and units
    /// - all pieces have the unit of `extrusion`, where it has one; else each has its narrowest socket's cell
    /// # Errors
    /// [`PartError`] names the part whose shape can't be meshed.
    pub fn new(
        chip: &Chip,
        section: Section,
        extrusion: &dyn Extrusion<D>,
        supply: Supply<'_>,
    ) -> Result<Self, PartError> {
        let drags: Vec<f64> = (0..chip.parts.len()).map(|k| chip.drag_of(k)).collect();
        let corners = match D {
            2 => supply.corners,
            _ => Corners::Plain,
        };
        let mut placed = parallel::map(chip.parts.len(), 1, |k| {
            let part = &chip.parts[k];
            let canonical = match supply.like(k) {
                Some(model) => canonicalise_like(model, &part.shape, &part.walls),
                None => canonicalise(&part.shape, &part.walls),
            };
            let canonical = canonical.with_corners(corners);
            let interfaces = vec![NONE; canonical.socket_of.len()];
            Placed {
                canonical,
                interfaces,
            }
        });
        let mut interfaces = interfaces(chip, &mut placed, section.resolution)?;
        let shared_unit = extrusion.unit();
        if let Some(unit) = shared_unit {
            interfaces.iter_mut().for_each(|i| i.unit = unit);
        }
        let (piece_of, orders) = orders(&placed, &section, shared_unit, &drags, &supply);
        let (pieces, plan_seconds) = make(&orders, &placed, &section, extrusion, supply)?;
        let mut plan = Plan::new(supply.caching);
        let mut leaves = Vec::new();
        let names = pieces.iter().map(|p| p.adopt(&mut plan, &mut leaves));
        let names = names.collect();
        let parts = placed.iter().zip(&chip.parts).zip(&piece_of).enumerate();
        let instances = parts
            .map(|(k, ((p, part), &piece))| Instance {
                piece,
                depth: chip.depth_ratio(k),
                drag: drags[k],
                motion: part.motion.after(&p.canonical.motion),
                unit: shared_unit.unwrap_or(p.canonical.width / f64::from(section.resolution)),
                boundary: Vec::new(),
                nodes: Vec::new(),
                interfaces: p.interfaces.clone(),
            })
            .collect();
        let mut system = Self {
            plan,
            leaves,
            pieces,
            names,
            instances,
            ports: ports(chip, &placed),
            interfaces,
            class: Vec::new(),
            datums: Vec::new(),
            connected_components: Vec::new(),
            is_free: Vec::new(),
            n_unknowns: 0,
            aliases: Vec::new(),
            n_shared_nodes: 0,
            interface_nodes: Vec::new(),
            plan_seconds,
            viscosity: chip.plane_viscosity(),
            section,
            shapes: placed.into_iter().map(|p| p.canonical).collect(),
        };
        system.share_unknowns();
        system.share_nodes();
        system.see_walls_of_ports();
        system.classify(chip);
        system.find_connected_components(chip);
        system.n_unknowns = system
            .class
            .iter()
            .filter(|c| matches!(c, Class::Free | Class::Kept))
            .count()
            + system
                .instances
                .iter()
                .map(|i| {
                    let piece = system.piece_of(i);
                    piece.n - piece.n_boundary
                })
                .sum::<usize>();
        Ok(system)
    }

    /// The piece of an instance.
    pub fn piece_of(&self, instance: &Instance) -> &Piece {
        &self.pieces[instance.piece as usize].piece
    }

    /// The front that is left of a piece.
    pub fn root(&self, piece: u32) -> KindId {
        let piece = piece as usize;
        self.names[piece].kinds[self.pieces[piece].piece.root as usize]
    }

    /// Number of the leaf that a patch of a piece places.
    pub fn leaf_number(&self, piece: u32, patch: &Patch) -> usize {
        self.names[piece as usize].leaves[patch.leaf as usize] as usize
    }

    /// The leaf that a patch of a piece places.
    pub fn leaf(&self, piece: u32, patch: &Patch) -> &Leaf<D> {
        &self.leaves[self.leaf_number(piece, patch)]
    }

    /// How a socket's unknowns follow from those of its interface; `None`: they are the same. Whether it lies mirrored to it, the
    /// factor of pressures from its unit, and the root of its depth over the interface's.
    fn facing(&self, part: usize, socket: usize) -> Option<(bool, f64, f64)> {
        let instance = &self.instances[part];
        let interface = &self.interfaces[instance.interfaces[socket] as usize];
        if interface.owner == (part as u32, socket as u32) {
            return None;
        }
        let owner = &self.instances[interface.owner.0 as usize];
        let unit = instance.unit * self.piece_of(instance).socket_scales[socket];
        let ratio = unit / interface.unit;
        let factor = if (ratio - 1.0).abs() < 1e-9 {
            1.0
        } else {
            ratio
        };
        let depths = (instance.depth / interface.depth).sqrt();
        let is_mirrored = instance.motion.mirror != owner.motion.mirror;
        Some((is_mirrored, factor, depths))
    }

    /// Boundary unknowns of every instance as shared unknowns; corners that two sockets of a part share become one.
    fn share_unknowns(&mut self) {
        let m = self.section.n as u32;
        let mut same = Same::default();
        let mut at_rest = Vec::new();
        let mut extra = self.interfaces.len() as u32 * m;
        let mut patterns: FxHashMap<(bool, u64, u64), Vec<Image>> = FxHashMap::default();
        for part in 0..self.instances.len() {
            let piece = &self.pieces[self.instances[part].piece as usize].piece;
            let mut boundary = vec![Image::plain(NOWHERE); piece.n_boundary];
            for (socket, images) in piece.sockets.iter().enumerate() {
                let base = self.instances[part].interfaces[socket] * m;
                let pattern = self.facing(part, socket).map(|(mirror, factor, depths)| {
                    let key = (mirror, factor.to_bits(), depths.to_bits());
                    &*patterns.entry(key).or_insert_with(|| {
                        let plain = self.section.facing(mirror, factor);
                        self.section.of_depths(plain, depths)
                    })
                });
                for (k, image) in images.iter().enumerate() {
                    let shared = pattern.map_or(Image::plain(k as u32), |p| p[k]);
                    if image.to == NONE {
                        // A wall of this part holds the fluid there.
                        at_rest.push(base + shared.to);
                        continue;
                    }
                    let found = Image {
                        to: base + shared.to,
                        factor: image.factor * shared.factor,
                    };
                    let place = &mut boundary[image.to as usize];
                    if place.to == NOWHERE {
                        *place = found;
                    } else {
                        // A corner's pressure, in the unit of either socket.
                        same.join_scaled(found.to, place.to, place.factor / found.factor);
                    }
                }
            }
            // A pressure in a corner that only given velocities surround: shared with nobody.
            for image in boundary.iter_mut().filter(|i| i.to == NOWHERE) {
                *image = Image::plain(extra);
                extra += 1;
            }
            at_rest.extend(piece.rests.iter().map(|&k| boundary[k as usize].to));
            self.instances[part].boundary = boundary;
        }
        if !same.parent.is_empty() {
            for instance in &mut self.instances {
                for image in &mut instance.boundary {
                    let (to, factor) = same.scaled_root(image.to);
                    *image = Image {
                        to,
                        factor: image.factor * factor,
                    };
                }
            }
        }
        self.class = vec![Class::Free; extra as usize];
        for gid in at_rest {
            self.class[gid as usize] = Class::Zero;
        }
        let joined: Vec<u32> = same.parent.keys().copied().collect();
        for gid in joined {
            let (root, factor) = same.scaled_root(gid);
            if root != gid {
                self.class[gid as usize] = Class::Zero;
                self.aliases.push((gid, root, factor));
            }
        }
    }

    /// Numbers of boundary nodes in the chip: those on interfaces first, no number left out.
    fn share_nodes(&mut self) {
        let per = self.section.n_nodes() as u32;
        let levels = self.section.n_levels();
        let across = self.section.n_across();
        let mut same = Same::default();
        let n_interfaces = self.interfaces.len() as u32;
        let n_free = self.interfaces.iter().filter(|i| i.free.is_some()).count() as u32;
        for part in 0..self.instances.len() {
            let piece = &self.pieces[self.instances[part].piece as usize].piece;
            let mut nodes = vec![NONE; piece.n_boundary_nodes];
            for (socket, list) in piece.socket_nodes.iter().enumerate() {
                let number = self.instances[part].interfaces[socket];
                let facing = self.facing(part, socket);
                let backwards = facing.is_some_and(|(mirror, ..)| !mirror);
                let base = match self.interfaces[number as usize].free {
                    Some(free) if facing.is_some() => (n_interfaces + free) * per,
                    _ => number * per,
                };
                for (k, &node) in list.iter().enumerate() {
                    let (i, level) = (k as u32 / levels, k as u32 % levels);
                    let i = if backwards { across - 1 - i } else { i };
                    let found = base + i * levels + level;
                    let place = &mut nodes[node as usize];
                    if *place == NONE {
                        *place = found;
                    } else {
                        same.join(*place, found);
                    }
                }
            }
            self.instances[part].nodes = nodes;
        }
        let mut number = vec![NONE; ((n_interfaces + n_free) * per) as usize];
        let mut n = 0;
        for raw in 0..number.len() as u32 {
            if same.root(raw) == raw {
                number[raw as usize] = n;
                n += 1;
            }
        }
        self.n_shared_nodes = n as usize;
        self.interface_nodes = (0..number.len() as u32)
            .map(|raw| number[same.root(raw) as usize])
            .collect();
        for instance in &mut self.instances {
            for node in &mut instance.nodes {
                *node = number[same.root(*node) as usize];
            }
        }
    }

    /// Which walls slip at the ends of ports: where their nodes move.
    fn see_walls_of_ports(&mut self) {
        let section = &self.section;
        let ends = [0, section.n_across() - 1];
        let level = 1.min(section.n_levels() - 1);
        for port in &mut self.ports {
            let base = port.interface as usize * section.n;
            port.walls = ends.map(|i| match section.unknown(i, level, 0) {
                Some(k) if self.class[base + k as usize] != Class::Zero => WallKind::Slip,
                _ => WallKind::NoSlip,
            });
        }
    }

    /// What becomes of the unknowns on ports and closed ends.
    fn classify(&mut self, chip: &Chip) {
        let section = &self.section;
        for (k, interface) in self.interfaces.iter().enumerate() {
            let base = k * section.n;
            let Some([normal, others]) = boundary::classes(interface.meets, &chip.ports) else {
                continue;
            };
            for i in 0..section.n_across() {
                for level in 0..section.n_levels() {
                    let Some((first, components)) = section.velocity(i, level) else {
                        continue;
                    };
                    for (k, c) in components.iter().enumerate() {
                        let class = &mut self.class[base + first as usize + k];
                        // Nothing moves what rests at the end of a socket.
                        if *class != Class::Zero {
                            *class = if c == 0 { normal } else { others };
                        }
                    }
                }
            }
        }
    }

    /// Connected parts of the chip; in each whose pressure nothing fixes one pressure is kept for the network.
    fn find_connected_components(&mut self, chip: &Chip) {
        let mut same = Same::default();
        for instance in &self.instances {
            for pair in instance.interfaces.windows(2) {
                same.join(pair[0], pair[1]);
            }
        }
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        for k in 0..self.interfaces.len() as u32 {
            let next = number.len() as u32;
            self.connected_components
                .push(*number.entry(same.root(k)).or_insert(next));
        }
        self.is_free = vec![true; number.len()];
        for (k, interface) in self.interfaces.iter().enumerate() {
            if let Meets::Port(port) = interface.meets
                && !matches!(chip.ports[port as usize].condition, Condition::FlowRate(_))
            {
                self.is_free[self.connected_components[k] as usize] = false;
            }
        }
        // A port's interface before any other: junctions inside stay copies.
        let mut has_datum = vec![false; number.len()];
        for ports_only in [true, false] {
            for (k, interface) in self.interfaces.iter().enumerate() {
                let connected_component = self.connected_components[k] as usize;
                if !self.is_free[connected_component]
                    || has_datum[connected_component]
                    || (ports_only && !matches!(interface.meets, Meets::Port(_)))
                {
                    continue;
                }
                let base = k * self.section.n;
                let pressure = (self.section.n_velocity..self.section.n)
                    .map(|i| base + i)
                    .find(|&g| self.class[g] == Class::Free);
                if let Some(gid) = pressure {
                    self.class[gid] = Class::Kept;
                    self.datums.push(gid as u32);
                    has_datum[connected_component] = true;
                }
            }
        }
    }

    /// Gives shared unknowns that another stands for their value.
    pub fn complete(&self, shared: &mut [f64]) {
        for &(one, other, factor) in &self.aliases {
            shared[one as usize] = factor * shared[other as usize];
        }
    }

    /// The connected component of an interface, where only differences of pressure are known there.
    pub fn free_connected_component(&self, interface: u32) -> Option<u32> {
        let connected_component = self.connected_components[interface as usize];
        self.is_free[connected_component as usize].then_some(connected_component)
    }

    /// The pieces as elements on shared unknowns.
    pub fn element(&self, instance: &Instance) -> Element {
        Element {
            kind: self.root(instance.piece),
            boundary: instance.boundary.clone(),
        }
    }
}

/// Numbers that stand for one thing, up to a factor; the smallest is its root. Few are ever joined.
#[derive(Default)]
struct Same {
    /// `x_key = factor * x_parent`.
    parent: FxHashMap<u32, (u32, f64)>,
}

impl Same {
    fn root(&self, at: u32) -> u32 {
        self.scaled_root(at).0
    }

    /// The root, and `x_at / x_root`.
    fn scaled_root(&self, mut at: u32) -> (u32, f64) {
        let mut factor = 1.0;
        while let Some(&(next, ratio)) = self.parent.get(&at) {
            if next == at {
                break;
            }
            at = next;
            factor *= ratio;
        }
        (at, factor)
    }

    fn join(&mut self, a: u32, b: u32) {
        self.join_scaled(a, b, 1.0);
    }

    /// `x_a = factor * x_b`.
    fn join_scaled(&mut self, a: u32, b: u32, factor: f64) {
        let ((a, from_a), (b, from_b)) = (self.scaled_root(a), self.scaled_root(b));
        // x_root_a * from_a = factor * x_root_b * from_b
        let ratio = factor * from_b / from_a;
        let (later, first, ratio) = if a > b {
            (a, b, ratio)
        } else {
            (b, a, 1.0 / ratio)
        };
        if later != first {
            self.parent.insert(later, (first, ratio));
            self.parent.entry(first).or_insert((first, 1.0));
        }
    }
}
