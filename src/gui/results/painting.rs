//! A solution becomes the image under the canvas: colours, stress along walls, kinds of parts, the mesh; and arrows.
//!
//! Made away from the frame: 20 to 50 ms for what fills a screen. The canvas draws the last image where the chip now is and asks
//! for the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use web_time::Instant;

use eframe::egui::{Color32, ColorImage};
use rayon::prelude::*;

use super::colour::{Scaling, table, tint};
use super::raster::{BAND, Shade, Window, raster};
use super::strokes::Stroke;
use super::{Quantity, Solved};
use crate::species::Dissolved;
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::index::{cell_box, nodes_of};

/// Width of the coloured strokes along walls, points; half of it lies inside.
const WALL_WIDTH: f64 = 7.0;
/// The mesh is drawn where edges of a cell are at least so long, points.
const SHORTEST_EDGE: f64 = 5.0;
/// Straight strokes for a curved edge.
const CHORDS: usize = 4;
/// Most arrows of an image.
const MAX_ARROWS: f64 = 20_000.0;

/// What is seen of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// What colours show.
    pub colour: Option<Quantity>,
    /// Ends of the colours; `None` for those of the field.
    pub range: Option<[f64; 2]>,
    /// Edges of cells.
    pub mesh: bool,
    /// Kinds of parts instead of the field.
    pub parts: bool,
    /// Ink for dark surroundings.
    pub is_dark: bool,
    /// Pixels of a point of the screen.
    pub pixels_per_point: f32,
    /// Distance of arrows, m; none without.
    pub arrows: Option<f64>,
}

/// An image to make.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What it is an image of.
    pub solved: Arc<Solved>,
    /// What is dissolved in it, where that is shown.
    pub dissolved: Option<Arc<Dissolved>>,
    /// Which pixels.
    pub window: Window,
    /// How.
    pub look: Look,
}

/// Whether the mesh could be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshSeen {
    /// All that was wanted.
    All,
    /// Some cells were too small.
    Some,
    /// All cells were too small.
    None,
}

/// An arrow: where, and the velocity there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// m
    pub at: Point,
    /// m/s
    pub velocity: Point,
}

/// A finished image.
#[derive(Clone, Debug)]
pub struct Painting {
    /// What was asked for.
    pub asked: Asked,
    /// The pixels; transparent outside the flow.
    pub image: Arc<ColorImage>,
    /// What its colours mean.
    pub scaling: Option<Scaling>,
    /// On a lattice, inside the flow.
    pub arrows: Vec<Arrow>,
    /// What of the mesh is in the image.
    pub mesh: MeshSeen,
    /// What it took.
    pub seconds: f64,
}

/// Makes an image.
pub fn paint(asked: Asked) -> Painting {
    let start = Instant::now();
    let Asked {
        solved,
        dissolved,
        window,
        look,
    } = &asked;
    let dissolved = dissolved.as_deref();
    let scaling = look
        .colour
        .and_then(|quantity| Scaling::of(solved, dissolved, quantity, look.range));
    let pixels = ground((solved, dissolved), window, look, scaling.as_ref());
    let mut pixels =
        pixels.unwrap_or_else(|| vec![Color32::TRANSPARENT; window.size[0] * window.size[1]]);
    let mut mesh = MeshSeen::All;
    if look.mesh {
        mesh = draw_mesh(solved, window, look, &mut pixels);
    }
    if let Some(scaling) = &scaling
        && scaling.quantity.is_on_walls()
    {
        draw_walls(solved, window, look, scaling, &mut pixels);
    }
    if look.parts {
        // For the dots on seams, which a frame has no time to find.
        let _ = solved.seam_nodes();
        let _ = solved.kinds();
    }
    let arrows = look
        .arrows
        .map_or_else(Vec::new, |gap| lattice(solved, window, gap));
    let image = Arc::new(ColorImage::new(window.size, pixels));
    Painting {
        image,
        scaling,
        arrows,
        mesh,
        seconds: start.elapsed().as_secs_f64(),
        asked,
    }
}

