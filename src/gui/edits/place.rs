//! A new component: where it snaps to, and the edit that puts it there.

use std::f64::consts::{FRAC_PI_2, PI};

use super::draft::{Draft, attached, component};
use super::ports::check_free;
use super::sockets::{own_mouths, placement_at, same_width};
use super::{Drawing, Refusal, fresh_name};
use crate::chip::{Mouth, SocketUse, mouth_after, normalise};
use crate::design::{Edit, Placement};
use crate::geometry::{Motion, Point};

/// Places a component of the library; returns its name, made from the kind.
///
/// Other free sockets of it that come to lie on free sockets are connected too.
/// # Errors
/// [`Refusal::NoKind`], [`Refusal::NoSocket`], [`Refusal::Connected`], [`Refusal::HasPort`].
pub fn place(
    drawing: &Drawing<'_>,
    kind: &str,
    placement: &Placement,
) -> Result<(Vec<Edit>, String), Refusal> {
    if drawing.library.get(kind).is_none() {
        return Err(Refusal::NoKind(kind.to_owned()));
    }
    if let Placement::Attached(attachment) = placement {
        check_free(drawing, &attachment.to.value)?;
    }
    let name = fresh_name(drawing.design, kind);
    let mut draft = Draft::of(drawing);
    let new = component(name.clone(), kind, placement.clone(), Vec::new());
    draft.design.components.push(new);
    Ok((draft.settled(), name))
}

/// How a component that is about to be placed is held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Quarter turns, counter-clockwise.
    pub quarters: i32,
    /// Mirrored in its own x axis before it is turned.
    pub mirror: bool,
    /// Where its origin is, m.
    pub at: Point,
}

/// Where a component goes that is held somewhere: on to a free socket within `radius` (m) that is as wide as one of its own, else
/// to the nearest point of the grid.
///
/// It attaches by the socket that faces the target best as it is held, so turning it chooses another.
/// Returns the target's full name where there is one.
/// # Errors
/// [`Refusal::NoKind`], [`Refusal::Library`].
pub fn snap_placement(
    drawing: &Drawing<'_>,
    kind: &str,
    held: Held,
    radius: f64,
    grid: Option<f64>,
) -> Result<(Placement, Option<String>), Refusal> {
    if drawing.library.get(kind).is_none() {
        return Err(Refusal::NoKind(kind.to_owned()));
    }
    let realised = drawing.library.realise(kind, &[], &drawing.defaults());
    let realised = realised.map_err(|faults| match faults.into_iter().next() {
        Some(fault) => Refusal::library(fault),
        None => Refusal::NoKind(kind.to_owned()),
    })?;
    let motion = Motion {
        angle: normalise(f64::from(held.quarters.rem_euclid(4)) * FRAC_PI_2),
        mirror: held.mirror,
        translation: held.at,
    };
    let own = own_mouths(&realised);
    let own: Vec<(&str, Mouth)> = own
        .into_iter()
        .map(|(name, mouth)| (name, mouth_after(&motion, &mouth)))
        .collect();
    let mut best: Option<(f64, &str, String)> = None;
    for target in &drawing.layout.sockets {
        if target.used != SocketUse::Free {
            continue;
        }
        let fitting = || {
            own.iter()
                .filter(|(_, own)| same_width(own.width, target.mouth.width))
        };
        // The pointer on the target is as good as a socket of the component's there.
        let near = fitting()
            .map(|(_, own)| (own.middle - target.mouth.middle).norm())
            .chain([(held.at - target.mouth.middle).norm()])
            .fold(f64::INFINITY, f64::min);
        if near > best.as_ref().map_or(radius, |best| best.0) {
            continue;
        }
        let off = |own: &Mouth| normalise(own.direction - target.mouth.direction + PI).abs();
        let faces_best = fitting().min_by(|a, b| {
            // Rounding never decides between sockets that face it equally well.
            let (a, b) = (off(&a.1), off(&b.1));
            if (a - b).abs() < 1e-6 {
                std::cmp::Ordering::Equal
            } else {
                a.total_cmp(&b)
            }
        });
        if let Some((socket, _)) = faces_best {
            best = Some((near, socket, drawing.layout.full_name(target)));
        }
    }
    if let Some((_, socket, target)) = best {
        let placement = attached(socket, target.clone(), held.mirror);
        return Ok((placement, Some(target)));
    }
    let on_grid = |x: f64| match grid {
        Some(step) if step > 0.0 => (x / step).round() * step,
        _ => x,
    };
    let motion = Motion {
        translation: Point::new(on_grid(held.at.x), on_grid(held.at.y)),
        ..motion
    };
    Ok((placement_at(&motion, drawing.design.width.0), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::lay_out;
    use crate::library::Library;

    const TEXT: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\np = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\nn = { kind = \"pipe\", at = [\"0 mm\", \"2 mm\"], parameters = { width = \"50 um\" } }\n";

    fn snap(held: Held, radius: f64) -> (Placement, Option<String>) {
        let design = crate::design::parse(TEXT, "x").0.unwrap();
        let library = Library::embedded();
        let layout = lay_out(&design, &library);
        let drawing = Drawing {
            design: &design,
            layout: &layout,
            library: &library,
        };
        let placed = snap_placement(&drawing, "tee", held, radius, Some(1e-4)).unwrap();
        let (edits, name) = place(&drawing, "tee", &placed.0).unwrap();
        assert_eq!(name, "tee1");
        assert_eq!(edits.len(), 1);
        placed
    }

    #[test]
    fn turning_it_chooses_the_socket_that_it_attaches_by() {
        let mut chosen = Vec::new();
        for quarters in 0..4 {
            let held = Held {
                quarters,
                at: Point::new(4.5e-4, 0.0),
                ..Held::default()
            };
            let (placement, target) = snap(held, 1e-4);
            assert_eq!(target.as_deref(), Some("p.b"));
            match placement {
                Placement::Attached(attachment) => chosen.push(attachment.socket.value),
                Placement::Absolute { .. } => panic!("it was near"),
            }
        }
        assert_eq!(chosen[..3], ["left", "up", "right"]);
    }

    #[test]
    fn far_from_sockets_and_near_narrow_ones_it_goes_to_the_grid() {
        for at in [Point::new(2.04e-3, 1.06e-3), Point::new(4.4e-4, 2.0e-3)] {
            let held = Held {
                quarters: 1,
                at,
                ..Held::default()
            };
            let (placement, target) = snap(held, 1e-4);
            assert_eq!(target, None);
            let Placement::Absolute {
                at: got, rotation, ..
            } = placement
            else {
                panic!("nothing fits there");
            };
            assert_eq!(rotation.0, FRAC_PI_2);
            assert!(
                (got.x - (at.x * 1e4).round() * 1e-4).abs() < 1e-15,
                "{got:?}"
            );
        }
    }
}
