//! A run as it looks: walls, liquid, particles.

use std::io::Cursor;

use image::{ImageError, ImageFormat, Rgb, RgbImage};

use super::still::Still;

/// Pixels a side.
const SIDE: u32 = 512;
/// Pixels between two pictures side by side.
const GAP: u32 = 8;

const OPEN: Rgb<u8> = Rgb([252, 252, 250]);
const WALL: Rgb<u8> = Rgb([150, 153, 160]);
const LIQUID: Rgb<u8> = Rgb([112, 169, 226]);
const PARTICLE: Rgb<u8> = Rgb([22, 71, 140]);

/// How pictures of runs are taken, where it isn't as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Framing {
    /// Pixels of the longer side, without margins.
    pub pixels: Option<u32>,
    /// In space where they are taken from: turned about the vertical, tilted down, rad.
    pub from: Option<[f64; 2]>,
}

/// A square picture, 512 pixels a side unless asked otherwise: in the plane walls, liquid and particles; in space particles seen along
/// z, the nearer the lighter, and obstacles that stand between them, before the walls of the middle plane.
pub fn draw<const D: usize>(still: &Still<'_, D>, pixels: Option<u32>) -> RgbImage {
    let side = pixels.unwrap_or(SIDE);
    let mut image = RgbImage::from_pixel(side, side, OPEN);
    let place = |px: u32, py: u32| {
        let mut x = [0.5; D];
        x[0] = (f64::from(px) + 0.5) / f64::from(side);
        x[1] = 1.0 - (f64::from(py) + 0.5) / f64::from(side);
        x
    };
    for (px, py, pixel) in image.enumerate_pixels_mut() {
        let x = place(px, py);
        if (still.is_wall)(x) {
            *pixel = WALL;
        } else if D == 2 && (still.is_liquid)(x) {
            *pixel = LIQUID;
        }
    }
    let obstacles = obstacles(still);
    let mut order: Vec<usize> = (0..still.x.len()).collect();
    if D == 3 {
        order.sort_by(|a, b| still.x[*a][D - 1].total_cmp(&still.x[*b][D - 1]));
    }
    // Dots in the plane, in space discs of about a cell.
    let radius = if D == 3 {
        0.5 * still.dx * f64::from(side)
    } else {
        0.7
    };
    // From back to front: what of the obstacles lies behind a particle is drawn before it.
    let mut hidden = obstacles.iter().peekable();
    for p in order {
        let x = still.x[p];
        if D == 3 {
            while let Some(obstacle) = hidden.next_if(|o| o.depth < x[D - 1]) {
                obstacle.draw(&mut image);
            }
        }
        let colour = if D == 3 {
            let near = x[D - 1].clamp(0.0, 1.0);
            let mix = |dark: u8, light: u8| {
                (f64::from(dark) + near * (f64::from(light) - f64::from(dark))) as u8
            };
            Rgb([mix(8, 150), mix(40, 205), mix(110, 255)])
        } else {
            PARTICLE
        };
        let (cx, cy) = (x[0] * f64::from(side), (1.0 - x[1]) * f64::from(side));
        disc(&mut image, cx, cy, radius, colour);
    }
    for obstacle in hidden {
        obstacle.draw(&mut image);
    }
    image
}

/// What is seen of an obstacle through a square of pixels.
struct Facet {
    /// Along z, in parts of the domain: larger is nearer.
    depth: f64,
    /// Column and row, and how many there are.
    at: [u32; 2],
    of: u32,
    shade: Rgb<u8>,
}

impl Facet {
    fn draw(&self, image: &mut RgbImage) {
        let edge = |k: u32| k * image.width() / self.of;
        let (x, y) = (edge(self.at[0])..edge(self.at[0] + 1), self.at[1]);
        for py in edge(y)..edge(y + 1) {
            for px in x.clone() {
                image.put_pixel(px, py, self.shade);
            }
        }
    }
}

/// Obstacles in space from back to front: walls with open space both before and behind them, where a look along z first meets them.
fn obstacles<const D: usize>(still: &Still<'_, D>) -> Vec<Facet> {
    /// Looks along x and y, and samples of each.
    const LOOKS: u32 = 128;
    const SAMPLES: u32 = 64;
    let mut all = Vec::new();
    if D != 3 {
        return all;
    }
    let part = |k: u32, n: u32| (f64::from(k) + 0.5) / f64::from(n);
    for (column, row) in (0..LOOKS).flat_map(|y| (0..LOOKS).map(move |x| (x, y))) {
        let is_wall = |k: u32| {
            let mut x = [0.0; D];
            x[0] = part(column, LOOKS);
            x[1] = 1.0 - part(row, LOOKS);
            x[D - 1] = part(k, SAMPLES);
            (still.is_wall)(x)
        };
        // From the front.
        let walls: Vec<bool> = (0..SAMPLES).rev().map(is_wall).collect();
        let Some(open) = walls.iter().position(|w| !w) else {
            continue;
        };
        let Some(wall) = walls[open..].iter().position(|w| *w).map(|k| open + k) else {
            continue;
        };
        if walls[wall..].iter().all(|w| *w) {
            continue;
        }
        let depth = 1.0 - part(wall as u32, SAMPLES);
        let mix = |far: f64, near: f64| (far + depth * (near - far)) as u8;
        all.push(Facet {
            depth,
            at: [column, row],
            of: LOOKS,
            shade: Rgb([mix(110.0, 205.0), mix(108.0, 200.0), mix(104.0, 190.0)]),
        });
    }
    all.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    all
}

