use faer::linalg::solvers::Solve as _;

use super::*;
use crate::plan::{Image, Plan};
use crate::tree::ranges;
use crate::trial::{Random, add, assert_near, column, computed, key, part};
use stokeslet_base::table::Caching;

/// Roots on places of a top vector's boundary, each of a kind of its own, and the sum of their matrices.
fn roots(matrices: &[(Mat<f64>, Vec<u32>)], n: usize) -> (Values, Vec<Root>, Mat<f64>) {
    let mut plan = Plan::new(Caching::Cached);
    let mut whole = Mat::zeros(n, n);
    let mut roots = Vec::new();
    for (k, (m, places)) in matrices.iter().enumerate() {
        let images: Vec<Image> = places.iter().map(|&p| Image::plain(p)).collect();
        add(&mut whole, m, &images);
        roots.push(Root {
            kind: plan.leaf(key(k as u64), places.len() as u32, 0, k as u32),
            boundary: ranges(images),
        });
    }
    let leaves = matrices.iter().map(|m| m.0.clone()).collect();
    (computed(&plan, &leaves), roots, whole)
}

#[test]
fn a_network_with_ties_and_given_values_agrees_with_a_dense_solve() {
    use Class::{Given, Kept};
    let mut random = Random::new(3);
    let tie = |n: usize| Mat::from_fn(n, n, |i, j| -f64::from(i.abs_diff(j) == n / 2));
    let parts = vec![
        (random.symmetric(5), vec![0, 1, 2, 5, NOWHERE]),
        (random.symmetric(4), vec![3, 4, 2, 6]),
        (random.symmetric(3), vec![7, 8, 9]),
        (random.symmetric(2), vec![9, 0]),
        (tie(4), vec![0, 1, 7, 8]),
        (tie(2), vec![5, 6]),
    ];
    let classes = [Kept, Kept, Kept, Given, Kept, Kept, Kept, Kept, Kept, Given];
    let (values, roots, whole) = roots(&parts, 10);
    let kept: Vec<usize> = (0..10).filter(|&k| classes[k] == Kept).collect();
    let given = [3, 9];
    let loads = random.vector(10);
    let mut x = random.vector(10);
    let held = Mat::from_fn(2, 1, |i, _| x[given[i]]);
    let rhs =
        Mat::from_fn(kept.len(), 1, |i, _| loads[kept[i]]) - part(&whole, &kept, &given) * held;
    let want = part(&whole, &kept, &kept).partial_piv_lu().solve(&rhs);

    let network = Network::new(&values, roots, &classes, &[]).expect("regular");
    let reactions = network.solve(&values, &mut x, &loads);
    let got: Vec<f64> = kept.iter().map(|&k| x[k]).collect();
    assert_near(&column(&got), &want, "kept unknowns");
    let residual = &whole * column(&x) - column(&loads);
    assert_near(&column(&reactions), &residual, "reactions are A x - loads");
    for &k in &kept {
        assert!(reactions[k].abs() < 1e-12, "nothing holds what is free");
    }
}

/// Symmetric, and zero for equal values on all unknowns: conductances between every two.
fn conductances(random: &mut Random, n: usize) -> Mat<f64> {
    let mut m = Mat::zeros(n, n);
    for j in 0..n {
        for i in 0..j {
            let g = 1.5 + random.next();
            m[(i, j)] -= g;
            m[(j, i)] -= g;
            m[(i, i)] += g;
            m[(j, j)] += g;
        }
    }
    m
}

#[test]
fn a_datum_changes_no_answer_to_data_that_balance() {
    let mut random = Random::new(6);
    // Two connected components.
    let parts = vec![
        (conductances(&mut random, 4), vec![0, 1, 2, 3]),
        (conductances(&mut random, 3), vec![3, 4, 5]),
        (conductances(&mut random, 3), vec![6, 7, 8]),
    ];
    let (values, roots, whole) = roots(&parts, 9);
    let classes = [Class::Kept; 9];
    let datums = [2, 7];
    let mut loads = random.vector(9);
    for component in [0..6, 6..9] {
        let mean = loads[component.clone()].iter().sum::<f64>() / component.len() as f64;
        loads[component].iter_mut().for_each(|b| *b -= mean);
    }
    let network = Network::new(&values, roots, &classes, &datums).expect("with a datum");
    let mut x = vec![0.0; 9];
    let reactions = network.solve(&values, &mut x, &loads);
    assert_near(
        &(&whole * column(&x)),
        &column(&loads),
        "the equations as they were",
    );
    assert!(reactions.iter().all(|r| r.abs() < 1e-12), "{reactions:?}");
    for g in datums {
        assert!(
            x[g as usize].abs() < 1e-12,
            "zero at the datum: {}",
            x[g as usize]
        );
    }
}

#[test]
fn a_network_without_unknowns_only_reacts() {
    let mut random = Random::new(1);
    let (values, roots, whole) = roots(&[(random.symmetric(3), vec![0, 1, 2])], 3);
    let network = Network::new(&values, roots, &[Class::Given; 3], &[]).expect("nothing to solve");
    let mut x = random.vector(3);
    let before = x.clone();
    let reactions = network.solve(&values, &mut x, &[0.0; 3]);
    assert_eq!(x, before, "given values stay");
    assert_near(&column(&reactions), &(&whole * column(&x)), "reactions");
}

#[test]
fn a_singular_network_is_refused_or_not_finite() {
    let (values, roots, _) = roots(&[(Mat::zeros(2, 2), vec![0, 1])], 2);
    let Some(network) = Network::new(&values, roots, &[Class::Kept; 2], &[]) else {
        return;
    };
    let mut x = vec![0.0; 2];
    network.solve(&values, &mut x, &[1.0, 1.0]);
    assert!(
        x.iter().any(|v| !v.is_finite()),
        "never a number that looks right: {x:?}"
    );
}
