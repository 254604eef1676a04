//! Values become colours: perceptually uniform maps, the range that they span, and the marks of their legend.

use eframe::egui::Color32;

use super::{Quantity, Solved};
use crate::species::Dissolved;
use stokeslet_flow::export::readable::{self, Scale, nice_below, tick_text};
pub use stokeslet_flow::quantities::ColourMap;

/// Steps of a table of colours: more than an eye or eight bits tell apart.
const STEPS: usize = 1024;
/// Pressures below zero by more than this part of the greatest have a map of two branches. A hair below zero at an outlet has not.
const SIGN: f64 = 0.02;

/// A map's colour at `t` in [0, 1].
pub fn colour_at(map: ColourMap, t: f64) -> Color32 {
    let [r, g, b, _] = map.colours()(t);
    Color32::from_rgb(r, g, b)
}

/// A map's colours at equal steps from 0 to 1.
pub fn table(map: ColourMap) -> Vec<Color32> {
    let colours = map.colours();
    (0..STEPS)
        .map(|k| {
            let [r, g, b, _] = colours(k as f64 / (STEPS - 1) as f64);
            Color32::from_rgb(r, g, b)
        })
        .collect()
}

/// What colours mean: a map from `range[0]` to `range[1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// What is shown.
    pub quantity: Quantity,
    /// Its colours.
    pub map: ColourMap,
    /// Ends of the map, SI; values beyond have the colours of the ends.
    pub range: [f64; 2],
    /// Whether the ends are those of the field.
    pub is_automatic: bool,
    /// How values are written.
    pub kind: readable::Quantity,
}

impl Scaling {
    /// The colours of a solution; `range` as the user fixed it, or that of the field.
    pub fn new(solved: &Solved, quantity: Quantity, range: Option<[f64; 2]>) -> Self {
        let own = solved.range_of(quantity);
        let is_signed = own[0] < -SIGN * own[1].max(0.0) && own[1] > SIGN * own[0].abs();
        let map = match is_signed {
            true => ColourMap::BlueRed,
            false => quantity.map(),
        };
        let own = match map {
            ColourMap::BlueRed => {
                let end = own[0].abs().max(own[1].abs());
                [-end, end]
            }
            _ => own,
        };
        Self::spanning(quantity, map, (own, quantity.readable()), range)
    }

    /// The colours of what is shown: of species where they are followed already.
    pub fn of(
        solved: &Solved,
        dissolved: Option<&Dissolved>,
        quantity: Quantity,
        range: Option<[f64; 2]>,
    ) -> Option<Self> {
        if !quantity.is_dissolved() {
            return Some(Self::new(solved, quantity, range));
        }
        let dissolved = dissolved?;
        dissolved.values(quantity)?;
        let map = quantity.map();
        let own = (dissolved.range_of(quantity), dissolved.kind(quantity));
        Some(Self::spanning(quantity, map, own, range))
    }

    fn spanning(
        quantity: Quantity,
        map: ColourMap,
        (own, kind): ([f64; 2], readable::Quantity),
        range: Option<[f64; 2]>,
    ) -> Self {
        let fixed = range.filter(|[a, b]| a.is_finite() && b.is_finite() && a < b);
        Self {
            quantity,
            map,
            range: fixed.unwrap_or(own),
            is_automatic: fixed.is_none(),
            kind,
        }
    }

    /// Where a value lies between the ends: 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        let span = self.range[1] - self.range[0];
        if span > 0.0 {
            ((value - self.range[0]) / span).clamp(0.0, 1.0)
        } else {
            0.5
        }
    }

    /// The unit that suits the ends.
    pub fn unit(&self) -> Scale {
        let size = self.range[0].abs().max(self.range[1].abs());
        self.kind.scale_for(size)
    }

    /// Marks of a legend: where (0 to 1) and what is written there, in [`Self::unit`]; none where nothing is between the ends.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        marks(self.range, self.unit().factor)
    }
}

/// Marks of a legend from `range[0]` to `range[1]`, in a unit of which there are `factor` to the SI unit.
pub(crate) fn marks(range: [f64; 2], factor: f64) -> Vec<(f64, String)> {
    let [low, high] = range.map(|v| v * factor);
    if !(low.is_finite() && high.is_finite()) {
        return Vec::new();
    }
    let place = |tick: f64| match high > low {
        true => ((tick - low) / (high - low)).clamp(0.0, 1.0),
        false => 0.5,
    };
    round_marks(low, high)
        .into_iter()
        .map(|tick| (place(tick), tick_text(tick, high - low)))
        .collect()
}

