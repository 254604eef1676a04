//! Nested dissection of a plane mesh: a binary tree of ever smaller sets of cells, for elimination by fronts.
//!
//! ```text
//! grid: along grid lines, halves differ by one square        elsewhere: at the median centroid
//! +-----+-----+    +-----+--+--+                             the cut runs between cells,
//! |     |     | -> +-----+  |  | -> ...                      across the longer side
//! +-----+-----+    +-----+--+--+
//! ```
//! In a grid the cut depends on the sides of the rectangle only, counted in squares, so equal rectangles are cut alike wherever they
//! lie: a level has rectangles of at most two lengths and two heights. Costs O(n log n).
//!
//! A grid is cut first along the line through its middle, if it has one, and on both sides of it squares are counted from there:
//! what lies on one side is cut as the mirror image of what lies on the other, and says so, so that mirror images can be one.
//!
//! ```text
//!  ... 2 1 0 | 0 1 2 ...
//! ```
//!
//! # Source
//! George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10 (1973).

use stokeslet_base::parallel;

use super::BlockMesh;
use super::grid_lines::{GridLines, Square};

/// Cells a leaf if nothing else is asked for: half the fronts of 4 for 5 % more multiplications on a crossing at r = 16 and 4 % more
/// on a fan at r = 14; 16 would cost 29 % and 18 % more than 4 (`separators::tests::costs_by_leaf_size`).
pub const CELLS_A_LEAF: usize = 8;

/// A tree over the cells of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Dissection {
    /// Children before parents, root last; never empty.
    pub nodes: Vec<DissectionNode>,
    /// One a node: along which axes its order runs backwards, so that it is the order of its mirror image.
    pub mirrored: Vec<[bool; 2]>,
}

/// A node of the tree: a leaf holds cells; an inner node joins two children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DissectionNode {
    /// A few cells, in an order that depends on their places relative to each other, in the mirror, only.
    Leaf {
        /// Numbers of cells.
        cells: Vec<u32>,
    },
    /// Two parts side by side.
    Join {
        /// The part with smaller coordinates, in the mirror, then the other.
        children: [u32; 2],
    },
}

impl Dissection {
    /// Adds another tree and returns where its root is now.
    fn append(&mut self, other: Self) -> u32 {
        let first = self.nodes.len() as u32;
        self.nodes
            .extend(other.nodes.into_iter().map(|node| match node {
                DissectionNode::Join { children } => DissectionNode::Join {
                    children: children.map(|c| c + first),
                },
                leaf => leaf,
            }));
        self.mirrored.extend(other.mirrored);
        self.nodes.len() as u32 - 1
    }

    /// The parent of every node; the root is its own.
    pub fn parents(&self) -> Vec<u32> {
        let mut parents = vec![self.nodes.len().saturating_sub(1) as u32; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if let DissectionNode::Join { children } = node {
                for &child in children {
                    parents[child as usize] = i as u32;
                }
            }
        }
        parents
    }
}

/// Cuts a mesh until no set has more than `cells_a_leaf` cells, except that the cells of one square of a grid stay together.
pub fn dissect(mesh: &BlockMesh<2>, cells_a_leaf: usize) -> Dissection {
    let cells = parallel::map(mesh.n_cells(), 1 << 10, |c| Cell::of(mesh, c));
    let grid = GridLines::of(mesh).map(|lines| Grid {
        middle: lines.middle(),
        squares: lines.into_squares(),
        first: usize::from(!is_mirror_image(mesh, 0) && is_mirror_image(mesh, 1)),
    });
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    let cutter = Cutter {
        cells,
        grid,
        cells_a_leaf: cells_a_leaf.max(1),
    };
    let mut tree = Dissection {
        nodes: Vec::new(),
        mirrored: Vec::new(),
    };
    cutter.grow(&mut order, [None; 2], &mut tree);
    tree
}

/// Whether the walls are their own mirror image along an axis: then so are the sockets between them.
fn is_mirror_image(mesh: &BlockMesh<2>, axis: usize) -> bool {
    let walls = || mesh.nodes.iter().zip(&mesh.on_wall).filter(|n| *n.1);
    let (low, high) = walls().fold((f64::INFINITY, f64::NEG_INFINITY), |b, (p, _)| {
        (b.0.min(p[axis]), b.1.max(p[axis]))
    });
    let sorted = |mirror: bool| {
        let place = |p: &[f64; 2]| {
            let along = if mirror {
                low + high - p[axis]
            } else {
                p[axis]
            };
            [along, p[1 - axis]].map(|x| (x * 1024.0).round() as i64)
        };
        let mut places: Vec<[i64; 2]> = walls().map(|(p, _)| place(p)).collect();
        places.sort_unstable();
        places
    };
    sorted(false) == sorted(true)
}

