//! The designs as texts, placed chips, solved chips, and the meshes of their parts.

use std::path::{Path, PathBuf};

use stokeslet::cancel::CancelToken;
use stokeslet::canonical::canonicalise;
use stokeslet::chip::{self, Chip};
use stokeslet::design::{self, Design};
use stokeslet::library::Library;
use stokeslet::mesh::{Quality, quality};
use stokeslet::session::{Solution, SolveError, SolveSettings, solve};
use stokeslet::shape::Shape;
use stokeslet::table::Table;

/// Residual that every solve must reach.
pub const RESIDUAL: f64 = 1e-10;
/// Share of the flow that may be lost between the ports.
pub const MASS_IMBALANCE: f64 = 1e-9;
/// No cell has a smaller angle, rad, but where the shape itself leaves no choice.
const LEAST_ANGLE: f64 = 15.0 / 180.0 * std::f64::consts::PI;

/// Names and texts of all designs, by name.
pub fn designs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let stem = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    paths.iter().map(|path| (stem(path), read(path))).collect()
}

/// The design of this text, which has no mistakes.
pub fn read(name: &str, text: &str) -> Design {
    let (design, diagnostics) = design::parse(text, name);
    assert_eq!(diagnostics, [], "{name} reads without a word");
    design.unwrap()
}

/// The chip of this text, which has no mistakes.
pub fn placed(name: &str, text: &str) -> Chip {
    let (chip, diagnostics) = chip::place(&read(name, text), &Library::embedded());
    assert_eq!(diagnostics, [], "{name} is placed without a word");
    chip.unwrap()
}

/// Solves with a table of its own, so that no test depends on another.
pub fn solve_chip(chip: &Chip, resolution: u32) -> Result<Solution, SolveError> {
    let settings = SolveSettings {
        resolution,
        tolerance: RESIDUAL,
        ..SolveSettings::default()
    };
    solve(
        chip,
        &settings,
        &Table::default(),
        &|_, _| {},
        &CancelToken::new(),
    )
}

/// The chip's solution, which conserves mass and solves its system.
pub fn solved(chip: &Chip, resolution: u32) -> Solution {
    let solution = solve_chip(chip, resolution)
        .unwrap_or_else(|error| panic!("{} at resolution {resolution}: {error}", chip.name));
    let report = &solution.report;
    assert!(
        report.relative_residual <= RESIDUAL,
        "{}: residual {:e}",
        chip.name,
        report.relative_residual
    );
    assert!(
        report.mass_imbalance <= MASS_IMBALANCE,
        "{}: inflow and outflow differ by {:e}",
        chip.name,
        report.mass_imbalance
    );
    solution
}

/// Meshes every part in its own frame: no sliver but where the shape has one, no cell without a face to the inside.
pub fn check_meshes(chip: &Chip, resolution: u32) {
    let mut seen = std::collections::HashSet::new();
    for part in &chip.parts {
        let canonical = canonicalise(&part.shape, &part.walls);
        if !seen.insert(canonical.shape.clone()) {
            continue;
        }
        let who = format!(
            "{}: part {} at resolution {resolution}",
            chip.name, part.name
        );
        let mesh = canonical
            .mesh(resolution)
            .unwrap_or_else(|error| panic!("{who}: {error}"));
        let Quality {
            least_angle,
            enclosed_cells,
            ..
        } = quality(&mesh);
        assert_eq!(enclosed_cells, 0, "{who}: cells with all edges on walls");
        let least = LEAST_ANGLE.min(forced_angle(&part.shape, resolution));
        assert!(
            least_angle >= 0.95 * least,
            "{who}: a cell has an angle of {:.2} degrees",
            least_angle.to_degrees()
        );
    }
}

/// What a shape leaves no choice about, rad: its corners, and the sharper angles of a cell between two edges that meet there. (All sockets have
/// `resolution` edges; next to them may be narrower ones, or walls shorter than a cell.)
fn forced_angle(shape: &Shape, resolution: u32) -> f64 {
    let Shape::Polygon {
        corners, sockets, ..
    } = shape
    else {
        return f64::INFINITY;
    };
    let n = corners.len();
    let geometry = shape.sockets();
    let longest = geometry
        .iter()
        .map(|socket| socket.width / f64::from(resolution))
        .fold(0.0, f64::max);
    // The piece of an edge that one cell has: walls are cut as finely as need be, but no piece is longer than their length.
    let piece = |k: usize| match sockets.iter().position(|&socket| socket == k) {
        Some(socket) => geometry[socket].width / f64::from(resolution),
        None => (corners[(k + 1) % n] - corners[k]).norm().min(longest),
    };
    let forced = |k: usize| {
        let before = (k + n - 1) % n;
        let (out, back) = (
            corners[(k + 1) % n] - corners[k],
            corners[before] - corners[k],
        );
        let corner = out
            .cross(back)
            .atan2(out.dot(back))
            .rem_euclid(std::f64::consts::TAU);
        let (a, b) = (piece(k), piece(before));
        // The angle opposite to the shorter edge of the triangle with sides `a` and `b` about the corner; a reflex corner is parted.
        let between = corner.min(std::f64::consts::PI - 1e-9);
        let opposite =
            |short: f64, long: f64| (short * between.sin()).atan2(long - short * between.cos());
        let least = opposite(a.min(b), a.max(b)).min(corner);
        if corner > 0.9 * std::f64::consts::PI {
            corner
        } else {
            least
        }
    };
    let shortest = (0..n).map(piece).fold(f64::INFINITY, f64::min);
    (0..n).map(forced).fold(shortest.atan2(longest), f64::min)
}
