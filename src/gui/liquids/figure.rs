//! A scene of another system becomes pixels: cells behind, then points, surfaces, contacts, as a camera sees them.
//!
//! In the plane colours are those of the legend; in space everything is shaded, so that it looks round.

use std::f64::consts::{PI, TAU};

use eframe::egui::{Color32, ColorImage};
use rayon::prelude::*;

use super::picture::{Inks, Look, Shades};
use super::settings::Colour;
use super::shot::SystemShot;
use crate::results::colour::{ColourMap, table};
use crate::results::raster::Window;
use stokeslet_dynamics::report::shaded::{Line, RgbImage, Shading, Viewport, draw_in};
use stokeslet_dynamics::stepped::look::{Cells, Contact, Mesh, Points, Role};

/// Where what touches holds, and where it slides or isn't said to hold.
pub const CONTACTS: [Color32; 2] = [
    Color32::from_rgb(56, 158, 90),
    Color32::from_rgb(245, 124, 0),
];

/// The longest push is drawn as long as this part of the scene.
const PUSH: f64 = 0.12;
/// Contacts whose cones are drawn, those that push most: more would hide what they are at.
const CONES: usize = 200;
/// Corners of a cone's rim.
const RIM: usize = 16;

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
        drawing.lines.extend(cones(shot, cone_colour(look.is_dark)));
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
    let table = table(ColourMap::BlueRed);
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

/// The ink of friction cones.
pub fn cone_colour(is_dark: bool) -> Color32 {
    match is_dark {
        true => Color32::from_rgb(150, 140, 190),
        false => Color32::from_rgb(126, 112, 170),
    }
}

fn length(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// How long a push of one is drawn, m; none where nothing pushes.
fn scale_of_pushes(shot: &SystemShot) -> Option<f64> {
    let of = &shot.seen.look;
    let all = of.contacts.iter().map(|c| length(&c.push));
    let most = all.fold(0.0, f64::max);
    let [low, high] = of.bounds;
    let size = length(&std::array::from_fn(|k| high[k] - low[k]));
    (most > 0.0 && most.is_finite()).then(|| PUSH * size / most)
}

/// The cones that pushes can't leave without sliding, each as high as its contact pushes along the normal, or as wide.
fn cones(shot: &SystemShot, colour: Color32) -> Vec<Line> {
    let of = &shot.seen.look;
    let Some(scale) = scale_of_pushes(shot) else {
        return Vec::new();
    };
    let height = |c: &Contact| scale * (0..3).map(|k| c.push[k] * c.normal[k]).sum::<f64>();
    let mut all: Vec<&Contact> = of.contacts.iter().filter(|c| c.friction > 0.0).collect();
    all.sort_by(|a, b| height(b).total_cmp(&height(a)));
    all.truncate(CONES);
    let line = |ends| Line {
        ends,
        width: 1.0,
        colour: rgb(colour),
    };
    let mut lines = Vec::new();
    for contact in all {
        // Of a wide one only the lower part: all of it would be as wide as the scene.
        let (h, n) = (height(contact) / contact.friction.max(1.0), contact.normal);
        if h <= 0.0 || !h.is_finite() {
            continue;
        }
        let [u, v] = across(n, of.dimension);
        let at = |angle: f64| -> [f64; 3] {
            let (s, c) = angle.sin_cos();
            std::array::from_fn(|k| {
                contact.at[k] + h * (n[k] + contact.friction * (c * u[k] + s * v[k]))
            })
        };
        if of.dimension == 2 {
            lines.extend([0.0, PI].map(|angle| line([contact.at, at(angle)])));
            continue;
        }
        let corner = |k: usize| at(TAU * k as f64 / RIM as f64);
        lines.extend((0..RIM).map(|k| line([corner(k), corner((k + 1) % RIM)])));
        let sides = (0..RIM).step_by(RIM / 4);
        lines.extend(sides.map(|k| line([contact.at, corner(k)])));
    }
    lines
}

/// Two unit vectors at right angles to a unit vector and to each other; in the plane the first is in it.
fn across(n: [f64; 3], dimension: usize) -> [[f64; 3]; 2] {
    let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            a[i] * b[j] - a[j] * b[i]
        })
    };
    let least = match dimension {
        2 => 2,
        _ => (0..3)
            .min_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs()))
            .unwrap_or(0),
    };
    let axis = std::array::from_fn(|k| f64::from(u8::from(k == least)));
    let u = cross(n, axis);
    let size = length(&u).max(1e-300);
    let u = u.map(|x| x / size);
    [u, cross(n, u)]
}

/// Lines along what pushes, as long as it is strong.
fn pushes(shot: &SystemShot) -> Vec<Line> {
    let of = &shot.seen.look;
    let Some(scale) = scale_of_pushes(shot) else {
        return Vec::new();
    };
    let line = |contact: &Contact| {
        let end = std::array::from_fn(|k| contact.at[k] + scale * contact.push[k]);
        Line {
            ends: [contact.at, end],
            width: 2.0,
            colour: rgb(CONTACTS[usize::from(contact.sticks != Some(true))]),
        }
    };
    of.contacts.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_across_a_normal_is_at_right_angles_and_in_the_plane_where_there_is_only_one() {
        let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
        for (n, dimension) in [
            ([0.0, 0.0, 1.0], 3),
            ([0.6, 0.0, -0.8], 3),
            ([0.0, 1.0, 0.0], 2),
            ([-0.6, 0.8, 0.0], 2),
        ] {
            let [u, v] = across(n, dimension);
            let pairs = [(n, u), (n, v), (u, v)];
            assert!(
                pairs.iter().all(|(a, b)| dot(*a, *b).abs() < 1e-15),
                "{n:?}"
            );
            assert!((dot(u, u) - 1.0).abs() < 1e-15 && (dot(v, v) - 1.0).abs() < 1e-15);
            assert!(dimension == 3 || u[2] == 0.0, "{n:?}: {u:?}");
        }
    }
}
