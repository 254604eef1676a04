//! Strips described, not listed: one canonical slice, how often it comes, and where the k-th copy lies.
//!
//! ```text
//! straight  |--|--|-|-|--|--|    whole slices one cell long, perhaps two in the middle of another length
//! taper     |-|--|---|----|      each slice is the one before, scaled
//! arc       |/|/|/|              equal wedges, each the one before, turned
//! ```
//! The second half of the slices is cut into triangles the other way round along the flow, so that a strip is its own mirror image and
//! symmetric chips have symmetric flows. So slices come in pairs: those of another length lie in the middle, where the flow is smoothest.
//!
//! Both the listed mesh (`strip`) and the described one (`plane`) are made from a [`StripPattern`], so they agree bit for bit.

use super::MeshError;
use stokeslet_base::geometry::Point;

/// Most slices of a strip that is described. Positions in it keep 1e-7 of a cell; a pipe of a kilometre has fewer.
const MAX_SLICES: f64 = 1e9;

/// Where a slice's own frame lies in its component's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Rotation, rad.
    pub angle: f64,
    /// Its unit of length in cells of the component.
    pub scale: f64,
    /// Its origin, in cells of the component.
    pub origin: Point,
}

/// How each slice of a strip follows from the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Moved along x by so many cells.
    Shift(f64),
    /// Turned to the left about (0, `radius`).
    Turn {
        /// Radius of the centre line, in cells.
        radius: f64,
        /// One slice's, rad.
        angle: f64,
    },
    /// Scaled about the point where a taper's walls would meet.
    Grow {
        /// Width of a slice's second cross-section over that of its first.
        ratio: f64,
        /// Width at the strip's start, in cells of the component.
        width: f64,
        /// Growth of the width a unit of length.
        slope: f64,
        /// Cells across.
        resolution: u32,
    },
}

impl Step {
    /// Where slice `k` lies; `k` = number of whole slices gives the cross-section at their end. At most 2^31 slices.
    pub fn placement(&self, k: u64) -> Placement {
        let steps = k as f64;
        match *self {
            Step::Shift(length) => Placement {
                angle: 0.0,
                scale: 1.0,
                origin: Point::new(steps * length, 0.0),
            },
            Step::Turn { radius, angle } => Placement {
                angle: steps * angle,
                scale: 1.0,
                origin: about(radius, steps * angle, radius),
            },
            Step::Grow {
                ratio,
                width,
                slope,
                resolution,
            } => {
                let r = f64::from(resolution);
                let scale = width * ratio.powi(k as i32) / r;
                Placement {
                    angle: 0.0,
                    scale,
                    origin: Point::new((scale * r - width) / slope, 0.0),
                }
            }
        }
    }
}

/// The point at the angle `phi` and the distance `rho` on a turn to the left about (0, `radius`).
fn about(radius: f64, phi: f64, rho: f64) -> Point {
    let (s, c) = phi.sin_cos();
    Point::new(rho * s, radius - rho * c)
}

/// The outline of a slice in the frame of its first cross-section: at the origin, looking along +x, in its own cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SliceMap {
    /// A rectangle.
    Box {
        /// Along the flow.
        length: f64,
        /// Across it.
        width: f64,
    },
    /// A trapezium.
    Trapezium {
        /// Along the flow.
        length: f64,
        /// At the first cross-section.
        width: f64,
        /// Width of the second cross-section over that of the first.
        ratio: f64,
    },
    /// A wedge of a ring.
    Wedge {
        /// Radius of the centre line.
        radius: f64,
        /// Between the cross-sections, rad.
        angle: f64,
        /// Across the flow.
        width: f64,
    },
}

impl SliceMap {
    /// The point s in [0, 1] along the flow and t in [-1/2, 1/2] across it.
    pub fn at(&self, s: f64, t: f64) -> Point {
        match *self {
            SliceMap::Box { length, width } => Point::new(s * length, t * width),
            SliceMap::Trapezium {
                length,
                width,
                ratio,
            } => Point::new(s * length, t * width * (1.0 + s * (ratio - 1.0))),
            SliceMap::Wedge {
                radius,
                angle,
                width,
            } => about(radius, s * angle, radius - t * width),
        }
    }
}

