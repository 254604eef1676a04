//! Numbers for people: three figures and a unit that suits the size; round marks of scales.

/// A unit and how many of it one SI unit makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// As printed: `µL/min`.
    pub unit: &'static str,
    /// `value in this unit = value in SI * factor`.
    pub factor: f64,
}

/// What is printed; decides the units to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// m
    Length,
    /// m/s
    Speed,
    /// Pa
    Pressure,
    /// m^3/s, as a laboratory says it: per minute.
    FlowRate,
    /// m^2/s
    FlowRatePerDepth,
    /// W
    Power,
    /// W/m
    PowerPerDepth,
    /// bytes, in powers of 1024.
    Memory,
    /// s
    Time,
    /// mol/m^3, as a laboratory says it: per litre.
    Concentration,
    /// 1/s
    Rate,
    /// Parts of whatever the user thinks of.
    Relative,
}

const fn scale(unit: &'static str, factor: f64) -> Scale {
    Scale { unit, factor }
}

impl Quantity {
    /// What flow rates are of a chip that has a depth, or of one that has none.
    pub const fn of_flow(has_depth: bool) -> Self {
        match has_depth {
            true => Self::FlowRate,
            false => Self::FlowRatePerDepth,
        }
    }

    /// Smallest unit first.
    fn scales(self) -> &'static [Scale] {
        const LENGTH: [Scale; 4] = [
            scale("nm", 1e9),
            scale("µm", 1e6),
            scale("mm", 1e3),
            scale("m", 1.0),
        ];
        const SPEED: [Scale; 4] = [
            scale("nm/s", 1e9),
            scale("µm/s", 1e6),
            scale("mm/s", 1e3),
            scale("m/s", 1.0),
        ];
        const PRESSURE: [Scale; 4] = [
            scale("mPa", 1e3),
            scale("Pa", 1.0),
            scale("kPa", 1e-3),
            scale("MPa", 1e-6),
        ];
        const FLOW: [Scale; 4] = [
            scale("pL/min", 60e15),
            scale("nL/min", 60e12),
            scale("µL/min", 60e9),
            scale("mL/min", 60e6),
        ];
        const FLOW_PER_DEPTH: [Scale; 3] = [
            scale("µm²/s", 1e12),
            scale("mm²/s", 1e6),
            scale("m²/s", 1.0),
        ];
        const POWER: [Scale; 5] = [
            scale("pW", 1e12),
            scale("nW", 1e9),
            scale("µW", 1e6),
            scale("mW", 1e3),
            scale("W", 1.0),
        ];
        const POWER_PER_DEPTH: [Scale; 4] = [
            scale("nW/m", 1e9),
            scale("µW/m", 1e6),
            scale("mW/m", 1e3),
            scale("W/m", 1.0),
        ];
        const MEMORY: [Scale; 4] = [
            scale("bytes", 1.0),
            scale("KiB", 1.0 / 1024.0),
            scale("MiB", 1.0 / 1_048_576.0),
            scale("GiB", 1.0 / 1_073_741_824.0),
        ];
        const TIME: [Scale; 4] = [
            scale("ms", 1e3),
            scale("s", 1.0),
            scale("min", 1.0 / 60.0),
            scale("h", 1.0 / 3600.0),
        ];
        const CONCENTRATION: [Scale; 4] = [
            scale("nM", 1e6),
            scale("µM", 1e3),
            scale("mM", 1.0),
            scale("M", 1e-3),
        ];
        const RATE: [Scale; 1] = [scale("1/s", 1.0)];
        const RELATIVE: [Scale; 1] = [scale("", 1.0)];
        match self {
            Quantity::Length => &LENGTH,
            Quantity::Speed => &SPEED,
            Quantity::Pressure => &PRESSURE,
            Quantity::FlowRate => &FLOW,
            Quantity::FlowRatePerDepth => &FLOW_PER_DEPTH,
            Quantity::Power => &POWER,
            Quantity::PowerPerDepth => &POWER_PER_DEPTH,
            Quantity::Memory => &MEMORY,
            Quantity::Time => &TIME,
            Quantity::Concentration => &CONCENTRATION,
            Quantity::Rate => &RATE,
            Quantity::Relative => &RELATIVE,
        }
    }

    /// The largest unit in which `value` (SI) is at least 1; the base unit for zero.
    pub fn scale_for(self, value: f64) -> Scale {
        let scales = self.scales();
        let size = value.abs();
        if size == 0.0 || !size.is_finite() {
            return scales
                .iter()
                .copied()
                .find(|s| s.factor == 1.0)
                .unwrap_or(scales[0]);
        }
        // A hair under 1, so that 0.99999999 mm, which prints as 1.00, is not shown as 1000 µm.
        let fits = |s: &&Scale| size * s.factor >= 0.9995;
        *scales.iter().rev().find(fits).unwrap_or(&scales[0])
    }

    /// `value` (SI) with three figures and a unit: `12.5 µL/min`.
    pub fn show(self, value: f64) -> String {
        let scale = self.scale_for(value);
        let text = format!("{} {}", figures(value * scale.factor), scale.unit);
        text.trim_end().to_owned()
    }
}

