//! The thesis's manufactured solution in three dimensions (Ding 2019, section 4.6.2) and the data that make it exact.
//!
//! ```text
//! u = (sin(14x) y + cos(15y) z + xy,  cos(14x) cos(16y) + sin(15y) x + x^2 + yz - 1,  sin(17z) y + cos(15x) z)
//! p = sin(15x + 14y + 1) + cos(16z)
//! ```
//! It follows no wall and is not free of divergence, as in [`super::manufactured`]; nor is it symmetric about mid-depth, so it
//! needs a mesh of all of the depth.

/// Exact velocity.
pub fn velocity([x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        (14.0 * x).sin() * y + (15.0 * y).cos() * z + x * y,
        (14.0 * x).cos() * (16.0 * y).cos() + (15.0 * y).sin() * x + x * x + y * z - 1.0,
        (17.0 * z).sin() * y + (15.0 * x).cos() * z,
    ]
}

/// Exact pressure.
pub fn pressure([x, y, z]: [f64; 3]) -> f64 {
    (15.0 * x + 14.0 * y + 1.0).sin() + (16.0 * z).cos()
}

/// `[i][j] = d u_i / d x_j`.
pub fn gradient([x, y, z]: [f64; 3]) -> [[f64; 3]; 3] {
    [
        [
            14.0 * (14.0 * x).cos() * y + y,
            (14.0 * x).sin() - 15.0 * (15.0 * y).sin() * z + x,
            (15.0 * y).cos(),
        ],
        [
            -14.0 * (14.0 * x).sin() * (16.0 * y).cos() + (15.0 * y).sin() + 2.0 * x,
            -16.0 * (14.0 * x).cos() * (16.0 * y).sin() + 15.0 * (15.0 * y).cos() * x + z,
            y,
        ],
        [
            -15.0 * (15.0 * x).sin() * z,
            (17.0 * z).sin(),
            17.0 * (17.0 * z).cos() * y + (15.0 * x).cos(),
        ],
    ]
}

/// `div u`, which is minus the source `l`.
pub fn divergence(p: [f64; 3]) -> f64 {
    let g = gradient(p);
    g[0][0] + g[1][1] + g[2][2]
}

/// Body force that balances the fields: `-mu (laplace u + grad div u) + grad p`.
pub fn force([x, y, z]: [f64; 3], mu: f64) -> [f64; 3] {
    let laplace = [
        -196.0 * (14.0 * x).sin() * y - 225.0 * (15.0 * y).cos() * z,
        -452.0 * (14.0 * x).cos() * (16.0 * y).cos() - 225.0 * (15.0 * y).sin() * x + 2.0,
        -289.0 * (17.0 * z).sin() * y - 225.0 * (15.0 * x).cos() * z,
    ];
    let grad_div = [
        -196.0 * (14.0 * x).sin() * y
            + 224.0 * (14.0 * x).sin() * (16.0 * y).sin()
            + 15.0 * (15.0 * y).cos()
            - 15.0 * (15.0 * x).sin(),
        14.0 * (14.0 * x).cos() + 1.0
            - 256.0 * (14.0 * x).cos() * (16.0 * y).cos()
            - 225.0 * (15.0 * y).sin() * x
            + 17.0 * (17.0 * z).cos(),
        1.0 - 289.0 * (17.0 * z).sin() * y,
    ];
    let q = (15.0 * x + 14.0 * y + 1.0).cos();
    let grad_p = [15.0 * q, 14.0 * q, -16.0 * (16.0 * z).sin()];
    std::array::from_fn(|i| -mu * (laplace[i] + grad_div[i]) + grad_p[i])
}

/// Traction `sigma n` on a surface with unit normal `n`, Pa.
pub fn traction(p: [f64; 3], normal: [f64; 3], mu: f64) -> [f64; 3] {
    let g = gradient(p);
    std::array::from_fn(|i| {
        let shear: f64 = (0..3).map(|j| (g[i][j] + g[j][i]) * normal[j]).sum();
        mu * shear - pressure(p) * normal[i]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 3] = [[0.3, -0.2, 0.1], [0.05, 0.7, -0.4], [-0.6, 0.11, 0.93]];

    fn moved(p: [f64; 3], axis: usize, by: f64) -> [f64; 3] {
        std::array::from_fn(|k| p[k] + if k == axis { by } else { 0.0 })
    }

    #[test]
    fn gradient_is_the_derivative_of_velocity() {
        let h = 1e-5;
        for p in POINTS {
            for j in 0..3 {
                let (ahead, behind) = (velocity(moved(p, j, h)), velocity(moved(p, j, -h)));
                for i in 0..3 {
                    let want = (ahead[i] - behind[i]) / (2.0 * h);
                    let got = gradient(p)[i][j];
                    assert!((got - want).abs() < 1e-6, "d u_{i} / d x_{j}: {got} {want}");
                }
            }
        }
    }

    #[test]
    fn force_is_minus_the_divergence_of_stress() {
        let (mu, h) = (1.7, 1e-4);
        let axis = |j: usize| std::array::from_fn(|k| f64::from(k == j));
        for p in POINTS {
            let f = force(p, mu);
            for (i, want) in f.into_iter().enumerate() {
                let div: f64 = (0..3)
                    .map(|j| {
                        let stress = |by| traction(moved(p, j, by), axis(j), mu)[i];
                        (stress(h) - stress(-h)) / (2.0 * h)
                    })
                    .sum();
                assert!(
                    (want + div).abs() < 1e-5 * want.abs().max(100.0),
                    "component {i}: {want} against {}",
                    -div
                );
            }
        }
    }

    #[test]
    fn traction_turns_with_the_normal() {
        let (p, mu) = (POINTS[1], 0.3);
        let [a, b] = [[1.0, 0.0, 0.0], [0.0, 0.6, -0.8]].map(|n| traction(p, n, mu));
        // Symmetric stress: n . sigma m = m . sigma n.
        assert!((0.6 * a[1] - 0.8 * a[2] - b[0]).abs() < 1e-13);
        let still = [0.0; 3];
        assert_eq!(traction(p, still, mu), [0.0; 3]);
    }
}
