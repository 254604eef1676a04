//! Snapshots as files: particles as a VTK unstructured grid (`.vtu`) or a PLY cloud, cells as a VTK image (`.vti`), for ParaView, meshio
//! and the like. Numbers are binary, little-endian, uncompressed.

use std::io::{self, Write};

use crate::simulation::Snapshot;

/// VTK's number for a vertex.
const VERTEX: u8 = 1;

/// An array of a VTK file: its type, name, components and bytes.
type Array = (&'static str, &'static str, usize, Vec<u8>);

fn vectors(all: &[[f64; 3]]) -> Vec<u8> {
    all.iter().flatten().flat_map(|v| v.to_le_bytes()).collect()
}

fn numbers(all: &[f64]) -> Vec<u8> {
    all.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// The heads of arrays, which say where in the appended data each begins.
fn heads(arrays: &[Array]) -> Vec<String> {
    let mut offset = 0;
    arrays
        .iter()
        .map(|(kind, name, components, bytes)| {
            let head = format!(
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
            );
            offset += 8 + bytes.len();
            head
        })
        .collect()
}

fn appended(out: &mut dyn Write, arrays: &[Array]) -> io::Result<()> {
    write!(out, "<AppendedData encoding=\"raw\">\n_")?;
    for (.., bytes) in arrays {
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(bytes)?;
    }
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

fn time(snapshot: &Snapshot) -> String {
    format!(
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray></FieldData>",
        snapshot.time
    )
}

/// Particles with velocity (m/s) and name as `.vtu`.
///
/// # Errors
/// What the writer says.
pub fn vtu(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    let n = snapshot.x.len();
    let counts =
        |from: i64| -> Vec<u8> { (from..from + n as i64).flat_map(i64::to_le_bytes).collect() };
    let arrays: [Array; 6] = [
        ("Float64", "position", 3, vectors(&snapshot.x)),
        ("Float64", "velocity", 3, vectors(&snapshot.v)),
        (
            "UInt32",
            "id",
            1,
            snapshot.id.iter().flat_map(|v| v.to_le_bytes()).collect(),
        ),
        ("Int64", "connectivity", 1, counts(0)),
        ("Int64", "offsets", 1, counts(1)),
        ("UInt8", "types", 1, vec![VERTEX; n]),
    ];
    let heads = heads(&arrays);
    write!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <UnstructuredGrid>\n{}\n<Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{n}\">\n<Points>{}</Points>\n\
         <PointData Vectors=\"velocity\">{}{}</PointData>\n<Cells>{}{}{}</Cells>\n</Piece>\n</UnstructuredGrid>\n",
        time(snapshot),
        heads[0],
        heads[1],
        heads[2],
        heads[3],
        heads[4],
        heads[5]
    )?;
    appended(out, &arrays)
}

/// Cells with velocity (m/s), vorticity (1/s), pressure (Pa) and the share in bodies as `.vti`.
///
/// # Errors
/// What the writer says.
pub fn vti(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    let arrays: [Array; 4] = [
        ("Float64", "velocity", 3, vectors(&snapshot.velocity)),
        ("Float64", "vorticity", 3, vectors(&snapshot.vorticity)),
        ("Float64", "pressure", 1, numbers(&snapshot.pressure)),
        ("Float64", "body", 1, numbers(&snapshot.body)),
    ];
    // A plane is one cell thick in points, but has no cells along z.
    let extent: Vec<String> = snapshot
        .cells
        .iter()
        .enumerate()
        .map(|(k, n)| {
            format!(
                "0 {}",
                if k == 2 && snapshot.dimension == 2 {
                    0
                } else {
                    *n
                }
            )
        })
        .collect();
    let extent = extent.join(" ");
    let [x, y, z] = snapshot.bounds[0];
    let dx = snapshot.dx;
    write!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"{x} {y} {z}\" Spacing=\"{dx} {dx} {dx}\">\n{}\n<Piece Extent=\"{extent}\">\n\
         <CellData Vectors=\"velocity\" Scalars=\"pressure\">{}</CellData>\n</Piece>\n</ImageData>\n",
        time(snapshot),
        heads(&arrays).concat()
    )?;
    appended(out, &arrays)
}

/// Particles with velocity and name as a binary PLY cloud.
///
/// # Errors
/// What the writer says.
pub fn ply(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment time {} s\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         property double vx\nproperty double vy\nproperty double vz\nproperty uint id\nend_header\n",
        snapshot.time,
        snapshot.x.len()
    )?;
    for ((x, v), id) in snapshot.x.iter().zip(&snapshot.v).zip(&snapshot.id) {
        for c in x.iter().chain(v) {
            out.write_all(&c.to_le_bytes())?;
        }
        out.write_all(&id.to_le_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, Simulation, scenes};

    #[test]
    fn offsets_point_at_the_arrays() {
        let scene = scenes::find("inlet").unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        simulation.step().unwrap();
        let snapshot = simulation.snapshot();
        for (write, first, last) in [
            (
                vtu as fn(&Snapshot, &mut dyn Write) -> io::Result<()>,
                24 * snapshot.x.len(),
                snapshot.x.len(),
            ),
            (vti, 24 * 32 * 32, 8 * 32 * 32),
        ] {
            let mut bytes = Vec::new();
            write(&snapshot, &mut bytes).unwrap();
            let start = bytes.windows(2).position(|w| w == b"\n_").unwrap() + 2;
            let head = String::from_utf8_lossy(&bytes[..start]).into_owned();
            let size = |at: usize| {
                u64::from_le_bytes(bytes[start + at..start + at + 8].try_into().unwrap()) as usize
            };
            let offsets: Vec<usize> = head
                .split("offset=\"")
                .skip(1)
                .map(|s| s.split('"').next().unwrap().parse().unwrap())
                .collect();
            assert_eq!(size(offsets[0]), first);
            let end = *offsets.last().unwrap();
            assert_eq!(size(end), last);
            assert!(bytes[start + end + 8 + last..].starts_with(b"\n</AppendedData>"));
            for pair in offsets.windows(2) {
                assert_eq!(pair[0] + 8 + size(pair[0]), pair[1]);
            }
        }
        let mut bytes = Vec::new();
        ply(&snapshot, &mut bytes).unwrap();
        let head = bytes
            .windows(11)
            .position(|w| w == b"end_header\n")
            .unwrap()
            + 11;
        assert_eq!(bytes.len() - head, 52 * snapshot.x.len());
    }
}
