//! Where the liquid is, and when it got there.

use crate::grid::{CellFlag, Lattice};

/// How much liquid is at the walls of a tank, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Cells at the right wall.
    pub right: usize,
    /// Cells within one cell of the ceiling.
    pub ceiling: usize,
    /// The same, columns between 0.2 and 0.8 of the width only.
    pub ceiling_middle: usize,
    /// Cells at the left wall, above 0.7 of the height.
    pub left_top: usize,
    /// Cells within 0.1 of the width of the left wall, below 0.5 of the height.
    pub left_low: usize,
}

impl Reach {
    /// Counts.
    pub fn of<const D: usize>(cells: &Lattice<D>, flags: &[CellFlag]) -> Self {
        let mut reach = Self::default();
        let part = |c: usize, axis: usize, of: f64| c as f64 >= of * cells.n[axis] as f64;
        for i in (0..flags.len()).filter(|i| flags[*i] == CellFlag::Fluid) {
            let c = cells.coordinates(i);
            reach.right += usize::from(c[0] + 2 == cells.n[0]);
            let ceiling = c[1] + 2 == cells.n[1];
            reach.ceiling += usize::from(ceiling);
            let is_middle = part(c[0], 0, 0.2) && !part(c[0], 0, 0.8);
            reach.ceiling_middle += usize::from(ceiling && is_middle);
            reach.left_top += usize::from(c[0] == 1 && part(c[1], 1, 0.7));
            reach.left_low += usize::from(!part(c[0], 0, 0.1) && !part(c[1], 1, 0.5));
        }
        reach
    }
}

/// When the liquid of a breaking dam got where, in steps (\[003\] figure 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// It is at the right wall.
    pub right: Option<usize>,
    /// It is at the ceiling.
    pub ceiling: Option<usize>,
    /// It is back at the left wall, high up.
    pub left_top: Option<usize>,
    /// The main body is back at the left wall: the liquid low at it is a tenth more than it was at least.
    pub left_low: Option<usize>,
}

impl Events {
    /// From how much liquid was where, step by step.
    pub fn of(reaches: &[Reach]) -> Self {
        let first = |from: usize, of: &dyn Fn(&Reach) -> usize| {
            (from..reaches.len()).find(|i| of(&reaches[*i]) > 0)
        };
        let right = first(0, &|r| r.right);
        let ceiling = right.and_then(|from| first(from, &|r| r.ceiling));
        let left_top = ceiling.and_then(|from| first(from, &|r| r.left_top));
        let mut least = usize::MAX;
        let left_low = ceiling.and_then(|from| {
            (from..reaches.len()).find(|i| {
                least = least.min(reaches[*i].left_low);
                reaches[*i].left_low * 10 > least * 11
            })
        });
        Self {
            right,
            ceiling,
            left_top,
            left_low,
        }
    }
}
