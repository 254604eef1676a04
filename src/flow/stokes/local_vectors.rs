//! The unknowns of a whole chip: shared ones, and a local vector for every copy of a piece, of the unknowns on its boundary and
//! of those that it eliminates; substitution and residuals over them.

pub mod twice;

use std::array;
use std::sync::Arc;

use stokeslet_base::parallel;

use super::piece::{LANES, Layout, Leaf, Patch};
use super::system::{Instance, System};
use stokeslet_fronts::tree::{gather, scatter};
use stokeslet_fronts::{Class, Inside, KindId, NOWHERE, Values};

/// Asked by every task of a pass through all unknowns: true ends the pass, which leaves what is of no use then.
pub type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// Values on all unknowns of a chip, or loads on them.
#[derive(Clone, Debug, Default)]
pub struct ChipVector {
    /// On shared unknowns.
    pub shared: Vec<f64>,
    /// On every instance's local vector, in the order of [`LocalVectors`].
    pub local: Vec<f64>,
}

/// Where the local vectors of a chip lie: copies of a piece one after the other.
pub struct LocalVectors {
    /// By piece.
    groups: Vec<Group>,
    /// First unknown of each instance's local vector; [`NONE`](Self::NONE) of those that have none here.
    pub first: Vec<usize>,
    /// Unknowns of all local vectors.
    pub n: usize,
}

/// All copies of one piece.
struct Group {
    piece: u32,
    instances: Vec<u32>,
    layout: Arc<Layout>,
    first: usize,
}

impl Group {
    /// Copies that one task works on: enough for wide products, few enough for all cores. Never a function of the threads.
    fn copies_a_task(&self) -> usize {
        self.instances.len().div_ceil(8).clamp(1, 32)
    }

    /// `r -= A x` over local vectors of some copies, those of `copies` alone.
    fn subtract_product<const D: usize>(
        &self,
        system: &System<D>,
        x: &[f64],
        copies: &[u32],
        r: &mut [f64],
    ) {
        let n = self.layout.tree.n;
        // (leaf, patch, copy), equal leaves together.
        let mut order: Vec<(u32, u32, u32)> = Vec::new();
        for (p, patch) in self.layout.patches.iter().enumerate() {
            order.extend(copies.iter().map(|&c| (patch.leaf, p as u32, c)));
        }
        order.sort_unstable();
        let alike = order.chunk_by(|a, b| a.0 == b.0);
        let eights: Vec<&[(u32, u32, u32)]> = alike.flat_map(|same| same.chunks(LANES)).collect();
        let product = |eight: &[(u32, u32, u32)], scratch: &mut Scratch| {
            let leaf = system.leaf(self.piece, &self.layout.patches[eight[0].1 as usize]);
            let size = leaf.moves.len();
            scratch.x.resize(size * eight.len(), 0.0);
            for (&(_, p, c), x_leaf) in eight.iter().zip(scratch.x.chunks_mut(size.max(1))) {
                let places = &self.layout.patches[p as usize].unknowns;
                gather(places, &x[c as usize * n..][..n], x_leaf);
            }
            scratch.product(leaf);
        };
        let mut add = |eight: &[(u32, u32, u32)], scratch: &Scratch| {
            let size = scratch.x.len() / eight.len();
            for (&(_, p, c), y) in eight.iter().zip(scratch.y.chunks(size.max(1))) {
                let places = &self.layout.patches[p as usize].unknowns;
                scatter(places, y, &mut r[c as usize * n..][..n]);
            }
        };
        if eights.len() < 2 * EIGHTS {
            let mut scratch = Scratch::default();
            for eight in eights {
                product(eight, &mut scratch);
                add(eight, &scratch);
            }
            return;
        }
        // One copy of something large: its leaves side by side, and their sums one after the other, while they are at hand.
        let mut made = vec![Scratch::default(); EIGHTS];
        for eights in eights.chunks(EIGHTS) {
            parallel::pieces_mut(&mut made[..eights.len()], 4, |first, some| {
                for (eight, scratch) in eights[first..].iter().zip(some) {
                    product(eight, scratch);
                }
            });
            for (eight, scratch) in eights.iter().zip(&made) {
                add(eight, scratch);
            }
        }
    }
}

