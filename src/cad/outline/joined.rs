//! Triangles joined side by side to few polygons without holes, for formats that know none.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Polygons of triangles (counter-clockwise, as numbers of their corners), each simple, of at most `most` corners: one grows over an
/// edge where the triangle beyond brings a corner that it hasn't, so it never meets itself, and a hole is never closed in.
pub(super) fn joined(triangles: &[[u32; 3]], most: usize) -> Vec<Vec<u32>> {
    let edges = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let mut left_of: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for (k, triangle) in triangles.iter().enumerate() {
        left_of.extend(edges(triangle).map(|edge| (edge, k)));
    }
    let mut is_taken = vec![false; triangles.len()];
    let mut out = Vec::new();
    for k in 0..triangles.len() {
        if std::mem::replace(&mut is_taken[k], true) {
            continue;
        }
        // Of each corner the one that follows.
        let mut next: FxHashMap<u32, u32> = edges(&triangles[k]).into_iter().collect();
        let mut border = VecDeque::from(edges(&triangles[k]));
        while next.len() < most
            && let Some((a, b)) = border.pop_front()
        {
            let Some(&beyond) = left_of.get(&(b, a)).filter(|&&beyond| !is_taken[beyond]) else {
                continue;
            };
            let new = triangles[beyond].into_iter().find(|&c| c != a && c != b);
            if let Some(c) = new.filter(|c| !next.contains_key(c)) {
                is_taken[beyond] = true;
                next.extend([(a, c), (c, b)]);
                border.extend([(a, c), (c, b)]);
            }
        }
        let first = triangles[k][0];
        let others = std::iter::successors(next.get(&first), |at| next.get(at));
        let others = others.take_while(|&&at| at != first);
        out.push(std::iter::once(first).chain(others.copied()).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square around a square hole, corners 0 to 3 outside and 4 to 7 inside.
    const RING: [[u32; 3]; 8] = [
        [0, 1, 4],
        [1, 5, 4],
        [1, 2, 5],
        [2, 6, 5],
        [2, 3, 6],
        [3, 7, 6],
        [3, 0, 7],
        [0, 4, 7],
    ];

    #[test]
    fn a_ring_is_cut_and_what_needs_no_cut_is_one() {
        let pieces = joined(&RING, 100);
        // Each piece of n corners has n - 2 triangles.
        let triangles: usize = pieces.iter().map(|p| p.len() - 2).sum();
        assert_eq!(triangles, RING.len());
        assert!(pieces.len() > 1 && pieces.len() < 4, "{pieces:?}");
        for piece in &pieces {
            let mut corners = piece.clone();
            corners.sort_unstable();
            corners.dedup();
            assert_eq!(corners.len(), piece.len(), "{piece:?} meets itself");
        }
        let fan = [[0, 1, 2], [0, 2, 3], [0, 3, 4]];
        let whole = joined(&fan, 100);
        assert_eq!(whole.len(), 1);
        assert_eq!(whole[0].len(), 5);
        let small = joined(&fan, 4);
        assert!(
            small.iter().all(|piece| piece.len() <= 4) && small.len() == 2,
            "{small:?}"
        );
    }
}
