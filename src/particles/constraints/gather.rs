//! Neighbours become the rows of fluid particles, the pairs that touch, and blocks that may be swept at once.

use super::{BODY_BODY, BODY_WALL, Block, BodyTerm, CHUNK, FLUID_BODY, FLUID_WALL, Input};
use crate::body::Motion;
use crate::cells::CellList;
use crate::settings::Coupling;
use crate::vector::{dot, in_space, length, minus, plus, times};
use glam::{DMat3, DVec3};

#[derive(Default)]
pub(super) struct Piece<const D: usize> {
    pub degree: Vec<u32>,
    pub column: Vec<u32>,
    pub entry: Vec<[f64; D]>,
    pub own: Vec<[f64; D]>,
    pub density: Vec<f64>,
    pub wall_weight: Vec<f64>,
    pub n_terms: Vec<u32>,
    pub terms: Vec<BodyTerm<D>>,
    pub touching: Vec<Touch<D>>,
}

/// A found pair before it is a row.
pub(super) struct Touch<const D: usize> {
    pub kind: u8,
    pub a: u32,
    pub b: u32,
    pub normal: [f64; D],
    pub point: [f64; D],
    pub distance: f64,
}

/// Particles of all bodies.
pub(super) struct BodyPoints<const D: usize> {
    pub position: Vec<[f64; D]>,
    pub owner: Vec<u32>,
    pub arm: Vec<DVec3>,
    pub cells: CellList,
}

fn touch<const D: usize>(
    kind: u8,
    (a, x): (u32, &[f64; D]),
    (b, y): (u32, &[f64; D]),
    reach: f64,
) -> Option<Touch<D>> {
    let between = minus(x, y);
    let distance = length(&between);
    if distance >= reach || distance == 0.0 {
        return None;
    }
    let normal = times(1.0 / distance, &between);
    Some(Touch {
        kind,
        a,
        b,
        normal,
        point: plus(y, 0.5, &between),
        distance,
    })
}

pub(super) fn body_points<const D: usize>(input: &Input<'_, D>) -> BodyPoints<D> {
    let (mut position, mut owner, mut arm) = (Vec::new(), Vec::new(), Vec::new());
    for (b, body) in input.bodies.iter().enumerate() {
        for p in body.points() {
            position.push(p);
            owner.push(b as u32);
            arm.push(in_space(&p) - body.centre);
        }
    }
    let cells = CellList::new(&position, input.kernel.radius);
    BodyPoints {
        position,
        owner,
        arm,
        cells,
    }
}

/// Rows of the fluid particles in some consecutive cells.
pub(super) fn piece<const D: usize>(
    input: &Input<'_, D>,
    cells: &CellList,
    position: &[[f64; D]],
    bodies: &BodyPoints<D>,
    inverses: &[(f64, DMat3)],
    first: usize,
) -> Piece<D> {
    let l = input.spacing;
    let re = input.kernel.radius;
    let sums = input.settings.coupling == Coupling::Sums;
    let reach = l * (1.0 + 1e-6) + l * input.settings.margin;
    let mut out = Piece::default();
    let (mut fluid_near, mut body_near, mut wall_near) = (Vec::new(), Vec::new(), Vec::new());
    for cell in first..(first + CHUNK).min(cells.n_cells()) {
        let at = cells.at(cell);
        fluid_near.clear();
        body_near.clear();
        wall_near.clear();
        cells.around::<D>(at, |range| fluid_near.push(range));
        bodies.cells.around::<D>(at, |range| {
            body_near.extend_from_slice(&bodies.cells.order()[range])
        });
        input.wall_cells.around::<D>(at, |range| {
            wall_near.extend_from_slice(&input.wall_cells.order()[range])
        });
        for s in cells.range(cell) {
            let x = &position[s];
            let (mut density, mut own, mut degree) = (0.0, [0.0; D], 0);
            for range in &fluid_near {
                for j in range.clone() {
                    let between = minus(&position[j], x);
                    let square = dot(&between, &between);
                    if square >= re * re || square == 0.0 {
                        continue;
                    }
                    let r = square.sqrt();
                    density += input.kernel.weight(r);
                    let g = times(l * input.kernel.slope(r) / r, &between);
                    own = plus(&own, 1.0, &g);
                    out.column.push(j as u32);
                    out.entry.push(times(-1.0, &g));
                    degree += 1;
                }
            }
            let first_term = out.terms.len();
            for b in &body_near {
                let y = &bodies.position[*b as usize];
                let between = minus(y, x);
                let square = dot(&between, &between);
                if square >= re * re || square == 0.0 {
                    continue;
                }
                let r = square.sqrt();
                density += input.kernel.weight(r);
                if sums {
                    let g = times(l * input.kernel.slope(r) / r, &between);
                    own = plus(&own, 1.0, &g);
                    let owner = bodies.owner[*b as usize];
                    let known = out.terms[first_term..].iter().position(|t| t.body == owner);
                    let k = known.map_or(out.terms.len(), |k| first_term + k);
                    if known.is_none() {
                        out.terms.push(BodyTerm {
                            body: owner,
                            linear: [0.0; D],
                            angular: DVec3::ZERO,
                            turned: DVec3::ZERO,
                            moved: [0.0; D],
                        });
                    }
                    out.terms[k].linear = minus(&out.terms[k].linear, &g);
                    out.terms[k].angular -= bodies.arm[*b as usize].cross(in_space(&g));
                }
                if r < reach {
                    out.touching
                        .extend(touch(FLUID_BODY, (s as u32, x), (*b, y), reach));
                }
            }
            for term in &mut out.terms[first_term..] {
                let (mass, inertia) = &inverses[term.body as usize];
                term.moved = times(*mass, &term.linear);
                term.turned = *inertia * term.angular;
            }
            let mut wall_weight = 0.0;
            for w in &wall_near {
                let y = &input.walls[*w as usize];
                let between = minus(y, x);
                let square = dot(&between, &between);
                if square >= re * re || square == 0.0 {
                    continue;
                }
                let r = square.sqrt();
                wall_weight += input.kernel.weight(r);
                if sums {
                    own = plus(&own, l * input.kernel.slope(r) / r, &between);
                }
                if r < reach {
                    out.touching
                        .extend(touch(FLUID_WALL, (s as u32, x), (*w, y), reach));
                }
            }
            out.degree.push(degree);
            out.density.push(density + wall_weight);
            out.own.push(own);
            out.wall_weight.push(wall_weight);
            out.n_terms.push((out.terms.len() - first_term) as u32);
        }
    }
    out
}

