//! The two kinds of floating point numbers that systems may be stored in.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `f32` or `f64`.
pub trait Real:
    Copy
    + Send
    + Sync
    + Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + 'static
{
    /// Nothing.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The distance from one to the next number.
    const EPSILON: f64;
    /// Rounded from double precision.
    fn of(value: f64) -> Self;
    /// In double precision.
    fn wide(self) -> f64;
    /// Absolute value.
    fn magnitude(self) -> Self;
    /// Whether it is NaN.
    fn is_no_number(self) -> bool;
    /// The larger of two.
    fn larger(self, other: Self) -> Self;
}

macro_rules! real {
    ($t:ty) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = <$t>::EPSILON as f64;
            fn of(value: f64) -> Self {
                value as $t
            }
            fn wide(self) -> f64 {
                f64::from(self)
            }
            fn magnitude(self) -> Self {
                self.abs()
            }
            fn is_no_number(self) -> bool {
                self.is_nan()
            }
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    };
}

real!(f32);
real!(f64);
