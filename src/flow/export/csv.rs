//! Tables as comma-separated values (RFC 4180, UTF-8, one header row): ports, sampled lines.

use std::borrow::Cow;
use std::io::{self, Write};

use super::Column;
use crate::field::drag::PostForce;
use crate::field::{Field, FieldIndex, LinePoint};
use crate::quantities::{FieldQuantity, at_points, of_the_whole};
use crate::session::{ErrorEstimate, PortKind, PortResult};

/// One cell of a table, quoted where it must be.
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// As in `summary.json`.
pub fn kind_name(kind: PortKind) -> &'static str {
    match kind {
        PortKind::FlowRate => "flow_rate",
        PortKind::Pressure => "pressure",
        PortKind::TractionFree => "traction_free",
    }
}

/// `ports.csv`: a row per port. Flow rate into the chip, m^3/s where it has a depth, else m^2/s; errors where they were
/// estimated, else empty; then the columns that other computations add.
///
/// # Errors
/// What the writer says.
pub fn write_ports(
    out: &mut dyn Write,
    ports: &[PortResult],
    errors: Option<&ErrorEstimate>,
    has_depth: bool,
    columns: &[Column],
) -> io::Result<()> {
    let unit = if has_depth { "m3_per_s" } else { "m2_per_s" };
    write!(
        out,
        "port,kind,flow_rate_{unit},pressure_Pa,mean_pressure_Pa,flow_rate_error_{unit},pressure_error_Pa"
    )?;
    for column in columns {
        write!(out, ",{}", cell(&column.name))?;
    }
    writeln!(out)?;
    for (k, port) in ports.iter().enumerate() {
        let (id, kind) = (cell(&port.id), kind_name(port.kind));
        let (flow, pressure, mean) = (port.flow_rate, port.pressure, port.mean_pressure);
        write!(out, "{id},{kind},{flow:e},{pressure:e},{mean:e},")?;
        match errors.and_then(|e| e.ports.get(k)) {
            Some(e) => write!(out, "{:e},{:e}", e.flow_rate, e.pressure)?,
            None => write!(out, ",")?,
        }
        for column in columns {
            match column.values.get(k).copied().flatten() {
                Some(value) => write!(out, ",{value:e}")?,
                None => write!(out, ",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `posts.csv`: a row per post. Force of the fluid on its side wall per depth, torque about its middle per depth.
///
/// # Errors
/// What the writer says.
pub fn write_posts(out: &mut dyn Write, posts: &[PostForce]) -> io::Result<()> {
    writeln!(
        out,
        "part,post,x_m,y_m,force_x_N_per_m,force_y_N_per_m,torque_N"
    )?;
    for p in posts {
        let (part, at, force) = (cell(&p.part), p.at, p.force);
        writeln!(
            out,
            "{part},{},{:e},{:e},{:e},{:e},{:e}",
            p.post, at.x, at.y, force.x, force.y, p.torque
        )?;
    }
    Ok(())
}

/// One more column of `line.csv`: a scalar that no sample tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineColumn {
    /// Its header.
    pub name: String,
    /// By line and point; empty outside the flow.
    pub values: Vec<Vec<Option<f64>>>,
}

impl LineColumn {
    /// The quantities that only all of the flow tells, along lines; none where the flow has none of them.
    pub fn of_the_whole(
        fields: &Field<2>,
        index: &FieldIndex,
        lines: &[Vec<LinePoint>],
    ) -> Vec<Self> {
        let column = |q: &FieldQuantity| {
            let nodal = q.at_nodes(fields)?;
            let value = |p: &LinePoint| index.value(fields, p.at, &nodal);
            Some(Self {
                name: q.column(),
                values: lines
                    .iter()
                    .map(|l| l.iter().map(value).collect())
                    .collect(),
            })
        };
        of_the_whole().filter_map(column).collect()
    }
}

/// `line.csv`: the points of all lines, in order; lines are counted from 1. Where a line
/// crosses a wall between two of its points, there is one more on the wall. Outside the flow the values are left empty.
///
/// # Errors
/// What the writer says.
pub fn write_lines(
    out: &mut dyn Write,
    lines: &[Vec<LinePoint>],
    more: &[LineColumn],
) -> io::Result<()> {
    write!(
        out,
        "line,distance_m,x_m,y_m,velocity_x_m_per_s,velocity_y_m_per_s"
    )?;
    for quantity in at_points() {
        write!(out, ",{}", quantity.column())?;
    }
    for column in more {
        write!(out, ",{}", cell(&column.name))?;
    }
    writeln!(out)?;
    for (k, line) in lines.iter().enumerate() {
        for (i, p) in line.iter().enumerate() {
            write!(out, "{},{:e},{:e},{:e}", k + 1, p.distance, p.at.x, p.at.y)?;
            let components = p.sample.map(|s| [s.velocity.x, s.velocity.y]);
            let components = [0, 1].map(|c| components.map(|v| v[c]));
            let others = at_points().map(|q| q.of_sample(p.sample.as_ref()?));
            let more = more.iter().map(|c| *c.values.get(k)?.get(i)?);
            for value in components.into_iter().chain(others).chain(more) {
                match value {
                    Some(value) => write!(out, ",{value:e}")?,
                    None => write!(out, ",")?,
                }
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_quotes_are_quoted() {
        let port = PortResult {
            id: "left, \"old\"".into(),
            kind: PortKind::FlowRate,
            flow_rate: 1.5e-9,
            pressure: -0.5,
            mean_pressure: -0.25,
        };
        let mut out = Vec::new();
        write_ports(&mut out, &[port], None, true, &[]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "port,kind,flow_rate_m3_per_s,pressure_Pa,mean_pressure_Pa,flow_rate_error_m3_per_s,pressure_error_Pa\n\
             \"left, \"\"old\"\"\",flow_rate,1.5e-9,-5e-1,-2.5e-1,,\n"
        );
    }
}
