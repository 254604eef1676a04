//! Lagrange elements of any order on triangles, and the numbering of their nodes over the cells of a region.
//!
//! ```text
//! order 3   2          vertices 0 1 2, then the nodes of edges 01, 12, 20 from the first vertex to the second, then those inside
//!           7 6
//!           8 9 5
//!           0 3 4 1
//! ```

use rustc_hash::FxHashMap;

use crate::network::Region;
use crate::psi::Psi;

/// The Lagrange basis of one order on equally spaced nodes; orders to 5 are well conditioned.
#[derive(Clone, Debug)]
pub struct Element {
    /// Degree of its polynomials, at least 1.
    pub order: usize,
    /// Barycentric places of its nodes, times the order.
    pub lattice: Vec<[usize; 3]>,
}

impl Element {
    /// The element of an order.
    pub fn new(order: usize) -> Self {
        let k = order;
        let mut lattice = vec![[k, 0, 0], [0, k, 0], [0, 0, k]];
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            for j in 1..k {
                let mut at = [0; 3];
                at[a] = k - j;
                at[b] = j;
                lattice.push(at);
            }
        }
        for j in 1..k {
            for i in 1..k - j {
                lattice.push([k - i - j, i, j]);
            }
        }
        Self { order, lattice }
    }

    /// Values of the basis at barycentric coordinates, and derivatives by each of the three.
    pub fn at(&self, l: &[f64]) -> (Vec<f64>, Vec<[f64; 3]>) {
        // Silvester's factors: P_i(x) = prod_{m < i} (k x - m) / (m + 1), with their derivatives.
        let k = self.order as f64;
        let factors: Vec<Vec<[f64; 2]>> = l[..3]
            .iter()
            .map(|&x| {
                let mut list = vec![[1.0, 0.0]];
                for m in 0..self.order {
                    let [p, d] = list[m];
                    let (f, scale) = (k * x - m as f64, 1.0 / (m + 1) as f64);
                    list.push([p * f * scale, (d * f + p * k) * scale]);
                }
                list
            })
            .collect();
        let mut values = Vec::with_capacity(self.lattice.len());
        let mut slopes = Vec::with_capacity(self.lattice.len());
        for &[a, b, c] in &self.lattice {
            let (p, q, r) = (factors[0][a], factors[1][b], factors[2][c]);
            values.push(p[0] * q[0] * r[0]);
            slopes.push([p[1] * q[0] * r[0], p[0] * q[1] * r[0], p[0] * q[0] * r[1]]);
        }
        (values, slopes)
    }
}

/// Nodes of one order over a region's cells.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// How many.
    pub count: usize,
    /// Nodes of every cell, in the element's order.
    pub cells: Vec<Vec<u32>>,
    /// Those of every socket counter-clockwise about the region, with their places 0..1.
    pub sockets: Vec<Vec<(u32, f64)>>,
    /// Those on the rim: node, psi there. On sockets psi is that of the developed profile, to be put in by the caller.
    pub walls: Vec<(u32, f64)>,
}

impl Numbering {
    /// Numbers the nodes of a region.
    pub fn new(region: &Region, psi: &Psi, order: usize) -> Self {
        let element = Element::new(order);
        let inner = element.lattice.len() - 3 * order;
        let mut count = 0_u32;
        let mut vertex: FxHashMap<u32, u32> = FxHashMap::default();
        let mut edge: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut take = |n: u32| {
            count += n;
            count - n
        };
        let mut cells = Vec::with_capacity(psi.cells.len());
        for cell in &psi.cells {
            let mut nodes = Vec::with_capacity(element.lattice.len());
            for v in &cell[..3] {
                nodes.push(*vertex.entry(*v).or_insert_with(|| take(1)));
            }
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let (a, b) = (cell[a], cell[b]);
                let n = order as u32 - 1;
                let first = *edge.entry((a.min(b), a.max(b))).or_insert_with(|| take(n));
                nodes.extend((0..n).map(|j| first + if a < b { j } else { n - 1 - j }));
            }
            let first = take(inner as u32);
            nodes.extend(first..first + inner as u32);
            cells.push(nodes);
        }
        let local: FxHashMap<u32, u32> = (0u32..).zip(&psi.nodes).map(|(k, &n)| (n, k)).collect();
        // Nodes along an edge of the rim, without its end.
        let along = |a: u32, b: u32| {
            let n = order as u32 - 1;
            let first = edge.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();
            let inside = (0..n).map(move |j| first + if a < b { j } else { n - 1 - j });
            std::iter::once(vertex[&a]).chain(inside)
        };
        let mut sockets = Vec::new();
        for socket in &region.sockets {
            let mut nodes = Vec::new();
            for three in socket.nodes.windows(3).step_by(2) {
                let [a, b] = [three[0], three[2]];
                for (j, n) in along(local[&a.0], local[&b.0]).enumerate() {
                    nodes.push((n, a.1 + (b.1 - a.1) * j as f64 / order as f64));
                }
            }
            if let Some(&(n, t)) = socket.nodes.last() {
                nodes.push((vertex[&local[&n]], t));
            }
            sockets.push(nodes);
        }
        let open: rustc_hash::FxHashSet<u32> = region
            .sockets
            .iter()
            .flat_map(|m| m.nodes.iter().skip(1).step_by(2))
            .map(|n| n.0)
            .collect();
        let mut walls = Vec::new();
        for rim in &region.loops {
            for e in 0..rim.len() / 2 {
                if open.contains(&rim[2 * e + 1]) {
                    continue;
                }
                let (a, b) = (local[&rim[2 * e]], local[&rim[(2 * e + 2) % rim.len()]]);
                let s = psi.value[local[&rim[2 * e + 1]] as usize];
                walls.extend(along(a, b).chain([vertex[&b]]).map(|n| (n, s)));
            }
        }
        Self {
            count: count as usize,
            cells,
            sockets,
            walls,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_nodal_sum_to_one_and_differentiate_powers() {
        for order in 1..=5 {
            let element = Element::new(order);
            let k = order as f64;
            let place = |at: &[usize; 3]| at.map(|i| i as f64 / k);
            for (i, at) in element.lattice.iter().enumerate() {
                for (j, value) in element.at(&place(at)).0.iter().enumerate() {
                    assert!(
                        (value - f64::from(u8::from(i == j))).abs() < 1e-12,
                        "order {order}, {j} at node {i}"
                    );
                }
            }
            let l = [0.31, 0.22, 0.47];
            let (values, slopes) = element.at(&l);
            assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            // x^k with x = l1: its derivative along xi is k x^(k-1).
            let (mut value, mut slope) = (0.0, 0.0);
            for (n, at) in element.lattice.iter().enumerate() {
                let x = place(at)[1].powi(order as i32);
                value += x * values[n];
                slope += x * (slopes[n][1] - slopes[n][0]);
            }
            assert!(
                (value - l[1].powi(order as i32)).abs() < 1e-13,
                "order {order}"
            );
            assert!(
                (slope - k * l[1].powi(order as i32 - 1)).abs() < 1e-12,
                "order {order}"
            );
        }
    }
}
