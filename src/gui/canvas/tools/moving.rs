//! Items on the move with the select tool: what they meet, what they line up with, where they would lie.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{Color32, Stroke};
use rustc_hash::FxHashSet;

use super::ToolInput;
use super::select::coordinates;
use crate::background::Later;
use crate::canvas::guides::{Features, Others, guides};
use crate::canvas::outline::Outlines;
use crate::canvas::paint::{highlight, lit_socket, tag};
use crate::canvas::scene::{Bounds, Scene};
use crate::canvas::stroke::Pen;
use crate::context::FEW_PARTS;
use stokeslet_base::geometry::Point;
use stokeslet_cad::edits::{Drawing, Snapping};

/// With more items on the move than this nobody looks what each lines up with.
const MOST_GUIDED: usize = 50;

/// Items that are being moved.
#[derive(Clone, Debug)]
pub struct Move {
    /// The layout before.
    pub base: Arc<Scene>,
    /// Sockets that may meet.
    pub snapping: Later<Snapping>,
    /// What moves with it, indices into its items.
    pub moving: FxHashSet<usize>,
    /// Where the button went down, m.
    pub from: Point,
    /// What lands on the grid, m.
    pub origin: Point,
    /// By how much now, m.
    pub by: Point,
    /// The free socket that would be met, by its full name.
    pub meets: Option<String>,
    /// Whether a copy goes there: Alt is held.
    pub copies: bool,
    /// What moves as it lay, and what it may line up with.
    pub lined_up: Later<(Features, Others)>,
}

impl Move {
    /// Items picked up at a place, of which `origin` lands on the grid.
    pub fn new(
        input: &ToolInput<'_>,
        names: BTreeSet<String>,
        moving: FxHashSet<usize>,
        from: Point,
        origin: Point,
    ) -> Self {
        let base = input.scene.clone();
        let is_long = base.layout.parts.len() > FEW_PARTS;
        let design = input.context.document.shown_design().cloned();
        let (layout, library) = (base.layout.clone(), input.context.library.clone());
        let wake = || {
            let ctx = input.ui.ctx().clone();
            move || ctx.request_repaint()
        };
        let snap = move || {
            design.as_ref().map_or_else(Snapping::default, |design| {
                Snapping::new(&Drawing::new(design, &layout, &library), &names)
            })
        };
        let (of, these) = (base.clone(), moving.clone());
        Self {
            base,
            snapping: Later::new(is_long, snap, wake()),
            moving,
            from,
            origin,
            by: Point::default(),
            meets: None,
            copies: false,
            lined_up: Later::new(is_long, move || lined_up(&of, &these), wake()),
        }
    }

    /// Follows the pointer: by sockets that meet, the grid, or along one axis.
    pub fn follow(&mut self, place: Point, input: &ToolInput<'_>) {
        let raw = place - self.from;
        if input.shift() {
            // Along one axis, that of the longer way.
            let snapped = input.snap(self.origin + raw) - self.origin;
            let is_level = raw.x.abs() >= raw.y.abs();
            self.by = match is_level {
                true => Point::new(snapped.x, 0.0),
                false => Point::new(0.0, snapped.y),
            };
            self.meets = None;
            return;
        }
        (self.by, self.meets) = match self
            .snapping
            .get()
            .and_then(|s| s.nearest(raw, input.reach()))
        {
            Some((by, socket)) => (by, Some(socket.to_owned())),
            None => (input.snap(self.origin + raw) - self.origin, None),
        };
    }
}

/// What moves as it lay, and what it may line up with: nothing where too much moves.
fn lined_up(base: &Scene, moving: &FxHashSet<usize>) -> (Features, Others) {
    let mut own = Features::default();
    if moving.len() > MOST_GUIDED {
        return (own, Others::default());
    }
    let mut others = vec![Features::default(); base.boxes.len()];
    for (item, bounds) in base.boxes.iter().enumerate() {
        match bounds.filter(|_| moving.contains(&item)) {
            Some(here) => own.bounds = Some(own.bounds.map_or(here, |all| all.with(&here))),
            None => others[item].bounds = *bounds,
        }
    }
    for socket in &base.layout.sockets {
        let of = match moving.contains(&socket.item) {
            true => &mut own,
            false => &mut others[socket.item],
        };
        of.sockets.push(socket.geometry.middle);
    }
    let others = Others::new(&others);
    (own, others)
}

/// Thin lines where what is dragged lines up with what stays and is in view.
fn paint_guides(moved: &Move, input: &ToolInput<'_>) {
    let (low, high) = input.view.seen();
    let Some((own, others)) = moved.lined_up.get() else {
        return;
    };
    let near = input.view.length(0.5);
    let line = Stroke::new(1.0, input.colours.fits.gamma_multiply(0.7));
    for ends in guides(&own.moved(moved.by), others, Bounds { low, high }, near) {
        let ends = ends.map(|p| input.view.to_screen(p));
        input.painter.line_segment(ends, line);
    }
}

/// Draws what moves as it would lie, and says by how much.
pub fn paint_move(moved: &Move, input: &ToolInput<'_>, outlines: &Outlines) {
    let (painter, colours) = (input.painter, input.colours);
    if moved.by != Point::default() {
        paint_guides(moved, input);
    }
    let document = input.context.document;
    let is_preview = !Arc::ptr_eq(document.shown_layout(), &document.layout);
    if !is_preview && moved.by != Point::default() {
        let mut view = *input.view;
        view.middle = view.middle - moved.by;
        let pen = Pen {
            width: 1.2,
            colour: colours.ghost,
            pixel: 1.0 / painter.pixels_per_point(),
        };
        let parts = moved
            .moving
            .iter()
            .flat_map(|&item| moved.base.parts_of(item).iter().copied());
        let mut parts: Vec<usize> = parts.collect();
        parts.sort_unstable();
        let parts = parts.into_iter();
        let mesh = highlight(
            parts,
            &moved.base,
            outlines,
            &view,
            pen,
            Color32::TRANSPARENT,
        );
        painter.add(mesh);
    }
    let verb = if moved.copies { "copy by" } else { "by" };
    let mut text = format!("{verb} {}", coordinates(moved.by));
    if let Some(name) = &moved.meets {
        if let Some(socket) = moved.base.socket(name) {
            let socket = &moved.base.layout.sockets[socket].geometry;
            lit_socket(painter, input.view, socket, colours.fits);
        }
        text = format!("meets {name}\n{text}");
    }
    if let Some(at) = input.response.interact_pointer_pos() {
        tag(painter, input.view, at, &text, colours);
    }
}
