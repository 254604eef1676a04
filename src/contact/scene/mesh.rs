//! Bodies whose shape is a mesh: how they are written, checked, and read from files.

use super::check_shape::MOST_PLACES;
use super::{Scene, ShapeSpec, unit};
use crate::closed::{Closed, ClosedError};
use crate::mesh_file::{self, MeshFileError};
use crate::model::Kind;
use crate::real::V3;
use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::Checks;
use thiserror::Error;

/// A closed mesh, of a file or written out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshSpec {
    /// An STL, OBJ or PLY file beside the scene's. Whoever reads the scene's file puts its points and triangles in ([`Scene::with_meshes`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Metres a unit of the file. Default 1.
    #[serde(default = "unit")]
    pub scale: f64,
    /// Spacing of what fills it, m: of material points, or of the cubes that a deformable body is made of (its surface has steps then).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Vertices, in the file's units, about the body's position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f64; 3]>,
    /// Triangles, by their vertices from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triangles: Vec<[u32; 3]>,
}

impl MeshSpec {
    /// The solid, in metres.
    pub(crate) fn closed(&self) -> Result<Closed, ClosedError> {
        let points = self.points.iter().map(|p| V3::from(*p) * self.scale);
        Closed::new(points.collect(), self.triangles.clone())
    }

    /// Whether its points are still in its file.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.points.is_empty() && self.file.is_some()
    }

    pub(super) fn check(&self, c: &mut Checks, place: &str, kind: Kind) {
        let key = |name: &str| format!("{place}.mesh.{name}");
        c.positive(key("scale"), self.scale);
        c.positive(key("spacing"), self.spacing.unwrap_or(1.0));
        let fills = matches!(kind, Kind::Deformable | Kind::Points);
        c.that(
            self.spacing.is_some() || !fills,
            key("spacing"),
            "missing",
            "given for a body that is filled",
        );
        let range = "an STL, OBJ or PLY file, or `points` and `triangles`";
        let has_points = self.file.is_some() || !self.points.is_empty();
        c.that(has_points, key("file"), "missing", range);
        for p in &self.points {
            c.vector(key("points"), p, 3);
        }
        if !c.is_sound() || self.is_elsewhere() {
            return;
        }
        match self.closed() {
            Err(error) => c.that(false, key("triangles"), error.to_string(), "around a solid"),
            Ok(closed) if fills => {
                let h = self.spacing.unwrap_or(1.0);
                let [nx, ny, nz] = closed.cells(h);
                let range = "large enough for at most 20 million places";
                c.that(nx * ny * nz <= MOST_PLACES, key("spacing"), h, range);
                let range = "small enough that something fits inside";
                let fits = c.is_sound() && !closed.fill(h).is_empty();
                c.that(fits, key("spacing"), h, range);
            }
            Ok(_) => {}
        }
    }
}

impl Scene {
    /// The scene with the points and triangles of the mesh files that it names; `read` gives a file's bytes by its name.
    ///
    /// # Errors
    /// [`MeshError`]: a file that can't be read, or isn't a mesh. Whether it is closed is checked with everything else.
    pub fn with_meshes(
        &self,
        read: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Scene, MeshError> {
        let mut scene = self.clone();
        let of_bodies = scene.body.iter_mut().map(|body| &mut body.shape);
        let of_sizes = scene.sizes.values_mut().flat_map(|s| s.shapes.values_mut());
        for shape in of_bodies.chain(of_sizes) {
            let ShapeSpec::Mesh(mesh) = shape else {
                continue;
            };
            let Some(file) = mesh.file.clone().filter(|_| mesh.is_elsewhere()) else {
                continue;
            };
            let bytes = read(&file).map_err(|source| MeshError::Read {
                file: file.clone(),
                source,
            })?;
            let (points, triangles) = mesh_file::read(&file, &bytes)
                .map_err(|source| MeshError::Mesh { file, source })?;
            mesh.points = points.iter().map(|p| [p.x, p.y, p.z]).collect();
            mesh.triangles = triangles;
        }
        Ok(scene)
    }

    /// The first body whose mesh, at any size, is still in a file, and that file.
    pub(crate) fn without_mesh(&self) -> Option<(&str, &str)> {
        let of_bodies = self.body.iter().map(|body| (&body.name, &body.shape));
        let of_sizes = self.sizes.values().flat_map(|size| &size.shapes);
        of_bodies
            .chain(of_sizes)
            .find_map(|(name, shape)| match shape {
                ShapeSpec::Mesh(mesh) if mesh.is_elsewhere() => {
                    Some((name.as_str(), mesh.file.as_deref()?))
                }
                _ => None,
            })
    }
}

/// Why a mesh that a scene names can't be had.
#[derive(Debug, Error)]
pub enum MeshError {
    /// The file.
    #[error("mesh `{file}`: {source}")]
    Read {
        /// Its name.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// What is in it.
    #[error("mesh `{file}`: {source}")]
    Mesh {
        /// Its name.
        file: String,
        /// What is wrong with it.
        source: MeshFileError,
    },
}
