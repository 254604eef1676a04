//! Results on the canvas: the image under the walls; probes, lines and the legend over everything.
//!
//! Every frame draws what there is, where the chip now is, and asks for what is missing; nothing waits. Images and streamlines are
//! made by threads of their own ([`super::painting`], [`stokeslet_flow::trace`]).

use std::sync::Arc;

use eframe::egui::{
    Color32, ColorImage, FontId, Painter, Rect, Stroke, TextureHandle, TextureId, TextureOptions,
    pos2, vec2,
};
use rayon::prelude::*;

use super::colour::{ColourMap, DISTINCT, Scaling, table};
use super::curves::{draw_arrows, draw_streamlines};
use super::legend::{self, Legend, Paper};
use super::newest::{Newest, Wake};
use super::painting::{Asked, Look, MeshSeen, Painting, paint};
use super::raster::Window;
use super::solved::count;
use super::{Quantity, Solved};
use crate::canvas::{FieldPainter, View};
use crate::command::Layer;
use crate::context::{Tool, ViewContext};
use crate::species::Dissolved;
use crate::species::motion::Motion;
use crate::species::overlay::{draw_section, missing, readings};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::SocketUse;
use stokeslet_flow::probe;
use stokeslet_flow::quantities;
use stokeslet_flow::trace::{Seed, Streamline, inlet_seeds, streamline};

/// Distance of arrows, points, at least; at most a half more.
const ARROW_GAP: f32 = 26.0;
/// Pixels of the image of the whole chip, which stands in at the edges while the view moves.
const OVERVIEW: usize = 1024;
/// Results older than the drawing are dimmed after this long, s: in live mode the next come sooner.
const DIM_AFTER: f64 = 0.3;
/// Unknowns on seams are dots where a seam is at least so long, points.
const DOTTED_SEAM: f32 = 70.0;

/// What draws results on the canvas.
pub struct FieldLayer {
    /// Where the pointer is over the canvas, m.
    pub pointer: Option<Point>,
    sharp: Layered,
    overview: Layered,
    tracer: Newest<Tracing, Traced>,
    traced: Option<Traced>,
    tracing: Option<Tracing>,
    /// Since when the results are older than the drawing, s of the window's clock.
    stale_since: Option<f64>,
    motion: Motion,
}

/// An image that is made by a thread, and the newest that was finished.
struct Layered {
    painter: Newest<Asked, Painting>,
    asked: Option<Asked>,
    shown: Option<(TextureHandle, Painting)>,
}

/// Streamlines to find.
#[derive(Clone, Debug)]
struct Tracing {
    solved: Arc<Solved>,
    from_inlets: bool,
    seeds: Vec<Point>,
}

impl Tracing {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.solved, &other.solved)
            && self.from_inlets == other.from_inlets
            && self.seeds == other.seeds
    }
}

/// Streamlines found.
#[derive(Debug)]
struct Traced {
    lines: Vec<Streamline>,
}

fn trace(tracing: Tracing, is_stale: &(dyn Fn() -> bool + Sync)) -> Option<Traced> {
    let solved = &tracing.solved;
    let mut seeds = if tracing.from_inlets {
        inlet_seeds(&solved.flow())
    } else {
        Vec::new()
    };
    seeds.extend(tracing.seeds.iter().map(|&at| Seed { at, rank: None }));
    let lines: Vec<Option<Streamline>> = seeds
        .par_iter()
        .map(|&seed| {
            if is_stale() {
                return None;
            }
            streamline(&solved.flow(), seed)
        })
        .collect();
    (!is_stale()).then(|| Traced {
        lines: lines.into_iter().flatten().collect(),
    })
}

impl Asked {
    fn is(&self, other: &Self) -> bool {
        let same = |a: &Option<Arc<Dissolved>>, b: &Option<Arc<Dissolved>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        Arc::ptr_eq(&self.solved, &other.solved)
            && same(&self.dissolved, &other.dissolved)
            && self.window == other.window
            && self.look == other.look
    }
}

