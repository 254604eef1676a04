//! Geometry as integers, so that equal shapes have equal keys and nothing is ever compared as floats.

/// Steps of a quantised length in one reference width: lengths are kept to 1e-9 of it.
const STEPS: f64 = 1e9;

/// `value` in billionths of the reference width, rounded.
pub fn quantise(value: f64, reference: f64) -> i64 {
    (value / reference * STEPS).round() as i64
}

/// The quantised length in reference widths; exact for decimal fractions such as 1.5.
pub fn restore(steps: i64) -> f64 {
    steps as f64 / STEPS
}

/// An angle in billionths of a quarter turn, in [0, 4e9), so that quarter turns are exact.
pub fn quantise_angle(angle: f64) -> i64 {
    ((angle / std::f64::consts::FRAC_PI_2 * STEPS).round() as i64).rem_euclid(4_000_000_000)
}

/// The quantised angle in rad.
pub fn restore_angle(steps: i64) -> f64 {
    steps as f64 / STEPS * std::f64::consts::FRAC_PI_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_noise_does_not_change_a_key() {
        assert_eq!(quantise(0.0375, 0.0125), 3_000_000_000);
        assert_eq!(
            quantise(0.1 + 0.2, 0.1),
            quantise(0.3, 0.1),
            "noise in the last bits"
        );
        assert_eq!(restore(1_500_000_000), 1.5);
        assert_eq!(quantise_angle(-std::f64::consts::FRAC_PI_2), 3_000_000_000);
    }
}
