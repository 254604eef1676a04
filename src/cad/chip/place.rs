//! A design and a way to realise its components become a placed, connected, checked chip.
//!
//! Mistakes are collected, never thrown at the first; what depends on something broken is skipped in silence, so that one
//! mistake gives one message. Codes:
//!
//! | code | mistake |
//! | --- | --- |
//! | D201 | a channel and a component of one name |
//! | D202, D203 | unknown component or socket |
//! | D204 | components placed in a circle |
//! | D205 | a position that is no number or too far out |
//! | D206 | too many parts |
//! | D207 | a depth is needed |
//! | D208 | not of the form `component.socket` |
//! | D210 | a channel's run of length zero |
//! | D211 | a channel does not leave along its socket's direction |
//! | D212, D213 | a channel folds back; a run is too short for its bends |
//! | D214, D215 | a channel as wide as its sockets it is not; too small a radius |
//! | D216 | a channel that leads nowhere |
//! | D220, D221, D222 | sockets that meet disagree in place, direction, width |
//! | D223 | a socket connected twice, or to itself |
//! | D224, D225 | a port on a connected socket; two ports on one socket |
//! | D226 | sockets lie on each other but aren't connected |
//! | D230 | parts overlap |
//! | D231 | a socket is left dangling (warning) |
//! | D232, D233, D234 | a connected component without a port; flow rates out of balance; no port at all |
//! | D330 | `[sheets]` names no component or channel, or one twice |
//! | D331 | a link too short or too long for its width |
//! | D332 | a library whose `bend` a link can't use |
//! | D333 | a link of length zero that joins nothing |
//! | D235 | a shallow chip with channels narrower than deep (warning) |
//! | D238 | a component, channel or link with a depth of its own in the full model, or in a chip without a depth |
//! | D236 | a planar chip in which nothing holds back the flow: all walls slip |
//! | D239 | a dimension of what is no length or angle among a component's parameters (warning) |
//! | D237 | a wall between channels that is too thin to be meant (warning; `cad::rules`) |

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assembly::{Assembly, facing, normalise, socket_after};
use super::channel::route;
use super::connect::{Joint, connect, find_socket, sockets_help};
use super::fault::{abridge, error, show_length};
use super::layout::Layout;
use super::links::place_links;
use super::{Chip, Port, check, overlap, sheets};
use crate::design::{Component, Design, Placement, Spanned};
use crate::library::{Library, ParameterKind, Realisation};
use crate::shape::{Connection, SocketRef};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, nearest};
use stokeslet_base::geometry::Motion;

/// More leaves than this are refused: the plan alone would not fit a workstation.
pub const MAX_PARTS: usize = 200_000;

/// Positions farther out than this many widths can't be kept to the 1e-9 widths that canonical shapes are compared by.
const FARTHEST_IN_WIDTHS: f64 = 1e6;

/// Fills in a component's definition: the library's part in placement. Equal components may share what they are.
pub type Realise<'a> = dyn Fn(&Component) -> Result<Arc<Realisation>, Vec<Diagnostic>> + 'a;

/// Places a design with the components of a library; see [`place_with`].
pub fn place(design: &Design, library: &Library) -> (Option<Chip>, Vec<Diagnostic>) {
    let (chip, mut diagnostics) = place_with(design, &|component: &Component| {
        let defaults = design.defaults_of(component);
        library.realise(&component.kind.value, &component.parameters, &defaults)
    });
    diagnostics.extend(strange_dimensions(design, library));
    (chip, diagnostics)
}

/// Dimensions that nothing can be written for.
fn strange_dimensions(design: &Design, library: &Library) -> Vec<Diagnostic> {
    let components = design.components.iter();
    let named = components.flat_map(|c| c.dimensions.iter().map(move |d| (c, d)));
    // Copies of one entry have one place in the file.
    let mut told = BTreeSet::new();
    let named = named.filter(|(_, d)| d.span.is_empty() || told.insert((d.span.start, d.span.end)));
    let strange = named.filter_map(|(component, dimension)| {
        let definition = library.get(&component.kind.value)?;
        let measured = || {
            let all = definition.parameters.iter();
            all.filter(|p| matches!(p.kind, ParameterKind::Length | ParameterKind::Angle))
                .map(|p| p.name.as_str())
        };
        if measured().any(|name| name == dimension.value) {
            return None;
        }
        let (name, of) = (&component.name.value, &dimension.value);
        let message = format!("component `{name}` has no length or angle `{of}` to be written");
        let names: Vec<&str> = measured().collect();
        let help = match nearest(&dimension.value, measured()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "remove it: it has none".to_owned(),
            None => format!("it has {}", names.join(", ")),
        };
        let warning = Diagnostic::warning("D239", message);
        Some(warning.at(dimension.span.clone()).with_help(help))
    });
    strange.collect()
}

