//! A scene of another system becomes pixels: cells behind, then points, surfaces, contacts, as a camera sees them.
//!
//! In the plane colours are those of the legend; in space everything is shaded, so that it looks round.

use eframe::egui::{Color32, ColorImage};
use rayon::prelude::*;

use super::picture::{Inks, Look, Shades};
use super::settings::Colour;
use super::shot::SystemShot;
use crate::results::colour::ColourMap;
use crate::results::raster::Window;
use stokeslet_dynamics::report::shaded::{Line, RgbImage, Shading, Viewport, draw_in};
use stokeslet_dynamics::stepped::look::{Cells, Mesh, Points, Role};

/// Where what touches holds, and where it slides or isn't said to hold.
pub const CONTACTS: [Color32; 2] = [
    Color32::from_rgb(56, 158, 90),
    Color32::from_rgb(245, 124, 0),
];

/// The longest push is drawn as long as this part of the scene.
const PUSH: f64 = 0.12;

/// Draws it.
pub(super) fn draw(shot: &SystemShot, look: &Look, window: &Window) -> ColorImage {
    let of = &shot.seen.look;
    let inks = Inks::of(look.is_dark);
    let shades = Shades::of(look);
    let camera = of.camera(look.from);
    let is_plane = of.dimension == 2;
    let cells = of.cells.as_ref();
    let behind = match cells.zip(look.vorticity) {
        Some((cells, most)) => turning(cells, most, &inks, window),
        None => bodies(cells, &inks, window),
    };
    let is_coloured_behind = cells.is_some() && look.vorticity.is_some();
    let has_fluid = of.points.iter().any(|p| p.role == Role::Fluid);
    // Where a liquid carries the colours, bodies keep theirs.
    let is_shown = |role: Role| match role {
        Role::Fluid => true,
        Role::Sand | Role::Body(_) => !has_fluid,
        Role::Fixed | Role::Wall | Role::Ground => false,
    };
    let plain = |role: Role| match (role, look.is_dark) {
        (Role::Fluid, _) => rgb(inks.particle),
        (Role::Wall, true) => [92, 98, 106],
        (Role::Ground, true) => [74, 78, 84],
        (role, _) => of.colour(role),
    };
    let shade = |role, speed: Option<&f64>, pressure: Option<&f64>| {
        let value = match look.colour {
            Colour::Plain => None,
            Colour::Speed => speed,
            Colour::Pressure => pressure,
        };
        match value.filter(|_| is_shown(role)) {
            Some(value) => rgb(shades.at(*value)),
            None => plain(role),
        }
    };
    let point = |points: &Points, k: usize| match points.role {
        Role::Fluid if is_coloured_behind => look.particles.then_some([60, 60, 60]),
        role => Some(shade(role, points.speed.get(k), points.pressure.get(k))),
    };
    let mesh = |mesh: &Mesh, triangle: usize| {
        let corner = mesh.triangles[triangle][0] as usize;
        Some(shade(mesh.role, mesh.speed.get(corner), None))
    };
    let mut drawing = of.drawing(&point, &mesh);
    if is_coloured_behind {
        for ball in &mut drawing.balls {
            ball.radius *= 0.45;
        }
    }
    if !is_plane && !of.meshes.iter().any(|m| m.role == Role::Ground) {
        drawing.lines.extend(frame(of.bounds, look.is_dark));
    }
    if look.contacts {
        drawing.lines.extend(pushes(shot));
    }
    let viewport = Viewport {
        left: window.corner.x,
        top: window.corner.y,
        scale: 1.0 / window.pixel,
    };
    let shading = match is_plane {
        true => Shading::Flat,
        false => Shading::Lit,
    };
    let image = draw_in(&drawing, &camera, &viewport, shading, behind);
    let pixels = image.pixels().map(|p| Color32::from_rgb(p[0], p[1], p[2]));
    ColorImage::new(window.size, pixels.collect())
}

fn rgb(colour: Color32) -> [u8; 3] {
    [colour.r(), colour.g(), colour.b()]
}

/// A picture of one colour a pixel.
fn painted(window: &Window, of: impl Fn(f64, f64) -> Color32 + Sync) -> RgbImage {
    let [width, height] = window.size;
    let rows = (0..height).into_par_iter().flat_map_iter(|j| {
        let of = &of;
        (0..width).flat_map(move |i| {
            let at = window.centre(i, j);
            rgb(of(at.x, at.y))
        })
    });
    let bytes: Vec<u8> = rows.collect();
    // As many bytes as the size asks for.
    RgbImage::from_raw(width as u32, height as u32, bytes).unwrap_or_default()
}

fn turning(cells: &Cells, most: f64, inks: &Inks, window: &Window) -> RgbImage {
    let table = ColourMap::BlueRed.table();
    let last = (table.len() - 1) as f64;
    painted(window, |x, y| match cells.at(x, y) {
        None => inks.background,
        Some(cell) if cells.body[cell] >= 0.5 => inks.wall,
        Some(cell) => {
            let t = 0.5 + 0.5 * (cells.vorticity[cell] / most).clamp(-1.0, 1.0);
            // What isn't a number is 0.
            table[(t * last) as usize]
        }
    })
}

fn bodies(cells: Option<&Cells>, inks: &Inks, window: &Window) -> RgbImage {
    painted(window, |x, y| {
        let cell = cells.and_then(|cells| Some((cells, cells.at(x, y)?)));
        match cell {
            Some((cells, cell)) if cells.body[cell] >= 0.5 => inks.wall,
            _ => inks.background,
        }
    })
}

/// The edges of the box that pictures show.
fn frame([least, most]: [[f64; 3]; 2], is_dark: bool) -> Vec<Line> {
    let colour = match is_dark {
        true => [96, 100, 108],
        false => [176, 180, 186],
    };
    let corner =
        |k: usize| -> [f64; 3] { std::array::from_fn(|axis| [least, most][(k >> axis) & 1][axis]) };
    let edges = (0..8usize).flat_map(|k| (0..3).map(move |axis| (k, k | (1 << axis))));
    edges
        .filter(|(a, b)| a != b)
        .map(|(a, b)| Line {
            ends: [corner(a), corner(b)],
            width: 1.0,
            colour,
        })
        .collect()
}

/// Lines along what pushes, as long as it is strong.
fn pushes(shot: &SystemShot) -> Vec<Line> {
    let of = &shot.seen.look;
    let length = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = of
        .contacts
        .iter()
        .map(|c| length(&c.push))
        .fold(0.0, f64::max);
    let [low, high] = of.bounds;
    let size = length(&std::array::from_fn(|k| high[k] - low[k]));
    if !(most > 0.0 && most.is_finite()) {
        return Vec::new();
    }
    let line = |contact: &stokeslet_dynamics::stepped::look::Contact| {
        let scale = PUSH * size / most;
        let end = std::array::from_fn(|k| contact.at[k] + scale * contact.push[k]);
        Line {
            ends: [contact.at, end],
            width: 2.0,
            colour: rgb(CONTACTS[usize::from(contact.sticks != Some(true))]),
        }
    };
    of.contacts.iter().map(line).collect()
}
