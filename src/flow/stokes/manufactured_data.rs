//! Data that make known fields the solution on a chip, in any dimension.
//!
//! ```text
//! div u = -l,   div sigma + f = drag u      f, l         loads inside every leaf
//! velocity given on walls                   -A u_wall    loads too: walls carry no unknowns
//! velocity given on ports and closed ends   u            given values on shared unknowns
//! sigma n on ports that are free            traction     loads on shared unknowns
//! ```

use stokeslet_base::parallel;

use super::local_vectors::{ChipVector, LocalVectors};
use super::piece::Leaf;
use super::section::Section;
use super::system::{Instance, Meets, System};
use super::{manufactured, manufactured3};
use crate::fem::lagrange::cell_point;
use crate::fem::quadrature;
use crate::field::nodal::PatchFrame;
use crate::mesh::Top;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_fronts::tree::scatter;
use stokeslet_fronts::{Class, NOWHERE};

/// Fields and what balances them, in SI units.
#[derive(Clone, Copy)]
pub struct Exact<const D: usize> {
    /// Velocity.
    pub velocity: fn([f64; D]) -> [f64; D],
    /// Pressure.
    pub pressure: fn([f64; D]) -> f64,
    /// `[i][j] = d u_i / d x_j`.
    pub gradient: fn([f64; D]) -> [[f64; D]; D],
    /// Body force at viscosity `mu` and `drag` (1/m^2).
    pub force: fn([f64; D], f64, f64) -> [f64; D],
}

/// The thesis's fields in two dimensions.
pub fn plane() -> Exact<2> {
    Exact {
        velocity: |[x, y]| {
            let v = manufactured::velocity(Point::new(x, y));
            [v.x, v.y]
        },
        pressure: |[x, y]| manufactured::pressure(Point::new(x, y)),
        gradient: |[x, y]| manufactured::gradient(Point::new(x, y)),
        force: |[x, y], mu, drag| {
            let f = manufactured::force(Point::new(x, y), mu, drag);
            [f.x, f.y]
        },
    }
}

/// The thesis's fields in three dimensions.
pub fn space() -> Exact<3> {
    Exact {
        velocity: manufactured3::velocity,
        pressure: manufactured3::pressure,
        gradient: manufactured3::gradient,
        force: |p, mu, _| manufactured3::force(p, mu),
    }
}

/// Loads on all unknowns, and given values on shared ones.
pub struct ExactData {
    /// Canonical, boundaries of local vectors collected.
    pub loads: ChipVector,
    /// m/s, in the frames of interfaces.
    pub given: Vec<f64>,
}

/// The data of `exact` on a chip: velocities given on walls, closed ends and flow-rate ports, tractions on the other ports.
///
/// Where velocities are given all around a connected component, what their interpolants leave unbalanced is spread over its continuity rows:
/// a system with a null space has a solution only for data that are orthogonal to it.
pub fn data<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    chip: &Chip,
    exact: &Exact<D>,
) -> ExactData {
    let mut loads = ChipVector {
        shared: vec![0.0; system.class.len()],
        local: vec![0.0; local_vectors.n],
    };
    let made = parallel::each(&system.instances, 1, |instance| {
        local_loads(system, local_vectors, instance, exact)
    });
    for (&first, local_vector) in local_vectors.first.iter().zip(&made) {
        loads.local[first..first + local_vector.len()].copy_from_slice(local_vector);
    }
    local_vectors.collect(system, &mut loads);
    let places = shared_places(system, local_vectors);
    let mut given = vec![0.0; system.class.len()];
    for (k, interface) in system.interfaces.iter().enumerate() {
        let socket = PlacedSocket::new(system, &places, k);
        let gives_velocity = match interface.meets {
            Meets::Part => continue,
            Meets::Wall(_) => true,
            Meets::Port(p) => matches!(chip.ports[p as usize].condition, Condition::FlowRate(_)),
        };
        if gives_velocity {
            socket.give(exact, &mut given);
        } else {
            socket.load(exact, &mut loads.shared);
        }
    }
    let mut data = ExactData { loads, given };
    balance(system, local_vectors, &mut data);
    data
}

