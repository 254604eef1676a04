//! \[000\] figure 5.1: Gauss-Seidel sweeps smooth an error long before they reduce it.

use image::{Rgb, RgbImage};

use super::{Drawn, Figure, FigureError, FigureRequest, laplacian, squares};
use crate::grid::Lattice;
use crate::linear::{Order, Sweeper};
use crate::particles::hash_unit;
use crate::report::picture::beside;
use crate::scenes::eckert::Table;

/// Sweeps after which the error is looked at.
const SWEEPS: [usize; 4] = [0, 10, 50, 100];
/// Pixels a side of one error.
const PIXELS: usize = 256;

/// Errors of the five-point Laplacian with zero values around it, from random ones between 0 and 1, rough and smooth at once, after some sweeps.
pub(super) fn smoothing(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    let cells = Lattice::cube(request.n);
    let sweeper = Sweeper::new(&laplacian(&cells));
    let mut error: Vec<f64> = (0..cells.len()).map(|i| hash_unit(i as u32)).collect();
    let zero = vec![0.0; error.len()];
    let mut table = Table::new(
        "F5.1",
        format!(
            "five-point Laplacian, {0} x {0} cells, a random error",
            request.n
        ),
        &["sweeps", "root mean square", "largest", "roughness"],
    );
    let mut pictures = Vec::new();
    let mut done = 0;
    for sweeps in SWEEPS {
        for _ in done..sweeps {
            sweeper.plain(Order::Forward, &zero, &mut error);
        }
        done = sweeps;
        let norm = |values: &[f64]| {
            let squares: f64 = values.iter().map(|v| v * v).sum();
            (squares / values.len().max(1) as f64).sqrt()
        };
        // How much neighbours differ, over how large they are: 1.4 of noise about 0, 0 of a constant.
        let steps: Vec<f64> = (0..cells.len())
            .filter(|&i| cells.coordinates(i)[0] + 1 < request.n)
            .map(|i| error[i + 1] - error[i])
            .collect();
        let largest = error.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        table.add(vec![
            sweeps.to_string(),
            format!("{:.4}", norm(&error)),
            format!("{largest:.4}"),
            format!("{:.4}", norm(&steps) / norm(&error)),
        ]);
        pictures.push(drawn(&cells, &error, largest));
    }
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Image(beside(&pictures)))],
    })
}

/// Blue below 0, red above, white at 0; full colour at the largest.
fn drawn(cells: &Lattice<2>, error: &[f64], largest: f64) -> RgbImage {
    let side = (PIXELS / cells.n[0]).max(1);
    let rows = cells.n[1];
    squares((cells.n[0], rows), side, |x, y| {
        let t = error[cells.index([x, rows - 1 - y])] / largest.max(f64::MIN_POSITIVE);
        let fade = |full: u8| (255.0 - t.abs() * (255.0 - f64::from(full))) as u8;
        let [r, g, b] = if t < 0.0 {
            [33, 102, 172]
        } else {
            [178, 24, 43]
        };
        Rgb([fade(r), fade(g), fade(b)])
    })
}
