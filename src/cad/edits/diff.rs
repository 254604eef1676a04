//! Two designs into the edits that lead from one to the other.

use rustc_hash::FxHashMap;

use crate::design::{
    Channel, Component, Connection, Design, Edit, Overlay, Placement, Port, Value,
};

/// Removals first, so that names and sockets are free when others take them.
pub(super) fn edits(old: &Design, new: &Design) -> Vec<Edit> {
    let mut edits = Vec::new();
    ports_removed(old, new, &mut edits);
    let pairs = |design: &Design| -> Vec<(String, String)> {
        design.connections.iter().map(pair).collect()
    };
    let (old_pairs, new_pairs) = (pairs(old), pairs(new));
    for connection in missing(&old.connections, &old_pairs, &new_pairs) {
        edits.push(Edit::Disconnect(connection));
    }
    let channels = by_name(&old.channels, |c| &c.name.value);
    let new_channels = by_name(&new.channels, |c| &c.name.value);
    for channel in &old.channels {
        if !new_channels.contains_key(channel.name.value.as_str()) {
            edits.push(Edit::RemoveChannel(channel.name.value.clone()));
        }
    }
    let components = by_name(&old.components, |c| &c.name.value);
    let new_components = by_name(&new.components, |c| &c.name.value);
    for component in &old.components {
        let name = &component.name.value;
        let kept = new_components.get(name.as_str());
        if kept.is_none_or(|new| new.kind.value != component.kind.value) {
            edits.push(Edit::RemoveComponent(name.clone()));
        }
    }
    let overlays = by_name(&old.overlays, |o| &o.name.value);
    let new_overlays = by_name(&new.overlays, |o| &o.name.value);
    for overlay in &old.overlays {
        if !new_overlays.contains_key(overlay.name.value.as_str()) {
            edits.push(Edit::RemoveOverlay(overlay.name.value.clone()));
        }
    }
    let groups = by_name(&old.groups, |g| &g.name.value);
    let new_groups = by_name(&new.groups, |g| &g.name.value);
    for group in &old.groups {
        if !new_groups.contains_key(group.name.value.as_str()) {
            edits.push(Edit::SetGroup {
                name: group.name.value.clone(),
                of: Vec::new(),
            });
        }
    }
    for component in &new.components {
        match components.get(component.name.value.as_str()) {
            Some(old) if old.kind.value == component.kind.value => {
                component_changed(old, component, &mut edits);
            }
            _ => edits.push(Edit::AddComponent(component.clone())),
        }
    }
    for channel in &new.channels {
        match channels.get(channel.name.value.as_str()) {
            Some(old) if same_channel(old, channel) => {}
            Some(_) => edits.push(Edit::SetChannel(channel.clone())),
            None => edits.push(Edit::AddChannel(channel.clone())),
        }
    }
    for overlay in &new.overlays {
        match overlays.get(overlay.name.value.as_str()) {
            Some(old) if same_overlay(old, overlay) => {}
            Some(_) => edits.push(Edit::SetOverlay(overlay.clone())),
            None => edits.push(Edit::AddOverlay(overlay.clone())),
        }
    }
    for group in &new.groups {
        let of: Vec<String> = group.of.iter().map(|m| m.value.clone()).collect();
        let old = groups.get(group.name.value.as_str());
        if old.is_none_or(|old| !old.of.iter().map(|m| &m.value).eq(&of)) {
            edits.push(Edit::SetGroup {
                name: group.name.value.clone(),
                of,
            });
        }
    }
    for connection in missing(&new.connections, &new_pairs, &old_pairs) {
        edits.push(Edit::Connect(connection));
    }
    ports_added(old, new, &mut edits);
    edits
}

fn by_name<T>(items: &[T], name: impl Fn(&T) -> &String) -> FxHashMap<&str, &T> {
    items
        .iter()
        .map(|item| (name(item).as_str(), item))
        .collect()
}

/// Equal but for where they stand in the text.
fn same_overlay(a: &Overlay, b: &Overlay) -> bool {
    a.layer == b.layer && a.shape == b.shape
}

