//! Networks become designs that can be placed: the four of the thesis, random planar graphs with edges shorter than their
//! junctions, and a corpus of broken files.

use proptest::prelude::*;
use stokeslet::chip::{self, Chip};
use stokeslet::design::{self, Design};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::import::network;
use stokeslet::library::Library;

fn place(design: &Design) -> (Option<Chip>, Vec<Diagnostic>) {
    chip::place(design, &Library::embedded())
}

fn errors(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(ToString::to_string)
        .collect()
}

/// The networks of the thesis, and the comment that opens each design.
const THESIS: [(&str, &str, &str); 4] = [
    (
        "grid20",
        include_str!("networks/grid20.json"),
        "# How does flow spread over a lattice of 20 x 20 crossings?\n\
         # Look at `solve --method thesis --resolution 4`: 1,164 parts are cut into 10,776 blocks of 9 shapes, so 123 matrices are computed once each.\n\
         # Fluid enters at the left corners and takes the straight rows first; the middle of the lattice is nearly still.\n",
    ),
    (
        "rgrid",
        include_str!("networks/rgrid.json"),
        "# Which way does fluid take through a random grid of long channels?\n\
         # Look at the flow rates of the three outlets: the path with the fewest channels carries most, dead ends carry nothing.\n\
         # The pipes are long, so nearly all work is cyclic reduction along them.\n",
    ),
    (
        "voronoi-s4",
        include_str!("networks/voronoi-s4.json"),
        "# What does flow look like where channels meet at any angle?\n\
         # Look at the sharp corners of the junctions: wall shear stress peaks there. No two junctions are alike, so here\n\
         # only pipes share their matrices.\n",
    ),
    (
        "voronoi-s15",
        include_str!("networks/voronoi-s15.json"),
        "# As voronoi-s4 with other cells: does the solver depend on the network that it was tuned on?\n\
         # Look at the shares of the five outlets: the two between the inlets and the nearest corners take most.\n",
    ),
];

#[test]
fn the_networks_of_the_thesis_can_be_placed() {
    for (name, text, _) in THESIS {
        let (design, diagnostics) = network(text, name);
        assert_eq!(errors(&diagnostics), [""; 0], "{name} is a valid network");
        let design = design.unwrap();
        let (chip, diagnostics) = place(&design);
        assert!(
            diagnostics.is_empty(),
            "{name} can be placed: {diagnostics:#?}"
        );
        let chip = chip.unwrap();
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        let n_ports =
            json["inlets"].as_array().unwrap().len() + json["outlets"].as_array().unwrap().len();
        assert_eq!(
            chip.ports.len(),
            n_ports,
            "every inlet and outlet of {name} is a port"
        );
    }
}

/// Run with `STOKESLET_REWRITE=1` to write the designs after a change of the importer.
#[test]
fn the_imported_designs_are_what_the_importer_makes() {
    for (name, text, comment) in THESIS {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("designs/{name}.toml"));
        let made = format!(
            "{comment}\n{}",
            design::print(&network(text, name).0.unwrap())
        );
        if std::env::var_os("STOKESLET_REWRITE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &made).unwrap();
        }
        assert!(
            std::fs::read_to_string(&path).unwrap() == made,
            "designs/{name}.toml differs from its import"
        );
        let (read, diagnostics) = design::parse(&made, name);
        assert_eq!(diagnostics, [], "designs/{name}.toml can be read");
        assert!(
            place(&read.unwrap()).0.is_some(),
            "designs/{name}.toml can be placed"
        );
    }
}

/// A Delaunay triangulation of random points, thinned at random; some edges are shorter than their junctions.
fn random_network(points: &[(f64, f64)], keep: &[bool], width: f64) -> Option<String> {
    use spade::{DelaunayTriangulation, Point2, Triangulation};
    let mut mesh: DelaunayTriangulation<Point2<f64>> = DelaunayTriangulation::new();
    for &(x, y) in points {
        mesh.insert(Point2::new(x, y)).ok()?;
    }
    let mut nodes: Vec<[f64; 2]> = mesh
        .vertices()
        .map(|v| [v.position().x, v.position().y])
        .collect();
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

static LIBRARY: std::sync::LazyLock<Library> = std::sync::LazyLock::new(Library::embedded);

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
        prop_assert_eq!(refused, design.is_none());
        let Some(design) = design else { return Ok(()) };
        let (_, diagnostics) = chip::place(&design, &LIBRARY);
        let faults: Vec<String> = errors(&diagnostics).into_iter().filter(|f| !f.contains("D233")).collect();
        prop_assert!(faults.is_empty(), "{:?}\n{}", faults, text);
    }
}

#[test]
fn broken_networks_give_their_codes() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken/networks");
    let table = std::fs::read_to_string(folder.join("expected.txt")).unwrap();
    let cases: Vec<(&str, &str)> = table
        .lines()
        .filter_map(|line| line.split_once(": "))
        .skip(1)
        .collect();
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(
        cases.len() + 1,
        files,
        "every file has a line in expected.txt"
    );
    for (name, expected) in cases {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let (design, diagnostics) = network(&text, name);
        let codes: Vec<&str> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect();
        assert_eq!(codes.join(" "), expected, "{name}: {diagnostics:#?}");
        assert!(design.is_none(), "{name} is not imported");
    }
}
