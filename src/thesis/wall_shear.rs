//! Shear stress on the walls of a chip in block rows.

use crate::blocks::BlockModel;
use crate::fields::closed_edges;
use crate::residual::{Data, Residuals, Rows};
use stokeslet_flow::field::wall_shear::{NO_WALL, WallSample, wall_samples};
use stokeslet_flow::session::WallShear;

/// Least, mean and greatest wall shear stress `|t . mu (grad u + grad u^T) n|` over all walls and closed sockets, Pa.
///
/// Sampled at the two Gauss points of every wall edge: the velocity gradient is linear there, so the mean is exact, and the
/// corners, where it may be infinite, are never touched.
pub fn wall_shear(
    model: &BlockModel,
    residuals: &Residuals,
    rows: &Rows,
    data: &Data,
) -> WallShear {
    let samples: Vec<Vec<WallSample>> = model
        .kinds
        .iter()
        .map(|kind| wall_samples(&kind.block.mesh, &kind.block.mesh.walls))
        .collect();
    let mut out = NO_WALL;
    let mut length = 0.0;
    let closed = closed_edges(model);
    for (b, block) in model.blocks.iter().enumerate() {
        let samples = &samples[block.kind as usize];
        let mesh = &model.kinds[block.kind as usize].block.mesh;
        let on_sockets = wall_samples(mesh, &closed[b]);
        if samples.is_empty() && on_sockets.is_empty() {
            continue;
        }
        let x = residuals.block_values(b as u32, Some(rows), data);
        for s in samples.iter().chain(&on_sockets) {
            let shear = (model.viscosity / block.frame.unit * s.rate(mesh, &x)).abs();
            let weight = s.length * block.frame.unit;
            out.mean += weight * shear;
            length += weight;
            if shear < out.min {
                (out.min, out.min_at) = (shear, block.to_chip(s.point.position));
            }
            if shear > out.max {
                (out.max, out.max_at) = (shear, block.to_chip(s.point.position));
            }
        }
    }
    if length > 0.0 {
        WallShear {
            mean: out.mean / length,
            ..out
        }
    } else {
        WallShear::default()
    }
}
