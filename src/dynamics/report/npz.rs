//! A pressure problem as numpy's `.npz`: `scipy.sparse.load_npz` reads its matrix, `numpy.load` the rest.
//!
//! ```text
//! zip, stored: format, shape, data, indices, indptr (A as CSR)   b   in_s   p   cell
//! in_s: 0 <= p, 0 <= A p + b, and one of them is 0     elsewhere: A p + b = 0
//! member: local head, "\x93NUMPY" 1 0, length, {'descr', 'fortran_order', 'shape'}, numbers little-endian
//! ```

use flate2::Crc;

use crate::lcp::Lcp;

/// An array: name, numpy's type, shape, bytes.
struct Array {
    name: &'static str,
    kind: &'static str,
    shape: String,
    bytes: Vec<u8>,
}

fn list(name: &'static str, kind: &'static str, n: usize, bytes: Vec<u8>) -> Array {
    Array {
        name,
        kind,
        shape: format!("({n},)"),
        bytes,
    }
}

/// The problem and a pressure as bytes of a file.
///
/// # Shapes and units
/// - `p`: one a row of `problem`, m²/s²
pub fn problem<const D: usize>(problem: &Lcp<D>, p: &[f64]) -> Vec<u8> {
    let n = problem.n();
    let (mut data, mut indices, mut starts) = (Vec::new(), Vec::new(), vec![0i32]);
    for i in 0..n {
        let (columns, values) = problem.matrix.row(i);
        let mut row: Vec<(u32, f64)> = columns
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect();
        row.push((i as u32, problem.matrix.diagonal[i]));
        row.sort_unstable_by_key(|(column, _)| *column);
        for (column, value) in row {
            indices.push(column as i32);
            data.push(value);
        }
        starts.push(indices.len() as i32);
    }
    let floats = |all: &[f64]| -> Vec<u8> { all.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let whole = |all: &[i32]| -> Vec<u8> { all.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let extent = [n as i64; 2].into_iter().flat_map(i64::to_le_bytes);
    let cells = problem.places.of.iter().flat_map(|c| c.to_le_bytes());
    let arrays = [
        Array {
            name: "format",
            kind: "|S3",
            shape: "()".to_owned(),
            bytes: b"csr".to_vec(),
        },
        list("shape", "<i8", 2, extent.collect()),
        list("data", "<f8", data.len(), floats(&data)),
        list("indices", "<i4", indices.len(), whole(&indices)),
        list("indptr", "<i4", n + 1, whole(&starts)),
        list("b", "<f8", n, floats(&problem.b)),
        list(
            "in_s",
            "|b1",
            n,
            problem.in_s.iter().map(|s| u8::from(*s)).collect(),
        ),
        list("p", "<f8", n, floats(p)),
        list("cell", "<u4", n, cells.collect()),
    ];
    zipped(&arrays)
}

/// As `.npy`.
fn npy(array: &Array) -> Vec<u8> {
    let mut head = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
        array.kind, array.shape
    );
    // Numbers begin at a multiple of 64.
    while !(10 + head.len() + 1).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((head.len() as u16).to_le_bytes());
    out.extend(head.as_bytes());
    out.extend(&array.bytes);
    out
}

/// A zip file of stored members, without dates.
fn zipped(arrays: &[Array]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for array in arrays {
        let (name, bytes) = (format!("{}.npy", array.name), npy(array));
        let mut crc = Crc::new();
        crc.update(&bytes);
        let offset = out.len() as u32;
        // Version 2.0, no flags, stored, 1980-01-01, check sum, sizes, length of the name, no extra field.
        let mut common = Vec::new();
        for value in [20u16, 0, 0, 0, 0x21] {
            common.extend(value.to_le_bytes());
        }
        for value in [crc.sum(), bytes.len() as u32, bytes.len() as u32] {
            common.extend(value.to_le_bytes());
        }
        for value in [name.len() as u16, 0] {
            common.extend(value.to_le_bytes());
        }
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(bytes);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        // No comment, first disk, no attributes.
        directory.extend([0u8; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (n, from) = (arrays.len() as u16, out.len() as u32);
    let size = directory.len() as u32;
    out.extend(directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    out.extend(n.to_le_bytes());
    out.extend(n.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(from.to_le_bytes());
    out.extend([0u8; 2]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::{Watch, solver};
    use crate::pressure::Separation;
    use crate::scenes::{Simulation, scene2};

    /// The bytes of a member's numbers.
    fn member<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
        let name = format!("{name}.npy");
        let mut at = 0;
        while file[at..].starts_with(b"PK\x03\x04") {
            let count = |k: usize| u32::from_le_bytes(file[at + k..at + k + 4].try_into().unwrap());
            let size = count(18) as usize;
            let length = u16::from_le_bytes([file[at + 26], file[at + 27]]) as usize;
            let begin = at + 30 + length;
            let bytes = &file[begin..begin + size];
            if file[at + 30..begin] == *name.as_bytes() {
                let head = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
                assert_eq!((10 + head) % 64, 0, "numbers begin at a multiple of 64");
                return &bytes[10 + head..];
            }
            at = begin + size;
        }
        panic!("no {name}");
    }

    #[test]
    fn what_is_read_back_is_a_solved_complementarity_problem() {
        let scene = scene2("circle").unwrap();
        let simulation = Simulation::new(scene, 16, Separation::Cut);
        let lcp = simulation.next_problem().lcp;
        let mut solver = solver::<2>("pi-mgpcg").unwrap();
        let (p, _) = solver
            .solve(&lcp, Watch::SILENT)
            .unwrap()
            .converged()
            .unwrap();
        let file = problem(&lcp, &p);
        let floats = |name: &str| -> Vec<f64> {
            let chunks = member(&file, name).as_chunks::<8>().0.iter();
            chunks.map(|b| f64::from_le_bytes(*b)).collect()
        };
        let whole = |name: &str| -> Vec<usize> {
            let chunks = member(&file, name).as_chunks::<4>().0.iter();
            chunks.map(|b| i32::from_le_bytes(*b) as usize).collect()
        };
        let (data, b, p) = (floats("data"), floats("b"), floats("p"));
        let (columns, starts) = (whole("indices"), whole("indptr"));
        let in_s = member(&file, "in_s");
        assert_eq!(
            (b.len(), starts.len(), member(&file, "format")),
            (lcp.n(), lcp.n() + 1, &b"csr"[..])
        );
        for i in 0..b.len() {
            let row = starts[i]..starts[i + 1];
            let y = b[i] + row.map(|k| data[k] * p[columns[k]]).sum::<f64>();
            let map = if in_s[i] == 1 { y.min(p[i]) } else { y };
            assert!(map.abs() < 1e-6, "row {i}: {map}");
        }
        assert!(
            file.windows(4).any(|w| w == b"PK\x05\x06"),
            "a directory at the end"
        );
    }
}
