//! A matrix cut into panels, which threads take side by side.

use faer::MatMut;

/// Columns in panels of `width`, the last of what is left.
pub fn columns(mut rest: MatMut<'_, f64>, width: usize) -> Vec<MatMut<'_, f64>> {
    let mut out = Vec::with_capacity(rest.ncols().div_ceil(width));
    while rest.ncols() > width {
        let (panel, after) = rest.split_at_col_mut(width);
        out.push(panel);
        rest = after;
    }
    if rest.ncols() > 0 {
        out.push(rest);
    }
    out
}

/// Rows in panels of `width`, the last of what is left.
pub fn rows(mut rest: MatMut<'_, f64>, width: usize) -> Vec<MatMut<'_, f64>> {
    let mut out = Vec::with_capacity(rest.nrows().div_ceil(width));
    while rest.nrows() > width {
        let (panel, after) = rest.split_at_row_mut(width);
        out.push(panel);
        rest = after;
    }
    if rest.nrows() > 0 {
        out.push(rest);
    }
    out
}
