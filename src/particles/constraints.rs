//! Positions and velocities at the start of a step -> the rows of its velocity constraints.
//!
//! Every row has the form `w = J u + s >= 0`, `impulse >= 0`, `w impulse = 0`, with `w` in m/s and the impulse in N s:
//! ```text
//! fluid particle i   w = -l sum_j v_ij . (u_j - u_i) + l alpha/h (n0 - n_i)      impulse = h |C| l^(d-1) p_i
//! contact            w = (v_A - v_B) . n - b                                     impulse = N
//! v_ij = w'(r_ij) e_ij
//! ```
//! One row's impulse changes velocities by `M^-1 J^T`. Fluid rows stand in the order of cells (index `s`), not of particles; since
//! `v_ji = -v_ij`, the transpose of the fluid part is read from the same list.
//! Knows how rows are made, not how they are solved.

use crate::body::Body;
use crate::cells::CellList;
use crate::kernel::{Kernel, Lattice};
use crate::settings::Settings;
use crate::vector::{dot, in_dimension, in_space, times};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

mod gather;

use gather::{BodyPoints, Piece, Touch, body_points, body_touches, colours, piece};

/// A body's part of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyTerm<const D: usize> {
    pub body: u32,
    pub linear: [f64; D],
    pub angular: DVec3,
    /// `I^-1 angular`.
    pub turned: DVec3,
    /// `linear / m`.
    pub moved: [f64; D],
}

/// Two particles that touch, by their numbers in the world: the same pair in the next step has the same key.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) struct PairKey {
    pub kind: u8,
    pub a: u32,
    pub b: u32,
}

pub(crate) const FLUID_WALL: u8 = 0;
pub(crate) const FLUID_BODY: u8 = 1;
pub(crate) const BODY_BODY: u8 = 2;
pub(crate) const BODY_WALL: u8 = 3;
pub(crate) const NO_FLUID: u32 = u32::MAX;

/// One contact row.
#[derive(Clone, Debug)]
pub(crate) struct Contact<const D: usize> {
    pub key: PairKey,
    /// Fluid particle (sorted index), the first party if there is one.
    pub fluid: u32,
    pub normal: [f64; D],
    pub point: [f64; D],
    pub depth: f64,
    /// Its body terms in [`System::contact_terms`].
    pub terms: (u32, u32),
    pub target: f64,
    pub diagonal: f64,
    /// An upper bound of the inverse mass in any direction, for friction.
    pub sideways: f64,
}

/// Rows that one thread may sweep while others sweep other blocks of the same colour.
pub(crate) type Block = Vec<std::ops::Range<u32>>;

/// All constraints of a step, fixed while it is solved.
pub(crate) struct System<const D: usize> {
    pub parallel: bool,
    pub inverse_mass: f64,
    pub start: Vec<u32>,
    pub column: Vec<u32>,
    /// `-l v_ij` of every neighbour.
    pub entry: Vec<[f64; D]>,
    pub own: Vec<[f64; D]>,
    pub target: Vec<f64>,
    pub diagonal: Vec<f64>,
    pub density: Vec<f64>,
    pub wall_weight: Vec<f64>,
    pub term_start: Vec<u32>,
    pub terms: Vec<BodyTerm<D>>,
    pub rows_with_terms: Vec<u32>,
    pub colours: Vec<Vec<Block>>,
    pub contacts: Vec<Contact<D>>,
    pub contact_terms: Vec<BodyTerm<D>>,
    /// Inverse masses and inertias of bodies.
    pub inverses: Vec<(f64, DMat3)>,
    /// Centres of bodies.
    pub centres: Vec<DVec3>,
    /// `particle[s]`: the particle of a sorted row.
    pub particle: Vec<u32>,
}

/// Rows are built and swept by all threads from so many fluid particles on; below, waking threads costs more.
const PARALLEL: usize = 6000;
/// Cells that one task builds rows for.
const CHUNK: usize = 256;

/// What rows are made from.
pub(crate) struct Input<'a, const D: usize> {
    pub kernel: Kernel,
    pub lattice: Lattice,
    pub spacing: f64,
    pub step: f64,
    pub fluid_density: f64,
    pub settings: &'a Settings,
    pub positions: &'a [[f64; D]],
    pub bodies: &'a [Body<D>],
    pub walls: &'a [[f64; D]],
    pub wall_cells: &'a CellList,
}

