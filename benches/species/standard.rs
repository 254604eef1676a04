//! Standard methods for a species on the flow's own mesh: quadratic elements with and without SUPG, and upwind finite volumes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use stokeslet::chip::Chip;
use stokeslet::fem::lagrange::cell_point;
use stokeslet::fem::quadrature::{gauss_legendre, simplex};
use stokeslet::field::Field;
use stokeslet::geometry::Point;
use stokeslet::session::Solution;
use stokeslet::species::elliptic::element::Element;

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};

use super::support::Failure;

/// Which method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Standard {
    /// Quadratic elements, nothing added.
    Galerkin,
    /// The same of order 4, that of our elliptic engine.
    Quartic,
    /// Quadratic elements with streamline-upwind Petrov-Galerkin stabilisation.
    Supg,
    /// One value a cell, first-order upwind, two-point diffusion.
    Upwind,
}

impl Standard {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Galerkin => "Galerkin P2 + faer LU",
            Self::Quartic => "Galerkin P4 + faer LU",
            Self::Supg => "SUPG P2 + faer LU",
            Self::Upwind => "upwind + faer LU",
        }
    }
}

/// What came out.
pub struct Answer {
    /// Values at nodes (elements) or in cells.
    pub values: Vec<f64>,
    /// Whether they are in cells.
    pub in_cells: bool,
    /// Unknowns solved for.
    pub unknowns: usize,
    /// Of factorisation and solution.
    pub seconds: f64,
    /// By how much values leave 0..1.
    pub out_of_range: f64,
}

/// Ends of a port's section, m.
fn section(chip: &Chip, port: usize) -> (Point, Point) {
    let at = chip.ports[port].socket;
    let part = &chip.parts[at.part];
    let socket = &part.shape.sockets()[at.socket];
    let middle = part.motion.apply(socket.middle);
    let out = Point::unit(part.motion.turn(socket.direction));
    let across = Point::new(-out.y, out.x) * (0.5 * socket.width);
    (middle - across, middle + across)
}

/// Solves for a species of which 1 enters by the first port with inflow and 0 by all others, at a Peclet number of the greatest port flow.
pub fn standard(
    chip: &Chip,
    solution: &Solution,
    peclet: f64,
    method: Standard,
) -> Result<Answer, Failure> {
    let fields = &solution.fields;
    let depth = chip.depth.unwrap_or(1.0);
    let largest = solution
        .ports
        .iter()
        .map(|p| p.flow_rate.abs() / depth)
        .fold(0.0, f64::max);
    let d = largest / peclet;
    let first = solution
        .ports
        .iter()
        .position(|p| p.flow_rate > 0.0)
        .unwrap_or_default();
    let inlets: Vec<(usize, f64)> = (0..chip.ports.len())
        .filter(|&k| solution.ports[k].flow_rate > 0.0)
        .map(|k| (k, f64::from(u8::from(k == first))))
        .collect();
    match method {
        Standard::Upwind => upwind(chip, fields, d, &inlets),
        Standard::Quartic => quartic(chip, fields, d, &inlets),
        _ => elements(chip, fields, d, &inlets, method),
    }
}

fn solve(
    n: usize,
    triplets: &[Triplet<usize, usize, f64>],
    rhs: &Mat<f64>,
) -> Result<(Vec<f64>, f64), Failure> {
    let a = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, triplets)
        .map_err(|e| format!("{e:?}"))?;
    let clock = Instant::now();
    let x = a.sp_lu().map_err(|e| format!("{e:?}"))?.solve(rhs);
    let seconds = clock.elapsed().as_secs_f64();
    Ok(((0..n).map(|i| x[(i, 0)]).collect(), seconds))
}

fn out_of_range(values: &[f64]) -> f64 {
    values
        .iter()
        .map(|&c| (-c).max(c - 1.0).max(0.0))
        .fold(0.0, f64::max)
}

