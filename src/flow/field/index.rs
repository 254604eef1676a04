//! The cells of a solution on a grid of bins: which cell holds a point, which cells lie in a box.
//!
//! Built once a solve, about 0.1 µs a cell. Asked a few million times a second: by a pointer, streamlines, pictures, and by whoever
//! samples ([`super::Sampler`]).

use stokeslet_base::parallel;

use super::sample::{barycentric, quadratic_basis, quadratic_derivatives};
use super::{Field, Sample};
use stokeslet_base::geometry::Point;

/// How far outside a cell, in barycentric coordinates, a point still counts as inside: some thousand roundings, and far less
/// than anyone can see.
const EDGE_TOLERANCE: f64 = 1e-9;
/// Bins a cell: with two, a chip that fills a third of its box has six cells a bin.
const BINS_PER_CELL: f64 = 2.0;
/// Cells between two questions whether to stop: some milliseconds.
const PATIENCE: usize = 1 << 16;
/// An edge whose middle is this part of its length off the straight line is curved.
const STRAIGHT: f64 = 1e-7;
/// Rounding of a velocity's derivatives, over the velocity in a cell and its size.
const ROUNDING: f64 = 1e-13;

/// A place in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// Index into [`Field::cells`].
    pub cell: u32,
    /// Barycentric coordinates in the cell.
    pub xi: [f64; 3],
}

/// Cells by the bins that they touch.
#[derive(Debug, Default)]
pub struct FieldIndex {
    low: Point,
    high: Point,
    bin: f64,
    n: [usize; 2],
    /// Where each bin's cells begin in `cells`.
    first: Vec<u32>,
    /// Where those of a bin's cells end whose lower left corner is in it; they come first. Every cell is among these once.
    owned: Vec<u32>,
    cells: Vec<u32>,
    is_curved: Vec<bool>,
}

/// A box around all that counts as inside a cell: a quadratic edge lies in the hull of its ends and its Bezier control point
/// `2 m - (a + b) / 2`.
pub fn cell_box(x: &[Point; 6]) -> (Point, Point) {
    let (mut low, mut high) = (x[0], x[0]);
    let mut cover = |p: Point| {
        low = Point::new(low.x.min(p.x), low.y.min(p.y));
        high = Point::new(high.x.max(p.x), high.y.max(p.y));
    };
    for k in 0..3 {
        cover(x[k]);
        cover(x[k + 3] * 2.0 - (x[k] + x[(k + 1) % 3]) * 0.5);
    }
    let margin = EDGE_TOLERANCE * ((high.x - low.x) + (high.y - low.y));
    let margin = Point::new(margin, margin);
    (low - margin, high + margin)
}

/// The six nodes of a cell, m.
pub fn nodes_of(fields: &Field<2>, cell: usize) -> [Point; 6] {
    fields.cells[cell].map(|n| fields.nodes[n as usize])
}

fn is_curved(x: &[Point; 6]) -> bool {
    (0..3).any(|k| {
        let (a, b) = (x[k], x[(k + 1) % 3]);
        (x[k + 3] - (a + b) * 0.5).norm() > STRAIGHT * (b - a).norm()
    })
}

impl FieldIndex {
    /// Sorts the cells into bins.
    pub fn new(fields: &Field<2>) -> Self {
        Self::unless(fields, &|| false).unwrap_or_default()
    }

