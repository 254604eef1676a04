//! The thesis's manufactured solution in two dimensions (Ding 2019, section 4.6.2) and the data that make it exact.
//!
//! ```text
//! u = (sin(12x) y + cos(15y) + xy,  cos(14x) cos(13y) + sin(16y) x + x^2 - 1),   p = sin(15x + 10y + 1)
//! ```
//! It follows no wall and is not free of divergence: velocities are given on walls and flow-rate ports, the exact traction on
//! the others, and `f` and `l` make up the rest.

use super::boundary::PortLine;
use super::residual::Data;
use crate::chip::blocks::{BlockModel, Velocity};
use crate::fem::lagrange::cell_point;
use crate::fem::quadrature;
use crate::geometry::Point;

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
fn gradient(p: Point) -> [[f64; 2]; 2] {
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
fn force(p: Point, mu: f64, drag: f64) -> Point {
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

/// Data of the manufactured solution on a chip.
pub fn data(model: &BlockModel, port_lines: &[PortLine]) -> Data {
    let mu = model.viscosity;
    let rule = quadrature::simplex::<2>(8);
    let mut data = Data::default();
    for (b, block) in model.blocks.iter().enumerate() {
        let mesh = &model.kinds[block.kind as usize].block.mesh;
        let given = mesh.nodes.iter().map(|&n| {
            let v = block.frame.to_frame(velocity(block.to_chip(n)));
            [v.x, v.y]
        });
        data.given.insert(b as u32, given.collect());
        let mut load = vec![0.0; 2 * mesh.nodes.len() + mesh.n_vertices];
        let unit = block.frame.unit;
        for c in 0..mesh.n_cells() {
            let cell = mesh.cell(c);
            let nodes = mesh.cell_nodes(c);
            for (l, w) in rule.points.iter().zip(&rule.weights) {
                let point = cell_point::<2>(&nodes, l);
                let w = w * point.det_jacobian * unit * unit;
                let at = block.to_chip(point.position);
                let f = block.frame.to_frame(force(at, mu, model.drag)) * (w / mu);
                for (&n, phi) in cell.iter().zip(&point.values) {
                    load[2 * n as usize] += phi * f.x;
                    load[2 * n as usize + 1] += phi * f.y;
                }
                let g = gradient(at);
                for (&v, q) in cell.iter().zip(l) {
                    load[2 * mesh.nodes.len() + v as usize] -= q * (g[0][0] + g[1][1]) * w / unit;
                }
            }
        }
        data.block_loads.insert(b as u32, load);
    }
    for (port, line) in model.ports.iter().zip(port_lines) {
        add_traction(model, port.outward, line, &mut data);
    }
    data
}

/// The exact traction on a port where velocity is free.
fn add_traction(model: &BlockModel, normal: Point, line: &PortLine, data: &mut Data) {
    let row = &model.rows[line.row as usize];
    let layout = &model.layouts[row.layout as usize];
    let mut load = vec![0.0; layout.n_unknowns];
    let mu = model.viscosity;
    for edge in 0..(line.nodes.len() - 1) / 2 {
        let nodes = &line.nodes[2 * edge..2 * edge + 3];
        let length = (nodes[2].position - nodes[0].position).norm();
        for (s, w) in quadrature::gauss_legendre(5) {
            let at = nodes[0].position * (1.0 - s) + nodes[2].position * s;
            let g = gradient(at);
            let shear = Point::new(
                2.0 * g[0][0] * normal.x + (g[0][1] + g[1][0]) * normal.y,
                (g[0][1] + g[1][0]) * normal.x + 2.0 * g[1][1] * normal.y,
            );
            let traction =
                row.frame.to_frame(shear * mu - normal * pressure(at)) * (w * length / mu);
            let basis = [
                (1.0 - s) * (1.0 - 2.0 * s),
                4.0 * s * (1.0 - s),
                s * (2.0 * s - 1.0),
            ];
            for (node, phi) in nodes.iter().zip(basis) {
                let unknowns = layout.nodes[node.index as usize];
                if unknowns.owned && unknowns.velocity == Velocity::Both {
                    let first = layout.velocity_at[node.index as usize] as usize;
                    load[first] += phi * traction.x;
                    load[first + 1] += phi * traction.y;
                }
            }
        }
    }
    data.row_loads.insert(line.row, load);
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
