//! Fields become pixels: for every pixel the value at its centre, exactly as the elements say.
//!
//! ```text
//! Window (which pixels) + Fields + FieldIndex --bands of rows, side by side--> a value a pixel; not a number outside the flow
//! ```
//! Velocity is quadratic and pressure linear in every cell, as it was solved: nothing is resampled. Knows no colours; a picture is
//! made in [`super::painting`].

use eframe::egui::{Rect, vec2};
use rayon::prelude::*;

use super::{Quantity, Solved};
use crate::canvas::View;
use crate::species::{Dissolved, within};
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::index::{cell_box, velocity};
use stokeslet_flow::field::{Field, FieldIndex, barycentric};
use stokeslet_flow::quantities::Origin;

/// Rows that one task fills: few enough to share out, enough that cells are seldom visited twice.
pub(super) const BAND: usize = 32;
/// Slack of a pixel's centre at a cell's edge, in barycentric coordinates: no pinholes where rounding differs.
const SLACK: f64 = 1e-6;
/// A cell whose edges bend by less than this part of a pixel is drawn straight.
const VISIBLE_BEND: f64 = 0.02;

/// The pixels of an image on the chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Upper left corner of the image, m.
    pub corner: Point,
    /// Size of a pixel, m.
    pub pixel: f64,
    /// Pixels across and down.
    pub size: [usize; 2],
}

impl Window {
    /// The pixels of the canvas as it is on the screen.
    pub fn of_view(view: &View, pixels_per_point: f32) -> Self {
        let size = view.rect.size() * pixels_per_point;
        Self {
            corner: view.to_chip(view.rect.left_top()),
            pixel: view.scale / f64::from(pixels_per_point.max(0.1)),
            size: [size.x, size.y].map(|s| (s.ceil() as usize).clamp(1, 8192)),
        }
    }

    /// A box of the chip whole, `longest` pixels along its longer side.
    pub fn of_box(low: Point, high: Point, longest: usize) -> Self {
        let size = high - low;
        let pixel = (size.x.max(size.y) / longest.max(1) as f64).max(f64::MIN_POSITIVE);
        Self {
            corner: Point::new(low.x, high.y),
            pixel,
            size: [size.x, size.y].map(|s| ((s / pixel).ceil() as usize).clamp(1, longest.max(1))),
        }
    }

    /// Where the middle of a pixel is on the chip, m.
    pub fn centre(&self, i: usize, j: usize) -> Point {
        self.corner + Point::new(i as f64 + 0.5, -(j as f64 + 0.5)) * self.pixel
    }

    /// A place on the chip in pixels from the upper left corner.
    pub(crate) fn place(&self, p: Point) -> [f64; 2] {
        [
            (p.x - self.corner.x) / self.pixel,
            (self.corner.y - p.y) / self.pixel,
        ]
    }

    /// The box of the chip that rows `from..to` cover, widened by some pixels.
    pub(super) fn rows(&self, from: usize, to: usize, margin: f64) -> (Point, Point) {
        let [left, top] = [-margin, from as f64 - margin];
        let [right, bottom] = [self.size[0] as f64 + margin, to as f64 + margin];
        (
            self.corner + Point::new(left, -bottom) * self.pixel,
            self.corner + Point::new(right, -top) * self.pixel,
        )
    }

    /// Where the image lies on the screen.
    pub fn on_screen(&self, view: &View) -> Rect {
        let size = self.pixel / view.scale;
        Rect::from_min_size(
            view.to_screen(self.corner),
            vec2(
                (self.size[0] as f64 * size) as f32,
                (self.size[1] as f64 * size) as f32,
            ),
        )
    }
}

