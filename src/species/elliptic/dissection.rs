//! Systems of dense blocks eliminated by nested dissection.
//!
//! ```text
//! blocks --halved across the longer side of their box--> few blocks: added up, and what only they have is eliminated
//!                                                                |
//! both halves: added up, and what nobody else has is eliminated <-+--> ... --> what is kept
//! ```
//! Rows are exchanged within a front only. That is safe for advection and diffusion: functions on what is eliminated vanish on the rest, so that
//! the advection is skew there, and the symmetric part of every pivotal block is that of diffusion, which is positive definite.
//!
//! Source: George, SIAM J. Numer. Anal. 10 (1973); Duff, Reid, SIAM J. Sci. Stat. Comput. 5 (1984).

use faer::{Mat, MatRef};
use stokeslet_fronts::algebra::{Lu, add_product, product};

use stokeslet_base::geometry::Point;

/// Blocks are added up before anything is eliminated until they have so many unknowns, those in common counted twice.
const LEAF: usize = 64;
/// Halves of more blocks than this are eliminated side by side.
const APART: usize = 64;

/// A dense block of a system.
#[derive(Clone, Debug)]
pub struct Block {
    /// Unknowns of its rows and columns, each once.
    pub unknowns: Vec<u32>,
    /// What it adds to the system.
    pub values: Mat<f64>,
    /// Where it is: neighbours in space are eliminated together.
    pub at: Point,
}

/// A system from which all but some unknowns are eliminated.
#[derive(Debug)]
pub struct Eliminated {
    /// What was eliminated.
    pub fronts: Fronts,
    /// The matrix that is left, in the order of the kept unknowns.
    pub kept: Mat<f64>,
}

/// All that was eliminated, to be had back from what was kept.
#[derive(Debug)]
pub struct Fronts(Front);

/// Unknowns that were eliminated together: `x = given - on_rest x_rest`.
#[derive(Debug)]
struct Front {
    unknowns: Vec<u32>,
    rest: Vec<u32>,
    given: Mat<f64>,
    on_rest: Mat<f64>,
    halves: Vec<Front>,
}

/// What a front leaves to those above.
struct Left {
    /// In rising order, with how many blocks have had them.
    unknowns: Vec<(u32, u32)>,
    matrix: Mat<f64>,
    rhs: Vec<f64>,
}

struct System<'a> {
    blocks: &'a [Block],
    rhs: &'a [f64],
    /// By unknown: how many blocks have it.
    uses: Vec<u32>,
    /// Unknowns from here on are kept.
    kept_from: u32,
}

/// Eliminates the unknowns below `kept_from` of the sum of `blocks`.
///
/// # Shapes
/// - `rhs`: one a row; what is given on kept ones isn't used
/// # Requires
/// Every unknown is one of a block.
/// # Errors
/// `None` where a pivotal block is singular.
/// # Accuracy and cost
/// As an LU factorisation of the whole without exchanges between fronts. On the plane `O(n^1.5)` operations and `O(n log n)` numbers.
pub fn eliminate(blocks: &[Block], rhs: &[f64], kept_from: usize) -> Option<Eliminated> {
    let mut uses = vec![0; rhs.len()];
    for &k in blocks.iter().flat_map(|b| &b.unknowns) {
        uses[k as usize] += 1;
    }
    let kept_from = u32::try_from(kept_from).ok()?;
    let system = System {
        blocks,
        rhs,
        uses,
        kept_from,
    };
    let mut order: Vec<u32> = (0..u32::try_from(blocks.len()).ok()?).collect();
    let (root, left) = system.front(&mut order)?;
    let is_whole = left.unknowns.len() + kept_from as usize == rhs.len();
    let is_finite = left
        .matrix
        .col_iter()
        .all(|c| c.iter().all(|x| x.is_finite()));
    (is_whole && is_finite).then_some(Eliminated {
        fronts: Fronts(root),
        kept: left.matrix,
    })
}

impl Fronts {
    /// All unknowns from those that were kept; `None` where one isn't finite.
    pub fn solve(&self, kept: &[f64]) -> Option<Vec<f64>> {
        let mut x = vec![0.0; self.0.count() + kept.len()];
        let from = x.len() - kept.len();
        x[from..].copy_from_slice(kept);
        self.0.solve(&mut x);
        x.iter().all(|x| x.is_finite()).then_some(x)
    }

