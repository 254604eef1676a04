//! A film strip: pictures of a run side by side, from its start on; one row a run where several go side by side.

use image::RgbImage;
use image::imageops::FilterType;
use stokeslet::dynamics::report::picture::{below, beside, png};

use super::Track;
use crate::cli::outcome::CliError;

/// Most pictures in a strip.
const MOST: usize = 8;
/// Longer side of each, pixels.
const SIDE: u32 = 320;
/// Most pictures that are kept while a run goes on.
const KEPT: usize = 4 * MOST;

/// What was taken so far: every so many of the pictures, fewer the longer a run goes on, and the last.
#[derive(Default)]
pub struct Strip {
    shots: Vec<Shot>,
    /// How many were taken, and every how many are kept, as a power of two.
    taken: usize,
    halvings: u32,
    last: Option<Shot>,
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
        self.push(Shot { time, pictures });
    }

    fn push(&mut self, shot: Shot) {
        if let Some(before) = self.last.replace(shot) {
            if self.taken.is_multiple_of(1 << self.halvings) {
                self.shots.push(before);
            }
            self.taken += 1;
        }
        if self.shots.len() > KEPT {
            let mut k = 0..;
            self.shots.retain(|_| k.next().is_some_and(|k| k % 2 == 0));
            self.halvings += 1;
        }
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
        let all: Vec<&Shot> = self.shots.iter().chain(&self.last).collect();
        chosen(all.len()).map(|k| all[k]).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

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
        let mut strip = Strip::default();
        strip.push(shot(0.0, [10, 20]));
        strip.push(shot(1.5, [30, 40]));
        let bytes = strip.png().unwrap().unwrap();
        assert_eq!(strip.times(), [0.0, 1.5]);
        let image = image::load_from_memory(&bytes).unwrap().to_rgb8();
        let at = |x: u32, y: u32| image.get_pixel(x, y).0[0];
        let (right, low) = (image.width() - 1, image.height() - 1);
        assert!(low >= 2 * 160 && right >= 2 * 320);
        assert_eq!(
            [at(0, 0), at(right, 0), at(0, low), at(right, low)],
            [10, 30, 20, 40]
        );
        assert!(Strip::default().png().unwrap().is_none());
    }

    #[test]
    fn a_long_run_keeps_few_pictures_with_the_first_and_the_last() {
        for count in [1, 7, 33, 34, 5000] {
            let mut strip = Strip::default();
            for k in 0..count {
                strip.push(Shot {
                    time: f64::from(k),
                    pictures: Vec::new(),
                });
                assert!(strip.shots.len() <= KEPT);
            }
            let times = strip.times();
            assert_eq!(times.len(), (count as usize).min(MOST));
            assert_eq!(
                (times[0], times[times.len() - 1]),
                (0.0, f64::from(count - 1))
            );
            let gaps = times.windows(2).map(|t| t[1] - t[0]);
            assert!(gaps.clone().all(|gap| gap > 0.0), "{times:?}");
        }
    }
}
