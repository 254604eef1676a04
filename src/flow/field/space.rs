//! Fields of a chip in three dimensions: what was solved, all of it, and its mid-depth plane.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::nodal::swapped_tetrahedron;
use super::{Depths, Field};
use crate::fem::lagrange::edges;
use crate::mesh::{TETRAHEDRON_FACETS, Top};
use crate::stokes::section::NONE;
use stokeslet_base::geometry::Point;

/// Nodes of a tetrahedron's facet: its vertices, counter-clockwise seen from outside, then the middles of edges 01, 12, 20.
fn facet_nodes(facet: usize) -> [usize; 6] {
    let v = TETRAHEDRON_FACETS[facet];
    let middle = |a: usize, b: usize| {
        let found = edges::<3>()
            .iter()
            .position(|&e| e == (a, b) || e == (b, a));
        4 + found.expect("any two vertices are an edge")
    };
    [
        v[0],
        v[1],
        v[2],
        middle(v[0], v[1]),
        middle(v[1], v[2]),
        middle(v[2], v[0]),
    ]
}

impl Field<3> {
    /// Whether a node lies at mid-depth: heights are multiples of a layer, so a billionth of the depth tells them apart.
    fn is_middle(&self, node: u32) -> bool {
        let z = self.nodes[node as usize][2];
        (z / self.depths.depth - 0.5).abs() < 1e-9
    }

    /// The flow at mid-depth as a plane one: there, nothing flows up or down.
    ///
    /// Cells are the facets below mid-depth; where the whole depth was solved the number of layers is even, so that there are
    /// some.
    pub fn mid_depth(&self) -> Field<2> {
        let facets: [[usize; 6]; 4] = std::array::from_fn(facet_nodes);
        let mut number = vec![NONE; self.nodes.len()];
        let mut out = Field::<2> {
            depths: Depths::Cut,
            ..Field::default()
        };
        let mut plane_cells: Vec<[u32; 6]> = Vec::new();
        for (c, cell) in self.cells.iter().enumerate() {
            let below = |k: usize| {
                let at = self.nodes[cell[k] as usize][2];
                at < 0.5 * self.depths.depth && !self.is_middle(cell[k])
            };
            for (k, list) in facets.iter().enumerate() {
                if below(k) && list[..3].iter().all(|&v| self.is_middle(cell[v])) {
                    plane_cells.push(list.map(|v| cell[v]));
                    out.part.push(self.part[c]);
                }
            }
        }
        for cell in &plane_cells {
            out.cells.push(cell.map(|node| {
                let place = &mut number[node as usize];
                if *place == NONE {
                    *place = out.nodes.len() as u32;
                    let ([x, y, _], [u, v, _]) =
                        (self.nodes[node as usize], self.velocity[node as usize]);
                    out.nodes.push(Point::new(x, y));
                    out.velocity.push(Point::new(u, v));
                    out.pressure.push(self.pressure[node as usize]);
                }
                *place
            }));
        }
        let mut on_wall: FxHashSet<u32> = FxHashSet::default();
        for &(c, facet) in &self.walls {
            let cell = &self.cells[c as usize];
            let middles = facets[facet as usize][3..].iter().map(|&k| cell[k]);
            on_wall.extend(middles.filter(|&node| self.is_middle(node)));
        }
        for (c, cell) in plane_cells.iter().enumerate() {
            let walls = (0..3_u8).filter(|&e| on_wall.contains(&cell[3 + e as usize]));
            out.walls.extend(walls.map(|e| (c as u32, e)));
        }
        out
    }

    /// Values at the nodes of [`Self::whole`], from those at the nodes of what was solved.
    pub fn whole_of(&self, values: &[f64]) -> Vec<f64> {
        let mut out = values.to_vec();
        if self.depths.top == Top::Symmetry {
            let images = (0..values.len()).filter(|&n| !self.is_middle(n as u32));
            out.extend(images.map(|n| values[n]));
        }
        out
    }

    /// Over the whole depth: what was solved, and its mirror image above where that was half.
    pub fn whole(&self) -> Cow<'_, Self> {
        if self.depths.top == Top::Wall {
            return Cow::Borrowed(self);
        }
        let mut out = self.clone();
        let n = self.nodes.len() as u32;
        let mut image: Vec<u32> = Vec::with_capacity(n as usize);
        let mut next = n;
        for node in 0..n {
            if self.is_middle(node) {
                image.push(node);
                continue;
            }
            let ([x, y, z], [u, v, w]) = (self.nodes[node as usize], self.velocity[node as usize]);
            out.nodes.push([x, y, self.depths.depth - z]);
            out.velocity.push([u, v, -w]);
            out.pressure.push(self.pressure[node as usize]);
            image.push(next);
            next += 1;
        }
        let order: [usize; 10] = std::array::from_fn({
            let order = swapped_tetrahedron();
            move |k| order[k]
        });
        let n_cells = self.part.len() as u32;
        let mirrored = |cell: &[u32; 10]| order.map(|k| image[cell[k] as usize]);
        out.cells.extend(self.cells.iter().map(mirrored));
        out.part.extend_from_slice(&self.part);
        // Facets are opposite vertices, and vertices 1 and 2 change places.
        let mirrored = |&(c, facet): &(u32, u8)| (n_cells + c, [0, 2, 1, 3][facet as usize]);
        out.walls.extend(self.walls.iter().map(mirrored));
        Cow::Owned(out)
    }
}