/// Realises, places and connects a design, and checks the result.
///
/// Returns the chip where no diagnostic is an error. Positions that follow from attachments are exact to about 1e-15 of
/// their distance from the origin per attachment.
/// # Accuracy and cost
/// n log n in the number of parts; a thousand parts take two milliseconds.
pub fn place_with(design: &Design, realise: &Realise) -> (Option<Chip>, Vec<Diagnostic>) {
    let (assembly, complete, ports, out) = assemble(design, realise);
    let chip = (complete && !out.has_errors()).then(|| Chip {
        name: design.name.clone(),
        viscosity: design.viscosity.0,
        model: design.model,
        depth: design.depth.map(|depth| depth.0),
        parts: assembly.parts,
        connections: assembly
            .joints
            .into_iter()
            .map(|joint| joint.connection)
            .collect(),
        ports,
    });
    (chip, out.diagnostics)
}

/// Places a design as far as it can be, for those who draw it.
///
/// Broken components are missing from it, and what hangs on them; the diagnostics say why. What it shows is what [`place`]
/// would give, mistakes or none.
pub fn lay_out(design: &Design, library: &Library) -> Layout {
    let realise = |component: &Component| {
        let defaults = design.defaults_of(component);
        library.realise(&component.kind.value, &component.parameters, &defaults)
    };
    let (assembly, complete, ports, mut out) = assemble(design, &realise);
    out.diagnostics.extend(strange_dimensions(design, library));
    Layout::new(design, assembly, ports, complete, out)
}

/// What is placed, whether that is everything, the ports, and all mistakes.
fn assemble<'d>(
    design: &'d Design,
    realise: &Realise,
) -> (Assembly<'d>, bool, Vec<Port>, Reporter) {
    let mut out = Reporter::default();
    let mut assembly = Assembly {
        walls: design.walls,
        ..Assembly::default()
    };
    let complete = place_items(design, realise, &mut assembly, &mut out);
    let complete = place_links(design, realise, &mut assembly, &mut out) && complete;
    let complete = sheets::assign(design, &mut assembly, &mut out) && complete;
    connect(design, &mut assembly, &mut out);
    let ports = check::ports(design, &assembly, complete, &mut out);
    overlap::check(&assembly, &mut out);
    (assembly, complete, ports, out)
}

/// Places components and channels, each after those that it hangs on. False where something could not be placed.
fn place_items<'d>(
    design: &'d Design,
    realise: &Realise,
    assembly: &mut Assembly<'d>,
    out: &mut Reporter,
) -> bool {
    let n_components = design.components.len();
    let components = design.components.iter().map(|c| &c.name);
    let names: Vec<&Spanned<String>> = components
        .chain(design.channels.iter().map(|c| &c.name))
        .collect();
    assembly.names.clone_from(&names);
    let mut items: FxHashMap<&str, usize> = FxHashMap::default();
    items.reserve(names.len());
    let mut broken = vec![false; names.len()];
    for (k, name) in names.iter().enumerate() {
        if items.insert(&name.value, k).is_some() {
            let message = format!(
                "the name `{}` is taken by another component or channel",
                name.value
            );
            out.report(error(
                "D201",
                &name.span,
                &name.value,
                message,
                Some("names are unique in a design".to_owned()),
            ));
            broken[k] = true;
        }
    }

    let mut needs: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for k in 0..names.len() {
        for reference in references(design, k) {
            match owner_of(reference, &items, &names, &names[k].value) {
                Ok(item) => needs[k].push(item),
                Err(diagnostic) => {
                    out.report(diagnostic);
                    broken[k] = true;
                }
            }
        }
    }
    for k in order(&needs, &names, &mut broken, out) {
        if broken[k] || needs[k].iter().any(|&item| broken[item]) {
            broken[k] = true;
            continue;
        }
        let placed = if k < n_components {
            place_component(&design.components[k], k, realise, assembly)
        } else {
            place_channel(design, k - n_components, k, assembly)
        };
        let placed = placed.and_then(|()| check_positions(k, assembly));
        if let Err(faults) = placed {
            out.diagnostics.extend(faults);
            broken[k] = true;
        }
        if assembly.parts.len() > MAX_PARTS {
            let message = format!("the chip has more than {MAX_PARTS} parts");
            let help = Some(
                "split the design, or look for a repetition count that is too large".to_owned(),
            );
            out.report(error(
                "D206",
                &names[k].span,
                &names[k].value,
                message,
                help,
            ));
            return false;
        }
    }
    !broken.contains(&true)
}

