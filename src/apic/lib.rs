//! Incompressible flow on particles and staggered (MAC) grids: PIC, FLIP, XPIC and APIC transfers in two and three dimensions, and the
//! Fourier analysis that says what each of them loses.

pub mod field;
pub mod grid;
pub mod kernel;
pub mod particles;
pub mod project;
pub mod seeding;
pub mod sides;
pub mod solid;
pub mod transfer;
