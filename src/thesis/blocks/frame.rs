//! Axes and units of blocks and rows, and how one lies relative to another.

use std::f64::consts::FRAC_PI_2;

use stokeslet_base::geometry::{Motion, Point};

/// Orientation and unit of length of a block or a row: `v_in_chip = R(angle) M(mirror) v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockFrame {
    /// Rotation in the chip, rad.
    pub angle: f64,
    /// Mirrored in its own x axis before it is turned.
    pub mirror: bool,
    /// Cell size there, m: the unit of canonical coordinates.
    pub unit: f64,
}

impl BlockFrame {
    /// A vector of the frame in the chip.
    pub fn to_chip(&self, v: Point) -> Point {
        self.motion().rotate(v)
    }

    /// A vector of the chip in the frame.
    pub fn to_frame(&self, v: Point) -> Point {
        self.motion().inverse().rotate(v)
    }

    fn motion(&self) -> Motion {
        Motion {
            angle: self.angle,
            mirror: self.mirror,
            translation: Point::default(),
        }
    }
}

/// How a row's frame lies in a block's: `v_in_block = R(turn) M(mirror) v_in_row`, quantised, so that copies are equal.
///
/// To 1e-12, finer than shapes are: velocities turned by a wrong angle leak mass through the line in proportion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relative {
    /// In 1e-12 of a quarter turn.
    turn: i64,
    /// Whether just one of the two is mirrored.
    pub mirror: bool,
    /// The row's unit in 1e-12 of the block's.
    scale: i64,
}

/// Steps of a quarter turn and of a scale of one.
const STEPS: f64 = 1e12;

impl Relative {
    /// The row as the block sees it.
    pub fn new(block: &BlockFrame, row: &BlockFrame) -> Self {
        let turn = row.angle - block.angle;
        let turn = if block.mirror { -turn } else { turn };
        let turn = (turn / FRAC_PI_2 * STEPS).round() as i64;
        Self {
            turn: turn.rem_euclid(4 * STEPS as i64),
            mirror: block.mirror != row.mirror,
            scale: (row.unit / block.unit * STEPS).round() as i64,
        }
    }

    /// The turn, rad.
    pub fn turn(&self) -> f64 {
        self.turn as f64 / STEPS * FRAC_PI_2
    }

    /// The row's unit in units of the block.
    pub fn scale(&self) -> f64 {
        self.scale as f64 / STEPS
    }

    /// The three integers, for keys.
    pub fn words(&self) -> [i64; 3] {
        [self.turn, i64::from(self.mirror), self.scale]
    }
}
