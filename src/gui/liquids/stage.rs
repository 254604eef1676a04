//! The canvases: a picture a view, moved and zoomed together, with what must be said on top of it.
//!
//! Every frame draws what there is, where it now is, and asks for what is missing; pictures are made by threads of their own.

mod system;

use std::sync::Arc;

use eframe::egui::{
    Align2, Color32, ColorImage, CursorIcon, FontId, Painter, PointerButton, Pos2, Rect, Role,
    Sense, Stroke, StrokeKind, TextureHandle, TextureOptions, Ui, WidgetInfo, pos2, vec2,
};

use super::command::view_name;
use super::figure::{CONTACTS, cone_colour};
use super::picture::{DETACHED, Look, draw};
use super::settings::{AXES, Colour, LiquidSettings, Mark};
use super::shot::{Probe, Shot};
use super::subjects::Group;
use super::{Liquids, Shown};
use crate::canvas::navigate::navigate;
use crate::canvas::theme::Colours;
use crate::canvas::{STEP, View};
use crate::command::Command;
use crate::context::ViewContext;
use crate::results::colour::{ColourMap, marks};
use crate::results::legend::{Bar, Paper, ROW, draw_row};
use crate::results::newest::{Newest, Wake};
use crate::results::raster::Window;
use stokeslet_base::geometry::Point;
use stokeslet_flow::export::readable::{Quantity, Scale, figures};
use system::axes;

/// Room around the scene, points.
const MARGIN: f32 = 14.0;
/// More pixels than this are not made: on a large screen each is shown larger.
const MOST_PIXELS: f32 = 1.2e6;
/// Pressures below zero by more than this part of the greatest have a map of two branches.
const SIGN: f64 = 0.02;

/// What is asked for a view.
#[derive(Clone, Debug)]
struct Asked {
    shot: Arc<Shot>,
    look: Look,
    window: Window,
}

impl Asked {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shot, &other.shot)
            && self.look == other.look
            && self.window == other.window
    }
}

/// A canvas: its picture, and who makes the next.
struct Pane {
    painter: Newest<Asked, (ColorImage, Window)>,
    asked: Option<Asked>,
    shown: Option<(TextureHandle, Window)>,
    /// Whether the picture that is being made is of a scene that was left.
    is_void: bool,
}

impl Pane {
    fn new(name: &str, wake: &Wake) -> Self {
        Self {
            painter: Newest::new(name, wake.clone(), |asked: Asked, _| {
                // Finished even if the next waits: while it plays, one always does.
                let image = draw(&asked.shot, &asked.look, &asked.window, &|| false)?;
                Some((image, asked.window))
            }),
            asked: None,
            shown: None,
            is_void: false,
        }
    }

    /// What is shown is of a scene that was left.
    fn forget(&mut self) {
        self.shown = None;
        let _ = self.painter.take();
        self.is_void = self.painter.is_busy();
    }

    /// Takes what was finished, asks for what is wanted now.
    fn renew(&mut self, painter: &Painter, wanted: Asked) {
        if let Some((image, window)) = self.painter.take()
            && !std::mem::take(&mut self.is_void)
        {
            match &mut self.shown {
                Some((texture, shown)) => {
                    texture.set(image, TextureOptions::LINEAR);
                    *shown = window;
                }
                None => {
                    let context = painter.ctx();
                    let texture = context.load_texture("liquid", image, TextureOptions::LINEAR);
                    self.shown = Some((texture, window));
                }
            }
        }
        // One at a time: a picture of every frame that can be made, none begun in vain.
        if self.asked.as_ref().is_none_or(|asked| !asked.is(&wanted)) && !self.painter.is_busy() {
            self.painter.ask(wanted.clone());
            self.asked = Some(wanted);
        }
    }
}

/// The canvases.
pub struct Stage {
    /// Where the scene is on the screen; the canvases share middle and scale.
    pub view: View,
    /// Whether the scene is kept whole while the window changes.
    is_fitted: bool,
    panes: [Pane; 2],
    /// Where another system's scene in space is seen from: turned and tilted, rad; as it is best seen until somebody turns it.
    from: Option<[f64; 2]>,
    /// What the pointer holds: in which view, where it took hold (m), and how near to the camera that is (m).
    held: Option<(usize, [f64; 3], f64)>,
    /// Where the pointer is: which view, and its place, m.
    pub pointer: Option<(usize, Point)>,
}

