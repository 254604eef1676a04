//! Every design in every format, read back: closed, exact areas, volumes, points on the grid.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::gds::real8;
use super::*;
use crate::chip::{Chip, place};
use crate::design::{Design, parse};
use crate::library::Library;
use crate::shape::{Shape, Strip};
use stokeslet_base::geometry::Point;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../designs")
}

fn chips() -> Vec<Chip> {
    let library = Library::embedded();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    assert!(paths.len() > 10);
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (design, _) = parse(std::fs::read(&path).unwrap(), &name);
        place(&design.unwrap(), &library).0.unwrap()
    };
    paths.into_iter().map(read).collect()
}

/// Area of the parts one by one, from their own dimensions.
fn area_of_parts(chip: &Chip) -> f64 {
    let area = |shape: &Shape| match shape {
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => length * (width_start + width_end) / 2.0,
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => radius * angle * width,
        Shape::Polygon { corners, holes, .. } => {
            let posts: f64 = holes.iter().map(crate::shape::Hole::area).sum();
            stokeslet_base::geometry::outline::signed_area(corners) - posts
        }
    };
    chip.parts.iter().map(|part| area(&part.shape)).sum()
}

fn close(got: f64, want: f64, relative: f64, what: &str) {
    let off = (got / want - 1.0).abs();
    assert!(
        off <= relative,
        "{what}: {got:e} for {want:e}, off by {off:.1e}"
    );
}

#[test]
fn united_walls_enclose_what_the_parts_cover() {
    for chip in chips() {
        let outlines = Outlines::new(&chip);
        close(outlines.area(), area_of_parts(&chip), 1e-12, &chip.name);
        for (outline, part) in outlines.parts.iter().zip(&chip.parts) {
            assert!(outline.area() > 0.0, "{}", part.name);
        }
        let open: usize = outlines
            .loops
            .iter()
            .flat_map(|l| &l.edges)
            .filter(|e| e.socket.is_some())
            .count();
        assert_eq!(open, chip.ports.len(), "{}", chip.name);
        // As many islands as chips that hang together; every design here is one.
        assert_eq!(outlines.islands_and_holes().0, 1, "{}", chip.name);
    }
}

/// The fields of a record of GDSII.
fn records(bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let (mut at, mut found) = (0, Vec::new());
    while at < bytes.len() {
        let length = usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
        assert!(
            length >= 4 && length % 2 == 0,
            "record of {length} bytes at {at}"
        );
        found.push((bytes[at + 2], &bytes[at + 4..at + length]));
        at += length;
    }
    found
}

fn points(payload: &[u8]) -> Vec<(i64, i64)> {
    let numbers: Vec<i64> = payload
        .chunks(4)
        .map(|c| i64::from(i32::from_be_bytes(c.try_into().unwrap())))
        .collect();
    numbers.chunks(2).map(|c| (c[0], c[1])).collect()
}

fn area_on_grid(polygon: &[(i64, i64)]) -> f64 {
    let twice: i128 = polygon
        .windows(2)
        .map(|w| i128::from(w[0].0) * i128::from(w[1].1) - i128::from(w[1].0) * i128::from(w[0].1))
        .sum();
    twice as f64 / 2.0
}

#[test]
fn gds_has_a_reference_a_part_and_the_chips_area() {
    let mut is_fine = Vec::new();
    for chip in chips() {
        let outlines = Outlines::new(&chip);
        let bytes = write(Format::Gds, &outlines, &Settings::default()).unwrap();
        let (mut cells, mut cell) = (BTreeMap::new(), String::new());
        let mut grid = 0.0;
        let (mut area, mut references, mut polygons) = (0.0, 0, 0);
        let text = |payload: &[u8]| {
            String::from_utf8(payload.to_vec())
                .unwrap()
                .trim_end_matches('\0')
                .to_owned()
        };
        let mut in_boundary = false;
        for (kind, payload) in records(&bytes) {
            match kind {
                // Of the library's unit only which of the two it is: reals are tested where they are written.
                0x03 => {
                    grid = if payload[8..] == real8(1e-9) {
                        1e-9
                    } else {
                        1e-10
                    }
                }
                0x06 => {
                    cell = text(payload);
                    assert!(cells.insert(cell.clone(), 0.0).is_none(), "{cell} twice");
                }
                0x08 => in_boundary = true,
                0x11 => in_boundary = false,
                0x10 if in_boundary => {
                    let polygon = points(payload);
                    assert!(polygon.len() <= 4001 && polygon.first() == polygon.last());
                    *cells.get_mut(&cell).unwrap() += area_on_grid(&polygon).abs();
                    polygons += 1;
                }
                0x12 => {
                    area += cells[&text(payload)];
                    references += 1;
                }
                _ => {}
            }
        }
        assert_eq!(references, chip.parts.len(), "{}", chip.name);
        assert!(polygons > 0);
        close(area * grid * grid, outlines.area(), 5e-7, &chip.name);
        is_fine.push(grid < 1e-9);
    }
    // Most keep their area on whole nanometres.
    let fine = is_fine.iter().filter(|&&fine| fine).count();
    assert!(0 < fine && fine < is_fine.len() / 3, "{fine}");
}

