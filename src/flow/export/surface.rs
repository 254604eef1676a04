//! Fields become linear triangles in picture coordinates, refined or coarsened to what a picture can show.

use rustc_hash::FxHashMap;

use super::contour::Surface;
use crate::field::Field;
use crate::quantities::{FieldQuantity, Origin, SPEED};
use stokeslet_base::geometry::Point;

/// What a picture is coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colouring {
    /// A quantity of the flow; one of walls needs [`super::Extra::walls`].
    Flow(&'static FieldQuantity),
    /// One of [`super::Extra::fields`], by its number.
    Extra(usize),
}

impl Default for Colouring {
    fn default() -> Self {
        Colouring::Flow(&SPEED)
    }
}

/// From metres to picture units: `(x, y) -> ((x - left) * scale, (top - y) * scale)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureFrame {
    /// Smallest x, m.
    pub left: f64,
    /// Greatest y, m.
    pub top: f64,
    /// Picture units per metre.
    pub scale: f64,
}

impl PictureFrame {
    /// Where a point of the chip lies in the picture; y points down.
    pub fn place(&self, p: Point) -> [f64; 2] {
        [
            (p.x - self.left) * self.scale,
            (self.top - p.y) * self.scale,
        ]
    }
}

/// Longest side of a triangle that is drawn straight, picture units: shorter is invisible, longer shows corners on contours.
const FINE: f64 = 6.0;
/// Above this many cells only their vertices are drawn, unless they are large on the picture.
const MANY: usize = 400_000;

/// A node on its way into the picture.
#[derive(Clone, Copy)]
struct Node {
    at: Point,
    velocity: Point,
    pressure: f64,
}

