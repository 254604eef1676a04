//! A chip's pieces become an eliminated chip: planned, computed, counted.

use web_time::Instant;

use super::ends::{elements, long_ends};
use super::{Flow, wrong};
use crate::fem::lagrange::n_nodes;
use crate::session::{Job, SolveError, SolveReport, Stage, WantedResults};
use crate::stokes::local_vectors::LocalVectors;
use crate::stokes::piece::LeafMatrices;
use crate::stokes::system::{Supply, System};
use stokeslet_fronts::{
    Class, Element, FrontRun, KindId, Leaves, Network, Plan, Recipe, Top, Values, Wanted, Watch,
    group,
};

/// Shares of the stage: pieces, then groups, then (mostly known by then) what fields need.
const PIECES: (f64, f64) = (0.0, 0.7);
const GROUPS: (f64, f64) = (0.7, 0.9);
const FIELDS: (f64, f64) = (0.9, 1.0);

impl Job<'_> {
    fn with_fields(&self) -> bool {
        self.settings.wanted == WantedResults::All
    }

    /// Calls `work` with how pieces are made.
    pub fn supply<T>(&self, work: impl FnOnce(Supply<'_>) -> T) -> T {
        work(Supply {
            caching: self.settings.caching,
            corners: self.settings.corners,
            like: None,
            table: self.table,
            is_cancelled: &|| self.cancel.is_cancelled(),
            progress: &|done, all| {
                (self.progress)(Stage::Mesh, done as f64 / all.max(1) as f64);
            },
        })
    }

    /// Calls `work` with how a share of the elimination is run.
    fn run<T>(
        &self,
        leaves: &dyn Leaves,
        (from, to): (f64, f64),
        work: impl FnOnce(FrontRun<'_>) -> T,
    ) -> T {
        work(FrontRun {
            leaves,
            known: self.table,
            is_cancelled: &|| self.cancel.is_cancelled(),
            recorder: self.settings.recorder(),
            progress: &|done, all| {
                let part = done as f64 / all.max(1) as f64;
                (self.progress)(Stage::Eliminate, from + (to - from) * part);
            },
        })
    }

    /// Refuses a plan that needs more memory than is allowed; `read`: kinds whose Schur complements stay.
    fn check<const D: usize>(
        &self,
        system: &System<D>,
        read: &[KindId],
        report: &mut SolveReport,
    ) -> Result<(), SolveError> {
        let needed = fronts_bytes(&system.plan, read) + system_bytes(system, self.with_fields());
        report.estimated_memory_bytes = needed;
        match self.settings.memory_limit.filter(|&limit| needed > limit) {
            Some(allowed) => Err(SolveError::OutOfMemory { needed, allowed }),
            None => Ok(()),
        }
    }
}

/// Bytes of the pieces, of all unknowns and of the fields on all nodes; about.
fn system_bytes<const D: usize>(system: &System<D>, with_fields: bool) -> u64 {
    let plans: u64 = system.pieces.iter().map(|p| p.plan_bytes()).sum();
    let shared = SHARED * system.class.len() as u64;
    if !with_fields {
        return plans + shared;
    }
    let layouts: u64 = system.pieces.iter().map(|p| p.layout_bytes()).sum();
    let (mut unknowns, mut nodes) = (0, 0);
    for instance in &system.instances {
        let piece = system.piece_of(instance);
        unknowns += piece.n as u64;
        nodes += piece.n_nodes as u64;
    }
    // Positions, velocities, pressures; nodes of cells and their part.
    let cells = (CELLS_A_NODE[D - 2] * nodes as f64) as u64;
    let fields = nodes * 8 * (2 * D as u64 + 1) + cells * 4 * (n_nodes::<D>() as u64 + 1);
    // While refinement goes on there are three more vectors, and no fields yet.
    plans + layouts + shared + 8 * unknowns + fields.max(3 * 8 * unknowns)
}

/// Cells of a large mesh of quadratic triangles, and of tetrahedra, a node.
const CELLS_A_NODE: [f64; 2] = [0.5, 0.75];

/// Bytes of a shared unknown: its class, what it is in two parts, its value in a few vectors.
const SHARED: u64 = 100;

/// Bytes of all fronts' factors, of the Schur complements that stay or are kept in the table, and of those that don't where most of them
/// are there at once: fronts are computed height by height, and one is dropped when the last that reads it is done.
fn fronts_bytes(plan: &Plan, read: &[KindId]) -> u64 {
    let mut stays = vec![false; plan.kinds.len()];
    for &kind in read {
        stays[kind as usize] = true;
    }
    let height = plan.heights();
    let mut read_until = height.clone();
    for (kind, &at) in plan.kinds.iter().zip(&height) {
        for child in kind.children() {
            let until = &mut read_until[child.kind as usize];
            *until = at.max(*until);
        }
    }
    let highest = height.iter().max().map_or(0, |h| h + 1);
    // What appears with a height, less what goes with it.
    let (mut kept, mut passing) = (0, vec![[0_u64; 2]; highest]);
    for (k, (kind, stays)) in plan.kinds.iter().zip(stays).enumerate() {
        let (b, e) = (u64::from(kind.n_boundary), u64::from(kind.n_eliminated));
        let schur = 8 * b * b;
        kept += kind.bytes() - schur;
        if stays || b <= 2 * e || matches!(kind.recipe, Recipe::Given) {
            kept += schur;
        } else {
            passing[height[k]][0] += schur;
            passing[read_until[k]][1] += schur;
        }
    }
    let (mut now, mut most) = (0, 0);
    for [new, gone] in passing {
        now += new;
        most = most.max(now);
        now -= gone;
    }
    kept + most
}

/// What is planned on top of the pieces.
struct Planned {
    top: Top,
    /// Pieces, ends, bridges.
    elements: Vec<Element>,
    classes: Vec<Class>,
}

impl Planned {
    /// Kinds whose Schur complements are read after the elimination, or may be.
    fn read(&self) -> Vec<KindId> {
        let roots = self.top.roots.iter().map(|r| r.kind);
        roots.chain(self.elements.iter().map(|e| e.kind)).collect()
    }
}

impl<const D: usize> Flow<D> {
    /// Eliminates a chip: pieces, ends of long pipes, groups.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn new(
        mut system: System<D>,
        job: &Job<'_>,
        report: &mut SolveReport,
    ) -> Result<Self, SolveError> {
        let pieces: Vec<KindId> = (0..system.pieces.len() as u32)
            .map(|p| system.root(p))
            .collect();
        job.check(&system, &pieces, report)?;
        let mut values = Values::default();
        let leaves = std::mem::take(&mut system.leaves);
        let mut planned = plan(
            &mut system,
            &mut values,
            &LeafMatrices(&leaves),
            job,
            report,
        )?;
        let read: Vec<KindId> = [pieces, planned.read()].concat();
        job.check(&system, &read, report)?;
        compute(
            &system,
            &planned,
            &mut values,
            &LeafMatrices(&leaves),
            job,
            report,
        )?;
        system.leaves = leaves;
        count(&system, job, report);
        let clock = Instant::now();
        let stage = job.settings.recorder().stage("eliminate");
        let local_vectors = job.with_fields().then(|| LocalVectors::new(&system));
        let network = network(&system, &values, &mut planned)?;
        drop(stage);
        report.timings.eliminate += clock.elapsed().as_secs_f64();
        Ok(Self {
            system,
            values,
            top: planned.top,
            network,
            elements: if local_vectors.is_some() {
                Vec::new()
            } else {
                planned.elements
            },
            classes: planned.classes,
            local_vectors,
        })
    }
}