impl<const D: usize> System<D> {
    /// Finds neighbours and makes all rows; the targets of contacts are set by [`System::aim`] once the velocities are known.
    pub(crate) fn new(input: &Input<'_, D>) -> System<D> {
        let l = input.spacing;
        let cells = CellList::new(input.positions, input.kernel.radius);
        let position: Vec<[f64; D]> = cells
            .order()
            .iter()
            .map(|i| input.positions[*i as usize])
            .collect();
        let n = position.len();
        let parallel = n >= PARALLEL;
        let bodies = body_points(input);
        let inverses: Vec<(f64, DMat3)> = input
            .bodies
            .iter()
            .map(|b| (b.inverse_mass(), b.inverse_inertia()))
            .collect();
        let chunks: Vec<usize> = (0..cells.n_cells()).step_by(CHUNK).collect();
        let build = |first: &usize| piece(input, &cells, &position, &bodies, &inverses, *first);
        let pieces: Vec<Piece<D>> = if parallel {
            chunks.par_iter().map(build).collect()
        } else {
            chunks.iter().map(build).collect()
        };
        let inverse_mass = 1.0 / (input.fluid_density * l.powi(D as i32));
        let mut system = System {
            parallel,
            inverse_mass,
            start: Vec::with_capacity(n + 1),
            column: Vec::with_capacity(pieces.iter().map(|p| p.column.len()).sum()),
            entry: Vec::with_capacity(pieces.iter().map(|p| p.column.len()).sum()),
            own: Vec::with_capacity(n),
            target: Vec::with_capacity(n),
            diagonal: Vec::with_capacity(n),
            density: Vec::with_capacity(n),
            wall_weight: Vec::with_capacity(n),
            term_start: Vec::with_capacity(n + 1),
            terms: Vec::new(),
            rows_with_terms: Vec::new(),
            colours: colours::<D>(&cells),
            contacts: Vec::new(),
            contact_terms: Vec::new(),
            inverses: Vec::new(),
            centres: input.bodies.iter().map(|b| b.centre).collect(),
            particle: cells.order().to_vec(),
        };
        system.start.push(0);
        system.term_start.push(0);
        let push = l * input.settings.alpha / input.step;
        let mut touching = Vec::new();
        for piece in pieces {
            let (mut k, mut t) = (0, 0);
            for (r, degree) in piece.degree.iter().enumerate() {
                let s = system.own.len();
                let own = piece.own[r];
                let next = k + *degree as usize;
                let squares: f64 = piece.entry[k..next].iter().map(|g| dot(g, g)).sum();
                let mut diagonal = (dot(&own, &own) + squares) * inverse_mass;
                let next_t = t + piece.n_terms[r] as usize;
                for term in &piece.terms[t..next_t] {
                    diagonal += dot(&term.linear, &term.moved) + term.angular.dot(term.turned);
                }
                if next_t > t {
                    system.rows_with_terms.push(s as u32);
                }
                system.own.push(own);
                system.density.push(piece.density[r]);
                system.wall_weight.push(piece.wall_weight[r]);
                system
                    .target
                    .push(push * (input.lattice.density - piece.density[r]));
                system.diagonal.push(diagonal);
                system.start.push(system.start[s] + degree);
                system
                    .term_start
                    .push(system.term_start[s] + piece.n_terms[r]);
                k = next;
                t = next_t;
            }
            system.column.extend_from_slice(&piece.column);
            system.entry.extend_from_slice(&piece.entry);
            system.terms.extend_from_slice(&piece.terms);
            touching.extend(piece.touching);
        }
        touching.extend(body_touches(input, &bodies));
        touching.sort_by_key(|t| t.kind);
        for t in touching {
            system.add_contact(&t, input, &bodies, &inverses);
        }
        system.inverses = inverses;
        system
    }

