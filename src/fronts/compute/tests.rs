use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::*;
use crate::plan::{Child, FrontKind, NOWHERE};
use crate::trial::{
    Memory, Random, add, assert_near, bits, computed, key, part, run, solved, weights,
};
use stokeslet_base::table::Caching;

/// All of one kind.
fn wanted<'a>(kind: &'a [KindId; 1], deep: bool) -> Wanted<'a> {
    Wanted {
        schurs: kind,
        insides: kind,
        deep,
    }
}

/// Schur complement and weights of a leaf.
fn one_leaf(a: &Mat<f64>, b: usize) -> Result<(Mat<f64>, Mat<f64>), FrontError> {
    let mut plan = Plan::new(Caching::Cached);
    let kind = plan.leaf(key(1), b as u32, (a.nrows() - b) as u32, 0);
    let mut values = Values::default();
    let leaves = vec![a.clone()];
    values.compute(
        &plan,
        wanted(&[kind], false),
        run(&leaves, &Memory::default()),
    )?;
    Ok((values.schur(kind).clone(), weights(&plan, &values, kind)))
}

/// What is left of `a` on its first `b` unknowns, and the others for unit values of these.
fn by_dense_elimination(a: &Mat<f64>, b: usize) -> (Mat<f64>, Mat<f64>) {
    let (first, rest): (Vec<usize>, Vec<usize>) = ((0..b).collect(), (b..a.nrows()).collect());
    let weights = solved(&part(a, &rest, &rest), &part(a, &rest, &first)) * faer::Scale(-1.0);
    let schur = part(a, &first, &first) + part(a, &first, &rest) * &weights;
    (schur, weights)
}

#[test]
fn a_leaf_is_its_schur_complement_whatever_its_size() {
    // (boundary, eliminated): one panel, several, a panel's exact width and one more; nothing to keep or to eliminate; large
    // blocks with few and with many columns.
    let sizes = [
        (1, 1),
        (7, 12),
        (192, 30),
        (193, 30),
        (420, 35),
        (900, 3),
        (20, 250),
        (300, 200),
        (0, 5),
        (6, 0),
    ];
    for (b, e) in sizes {
        let a = Random::new((b + e) as u64).symmetric(b + e);
        let (schur, w) = one_leaf(&a, b).expect("regular");
        let (want_schur, want_w) = by_dense_elimination(&a, b);
        assert_near(
            &schur,
            &want_schur,
            &format!("Schur complement of {b} and {e}"),
        );
        assert_near(&w, &want_w, &format!("weights of {b} and {e}"));
        assert_eq!(
            bits(&schur),
            bits(&schur.transpose().to_owned()),
            "symmetric to the last bit, {b} and {e}"
        );
    }
}

/// Velocities and pressures: zeros on the diagonal, so that nothing can be eliminated in a given order.
#[test]
fn saddle_points_are_eliminated_with_pivoting() {
    for (n_velocity, n_pressure, b) in [(6, 3, 4), (40, 30, 10), (160, 120, 30)] {
        let (e, mut random) = (n_velocity + n_pressure, Random::new(n_velocity as u64));
        let mut a = random.definite(b + e);
        // Boundary, pressures, velocities: pressures come first, on zeros.
        for i in b..b + n_pressure {
            (b..b + n_pressure).for_each(|j| a[(i, j)] = 0.0);
        }
        let (schur, w) = one_leaf(&a, b).expect("regular");
        let (want_schur, want_w) = by_dense_elimination(&a, b);
        let off = (&schur - &want_schur).norm_max() / want_schur.norm_max();
        assert!(
            off < 1e-9,
            "Schur complement with {n_pressure} pressures: {off:.1e}"
        );
        let off = (&w - &want_w).norm_max() / want_w.norm_max();
        assert!(off < 1e-9, "weights with {n_pressure} pressures: {off:.1e}");
    }
}

/// Images of two children with factors, walls, and ranges that cross from what stays to what goes.
fn two_images(n_boundary: u32) -> [Vec<Image>; 2] {
    let image = |to, factor| Image { to, factor };
    let b = n_boundary;
    [
        vec![
            image(b - 1, 1.0),
            image(b, 1.0),
            image(b + 1, 1.0),
            image(0, 1.0),
            image(NOWHERE, 1.0),
        ],
        vec![
            image(b + 1, -1.0),
            image(1, -1.0),
            image(b, -1.0),
            image(b - 1, 0.25),
            image(b + 2, 1.0),
            image(NOWHERE, -1.0),
        ],
    ]
}

