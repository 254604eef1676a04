//! How well shaped a mesh is.

use super::ComponentMesh;
use stokeslet_base::geometry::Point;

/// Worst cells of a component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Smallest angle of any cell, rad.
    pub least_angle: f64,
    /// Area of all cells, in squares of the component's unit.
    pub area: f64,
    /// Cells with no edge off the domain's boundary: none may be (thesis, section 4.3.5).
    pub enclosed_cells: usize,
}

/// Measures all blocks of a component.
pub fn quality(mesh: &ComponentMesh) -> Quality {
    let mut out = Quality {
        least_angle: f64::INFINITY,
        area: 0.0,
        enclosed_cells: 0,
    };
    for block in &mesh.blocks {
        let m = &mesh.kinds[block.kind].mesh;
        for c in 0..m.n_cells() {
            let corner = |k: usize| {
                let p = m.nodes[m.cell(c)[k] as usize];
                Point::new(p[0], p[1])
            };
            let [a, b, d] = [corner(0), corner(1), corner(2)];
            out.area += 0.5 * (b - a).cross(d - a) * block.scale * block.scale;
            for (p, q, r) in [(a, b, d), (b, d, a), (d, a, b)] {
                out.least_angle = out
                    .least_angle
                    .min((q - p).cross(r - p).atan2((q - p).dot(r - p)));
            }
        }
        let mut wall_edges = vec![0; m.n_cells()];
        m.walls
            .iter()
            .for_each(|&(c, _)| wall_edges[c as usize] += 1);
        out.enclosed_cells += wall_edges.iter().filter(|&&n| n == 3).count();
    }
    out
}
