use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::fem::lagrange::{cell_point, edges};
use crate::fem::quadrature;
use crate::mesh::{BlockKind, arc, socket_rank, straight};
use crate::stokes::local::block_matrix;

pub fn first(mesh: Result<crate::mesh::ComponentMesh, crate::mesh::MeshError>) -> BlockKind<2> {
    mesh.expect("a plain strip").kinds.remove(0)
}

pub fn sockets(kind: &BlockKind<2>) -> Vec<Vec<u32>> {
    (0..kind.n_slots as u16)
        .map(|slot| kind.nodes_in(slot).iter().map(|&(n, _)| n).collect())
        .collect()
}

pub fn extruded(kind: &BlockKind<2>, layers: usize, depth: f64, top: Top) -> Extruded {
    let rank = socket_rank(&kind.mesh, &sockets(kind)).expect("even sockets");
    extrude(&kind.mesh, &rank, layers, depth, top).expect("a plain slice")
}

fn kinds() -> Vec<BlockKind<2>> {
    vec![
        first(straight(4, 2.0, 4.0, 4.0)),
        first(straight(4, 8.0, 4.0, 7.0)),
        first(arc(6, 9.0, 1.0)),
    ]
}

#[test]
fn nodes_are_the_plane_nodes_times_the_levels() {
    for kind in kinds() {
        let made = extruded(&kind, 3, 2.4, Top::Wall);
        let (plane, mesh) = (&kind.mesh, &made.mesh);
        assert_eq!(mesh.nodes.len(), plane.nodes.len() * 7);
        assert_eq!(mesh.n_cells(), plane.n_cells() * 9);
        for (k, (&(n, level), x)) in made.node.iter().zip(&mesh.nodes).enumerate() {
            assert_eq!(made.number[n as usize * 7 + level as usize], k as u32);
            let p = plane.nodes[n as usize];
            assert_eq!(*x, [p[0], p[1], 2.4 * (f64::from(level) / 6.0)]);
            let vertex = (n as usize) < plane.n_vertices && level % 2 == 0;
            assert_eq!(vertex, k < mesh.n_vertices, "vertices come first");
            let wall = plane.on_wall[n as usize] || level == 0 || level == 6;
            assert_eq!(mesh.on_wall[k], wall);
        }
        let mut used = vec![false; mesh.nodes.len()];
        for c in 0..mesh.n_cells() {
            let cell = mesh.cell(c);
            cell.iter().for_each(|&n| used[n as usize] = true);
            assert!(cell[..4].iter().all(|&n| (n as usize) < mesh.n_vertices));
            for (&(a, b), &m) in edges::<3>().iter().zip(&cell[4..]) {
                let [a, b, m] = [cell[a], cell[b], m].map(|n| made.node[n as usize]);
                assert_eq!(2 * m.1, a.1 + b.1, "an edge's middle is half way up");
                // The plane's own middle of the two ends, or the vertex above which both lie.
                let middle = (0..plane.n_cells()).find_map(|t| {
                    let t = plane.cell(t);
                    let ends = |k: usize| [t[k], t[(k + 1) % 3]];
                    (0..3)
                        .find(|&k| ends(k) == [a.0, b.0] || ends(k) == [b.0, a.0])
                        .map(|k| t[3 + k])
                });
                assert_eq!(Some(m.0), if a.0 == b.0 { Some(a.0) } else { middle });
            }
        }
        assert!(used.iter().all(|&u| u), "every node is one of a cell's");
    }
}

#[test]
fn tetrahedra_fill_the_plane_mesh_times_its_depth() {
    let plane_rule = quadrature::simplex::<2>(6);
    let rule = quadrature::simplex::<3>(6);
    for kind in kinds() {
        for top in [Top::Wall, Top::Symmetry] {
            let made = extruded(&kind, 2, 1.7, top);
            let mut volume = 0.0;
            for c in 0..made.mesh.n_cells() {
                let nodes = made.mesh.cell_nodes(c);
                for (l, w) in rule.points.iter().zip(&rule.weights) {
                    let det = cell_point::<3>(&nodes, l).det_jacobian;
                    assert!(det > 0.0, "cell {c} is the right way round");
                    volume += w * det;
                }
            }
            let mut area = 0.0;
            for c in 0..kind.mesh.n_cells() {
                let nodes = kind.mesh.cell_nodes(c);
                for (l, w) in plane_rule.points.iter().zip(&plane_rule.weights) {
                    area += w * cell_point::<2>(&nodes, l).det_jacobian;
                }
            }
            assert!(
                (volume / (1.7 * area) - 1.0).abs() < 1e-13,
                "curved cells too: {volume} against {area} times 1.7"
            );
        }
    }
}

