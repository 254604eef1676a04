//! The thesis's manufactured solution in two dimensions (Ding 2019, section 4.6.2) and what balances it.
//!
//! ```text
//! u = (sin(12x) y + cos(15y) + xy,  cos(14x) cos(13y) + sin(16y) x + x^2 - 1),   p = sin(15x + 10y + 1)
//! ```
//! It follows no wall and is not free of divergence: velocities are given on walls and flow-rate ports, the exact traction on
//! the others, and `f` and `l` make up the rest.

use stokeslet_base::geometry::Point;

/// Exact velocity.
pub fn velocity(p: Point) -> Point {
    let Point { x, y } = p;
    Point::new(
        (12.0 * x).sin() * y + (15.0 * y).cos() + x * y,
        (14.0 * x).cos() * (13.0 * y).cos() + (16.0 * y).sin() * x + x * x - 1.0,
    )
}

/// Exact pressure.
pub fn pressure(p: Point) -> f64 {
    (15.0 * p.x + 10.0 * p.y + 1.0).sin()
}

/// `[i][j] = d u_i / d x_j`.
pub fn gradient(p: Point) -> [[f64; 2]; 2] {
    let Point { x, y } = p;
    [
        [
            12.0 * (12.0 * x).cos() * y + y,
            (12.0 * x).sin() - 15.0 * (15.0 * y).sin() + x,
        ],
        [
            -14.0 * (14.0 * x).sin() * (13.0 * y).cos() + (16.0 * y).sin() + 2.0 * x,
            -13.0 * (14.0 * x).cos() * (13.0 * y).sin() + 16.0 * (16.0 * y).cos() * x,
        ],
    ]
}

/// Body force that balances the fields: `-mu (laplace u + grad div u) + grad p + drag u`.
pub fn force(p: Point, mu: f64, drag: f64) -> Point {
    let Point { x, y } = p;
    let (u1xx, u1yy, u1xy) = (
        -144.0 * (12.0 * x).sin() * y,
        -225.0 * (15.0 * y).cos(),
        12.0 * (12.0 * x).cos() + 1.0,
    );
    let c = (14.0 * x).cos() * (13.0 * y).cos();
    let (u2xx, u2yy) = (-196.0 * c + 2.0, -169.0 * c - 256.0 * (16.0 * y).sin() * x);
    let u2xy = 182.0 * (14.0 * x).sin() * (13.0 * y).sin() + 16.0 * (16.0 * y).cos();
    let q = (15.0 * x + 10.0 * y + 1.0).cos();
    let u = velocity(p);
    Point::new(
        -mu * (u1xx + u1yy + u1xx + u2xy) + 15.0 * q + mu * drag * u.x,
        -mu * (u2xx + u2yy + u1xy + u2yy) + 10.0 * q + mu * drag * u.y,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_is_minus_the_divergence_of_stress() {
        let (mu, h) = (1.7, 1e-4);
        let stress = |p: Point| {
            let g = gradient(p);
            let off = mu * (g[0][1] + g[1][0]);
            [
                [2.0 * mu * g[0][0] - pressure(p), off],
                [off, 2.0 * mu * g[1][1] - pressure(p)],
            ]
        };
        for (x, y) in [(0.3, -0.2), (0.05, 0.7)] {
            let p = Point::new(x, y);
            let (dx, dy) = (Point::new(h, 0.0), Point::new(0.0, h));
            let f = force(p, mu, 0.0);
            for (i, want) in [f.x, f.y].into_iter().enumerate() {
                let div = (stress(p + dx)[i][0] - stress(p - dx)[i][0] + stress(p + dy)[i][1]
                    - stress(p - dy)[i][1])
                    / (2.0 * h);
                assert!(
                    (want + div).abs() < 1e-3 * want.abs().max(1.0),
                    "component {i}: {want} against {}",
                    -div
                );
            }
            let d = (velocity(p + dx) - velocity(p - dx)) * (0.5 / h);
            assert!(
                (d.x - gradient(p)[0][0]).abs() < 1e-5 && (d.y - gradient(p)[1][0]).abs() < 1e-5,
                "gradient along x"
            );
        }
    }
}