/// Along each axis, whether a set of cells lies below the middle, or above it; `None`: on both sides, or there is no middle.
type Sides = [Option<bool>; 2];

/// A way of counting squares.
#[derive(Clone, Copy)]
enum Count {
    /// From this one on.
    Up(u32),
    /// Backwards from this one.
    Down(u32),
}

impl Count {
    fn of(self, square: u32) -> u32 {
        match self {
            Self::Up(first) => square - first,
            Self::Down(first) => first - square,
        }
    }
}

/// The squares of a grid.
struct Grid {
    /// One a cell.
    squares: Vec<Square>,
    /// The line through the middle along each axis, if there is one.
    middle: [Option<u32>; 2],
    /// Which axis is cut first where two sides are equal.
    first: usize,
}

impl Grid {
    /// Along each axis, whether all `cells` lie below the middle, or above it; `None` where on both sides or there is none.
    /// `known`: of a set that holds them.
    fn sides(&self, cells: &[u32], known: Sides) -> Sides {
        [0, 1].map(|k| {
            known[k].or_else(|| {
                let middle = self.middle[k]?;
                let below = |c: &u32| self.squares[*c as usize][k] < middle;
                let first = below(cells.first()?);
                cells.iter().all(|c| below(c) == first).then_some(first)
            })
        })
    }

    /// How squares are counted along an axis: from the middle where all of a set lie on one side of it.
    fn count(&self, axis: usize, sides: Sides) -> Count {
        match (self.middle[axis], sides[axis]) {
            (Some(middle), Some(true)) => Count::Down(middle - 1),
            (Some(middle), Some(false)) => Count::Up(middle),
            _ => Count::Up(0),
        }
    }

    /// A cell's square, counted like that.
    fn at(&self, cell: u32, sides: Sides) -> Square {
        let [x, y] = self.squares[cell as usize];
        [self.count(0, sides).of(x), self.count(1, sides).of(y)]
    }

    /// Along the grid line nearest to the middle of the longer side; of two equally near, the one that leaves an even number below, so
    /// that more of the next cuts halve. Sides within a quarter of each other count as equal, because the near-squares of a level
    /// (4 x 4, 4 x 5, 5 x 4, 5 x 5) must all be cut the same way, or the next level has twice as many shapes.
    fn part(&self, cells: &mut [u32], sides: Sides) -> Option<usize> {
        let mut ends = [(u32::MAX, 0); 2];
        for &c in cells.iter() {
            let square = self.squares[c as usize];
            for (end, s) in ends.iter_mut().zip(square) {
                *end = (end.0.min(s), end.1.max(s));
            }
        }
        let length = |(low, high): (u32, u32)| high.saturating_sub(low) + 1;
        let both = [0, 1].map(|k| {
            let count = self.count(k, sides);
            let [a, b] = [count.of(ends[k].0), count.of(ends[k].1)];
            (a.min(b), a.max(b))
        });
        let [x, y] = both.map(|b| u64::from(length(b)));
        let axis = if 4 * y > 5 * x {
            1
        } else if 4 * x > 5 * y {
            0
        } else {
            self.first
        };
        let (low, length) = (both[axis].0, length(both[axis]));
        if length < 2 {
            return None;
        }
        let half = length / 2;
        let below = if length % 2 == 1 && half % 2 == 1 {
            half + 1
        } else {
            half
        };
        let mut line = low + below;
        if let (Some(middle), None) = (self.middle[axis], sides[axis])
            && 8 * middle.abs_diff(line) <= length
        {
            line = middle;
        }
        // In their order, so that the order of cells within a part never depends on how the part was reached.
        let count = self.count(axis, sides);
        let (mut n_low, mut high) = (0, Vec::with_capacity(cells.len() / 2 + 1));
        for k in 0..cells.len() {
            let cell = cells[k];
            if count.of(self.squares[cell as usize][axis]) < line {
                cells[n_low] = cell;
                n_low += 1;
            } else {
                high.push(cell);
            }
        }
        cells[n_low..].copy_from_slice(&high);
        Some(n_low)
    }
}

