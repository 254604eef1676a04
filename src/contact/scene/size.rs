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
    pub(super) fn check_size(&self, c: &mut Checks, name: &str, size: &Size) {
        let spacing = size.grid_spacing.unwrap_or(1.0);
        c.positive(format_args!("sizes.{name}.grid_spacing"), spacing);
        for (of, shape) in &size.shapes {
            let place = format!("sizes.{name}.shapes.{of}");
            match self.body.iter().position(|b| b.name == *of) {
                Some(k) => {
                    let shape = shape.clone();
                    let body = BodySpec {
                        shape,
                        ..self.body[k].clone()
                    };
                    body.check_shape(c, k, &place);
                }
                None => c.that(false, place, format!("{of:?}"), "the name of a body"),
            }
        }
    }
}
