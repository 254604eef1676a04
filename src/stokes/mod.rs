//! stokes
