//! ParchMint files of other projects: what each becomes and what it solves to; files of our own for every rule of the import.

use super::data::{files, solved};
use stokeslet::chip::place;
use stokeslet::design::parse;
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::import::{Format, Imported, Options, format_of, parchmint};
use stokeslet::library::Library;

fn imported(text: &str, options: &Options) -> (Option<Imported>, Vec<Diagnostic>) {
    assert_eq!(format_of(text), Format::ParchMint);
    parchmint(text, "test", &Library::embedded(), options)
}

/// A file with these components and connections, each `(id, entity, params)` and `(id, from, to, params)`; ends are `id:port`.
fn file(components: &[(&str, &str, &str)], connections: &[(&str, &str, &str, &str)]) -> String {
    let components = components.iter().map(|(id, entity, params)| {
        format!("{{\"id\":\"{id}\",\"name\":\"{id}\",\"entity\":\"{entity}\",\"layers\":[\"0\"],\"params\":{{{params}}},\"ports\":[],\"x-span\":4000,\"y-span\":4000}}")
    });
    let end = |text: &str| {
        let (id, port) = text.split_once(':').unwrap_or((text, "1"));
        format!("{{\"component\":\"{id}\",\"port\":\"{port}\"}}")
    };
    let connections = connections.iter().map(|(id, from, to, params)| {
        format!(
            "{{\"id\":\"{id}\",\"name\":\"{id}\",\"layer\":\"0\",\"source\":{},\"sinks\":[{}],\"params\":{{{params}}},\"paths\":[{{\"wayPoints\":[[0,0],[1000,0],[1000,3000]]}}]}}",
            end(from), end(to)
        )
    });
    format!(
        "{{\"name\":\"t\",\"version\":\"1.2\",\"layers\":[{{\"id\":\"0\",\"name\":\"f\",\"type\":\"Flow\"}}],\"components\":[{}],\"connections\":[{}]}}",
        components.collect::<Vec<_>>().join(","),
        connections.collect::<Vec<_>>().join(",")
    )
}

const WIDE: &str = "\"channelWidth\":400";

/// Flow rates per port of what a file is imported to.
fn flows(text: &str, options: &Options) -> Vec<(String, f64)> {
    let (imported, diagnostics) = imported(text, options);
    let imported = imported.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let (design, mistakes) = parse(&imported.text, "test");
    assert!(mistakes.is_empty(), "{mistakes:?}\n{}", imported.text);
    let (chip, placed) = place(&design.expect("no mistakes"), &Library::embedded());
    let chip = chip.unwrap_or_else(|| panic!("{placed:?}\n{}", imported.text));
    let solution = solved(&chip, 4).expect("solves");
    assert!(solution.report.relative_residual < 1e-10);
    assert!(solution.report.mass_imbalance.abs() < 1e-9);
    solution
        .ports
        .iter()
        .map(|port| (port.id.clone(), port.flow_rate))
        .collect()
}

#[test]
fn components_and_connections_keep_their_depths() {
    let text = file(
        &[
            ("p1", "PORT", "\"height\":50"),
            ("m1", "MIXER", "\"height\":100"),
            ("m2", "MIXER", "\"height\":250"),
            ("p2", "PORT", ""),
        ],
        &[
            ("c1", "p1", "m1:1", "\"channelWidth\":400,\"height\":250"),
            ("c2", "m1:2", "m2:1", "\"channelWidth\":400,\"height\":30"),
            ("c3", "m2:2", "p2", "\"channelWidth\":400,\"height\":250"),
        ],
    );
    let (read, said) = imported(&text, &Options::default());
    let design = read.unwrap_or_else(|| panic!("{said:?}")).design;
    assert!(said.iter().all(|d| d.code != "D326"), "{said:?}");
    let um = |depth: Option<stokeslet::units::Metre>| depth.map(|d| (d.0 * 1e6).round());
    assert_eq!(um(design.depth), Some(250.0));
    let of = |name: &str| {
        let found = design.components.iter().find(|c| c.name.value == name);
        um(found.unwrap_or_else(|| panic!("no {name}")).depth)
    };
    assert_eq!([of("m1"), of("m2")], [Some(100.0), None]);
    let links: Vec<Option<f64>> = design.links.iter().map(|l| um(l.depth)).collect();
    assert_eq!(links, [None, Some(30.0), None]);
    let flows = flows(&text, &Options::default());
    assert!(flows[0].1 > 0.0 && (flows[0].1 + flows[1].1).abs() < 1e-9 * flows[0].1);
}