fn joined(seed: u64) -> (Plan, Vec<Mat<f64>>, KindId, [Vec<Image>; 2]) {
    let mut random = Random::new(seed);
    let leaves = vec![random.symmetric(8), random.symmetric(6)];
    let mut plan = Plan::new(Caching::Cached);
    let a = plan.leaf(key(seed), 5, 3, 0);
    let b = plan.leaf(key(seed + 1000), 6, 0, 1);
    let images = two_images(4);
    let children = [a, b]
        .into_iter()
        .zip(&images)
        .map(|(kind, i)| Child {
            kind,
            images: i.as_slice().into(),
        })
        .collect();
    let join = plan.join(children, 4, 3);
    (plan, leaves, join, images)
}

#[test]
fn a_join_adds_children_where_their_images_lie() {
    let (plan, leaves, join, images) = joined(3);
    let values = computed(&plan, &leaves);
    let mut whole = Mat::zeros(7, 7);
    for (leaf, images) in images.iter().enumerate() {
        add(
            &mut whole,
            &by_dense_elimination(&leaves[leaf], images.len()).0,
            images,
        );
    }
    let (schur, want) = by_dense_elimination(&whole, 4);
    assert_near(values.schur(join), &schur, "Schur complement");
    assert_near(&weights(&plan, &values, join), &want, "weights");
}

/// Runs in another order than the child's, across block columns and from what stays to what goes.
#[test]
fn large_children_are_added_in_any_order() {
    let (n, b, e) = (700_u32, 600, 100);
    let mut random = Random::new(12);
    let leaves = vec![random.symmetric(n as usize), random.symmetric(n as usize)];
    let mut plan = Plan::new(Caching::Cached);
    let piece = 37; // of a run; turned about, it never ends with a block
    let turned = |i: u32| {
        let first = i / piece * piece;
        n - (first + piece).min(n) + (i - first)
    };
    let images: [Vec<Image>; 2] = [
        (0..n).map(Image::plain).collect(),
        (0..n)
            .map(|i| Image {
                to: turned(i),
                factor: if i / piece % 2 == 0 { 0.5 } else { -0.25 },
            })
            .collect(),
    ];
    let children = (0..2)
        .map(|k| Child {
            kind: plan.leaf(key(u64::from(k)), n, 0, k),
            images: images[k as usize].as_slice().into(),
        })
        .collect();
    let join = plan.join(children, b, e);
    // Only the join is read, so of its children the lower triangle is all there is.
    let mut values = Values::default();
    let done = values.compute(
        &plan,
        wanted(&[join], false),
        run(&leaves, &Memory::default()),
    );
    assert_eq!(done, Ok(()));
    let mut whole = Mat::zeros(n as usize, n as usize);
    for (leaf, images) in leaves.iter().zip(&images) {
        add(&mut whole, leaf, images);
    }
    let (schur, want) = by_dense_elimination(&whole, b as usize);
    assert_near(values.schur(join), &schur, "Schur complement");
    assert_near(&weights(&plan, &values, join), &want, "weights");
}

/// A front and its mirror image: `on_mirror` unknowns between them (every third changes its sign), of which some stay, and
/// `beside` on each side, of which all but the last stay; walls too. `shift`: on the mirror they don't meet
/// themselves.
fn mirror_pair(
    on_mirror: u32,
    beside: u32,
    shift: u32,
) -> (Plan, Vec<Mat<f64>>, KindId, [Vec<Image>; 2]) {
    let stay = on_mirror / 4; // on the mirror
    let b = stay + 2 * (beside - 1);
    let image = |to, turned: bool| Image {
        to,
        factor: if turned { -1.0 } else { 1.0 },
    };
    let side = |other: bool| -> Vec<Image> {
        let first = u32::from(other) * (beside - 1);
        let on = (0..on_mirror).map(|i| {
            let to = if i < stay {
                i
            } else if other {
                b + (i - stay + shift) % (on_mirror - stay)
            } else {
                b + i - stay
            };
            image(to, other && i % 3 == 0)
        });
        let off =
            (0..beside - 1).map(|i| image(stay + first + i, (i % 5 == 0) != (other && i % 2 == 0)));
        let last = image(b + on_mirror - stay + u32::from(other), other);
        let wall = image(NOWHERE, false);
        on.chain(off).chain([last, wall]).collect()
    };
    let images = [side(false), side(true)];
    let n = images[0].len();
    let leaves = vec![Random::new(17).symmetric(n)];
    let mut plan = Plan::new(Caching::Cached);
    let leaf = plan.leaf(key(1), n as u32, 0, 0);
    let child = |images: &Vec<Image>| Child {
        kind: leaf,
        images: images.as_slice().into(),
    };
    let children = images.iter().map(child).collect();
    let join = plan.join(children, b, on_mirror - stay + 2);
    (plan, leaves, join, images)
}

