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
        c.names_a_folder("sizes", name);
        let spacing = size.grid_spacing.unwrap_or(1.0);
        c.positive(format_args!("sizes.{name}.grid_spacing"), spacing);
        for (name_of_body, shape) in &size.shapes {
            let place = format!("sizes.{name}.shapes.{name_of_body}");
            match self.body.iter().find(|b| b.name == *name_of_body) {
                Some(body) => {
                    let shape = shape.clone();
                    let body = BodySpec {
                        shape,
                        ..body.clone()
                    };
                    body.check_shape(c, &place, None);
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

#[cfg(test)]
mod tests {
    use crate::scene::{Scene, SceneFile};

    #[test]
    fn a_shape_that_does_not_go_with_its_body_is_told_at_its_size() {
        let text = "name = 'a'\nabout = 'b'\ntime_step = 0.01\nduration = 1\nfriction = 0.3\nstiffness = 1e3\n\
            body = [{ name = 'ball', kind = 'rigid', mass = 1, position = [0, 0, 0], shape = { ball = { radius = 0.1 } } }]\n\
            [sizes.large]\nshapes = { ball = { sheet = { side = 0.1, cells = 4 } } }";
        let error = Scene::parse(text).expect_err("a rigid sheet").to_string();
        let wanted = "line 9: `sizes.large.shapes.ball` is for [cloth], but must be for a body of kind rigid";
        assert_eq!(error, wanted);
        let elsewhere = text.replace("sizes.large", "sizes.'../x'");
        let error = Scene::parse(&elsewhere).expect_err("a path").to_string();
        assert!(
            error.contains("`sizes` is \"../x\", but must be letters"),
            "{error}"
        );
    }
}
