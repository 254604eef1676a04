//! The table of crates in the docs of `src/lib.rs` is what the manifests say, and both point down only.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Crates of ours by name, each with those that it uses, sorted.
type Uses = BTreeMap<String, Vec<String>>;

fn sources() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// What the manifests of the members say; development dependencies too.
fn manifests() -> Uses {
    let mut out = Uses::new();
    for entry in fs::read_dir(sources()).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(folder.join("Cargo.toml")) else {
            continue;
        };
        let mut uses: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("stokeslet-"))
            .map(|rest| rest.split(['.', ' ']).next().unwrap().to_owned())
            .collect();
        uses.sort();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            text.contains(&format!("name = \"stokeslet-{name}\"")),
            "the package in src/{name} is named after its folder"
        );
        out.insert(name, uses);
    }
    out
}

/// The rows of the table, from top to bottom, without the program's own.
fn table() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(sources().join("lib.rs")).unwrap();
    let quoted = |cell: &str| -> Vec<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    let table = text.split_once("//! # Crates").unwrap().1;
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `"));
    rows.take_while(|row| !row.starts_with("add "))
        .map(|row| row.split('|').collect::<Vec<_>>())
        .filter(|cells| cells.len() >= 4)
        .map(|cells| {
            let name = cells[0].trim().trim_end_matches('`').to_owned();
            let mut uses = quoted(cells[2]);
            uses.sort();
            (name, uses)
        })
        .filter(|(name, _)| name != "stokeslet")
        .collect()
}

#[test]
fn the_table_of_crates_is_what_the_manifests_say() {
    let table: Uses = table().into_iter().collect();
    assert_eq!(table, manifests());
    assert!(table.len() >= 9, "{table:?}");
}

#[test]
fn every_crate_uses_only_crates_further_down_the_table() {
    let rows = table();
    for (k, (name, uses)) in rows.iter().enumerate() {
        for used in uses {
            let at = rows.iter().position(|r| r.0 == *used);
            assert!(
                at.is_some_and(|at| at > k),
                "`{name}` uses `{used}`, which isn't below it"
            );
        }
    }
}