/// Contacts of bodies with each other and with walls.
pub(super) fn body_touches<const D: usize>(
    input: &Input<'_, D>,
    bodies: &BodyPoints<D>,
) -> Vec<Touch<D>> {
    let reach = input.spacing * (1.0 + 1e-6) + input.spacing * input.settings.margin;
    let mut out = Vec::new();
    for cell in 0..bodies.cells.n_cells() {
        let at = bodies.cells.at(cell);
        let (mut near, mut walls) = (Vec::new(), Vec::new());
        bodies.cells.around::<D>(at, |range| {
            near.extend_from_slice(&bodies.cells.order()[range])
        });
        input.wall_cells.around::<D>(at, |range| {
            walls.extend_from_slice(&input.wall_cells.order()[range])
        });
        for s in bodies.cells.range(cell) {
            let a = bodies.cells.order()[s];
            let x = &bodies.position[a as usize];
            let owner = bodies.owner[a as usize];
            for b in near.iter().filter(|b| bodies.owner[**b as usize] > owner) {
                out.extend(touch(
                    BODY_BODY,
                    (a, x),
                    (*b, &bodies.position[*b as usize]),
                    reach,
                ));
            }
            if input.bodies[owner as usize].motion != Motion::Fixed {
                for w in &walls {
                    out.extend(touch(
                        BODY_WALL,
                        (a, x),
                        (*w, &input.walls[*w as usize]),
                        reach,
                    ));
                }
            }
        }
    }
    out
}

/// Blocks of 2^d cells (side `2 re`) by the parity of their coordinates: rows in two blocks of one colour share no velocity.
pub(super) fn colours<const D: usize>(cells: &CellList) -> Vec<Vec<Block>> {
    let mut keyed: Vec<([u64; 3], usize)> = (0..cells.n_cells())
        .map(|c| {
            let at = cells.at(c);
            ([at[2] >> 1, at[1] >> 1, at[0] >> 1], c)
        })
        .collect();
    keyed.sort_unstable();
    let mut out: Vec<Vec<Block>> = vec![Vec::new(); 1 << D];
    let mut last = None;
    for (block, cell) in keyed {
        let colour = (0..D)
            .map(|k| ((block[2 - k] & 1) as usize) << k)
            .sum::<usize>();
        if last != Some(block) {
            out[colour].push(Vec::new());
            last = Some(block);
        }
        let range = cells.range(cell);
        if let Some(ranges) = out[colour].last_mut() {
            ranges.push(range.start as u32..range.end as u32);
        }
    }
    out
}