impl Stage {
    /// `wake` is called when a picture is done.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let wake: Wake = Arc::new(wake);
        Self {
            view: View::default(),
            is_fitted: true,
            panes: ["liquids left", "liquids right"].map(|name| Pane::new(name, &wake)),
            from: None,
            held: None,
            pointer: None,
        }
    }

    /// Shows another scene, whole: nothing of the one before stays on the canvases.
    pub fn change(&mut self) {
        self.fit();
        self.panes.iter_mut().for_each(Pane::forget);
    }

    /// Shows the scene whole.
    pub fn fit(&mut self) {
        self.is_fitted = true;
        self.from = None;
        self.held = None;
    }

    /// Where another system's scene in space is seen from: turned and tilted, rad.
    pub fn seen_from(&self) -> Option<[f64; 2]> {
        self.from
    }

    /// Closer, about the middle.
    pub fn zoom_in(&mut self) {
        self.zoom(STEP);
    }

    /// Farther, about the middle.
    pub fn zoom_out(&mut self) {
        self.zoom(1.0 / STEP);
    }

    fn zoom(&mut self, factor: f64) {
        self.is_fitted = false;
        self.view.zoom(factor, self.view.rect.center());
    }

    /// Whether no picture is being made.
    pub fn is_settled(&self) -> bool {
        self.panes.iter().all(|pane| !pane.painter.is_busy())
    }

    /// Draws the views side by side into the rest of `ui`, and hears the pointer.
    pub fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let liquids = context.liquids;
        let whole = ui.available_rect_before_wrap();
        let (all, row) = whole.split_top_bottom_at_y(whole.bottom() - ROW);
        let n = liquids.views.len().max(1);
        let gap = 1.0;
        // Whole points: a picture between two pixels is blurred.
        let width = ((all.width() - gap * (n - 1) as f32) / n as f32).floor();
        self.pointer = None;
        for k in 0..n {
            let left = all.left() + k as f32 * (width + gap);
            let right = if k + 1 == n {
                all.right()
            } else {
                left + width
            };
            let rect = Rect::from_min_max(pos2(left, all.top()), pos2(right, all.bottom()));
            self.pane(ui, context, k, rect, out);
        }
        ui.painter_at(row)
            .rect_filled(row, 0.0, Colours::of(ui.visuals()).background);
        legend(&ui.painter_at(row), row, context, ui.visuals().dark_mode);
        ui.advance_cursor_after_rect(whole);
    }

    fn pane(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        k: usize,
        rect: Rect,
        out: &mut Vec<Command>,
    ) {
        let settings = &context.settings.liquids;
        let response = ui.interact(
            rect,
            ui.scope_id().with(("liquid", k)),
            Sense::CLICK | Sense::DRAG,
        );
        let painter = ui.painter_at(rect);
        let colours = Colours::of(ui.visuals());
        painter.rect_filled(rect, 0.0, colours.background);
        self.view.rect = rect;
        let shot = context.liquids.views.get(k).map(|view| view.shot.clone());
        let system = shot.as_ref().and_then(|shot| shot.system());
        if self.is_fitted {
            match system {
                Some(shot) => self.fit_system(shot),
                None => {
                    let room = (rect.width().min(rect.height()) - 2.0 * MARGIN).max(40.0);
                    self.view.middle = Point::new(0.5, 0.5);
                    self.view.scale = 1.0 / f64::from(room);
                }
            }
        }
        if navigate(&mut self.view, &response, false) {
            self.is_fitted = false;
        }
        let is_space = system.is_some_and(|shot| shot.seen.look.dimension == 3);
        let is_held = system.is_some_and(|shot| self.hold(k, shot, &response, out));
        let is_dragged = response.dragged_by(PointerButton::Primary);
        if is_held {
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        } else if let (true, true, Some(shot)) = (is_dragged, is_space, system) {
            self.turn(shot, response.drag_delta());
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        } else if is_dragged || is_space && response.dragged_by(PointerButton::Secondary) {
            self.view.pan(response.drag_delta());
            self.is_fitted = false;
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        }
        if response.double_clicked() {
            self.fit();
        }
        if response.contains_pointer()
            && let Some(at) = ui.input(|i| i.pointer.latest_pos())
        {
            self.pointer = Some((k, self.view.to_chip(at)));
        }
        let Some(view) = context.liquids.views.get(k) else {
            note(&painter, rect, "Preparing the scene…", colours.faint);
            return;
        };
        let name = view_name(&view.choice);
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("View: {name}")));
        let dense = rect.width() * rect.height();
        let pixels = ui.ctx().pixels_per_point() * (MOST_PIXELS / dense.max(1.0)).sqrt().min(1.0);
        let mut look = look(settings, context.liquids, ui.visuals().dark_mode);
        if let Some(shot) = system {
            look.from = self.from.unwrap_or(shot.seen.look.from);
        }
        let wanted = Asked {
            shot: view.shot.clone(),
            window: Window::of_view(&self.view, pixels),
            look,
        };
        self.panes[k].renew(&painter, wanted);
        if let Some((texture, window)) = &self.panes[k].shown {
            let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            let at = window.on_screen(&self.view);
            painter.image(texture.id(), at, uv, Color32::WHITE);
        }
        let paper = Paper::new(ui.visuals().dark_mode);
        head(&painter, rect, k, view, context, &paper);
        if let (true, Some(shot)) = (is_space, system) {
            axes(&painter, rect, &self.camera(shot), &paper);
        }
        if let Some(failure) = context.liquids.failure.as_ref().filter(|f| f.view == k) {
            let text = format!(
                "{}\nThe picture is of the last frame that was solved. {}",
                failure.message,
                match view.choice.group() {
                    Group::System(_) => "Restart to begin anew, with other settings.".to_owned(),
                    group => format!("Choose another {} to go on.", group.solved_by()),
                }
            );
            banner(&painter, rect, &text, colours.error, &paper);
        }
        if k > 0 {
            let line = Stroke::new(1.0, ui.visuals().widgets.noninteractive.bg_stroke.color);
            ui.painter().vline(rect.left() - 0.5, rect.y_range(), line);
        }
    }
}

