//! Long pieces become two loose ends with a bridge of low rank between them: see [`stokeslet_fronts`], "Ends of low rank".

use std::sync::Arc;

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use crate::stokes::system::System;
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::profile::Work;
use stokeslet_base::table::Table;
use stokeslet_base::vectors::clear_upper_halves;
use stokeslet_fronts::algebra::norm_max;
use stokeslet_fronts::{
    Class, Element, FrontError, FrontRun, Image, KindId, Known, Schur, Values, Wanted, lowrank,
    schur_key,
};

/// Singular values below this part of the largest entry are dropped from what long pipes pass on.
const RANK_TOLERANCE: f64 = 1e-13;

/// The highest rank that is worth a bridge between ends of `m` unknowns. At coarse resolutions the rank is a larger part of them and a bridge
/// pays all the same: `grid20` at resolution 4 takes 0.68 GFLOP, 1.19 where ranks end at a half. At finer ones higher ranks only cost digits: flows
/// that balance to rounding would to 5e-13.
fn most_rank(m: usize) -> usize {
    if m < COARSE { 3 * m / 4 } else { m / 3 }
}

/// Unknowns of an end at resolution 5.
const COARSE: usize = 24;

/// The two ends of a long piece, and the rank of what they pass to each other.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    kinds: [KindId; 2],
    rank: u32,
}

/// Factors the couplings of long pieces, each essentially different one once.
pub(super) fn long_ends<const D: usize>(
    system: &mut System<D>,
    values: &mut Values,
    table: &Table,
    run: &FrontRun<'_>,
) -> Result<FxHashMap<u32, Ends>, FrontError> {
    let long: Vec<u32> = (0..system.pieces.len() as u32)
        .filter(|&p| system.pieces[p as usize].piece.is_long)
        .collect();
    let end_key = |root: Fingerprint, end: u64| {
        Hasher::new(Domain::PipeEnd)
            .key(root)
            .word(end)
            .float(RANK_TOLERANCE)
            .finish()
    };
    let mut found = FxHashMap::default();
    let mut todo = Vec::new();
    for &p in &long {
        let key = system.plan.kinds[system.root(p) as usize].key;
        let known = [0, 1].map(|end| table.schur(schur_key(end_key(key, end))));
        if let [Some(a), Some(b)] = known {
            let key = (key, unknowns_of_an_end(system, p));
            found.insert(p, put(system, values, key, [a, b], end_key));
        } else {
            todo.push(p);
        }
    }
    let schurs: Vec<KindId> = (0..system.pieces.len() as u32)
        .filter(|p| !found.contains_key(p))
        .map(|p| system.root(p))
        .collect();
    let wanted = Wanted {
        schurs: &schurs,
        ..Wanted::default()
    };
    values.compute(&system.plan, wanted, *run)?;
    let roots: Vec<(KindId, usize)> = todo
        .iter()
        .map(|&p| (system.root(p), unknowns_of_an_end(system, p)))
        .collect();
    let made = parallel::each(&roots, 1, |&(root, m)| {
        let _span = run.recorder.span("plan", "low rank", Work::default());
        let s = values.schur(root);
        let coupling = s.submatrix(0, m, m, m).to_owned();
        let factors = lowrank::factor(
            &coupling,
            norm_max(s.as_ref()),
            RANK_TOLERANCE,
            most_rank(m),
        );
        clear_upper_halves();
        let (u, v) = factors?;
        let end = |diagonal: faer::MatRef<'_, f64>, factor: &Schur| {
            let n = m + factor.ncols();
            Schur::from_fn(n, n, |i, j| match (i < m, j < m) {
                (true, true) => diagonal[(i, j)],
                (true, false) => factor[(i, j - m)],
                (false, true) => factor[(j, i - m)],
                (false, false) => 0.0,
            })
        };
        Some([
            end(s.submatrix(0, 0, m, m), &u),
            end(s.submatrix(m, m, m, m), &v),
        ])
    });
    for (&p, ends) in todo.iter().zip(made) {
        let Some(ends) = ends else { continue };
        let key = system.plan.kinds[system.root(p) as usize].key;
        let ends = ends.map(Arc::new);
        for (end, schur) in ends.iter().enumerate() {
            table.keep_schur(schur_key(end_key(key, end as u64)), schur);
        }
        let key = (key, unknowns_of_an_end(system, p));
        found.insert(p, put(system, values, key, ends, end_key));
    }
    Ok(found)
}

/// Boundary unknowns at either end of a long piece: as many as its walls leave of a socket's.
fn unknowns_of_an_end<const D: usize>(system: &System<D>, piece: u32) -> usize {
    system.pieces[piece as usize].piece.n_boundary / 2
}

/// Plans the two ends of a long piece as given fronts.
fn put<const D: usize>(
    system: &mut System<D>,
    values: &mut Values,
    (key, m): (Fingerprint, usize),
    [a, b]: [Arc<Schur>; 2],
    end_key: impl Fn(Fingerprint, u64) -> Fingerprint,
) -> Ends {
    let n = a.nrows() as u32;
    let rank = n - m as u32;
    let mut kind = |end, schur| {
        let kind = system.plan.given(end_key(key, end), n);
        values.set(kind, schur);
        kind
    };
    Ends {
        kinds: [kind(0, a), kind(1, b)],
        rank,
    }
}

/// All instances as elements; long ones as two ends with unknowns of their own, and a bridge between them.
///
/// ```text
/// x_i row:  ... + U z_1 = b_i      z_1 row:  U^T x_i - z_2 = 0      bridge on (z_1, z_2):  [ 0 -I]
/// x_j row:  ... + V z_2 = b_j      z_2 row:  V^T x_j - z_1 = 0                             [-I  0]
/// ```
pub(super) fn elements<const D: usize>(
    system: &mut System<D>,
    ends: &FxHashMap<u32, Ends>,
    values: &mut Values,
) -> (Vec<Element>, Vec<Element>, Vec<Class>) {
    let mut class = system.class.clone();
    let (mut elements, mut bridges) = (Vec::new(), Vec::new());
    for instance in &system.instances {
        let Some(found) = ends.get(&instance.piece) else {
            elements.push(system.element(instance));
            continue;
        };
        let m = unknowns_of_an_end(system, instance.piece);
        let (first, rank) = (class.len() as u32, found.rank);
        class.resize(class.len() + 2 * rank as usize, Class::Free);
        let kind = {
            let key = Hasher::new(Domain::PipeBridge)
                .word(u64::from(rank))
                .finish();
            system.plan.given(key, 2 * rank)
        };
        bridges.push(Element {
            kind,
            boundary: (first..first + 2 * rank).map(Image::plain).collect(),
        });
        let n = 2 * rank as usize;
        values.set(
            kind,
            Arc::new(Schur::from_fn(n, n, |i, j| {
                if i.abs_diff(j) == n / 2 { -1.0 } else { 0.0 }
            })),
        );
        for (end, from) in [first, first + rank].into_iter().enumerate() {
            let own = (from..from + rank).map(Image::plain);
            elements.push(Element {
                kind: found.kinds[end],
                boundary: instance.boundary[end * m..(end + 1) * m]
                    .iter()
                    .copied()
                    .chain(own)
                    .collect(),
            });
        }
    }
    (elements, bridges, class)
}
