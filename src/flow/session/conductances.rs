//! The conductance between a chip's ports from its answers to unit data, whoever answers.

use super::Conductance;
use crate::field::ports::{PortValues, conductance, gives_flow};
use stokeslet_cad::chip::Port;

/// The conductance matrix, times `unit`: one more right-hand side a port.
///
/// # Shapes and units
/// - `component`: by port, the connected component where only differences of pressure are known, if it is in one
/// - `answers`: by case, what the ports see for its values at them, flows or pressures as their conditions have it
/// - `unit`: flow in the unit of results over flow in the unit of the answers
pub fn conductances(
    ports: &[Port],
    component: &[Option<u32>],
    unit: f64,
    answers: impl Fn(&[Vec<f64>]) -> Vec<Vec<PortValues>>,
) -> Conductance {
    let n = ports.len();
    let flow_given: Vec<bool> = ports.iter().map(|p| gives_flow(p.condition)).collect();
    let mut hybrid = vec![vec![0.0; n]; n];
    let values = |j: usize| -> Vec<f64> {
        // Where nothing fixes the pressure, inflows must balance: the rest leaves evenly through all ports of the connected component.
        let is_mate = |i: usize| component[j].is_some() && component[i] == component[j];
        let mates = (0..n).filter(|&i| is_mate(i)).count().max(1) as f64;
        let even = |i: usize| if is_mate(i) { 1.0 / mates } else { 0.0 };
        (0..n).map(|i| f64::from(i == j) - even(i)).collect()
    };
    let cases: Vec<Vec<f64>> = (0..n).map(values).collect();
    for (j, column) in answers(&cases).into_iter().enumerate() {
        for (i, seen) in column.into_iter().enumerate() {
            hybrid[i][j] = if flow_given[i] {
                seen.work_pressure
            } else {
                seen.flow_rate
            };
        }
    }
    let mut matrix = conductance(&hybrid, &flow_given, component);
    for (i, row) in matrix.iter_mut().enumerate() {
        // One pressure at all ports drives nothing. At a port thousands of times wider than another what it drives by itself is lost
        // in rounding; what the others do to it isn't.
        row[i] = 0.0;
        row[i] = -row.iter().sum::<f64>();
        row.iter_mut().for_each(|g| *g *= unit);
    }
    Conductance {
        ports: ports.iter().map(|p| p.name.clone()).collect(),
        matrix,
    }
}
