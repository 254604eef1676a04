//! The scenes of \[000\] and \[001\].
//!
//! Sizes that the papers only draw are our choice; each is named here once.

use super::{Motion, Scene};
use crate::grid::Shape;

/// A row of the table of scenes.
#[derive(Clone, Copy, Debug)]
pub struct SceneEntry {
    /// Its name on the command line.
    pub name: &'static str,
    /// The specification's name for it.
    pub id: &'static str,
    /// 2 or 3.
    pub dimension: usize,
    /// In a sentence.
    pub summary: &'static str,
}

const fn row(
    name: &'static str,
    id: &'static str,
    dimension: usize,
    summary: &'static str,
) -> SceneEntry {
    SceneEntry {
        name,
        id,
        dimension,
        summary,
    }
}

/// All scenes.
pub const SCENES: &[SceneEntry] = &[
    row(
        "circle",
        "A1",
        2,
        "a circle, its left half full ([000] figure 6.1)",
    ),
    row(
        "square",
        "A2",
        2,
        "a square, its left half full ([000] figure 6.2)",
    ),
    row(
        "maze",
        "A3",
        2,
        "a ball of liquid falls through a maze ([000] figure 6.7)",
    ),
    row("swinging-circle", "C1", 2, "the circle, swung sideways"),
    row(
        "thrown-circle",
        "D1",
        2,
        "a ball of liquid thrown inside a circle ([001] figure 2)",
    ),
    row(
        "sphere",
        "A4",
        3,
        "a sphere, its left half full ([000] scenario 1)",
    ),
    row(
        "sphere-cuboid",
        "A5",
        3,
        "the sphere with a cuboid in its middle ([000] scenario 2)",
    ),
    row(
        "double-sphere",
        "A6",
        3,
        "two joined spheres with hollow shells inside ([000] scenario 3)",
    ),
    row(
        "dam-sphere",
        "B1",
        3,
        "a dam break in a sphere ([001] figure 1)",
    ),
    row(
        "rotated-box",
        "B2",
        3,
        "a box turned by 45 degrees ([001] figure 3)",
    ),
    row("dam-box", "B3", 3, "a dam break in a box ([001] figure 4)"),
    row(
        "ball-box",
        "B4",
        3,
        "a ball of liquid thrown at a wall ([001] figure 5)",
    ),
];

/// A scene of either dimension.
#[derive(Clone, Debug)]
pub enum AnyScene {
    /// In the plane.
    Plane(Scene<2>),
    /// In space.
    Space(Scene<3>),
}

impl AnyScene {
    /// By name.
    pub fn of(name: &str) -> Option<Self> {
        scene2(name)
            .map(AnyScene::Plane)
            .or_else(|| scene3(name).map(AnyScene::Space))
    }
}

/// Gravity and frame time of all scenes.
fn basic<const D: usize>(
    name: &'static str,
    open: Shape<D>,
    liquid: Shape<D>,
    particles: usize,
) -> Scene<D> {
    Scene {
        name,
        side: 1.0,
        aspect: [1.0; D],
        open,
        liquid,
        velocity: [0.0; D],
        jets: Vec::new(),
        particles,
        motion: None,
        gravity: -9.81,
        frame: 0.01,
        keeps_volume: false,
    }
}

/// Everything with `x < 1/2`.
fn left_half<const D: usize>() -> Shape<D> {
    let mut normal = [0.0; D];
    normal[0] = 1.0;
    Shape::Below {
        normal,
        offset: 0.5,
    }
}

macro_rules! files {
    ($($name:literal),*) => {
        /// The file of a scene, by name.
        pub fn scene_file(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("files/", $name, ".toml"))),)*
                _ => None,
            }
        }
    };
}

files!(
    "circle",
    "square",
    "maze",
    "swinging-circle",
    "thrown-circle",
    "sphere",
    "sphere-cuboid",
    "double-sphere",
    "dam-sphere",
    "rotated-box",
    "dam-box",
    "ball-box"
);

/// A scene in the plane, by name.
pub fn scene2(name: &str) -> Option<Scene<2>> {
    let circle = Shape::ball([0.5, 0.5], 0.4);
    let room = Shape::cuboid([0.1, 0.1], [0.9, 0.9]);
    Some(match name {
        "circle" => basic("circle", circle, left_half(), 8),
        "square" => basic("square", room, left_half(), 8),
        "maze" => {
            let shelves = [
                Shape::cuboid([0.3, 0.6], [0.9, 0.7]),
                Shape::cuboid([0.1, 0.4], [0.7, 0.5]),
                Shape::cuboid([0.3, 0.2], [0.9, 0.3]),
            ];
            let open = room.without(Shape::Union(shelves.to_vec()));
            basic("maze", open, Shape::ball([0.8, 0.8], 0.1), 20)
        }
        "swinging-circle" => Scene {
            motion: Some(Motion {
                axis: 0,
                amplitude: 0.05,
                period: 0.5,
            }),
            ..basic("swinging-circle", circle, left_half(), 8)
        },
        "thrown-circle" => Scene {
            velocity: [std::f64::consts::SQRT_2; 2],
            ..basic("thrown-circle", circle, Shape::ball([0.5, 0.5], 0.15), 8)
        },
        _ => return None,
    })
}

