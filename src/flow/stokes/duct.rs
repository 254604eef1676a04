//! Developed flow through a rectangular duct: exact velocity and flow rate.
//!
//! ```text
//! laplace u = -1 on (-w/2, w/2) x (-d/2, d/2),   u = 0 on the walls,   flow = integral of u
//!
//! u = (b^2/4 - z^2)/2 - (4 b^2/pi^3) sum over odd n of (-1)^((n-1)/2)/n^3 cosh(n pi y/b)/cosh(n pi a/(2b)) cos(n pi z/b)
//! ```
//! with z along the short side b and y along the long side a. `u` times `G / mu` is the velocity at pressure gradient `G`, so
//! lengths may have any unit. How the nodes of a socket carry it: [`socket`].

use std::f64::consts::PI;

pub mod socket;

/// Most terms of the series: what a point 1/800 of the short side from the long side's ends needs. Grids of sockets stay a
/// tenth of that away.
const MAX_TERMS: usize = 5_000;

/// Velocity at unit pressure gradient over viscosity, zero outside.
///
/// # Shapes and units
/// - `y` in `[-width/2, width/2]`, `z` in `[-depth/2, depth/2]`, all in one unit of length; returns its square
/// # Accuracy and cost
/// The series is cut where its terms are below 1e-17 of the first, so about 1e-15 of the greatest velocity; nearer to the long
/// side's ends than 1/800 of the short side it is cut earlier, at 1e-8. `6 b / s` terms at distance `s` from those ends.
pub fn velocity(width: f64, depth: f64, y: f64, z: f64) -> f64 {
    let ((a, y), (b, z)) = if width >= depth {
        ((width, y.abs()), (depth, z.abs()))
    } else {
        ((depth, z.abs()), (width, y.abs()))
    };
    if y >= a / 2.0 || z >= b / 2.0 {
        return 0.0;
    }
    let (near, far) = (PI * (a / 2.0 - y) / b, PI * (a / 2.0 + y) / b);
    // exp(-n near) < 1e-17, over odd n.
    let terms = ((39.2 / near / 2.0).ceil() as usize).clamp(1, MAX_TERMS);
    let mut sum = 0.0;
    for k in (0..terms).rev() {
        let n = (2 * k + 1) as f64;
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        // cosh over cosh by decaying exponentials only: neither overflows in a wide duct.
        let ratio = ((-n * near).exp() + (-n * far).exp()) / (1.0 + (-n * PI * a / b).exp());
        sum += sign / (n * n * n) * ratio * (n * PI * z / b).cos();
    }
    ((b / 2.0 - z) * (b / 2.0 + z) / 2.0 - 4.0 * b * b / PI.powi(3) * sum).max(0.0)
}