/// Smaller parts are beyond what is estimated.
const NOTHING: f64 = 1e-6;

/// A relative error.
pub fn percent(part: f64) -> String {
    match part {
        ..NOTHING => "below 0.0001 %".to_owned(),
        part => format!("{} %", figures(100.0 * part)),
    }
}

/// Three significant figures, plain where that is short, else with an exponent.
pub fn figures(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !size.is_finite() {
        return value.to_string();
    }
    if !(0.0005..99_999.5).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (2 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    // Rounding may have carried into a new digit: 9.996 is 10.0, not 10.00.
    let digits = text
        .chars()
        .filter(char::is_ascii_digit)
        .skip_while(|c| *c == '0')
        .count();
    if digits > 3 && decimals > 0 {
        format!("{value:.*}", decimals - 1)
    } else {
        text
    }
}

/// 1, 2 or 5 times a power of ten, the greatest that is at most `x`.
pub fn nice_below(x: f64) -> f64 {
    let power = 10f64.powf(x.log10().floor());
    [5.0, 2.0, 1.0]
        .into_iter()
        .map(|k| k * power)
        .find(|v| *v <= x * (1.0 + 1e-9))
        .unwrap_or(power)
}

/// Round values in [min, max], four to nine of them; the value itself for a constant.
pub fn ticks(min: f64, max: f64) -> Vec<f64> {
    if max.partial_cmp(&min) != Some(std::cmp::Ordering::Greater) {
        return vec![min];
    }
    let step = nice_below((max - min) / 4.0);
    let slack = 1e-9 * (max - min) / step;
    let (first, last) = (
        (min / step - slack).ceil() as i64,
        (max / step + slack).floor() as i64,
    );
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick of a scale of this span, with just the decimals that tell neighbours apart; three figures where there is no span.
pub fn tick_text(tick: f64, span: f64) -> String {
    if span <= 0.0 || !(1e-4..1e6).contains(&span) {
        return figures(tick);
    }
    let decimals = (-(nice_below(span / 4.0).log10().floor())).clamp(0.0, 8.0) as usize;
    // Minus zero would be printed with its sign.
    format!("{:.decimals$}", if tick == 0.0 { 0.0 } else { tick })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_suit_the_size() {
        for (quantity, value, want) in [
            (Quantity::Length, 5e-4, "500 µm"),
            (Quantity::Length, 1e-3, "1.00 mm"),
            (Quantity::Speed, 0.0, "0 m/s"),
            (Quantity::Speed, -0.012345, "-12.3 mm/s"),
            (Quantity::Pressure, 101_325.0, "101 kPa"),
            (Quantity::FlowRate, 5e-9 / 60.0, "5.00 µL/min"),
            (Quantity::FlowRatePerDepth, 0.005, "5000 mm²/s"),
            (Quantity::Memory, 8.0 * 1_073_741_824.0, "8.00 GiB"),
            (Quantity::Pressure, 1e-9, "1.00e-6 mPa"),
            (Quantity::Time, 0.0, "0 s"),
            (Quantity::Time, 90.0, "1.50 min"),
            (Quantity::Concentration, 0.02, "20.0 µM"),
            (Quantity::Rate, 1250.0, "1250 1/s"),
            (Quantity::Relative, 0.25, "0.250"),
            (Quantity::Relative, 0.0, "0"),
        ] {
            assert_eq!(quantity.show(value), want);
        }
    }

    #[test]
    fn relative_errors_end_where_nothing_is_estimated() {
        assert_eq!(percent(0.000_123_4), "0.0123 %");
        assert_eq!(percent(1e-14), "below 0.0001 %");
    }

    #[test]
    fn figures_are_three_and_carry() {
        for (value, want) in [
            (9.996, "10.0"),
            (999.6, "1000"),
            (0.012344, "0.0123"),
            (1.0, "1.00"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(figures(value), want);
        }
    }

    #[test]
    fn ticks_are_round_and_inside() {
        for (min, max, want) in [
            (0.0, 12.3, vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]),
            (-1.0, 1.0, vec![-1.0, -0.5, 0.0, 0.5, 1.0]),
            (3.0, 3.0, vec![3.0]),
        ] {
            let got = ticks(min, max);
            assert_eq!(got.len(), want.len(), "{got:?}");
            for (g, w) in got.iter().zip(&want) {
                assert!((g - w).abs() < 1e-12, "{got:?} against {want:?}");
            }
        }
    }
}
