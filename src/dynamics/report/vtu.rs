//! Particles as a VTK unstructured grid: one vertex each, with its velocity.
//!
//! ```text
//! <VTKFile ...> <DataArray format="appended" offset="o"/> ... <AppendedData encoding="raw">_
//!   array: [bytes] UInt64, then the numbers, little-endian
//! ```

use std::io::{self, Write};

use super::still::Still;

/// VTK's number for a vertex.
const VERTEX: u8 = 1;

/// Writes the particles of a run, in sides of the domain.
///
/// # Errors
/// What the writer says.
pub fn write<const D: usize>(out: &mut dyn Write, still: &Still<'_, D>) -> io::Result<()> {
    let n = still.x.len();
    let floats = |of: &dyn Fn(usize) -> [f64; D]| -> Vec<u8> {
        let mut bytes = Vec::with_capacity(24 * n);
        for p in 0..n {
            let v = of(p);
            for a in 0..3 {
                bytes.extend(v.get(a).copied().unwrap_or(0.0).to_le_bytes());
            }
        }
        bytes
    };
    let counts =
        |from: i64| -> Vec<u8> { (from..from + n as i64).flat_map(i64::to_le_bytes).collect() };
    let arrays = [
        ("Float64", "position", 3, floats(&|p| still.x[p])),
        ("Float64", "velocity", 3, floats(&|p| still.velocity(p))),
        ("Int64", "connectivity", 1, counts(0)),
        ("Int64", "offsets", 1, counts(1)),
        ("UInt8", "types", 1, vec![VERTEX; n]),
    ];
    let mut offset = 0;
    let mut heads = Vec::new();
    for (kind, name, components, bytes) in &arrays {
        heads.push(format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
        ));
        offset += 8 + bytes.len();
    }
    write!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <UnstructuredGrid>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray></FieldData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{n}\">\n<Points>{}</Points>\n<PointData Vectors=\"velocity\">{}</PointData>\n\
         <Cells>{}{}{}</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
        still.time, heads[0], heads[1], heads[2], heads[3], heads[4]
    )?;
    for (.., bytes) in &arrays {
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(bytes)?;
    }
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pressure::Separation;
    use crate::scenes::{Simulation, scene2};

    #[test]
    fn offsets_point_at_the_arrays_and_positions_survive() {
        let scene = scene2("thrown-circle").expect("a scene");
        let simulation = Simulation::new(scene, 16, Separation::Cut);
        let mut bytes = Vec::new();
        write(&mut bytes, &Still::from(&simulation)).expect("a vector takes all");
        let n = simulation.x.len();
        let start = bytes
            .windows(2)
            .position(|w| w == b"\n_")
            .expect("appended data")
            + 2;
        let number = |at: usize| <[u8; 8]>::try_from(&bytes[at..at + 8]).expect("eight");
        assert_eq!(u64::from_le_bytes(number(start)), 24 * n as u64);
        assert_eq!(f64::from_le_bytes(number(start + 8)), simulation.x[0][0]);
        let velocity = start + 8 + 24 * n + 8;
        assert!((f64::from_le_bytes(number(velocity)) - 2f64.sqrt()).abs() < 1e-12);
        let head = String::from_utf8_lossy(&bytes[..start]);
        assert!(head.contains(&format!("offset=\"{}\"", 2 * (8 + 24 * n))));
    }
}
