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
//! quantities of [`crate::quantities`] at the nodes, the part of the chip of every cell. VTK orders the nodes of its quadratic cells as
//! [`crate::fem::lagrange`] does, so cells are written as they are.

use std::borrow::Cow;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use stokeslet_base::parallel;

use crate::fem::lagrange::n_nodes as n_nodes_of_cell;
use crate::field::{Dimension, Field, In};
use crate::quantities::{Evaluate, inside};

/// Bytes of a block before compression. VTK's own default is 32 KiB; larger blocks compress a little better and still spread
/// over the cores.
const BLOCK: usize = 1 << 17;

struct Array {
    kind: &'static str,
    name: String,
    components: usize,
    payload: Vec<u8>,
}

/// VTK's number for a triangle with six nodes, or a tetrahedron with ten.
const fn cell_type<const D: usize>() -> u8 {
    if D == 2 { 22 } else { 24 }
}

/// Writes a field as a `.vtu` file, with other scalars at its nodes.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] where values, cells and the other scalars don't belong together; else what the writer says.
pub fn write<'a, const D: usize>(
    out: &mut dyn Write,
    field: &Field<D>,
    others: impl Iterator<Item = (&'a str, Cow<'a, [f64]>)>,
) -> io::Result<()>
where
    In<D>: Evaluate<D>,
{
    let others: Vec<(&str, Cow<'_, [f64]>)> = others.collect();
    let one_a_node = |(_, values): &(&str, Cow<'_, [f64]>)| values.len() == field.nodes.len();
    if !field.is_consistent() || !others.iter().all(one_a_node) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "nodes, cells and values of the fields differ in number",
        ));
    }
    let scalars: Vec<(&str, Cow<'_, [f64]>)> = inside()
        .filter_map(|q| Some((q.name, Cow::Owned(q.at_nodes(field)?))))
        .chain(others)
        .collect();
    // VTK's vectors have three components; the third of a flow in the plane is 0.
    let component = |p: <In<D> as Dimension<D>>::Point, c: usize| {
        let all: [f64; D] = p.into();
        all.get(c).copied().unwrap_or(0.0)
    };
    let (n_nodes, n_cells) = (field.nodes.len(), field.cells.len());
    let nodes_a_cell = n_nodes_of_cell::<D>();
    let f64s = |components: usize, name: &str, value: &(dyn Fn(usize, usize) -> f64 + Sync)| {
        let item = |i: usize, bytes: &mut Vec<u8>| {
            for c in 0..components {
                bytes.extend_from_slice(&value(i, c).to_le_bytes());
            }
        };
        array("Float64", name, components, n_nodes, 8 * components, &item)
    };
    let points = f64s(3, "Points", &|i, c| component(field.nodes[i], c))?;
    let velocity = f64s(3, "velocity", &|i, c| component(field.velocity[i], c))?;
    let scalars: Vec<Array> = scalars
        .iter()
        .map(|(name, values)| f64s(1, &attribute(name), &|i, _| values[i]))
        .collect::<io::Result<_>>()?;
    let point_data: Vec<&Array> = std::iter::once(&velocity).chain(&scalars).collect();
    let part = array("Int32", "part", 1, n_cells, 4, &|i, bytes| {
        bytes.extend_from_slice(&(field.part[i] as i32).to_le_bytes());
    })?;
    let cell_bytes = 8 * nodes_a_cell;
    let connectivity = array(
        "Int64",
        "connectivity",
        1,
        n_cells,
        cell_bytes,
        &|i, bytes| {
            for &node in field.cells[i].as_ref() {
                bytes.extend_from_slice(&i64::from(node).to_le_bytes());
            }
        },
    )?;
    let offsets = array("Int64", "offsets", 1, n_cells, 8, &|i, bytes| {
        bytes.extend_from_slice(&((nodes_a_cell * (i + 1)) as i64).to_le_bytes());
    })?;
    let types = array("UInt8", "types", 1, n_cells, 1, &|_, bytes| {
        bytes.push(cell_type::<D>())
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
    let blocks = parallel::map(n_blocks, 1, |b| {
        let items = b * per_block..n_items.min((b + 1) * per_block);
        let mut raw = Vec::with_capacity(items.len() * item_bytes);
        for i in items {
            item(i, &mut raw);
        }
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(raw.len() / 2), Compression::fast());
        encoder.write_all(&raw)?;
        encoder.finish()
    });
    let blocks: Vec<Vec<u8>> = blocks.into_iter().collect::<io::Result<_>>()?;
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
    use std::io::Read;
    use stokeslet_base::geometry::Point;

    /// A flow of `n` cells whose nodes overlap.
    fn file(n: usize) -> Vec<u8> {
        let point = |i: usize| Point::new(i as f64, (i * i) as f64);
        let field = Field::<2> {
            nodes: (0..n + 5).map(point).collect(),
            velocity: (0..n + 5).map(|i| point(i + 1)).collect(),
            pressure: (0..n + 5).map(|i| i as f64).collect(),
            cells: (0..n as u32)
                .map(|k| [0, 1, 2, 3, 4, 5].map(|i| k + i))
                .collect(),
            part: vec![0; n],
            ..Field::default()
        };
        let mut out = Vec::new();
        write(&mut out, &field, std::iter::empty()).expect("memory takes all");
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
    fn arrays_hold_the_bits_of_a_flow_in_space() {
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
        let cells: Vec<[u32; 10]> = (0..n as u32)
            .map(|c| std::array::from_fn(|k| 10 * c + k as u32))
            .collect();
        let velocity: Vec<[f64; 3]> = nodes.iter().map(|p| [p[1] / 3.0, -p[0], 0.1]).collect();
        let pressure: Vec<f64> = nodes.iter().map(|p| p[0] - p[2] / 7.0).collect();
        let part: Vec<u32> = (0..n as u32).map(|c| c / 100).collect();
        let fields = Field::<3> {
            nodes,
            velocity,
            pressure,
            cells,
            part,
            ..Field::default()
        };
        let Field {
            nodes,
            velocity,
            pressure,
            ..
        } = &fields;
        let mut bytes = Vec::new();
        write(&mut bytes, &fields, std::iter::empty()).expect("memory takes it");
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
        let fields = Field::<3> {
            nodes: vec![[0.0; 3]],
            cells: vec![[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
            velocity: vec![[0.0; 3]],
            pressure: vec![0.0],
            part: vec![0],
            ..Field::default()
        };
        let error =
            write(&mut Vec::new(), &fields, std::iter::empty()).expect_err("there is no node 1");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        let fields = Field::<3> {
            cells: vec![[0; 10]],
            ..fields
        };
        let too_many = std::iter::once(("dye", vec![1.0, 2.0].into()));
        let error = write(&mut Vec::new(), &fields, too_many).expect_err("two values, one node");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