impl Layered {
    fn new(name: &str, wake: &Wake) -> Self {
        Self {
            painter: Newest::new(name, wake.clone(), |asked, _| Some(paint(asked))),
            asked: None,
            shown: None,
        }
    }

    /// Takes what was finished, asks for what is wanted now.
    fn renew(&mut self, painter: &Painter, wanted: Asked) {
        if let Some(painting) = self.painter.take() {
            let image = painting.image.clone();
            match &mut self.shown {
                Some((texture, shown)) => {
                    texture.set(image, TextureOptions::LINEAR);
                    *shown = painting;
                }
                None => {
                    let texture =
                        painter
                            .ctx()
                            .load_texture("field", image, TextureOptions::LINEAR);
                    self.shown = Some((texture, painting));
                }
            }
        }
        if self.asked.as_ref().is_none_or(|asked| !asked.is(&wanted)) {
            self.painter.ask(wanted.clone());
            self.asked = Some(wanted);
        }
    }

    fn clear(&mut self) {
        (self.asked, self.shown) = (None, None);
    }

    fn draw(&self, painter: &Painter, view: &View, tint: Color32) -> Option<Rect> {
        let (texture, painting) = self.shown.as_ref()?;
        let rect = painting.asked.window.on_screen(view);
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(texture.id(), rect, uv, tint);
        Some(rect)
    }
}

