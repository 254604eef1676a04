//! A chip eliminated by fronts: solves for any data on its ports, refines, and says what the ports see.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{CancelToken, Progress, SolveError, SolveReport, SolveSettings, Stage};
use crate::elimination::Table;
use crate::fingerprint::{Fingerprint, Hasher};
use crate::fronts::tree::{gather, runs, scatter};
use crate::fronts::{
    Class, Element, FrontError, Image, Inside, KindId, Known, Leaves, NOWHERE, Network, Run, Schur,
    Top, Values, Wanted, group, lowrank, schur_key,
};
use crate::profile::Work;
use crate::stokes::piece::Leaf;
use crate::stokes::slabs::{Slabs, State, top_back};
use crate::stokes::system::System;

/// Singular values below this part of the largest entry are dropped from what long pipes pass on.
const RANK_TOLERANCE: f64 = 1e-13;

impl<const D: usize> Leaves for Vec<Leaf<D>> {
    fn assemble(&self, leaf: u32) -> faer::Mat<f64> {
        self[leaf as usize].dense()
    }
}

/// An eliminated chip.
pub struct Flow<const D: usize> {
    /// Pieces and what they share.
    pub system: System<D>,
    values: Values,
    top: Top,
    /// What shares unknowns, for the residual where fields aren't wanted.
    elements: Vec<Element>,
    /// Class of every shared unknown, those of bridges too.
    shared_classes: Vec<Class>,
    /// Class of the boundary unknowns of the top slab.
    classes: Vec<Class>,
    grounds: Vec<u32>,
    /// Slabs, where fields are wanted.
    pub slabs: Option<Slabs>,
}

/// The chip's network, ready for right-hand sides.
pub struct Ready<'a, const D: usize> {
    flow: &'a Flow<D>,
    network: Network<'a>,
}

