//! Meshes and point sets of the scenes' bodies: balls, boxes, tori, sheets. Pure geometry; the same bits every time.

use crate::real::V3;
use std::collections::BTreeMap;

/// Points and triangles.
pub type Surface = (Vec<V3>, Vec<[u32; 3]>);

/// A number in (0, 1) from an integer (splitmix64).
pub fn hashed(index: u64) -> f64 {
    let mut x = index
        .wrapping_add(0x9E37_79B9_7F4A_7C15)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// An icosahedron halved `level` times: 12, 42, 162, 642, 2562, 10242 vertices on a sphere.
pub fn icosphere(level: u32, radius: f64) -> Surface {
    let g = f64::midpoint(1.0, 5f64.sqrt());
    let raw = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ];
    let mut points: Vec<V3> = raw.iter().map(|p| V3::from(*p).normalize()).collect();
    let mut tris: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..level {
        let mut middle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut finer = Vec::with_capacity(4 * tris.len());
        for [a, b, c] in tris {
            let mut half = |u: u32, v: u32| {
                *middle.entry((u.min(v), u.max(v))).or_insert_with(|| {
                    points.push((points[u as usize] + points[v as usize]).normalize());
                    points.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (half(a, b), half(b, c), half(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        tris = finer;
    }
    (points.into_iter().map(|p| p * radius).collect(), tris)
}

/// A torus about z of `around` x `across` vertices.
pub fn torus(around: usize, across: usize, major: f64, minor: f64) -> Surface {
    let mut points = Vec::new();
    for i in 0..around {
        let u = std::f64::consts::TAU * i as f64 / around as f64;
        for j in 0..across {
            let v = std::f64::consts::TAU * j as f64 / across as f64;
            let rho = major + minor * v.cos();
            points.push(V3::new(rho * u.cos(), rho * u.sin(), minor * v.sin()));
        }
    }
    let id = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
    let mut tris = Vec::new();
    for i in 0..around {
        for j in 0..across {
            tris.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            tris.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    (points, tris)
}

/// Points and tetrahedra of positive volume.
pub type Solid = (Vec<V3>, Vec<[u32; 4]>);

/// The six tetrahedra of a cube around the diagonal from its corner 0 to its corner 7, by their other two corners; bit k of a corner is its
/// place along axis k. Neighbouring cubes agree on their common face.
pub(crate) const CUBE: [[usize; 2]; 6] = [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]];

/// A box about the origin of `cells` cells a side, six tetrahedra each.
pub fn solid_box(half: &V3, cells: [usize; 3]) -> Solid {
    let [nx, ny, nz] = cells;
    let id = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut points = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let f = V3::new(
                    i as f64 / nx as f64,
                    j as f64 / ny as f64,
                    k as f64 / nz as f64,
                );
                points.push((f * 2.0 - V3::repeat(1.0)).component_mul(half));
            }
        }
    }
    let mut tets = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let corner = |b: usize| id(i + (b & 1), j + ((b >> 1) & 1), k + ((b >> 2) & 1));
                for [a, b] in CUBE {
                    tets.push([0, a, b, 7].map(corner));
                }
            }
        }
    }
    (points.clone(), oriented(&points, tets))
}

/// A ball of concentric icospheres and a centre. `shells` spheres of 10 * 4^level + 2 vertices.
pub fn solid_ball(level: u32, shells: usize, radius: f64) -> Solid {
    let (outer, tris) = icosphere(level, 1.0);
    let n = outer.len() as u32;
    let mut points = Vec::new();
    for s in 0..shells {
        let r = radius * (shells - s) as f64 / shells as f64;
        points.extend(outer.iter().map(|p| p * r));
    }
    points.push(V3::zeros());
    let mut tets = Vec::new();
    for s in 0..shells as u32 {
        for tri in &tris {
            let mut sorted = *tri;
            sorted.sort_unstable();
            let [a, b, c] = sorted.map(|v| v + s * n);
            if s + 1 == shells as u32 {
                tets.push([a, b, c, shells as u32 * n]);
            } else {
                // A prism in three, cut by the order of vertices, so neighbours agree.
                tets.extend([
                    [a, b, c, a + n],
                    [b, c, a + n, b + n],
                    [c, a + n, b + n, c + n],
                ]);
            }
        }
    }
    (points.clone(), oriented(&points, tets))
}

/// A torus of tetrahedra: rings of a core and one layer around it.
pub fn solid_torus(around: usize, across: usize, major: f64, minor: f64) -> Solid {
    let (mut points, tris) = torus(around, across, major, minor);
    let core = points.len() as u32;
    for i in 0..around {
        let u = std::f64::consts::TAU * i as f64 / around as f64;
        points.push(V3::new(major * u.cos(), major * u.sin(), 0.0));
    }
    let mut tets = Vec::new();
    // Under each surface triangle a prism to the core, collapsed to at most two tetrahedra.
    for tri in &tris {
        let mut sorted = *tri;
        sorted.sort_unstable();
        let ring = |v: u32| core + v / across as u32;
        let [a, b, c] = sorted;
        let mut rings = [ring(a), ring(b), ring(c)];
        tets.push([a, b, c, rings[0]]);
        for (p, q, from, to) in [
            (b, c, rings[0], rings[1]),
            (c, u32::MAX, rings[1], rings[2]),
        ] {
            if from != to && q != u32::MAX {
                tets.push([p, q, from, to]);
            } else if from != to {
                tets.push([p, from, to, rings[0]]);
            }
        }
        rings.sort_unstable();
    }
    let tets = tets
        .into_iter()
        .filter(|t| (0..4).all(|i| (0..i).all(|j| t[i] != t[j])))
        .collect();
    (points.clone(), oriented(&points, tets))
}

/// The same tetrahedra, each of positive volume.
pub(crate) fn oriented(points: &[V3], tets: Vec<[u32; 4]>) -> Vec<[u32; 4]> {
    tets.into_iter()
        .map(|t| {
            let [a, b, c, d] = t.map(|i| points[i as usize]);
            if (b - a).dot(&(c - a).cross(&(d - a))) < 0.0 {
                [t[0], t[2], t[1], t[3]]
            } else {
                t
            }
        })
        .collect()
}

/// The surface of a box: 8 vertices, 12 triangles.
pub fn box_surface(half: &V3) -> Surface {
    let (points, tets) = solid_box(half, [1, 1, 1]);
    (points, crate::mesh::boundary(&tets))
}

/// A square sheet about the origin in the plane z = 0, `cells` cells a side.
pub fn sheet(side: f64, cells: usize) -> Surface {
    let n = cells + 1;
    let at = |i: usize| side * (i as f64 / cells as f64 - 0.5);
    let points = (0..n * n)
        .map(|v| V3::new(at(v % n), at(v / n), 0.0))
        .collect();
    let id = |i: usize, j: usize| (j * n + i) as u32;
    let mut tris = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let q = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
            if (i + j) % 2 == 0 {
                tris.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
            } else {
                tris.extend([[q[0], q[1], q[3]], [q[1], q[2], q[3]]]);
            }
        }
    }
    (points, tris)
}

