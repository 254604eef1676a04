//! Pictures of a window without a display: egui's triangles, filled by the processor.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use eframe::egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Mesh, Primitive, Vertex};
use eframe::egui::{Color32, ColorImage, Rect, TextureId, TexturesDelta};
use egui_kittest::{Harness, TestRenderer};
use image::RgbaImage;

/// Textures by what egui calls them.
pub type Textures = Rc<RefCell<HashMap<TextureId, ColorImage>>>;

/// Keeps the textures that a window makes.
pub struct Keeper(pub Textures);

impl TestRenderer for Keeper {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        let mut textures = self.0.borrow_mut();
        // In any order: each has a texture of its own.
        delta.set.drain().for_each(|(id, deltas)| {
            for delta in &deltas {
                keep(&mut textures, id, delta);
            }
        });
        textures.retain(|id, _| !delta.free.contains(id));
        delta.free.clear();
    }
}

fn keep(textures: &mut HashMap<TextureId, ColorImage>, id: TextureId, delta: &ImageDelta) {
    let ImageData::Color(patch) = &delta.image;
    let Some([x, y]) = delta.pos else {
        textures.insert(id, (**patch).clone());
        return;
    };
    let Some(whole) = textures.get_mut(&id) else {
        return;
    };
    let [wide, high] = patch.size;
    for row in 0..high {
        let from = &patch.pixels[row * wide..(row + 1) * wide];
        let at = (y + row) * whole.size[0] + x;
        whole.pixels[at..at + wide].copy_from_slice(from);
    }
}

/// What a window shows now.
pub fn picture<State>(window: &Harness<'_, State>, textures: &Textures) -> RgbaImage {
    let output = window.output();
    let scale = output.pixels_per_point;
    let size = window.ctx.content_rect().size() * scale;
    let mut canvas = ColorImage::filled(
        [size.x.round() as usize, size.y.round() as usize],
        Color32::BLACK,
    );
    let textures = textures.borrow();
    for ClippedPrimitive {
        clip_rect,
        primitive,
    } in window.ctx.tessellate(output.shapes.clone(), scale)
    {
        if let Primitive::Mesh(mesh) = primitive
            && let Some(texture) = textures.get(&mesh.texture_id)
        {
            fill(&mut canvas, &mesh, texture, clip_rect * scale, scale);
        }
    }
    let [wide, high] = canvas.size.map(|n| n as u32);
    RgbaImage::from_fn(wide, high, |x, y| {
        let colour = canvas.pixels[(y * wide + x) as usize];
        image::Rgba([colour.r(), colour.g(), colour.b(), 255])
    })
}

fn fill(canvas: &mut ColorImage, mesh: &Mesh, texture: &ColorImage, clip: Rect, scale: f32) {
    let vertex = |k: &u32| mesh.vertices[*k as usize];
    for corners in mesh.indices.chunks_exact(3) {
        let corners = [&corners[0], &corners[1], &corners[2]].map(vertex);
        triangle(canvas, corners, texture, clip, scale);
    }
}

/// Fills the pixels whose middles lie inside; of two triangles with an edge in common one has the middles on it.
fn triangle(
    canvas: &mut ColorImage,
    corners: [Vertex; 3],
    texture: &ColorImage,
    clip: Rect,
    scale: f32,
) {
    let at = corners.map(|v| v.pos * scale);
    let area = (at[1] - at[0]).rot90().dot(at[2] - at[0]);
    if area == 0.0 {
        return;
    }
    let within = Rect::from_points(&at).intersect(clip);
    if !within.is_positive() {
        return;
    }
    let range = |low: f32, high: f32, n: usize| {
        let first = (low - 0.5).ceil().max(0.0) as usize;
        let last = ((high - 0.5).ceil().max(0.0) as usize).min(n);
        first..last
    };
    let [wide, high] = canvas.size;
    for y in range(within.top(), within.bottom(), high) {
        for x in range(within.left(), within.right(), wide) {
            let p = eframe::egui::pos2(x as f32 + 0.5, y as f32 + 0.5);
            let weight = |k: usize| {
                let (a, b) = (at[(k + 1) % 3], at[(k + 2) % 3]);
                (b - a).rot90().dot(p - a) / area
            };
            let weights = [weight(0), weight(1), weight(2)];
            let is_edge_of_other = |k: usize| {
                let edge = (at[(k + 2) % 3] - at[(k + 1) % 3]) * area.signum();
                weights[k] == 0.0 && (edge.y < 0.0 || (edge.y == 0.0 && edge.x > 0.0))
            };
            if weights.iter().any(|w| *w < 0.0) || (0..3).any(is_edge_of_other) {
                continue;
            }
            let mean = |of: &dyn Fn(&Vertex) -> f32| -> f32 {
                corners.iter().zip(weights).map(|(v, w)| of(v) * w).sum()
            };
            let texel = sample(texture, mean(&|v| v.uv.x), mean(&|v| v.uv.y));
            let source: [f32; 4] =
                std::array::from_fn(|c| mean(&|v| f32::from(v.color[c])) * texel[c] / 255.0);
            let pixel = &mut canvas.pixels[y * wide + x];
            let under = 1.0 - source[3] / 255.0;
            let blend = |c: usize| (source[c] + f32::from(pixel[c]) * under).round() as u8;
            let (r, g, b, a) = (blend(0), blend(1), blend(2), blend(3));
            *pixel = Color32::from_rgba_premultiplied(r, g, b, a);
        }
    }
}

/// The four texels around a place, by how near they are; premultiplied, 0 to 255.
fn sample(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let [wide, high] = texture.size;
    let (x, y) = (u * wide as f32 - 0.5, v * high as f32 - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let (fx, fy) = (x - left, y - top);
    let texel = |dx: f32, dy: f32| {
        let x = (left + dx).clamp(0.0, wide as f32 - 1.0) as usize;
        let y = (top + dy).clamp(0.0, high as f32 - 1.0) as usize;
        texture.pixels[y * wide + x]
    };
    let around = [
        (texel(0.0, 0.0), (1.0 - fx) * (1.0 - fy)),
        (texel(1.0, 0.0), fx * (1.0 - fy)),
        (texel(0.0, 1.0), (1.0 - fx) * fy),
        (texel(1.0, 1.0), fx * fy),
    ];
    std::array::from_fn(|c| around.iter().map(|(t, w)| f32::from(t[c]) * w).sum())
}
