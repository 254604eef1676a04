//! Expressions of other programs' names: what a study asks of results is reckoned with as designs reckon with variables.

use std::collections::BTreeMap;

use super::amount::Amount;
use super::codes;
use super::evaluate::{Outcome, evaluate};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::units::Powers;

/// The value of an expression, such as `q1 / q2` or `2 * w + 20 um`, and the powers of its units (kg, m, s, rad).
///
/// # Errors
/// A diagnostic D340 to D344 without a place.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use stokeslet_cad::design::formula;
/// let names = BTreeMap::from([("q".to_owned(), (2e-9, [0, 3, -1, 0, 0]))]);
/// assert_eq!(formula("q / (1 uL/s)", &names), Ok((2.0, [0; 5])));
/// assert_eq!(formula("q + 1 mm", &names).unwrap_err().code, "D343");
/// ```
pub fn formula(
    text: &str,
    names: &BTreeMap<String, (f64, Powers)>,
) -> Result<(f64, Powers), Diagnostic> {
    let names: BTreeMap<String, Outcome> = names
        .iter()
        .map(|(name, &(value, powers))| (name.clone(), Outcome::Amount(Amount { value, powers })))
        .collect();
    let outcome = evaluate(text, &names).map_err(|fault| {
        let mut diagnostic = Diagnostic::error(fault.code, fault.message);
        diagnostic.help = fault.help;
        diagnostic
    })?;
    match outcome {
        Outcome::Amount(amount) => Ok((amount.value, amount.powers)),
        Outcome::Bool(flag) => Ok((f64::from(flag), [0; 5])),
        Outcome::Text(text) => Err(Diagnostic::error(
            codes::VALUE,
            format!("the result is the text \"{text}\", wanted a number"),
        )),
    }
}