    fn add_contact(
        &mut self,
        t: &Touch<D>,
        input: &Input<'_, D>,
        bodies: &BodyPoints<D>,
        inverses: &[(f64, DMat3)],
    ) {
        let first = self.contact_terms.len() as u32;
        let (mut diagonal, mut sideways) = (0.0, 0.0);
        let (mut fluid, mut key) = (
            NO_FLUID,
            PairKey {
                kind: t.kind,
                a: t.a,
                b: t.b,
            },
        );
        if t.kind == FLUID_WALL || t.kind == FLUID_BODY {
            fluid = t.a;
            key.a = self.particle[t.a as usize];
            diagonal += self.inverse_mass;
        }
        let mut party = |point: u32, sign: f64| {
            let body = bodies.owner[point as usize];
            let (mass, inertia) = &inverses[body as usize];
            let arm = in_space(&t.point) - input.bodies[body as usize].centre;
            let linear = times(sign, &t.normal);
            let angular = arm.cross(in_space(&linear));
            let term = BodyTerm {
                body,
                linear,
                angular,
                turned: *inertia * angular,
                moved: times(*mass, &linear),
            };
            diagonal += mass + angular.dot(term.turned);
            let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
            sideways += mass + trace * arm.length_squared();
            self.contact_terms.push(term);
        };
        match t.kind {
            FLUID_BODY => party(t.b, -1.0),
            BODY_BODY => {
                party(t.a, 1.0);
                party(t.b, -1.0);
            }
            BODY_WALL => party(t.a, 1.0),
            _ => {}
        }
        if diagonal == 0.0 {
            self.contact_terms.truncate(first as usize);
            return;
        }
        self.contacts.push(Contact {
            key,
            fluid,
            normal: t.normal,
            point: t.point,
            depth: input.spacing - t.distance,
            terms: (first, self.contact_terms.len() as u32),
            target: 0.0,
            diagonal,
            sideways,
        });
    }

    /// Sets the targets of contacts from the velocities before any impulse: `b = max(-e v.n, alpha d/h)`, or `-gap/h` where there is a gap.
    pub(crate) fn aim(
        &mut self,
        velocity: &[[f64; D]],
        bodies: &[([f64; D], DVec3)],
        restitution: f64,
        alpha: f64,
        h: f64,
    ) {
        for c in &mut self.contacts {
            let b = if c.depth < 0.0 {
                c.depth / h
            } else {
                let e = if c.fluid == NO_FLUID {
                    restitution
                } else {
                    0.0
                };
                let mut speed = if c.fluid == NO_FLUID {
                    0.0
                } else {
                    dot(&c.normal, &velocity[c.fluid as usize])
                };
                for term in &self.contact_terms[c.terms.0 as usize..c.terms.1 as usize] {
                    let (v, spin) = &bodies[term.body as usize];
                    speed += dot(&term.linear, v) + term.angular.dot(*spin);
                }
                (-e * speed).max(alpha * c.depth / h)
            };
            c.target = -b;
        }
    }

    /// Number of fluid rows.
    pub(crate) fn n_fluid(&self) -> usize {
        self.own.len()
    }

    /// Number of all rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.own.len() + self.contacts.len()
    }

    /// The neighbours of a fluid row.
    #[inline]
    pub(crate) fn neighbours(&self, s: usize) -> std::ops::Range<usize> {
        self.start[s] as usize..self.start[s + 1] as usize
    }

    /// Neighbours of a fluid row with their entries, `-l v_ij`.
    #[inline]
    pub(crate) fn entries(&self, s: usize) -> impl Iterator<Item = (usize, &[f64; D])> {
        let range = self.neighbours(s);
        let pairs = self.column[range.clone()].iter().zip(&self.entry[range]);
        pairs.map(|(j, g)| (*j as usize, g))
    }

    /// The body terms of a fluid row.
    #[inline]
    pub(crate) fn fluid_terms(&self, s: usize) -> &[BodyTerm<D>] {
        &self.terms[self.term_start[s] as usize..self.term_start[s + 1] as usize]
    }

    /// The body terms of a contact.
    #[inline]
    pub(crate) fn terms_of(&self, contact: &Contact<D>) -> &[BodyTerm<D>] {
        &self.contact_terms[contact.terms.0 as usize..contact.terms.1 as usize]
    }

    /// The arm of a contact about the centre of a body.
    pub(crate) fn arm(&self, contact: &Contact<D>, body: u32) -> DVec3 {
        in_space(&contact.point) - self.centres[body as usize]
    }

    /// A row's inverse effective mass.
    #[inline]
    pub(crate) fn diagonal_of(&self, row: usize) -> f64 {
        let n = self.n_fluid();
        if row < n {
            self.diagonal[row]
        } else {
            self.contacts[row - n].diagonal
        }
    }
}

/// Velocities of bodies as rows use them.
pub(crate) fn body_velocities<const D: usize>(bodies: &[Body<D>]) -> Vec<([f64; D], DVec3)> {
    bodies
        .iter()
        .map(|b| (in_dimension(b.velocity), b.spin))
        .collect()
}