/// Which slice of a strip it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// A slice of the first half.
    Forward,
    /// The last of the first half, of another length.
    ForwardMiddle,
    /// The first of the second half, of another length: its triangles are the mirror image along the flow.
    BackwardMiddle,
    /// A slice of the second half: its triangles are the mirror image along the flow.
    Backward,
}

impl SliceKind {
    /// All of them, in their order along a strip.
    pub const ALL: [Self; 4] = [
        Self::Forward,
        Self::ForwardMiddle,
        Self::BackwardMiddle,
        Self::Backward,
    ];

    /// Whether it lies in the first half.
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Forward | Self::ForwardMiddle)
    }

    /// Whether it may have another length than most.
    fn is_middle(self) -> bool {
        matches!(self, Self::ForwardMiddle | Self::BackwardMiddle)
    }
}

/// How many slices of each kind there are, in the order of `SliceKind::ALL`, one kind after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SliceCounts(pub [u64; 4]);

impl SliceCounts {
    /// Two halves of `half` slices of one length, with a pair of another between them or without.
    fn halves(half: u64, has_middle: bool) -> Self {
        let middle = u64::from(has_middle);
        Self([half, middle, middle, half])
    }

    /// All of them.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The kind of slice `k`.
    pub fn kind(&self, k: u64) -> SliceKind {
        let mut end = 0;
        let kinds = SliceKind::ALL.into_iter().zip(self.0);
        let mut holding = kinds.filter(|&(_, n)| {
            end += n;
            k < end
        });
        holding.next().map_or(SliceKind::Backward, |found| found.0)
    }

    /// The first slice of each kind that there is.
    pub fn firsts(&self) -> Vec<u64> {
        let mut first = 0;
        let mut out = Vec::new();
        for n in self.0 {
            if n > 0 {
                out.push(first);
            }
            first += n;
        }
        out
    }

    /// How many of each kind lie among `n` slices from `first` on.
    pub fn span(&self, first: u64, n: u64) -> Self {
        let mut start = 0;
        Self(self.0.map(|count| {
            let (low, high) = (start.max(first), (start + count).min(first + n));
            start += count;
            high.saturating_sub(low)
        }))
    }
}

/// A strip: copies of a slice, perhaps with two of another length in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StripPattern {
    /// Cells across.
    pub resolution: u32,
    /// The slice that repeats.
    pub whole: SliceMap,
    /// The slices of another length, of a straight pipe whose length is no even number of cells, and that length in cells.
    pub middle: Option<(SliceMap, f64)>,
    /// How often each comes.
    pub counts: SliceCounts,
    /// From one slice to the next.
    pub step: Step,
}

impl StripPattern {
    /// The outline of a slice.
    pub fn map(&self, kind: SliceKind) -> SliceMap {
        match (kind, self.middle) {
            (kind, Some((map, _))) if kind.is_middle() => map,
            _ => self.whole,
        }
    }

    /// The kinds of slices that there are, in their order.
    pub fn kinds(&self) -> Vec<SliceKind> {
        let counts = SliceKind::ALL.into_iter().zip(self.counts.0);
        counts
            .filter(|kind| kind.1 > 0)
            .map(|kind| kind.0)
            .collect()
    }

    /// Where slice `k` lies; `k` = number of slices gives the cross-section at their end. At most 2^31 slices of a taper.
    pub fn placement(&self, k: u64) -> Placement {
        match (self.step, self.middle) {
            (Step::Shift(h), Some((_, length))) => {
                let others = (k - self.counts.0[0].min(k)).min(2);
                Placement {
                    origin: Point::new((k - others) as f64 * h + others as f64 * length, 0.0),
                    ..self.step.placement(k)
                }
            }
            _ => self.step.placement(k),
        }
    }
}

