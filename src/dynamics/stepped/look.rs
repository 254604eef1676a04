//! What can be drawn of a state: points, meshes, cells and contacts, each with what it is and with the numbers that colours may show.
//!
//! Who draws chooses colours and camera; [`Look::picture`] is the choice of the command line.

use image::RgbImage;

use crate::report::picture::Framing;
use crate::report::shaded::{Ball, Camera, Drawing, Triangle, draw};

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A liquid.
    Fluid,
    /// A grain of sand.
    Sand,
    /// A body that moves, by its number.
    Body(usize),
    /// A body that doesn't.
    Fixed,
    /// A wall.
    Wall,
    /// The ground.
    Ground,
}

/// Points that are drawn as balls.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// What they are.
    pub role: Role,
    /// Where they are, m.
    pub at: Vec<[f64; 3]>,
    /// Radius of a ball, m.
    pub radius: f64,
    /// Speeds, m/s; empty where all are at rest.
    pub speed: Vec<f64>,
    /// Pressures, Pa; empty where none is told.
    pub pressure: Vec<f64>,
    /// By which each is known again; empty where their order never changes.
    pub id: Vec<u32>,
}

/// A surface of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// What it is.
    pub role: Role,
    /// Its vertices, m.
    pub points: Vec<[f64; 3]>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Seen only from where triangles go counter-clockwise: walls, which don't hide what they hold.
    pub one_sided: bool,
    /// Speeds of the vertices, m/s; empty of what doesn't move.
    pub speed: Vec<f64>,
}

/// A pair that touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where, m.
    pub at: [f64; 3],
    /// What pushes there: N, or N s where a step has impulses.
    pub push: [f64; 3],
    /// Whether it sticks, where that is told.
    pub sticks: Option<bool>,
    /// Unit vector along which it pushes without friction.
    pub normal: [f64; 3],
    /// Coulomb's coefficient there: pushes stay within a cone this wide.
    pub friction: f64,
}

/// Numbers on cells of a rectangle, x fastest, the lowest row first.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// How many along each axis.
    pub n: [usize; 2],
    /// Lower corner, m.
    pub low: [f64; 2],
    /// Side of a cell, m.
    pub dx: f64,
    /// Vorticity, 1/s.
    pub vorticity: Vec<f64>,
    /// The share that is in a body.
    pub body: Vec<f64>,
}

impl Cells {
    /// The cell that holds a place, if one does.
    pub fn at(&self, x: f64, y: f64) -> Option<usize> {
        let place = [(x - self.low[0]) / self.dx, (y - self.low[1]) / self.dx];
        let is_in = |k: usize| (0.0..self.n[k] as f64).contains(&place[k]);
        (is_in(0) && is_in(1)).then(|| place[0] as usize + place[1] as usize * self.n[0])
    }
}

/// What can be drawn of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// 2 or 3. In the plane all third coordinates are 0.
    pub dimension: usize,
    /// Which axis is up in space: 1 or 2.
    pub up: usize,
    /// Where it is best seen from: [`Camera::around`] with these.
    pub from: [f64; 2],
    /// The box that pictures show: least and greatest corner, m.
    pub bounds: [[f64; 3]; 2],
    /// Colours of bodies, over and over.
    pub palette: &'static [[u8; 3]],
    /// Points.
    pub points: Vec<Points>,
    /// Surfaces.
    pub meshes: Vec<Mesh>,
    /// What touches.
    pub contacts: Vec<Contact>,
    /// Numbers on cells behind all that, in the plane.
    pub cells: Option<Cells>,
}

/// Colours of bodies where a system has no others.
pub const BODIES: &[[u8; 3]] = &[
    [214, 110, 70],
    [90, 140, 200],
    [120, 170, 90],
    [190, 110, 170],
    [220, 180, 80],
];

const FLUID: [u8; 3] = [70, 130, 200];
const FAST: [u8; 3] = [235, 245, 255];
const SAND: [u8; 3] = [205, 170, 110];
const FIXED: [u8; 3] = [170, 170, 165];
const WALL: [u8; 3] = [150, 150, 150];
const GROUND: [u8; 3] = [225, 225, 220];

