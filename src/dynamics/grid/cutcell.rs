//! How much of every face is open, from the solid's level set on the nodes.

use super::Lattice;

/// The part of an edge between two nodes where the linear interpolant is negative, 0 to 1.
fn negative_part(a: f64, b: f64) -> f64 {
    match (a < 0.0, b < 0.0) {
        (true, true) => 1.0,
        (true, false) => a / (a - b),
        (false, true) => b / (b - a),
        (false, false) => 0.0,
    }
}

/// The part of a square with these corner values (in order around it) that is negative: straight lines between the crossings
/// of its edges; where opposite corners agree, the mean decides whether they are joined.
fn negative_area(corners: [f64; 4]) -> f64 {
    let mut c = corners;
    let negative = c.iter().filter(|v| **v < 0.0).count();
    // Area of the triangle cut off at corner k, on the side of its sign.
    let triangle = |c: &[f64; 4], k: usize| {
        let part = |other: f64| {
            let part = negative_part(c[k], other);
            if c[k] < 0.0 { part } else { 1.0 - part }
        };
        0.5 * part(c[(k + 1) % 4]) * part(c[(k + 3) % 4])
    };
    match negative {
        0 => 0.0,
        4 => 1.0,
        1 => triangle(&c, c.iter().position(|v| *v < 0.0).unwrap_or(0)),
        3 => 1.0 - triangle(&c, c.iter().position(|v| *v >= 0.0).unwrap_or(0)),
        _ => {
            while c[0] >= 0.0 || (c[1] >= 0.0 && c[2] >= 0.0) {
                c.rotate_left(1);
            }
            if c[1] < 0.0 {
                return 0.5 * (negative_part(c[0], c[3]) + negative_part(c[1], c[2]));
            }
            if c.iter().sum::<f64>() < 0.0 {
                1.0 - triangle(&c, 1) - triangle(&c, 3)
            } else {
                triangle(&c, 0) + triangle(&c, 2)
            }
        }
    }
}

/// The open part of every face, 0 (closed) to 1.
///
/// # Shapes and units
/// - `phi`: on the nodes of `cells`, positive in open space
/// - returns, per axis, one value a face: a length fraction in two dimensions, an area fraction in three
/// # Accuracy and cost
/// Exact where the level set is linear on a face (in two dimensions) or cuts it in a straight line (in three); second order.
/// # Source
/// The `V` of \[000\] (3.40); area cases after Batty, Bertails, Bridson 2007.
pub fn open_fractions<const D: usize>(cells: &Lattice<D>, phi: &[f64]) -> [Vec<f32>; D] {
    let nodes = cells.nodes();
    std::array::from_fn(|axis| {
        let faces = cells.faces(axis);
        let others: Vec<usize> = (0..D).filter(|a| *a != axis).collect();
        faces.map(|_, c| {
            let at = nodes.index(c);
            let step = nodes.stride(others[0]);
            let closed = if D == 2 {
                negative_part(phi[at], phi[at + step])
            } else {
                let other = nodes.stride(others[1]);
                negative_area([
                    phi[at],
                    phi[at + step],
                    phi[at + step + other],
                    phi[at + other],
                ])
            };
            (1.0 - closed).clamp(0.0, 1.0) as f32
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Shape, nodal_distance};

    #[test]
    fn a_straight_cut_gives_exact_areas() {
        for (offset, want) in [(0.25, 0.25), (0.5, 0.5), (0.75, 0.75)] {
            let area = negative_area([-offset, 1.0 - offset, 1.0 - offset, -offset]);
            assert!((area - want).abs() < 1e-15);
        }
        // x + y < 1/2 is a triangle of area 1/8; its complement has the rest.
        assert!((negative_area([-0.5, 0.5, 1.5, 0.5]) - 0.125).abs() < 1e-15);
        assert!((negative_area([0.5, -0.5, -1.5, -0.5]) - 0.875).abs() < 1e-15);
    }

    #[test]
    fn opposite_corners_share_the_square_with_their_complement() {
        for corners in [[-0.5, 1.0, -0.5, 1.0], [-1.0, 0.5, -1.0, 0.5]] {
            let sum = negative_area(corners) + negative_area(corners.map(|v| -v));
            assert!((sum - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn areas_of_a_ball_close_up() {
        // The divergence theorem for constants: open areas of opposite faces of the whole grid balance in every cell column.
        let cells = Lattice::<3>::cube(12);
        let ball = Shape::ball([0.5; 3], 0.36);
        let phi = nodal_distance(&cells, 1.0 / 12.0, &|x| -ball.distance(x));
        let open = open_fractions(&cells, &phi);
        for (axis, open) in open.iter().enumerate() {
            let faces = cells.faces(axis);
            let layer = |at: usize| -> f64 {
                (0..faces.len())
                    .filter(|i| faces.coordinates(*i)[axis] == at)
                    .map(|i| f64::from(open[i]))
                    .sum::<f64>()
                    / 144.0
            };
            let want = std::f64::consts::PI * 0.36 * 0.36;
            assert!(
                (layer(6) - want).abs() < 0.012,
                "a disc of the ball's radius: {} for {want}",
                layer(6)
            );
            assert_eq!(layer(0), 0.0);
        }
    }
}