/// A cell's centroid, in steps of 2^-20 of the mesh's unit: rounding never decides which of two cells comes first.
#[derive(Clone, Copy)]
struct Cell {
    centroid: [i64; 2],
}

impl Cell {
    fn of(mesh: &BlockMesh<2>, cell: usize) -> Self {
        let corners = mesh.cell(cell)[..3].iter();
        let corners = corners.map(|&n| mesh.nodes[n as usize]);
        let sum = corners.fold([0.0; 2], |s, p| [s[0] + p[0], s[1] + p[1]]);
        Self {
            centroid: sum.map(|x| nearest(x / 3.0 * 1_048_576.0)),
        }
    }
}

/// The nearest whole number; `f64::round` is a call.
fn nearest(x: f64) -> i64 {
    (x + if x < 0.0 { -0.5 } else { 0.5 }) as i64
}

struct Cutter {
    cells: Vec<Cell>,
    /// Where the mesh is a grid.
    grid: Option<Grid>,
    cells_a_leaf: usize,
}

/// From so many cells on two parts are cut side by side.
const SIDE_BY_SIDE: usize = 4096;

impl Cutter {
    /// Adds the tree over `cells`, in any order, and returns its root. Depth is the logarithm of their number. `known`: the sides of
    /// a set that holds them.
    fn grow(&self, cells: &mut [u32], known: Sides, out: &mut Dissection) -> u32 {
        let sides = self.grid.as_ref().map(|grid| grid.sides(cells, known));
        let sides = sides.unwrap_or_default();
        let parted = (cells.len() > self.cells_a_leaf)
            .then(|| self.part(cells, sides))
            .flatten();
        let node = match parted {
            Some(middle) => {
                let (low, high) = cells.split_at_mut(middle);
                let children = if low.len() + high.len() < SIDE_BY_SIDE {
                    [self.grow(low, sides, out), self.grow(high, sides, out)]
                } else {
                    let grown = |cells: &mut [u32]| {
                        let mut out = Dissection {
                            nodes: Vec::new(),
                            mirrored: Vec::new(),
                        };
                        self.grow(cells, sides, &mut out);
                        out
                    };
                    let (low, high) = rayon::join(|| grown(low), || grown(high));
                    [low, high].map(|part| out.append(part))
                };
                DissectionNode::Join { children }
            }
            None => DissectionNode::Leaf {
                cells: self.sorted(cells, sides),
            },
        };
        out.nodes.push(node);
        out.mirrored.push(sides.map(|below| below == Some(true)));
        out.nodes.len() as u32 - 1
    }

    /// Orders `cells` so that the first so many are the part with smaller coordinates; `None` for a single square.
    fn part(&self, cells: &mut [u32], sides: Sides) -> Option<usize> {
        match &self.grid {
            Some(grid) => grid.part(cells, sides),
            None => Some(self.part_at_median(cells)),
        }
    }

    fn part_at_median(&self, cells: &mut [u32]) -> usize {
        let at = |c: u32| self.cells[c as usize].centroid;
        let axis = longer_side(cells.iter().map(|&c| at(c)));
        let middle = cells.len() / 2;
        cells.select_nth_unstable_by_key(middle, |&c| (at(c)[axis], at(c)[1 - axis], c));
        middle
    }

    /// By squares, then by centroids from the lowest one of the leaf, in the mirror.
    fn sorted(&self, cells: &[u32], sides: Sides) -> Vec<u32> {
        let at = |c: u32| {
            let centroid = self.cells[c as usize].centroid;
            [0, 1].map(|k| match sides[k] {
                Some(true) => -centroid[k],
                _ => centroid[k],
            })
        };
        let square = |c: u32| self.grid.as_ref().map(|grid| grid.at(c, sides));
        let low = [0, 1].map(|k| cells.iter().map(|&c| at(c)[k]).min().unwrap_or(0));
        // 2^10 of the fine steps, so that copies whose centroids were rounded differently are sorted alike.
        let coarse = |c: u32| [0, 1].map(|k| (at(c)[k] - low[k] + 512) >> 10);
        let mut cells = cells.to_vec();
        cells.sort_unstable_by_key(|&c| (square(c), coarse(c), c));
        cells
    }
}