impl<const D: usize> Flow<D> {
    /// Eliminates a chip: pieces, ends of long pipes, groups.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn new(
        mut system: System<D>,
        settings: &SolveSettings,
        with_fields: bool,
        table: &Table,
        progress: &Progress<'_>,
        cancel: &CancelToken,
        report: &mut SolveReport,
    ) -> Result<Self, SolveError> {
        let clock = Instant::now();
        let mut values = Values::default();
        let is_cancelled = || cancel.is_cancelled();
        let recorder = settings.recorder();
        let run = |leaves, progress| Run {
            leaves,
            known: table,
            is_cancelled: &is_cancelled,
            recorder,
            progress,
        };
        // Pieces first, then groups, then (mostly known by then) what fields need.
        let share = |from: f64, to: f64| {
            move |done: usize, all: usize| {
                progress(
                    Stage::Eliminate,
                    from + (to - from) * done as f64 / all.max(1) as f64,
                );
            }
        };
        let fixed = 8 * 3 * system.n_unknowns as u64 * u64::from(with_fields);
        let mut check = |bytes: u64| {
            let needed = bytes + fixed;
            report.estimated_memory_bytes = needed;
            match settings.memory_limit.filter(|&allowed| needed > allowed) {
                Some(allowed) => Err(SolveError::OutOfMemory { needed, allowed }),
                None => Ok(()),
            }
        };
        let stage = recorder.stage("plan");
        check(system.plan.counters.bytes)?;
        drop(stage);
        let stage = recorder.stage("eliminate");
        let leaves = std::mem::take(&mut system.leaves);
        let shares = [share(0.0, 0.7), share(0.7, 0.9), share(0.9, 1.0)];
        let first = run(&leaves, &shares[0]);
        let ends = long_ends(&mut system, &mut values, table, &first).map_err(wrong)?;
        drop(stage);
        let planning = Instant::now();
        let stage = recorder.stage("plan");
        let bridged = system.class.len() as u32;
        let (mut elements, bridges, class) = elements(&mut system, &ends, &mut values);
        let top = group(&mut system.plan, &elements, &bridges, bridged, &class);
        elements.extend(bridges);
        report.timings.plan += planning.elapsed().as_secs_f64();
        let grouping = planning.elapsed().as_secs_f64();
        drop(stage);
        check(system.plan.counters.bytes)?;
        let stage = recorder.stage("eliminate");
        let mut roots: Vec<KindId> = top.roots.iter().map(|r| r.kind).collect();
        if !with_fields {
            roots.extend(elements.iter().map(|e| e.kind));
        }
        let joints: Vec<KindId> = top.tree.kinds().collect();
        let wanted = Wanted {
            schurs: &roots,
            insides: &joints,
            deep: false,
        };
        values
            .compute(&system.plan, wanted, run(&leaves, &shares[1]))
            .map_err(wrong)?;
        if with_fields {
            let pieces: Vec<KindId> = system.pieces.iter().map(|p| p.root).collect();
            let wanted = Wanted {
                schurs: &[],
                insides: &pieces,
                deep: true,
            };
            values
                .compute(&system.plan, wanted, run(&leaves, &shares[2]))
                .map_err(wrong)?;
        }
        system.leaves = leaves;
        report.computed_matrices = system.plan.kinds.len();
        report.unique_matrices = system.leaves.len();
        report.flops = system.plan.counters.flops;
        let (mut leaves_asked, mut joins_asked) = (0, system.plan.counters.asked as u64);
        for instance in &system.instances {
            let piece = system.piece_of(instance);
            leaves_asked += piece.n_leaves;
            joins_asked += piece.n_leaves - 1;
        }
        report.tasks = (leaves_asked + joins_asked) as usize;
        recorder.count("leaf front", leaves_asked);
        recorder.count("joined front", joins_asked);
        let slabs = with_fields.then(|| Slabs::new(&system));
        drop(stage);
        report.timings.eliminate = clock.elapsed().as_secs_f64() - grouping;
        let n = top.tree.n_boundary;
        let mut classes = vec![Class::Given; n];
        for (gid, &at) in top.position.iter().enumerate() {
            if (at as usize) < n {
                classes[at as usize] = class[gid];
            }
        }
        let grounds = system
            .grounds
            .iter()
            .map(|&g| top.position[g as usize])
            .collect();
        Ok(Self {
            system,
            values,
            top,
            elements: if with_fields { Vec::new() } else { elements },
            shared_classes: class,
            classes,
            grounds,
            slabs,
        })
    }

    /// Relative residual on shared unknowns, from the pieces' own fronts: what joining them left to rounding.
    fn shared_residual(&self, x: &[f64], loads: &[f64], given: &[f64]) -> f64 {
        let n = self.shared_classes.len();
        let product = |x: &[f64]| {
            let mut y = vec![0.0; n];
            for element in &self.elements {
                let places = runs(&element.boundary);
                let mut local = Schur::zeros(element.boundary.len(), 1);
                gather(&places, x, local.col_as_slice_mut(0));
                let made = self.values.schur(element.kind) * &local;
                scatter(&places, made.col_as_slice(0), &mut y);
            }
            y
        };
        let mut fixed = vec![0.0; n];
        for (k, v) in given.iter().enumerate() {
            if self.shared_classes[k] == Class::Given {
                fixed[k] = *v;
            }
        }
        let (from_given, whole) = (product(&fixed), product(x));
        let (mut left, mut size) = (0.0, 0.0);
        for (k, class) in self.shared_classes.iter().enumerate() {
            if matches!(class, Class::Free | Class::Kept) {
                let load = loads.get(k).copied().unwrap_or(0.0);
                left += (load - whole[k]).powi(2);
                size += (load - from_given[k]).powi(2);
            }
        }
        if size > 0.0 {
            (left / size).sqrt()
        } else {
            0.0
        }
    }

    /// Factorises the network.
    pub fn ready(&self) -> Result<Ready<'_, D>, SolveError> {
        let network = Network::new(&self.values, &self.top.roots, &self.classes, &self.grounds)
            .ok_or(SolveError::Singular { row: 0 })?;
        Ok(Ready {
            flow: self,
            network,
        })
    }
}

