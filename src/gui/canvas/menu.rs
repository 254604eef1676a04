//! The menu of the right button: what can be done with what is under the pointer.

use eframe::egui::{self, Ui};

use super::scene::Scene;
use super::tools::Hit;
use crate::command::Command;
use crate::context::{Selection, Tool, ViewContext};
use stokeslet_cad::chip::SocketUse;
use stokeslet_cad::edits::Axis;

/// What the menu was opened on.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// What was under the pointer.
    pub hit: Option<Hit>,
    /// A free socket near the pointer, by full name.
    pub socket: Option<String>,
}

/// The menu itself.
pub fn menu(
    ui: &mut Ui,
    target: &Target,
    context: &ViewContext<'_>,
    scene: &Scene,
    out: &mut Vec<Command>,
) {
    if let Some(socket) = &target.socket {
        entry(ui, Command::AddPort(socket.clone()), out);
        ui.separator();
    }
    match &target.hit {
        Some(Hit::Port(name)) => {
            if ui.button("Rename…").clicked() {
                out.push(Command::Select(Selection::of_port(name)));
                out.push(Command::EditName);
            }
            entry(ui, Command::RemovePort(name.clone()), out);
            ui.separator();
            entry(ui, Command::Fit, out);
        }
        Some(Hit::Item(name)) => on_item(ui, name, scene, out),
        Some(Hit::Dimension(component, parameter)) => {
            on_parameter(ui, component, parameter, context, out);
        }
        Some(Hit::Parameter(parameter)) => {
            if let Some(component) = context.selection.single() {
                on_parameter(ui, component, parameter, context, out);
            }
        }
        Some(Hit::WayPoint(..)) | None => {
            entry(ui, Command::AskToPaste, out);
            entry(ui, Command::SelectAll, out);
            ui.separator();
            for tool in [Tool::Channel, Tool::Port, Tool::Ruler, Tool::Probe] {
                if *context.tool != tool {
                    entry(ui, Command::SetTool(tool), out);
                }
            }
            ui.separator();
            entry(ui, Command::Fit, out);
        }
    }
}

fn on_parameter(
    ui: &mut Ui,
    component: &str,
    parameter: &str,
    context: &ViewContext<'_>,
    out: &mut Vec<Command>,
) {
    let (component, parameter) = (component.to_owned(), parameter.to_owned());
    let design = context.document.shown_design();
    let mut all = design.iter().flat_map(|d| &d.components);
    let found = all.find(|c| c.name.value == component);
    let is_there = found.is_some_and(|c| c.dimensions.iter().any(|d| d.value == parameter));
    entry(
        ui,
        Command::EditDimension(component.clone(), parameter.clone()),
        out,
    );
    let written = Command::SetDimension {
        component,
        parameter,
        is_written: !is_there,
    };
    entry(ui, written, out);
    entry(ui, Command::ToggleDimensions, out);
}

fn on_item(ui: &mut Ui, name: &str, scene: &Scene, out: &mut Vec<Command>) {
    let free = scene.item(name).map_or(Vec::new(), |item| {
        let sockets = &scene.layout.sockets;
        let its_own = sockets.iter().filter(|s| s.item == item);
        let free = its_own.filter(|s| s.used == SocketUse::Free);
        free.map(|s| scene.layout.full_name(s)).collect()
    });
    for commands in [
        &[Command::Copy, Command::Cut, Command::Duplicate][..],
        &[
            Command::Rotate(1),
            Command::Rotate(-1),
            Command::Mirror(Axis::X),
            Command::Mirror(Axis::Y),
        ],
    ] {
        for command in commands {
            entry(ui, command.clone(), out);
        }
        ui.separator();
    }
    if !free.is_empty() {
        ui.menu_button("Open a socket to the outside", |ui| {
            for socket in free {
                if ui.button(&socket).clicked() {
                    out.push(Command::AddPort(socket));
                }
            }
        });
        ui.separator();
    }
    if scene
        .item(name)
        .is_some_and(|item| has_free_end(scene, item))
    {
        entry(ui, Command::OpenEnds, out);
    }
    entry(ui, Command::ToggleDimensions, out);
    entry(ui, Command::HideSelected, out);
    entry(ui, Command::FitSelection, out);
    entry(ui, Command::Delete, out);
}

fn has_free_end(scene: &Scene, item: usize) -> bool {
    let sockets = scene.layout.sockets.iter();
    sockets
        .filter(|s| s.item == item)
        .any(|s| s.used == SocketUse::Free)
}

fn entry(ui: &mut Ui, command: Command, out: &mut Vec<Command>) {
    let mut button = egui::Button::new(command.label());
    if let Some(shortcut) = command.shortcut() {
        button = button.shortcut_text(ui.ctx().format_shortcut(&shortcut));
    }
    if ui.add(button).clicked() {
        out.push(command);
    }
}
