//! Sharp inner corners: cells become smaller towards each.
//!
//! ```text
//! size(rho) = max(rho, least) / reach to the power of 3/4, in cells, within reach of the corner; elsewhere 1
//! ```
//! Velocities behave as `rho^a` at a corner, pressures as `rho^(a-1)`, with `a` = 0.54 where 270 degrees are fluid and never below 1/2. Quadratic
//! elements of size `h(rho)` miss that by `h^2 rho^(a-3)` in gradients, whose square adds up over the plane evenly where `h` is as
//! `rho^(1-a/2)`: then the corner costs no order. With `a` = 1/2 that is the power 3/4 for all corners. Cells as large as their distance from the corner
//! end it: `least = reach^-3`.
//!
//! The reach is a part of the channel's width, not a number of cells: cells near a corner must all become smaller with the resolution. Where cells are graded
//! within the ring of cells around the corner only, the next ring spoils it: errors fall at order one, and change their sign on the way
//! (-1.7e-3 widths at a bend by 120 degrees at r = 8, 1.9e-3 at 16).
//!
//! # Source
//! Babuska, Kellogg, Pitkaranta, "Direct and inverse error estimates for finite elements with mesh refinements", Numer. Math. 33 (1979).

use super::Domain;
use stokeslet_base::geometry::Point;

/// What is done about sharp inner corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Corners {
    /// Nothing: cells there are as large as elsewhere.
    #[default]
    Plain,
    /// Cells become smaller towards them. In the plane.
    Graded,
}

/// How far from a corner cells are smaller, in widths of the narrowest socket.
pub const REACH: f64 = 0.6;
/// Power of the distance over the reach that gives the size of cells.
const POWER: f64 = 0.75;
/// No cells are smaller than this, in cells.
const LEAST: f64 = 1e-6;

/// The size of cells at a distance from a sharp corner, all in cells.
pub fn size_towards(distance: f64, reach: f64) -> f64 {
    // Where cells are as large as their distance.
    let least = reach.powf(-POWER / (1.0 - POWER)).max(LEAST);
    (distance.max(least) / reach).powf(POWER).min(1.0)
}

/// Inner angles above this are sharp, rad: 200 degrees. Below, velocities are nearly as smooth as elsewhere.
const SHARP: f64 = 200.0 / 180.0 * std::f64::consts::PI;

/// Whether an inner angle, in rad, is sharp.
pub fn is_sharp(angle: f64) -> bool {
    angle > SHARP
}

/// The inner angle of a counter-clockwise outline at a corner, rad, in (0, 2 pi).
pub fn inner_angle(corners: &[Point], at: usize) -> f64 {
    let n = corners.len();
    let (before, after) = (corners[(at + n - 1) % n], corners[(at + 1) % n]);
    let (to, from) = (after - corners[at], before - corners[at]);
    let angle = to.cross(from).atan2(to.dot(from));
    angle.rem_euclid(std::f64::consts::TAU)
}

/// The sharp corners of an outline, between two walls.
pub fn sharp_corners(corners: &[Point], sockets: &[usize]) -> Vec<usize> {
    let n = corners.len();
    let is_wall = |edge: usize| !sockets.contains(&edge);
    (0..n)
        .filter(|&k| is_wall(k) && is_wall((k + n - 1) % n) && is_sharp(inner_angle(corners, k)))
        .collect()
}

/// Where an outline and its posts have sharp corners that cells become smaller towards.
pub fn graded_points(domain: &Domain<'_>, grading: Corners) -> Vec<Point> {
    match grading {
        Corners::Plain => Vec::new(),
        Corners::Graded => domain.sharp_points(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::P2Mesh;
    use crate::mesh::polygon::mesh;

    fn points(corners: &[(f64, f64)]) -> Vec<Point> {
        corners.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    fn area(mesh: &P2Mesh) -> f64 {
        let at = |n: u32| mesh.nodes[n as usize];
        let cells = mesh.cells.iter();
        cells
            .map(|c| {
                let twice = (at(c[1]) - at(c[0])).cross(at(c[2]) - at(c[0]));
                assert!(twice > 0.0, "no cell is turned over");
                twice / 2.0
            })
            .sum()
    }

    /// A bend with arms, `r` cells wide.
    fn bend(r: u32) -> Vec<Point> {
        let of = [(0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1)];
        of.map(|(x, y)| Point::new(f64::from(r * x), f64::from(r * y)))
            .to_vec()
    }

    #[test]
    fn cells_become_smaller_towards_sharp_corners_at_every_resolution() {
        for r in [4, 8, 16] {
            let corners = bend(r);
            let of = |kind| mesh(r, &Domain::simple(&corners, &[2, 5]), kind).expect("meshes");
            let (plain, graded) = (of(Corners::Plain), of(Corners::Graded));
            assert!((area(&graded.mesh) - area(&plain.mesh)).abs() < 1e-9);
            for (a, b) in graded.mesh.sockets.iter().zip(&plain.mesh.sockets) {
                assert_eq!(a.len(), b.len(), "sockets keep their nodes");
            }
            // Euler's formula: a mesh without hanging nodes.
            let edges = graded.mesh.nodes.len() - graded.mesh.n_vertices;
            let n = graded.mesh.cells.len();
            assert_eq!(graded.mesh.n_vertices + n, edges + 1);
            assert!(n < 3 * plain.mesh.cells.len(), "{n} cells at r = {r}");
            // Longest edges at every distance are as wanted there.
            let reach = REACH * f64::from(r);
            let (mut first, mut compared) = (f64::INFINITY, 0);
            for c in &graded.mesh.cells {
                let [a, b, d] = [c[0], c[1], c[2]].map(|n| graded.mesh.nodes[n as usize]);
                let longest = (b - a).norm().max((d - b).norm()).max((a - d).norm());
                let away = ((a + b + d) * (1.0 / 3.0) - corners[4]).norm();
                first = first.min(longest);
                if away < 0.5 * reach {
                    let wanted = size_towards(away + longest, reach);
                    assert!(
                        longest < 2.2 * wanted,
                        "{longest} at {away}, {wanted} wanted"
                    );
                    compared += 1;
                }
            }
            let least = reach.powi(-3);
            assert!(
                (0.2 * least..3.0 * least).contains(&first),
                "{first} {least}"
            );
            assert!(compared > 20, "{compared}");
        }
    }

    #[test]
    fn sizes_are_those_of_the_law() {
        assert_eq!(size_towards(5.0, 4.0), 1.0);
        assert!((size_towards(1.0, 4.0) - 0.25_f64.powf(0.75)).abs() < 1e-15);
        let least = 4.0_f64.powi(-3);
        assert!(
            (size_towards(0.0, 4.0) - least).abs() < 1e-12,
            "as large as its distance"
        );
    }

    #[test]
    fn angles_are_those_inside() {
        let bend = points(&[
            (0.0, 0.0),
            (2.0, 0.0),
            (2.0, 2.0),
            (1.0, 2.0),
            (1.0, 1.0),
            (0.0, 1.0),
        ]);
        let degrees = |k| inner_angle(&bend, k).to_degrees();
        assert!((degrees(0) - 90.0).abs() < 1e-9);
        assert!((degrees(4) - 270.0).abs() < 1e-9);
        assert_eq!(sharp_corners(&bend, &[]), [4]);
        assert_eq!(sharp_corners(&bend, &[4]), [0; 0], "beside a socket");
    }
}
