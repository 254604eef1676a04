//! The stream function of a region: the divergence-free flow nearest to the finite elements' velocity.
//!
//! ```text
//! min over psi in P2   int |(d psi/dy, -d psi/dx) - u_h|^2,    psi given on outer walls and sockets, one free constant on each island
//! ```
//! `u = d psi/dy`, `v = -d psi/dx`: psi rises from right to left looking along the flow, and from `a` to `b` on the rim, walked counter-clockwise,
//! by the flow that leaves there. Its curl is divergence free in every cell and through every edge, which `u_h` isn't.

use faer::Mat;
use rustc_hash::FxHashMap;
use stokeslet_base::parallel;
use stokeslet_fronts::algebra::{Entry, SparseCholesky};

use crate::SpeciesError;
use crate::network::{Network, Region};
use stokeslet_base::geometry::Point;
use stokeslet_flow::fem::lagrange::{CellPoint, cell_point};
use stokeslet_flow::fem::quadrature::{Rule, simplex};
use stokeslet_flow::field::Field;

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
    /// On both ends of every socket, counter-clockwise: first, last.
    pub sockets: Vec<[f64; 2]>,
    /// Constants of outer walls and islands, m^2/s.
    pub walls: Vec<f64>,
}

impl Psi {
    /// Where a node of the fields is, if it is one of the region's.
    pub fn place_of(&self, node: u32) -> Option<Point> {
        let k = self.nodes.iter().position(|&n| n == node)?;
        Some(self.at[k])
    }
}

/// Solves for the stream functions of all regions with flow; the others get an empty one. Copies of a region share its factors: the second
/// list says by region which is the first of its kind.
///
/// # Shapes and units
/// - `fields`: velocity in m/s at the P2 nodes, m; the network's flows in m^2/s
/// # Errors
/// [`SpeciesError::Singular`] where a matrix can't be factorised (cells without area).
/// # Accuracy and cost
/// Velocity to 4e-3 / 1e-3 rms at 8 / 16 cells a width; one sparse Cholesky factorisation of as many unknowns as nodes a kind of region.
pub fn stream_functions(
    net: &Network,
    fields: &Field<2>,
) -> Result<(Vec<Psi>, Vec<usize>), SpeciesError> {
    let regions: Vec<usize> = (0..net.regions.len())
        .filter(|&r| net.regions[r].sockets.iter().any(|m| m.outflow != 0.0))
        .collect();
    let prepared = parallel::each(&regions, 1, |&r| Prepared::new(net, r, fields));
    let solved = parallel::map_owned(alike(prepared), |copies| solve_alike(copies, net.largest));
    let mut out = vec![Psi::default(); net.regions.len()];
    let mut kinds: Vec<usize> = (0..net.regions.len()).collect();
    for copies in solved {
        let copies = copies?;
        let first = copies.first().map(|copy| copy.0);
        for (r, psi) in copies {
            kinds[r] = first.unwrap_or(r);
            out[r] = psi;
        }
    }
    Ok((out, kinds))
}

/// A region before its system is solved.
struct Prepared {
    region: usize,
    /// Values on the rim are given.
    psi: Psi,
    /// By node: its unknown, or [`GIVEN`].
    unknown: Vec<u32>,
    /// Free nodes, and one an island.
    count: usize,
    /// Unknowns of islands.
    islands: Vec<u32>,
}

const GIVEN: u32 = u32::MAX;

impl Prepared {
    fn new(net: &Network, r: usize, fields: &Field<2>) -> Self {
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
        Self {
            region: r,
            psi,
            unknown,
            count: count as usize,
            islands,
        }
    }

    /// Whether both have the same matrix, to rounding: cells of the same shapes between the same unknowns.
    fn is_like(&self, other: &Self) -> bool {
        let (p, q) = (&self.psi, &other.psi);
        let same_shape = |cell: &[u32; 6]| {
            // Squares differ twice as much.
            let side = |at: &[Point], i: usize, j: usize| {
                let side = at[cell[i] as usize] - at[cell[j] as usize];
                side.dot(side)
            };
            let same = |i, j| {
                let (a, b) = (side(&p.at, i, j), side(&q.at, i, j));
                (a - b).abs() <= 2.0 * ALIKE * a
            };
            (0..6).all(|i| same(i, (i + 1) % 6)) && (0..3).all(|k| same(k, (k + 1) % 3))
        };
        self.unknown == other.unknown && p.cells == q.cells && p.cells.iter().all(same_shape)
    }

