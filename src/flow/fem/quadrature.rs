//! Quadrature on the reference simplex and on the unit interval.
//!
//! Collapsed Gauss-Jacobi products (Duffy map): any degree, any dimension, positive weights; not the fewest points, which
//! does not matter since only canonical cells are integrated.

/// A quadrature rule: barycentric coordinates and weights that add to the reference simplex's volume (1/2 or 1/6).
#[derive(Clone, Debug)]
pub struct Rule {
    /// Barycentric coordinates, D+1 a point.
    pub points: Vec<Vec<f64>>,
    /// One a point.
    pub weights: Vec<f64>,
}

/// Gauss-Legendre points and weights on (0, 1), exact for polynomials of degree `2 n - 1`.
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|i| {
            // Newton on P_n from the usual guess; converges to the last bit in a few steps.
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            let mut derivative = 1.0;
            for _ in 0..100 {
                let (mut p, mut previous) = (x, 1.0);
                for k in 2..=n {
                    let k = k as f64;
                    (p, previous) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * previous) / k, p);
                }
                if n == 1 {
                    (p, previous) = (x, 1.0);
                }
                derivative = n as f64 * (x * p - previous) / (x * x - 1.0);
                let step = p / derivative;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (
                0.5 * (1.0 - x),
                1.0 / ((1.0 - x * x) * derivative * derivative),
            )
        })
        .collect()
}

/// A rule on the reference simplex that is exact for polynomials of total degree `degree`.
pub fn simplex<const D: usize>(degree: usize) -> Rule {
    // The Duffy map multiplies by (1 - t)^(D-1) at most: so many degrees more along that axis.
    let line = gauss_legendre((degree + D).div_ceil(2));
    let mut rule = Rule {
        points: Vec::new(),
        weights: Vec::new(),
    };
    let n = line.len();
    for code in 0..n.pow(D as u32) {
        let mut rest = 1.0;
        let mut weight = 1.0;
        let mut l = vec![0.0; D + 1];
        for k in 0..D {
            let (t, w) = line[code / n.pow(k as u32) % n];
            // Axis k takes the share t of what is left; the Jacobian is the rest to the power of the axes to come.
            l[k + 1] = rest * t;
            weight *= w * rest;
            rest *= 1.0 - t;
        }
        l[0] = rest;
        rule.points.push(l);
        rule.weights.push(weight);
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: usize) -> f64 {
        (1..=n).map(|k| k as f64).product()
    }

    /// Integral of l1^a l2^b (l3^c) over the reference simplex.
    fn error<const D: usize>(rule: &Rule, powers: [usize; 3]) -> f64 {
        let got: f64 = rule
            .points
            .iter()
            .zip(&rule.weights)
            .map(|(l, w)| {
                w * (0..D)
                    .map(|k| l[k + 1].powi(powers[k] as i32))
                    .product::<f64>()
            })
            .sum();
        let want = powers[..D].iter().map(|&p| factorial(p)).product::<f64>()
            / factorial(powers[..D].iter().sum::<usize>() + D);
        (got / want - 1.0).abs()
    }

    #[test]
    fn rules_are_exact_to_their_degree_and_not_far_beyond() {
        for degree in 1..9 {
            let (two, three) = (simplex::<2>(degree), simplex::<3>(degree));
            for a in 0..=degree {
                for b in 0..=degree - a {
                    assert!(
                        error::<2>(&two, [a, b, 0]) < 1e-13,
                        "x^{a} y^{b} with degree {degree}"
                    );
                    let c = degree - a - b;
                    assert!(
                        error::<3>(&three, [a, b, c]) < 1e-13,
                        "x^{a} y^{b} z^{c} with degree {degree}"
                    );
                }
            }
            // Gauss points of n a line are exact to 2n-1; the first axis meets no Jacobian beyond its own.
            let n = (degree + 2).div_ceil(2);
            assert!(
                error::<2>(&two, [0, 2 * n, 0]) > 1e-8,
                "degree {} must not be exact with {n} points a line",
                2 * n
            );
        }
    }
}