/// The field's or the kinds' colours.
fn ground(
    (solved, dissolved): (&Solved, Option<&Dissolved>),
    window: &Window,
    look: &Look,
    scaling: Option<&Scaling>,
) -> Option<Vec<Color32>> {
    let fields = &solved.solution.fields;
    let values = |shade| raster(fields, &solved.index, window, shade, &|| false);
    if look.parts {
        let kinds = solved.kinds();
        let tints: Vec<Color32> = (0..kinds.kinds.len()).map(tint).collect();
        let numbers = values(Shade::Part(&kinds.of_part));
        return Some(coloured(&numbers, |k| {
            tints.get(k as usize).copied().unwrap_or_default()
        }));
    }
    let scaling = scaling?;
    let shade = Shade::of(solved, dissolved, scaling.quantity)?;
    let table = table(scaling.map);
    let last = (table.len() - 1) as f32;
    let [low, high] = scaling.range;
    // A constant field has the middle colour throughout.
    let (factor, first) = if high > low {
        (f64::from(last) / (high - low), low)
    } else {
        (0.0, low - 1.0)
    };
    let (factor, shift) = (factor as f32, if high > low { 0.5 } else { 0.5 * last });
    let first = first as f32;
    Some(coloured(&values(shade), |v| {
        // A float below zero becomes 0.
        table[(((v - first) * factor + shift) as usize).min(table.len() - 1)]
    }))
}

fn coloured(values: &[f32], colour: impl Fn(f32) -> Color32 + Sync) -> Vec<Color32> {
    values
        .par_iter()
        .with_min_len(1 << 14)
        .map(|&v| {
            if v.is_nan() {
                Color32::TRANSPARENT
            } else {
                colour(v)
            }
        })
        .collect()
}

/// Lays a colour over another, `alpha` of it.
fn over(under: Color32, ink: Color32, alpha: f32) -> Color32 {
    let mix = |a: u8, b: u8| (f32::from(a) * alpha + f32::from(b) * (1.0 - alpha)).round() as u8;
    let [r, g, b, a] = ink.to_array();
    let [ur, ug, ub, ua] = under.to_array();
    Color32::from_rgba_premultiplied(mix(r, ur), mix(g, ug), mix(b, ub), mix(a, ua))
}

/// An edge of a cell in pixels, as straight strokes.
fn edge_strokes(
    window: &Window,
    x: &[Point; 6],
    k: usize,
    is_curved: bool,
    half_width: f64,
) -> impl Iterator<Item = Stroke> {
    let (a, b, m) = (x[k], x[(k + 1) % 3], x[k + 3]);
    let n = if is_curved { CHORDS } else { 1 };
    let at = move |t: f64| {
        a * ((1.0 - t) * (1.0 - 2.0 * t)) + b * (t * (2.0 * t - 1.0)) + m * (4.0 * t * (1.0 - t))
    };
    let window = *window;
    (0..n).map(move |i| Stroke {
        ends: [
            window.place(at(i as f64 / n as f64)),
            window.place(at((i + 1) as f64 / n as f64)),
        ],
        half_width,
    })
}

fn draw_mesh(solved: &Solved, window: &Window, look: &Look, pixels: &mut [Color32]) -> MeshSeen {
    let fields = &solved.solution.fields;
    let width = window.size[0];
    let per_point = f64::from(look.pixels_per_point);
    let half_width = 0.4 * per_point;
    let is_filled = look.parts || look.colour.is_some_and(|q| !q.is_on_walls());
    let (ink, strength) = match look.is_dark && !is_filled {
        true => (Color32::WHITE, 0.45),
        false => (Color32::BLACK, 0.38),
    };
    let (shown, hidden) = (AtomicBool::new(false), AtomicBool::new(false));
    pixels
        .par_chunks_mut(width * BAND)
        .enumerate()
        .for_each(|(band, rows)| {
            let from = band * BAND;
            let to = from + rows.len() / width;
            // Neighbours share edges: covered once, not twice.
            let mut covered = vec![0.0_f32; rows.len()];
            let (low, high) = window.rows(from, to, half_width + 1.0);
            solved.index.for_cells_in(fields, low, high, |cell, x| {
                let shortest = (0..3)
                    .map(|k| (x[(k + 1) % 3] - x[k]).norm() / window.pixel)
                    .fold(f64::INFINITY, f64::min);
                if shortest < SHORTEST_EDGE * per_point {
                    hidden.store(true, Ordering::Relaxed);
                    return;
                }
                shown.store(true, Ordering::Relaxed);
                for k in 0..3 {
                    for stroke in
                        edge_strokes(window, x, k, solved.index.is_curved(cell), half_width)
                    {
                        stroke.cover((from, to), width, |i, c, _| covered[i] = covered[i].max(c));
                    }
                }
            });
            for (pixel, c) in rows.iter_mut().zip(covered) {
                if c > 0.0 {
                    *pixel = over(*pixel, ink, strength * c);
                }
            }
        });
    match (shown.into_inner(), hidden.into_inner()) {
        (_, false) => MeshSeen::All,
        (true, true) => MeshSeen::Some,
        (false, true) => MeshSeen::None,
    }
}

