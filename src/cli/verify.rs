//! `stokeslet verify`: errors against a manufactured solution, and the orders at which they fall.

use std::fmt::Write as _;
use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, place};
use stokeslet::design::parse;
use stokeslet::session::{Row, manufactured_study};

use super::args::VerifyArgs;
use super::load::{find_library, load};
use super::outcome::{CliError, Outcome};
use super::print_out;
use super::solve::listen_for_ctrl_c;

/// Any tee will do: the study scales it to the waves of the manufactured fields.
const TEE: &str = include_str!("verify_tee.toml");

/// Errors and orders, a row per resolution, as they come.
///
/// # Errors
/// What keeps a study from being made.
pub fn run(args: &VerifyArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let Some(chip) = chip(args, library)? else {
        return Ok(Outcome::InputErrors);
    };
    let cancel = CancelToken::new();
    listen_for_ctrl_c(cancel.clone())?;
    let mut resolutions = args.resolutions.clone();
    resolutions.sort_unstable();
    resolutions.dedup();
    print_out(&format!("{}: {}", chip.name, head()))?;
    let mut last: Option<Row> = None;
    for r in resolutions {
        for row in manufactured_study(&chip, &[r], &cancel)? {
            print_out(&line(&row, last.as_ref()))?;
            last = Some(row);
        }
    }
    Ok(Outcome::Fine)
}

fn chip(args: &VerifyArgs, library: Option<&Path>) -> Result<Option<Chip>, CliError> {
    let library = find_library(library)?;
    let Some(path) = &args.design else {
        let (design, mut diagnostics) = parse(TEE, "tee");
        let chip = design.and_then(|design| {
            let (chip, placed) = place(&design, &library);
            diagnostics.extend(placed);
            chip
        });
        super::print_diagnostics(&diagnostics, "tee", TEE);
        return Ok(chip);
    };
    let name = path
        .file_stem()
        .map_or_else(|| "design".into(), |s| s.to_string_lossy());
    let loaded = load(path, &name, &library, (None, &[]), &|| 0.0)?;
    loaded.print_diagnostics(path);
    Ok(loaded.chip)
}

fn head() -> String {
    format!(
        "errors against the manufactured solution, each with its order\n{:>4} {:>10}  {:>15}  {:>15}  {:>15}  {:>15}\n",
        "r", "unknowns", "velocity max", "velocity L2", "pressure max", "pressure L2"
    )
}

fn line(row: &Row, coarse: Option<&Row>) -> String {
    let orders = coarse.map(|coarse| row.orders(coarse));
    let mut text = format!("{:>4} {:>10}", row.r, row.unknowns);
    for (k, error) in row.errors().into_iter().enumerate() {
        // Writing into a String does not fail.
        let _ = match orders {
            Some(orders) => write!(text, "  {error:>9.2e} {:>5.2}", orders[k]),
            None => write!(text, "  {error:>9.2e}      "),
        };
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_align_with_their_head() {
        let row = |r, e| Row {
            r,
            unknowns: 1000,
            velocity_linf: e,
            velocity_l2: e,
            pressure_linf: e,
            pressure_l2: e,
        };
        let (first, second) = (
            line(&row(4, 8e-3), None),
            line(&row(8, 1e-3), Some(&row(4, 8e-3))),
        );
        assert!(second.contains("1.00e-3  3.00"), "{second}");
        let width = |text: &str| text.trim_end_matches('\n').chars().count();
        let head = head();
        assert_eq!(width(&first), width(head.lines().nth(1).unwrap()));
        assert_eq!(width(&second), width(head.lines().nth(1).unwrap()));
    }
}
