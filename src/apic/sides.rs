//! What happens at the ends of the domain: values are folded back from ghosts after particles have been transferred, and ghosts filled
//! from inside before the grid is.
//!
//! A wall acts as a mirror: whatever a particle puts beyond it, its mirror image would have put inside. Periodic ends are the same with a
//! shift instead of a mirror.
//!
//! ```text
//! fold:  m_im += m_gh,  q_im += b q_gh + (1 - b) m_gh v_bc        fill:  v_gh = b v_im + (1 - b) v_bc
//! ```
//! with `b = 1` where a component is free to slide or leave, `b = -1` where it is prescribed; a face on the wall is its own image and takes
//! the prescribed value. Axes are treated one after the other over the full width of the others, so corners are right.
//!
//! Source: \[004\] section 3.4.1.

use stokeslet_dynamics::grid::Lattice;

use crate::grid::{Faces, GHOST, Grid};

/// What an end of the domain is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition<const D: usize> {
    /// It continues at the opposite end.
    Periodic,
    /// Nothing flows through, nothing is held back along it.
    Slip,
    /// Liquid has this velocity there.
    NoSlip([f64; D]),
    /// Liquid enters with this velocity (only the component across the end counts).
    Inflow([f64; D]),
    /// Pressure 0; liquid comes and goes.
    Free,
}

impl<const D: usize> Condition<D> {
    /// The sign and the prescribed value of a component's mirror image at an end across `dim`.
    #[must_use]
    pub fn mirror(&self, component: usize, dim: usize) -> (f64, f64) {
        match self {
            Condition::NoSlip(v) => (-1.0, v[component]),
            Condition::Inflow(v) if component == dim => (-1.0, v[component]),
            Condition::Slip if component == dim => (-1.0, 0.0),
            _ => (1.0, 0.0),
        }
    }

    /// The velocity across the end if it is prescribed.
    #[must_use]
    pub fn across(&self, dim: usize) -> Option<f64> {
        match self {
            Condition::Periodic | Condition::Free => None,
            Condition::Slip => Some(0.0),
            Condition::NoSlip(v) | Condition::Inflow(v) => Some(v[dim]),
        }
    }
}

/// A part of an end with a condition of its own, for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch<const D: usize> {
    /// The axis across the end.
    pub dim: usize,
    /// 0 for the lower end, 1 for the upper.
    pub end: usize,
    /// Least coordinates; the one across the end doesn't count. m
    pub low: [f64; D],
    /// Greatest coordinates, m.
    pub high: [f64; D],
    /// What is there.
    pub condition: Condition<D>,
    /// Until when, s.
    pub until: f64,
}

/// All ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides<const D: usize> {
    /// By axis: the lower and the upper end.
    pub ends: [[Condition<D>; 2]; D],
    /// Exceptions; the first that fits counts.
    pub patches: Vec<Patch<D>>,
}

impl<const D: usize> Sides<D> {
    /// The same condition everywhere.
    #[must_use]
    pub fn all(condition: Condition<D>) -> Self {
        Self {
            ends: [[condition; 2]; D],
            patches: Vec::new(),
        }
    }

    /// The condition at a point of an end.
    #[must_use]
    pub fn at(&self, dim: usize, end: usize, x: [f64; D], time: f64) -> Condition<D> {
        let fits = |p: &&Patch<D>| {
            p.dim == dim
                && p.end == end
                && time <= p.until
                && (0..D).all(|k| k == dim || (p.low[k]..=p.high[k]).contains(&x[k]))
        };
        self.patches
            .iter()
            .find(fits)
            .map_or(self.ends[dim][end], |p| p.condition)
    }

    /// Whether an axis is periodic.
    #[must_use]
    pub fn is_periodic(&self, dim: usize) -> bool {
        self.ends[dim][0] == Condition::Periodic
    }

    /// A number that changes whenever a patch opens or closes.
    #[must_use]
    pub fn phase(&self, time: f64) -> usize {
        self.patches.iter().filter(|p| time <= p.until).count()
    }
}

/// What the line of faces under way ends in.
#[derive(Clone, Copy)]
enum End {
    Shift,
    Mirror { sign: f64, value: f64 },
}

/// Faces of one component along one axis, ghosts included.
struct Line {
    start: usize,
    stride: usize,
    /// Cells along it.
    n: usize,
    /// 1 if the faces are across the line's axis: then one lies on each end.
    across: usize,
    ends: [End; 2],
}

fn lines<const D: usize>(
    grid: &Grid<D>,
    sides: &Sides<D>,
    time: f64,
    axis: usize,
    dim: usize,
    mut visit: impl FnMut(&Line),
) {
    let lattice = grid.faces(axis);
    let others = Lattice::<D>::new(std::array::from_fn(
        |k| {
            if k == dim { 1 } else { lattice.n[k] }
        },
    ));
    let high = grid.high();
    for i in 0..others.len() {
        let c = others.coordinates(i);
        let x = grid.face(axis, c);
        let x = std::array::from_fn(|k| x[k].clamp(grid.low[k], high[k]));
        let ends = std::array::from_fn(|end| match sides.at(dim, end, x, time) {
            Condition::Periodic => End::Shift,
            condition => {
                let (sign, value) = condition.mirror(axis, dim);
                End::Mirror { sign, value }
            }
        });
        visit(&Line {
            start: lattice.index(c),
            stride: lattice.stride(dim),
            n: grid.cells.n[dim],
            across: usize::from(axis == dim),
            ends,
        });
    }
}

impl Line {
    fn at(&self, k: usize) -> usize {
        self.start + k * self.stride
    }

