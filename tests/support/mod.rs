//! What the solver's tests share: two assertions that say why, chips made by hand, designs from their files, short solves.
#![allow(
    dead_code,
    unused_macros,
    reason = "each file of tests uses a part of it"
)]

pub mod chips;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::Chip;
use stokeslet::session::{Solution, SolveSettings, solve};
use stokeslet::table::Table;

/// Fails unless `got` is within `rel * |want|` of `want`. Not a number fails.
macro_rules! assert_close {
    ($got:expr, $want:expr, $rel:expr, $($why:tt)+) => {{
        let (got, want, rel): (f64, f64, f64) = ($got, $want, $rel);
        assert!(
            (got - want).abs() <= rel * want.abs(),
            "{}: got {got:e}, want {want:e}, which is off by {:.2e} where {rel:.0e} is allowed",
            format!($($why)+),
            ((got - want) / want).abs()
        );
    }};
}

/// Fails unless `|value| <= rel * |scale|`. Not a number fails.
macro_rules! assert_small {
    ($value:expr, $scale:expr, $rel:expr, $($why:tt)+) => {{
        let (value, scale, rel): (f64, f64, f64) = ($value, $scale, $rel);
        assert!(
            value.abs() <= rel * scale.abs(),
            "{}: {value:e} is {:.2e} of {scale:e} where {rel:.0e} is allowed",
            format!($($why)+),
            (value / scale).abs()
        );
    }};
}

/// Default settings at a resolution.
pub fn at(resolution: u32) -> SolveSettings {
    SolveSettings {
        resolution,
        ..SolveSettings::default()
    }
}

/// A solve without a table.
pub fn solved(chip: &Chip, resolution: u32) -> Solution {
    solved_with(chip, &at(resolution), &Table::default())
}

/// A solve with all of its arguments that matter.
pub fn solved_with(chip: &Chip, settings: &SolveSettings, table: &Table) -> Solution {
    solve(chip, settings, table, &|_, _| {}, &CancelToken::new())
        .unwrap_or_else(|e| panic!("{}: {e}", chip.name))
}

/// Greatest magnitude.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values
        .into_iter()
        .fold(0.0, |m, v| if v.is_nan() { v } else { m.max(v.abs()) })
}

/// `ln(coarse / fine) / ln(r_fine / r_coarse)`: the order at which an error falls.
pub fn order((r_coarse, coarse): (u32, f64), (r_fine, fine): (u32, f64)) -> f64 {
    (coarse / fine).ln() / (f64::from(r_fine) / f64::from(r_coarse)).ln()
}
