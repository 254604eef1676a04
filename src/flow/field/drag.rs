//! Force and torque of the fluid on posts.
//!
//! By the reactions of the equations themselves, not by integrating stress: with `w = e` on a post's wall and zero on all other nodes,
//! ```text
//! force . e = -(int 2 mu eps(u) : eps(w) - p div w + drag u . w)      = -(sum of the momentum rows of its nodes)
//! ```
//! which converges like the energy (twice the order of the stress) and balances the ports' momentum to the residual of the solve.
//!
//! # Source
//! Gresho, Lee, Sani, Maslanik, Eaton, "The consistent Galerkin FEM for computing derived boundary quantities in thermal and/or fluids
//! problems", Int. J. Numer. Meth. Fluids 7 (1987); Babuska, Miller, "The post-processing approach in the finite element method", Int. J.
//! Numer. Meth. Eng. 20 (1984).

use stokeslet_base::parallel;

use super::nodal::{PatchFrame, mesh_values};
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::system::System;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::shape::Hole;

/// Nodes are on a post's wall that are this near, in cells: nothing else comes so near to it.
const ON_WALL: f64 = 1e-4;

/// A post of a chip.
#[derive(Clone, Debug)]
pub struct Post {
    /// Index of its part.
    part: usize,
    name: String,
    /// In its part, counted from 1.
    number: usize,
    /// In the chip's frame.
    hole: Hole,
}

/// What the fluid does to a post.
#[derive(Clone, Debug, PartialEq)]
pub struct PostForce {
    /// Name of its part.
    pub part: String,
    /// Which of its part's posts it is, counted from 1 in the order of its component.
    pub post: usize,
    /// Its centre, or the mean of its corners, m.
    pub at: Point,
    /// Force of the fluid on its side wall per depth, N/m; in three dimensions the whole force over the depth.
    pub force: Point,
    /// Torque about `at` per depth, N; counter-clockwise positive.
    pub torque: f64,
}

/// The posts of a chip, part by part.
pub fn posts(chip: &Chip) -> Vec<Post> {
    let of_part = |(part, placed): (usize, &stokeslet_cad::shape::Part)| {
        let holes = placed.shape.holes().iter().enumerate();
        let post = |(k, hole): (usize, &Hole)| Post {
            part,
            name: placed.name.clone(),
            number: k + 1,
            hole: hole.moved(&placed.motion),
        };
        holes.map(post).collect::<Vec<Post>>()
    };
    chip.parts.iter().enumerate().flat_map(of_part).collect()
}

/// Forces on posts, in their order; of no use where it was cancelled.
///
/// # Shapes and units
/// - `copies`: how often what is solved is there (2 where half of the depth is), over the depth in m; 1 in the plane
/// # Accuracy and cost
/// Costs nothing without posts; else a product of the matrices of the parts that have some.
pub fn forces<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    posts: &[Post],
    copies: f64,
    is_cancelled: IsCancelled<'_>,
) -> Vec<PostForce> {
    let parts: Vec<&[Post]> = posts.chunk_by(|a, b| a.part == b.part).collect();
    let of_parts = parallel::each(&parts, 1, |own| {
        let mut out: Vec<PostForce> = own
            .iter()
            .map(|post| PostForce {
                part: post.name.clone(),
                post: post.number,
                at: post.hole.middle(),
                force: Point::default(),
                torque: 0.0,
            })
            .collect();
        if !is_cancelled() {
            add_forces(system, local_vectors, state, own, copies, &mut out);
        }
        out
    });
    of_parts.concat()
}

/// Adds the reactions at the walls of one part's posts.
fn add_forces<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    posts: &[Post],
    copies: f64,
    out: &mut [PostForce],
) {
    let k = posts[0].part;
    let instance = &system.instances[k];
    let local_vector = &state.local[local_vectors.first[k]..][..system.piece_of(instance).n];
    let (mut of_leaf, mut x) = (Vec::new(), Vec::new());
    for patch in local_vectors.patches_of(instance.piece) {
        let leaf = system.leaf(instance.piece, patch);
        if !leaf.mesh.on_wall.contains(&true) {
            continue;
        }
        let frame = PatchFrame::new(instance, patch);
        mesh_values(leaf, patch, local_vector, &mut of_leaf, &mut x);
        // Momentum rows are divided by the viscosity, and in space by the unit.
        let unit = if D == 3 { frame.unit } else { 1.0 };
        let factor = -system.viscosity * unit * copies;
        let on_wall = leaf.mesh.on_wall.iter().enumerate();
        for (n, _) in on_wall.filter(|(_, is_on)| **is_on) {
            let place = frame.point(leaf.mesh.nodes[n]);
            let at = Point::new(place[0], place[1]);
            let near = |post: &Post| {
                let (low, high) = post.hole.bounds();
                let slack = frame.unit;
                let in_box = at.x > low.x - slack
                    && at.x < high.x + slack
                    && at.y > low.y - slack
                    && at.y < high.y + slack;
                in_box && post.hole.distance_to_wall(at) < ON_WALL * frame.unit
            };
            let Some(of) = posts.iter().position(near) else {
                continue;
            };
            let mut rows = [0.0; D];
            for (c, row) in rows.iter_mut().enumerate() {
                let entries = leaf.matrix().row(D * n + c, leaf.drag);
                *row = factor * entries.map(|(j, v)| v * x[j]).sum::<f64>();
            }
            let force = frame.vector(rows);
            let force = Point::new(force[0], force[1]);
            let post = &mut out[of];
            post.force = post.force + force;
            post.torque += (at - post.at).cross(force);
        }
    }
}
