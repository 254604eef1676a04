//! Pieces of a drawing become a design: pipes, polygons, what joins them, ports.

use std::collections::{BTreeMap, BTreeSet};

use super::super::annotate::annotate;
use super::super::graph::error;
use super::super::{Imported, Options};
use super::cut::{Blob, Pieces, Pipe, Socket};
use super::read::Drawing;
use crate::design::{
    Component, Connection, DepthModel, Design, Dimension, Placement, Port, PortCondition, Sheets,
    Spanned, Value,
};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, Severity};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, Pascal, PascalSecond, Radian, print_length};

/// Depth of drawings that tell none, m.
const DEFAULT_DEPTH: f64 = 250e-6;
/// Water, Pa s.
const VISCOSITY: f64 = 1e-3;
/// At the first port of an island that nobody drives, Pa.
const ASSUMED_PRESSURE: f64 = 1e3;
/// What 3DuF calls features that nobody named.
const NAMELESS: &str = "New Feature";

pub(super) fn emit(
    drawing: &Drawing,
    pieces: &Pieces,
    name: &str,
    options: &Options,
    out: &mut Reporter,
) -> Option<Imported> {
    let names = hole_names(drawing);
    let mut design = empty(drawing, name, out);
    let mut socket_names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut cuts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut comments = BTreeMap::new();
    let mut driven = BTreeSet::new();
    let mut used_holes = BTreeSet::new();
    let mut n_kept = 0;
    for (members, holes) in pieces.islands() {
        if holes.len() < 2 {
            tell_left_out(pieces, &members, &holes, &names, out);
            continue;
        }
        n_kept += 1;
        for &k in &members {
            match k.checked_sub(pieces.pipes.len()) {
                None => add_pipe(
                    &mut design,
                    k,
                    &pieces.pipes[k],
                    &pieces.sockets,
                    &mut socket_names,
                ),
                Some(blob) => {
                    add_blob(
                        &mut design,
                        blob,
                        &pieces.blobs[blob],
                        &mut socket_names,
                        &mut cuts,
                    );
                }
            }
        }
        let first = holes.first().copied();
        for &hole in &holes {
            used_holes.insert(hole);
            let drive = options.drive.iter().find(|(port, _)| *port == names[hole]);
            let condition = match drive {
                Some((port, condition)) => {
                    driven.insert(port.clone());
                    *condition
                }
                None => {
                    let pressure = if Some(hole) == first {
                        ASSUMED_PRESSURE
                    } else {
                        0.0
                    };
                    PortCondition::Pressure(Pascal(pressure))
                }
            };
            let open: Vec<&String> = pieces
                .sockets
                .iter()
                .enumerate()
                .filter(|(_, socket)| socket.hole == Some(hole))
                .filter_map(|(k, _)| socket_names.get(&k)?.first())
                .collect();
            if open.len() > 1
                && matches!(
                    condition,
                    PortCondition::FlowRate(_) | PortCondition::FlowRatePerDepth(_)
                )
            {
                let message = format!(
                    "port `{}` is the end of {} channels: a flow rate can't be parted among them",
                    names[hole],
                    open.len()
                );
                let help = "give it a pressure";
                out.report(error("D329", Some("--drive".to_owned()), message, help));
            }
            for at in open {
                // One port may open several channels, also such of two islands.
                let is_free = |name: &String| design.ports.iter().all(|p| p.name.value != *name);
                let others = (2..).map(|k| format!("{}_{k}", names[hole]));
                let mut all = std::iter::once(names[hole].clone()).chain(others);
                let Some(name) = all.find(is_free) else {
                    continue;
                };
                if design.ports.iter().any(|port| port.at.value == *at) {
                    continue;
                }
                let mut comment = format!(
                    "at {:.3}, {:.3} mm of the drawing",
                    drawing.holes[hole].centre.x * 1e3,
                    -drawing.holes[hole].centre.y * 1e3
                );
                if drive.is_none() {
                    comment.push_str("; assumed");
                }
                comments.insert(("ports", name.clone()), comment);
                design.ports.push(Port {
                    name: Spanned::nowhere(name),
                    at: Spanned::nowhere(at.clone()),
                    condition: Spanned::nowhere(condition),
                });
            }
        }
    }
    for pair in inner_pairs(pieces, &socket_names).chain(cuts.into_values()) {
        if let Ok([a, b]) = <[String; 2]>::try_from(pair) {
            design.connections.push(Connection {
                a: Spanned::nowhere(a),
                b: Spanned::nowhere(b),
            });
        }
    }
    tell_unused(drawing, &used_holes, &names, &driven, options, out);
    if n_kept == 0 {
        let message = "no island of the flow layer has two ports: there is nothing to solve";
        let help = "ports are circles whose middle lies on a channel";
        out.report(error("D324", None, message.to_owned(), help));
        return None;
    }
    let head = vec![
        format!("From a drawing of 3DuF: {}", drawing.name),
        "Ports are the edges of their holes; arcs are polygons; y is upwards.".to_owned(),
    ];
    let text = annotate(&design, &head, &out.diagnostics, &comments);
    Some(Imported {
        design,
        text,
        dialect: "a drawing of 3DuF",
        path_length: None,
    })
}

