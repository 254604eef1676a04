//! Exports, from a solution whose values are known: plane Poiseuille flow in a straight channel.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, Condition, Port};
use stokeslet::design::DepthModel;
use stokeslet::export::{Colouring, Format, Results, export};
use stokeslet::field::{Field, Line};
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::{
    AssembledSystem, PortKind, PortResult, Solution, SolveReport, Timings, Unknown, UnknownKind,
    WallShear, silent,
};
use stokeslet::shape::{Part, Shape, SocketRef, Strip};

const LENGTH: f64 = 1e-3;
const WIDTH: f64 = 1e-4;
const PEAK: f64 = 0.012;
const DROP: f64 = 96.0;

fn channel() -> Chip {
    let strip = Strip::Straight {
        length: LENGTH,
        width_start: WIDTH,
        width_end: WIDTH,
    };
    let port = |name: &str, socket, condition| Port {
        name: name.into(),
        socket: SocketRef { part: 0, socket },
        condition,
    };
    Chip {
        name: "straight".into(),
        viscosity: 1e-3,
        model: DepthModel::Planar,
        depth: Some(5e-5),
        parts: vec![Part {
            name: "pipe".into(),
            shape: Shape::Strip(strip),
            motion: Motion::IDENTITY,
            walls: Default::default(),
            depth: None,
        }],
        connections: Vec::new(),
        ports: vec![
            port("inlet", 0, Condition::Pressure(DROP)),
            port("outlet", 1, Condition::Pressure(0.0)),
        ],
    }
}

/// `nx` by `ny` rectangles of two quadratic triangles each, with Poiseuille flow on them.
fn poiseuille(nx: u32, ny: u32) -> Field<2> {
    // Nodes on a grid twice as fine: vertices at even places, edge middles between.
    let node = |i: u32, j: u32| j * (2 * nx + 1) + i;
    let mut fields = Field::<2>::default();
    for j in 0..=2 * ny {
        for i in 0..=2 * nx {
            let (x, eta) = (
                LENGTH * f64::from(i) / f64::from(2 * nx),
                f64::from(j) / f64::from(2 * ny),
            );
            fields.nodes.push(Point::new(x, WIDTH * (eta - 0.5)));
            fields
                .velocity
                .push(Point::new(4.0 * PEAK * eta * (1.0 - eta), 0.0));
            fields.pressure.push(DROP * (1.0 - x / LENGTH));
        }
    }
    for j in (0..2 * ny).step_by(2) {
        for i in (0..2 * nx).step_by(2) {
            let n = |a: u32, b: u32| node(i + a, j + b);
            fields
                .cells
                .push([n(0, 0), n(2, 0), n(2, 2), n(1, 0), n(2, 1), n(1, 1)]);
            fields
                .cells
                .push([n(0, 0), n(2, 2), n(0, 2), n(1, 1), n(1, 2), n(0, 1)]);
        }
    }
    fields.part = vec![0; fields.cells.len()];
    fields
}

fn solution(nx: u32, ny: u32) -> Solution {
    let port = |id: &str, flow_rate, mean_pressure| PortResult {
        id: id.into(),
        kind: PortKind::Pressure,
        flow_rate,
        pressure: mean_pressure,
        mean_pressure,
    };
    Solution {
        report: SolveReport {
            unknowns: 7,
            ..SolveReport::default()
        },
        ports: vec![port("inlet", 4e-11, DROP), port("outlet", -4e-11, 0.0)],
        max_speed: Some((PEAK, Point::new(0.0, 0.0))),
        wall_shear: Some(WallShear::default()),
        fields: poiseuille(nx, ny),
        in_space: None,
        ..empty_solution()
    }
}

fn empty_solution() -> Solution {
    Solution {
        report: SolveReport::default(),
        ports: Vec::new(),
        conductance: Default::default(),
        max_speed: Some((0.0, Point::default())),
        wall_shear: Some(WallShear::default()),
        floor_shear: None,
        dissipation: Some(0.0),
        posts: Some(Vec::new()),
        fields: Field::<2>::default(),
        in_space: None,
    }
}

fn write(
    target: &Path,
    formats: &[Format],
    solution: &Solution,
    system: Option<&AssembledSystem>,
    lines: &[Line],
) {
    let results = Results {
        chip: &channel(),
        title: Some("A straight channel"),
        resolution: 8,
        solution,
        errors: None,
        system,
        probes: &[Point::new(LENGTH / 3.0, 0.0), Point::new(0.0, WIDTH)],
        lines,
        colouring: Colouring::default(),
        timings: Timings::default(),
        clock: &|| 0.5,
        peak_memory: &|| 1 << 20,
        extra: &Default::default(),
        stamp: "abc",
    };
    export(target, formats, &results, &silent, &CancelToken::new()).unwrap();
}

