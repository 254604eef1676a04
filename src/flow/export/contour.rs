//! Superlevel sets of a field on linear triangles, as closed loops: what a filled contour picture is painted from.
//!
//! The region where the value is at least `level` is bounded by contour lines inside the domain and by pieces of the domain's
//! rim. Each piece is directed with the region to its left and its ends are named by the node or the mesh edge they lie on, so
//! chaining needs no tolerance. Regions of rising levels painted over each other leave no seams, and the path data grows with
//! the length of the contours, not with the number of cells.

use lyon::algorithms::area::approximate_signed_area;
use lyon::math::point;
use lyon::path::Polygon;
use rustc_hash::FxHashMap;

/// A field on a mesh of linear triangles in picture coordinates.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Nodes.
    pub points: Vec<[f32; 2]>,
    /// One value per node.
    pub values: Vec<f32>,
    /// All of the same orientation after [`Surface::find_rim`].
    pub triangles: Vec<[u32; 3]>,
    /// Edges with a triangle on one side only, in its direction.
    pub rim: Vec<[u32; 2]>,
}

/// A node (both the same) or a point on a mesh edge (lower node first).
type Key = (u32, u32);

impl Surface {
    /// Turns all triangles to the same orientation and fills `rim` with the edges that no other triangle runs through the
    /// other way.
    pub fn find_rim(&mut self) {
        for t in &mut self.triangles {
            let [a, b, c] = t.map(|n| self.points[n as usize]);
            if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0.0 {
                t.swap(1, 2);
            }
        }
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(self.triangles.len() * 3);
        for t in &self.triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                edges.push((a.min(b), a.max(b), a < b));
            }
        }
        edges.sort_unstable();
        self.rim.clear();
        for same in edges.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let (a, b, _) = same[0];
            let forward = same.iter().filter(|e| e.2).count();
            let backward = same.len() - forward;
            self.rim.extend(std::iter::repeat_n(
                [a, b],
                forward.saturating_sub(backward),
            ));
            self.rim.extend(std::iter::repeat_n(
                [b, a],
                backward.saturating_sub(forward),
            ));
        }
    }

    fn above(&self, node: u32, level: f32) -> bool {
        self.values[node as usize] >= level
    }

    fn crossing(&self, key: Key, level: f32) -> [f32; 2] {
        let (a, b) = (key.0 as usize, key.1 as usize);
        let (p, q) = (self.points[a], self.points[b]);
        if a == b {
            return p;
        }
        let (va, vb) = (self.values[a], self.values[b]);
        let t = ((level - va) / (vb - va)).clamp(0.0, 1.0);
        [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]
    }

    /// The boundary of the region where the value is at least `level`, as closed loops (the first point isn't repeated).
    ///
    /// Fill them by the nonzero rule. Linear in the number of triangles.
    pub fn superlevel_loops(&self, level: f32) -> Vec<Vec<[f32; 2]>> {
        let edge = |a: u32, b: u32| (a.min(b), a.max(b));
        let mut pieces: Vec<(Key, Key)> = Vec::new();
        for t in &self.triangles {
            let up = t.map(|n| self.above(n, level));
            let n_up = up.iter().filter(|&&u| u).count();
            if n_up == 0 || n_up == 3 {
                continue;
            }
            // The vertex that differs from the other two.
            let lone = (0..3).find(|&k| up[k] == (n_up == 1)).unwrap_or(0);
            let (i, next, last) = (t[lone], t[(lone + 1) % 3], t[(lone + 2) % 3]);
            pieces.push(if n_up == 1 {
                (edge(i, next), edge(last, i))
            } else {
                (edge(last, i), edge(i, next))
            });
        }
        for &[a, b] in &self.rim {
            match (self.above(a, level), self.above(b, level)) {
                (true, true) => pieces.push(((a, a), (b, b))),
                (true, false) => pieces.push(((a, a), edge(a, b))),
                (false, true) => pieces.push((edge(a, b), (b, b))),
                (false, false) => {}
            }
        }
        chain(&pieces)
            .into_iter()
            .map(|keys| {
                keys.into_iter()
                    .map(|key| self.crossing(key, level))
                    .collect()
            })
            .collect()
    }
}

/// Joins directed pieces into loops. Every key has as many pieces that leave it as pieces that enter it, so each walk closes.
fn chain(pieces: &[(Key, Key)]) -> Vec<Vec<Key>> {
    let mut leaving: FxHashMap<Key, u32> = FxHashMap::default();
    // Where several pieces leave one key (walls that touch in a point), they form a list through `another`.
    let mut another = vec![u32::MAX; pieces.len()];
    for (k, (from, _)) in pieces.iter().enumerate() {
        if let Some(before) = leaving.insert(*from, k as u32) {
            another[k] = before;
        }
    }
    let mut used = vec![false; pieces.len()];
    let mut loops = Vec::new();
    for start in 0..pieces.len() {
        if used[start] {
            continue;
        }
        let mut keys = Vec::new();
        let mut at = start;
        loop {
            used[at] = true;
            keys.push(pieces[at].0);
            let mut next = leaving.get(&pieces[at].1).copied().unwrap_or(u32::MAX);
            while next != u32::MAX && used[next as usize] {
                next = another[next as usize];
            }
            if next == u32::MAX {
                break;
            }
            at = next as usize;
        }
        loops.push(keys);
    }
    loops
}

