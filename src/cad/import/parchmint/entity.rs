//! What each entity of ParchMint becomes: components of the library with their parameters, and which socket a port's label is.

use serde_json::Value as Json;

use super::super::graph::error;
use super::super::json;
use super::read::Component;
use crate::design::{Dimension, Value};
use stokeslet_base::diagnostic::{Reporter, Severity};

mod shapes;
mod trees;

use shapes::{filter, nozzle, transposer};
use trees::{gradient, tree};

/// What a component of a netlist is.
#[derive(Debug)]
pub(super) enum Role {
    /// Its connections end open, at ports of the chip.
    Port,
    /// Its connections meet in a point.
    Node,
    /// Components of the library.
    Device(Device),
    /// Nothing that fluid passes, or nothing that is known: left out with its connections, and why.
    LeftOut(String),
    /// What is wrong was reported.
    Refused,
}

/// Components that stand for one of the netlist.
#[derive(Debug, Default)]
pub(super) struct Device {
    pub parts: Vec<DevicePart>,
    /// Label of a port, index of the part, its socket.
    pub sockets: Vec<(String, usize, String)>,
    /// What was simplified, for a comment and a warning.
    pub note: Option<&'static str>,
}

/// One component of the library.
#[derive(Debug)]
pub(super) struct DevicePart {
    /// Appended to the component's name.
    pub suffix: &'static str,
    pub kind: &'static str,
    pub parameters: Vec<(&'static str, Value)>,
}

impl Device {
    fn one(
        kind: &'static str,
        parameters: Vec<(&'static str, Value)>,
        sockets: &[(&str, &str)],
    ) -> Self {
        let own = |(label, socket): &(&str, &str)| ((*label).to_owned(), 0, (*socket).to_owned());
        Self {
            parts: vec![DevicePart {
                suffix: "",
                kind,
                parameters,
            }],
            sockets: sockets.iter().map(own).collect(),
            note: None,
        }
    }

    fn noted(mut self, note: &'static str) -> Self {
        self.note = Some(note);
        self
    }
}

/// How a component is used: labels of its ports with connections, and the widest of these, m.
pub(super) struct Uses<'a> {
    pub labels: &'a [Option<String>],
    pub width: f64,
}

/// Reads the parameters of one component.
struct Given<'a, 'o> {
    component: &'a Component,
    unit: f64,
    out: &'o mut Reporter,
    is_broken: bool,
}

impl Given<'_, '_> {
    fn raw(&self, keys: &[&str]) -> Option<(String, &Json)> {
        let params = &self.component.params;
        keys.iter()
            .find_map(|key| Some(((*key).to_owned(), params.get(*key)?)))
            .filter(|(_, value)| !value.is_null())
    }

    fn refuse(&mut self, key: &str, value: &Json, wanted: &str) {
        let message = format!(
            "`{key}` of `{}` ({}) is {value}",
            self.component.name, self.component.entity
        );
        let at = format!("{}.params.{key}", self.component.place);
        self.out.report(error("D329", Some(at), message, wanted));
        self.is_broken = true;
    }

    /// A length, m; `default` in um where it isn't given.
    fn length(&mut self, keys: &[&str], default: f64) -> f64 {
        let Some((key, value)) = self.raw(keys).map(|(key, value)| (key, value.clone())) else {
            return default / 1e6;
        };
        match json::number(&value).map(|number| number * self.unit / 1e6) {
            Some(metres) if (1e-8..=1.0).contains(&metres) => metres,
            _ => {
                self.refuse(&key, &value, "a length from 10 nm to 1 m");
                default / 1e6
            }
        }
    }

