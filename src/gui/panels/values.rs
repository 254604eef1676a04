//! Parameters' values as people type them: text into values and back, with what to say about a text that is none.

use stokeslet_base::units::{Dimension, parse_quantity_as, print_quantity, to_digits};
use stokeslet_cad::design::Value;
use stokeslet_cad::library::ParameterKind;

/// A value as text, as it would be typed.
pub fn show(value: &Value) -> String {
    match value {
        Value::Quantity(x, dimension) => show_quantity(*x, *dimension),
        Value::Number(x) => x.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(items) => {
            let shown: Vec<String> = items
                .iter()
                .map(|item| match item {
                    Value::List(_) => format!("({})", show(item)),
                    _ => show(item),
                })
                .collect();
            shown.join(", ")
        }
    }
}

/// A quantity as people write it; nothing has a unit too.
pub fn show_quantity(x: f64, dimension: Dimension) -> String {
    if x == 0.0 {
        let unit = dimension
            .example()
            .split_once(' ')
            .map_or("", |(_, unit)| unit);
        return format!("0 {}", unit.replace("um", "µm").replace("uL", "µL"));
    }
    // What is round as it is, such as 1 µL/min, isn't to digits of m^3/s.
    let (whole, short) = (
        print_quantity(x, dimension),
        print_quantity(rounded(x), dimension),
    );
    if short.len() < whole.len() {
        short
    } else {
        whole
    }
}

/// To the digits that people mean: turns and sums leave 9.99999999999 where 10 was drawn.
pub(crate) fn rounded(x: f64) -> f64 {
    to_digits(x, 10)
}

/// Reads a value of a kind.
///
/// # Errors
/// What is wrong and what to do about it, for people.
pub fn read(text: &str, kind: &ParameterKind) -> Result<Value, String> {
    let dimension = kind.dimension();
    match kind {
        ParameterKind::Length | ParameterKind::Angle => quantity(text, dimension),
        ParameterKind::Number => number(text),
        ParameterKind::Count => count(text),
        ParameterKind::Bool => match text.trim() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err("write true or false".to_owned()),
        },
        ParameterKind::Choice(choices) => {
            match choices.iter().find(|choice| *choice == text.trim()) {
                Some(choice) => Ok(Value::Text(choice.clone())),
                None => Err(format!("choices: {}", choices.join(", "))),
            }
        }
        ParameterKind::Lengths | ParameterKind::Angles => {
            list(text, |item| quantity(item, dimension))
        }
        ParameterKind::Counts => list(text, count),
        ParameterKind::Points => points(text),
    }
}

/// Reads a quantity of a dimension into SI.
///
/// # Errors
/// What is wrong and what to do about it, for people.
pub fn read_quantity(text: &str, dimension: Dimension) -> Result<f64, String> {
    parse_quantity_as(text, dimension)
        .map_err(|error| format!("{error}: {}", error.help(Some(dimension))))
}

fn quantity(text: &str, dimension: Option<Dimension>) -> Result<Value, String> {
    match dimension {
        Some(dimension) => read_quantity(text, dimension).map(|x| Value::Quantity(x, dimension)),
        None => number(text),
    }
}

fn number(text: &str) -> Result<Value, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(Value::Number(x)),
        _ => Err("write a number without a unit, such as 0.5".to_owned()),
    }
}

fn count(text: &str) -> Result<Value, String> {
    match text.trim().parse::<i64>() {
        // Larger ones would not come back as whole numbers.
        Ok(n) if n.unsigned_abs() <= 1 << 53 => Ok(Value::Number(n as f64)),
        _ => Err("write a whole number, such as 4".to_owned()),
    }
}

/// Items between commas, with or without brackets around all.
fn list(text: &str, item: impl Fn(&str) -> Result<Value, String>) -> Result<Value, String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'))
        .unwrap_or(text)
        .trim();
    if inner.is_empty() {
        return Ok(Value::List(Vec::new()));
    }
    inner
        .split(',')
        .map(item)
        .collect::<Result<_, _>>()
        .map(Value::List)
}

/// `(1 mm, 0 um), (2 mm, 0 um)`; square brackets do as well.
fn points(text: &str) -> Result<Value, String> {
    let wrong = || "write points as pairs, such as (1 mm, 0 mm), (2 mm, 0 mm)".to_owned();
    let mut rest = text.trim();
    // One pair of brackets around all of them, as files have it.
    if (rest.starts_with("[[") || rest.starts_with("[(")) && rest.ends_with(']') {
        rest = rest[1..rest.len() - 1].trim();
    }
    let mut found = Vec::new();
    while !rest.is_empty() {
        let close = match rest.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            _ => return Err(wrong()),
        };
        let (pair, after) = rest[1..].split_once(close).ok_or_else(wrong)?;
        let (x, y) = pair.split_once(',').ok_or_else(wrong)?;
        let coordinate = |text: &str| quantity(text, Some(Dimension::Length));
        found.push(Value::List(vec![coordinate(x)?, coordinate(y)?]));
        rest = after.trim_start();
        if let Some(next) = rest.strip_prefix(',') {
            rest = next.trim_start();
            if rest.is_empty() {
                return Err(wrong());
            }
        } else if !rest.is_empty() {
            return Err(wrong());
        }
    }
    Ok(Value::List(found))
}

/// What a number that is dragged measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Something with a unit.
    Quantity(Dimension),
    /// A number.
    Number,
    /// A whole number.
    Count,
}