/// Computes what parts long pieces, which the plan of groups depends on, and plans the groups.
fn plan<const D: usize>(
    system: &mut System<D>,
    values: &mut Values,
    leaves: &dyn Leaves,
    job: &Job<'_>,
    report: &mut SolveReport,
) -> Result<Planned, SolveError> {
    let recorder = job.settings.recorder();
    let clock = Instant::now();
    let stage = recorder.stage("eliminate");
    let ends = job.run(leaves, PIECES, |run| {
        long_ends(system, values, job.table, &run)
    });
    let ends = ends.map_err(wrong)?;
    drop(stage);
    report.timings.eliminate += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let _stage = recorder.stage("plan");
    let bridged = system.class.len() as u32;
    let (mut elements, bridges, classes) = elements(system, &ends, values);
    let watch = Watch {
        is_cancelled: &|| job.cancel.is_cancelled(),
        progress: &|done, all| (job.progress)(Stage::Plan, done as f64 / all.max(1) as f64),
    };
    let top = group(
        &mut system.plan,
        &elements,
        &bridges,
        bridged,
        &classes,
        watch,
    )
    .map_err(wrong)?;
    elements.extend(bridges);
    report.timings.plan += clock.elapsed().as_secs_f64();
    Ok(Planned {
        top,
        elements,
        classes,
    })
}

