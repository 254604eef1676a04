//! A run as it looks: walls, liquid, particles.

use std::io::Cursor;

use image::{ImageError, ImageFormat, Rgb, RgbImage};

use super::still::Still;

/// Pixels a side.
pub const SIDE: u32 = 512;
/// Pixels between two pictures side by side.
const GAP: u32 = 8;

const OPEN: Rgb<u8> = Rgb([252, 252, 250]);
const WALL: Rgb<u8> = Rgb([150, 153, 160]);
const LIQUID: Rgb<u8> = Rgb([112, 169, 226]);
const PARTICLE: Rgb<u8> = Rgb([22, 71, 140]);

/// A square picture: in the plane walls, liquid and particles; in space particles seen along z, the nearer the lighter, before
/// the walls of the middle plane.
pub fn draw<const D: usize>(still: &Still<'_, D>) -> RgbImage {
    let mut image = RgbImage::from_pixel(SIDE, SIDE, OPEN);
    let place = |px: u32, py: u32| {
        let mut x = [0.5; D];
        x[0] = (f64::from(px) + 0.5) / f64::from(SIDE);
        x[1] = 1.0 - (f64::from(py) + 0.5) / f64::from(SIDE);
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
    let mut order: Vec<usize> = (0..still.x.len()).collect();
    if D == 3 {
        order.sort_by(|a, b| still.x[*a][D - 1].total_cmp(&still.x[*b][D - 1]));
    }
    // Dots in the plane, in space discs of about a cell.
    let radius = if D == 3 {
        0.5 * still.dx * f64::from(SIDE)
    } else {
        0.7
    };
    for p in order {
        let x = still.x[p];
        let colour = if D == 3 {
            let near = x[D - 1].clamp(0.0, 1.0);
            let mix = |dark: u8, light: u8| {
                (f64::from(dark) + near * (f64::from(light) - f64::from(dark))) as u8
            };
            Rgb([mix(8, 150), mix(40, 205), mix(110, 255)])
        } else {
            PARTICLE
        };
        let (cx, cy) = (x[0] * f64::from(SIDE), (1.0 - x[1]) * f64::from(SIDE));
        disc(&mut image, cx, cy, radius, colour);
    }
    image
}

fn disc(image: &mut RgbImage, cx: f64, cy: f64, radius: f64, colour: Rgb<u8>) {
    let range = |c: f64| {
        let low = (c - radius).max(0.0) as u32;
        low..=((c + radius).max(0.0) as u32).min(SIDE - 1)
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
        let image = draw(&Still::from(&Simulation::new(scene, 32, Separation::Cut)));
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
    fn pictures_stand_beside_each_other_and_are_png() {
        let scene = scene3("sphere").expect("a scene");
        let one = draw(&Still::from(&Simulation::new(scene, 16, Separation::Cut)));
        let two = beside(&[one.clone(), one]);
        assert_eq!(two.dimensions(), (2 * SIDE + GAP, SIDE));
        assert!(png(&two).expect("encodes").starts_with(b"\x89PNG"));
    }
}
