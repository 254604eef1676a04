//! Figures of the papers as ours came out: numbers as a [`Table`], and pictures.
//!
//! A figure is a row of [`FIGURES`] and a function; `stokeslet liquid figure NAME` writes what it makes.

mod cycles;
mod fields;
mod leaving;
mod smoothing;
mod sparsity;

use image::{Rgb, RgbImage};
use thiserror::Error;

use super::chart::Chart;
use crate::grid::Lattice;
use crate::lcp::Watch;
use crate::linear::{Builder, Matrix};
use crate::scenes::SimulationError;
use crate::scenes::eckert::{FlowError, Table};

/// What to make of a figure.
#[derive(Clone, Copy, Debug)]
pub struct FigureRequest<'a> {
    /// Cells a side.
    pub n: usize,
    /// Frames of 0.01 s; of tanks steps.
    pub frames: usize,
    /// Who looks on.
    pub watch: Watch<'a>,
}

/// A picture of a figure.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// Lines.
    Chart(Chart),
    /// Pixels.
    Image(RgbImage),
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its numbers.
    pub table: Table,
    /// Its pictures, with what tells them apart.
    pub pictures: Vec<(String, Drawn)>,
}

/// Why a figure can't be made.
#[derive(Debug, Error)]
pub enum FigureError {
    /// A scene that can't go on.
    #[error(transparent)]
    Scene(#[from] SimulationError),
    /// A tank that can't go on.
    #[error(transparent)]
    Tank(#[from] FlowError<2>),
    /// Cells a side that a figure has no use for.
    #[error("{id} takes {wanted} cells a side, not {n}")]
    Size {
        /// Which figure.
        id: &'static str,
        /// What it takes.
        wanted: &'static str,
        /// What was asked for.
        n: usize,
    },
}

/// A figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct FigureEntry {
    /// Its number there.
    pub id: &'static str,
    /// What it shows, with its paper.
    pub title: &'static str,
    /// Cells a side unless another number is asked for.
    pub side: usize,
    /// Frames or steps unless another number is asked for.
    pub frames: usize,
    make: fn(&FigureRequest<'_>) -> Result<Figure, FigureError>,
}

impl FigureEntry {
    /// Makes it.
    ///
    /// # Errors
    /// [`FigureError`]: somebody asked to stop, a run that can't go on, a size that makes no sense.
    pub fn make(&self, request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
        (self.make)(request)
    }
}

const fn row(
    id: &'static str,
    title: &'static str,
    (side, frames): (usize, usize),
    make: fn(&FigureRequest<'_>) -> Result<Figure, FigureError>,
) -> FigureEntry {
    FigureEntry {
        id,
        title,
        side,
        frames,
        make,
    }
}

/// All figures.
pub const FIGURES: &[FigureEntry] = &[
    row(
        "F5.1",
        "what Gauss-Seidel sweeps leave of an error, in the plane ([000])",
        (32, 0),
        smoothing::smoothing,
    ),
    row(
        "F5.6",
        "the first coarse matrix from trilinear and from barycentric weights, from 8 cubed ([000])",
        (8, 0),
        sparsity::sparsity,
    ),
    row(
        "F5.7",
        "the same from 64 cubed ([000])",
        (64, 0),
        sparsity::sparsity,
    ),
    row(
        "F6.8",
        "solves by their outer iterations, sphere in space ([000], which has 128)",
        (32, 100),
        cycles::outer,
    ),
    row(
        "F6.12",
        "seconds with trilinear and barycentric weights by size, scenario 1 ([000], which goes to 256)",
        (128, 10),
        cycles::weights,
    ),
    row(
        "F3",
        "a turned box, walls that hold liquid beside walls that let it go ([001])",
        (64, 60),
        leaving::turned_box,
    ),
    row(
        "F4.11",
        "where velocities of the practical methods differ from an accurate one, breaking dam ([003])",
        (96, 195),
        fields::fields,
    ),
    row(
        "F4.14",
        "how far velocities of methods with walls in the pressure solve differ, breaking dam ([003])",
        (96, 250),
        fields::over_time,
    ),
    row(
        "F4.15",
        "walls opened by velocity and by pressure, breaking dam at step 85 ([003])",
        (96, 85),
        leaving::by_pressure,
    ),
];

/// The figure of a number, in any case.
pub fn figure_entry(id: &str) -> Option<&'static FigureEntry> {
    FIGURES.iter().find(|f| f.id.eq_ignore_ascii_case(id))
}

/// The Laplacian of all cells, `2 D` on the diagonal and -1 for every neighbour; zero beyond the lattice.
fn laplacian<const D: usize>(cells: &Lattice<D>) -> Matrix<f64> {
    let mut builder = Builder::new(cells.len());
    for i in 0..cells.len() {
        let c = cells.coordinates(i);
        let mut neighbours = Vec::with_capacity(2 * D);
        for axis in 0..D {
            let mut to = c;
            if c[axis] > 0 {
                to[axis] = c[axis] - 1;
                neighbours.push(cells.index(to));
            }
            if c[axis] + 1 < cells.n[axis] {
                to[axis] = c[axis] + 1;
                neighbours.push(cells.index(to));
            }
        }
        neighbours.sort_unstable();
        for k in neighbours {
            builder.entry(k, -1.0);
        }
        builder.end_row(2.0 * D as f64);
    }
    builder.finish()
}

/// A picture of so many squares, each of so many pixels a side; `colour` of column and row, rows from above.
fn squares(
    (columns, rows): (usize, usize),
    side: usize,
    colour: impl Fn(usize, usize) -> Rgb<u8>,
) -> RgbImage {
    RgbImage::from_fn((columns * side) as u32, (rows * side) as u32, |x, y| {
        colour(x as usize / side, y as usize / side)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(id: &str, n: usize, frames: usize) -> Figure {
        let request = FigureRequest {
            n,
            frames,
            watch: Watch::SILENT,
        };
        let entry = figure_entry(id).expect("a figure");
        entry.make(&request).expect("can be made")
    }

    #[test]
    fn sweeps_take_what_is_rough_and_leave_what_is_smooth() {
        let figure = made("f5.1", 32, 0);
        let of = |sweeps: &str, what: &str| figure.table.value(sweeps, what).expect("a number");
        // Ten sweeps smooth far more than they reduce; fifty more reduce, but hardly.
        assert!(of("10", "roughness") < 0.3 * of("0", "roughness"));
        assert!(of("10", "root mean square") > 0.6 * of("0", "root mean square"));
        assert!(of("100", "root mean square") > 0.5 * of("50", "root mean square"));
        assert_eq!(figure.pictures.len(), 1);
    }

    #[test]
    fn barycentric_weights_leave_the_printed_entries_of_the_transfer() {
        let figure = made("F5.6", 8, 0);
        let of = |row: &str| figure.table.value(row, "entries").expect("a number");
        assert_eq!(of("P trilinear"), 2744.0, "printed");
        assert_eq!(of("P barycentric"), 1664.0, "printed");
        let (dense, sparse) = (of("coarse trilinear"), of("coarse barycentric"));
        assert!(sparse < 0.7 * dense, "{sparse} {dense}");
    }

    #[test]
    fn every_solve_is_in_the_histogram_once() {
        let figure = made("F6.8", 16, 3);
        let column = |k: usize| -> usize {
            let cells = figure.table.rows.iter().map(|row| row[k].parse::<usize>());
            cells.map(|n| n.expect("a count")).sum()
        };
        assert!(column(1) > 0);
        assert_eq!(column(1), column(2), "both had the same problems");
    }

    #[test]
    fn figures_of_tanks_differ_where_methods_do() {
        let figure = made("F4.11", 24, 20);
        assert_eq!(figure.pictures.len(), 1);
        let largest = figure.table.rows.iter().map(|row| row[2].parse::<f64>());
        let largest: Vec<f64> = largest.map(|d| d.expect("a number")).collect();
        assert_eq!(largest.len(), 9, "three methods at three steps");
        // Practical tolerances are 1e-3 and 1e-2: no method is exact, none is far off.
        let all = || largest.iter().copied();
        assert!(
            all().all(|d| d < 0.5) && all().any(|d| d > 1e-5),
            "{largest:?}"
        );
        let figure = made("F4.15", 24, 10);
        assert_eq!(figure.table.rows.len(), 8, "four methods, twice");
    }

    #[test]
    fn sizes_without_use_are_refused() {
        let request = FigureRequest {
            n: 9,
            frames: 0,
            watch: Watch::SILENT,
        };
        let error = figure_entry("F5.6").unwrap().make(&request).unwrap_err();
        assert!(error.to_string().contains("F5.6"), "{error}");
    }
}
