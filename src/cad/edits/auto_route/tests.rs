//! Ways between sockets of any place and direction.

use super::*;

const WIDTH: f64 = 1e-4;

fn socket(x_mm: f64, y_mm: f64, degrees: f64) -> Socket {
    Socket {
        middle: Point::new(x_mm * 1e-3, y_mm * 1e-3),
        direction: normalise(degrees.to_radians()),
        width: WIDTH,
    }
}

fn task(to: RouteEnd, bend: Bend) -> RouteTask {
    RouteTask {
        from: socket(0.0, 0.0, 0.0),
        to,
        width: WIDTH,
        bend,
    }
}

/// All relative places and directions of two sockets that are far enough apart have a way, mitred and round.
#[test]
fn any_two_sockets_some_widths_apart_are_joined() {
    for bend in [Bend::Mitred, Bend::Round(Metre(1.5e-4))] {
        for place in 0..16 {
            let (s, c) = (f64::from(place) * PI / 8.0).sin_cos();
            for turn in 0..24 {
                let to = socket(2.0 * c, 2.0 * s, f64::from(turn) * 15.0 + 0.5);
                let to = [to, socket(2.0 * c, 2.0 * s, f64::from(turn % 4) * 90.0)];
                for to in to {
                    let task = task(RouteEnd::Socket(to), bend);
                    let via = auto_route(&task, &Obstacles::default());
                    let via = via.unwrap_or_else(|| panic!("{place} {turn} {bend:?} {to:?}"));
                    assert!(task.fits(&via), "{via:?}");
                    assert!(length(&task, &via) < 10e-3, "no detours: {via:?}");
                }
            }
        }
    }
}

#[test]
fn the_shapes_are_those_that_people_draw() {
    let corners = |to: RouteEnd| {
        let way = auto_route(&task(to, Bend::Mitred), &Obstacles::default());
        way.expect("there is room").len()
    };
    assert_eq!(
        corners(RouteEnd::Socket(socket(2.0, 0.0, 180.0))),
        0,
        "straight"
    );
    assert_eq!(corners(RouteEnd::Socket(socket(2.0, 1.0, -90.0))), 1, "L");
    assert_eq!(corners(RouteEnd::Socket(socket(2.0, 1.0, 180.0))), 2, "Z");
    assert_eq!(corners(RouteEnd::Socket(socket(0.0, 1.0, 0.0))), 2, "U");
    assert_eq!(corners(RouteEnd::Socket(socket(-1.0, 1.0, 180.0))), 4, "S");
    assert_eq!(
        corners(RouteEnd::Socket(socket(2.0, 1.0, 225.0))),
        1,
        "to the slanted axis"
    );
    assert_eq!(
        corners(RouteEnd::Free(Point::new(1e-3, 1e-3))),
        2,
        "one bend and the end"
    );
    assert_eq!(
        corners(RouteEnd::Free(Point::new(1e-3, 1e-5))),
        1,
        "on to the axis"
    );
}

#[test]
fn a_z_turns_half_way() {
    let to = RouteEnd::Socket(socket(2.0, 1.0, 180.0));
    let via = auto_route(&task(to, Bend::Mitred), &Obstacles::default()).unwrap();
    assert_eq!(via, [Point::new(1e-3, 0.0), Point::new(1e-3, 1e-3)]);
}

#[test]
fn parts_in_the_way_are_gone_around() {
    let block = crate::shape::Part {
        name: "block".to_owned(),
        shape: crate::shape::Shape::Strip(crate::shape::Strip::Straight {
            length: 5e-4,
            width_start: 1e-3,
            width_end: 1e-3,
        }),
        motion: Motion::new(0.0, Point::new(0.8e-3, 0.0)),
        walls: Default::default(),
        depth: None,
    };
    let mut obstacles = Obstacles::default();
    obstacles.add(&[block]);
    let task = task(RouteEnd::Socket(socket(2.0, 0.2, 180.0)), Bend::Mitred);
    let via = auto_route(&task, &obstacles).unwrap();
    assert_eq!(obstacles.hits(&polyline(&task, &via), WIDTH), 0, "{via:?}");
    let free = auto_route(&task, &Obstacles::default()).unwrap();
    assert!(
        obstacles.hits(&polyline(&task, &free), WIDTH) > 0,
        "it was in the way"
    );
}
