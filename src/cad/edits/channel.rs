//! A drawn channel: ends and way-points into a channel that leaves along its sockets, with tees, tapers and steps where they are needed.

use super::ChannelEnd;
use super::auto_route::{RouteEnd, RouteTask, auto_route};
use super::crossing::{Drawn, with_crosses};
use super::draft::Draft;
use super::free_start::free_start;
use super::keep_lines::keep_lines;
use super::names::Names;
use super::obstacles::Obstacles;
use super::ports::check_free;
use super::sockets::{Sockets, meet, owner, same_width, tidy_point};
use super::tee;
use super::widths::put_joint;
use super::{Drawing, Refusal};
use crate::chip::channel_parts;
use crate::design::{Bend, Channel, Edit, Spanned};
use crate::shape::Socket;
use stokeslet_base::geometry::Point;

/// Draws a channel; where it crosses a straight run as wide at right angles, a `cross` joins them. Returns its name (or that of the component that does instead, where a straight pipe or a connection will do).
///
/// It is as wide as the socket that it starts from; a joint goes to the other end where that is wider or narrower. Way-points are
/// shifted where sockets look elsewhere; without any, the shortest way is taken. From a socket with a port into empty space, the
/// port moves to the new end.
/// # Errors
/// A [`Refusal`] that says which end is in the way, or that nothing fits.
pub fn channel(
    drawing: &Drawing<'_>,
    from: &ChannelEnd,
    to: &ChannelEnd,
    via: &[Point],
    bend: Bend,
) -> Result<(Vec<Edit>, String), Refusal> {
    let finite = |p: &Point| p.x.is_finite() && p.y.is_finite();
    if !via.iter().all(finite) {
        return Err(Refusal::NoWay);
    }
    match (from, to) {
        (ChannelEnd::Free(start), ChannelEnd::Free(end)) => {
            between_nothing(drawing, *start, *end, via, bend)
        }
        (ChannelEnd::Free(_), _) => {
            let via: Vec<Point> = via.iter().rev().copied().collect();
            between(drawing, to, from, &via, bend)
        }
        _ => between(drawing, from, to, via, bend),
    }
}

/// A pipe in empty space, and a channel from it where there are way-points.
fn between_nothing(
    drawing: &Drawing<'_>,
    start: Point,
    end: Point,
    via: &[Point],
    bend: Bend,
) -> Result<(Vec<Edit>, String), Refusal> {
    let mut draft = Draft::of(drawing);
    let width = draft.design.width.0;
    let mut points = vec![start];
    points.extend(via);
    points.push(end);
    let points: Vec<Point> = points.iter().map(|&p| tidy_point(p, width)).collect();
    let drawn = Drawn {
        from: None,
        to: None,
        points: &points,
        width,
        bend,
    };
    if let Some(name) = with_crosses(&mut draft, &drawn) {
        return Ok((draft.settled(), name));
    }
    let mut names = Names::of_items(&draft.design);
    let made = free_start(&draft, &mut names, &points, width, bend);
    let (pipe, rest) = made.ok_or(Refusal::NoWay)?;
    let mut name = pipe.name.value.clone();
    draft.design.components.push(pipe);
    if let Some(rest) = rest {
        let sockets = draft.lay_out();
        let from = Sockets::of(&sockets).geometry(&rest.from.value);
        let from = from.ok_or(Refusal::NoWay)?;
        if let Err(faults) = channel_parts(&rest, &from, None) {
            return Err(faults
                .into_iter()
                .next()
                .map_or(Refusal::NoWay, Refusal::channel));
        }
        name = rest.name.value.clone();
        draft.design.channels.push(rest);
    }
    Ok((draft.settled(), name))
}

fn between(
    drawing: &Drawing<'_>,
    from: &ChannelEnd,
    to: &ChannelEnd,
    via: &[Point],
    bend: Bend,
) -> Result<(Vec<Edit>, String), Refusal> {
    let mut draft = Draft::of(drawing);
    let first_toward = via.first().copied().or_else(|| place_of(drawing, to));
    let last_toward = via.last().copied().or_else(|| place_of(drawing, from));
    let ends_free = matches!(to, ChannelEnd::Free(_));
    let from_name = end_socket(&mut draft, from, first_toward, !ends_free)?;
    let from_name = from_name.ok_or(Refusal::NoWay)?;
    let mut to_name = end_socket(&mut draft, to, last_toward, true)?;
    // A tee in the pipe that one end is a socket of may have left that socket to another piece.
    let from_name = draft.called(from_name);
    to_name = to_name.map(|name| draft.called(name));
    if to_name.as_ref() == Some(&from_name) {
        return Err(Refusal::SameEnd);
    }
    let mut layout = draft.lay_out();
    let socket_of = |sockets: &Sockets<'_>, name: &String| {
        let socket = sockets.geometry(name);
        socket.ok_or_else(|| Refusal::NoSocket(name.clone()))
    };
    let sockets = Sockets::of(&layout);
    let from_socket = socket_of(&sockets, &from_name)?;
    let mut to_socket = match &to_name {
        Some(name) => Some(socket_of(&sockets, name)?),
        None => None,
    };
    if let (Some(name), Some(socket)) = (&to_name, to_socket) {
        if meet(&from_socket, &socket) {
            draft.connect(&from_name, name);
            return Ok((draft.edits(), owner(name).to_owned()));
        }
        if !same_width(socket.width, from_socket.width) {
            let fitted = put_joint(
                &mut draft,
                name,
                socket.width,
                &from_name,
                from_socket.width,
            )?;
            layout = draft.lay_out();
            to_socket = Some(socket_of(&Sockets::of(&layout), &fitted)?);
            to_name = Some(fitted);
        }
    }
    let name = Names::of_items(&draft.design).fresh("channel");
    let mut new = Channel {
        name: Spanned::nowhere(name.clone()),
        from: Spanned::nowhere(from_name.clone()),
        to: to_name.map(Spanned::nowhere),
        via: Vec::new(),
        width: None,
        bend,
        depth: None,
    };
    let mut points = via.to_vec();
    if let ChannelEnd::Free(end) = to {
        points.push(*end);
    }
    let obstacles = Obstacles::of(&layout);
    let via = way_points(&new, &from_socket, to_socket.as_ref(), &points, &obstacles)?;
    let mut middle_line = vec![from_socket.middle];
    middle_line.extend(&via);
    middle_line.extend(to_socket.map(|socket| socket.middle));
    let drawn = Drawn {
        from: Some(from_name.clone()),
        to: new.to.as_ref().map(|to| to.value.clone()),
        points: &middle_line,
        width: from_socket.width,
        bend,
    };
    let name = match with_crosses(&mut draft, &drawn) {
        Some(last) => last,
        None => {
            new.via = via.into_iter().map(Spanned::nowhere).collect();
            draft.design.channels.push(new);
            name
        }
    };
    if ends_free {
        let end = format!("{name}.end");
        for port in &mut draft.design.ports {
            if port.at.value == from_name {
                port.at.value.clone_from(&end);
            }
        }
    }
    Ok((draft.settled(), name))
}

