//! Snapshots -> the numbers that the paper's examples are judged by.
//!
//! All functions are pure; the last axis is up.

use crate::simulation::Snapshot;

/// Index of the upward axis.
fn up(snapshot: &Snapshot) -> usize {
    snapshot.dimension as usize - 1
}

/// Semi-axes of an ellipse of fluid about its own centre by second moments: `(2 sqrt<y^2>, 2 sqrt<x^2>)`, m.
///
/// Moments, since the outermost particles say more about the noise at the rim than about the ellipse.
#[must_use]
pub fn semi_axes(snapshot: &Snapshot) -> (f64, f64) {
    let n = snapshot.fluid.len() as f64;
    let axis = |k: usize| {
        let mean = snapshot.fluid.iter().map(|x| x[k]).sum::<f64>() / n;
        2.0 * (snapshot
            .fluid
            .iter()
            .map(|x| (x[k] - mean).powi(2))
            .sum::<f64>()
            / n)
            .sqrt()
    };
    (axis(1), axis(0))
}

/// The front of a dam break, m: the third-largest x of particles below six spacings, and half a spacing. 0 without three such particles.
#[must_use]
pub fn front(snapshot: &Snapshot) -> f64 {
    let l = snapshot.spacing;
    let mut x: Vec<f64> = snapshot
        .fluid
        .iter()
        .filter(|x| x[up(snapshot)] < 6.0 * l)
        .map(|x| x[0])
        .collect();
    x.sort_by(|a, b| b.total_cmp(a));
    x.get(2).map_or(0.0, |x| x + 0.5 * l)
}

/// Particles of the tongue that falls back to the left: `u_x < -.5 m/s`, higher than .03 m, left of .5 m.
#[must_use]
pub fn tongue(snapshot: &Snapshot) -> usize {
    let back = snapshot
        .fluid
        .iter()
        .zip(&snapshot.velocity)
        .filter(|(x, u)| u[0] < -0.5 && x[1] > 0.03 && x[0] < 0.5);
    back.count()
}

/// The level of the fluid, m: the mean over columns one spacing wide of the highest particle, and half a spacing.
///
/// Columns nearer than `away` to the vertical through `centre` are left out, so are two at each end. Empty columns don't count.
#[must_use]
pub fn level(snapshot: &Snapshot, centre: [f64; 3], away: f64) -> f64 {
    let l = snapshot.spacing;
    let z = up(snapshot);
    let mut tops = std::collections::BTreeMap::new();
    for x in &snapshot.fluid {
        let column: [i64; 2] =
            std::array::from_fn(|k| if k < z { (x[k] / l).floor() as i64 } else { 0 });
        let top = tops.entry(column).or_insert(f64::NEG_INFINITY);
        *top = x[z].max(*top);
    }
    let ends: Vec<(i64, i64)> = (0..2)
        .map(|k| {
            (
                tops.keys().map(|c| c[k]).min().unwrap_or(0),
                tops.keys().map(|c| c[k]).max().unwrap_or(0),
            )
        })
        .collect();
    let kept = tops.iter().filter(|(c, _)| {
        let far = (0..z).any(|k| ((c[k] as f64 + 0.5) * l - centre[k]).abs() > away);
        (far || away <= 0.0) && (0..z).all(|k| c[k] >= ends[k].0 + 2 && c[k] <= ends[k].1 - 2)
    });
    let (sum, count) = kept.fold((0.0, 0.0), |(s, n), (_, top)| (s + top + 0.5 * l, n + 1.0));
    sum / count
}

/// The part of a body below a level: each particle counts as a box along the axes of height `l`.
#[must_use]
pub fn submerged(snapshot: &Snapshot, body: usize, level: f64) -> f64 {
    let particles = &snapshot.bodies[body].particles;
    let below = |x: &[f64; 3]| ((level - x[up(snapshot)]) / snapshot.spacing + 0.5).clamp(0.0, 1.0);
    particles.iter().map(below).sum::<f64>() / particles.len() as f64
}

/// Mean `(n_i - n0)/n0` of the fluid at least `margin` below a level.
#[must_use]
pub fn bulk_compression(snapshot: &Snapshot, level: f64, margin: f64) -> f64 {
    let deep = snapshot
        .fluid
        .iter()
        .zip(&snapshot.compression)
        .filter(|(x, _)| x[up(snapshot)] < level - margin);
    let (sum, count) = deep.fold((0.0, 0.0), |(s, n), (_, c)| (s + c, n + 1.0));
    sum / count
}

/// How far pressures are from hydrostatic ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hydrostatic {
    /// Mean of `|p - rho g depth|` over `rho g H`.
    pub mean: f64,
    /// 95th percentile of the same.
    pub high: f64,
    /// Largest of the same.
    pub most: f64,
    /// Slope of `p` against `rho g depth` by least squares; 1 is right.
    pub slope: f64,
}

/// Compares pressures with `rho g depth` at points.
///
/// # Shapes and units
/// `points`: depth below the level (m) and pressure (Pa); `weight`: `rho g`, Pa/m; `height`: H, m.
#[must_use]
pub fn hydrostatic(points: &[(f64, f64)], weight: f64, height: f64) -> Hydrostatic {
    let n = points.len() as f64;
    let mut errors: Vec<f64> = points
        .iter()
        .map(|(d, p)| (p - weight * d).abs() / (weight * height))
        .collect();
    errors.sort_by(f64::total_cmp);
    let (mx, my) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), (d, p)| (x + weight * d / n, y + p / n));
    let (mut xy, mut xx) = (0.0, 0.0);
    for (d, p) in points {
        xy += (weight * d - mx) * (p - my);
        xx += (weight * d - mx).powi(2);
    }
    let high = errors
        .get((0.95 * n) as usize)
        .or(errors.last())
        .copied()
        .unwrap_or(f64::NAN);
    Hydrostatic {
        mean: errors.iter().sum::<f64>() / n,
        high,
        most: errors.last().copied().unwrap_or(f64::NAN),
        slope: xy / xx,
    }
}

/// The exact semi-axes of the circular patch at a time: `a' = -aA`, `b' = bA`, `A' = A^2 (a^2 - b^2)/(a^2 + b^2)`, all Runge-Kutta of order 4.
///
/// # Accuracy and cost
/// Steps of at most 1 ms, so about 1e-12.
/// # Source
/// Miyamoto and Koshizuka, (74)-(77), in the equivalent form of first order.
/// # Example
/// ```
/// let (a, b) = stokeslet_particles::measure::circular_patch(0.5, 2.0);
/// assert!((a - 0.135907).abs() < 1e-6 && (b - 1.839493).abs() < 1e-6);
/// ```
#[must_use]
pub fn circular_patch(radius: f64, time: f64) -> (f64, f64) {
    let rate = |[a, b, big]: [f64; 3]| {
        [
            -a * big,
            b * big,
            big * big * (a * a - b * b) / (a * a + b * b),
        ]
    };
    let add = |x: [f64; 3], s: f64, d: [f64; 3]| crate::vector::plus(&x, s, &d);
    let steps = (time / 1e-3).ceil().max(1.0);
    let h = time / steps;
    let mut x = [radius, radius, 1.0];
    for _ in 0..steps as u64 {
        let k1 = rate(x);
        let k2 = rate(add(x, h / 2.0, k1));
        let k3 = rate(add(x, h / 2.0, k2));
        let k4 = rate(add(x, h, k3));
        for (s, k) in [(1.0, k1), (2.0, k2), (2.0, k3), (1.0, k4)] {
            x = add(x, h * s / 6.0, k);
        }
    }
    (x[0], x[1])
}
