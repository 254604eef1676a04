//! Polygons: nested dissection of their cells, down to leaves of a few.
//!
//! Halves that are mirror images are one kind of front. What lies on the near side of a middle line is described as its mirror
//! image ([`crate::mesh::dissect::Dissection::mirrored`]): mesh, order and signs, so that equal content has equal keys again.
//! ```text
//!   mirrored | as it is        front's unknown = sign * unknown of the part
//!    u -> -u | u               sign: -1 for each axis that is mirrored and the unknown changes with
//! ```
//! A local vector holds every unknown with the sign of the front that eliminates it; those of the boundary as they are.

mod leaves;
mod lists;
mod mirror;
mod scratch;
mod unknowns;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use self::leaves::{Cutter, Prepared};
use self::lists::{join, lists};
use self::scratch::Scratches;
use self::unknowns::{Mirrored, Unknowns, factor, number};
use super::space::SpaceMesh;
use super::{Body, Patch, Piece, PieceError, Workshop};
use crate::mesh::dissect::{CELLS_A_LEAF, DissectionNode};
use crate::mesh::{BlockMesh, PlanePolygon, PlaneSocket};
use crate::stokes::boundary::freedoms;
use crate::stokes::section::{NONE, Section};
use stokeslet_base::fingerprint::Fingerprint;
use stokeslet_base::geometry::Point;
use stokeslet_fronts::tree::ranges;
use stokeslet_fronts::{Image, KindId, Node, Tree};

/// The fronts of a polygon.
pub fn piece<const D: usize>(
    polygon: &PlanePolygon,
    slip: &[[Point; 2]],
    [drag, size]: [f64; 2],
    shop: &mut Workshop<'_, D>,
) -> Result<Piece, PieceError> {
    let section = shop.section.clone();
    let sockets: Vec<&[u32]> = polygon.sockets.iter().map(|m| m.nodes.as_slice()).collect();
    let space = shop.extrusion.extrude(&polygon.mesh, &sockets, size)?;
    let leaf_cells = if D == 2 { CELLS_A_LEAF } else { 2 };
    shop.go_on()?;
    let tree = polygon.dissect(leaf_cells);
    shop.go_on()?;
    let mirrored = |t: usize| if D == 2 { tree.mirrored[t] } else { [false; 2] };
    let freedoms = freedoms(&polygon.mesh, slip, &polygon.sockets);
    let unknowns = number(polygon, (&space, &freedoms), &tree, &section, &mirrored);
    let scratches = Scratches::new(space.mesh.nodes.len(), unknowns.at.len());
    let cutter = Cutter::new(&space, &unknowns, drag);
    shop.go_on()?;
    // Side by side; only those that turn out to be new are made.
    let is_cancelled = shop.is_cancelled;
    let take = || scratches.take();
    let prepared = parallel::map_with(tree.nodes.len(), 1, take, |scratch, t| {
        match &tree.nodes[t] {
            DissectionNode::Leaf { .. } if is_cancelled() => None,
            DissectionNode::Leaf { cells } => Some(cutter.prepare(t, cells, mirrored(t), scratch)),
            DissectionNode::Join { .. } => None,
        }
    });
    let lists = lists(
        &tree,
        &prepared,
        &unknowns,
        &scratches,
        &mirrored,
        is_cancelled,
    );
    let lists = lists.ok_or(PieceError::Cancelled)?;
    let mut scratch = scratches.take();
    let mut patch_leaves: FxHashMap<Fingerprint, u32> = FxHashMap::default();
    let mut kinds: Vec<KindId> = Vec::with_capacity(tree.nodes.len());
    // (leaf, leaf before it was known whether it is a copy) of every leaf, to be placed once the local vector is laid out.
    let mut placed: Vec<(u32, &Prepared)> = Vec::new();
    for (t, (node, prepared)) in tree.nodes.iter().zip(&prepared).enumerate() {
        shop.go_on()?;
        let kind = match (node, prepared) {
            (DissectionNode::Join { children }, _) => {
                let shape = lists[t].shape.as_ref().expect("joins have shapes");
                let below = children.map(|c| kinds[c as usize]);
                shop.plan.join_of_shape(shape, &below, || {
                    let context = (&unknowns, &mirrored as &dyn Fn(usize) -> Mirrored);
                    join(&lists, t, children, &below, context, &mut scratch)
                })
            }
            (DissectionNode::Leaf { .. }, None) => return Err(PieceError::Cancelled),
            (DissectionNode::Leaf { cells }, Some(found)) => {
                let sizes = [found.n_boundary, found.order.len() - found.n_boundary];
                let sizes = sizes.map(|n| n as u32);
                let (kind, leaf) = shop.leaf(found.key, sizes, || {
                    cutter.front(cells, found, mirrored(t), &mut scratch)
                });
                let leaf = match found.patch_key {
                    None => leaf,
                    Some(key) => *patch_leaves.entry(key).or_insert_with(|| {
                        shop.leaves
                            .push(cutter.as_it_lies(cells, found, &mut scratch));
                        shop.leaves.len() as u32 - 1
                    }),
                };
                placed.push((leaf, found));
                kind
            }
        };
        kinds.push(kind);
    }
    let (root, &root_kind) = (lists.last(), kinds.last().expect("a polygon has cells"));
    let root = root.expect("a polygon has cells");
    let mut position = vec![NONE; unknowns.at.len()];
    let mut n = 0_u32;
    for &u in &root.boundary {
        position[u as usize] = n;
        n += 1;
    }
    let n_boundary = n as usize;
    let mut depth = vec![0_u32; lists.len()];
    let mut firsts = vec![0_u32; lists.len()];
    for k in (0..lists.len()).rev() {
        if let DissectionNode::Join { children } = &tree.nodes[k] {
            children
                .iter()
                .for_each(|&c| depth[c as usize] = depth[k] + 1);
        }
        firsts[k] = n;
        for &u in &lists[k].eliminated {
            position[u as usize] = n;
            n += 1;
        }
    }
    // With the sign that the front's unknown has in the local vector; a patch has the local vector's own.
    let place = |list: &[u32], front: Option<Mirrored>| {
        let image = |&u: &u32| Image {
            to: position[u as usize],
            factor: factor(front.is_some_and(|mirrored| {
                unknowns.turns(mirrored, u) != unknowns.is_turned[u as usize]
            })),
        };
        ranges(list.iter().map(image))
    };
    let nodes = parallel::map(lists.len(), 16, |k| Node {
        kind: kinds[k],
        boundary: place(&lists[k].boundary, Some(mirrored(k))),
        eliminated: firsts[k],
        depth: depth[k],
    });
    let kinds = &shop.plan.kinds;
    let walk = Tree::new(n_boundary, n as usize, nodes, |kind| {
        kinds[kind as usize].n_eliminated > 0
    });
    let (numbers, n_boundary_nodes) = node_numbers(polygon, &space);
    let leaves = &shop.leaves;
    let patches = parallel::each(&placed, 16, |(leaf, found)| {
        let at = |m: &BlockMesh<D>, k: usize| Point::new(m.nodes[k][0], m.nodes[k][1]);
        let own = &leaves[*leaf as usize].mesh;
        Patch {
            leaf: *leaf,
            unknowns: place(&found.order, None),
            nodes: found.nodes.iter().map(|&k| numbers[k as usize]).collect(),
            angle: 0.0,
            scale: 1.0,
            origin: at(&space.mesh, found.nodes[0] as usize) - at(own, 0),
        }
    });
    let own_units = shop.extrusion.unit().is_none();
    let socket_scale = |m: &PlaneSocket| if own_units { m.scale } else { 1.0 };
    let socket_scales: Vec<f64> = polygon.sockets.iter().map(socket_scale).collect();
    let sockets = socket_images(
        polygon,
        &socket_scales,
        &space,
        &unknowns,
        &position,
        &section,
    );
    Ok(Piece {
        root: root_kind,
        n_boundary,
        n: n as usize,
        sockets,
        rests: Vec::new(),
        socket_nodes: polygon
            .sockets
            .iter()
            .map(|m| {
                m.nodes
                    .iter()
                    .flat_map(|&p| (0..section.n_levels()).map(move |l| (p, l)))
                    .map(|(p, l)| numbers[space.node(p, l) as usize])
                    .collect()
            })
            .collect(),
        n_boundary_nodes,
        n_nodes: space.mesh.nodes.len(),
        socket_scales,
        is_long: false,
        n_leaves: patches.len() as u64,
        body: Body::Polygon {
            tree: Arc::new(walk),
            patches: patches.into(),
        },
    })
}

