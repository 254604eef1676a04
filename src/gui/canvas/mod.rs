//! The chip view: `scene` says what to show, `paint` how, `tools` what the pointer does.
//!
//! ```text
//! Layout --Scene::new, once a layout--> Scene (boxes, sockets, index) --paint + Outlines--> a few meshes (of a large chip `shown`, beside the window)
//! pointer, keys --navigate--> View;  --tools::hear--> Commands, and what to show until the button is released
//! ```
//! From back to front: grid, areas, results, walls, sockets and names, ports, highlights, problems, what tools show, legends, scale
//! bar. While only the pointer moves, the chip's meshes are not made again.

mod access;
mod buckets;
pub mod dimensions;
pub mod grid;
mod grouped;
mod guides;
mod menu;
pub(crate) mod navigate;
pub mod outline;
pub mod overlays;
pub mod paint;
mod pick;
pub mod ports;
pub mod route;
pub mod scene;
pub mod shown;
pub mod snap;
pub mod stroke;
pub mod theme;
pub mod tools;
pub mod view;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use eframe::egui::{self, Color32, Sense};

use super::background;
use super::command::{Command, Layer};
use super::context::{FEW_PARTS, Hidden, Selection, Tool, ViewContext};
use super::panels::OnCanvas;
use dimensions::Dimensions;
use grid::Grid;
use outline::Outlines;
use paint::{Look, Painted, Side};
use scene::{Bounds, Scene};
use shown::{Shown, Sight};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Layout;
use stokeslet_cad::design::{Design, OverlayLayer};
use stokeslet_cad::shape::Socket;
use stroke::Pen;
use theme::Colours;
pub use tools::DraggedKind;
use tools::{Hit, ToolInput, Tools};
pub use view::View;

/// The window's layout settles within so many frames; until then what is fitted is fitted again.
const SETTLING: u8 = 3;
/// Closer or farther by this factor with each command.
pub(crate) const STEP: f64 = 1.4;

