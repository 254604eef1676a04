//! Parts with their canonical meshes, each shape meshed once, and what every socket meets.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::model::{CanonicalBlock, CutError};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::geometry::Motion;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::shape::SocketRef;
use stokeslet_flow::canonical::{CanonicalShape, Canonicalised, canonicalise};
use stokeslet_flow::mesh::{BlockKind, ComponentMesh, Corners, MeshError};

/// A part with its mesh and its place.
pub struct Meshed {
    /// In canonical units.
    pub mesh: Arc<ComponentMesh>,
    /// Chip-wide kind of each of the mesh's kinds.
    pub kinds: Arc<Vec<u32>>,
    /// Its shape.
    pub canonical: Canonicalised,
    /// Where the canonical shape lies.
    pub chip_from_canonical: Motion,
    /// Cell size, m.
    pub unit: f64,
    /// Whether it is cut into slices across the flow.
    pub is_strip: bool,
    /// What each canonical socket meets.
    pub sockets: Vec<Meets>,
}

/// What lies beyond a line of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meets {
    /// The part itself: the line lies between its blocks.
    Itself,
    /// Nothing: a closed end.
    Wall,
    /// A port, by number.
    Port(usize),
    /// Another part and its canonical socket.
    Part(usize, usize),
}

/// Meshes every shape of a chip once. Returns the parts and the kinds of blocks.
pub fn mesh_parts(
    chip: &Chip,
    resolution: u32,
    corners: Corners,
) -> Result<(Vec<Meshed>, Vec<CanonicalBlock>), CutError> {
    let mut meshes: FxHashMap<CanonicalShape, (Arc<ComponentMesh>, Arc<Vec<u32>>)> =
        FxHashMap::default();
    let mut kind_numbers: FxHashMap<Fingerprint, u32> = FxHashMap::default();
    let mut kinds: Vec<CanonicalBlock> = Vec::new();
    let mut parts = Vec::with_capacity(chip.parts.len());
    for (index, part) in chip.parts.iter().enumerate() {
        let canonical = canonicalise(&part.shape, &part.walls).with_corners(corners);
        if !meshes.contains_key(&canonical.shape) {
            let mesh = canonical
                .mesh(resolution)
                .map_err(|error| CutError { part: index, error })?;
            let numbers = mesh.kinds.iter().map(|kind| {
                let fingerprint = kind_fingerprint(kind);
                *kind_numbers.entry(fingerprint).or_insert_with(|| {
                    kinds.push(CanonicalBlock {
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
            sockets: vec![Meets::Wall; canonical.socket_of.len()],
            mesh: mesh.clone(),
            kinds: numbers.clone(),
            unit: canonical.width / f64::from(resolution),
            is_strip: canonical.shape.is_strip(),
            canonical,
            chip_from_canonical,
        });
    }
    for c in &chip.connections {
        let (a, b) = (find_socket(&parts, c.a)?, find_socket(&parts, c.b)?);
        parts[a.0].sockets[a.1] = Meets::Part(b.0, b.1);
        parts[b.0].sockets[b.1] = Meets::Part(a.0, a.1);
    }
    for (k, port) in chip.ports.iter().enumerate() {
        let (part, s) = find_socket(&parts, port.socket)?;
        parts[part].sockets[s] = Meets::Port(k);
    }
    Ok((parts, kinds))
}

/// The part and the canonical socket of a reference.
pub fn find_socket(parts: &[Meshed], s: SocketRef) -> Result<(usize, usize), CutError> {
    let part = parts.get(s.part);
    let found = part.and_then(|p| p.canonical.socket_of.iter().position(|&k| k == s.socket));
    let socket = found.ok_or(CutError {
        part: s.part.min(parts.len().saturating_sub(1)),
        error: MeshError::UnknownSocket { socket: s.socket },
    })?;
    Ok((s.part, socket))
}

fn kind_fingerprint(kind: &BlockKind<2>) -> Fingerprint {
    let m = &kind.mesh;
    let mut key = Hasher::new(Domain::BlockKind)
        .word(m.n_vertices as u64)
        .word(kind.n_slots as u64);
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
