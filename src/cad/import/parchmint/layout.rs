//! Components and links of a design in the making: names, steps between widths, and places beside each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::graph::error;
use super::entity::Device;
use crate::chip::lay_out;
use crate::design::{
    Attachment, Component, DepthModel, Design, Dimension, Link, Placement, Sheets, Spanned, Value,
};
use crate::library::{Defaults, Library, Realisation, boundary};
use stokeslet_base::diagnostic::Reporter;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, PascalSecond, Radian};

/// Greatest ratio of widths that one step bridges.
const STEP_RATIO: f64 = 8.0;
/// Shortest link that is not zero, in widths.
const SHORTEST: f64 = 0.0100001;
/// Between components, in the widest width.
const GAP: f64 = 2.0;

/// Components that lie together: the first, and what is attached to it.
struct Group {
    /// Place in the file.
    place: String,
    members: Vec<usize>,
}

struct Draft {
    width: f64,
    depth: Option<f64>,
    length: f64,
    ends: [Option<String>; 2],
    /// Whether an end meets a component's socket itself: only such links may have no length.
    is_firm: [bool; 2],
}

/// A design in the making.
pub(super) struct Drawing<'l> {
    /// What is added now has this depth, m; without one, the chip's.
    pub depth: Option<f64>,
    library: &'l Library,
    defaults: Defaults,
    names: BTreeSet<String>,
    components: Vec<Component>,
    groups: Vec<Group>,
    /// Groups of the components that stand for one of the netlist.
    group_of: BTreeMap<String, usize>,
    realised: BTreeMap<String, Arc<Realisation>>,
    links: Vec<(String, Draft)>,
    by_name: BTreeMap<String, usize>,
    /// By section and name.
    comments: BTreeMap<(&'static str, String), String>,
}

/// Letters, digits, `_` and `-` only.
pub(super) fn well_formed(name: &str) -> String {
    let replaced: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .take(60)
        .collect();
    if replaced.is_empty() {
        "unnamed".to_owned()
    } else {
        replaced
    }
}

/// The name, or with the first number that makes it new.
pub(super) fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut found = name.to_owned();
    let mut k = 2;
    while !taken.insert(found.clone()) {
        found = format!("{name}_{k}");
        k += 1;
    }
    found
}

fn quantity(metres: f64) -> Value {
    Value::Quantity(metres, Dimension::Length)
}

impl<'l> Drawing<'l> {
    pub fn new(library: &'l Library, width: f64, depth: f64) -> Self {
        Self {
            depth: None,
            library,
            defaults: Defaults {
                width,
                depth: Some(depth),
            },
            names: BTreeSet::new(),
            components: Vec::new(),
            groups: Vec::new(),
            group_of: BTreeMap::new(),
            realised: BTreeMap::new(),
            links: Vec::new(),
            by_name: BTreeMap::new(),
            comments: BTreeMap::new(),
        }
    }

    /// What what is added now gets from the chip.
    fn own(&self) -> Defaults {
        Defaults {
            depth: self.depth.or(self.defaults.depth),
            ..self.defaults
        }
    }

    /// A name that nothing has; the original goes into a comment where it had to be changed.
    pub fn fresh_name(&mut self, original: &str, section: &'static str) -> String {
        let name = unique(&well_formed(original), &mut self.names);
        if name != original {
            self.comments
                .insert((section, name.clone()), original.to_owned());
        }
        name
    }

    pub fn add_link(&mut self, name: &str, width: f64, length: f64) {
        self.by_name.insert(name.to_owned(), self.links.len());
        let draft = Draft {
            width,
            depth: self.depth,
            length,
            ends: [None, None],
            is_firm: [false; 2],
        };
        self.links.push((name.to_owned(), draft));
    }

    /// Joins an end of a link to a socket of its width.
    pub fn end_link(&mut self, (link, end): (&str, usize), socket: &str) {
        if let Some((_, draft)) = self.by_name.get(link).and_then(|&k| self.links.get_mut(k)) {
            draft.ends[end] = Some(socket.to_owned());
            draft.is_firm[end] = true;
        }
    }

