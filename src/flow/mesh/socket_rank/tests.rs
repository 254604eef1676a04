use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::fem::lagrange::edges;
use crate::mesh::delaunay::delaunay;
use crate::mesh::extrude::tests::{extruded, first, sockets};
use crate::mesh::gaps::Sizes;
use crate::mesh::grid::grid;
use crate::mesh::{BlockMesh, P2Mesh, TETRAHEDRON_FACETS, Top, extrude, straight};
use crate::stokes::local::block_matrix;
use stokeslet_base::geometry::Point;

/// Facets on the surface that `here` describes, each by the positions of its six nodes as `place` moves them.
fn faces(
    mesh: &BlockMesh<3>,
    place: impl Fn([f64; 3]) -> [f64; 3],
    here: impl Fn([f64; 3]) -> bool,
) -> BTreeSet<Vec<[i64; 3]>> {
    let mut found = BTreeSet::new();
    for c in 0..mesh.n_cells() {
        let nodes = mesh.cell_nodes(c);
        for corners in TETRAHEDRON_FACETS {
            let mut on: Vec<[f64; 3]> = corners.iter().map(|&k| place(nodes[k])).collect();
            for (k, &(a, b)) in edges::<3>().iter().enumerate() {
                if corners.contains(&a) && corners.contains(&b) {
                    on.push(place(nodes[4 + k]));
                }
            }
            if on.iter().all(|&p| here(p)) {
                let mut key: Vec<[i64; 3]> = on
                    .iter()
                    .map(|p| p.map(|x| (x * 1e7).round() as i64))
                    .collect();
                key.sort_unstable();
                found.insert(key);
            }
        }
    }
    found
}

/// All ways in which two slices may meet at x = 1: end to start, and end to end or start to start by half a turn.
#[test]
fn slices_that_meet_agree_on_every_face_whichever_way_they_are_turned() {
    let kind = first(straight(6, 2.0, 6.0, 6.0));
    let at = |x: f64| move |p: [f64; 3]| (p[0] - x).abs() < 1e-9;
    for top in [Top::Wall, Top::Symmetry] {
        let mesh = extruded(&kind, 3, 3.0, top).mesh;
        let end = faces(&mesh, |p| p, at(1.0));
        assert_eq!(end.len(), 2 * 6 * 3, "two triangles a rectangle");
        let start = faces(&mesh, |p| [p[0] + 1.0, p[1], p[2]], at(1.0));
        let turned_end = faces(&mesh, |p| [2.0 - p[0], -p[1], p[2]], at(1.0));
        let turned_start = faces(&mesh, |p| [1.0 - p[0], -p[1], p[2]], at(1.0));
        assert_eq!(end, start);
        assert_eq!(end, turned_end);
        assert_eq!(end, turned_start);
    }
    // A rule by position alone fails this: that is what the ranks are for.
    let by_y: Vec<f64> = kind.mesh.nodes[..kind.mesh.n_vertices]
        .iter()
        .map(|p| p[1] + 0.1 * p[0])
        .collect();
    let mesh = extrude(&kind.mesh, &by_y, 3, 3.0, Top::Symmetry)
        .expect("distinct ranks")
        .mesh;
    let end = faces(&mesh, |p| p, at(1.0));
    assert_ne!(end, faces(&mesh, |p| [2.0 - p[0], -p[1], p[2]], at(1.0)));
}