/// Loads on a local vector from its leaves.
fn local_loads<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    instance: &Instance,
    exact: &Exact<D>,
) -> Vec<f64> {
    let mut local_vector = vec![0.0; system.piece_of(instance).n];
    for patch in local_vectors.patches_of(instance.piece) {
        let leaf = system.leaf(instance.piece, patch);
        let on_mesh = mesh_loads(
            system,
            (&PatchFrame::new(instance, patch), instance.drag),
            leaf,
            exact,
        );
        let own: Vec<f64> = leaf
            .moves
            .iter()
            .map(|moves| moves.iter().map(|&(i, f)| f * on_mesh[i as usize]).sum())
            .collect();
        scatter(&patch.unknowns, &own, &mut local_vector);
    }
    local_vector
}

/// Positions of the nodes on interfaces, m.
fn shared_places<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
) -> Vec<[f64; D]> {
    let mut places = vec![[0.0; D]; system.n_shared_nodes];
    for instance in &system.instances {
        for patch in local_vectors.patches_of(instance.piece) {
            let mesh = &system.leaf(instance.piece, patch).mesh;
            let frame = PatchFrame::new(instance, patch);
            for (&node, &at) in patch.nodes.iter().zip(&mesh.nodes) {
                if let Some(&shared) = instance.nodes.get(node as usize) {
                    places[shared as usize] = frame.point(at);
                }
            }
        }
    }
    places
}

/// Loads on all unknowns of a leaf's mesh, canonical.
fn mesh_loads<const D: usize>(
    system: &System<D>,
    (frame, drag): (&PatchFrame, f64),
    leaf: &Leaf<D>,
    exact: &Exact<D>,
) -> Vec<f64> {
    let (mesh, mu, unit) = (&leaf.mesh, system.viscosity, frame.unit);
    let first_pressure = D * mesh.nodes.len();
    let mut walls = vec![0.0; leaf.n_mesh()];
    for (n, &at) in mesh.nodes.iter().enumerate().filter(|n| mesh.on_wall[n.0]) {
        let v = frame.back((exact.velocity)(frame.point(at)));
        walls[D * n..D * n + D].copy_from_slice(&v);
    }
    let mut load = leaf.matrix().multiply(&walls, leaf.drag);
    load.iter_mut().for_each(|b| *b = -*b);
    let rule = quadrature::simplex::<D>(if D == 2 { 8 } else { 6 });
    for c in 0..mesh.n_cells() {
        let (cell, nodes) = (mesh.cell(c), mesh.cell_nodes(c));
        for (l, w) in rule.points.iter().zip(&rule.weights) {
            let point = cell_point::<D>(&nodes, l);
            let w = w * point.det_jacobian;
            let at = frame.point(point.position);
            let f = frame.back((exact.force)(at, mu, drag));
            for (&n, phi) in cell.iter().zip(&point.values) {
                for (i, f) in f.iter().enumerate() {
                    load[D * n as usize + i] += phi * f * w * unit * unit / mu;
                }
            }
            let g = (exact.gradient)(at);
            let divergence: f64 = (0..D).map(|i| g[i][i]).sum();
            for (&v, q) in cell.iter().zip(l) {
                load[first_pressure + v as usize] -= q * divergence * w * unit;
            }
        }
    }
    load
}

/// A socket in the chip.
struct PlacedSocket<'a, const D: usize> {
    section: &'a Section,
    /// First of its shared unknowns.
    first: usize,
    /// By node of the section.
    nodes: Vec<[f64; D]>,
    /// Outward, left of outward, up.
    axes: [[f64; D]; D],
    viscosity: f64,
    /// Canonical momentum per traction over viscosity and length (area with depth).
    force: f64,
}

impl<'a, const D: usize> PlacedSocket<'a, D> {
    fn new(system: &'a System<D>, places: &[[f64; D]], interface: usize) -> Self {
        let section = &system.section;
        let per = section.n_nodes();
        let nodes: Vec<[f64; D]> = system.interface_nodes[interface * per..][..per]
            .iter()
            .map(|&n| places[n as usize])
            .collect();
        let owner = system.interfaces[interface].owner.0 as usize;
        let (start, end) = (nodes[0], nodes[per - section.n_levels() as usize]);
        let along = Point::new(end[0] - start[0], end[1] - start[1]);
        let left = along * (1.0 / along.norm());
        let outward = if system.instances[owner].motion.mirror {
            left.left()
        } else {
            -left.left()
        };
        let axes = std::array::from_fn(|i| {
            std::array::from_fn(|c| match (i, c) {
                (0, 0) => outward.x,
                (0, 1) => outward.y,
                (1, 0) => left.x,
                (1, 1) => left.y,
                _ => f64::from(i == c),
            })
        });
        let unit = system.interfaces[interface].unit;
        Self {
            section,
            first: interface * section.n,
            nodes,
            axes,
            viscosity: system.viscosity,
            force: unit.powi(2 - D as i32),
        }
    }

