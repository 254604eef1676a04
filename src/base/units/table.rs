//! The units that design files may use, and what a text such as "mPa s" or "uL/min" amounts to.

use super::Dimension;

/// Exponents of kg, m, s, rad and mol in a unit: a pressure is `[1, -1, -2, 0, 0]`.
pub type Powers = [i32; 5];

/// One unit: SI value = `coefficient` * 10^`exponent10` / `divisor`.
pub(super) struct Unit {
    name: &'static str,
    coefficient: f64,
    divisor: f64,
    exponent10: i32,
    powers: Powers,
    takes_prefix: bool,
}

const fn unit(
    name: &'static str,
    coefficient: f64,
    exponent10: i32,
    powers: Powers,
    takes_prefix: bool,
) -> Unit {
    Unit {
        name,
        coefficient,
        divisor: 1.0,
        exponent10,
        powers,
        takes_prefix,
    }
}

const LENGTH: Powers = [0, 1, 0, 0, 0];
const TIME: Powers = [0, 0, 1, 0, 0];
const ANGLE: Powers = [0, 0, 0, 1, 0];
const FORCE: Powers = [1, 1, -2, 0, 0];
const PRESSURE: Powers = [1, -1, -2, 0, 0];
const VISCOSITY: Powers = [1, -1, -1, 0, 0];
const VOLUME: Powers = [0, 3, 0, 0, 0];
const CONCENTRATION: Powers = [0, -3, 0, 0, 1];
const PI: f64 = std::f64::consts::PI;

/// Rows without a prefix come under their full name; decimal factors live in the exponent so that reading rounds once.
const UNITS: &[Unit] = &[
    unit("m", 1.0, 0, LENGTH, true),
    unit("micron", 1.0, -6, LENGTH, false),
    unit("in", 254.0, -4, LENGTH, false),
    unit("inch", 254.0, -4, LENGTH, false),
    unit("mil", 254.0, -7, LENGTH, false),
    unit("s", 1.0, 0, TIME, true),
    unit("min", 60.0, 0, TIME, false),
    unit("h", 3600.0, 0, TIME, false),
    unit("hr", 3600.0, 0, TIME, false),
    unit("g", 1.0, -3, [1, 0, 0, 0, 0], true),
    unit("rad", 1.0, 0, ANGLE, true),
    Unit {
        divisor: 180.0,
        ..unit("deg", PI, 0, ANGLE, false)
    },
    Unit {
        divisor: 180.0,
        ..unit("°", PI, 0, ANGLE, false)
    },
    unit("turn", 2.0 * PI, 0, ANGLE, false),
    unit("N", 1.0, 0, FORCE, true),
    unit("dyn", 1.0, -5, FORCE, false),
    unit("Pa", 1.0, 0, PRESSURE, true),
    unit("bar", 1.0, 5, PRESSURE, true),
    unit("psi", 6894.757293168361, 0, PRESSURE, false),
    unit("atm", 101325.0, 0, PRESSURE, false),
    Unit {
        divisor: 760.0,
        ..unit("Torr", 101325.0, 0, PRESSURE, false)
    },
    unit("mmHg", 133.322387415, 0, PRESSURE, false),
    unit("cmH2O", 98.0665, 0, PRESSURE, false),
    unit("mmH2O", 9.80665, 0, PRESSURE, false),
    unit("P", 1.0, -1, VISCOSITY, true),
    unit("L", 1.0, -3, VOLUME, true),
    unit("l", 1.0, -3, VOLUME, true),
    unit("mol", 1.0, 0, [0, 0, 0, 0, 1], true),
    unit("M", 1.0, 3, CONCENTRATION, true),
];

/// Both signs for micro are read; so is the plain `u`.
const PREFIXES: &[(&str, i32)] = &[
    ("p", -12),
    ("n", -9),
    ("u", -6),
    ("µ", -6),
    ("μ", -6),
    ("m", -3),
    ("c", -2),
    ("d", -1),
    ("h", 2),
    ("k", 3),
    ("M", 6),
    ("G", 9),
];

