//! The cheapest way of straight runs and right-angled turns between two places of a frame.
//!
//! ```text
//!      x0    x1        x2   x3        Runs go along lines that somebody could want: through both ends, half-way, a bend away
//!  y2 --+-----+---------+----+--      from the ends, past obstacles. A state is a corner and the direction that it is left
//!  y1 --+-----+----#####+----+--      in; a run is one step, so that it can be required to have room for its bends.
//!  y0 --o=====+----#####+----+--      Running through something costs much, but isn't forbidden: a user may mend it.
//! ```
//! Dijkstra's method over `4 * columns * rows` states.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::obstacles::{Box2, overlap};
use stokeslet_base::geometry::Point;

/// What running through an obstacle costs, in widths per piece of line.
const THROUGH: f64 = 60.0;

/// Where a way begins or ends.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    /// In the frame, m.
    pub at: Point,
    /// Direction of travel there, in quarter turns from x.
    pub quarter: usize,
    /// Length of run that something else takes there, m.
    pub taken: f64,
    /// What it costs to be here, m.
    pub cost: f64,
}

/// A line to run on, and how little it is liked, m.
pub(super) type Line = (f64, f64);

/// What is asked.
pub(super) struct Search<'a> {
    pub starts: &'a [Stop],
    pub ends: &'a [Stop],
    /// Lines along y, at these x.
    pub columns: Vec<Line>,
    /// Lines along x, at these y.
    pub rows: Vec<Line>,
    pub boxes: &'a [Box2],
    pub width: f64,
    /// Straight run that a right-angled bend takes on either side, m.
    pub reach: f64,
    /// What a bend costs, m.
    pub bend_cost: f64,
}

/// A way: its corners between the two stops.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub start: usize,
    pub end: usize,
    pub corners: Vec<Point>,
    pub cost: f64,
}

const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// Where the cheapest way to a state came from.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    Start(usize),
    State(usize),
}

struct Grid<'a> {
    search: &'a Search<'a>,
    xs: Vec<Line>,
    ys: Vec<Line>,
    /// Blocked pieces of row j before column i, at `j * columns + i`.
    blocked_rows: Vec<u32>,
    /// Blocked pieces of column i before row j, at `i * rows + j`.
    blocked_columns: Vec<u32>,
    cost: Vec<f64>,
    before: Vec<Before>,
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    best: Option<(f64, Before, usize)>,
}

/// The cheapest way; `None` where no lines lead there with room for the bends.
pub(super) fn search(search: &Search<'_>) -> Option<Way> {
    let mut grid = Grid::new(search);
    for (k, start) in search.starts.iter().enumerate() {
        let (i, j) = (
            nearest(&grid.xs, start.at.x)?,
            nearest(&grid.ys, start.at.y)?,
        );
        grid.leave(
            (i, j),
            start.quarter,
            start.taken,
            start.cost,
            Before::Start(k),
        );
    }
    while let Some(Reverse((bits, state))) = grid.heap.pop() {
        let cost = f64::from_bits(bits);
        if grid.best.is_some_and(|best| best.0 <= cost) {
            break;
        }
        if cost <= grid.cost[state] {
            let (node, quarter) = grid.node(state);
            grid.leave(node, quarter, search.reach, cost, Before::State(state));
        }
    }
    grid.way()
}

