//! The chip's block system: which matrix blocks there are, which are equal, and how each is assembled when it is needed.
//!
//! ```text
//! E_ab = sum over blocks c that touch rows a and b of   T_ca^T M_c T_cb
//! ```
//! `T_ca` picks the nodes of block c that belong to row a and turns them from the row's frame into the block's. It depends on
//! the *side* alone, so `E_ab` is named by the list of pairs of sides (and the blocks' drag): equal lists, equal matrices
//! (Ding 2019, sections 4.3.8 and 4.3.9).

use std::sync::OnceLock;

use faer::Mat;
use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use crate::blocks::{BlockModel, RowClass, Side, Velocity};
use crate::elimination::system::{LeafRef, Stage};
use crate::elimination::{BlockSystem, Leaves};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::geometry::sin_cos;
use stokeslet_flow::stokes::local::{BlockMatrix, block_matrix};

/// One block's share of a matrix block: its side towards the rows, its side towards the columns, its class of drag.
type Share = (u32, u32, u32);

/// The matrix blocks of a chip, assembled on demand.
pub struct ChipLeaves<'a> {
    model: &'a BlockModel,
    shares: Vec<Vec<Share>>,
    fingerprints: Vec<Fingerprint>,
    /// Drag of each class, per square of the block's unit.
    drags: Vec<f64>,
    matrices: &'a BlockMatrices,
}

/// The canonical block matrices of a model, each assembled when it is first asked for.
#[derive(Debug)]
pub struct BlockMatrices {
    of_kind: Vec<OnceLock<BlockMatrix>>,
}