#[test]
fn mirror_symmetric_pairs_are_eliminated_in_halves() {
    // Whether they are a mirror-symmetric pair; pivots by LU, then by LDL^T; of one and of several block columns.
    for (on_mirror, beside, shift, are_a_pair) in [
        (90, 120, 0, true),
        (200, 170, 0, true),
        (320, 300, 0, true),
        (90, 120, 1, false),
    ] {
        let (plan, leaves, join, images) = mirror_pair(on_mirror, beside, shift);
        let kind = &plan.kinds[join as usize];
        let (b, e) = (kind.n_boundary as usize, kind.n_eliminated as usize);
        let mut whole = Mat::zeros(b + e, b + e);
        for images in &images {
            add(&mut whole, &leaves[0], images);
        }
        let (schur, want) = by_dense_elimination(&whole, b);
        let values = computed(&plan, &leaves);
        assert_near(values.schur(join), &schur, "Schur complement");
        assert_near(&weights(&plan, &values, join), &want, "weights");
        let inside = values.inside(join);
        let loads = Mat::from_fn(e, 2, |i, j| ((i * 7 + j) % 11) as f64 - 5.0);
        let (solved_loads, carried) = inside.carry(&loads);
        let rest: Vec<usize> = (b..b + e).collect();
        assert_near(
            &solved_loads,
            &solved(&part(&whole, &rest, &rest), &loads),
            "loads",
        );
        assert_near(
            &carried,
            &(want.transpose() * &loads),
            "what loads do to the boundary",
        );
        // As it is, each front takes more than e b^2.
        let as_it_is = (e * b * b) as u64;
        assert_eq!(
            inside.flops() < as_it_is,
            are_a_pair,
            "{} of {as_it_is}",
            inside.flops()
        );
    }
}

#[test]
fn two_images_of_one_child_may_be_one_unknown() {
    let a = Random::new(5).symmetric(4);
    let mut plan = Plan::new(Caching::Cached);
    let leaf = plan.leaf(key(1), 4, 0, 0);
    let places = [(0, 1.0), (2, 1.0), (1, 1.0), (2, -0.5)];
    let images: Vec<Image> = places.map(|(to, factor)| Image { to, factor }).to_vec();
    let child = Child {
        kind: leaf,
        images: images.as_slice().into(),
    };
    let join = plan.join(vec![child], 2, 1);
    let values = computed(&plan, &vec![a.clone()]);
    let mut whole = Mat::zeros(3, 3);
    add(&mut whole, &a, &images);
    let (schur, _) = by_dense_elimination(&whole, 2);
    assert_near(values.schur(join), &schur, "Schur complement");
}

#[test]
fn singular_and_infinite_blocks_are_refused_by_name() {
    let mut a = Random::new(1).symmetric(6);
    for k in 0..6 {
        a[(5, k)] = 0.0;
        a[(k, 5)] = 0.0;
    }
    assert_eq!(
        one_leaf(&a, 3).map(|_| ()),
        Err(FrontError::Singular { kind: 0 })
    );
    let mut a = Random::new(1).symmetric(6);
    // Rank one: no zero entry, but the second pivot vanishes.
    (0..3).for_each(|j| (0..3).for_each(|i| a[(3 + i, 3 + j)] = 1.0));
    assert_eq!(
        one_leaf(&a, 3).map(|_| ()),
        Err(FrontError::Singular { kind: 0 })
    );
    let mut a = Random::new(1).symmetric(6);
    a[(0, 5)] = f64::NAN;
    a[(5, 0)] = f64::NAN;
    assert_eq!(
        one_leaf(&a, 3).map(|_| ()),
        Err(FrontError::Singular { kind: 0 })
    );
    // On the boundary alone a singular block does no harm.
    assert!(one_leaf(&Mat::zeros(4, 4), 4).is_ok());
}

#[test]
fn a_run_stops_between_fronts() {
    let (plan, leaves, join, _) = joined(4);
    for allowed in 0..3 {
        let asked = AtomicUsize::new(0);
        let memory = Memory::default();
        let stop = || asked.fetch_add(1, Relaxed) >= allowed;
        let stopping = FrontRun {
            is_cancelled: &stop,
            ..run(&leaves, &memory)
        };
        let stopped = Values::default().compute(&plan, wanted(&[join], false), stopping);
        assert_eq!(stopped, Err(FrontError::Cancelled), "after {allowed}");
        assert!(
            memory.n_computed() <= allowed,
            "nothing is computed after it"
        );
        // What was kept by then is sound.
        let mut values = Values::default();
        let again = values.compute(&plan, wanted(&[join], false), run(&leaves, &memory));
        assert_eq!(again, Ok(()));
        let want = computed(&plan, &leaves);
        assert_eq!(bits(values.schur(join)), bits(want.schur(join)));
    }
}

