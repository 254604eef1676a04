//! Which row is eliminated next: the stages of the thesis (section 4.4) and, beyond it, pipes of low rank.
//!
//! 1. rows inside one block (condensation)
//! 2. regular rows, with at most two neighbours of their stage: cyclic reduction along their chains
//! 3. irregular rows, then those that components keep for last
//! 4. separators with at most two neighbours, again and again
//! 5. couplings between far separators are replaced by their low-rank factors; what is left falls into small groups
//!    (junctions) that are copies of each other, eliminated in their own order
//! 6. the rest, a network with a handful of unknowns a pipe, in COLAMD order
//!
//! Stage 5 needs ranks, so the operations up to there are run first; planning still sees only integers.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::colamd;
use thiserror::Error;

use super::plan::{Counters, Planner};
use super::run::{RunError, RunSettings, Store, estimate_bytes, run};
use super::system::{BlockSystem, Leaves, Stage, Step};
use stokeslet_base::table::Caching;

/// Groups of separators up to this size are eliminated in their own order, so that copies stay copies: a junction of many
/// sockets has a dozen. Larger groups are networks, where COLAMD saves fill.
const LARGEST_JUNCTION: usize = 12;

/// An eliminated system: steps, and the matrices that they name.
pub struct Elimination {
    /// In order.
    pub steps: Vec<Step>,
    /// Unknowns of each row, those that stage 5 put in included.
    pub sizes: Vec<u32>,
    /// Values of the matrices.
    pub store: Store,
    /// What was planned.
    pub counters: Counters,
    /// The part of `counters` that was planned before the separators' network (stage 6).
    pub counters_before_network: Counters,
    /// Rows that each stage eliminated: condensed, regular, irregular, separators I, junctions, separators II.
    pub rows_by_stage: [usize; 6],
    /// Peak memory that the plan foretold, bytes.
    pub estimated_bytes: u64,
}

/// Why an elimination failed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EliminationError {
    /// A pivot block is singular.
    #[error("row {row} has a singular pivot block")]
    Singular {
        /// The row.
        row: usize,
    },
    /// The plan needs more than the limit.
    #[error("the plan needs about {needed} bytes and {allowed} are allowed")]
    OutOfMemory {
        /// Estimate, bytes.
        needed: u64,
        /// Limit, bytes.
        allowed: u64,
    },
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// What the caller sets.
#[derive(Clone, Copy)]
pub struct EliminateSettings<'a> {
    /// Whether equal operations are done once.
    pub caching: Caching,
    /// See [`RunSettings`].
    pub run: RunSettings<'a>,
    /// Bytes that the matrices may take.
    pub memory_limit: Option<u64>,
    /// Called when a plan is ready and before it runs: its estimate, bytes.
    pub planned: &'a dyn Fn(u64),
}

