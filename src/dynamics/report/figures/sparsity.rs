//! \[000\] figures 5.6 and 5.7: what barycentric weights save of the first coarse matrix.

use std::borrow::Cow;

use image::{Rgb, RgbImage};

use super::{Drawn, Figure, FigureError, FigureRequest, laplacian};
use crate::grid::Lattice;
use crate::linear::Matrix;
use crate::mg::{Hierarchy, Places, Recipe, Sides, Surfaces, Weights};
use crate::report::picture::beside;
use crate::scenes::eckert::Table;

/// Pixels a side of one matrix at most.
const PIXELS: usize = 512;
/// Printed entries by cells a side: of the coarse matrix from trilinear and from barycentric weights, which are of an operator that the
/// thesis doesn't state (neither walls nor zeros around the cube give them), and of the interpolations.
const PRINTED: [(usize, [usize; 4]); 2] = [
    (8, [2_104, 1_168, 2_744, 1_664]),
    (64, [2_000_376, 858_304, 2_000_376, 1_024_000]),
];

/// Entries of the Galerkin matrix under the seven-point Laplacian of a full cube, zero outside, and of the interpolation to it.
pub(super) fn sparsity(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    let n = request.n;
    if !n.is_multiple_of(2) || !(6..=128).contains(&n) {
        return Err(FigureError::Size {
            id: "F5.6",
            wanted: "an even number from 6 to 128 of",
            n,
        });
    }
    let cells = Lattice::<3>::cube(n);
    let matrix = laplacian(&cells);
    let places = Places {
        cells,
        of: (0..cells.len() as u32).collect(),
        solid: None,
    };
    let mut table = Table::new(
        if n == 64 { "F5.7" } else { "F5.6" },
        format!("seven-point Laplacian of {n} cubed cells, zero outside"),
        &["what", "entries", "printed"],
    );
    let printed = PRINTED.iter().find(|(of, _)| *of == n);
    let mut add = |what: &str, entries: usize, k: usize| {
        let printed = printed.map_or_else(String::new, |(_, row)| row[k].to_string());
        table.add(vec![what.to_owned(), entries.to_string(), printed]);
    };
    let mut pictures = Vec::new();
    for (k, (name, weights)) in [
        ("trilinear", Weights::Trilinear),
        ("barycentric", Weights::Barycentric),
    ]
    .into_iter()
    .enumerate()
    {
        let recipe = Recipe {
            weights,
            sides: Sides::Simple,
            surfaces: Surfaces::Plain,
            ..Recipe::default()
        };
        let hierarchy =
            Hierarchy::new(Cow::Borrowed(&matrix), Cow::Borrowed(&places), None, recipe);
        let [fine, coarse, ..] = &hierarchy.levels[..] else {
            continue;
        };
        add(&format!("coarse {name}"), coarse.matrix.nnz(), k);
        let transfer = fine.transfer.as_ref().map_or(0, |p| p.nnz());
        add(&format!("P {name}"), transfer, 2 + k);
        pictures.push(drawn(&coarse.matrix));
    }
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Image(beside(&pictures)))],
    })
}

/// Where a matrix has entries: the darker a pixel, the more of its part of the matrix is filled.
fn drawn(matrix: &Matrix<f64>) -> RgbImage {
    let n = matrix.n();
    let side = (PIXELS / n).max(1);
    let pixels = (n * side).min(PIXELS);
    let mut filled = vec![0_u32; pixels * pixels];
    let at = |k: usize| k * pixels / n;
    let mut mark = |i: usize, j: usize| {
        // Of a small matrix every entry is a square of pixels.
        let pixels_of = |k: usize| at(k)..at(k + 1).max(at(k) + 1);
        for y in pixels_of(i) {
            for x in pixels_of(j) {
                filled[y * pixels + x] += 1;
            }
        }
    };
    for i in 0..n {
        mark(i, i);
        for &j in matrix.row(i).0 {
            mark(i, j as usize);
        }
    }
    let most = filled.iter().copied().max().unwrap_or(1).max(1);
    RgbImage::from_fn(pixels as u32, pixels as u32, |x, y| {
        let count = filled[y as usize * pixels + x as usize];
        if count == 0 {
            return Rgb([252, 252, 250]);
        }
        let t = f64::from(count) / f64::from(most);
        let shade = (170.0 * (1.0 - t.sqrt())) as u8;
        Rgb([shade, shade, shade.saturating_add(60)])
    })
}
