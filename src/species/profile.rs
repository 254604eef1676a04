//! The developed profile of a channel over `eta`, 0 at the right wall looking along the flow and 1 at the left, with mean 1.

/// Below this the shallow profile is the parabola to 2e-5, and its own formula would lose digits.
const PARABOLA: f64 = 1e-2;

/// The developed velocity profile of a channel: a parabola, or flattened by the drag of floor and ceiling.
///
/// ```text
/// planar    u = 6 eta (1 - eta)                                      P = 3 eta^2 - 2 eta^3
/// shallow   u = (1 - cosh(h t)/cosh(h)) / (1 - tanh(h)/h),  t = 2 eta - 1,  h = w sqrt(drag) / 2
/// ```
/// `P(eta)` is the part of the flow to the right of `eta`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// The flattened profile, where it is one; else its places are those of the parabola.
    shallow: Option<Shallow>,
}

impl Profile {
    /// The parabola between two walls without floor and ceiling.
    pub const PLANAR: Self = Self { shallow: None };

    /// The profile of a channel `width` wide (m) with `drag` (1/m^2, [`stokeslet_cad::chip::Chip::drag`]).
    pub fn new(width: f64, drag: f64) -> Self {
        Self::of_half(0.5 * width * drag.max(0.0).sqrt())
    }

    /// From half the width over the thickness of the walls' layers.
    fn of_half(half: f64) -> Self {
        Self {
            shallow: (half >= PARABOLA).then(|| Shallow::new(half)),
        }
    }

    /// Velocity over its mean.
    pub fn speed(self, eta: f64) -> f64 {
        match &self.shallow {
            Some(shallow) => shallow.at(eta.min(1.0 - eta)).1,
            None => 6.0 * eta * (1.0 - eta),
        }
    }

    /// Part of the flow between the right wall and `eta`.
    pub fn flow(self, eta: f64) -> f64 {
        if eta > 0.5 {
            return 1.0 - self.flow(1.0 - eta);
        }
        match &self.shallow {
            Some(shallow) => shallow.at(eta).0,
            None => eta * eta * (3.0 - 2.0 * eta),
        }
    }

    /// The `eta` to the right of which the part `flow` of the flow goes; Newton kept between bisection's bounds.
    ///
    /// # Accuracy
    /// Rounding, relative to the distance from the nearer wall.
    pub fn eta(self, flow: f64) -> f64 {
        if flow > 0.5 {
            return 1.0 - self.eta(1.0 - flow);
        }
        if flow <= 0.0 {
            return 0.0;
        }
        if let Some(shallow) = &self.shallow {
            return newton(flow, shallow.guess(flow), |eta| shallow.at(eta));
        }
        let guess = if flow > 1e-4 {
            // The parabola's own inverse, to rounding of 1 - 2 flow: one step mends that.
            0.5 - ((1.0 - 2.0 * flow).asin() / 3.0).sin()
        } else {
            (flow / 3.0).sqrt()
        };
        newton(flow, guess, |eta| (self.flow(eta), self.speed(eta)))
    }
}

/// Where `at`, which gives the flow and its derivative, reaches `flow` between 0 and a half.
fn newton(flow: f64, guess: f64, at: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (0.0, 0.5);
    let mut eta = guess;
    for _ in 0..60 {
        let (below, speed) = at(eta);
        let error = below - flow;
        if error > 0.0 {
            high = eta;
        } else {
            low = eta;
        }
        let next = eta - error / speed.max(f64::MIN_POSITIVE);
        let next = if (low..=high).contains(&next) {
            next
        } else {
            0.5 * (low + high)
        };
        // A step leaves half the square of its own relative length as the relative error.
        let is_last = (next - eta).abs() <= 1e-8 * eta;
        eta = next;
        if is_last {
            break;
        }
    }
    eta
}

/// The flattened profile with what doesn't depend on the place: millions of places are asked for.
///
/// With `x = 2 h eta`, the distance from the wall in lengths of the layer there:
/// ```text
/// 2 h mean P = G(x) = x - sinh x + tanh(h) (cosh x - 1),      mean u = G'(x),      T x^2/2 - x^3/6 + ... near the wall
/// ```
/// `G` is convex to the middle, `x = h`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shallow {
    half: f64,
    tanh: f64,
    /// `exp(-2 h)`.
    far: f64,
    mean: f64,
}

