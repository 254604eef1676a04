//! What is measured on a running scene: energies, vorticity, errors against known flows.
//!
//! Source: \[004\] sections 3.5.1, 3.5.2.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use stokeslet_base::parallel;

use crate::grid::{Faces, GHOST, Grid};
use crate::particles::Particles;
use crate::sides::Sides;
use crate::solid::Solid;
use crate::transfer::{Transfer, gradient};
use crate::world::World;

/// Errors against the known flow, m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Root mean square over faces, at the places where a step moves them.
    pub grid_l2: f64,
    /// Largest over faces.
    pub grid_max: f64,
    /// Root mean square of the vectors' lengths over particles.
    pub particles_l2: f64,
    /// Largest component over particles.
    pub particles_max: f64,
}

/// Each face once: inside or on an end, the upper one of periodic ends left out, not inside a body.
fn is_counted<const D: usize>(
    grid: &Grid<D>,
    sides: &Sides<D>,
    solid: Option<&Solid<D>>,
    axis: usize,
    i: usize,
    c: [usize; D],
) -> bool {
    grid.is_inside(axis, c)
        && !(sides.is_periodic(axis) && c[axis] == GHOST + grid.cells.n[axis])
        && solid.is_none_or(|s| s.valid[axis][i])
}

/// Sums over counted faces in order: `(count, sum, largest)`.
fn over_faces<const D: usize>(
    world: &World<D>,
    value: impl Fn(usize, usize, [usize; D]) -> f64 + Sync,
) -> (f64, f64, f64) {
    let (grid, sides, solid) = (&world.grid, &world.sides, world.solid.as_ref());
    let (mut count, mut sum, mut largest) = (0.0, 0.0, 0.0f64);
    for axis in 0..D {
        let found = grid.faces(axis).filter_map(|i, c| {
            is_counted(grid, sides, solid, axis, i, c).then(|| value(axis, i, c))
        });
        count += found.len() as f64;
        sum += found.iter().sum::<f64>();
        largest = found.iter().fold(largest, |m, v| m.max(v.abs()));
    }
    (count, sum, largest)
}

/// Mean square of the faces' velocities: `E_vel`, m²/s².
#[must_use]
pub fn energy<const D: usize>(world: &World<D>, u: &Faces<D>) -> f64 {
    let (n, sum, _) = over_faces(world, |axis, i, _| u[axis][i] * u[axis][i]);
    sum / n
}

/// `∂u_a/∂x_k` at a cell's centre by central differences of the means of the cell's two faces.
fn slope<const D: usize>(
    grid: &Grid<D>,
    u: &Faces<D>,
    a: usize,
    k: usize,
    cell: [usize; D],
) -> f64 {
    let faces = grid.faces(a);
    let at = grid.lower_face(a, cell);
    let (up, along) = (faces.stride(k), faces.stride(a));
    let u = &u[a];
    0.25 * (u[at + up] - u[at - up] + u[at + up + along] - u[at - up + along]) / grid.dx
}

/// Vorticity in a cell: its components (one in the plane), 1/s. Ghosts count.
#[must_use]
pub fn curl<const D: usize>(grid: &Grid<D>, u: &Faces<D>, cell: [usize; D]) -> [f64; 3] {
    let of = |a: usize, b: usize| slope(grid, u, b, a, cell) - slope(grid, u, a, b, cell);
    if D == 2 {
        [0.0, 0.0, of(0, 1)]
    } else {
        [of(1, 2), of(2, 0), of(0, 1)]
    }
}

/// Whether every face that [`curl`] reads in a cell is of liquid. Beside a body some aren't: their velocities are continued from
/// outside for the kernel's sake, and what they say of turning can be ten times too much.
#[must_use]
pub fn reads_liquid<const D: usize>(solid: &Solid<D>, grid: &Grid<D>, cell: [usize; D]) -> bool {
    let component = |a: usize| {
        let (faces, at) = (grid.faces(a), grid.lower_face(a, cell));
        let along = faces.stride(a);
        let mut across = (0..D).filter(|k| *k != a).map(|k| faces.stride(k));
        across.all(|up| {
            let read = [at + up, at - up, at + up + along, at - up + along];
            read.iter().all(|i| solid.valid[a][*i])
        })
    };
    (0..D).all(component)
}

