//! Fields as a VTK unstructured grid (`.vtu`): quadratic cells, zlib-compressed blocks in one raw appended section.
//!
//! ```text
//! <VTKFile ...>  <DataArray format="appended" offset="o"/> ...   the header, XML
//! <AppendedData encoding="raw">_                                 offsets count from the byte after the underscore
//!   array: [n_blocks][block size][size of a last, partial block or 0][compressed size of each block]   UInt64 each
//!          block 0, block 1, ...                                                                       zlib
//! </AppendedData></VTKFile>
//! ```
//! Numbers are little-endian and keep all their bits: velocity (three components, the third 0, as VTK expects) and the
//! quantities of [`crate::quantities`] at the nodes, the part of the chip of every cell. Tetrahedra are in `vtu3.rs`.

use std::borrow::Cow;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use super::NodalField;
use crate::field::Fields;
use crate::quantities::inside;

/// Bytes of a block before compression. VTK's own default is 32 KiB; larger blocks compress a little better and still spread
/// over the cores.
const BLOCK: usize = 1 << 17;

/// VTK's number for a triangle with six nodes.
const QUADRATIC_TRIANGLE: u8 = 22;

struct Array {
    kind: &'static str,
    name: String,
    components: usize,
    payload: Vec<u8>,
}

/// Nodal values on cells of one kind: all that the file holds, by index.
pub(super) struct Grid<'a> {
    pub n_nodes: usize,
    pub n_cells: usize,
    pub nodes_a_cell: usize,
    /// VTK's number for the kind of cell.
    pub cell_type: u8,
    /// Node and axis.
    pub position: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    /// Node and axis.
    pub velocity: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    /// Nodes of a cell, in VTK's order.
    pub cell: &'a (dyn Fn(usize) -> &'a [u32] + Sync),
    pub part: &'a (dyn Fn(usize) -> u32 + Sync),
    /// Names and values of scalars at the nodes.
    pub scalars: &'a [(&'a str, Cow<'a, [f64]>)],
}

/// Writes `fields` as a `.vtu` file.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, fields: &Fields, extra: &[NodalField]) -> io::Result<()> {
    let of_flow = inside().filter_map(|q| Some((q.name, Cow::Owned(q.at_nodes(fields)?))));
    let others = extra.iter().map(|f| (&*f.name, Cow::Borrowed(&*f.values)));
    let scalars: Vec<_> = of_flow.chain(others).collect();
    let grid = Grid {
        n_nodes: fields.nodes.len(),
        n_cells: fields.cells.len(),
        nodes_a_cell: 6,
        cell_type: QUADRATIC_TRIANGLE,
        position: &|i, c| [fields.nodes[i].x, fields.nodes[i].y, 0.0][c],
        velocity: &|i, c| [fields.velocity[i].x, fields.velocity[i].y, 0.0][c],
        cell: &|i| &fields.cells[i],
        part: &|i| fields.part[i],
        scalars: &scalars,
    };
    write_grid(out, &grid)
}