impl Shallow {
    fn new(half: f64) -> Self {
        let tanh = half.tanh();
        Self {
            half,
            tanh,
            far: (-2.0 * half).exp(),
            mean: 1.0 - tanh / half,
        }
    }

    /// Part of the flow to the right of a place, and the velocity over its mean there; `eta` at most a half.
    fn at(&self, eta: f64) -> (f64, f64) {
        let (h, tanh) = (self.half, self.tanh);
        let x = 2.0 * h * eta;
        // Near the wall by series: what is left of three larger terms would be lost.
        if x < 0.5 {
            let s = x * x;
            let series = |over: [f64; 5]| over.iter().rev().fold(1.0, |sum, n| 1.0 + s / n * sum);
            let beyond = x * s / 6.0 * series([20.0, 42.0, 72.0, 110.0, 156.0]);
            let rise = s / 2.0 * series([12.0, 30.0, 56.0, 90.0, 132.0]);
            let flow = (tanh * rise - beyond) / (2.0 * h * self.mean);
            return (flow, (tanh * (x + beyond) - rise) / self.mean);
        }
        // cosh(h t)/cosh(h) and sinh(h t)/cosh(h) in exponentials that can't overflow; the two are each other's inverse but for `far`.
        let near = (-x).exp();
        let beyond = if near > 0.0 { self.far / near } else { 0.0 };
        let over = 1.0 + self.far;
        let (cosh, sinh) = ((near + beyond) / over, (near - beyond) / over);
        let flow = (eta - (tanh - sinh) / (2.0 * h)) / self.mean;
        (flow, (1.0 - cosh) / self.mean)
    }

    /// Near the place with a part `flow` of the flow to its right: two terms of the series at the wall, or what is left far behind the layer.
    fn guess(&self, flow: f64) -> f64 {
        let g = 2.0 * self.half * self.mean * flow;
        let near = (2.0 * g / self.tanh).sqrt();
        let x = (near + near * near / (6.0 * self.tanh)).min(g + self.tanh);
        (x / (2.0 * self.half)).min(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_is_the_integral_of_speed_and_eta_undoes_it() {
        for h in [0.0, 0.3, 1.73, 8.0, 300.0, 900.0] {
            let profile = Profile::of_half(h);
            for k in 1..40 {
                let eta = f64::from(k) / 40.0;
                let d = 1e-5;
                let slope = (profile.flow(eta + d) - profile.flow(eta - d)) / (2.0 * d);
                assert!(
                    (slope - profile.speed(eta)).abs() < 1e-4 * (1.0 + h * h * 1e-3),
                    "h {h}, eta {eta}"
                );
                assert!(
                    (profile.eta(profile.flow(eta)) - eta).abs() < 1e-9,
                    "h {h}, eta {eta}"
                );
            }
            assert!((profile.flow(1.0) - 1.0).abs() < 1e-14);
            assert!(profile.flow(0.0).abs() < 1e-14);
        }
    }

    /// Tubes at walls are thin: their places keep their digits, however little flows beyond them, and across the change of formula.
    #[test]
    fn eta_keeps_its_digits_at_the_wall() {
        for h in [0.0, 0.011, 0.3, 1.73, 8.0, 300.0, 900.0] {
            let profile = Profile::of_half(h);
            for k in 1..60 {
                let eta = 0.5 * 0.7_f64.powi(k);
                let back = profile.eta(profile.flow(eta));
                assert!(
                    (back / eta - 1.0).abs() < 2e-13,
                    "h {h}, eta {eta}: {:e}",
                    back / eta - 1.0
                );
            }
            // Series end at x = 2 h eta = 1/2.
            if h > 0.5 {
                let shallow = Shallow::new(h);
                let at = 0.25 / h;
                let [a, b] = [at * (1.0 - 1e-9), at * (1.0 + 1e-9)].map(|eta| shallow.at(eta));
                let step = 2e-9 * at * b.1;
                let off = (b.0 - a.0 - step).abs();
                assert!(off < 4e-15 * at / shallow.mean, "h {h}: {off:e}");
            }
        }
    }
}