    /// The ghosts beyond one end, each with the place inside that it belongs to.
    fn ghosts(&self, end: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (n, across, shift) = (self.n, self.across, matches!(self.ends[end], End::Shift));
        // Under a shift the face on the upper end is the one on the lower end.
        let count = GHOST + usize::from(shift && end == 1) * across;
        (0..count).map(move |k| {
            let (ghost, inside) = match (end, shift) {
                (0, true) => (k, k + n),
                (0, false) => (GHOST - 1 - k, GHOST + k + across),
                (_, true) => (GHOST + n + k, GHOST + k),
                (_, false) => (GHOST + n + across + k, GHOST + n - 1 - k),
            };
            (self.at(ghost), self.at(inside))
        })
    }
}

/// Adds what is in ghosts to what they mirror.
///
/// # Shapes and units
/// - `scale`: of prescribed velocities (XPIC transfers multiples of velocities)
pub fn fold<const D: usize>(
    grid: &Grid<D>,
    sides: &Sides<D>,
    time: f64,
    mass: &mut Faces<D>,
    momentum: &mut Faces<D>,
    scale: f64,
) {
    for dim in 0..D {
        for axis in 0..D {
            let (m, q) = (&mut mass[axis], &mut momentum[axis]);
            lines(grid, sides, time, axis, dim, |line| {
                for end in 0..2 {
                    let (sign, value) = match line.ends[end] {
                        End::Shift => (1.0, 0.0),
                        End::Mirror { sign, value } => (sign, value),
                    };
                    for (ghost, inside) in line.ghosts(end) {
                        q[inside] += sign * q[ghost] + (1.0 - sign) * m[ghost] * value * scale;
                        m[inside] += m[ghost];
                    }
                }
            });
        }
    }
}

/// Gives ghosts, and faces on ends with a prescribed velocity, their values.
///
/// # Shapes and units
/// - `scale`: as in [`fold`]
pub fn fill<const D: usize>(
    grid: &Grid<D>,
    sides: &Sides<D>,
    time: f64,
    values: &mut Faces<D>,
    scale: f64,
) {
    for dim in 0..D {
        for (axis, v) in values.iter_mut().enumerate() {
            lines(grid, sides, time, axis, dim, |line| {
                for end in 0..2 {
                    let (sign, value) = match line.ends[end] {
                        End::Shift => (1.0, 0.0),
                        End::Mirror { sign, value } => (sign, value * scale),
                    };
                    if line.across == 1 && sign < 0.0 {
                        v[line.at(GHOST + end * line.n)] = value;
                    }
                    for (ghost, inside) in line.ghosts(end) {
                        v[ghost] = sign * v[inside] + (1.0 - sign) * value;
                    }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid<2> {
        Grid {
            cells: Lattice::new([5, 4]),
            low: [0.0; 2],
            dx: 1.0,
        }
    }

    #[test]
    fn folding_keeps_the_sum_on_a_torus_and_filling_repeats_it() {
        let (grid, sides) = (grid(), Sides::all(Condition::Periodic));
        let mut mass = grid.zeros();
        let mut q = grid.zeros();
        for (axis, q) in q.iter_mut().enumerate() {
            for (i, q) in q.iter_mut().enumerate() {
                *q = ((i * 37 + axis * 11) % 17) as f64;
            }
        }
        let before: f64 = q[0].iter().sum();
        fold(&grid, &sides, 0.0, &mut mass, &mut q, 1.0);
        let lattice = grid.faces(0);
        let inside = |c: [usize; 2]| grid.is_inside(0, c) && c[0] < GHOST + 5;
        let after: f64 = (0..lattice.len())
            .filter(|i| inside(lattice.coordinates(*i)))
            .map(|i| q[0][i])
            .sum();
        assert!((before - after).abs() < 1e-12, "{before} {after}");
        fill(&grid, &sides, 0.0, &mut q, 1.0);
        for i in 0..lattice.len() {
            let c = lattice.coordinates(i);
            let same = [
                GHOST + (c[0] + 5 * 3 - GHOST) % 5,
                GHOST + (c[1] + 4 * 3 - GHOST) % 4,
            ];
            assert_eq!(q[0][i], q[0][lattice.index(same)], "{c:?}");
        }
    }

    #[expect(
        clippy::needless_range_loop,
        reason = "the axis indexes several arrays and a formula"
    )]
    #[test]
    fn walls_mirror_and_prescribe() {
        let grid = grid();
        let mut sides = Sides::all(Condition::Slip);
        sides.ends[0][0] = Condition::Inflow([2.0, 0.0]);
        sides.ends[1][0] = Condition::NoSlip([0.5, 0.0]);
        let mut v = grid.zeros();
        for axis in 0..2 {
            let lattice = grid.faces(axis);
            for i in 0..lattice.len() {
                let c = lattice.coordinates(i);
                v[axis][i] = (c[0] * 10 + c[1]) as f64;
            }
        }
        fill(&grid, &sides, 0.0, &mut v, 1.0);
        let at = |axis: usize, c: [usize; 2]| v[axis][grid.faces(axis).index(c)];
        // Row 5 is inside: inflow at face 0, mirrored about 2.
        assert_eq!(at(0, [GHOST, 5]), 2.0);
        assert_eq!(at(0, [GHOST - 1, 5]), 4.0 - at(0, [GHOST + 1, 5]));
        // Slip at the upper x end.
        assert_eq!(at(0, [GHOST + 5, 5]), 0.0);
        assert_eq!(at(0, [GHOST + 7, 5]), -at(0, [GHOST + 3, 5]));
        assert_eq!(at(1, [GHOST + 5, 5]), at(1, [GHOST + 4, 5]));
        // No slip below: the mean across the wall is the wall's.
        assert_eq!(at(0, [5, GHOST - 1]) + at(0, [5, GHOST]), 1.0);
        assert_eq!(at(1, [5, GHOST]), 0.0);
    }
}
