//! The smoothing kernel and the constants that it has on the lattice: what turns distances into number density and its rate.
//!
//! Start at [`Lattice`]: `n0`, the density of a particle deep in the fluid, and `C`, which makes the gradient of a linear pressure right there.

/// The smoothing kernel `w = (1 - r/re)^2` within its radius, 0 beyond.
///
/// # Shapes and units
/// `r` and `radius` in metres; the weight has no unit, the slope is per metre and never positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// The effective radius `re`, m.
    pub radius: f64,
}

impl Kernel {
    /// The weight `w(r)`.
    #[inline]
    #[must_use]
    pub fn weight(&self, r: f64) -> f64 {
        let s = 1.0 - r / self.radius;
        if s > 0.0 { s * s } else { 0.0 }
    }

    /// The slope `w'(r) = -(2/re) (1 - r/re)`.
    #[inline]
    #[must_use]
    pub fn slope(&self, r: f64) -> f64 {
        let s = 1.0 - r / self.radius;
        if s > 0.0 { -2.0 / self.radius * s } else { 0.0 }
    }
}

/// The kernel's constants on the square (cubic) lattice on which fluid starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// `n0`, the number density of a particle inside.
    pub density: f64,
    /// `C` of the gradient: negative, since `w'` is.
    pub gradient: f64,
    /// Mean square distance of neighbours weighted by the kernel, in spacings squared; scales the viscous term.
    pub spread: f64,
}

impl Lattice {
    /// The constants for an effective radius of `ratio` spacings in `D` dimensions.
    ///
    /// ```text
    /// n0 = sum w(r_j)      1/C = sum x_j^2 w'(r_j) / r_j      over all lattice points but the origin
    /// ```
    /// # Source
    /// Miyamoto and Koshizuka, (3), (4), (6). Differs: none; the sign of `C` is negative although the paper takes it as positive later.
    /// # Example
    /// ```
    /// let plane = stokeslet_particles::kernel::Lattice::new::<2>(2.1);
    /// assert!((plane.density - 1.533155).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn new<const D: usize>(ratio: f64) -> Lattice {
        let kernel = Kernel { radius: ratio };
        let reach = ratio.ceil() as i64;
        let deep = if D == 3 { reach } else { 0 };
        let (mut density, mut inverse, mut spread) = (0.0, 0.0, 0.0);
        for z in -deep..=deep {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let square = (x * x + y * y + z * z) as f64;
                    let r = square.sqrt();
                    if square == 0.0 || r >= ratio {
                        continue;
                    }
                    density += kernel.weight(r);
                    spread += kernel.weight(r) * square;
                    inverse += (x * x) as f64 * kernel.slope(r) / r;
                }
            }
        }
        Lattice {
            density,
            gradient: 1.0 / inverse,
            spread: spread / density,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The five printed pairs of constants, of both dimensions.
    #[test]
    fn lattice_constants_are_the_published_ones() {
        let cases = [
            (2, 2.1, 1.533155, -0.485715),
            (2, 2.5, 2.443682, -0.299566),
            (2, 3.1, 4.178308, -0.206830),
            (3, 2.1, 3.185199, -0.269597),
            (3, 2.5, 5.695716, -0.153184),
        ];
        for (dimension, ratio, density, gradient) in cases {
            let got = if dimension == 2 {
                Lattice::new::<2>(ratio)
            } else {
                Lattice::new::<3>(ratio)
            };
            assert!(
                (got.density - density).abs() < 1e-6,
                "n0 in {dimension}D at {ratio}: {}",
                got.density
            );
            assert!(
                (got.gradient - gradient).abs() < 1e-6,
                "C in {dimension}D at {ratio}: {}",
                got.gradient
            );
        }
    }

    /// The slope is the derivative of the weight, also where the kernel ends.
    #[test]
    fn the_slope_is_the_derivative_of_the_weight() {
        let kernel = Kernel { radius: 2.1 };
        for r in [0.3, 1.0, 1.9, 2.0999, 2.2] {
            let d = 1e-6;
            let difference = (kernel.weight(r + d) - kernel.weight(r - d)) / (2.0 * d);
            assert!(
                (difference - kernel.slope(r)).abs() < 1e-6,
                "at {r}: {difference} against {}",
                kernel.slope(r)
            );
        }
    }
}
