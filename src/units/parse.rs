//! "0.89 mPa s" to 8.9e-4 and [`Dimension::Viscosity`].
//!
//! ```text
//! quantity = number [space] unit
//! unit     = factor { ("*" | "·" | space | "/") factor }      "/" divides by the one factor after it
//! factor   = name [ ["^"] integer | superscript ] | "(" unit ")"
//! ```

use thiserror::Error;

use super::Dimension;
use super::table::{self, Scale};
use crate::diagnostic::nearest;

/// Longest text that is read as a quantity, bytes.
const MAX_LENGTH: usize = 200;
/// Largest exponent of one unit.
const MAX_POWER: i32 = 9;

/// Why a text is no quantity.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum QuantityError {
    /// Nothing there.
    #[error("the quantity is empty")]
    Empty,
    /// Over 200 bytes.
    #[error("a text of {bytes} bytes is too long for a quantity")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It starts with something else.
    #[error("`{text}` doesn't start with a number")]
    NoNumber {
        /// What was read.
        text: String,
    },
    /// `1,5 mm`
    #[error("`{text}` has a comma in its number")]
    Comma {
        /// What was read.
        text: String,
    },
    /// NaN, an infinity, or a number beyond what can be held.
    #[error("`{text}` is not a finite number that can be held")]
    NotFinite {
        /// What was read.
        text: String,
    },
    /// A bare number.
    #[error("`{number}` has no unit")]
    MissingUnit {
        /// The number as written.
        number: String,
    },
    /// No such unit.
    #[error("unknown unit `{unit}`")]
    UnknownUnit {
        /// As written.
        unit: String,
        /// A unit that is written almost so.
        nearest: Option<String>,
    },
    /// The unit can't be read: a stray sign, an exponent without a number.
    #[error("the unit `{unit}` can't be read")]
    MalformedUnit {
        /// As written.
        unit: String,
    },
    /// A unit of nothing that designs speak of, such as kg.
    #[error("the unit `{unit}` measures nothing that a design speaks of")]
    NoDimension {
        /// As written.
        unit: String,
    },
    /// A quantity of another kind than the caller wants.
    #[error("`{text}` is {got}, wanted {wanted}")]
    WrongDimension {
        /// As written.
        text: String,
        /// What it measures.
        got: Dimension,
        /// What it should measure.
        wanted: Dimension,
    },
}

