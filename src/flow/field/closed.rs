//! Walls that no mesh knows of: sockets that nothing is joined to are closed.

use rustc_hash::FxHashSet;

use crate::fem::lagrange::facet_vertices;
use crate::mesh::BlockMesh;
use crate::stokes::local_vectors::LocalVectors;
use crate::stokes::system::{Meets, System};
use stokeslet_cad::shape::WallKind;

/// Facets of an instance on its closed sockets of these kinds, by patch: (cell, facet). Empty where it has none.
pub fn closed_facets<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    instance: usize,
    kinds: &[WallKind],
) -> Vec<Vec<(u32, u8)>> {
    let instance = &system.instances[instance];
    let piece = system.piece_of(instance);
    let is_closed = |interface: u32| match system.interfaces[interface as usize].meets {
        Meets::Wall(kind) => kinds.contains(&kind),
        Meets::Part | Meets::Port(_) => false,
    };
    let interfaces = instance.interfaces.iter().enumerate();
    let closed: Vec<FxHashSet<u32>> = interfaces
        .filter(|(_, interface)| is_closed(**interface))
        .map(|(socket, _)| piece.socket_nodes[socket].iter().copied().collect())
        .collect();
    if closed.is_empty() {
        return Vec::new();
    }
    let of_patch = |patch: &crate::stokes::piece::Patch| {
        let mesh: &BlockMesh<D> = &system.leaf(instance.piece, patch).mesh;
        let lies_on = |socket: &FxHashSet<u32>, cell: usize, facet: u8| {
            let vertices = facet_vertices::<D>(facet as usize);
            let mut nodes = vertices
                .iter()
                .map(|&v| patch.nodes[mesh.cell(cell)[v] as usize]);
            nodes.all(|node| socket.contains(&node))
        };
        let all = (0..mesh.n_cells()).flat_map(|cell| (0..=D as u8).map(move |f| (cell, f)));
        all.filter(|&(cell, facet)| closed.iter().any(|socket| lies_on(socket, cell, facet)))
            .map(|(cell, facet)| (cell as u32, facet))
            .collect()
    };
    local_vectors
        .patches_of(instance.piece)
        .iter()
        .map(of_patch)
        .collect()
}
