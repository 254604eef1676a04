//! Snapshots -> other people's files: VTU for ParaView and meshio, PLY for viewers of points.
//!
//! Everything goes to a writer; files are the caller's.

use crate::simulation::Snapshot;
use std::io::{self, Write};

/// What a point is, as the files number it.
const FLUID: u8 = 0;
const BODY: u8 = 1;
const WALL: u8 = 2;

/// All points of a snapshot in one list: fluid, bodies, walls.
struct Points<'a> {
    position: Vec<&'a [f64; 3]>,
    velocity: Vec<[f64; 3]>,
    kind: Vec<u8>,
    body: Vec<i32>,
    scalars: [(&'static str, Vec<f64>); 4],
}

fn points(s: &Snapshot) -> Points<'_> {
    let n = s.fluid.len();
    let mut out = Points {
        position: s.fluid.iter().collect(),
        velocity: s.velocity.clone(),
        kind: vec![FLUID; n],
        body: vec![-1; n],
        scalars: [
            ("pressure", s.pressure.clone()),
            ("smoothed_pressure", s.smoothed.clone()),
            ("virial_pressure", s.virial.clone()),
            ("compression", s.compression.clone()),
        ],
    };
    for (b, body) in s.bodies.iter().enumerate() {
        for p in &body.particles {
            let arm = glam::DVec3::from(*p) - glam::DVec3::from(body.centre);
            let u = glam::DVec3::from(body.velocity) + glam::DVec3::from(body.spin).cross(arm);
            out.position.push(p);
            out.velocity.push(u.to_array());
            out.kind.push(BODY);
            out.body.push(b as i32);
        }
    }
    out.position.extend(&s.walls);
    let all = out.position.len();
    out.velocity.resize(all, [0.0; 3]);
    out.kind.resize(all, WALL);
    out.body.resize(all, -1);
    for (_, values) in &mut out.scalars {
        values.resize(all, 0.0);
    }
    out
}

/// Writes a snapshot as VTU: a vertex for each particle, with velocity, pressures, compression, kind (0 fluid, 1 body, 2 wall) and body.
///
/// # Shapes and units
/// SI; numbers as text with all their digits.
/// # Errors
/// The writer's.
pub fn vtu(snapshot: &Snapshot, to: &mut impl Write) -> io::Result<()> {
    let p = points(snapshot);
    let n = p.position.len();
    writeln!(to, "<?xml version=\"1.0\"?>")?;
    writeln!(
        to,
        "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">"
    )?;
    writeln!(
        to,
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{n}\">"
    )?;
    writeln!(
        to,
        "<Points>\n<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" format=\"ascii\">"
    )?;
    for [x, y, z] in &p.position {
        writeln!(to, "{x} {y} {z}")?;
    }
    writeln!(to, "</DataArray>\n</Points>\n<Cells>")?;
    for (kind, name) in [
        ("Int64", "connectivity"),
        ("Int64", "offsets"),
        ("UInt8", "types"),
    ] {
        writeln!(
            to,
            "<DataArray type=\"{kind}\" Name=\"{name}\" format=\"ascii\">"
        )?;
        for k in 0..n {
            let value = match name {
                "connectivity" => k,
                "offsets" => k + 1,
                _ => 1,
            };
            writeln!(to, "{value}")?;
        }
        writeln!(to, "</DataArray>")?;
    }
    writeln!(to, "</Cells>\n<PointData>")?;
    writeln!(
        to,
        "<DataArray type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\" format=\"ascii\">"
    )?;
    for [x, y, z] in &p.velocity {
        writeln!(to, "{x} {y} {z}")?;
    }
    writeln!(to, "</DataArray>")?;
    for (name, values) in &p.scalars {
        writeln!(
            to,
            "<DataArray type=\"Float64\" Name=\"{name}\" format=\"ascii\">"
        )?;
        for x in values {
            writeln!(to, "{x}")?;
        }
        writeln!(to, "</DataArray>")?;
    }
    writeln!(
        to,
        "<DataArray type=\"Int32\" Name=\"kind\" format=\"ascii\">"
    )?;
    for x in &p.kind {
        writeln!(to, "{x}")?;
    }
    writeln!(
        to,
        "</DataArray>\n<DataArray type=\"Int32\" Name=\"body\" format=\"ascii\">"
    )?;
    for x in &p.body {
        writeln!(to, "{x}")?;
    }
    writeln!(
        to,
        "</DataArray>\n</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>"
    )
}

/// Writes a snapshot as PLY (text): a vertex for each particle, with velocity, pressure, kind and body as [`vtu`] has them.
///
/// # Errors
/// The writer's.
pub fn ply(snapshot: &Snapshot, to: &mut impl Write) -> io::Result<()> {
    let p = points(snapshot);
    writeln!(
        to,
        "ply\nformat ascii 1.0\ncomment particles at {} s, SI units",
        snapshot.time
    )?;
    writeln!(to, "element vertex {}", p.position.len())?;
    for name in [
        "x",
        "y",
        "z",
        "vx",
        "vy",
        "vz",
        "pressure",
        "smoothed_pressure",
    ] {
        writeln!(to, "property double {name}")?;
    }
    writeln!(to, "property uchar kind\nproperty int body\nend_header")?;
    for k in 0..p.position.len() {
        let ([x, y, z], [u, v, w]) = (p.position[k], &p.velocity[k]);
        writeln!(
            to,
            "{x} {y} {z} {u} {v} {w} {} {} {} {}",
            p.scalars[0].1[k], p.scalars[1].1[k], p.kind[k], p.body[k]
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::HEAD;
    use crate::{Settings, Simulation, scenes};

    /// Each format holds every particle once, and nothing that isn't a number.
    #[test]
    fn files_hold_every_particle() {
        let scene = scenes::find("seesaw").unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        let log = simulation.step().unwrap();
        let snapshot = simulation.snapshot();
        let n = snapshot.fluid.len() + snapshot.bodies[0].particles.len();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        vtu(&snapshot, &mut a).unwrap();
        ply(&snapshot, &mut b).unwrap();
        let (a, b) = (String::from_utf8(a).unwrap(), String::from_utf8(b).unwrap());
        assert!(a.contains(&format!("NumberOfPoints=\"{n}\"")) && !a.contains("NaN"));
        let rows = b.split("end_header\n").nth(1).unwrap().lines().count();
        assert_eq!(rows, n, "one line a particle");
        assert_eq!(
            log.row().split(',').count(),
            HEAD.split(',').count(),
            "as many values as names"
        );
    }
}