impl FieldLayer {
    /// Starts the threads that make images; `wake` is called whenever one is finished.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let wake: Wake = Arc::new(wake);
        Self {
            pointer: None,
            sharp: Layered::new("field", &wake),
            overview: Layered::new("overview", &wake),
            tracer: Newest::new("streamlines", wake, trace),
            traced: None,
            tracing: None,
            stale_since: None,
            motion: Motion::default(),
        }
    }

    /// Whether an image or streamlines are still being made: what is seen isn't final.
    pub fn is_busy(&self) -> bool {
        let has_news = |layer: &Layered| match (&layer.asked, &layer.shown) {
            (Some(asked), Some((_, shown))) => !asked.is(&shown.asked),
            (Some(_), None) => true,
            _ => false,
        };
        has_news(&self.sharp) || self.tracer.is_busy()
    }

    /// What the colours mean now, for other pictures of the same.
    pub fn scaling(&self) -> Option<Scaling> {
        self.sharp.shown.as_ref().and_then(|s| s.1.scaling)
    }

    /// The pixels of one of the images on the canvas.
    pub fn image_of(&self, id: TextureId) -> Option<Arc<ColorImage>> {
        let shown = [&self.sharp, &self.overview].map(|layer| layer.shown.as_ref());
        let mut shown = shown.into_iter().flatten();
        let (_, painting) = shown.find(|(texture, _)| texture.id() == id)?;
        Some(painting.image.clone())
    }

    fn look(&self, painter: &Painter, view: &View, context: &ViewContext<'_>) -> Look {
        let has = |layer| context.settings.layers.contains(&layer);
        let gap = view.length(ARROW_GAP);
        // Distances are powers of the root of two, so that zooming a little leaves arrows where they are.
        let gap = 2f64.powf((2.0 * gap.log2()).ceil() / 2.0);
        Look {
            colour: context.shown.colour,
            range: context.shown.range,
            mesh: has(Layer::Mesh),
            parts: has(Layer::Parts),
            is_dark: is_dark(painter),
            pixels_per_point: painter.pixels_per_point(),
            arrows: has(Layer::Arrows).then_some(gap),
        }
    }

    fn renew(
        &mut self,
        painter: &Painter,
        view: &View,
        context: &ViewContext<'_>,
        solved: &Arc<Solved>,
    ) {
        let look = self.look(painter, view, context);
        let window = Window::of_view(view, look.pixels_per_point);
        let is_dissolved = context.shown.colour.is_some_and(Quantity::is_dissolved);
        let dissolved = context.results.dissolved.as_ref().filter(|_| is_dissolved);
        let wanted = |window, look| Asked {
            solved: solved.clone(),
            dissolved: dissolved.cloned(),
            window,
            look,
        };
        self.sharp.renew(painter, wanted(window, look));
        let (low, high) = solved.index.extent();
        let plain = Look {
            mesh: false,
            arrows: None,
            pixels_per_point: 1.0,
            ..look
        };
        self.overview
            .renew(painter, wanted(Window::of_box(low, high, OVERVIEW), plain));
        if let Some(traced) = self.tracer.take() {
            self.traced = Some(traced);
        }
        let tracing = Tracing {
            solved: solved.clone(),
            from_inlets: context.settings.layers.contains(&Layer::Streamlines),
            seeds: context.shown.seeds.clone(),
        };
        if !tracing.from_inlets && tracing.seeds.is_empty() {
            (self.tracing, self.traced) = (None, None);
        } else if self.tracing.as_ref().is_none_or(|t| !t.is(&tracing)) {
            self.tracer.ask(tracing.clone());
            self.tracing = Some(tracing);
        }
    }

    /// How much of its colours old results keep.
    fn tint(&mut self, painter: &Painter, context: &ViewContext<'_>, solved: &Solved) -> Color32 {
        if solved.revision == context.document.revision {
            self.stale_since = None;
            return Color32::WHITE;
        }
        let now = painter.ctx().input(|i| i.time);
        let since = *self.stale_since.get_or_insert(now);
        if now - since < DIM_AFTER {
            let rest = std::time::Duration::from_secs_f64(DIM_AFTER - (now - since) + 0.01);
            painter.ctx().request_repaint_after(rest);
            return Color32::WHITE;
        }
        Color32::from_white_alpha(105)
    }

    fn draw_lines(&self, painter: &Painter, view: &View, tint: Color32) {
        let paper = Paper::new(is_dark(painter));
        let scaling = self.scaling();
        let is_filled = scaling.is_some_and(|s| !s.quantity.is_on_walls());
        let on_pale = scaling.is_some_and(|s| s.map == ColourMap::BlueRed);
        if let Some((_, painting)) = &self.sharp.shown
            && let Some(gap) = painting.asked.look.arrows
            && let Some((fastest, _)) = painting.asked.solved.solution.max_speed
        {
            let gap_on_screen = (gap / view.scale) as f32;
            let speeds = Scaling::new(&painting.asked.solved, Quantity::SPEED, None);
            let table = table(quantities::SPEED.map);
            let last = (table.len() - 1) as f64;
            let ink = match (is_filled, on_pale) {
                (true, false) => Some(Color32::from_white_alpha(225)),
                (true, true) => Some(Color32::from_black_alpha(200)),
                _ => None,
            };
            draw_arrows(
                painter,
                view,
                &painting.arrows,
                (gap_on_screen, fastest),
                |speed| ink.unwrap_or_else(|| table[(speeds.place(speed) * last) as usize]),
            );
        }
        if let Some(traced) = &self.traced {
            let (ink, rim) = match (is_filled, on_pale) {
                (true, false) => (Color32::WHITE, Color32::from_black_alpha(90)),
                (true, true) => (Color32::from_gray(20), Color32::from_white_alpha(110)),
                _ => (paper.ink, paper.ground),
            };
            let fade = f32::from(tint.a()) / 255.0;
            draw_streamlines(
                painter,
                view,
                &traced.lines,
                ink.gamma_multiply(fade),
                rim.gamma_multiply(fade),
            );
        }
    }

    /// Where parts meet, and the unknowns there.
    fn draw_seams(painter: &Painter, view: &View, solved: &Solved) {
        let clip = painter.clip_rect();
        let ink = Color32::from_rgb(190, 24, 60);
        let mut is_dotted = false;
        for ends in &solved.kinds().seams {
            let ends = ends.map(|p| view.to_screen(p));
            if clip.intersects(Rect::from_two_pos(ends[0], ends[1])) {
                painter.line_segment(ends, Stroke::new(1.6, ink));
                is_dotted |= ends[0].distance(ends[1]) >= DOTTED_SEAM;
            }
        }
        let Some(nodes) = solved.seam_nodes_if_known().filter(|_| is_dotted) else {
            return;
        };
        for &node in nodes {
            let at = view.to_screen(node);
            if clip.contains(at) {
                painter.circle_filled(at, 3.2, Color32::WHITE);
                painter.circle_filled(at, 2.3, ink);
            }
        }
    }

    fn legend(&self, context: &ViewContext<'_>, solved: &Solved) -> Legend {
        let look = self
            .sharp
            .shown
            .as_ref()
            .map(|s| (s.1.asked.look, s.1.mesh));
        let dissolved = self.sharp.shown.as_ref();
        let dissolved = dissolved.and_then(|s| s.1.asked.dissolved.as_deref());
        let mut notes = Vec::new();
        let scaling = self.scaling().filter(|_| look.is_none_or(|l| !l.0.parts));
        if let Some(scaling) = &scaling {
            let greatest = match dissolved.filter(|_| scaling.quantity.is_dissolved()) {
                Some(dissolved) => dissolved.greatest(scaling.quantity),
                None => solved.greatest(scaling.quantity),
            };
            if greatest > scaling.range[1] * (1.0 + 1e-6) {
                notes.push(format!("max {}", scaling.kind.show(greatest)));
            }
            if !scaling.is_automatic {
                notes.push("fixed range".to_owned());
            }
        }
        if let Some((look, mesh)) = look {
            if look.parts {
                let kinds = solved.kinds();
                let parts = solved.chip.parts.len();
                notes.push(format!(
                    "{} parts of {} kinds",
                    count(parts as u64),
                    count(kinds.kinds.len() as u64)
                ));
                notes.push("red: where they meet".to_owned());
            }
            if look.mesh {
                match mesh {
                    MeshSeen::All => {}
                    MeshSeen::Some => notes.push("fine cells: zoom in".to_owned()),
                    MeshSeen::None => notes.push("mesh: zoom in".to_owned()),
                }
            }
        }
        let shown = scaling.map(|s| s.quantity);
        notes.extend(missing(context.results, context.shown.colour, shown));
        let title = scaling
            .zip(dissolved)
            .filter(|(scaling, _)| scaling.quantity.is_dissolved())
            .map(|(scaling, dissolved)| dissolved.name(scaling.quantity));
        let is_old = solved.revision != context.document.revision;
        let state = match (&context.worker.running, is_old) {
            (Some(_), true) => Some("solving…"),
            (None, true) => Some("older than the drawing"),
            _ => None,
        };
        Legend {
            bar: scaling.map(Into::into),
            title,
            notes,
            state: state
                .filter(|_| self.stale_since.is_some())
                .map(str::to_owned),
        }
    }
}

