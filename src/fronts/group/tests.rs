use faer::Mat;
use faer::linalg::solvers::Solve;

use super::*;
use crate::network::Network;
use crate::trial::{Random, add, assert_near, column, computed, key, part};
use stokeslet_base::table::Caching;

/// Elements on shared unknowns, each with its matrix.
struct Puzzle {
    plan: Plan,
    matrices: Vec<Mat<f64>>,
    elements: Vec<Element>,
    class: Vec<Class>,
    /// Couplings of unknowns from number `bridged` on.
    bridges: Vec<Element>,
    bridged: u32,
}

impl Puzzle {
    fn new(class: &[Class]) -> Self {
        Self {
            plan: Plan::new(Caching::Cached),
            matrices: Vec::new(),
            elements: Vec::new(),
            class: class.to_vec(),
            bridges: Vec::new(),
            bridged: class.len() as u32,
        }
    }

    /// A bridge on these unknowns, the first half at one end.
    fn bridge(&mut self, seed: u64, unknowns: &[i32]) {
        self.element(seed, unknowns);
        self.bridges.extend(self.elements.pop());
    }

    fn grouped(&mut self) -> Top {
        let (elements, bridges) = (&self.elements, &self.bridges);
        let watch = Watch::NOBODY;
        group(
            &mut self.plan,
            elements,
            bridges,
            self.bridged,
            &self.class,
            watch,
        )
        .expect("nobody stops it")
    }

    /// An element on these unknowns, with a factor of minus one where a number is negative (from one: -3 is unknown 2).
    fn element(&mut self, seed: u64, unknowns: &[i32]) -> &mut Self {
        let n = unknowns.len();
        let kind = self
            .plan
            .leaf(key(seed), n as u32, 0, self.matrices.len() as u32);
        self.matrices.push(Random::new(seed).definite(n));
        let boundary = unknowns
            .iter()
            .map(|&u| Image {
                to: if u < 0 { -u - 1 } else { u } as u32,
                factor: if u < 0 { -1.0 } else { 1.0 },
            })
            .collect();
        self.elements.push(Element { kind, boundary });
        self
    }

    fn whole(&self) -> Mat<f64> {
        let n = self.class.len();
        let mut whole = Mat::zeros(n, n);
        for element in self.elements.iter().chain(&self.bridges) {
            let crate::Recipe::Leaf(leaf) = self.plan.kinds[element.kind as usize].recipe else {
                panic!("elements are leaves here");
            };
            add(&mut whole, &self.matrices[leaf as usize], &element.boundary);
        }
        whole
    }

    /// Solves by groups and a network, and all at once; returns the groups.
    fn check(&mut self, what: &str) -> Top {
        let n = self.class.len();
        let mut random = Random::new(77);
        let (loads, given) = (random.vector(n), random.vector(n));
        let is = |classes: &[Class]| -> Vec<usize> {
            (0..n)
                .filter(|&g| classes.contains(&self.class[g]))
                .collect()
        };
        let unknown = is(&[Class::Free, Class::Kept]);
        let known = is(&[Class::Given]);
        let whole = self.whole();
        let values_given = Mat::from_fn(known.len(), 1, |i, _| given[known[i]]);
        let rhs = Mat::from_fn(unknown.len(), 1, |i, _| loads[unknown[i]])
            - part(&whole, &unknown, &known) * &values_given;
        let want = part(&whole, &unknown, &unknown)
            .partial_piv_lu()
            .solve(&rhs);
        let reactions = part(&whole, &known, &unknown) * &want
            + part(&whole, &known, &known) * &values_given
            - Mat::from_fn(known.len(), 1, |i, _| loads[known[i]]);

        let top = self.grouped();
        let values = computed(&self.plan, &self.matrices);
        let n_top = top.tree.n_boundary;
        let mut classes = vec![Class::Given; n_top];
        let mut top_vector = vec![0.0; top.tree.n];
        let mut x = vec![0.0; n_top];
        for (g, &at) in top.position.iter().enumerate() {
            if at == NOWHERE {
                assert_eq!(
                    self.class[g],
                    Class::Zero,
                    "{what}: only zeros have no place"
                );
                continue;
            }
            top_vector[at as usize] = loads[g];
            if (at as usize) < n_top {
                classes[at as usize] = self.class[g];
                if self.class[g] == Class::Given {
                    x[at as usize] = given[g];
                }
            }
        }
        top.tree.forward(&values, &mut top_vector);
        let network = Network::new(&values, top.roots.clone(), &classes, &[]).expect("regular");
        let reacted = network.solve(&values, &mut x, &top_vector[..n_top]);
        let mut full = vec![0.0; top.tree.n];
        full[..n_top].copy_from_slice(&x);
        top.tree.back(&values, &mut full, Some(&top_vector));
        let at = |v: &[f64], g: &[usize]| -> Mat<f64> {
            column(
                &g.iter()
                    .map(|&g| v[top.position[g] as usize])
                    .collect::<Vec<f64>>(),
            )
        };
        assert_near(&at(&full, &unknown), &want, what);
        assert_near(
            &at(&reacted, &known),
            &reactions,
            &format!("{what}, reactions"),
        );
        top
    }
}

