use faer::linalg::solvers::Solve;

use super::*;
use crate::field::wall_shear3;
use crate::mesh::{TETRAHEDRON_FACETS, extrude, socket_rank, straight};
use crate::stokes::local::block_matrix;

fn grid(resolution: u32, layers: u32, width: f64, depth: f64, top: Top) -> SocketGrid {
    SocketGrid {
        resolution,
        layers,
        width,
        depth,
        top,
        walls: Default::default(),
    }
}

#[test]
fn the_interpolant_carries_unit_flow_and_is_symmetric() {
    for profile in [DuctProfile::Series, DuctProfile::BiQuadratic] {
        for (width, depth) in [(1.0, 1.0), (4.0, 1.0), (1.0, 10.0), (1e-4, 5e-5)] {
            let full = grid(6, 4, width, depth, Top::Wall);
            let half = grid(6, 2, width, depth / 2.0, Top::Symmetry);
            let (whole, lower) = (full.profile(profile), half.profile(profile));
            let flow = |g: &SocketGrid, v: &[f64]| -> f64 {
                g.weights().iter().zip(v).map(|(w, v)| w * v).sum()
            };
            assert!((flow(&full, &whole) - 1.0).abs() < 1e-14);
            assert!((flow(&half, &lower) - 0.5).abs() < 1e-14);
            for i in 0..=12 {
                for k in 0..=8 {
                    let v = whole[full.index(i, k)];
                    assert_eq!(v, whole[full.index(12 - i, 8 - k)], "mirror images");
                    let same = lower[half.index(i, k.min(8 - k))];
                    assert!((v - same).abs() <= 1e-14 * whole[full.index(6, 4)]);
                    let wall = i % 12 == 0 || k % 8 == 0;
                    assert_eq!(v == 0.0, wall, "zero on walls only");
                }
            }
        }
    }
}

/// The trap of the specification: without scaling, P2 on n x n squares loses 1/(4 n^4) of the bi-quadratic's flow.
#[test]
fn the_bi_quadratic_profile_unscaled_carries_too_little() {
    for n in [1_u32, 2, 3, 6] {
        let g = grid(n, n, 2.0, 2.0, Top::Wall);
        let mut flow = 0.0;
        for (i, w) in g.weights().into_iter().enumerate() {
            let at = |k: usize| k as f64 / f64::from(n) - 1.0;
            let (across, level) = (i / (2 * n as usize + 1), i % (2 * n as usize + 1));
            flow += w * DuctProfile::BiQuadratic.velocity(2.0, 2.0, at(across), at(level));
        }
        let want = 1.0 - 0.25 / f64::from(n).powi(4);
        assert!(
            (flow - want).abs() < 1e-14,
            "n = {n}: {flow} against {want}"
        );
    }
}

#[test]
fn weights_are_those_of_the_extruded_mesh() {
    let kind = straight(4, 2.0, 4.0, 4.0)
        .expect("a plain pipe")
        .kinds
        .remove(0);
    let sockets: Vec<Vec<u32>> = (0..2)
        .map(|slot| kind.nodes_in(slot).iter().map(|&(n, _)| n).collect())
        .collect();
    let rank = socket_rank(&kind.mesh, &sockets).expect("an even socket");
    for (layers, top) in [(3, Top::Symmetry), (3, Top::Wall), (4, Top::Wall)] {
        let made = extrude(&kind.mesh, &rank, layers, 2.0, top).expect("a plain slice");
        let g = grid(4, layers as u32, 4.0, 2.0, top);
        let (p2, p1) = (g.weights(), g.p1_weights());
        assert!((p1.iter().sum::<f64>() - 8.0).abs() < 1e-13);
        for socket in &sockets {
            let (mut want2, mut want1) = (vec![0.0; p2.len()], vec![0.0; p1.len()]);
            let at = |n: u32| {
                let (plane, level) = made.node[n as usize];
                let across = socket.iter().position(|&m| m == plane)?;
                Some(across * (2 * layers + 1) + level as usize)
            };
            for c in 0..made.mesh.n_cells() {
                let cell = made.mesh.cell(c);
                for corners in TETRAHEDRON_FACETS {
                    let vertices: Vec<usize> =
                        corners.iter().filter_map(|&k| at(cell[k])).collect();
                    if vertices.len() < 3 {
                        continue;
                    }
                    let area = 4.0 * 2.0 / (4.0 * layers as f64 * 2.0);
                    for v in vertices {
                        want1[v] += area / 3.0;
                    }
                    for (k, (a, b)) in crate::fem::lagrange::edges::<3>().iter().enumerate() {
                        if corners.contains(a) && corners.contains(b) {
                            want2[at(cell[4 + k]).expect("on the socket")] += area / 3.0;
                        }
                    }
                }
            }
            for (got, want) in [(&p2, &want2), (&p1, &want1)] {
                for (k, (g, w)) in got.iter().zip(want).enumerate() {
                    assert!((g - w).abs() < 1e-14, "node {k}: {g} against {w}, {top:?}");
                }
            }
        }
    }
}