fn is_dark(painter: &Painter) -> bool {
    painter.ctx().global_style().visuals.dark_mode
}

impl FieldPainter for FieldLayer {
    fn under(&mut self, painter: &Painter, view: &View, context: &ViewContext<'_>) {
        let Some(solved) = context.results.seen_by(context.shown.colour).cloned() else {
            self.sharp.clear();
            self.overview.clear();
            (self.tracing, self.traced, self.stale_since) = (None, None, None);
            return;
        };
        self.renew(painter, view, context, &solved);
        let tint = self.tint(painter, context, &solved);
        let canvas = view.rect.intersect(painter.clip_rect());
        let clipped = |clip: Rect| painter.with_clip_rect(clip.intersect(canvas));
        // The image of the whole chip stands in wherever the sharp one doesn't reach.
        let sharp = self
            .sharp
            .shown
            .as_ref()
            .map(|s| s.1.asked.window.on_screen(view));
        let around = match sharp {
            Some(r) if r.contains_rect(canvas.shrink(1.0)) => Vec::new(),
            Some(r) => vec![
                Rect::from_min_max(canvas.min, pos2(canvas.right(), r.top())),
                Rect::from_min_max(pos2(canvas.left(), r.bottom()), canvas.max),
                Rect::from_min_max(pos2(canvas.left(), r.top()), pos2(r.left(), r.bottom())),
                Rect::from_min_max(pos2(r.right(), r.top()), pos2(canvas.right(), r.bottom())),
            ],
            None => vec![canvas],
        };
        for strip in around.into_iter().filter(Rect::is_positive) {
            self.overview.draw(&clipped(strip), view, tint);
        }
        let painter = clipped(canvas);
        self.sharp.draw(&painter, view, tint);
        if context.settings.layers.contains(&Layer::Parts) {
            Self::draw_seams(&painter, view, &solved);
        }
        self.draw_lines(&painter, view, tint);
        let rim = Paper::new(is_dark(&painter)).ground;
        self.motion.show(&painter, view, context, rim);
    }