/// Numbers in the piece: nodes on sockets first.
fn node_numbers<const D: usize>(polygon: &PlanePolygon, space: &SpaceMesh<D>) -> (Vec<u32>, usize) {
    let mut numbers = vec![NONE; space.mesh.nodes.len()];
    let mut n = 0;
    let on_sockets = polygon
        .sockets
        .iter()
        .flat_map(|m| m.nodes.iter())
        .flat_map(|&p| (0..space.n_levels).map(move |l| (p, l)))
        .map(|(p, l)| space.node(p, l));
    for node in on_sockets {
        if numbers[node as usize] == NONE {
            numbers[node as usize] = n;
            n += 1;
        }
    }
    let n_boundary = n as usize;
    for number in numbers.iter_mut().filter(|k| **k == NONE) {
        *number = n;
        n += 1;
    }
    (numbers, n_boundary)
}

/// Socket by socket: which boundary unknown each unknown of the section is.
fn socket_images<const D: usize>(
    polygon: &PlanePolygon,
    scales: &[f64],
    space: &SpaceMesh<D>,
    unknowns: &Unknowns,
    position: &[u32],
    section: &Section,
) -> Vec<Vec<Image>> {
    polygon
        .sockets
        .iter()
        .zip(scales)
        .map(|(socket, scale)| {
            let mut images = vec![Image::plain(NONE); section.n];
            // `s p / mu` in the piece's unit s, not the socket's.
            let factor = if (scale - 1.0).abs() < 1e-9 {
                1.0
            } else {
                1.0 / scale
            };
            for (i, &plane) in socket.nodes.iter().enumerate() {
                for level in 0..section.n_levels() {
                    let node = space.node(plane, level) as usize;
                    if let Some((first, components)) = section.velocity(i as u32, level) {
                        let (own, free) = unknowns.velocity[node];
                        for (k, c) in components.iter().enumerate() {
                            if let Some(place) = free.place(c) {
                                images[first as usize + k] =
                                    Image::plain(position[(own + place) as usize]);
                            }
                        }
                    }
                    if let Some(p) = section.pressure(i as u32, level) {
                        images[p as usize] = Image {
                            to: position[unknowns.pressure[node] as usize],
                            factor,
                        };
                    }
                }
            }
            images
        })
        .collect()
}