/// Volume of a closed solid, m^3.
fn closed_volume(bytes: &[u8], name: &str) -> f64 {
    let n = u32::from_le_bytes(bytes[80..84].try_into().unwrap()) as usize;
    assert_eq!(bytes.len(), 84 + 50 * n);
    let mut edges: BTreeMap<_, i64> = BTreeMap::new();
    let mut volume = 0.0;
    for facet in bytes[84..].chunks(50) {
        let numbers: Vec<f32> = facet[12..48]
            .chunks(4)
            .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
            .collect();
        let corner = |k: usize| [0, 1, 2].map(|i| (numbers[3 * k + i] + 0.0).to_bits());
        for k in 0..3 {
            let (a, b) = (corner(k), corner((k + 1) % 3));
            assert_ne!(a, b, "{}: a facet without area", name);
            *edges.entry((a, b)).or_insert(0) += 1;
            *edges.entry((b, a)).or_insert(0) -= 1;
        }
        let x = |k: usize, i: usize| f64::from(numbers[3 * k + i]);
        let minor = |i: usize, j: usize| x(1, i) * x(2, j) - x(1, j) * x(2, i);
        volume += (x(0, 0) * minor(1, 2) + x(0, 1) * minor(2, 0) + x(0, 2) * minor(0, 1)) / 6.0;
    }
    assert!(edges.values().all(|&n| n == 0), "{} is open", name);
    volume * 1e-9
}

#[test]
fn solids_are_closed_and_have_the_volume_of_the_chip() {
    for chip in chips() {
        let outlines = Outlines::new(&chip);
        let depth = chip.depth.unwrap_or(1e-3);
        for solid in [Solid::Channel, Solid::Block] {
            let settings = Settings {
                depth: Some(depth),
                solid,
                ..Settings::default()
            };
            let bytes = write(Format::Stl, &outlines, &settings).unwrap();
            let volume = closed_volume(&bytes, &chip.name);
            let area = outlines.area();
            let (low, high) = outlines.bounds();
            let sheet = (high.x - low.x + 4e-3) * (high.y - low.y + 4e-3);
            let want = match solid {
                Solid::Channel => area * depth,
                Solid::Block => sheet * (depth + 1e-3) - area * depth,
            };
            close(volume, want, 1e-5, &chip.name);
        }
    }
}

