//! Drawings of 3DuF: those of another project, and small ones of our own for every rule of the import.

use super::data::{files, solved};
use stokeslet::chip::place;
use stokeslet::design::{Design, Value, parse};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::import::{Format, Imported, Options, format_of, threeduf};
use stokeslet::library::Library;

fn imported(text: &str) -> (Option<Imported>, Vec<Diagnostic>) {
    assert_eq!(format_of(text), Format::Drawing);
    threeduf(text, "drawing", &Library::embedded(), &Options::default())
}

/// A drawing with these features of the flow layer, each `(macro, params)`.
fn drawing(features: &[(&str, &str)]) -> String {
    let features: Vec<String> = features
        .iter()
        .enumerate()
        .map(|(k, (kind, params))| {
            format!("\"f{k:02}\":{{\"macro\":\"{kind}\",\"name\":\"New Feature\",\"params\":{{{params}}}}}")
        })
        .collect();
    format!(
        "{{\"name\":\"d\",\"params\":{{\"width\":135000,\"length\":85000}},\"features\":[{{\"name\":\"flow\",\"features\":{{{}}}}},{{\"name\":\"control\",\"features\":{{\"v\":{{\"macro\":\"Channel\",\"params\":{{\"start\":[0,50],\"end\":[9000,50],\"channelWidth\":400}}}}}}}}],\"components\":[],\"connections\":[]}}",
        features.join(",")
    )
}

fn channel(kind: &'static str, from: [i32; 2], to: [i32; 2], width: u32) -> (&'static str, String) {
    (
        kind,
        format!("\"start\":{from:?},\"end\":{to:?},\"channelWidth\":{width},\"height\":100"),
    )
}

fn port(at: [i32; 2], radius: u32) -> (&'static str, String) {
    (
        "Port",
        format!("\"position\":{at:?},\"portRadius\":{radius},\"height\":1100"),
    )
}

