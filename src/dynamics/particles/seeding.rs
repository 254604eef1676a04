//! Where particles start: hashed positions in every cell.

use crate::grid::Lattice;

/// A number in [0, 1] that depends on nothing but `seed`.
///
/// # Source
/// Bridson's integer hash, as in the public simulator that \[000\] used.
pub fn hash_unit(seed: u32) -> f64 {
    const STEP: u32 = 2_654_435_769;
    let mut i = (seed ^ 0xA3C5_9AC3).wrapping_mul(STEP);
    i ^= i >> 16;
    i = i.wrapping_mul(STEP);
    i ^= i >> 16;
    i = i.wrapping_mul(STEP);
    f64::from(i) / f64::from(u32::MAX)
}

/// How particles are placed within cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seeding {
    /// So many a cell, anywhere in it.
    Hashed(usize),
    /// `k^D` a cell, each in its own part of it, moved from the middle by up to this fraction of the part to every side.
    Jittered(usize, f64),
}

/// Seeds particles in every cell; a position is kept if `keep` says so.
pub fn seed<const D: usize>(
    cells: &Lattice<D>,
    dx: f64,
    how: Seeding,
    keep: &dyn Fn([f64; D]) -> bool,
) -> Vec<[f64; D]> {
    let mut found = Vec::new();
    let mut count = 0;
    let mut next = || {
        count += 1;
        hash_unit(count - 1)
    };
    for i in 0..cells.len() {
        let c = cells.coordinates(i);
        let each = match how {
            Seeding::Hashed(each) => each,
            Seeding::Jittered(k, _) => k.pow(D as u32),
        };
        for part in 0..each {
            let x = std::array::from_fn(|a| {
                let within = match how {
                    Seeding::Hashed(_) => next(),
                    Seeding::Jittered(k, by) => {
                        let at = part / k.pow(a as u32) % k;
                        (at as f64 + 0.5 + by * (2.0 * next() - 1.0)) / k as f64
                    }
                };
                (c[a] as f64 + within) * dx
            });
            if keep(x) {
                found.push(x);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_numbers_look_uniform() {
        let n = 4000;
        let (mut mean, mut square) = (0.0, 0.0);
        for i in 0..n {
            let v = hash_unit(i);
            assert!((0.0..=1.0).contains(&v));
            mean += v / f64::from(n);
            square += v * v / f64::from(n);
        }
        assert!(
            (mean - 0.5).abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.02,
            "{mean} {square}"
        );
    }

    #[test]
    fn jittered_particles_stay_in_their_parts() {
        let cells = Lattice::<3>::cube(3);
        let all = seed(&cells, 1.0, Seeding::Jittered(2, 0.2), &|_| true);
        assert_eq!(all.len(), 27 * 8);
        for x in all {
            for c in x {
                let within = (2.0 * c).fract();
                assert!((0.3..=0.7).contains(&within), "{within}");
            }
        }
    }
}
