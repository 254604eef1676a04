//! How nodes are numbered: those around points alone, in the order in which sums go through them.

use crate::loops::{Work, each};

/// The axis, y or z, along which points at these cells lie farther apart.
pub(super) fn longer(base: &[[i64; 3]]) -> usize {
    let extent = |axis: usize| {
        let along = || base.iter().map(|b| b[axis]);
        along().max().unwrap_or(0) - along().min().unwrap_or(0)
    };
    if extent(1) > extent(2) { 1 } else { 2 }
}

/// The first node of each row of three around every point, numbered along x, then the other of y and z than `last`, then `last`, then by body; and
/// how many nodes there are.
pub(super) fn numbered(base: &[[i64; 3]], body_of: &[u32], last: usize) -> (Vec<[u32; 9]>, usize) {
    let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
    for b in base {
        for i in 0..3 {
            low[i] = low[i].min(b[i]);
            high[i] = high[i].max(b[i] + 3);
        }
    }
    let place = |p: usize, k: usize| {
        let at = [k % 3, k / 3 % 3, k / 9];
        let [x, row, slab] = [0, 3 - last, last].map(|i| base[p][i] - low[i] + at[i] as i64);
        [i64::from(body_of[p]), slab, row, x]
    };
    let size: [i64; 3] = if base.is_empty() {
        [0; 3]
    } else {
        [0, 1, 2].map(|i| high[i] - low[i])
    };
    let bodies = body_of.iter().max().map_or(0.0, |b| f64::from(*b) + 1.0);
    let cells = bodies * size.iter().map(|n| *n as f64).product::<f64>();
    // A table of all places in the box is quick; points that flew far apart would make it endless.
    if cells <= 64.0 * base.len() as f64 + 1e6 {
        let cell = |p: usize, r: usize| {
            let [body, slab, row, x] = place(p, 3 * r);
            (((body * size[last] + slab) * size[3 - last] + row) * size[0] + x) as usize
        };
        let mut number = vec![0; cells as usize];
        for p in 0..base.len() {
            number[cell(p, 0)] = 1;
        }
        // A point reaches three nodes along each axis. What runs over the end of a row, a slab or a body is nothing: no point begins at its last two.
        for next in [1, size[0], size[0] * size[3 - last]].map(|n| n as usize) {
            for i in (next..number.len()).rev() {
                let second = i.checked_sub(2 * next).map_or(0, |i| number[i]);
                number[i] |= number[i - next] | second;
            }
        }
        let mut count = 0;
        for n in number.iter_mut().filter(|n| **n > 0) {
            *n = count;
            count += 1;
        }
        let rows = each(Work::Usual, base.len(), |p| {
            std::array::from_fn(|r| number[cell(p, r)])
        });
        return (rows, count as usize);
    }
    let mut all: Vec<[i64; 4]> = (0..base.len())
        .flat_map(|p| (0..27).map(move |k| (p, k)))
        .map(|(p, k)| place(p, k))
        .collect();
    all.sort_unstable();
    all.dedup();
    let number = |p: usize, r: usize| {
        let found = all.binary_search(&place(p, 3 * r));
        found.expect("every place is in the list") as u32
    };
    let rows = each(Work::Usual, base.len(), |p| {
        std::array::from_fn(|r| number(p, r))
    });
    (rows, all.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// A point that flew far off costs no memory, and the numbers of the others stay as they are.
    #[test]
    fn nodes_are_numbered_alike_however_far_points_are_apart() {
        let mut random = Random::new(41);
        let mut cell = |n: f64| (n * random.number()) as i64 - 10;
        let base: Vec<[i64; 3]> = (0..300)
            .map(|_| [cell(20.0), cell(14.0), cell(9.0)])
            .collect();
        let body: Vec<u32> = (0..300).map(|p| p % 3).collect();
        for last in [1, 2] {
            numbers_stay(&base, &body, last);
        }
        assert_eq!(numbered(&[], &[], 2), (Vec::new(), 0));
    }

    fn numbers_stay(base: &[[i64; 3]], body: &[u32], last: usize) {
        let (mut base, mut body) = (base.to_vec(), body.to_vec());
        let (near, count) = numbered(&base, &body, last);
        assert!(
            near.iter()
                .flatten()
                .all(|node| (*node as usize) + 2 < count)
        );
        base.push([1 << 40, 1 << 40, 1 << 40]);
        body.push(2);
        let (far, more) = numbered(&base, &body, last);
        assert_eq!((far[..300] == near[..], more), (true, count + 27));
    }
}
