//! 1e-4 m to "100 µm": a unit that people read, and the same bits when read again.

use super::{Dimension, parse_quantity_as};

/// Units of one family, smallest first: SI value = mantissa * 10^exponent * `factor` / `divisor`.
struct Family {
    divisor: f64,
    factor: f64,
    units: &'static [(&'static str, i32)],
}

const fn decimal(units: &'static [(&'static str, i32)]) -> Family {
    Family {
        divisor: 1.0,
        factor: 1.0,
        units,
    }
}

/// Families by preference; the last is decimal, so it always reads back exactly.
fn families(dimension: Dimension) -> &'static [Family] {
    const LENGTH: &[Family] = &[decimal(&[("nm", -9), ("µm", -6), ("mm", -3), ("m", 0)])];
    const ANGLE: &[Family] = &[
        Family {
            divisor: 180.0,
            factor: std::f64::consts::PI,
            units: &[("deg", 0)],
        },
        decimal(&[("rad", 0)]),
    ];
    const PRESSURE: &[Family] = &[decimal(&[("Pa", 0), ("mbar", 2), ("bar", 5)])];
    const VISCOSITY: &[Family] = &[decimal(&[("mPa s", -3), ("Pa s", 0)])];
    const FLOW_RATE: &[Family] = &[
        Family {
            divisor: 60.0,
            factor: 1.0,
            units: &[
                ("nL/min", -12),
                ("µL/min", -9),
                ("mL/min", -6),
                ("L/min", -3),
            ],
        },
        Family {
            divisor: 3600.0,
            factor: 1.0,
            units: &[("µL/h", -9), ("mL/h", -6), ("L/h", -3)],
        },
        decimal(&[("nL/s", -12), ("µL/s", -9), ("mL/s", -6), ("m^3/s", 0)]),
    ];
    const PER_DEPTH: &[Family] = &[decimal(&[("mm^2/s", -6), ("m^2/s", 0)])];
    const CONCENTRATION: &[Family] = &[decimal(&[("nM", -6), ("µM", -3), ("mM", 0), ("M", 3)])];
    const DENSITY: &[Family] = &[decimal(&[("kg/m^3", 0)])];
    match dimension {
        Dimension::Length => LENGTH,
        Dimension::Angle => ANGLE,
        Dimension::Pressure => PRESSURE,
        Dimension::Viscosity => VISCOSITY,
        Dimension::FlowRate => FLOW_RATE,
        Dimension::FlowRatePerDepth => PER_DEPTH,
        Dimension::Concentration => CONCENTRATION,
        Dimension::Density => DENSITY,
    }
}

/// A number to so many significant digits, so that what was computed reads as something that a person could have written.
pub fn to_digits(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(value)
}

/// Writes an SI value in a unit that suits its size; [`super::parse_quantity`] gives the same bits back.
///
/// # Example
/// ```
/// use stokeslet_base::units::{Dimension, print_quantity};
/// assert_eq!(print_quantity(1e-4, Dimension::Length), "100 µm");
/// assert_eq!(print_quantity(5e-9 / 60.0, Dimension::FlowRate), "5 µL/min");
/// ```
pub fn print_quantity(value: f64, dimension: Dimension) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value} {}", dimension.si_unit());
    }
    families(dimension)
        .iter()
        .find_map(|family| {
            let text = in_family(value, family)?;
            (parse_quantity_as(&text, dimension) == Ok(value)).then_some(text)
        })
        .unwrap_or_else(|| format!("{value:e} {}", dimension.si_unit()))
}

/// A length for people, to a picometre: `62.5 µm`.
pub fn print_length(metres: f64) -> String {
    print_quantity((metres * 1e12).round() / 1e12, Dimension::Length)
}

fn in_family(value: f64, family: &Family) -> Option<String> {
    let is_decimal = family.divisor == 1.0 && family.factor == 1.0;
    // Twelve digits in a family with a factor: what needs more is no round number there, and a decimal family serves better.
    let text = if is_decimal {
        format!("{value:e}")
    } else {
        format!("{:.11e}", value / family.factor * family.divisor)
    };
    let (mantissa, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (sign, mantissa) = mantissa
        .strip_prefix('-')
        .map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
    let digits = digits.trim_end_matches('0');
    let (name, unit_exponent) = family
        .units
        .iter()
        .rev()
        .find(|(_, e)| exponent >= *e)
        .or(family.units.first())?;
    Some(format!(
        "{sign}{} {name}",
        plain(digits, exponent - unit_exponent)
    ))
}

/// The digits `d ddd` as a decimal number `d.ddd * 10^exponent`, without an exponent where that stays short.
fn plain(digits: &str, exponent: i32) -> String {
    let n = digits.len();
    match exponent {
        0..=14 => {
            let whole = exponent as usize + 1;
            if n <= whole {
                format!("{digits}{}", "0".repeat(whole - n))
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        }
        -4..0 => format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        _ if n == 1 => format!("{digits}e{exponent}"),
        _ => format!("{}.{}e{exponent}", &digits[..1], &digits[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_quantity;
    use super::*;

    #[test]
    fn round_numbers_are_printed_in_units_that_people_use() {
        for text in [
            "100 µm",
            "1.25 mm",
            "2 m",
            "45 deg",
            "-30 deg",
            "20 mbar",
            "50 Pa",
            "1.5 bar",
            "0.89 mPa s",
            "5 µL/min",
            "12 nL/min",
            "2 mL/h",
            "1 mm^2/s",
            "0.005 m^2/s",
            "0.5 nm",
            "0 m",
        ] {
            let (value, dimension) = parse_quantity(text).unwrap();
            let want = if text == "0.005 m^2/s" {
                "5000 mm^2/s"
            } else {
                text
            };
            assert_eq!(print_quantity(value, dimension), want);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same_bits(value in proptest::num::f64::NORMAL, small in -1e-3..1e-3_f64, kind in 0..Dimension::ALL.len()) {
            let dimension = Dimension::ALL[kind];
            for value in [value, small] {
                let text = print_quantity(value, dimension);
                let (back, got) = parse_quantity(&text).unwrap();
                assert_eq!((back.to_bits(), got), (value.to_bits(), dimension), "{text}");
            }
        }
    }
}
