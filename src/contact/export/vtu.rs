//! VTU (VTK's XML of unstructured grids), text: triangles of surfaces, a vertex cell for each material point.

use crate::model::Kind;
use crate::snapshot::{BodyView, Snapshot};
use std::io::{self, Write};

/// Cells of a body: its triangles, or one vertex a point.
fn cells(body: &BodyView) -> Vec<Vec<usize>> {
    if body.kind == Kind::Points {
        (0..body.points.len()).map(|p| vec![p]).collect()
    } else {
        body.triangles
            .iter()
            .map(|t| t.iter().map(|&v| v as usize).collect())
            .collect()
    }
}

fn array(
    out: &mut impl Write,
    name: &str,
    kind: &str,
    components: usize,
    values: impl Iterator<Item = String>,
) -> io::Result<()> {
    writeln!(
        out,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">"
    )?;
    for v in values {
        writeln!(out, "{v}")?;
    }
    writeln!(out, "</DataArray>")
}

/// Writes `snapshot`.
///
/// # Errors
/// Those of `out`.
pub fn write(snapshot: &Snapshot, out: &mut impl Write) -> io::Result<()> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut first = 0;
    for body in &snapshot.bodies {
        all.extend(
            cells(body)
                .into_iter()
                .map(|c| c.into_iter().map(|v| v + first).collect()),
        );
        first += body.points.len();
    }
    let three = |v: &crate::real::V3| format!("{} {} {}", v.x, v.y, v.z);
    let mut end = 0;
    let ends: Vec<usize> = all
        .iter()
        .map(|c| {
            end += c.len();
            end
        })
        .collect();
    writeln!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">"
    )?;
    writeln!(
        out,
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
        snapshot.n_points(),
        all.len()
    )?;
    writeln!(out, "<PointData Vectors=\"velocity\">")?;
    array(
        out,
        "velocity",
        "Float64",
        3,
        snapshot
            .bodies
            .iter()
            .flat_map(|b| &b.velocities)
            .map(three),
    )?;
    let bodies = snapshot
        .bodies
        .iter()
        .enumerate()
        .flat_map(|(i, b)| b.points.iter().map(move |_| i.to_string()));
    array(out, "body", "Int32", 1, bodies)?;
    writeln!(out, "</PointData>\n<Points>")?;
    array(
        out,
        "Points",
        "Float64",
        3,
        snapshot.bodies.iter().flat_map(|b| &b.points).map(three),
    )?;
    writeln!(out, "</Points>\n<Cells>")?;
    let line = |c: &Vec<usize>| c.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    array(out, "connectivity", "Int64", 1, all.iter().map(line))?;
    array(
        out,
        "offsets",
        "Int64",
        1,
        ends.iter().map(usize::to_string),
    )?;
    array(
        out,
        "types",
        "UInt8",
        1,
        all.iter().map(|c| {
            if c.len() == 1 {
                "1".to_owned()
            } else {
                "5".to_owned()
            }
        }),
    )?;
    writeln!(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")
}
