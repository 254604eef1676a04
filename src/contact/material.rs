//! Stresses of elastic solids and dry sand, and their derivatives.
//!
//! Both are isotropic: with `F = U S V^T` the stress is `U p(S) V^T`, so one formula differentiates them. Knows no meshes and no
//! particles: a deformation gradient in, a first Piola-Kirchhoff stress out.

use crate::real::{M3, V3};
use nalgebra::SMatrix;
use serde::{Deserialize, Serialize};

/// Derivatives of a stress: entry (3 i + j, 3 k + l) is d P_ij / d F_kl.
pub type M9 = SMatrix<f64, 9, 9>;

/// A material of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Material {
    /// Fixed corotated elasticity, `P = 2 mu (F - R) + lambda (J - 1) J F^-T`.
    FixedCorotated {
        /// Shear modulus, Pa.
        mu: f64,
        /// First Lame parameter, Pa.
        lambda: f64,
    },
    /// Dry sand: Hencky elasticity inside the cone of Drucker and Prager.
    Sand {
        /// Shear modulus, Pa.
        mu: f64,
        /// First Lame parameter, Pa.
        lambda: f64,
        /// `sqrt(2/3) 2 sin / (3 - sin)` of the angle of friction.
        alpha: f64,
    },
}

/// Shear modulus and first Lame parameter from Young's modulus and Poisson's ratio.
pub fn lame(young: f64, poisson: f64) -> (f64, f64) {
    (
        young / (2.0 * (1.0 + poisson)),
        young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
    )
}

/// U, the diagonal of S, and V.
pub type Svd = (M3, V3, M3);

/// `F = U diag(s) V^T` with rotations U and V, `s` descending; the last may be negative.
pub fn rotation_svd(f: &M3) -> Svd {
    rotation_svd_near(f, &M3::identity())
}

/// [`rotation_svd`], looked for from a rotation `near` that V may be near to, such as that of a gradient little different.
///
/// # Accuracy and cost
/// One-sided rotations of Jacobi: `F` is met to rounding whatever `near`; fewer sweeps the nearer it is.
/// # Source
/// Golub and Van Loan, Matrix Computations, section 8.6.3.
pub fn rotation_svd_near(f: &M3, near: &M3) -> Svd {
    let mut v = [0, 1, 2].map(|k| V3::from(near.column(k)));
    let mut a = v.map(|v| f * v);
    // Quadratic once the columns are nearly at right angles: a dozen sweeps are far more than it takes.
    for _ in 0..12 {
        let mut is_turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (pp, qq, pq) = (a[p].norm_squared(), a[q].norm_squared(), a[p].dot(&a[q]));
            if pq * pq <= 1e-30 * pp * qq {
                continue;
            }
            is_turned = true;
            let cot = (qq - pp) / (2.0 * pq); // of twice the angle
            let tan = cot.signum() / (cot.abs() + (1.0 + cot * cot).sqrt());
            let cos = 1.0 / (1.0 + tan * tan).sqrt();
            let sin = cos * tan;
            for m in [&mut a, &mut v] {
                (m[p], m[q]) = (m[p] * cos - m[q] * sin, m[p] * sin + m[q] * cos);
            }
        }
        if !is_turned {
            break;
        }
    }
    let mut order = [0, 1, 2];
    let squares = a.map(|a| a.norm_squared());
    order.sort_by(|&i, &k| squares[k].total_cmp(&squares[i]));
    let (v1, v2) = (v[order[0]], v[order[1]]);
    let v3 = v1.cross(&v2);
    let (a1, a2, a3) = (a[order[0]], a[order[1]], f * v3);
    let u1 = if a1.norm() > 0.0 {
        a1.normalize()
    } else {
        V3::x()
    };
    let r2 = a2 - u1 * u1.dot(&a2);
    let u2 = if r2.norm() > 1e-150 {
        r2.normalize()
    } else {
        perpendicular(&u1)
    };
    let u3 = u1.cross(&u2);
    (
        M3::from_columns(&[u1, u2, u3]),
        V3::new(u1.dot(&a1), u2.dot(&a2), u3.dot(&a3)),
        M3::from_columns(&[v1, v2, v3]),
    )
}

fn perpendicular(u: &V3) -> V3 {
    let e = if u.x.abs() < 0.6 { V3::x() } else { V3::y() };
    u.cross(&e).normalize()
}

