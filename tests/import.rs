//! Networks become designs that can be placed: the four of the thesis, random planar graphs with edges shorter than their
//! junctions, and a corpus of broken files.

use std::f64::consts::{FRAC_PI_2, PI};

use proptest::prelude::*;
use stokeslet::chip::{Chip, Part, Shape, SocketRef, Strip, place_with};
use stokeslet::design::{Component, Design, Value};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::geometry::{Motion, Point};
use stokeslet::import::network;
use stokeslet::library::{Realisation, junction_outline};

fn realise(design: &Design, component: &Component) -> Result<Realisation, Vec<Diagnostic>> {
    let w = design.width.0;
    let number = |v: &Value| match v {
        Value::Quantity(x, _) | Value::Number(x) => *x,
        _ => panic!("a number"),
    };
    let list = |name: &str| match &component.parameters.iter().find(|p| p.0.value == name).unwrap().1.value {
        Value::List(list) => list.clone(),
        _ => panic!("a list"),
    };
    let outline = |angles: &[f64], names: &[&str]| {
        let o = junction_outline(&angles.iter().map(|&a| (a, w)).collect::<Vec<_>>()).unwrap();
        (
            Shape::Polygon {
                corners: o.corners,
                sockets: o.sockets,
            },
            names.iter().map(|s| s.to_string()).collect::<Vec<_>>(),
        )
    };
    let (shape, names) = match component.kind.value.as_str() {
        "cross" => outline(&[0.0, FRAC_PI_2, PI, -FRAC_PI_2], &["right", "up", "left", "down"]),
        "tee" => outline(&[0.0, FRAC_PI_2, PI], &["right", "up", "left"]),
        "bend" => outline(&[PI, FRAC_PI_2], &["a", "b"]),
        kind @ ("pipe" | "closed_end") => {
            let length = number(&component.parameters[0].1.value);
            let shape = Shape::Strip(Strip::Straight {
                length,
                width_start: w,
                width_end: w,
            });
            (
                shape,
                if kind == "pipe" {
                    vec!["a".to_owned(), "b".to_owned()]
                } else {
                    vec!["a".to_owned()]
                },
            )
        }
        "junction" => {
            let angles: Vec<f64> = list("directions").iter().map(number).collect();
            let names: Vec<String> = (0..angles.len()).map(|k| format!("m{}", k + 1)).collect();
            outline(&angles, &names.iter().map(String::as_str).collect::<Vec<_>>())
        }
        _ => {
            let corners = list("points").into_iter().map(|p| match p {
                Value::List(xy) => Point::new(number(&xy[0]), number(&xy[1])),
                _ => panic!("a point"),
            });
            let sockets: Vec<usize> = list("mouths").iter().map(|k| number(k) as usize - 1).collect();
            let names = (0..sockets.len()).map(|k| format!("m{}", k + 1)).collect();
            (
                Shape::Polygon {
                    corners: corners.collect(),
                    sockets,
                },
                names,
            )
        }
    };
    let sockets = names
        .into_iter()
        .enumerate()
        .map(|(socket, name)| (name, SocketRef { part: 0, socket }))
        .collect();
    let part = Part {
        name: String::new(),
        shape,
        motion: Motion::IDENTITY,
    };
    Ok(Realisation {
        parts: vec![part],
        connections: Vec::new(),
        sockets,
    })
}

fn place(design: &Design) -> (Option<Chip>, Vec<Diagnostic>) {
    place_with(design, &|component: &Component| realise(design, component))
}

