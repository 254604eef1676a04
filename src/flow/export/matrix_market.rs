//! The assembled system for other solvers: Matrix Market files and a table of unknowns.
//!
//! `matrix.mtx` is `coordinate real symmetric` (lower triangle), `rhs.mtx` and `solution.mtx` are dense columns (`array real
//! general`), and row k of `unknowns.csv` says what unknown k (from 1, as in Matrix Market) is. Numbers are printed in their
//! shortest form that reads back to the same bits.

use std::io::{self, Write};

use crate::session::{AssembledSystem, Unknown, UnknownKind};

/// `matrix.mtx`: the lower triangle.
///
/// # Errors
/// What the writer says.
pub fn write_matrix(out: &mut dyn Write, system: &AssembledSystem) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate real symmetric")?;
    writeln!(
        out,
        "% lower triangle, rows and columns from 1; see unknowns.csv"
    )?;
    writeln!(out, "{} {} {}", system.n, system.n, system.lower.len())?;
    for &(row, column, value) in &system.lower {
        writeln!(out, "{} {} {value:e}", row + 1, column + 1)?;
    }
    Ok(())
}

/// A dense column: `rhs.mtx`, `solution.mtx`.
///
/// # Errors
/// What the writer says.
pub fn write_vector(out: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix array real general")?;
    writeln!(out, "{} 1", values.len())?;
    for value in values {
        writeln!(out, "{value:e}")?;
    }
    Ok(())
}

/// `unknowns.csv`: kind, place, direction, and the factor from the system's value to the physical one (m/s, Pa).
///
/// # Errors
/// What the writer says.
pub fn write_unknowns(out: &mut dyn Write, unknowns: &[Unknown]) -> io::Result<()> {
    writeln!(out, "unknown,kind,x_m,y_m,direction_x,direction_y,scale")?;
    for (k, u) in unknowns.iter().enumerate() {
        let kind = match u.kind {
            UnknownKind::VelocityX => "velocity_x",
            UnknownKind::VelocityY => "velocity_y",
            UnknownKind::Pressure => "pressure",
        };
        let (at, d) = (u.at, u.direction);
        writeln!(
            out,
            "{},{kind},{:e},{:e},{},{},{:e}",
            k + 1,
            at.x,
            at.y,
            d.x,
            d.y,
            u.scale
        )?;
    }
    Ok(())
}
