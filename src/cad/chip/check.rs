//! Ports, and what a chip needs before it can be solved: every connected component fed, flow rates balanced, no socket forgotten.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::assembly::Assembly;
use super::connect::find_socket;
use super::fault::{abridge, error, show_length};
use super::unresisted::unresisted;
use super::{Condition, Port};
use crate::design::{DepthModel, Design, PortCondition};
use crate::shape::SocketRef;
use stokeslet_base::diagnostic::{Reporter, Severity};
use stokeslet_base::units::{Dimension, print_length, print_quantity, to_digits};

/// Flow rates balance when their sum is at most this part of half the sum of their magnitudes.
const BALANCE_TOLERANCE: f64 = 1e-9;

/// The design's ports on the placed sockets; checks them, and with a `complete` chip also connected components, balance and dangling sockets.
///
/// Nothing is said of an incomplete chip that a missing component could explain.
pub(super) fn ports(
    design: &Design,
    assembly: &Assembly,
    complete: bool,
    out: &mut Reporter,
) -> Vec<Port> {
    if design.model.needs_depth() && design.depth.is_none() {
        out.report(error(
            "D207",
            &(0..0),
            "",
            format!("the {} model needs the chip's depth", design.model.name()),
            depth_help(),
        ));
    }
    check_depths(design, out);
    let joined: FxHashSet<SocketRef> = assembly
        .joints
        .iter()
        .flat_map(|joint| [joint.connection.a, joint.connection.b])
        .collect();
    let mut taken: FxHashMap<SocketRef, &str> = FxHashMap::default();
    let mut ports = Vec::new();
    for port in &design.ports {
        let name = &port.name.value;
        let socket = match find_socket(&port.at, name, assembly) {
            Ok(found) => found,
            Err(faults) => {
                out.diagnostics.extend(faults);
                continue;
            }
        };
        if joined.contains(&socket) {
            let message = format!(
                "port `{name}` is on socket `{}`, which is connected",
                port.at.value
            );
            let help =
                Some("a port is where the chip opens to the outside: use a free socket".to_owned());
            out.report(error("D224", &port.at.span, name, message, help));
            continue;
        }
        if let Some(other) = taken.insert(socket, name) {
            let message = format!(
                "ports `{other}` and `{name}` are both on socket `{}`",
                port.at.value
            );
            let help = Some("a socket has one condition: remove one of the ports".to_owned());
            out.report(error("D225", &port.at.span, name, message, help));
            continue;
        }
        let condition = match (port.condition.value, design.depth) {
            (PortCondition::FlowRate(rate), Some(depth)) => Condition::FlowRate(rate.0 / depth.0),
            (PortCondition::FlowRate(_), None) => {
                let message = format!("the flow rate of port `{name}` needs the chip's depth");
                out.report(error(
                    "D207",
                    &port.condition.span,
                    name,
                    message,
                    depth_help(),
                ));
                continue;
            }
            // Per metre of depth there; conditions are per metre of the chip's.
            (PortCondition::FlowRatePerDepth(rate), chip) => {
                let own = assembly.parts[socket.part].depth;
                let ratio = own.zip(chip).map_or(1.0, |(own, chip)| own / chip.0);
                Condition::FlowRate(rate.0 * ratio)
            }
            (PortCondition::Pressure(pressure), _) => Condition::Pressure(pressure.0),
            (PortCondition::TractionFree, _) => Condition::TractionFree,
        };
        ports.push(Port {
            name: name.clone(),
            socket,
            condition,
        });
    }
    if !complete {
        return ports;
    }
    if design.ports.is_empty() {
        let help = Some(
            "open a socket under [ports], such as `inlet = { at = \"component.socket\", pressure = \"1 mbar\" }`".to_owned(),
        );
        out.report(error(
            "D234",
            &(0..0),
            "",
            "the chip has no port".to_owned(),
            help,
        ));
    } else if ports.len() == design.ports.len() {
        check_connected_components(design, assembly, &ports, out);
        check_resistance(design, assembly, &ports, out);
    }
    check_dangling(assembly, &joined, &taken, out);
    check_depth(design, assembly, out);
    ports
}

fn depth_help() -> Option<String> {
    Some(
        "give `depth` under [chip]; or, in the planar model, flow rates per depth in \"m^2/s\""
            .to_owned(),
    )
}