fn nearest(lines: &[Line], at: f64) -> Option<usize> {
    let distance = |k: &usize| (lines[*k].0 - at).abs();
    (0..lines.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Sorted; of lines that are nearly one the best liked stays.
fn merged(mut lines: Vec<Line>, width: f64) -> Vec<Line> {
    lines.retain(|line| line.0.is_finite());
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        match kept.last_mut() {
            Some(last) if line.0 - last.0 <= 1e-9 * width => {
                if line.1 < last.1 {
                    *last = line;
                }
            }
            _ => kept.push(line),
        }
    }
    kept
}

impl<'a> Grid<'a> {
    fn new(search: &'a Search<'a>) -> Self {
        let xs = merged(search.columns.clone(), search.width);
        let ys = merged(search.rows.clone(), search.width);
        let half = search.width / 2.0;
        let is_blocked = |low: Point, high: Point| {
            let corridor = (low, high);
            search
                .boxes
                .iter()
                .any(|b| overlap(b, &corridor, search.width))
        };
        let mut blocked_rows = Vec::with_capacity(xs.len() * ys.len());
        for y in &ys {
            let mut count = 0;
            for (i, x) in xs.iter().enumerate() {
                if i > 0 {
                    let low = Point::new(xs[i - 1].0, y.0 - half);
                    count += u32::from(is_blocked(low, Point::new(x.0, y.0 + half)));
                }
                blocked_rows.push(count);
            }
        }
        let mut blocked_columns = Vec::with_capacity(xs.len() * ys.len());
        for x in &xs {
            let mut count = 0;
            for (j, y) in ys.iter().enumerate() {
                if j > 0 {
                    let low = Point::new(x.0 - half, ys[j - 1].0);
                    count += u32::from(is_blocked(low, Point::new(x.0 + half, y.0)));
                }
                blocked_columns.push(count);
            }
        }
        let n = 4 * xs.len() * ys.len();
        Self {
            search,
            xs,
            ys,
            blocked_rows,
            blocked_columns,
            cost: vec![f64::INFINITY; n],
            before: vec![Before::Nothing; n],
            heap: BinaryHeap::new(),
            best: None,
        }
    }

    fn state(&self, (i, j): (usize, usize), quarter: usize) -> usize {
        (j * self.xs.len() + i) * 4 + quarter
    }

    fn node(&self, state: usize) -> ((usize, usize), usize) {
        let node = state / 4;
        ((node % self.xs.len(), node / self.xs.len()), state % 4)
    }

    fn point(&self, (i, j): (usize, usize)) -> Point {
        Point::new(self.xs[i].0, self.ys[j].0)
    }

    /// Blocked pieces between two nodes of one line.
    fn blocked(&self, a: (usize, usize), b: (usize, usize)) -> u32 {
        let (counts, from, to) = if a.1 == b.1 {
            let row = a.1 * self.xs.len();
            (&self.blocked_rows, row + a.0, row + b.0)
        } else {
            let column = a.0 * self.ys.len();
            (&self.blocked_columns, column + a.1, column + b.1)
        };
        counts[to].abs_diff(counts[from])
    }

    /// All runs from a node in a direction: to an end, or to a corner.
    fn leave(
        &mut self,
        from: (usize, usize),
        quarter: usize,
        taken: f64,
        cost: f64,
        before: Before,
    ) {
        let (search, origin) = (self.search, self.point(from));
        let slack = 1e-9 * search.width;
        let (di, dj) = STEPS[quarter];
        let mut node = from;
        loop {
            let next = (
                node.0.checked_add_signed(di).filter(|i| *i < self.xs.len()),
                node.1.checked_add_signed(dj).filter(|j| *j < self.ys.len()),
            );
            let (Some(i), Some(j)) = next else { break };
            node = (i, j);
            let at = self.point(node);
            let run = (at - origin).norm();
            let through = f64::from(self.blocked(from, node)) * THROUGH * search.width;
            let here = cost + run + through;
            for (k, end) in search.ends.iter().enumerate() {
                let arrives = end.quarter == quarter
                    && (end.at - at).norm() <= slack
                    && run >= taken + end.taken - slack;
                if arrives && self.best.is_none_or(|best| here + end.cost < best.0) {
                    self.best = Some((here + end.cost, before, k));
                }
            }
            if run < taken + search.reach - slack {
                continue;
            }
            let dislike = self.xs[node.0].1 + self.ys[node.1].1;
            let corner = here + search.bend_cost + dislike;
            for turned in [(quarter + 1) % 4, (quarter + 3) % 4] {
                let state = self.state(node, turned);
                if corner < self.cost[state] {
                    self.cost[state] = corner;
                    self.before[state] = before;
                    self.heap.push(Reverse((corner.to_bits(), state)));
                }
            }
        }
    }

    fn way(&self) -> Option<Way> {
        let (cost, mut before, end) = self.best?;
        let mut corners = Vec::new();
        loop {
            match before {
                Before::Nothing => return None,
                Before::Start(start) => {
                    corners.reverse();
                    return Some(Way {
                        start,
                        end,
                        corners,
                        cost,
                    });
                }
                Before::State(state) => {
                    corners.push(self.point(self.node(state).0));
                    before = self.before[state];
                }
            }
        }
    }
}
