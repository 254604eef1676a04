//! A stream: what flows through one cross-section, in tubes from the right wall to the left looking along the flow.

use crate::profile::Profile;
use crate::rational::Exponential;

/// Neighbours that differ by more than this part of the range are parted, where tubes aren't thin yet.
const STEEP: f64 = 0.03;
/// Widest joined tube over its distance to the nearest steep step.
const GRADING: f64 = 0.15;

/// Tubes between stream lines, each with its flow and its mean concentration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// Flow of each tube, m^2/s, positive; from the right wall to the left looking along the flow.
    pub flow: Vec<f64>,
    /// Mean concentration of each tube, in the species' unit.
    pub value: Vec<f64>,
    /// Mean square of each tube where `value` is an age, s^2 (times flow where that is); else empty.
    pub square: Vec<f64>,
}

/// Places of a stream's tubes in a cross-section.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Places of the `n - 1` stream lines between tubes.
    pub line: Vec<f64>,
    /// Places of the middles of the `n` tubes, midway between their edges.
    pub middle: Vec<f64>,
}

impl Places {
    /// From the lines between tubes.
    fn between(line: Vec<f64>) -> Self {
        let mut places = Self {
            line,
            middle: Vec::new(),
        };
        places.middle = (0..=places.line.len())
            .map(|k| 0.5 * (places.edge(k) + places.edge(k + 1)))
            .collect();
        places
    }

    /// Right edge of tube `k`, from 0 to the number of tubes.
    pub fn edge(&self, k: usize) -> f64 {
        match k.checked_sub(1) {
            None => 0.0,
            Some(k) => self.line.get(k).copied().unwrap_or(1.0),
        }
    }
}

impl Stream {
    /// `n` tubes uniform in eta that carry `flow`; `value` is the mean over a range of eta.
    pub fn uniform(flow: f64, profile: Profile, n: usize, value: impl Fn(f64, f64) -> f64) -> Self {
        let edge = |k: usize| k as f64 / n as f64;
        let part = |k: usize| match 2 * k <= n {
            true => profile.flow(edge(k)),
            false => 1.0 - profile.flow(edge(n - k)),
        };
        // Differences near the left wall would cancel: the profile is symmetric.
        let width = |k: usize| {
            let k = k.min(n - 1 - k);
            part(k + 1) - part(k)
        };
        Self {
            flow: (0..n).map(|k| flow * width(k)).collect(),
            value: (0..n).map(|k| value(edge(k), edge(k + 1))).collect(),
            square: Vec::new(),
        }
    }

    /// The same as an age that has just begun.
    pub fn aged(mut self) -> Self {
        self.square = vec![0.0; self.value.len()];
        self
    }

    /// Flux-weighted variance of an age whose squares are followed; within tubes included.
    pub fn spread_of_age(&self) -> Option<f64> {
        let (mean, total) = (self.mean(), self.total());
        let carried: f64 = self.flow.iter().zip(&self.square).map(|(w, m)| w * m).sum();
        let is_followed = !self.square.is_empty() && total > 0.0;
        is_followed.then(|| carried / total - mean * mean)
    }

    /// Flow of all tubes, m^2/s.
    pub fn total(&self) -> f64 {
        self.flow.iter().sum()
    }

    /// Rate at which the species is carried, concentration times m^2/s.
    pub fn rate(&self) -> f64 {
        self.flow.iter().zip(&self.value).map(|(w, c)| w * c).sum()
    }

    /// Flux-weighted mean concentration; 0 without flow.
    pub fn mean(&self) -> f64 {
        let total = self.total();
        if total > 0.0 {
            self.rate() / total
        } else {
            0.0
        }
    }

    /// Flux-weighted variance of the concentration; 0 without flow.
    pub fn variance(&self) -> f64 {
        let (mean, total) = (self.mean(), self.total());
        let sum: f64 = self
            .flow
            .iter()
            .zip(&self.value)
            .map(|(w, c)| w * (c - mean).powi(2))
            .sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// Least and greatest concentration of a tube.
    pub fn range(&self) -> (f64, f64) {
        self.value
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &c| {
                (a.min(c), b.max(c))
            })
    }

