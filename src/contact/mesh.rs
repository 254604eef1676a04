//! Triangle meshes as surfaces: who is whose neighbour, and where a path or a box meets them.
//!
//! Topology is apart from positions, which may be a rigid body's own or the moving vertices of a deformable one. Triangles are
//! oriented outward; a border edge has no neighbour.

use crate::real::{R3, Real, V3, add, cross, dot, scale, sub};
use rstar::{AABB, RTree, RTreeObject};
use std::collections::BTreeMap;

/// The topology of a triangle mesh. Edge `i` of a triangle lies opposite its vertex `i`.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Vertices of each triangle, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Neighbour across each edge.
    pub neighbours: Vec<[Option<u32>; 3]>,
    /// Triangles around each vertex, ascending.
    pub fans: Vec<Vec<u32>>,
}

impl Topology {
    /// The topology of `triangles` on `n_vertices` vertices. Of an edge in three or more triangles, the first two are neighbours.
    pub fn new(triangles: Vec<[u32; 3]>, n_vertices: usize) -> Topology {
        let mut neighbours = vec![[None; 3]; triangles.len()];
        let mut fans = vec![Vec::new(); n_vertices];
        let mut open: BTreeMap<(u32, u32), (u32, usize)> = BTreeMap::new();
        for (t, tri) in triangles.iter().enumerate() {
            for i in 0..3 {
                fans[tri[i] as usize].push(t as u32);
                let (a, b) = (tri[(i + 1) % 3], tri[(i + 2) % 3]);
                if let Some((other, j)) = open.remove(&(b, a)) {
                    neighbours[t][i] = Some(other);
                    neighbours[other as usize][j] = Some(t as u32);
                } else {
                    open.insert((a, b), (t as u32, i));
                }
            }
        }
        Topology {
            triangles,
            neighbours,
            fans,
        }
    }

    /// The index of vertex `v` in triangle `t`.
    pub(crate) fn corner(&self, t: u32, v: u32) -> usize {
        self.triangles[t as usize]
            .iter()
            .position(|&u| u == v)
            .expect("asked only of a vertex of the triangle")
    }
}

/// The surface triangles of a set of tetrahedra: facets that belong to one of them only, outward.
pub fn boundary(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut facets: BTreeMap<[u32; 3], Option<[u32; 3]>> = BTreeMap::new();
    for t in tets {
        for f in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] {
            let tri = f.map(|i| t[i]);
            let mut key = tri;
            key.sort_unstable();
            facets
                .entry(key)
                .and_modify(|x| *x = None)
                .or_insert(Some(tri));
        }
    }
    facets.into_values().flatten().collect()
}

/// One triangle's box in a tree.
pub(crate) struct Leaf {
    pub triangle: u32,
    envelope: AABB<[f64; 3]>,
}

impl RTreeObject for Leaf {
    type Envelope = AABB<[f64; 3]>;
    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// Boxes of triangles, or of their paths, searched by box.
pub(crate) struct Boxes(RTree<Leaf>);

impl Boxes {
    /// The tree over one list of points a triangle.
    pub(crate) fn new(points: impl Iterator<Item = Vec<V3>>) -> Boxes {
        let leaves = points.enumerate().map(|(t, p)| {
            let (low, high) = bounds(&p);
            Leaf {
                triangle: t as u32,
                envelope: AABB::from_corners(low.into(), high.into()),
            }
        });
        Boxes(RTree::bulk_load(leaves.collect()))
    }