/// Every connected component of the chip has a port, and flow rates balance where nothing else lets fluid in or out.
fn check_connected_components(
    design: &Design,
    assembly: &Assembly,
    ports: &[Port],
    out: &mut Reporter,
) {
    let connected_components = connected_components(assembly);
    let mut ports_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (k, port) in ports.iter().enumerate() {
        ports_of
            .entry(connected_components[port.socket.part])
            .or_default()
            .push(k);
    }
    let mut stranded: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (part, connected_component) in connected_components
        .iter()
        .enumerate()
        .filter(|(_, connected_component)| !ports_of.contains_key(connected_component))
    {
        stranded
            .entry(*connected_component)
            .or_default()
            .insert(assembly.owners[part]);
    }
    for items in stranded.values() {
        let names: Vec<String> = items
            .iter()
            .map(|&item| format!("`{}`", assembly.names[item].value))
            .collect();
        let message = format!("no port leads to {}", abridge(&names, ", "));
        let first = assembly.names[*items.first().expect("a connected component has a part")];
        let help = Some("connect them to the rest of the chip, or open a port on them".to_owned());
        out.report(error("D232", &first.span, &first.value, message, help));
    }
    for connected_component in ports_of.values() {
        let rates: Vec<f64> = connected_component
            .iter()
            .map_while(|&k| {
                if let Condition::FlowRate(rate) = ports[k].condition {
                    Some(rate)
                } else {
                    None
                }
            })
            .collect();
        if rates.len() < connected_component.len() {
            continue;
        }
        let (sum, size) = (
            rates.iter().sum::<f64>(),
            rates.iter().map(|rate| rate.abs()).sum::<f64>() / 2.0,
        );
        if sum.abs() <= BALANCE_TOLERANCE * size {
            continue;
        }
        let names: Vec<String> = connected_component
            .iter()
            .map(|&k| format!("`{}`", ports[k].name))
            .collect();
        let (kind, excess) = if sum > 0.0 {
            ("more in than out", sum)
        } else {
            ("more out than in", -sum)
        };
        let amount = match design.depth {
            Some(depth) => print_quantity(to_digits(excess * depth.0, 6), Dimension::FlowRate),
            None => print_quantity(to_digits(excess, 6), Dimension::FlowRatePerDepth),
        };
        let message = format!(
            "the flow rates of {} don't balance: {amount} {kind}",
            abridge(&names, ", ")
        );
        let help = Some("make them sum to zero (out of the chip is negative), or give one port a pressure instead".to_owned());
        let last = &design.ports[*connected_component
            .last()
            .expect("a connected component with ports has one")];
        out.report(error(
            "D233",
            &last.condition.span,
            &last.name.value,
            message,
            help,
        ));
    }
}

/// Something holds back the flow on every connected component: else any pressure drives it without end.
fn check_resistance(design: &Design, assembly: &Assembly, ports: &[Port], out: &mut Reporter) {
    let can_slip = assembly.parts.iter().any(|part| part.walls.can_slip());
    if design.model != DepthModel::Planar || !can_slip {
        return;
    }
    let connected_components = connected_components(assembly);
    for connected_component in unresisted(assembly, &connected_components, ports) {
        let here = ports.iter().zip(&design.ports);
        let here: Vec<_> = here
            .filter(|(port, _)| connected_components[port.socket.part] == connected_component)
            .collect();
        let Some((_, last)) = here.last() else {
            continue;
        };
        let names: Vec<String> = here.iter().map(|p| format!("`{}`", p.0.name)).collect();
        let message = format!(
            "nothing holds back the flow at {}: all walls there let it slip",
            abridge(&names, ", ")
        );
        let help = Some("give one of the ports a flow rate, or choose a model whose floor and ceiling hold the fluid: \"shallow\" or \"full\"".to_owned());
        let (span, name) = (&last.condition.span, &last.name.value);
        out.report(error("D236", span, name, message, help));
    }
}

