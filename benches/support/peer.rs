//! The peer: faer's sparse LDLT on a system that Stokeslet exported.
//!
//! Stokes systems are indefinite, with zeros on the diagonal of the pressures. Pivots are static, so tiny ones and those of the
//! wrong sign are replaced and refinement repairs what that costs.

use std::time::Instant;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::prelude::default;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, Mat, MatRef, Par, Side};
use stokeslet::session::{AssembledSystem, UnknownKind};

use super::{Failure, process};

/// Refinements that the peer may take.
const MAX_REFINEMENTS: u32 = 3;
/// Residual at which it stops refining: what Stokeslet asks of itself.
const TOLERANCE: f64 = 1e-10;
/// Pivots smaller than this are replaced; entries of the system are of size one.
const TINY_PIVOT: f64 = 1e-12;
/// By a pivot of this size.
const REPLACED_BY: f64 = 1e-8;

/// What the peer took and reached.
pub struct PeerRun {
    /// Ordering (AMD) and symbolic factorisation, s.
    pub analyse: f64,
    /// Numeric factorisation, s.
    pub factor: f64,
    /// Solve and refinements, s.
    pub solve: f64,
    /// Time of processors on all of these, s.
    pub processor: f64,
    /// Steps of refinement.
    pub refinements: u32,
    /// Reached, as [`relative_residual`] tells it.
    pub residual: f64,
    /// Bytes of the factor's values.
    pub factor_bytes: usize,
    /// Greatest difference to Stokeslet's solution over its greatest value, of velocities.
    pub difference: f64,
}

impl PeerRun {
    /// Everything that is timed, s.
    pub fn total(&self) -> f64 {
        self.analyse + self.factor + self.solve
    }
}

/// The system as faer takes it: the lower triangle.
pub fn lower_triangle(system: &AssembledSystem) -> Result<SparseColMat<usize, f64>, Failure> {
    let triplets: Vec<_> = system
        .lower
        .iter()
        .map(|&(i, j, v)| Triplet::new(i as usize, j as usize, v))
        .collect();
    let matrix = SparseColMat::try_new_from_triplets(system.n, system.n, &triplets);
    matrix.map_err(|e| format!("{e:?}").into())
}

/// Analyses, factors, solves and refines; all of these are timed, assembly is not.
pub fn run(
    system: &AssembledSystem,
    matrix: &SparseColMat<usize, f64>,
    par: Par,
) -> Result<PeerRun, Failure> {
    let n = system.n;
    let before = process::processor_time();
    let clock = Instant::now();
    let symbolic = factorize_symbolic_cholesky(
        matrix.symbolic(),
        Side::Lower,
        SymmetricOrdering::Amd,
        CholeskySymbolicParams::default(),
    )?;
    let analyse = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let signs: Vec<i8> = system
        .unknowns
        .iter()
        .map(|u| {
            if u.kind == UnknownKind::Pressure {
                -1
            } else {
                1
            }
        })
        .collect();
    let regularization = LdltRegularization {
        dynamic_regularization_signs: Some(&signs),
        dynamic_regularization_delta: REPLACED_BY,
        dynamic_regularization_epsilon: TINY_PIVOT,
    };
    let mut values = vec![0.0; symbolic.len_val()];
    let mut memory =
        MemBuffer::try_new(symbolic.factorize_numeric_ldlt_scratch::<f64>(par, default()))
            .map_err(|_| "no memory for the factorisation")?;
    let factor = symbolic
        .factorize_numeric_ldlt(
            &mut values,
            matrix.as_ref(),
            Side::Lower,
            regularization,
            par,
            MemStack::new(&mut memory),
            default(),
        )
        .map_err(|e| format!("{e:?}"))?;
    let factor_seconds = clock.elapsed().as_secs_f64();
    drop(memory);

    let clock = Instant::now();
    let mut memory = MemBuffer::try_new(symbolic.solve_in_place_scratch::<f64>(1, par))
        .map_err(|_| "no memory for the solve")?;
    let mut x = vec![0.0; n];
    let mut residual = system.rhs.clone();
    let mut refinements = 0;
    let reached = loop {
        let mut step = Mat::from_fn(n, 1, |i, _| residual[i]);
        factor.solve_in_place_with_conj(Conj::No, step.as_mut(), par, MemStack::new(&mut memory));
        x.iter_mut()
            .zip(MatRef::col(step.as_ref(), 0).iter())
            .for_each(|(x, d)| *x += d);
        residual = residual_of(system, &x);
        let reached = relative(system, &residual);
        if reached <= TOLERANCE || refinements == MAX_REFINEMENTS || !reached.is_finite() {
            break reached;
        }
        refinements += 1;
    };
    let solve = clock.elapsed().as_secs_f64();
    let processor = process::processor_time() - before;
    let (mut apart, mut greatest) = (0.0_f64, 0.0_f64);
    for (k, unknown) in system.unknowns.iter().enumerate() {
        if unknown.kind != UnknownKind::Pressure {
            apart = apart.max((x[k] - system.solution[k]).abs());
            greatest = greatest.max(system.solution[k].abs());
        }
    }
    Ok(PeerRun {
        analyse,
        factor: factor_seconds,
        solve,
        processor,
        refinements,
        residual: reached,
        factor_bytes: 8 * symbolic.len_val(),
        difference: apart / greatest,
    })
}

/// The larger of the momentum and the continuity rows' residual norms over the right-hand side's norm.
pub fn relative_residual(system: &AssembledSystem, x: &[f64]) -> f64 {
    relative(system, &residual_of(system, x))
}

fn residual_of(system: &AssembledSystem, x: &[f64]) -> Vec<f64> {
    let mut residual = system.rhs.clone();
    for &(i, j, value) in &system.lower {
        let (i, j) = (i as usize, j as usize);
        residual[i] -= value * x[j];
        if i != j {
            residual[j] -= value * x[i];
        }
    }
    residual
}

fn relative(system: &AssembledSystem, residual: &[f64]) -> f64 {
    let mut squares = [0.0; 2];
    for (unknown, r) in system.unknowns.iter().zip(residual) {
        squares[usize::from(unknown.kind == UnknownKind::Pressure)] += r * r;
    }
    let scale: f64 = system.rhs.iter().map(|b| b * b).sum::<f64>().sqrt();
    squares[0].max(squares[1]).sqrt() / scale
}