    /// Where tubes and the lines between them lie in a developed cross-section.
    pub fn places(&self, profile: Profile) -> Places {
        let total = self.total();
        let n = self.flow.len();
        // From either wall to the middle, so that thin tubes at both walls keep their digits.
        let mut line = vec![0.0; n.saturating_sub(1)];
        let mut sum = 0.0;
        for (w, at) in self.flow.iter().zip(&mut line) {
            sum += w;
            *at = sum / total;
        }
        sum = 0.0;
        for at in (0..line.len()).rev() {
            sum += self.flow[at + 1];
            if line[at] > 0.5 {
                line[at] = 1.0 - profile.eta(sum / total);
            } else {
                line[at] = profile.eta(line[at]);
            }
        }
        Places::between(line)
    }

    /// Exchange between tubes along one stage.
    ///
    /// ```text
    /// W dc/dt = -T c,   k_i = D lambda(eta_i) / (eta_c,i+1 - eta_c,i),   lambda = int |u| ds / (Q u(eta))
    /// ```
    /// # Shapes and units
    /// - `places`: of this stream's tubes
    /// - `lambda`: at a place of the cross-section, the equivalent length over the width (dimensionless); `L/w` in a pipe
    /// - `source`: per tube, amount that enters along the stage, concentration times m^2/s
    pub fn exchange(
        &mut self,
        places: &Places,
        diffusivity: f64,
        lambda: &dyn Fn(f64) -> f64,
        source: Option<&[f64]>,
        scratch: &mut Exponential,
    ) {
        if self.value.len() < 2 && source.is_none() {
            return;
        }
        let least = 1e-14;
        let k: Vec<f64> = places
            .line
            .iter()
            .enumerate()
            .map(|(i, &eta)| {
                let gap = (places.middle[i + 1] - places.middle[i]).max(least);
                diffusivity * lambda(eta).max(0.0) / gap
            })
            .collect();
        match source {
            Some(source) if !self.square.is_empty() => {
                let (c, square) = (&mut self.value, &mut self.square);
                scratch.apply_with_square(&self.flow, &k, c, square, source);
            }
            _ => scratch.apply(&self.flow, &k, &mut self.value, source),
        }
    }

    /// Puts streams side by side, from right to left.
    pub fn join(streams: impl IntoIterator<Item = Stream>) -> Self {
        let mut out = Self::default();
        for stream in streams {
            out.flow.extend(stream.flow);
            out.value.extend(stream.value);
            out.square.extend(stream.square);
        }
        out
    }