/// Whether the widest kernel reads only faces of liquid in a cell: the measures below leave the others out.
fn has_curl<const D: usize>(solid: Option<&Solid<D>>, cell: usize) -> bool {
    solid.is_none_or(|s| !s.near[cell])
}

/// Mean over cells of the squared entries of the antisymmetric gradient: `E_vort`, 1/s². Every component of the vorticity counts twice.
/// Cells beside bodies are left out.
#[must_use]
pub fn enstrophy<const D: usize>(world: &World<D>, u: &Faces<D>) -> f64 {
    let solid = world.solid.as_ref();
    let found = world.grid.cells.filter_map(|i, c| {
        has_curl(solid, i).then(|| {
            let w = curl(&world.grid, u, c);
            2.0 * w.iter().map(|w| w * w).sum::<f64>()
        })
    });
    found.iter().sum::<f64>() / found.len().max(1) as f64
}

/// Integral of the vorticity's z component over a box, m²/s in the plane. Cells count by their centres; cells beside bodies don't.
#[must_use]
pub fn circulation<const D: usize>(world: &World<D>, low: [f64; D], high: [f64; D]) -> f64 {
    let (grid, solid) = (&world.grid, world.solid.as_ref());
    let found = grid.cells.filter_map(|i, c| {
        let x = grid.centre(c);
        let inside = (0..D).all(|k| (low[k]..=high[k]).contains(&x[k]));
        (inside && has_curl(solid, i)).then(|| curl(grid, &world.after, c)[2])
    });
    found.iter().sum::<f64>() * grid.dx.powi(D as i32)
}

/// A component's spectrum over the counted faces of a doubly periodic plane: `u^(k) / N`, x fastest.
#[must_use]
pub fn spectrum(grid: &Grid<2>, u: &Faces<2>, axis: usize) -> Vec<Complex<f64>> {
    let n = grid.cells.n;
    let faces = grid.faces(axis);
    let mut values: Vec<Complex<f64>> = (0..n[0] * n[1])
        .map(|i| {
            let at = faces.index([GHOST + i % n[0], GHOST + i / n[0]]);
            Complex::new(u[axis][at], 0.0)
        })
        .collect();
    transform(&mut values, n);
    let scale = 1.0 / (n[0] * n[1]) as f64;
    values.iter_mut().for_each(|v| *v *= scale);
    values
}

/// The discrete Fourier transform in two dimensions, x fastest, in place.
pub fn transform(values: &mut [Complex<f64>], n: [usize; 2]) {
    let mut planner = FftPlanner::new();
    let rows = planner.plan_fft_forward(n[0]);
    // As many lines as fit, each by itself.
    let lines = |n: usize| n * (SHARE / n).max(1);
    parallel::pieces_mut(values, lines(n[0]), |_, some| rows.process(some));
    let columns = planner.plan_fft_forward(n[1]);
    let turn = |of: &[Complex<f64>], [n, m]: [usize; 2]| {
        parallel::fill(n * m, SHARE, |i| of[i % m * n + i / m])
    };
    let mut turned = turn(values, n);
    parallel::pieces_mut(&mut turned, lines(n[1]), |_, some| columns.process(some));
    values.copy_from_slice(&turn(&turned, [n[1], n[0]]));
}

/// Values that are worth a thread where each takes nanoseconds.
const SHARE: usize = 8192;

/// The part of `E_vel` in the modes `(±a, ±a)` of both components, `a` waves across the domain: `E_taylor`, m²/s².
#[must_use]
pub fn taylor_energy(grid: &Grid<2>, u: &Faces<2>, a: usize) -> f64 {
    let n = grid.cells.n;
    let mut sum = 0.0;
    for axis in 0..2 {
        let spectrum = spectrum(grid, u, axis);
        for kx in [a, n[0] - a] {
            for ky in [a, n[1] - a] {
                sum += spectrum[kx + ky * n[0]].norm_sqr();
            }
        }
    }
    sum / 2.0
}