    /// As [`Self::new`]; `None` where `is_cancelled`, asked now and then, said so.
    pub fn unless(fields: &Field<2>, is_cancelled: &dyn Fn() -> bool) -> Option<Self> {
        let n_cells = fields.cells.len();
        if n_cells == 0 {
            return Some(Self::default());
        }
        let go_on = || (!is_cancelled()).then_some(());
        let mut boxes: Vec<(Point, Point)> = Vec::with_capacity(n_cells);
        let mut curved = Vec::with_capacity(n_cells);
        for from in (0..n_cells).step_by(PATIENCE) {
            go_on()?;
            let found = parallel::map(PATIENCE.min(n_cells - from), 1 << 12, |k| {
                let x = nodes_of(fields, from + k);
                (cell_box(&x), is_curved(&x))
            });
            for (cell, flag) in found {
                boxes.push(cell);
                curved.push(flag);
            }
        }
        let (mut low, mut high) = boxes[0];
        for (a, b) in &boxes {
            low = Point::new(low.x.min(a.x), low.y.min(a.y));
            high = Point::new(high.x.max(b.x), high.y.max(b.y));
        }
        let size = high - low;
        let longest = size.x.max(size.y).max(f64::MIN_POSITIVE);
        // Of a chip that is a line the shorter side must not make the bins endless.
        let area = (size.x * size.y).max(longest * longest / n_cells as f64);
        let bin = (area / (BINS_PER_CELL * n_cells as f64)).sqrt();
        let n = [(size.x / bin) as usize + 1, (size.y / bin) as usize + 1];
        let mut index = Self {
            low,
            high,
            bin,
            n,
            first: vec![0; n[0] * n[1] + 1],
            owned: Vec::new(),
            cells: Vec::new(),
            is_curved: curved,
        };
        let ranges = parallel::each(&boxes, 1 << 12, |(a, b)| {
            index.bins(*a, *b).map(|bin| bin as u32)
        });
        drop(boxes);
        for part in ranges.chunks(PATIENCE) {
            go_on()?;
            for range in part {
                let range = range.map(|bin| bin as usize);
                index.each_bin(range, |first, bin| first[bin + 1] += 1);
            }
        }
        for k in 1..index.first.len() {
            index.first[k] += index.first[k - 1];
        }
        let mut cells = vec![0; index.first.last().map_or(0, |&n| n as usize)];
        let mut next = index.first.clone();
        let mut put = |next: &mut [u32], bin: usize, cell: usize| {
            let at = &mut next[bin];
            cells[*at as usize] = cell as u32;
            *at += 1;
        };
        for (k, part) in ranges.chunks(PATIENCE).enumerate() {
            go_on()?;
            for (c, range) in part.iter().enumerate() {
                let [i0, _, j0, _] = range.map(|bin| bin as usize);
                put(&mut next, i0 + n[0] * j0, k * PATIENCE + c);
            }
        }
        index.owned = next[..n[0] * n[1]].to_vec();
        for (k, part) in ranges.chunks(PATIENCE).enumerate() {
            go_on()?;
            for (c, range) in part.iter().enumerate() {
                let [i0, i1, j0, j1] = range.map(|bin| bin as usize);
                for j in j0..=j1 {
                    for i in i0..=i1 {
                        if (i, j) != (i0, j0) {
                            put(&mut next, i + n[0] * j, k * PATIENCE + c);
                        }
                    }
                }
            }
        }
        index.cells = cells;
        Some(index)
    }

    /// The box around all cells, m.
    pub fn extent(&self) -> (Point, Point) {
        (self.low, self.high)
    }

    /// Whether an edge of the cell is curved.
    pub fn is_curved(&self, cell: usize) -> bool {
        self.is_curved[cell]
    }

    /// The place of a point among the cells; `None` outside the flow.
    pub fn locate(&self, fields: &Field<2>, p: Point) -> Option<Located> {
        let inside =
            p.x >= self.low.x && p.x <= self.high.x && p.y >= self.low.y && p.y <= self.high.y;
        if !inside || self.first.is_empty() {
            return None;
        }
        let [i, _, j, _] = self.bins(p, p);
        let bin = i + self.n[0] * j;
        let (from, to) = (self.first[bin] as usize, self.first[bin + 1] as usize);
        let mut best: Option<Located> = None;
        for &cell in &self.cells[from..to] {
            let Some(xi) = self.place_in(fields, cell as usize, p) else {
                continue;
            };
            if least(&xi) > EDGE_TOLERANCE {
                return Some(Located { cell, xi });
            }
            if least(&xi) >= -EDGE_TOLERANCE && best.is_none_or(|b| least(&b.xi) < least(&xi)) {
                best = Some(Located { cell, xi });
            }
        }
        best
    }