/// The field as linear triangles.
///
/// Quadratic cells are cut in four, keeping their curved edges and quadratic velocity, until they are small on the picture;
/// cells that are small already keep their three vertices only. Nodes that blocks don't share are welded, else the seams
/// between blocks would show as hairlines.
///
/// # Shapes and units
/// - `nodal`: what is shown at every node, where it isn't a function of velocity and pressure
pub fn surface(
    fields: &Field<2>,
    colouring: Colouring,
    frame: &PictureFrame,
    nodal: Option<&[f64]>,
) -> Surface {
    let mut nodes: Vec<Node> = (0..fields.nodes.len())
        .map(|k| Node {
            at: fields.nodes[k],
            velocity: fields.velocity[k],
            // What isn't made of velocity and pressure takes the place of the pressure: both are one number a node.
            pressure: nodal.map_or(fields.pressure[k], |values| values[k]),
        })
        .collect();
    let mut cells = fields.cells.clone();
    weld(&nodes, &mut cells);
    let mut size = typical_side(&nodes, &cells) * frame.scale;
    while size / 2.0 > FINE && cells.len() * 4 <= MANY {
        cells = refined(&mut nodes, &cells);
        size /= 2.0;
    }
    let triangles = if size > FINE / 2.0 && cells.len() * 4 <= 4 * MANY {
        cells
            .iter()
            .flat_map(|&[a, b, c, ab, bc, ca]| {
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect()
    } else {
        cells.iter().map(|c| [c[0], c[1], c[2]]).collect()
    };
    let value = match colouring {
        Colouring::Flow(quantity) if nodal.is_none() => match quantity.origin {
            Origin::Values { plane, .. } => plane,
            Origin::Gradient { .. } | Origin::Whole(_) | Origin::Walls => |_, p| p,
        },
        _ => |_: [f64; 2], p: f64| p,
    };
    let mut surface = Surface {
        points: nodes
            .iter()
            .map(|n| frame.place(n.at).map(|v| v as f32))
            .collect(),
        values: nodes
            .iter()
            .map(|n| value([n.velocity.x, n.velocity.y], n.pressure) as f32)
            .collect(),
        triangles,
        rim: Vec::new(),
    };
    surface.find_rim();
    surface
}

/// Median over a sample of cells of the side from the first to the second vertex, m.
fn typical_side(nodes: &[Node], cells: &[[u32; 6]]) -> f64 {
    let step = (cells.len() / 1000).max(1);
    let mut sides: Vec<f64> = cells
        .iter()
        .step_by(step)
        .map(|c| (nodes[c[0] as usize].at - nodes[c[1] as usize].at).norm())
        .collect();
    sides.sort_unstable_by(f64::total_cmp);
    sides.get(sides.len() / 2).copied().unwrap_or_default()
}

/// Gives nodes at the same place on edges of single cells the same number.
fn weld(nodes: &[Node], cells: &mut [[u32; 6]]) {
    let mut edges: Vec<(u32, u32, u32)> = cells
        .iter()
        .flat_map(|c| {
            (0..3).map(|k| (c[k].min(c[(k + 1) % 3]), c[k].max(c[(k + 1) % 3]), c[k + 3]))
        })
        .collect();
    edges.sort_unstable();
    let mut loose: Vec<u32> = edges
        .chunk_by(|p, q| (p.0, p.1) == (q.0, q.1))
        .filter(|same| same.len() == 1 || same[0].2 != same[1].2)
        .flat_map(|same| same.iter().flat_map(|&(a, b, m)| [a, b, m]))
        .collect();
    loose.sort_unstable();
    loose.dedup();
    let tolerance = typical_side(nodes, cells) * 1e-4;
    if loose.is_empty() || tolerance <= 0.0 {
        return;
    }
    let bin = |v: f64| (v / tolerance).floor() as i64;
    let mut first: FxHashMap<(i64, i64), u32> = FxHashMap::default();
    let mut same: FxHashMap<u32, u32> = FxHashMap::default();
    for node in loose {
        let at = nodes[node as usize].at;
        let (i, j) = (bin(at.x), bin(at.y));
        let known = (-1..=1)
            .flat_map(|di| (-1..=1).map(move |dj| (i + di, j + dj)))
            .find_map(|key| {
                first
                    .get(&key)
                    .copied()
                    .filter(|&n| (nodes[n as usize].at - at).norm() <= tolerance)
            });
        match known {
            Some(n) => {
                same.insert(node, n);
            }
            None => {
                first.insert((i, j), node);
            }
        }
    }
    if same.is_empty() {
        return;
    }
    for cell in cells {
        *cell = cell.map(|n| same.get(&n).copied().unwrap_or(n));
    }
}

/// Every cell cut into four quadratic cells by its edge middles; new nodes are values of the old cell's quadratic functions.
fn refined(nodes: &mut Vec<Node>, cells: &[[u32; 6]]) -> Vec<[u32; 6]> {
    let mut made: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut node = |nodes: &mut Vec<Node>, a: u32, b: u32, weights: &[(u32, f64)]| {
        *made.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let mut sum = Node {
                at: Point::default(),
                velocity: Point::default(),
                pressure: 0.0,
            };
            for &(n, w) in weights {
                let n = nodes[n as usize];
                sum.at = sum.at + n.at * w;
                sum.velocity = sum.velocity + n.velocity * w;
                sum.pressure += n.pressure * w;
            }
            nodes.push(sum);
            (nodes.len() - 1) as u32
        })
    };
    let mut fine = Vec::with_capacity(cells.len() * 4);
    for c in cells {
        // On edge k from vertex k to the next: a quarter and three quarters of the way.
        let mut quarters = [[0; 2]; 3];
        // Between the middles of edges k and k + 1.
        let mut inner = [0; 3];
        for k in 0..3 {
            let (a, b, m) = (c[k], c[(k + 1) % 3], c[k + 3]);
            quarters[k] = [
                node(nodes, a, m, &[(a, 0.375), (m, 0.75), (b, -0.125)]),
                node(nodes, m, b, &[(b, 0.375), (m, 0.75), (a, -0.125)]),
            ];
            // Halfway between two edge middles: barycentric (1/4, 1/2, 1/4), the half at the vertex they share.
            let (far, m1, m2, m3) = (
                c[(k + 2) % 3],
                c[k + 3],
                c[(k + 1) % 3 + 3],
                c[(k + 2) % 3 + 3],
            );
            inner[k] = node(
                nodes,
                m1,
                m2,
                &[(a, -0.125), (far, -0.125), (m1, 0.5), (m2, 0.5), (m3, 0.25)],
            );
        }
        let [m0, m1, m2] = [c[3], c[4], c[5]];
        fine.extend([
            [c[0], m0, m2, quarters[0][0], inner[2], quarters[2][1]],
            [m0, c[1], m1, quarters[0][1], quarters[1][0], inner[0]],
            [m2, m1, c[2], inner[1], quarters[1][1], quarters[2][0]],
            [m0, m1, m2, inner[0], inner[1], inner[2]],
        ]);
    }
    fine
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::contour::signed_area;

    /// A unit square of two cells that share no nodes, velocity (1 - x^2, 0).
    fn two_loose_cells() -> Field<2> {
        let mut fields = Field::<2>::default();
        for corners in [
            [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
            [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
        ] {
            let v = corners.map(|(x, y)| Point::new(x, y));
            let middle = |a: usize, b: usize| (v[a] + v[b]) * 0.5;
            let first = fields.nodes.len() as u32;
            fields
                .nodes
                .extend([v[0], v[1], v[2], middle(0, 1), middle(1, 2), middle(2, 0)]);
            fields.cells.push(std::array::from_fn(|k| first + k as u32));
            fields.part.push(0);
        }
        fields.velocity = fields
            .nodes
            .iter()
            .map(|p| Point::new(1.0 - p.x * p.x, 0.0))
            .collect();
        fields.pressure = fields.nodes.iter().map(|p| p.x).collect();
        fields
    }

    #[test]
    fn loose_cells_are_welded_and_refined_until_small() {
        let frame = PictureFrame {
            left: 0.0,
            top: 1.0,
            scale: 100.0,
        };
        let surface = surface(&two_loose_cells(), Colouring::default(), &frame, None);
        let loops = surface.superlevel_loops(-1.0);
        assert_eq!(loops.len(), 1, "one outline, so the seam is gone");
        assert!(
            (signed_area(&loops[0]).abs() - 1e4).abs() < 1.0,
            "of the whole square"
        );
        for (p, value) in surface.points.iter().zip(&surface.values) {
            let x = p[0] / 100.0;
            assert!(
                (value - (1.0 - x * x)).abs() < 1e-6,
                "refining keeps quadratic velocities exact"
            );
        }
        let longest = surface
            .triangles
            .iter()
            .map(|t| {
                let (a, b) = (surface.points[t[0] as usize], surface.points[t[1] as usize]);
                (a[0] - b[0]).hypot(a[1] - b[1])
            })
            .fold(0.0, f32::max);
        assert!(
            longest < 2.0 * FINE as f32,
            "triangles are small on the picture: {longest}"
        );
    }
}
