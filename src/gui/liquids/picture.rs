//! A snapshot becomes pixels: for every pixel what the grid says there, walls where their level set is 0.
//!
//! ```text
//! Snapshot, Look, Window (which pixels) --rows side by side--> liquid, colours, contacts, walls --particles--> one image
//! ```
//! Speed is multilinear between faces and pressure one value a cell, as they are computed; edges of walls and liquid fade over a
//! pixel, so that they are smooth at any zoom.

use eframe::egui::{Color32, ColorImage};
use rayon::prelude::*;

use super::figure;
use super::settings::{Colour, Slice};
use super::shot::{Contact, Shot, Snapshot, place, seen_axes};
use crate::canvas::theme::Colours;
use crate::results::colour::{ColourMap, table};
use crate::results::raster::Window;
use stokeslet_base::geometry::Point;

/// Rows that one task fills.
const BAND: usize = 16;
/// Half the width of a wall's edge, pixels.
const EDGE: f64 = 0.9;

/// How a snapshot is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// What colours show.
    pub colour: Colour,
    /// Their map.
    pub map: ColourMap,
    /// Ends of the map, SI.
    pub range: [f64; 2],
    /// Whether particles are drawn.
    pub particles: bool,
    /// Whether cells that have left the wall are marked.
    pub detached: bool,
    /// Where a scene in space is cut.
    pub slice: Slice,
    /// Whether pushes are drawn where things touch.
    pub contacts: bool,
    /// The vorticity of full colour behind the particles, 1/s, if it is drawn.
    pub vorticity: Option<f64>,
    /// Where another system's scene in space is seen from: how far turned and tilted, rad.
    pub from: [f64; 2],
    /// Ink for dark surroundings.
    pub is_dark: bool,
}

/// What things are painted with.
pub(super) struct Inks {
    pub background: Color32,
    pub wall: Color32,
    edge: Color32,
    liquid: Color32,
    pub particle: Color32,
    detached: Color32,
}

/// What marks detached cells, here and in the legend.
pub const DETACHED: Color32 = Color32::from_rgb(245, 124, 0);

impl Inks {
    pub fn of(is_dark: bool) -> Self {
        let rgb = Color32::from_rgb;
        let visuals = match is_dark {
            true => eframe::egui::Visuals::dark(),
            false => eframe::egui::Visuals::light(),
        };
        let colours = Colours::of(&visuals);
        Self {
            background: colours.background,
            wall: if is_dark {
                rgb(52, 58, 66)
            } else {
                rgb(214, 219, 225)
            },
            edge: colours.wall,
            liquid: colours.fluid,
            particle: if is_dark {
                rgb(120, 184, 236)
            } else {
                rgb(22, 71, 140)
            },
            detached: DETACHED,
        }
    }
}

/// What values become.
pub(super) struct Shades {
    table: Vec<Color32>,
    range: [f64; 2],
}

impl Shades {
    pub fn of(look: &Look) -> Self {
        Self {
            table: table(look.map),
            range: look.range,
        }
    }

