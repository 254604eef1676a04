//! Laws that measured costs follow.

/// Least squares through points `(x, y)`: `[a, b]` of `y = a + b x`. NaN for fewer than two different `x`.
pub fn line(points: &[(f64, f64)]) -> [f64; 2] {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = covariance / variance;
    [y - slope * x, slope]
}

/// Exponent `b` of `y = c x^b`, all values positive.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|p| (p.0.ln(), p.1.ln())).collect();
    line(&logs)[1]
}

/// How far `y` is from proportional to `x`: the greatest deviation of `y / x` from the middle of its range, in percent.
pub fn from_linear(points: &[(f64, f64)]) -> f64 {
    let each = points.iter().map(|p| p.1 / p.0);
    let (least, most) = each.fold((f64::INFINITY, 0.0_f64), |(l, m), v| (l.min(v), m.max(v)));
    100.0 * (most - least) / (most + least)
}

/// `y = a + b x` of positive values, every point weighed by its own size: `[a, b]`, and the greatest deviation in percent of `y`.
pub fn affine(points: &[(f64, f64)]) -> ([f64; 2], f64) {
    // Normal equations of a / y + b x / y = 1.
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (aa, ab) = (sum(|p| p.1.powi(-2)), sum(|p| p.0 * p.1.powi(-2)));
    let bb = sum(|p| (p.0 / p.1).powi(2));
    let (ra, rb) = (sum(|p| 1.0 / p.1), sum(|p| p.0 / p.1));
    let det = aa * bb - ab * ab;
    let [a, b] = [(ra * bb - rb * ab) / det, (aa * rb - ab * ra) / det];
    let apart = points.iter().map(|(x, y)| ((a + b * x) / y - 1.0).abs());
    ([a, b], 100.0 * apart.fold(0.0, f64::max))
}

/// How far `y` is from `a + b log2 x`: `b`, and the greatest deviation in percent of the greatest `y`.
pub fn logarithm(points: &[(f64, f64)]) -> [f64; 2] {
    let logs: Vec<_> = points.iter().map(|p| (p.0.log2(), p.1)).collect();
    let [a, b] = line(&logs);
    let most = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let apart = logs
        .iter()
        .map(|(x, y)| (y - a - b * x).abs())
        .fold(0.0, f64::max);
    [b, 100.0 * apart / most]
}
