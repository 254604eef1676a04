//! Control shapes and notes: they lie where the design says, and nothing hangs on them.

use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;

use super::draft::Draft;
use super::sockets::tidy_point;
use super::{Drawing, fresh_name};
use crate::design::{Edit, Overlay, OverlayLayer, OverlayShape, Spanned};
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::geometry::{Motion, Point};

/// A box, m: lower left and upper right corner.
type Corners = (Point, Point);

/// Adds something to a layer under a name of its own, which is returned too.
pub fn add_overlay(
    drawing: &Drawing<'_>,
    layer: OverlayLayer,
    mut shape: OverlayShape,
) -> (Vec<Edit>, String) {
    let base = match (layer, &shape) {
        (_, OverlayShape::Text { .. }) | (OverlayLayer::Notes, _) => "note",
        (_, OverlayShape::Path { .. }) => "line",
        (_, OverlayShape::Rectangle(_)) => "valve",
        (_, OverlayShape::Circle { .. }) => "hole",
    };
    let name = fresh_name(drawing.design, base);
    for p in shape.points_mut() {
        *p = tidy_point(*p, drawing.design.width.0);
    }
    let overlay = Overlay {
        name: Spanned::nowhere(name.clone()),
        layer,
        shape,
    };
    (vec![Edit::AddOverlay(overlay)], name)
}

/// Moves those of a draft that are selected; whether there are any.
pub(super) fn transform(
    draft: &mut Draft<'_>,
    selection: &BTreeSet<String>,
    motion: &Motion,
) -> bool {
    let width = draft.design.width.0;
    let overlays = draft.design.overlays.iter_mut();
    let mut any = false;
    for overlay in overlays.filter(|o| selection.contains(&o.name.value)) {
        apply(overlay, motion, width);
        any = true;
    }
    any
}

/// Moves one; coordinates stay short. Boxes stay along the axes: turned by less than a quarter they keep their size about a turned middle.
pub(super) fn apply(overlay: &mut Overlay, motion: &Motion, width: f64) {
    let quarters = motion.angle / FRAC_PI_2;
    if let OverlayShape::Rectangle([a, b]) = &mut overlay.shape
        && (quarters - quarters.round()).abs() > 1e-9
    {
        let (middle, half) = ((*a + *b) * 0.5, (*b - *a) * 0.5);
        let there = motion.apply(middle);
        (*a, *b) = (
            tidy_point(there - half, width),
            tidy_point(there + half, width),
        );
        return;
    }
    for p in overlay.shape.points_mut() {
        *p = tidy_point(motion.apply(*p), width);
    }
}

/// The box around what there is of two.
pub(super) fn around_both(a: Option<Corners>, b: Option<Corners>) -> Option<Corners> {
    match (a, b) {
        (Some(a), Some(b)) => Some(bounds(&[a.0, a.1, b.0, b.1])),
        (one, other) => one.or(other),
    }
}