/// The sockets that an item's place follows from.
fn references(design: &Design, item: usize) -> Vec<&Spanned<String>> {
    match design.components.get(item) {
        Some(component) => match &component.placement {
            Placement::Absolute { .. } => Vec::new(),
            Placement::Attached(attachment) => vec![&attachment.to],
        },
        None => {
            let channel = &design.channels[item - design.components.len()];
            std::iter::once(&channel.from).chain(&channel.to).collect()
        }
    }
}

/// The item that a `component.socket` belongs to.
fn owner_of(
    reference: &Spanned<String>,
    items: &FxHashMap<&str, usize>,
    names: &[&Spanned<String>],
    asking: &str,
) -> Result<usize, Diagnostic> {
    let Some((component, _)) = reference.value.rsplit_once('.') else {
        let message = format!("`{}` names no socket", reference.value);
        let help = Some("sockets are written `component.socket`".to_owned());
        return Err(error("D208", &reference.span, asking, message, help));
    };
    items.get(component).copied().ok_or_else(|| {
        let help = nearest(component, names.iter().map(|name| name.value.as_str()))
            .map(|name| format!("did you mean `{name}`?"));
        error(
            "D202",
            &reference.span,
            asking,
            format!("there is no component or channel `{component}`"),
            help,
        )
    })
}

/// An order in which every item follows those that it needs (first come, first placed); circles are reported and broken.
fn order(
    needs: &[Vec<usize>],
    names: &[&Spanned<String>],
    broken: &mut [bool],
    out: &mut Reporter,
) -> Vec<usize> {
    let mut waiting: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (k, items) in needs.iter().enumerate() {
        for &item in items {
            needed_by[item].push(k);
        }
    }
    let mut ready: Vec<usize> = (0..needs.len()).filter(|&k| waiting[k] == 0).collect();
    let mut next = 0;
    while next < ready.len() {
        for &k in &needed_by[ready[next]] {
            waiting[k] -= 1;
            if waiting[k] == 0 {
                ready.push(k);
            }
        }
        next += 1;
    }
    // What is left waits for a circle: from any of it, walking what it needs runs into one.
    let mut seen = vec![usize::MAX; needs.len()];
    for start in (0..needs.len()).filter(|&k| waiting[k] > 0) {
        let (mut path, mut k) = (Vec::new(), start);
        while seen[k] == usize::MAX {
            seen[k] = start;
            path.push(k);
            k = *needs[k]
                .iter()
                .find(|&&item| waiting[item] > 0)
                .expect("an item waits only for items that wait");
        }
        if seen[k] == start {
            let from = path
                .iter()
                .position(|&item| item == k)
                .expect("the walk met its own path");
            let circle: Vec<String> = path[from..]
                .iter()
                .chain([&k])
                .map(|&item| format!("`{}`", names[item].value))
                .collect();
            let message = format!(
                "no place follows from a circle of attachments: {}",
                abridge(&circle, " hangs on ")
            );
            let help = Some("give one of them a position: `at = [x, y]`".to_owned());
            out.report(error(
                "D204",
                &names[k].span,
                &names[k].value,
                message,
                help,
            ));
        }
        broken[start] = true;
    }
    ready
}