/// What loads and given values lead to.
pub struct Answer {
    /// On all unknowns.
    pub state: State,
    /// On shared given unknowns: the force that holds them, canonical.
    pub reactions: Vec<f64>,
}

impl<const D: usize> Ready<'_, D> {
    /// The pieces of the chip.
    pub fn system(&self) -> &System<D> {
        &self.flow.system
    }

    /// Shared unknowns for loads on shared unknowns; given values are read from `given`. Returns reactions too.
    pub fn solve_shared(&self, loads: &[f64], given: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut all, reactions) = self.solve_all(loads, given);
        all.truncate(self.flow.system.class.len());
        (all, reactions)
    }

    /// As [`Self::solve_shared`], with the unknowns of bridges.
    fn solve_all(&self, loads: &[f64], given: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let flow = self.flow;
        let top = &flow.top;
        let mut slab = vec![0.0; top.tree.n];
        for (load, &at) in loads.iter().zip(&top.position) {
            if at != NOWHERE {
                slab[at as usize] += load;
            }
        }
        top.tree.forward(&flow.values, &mut slab);
        let n = top.tree.n_boundary;
        let boundary_loads = slab[..n].to_vec();
        let mut x = vec![0.0; n];
        for (value, &at) in given.iter().zip(&top.position) {
            if (at as usize) < n {
                x[at as usize] = *value;
            }
        }
        let (reactions, _) = self.network.solve(&flow.values, &mut x, &boundary_loads);
        let mut full = vec![0.0; top.tree.n];
        full[..n].copy_from_slice(&x);
        let mut shared = vec![0.0; top.position.len()];
        top_back(top, &flow.values, &mut full, Some(&slab), &mut shared);
        let mut on_shared = vec![0.0; top.position.len()];
        for (r, &at) in on_shared.iter_mut().zip(&top.position) {
            if (at as usize) < n {
                *r = reactions[at as usize];
            }
        }
        on_shared.truncate(flow.system.class.len());
        (shared, on_shared)
    }

    /// All unknowns for loads on all unknowns, refined with the same factors until the relative residual is at most the
    /// tolerance.
    ///
    /// The relative residual is the larger of the momentum and the continuity rows' residual norms over the right-hand side's
    /// norm, all in canonical coordinates, where both equations have entries of one size.
    pub fn solve(
        &self,
        loads: &State,
        given: &[f64],
        settings: &SolveSettings,
        report: &mut SolveReport,
    ) -> Result<Answer, SolveError> {
        let flow = self.flow;
        let Some(slabs) = &flow.slabs else {
            let (all, reactions) = self.solve_all(&loads.shared, given);
            let residual = flow.shared_residual(&all, &loads.shared, given);
            let shared = all[..flow.system.class.len()].to_vec();
            report.relative_residual = residual;
            if residual.is_nan() || residual > settings.tolerance {
                return Err(SolveError::NotConverged {
                    residual,
                    tolerance: settings.tolerance,
                    steps: 0,
                });
            }
            return Ok(Answer {
                state: State {
                    shared,
                    slabs: Vec::new(),
                },
                reactions,
            });
        };
        let system = &flow.system;
        let scale = self.scale(slabs, loads, given);
        let mut answer = self.step(slabs, loads.clone(), given);
        report.refinement_steps = 0;
        loop {
            let mut residual = if loads.slabs.is_empty() {
                State {
                    shared: loads.shared.clone(),
                    slabs: vec![0.0; slabs.n],
                }
            } else {
                loads.clone()
            };
            slabs.subtract_product(system, &answer.state, &mut residual);
            let norms = slabs.norms(system, &residual);
            report.relative_residual = if scale > 0.0 {
                norms[0].max(norms[1]) / scale
            } else {
                0.0
            };
            if report.relative_residual <= settings.tolerance {
                return Ok(answer);
            }
            if report.refinement_steps >= settings.max_refinement_steps
                || !report.relative_residual.is_finite()
            {
                return Err(SolveError::NotConverged {
                    residual: report.relative_residual,
                    tolerance: settings.tolerance,
                    steps: report.refinement_steps,
                });
            }
            let more = self.step(slabs, residual, &vec![0.0; given.len()]);
            let add = |x: &mut [f64], d: &[f64]| x.iter_mut().zip(d).for_each(|(x, d)| *x += d);
            add(&mut answer.state.shared, &more.state.shared);
            add(&mut answer.state.slabs, &more.state.slabs);
            add(&mut answer.reactions, &more.reactions);
            report.refinement_steps += 1;
        }
    }

    fn step(&self, slabs: &Slabs, mut loads: State, given: &[f64]) -> Answer {
        let flow = self.flow;
        let inside = !loads.slabs.is_empty();
        if inside {
            slabs.forward(&flow.system, &flow.values, &mut loads);
        }
        let (shared, reactions) = self.solve_shared(&loads.shared, given);
        let mut state = State {
            shared,
            slabs: vec![0.0; slabs.n],
        };
        slabs.back(
            &flow.system,
            &flow.values,
            &mut state,
            inside.then_some(&loads),
        );
        Answer { state, reactions }
    }

    /// Norm of the right-hand side: loads less what given values bring.
    fn scale(&self, slabs: &Slabs, loads: &State, given: &[f64]) -> f64 {
        let system = &self.flow.system;
        let mut rhs = State {
            shared: loads.shared.clone(),
            slabs: if loads.slabs.is_empty() {
                vec![0.0; slabs.n]
            } else {
                loads.slabs.clone()
            },
        };
        let mut x = State {
            shared: vec![0.0; given.len()],
            slabs: vec![0.0; slabs.n],
        };
        let mut any = false;
        for (k, (class, v)) in system.class.iter().zip(given).enumerate() {
            if *class == Class::Given && *v != 0.0 {
                x.shared[k] = *v;
                any = true;
            }
        }
        if any {
            for (k, instance) in system.instances.iter().enumerate() {
                for (i, image) in instance.boundary.iter().enumerate() {
                    if image.to != NOWHERE {
                        x.slabs[slabs.first[k] + i] = image.factor * x.shared[image.to as usize];
                    }
                }
            }
            slabs.subtract_product(system, &x, &mut rhs);
        }
        slabs.norms(system, &rhs).into_iter().fold(0.0, f64::hypot)
    }
}