impl BlockMatrices {
    /// None assembled yet.
    pub fn new(model: &BlockModel) -> Self {
        Self {
            of_kind: model.kinds.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The matrix of a kind of block.
    pub fn get(&self, model: &BlockModel, kind: u32) -> &BlockMatrix {
        self.of_kind[kind as usize]
            .get_or_init(|| block_matrix::<2>(&model.kinds[kind as usize].block.mesh))
    }
}

/// Drag in canonical coordinates of a block with this unit: 12 (unit / depth)^2.
pub fn canonical_drag(model: &BlockModel, unit: f64) -> f64 {
    model.drag * unit * unit
}

/// Finds the essentially different matrix blocks of a chip and who couples through them.
///
/// # Shapes and units
/// - `connected_components`, `singular_connected_components`: see [`stokeslet_cad::chip`]; canonical coordinates as in [`stokeslet_flow::stokes`]
pub fn block_system<'a>(
    model: &'a BlockModel,
    matrices: &'a BlockMatrices,
) -> (BlockSystem, ChipLeaves<'a>) {
    let mut drag_classes: FxHashMap<i64, u32> = FxHashMap::default();
    let mut drags = Vec::new();
    let mut couplings: FxHashMap<(u32, u32), Vec<Share>> = FxHashMap::default();
    let mut share_a_cell: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    couplings.reserve(4 * model.blocks.len());
    for block in &model.blocks {
        let drag = canonical_drag(model, block.frame.unit);
        // Twelve digits: rounding of a width must not make a class of its own.
        let class_key = if drag > 0.0 {
            (drag.ln() * 1e12).round() as i64
        } else {
            i64::MIN
        };
        let class = *drag_classes.entry(class_key).or_insert_with(|| {
            drags.push(drag);
            drags.len() as u32 - 1
        });
        for (at, a) in block.incidences.iter().enumerate() {
            for b in &block.incidences[at..] {
                let pair = (a.side, b.side);
                if !*share_a_cell
                    .entry(pair)
                    .or_insert_with(|| sides_meet(model, pair))
                {
                    continue;
                }
                couplings
                    .entry((a.row, b.row))
                    .or_default()
                    .push((a.side, b.side, class));
            }
        }
    }
    let mut keys: Vec<(u32, u32)> = couplings.keys().copied().collect();
    keys.sort_unstable();
    let mut known: FxHashMap<Fingerprint, u32> = FxHashMap::default();
    let mut leaves = ChipLeaves {
        model,
        shares: Vec::new(),
        fingerprints: Vec::new(),
        drags,
        matrices,
    };
    let mut system = BlockSystem {
        sizes: model
            .rows
            .iter()
            .map(|r| model.layouts[r.layout as usize].n_unknowns as u32)
            .collect(),
        stages: model.rows.iter().map(|r| stage(r.class)).collect(),
        far_pairs: model.far_pairs.clone(),
        ..BlockSystem::default()
    };
    for (i, j) in keys {
        let shares = couplings
            .remove(&(i, j))
            .expect("the key was taken from this map");
        if system.sizes[i as usize] == 0 || system.sizes[j as usize] == 0 {
            continue;
        }
        let turned: Vec<Share> = shares.iter().map(|&(a, b, d)| (b, a, d)).collect();
        let (as_is, turned) = (leaves.keyed(shares), leaves.keyed(turned));
        let transposed = turned.0 < as_is.0;
        let (key, shares) = if transposed { turned } else { as_is };
        let leaf = *known.entry(key).or_insert_with(|| {
            leaves.shares.push(shares);
            leaves.fingerprints.push(key);
            leaves.shares.len() as u32 - 1
        });
        system.couplings.push((
            i,
            j,
            LeafRef {
                leaf,
                transposed: transposed && i != j,
            },
        ));
    }
    find_connected_components(model, &mut system);
    defer_weak_pivots(model, &leaves, &mut system);
    (system, leaves)
}

/// Rows of blocks that have no pivot of their own wait until their neighbours are eliminated.
///
/// A row's pivot is singular where some combination of its pressures acts on none of its velocities. Layers of a polygon end in
/// blocks of one or two cells, and of those an even split can leave a corner's pressure, or the two ends of an edge with the
/// velocity at its middle alone (whose sum is a constant there). The rank is what the matrix says: counting is not enough.
/// The thesis's junctions have no such blocks.
fn defer_weak_pivots(model: &BlockModel, leaves: &ChipLeaves<'_>, system: &mut BlockSystem) {
    if system.stages.contains(&Stage::Condense) {
        return; // condensed interiors support the pressures of the lines around them
    }
    let diagonal = |&(i, j, leaf): &(u32, u32, LeafRef)| {
        let is_inner = i == j && system.stages[i as usize] == Stage::Component;
        is_inner.then_some((leaf.leaf, i))
    };
    let of_rows: Vec<(u32, u32)> = system.couplings.iter().filter_map(diagonal).collect();
    let mut of_leaf: FxHashMap<u32, u32> = FxHashMap::default();
    for &(leaf, row) in &of_rows {
        of_leaf.entry(leaf).or_insert(row);
    }
    let n_velocity = |row: u32| model.layouts[model.rows[row as usize].layout as usize].n_velocity;
    let is_weak = |(leaf, row)| {
        (
            leaf,
            !holds_pressures(&leaves.assemble(leaf), n_velocity(row)),
        )
    };
    let weak = parallel::map_owned(of_leaf.into_iter().collect(), is_weak);
    let weak: FxHashMap<u32, bool> = weak.into_iter().collect();
    for (leaf, row) in of_rows {
        if weak[&leaf] {
            system.stages[row as usize] = Stage::ComponentLast;
        }
    }
}

/// Whether every combination of a row's pressures acts on its velocities: whether `B`, of `[A B^T; B 0]`, has full rank.
fn holds_pressures(matrix: &Mat<f64>, n_velocity: usize) -> bool {
    let n_pressure = matrix.nrows() - n_velocity;
    if n_pressure == 0 || n_velocity < n_pressure {
        return n_pressure == 0;
    }
    let b = matrix.submatrix(n_velocity, 0, n_pressure, n_velocity);
    let values = b.singular_values();
    values.is_ok_and(|s| s[n_pressure - 1] > 1e-9 * s[0])
}

/// Whether some cell of the block holds nodes of both sides: else their matrix block is zero and no coupling.
fn sides_meet(model: &BlockModel, (a, b): (u32, u32)) -> bool {
    let (a, b) = (&model.sides[a as usize], &model.sides[b as usize]);
    let mesh = &model.kinds[a.kind as usize].block.mesh;
    let mut member = vec![0_u8; mesh.nodes.len()];
    a.nodes.iter().for_each(|&(n, _)| member[n as usize] |= 1);
    b.nodes.iter().for_each(|&(n, _)| member[n as usize] |= 2);
    (0..mesh.n_cells()).any(|c| {
        mesh.cell(c)
            .iter()
            .fold(0, |all, &n| all | member[n as usize])
            == 3
    })
}

fn stage(class: RowClass) -> Stage {
    match class {
        RowClass::Interior => Stage::Condense,
        RowClass::Inner => Stage::Component,
        RowClass::Last => Stage::ComponentLast,
        RowClass::Separator => Stage::Separator,
    }
}

/// Connected parts, and whether pressure is fixed in each: by a port whose normal velocity is free.
fn find_connected_components(model: &BlockModel, system: &mut BlockSystem) {
    let n = model.rows.len();
    let mut parent: Vec<u32> = (0..n as u32).collect();
    fn root(parent: &mut [u32], mut at: u32) -> u32 {
        while parent[at as usize] != at {
            parent[at as usize] = parent[parent[at as usize] as usize];
            at = parent[at as usize];
        }
        at
    }
    for block in &model.blocks {
        for pair in block.incidences.windows(2) {
            let (a, b) = (
                root(&mut parent, pair[0].row),
                root(&mut parent, pair[1].row),
            );
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut number: FxHashMap<u32, u32> = FxHashMap::default();
    for row in 0..n as u32 {
        let r = root(&mut parent, row);
        let next = number.len() as u32;
        system
            .connected_components
            .push(*number.entry(r).or_insert(next));
    }
    system.singular_connected_components = vec![true; number.len()];
    for port in &model.ports {
        let layout = &model.layouts[model.rows[port.row as usize].layout as usize];
        if layout
            .nodes
            .iter()
            .any(|node| node.velocity != Velocity::Given)
        {
            system.singular_connected_components
                [system.connected_components[port.row as usize] as usize] = false;
        }
    }
}

impl ChipLeaves<'_> {
    /// Shares in the order of their keys, with the key of the whole.
    fn keyed(&self, shares: Vec<Share>) -> (Fingerprint, Vec<Share>) {
        let mut keyed: Vec<(Fingerprint, Share)> = shares
            .into_iter()
            .map(|(a, b, d)| {
                let key = Hasher::new(Domain::BlockShare)
                    .key(self.model.sides[a as usize].fingerprint)
                    .key(self.model.sides[b as usize].fingerprint)
                    // Nine digits of the drag name its class in any chip.
                    .int(if self.drags[d as usize] > 0.0 {
                        (self.drags[d as usize].ln() * 1e9).round() as i64
                    } else {
                        i64::MIN
                    })
                    .finish();
                (key, (a, b, d))
            })
            .collect();
        keyed.sort_unstable();
        let key = keyed
            .iter()
            .fold(Hasher::new(Domain::BlockMatrix), |h, k| h.key(k.0))
            .finish();
        (key, keyed.into_iter().map(|k| k.1).collect())
    }
}

impl Leaves for ChipLeaves<'_> {
    fn n_leaves(&self) -> usize {
        self.shares.len()
    }

    fn shape(&self, leaf: u32) -> (u32, u32) {
        let (a, b, _) = self.shares[leaf as usize][0];
        let size = |side: u32| {
            self.model.layouts[self.model.sides[side as usize].layout as usize].n_unknowns as u32
        };
        (size(a), size(b))
    }

    fn fingerprint(&self, leaf: u32) -> Fingerprint {
        self.fingerprints[leaf as usize]
    }

    fn assemble(&self, leaf: u32) -> Mat<f64> {
        let (rows, columns) = self.shape(leaf);
        let mut out = Mat::zeros(rows as usize, columns as usize);
        for &(a, b, d) in &self.shares[leaf as usize] {
            let (a, b) = (&self.model.sides[a as usize], &self.model.sides[b as usize]);
            let matrix = self.matrices.get(self.model, a.kind);
            let (maps_a, maps_b) = (side_map(self.model, a), side_map(self.model, b));
            let mut of_unknown: Vec<&[(u32, f64)]> = vec![&[]; matrix.n()];
            for (unknown, images) in &maps_b {
                of_unknown[*unknown as usize] = images;
            }
            for (unknown, images) in &maps_a {
                for (column, value) in matrix.row(*unknown as usize, self.drags[d as usize]) {
                    for &(j, cj) in of_unknown[column] {
                        for &(i, ci) in images {
                            out[(i as usize, j as usize)] += ci * cj * value;
                        }
                    }
                }
            }
        }
        out
    }
}

/// Unknowns of a block, each with the unknowns of a row (and factors) that it is made of.
pub type SideMap = Vec<(u32, Vec<(u32, f64)>)>;

/// For each unknown of the block that the side's row owns: which unknowns of the row it is made of, and how.
///
/// `x_block[unknown] = sum of factor * x_row[i]` over the listed (i, factor).
pub fn side_map(model: &BlockModel, side: &Side) -> SideMap {
    let layout = &model.layouts[side.layout as usize];
    let block = &model.kinds[side.kind as usize].block;
    let pressure_at = 2 * block.mesh.nodes.len() as u32;
    let (s, c) = sin_cos(side.relative.turn());
    let flip = if side.relative.mirror { -1.0 } else { 1.0 };
    // Columns of R(turn) M(mirror).
    let axes = [[c, s], [-s * flip, c * flip]];
    let mut map = Vec::new();
    for &(node, index) in &side.nodes {
        let unknowns = layout.nodes[index as usize];
        let first = layout.velocity_at[index as usize];
        let n = unknowns.velocity as u32;
        for component in 0..2_u32 {
            let images: Vec<(u32, f64)> = (0..n)
                .map(|k| (first + k, axes[k as usize][component as usize]))
                .filter(|e| e.1 != 0.0)
                .collect();
            if !images.is_empty() {
                map.push((2 * node + component, images));
            }
        }
        if unknowns.pressure {
            map.push((
                pressure_at + node,
                vec![(
                    layout.pressure_at[index as usize],
                    1.0 / side.relative.scale(),
                )],
            ));
        }
    }
    map
}
