//! A channel drawn through way-points becomes pipes and bends.
//!
//! Straight runs become [`Strip::Straight`] parts, corners become mitred polygons or [`Strip::Arc`] parts. A right turn is
//! the mirrored left turn, so that both share one canonical shape. Nothing is added to what was drawn: a run too short for
//! its bends, or one that does not leave along the socket's direction, is reported.

use std::f64::consts::PI;
use std::ops::Range;

use super::assembly::normalise;
use super::fault::{error, show_angle, show_length};
use crate::shape::{Connection, Part, Shape, Socket, SocketRef, Strip, Walls};

use crate::design::{Bend, Channel};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Metre;

/// Places agree within this part of the width.
pub const PLACE_TOLERANCE: f64 = 1e-6;
/// Directions agree within this, rad: half a width away from a socket's middle it is a displacement below [`PLACE_TOLERANCE`].
pub const DIRECTION_TOLERANCE: f64 = 1e-6;
/// A mitred bend turns at most this far, rad: the outer corner of a sharper one is a spike that no mesh resolves.
const SHARPEST_MITRE: f64 = 5.0 * PI / 6.0;
/// Below this turn, rad, a bend is not cut back to its inner corner; no round number of degrees, so that rounding never decides.
const GENTLE_TURN: f64 = 0.75;

/// The parts of one channel, in the chip's frame; indices count from the channel's first part.
#[derive(Debug)]
pub(super) struct Route {
    /// From start to end; named below the channel, empty where there is one part only.
    pub parts: Vec<Part>,
    /// Between them.
    pub connections: Vec<Connection>,
}

/// A corner of the channel's centre line.
struct Corner {
    /// Turned to the left, rad; negative to the right.
    turn: f64,
    /// Length of straight run that the bend takes on either side, m.
    reach: f64,
}

/// The parts of a channel between two placed sockets, in the chip's frame: what [`super::place()`] would make of it.
///
/// # Errors
/// One diagnostic (D210 to D216) per mistake.
pub fn channel_parts(
    channel: &Channel,
    from: &Socket,
    to: Option<&Socket>,
) -> Result<Vec<Part>, Vec<Diagnostic>> {
    route(channel, from, to).map(|route| route.parts)
}

