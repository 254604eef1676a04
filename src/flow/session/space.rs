//! What differs between chips in the plane and chips with depth: pieces, sockets of ports, measurements.
//!
//! ```text
//! planar, shallow   plane mesh             flow per depth    Field<2>
//! full              layers over the depth  flow              Field<3> --at mid-depth--> Field<2>
//! ```

use super::Job;
use super::measure::fastest;
use super::solution::MAX_ASPECT;
use super::{SolveError, SolveReport, SolveSettings, WallShear};
use crate::canonical::Canonicalised;
use crate::field::dissipation::dissipation;
use crate::field::drag::{Post, PostForce, forces, posts};
use crate::field::floor_shear::{FloorShear, Floors};
use crate::field::nodal::nodal;
use crate::field::wall_shear;
use crate::field::wall_shear3::wall_shear_of_solids;
use crate::field::{Depths, Field, SolvedDepth};
use crate::stokes::boundary::Components;
use crate::stokes::duct::socket::DuctProfile;
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::piece::{Flat, Layers, PieceError};
use crate::stokes::section::{Section, Top};
use crate::stokes::socket::{PortSocket, duct_socket, plane_socket};
use crate::stokes::system::{PartError, Port, Supply, System};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::{Chip, Condition};

/// What is measured all over a chip.
pub(super) struct Measured {
    pub max_speed: (f64, Point),
    pub wall_shear: WallShear,
    pub floor_shear: Option<FloorShear>,
    /// W, W/m where the chip has no depth.
    pub dissipation: f64,
    pub posts: Vec<PostForce>,
    pub fields: Field<2>,
    pub in_space: Option<Field<3>>,
}

/// A way to see chips in `D` dimensions.
pub(super) trait Space<const D: usize>: Send + Sync {
    /// This way to see another chip.
    fn of(&self, chip: &Chip, settings: &SolveSettings) -> Result<Box<dyn Space<D>>, SolveError>;

    /// The chip as pieces; `like`: see [`Supply::like`].
    fn system(
        &self,
        chip: &Chip,
        job: &Job<'_>,
        like: Option<&[Canonicalised]>,
    ) -> Result<System<D>, SolveError>;

    /// A port's socket.
    fn socket(&self, system: &System<D>, port: &Port) -> PortSocket;

    /// The given flow of a condition, or its pressure, in the unit of the equations.
    fn condition(&self, condition: Condition) -> Condition;

    /// Flow in the unit of results (m^3/s where the chip has a depth) over flow in the unit of the equations.
    fn flow_unit(&self) -> f64;

    /// Fields, greatest speed, shear of walls and floors; `shift(part)` is added to the pressure there, Pa. Of no use where it was cancelled.
    fn measure(
        &self,
        system: &System<D>,
        local_vectors: &LocalVectors,
        state: &ChipVector,
        shift: &(dyn Fn(usize) -> f64 + Sync),
        is_cancelled: IsCancelled<'_>,
    ) -> Measured;

    /// Notes what is particular about it.
    fn note(&self, _report: &mut SolveReport) {}
}

/// What is unknown at the ends of sockets: something, where any wall slips.
fn ends(chip: &Chip) -> [Components; 2] {
    match chip.parts.iter().any(|part| part.walls.can_slip()) {
        true => [Components::ALONG; 2],
        false => [Components::NONE; 2],
    }
}

fn mesh_error(chip: &Chip) -> impl Fn(PartError) -> SolveError + '_ {
    |PartError { part, error }| match error {
        PieceError::Cancelled => SolveError::Cancelled,
        PieceError::Mesh(error) => SolveError::Mesh {
            part: chip.parts[part].name.clone(),
            reason: error.to_string(),
        },
    }
}

/// Two dimensions.
pub(super) struct Plane {
    depth: Option<f64>,
    depths: Depths,
    floors: Floors,
    posts: Vec<Post>,
}

impl Plane {
    /// The space of a chip with any model but the full one.
    pub fn new(chip: &Chip) -> Self {
        Self {
            depth: chip.depth,
            depths: match chip.has_depths() {
                true => {
                    Depths::OfParts((0..chip.parts.len()).map(|k| chip.depth_ratio(k)).collect())
                }
                false => Depths::Even,
            },
            floors: Floors::of(chip),
            posts: posts(chip),
        }
    }
}

impl Space<2> for Plane {
    fn of(&self, chip: &Chip, _settings: &SolveSettings) -> Result<Box<dyn Space<2>>, SolveError> {
        Ok(Box::new(Self::new(chip)))
    }

    fn system(
        &self,
        chip: &Chip,
        job: &Job<'_>,
        like: Option<&[Canonicalised]>,
    ) -> Result<System<2>, SolveError> {
        let section = Section::plane(job.settings.resolution).with_ends(ends(chip));
        job.supply(|supply| System::new(chip, section, &Flat, Supply { like, ..supply }))
            .map_err(mesh_error(chip))
    }

    fn socket(&self, system: &System<2>, port: &Port) -> PortSocket {
        let owner = system.interfaces[port.interface as usize].owner.0;
        let drag = system.instances[owner as usize].drag;
        plane_socket(&system.section, port.width, drag, port.walls)
    }

    fn condition(&self, condition: Condition) -> Condition {
        condition
    }

    fn flow_unit(&self) -> f64 {
        self.depth.unwrap_or(1.0)
    }

