//! "0.89 mPa s" to 8.9e-4 and [`Dimension::Viscosity`].
//!
//! ```text
//! quantity = number [space] unit
//! unit     = factor { ("*" | "·" | space | "/") factor }      "/" divides by the one factor after it
//! factor   = name [ ["^"] integer | superscript ] | "(" unit ")"
//! ```

use super::table::{self, Powers, Scale};
use super::{Dimension, QuantityError};
use crate::diagnostic::nearest;

/// Longest text that is read as a quantity, bytes.
const MAX_LENGTH: usize = 200;
/// Largest exponent of one unit.
const MAX_POWER: i32 = 9;

/// Reads a quantity: its SI value and what it measures.
///
/// # Errors
/// [`QuantityError`]; a number without a unit is one.
///
/// # Example
/// ```
/// use stokeslet_base::units::{Dimension, parse_quantity};
/// assert_eq!(parse_quantity("100 um"), Ok((1e-4, Dimension::Length)));
/// assert!(parse_quantity("100").is_err());
/// ```
pub fn parse_quantity(text: &str) -> Result<(f64, Dimension), QuantityError> {
    let (value, powers) = parse_any_quantity(text)?;
    let dimension = table::dimension(powers).ok_or_else(|| QuantityError::NoDimension {
        unit: split_number(text.trim()).1.trim().to_owned(),
    })?;
    Ok((value, dimension))
}

/// Reads a quantity of anything that units can measure, areas and times too: its SI value, and the powers of its units.
///
/// # Errors
/// [`QuantityError`], as [`parse_quantity`] but for [`QuantityError::NoDimension`].
///
/// # Example
/// ```
/// use stokeslet_base::units::parse_any_quantity;
/// assert_eq!(parse_any_quantity("2 mm^2"), Ok((2e-6, [0, 2, 0, 0, 0])));
/// ```
pub fn parse_any_quantity(text: &str) -> Result<(f64, Powers), QuantityError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QuantityError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(QuantityError::TooLong { bytes: text.len() });
    }
    let owned = || text.to_owned();
    let (number, rest) = split_number(text);
    if number.is_empty() {
        let word: String = text
            .trim_start_matches(['+', '-'])
            .chars()
            .take_while(|c| c.is_alphabetic())
            .collect();
        return Err(match word.to_ascii_lowercase().as_str() {
            "nan" | "inf" | "infinity" => QuantityError::NotFinite { text: owned() },
            _ => QuantityError::NoNumber { text: owned() },
        });
    }
    let unit = rest.trim_start();
    if rest.starts_with(',') {
        return Err(QuantityError::Comma { text: owned() });
    }
    if unit.is_empty() {
        return Err(QuantityError::MissingUnit {
            number: number.to_owned(),
        });
    }
    let scale = parse_unit(unit)?;
    let value = scaled(number, &scale).ok_or_else(|| QuantityError::NotFinite { text: owned() })?;
    Ok((value, scale.powers))
}

/// Reads a quantity of a known kind: its SI value.
///
/// # Errors
/// [`QuantityError`], among them [`QuantityError::WrongDimension`].
pub fn parse_quantity_as(text: &str, wanted: Dimension) -> Result<f64, QuantityError> {
    let (value, got) = parse_quantity(text)?;
    if got != wanted {
        return Err(QuantityError::WrongDimension {
            text: text.trim().to_owned(),
            got,
            wanted,
        });
    }
    Ok(value)
}

/// The decimal number at the start of `text`, and the rest. An `e` that no digit follows belongs to the unit.
fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits_from = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits_from(start);
    let mut end = whole;
    let mut n_digits = whole - start;
    if bytes.get(end) == Some(&b'.') {
        end = digits_from(end + 1);
        n_digits += end - whole - 1;
    }
    if n_digits == 0 {
        return ("", text);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits_from((end + 1 + sign).min(bytes.len()));
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    text.split_at(end)
}

