use faer::linalg::solvers::Solve;

use super::*;
use crate::plan::{Child, Plan};
use crate::trial::{Random, add, assert_near, column, computed, key, part};
use stokeslet_base::table::Caching;

/// A row of four equal pieces, joined two by two. Each has two unknowns on the left and two on the right, the latter with
/// another sign, and three inside; one of the left ones of the whole is on a wall.
struct Row {
    tree: Tree,
    values: Values,
    /// Over a local vector.
    matrix: Mat<f64>,
}

const LINE: u32 = 2;
const INSIDE: u32 = 3;
/// Local vector: left end 0, right end 1..3, lines between at 3, 5, 7, insides from 9.
const N_BOUNDARY: usize = 3;
const N: usize = 9 + 4 * INSIDE as usize;

fn line_at(j: usize) -> [u32; 2] {
    [[NOWHERE, 0], [3, 4], [5, 6], [7, 8], [1, 2]][j]
}

fn signed(line: [u32; 2], factor: f64) -> Vec<Image> {
    line.map(|to| Image { to, factor }).to_vec()
}

fn row() -> Row {
    let leaf = Random::new(11).symmetric((2 * LINE + INSIDE) as usize);
    let mut plan = Plan::new(Caching::Cached);
    let one = plan.leaf(key(1), 2 * LINE, INSIDE, 0);
    let mut double = |kind, sign: f64| {
        let images = |a: [u32; 2], b: [u32; 2]| -> std::sync::Arc<[Image]> {
            signed(a, 1.0).into_iter().chain(signed(b, sign)).collect()
        };
        let children = vec![
            Child {
                kind,
                images: images([0, 1], [4, 5]),
            },
            Child {
                kind,
                images: images([4, 5], [2, 3]),
            },
        ];
        plan.join(children, 2 * LINE, LINE)
    };
    let two = double(one, -1.0);
    let four = double(two, 1.0);
    let place = |a: usize, b: usize, sign: f64| -> Vec<Image> {
        signed(line_at(a), 1.0)
            .into_iter()
            .chain(signed(line_at(b), sign))
            .collect()
    };
    let node = |kind, (a, b): (usize, usize), sign, eliminated, depth| Node {
        kind,
        boundary: ranges(place(a, b, sign)),
        eliminated,
        depth,
    };
    let mut nodes = vec![
        node(four, (0, 4), 1.0, 5, 0),
        node(two, (0, 2), 1.0, 3, 1),
        node(two, (2, 4), 1.0, 7, 1),
    ];
    let mut matrix = Mat::zeros(N, N);
    for k in 0..4 {
        let inside = 9 + k as u32 * INSIDE;
        nodes.push(node(one, (k, k + 1), -1.0, inside, 2));
        let mut images = place(k, k + 1, -1.0);
        images.extend((inside..inside + INSIDE).map(Image::plain));
        add(&mut matrix, &leaf, &images);
    }
    let values = computed(&plan, &vec![leaf]);
    Row {
        tree: Tree::new(N_BOUNDARY, N, nodes, |_| true),
        values,
        matrix,
    }
}

/// Unknowns inside for values on the boundary and loads inside, and what the loads leave on the boundary.
fn dense(matrix: &Mat<f64>, local_vector: &[f64], loads: &[f64]) -> (Mat<f64>, Mat<f64>) {
    let (first, rest): (Vec<usize>, Vec<usize>) =
        ((0..N_BOUNDARY).collect(), (N_BOUNDARY..N).collect());
    let (b, x) = (
        column(&loads[N_BOUNDARY..]),
        column(&local_vector[..N_BOUNDARY]),
    );
    let lu = part(matrix, &rest, &rest).partial_piv_lu();
    let inside = lu.solve(&b - part(matrix, &rest, &first) * &x);
    let carried = column(&loads[..N_BOUNDARY]) - part(matrix, &first, &rest) * lu.solve(&b);
    (inside, carried)
}

#[test]
fn substitution_through_a_tree_is_a_dense_solve_for_any_number_of_copies() {
    let row = row();
    // Of the leaf's kind 4 nodes a copy: 40 make more columns than one product has, 300 more than one task has.
    for copies in [1, 2, 40, 300] {
        let mut random = Random::new(copies as u64);
        let start = random.vector(copies * N);
        let loads = random.vector(copies * N);
        let mut forward = loads.clone();
        row.tree.forward(&row.values, &mut forward);
        let (mut with, mut without) = (start.clone(), start.clone());
        row.tree.back(&row.values, &mut with, Some(&forward));
        row.tree.back(&row.values, &mut without, None);
        for k in [0, copies / 2, copies - 1] {
            let at = k * N..(k + 1) * N;
            let what = format!("copy {k} of {copies}");
            let (inside, carried) = dense(&row.matrix, &start[at.clone()], &loads[at.clone()]);
            let boundary = column(&forward[at.start..at.start + N_BOUNDARY]);
            assert_near(
                &boundary,
                &carried,
                &format!("loads on the boundary, {what}"),
            );
            let got = column(&with[at.start + N_BOUNDARY..at.end]);
            assert_near(&got, &inside, &format!("with loads, {what}"));
            let (inside, _) = dense(&row.matrix, &start[at.clone()], &[0.0; N]);
            let got = column(&without[at.start + N_BOUNDARY..at.end]);
            assert_near(&got, &inside, &format!("without loads, {what}"));
            assert_eq!(
                with[at.start..at.start + N_BOUNDARY],
                start[at.start..at.start + N_BOUNDARY],
                "the boundary is only read"
            );
        }
    }
}

#[test]
fn copies_do_not_know_of_each_other() {
    let row = row();
    let mut random = Random::new(4);
    let (first, second) = (random.vector(N), random.vector(N));
    let alone = [&first, &second].map(|local_vector| {
        let mut local_vector = local_vector.clone();
        row.tree.back(&row.values, &mut local_vector, None);
        local_vector
    });
    let mut both: Vec<f64> = first.iter().chain(&second).copied().collect();
    row.tree.back(&row.values, &mut both, None);
    assert_near(&column(&both), &column(&alone.concat()), "side by side");
}

#[test]
fn scattering_is_the_transpose_of_gathering() {
    let image = |to, factor| Image { to, factor };
    let images = [
        image(4, 1.0),
        image(5, 1.0),
        image(6, -1.0),
        image(NOWHERE, 1.0),
        image(NOWHERE, 1.0),
        image(0, 0.5),
        image(4, 1.0),
    ];
    let ranges = ranges(images);
    assert_eq!(
        ranges.len(),
        5,
        "consecutive places with one factor are one range"
    );
    let mut random = Random::new(9);
    let (x, y) = (random.vector(8), random.vector(images.len()));
    let mut gathered = vec![f64::NAN; images.len()];
    gather(&ranges, &x, &mut gathered);
    for (g, i) in gathered.iter().zip(&images) {
        let want = if i.to == NOWHERE {
            0.0
        } else {
            i.factor * x[i.to as usize]
        };
        assert_eq!(*g, want);
    }
    let mut scattered = vec![0.0; 8];
    scatter(&ranges, &y, &mut scattered);
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    assert!((dot(&gathered, &y) - dot(&x, &scattered)).abs() < 1e-14);
}
