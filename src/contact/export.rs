//! Snapshots as files of others: [`ply`] and [`vtu`].
//!
//! Both write every body into one file: points with velocity and the number of their body, triangles of surfaces. Nothing here opens
//! a file; the caller hands over what is written to.

pub mod ply;
pub mod vtu;

#[cfg(test)]
mod tests {
    use crate::{Settings, Simulation, scenes};

    #[test]
    fn files_hold_every_point_and_triangle() {
        let simulation = Simulation::new(
            &scenes::find("plane_m_slide").unwrap().scene(),
            &Settings::default(),
        )
        .unwrap();
        let snapshot = simulation.snapshot();
        let (mut ply, mut vtu) = (Vec::new(), Vec::new());
        super::ply::write(&snapshot, &mut ply).unwrap();
        super::vtu::write(&snapshot, &mut vtu).unwrap();
        let (ply, vtu) = (
            String::from_utf8(ply).unwrap(),
            String::from_utf8(vtu).unwrap(),
        );
        assert_eq!(
            snapshot.n_points(),
            8 + 1331,
            "the floor's corners and the cube's points"
        );
        assert!(
            ply.contains("element vertex 1339") && ply.contains("element face 12"),
            "counts of the header"
        );
        let body = ply.split("end_header\n").nth(1).unwrap();
        assert_eq!(body.lines().count(), 1339 + 12, "a line each");
        assert!(
            vtu.contains("NumberOfPoints=\"1339\" NumberOfCells=\"1343\""),
            "triangles and a vertex cell for each material point"
        );
    }
}
