//! Posts: islands of solid inside a polygon, which the fluid flows around.

use std::f64::consts::{PI, TAU};

use stokeslet_base::geometry::outline::{contains, signed_area};
use stokeslet_base::geometry::{Motion, Point};

/// A hole in the fluid of a [polygon](super::Shape::Polygon). Its walls hold the fluid, whatever the chip's other walls do.
#[derive(Clone, Debug, PartialEq)]
pub enum Hole {
    /// A round post.
    Circle {
        /// m, in the frame of the shape.
        centre: Point,
        /// m
        radius: f64,
    },
    /// A simple polygon, clockwise: the fluid is to the left of its edges, as it is of the outline's.
    Polygon(Vec<Point>),
}

impl Hole {
    /// The hole after a motion; still clockwise where that mirrors.
    pub fn moved(&self, motion: &Motion) -> Self {
        match self {
            Hole::Circle { centre, radius } => Hole::Circle {
                centre: motion.apply(*centre),
                radius: *radius,
            },
            Hole::Polygon(corners) => {
                let mut corners: Vec<Point> = corners.iter().map(|&p| motion.apply(p)).collect();
                if motion.mirror {
                    corners.reverse();
                }
                Hole::Polygon(corners)
            }
        }
    }

    /// The hole with all its lengths multiplied.
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            Hole::Circle { centre, radius } => Hole::Circle {
                centre: *centre * factor,
                radius: radius * factor,
            },
            Hole::Polygon(corners) => Hole::Polygon(corners.iter().map(|&p| p * factor).collect()),
        }
    }

    /// Area of the solid, m²; exact.
    pub fn area(&self) -> f64 {
        match self {
            Hole::Circle { radius, .. } => PI * radius * radius,
            Hole::Polygon(corners) => signed_area(corners).abs(),
        }
    }

    /// Length of its wall, m.
    pub fn perimeter(&self) -> f64 {
        match self {
            Hole::Circle { radius, .. } => TAU * radius,
            Hole::Polygon(corners) => {
                let next = corners.iter().cycle().skip(1);
                corners
                    .iter()
                    .zip(next)
                    .map(|(a, b)| (*b - *a).norm())
                    .sum()
            }
        }
    }

    /// Its corners, clockwise; a circle as that many chords with their ends on it, the first to the right of its centre.
    pub fn chords(&self, chords_a_turn: usize) -> Vec<Point> {
        match self {
            Hole::Circle { centre, radius } => {
                let n = chords_a_turn.max(3);
                let at = |k: usize| *centre + Point::unit(-TAU * k as f64 / n as f64) * *radius;
                (0..n).map(at).collect()
            }
            Hole::Polygon(corners) => corners.clone(),
        }
    }

    /// Whether a point is in the solid.
    pub fn contains(&self, p: Point) -> bool {
        match self {
            Hole::Circle { centre, radius } => (p - *centre).norm() < *radius,
            Hole::Polygon(corners) => contains(corners, p),
        }
    }

    /// Way from a point to its wall, whichever side it is on, m.
    pub fn distance_to_wall(&self, p: Point) -> f64 {
        self.distance_to(p, p).abs()
    }

    /// A place that names it to people: its centre, or the mean of its corners.
    pub fn middle(&self) -> Point {
        match self {
            Hole::Circle { centre, .. } => *centre,
            Hole::Polygon(corners) => {
                let sum = corners.iter().fold(Point::default(), |sum, &p| sum + p);
                sum * (1.0 / corners.len().max(1) as f64)
            }
        }
    }

    /// Way from its wall to a segment, m; below zero where a circle is crossed, zero where a polygon is.
    pub fn distance_to(&self, a: Point, b: Point) -> f64 {
        match self {
            Hole::Circle { centre, radius } => centre.distance_to_segment(a, b) - radius,
            Hole::Polygon(corners) => {
                let next = corners.iter().cycle().skip(1);
                let edges = corners.iter().zip(next);
                edges
                    .map(|(&p, &q)| between_segments((p, q), (a, b)))
                    .fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Way between the walls of two holes, m; not above zero where they meet or one holds the other.
    pub fn apart_from(&self, other: &Hole) -> f64 {
        match (self, other) {
            (
                Hole::Circle { centre, radius },
                Hole::Circle {
                    centre: c,
                    radius: r,
                },
            ) => (*c - *centre).norm() - radius - r,
            (Hole::Polygon(corners), _) => {
                if other.contains(corners[0]) || self.contains(other.wall_point()) {
                    return 0.0;
                }
                let next = corners.iter().cycle().skip(1);
                let edges = corners.iter().zip(next);
                edges
                    .map(|(&p, &q)| other.distance_to(p, q))
                    .fold(f64::INFINITY, f64::min)
            }
            (Hole::Circle { .. }, Hole::Polygon(_)) => other.apart_from(self),
        }
    }

    /// A point of its wall.
    fn wall_point(&self) -> Point {
        match self {
            Hole::Circle { centre, radius } => *centre + Point::new(*radius, 0.0),
            Hole::Polygon(corners) => corners.first().copied().unwrap_or_default(),
        }
    }

    /// The box around it, m.
    pub fn bounds(&self) -> (Point, Point) {
        match self {
            Hole::Circle { centre, radius } => {
                let r = Point::new(*radius, *radius);
                (*centre - r, *centre + r)
            }
            Hole::Polygon(corners) => stokeslet_base::geometry::outline::bounds(corners),
        }
    }
}

/// Way between two segments; zero where they cross.
fn between_segments((p, q): (Point, Point), (a, b): (Point, Point)) -> f64 {
    let side = |a: Point, b: Point, p: Point| (b - a).cross(p - a);
    if side(a, b, p) * side(a, b, q) < 0.0 && side(p, q, a) * side(p, q, b) < 0.0 {
        return 0.0;
    }
    let ends = [
        p.distance_to_segment(a, b),
        q.distance_to_segment(a, b),
        a.distance_to_segment(p, q),
        b.distance_to_segment(p, q),
    ];
    ends.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, y: f64, half: f64) -> Hole {
        let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
        let corners = corners.map(|(a, b)| Point::new(x + a * half, y + b * half));
        Hole::Polygon(corners.to_vec())
    }

    fn circle(x: f64, y: f64, radius: f64) -> Hole {
        Hole::Circle {
            centre: Point::new(x, y),
            radius,
        }
    }

    #[test]
    fn ways_between_holes_are_those_between_their_walls() {
        let (round, small) = (circle(0.0, 0.0, 1.0), square(3.0, 0.0, 0.5));
        assert_eq!(round.apart_from(&circle(0.0, 3.0, 0.5)), 1.5);
        assert_eq!(round.apart_from(&small), 1.5);
        assert_eq!(small.apart_from(&square(3.0, 2.0, 1.0)), 0.5);
        for inside in [circle(3.0, 0.0, 0.1), square(3.0, 0.1, 0.1)] {
            assert!(small.apart_from(&inside) <= 0.0);
            assert!(inside.apart_from(&small) <= 0.0);
        }
        let wall = (Point::new(-4.0, 0.9), Point::new(4.0, 0.9));
        assert!((round.distance_to(wall.0, wall.1) + 0.1).abs() < 1e-15);
        assert!((small.distance_to(wall.0, wall.1) - 0.4).abs() < 1e-15);
    }

    #[test]
    fn a_mirrored_hole_stays_clockwise() {
        let motion = Motion {
            angle: 0.3,
            mirror: true,
            translation: Point::new(1.0, 2.0),
        };
        let Hole::Polygon(corners) = square(1.0, 0.0, 0.5).moved(&motion) else {
            panic!("polygons stay polygons")
        };
        assert!((signed_area(&corners) + 1.0).abs() < 1e-14);
    }
}