/// A round number that is at least this.
fn round_up(x: f64) -> f64 {
    let power = 10f64.powf(x.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0];
    let up = steps.into_iter().map(|s| s * power).find(|s| *s >= x);
    up.unwrap_or(x)
}

/// How the views are drawn now.
fn look(settings: &LiquidSettings, liquids: &Liquids, is_dark: bool) -> Look {
    let colour = settings.shown_colour();
    let mut range = liquids.range(colour);
    let is_signed = range[0] < -SIGN * range[1];
    let map = match colour {
        Colour::Pressure if is_signed => {
            let end = range[0].abs().max(range[1]);
            range = [-end, end];
            ColourMap::BlueRed
        }
        Colour::Pressure => {
            range[0] = 0.0;
            ColourMap::Plasma
        }
        _ => ColourMap::Viridis,
    };
    let mut slice = settings.slice;
    if settings.entry().dimension == 2 {
        // A slider that isn't shown makes no pictures.
        slice = LiquidSettings::default().slice;
    }
    Look {
        colour,
        map,
        range,
        particles: settings.marks(Mark::Particles),
        detached: settings.marks(Mark::Detached),
        contacts: settings.marks(Mark::Contacts),
        // Of all views alike, and round, so that it seldom changes.
        vorticity: settings
            .marks(Mark::Vorticity)
            .then(|| {
                let shots = liquids.views.iter().filter_map(|v| v.shot.system());
                let all = shots.filter_map(|shot| shot.vorticity);
                all.fold(None, |most: Option<f64>, w| {
                    Some(most.map_or(w, |m| m.max(w)))
                })
            })
            .flatten()
            .map(round_up),
        from: [0.0; 2],
        slice,
        is_dark,
    }
}

/// The unit of a speed of this size.
fn scale_of(colour: Colour, group: Group, size: f64) -> Scale {
    match colour {
        Colour::Pressure if group.system().is_some() => Quantity::Pressure.scale_for(size),
        Colour::Pressure => Scale {
            unit: "/ density, m²/s²",
            factor: 1.0,
        },
        _ => group.speed_scale(size),
    }
}