/// Both ways round are one.
fn pair(connection: &Connection) -> (String, String) {
    let (a, b) = (connection.a.value.clone(), connection.b.value.clone());
    if a <= b { (a, b) } else { (b, a) }
}

/// Those of `these` that `others` lacks; pairs written twice count twice.
fn missing(
    these: &[Connection],
    pairs: &[(String, String)],
    others: &[(String, String)],
) -> Vec<Connection> {
    let mut left: FxHashMap<&(String, String), usize> = FxHashMap::default();
    for other in others {
        *left.entry(other).or_default() += 1;
    }
    let gone = these.iter().zip(pairs).filter(|(_, pair)| {
        let Some(count) = left.get_mut(pair).filter(|count| **count > 0) else {
            return true;
        };
        *count -= 1;
        false
    });
    gone.map(|(connection, _)| connection.clone()).collect()
}

fn same_port(a: &Port, b: &Port) -> bool {
    a.at.value == b.at.value && a.condition.value == b.condition.value
}

/// A port at another socket is another port: there is no edit that moves one.
fn ports_removed(old: &Design, new: &Design, edits: &mut Vec<Edit>) {
    let ports = by_name(&new.ports, |p| &p.name.value);
    for port in &old.ports {
        let kept = ports.get(port.name.value.as_str());
        if kept.is_none_or(|new| new.at.value != port.at.value) {
            edits.push(Edit::RemovePort(port.name.value.clone()));
        }
    }
}

fn ports_added(old: &Design, new: &Design, edits: &mut Vec<Edit>) {
    let ports = by_name(&old.ports, |p| &p.name.value);
    for port in &new.ports {
        match ports.get(port.name.value.as_str()) {
            Some(old) if same_port(old, port) => {}
            Some(old) if old.at.value == port.at.value => edits.push(Edit::SetCondition {
                port: port.name.value.clone(),
                condition: port.condition.value,
            }),
            _ => edits.push(Edit::AddPort(port.clone())),
        }
    }
}

fn component_changed(old: &Component, new: &Component, edits: &mut Vec<Edit>) {
    let component = || new.name.value.clone();
    if !same_placement(&old.placement, &new.placement) {
        edits.push(Edit::Place {
            component: component(),
            placement: new.placement.clone(),
        });
    }
    if old.depth != new.depth {
        edits.push(Edit::SetItemDepth {
            item: component(),
            depth: new.depth,
        });
    }
    let names =
        |of: &Component| -> Vec<String> { of.dimensions.iter().map(|d| d.value.clone()).collect() };
    if names(old) != names(new) {
        edits.push(Edit::SetDimensions {
            component: component(),
            of: names(new),
        });
    }
    let value_in = |among: &Component, name: &str| -> Option<Value> {
        let found = among.parameters.iter().find(|(n, _)| n.value == name);
        found.map(|(_, value)| value.value.clone())
    };
    for (name, value) in &new.parameters {
        if value_in(old, &name.value).as_ref() != Some(&value.value) {
            edits.push(Edit::SetParameter {
                component: component(),
                parameter: name.value.clone(),
                value: Some(value.value.clone()),
            });
        }
    }
    for (name, _) in &old.parameters {
        if value_in(new, &name.value).is_none() {
            edits.push(Edit::SetParameter {
                component: component(),
                parameter: name.value.clone(),
                value: None,
            });
        }
    }
}

/// Equal but for where they stand in the text.
pub(super) fn same_placement(a: &Placement, b: &Placement) -> bool {
    match (a, b) {
        (Placement::Attached(a), Placement::Attached(b)) => {
            a.socket.value == b.socket.value && a.to.value == b.to.value && a.mirror == b.mirror
        }
        (a, b) => a == b,
    }
}

/// Equal but for where they stand in the text.
pub(super) fn same_channel(a: &Channel, b: &Channel) -> bool {
    a.from.value == b.from.value
        && a.to.as_ref().map(|to| &to.value) == b.to.as_ref().map(|to| &to.value)
        && a.via.len() == b.via.len()
        && a.via.iter().zip(&b.via).all(|(a, b)| a.value == b.value)
        && a.width == b.width
        && a.bend == b.bend
        && a.depth == b.depth
}