/// Flow and mean wall shear of one slice of a duct at unit pressure gradient: no tangential velocity at either socket, pressure
/// as load, half depth.
fn developed_slice(resolution: u32, aspect: f64) -> (f64, f64) {
    let r = f64::from(resolution);
    // Cells no higher than they are wide.
    let layers = (resolution / 2).max((r / aspect / 2.0).ceil() as u32);
    let kind = straight(resolution, 2.0, r, r)
        .expect("a plain pipe")
        .kinds
        .remove(0);
    let socket = |slot| {
        kind.nodes_in(slot)
            .iter()
            .map(|&(n, _)| n)
            .collect::<Vec<u32>>()
    };
    let sockets = [socket(0), socket(1)];
    let rank = socket_rank(&kind.mesh, &sockets).expect("an even socket");
    let g = grid(resolution, layers, r, r / aspect / 2.0, Top::Symmetry);
    let made = extrude(&kind.mesh, &rank, layers as usize, g.depth, g.top).expect("a plain slice");
    let levels = 2 * layers + 1;
    let on_socket = |plane: u32| sockets.iter().any(|m| m.contains(&plane));
    let (n, matrix) = (made.mesh.nodes.len(), block_matrix::<3>(&made.mesh));
    let free = |k: usize| {
        if k >= 3 * n {
            return true;
        }
        let (plane, level) = made.node[k / 3];
        let held = made.mesh.on_wall[k / 3]
            || (!k.is_multiple_of(3) && on_socket(plane))
            || (k % 3 == 2 && level == levels - 1);
        !held
    };
    let unknowns: Vec<usize> = (0..matrix.n()).filter(|&k| free(k)).collect();
    let mut place = vec![None; matrix.n()];
    unknowns
        .iter()
        .enumerate()
        .for_each(|(j, &k)| place[k] = Some(j));
    let mut dense = faer::Mat::<f64>::zeros(unknowns.len(), unknowns.len());
    let mut x = faer::Mat::<f64>::zeros(unknowns.len(), 1);
    for (i, &k) in unknowns.iter().enumerate() {
        for (column, value) in matrix.row(k, 0.0) {
            if let Some(j) = place[column] {
                dense[(i, j)] = value;
            }
        }
    }
    let at =
        |plane: u32, level: u32| place[3 * made.number[(plane * levels + level) as usize] as usize];
    let weights = g.weights();
    let nodes: Vec<(Option<usize>, f64)> = (sockets[0].iter())
        .flat_map(|&plane| (0..levels).map(move |level| at(plane, level)))
        .zip(weights)
        .collect();
    for &(j, weight) in &nodes {
        if let Some(j) = j {
            x[(j, 0)] += weight;
        }
    }
    let x = dense.partial_piv_lu().solve(x);
    let flow: f64 = nodes
        .iter()
        .filter_map(|&(j, w)| Some(w * x[(j?, 0)]))
        .sum();
    let value = |k: usize| place[k].map_or(0.0, |j| x[(j, 0)]);
    let velocity: Vec<[f64; 3]> = (0..n)
        .map(|k| [value(3 * k), value(3 * k + 1), value(3 * k + 2)])
        .collect();
    let shear = wall_shear3::range(wall_shear3::wall_shear(&made.mesh, &velocity)).mean;
    (2.0 * flow, shear)
}

/// Extrusion, block matrices, sockets and walls together against the series, at the order that the duct's edges allow.
///
/// The flow near the short sides changes over the short side's length: a wide duct shows the order only once some cells fit
/// there (at aspect ratio 4, 3.1 from 4 to 8 cells across and 3.5 from 8 to 16).
#[test]
fn flow_through_a_duct_converges_to_the_series() {
    for (aspect, coarse, ceiling) in [
        (1.0, 4, 4e-4),
        (2.0, 4, 6e-4),
        (4.0, 8, 2e-4),
        (0.1, 2, 3e-3),
    ] {
        let error = |resolution: u32| {
            let (width, depth) = (f64::from(resolution), f64::from(resolution) / aspect);
            let (flow, shear) = developed_slice(resolution, aspect);
            // Forces balance: pressure on the cross-section, shear on the walls.
            let mean_shear = width * depth / (2.0 * (width + depth));
            let balance = (shear / mean_shear - 1.0).abs();
            assert!(balance < 3e-3, "aspect {aspect}, r {resolution}: {balance}");
            (flow / flow_rate(width, depth) - 1.0).abs()
        };
        let (first, second) = (error(coarse), error(2 * coarse));
        let order = (first / second).log2();
        assert!(
            order > 3.4 && second < ceiling,
            "aspect {aspect}: {first} then {second}, order {order}"
        );
    }
}
