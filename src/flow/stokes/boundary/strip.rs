//! Walls of a strip that slip: where the nodes of a slice may go.

use super::{Components, Freedom};
use crate::mesh::PlaneSlice;
use stokeslet_base::geometry::Point;

/// What the walls of a strip's slices do.
pub struct StripWalls {
    /// Right and left: which components are unknown at the ends of lines.
    pub ends: [Components; 2],
    /// At the ends of lines, right and left: velocity across the flow by velocity along it.
    pub slopes: [f64; 2],
    /// One a node of the slice's mesh that lies on no line.
    pub inside: Vec<Freedom>,
}

/// The walls of one slice; `slips`: its right wall, its left one; `turns`: whether it is a piece of an arc.
///
/// Along a straight wall nodes go as the wall does. Those of an arc go across their cross-section: as the circle does, and as the
/// slice before and the one after have it.
pub fn strip_walls(slice: &PlaneSlice, slips: [bool; 2], turns: bool) -> StripWalls {
    let at = |n: u32| {
        let [x, y] = slice.mesh.nodes[n as usize];
        Point::new(x, y)
    };
    let ends = |line: &[u32]| [line.first().copied(), line.last().copied()];
    let (left, right) = (ends(&slice.left), ends(&slice.right));
    let held = |&is: &bool| if is { Freedom::Held } else { Freedom::Free };
    let mut out = StripWalls {
        ends: slips.map(|slips| {
            if slips {
                Components::ALONG
            } else {
                Components::NONE
            }
        }),
        slopes: [0.0; 2],
        inside: slice.mesh.on_wall.iter().map(held).collect(),
    };
    for side in (0..2).filter(|&side| slips[side]) {
        let (Some(from), Some(to)) = (left[side], right[side]) else {
            continue;
        };
        let chord = at(to) - at(from);
        if !turns {
            out.slopes[side] = chord.y / chord.x;
        }
        for &(cell, k) in &slice.mesh.walls {
            let nodes = slice.mesh.cell(cell as usize);
            if [nodes[k as usize], nodes[(k as usize + 1) % 3]].contains(&from) {
                out.inside[nodes[3 + k as usize] as usize] = Freedom::along(chord);
            }
        }
    }
    out
}