/// Eliminates all rows of a system.
///
/// # Requires
/// Every pivot of the order above is nonsingular, but for the last of a connected component marked singular, which has one null vector.
/// # Errors
/// [`EliminationError`].
/// # Source
/// Ding 2019, sections 4.4 and 4.4.1. Differs: stage 1 (rows are interiors and connections), stage 5.
pub fn eliminate(
    system: &BlockSystem,
    leaves: &dyn Leaves,
    settings: EliminateSettings<'_>,
) -> Result<Elimination, EliminationError> {
    let mut planner = Planner::new(system, leaves, settings.caching);
    let mut rows_by_stage = [0; 6];
    let n = system.sizes.len() as u32;
    let of_stage = |stage: Stage| (0..n).filter(move |&r| system.stages[r as usize] == stage);
    for row in of_stage(Stage::Condense) {
        planner.eliminate(row);
        rows_by_stage[0] += 1;
    }
    let component: Vec<u32> = of_stage(Stage::Component).collect();
    let inner = |planner: &Planner, row: u32| {
        let near = planner.neighbours(row).iter().copied();
        near.filter(|&m| system.stages[m as usize] == Stage::Component)
            .collect::<Vec<u32>>()
    };
    let regular: Vec<bool> = {
        let mut flags = vec![false; n as usize];
        component
            .iter()
            .for_each(|&r| flags[r as usize] = inner(&planner, r).len() <= 2);
        flags
    };
    for row in cyclic_reduction(&component, &regular, |row| inner(&planner, row)) {
        planner.eliminate(row);
        rows_by_stage[1] += 1;
    }
    let irregular = component.iter().copied().filter(|&r| !regular[r as usize]);
    for row in irregular
        .chain(of_stage(Stage::ComponentLast))
        .collect::<Vec<_>>()
    {
        planner.eliminate(row);
        rows_by_stage[2] += 1;
    }
    let mut left: Vec<u32> = of_stage(Stage::Separator).collect();
    let mut far: std::collections::BTreeSet<(u32, u32)> = system
        .far_pairs
        .iter()
        .map(|&(a, b)| (a.min(b), a.max(b)))
        .collect();
    rows_by_stage[3] += separators_one(&mut planner, &mut left, &mut far);

    let mut store = Store::default();
    let mut estimated_bytes = 0;
    let mut advance = |planner: &Planner, store: &mut Store| -> Result<(), EliminationError> {
        let (peak, _) = estimate_bytes(planner);
        estimated_bytes = peak;
        (settings.planned)(peak);
        if let Some(allowed) = settings.memory_limit.filter(|&allowed| peak > allowed) {
            return Err(EliminationError::OutOfMemory {
                needed: peak,
                allowed,
            });
        }
        run(planner, store, leaves, settings.run).map_err(|error| match error {
            RunError::Cancelled => EliminationError::Cancelled,
            RunError::Singular { id } => {
                let row = planner
                    .steps
                    .iter()
                    .find(|s| s.inverse.id() == id)
                    .map_or(0, |s| s.row as usize);
                EliminationError::Singular { row }
            }
        })
    };
    let settled: Vec<_> = planner.settle();
    let candidates: Vec<_> = settled
        .into_iter()
        .filter(|&(i, j, m)| far.contains(&(i, j)) && !m.is_zero())
        .collect();
    let mut network = Vec::new();
    if !candidates.is_empty() {
        let factors: Vec<_> = candidates
            .iter()
            .map(|&(_, _, m)| planner.factors(m))
            .collect();
        advance(&planner, &mut store)?;
        for (&(i, j, _), pair) in candidates.iter().zip(factors) {
            let columns = store.get(pair.0.id()).map_or(0, |m| m.ncols());
            let smaller = planner.sizes[i as usize].min(planner.sizes[j as usize]) as usize;
            // Worth it while the new row is smaller than the rows it parts.
            if 4 * columns <= 3 * smaller {
                network.push(planner.insert_between(i, j, pair, columns as u32 / 2));
            }
        }
        for group in groups(&planner, &left, &network) {
            if group.len() <= LARGEST_JUNCTION {
                for &row in &group {
                    planner.eliminate(row);
                    rows_by_stage[4] += 1;
                }
                left.retain(|r| !group.contains(r));
            }
        }
    }
    let counters_before_network = planner.counters;
    left.extend(network);
    for row in colamd_order(&planner, &left) {
        planner.eliminate(row);
        rows_by_stage[5] += 1;
    }
    advance(&planner, &mut store)?;
    Ok(Elimination {
        steps: std::mem::take(&mut planner.steps),
        sizes: std::mem::take(&mut planner.sizes),
        counters: planner.counters,
        counters_before_network,
        store,
        rows_by_stage,
        estimated_bytes,
    })
}

/// Regular rows in the order of cyclic reduction: along every chain the first, third, fifth, ... row, then again what is left.
///
/// # Shapes and units
/// - `rows`: candidates; only those with `regular[row]` are ordered; `neighbours(row)` are its candidates
pub fn cyclic_reduction(
    rows: &[u32],
    regular: &[bool],
    neighbours: impl Fn(u32) -> Vec<u32>,
) -> Vec<u32> {
    let near = |row: u32| -> Vec<u32> {
        neighbours(row)
            .into_iter()
            .filter(|&m| regular[m as usize])
            .collect()
    };
    let mut seen = vec![false; regular.len()];
    let mut chains: Vec<Vec<u32>> = Vec::new();
    // Chains start from their lower end, so that copies are walked alike; rings, found last, from their lowest row.
    for ends_only in [true, false] {
        for &start in rows.iter().filter(|&&r| regular[r as usize]) {
            if seen[start as usize] || (ends_only && near(start).len() > 1) {
                continue;
            }
            let mut chain = vec![start];
            seen[start as usize] = true;
            let mut at = start;
            while let Some(next) = near(at).into_iter().find(|&m| !seen[m as usize]) {
                seen[next as usize] = true;
                chain.push(next);
                at = next;
            }
            chains.push(chain);
        }
    }
    let mut order = Vec::new();
    while !chains.is_empty() {
        for chain in &mut chains {
            order.extend(chain.iter().copied().step_by(2));
            *chain = chain.iter().copied().skip(1).step_by(2).collect();
        }
        chains.retain(|c| !c.is_empty());
    }
    order
}

