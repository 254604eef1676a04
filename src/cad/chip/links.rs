//! Links: straight pipes off the drawing, joined to sockets wherever these are.
//!
//! A pipe is the same wherever it lies, and the solver takes shapes from their own frames. So a link is a part like any other, laid in rows
//! below the drawing for pictures and fields, and the joints at its ends are free: checked for width, not for place and direction. What
//! makes a joint free is that its sockets don't lie on each other; nobody else need be told.

use rustc_hash::FxHashSet;

use super::assembly::{Assembly, facing, socket_after};
use super::connect::{Joint, find_socket};
use super::fault::{error, show_length};
use super::overlap::bounds_of;
use super::place::{MAX_PARTS, Realise, check_positions};
use crate::design::{Component, Design, Dimension, Link, Placement, Spanned, Value};
use crate::shape::{Connection, Part, Shape, SocketRef, Strip, Walls};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Radian;

/// Shortest and longest link, in its widths: those of the component `pipe`.
const LENGTHS_IN_WIDTHS: (f64, f64) = (0.01, 1e5);
/// Between rows of links and links of a row, in the widest link's widths.
const GAP_IN_WIDTHS: f64 = 2.0;

/// Adds the design's links to what is placed. False where one could not be.
pub(super) fn place_links<'d>(
    design: &'d Design,
    realise: &Realise,
    assembly: &mut Assembly<'d>,
    out: &mut Reporter,
) -> bool {
    if design.links.is_empty() {
        return true;
    }
    let first = assembly.names.len();
    let mut taken: FxHashSet<&str> = assembly.names.iter().map(|n| n.value.as_str()).collect();
    let names = design.links.iter().map(|link| &link.name);
    assembly.names.extend(names);
    assembly.links = first..assembly.names.len();
    let mut complete = true;
    let mut routes: Vec<Option<Route>> = Vec::with_capacity(design.links.len());
    // Widths follow from components and channels, or from a link before this one.
    for (k, link) in design.links.iter().enumerate() {
        let made = if taken.insert(&link.name.value) {
            make(design, link, realise, assembly)
        } else {
            let message = format!(
                "the name `{}` is taken by another component, channel or link",
                link.name.value
            );
            let help = Some("names are unique in a design".to_owned());
            Err(vec![error(
                "D201",
                &link.name.span,
                &link.name.value,
                message,
                help,
            )])
        };
        let made = made.map_err(|faults| out.diagnostics.extend(faults)).ok();
        let n_parts: usize = routes.iter().flatten().map(|r| r.parts.len()).sum();
        if assembly.parts.len() + n_parts > MAX_PARTS {
            let message = format!("the chip has more than {MAX_PARTS} parts");
            let help = Some("split the design, or use fewer bends in its links".to_owned());
            out.report(error(
                "D206",
                &link.name.span,
                &link.name.value,
                message,
                help,
            ));
            return false;
        }
        complete &= made.is_some();
        if let Some(route) = &made {
            assembly.link_widths.insert(first + k, route.width);
        }
        routes.push(made);
    }
    lay(&routes, first, design, assembly, out, &mut complete);
    for (link, route) in design.links.iter().zip(&routes) {
        let Some(route) = route else { continue };
        if let Err(faults) = join(link, route, assembly) {
            out.diagnostics.extend(faults);
            complete = false;
        }
    }
    complete
}

/// The parts of a link in its own frame, along x.
struct Route {
    parts: Vec<Part>,
    width: f64,
}