/// The rotation of the polar decomposition; of an inverted gradient the one that keeps `U V^T` a rotation.
pub fn rotation_of(f: &M3) -> M3 {
    if f.determinant() > 1e-3 * f.norm().powi(3) {
        // Newton's iteration of Higham: quadratic, six rounds from the strains seen here.
        let mut r = *f;
        for _ in 0..20 {
            let Some(inverse) = r.try_inverse() else {
                break;
            };
            let next = (r + inverse.transpose()) * 0.5;
            let change = (next - r).norm_squared();
            r = next;
            if change < 1e-30 {
                return r;
            }
        }
    }
    let (u, _, v) = rotation_svd(f);
    u * v.transpose()
}

fn cofactor(f: &M3) -> M3 {
    let c = [
        f.column(0).into_owned(),
        f.column(1).into_owned(),
        f.column(2).into_owned(),
    ];
    M3::from_columns(&[c[1].cross(&c[2]), c[2].cross(&c[0]), c[0].cross(&c[1])])
}

/// Logarithmic strains after return to the cone, and what happened.
enum Return {
    Tip,
    Elastic,
    Cone,
}

fn returned(e: &V3, mu: f64, lambda: f64, alpha: f64) -> (V3, Return) {
    let tr = e.sum();
    if tr > 0.0 {
        return (V3::zeros(), Return::Tip);
    }
    let dev = e - V3::repeat(tr / 3.0);
    let size = dev.norm();
    let excess = size + (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * tr * alpha;
    if excess <= 0.0 {
        return (*e, Return::Elastic);
    }
    (e - dev * (excess / size), Return::Cone)
}

/// What the change of entry (a, b) of a gradient in principal axes, and of entry (b, a), make of entry (a, b) of the stress.
fn twist(s: &V3, p: &V3, d: &M3, a: usize, b: usize) -> (f64, f64) {
    let apart = s[a] - s[b];
    let difference = if apart.abs() > 1e-5 * s[0].abs() {
        (p[a] - p[b]) / apart
    } else {
        0.5 * (d[(a, a)] - d[(a, b)] + d[(b, b)] - d[(b, a)])
    };
    let sum = s[a] + s[b];
    let bounded = if sum.abs() < 1e-3 {
        1e-3f64.copysign(sum)
    } else {
        sum
    };
    let mean = (p[a] + p[b]) / bounded;
    (0.5 * (difference + mean), 0.5 * (difference - mean))
}

impl Material {
    /// Fixed corotated solid of Young's modulus (Pa) and Poisson's ratio.
    pub fn elastic(young: f64, poisson: f64) -> Material {
        let (mu, lambda) = lame(young, poisson);
        Material::FixedCorotated { mu, lambda }
    }

    /// Sand of Young's modulus (Pa), Poisson's ratio and angle of friction (radians).
    pub fn sand(young: f64, poisson: f64, angle: f64) -> Material {
        let (mu, lambda) = lame(young, poisson);
        Material::Sand {
            mu,
            lambda,
            alpha: (2.0f64 / 3.0).sqrt() * 2.0 * angle.sin() / (3.0 - angle.sin()),
        }
    }

    /// The first Piola-Kirchhoff stress at the gradient `f`, Pa.
    pub fn stress(&self, f: &M3) -> M3 {
        self.stress_and_svd(f, &M3::identity()).0
    }

    /// Whether this is sand that came apart: where it takes more room than at rest it has neither stress nor stiffness.
    ///
    /// # Accuracy and cost
    /// As by the logarithmic strains, whose sum is the logarithm of the determinant, to rounding; a determinant.
    pub fn is_apart(&self, f: &M3) -> bool {
        matches!(self, Material::Sand { .. }) && f.determinant() > 1.0
    }

    /// [`Self::stress`], and the [`rotation_svd_near`] of `f` where that was needed for it.
    pub fn stress_and_svd(&self, f: &M3, near: &M3) -> (M3, Option<Svd>) {
        match *self {
            Material::FixedCorotated { mu, lambda } => {
                let c = cofactor(f);
                let stress =
                    (f - rotation_of(f)) * (2.0 * mu) + c * (lambda * (f.determinant() - 1.0));
                (stress, None)
            }
            Material::Sand { .. } if self.is_apart(f) => (M3::zeros(), None),
            Material::Sand { .. } => {
                let svd = rotation_svd_near(f, near);
                let (u, s, v) = &svd;
                let stress = u * M3::from_diagonal(&self.principal(s).0) * v.transpose();
                (stress, Some(svd))
            }
        }
    }

    /// Stresses in principal axes and their derivatives.
    fn principal(&self, s: &V3) -> (V3, M3) {
        match *self {
            Material::FixedCorotated { mu, lambda } => {
                let j = s.x * s.y * s.z;
                let rest = V3::new(s.y * s.z, s.z * s.x, s.x * s.y);
                let p = (s - V3::repeat(1.0)) * (2.0 * mu) + rest * (lambda * (j - 1.0));
                let d = M3::from_fn(|a, b| {
                    if a == b {
                        2.0 * mu + lambda * rest[a] * rest[a]
                    } else {
                        lambda * (rest[a] * rest[b] + (j - 1.0) * s[3 - a - b])
                    }
                });
                (p, d)
            }
            Material::Sand { mu, lambda, alpha } => {
                let s = s.map(|x| x.max(1e-6));
                let e = s.map(f64::ln);
                let tr = e.sum();
                let (back, kind) = returned(&e, mu, lambda, alpha);
                let t = back * (2.0 * mu) + V3::repeat(lambda * back.sum());
                let de = match kind {
                    Return::Tip => M3::zeros(),
                    Return::Elastic => M3::identity(),
                    Return::Cone => {
                        let dev = e - V3::repeat(tr / 3.0);
                        let (size, c) =
                            (dev.norm(), (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * alpha);
                        let h = dev / size;
                        let one = V3::repeat(1.0);
                        one * one.transpose() / 3.0
                            - h * one.transpose() * c
                            - (M3::identity() - one * one.transpose() / 3.0 - h * h.transpose())
                                * (c * tr / size)
                    }
                };
                let dt = de * (2.0 * mu) + V3::repeat(lambda) * (V3::repeat(1.0).transpose() * de);
                let p = t.component_div(&s);
                let d = M3::from_fn(|a, b| {
                    dt[(a, b)] / (s[a] * s[b]) - if a == b { t[a] / (s[a] * s[a]) } else { 0.0 }
                });
                (p, d)
            }
        }
    }

    /// Derivatives of [`Self::stress`].
    ///
    /// # Accuracy and cost
    /// Exact for the branch of the return taken; where two principal stretches cancel (an inverted gradient) the stiffness is bounded.
    pub fn stiffness(&self, f: &M3) -> M9 {
        self.stiffness_over(&rotation_svd(f), &M3::identity())
    }

    /// Derivatives of `P(F) F0^T` along `F = (1 + dt G) F0` over those of `dt G`, from the [`rotation_svd`] of `F` and the gradient `F0` at the
    /// start of a step; entry (3 i + j, 3 k + l) is that of entry (i, j) over `dt G_kl`. [`Self::stiffness`] where `F0` is the identity.
    ///
    /// # Accuracy and cost
    /// As there; about a thousand multiplications.
    pub fn stiffness_over(&self, svd: &Svd, start: &M3) -> M9 {
        let (u, s, v) = svd;
        let (p, d) = self.principal(s);
        // In principal axes a change A = U^T dF V of the gradient changes the stress by B: B_aa = sum_b d_ab A_bb, and off the diagonal
        // B_ab is a sum of A_ab and A_ba.
        let w = start * v;
        let mut modes = [[[0.0; 9]; 3]; 3];
        for (a, modes) in modes.iter_mut().enumerate() {
            for (b, mode) in modes.iter_mut().enumerate() {
                for (ij, mode) in mode.iter_mut().enumerate() {
                    *mode = u[(ij / 3, a)] * w[(ij % 3, b)];
                }
            }
        }
        let mut out = M9::zeros();
        for a in 0..3 {
            for b in 0..3 {
                let mut row = [0.0; 9];
                if a == b {
                    for m in 0..3 {
                        for (row, mode) in row.iter_mut().zip(modes[m][m]) {
                            *row += d[(a, m)] * mode;
                        }
                    }
                } else {
                    let (own, other) = twist(s, &p, &d, a, b);
                    let both = modes[a][b].iter().zip(modes[b][a]);
                    for (row, (x, y)) in row.iter_mut().zip(both) {
                        *row = own * x + other * y;
                    }
                }
                let columns = out.as_mut_slice().chunks_exact_mut(9);
                for (column, row) in columns.zip(row) {
                    for (out, mode) in column.iter_mut().zip(modes[a][b]) {
                        *out += mode * row;
                    }
                }
            }
        }
        out
    }

    /// The gradient that stays after a step: for sand the one returned to the cone.
    pub fn settle(&self, f: &M3) -> M3 {
        match *self {
            Material::FixedCorotated { .. } => *f,
            Material::Sand { mu, lambda, alpha } => {
                let (u, s, v) = rotation_svd(f);
                let e = s.map(|x| x.max(1e-6).ln());
                let (back, _) = returned(&e, mu, lambda, alpha);
                u * M3::from_diagonal(&back.map(f64::exp)) * v.transpose()
            }
        }
    }

    /// Stored energy per reference volume, J/m^3.
    pub fn energy(&self, f: &M3) -> f64 {
        match *self {
            Material::FixedCorotated { mu, lambda } => {
                mu * (f - rotation_of(f)).norm_squared()
                    + 0.5 * lambda * (f.determinant() - 1.0).powi(2)
            }
            Material::Sand { mu, lambda, alpha } => {
                let (_, s, _) = rotation_svd(f);
                let (e, _) = returned(&s.map(|x| x.max(1e-6).ln()), mu, lambda, alpha);
                mu * e.norm_squared() + 0.5 * lambda * e.sum().powi(2)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

    fn gradient(random: &mut Random, size: f64) -> M3 {
        M3::identity() + M3::from_fn(|_, _| size * (2.0 * random.number() - 1.0))
    }

    #[test]
    fn gradients_of_every_kind_are_products_of_rotations_and_stretches() {
        let mut random = Random::new(11);
        let mut all = vec![
            M3::zeros(),
            M3::identity(),
            M3::from_diagonal(&V3::new(1.0, 1.0, -2.0)),
        ];
        all.push(V3::new(1.0, 2.0, 3.0) * V3::new(-1.0, 0.5, 2.0).transpose());
        for size in [1e-12, 1e-3, 0.3, 3.0, 1e8] {
            all.extend((0..200).map(|_| gradient(&mut random, size)));
        }
        for f in all {
            let (u, s, v) = rotation_svd(&f);
            for q in [u, v] {
                assert_small(
                    (q.transpose() * q - M3::identity()).norm(),
                    1.0,
                    1e-14,
                    "orthogonal",
                );
                assert!(q.determinant() > 0.0, "a rotation");
            }
            let back = u * M3::from_diagonal(&s) * v.transpose();
            assert_small(
                (back - f).norm(),
                f.norm().max(1e-300),
                1e-14,
                "F = U S V^T",
            );
            let slack = 1e-14 * s[0];
            assert!(s[0] >= s[1] && s[1] >= s[2].abs() - slack, "in order: {s}");
            // From anywhere else the same, also from where it is already.
            for near in [rotation_svd(&gradient(&mut random, 1.0)).0, v] {
                let (other, t, w) = rotation_svd_near(&f, &near);
                assert_small((t - s).norm(), s.norm().max(1e-300), 1e-14, "values");
                let back = other * M3::from_diagonal(&t) * w.transpose();
                assert_small((back - f).norm(), f.norm().max(1e-300), 1e-14, "near");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        let mut random = Random::new(17);
        for material in [
            Material::elastic(1000.0, 0.3),
            Material::sand(1000.0, 0.3, 0.5),
        ] {
            for _ in 0..300 {
                let f = gradient(&mut random, 0.3);
                let exact = material.stiffness(&f);
                let size = exact.amax().max(1000.0);
                for k in 0..9 {
                    let mut e = M3::zeros();
                    e[(k / 3, k % 3)] = 1e-6;
                    let slope = (material.stress(&(f + e)) - material.stress(&(f - e))) / 2e-6;
                    for i in 0..9 {
                        assert_small(
                            slope[(i / 3, i % 3)] - exact[(i, k)],
                            size,
                            1e-6,
                            "stiffness is the derivative of stress",
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn derivatives_over_a_step_are_those_of_the_product_with_its_start() {
        let mut random = Random::new(18);
        for material in [
            Material::elastic(1000.0, 0.3),
            Material::sand(1000.0, 0.3, 0.5),
        ] {
            for _ in 0..100 {
                let start = gradient(&mut random, 0.2);
                let f = gradient(&mut random, 0.05) * start;
                let near = rotation_svd(&start).2;
                let (stress, svd) = material.stress_and_svd(&f, &near);
                let other = material.stress(&f);
                assert_small(
                    (stress - other).norm(),
                    other.norm().max(1.0),
                    1e-12,
                    "near",
                );
                let svd = svd.unwrap_or_else(|| rotation_svd(&f));
                let exact = material.stiffness_over(&svd, &start);
                for k in 0..9 {
                    let mut e = M3::zeros();
                    e[(k / 3, k % 3)] = 1e-6;
                    let at = |f: M3| material.stress(&f) * start.transpose();
                    let slope = (at(f + e * start) - at(f - e * start)) / 2e-6;
                    for i in 0..9 {
                        assert_small(
                            slope[(i / 3, i % 3)] - exact[(i, k)],
                            exact.amax().max(1000.0),
                            1e-6,
                            "derivative over a step",
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn stress_is_the_derivative_of_energy_and_turns_with_the_body() {
        let mut random = Random::new(19);
        let material = Material::elastic(1000.0, 0.45);
        for _ in 0..200 {
            let f = gradient(&mut random, 0.3);
            let p = material.stress(&f);
            let e = gradient(&mut random, 1.0);
            let slope =
                (material.energy(&(f + e * 1e-6)) - material.energy(&(f - e * 1e-6))) / 2e-6;
            assert_small(
                slope - p.dot(&e),
                p.norm() * e.norm() + 1000.0,
                1e-7,
                "P = dE/dF",
            );
            let r = nalgebra::Rotation3::new(random.vector() * 3.0).into_inner();
            assert_small(
                (material.stress(&(r * f)) - r * p).norm(),
                1000.0,
                1e-10,
                "P(RF) = R P(F)",
            );
        }
    }

    /// The determinant says what logarithmic strains say: no stress and no stiffness by them where it is over 1, some of both elsewhere.
    #[test]
    fn sand_has_come_apart_where_its_return_is_to_the_tip() {
        let mut random = Random::new(29);
        let material = Material::sand(1e6, 0.3, 0.5);
        let mut apart = 0;
        for _ in 0..2000 {
            let f = gradient(&mut random, 0.3);
            let (svd, far) = (rotation_svd(&f), (f.determinant() - 1.0).abs());
            let (p, d) = material.principal(&svd.1);
            assert!(far > 1e-9, "no tie among these");
            assert_eq!(material.is_apart(&f), p == V3::zeros() && d == M3::zeros());
            if material.is_apart(&f) {
                apart += 1;
                assert_eq!(material.stiffness_over(&svd, &M3::identity()), M9::zeros());
            }
        }
        assert!((500..1500).contains(&apart), "both kinds: {apart}");
        assert!(!Material::elastic(1e6, 0.3).is_apart(&(M3::identity() * 1.1)));
    }

    #[test]
    fn sand_returns_to_its_cone_and_stays() {
        for degrees in [20.0f64, 30.0, 40.0] {
            let mut random = Random::new(23);
            let material = Material::sand(1e6, 0.3, degrees.to_radians());
            let Material::Sand { mu, lambda, alpha } = material else {
                unreachable!("just made")
            };
            let mut on_cone = 0;
            for _ in 0..5000 {
                let f = gradient(&mut random, 0.4);
                if f.determinant() < 0.05 {
                    continue;
                }
                let once = material.settle(&f);
                let (_, s, _) = rotation_svd(&once);
                let e = s.map(f64::ln);
                let tau = e * (2.0 * mu) + V3::repeat(lambda * e.sum());
                let pressure = -tau.sum() / 3.0;
                let shear = (tau + V3::repeat(pressure)).norm();
                let limit = 3.0 * pressure * alpha;
                assert!(
                    shear <= limit + 1e-13 * mu,
                    "in the cone at {degrees}: {shear} > {limit}"
                );
                let returned = (once - f).norm() > 1e-9;
                if returned && pressure > 1e-9 * mu {
                    assert_small(shear - limit, mu, 1e-13, "on the cone");
                    let volume = once.determinant() / f.determinant() - 1.0;
                    assert_small(volume, 1.0, 1e-13, "shear keeps det F");
                    on_cone += 1;
                }
                assert_small(
                    (material.settle(&once) - once).norm(),
                    1.0,
                    1e-13,
                    "the return is idempotent",
                );
            }
            assert!(on_cone > 1000, "{on_cone} of 5000 are returned to the cone");
            let sine = degrees.to_radians().sin();
            // Triaxial compression: one axis pressed until it yields keeps the ratio of Mohr and Coulomb.
            let (back, _) = returned(&V3::new(0.3, 0.3, -0.9), mu, lambda, alpha);
            let tau = back * (2.0 * mu) + V3::repeat(lambda * back.sum());
            assert_small(
                tau.z / tau.x - (1.0 + sine) / (1.0 - sine),
                3.0,
                1e-13,
                "compression cone",
            );
            // Extension: the cone goes round Mohr and Coulomb's pyramid on the outside, where 30 degrees carry 7 to 1 instead of 3.
            if degrees == 30.0 {
                let (back, _) = returned(&V3::new(-0.5, -0.5, 0.7), mu, lambda, alpha);
                let tau = back * (2.0 * mu) + V3::repeat(lambda * back.sum());
                assert_small(tau.x / tau.z - 7.0, 7.0, 1e-13, "extension cone");
            }
        }
    }
}
