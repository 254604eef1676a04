//! Lengths of process files: quantities, numbers, or expressions in the chip's depth.

use rhai::Dynamic;

use super::script::{Budget, base_scope, compile, engine};
use stokeslet_base::units::{Dimension, parse_quantity};

/// A length in m (or a plain number) from `"20 um"`, `"0.1"` or `"2 * depth + 20 um"`.
///
/// # Errors
/// What is wrong with it, in words: no length, or `depth` in it where there is none.
pub fn length_in_depth(text: &str, depth: Option<f64>) -> Result<f64, String> {
    match parse_quantity(text) {
        Ok((value, Dimension::Length)) => return Ok(value),
        Ok((_, other)) => return Err(format!("it is {other:?}, no length")),
        Err(_) => {}
    }
    let mut scope = base_scope();
    scope.push_constant("nm", 1e-9);
    match depth {
        Some(depth) => {
            scope.push_constant("depth", depth);
        }
        None if text.contains("depth") => return Err("the chip has no depth".to_owned()),
        None => {}
    }
    let code = compile(&with_factors(text))?;
    let value: Dynamic = engine(&Budget::new())
        .eval_ast_with_scope(&mut scope, &code)
        .map_err(|error| error.to_string())?;
    let whole = value.as_int().map(|whole| whole as f64);
    value
        .as_float()
        .or(whole)
        .map_err(|kind| format!("it is {kind}, no number"))
}

/// `20 um` as `20 * um`: a unit behind a number is a factor.
fn with_factors(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut is_after_number = false;
    for word in text.split(' ') {
        if !out.is_empty() {
            out.push(' ');
        }
        if is_after_number
            && ["nm", "um", "mm"]
                .iter()
                .any(|unit| word.trim_end_matches([')', ',']) == *unit)
        {
            out.push_str("* ");
        }
        out.push_str(word);
        is_after_number = word.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_quantities_numbers_or_expressions() {
        let limit = |text: &str| length_in_depth(text, Some(50e-6));
        for (text, want) in [
            ("20 um", 20e-6),
            ("0.1", 0.1),
            ("2 * depth + 20 um", 120e-6),
            ("max(depth, 80 um)", 80e-6),
            ("3", 3.0),
        ] {
            let got = limit(text).expect("a length");
            assert!((got / want - 1.0).abs() < 1e-12, "{text}: {got}");
        }
        for text in ["", "20 kPa", "width", "loop {}", "\"a\"", "2 *"] {
            assert!(limit(text).is_err(), "{text}");
        }
        assert!(length_in_depth("2 * depth", None).is_err());
    }
}