/// A scene in space, by name.
pub fn scene3(name: &str) -> Option<Scene<3>> {
    let sphere = Shape::ball([0.5; 3], 0.35);
    let room = Shape::cuboid([0.1; 3], [0.9; 3]);
    let column = Shape::cuboid([0.0; 3], [0.4, 0.6, 1.0]);
    Some(match name {
        "sphere" => basic("sphere", sphere, left_half(), 1),
        "sphere-cuboid" => {
            let cuboid = Shape::cuboid([0.35, 0.45, 0.35], [0.65, 0.55, 0.65]);
            basic("sphere-cuboid", sphere.without(cuboid), left_half(), 1)
        }
        "double-sphere" => {
            let outer = Shape::Union(vec![
                Shape::ball([0.5, 0.62, 0.5], 0.27),
                Shape::ball([0.5, 0.38, 0.5], 0.30),
            ]);
            let low = [0.5, 0.32, 0.5];
            let drill = |axis| Shape::Cylinder {
                centre: low,
                axis,
                radius: 0.05,
            };
            let upper = Shape::shell([0.5, 0.66, 0.5], 0.11, 0.05);
            let lower = Shape::shell(low, 0.12, 0.05)
                .without(drill(0))
                .without(drill(1));
            let open = outer.without(Shape::Union(vec![upper, lower]));
            basic("double-sphere", open, left_half(), 1)
        }
        "dam-sphere" => basic(
            "dam-sphere",
            Shape::ball([0.5; 3], 0.4),
            Shape::cuboid([0.0; 3], [0.4, 0.7, 1.0]),
            1,
        ),
        "rotated-box" => {
            let centre = [0.5; 3];
            let turned = |shape| Shape::Turned {
                centre,
                angle: std::f64::consts::FRAC_PI_4,
                shape: Box::new(shape),
            };
            basic(
                "rotated-box",
                turned(Shape::cuboid([0.22; 3], [0.78; 3])),
                turned(Shape::cuboid([0.0; 3], [0.5, 1.0, 1.0])),
                1,
            )
        }
        "dam-box" => basic("dam-box", room, column, 1),
        "ball-box" => Scene {
            velocity: [-4.0, 0.0, 0.0],
            ..basic("ball-box", room, Shape::ball([0.5, 0.55, 0.5], 0.2), 1)
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_a_scene_of_its_dimension_that_leaves_the_outermost_cells_alone() {
        for entry in SCENES {
            match AnyScene::of(entry.name).unwrap() {
                AnyScene::Plane(scene) => {
                    assert_eq!((scene.name, 2), (entry.name, entry.dimension));
                    assert!(scene.open.distance([0.03, 0.5]) > 0.0);
                }
                AnyScene::Space(scene) => {
                    assert_eq!((scene.name, 3), (entry.name, entry.dimension));
                    assert!(scene.open.distance([0.5, 0.5, 0.97]) > 0.0);
                }
            }
        }
        assert!(AnyScene::of("bathtub").is_none());
    }

    #[test]
    fn every_scene_is_its_file_to_the_bit() {
        use crate::scene_file::SceneFile;
        use crate::scenes::file::LiquidScene;
        for entry in SCENES {
            let text = scene_file(entry.name).unwrap();
            let file = LiquidScene::parse(text).unwrap();
            assert_eq!(file.name, entry.name);
            match AnyScene::of(entry.name).unwrap() {
                AnyScene::Plane(scene) => {
                    let name = scene.name;
                    assert_eq!(
                        Scene {
                            name,
                            ..file.scene::<2>()
                        },
                        scene
                    );
                }
                AnyScene::Space(scene) => {
                    let name = scene.name;
                    assert_eq!(
                        Scene {
                            name,
                            ..file.scene::<3>()
                        },
                        scene
                    );
                }
            }
        }
    }

    #[test]
    fn the_lower_shell_has_holes_and_the_upper_has_none() {
        let open = scene3("double-sphere").unwrap().open;
        // Through the lower shell's wall, along x: open; along z: solid.
        assert!(open.distance([0.5 + 0.095, 0.32, 0.5]) < 0.0);
        assert!(open.distance([0.5, 0.32, 0.5 + 0.095]) > 0.0);
        assert!(open.distance([0.5 + 0.085, 0.66, 0.5]) > 0.0);
        assert!(open.distance([0.5, 0.66, 0.5]) < 0.0, "hollow");
    }
}