    /// The width of `component.socket`, m.
    pub fn socket_width(&self, at: &str) -> Option<f64> {
        let (component, socket) = at.rsplit_once('.')?;
        let realised = self.realised.get(component)?;
        let (_, found) = realised.sockets.iter().find(|(name, _)| name == socket)?;
        Some(realised.parts[found.part].shape.sockets()[found.socket].width)
    }

    fn add(
        &mut self,
        name: String,
        kind: &str,
        parameters: Vec<(&str, Value)>,
        placement: Placement,
    ) -> usize {
        let nowhere = |text: &str| Spanned::nowhere(text.to_owned());
        let parameters: Vec<_> = parameters
            .into_iter()
            .map(|(name, value)| (nowhere(name), Spanned::nowhere(value)))
            .collect();
        if let Ok(realised) = self.library.realise(kind, &parameters, &self.own()) {
            self.realised.insert(name.clone(), realised);
        }
        self.components.push(Component {
            name: Spanned::nowhere(name),
            kind: nowhere(kind),
            placement,
            parameters,
            depth: self.depth.map(Metre),
            dimensions: Vec::new(),
        });
        self.components.len() - 1
    }

    fn alone(&mut self, name: &str, kind: &str, parameters: Vec<(&str, Value)>) -> String {
        let name = self.fresh_name(name, "components");
        let k = self.add(name.clone(), kind, parameters, at(Point::default()));
        self.groups.push(Group {
            place: name.clone(),
            members: vec![k],
        });
        name
    }

