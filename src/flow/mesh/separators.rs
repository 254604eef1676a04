//! Where in a tree of cells each unknown is eliminated.
//!
//! A velocity goes at the lowest tree node that holds all its cells. A pressure goes with its vertex, but never before a velocity
//! that it acts on: a cell alone in a corner would else keep a pressure whose pivot is zero.

use super::BlockMesh;
use super::dissect::{Dissection, DissectionNode};

/// Not eliminated: stays among the boundary unknowns of the whole.
pub const NEVER: u32 = u32::MAX;

/// The tree node at which each unknown is eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separators {
    /// One a mesh node: the lowest tree node that holds all its cells; [`NEVER`] where held. Given for walls too, where no velocity
    /// is unknown.
    pub velocities: Vec<u32>,
    /// One a vertex: at or above its velocity; [`NEVER`] where held, and where all velocities of its cells are held or on walls:
    /// only the neighbours can then determine it, so it must be kept with the sockets.
    pub pressures: Vec<u32>,
}

/// Places every unknown in the tree; `held` marks the nodes on sockets, one a mesh node.
pub fn separators(mesh: &BlockMesh<2>, tree: &Dissection, held: &[bool]) -> Separators {
    let parents = tree.parents();
    let mut velocities = vec![NEVER; mesh.nodes.len()];
    for (leaf, cells) in leaves(tree) {
        for &n in cells.iter().flat_map(|&c| mesh.cell(c as usize)) {
            let at = &mut velocities[n as usize];
            *at = if *at == NEVER {
                leaf
            } else {
                meet(&parents, *at, leaf)
            };
        }
    }
    // All tree nodes with an unknown of some cell lie on that cell's way to the root: the earliest is the lowest.
    let mut earliest = vec![NEVER; mesh.n_vertices];
    for c in 0..mesh.n_cells() {
        let free = |n: &&u32| !mesh.on_wall[**n as usize] && !held[**n as usize];
        let acting = mesh.cell(c).iter().filter(free);
        if let Some(first) = acting.map(|&n| velocities[n as usize]).min() {
            for &v in &mesh.cell(c)[..3] {
                earliest[v as usize] = earliest[v as usize].min(first);
            }
        }
    }
    for (at, _) in velocities.iter_mut().zip(held).filter(|(_, held)| **held) {
        *at = NEVER;
    }
    let pressures = earliest.iter().zip(&velocities);
    let pressures = pressures.map(|(first, own)| *first.max(own)).collect();
    Separators {
        velocities,
        pressures,
    }
}

fn leaves(tree: &Dissection) -> impl Iterator<Item = (u32, &[u32])> {
    let numbered = tree.nodes.iter().enumerate();
    numbered.filter_map(|(i, node)| match node {
        DissectionNode::Leaf { cells } => Some((i as u32, &cells[..])),
        DissectionNode::Join { .. } => None,
    })
}

/// The lowest common ancestor: parents have larger numbers than their children.
fn meet(parents: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if a < b {
            a = parents[a as usize];
        } else {
            b = parents[b as usize];
        }
    }
    a
}

/// Numbers of unknowns of one tree node's front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontSize {
    /// Eliminated there.
    pub eliminated: usize,
    /// Passed on to the parent.
    pub boundary: usize,
}

impl FrontSize {
    /// Multiplications of its dense elimination, up to a constant: e^3 + 3 e^2 b + 3 e b^2.
    pub fn cost(self) -> f64 {
        let (e, b) = (self.eliminated as f64, self.boundary as f64);
        e * e * e + 3.0 * e * e * b + 3.0 * e * b * b
    }
}

