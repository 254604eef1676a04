//! Pictures of what the canvas shows: pixels of the window as PNG, painted shapes as SVG.
//!
//! The SVG holds lines, areas and text as such, so it is sharp at any size and can be changed by others; what is painted from a
//! texture (colours of a field) becomes an embedded image. It knows shapes, not chips: whatever the canvas learns to draw is in it.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::Arc;

use eframe::egui::epaint::{ClippedShape, ColorMode, Mesh, PathShape, RectShape, Shape, TextShape};
use eframe::egui::{
    Color32, ColorImage, Context, FontFamily, LayerId, Pos2, Rect, Stroke, TextureId,
};
use image::{ImageFormat, RgbaImage};
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The canvas has no area.
    #[error("nothing of the canvas is seen")]
    Empty,
    /// The pixels can't be written as PNG.
    #[error("the picture can't be written as PNG")]
    Encode(#[from] image::ImageError),
}

/// A part of the window as a PNG file; `rect` in points.
///
/// # Errors
/// [`PictureError`]
pub fn png(
    window: &ColorImage,
    rect: Rect,
    pixels_per_point: f32,
) -> Result<Vec<u8>, PictureError> {
    let side = |points: f32, most: usize| {
        ((points * pixels_per_point).round().max(0.0) as usize).min(most)
    };
    let [width, height] = window.size;
    let (left, right) = (side(rect.left(), width), side(rect.right(), width));
    let (top, bottom) = (side(rect.top(), height), side(rect.bottom(), height));
    if left >= right || top >= bottom {
        return Err(PictureError::Empty);
    }
    let rows = (top..bottom).flat_map(|y| &window.pixels[y * width + left..y * width + right]);
    // The window is opaque, whatever its pixels say of it.
    let bytes: Vec<u8> = rows.flat_map(|p| [p.r(), p.g(), p.b(), 255]).collect();
    encode(bytes, right - left, bottom - top)
}

fn encode(bytes: Vec<u8>, width: usize, height: usize) -> Result<Vec<u8>, PictureError> {
    let picture =
        RgbaImage::from_raw(width as u32, height as u32, bytes).ok_or(PictureError::Empty)?;
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png)?;
    Ok(file.into_inner())
}

/// What was painted into a part of a layer this frame, in order. To be called at the end of the frame.
pub fn painted(ctx: &Context, layer: LayerId, rect: Rect) -> Vec<ClippedShape> {
    ctx.graphics(|layers| {
        let entries = layers
            .get(layer)
            .into_iter()
            .flat_map(|list| list.all_entries());
        entries
            .filter(|entry| entry.clip_rect.intersects(rect))
            .filter(|entry| entry.shape.visual_bounding_rect().intersects(rect))
            .filter(|entry| !matches!(entry.shape, Shape::Noop))
            .cloned()
            .collect()
    })
}

/// Whether a shape is what everything else is painted on.
pub fn is_ground(shape: &Shape, rect: Rect) -> bool {
    matches!(shape, Shape::Rect(ground) if ground.rect.contains_rect(rect.shrink(1.0)) && ground.stroke.is_empty())
}

/// Painted shapes as an SVG file of the size of `rect`. `image_of` gives the pixels of a texture; what it doesn't know is left out.
pub fn svg(
    shapes: &[ClippedShape],
    rect: Rect,
    background: Color32,
    image_of: &dyn Fn(TextureId) -> Option<Arc<ColorImage>>,
) -> String {
    let mut writer = Writer {
        out: String::new(),
        origin: rect.min,
        clips: 0,
        image_of,
    };
    let (w, h) = (number(rect.width()), number(rect.height()));
    writer.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n<rect width=\"{w}\" height=\"{h}\"{}/>\n",
        paint("fill", background)
    ));
    let mut clip: Option<Rect> = None;
    for clipped in shapes {
        let wanted = clipped.clip_rect.intersect(rect);
        if clip != Some(wanted) {
            if clip.is_some() {
                writer.out.push_str("</g>\n");
            }
            writer.clip(wanted);
            clip = Some(wanted);
        }
        writer.shape(&clipped.shape);
    }
    if clip.is_some() {
        writer.out.push_str("</g>\n");
    }
    writer.out.push_str("</svg>\n");
    writer.out
}

