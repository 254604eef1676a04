//! Names of ports around the picture, each outside its socket and none over another.

use svg::node::element::{Group, Text};

use super::Results;
use super::readable::Quantity;
use super::surface::PictureFrame;
use stokeslet_base::geometry::Point;

/// Letters of this size; `port_labels` counts on Helvetica's 0.55 em a letter.
const SIZE: f64 = 13.0;
/// From the socket to the text.
const GAP: f64 = 9.0;

/// Which side of its socket a label stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Above,
    Below,
}

/// The label of one port.
#[derive(Clone, Debug)]
pub(super) struct Label {
    at: Point,
    side: Side,
    /// Name, then flow rate.
    rows: [String; 2],
}

/// A label per port, in the chip's order.
pub(super) fn port_labels(results: &Results<'_>) -> Vec<Label> {
    let chip = results.chip;
    let flow = Quantity::of_flow(chip.depth.is_some());
    chip.ports
        .iter()
        .zip(&results.solution.ports)
        .filter_map(|(port, result)| {
            let part = chip.parts.get(port.socket.part)?;
            let socket = *part.shape.sockets().get(port.socket.socket)?;
            let out = Point::unit(part.motion.turn(socket.direction));
            let side = match (out.x.abs() >= out.y.abs(), out.x > 0.0, out.y > 0.0) {
                (true, true, _) => Side::Right,
                (true, false, _) => Side::Left,
                (false, _, true) => Side::Above,
                (false, _, false) => Side::Below,
            };
            Some(Label {
                at: part.motion.apply(socket.middle),
                side,
                rows: [port.name.clone(), flow.show(result.flow_rate)],
            })
        })
        .collect()
}

/// A rectangle on the picture: left, top, right, bottom.
type Box4 = [f64; 4];

impl Label {
    fn width(&self, rows: usize) -> f64 {
        let letters = self.rows[..rows]
            .iter()
            .map(|r| r.chars().count())
            .max()
            .unwrap_or_default();
        0.55 * SIZE * letters as f64
    }

    /// The room needed at the left, right, top and bottom of the chip.
    pub(super) fn widen(&self, room: [f64; 4]) -> [f64; 4] {
        let [mut left, mut right, mut above, mut below] = room;
        match self.side {
            Side::Left => left = left.max(GAP + self.width(2)),
            Side::Right => right = right.max(GAP + self.width(2)),
            Side::Above => above = above.max(GAP + 2.4 * SIZE),
            Side::Below => below = below.max(GAP + 2.4 * SIZE),
        }
        [left, right, above, below]
    }

    /// Where the text stands with that many rows: its box, and x, first baseline, anchor.
    fn stand(
        &self,
        rows: usize,
        frame: &PictureFrame,
        origin: [f64; 2],
        page: f64,
    ) -> (Box4, f64, f64, &'static str) {
        let (w, h) = (self.width(rows), 1.2 * SIZE * rows as f64);
        let p = frame.place(self.at);
        let (x, y) = (p[0] + origin[0], p[1] + origin[1]);
        let (left, top, anchor) = match self.side {
            Side::Left => (x - GAP - w, y - h / 2.0, "end"),
            Side::Right => (x + GAP, y - h / 2.0, "start"),
            Side::Above => (x - w / 2.0, y - GAP - h, "middle"),
            Side::Below => (x - w / 2.0, y + GAP, "middle"),
        };
        let left = left.clamp(4.0, (page - w - 4.0).max(4.0));
        let at = match anchor {
            "end" => left + w,
            "middle" => left + w / 2.0,
            _ => left,
        };
        (
            [left, top, left + w, top + h],
            at,
            top + 0.95 * SIZE,
            anchor,
        )
    }

    /// Draws all labels; one that would lie on an earlier one loses its second row, or is left out.
    pub(super) fn draw_all(
        labels: &[Label],
        frame: &PictureFrame,
        origin: [f64; 2],
        page: f64,
    ) -> Group {
        let mut taken: Vec<Box4> = Vec::new();
        let free = |b: &Box4, taken: &[Box4]| {
            !taken
                .iter()
                .any(|t| b[0] < t[2] && t[0] < b[2] && b[1] < t[3] && t[1] < b[3])
        };
        // A white rim keeps names readable where they cross a channel. It is a text of its own below: not every viewer knows
        // `paint-order`.
        let mut rims = Group::new()
            .set("stroke", "#ffffff")
            .set("stroke-width", 3)
            .set("stroke-linejoin", "round");
        let mut names = Group::new();
        for label in labels {
            let choice = [2, 1]
                .into_iter()
                .map(|rows| (rows, label.stand(rows, frame, origin, page)))
                .find(|(_, (b, ..))| free(b, &taken));
            let Some((rows, (occupied, x, baseline, anchor))) = choice else {
                continue;
            };
            taken.push(occupied);
            for (k, row) in label.rows[..rows].iter().enumerate() {
                let text = Text::new(row.as_str())
                    .set("x", format!("{x:.1}"))
                    .set("y", format!("{:.1}", baseline + 1.2 * SIZE * k as f64))
                    .set("text-anchor", anchor);
                rims = rims.add(text.clone());
                names = names.add(text.set("fill", if k == 0 { "#1d2330" } else { "#5a6272" }));
            }
        }
        Group::new().set("font-size", SIZE).add(rims).add(names)
    }
}
