//! Where things land: on the grid, or on a free socket that fits. Pure.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::grid::Grid;
use super::scene::{Bounds, Scene};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Radian;
use stokeslet_cad::chip::facing;
use stokeslet_cad::design::{Attachment, Design, Placement, Spanned};
use stokeslet_cad::edits::{own_sockets, same_width};
use stokeslet_cad::library::{Realisation, boundary};
use stokeslet_cad::shape::Socket;

/// A component that isn't placed yet, where it would go.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// What it is.
    pub realisation: Arc<Realisation>,
    /// Where, chip from component.
    pub motion: Motion,
    /// The same as designs say it.
    pub placement: Placement,
    /// What it would connect.
    pub meets: Option<Meeting>,
    /// A free socket that it is near but doesn't fit, and its width, m.
    pub refused: Option<(usize, f64)>,
}

/// Two sockets that would be connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The newcomer's own socket.
    pub own: String,
    /// The free socket it meets, index into the layout's sockets.
    pub to: usize,
}

/// How the user holds what is to be placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// Quarter turns, counter-clockwise.
    pub quarters: i32,
    /// Mirrored in its own x axis before it is turned.
    pub mirror: bool,
}

impl Hold {
    /// Its rotation, rad.
    pub fn rotation(self) -> f64 {
        [0.0, FRAC_PI_2, PI, -FRAC_PI_2][self.quarters.rem_euclid(4) as usize]
    }
}

/// Where a component goes whose middle the pointer holds: on a free socket within `reach` (m) that fits, or on the grid.
pub fn ghost(
    realisation: Arc<Realisation>,
    scene: &Scene,
    pointer: Point,
    hold: Hold,
    grid: Option<Grid>,
    reach: f64,
) -> Ghost {
    let turned = Motion {
        angle: hold.rotation(),
        mirror: hold.mirror,
        translation: Point::default(),
    };
    let corners = realisation.parts.iter().flat_map(|part| {
        let motion = turned.after(&part.motion);
        let corners = boundary(&part.shape, 36);
        corners.into_iter().map(move |p| motion.apply(p))
    });
    let middle = Bounds::around(corners).map_or(Point::default(), |b| b.middle());
    let place = pointer - middle;
    let at = grid.map_or(place, |grid| grid.snap(place));
    let held = Motion {
        translation: at,
        ..turned
    };
    let mut ghost = Ghost {
        motion: held,
        placement: Placement::Absolute {
            at,
            rotation: Radian(turned.angle),
            mirror: hold.mirror,
        },
        meets: None,
        refused: None,
        realisation,
    };
    let Some(to) = target(&ghost.realisation, scene, pointer, &held, reach) else {
        return ghost;
    };
    let socket = scene.layout.sockets[to].geometry;
    match best_socket(&ghost.realisation, &socket, hold) {
        Some((name, motion)) => {
            ghost.motion = motion;
            ghost.placement = Placement::Attached(Attachment {
                socket: Spanned::nowhere(name.clone()),
                to: Spanned::nowhere(scene.layout.full_name(&scene.layout.sockets[to])),
                mirror: hold.mirror,
            });
            ghost.meets = Some(Meeting { own: name, to });
        }
        None => ghost.refused = Some((to, socket.width)),
    }
    ghost
}

/// The free socket that the pointer, or a socket of what it holds, is near.
fn target(
    realisation: &Realisation,
    scene: &Scene,
    pointer: Point,
    held: &Motion,
    reach: f64,
) -> Option<usize> {
    let own: Vec<Point> = own_sockets(realisation)
        .into_iter()
        .map(|(_, socket)| held.apply(socket.middle))
        .collect();
    scene
        .free
        .iter()
        .map(|&k| {
            let place = scene.layout.sockets[k].geometry.middle;
            let away = own.iter().map(|&p| (p - place).norm());
            (away.fold((pointer - place).norm(), f64::min), k)
        })
        .filter(|found| found.0 <= reach)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|found| found.1)
}

/// The socket of the right width that turns the component least away from how it is held.
fn best_socket(realisation: &Realisation, to: &Socket, hold: Hold) -> Option<(String, Motion)> {
    own_sockets(realisation)
        .into_iter()
        .filter(|(_, own)| same_width(own.width, to.width))
        .map(|(name, own)| (name, facing(&own, to, hold.mirror)))
        .min_by(|a, b| {
            let turned = |m: &Motion| turn(m.angle, hold.rotation());
            turned(&a.1).total_cmp(&turned(&b.1))
        })
        .map(|(name, motion)| (name.to_owned(), motion))
}