    pub fn at(&self, value: f64) -> Color32 {
        let span = self.range[1] - self.range[0];
        let t = if span > 0.0 {
            ((value - self.range[0]) / span).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let last = self.table.len() - 1;
        self.table[((t * last as f64) as usize).min(last)]
    }
}

/// `a` with so much of `b` over it.
fn over(a: Color32, b: Color32, much: f64) -> Color32 {
    let mix = |a: u8, b: u8| (f64::from(a) + much * (f64::from(b) - f64::from(a))).round() as u8;
    Color32::from_rgb(mix(a.r(), b.r()), mix(a.g(), b.g()), mix(a.b(), b.b()))
}

/// Draws a snapshot; none if it was found stale on the way.
pub fn draw(
    shot: &Shot,
    look: &Look,
    window: &Window,
    is_stale: &(dyn Fn() -> bool + Sync),
) -> Option<ColorImage> {
    match shot {
        Shot::Plane(snapshot) => draw_any(snapshot, look, window, is_stale),
        Shot::Space(snapshot) => draw_any(snapshot, look, window, is_stale),
        Shot::System(shot) => Some(figure::draw(shot, look, window)),
    }
}

fn draw_any<const D: usize>(
    snapshot: &Snapshot<D>,
    look: &Look,
    window: &Window,
    is_stale: &(dyn Fn() -> bool + Sync),
) -> Option<ColorImage> {
    let inks = Inks::of(look.is_dark);
    let shades = Shades::of(look);
    let [width, height] = window.size;
    let pixels = vec![inks.background; width * height];
    let mut image = ColorImage::new(window.size, pixels);
    let on_all = |image: &mut ColorImage, change: &(dyn Fn(&mut Color32, [f64; D]) + Sync)| {
        image
            .pixels
            .par_chunks_mut(width * BAND)
            .enumerate()
            .for_each(|(band, rows)| {
                if is_stale() {
                    return;
                }
                for (k, pixel) in rows.iter_mut().enumerate() {
                    let p = window.centre(k % width, band * BAND + k / width);
                    if (0.0..=1.0).contains(&p.x) && (0.0..=1.0).contains(&p.y) {
                        change(pixel, place(look.slice, [p.x, p.y]));
                    }
                }
            });
    };
    on_all(&mut image, &|pixel, x| {
        *pixel = wet(snapshot, look, &inks, &shades, x, window.pixel);
    });
    if is_stale() {
        return None;
    }
    if look.particles {
        particles(snapshot, look, &inks, &shades, window, &mut image);
    }
    on_all(&mut image, &|pixel, x| {
        *pixel = walled(snapshot, look, &inks, x, window.pixel, *pixel);
    });
    (!is_stale()).then_some(image)
}

/// Liquid and air at a place.
fn wet<const D: usize>(
    snapshot: &Snapshot<D>,
    look: &Look,
    inks: &Inks,
    shades: &Shades,
    x: [f64; D],
    pixel: f64,
) -> Color32 {
    let (run, seen) = (&snapshot.run, seen_axes::<D>(look.slice));
    let mut colour = inks.background;
    if run.openness(x, seen) > -pixel {
        let depth = run.depth(x, seen) / pixel;
        let cover = (depth + 0.5).clamp(0.0, 1.0);
        if cover > 0.0 {
            let value = match look.colour {
                Colour::Plain => None,
                Colour::Speed => Some(run.speed(x)),
                Colour::Pressure => Some(snapshot.pressure(x)),
            };
            let full = value.map_or(inks.liquid, |value| shades.at(value));
            // Particles carry the full colour; the liquid behind them steps back.
            let strength = if look.particles && value.is_some() {
                0.55
            } else {
                1.0
            };
            colour = over(colour, full, cover * strength);
        }
    }
    colour
}

/// The same with walls and the marks of cells over it.
fn walled<const D: usize>(
    snapshot: &Snapshot<D>,
    look: &Look,
    inks: &Inks,
    x: [f64; D],
    pixel: f64,
    below: Color32,
) -> Color32 {
    let run = &snapshot.run;
    let open = run.openness(x, seen_axes::<D>(look.slice)) / pixel;
    let mut colour = over(below, inks.wall, (0.5 - open).clamp(0.0, 1.0));
    let is_detached = |cell| snapshot.contact[cell] == Contact::Detached;
    if look.detached && run.cell(x).is_some_and(is_detached) {
        colour = over(colour, inks.detached, 0.75);
    }
    let edge = (EDGE + 0.5 - open.abs()).clamp(0.0, 1.0);
    over(colour, inks.edge, edge)
}

/// Discs of the particles that are within a cell of the slice.
fn particles<const D: usize>(
    snapshot: &Snapshot<D>,
    look: &Look,
    inks: &Inks,
    shades: &Shades,
    window: &Window,
    image: &mut ColorImage,
) {
    let run = &snapshot.run;
    let (axes, dx) = (seen_axes::<D>(look.slice), run.dx());
    let [width, height] = window.size;
    // In space there are few a cell, one or eight; in the plane there are eight or nine.
    let part = if D == 3 { 0.28 } else { 0.12 };
    let radius = (part * dx / window.pixel).clamp(0.6, 9.0);
    for k in 0..run.particles() {
        let x = run.particle(k);
        if D == 3 && (x[look.slice.axis.min(2)] - look.slice.at).abs() > dx {
            continue;
        }
        let [px, py] = window.place(Point::new(x[axes[0]], x[axes[1]]));
        if px < -radius || py < -radius || px > width as f64 + radius || py > height as f64 + radius
        {
            continue;
        }
        let colour = match look.colour {
            Colour::Plain => inks.particle,
            Colour::Speed => shades.at(run.speed(x)),
            Colour::Pressure => shades.at(snapshot.pressure(x)),
        };
        let reach = |c: f64, n: usize| {
            let low = (c - radius - 0.5).max(0.0) as usize;
            low..((c + radius + 1.5).max(0.0) as usize).min(n)
        };
        for j in reach(py, height) {
            for i in reach(px, width) {
                let (dx, dy) = (i as f64 + 0.5 - px, j as f64 + 0.5 - py);
                let cover = (radius + 0.5 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let pixel = &mut image.pixels[j * width + i];
                    *pixel = over(*pixel, colour, cover * 0.9);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::liquids::run::AnyRun;
    use stokeslet_dynamics::pressure::Separation;
    use stokeslet_dynamics::scenes::eckert::{FlowSettings, TankFlow, tank};
    use stokeslet_dynamics::scenes::{Simulation, scene2, scene3};

    fn look() -> Look {
        Look {
            colour: Colour::Plain,
            map: ColourMap::Viridis,
            range: [0.0, 1.0],
            particles: false,
            detached: false,
            slice: Slice { axis: 2, at: 0.5 },
            contacts: false,
            vorticity: None,
            from: [0.0; 2],
            is_dark: false,
        }
    }

    fn window(n: usize) -> Window {
        Window::of_box(Point::new(0.0, 0.0), Point::new(1.0, 1.0), n)
    }

    fn share(image: &ColorImage, colour: Color32) -> f64 {
        let found = image.pixels.iter().filter(|p| **p == colour).count();
        found as f64 / image.pixels.len() as f64
    }

    #[test]
    fn half_of_a_circle_is_liquid_and_its_wall_is_where_the_level_set_says() {
        let scene = scene2("circle").expect("a scene");
        let simulation = Simulation::new(scene, 64, Separation::Cut);
        let shot = Shot::Plane(Snapshot::at_start(AnyRun::of_scene(Arc::new(simulation))));
        let image = draw(&shot, &look(), &window(200), &|| false).expect("not stale");
        let inks = Inks::of(false);
        let circle = std::f64::consts::PI * 0.16;
        let liquid = share(&image, inks.liquid);
        assert!((liquid / (circle / 2.0) - 1.0).abs() < 0.08, "{liquid}");
        let wall = share(&image, inks.wall);
        assert!((wall / (1.0 - circle) - 1.0).abs() < 0.08, "{wall}");
        // The edge crosses the middle row at x = 0.1: there is its ink, two pixels wide, but for some blending.
        let apart = |k: usize| {
            let (a, b) = (image.pixels[100 * 200 + k], inks.edge);
            let channels = a.to_array().into_iter().zip(b.to_array());
            channels.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>()
        };
        assert!(
            apart(19) < 60 && apart(20) < 60,
            "{} {}",
            apart(19),
            apart(20)
        );
        assert_eq!(image.pixels[100 * 200 + 17], inks.wall);
        assert_eq!(image.pixels[100 * 200 + 22], inks.liquid);
        assert!(draw(&shot, &look(), &window(50), &|| true).is_none());
    }

    #[test]
    fn slices_across_each_axis_show_the_half_that_is_full() {
        let scene = scene3("sphere").expect("a scene");
        let simulation = Simulation::new(scene, 32, Separation::Cut);
        let shot = Shot::Space(Snapshot::at_start(AnyRun::of_scene(Arc::new(simulation))));
        let at = |axis, at| Look {
            slice: Slice { axis, at },
            ..look()
        };
        let of = |look: &Look| {
            let image = draw(&shot, look, &window(100), &|| false).expect("not stale");
            share(&image, Inks::of(false).liquid)
        };
        let disc = std::f64::consts::PI * 0.35 * 0.35;
        // The wall's edge and particles that keep their radius from the surface take a fifth of 0.19.
        let half = of(&at(2, 0.5)) / (disc / 2.0);
        assert!((0.7..1.05).contains(&half), "left half: {half}");
        assert!(of(&at(0, 0.3)) > 0.2, "a whole disc, left of the middle");
        assert_eq!(of(&at(0, 0.7)), 0.0, "none right of it");
        assert_eq!(of(&at(2, 0.05)), 0.0, "outside of the sphere");
    }

    #[test]
    fn particles_and_detached_cells_are_drawn_where_they_are() {
        let scene = scene2("circle").expect("a scene");
        let simulation = Simulation::new(scene, 32, Separation::Cut);
        let mut now = Snapshot::at_start(AnyRun::of_scene(Arc::new(simulation)));
        let cell = now.run.cell([0.3, 0.5]).expect("on the grid");
        let mut contact = (*now.contact).clone();
        contact[cell] = Contact::Detached;
        now.contact = Arc::new(contact);
        let shot = Shot::Plane(now);
        let plain = draw(&shot, &look(), &window(128), &|| false).expect("not stale");
        let marked = Look {
            detached: true,
            ..look()
        };
        let marked = draw(&shot, &marked, &window(128), &|| false).expect("not stale");
        let changed = plain
            .pixels
            .iter()
            .zip(&marked.pixels)
            .filter(|(a, b)| a != b);
        assert_eq!(changed.count(), 16, "four pixels a side of a cell");
        let dotted = Look {
            particles: true,
            ..look()
        };
        let dotted = draw(&shot, &dotted, &window(128), &|| false).expect("not stale");
        let changed = plain
            .pixels
            .iter()
            .zip(&dotted.pixels)
            .filter(|(a, b)| a != b);
        assert!(changed.count() > 1000);
    }
    #[test]
    fn a_tank_is_drawn_cell_by_cell_in_the_plane_and_on_a_slice_between_two_layers() {
        let tank2 = tank::<2>("breaking-dam").expect("a tank");
        let flow2 = TankFlow::new(&tank2, 20, FlowSettings::of::<2>());
        let tank3 = tank::<3>("breaking-dam").expect("a tank");
        let flow3 = TankFlow::new(&tank3, 20, FlowSettings::of::<3>());
        let shots = [
            Shot::Plane(Snapshot::at_start(AnyRun::Tank(Arc::new(flow2)))),
            Shot::Space(Snapshot::at_start(AnyRun::Tank(Arc::new(flow3)))),
        ];
        for shot in shots {
            let image = draw(&shot, &look(), &window(200), &|| false).expect("not stale");
            let inks = Inks::of(false);
            // 7 by 11 cells of ten pixels; the wall's edge takes two pixels of two sides.
            let liquid = share(&image, inks.liquid);
            assert!((liquid / (0.35 * 0.55) - 1.0).abs() < 0.06, "{liquid}");
            let wall = share(&image, inks.wall);
            assert!((wall / (1.0 - 0.9 * 0.9) - 1.0).abs() < 0.2, "{wall}");
            assert_eq!(image.pixels[5], inks.wall, "also at the very edge");
            // A solid cell that let go is marked whole, over the wall.
            let marked = |mut shot: Shot| {
                let mark = |contact: &mut Arc<Vec<Contact>>, cell: usize| {
                    let mut marked = (**contact).clone();
                    marked[cell] = Contact::Detached;
                    *contact = Arc::new(marked);
                };
                match &mut shot {
                    Shot::Plane(s) => {
                        let cell = s.run.cell([0.02, 0.52]).expect("a cell");
                        mark(&mut s.contact, cell);
                    }
                    Shot::Space(s) => {
                        let cell = s.run.cell([0.02, 0.52, 0.5]).expect("a cell");
                        mark(&mut s.contact, cell);
                    }
                    Shot::System(_) => panic!("a tank"),
                }
                shot
            };
            let look = Look {
                detached: true,
                ..look()
            };
            let after = draw(&marked(shot), &look, &window(200), &|| false).expect("not stale");
            let changed = image.pixels.iter().zip(&after.pixels);
            let changed = changed.filter(|(a, b)| a != b).count();
            // Below the wall's edge, which is drawn last, nothing shows of it.
            assert!((80..=100).contains(&changed), "{changed}");
        }
    }
}
