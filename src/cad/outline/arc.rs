//! Arcs as chords that keep the area.

use stokeslet_base::geometry::Point;

/// An arc between two points never turns by more than this: its chord then tells its centre well.
pub(super) const MOST_TURN: f64 = std::f64::consts::FRAC_PI_2;

/// Radius (m) of the arc from `a` to `b` that turns by `turn`, rad.
pub(super) fn radius(a: Point, b: Point, turn: f64) -> f64 {
    (b - a).norm() / (2.0 * (turn.abs() / 2.0).sin())
}

/// Centre and radius (m) of the arc from `a` to `b` that turns by `turn`, rad: positive to the left, at most half a turn, not 0.
pub(crate) fn circle(a: Point, b: Point, turn: f64) -> (Point, f64) {
    let r = radius(a, b, turn);
    let to_centre = (b - a).left().normalized() * (turn.signum() * r * (turn.abs() / 2.0).cos());
    ((a + b) * 0.5 + to_centre, r)
}

/// Angle (rad) that a chord may span for chords to stay within `tolerance` of an arc of this radius, m.
pub(super) fn chord_turn(radius: f64, tolerance: f64) -> f64 {
    (6.0 * tolerance / radius).sqrt().min(0.5)
}

/// Area between the arc and its chord, m²; positive where the arc turns left.
pub(super) fn segment_area(a: Point, b: Point, turn: f64) -> f64 {
    if turn == 0.0 {
        return 0.0;
    }
    let r = radius(a, b, turn);
    // sin x cancels against x: its series below the angle where both are as good.
    let t = turn.abs();
    let excess = if t < 0.05 {
        t.powi(3) / 6.0 * (1.0 - t * t / 20.0 * (1.0 - t * t / 42.0))
    } else {
        t - t.sin()
    };
    turn.signum() * 0.5 * r * r * excess
}

/// The corners between `a` and `b` of the polygon that stands for an arc.
///
/// They lie a little outside of the arc, so that the polygon encloses what the arc encloses, and no point of it is farther
/// than the tolerance from the arc:
/// ```text
/// n chords over n t, inner corners at r', ends at r:   (n - 2) r'^2 sin t + 2 r r' sin t = n r^2 t
/// ```
/// # Shapes and units
/// - `a`, `b`: ends, m; `turn`: rad, positive to the left, at most a quarter turn; `tolerance`: m, > 0
/// # Accuracy and cost
/// Areas agree to rounding. r' - r <= r t² / 6, chords fall short of the arc by at most half as much.
pub fn flatten(a: Point, b: Point, turn: f64, tolerance: f64) -> Vec<Point> {
    if turn == 0.0 {
        return Vec::new();
    }
    let (centre, r) = circle(a, b, turn);
    let n = ((turn.abs() / chord_turn(r, tolerance)).ceil() as usize).clamp(2, 1_000_000);
    let step = turn.abs() / n as f64;
    let side = turn.signum();
    let inner = {
        let (q, p) = ((n - 2) as f64, 2.0);
        let want = n as f64 * step / step.sin();
        if n == 2 {
            want / p
        } else {
            // The root of q x² + p x = want without cancellation.
            2.0 * want / (p + (p * p + 4.0 * q * want).sqrt())
        }
    };
    let first = (a - centre).angle();
    (1..n)
        .map(|k| centre + Point::unit(first + side * step * k as f64) * (r * inner))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::geometry::outline::signed_area;

    #[test]
    fn chords_keep_the_area_and_stay_near() {
        for (turn, r, tolerance) in [
            (1.5, 1e-4, 5e-9),
            (-1.57, 2e-3, 1e-6),
            (0.01, 1.0, 1e-6),
            (0.7, 1e-5, 1e-6),
        ] {
            let (a, b) = (Point::new(r, 0.0), Point::unit(turn) * r);
            let inner = flatten(a, b, turn, tolerance);
            let side: f64 = f64::signum(turn);
            // Turning right, the centre is on the other side.
            let mut polygon = vec![Point::default(), a];
            polygon.extend(&inner);
            polygon.push(b);
            let want = 0.5 * r * r * turn;
            let got = signed_area(&polygon);
            assert!((got / want - 1.0).abs() < 1e-9, "{turn} {r}: {got} {want}");
            for p in &inner {
                assert!(
                    ((p.norm() - r).abs()) <= tolerance,
                    "{turn}: {}",
                    p.norm() - r
                );
            }
            let halves = polygon[1..]
                .windows(2)
                .map(|w| ((w[0] + w[1]) * 0.5).norm());
            for middle in halves {
                assert!(
                    (middle - r).abs() <= tolerance,
                    "{turn} {side}: {}",
                    middle - r
                );
            }
            let segment = segment_area(a, b, turn);
            let chord = signed_area(&[Point::default(), a, b]);
            assert!(((chord + segment) / want - 1.0).abs() < 1e-9, "{turn}");
        }
    }
}
