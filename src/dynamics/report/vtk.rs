//! Clouds of particles and fields on cells as files for ParaView, meshio and the like: `.vtu`, `.vti`, `.pvd`, and clouds as PLY. Numbers are
//! binary, little-endian, uncompressed.

use std::io::{self, Write};

/// VTK's number for a vertex.
const VERTEX: u8 = 1;

/// Particles.
#[derive(Clone, Copy, Debug)]
pub struct Cloud<'a> {
    /// Time, s.
    pub time: f64,
    /// Positions, m.
    pub x: &'a [[f64; 3]],
    /// Velocities, m/s.
    pub v: &'a [[f64; 3]],
    /// Names.
    pub id: &'a [u32],
}

/// A field on cells.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// A number a cell.
    Numbers(&'a [f64]),
    /// A vector a cell.
    Vectors(&'a [[f64; 3]]),
}

/// Fields on the cells of a box, x fastest.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    /// Time, s.
    pub time: f64,
    /// 2 or 3.
    pub dimension: usize,
    /// Cells along each axis; 1 along what isn't there.
    pub cells: [usize; 3],
    /// Lower corner, m.
    pub low: [f64; 3],
    /// Side of a cell, m.
    pub dx: f64,
    /// Fields by name; the first of numbers and the first of vectors are what viewers show.
    pub fields: &'a [(&'static str, Values<'a>)],
}

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

fn time(time: f64) -> String {
    format!(
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time}</DataArray></FieldData>"
    )
}

/// Particles with velocity and name as `.vtu`.
///
/// # Errors
/// What the writer says.
pub fn vtu(cloud: &Cloud<'_>, out: &mut dyn Write) -> io::Result<()> {
    let n = cloud.x.len();
    let counts =
        |from: i64| -> Vec<u8> { (from..from + n as i64).flat_map(i64::to_le_bytes).collect() };
    let arrays: [Array; 6] = [
        ("Float64", "position", 3, vectors(cloud.x)),
        ("Float64", "velocity", 3, vectors(cloud.v)),
        (
            "UInt32",
            "id",
            1,
            cloud.id.iter().flat_map(|v| v.to_le_bytes()).collect(),
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
        time(cloud.time),
        heads[0],
        heads[1],
        heads[2],
        heads[3],
        heads[4],
        heads[5]
    )?;
    appended(out, &arrays)
}

/// Fields on cells as `.vti`.
///
/// # Errors
/// What the writer says.
pub fn vti(image: &Image<'_>, out: &mut dyn Write) -> io::Result<()> {
    let array = |(name, values): &(&'static str, Values<'_>)| -> Array {
        match values {
            Values::Numbers(all) => ("Float64", *name, 1, numbers(all)),
            Values::Vectors(all) => ("Float64", *name, 3, vectors(all)),
        }
    };
    let arrays: Vec<Array> = image.fields.iter().map(array).collect();
    let first = |components: usize, attribute: &str| {
        let found = arrays.iter().find(|a| a.2 == components);
        found.map_or_else(String::new, |a| format!(" {attribute}=\"{}\"", a.1))
    };
    // A plane is one cell thick in points, but has no cells along z.
    let extent = |(k, n): (usize, &usize)| {
        let n = if k == 2 && image.dimension == 2 {
            0
        } else {
            *n
        };
        format!("0 {n}")
    };
    let extent: Vec<String> = image.cells.iter().enumerate().map(extent).collect();
    let extent = extent.join(" ");
    let [x, y, z] = image.low;
    let dx = image.dx;
    write!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"{x} {y} {z}\" Spacing=\"{dx} {dx} {dx}\">\n{}\n<Piece Extent=\"{extent}\">\n\
         <CellData{}{}>{}</CellData>\n</Piece>\n</ImageData>\n",
        time(image.time),
        first(3, "Vectors"),
        first(1, "Scalars"),
        heads(&arrays).concat()
    )?;
    appended(out, &arrays)
}

/// Particles with velocity and name as a binary PLY cloud.
///
/// # Errors
/// What the writer says.
pub fn ply(cloud: &Cloud<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment time {} s\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         property double vx\nproperty double vy\nproperty double vz\nproperty uint id\nend_header\n",
        cloud.time,
        cloud.x.len()
    )?;
    for ((x, v), id) in cloud.x.iter().zip(cloud.v).zip(cloud.id) {
        for c in x.iter().chain(v) {
            out.write_all(&c.to_le_bytes())?;
        }
        out.write_all(&id.to_le_bytes())?;
    }
    Ok(())
}

/// A series of files with their times (s) as `.pvd`; files by their names beside it.
pub fn pvd(files: &[(f64, String)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in files {
        text += &format!("<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>\n");
    }
    text + "</Collection>\n</VTKFile>\n"
}
