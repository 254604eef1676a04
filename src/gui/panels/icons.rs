//! Small pictures for buttons, drawn as lines: sharp at any size, in the colour of the text, and in no font.

use eframe::egui::{
    self, Color32, Painter, Pos2, Rect, Response, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2,
    vec2,
};

use crate::context::Tool;
use stokeslet_cad::design::OverlayLayer;

/// A picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// An arrow pointing to the upper left.
    Select,
    /// A channel with a bend.
    Channel,
    /// An arrow into a socket.
    Port,
    /// A ruler.
    Ruler,
    /// A cross-hair.
    Probe,
    /// A line between two points.
    Line,
    /// Waves with a head.
    Streamline,
    /// An arrow bending back.
    Undo,
    /// An arrow bending forward.
    Redo,
    /// A triangle, as on players.
    Solve,
    /// A square, as on players.
    Stop,
    /// Two bars, as on players.
    Pause,
    /// A triangle against a bar, as on players.
    Step,
    /// A triangle back against a bar, as on players.
    Restart,
    /// A component being put down.
    Place,
    /// A blank sheet.
    New,
    /// A folder.
    Open,
    /// A disk.
    Save,
    /// A valve over a channel.
    Control,
    /// A letter.
    Note,
    /// Two triangles beside a line.
    Mirror,
    /// Four corners.
    Fit,
    /// Grey circle with a cross.
    Close,
    /// A triangle with a mark.
    Warning,
    /// A circle with a mark.
    Error,
    /// A circle with an i.
    Info,
    /// A tick.
    Tick,
}

impl Icon {
    /// That of a tool.
    pub fn of(tool: &Tool) -> Self {
        match tool {
            Tool::Select => Icon::Select,
            Tool::Place(_) => Icon::Place,
            Tool::Channel => Icon::Channel,
            Tool::Port => Icon::Port,
            Tool::Ruler => Icon::Ruler,
            Tool::Probe => Icon::Probe,
            Tool::Line => Icon::Line,
            Tool::Streamline => Icon::Streamline,
            Tool::Overlay(OverlayLayer::Control) => Icon::Control,
            Tool::Overlay(OverlayLayer::Notes) => Icon::Note,
            Tool::Mirror => Icon::Mirror,
        }
    }
}

/// As [`icon_button`], no higher than a line of text.
pub fn small_icon_button(ui: &mut Ui, icon: Icon, name: &str) -> Response {
    sized_button(ui, 18.0, icon, name, false, true)
}

/// A button with a picture; `name` is what tests and screen readers find, and the head of the tooltip.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, chosen: bool, enabled: bool) -> Response {
    sized_button(ui, 28.0, icon, name, chosen, enabled)
}

fn sized_button(
    ui: &mut Ui,
    side: f32,
    icon: Icon,
    name: &str,
    chosen: bool,
    enabled: bool,
) -> Response {
    let size = Vec2::splat(side);
    let sense = if enabled {
        Sense::click()
    } else {
        Sense::hover()
    };
    let (rect, response) = ui.allocate_exact_size(size, sense);
    response.widget_info(|| WidgetInfo::selected(Role::Button, enabled, chosen, name));
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let visuals = ui.visuals();
    let look = match (enabled, chosen) {
        (false, _) => visuals.widgets.noninteractive,
        (true, true) => visuals.widgets.open,
        (true, false) => *ui.style().interact(&response),
    };
    if enabled && (chosen || response.hovered() || response.has_focus()) {
        let fill = if chosen {
            visuals.selection.bg_fill
        } else {
            look.bg_fill
        };
        ui.painter().rect_filled(rect.shrink(1.0), 4.0, fill);
    }
    let color = match (enabled, chosen) {
        (false, _) => visuals.weak_text_color().gamma_multiply(0.6),
        (true, true) => visuals.selection.stroke.color,
        (true, false) => look.fg_stroke.color,
    };
    paint(ui.painter(), rect.shrink(0.215 * side), icon, color);
    response
}

/// A picture in a line of text.
pub fn icon(ui: &mut Ui, icon: Icon, color: Color32) -> Response {
    let side = ui.text_style_height(&egui::TextStyle::Body);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    paint(ui.painter(), rect.shrink(1.0), icon, color);
    response
}

