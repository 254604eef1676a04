//! Walls that no mesh knows of: sockets that nothing is joined to are closed, and fluid sticks to them as to any wall.

use rustc_hash::FxHashSet;

use crate::mesh::{BlockMesh, TETRAHEDRON_FACETS};
use crate::stokes::slabs::Slabs;
use crate::stokes::system::{Meets, System};

/// The vertices of a cell's facet: in the plane facet k runs from vertex k to k + 1.
fn vertices<const D: usize>(facet: u8) -> Vec<usize> {
    let k = facet as usize;
    match D {
        2 => vec![k, (k + 1) % 3],
        _ => TETRAHEDRON_FACETS[k].to_vec(),
    }
}

/// Facets of an instance on its closed sockets, by patch: (cell, facet). Empty where it has none.
pub fn closed_facets<const D: usize>(
    system: &System<D>,
    slabs: &Slabs,
    instance: usize,
) -> Vec<Vec<(u32, u8)>> {
    let instance = &system.instances[instance];
    let piece = system.piece_of(instance);
    let is_closed = |interface: u32| system.interfaces[interface as usize].meets == Meets::Wall;
    let interfaces = instance.interfaces.iter().enumerate();
    let closed: Vec<FxHashSet<u32>> = interfaces
        .filter(|(_, interface)| is_closed(**interface))
        .map(|(mouth, _)| piece.mouth_nodes[mouth].iter().copied().collect())
        .collect();
    if closed.is_empty() {
        return Vec::new();
    }
    let of_patch = |patch: &crate::stokes::piece::Patch| {
        let mesh: &BlockMesh<D> = &system.leaf(instance.piece, patch).mesh;
        let lies_on = |mouth: &FxHashSet<u32>, cell: usize, facet: u8| {
            let vertices = vertices::<D>(facet);
            let mut nodes = vertices
                .iter()
                .map(|&v| patch.nodes[mesh.cell(cell)[v] as usize]);
            nodes.all(|node| mouth.contains(&node))
        };
        let all = (0..mesh.n_cells()).flat_map(|cell| (0..=D as u8).map(move |f| (cell, f)));
        all.filter(|&(cell, facet)| closed.iter().any(|mouth| lies_on(mouth, cell, facet)))
            .map(|(cell, facet)| (cell as u32, facet))
            .collect()
    };
    slabs
        .patches_of(instance.piece)
        .iter()
        .map(of_patch)
        .collect()
}
