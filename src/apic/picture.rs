//! Snapshots as pictures: in the plane vorticity with particles on top, in space the fast particles.

use image::{Rgb, RgbImage};
use stokeslet_dynamics::report::picture::Framing;
use stokeslet_dynamics::report::shaded::{Ball, Camera, Drawing, draw as draw_space};

use crate::simulation::Snapshot;

/// The longest side, pixels.
const SIDE: f64 = 800.0;
/// Particles are drawn where a cell has at least so many pixels.
const PIXELS_FOR_DOTS: f64 = 5.0;
const BODY: Rgb<u8> = Rgb([120, 120, 120]);
const DOT: Rgb<u8> = Rgb([60, 60, 60]);
/// Share of the fastest speed: in space, slower particles aren't drawn, as they would hide the others.
const SHOWN: f64 = 0.25;

/// What colours mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The vorticity of full colour, 1/s; `None` takes the picture's own largest.
    pub vorticity: Option<f64>,
}

/// Draws a snapshot: blue turns clockwise, red counterclockwise; in space brighter is faster.
#[must_use]
pub fn draw(snapshot: &Snapshot, scale: Scale, framing: &Framing) -> RgbImage {
    if snapshot.dimension == 2 {
        plane(snapshot, scale, framing)
    } else {
        space(snapshot, framing)
    }
}

/// White at 0, towards blue below and red above.
fn diverging(t: f64) -> Rgb<u8> {
    let t = if t.is_finite() {
        t.clamp(-1.0, 1.0)
    } else {
        0.0
    };
    let end = if t < 0.0 {
        [25.0, 80.0, 190.0]
    } else {
        [200.0, 40.0, 30.0]
    };
    let share = t.abs().sqrt();
    Rgb(end.map(|c: f64| (255.0 + share * (c - 255.0)).round() as u8))
}

fn plane(snapshot: &Snapshot, scale: Scale, framing: &Framing) -> RgbImage {
    let [nx, ny, _] = snapshot.cells;
    let side = framing.pixels.map_or(SIDE, f64::from);
    let pixels = side / nx.max(ny) as f64;
    let (width, height) = (
        (nx as f64 * pixels).round().max(1.0) as u32,
        (ny as f64 * pixels).round().max(1.0) as u32,
    );
    let own = || {
        let mut sizes: Vec<f64> = snapshot.vorticity.iter().map(|w| w[2].abs()).collect();
        sizes.sort_by(f64::total_cmp);
        // A few cells beside bodies would take all the colour.
        sizes[(sizes.len() - 1) * 995 / 1000]
    };
    let most = scale.vorticity.unwrap_or_else(own).max(1e-12);
    let mut image = RgbImage::from_fn(width, height, |px, py| {
        let at = |p: u32, n: usize| ((f64::from(p) / pixels) as usize).min(n - 1);
        let cell = at(px, nx) + at(height - 1 - py, ny) * nx;
        if snapshot.body[cell] >= 0.5 {
            BODY
        } else {
            diverging(snapshot.vorticity[cell][2] / most)
        }
    });
    if pixels >= PIXELS_FOR_DOTS {
        let radius = if pixels >= 3.0 * PIXELS_FOR_DOTS {
            1
        } else {
            0
        };
        for x in &snapshot.x {
            let at = |k: usize| (x[k] - snapshot.bounds[0][k]) / snapshot.dx * pixels;
            let (px, py) = (at(0) as i64, i64::from(height) - 1 - at(1) as i64);
            for (dx, dy) in (0..=radius).flat_map(|i| (0..=radius).map(move |j| (i, j))) {
                let (px, py) = (px + dx, py + dy);
                if (0..i64::from(width)).contains(&px) && (0..i64::from(height)).contains(&py) {
                    image.put_pixel(px as u32, py as u32, DOT);
                }
            }
        }
    }
    image
}

fn space(snapshot: &Snapshot, framing: &Framing) -> RgbImage {
    let speed = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let fastest = snapshot.v.iter().map(speed).fold(1e-12, f64::max);
    // y is up here, z in the drawing.
    let turned = |x: &[f64; 3]| [x[0], -x[2], x[1]];
    let mut drawing = Drawing::default();
    for (x, v) in snapshot.x.iter().zip(&snapshot.v) {
        let t = speed(v) / fastest;
        if t >= SHOWN {
            let (slow, fast) = ([40.0, 60.0, 140.0], [255.0, 215.0, 60.0]);
            let colour = std::array::from_fn(|k| (slow[k] + t * (fast[k] - slow[k])) as u8);
            drawing.balls.push(Ball {
                at: turned(x),
                radius: 0.2 * snapshot.dx,
                colour,
            });
        }
    }
    let [low, high] = snapshot.bounds;
    let [turn, tilt] = framing.from.unwrap_or([0.5, 0.35]);
    draw_space(
        &drawing,
        &Camera::around(turn, tilt),
        [[low[0], -high[2], low[1]], [high[0], -low[2], high[1]]],
        framing.pixels,
        &|_, _| None,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, Simulation, scenes};

    #[test]
    fn vortices_are_blue_and_red_and_bodies_grey() {
        let scene = scenes::find("circle").unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        simulation.step().unwrap();
        let picture = draw(
            &simulation.snapshot(),
            Scale { vorticity: None },
            &Framing::default(),
        );
        assert_eq!((picture.width(), picture.height()), (800, 800));
        assert_eq!(*picture.get_pixel(400, 400), BODY);
        let turns = |x: [f64; 2]| {
            let grad = scene.field::<2>().at(x, 0.0, scene.density).grad;
            grad[1][0] - grad[0][1]
        };
        // How red a cell is, over all its pixels but those of bodies and particles, which are grey.
        let hue = |[i, j]: [usize; 2]| -> i32 {
            let range = |n: usize| (n * 25).div_ceil(2) as u32..((n + 1) * 25).div_ceil(2) as u32;
            let pixels = range(i).flat_map(|x| range(j).map(move |y| (x, 799 - y)));
            let hue = |p: &Rgb<u8>| i32::from(p[0]) - i32::from(p[2]);
            pixels.map(|(x, y)| hue(picture.get_pixel(x, y))).sum()
        };
        let (mut red, mut blue, mut wrong) = (0, 0, Vec::new());
        for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
            let x = [i, j].map(|c: usize| -2.0 + (c as f64 + 0.5) / 16.0);
            let (vorticity, hue) = (turns(x), hue([i, j]));
            red += usize::from(hue > 0);
            blue += usize::from(hue < 0);
            // The noise of particles turns as fast as 0.02 / s.
            let is_clear = x[0].hypot(x[1]) > 1.0 && vorticity.abs() > 0.05;
            if is_clear && hue != 0 && (hue > 0) != (vorticity > 0.0) {
                wrong.push((x, vorticity, hue));
            }
        }
        assert_eq!(wrong, [], "no cell has the colour of the other sign");
        assert!(red > 1800 && blue > 800, "both signs show: {red} {blue}");
        // Nothing turns clockwise a third as fast as the rest turns the other way, so no blue is full: pixels of strong blue were those
        // of seven cells beside the disc, where the curl read faces inside it.
        let strong = |p: &&Rgb<u8>| p[2] > 180 && p[0] < 120;
        assert_eq!(picture.pixels().filter(strong).count(), 0);
    }
}