/// Draws a picture into a square.
pub fn paint(painter: &Painter, rect: Rect, icon: Icon, color: Color32) {
    let draw = Draw {
        painter,
        rect,
        stroke: Stroke::new((rect.width() / 11.0).max(1.2), color),
    };
    match icon {
        Icon::Select => draw.polygon(&[
            (0.2, 0.05),
            (0.2, 0.82),
            (0.4, 0.64),
            (0.55, 0.95),
            (0.67, 0.89),
            (0.53, 0.59),
            (0.78, 0.57),
        ]),
        Icon::Channel => {
            draw.lines(&[(0.05, 0.12), (0.62, 0.12), (0.62, 0.95)]);
            draw.lines(&[(0.05, 0.42), (0.32, 0.42), (0.32, 0.95)]);
        }
        Icon::Port => {
            draw.lines(&[(0.6, 0.1), (0.95, 0.1), (0.95, 0.9), (0.6, 0.9)]);
            draw.arrow((0.02, 0.5), (0.72, 0.5));
        }
        Icon::Ruler => {
            draw.closed(&[(0.0, 0.3), (1.0, 0.3), (1.0, 0.7), (0.0, 0.7)]);
            for (k, x) in [0.2, 0.4, 0.6, 0.8].into_iter().enumerate() {
                let y = if k % 2 == 0 { 0.45 } else { 0.53 };
                draw.lines(&[(x, 0.3), (x, y)]);
            }
        }
        Icon::Probe => {
            draw.circle((0.5, 0.5), 0.28);
            for (a, b) in [
                ((0.5, 0.0), (0.5, 0.4)),
                ((0.5, 0.6), (0.5, 1.0)),
                ((0.0, 0.5), (0.4, 0.5)),
                ((0.6, 0.5), (1.0, 0.5)),
            ] {
                draw.lines(&[a, b]);
            }
        }
        Icon::Line => {
            draw.lines(&[(0.2, 0.8), (0.8, 0.2)]);
            draw.disk((0.14, 0.86), 0.13);
            draw.disk((0.86, 0.14), 0.13);
        }
        Icon::Streamline => {
            let wave = |shift: f32| -> Vec<(f32, f32)> {
                let at = |k: u8| {
                    let x = f32::from(k) / 16.0;
                    (
                        0.02 + 0.86 * x,
                        shift - 0.16 * (x * std::f32::consts::TAU).sin(),
                    )
                };
                (0..=16).map(at).collect()
            };
            draw.lines(&wave(0.3));
            draw.lines(&wave(0.7));
            draw.polygon(&[(0.8, 0.14), (1.0, 0.36), (0.74, 0.42)]);
            draw.polygon(&[(0.8, 0.54), (1.0, 0.76), (0.74, 0.82)]);
        }
        Icon::Control => {
            draw.lines(&[(0.0, 0.36), (1.0, 0.36)]);
            draw.lines(&[(0.0, 0.64), (1.0, 0.64)]);
            draw.closed(&[(0.3, 0.1), (0.7, 0.1), (0.7, 0.9), (0.3, 0.9)]);
        }
        Icon::Mirror => {
            draw.lines(&[(0.5, 0.0), (0.5, 1.0)]);
            draw.closed(&[(0.36, 0.2), (0.36, 0.8), (0.02, 0.8)]);
            draw.closed(&[(0.64, 0.2), (0.64, 0.8), (0.98, 0.8)]);
        }
        Icon::Note => {
            draw.lines(&[(0.12, 0.14), (0.88, 0.14)]);
            draw.lines(&[(0.5, 0.14), (0.5, 0.92)]);
        }
        Icon::Undo | Icon::Redo => {
            let flip = |(x, y): (f32, f32)| {
                if icon == Icon::Redo {
                    (1.0 - x, y)
                } else {
                    (x, y)
                }
            };
            let arc: Vec<(f32, f32)> = (0..=14)
                .map(|k| {
                    let angle = -std::f32::consts::FRAC_PI_2
                        + f32::from(k as u8) / 14.0 * std::f32::consts::PI;
                    flip((0.58 + 0.34 * angle.cos(), 0.6 + 0.28 * angle.sin()))
                })
                .collect();
            let mut line = vec![flip((0.12, 0.32))];
            line.extend(arc);
            line.push(flip((0.28, 0.88)));
            draw.lines(&line);
            draw.lines(&[(0.36, 0.06), (0.1, 0.32), (0.36, 0.58)].map(flip));
        }
        Icon::Solve => draw.polygon(&[(0.2, 0.08), (0.92, 0.5), (0.2, 0.92)]),
        Icon::Stop => draw.polygon(&[(0.16, 0.16), (0.84, 0.16), (0.84, 0.84), (0.16, 0.84)]),
        Icon::Place => {
            draw.closed(&[(0.05, 0.45), (0.55, 0.45), (0.55, 0.95), (0.05, 0.95)]);
            draw.lines(&[(0.75, 0.05), (0.75, 0.45)]);
            draw.lines(&[(0.55, 0.25), (0.95, 0.25)]);
        }
        Icon::Pause => {
            draw.polygon(&[(0.14, 0.1), (0.4, 0.1), (0.4, 0.9), (0.14, 0.9)]);
            draw.polygon(&[(0.6, 0.1), (0.86, 0.1), (0.86, 0.9), (0.6, 0.9)]);
        }
        Icon::Step => {
            draw.polygon(&[(0.08, 0.1), (0.68, 0.5), (0.08, 0.9)]);
            draw.polygon(&[(0.74, 0.1), (0.92, 0.1), (0.92, 0.9), (0.74, 0.9)]);
        }
        Icon::Restart => {
            draw.polygon(&[(0.92, 0.1), (0.32, 0.5), (0.92, 0.9)]);
            draw.polygon(&[(0.08, 0.1), (0.26, 0.1), (0.26, 0.9), (0.08, 0.9)]);
        }
        Icon::New => {
            draw.closed(&[
                (0.2, 0.03),
                (0.6, 0.03),
                (0.82, 0.25),
                (0.82, 0.97),
                (0.2, 0.97),
            ]);
            draw.lines(&[(0.6, 0.03), (0.6, 0.25), (0.82, 0.25)]);
        }
        Icon::Open => draw.closed(&[
            (0.03, 0.15),
            (0.4, 0.15),
            (0.5, 0.28),
            (0.97, 0.28),
            (0.97, 0.87),
            (0.03, 0.87),
        ]),
        Icon::Save => {
            draw.closed(&[
                (0.06, 0.06),
                (0.76, 0.06),
                (0.94, 0.24),
                (0.94, 0.94),
                (0.06, 0.94),
            ]);
            draw.lines(&[(0.28, 0.06), (0.28, 0.36), (0.68, 0.36), (0.68, 0.06)]);
            draw.lines(&[(0.24, 0.94), (0.24, 0.58), (0.76, 0.58), (0.76, 0.94)]);
        }
        Icon::Fit => {
            for (x, y) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                let inward = |v: f32| if v == 0.0 { 0.3 } else { 0.7 };
                draw.lines(&[(inward(x), y), (x, y), (x, inward(y))]);
            }
            draw.circle((0.5, 0.5), 0.16);
        }
        Icon::Close => {
            draw.lines(&[(0.2, 0.2), (0.8, 0.8)]);
            draw.lines(&[(0.8, 0.2), (0.2, 0.8)]);
        }
        Icon::Warning => {
            draw.closed(&[(0.5, 0.06), (0.98, 0.92), (0.02, 0.92)]);
            draw.lines(&[(0.5, 0.36), (0.5, 0.62)]);
            draw.disk((0.5, 0.77), 0.06);
        }
        Icon::Error => {
            draw.circle((0.5, 0.5), 0.46);
            draw.lines(&[(0.33, 0.33), (0.67, 0.67)]);
            draw.lines(&[(0.67, 0.33), (0.33, 0.67)]);
        }
        Icon::Info => {
            draw.circle((0.5, 0.5), 0.46);
            draw.disk((0.5, 0.28), 0.07);
            draw.lines(&[(0.5, 0.45), (0.5, 0.75)]);
        }
        Icon::Tick => draw.lines(&[(0.1, 0.55), (0.4, 0.85), (0.92, 0.15)]),
    }
}

