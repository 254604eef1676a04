//! From particles to the grid, through the pressure, and back: a matrix for every wave, and its eigenvalues.
//!
//! A cell's `p` particles have `d = 2p` velocity components, with APIC's moments `6p`. What one of them becomes is carried through by the
//! same code that simulations run, for each of the `d`; `d²` Fourier transforms turn that into a `d x d` matrix for every wave.
//!
//! Source: \[004\] section 3.3.2.

use nalgebra::{DMatrix, Schur};
use rustfft::num_complex::Complex;
use stokeslet_base::parallel;
use stokeslet_dynamics::particles::hash_unit;
use thiserror::Error;

use super::centred;
use crate::measure::transform;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::transfer::Transfer;
use crate::world::{StepError, World};

/// Why there is no spectrum.
#[derive(Debug, Error)]
pub enum SpectrumError {
    /// Too few waves, or no particle.
    #[error("a spectrum needs at least 8 waves along an axis and a particle in a cell")]
    TooSmall,
    /// The round trip.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Eigenvalues that were not found.
    #[error("the eigenvalues of a wave did not converge")]
    Eigenvalues,
}

/// What counts as 0 below the diagonal, over the entries beside it: where rounding keeps the first from being reached, the next is tried.
const SMALL: [f64; 3] = [1e-15, 1e-13, 1e-11];
/// Iterations of an eigenproblem; a few for each eigenvalue are usual.
const MOST_ITERATIONS: usize = 1000;

/// Absolute eigenvalues of all waves of an `n x n` torus, constant in the middle: `d` maps, each wave's largest first.
///
/// # Shapes and units
/// - `places`: of particles in the unit cell, the same in every cell
/// - `n`: at least 8
/// # Errors
/// [`SpectrumError`].
/// # Accuracy and cost
/// `d` round trips with a pressure solve to 1e-13, `d²` transforms, `n²` dense eigenproblems of size `d`.
pub fn spectrum(
    settings: &Settings,
    places: &[[f64; 2]],
    n: usize,
) -> Result<Vec<Vec<f64>>, SpectrumError> {
    if n < 8 || places.is_empty() {
        return Err(SpectrumError::TooSmall);
    }
    let is_affine = settings.transfer == Transfer::Apic;
    let each = if is_affine { 6 } else { 2 };
    let d = each * places.len();
    let mut world = torus(settings, places, n);
    // Columns: [to][cell] for every degree of freedom of the first cell.
    let mut columns: Vec<Vec<Vec<Complex<f64>>>> = Vec::with_capacity(d);
    for from in 0..d {
        let particles = &mut world.particles;
        particles.v.fill([0.0; 2]);
        particles.b.fill([[0.0; 2]; 2]);
        let p = from / each;
        match from % each {
            k @ (0 | 1) => particles.v[p][k] = 1.0,
            k => particles.b[p][(k - 2) / 2][(k - 2) % 2] = 1.0,
        }
        world.pressure.fill(0.0);
        world.respond()?;
        let particles = &world.particles;
        let read = |to: usize, cell: usize| {
            let p = cell * places.len() + to / each;
            match to % each {
                k @ (0 | 1) => particles.v[p][k],
                k => particles.b[p][(k - 2) / 2][(k - 2) % 2],
            }
        };
        columns.push(parallel::map(d, 1, |to| {
            let mut values: Vec<Complex<f64>> = (0..n * n)
                .map(|cell| Complex::new(read(to, cell), 0.0))
                .collect();
            transform(&mut values, [n, n]);
            values
        }));
    }
    let of_wave = parallel::map(n * n, 1, |wave| {
        // Shifted by 1: most eigenvalues are 0 (PIC, APIC, XPIC) or 1 (FLIP), and next to zeros on the diagonal nothing is small.
        let matrix = DMatrix::from_fn(d, d, |to, from| {
            columns[from][to][wave] + if to == from { 1.0 } else { 0.0 }
        });
        let schur = SMALL.into_iter().find_map(|small| {
            Schur::try_new(matrix.clone(), small, MOST_ITERATIONS)
                .or_else(|| Schur::try_new(reflected(&matrix), small, MOST_ITERATIONS))
        })?;
        let (_, triangle) = schur.unpack();
        let of = |v: &Complex<f64>| (v - 1.0).norm();
        let mut sizes: Vec<f64> = triangle.diagonal().iter().map(of).collect();
        sizes.sort_by(|a, b| b.total_cmp(a));
        Some(sizes)
    });
    let of_wave: Option<Vec<Vec<f64>>> = of_wave.into_iter().collect();
    let of_wave = of_wave.ok_or(SpectrumError::Eigenvalues)?;
    Ok((0..d)
        .map(|k| {
            let map: Vec<f64> = of_wave.iter().map(|sizes| sizes[k]).collect();
            centred(&map, n)
        })
        .collect())
}

