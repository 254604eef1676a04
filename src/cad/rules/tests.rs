use super::*;
use crate::chip::place;
use crate::design::parse;
use crate::library::Library;

fn checked(body: &str, rules: &str) -> Vec<Violation> {
    let text = format!(
        "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ model = \"planar\", width = \"100 um\", depth = \"50 um\" }}\n{body}"
    );
    let (design, mistakes) = parse(&text, "rules");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let design = design.expect("no mistakes");
    let (chip, placed) = place(&design, &Library::embedded());
    let chip = chip.unwrap_or_else(|| panic!("{placed:?}"));
    let rules: String = rules
        .split(';')
        .map(|rule| {
            let (kind, value) = rule.split_once('=').expect("kind=value");
            format!("[[rule]]\nkind = \"{kind}\"\nvalue = \"{value}\"\nsource = \"test\"\n")
        })
        .collect();
    let process =
        read_process(&format!("format = 1\nname = \"test\"\n{rules}")).expect("a process");
    check(&design, &chip, &process).expect("limits")
}

/// A comb of 100 pipes beside each other: every other width and gap a nanometre below or above the limit.
#[test]
fn a_comb_a_nanometre_about_the_limit_is_judged_right() {
    let mut components = String::from("[components]\n");
    let mut ports = String::from("[ports]\n");
    let mut y = 0.0;
    let (mut narrow, mut near) = (0, 0);
    for k in 0..100 {
        let width = if k % 3 == 0 { 49.999 } else { 50.001 };
        let gap = if k % 7 == 0 { 29.999 } else { 30.001 };
        narrow += usize::from(k % 3 == 0);
        near += usize::from(k % 7 == 0 && k < 99);
        components.push_str(&format!(
            "p{k} = {{ kind = \"pipe\", at = [\"0 mm\", \"{:.4} um\"], parameters = {{ width = \"{width} um\", length = \"1 mm\" }} }}\n",
            y + width / 2.0
        ));
        ports.push_str(&format!(
            "a{k} = {{ at = \"p{k}.a\", pressure = \"1 Pa\" }}\nb{k} = {{ at = \"p{k}.b\", pressure = \"0 Pa\" }}\n"
        ));
        y += width + gap;
    }
    let found = checked(
        &format!("{components}{ports}"),
        "min_width=50 um;min_gap=30 um",
    );
    let of = |kind| found.iter().filter(|v| v.kind == kind).count();
    assert_eq!(
        (of(RuleKind::MinWidth), of(RuleKind::MinGap)),
        (narrow, near)
    );
    for v in &found {
        assert!((v.limit - v.value - 1e-9).abs() < 1e-12, "{v:?}");
    }
}

const BENT: &str = "[components]\nu = { kind = \"uturn_square\", at = [\"0 mm\", \"0 mm\"], parameters = { pitch = \"150 um\" } }\nr = { kind = \"bend_round\", attach = \"a\", to = \"u.b\" }\n[ports]\na = { at = \"u.a\", pressure = \"1 Pa\" }\nb = { at = \"r.b\", pressure = \"0 Pa\" }\n";

#[test]
fn each_kind_of_rule_finds_its_place_and_only_above_its_limit() {
    for (rules, want) in [
        // The legs of the turn are 50 um apart.
        ("min_gap=51 um", 1),
        ("min_gap=49 um", 0),
        ("min_width=101 um", 1),
        ("min_width=99 um", 0),
        // Round bends have a radius of 150 um.
        ("min_radius=151 um", 1),
        ("min_radius=149 um", 0),
        ("inner_radius=1 um", 2),
        ("aspect_max=0.51", 0),
        ("aspect_max=0.49", 1),
        // A right mitred bend holds a circle of 4 - 2 sqrt 2 = 1.17 widths.
        ("aspect_min=0.42", 0),
        ("aspect_min=0.43", 1),
        ("max_span=118 um", 0),
        ("max_span=117 um", 1),
        ("max_span=99 um", 1),
        ("port_spacing=1 mm", 1),
        ("port_spacing=1 um", 0),
        ("depth_min=51 um", 1),
        ("depth_max=49 um", 1),
        ("depth_min=50 um;depth_max=50 um", 0),
        // Limits can be of the depth, which is what the legs are apart.
        ("min_gap=depth + 1 um", 1),
        ("min_gap=depth", 0),
    ] {
        let found = checked(BENT, rules);
        assert_eq!(!found.is_empty(), want > 0, "{rules}: {found:?}");
        if rules.starts_with("inner") {
            assert_eq!(found.len(), want, "{rules}: {found:?}");
        }
    }
}

