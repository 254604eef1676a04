//! Unknowns of a chip become values at its nodes.

use stokeslet_base::parallel;

use super::closed::closed_facets;
use super::quadratic::{Dimension, Field, In, cells_of};
use crate::fem::lagrange::n_nodes;
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::piece::{Leaf, Patch};
use crate::stokes::system::{Instance, System};
use stokeslet_base::geometry::{Point, sin_cos};
use stokeslet_cad::shape::WallKind;
use stokeslet_fronts::tree::gather;

/// A velocity that is given on walls, m/s at a place in m.
pub type WallVelocity<'a, const D: usize> = &'a (dyn Fn([f64; D]) -> [f64; D] + Sync);

/// Axes, unit and place of a patch in the chip.
#[derive(Clone, Copy, Debug)]
pub struct PatchFrame {
    sin: f64,
    cos: f64,
    mirror: f64,
    /// Unit, m.
    pub unit: f64,
    origin: Point,
}

impl PatchFrame {
    /// The frame of a patch of an instance.
    pub fn new(instance: &Instance, patch: &Patch) -> Self {
        let (sin, cos) = sin_cos(instance.motion.turn(patch.angle));
        Self {
            sin,
            cos,
            mirror: if instance.motion.mirror { -1.0 } else { 1.0 },
            unit: patch.scale * instance.unit,
            origin: instance.motion.apply(patch.origin * instance.unit),
        }
    }

    /// A vector of the patch in the chip.
    pub fn vector<const D: usize>(&self, v: [f64; D]) -> [f64; D] {
        let mut out = v;
        let y = self.mirror * v[1];
        out[0] = self.cos * v[0] - self.sin * y;
        out[1] = self.sin * v[0] + self.cos * y;
        out
    }

    /// A vector of the chip in the patch.
    pub fn back<const D: usize>(&self, v: [f64; D]) -> [f64; D] {
        let mut out = v;
        out[0] = self.cos * v[0] + self.sin * v[1];
        out[1] = self.mirror * (self.cos * v[1] - self.sin * v[0]);
        out
    }

    /// A point of the patch's mesh in the chip, m.
    pub fn point<const D: usize>(&self, p: [f64; D]) -> [f64; D] {
        let mut out = self.vector(p.map(|x| x * self.unit));
        out[0] += self.origin.x;
        out[1] += self.origin.y;
        out
    }
}

/// All unknowns of a patch's mesh: velocities node by node, then pressures; zero on walls.
pub fn mesh_values<const D: usize>(
    leaf: &Leaf<D>,
    patch: &Patch,
    local_vector: &[f64],
    of_leaf: &mut Vec<f64>,
    out: &mut Vec<f64>,
) {
    of_leaf.resize(leaf.moves.len(), 0.0);
    gather(&patch.unknowns, local_vector, of_leaf);
    out.clear();
    out.resize(leaf.n_mesh(), 0.0);
    for (x, moves) in of_leaf.iter().zip(&leaf.moves) {
        for &(i, f) in moves {
            out[i as usize] += f * x;
        }
    }
}

/// A node's value: position, velocity, pressure.
type Value<const D: usize> = ([f64; D], [f64; D], f64);

/// Values at nodes of an instance's own interfaces, and its wall facets.
type Filled<const D: usize> = (Vec<(u32, Value<D>)>, Vec<(u32, u8)>);

/// One instance's share of the arrays.
struct Share<'a, const D: usize> {
    instance: usize,
    nodes: &'a mut [[f64; D]],
    velocity: &'a mut [[f64; D]],
    pressure: &'a mut [f64],
    cells: &'a mut [u32],
    part: &'a mut [u32],
    first_node: u32,
    first_cell: u32,
}