    /// As [`Self::locate`], trying a cell first that may hold the point.
    pub fn locate_from(&self, fields: &Field<2>, p: Point, hint: u32) -> Option<Located> {
        if (hint as usize) < fields.cells.len()
            && let Some(xi) = self.place_in(fields, hint as usize, p)
            && least(&xi) >= 0.0
        {
            return Some(Located { cell: hint, xi });
        }
        self.locate(fields, p)
    }

    /// The fields at a point; `None` outside the flow.
    pub fn at(&self, fields: &Field<2>, p: Point) -> Option<Sample> {
        let Located { cell, xi } = self.locate(fields, p)?;
        let nodes = fields.cells[cell as usize];
        Some(Sample {
            velocity: velocity(fields, cell as usize, &xi),
            gradient: gradient(fields, cell as usize, &xi),
            pressure: (0..3)
                .map(|k| xi[k] * fields.pressure[nodes[k] as usize])
                .sum(),
            part: fields.part.get(cell as usize).copied().unwrap_or_default(),
        })
    }

    /// The value at a point of a scalar given at the nodes; `None` outside the flow.
    pub fn value(&self, fields: &Field<2>, p: Point, nodal: &[f64]) -> Option<f64> {
        let Located { cell, xi } = self.locate(fields, p)?;
        let nodes = fields.cells.get(cell as usize)?;
        let terms = nodes.iter().zip(quadratic_basis(xi));
        terms
            .map(|(&n, phi)| Some(nodal.get(n as usize)? * phi))
            .sum()
    }

    /// Calls `visit` once with every cell whose bins meet the box; the box may be empty.
    pub fn for_cells_in(
        &self,
        fields: &Field<2>,
        low: Point,
        high: Point,
        mut visit: impl FnMut(usize, &[Point; 6]),
    ) {
        let misses = high.x < self.low.x
            || low.x > self.high.x
            || high.y < self.low.y
            || low.y > self.high.y;
        if misses || self.first.is_empty() {
            return;
        }
        let [i0, i1, j0, j1] = self.bins(low, high);
        for j in j0..=j1 {
            for i in i0..=i1 {
                let bin = i + self.n[0] * j;
                let from = self.first[bin] as usize;
                // A cell is in several bins: the first one seen speaks for it. Behind the first row and column that is its own.
                if i > i0 && j > j0 {
                    for &cell in &self.cells[from..self.owned[bin] as usize] {
                        visit(cell as usize, &nodes_of(fields, cell as usize));
                    }
                    continue;
                }
                for &cell in &self.cells[from..self.first[bin + 1] as usize] {
                    let x = nodes_of(fields, cell as usize);
                    let (a, b) = cell_box(&x);
                    let [ci, _, cj, _] = self.bins(a, b);
                    if (ci.max(i0), cj.max(j0)) == (i, j) {
                        visit(cell as usize, &x);
                    }
                }
            }
        }
    }

    fn place_in(&self, fields: &Field<2>, cell: usize, p: Point) -> Option<[f64; 3]> {
        if self.is_curved[cell] {
            // Most cells of a bin don't hold the point; Newton's method would find out last.
            let x = nodes_of(fields, cell);
            let (low, high) = cell_box(&x);
            let is_near = p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y;
            return is_near.then(|| barycentric(&x, p)).flatten();
        }
        let v = fields.cells[cell];
        let [a, b, c] = [0, 1, 2].map(|k| fields.nodes[v[k] as usize]);
        let (e, f, g) = (b - a, c - a, p - a);
        let det = e.cross(f);
        let (s, t) = (g.cross(f) / det, e.cross(g) / det);
        let found = [1.0 - s - t, s, t];
        found[0].is_finite().then_some(found)
    }