    fn count(&mut self, keys: &[&str], default: u32, greatest: u32) -> u32 {
        let Some((key, value)) = self.raw(keys).map(|(key, value)| (key, value.clone())) else {
            return default;
        };
        match json::number(&value) {
            Some(n) if n >= 1.0 && n <= f64::from(greatest) && n.fract() == 0.0 => n as u32,
            _ => {
                self.refuse(
                    &key,
                    &value,
                    &format!("a whole number from 1 to {greatest}"),
                );
                default
            }
        }
    }
}

fn metres(value: f64) -> Value {
    Value::Quantity(value, Dimension::Length)
}

fn lengths(values: &[f64]) -> Value {
    Value::List(values.iter().map(|&value| metres(value)).collect())
}

fn degrees(values: &[f64]) -> Value {
    let angle = |&degrees: &f64| Value::Quantity(f64::to_radians(degrees), Dimension::Angle);
    Value::List(values.iter().map(angle).collect())
}

fn number(value: u32) -> Value {
    Value::Number(f64::from(value))
}

/// What a component becomes.
pub(super) fn role(component: &Component, uses: &Uses<'_>, unit: f64, out: &mut Reporter) -> Role {
    let mut given = Given {
        component,
        unit,
        out,
        is_broken: false,
    };
    let role = by_entity(component, uses, &mut given);
    if given.is_broken { Role::Refused } else { role }
}

const TWO: [(&str, &str); 2] = [("1", "a"), ("2", "b")];

fn by_entity(component: &Component, uses: &Uses<'_>, given: &mut Given<'_, '_>) -> Role {
    let w = uses.width;
    let device = match component.entity.as_str() {
        "PORT" | "PORTBANK" | "INPUT" | "OUTPUT" => return Role::Port,
        "NODE" | "SWITCH" | "VIA" => return Role::Node,
        "VALVE" | "VALVE3D" | "CIRCLE VALVE" => return Role::Node,
        "THERMO CYCLER" | "ANODE" | "CATHODE" | "ALIGNMENT MARKS" | "TEXT" | "EDGE" => {
            return Role::LeftOut("it is nothing that fluid passes".to_owned());
        }
        "LOGIC ARRAY" => {
            return Role::LeftOut("its inner channels aren't in the file".to_owned());
        }
        "MIXER" | "CURVED MIXER" => mixer(given, component.entity == "CURVED MIXER"),
        "MIXER3D" => mixer(given, false).noted("drawn in one layer"),
        "SQUARE CELL TRAP" | "CELLTRAPS" | "CELL TRAP" | "CELL TRAPPER" => cell_trap(given, uses),
        "REACTION CHAMBER" | "STORAGE" | "HEATER" => chamber(given, uses),
        "DIAMOND REACTION CHAMBER" | "INCUBATION" => {
            let width = given.length(&["channelWidth"], 800.0);
            let parameters = vec![
                ("width", metres(width)),
                ("chamber_width", metres(given.length(&["width"], 1230.0))),
                ("length", metres(given.length(&["length"], 4920.0))),
            ];
            Device::one("diamond", parameters, &TWO)
        }
        "LONG CELL TRAP" | "CELLTRAPL" | "CELLTRAPBANK" => {
            let n = given.count(&["numberOfChambers"], 6, 800);
            let feed = ["feedingChannelWidth", "flowChannelWidth"];
            let parameters = vec![
                ("width", metres(given.length(&feed, 410.0))),
                ("chambers", number(n.div_ceil(2))),
                (
                    "chamber_width",
                    metres(given.length(&["chamberWidth"], 1230.0)),
                ),
                (
                    "chamber_length",
                    metres(given.length(&["chamberLength"], 1200.0)),
                ),
                ("spacing", metres(given.length(&["chamberSpacing"], 2460.0))),
            ];
            Device::one("cell_trap_row", parameters, &TWO)
        }
        "TREE" | "MUX" | "IN MUX" | "YTREE" | "MUX3D" => return tree(given, uses),
        "GRADIENT GENERATOR" | "GRADIENTGENERATOR" => return gradient(given),
        "NOZZLE DROPLET GENERATOR" => nozzle(given),
        "DROPLET GENERATOR T" | "TDROPLET" => {
            let oil = given.length(&["oilChannelWidth"], 600.0);
            let water = given.length(&["waterChannelWidth"], 300.0);
            let length = given.length(&["length"], 5000.0);
            let sockets = [("1", "m1"), ("2", "m2"), ("3", "m3")];
            leads(
                &[180.0, 0.0, 90.0],
                &[oil, oil, water],
                &[length; 3],
                &sockets,
            )
        }
        "DROPLET GENERATOR FLOW FOCUS" | "FFDROPLET" => {
            let oil = given.length(&["oilChannelWidth"], 400.0);
            let water = given.length(&["waterChannelWidth"], 200.0);
            let length = given.length(&["length"], 3000.0);
            let sockets = [("1", "m1"), ("2", "m2"), ("3", "m3"), ("4", "m4")];
            let directions = [135.0, 0.0, -135.0, 180.0];
            leads(&directions, &[oil, oil, oil, water], &[length; 4], &sockets)
        }
        "PICOINJECTOR" => {
            let main = given.length(&["dropletWidth"], 800.0);
            let long = given.length(&["width"], 10_000.0) / 2.0;
            let nozzle = given.length(&["nozzleWidth"], 400.0);
            let reach = given.length(&["nozzleLength"], 400.0) + main / 2.0;
            let sockets = [("1", "m1"), ("2", "m2"), ("3", "m3")];
            leads(
                &[180.0, 0.0, 90.0],
                &[main, main, nozzle],
                &[long, long, reach],
                &sockets,
            )
            .noted("the injector behind its nozzle is left out")
        }
        "DROPLET SORTER" => {
            let [inlet, waste, keep] = [
                given.length(&["inletWidth"], 800.0),
                given.length(&["wasteWidth"], 1200.0),
                given.length(&["keepWidth"], 2000.0),
            ];
            let [long, out] = [
                given.length(&["inletLength"], 4000.0),
                given.length(&["outputLength"], 4000.0),
            ];
            let sockets = [("1", "m1"), ("2", "m2"), ("3", "m3")];
            leads(
                &[180.0, 45.0, -45.0],
                &[inlet, waste, keep],
                &[long, out, out],
                &sockets,
            )
            .noted("outlets at 45 degrees, electrodes left out")
        }
        "DROPLET SPLITTER" => {
            let widths = [
                given.length(&["inletWidth"], 2000.0),
                given.length(&["outletWidth1"], 1000.0),
                given.length(&["outletWidth2"], 2000.0),
            ];
            let long = [
                given.length(&["inletLength"], 6000.0),
                given.length(&["outletLength1"], 3000.0),
                given.length(&["outletLength2"], 3000.0),
            ];
            let sockets = [("1", "m1"), ("2", "m2"), ("3", "m3")];
            leads(&[180.0, 90.0, -90.0], &widths, &long, &sockets)
        }
        "DROPLET MERGER" | "DROPLET MERGER JUNCTION" => {
            let [inlet, chamber, outlet] = [
                given.length(&["inletWidth"], 2000.0),
                given.length(&["chamberWidth"], 2700.0),
                given.length(&["outletWidth"], 2000.0),
            ];
            let long = [
                given.length(&["inletLength"], 4000.0),
                given.length(&["chamberLength"], 2000.0),
                given.length(&["outletLength"], 4000.0),
            ];
            pipes(&[inlet, chamber, outlet], &long)
        }
        "DROPLET CAPACITANCE SENSOR" => {
            let inlet = given.length(&["inletWidth"], 1000.0);
            let sensor = given.length(&["sensorWidth"], 1000.0);
            let all = given.length(&["inletLength"], 10_000.0);
            let narrow = given.length(&["sensorLength"], 3000.0);
            let lead = (all - narrow) / 2.0;
            if (inlet - sensor).abs() < 1e-9 * inlet || lead <= 0.0 {
                pipes(&[inlet], &[all])
            } else {
                pipes(&[inlet, sensor, inlet], &[lead, narrow, lead])
            }
        }
        "FILTER" => filter(given),
        "ROTARY MIXER" | "ROTARYPUMP" | "CHEMOSTAT RING" => {
            let (w, r) = if component.entity == "CHEMOSTAT RING" {
                (100.0, 400.0)
            } else {
                (1000.0, 2000.0)
            };
            let width = given.length(&["flowChannelWidth"], w);
            let parameters = vec![
                ("width", metres(width)),
                ("radius", metres(given.length(&["radius"], r))),
            ];
            Device::one("ring", parameters, &TWO)
        }
        "PUMP" | "PUMP3D" => {
            let width = given.length(&["flowChannelWidth"], 300.0);
            let long = given.length(&["length"], 300.0) + 2.0 * given.length(&["spacing"], 1000.0);
            pipes(&[width], &[long])
        }
        "TRANSITION" => {
            let ends = [given.length(&["cw1"], 800.0), given.length(&["cw2"], 900.0)];
            let parameters = vec![
                ("width_start", metres(ends[0])),
                ("width_end", metres(ends[1])),
                ("length", metres(given.length(&["length"], 1000.0))),
            ];
            Device::one("taper", parameters, &TWO)
        }
        "TRANSPOSER" => transposer(given),
        "MICROARRAY" | "MIP BIOSENSOR" | "MIXING CHAMBER" | "DETECTION CHAMBER"
        | "CONCENTRATION LOOP" | "REACTION LOOP" => {
            if uses.labels.len() > 2 {
                return Role::Node;
            }
            pipes(&[w], &[10.0 * w]).noted("its geometry isn't in the file: a pipe of ten widths")
        }
        _ => return unknown(component, uses),
    };
    Role::Device(device)
}

fn mixer(given: &mut Given<'_, '_>, rounded: bool) -> Device {
    let mut parameters = vec![
        (
            "width",
            metres(given.length(&["channelWidth", "flowChannelWidth"], 800.0)),
        ),
        ("spacing", metres(given.length(&["bendSpacing"], 1230.0))),
        ("bend_length", metres(given.length(&["bendLength"], 2460.0))),
        ("bends", number(given.count(&["numberOfBends"], 1, 200))),
    ];
    if rounded {
        parameters.push(("rounded", Value::Bool(true)));
    }
    Device::one("mixer_3duf", parameters, &[("1", "in"), ("2", "out")])
}

/// The side of its box that a port lies nearest to: west, east, north, south. Boxes have y downwards.
fn side(component: &Component, x: f64, y: f64) -> usize {
    let reach =
        |of: fn(&super::read::PortAt) -> f64| component.ports.iter().map(of).fold(0.0, f64::max);
    let [w, h] = component.span.unwrap_or([reach(|p| p.x), reach(|p| p.y)]);
    let to = [x, w - x, y, h - y];
    (0..4).min_by(|&a, &b| to[a].total_cmp(&to[b])).unwrap_or(0)
}

/// The side of each label that is used; `order` names the sides of labels whose place isn't told.
fn sides(
    component: &Component,
    uses: &Uses<'_>,
    order: [(&str, usize); 4],
) -> Vec<(String, usize)> {
    let mut out: Vec<(String, usize)> = Vec::new();
    for label in uses.labels.iter().flatten() {
        if out.iter().any(|(known, _)| known == label) {
            continue;
        }
        let known = order.iter().find(|(known, _)| known == label);
        let declared = component.ports.iter().find(|port| port.label == *label);
        let found = match (known, declared) {
            (Some((_, side)), _) => Some(*side),
            (None, Some(port)) => Some(side(component, port.x, port.y)),
            _ => None,
        };
        if let Some(side) = found.filter(|side| out.iter().all(|(_, taken)| taken != side)) {
            out.push((label.clone(), side));
        }
    }
    // Ends without a label, or with one that the component has not, take what is free; at least two sides are open.
    let missing = uses.labels.len().clamp(2, 4).saturating_sub(out.len());
    for side in (0..4)
        .filter(|side| out.iter().all(|(_, taken)| taken != side))
        .take(missing)
        .collect::<Vec<_>>()
    {
        out.push((String::new(), side));
    }
    out
}

fn cell_trap(given: &mut Given<'_, '_>, uses: &Uses<'_>) -> Device {
    let width = given.length(&["channelWidth", "flowChannelWidth"], 1000.0);
    let [high, long] = [
        given.length(&["chamberWidth"], 2500.0),
        given.length(&["chamberLength"], 2500.0),
    ];
    let length = given
        .length(&["channelLength"], 4000.0)
        .max(high)
        .max(long)
        .max(width);
    // Chambers narrower than their channel are as wide.
    let (high, long) = (high.max(width), long.max(width));
    let order = [("1", 0), ("2", 1), ("3", 2), ("4", 3)];
    let order = if given.component.ports.iter().any(|p| p.label == "0") {
        [("", 0); 4]
    } else {
        order
    };
    let sides = sides(given.component, uses, order);
    let names = ["west", "east", "north", "south"];
    let used = (0..4)
        .map(|k| number(u32::from(sides.iter().any(|(_, side)| *side == k))))
        .collect();
    let parameters = vec![
        ("width", metres(width)),
        ("length", metres(length)),
        ("chamber_length", metres(long)),
        ("chamber_height", metres(high)),
        ("used", Value::List(used)),
    ];
    let sockets: Vec<(&str, &str)> = sides
        .iter()
        .map(|(label, side)| (label.as_str(), names[*side]))
        .collect();
    Device::one("cell_trap", parameters, &sockets)
}

fn chamber(given: &mut Given<'_, '_>, uses: &Uses<'_>) -> Device {
    let span = given
        .component
        .span
        .filter(|_| given.component.params.is_empty());
    let [w, l] = span.unwrap_or([5000e-6, 5000e-6]);
    let [wide, long] = [
        given.length(&["width"], w * 1e6),
        given.length(&["length"], l * 1e6),
    ];
    let order = [("1", 2), ("2", 1), ("3", 3), ("4", 0)];
    let sides = sides(given.component, uses, order);
    box_of(
        wide.max(uses.width),
        long.max(uses.width),
        uses.width,
        &sides,
    )
}

/// A chamber with a socket in the middle of each side that is used.
fn box_of(length: f64, height: f64, width: f64, sides: &[(String, usize)]) -> Device {
    const SIDES: [&str; 4] = ["left", "right", "top", "bottom"];
    let mut counts = [0; 4];
    let mut sockets = Vec::new();
    for (label, side) in sides {
        counts[*side] += 1;
        sockets.push((
            label.clone(),
            0,
            format!("{}{}", SIDES[*side], counts[*side]),
        ));
    }
    let mut parameters = vec![
        ("length", metres(length)),
        ("height", metres(height)),
        ("socket_width", metres(width)),
    ];
    parameters.extend(SIDES.iter().zip(counts).map(|(side, n)| (*side, number(n))));
    Device {
        sockets,
        ..Device::one("chamber", parameters, &[])
    }
}

/// An entity that isn't known: a box with its declared ports.
fn unknown(component: &Component, uses: &Uses<'_>) -> Role {
    let why =
        |what: &str| Role::LeftOut(format!("`{}` is not known, and {what}", component.entity));
    let Some([length, height]) = component.span else {
        return why("the file gives it no size");
    };
    let mut sides: Vec<(String, usize)> = Vec::new();
    for label in uses.labels.iter().flatten() {
        let Some(port) = component.ports.iter().find(|port| port.label == *label) else {
            return why(&format!("the file doesn't say where its port {label} is"));
        };
        if !sides.iter().any(|(known, _)| known == label) {
            sides.push((label.clone(), side(component, port.x, port.y)));
        }
    }
    for side in 0..4 {
        let n = sides.iter().filter(|(_, s)| *s == side).count() as f64;
        let room = if side < 2 { height } else { length };
        if n * uses.width > room {
            return why("its ports don't fit on its sides");
        }
    }
    if sides.is_empty() {
        return why("its ports aren't named");
    }
    Role::Device(
        box_of(length, height, uses.width, &sides)
            .noted("its entity is not known: a chamber of its size"),
    )
}

fn leads(directions: &[f64], widths: &[f64], long: &[f64], sockets: &[(&str, &str)]) -> Device {
    let parameters = vec![
        ("directions", degrees(directions)),
        ("widths", lengths(widths)),
        ("lengths", lengths(long)),
    ];
    Device::one("junction_leads", parameters, sockets)
}

fn pipes(widths: &[f64], long: &[f64]) -> Device {
    if let ([width], [length]) = (widths, long) {
        let parameters = vec![("width", metres(*width)), ("length", metres(*length))];
        return Device::one("pipe", parameters, &TWO);
    }
    let parameters = vec![("widths", lengths(widths)), ("lengths", lengths(long))];
    Device::one("pipe_row", parameters, &TWO)
}

/// A warning about a component.
pub(super) fn warn(
    code: &'static str,
    component: &Component,
    message: String,
    help: &str,
    out: &mut Reporter,
) {
    let mut warning = error(code, Some(component.place.clone()), message, help);
    warning.severity = Severity::Warning;
    out.report(warning);
}