/// Values at all nodes: those on interfaces first, then those inside each part.
///
/// # Shapes and units
/// - `shift(part)`: added to the pressure there, Pa
/// - `is_cancelled`: once true, what is left stays zero
///
/// Depths are left at their default.
pub fn nodal<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    wall_velocity: Option<WallVelocity<'_, D>>,
    shift: &(dyn Fn(usize) -> f64 + Sync),
    is_cancelled: IsCancelled<'_>,
) -> Field<D>
where
    In<D>: Dimension<D>,
{
    let per_cell = n_nodes::<D>();
    let counts: Vec<(usize, usize)> = (0..system.pieces.len() as u32)
        .map(|p| {
            let piece = &system.pieces[p as usize].piece;
            let patches = local_vectors.patches_of(p).iter();
            let cells = patches.map(|q| system.leaf(p, q).mesh.n_cells()).sum();
            (piece.n_nodes - piece.n_boundary_nodes, cells)
        })
        .collect();
    let (mut n_nodes, mut n_cells) = (system.n_shared_nodes, 0);
    for instance in &system.instances {
        n_nodes += counts[instance.piece as usize].0;
        n_cells += counts[instance.piece as usize].1;
    }
    let mut all_nodes = vec![[0.0; D]; n_nodes];
    let mut all_velocity = vec![[0.0; D]; n_nodes];
    let mut all_pressure = vec![0.0; n_nodes];
    let mut all_cells = vec![0; n_cells * per_cell];
    let mut all_part = vec![0; n_cells];
    let mut all_walls = Vec::new();
    let mut shares = Vec::with_capacity(system.instances.len());
    {
        let (_, mut nodes) = all_nodes.split_at_mut(system.n_shared_nodes);
        let (_, mut velocity) = all_velocity.split_at_mut(system.n_shared_nodes);
        let (_, mut pressure) = all_pressure.split_at_mut(system.n_shared_nodes);
        let (mut cells, mut part) = (&mut all_cells[..], &mut all_part[..]);
        let (mut first_node, mut first_cell) = (system.n_shared_nodes as u32, 0);
        for (k, instance) in system.instances.iter().enumerate() {
            let (n, c) = counts[instance.piece as usize];
            let (a, rest) = nodes.split_at_mut(n);
            nodes = rest;
            let (b, rest) = velocity.split_at_mut(n);
            velocity = rest;
            let (p, rest) = pressure.split_at_mut(n);
            pressure = rest;
            let (d, rest) = cells.split_at_mut(c * per_cell);
            cells = rest;
            let (e, rest) = part.split_at_mut(c);
            part = rest;
            shares.push(Share {
                instance: k,
                nodes: a,
                velocity: b,
                pressure: p,
                cells: d,
                part: e,
                first_node,
                first_cell,
            });
            first_node += n as u32;
            first_cell += c as u32;
        }
    }
    let found = parallel::map_owned(shares, |share| {
        (!is_cancelled()).then(|| {
            let by = shift(share.instance);
            fill(system, local_vectors, state, wall_velocity, by, share)
        })
    });
    for (shared, walls) in found.into_iter().flatten() {
        for (n, (at, v, p)) in shared {
            all_nodes[n as usize] = at;
            all_velocity[n as usize] = v;
            all_pressure[n as usize] = p;
        }
        all_walls.extend(walls);
    }
    let points = |list: Vec<[f64; D]>| list.into_iter().map(Into::into).collect(); // in place
    let (nodes, velocity) = rayon::join(|| points(all_nodes), || points(all_velocity));
    Field {
        nodes,
        velocity,
        pressure: all_pressure,
        cells: cells_of::<D>(all_cells),
        part: all_part,
        walls: all_walls,
        depths: Default::default(),
    }
}

