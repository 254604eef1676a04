//! Snapshots as files: particles as a VTK unstructured grid (`.vtu`) or a PLY cloud, cells as a VTK image (`.vti`), for ParaView, meshio
//! and the like.

use std::io::{self, Write};

use stokeslet_dynamics::report::vtk::{self, Cloud, Image, Values};

use crate::simulation::Snapshot;

fn cloud(snapshot: &Snapshot) -> Cloud<'_> {
    Cloud {
        time: snapshot.time,
        x: &snapshot.x,
        v: &snapshot.v,
        id: &snapshot.id,
    }
}

/// Particles with velocity (m/s) and name as `.vtu`.
///
/// # Errors
/// What the writer says.
pub fn vtu(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    vtk::vtu(&cloud(snapshot), out)
}

/// Cells with velocity (m/s), vorticity (1/s), pressure (Pa) and the share in bodies as `.vti`.
///
/// # Errors
/// What the writer says.
pub fn vti(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    let image = Image {
        time: snapshot.time,
        dimension: snapshot.dimension,
        cells: snapshot.cells,
        low: snapshot.bounds[0],
        dx: snapshot.dx,
        fields: &[
            ("velocity", Values::Vectors(&snapshot.velocity)),
            ("vorticity", Values::Vectors(&snapshot.vorticity)),
            ("pressure", Values::Numbers(&snapshot.pressure)),
            ("body", Values::Numbers(&snapshot.body)),
        ],
    };
    vtk::vti(&image, out)
}

/// Particles with velocity and name as a binary PLY cloud.
///
/// # Errors
/// What the writer says.
pub fn ply(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    vtk::ply(&cloud(snapshot), out)
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
