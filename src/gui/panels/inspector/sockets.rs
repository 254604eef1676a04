//! The sockets of a component or channel: who meets them, and a way to open those that are free.

use eframe::egui::{self, Ui};

use super::section;
use crate::command::Command;
use crate::context::{Selection, ViewContext};
use crate::panels::fields::row;
use stokeslet_cad::chip::{LaidSocket, Layout, SocketUse};
use stokeslet_cad::library::Definition;

pub(super) fn ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    item: &str,
    definition: Option<&Definition>,
    out: &mut Vec<Command>,
) {
    let layout = &context.document.layout;
    let Some(index) = layout.item(item) else {
        return;
    };
    let mine: Vec<&LaidSocket> = layout.sockets.iter().filter(|s| s.item == index).collect();
    if mine.is_empty() {
        return;
    }
    section(ui, "Sockets");
    for socket in mine {
        let docs = definition.into_iter().flat_map(|d| &d.socket_docs);
        let doc = docs
            .filter(|(name, _)| *name == socket.name)
            .map(|(_, doc)| doc.as_str())
            .next();
        row(
            ui,
            &socket.name,
            doc.unwrap_or_default(),
            |ui| match socket.used {
                SocketUse::Free => {
                    let full = layout.full_name(socket);
                    let response = ui.small_button("Open to outside");
                    response.widget_info(|| {
                        egui::WidgetInfo::labeled(
                            egui::Role::Button,
                            true,
                            format!("Open {full} to outside"),
                        )
                    });
                    if response
                        .on_hover_text("Make a port here; until then it is a wall.")
                        .clicked()
                    {
                        out.push(Command::AddPort(full));
                    }
                }
                SocketUse::Connected => match partner(layout, socket) {
                    Some(other) => {
                        let name = layout.full_name(other);
                        if ui.link(&name).on_hover_text("Select it").clicked() {
                            out.push(Command::Select(Selection::one(&layout.items[other.item])));
                        }
                    }
                    None => {
                        ui.weak("connected");
                    }
                },
                SocketUse::Port(port) => {
                    let port = context
                        .document
                        .design
                        .as_ref()
                        .and_then(|d| d.ports.get(port));
                    let name = port.map_or("", |port| port.name.value.as_str());
                    if ui
                        .link(format!("port {name}"))
                        .on_hover_text("Select it")
                        .clicked()
                    {
                        out.push(Command::Select(Selection::of_port(name)));
                    }
                }
            },
        );
    }
}

/// The socket that lies where this one does.
fn partner<'a>(layout: &'a Layout, socket: &LaidSocket) -> Option<&'a LaidSocket> {
    let near = |other: &&LaidSocket| {
        other.socket != socket.socket
            && other.used == SocketUse::Connected
            // Connected sockets agree far better than this.
            && (other.geometry.middle - socket.geometry.middle).norm() < 1e-3 * socket.geometry.width
    };
    layout.sockets.iter().find(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened, opened_example};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn partners_are_those_that_the_design_connects() {
        let state = opened_example("bridge");
        let layout = &state.document.layout;
        let named = |name: &str| {
            layout
                .sockets
                .iter()
                .find(|s| layout.full_name(s) == name)
                .unwrap()
        };
        let partner_of = |name: &str| partner(layout, named(name)).map(|s| layout.full_name(s));
        assert_eq!(partner_of("feed.a").as_deref(), Some("source.up"));
        assert_eq!(partner_of("source.up").as_deref(), Some("feed.a"));
        for socket in &layout.sockets {
            if socket.used == SocketUse::Connected {
                assert!(
                    partner(layout, socket).is_some(),
                    "{}",
                    layout.full_name(socket)
                );
            }
        }
    }

    #[test]
    fn a_free_socket_is_opened() {
        let mut state = opened(
            "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n",
        );
        state.selection = Selection::one("t");
        let shown = Shown::new(state);
        let mut harness = harness(&shown);
        // It may lie below the edge of the panel.
        harness.get_by_label("Open t.up to outside").scroll_to_me();
        harness.run_steps(4);
        harness.get_by_label("Open t.up to outside").click();
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [Command::AddPort("t.up".into())]);
    }
}
