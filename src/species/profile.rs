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
    half: f64,
}

impl Profile {
    /// The parabola between two walls without floor and ceiling.
    pub const PLANAR: Self = Self { half: 0.0 };

    /// The profile of a channel `width` wide (m) with `drag` (1/m^2, [`stokeslet_cad::chip::Chip::drag`]).
    pub fn new(width: f64, drag: f64) -> Self {
        Self {
            half: 0.5 * width * drag.max(0.0).sqrt(),
        }
    }

    /// Velocity over its mean.
    pub fn speed(self, eta: f64) -> f64 {
        let h = self.half;
        if h < PARABOLA {
            return 6.0 * eta * (1.0 - eta);
        }
        Shallow::new(h).at(eta.min(1.0 - eta)).1
    }

    /// Part of the flow between the right wall and `eta`.
    pub fn flow(self, eta: f64) -> f64 {
        if eta > 0.5 {
            return 1.0 - self.flow(1.0 - eta);
        }
        let h = self.half;
        if h < PARABOLA {
            return eta * eta * (3.0 - 2.0 * eta);
        }
        Shallow::new(h).at(eta).0
    }

    /// The `eta` to the right of which the part `flow` of the flow goes; Newton kept between bisection's bounds.
    pub fn eta(self, flow: f64) -> f64 {
        if flow > 0.5 {
            return 1.0 - self.eta(1.0 - flow);
        }
        if flow <= 0.0 {
            return 0.0;
        }
        let shallow = (self.half >= PARABOLA).then(|| Shallow::new(self.half));
        // Flow and speed.
        let at = |eta: f64| match &shallow {
            Some(shallow) => shallow.at(eta),
            None => (self.flow(eta), self.speed(eta)),
        };
        let (mut low, mut high) = (0.0, 0.5);
        let mut eta = match &shallow {
            // The parabola's own inverse, to rounding of 1 - 2 flow: one step mends that.
            None if flow > 1e-4 => 0.5 - ((1.0 - 2.0 * flow).asin() / 3.0).sin(),
            _ => (flow / 3.0).sqrt().min(0.5),
        };
        for _ in 0..60 {
            let (below, speed) = at(eta);
            let error = below - flow;
            if error > 0.0 {
                high = eta;
            } else {
                low = eta;
            }
            let next = eta - error / speed.max(f64::MIN_POSITIVE);
            let next = if next > low && next < high {
                next
            } else {
                0.5 * (low + high)
            };
            if (next - eta).abs() <= 1e-15 * eta {
                return next;
            }
            eta = next;
        }
        eta
    }
}

/// The flattened profile with what doesn't depend on the place: millions of places are asked for.
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
        // cosh(h t)/cosh(h) and sinh(h t)/cosh(h) in exponentials that can't overflow; the two are each other's inverse but for `far`.
        let near = (-2.0 * eta * self.half).exp();
        let beyond = if near > 0.0 { self.far / near } else { 0.0 };
        let over = 1.0 + self.far;
        let (cosh, sinh) = ((near + beyond) / over, (near - beyond) / over);
        let flow = (eta - (self.tanh - sinh) / (2.0 * self.half)) / self.mean;
        (flow, (1.0 - cosh) / self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_is_the_integral_of_speed_and_eta_undoes_it() {
        for h in [0.0, 0.3, 1.73, 8.0, 300.0, 900.0] {
            let profile = Profile { half: h };
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
}