/// Computes all fronts that are asked for.
fn compute<const D: usize>(
    system: &System<D>,
    planned: &Planned,
    values: &mut Values,
    leaves: &dyn Leaves,
    job: &Job<'_>,
    report: &mut SolveReport,
) -> Result<(), SolveError> {
    let clock = Instant::now();
    let _stage = job.settings.recorder().stage("eliminate");
    let mut roots = planned.read();
    if job.with_fields() {
        roots.truncate(planned.top.roots.len());
    }
    let joints: Vec<KindId> = planned.top.tree.kinds().collect();
    let groups = Wanted {
        schurs: &roots,
        insides: &joints,
        deep: false,
    };
    let mut run = |share, wanted| {
        job.run(leaves, share, |run| {
            values.compute(&system.plan, wanted, run)
        })
        .map_err(wrong)
    };
    run(GROUPS, groups)?;
    if job.with_fields() {
        let pieces: Vec<KindId> = (0..system.pieces.len() as u32)
            .map(|p| system.root(p))
            .collect();
        let fields = Wanted {
            schurs: &[],
            insides: &pieces,
            deep: true,
        };
        run(FIELDS, fields)?;
    }
    report.timings.eliminate += clock.elapsed().as_secs_f64();
    Ok(())
}

/// Notes what was asked for and what of it was different.
fn count<const D: usize>(system: &System<D>, job: &Job<'_>, report: &mut SolveReport) {
    report.computed_matrices = system.plan.kinds.len();
    report.unique_matrices = system.leaves.len();
    report.flops = system.plan.counters.flops;
    let (mut leaves, mut joins) = (0, system.plan.counters.asked as u64);
    for instance in &system.instances {
        let piece = system.piece_of(instance);
        leaves += piece.n_leaves;
        joins += piece.n_leaves - 1;
    }
    report.tasks = (leaves + joins) as usize;
    job.settings.recorder().count("leaf front", leaves);
    job.settings.recorder().count("joined front", joins);
}

/// What is left of all groups, factorised.
fn network<const D: usize>(
    system: &System<D>,
    values: &Values,
    planned: &mut Planned,
) -> Result<Network, SolveError> {
    let top = &mut planned.top;
    let n = top.tree.n_boundary;
    let mut classes = vec![Class::Given; n];
    for (gid, &at) in top.position.iter().enumerate() {
        if (at as usize) < n {
            classes[at as usize] = planned.classes[gid];
        }
    }
    let datums = system.datums.iter();
    let datums: Vec<u32> = datums.map(|&g| top.position[g as usize]).collect();
    let roots = std::mem::take(&mut top.roots);
    Network::new(values, roots, &classes, &datums).ok_or(SolveError::SingularNetwork)
}