/// A similar matrix without its structure: reflected on both sides by a hashed vector. Iterations that go round in circles on the first may
/// end on the second.
fn reflected(matrix: &DMatrix<Complex<f64>>) -> DMatrix<Complex<f64>> {
    let d = matrix.nrows();
    let part = |i: usize| 0.5 + hash_unit(i as u32);
    let v = DMatrix::from_fn(d, 1, |i, _| Complex::new(part(i), part(i + d)));
    let scale = Complex::new(2.0 / v.norm_squared(), 0.0);
    let reflection = DMatrix::identity(d, d) - &v * v.adjoint() * scale;
    &reflection * matrix * &reflection
}

/// A torus at rest with the same particles in every cell, cell by cell.
fn torus(settings: &Settings, places: &[[f64; 2]], n: usize) -> World<2> {
    let mut scene = Scene {
        name: "torus".into(),
        title: String::new(),
        about: String::new(),
        low: vec![0.0; 2],
        high: vec![n as f64; 2],
        cells: vec![n; 2],
        step_over_cell: 1.0,
        duration: 1.0,
        density: 1.0,
        gravity: Vec::new(),
        seeding: crate::seeding::Seeding::Regular,
        reseed: false,
        bodies_hold: false,
        forced: false,
        start: crate::scene::Start::default(),
        sides: std::collections::BTreeMap::new(),
        patch: Vec::new(),
        body: Vec::new(),
        sizes: std::collections::BTreeMap::new(),
    };
    for end in ["x_low", "x_high", "y_low", "y_high"] {
        let side = crate::scene::SideInScene {
            kind: crate::scene::SideKind::Periodic,
            velocity: Vec::new(),
        };
        scene.sides.insert(end.to_owned(), side);
    }
    let settings = Settings {
        tolerance: 1e-13,
        max_iterations: 500,
        ..settings.clone()
    };
    let x = (0..n * n)
        .flat_map(|i| {
            places
                .iter()
                .map(move |p| [(i % n) as f64 + p[0], (i / n) as f64 + p[1]])
        })
        .collect();
    World::with_positions(&scene, &settings, x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fourier::{Response, regular};
    use crate::kernel::Kernel;

    const N: usize = 16;

    fn of(transfer: Transfer, order: u32) -> Vec<Vec<f64>> {
        let settings = Settings {
            transfer,
            order,
            ..Settings::default()
        };
        spectrum(&settings, &regular(2), N).unwrap()
    }

    fn middle() -> usize {
        N / 2 * N + N / 2
    }

    #[test]
    fn pic_and_apic_have_the_round_trips_eigenvalues_and_one_constant_more() {
        for transfer in [Transfer::Pic, Transfer::Apic] {
            let maps = of(transfer, 1);
            let want = Response::new(Kernel::Quadratic, transfer, &regular(2)).map(N);
            for (wave, want) in want.iter().enumerate() {
                assert!((maps[0][wave] - want).abs() < 1e-10, "{transfer:?} {wave}");
                let second = if wave == middle() { 1.0 } else { 0.0 };
                assert!(
                    (maps[1][wave] - second).abs() < 1e-10,
                    "{transfer:?} {wave}"
                );
                assert!(
                    maps[2..].iter().all(|m| m[wave] < 1e-10),
                    "{transfer:?} {wave}"
                );
            }
        }
    }

    #[test]
    fn flip_lets_all_but_one_through() {
        let maps = of(Transfer::Flip, 1);
        for map in &maps[..7] {
            assert!(map.iter().all(|v| (v - 1.0).abs() < 1e-10));
        }
        let last = &maps[7];
        assert!((last[middle()] - 1.0).abs() < 1e-10);
        // Slow waves are projected well, fast ones are not.
        assert!(
            last[middle() + 1] < 0.1 && last[0] > 0.9,
            "{} {}",
            last[middle() + 1],
            last[0]
        );
    }

    #[test]
    fn xpic_is_pic_at_order_1_and_apic_lies_between_orders_2_and_3() {
        let (pic, first) = (of(Transfer::Pic, 1), of(Transfer::Xpic, 1));
        for (a, b) in pic[0].iter().zip(&first[0]) {
            assert!((a - b).abs() < 1e-10);
        }
        let (two, three, apic) = (
            of(Transfer::Xpic, 2),
            of(Transfer::Xpic, 3),
            of(Transfer::Apic, 1),
        );
        // They cross between x = .20 and .22; the specification says .25.
        for k in 1..=N / 5 {
            let wave = middle() + k * N + k;
            assert!(
                two[0][wave] < apic[0][wave] && apic[0][wave] < three[0][wave],
                "{k}"
            );
        }
        assert!(
            two[2..].iter().flatten().all(|v| *v < 1e-8),
            "two maps only"
        );
        let halo = three[1].iter().enumerate().filter(|(i, _)| *i != middle());
        let halo = halo.map(|(_, v)| *v).fold(0.0, f64::max);
        // Of a wave that the pressure takes out particles keep s - s^r, s = 1 - lambda of PIC: at most .3849 at order 3. The thesis
        // says over .4.
        assert!((0.37..0.3850).contains(&halo), "{halo}");
    }
}