/// Two round bends whose outer walls look at each other across 20 um, along a line that meets no end of a chord.
#[test]
fn gaps_between_arcs_are_right_to_a_nanometre() {
    // Outer radii of 200 um, turned by half a turn to each other, their centres on a line that goes 3 across and 4 down.
    let body = |gap: f64| {
        let length = 400.0 + gap;
        let (dx, dy) = (length * 0.6, -length * 0.8);
        format!(
            "[components]\na = {{ kind = \"bend_round\", at = [\"0 um\", \"0 um\"] }}\nb = {{ kind = \"bend_round\", at = [\"{dx} um\", \"{} um\"], rotation = \"180 deg\" }}\n[ports]\na = {{ at = \"a.a\", pressure = \"1 Pa\" }}\nb = {{ at = \"a.b\", pressure = \"0 Pa\" }}\nc = {{ at = \"b.a\", pressure = \"1 Pa\" }}\nd = {{ at = \"b.b\", pressure = \"0 Pa\" }}\n",
            300.0 + dy
        )
    };
    let found = checked(&body(20.0), "min_gap=21 um");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].value - 20e-6).abs() < 1e-12, "{found:?}");
    assert!(checked(&body(20.0), "min_gap=20 um").is_empty());
}

#[test]
fn narrow_places_of_polygons_are_found_by_their_walls() {
    let body = "[components]\ns = { kind = \"step\", at = [\"0 mm\", \"0 mm\"], parameters = { width_end = \"30 um\" } }\n[ports]\na = { at = \"s.a\", pressure = \"1 Pa\" }\nb = { at = \"s.b\", pressure = \"0 Pa\" }\n";
    let found = checked(body, "min_width=31 um");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].value - 30e-6).abs() < 1e-12);
    assert!(checked(body, "min_width=29 um").is_empty());
}

#[test]
fn what_is_found_is_told_in_every_format() {
    let found = checked(BENT, "min_gap=60 um;inner_radius=1 um");
    let process = read_process("format = 1\nname = \"a < b\"\n[[rule]]\nkind = \"min_gap\"\nvalue = \"60 um\"\nsource = \"q\"\n[[rule]]\nkind = \"inner_radius\"\nvalue = \"1 um\"\nseverity = \"warning\"\nsource = \"q & r\"\n")
        .expect("a process");
    assert_eq!(csv(&process, &found).lines().count(), found.len() + 1);
    let text = json(&process, &found);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        value["violations"].as_array().map(Vec::len),
        Some(found.len())
    );
    let report = lyrdb(&process, &found, "TOP");
    assert_eq!(report.matches("<item>").count(), found.len());
    assert!(report.contains("a &lt; b") && report.contains("q &amp; r"));
}

#[test]
fn broken_processes_are_refused_with_codes() {
    let rule = |text: &str| format!("format = 1\n[[rule]]\n{text}");
    for (code, text) in [
        ("D335", "a = ".to_owned()),
        ("D335", "format = 2\n".to_owned()),
        ("D335", "format = 1\n".to_owned()),
        ("D336", rule("value = \"1 um\"\nsource = \"x\"")),
        (
            "D336",
            rule("kind = \"min_wdth\"\nvalue = \"1 um\"\nsource = \"x\""),
        ),
        ("D336", rule("kind = \"min_width\"\nvalue = \"1 um\"")),
        (
            "D336",
            rule("kind = \"min_width\"\nvalue = \"1 um\"\nsource = \"x\"\nseverity = \"bad\""),
        ),
    ] {
        let faults = read_process(&text).expect_err(&text);
        assert!(faults.iter().any(|f| f.code == code), "{text}: {faults:?}");
    }
    let process = read_process(&rule(
        "kind = \"min_width\"\nvalue = \"1 kPa\"\nsource = \"x\"",
    ))
    .expect("read");
    assert_eq!(
        process.rules[0].limit(None).expect_err("no length").code,
        "D337"
    );
}

#[test]
fn every_process_that_came_with_the_program_is_read() {
    for name in ["pdms", "sla", "sla-mould", "lcd", "dlp", "milling", "glass"] {
        let (text, _) = crate::library::process_text(name, None).expect("there");
        let process = read_process(&text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        for rule in &process.rules {
            assert!(
                rule.limit(Some(50e-6)).is_ok() && !rule.source.is_empty(),
                "{name}"
            );
        }
    }
    let fault = crate::library::process_text("pdmd", None).expect_err("not there");
    assert!(fault.code == "D335" && fault.help.is_some_and(|help| help.contains("pdms")));
}
