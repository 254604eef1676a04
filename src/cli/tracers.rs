//! `solve --tracers`: particles that flow with the fluid, as frames of one period that loops.
//!
//! ```text
//! DIR/<design>/tracers/  tracers.pvd  frame-0000.vtu ...    ParaView: points with inlet, age (s), way
//!                        frame-0000.svg ...                 pictures over the chip's walls, coloured by inlet
//! ```

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use stokeslet::chip::Chip;
use stokeslet::export::{ExportError, write_file};
use stokeslet::field::Field;
use stokeslet::geometry::Point;
use stokeslet::species::Paths;
use stokeslet::species::tracers::{TracerPoint, Tracers};

/// Folder within the results.
const FOLDER: &str = "tracers";
/// Moments of a period.
const FRAMES: usize = 48;
/// Tracers of one way at once, about.
const AT_ONCE: f64 = 24.0;
/// Longer side of a picture, pixels.
const SIZE: f64 = 1200.0;
/// By inlet, in turn: told apart by people who don't see red and green.
const COLOURS: [&str; 6] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
];

/// Removes the frames of an earlier solve.
///
/// # Errors
/// What the file system says, but for folders that aren't there.
pub fn remove(folder: &Path) -> Result<(), ExportError> {
    let folder = folder.join(FOLDER);
    let Ok(entries) = fs::read_dir(&folder) else {
        return Ok(());
    };
    for path in entries.flatten().map(|e| e.path()) {
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        // Other people's files stay.
        if name == "tracers.pvd" || name.starts_with("frame-") {
            fs::remove_file(&path).map_err(ExportError::on("replace", &path))?;
        }
    }
    match fs::remove_dir(&folder) {
        Err(e) if e.kind() == ErrorKind::PermissionDenied => {
            Err(ExportError::on("replace", &folder)(e))
        }
        _ => Ok(()),
    }
}

/// Writes the frames of about `n` ways; returns what is printed.
///
/// # Errors
/// What the file system says.
pub fn write(
    folder: &Path,
    chip: &Chip,
    fields: &Field<2>,
    paths: &Paths,
    n: usize,
) -> Result<String, ExportError> {
    let folder = folder.join(FOLDER);
    let tracers = Tracers::new(chip, paths, n);
    let interval = tracers.median_duration() / AT_ONCE;
    let picture = Picture::new(fields);
    let mut index = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    let mut most = 0;
    for frame in 0..FRAMES {
        // The last frame leads to the first.
        let time = interval * frame as f64 / FRAMES as f64;
        let seen = tracers.at(time, interval);
        most = most.max(seen.len());
        let name = format!("frame-{frame:04}");
        // Writing into a String does not fail.
        let _ = writeln!(
            index,
            "<DataSet timestep=\"{time:e}\" part=\"0\" file=\"{name}.vtu\"/>"
        );
        write_file(
            &folder.join(format!("{name}.vtu")),
            points(&tracers, &seen).as_bytes(),
        )?;
        write_file(
            &folder.join(format!("{name}.svg")),
            picture.draw(&tracers, &seen).as_bytes(),
        )?;
    }
    index += "</Collection>\n</VTKFile>\n";
    write_file(&folder.join("tracers.pvd"), index.as_bytes())?;
    let lost = tracers.ways.iter().filter(|w| w.outlet.is_none()).count();
    let lost = if lost > 0 {
        format!(", {lost} not followed to a port")
    } else {
        String::new()
    };
    let ways = tracers.ways.len();
    Ok(format!(
        "  tracers: {ways} ways{lost}, up to {most} at once, {FRAMES} frames of a period of {interval:.3e} s in {FOLDER}/\n"
    ))
}

/// Points as a VTK unstructured grid, in text.
fn points(tracers: &Tracers, seen: &[TracerPoint]) -> String {
    let n = seen.len();
    let list = |of: &dyn Fn(usize, &TracerPoint) -> String| {
        seen.iter()
            .enumerate()
            .map(|(k, s)| of(k, s))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let array = |kind: &str, name: &str, components: usize, text: String| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">{text}</DataArray>\n"
        )
    };
    let position = array(
        "Float64",
        "points",
        3,
        list(&|_, s| format!("{:e} {:e} 0", s.at.x, s.at.y)),
    );
    let cells = [
        array("Int64", "connectivity", 1, list(&|k, _| k.to_string())),
        array("Int64", "offsets", 1, list(&|k, _| (k + 1).to_string())),
        array("UInt8", "types", 1, list(&|_, _| "1".to_owned())),
    ]
    .concat();
    let inlet = |way: usize| tracers.ways[way].inlet;
    let data = [
        array("Int32", "inlet", 1, list(&|_, s| inlet(s.way).to_string())),
        array("Float64", "age", 1, list(&|_, s| format!("{:e}", s.age))),
        array("Int32", "way", 1, list(&|_, s| s.way.to_string())),
    ]
    .concat();
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{n}\">\n<Points>\n{position}</Points>\n<Cells>\n{cells}</Cells>\n<PointData>\n{data}</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"
    )
}

/// The chip's walls on a page, shared by all frames.
struct Picture {
    low: Point,
    high: Point,
    scale: f64,
    walls: String,
}

impl Picture {
    fn new(fields: &Field<2>) -> Self {
        let start = (
            Point::new(f64::INFINITY, f64::INFINITY),
            Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY),
        );
        let (low, high) = fields.nodes.iter().fold(start, |(a, b), x| {
            (
                Point::new(a.x.min(x.x), a.y.min(x.y)),
                Point::new(b.x.max(x.x), b.y.max(x.y)),
            )
        });
        let scale = (SIZE - 2.0 * MARGIN) / (high.x - low.x).max(high.y - low.y);
        let mut picture = Self {
            low,
            high,
            scale,
            walls: String::new(),
        };
        let mut walls = String::new();
        for &(cell, edge) in &fields.walls {
            let nodes = fields.cells[cell as usize];
            let k = usize::from(edge);
            let [a, m, b] = [nodes[k], nodes[k + 3], nodes[(k + 1) % 3]]
                .map(|n| picture.place(fields.nodes[n as usize]));
            let _ = write!(
                walls,
                "M{:.1} {:.1}L{:.1} {:.1} {:.1} {:.1}",
                a[0], a[1], m[0], m[1], b[0], b[1]
            );
        }
        picture.walls = walls;
        picture
    }

    fn place(&self, p: Point) -> [f64; 2] {
        [
            MARGIN + (p.x - self.low.x) * self.scale,
            MARGIN + (self.high.y - p.y) * self.scale,
        ]
    }

    fn draw(&self, tracers: &Tracers, seen: &[TracerPoint]) -> String {
        let [width, height] = self
            .place(Point::new(self.high.x, self.low.y))
            .map(|x| x + MARGIN);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<path d=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
            self.walls
        );
        for s in seen {
            let [x, y] = self.place(s.at);
            let colour = COLOURS[tracers.ways[s.way].inlet % COLOURS.len()];
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2.2\" fill=\"{colour}\"/>"
            );
        }
        out + "</svg>\n"
    }
}

/// Around the chip, pixels.
const MARGIN: f64 = 12.0;
