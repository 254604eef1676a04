//! Vector registers between kernels.
//!
//! A thread that has multiplied matrices with `faer` goes on at about half its speed, wherever its code isn't compiled for the processor's
//! wide vectors, until some function that is has been through: seen on x86-64 (AMD EPYC, two cores). Stream lines of `grid20`, traced after
//! a solve, took 150 ms, and 84 in the same run once each thread had called [`clear_upper_halves`]; the solve itself took 0.30 and 0.22 s at
//! r = 16. What the processor does meanwhile wasn't looked into; that the upper halves of the registers are left in use is what fits.

use pulp::{Arch, Simd, WithSimd};

/// Clears the upper halves of vector registers; to be called after kernels of matrices, before anything else that takes time. Nanoseconds.
pub fn clear_upper_halves() {
    Arch::new().dispatch(Widest);
}

/// Compiled for wide vectors, which it uses: functions of that kind clear the registers when they return.
struct Widest;

impl WithSimd for Widest {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut used = std::hint::black_box([1.0_f64; 8]);
        used.iter_mut().for_each(|x| *x *= *x);
        std::hint::black_box(used);
    }
}