/// What a raster holds.
#[derive(Clone, Copy, Debug)]
pub enum Shade<'a> {
    /// A function of velocity (m/s) and pressure (Pa).
    Values(fn([f64; 2], f64) -> f64),
    /// A number of every part, such as its kind.
    Part(&'a [f32]),
    /// A number at every node, such as a concentration.
    Nodes(&'a [f64]),
}

impl<'a> Shade<'a> {
    /// How a quantity is rastered, where what is dissolved is known; `None` for what lives on walls.
    pub fn of(
        solved: &'a Solved,
        dissolved: Option<&'a Dissolved>,
        quantity: Quantity,
    ) -> Option<Self> {
        match quantity {
            Quantity::Flow(flow) => match flow.origin {
                Origin::Values { plane, .. } => Some(Shade::Values(plane)),
                Origin::Gradient { .. } | Origin::Whole(_) => {
                    solved.at_nodes(flow).map(Shade::Nodes)
                }
                Origin::Walls => None,
            },
            Quantity::Species(_) | Quantity::Age => dissolved?.values(quantity).map(Shade::Nodes),
        }
    }
}

/// The value at the centre of every pixel, row by row from the top; not a number outside the flow.
///
/// `is_stale` is asked between bands of rows: once true, what is left stays empty.
pub fn raster(
    fields: &Field<2>,
    index: &FieldIndex,
    window: &Window,
    shade: Shade<'_>,
    is_stale: &(dyn Fn() -> bool + Sync),
) -> Vec<f32> {
    let width = window.size[0];
    let mut values = vec![f32::NAN; width * window.size[1]];
    values
        .par_chunks_mut(width * BAND)
        .enumerate()
        .for_each(|(band, rows)| {
            if is_stale() {
                return;
            }
            let from = band * BAND;
            let to = from + rows.len() / width;
            let (low, high) = window.rows(from, to, 0.0);
            index.for_cells_in(fields, low, high, |cell, x| {
                let cell = Cell::new(fields, index, cell, x, window, shade);
                cell.fill(from, to, width, rows);
            });
        });
    values
}

/// One cell, in pixels.
struct Cell<'a> {
    fields: &'a Field<2>,
    cell: usize,
    shade: Shade<'a>,
    nodes: [Point; 6],
    is_curved: bool,
    slack: f64,
}

impl<'a> Cell<'a> {
    fn new(
        fields: &'a Field<2>,
        index: &FieldIndex,
        cell: usize,
        x: &[Point; 6],
        window: &Window,
        shade: Shade<'a>,
    ) -> Self {
        let nodes = x.map(|p| {
            let [i, j] = window.place(p);
            Point::new(i, j)
        });
        let mut is_curved = index.is_curved(cell);
        let mut slack = SLACK;
        if is_curved {
            let bend = (0..3)
                .map(|k| (nodes[k + 3] - (nodes[k] + nodes[(k + 1) % 3]) * 0.5).norm())
                .fold(0.0, f64::max);
            if bend < VISIBLE_BEND {
                // Neighbours drawn straight along other chords leave no gap either.
                let area = (nodes[1] - nodes[0]).cross(nodes[2] - nodes[0]).abs();
                let longest = (0..3)
                    .map(|k| (nodes[(k + 1) % 3] - nodes[k]).norm())
                    .fold(0.0, f64::max);
                slack = (VISIBLE_BEND * longest / area.max(f64::MIN_POSITIVE)).clamp(SLACK, 0.5);
                is_curved = false;
            }
        }
        Self {
            fields,
            cell,
            shade,
            nodes,
            is_curved,
            slack,
        }
    }

    fn value(&self, xi: &[f64; 3]) -> f32 {
        match self.shade {
            Shade::Values(function) => {
                let u = velocity(self.fields, self.cell, xi);
                let v = self.fields.cells[self.cell];
                let p = |k: usize| self.fields.pressure[v[k] as usize];
                let pressure = xi[0] * p(0) + xi[1] * p(1) + xi[2] * p(2);
                function([u.x, u.y], pressure) as f32
            }
            Shade::Part(numbers) => {
                let part = self.fields.part[self.cell] as usize;
                numbers.get(part).copied().unwrap_or(f32::NAN)
            }
            Shade::Nodes(values) => {
                let nodes = self.fields.cells[self.cell];
                within(*xi, nodes.map(|n| values[n as usize])) as f32
            }
        }
    }

    /// Fills the pixels of rows `from..to` whose centres are in the cell.
    fn fill(&self, from: usize, to: usize, width: usize, rows: &mut [f32]) {
        let (low, high) = cell_box(&self.nodes);
        // Centres are at half numbers; a float below zero becomes 0.
        let first_row = ((low.y - 0.5 - self.slack).ceil().max(0.0) as usize).max(from);
        let end_row = ((high.y + 0.5 + self.slack).max(0.0) as usize).min(to);
        let first = (low.x - 0.5 - self.slack).ceil().max(0.0) as usize;
        let end = ((high.x + 0.5 + self.slack).max(0.0) as usize).min(width);
        if first >= end {
            return;
        }
        for j in first_row..end_row {
            let row = &mut rows[(j - from) * width..][..width];
            let y = j as f64 + 0.5;
            if self.is_curved {
                for (i, value) in row.iter_mut().enumerate().take(end).skip(first) {
                    let p = Point::new(i as f64 + 0.5, y);
                    if let Some(xi) = barycentric(&self.nodes, p)
                        && xi.iter().all(|&l| l >= -SLACK)
                    {
                        *value = self.value(&xi);
                    }
                }
            } else {
                self.fill_row(y, (first, end), row);
            }
        }
    }