    /// The components that stand for one of the netlist; `None` where the library refuses their parameters (reported).
    pub fn device(
        &mut self,
        name: &str,
        device: &Device,
        place: &str,
        out: &mut Reporter,
    ) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for part in &device.parts {
            let name = self.fresh_name(&format!("{name}{}", part.suffix), "components");
            let k = self.add(
                name.clone(),
                part.kind,
                part.parameters.clone(),
                at(Point::default()),
            );
            if !self.realised.contains_key(&name) {
                let component = &self.components[k];
                let faults = self
                    .library
                    .realise(part.kind, &component.parameters, &self.own());
                for fault in faults.err().into_iter().flatten() {
                    let message =
                        format!("`{name}` can't be made: {} ({})", fault.message, fault.code);
                    out.report(error(
                        "D329",
                        Some(place.to_owned()),
                        message,
                        fault.help.as_deref().unwrap_or(""),
                    ));
                }
                return None;
            }
            self.group_of.insert(name.clone(), self.groups.len());
            self.groups.push(Group {
                place: place.to_owned(),
                members: vec![k],
            });
            names.push(name);
        }
        Some(names)
    }

    /// Channels of these widths that meet in a point, evenly round it.
    pub fn junction(&mut self, name: &str, widths: &[f64]) -> String {
        let turn = std::f64::consts::TAU / widths.len() as f64;
        let angle = |k: usize| Value::Quantity(turn * k as f64, Dimension::Angle);
        let directions = Value::List((0..widths.len()).map(angle).collect());
        let widths = Value::List(widths.iter().map(|&w| quantity(w)).collect());
        self.alone(
            name,
            "junction",
            vec![("directions", directions), ("widths", widths)],
        )
    }

    pub fn closed_end(&mut self, name: &str, width: f64) -> String {
        self.alone(name, "closed_end", vec![("width", quantity(width))])
    }

    /// Joins an end of a link to a socket of any width: by a step where they differ, by two where they differ much.
    pub fn end_at_socket(
        &mut self,
        link: (&str, usize),
        width: f64,
        socket: &str,
        socket_width: f64,
    ) {
        let owner = socket.rsplit_once('.').map(|(owner, _)| owner);
        let group = owner.and_then(|owner| self.group_of.get(owner).copied());
        let mut socket = socket.to_owned();
        for (from, to) in steps(socket_width, width) {
            let name = self.fresh_name(&format!("{}_step", link.0), "steps");
            let attachment = Attachment {
                socket: Spanned::nowhere("a".to_owned()),
                to: Spanned::nowhere(socket),
                mirror: false,
            };
            let k = self.add(
                name.clone(),
                "step",
                step(from, to),
                Placement::Attached(attachment),
            );
            if let Some(group) = group {
                self.groups[group].members.push(k);
            }
            socket = format!("{name}.b");
        }
        self.end_link(link, &socket);
    }

    /// Joins two links end to end.
    pub fn join(&mut self, name: &str, a: (&str, usize), b: (&str, usize), widths: [f64; 2]) {
        let mut socket = format!("{}.{}", a.0, ["start", "end"][a.1]);
        let mut open = a;
        let mut last: Option<String> = None;
        for (from, to) in steps(widths[0], widths[1]) {
            let step = self.alone(&format!("{name}_step"), "step", step(from, to));
            match last.take() {
                None => self.end_link(open, &format!("{step}.a")),
                Some(before) => {
                    // Two steps in a row: a link without length between them.
                    let link = self.fresh_name(&format!("{step}_joint"), "links");
                    self.add_link(&link, from, 0.0);
                    self.end_link((&link, 0), &before);
                    self.end_link((&link, 1), &format!("{step}.a"));
                }
            }
            socket = format!("{step}.b");
            last = Some(socket.clone());
            open = b;
        }
        let is_firm = last.is_some();
        if let Some((_, draft)) = self.by_name.get(b.0).and_then(|&k| self.links.get_mut(k)) {
            draft.ends[b.1] = Some(socket);
            draft.is_firm[b.1] = is_firm;
        }
    }

    /// Links that stay open, or meet links, have some length.
    pub fn finish_links(&mut self, _out: &mut Reporter) {
        for (_, draft) in &mut self.links {
            let least = SHORTEST * draft.width;
            if draft.length < least {
                draft.length = if draft.is_firm == [true; 2] {
                    0.0
                } else {
                    least
                };
            }
        }
    }

    /// Lays all groups beside each other, in rows.
    pub fn pack(&mut self, out: &mut Reporter) {
        let mut boxes = Vec::new();
        let mut k = 0;
        while k < self.groups.len() {
            match self.bounds(k, out) {
                Some(bounds) => boxes.push(bounds),
                None => {
                    // Its steps run into each other: they lie elsewhere, joined by links without length.
                    self.take_apart(k);
                    let bounds = self.bounds(k, out);
                    boxes.push(bounds.unwrap_or_default());
                }
            }
            k += 1;
        }
        let widths = self.links.iter().map(|(_, draft)| draft.width);
        let gap = GAP * widths.fold(self.defaults.width, f64::max);
        let area: f64 = boxes
            .iter()
            .map(|b| (b.1.x - b.0.x + gap) * (b.1.y - b.0.y + gap))
            .sum();
        let widest = boxes.iter().map(|b| b.1.x - b.0.x).fold(0.0, f64::max);
        let row = (1.5 * area.sqrt()).max(widest);
        let (mut x, mut y, mut tallest) = (0.0, 0.0, 0.0_f64);
        for (group, (low, high)) in self.groups.iter().zip(&boxes) {
            let size = *high - *low;
            if x > 0.0 && x + size.x > row {
                (x, y, tallest) = (0.0, y - tallest - gap, 0.0);
            }
            let corner = Point::new(x, y - size.y) - *low;
            let nm = |v: f64| (v * 1e9).round() / 1e9;
            let place = at(Point::new(nm(corner.x), nm(corner.y)));
            if let Some(&first) = group.members.first() {
                self.components[first].placement = place;
            }
            x += size.x + gap;
            tallest = tallest.max(size.y);
        }
    }

    /// The box around a group with its first component at the origin; `None` where its parts overlap.
    fn bounds(&self, group: usize, out: &mut Reporter) -> Option<(Point, Point)> {
        let group = &self.groups[group];
        let design = Design {
            parametric: Default::default(),
            species: Default::default(),
            groups: Vec::new(),
            overlays: Vec::new(),
            name: String::new(),
            title: None,
            viscosity: PascalSecond(1e-3),
            density: None,
            model: DepthModel::Planar,
            depth: self.defaults.depth.map(Metre),
            width: Metre(self.defaults.width),
            resolution: None,
            walls: Default::default(),
            components: group
                .members
                .iter()
                .map(|&k| self.components[k].clone())
                .collect(),
            channels: Vec::new(),
            connections: Vec::new(),
            links: Vec::new(),
            sheets: Sheets::default(),
            ports: Vec::new(),
        };
        let layout = lay_out(&design, self.library);
        if layout.diagnostics.iter().any(|d| d.code == "D230") && group.members.len() > 1 {
            return None;
        }
        // No ports yet, so sockets dangle; all else is a mistake.
        let faults = layout.diagnostics.iter();
        for fault in faults.filter(|d| !["D231", "D232", "D234"].contains(&d.code)) {
            let message = format!("{} ({})", fault.message, fault.code);
            out.report(error(
                "D329",
                Some(group.place.clone()),
                message,
                fault.help.as_deref().unwrap_or(""),
            ));
        }
        let mut corners = layout.parts.iter().flat_map(|part| {
            let outline = boundary(&part.shape, 64);
            outline
                .into_iter()
                .map(|p| part.motion.apply(p))
                .collect::<Vec<_>>()
        });
        let first = corners.next().unwrap_or_default();
        let grow = |(low, high): (Point, Point), p: Point| {
            (
                Point::new(low.x.min(p.x), low.y.min(p.y)),
                Point::new(high.x.max(p.x), high.y.max(p.y)),
            )
        };
        Some(corners.fold((first, first), grow))
    }

    /// Makes groups of their own of all that is attached to a group's first component.
    fn take_apart(&mut self, group: usize) {
        let place = self.groups[group].place.clone();
        let members = self.groups[group].members.split_off(1);
        for k in members {
            let component = &self.components[k];
            let Placement::Attached(attachment) = &component.placement else {
                continue;
            };
            let (to, name) = (attachment.to.value.clone(), component.name.value.clone());
            let own = format!("{name}.a");
            let width = self.socket_width(&own).unwrap_or(self.defaults.width);
            self.components[k].placement = at(Point::default());
            self.groups.push(Group {
                place: place.clone(),
                members: vec![k],
            });
            let link = self.fresh_name(&format!("{name}_joint"), "links");
            self.add_link(&link, width, 0.0);
            self.end_link((&link, 0), &to);
            self.end_link((&link, 1), &own);
        }
    }

    /// What was made: components, links, comments.
    #[expect(
        clippy::type_complexity,
        reason = "three lists that are taken apart at once"
    )]
    pub fn into_parts(
        self,
    ) -> (
        Vec<Component>,
        Vec<Link>,
        BTreeMap<(&'static str, String), String>,
    ) {
        let links = self.links.into_iter().map(|(name, draft)| {
            let [from, to] = draft.ends.map(|end| end.map(Spanned::nowhere));
            Link {
                name: Spanned::nowhere(name),
                from,
                to,
                length: Metre(draft.length),
                width: Some(Metre(draft.width)),
                bends: 0,
                depth: draft.depth.map(Metre),
            }
        });
        (self.components, links.collect(), self.comments)
    }
}

fn at(at: Point) -> Placement {
    Placement::Absolute {
        at,
        rotation: Radian(0.0),
        mirror: false,
    }
}

/// Widths of the steps from one width to another: none where they agree, two where one would be too sudden.
fn steps(from: f64, to: f64) -> Vec<(f64, f64)> {
    let ratio = from.max(to) / from.min(to);
    if ratio - 1.0 <= 1e-9 {
        Vec::new()
    } else if ratio <= STEP_RATIO {
        vec![(from, to)]
    } else {
        let middle = (from * to).sqrt();
        vec![(from, middle), (middle, to)]
    }
}

/// One width of channel on either side of the change.
fn step(from: f64, to: f64) -> Vec<(&'static str, Value)> {
    vec![
        ("width_start", quantity(from)),
        ("width_end", quantity(to)),
        ("length_start", quantity(from)),
        ("length_end", quantity(to)),
    ]
}
