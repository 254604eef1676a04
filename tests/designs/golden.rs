//! Numbers that a later run must find again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

/// How far a number may be from its golden one, relative to the largest beside it.
pub const TOLERANCE: f64 = 1e-6;

/// What is known by name.
pub type Golden = BTreeMap<String, Value>;

/// Compares with `tests/golden/<file>`, or writes it where `UPDATE_GOLDEN` is set, and fails: nothing was compared.
///
/// Both must have the same names and keys. Whole numbers and texts must be equal; a list's numbers may be off by [`TOLERANCE`] of its largest,
/// so that flows and pressures that are zero but for rounding don't count.
pub fn compare(file: &str, got: &Golden) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let mut text = serde_json::to_string_pretty(got).unwrap();
        text.push('\n');
        std::fs::write(&path, text).unwrap();
        panic!("{file} is written anew; look at what changed, then run without UPDATE_GOLDEN");
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let want: Golden = serde_json::from_str(&text).unwrap();
    let names = |golden: &Golden| golden.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(got),
        names(&want),
        "{file} has these; UPDATE_GOLDEN=1 takes in new ones"
    );
    let mut differences = Vec::new();
    for (name, value) in got {
        differ(name, value, &want[name], 0.0, &mut differences);
    }
    assert!(
        differences.is_empty(),
        "{file}:\n{}",
        differences.join("\n")
    );
}

fn differ(at: &str, got: &Value, want: &Value, scale: f64, out: &mut Vec<String>) {
    match (got, want) {
        (Value::Object(got), Value::Object(want)) if got.keys().eq(want.keys()) => {
            for (key, value) in got {
                differ(&format!("{at}.{key}"), value, &want[key], 0.0, out);
            }
        }
        (Value::Array(got), Value::Array(want)) if got.len() == want.len() => {
            let scale = want.iter().map(largest).fold(scale, f64::max);
            for (k, (got, want)) in got.iter().zip(want).enumerate() {
                differ(&format!("{at}[{k}]"), got, want, scale, out);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            if (a - b).abs() > TOLERANCE * scale.max(b.abs()) {
                out.push(format!("{at}: {a:e}, golden {b:e}"));
            }
        }
        _ if got == want => {}
        _ => out.push(format!("{at}: {got}, golden {want}")),
    }
}

fn largest(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or_default().abs(),
        Value::Array(list) => list.iter().map(largest).fold(0.0, f64::max),
        _ => 0.0,
    }
}

#[test]
fn a_number_that_moved_is_a_difference() {
    let count = |got: &str, want: &str| {
        let mut out = Vec::new();
        differ(
            "x",
            &serde_json::from_str(got).unwrap(),
            &serde_json::from_str(want).unwrap(),
            0.0,
            &mut out,
        );
        out.len()
    };
    assert_eq!(
        count("[1.0, 2e-7, [3.0]]", "[1.0, -2e-7, [3.000002]]"),
        0,
        "small beside the largest"
    );
    assert_eq!(
        count("[1.0, 2e-7]", "[1.00001, -2e-7]"),
        1,
        "1e-5 is too much"
    );
    assert_eq!(
        count("{\"a\": 1.0, \"b\": 2e-7}", "{\"a\": 1.0, \"b\": 3e-7}"),
        1,
        "keys stand alone"
    );
    assert_eq!(count("[1.0]", "[1.0, 2.0]"), 1, "one is missing");
    assert_eq!(count("12", "13"), 1, "counts are exact");
}