/// Round values in [low, high], at most seven of them.
fn round_marks(low: f64, high: f64) -> Vec<f64> {
    let span = high - low;
    if span.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return vec![low];
    }
    let least = span / 6.0;
    // The least of 1, 2, 5 times a power of ten that is no less.
    let step = [1.0, 2.0, 2.5]
        .into_iter()
        .map(|k| nice_below(k * least))
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(least);
    let slack = 1e-9 * span / step;
    let (first, last) = (
        (low / step - slack).ceil() as i64,
        (high / step + slack).floor() as i64,
    );
    (first..=last).map(|k| k as f64 * step).collect()
}

impl Quantity {
    /// How people write it.
    pub fn readable(self) -> readable::Quantity {
        match self {
            Quantity::Flow(flow) => flow.shown,
            Quantity::Species(_) => readable::Quantity::Relative,
            Quantity::Age => readable::Quantity::Time,
        }
    }

    /// Its colours where all values have one sign.
    fn map(self) -> ColourMap {
        match self {
            Quantity::Flow(flow) => flow.map,
            Quantity::Species(_) => ColourMap::Cividis,
            Quantity::Age => ColourMap::Magma,
        }
    }
}

/// Colours that are told apart, for kinds and lines: Okabe and Ito's, which the colour-blind tell apart too, without black and yellow.
pub const DISTINCT: [Color32; 6] = [
    Color32::from_rgb(0, 114, 178),
    Color32::from_rgb(213, 94, 0),
    Color32::from_rgb(0, 158, 115),
    Color32::from_rgb(204, 121, 167),
    Color32::from_rgb(86, 180, 233),
    Color32::from_rgb(230, 159, 0),
];

/// The tint of a kind of part: hues a golden angle apart, so that neighbours in number differ most.
pub fn tint(kind: usize) -> Color32 {
    let hue = (0.11 + 0.618_034 * kind as f32).fract();
    eframe::egui::ecolor::Hsva::new(hue, 0.42, 0.86, 1.0).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{channel, solved};

    #[test]
    fn the_range_is_the_fields_own_or_the_one_that_was_fixed() {
        let solved = solved(&channel(), 4);
        let own = Scaling::new(&solved, Quantity::PRESSURE, None);
        assert!(
            own.range[0].abs() < 1e-9 && (own.range[1] - 100.0).abs() < 1e-6,
            "{own:?}"
        );
        assert!(own.is_automatic && own.map == ColourMap::Plasma);
        let fixed = Scaling::new(&solved, Quantity::PRESSURE, Some([-50.0, 50.0]));
        assert_eq!((fixed.range, fixed.is_automatic), ([-50.0, 50.0], false));
        assert_eq!(fixed.place(0.0), 0.5);
        assert_eq!(fixed.place(1e9), 1.0);
        for wrong in [[1.0, 1.0], [2.0, 1.0], [f64::NAN, 1.0]] {
            let scaling = Scaling::new(&solved, Quantity::SPEED, Some(wrong));
            assert!(scaling.is_automatic, "{wrong:?} is no range");
        }
    }

    #[test]
    fn pressure_of_both_signs_is_white_at_zero() {
        let mut chip = channel();
        chip.ports[1].condition = stokeslet_cad::chip::Condition::Pressure(-300.0);
        let scaling = Scaling::new(&solved(&chip, 4), Quantity::PRESSURE, None);
        assert_eq!(scaling.map, ColourMap::BlueRed);
        assert!(
            (scaling.range[0] + scaling.range[1]).abs() < 1e-9,
            "{scaling:?}"
        );
        let [r, g, b, _] = colour_at(scaling.map, scaling.place(0.0)).to_array();
        assert!(
            r > 230 && g > 230 && b > 230,
            "zero is nearly white: {r} {g} {b}"
        );
    }

    #[test]
    fn marks_are_few_and_round() {
        let solved = solved(&channel(), 4);
        let ticks = Scaling::new(&solved, Quantity::SPEED, Some([0.0, 0.0123])).ticks();
        let texts: Vec<&str> = ticks.iter().map(|t| t.1.as_str()).collect();
        assert_eq!(texts, ["0", "5", "10"], "in mm/s");
        assert!(ticks.iter().all(|t| (0.0..=1.0).contains(&t.0)));
        for k in 0..400 {
            let high = 1.1_f64.powi(k - 200);
            let marks = round_marks(-0.3 * high, high);
            assert!((2..=7).contains(&marks.len()), "{high}: {marks:?}");
        }
    }
}