/// Errors of the velocities against the flow of the start, now.
#[must_use]
pub fn errors<const D: usize>(world: &World<D>) -> Errors {
    let (time, dt, rho) = (world.time(), world.scene.step(), world.scene.density);
    let field = &world.field;
    let (n, squares, largest) = over_faces(world, |axis, i, c| {
        let u = world.after[axis][i];
        let mut x = world.grid.face(axis, c);
        x[axis] += dt * u;
        (u - field.at(x, time, rho).v[axis]).powi(2)
    });
    let particles = &world.particles;
    let found = parallel::map(particles.x.len(), 1024, |p| {
        let (v, known) = (particles.v[p], field.at(particles.x[p], time, rho).v);
        let mut square = 0.0;
        let mut largest = 0.0f64;
        for k in 0..D {
            square += (v[k] - known[k]).powi(2);
            largest = largest.max((v[k] - known[k]).abs());
        }
        (square, largest)
    });
    Errors {
        grid_l2: (squares / n).sqrt(),
        grid_max: largest.sqrt(),
        particles_l2: (found.iter().map(|f| f.0).sum::<f64>() / found.len().max(1) as f64).sqrt(),
        particles_max: found.iter().map(|f| f.1).fold(0.0, f64::max),
    }
}

/// Kinetic energy on faces off the ends: `sum m v~²/2`, J (per metre of depth in the plane).
#[must_use]
pub fn grid_energy<const D: usize>(world: &World<D>) -> f64 {
    let (_, sum, _) = over_faces(world, |axis, i, c| {
        let at = c[axis] - GHOST;
        let is_end = at == 0 || at == world.grid.cells.n[axis];
        if is_end && !world.sides.is_periodic(axis) {
            0.0
        } else {
            0.5 * world.mass[axis][i] * world.after[axis][i].powi(2)
        }
    });
    sum
}

/// Kinetic energy of particles, with that of APIC's affine part, J (per metre of depth in the plane).
#[must_use]
pub fn particle_energy<const D: usize>(world: &World<D>) -> f64 {
    let Particles { x, v, b, mass, .. } = &world.particles;
    let is_affine = world.settings.transfer == Transfer::Apic;
    let of = |p: usize| {
        let mut sum = v[p].iter().map(|v| v * v).sum::<f64>();
        if is_affine {
            let at = world.grid.in_cells(x[p]);
            for (axis, b) in b[p].iter().enumerate() {
                let c = gradient(world.settings.kernel, at, axis, *b, world.grid.dx);
                sum += (0..D).map(|k| b[k] * c[k]).sum::<f64>();
            }
        }
        0.5 * mass[p] * sum
    };
    parallel::map(x.len(), 1024, of).iter().sum()
}

/// `V = sum m |sum grad w x v e|² / 2` over particles: the squared vorticity that they see, kg/s².
#[expect(
    clippy::needless_range_loop,
    reason = "the axis indexes several arrays and a formula"
)]
#[must_use]
pub fn particle_vorticity<const D: usize>(world: &World<D>) -> f64 {
    let (grid, kernel) = (&world.grid, world.settings.kernel);
    let Particles { x, mass, .. } = &world.particles;
    let width = kernel.width();
    let of = |p: usize| {
        let at = grid.in_cells(x[p]);
        // grad[a][k]: derivative of component a along k.
        let mut grad = [[0.0; D]; D];
        for (axis, grad) in grad.iter_mut().enumerate() {
            let place: [f64; D] =
                std::array::from_fn(|k| if k == axis { at[k] } else { at[k] - 0.5 });
            let reach = place.map(|x| kernel.reach(x));
            let slopes = place.map(|x| kernel.slopes(x));
            let faces = grid.faces(axis);
            for node in 0..width.pow(D as u32) {
                let mut rest = node;
                let nodes: [usize; D] = std::array::from_fn(|_| {
                    let node = rest % width;
                    rest /= width;
                    node
                });
                let c =
                    std::array::from_fn(|k| (reach[k].first + GHOST as i64) as usize + nodes[k]);
                let u = world.before[axis][faces.index(c)];
                for (k, g) in grad.iter_mut().enumerate() {
                    let mut w = u / grid.dx;
                    for j in 0..D {
                        w *= if j == k {
                            slopes[j][nodes[j]]
                        } else {
                            reach[j].weights[nodes[j]]
                        };
                    }
                    *g += w;
                }
            }
        }
        let mut square = 0.0;
        for a in 0..D {
            for k in 0..a {
                square += (grad[a][k] - grad[k][a]).powi(2);
            }
        }
        0.5 * mass[p] * square
    };
    parallel::map(x.len(), 1024, of).iter().sum()
}

