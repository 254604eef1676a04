//! The place tool, and components dragged from the library: a ghost at the pointer, on a free socket where one is near.

use eframe::egui::{CursorIcon, Key};

use super::{ToolInput, Tools};
use crate::canvas::outline::Outlines;
use crate::canvas::paint::{self, lit_socket, tag};
use crate::canvas::scene::Placed;
use crate::canvas::snap::{self, Ghost};
use crate::canvas::stroke::Pen;
use crate::command::Command;
use crate::context::Tool;
use stokeslet_base::geometry::Motion;
use stokeslet_base::units::{Dimension, print_quantity};
use stokeslet_cad::library::Defaults;

/// What is dragged from the library: a kind of component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraggedKind(pub String);

/// Hears the pointer with the place tool.
pub fn hear(tools: &mut Tools, input: &ToolInput<'_>, kind: &str, out: &mut Vec<Command>) {
    turn(tools, input);
    hold(tools, input, kind);
    input.cursor(CursorIcon::Crosshair);
    if input.clicked()
        && let Some(ghost) = &tools.ghost
    {
        out.push(Command::Place {
            kind: kind.to_owned(),
            placement: ghost.placement.clone(),
        });
        if !input.shift() {
            out.push(Command::SetTool(Tool::Select));
        }
    }
}

/// Hears a component that is dragged here from the library; whether there is one.
pub fn hear_dragged(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) -> bool {
    let released = input.response.dnd_release_payload::<DraggedKind>();
    let hovering = input.response.dnd_hover_payload::<DraggedKind>();
    let Some(kind) = released.clone().or(hovering) else {
        return false;
    };
    turn(tools, input);
    hold(tools, input, &kind.0);
    if released.is_some()
        && let Some(ghost) = tools.ghost.take()
    {
        out.push(Command::Place {
            kind: kind.0.clone(),
            placement: ghost.placement,
        });
    }
    true
}

fn turn(tools: &mut Tools, input: &ToolInput<'_>) {
    let quarters = if input.shift() { -1 } else { 1 };
    if input.key(Key::R) {
        tools.hold.quarters = (tools.hold.quarters + quarters).rem_euclid(4);
    }
    if input.key(Key::M) {
        tools.hold.mirror = !tools.hold.mirror;
    }
}

fn hold(tools: &mut Tools, input: &ToolInput<'_>, kind: &str) {
    let (Some(pointer), Some(design)) = (input.place(), input.design()) else {
        return;
    };
    let defaults = Defaults {
        width: design.width.0,
        depth: design.depth.map(|depth| depth.0),
    };
    match input.context.library.realise(kind, &[], &defaults) {
        Ok(realisation) => {
            let ghost = snap::ghost(
                realisation,
                input.scene,
                pointer,
                tools.hold,
                input.grid,
                input.reach(),
            );
            tools.ghost = Some(ghost);
        }
        Err(mistakes) => {
            if let (Some(at), Some(mistake)) = (input.pointer, mistakes.first()) {
                tools.refusal = Some((at, mistake.message.clone()));
            }
        }
    }
}

/// Draws what is held, and says what it would meet.
pub fn paint(ghost: &Ghost, input: &ToolInput<'_>, outlines: &Outlines) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let parts: Vec<_> = ghost
        .realisation
        .parts
        .iter()
        .map(|part| {
            let motion = ghost.motion.after(&part.motion);
            let id = outlines.id(&part.shape);
            (placed(id, &motion), &part.shape)
        })
        .collect();
    let pen = Pen {
        width: 1.4,
        colour: if ghost.meets.is_some() {
            colours.fits
        } else {
            colours.ghost
        },
        pixel: 1.0 / painter.pixels_per_point(),
    };
    painter.add(paint::ghost(
        &parts,
        outlines,
        view,
        pen,
        colours.ghost_fill,
    ));
    let sockets = &input.scene.layout.sockets;
    let name = |k: usize| input.scene.layout.full_name(&sockets[k]);
    let text = if let Some(meets) = &ghost.meets {
        lit_socket(painter, view, &sockets[meets.to].geometry, colours.fits);
        format!("{} meets {}", meets.own, name(meets.to))
    } else if let Some((to, width)) = ghost.refused {
        lit_socket(painter, view, &sockets[to].geometry, colours.error);
        let width = print_quantity(width, Dimension::Length);
        format!("no socket fits {}, {width} wide", name(to))
    } else {
        super::select::coordinates(ghost.motion.translation)
    };
    if let Some(at) = input.pointer {
        tag(painter, view, at, &text, colours);
    }
}

/// A part of a ghost: never looked up by its box.
fn placed(shape: usize, motion: &Motion) -> Placed {
    use crate::canvas::scene::Bounds;
    use stokeslet_base::geometry::Point;
    let origin = motion.translation;
    Placed {
        shape,
        x_axis: motion.rotate(Point::new(1.0, 0.0)),
        y_axis: motion.rotate(Point::new(0.0, 1.0)),
        origin,
        bounds: Bounds::of(origin, origin),
        width: 0.0,
        owner: 0,
    }
}