/// Eliminates separators with at most two neighbours until none is left; returns how many.
fn separators_one(
    planner: &mut Planner,
    left: &mut Vec<u32>,
    far: &mut std::collections::BTreeSet<(u32, u32)>,
) -> usize {
    let before = left.len();
    while let Some(at) = left.iter().position(|&r| planner.neighbours(r).len() <= 2) {
        // One sweep a round, so that the order doesn't depend on where the last one stopped.
        let mut kept = left[..at].to_vec();
        for &row in &left[at..] {
            let near = planner.neighbours(row).to_vec();
            if near.len() > 2 {
                kept.push(row);
                continue;
            }
            if let [a, b] = near[..] {
                let is_far = |x: u32, y: u32| far.contains(&(x.min(y), x.max(y)));
                if is_far(row, a) || is_far(row, b) {
                    far.insert((a.min(b), a.max(b)));
                }
            }
            planner.eliminate(row);
        }
        *left = kept;
    }
    before - left.len()
}

/// Rows that couple with each other other than through the network's rows, each group in ascending order.
fn groups(planner: &Planner, rows: &[u32], network: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; planner.sizes.len()];
    network.iter().for_each(|&r| seen[r as usize] = true);
    let mut found = Vec::new();
    for &start in rows {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        let mut group = vec![start];
        let mut at = 0;
        while at < group.len() {
            for &m in planner.neighbours(group[at]) {
                if !std::mem::replace(&mut seen[m as usize], true) {
                    group.push(m);
                }
            }
            at += 1;
        }
        group.sort_unstable();
        found.push(group);
    }
    found
}

/// Separators in COLAMD order of their coupling graph.
///
/// COLAMD orders columns for `A^T A`, so it is given the graph's incidence matrix, whose `A^T A` is the graph.
fn colamd_order(planner: &Planner, rows: &[u32]) -> Vec<u32> {
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    let column = |row: u32| sorted.binary_search(&row).ok();
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); sorted.len()];
    let mut n_edges = 0;
    for (c, &row) in sorted.iter().enumerate() {
        for other in planner
            .neighbours(row)
            .iter()
            .filter_map(|&m| column(m))
            .filter(|&other| other > c)
        {
            edges[c].push(n_edges);
            edges[other].push(n_edges);
            n_edges += 1;
        }
    }
    let mut col_ptr = vec![0_usize];
    let mut row_idx = Vec::new();
    for list in &mut edges {
        row_idx.append(list);
        col_ptr.push(row_idx.len());
    }
    let n = sorted.len();
    let pattern = SymbolicSparseColMatRef::new_checked(n_edges, n, &col_ptr, None, &row_idx);
    let (mut perm, mut perm_inv) = (vec![0_usize; n], vec![0_usize; n]);
    let mut memory = MemBuffer::new(colamd::order_scratch::<usize>(n_edges, n, row_idx.len()));
    let ordered = colamd::order(
        &mut perm,
        &mut perm_inv,
        pattern,
        colamd::Control::default(),
        MemStack::new(&mut memory),
    );
    match ordered {
        Ok(()) => perm.into_iter().map(|c| sorted[c]).collect(),
        // Too large for its index type, which no chip is: any order is correct.
        Err(_) => sorted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cyclic_reduction_halves_chains() {
        let chain: Vec<u32> = (0..8).collect();
        let near = |r: u32| {
            [r.wrapping_sub(1), r + 1]
                .into_iter()
                .filter(|&m| m < 8)
                .collect()
        };
        assert_eq!(
            cyclic_reduction(&chain, &[true; 8], near),
            [0, 2, 4, 6, 1, 5, 3, 7]
        );
    }
}