impl QuantityError {
    /// What to do about it, for a place that wants `wanted`.
    pub fn help(&self, wanted: Option<Dimension>) -> String {
        let example = wanted.map_or("100 um", Dimension::example);
        match self {
            Self::UnknownUnit { nearest: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::Comma { .. } => format!(
                "write decimals with a point, such as \"{}\"",
                if wanted.is_some() { example } else { "1.5 mm" }
            ),
            Self::MissingUnit { number } => {
                let unit = example.split_once(' ').map_or("um", |(_, unit)| unit);
                format!("write the number with its unit, such as \"{number} {unit}\"")
            }
            _ => format!("write a number and a unit, such as \"{example}\""),
        }
    }
}

/// Reads a quantity: its SI value and what it measures.
///
/// # Errors
/// [`QuantityError`]; a number without a unit is one.
///
/// # Example
/// ```
/// use stokeslet::units::{Dimension, parse_quantity};
/// assert_eq!(parse_quantity("100 um"), Ok((1e-4, Dimension::Length)));
/// assert!(parse_quantity("100").is_err());
/// ```
pub fn parse_quantity(text: &str) -> Result<(f64, Dimension), QuantityError> {
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
    let dimension = scale
        .dimension()
        .ok_or_else(|| QuantityError::NoDimension { unit: unit.to_owned() })?;
    Ok((value, dimension))
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
    let digits_from = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
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
    let value: f64 = format!("{mantissa}e{}", exponent + scale.exponent10).parse().ok()?;
    let digits = number.split(['e', 'E']).next().unwrap_or(number);
    let is_zero = digits.bytes().all(|b| !b.is_ascii_digit() || b == b'0');
    (value.is_finite() && (value != 0.0 || is_zero)).then_some(value)
}

fn parse_unit(unit: &str) -> Result<Scale, QuantityError> {
    let malformed = || QuantityError::MalformedUnit { unit: unit.to_owned() };
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
fn factor(rest: &str, apply: impl FnOnce((&'static table::Unit, i32), i32)) -> Result<(i32, usize), Option<QuantityError>> {
    let run = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '°') || superscript(c).is_some())
        .unwrap_or(rest.len());
    let word = &rest[..run];
    // `m3`: digits at the end are a power, unless they are part of the name (`cmH2O` ends in a letter).
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let found = table::find(name).ok_or_else(|| {
        let spellings = table::spellings();
        Some(QuantityError::UnknownUnit {
            unit: name.to_owned(),
            nearest: nearest(name, spellings.iter().map(String::as_str)).map(str::to_owned),
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
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn quantities_of_every_kind_are_read_to_the_last_bit() {
        use Dimension::*;
        for (text, value, dimension) in [
            ("100 um", 1e-4, Length),
            ("100 µm", 1e-4, Length),
            ("100 μm", 1e-4, Length),
            ("0.1mm", 1e-4, Length),
            ("-1.5e-3 m", -1.5e-3, Length),
            ("1e-4m", 1e-4, Length),
            ("1 inch", 0.0254, Length),
            (".5 mil", 1.27e-5, Length),
            ("0.89 mPa s", 8.9e-4, Viscosity),
            ("0.89 mPa*s", 8.9e-4, Viscosity),
            ("0.89 mPa·s", 8.9e-4, Viscosity),
            ("0.89e-3 N s/m^2", 8.9e-4, Viscosity),
            ("8.9e-4 kg/(m s)", 8.9e-4, Viscosity),
            ("8.9e-4 kg m⁻¹ s^-1", 8.9e-4, Viscosity),
            ("1 cP", 1e-3, Viscosity),
            ("60 uL/min", 1e-9, FlowRate),
            ("3.6 mL/h", 1e-9, FlowRate),
            ("3 nl/s", 3e-12, FlowRate),
            ("2 m3/s", 2.0, FlowRate),
            ("2 m³/s", 2.0, FlowRate),
            ("1e-3 m^2/s", 1e-3, FlowRatePerDepth),
            ("60 uL/min/mm", 1e-6, FlowRatePerDepth),
            ("20 mbar", 2000.0, Pressure),
            ("1 bar", 1e5, Pressure),
            ("1 kPa", 1000.0, Pressure),
            ("1 psi", 6894.757293168361, Pressure),
            ("2 cmH2O", 196.133, Pressure),
            ("10 dyn/cm^2", 1.0, Pressure),
            ("90 deg", PI / 2.0, Angle),
            ("90°", PI / 2.0, Angle),
            ("0.25 rad", 0.25, Angle),
            ("0 um", 0.0, Length),
        ] {
            assert_eq!(parse_quantity(text), Ok((value, dimension)), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let unknown = |unit: &str, near: Option<&str>| QuantityError::UnknownUnit {
            unit: unit.to_owned(),
            nearest: near.map(str::to_owned),
        };
        for (text, error) in [
            ("", QuantityError::Empty),
            ("um", QuantityError::NoNumber { text: "um".to_owned() }),
            (
                "1,5 mm",
                QuantityError::Comma {
                    text: "1,5 mm".to_owned(),
                },
            ),
            (
                "NaN um",
                QuantityError::NotFinite {
                    text: "NaN um".to_owned(),
                },
            ),
            (
                "-inf m",
                QuantityError::NotFinite {
                    text: "-inf m".to_owned(),
                },
            ),
            (
                "1e400 m",
                QuantityError::NotFinite {
                    text: "1e400 m".to_owned(),
                },
            ),
            (
                "1e-400 m",
                QuantityError::NotFinite {
                    text: "1e-400 m".to_owned(),
                },
            ),
            (
                "1e99999999999 m",
                QuantityError::NotFinite {
                    text: "1e99999999999 m".to_owned(),
                },
            ),
            ("5", QuantityError::MissingUnit { number: "5".to_owned() }),
            ("5 umm", unknown("umm", Some("um"))),
            ("5 PSI", unknown("PSI", Some("psi"))),
            ("5 parsecs", unknown("parsecs", None)),
            ("5 um/", QuantityError::MalformedUnit { unit: "um/".to_owned() }),
            ("5 m^", QuantityError::MalformedUnit { unit: "m^".to_owned() }),
            ("5 m^99", QuantityError::MalformedUnit { unit: "m^99".to_owned() }),
            (
                "1 000 um",
                QuantityError::MalformedUnit {
                    unit: "000 um".to_owned(),
                },
            ),
            ("5 kg", QuantityError::NoDimension { unit: "kg".to_owned() }),
        ] {
            assert_eq!(parse_quantity(text), Err(error), "{text}");
        }
        assert!(matches!(
            parse_quantity_as("5 mbar", Dimension::Length),
            Err(QuantityError::WrongDimension {
                got: Dimension::Pressure,
                ..
            })
        ));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC*", unit in "[0-9.e+-]{1,6} ?[a-zµ°²⁻0-9/^*() -]{0,12}") {
            let _ = parse_quantity(&text);
            let _ = parse_quantity(&unit);
        }
    }
}
