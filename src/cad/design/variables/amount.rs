//! What expressions reckon with: a number with the powers of its units, so that a length plus a pressure is a mistake.

use rhai::{Dynamic, Engine, EvalAltResult};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, Powers};

/// A quantity of anything: SI value and powers of kg, m, s, rad and mol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    pub value: f64,
    pub powers: Powers,
}

type Outcome = Result<Dynamic, Box<EvalAltResult>>;

impl Amount {
    /// Without a unit.
    pub fn number(value: f64) -> Self {
        Self {
            value,
            powers: [0; 5],
        }
    }

    /// For the script: plain where nothing is left of the units. Beside other units an angle is a number (arc = radius * angle).
    pub fn into_script(mut self) -> Dynamic {
        if self.powers[..3] != [0; 3] || self.powers[4] != 0 {
            self.powers[3] = 0;
        }
        match self.powers {
            [0, 0, 0, 0, 0] => Dynamic::from_float(self.value),
            _ => Dynamic::from(self),
        }
    }

    /// What it measures, in words with an article.
    pub fn kind(&self) -> String {
        kind(self.powers)
    }
}

/// `a length`, `a number`, `m^2`.
pub(super) fn kind(powers: Powers) -> String {
    if powers == [0; 5] {
        return "a number".to_owned();
    }
    if let Some(dimension) = Dimension::of_powers(powers) {
        return dimension.to_string();
    }
    let units = ["kg", "m", "s", "rad", "mol"].iter().zip(powers);
    let factors: Vec<String> = units
        .filter(|(_, power)| *power != 0)
        .map(|(unit, power)| match power {
            1 => (*unit).to_owned(),
            power => format!("{unit}^{power}"),
        })
        .collect();
    format!("something in {}", factors.join(" "))
}

fn fail(message: String) -> Box<EvalAltResult> {
    message.into()
}

fn sum(a: Amount, b: Amount, sign: f64, what: &str) -> Outcome {
    alike(a, b, what)?;
    Ok(Amount {
        value: a.value + sign * b.value,
        powers: a.powers,
    }
    .into_script())
}

/// The text that marks an error of dimensions among all errors of scripts.
pub(super) const DIMENSIONS: &str = "units disagree: ";

fn alike(a: Amount, b: Amount, what: &str) -> Result<(), Box<EvalAltResult>> {
    if a.powers == b.powers {
        return Ok(());
    }
    Err(fail(format!(
        "{DIMENSIONS}{what} {} and {}",
        a.kind(),
        b.kind()
    )))
}

fn product(a: Amount, b: Amount, sign: i32) -> Outcome {
    let value = if sign > 0 {
        a.value * b.value
    } else {
        a.value / b.value
    };
    let mut powers = a.powers;
    for (mine, theirs) in powers.iter_mut().zip(b.powers) {
        *mine = mine
            .checked_add(sign * theirs)
            .filter(|p| p.abs() <= 1000)
            .ok_or_else(|| fail("a unit to too great a power".to_owned()))?;
    }
    Ok(Amount { value, powers }.into_script())
}

fn power(a: Amount, exponent: f64) -> Outcome {
    let mut powers = [0; 5];
    for (new, old) in powers.iter_mut().zip(a.powers) {
        let power = f64::from(old) * exponent;
        if power.fract() != 0.0 || power.abs() > 1000.0 {
            return Err(fail(format!(
                "{DIMENSIONS}{} to the power {exponent} has no unit",
                a.kind()
            )));
        }
        *new = power as i32;
    }
    let value = if exponent == 0.5 {
        a.value.sqrt()
    } else {
        a.value.powf(exponent)
    };
    Ok(Amount { value, powers }.into_script())
}

fn angle(a: Amount) -> Result<f64, Box<EvalAltResult>> {
    if a.powers == [0, 0, 0, 1, 0] {
        return Ok(a.value);
    }
    Err(fail(format!(
        "{DIMENSIONS}an angle is wanted, not {}",
        a.kind()
    )))
}

/// Teaches an engine to reckon with amounts, alone and beside plain numbers.
pub(super) fn register(engine: &mut Engine) {
    macro_rules! both {
        ($name:expr, $work:expr) => {
            engine
                .register_fn($name, |a: Amount, b: Amount| ($work)(a, b))
                .register_fn($name, |a: Amount, b: f64| ($work)(a, Amount::number(b)))
                .register_fn($name, |a: f64, b: Amount| ($work)(Amount::number(a), b))
        };
    }
    both!("+", |a, b| sum(a, b, 1.0, "a sum of"));
    both!("-", |a, b| sum(a, b, -1.0, "a difference of"));
    both!("*", |a, b| product(a, b, 1));
    both!("/", |a, b| product(a, b, -1));
    macro_rules! compare {
        ($($op:tt)*) => {$(
            both!(stringify!($op), |a: Amount, b: Amount| {
                alike(a, b, "a comparison of").map(|()| a.value $op b.value)
            });
        )*};
    }
    compare!(< > <= >= == !=);
    both!("min", |a: Amount, b: Amount| alike(a, b, "the lesser of")
        .map(|()| if b.value < a.value { b } else { a }.into_script()));
    both!("max", |a: Amount, b: Amount| alike(a, b, "the greater of")
        .map(|()| if b.value > a.value { b } else { a }.into_script()));
    engine
        .register_fn("min", |a: f64, b: f64| a.min(b))
        .register_fn("max", |a: f64, b: f64| a.max(b))
        .register_fn("-", |a: Amount| Amount {
            value: -a.value,
            ..a
        })
        .register_fn("+", |a: Amount| a)
        .register_fn("abs", |a: Amount| Amount {
            value: a.value.abs(),
            ..a
        })
        .register_fn("abs", f64::abs)
        .register_fn("**", power)
        .register_fn("sqrt", |a: Amount| power(a, 0.5))
        .register_fn("sqrt", f64::sqrt)
        // Exact at quarter turns.
        .register_fn("sin", |a: Amount| angle(a).map(|a| Point::unit(a).y))
        .register_fn("cos", |a: Amount| angle(a).map(|a| Point::unit(a).x))
        .register_fn("tan", |a: Amount| {
            angle(a).map(|a| Point::unit(a).y / Point::unit(a).x)
        })
        .register_fn("sin", |a: f64| Point::unit(a).y)
        .register_fn("cos", |a: f64| Point::unit(a).x)
        .register_fn("tan", |a: f64| Point::unit(a).y / Point::unit(a).x)
        .register_fn("asin", |x: f64| radians(x.asin()))
        .register_fn("acos", |x: f64| radians(x.acos()))
        .register_fn("atan", |x: f64| radians(x.atan()))
        .register_fn("round", f64::round)
        .register_fn("floor", f64::floor)
        .register_fn("ceil", f64::ceil)
        .register_fn("exp", f64::exp)
        .register_fn("ln", f64::ln);
}

fn radians(value: f64) -> Amount {
    Amount {
        value,
        powers: [0, 0, 0, 1, 0],
    }
}

/// The functions of [`register`].
pub(super) const FUNCTIONS: [&str; 15] = [
    "min", "max", "abs", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "round", "floor",
    "ceil", "exp", "ln",
];