    /// A vector's components along the first axes.
    fn components(&self, v: [f64; D]) -> [f64; D] {
        self.axes.map(|a| (0..D).map(|k| a[k] * v[k]).sum())
    }

    /// Writes the exact velocity.
    fn give(&self, exact: &Exact<D>, given: &mut [f64]) {
        for (k, &at) in self.nodes.iter().enumerate() {
            let levels = self.section.n_levels();
            let (i, level) = (k as u32 / levels, k as u32 % levels);
            if let Some((first, components)) = self.section.velocity(i, level) {
                let v = self.components((exact.velocity)(at));
                for (k, c) in components.iter().enumerate() {
                    given[self.first + first as usize + k] = v[c as usize];
                }
            }
        }
    }

    /// Adds the exact traction's load.
    fn load(&self, exact: &Exact<D>, loads: &mut [f64]) {
        let rule = facet_rule::<D>();
        let levels = self.section.n_levels();
        let node = |(i, level): (u32, u32)| self.nodes[(i * levels + level) as usize];
        for facet in facets(self.section) {
            let size = facet_size(&facet.iter().map(|&n| node(n)).collect::<Vec<_>>());
            for (basis, w) in &rule {
                let mut at = [0.0; D];
                for (&n, phi) in facet.iter().zip(basis) {
                    at.iter_mut().zip(node(n)).for_each(|(a, x)| *a += phi * x);
                }
                let t = self.components(traction(exact, at, self.axes[0], 1.0 / self.viscosity));
                for (&(i, level), phi) in facet.iter().zip(basis) {
                    if let Some((first, components)) = self.section.velocity(i, level) {
                        for (k, c) in components.iter().enumerate() {
                            loads[self.first + first as usize + k] +=
                                phi * w * size * t[c as usize] * self.force;
                        }
                    }
                }
            }
        }
    }
}

/// Traction `sigma n` over `mu`.
fn traction<const D: usize>(
    exact: &Exact<D>,
    at: [f64; D],
    normal: [f64; D],
    per_viscosity: f64,
) -> [f64; D] {
    let g = (exact.gradient)(at);
    let p = (exact.pressure)(at) * per_viscosity;
    std::array::from_fn(|i| {
        let shear: f64 = (0..D).map(|j| (g[i][j] + g[j][i]) * normal[j]).sum();
        shear - p * normal[i]
    })
}

/// P2 basis values and weights on a facet's reference simplex; the weights add to one.
fn facet_rule<const D: usize>() -> Vec<(Vec<f64>, f64)> {
    let parts = |rule: quadrature::Rule| (rule.points, rule.weights);
    let (points, weights) = match D {
        2 => parts(quadrature::simplex::<1>(8)),
        _ => parts(quadrature::simplex::<2>(8)),
    };
    let total: f64 = weights.iter().sum();
    let basis = |l: Vec<f64>| {
        let vertices = l.iter().map(|&v| v * (2.0 * v - 1.0));
        let middles: &[(usize, usize)] = match D {
            2 => &[(0, 1)],
            _ => &[(0, 1), (1, 2), (2, 0)],
        };
        vertices
            .chain(middles.iter().map(|&(a, b)| 4.0 * l[a] * l[b]))
            .collect()
    };
    let weights = weights.into_iter().map(|w| w / total);
    points.into_iter().map(basis).zip(weights).collect()
}

/// Length of an edge, area of a triangle.
fn facet_size<const D: usize>(nodes: &[[f64; D]]) -> f64 {
    let side = |k: usize| -> [f64; D] { std::array::from_fn(|c| nodes[k][c] - nodes[0][c]) };
    let dot = |a: [f64; D], b: [f64; D]| -> f64 { (0..D).map(|c| a[c] * b[c]).sum() };
    let a = side(1);
    if D == 2 {
        return dot(a, a).sqrt();
    }
    let b = side(2);
    0.5 * (dot(a, a) * dot(b, b) - dot(a, b).powi(2)).max(0.0).sqrt()
}