/// The front of every tree node: two velocities a free node, one pressure a vertex.
pub fn front_sizes(mesh: &BlockMesh<2>, tree: &Dissection, at: &Separators) -> Vec<FrontSize> {
    // Unknowns by weight: (tree node that eliminates it, number, weight); pressures are numbered after all nodes.
    let n_nodes = mesh.nodes.len() as u32;
    let unknowns = |n: u32| {
        let velocity = (!mesh.on_wall[n as usize]).then(|| (at.velocities[n as usize], n, 2));
        let pressure = at
            .pressures
            .get(n as usize)
            .map(|&place| (place, n_nodes + n, 1));
        velocity.into_iter().chain(pressure)
    };
    let mut passed: Vec<Vec<(u32, u32, usize)>> = Vec::with_capacity(tree.nodes.len());
    let mut sizes = Vec::with_capacity(tree.nodes.len());
    for (i, node) in tree.nodes.iter().enumerate() {
        let mut front: Vec<(u32, u32, usize)> = match node {
            DissectionNode::Leaf { cells } => cells
                .iter()
                .flat_map(|&c| mesh.cell(c as usize).iter().flat_map(|&n| unknowns(n)))
                .collect(),
            DissectionNode::Join { children } => children
                .iter()
                .flat_map(|&c| std::mem::take(&mut passed[c as usize]))
                .collect(),
        };
        front.sort_unstable();
        front.dedup();
        let (here, on): (Vec<_>, Vec<_>) = front.into_iter().partition(|u| u.0 == i as u32);
        let weight = |unknowns: &[(u32, u32, usize)]| unknowns.iter().map(|u| u.2).sum();
        sizes.push(FrontSize {
            eliminated: weight(&here),
            boundary: weight(&on),
        });
        passed.push(on);
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::dissect::dissect;
    use crate::mesh::{Corners, Domain, PlanePolygon, plane_polygon};
    use stokeslet_base::geometry::Point;

    fn polygon(resolution: u32, corners: &[(f64, f64)], sockets: &[usize]) -> PlanePolygon {
        let corners: Vec<Point> = corners.iter().map(|&(x, y)| Point::new(x, y)).collect();
        plane_polygon(
            resolution,
            &Domain::simple(&corners, sockets),
            Corners::Plain,
        )
        .expect("a sound polygon")
    }

    fn held(part: &PlanePolygon) -> Vec<bool> {
        let mut held = vec![false; part.mesh.nodes.len()];
        for &n in part.sockets.iter().flat_map(|m| &m.nodes) {
            held[n as usize] = true;
        }
        held
    }

    fn cross(r: u32) -> PlanePolygon {
        let a = f64::from(r);
        polygon(r, &[(0.0, 0.0), (a, 0.0), (a, a), (0.0, a)], &[0, 1, 2, 3])
    }

    /// Three sockets of one width at 120 degrees or so, as where three edges of a Voronoi diagram meet.
    fn fan(r: u32) -> PlanePolygon {
        let w = f64::from(r);
        let mut corners = Vec::new();
        for (angle, reach) in [(0.1_f64, 0.55), (2.0, 0.8), (4.3, 0.7)] {
            let (along, across) = (Point::unit(angle), Point::unit(angle).left());
            for side in [-0.5, 0.5] {
                let p = along * (reach * w) + across * (side * w);
                corners.push((p.x, p.y));
            }
        }
        polygon(r, &corners, &[0, 2, 4])
    }

    #[test]
    fn an_unknown_is_eliminated_where_its_last_cell_is_reached() {
        let part = cross(8);
        let tree = dissect(&part.mesh, 8);
        let held = held(&part);
        let at = separators(&part.mesh, &tree, &held);
        let parents = tree.parents();
        let root = tree.nodes.len() as u32 - 1;
        let above = |mut a: u32| {
            let mut way = vec![a];
            while a != root {
                a = parents[a as usize];
                way.push(a);
            }
            way
        };
        for n in 0..part.mesh.nodes.len() as u32 {
            let holders: Vec<Vec<u32>> = leaves(&tree)
                .filter(|(_, cells)| {
                    cells
                        .iter()
                        .any(|&c| part.mesh.cell(c as usize).contains(&n))
                })
                .map(|(leaf, _)| above(leaf))
                .collect();
            let common = holders[0]
                .iter()
                .find(|t| holders.iter().all(|way| way.contains(t)));
            let want = if held[n as usize] {
                NEVER
            } else {
                *common.expect("a root")
            };
            assert_eq!(at.velocities[n as usize], want, "node {n}");
        }
        // The first cut runs through the middle: its nodes, and no others, are the root's.
        for (n, p) in part.mesh.nodes.iter().enumerate() {
            let on_cut = (p[0] - 4.0).abs() < 1e-9 && !held[n];
            assert_eq!(at.velocities[n] == root, on_cut, "{p:?}");
        }
    }

    /// Two cells; the diagonal cuts off the corner between two walls, and each cell is a leaf.
    #[test]
    fn a_lone_corner_s_pressure_goes_with_the_velocity_across_its_inner_edge() {
        let (mesh, tree) = lone_corner();
        // Nodes: corners 0, 1, 2, 3; edges 01, 13, 30, 12, 23. The right edge 12 is a socket.
        let mut held = vec![false; 9];
        for n in [1, 2, 7] {
            held[n] = true;
        }
        let at = separators(&mesh, &tree, &held);
        assert_eq!(at.velocities[0], 0, "the corner lies in the first leaf");
        assert_eq!(
            at.velocities[5], 2,
            "the diagonal's middle joins both leaves"
        );
        assert_eq!(at.pressures[0], 2, "moved up to the diagonal's velocity");
        assert_eq!(at.pressures[3], 2, "on the diagonal anyway");
        assert_eq!((at.pressures[1], at.pressures[2]), (NEVER, NEVER));
    }

    #[test]
    fn a_pressure_without_any_free_velocity_is_held() {
        let (mesh, tree) = lone_corner();
        let mut held = vec![false; 9];
        for n in [1, 2, 7, 5] {
            held[n] = true;
        }
        let at = separators(&mesh, &tree, &held);
        assert_eq!(at.pressures, [NEVER; 4]);
    }

    fn lone_corner() -> (BlockMesh<2>, Dissection) {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let middles = [[0.5, 0.0], [0.5, 0.5], [0.0, 0.5], [1.0, 0.5], [0.5, 1.0]];
        let mesh = BlockMesh {
            nodes: corners.into_iter().chain(middles).collect(),
            n_vertices: 4,
            cells: vec![0, 1, 3, 4, 5, 6, 1, 2, 3, 7, 8, 5],
            on_wall: [1, 1, 1, 1, 1, 0, 1, 0, 1].map(|w| w == 1).to_vec(),
            walls: vec![(0, 0), (0, 2), (1, 1)],
        };
        let leaf = |c| DissectionNode::Leaf { cells: vec![c] };
        let join = DissectionNode::Join { children: [0, 1] };
        let tree = Dissection {
            nodes: vec![leaf(0), leaf(1), join],
            mirrored: vec![[false; 2]; 3],
        };
        (mesh, tree)
    }

    #[test]
    fn every_unknown_is_eliminated_once_and_the_rest_are_the_sockets() {
        for part in [cross(8), fan(8)] {
            let held = held(&part);
            let mesh = &part.mesh;
            for leaf in [1, 4, 8, 1000] {
                let tree = dissect(mesh, leaf);
                let at = separators(mesh, &tree, &held);
                let sizes = front_sizes(mesh, &tree, &at);
                let free = |n: usize| 2 * usize::from(!mesh.on_wall[n]);
                let all: usize = (0..mesh.nodes.len()).map(free).sum::<usize>() + mesh.n_vertices;
                let kept: usize = (0..mesh.nodes.len())
                    .filter(|&n| held[n])
                    .map(|n| free(n) + usize::from(n < mesh.n_vertices))
                    .sum();
                let eliminated: usize = sizes.iter().map(|s| s.eliminated).sum();
                assert_eq!(eliminated, all - kept, "leaf size {leaf}");
                assert_eq!(sizes.last().map(|s| s.boundary), Some(kept));
            }
        }
    }

    /// The table that chose `CELLS_A_LEAF`: `cargo test --lib separators -- --ignored --nocapture`.
    #[test]
    #[ignore = "prints a table"]
    fn costs_by_leaf_size() {
        for (name, part) in [
            ("cross r=16", cross(16)),
            ("fan r=14", fan(14)),
            ("cross r=100", cross(100)),
        ] {
            let held = held(&part);
            for leaf in [1, 2, 4, 8, 16, 32, 64, 1 << 30] {
                let tree = dissect(&part.mesh, leaf);
                let at = separators(&part.mesh, &tree, &held);
                let sizes = front_sizes(&part.mesh, &tree, &at);
                let cost: f64 = sizes.iter().map(|s| s.cost()).sum();
                let widest = sizes.iter().map(|s| s.eliminated + s.boundary).max();
                println!(
                    "{name}: {} cells, leaf {leaf}: {} fronts, cost {:.3} M, widest {widest:?}",
                    part.mesh.n_cells(),
                    sizes.len(),
                    cost / 1e6
                );
            }
        }
    }
}
