//! Other sizes of a scene: the same bodies of more particles, on a finer grid.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::Checks;

use super::{BodySpec, Scene, ShapeSpec};

/// How finely bodies and grid of a scene are made at another of its sizes. Masses stay, and the stiffness of contacts, which is that of a
/// particle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Grid spacing of the material points, m. Default the scene's.
    #[serde(default)]
    pub grid_spacing: Option<f64>,
    /// Shapes in place of the scene's, by the name of their body.
    #[serde(default)]
    pub shapes: BTreeMap<String, ShapeSpec>,
    /// How it differs from the paper's, if it does.
    #[serde(default)]
    pub differs: Option<String>,
}

impl Scene {
    /// The scene at this size.
    pub(super) fn resized(&self, size: &Size) -> Scene {
        let mut scene = self.clone();
        scene.grid_spacing = size.grid_spacing.or(self.grid_spacing);
        for body in &mut scene.body {
            if let Some(shape) = size.shapes.get(&body.name) {
                body.shape = shape.clone();
            }
        }
        if let Some(row) = &mut scene.paper {
            row.differs.clone_from(&size.differs);
        }
        scene
    }

    /// The scene without its other sizes, as it runs.
    pub(crate) fn without_sizes(&self) -> Scene {
        Scene {
            sizes: BTreeMap::new(),
            ..self.clone()
        }
    }

    pub(super) fn check_size(&self, c: &mut Checks, name: &str, size: &Size) {
        c.that(!name.is_empty(), "sizes", "\"\"", "a name");
        let spacing = size.grid_spacing.unwrap_or(1.0);
        c.positive(format_args!("sizes.{name}.grid_spacing"), spacing);
        for (name_of_body, shape) in &size.shapes {
            let place = format!("sizes.{name}.shapes.{name_of_body}");
            match self.body.iter().position(|b| b.name == *name_of_body) {
                Some(k) => {
                    let shape = shape.clone();
                    let body = BodySpec {
                        shape,
                        ..self.body[k].clone()
                    };
                    body.check_shape(c, k, &place);
                }
                None => c.that(
                    false,
                    place,
                    format!("{name_of_body:?}"),
                    "the name of a body",
                ),
            }
        }
    }
}