/// What a product of units amounts to: SI value = number * 10^`exponent10` / `divisor` * `factor`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub factor: f64,
    pub divisor: f64,
    pub exponent10: i32,
    pub powers: Powers,
}

impl Scale {
    pub(super) const ONE: Self = Self {
        factor: 1.0,
        divisor: 1.0,
        exponent10: 0,
        powers: [0; 5],
    };

    /// Multiplies by `unit` with `prefix_exponent`, to the power `power`.
    pub(super) fn times(&mut self, (unit, prefix_exponent): (&Unit, i32), power: i32) {
        let magnitude = power.abs();
        let (up, down) = (
            unit.coefficient.powi(magnitude),
            unit.divisor.powi(magnitude),
        );
        let (up, down) = if power >= 0 { (up, down) } else { (down, up) };
        self.factor *= up;
        self.divisor *= down;
        self.exponent10 += power * (unit.exponent10 + prefix_exponent);
        for (mine, theirs) in self.powers.iter_mut().zip(unit.powers) {
            *mine += power * theirs;
        }
    }
}

/// Powers of the units of each dimension.
pub(super) fn powers(dimension: Dimension) -> Powers {
    match dimension {
        Dimension::Length => LENGTH,
        Dimension::Angle => ANGLE,
        Dimension::Pressure => PRESSURE,
        Dimension::Viscosity => VISCOSITY,
        Dimension::FlowRate => [0, 3, -1, 0, 0],
        Dimension::FlowRatePerDepth => [0, 2, -1, 0, 0],
        Dimension::Concentration => CONCENTRATION,
        Dimension::Density => [1, -3, 0, 0, 0],
    }
}

/// What units of these powers measure, if a design has a use for it.
pub(super) fn dimension(wanted: Powers) -> Option<Dimension> {
    let mut all = Dimension::ALL.into_iter();
    all.find(|dimension| powers(*dimension) == wanted)
}

/// The unit that `name` names, and the exponent of ten of its prefix. Whole names win over prefixes: "min" is a minute.
pub(super) fn find(name: &str) -> Option<(&'static Unit, i32)> {
    if let Some(unit) = UNITS.iter().find(|unit| unit.name == name) {
        return Some((unit, 0));
    }
    UNITS
        .iter()
        .filter(|unit| unit.takes_prefix)
        .find_map(|unit| {
            let prefix = name.strip_suffix(unit.name)?;
            let (_, exponent) = PREFIXES.iter().find(|(p, _)| *p == prefix)?;
            Some((unit, *exponent))
        })
}

/// Every name that [`find`] knows, the commonest first: suggestions for a misspelt one.
pub(super) fn spellings() -> Vec<String> {
    const COMMON: [&str; 12] = [
        "um", "mm", "deg", "mbar", "Pa", "mPa", "uL", "mL", "min", "kPa", "cP", "psi",
    ];
    let plain = UNITS.iter().map(|unit| unit.name.to_owned());
    let prefixed = UNITS
        .iter()
        .filter(|unit| unit.takes_prefix)
        .flat_map(|unit| {
            PREFIXES
                .iter()
                .map(move |(prefix, _)| format!("{prefix}{}", unit.name))
        });
    COMMON
        .iter()
        .map(|name| (*name).to_owned())
        .chain(plain)
        .chain(prefixed)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dimension_has_the_powers_of_its_unit_and_is_known_by_them() {
        for own in Dimension::ALL {
            let one = format!("1 {}", own.si_unit());
            let (_, read) = crate::units::parse_any_quantity(&one).unwrap();
            assert_eq!(powers(own), read, "{one}");
            assert_eq!(dimension(read), Some(own));
        }
    }

    #[test]
    fn no_prefixed_unit_hides_another() {
        for unit in UNITS.iter().filter(|unit| unit.takes_prefix) {
            for (prefix, exponent) in PREFIXES {
                let name = format!("{prefix}{}", unit.name);
                let (found, found_exponent) = find(&name).unwrap();
                assert_eq!(
                    (found.name, found_exponent),
                    (unit.name, *exponent),
                    "{name}"
                );
            }
        }
    }
}