/// Where an end is, before tees go in.
fn place_of(drawing: &Drawing<'_>, end: &ChannelEnd) -> Option<Point> {
    match end {
        ChannelEnd::Socket(name) => {
            let socket = Sockets::of(drawing.layout).geometry(name)?;
            Some(socket.middle)
        }
        ChannelEnd::OnPipe { at, .. } => Some(*at),
        ChannelEnd::Free(at) => Some(*at),
    }
}

/// The socket of an end; a tee is inserted for it where it is on a pipe. `None` in empty space.
fn end_socket(
    draft: &mut Draft<'_>,
    end: &ChannelEnd,
    toward: Option<Point>,
    needs_no_port: bool,
) -> Result<Option<String>, Refusal> {
    match end {
        ChannelEnd::Free(_) => Ok(None),
        ChannelEnd::Socket(name) => match check_free(&draft.from, name) {
            Err(Refusal::HasPort { .. }) if !needs_no_port => Ok(Some(name.clone())),
            Err(refusal) => Err(refusal),
            Ok(()) => Ok(Some(name.clone())),
        },
        ChannelEnd::OnPipe { item, at } => {
            let layout = draft.lay_out();
            let pieces = tee::pieces(draft, item);
            let piece = tee::nearest_piece(&layout, &pieces, *at);
            let piece = piece.ok_or_else(|| Refusal::NoItem(item.clone()))?;
            let toward = toward.unwrap_or(*at);
            tee::insert(draft, &layout, &piece, *at, toward).map(Some)
        }
    }
}

/// The user's way-points as they are, or shifted on to the sockets' axes, or with short runs of the sockets' own; else the shortest
/// way. A free end is the last of `via`.
fn way_points(
    channel: &Channel,
    from: &Socket,
    to: Option<&Socket>,
    via: &[Point],
    obstacles: &Obstacles,
) -> Result<Vec<Point>, Refusal> {
    let task = RouteTask {
        from: *from,
        to: match (to, via.last()) {
            (Some(to), _) => RouteEnd::Socket(*to),
            (None, Some(end)) => RouteEnd::Free(*end),
            (None, None) => return Err(Refusal::NoWay),
        },
        width: from.width,
        bend: channel.bend,
    };
    let is_drawn = via.len() > usize::from(to.is_none());
    let mut candidates: Vec<Vec<Point>> = Vec::new();
    if is_drawn || to.is_none() {
        candidates.push(via.to_vec());
    }
    if is_drawn {
        candidates.extend(keep_lines(from, to, via));
        candidates.push(on_axes(from, to, via));
        candidates.push(with_stubs(&task, via));
    }
    for via in candidates {
        let via: Vec<Point> = via.iter().map(|&p| tidy_point(p, from.width)).collect();
        let mut channel = channel.clone();
        channel.via = via.iter().copied().map(Spanned::nowhere).collect();
        if channel_parts(&channel, from, to).is_ok() {
            return Ok(via);
        }
    }
    auto_route(&task, obstacles).ok_or(Refusal::NoWay)
}

/// The first and last way-point on their socket's axis.
fn on_axes(from: &Socket, to: Option<&Socket>, via: &[Point]) -> Vec<Point> {
    let mut via = via.to_vec();
    let project = |socket: &Socket, p: Point| {
        let axis = Point::unit(socket.direction);
        socket.middle + axis * axis.dot(p - socket.middle)
    };
    if let Some(first) = via.first_mut() {
        *first = project(from, *first);
    }
    if let (Some(to), Some(last)) = (to, via.last_mut()) {
        *last = project(to, *last);
    }
    via
}

/// The way-points as they are, and a short run before and after them along the sockets' axes.
fn with_stubs(task: &RouteTask, via: &[Point]) -> Vec<Point> {
    let run = task.reach(std::f64::consts::FRAC_PI_2) + task.width / 2.0;
    let ahead = |socket: &Socket| socket.middle + Point::unit(socket.direction) * run;
    let mut points = vec![ahead(&task.from)];
    points.extend(via);
    if let RouteEnd::Socket(to) = &task.to {
        points.push(ahead(to));
    }
    points
}