/// Fills one instance's share; returns the values at nodes of its own interfaces, and its wall facets.
fn fill<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    wall_velocity: Option<WallVelocity<'_, D>>,
    shift: f64,
    share: Share<'_, D>,
) -> Filled<D> {
    let instance = &system.instances[share.instance];
    let piece = system.piece_of(instance);
    let local_vector = &state.local[local_vectors.first[share.instance]..][..piece.n];
    let per_cell = n_nodes::<D>();
    let owned = owned_nodes(system, share.instance);
    let n_boundary = piece.n_boundary_nodes as u32;
    let number = |node: u32| {
        if node < n_boundary {
            instance.nodes[node as usize]
        } else {
            share.first_node + node - n_boundary
        }
    };
    let (mut shared, mut walls) = (Vec::new(), Vec::new());
    let (mut of_leaf, mut x) = (Vec::new(), Vec::new());
    let mut cell_at = 0;
    let order = cell_order::<D>(instance.motion.mirror);
    let closed = closed_facets(system, local_vectors, share.instance, &WallKind::ALL);
    for (k, patch) in local_vectors.patches_of(instance.piece).iter().enumerate() {
        let leaf = system.leaf(instance.piece, patch);
        let mesh = &leaf.mesh;
        let frame = PatchFrame::new(instance, patch);
        mesh_values(leaf, patch, local_vector, &mut of_leaf, &mut x);
        let depths = instance.depth.sqrt();
        let scale = system.viscosity / frame.unit / depths;
        let first_pressure = D * mesh.nodes.len();
        let mut pressure = vec![0.0; mesh.nodes.len()];
        for (n, p) in pressure.iter_mut().enumerate().take(mesh.n_vertices) {
            *p = x[first_pressure + n] * scale + shift;
        }
        for c in 0..mesh.n_cells() {
            let cell = mesh.cell(c);
            for (k, &(a, b)) in crate::fem::lagrange::edges::<D>().iter().enumerate() {
                pressure[cell[D + 1 + k] as usize] =
                    0.5 * (pressure[cell[a] as usize] + pressure[cell[b] as usize]);
            }
            let to = &mut share.cells[(cell_at + c) * per_cell..][..per_cell];
            for (t, &k) in to.iter_mut().zip(&order.nodes) {
                *t = number(patch.nodes[cell[k] as usize]);
            }
            share.part[cell_at + c] = share.instance as u32;
        }
        for &(c, facet) in mesh.walls.iter().chain(closed.get(k).into_iter().flatten()) {
            walls.push((
                share.first_cell + cell_at as u32 + c,
                order.facets[facet as usize],
            ));
        }
        cell_at += mesh.n_cells();
        for (n, &node) in patch.nodes.iter().enumerate() {
            let is_shared = node < n_boundary;
            if is_shared && !owned[node as usize] {
                continue;
            }
            let at = frame.point(mesh.nodes[n]);
            let mut v: [f64; D] = std::array::from_fn(|c| x[D * n + c] / depths);
            v = frame.vector(v);
            if let Some(given) = wall_velocity
                && mesh.on_wall[n]
            {
                v = given(at);
            }
            if is_shared {
                shared.push((instance.nodes[node as usize], (at, v, pressure[n])));
            } else {
                let k = (node - n_boundary) as usize;
                share.nodes[k] = at;
                share.velocity[k] = v;
                share.pressure[k] = pressure[n];
            }
        }
    }
    (shared, walls)
}

/// Which boundary nodes of an instance it gives values to: those on interfaces whose unknowns are in its own frame, and on joints of
/// links and steps in depth, where both sides have nodes of their own.
fn owned_nodes<const D: usize>(system: &System<D>, k: usize) -> Vec<bool> {
    let instance = &system.instances[k];
    let piece = system.piece_of(instance);
    let mut owned = vec![false; piece.n_boundary_nodes];
    for (socket, &interface) in instance.interfaces.iter().enumerate() {
        let interface = &system.interfaces[interface as usize];
        if interface.owner == (k as u32, socket as u32) || interface.free.is_some() {
            piece.socket_nodes[socket]
                .iter()
                .for_each(|&n| owned[n as usize] = true);
        }
    }
    owned
}

/// Order of a cell's nodes and facets in the chip: a mirrored cell runs the other way.
struct CellOrder {
    nodes: Vec<usize>,
    facets: Vec<u8>,
}

fn cell_order<const D: usize>(mirror: bool) -> CellOrder {
    let plain = CellOrder {
        nodes: (0..n_nodes::<D>()).collect(),
        facets: (0..=D as u8).collect(),
    };
    match (mirror, D) {
        (false, _) => plain,
        // Vertices 0 2 1; edges 02, 21, 10. Facet k runs from vertex k to k + 1.
        (true, 2) => CellOrder {
            nodes: vec![0, 2, 1, 5, 4, 3],
            facets: vec![2, 1, 0],
        },
        // Vertices 0 2 1 3; facet k is opposite vertex k.
        _ => CellOrder {
            nodes: swapped_tetrahedron(),
            facets: vec![0, 2, 1, 3],
        },
    }
}

/// Nodes of a tetrahedron whose vertices 1 and 2 change places.
pub(super) fn swapped_tetrahedron() -> Vec<usize> {
    let edges = crate::fem::lagrange::edges::<3>();
    let vertex = [0, 2, 1, 3];
    let mut nodes = vertex.to_vec();
    for &(a, b) in edges {
        let (p, q) = (vertex[a], vertex[b]);
        let k = edges
            .iter()
            .position(|&(x, y)| (x, y) == (p, q) || (x, y) == (q, p))
            .unwrap_or_default();
        nodes.push(4 + k);
    }
    nodes
}