/// `number` in SI, or nothing where it overflows, or falls to zero without being zero.
///
/// Powers of ten are applied in decimal text, where they are exact: 100 * 1e-6 would not be 1e-4, nor 60e-9 / 60 be 1e-9.
fn scaled(number: &str, scale: &Scale) -> Option<f64> {
    let decimal: f64 = number.parse().ok()?;
    let text = format!("{:e}", decimal / scale.divisor * scale.factor);
    let (mantissa, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let value: f64 = format!("{mantissa}e{}", exponent + scale.exponent10)
        .parse()
        .ok()?;
    let digits = number.split(['e', 'E']).next().unwrap_or(number);
    let is_zero = digits.bytes().all(|b| !b.is_ascii_digit() || b == b'0');
    (value.is_finite() && (value != 0.0 || is_zero)).then_some(value)
}

fn parse_unit(unit: &str) -> Result<Scale, QuantityError> {
    let malformed = || QuantityError::MalformedUnit {
        unit: unit.to_owned(),
    };
    let mut scale = Scale::ONE;
    let mut rest = unit;
    // Signs of the power: of the next factor, and of the group in brackets that it stands in.
    let (mut sign, mut group) = (1, None);
    let mut wants_factor = true;
    while let Some(first) = rest.chars().next() {
        let mut step = first.len_utf8();
        match first {
            c if c.is_whitespace() => {}
            '*' | '·' | '⋅' | '/' if !wants_factor => {
                sign = if first == '/' { -1 } else { 1 };
                wants_factor = true;
            }
            '(' if group.is_none() => {
                group = Some(sign);
                sign = 1;
                wants_factor = true;
            }
            ')' if group.is_some() && !wants_factor => group = None,
            c if c.is_alphabetic() || c == '°' => {
                let (power, length) = factor(rest, |found, power| {
                    scale.times(found, sign * group.unwrap_or(1) * power);
                })
                .map_err(|error| error.unwrap_or_else(malformed))?;
                debug_assert!(power.abs() <= MAX_POWER, "power {power}");
                step = length;
                sign = 1;
                wants_factor = false;
            }
            _ => return Err(malformed()),
        }
        rest = &rest[step..];
    }
    if wants_factor || group.is_some() || scale.exponent10.abs() > 300 {
        return Err(malformed());
    }
    Ok(scale)
}

/// Reads the factor at the start of `rest`, hands unit and power to `apply`; its power and its length in bytes.
fn factor(
    rest: &str,
    apply: impl FnOnce((&'static table::Unit, i32), i32),
) -> Result<(i32, usize), Option<QuantityError>> {
    let run = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '°') || superscript(c).is_some())
        .unwrap_or(rest.len());
    let word = &rest[..run];
    // `m3`: digits at the end are a power, unless they are part of the name (`cmH2O` ends in a letter).
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let found = table::find(name).ok_or_else(|| {
        let spellings = table::spellings();
        // `mPas` is a viscosity without its blank rather than a pressure with a wrong letter.
        let pressure = name.strip_suffix('s').filter(|p| p.ends_with("Pa"));
        let apart = pressure.filter(|p| table::find(p).is_some());
        let apart = apart.map(|p| format!("{p} s"));
        let nearest = || nearest(name, spellings.iter().map(String::as_str)).map(str::to_owned);
        Some(QuantityError::UnknownUnit {
            unit: name.to_owned(),
            nearest: apart.or_else(nearest),
        })
    })?;
    let (text, length) = if name.len() < word.len() {
        (word[name.len()..].to_owned(), run)
    } else if let Some(power) = rest[run..].strip_prefix('^') {
        let sign = usize::from(power.starts_with(['-', '+']));
        let digits = power[sign..].bytes().take_while(u8::is_ascii_digit).count();
        (power[..sign + digits].to_owned(), run + 1 + sign + digits)
    } else {
        let signs: String = rest[run..].chars().map_while(superscript).collect();
        let bytes: usize = rest[run..]
            .chars()
            .take_while(|&c| superscript(c).is_some())
            .map(char::len_utf8)
            .sum();
        (signs, run + bytes)
    };
    let power = if length == run && name.len() == word.len() {
        1
    } else {
        text.parse::<i32>()
            .ok()
            .filter(|power| (1..=MAX_POWER).contains(&power.abs()))
            .ok_or(None)?
    };
    apply(found, power);
    Ok((power, length))
}

/// The plain digit or sign of a superscript.
fn superscript(c: char) -> Option<char> {
    Some(match c {
        '⁻' => '-',
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