/// How far apart two directions are, rad; rounding doesn't tell.
fn turn(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(TAU);
    (d.min(TAU - d) * 1e9).round() / 1e9
}

/// Items that follow when these move: they and what is attached to them, indices into the layout's items.
pub fn followers(scene: &Scene, design: &Design, names: &[usize]) -> FxHashSet<usize> {
    let mut moving: FxHashSet<usize> = names.iter().copied().collect();
    // Attachments may name components that come later, so it takes as many rounds as the longest chain has links.
    loop {
        let before = moving.len();
        for (item, component) in design.components.iter().enumerate() {
            if let Placement::Attached(attachment) = &component.placement
                && let Some((owner, _)) = attachment.to.value.rsplit_once('.')
                && scene
                    .item(owner)
                    .is_some_and(|owner| moving.contains(&owner))
            {
                moving.insert(item);
            }
        }
        if moving.len() == before {
            return moving;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::outline::Outlines;
    use crate::canvas::tests::{design_of, layout_of};
    use stokeslet_cad::chip::socket_after;
    use stokeslet_cad::library::{Defaults, Library};

    const PIPE: &str =
        "p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], parameters = { length = \"1 mm\" } }";
    const GRID: Grid = Grid {
        minor: 5e-5,
        major: 1e-4,
    };

    fn place(kind: &str, width: f64, at: (f64, f64), hold: Hold) -> (Scene, Ghost) {
        let scene = Scene::new(layout_of(PIPE, ""), &Outlines::default());
        let defaults = Defaults { width, depth: None };
        let realisation = Library::embedded()
            .realise(kind, &[], &defaults)
            .expect("has defaults");
        let pointer = Point::new(at.0, at.1);
        let ghost = ghost(realisation, &scene, pointer, hold, Some(GRID), 1e-4);
        (scene, ghost)
    }

    #[test]
    fn far_from_sockets_the_origin_lands_on_the_grid() {
        let (_, ghost) = place("tee", 1e-4, (3.01e-3, 2.02e-3), Hold::default());
        assert_eq!(ghost.meets, None);
        let Placement::Absolute { at, .. } = ghost.placement else {
            panic!("attached");
        };
        assert_eq!(at, GRID.snap(at));
        assert!((at - Point::new(3.01e-3, 2.02e-3)).norm() < 1.5e-4);
    }

    #[test]
    fn near_a_free_socket_it_attaches_as_it_is_held() {
        for (quarters, want) in [(0, "left"), (2, "right"), (1, "up"), (-3, "up")] {
            let hold = Hold {
                quarters,
                mirror: false,
            };
            let (scene, ghost) = place("tee", 1e-4, (1.05e-3, 2e-5), hold);
            let meets = ghost.meets.expect("near p.b");
            assert_eq!(meets.own, want, "{quarters} quarter turns");
            assert_eq!(
                scene.layout.full_name(&scene.layout.sockets[meets.to]),
                "p.b"
            );
            let (_, own) = own_sockets(&ghost.realisation)
                .into_iter()
                .find(|(name, _)| *name == want)
                .expect("its own");
            let own = socket_after(&ghost.motion, &own);
            assert!((own.middle - Point::new(1e-3, 0.0)).norm() < 1e-15);
            assert!(turn(own.direction, PI) < 1e-12, "face to face");
        }
    }

    #[test]
    fn sockets_of_another_width_are_refused() {
        let (_, ghost) = place("tee", 2e-4, (1.05e-3, 0.0), Hold::default());
        assert_eq!(ghost.meets, None);
        assert!(ghost.refused.is_some_and(|(_, width)| width == 1e-4));
        assert!(matches!(ghost.placement, Placement::Absolute { .. }));
    }

    #[test]
    fn what_is_attached_follows() {
        let components = format!(
            "{PIPE}\nr = {{ kind = \"tee\", attach = \"left\", to = \"q.b\" }}\nq = {{ kind = \"pipe\", attach = \"a\", to = \"p.b\" }}\nother = {{ kind = \"pipe\", at = [\"0 mm\", \"1 mm\"] }}"
        );
        let scene = Scene::new(layout_of(&components, ""), &Outlines::default());
        let moving = followers(&scene, &design_of(&components, ""), &[0]);
        let mut names: Vec<&str> = moving.iter().map(|&k| scene.name(k)).collect();
        names.sort_unstable();
        assert_eq!(names, ["p", "q", "r"]);
    }
}