/// The cells of a socket as (across, level) of their P2 nodes: vertices, then edges 01 (12, 20), as extruded meshes have them.
fn facets(section: &Section) -> Vec<Vec<(u32, u32)>> {
    let mut out = Vec::new();
    for j in 0..section.resolution {
        let i = 2 * j;
        if section.dimension == 2 {
            out.push(vec![(i, 0), (i + 2, 0), (i + 1, 0)]);
            continue;
        }
        for layer in 0..section.layers {
            let level = 2 * layer;
            // Diagonals run up towards the middle of the socket, mirrored in the upper half between walls.
            let mirrored = section.top == Top::Wall && 2 * layer >= section.layers;
            let rising = (2 * j < section.resolution) != mirrored;
            let corner = |a: u32, b: u32| (i + 2 * a, level + 2 * b);
            let triangles = if rising {
                [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]]
            } else {
                [[(0, 0), (1, 0), (0, 1)], [(1, 0), (1, 1), (0, 1)]]
            };
            for triangle in triangles {
                let v = triangle.map(|(a, b)| corner(a, b));
                let middle = |p: (u32, u32), q: (u32, u32)| ((p.0 + q.0) / 2, (p.1 + q.1) / 2);
                let middles = [(0, 1), (1, 2), (2, 0)].map(|(a, b)| middle(v[a], v[b]));
                out.push(v.into_iter().chain(middles).collect());
            }
        }
    }
    out
}

/// Makes the right-hand side orthogonal to a constant pressure on every connected component where nothing fixes it.
fn balance<const D: usize>(system: &System<D>, local_vectors: &LocalVectors, data: &mut ExactData) {
    for connected_component in (0..system.is_free.len()).filter(|&k| system.is_free[k]) {
        let null = constant_pressure(system, local_vectors, connected_component as u32);
        let mut rhs = data.loads.clone();
        local_vectors.subtract_product(
            system,
            &spread(system, local_vectors, &data.given),
            &mut rhs,
        );
        let dot = |a: &ChipVector, b: &ChipVector| -> f64 {
            let shared = a.shared.iter().zip(&b.shared);
            let inside = a.local.iter().zip(&b.local);
            shared.chain(inside).map(|(a, b)| a * b).sum()
        };
        let share = dot(&null, &rhs) / dot(&null, &null);
        let take = |b: &mut [f64], z: &[f64]| {
            b.iter_mut().zip(z).for_each(|(b, z)| *b -= share * z);
        };
        take(&mut data.loads.shared, &null.shared);
        take(&mut data.loads.local, &null.local);
    }
}

/// Values on shared unknowns, given ones only, as seen by every local vector's boundary.
fn spread<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    given: &[f64],
) -> ChipVector {
    let mut x = ChipVector {
        shared: vec![0.0; given.len()],
        local: vec![0.0; local_vectors.n],
    };
    for (k, instance) in system.instances.iter().enumerate() {
        for (i, image) in instance.boundary.iter().enumerate() {
            if image.to != NOWHERE && system.class[image.to as usize] == Class::Given {
                x.local[local_vectors.first[k] + i] = image.factor * given[image.to as usize];
            }
        }
    }
    x
}

/// The null vector of a connected component: a constant pressure in canonical unknowns, `s p / mu` with each unknown's own unit `s`.
///
/// On equations: shared unknowns, and eliminated ones of local vectors, whose boundaries stay zero.
fn constant_pressure<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    connected_component: u32,
) -> ChipVector {
    let mut null = ChipVector {
        shared: vec![0.0; system.class.len()],
        local: vec![0.0; local_vectors.n],
    };
    for (k, instance) in system.instances.iter().enumerate() {
        let on_connected_component = instance
            .interfaces
            .first()
            .is_some_and(|&i| system.connected_components[i as usize] == connected_component);
        if !on_connected_component {
            continue;
        }
        let local_vector = &mut null.local[local_vectors.first[k]..][..system.piece_of(instance).n];
        for patch in local_vectors.patches_of(instance.piece) {
            let leaf = system.leaf(instance.piece, patch);
            let unit = PatchFrame::new(instance, patch).unit;
            let places = patch.unknowns.iter().flat_map(|r| r.start..r.start + r.len);
            for ((at, moves), is_pressure) in places.zip(&leaf.moves).zip(&leaf.is_pressure) {
                if *is_pressure && let Some(&(_, factor)) = moves.first() {
                    local_vector[at as usize] = unit / factor;
                }
            }
        }
        for (value, image) in local_vector.iter_mut().zip(&instance.boundary) {
            let value = std::mem::take(value);
            if image.to != NOWHERE && value != 0.0 && system.class[image.to as usize] != Class::Zero
            {
                null.shared[image.to as usize] = value / image.factor;
            }
        }
    }
    null
}
