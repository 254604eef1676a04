//! The stream function of every design in the plane: what flows through a port is its difference between the port's walls.

use stokeslet::chip::socket_after;
use stokeslet::design::DepthModel;
use stokeslet::field::stream::stream_function;
use stokeslet::geometry::Point;

use crate::support::{designs, placed, solved};

/// Of the largest port flow.
const OFF: f64 = 1e-9;

#[test]
fn stream_functions_differ_by_the_flows_between_walls() {
    let mut ports = 0;
    for (name, text) in designs() {
        let chip = placed(&name, &text);
        let solution = solved(&chip, 4);
        let fields = &solution.fields;
        let psi = stream_function(fields);
        if chip.model == DepthModel::Full {
            assert_eq!(psi, None, "{name} is a cut through a flow in space");
            continue;
        }
        let psi = psi.unwrap();
        let at = |p: Point| {
            let off = |n: &usize| (fields.nodes[*n] - p).norm();
            let nearest = (0..fields.nodes.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
            psi[nearest.unwrap()]
        };
        let depth = chip.depth.unwrap_or(1.0);
        let largest = solution.ports.iter().map(|p| p.flow_rate.abs());
        let largest = largest.fold(0.0, f64::max);
        for (port, result) in chip.ports.iter().zip(&solution.ports) {
            let part = &chip.parts[port.socket.part];
            let socket = socket_after(&part.motion, &part.shape.sockets()[port.socket.socket]);
            let half = Point::unit(socket.direction).left() * (0.5 * socket.width);
            let between = (at(socket.middle + half) - at(socket.middle - half)).abs() * depth;
            let off = (between - result.flow_rate.abs()).abs();
            assert!(
                off < OFF * largest,
                "{name}, port `{}`: {between:e} between walls, {:e} through it",
                result.id,
                result.flow_rate
            );
            ports += 1;
        }
    }
    assert!(ports > 40, "{ports} ports were looked at");
}