fn place_component(
    component: &Component,
    item: usize,
    realise: &Realise,
    assembly: &mut Assembly,
) -> Result<(), Vec<Diagnostic>> {
    let name = &component.name.value;
    let realisation = realise(component).map_err(|mut faults| {
        for fault in &mut faults {
            fault.place.span.get_or_insert(component.kind.span.clone());
            fault.place.component.get_or_insert(name.clone());
        }
        faults
    })?;
    let motion = match &component.placement {
        Placement::Absolute {
            at,
            rotation,
            mirror,
        } => Motion {
            angle: normalise(rotation.0),
            mirror: *mirror,
            translation: *at,
        },
        Placement::Attached(attachment) => {
            let own = realisation
                .sockets
                .iter()
                .find(|(socket, _)| *socket == attachment.socket.value);
            let Some((_, own)) = own else {
                let help = sockets_help(
                    &attachment.socket.value,
                    realisation.sockets.iter().map(|s| &*s.0),
                );
                let message = format!(
                    "`{name}` ({}) has no socket `{}`",
                    component.kind.value, attachment.socket.value
                );
                return Err(vec![error(
                    "D203",
                    &attachment.socket.span,
                    name,
                    message,
                    help,
                )]);
            };
            let target = find_socket(&attachment.to, name, assembly)?;
            let part = &realisation.parts[own.part];
            let socket = socket_after(&part.motion, &part.shape.sockets()[own.socket]);
            let target = assembly.geometry(target);
            facing(&socket, &target, attachment.mirror)
        }
    };
    let first = assembly.parts.len();
    assembly.add(
        item,
        &motion,
        (&realisation.parts, component.depth.map(|depth| depth.0)),
        &realisation.connections,
        &component.name.span,
    );
    let shifted = |at: &SocketRef| SocketRef {
        part: first + at.part,
        socket: at.socket,
    };
    let sockets = realisation.sockets.iter();
    assembly.name_sockets(item, sockets.map(|(name, at)| (name.as_str(), shifted(at))));
    if let Placement::Attached(attachment) = &component.placement {
        let own = assembly.socket(name, &attachment.socket.value);
        let connection = Connection {
            a: own.expect("its socket was found before"),
            b: find_socket(&attachment.to, name, assembly)?,
        };
        assembly.joints.push(Joint {
            connection,
            span: attachment.to.span.clone(),
            is_free: false,
        });
    }
    Ok(())
}

fn place_channel(
    design: &Design,
    index: usize,
    item: usize,
    assembly: &mut Assembly,
) -> Result<(), Vec<Diagnostic>> {
    let channel = &design.channels[index];
    let name = &channel.name.value;
    if let Some(via) = channel
        .via
        .iter()
        .find(|via| !(via.value.x.is_finite() && via.value.y.is_finite()))
    {
        return Err(vec![error(
            "D205",
            &via.span,
            name,
            "the way-point is not a number".to_owned(),
            None,
        )]);
    }
    let from = find_socket(&channel.from, name, assembly);
    let to = channel
        .to
        .as_ref()
        .map(|to| find_socket(to, name, assembly))
        .transpose();
    let (from, to) = match (from, to) {
        (Ok(from), Ok(to)) => (from, to),
        (from, to) => {
            return Err([from.err(), to.err()]
                .into_iter()
                .flatten()
                .flatten()
                .collect());
        }
    };
    let route = route(
        channel,
        &assembly.geometry(from),
        to.map(|to| assembly.geometry(to)).as_ref(),
    )?;
    let first = assembly.parts.len();
    let last = first + route.parts.len() - 1;
    assembly.add(
        item,
        &Motion::IDENTITY,
        (&route.parts, channel.depth.map(|depth| depth.0)),
        &route.connections,
        &channel.name.span,
    );
    let (start, end) = (
        SocketRef {
            part: first,
            socket: 0,
        },
        SocketRef {
            part: last,
            socket: 1,
        },
    );
    assembly.name_sockets(item, [("start", start), ("end", end)]);
    let mut join = |a, b, span: &Range<usize>| {
        assembly.joints.push(Joint {
            connection: Connection { a, b },
            span: span.clone(),
            is_free: false,
        });
    };
    join(from, start, &channel.from.span);
    if let (Some(to), Some(name)) = (to, &channel.to) {
        join(end, to, &name.span);
    }
    Ok(())
}

/// The newest item's sockets have numbers for places and widths, and are near enough for their places to be exact.
pub(super) fn check_positions(item: usize, assembly: &Assembly) -> Result<(), Vec<Diagnostic>> {
    let mine = assembly
        .owners
        .iter()
        .rposition(|&owner| owner != item)
        .map_or(0, |k| k + 1);
    for socket in assembly.part_sockets[mine..].iter().flatten() {
        let farthest = FARTHEST_IN_WIDTHS * socket.width;
        let at = socket.middle;
        if !(at.x.abs() <= farthest
            && at.y.abs() <= farthest
            && socket.width > 0.0
            && socket.direction.is_finite())
        {
            let name = assembly.names[item];
            let message = format!(
                "`{}` reaches ({}, {}), too far out",
                name.value,
                show_length(at.x),
                show_length(at.y)
            );
            let help = format!(
                "positions stay within {FARTHEST_IN_WIDTHS:.0} channel widths of the origin"
            );
            return Err(vec![error(
                "D205",
                &name.span,
                &name.value,
                message,
                Some(help),
            )]);
        }
    }
    Ok(())
}
