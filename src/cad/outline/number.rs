//! Numbers as files show them.

/// A length in millimetres, with as many figures as a f64 has in metres, and no more zeros than needed.
pub(super) fn mm(metres: f64) -> String {
    plain(metres * 1e3)
}

/// A number with 15 figures at most, never in scientific form: what 17 figures add is the noise of sums.
pub(super) fn plain(value: f64) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    let magnitude = if value == 0.0 {
        0
    } else {
        value.abs().log10().floor() as i32
    };
    let decimals = (14 - magnitude).clamp(1, 17) as usize;
    let text = format!("{value:.decimals$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_come_back() {
        assert_eq!(mm(1e-4), "0.1");
        assert_eq!(mm(0.0), "0");
        assert_eq!(mm(-0.0), "0");
        assert_eq!(mm(1.25), "1250");
        assert_eq!(mm(0.1 + 0.2), "300");
        let x = 1.234_567_890_123_4e-3;
        assert!((mm(x).parse::<f64>().unwrap() - x * 1e3).abs() < 1e-14);
    }
}