fn draw_walls(
    solved: &Solved,
    window: &Window,
    look: &Look,
    scaling: &Scaling,
    pixels: &mut [Color32],
) {
    let fields = &solved.solution.fields;
    let stress = solved.wall_stress();
    let width = window.size[0];
    let half_width = 0.5 * WALL_WIDTH * f64::from(look.pixels_per_point);
    let table = table(scaling.map);
    let last = (table.len() - 1) as f64;
    let (low, high) = window.rows(0, window.size[1], half_width + 1.0);
    // What is in view, sorted into bands by the rows that it covers.
    let n_bands = window.size[1].div_ceil(BAND);
    let mut by_band: Vec<Vec<u32>> = vec![Vec::new(); n_bands];
    for (w, &(cell, _)) in fields.walls.iter().enumerate() {
        let x = nodes_of(fields, cell as usize);
        let (a, b) = cell_box(&x);
        if b.x < low.x || a.x > high.x || b.y < low.y || a.y > high.y {
            continue;
        }
        let row = |y: f64, by: f64| {
            (((window.corner.y - y) / window.pixel + by).max(0.0) as usize / BAND).min(n_bands - 1)
        };
        for band in &mut by_band[row(b.y, -half_width - 1.0)..=row(a.y, half_width + 1.0)] {
            band.push(w as u32);
        }
    }
    pixels
        .par_chunks_mut(width * BAND)
        .zip(&by_band)
        .enumerate()
        .for_each(|(band, (rows, walls))| {
            let from = band * BAND;
            let to = from + rows.len() / width;
            let mut covered = vec![(0.0_f32, 0.0_f32); rows.len()];
            for &w in walls {
                let (cell, edge) = fields.walls[w as usize];
                let ends = stress.at_ends[w as usize];
                let x = nodes_of(fields, cell as usize);
                let is_curved = solved.index.is_curved(cell as usize);
                let n = if is_curved { CHORDS } else { 1 };
                let strokes = edge_strokes(window, &x, edge as usize, is_curved, half_width);
                for (i, stroke) in strokes.enumerate() {
                    stroke.cover((from, to), width, |k, c, t| {
                        if c > covered[k].0 {
                            let t = ((i as f64 + t) / n as f64) as f32;
                            covered[k] = (c, ends[0] + (ends[1] - ends[0]) * t);
                        }
                    });
                }
            }
            for (pixel, (c, value)) in rows.iter_mut().zip(covered) {
                if c > 0.0 {
                    let colour = table[(scaling.place(f64::from(value)) * last) as usize];
                    *pixel = over(*pixel, colour, c);
                }
            }
        });
}

