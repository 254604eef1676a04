//! Liquid without air: its pressure is only known up to a constant.

use crate::linear::Matrix;

/// A connected part of the liquid that touches no air.
#[derive(Clone, Debug, PartialEq)]
pub struct Pocket {
    /// Its unknowns, ascending.
    pub unknowns: Vec<u32>,
    /// The mean divergence that was taken off, since liquid that fills a closed space can't change its volume.
    pub mean: f64,
}

/// Finds pockets and makes them solvable: the mean of `b` is taken off, the first unknown's diagonal is doubled (which sets
/// its pressure to 0 and changes nothing else), and none of its cells may leave the wall: a full closed space has no room.
///
/// # Shapes and units
/// - rows are dominant by how much the surface or a wall of pressure 0 adds; a pocket has no such row
pub fn close_pockets(matrix: &mut Matrix<f64>, b: &mut [f64], in_s: &mut [bool]) -> Vec<Pocket> {
    let n = matrix.n();
    let mut seen = vec![false; n];
    let mut pockets = Vec::new();
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let mut part = vec![first as u32];
        let mut next = 0;
        let mut airless = true;
        while next < part.len() {
            let i = part[next] as usize;
            next += 1;
            let (columns, values) = matrix.row(i);
            let excess = matrix.diagonal[i] + values.iter().sum::<f64>();
            airless &= excess <= 1e-10 * matrix.diagonal[i];
            for c in columns {
                if !seen[*c as usize] {
                    seen[*c as usize] = true;
                    part.push(*c);
                }
            }
        }
        if airless {
            part.sort_unstable();
            let mean = part.iter().map(|i| b[*i as usize]).sum::<f64>() / part.len() as f64;
            for i in &part {
                b[*i as usize] -= mean;
                in_s[*i as usize] = false;
            }
            matrix.diagonal[first] *= 2.0;
            pockets.push(Pocket {
                unknowns: part,
                mean,
            });
        }
    }
    pockets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Builder;

    #[test]
    fn only_parts_without_air_are_closed() {
        // Two pairs: 0-1 free, 2-3 held by air at 3.
        let mut builder = Builder::new(4);
        for (other, diagonal) in [(1, 1.0), (0, 1.0), (3, 1.0), (2, 1.5)] {
            builder.entry(other, -1.0);
            builder.end_row(diagonal);
        }
        let mut matrix = builder.finish();
        let mut b = vec![1.0, 2.0, 3.0, 4.0];
        let mut in_s = vec![true; 4];
        let pockets = close_pockets(&mut matrix, &mut b, &mut in_s);
        assert_eq!(pockets.len(), 1);
        assert_eq!(
            (pockets[0].unknowns.clone(), pockets[0].mean),
            (vec![0, 1], 1.5)
        );
        assert_eq!(b, vec![-0.5, 0.5, 3.0, 4.0]);
        assert_eq!(matrix.diagonal, vec![2.0, 1.0, 1.0, 1.5]);
        assert_eq!(in_s, vec![false, false, true, true]);
    }
}
