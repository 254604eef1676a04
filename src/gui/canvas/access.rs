//! What screen readers and tests find on the canvas: a named place for every item, free socket and port.

use eframe::egui::{Id, Pos2, Rect, Role, Sense, Vec2, WidgetInfo, accesskit};

use super::overlays;
use super::tools::ToolInput;
use crate::command::Command;
use crate::context::{Selection, Tool};

/// With more than this in view there are none: nobody can go through them all, and they cost time.
const MOST: usize = 300;
/// Size of a place, points.
const SIZE: f32 = 10.0;

/// Names what is in view; screen readers can click it.
pub fn widgets(input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let scene = input.scene;
    let (low, high) = input.view.seen();
    let seen = super::scene::Bounds { low, high };
    let is_seen =
        |item: &usize| scene.boxes[*item].is_some_and(|b| b.meets(&seen)) && !scene.hides(*item);
    let items: Vec<usize> = (0..scene.boxes.len())
        .filter(is_seen)
        .take(MOST + 1)
        .collect();
    let design = input.design();
    let drawn: Vec<_> = overlays::shown(design, input.context)
        .take(MOST + 1)
        .collect();
    if items.len() + scene.free.len() + input.ports.len() + drawn.len() > MOST {
        return;
    }
    let selection = input.context.selection;
    for item in items {
        let name = scene.name(item);
        let kind = design.map_or("", |design| match design.components.get(item) {
            Some(component) => component.kind.value.as_str(),
            None => "channel",
        });
        let Some(anchor) = scene.anchor(item) else {
            continue;
        };
        let label = format!("{name} ({kind})");
        let is_selected = selection.items.contains(name);
        let at = input.view.to_screen(anchor);
        if widget(input, ("item", name), at, &label, is_selected) {
            out.push(Command::Select(Selection::one(name)));
        }
    }
    for overlay in drawn {
        let name = &overlay.name.value;
        let (low, high) = overlay.shape.bounds(design.map_or(0.0, |d| d.width.0));
        let at = input.view.to_screen((low + high) * 0.5);
        let label = format!("{name} ({})", overlay.layer.entry());
        let is_selected = selection.items.contains(name);
        if widget(input, ("item", name), at, &label, is_selected) {
            out.push(Command::Select(Selection::one(name)));
        }
    }
    for dimension in input.dimensions.iter().take(MOST) {
        let (component, parameter) = (&dimension.component, &dimension.parameter);
        let name = format!("{component}.{parameter}");
        let label = format!("dimension {name}");
        let at = dimension.rect.center();
        if widget(input, ("dimension", &name), at, &label, false) {
            out.push(Command::EditDimension(component.clone(), parameter.clone()));
        }
    }
    for &k in &scene.free {
        let socket = &scene.layout.sockets[k];
        let name = scene.layout.full_name(socket);
        let at = input.view.to_screen(socket.geometry.middle);
        let label = format!("socket {name}");
        if widget(input, ("socket", &name), at, &label, false) && *input.context.tool == Tool::Port
        {
            out.push(Command::AddPort(name));
        }
    }
    for port in input.ports {
        let label = format!("port {}", port.name);
        let is_selected = selection.port.as_ref() == Some(&port.name);
        let at = port.foot + (port.head() - port.foot) * 0.5;
        if widget(input, ("port", &port.name), at, &label, is_selected) {
            out.push(Command::Select(Selection::of_port(&port.name)));
        }
    }
}

/// A named place; whether a screen reader clicked it. The pointer goes through it to the canvas.
fn widget(
    input: &ToolInput<'_>,
    id: (&str, &str),
    at: Pos2,
    label: &str,
    is_selected: bool,
) -> bool {
    if !input.view.rect.contains(at) {
        return false;
    }
    let id: Id = input.response.id.with(id);
    let place = Rect::from_center_size(at, Vec2::splat(SIZE));
    let response = input.ui.interact(place, id, Sense::hover());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_selected, label));
    let ctx = input.ui.ctx();
    ctx.accesskit_node_builder(id, |node| node.add_action(accesskit::Action::Click));
    ctx.input(|i| i.has_accesskit_action_request(id, accesskit::Action::Click))
}