impl Look {
    /// The camera that sees it from here.
    ///
    /// # Shapes and units
    /// - `turn`, `tilt`: rad; as in [`Camera::around`], whatever is up; no matter in the plane
    pub fn camera(&self, [turn, tilt]: [f64; 2]) -> Camera {
        match (self.dimension, self.up) {
            (2, _) => Camera::PLANE,
            (_, 1) => Camera::around(turn, tilt).with_y_up(),
            _ => Camera::around(turn, tilt),
        }
    }

    /// The speed of the fastest of all, m/s.
    pub fn fastest(&self) -> f64 {
        let points = self.points.iter().flat_map(|p| &p.speed);
        let meshes = self.meshes.iter().flat_map(|m| &m.speed);
        points.chain(meshes).copied().fold(0.0, f64::max)
    }

    /// The least and the greatest pressure, Pa; none where none is told.
    pub fn pressures(&self) -> Option<[f64; 2]> {
        let all = self.points.iter().flat_map(|p| &p.pressure);
        let ends = all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
            [low.min(*p), high.max(*p)]
        });
        (ends[0] <= ends[1]).then_some(ends)
    }

    /// How much of the vorticity colours span, 1/s: few cells turn faster. None where no cells are told.
    pub fn vorticity(&self) -> Option<f64> {
        let cells = self.cells.as_ref()?;
        let mut sizes: Vec<f64> = cells.vorticity.iter().map(|w| w.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        // A few cells beside bodies would take all the colour.
        let place = sizes.len().checked_sub(1)? * 995 / 1000;
        Some(sizes[place].max(1e-12))
    }

    /// The colour of what something is.
    pub fn colour(&self, role: Role) -> [u8; 3] {
        match role {
            Role::Fluid => FLUID,
            Role::Sand => SAND,
            Role::Body(k) => self.palette[k % self.palette.len().max(1)],
            Role::Fixed => FIXED,
            Role::Wall => WALL,
            Role::Ground => GROUND,
        }
    }

    /// Its balls and triangles in the colours of who draws: of a point and of a triangle by its number. What has none is left out.
    pub fn drawing(
        &self,
        point: &dyn Fn(&Points, usize) -> Option<[u8; 3]>,
        triangle: &dyn Fn(&Mesh, usize) -> Option<[u8; 3]>,
    ) -> Drawing {
        let mut drawing = Drawing::default();
        for points in &self.points {
            for (k, at) in points.at.iter().enumerate() {
                if let Some(colour) = point(points, k) {
                    drawing.balls.push(Ball {
                        at: *at,
                        radius: points.radius,
                        colour,
                    });
                }
            }
        }
        for surface in &self.meshes {
            for (k, corners) in surface.triangles.iter().enumerate() {
                if let Some(colour) = triangle(surface, k) {
                    drawing.triangles.push(Triangle {
                        one_sided: surface.one_sided,
                        corners: corners.map(|v| surface.points[v as usize]),
                        colour,
                    });
                }
            }
        }
        drawing
    }

    /// The picture of a series: liquids lighter where they are fast, everything else in its colour.
    pub fn picture(&self, framing: &Framing) -> RgbImage {
        let fluid = self.points.iter().filter(|p| p.role == Role::Fluid);
        let fastest = fluid.flat_map(|p| &p.speed).copied().fold(1e-12, f64::max);
        let point = |points: &Points, k: usize| match (points.role, points.speed.get(k)) {
            (Role::Fluid, Some(speed)) => {
                let mix = speed / fastest;
                Some(std::array::from_fn(|c| {
                    (f64::from(FLUID[c]) * (1.0 - mix) + f64::from(FAST[c]) * mix) as u8
                }))
            }
            (role, _) => Some(self.colour(role)),
        };
        let mesh = |mesh: &Mesh, _| Some(self.colour(mesh.role));
        // Walls and bodies that only cells tell of.
        let behind = |x: f64, y: f64| {
            let cells = self.cells.as_ref()?;
            (cells.body[cells.at(x, y)?] >= 0.5).then(|| self.colour(Role::Wall))
        };
        draw(
            &self.drawing(&point, &mesh),
            &self.camera(framing.from.unwrap_or(self.from)),
            self.bounds,
            framing.pixels,
            &behind,
        )
    }
}
