//! Residuals in twice the precision, for chips so long that rounding pressures hides the flow.
//!
//! Over a pipe of N widths pressure falls by about 12 N times what it does over a width, so a pressure that is known to 1e-16 tells the
//! flow of a slice to 1e-16 * 12 N only, and no vector of doubles has a smaller residual. So unknowns are kept as sums of two, and
//! products and sums are carried with what rounding them lost: the same factors then refine as far as ever.
//!
//! # Source
//! - Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971): sums and products with their errors.
//! - Demmel, Hida, Kahan, Li, Mukherjee, Riedy, "Error bounds from extra-precise iterative refinement", ACM Trans. Math. Software 32 (2006).

use stokeslet_base::parallel;

use super::{ChipVector, Chunk, IsCancelled, LocalVectors, shared_squares};
use crate::stokes::system::System;
use stokeslet_fronts::NOWHERE;
use stokeslet_fronts::tree::gather;

/// A number as the sum of two doubles, the second what the first lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Twice {
    high: f64,
    low: f64,
}

impl Twice {
    fn add(&mut self, x: f64) {
        let (sum, lost) = sum(self.high, x);
        self.high = sum;
        self.low += lost;
    }

    /// Adds `a (x + rest)`, where `rest` is what `x` lacks.
    fn add_product(&mut self, a: f64, x: f64, rest: f64) {
        let product = a * x;
        self.add(product);
        self.low += a.mul_add(x, -product) + a * rest;
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// A sum and what rounding took from it.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Adds `d` to `x + rest`.
pub fn add(x: &mut ChipVector, rest: &mut ChipVector, d: &ChipVector) {
    let add = |x: &mut [f64], rest: &mut [f64], d: &[f64]| {
        for ((x, rest), d) in x.iter_mut().zip(rest).zip(d) {
            let (high, lost) = sum(*x, *d);
            (*x, *rest) = sum(high, *rest + lost);
        }
    };
    add(&mut x.shared, &mut rest.shared, &d.shared);
    add(&mut x.local, &mut rest.local, &d.local);
}

impl LocalVectors {
    /// `loads - A (x + rest)`, rounded once. Boundaries of local vectors are made to follow shared unknowns first.
    ///
    /// # Shapes and units
    /// - `loads.local` may be empty, where nothing acts inside parts
    /// # Accuracy and cost
    /// As if every number had 106 bits; about twenty times the work of [`Self::subtract_product`], and 16 bytes an unknown of the
    /// largest part for every thread.
    pub fn residual_in_twice<const D: usize>(
        &self,
        system: &System<D>,
        [x, rest]: [&mut ChipVector; 2],
        loads: &ChipVector,
        is_cancelled: IsCancelled<'_>,
    ) -> ChipVector {
        self.follow(system, x, rest);
        let (x, rest) = (&*x, &*rest);
        let mut out = ChipVector {
            shared: Vec::new(),
            local: vec![0.0; self.n],
        };
        let chunks = self.chunks(&mut out.local);
        let boundaries = parallel::map_owned(chunks, |mut chunk| {
            if is_cancelled() {
                return Vec::new();
            }
            let from = self.first[chunk.instances[0] as usize];
            let own = from..from + chunk.local.len();
            let of = |state: &ChipVector| state.local.get(own.clone()).map(<[f64]>::to_vec);
            let loads = of(loads).unwrap_or_default();
            chunk.residual(system, [&x.local[own.clone()], &rest.local[own]], &loads)
        });
        if is_cancelled() {
            out.shared = vec![0.0; loads.shared.len()];
            return out;
        }
        let mut shared = vec![Twice::default(); loads.shared.len()];
        for (sum, load) in shared.iter_mut().zip(&loads.shared) {
            sum.add(*load);
        }
        let mut parts = boundaries.iter().flatten();
        for span in self.spans() {
            for &instance in span.instances {
                for image in &system.instances[instance as usize].boundary {
                    let Some(part) = parts.next() else { continue };
                    if image.to != NOWHERE {
                        shared[image.to as usize].add_product(image.factor, part.high, part.low);
                    }
                }
            }
        }
        out.shared = shared.into_iter().map(Twice::value).collect();
        out
    }

    /// Norms of the momentum and continuity rows of a residual on all free unknowns.
    pub fn norms<const D: usize>(&self, system: &System<D>, residual: &ChipVector) -> [f64; 2] {
        let mut squares = shared_squares(system, &residual.shared);
        for group in &self.groups {
            let layout = &group.layout;
            let n = layout.tree.n;
            let all = &residual.local[group.first..][..n * group.instances.len()];
            for local_vector in all.chunks(n.max(1)) {
                let inside = local_vector
                    .iter()
                    .zip(&layout.is_pressure)
                    .skip(layout.tree.n_boundary);
                for (v, &is_pressure) in inside {
                    squares[usize::from(is_pressure)] += v * v;
                }
            }
        }
        squares.map(f64::sqrt)
    }

    /// Sets the boundaries of all local vectors from shared unknowns, to the last bit of the sum.
    fn follow<const D: usize>(
        &self,
        system: &System<D>,
        x: &mut ChipVector,
        rest: &mut ChipVector,
    ) {
        for (k, instance) in system.instances.iter().enumerate() {
            for (i, image) in instance.boundary.iter().enumerate() {
                let at = self.first[k] + i;
                let mut value = Twice::default();
                if image.to != NOWHERE {
                    let to = image.to as usize;
                    value.add_product(image.factor, x.shared[to], rest.shared[to]);
                }
                (x.local[at], rest.local[at]) = sum(value.high, value.low);
            }
        }
    }
}

impl Chunk<'_, '_> {
    /// Fills the insides of its local vectors with `loads - A (x + rest)`; returns what is left on boundaries, copy by copy.
    fn residual<const D: usize>(
        &mut self,
        system: &System<D>,
        [x, rest]: [&[f64]; 2],
        loads: &[f64],
    ) -> Vec<Twice> {
        let layout = &self.group.layout;
        let (n, n_boundary) = (layout.tree.n, layout.tree.n_boundary);
        let mut boundaries = Vec::with_capacity(n_boundary * self.instances.len());
        let mut left = vec![Twice::default(); n];
        let (mut of_leaf, mut rest_of_leaf, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for (copy, out) in self.local.chunks_mut(n.max(1)).enumerate() {
            let own = copy * n..(copy + 1) * n;
            left.fill(Twice::default());
            for (sum, load) in left
                .iter_mut()
                .zip(loads.get(own.clone()).unwrap_or_default())
            {
                sum.add(*load);
            }
            for patch in layout.patches.iter() {
                let leaf = system.leaf(self.group.piece, patch);
                let size = leaf.moves.len();
                of_leaf.resize(size, 0.0);
                rest_of_leaf.resize(size, 0.0);
                gather(&patch.unknowns, &x[own.clone()], &mut of_leaf);
                gather(&patch.unknowns, &rest[own.clone()], &mut rest_of_leaf);
                y.clear();
                y.resize(size, Twice::default());
                for i in 0..size {
                    for (j, v) in leaf.rows().row(i) {
                        y[i].add_product(-v, of_leaf[j], rest_of_leaf[j]);
                        if j != i {
                            y[j].add_product(-v, of_leaf[i], rest_of_leaf[i]);
                        }
                    }
                }
                let mut parts = y.iter();
                for range in &patch.unknowns {
                    let to = range.start as usize;
                    for (k, part) in parts.by_ref().take(range.len as usize).enumerate() {
                        if range.start != NOWHERE {
                            left[to + k].add_product(range.factor, part.high, part.low);
                        }
                    }
                }
            }
            boundaries.extend_from_slice(&left[..n_boundary]);
            for (out, left) in out.iter_mut().zip(&left).skip(n_boundary) {
                *out = left.value();
            }
        }
        boundaries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_keep_what_doubles_lose() {
        let mut x = Twice::default();
        x.add(1.0);
        x.add(1e-20);
        x.add(-1.0);
        assert_eq!(x.value(), 1e-20);
        // (1 + e) (1 - e) = 1 - e^2, of which doubles see 1.
        let e = 2f64.powi(-30);
        let mut y = Twice::default();
        y.add_product(1.0 + e, 1.0 - e, 0.0);
        y.add(-1.0);
        assert_eq!(y.value(), -e * e);
        let mut z = Twice::default();
        z.add_product(3.0, 1.0, 1e-18);
        z.add(-3.0);
        assert!((z.value() - 3e-18).abs() < 1e-32);
    }
}
