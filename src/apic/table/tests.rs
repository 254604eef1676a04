use super::*;

fn missed(rows: &[Row]) -> Vec<String> {
    let missed = rows.iter().filter(|r| !r.holds());
    missed
        .map(|r| {
            format!(
                "{}: {} ({}), accepted {}",
                r.name,
                r.ours,
                r.reference,
                r.accepted()
            )
        })
        .collect()
}

#[test]
fn round_trips_lose_what_the_definitions_say() {
    let rows = rows("X2", At::Small, &|| true).unwrap();
    assert_eq!((rows.len(), missed(&rows)), (36, vec![]));
}

#[test]
fn what_is_exact_holds() {
    for study in ["X1", "X5", "X6", "X7", "X8", "X9"] {
        let rows = rows(study, At::Small, &|| true).unwrap();
        assert!(rows.len() >= 3, "{study}");
        assert_eq!(missed(&rows), Vec::<String>::new(), "{study}");
    }
}

#[test]
fn errors_at_slip_walls_fall_as_accepted() {
    let rows = rows("Y2", At::Small, &|| true).unwrap();
    assert_eq!(missed(&rows), Vec::<String>::new());
}

#[test]
fn unknown_studies_and_stops_are_told() {
    let unknown = rows("Y9", At::Small, &|| true).unwrap_err().to_string();
    assert!(
        unknown.contains("Y9") && unknown.contains("X4"),
        "{unknown}"
    );
    assert!(matches!(
        rows("Y1", At::Small, &|| false),
        Err(TableError::Stopped)
    ));
}

#[test]
#[ignore = "minutes; cargo test -p stokeslet-apic -- --ignored tables; or `stokeslet apic table`"]
fn tables_hold_at_their_small_size() {
    for study in STUDIES {
        let rows = rows(study, At::Small, &|| true).unwrap();
        assert_eq!(missed(&rows), Vec::<String>::new(), "{study}");
    }
}
