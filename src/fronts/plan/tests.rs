use super::*;
use crate::trial::key;

fn images(places: &[(u32, f64)]) -> Arc<[Image]> {
    let image = |&(to, factor): &(u32, f64)| Image { to, factor };
    places.iter().map(image).collect()
}

fn pair(plan: &Plan, kinds: [KindId; 2], second: &[(u32, f64)]) -> Vec<Child> {
    assert!(kinds.iter().all(|&k| (k as usize) < plan.kinds.len()));
    vec![
        Child {
            kind: kinds[0],
            images: images(&[(0, 1.0), (2, 1.0)]),
        },
        Child {
            kind: kinds[1],
            images: images(second),
        },
    ]
}

const PLAIN: [(u32, f64); 2] = [(2, 1.0), (1, 1.0)];

#[test]
fn equal_fronts_are_planned_once() {
    let mut plan = Plan::new(Caching::Cached);
    let leaf = plan.leaf(key(1), 2, 3, 0);
    assert_eq!(plan.leaf(key(1), 2, 3, 9), leaf, "the first leaf is kept");
    let children = pair(&plan, [leaf, leaf], &PLAIN);
    let join = plan.join(children.clone(), 2, 1);
    let (n, counters) = (plan.kinds.len(), plan.counters);
    assert_eq!(plan.join(children, 2, 1), join);
    assert_eq!((plan.kinds.len(), plan.counters), (n, counters));
    assert_eq!(
        counters.flops,
        plan.kinds.iter().map(FrontKind::flops).sum::<u64>(),
        "what is planned once costs once"
    );
}

#[test]
fn whatever_a_front_depends_on_tells_it_apart() {
    let mut plan = Plan::new(Caching::Cached);
    let a = plan.leaf(key(1), 2, 3, 0);
    let b = plan.leaf(key(2), 2, 3, 1);
    let c = plan.leaf(key(1), 3, 2, 0);
    let given = plan.given(key(1), 2);
    let mut kinds = vec![a, b, c, given];
    for (children, boundary, eliminated) in [
        (pair(&plan, [a, a], &PLAIN), 2, 1),
        (pair(&plan, [a, a], &PLAIN), 1, 2),
        (pair(&plan, [a, a], &PLAIN), 3, 0),
        (pair(&plan, [a, b], &PLAIN), 2, 1),
        (pair(&plan, [b, a], &PLAIN), 2, 1),
        (pair(&plan, [a, given], &PLAIN), 2, 1),
        (pair(&plan, [a, a], &[(1, 1.0), (2, 1.0)]), 2, 1),
        (pair(&plan, [a, a], &[(2, 1.0), (NOWHERE, 1.0)]), 2, 1),
        (pair(&plan, [a, a], &[(2, -1.0), (1, 1.0)]), 2, 1),
        (pair(&plan, [a, a], &[(2, 1.0), (1, -1.0)]), 2, 1),
        (pair(&plan, [a, a], &[(2, 1.0), (1, 0.5)]), 2, 1),
    ] {
        kinds.push(plan.join(children, boundary, eliminated));
    }
    let mut different = kinds.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), kinds.len(), "{kinds:?}");
    let mut keys: Vec<Fingerprint> = plan.kinds.iter().map(|k| k.key).collect();
    keys.sort_unstable_by_key(|k| k.0);
    keys.dedup();
    assert_eq!(keys.len(), kinds.len());
}

#[test]
fn equal_fronts_have_equal_keys_in_any_plan() {
    let make = |others: u64| {
        let mut plan = Plan::new(Caching::Cached);
        for k in 0..others {
            plan.leaf(key(100 + k), 1, 1, k as u32);
        }
        let leaf = plan.leaf(key(1), 2, 3, others as u32);
        let children = pair(&plan, [leaf, leaf], &PLAIN);
        let join = plan.join(children, 2, 1);
        plan.kinds[join as usize].key
    };
    assert_eq!(make(0), make(5), "numbers of kinds are no part of keys");
}

#[test]
fn without_caching_nothing_is_shared() {
    let mut plan = Plan::new(Caching::Uncached);
    let leaves = [(); 2].map(|()| plan.leaf(key(1), 2, 3, 0));
    assert_ne!(leaves[0], leaves[1]);
    let children = pair(&plan, leaves, &PLAIN);
    let (a, b) = (plan.join(children.clone(), 2, 1), plan.join(children, 2, 1));
    assert_ne!(a, b);
    assert_ne!(plan.kinds[a as usize].key, plan.kinds[b as usize].key);
    let mut cached = Plan::new(Caching::Cached);
    let known = cached.leaf(key(1), 2, 3, 0);
    assert!(
        plan.kinds
            .iter()
            .all(|k| k.key != cached.kinds[known as usize].key),
        "nor with cached plans"
    );
}