/// What colours mean, below the canvases: the same for all of them.
fn legend(painter: &Painter, rect: Rect, context: &ViewContext<'_>, is_dark: bool) {
    let settings = &context.settings.liquids;
    let look = look(settings, context.liquids, is_dark);
    let size = look.range[0].abs().max(look.range[1].abs());
    let unit = scale_of(look.colour, settings.group(), size);
    let turning = look.vorticity.map(|most| Bar {
        name: Mark::Vorticity.label(),
        unit: "1/s",
        map: ColourMap::BlueRed,
        ticks: marks([-most, most], 1.0),
    });
    let bar = turning.or_else(|| {
        (look.colour != Colour::Plain).then(|| Bar {
            name: look.colour.label(),
            unit: unit.unit,
            map: look.map,
            ticks: marks(look.range, unit.factor),
        })
    });
    let mut swatches = Vec::new();
    if look.contacts {
        let shots = context.liquids.views.iter().filter_map(|v| v.shot.system());
        let mut contacts = shots.flat_map(|shot| &shot.seen.look.contacts);
        match contacts.next().map(|contact| contact.sticks) {
            Some(Some(_)) => {
                let names = ["sticks", "slides"].map(str::to_owned);
                swatches.extend(CONTACTS.into_iter().zip(names));
            }
            Some(None) => swatches.push((CONTACTS[1], "contact".to_owned())),
            None => {}
        }
        let shots = context.liquids.views.iter().filter_map(|v| v.shot.system());
        let mut contacts = shots.flat_map(|shot| &shot.seen.look.contacts);
        if contacts.any(|contact| contact.friction > 0.0) {
            swatches.push((cone_colour(is_dark), "friction cone".to_owned()));
        }
    }
    if look.detached {
        swatches.push((DETACHED, "detached".to_owned()));
    }
    let mut notes = Vec::new();
    if settings.entry().dimension == 3 && settings.group().system().is_none() {
        let slice = settings.slice;
        let metre = settings.group().metre();
        let mut text = format!("{} = {:.3}{metre}", AXES[slice.axis.min(2)], slice.at);
        if let (true, Some(view)) = (look.particles, context.liquids.views.first()) {
            text += &format!(" ± {}{metre}", figures(view.shot.dx()));
        }
        notes.push(text);
    }
    let paper = Paper::new(is_dark);
    draw_row(painter, rect, bar.as_ref(), &swatches, &notes, &paper);
}

/// The view's name in its upper left corner, in its colour.
fn head(
    painter: &Painter,
    rect: Rect,
    k: usize,
    view: &Shown,
    context: &ViewContext<'_>,
    paper: &Paper,
) {
    let is_dark = painter.ctx().global_style().visuals.dark_mode;
    let text = view_name(&view.choice);
    let font = FontId::proportional(13.0);
    let galley = painter.layout_no_wrap(text, font, paper.ink);
    let is_compared = context.liquids.views.len() > 1;
    let mark = if is_compared { 16.0 } else { 0.0 };
    let room = galley.size() + vec2(16.0 + mark, 10.0);
    let at = Rect::from_min_size(rect.left_top() + vec2(12.0, 12.0), room);
    painter.rect(
        at,
        6.0,
        paper.ground,
        Stroke::new(1.0, paper.edge),
        StrokeKind::Inside,
    );
    let mut text_at = at.left_top() + vec2(8.0, 5.0);
    if is_compared {
        let middle = pos2(at.left() + 14.0, at.center().y);
        painter.circle_filled(middle, 5.0, super::panels::colour_of(k, is_dark));
        text_at.x += mark;
    }
    painter.galley(text_at, galley, paper.ink);
}

/// What must not be overlooked, at the lower edge.
fn banner(painter: &Painter, rect: Rect, text: &str, ink: Color32, paper: &Paper) {
    let width = (rect.width() - 48.0).max(80.0);
    let galley = painter.layout(text.to_owned(), FontId::proportional(13.0), ink, width);
    let room = galley.size() + vec2(20.0, 14.0);
    let corner = Align2::CENTER_BOTTOM.align_size_within_rect(room, rect.shrink(12.0));
    painter.rect(
        corner,
        6.0,
        paper.ground,
        Stroke::new(1.5, ink),
        StrokeKind::Inside,
    );
    painter.galley(corner.min + vec2(10.0, 7.0), galley, ink);
}

fn note(painter: &Painter, rect: Rect, text: &str, ink: Color32) {
    let at: Pos2 = rect.center();
    painter.text(
        at,
        Align2::CENTER_CENTER,
        text,
        FontId::proportional(14.0),
        ink,
    );
}

/// What is under the pointer, as the status line says it.
pub fn pointed(
    stage_pointer: Option<(usize, Point)>,
    context: &ViewContext<'_>,
) -> Option<(Point, Option<Probe>)> {
    let (k, at) = stage_pointer?;
    let view = context.liquids.views.get(k)?;
    let system = view.shot.system();
    if system.is_some_and(|shot| shot.seen.look.dimension == 3) {
        // A point of the picture is a line in space.
        return None;
    }
    let probe = view
        .shot
        .probe(context.settings.liquids.slice, [at.x, at.y]);
    Some((at, probe))
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage")
            .field("view", &self.view)
            .field("pointer", &self.pointer)
            .finish_non_exhaustive()
    }
}
