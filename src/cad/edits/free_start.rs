//! A channel that starts in empty space: designs start channels from sockets, so a pipe makes the start of its first run.

use super::auto_route::bend_reach;
use super::draft::{Draft, component};
use super::names::Names;
use super::sockets::{placement_at, tidy};
use crate::chip::normalise;
use crate::design::{Bend, Channel, Component, Dimension, Spanned, Value};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Metre;

/// A channel through these points as a pipe and what is left of the channel: nothing where it is straight.
///
/// `None` where the first run has no length.
pub(super) fn free_start(
    draft: &Draft<'_>,
    names: &mut Names,
    points: &[Point],
    width: f64,
    bend: Bend,
) -> Option<(Component, Option<Channel>)> {
    let [start, next, ..] = points else {
        return None;
    };
    let run = *next - *start;
    let length = run.norm();
    if length <= 0.0 || !length.is_finite() {
        return None;
    }
    let pipe_length = match points.get(2) {
        None => length,
        Some(after) => {
            let turn = normalise((*after - *next).angle() - run.angle()).abs();
            (length - bend_reach(width, bend, turn)) / 2.0
        }
    };
    let pipe_length = tidy(pipe_length, width);
    if pipe_length <= 0.0 {
        return None;
    }
    let name = names.fresh("pipe");
    let mut parameters = draft.widths(width, &["width"]);
    let quantity = Value::Quantity(pipe_length, Dimension::Length);
    parameters.push((
        Spanned::nowhere("length".to_owned()),
        Spanned::nowhere(quantity),
    ));
    let motion = Motion::new(normalise(run.angle()), *start);
    let pipe = component(
        name.clone(),
        "pipe",
        placement_at(&motion, width),
        parameters,
    );
    let rest = (points.len() > 2).then(|| Channel {
        name: Spanned::nowhere(names.fresh("channel")),
        from: Spanned::nowhere(format!("{name}.b")),
        to: None,
        via: points[1..].iter().copied().map(Spanned::nowhere).collect(),
        width: (width != draft.design.width.0).then_some(Metre(width)),
        bend,
        depth: None,
    });
    Some((pipe, rest))
}
