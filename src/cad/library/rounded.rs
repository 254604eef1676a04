//! Edges of outlines that go round become chords, finer than the flow can tell.
//!
//! ```text
//! #{ turn: t }     the edge from its corner to the next is an arc that turns by t, rad: to the left, out of the area, where t > 0
//! ```
//! Chords enclose what the arc encloses, so what a wall of chords does to the flow is of higher order in their sag: as
//! rough walls do, they lie in effect by about `a^2 k` inside of their mean, with half the sag `a` and the wave number `k` of the chords.
//! Measured: a quarter turn of a channel resists more by 2.4e-4, 1.0e-4, 5e-5 of itself where the radius is 1, 3, 10 widths
//! (`tests/corners.rs`, `polygons_with_arcs_resist_as_arcs_do`).
//!
//! Source of that: Tuck, Kouzoubov, "A laminar roughness boundary condition", J. Fluid Mech. 300 (1995).

use super::fault::{BAD_OUTLINE, BAD_SOCKET, error, error_with_help};
use super::polygon::Outline;
use crate::outline::arc::flatten;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;

/// How far chords may be from their arc, in widths of the narrowest socket.
const TOLERANCE: f64 = 2e-3;

/// Arcs are cut in pieces that turn by no more than this, rad: chords of those tell their centres well.
const MOST_TURN: f64 = std::f64::consts::FRAC_PI_2;

/// An outline's corners with chords in place of its arcs.
#[derive(Debug)]
pub(super) struct Chords {
    /// The outline; sockets and walls name their edges by the new corners.
    pub outline: Outline,
    /// For each corner the one as the outline lists them that its edge comes from.
    pub origin: Vec<usize>,
}

/// Chords in place of arcs.
///
/// # Errors
/// Arcs that are sockets, that turn by nothing or by a whole turn, or whose ends are one.
pub(super) fn chords(mut outline: Outline) -> Result<Chords, Diagnostic> {
    let n = outline.corners.len();
    let arcs = std::mem::take(&mut outline.arcs);
    if arcs.is_empty() {
        let origin = (0..n).collect();
        return Ok(Chords { outline, origin });
    }
    let end = |k: usize| outline.corners[(k + 1) % n];
    for &(k, turn) in &arcs {
        let arc = format!("the arc from corner {}", k + 1);
        if let Some((_, name)) = outline.sockets.iter().find(|socket| socket.0 == k) {
            let message = format!("{arc} is socket `{name}`");
            return Err(error_with_help(BAD_SOCKET, message, "sockets are straight"));
        }
        // Negated, so that what is no number fails too.
        if !(turn.abs() > 1e-9 && turn.abs() < std::f64::consts::TAU * (1.0 - 1e-9)) {
            let message = format!("{arc} turns by {:.6} deg", turn.to_degrees());
            let help = "it may turn by more than 0 and less than 360 deg, to the left or, below 0, to the right";
            return Err(error_with_help(BAD_OUTLINE, message, help));
        }
        if end(k) == outline.corners[k] {
            let message = format!("{arc} ends where it begins");
            return Err(error(BAD_OUTLINE, message));
        }
    }
    let width = |k: usize| (end(k) - outline.corners[k]).norm();
    let sockets = outline.sockets.iter().map(|socket| width(socket.0));
    let narrowest = sockets.filter(|&w| w > 0.0).fold(f64::INFINITY, f64::min);
    let narrowest = if narrowest.is_finite() {
        narrowest
    } else {
        (0..n).map(width).fold(0.0, f64::max)
    };
    let (mut corners, mut origin, mut first) = (Vec::new(), Vec::new(), Vec::with_capacity(n));
    for (k, &corner) in outline.corners.iter().enumerate() {
        first.push(corners.len());
        corners.push(corner);
        if let Some(&(_, turn)) = arcs.iter().find(|arc| arc.0 == k) {
            corners.extend(along(corner, end(k), turn, TOLERANCE * narrowest));
        }
        origin.resize(corners.len(), k);
    }
    for (edge, _) in &mut outline.sockets {
        *edge = first[*edge];
    }
    let of_edge = |k: usize| first[k]..first.get(k + 1).copied().unwrap_or(corners.len());
    let walls = std::mem::take(&mut outline.walls).into_iter();
    outline.walls = walls
        .flat_map(|(k, kind)| of_edge(k).map(move |edge| (edge, kind)))
        .collect();
    outline.corners = corners;
    Ok(Chords { outline, origin })
}