/// Flow at unit pressure gradient over viscosity: `mu Q L / dp`, the fourth power of the unit of length.
///
/// ```text
/// Q = (b^3 a / 12) [1 - sum over odd n of (192 b / (n^5 pi^5 a)) tanh(n pi a / (2 b))],   a >= b
/// ```
/// The part of the sum without `1 - tanh` is `31/32 zeta(5)`; what is left decays like `exp(-n pi a / b)`.
pub fn flow_rate(width: f64, depth: f64) -> f64 {
    const ZETA_5: f64 = 1.036_927_755_143_37;
    let (a, b) = (width.max(depth), width.min(depth));
    let rest: f64 = (0..8)
        .rev()
        .map(|k| {
            let n = f64::from(2 * k + 1);
            2.0 / ((n * PI * a / b).exp() + 1.0) / n.powi(5)
        })
        .sum();
    let sum = 31.0 / 32.0 * ZETA_5 - rest;
    b.powi(3) * a / 12.0 * (1.0 - 192.0 * b / (PI.powi(5) * a) * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::quadrature::gauss_legendre;

    /// The formula of the specification, summed as it stands.
    fn plain_sum(a: f64, b: f64) -> f64 {
        let sum: f64 = (0..4000)
            .rev()
            .map(|k| {
                let n = f64::from(2 * k + 1);
                192.0 * b / (n.powi(5) * PI.powi(5) * a) * (n * PI * a / (2.0 * b)).tanh()
            })
            .sum();
        b.powi(3) * a / 12.0 * (1.0 - sum)
    }

    #[test]
    fn flow_rate_is_the_series_for_any_aspect_ratio() {
        for aspect in [1.0, 1.3, 2.0, 4.0, 10.0, 1e3] {
            let (got, want) = (flow_rate(aspect, 1.0), plain_sum(aspect, 1.0));
            assert!((got / want - 1.0).abs() < 1e-14, "{aspect}: {got} {want}");
            assert_eq!(
                got,
                flow_rate(1.0, aspect),
                "either side may be the wide one"
            );
        }
        // Shah and London, Laminar flow forced convection in ducts, 1978, table 42: f Re = 14.227, 15.548, 18.233, 21.169.
        // f Re = 2 D^2 / mean velocity at unit gradient, over 4 for Fanning's f; D = 2 a b / (a + b).
        for (aspect, f_re) in [(1.0, 14.227), (2.0, 15.548), (4.0, 18.233), (10.0, 21.169)] {
            let d = 2.0 * aspect / (aspect + 1.0);
            let got = d * d / 2.0 * aspect / flow_rate(aspect, 1.0);
            assert!((got / f_re - 1.0).abs() < 4e-5, "{aspect}: {got}");
        }
    }

    #[test]
    fn velocity_solves_its_equation_and_integrates_to_the_flow_rate() {
        for (width, depth) in [(1.0, 1.0), (3.0, 2.0), (1.0, 4.0), (20.0, 1.0)] {
            let h = 1e-3;
            for (t, s) in [(0.0, 0.0), (0.3, -0.2), (-0.41, 0.37)] {
                let (y, z) = (t * width, s * depth);
                let u = |dy: f64, dz: f64| velocity(width, depth, y + dy, z + dz);
                let laplace =
                    (u(h, 0.0) + u(-h, 0.0) + u(0.0, h) + u(0.0, -h) - 4.0 * u(0.0, 0.0)) / (h * h);
                assert!((laplace + 1.0).abs() < 1e-4, "{width} x {depth}: {laplace}");
            }
            // Gauss points, their density squared towards the walls: the corners' r^2 log r costs accuracy there.
            let half = |size: f64| {
                gauss_legendre(24)
                    .into_iter()
                    .map(move |(t, w)| (size / 2.0 * t * (2.0 - t), w * size * (1.0 - t)))
            };
            let mut flow = 0.0;
            for (y, wy) in half(width) {
                for (z, wz) in half(depth) {
                    flow += 4.0 * wy * wz * velocity(width, depth, y, z);
                }
            }
            let want = flow_rate(width, depth);
            assert!((flow / want - 1.0).abs() < 1e-9, "{flow} against {want}");
        }
    }

    /// In a square the series along y and the one along z are different sums of the same velocity.
    #[test]
    fn velocity_is_converged() {
        for (y, z) in [
            (0.1, 0.2),
            (0.45, 0.1),
            (0.49, 0.3),
            (0.4975, 0.0),
            (0.4975, 0.49),
        ] {
            let (one, other) = (velocity(1.0, 1.0, y, z), velocity(1.0, 1.0, z, y));
            let greatest = velocity(1.0, 1.0, 0.0, 0.0);
            assert!(
                (one - other).abs() < 1e-14 * greatest,
                "at ({y}, {z}): {one} and {other}"
            );
        }
        for aspect in [1.0, 1e3, 1e9] {
            let middle = velocity(aspect, 1.0, 0.0, 0.0);
            assert!(
                middle <= 0.125 && middle > 0.07,
                "nothing overflows: {middle}"
            );
            assert_eq!(middle, velocity(1.0, aspect, 0.0, 0.0));
            assert_eq!(velocity(aspect, 1.0, aspect / 2.0, 0.1), 0.0);
        }
        assert!(
            (velocity(1e3, 1.0, 3.0, 0.25) - 0.09375).abs() < 1e-16,
            "plane Poiseuille"
        );
    }
}
