//! P1 and P2 Lagrange bases on the reference simplex, and the map that P2 nodes define (curved edges included).
//!
//! ```text
//! D = 2   vertices 0 1 2, then edges 01 12 20                     (VTK's quadratic triangle)
//! D = 3   vertices 0 1 2 3, then edges 01 12 20 03 13 23          (VTK's quadratic tetrahedron)
//! ```
//! Points are given by barycentric coordinates `l[0..=D]`, so that nothing depends on a choice of axes.

/// Edges of the simplex in the order of their P2 nodes.
pub const fn edges<const D: usize>() -> &'static [(usize, usize)] {
    const ALL: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];
    match D {
        2 => ALL.split_at(3).0,
        _ => &ALL,
    }
}

/// P2 nodes of a cell: vertices, then edges.
pub const fn n_nodes<const D: usize>() -> usize {
    (D + 1) * (D + 2) / 2
}

/// Vertices of a facet: of a triangle facet k runs from vertex k to vertex k+1, of a tetrahedron it lies opposite vertex k.
pub fn facet_vertices<const D: usize>(facet: usize) -> Vec<usize> {
    let opposite = opposite_vertex::<D>(facet);
    (0..=D).filter(|&v| v != opposite).collect()
}

/// The vertex that isn't on a facet.
pub const fn opposite_vertex<const D: usize>(facet: usize) -> usize {
    match D {
        2 => (facet + 2) % 3,
        _ => facet,
    }
}

/// P2 nodes of a facet, vertices first.
pub fn facet_nodes<const D: usize>(facet: usize) -> Vec<usize> {
    let mut nodes = facet_vertices::<D>(facet);
    let edges = edges::<D>().iter().enumerate();
    let on_facet = edges.filter(|(_, (a, b))| nodes.contains(a) && nodes.contains(b));
    let middles: Vec<usize> = on_facet.map(|(e, _)| D + 1 + e).collect();
    nodes.extend(middles);
    nodes
}

/// P2 basis functions at barycentric coordinates `l`.
///
/// # Shapes and units
/// - `l`: D+1 numbers that add to one; returns [`n_nodes`] values
pub fn p2<const D: usize>(l: &[f64]) -> Vec<f64> {
    let vertices = l[..=D].iter().map(|&v| v * (2.0 * v - 1.0));
    vertices
        .chain(edges::<D>().iter().map(|&(a, b)| 4.0 * l[a] * l[b]))
        .collect()
}

/// Derivatives of the P2 basis with respect to the reference coordinates `xi_k = l[k+1]`.
///
/// # Shapes and units
/// - returns [`n_nodes`] rows of D derivatives
pub fn p2_gradient<const D: usize>(l: &[f64]) -> Vec<[f64; D]> {
    let by_xi = |by_l: &dyn Fn(usize) -> f64| -> [f64; D] {
        std::array::from_fn(|k| by_l(k + 1) - by_l(0))
    };
    let mut rows = Vec::with_capacity(n_nodes::<D>());
    for (v, &at) in l[..=D].iter().enumerate() {
        rows.push(by_xi(&|i| if i == v { 4.0 * at - 1.0 } else { 0.0 }));
    }
    for &(a, b) in edges::<D>() {
        rows.push(by_xi(&|i| {
            4.0 * (f64::from(i == a) * l[b] + f64::from(i == b) * l[a])
        }));
    }
    rows
}

/// The P2 basis with gradients in the frame of the cell's nodes, at one quadrature point.
#[derive(Clone, Debug)]
pub struct CellPoint<const D: usize> {
    /// Where the point lies.
    pub position: [f64; D],
    /// Determinant of the Jacobian of the map from the reference simplex.
    pub det_jacobian: f64,
    /// P2 basis values.
    pub values: Vec<f64>,
    /// P2 basis gradients.
    pub gradients: Vec<[f64; D]>,
    /// P1 gradients (of the vertices' barycentric coordinates).
    pub p1_gradients: Vec<[f64; D]>,
}