fn make(
    design: &Design,
    link: &Link,
    realise: &Realise,
    assembly: &Assembly,
) -> Result<Route, Vec<Diagnostic>> {
    let name = &link.name.value;
    let width = match link.width {
        Some(width) => width.0,
        None => width_at(link, assembly).unwrap_or(design.width.0),
    };
    let length = link.length.0;
    let (least, greatest) = LENGTHS_IN_WIDTHS;
    if length != 0.0 && !(least * width..=greatest * width).contains(&length) {
        let message = format!(
            "link `{name}` is {} long and {} wide",
            show_length(length),
            show_length(width)
        );
        let help = format!(
            "a link is {least} to {greatest:.0} widths long; \"0 mm\" joins its sockets directly"
        );
        return Err(vec![error(
            "D331",
            &link.name.span,
            name,
            message,
            Some(help),
        )]);
    }
    let mut route = Route {
        parts: Vec::new(),
        width,
    };
    let halves = if link.bends == 0 { 1 } else { 2 };
    for half in 0..halves {
        if length > 0.0 {
            let pipe = Shape::Strip(Strip::Straight {
                length: length / f64::from(halves),
                width_start: width,
                width_end: width,
            });
            append(&mut route.parts, pipe, Motion::IDENTITY, (0, 1), false);
        }
        for k in 0..link.bends * u32::from(half + 1 < halves) {
            let bend = realise(&bend_of(link, width)).map_err(|mut faults| {
                for fault in &mut faults {
                    fault.place.span.get_or_insert(link.name.span.clone());
                    fault.place.component.get_or_insert(name.clone());
                }
                faults
            })?;
            let at = |socket: &str| bend.sockets.iter().find(|(n, _)| n == socket).map(|s| s.1);
            let ([part], Some(a), Some(b)) = (&bend.parts[..], at("a"), at("b")) else {
                let message = "the library's `bend` is not one part with sockets `a` and `b`";
                let message = message.to_owned();
                return Err(vec![error("D332", &link.name.span, name, message, None)]);
            };
            let mirror = k % 2 == 1;
            append(
                &mut route.parts,
                part.shape.clone(),
                part.motion,
                (a.socket, b.socket),
                mirror,
            );
        }
    }
    if route.parts.is_empty() && (link.from.is_none() || link.to.is_none()) {
        let message = format!("link `{name}` has no length, and joins nothing");
        let help = Some("give `from` and `to`, or a `length`".to_owned());
        return Err(vec![error("D333", &link.name.span, name, message, help)]);
    }
    Ok(route)
}

/// The width of the socket that a link starts from, or else ends in.
fn width_at(link: &Link, assembly: &Assembly) -> Option<f64> {
    let mut ends = [&link.from, &link.to].into_iter().flatten();
    ends.find_map(|end| {
        let (component, socket) = end.value.rsplit_once('.')?;
        if let Some(found) = assembly.socket(component, socket) {
            return Some(assembly.geometry(found).width);
        }
        let item = assembly.links.clone();
        let item = item
            .into_iter()
            .find(|&k| assembly.names[k].value == component)?;
        assembly.link_widths.get(&item).copied()
    })
}

fn bend_of(link: &Link, width: f64) -> Component {
    let width = Value::Quantity(width, Dimension::Length);
    let span = link.name.span.clone();
    let at = |value: &str| Spanned {
        value: value.to_owned(),
        span: span.clone(),
    };
    Component {
        name: link.name.clone(),
        kind: at("bend"),
        placement: Placement::Absolute {
            at: Point::default(),
            rotation: Radian(0.0),
            mirror: false,
        },
        parameters: vec![(
            at("width"),
            Spanned {
                value: width,
                span: span.clone(),
            },
        )],
        depth: link.depth,
        dimensions: Vec::new(),
    }
}

/// Puts a part's socket `ends.0` on the open end of the parts so far; `ends.1` is the new open end.
fn append(parts: &mut Vec<Part>, shape: Shape, own: Motion, ends: (usize, usize), mirror: bool) {
    let sockets = shape.sockets();
    let motion = match parts.last() {
        None => own,
        Some(last) => {
            let open = last.name.parse().unwrap_or(1_usize);
            let target = socket_after(&last.motion, &last.shape.sockets()[open]);
            let turned = socket_after(&own, &sockets[ends.0]);
            facing(&turned, &target, mirror).after(&own)
        }
    };
    // The name keeps which sockets are the ends until the parts are added.
    parts.push(Part {
        name: ends.1.to_string(),
        shape,
        motion,
        walls: Walls::default(),
        depth: None,
    });
}

