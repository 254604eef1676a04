//! A tree of shapes, as files hold it.

use serde::{Deserialize, Serialize};

use crate::grid::Shape;
use crate::scene_file::Checks;

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// To the right.
    X,
    /// Up.
    Y,
    /// Towards who looks.
    Z,
}

impl Axis {
    /// Its number.
    pub fn index(self) -> usize {
        match self {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        }
    }
}

/// A region of space; lengths in m, angles in rad.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Region {
    /// A disc or ball.
    Ball {
        /// Its centre.
        centre: Vec<f64>,
        /// Its radius.
        radius: f64,
    },
    /// A rectangle or box along the axes.
    Box {
        /// The lower corner.
        low: Vec<f64>,
        /// The upper corner.
        high: Vec<f64>,
    },
    /// Everything with `normal . x < offset`.
    Below {
        /// Any length.
        normal: Vec<f64>,
        /// Distance of the plane from the origin, for a unit normal.
        offset: f64,
    },
    /// An endless cylinder along an axis (in the plane a strip).
    Cylinder {
        /// A point on its axis.
        centre: Vec<f64>,
        /// The direction it is endless in.
        axis: Axis,
        /// Its radius.
        radius: f64,
    },
    /// Something turned about a point in the plane of x and y, counterclockwise.
    Turned {
        /// Stays where it is.
        centre: Vec<f64>,
        /// By how much, rad.
        angle: f64,
        /// What is turned.
        shape: Box<Region>,
    },
    /// Something moved.
    Moved {
        /// By how much.
        by: Vec<f64>,
        /// What is moved.
        shape: Box<Region>,
    },
    /// Something grown by a distance; shrunk by a negative one.
    Grown {
        /// By how much.
        by: f64,
        /// What is grown.
        shape: Box<Region>,
    },
    /// What is in any of them.
    AnyOf(Vec<Region>),
    /// What is in all of them.
    AllOf(Vec<Region>),
    /// What is not in it.
    Not(Box<Region>),
    /// What is in one and in none of the others.
    Without {
        /// The one.
        of: Box<Region>,
        /// The others.
        these: Vec<Region>,
    },
}

impl Region {
    /// Hands every value that could be wrong to `checks`.
    pub fn check(&self, checks: &mut Checks, key: &str, axes: usize) {
        let list = |checks: &mut Checks, key: &str, all: &[Region]| {
            checks.that(!all.is_empty(), key, "empty", "at least one shape");
            for (k, region) in all.iter().enumerate() {
                region.check(checks, &format!("{key}[{k}]"), axes);
            }
        };
        match self {
            Region::Ball { centre, radius } => {
                checks.vector(format_args!("{key}.ball.centre"), centre, axes);
                checks.positive(format_args!("{key}.ball.radius"), *radius);
            }
            Region::Box { low, high } => {
                checks.vector(format_args!("{key}.box.low"), low, axes);
                checks.vector(format_args!("{key}.box.high"), high, axes);
                let is_above = low.iter().zip(high).all(|(low, high)| low < high);
                checks.that(
                    is_above,
                    format_args!("{key}.box.high"),
                    format_args!("{high:?}"),
                    "above `low` on every axis",
                );
            }
            Region::Below { normal, offset } => {
                checks.vector(format_args!("{key}.below.normal"), normal, axes);
                let is_long = normal.iter().any(|n| *n != 0.0);
                checks.that(
                    is_long,
                    format_args!("{key}.below.normal"),
                    format_args!("{normal:?}"),
                    "longer than 0",
                );
                checks.vector(format_args!("{key}.below.offset"), &[*offset], 1);
            }
            Region::Cylinder {
                centre,
                axis,
                radius,
            } => {
                checks.vector(format_args!("{key}.cylinder.centre"), centre, axes);
                checks.positive(format_args!("{key}.cylinder.radius"), *radius);
                checks.that(
                    axis.index() < axes,
                    format_args!("{key}.cylinder.axis"),
                    "z",
                    "x or y in the plane",
                );
            }
            Region::Turned {
                centre,
                angle,
                shape,
            } => {
                checks.vector(format_args!("{key}.turned.centre"), centre, axes);
                checks.vector(format_args!("{key}.turned.angle"), &[*angle], 1);
                shape.check(checks, &format!("{key}.turned.shape"), axes);
            }
            Region::Moved { by, shape } => {
                checks.vector(format_args!("{key}.moved.by"), by, axes);
                shape.check(checks, &format!("{key}.moved.shape"), axes);
            }
            Region::Grown { by, shape } => {
                checks.vector(format_args!("{key}.grown.by"), &[*by], 1);
                shape.check(checks, &format!("{key}.grown.shape"), axes);
            }
            Region::AnyOf(all) => list(checks, &format!("{key}.any-of"), all),
            Region::AllOf(all) => list(checks, &format!("{key}.all-of"), all),
            Region::Not(of) => of.check(checks, &format!("{key}.not"), axes),
            Region::Without { of, these } => {
                of.check(checks, &format!("{key}.without.of"), axes);
                list(checks, &format!("{key}.without.these"), these);
            }
        }
    }

    /// The shape of a checked region.
    pub fn shape<const D: usize>(&self) -> Shape<D> {
        let boxed = |region: &Region| Box::new(region.shape());
        let all = |regions: &[Region]| regions.iter().map(Region::shape).collect();
        match self {
            Region::Ball { centre, radius } => Shape::ball(array(centre), *radius),
            Region::Box { low, high } => Shape::cuboid(array(low), array(high)),
            Region::Below { normal, offset } => {
                let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
                Shape::Below {
                    normal: array::<D>(normal).map(|n| n / length),
                    offset: *offset,
                }
            }
            Region::Cylinder {
                centre,
                axis,
                radius,
            } => Shape::Cylinder {
                centre: array(centre),
                axis: axis.index(),
                radius: *radius,
            },
            Region::Turned {
                centre,
                angle,
                shape,
            } => Shape::Turned {
                centre: array(centre),
                angle: *angle,
                shape: boxed(shape),
            },
            Region::Moved { by, shape } => Shape::Moved {
                by: array(by),
                shape: boxed(shape),
            },
            Region::Grown { by, shape } => Shape::Dilated {
                by: *by,
                shape: boxed(shape),
            },
            Region::AnyOf(regions) => Shape::Union(all(regions)),
            Region::AllOf(regions) => Shape::Intersection(all(regions)),
            Region::Not(region) => Shape::Complement(boxed(region)),
            Region::Without { of, these } => {
                let taken = match &these[..] {
                    [one] => one.shape(),
                    several => Shape::Union(all(several)),
                };
                of.shape().without(taken)
            }
        }
    }
}

/// Numbers as an array; missing ones are 0.
pub(super) fn array<const D: usize>(values: &[f64]) -> [f64; D] {
    std::array::from_fn(|k| values.get(k).copied().unwrap_or(0.0))
}
