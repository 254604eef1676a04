//! Lines with values at their points, as VTK's polygonal data (`.vtp`): plain text, since they are small beside fields.

use std::fmt::Display;
use std::io::{self, Write};

use stokeslet_base::geometry::Point;

/// Lines in the plane and scalars at their points.
#[derive(Clone, Copy, Debug)]
pub struct Polylines<'a> {
    /// Points of every line, m.
    pub lines: &'a [Vec<Point>],
    /// Names, and values at the points of all lines one after another.
    pub scalars: &'a [(&'a str, Vec<f64>)],
}

/// Writes lines as a `.vtp` file.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] where there isn't one value a point; else what the writer says.
pub fn write_polylines(out: &mut dyn Write, data: &Polylines<'_>) -> io::Result<()> {
    let n: usize = data.lines.iter().map(Vec::len).sum();
    if data.scalars.iter().any(|(_, values)| values.len() != n) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "points and values of the lines differ in number",
        ));
    }
    writeln!(out, r#"<?xml version="1.0"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#
    )?;
    writeln!(
        out,
        "<PolyData>\n<Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">",
        data.lines.len()
    )?;
    writeln!(
        out,
        "<Points>\n<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" format=\"ascii\">"
    )?;
    for p in data.lines.iter().flatten() {
        writeln!(out, "{:e} {:e} 0", p.x, p.y)?;
    }
    writeln!(out, "</DataArray>\n</Points>\n<Lines>")?;
    list(out, "Int64", "connectivity", 0..n)?;
    let ends = data.lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    list(out, "Int64", "offsets", ends)?;
    writeln!(out, "</Lines>")?;
    match data.scalars.first() {
        Some((first, _)) => writeln!(out, "<PointData Scalars=\"{first}\">")?,
        None => writeln!(out, "<PointData>")?,
    }
    for (name, values) in data.scalars {
        list(
            out,
            "Float64",
            name,
            values.iter().map(|v| format!("{v:e}")),
        )?;
    }
    writeln!(out, "</PointData>\n</Piece>\n</PolyData>\n</VTKFile>")
}

fn list(
    out: &mut dyn Write,
    kind: &str,
    name: &str,
    items: impl Iterator<Item = impl Display>,
) -> io::Result<()> {
    writeln!(
        out,
        "<DataArray type=\"{kind}\" Name=\"{name}\" format=\"ascii\">"
    )?;
    for (k, item) in items.enumerate() {
        // Lines of text that editors can show.
        let before = match k {
            0 => "",
            _ if k % 16 == 0 => "\n",
            _ => " ",
        };
        write!(out, "{before}{item}")?;
    }
    writeln!(out, "\n</DataArray>")
}
