//! Three-dimensional fields as a VTK unstructured grid: quadratic tetrahedra, in the form of `vtu.rs`.
//!
//! ```text
//! VTK's cell 24      vertices 0 1 2 3, then the middles of edges 01 12 20 03 13 23
//! ```
//! That is the order of [`crate::fem::lagrange`], so cells are written as they are.

use std::borrow::Cow;
use std::io::{self, Write};

use super::vtu::{Grid, write_grid};
use crate::field::Nodal;
use crate::quantities::inside;

/// VTK's number for a tetrahedron with ten nodes.
const QUADRATIC_TETRAHEDRON: u8 = 24;

/// Whether there is one value a node and one part a cell, and cells name nodes that exist.
fn is_consistent(fields: &Nodal<3>) -> bool {
    let n = fields.nodes.len();
    fields.velocity.len() == n
        && fields.pressure.len() == n
        && fields.cells.len() == 10 * fields.part.len()
        && fields.cells.iter().all(|&node| (node as usize) < n)
}

/// Writes `fields` as a `.vtu` file, with other scalars at their nodes.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] where slices don't belong together; else what the writer says.
pub fn write_tetrahedra<'a>(
    out: &mut dyn Write,
    fields: &Nodal<3>,
    others: impl Iterator<Item = (&'a str, Cow<'a, [f64]>)>,
) -> io::Result<()> {
    if !is_consistent(fields) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "nodes, cells and values of the fields differ in number",
        ));
    }
    let scalars: Vec<_> = inside()
        .filter_map(|q| Some((q.name, Cow::Owned(q.at_nodes_in_space(fields)?))))
        .chain(others)
        .collect();
    let grid = Grid {
        n_nodes: fields.nodes.len(),
        n_cells: fields.part.len(),
        nodes_a_cell: 10,
        cell_type: QUADRATIC_TETRAHEDRON,
        position: &|i, c| fields.nodes[i][c],
        velocity: &|i, c| fields.velocity[i][c],
        cell: &|i| &fields.cells[10 * i..][..10],
        part: &|i| fields.part[i],
        scalars: &scalars,
    };
    write_grid(out, &grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// One array back: its offset from the header, its blocks through zlib.
    fn read_array(bytes: &[u8], name: &str) -> Vec<u8> {
        let find = |what: &str, from: usize| {
            let found = bytes[from..]
                .windows(what.len())
                .position(|w| w == what.as_bytes());
            from + found.expect("it is there")
        };
        let at = find("offset=\"", find(&format!("Name=\"{name}\""), 0)) + 8;
        let digits = std::str::from_utf8(&bytes[at..find("\"", at)]).expect("digits");
        let offset: usize = digits.parse().expect("a number");
        let start = find("_", find("<AppendedData", 0)) + 1 + offset;
        let number = |k: usize| {
            let at = start + 8 * k;
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize
        };
        let mut at = start + 8 * (3 + number(0));
        let mut raw = Vec::new();
        for block in 0..number(0) {
            let size = number(3 + block);
            flate2::read::ZlibDecoder::new(&bytes[at..at + size])
                .read_to_end(&mut raw)
                .expect("zlib");
            at += size;
        }
        let partial = if number(2) > 0 {
            number(1) - number(2)
        } else {
            0
        };
        assert_eq!(raw.len(), number(0) * number(1) - partial);
        raw
    }

    fn f64s(bytes: &[u8], name: &str) -> Vec<f64> {
        read_array(bytes, name)
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")))
            .collect()
    }

    #[test]
    fn arrays_hold_the_bits_of_the_fields() {
        // The reference tetrahedron many times over: several compressed blocks.
        let corners: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut one = corners.to_vec();
        for &(a, b) in crate::fem::lagrange::edges::<3>() {
            one.push(std::array::from_fn(|k| {
                0.5 * (corners[a][k] + corners[b][k])
            }));
        }
        let n = 2500;
        let nodes: Vec<[f64; 3]> = (0..n)
            .flat_map(|c| one.iter().map(move |p| [p[0] + c as f64, p[1], p[2]]))
            .collect();
        let cells: Vec<u32> = (0..10 * n as u32).collect();
        let velocity: Vec<[f64; 3]> = nodes.iter().map(|p| [p[1] / 3.0, -p[0], 0.1]).collect();
        let pressure: Vec<f64> = nodes.iter().map(|p| p[0] - p[2] / 7.0).collect();
        let part: Vec<u32> = (0..n as u32).map(|c| c / 100).collect();
        let fields = Nodal {
            nodes,
            velocity,
            pressure,
            cells,
            part,
            walls: Vec::new(),
        };
        let Nodal {
            nodes,
            velocity,
            pressure,
            ..
        } = &fields;
        let mut bytes = Vec::new();
        write_tetrahedra(&mut bytes, &fields, std::iter::empty()).expect("memory takes it");
        assert_eq!(f64s(&bytes, "Points"), nodes.concat());
        assert_eq!(f64s(&bytes, "velocity"), velocity.concat());
        assert_eq!(f64s(&bytes, "pressure"), *pressure);
        let speed = |v: &[f64; 3]| v[0].hypot(v[1]).hypot(v[2]);
        assert_eq!(
            f64s(&bytes, "speed"),
            velocity.iter().map(speed).collect::<Vec<_>>()
        );
        assert_eq!(read_array(&bytes, "types"), vec![24; n]);
        let i64s = |name: &str| -> Vec<i64> {
            let raw = read_array(&bytes, name);
            let number = |b: &[u8]| i64::from_le_bytes(b.try_into().expect("eight bytes"));
            raw.chunks_exact(8).map(number).collect()
        };
        assert_eq!(i64s("connectivity"), (0..10 * n as i64).collect::<Vec<_>>());
        assert_eq!(
            i64s("offsets"),
            (1..=n as i64).map(|c| 10 * c).collect::<Vec<_>>()
        );
        assert_eq!(
            read_array(&bytes, "part")[4 * 250..][..4],
            2_i32.to_le_bytes()
        );

        // VTK's manual: nodes 4 to 9 of a quadratic tetrahedron lie between (0,1) (1,2) (2,0) (0,3) (1,3) (2,3).
        let points = f64s(&bytes, "Points");
        let vtk = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];
        for (k, (a, b)) in vtk.into_iter().enumerate() {
            for axis in 0..3 {
                let middle = 0.5 * (points[3 * a + axis] + points[3 * b + axis]);
                assert_eq!(points[3 * (4 + k) + axis], middle, "node {}", 4 + k);
            }
        }
    }

    #[test]
    fn slices_that_do_not_belong_together_are_an_error() {
        let fields = Nodal {
            nodes: vec![[0.0; 3]],
            cells: vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            velocity: vec![[0.0; 3]],
            pressure: vec![0.0],
            part: vec![0],
            walls: Vec::new(),
        };
        let error = write_tetrahedra(&mut Vec::new(), &fields, std::iter::empty())
            .expect_err("there is no node 1");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