/// Lengths of the slices of a straight pipe, in cells: how many of length one each half has, and the length of the two in the middle
/// where they differ, in [1/2, 3/2], or less where the pipe is shorter than a cell. (The thesis, section 4.3.4, has one, the last.)
pub fn slice_lengths(length: f64) -> (u64, Option<f64>) {
    let rounding = (4.0 * f64::EPSILON * length).max(1e-9); // a billion cells are known to 1e-7 of one
    let half = length / 2.0;
    let whole = (half + rounding).floor();
    let rest = half - whole;
    if rest < rounding {
        (whole as u64, None)
    } else if rest >= 0.5 || whole < 1.0 {
        (whole as u64, Some(rest))
    } else {
        (whole as u64 - 1, Some(1.0 + rest))
    }
}

fn few_enough(slices: f64, resolution: u32) -> Result<(), MeshError> {
    let cells = |slices: f64| slices * f64::from(resolution) * 2.0;
    if slices > MAX_SLICES {
        return Err(MeshError::TooManyCells {
            cells: cells(slices),
            limit: cells(MAX_SLICES),
        });
    }
    Ok(())
}

/// A straight pipe or a taper from the origin along +x.
///
/// # Shapes and units
/// - `length`, `width_start`, `width_end` in cell sizes of the narrower end, so that its width is `resolution`
/// - a taper's slices grow with its width, so that each is the first one scaled
/// # Errors
/// [`MeshError::Dimension`], [`MeshError::TooManyCells`] beyond a billion slices.
pub fn straight(
    resolution: u32,
    length: f64,
    width_start: f64,
    width_end: f64,
) -> Result<StripPattern, MeshError> {
    straight_of(None, resolution, length, [width_start, width_end])
}

/// As [`straight`], of as many slices as another one has where `counts` says so: those in the middle become longer or shorter.
///
/// # Errors
/// As [`straight`]; and [`MeshError::Dimension`] where so many slices can't be those of this length.
pub fn straight_of(
    counts: Option<SliceCounts>,
    resolution: u32,
    length: f64,
    [width_start, width_end]: [f64; 2],
) -> Result<StripPattern, MeshError> {
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if resolution == 0 || !(positive(length) && positive(width_start) && positive(width_end)) {
        return Err(MeshError::Dimension);
    }
    few_enough(length, resolution)?;
    let width = f64::from(resolution);
    if (width_start - width_end).abs() > 1e-9 * width {
        return Ok(taper(counts, resolution, length, [width_start, width_end]));
    }
    let own = slice_lengths(length);
    let pairs = own.0 + u64::from(own.1.is_some());
    let (half, odd) = match counts.map(|counts| counts.all() / 2) {
        // What is more or less than in the other lies in the middle, too.
        Some(n) if n != pairs && n > 0 => (n - 1, Some(0.5 * length - (n - 1) as f64)),
        _ => own,
    };
    let slice = |length: f64| SliceMap::Box { length, width };
    if half == 0 && odd.is_none() || odd.is_some_and(|length| length <= 0.0) {
        return Err(MeshError::Dimension); // shorter than its rounding
    }
    Ok(StripPattern {
        resolution,
        whole: slice(1.0),
        middle: odd.map(|length| (slice(length), length)),
        counts: SliceCounts::halves(half, odd.is_some()),
        step: Step::Shift(1.0),
    })
}

