//! The whole system as scalars, so that anyone can check it with another solver.

use super::Job;
use super::arms::with_arms;
use super::flow::Flow;
use super::space::{Plane, Space};
use super::{
    AssembledSystem, Progress, SolveError, SolveReport, SolveSettings, Unknown, UnknownKind,
    WantedResults,
};
use crate::field::nodal::PatchFrame;
use crate::stokes::local_vectors::{ChipVector, LocalVectors};
use crate::stokes::piece::{Leaf, Patch};
use crate::stokes::socket::{PortSocket, port_data};
use crate::stokes::system::{Instance, System};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_fronts::{Class, NOWHERE};

/// The assembled system of a chip with our solution, for other solvers.
///
/// # Shapes and units
/// - canonical unknowns ([`crate::stokes`]): velocities in m/s along `direction`, pressures times `scale` in Pa
/// # Errors
/// [`SolveError`]; [`SolveError::PlaneOnly`] for a chip in three dimensions.
pub fn assembled_system(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<AssembledSystem, SolveError> {
    if chip.model == DepthModel::Full {
        let what = "the assembled system";
        return Err(SolveError::PlaneOnly { what });
    }
    let plane = Plane::new(chip);
    let mut report = SolveReport::default();
    let settings = &SolveSettings {
        wanted: WantedResults::All,
        ..settings.clone()
    };
    let job = Job {
        settings,
        table,
        progress,
        cancel,
    };
    let chip = &*with_arms(chip, settings.resolution, settings.corners);
    let system = plane.system(chip, &job, None)?;
    let flow = Flow::new(system, &job, &mut report)?;
    let system = &flow.system;
    let sockets: Vec<PortSocket> = system
        .ports
        .iter()
        .map(|p| plane.socket(system, p))
        .collect();
    let values = chip.ports.iter().map(|p| p.condition.value());
    let data = port_data(system, &chip.ports, &sockets, values);
    let loads = ChipVector {
        shared: data.loads.clone(),
        local: Vec::new(),
    };
    let answer = flow.solve(
        &loads,
        &data.given,
        (settings, &|_, _| 0.0),
        cancel,
        &mut report,
    )?;
    let Some(local_vectors) = &flow.local_vectors else {
        return Ok(AssembledSystem::default());
    };
    Ok(scalars(
        system,
        local_vectors,
        &answer.state,
        &loads.shared,
        &data.given,
    ))
}

/// Number of every unknown among the scalars: shared ones first, then one local vector after the other.
struct Numbers {
    shared: Vec<u32>,
    /// First number of each instance's eliminated unknowns.
    inside: Vec<u32>,
}

/// One unknown of a leaf in the chip: its number (if it is unknown), the shared unknown that it is, and its factor.
#[derive(Clone, Copy)]
struct Local {
    number: u32,
    shared: u32,
    factor: f64,
}

fn scalars(
    system: &System<2>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    loads: &[f64],
    given: &[f64],
) -> AssembledSystem {
    let mut n = 0_u32;
    let mut next = |is_unknown: bool| {
        n += u32::from(is_unknown);
        if is_unknown { n - 1 } else { NOWHERE }
    };
    let is_unknown = |c: &Class| matches!(c, Class::Free | Class::Kept);
    let shared: Vec<u32> = system.class.iter().map(|c| next(is_unknown(c))).collect();
    let mut inside = Vec::with_capacity(system.instances.len());
    for instance in &system.instances {
        inside.push(n);
        let piece = system.piece_of(instance);
        n += (piece.n - piece.n_boundary) as u32;
    }
    let numbers = Numbers { shared, inside };
    let n = n as usize;
    let mut out = AssembledSystem {
        n,
        rhs: vec![0.0; n],
        solution: vec![0.0; n],
        unknowns: vec![
            Unknown {
                kind: UnknownKind::Pressure,
                at: Point::default(),
                direction: Point::default(),
                scale: 1.0,
            };
            n
        ],
        ..AssembledSystem::default()
    };
    for (k, &number) in numbers.shared.iter().enumerate() {
        if number != NOWHERE {
            out.rhs[number as usize] = loads[k];
            out.solution[number as usize] = state.shared[k];
        }
    }
    for (k, instance) in system.instances.iter().enumerate() {
        let piece = system.piece_of(instance);
        let local_vector = &state.local[local_vectors.first[k]..][piece.n_boundary..piece.n];
        let first = numbers.inside[k] as usize;
        out.solution[first..first + local_vector.len()].copy_from_slice(local_vector);
        for patch in local_vectors.patches_of(instance.piece) {
            let leaf = system.leaf(instance.piece, patch);
            let locals = locals(piece.n_boundary as u32, instance, patch, (&numbers, k));
            add(leaf, &locals, given, &mut out);
            describe(system, instance, patch, (leaf, &locals), &mut out.unknowns);
        }
    }
    out.lower
        .sort_unstable_by_key(|&(row, column, _)| (column, row));
    out.lower.dedup_by(|b, a| {
        let same = (a.0, a.1) == (b.0, b.1);
        if same {
            a.2 += b.2;
        }
        same
    });
    out
}

fn locals(
    n_boundary: u32,
    instance: &Instance,
    patch: &Patch,
    (numbers, k): (&Numbers, usize),
) -> Vec<Local> {
    let places = patch.unknowns.iter().flat_map(|r| r.start..r.start + r.len);
    places
        .map(|at| {
            if at >= n_boundary {
                return Local {
                    number: numbers.inside[k] + at - n_boundary,
                    shared: NOWHERE,
                    factor: 1.0,
                };
            }
            let image = instance.boundary[at as usize];
            Local {
                number: numbers
                    .shared
                    .get(image.to as usize)
                    .copied()
                    .unwrap_or(NOWHERE),
                shared: image.to,
                factor: image.factor,
            }
        })
        .collect()
}

/// Adds a leaf's matrix; what given values bring goes to the right-hand side.
fn add(leaf: &Leaf<2>, locals: &[Local], given: &[f64], out: &mut AssembledSystem) {
    let mut entry = |a: &Local, b: &Local, v: f64| {
        if a.number == NOWHERE {
            return;
        }
        let v = a.factor * b.factor * v;
        if b.number == NOWHERE {
            let x = given.get(b.shared as usize).copied().unwrap_or(0.0);
            out.rhs[a.number as usize] -= v * x;
        } else if a.number >= b.number && v != 0.0 {
            out.lower.push((a.number, b.number, v));
        }
    };
    let rows = leaf.rows();
    for (i, a) in locals.iter().enumerate() {
        for (j, v) in rows.row(i) {
            let b = &locals[j];
            entry(a, b, v);
            if j != i {
                entry(b, a, v);
            }
        }
    }
}

/// What the unknowns of a leaf are.
fn describe(
    system: &System<2>,
    instance: &Instance,
    patch: &Patch,
    (leaf, locals): (&Leaf<2>, &[Local]),
    unknowns: &mut [Unknown],
) {
    let frame = PatchFrame::new(instance, patch);
    let n_nodes = leaf.mesh.nodes.len();
    for (local, moves) in locals
        .iter()
        .zip(&leaf.moves)
        .filter(|e| e.0.number != NOWHERE)
    {
        let Some(&(first, f)) = moves.first() else {
            continue;
        };
        let is_pressure = first as usize >= 2 * n_nodes;
        let node = if is_pressure {
            first as usize - 2 * n_nodes
        } else {
            first as usize / 2
        };
        let at = frame.point(leaf.mesh.nodes[node]);
        let mut axis = [0.0; 2];
        for &(i, f) in moves.iter().filter(|_| !is_pressure) {
            axis[i as usize % 2] += f * local.factor;
        }
        let depths = instance.depth.sqrt();
        let direction = frame.vector(axis.map(|x| x / depths));
        unknowns[local.number as usize] = Unknown {
            kind: match (is_pressure, direction[0].abs() >= direction[1].abs()) {
                (true, _) => UnknownKind::Pressure,
                (false, true) => UnknownKind::VelocityX,
                (false, false) => UnknownKind::VelocityY,
            },
            at: Point::new(at[0], at[1]),
            direction: Point::new(direction[0], direction[1]),
            scale: if is_pressure {
                f * local.factor * system.viscosity / frame.unit / depths
            } else {
                1.0
            },
        };
    }
}