/// Draws in coordinates from 0 to 1.
struct Draw<'a> {
    painter: &'a Painter,
    rect: Rect,
    stroke: Stroke,
}

impl Draw<'_> {
    fn at(&self, (x, y): (f32, f32)) -> Pos2 {
        self.rect.min + vec2(x, y) * self.rect.size()
    }

    fn all(&self, points: &[(f32, f32)]) -> Vec<Pos2> {
        points.iter().map(|&p| self.at(p)).collect()
    }

    fn lines(&self, points: &[(f32, f32)]) {
        self.painter.line(self.all(points), self.stroke);
    }

    fn closed(&self, points: &[(f32, f32)]) {
        self.painter
            .add(egui::Shape::closed_line(self.all(points), self.stroke));
    }

    /// Filled; the shapes here are all but convex, and filled in triangles from the first corner.
    fn polygon(&self, points: &[(f32, f32)]) {
        let corners = self.all(points);
        let color = self.stroke.color;
        let is_convex = corners.len() <= 4;
        if is_convex {
            self.painter
                .add(egui::Shape::convex_polygon(corners, color, Stroke::NONE));
        } else {
            self.painter.add(egui::Shape::closed_line(
                corners.clone(),
                Stroke::new(1.2, color),
            ));
            let mut mesh = egui::Mesh::default();
            for &corner in &corners {
                mesh.colored_vertex(corner, color);
            }
            for k in 1..corners.len() as u32 - 1 {
                mesh.add_triangle(0, k, k + 1);
            }
            self.painter.add(mesh);
        }
    }

    fn circle(&self, centre: (f32, f32), radius: f32) {
        self.painter
            .circle_stroke(self.at(centre), radius * self.rect.width(), self.stroke);
    }

    fn disk(&self, centre: (f32, f32), radius: f32) {
        self.painter.circle_filled(
            self.at(centre),
            radius * self.rect.width(),
            self.stroke.color,
        );
    }

    fn arrow(&self, from: (f32, f32), to: (f32, f32)) {
        self.lines(&[from, to]);
        let back = pos2(to.0 - 0.25, to.1);
        self.lines(&[(back.x, back.y - 0.22), to, (back.x, back.y + 0.22)]);
    }
}