/// The two names of every socket within an island: one of either piece that meets there.
fn inner_pairs<'a>(
    pieces: &'a Pieces,
    socket_names: &'a BTreeMap<usize, Vec<String>>,
) -> impl Iterator<Item = Vec<String>> + 'a {
    socket_names
        .iter()
        .filter(|(socket, _)| pieces.sockets[**socket].hole.is_none())
        .map(|(_, names)| names.clone())
}

/// What each port is called: its own name where it has one that no other has.
fn hole_names(drawing: &Drawing) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for hole in &drawing.holes {
        *counts.entry(hole.name.as_str()).or_default() += 1;
    }
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut taken = BTreeSet::new();
    (1..)
        .zip(&drawing.holes)
        .map(|(k, hole)| {
            let own: String = hole
                .name
                .chars()
                .take(40)
                .map(|c| if is_fine(c) { c } else { '_' })
                .collect();
            let is_own = hole.name != NAMELESS && counts[hole.name.as_str()] == 1;
            let begins = own.starts_with(|c: char| c.is_ascii_alphabetic());
            if is_own && begins && taken.insert(own.clone()) {
                return own;
            }
            let name = format!("port{k}");
            taken.insert(name.clone());
            name
        })
        .collect()
}

fn empty(drawing: &Drawing, name: &str, out: &mut Reporter) -> Design {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for depth in &drawing.depths {
        *counts.entry(depth.to_bits()).or_default() += 1;
    }
    let commonest = counts.iter().max_by_key(|(_, n)| **n);
    let depth = commonest.map_or(DEFAULT_DEPTH, |(bits, _)| f64::from_bits(*bits));
    let others: BTreeSet<String> = drawing
        .depths
        .iter()
        .filter(|d| (**d - depth).abs() > 1e-9 * depth)
        .map(|&d| print_length(d))
        .collect();
    if !others.is_empty() {
        let list = others.into_iter().take(8).collect::<Vec<_>>().join(", ");
        let message = format!(
            "channels of other depths ({list}) are given {}",
            print_length(depth)
        );
        warn("D326", message, "", out);
    }
    let narrowest = drawing.ducts.iter().map(|d| d.width);
    Design {
        parametric: Default::default(),
        species: Default::default(),
        groups: Vec::new(),
        overlays: Vec::new(),
        walls: Default::default(),
        name: name.to_owned(),
        title: Some(drawing.name.clone()).filter(|name| !name.is_empty()),
        viscosity: PascalSecond(VISCOSITY),
        density: None,
        model: DepthModel::Shallow,
        depth: Some(Metre(depth)),
        width: Metre(narrowest.fold(f64::INFINITY, f64::min).min(1e-1)),
        resolution: None,
        components: Vec::new(),
        channels: Vec::new(),
        connections: Vec::new(),
        links: Vec::new(),
        sheets: Sheets::default(),
        ports: Vec::new(),
    }
}

fn warn(code: &'static str, message: String, help: &str, out: &mut Reporter) {
    out.report(Diagnostic {
        severity: Severity::Warning,
        ..error(code, None, message, help)
    });
}

fn tell_left_out(
    pieces: &Pieces,
    members: &[usize],
    holes: &BTreeSet<usize>,
    names: &[String],
    out: &mut Reporter,
) {
    let n_pipes = pieces.pipes.len();
    let place = match members.first() {
        Some(&k) if k < n_pipes => pieces.sockets[pieces.pipes[k].sockets[0]].middle,
        Some(&k) => pieces.blobs[k - n_pipes].corners[0],
        None => return,
    };
    let with = match holes.first() {
        Some(&hole) => format!("one port, `{}`,", names[hole]),
        None => "no port".to_owned(),
    };
    let message = format!(
        "an island near {:.3}, {:.3} mm with {with} is left out ({} pieces)",
        place.x * 1e3,
        -place.y * 1e3,
        members.len()
    );
    warn("D324", message, "flow needs a way in and a way out", out);
}