    fn over(&mut self, painter: &Painter, view: &View, context: &ViewContext<'_>) {
        let Some(solved) = context.results.seen_by(context.shown.colour) else {
            return;
        };
        let canvas = view.rect.intersect(painter.clip_rect());
        let painter = painter.with_clip_rect(canvas);
        let paper = Paper::new(is_dark(&painter));
        for (k, line) in context.shown.lines.iter().enumerate() {
            let ends = line.map(|p| view.to_screen(p));
            let ink = DISTINCT[k % DISTINCT.len()];
            painter.line_segment(ends, Stroke::new(4.0, paper.ground));
            painter.line_segment(ends, Stroke::new(2.0, ink));
            let across = (ends[1] - ends[0]).normalized().rot90() * 5.0;
            for end in ends {
                painter.line_segment([end - across, end + across], Stroke::new(2.0, ink));
            }
            let at = ends[1] + (ends[1] - ends[0]).normalized() * 14.0;
            painter.circle_filled(at, 8.5, ink);
            let font = FontId::proportional(12.0);
            painter.text(
                at,
                eframe::egui::Align2::CENTER_CENTER,
                k + 1,
                font,
                Color32::WHITE,
            );
        }
        for &at in &context.shown.probes {
            let place = view.to_screen(at);
            painter.circle_filled(place, 4.5, paper.ground);
            painter.circle_stroke(place, 4.5, Stroke::new(1.6, paper.ink));
            painter.circle_filled(place, 1.8, paper.ink);
            let lines = match solved.at(at) {
                Some(sample) => probe::lines(&sample, false),
                None => vec!["outside the flow".to_owned()],
            };
            legend::tag(&painter, place, &lines, &paper);
        }
        for &seed in &context.shown.seeds {
            painter.circle_filled(view.to_screen(seed), 3.0, paper.ink);
        }
        let ports = port_places(context, view);
        legend::draw(
            &painter,
            canvas,
            &self.legend(context, solved),
            &ports,
            &paper,
        );
        let is_pressed = painter.ctx().input(|i| i.pointer.any_down());
        let reads = matches!(
            context.tool,
            Tool::Select | Tool::Probe | Tool::Line | Tool::Streamline
        );
        if let Some(pointer) = self.pointer.filter(|_| reads && !is_pressed)
            && let Some(sample) = solved.at(pointer)
        {
            let in_full = !matches!(context.tool, Tool::Select);
            let mut lines = probe::lines(&sample, in_full);
            let section = context.results.section.as_deref();
            let section = section.filter(|s| s.at == pointer);
            if let Some(quantity) = context.shown.colour.filter(|q| q.is_dissolved())
                && let Some(dissolved) = &context.results.dissolved
            {
                if let Some(section) = section {
                    draw_section(&painter, view, section, &paper);
                }
                lines.splice(0..0, readings(dissolved, quantity, pointer, section));
            }
            legend::tag(&painter, view.to_screen(pointer), &lines, &paper);
        }
    }
}

/// About where the arrows, names and values of ports are.
fn port_places(context: &ViewContext<'_>, view: &View) -> Vec<Rect> {
    let sockets = context.document.shown_layout().sockets.iter();
    let ports = sockets.filter(|s| matches!(s.used, SocketUse::Port(_)));
    ports
        .map(|port| {
            let out = Point::unit(port.geometry.direction);
            let foot = view.to_screen(port.geometry.middle);
            let name = foot + vec2(out.x as f32, -out.y as f32) * 46.0;
            Rect::from_center_size(name, vec2(80.0, 36.0)).union(Rect::from_pos(foot))
        })
        .collect()
}