    /// Triangles whose box meets the box of `points`, ascending.
    pub(crate) fn near(&self, points: &[V3]) -> Vec<u32> {
        let (low, high) = bounds(points);
        let query = AABB::from_corners(low.into(), high.into());
        let mut found: Vec<u32> = self
            .0
            .locate_in_envelope_intersecting(query)
            .map(|l| l.triangle)
            .collect();
        found.sort_unstable();
        found
    }
}

/// The box of `points`, widened by rounding.
pub(crate) fn bounds(points: &[V3]) -> (V3, V3) {
    let (mut low, mut high) = (points[0], points[0]);
    for p in &points[1..] {
        low = low.inf(p);
        high = high.sup(p);
    }
    let slack = V3::repeat(1e-12 * (1.0 + high.amax().max(low.amax())));
    (low - slack, high + slack)
}

/// The first entry of a moving point into a moving triangle from its outer side: the time in 0..1 and the weights of the hit.
///
/// # Shapes and units
/// `z`: the point at times 0 and 1; `tri`: the three vertices at times 0 and 1. All paths are straight.
/// # Accuracy and cost
/// Times to 1e-14; a root of a cubic between its turning points. A point that starts on the surface within 1e-9 of the path counts.
/// # Source
/// Ding 2019, section 2.2.2: entries only, exits are told by the normal.
pub(crate) fn entry(z: [V3; 2], tri: [[V3; 2]; 3]) -> Option<(f64, [f64; 3])> {
    let a = [z[0] - tri[0][0], z[1] - tri[0][1]];
    let b = [tri[1][0] - tri[0][0], tri[1][1] - tri[0][1]];
    let c = [tri[2][0] - tri[0][0], tri[2][1] - tri[0][1]];
    let at = |p: &[V3; 2], t: f64| p[0] + (p[1] - p[0]) * t;
    let height = |t: f64| at(&a, t).dot(&at(&b, t).cross(&at(&c, t)));
    // Bernstein-free: the cubic through its values, exact for a cubic.
    let (da, db, dc) = (a[1] - a[0], b[1] - b[0], c[1] - c[0]);
    let n0 = b[0].cross(&c[0]);
    let n1 = b[0].cross(&dc) + db.cross(&c[0]);
    let n2 = db.cross(&dc);
    let k = [
        a[0].dot(&n0),
        da.dot(&n0) + a[0].dot(&n1),
        da.dot(&n1) + a[0].dot(&n2),
        da.dot(&n2),
    ];
    let scale = n0.norm() * (n0.norm().sqrt() + da.norm());
    let mut stops = vec![0.0];
    let (qa, qb, qc) = (3.0 * k[3], 2.0 * k[2], k[1]);
    if qa.abs() > 0.0 || qb.abs() > 0.0 {
        let disc = qb * qb - 4.0 * qa * qc;
        if disc > 0.0 {
            let q = -0.5 * (qb + disc.sqrt().copysign(qb));
            let mut roots = [q / qa, qc / q];
            roots.sort_by(f64::total_cmp);
            stops.extend(roots.into_iter().filter(|t| *t > 0.0 && *t < 1.0));
        }
    }
    stops.push(1.0);
    for w in stops.windows(2) {
        let (mut lo, mut hi) = (w[0], w[1]);
        let (h_lo, h_hi) = (height(lo), height(hi));
        let starts_above = h_lo >= 0.0 || (lo == 0.0 && h_lo >= -1e-12 * scale);
        if !(starts_above && h_hi < 0.0) {
            continue;
        }
        if h_lo > 0.0 {
            // Regula falsi with bisection: the piece is monotone.
            let (mut f_lo, mut f_hi) = (h_lo, h_hi);
            for i in 0..100 {
                let t = if i % 3 == 2 {
                    0.5 * (lo + hi)
                } else {
                    lo + (hi - lo) * f_lo / (f_lo - f_hi)
                };
                let f = height(t);
                if f == 0.0 || hi - lo < 1e-15 {
                    lo = t;
                    break;
                }
                if f > 0.0 {
                    (lo, f_lo) = (t, f);
                } else {
                    (hi, f_hi) = (t, f);
                }
            }
        }
        let (p, e1, e2) = (at(&a, lo), at(&b, lo), at(&c, lo));
        let n = e1.cross(&e2);
        let area = n.norm_squared();
        if area == 0.0 {
            continue;
        }
        let w1 = p.cross(&e2).dot(&n) / area;
        let w2 = e1.cross(&p).dot(&n) / area;
        let weights = [1.0 - w1 - w2, w1, w2];
        if weights.iter().all(|x| *x >= -1e-9) {
            let kept = weights.map(|x| x.max(0.0));
            let sum: f64 = kept.iter().sum();
            return Some((lo, kept.map(|x| x / sum)));
        }
    }
    None
}

/// The weights of a hit that was found at `time`, with derivatives through the ends of the paths (the starts are fixed).
pub(crate) fn hit_weights<T: Real>(
    time: f64,
    z: [R3<T>; 2],
    tri: [[R3<T>; 2]; 3],
    values: [f64; 3],
) -> R3<T> {
    let place = |p: &[R3<T>; 2], t: T| add(p[0], scale(t, sub(p[1], p[0])));
    let frame = |t: T| {
        let [a, b, c] = tri.map(|p| place(&p, t));
        (sub(place(&z, t), a), sub(b, a), sub(c, a))
    };
    let height = |t: T| {
        let (p, e1, e2) = frame(t);
        dot(p, cross(e1, e2))
    };
    let at = T::constant(time);
    // d(height)/dt from the product rule; one Newton step carries the derivatives of the root.
    let (p, e1, e2) = frame(at);
    let [da, db, dc] = tri.map(|q| sub(q[1], q[0]));
    let (dp, d1, d2) = (sub(sub(z[1], z[0]), da), sub(db, da), sub(dc, da));
    let rate = dot(dp, cross(e1, e2)) + dot(p, add(cross(d1, e2), cross(e1, d2)));
    let root = at - height(at) / rate;
    let (p, e1, e2) = frame(root);
    let n = cross(e1, e2);
    let area = dot(n, n);
    let w1 = dot(cross(p, e2), n) / area;
    let w2 = dot(cross(e1, p), n) / area;
    let w = [T::constant(1.0) - w1 - w2, w1, w2];
    // The values are those that the search found, so that both walks take the same branches.
    [0, 1, 2].map(|i| w[i] - T::constant(w[i].value()) + T::constant(values[i]))
}

/// The nearest point of a triangle: squared distance and weights.
pub(crate) fn nearest_on_triangle(z: &V3, tri: [V3; 3]) -> (f64, [f64; 3]) {
    let (e1, e2, p) = (tri[1] - tri[0], tri[2] - tri[0], z - tri[0]);
    let n = e1.cross(&e2);
    let area = n.norm_squared();
    let w1 = p.cross(&e2).dot(&n) / area;
    let w2 = e1.cross(&p).dot(&n) / area;
    let inside = [1.0 - w1 - w2, w1, w2];
    if inside.iter().all(|x| *x >= 0.0) {
        let y = tri[0] + e1 * w1 + e2 * w2;
        return ((z - y).norm_squared(), inside);
    }
    let mut best = (f64::INFINITY, inside);
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let e = tri[k] - tri[j];
        let s = ((z - tri[j]).dot(&e) / e.norm_squared()).clamp(0.0, 1.0);
        let d = (z - tri[j] - e * s).norm_squared();
        if d < best.0 {
            let mut w = [0.0; 3];
            w[j] = 1.0 - s;
            w[k] = s;
            best = (d, w);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

    #[test]
    fn an_entry_lies_on_both_paths_and_an_exit_is_none() {
        let mut random = Random::new(3);
        let mut hits = 0;
        for _ in 0..4000 {
            let still = [
                V3::new(-1.0, -1.0, 0.0),
                V3::new(1.0, -1.0, 0.0),
                V3::new(0.0, 1.0, 0.0),
            ];
            let tri = still.map(|p| [p + random.vector() * 0.2, p + random.vector() * 0.2]);
            let z = [
                V3::new(0.0, 0.0, 1.0) + random.vector() * 0.5,
                V3::new(0.0, 0.0, -1.0) + random.vector() * 0.5,
            ];
            let back = entry([z[1], z[0]], tri.map(|p| [p[1], p[0]]));
            assert!(back.is_none(), "the way out is no entry");
            if let Some((t, w)) = entry(z, tri) {
                hits += 1;
                let at = |p: [V3; 2]| p[0] + (p[1] - p[0]) * t;
                let y: V3 = (0..3).map(|i| at(tri[i]) * w[i]).sum();
                assert_small((y - at(z)).norm(), 1.0, 1e-8, "the hit is on both");
            }
        }
        assert!(hits > 1000, "most of these paths cross: {hits}");
    }
}
