//! One step of Dormand and Prince's pair of orders 5 and 4.

use stokeslet_base::geometry::Point;

/// One step: where it leads, the slope there, and the difference to order 4; `None` where a stage left the flow.
///
/// # Source
/// Dormand, Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6 (1980).
pub(super) fn dormand_prince(
    x: Point,
    k1: Point,
    h: f64,
    slope: &mut dyn FnMut(Point) -> Option<Point>,
) -> Option<(Point, Point, f64)> {
    const A: [&[f64]; 6] = [
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[
            19372.0 / 6561.0,
            -25360.0 / 2187.0,
            64448.0 / 6561.0,
            -212.0 / 729.0,
        ],
        &[
            9017.0 / 3168.0,
            -355.0 / 33.0,
            46732.0 / 5247.0,
            49.0 / 176.0,
            -5103.0 / 18656.0,
        ],
        &[
            35.0 / 384.0,
            0.0,
            500.0 / 1113.0,
            125.0 / 192.0,
            -2187.0 / 6784.0,
            11.0 / 84.0,
        ],
    ];
    const ERROR: [f64; 7] = [
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339_200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ];
    let mut k = [k1; 7];
    let mut to = x;
    for (stage, weights) in A.iter().enumerate() {
        to = weights
            .iter()
            .zip(&k)
            .fold(x, |sum, (&w, &k)| sum + k * (h * w));
        k[stage + 1] = slope(to)?;
    }
    let error = ERROR
        .iter()
        .zip(&k)
        .fold(Point::default(), |sum, (&w, &k)| sum + k * (h * w));
    Some((to, k[6], error.norm()))
}