    fn nodes(&self, cell: &[u32; 6]) -> [[f64; 2]; 6] {
        cell.map(|n| {
            let p = self.psi.at[n as usize];
            [p.x, p.y]
        })
    }

    /// The lower triangle of its matrix, factorised.
    fn factor(&self) -> Result<SparseCholesky, SpeciesError> {
        let singular = || SpeciesError::Singular {
            region: self.region,
        };
        let mut triplets = Vec::with_capacity(21 * self.psi.cells.len());
        let rule = simplex::<2>(DEGREE);
        for cell in &self.psi.cells {
            let matrix = stiffness(&self.nodes(cell), &rule);
            for i in 0..6 {
                for j in 0..6 {
                    let (row, column) = (
                        self.unknown[cell[i] as usize],
                        self.unknown[cell[j] as usize],
                    );
                    if row != GIVEN && column != GIVEN && row >= column {
                        triplets.push(Entry::new(row as usize, column as usize, matrix[i][j]));
                    }
                }
            }
        }
        SparseCholesky::new(self.count, &triplets).ok_or_else(singular)
    }

    /// What makes its right-hand side from velocities and from what is given.
    fn loads(&self) -> Loads {
        let rule = simplex::<2>(DEGREE);
        let mut of_velocity: Vec<(u32, u32, [f64; 2])> =
            Vec::with_capacity(36 * self.psi.cells.len());
        let mut of_given = Vec::new();
        for cell in &self.psi.cells {
            let nodes = self.nodes(cell);
            let rotation = rotation(&nodes, &rule);
            let unknown = cell.map(|k| self.unknown[k as usize]);
            let matrix = match unknown.contains(&GIVEN) {
                true => stiffness(&nodes, &rule),
                false => [[0.0; 6]; 6],
            };
            for i in (0..6).filter(|&i| unknown[i] != GIVEN) {
                for j in 0..6 {
                    of_velocity.push((unknown[i], cell[j], rotation[i][j]));
                    if unknown[j] == GIVEN {
                        of_given.push((unknown[i], cell[j], matrix[i][j]));
                    }
                }
            }
        }
        // Cells that share an edge or a node share entries.
        of_velocity.sort_by_key(|e| (e.0, e.1));
        of_velocity.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 = [0, 1].map(|k| kept.2[k] + next.2[k]);
            }
            is_same
        });
        Loads {
            of_velocity,
            of_given,
        }
    }
}

/// Copies whose right-hand sides are made and solved side by side.
const LANES: usize = 8;

/// The right-hand sides of some copies, over a scale, each from the loads of a region that is turned by an angle (cosine and sine) to become it.
fn loads_of(copies: &[Prepared], loads: &Loads, turns: &[[f64; 2]], scale: f64) -> Mat<f64> {
    let nodes = copies.first().map_or(0, |c| c.psi.at.len());
    // By node: the velocity as the first copy sees it, and what is given.
    let mut velocity = vec![[[0.0; LANES]; 2]; nodes];
    let mut given = vec![[0.0; LANES]; nodes];
    for (lane, (copy, [cos, sin])) in copies.iter().zip(turns).enumerate() {
        for (k, (u, value)) in copy.psi.velocity.iter().zip(&copy.psi.value).enumerate() {
            velocity[k][0][lane] = (cos * u.x + sin * u.y) / scale;
            velocity[k][1][lane] = (cos * u.y - sin * u.x) / scale;
            given[k][lane] = value / scale;
        }
    }
    let count = copies.first().map_or(0, |c| c.count);
    let mut rhs = vec![[0.0; LANES]; count];
    for &(row, node, [x, y]) in &loads.of_velocity {
        let (sum, [along, across]) = (&mut rhs[row as usize], &velocity[node as usize]);
        for lane in 0..LANES {
            sum[lane] += x * along[lane] + y * across[lane];
        }
    }
    for &(row, node, value) in &loads.of_given {
        let (sum, known) = (&mut rhs[row as usize], &given[node as usize]);
        for lane in 0..LANES {
            sum[lane] -= value * known[lane];
        }
    }
    Mat::from_fn(count, copies.len(), |row, lane| rhs[row][lane])
}