fn elements(
    chip: &Chip,
    fields: &Field<2>,
    d: f64,
    inlets: &[(usize, f64)],
    method: Standard,
) -> Result<Answer, Failure> {
    let n = fields.nodes.len();
    let mut given: Vec<Option<f64>> = vec![None; n];
    for &(port, value) in inlets {
        let section = section(chip, port);
        for (k, x) in fields.nodes.iter().enumerate() {
            if is_on(section, *x) {
                given[k] = Some(value);
            }
        }
    }
    let mut unknown = vec![usize::MAX; n];
    let mut count = 0;
    for k in (0..n).filter(|&k| given[k].is_none()) {
        unknown[k] = count;
        count += 1;
    }
    let rule = simplex::<2>(6);
    let mut triplets = Vec::with_capacity(fields.cells.len() * 36);
    let mut rhs = Mat::<f64>::zeros(count, 1);
    for cell in &fields.cells {
        let x = cell.map(|k| [fields.nodes[k as usize].x, fields.nodes[k as usize].y]);
        let edge =
            |a: usize, b: usize| ((x[a][0] - x[b][0]).powi(2) + (x[a][1] - x[b][1]).powi(2)).sqrt();
        // The longest edge, halved for quadratic elements.
        let h = 0.5 * edge(0, 1).max(edge(1, 2)).max(edge(2, 0));
        let mut matrix = [[0.0; 6]; 6];
        for (l, weight) in rule.points.iter().zip(&rule.weights) {
            let point = cell_point::<2>(&x, l);
            let (g, dx) = (&point.gradients, weight * point.det_jacobian);
            let u = cell
                .iter()
                .zip(&point.values)
                .fold([0.0; 2], |u, (&k, phi)| {
                    let v = fields.velocity[k as usize];
                    [u[0] + phi * v.x, u[1] + phi * v.y]
                });
            let speed = u[0].hypot(u[1]);
            let along: [f64; 6] = std::array::from_fn(|i| u[0] * g[i][0] + u[1] * g[i][1]);
            let of_l = &point.p1_gradients;
            let dot = |a: usize, b: usize| of_l[a][0] * of_l[b][0] + of_l[a][1] * of_l[b][1];
            let laplacian = [
                4.0 * dot(0, 0),
                4.0 * dot(1, 1),
                4.0 * dot(2, 2),
                8.0 * dot(0, 1),
                8.0 * dot(1, 2),
                8.0 * dot(2, 0),
            ];
            let tau = if method == Standard::Supg && speed > 0.0 {
                let pe = 0.5 * speed * h / d;
                // coth(Pe) - 1/Pe without cancelling.
                let xi = if pe < 1e-3 {
                    pe / 3.0
                } else {
                    1.0 / pe.tanh() - 1.0 / pe
                };
                0.5 * h / speed * xi
            } else {
                0.0
            };
            for i in 0..6 {
                for j in 0..6 {
                    matrix[i][j] += dx
                        * (point.values[i] * along[j]
                            + d * (g[i][0] * g[j][0] + g[i][1] * g[j][1])
                            + tau * along[i] * (along[j] - d * laplacian[j]));
                }
            }
        }
        for i in 0..6 {
            let row = unknown[cell[i] as usize];
            if row == usize::MAX {
                continue;
            }
            for j in 0..6 {
                match given[cell[j] as usize] {
                    Some(value) => rhs[(row, 0)] -= matrix[i][j] * value,
                    None => {
                        triplets.push(Triplet::new(row, unknown[cell[j] as usize], matrix[i][j]))
                    }
                }
            }
        }
    }
    let (x, seconds) = solve(count, &triplets, &rhs)?;
    let values: Vec<f64> = (0..n)
        .map(|k| given[k].unwrap_or_else(|| x[unknown[k]]))
        .collect();
    let out_of_range = out_of_range(&values);
    Ok(Answer {
        values,
        in_cells: false,
        unknowns: count,
        seconds,
        out_of_range,
    })
}

/// Whether a point lies on the section between two.
fn is_on((a, b): (Point, Point), x: Point) -> bool {
    let (along, length) = (b - a, (b - a).norm());
    let off = (x - a).cross(along) / length;
    let at = (x - a).dot(along) / (length * length);
    off.abs() < 1e-6 * length && (-1e-6..=1.0 + 1e-6).contains(&at)
}