struct Writer<'a> {
    out: String,
    origin: Pos2,
    clips: usize,
    image_of: &'a dyn Fn(TextureId) -> Option<Arc<ColorImage>>,
}

impl Writer<'_> {
    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a String does not fail.
        let _ = self.out.write_fmt(text);
    }

    fn at(&self, p: Pos2) -> (String, String) {
        (number(p.x - self.origin.x), number(p.y - self.origin.y))
    }

    fn clip(&mut self, rect: Rect) {
        self.clips += 1;
        let (id, (x, y)) = (self.clips, self.at(rect.min));
        let (w, h) = (
            number(rect.width().max(0.0)),
            number(rect.height().max(0.0)),
        );
        self.push(format_args!(
            "<clipPath id=\"c{id}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath>\n<g clip-path=\"url(#c{id})\">\n"
        ));
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Noop | Shape::Callback(_) | Shape::Band(_) => {}
            Shape::Vec(shapes) => shapes.iter().for_each(|inner| self.shape(inner)),
            Shape::Circle(circle) => {
                let ((x, y), r) = (self.at(circle.center), number(circle.radius));
                let look = look(circle.fill, circle.stroke);
                self.push(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{look}/>\n"
                ));
            }
            Shape::Ellipse(ellipse) => {
                let (x, y) = self.at(ellipse.center);
                let (rx, ry) = (number(ellipse.radius.x), number(ellipse.radius.y));
                let look = look(ellipse.fill, ellipse.stroke);
                self.push(format_args!(
                    "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\"{look}/>\n"
                ));
            }
            Shape::LineSegment { points, stroke } => {
                self.path(points, false, Color32::TRANSPARENT, *stroke);
            }
            Shape::Path(path) => self.path_shape(path),
            Shape::QuadraticBezier(curve) => self.path_shape(&curve.to_path_shape(None)),
            Shape::CubicBezier(curve) => {
                for path in curve.to_path_shapes(None, None) {
                    self.path_shape(&path);
                }
            }
            Shape::Rect(rect) => self.rect(rect),
            Shape::Text(text) => self.text(text),
            Shape::Mesh(mesh) => self.mesh(mesh),
        }
    }

    fn path_shape(&mut self, path: &PathShape) {
        let color = match path.stroke.color {
            ColorMode::Solid(color) => color,
            // Colours that vary along a path are of the texture of the screen: one of them stands for all.
            ColorMode::UV(ref color_at) => {
                let bounds = path.visual_bounding_rect();
                path.points
                    .first()
                    .map_or(Color32::TRANSPARENT, |&p| color_at(bounds, p))
            }
        };
        let stroke = Stroke::new(path.stroke.width, color);
        self.path(&path.points, path.closed, path.fill, stroke);
    }

    fn path(&mut self, points: &[Pos2], closed: bool, fill: Color32, stroke: Stroke) {
        if points.len() < 2 {
            return;
        }
        self.out.push_str("<path d=\"");
        self.moves(points);
        let (end, look) = (if closed { "z" } else { "" }, look(fill, stroke));
        self.push(format_args!("{end}\"{look} stroke-linejoin=\"round\"/>\n"));
    }

    fn moves(&mut self, points: &[Pos2]) {
        for (k, &p) in points.iter().enumerate() {
            let (x, y) = self.at(p);
            let letter = if k == 0 { 'M' } else { 'L' };
            self.push(format_args!("{letter}{x} {y}"));
        }
    }

    fn rect(&mut self, rect: &RectShape) {
        if let Some(brush) = &rect.brush {
            self.image(rect.rect, brush.uv, brush.fill_texture_id);
            return;
        }
        let (x, y) = self.at(rect.rect.min);
        let (w, h) = (number(rect.rect.width()), number(rect.rect.height()));
        let (radius, look) = (rect.corner_radius.nw, look(rect.fill, rect.stroke));
        self.push(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{radius}\"{look}/>\n"
        ));
    }

    /// Each row in runs of one colour, as wide as on the screen whatever font another program has.
    fn text(&mut self, text: &TextShape) {
        let job = &text.galley.job;
        let Some(font) = job.sections.first().map(|section| &section.format.font_id) else {
            return;
        };
        let family = match font.family {
            FontFamily::Monospace => "'DejaVu Sans Mono', Menlo, Consolas, monospace",
            _ => "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
        };
        let turn = match text.angle == 0.0 {
            true => String::new(),
            false => {
                let (x, y) = self.at(text.pos);
                format!(
                    " transform=\"rotate({} {x} {y})\"",
                    number(text.angle.to_degrees())
                )
            }
        };
        for row in &text.galley.rows {
            let color_of = |vertex: u32| {
                let painted = row
                    .visuals
                    .mesh
                    .vertices
                    .get(vertex as usize)
                    .map(|v| v.color);
                let own = painted
                    .filter(|&c| c != Color32::PLACEHOLDER)
                    .unwrap_or(text.fallback_color);
                text.override_text_color
                    .unwrap_or(own)
                    .gamma_multiply(text.opacity_factor)
            };
            let mut start = 0;
            while start < row.glyphs.len() {
                let color = color_of(row.glyphs[start].first_vertex);
                let same = |glyph: &&eframe::egui::epaint::text::Glyph| {
                    glyph.chr.is_whitespace() || color_of(glyph.first_vertex) == color
                };
                let run: Vec<_> = row.glyphs[start..].iter().take_while(same).collect();
                let n = run.len().max(1);
                let words: String = run.iter().map(|glyph| glyph.chr).collect();
                if let (Some(first), Some(last), false) =
                    (run.first(), run.last(), words.trim().is_empty())
                {
                    let (x, y) = self.at(text.pos + row.pos.to_vec2() + first.pos.to_vec2());
                    let width = number(last.max_x() - first.pos.x);
                    let (size, fill) = (number(font.size), paint("fill", color));
                    let words = escaped(&words);
                    self.push(format_args!(
                        "<text x=\"{x}\" y=\"{y}\" font-family=\"{family}\" font-size=\"{size}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"{fill}{turn}>{words}</text>\n"
                    ));
                }
                start += n;
            }
        }
    }

    /// Runs of triangles of one colour become one path; those with a texture one image.
    fn mesh(&mut self, mesh: &Mesh) {
        if !mesh.is_valid() || mesh.is_empty() {
            return;
        }
        if mesh.texture_id != TextureId::default() {
            let uv = Rect::from_points(&mesh.vertices.iter().map(|v| v.uv).collect::<Vec<_>>());
            self.image(mesh.calc_bounds(), uv, mesh.texture_id);
            return;
        }
        let mut run: Option<Color32> = None;
        for corners in mesh.triangles() {
            let corners = corners.map(|k| mesh.vertices[k as usize]);
            let color = mean(corners.map(|v| v.color));
            if color.a() == 0 {
                continue;
            }
            if run != Some(color) {
                if let Some(last) = run {
                    self.end_triangles(last);
                }
                self.out.push_str("<path d=\"");
                run = Some(color);
            }
            self.moves(&corners.map(|v| v.pos));
            self.out.push('z');
        }
        if let Some(last) = run {
            self.end_triangles(last);
        }
    }

    /// A hair of the same colour hides the seams between opaque triangles.
    fn end_triangles(&mut self, color: Color32) {
        let hair = match color.is_opaque() {
            true => Stroke::new(0.35, color),
            false => Stroke::NONE,
        };
        let look = look(color, hair);
        self.push(format_args!("\"{look}/>\n"));
    }

    /// The part `uv` of a texture over `rect`.
    fn image(&mut self, rect: Rect, uv: Rect, texture: TextureId) {
        let Some(image) = (self.image_of)(texture) else {
            return;
        };
        let bytes = image
            .pixels
            .iter()
            .flat_map(Color32::to_srgba_unmultiplied)
            .collect();
        let Ok(file) = encode(bytes, image.size[0], image.size[1]) else {
            return;
        };
        if !uv.is_positive() {
            return;
        }
        // The whole image, placed so that the wanted part covers the rectangle.
        let size = rect.size() / uv.size();
        let min = rect.min - uv.min.to_vec2() * size;
        let ((x, y), w, h) = (self.at(min), number(size.x), number(size.y));
        let data = base64(&file);
        self.push(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,{data}\"/>\n"
        ));
    }
}

