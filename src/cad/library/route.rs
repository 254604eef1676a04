//! A centre line through points becomes pipes and bends, for scripts that compose.

use std::f64::consts::PI;

use super::fault::{BAD_STRIP, error, error_with_help};
use super::junction::junction_outline;
use crate::shape::{Part, Shape, Strip, Walls};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::{Dimension, print_quantity};

/// Runs shorter than this many widths are none.
const NO_RUN: f64 = 1e-9;
/// Turns smaller than this (rad) are none.
const NO_TURN: f64 = 1e-9;
/// The sharpest mitred bend, rad.
const MAX_MITRE: f64 = 2.6;

/// How a route turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turn {
    /// Walls meet in corners.
    Mitred,
    /// Arcs of this radius of the centre line, m.
    Round(f64),
}

/// A bend at one point of the line.
struct Corner {
    /// Where the lines cross.
    at: Point,
    /// Direction before it.
    incoming: f64,
    /// Turn to the left, rad.
    angle: f64,
    /// Length that it takes of the runs beside it.
    reach: f64,
}

/// Cuts a centre line into parts, in order: socket 1 of each meets socket 0 of the next.
pub(super) fn route(points: &[Point], width: f64, turn: Turn) -> Result<Vec<Part>, Diagnostic> {
    if points.len() < 2 || !(width > 0.0 && width.is_finite()) {
        return Err(error(
            BAD_STRIP,
            "a route needs a positive width and at least 2 points",
        ));
    }
    let mut corners = Vec::new();
    for at in points.windows(3) {
        let (before, after) = (at[1] - at[0], at[2] - at[1]);
        let angle = before.cross(after).atan2(before.dot(after));
        if angle.abs() > NO_TURN {
            corners.push(Corner {
                at: at[1],
                incoming: before.angle(),
                angle,
                reach: reach(angle, width, turn)?,
            });
        }
    }
    let mut parts = Vec::new();
    let (mut from, mut taken) = (points[0], 0.0);
    let ends = corners.iter().map(|c| (c.at, c.reach, Some(c))).chain([(
        points[points.len() - 1],
        0.0,
        None,
    )]);
    for (at, reach, corner) in ends {
        let run = at - from;
        let length = run.norm() - taken - reach;
        if length < -NO_RUN * width {
            let message = format!(
                "the route needs {} for its bends between ({}) and ({}), but there is only {}",
                show(taken + reach),
                show_point(from),
                show_point(at),
                show(run.norm())
            );
            return Err(error_with_help(
                BAD_STRIP,
                message,
                "make the run longer, or the bends' radius or the width smaller",
            ));
        }
        if length > NO_RUN * width {
            let strip = Strip::Straight {
                length,
                width_start: width,
                width_end: width,
            };
            let start = from + run.normalized() * taken;
            parts.push(part(
                parts.len(),
                "pipe",
                Shape::Strip(strip),
                Motion::new(run.angle(), start),
            ));
        }
        if let Some(corner) = corner {
            bend(
                corner,
                width,
                turn,
                length.abs() <= NO_RUN * width,
                &mut parts,
            )?;
        }
        (from, taken) = (at, reach);
    }
    Ok(parts)
}

fn show(x: f64) -> String {
    print_quantity(x, Dimension::Length)
}

fn show_point(p: Point) -> String {
    format!("{}, {}", show(p.x), show(p.y))
}

fn part(index: usize, kind: &str, shape: Shape, motion: Motion) -> Part {
    Part {
        name: format!("{kind}{}", index + 1),
        shape,
        motion,
        walls: Walls::default(),
        depth: None,
    }
}

/// A left turn from heading +x, and its socket's distance from the corner.
fn mitre(angle: f64, width: f64) -> Result<(Shape, f64), Diagnostic> {
    if angle > MAX_MITRE {
        return Err(error_with_help(
            BAD_STRIP,
            format!("a mitred bend can't turn by {:.1} deg", angle.to_degrees()),
            "use round bends, or turn in two steps",
        ));
    }
    let outline = junction_outline(&[(PI, width), (angle, width)])
        .map_err(|e| error(BAD_STRIP, e.to_string()))?;
    Ok((
        Shape::Polygon {
            corners: outline.corners,
            sockets: outline.sockets,
            holes: Vec::new(),
        },
        outline.reaches[0],
    ))
}

fn reach(angle: f64, width: f64, turn: Turn) -> Result<f64, Diagnostic> {
    match turn {
        Turn::Mitred => mitre(angle.abs(), width).map(|(_, reach)| reach),
        Turn::Round(radius)
            if radius > width / 2.0 && radius.is_finite() && angle.abs() < PI - NO_TURN =>
        {
            // tan(pi / 4) isn't quite 1.
            let right = (angle.abs() - PI / 2.0).abs() < NO_TURN;
            Ok(if right {
                radius
            } else {
                radius * (angle.abs() / 2.0).tan()
            })
        }
        Turn::Round(radius) => Err(error(
            BAD_STRIP,
            format!(
                "a round bend of radius {} and width {} can't turn by {:.1} deg",
                show(radius),
                show(width),
                angle.to_degrees()
            ),
        )),
    }
}

/// Adds a bend; two arcs in a row that turn the same way become one.
fn bend(
    corner: &Corner,
    width: f64,
    turn: Turn,
    adjoins: bool,
    parts: &mut Vec<Part>,
) -> Result<(), Diagnostic> {
    let mirror = corner.angle < 0.0;
    let heading = Point::unit(corner.incoming);
    match turn {
        Turn::Mitred => {
            let (shape, _) = mitre(corner.angle.abs(), width)?;
            let motion = Motion {
                angle: corner.incoming,
                mirror,
                translation: corner.at,
            };
            parts.push(part(parts.len(), "bend", shape, motion));
        }
        Turn::Round(radius) => {
            if let Some(Part {
                shape: Shape::Strip(Strip::Arc { angle, .. }),
                motion,
                ..
            }) = parts.last_mut()
                && adjoins
                && motion.mirror == mirror
                && *angle + corner.angle.abs() < 1.9 * PI
            {
                *angle += corner.angle.abs();
                return Ok(());
            }
            let strip = Strip::Arc {
                radius,
                angle: corner.angle.abs(),
                width,
            };
            let motion = Motion {
                angle: corner.incoming,
                mirror,
                translation: corner.at - heading * corner.reach,
            };
            parts.push(part(parts.len(), "arc", Shape::Strip(strip), motion));
        }
    }
    Ok(())
}