/// The corners between `a` and `b` of the chords of an arc that turns by `turn`, rad.
fn along(a: Point, b: Point, turn: f64, tolerance: f64) -> Vec<Point> {
    let n = (turn.abs() / MOST_TURN).ceil().max(1.0);
    // Half a turn and more has its centre on the other side of the chord: cos changes sign, as it must.
    let half = 0.5 * turn;
    let radius = (b - a).norm() / (2.0 * half.sin());
    let centre = (a + b) * 0.5 + (b - a).left().normalized() * (radius * half.cos());
    let place = |k: f64| match k {
        0.0 => a,
        k if k == n => b,
        k => {
            let (sin, cos) = (turn * k / n).sin_cos();
            let from = a - centre;
            centre + from * cos + from.left() * sin
        }
    };
    let mut out = Vec::new();
    for k in 0..n as usize {
        let (from, to) = (place(k as f64), place(k as f64 + 1.0));
        if k > 0 {
            out.push(from);
        }
        out.extend(flatten(from, to, turn / n, tolerance));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::WallKind;
    use std::f64::consts::PI;
    use stokeslet_base::geometry::outline::signed_area;

    fn square() -> Outline {
        Outline {
            corners: [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
                .map(|(x, y)| Point::new(x, y))
                .to_vec(),
            sockets: vec![(3, "a".to_owned())],
            ..Outline::default()
        }
    }

    #[test]
    fn areas_are_those_of_the_arcs() {
        // A segment of a circle beside a chord of length 1: r^2 (t - sin t) / 2.
        for turn in [0.3, -0.7, PI, -2.0, 1.7 * PI] {
            let asked = Outline {
                arcs: vec![(1, turn)],
                ..square()
            };
            let made = chords(asked).expect("an outline");
            let r = 0.5 / (0.5 * turn).sin();
            let want = 1.0 + 0.5 * r * r * (turn - turn.sin());
            let got = signed_area(&made.outline.corners);
            assert!((got / want - 1.0).abs() < 1e-12, "{turn}: {got} {want}");
            let on_arc = made.origin.iter().filter(|&&k| k == 1).count();
            assert_eq!(made.outline.corners.len(), 3 + on_arc);
            let centre = Point::new(1.0 - r * (0.5 * turn).cos(), 0.5);
            let arc = &made.outline.corners[1..2 + on_arc];
            for p in arc {
                let off = (*p - centre).norm() - r.abs();
                assert!(off.abs() < TOLERANCE, "{turn}: {off}");
            }
        }
    }

    #[test]
    fn sockets_and_walls_follow_their_edges() {
        let asked = Outline {
            arcs: vec![(1, 1.0)],
            walls: vec![(1, WallKind::Slip), (2, WallKind::NoSlip)],
            ..square()
        };
        let made = chords(asked).expect("an outline");
        let n = made.outline.corners.len();
        assert_eq!(made.outline.sockets, [(n - 1, "a".to_owned())]);
        let slip = made.outline.walls.iter().filter(|w| w.1 == WallKind::Slip);
        assert_eq!(slip.count(), n - 3);
        assert_eq!(made.outline.walls.last(), Some(&(n - 2, WallKind::NoSlip)));
        assert_eq!(made.origin[n - 2..], [2, 3]);
    }

    #[test]
    fn arcs_that_are_none_are_refused() {
        for (edge, turn, why) in [
            (3, 1.0, "socket `a`"),
            (1, 0.0, "turns by 0.0"),
            (1, 7.0, "turns by 401"),
            (1, f64::NAN, "turns by NaN"),
        ] {
            let asked = Outline {
                arcs: vec![(edge, turn)],
                ..square()
            };
            let refused = chords(asked).expect_err(why);
            assert!(refused.message.contains(why), "{}", refused.message);
        }
    }
}