fn quartic(
    chip: &Chip,
    fields: &Field<2>,
    d: f64,
    inlets: &[(usize, f64)],
) -> Result<Answer, Failure> {
    const ORDER: usize = 4;
    let element = Element::new(ORDER);
    let inside = element.lattice.len() - 3 * ORDER;
    // Vertices keep their numbers; nodes of edges and those inside come behind.
    let mut count = fields.nodes.len();
    let mut edges: HashMap<(u32, u32), usize> = HashMap::new();
    let mut cells: Vec<Vec<usize>> = Vec::with_capacity(fields.cells.len());
    for cell in &fields.cells {
        let mut nodes: Vec<usize> = cell[..3].iter().map(|&n| n as usize).collect();
        for (k, (a, b)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
            let (a, b, middle) = (cell[a], cell[b], cell[3 + k] as usize);
            let first = *edges.entry((a.min(b), a.max(b))).or_insert_with(|| {
                count += 2;
                count - 2
            });
            let both = if a < b {
                [first, first + 1]
            } else {
                [first + 1, first]
            };
            nodes.extend([both[0], middle, both[1]]);
        }
        nodes.extend(count..count + inside);
        count += inside;
        cells.push(nodes);
    }
    let sections: Vec<_> = inlets.iter().map(|&(k, c)| (section(chip, k), c)).collect();
    let mut given: Vec<Option<f64>> = vec![None; count];
    let lattice: Vec<[f64; 3]> = element
        .lattice
        .iter()
        .map(|l| l.map(|i| i as f64 / ORDER as f64))
        .collect();
    for (cell, nodes) in fields.cells.iter().zip(&cells) {
        let x = cell.map(|k| fields.nodes[k as usize]);
        for (l, &node) in lattice.iter().zip(nodes) {
            let at = x[0] * l[0] + x[1] * l[1] + x[2] * l[2];
            let on = sections.iter().find(|(section, _)| is_on(*section, at));
            given[node] = on.map(|(_, value)| *value).or(given[node]);
        }
    }
    let mut unknown = vec![usize::MAX; count];
    let mut free = 0;
    for k in (0..count).filter(|&k| given[k].is_none()) {
        unknown[k] = free;
        free += 1;
    }
    let rule = simplex::<2>(2 * ORDER + 1);
    let basis: Vec<_> = rule.points.iter().map(|l| element.at(l)).collect();
    let n = element.lattice.len();
    let mut triplets = Vec::with_capacity(cells.len() * n * n);
    let mut rhs = Mat::<f64>::zeros(free, 1);
    for (cell, nodes) in fields.cells.iter().zip(&cells) {
        let x = cell.map(|k| [fields.nodes[k as usize].x, fields.nodes[k as usize].y]);
        let mut matrix = vec![0.0; n * n];
        for ((l, weight), (values, slopes)) in rule.points.iter().zip(&rule.weights).zip(&basis) {
            let point = cell_point::<2>(&x, l);
            let dx = weight * point.det_jacobian;
            let u = cell
                .iter()
                .zip(&point.values)
                .fold(Point::default(), |u, (&k, phi)| {
                    u + fields.velocity[k as usize] * *phi
                });
            let to = &point.p1_gradients;
            let g: Vec<Point> = slopes
                .iter()
                .map(|s| {
                    (0..3).fold(Point::default(), |sum, k| {
                        sum + Point::new(to[k][0], to[k][1]) * s[k]
                    })
                })
                .collect();
            for i in 0..n {
                for j in 0..n {
                    matrix[i * n + j] += dx * (values[i] * u.dot(g[j]) + d * g[i].dot(g[j]));
                }
            }
        }
        for (i, &node) in nodes.iter().enumerate() {
            let row = unknown[node];
            if row == usize::MAX {
                continue;
            }
            for (j, &other) in nodes.iter().enumerate() {
                let value = matrix[i * n + j];
                match given[other] {
                    Some(c) => rhs[(row, 0)] -= value * c,
                    None => triplets.push(Triplet::new(row, unknown[other], value)),
                }
            }
        }
    }
    let (x, seconds) = solve(free, &triplets, &rhs)?;
    let values = given
        .iter()
        .zip(&unknown)
        .map(|(c, &k)| c.unwrap_or_else(|| x[k]));
    let mut values: Vec<f64> = values.collect();
    let out_of_range = out_of_range(&values);
    values.truncate(fields.nodes.len());
    Ok(Answer {
        values,
        in_cells: false,
        unknowns: free,
        seconds,
        out_of_range,
    })
}

/// Flux out of a cell through its edge `k`, by Simpson's rule of the quadratic velocity.
fn flux(fields: &Field<2>, cell: &[u32; 6], k: usize) -> f64 {
    let [a, b, m] = [cell[k], cell[(k + 1) % 3], cell[k + 3]].map(|n| n as usize);
    let u = (fields.velocity[a] + fields.velocity[b] + fields.velocity[m] * 4.0) * (1.0 / 6.0);
    let t = fields.nodes[b] - fields.nodes[a];
    u.dot(Point::new(t.y, -t.x))
}