use Class::{Free, Given, Kept, Zero};

#[test]
fn a_hub_and_its_satellites_are_one_front() {
    let mut puzzle = Puzzle::new(&[Free, Free, Free, Free, Free, Free, Kept, Given, Kept]);
    puzzle
        .element(1, &[0, 1, 2, 3, 4, 5])
        .element(2, &[0, 1, 6])
        .element(2, &[2, 3, 7])
        .element(2, &[-5, -6, 8]);
    let top = puzzle.check("star");
    assert_eq!((top.roots.len(), puzzle.plan.counters.asked), (1, 1));
}

#[test]
fn chains_rings_and_loose_ends_agree_with_a_dense_solve() {
    let mut chain = Puzzle::new(&[Given, Free, Free, Free, Free, Free, Free, Kept]);
    for k in 0..7 {
        chain.element(1, &[k, k + 1]);
    }
    assert_eq!(chain.check("chain").roots.len(), 1);

    let mut ring = Puzzle::new(&[Free; 6]);
    for k in 0..6 {
        ring.element(k as u64, &[k, (k + 1) % 6]);
    }
    ring.check("ring without a boundary");

    let mut pair = Puzzle::new(&[Free, Free, Given, Free]);
    pair.element(3, &[0, 1, 2]).element(4, &[1, -1, 3]);
    pair.check("two that share two unknowns, and one of nobody else's");

    let mut apart = Puzzle::new(&[Kept, Free, Given, Kept, Free]);
    apart
        .element(5, &[0, 1])
        .element(6, &[2, 3])
        .element(7, &[3, 4, 0]);
    assert_eq!(apart.check("three groups").roots.len(), 3);
}

#[test]
fn zeros_go_and_an_unknown_may_occur_twice_in_an_element() {
    let mut puzzle = Puzzle::new(&[Free, Zero, Kept, Given, Free]);
    puzzle
        .element(1, &[0, 1, 2, 0])
        .element(2, &[1, 0, 3, 4])
        .element(3, &[2, 1, -3]);
    puzzle.check("zeros and doubles");
}

#[test]
fn an_unknown_that_three_elements_share_stays_until_all_are_joined() {
    // No hub: every two of the six share something.
    let mut puzzle = Puzzle::new(&[Free; 9]);
    puzzle
        .element(1, &[0, 1, 2])
        .element(2, &[0, 3, 4])
        .element(3, &[0, 5, 6])
        .element(4, &[1, 3, 7])
        .element(5, &[4, 5, 8])
        .element(6, &[6, 2, 7, 8]);
    puzzle.check("a knot");
}

#[test]
fn random_heaps_of_all_classes_agree_with_a_dense_solve() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut pick = |n: usize| ((random.next() + 1.0) / 2.0 * n as f64) as usize % n;
        let class: Vec<Class> = (0..24)
            .map(|_| [Free, Free, Free, Free, Kept, Given, Zero][pick(7)])
            .collect();
        let mut puzzle = Puzzle::new(&class);
        for k in 0..10 {
            let unknowns: Vec<i32> = (0..2 + pick(4)).map(|_| pick(24) as i32).collect();
            puzzle.element(100 * seed + k, &unknowns);
        }
        // Every unknown belongs to somebody.
        for g in 0..24 {
            puzzle.element(999, &[g]);
        }
        puzzle.check(&format!("heap {seed}"));
    }
}

#[test]
fn chains_of_copies_share_kinds() {
    let kinds = |n: i32| {
        let mut class = vec![Free; n as usize + 1];
        class[0] = Given;
        class[n as usize] = Given;
        let mut chain = Puzzle::new(&class);
        for k in 0..n {
            chain.element(1, &[k, k + 1]);
        }
        let top = chain.grouped();
        assert_eq!(top.roots.len(), 1);
        chain.plan.kinds.len()
    };
    let found: Vec<(i32, usize)> = [16, 64, 256, 1024].map(|n| (n, kinds(n))).to_vec();
    for pair in found.windows(2) {
        assert!(
            pair[1].1 - pair[0].1 <= 4,
            "four times as long, at most two kinds more a doubling: {found:?}"
        );
    }
    assert!(kinds(1000) < 40, "{} kinds of 1000 links", kinds(1000));
}

