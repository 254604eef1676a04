//! Continuing values beyond where they are known, layer by layer.

use super::Lattice;

/// Gives values to samples near the valid ones: each of `layers` layers takes the mean of its valid neighbours.
///
/// # Shapes and units
/// - `values`, `valid`: one a sample; both are updated. Samples further away keep their values.
/// # Accuracy and cost
/// Constant continuation; only samples next to the front are looked at. The result doesn't depend on the order of samples.
pub fn extrapolate<const D: usize>(
    lattice: &Lattice<D>,
    values: &mut [f64],
    valid: &mut [bool],
    layers: usize,
) {
    let mut seen = valid.to_vec();
    let mut front = lattice.filter_map(|i, c| {
        let mut is_next = false;
        if !valid[i] {
            for_neighbours(lattice, i, c, |j| is_next |= valid[j]);
        }
        is_next.then_some(i)
    });
    for i in &front {
        seen[*i] = true;
    }
    for _ in 0..layers {
        let found: Vec<f64> = front
            .iter()
            .map(|i| {
                let (mut sum, mut count) = (0.0, 0);
                for_neighbours(lattice, *i, lattice.coordinates(*i), |j| {
                    if valid[j] {
                        sum += values[j];
                        count += 1;
                    }
                });
                sum / f64::from(count)
            })
            .collect();
        for (i, value) in front.iter().zip(found) {
            values[*i] = value;
            valid[*i] = true;
        }
        front = next_to(lattice, &mut seen, &front);
        if front.is_empty() {
            break;
        }
    }
}

/// Samples beside the given ones that nobody has seen; they are marked.
fn next_to<const D: usize>(lattice: &Lattice<D>, seen: &mut [bool], of: &[usize]) -> Vec<usize> {
    let mut found = Vec::new();
    for i in of {
        for_neighbours(lattice, *i, lattice.coordinates(*i), |j| {
            if !seen[j] {
                seen[j] = true;
                found.push(j);
            }
        });
    }
    found
}

/// Visits the neighbours of sample `i`, which has coordinates `c`.
fn for_neighbours<const D: usize>(
    lattice: &Lattice<D>,
    i: usize,
    c: [usize; D],
    mut visit: impl FnMut(usize),
) {
    for (a, at) in c.into_iter().enumerate() {
        let stride = lattice.stride(a);
        if at > 0 {
            visit(i - stride);
        }
        if at + 1 < lattice.n[a] {
            visit(i + stride);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_spreads_by_exactly_the_layers_asked_for() {
        let lattice = Lattice::<2>::cube(9);
        let mut values = vec![0.0; 81];
        let mut valid = vec![false; 81];
        let middle = lattice.index([4, 4]);
        values[middle] = 3.0;
        valid[middle] = true;
        extrapolate(&lattice, &mut values, &mut valid, 2);
        for (i, (value, valid)) in values.iter().zip(&valid).enumerate() {
            let c = lattice.coordinates(i);
            let near = c[0].abs_diff(4) + c[1].abs_diff(4) <= 2;
            assert_eq!((*value, *valid), (if near { 3.0 } else { 0.0 }, near));
        }
    }

    #[test]
    fn a_layer_takes_the_mean_of_its_valid_neighbours() {
        let lattice = Lattice::<2>::new([3, 1]);
        let mut values = vec![1.0, 0.0, 5.0];
        extrapolate(&lattice, &mut values, &mut [true, false, true], 1);
        assert_eq!(values, vec![1.0, 3.0, 5.0]);
    }
}