fn upwind(
    chip: &Chip,
    fields: &Field<2>,
    d: f64,
    inlets: &[(usize, f64)],
) -> Result<Answer, Failure> {
    let n = fields.cells.len();
    let middle = |c: usize| {
        fields.cells[c][..3]
            .iter()
            .fold(Point::default(), |s, &k| s + fields.nodes[k as usize])
            * (1.0 / 3.0)
    };
    let mut sides: BTreeMap<(u32, u32), (usize, usize)> = BTreeMap::new();
    let mut triplets = Vec::with_capacity(4 * n);
    let mut rhs = Mat::<f64>::zeros(n, 1);
    let is_wall: HashSet<(u32, u8)> = fields.walls.iter().copied().collect();
    let ends: Vec<(Point, Point, f64)> = inlets
        .iter()
        .map(|&(p, v)| {
            let (a, b) = section(chip, p);
            (a, b, v)
        })
        .collect();
    for (c, cell) in fields.cells.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (cell[k], cell[(k + 1) % 3]);
            let key = (a.min(b), a.max(b));
            let Some((other, side)) = sides.remove(&key) else {
                sides.insert(key, (c, k));
                continue;
            };
            // One flux for both cells.
            let q = 0.5 * (flux(fields, cell, k) - flux(fields, &fields.cells[other], side));
            let length = (fields.nodes[b as usize] - fields.nodes[a as usize]).norm();
            let k = d * length / (middle(c) - middle(other)).norm();
            let (from_c, from_other) = (q.max(0.0) + k, (-q).max(0.0) + k);
            triplets.push(Triplet::new(c, c, from_c));
            triplets.push(Triplet::new(c, other, -from_other));
            triplets.push(Triplet::new(other, other, from_other));
            triplets.push(Triplet::new(other, c, -from_c));
        }
    }
    for (_, (c, k)) in sides {
        if is_wall.contains(&(c as u32, k as u8)) {
            continue;
        }
        let cell = &fields.cells[c];
        let q = flux(fields, cell, k);
        let at = fields.nodes[cell[k + 3] as usize];
        if q > 0.0 {
            triplets.push(Triplet::new(c, c, q));
        } else {
            let on = |(a, b, _): &&(Point, Point, f64)| {
                ((at - *a).cross(*b - *a)).abs() < 1e-6 * (*b - *a).norm().powi(2)
            };
            rhs[(c, 0)] -= q * ends.iter().find(on).map_or(0.0, |e| e.2);
        }
    }
    let (values, seconds) = solve(n, &triplets, &rhs)?;
    let out_of_range = out_of_range(&values);
    Ok(Answer {
        values,
        in_cells: true,
        unknowns: n,
        seconds,
        out_of_range,
    })
}

/// `int u c (1 - c) / Q` over a port's section.
pub fn unmixed(chip: &Chip, solution: &Solution, answer: &Answer, port: usize) -> f64 {
    let fields = &solution.fields;
    let (a, b) = section(chip, port);
    let (along, length) = (b - a, (b - a).norm());
    let on = |p: Point| ((p - a).cross(along) / length).abs() < 1e-6 * length;
    let (mut sum, mut whole) = (0.0, 0.0);
    for (c, cell) in fields.cells.iter().enumerate() {
        for k in 0..3 {
            let [p, q, m] = [cell[k], cell[(k + 1) % 3], cell[k + 3]].map(|n| n as usize);
            if !(on(fields.nodes[p]) && on(fields.nodes[q])) {
                continue;
            }
            let t = fields.nodes[q] - fields.nodes[p];
            for (s, w) in gauss_legendre(6) {
                let basis = [
                    (1.0 - s) * (1.0 - 2.0 * s),
                    s * (2.0 * s - 1.0),
                    4.0 * s * (1.0 - s),
                ];
                let nodes = [p, q, m];
                let u = (0..3).fold(Point::default(), |u, i| {
                    u + fields.velocity[nodes[i]] * basis[i]
                });
                let v = match answer.in_cells {
                    true => answer.values[c],
                    false => (0..3).map(|i| basis[i] * answer.values[nodes[i]]).sum(),
                };
                let share = w * u.dot(Point::new(t.y, -t.x));
                sum += share * v * (1.0 - v);
                whole += share;
            }
        }
    }
    sum / whole
}