fn wrong(error: FrontError) -> SolveError {
    match error {
        FrontError::Cancelled => SolveError::Cancelled,
        FrontError::Singular { kind } => SolveError::Singular { row: kind as usize },
    }
}

/// The two ends of a long piece, and the rank of what they pass to each other.
#[derive(Clone, Copy)]
struct Ends {
    kinds: [KindId; 2],
    rank: u32,
}

/// Factors the couplings of long pieces, each essentially different one once.
fn long_ends<const D: usize>(
    system: &mut System<D>,
    values: &mut Values,
    table: &Table,
    run: &Run<'_>,
) -> Result<FxHashMap<u32, Ends>, FrontError> {
    let m = system.section.n;
    let long: Vec<u32> = (0..system.pieces.len() as u32)
        .filter(|&p| system.pieces[p as usize].is_long)
        .collect();
    let end_key = |root: Fingerprint, end: u64| {
        Hasher::new(70)
            .key(root)
            .word(end)
            .float(RANK_TOLERANCE)
            .finish()
    };
    let mut found = FxHashMap::default();
    let mut todo = Vec::new();
    for &p in &long {
        let key = system.plan.kinds[system.pieces[p as usize].root as usize].key;
        let known = [0, 1].map(|end| table.schur(schur_key(end_key(key, end))));
        if let [Some(a), Some(b)] = known {
            found.insert(p, put(system, values, key, [a, b], end_key));
        } else {
            todo.push(p);
        }
    }
    let schurs: Vec<KindId> = (0..system.pieces.len() as u32)
        .filter(|p| !found.contains_key(p))
        .map(|p| system.pieces[p as usize].root)
        .collect();
    let wanted = Wanted {
        schurs: &schurs,
        ..Wanted::default()
    };
    values.compute(&system.plan, wanted, *run)?;
    let roots: Vec<KindId> = todo
        .iter()
        .map(|&p| system.pieces[p as usize].root)
        .collect();
    let made: Vec<Option<[Schur; 2]>> = roots
        .par_iter()
        .map(|&root| {
            let _span = run.recorder.span("plan", "low rank", Work::default());
            let s = values.schur(root);
            let coupling = s.submatrix(0, m, m, m).to_owned();
            let (u, v) = lowrank::factor(&coupling, s.norm_max(), RANK_TOLERANCE, m / 3)?;
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
        })
        .collect();
    for (&p, ends) in todo.iter().zip(made) {
        let Some(ends) = ends else { continue };
        let key = system.plan.kinds[system.pieces[p as usize].root as usize].key;
        let ends = ends.map(Arc::new);
        for (end, schur) in ends.iter().enumerate() {
            table.keep_schur(schur_key(end_key(key, end as u64)), schur);
        }
        found.insert(p, put(system, values, key, ends, end_key));
    }
    Ok(found)
}

