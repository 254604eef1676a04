//! The stream function of a region: the divergence-free flow nearest to the finite elements' velocity.
//!
//! ```text
//! min over psi in P2   int |(d psi/dy, -d psi/dx) - u_h|^2,    psi given on outer walls and mouths, one free constant on each island
//! ```
//! `u = d psi/dy`, `v = -d psi/dx`: psi rises from right to left looking along the flow, and from `a` to `b` on the rim, walked counter-clockwise,
//! by the flow that leaves there. Its curl is divergence free in every cell and through every edge, which `u_h` isn't.

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Par, Side};
use rustc_hash::FxHashMap;

use crate::SpeciesError;
use crate::network::{Network, Region};
use stokeslet_base::geometry::Point;
use stokeslet_flow::fem::lagrange::{CellPoint, cell_point};
use stokeslet_flow::fem::quadrature::{Rule, simplex};
use stokeslet_flow::field::Fields;

/// Exact for the products of P2 gradients on straight cells.
const DEGREE: usize = 4;

/// The stream function of one region, up to a constant.
#[derive(Clone, Debug, Default)]
pub struct Psi {
    /// Nodes of the fields, in the order of their first use.
    pub nodes: Vec<u32>,
    /// Where they are, m.
    pub at: Vec<Point>,
    /// The solved velocity there, m/s.
    pub velocity: Vec<Point>,
    /// Nodes of the region's cells, in this numbering.
    pub cells: Vec<[u32; 6]>,
    /// At every node, m^2/s.
    pub value: Vec<f64>,
    /// On both ends of every mouth, counter-clockwise: first, last.
    pub mouths: Vec<[f64; 2]>,
    /// Constants of outer walls and islands, m^2/s.
    pub walls: Vec<f64>,
}

/// Solves for the stream function of region `r`.
///
/// # Shapes and units
/// - `fields`: velocity in m/s at the P2 nodes, m; the network's flows in m^2/s
/// # Errors
/// [`SpeciesError::Singular`] where the matrix can't be factorised (cells without area).
/// # Accuracy and cost
/// Velocity to 4e-3 / 1e-3 rms at 8 / 16 cells a width; one sparse Cholesky factorisation of as many unknowns as nodes.
pub fn stream_function(net: &Network, r: usize, fields: &Fields) -> Result<Psi, SpeciesError> {
    let region = &net.regions[r];
    let mut psi = Psi::default();
    let mut local: FxHashMap<u32, u32> = FxHashMap::default();
    for &c in &region.cells {
        let cell = fields.cells[c as usize].map(|n| {
            *local.entry(n).or_insert_with(|| {
                psi.nodes.push(n);
                psi.nodes.len() as u32 - 1
            })
        });
        psi.cells.push(cell);
    }
    let n = psi.nodes.len();
    psi.at = psi
        .nodes
        .iter()
        .map(|&k| fields.nodes[k as usize])
        .collect();
    psi.velocity = psi
        .nodes
        .iter()
        .map(|&k| fields.velocity[k as usize])
        .collect();
    psi.value = vec![0.0; n];
    let mut given = vec![false; n];
    outer_rim(net, region, &local, &mut psi, &mut given);
    // Unknowns: free nodes, then one an island.
    const GIVEN: u32 = u32::MAX;
    let mut unknown = vec![GIVEN; n];
    let mut count = 0;
    let mut islands = Vec::new();
    for island in region.loops.iter().skip(1) {
        for node in island {
            unknown[local[node] as usize] = count;
        }
        islands.push(count);
        count += 1;
    }
    for k in 0..n {
        if !given[k] && unknown[k] == GIVEN {
            unknown[k] = count;
            count += 1;
        }
    }
    let count = count as usize;
    let scale = net.largest;
    let mut rhs = Mat::<f64>::zeros(count, 1);
    let mut triplets = Vec::with_capacity(psi.cells.len() * 21);
    let rule = simplex::<2>(DEGREE);
    for (k, cell) in psi.cells.iter().enumerate() {
        let (matrix, load) = local_system(fields, &fields.cells[region.cells[k] as usize], &rule);
        for i in 0..6 {
            let row = unknown[cell[i] as usize];
            if row == GIVEN {
                continue;
            }
            rhs[(row as usize, 0)] += load[i] / scale;
            for j in 0..6 {
                let column = unknown[cell[j] as usize];
                if column == GIVEN {
                    rhs[(row as usize, 0)] -= matrix[i][j] * psi.value[cell[j] as usize] / scale;
                } else if row >= column {
                    triplets.push(Triplet::new(row as usize, column as usize, matrix[i][j]));
                }
            }
        }
    }
    if count > 0 {
        // Regions are solved side by side, never one by many threads: the same bits whatever the pool.
        faer::set_global_parallelism(Par::Seq);
        let singular = || SpeciesError::Singular { region: r };
        let a = SparseColMat::<usize, f64>::try_new_from_triplets(count, count, &triplets)
            .map_err(|_| singular())?;
        let x = a
            .sp_cholesky(Side::Lower)
            .map_err(|_| singular())?
            .solve(&rhs);
        for k in 0..n {
            if unknown[k] != GIVEN {
                psi.value[k] = x[(unknown[k] as usize, 0)] * scale;
            }
        }
        psi.walls
            .extend(islands.iter().map(|&i| x[(i as usize, 0)] * scale));
    }
    if psi.value.iter().any(|v| !v.is_finite()) {
        return Err(SpeciesError::Singular { region: r });
    }
    Ok(psi)
}

