//! What a body's shape asks of its sizes, its counts and the body's kind.

use stokeslet_dynamics::scene_file::Checks;

use super::{BodySpec, ShapeSpec, SurfaceSpec};
use crate::model::Kind;

/// The most places of a body's lattice, or of its cells.
pub(super) const MOST_PLACES: f64 = 2e7;

impl BodySpec {
    /// What its shape, which stands at `place` of the file, asks of sizes, counts and the body's kind. Where that doesn't go with it, `place` is
    /// what is wrong, or what the body itself says at `of_body`.
    pub(super) fn check_shape(&self, c: &mut Checks, place: &str, of_body: Option<&str>) {
        let at = |key: &str| match of_body {
            Some(body) => format!("{body}.{key}"),
            None => place.to_owned(),
        };
        let positive = |c: &mut Checks, key: &str, value: f64| {
            c.positive(format_args!("{place}.{key}"), value);
        };
        let counts = |c: &mut Checks, key: &str, list: &[usize], least: f64| {
            for n in list {
                c.within(format_args!("{place}.{key}"), *n as f64, least..=2000.0);
            }
        };
        let places = |c: &mut Checks, key: &str, cells: [f64; 3]| {
            let many = cells.iter().product::<f64>();
            let key = format!("{place}.{key}");
            let range = "such that there are at most 20 million places";
            c.that(many <= MOST_PLACES, key, format!("{many} places"), range);
        };
        let kinds: &[Kind] = match &self.shape {
            ShapeSpec::Box { sides, cells } => {
                for s in sides {
                    positive(c, "box.sides", *s);
                }
                counts(c, "box.cells", cells, 1.0);
                places(c, "box.cells", cells.map(|n| n as f64));
                &[Kind::Rigid, Kind::Deformable, Kind::Points, Kind::Fixed]
            }
            ShapeSpec::Ball {
                radius,
                level,
                shells,
                spacing,
            } => {
                positive(c, "ball.radius", *radius);
                positive(c, "ball.spacing", spacing.unwrap_or(1.0));
                let across = 2.0 * radius / spacing.unwrap_or(0.1 * radius);
                places(c, "ball.spacing", [across; 3]);
                counts(c, "ball.shells", &[*shells], 1.0);
                let level = f64::from(*level);
                c.within(format_args!("{place}.ball.level"), level, 0.0..=7.0);
                &[Kind::Rigid, Kind::Deformable, Kind::Points, Kind::Fixed]
            }
            ShapeSpec::Torus {
                major,
                minor,
                cells,
            } => {
                positive(c, "torus.major", *major);
                positive(c, "torus.minor", *minor);
                let key = format!("{place}.torus.minor");
                c.that(minor < major, key, minor, "less than `major`");
                counts(c, "torus.cells", cells, 3.0);
                &[Kind::Rigid, Kind::Deformable, Kind::Fixed]
            }
            ShapeSpec::Sheet { side, cells } => {
                positive(c, "sheet.side", *side);
                counts(c, "sheet.cells", &[*cells], 1.0);
                &[Kind::Cloth]
            }
            ShapeSpec::Cone {
                radius,
                height,
                spacing,
            } => {
                positive(c, "cone.radius", *radius);
                positive(c, "cone.height", *height);
                positive(c, "cone.spacing", *spacing);
                let across = 2.0 * radius / spacing;
                places(c, "cone.spacing", [across, across, height / spacing]);
                &[Kind::Points]
            }
            ShapeSpec::Bowl { radius } => {
                positive(c, "bowl.radius", *radius);
                &[Kind::Fixed]
            }
            ShapeSpec::Mesh(mesh) => {
                mesh.check(c, place, self.kind);
                let (found, range) = match of_body {
                    Some(_) => ("level_set", "mesh or none for a mesh"),
                    None => (
                        "a mesh",
                        "a shape with a level set, which its body asks for",
                    ),
                };
                let is_met = self.surface != SurfaceSpec::LevelSet;
                c.that(is_met, at("surface"), found, range);
                &[Kind::Rigid, Kind::Deformable, Kind::Points, Kind::Fixed]
            }
        };
        let is_for_it = kinds.contains(&self.kind);
        let (own, kinds) = (format!("{:?}", self.kind), format!("{kinds:?}"));
        let (own, kinds) = (own.to_lowercase(), kinds.to_lowercase());
        let (found, range) = match of_body {
            Some(_) => (own, format!("one that goes with its shape: {kinds}")),
            None => (format!("for {kinds}"), format!("for a body of kind {own}")),
        };
        c.that(is_for_it, at("kind"), found, &range);
    }
}