    /// A row of a straight cell: barycentric coordinates are linear along it, so the pixels inside are a span.
    fn fill_row(&self, y: f64, (first, end): (usize, usize), row: &mut [f32]) {
        let [a, b, c] = [self.nodes[0], self.nodes[1], self.nodes[2]];
        let (e, f) = (b - a, c - a);
        let det = e.cross(f);
        let start = Point::new(first as f64 + 0.5, y) - a;
        let at = [start.cross(f) / det, e.cross(start) / det];
        let step = [f.y / det, -e.y / det];
        let at = [1.0 - at[0] - at[1], at[0], at[1]];
        let step = [-step[0] - step[1], step[0], step[1]];
        let (mut from, mut to) = (0.0_f64, (end - first) as f64 - 1.0);
        for k in 0..3 {
            let (room, slope) = (at[k] + self.slack, step[k]);
            if slope > 0.0 {
                from = from.max((-room / slope).ceil());
            } else if slope < 0.0 {
                to = to.min((-room / slope).floor());
            } else if room < 0.0 {
                return;
            }
        }
        if from.is_nan() || to.is_nan() || from > to {
            return;
        }
        for i in from as usize..=to as usize {
            let t = i as f64;
            let xi = [
                at[0] + step[0] * t,
                at[1] + step[1] * t,
                at[2] + step[2] * t,
            ];
            row[first + i] = self.value(&xi);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEED: Shade<'static> = Shade::Values(|[u, v], _| u.hypot(v));
    const PRESSURE: Shade<'static> = Shade::Values(|_, p| p);
    use crate::results::tests::{channel, solved, solved_example};

    /// Poiseuille flow lies in the elements, so every pixel has it, whatever the window.
    #[test]
    fn a_straight_channel_has_its_parabola_at_every_pixel() {
        let solved = solved(&channel(), 4);
        let fields = &solved.solution.fields;
        let (low, high) = (Point::new(-1.3e-4, -0.9e-4), Point::new(1.13e-3, 1.1e-4));
        let window = Window::of_box(low, high, 331);
        let peak = 100.0 / 1e-3 * 1e-4 * 1e-4 / (8.0 * 1e-3);
        let values = raster(fields, &solved.index, &window, SPEED, &|| false);
        let pressures = raster(fields, &solved.index, &window, PRESSURE, &|| false);
        let (mut inside, mut outside) = (0, 0);
        for j in 0..window.size[1] {
            for i in 0..window.size[0] {
                let p = window.centre(i, j);
                let (got, pressure) = (
                    values[i + j * window.size[0]],
                    pressures[i + j * window.size[0]],
                );
                let is_inside = p.x > 0.0 && p.x < 1e-3 && p.y.abs() < 0.5e-4;
                assert_eq!(!got.is_nan(), is_inside, "at {p:?}");
                if !is_inside {
                    outside += 1;
                    continue;
                }
                inside += 1;
                let want = peak * (1.0 - (p.y / 0.5e-4).powi(2));
                assert!(
                    (f64::from(got) - want).abs() < 1e-6 * peak,
                    "{got} against {want} at {p:?}"
                );
                let want = 100.0 * (1.0 - p.x / 1e-3);
                assert!(
                    (f64::from(pressure) - want).abs() < 1e-4,
                    "{pressure} against {want} at {p:?}"
                );
            }
        }
        assert!(
            inside > 5000 && outside > 5000,
            "{inside} inside, {outside} outside"
        );
    }

    #[test]
    fn curved_and_slanted_cells_say_what_the_probe_says() {
        for (name, longest) in [("spiral-delay", 900), ("y-mixer", 400), ("y-mixer", 60)] {
            let solved = solved_example(name, 4);
            let (low, high) = solved.index.extent();
            let window = Window::of_box(low, high, longest);
            let fields = &solved.solution.fields;
            let values = raster(fields, &solved.index, &window, SPEED, &|| false);
            let (mut inside, mut off) = (0, 0);
            for (k, &got) in values.iter().enumerate() {
                let p = window.centre(k % window.size[0], k / window.size[0]);
                match solved.at(p) {
                    Some(sample) => {
                        inside += 1;
                        let want = sample.velocity.norm();
                        let near = (f64::from(got) - want).abs()
                            < 0.01 * solved.solution.max_speed.unwrap().0;
                        off += usize::from(!near);
                    }
                    None => off += usize::from(!got.is_nan()),
                }
            }
            assert!(inside > 50, "{name}: {inside}");
            // Cells drawn straight where nobody can see it may differ in a pixel on a wall.
            assert!(off * 500 < inside, "{name}: {off} of {inside} differ");
        }
    }

    #[test]
    fn a_window_beside_the_chip_is_empty() {
        let solved = solved(&channel(), 4);
        let window = Window::of_box(Point::new(1.0, 1.0), Point::new(2.0, 2.0), 50);
        let values = raster(
            &solved.solution.fields,
            &solved.index,
            &window,
            SPEED,
            &|| false,
        );
        assert!(values.iter().all(|v| v.is_nan()));
    }
}