/// A join of two leaves of several panels.
fn large() -> (Plan, Vec<Mat<f64>>, KindId) {
    let (b, e) = (450_u32, 60);
    let mut random = Random::new(8);
    let leaves = vec![
        random.symmetric((b + e) as usize),
        random.symmetric((b + e) as usize),
    ];
    let mut plan = Plan::new(Caching::Cached);
    let children = (0..2)
        .map(|k| Child {
            kind: plan.leaf(key(u64::from(k)), b, e, k),
            images: (0..b).map(|i| Image::plain(i + 50 * k)).collect(),
        })
        .collect();
    let join = plan.join(children, 400, 100);
    (plan, leaves, join)
}

#[test]
fn values_have_the_same_bits_for_any_number_of_threads() {
    let (plan, leaves, join) = large();
    let made = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let values = pool
            .expect("threads can be started")
            .install(|| computed(&plan, &leaves));
        (
            bits(values.schur(join)),
            bits(&weights(&plan, &values, join)),
        )
    });
    assert!(made[0] == made[1] && made[0] == made[2]);
}

#[test]
fn known_values_are_used_as_far_as_they_are_needed() {
    let (plan, leaves, join, _) = joined(6);
    let memory = Memory::default();
    let mut cold = Values::default();
    let done = cold.compute(&plan, wanted(&[join], true), run(&leaves, &memory));
    assert_eq!(done, Ok(()));
    assert_eq!(memory.n_computed(), 3, "two leaves and their join");
    let nothing: Vec<Mat<f64>> = Vec::new();
    let mut warm = Values::default();
    // Would panic if it assembled a leaf.
    let done = warm.compute(&plan, wanted(&[join], true), run(&nothing, &memory));
    assert_eq!(
        (done, memory.n_computed()),
        (Ok(()), 3),
        "nothing is computed again"
    );
    assert_eq!(bits(warm.schur(join)), bits(cold.schur(join)));
    for kind in 0..3 {
        let both = [&warm, &cold].map(|values| bits(&weights(&plan, values, kind)));
        assert_eq!(both[0], both[1], "kind {kind}");
    }
}

#[test]
fn what_a_known_front_is_made_of_is_computed_only_for_substitution() {
    let (plan, leaves, join, _) = joined(7);
    let want = computed(&plan, &leaves);
    let all = Memory::default();
    let done = Values::default().compute(&plan, wanted(&[join], false), run(&leaves, &all));
    assert_eq!(done, Ok(()));
    // All that is known of the join, nothing of its children.
    let (memory, key) = (Memory::default(), plan.kinds[join as usize].key);
    memory.keep_schur(
        schur_key(key),
        &all.schur(schur_key(key)).expect("it was read"),
    );
    memory.keep_inside(
        inside_key(key),
        &all.inside(inside_key(key)).expect("it was computed"),
    );
    let nothing: Vec<Mat<f64>> = Vec::new();
    let mut values = Values::default();
    let done = values.compute(&plan, wanted(&[join], false), run(&nothing, &memory));
    assert_eq!(
        (done, memory.n_computed()),
        (Ok(()), 1),
        "its children aren't needed"
    );
    let done = values.compute(&plan, wanted(&[join], true), run(&leaves, &memory));
    assert_eq!((done, memory.n_computed()), (Ok(()), 3), "now both are");
    for kind in 0..3 {
        let both = [&values, &want].map(|values| bits(&weights(&plan, values, kind)));
        assert_eq!(both[0], both[1], "kind {kind}");
    }
}

/// Memory is that of the widest level, not of the whole tree.
#[test]
fn schur_complements_that_nobody_reads_go_with_their_last_parent() {
    let (plan, leaves, join, _) = joined(9);
    let memory = Memory::default();
    let mut values = Values::default();
    let done = values.compute(&plan, wanted(&[join], true), run(&leaves, &memory));
    assert_eq!(done, Ok(()));
    for kind in 0..2 {
        let FrontKind {
            key,
            n_boundary,
            n_eliminated,
            ..
        } = plan.kinds[kind];
        // A table keeps what is no larger than its factors: the next design may double it again.
        assert_eq!(
            memory.schur(schur_key(key)).is_some(),
            n_boundary <= 2 * n_eliminated,
            "kind {kind}"
        );
        assert!(values.schurs[kind].is_none(), "kind {kind} is gone");
    }
    assert!(memory.schur(schur_key(plan.kinds[2].key)).is_some());
}