/// Walks round the outer rim: constants on walls, the developed profile on mouths.
fn outer_rim(
    net: &Network,
    region: &Region,
    local: &FxHashMap<u32, u32>,
    psi: &mut Psi,
    given: &mut [bool],
) {
    let Some(rim) = region.loops.first() else {
        return;
    };
    let place: FxHashMap<u32, usize> = rim.iter().enumerate().map(|(k, &n)| (n, k)).collect();
    let mut level = 0.0;
    let mouths = &region.mouths;
    psi.walls.push(level);
    if mouths.is_empty() {
        for n in rim {
            let k = local[n] as usize;
            given[k] = true;
        }
    }
    for (m, mouth) in mouths.iter().enumerate() {
        let profile = net.profile(mouth.width);
        for &(n, t) in &mouth.nodes {
            let k = local[&n] as usize;
            psi.value[k] = level + mouth.outflow * profile.flow(t.clamp(0.0, 1.0));
            given[k] = true;
        }
        psi.mouths.push([level, level + mouth.outflow]);
        level += mouth.outflow;
        // The wall from here to the next mouth.
        let end = mouth.nodes.last().map_or(0, |n| place[&n.0]);
        let next = mouths[(m + 1) % mouths.len()].nodes[0].0;
        let is_last = m + 1 == mouths.len();
        let value = if is_last { 0.0 } else { level };
        let mut at = end;
        loop {
            let k = local[&rim[at]] as usize;
            psi.value[k] = value;
            given[k] = true;
            if rim[at] == next {
                break;
            }
            at = (at + 1) % rim.len();
        }
        if !is_last {
            psi.walls.push(level);
        }
    }
}

/// Stiffness and load of one cell.
fn local_system(fields: &Fields, cell: &[u32; 6], rule: &Rule) -> ([[f64; 6]; 6], [f64; 6]) {
    let nodes = cell.map(|n| {
        let p = fields.nodes[n as usize];
        [p.x, p.y]
    });
    let (mut matrix, mut load) = ([[0.0; 6]; 6], [0.0; 6]);
    for (l, weight) in rule.points.iter().zip(&rule.weights) {
        let CellPoint {
            det_jacobian,
            values,
            gradients: g,
            ..
        } = cell_point::<2>(&nodes, l);
        let dx = weight * det_jacobian;
        let u = cell.iter().zip(&values).fold([0.0; 2], |u, (&n, phi)| {
            let v = fields.velocity[n as usize];
            [u[0] + phi * v.x, u[1] + phi * v.y]
        });
        for i in 0..6 {
            load[i] += dx * (u[0] * g[i][1] - u[1] * g[i][0]);
            for j in 0..6 {
                matrix[i][j] += dx * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
            }
        }
    }
    (matrix, load)
}