/// Volume enclosed by a surface.
#[cfg(test)]
pub(crate) fn enclosed(surface: &Surface) -> f64 {
    surface
        .1
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|i| surface.0[i as usize]);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Topology, boundary};
    use crate::testing::assert_small;

    #[test]
    fn solids_fill_their_surfaces() {
        let half = V3::new(0.5, 0.4, 0.3);
        let solids = [
            solid_box(&half, [3, 2, 4]),
            solid_ball(2, 1, 0.7),
            solid_ball(2, 3, 0.7),
            solid_torus(20, 8, 0.5, 0.2),
        ];
        for (i, (points, tets)) in solids.into_iter().enumerate() {
            let volumes: Vec<f64> = tets
                .iter()
                .map(|t| {
                    let [a, b, c, d] = t.map(|i| points[i as usize]);
                    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
                })
                .collect();
            assert!(
                volumes.iter().all(|v| *v > 1e-9),
                "solid {i}: every tetrahedron is positive"
            );
            let surface = boundary(&tets);
            let mesh = Topology::new(surface.clone(), points.len());
            assert!(
                mesh.neighbours.iter().flatten().all(Option::is_some),
                "solid {i}: its surface is closed"
            );
            let total: f64 = volumes.iter().sum();
            assert_small(
                enclosed(&(points, surface)) - total,
                total,
                1e-12,
                "tetrahedra fill what the surface encloses",
            );
        }
        assert_eq!(icosphere(3, 1.0).0.len(), 642);
        assert_eq!(solid_ball(2, 1, 1.0).0.len(), 163);
    }
}