fn errors(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_networks_of_the_thesis_can_be_placed() {
    for (name, text) in [
        ("grid20", include_str!("networks/grid20.json")),
        ("rgrid", include_str!("networks/rgrid.json")),
        ("voronoi-s4", include_str!("networks/voronoi-s4.json")),
        ("voronoi-s15", include_str!("networks/voronoi-s15.json")),
    ] {
        let (design, diagnostics) = network(text, name);
        assert_eq!(errors(&diagnostics), [""; 0], "{name} is a valid network");
        let design = design.unwrap();
        let (chip, diagnostics) = place(&design);
        assert_eq!(errors(&diagnostics), [""; 0], "{name} can be placed");
        let chip = chip.unwrap();
        println!(
            "{name}: {} parts, {} connections, {} ports",
            chip.parts.len(),
            chip.connections.len(),
            chip.ports.len()
        );
        assert!(design.components.iter().any(|c| c.kind.value != "polygon"));
    }
}

/// A Delaunay triangulation of random points, thinned at random; some edges are shorter than their junctions.
fn random_network(points: &[(f64, f64)], keep: &[bool], width: f64) -> Option<String> {
    use spade::{DelaunayTriangulation, Point2, Triangulation};
    let mut mesh: DelaunayTriangulation<Point2<f64>> = DelaunayTriangulation::new();
    for &(x, y) in points {
        mesh.insert(Point2::new(x, y)).ok()?;
    }
    let mut nodes: Vec<[f64; 2]> = mesh.vertices().map(|v| [v.position().x, v.position().y]).collect();
    let mut channels: Vec<[usize; 2]> = Vec::new();
    for (k, edge) in mesh.undirected_edges().enumerate() {
        let [a, b] = edge.vertices().map(|v| v.index());
        if keep[k % keep.len()] {
            channels.push([a, b]);
        }
    }
    let leftmost = (0..nodes.len()).filter(|k| channels.iter().flatten().any(|n| n == k));
    let leftmost = leftmost.min_by(|&a, &b| nodes[a][0].total_cmp(&nodes[b][0]))?;
    nodes.push([nodes[leftmost][0] - 6.0 * width, nodes[leftmost][1]]);
    channels.push([leftmost, nodes.len() - 1]);
    let inlet = nodes.len() - 1;
    // Keep only what hangs together with the inlet.
    let mut reached = vec![false; nodes.len()];
    reached[inlet] = true;
    for _ in 0..nodes.len() {
        for &[a, b] in &channels {
            if reached[a] || reached[b] {
                (reached[a], reached[b]) = (true, true);
            }
        }
    }
    let mut new = vec![usize::MAX; nodes.len()];
    let mut kept = Vec::new();
    for k in (0..nodes.len()).filter(|&k| reached[k]) {
        new[k] = kept.len();
        kept.push(nodes[k]);
    }
    let channels: Vec<[usize; 2]> = channels
        .into_iter()
        .filter(|c| reached[c[0]])
        .map(|c| c.map(|node| new[node]))
        .collect();
    let inlets = [new[inlet]];
    Some(
        serde_json::json!({
            "name": "random", "width": width, "flow_rate": 0.005, "viscosity": 8.9e-4,
            "nodes": kept, "channels": channels, "inlets": inlets, "outlets": Vec::<usize>::new(),
        })
        .to_string(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// With a width near the spacing of the nodes most junctions run into each other.
    #[test]
    fn random_planar_networks_can_be_placed(
        points in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 4..24),
        keep in prop::collection::vec(prop::bool::weighted(0.5), 40),
        width in 0.005..0.2f64,
    ) {
        let Some(text) = random_network(&points, &keep, width) else { return Ok(()) };
        let (design, diagnostics) = network(&text, "random");
        let faults = errors(&diagnostics);
        // Rings of overlapping junctions around a wall, and ports inside junctions, are refused by name.
        if let Some(fault) = faults.iter().find(|f| !f.contains("D314") && !f.contains("D315") && !f.contains("D307")) {
            panic!("{fault}\n{text}");
        }
        let refused = !faults.is_empty();
        println!("{} {:?}", if refused { "refused" } else { "placed" }, faults);
        prop_assert_eq!(refused, design.is_none());
        let Some(design) = design else { return Ok(()) };
        let (_, diagnostics) = place(&design);
        let faults: Vec<String> = errors(&diagnostics).into_iter().filter(|f| !f.contains("D233")).collect();
        prop_assert!(faults.is_empty(), "{:?}\n{}", faults, text);
    }
}
