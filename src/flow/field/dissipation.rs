//! Power that viscous stresses and the drag of the depth turn into heat.

use stokeslet_base::parallel;
use stokeslet_fronts::tree::gather;

use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::system::System;

/// `integral of 2 mu e : e + drag |u|^2`, by the matrices of the solve itself, so that it equals the power that comes in at the
/// ports, `sum of Q p`, to rounding. Unknowns are times the root of a part's depth over the chip's, so each counts with its depth.
///
/// # Shapes and units
/// - of the solved depth: W/m in the plane, W in space (there of half the channel where only half is solved)
/// - of no use where it was cancelled
pub fn dissipation<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    is_cancelled: IsCancelled<'_>,
) -> f64 {
    let of_instances = parallel::map_with(system.instances.len(), 16, Vec::new, |of_leaf, k| {
        if is_cancelled() {
            return 0.0;
        }
        let instance = &system.instances[k];
        let local_vector = &state.local[local_vectors.first[k]..][..system.piece_of(instance).n];
        let of_patches = local_vectors
            .patches_of(instance.piece)
            .iter()
            .map(|patch| {
                let leaf = system.leaf(instance.piece, patch);
                of_leaf.clear();
                of_leaf.resize(leaf.moves.len(), 0.0);
                gather(&patch.unknowns, local_vector, of_leaf);
                // Velocities alone: pressures do no work inside, as nothing is compressed.
                for (x, &is_pressure) in of_leaf.iter_mut().zip(&leaf.is_pressure) {
                    if is_pressure {
                        *x = 0.0;
                    }
                }
                // Momentum rows are divided by the viscosity, and in space by the unit.
                let unit = if D == 3 {
                    patch.scale * instance.unit
                } else {
                    1.0
                };
                system.viscosity * unit * leaf.quadratic_form(of_leaf)
            });
        of_patches.sum()
    });
    of_instances.iter().sum()
}