#[test]
fn inner_facets_have_two_cells_and_walls_cover_sides_bottom_and_top() {
    for kind in kinds() {
        for (top, covers) in [(Top::Wall, 2), (Top::Symmetry, 1)] {
            let made = extruded(&kind, 2, 1.0, top);
            let mesh = &made.mesh;
            let mut cells_of: BTreeMap<Vec<u32>, usize> = Default::default();
            let facet = |c: usize, k: usize| {
                let mut key: Vec<u32> = TETRAHEDRON_FACETS[k]
                    .iter()
                    .map(|&v| mesh.cell(c)[v])
                    .collect();
                key.sort_unstable();
                key
            };
            for c in 0..mesh.n_cells() {
                (0..4).for_each(|k| *cells_of.entry(facet(c, k)).or_default() += 1);
            }
            let outer = cells_of.values().filter(|&&n| n == 1).count();
            assert!(cells_of.values().all(|&n| n <= 2));
            let (sides, both) = (2 * kind.mesh.walls.len() * 2, 2 * kind.mesh.n_cells());
            let ends: usize = sockets(&kind).iter().map(|m| (m.len() - 1) * 2).sum();
            assert_eq!(outer, sides + both + ends);
            assert_eq!(mesh.walls.len(), sides + covers * kind.mesh.n_cells());
            for &(c, k) in &mesh.walls {
                assert_eq!(cells_of[&facet(c as usize, k as usize)], 1);
                let on = |v: &usize| mesh.on_wall[mesh.cell(c as usize)[*v] as usize];
                assert!(TETRAHEDRON_FACETS[k as usize].iter().all(on));
            }
        }
    }
}

#[test]
fn the_mesh_between_walls_is_the_half_one_and_its_mirror_image() {
    let kind = &kinds()[0];
    let cells = |mesh: &BlockMesh<3>, place: &dyn Fn([f64; 3]) -> [f64; 3]| {
        let cell = |c| {
            let corners = mesh.cell_nodes(c).into_iter().take(4);
            let mut key: Vec<[i64; 3]> = corners
                .map(|p| place(p).map(|x| (x * 1e7).round() as i64))
                .collect();
            key.sort_unstable();
            key
        };
        (0..mesh.n_cells()).map(cell).collect::<BTreeSet<_>>()
    };
    let half = extruded(kind, 2, 1.0, Top::Symmetry).mesh;
    let full = extruded(kind, 4, 2.0, Top::Wall).mesh;
    let mut both = cells(&half, &|p| p);
    both.extend(cells(&half, &|p| [p[0], p[1], 2.0 - p[2]]));
    assert_eq!(cells(&full, &|p| p), both);
}

#[test]
fn block_matrices_are_symmetric_and_rigid_motions_cost_nothing() {
    let motions: [fn([f64; 3]) -> [f64; 3]; 6] = [
        |_| [1.0, 0.0, 0.0],
        |_| [0.0, 1.0, 0.0],
        |_| [0.0, 0.0, 1.0],
        |p| [-p[1], p[0], 0.0],
        |p| [0.0, -p[2], p[1]],
        |p| [p[2], 0.0, -p[0]],
    ];
    for kind in kinds() {
        let mesh = extruded(&kind, 2, 1.5, Top::Symmetry).mesh;
        let m = block_matrix::<3>(&mesh);
        for i in 0..m.n() {
            for (j, v) in m.row(i, 0.7) {
                let back: f64 = m.row(j, 0.7).filter(|e| e.0 == i).map(|e| e.1).sum();
                assert!((v - back).abs() < 1e-13, "entry ({i}, {j})");
            }
        }
        for (k, motion) in motions.iter().enumerate() {
            let mut x: Vec<f64> = mesh.nodes.iter().flat_map(|&p| motion(p)).collect();
            x.resize(m.n(), 0.0);
            assert!(
                m.multiply(&x, 0.0).iter().all(|y| y.abs() < 1e-11),
                "rigid motion {k} is free of stress"
            );
        }
        // A stretch is not: the check above can fail.
        let mut x: Vec<f64> = mesh.nodes.iter().flat_map(|p| [p[0], 0.0, 0.0]).collect();
        x.resize(m.n(), 0.0);
        assert!(m.multiply(&x, 0.0).iter().any(|y| y.abs() > 1e-2));
    }
}

#[test]
fn what_has_no_meaning_is_an_error() {
    let kind = first(straight(4, 2.0, 4.0, 4.0));
    let rank = socket_rank(&kind.mesh, &sockets(&kind)).expect("even sockets");
    let make = |rank: &[f64], layers, depth| extrude(&kind.mesh, rank, layers, depth, Top::Wall);
    assert!(matches!(
        make(&rank, 2, 0.0),
        Err(ExtrudeError::Depth { .. })
    ));
    assert!(matches!(
        make(&rank, 2, f64::NAN),
        Err(ExtrudeError::Depth { .. })
    ));
    assert_eq!(
        make(&rank, 1, 1.0),
        Err(ExtrudeError::Layers {
            layers: 1,
            least: 2
        })
    );
    assert!(matches!(
        make(&[0.0; 10], 2, 1.0),
        Err(ExtrudeError::Rank { .. })
    ));
    assert!(matches!(
        make(&rank[1..], 2, 1.0),
        Err(ExtrudeError::Rank { .. })
    ));
    assert!(matches!(
        make(&rank, 1 << 40, 1.0),
        Err(ExtrudeError::TooManyNodes { .. })
    ));
}
