//! Streamlines with the fields along them, as tables and as lines for other programs.

use std::io::{self, Write};

use super::Streamline;
use crate::export::csv::cell;
use crate::export::polylines::{Polylines, write_polylines};
use crate::export::{ExtraFile, Format};
use crate::probe::SolvedFlow;
use stokeslet_base::geometry::Point;

/// One point of a streamline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracePoint {
    /// Along the line from its first point, m.
    pub distance: f64,
    /// Time of travel from its first point, s.
    pub time: f64,
    /// Where, m.
    pub at: Point,
    /// m/s.
    pub velocity: Point,
    /// Pa.
    pub pressure: f64,
}

/// A streamline with the fields along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The port across which it was seeded; empty of one through a point.
    pub port: String,
    /// From upstream to downstream.
    pub points: Vec<TracePoint>,
}

/// The fields along a streamline. Points that rounding puts outside the flow, at its ends, are left out.
///
/// Time adds up `2 ds / (|u_0| + |u_1|)` over the steps of the line, which are at most a cell: within some percent where a line
/// leaves a corner, and far better elsewhere.
pub fn sampled(flow: &SolvedFlow<'_>, port: &str, line: &Streamline) -> Trace {
    let mut points: Vec<TracePoint> = Vec::with_capacity(line.points.len());
    for &at in &line.points {
        let Some(sample) = flow.at(at) else { continue };
        let (distance, time) = points.last().map_or((0.0, 0.0), |last| {
            let step = (at - last.at).norm();
            let speeds = last.velocity.norm() + sample.velocity.norm();
            let takes = if speeds > 0.0 {
                2.0 * step / speeds
            } else {
                0.0
            };
            (last.distance + step, last.time + takes)
        });
        points.push(TracePoint {
            distance,
            time,
            at,
            velocity: sample.velocity,
            pressure: sample.pressure,
        });
    }
    Trace {
        port: port.to_owned(),
        points,
    }
}

/// Streamlines among the files of a solution.
pub fn files(traces: &[Trace]) -> [ExtraFile; 2] {
    [
        ExtraFile::new(Format::Csv, "streamlines.csv", |out| write_csv(out, traces)),
        ExtraFile::new(Format::Vtu, "streamlines.vtp", |out| write_vtp(out, traces)),
    ]
}

/// `streamlines.csv`: a row a point; lines are counted from 1.
///
/// # Errors
/// What the writer says.
pub fn write_csv(out: &mut dyn Write, traces: &[Trace]) -> io::Result<()> {
    writeln!(
        out,
        "line,port,distance_m,time_s,x_m,y_m,velocity_x_m_per_s,velocity_y_m_per_s,speed_m_per_s,pressure_Pa"
    )?;
    for (k, trace) in traces.iter().enumerate() {
        let (line, port) = (k + 1, cell(&trace.port));
        for p in &trace.points {
            let speed = p.velocity.norm();
            writeln!(
                out,
                "{line},{port},{:e},{:e},{:e},{:e},{:e},{:e},{speed:e},{:e}",
                p.distance, p.time, p.at.x, p.at.y, p.velocity.x, p.velocity.y, p.pressure
            )?;
        }
    }
    Ok(())
}

/// `streamlines.vtp`: the lines as VTK's polygonal data.
///
/// # Errors
/// What the writer says.
pub fn write_vtp(out: &mut dyn Write, traces: &[Trace]) -> io::Result<()> {
    let lines: Vec<Vec<Point>> = traces
        .iter()
        .map(|trace| trace.points.iter().map(|p| p.at).collect())
        .collect();
    let values = |of: &dyn Fn(&TracePoint) -> f64| -> Vec<f64> {
        traces.iter().flat_map(|t| &t.points).map(of).collect()
    };
    let scalars = [
        ("speed", values(&|p| p.velocity.norm())),
        ("pressure", values(&|p| p.pressure)),
        ("distance", values(&|p| p.distance)),
        ("time", values(&|p| p.time)),
    ];
    write_polylines(
        out,
        &Polylines {
            lines: &lines,
            scalars: &scalars,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::{channel, solved};
    use crate::trace::{port_seeds, streamline};

    #[test]
    fn the_middle_line_of_a_channel_takes_its_length_over_its_speed() {
        let solved = solved(&channel(), 4);
        let flow = solved.flow();
        let seeds = port_seeds(&flow, 1, 3);
        let line = streamline(&flow, seeds[1]).unwrap();
        let trace = sampled(&flow, "out", &line);
        let last = trace.points[trace.points.len() - 1];
        // w^2 dp / (8 mu L), over 1 mm.
        let speed = 1e-8 * 100.0 / (8e-3 * 1e-3);
        assert!((last.distance / 1e-3 - 1.0).abs() < 1e-3, "{last:?}");
        assert!((last.time * speed / 1e-3 - 1.0).abs() < 1e-3, "{last:?}");
        let mut csv = Vec::new();
        write_csv(&mut csv, std::slice::from_ref(&trace)).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert_eq!(csv.lines().count(), 1 + trace.points.len());
        assert!(csv.lines().nth(1).unwrap().starts_with("1,out,0e0,0e0,"));
        let mut vtp = Vec::new();
        write_vtp(&mut vtp, &[trace.clone(), trace.clone()]).unwrap();
        let vtp = String::from_utf8(vtp).unwrap();
        let n = trace.points.len();
        assert!(
            vtp.contains(&format!("NumberOfPoints=\"{}\"", 2 * n)),
            "{vtp}"
        );
        assert!(
            vtp.contains(&format!("{n} {}", 2 * n)),
            "offsets of two lines"
        );
    }
}
