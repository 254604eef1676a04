//! Boxes sorted into squares of about their size: which of them meet another box.
//!
//! Made anew with every layout: a frame with another one of 20,000 parts took 32 ms while boxes lay in an R-tree, and 16 in squares.

use super::grouped::Grouped;
use super::scene::Bounds;
use stokeslet_base::geometry::Point;

/// A box over more squares than this is in none of them: it is looked at every time.
const MOST_SQUARES: usize = 64;

/// Boxes by the squares that they lie in.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    boxes: Vec<Bounds>,
    /// Lower left corner of the first square, m.
    low: Point,
    /// Side of a square, m.
    side: f64,
    /// Squares along x and y.
    count: [usize; 2],
    /// Boxes by square, row after row.
    held: Grouped,
    /// Boxes that are in no square.
    large: Vec<usize>,
}

impl Buckets {
    /// Buckets of boxes, known by their order.
    pub fn new(boxes: Vec<Bounds>) -> Self {
        let is_finite = |b: &&Bounds| {
            [b.low.x, b.low.y, b.high.x, b.high.y]
                .iter()
                .all(|x| x.is_finite())
        };
        let finite = boxes.iter().filter(is_finite);
        let Some(whole) = finite.clone().copied().reduce(|a, b| a.with(&b)) else {
            let large = (0..boxes.len()).collect();
            return Self {
                boxes,
                large,
                ..Self::default()
            };
        };
        let n = finite.clone().count() as f64;
        let mean = finite.map(|b| b.size().x.max(b.size().y)).sum::<f64>() / n;
        let size = whole.size();
        // About a box a square, but no squares much smaller than boxes, nor more of them than boxes along a thin row.
        let side = (size.x * size.y / n)
            .sqrt()
            .max(mean)
            .max(size.x.max(size.y) / n);
        let side = if side > 0.0 { side } else { 1.0 };
        let mut out = Self {
            low: whole.low,
            side,
            count: [size.x, size.y].map(|s| (s / side) as usize + 1),
            ..Self::default()
        };
        let over: Vec<_> = boxes.iter().map(|bounds| out.over(bounds)).collect();
        let is_large = |k: &usize| {
            let [columns, rows] = &over[*k];
            columns.len() * rows.len() > MOST_SQUARES || !is_finite(&&boxes[*k])
        };
        let (large, small): (Vec<usize>, Vec<usize>) = (0..boxes.len()).partition(is_large);
        let in_squares = small
            .iter()
            .flat_map(|&k| out.squares(&over[k]).map(move |square| (square, k)));
        let held = Grouped::new(out.count[0] * out.count[1], in_squares);
        (out.held, out.large, out.boxes) = (held, large, boxes);
        out
    }

    /// Columns and rows of the squares that a box lies over.
    fn over(&self, bounds: &Bounds) -> [std::ops::Range<usize>; 2] {
        let (from, to) = (bounds.low - self.low, bounds.high - self.low);
        let range = |from: f64, to: f64, count: usize| {
            // Conversions end at the ends of what an integer holds, numbers that are none at 0.
            let of = |x: f64| ((x / self.side) as usize).min(count.saturating_sub(1));
            of(from)..of(to) + 1
        };
        [
            range(from.x, to.x, self.count[0]),
            range(from.y, to.y, self.count[1]),
        ]
    }

    fn squares(
        &self,
        [columns, rows]: &[std::ops::Range<usize>; 2],
    ) -> impl Iterator<Item = usize> + Clone + use<> {
        let (columns, wide) = (columns.clone(), self.count[0]);
        rows.clone()
            .flat_map(move |row| columns.clone().map(move |column| row * wide + column))
    }

    /// Boxes that meet another, each once.
    pub fn meeting(&self, frame: &Bounds) -> impl Iterator<Item = usize> + use<'_> {
        let frame = *frame;
        let seen = self.over(&frame);
        let [first_column, first_row] = [seen[0].start, seen[1].start];
        let near = self.squares(&seen).filter(|_| self.count[0] > 0);
        let in_square = move |s: usize| {
            let [column, row] = [s % self.count[0], s / self.count[0]];
            self.held.of(s).iter().filter(move |&&k| {
                // In the first square that both lie over: not again in the others.
                let over = self.over(&self.boxes[k]);
                over[0].start.max(first_column) == column && over[1].start.max(first_row) == row
            })
        };
        let found = near.flat_map(in_square).chain(&self.large).copied();
        found.filter(move |&k| self.boxes[k].meets(&frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A box of any size at most places, now and then far off or without end.
    fn any_box() -> impl Strategy<Value = Bounds> {
        let size = prop_oneof![
            Just(0.0),
            0.0..0.1,
            0.0..3.0,
            0.0..40.0,
            Just(f64::INFINITY)
        ];
        let far = prop_oneof![9 => Just(1.0), 1 => Just(40.0)];
        ((-1.0..1.0, -1.0..1.0), far, (size.clone(), size)).prop_map(|((x, y), far, (w, h))| {
            let at = Point::new(x, y) * far;
            Bounds::of(at, at + Point::new(w, h))
        })
    }

    proptest! {
        #[test]
        fn what_meets_a_box_is_found_once(
            boxes in proptest::collection::vec(any_box(), 0..60),
            frame in any_box(),
        ) {
            let mut found: Vec<usize> = Buckets::new(boxes.clone()).meeting(&frame).collect();
            found.sort_unstable();
            let all = boxes.iter().enumerate().filter(|(_, b)| b.meets(&frame));
            prop_assert_eq!(found, all.map(|(k, _)| k).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_row_of_boxes_makes_no_more_squares_than_there_are_boxes() {
        let boxes = (0..1000)
            .map(|k| Point::new(f64::from(k), 0.0))
            .map(|p| Bounds::of(p, p));
        let buckets = Buckets::new(boxes.collect());
        assert!(
            buckets.count[0] * buckets.count[1] <= 1001,
            "{:?}",
            buckets.count
        );
        let frame = Bounds::of(Point::new(10.5, -1.0), Point::new(12.5, 1.0));
        assert_eq!(buckets.meeting(&frame).collect::<Vec<_>>(), [11, 12]);
    }
}