/// A number with its unit, changed by dragging: `points` of the screen from where the drag began, when its text was `start`.
/// Steps are round numbers in the unit that is shown: of 500 µm, 10 µm.
pub fn dragged(start: &str, points: f32, measure: Measure) -> Option<f64> {
    let start = start.trim();
    let steps = (f64::from(points) / 3.0).round();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let end = start.find(|c: char| !is_number(c)).unwrap_or(start.len());
    let (number, unit) = start.split_at(end);
    let number: f64 = number.parse().ok()?;
    if number == 0.0 {
        return Some(steps * from_nothing(measure));
    }
    let decade = 10f64.powf(number.abs().log10().floor() - 1.0);
    let decade = if measure == Measure::Count {
        decade.max(1.0)
    } else {
        decade
    };
    let moved = ((number / decade).round() + steps) * decade;
    let decimals = (-decade.log10().round()).clamp(0.0, 12.0) as usize;
    let text = format!("{moved:.decimals$}{unit}");
    match measure {
        Measure::Quantity(dimension) => parse_quantity_as(&text, dimension).ok(),
        Measure::Number | Measure::Count => text.trim().parse().ok(),
    }
}

/// A step from zero, SI: what such things are on a chip.
fn from_nothing(measure: Measure) -> f64 {
    match measure {
        Measure::Quantity(Dimension::Length) => 1e-5,
        Measure::Quantity(Dimension::Angle) => std::f64::consts::PI / 180.0,
        Measure::Quantity(Dimension::Pressure) => 100.0,
        Measure::Quantity(Dimension::Viscosity) => 1e-4,
        Measure::Quantity(Dimension::FlowRate) => 1e-10 / 60.0,
        Measure::Quantity(Dimension::FlowRatePerDepth) => 1e-7,
        Measure::Quantity(Dimension::Concentration) => 0.1,
        Measure::Quantity(Dimension::Density) => 10.0,
        Measure::Number => 0.1,
        Measure::Count => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back() {
        let length = |x: f64| Value::Quantity(x, Dimension::Length);
        let angle = |x: f64| Value::Quantity(x, Dimension::Angle);
        let point = |x: f64, y: f64| Value::List(vec![length(x), length(y)]);
        let choice = ParameterKind::Choice(vec!["a".into(), "b".into()]);
        for (value, kind) in [
            (length(1e-4), ParameterKind::Length),
            (angle(1.0), ParameterKind::Angle),
            (Value::Number(4.0), ParameterKind::Count),
            (Value::Number(0.5), ParameterKind::Number),
            (Value::Bool(true), ParameterKind::Bool),
            (Value::Text("b".into()), choice),
            (
                Value::List(vec![length(1e-4), length(5e-5)]),
                ParameterKind::Lengths,
            ),
            (Value::List(vec![]), ParameterKind::Lengths),
            (
                Value::List(vec![angle(0.0), angle(2.0)]),
                ParameterKind::Angles,
            ),
            (
                Value::List(vec![Value::Number(1.0), Value::Number(3.0)]),
                ParameterKind::Counts,
            ),
            (
                Value::List(vec![point(0.0, 0.0), point(1e-3, -2e-3)]),
                ParameterKind::Points,
            ),
        ] {
            assert_eq!(
                read(&show(&value), &kind),
                Ok(value.clone()),
                "{value:?} as {}",
                show(&value)
            );
        }
        let as_in_files = "[[0 um, 1 um], [2 um, 3 um]]";
        assert_eq!(
            read(as_in_files, &ParameterKind::Points),
            Ok(Value::List(vec![point(0.0, 1e-6), point(2e-6, 3e-6)]))
        );
    }

    #[test]
    fn what_can_not_be_read_says_what_to_write() {
        assert_eq!(show_quantity(1e-9 / 60.0, Dimension::FlowRate), "1 µL/min");
        assert_eq!(show_quantity(9.99999999999e-6, Dimension::Length), "10 µm");
        for (text, kind, want) in [
            ("100", ParameterKind::Length, "has no unit"),
            ("100 mbar", ParameterKind::Length, "wanted a length"),
            ("100 umm", ParameterKind::Length, "did you mean"),
            ("4.5", ParameterKind::Count, "whole number"),
            ("nan", ParameterKind::Number, "number"),
            ("1 um, ", ParameterKind::Lengths, "empty"),
            ("(1 um, 2 um", ParameterKind::Points, "pairs"),
            ("1 um, 2 um", ParameterKind::Points, "pairs"),
        ] {
            let said = read(text, &kind).unwrap_err();
            assert!(said.contains(want), "{text}: {said}");
        }
    }

    #[test]
    fn dragging_goes_in_round_steps() {
        let length = Measure::Quantity(Dimension::Length);
        let degrees = |text: &str| parse_quantity_as(text, Dimension::Angle).ok();
        assert_eq!(dragged("500 µm", 9.0, length), Some(5.3e-4));
        assert_eq!(dragged("512 µm", 3.0, length), Some(5.2e-4));
        assert_eq!(dragged("1.5 mm", -3.0, length), Some(1.4e-3));
        assert_eq!(dragged("0 µm", 6.0, length), Some(2e-5));
        assert_eq!(
            dragged("90 deg", 3.0, Measure::Quantity(Dimension::Angle)),
            degrees("91 deg")
        );
        assert_eq!(dragged("4", 3.0, Measure::Number), Some(4.1));
        assert_eq!(dragged("4", 3.0, Measure::Count), Some(5.0));
        assert_eq!(dragged("not yet", 3.0, Measure::Number), None);
    }
}