/// Lays the links in rows below the drawing.
fn lay(
    routes: &[Option<Route>],
    first: usize,
    design: &Design,
    assembly: &mut Assembly,
    out: &mut Reporter,
    complete: &mut bool,
) {
    let boxes: Vec<Option<(Point, Point)>> = routes
        .iter()
        .map(|route| bounds_of(&route.as_ref()?.parts))
        .collect();
    let drawing = bounds_of(&assembly.parts).unwrap_or_default();
    let widest = routes.iter().flatten().map(|r| r.width).fold(0.0, f64::max);
    let gap = GAP_IN_WIDTHS * widest;
    let longest = boxes
        .iter()
        .flatten()
        .map(|b| b.1.x - b.0.x)
        .fold(0.0, f64::max);
    let row = (drawing.1.x - drawing.0.x).max(longest) * (1.0 + 1e-9);
    let (mut x, mut top, mut lowest) = (0.0, drawing.0.y - gap, 0.0_f64);
    for (k, (route, bounds)) in routes.iter().zip(&boxes).enumerate() {
        let (Some(route), Some((low, high))) = (route, bounds) else {
            continue;
        };
        let size = *high - *low;
        if x > 0.0 && x + size.x > row {
            (x, top, lowest) = (0.0, top - lowest - gap, 0.0);
        }
        let motion = Motion {
            translation: Point::new(drawing.0.x + x, top - size.y) - *low,
            ..Motion::IDENTITY
        };
        x += size.x + gap;
        lowest = lowest.max(size.y);
        let name = &design.links[k].name;
        let item = first + k;
        let start = assembly.parts.len();
        let is_bend = |part: &Part| !matches!(part.shape, Shape::Strip(_));
        let open: Vec<usize> = route
            .parts
            .iter()
            .map(|p| p.name.parse().unwrap_or(1))
            .collect();
        let mut named = route.parts.clone();
        for (j, part) in named.iter_mut().enumerate() {
            part.name = match (route.parts.len(), is_bend(part)) {
                (1, _) => String::new(),
                (_, true) => format!("bend{j}"),
                (_, false) => format!("pipe{}", 1 + j.min(1)),
            };
        }
        // A part has two sockets: what isn't its open end is its start.
        let inner: Vec<Connection> = (1..named.len())
            .map(|j| Connection {
                a: SocketRef {
                    part: j - 1,
                    socket: open[j - 1],
                },
                b: SocketRef {
                    part: j,
                    socket: 1 - open[j],
                },
            })
            .collect();
        let depth = design.links[k].depth.map(|depth| depth.0);
        assembly.add(item, &motion, (&named, depth), &inner, &name.span);
        let ends = [
            SocketRef {
                part: start,
                socket: 1 - open[0],
            },
            SocketRef {
                part: assembly.parts.len() - 1,
                socket: open[open.len() - 1],
            },
        ];
        assembly.name_sockets(item, [("start", ends[0]), ("end", ends[1])]);
        if let Err(faults) = check_positions(item, assembly) {
            out.diagnostics.extend(faults);
            *complete = false;
        }
    }
}

/// Joins a link's ends to the sockets that it names.
fn join(link: &Link, route: &Route, assembly: &mut Assembly) -> Result<(), Vec<Diagnostic>> {
    let name = &link.name.value;
    let mut faults = Vec::new();
    let mut found = [None, None];
    for (found, end) in found.iter_mut().zip([&link.from, &link.to]) {
        let Some(end) = end else { continue };
        match find_socket(end, name, assembly) {
            Ok(socket) => *found = Some((socket, end.span.clone())),
            Err(more) => faults.extend(more),
        }
    }
    if found.iter().flatten().count() < [&link.from, &link.to].into_iter().flatten().count() {
        return Err(faults);
    }
    let own = ["start", "end"].map(|socket| assembly.socket(name, socket));
    let pairs = match (found, route.parts.is_empty()) {
        ([Some((a, span)), Some((b, _))], true) => vec![(a, b, span)],
        (found, _) => own
            .into_iter()
            .zip(found)
            .filter_map(|(own, found)| found.and_then(|(at, span)| Some((own?, at, span))))
            .collect(),
    };
    let joints = pairs.into_iter().map(|(a, b, span)| Joint {
        connection: Connection { a, b },
        span,
        is_free: true,
    });
    assembly.joints.extend(joints);
    Ok(())
}
