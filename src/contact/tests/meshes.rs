//! Bodies from mesh files: as rigid, deformable, fixed ones and as material points, and what is said of files that are none.

use std::io;

use stokeslet_contact::generate::{Surface, box_surface, icosphere};
use stokeslet_contact::real::V3;
use stokeslet_contact::scene::Quantity;
use stokeslet_contact::{Scene, SceneFile, Settings, Simulation, StartError, scenes};

fn obj((points, triangles): &Surface) -> Vec<u8> {
    let mut out = String::new();
    for p in points {
        out += &format!("v {} {} {}\n", p.x, p.y, p.z);
    }
    for t in triangles {
        out += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    out.into_bytes()
}

/// Two files beside the scene: a cube of 100 mm whose corner is at 0, and a ball of radius 1.
fn beside(name: &str) -> io::Result<Vec<u8>> {
    match name {
        "cube.obj" => {
            let (points, triangles) = box_surface(&V3::repeat(50.0));
            let shifted = points.iter().map(|p| p + V3::repeat(50.0)).collect();
            Ok(obj(&(shifted, triangles)))
        }
        "ball.obj" => Ok(obj(&icosphere(2, 1.0))),
        "hole.obj" => {
            let (points, mut triangles) = icosphere(1, 1.0);
            triangles.pop();
            Ok(obj(&(points, triangles)))
        }
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

/// A cube of a file slides as the box of the same size: its corner is where the file has it, its centre and inertia are found.
#[test]
fn a_cube_from_a_file_slides_as_the_box_does() {
    let text = scenes::find("plane_r_slide").unwrap().toml;
    let boxed = Scene::parse(text).unwrap();
    let text = text
        .replace(
            "{ box = { sides = [0.1, 0.1, 0.1] } }",
            "{ mesh = { file = 'cube.obj', scale = 0.001 } }",
        )
        .replace(
            "[0, 0, 0.04990248817268274]",
            "[-0.05, -0.05, -0.00009751182731726]",
        );
    let meshed = Scene::parse(&text).unwrap().with_meshes(&beside).unwrap();
    // What is written of it reads back without the file.
    let meshed = Scene::parse(&meshed.print()).unwrap();
    let mut runs = [boxed, meshed].map(|s| Simulation::new(&s, &Settings::default()).unwrap());
    let heights = runs.each_ref().map(|r| r.body("cube").unwrap().position.z);
    assert!((heights[0] - heights[1]).abs() < 1e-12, "{heights:?}");
    let ways = runs.each_mut().map(|run| {
        while run.time() < 0.3 {
            run.step();
        }
        run.quantity("cube", Quantity::Travel, Some([1.0, 0.0, 0.0]))
            .unwrap()
    });
    println!("box {}, mesh {}", ways[0], ways[1]);
    assert!((ways[1] / ways[0] - 1.0).abs() < 1e-6, "{ways:?}");
}

fn resting(kind: &str, more: &str) -> String {
    format!(
        "name = 'own'\nabout = 'a ball of a file on a floor'\ntime_step = 0.002\nduration = 1\nfriction = 0.3\nstiffness = 200\n\
         grid_spacing = 0.05\nplane = [{{ normal = [0, 0, 1] }}]\n[[body]]\nname = 'ball'\nkind = '{kind}'\nmass = 0.01\n{more}\n\
         shape = {{ mesh = {{ file = 'ball.obj', scale = 0.1, spacing = 0.03 }} }}\nposition = [0, 0, 0.11]\n"
    )
}

#[test]
fn a_ball_from_a_file_falls_on_the_floor_as_every_kind() {
    for (kind, more) in [
        ("rigid", ""),
        ("deformable", "young = 1e4"),
        ("points", "young = 1e4"),
    ] {
        let scene = Scene::parse(&resting(kind, more)).unwrap();
        let scene = scene.with_meshes(&beside).unwrap();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        let start = simulation.body("ball").unwrap().position;
        assert!((start.z - 0.11).abs() < 2e-3, "{kind}: {start}");
        let mut touched = false;
        while simulation.time() < 0.4 {
            touched |= simulation.step().touching > 0;
        }
        let height = simulation.body("ball").unwrap().position.z;
        println!("{kind}: rests at {height}");
        assert!(touched, "{kind}: it meets the floor");
        // Flat feet of the mesh and of its cells let it lie a little lower than a ball would.
        assert!((0.07..0.105).contains(&height), "{kind}: {height}");
        assert!(simulation.totals().acceptable(), "{kind}");
    }
    // And carries others when it is fixed.
    let text = resting("fixed", "").replace("[0, 0, 0.11]", "[0, 0, 0.1]")
        + "[[body]]\nname = 'cube'\nkind = 'rigid'\nmass = 0.01\nshape = { box = { sides = [0.1, 0.1, 0.1], cells = [4, 4, 4] } }\n\
           position = [0, 0, 0.26]\n";
    let scene = Scene::parse(&text).unwrap().with_meshes(&beside).unwrap();
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    while simulation.time() < 0.15 {
        simulation.step();
    }
    let height = simulation.body("cube").unwrap().position.z;
    assert!(height > 0.24, "the fixed ball carries the cube: {height}");
}

#[test]
fn what_is_wrong_with_a_mesh_is_said() {
    let good = resting("rigid", "");
    let scene = Scene::parse(&good).unwrap();
    let refused = Simulation::new(&scene, &Settings::default()).err().unwrap();
    assert!(
        matches!(&refused, StartError::MeshNotRead { body, file } if body == "ball" && file == "ball.obj"),
        "{refused}"
    );
    let missing = Scene::parse(&good.replace("ball.obj", "none.obj")).unwrap();
    let error = missing.with_meshes(&beside).unwrap_err().to_string();
    assert!(error.contains("none.obj"), "{error}");
    let open = Scene::parse(&good.replace("ball.obj", "hole.obj")).unwrap();
    let open = open.with_meshes(&beside).unwrap();
    let error = open.validate().unwrap_err().to_string();
    assert!(
        error.contains("body[0].shape.mesh.triangles") && error.contains("isn't closed"),
        "{error}"
    );
    for (kind, old, new, says) in [
        ("points", ", spacing = 0.03", "", "spacing"),
        ("points", "spacing = 0.03", "spacing = 1e-5", "20 million"),
        ("deformable", "scale = 0.1", "scale = 0", "scale"),
        ("rigid", "file = 'ball.obj', ", "", "an STL, OBJ or PLY"),
        (
            "rigid",
            "mass = 0.01",
            "mass = 0.01\nsurface = 'level_set'",
            "surface",
        ),
        ("cloth", "", "", "kind"),
    ] {
        let text = resting(kind, "").replacen(old, new, 1);
        let error = Scene::parse(&text)
            .map_err(|e| e.to_string())
            .and_then(|s| s.with_meshes(&beside).map_err(|e| e.to_string()))
            .and_then(|s| s.validate().map_err(|e| e.to_string()));
        let error = error.expect_err(says);
        assert!(error.contains(says), "{says}: {error}");
    }
}

/// A scene of one's own at another of its sizes, whose mesh comes from a file too.
#[test]
fn a_size_puts_in_its_shapes_and_its_grid() {
    let text = scenes::find("iplane_m_slide").unwrap().toml.to_owned()
        + "\n[sizes.ball]\ngrid_spacing = 0.03\nshapes = { cube = { mesh = { file = 'ball.obj', scale = 0.1, spacing = 0.03 } } }\n";
    let scene = Scene::parse(&text).unwrap();
    let unread = scene.at_size("ball").unwrap();
    let refused = Simulation::new(&unread, &Settings::default())
        .err()
        .unwrap();
    assert!(refused.to_string().contains("ball.obj"), "{refused}");
    let read = scene.with_meshes(&beside).unwrap();
    let ball = read.at_size("ball").unwrap();
    assert_eq!(ball.grid_spacing, Some(0.03));
    let [cube, ball] = [scene, ball].map(|s| Simulation::new(&s, &Settings::default()).unwrap());
    let [many, few] = [&cube, &ball].map(Simulation::n_particles);
    assert!(many == 1331 && (1..1331).contains(&few), "{many}, {few}");
    for (old, new, says) in [
        ("{ cube = ", "{ cub = ", "`sizes.ball.shapes.cub`"),
        (
            "spacing = 0.03 } }",
            "spacing = -1 } }",
            "`sizes.ball.shapes.cube.mesh.spacing`",
        ),
        ("[sizes.ball]", "[sizes.\"\"]", "`sizes`"),
        (
            "grid_spacing = 0.03",
            "grid_spacing = 0",
            "`sizes.ball.grid_spacing`",
        ),
        (
            "{ mesh = {",
            "{ sheet = { side = 1, cells = 2 } } } #",
            "`sizes.ball.shapes.cube` is for [cloth], but must be for a body of kind points",
        ),
    ] {
        let wrong = text.replacen(old, new, 1);
        assert_ne!(wrong, text);
        let error = Scene::parse(&wrong).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// Lattices that no memory holds are refused.
#[test]
fn bodies_of_too_many_places_are_refused() {
    let text = scenes::find("iplane_m_slide").unwrap().toml;
    let huge = text.replace("cells = [11, 11, 11]", "cells = [1100, 1100, 1100]");
    assert_ne!(text, huge);
    let error = Scene::parse(&huge).unwrap_err().to_string();
    assert!(error.contains("20 million"), "{error}");
}