#[test]
fn a_connection_between_two_ports_is_a_pipe_as_long_as_its_path() {
    let text = file(
        &[("p1", "PORT", ""), ("p2", "PORT", "")],
        &[("c1", "p1", "p2", WIDE)],
    );
    let flows = flows(&text, &Options::default());
    // Shallow, 400 x 250 um, 4 mm: within a percent of the duct series (its model), 250 um being the depth of chips that tell none.
    let (w, d): (f64, f64) = (400e-6, 250e-6);
    let duct = w * d.powi(3) * (1.0 - 0.63 * d / w) * 1e3 / (12.0 * 1e-3 * 4e-3);
    assert!(
        (flows[0].1 / duct - 1.0).abs() < 0.05,
        "{flows:?} for {duct}"
    );
    assert_eq!(flows[0].0, "p1");
}

/// Way-points that don't follow the axes, as those of arcs.
#[test]
fn a_slanted_path_is_as_long_as_it_is() {
    let text = file(
        &[("p1", "PORT", ""), ("p2", "PORT", "")],
        &[("c1", "p1", "p2", WIDE)],
    );
    let length = |text: &str| {
        let (read, said) = imported(text, &Options::default());
        let text = read.unwrap_or_else(|| panic!("{said:?}")).text;
        let at = text.find("length = \"").expect("a length") + 10;
        text[at..].split('"').next().map(str::to_owned)
    };
    assert_eq!(length(&text).as_deref(), Some("4 mm"));
    let slanted = text.replace("[[0,0],[1000,0],[1000,3000]]", "[[0,0],[3000,4000]]");
    assert_eq!(length(&slanted).as_deref(), Some("5 mm"));
}

#[test]
fn every_entity_of_the_table_is_made_and_solved() {
    for (entity, ports) in [
        ("MIXER", 2),
        ("CURVED MIXER", 2),
        ("MIXER3D", 2),
        ("SQUARE CELL TRAP", 4),
        ("CELL TRAP", 2),
        ("REACTION CHAMBER", 4),
        ("DIAMOND REACTION CHAMBER", 2),
        ("INCUBATION", 2),
        ("LONG CELL TRAP", 2),
        ("TREE", 9),
        ("MUX", 9),
        ("YTREE", 9),
        ("GRADIENT GENERATOR", 4),
        ("NOZZLE DROPLET GENERATOR", 4),
        ("DROPLET GENERATOR T", 3),
        ("DROPLET GENERATOR FLOW FOCUS", 4),
        ("PICOINJECTOR", 3),
        ("DROPLET SORTER", 3),
        ("DROPLET SPLITTER", 3),
        ("DROPLET MERGER", 2),
        ("DROPLET CAPACITANCE SENSOR", 2),
        ("FILTER", 2),
        ("ROTARY MIXER", 2),
        ("CHEMOSTAT RING", 2),
        ("TRANSPOSER", 4),
        ("PUMP", 2),
        ("TRANSITION", 2),
        ("MICROARRAY", 2),
        ("NODE", 5),
        ("VIA", 2),
        ("Switch", 3),
        ("Storage", 2),
        ("Heater", 2),
        ("Mixer", 2),
        ("TDroplet", 3),
        ("RotaryPump", 2),
    ] {
        let names: Vec<String> = (1..=ports).map(|k| format!("p{k}")).collect();
        let links: Vec<String> = (1..=ports).map(|k| format!("c{k}")).collect();
        let ends: Vec<String> = (1..=ports).map(|k| format!("m:{k}")).collect();
        let mut components = vec![("m", entity, "")];
        components.extend(names.iter().map(|name| (name.as_str(), "PORT", "")));
        let connections: Vec<_> = (0..ports)
            .map(|k| (links[k].as_str(), names[k].as_str(), ends[k].as_str(), WIDE))
            .collect();
        let flows = flows(&file(&components, &connections), &Options::default());
        assert_eq!(flows.len(), ports, "{entity}");
        if entity != "TRANSPOSER" {
            assert!(
                flows[1..].iter().all(|(_, flow)| *flow < 0.0),
                "{entity}: {flows:?}"
            );
        }
    }
}