#[test]
fn solids_of_several_depths_have_steps_and_stay_closed() {
    let text = r#"
format = 1
fluid = { viscosity = "1 mPa s" }
chip = { model = "shallow", width = "100 um", depth = "50 um" }
[components]
t = { kind = "tee", at = ["0 mm", "0 mm"] }
left = { kind = "pipe", attach = "b", to = "t.left", depth = "20 um" }
right = { kind = "arc", attach = "a", to = "t.right", depth = "80 um", parameters = { radius = "300 um", angle = "70 deg" } }
up = { kind = "pipe", attach = "a", to = "t.up" }
[ports]
a = { at = "left.a", pressure = "1 mbar" }
b = { at = "right.b", pressure = "0 Pa" }
c = { at = "up.b", pressure = "0 Pa" }
"#;
    let (design, _) = crate::design::parse(text, "stepped");
    let (chip, mistakes) = crate::chip::place(&design.unwrap(), &Library::embedded());
    let chip = chip.unwrap_or_else(|| panic!("{mistakes:?}"));
    let outlines = Outlines::new(&chip);
    assert_eq!(outlines.steps().len(), 2);
    let parts = outlines.parts.iter().enumerate();
    let fluid: f64 = parts
        .map(|(k, part)| super::part::area(&part.edges) * chip.depth_of(k).unwrap())
        .sum();
    let (low, high) = outlines.bounds();
    let sheet = (high.x - low.x + 4e-3) * (high.y - low.y + 4e-3);
    for (solid, want) in [
        (Solid::Channel, fluid),
        (Solid::Block, sheet * (80e-6 + 1e-3) - fluid),
    ] {
        let settings = Settings {
            solid,
            ..Settings::default()
        };
        let bytes = write(Format::Stl, &outlines, &settings).unwrap();
        close(closed_volume(&bytes, "stepped"), want, 1e-5, "stepped");
    }
}

/// Group codes and values of a DXF file.
fn pairs(bytes: &[u8]) -> Vec<(u16, String)> {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len() % 2, 0);
    lines
        .chunks(2)
        .map(|pair| (pair[0].trim().parse().unwrap(), pair[1].to_owned()))
        .collect()
}

#[test]
fn dxf_has_every_handle_once_and_flat_the_chips_area() {
    for chip in chips() {
        let outlines = Outlines::new(&chip);
        for is_flat in [false, true] {
            let settings = Settings {
                is_flat,
                margin: 1e-3,
                ..Settings::default()
            };
            let bytes = write(Format::Dxf, &outlines, &settings).unwrap();
            let pairs = pairs(&bytes);
            let mut handles = BTreeSet::new();
            let mut kind = String::new();
            let (mut inserts, mut area, mut layer) = (0, 0.0, String::new());
            let mut corners: Vec<(Point, f64)> = Vec::new();
            let mut header = true;
            for (code, value) in &pairs {
                header &= value != "TABLES";
                match code {
                    0 => {
                        if kind == "LWPOLYLINE" && layer.starts_with("FLOW") {
                            area += area_of_bulges(&corners);
                        }
                        corners.clear();
                        kind.clone_from(value);
                        inserts += usize::from(kind == "INSERT");
                    }
                    5 | 105 if !header => assert!(handles.insert(value.clone()), "{value} twice"),
                    8 => layer.clone_from(value),
                    10 => corners.push((Point::new(value.parse().unwrap(), 0.0), 0.0)),
                    20 => corners.last_mut().unwrap().0.y = value.parse().unwrap(),
                    42 if kind == "LWPOLYLINE" => {
                        corners.last_mut().unwrap().1 = value.parse().unwrap();
                    }
                    _ => {}
                }
            }
            if is_flat {
                assert_eq!(inserts, 0);
                close(area * 1e-6, outlines.area(), 1e-9, &chip.name);
            } else {
                assert_eq!(inserts, chip.parts.len());
            }
        }
    }
}

fn area_of_bulges(corners: &[(Point, f64)]) -> f64 {
    let n = corners.len();
    (0..n)
        .map(|k| {
            let ((a, bulge), (b, _)) = (corners[k], corners[(k + 1) % n]);
            let turn = 4.0 * bulge.atan();
            0.5 * a.cross(b) + arc::segment_area(a, b, turn)
        })
        .sum()
}

#[test]
fn a_mask_has_its_true_size_and_arcs() {
    for chip in chips() {
        let outlines = Outlines::new(&chip);
        let text = String::from_utf8(write(Format::Mask, &outlines, &Settings::default()).unwrap())
            .unwrap();
        let (low, high) = outlines.bounds();
        let width = number::mm(high.x - low.x + 2e-3);
        assert!(
            text.contains(&format!("width=\"{width}mm\"")),
            "{}",
            chip.name
        );
        let has_arcs = chip.parts.iter().any(|p| match &p.shape {
            Shape::Strip(strip) => matches!(strip, Strip::Arc { .. }),
            Shape::Polygon { holes, .. } => holes
                .iter()
                .any(|h| matches!(h, crate::shape::Hole::Circle { .. })),
        });
        let path = text.split(" d=\"").nth(1).unwrap();
        assert_eq!(path.contains('A'), has_arcs, "{}", chip.name);
    }
}