/// What draws results on the canvas.
pub trait FieldPainter {
    /// Over the chip's area, under its walls.
    fn under(&mut self, painter: &egui::Painter, view: &View, context: &ViewContext<'_>);
    /// Over everything: legends, probes.
    fn over(&mut self, painter: &egui::Painter, view: &View, context: &ViewContext<'_>);
}

/// Around the socket of a port its arrow, name and value lie within this, points.
const PORT_ROOM: egui::Vec2 = egui::vec2(140.0, 110.0);
/// At most so many boxes are looked at to find room beside them.
const MOST_BOXES: usize = 400;

/// The pointer belongs to the panels this near to them, points.
const EDGE: f32 = 4.0;

/// The canvas: its view and what the pointer is doing.
#[derive(Debug, Default)]
pub struct Canvas {
    /// Where the chip is on the screen.
    pub view: View,
    /// Where the pointer is over the canvas, m.
    pub pointer: Option<Point>,
    /// Whether a menu or a list was open when the frame began: keys are its own then.
    pub has_popup: bool,
    /// Whether it was last drawn dark on light.
    pub is_light: bool,
    layer: Option<egui::LayerId>,
    ports: Vec<(String, Socket)>,
    scene: Option<Arc<Scene>>,
    /// The chip that is compared with.
    before: Option<Arc<Scene>>,
    outlines: Outlines,
    painted: Painted,
    /// What was made beside the window of the layout that the document is about to have.
    expected: Option<Shown>,
    /// Whether the scene is another one in this frame, and too large for its triangles to be made in it as well.
    is_behind: bool,
    dimensions: Dimensions,
    tools: Tools,
    menu: menu::Target,
    fit: Option<(Bounds, u8)>,
    was_shown: bool,
}

impl Canvas {
    /// Shows all of a layout, and of what a design draws over it, from the next frame on; of an empty one, a piece of the plane about its
    /// origin.
    pub fn fit(&mut self, layout: &Layout, design: Option<&Design>) {
        self.was_shown = true;
        let corners = layout.parts.iter().flat_map(|part| {
            let to_chip = part.motion.to_apply();
            let corners = stokeslet_cad::library::boundary(&part.shape, 36);
            corners.into_iter().map(to_chip)
        });
        let overlays = design.and_then(|design| overlays::bounds(design, |_| true));
        let both = [Bounds::around(corners), overlays].into_iter().flatten();
        match both.reduce(|a, b| a.with(&b)) {
            Some(bounds) => self.fit_box(bounds.low, bounds.high),
            None => {
                let rect = self.view.rect;
                self.view = View {
                    rect,
                    ..View::default()
                };
                self.fit = None;
            }
        }
    }

    /// Shows a box of the chip whole from the next frame on, m.
    pub fn fit_box(&mut self, low: Point, high: Point) {
        self.fit = Some((Bounds::of(low, high), SETTLING));
    }

    /// Shows what is selected from the next frame on; `false` where none of it is placed.
    pub fn fit_selection(&mut self, selection: &Selection, design: Option<&Design>) -> bool {
        let is_selected = |name: &str| selection.items.contains(name);
        let overlays = design.and_then(|design| overlays::bounds(design, is_selected));
        let scene = self.scene.as_ref();
        let items = scene.and_then(|scene| scene.box_of(&selection.items));
        let items = [items, overlays].into_iter().flatten();
        let items = items.reduce(|a, b| a.with(&b));
        let port = selection.port.as_ref().and_then(|port| {
            let (_, socket) = self.ports.iter().find(|(name, _)| name == port)?;
            Some(Bounds::of(socket.middle, socket.middle).grown(4.0 * socket.width))
        });
        let Some(bounds) = items.or(port) else {
            return false;
        };
        // Some of what is around it, too.
        let room = 0.2 * bounds.size().x.max(bounds.size().y);
        self.fit_box(
            bounds.low - Point::new(room, room),
            bounds.high + Point::new(room, room),
        );
        true
    }

    /// Opens a field for a parameter of a component where it is drawn.
    pub fn edit_dimension(&mut self, component: &str, parameter: &str) {
        self.tools.edit(component, parameter);
    }

    /// Closer, about the middle.
    pub fn zoom_in(&mut self) {
        self.view.zoom(STEP, self.view.rect.center());
    }

    /// Farther, about the middle.
    pub fn zoom_out(&mut self) {
        self.view.zoom(1.0 / STEP, self.view.rect.center());
    }

    /// What it draws on, once it has been shown.
    pub fn layer(&self) -> Option<egui::LayerId> {
        self.layer
    }

    /// Whether something is being drawn or dragged on the canvas.
    pub fn is_busy(&self) -> bool {
        self.tools.is_busy()
    }

    /// How it sees chips, with this hidden.
    pub fn sight(&self, hidden: &Hidden) -> Sight {
        Sight {
            hidden: hidden.clone(),
            outlines: self.outlines.clone(),
            look: self.painted.look().copied(),
        }
    }

    /// Shows this as soon as its layout is the document's.
    pub fn expect(&mut self, shown: Shown) {
        self.expected = Some(shown);
    }

    /// What is going on, for what is shown over it.
    pub fn state(&self, context: &ViewContext<'_>) -> OnCanvas {
        let scene = self.scene.iter();
        let boxes = scene.flat_map(|scene| scene.boxes.iter().flatten().copied());
        let boxes = boxes.chain(overlays::boxes(context));
        // Where there are more than can be told apart it doesn't matter what is covered.
        let boxes = boxes.take(MOST_BOXES).map(|b| {
            egui::Rect::from_two_pos(self.view.to_screen(b.low), self.view.to_screen(b.high))
        });
        let ports = self.ports.iter().map(|(_, socket)| {
            egui::Rect::from_center_size(self.view.to_screen(socket.middle), PORT_ROOM)
        });
        OnCanvas {
            is_busy: self.is_busy(),
            taken: boxes.chain(ports).collect(),
        }
    }

    /// Draws the chip into the rest of `ui`, and hears the pointer. Keys that a tool needs are taken from the input, so
    /// shortcuts of the whole window are heard after this.
    pub fn ui(
        &mut self,
        ui: &mut egui::Ui,
        context: &ViewContext<'_>,
        fields: &mut dyn FieldPainter,
        out: &mut Vec<Command>,
    ) {
        let (area, painter) = ui.allocate_painter(ui.available_size(), Sense::hover());
        // The edges of panels are caught on both of their sides.
        let within = area.rect.shrink(EDGE);
        let response = ui.interact(within, area.id.with("chip"), Sense::CLICK | Sense::DRAG);
        self.view.rect = area.rect;
        self.layer = Some(response.layer_id);
        let scene = self.scene_of(context);
        self.apply_fit(&scene);
        let dropped = response.contains_pointer() && ui.input(|i| i.pointer.any_released());
        if response.is_pointer_button_down_on() || dropped {
            // Whoever presses on the chip or drops something there is done with the text field.
            ui.ctx().memory_mut(|memory| {
                if let Some(focused) = memory.focused() {
                    memory.surrender_focus(focused);
                }
            });
        }
        let has_popup = self.has_popup || egui::Popup::is_any_open(ui.ctx());
        let hears_keys = !ui.ctx().egui_wants_keyboard_input() && !has_popup;
        // In a length that is typed, a blank is a blank.
        let pans_by_space = hears_keys && self.tools.typed.is_empty();
        if navigate::navigate(&mut self.view, &response, pans_by_space) {
            self.fit = None;
        }
        let at = ui.input(|i| i.pointer.latest_pos());
        let over = response.contains_pointer() || response.dragged() || response.drag_stopped();
        let mouse = at.filter(|_| over);
        let keyed = match hears_keys {
            true => self
                .tools
                .hear_cursor(ui.ctx(), context.tool, mouse, &mut self.view, &scene),
            false => None,
        };
        let at = keyed.map(|keyed| keyed.at).or(mouse);
        self.pointer = at.map(|at| self.view.to_chip(at));

        let view = self.view;
        let colours = Colours::of(ui.visuals());
        self.is_light = !ui.visuals().dark_mode;
        let design = context.document.shown_design();
        let ports = design.map_or_else(Vec::new, |design| {
            ports::symbols(&painter, &view, &scene, design, context.results)
        });
        let dimensions = self
            .dimensions
            .labels(&painter, &view, &scene, &ports, context);
        let input = ToolInput {
            ui: &*ui,
            response: &response,
            painter: &painter,
            view: &view,
            scene: &scene,
            ports: &ports,
            dimensions: &dimensions,
            context,
            colours,
            grid: context.settings.snap.then(|| Grid::at(view.scale)),
            pointer: at,
            hears_keys,
            keyed,
            is_behind: self.is_behind,
        };
        let pans = pans_by_space && ui.input(|i| i.key_down(egui::Key::Space));
        if !pans {
            tools::hear(&mut self.tools, &input, out);
        }
        self.hear_menu(&input, out);
        self.paint(&input, fields);
        tools::edit_ui(&mut self.tools, &input, out);
        access::widgets(&input, out);
        let menu = &self.menu;
        response.context_menu(|ui| menu::menu(ui, menu, context, &scene, out));
        if let Some(bounds) = self.tools.fit.take() {
            self.fit_box(bounds.low, bounds.high);
            ui.ctx().request_repaint();
        }
    }

    /// The scene of what is shown, made anew where the layout is another.
    fn scene_of(&mut self, context: &ViewContext<'_>) -> Arc<Scene> {
        let layout = context.document.shown_layout();
        let was_behind = std::mem::take(&mut self.is_behind);
        if let Some(scene) = &self.scene
            && Arc::ptr_eq(&scene.layout, layout)
            && scene.hidden == *context.hidden
        {
            return scene.clone();
        }
        if self.outlines.is_full() {
            self.outlines = Outlines::default();
            // Its shapes are known by their numbers there.
            self.before = None;
        }
        let expected = self.expected.take();
        let expected = expected.filter(|e| e.is_of(layout, context.hidden, &self.outlines));
        let new = expected.unwrap_or_else(|| {
            let design = context.document.shown_design();
            Shown::new(layout, design.map(|d| &**d), context.hidden, &self.outlines)
        });
        let has_triangles = new.painted.is_some();
        let painted = new
            .painted
            .map(|painted| std::mem::replace(&mut self.painted, painted));
        let old = (
            self.scene.replace(new.scene.clone()),
            std::mem::replace(&mut self.ports, new.ports),
            painted,
        );
        if let (Some(scene), ..) = &old
            && scene.parts.len() > FEW_PARTS
        {
            // That takes milliseconds, as the scene's triangles do, which are left to the next frame.
            background::discard(old);
            self.is_behind = !was_behind && !has_triangles;
        }
        new.scene
    }

    /// The scene of the chip that is compared with, if one is, made anew where it is another.
    fn before_of(&mut self, context: &ViewContext<'_>) -> Option<Arc<Scene>> {
        let layout = &context.before?.layout;
        let known = self.before.as_ref();
        let known = known.filter(|scene| Arc::ptr_eq(&scene.layout, layout));
        let scene = known.cloned();
        let scene = scene.unwrap_or_else(|| Arc::new(Scene::new(layout.clone(), &self.outlines)));
        self.before = Some(scene.clone());
        Some(scene)
    }

    fn apply_fit(&mut self, scene: &Scene) {
        if !self.was_shown
            && let Some(bounds) = scene.bounds
        {
            self.was_shown = true;
            self.fit_box(bounds.low, bounds.high);
        }
        if let Some((bounds, frames)) = &mut self.fit {
            self.view.fit(bounds.low, bounds.high);
            *frames -= 1;
            if *frames == 0 {
                self.fit = None;
            }
        }
    }

    /// The right button selects what it opens its menu on.
    fn hear_menu(&mut self, input: &ToolInput<'_>, out: &mut Vec<Command>) {
        let at = input.response.interact_pointer_pos().or(input.pointer);
        let Some(at) = at.filter(|_| input.response.secondary_clicked()) else {
            return;
        };
        let hit = self.tools.hit(input, at);
        match &hit {
            Some(Hit::Item(name)) if !input.context.selection.items.contains(name) => {
                out.push(Command::Select(Selection::one(name)));
            }
            Some(Hit::Port(name)) => out.push(Command::Select(Selection::of_port(name))),
            Some(Hit::Dimension(name, _)) => out.push(Command::Select(Selection::one(name))),
            Some(Hit::Item(_) | Hit::WayPoint(..) | Hit::Parameter(_)) | None => {}
        }
        let place = input.view.to_chip(at);
        let socket = input.scene.free_socket_at(place, input.reach());
        let name = |k: usize| input.scene.layout.full_name(&input.scene.layout.sockets[k]);
        self.menu = menu::Target {
            hit,
            socket: socket.map(name),
        };
    }

    fn paint(&mut self, input: &ToolInput<'_>, fields: &mut dyn FieldPainter) {
        let (painter, view, scene) = (input.painter, input.view, input.scene);
        let (context, colours) = (input.context, input.colours);
        let layers = &context.settings.layers;
        painter.rect_filled(view.rect, 0.0, colours.background);
        if layers.contains(&Layer::Grid) {
            grid::paint(painter, view, colours);
        }
        let look = Look {
            view: *view,
            colours: *colours,
            parts: layers.contains(&Layer::Parts),
            pixel: 1.0 / painter.pixels_per_point(),
        };
        if self.is_behind && self.painted.look() == Some(&look) {
            // What was there before, once more.
            input.ui.ctx().request_repaint();
        } else if !self.painted.is_of(&look, input.scene) {
            self.painted = Painted::new(look, input.scene, &self.outlines);
        }
        let [areas, walls] = self.painted.meshes();
        painter.extend(areas.into_iter().map(Into::into));
        fields.under(painter, view, context);
        if !context.hidden.items.is_empty() && context.shown.colour.is_some() {
            // Colours lie over the whole chip.
            painter.add(paint::cover(scene, &self.outlines, view, colours));
        }
        // Under the walls of now, which hide it where nothing was changed.
        let before = self.before_of(context);
        if let Some(before) = before.filter(|b| !Arc::ptr_eq(&b.layout, &scene.layout)) {
            let pen = Pen {
                width: 1.6,
                colour: colours.before,
                pixel: look.pixel,
            };
            let parts = 0..before.parts.len();
            let outlines = &self.outlines;
            painter.add(paint::highlight(
                parts,
                &before,
                outlines,
                view,
                pen,
                Color32::TRANSPARENT,
            ));
        }
        painter.extend(walls.into_iter().map(Into::into));
        let hovered = match &self.tools.hover {
            Some(Hit::Item(name)) => Some(name.clone()),
            _ => None,
        };
        overlays::paint(input, OverlayLayer::Control, hovered.as_deref());
        paint::threads(painter, view, scene, colours);
        if layers.contains(&Layer::Sockets) {
            paint::sockets(painter, view, scene, colours);
        }
        self.paint_highlights(input);
        if layers.contains(&Layer::Names) {
            paint::names(painter, view, scene, colours);
        }
        overlays::paint(input, OverlayLayer::Notes, hovered.as_deref());
        for label in input.dimensions {
            let hit = Hit::Dimension(label.component.clone(), label.parameter.clone());
            let is_lit = self.tools.hover == Some(hit);
            dimensions::paint(painter, label, is_lit, colours);
        }
        for port in input.ports {
            let is_selected = context.selection.port.as_ref() == Some(&port.name);
            let is_hovered = self.tools.hover == Some(Hit::Port(port.name.clone()));
            let colour = match (is_selected, is_hovered) {
                (true, _) => colours.accent,
                (false, true) => colours.hover,
                (false, false) => colours.port,
            };
            ports::paint(painter, port, colour, colours);
        }
        self.paint_problems(input);
        tools::paint(&self.tools, input, &self.outlines);
        fields.over(painter, view, context);
        grid::paint_bar(painter, view, colours);
    }

    fn paint_highlights(&mut self, input: &ToolInput<'_>) {
        let (painter, scene, colours) = (input.painter, input.scene, input.colours);
        let pixel = 1.0 / painter.pixels_per_point();
        let selection = &input.context.selection.items;
        let parts_of = |name: &String| {
            let item = scene.item(name);
            item.map_or(&[][..], |item| scene.parts_of(item))
        };
        if !selection.is_empty() {
            let pen = Pen {
                width: 2.2,
                colour: colours.accent,
                pixel,
            };
            let parts = selection.iter().flat_map(parts_of).copied();
            let outlines = &self.outlines;
            // Over colours that mean something, only the outline: a tint would be read as another value.
            let has_field =
                input.context.shown.colour.is_some() && input.context.results.solved.is_some();
            let inside = if has_field {
                Color32::TRANSPARENT
            } else {
                colours.accent_fill
            };
            painter.add(paint::highlight(
                parts, scene, outlines, input.view, pen, inside,
            ));
        }
        if let Some(Hit::Item(name)) = &self.tools.hover {
            let pen = Pen {
                width: 2.0,
                colour: colours.hover,
                pixel,
            };
            if !selection.contains(name) {
                let parts = parts_of(name).iter().copied();
                let inside = Color32::TRANSPARENT;
                let outlines = &self.outlines;
                painter.add(paint::highlight(
                    parts, scene, outlines, input.view, pen, inside,
                ));
            }
            if *input.context.tool == Tool::Select
                && let Some(at) = input.pointer
            {
                let text = describe(input, name);
                paint::tag_on(painter, input.view, at, &text, colours, Side::Above);
            }
        }
    }

    fn paint_problems(&mut self, input: &ToolInput<'_>) {
        let (painter, scene, colours) = (input.painter, input.scene, input.colours);
        let errors = input.context.document.errors().iter();
        let mut names: Vec<&str> = errors
            .filter_map(|d| d.place.component.as_deref())
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            if let Some(port) = input.ports.iter().find(|port| port.name == name) {
                paint::badge(painter, port.head(), colours);
            }
            let Some(item) = scene.item(name) else {
                continue;
            };
            let Some(anchor) = scene.anchor(item) else {
                continue;
            };
            let pen = Pen {
                width: 2.2,
                colour: colours.error,
                pixel: 1.0 / painter.pixels_per_point(),
            };
            let parts = scene.parts_of(item).iter().copied();
            let outlines = &self.outlines;
            let inside = colours.error.gamma_multiply(0.12);
            painter.add(paint::highlight(
                parts, scene, outlines, input.view, pen, inside,
            ));
            // On the thing itself: the corner of a box around something slanted is far from it.
            let at = input.view.to_screen(anchor);
            if input.view.rect.expand(8.0).contains(at) {
                paint::badge(painter, at, colours);
            }
        }
    }
}

/// An item's name and what it is.
fn describe(input: &ToolInput<'_>, name: &str) -> String {
    let item = input.scene.item(name);
    let component = input
        .design()
        .zip(item)
        .and_then(|(design, item)| design.components.get(item));
    let overlays = input.design().map_or(&[][..], |design| &design.overlays);
    let overlay = overlays.iter().find(|o| o.name.value == name);
    match (component, overlay) {
        (_, Some(overlay)) => format!("{name} · {}", overlay.layer.entry()),
        (Some(component), None) => {
            format!("{name} · {}", component.kind.value.replace('_', " "))
        }
        (None, None) => format!("{name} · channel"),
    }
}