    /// First and last bin in x, first and last in y; of what lies outside the nearest.
    fn bins(&self, low: Point, high: Point) -> [usize; 4] {
        // A negative float becomes 0.
        let at = |x: f64, low: f64, n: usize| (((x - low) / self.bin) as usize).min(n - 1);
        [
            at(low.x, self.low.x, self.n[0]),
            at(high.x, self.low.x, self.n[0]),
            at(low.y, self.low.y, self.n[1]),
            at(high.y, self.low.y, self.n[1]),
        ]
    }

    fn each_bin(&mut self, [i0, i1, j0, j1]: [usize; 4], mut act: impl FnMut(&mut [u32], usize)) {
        for j in j0..=j1 {
            for i in i0..=i1 {
                act(&mut self.first, i + self.n[0] * j);
            }
        }
    }
}

/// The velocity at a place of a cell, m/s.
pub fn velocity(fields: &Field<2>, cell: usize, xi: &[f64; 3]) -> Point {
    let basis = quadratic_basis(*xi);
    fields.cells[cell]
        .iter()
        .zip(basis)
        .fold(Point::default(), |sum, (&n, phi)| {
            sum + fields.velocity[n as usize] * phi
        })
}

/// Derivatives of the velocity at a place of a cell, 1/s: row i, column k is that of component i along axis k. What is only rounding is 0.
pub fn gradient(fields: &Field<2>, cell: usize, xi: &[f64; 3]) -> [[f64; 2]; 2] {
    let (mut jacobian, mut by_reference) = ([[0.0; 2]; 2], [[0.0; 2]; 2]);
    for (&n, basis) in fields.cells[cell].iter().zip(quadratic_derivatives(*xi)) {
        let (x, u) = (fields.nodes[n as usize], fields.velocity[n as usize]);
        for k in 0..2 {
            jacobian[0][k] += x.x * basis[k];
            jacobian[1][k] += x.y * basis[k];
            by_reference[0][k] += u.x * basis[k];
            by_reference[1][k] += u.y * basis[k];
        }
    }
    let [[a, b], [c, d]] = jacobian;
    let inverse = [[d, -b], [-c, a]].map(|row| row.map(|x| x / (a * d - b * c)));
    let largest = |rows: [[f64; 2]; 2]| {
        rows.as_flattened()
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()))
    };
    let speeds = fields.cells[cell].map(|n| fields.velocity[n as usize].norm());
    let rounding = ROUNDING * speeds.into_iter().fold(0.0, f64::max) * largest(inverse);
    by_reference.map(|[p, q]| {
        [0, 1].map(|k| {
            let slope = p * inverse[0][k] + q * inverse[1][k];
            if slope.abs() > rounding { slope } else { 0.0 }
        })
    })
}

fn least(l: &[f64; 3]) -> f64 {
    l[0].min(l[1]).min(l[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_an_index_that_was_cancelled() {
        let at = |x: f64, y: f64| Point::new(x, y);
        let fields = Field::<2> {
            nodes: vec![
                at(0.0, 0.0),
                at(1.0, 0.0),
                at(0.0, 1.0),
                at(0.5, 0.0),
                at(0.5, 0.5),
                at(0.0, 0.5),
            ],
            cells: vec![[0, 1, 2, 3, 4, 5]],
            ..Field::<2>::default()
        };
        assert!(FieldIndex::unless(&fields, &|| true).is_none());
        let index = FieldIndex::unless(&fields, &|| false).expect("nobody cancels");
        assert_eq!(index.extent(), FieldIndex::new(&fields).extent());
    }

    #[test]
    fn no_cells_hold_no_point() {
        let index = FieldIndex::new(&Field::<2>::default());
        assert!(
            index
                .locate(&Field::<2>::default(), Point::default())
                .is_none()
        );
    }
}
