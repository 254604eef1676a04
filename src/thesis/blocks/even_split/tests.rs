//! The thesis's rules on a tee of pipes.

use std::collections::BTreeSet;

use crate::Ownership;
use crate::blocks::{BlockModel, cut};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_cad::chip::{Chip, Condition, Port};
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::shape::{Connection, Part, Shape, SocketRef, Strip};
use stokeslet_flow::mesh::Corners;

fn tee_of_pipes() -> Chip {
    let corners =
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(x, y)| Point::new(x, y));
    let pipe = |name: &str, angle: f64| Part {
        name: name.into(),
        shape: Shape::Strip(Strip::Straight {
            length: 3.0,
            width_start: 1.0,
            width_end: 1.0,
        }),
        motion: Motion::new(angle, Point::unit(angle) * 0.5),
        walls: Default::default(),
        depth: None,
    };
    let at = |part, socket| SocketRef { part, socket };
    let quarter = std::f64::consts::FRAC_PI_2;
    Chip {
        name: "tee".into(),
        viscosity: 1.0,
        model: DepthModel::Planar,
        depth: None,
        parts: vec![
            Part {
                name: "tee".into(),
                shape: Shape::Polygon {
                    corners: corners.to_vec(),
                    sockets: vec![3, 1, 2],
                    holes: Vec::new(),
                },
                motion: Motion::IDENTITY,
                walls: Default::default(),
                depth: None,
            },
            pipe("left", 2.0 * quarter),
            pipe("right", 0.0),
            pipe("up", quarter),
        ],
        connections: (0..3)
            .map(|k| Connection {
                a: at(0, k),
                b: at(k + 1, 0),
            })
            .collect(),
        ports: (0..3)
            .map(|k| Port {
                name: format!("p{k}"),
                socket: at(k + 1, 1),
                condition: Condition::Pressure(0.0),
            })
            .collect(),
    }
}

type Pairs = BTreeSet<(u32, u32)>;

/// Pairs of rows that share a block's cell, and pairs of blocks that share a node.
fn couplings(model: &BlockModel) -> (Pairs, Pairs) {
    let mut rows = BTreeSet::new();
    let mut touching: std::collections::BTreeMap<(u32, u32), Vec<u32>> =
        std::collections::BTreeMap::new();
    for (b, block) in model.blocks.iter().enumerate() {
        let mesh = &model.kinds[block.kind as usize].block.mesh;
        let mut owner = vec![0; mesh.nodes.len()];
        for i in &block.incidences {
            for &(node, index) in &model.sides[i.side as usize].nodes {
                owner[node as usize] = i.row;
                touching.entry((i.row, index)).or_default().push(b as u32);
            }
        }
        for c in 0..mesh.n_cells() {
            for &n in mesh.cell(c) {
                for &m in mesh.cell(c) {
                    let (a, b) = (owner[n as usize], owner[m as usize]);
                    rows.insert((a.min(b), a.max(b)));
                }
            }
        }
    }
    let mut near = BTreeSet::new();
    for held in touching.values() {
        for &a in held {
            held.iter()
                .for_each(|&b| _ = near.insert((a.min(b), a.max(b))));
        }
    }
    (rows, near)
}

#[test]
fn only_blocks_that_touch_are_coupled() {
    for r in [2, 4, 5, 8] {
        let model =
            cut(&tee_of_pipes(), r, Corners::Plain, Ownership::EvenSplit).expect("a tee is cut");
        let n_blocks = model.blocks.len() as u32;
        let (rows, near) = couplings(&model);
        let spurious: Vec<_> = rows
            .iter()
            .filter(|p| p.1 < n_blocks && !near.contains(p))
            .collect();
        assert!(spurious.is_empty(), "r = {r}: {spurious:?}");
    }
}

#[test]
fn a_slice_owns_half_of_each_of_its_connections() {
    for r in [4, 5] {
        let model =
            cut(&tee_of_pipes(), r, Corners::Plain, Ownership::EvenSplit).expect("a tee is cut");
        // A slice inside a pipe: 2r-1 nodes inside, and of its two lines of 2r+1 nodes r and r+1.
        let inside = model
            .blocks
            .iter()
            .find(|b| b.part == 2)
            .expect("the right pipe has slices");
        let first = model
            .blocks
            .iter()
            .position(|b| std::ptr::eq(b, inside))
            .expect("it was found there");
        let layout = &model.layouts[model.rows[first + r as usize].layout as usize];
        let interior = model.kinds[inside.kind as usize]
            .block
            .nodes_in(stokeslet_flow::mesh::INTERIOR)
            .len();
        assert_eq!(layout.nodes.len() - interior, 2 * r as usize + 1, "r = {r}");
    }
}