/// Pressures that no free velocity determines, with all of the boundary held (but the top under symmetry).
fn undetermined_pressures(
    plane: &BlockMesh<2>,
    sockets: &[Vec<u32>],
    rank: &[f64],
    layers: usize,
    top: Top,
) -> usize {
    let made = extrude(plane, rank, layers, layers as f64, top).expect("a plain part");
    let (mesh, levels) = (&made.mesh, 2 * layers as u32 + 1);
    let mut held = mesh.on_wall.clone();
    for &n in sockets.iter().flatten() {
        let column = n * levels..(n + 1) * levels;
        column.for_each(|at| held[made.number[at as usize] as usize] = true);
    }
    let m = block_matrix::<3>(mesh);
    let free = |k: usize| !(held[k / 3] || k % 3 == 2 && made.node[k / 3].1 == levels - 1);
    let free: Vec<usize> = (0..3 * mesh.nodes.len()).filter(|&k| free(k)).collect();
    let column: BTreeMap<usize, usize> = free.iter().enumerate().map(|(j, &k)| (k, j)).collect();
    let mut b = faer::Mat::<f64>::zeros(mesh.n_vertices, free.len());
    for v in 0..mesh.n_vertices {
        for (j, value) in m.row(3 * mesh.nodes.len() + v, 0.0) {
            if let Some(&j) = column.get(&j) {
                b[(v, j)] = value;
            }
        }
    }
    let values = b.singular_values().expect("a small matrix");
    let regular = values.iter().filter(|&&s| s > 1e-6 * values[0]).count();
    mesh.n_vertices - regular
}

/// With all sockets closed corner cells have nearly all of their edges held: the worst case for pressures.
#[test]
fn closed_parts_determine_their_pressure_up_to_a_constant() {
    let slice = first(straight(4, 2.0, 4.0, 4.0));
    let slice = (sockets(&slice), slice.mesh);
    let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)].map(|(x, y)| Point::new(x, y));
    // An elbow: its sockets share a corner.
    let elbow = grid(&square, &[0, 3], 4)
        .expect("a square")
        .expect("fits a grid")
        .mesh;
    let hexagon: Vec<Point> = (0..6)
        .map(|k| Point::unit(f64::from(k) * std::f64::consts::FRAC_PI_3) * 2.0)
        .collect();
    let domain = crate::mesh::Domain::simple(&hexagon, &[0, 2, 4]);
    let sizes = Sizes::new(&domain, 2, Vec::new()).expect("no gap");
    let fan = delaunay(&domain, 2, &sizes).expect("a hexagon");
    for (sockets, plane) in [slice, plane(&elbow), plane(&fan)] {
        let rank = socket_rank(&plane, &sockets).expect("even sockets");
        let undetermined =
            |rank: &[f64], layers, top| undetermined_pressures(&plane, &sockets, rank, layers, top);
        for (layers, top) in [
            (1, Top::Symmetry),
            (2, Top::Symmetry),
            (2, Top::Wall),
            (3, Top::Wall),
        ] {
            assert_eq!(
                undetermined(&rank, layers, top),
                1,
                "{layers} layers, {top:?}"
            );
        }
        // Corners highest instead leave pressures without any velocity, where a corner is in one cell only.
        let mut cells_at = vec![0; plane.n_vertices];
        for c in 0..plane.n_cells() {
            plane.cell(c)[..3]
                .iter()
                .for_each(|&v| cells_at[v as usize] += 1);
        }
        let single = cells_at.contains(&1);
        let reversed: Vec<f64> = rank.iter().map(|r| -r).collect();
        assert_eq!(undetermined(&reversed, 2, Top::Symmetry) > 1, single);
    }
}

fn plane(mesh: &P2Mesh) -> (Vec<Vec<u32>>, BlockMesh<2>) {
    let block = BlockMesh {
        nodes: mesh.nodes.iter().map(|p| [p.x, p.y]).collect(),
        n_vertices: mesh.n_vertices,
        cells: mesh.cells.concat(),
        on_wall: mesh.on_wall.clone(),
        walls: mesh.walls.clone(),
    };
    (mesh.sockets.clone(), block)
}

#[test]
fn a_socket_of_an_odd_number_of_edges_is_an_error() {
    let odd = first(straight(5, 2.0, 5.0, 5.0));
    assert_eq!(
        socket_rank(&odd.mesh, &sockets(&odd)),
        Err(ExtrudeError::OddSocket {
            socket: 0,
            edges: 5
        })
    );
}