/// Products of [`LANES`] leaves each that are done side by side before they are added: as many as a cache holds.
const EIGHTS: usize = 64;

/// What goes into the product of a leaf in up to eight places, and what comes out.
#[derive(Clone, Default)]
struct Scratch {
    /// One copy after the other.
    x: Vec<f64>,
    /// `-A x`, likewise.
    y: Vec<f64>,
    lanes: Vec<[f64; LANES]>,
    out: Vec<[f64; LANES]>,
}

impl Scratch {
    /// `y = -A x`.
    fn product<const D: usize>(&mut self, leaf: &Leaf<D>) {
        let size = leaf.moves.len();
        self.y.clear();
        if self.x.len() == size {
            self.y.resize(size, 0.0);
            leaf.residual_of_one(&self.x, &mut self.y);
            return;
        }
        // All copies in one pass each way: unknown by unknown, every line of memory is touched once.
        let copies = self.x.len() / size;
        let from: [&[f64]; LANES] = array::from_fn(|k| &self.x[k.min(copies - 1) * size..][..size]);
        self.lanes.clear();
        self.lanes
            .extend((0..size).map(|i| array::from_fn(|lane| from[lane][i])));
        self.out.clear();
        self.out.resize(size, [0.0; LANES]);
        leaf.residual(&self.lanes, &mut self.out);
        self.y.resize(size * LANES, 0.0);
        let mut parts = self.y.chunks_mut(size);
        let to: [&mut [f64]; LANES] = array::from_fn(|_| parts.next().unwrap_or_default());
        for (i, out) in self.out.iter().enumerate() {
            for lane in 0..LANES {
                to[lane][i] = out[lane];
            }
        }
    }
}

/// Some copies of one piece, and where their local vectors begin.
struct Span<'a> {
    group: &'a Group,
    instances: &'a [u32],
    first: usize,
}

/// What a product leaves of some copies.
struct Left<'a> {
    instances: &'a [u32],
    n_boundary: usize,
    /// On the boundaries, copy by copy.
    boundaries: Vec<f64>,
    /// Sums of squares inside: momentum, continuity.
    squares: [f64; 2],
}

impl<'a> Span<'a> {
    fn residual<const D: usize>(
        &self,
        system: &System<D>,
        x: &ChipVector,
        loads: &ChipVector,
        is_zero: &(dyn Fn(u32) -> bool + Sync),
        is_cancelled: IsCancelled<'_>,
        scratch: &mut Vec<f64>,
    ) -> Left<'a> {
        let layout = &self.group.layout;
        let (n, n_boundary) = (layout.tree.n, layout.tree.n_boundary);
        let mut left = Left {
            instances: self.instances,
            n_boundary,
            boundaries: vec![0.0; n_boundary * self.instances.len()],
            squares: [0.0; 2],
        };
        let copies: Vec<u32> = (0..self.instances.len() as u32)
            .filter(|&c| !is_zero(self.instances[c as usize]))
            .collect();
        if (copies.is_empty() && loads.local.is_empty()) || is_cancelled() {
            return left;
        }
        let own = self.first..self.first + n * self.instances.len();
        scratch.clear();
        if loads.local.is_empty() {
            scratch.resize(own.len(), 0.0);
        } else {
            scratch.extend_from_slice(&loads.local[own.clone()]);
        }
        self.group
            .subtract_product(system, &x.local[own], &copies, scratch);
        for (k, local_vector) in scratch.chunks(n.max(1)).enumerate() {
            let (boundary, inside) = local_vector.split_at(n_boundary);
            left.boundaries[k * n_boundary..][..n_boundary].copy_from_slice(boundary);
            for (v, &p) in inside.iter().zip(&layout.is_pressure[n_boundary..]) {
                left.squares[usize::from(p)] += v * v;
            }
        }
        left
    }
}

/// Sums of squares over free shared unknowns: momentum, continuity.
fn shared_squares<const D: usize>(system: &System<D>, shared: &[f64]) -> [f64; 2] {
    let mut squares = [0.0; 2];
    let m = system.section.n;
    let n_sockets = system.interfaces.len() * m;
    for (k, (v, class)) in shared.iter().zip(&system.class).enumerate() {
        if matches!(class, Class::Free | Class::Kept) {
            let is_pressure = k >= n_sockets || k % m >= system.section.n_velocity;
            squares[usize::from(is_pressure)] += v * v;
        }
    }
    squares
}

