//! A film strip: pictures of a run side by side, from its start on; one row a run where several go side by side.

use image::imageops::FilterType;
use image::{Rgb, RgbImage};
use stokeslet::dynamics::report::picture::{beside, png};

use super::Track;
use crate::cli::outcome::CliError;

/// Most pictures in a strip.
const MOST: usize = 8;
/// Longer side of each, pixels.
const SIDE: u32 = 320;
/// Between rows, pixels.
const GAP: u32 = 8;

/// What was taken so far.
#[derive(Default)]
pub struct Strip {
    shots: Vec<Shot>,
}

struct Shot {
    /// As the runs count it.
    time: f64,
    /// One a run.
    pictures: Vec<RgbImage>,
}

impl Strip {
    /// Takes the next pictures of all runs, smaller.
    pub fn take(&mut self, tracks: &[Box<dyn Track>], pictures: &[RgbImage]) {
        let time = tracks.first().map_or(0.0, |t| t.time());
        let pictures = pictures.iter().map(small).collect();
        self.shots.push(Shot { time, pictures });
    }

    /// The strip as a PNG file; `None` where nothing was taken.
    ///
    /// # Errors
    /// What the encoder says.
    pub fn png(&self) -> Result<Option<Vec<u8>>, CliError> {
        let shots = self.shown();
        let runs = shots.first().map_or(0, |shot| shot.pictures.len());
        let row = |run: usize| {
            let of_run: Vec<RgbImage> = shots.iter().map(|s| s.pictures[run].clone()).collect();
            beside(&of_run)
        };
        let rows: Vec<RgbImage> = (0..runs).map(row).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        Ok(Some(png(&below(&rows))?))
    }

    /// Times of the pictures in it, as the runs count them.
    pub fn times(&self) -> Vec<f64> {
        self.shown().iter().map(|shot| shot.time).collect()
    }

    fn shown(&self) -> Vec<&Shot> {
        chosen(self.shots.len()).map(|k| &self.shots[k]).collect()
    }
}

/// At most [`MOST`] of so many, evenly, the first and the last among them.
fn chosen(count: usize) -> impl Iterator<Item = usize> {
    let wanted = count.min(MOST);
    (0..wanted).map(move |k| k * (count - 1) / (wanted - 1).max(1))
}

/// At most [`SIDE`] pixels long.
fn small(picture: &RgbImage) -> RgbImage {
    let longer = picture.width().max(picture.height());
    if longer <= SIDE {
        return picture.clone();
    }
    let scaled = |side: u32| (side * SIDE / longer).max(1);
    let (width, height) = (scaled(picture.width()), scaled(picture.height()));
    image::imageops::resize(picture, width, height, FilterType::Triangle)
}

/// Pictures below each other.
fn below(rows: &[RgbImage]) -> RgbImage {
    let gaps = GAP * rows.len().saturating_sub(1) as u32;
    let width = rows.iter().map(RgbImage::width).max().unwrap_or(1);
    let height = rows.iter().map(RgbImage::height).sum::<u32>() + gaps;
    let mut all = RgbImage::from_pixel(width, height, Rgb([255; 3]));
    let mut top = 0;
    for row in rows {
        image::imageops::replace(&mut all, row, 0, top);
        top += i64::from(row.height() + GAP);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_hold_the_first_the_last_and_few_between() {
        assert_eq!(chosen(0).count(), 0);
        assert_eq!(chosen(1).collect::<Vec<_>>(), [0]);
        assert_eq!(chosen(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(chosen(22).collect::<Vec<_>>(), [0, 3, 6, 9, 12, 15, 18, 21]);
    }

    #[test]
    fn runs_are_rows_and_times_are_columns() {
        let picture = |shade: u8| RgbImage::from_pixel(640, 320, Rgb([shade; 3]));
        let shot = |time: f64, shades: [u8; 2]| Shot {
            time,
            pictures: shades.map(|shade| small(&picture(shade))).to_vec(),
        };
        let strip = Strip {
            shots: vec![shot(0.0, [10, 20]), shot(1.5, [30, 40])],
        };
        let bytes = strip.png().unwrap().unwrap();
        assert_eq!(strip.times(), [0.0, 1.5]);
        let image = image::load_from_memory(&bytes).unwrap().to_rgb8();
        let at = |x: u32, y: u32| image.get_pixel(x, y).0[0];
        let (right, low) = (image.width() - 1, image.height() - 1);
        assert_eq!(low + 1, 160 + GAP + 160);
        assert_eq!(
            [at(0, 0), at(right, 0), at(0, low), at(right, low)],
            [10, 30, 20, 40]
        );
        assert!(Strip::default().png().unwrap().is_none());
    }
}