/// The largest velocity component on a face, m/s.
#[must_use]
pub fn fastest<const D: usize>(world: &World<D>) -> f64 {
    over_faces(world, |axis, i, _| world.after[axis][i]).2
}

/// The frequency of the largest peak of a signal, and its root mean square about its mean.
///
/// # Shapes and units
/// - `signal`: evenly spaced, `interval` s apart; at least 8 values, or both are 0
/// # Accuracy and cost
/// Hann window, padded with zeros to 16 times its length: the peak is found to a sixteenth of one over the signal's length.
#[must_use]
pub fn frequency(signal: &[f64], interval: f64) -> (f64, f64) {
    let n = signal.len();
    if n < 8 {
        return (0.0, 0.0);
    }
    let mean = signal.iter().sum::<f64>() / n as f64;
    let rms = (signal.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
    let padded = 16 * n;
    let mut values = vec![Complex::new(0.0, 0.0); padded];
    for (k, (value, s)) in values.iter_mut().zip(signal).enumerate() {
        let window = 0.5 - 0.5 * (2.0 * std::f64::consts::PI * k as f64 / (n - 1) as f64).cos();
        value.re = window * (s - mean);
    }
    FftPlanner::new()
        .plan_fft_forward(padded)
        .process(&mut values);
    // Below two periods in the signal the window's own shape dominates.
    let peak = (32..padded / 2)
        .max_by(|a, b| values[*a].norm_sqr().total_cmp(&values[*b].norm_sqr()))
        .unwrap_or(0);
    (peak as f64 / (padded as f64 * interval), rms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn a_sine_has_its_frequency() {
        let signal: Vec<f64> = (0..400)
            .map(|k| 3.0 + (2.0 * std::f64::consts::PI * 0.37 * 0.1 * f64::from(k)).sin())
            .collect();
        let (f, rms) = frequency(&signal, 0.1);
        assert!((f - 0.37).abs() < 0.002, "{f}");
        assert!((rms - 0.5f64.sqrt()).abs() < 0.01, "{rms}");
    }

    #[test]
    fn a_pure_vortex_has_all_its_energy_in_its_modes() {
        let scene = crate::scenes::find("taylor-green").unwrap().scene();
        let mut world = World::<2>::new(&scene, &Settings::default());
        for axis in 0..2 {
            let faces = world.grid.faces(axis);
            world.after[axis] =
                faces.map(|_, c| world.field.at(world.grid.face(axis, c), 0.0, 3.0).v[axis]);
        }
        let (all, modes) = (
            energy(&world, &world.after),
            taylor_energy(&world.grid, &world.after, 1),
        );
        assert!(
            (all - 0.25).abs() < 1e-12 && (modes - 0.25).abs() < 1e-12,
            "{all} {modes}"
        );
        // (curl)² has the mean 1 (vorticity -2 sin sin), counted twice; the stencil takes a little.
        let e = enstrophy(&world, &world.after);
        assert!((e - 2.0).abs() < 0.02, "{e}");
        let errors = errors(&world);
        assert!(errors.grid_l2 < 0.03, "{errors:?}");
    }
}