/// Some copies of one piece, with their local vectors.
struct Chunk<'a, 'b> {
    group: &'a Group,
    instances: &'a [u32],
    local: &'b mut [f64],
}

impl Chunk<'_, '_> {
    /// Finds the fronts of its piece by the piece's own numbers.
    fn fronts<'v, const D: usize>(
        &self,
        system: &'v System<D>,
        values: &'v Values,
    ) -> impl Fn(KindId) -> &'v Inside + Sync + use<'v, D> {
        let names = &system.names[self.group.piece as usize].kinds;
        move |own| values.inside(names[own as usize])
    }
}

impl LocalVectors {
    /// [`Self::first`] of an instance without a local vector.
    pub const NONE: usize = usize::MAX;

    /// Lays out the local vectors of a chip's instances.
    pub fn new<const D: usize>(system: &System<D>) -> Self {
        Self::of(system, |_| true)
    }

    /// Lays out the local vectors of some of a chip's instances; products and substitutions are of those alone then.
    pub fn of<const D: usize>(system: &System<D>, is_wanted: impl Fn(usize) -> bool) -> Self {
        let mut instances: Vec<Vec<u32>> = vec![Vec::new(); system.pieces.len()];
        for (k, instance) in system.instances.iter().enumerate() {
            if is_wanted(k) {
                instances[instance.piece as usize].push(k as u32);
            }
        }
        let layouts = parallel::each(&system.pieces, 1, |piece| piece.layout());
        let mut groups: Vec<Group> = (0..)
            .zip(instances)
            .zip(layouts)
            .map(|((piece, instances), layout)| Group {
                piece,
                instances,
                layout,
                first: 0,
            })
            .collect();
        let mut first = vec![Self::NONE; system.instances.len()];
        let mut n = 0;
        for group in &mut groups {
            group.first = n;
            for &instance in &group.instances {
                first[instance as usize] = n;
                n += group.layout.tree.n;
            }
        }
        Self { groups, first, n }
    }

