//! Vector registers between kernels.
//!
//! Kernels of matrix products leave the upper halves of vector registers in use. Until they are cleared, processors of x86-64 execute
//! the instructions that all of them have (SSE2: whatever isn't compiled for the processor it runs on) as if each depended on the one
//! before, in every thread that ever multiplied matrices. On the machine this was found on (AMD EPYC, two cores) stream lines of `grid20`
//! were traced in 150 ms after a solve and in 77 once the registers were cleared, and the solve itself took 0.30 and 0.22 s at r = 16.

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
