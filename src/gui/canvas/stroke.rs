//! Lines become triangles with soft edges: what anti-aliasing is made of, for thousands of lines in one mesh.

use eframe::egui::epaint::Vertex;
use eframe::egui::{Color32, Mesh, Pos2, Vec2};

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pen {
    /// Across, points.
    pub width: f32,
    /// Colour of the line.
    pub colour: Color32,
    /// Size of a pixel, points: over it the edges fade.
    pub pixel: f32,
}

/// Corners are cut where the mitre would be longer than this many half widths.
const LONGEST_MITRE: f32 = 3.0;

/// Adds a line through `points`, from the last back to the first if `closed`.
pub fn stroke(mesh: &mut Mesh, points: &[Pos2], closed: bool, pen: Pen) {
    let n = points.len();
    if n < 2 {
        return;
    }
    let solid = ((pen.width - pen.pixel) / 2.0).max(0.0);
    let fade = solid + pen.pixel;
    // Lines thinner than a pixel are paler instead.
    let colour = pen.colour.gamma_multiply((pen.width / pen.pixel).min(1.0));
    let edge = Color32::TRANSPARENT;
    let (thin, thick) = (
        [(fade, edge), (0.0, colour), (-fade, edge)],
        [
            (fade, edge),
            (solid, colour),
            (-solid, colour),
            (-fade, edge),
        ],
    );
    // Between the two middle rows of a thin line there is nothing: of a large chip seen whole that is a quarter of all vertices.
    let rows = if solid > 0.0 { &thick[..] } else { &thin[..] };
    let across = |k: usize| normal(points[k], points[(k + 1) % n]);
    let first = mesh.vertices.len() as u32;
    let mut before = if closed { across(n - 1) } else { None };
    for (k, &p) in points.iter().enumerate().take(n) {
        let after = if closed || k + 1 < n { across(k) } else { None };
        let side = mitre(before, after);
        for &(offset, colour) in rows {
            let vertex = Vertex::untextured(p + side * offset, colour);
            mesh.vertices.push(vertex);
        }
        // A point that is met twice has no direction of its own.
        before = after.or(before);
    }
    let joints = if closed { n } else { n - 1 };
    for k in 0..joints {
        let [a, b] = [k, (k + 1) % n].map(|k| first + (rows.len() * k) as u32);
        for row in 0..rows.len() as u32 - 1 {
            let (p, q, r, s) = (a + row, a + row + 1, b + row, b + row + 1);
            mesh.indices.extend([p, q, r, q, s, r]);
        }
    }
}

fn normal(a: Pos2, b: Pos2) -> Option<Vec2> {
    let d = b - a;
    let length = d.length();
    (length > 1e-4).then(|| d.rot90() / length)
}

/// Where the side of the line is at a corner, for a line of half width one.
fn mitre(before: Option<Vec2>, after: Option<Vec2>) -> Vec2 {
    match (before, after) {
        (Some(a), Some(b)) => {
            let sum = a + b;
            let length = sum.length_sq();
            // |a + b|² = 2 (1 + cos): the mitre is 2 (a + b) / |a + b|², and grows without limit as the line folds back.
            if length > 4.0 / (LONGEST_MITRE * LONGEST_MITRE) {
                sum * (2.0 / length)
            } else {
                b
            }
        }
        (Some(n), None) | (None, Some(n)) => n,
        (None, None) => Vec2::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::pos2;

    const PEN: Pen = Pen {
        width: 3.0,
        colour: Color32::BLACK,
        pixel: 1.0,
    };

    #[test]
    fn a_square_keeps_its_width_round_the_corners() {
        let corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)];
        let points: Vec<Pos2> = corners.iter().map(|&(x, y)| pos2(x, y)).collect();
        let mut mesh = Mesh::default();
        stroke(&mut mesh, &points, true, PEN);
        assert!(mesh.is_valid());
        let bounds = mesh.calc_bounds();
        assert!((bounds.min - pos2(-2.0, -2.0)).length() < 1e-5, "{bounds}");
        assert!((bounds.max - pos2(12.0, 12.0)).length() < 1e-5, "{bounds}");
    }

    #[test]
    fn a_thin_line_has_no_middle_and_covers_what_a_thick_one_fades_over() {
        let points = [pos2(0.0, 0.0), pos2(10.0, 0.0)];
        let pen = |width| Pen { width, ..PEN };
        let of = |pen| {
            let mut mesh = Mesh::default();
            stroke(&mut mesh, &points, false, pen);
            assert!(mesh.is_valid());
            mesh
        };
        let (thin, thick) = (of(pen(0.5)), of(pen(1.001)));
        assert_eq!((thin.vertices.len(), thick.vertices.len()), (6, 8));
        let ends = |mesh: &Mesh| [mesh.calc_bounds().min, mesh.calc_bounds().max];
        for (thin, thick) in ends(&thin).into_iter().zip(ends(&thick)) {
            assert!((thin - thick).length() < 1e-3, "{thin} {thick}");
        }
        assert_eq!(thin.vertices[1].color, PEN.colour.gamma_multiply(0.5));
    }

    #[test]
    fn folds_and_points_met_twice_stay_finite() {
        let points = [(0.0, 0.0), (5.0, 0.0), (5.0, 0.0), (1.0, 0.0)].map(|(x, y)| pos2(x, y));
        let mut mesh = Mesh::default();
        stroke(&mut mesh, &points, false, PEN);
        assert!(mesh.is_valid());
        let bounds = mesh.calc_bounds();
        assert!(bounds.is_finite() && bounds.width() < 20.0, "{bounds}");
    }
}