    /// How many numbers these are.
    pub fn numbers(&self) -> usize {
        self.0.numbers()
    }
}

impl Front {
    fn count(&self) -> usize {
        self.unknowns.len() + self.halves.iter().map(Front::count).sum::<usize>()
    }

    fn numbers(&self) -> usize {
        let halves = self.halves.iter().map(Front::numbers).sum::<usize>();
        self.unknowns.len() * (1 + self.rest.len()) + halves
    }

    fn solve(&self, x: &mut [f64]) {
        let rest = Mat::from_fn(self.rest.len(), 1, |i, _| x[self.rest[i] as usize]);
        let own = &self.given - product(self.on_rest.as_ref(), rest.as_ref());
        for (i, &k) in self.unknowns.iter().enumerate() {
            x[k as usize] = own[(i, 0)];
        }
        for half in &self.halves {
            half.solve(x);
        }
    }
}

/// What is added up in a front.
struct Part<'a> {
    unknowns: Vec<(u32, u32)>,
    matrix: MatRef<'a, f64>,
    rhs: &'a [f64],
}

impl System<'_> {
    /// Eliminates what only these blocks have.
    fn front(&self, order: &mut [u32]) -> Option<(Front, Left)> {
        let own = order.iter().map(|&b| &self.blocks[b as usize]);
        let size: usize = own.clone().map(|b| b.unknowns.len()).sum();
        if order.len() < 2 || size <= LEAF {
            let parts = own.map(|block| Part {
                unknowns: block.unknowns.iter().map(|&k| (k, 1)).collect(),
                matrix: block.values.as_ref(),
                rhs: &[],
            });
            return self.eliminate(&parts.collect::<Vec<_>>(), Vec::new());
        }
        self.sort(order);
        let (low, high) = order.split_at_mut(order.len() / 2);
        let halves = match low.len() > APART {
            true => rayon::join(|| self.front(low), || self.front(high)),
            false => (self.front(low), self.front(high)),
        };
        let ((low, a), (high, b)) = (halves.0?, halves.1?);
        let parts = [&a, &b].map(|left| Part {
            unknowns: left.unknowns.clone(),
            matrix: left.matrix.as_ref(),
            rhs: &left.rhs,
        });
        self.eliminate(&parts, vec![low, high])
    }

    /// Puts the lower half first, along the longer side of the box of all.
    fn sort(&self, order: &mut [u32]) {
        let at = |b: u32| self.blocks[b as usize].at;
        let span = |of: &dyn Fn(Point) -> f64| {
            let ends = order.iter().map(|&b| of(at(b)));
            let ends = ends.map(|x| (x, x));
            let ends = ends.reduce(|p, q| (p.0.min(q.0), p.1.max(q.1)));
            ends.map_or(0.0, |(low, high)| high - low)
        };
        let is_wide = span(&|p| p.x) >= span(&|p| p.y);
        let along = |b: u32| if is_wide { at(b).x } else { at(b).y };
        order.select_nth_unstable_by(order.len() / 2, |&a, &b| {
            along(a).total_cmp(&along(b)).then(a.cmp(&b))
        });
    }

    /// Adds parts up and eliminates what nobody else has.
    fn eliminate(&self, parts: &[Part<'_>], halves: Vec<Front>) -> Option<(Front, Left)> {
        let mut all: Vec<(u32, u32)> = parts.iter().flat_map(|p| p.unknowns.clone()).collect();
        all.sort_unstable();
        all.dedup_by(|next, known| {
            let is_same = next.0 == known.0;
            known.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        let is_done = |&(k, uses): &(u32, u32)| k < self.kept_from && uses == self.uses[k as usize];
        let (done, left): (Vec<_>, Vec<_>) = all.into_iter().partition(is_done);
        let (e, n) = (done.len(), done.len() + left.len());
        let place = |k: u32| {
            let among = |list: &[(u32, u32)]| list.binary_search_by_key(&k, |u| u.0).ok();
            among(&done).or_else(|| among(&left).map(|at| e + at))
        };
        let mut matrix = Mat::<f64>::zeros(n, n);
        let mut rhs: Vec<f64> = vec![0.0; n];
        for (at, (k, _)) in done.iter().enumerate() {
            rhs[at] = self.rhs[*k as usize];
        }
        for part in parts {
            let at: Option<Vec<usize>> = part.unknowns.iter().map(|u| place(u.0)).collect();
            let at = at?;
            for (j, &column) in at.iter().enumerate() {
                let column = matrix.col_as_slice_mut(column);
                let added = part.matrix.col(j);
                for (&row, x) in at.iter().zip(added.iter()) {
                    column[row] += x;
                }
            }
            for (b, &row) in part.rhs.iter().zip(&at) {
                rhs[row] += b;
            }
        }
        let (pivotal, on_rest) = matrix.as_ref().subcols(0, e).split_at_row(e);
        let (across, rest) = matrix.as_ref().subcols(e, n - e).split_at_row(e);
        let given = Mat::from_fn(e, 1, |i, _| rhs[i]);
        let (across, given) = match e {
            0 => (across.to_owned(), given),
            _ => {
                let lu = Lu::new(pivotal);
                (lu.solve(across), lu.solve(given.as_ref()))
            }
        };
        let mut schur = rest.to_owned();
        add_product(schur.as_mut(), -1.0, on_rest, across.as_ref());
        let passed = product(on_rest, given.as_ref());
        let rhs = (e..n).map(|k| rhs[k] - passed[(k - e, 0)]).collect();
        let ids = |list: &[(u32, u32)]| list.iter().map(|u| u.0).collect();
        let front = Front {
            unknowns: ids(&done),
            rest: ids(&left),
            given,
            on_rest: across,
            halves,
        };
        let left = Left {
            unknowns: left,
            matrix: schur,
            rhs,
        };
        Some((front, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Advection and diffusion on a lattice, as blocks of its squares; the last column of points is kept.
    fn lattice(n: usize, peclet: f64) -> (Vec<Block>, usize) {
        let mut blocks = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            // Columns of points from the left, so that the last one has the last numbers.
            let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
            let unknowns = vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let values = Mat::from_fn(4, 4, |a, b| {
                let diffusion = if a == b { 2.1 } else { -0.7 };
                let swirl = (i as f64 - j as f64) * if (a + 1) % 4 == b { 1.0 } else { 0.0 };
                let back = (i as f64 - j as f64) * if (b + 1) % 4 == a { 1.0 } else { 0.0 };
                diffusion + peclet * (swirl - back)
            });
            blocks.push(Block {
                unknowns,
                values,
                at: Point::new(i as f64, j as f64),
            });
        }
        (blocks, (n + 1) * (n + 1))
    }

    fn dense(blocks: &[Block], n: usize) -> Mat<f64> {
        let mut a = Mat::<f64>::zeros(n, n);
        for block in blocks {
            for (i, &row) in block.unknowns.iter().enumerate() {
                for (j, &column) in block.unknowns.iter().enumerate() {
                    a[(row as usize, column as usize)] += block.values[(i, j)];
                }
            }
        }
        a
    }

    #[test]
    fn what_is_left_and_what_was_eliminated_are_those_of_the_whole() {
        for peclet in [0.0, 3.0] {
            let (blocks, count) = lattice(24, peclet);
            let rhs: Vec<f64> = (0..count).map(|k| (k as f64).sin()).collect();
            let kept_from = count - 25;
            let found = eliminate(&blocks, &rhs, kept_from).unwrap();
            let whole = dense(&blocks, count);
            let (inner, from) = whole.as_ref().subcols(0, kept_from).split_at_row(kept_from);
            let (to, corner) = whole
                .as_ref()
                .subcols(kept_from, 25)
                .split_at_row(kept_from);
            let schur = corner - from * Lu::new(inner).solve(to);
            let off = (&schur - &found.kept).norm_max() / schur.norm_max();
            assert!(off < 1e-12, "{off:e}");
            let kept: Vec<f64> = (0..25).map(|k| (k as f64).cos()).collect();
            let x = found.fronts.solve(&kept).unwrap();
            let x = Mat::from_fn(count, 1, |i, _| x[i]);
            let left = &whole * &x;
            let scale = whole.norm_max() * x.norm_max();
            for k in 0..kept_from {
                assert!((left[(k, 0)] - rhs[k]).abs() < 1e-11 * scale, "row {k}");
            }
        }
    }

    #[test]
    fn a_singular_system_has_no_answer() {
        let (mut blocks, count) = lattice(3, 0.0);
        for block in &mut blocks {
            block.values = Mat::zeros(4, 4);
        }
        assert!(
            eliminate(&blocks, &vec![1.0; count], count)
                .and_then(|e| e.fronts.solve(&[]))
                .is_none()
        );
    }
}