/// Cuts a channel into parts.
///
/// # Shapes and units
/// - `from`, `to`: sockets in the chip's frame, directions outward of their components; without `to` the last way-point ends it
/// - `default_width`: m, where neither the channel nor its first socket says
/// # Errors
/// One diagnostic (D210 to D216, see [`super::place()`]) per mistake.
pub(super) fn route(
    channel: &Channel,
    from: &Socket,
    to: Option<&Socket>,
) -> Result<Route, Vec<Diagnostic>> {
    let width = channel.width.unwrap_or(Metre(from.width)).0;
    let fault = |code, span: &Range<usize>, message: String, help: &str| {
        error(
            code,
            span,
            &channel.name.value,
            message,
            Some(help.to_owned()),
        )
    };
    check_widths(channel, width, from, to)?;

    let mut points = vec![(from.middle, channel.from.span.clone())];
    points.extend(channel.via.iter().map(|via| (via.value, via.span.clone())));
    match (to, &channel.to) {
        (Some(socket), Some(name)) => points.push((socket.middle, name.span.clone())),
        _ if channel.via.is_empty() => {
            return Err(vec![fault(
                "D216",
                &channel.name.span,
                format!(
                    "channel `{}` leads nowhere: it has neither `to` nor way-points",
                    channel.name.value
                ),
                "give `to = \"component.socket\"`, or `via` with at least one point",
            )]);
        }
        _ => {}
    }

    let mut faults = Vec::new();
    for pair in points.windows(2) {
        if (pair[1].0 - pair[0].0).norm() <= PLACE_TOLERANCE * width {
            faults.push(fault(
                "D210",
                &pair[1].1,
                format!("channel `{}` has a run of length zero here", channel.name.value),
                "two points in a row are the same; remove one, or join the two sockets under [connections]",
            ));
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    drop_collinear(&mut points, width);

    let directions: Vec<f64> = points
        .windows(2)
        .map(|pair| normalise((pair[1].0 - pair[0].0).angle()))
        .collect();
    check_ends(channel, from, to, &points, &directions, &mut faults);
    let corners = corners(channel, width, &points, &directions, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut runs = Vec::with_capacity(directions.len());
    for (k, pair) in points.windows(2).enumerate() {
        let taken = corners[k].reach + corners[k + 1].reach;
        let run = (pair[1].0 - pair[0].0).norm() - taken;
        if run < -PLACE_TOLERANCE * width {
            faults.push(fault(
                "D213",
                &pair[1].1,
                format!(
                    "run {} of channel `{}` is {} long, but the bends at its ends take {}",
                    k + 1,
                    channel.name.value,
                    show_length(run + taken),
                    show_length(taken)
                ),
                "move the way-points apart, or turn with a smaller radius",
            ));
        }
        runs.push(run);
    }
    if faults.is_empty() {
        Ok(assemble(
            channel,
            width,
            &points,
            &directions,
            &corners,
            &runs,
        ))
    } else {
        Err(faults)
    }
}

fn check_widths(
    channel: &Channel,
    width: f64,
    from: &Socket,
    to: Option<&Socket>,
) -> Result<(), Vec<Diagnostic>> {
    let ends = [(Some(from), Some(&channel.from)), (to, channel.to.as_ref())];
    let faults: Vec<_> = ends
        .into_iter()
        .filter_map(|(socket, name)| Some((socket?, name?)))
        .filter(|(socket, _)| (socket.width - width).abs() > PLACE_TOLERANCE * width)
        .map(|(socket, name)| {
            error(
                "D214",
                &name.span,
                &channel.name.value,
                format!(
                    "channel `{}` is {} wide, but socket `{}` is {} wide",
                    channel.name.value,
                    show_length(width),
                    name.value,
                    show_length(socket.width)
                ),
                Some(
                    "channels keep their width; put a `taper` or `step` component between"
                        .to_owned(),
                ),
            )
        })
        .collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

/// Drops way-points that lie on the line between their neighbours, where the channel goes on in the same direction.
fn drop_collinear(points: &mut Vec<(Point, Range<usize>)>, width: f64) {
    let mut kept: Vec<(Point, Range<usize>)> = Vec::with_capacity(points.len());
    for (k, point) in points.iter().enumerate() {
        if let (Some(before), Some(after)) = (kept.last(), points.get(k + 1)) {
            let chord = after.0 - before.0;
            let (along, across) = (
                chord.dot(point.0 - before.0),
                chord.cross(point.0 - before.0),
            );
            let on_the_way = along > 0.0 && along < chord.dot(chord);
            if on_the_way && across.abs() <= PLACE_TOLERANCE * width * chord.norm() {
                continue;
            }
        }
        kept.push(point.clone());
    }
    *points = kept;
}

/// The first run leaves along its socket's direction, the last one arrives against it.
fn check_ends(
    channel: &Channel,
    from: &Socket,
    to: Option<&Socket>,
    points: &[(Point, Range<usize>)],
    directions: &[f64],
    faults: &mut Vec<Diagnostic>,
) {
    let n = points.len();
    let ends = [
        (
            Some(from),
            Some(&channel.from),
            directions[0],
            &points[1],
            "leaves",
            "first",
        ),
        (
            to,
            channel.to.as_ref(),
            directions[n - 2] + PI,
            &points[n - 2],
            "reaches",
            "last",
        ),
    ];
    for (socket, name, direction, next, verb, which) in ends {
        let (Some(socket), Some(name)) = (socket, name) else {
            continue;
        };
        if normalise(direction - socket.direction).abs() <= DIRECTION_TOLERANCE {
            continue;
        }
        let axis = Point::unit(socket.direction);
        let ahead = axis.dot(next.0 - socket.middle);
        let help = if ahead > 0.0 {
            let fit = socket.middle + axis * ahead;
            format!(
                "the {which} way-point has to lie on the socket's axis, such as [\"{}\", \"{}\"]",
                show_length(fit.x),
                show_length(fit.y)
            )
        } else {
            format!("the socket looks the other way: put the {which} way-point in front of it")
        };
        faults.push(error(
            "D211",
            &name.span,
            &channel.name.value,
            format!(
                "channel `{}` {verb} socket `{}` at {}, but the socket looks along {}",
                channel.name.value,
                name.value,
                show_angle(direction),
                show_angle(socket.direction)
            ),
            Some(help),
        ));
    }
}

/// Turn and reach at every point; both ends have none.
fn corners(
    channel: &Channel,
    width: f64,
    points: &[(Point, Range<usize>)],
    directions: &[f64],
    faults: &mut Vec<Diagnostic>,
) -> Vec<Corner> {
    let none = || Corner {
        turn: 0.0,
        reach: 0.0,
    };
    let mut corners = vec![none()];
    for k in 1..directions.len() {
        let turn = normalise(directions[k] - directions[k - 1]);
        let sharpest = if channel.bend == Bend::Mitred {
            SHARPEST_MITRE
        } else {
            PI - 1e-3
        };
        if turn.abs() > sharpest {
            let (span, name) = (&points[k].1, &channel.name.value);
            let message = format!(
                "channel `{name}` folds back here: it turns by {}",
                show_angle(turn.abs())
            );
            let help = match channel.bend {
                Bend::Mitred => {
                    "a mitred bend turns at most 150 deg; use two way-points or `bend = \"round\"`"
                }
                Bend::Round(_) => "use two way-points for a U-turn",
            };
            faults.push(error("D212", span, name, message, Some(help.to_owned())));
            corners.push(none());
            continue;
        }
        let reach = match channel.bend {
            Bend::Round(Metre(radius)) => radius * (turn.abs() / 2.0).tan(),
            Bend::Mitred => mitre_reach(width, turn.abs()),
        };
        corners.push(Corner { turn, reach });
    }
    corners.push(none());
    if let Bend::Round(Metre(radius)) = channel.bend
        && corners.len() > 2
        && radius <= width * 0.5 * (1.0 + PLACE_TOLERANCE)
    {
        let message = format!(
            "channel `{}` turns with radius {}, not more than half its width of {}",
            channel.name.value,
            show_length(radius),
            show_length(width)
        );
        let help = Some(
            "the radius is that of the centre line; it has to exceed half the width".to_owned(),
        );
        faults.push(error(
            "D215",
            &channel.name.span,
            &channel.name.value,
            message,
            help,
        ));
    }
    corners
}

/// Straight run, m, that a mitred bend of `turn` (rad, positive) takes on either side.
///
/// A sharp bend is cut back to its inner corner, where both sockets meet (the square of a right angle); a gentle one would be
/// a needle there, so it takes half a width.
fn mitre_reach(width: f64, turn: f64) -> f64 {
    if turn < GENTLE_TURN {
        width * 0.5
    } else {
        width * 0.5 * tan_half(turn)
    }
}

/// tan(turn / 2), exact at a right angle.
fn tan_half(turn: f64) -> f64 {
    if (turn - PI / 2.0).abs() < 1e-12 {
        1.0
    } else {
        (turn / 2.0).tan()
    }
}

/// A mitred bend to the left: from the origin along +x, then turned by `turn` (rad, positive).
fn mitre(width: f64, turn: f64) -> Shape {
    let (half, reach, to_corner) = (
        width / 2.0,
        mitre_reach(width, turn),
        width / 2.0 * tan_half(turn),
    );
    let along = Point::unit(turn);
    let end = Point::new(reach, 0.0) + along * reach;
    let (outer, inner) = (
        Point::new(reach + to_corner, -half),
        Point::new(reach - to_corner, half),
    );
    let mut corners = vec![
        Point::new(0.0, half),
        Point::new(0.0, -half),
        outer,
        end - along.left() * half,
    ];
    if reach > to_corner {
        corners.extend([end + along.left() * half, inner]);
    }
    Shape::Polygon {
        corners,
        sockets: vec![0, 3],
        holes: Vec::new(),
    }
}

fn assemble(
    channel: &Channel,
    width: f64,
    points: &[(Point, Range<usize>)],
    directions: &[f64],
    corners: &[Corner],
    runs: &[f64],
) -> Route {
    let mut parts = Vec::with_capacity(2 * runs.len());
    let mut push = |name: String, shape, angle, mirror, translation| {
        parts.push(Part {
            name,
            shape,
            motion: Motion {
                angle,
                mirror,
                translation,
            },
            walls: Walls::default(),
            depth: None,
        });
    };
    for k in 0..runs.len() {
        let (angle, axis) = (directions[k], Point::unit(directions[k]));
        // Without a run left, the bends at its two ends meet directly.
        if runs[k] > PLACE_TOLERANCE * width {
            let shape = Strip::Straight {
                length: runs[k],
                width_start: width,
                width_end: width,
            };
            let start = points[k].0 + axis * corners[k].reach;
            push(
                format!("pipe{}", k + 1),
                Shape::Strip(shape),
                angle,
                false,
                start,
            );
        }
        let corner = &corners[k + 1];
        if k + 1 < runs.len() {
            let turn = corner.turn.abs();
            let shape = match channel.bend {
                Bend::Mitred => mitre(width, turn),
                Bend::Round(Metre(radius)) => Shape::Strip(Strip::Arc {
                    radius,
                    angle: turn,
                    width,
                }),
            };
            let start = points[k + 1].0 - axis * corner.reach;
            push(
                format!("bend{}", k + 1),
                shape,
                angle,
                corner.turn < 0.0,
                start,
            );
        }
    }
    if let [only] = &mut parts[..] {
        only.name.clear();
    }
    let joined = |k| Connection {
        a: SocketRef {
            part: k - 1,
            socket: 1,
        },
        b: SocketRef { part: k, socket: 0 },
    };
    let connections = (1..parts.len()).map(joined).collect();
    Route { parts, connections }
}