#[test]
fn the_summary_has_the_keys_of_the_contract() {
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("straight");
    write(&target, &[], &solution(4, 2), None, &[]);
    let files: Vec<_> = fs::read_dir(&target)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(files, ["summary.json"], "nothing else was asked for");
    let text = fs::read_to_string(target.join("summary.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in [
        "design",
        "model",
        "resolution",
        "unknowns",
        "method",
        "canonical_blocks",
        "tasks",
        "unique_matrices",
        "timings_s",
        "peak_memory_bytes",
        "relative_residual",
        "refinement_steps",
        "mass_imbalance",
        "ports",
        "conductance",
        "max_speed",
        "wall_shear",
        "floor_shear",
        "probes",
    ] {
        assert!(json.get(key).is_some(), "`{key}` is in the contract");
    }
    assert!(
        json.get("blocks").is_none(),
        "fronts cut no blocks; the thesis's method tells how many"
    );
    for key in [
        "read",
        "place",
        "mesh",
        "plan",
        "eliminate",
        "back_substitute",
        "results",
        "export",
        "total",
    ] {
        assert!(
            json["timings_s"][key].is_number(),
            "`timings_s.{key}` is in the contract"
        );
    }
    assert_eq!(json["ports"][0]["id"], "inlet");
    assert_eq!(json["ports"][0]["kind"], "pressure");
    let pressure = json["probes"][0]["pressure"].as_f64().unwrap();
    assert!(
        (pressure - DROP * 2.0 / 3.0).abs() < 1e-9,
        "pressure is linear along the channel: {pressure}"
    );
    assert_eq!(
        json["probes"][0]["speed"].as_f64().unwrap(),
        PEAK,
        "on the centre line"
    );
    assert_eq!(json["probes"][1]["inside"], false, "beyond the wall");
}

#[test]
fn the_picture_names_the_ports_and_stays_small_on_a_fine_mesh() {
    let out = tempfile::tempdir().unwrap();
    let mut sizes = BTreeMap::new();
    for (nx, ny) in [(10, 8), (300, 200)] {
        let target = out.path().join(format!("n{nx}"));
        write(&target, &[Format::Svg], &solution(nx, ny), None, &[]);
        let svg = fs::read_to_string(target.join("picture.svg")).unwrap();
        for text in [
            "A straight channel",
            "inlet",
            "outlet",
            "speed (mm/s)",
            "200 µm",
            "2.40 µL/min",
        ] {
            assert!(svg.contains(text), "the picture says `{text}`");
        }
        sizes.insert(nx, svg.len());
    }
    assert!(
        sizes[&300] < 2 * sizes[&10],
        "the picture grows with what is seen, not with the mesh: {sizes:?}"
    );
}

#[test]
fn lines_hold_the_parabola() {
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("straight");
    let line = Line {
        from: Point::new(LENGTH / 2.0, -WIDTH),
        to: Point::new(LENGTH / 2.0, WIDTH),
        n: 9,
    };
    write(&target, &[Format::Csv], &solution(4, 2), None, &[line]);
    let text = fs::read_to_string(target.join("line.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    assert_eq!(rows.len(), 9);
    for row in &rows {
        let y: f64 = row[3].parse().unwrap();
        if y.abs() > WIDTH * 0.51 {
            assert_eq!(row[6], "", "no speed outside the flow");
            continue;
        }
        let speed: f64 = row[6].parse().unwrap();
        let want = PEAK * (1.0 - (2.0 * y / WIDTH).powi(2));
        assert!(
            (speed - want).abs() < 1e-12,
            "quadratic cells hold the parabola at y = {y}: {speed}, {want}"
        );
    }
    assert!(
        fs::read_to_string(target.join("ports.csv"))
            .unwrap()
            .contains("inlet,pressure,4e-11,9.6e1")
    );
}

/// Reads one array of a `.vtu` back: offset from the header, blocks through zlib.
fn vtu_array(bytes: &[u8], name: &str) -> Vec<u8> {
    use std::io::Read;
    let find = |what: &[u8], from: usize| {
        from + bytes[from..]
            .windows(what.len())
            .position(|w| w == what)
            .unwrap()
    };
    let tag = find(format!("Name=\"{name}\"").as_bytes(), 0);
    let at = find(b"offset=\"", tag) + 8;
    let offset: usize = std::str::from_utf8(&bytes[at..find(b"\"", at)])
        .unwrap()
        .parse()
        .unwrap();
    let start = find(b"_", find(b"<AppendedData", 0)) + 1 + offset;
    let number = |k: usize| {
        u64::from_le_bytes(bytes[start + 8 * k..start + 8 * k + 8].try_into().unwrap()) as usize
    };
    let mut position = start + 8 * (3 + number(0));
    let mut raw = Vec::new();
    for block in 0..number(0) {
        let size = number(3 + block);
        flate2::read::ZlibDecoder::new(&bytes[position..position + size])
            .read_to_end(&mut raw)
            .unwrap();
        position += size;
    }
    let partial = if number(2) > 0 {
        number(1) - number(2)
    } else {
        0
    };
    assert_eq!(
        raw.len(),
        number(0) * number(1) - partial,
        "`{name}`: the header tells the sizes"
    );
    raw
}

#[test]
fn vtu_arrays_hold_the_bits_of_the_fields() {
    let out = tempfile::tempdir().unwrap();
    for (nx, ny) in [(3, 2), (120, 60)] {
        let target = out.path().join(format!("n{nx}"));
        let solution = solution(nx, ny);
        write(&target, &[Format::Vtu], &solution, None, &[]);
        let bytes = fs::read(target.join("fields.vtu")).unwrap();
        let f64s = |name| -> Vec<f64> {
            let raw = vtu_array(&bytes, name);
            raw.chunks_exact(8)
                .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                .collect()
        };
        assert_eq!(f64s("pressure"), solution.fields.pressure);
        let velocity: Vec<f64> = solution
            .fields
            .velocity
            .iter()
            .flat_map(|v| [v.x, v.y, 0.0])
            .collect();
        assert_eq!(f64s("velocity"), velocity);
        assert_eq!(
            vtu_array(&bytes, "types"),
            vec![22; solution.fields.cells.len()],
            "quadratic triangles"
        );
        let connectivity: Vec<u8> = solution
            .fields
            .cells
            .iter()
            .flatten()
            .flat_map(|&n| i64::from(n).to_le_bytes())
            .collect();
        assert_eq!(vtu_array(&bytes, "connectivity"), connectivity);
        assert!(
            bytes.ends_with(b"\n</AppendedData>\n</VTKFile>\n"),
            "the closing tag has a line of its own"
        );
    }
}

#[test]
fn the_system_is_written_in_matrix_market_form() {
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("straight");
    let unknown = |kind, direction| Unknown {
        kind,
        at: Point::new(1e-3, 0.0),
        direction,
        scale: 0.5,
    };
    let system = AssembledSystem {
        n: 2,
        lower: vec![(0, 0, 2.0), (1, 0, 1.0), (1, 1, 0.1)],
        rhs: vec![1.0, 0.0],
        solution: vec![0.25, 1.0 / 3.0],
        unknowns: vec![
            unknown(UnknownKind::VelocityX, Point::new(1.0, 0.0)),
            unknown(UnknownKind::Pressure, Point::default()),
        ],
    };
    write(
        &target,
        &[Format::System],
        &solution(2, 2),
        Some(&system),
        &[],
    );
    let read = |name: &str| fs::read_to_string(target.join(name)).unwrap();
    let matrix = read("matrix.mtx");
    assert!(matrix.starts_with("%%MatrixMarket matrix coordinate real symmetric\n"));
    assert!(
        matrix.ends_with("2 2 3\n1 1 2e0\n2 1 1e0\n2 2 1e-1\n"),
        "{matrix}"
    );
    let solution: Vec<f64> = read("solution.mtx")
        .lines()
        .skip(2)
        .map(|l| l.parse().unwrap())
        .collect();
    assert_eq!(
        solution, system.solution,
        "numbers read back to the same bits"
    );
    assert_eq!(
        read("unknowns.csv").lines().nth(2).unwrap(),
        "2,pressure,1e-3,0e0,0,0,5e-1"
    );
}

#[test]
fn a_cancelled_export_writes_nothing() {
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("straight");
    let cancel = CancelToken::new();
    cancel.cancel();
    let solution = solution(2, 2);
    let results = Results {
        chip: &channel(),
        title: None,
        resolution: 8,
        solution: &solution,
        errors: None,
        system: None,
        probes: &[],
        lines: &[],
        colouring: Colouring::Flow(&stokeslet::quantities::PRESSURE),
        timings: Timings::default(),
        clock: &|| 0.0,
        peak_memory: &|| 0,
        extra: &Default::default(),
        stamp: "",
    };
    assert!(export(&target, &[Format::Vtu], &results, &silent, &cancel).is_err());
    assert_eq!(
        fs::read_dir(out.path()).unwrap().count(),
        0,
        "no folder, no hidden leftovers"
    );
}