/// Writes a grid of any kind of cells.
///
/// # Errors
/// What the writer says.
pub(super) fn write_grid(out: &mut dyn Write, grid: &Grid<'_>) -> io::Result<()> {
    let (n_nodes, n_cells, nodes_a_cell) = (grid.n_nodes, grid.n_cells, grid.nodes_a_cell);
    let f64s = |components: usize, name: &str, value: &(dyn Fn(usize, usize) -> f64 + Sync)| {
        let item = |i: usize, bytes: &mut Vec<u8>| {
            for c in 0..components {
                bytes.extend_from_slice(&value(i, c).to_le_bytes());
            }
        };
        array("Float64", name, components, n_nodes, 8 * components, &item)
    };
    let points = f64s(3, "Points", grid.position)?;
    let velocity = f64s(3, "velocity", grid.velocity)?;
    let scalars: Vec<Array> = grid
        .scalars
        .iter()
        .map(|(name, values)| f64s(1, &attribute(name), &|i, _| values[i]))
        .collect::<io::Result<_>>()?;
    let point_data: Vec<&Array> = std::iter::once(&velocity).chain(&scalars).collect();
    let part = array("Int32", "part", 1, n_cells, 4, &|i, bytes| {
        bytes.extend_from_slice(&((grid.part)(i) as i32).to_le_bytes());
    })?;
    let cell_bytes = 8 * nodes_a_cell;
    let connectivity = array(
        "Int64",
        "connectivity",
        1,
        n_cells,
        cell_bytes,
        &|i, bytes| {
            for &node in (grid.cell)(i) {
                bytes.extend_from_slice(&i64::from(node).to_le_bytes());
            }
        },
    )?;
    let offsets = array("Int64", "offsets", 1, n_cells, 8, &|i, bytes| {
        bytes.extend_from_slice(&((nodes_a_cell * (i + 1)) as i64).to_le_bytes());
    })?;
    let types = array("UInt8", "types", 1, n_cells, 1, &|_, bytes| {
        bytes.push(grid.cell_type)
    })?;

    writeln!(out, r#"<?xml version="1.0"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">"#
    )?;
    writeln!(out, "<UnstructuredGrid>")?;
    writeln!(
        out,
        r#"<Piece NumberOfPoints="{n_nodes}" NumberOfCells="{n_cells}">"#
    )?;
    let sections: [(&str, &[&Array]); 4] = [
        ("Points", &[&points]),
        ("Cells", &[&connectivity, &offsets, &types]),
        (
            r#"PointData Vectors="velocity" Scalars="speed""#,
            &point_data,
        ),
        (r#"CellData Scalars="part""#, &[&part]),
    ];
    // What the header names first lies last. meshio replaces offsets one by one, from the start of the data on, and then takes the first
    // array in the header whose offset is the next one: in the order of the header that may be one with a replaced offset.
    let mut offset: usize = all(&sections).map(|a| a.payload.len()).sum();
    for (tag, arrays) in sections {
        writeln!(out, "<{tag}>")?;
        for a in arrays {
            offset -= a.payload.len();
            // Scalars without the attribute, else some readers make columns of them.
            let components = match a.components {
                1 => String::new(),
                n => format!(r#" NumberOfComponents="{n}""#),
            };
            writeln!(
                out,
                r#"<DataArray type="{}" Name="{}"{components} format="appended" offset="{offset}"/>"#,
                a.kind, a.name
            )?;
        }
        writeln!(out, "</{}>", tag.split(' ').next().unwrap_or(tag))?;
    }
    writeln!(out, "</Piece>\n</UnstructuredGrid>")?;
    write!(out, r#"<AppendedData encoding="raw">"#)?;
    out.write_all(b"\n_")?;
    let written: Vec<&Array> = all(&sections).collect();
    for a in written.into_iter().rev() {
        out.write_all(&a.payload)?;
    }
    // Readers that cut the section out by lines need the closing tag on a line of its own.
    writeln!(out, "\n</AppendedData>\n</VTKFile>")
}

/// The arrays of all sections, in the order of the header.
fn all<'a>(sections: &'a [(&str, &[&Array])]) -> impl Iterator<Item = &'a Array> {
    sections
        .iter()
        .flat_map(|(_, arrays)| arrays.iter().copied())
}

/// A name as an attribute of XML.
fn attribute(name: &str) -> String {
    name.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// One array, compressed block by block on all cores; `item` appends the `item_bytes` bytes of item i.
fn array(
    kind: &'static str,
    name: &str,
    components: usize,
    n_items: usize,
    item_bytes: usize,
    item: &(dyn Fn(usize, &mut Vec<u8>) + Sync),
) -> io::Result<Array> {
    let per_block = BLOCK / item_bytes;
    let n_blocks = n_items.div_ceil(per_block);
    let blocks: Vec<Vec<u8>> = (0..n_blocks)
        .into_par_iter()
        .map(|b| {
            let items = b * per_block..n_items.min((b + 1) * per_block);
            let mut raw = Vec::with_capacity(items.len() * item_bytes);
            for i in items {
                item(i, &mut raw);
            }
            let mut encoder =
                ZlibEncoder::new(Vec::with_capacity(raw.len() / 2), Compression::fast());
            encoder.write_all(&raw)?;
            encoder.finish()
        })
        .collect::<io::Result<_>>()?;
    let partial = n_items % per_block * item_bytes;
    let header = [n_blocks, per_block * item_bytes, partial];
    let mut payload = Vec::with_capacity(24 + blocks.iter().map(|b| b.len() + 8).sum::<usize>());
    for number in header.into_iter().chain(blocks.iter().map(Vec::len)) {
        payload.extend_from_slice(&(number as u64).to_le_bytes());
    }
    for block in blocks {
        payload.extend_from_slice(&block);
    }
    Ok(Array {
        kind,
        name: name.to_owned(),
        components,
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of `n` cells of 3 nodes, one after the other.
    fn file(n: usize) -> Vec<u8> {
        let cells: Vec<[u32; 3]> = (0..n as u32).map(|k| [k, k + 1, k + 2]).collect();
        let scalars = ["speed", "pressure"].map(|name| {
            let values: Vec<f64> = (0..n + 2).map(|i| i as f64).collect();
            (name, Cow::Owned(values))
        });
        let grid = Grid {
            n_nodes: n + 2,
            n_cells: n,
            nodes_a_cell: 3,
            cell_type: 5,
            position: &|i, c| (i * c) as f64,
            velocity: &|i, c| (i + c) as f64,
            cell: &|i| &cells[i],
            part: &|_| 0,
            scalars: &scalars,
        };
        let mut out = Vec::new();
        write_grid(&mut out, &grid).expect("memory takes all");
        out
    }

    /// The offsets in the header, and the data.
    fn read(file: &[u8]) -> (Vec<usize>, &[u8]) {
        let mark = b"encoding=\"raw\">\n_";
        let start = file.windows(mark.len()).position(|w| w == mark);
        let start = start.expect("has data") + mark.len();
        let end = file.len() - b"\n</AppendedData>\n</VTKFile>\n".len();
        let header = std::str::from_utf8(&file[..start]).expect("text");
        let offsets = header.split(" offset=\"").skip(1);
        let offsets = offsets.map(|rest| rest.split('"').next().unwrap().parse().unwrap());
        (offsets.collect(), &file[start..end])
    }

    fn number(data: &[u8], at: usize) -> usize {
        u64::from_le_bytes(data[at..at + 8].try_into().unwrap()) as usize
    }

    /// Bytes of the array at an offset, and how many characters it takes uncompressed in base 64.
    fn sizes(data: &[u8], at: usize) -> (usize, usize) {
        let [blocks, size, partial] = [0, 1, 2].map(|k| number(data, at + 8 * k));
        let packed: usize = (0..blocks).map(|k| number(data, at + 24 + 8 * k)).sum();
        let whole = if partial > 0 { blocks - 1 } else { blocks };
        let raw = 8 + whole * size + partial;
        (24 + 8 * blocks + packed, raw.div_ceil(3) * 4)
    }

    /// meshio's way through the data: what it finds at each offset must be what lies there.
    #[test]
    fn no_reader_takes_one_array_for_another() {
        for n in 1..400 {
            let file = file(n);
            let (mut offsets, data) = read(&file);
            let true_ones = offsets.clone();
            let (mut at, mut characters) = (0, 0);
            while at < data.len() {
                let found = offsets
                    .iter()
                    .position(|&o| o == at)
                    .expect("an array begins here");
                assert_eq!(true_ones[found], at, "{n} cells");
                offsets[found] = characters;
                let (bytes, more) = sizes(data, at);
                at += bytes;
                characters += more;
            }
        }
    }
}