/// What right-hand sides of copies have in common: row, node, factor.
struct Loads {
    /// Factors of both components of the velocity there.
    of_velocity: Vec<(u32, u32, [f64; 2])>,
    of_given: Vec<(u32, u32, f64)>,
}

/// Cosine and sine of the angle by which one list of points is turned to become another of the same shape; told by those that are far apart.
pub(crate) fn turn_between(from: &[Point], to: &[Point]) -> Option<[f64; 2]> {
    let off = |k: usize| (from[k] - from[0]).dot(from[k] - from[0]);
    let far = (0..from.len()).max_by(|&i, &j| off(i).total_cmp(&off(j)))?;
    let (before, after) = (from[far] - from[0], to[far] - to[0]);
    Some([before.dot(after), before.cross(after)].map(|x| x / before.dot(before)))
}

/// Part of a length by which those of copies may differ, which are placed and turned.
const ALIKE: f64 = 1e-11;

/// Regions by their matrices, in order of their first ones.
fn alike(prepared: Vec<Prepared>) -> Vec<Vec<Prepared>> {
    let mut groups: Vec<Vec<Prepared>> = Vec::new();
    let mut by_size: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for region in prepared {
        let of_size = by_size
            .entry((region.count, region.psi.cells.len()))
            .or_default();
        match of_size.iter().find(|&&g| groups[g][0].is_like(&region)) {
            Some(&g) => groups[g].push(region),
            None => {
                of_size.push(groups.len());
                groups.push(vec![region]);
            }
        }
    }
    groups
}

/// Solves for regions that have the same matrix; loads are divided by `scale`, the largest flow.
fn solve_alike(copies: Vec<Prepared>, scale: f64) -> Result<Vec<(usize, Psi)>, SpeciesError> {
    let shared = match copies.first() {
        Some(first) if first.count > 0 => {
            let factor = first.factor()?;
            Some((factor, first.loads(), first.psi.at.clone()))
        }
        _ => None,
    };
    let mut copies = copies;
    let solved = parallel::map_owned(copies.chunks_mut(LANES).collect(), |some| {
        if let Some((factor, loads, at)) = &shared {
            let turn = |copy: &Prepared| turn_between(at, &copy.psi.at).unwrap_or([1.0, 0.0]);
            let turns: Vec<[f64; 2]> = some.iter().map(turn).collect();
            let x = factor.solve(&loads_of(some, loads, &turns, scale));
            for (lane, copy) in some.iter_mut().enumerate() {
                let psi = &mut copy.psi;
                for (value, &k) in psi.value.iter_mut().zip(&copy.unknown) {
                    if k != GIVEN {
                        *value = x[(k as usize, lane)] * scale;
                    }
                }
                let islands = copy.islands.iter();
                psi.walls
                    .extend(islands.map(|&i| x[(i as usize, lane)] * scale));
            }
        }
        let taken =
            some.iter_mut()
                .map(|copy| match copy.psi.value.iter().all(|v| v.is_finite()) {
                    true => Ok((copy.region, std::mem::take(&mut copy.psi))),
                    false => Err(SpeciesError::Singular {
                        region: copy.region,
                    }),
                });
        taken.collect::<Result<Vec<_>, _>>()
    });
    let solved: Vec<Vec<(usize, Psi)>> = solved.into_iter().collect::<Result<_, _>>()?;
    Ok(solved.into_iter().flatten().collect())
}