/// Which side of the points' bounding box is longer: 0 for x, also where they are equal.
fn longer_side(points: impl Iterator<Item = [i64; 2]>) -> usize {
    let empty = [(i64::MAX, i64::MIN); 2];
    let bounds = points.fold(empty, |b, p| {
        [0, 1].map(|k| (b[k].0.min(p[k]), b[k].1.max(p[k])))
    });
    let [x, y] = bounds.map(|(low, high)| high.saturating_sub(low));
    usize::from(y > x)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mesh::{Corners, Domain, PlanePart, plane_polygon, plane_straight};
    use stokeslet_base::geometry::Point;

    fn outline(resolution: u32, corners: &[(f64, f64)], sockets: &[usize]) -> BlockMesh<2> {
        let corners: Vec<Point> = corners.iter().map(|&(x, y)| Point::new(x, y)).collect();
        plane_polygon(
            resolution,
            &Domain::simple(&corners, sockets),
            Corners::Plain,
        )
        .expect("a sound polygon")
        .mesh
    }

    fn square(n: u32) -> BlockMesh<2> {
        let a = f64::from(n);
        outline(n, &[(0.0, 0.0), (a, 0.0), (a, a), (0.0, a)], &[1, 3])
    }

    fn cells_below(tree: &Dissection) -> Vec<Vec<u32>> {
        let mut below: Vec<Vec<u32>> = Vec::new();
        for node in &tree.nodes {
            below.push(match node {
                DissectionNode::Leaf { cells } => cells.clone(),
                DissectionNode::Join { children } => children
                    .iter()
                    .flat_map(|&c| below[c as usize].clone())
                    .collect(),
            });
        }
        below
    }

    #[test]
    fn every_cell_is_in_one_leaf_and_children_come_before_parents() {
        let slanted = outline(
            8,
            &[(0.0, 0.0), (8.0, 0.0), (13.0, 20.0), (0.0, 20.0)],
            &[0],
        );
        for mesh in [square(12), slanted] {
            let tree = dissect(&mesh, 8);
            for (i, node) in tree.nodes.iter().enumerate() {
                match node {
                    DissectionNode::Leaf { cells } => {
                        assert!((1..=8).contains(&cells.len()), "{} cells", cells.len());
                    }
                    DissectionNode::Join { children } => {
                        assert!(children.iter().all(|&c| (c as usize) < i));
                    }
                }
            }
            let mut all = cells_below(&tree).pop().expect("a root");
            all.sort_unstable();
            assert_eq!(all, (0..mesh.n_cells() as u32).collect::<Vec<_>>());
            assert_eq!(tree, dissect(&mesh, 8), "the same every time");
        }
    }

    /// The different parts of each level: the sides in squares and all cuts, and, with `cells`, the places of the leaves' cells, in
    /// the mirror.
    fn shapes_by_level(mesh: &BlockMesh<2>, tree: &Dissection, cells: bool) -> Vec<usize> {
        let mut patterns: Vec<String> = Vec::new();
        for (i, (node, below)) in tree.nodes.iter().zip(cells_below(tree)).enumerate() {
            let corners = || below.iter().flat_map(|&c| &mesh.cell(c as usize)[..3]);
            let along = |k: usize| corners().map(move |&n| mesh.nodes[n as usize][k]);
            let low = [0, 1].map(|k| along(k).fold(f64::INFINITY, f64::min));
            let high = [0, 1].map(|k| along(k).fold(f64::NEG_INFINITY, f64::max));
            let size = format!("{:.0}x{:.0}", high[0] - low[0], high[1] - low[1]);
            let inside = match node {
                DissectionNode::Join { children } => {
                    let [a, b] = children.map(|c| patterns[c as usize].clone());
                    format!("({a} {b})")
                }
                DissectionNode::Leaf { cells: list } if cells => {
                    let places = list.iter().map(|&c| {
                        let mut places = [0, 1, 2].map(|v| {
                            let p = mesh.nodes[mesh.cell(c as usize)[v] as usize];
                            let from = [0, 1].map(|k| match tree.mirrored[i][k] {
                                true => high[k] - p[k],
                                false => p[k] - low[k],
                            });
                            format!("{:.0},{:.0}", from[0], from[1])
                        });
                        places.sort_unstable();
                        places.join(" ")
                    });
                    places.collect::<Vec<_>>().join("; ")
                }
                DissectionNode::Leaf { .. } => String::new(),
            };
            patterns.push(format!("{size}{inside}"));
        }
        let mut levels = Vec::new();
        let mut front = vec![tree.nodes.len() as u32 - 1];
        while !front.is_empty() {
            let shapes: BTreeSet<&String> = front.iter().map(|&n| &patterns[n as usize]).collect();
            levels.push(shapes.len());
            let below = front.iter().flat_map(|&n| match &tree.nodes[n as usize] {
                DissectionNode::Join { children } => children.to_vec(),
                DissectionNode::Leaf { .. } => Vec::new(),
            });
            front = below.collect();
        }
        levels
    }

    /// 16 = 2^4 is the best case, 336 the widest chamber of the issue. Where leaves begin, 2 x 2 is one and 2 x 3 is not: that
    /// level may have a fifth shape. Diagonals of two directions are mirror images of each other, so where a line runs through the
    /// middle equal shapes are equal cell by cell; in an odd square diagonals turn inside parts, and the squares on its axes are crossed.
    #[test]
    fn a_level_of_a_square_has_at_most_four_shapes() {
        for n in [16, 21, 72, 100, 336] {
            let mesh = square(n);
            let tree = dissect(&mesh, CELLS_A_LEAF);
            let shapes = shapes_by_level(&mesh, &tree, false);
            let (above, leaves) = shapes.split_at(shapes.len() - 2);
            let [most_above, most_leaves] = if n % 2 == 0 { [4, 5] } else { [7, 7] };
            assert!(above.iter().all(|&c| c <= most_above), "{n}: {shapes:?}");
            assert!(leaves.iter().all(|&c| c <= most_leaves), "{n}: {shapes:?}");
            let copies = shapes_by_level(&mesh, &tree, true);
            let most = if n % 2 == 0 { 1 } else { 5 };
            assert!(
                copies.iter().zip(&shapes).all(|(&c, &s)| c <= most * s),
                "{n}: {copies:?}"
            );
        }
    }

    /// Sockets on two sides that face each other up and down, but not to the left and right: the halves above and below are equal.
    #[test]
    fn the_first_cut_leaves_mirror_images_where_it_can() {
        let corners = |turned: bool| {
            let outline = [
                (0.0, 0.0),
                (24.0, 0.0),
                (24.0, 3.0),
                (24.0, 7.0),
                (24.0, 17.0),
                (24.0, 21.0),
                (24.0, 24.0),
                (0.0, 24.0),
                (0.0, 14.0),
                (0.0, 10.0),
            ];
            outline.map(|(x, y)| if turned { (24.0 - y, x) } else { (x, y) })
        };
        for (turned, axis) in [(false, 1), (true, 0)] {
            let mesh = outline(4, &corners(turned), &[2, 4, 8]);
            let tree = dissect(&mesh, CELLS_A_LEAF);
            let Some(DissectionNode::Join { children }) = tree.nodes.last() else {
                panic!("more than one leaf");
            };
            let sides = children.map(|c| tree.mirrored[c as usize]);
            assert_eq!(sides.map(|m| m[axis]), [true, false], "turned: {turned}");
            assert_eq!(sides.map(|m| m[1 - axis]), [false, false]);
        }
    }

    #[test]
    fn squares_are_never_parted() {
        for r in [7, 8] {
            let width = f64::from(r);
            let Ok(PlanePart::Strip(strip)) = plane_straight(r, 3.0, width, width) else {
                panic!("a sound pipe")
            };
            let mesh = strip.slices[0].1.mesh.clone();
            let tree = dissect(&mesh, 1);
            let sizes: BTreeSet<usize> = tree
                .nodes
                .iter()
                .filter_map(|n| match n {
                    DissectionNode::Leaf { cells } => Some(cells.len()),
                    DissectionNode::Join { .. } => None,
                })
                .collect();
            let want: &[usize] = if r % 2 == 1 { &[2, 4] } else { &[2] };
            assert_eq!(sizes, want.iter().copied().collect());
        }
    }

    #[test]
    fn an_empty_mesh_is_one_empty_leaf() {
        let empty = BlockMesh {
            nodes: Vec::new(),
            n_vertices: 0,
            cells: Vec::new(),
            on_wall: Vec::new(),
            walls: Vec::new(),
        };
        let leaf = DissectionNode::Leaf { cells: Vec::new() };
        let tree = dissect(&empty, 8);
        assert_eq!((tree.nodes, tree.mirrored), (vec![leaf], vec![[false; 2]]));
    }
}