/// Velocities at the points of a square lattice that is fixed to the chip, so that arrows don't swim while the view moves.
fn lattice(solved: &Solved, window: &Window, gap: f64) -> Vec<Arrow> {
    let (low, high) = window.rows(0, window.size[1], 0.0);
    let (from, to) = solved.index.extent();
    let clip = |a: f64, b: f64| ((a / gap).ceil(), (b / gap).floor());
    let (i0, i1) = clip(low.x.max(from.x), high.x.min(to.x));
    let (j0, j1) = clip(low.y.max(from.y), high.y.min(to.y));
    let is_sane = (i1 - i0 + 1.0).max(0.0) * (j1 - j0 + 1.0).max(0.0) <= MAX_ARROWS;
    if !is_sane || i1 < i0 || j1 < j0 {
        return Vec::new();
    }
    let (columns, rows) = ((i1 - i0) as usize + 1, (j1 - j0) as usize + 1);
    (0..columns * rows)
        .into_par_iter()
        .with_min_len(256)
        .filter_map(|k| {
            let i = i0 + (k % columns) as f64;
            let j = j0 + (k / columns) as f64;
            let at = Point::new(i * gap, j * gap);
            let velocity = solved.at(at)?.velocity;
            Some(Arrow { at, velocity })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::colour::colour_at;
    use crate::results::tests::{channel, solved, solved_example};

    fn look(colour: Option<Quantity>) -> Look {
        Look {
            colour,
            range: None,
            mesh: false,
            parts: false,
            is_dark: false,
            pixels_per_point: 1.0,
            arrows: None,
        }
    }

    fn window() -> Window {
        Window::of_box(Point::new(-1e-4, -1e-4), Point::new(1.1e-3, 1e-4), 240)
    }

    #[test]
    fn colours_follow_the_field_and_end_at_its_walls() {
        let solved = solved(&channel(), 4);
        let painting = paint(Asked {
            solved,
            dissolved: None,
            window: window(),
            look: look(Some(Quantity::PRESSURE)),
        });
        let scaling = painting.scaling.unwrap();
        let row = 20;
        let at = |i: usize| painting.image.pixels[i + row * 240];
        assert_eq!(at(2), Color32::TRANSPARENT, "left of the inlet");
        for i in [21, 100, 210] {
            let x = window().centre(i, row).x;
            let want = colour_at(scaling.map, 1.0 - x / 1e-3);
            let near = at(i)
                .to_array()
                .iter()
                .zip(want.to_array())
                .all(|(a, b)| a.abs_diff(b) <= 2);
            assert!(near, "pixel {i}: {:?} against {want:?}", at(i));
        }
    }

    #[test]
    fn a_constant_field_has_the_colour_of_the_middle() {
        let mut chip = channel();
        chip.ports[0].condition = stokeslet_cad::chip::Condition::Pressure(0.0);
        let solved = solved(&chip, 4);
        let painting = paint(Asked {
            solved,
            dissolved: None,
            window: window(),
            look: look(Some(Quantity::SPEED)),
        });
        let scaling = painting.scaling.unwrap();
        assert_eq!(
            painting.image.pixels[120 + 20 * 240],
            colour_at(scaling.map, 0.5)
        );
    }

    #[test]
    fn walls_are_coloured_where_they_are_and_only_there() {
        let solved = solved(&channel(), 4);
        let painting = paint(Asked {
            solved,
            dissolved: None,
            window: window(),
            look: look(Some(Quantity::WALL_SHEAR)),
        });
        let scaling = painting.scaling.unwrap();
        // Rows of the upper wall, the middle and the lower wall: 5 µm a pixel, top at y = 100 µm.
        let at = |j: usize| painting.image.pixels[120 + j * 240];
        assert_eq!(
            at(10),
            colour_at(scaling.map, 1.0),
            "all of the walls have the same, greatest stress"
        );
        assert_eq!(at(30), colour_at(scaling.map, 1.0));
        assert_eq!(at(20), Color32::TRANSPARENT);
    }

    #[test]
    fn the_mesh_is_shown_where_it_can_be_told_apart() {
        let solved = solved_example("y-mixer", 4);
        let (low, high) = solved.index.extent();
        let far = Window::of_box(low, high, 100);
        let middle = (low + high) * 0.5;
        let near = Window {
            corner: middle,
            pixel: 1e-6,
            size: [400, 400],
        };
        let wanted = Look {
            mesh: true,
            ..look(Some(Quantity::SPEED))
        };
        let plain = look(Some(Quantity::SPEED));
        let paint = |window, look| {
            paint(Asked {
                solved: solved.clone(),
                dissolved: None,
                window,
                look,
            })
        };
        assert_eq!(paint(far, wanted).mesh, MeshSeen::None);
        assert_eq!(paint(far, wanted).image, paint(far, plain).image);
        assert_eq!(paint(near, wanted).mesh, MeshSeen::All);
    }

    #[test]
    fn arrows_stand_on_the_chips_own_lattice_inside_the_flow() {
        let solved = solved(&channel(), 4);
        let look = Look {
            arrows: Some(3e-5),
            ..look(None)
        };
        let painting = paint(Asked {
            solved,
            dissolved: None,
            window: window(),
            look,
        });
        assert_eq!(
            painting.arrows.len(),
            34 * 3,
            "y = -30, 0 and 30 µm, x = 0 to 990 µm"
        );
        for arrow in &painting.arrows {
            let steps = arrow.at * (1.0 / 3e-5);
            assert!(
                (steps.x - steps.x.round()).abs() < 1e-9
                    && (steps.y - steps.y.round()).abs() < 1e-9
            );
            assert!(arrow.velocity.x > 0.0 && arrow.velocity.y.abs() < 1e-12);
        }
    }
}