/// The connected component of every part, named by one of its parts.
fn connected_components(assembly: &Assembly) -> Vec<usize> {
    fn root(parents: &mut [usize], mut k: usize) -> usize {
        while parents[k] != k {
            parents[k] = parents[parents[k]];
            k = parents[k];
        }
        k
    }
    let mut parents: Vec<usize> = (0..assembly.parts.len()).collect();
    for joint in &assembly.joints {
        let (a, b) = (
            root(&mut parents, joint.connection.a.part),
            root(&mut parents, joint.connection.b.part),
        );
        parents[a.max(b)] = a.min(b);
    }
    (0..parents.len()).map(|k| root(&mut parents, k)).collect()
}

/// Depths of components, channels and links can be told from the chip's, and are solved by the model.
fn check_depths(design: &Design, out: &mut Reporter) {
    let components = design.components.iter().map(|c| (&c.name, c.depth));
    let channels = design.channels.iter().map(|c| (&c.name, c.depth));
    let links = design.links.iter().map(|l| (&l.name, l.depth));
    let all = components.chain(channels).chain(links);
    let mut named = all.filter_map(|(name, depth)| Some((name, depth?)));
    let (message, help, name) = match design.depth {
        None => {
            let Some((name, _)) = named.next() else {
                return;
            };
            let message = format!(
                "`{}` has a depth of its own, and the chip has none",
                name.value
            );
            let help = "give `depth` under [chip] too: everything else is as deep as that";
            (message, help, name)
        }
        Some(_) if design.model != DepthModel::Full => return,
        Some(chip) => {
            let Some((name, depth)) = named.find(|(_, depth)| *depth != chip) else {
                return;
            };
            let message = format!(
                "`{}` is {} deep and the chip {}: the full model has one depth",
                name.value,
                show_length(depth.0),
                show_length(chip.0)
            );
            let help = "remove its `depth`, or use `model = \"shallow\"`";
            (message, help, name)
        }
    };
    out.report(error(
        "D238",
        &name.span,
        &name.value,
        message,
        Some(help.to_owned()),
    ));
}

/// A shallow chip with channels narrower than deep: one warning, at the narrowest beside its depth.
fn check_depth(design: &Design, assembly: &Assembly, out: &mut Reporter) {
    let Some(depth) = design.depth else { return };
    if !matches!(
        design.model,
        DepthModel::Shallow | DepthModel::ShallowBrinkman
    ) {
        return;
    }
    let widths = assembly.part_sockets.iter().enumerate();
    let widths = widths.flat_map(|(part, sockets)| sockets.iter().map(move |m| (part, m.width)));
    let depth_of = |part: usize| assembly.parts[part].depth.unwrap_or(depth.0);
    let narrowest = widths.min_by(|a, b| (a.1 / depth_of(a.0)).total_cmp(&(b.1 / depth_of(b.0))));
    let Some((part, width)) = narrowest else {
        return;
    };
    let depth = depth_of(part);
    // As deep as wide, but for the rounding of widths that were computed.
    if width >= depth * (1.0 - 1e-9) {
        return;
    }
    let name = assembly.owner(part);
    let message = format!(
        "`{}` is {} wide and {} deep: the {} model is for channels at least as wide as deep",
        name.value,
        print_length(width),
        print_length(depth),
        design.model.name()
    );
    let error_at_half = match design.model {
        DepthModel::Shallow => "2 % too little, a tenth as wide 11 %",
        _ => "12 % too much, a tenth as wide 5 %",
    };
    let help = Some(format!(
        "with `model = \"full\"` the depth is solved too; straight channels half as wide as deep carry {error_at_half} with this model"
    ));
    let mut warning = error("D235", &name.span, &name.value, message, help);
    warning.severity = Severity::Warning;
    out.report(warning);
}

/// Sockets that nobody mentions become walls: a warning each.
fn check_dangling(
    assembly: &Assembly,
    joined: &FxHashSet<SocketRef>,
    ports: &FxHashMap<SocketRef, &str>,
    out: &mut Reporter,
) {
    for named in &assembly.sockets {
        if joined.contains(&named.socket) || ports.contains_key(&named.socket) {
            continue;
        }
        let name = assembly.names[named.item];
        let message = format!(
            "socket `{}` is left dangling: it becomes a closed end",
            assembly.full_name(named)
        );
        let help = Some(
            "connect it, open a port on it, or close it with a `closed_end` to say so".to_owned(),
        );
        let mut warning = error("D231", &name.span, &name.value, message, help);
        warning.severity = Severity::Warning;
        out.report(warning);
    }
}
