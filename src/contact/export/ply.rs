//! PLY, text: one vertex a point, one face a triangle.

use crate::snapshot::Snapshot;
use std::io::{self, Write};

/// Writes `snapshot`.
///
/// # Errors
/// Those of `out`.
pub fn write(snapshot: &Snapshot, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "ply\nformat ascii 1.0\ncomment stokeslet contact, time {} s",
        snapshot.time
    )?;
    writeln!(out, "element vertex {}", snapshot.n_points())?;
    for name in ["x", "y", "z", "vx", "vy", "vz"] {
        writeln!(out, "property double {name}")?;
    }
    writeln!(
        out,
        "property int body\nelement face {}\nproperty list uchar int vertex_indices\nend_header",
        snapshot.n_triangles()
    )?;
    for (i, body) in snapshot.bodies.iter().enumerate() {
        for (p, v) in body.points.iter().zip(&body.velocities) {
            writeln!(out, "{} {} {} {} {} {} {i}", p.x, p.y, p.z, v.x, v.y, v.z)?;
        }
    }
    let mut first = 0;
    for body in &snapshot.bodies {
        for [a, b, c] in &body.triangles {
            writeln!(
                out,
                "3 {} {} {}",
                first + *a as usize,
                first + *b as usize,
                first + *c as usize
            )?;
        }
        first += body.points.len();
    }
    Ok(())
}
