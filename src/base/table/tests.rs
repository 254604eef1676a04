use super::*;

fn key(k: u64) -> Fingerprint {
    Fingerprint(u128::from(k))
}

/// Keys below `n` that are known, found without using them.
fn known(table: &Table, n: u64) -> Vec<u64> {
    (0..n)
        .filter(|&k| table.entries.contains_key(&key(k)))
        .collect()
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let table = Table::with_budget(30);
    for k in 0..3 {
        table.keep(key(k), Arc::new(k), 10);
    }
    assert_eq!(table.get::<u64>(key(0)).as_deref(), Some(&0), "0 is used");
    table.keep(key(3), Arc::new(3_u64), 10);
    assert_eq!(known(&table, 9), [0, 2, 3], "1 was used longest ago");
    // Keeping again is a use, and the first value stays.
    table.keep(key(2), Arc::new(99_u64), 10);
    table.keep(key(4), Arc::new(4_u64), 10);
    assert_eq!(known(&table, 9), [2, 3, 4], "0 was used before 3 was kept");
    assert_eq!(
        table.get::<u64>(key(2)).as_deref(),
        Some(&2),
        "the first value"
    );
    // A large value makes as much room as it needs, and no more: 3, 4 go; 2 was used last.
    table.keep(key(5), Arc::new(5_u64), 20);
    assert_eq!(known(&table, 9), [2, 5]);
    let want = TableCounters {
        hits: 2,
        misses: 0,
        evictions: 4,
        entries: 2,
        bytes: 30,
    };
    assert_eq!(table.counters(), want);
}

/// Against a list that is searched from one end to the other, over many random calls.
#[test]
fn the_order_is_that_of_a_plain_list() {
    let table = Table::with_budget(100);
    let mut list: Vec<(u64, u64)> = Vec::new(); // (key, bytes), used longest ago first
    let mut state = 1_u64;
    let mut random = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for round in 0..20_000 {
        let k = random(40);
        let place = list.iter().position(|e| e.0 == k);
        if random(3) > 0 {
            let found = table.get::<u64>(key(k)).is_some();
            assert_eq!(found, place.is_some(), "key {k} in round {round}");
            if let Some(place) = place {
                let used = list.remove(place);
                list.push(used);
            }
            continue;
        }
        let bytes = 1 + random(30);
        table.keep(key(k), Arc::new(k), bytes);
        match place {
            Some(place) => {
                let used = list.remove(place);
                list.push(used);
            }
            None => {
                while list.iter().map(|e| e.1).sum::<u64>() + bytes > 100 {
                    list.remove(0);
                }
                list.push((k, bytes));
            }
        }
        let mut want: Vec<u64> = list.iter().map(|e| e.0).collect();
        want.sort_unstable();
        assert_eq!(known(&table, 40), want, "after round {round}");
        assert_eq!(table.bytes(), list.iter().map(|e| e.1).sum::<u64>());
    }
    let counters = table.counters();
    assert!(
        counters.evictions > 1000,
        "the list was put to the test: {counters:?}"
    );
}

#[test]
fn what_is_larger_than_the_budget_is_not_kept_and_drives_nothing_out() {
    let table = Table::with_budget(10);
    table.keep(key(0), Arc::new(0_u64), 10);
    table.keep(key(1), Arc::new(1_u64), 11);
    assert_eq!(known(&table, 2), [0]);
    let none = Table::with_budget(0);
    none.keep(key(0), Arc::new(()), 0);
    assert!(
        none.is_empty() && none.get::<()>(key(0)).is_none(),
        "nothing fits in no budget"
    );
}

#[test]
fn a_value_of_another_type_is_not_found_and_can_be_replaced() {
    let table = Table::with_budget(100);
    table.keep(key(0), Arc::new(1_u64), 60);
    assert!(
        table.get::<f64>(key(0)).is_none(),
        "a whole number is no float"
    );
    table.keep(key(0), Arc::new(2.0_f64), 70);
    assert_eq!(table.get::<f64>(key(0)).as_deref(), Some(&2.0));
    let counters = table.counters();
    assert_eq!(
        (counters.entries, counters.bytes, counters.evictions),
        (1, 70, 0)
    );
    assert_eq!((counters.hits, counters.misses), (1, 1));
}

#[test]
fn what_is_evicted_lives_while_it_is_used_and_not_longer() {
    let table = Table::with_budget(10);
    let value = Arc::new(7_u64);
    table.keep(key(0), value.clone(), 10);
    let held = table.get::<u64>(key(0)).unwrap();
    table.keep(key(1), Arc::new(8_u64), 10);
    assert_eq!(*held, 7, "evicted, and still there for its user");
    drop(held);
    assert_eq!(Arc::strong_count(&value), 1, "the table let go of it");
}

/// Eight threads ask for and keep values of many sizes; whatever is found is the value of its key, and the budget holds after
/// every keep.
#[test]
fn threads_find_what_belongs_to_their_keys_within_the_budget() {
    const BUDGET: u64 = 4000;
    let table = Table::with_budget(BUDGET);
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let table = &table;
            scope.spawn(move || {
                for round in 0..4000_u64 {
                    // Scattered: a cycle longer than the table would never find anything.
                    let k =
                        ((round + 4000 * thread).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % 97;
                    match table.get::<Vec<u64>>(key(k)) {
                        Some(found) => assert_eq!(*found, vec![k; k as usize], "key {k}"),
                        None => table.keep(key(k), Arc::new(vec![k; k as usize]), 8 * k),
                    }
                    let bytes = table.bytes();
                    assert!(bytes <= BUDGET, "{bytes} of {BUDGET} bytes");
                }
            });
        }
    });
    let counters = table.counters();
    assert_eq!(
        counters.hits + counters.misses,
        32_000,
        "every question is counted"
    );
    assert!(
        counters.evictions > 0 && counters.hits > 0,
        "{counters:?}: some found, some lost"
    );
    let bytes: u64 = known(&table, 97).iter().map(|&k| (8 * k).max(1)).sum();
    assert_eq!(
        counters.bytes, bytes,
        "the count is that of what is there (a vector of no numbers counts as one byte)"
    );
    assert_eq!(counters.entries, table.entries.len() as u64);
}

#[test]
fn the_default_is_a_part_of_the_machine() {
    let budget = Table::default().budget();
    assert!(
        budget > 1 << 20,
        "{budget} bytes is a quarter of no machine that builds this"
    );
    assert_eq!(
        budget,
        Table::default().budget(),
        "the same at every question"
    );
}