#[test]
fn parchmint_joins_every_socket_once() {
    for chip in chips() {
        let bytes = write(
            Format::Parchmint,
            &Outlines::new(&chip),
            &Settings::default(),
        )
        .unwrap();
        let device: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let list = |key: &str| device[key].as_array().unwrap().clone();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let mut sockets = BTreeSet::new();
        let mut n_ports = 0;
        for component in list("components") {
            n_ports += usize::from(component["entity"] == "PORT");
            for port in component["ports"].as_array().unwrap() {
                assert!(sockets.insert((text(&component["id"]), text(&port["label"]))));
            }
        }
        assert_eq!(n_ports, chip.ports.len(), "{}", chip.name);
        let mut names = BTreeSet::new();
        for connection in list("connections") {
            assert!(names.insert(text(&connection["id"])), "{connection}");
            for end in [&connection["source"], &connection["sinks"][0]] {
                let socket = (text(&end["component"]), text(&end["port"]));
                assert!(sockets.remove(&socket), "{}: {socket:?}", chip.name);
            }
        }
        assert!(
            sockets.is_empty(),
            "{}: {sockets:?} lead nowhere",
            chip.name
        );
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_reason() {
    let mut chip = chips().remove(0);
    chip.depth = None;
    let outlines = Outlines::new(&chip);
    let settings = Settings::default();
    assert_eq!(
        write(Format::Stl, &outlines, &settings),
        Err(OutlineError::NeedsDepth)
    );
    let nonsense = Settings {
        tolerance: f64::NAN,
        ..settings
    };
    assert!(matches!(
        write(Format::Gds, &outlines, &nonsense),
        Err(OutlineError::Setting { .. })
    ));
    let far = chip.scaled(1e6);
    assert!(matches!(
        write(Format::Gds, &Outlines::new(&far), &settings),
        Err(OutlineError::TooFar { .. })
    ));
}

/// Writes the files of every design to the folder that OUTLINES names, for other programs to read.
#[test]
#[ignore = "writes files for tests/outlines/check.py, seconds"]
fn write_all_designs() {
    let Some(out) = std::env::var_os("OUTLINES").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&out).unwrap();
    let mut facts = String::from("name,area_mm2,islands,holes,parts,depth_mm,ports\n");
    for chip in chips() {
        let start = std::time::Instant::now();
        let outlines = Outlines::new(&chip);
        let depth = chip.depth.unwrap_or(1e-3);
        let usual = Settings {
            depth: Some(depth),
            ..Settings::default()
        };
        let flat = Settings {
            is_flat: true,
            ..usual
        };
        let block = Settings {
            solid: Solid::Block,
            ..usual
        };
        let patches = Settings {
            has_patches: true,
            ..usual
        };
        let clear = Settings {
            polarity: Polarity::Clear,
            ..usual
        };
        for (format, settings, ending) in [
            (Format::Dxf, usual, ".dxf"),
            (Format::Dxf, flat, ".flat.dxf"),
            (Format::Gds, usual, ".gds"),
            (Format::Stl, usual, ".stl"),
            (Format::Stl, block, ".block.stl"),
            (Format::Stl, patches, ".patches.stl"),
            (Format::Mask, usual, ".mask.svg"),
            (Format::Mask, clear, ".clear.svg"),
            (Format::Parchmint, usual, ".parchmint.json"),
        ] {
            let bytes = write(format, &outlines, &settings).unwrap();
            std::fs::write(out.join(format!("{}{ending}", chip.name)), bytes).unwrap();
        }
        let (islands, holes) = outlines.islands_and_holes();
        facts += &format!(
            "{},{:.17e},{islands},{holes},{},{},{}\n",
            chip.name,
            outlines.area() * 1e6,
            chip.parts.len(),
            depth * 1e3,
            chip.ports.len()
        );
        println!("{}: {:.3} s", chip.name, start.elapsed().as_secs_f64());
    }
    std::fs::write(out.join("facts.csv"), facts).unwrap();
}

/// A pipe, a valve over it, a control line, a hole to punch, and two notes.
fn overlaid() -> (Chip, Design) {
    let text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\", depth = \"50 um\", model = \"shallow\" }\n\
        components = { p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], parameters = { length = \"2 mm\" }, dimensions = [\"length\"] } }\n\
        ports = { a = { at = \"p.a\", pressure = \"1 Pa\" }, b = { at = \"p.b\", pressure = \"0 Pa\" } }\n\
        [control]\nvalve = { box = [[\"0.9 mm\", \"-100 um\"], [\"1.1 mm\", \"100 um\"]] }\nline = { path = [[\"1 mm\", \"0 mm\"], [\"1 mm\", \"3 mm\"]], width = \"40 um\" }\n\
        hole = { circle = [\"1 mm\", \"3 mm\"], diameter = \"600 um\" }\nlabel = { text = \"V1\", at = [\"0 mm\", \"2 mm\"] }\n\
        [notes]\nn = { text = \"mixes here\", at = [\"1 mm\", \"-2 mm\"], size = \"200 um\" }\n";
    let (design, mistakes) = parse(text, "overlaid");
    let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
    let (chip, faults) = place(&design, &Library::embedded());
    (chip.unwrap_or_else(|| panic!("{faults:?}")), design)
}

#[test]
fn control_layer_and_notes_are_on_layers_of_their_own() {
    let (chip, design) = overlaid();
    let (bare, whole) = (
        Outlines::new(&chip),
        Outlines::new(&chip).with_design(&design, &Library::embedded()),
    );
    let settings = Settings::default();
    let dxf =
        |outlines| String::from_utf8(write(Format::Dxf, outlines, &settings).unwrap()).unwrap();
    let count = |text: &str, layer: &str| text.matches(&format!("  8\n{layer}\n")).count();
    let (without, with) = (dxf(&bare), dxf(&whole));
    assert_eq!(
        [count(&without, "CONTROL"), count(&without, "NOTES")],
        [0, 0]
    );
    assert_eq!([count(&with, "CONTROL"), count(&with, "NOTES")], [4, 2]);
    assert!(with.contains("  1\nlength 2 mm\n"), "a dimension");
    assert_eq!(count(&with, "FLOW"), count(&without, "FLOW"));
    assert!(with.contains(" 43\n0.04\n"), "the line's width");
    // GDSII: what each element's layer is.
    let gds = |outlines| write(Format::Gds, outlines, &settings).unwrap();
    let layers = |bytes: &[u8]| {
        let mut layers = BTreeMap::new();
        let mut at = 0;
        while at + 4 <= bytes.len() {
            let length = usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
            if bytes[at + 2] == 0x0d {
                *layers.entry(bytes[at + 5]).or_insert(0) += 1;
            }
            at += length.max(4);
        }
        layers
    };
    assert_eq!(layers(&gds(&bare)), BTreeMap::from([(1, 1), (10, 2)]));
    let want = BTreeMap::from([(1, 1), (3, 4), (10, 2), (11, 2)]);
    assert_eq!(layers(&gds(&whole)), want);
    // Both masks have one sheet; the flow's has nothing of the control layer.
    let mask = |is_control| {
        let settings = Settings {
            is_control,
            ..Settings::default()
        };
        write(Format::Mask, &whole, &settings).map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let sheet = |text: &str| {
        let from = text.find("width=").unwrap();
        text[from..from + text[from..].find('>').unwrap()].to_owned()
    };
    let (flow, control) = (mask(false).unwrap(), mask(true).unwrap());
    assert_eq!(sheet(&flow), sheet(&control));
    assert!(!flow.contains("polyline") && !flow.contains("circle"));
    let shapes = ["<polyline", "<rect", "<circle", "<text"];
    let counts = shapes.map(|shape| control.matches(shape).count());
    assert_eq!(counts, [1, 2, 1, 0], "the field is a rectangle too");
    let settings = Settings {
        is_control: true,
        ..Settings::default()
    };
    assert_eq!(
        write(Format::Mask, &bare, &settings),
        Err(OutlineError::NoControl)
    );
    // Solids are of the flow alone.
    let stl = |outlines| write(Format::Stl, outlines, &Settings::default()).unwrap();
    assert_eq!(stl(&bare), stl(&whole));
}