#[test]
fn equal_groups_are_one_kind_wherever_they_lie() {
    // Ten stars of the same make on unknowns of their own, satellites in another order.
    let mut puzzle = Puzzle::new(&[Free, Free, Kept, Kept].repeat(10));
    for k in 0..10 {
        let at = 4 * k;
        if k % 2 == 0 {
            puzzle
                .element(2, &[at, at + 2])
                .element(1, &[at, at + 1])
                .element(3, &[at + 1, at + 3]);
        } else {
            puzzle
                .element(3, &[at + 1, at + 3])
                .element(1, &[at, at + 1])
                .element(2, &[at, at + 2]);
        }
    }
    let top = puzzle.check("ten stars");
    let first = top.roots[0].kind;
    assert!(top.roots.iter().all(|r| r.kind == first));
    assert_eq!(puzzle.plan.kinds.len(), 4, "three leaves and a join");
}

/// Groups of two elements each, tied by bridges of two numbers an end: rings, double ties, a bridge that comes back.
#[test]
fn groups_across_bridges_agree_with_a_dense_solve() {
    for seed in 0..30 {
        let mut random = Random::new(1000 + seed);
        let mut pick = |n: usize| ((random.next() + 1.0) / 2.0 * n as f64) as usize % n;
        let n_groups = 2 + pick(8);
        let own = 3 * n_groups;
        let mut ends: Vec<Vec<i32>> = vec![Vec::new(); n_groups];
        let mut bridges = Vec::new();
        for k in 0..n_groups + pick(6) {
            // A chain first, so that all hang together; then any two.
            let pair = if k + 1 < n_groups {
                [k, k + 1]
            } else {
                [pick(n_groups), pick(n_groups)]
            };
            let z = (own + 4 * k) as i32;
            for (end, group) in pair.into_iter().enumerate() {
                ends[group].extend([z + 2 * end as i32, z + 2 * end as i32 + 1]);
            }
            bridges.push([z, z + 1, z + 2, z + 3]);
        }
        let mut class: Vec<Class> = (0..own)
            .map(|_| [Free, Free, Given, Kept][pick(4)])
            .collect();
        class.resize(own + 4 * bridges.len(), Free);
        let mut puzzle = Puzzle::new(&class);
        puzzle.bridged = own as u32;
        for (g, ends) in ends.iter().enumerate() {
            let at = 3 * g as i32;
            // The unknown that both share is free, so that they are a group.
            puzzle.class[at as usize] = Free;
            let (left, right) = ends.split_at(ends.len() / 2);
            for (side, ends) in [(1, left), (2, right)] {
                let unknowns: Vec<i32> = [at, at + side].iter().chain(ends).copied().collect();
                puzzle.element(100 * seed + 10 * g as u64 + side as u64, &unknowns);
            }
        }
        for (k, bridge) in bridges.iter().enumerate() {
            puzzle.bridge(7000 + k as u64 % 3, bridge);
        }
        let top = puzzle.check(&format!("bridged groups {seed}"));
        assert_eq!(top.roots.len(), 1, "all of them were joined, {seed}");
    }
}

#[test]
fn rings_of_copies_across_bridges_share_kinds_and_a_stop_is_heard() {
    let ring = |n: i32| {
        // Copies of one group, each tied to the next.
        let mut ring = Puzzle::new(&vec![Free; 3 * n as usize]);
        ring.bridged = n as u32;
        for k in 0..n {
            ring.element(1, &[k, n + 2 * k, n + (2 * k + 2 * n - 1) % (2 * n)]);
            ring.bridge(2, &[n + 2 * k, n + 2 * k + 1]);
        }
        ring
    };
    let kinds = |n| {
        let mut ring = ring(n);
        assert_eq!(ring.grouped().roots.len(), 1);
        ring.plan.kinds.len()
    };
    let found = [16, 64, 256, 1024].map(kinds);
    for pair in found.windows(2) {
        assert!(pair[1] - pair[0] <= 4, "two kinds a doubling: {found:?}");
    }
    let mut stopped = ring(16);
    let watch = Watch {
        is_cancelled: &|| true,
        ..Watch::NOBODY
    };
    let (elements, bridges) = (&stopped.elements, &stopped.bridges);
    let result = group(
        &mut stopped.plan,
        elements,
        bridges,
        16,
        &stopped.class,
        watch,
    );
    assert_eq!(result.err(), Some(FrontError::Cancelled));
}
