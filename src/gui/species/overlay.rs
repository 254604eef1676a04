//! What the canvas shows of species beside colours: the section under the pointer, and what is read there.

use eframe::egui::{Painter, Stroke};

use super::Dissolved;
use super::section::Section;
use crate::canvas::View;
use crate::results::legend::Paper;
use crate::results::{Quantity, Results};
use stokeslet_base::geometry::Point;

/// Draws a section from wall to wall.
pub(crate) fn draw_section(painter: &Painter, view: &View, section: &Section, paper: &Paper) {
    let ends = section.ends.map(|p| view.to_screen(p));
    painter.line_segment(ends, Stroke::new(3.5, paper.ground));
    painter.line_segment(ends, Stroke::new(1.5, paper.ink));
    let along = (ends[1] - ends[0]).normalized();
    for end in ends {
        let tick = along.rot90() * 4.0;
        painter.line_segment([end - tick, end + tick], Stroke::new(1.5, paper.ink));
    }
}

/// What is dissolved at a point, and how mixed the section through it is.
pub(crate) fn readings(
    dissolved: &Dissolved,
    quantity: Quantity,
    at: Point,
    section: Option<&Section>,
) -> Vec<String> {
    let name = dissolved.name(quantity);
    let value = dissolved.at(quantity, at);
    let value = value.map(|v| format!("{name} {}", dissolved.kind(quantity).show(v)));
    let across = match quantity {
        Quantity::Species(k) => section.and_then(|s| s.across.get(usize::from(k))),
        _ => None,
    };
    let index = across.and_then(|across| across.mixing_index);
    let index = index.map(|index| format!("mixing index {index:.3}"));
    value.into_iter().chain(index).collect()
}

/// Why colours of a species aren't there, where they are wanted and `shown` is something else.
pub(crate) fn missing(
    results: &Results,
    wanted: Option<Quantity>,
    shown: Option<Quantity>,
) -> Option<String> {
    let wanted = wanted.filter(|q| q.is_dissolved() && shown != Some(*q))?;
    Some(match &results.not_dissolved {
        Some(_) => format!("no {}: see panel Species", wanted.label()),
        None => "following species…".to_owned(),
    })
}