    /// The instances that have a local vector here, in the chip's order.
    pub fn instances<'s, const D: usize>(
        &'s self,
        system: &'s System<D>,
    ) -> impl Iterator<Item = (usize, &'s Instance)> {
        let all = system.instances.iter().enumerate();
        all.filter(|&(k, _)| self.first[k] != Self::NONE)
    }

    /// Local vectors in the shares of tasks.
    fn chunks<'a, 'b>(&'a self, mut local: &'b mut [f64]) -> Vec<Chunk<'a, 'b>> {
        let mut out = Vec::new();
        for group in &self.groups {
            for instances in group.instances.chunks(group.copies_a_task()) {
                let (now, rest) = local.split_at_mut(instances.len() * group.layout.tree.n);
                local = rest;
                out.push(Chunk {
                    group,
                    instances,
                    local: now,
                });
            }
        }
        out
    }

    /// Back-substitution inside all pieces, from shared unknowns.
    pub fn back<const D: usize>(
        &self,
        system: &System<D>,
        values: &Values,
        state: &mut ChipVector,
        loads: Option<&ChipVector>,
        is_cancelled: IsCancelled<'_>,
    ) {
        let shared = &state.shared;
        parallel::map_owned(self.chunks(&mut state.local), |chunk| {
            if is_cancelled() {
                return;
            }
            let n = chunk.group.layout.tree.n;
            for (k, &instance) in chunk.instances.iter().enumerate() {
                let boundary = &system.instances[instance as usize].boundary;
                for (x, image) in chunk.local[k * n..].iter_mut().zip(boundary) {
                    *x = if image.to == NOWHERE {
                        0.0
                    } else {
                        image.factor * shared[image.to as usize]
                    };
                }
            }
            let from = self.first[chunk.instances[0] as usize];
            let loads = loads.map(|l| &l.local[from..from + chunk.local.len()]);
            let tree = &chunk.group.layout.tree;
            tree.back_by(&chunk.fronts(system, values), chunk.local, loads);
        });
    }

    /// Carries loads inside all pieces to shared unknowns.
    pub fn forward<const D: usize>(
        &self,
        system: &System<D>,
        values: &Values,
        loads: &mut ChipVector,
    ) {
        parallel::map_owned(self.chunks(&mut loads.local), |chunk| {
            let tree = &chunk.group.layout.tree;
            tree.forward_by(&chunk.fronts(system, values), chunk.local);
        });
        self.collect(system, loads);
    }

    /// Adds what local vectors hold on their boundaries to shared unknowns, and clears it there.
    pub(super) fn collect<const D: usize>(&self, system: &System<D>, state: &mut ChipVector) {
        for (k, instance) in self.instances(system) {
            let local_vector = &mut state.local[self.first[k]..][..instance.boundary.len()];
            for (value, image) in local_vector.iter_mut().zip(&instance.boundary) {
                let value = std::mem::take(value);
                if image.to != NOWHERE {
                    state.shared[image.to as usize] += image.factor * value;
                }
            }
        }
    }

    /// `r -= A x`, piece by piece from the sparse matrices of leaves, never from the fronts; boundaries are collected.
    ///
    /// # Accuracy and cost
    /// One sparse product a leaf, eight copies at a time; the same bits for any number of threads.
    pub fn subtract_product<const D: usize>(
        &self,
        system: &System<D>,
        x: &ChipVector,
        r: &mut ChipVector,
    ) {
        parallel::map_owned(self.chunks(&mut r.local), |chunk| {
            let from = self.first[chunk.instances[0] as usize];
            let x = &x.local[from..from + chunk.local.len()];
            let copies: Vec<u32> = (0..chunk.instances.len() as u32).collect();
            chunk
                .group
                .subtract_product(system, x, &copies, chunk.local);
        });
        self.collect(system, r);
    }

    /// Norms of momentum and continuity rows of `loads - A x` on all free unknowns, from the same sparse matrices. What is left inside
    /// a part is squared and dropped at once, so no second vector of the chip's size is filled or read.
    ///
    /// # Shapes and units
    /// - `loads.local`: as of `x`, or empty where nothing acts inside parts
    /// - `is_zero(instance)`: whether `x` is known to be zero all over an instance, which then costs nothing
    pub fn residual_norms<const D: usize>(
        &self,
        system: &System<D>,
        x: &ChipVector,
        loads: &ChipVector,
        is_zero: &(dyn Fn(u32) -> bool + Sync),
        is_cancelled: IsCancelled<'_>,
    ) -> [f64; 2] {
        let spans = self.spans();
        let found = parallel::map_with(spans.len(), 1, Vec::new, |scratch, k| {
            spans[k].residual(system, x, loads, is_zero, is_cancelled, scratch)
        });
        let mut shared = loads.shared.clone();
        let mut inside = [0.0; 2];
        let mut boundaries: Vec<&[f64]> = vec![&[]; system.instances.len()];
        for left in &found {
            for (k, &instance) in left.instances.iter().enumerate() {
                boundaries[instance as usize] =
                    &left.boundaries[k * left.n_boundary..][..left.n_boundary];
            }
            inside = [0, 1].map(|k| inside[k] + left.squares[k]);
        }
        for (instance, values) in system.instances.iter().zip(boundaries) {
            for (value, image) in values.iter().zip(&instance.boundary) {
                if image.to != NOWHERE {
                    shared[image.to as usize] += image.factor * value;
                }
            }
        }
        let on_sockets = shared_squares(system, &shared);
        [0, 1].map(|k| (on_sockets[k] + inside[k]).sqrt())
    }

    /// All instances, as many at a time as [`Self::chunks`] has.
    fn spans(&self) -> Vec<Span<'_>> {
        let mut out = Vec::new();
        for group in &self.groups {
            let mut first = group.first;
            for instances in group.instances.chunks(group.copies_a_task()) {
                out.push(Span {
                    group,
                    instances,
                    first,
                });
                first += instances.len() * group.layout.tree.n;
            }
        }
        out
    }

    /// The patches of a piece.
    pub fn patches_of(&self, piece: u32) -> &[Patch] {
        &self.groups[piece as usize].layout.patches
    }
}
