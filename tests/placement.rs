//! Designs become chips: attachments, channels, connections and all that can be wrong with them.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::f64::consts::{FRAC_PI_2, PI};

use proptest::prelude::*;
use stokeslet::chip::{self, Chip};
use stokeslet::design;
use stokeslet::diagnostic::Diagnostic;
use stokeslet::geometry::Point;
use stokeslet::library::Library;
use stokeslet::shape::{Shape, Strip};

#[path = "support/broken.rs"]
mod broken;

fn place(body: &str) -> (Option<Chip>, Vec<Diagnostic>) {
    let text =
        format!("format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n{body}");
    let (design, diagnostics) = design::parse(&text, "test");
    assert_eq!(diagnostics, [], "the text is a design:\n{text}");
    chip::place(&design.unwrap(), &Library::embedded())
}

/// The chip of a design without mistakes.
fn placed(body: &str) -> Chip {
    let (chip, diagnostics) = place(body);
    assert_eq!(diagnostics, [], "nothing is wrong with {body}");
    chip.unwrap()
}

fn codes(body: &str) -> Vec<&'static str> {
    place(body)
        .1
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

#[test]
fn the_broken_corpus_gives_its_codes() {
    let library = Library::embedded();
    let mut failures = Vec::new();
    for case in broken::corpus() {
        if !case.expected.iter().all(|code| code.starts_with("D2")) {
            continue;
        }
        let (design, diagnostics) = design::parse(&case.bytes, "broken");
        assert_eq!(diagnostics, [], "{} can be read", case.path.display());
        let (chip, diagnostics) = chip::place(&design.unwrap(), &library);
        let only_warnings = case.expected.iter().all(|code| code == "D231");
        assert_eq!(chip.is_some(), only_warnings, "{}", case.path.display());
        failures.extend(broken::check_expected(&case, &diagnostics).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_shallow_chip_narrower_than_deep_is_warned_of_at_its_narrowest() {
    let of = |model: &str, depth: &str| {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\n\
             chip = {{ model = \"{model}\", width = \"100 um\", depth = \"{depth}\" }}\n\
             [components]\n\
             wide = {{ kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = {{ length = \"1 mm\" }} }}\n\
             thin = {{ kind = \"taper\", attach = \"a\", to = \"wide.b\", parameters = {{ width_end = \"60 um\" }} }}\n\
             [ports]\ni = {{ at = \"wide.a\", pressure = \"1 Pa\" }}\no = {{ at = \"thin.b\", pressure = \"0 Pa\" }}\n"
        );
        let (design, diagnostics) = design::parse(&text, "shallow");
        assert_eq!(diagnostics, []);
        let (chip, diagnostics) = chip::place(&design.unwrap(), &Library::embedded());
        assert!(chip.is_some(), "a warning is no error: {diagnostics:?}");
        let said = diagnostics.iter().map(|d| (d.code, d.message.clone()));
        said.collect::<Vec<_>>()
    };
    let said = of("shallow", "80 um");
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].0, "D235");
    assert!(
        said[0].1.contains("`thin` is 60 µm wide and 80 µm deep"),
        "{said:?}"
    );
    assert_eq!(of("shallow", "60 um"), [], "as deep as wide");
    assert_eq!(of("full", "80 um"), [], "the depth is solved");
    assert_eq!(of("planar", "80 um"), [], "the depth only counts flow");
}

#[test]
fn a_channel_with_way_points_becomes_pipes_and_mitred_squares() {
    let chip = placed(
        "[components]\np = { kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = { length = \"1 mm\" } }\n\
         [channels]\nc = { from = \"p.b\", via = [[\"1.5 mm\", \"0 m\"], [\"2 mm\", \"0 m\"], [\"2 mm\", \"1 mm\"], [\"3 mm\", \"1 mm\"]] }\n\
         [ports]\ni = { at = \"p.a\", pressure = \"1 Pa\" }\no = { at = \"c.end\", pressure = \"0 Pa\" }\n",
    );
    let names: Vec<&str> = chip.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(
        names,
        ["p", "c/pipe1", "c/bend1", "c/pipe2", "c/bend2", "c/pipe3"]
    );
    let square = |k: usize| match &chip.parts[k].shape {
        Shape::Polygon {
            corners, sockets, ..
        } => (corners.clone(), sockets.clone()),
        shape => panic!("{shape:?}"),
    };
    assert_eq!(
        square(2),
        square(4),
        "a right turn is the mirrored left turn"
    );
    assert_eq!(
        [chip.parts[2].motion.mirror, chip.parts[4].motion.mirror],
        [false, true]
    );
    assert_eq!(square(2).0.len(), 4, "a right angle is a bare square");
    let Shape::Strip(Strip::Straight { length, .. }) = chip.parts[1].shape else {
        panic!("a pipe")
    };
    assert!(
        (length - 950e-6).abs() < 1e-15,
        "collinear way-points are dropped, the square takes half a width: {length}"
    );
    assert_eq!(chip.connections.len(), 5);
}

#[test]
fn round_bends_are_arcs_mirrored_for_right_turns() {
    let chip = placed(
        "[components]\np = { kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = { length = \"1 mm\" } }\n\
         [channels]\nc = { from = \"p.b\", via = [[\"2 mm\", \"0 m\"], [\"2 mm\", \"-1 mm\"]], bend = \"round\", radius = \"300 um\" }\n\
         [ports]\ni = { at = \"p.a\", pressure = \"1 Pa\" }\no = { at = \"c.end\", pressure = \"0 Pa\" }\n",
    );
    let arc = &chip.parts[2];
    let Shape::Strip(Strip::Arc { radius, angle, .. }) = arc.shape else {
        panic!("an arc")
    };
    assert!(
        (radius - 300e-6).abs() < 1e-18 && (angle - FRAC_PI_2).abs() < 1e-15 && arc.motion.mirror
    );
    let end = arc.motion.apply(arc.shape.sockets()[1].middle);
    assert!(
        (end - Point::new(2e-3, -300e-6)).norm() < 1e-15,
        "the arc ends below its way-point: {end:?}"
    );
}

/// Attached round and round, the last of 24 bends of 15 degrees meets the first again.
#[test]
fn attachments_stay_exact_along_a_chain() {
    let mut body = "[components]\nb0 = { kind = \"bend_round\", at = [\"3 mm\", \"-2 mm\"], parameters = { angle = \"15 deg\", radius = \"1 mm\" } }\n".to_owned();
    for k in 1..240 {
        let to = k - 1;
        body += &format!(
            "b{k} = {{ kind = \"bend_round\", attach = \"a\", to = \"b{to}.b\", parameters = {{ angle = \"15 deg\", radius = \"1 mm\" }} }}\n"
        );
    }
    body += "[ports]\ni = { at = \"b0.a\", pressure = \"1 Pa\" }\n";
    let text =
        format!("format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n{body}");
    let mut design = design::parse(&text, "ring").0.unwrap();
    design.components.truncate(24);
    let (_, diagnostics) = chip::place(&design, &Library::embedded());
    let codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert!(
        codes.contains(&"D226"),
        "the ring closes to 1e-6 of the width: {diagnostics:?}"
    );
}

#[test]
fn mirrored_attachments_face_their_target() {
    for mirror in ["", ", mirror = true"] {
        let chip = placed(&format!(
            "[components]\np = {{ kind = \"pipe\", at = [\"1 mm\", \"2 mm\"], rotation = \"37 deg\" }}\n\
             b = {{ kind = \"bend\", attach = \"a\", to = \"p.b\"{mirror} }}\n\
             [ports]\ni = {{ at = \"p.a\", pressure = \"1 Pa\" }}\no = {{ at = \"b.b\", pressure = \"0 Pa\" }}\n"
        ));
        let socket = |part: usize, k: usize| chip.parts[part].shape.sockets()[k];
        let meets = chip.parts[0].motion.apply(socket(0, 1).middle)
            - chip.parts[1].motion.apply(socket(1, 0).middle);
        assert!(meets.norm() < 1e-15, "the sockets meet: {meets:?}");
        let out = chip.parts[1]
            .motion
            .turn(socket(1, 1).direction)
            .rem_euclid(2.0 * PI)
            .to_degrees();
        let want = if mirror.is_empty() { 127.0 } else { 307.0 };
        assert!(
            (out - want).abs() < 1e-9,
            "a mirrored bend turns right: {out}"
        );
    }
}

#[test]
fn flow_rates_become_rates_per_depth() {
    let body = "[components]\np = { kind = \"pipe\", at = [\"0 m\", \"0 m\"] }\n\
                [ports]\ni = { at = \"p.a\", flow_rate = \"6 uL/min\" }\no = { at = \"p.b\", flow_rate = \"-6 uL/min\" }\n";
    let chip = placed(&format!("model = \"planar\"\ndepth = \"50 um\"\n{body}"));
    let chip::Condition::FlowRate(rate) = chip.ports[0].condition else {
        panic!("a flow rate")
    };
    assert!(
        (rate - 1e-10 / 50e-6).abs() < 1e-20,
        "6 uL/min over 50 um: {rate}"
    );
    assert_eq!(
        codes(&format!(
            "model = \"planar\"\ndepth = \"50 um\"\n{}",
            body.replace("-6", "-5")
        )),
        ["D233"]
    );
}

#[test]
fn a_diagnostic_suggests_the_nearest_name() {
    let (_, diagnostics) = place(
        "[components]\nmixer = { kind = \"tee\", at = [\"0 m\", \"0 m\"] }\nb = { kind = \"pipe\", attach = \"a\", to = \"mixr.up\" }\n",
    );
    assert!(
        diagnostics[0].help.as_ref().unwrap().contains("`mixer`"),
        "{diagnostics:?}"
    );
}

#[test]
fn a_long_chain_of_components_neither_overflows_nor_dawdles() {
    let mut body = "[components]\nb0 = { kind = \"pipe\", at = [\"0 m\", \"0 m\"] }\n".to_owned();
    for k in (1..20_000).rev() {
        body += &format!(
            "b{k} = {{ kind = \"pipe\", attach = \"a\", to = \"b{}.b\" }}\n",
            k - 1
        );
    }
    body += "[ports]\ni = { at = \"b0.a\", pressure = \"1 Pa\" }\no = { at = \"b19999.b\", pressure = \"0 Pa\" }\n";
    assert_eq!(placed(&body).parts.len(), 20_000);
}

proptest! {
    /// Any way-points give a chip or diagnostics, never a panic.
    #[test]
    fn any_way_points_are_placed_or_reported(
        via in prop::collection::vec((-3i32..6, -3i32..6), 0..8),
        round in any::<bool>(),
        to in any::<bool>(),
    ) {
        let via: Vec<String> = via.iter().map(|(x, y)| format!("[\"{} um\", \"{} um\"]", x * 150, y * 150)).collect();
        let bend = if round { ", bend = \"round\", radius = \"75 um\"" } else { "" };
        let to = if to || via.is_empty() { ", to = \"q.a\"" } else { "" };
        let (chip, diagnostics) = place(&format!(
            "[components]\np = {{ kind = \"pipe\", at = [\"-400 um\", \"0 m\"] }}\nq = {{ kind = \"pipe\", at = [\"900 um\", \"300 um\"] }}\n\
             [channels]\nc = {{ from = \"p.b\"{to}, via = [{}]{bend} }}\n\
             [ports]\ni = {{ at = \"p.a\", pressure = \"1 Pa\" }}\no = {{ at = \"q.b\", pressure = \"0 Pa\" }}\n",
            via.join(", ")
        ));
        prop_assert!(chip.is_some() || !diagnostics.is_empty());
        prop_assert!(diagnostics.iter().all(|d| d.place.span.is_some()));
    }
}

#[test]
fn the_wide_chamber_can_be_placed() {
    let (design, diagnostics) = design::parse(include_str!("../designs/wide.toml"), "wide");
    assert_eq!(diagnostics, []);
    let (chip, diagnostics) = chip::place(&design.unwrap(), &Library::embedded());
    assert_eq!(diagnostics, []);
    let chip = chip.unwrap();
    let Shape::Polygon {
        corners, sockets, ..
    } = &chip.parts[0].shape
    else {
        panic!("the chamber is a polygon")
    };
    assert_eq!(sockets.len(), 7);
    for p in corners {
        for x in [p.x, p.y] {
            let eighths = (x + 0.15) / (0.0125 / 8.0);
            assert!(
                (eighths - eighths.round()).abs() < 1e-9,
                "{p:?} fits a grid of an eighth of the width"
            );
        }
    }
}