    /// Tubes of a range.
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self {
            flow: self.flow[range.clone()].to_vec(),
            value: self.value[range.clone()].to_vec(),
            square: self
                .square
                .get(range)
                .map_or_else(Vec::new, <[f64]>::to_vec),
        }
    }

    /// Adds a tube to what is made of `from`'s tubes.
    fn push(&mut self, flow: f64, value: f64, square: Option<f64>) {
        self.flow.push(flow);
        self.value.push(value);
        self.square.extend(square);
    }

    /// Cuts the stream into pieces that carry the given parts of its flow, from right to left; the parts are scaled to add up.
    pub fn cut(&self, parts: &[f64]) -> Vec<Stream> {
        let scale = self.total() / parts.iter().sum::<f64>();
        let mut out = Vec::with_capacity(parts.len());
        let (mut tube, mut left) = (0, self.flow.first().copied().unwrap_or(0.0));
        for (p, part) in parts.iter().enumerate() {
            let mut piece = Stream::default();
            let mut wanted = part * scale;
            let is_last = p + 1 == parts.len();
            while tube < self.flow.len() {
                // A sliver of rounding is no tube.
                let whole = is_last || left <= wanted * (1.0 + 1e-12);
                let take = if whole { left } else { wanted };
                if take > 0.0 {
                    piece.push(take, self.value[tube], self.square.get(tube).copied());
                }
                wanted -= take;
                if !whole {
                    left -= take;
                    break;
                }
                tube += 1;
                left = self.flow.get(tube).copied().unwrap_or(0.0);
                if !is_last && wanted <= 1e-12 * part * scale {
                    break;
                }
            }
            out.push(piece);
        }
        out
    }

    /// Parts wide tubes and joins needless ones, so that about `n` (at most `4 n`) remain; keeps every sum and the range.
    ///
    /// A tube is cut where it is wider than `1.5/n` of the section, or steep and not yet thin; its parts lie on the minmod-limited line
    /// through its neighbours. Neighbours are joined where they differ least. Where the tubes lie then is returned.
    pub fn regrid(&mut self, profile: Profile, n: usize, range: f64) -> Places {
        let mut places = self.places(profile);
        if range > 0.0 {
            places = self.refine(profile, places, n, range);
        }
        self.coarsen(places, n, range)
    }

    fn refine(&mut self, profile: Profile, places: Places, n: usize, range: f64) -> Places {
        let count = self.flow.len();
        let edge = |k: usize| places.edge(k);
        let widest = 1.5 / n as f64;
        let thin = 0.4 / n as f64;
        let pieces = |k: usize| {
            let width = edge(k + 1) - edge(k);
            let mut m = (width / widest).ceil().max(1.0) as usize;
            let near = |j: usize| (self.value[j] - self.value[k]).abs() > STEEP * range;
            let steep = k > 0 && near(k - 1) || k + 1 < count && near(k + 1);
            if m == 1 && steep && width > thin {
                m = 2;
            }
            m.min(4 * n)
        };
        let m: Vec<usize> = (0..count).map(pieces).collect();
        if m.iter().all(|&m| m == 1) {
            return places;
        }
        let mut out = Stream::default();
        let mut edges = Vec::with_capacity(2 * count);
        for (k, &pieces) in m.iter().enumerate() {
            edges.push(edge(k));
            if pieces == 1 {
                out.push(self.flow[k], self.value[k], self.square.get(k).copied());
                continue;
            }
            let slope = self.slope(&self.value, k);
            let of_square = self.square.get(k).map(|_| self.slope(&self.square, k));
            let (a, b) = (edge(k), edge(k + 1));
            let at = |j: usize| profile.flow(a + (b - a) * j as f64 / pieces as f64);
            let whole = at(pieces) - at(0);
            let mut done = 0.0;
            let mut widths: Vec<f64> = (0..pieces)
                .map(|j| {
                    let part = (at(j + 1) - at(j)) / whole;
                    let width = if part.is_finite() {
                        part
                    } else {
                        1.0 / pieces as f64
                    } * self.flow[k];
                    done += width;
                    width
                })
                .collect();
            if let Some(last) = widths.last_mut() {
                *last += self.flow[k] - done;
            }
            if widths.iter().any(|w| *w <= 0.0) {
                out.push(self.flow[k], self.value[k], self.square.get(k).copied());
                continue;
            }
            edges.extend((1..pieces).map(|j| a + (b - a) * j as f64 / pieces as f64));
            let mut from = -0.5 * self.flow[k];
            for width in widths {
                let off = from + 0.5 * width;
                let square = of_square.map(|slope| self.square[k] + slope * off);
                out.push(width, self.value[k] + slope * off, square);
                from += width;
            }
        }
        *self = out;
        edges.remove(0);
        Places::between(edges)
    }

    /// Minmod of the one-sided differences of a tube's values over flow.
    fn slope(&self, value: &[f64], k: usize) -> f64 {
        let difference =
            |a: usize, b: usize| (value[b] - value[a]) / (0.5 * (self.flow[a] + self.flow[b]));
        if k == 0 || k + 1 == self.flow.len() {
            return 0.0;
        }
        let (back, ahead) = (difference(k - 1, k), difference(k, k + 1));
        if back * ahead <= 0.0 {
            return 0.0;
        }
        // The line must not pass a neighbour's value at the tube's own edges.
        let jump = (value[k] - value[k - 1])
            .abs()
            .min((value[k + 1] - value[k]).abs());
        let most = 2.0 * jump / self.flow[k];
        back.abs().min(ahead.abs()).min(most) * back.signum()
    }

    /// Joins neighbours; near a steep step tubes stay as thin as their distance to it asks, so that its layer stays resolved.
    fn coarsen(&mut self, mut places: Places, n: usize, range: f64) -> Places {
        let most = 4 * n;
        let mut tolerance = 1e-4 * range;
        for round in 0..60 {
            let count = self.flow.len();
            if count <= n || round > 0 && count <= most {
                break;
            }
            let edge = |k: usize| places.edge(k);
            let grading = if count > most && round > 30 {
                1.0
            } else {
                GRADING
            };
            let steep: Vec<f64> = (0..count - 1)
                .filter(|&k| (self.value[k + 1] - self.value[k]).abs() > STEEP * range)
                .map(|k| places.line[k])
                .collect();
            let distance = |a: f64, b: f64| {
                let right = steep.partition_point(|&x| x < b - 1e-15);
                let above = steep.get(right).map_or(1.0, |x| x - b);
                let left = steep.partition_point(|&x| x <= a + 1e-15);
                let below = left.checked_sub(1).map_or(1.0, |k| a - steep[k]);
                above.min(below).max(0.0)
            };
            let widest = 1.2 / n as f64;
            let joins = |k: usize| {
                (self.value[k + 1] - self.value[k]).abs() <= tolerance && {
                    let (a, b) = (edge(k), edge(k + 2));
                    b - a <= widest.min(grading * distance(a, b))
                }
            };
            // From either wall to the middle: a mirrored chip joins the same tubes.
            let tiny = 1e-12;
            let right = (0..count)
                .take_while(|&k| edge(k + 1) <= 0.5 + tiny)
                .count();
            let left = (0..count).take_while(|&k| edge(k) < 0.5 - tiny).count();
            let mut is_joined = vec![false; count];
            let mut k = 0;
            while k + 1 < right {
                is_joined[k] = joins(k);
                k += 1 + usize::from(is_joined[k]);
            }
            k = count;
            while k >= left + 2 {
                is_joined[k - 2] = joins(k - 2);
                k -= 1 + usize::from(is_joined[k - 2]);
            }
            let mut out = Stream::default();
            k = 0;
            while k < count {
                if is_joined[k] {
                    let w = self.flow[k] + self.flow[k + 1];
                    let rate = self.flow[k] * self.value[k] + self.flow[k + 1] * self.value[k + 1];
                    let (a, b) = (
                        self.value[k].min(self.value[k + 1]),
                        self.value[k].max(self.value[k + 1]),
                    );
                    let square = self
                        .square
                        .get(k)
                        .map(|m| (self.flow[k] * m + self.flow[k + 1] * self.square[k + 1]) / w);
                    out.push(w, (rate / w).clamp(a, b), square);
                    k += 2;
                } else {
                    out.push(self.flow[k], self.value[k], self.square.get(k).copied());
                    k += 1;
                }
            }
            *self = out;
            let kept = places
                .line
                .iter()
                .zip(&is_joined)
                .filter(|(_, joined)| !**joined);
            places = Places::between(kept.map(|(line, _)| *line).collect());
            tolerance = if tolerance > 0.0 {
                2.0 * tolerance
            } else {
                f64::MIN_POSITIVE
            };
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spec table, row 2: flow of species across the middle of a pipe behind a step at the middle, over Q.
    fn across(x: f64, n: usize) -> f64 {
        let mut stream = Stream::uniform(1.0, Profile::PLANAR, n, |a, _| f64::from(a >= 0.5));
        let places = stream.places(Profile::PLANAR);
        let mut scratch = Exponential::default();
        stream.exchange(&places, 1.0, &|_| x, None, &mut scratch);
        stream.flow[..n / 2]
            .iter()
            .zip(&stream.value)
            .map(|(w, c)| w * c)
            .sum()
    }

    #[test]
    fn a_step_spreads_in_a_pipe_as_the_modes_say() {
        let rows = [
            (1e-5, 0.00218509),
            (1e-4, 0.00690958),
            (1e-3, 0.0218412),
            (1e-2, 0.0687834),
            (1e-1, 0.1996199),
        ];
        for (x, want) in rows {
            let (coarse, fine) = (across(x, 1024), across(x, 2048));
            let best = fine + (fine - coarse) / 3.0;
            assert!(
                (best - want).abs() < 1e-6,
                "X {x}: {coarse}, {fine}, {best} against {want}"
            );
        }
    }

    /// A4: exchange over a length is exchange over its parts, to what the exponential is exact to.
    #[test]
    fn a_pipe_of_two_lengths_is_one_of_their_sum() {
        let mut e = Exponential::default();
        for (a, b) in [(1e-4, 3e-3), (0.02, 0.05), (0.5, 2.0)] {
            let run = |lengths: &[f64], e: &mut Exponential| {
                let step = |from: f64, _| f64::from(u8::from(from >= 0.3));
                let mut s = Stream::uniform(1.0, Profile::PLANAR, 256, step);
                let places = s.places(Profile::PLANAR);
                for &x in lengths {
                    s.exchange(&places, 1.0, &|_| x, None, e);
                }
                s.value
            };
            let (one, two) = (run(&[a + b], &mut e), run(&[a, b], &mut e));
            let off = one.iter().zip(&two).map(|(x, y)| (x - y).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-11, "{a} and {b}: {off:e}");
            // Not the same however long they are.
            assert!((run(&[a], &mut e)[100] - one[100]).abs() > 1e-8 * b);
        }
    }

    #[test]
    fn the_first_graetz_value_of_each_profile() {
        for (half, want) in [
            (0.0, 13.6577848),
            (12f64.sqrt() / 2.0, 13.2124),
            (12f64.sqrt() / 0.2, 10.4647),
        ] {
            let profile = Profile::new(2.0 * half, 1.0);
            let decay = |n: usize| {
                let mut s = Stream::uniform(1.0, profile, n, |a, b| 0.5 * (a + b));
                let mut e = Exponential::default();
                let places = s.places(profile);
                let spread = |s: &Stream| s.value[n - 1] - s.value[0];
                s.exchange(&places, 1.0, &|_| 0.5, None, &mut e);
                let before = spread(&s);
                s.exchange(&places, 1.0, &|_| 0.1, None, &mut e);
                (before / spread(&s)).ln() / 0.1
            };
            let (coarse, fine) = (decay(128), decay(256));
            let best = fine + (fine - coarse) / 3.0;
            assert!(
                (best / want - 1.0).abs() < 1e-5,
                "{half}: {coarse}, {fine}, {best} against {want}"
            );
        }
    }

    #[test]
    fn cutting_and_regridding_keep_sums_and_range() {
        let s = Stream::uniform(2.0, Profile::PLANAR, 100, |a, _| (9.0 * a).sin());
        let pieces = s.cut(&[0.1, 0.25, 0.65]);
        let sum: f64 = pieces.iter().map(Stream::rate).sum();
        assert!((sum - s.rate()).abs() < 1e-14);
        assert!((pieces[1].total() - 0.5).abs() < 1e-13);
        for (n, piece) in [(64, &pieces[2]), (20, &pieces[2]), (400, &pieces[1])] {
            let mut p = piece.clone();
            let places = p.regrid(Profile::PLANAR, n, 2.0);
            let afresh = p.places(Profile::PLANAR);
            assert_eq!(places.line.len(), afresh.line.len());
            for (known, found) in places.line.iter().zip(&afresh.line) {
                assert!((known - found).abs() < 1e-13, "{known} against {found}");
            }
            assert!((p.rate() - piece.rate()).abs() < 1e-13, "n {n}");
            assert!((p.total() - piece.total()).abs() < 1e-13, "n {n}");
            let ((a, b), (c, d)) = (piece.range(), p.range());
            assert!(c >= a - 1e-15 && d <= b + 1e-15, "n {n}");
            assert!(
                p.flow.len() <= 4 * n && p.flow.iter().all(|w| *w > 0.0),
                "n {n}: {}",
                p.flow.len()
            );
        }
    }
}