/// Hundredths of a point are enough, and keep files small.
fn number(x: f32) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // Minus zero would keep its sign.
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn mean(colors: [Color32; 3]) -> Color32 {
    let [a, b, c] = colors.map(|color| color.to_array().map(u16::from));
    let [r, g, b, a] = std::array::from_fn(|k| ((a[k] + b[k] + c[k]) / 3) as u8);
    Color32::from_rgba_premultiplied(r, g, b, a)
}

fn paint(what: &str, color: Color32) -> String {
    let [r, g, b, a] = color.to_srgba_unmultiplied();
    match a {
        0 => format!(" {what}=\"none\""),
        255 => format!(" {what}=\"#{r:02x}{g:02x}{b:02x}\""),
        _ => format!(
            " {what}=\"#{r:02x}{g:02x}{b:02x}\" {what}-opacity=\"{}\"",
            number(f32::from(a) / 255.0)
        ),
    }
}

fn look(fill: Color32, stroke: Stroke) -> String {
    let mut text = paint("fill", fill);
    if !stroke.is_empty() {
        text.push_str(&paint("stroke", stroke.color));
        text.push_str(&format!(" stroke-width=\"{}\"", number(stroke.width)));
    }
    text
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // XML has no other control characters.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::{RawInput, pos2, vec2};

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, want) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), want);
        }
    }

    #[test]
    fn a_png_is_the_part_of_the_window_that_was_asked_for() {
        let pixels = (0..12).map(|k| Color32::from_rgb(k, 0, 0)).collect();
        let window = ColorImage::new([4, 3], pixels);
        let rect = Rect::from_min_size(pos2(0.5, 0.5), vec2(1.0, 1.0));
        let file = png(&window, rect, 2.0).unwrap();
        let read = image::load_from_memory(&file).unwrap().to_rgb8();
        assert_eq!(read.dimensions(), (2, 2));
        let reds: Vec<u8> = read.pixels().map(|p| p.0[0]).collect();
        assert_eq!(reds, [5, 6, 9, 10]);
        let outside = Rect::from_min_size(pos2(100.0, 0.0), vec2(5.0, 5.0));
        assert!(matches!(
            png(&window, outside, 1.0),
            Err(PictureError::Empty)
        ));
    }

    #[test]
    fn an_svg_has_what_was_painted_where_it_was_painted() {
        let ctx = Context::default();
        let rect = Rect::from_min_size(pos2(10.0, 10.0), vec2(100.0, 50.0));
        let mut shapes = Vec::new();
        let mut output = ctx.run_ui(RawInput::default(), |ui| {
            let painter = ui.painter();
            painter.circle_filled(pos2(20.0, 30.0), 4.0, Color32::RED);
            painter.text(
                pos2(40.0, 30.0),
                eframe::egui::Align2::LEFT_CENTER,
                "p < 3 µm",
                Default::default(),
                Color32::BLUE,
            );
            painter.circle_filled(pos2(300.0, 300.0), 4.0, Color32::GREEN);
            shapes = painted(ui.ctx(), ui.layer_id(), rect);
        });
        output.textures_delta.clear();
        let text = svg(&shapes, rect, Color32::WHITE, &|_| None);
        assert!(
            text.contains("<circle cx=\"10\" cy=\"20\" r=\"4\" fill=\"#ff0000\"/>"),
            "{text}"
        );
        assert!(text.contains(">p &lt; 3 µm</text>"), "{text}");
        assert!(
            !text.contains("#00ff00"),
            "what lies outside is left out: {text}"
        );
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
    }

    #[test]
    fn textures_become_images() {
        let mut mesh = Mesh::with_texture(TextureId::User(7));
        let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(10.0, 10.0));
        mesh.add_rect_with_uv(
            rect,
            Rect::from_min_max(pos2(0.5, 0.0), pos2(1.0, 1.0)),
            Color32::WHITE,
        );
        let shapes = [ClippedShape::new(rect, mesh)];
        let image = Arc::new(ColorImage::new([2, 1], vec![Color32::RED, Color32::BLUE]));
        let text = svg(&shapes, rect, Color32::WHITE, &|id| {
            (id == TextureId::User(7)).then(|| image.clone())
        });
        assert!(
            text.contains("<image x=\"-10\" y=\"0\" width=\"20\" height=\"10\""),
            "{text}"
        );
    }
}