#[test]
fn ports_are_driven_as_asked() {
    use stokeslet::design::PortCondition::{FlowRate, Pressure};
    use stokeslet::units;
    let text = file(
        &[
            ("p1", "PORT", ""),
            ("in put", "PORT", ""),
            ("p3", "PORT", ""),
            ("n", "NODE", ""),
        ],
        &[
            ("a", "p1", "n", WIDE),
            ("b", "in put", "n", WIDE),
            ("c", "p3", "n", WIDE),
        ],
    );
    let drive = vec![
        ("in put".to_owned(), FlowRate(units::FlowRate(1e-9))),
        ("p1".to_owned(), Pressure(units::Pascal(0.0))),
    ];
    let options = Options {
        drive,
        ..Options::default()
    };
    let flows = flows(&text, &options);
    assert!((flows[1].1 / 1e-9 - 1.0).abs() < 1e-9, "{flows:?}");
    assert_eq!(flows[1].0, "in_put");
    let options = Options {
        drive: vec![("nobody".to_owned(), FlowRate(units::FlowRate(1e-9)))],
        ..Options::default()
    };
    let (none, diagnostics) = imported(&text, &options);
    assert!(none.is_none() && diagnostics.iter().any(|d| d.code == "D322"));
}

#[test]
fn mistakes_have_codes_and_places() {
    let p = |id| (id, "PORT", "");
    for (code, place, text) in [
        (
            "D322",
            "connections[0].sinks[0]",
            file(&[p("a")], &[("c", "a", "b", WIDE)]),
        ),
        (
            "D324",
            "",
            file(&[p("a"), ("m", "MIXER", "")], &[("c", "a", "m", WIDE)]),
        ),
        (
            "D329",
            "components[2].params.bendSpacing",
            file(
                &[p("a"), p("b"), ("m", "MIXER", "\"bendSpacing\":-3")],
                &[("c", "a", "m:1", WIDE), ("d", "b", "m:2", WIDE)],
            ),
        ),
        (
            "D329",
            "connections[0].params.channelWidth",
            file(
                &[p("a"), p("b")],
                &[("c", "a", "b", "\"channelWidth\":1e308")],
            ),
        ),
        (
            "D325",
            "components[2]",
            file(
                &[
                    p("a"),
                    p("b"),
                    (
                        "t",
                        "TREE",
                        "\"flowChannelWidth\":800,\"spacing\":100,\"out\":2",
                    ),
                ],
                &[("c", "a", "t:1", WIDE), ("d", "b", "t:2", WIDE)],
            ),
        ),
        ("D320", "", "{\"components\": []}".to_owned()),
        ("D310", "components[1]", file(&[p("a"), p("a")], &[])),
    ] {
        let (none, diagnostics) = imported(&text, &Options::default());
        let found = diagnostics.iter().any(|d| {
            d.code == code
                && d.severity == Severity::Error
                && (place.is_empty() || d.place.component.as_deref() == Some(place))
        });
        assert!(
            none.is_none() && found,
            "wanted {code} at {place}: {diagnostics:?}"
        );
    }
}

#[test]
fn what_is_assumed_or_left_out_is_a_warning_and_a_comment() {
    let text = file(
        &[
            ("p1", "PORT", ""),
            ("p2", "PORT", ""),
            ("x", "LOGIC ARRAY", ""),
            ("m", "MIXER", "\"height\":30"),
            ("k", "WHATEVER", ""),
        ],
        &[
            ("a", "p1", "k:7", ""),
            ("b", "p2", "x", WIDE),
            ("c", "p1", "m:1", WIDE),
            ("d", "m:3", "p2", WIDE),
        ],
    );
    let (imported, diagnostics) = imported(&text, &Options::default());
    let codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
    for code in ["D321", "D323", "D327"] {
        assert!(codes.contains(&code), "{code} in {diagnostics:?}");
    }
    let imported = imported.expect("the mixer's island is left");
    assert!(
        imported.text.contains("# assumed") && imported.text.contains("# D327"),
        "{}",
        imported.text
    );
}

/// Each of the 25 files: imported and solved, its links as long as its paths; or refused with a code.
#[test]
fn every_file_of_the_benchmarks_is_solved_or_refused_with_a_code() {
    for (name, text) in files("parchmint") {
        let (imported, diagnostics) = imported(&text, &Options::default());
        let Some(imported) = imported else {
            let errors: Vec<_> = diagnostics
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .collect();
            assert!(!errors.is_empty());
            println!("{name}: refused: {errors:?}");
            continue;
        };
        let (design, mistakes) = parse(&imported.text, "test");
        assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
        let design = design.expect("no mistakes");
        let (chip, placed) = place(&design, &Library::embedded());
        let chip = chip.unwrap_or_else(|| panic!("{name}: {placed:?}"));
        let solution = solved(&chip, 4).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(solution.report.relative_residual < 1e-10, "{name}");
        let warnings: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
        println!(
            "{name}: {} parts, {} links, residual {:.1e}, first port {:.6e} m^3/s, {warnings:?}",
            chip.parts.len(),
            design.links.len(),
            solution.report.relative_residual,
            solution.ports[0].flow_rate
        );
    }
}
