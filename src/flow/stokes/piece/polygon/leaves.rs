//! The leaves of a dissected polygon: named by content before any is made, since nearly all are copies.

use super::mirror::{numbered, submesh};
use super::scratch::Scratch;
use super::unknowns::{Mirrored, Unknowns, moves, turned, way_in_mirror};
use crate::stokes::piece::leaf::{Leaf, drag_digits};
use crate::stokes::piece::space::SpaceMesh;
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};

/// Cuts leaves out of a polygon.
pub(super) struct Cutter<'a, const D: usize> {
    pub space: &'a SpaceMesh<D>,
    pub unknowns: &'a Unknowns,
    pub drag: f64,
    /// Cells of the mesh in each of its plane cells.
    cells_of: Vec<Vec<u32>>,
    /// Facets of each cell that lie on walls.
    walls_of: Vec<Vec<u8>>,
}

/// A leaf before it is known whether it is a copy.
pub(super) struct Prepared {
    /// Key of its front: of all that its matrix depends on, in its mirror.
    pub key: Fingerprint,
    /// Key of the leaf as it lies, where it isn't the front's.
    pub patch_key: Option<Fingerprint>,
    /// Nodes of the mesh, vertices first.
    pub nodes: Vec<u32>,
    n_vertices: usize,
    /// Unknowns, those of the boundary first.
    pub order: Vec<u32>,
    pub n_boundary: usize,
}

impl<'a, const D: usize> Cutter<'a, D> {
    pub fn new(space: &'a SpaceMesh<D>, unknowns: &'a Unknowns, drag: f64) -> Self {
        let n_plane = space.plane_cell.iter().max().map_or(0, |&c| c as usize + 1);
        let mut cells_of: Vec<Vec<u32>> = vec![Vec::new(); n_plane];
        for (c, &plane) in space.plane_cell.iter().enumerate() {
            cells_of[plane as usize].push(c as u32);
        }
        let mut walls_of: Vec<Vec<u8>> = vec![Vec::new(); space.mesh.n_cells()];
        for &(cell, facet) in &space.mesh.walls {
            walls_of[cell as usize].push(facet);
        }
        Self {
            space,
            unknowns,
            drag,
            cells_of,
            walls_of,
        }
    }

    /// Cells of the mesh in these plane ones.
    fn own(&self, plane: &[u32]) -> Vec<u32> {
        let own = |&c: &u32| self.cells_of[c as usize].iter().copied();
        plane.iter().flat_map(own).collect()
    }

    /// Numbers and names the leaf that node `t` of the dissection is.
    pub fn prepare(
        &self,
        t: usize,
        plane: &[u32],
        mirrored: Mirrored,
        scratch: &mut Scratch,
    ) -> Prepared {
        let unknowns = self.unknowns;
        let mesh = &self.space.mesh;
        let numbered = numbered(mesh, &self.own(plane), mirrored, &mut scratch.node);
        let nodes = numbered.nodes;
        let goes = |u: u32| unknowns.at[u as usize] == t as u32;
        // Those that stay, those that go.
        let (mut order, mut eliminated) = (Vec::with_capacity(4 * nodes.len()), Vec::new());
        let mut key = Hasher::new(Domain::DissectedLeaf)
            .word(D as u64)
            .word(numbered.n_vertices as u64)
            .int(drag_digits(self.drag));
        let first = mesh.nodes[nodes[0] as usize];
        let (mut is_plain, mut in_local) = (mirrored == [false; 2], Hasher::new(Domain::LeafSigns));
        for &n in &nodes {
            for (k, (x, o)) in mesh.nodes[n as usize].iter().zip(first).enumerate() {
                let is_mirrored = k < 2 && mirrored[k];
                key = key.int(digits(if is_mirrored { o - x } else { x - o }, 1e10));
            }
            let free = unknowns.velocity[n as usize].1;
            // Which unknowns the node has, and which of them go; which have the other sign in a local vector.
            let (mut has, mut turns) = (free.bits(), 0);
            for (k, u) in unknowns.of_node(n).enumerate() {
                let goes = goes(u);
                if goes { &mut eliminated } else { &mut order }.push(u);
                has |= (1 | u64::from(goes) << 1) << (8 + 2 * k);
                turns |= u64::from(unknowns.is_turned[u as usize]) << k;
            }
            is_plain &= turns == 0;
            in_local = in_local.word(turns);
            key = key.word(has);
            if let Some(&way) = unknowns.along.get(&n) {
                let [x, y] = way_in_mirror(way, mirrored).map(|x| digits(x, 1e12));
                key = key.int(x).int(y);
            }
            if !free.is_empty()
                && let Some(&angle) = unknowns.turned.get(&n)
            {
                let [co, s] = turned(angle, mirrored).map(|x| digits(x, 1e12));
                // A socket that lies straight turns nothing.
                if s != 0 || co < 0 {
                    key = key.int(co).int(s);
                }
            }
        }
        key = numbered
            .cells
            .iter()
            .fold(key, |key, &n| key.word(u64::from(n)));
        let n_boundary = order.len();
        order.append(&mut eliminated);
        let key = key.finish();
        let mask = u64::from(mirrored[0]) | u64::from(mirrored[1]) << 1;
        Prepared {
            key,
            patch_key: (!is_plain).then(|| in_local.key(key).word(mask).finish()),
            nodes,
            n_vertices: numbered.n_vertices,
            order,
            n_boundary,
        }
    }

    /// A front's leaf, in its mirror.
    pub fn front(
        &self,
        plane: &[u32],
        found: &Prepared,
        mirrored: Mirrored,
        scratch: &mut Scratch,
    ) -> Leaf<D> {
        self.leaf(plane, found, Some(mirrored), scratch)
    }

    /// The same cells as they lie, with the signs of the local vector.
    pub fn as_it_lies(&self, plane: &[u32], found: &Prepared, scratch: &mut Scratch) -> Leaf<D> {
        self.leaf(plane, found, None, scratch)
    }

    fn leaf(
        &self,
        plane: &[u32],
        found: &Prepared,
        front: Option<Mirrored>,
        scratch: &mut Scratch,
    ) -> Leaf<D> {
        let mesh = submesh(
            &self.space.mesh,
            &self.walls_of,
            &self.own(plane),
            (&found.nodes, found.n_vertices),
            front.unwrap_or_default(),
            &mut scratch.node,
        );
        let local = &mut scratch.unknown;
        let moves = moves::<D>(
            self.unknowns,
            &mesh,
            &found.nodes,
            &found.order,
            front,
            local,
        );
        Leaf::new(mesh, self.drag, moves)
    }
}

/// So many parts of one, to the nearest.
fn digits(x: f64, parts: f64) -> i64 {
    (x * parts + if x < 0.0 { -0.5 } else { 0.5 }) as i64
}
