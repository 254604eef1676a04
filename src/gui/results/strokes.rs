//! Smooth strokes on rows of pixels.

/// A stroke of an image, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Its ends.
    pub ends: [[f64; 2]; 2],
    /// Half of its width.
    pub half_width: f64,
}

impl Stroke {
    /// Calls `cover(index, coverage, t)` for every pixel of rows `from..to` of an image `width` across that it covers: `index` from the
    /// beginning of the rows, coverage in (0, 1], `t` in [0, 1] along the stroke.
    pub fn cover(
        &self,
        (from, to): (usize, usize),
        width: usize,
        mut cover: impl FnMut(usize, f32, f64),
    ) {
        let [[ax, ay], [bx, by]] = self.ends;
        let reach = self.half_width + 0.5;
        let (dx, dy) = (bx - ax, by - ay);
        let square = dx * dx + dy * dy;
        if !square.is_finite() {
            return;
        }
        let first_row = ((ay.min(by) - reach - 0.5).ceil().max(0.0) as usize).max(from);
        let end_row = ((ay.max(by) + reach + 0.5).max(0.0) as usize).min(to);
        for j in first_row..end_row {
            let y = j as f64 + 0.5;
            // The part of the stroke that this row can see.
            let (t0, t1) = if dy.abs() > 1e-9 {
                let (a, b) = ((y - reach - ay) / dy, (y + reach - ay) / dy);
                (a.min(b).clamp(0.0, 1.0), a.max(b).clamp(0.0, 1.0))
            } else {
                (0.0, 1.0)
            };
            let (x0, x1) = (ax + dx * t0, ax + dx * t1);
            let first = (x0.min(x1) - reach - 0.5).ceil().max(0.0) as usize;
            let end = ((x0.max(x1) + reach + 0.5).max(0.0) as usize).min(width);
            for i in first..end {
                let x = i as f64 + 0.5;
                let t = if square > 0.0 {
                    (((x - ax) * dx + (y - ay) * dy) / square).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let distance = (x - ax - dx * t).hypot(y - ay - dy * t);
                let coverage = (reach - distance).min(1.0);
                if coverage > 0.0 {
                    cover((j - from) * width + i, coverage as f32, t);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of coverages is the area of the stroke with its round ends, in whatever direction, in bands or at once.
    #[test]
    fn coverage_adds_up_to_the_area() {
        for ends in [
            [[10.3, 20.7], [50.1, 20.7]],
            [[30.0, 5.5], [30.0, 41.0]],
            [[8.2, 9.1], [47.7, 44.4]],
        ] {
            let stroke = Stroke {
                ends,
                half_width: 1.5,
            };
            let mut sum = 0.0;
            let mut in_bands = 0.0;
            stroke.cover((0, 64), 64, |_, c, _| sum += f64::from(c));
            for band in 0..8 {
                stroke.cover((8 * band, 8 * band + 8), 64, |k, c, _| {
                    assert!(k < 8 * 64, "within the band");
                    in_bands += f64::from(c);
                });
            }
            let length = (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
            let area = 3.0 * length + std::f64::consts::PI * 1.5 * 1.5;
            assert!((sum / area - 1.0).abs() < 0.03, "{sum} against {area}");
            assert!((sum - in_bands).abs() < 1e-6, "bands miss nothing");
        }
    }
}