/// Walks round the outer rim: constants on walls, the developed profile on sockets.
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
    let sockets = &region.sockets;
    psi.walls.push(level);
    if sockets.is_empty() {
        for n in rim {
            let k = local[n] as usize;
            given[k] = true;
        }
    }
    for (m, socket) in sockets.iter().enumerate() {
        let profile = net.profile(socket.width);
        for &(n, t) in &socket.nodes {
            let k = local[&n] as usize;
            psi.value[k] = level + socket.outflow * profile.flow(t.clamp(0.0, 1.0));
            given[k] = true;
        }
        psi.sockets.push([level, level + socket.outflow]);
        level += socket.outflow;
        // The wall from here to the next socket.
        let end = socket.nodes.last().map_or(0, |n| place[&n.0]);
        let next = sockets[(m + 1) % sockets.len()].nodes[0].0;
        let is_last = m + 1 == sockets.len();
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

/// `int grad phi_i . grad phi_j` over one cell.
fn stiffness(nodes: &[[f64; 2]; 6], rule: &Rule) -> [[f64; 6]; 6] {
    let mut matrix = [[0.0; 6]; 6];
    for (l, weight) in rule.points.iter().zip(&rule.weights) {
        let CellPoint {
            det_jacobian,
            gradients: g,
            ..
        } = cell_point::<2>(nodes, l);
        let dx = weight * det_jacobian;
        for i in 0..6 {
            for j in 0..6 {
                matrix[i][j] += dx * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
            }
        }
    }
    matrix
}

/// `int u x grad phi_i` over one cell, as factors of both components of the velocity at its nodes.
fn rotation(nodes: &[[f64; 2]; 6], rule: &Rule) -> [[[f64; 2]; 6]; 6] {
    let mut load = [[[0.0; 2]; 6]; 6];
    for (l, weight) in rule.points.iter().zip(&rule.weights) {
        let CellPoint {
            det_jacobian,
            values,
            gradients: g,
            ..
        } = cell_point::<2>(nodes, l);
        let dx = weight * det_jacobian;
        for i in 0..6 {
            for j in 0..6 {
                load[i][j][0] += dx * values[j] * g[i][1];
                load[i][j][1] -= dx * values[j] * g[i][0];
            }
        }
    }
    load
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_cad::chip::place;
    use stokeslet_cad::library::Library;
    use stokeslet_flow::session::Solver;

    /// Three tees in a row, of the same shape between pipes of the same length: one matrix.
    #[test]
    fn copies_of_a_region_share_a_factorisation() {
        let text = r#"
            format = 1
            fluid = { viscosity = "1 Pa s" }
            chip = { width = "1 m" }
            components = { p = { kind = "pipe", at = ["0 m", "0 m"], parameters = { length = "4 m" } }, a = { kind = "tee", attach = "left", to = "p.b" }, q = { kind = "pipe", attach = "a", to = "a.right", parameters = { length = "8 m" } }, b = { kind = "tee", attach = "left", to = "q.b" }, r = { kind = "pipe", attach = "a", to = "b.right", parameters = { length = "8 m" } }, c = { kind = "tee", attach = "left", to = "r.b" }, s = { kind = "pipe", attach = "a", to = "c.right", parameters = { length = "4 m" } }, ua = { kind = "pipe", attach = "a", to = "a.up", parameters = { length = "4 m" } }, ub = { kind = "pipe", attach = "a", to = "b.up", parameters = { length = "4 m" } }, uc = { kind = "pipe", attach = "a", to = "c.up", parameters = { length = "4 m" } } }
            ports = { in = { at = "p.a", flow_rate = "1 m^2/s" }, a = { at = "ua.b", pressure = "0 Pa" }, b = { at = "ub.b", pressure = "0 Pa" }, c = { at = "uc.b", pressure = "0 Pa" }, out = { at = "s.b", pressure = "0 Pa" } }
        "#;
        let (design, mistakes) = stokeslet_cad::design::parse(text, "row");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (chip, _) = place(&design.unwrap(), &Library::embedded());
        let chip = chip.unwrap();
        let solution = Solver::new(&chip).resolution(6).solve().unwrap();
        let fields = &solution.fields;
        let flows = solution.ports.iter().map(|p| p.flow_rate).collect();
        let net = crate::network::network(&chip, fields, &crate::network::integrals(fields), flows)
            .unwrap();
        let all: Vec<Prepared> = (0..net.regions.len())
            .map(|r| Prepared::new(&net, r, fields))
            .collect();
        let sizes: Vec<usize> = alike(all).iter().map(Vec::len).collect();
        assert_eq!(sizes, [3], "copies a matrix");
    }
}
