//! What is in the tanks.
//!
//! The thesis shows its obstacles in pictures only: sizes are our choice, each named here once, in parts of the domain's side. The
//! outermost layer of cells is solid, and nothing here counts in it.

use crate::grid::Shape;

/// A row of the table of tanks.
#[derive(Clone, Copy, Debug)]
pub struct TankEntry {
    /// Its name.
    pub name: &'static str,
    /// The specification's name for it.
    pub id: &'static str,
    /// In a sentence.
    pub summary: &'static str,
}

/// All tanks; each exists in the plane and in space.
pub const TANKS: &[TankEntry] = &[
    TankEntry {
        name: "breaking-dam",
        id: "S1",
        summary: "a block of liquid at the left wall ([003] figure 4.1)",
    },
    TankEntry {
        name: "stairs",
        id: "S2",
        summary: "liquid on the top step, a floating plane at the right wall ([003] figure 4.16)",
    },
    TankEntry {
        name: "levitating-planes",
        id: "S3",
        summary: "liquid on two planes, a ball below, cubes on the floor ([003] figure 4.19)",
    },
    TankEntry {
        name: "stairs-ceiling",
        id: "S4",
        summary: "the stairs with liquid up to the ceiling ([003] figure 4.22)",
    },
];

/// What is in a tank, in the unit square or cube.
#[derive(Clone, Debug, PartialEq)]
pub struct Tank<const D: usize> {
    /// Its name.
    pub name: &'static str,
    /// Obstacles.
    pub solid: Shape<D>,
    /// Liquid at the start.
    pub liquid: Shape<D>,
    /// Steps that the thesis runs.
    pub steps: usize,
}

/// A tank in either dimension.
#[derive(Clone, Debug)]
pub enum AnyTank {
    /// In the plane.
    Plane(Tank<2>),
    /// In space.
    Space(Tank<3>),
}

impl AnyTank {
    /// By name: in the plane, or in space with `-3d` after it.
    pub fn of(name: &str) -> Option<Self> {
        match name.strip_suffix("-3d") {
            Some(name) => tank(name).map(Self::Space),
            None => tank(name).map(Self::Plane),
        }
    }
}

/// A cuboid over the whole depth.
fn slab<const D: usize>(low: [f64; 2], high: [f64; 2]) -> Shape<D> {
    let of = |plane: [f64; 2], rest: f64| std::array::from_fn(|a| *plane.get(a).unwrap_or(&rest));
    Shape::cuboid(of(low, -1.0), of(high, 2.0))
}

/// Three steps along the left wall and a plane at the right one.
fn stairs<const D: usize>() -> Shape<D> {
    Shape::Union(vec![
        slab([-1.0, -1.0], [0.15, 0.45]),
        slab([-1.0, -1.0], [0.30, 0.30]),
        slab([-1.0, -1.0], [0.45, 0.15]),
        slab([0.7, 0.5], [2.0, 0.53]),
    ])
}

/// Cubes on the floor, four a direction.
fn cubes<const D: usize>() -> Vec<Shape<D>> {
    let side = 0.08;
    let count = 4usize.pow(D as u32 - 1);
    (0..count)
        .map(|k| {
            let low = |a: usize| match a {
                1 => -1.0,
                _ => 0.2 * ((if a == 0 { k % 4 } else { k / 4 }) as f64 + 1.0) - 0.5 * side,
            };
            let high = |a: usize| if a == 1 { side } else { low(a) + side };
            Shape::cuboid(std::array::from_fn(low), std::array::from_fn(high))
        })
        .collect()
}

/// A tank by name.
pub fn tank<const D: usize>(name: &str) -> Option<Tank<D>> {
    Some(match name {
        "breaking-dam" => Tank {
            name: "breaking-dam",
            solid: Shape::Union(Vec::new()),
            liquid: slab([-1.0, -1.0], [0.4, 0.6]),
            steps: 250,
        },
        "stairs" => Tank {
            name: "stairs",
            solid: stairs(),
            liquid: slab([-1.0, 0.45], [0.2, 0.8]),
            steps: 350,
        },
        "levitating-planes" => {
            let mut ball = [0.5; D];
            ball[1] = 0.4;
            let mut solids = cubes();
            solids.push(slab([-1.0, 0.67], [0.35, 0.7]));
            solids.push(slab([0.65, 0.67], [2.0, 0.7]));
            solids.push(Shape::ball(ball, 0.12));
            Tank {
                name: "levitating-planes",
                solid: Shape::Union(solids),
                liquid: Shape::Union(vec![
                    slab([-1.0, 0.7], [0.35, 0.9]),
                    slab([0.65, 0.7], [2.0, 0.9]),
                ]),
                steps: 350,
            }
        }
        "stairs-ceiling" => Tank {
            name: "stairs-ceiling",
            solid: stairs(),
            liquid: slab([-1.0, 0.45], [0.2, 2.0]),
            steps: 350,
        },
        _ => return None,
    })
}