fn taper(
    counts: Option<SliceCounts>,
    resolution: u32,
    length: f64,
    [width_start, width_end]: [f64; 2],
) -> StripPattern {
    let r = f64::from(resolution);
    let slope = (width_end - width_start) / length;
    let half = match counts {
        Some(counts) => (counts.all() / 2) as f64,
        None => {
            // A slice as long as its cells are wide grows by the factor 1 + slope / r.
            let cells = ((width_end / width_start).ln() / (slope / r).ln_1p()).abs();
            (cells / 2.0).ceil().max(1.0)
        }
    };
    let n = 2.0 * half;
    let ratio = (width_end / width_start).powf(1.0 / n);
    // In units of the slice's own first cell.
    let slice = SliceMap::Trapezium {
        length: r * (ratio - 1.0) / slope,
        width: r,
        ratio,
    };
    StripPattern {
        resolution,
        whole: slice,
        middle: None,
        counts: SliceCounts::halves(half as u64, false),
        step: Step::Grow {
            ratio,
            width: width_start,
            slope,
            resolution,
        },
    }
}

/// An arc from the origin along +x that turns left by `angle`: equal wedges, every one the same slice rotated.
///
/// # Shapes and units
/// - `radius` of the centre line in cell sizes (the width is `resolution`), `angle` in rad
/// # Errors
/// [`MeshError::Dimension`], [`MeshError::TooManyCells`] beyond a billion slices.
pub fn arc(resolution: u32, radius: f64, angle: f64) -> Result<StripPattern, MeshError> {
    arc_of(None, resolution, radius, angle)
}

