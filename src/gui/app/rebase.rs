//! Values that were asked for over a design that has become another one: what was left as it was seen is as it is now. Pure.

use stokeslet_cad::design::{Design, OverlayShape, Placement};

use crate::command::Command;

/// `asked` unless that is what was `seen`: then what there is `now`.
fn over<T: PartialEq>(asked: T, seen: &T, now: T) -> T {
    if asked == *seen { now } else { asked }
}

/// A command of a panel, which carries whole values, over the design of `now` instead of that which it `saw`.
pub(super) fn rebased(command: Command, saw: &Design, now: &Design) -> Command {
    match command {
        Command::SetPlacement(name, asked) => {
            let of = |design: &Design| {
                let mut all = design.components.iter();
                let found = all.find(|c| c.name.value == name);
                found.map(|c| c.placement.clone())
            };
            let placed = match (of(saw), of(now)) {
                (Some(saw), Some(now)) => placement(asked, &saw, now),
                _ => asked,
            };
            Command::SetPlacement(name, placed)
        }
        Command::SetChannelShape {
            channel,
            width,
            bend,
        } => {
            let of = |design: &Design| {
                let mut all = design.channels.iter();
                let found = all.find(|c| c.name.value == channel);
                found.map(|c| (c.width, c.bend))
            };
            let (width, bend) = match (of(saw), of(now)) {
                (Some(saw), Some(now)) => (over(width, &saw.0, now.0), over(bend, &saw.1, now.1)),
                _ => (width, bend),
            };
            Command::SetChannelShape {
                channel,
                width,
                bend,
            }
        }
        Command::SetOverlay(mut asked) => {
            let of = |design: &Design| {
                let mut all = design.overlays.iter();
                all.find(|o| o.name.value == asked.name.value).cloned()
            };
            if let (Some(saw), Some(now)) = (of(saw), of(now)) {
                asked.layer = over(asked.layer, &saw.layer, now.layer);
                asked.shape = shape(asked.shape, &saw.shape, now.shape);
            }
            Command::SetOverlay(asked)
        }
        command => command,
    }
}

fn placement(asked: Placement, saw: &Placement, now: Placement) -> Placement {
    use Placement::Absolute;
    match (asked, saw, now) {
        (
            Absolute {
                mut at,
                rotation,
                mirror,
            },
            Absolute {
                at: saw_at,
                rotation: saw_rotation,
                mirror: saw_mirror,
            },
            Absolute {
                at: now_at,
                rotation: now_rotation,
                mirror: now_mirror,
            },
        ) => {
            at.x = over(at.x, &saw_at.x, now_at.x);
            at.y = over(at.y, &saw_at.y, now_at.y);
            Absolute {
                at,
                rotation: over(rotation, saw_rotation, now_rotation),
                mirror: over(mirror, saw_mirror, now_mirror),
            }
        }
        (asked, saw, now) => over(asked, saw, now),
    }
}

/// Point by point where there are as many.
fn shape(mut asked: OverlayShape, saw: &OverlayShape, now: OverlayShape) -> OverlayShape {
    if asked == *saw {
        return now;
    }
    let (saw, now) = (saw.points(), now.points());
    let points = asked.points_mut();
    if saw.len() == now.len() && points.len() == now.len() {
        for ((asked, saw), now) in points.iter_mut().zip(saw).zip(now) {
            *asked = over(*asked, saw, *now);
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::geometry::Point;
    use stokeslet_base::units::Radian;

    fn design(x: &str, angle: &str) -> Design {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"100 um\" }}\n[components]\nt = {{ kind = \"tee\", at = [\"{x} mm\", \"0 mm\"], rotation = \"{angle} deg\" }}\n[notes]\nn = {{ path = [[\"{x} mm\", \"0 mm\"], [\"9 mm\", \"0 mm\"]] }}\n"
        );
        let (design, mistakes) = stokeslet_cad::design::parse(text, "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        design.unwrap()
    }

    #[test]
    fn only_what_was_changed_is_asked_for() {
        let (saw, now) = (design("1", "0"), design("2", "0"));
        let turned = Placement::Absolute {
            at: Point::new(1e-3, 0.0),
            rotation: Radian(1.5),
            mirror: false,
        };
        let command = Command::SetPlacement("t".to_owned(), turned);
        let Command::SetPlacement(_, Placement::Absolute { at, rotation, .. }) =
            rebased(command, &saw, &now)
        else {
            panic!("another command");
        };
        assert_eq!((at, rotation), (Point::new(2e-3, 0.0), Radian(1.5)));
        let mut note = saw.overlays[0].clone();
        note.shape.points_mut()[1] = Point::new(5e-3, 1e-3);
        let Command::SetOverlay(note) = rebased(Command::SetOverlay(note), &saw, &now) else {
            panic!("another command");
        };
        let want = [Point::new(2e-3, 0.0), Point::new(5e-3, 1e-3)];
        assert_eq!(note.shape.points(), want);
    }
}
