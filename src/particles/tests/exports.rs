//! Files as other programs read them.

use stokeslet_particles::{Settings, Simulation, export, scenes};

/// meshio reads the VTU and the PLY, with every particle and its data.
#[test]
#[ignore = "needs Python with meshio (pip install meshio)"]
fn meshio_reads_the_files() {
    let scene = scenes::find("floating-space").unwrap().scene();
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    simulation.step().unwrap();
    let snapshot = simulation.snapshot();
    let n = snapshot.fluid.len() + snapshot.walls.len() + snapshot.bodies[0].particles.len();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (vtu, ply) = (folder.join("particles.vtu"), folder.join("particles.ply"));
    export::vtu(&snapshot, &mut std::fs::File::create(&vtu).unwrap()).unwrap();
    export::ply(&snapshot, &mut std::fs::File::create(&ply).unwrap()).unwrap();
    let script = "import meshio, sys\nm = meshio.read(sys.argv[1])\nassert len(m.points) == int(sys.argv[3]), len(m.points)\n\
                  assert m.point_data['velocity'].shape == m.points.shape\n\
                  assert abs(m.point_data['pressure'].max() - float(sys.argv[4])) < 1e-9 * float(sys.argv[4])\n\
                  p = meshio.read(sys.argv[2])\nassert len(p.points) == len(m.points) and abs(p.points - m.points).max() == 0\n";
    let most = snapshot.pressure.iter().copied().fold(0.0, f64::max);
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let run = std::process::Command::new(python)
        .args([
            "-c",
            script,
            vtu.to_str().unwrap(),
            ply.to_str().unwrap(),
            &n.to_string(),
            &most.to_string(),
        ])
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