/// As [`arc`], of as many wedges as another one has where `counts` says so.
///
/// # Errors
/// As [`arc`].
pub fn arc_of(
    counts: Option<SliceCounts>,
    resolution: u32,
    radius: f64,
    angle: f64,
) -> Result<StripPattern, MeshError> {
    let width = f64::from(resolution);
    let sound = radius.is_finite() && angle.is_finite() && radius > width / 2.0 && angle > 0.0;
    if resolution == 0 || !sound {
        return Err(MeshError::Dimension);
    }
    let cells = radius * angle;
    few_enough(cells, resolution)?;
    // Rounded up: rounded to the nearest pair, resolutions that are compared would differ by too much or too little.
    let own = || {
        let half = (cells / 2.0 - 1e-9).ceil();
        half.max((angle / 1.6).ceil()).max(1.0)
    };
    let half = counts.map_or_else(own, |counts| (counts.all() / 2) as f64);
    let angle = angle / (2.0 * half);
    let slice = SliceMap::Wedge {
        radius,
        angle,
        width,
    };
    Ok(StripPattern {
        resolution,
        whole: slice,
        middle: None,
        counts: SliceCounts::halves(half as u64, false),
        step: Step::Turn { radius, angle },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_odd_slices_of_a_pipe_stay_between_half_and_one_and_a_half_cells() {
        assert_eq!(slice_lengths(24.0), (12, None));
        assert_eq!(slice_lengths(24.0 - 1e-12), (12, None));
        assert_eq!(slice_lengths(25.0), (12, Some(0.5)));
        assert_eq!(slice_lengths(5.5), (2, Some(0.75)));
        assert_eq!(slice_lengths(4.5), (1, Some(1.25)));
        assert_eq!(slice_lengths(0.5), (0, Some(0.25)));
        assert_eq!(slice_lengths(3.6e8 - 1e-7), (180_000_000, None));
    }

    #[test]
    fn as_many_slices_as_another_has_fill_a_strip() {
        let end = |strip: &StripPattern| strip.placement(strip.counts.all());
        for (model, own) in [(24.0, 24.001), (24.0, 23.9), (25.0, 24.999), (4.99, 5.01)] {
            let model = straight(6, model, 6.0, 6.0).expect("a pipe");
            let image = straight_of(Some(model.counts), 6, own, [6.0; 2]).expect("its image");
            assert_eq!(image.counts.all(), model.counts.all());
            assert_eq!((image.whole, image.step), (model.whole, model.step));
            assert!((end(&image).origin.x - own).abs() < 1e-12 * own, "{own}");
        }
        let model = arc(6, 20.0, 1.0).expect("an arc");
        let image = arc_of(Some(model.counts), 6, 20.2, 1.1).expect("its image");
        assert_eq!(image.counts, model.counts);
        assert!((end(&image).angle - 1.1).abs() < 1e-12);
        assert_ne!(arc(6, 20.2, 1.1).map(|own| own.counts), Ok(model.counts));
        let model = straight(6, 12.0, 6.0, 9.0).expect("a taper");
        let image = straight_of(Some(model.counts), 6, 14.0, [6.0, 9.5]).expect("its image");
        assert_eq!(image.counts, model.counts);
        assert!((end(&image).origin.x - 14.0).abs() < 1e-11);
        // So many whole slices don't fit.
        let long = straight(6, 25.0, 6.0, 6.0).expect("a pipe");
        let refused = straight_of(Some(long.counts), 6, 20.0, [6.0; 2]);
        assert_eq!(refused, Err(MeshError::Dimension));
    }

    #[test]
    fn slices_are_counted_kind_by_kind() {
        let counts = SliceCounts([3, 1, 1, 3]);
        let kinds: Vec<SliceKind> = (0..8).map(|k| counts.kind(k)).collect();
        use SliceKind::{Backward, BackwardMiddle, Forward, ForwardMiddle};
        let middle = [ForwardMiddle, BackwardMiddle];
        assert_eq!(kinds, [&[Forward; 3][..], &middle, &[Backward; 3]].concat());
        assert_eq!(counts.firsts(), [0, 3, 4, 5]);
        assert_eq!(counts.span(2, 4), SliceCounts([1, 1, 1, 1]));
        assert_eq!(counts.span(4, 2), SliceCounts([0, 0, 1, 1]));
        assert_eq!(SliceCounts([2, 0, 0, 2]).firsts(), [0, 2]);
    }

    /// A slice's second cross-section is the first of the next, or fields would leak between them.
    #[test]
    fn each_slice_begins_where_the_one_before_ends() {
        let strips = [
            straight(8, 30.25, 8.0, 8.0),
            straight(8, 0.25, 8.0, 8.0),
            straight(8, 31.0, 8.0, 8.0),
            straight(8, 30.0, 8.0, 20.0),
            straight(8, 30.0, 20.0, 8.0),
            arc(8, 24.0, 2.0),
        ];
        for strip in strips {
            let strip = strip.expect("a sound strip");
            let n = strip.counts.all();
            for k in
                (0..n.saturating_sub(1)).filter(|&k| k < 3 || k + 3 > n || k.abs_diff(n / 2) < 3)
            {
                let (here, next) = (strip.placement(k), strip.placement(k + 1));
                let (before, after) = (
                    strip.map(strip.counts.kind(k)),
                    strip.map(strip.counts.kind(k + 1)),
                );
                for t in [-0.5, 0.25, 0.5] {
                    let placed = |p: Placement, q: Point| {
                        let (s, c) = p.angle.sin_cos();
                        p.origin + Point::new(c * q.x - s * q.y, s * q.x + c * q.y) * p.scale
                    };
                    let (end, start) = (before.at(1.0, t), after.at(0.0, t));
                    let gap = placed(here, end) - placed(next, start);
                    assert!(gap.norm() < 1e-12, "{strip:?}, slice {k}: {gap:?}");
                }
            }
        }
    }

    #[test]
    fn a_very_long_pipe_costs_nothing_to_describe_and_an_absurd_one_is_refused() {
        let long = straight(36, 3.6e8 + 0.75, 36.0, 36.0).expect("ten million widths");
        let halves = SliceCounts([179_999_999, 1, 1, 179_999_999]);
        assert_eq!(long.counts, halves);
        let end = long.placement(long.counts.all()).origin.x;
        assert!((end - 3.6e8 - 0.75).abs() < 1e-6, "{end}");
        let absurd = straight(36, 2e9, 36.0, 36.0);
        assert!(matches!(absurd, Err(MeshError::TooManyCells { .. })));
        assert!(matches!(
            arc(36, 1e12, 1.0),
            Err(MeshError::TooManyCells { .. })
        ));
    }
}