    fn measure(
        &self,
        system: &System<2>,
        local_vectors: &LocalVectors,
        state: &ChipVector,
        shift: &(dyn Fn(usize) -> f64 + Sync),
        is_cancelled: IsCancelled<'_>,
    ) -> Measured {
        let wall_shear = wall_shear::wall_shear(system, local_vectors, state, is_cancelled);
        let fields = Field {
            depths: self.depths.clone(),
            ..nodal(system, local_vectors, state, None, shift, is_cancelled)
        };
        Measured {
            max_speed: fastest(&fields),
            wall_shear,
            floor_shear: self.floors.shear(&fields),
            dissipation: self.flow_unit() * dissipation(system, local_vectors, state, is_cancelled),
            posts: forces(system, local_vectors, state, &self.posts, 1.0, is_cancelled),
            fields,
            in_space: None,
        }
    }
}

/// Three dimensions: the chip extruded by its depth.
pub(super) struct Deep {
    extrusion: Layers,
    depth: f64,
    profile: DuctProfile,
    posts: Vec<Post>,
}

impl Deep {
    /// Chooses unit and layers of a chip with the full model.
    ///
    /// # Errors
    /// [`SolveError::OddResolution`], [`SolveError::Depth`], [`SolveError::Depths`].
    pub fn new(chip: &Chip, settings: &SolveSettings) -> Result<Self, SolveError> {
        let resolution = settings.resolution;
        if resolution % 2 == 1 {
            return Err(SolveError::OddResolution { resolution });
        }
        if chip.has_depths() {
            return Err(SolveError::Depths {
                what: "three dimensions",
            });
        }
        let sockets = chip.parts.iter().flat_map(|p| p.shape.sockets());
        let width = sockets.map(|m| m.width).fold(f64::INFINITY, f64::min);
        let depth = chip.depth.filter(|&d| d > 0.0 && (d <= MAX_ASPECT * width));
        let depth = depth.ok_or(SolveError::Depth { depth: chip.depth })?;
        let width = if width.is_finite() { width } else { depth };
        // Halves: a square channel has as many layers as edges across.
        let high_as_wide = (f64::from(resolution) / 2.0 * depth / width).round() as u32;
        let layers = match settings.depth.layers {
            Some(layers) => layers.max(1),
            None => high_as_wide.max(2),
        };
        let half = Layers {
            unit: width / f64::from(resolution),
            layers,
            depth: depth / 2.0,
            top: Top::Symmetry,
        };
        let whole = Layers {
            layers: 2 * layers,
            depth,
            top: Top::Wall,
            ..half
        };
        Ok(Self {
            extrusion: if settings.depth.whole { whole } else { half },
            depth,
            profile: settings.depth.profile,
            posts: posts(chip),
        })
    }
}

impl Space<3> for Deep {
    fn of(&self, chip: &Chip, settings: &SolveSettings) -> Result<Box<dyn Space<3>>, SolveError> {
        Ok(Box::new(Self::new(chip, settings)?))
    }

    fn system(
        &self,
        chip: &Chip,
        job: &Job<'_>,
        like: Option<&[Canonicalised]>,
    ) -> Result<System<3>, SolveError> {
        let resolution = job.settings.resolution;
        let section = Section::new(3, resolution, self.extrusion.layers, self.extrusion.top);
        let section = section.with_ends(ends(chip));
        job.supply(|supply| System::new(chip, section, &self.extrusion, Supply { like, ..supply }))
            .map_err(mesh_error(chip))
    }

    fn socket(&self, system: &System<3>, port: &Port) -> PortSocket {
        let size = [port.width, self.extrusion.depth];
        duct_socket(&system.section, size, port.walls, self.profile)
    }

    fn condition(&self, condition: Condition) -> Condition {
        match condition {
            Condition::FlowRate(flow) => Condition::FlowRate(flow * self.depth),
            other => other,
        }
    }

    fn flow_unit(&self) -> f64 {
        1.0
    }

    fn measure(
        &self,
        system: &System<3>,
        local_vectors: &LocalVectors,
        state: &ChipVector,
        shift: &(dyn Fn(usize) -> f64 + Sync),
        is_cancelled: IsCancelled<'_>,
    ) -> Measured {
        let shear = wall_shear_of_solids(system, local_vectors, state, is_cancelled);
        let plane = |[x, y, _]: [f64; 3]| Point::new(x, y);
        let copies = match self.extrusion.top {
            Top::Symmetry => 2.0,
            Top::Wall => 1.0,
        };
        let in_space = Field {
            depths: SolvedDepth {
                depth: self.depth,
                top: self.extrusion.top,
            },
            ..nodal(system, local_vectors, state, None, shift, is_cancelled)
        };
        Measured {
            max_speed: fastest_in_space(&in_space),
            wall_shear: WallShear {
                min: shear.min,
                mean: shear.mean,
                max: shear.max,
                min_at: plane(shear.min_at),
                max_at: plane(shear.max_at),
            },
            floor_shear: None,
            dissipation: copies * dissipation(system, local_vectors, state, is_cancelled),
            posts: forces(
                system,
                local_vectors,
                state,
                &self.posts,
                copies / self.depth,
                is_cancelled,
            ),
            fields: in_space.mid_depth(),
            in_space: Some(in_space),
        }
    }

    fn note(&self, report: &mut SolveReport) {
        report.layers = self.extrusion.layers;
        report.half_depth = self.extrusion.top == Top::Symmetry;
    }
}

/// Greatest nodal speed, and over which place.
fn fastest_in_space(nodal: &Field<3>) -> (f64, Point) {
    let squares = nodal.velocity.iter().map(|v| v.iter().map(|x| x * x).sum());
    let best = squares
        .enumerate()
        .max_by(|a: &(usize, f64), b| a.1.total_cmp(&b.1));
    best.map_or((0.0, Point::default()), |(n, square)| {
        let [x, y, _] = nodal.nodes[n];
        (square.sqrt(), Point::new(x, y))
    })
}
