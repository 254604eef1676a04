//! Control shapes, notes, groups, and the other half of a chip.

use super::*;
use crate::design::{OverlayLayer, OverlayShape};

/// A pipe with a valve over it, a line and a note.
const OVERLAID: &str = "[components]\np = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\n[control]\nvalve = { box = [[\"0 mm\", \"0 mm\"], [\"1 mm\", \"2 mm\"]] } # shut by hand\n\
    line = { path = [[\"0 mm\", \"0 mm\"], [\"4 mm\", \"0 mm\"]], width = \"50 um\" }\n[notes]\nn = { text = \"here\", at = [\"3 mm\", \"1 mm\"] }\n";

fn points_of(opened: &Opened, name: &str) -> Vec<Point> {
    let all = opened.design.overlays.iter();
    let mut named = all.filter(|o| o.name.value == name);
    named
        .next()
        .map_or(Vec::new(), |o| o.shape.points().to_vec())
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn overlays_move_with_what_is_selected_and_alone() {
    let opened = open(OVERLAID);
    let by = Point::new(1e-3, 2e-3);
    for selected in [names(&["valve"]), names(&["valve", "p"])] {
        let edits = move_items(&opened.drawing(), &selected, by).unwrap();
        let moved = opened.after(&edits);
        let want = [Point::new(1e-3, 2e-3), Point::new(2e-3, 4e-3)];
        assert_eq!(points_of(&moved, "valve"), want);
        assert_eq!(points_of(&moved, "n"), points_of(&opened, "n"));
        let pipe = moved.layout.motions[0].unwrap().translation;
        assert_eq!(pipe == by, selected.contains("p"));
        assert!(moved.text.contains("# shut by hand"));
        let preview = preview_move(&opened.drawing(), &selected, by).unwrap();
        assert_eq!(
            preview.design.overlays[0].shape,
            moved.design.overlays[0].shape
        );
    }
    let turned = rotate(&opened.drawing(), &names(&["valve"]), 1).unwrap();
    let (low, high) = opened.after(&turned).design.overlays[0].shape.bounds(1.0);
    let size = high - low;
    assert!((size.x - 2e-3).abs() < 1e-12 && (size.y - 1e-3).abs() < 1e-12);
    assert!(((low + high) * 0.5 - Point::new(5e-4, 1e-3)).norm() < 1e-12);
}

#[test]
fn overlays_are_copied_pasted_renamed_and_removed() {
    let opened = open(OVERLAID);
    let text = copy(&opened.drawing(), &names(&["valve", "n"])).unwrap();
    let at = Point::new(9e-3, 9e-3);
    let (edits, pasted) = paste(&opened.drawing(), &text, Some(at)).unwrap();
    assert_eq!(pasted, ["valve2", "n2"]);
    let twice = opened.after(&edits);
    assert_eq!(twice.design.overlays.len(), 5);
    let layers = |name: &str| {
        let mut all = twice.design.overlays.iter();
        all.find(|o| o.name.value == name).map(|o| o.layer)
    };
    assert_eq!(layers("valve2"), layers("valve"));
    assert_eq!(layers("n2"), layers("n"));
    let (edits, copies) = array(&opened.drawing(), &names(&["valve"]), (3, 2), by_two()).unwrap();
    assert_eq!(copies.len(), 6);
    assert_eq!(opened.after(&edits).design.overlays.len(), 3 + 5);
    let rename = Edit::Rename {
        from: "valve".to_owned(),
        to: "v".to_owned(),
    };
    let renamed = opened.after(&[rename]);
    assert_eq!(points_of(&renamed, "v").len(), 2);
    let taken = Edit::Rename {
        from: "valve".to_owned(),
        to: "p".to_owned(),
    };
    assert!(
        rewrite(&opened.text, &[taken]).is_err(),
        "a component's name"
    );
    let edits = delete(&opened.drawing(), &names(&["valve", "p"]), None).unwrap();
    let left = opened.after(&edits);
    assert_eq!(left.design.overlays.len(), 2);
    assert!(left.design.components.is_empty());
}

fn by_two() -> Point {
    Point::new(2e-3, 3e-3)
}

#[test]
fn an_overlay_changes_its_shape_and_its_layer() {
    let opened = open(OVERLAID);
    let mut valve = opened.design.overlays[0].clone();
    valve.shape = OverlayShape::Circle {
        centre: by_two(),
        diameter: stokeslet_base::units::Metre(6e-4),
    };
    let round = opened.after(&[Edit::SetOverlay(valve.clone())]);
    assert_eq!(round.design.overlays[0].shape, valve.shape);
    assert!(round.text.contains("# shut by hand"), "{}", round.text);
    valve.layer = OverlayLayer::Notes;
    let noted = opened.after(&[Edit::SetOverlay(valve)]);
    let layers: Vec<_> = noted.design.overlays.iter().map(|o| o.layer).collect();
    assert_eq!(
        layers,
        [
            OverlayLayer::Control,
            OverlayLayer::Notes,
            OverlayLayer::Notes
        ]
    );
    let (edits, name) = add_overlay(
        &opened.drawing(),
        OverlayLayer::Control,
        OverlayShape::Rectangle([Point::default(), by_two()]),
    );
    assert_eq!(name, "valve1");
    assert_eq!(points_of(&opened.after(&edits), "valve1")[1], by_two());
}

/// Half of a chip, mirrored on the axis of the tee's stem, meets the other half.
#[test]
fn a_mirror_line_makes_the_other_half() {
    let half = open(
        "[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n\
        arm = { kind = \"pipe\", attach = \"a\", to = \"t.right\", parameters = { length = \"1 mm\" } }\n\
        turn = { kind = \"bend_round\", attach = \"a\", to = \"arm.b\" }\n\
        [channels]\nc = { from = \"turn.b\", via = [[\"1.25 mm\", \"3 mm\"]] }\n\
        [control]\nv = { box = [[\"0.4 mm\", \"-0.1 mm\"], [\"0.6 mm\", \"0.1 mm\"]] }\n",
    );
    // Wherever the turn ends, the channel starts on its axis.
    let selected = names(&["arm", "turn", "v"]);
    let line = [Point::new(0.0, -1e-3), Point::new(0.0, 2e-3)];
    let (edits, copies) = mirror_copy(&half.drawing(), &selected, line).unwrap();
    assert_eq!(copies.len(), 3);
    let whole = half.after(&edits);
    let place = |name: &str, socket: &str| {
        let mut all = whole.layout.sockets.iter();
        let full = format!("{name}.{socket}");
        let found = all.find(|s| whole.layout.full_name(s) == full);
        found.unwrap_or_else(|| panic!("no {full}\n{}", whole.text))
    };
    for (item, copy, socket) in [
        ("arm", "arm2", "a"),
        ("arm", "arm2", "b"),
        ("turn", "turn2", "b"),
    ] {
        let (own, other) = (place(item, socket).geometry, place(copy, socket).geometry);
        let mirrored = Point::new(-own.middle.x, own.middle.y);
        assert!((other.middle - mirrored).norm() < 1e-9, "{item}: {other:?}");
    }
    // The tee's other arm lies there, and is joined.
    assert_eq!(
        place("t", "left").used,
        SocketUse::Connected,
        "{}",
        whole.text
    );
    let (low, high) = whole.design.overlays[1].shape.bounds(0.0);
    assert!((low - Point::new(-6e-4, -1e-4)).norm() < 1e-12 && (high.x + 4e-4).abs() < 1e-12);
    let at_once = [Point::default(), Point::default()];
    assert_eq!(
        mirror_copy(&half.drawing(), &selected, at_once),
        Err(Refusal::NoLine)
    );
    assert!(mirror_copy(&half.drawing(), &names(&[]), line).is_err());
}

#[test]
fn groups_hold_together_whatever_becomes_of_their_members() {
    let opened = open(OVERLAID);
    let (edits, name) = group(&opened.drawing(), &names(&["valve", "line", "p"])).unwrap();
    assert_eq!(name, "group1");
    let grouped = opened.after(&edits);
    let members = |opened: &Opened, name: &str| {
        let mut all = opened.design.groups.iter();
        let found = all.find(|g| g.name.value == name);
        found.map(|g| {
            g.of.iter()
                .map(|m| m.value.clone())
                .collect::<BTreeSet<_>>()
        })
    };
    assert_eq!(
        members(&grouped, "group1"),
        Some(names(&["valve", "line", "p"]))
    );
    assert_eq!(
        together(&grouped.design, "line"),
        names(&["valve", "line", "p"])
    );
    assert_eq!(together(&grouped.design, "n"), names(&["n"]));
    // Renamed, copied, removed, grouped otherwise, and apart again.
    let rename = Edit::Rename {
        from: "valve".to_owned(),
        to: "v".to_owned(),
    };
    let renamed = grouped.after(&[rename]);
    assert_eq!(
        members(&renamed, "group1"),
        Some(names(&["v", "line", "p"]))
    );
    let all = names(&["valve", "line", "p"]);
    let (edits, _) = duplicate(&grouped.drawing(), &all, by_two()).unwrap();
    let twice = grouped.after(&edits);
    assert_eq!(
        members(&twice, "group2"),
        Some(names(&["valve2", "line2", "p2"]))
    );
    assert_eq!(members(&twice, "group1"), Some(all));
    let edits = delete(&grouped.drawing(), &names(&["p"]), None).unwrap();
    let fewer = grouped.after(&edits);
    assert_eq!(members(&fewer, "group1"), Some(names(&["valve", "line"])));
    let edits = delete(&fewer.drawing(), &names(&["line"]), None).unwrap();
    assert_eq!(
        members(&fewer.after(&edits), "group1"),
        None,
        "one is no group"
    );
    let (edits, _) = group(&grouped.drawing(), &names(&["p", "n"])).unwrap();
    let other = grouped.after(&edits);
    assert_eq!(members(&other, "group1"), Some(names(&["valve", "line"])));
    assert_eq!(members(&other, "group2"), Some(names(&["p", "n"])));
    let apart = ungroup(&grouped.drawing(), &names(&["valve", "line", "p"])).unwrap();
    assert!(grouped.after(&apart).design.groups.is_empty());
    assert!(ungroup(&opened.drawing(), &names(&["p"])).is_err());
    assert_eq!(
        group(&opened.drawing(), &names(&["p"])),
        Err(Refusal::Alone)
    );
}

#[test]
fn a_pattern_goes_round_its_centre_in_equal_angles() {
    let opened = open(OVERLAID);
    let centre = Point::new(0.0, -5e-3);
    let selected = names(&["p", "valve"]);
    let (edits, all) = circular_pattern(&opened.drawing(), &selected, 6, centre).unwrap();
    assert_eq!(all.len(), 12, "{all:?}");
    let ring = opened.after(&edits);
    let pipes: Vec<_> = ring.layout.motions.iter().flatten().collect();
    assert_eq!(pipes.len(), 6);
    for (k, pipe) in pipes.iter().enumerate() {
        let turned = 60.0 * k as f64;
        let arm = pipe.translation - centre;
        assert!((arm.norm() - 5e-3).abs() < 1e-7, "{arm:?}");
        let angle = (arm.angle().to_degrees() - 90.0).rem_euclid(360.0);
        assert!((angle - turned).abs() < 1e-3, "{angle} {turned}");
        let own = pipe.angle.to_degrees().rem_euclid(360.0);
        assert!((own - turned).abs() < 1e-9, "{own} {turned}");
    }
    // Boxes keep their size, whichever way they lie.
    for valve in ring
        .design
        .overlays
        .iter()
        .filter(|o| o.name.value.starts_with("valve"))
    {
        let (low, high) = valve.shape.bounds(1.0);
        let size = high - low;
        let is_same = (size.x.max(size.y) - 2e-3).abs() < 1e-9;
        assert!(
            is_same && (size.x.min(size.y) - 1e-3).abs() < 1e-9,
            "{size:?}"
        );
    }
    assert!(matches!(
        circular_pattern(&opened.drawing(), &selected, 20_001, centre),
        Err(Refusal::TooMany(_))
    ));
    assert!(circular_pattern(&opened.drawing(), &names(&[]), 3, centre).is_err());
}