/// Evaluates the isoparametric P2 map of a cell.
///
/// # Shapes and units
/// - `nodes`: [`n_nodes`] positions in the order of [`edges`]; `l`: barycentric coordinates
pub fn cell_point<const D: usize>(nodes: &[[f64; D]], l: &[f64]) -> CellPoint<D> {
    let values = p2::<D>(l);
    let reference = p2_gradient::<D>(l);
    let mut position = [0.0; D];
    let mut jacobian = [[0.0; D]; D]; // jacobian[i][k] = d x_i / d xi_k
    for (n, x) in nodes.iter().enumerate() {
        for i in 0..D {
            position[i] += values[n] * x[i];
            for k in 0..D {
                jacobian[i][k] += x[i] * reference[n][k];
            }
        }
    }
    let (det_jacobian, inverse) = invert(&jacobian);
    let to_space = |g: &[f64; D]| -> [f64; D] {
        std::array::from_fn(|i| (0..D).map(|k| g[k] * inverse[k][i]).sum())
    };
    let p1_gradients = (0..=D)
        .map(|v| {
            to_space(&std::array::from_fn(|k| {
                f64::from(v == k + 1) - f64::from(v == 0)
            }))
        })
        .collect();
    CellPoint {
        position,
        det_jacobian,
        values,
        gradients: reference.iter().map(to_space).collect(),
        p1_gradients,
    }
}

/// Determinant and inverse of a 2 x 2 or 3 x 3 matrix.
pub(crate) fn invert<const D: usize>(m: &[[f64; D]; D]) -> (f64, [[f64; D]; D]) {
    let mut inverse = [[0.0; D]; D];
    if D == 2 {
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        inverse[0][0] = m[1][1] / det;
        inverse[0][1] = -m[0][1] / det;
        inverse[1][0] = -m[1][0] / det;
        inverse[1][1] = m[0][0] / det;
        return (det, inverse);
    }
    let cofactor = |i: usize, j: usize| {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        let (c, d) = ((j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum::<f64>();
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = cofactor(j, i) / det;
        }
    }
    (det, inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodality<const D: usize>() {
        let mut nodes: Vec<Vec<f64>> = (0..=D)
            .map(|v| (0..=D).map(|i| f64::from(i == v)).collect())
            .collect();
        nodes.extend(edges::<D>().iter().map(|&(a, b)| {
            (0..=D)
                .map(|i| 0.5 * f64::from(i == a || i == b))
                .collect::<Vec<_>>()
        }));
        for (i, l) in nodes.iter().enumerate() {
            for (j, v) in p2::<D>(l).iter().enumerate() {
                assert_eq!(*v, f64::from(i == j), "phi_{j} at node {i}");
            }
        }
        let l: Vec<f64> = (0..=D).map(|i| [0.4, 0.3, 0.2, 0.1][i]).collect();
        let sum: f64 = l.iter().sum();
        let l: Vec<f64> = l.iter().map(|v| v / sum).collect();
        assert!(
            (p2::<D>(&l).iter().sum::<f64>() - 1.0).abs() < 1e-15,
            "partition of unity"
        );
        for k in 0..D {
            assert!(
                p2_gradient::<D>(&l).iter().map(|g| g[k]).sum::<f64>().abs() < 1e-15,
                "gradients of a constant vanish"
            );
        }
    }

    #[test]
    fn p2_is_nodal_and_a_partition_of_unity() {
        nodality::<2>();
        nodality::<3>();
    }

    #[test]
    fn gradients_differentiate_the_coordinates() {
        let nodes = [
            [0.0, 0.0],
            [2.0, 0.3],
            [0.4, 1.5],
            [1.1, 0.1],
            [1.2, 1.0],
            [0.1, 0.7],
        ];
        let point = cell_point::<2>(&nodes, &[0.2, 0.5, 0.3]);
        for i in 0..2 {
            for k in 0..2 {
                let d: f64 = nodes
                    .iter()
                    .zip(&point.gradients)
                    .map(|(x, g)| x[i] * g[k])
                    .sum();
                assert!(
                    (d - f64::from(i == k)).abs() < 1e-14,
                    "d x_{i} / d x_{k} on a curved cell"
                );
            }
        }
    }
}