fn tell_unused(
    drawing: &Drawing,
    used: &BTreeSet<usize>,
    names: &[String],
    driven: &BTreeSet<String>,
    options: &Options,
    out: &mut Reporter,
) {
    let unused: Vec<String> = (0..drawing.holes.len())
        .filter(|k| !used.contains(k))
        .map(|k| {
            let centre = drawing.holes[k].centre * 1e3;
            format!("{} ({:.3}, {:.3} mm)", names[k], centre.x, -centre.y)
        })
        .collect();
    if !unused.is_empty() {
        let message = format!(
            "{} ports open nothing that flows: {}",
            unused.len(),
            unused[..unused.len().min(8)].join(", ")
        );
        warn(
            "D324",
            message,
            "a port's middle lies on a channel of an island with another port",
            out,
        );
    }
    for (port, _) in options
        .drive
        .iter()
        .filter(|(port, _)| !driven.contains(port))
    {
        let message = format!("there is no port `{port}` to drive");
        let known: Vec<&str> = used.iter().map(|&k| names[k].as_str()).take(12).collect();
        let help = format!("its ports are {}", known.join(", "));
        out.report(error("D322", Some("--drive".to_owned()), message, &help));
    }
}

fn length(metres: f64) -> Value {
    Value::Quantity(metres, Dimension::Length)
}

fn component(
    name: &str,
    kind: &str,
    at: Point,
    rotation: f64,
    parameters: Vec<(&str, Value)>,
) -> Component {
    let nowhere = |text: &str| Spanned::nowhere(text.to_owned());
    Component {
        name: nowhere(name),
        kind: nowhere(kind),
        placement: Placement::Absolute {
            at,
            rotation: Radian(rotation),
            mirror: false,
        },
        parameters: parameters
            .into_iter()
            .map(|(name, value)| (nowhere(name), Spanned::nowhere(value)))
            .collect(),
        depth: None,
        dimensions: Vec::new(),
    }
}

fn add_pipe(
    design: &mut Design,
    k: usize,
    pipe: &Pipe,
    sockets: &[Socket],
    socket_names: &mut BTreeMap<usize, Vec<String>>,
) {
    let name = format!("c{}", k + 1);
    let [a, b] = pipe.sockets.map(|socket| sockets[socket]);
    let along = b.middle - a.middle;
    let parameters = vec![("length", length(along.norm())), ("width", length(a.width))];
    design.components.push(component(
        &name,
        "pipe",
        a.middle,
        along.angle(),
        parameters,
    ));
    for (socket, own_name) in pipe.sockets.into_iter().zip(["a", "b"]) {
        socket_names
            .entry(socket)
            .or_default()
            .push(format!("{name}.{own_name}"));
    }
}

fn add_blob(
    design: &mut Design,
    k: usize,
    blob: &Blob,
    socket_names: &mut BTreeMap<usize, Vec<String>>,
    cuts: &mut BTreeMap<usize, Vec<String>>,
) {
    let name = format!("s{}", k + 1);
    let origin = blob.corners[0];
    let corner = |&p: &Point| Value::List(vec![length(p.x - origin.x), length(p.y - origin.y)]);
    let edges: Vec<usize> = blob
        .sockets
        .iter()
        .chain(&blob.cuts)
        .map(|(_, first)| *first)
        .collect();
    let parameters = vec![
        (
            "points",
            Value::List(blob.corners.iter().map(corner).collect()),
        ),
        (
            "mouths",
            Value::List(
                edges
                    .iter()
                    .map(|&first| Value::Number((first + 1) as f64))
                    .collect(),
            ),
        ),
    ];
    design
        .components
        .push(component(&name, "polygon", origin, 0.0, parameters));
    for (j, (socket, _)) in blob.sockets.iter().enumerate() {
        socket_names
            .entry(*socket)
            .or_default()
            .push(format!("{name}.m{}", j + 1));
    }
    for (j, (cut, _)) in blob.cuts.iter().enumerate() {
        let socket = format!("{name}.m{}", blob.sockets.len() + j + 1);
        cuts.entry(*cut).or_default().push(socket);
    }
}
