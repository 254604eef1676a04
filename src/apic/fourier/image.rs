//! Numbers from 0 to 1 as colours, on a logarithmic scale: black at 1e-4 and below, dark red at 1.

use image::{Rgb, RgbImage};

/// The least number that isn't black.
pub const LEAST: f64 = 1e-4;

/// Colours from [`LEAST`] to 1, evenly on the logarithm.
const STOPS: [[u8; 3]; 7] = [
    [0, 0, 0],
    [20, 20, 140],
    [0, 130, 220],
    [40, 180, 90],
    [250, 220, 60],
    [240, 90, 30],
    [110, 0, 10],
];

/// The colour of a number; of no number, grey.
#[must_use]
pub fn colour(value: f64) -> Rgb<u8> {
    if value.is_nan() {
        return Rgb([128; 3]);
    }
    let t = ((value.max(LEAST) / LEAST).log10() / -LEAST.log10()).clamp(0.0, 1.0);
    let at = t * (STOPS.len() - 1) as f64;
    let k = (at as usize).min(STOPS.len() - 2);
    let mix = at - k as f64;
    Rgb(std::array::from_fn(|c| {
        let (a, b) = (f64::from(STOPS[k][c]), f64::from(STOPS[k + 1][c]));
        (a + mix * (b - a)).round() as u8
    }))
}

/// A square of numbers as a picture, y up, each number a square of so many pixels.
#[must_use]
pub fn square(values: &[f64], n: usize, pixels: u32) -> RgbImage {
    let side = n as u32 * pixels;
    RgbImage::from_fn(side, side, |px, py| {
        let (x, y) = ((px / pixels) as usize, ((side - 1 - py) / pixels) as usize);
        colour(values[x + y * n])
    })
}

/// The scale: [`LEAST`] below, 1 above.
#[must_use]
pub fn scale(height: u32) -> RgbImage {
    RgbImage::from_fn(16, height.max(2), |_, py| {
        let t = 1.0 - f64::from(py) / f64::from(height.max(2) - 1);
        colour(LEAST.powf(1.0 - t))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_scale_are_black_and_dark_red() {
        assert_eq!(colour(0.0), Rgb([0; 3]));
        assert_eq!(colour(-1.0), Rgb([0; 3]));
        assert_eq!(colour(1.0), Rgb(STOPS[6]));
        assert_eq!(colour(f64::NAN), Rgb([128; 3]));
        let picture = square(&[0.0, 1.0, 0.0, 0.0], 2, 3);
        assert_eq!(*picture.get_pixel(5, 5), Rgb(STOPS[6]), "y is up");
    }
}