/// Plans the two ends of a long piece as given fronts.
fn put<const D: usize>(
    system: &mut System<D>,
    values: &mut Values,
    key: Fingerprint,
    [a, b]: [Arc<Schur>; 2],
    end_key: impl Fn(Fingerprint, u64) -> Fingerprint,
) -> Ends {
    let n = a.nrows() as u32;
    let mut kind = |end, schur| {
        let kind = system.plan.given(end_key(key, end), n);
        values.set(kind, schur);
        kind
    };
    Ends {
        kinds: [kind(0, a), kind(1, b)],
        rank: n - system.section.n as u32,
    }
}

/// All instances as elements; long ones as two ends with unknowns of their own, and a bridge between them.
///
/// ```text
/// x_i row:  ... + U z_1 = b_i      z_1 row:  U^T x_i - z_2 = 0      bridge on (z_1, z_2):  [ 0 -I]
/// x_j row:  ... + V z_2 = b_j      z_2 row:  V^T x_j - z_1 = 0                             [-I  0]
/// ```
fn elements<const D: usize>(
    system: &mut System<D>,
    ends: &FxHashMap<u32, Ends>,
    values: &mut Values,
) -> (Vec<Element>, Vec<Element>, Vec<Class>) {
    let m = system.section.n;
    let mut class = system.class.clone();
    let (mut elements, mut bridges) = (Vec::new(), Vec::new());
    for instance in &system.instances {
        let Some(found) = ends.get(&instance.piece) else {
            elements.push(system.element(instance));
            continue;
        };
        let (first, rank) = (class.len() as u32, found.rank);
        class.resize(class.len() + 2 * rank as usize, Class::Free);
        let kind = {
            let key = Hasher::new(71).word(u64::from(rank)).finish();
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

impl Known for Table {
    fn schur(&self, key: Fingerprint) -> Option<Arc<Schur>> {
        self.get(key)
    }

    fn keep_schur(&self, key: Fingerprint, schur: &Arc<Schur>) {
        self.keep(
            key,
            schur.clone(),
            8 * (schur.nrows() * schur.ncols()) as u64,
        );
    }

    fn inside(&self, key: Fingerprint) -> Option<Arc<Inside>> {
        self.get(key)
    }

    fn keep_inside(&self, key: Fingerprint, inside: &Arc<Inside>) {
        self.keep(key, inside.clone(), inside.bytes());
    }
}
