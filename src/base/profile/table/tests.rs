use super::super::Work;
use super::*;

fn event(
    stage: &'static str,
    kind: Option<&'static str>,
    (start, end): (u64, u64),
    flops: u64,
    size: (u32, u32),
) -> Event {
    Event {
        stage,
        kind,
        work: Work {
            flops,
            bytes: 1 << 20,
            size,
        },
        start,
        duration: end - start,
        peak_memory: kind.is_none().then_some(end * 105),
    }
}

/// Two threads, in milliseconds: meshing, then factors on both, one of them with a product inside.
fn profile() -> Profile {
    const MS: u64 = 1_000_000;
    let at = |start: u64, end: u64| (start * MS, end * MS);
    let lane = |worker, events| Lane {
        worker,
        name: "thread".into(),
        events,
    };
    let factor = Some("factor");
    Profile {
        lanes: vec![
            lane(
                None,
                vec![
                    event("mesh", None, at(0, 10), 0, (0, 0)),
                    event("eliminate", None, at(20, 60), 0, (0, 0)),
                    event("eliminate", factor, at(20, 50), 60_000_000, (8, 8)),
                    event("eliminate", Some("product"), at(25, 35), 40_000_000, (8, 4)),
                ],
            ),
            lane(
                Some(0),
                vec![
                    event("eliminate", factor, at(30, 50), 20_000_000, (4, 4)),
                    event("eliminate", factor, at(50, 80), 30_000_000, (4, 4)),
                ],
            ),
        ],
        asked: BTreeMap::from([("factor", 12), ("known", 5)]),
    }
}

fn close(got: f64, want: f64, what: &str) {
    assert!(
        (got - want).abs() <= 1e-12 * want.abs(),
        "{what}: {got} against {want}"
    );
}

#[test]
fn stages_take_the_time_during_which_any_thread_works_on_them() {
    let table = profile().table();
    close(table.seconds, 80e-3, "from first to last");
    let names: Vec<&str> = table.stages.iter().map(|s| s.stage).collect();
    assert_eq!(names, ["mesh", "eliminate"], "as they began, not by name");
    close(table.stages[0].seconds, 10e-3, "meshing");
    close(
        table.stages[1].seconds,
        60e-3,
        "a task outlasts its stage on another thread; what overlaps counts once",
    );
    close(table.stages[1].share, 0.75, "the gap belongs to no stage");
    assert_eq!(table.stages[0].peak_memory_bytes, Some(1_050_000_000));
}

#[test]
fn tasks_take_their_own_time_and_count_their_reuse() {
    let table = profile().table();
    let kinds: Vec<&str> = table.tasks.iter().map(|t| t.kind).collect();
    assert_eq!(kinds, ["factor", "known", "product"], "by name");
    let [factor, known, product] = &table.tasks[..] else {
        panic!("three kinds")
    };
    assert_eq!(
        (factor.asked, factor.computed, factor.flops),
        (12, 3, 110_000_000)
    );
    assert_eq!(factor.reuse, Some(4.0), "twelve for three");
    close(
        factor.seconds,
        70e-3,
        "30 + 20 + 30 without the product's 10",
    );
    close(
        factor.gflop_per_s.unwrap_or(0.0),
        110.0 / 70.0,
        "flops per nanosecond",
    );
    assert_eq!(factor.bytes, 3 << 20);
    assert_eq!(
        (known.computed, known.reuse, known.gflop_per_s),
        (0, None, None)
    );
    assert_eq!(
        (product.asked, product.reuse),
        (1, Some(1.0)),
        "never counted"
    );
    let sizes: Vec<_> = factor.sizes.iter().map(|s| (s.size, s.computed)).collect();
    assert_eq!(sizes, [((4, 4), 2), ((8, 8), 1)]);
    close(factor.sizes[0].seconds, 50e-3, "two of 4 x 4");
}

#[test]
fn time_of_spans_side_by_side_inside_another_is_taken_off_once() {
    let lane = Lane {
        worker: None,
        name: String::new(),
        events: vec![
            event("s", Some("a"), (0, 100), 0, (0, 0)),
            event("s", Some("b"), (10, 50), 0, (0, 0)),
            event("s", Some("c"), (20, 30), 0, (0, 0)),
            event("s", Some("b"), (50, 90), 0, (0, 0)),
            event("s", Some("a"), (100, 110), 0, (0, 0)),
        ],
    };
    assert_eq!(own_nanoseconds(&lane), [20, 30, 10, 40, 10]);
}

#[test]
fn the_text_is_aligned_and_the_json_has_every_size() {
    let table = profile().table();
    let text = table.to_string();
    let want = "  stage      seconds   share  peak MiB
  mesh        0.0100  12.5 %    1001.4
  eliminate   0.0600  75.0 %    6008.1
  all         0.0800

  task     asked for  computed  reuse   GFLOP  MiB  thread s  GFLOP/s
  factor          12         3    4.0  0.1100  3.0    0.0700     1.57
  known            5         0      -  0.0000  0.0    0.0000        -
  product          1         1    1.0  0.0400  1.0    0.0100     4.00

  size     rows  columns  computed   GFLOP  thread s  GFLOP/s
  factor      8        8         1  0.0600    0.0200     3.00
  factor      4        4         2  0.0500    0.0500     1.00
  product     8        4         1  0.0400    0.0100     4.00
";
    assert_eq!(text, want, "got:\n{text}");
    let json = serde_json::to_value(&table).unwrap();
    assert_eq!(
        json["tasks"][0]["sizes"][1]["size"],
        serde_json::json!([8, 8])
    );
    assert_eq!(json["tasks"][1]["reuse"], serde_json::Value::Null);
    assert_eq!(json["stages"][0]["stage"], "mesh");
}

#[test]
fn a_profile_of_nothing_is_an_empty_table() {
    let table = Profile::default().table();
    assert!(table.stages.is_empty() && table.tasks.is_empty());
    assert_eq!(table.to_string().lines().count(), 2, "{table}");
}