fn disc(image: &mut RgbImage, cx: f64, cy: f64, radius: f64, colour: Rgb<u8>) {
    let last = image.width() - 1;
    let range = |c: f64| {
        let low = (c - radius).max(0.0) as u32;
        low..=((c + radius).max(0.0) as u32).min(last)
    };
    for py in range(cy) {
        for px in range(cx) {
            let (dx, dy) = (f64::from(px) + 0.5 - cx, f64::from(py) + 0.5 - cy);
            if dx * dx + dy * dy <= radius * radius + 0.25 {
                image.put_pixel(px, py, colour);
            }
        }
    }
}

/// Pictures side by side, of whatever sizes.
pub fn beside(pictures: &[RgbImage]) -> RgbImage {
    let gaps = GAP * pictures.len().saturating_sub(1) as u32;
    let width = pictures.iter().map(|p| p.width()).sum::<u32>() + gaps;
    let height = pictures.iter().map(|p| p.height()).max().unwrap_or(SIDE);
    let mut all = RgbImage::from_pixel(width, height, Rgb([255; 3]));
    let mut left = 0;
    for picture in pictures {
        image::imageops::replace(&mut all, picture, left, 0);
        left += i64::from(picture.width() + GAP);
    }
    all
}

/// Pictures below each other, of whatever sizes.
pub fn below(pictures: &[RgbImage]) -> RgbImage {
    let gaps = GAP * pictures.len().saturating_sub(1) as u32;
    let width = pictures.iter().map(|p| p.width()).max().unwrap_or(SIDE);
    let height = pictures.iter().map(|p| p.height()).sum::<u32>() + gaps;
    let mut all = RgbImage::from_pixel(width, height.max(1), Rgb([255; 3]));
    let mut top = 0;
    for picture in pictures {
        image::imageops::replace(&mut all, picture, 0, top);
        top += i64::from(picture.height() + GAP);
    }
    all
}

/// As a PNG file.
///
/// # Errors
/// What the encoder says.
pub fn png(image: &RgbImage) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pressure::Separation;
    use crate::scenes::eckert::{FlowSettings, TankFlow, tank};
    use crate::scenes::{Simulation, scene2, scene3};

    #[test]
    fn pictures_of_any_size_stand_side_by_side_whole() {
        let picture = |w, h, shade| RgbImage::from_pixel(w, h, Rgb([shade; 3]));
        let all = beside(&[picture(600, 700, 10), picture(3, 4, 20)]);
        assert_eq!((all.width(), all.height()), (603 + GAP, 700));
        assert_eq!(
            all.get_pixel(599, 699).0,
            [10; 3],
            "the first to its corner"
        );
        assert_eq!(all.get_pixel(602 + GAP, 3).0, [20; 3], "the second to its");
    }

    #[test]
    fn a_half_full_circle_is_liquid_left_open_right_and_wall_around() {
        let scene = scene2("circle").expect("a scene");
        let image = draw(
            &Still::from(&Simulation::new(scene, 32, Separation::Cut)),
            None,
        );
        let counts = |colours: &[Rgb<u8>], columns: std::ops::Range<u32>| {
            let of = |p: &(u32, u32, &Rgb<u8>)| columns.contains(&p.0) && colours.contains(p.2);
            image.enumerate_pixels().filter(of).count() as f64
        };
        let half = std::f64::consts::PI * 0.16 / 2.0 * f64::from(SIDE * SIDE);
        let wet = counts(&[LIQUID, PARTICLE], 0..SIDE);
        assert!(
            (wet / half - 1.0).abs() < 0.1,
            "half of the circle is liquid: {}",
            wet / half
        );
        assert_eq!(counts(&[LIQUID, PARTICLE], 300..SIDE), 0.0);
        assert_eq!(*image.get_pixel(2, 2), WALL);
        assert_eq!(*image.get_pixel(400, 256), OPEN);
    }

    #[test]
    fn a_tank_in_space_shows_the_ball_and_the_cubes_that_stand_in_it() {
        let tank = tank::<3>("levitating-planes").expect("a tank");
        let flow = TankFlow::new(&tank, 32, FlowSettings::of::<3>());
        let image = draw(&Still::from(&flow), Some(256));
        assert_eq!(image.dimensions(), (256, 256));
        // The ball in the middle, a cube beside the floor's middle, and open space between them.
        let at = |x: f64, y: f64| image.get_pixel((x * 256.0) as u32, ((1.0 - y) * 256.0) as u32);
        for (x, y) in [(0.5, 0.4), (0.2, 0.05)] {
            let Rgb([r, _, b]) = *at(x, y);
            assert!(r > b && *at(x, y) != OPEN, "{x} {y}: {:?}", at(x, y));
        }
        assert_eq!(*at(0.5, 0.2), OPEN);
    }

    #[test]
    fn pictures_stand_beside_each_other_and_are_png() {
        let scene = scene3("sphere").expect("a scene");
        let one = draw(
            &Still::from(&Simulation::new(scene, 16, Separation::Cut)),
            None,
        );
        let two = beside(&[one.clone(), one]);
        assert_eq!(two.dimensions(), (2 * SIDE + GAP, SIDE));
        assert!(png(&two).expect("encodes").starts_with(b"\x89PNG"));
    }
}