/// Drops the points of a closed loop that lie within `tolerance` of the line through the points that stay (Douglas-Peucker).
pub fn simplified(points: &[[f32; 2]], tolerance: f32) -> Vec<[f32; 2]> {
    if points.len() < 4 {
        return points.to_vec();
    }
    // A closed loop is cut at its first point and at the point farthest from it.
    let away = |p: [f32; 2]| (p[0] - points[0][0]).hypot(p[1] - points[0][1]);
    let far = (0..points.len())
        .max_by(|&a, &b| away(points[a]).total_cmp(&away(points[b])))
        .unwrap_or(0);
    let mut keep = vec![false; points.len() + 1];
    keep[0] = true;
    keep[far] = true;
    let at = |k: usize| points[k % points.len()];
    let mut spans = vec![(0, far), (far, points.len())];
    while let Some((a, b)) = spans.pop() {
        let (worst, k) = (a + 1..b)
            .map(|k| (distance(at(k), at(a), at(b)), k))
            .max_by(|x, y| x.0.total_cmp(&y.0))
            .unwrap_or((0.0, a));
        if worst > tolerance {
            keep[k] = true;
            spans.extend([(a, k), (k, b)]);
        }
    }
    (0..points.len()).filter(|&k| keep[k]).map(at).collect()
}

/// From a point to a segment.
fn distance(p: [f32; 2], a: [f32; 2], b: [f32; 2]) -> f32 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 {
        (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p[0] - a[0] - t * dx).hypot(p[1] - a[1] - t * dy)
}

/// Signed area of a closed loop, positive counter-clockwise where y points up.
pub fn signed_area(points: &[[f32; 2]]) -> f32 {
    let points: Vec<_> = points.iter().map(|p| point(p[0], p[1])).collect();
    let outline = Polygon {
        points: &points,
        closed: true,
    };
    // The tolerance is for curves, of which a loop has none.
    approximate_signed_area(0.1, outline.path_events())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of n x n unit squares, two triangles each, the value being f(x, y).
    fn square(n: u32, f: impl Fn(f32, f32) -> f32) -> Surface {
        let node = |i: u32, j: u32| j * (n + 1) + i;
        let mut surface = Surface::default();
        for j in 0..=n {
            for i in 0..=n {
                surface.points.push([i as f32, j as f32]);
                surface.values.push(f(i as f32, j as f32));
            }
        }
        for j in 0..n {
            for i in 0..n {
                surface
                    .triangles
                    .push([node(i, j), node(i + 1, j), node(i + 1, j + 1)]);
                surface
                    .triangles
                    .push([node(i, j), node(i + 1, j + 1), node(i, j + 1)]);
            }
        }
        surface.find_rim();
        surface
    }

    fn area(loops: &[Vec<[f32; 2]>]) -> f32 {
        loops.iter().map(|l| signed_area(l)).sum()
    }

    #[test]
    fn areas_of_superlevels_of_a_plane_are_exact() {
        let surface = square(4, |x, _| x);
        for (level, want) in [
            (-1.0, 16.0),
            (0.5, 14.0),
            (1.0, 12.0),
            (3.75, 1.0),
            (5.0, 0.0),
        ] {
            let loops = surface.superlevel_loops(level);
            assert!(
                (area(&loops) - want).abs() < 1e-4,
                "level {level}: {} against {want}",
                area(&loops)
            );
            assert!(loops.len() <= 1, "one connected region, one loop");
        }
    }

    #[test]
    fn a_valley_becomes_a_hole() {
        let surface = square(8, |x, y| (x - 4.0).hypot(y - 4.0));
        let loops = surface.superlevel_loops(2.0);
        assert_eq!(loops.len(), 2, "the rim and the hole");
        let hole = loops
            .iter()
            .map(|l| signed_area(l))
            .fold(f32::MAX, f32::min);
        assert!(
            (-hole - 4.0 * std::f32::consts::PI).abs() < 1.5,
            "a hole of radius 2 runs backwards: {hole}"
        );
    }

    #[test]
    fn every_level_of_a_rough_field_closes() {
        let surface = square(12, |x, y| {
            ((x * 12.9898 + y * 78.233).sin() * 43758.547).fract()
        });
        let mut last = f32::MAX;
        for k in 0..20 {
            let level = -1.0 + 0.1 * k as f32;
            let inside = area(&surface.superlevel_loops(level));
            assert!(
                (0.0..=144.001).contains(&inside),
                "level {level} encloses {inside}"
            );
            assert!(inside <= last + 1e-3, "regions shrink as the level rises");
            last = inside;
        }
    }

    #[test]
    fn straight_runs_simplify_to_their_corners() {
        let loops = square(10, |_, _| 1.0).superlevel_loops(0.0);
        let corners = simplified(&loops[0], 0.01);
        assert!(
            corners.len() <= 5,
            "a square has four corners (and perhaps its starting point): {corners:?}"
        );
        assert_eq!(signed_area(&corners), 100.0);
    }
}