fn text(features: &[(&'static str, String)]) -> String {
    let features: Vec<(&str, &str)> = features.iter().map(|(k, p)| (*k, p.as_str())).collect();
    drawing(&features)
}

fn design(features: &[(&'static str, String)]) -> (Design, Vec<Diagnostic>) {
    let (imported, said) = imported(&text(features));
    let imported = imported.unwrap_or_else(|| panic!("{said:?}"));
    let (again, mistakes) = parse(&imported.text, "again");
    assert!(mistakes.is_empty(), "{mistakes:?}\n{}", imported.text);
    (again.expect("no mistakes"), said)
}

/// Lengths of pipes, mm.
fn pipes(design: &Design) -> Vec<f64> {
    let pipes = design.components.iter().filter(|c| c.kind.value == "pipe");
    let length = |c: &stokeslet::design::Component| {
        let found = c.parameters.iter().find(|(name, _)| name.value == "length");
        match found.map(|(_, value)| &value.value) {
            Some(Value::Quantity(length, _)) => (length * 1e6).round() / 1e3,
            other => panic!("{other:?}"),
        }
    };
    pipes.map(length).collect()
}

fn flows(design: &Design) -> Vec<(String, f64)> {
    let (chip, said) = place(design, &Library::embedded());
    let chip = chip.unwrap_or_else(|| panic!("{said:?}"));
    let solution = solved(&chip, 4).expect("solves");
    assert!(solution.report.relative_residual < 1e-10);
    let ports = solution.ports.iter();
    ports
        .map(|port| (port.id.clone(), port.flow_rate))
        .collect()
}

#[test]
fn a_channel_ends_at_the_edges_of_its_ports() {
    let (design, said) = design(&[
        channel("Channel", [1000, 1000], [11000, 1000], 400),
        port([1000, 1000], 500),
        port([11100, 1100], 600),
        // The frame, nothing, and the same channel again.
        channel("Channel", [0, 0], [135_000, 0], 800),
        channel("Channel", [5000, 5000], [5000, 5000], 400),
        channel("Channel", [11000, 1000], [1000, 1000], 400),
    ]);
    assert!(said.is_empty(), "{said:?}");
    // 10 mm less 0.5 mm on one side and, the other hole being 0.1 mm beyond the end, 0.5 mm on the other.
    assert_eq!(pipes(&design), [9.0]);
    assert_eq!((design.components.len(), design.ports.len()), (1, 2));
    let flows = flows(&design);
    assert!(flows[0].1 > 0.0 && (flows[0].1 + flows[1].1).abs() < 1e-12 * flows[0].1);
}

#[test]
fn what_touches_is_joined_and_shapes_between_channels_become_polygons() {
    // A round channel into the side of a flat one, and a transition to a narrower one.
    let (design, said) = design(&[
        channel("Channel", [1000, 5000], [11000, 5000], 400),
        channel("RoundedChannel", [6000, 5000], [6000, 13000], 300),
        (
            "Transition",
            "\"position\":[11000,5000],\"cw1\":400,\"cw2\":200,\"length\":1000,\"orientation\":\"H\""
                .to_owned(),
        ),
        channel("Channel", [12000, 5000], [16000, 5000], 200),
        port([1000, 5000], 500),
        port([6000, 13000], 500),
        port([16000, 5000], 500),
    ]);
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(pipes(&design).len(), 4);
    assert_eq!(
        design.components.len(),
        6,
        "the crossing and the transition"
    );
    let flows = flows(&design);
    assert_eq!(flows.len(), 3);
    assert!(
        flows[0].1 > 0.0 && flows[1].1 < 0.0 && flows[2].1 < 0.0,
        "{flows:?}"
    );
}

#[test]
fn a_port_in_the_middle_parts_a_channel_and_opens_both_sides() {
    let (design, said) = design(&[
        channel("Channel", [0, 9000], [20000, 9000], 400),
        port([0, 9000], 500),
        port([9000, 9000], 500),
        port([20000, 9000], 500),
    ]);
    assert!(said.is_empty(), "{said:?}");
    let mut lengths = pipes(&design);
    lengths.sort_by(f64::total_cmp);
    assert_eq!(lengths, [8.0, 10.0]);
    let names: Vec<&str> = design.ports.iter().map(|p| p.name.value.as_str()).collect();
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("port2"))
            .count(),
        2,
        "{names:?}"
    );
}

/// Areas as their sources draw them, less what ports cut away.
#[test]
fn pumps_nozzles_and_trees_are_drawn() {
    let at = |x: i32, y: i32| [20_000 + x, 30_000 + y];
    let given = |more: &str| format!("\"position\":[20000,30000],{more}");
    let pump = vec![
        (
            "Pump",
            given("\"length\":300,\"spacing\":1000,\"flowChannelWidth\":300,\"rotation\":90"),
        ),
        port(at(-1150, 0), 400),
        port(at(1150, 0), 400),
    ];
    let nozzle = vec![
        (
            "DropletGen",
            given("\"orificeSize\":200,\"orificeLength\":400"),
        ),
        channel("Channel", at(-3000, 0), at(0, 0), 600),
        channel("Channel", at(400, -3000), at(400, -300), 800),
        channel("Channel", at(400, 3000), at(400, 300), 800),
        channel("Channel", at(1800, 0), at(5000, 0), 600),
        port(at(-3000, 0), 700),
        port(at(400, -3000), 700),
        port(at(400, 3000), 700),
        port(at(5000, 0), 700),
    ];
    let tree = |out: u32| {
        given(&format!(
            "\"flowChannelWidth\":200,\"spacing\":1000,\"stageLength\":1000,\"in\":1,\"out\":{out}"
        ))
    };
    let two = vec![
        ("Tree", tree(2)),
        port(at(0, 0), 150),
        port(at(-1000, 2200), 150),
        port(at(1000, 2200), 150),
    ];
    let mut four = vec![("Tree", tree(4)), port(at(0, 0), 150)];
    four.extend([-2250, -750, 750, 2250].map(|x| port(at(x, 3400), 150)));
    for (features, ports, want) in [
        (pump, 2, 1500.0 * 300.0),
        (
            nozzle,
            4,
            2300.0 * 600.0 + 2.0 * 2000.0 * 800.0 + 800.0 * 600.0 + 400.0 * 200.0 + 3100.0 * 600.0,
        ),
        (two, 3, 2200.0 * 200.0 + 3.0 * 200.0 * 850.0),
        (
            four,
            5,
            200.0 * (850.0 + 3200.0 + 2.0 * (1000.0 + 1700.0) + 4.0 * 850.0),
        ),
    ] {
        let kind = features[0].0;
        let (design, said) = design(&features);
        assert!(said.is_empty(), "{kind}: {said:?}");
        let (chip, said) = place(&design, &Library::embedded());
        let chip = chip.unwrap_or_else(|| panic!("{kind}: {said:?}"));
        let area = stokeslet::outline::Outlines::new(&chip).area() * 1e12;
        assert!(
            (area / want - 1.0).abs() < 1e-6,
            "{kind}: {area} for {want}"
        );
        let flows = flows(&design);
        assert_eq!(flows.len(), ports, "{kind}");
        let sum: f64 = flows.iter().map(|f| f.1).sum();
        assert!(sum.abs() < 1e-9 * flows[0].1.abs(), "{kind}");
    }
    let (read, said) = imported(&text(&[("Tree", given("\"in\":1,\"out\":1"))]));
    assert!(read.is_none() && said[0].code == "D329", "{said:?}");
}

#[test]
fn rings_of_short_channels_are_cut_so_that_no_polygon_has_a_hole() {
    let (design, said) = design(&[
        channel("Channel", [0, 5000], [5000, 5000], 400),
        channel("Channel", [4800, 5000], [4800, 5700], 400),
        channel("Channel", [4600, 5500], [5700, 5500], 400),
        channel("Channel", [5500, 5700], [5500, 4800], 400),
        channel("Channel", [5000, 5000], [10000, 5000], 400),
        port([0, 5000], 500),
        port([10000, 5000], 500),
    ]);
    assert!(said.is_empty(), "{said:?}");
    let flows = flows(&design);
    assert!(flows[0].1 > 0.0 && (flows[0].1 + flows[1].1).abs() < 1e-9 * flows[0].1);
}

#[test]
fn what_is_left_out_is_said_and_what_is_wrong_is_refused_with_its_place() {
    let base = [
        channel("Channel", [1000, 1000], [11000, 1000], 400),
        port([1000, 1000], 500),
        port([11000, 1000], 500),
    ];
    let with = |more: (&'static str, String)| {
        let mut features = base.to_vec();
        features.push(more);
        imported(&text(&features))
    };
    for (more, code) in [
        (("LaserCutter", String::new()), "D321"),
        (channel("Channel", [1000, 9000], [11000, 9000], 400), "D324"),
        (port([30000, 30000], 500), "D324"),
        (
            (
                "Channel",
                "\"start\":[1000,1000],\"end\":[1000,4000],\"channelWidth\":400,\"height\":50"
                    .to_owned(),
            ),
            "D326",
        ),
    ] {
        let (read, said) = with(more.clone());
        assert!(read.is_some(), "{more:?}: {said:?}");
        assert!(
            said.iter()
                .any(|d| d.code == code && d.severity == Severity::Warning),
            "{more:?}: {said:?}"
        );
    }
    for (more, key) in [
        (
            (
                "Channel",
                "\"start\":[0,1],\"end\":[9,9],\"channelWidth\":-3".to_owned(),
            ),
            "channelWidth",
        ),
        (
            (
                "Channel",
                "\"start\":[0,1e300],\"end\":[9,9],\"channelWidth\":3".to_owned(),
            ),
            "start",
        ),
        (("Port", "\"position\":[0]".to_owned()), "position"),
        (
            (
                "Mixer",
                "\"position\":[0,0],\"numberOfBends\":1e9".to_owned(),
            ),
            "numberOfBends",
        ),
        (
            (
                "Connection",
                "\"segments\":[[[0,0]]],\"channelWidth\":400".to_owned(),
            ),
            "segments",
        ),
    ] {
        let (read, said) = with(more);
        assert!(read.is_none());
        let places: Vec<&str> = said
            .iter()
            .filter_map(|d| d.place.component.as_deref())
            .collect();
        assert_eq!(said[0].code, "D329", "{said:?}");
        assert!(
            places[0].contains("features[0].features.f03") && places[0].ends_with(key),
            "{places:?}"
        );
    }
    let (read, said) = imported(&text(&base[..2]));
    assert!(
        read.is_none()
            && said
                .iter()
                .any(|d| d.code == "D324" && d.severity == Severity::Error)
    );
}

/// The four drawn chips: islands, ports and what they are cut into; their areas are held against shapely by `drawings.py`.
#[test]
fn drawn_chips_of_another_project_are_imported_and_solved() {
    for (name, content) in files("drawn") {
        let (read, said) = imported(&content);
        let read = read.unwrap_or_else(|| panic!("{name}: {said:?}"));
        assert!(said.is_empty(), "{name}: {said:?}");
        let ports: std::collections::BTreeSet<&str> = read
            .design
            .ports
            .iter()
            .map(|port| port.name.value.split('_').next().unwrap_or(""))
            .collect();
        let (n_ports, n_driven) = match name.split('-').next() {
            Some("Kinase") => (14, 2),
            Some("Dynamic") => (5, 1),
            Some("Hyrdogenation") => (4, 1),
            Some("Quake") => (3, 1),
            other => panic!("a chip that isn't known: {other:?}"),
        };
        assert_eq!(ports.len(), n_ports, "{name}");
        let flows = flows(&read.design);
        let inflow: f64 = flows.iter().map(|(_, q)| q.max(0.0)).sum();
        let sum: f64 = flows.iter().map(|(_, q)| q).sum();
        assert!(sum.abs() < 1e-9 * inflow, "{name}: {flows:?}");
        // One port of each island has pressure, and feeds the others.
        let sources = flows.iter().filter(|(_, q)| *q > 1e-9 * inflow);
        let sources: std::collections::BTreeSet<&str> = sources
            .map(|(id, _)| id.split('_').next().unwrap_or(""))
            .collect();
        assert_eq!(sources.len(), n_driven, "{name}: {flows:?}");
        println!(
            "{name}: {} components, inflow {inflow:.4e} m^3/s",
            read.design.components.len()
        );
    }
}

/// A port over channels of two islands; found by the fuzz target.
#[test]
fn a_port_over_two_islands_is_a_port_of_each() {
    let drawing = r#"{"name":"d","params":{"width":135000,"length":85000},"features":[{"name":"flow","type":"XY","features":{
"e1":{"macro":"Channel","name":"New Feature","params":{"start":[0,0],"end":[135000,0],"channelWidth":800,"height":100}},
"c1":{"macro":"Channel","name":"New Feature","params":{"start":[1000,5000],"end":[11000,5000],"channelWidth":400,"height":100}},
"c2":{"macro":"RoundedChannel","name":"New Feature","params":{"start":[6000,5000],"end":[6000,13000],"channelWidth":300,"height":100}},
"c3":{"macro":"Connection","name":"k","params":{"segments":[[[12000,5000],[16000,5000]],[[16000,5000],[16000,9000]]],"channelWidth":200,"height":100}},
"t1":{"macro":"Transition","name":"t","params":{"position":[11000,5000],"cw1":400,"cw2":200,"length":1000,"orientation":"H"}},
"m1":{"macro":"CurvedMixer","name":"m","params":{"position":[15000,9000],"bendSpacing":400,"numberOfBends":2,"channelWidth":200,"bendLength":2000,"orientation":"V"}},
"m2":{"macro":"Mixer","name":"n","params":{"position":[5000,13000],"bendSpacing":0.5,"numberOfBends":1,"channelWidth":300,"bendLength":2000,"orientation":"H","rotation":10}},
"h1":{"macro":"Chamber","name":"h","params":{"position":[1000,9000],"length":2,"width":2000,"cornerRadius":200}},
"c4":{"macro":"Channel","name":"New Feature","params":{"start":[1000,5000],"end":[1000,15000],"channelWidth":45000,"height":100}},
"p1":{"macro":"Port","name":"in","params":{"position":[1000,15000],"portRadius":500,"height":1100}},
"p2":{"macro":"Port","name":"New Feature","params":{"position":[6000,13000],"portRadius":500,"height":1100}},
"p3":{"macro":"Port","name":"New Feature","params":{"position":[16000,7000],"portRadius":300,"height":1100}}}}],"components":[],"connections":[]}"#;
    let (read, said) = imported(drawing);
    let design = read.unwrap_or_else(|| panic!("{said:?}")).design;
    let names: Vec<&str> = design.ports.iter().map(|p| p.name.value.as_str()).collect();
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    assert!(
        names.contains(&"port2") && names.contains(&"port2_2"),
        "{names:?}"
    );
}
