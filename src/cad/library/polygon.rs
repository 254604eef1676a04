//! Corners as a script gives them become a simple polygon without needless corners.

use super::Realisation;
use super::fault::{BAD_OUTLINE, BAD_SOCKET, error, error_with_help};
use super::leaf::single;
use super::posts;
use super::rounded::{Chords, chords};
use crate::shape::gaps::{SMALLEST_GAP, gaps};
use crate::shape::{Hole, Shape, WallKind, Walls};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{bounds, first_crossing, signed_area};
use stokeslet_base::units::{Dimension, print_quantity};

/// Corners closer than this part of the outline's extent are one.
const SAME_CORNER: f64 = 1e-12;

/// The corner that an edge starts from, and the socket that it is.
pub(super) type NamedEdge = (usize, String);

/// An outline as a script gives it.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// m
    pub corners: Vec<Point>,
    /// Edges that are sockets.
    pub sockets: Vec<NamedEdge>,
    /// Edges whose wall's kind is asked for, by the corner that they start from.
    pub walls: Vec<(usize, WallKind)>,
    /// Edges that go round, by the corner that they start from, and by how much, rad: to the left, or below 0 to the right.
    pub arcs: Vec<(usize, f64)>,
    /// Posts, m.
    pub holes: Vec<Hole>,
}

/// A polygon with needless corners removed; refused where it folds over itself.
pub(super) fn polygon(outline: Outline) -> Result<Realisation, Diagnostic> {
    let Chords { outline, origin } = chords(outline)?;
    let Outline {
        corners,
        sockets: edges,
        walls,
        holes,
        ..
    } = outline;
    let n = corners.len();
    let (low, high) = bounds(&corners);
    let tolerance = SAME_CORNER * (high - low).norm();
    let starts: Vec<bool> = (0..n)
        .map(|k| edges.iter().any(|(edge, _)| *edge == k))
        .collect();
    let distinct = |k: usize| (corners[(k + 1) % n] - corners[k]).norm() > tolerance;
    for (k, name) in &edges {
        if !distinct(*k) {
            let message =
                format!("socket `{name}` has no width: the edge that it names has length zero");
            return Err(error_with_help(
                BAD_SOCKET,
                message,
                "sockets that leave no wall between them still need width",
            ));
        }
        if edges
            .iter()
            .any(|(other, twin)| (twin == name && other != k) || (other == k && twin != name))
        {
            return Err(error(
                BAD_SOCKET,
                format!("socket `{name}` shares its name or edge with another"),
            ));
        }
    }
    let asked = |k: usize| walls.iter().find(|wall| wall.0 == k).map(|wall| wall.1);
    // Of corners that lie on each other the last stays: an edge that is a socket starts from it.
    let kept: Vec<usize> = (0..n).filter(|&k| distinct(k)).collect();
    let needed = |position: usize| {
        let at = |offset: usize| kept[(position + offset) % kept.len()];
        let (before, k, after) = (at(kept.len() - 1), at(0), at(1));
        let (a, b) = (corners[k] - corners[before], corners[after] - corners[k]);
        // A socket's ends are always corners, and so are places where walls of two kinds meet.
        let bends = a.cross(b).abs() > SAME_CORNER * a.norm() * b.norm() || a.dot(b) < 0.0;
        bends || starts[k] || starts[before] || asked(k) != asked(before)
    };
    let kept: Vec<usize> = (0..kept.len())
        .filter(|&position| needed(position))
        .map(|position| kept[position])
        .collect();
    let outline: Vec<Point> = kept.iter().map(|&k| corners[k]).collect();
    if outline.len() < 3 {
        return Err(error(
            BAD_OUTLINE,
            format!(
                "its outline has {} corners; an area needs at least 3",
                outline.len()
            ),
        ));
    }
    if let Some((i, j)) = first_crossing(&outline) {
        let message = format!(
            "its outline folds over itself: the walls from corners {} and {} cross or touch",
            origin[kept[i]] + 1,
            origin[kept[j]] + 1
        );
        return Err(error_with_help(
            BAD_OUTLINE,
            message,
            "corners are counted from 1 as the outline lists them; it must go around its area once, so a corner is out of order, or a dimension is too large or too small for the others",
        ));
    }
    if signed_area(&outline) <= 0.0 {
        return Err(error_with_help(
            BAD_OUTLINE,
            "its outline runs clockwise",
            "list the corners counter-clockwise",
        ));
    }
    let (mut sockets, mut names) = (Vec::new(), Vec::new());
    for (k, name) in edges {
        if let Some(position) = kept.iter().position(|&kept| kept == k) {
            sockets.push(position);
            names.push(name);
        }
    }
    let width = |&k: &usize| (outline[(k + 1) % outline.len()] - outline[k]).norm();
    let narrowest = sockets.iter().map(width).fold(f64::INFINITY, f64::min);
    let found = match narrowest.is_finite() {
        true => gaps(&outline, &sockets, SMALLEST_GAP * narrowest),
        false => Vec::new(),
    };
    if let Some(gap) = found.first() {
        let [i, j] = gap.walls;
        let message = format!(
            "the walls from corners {} and {} are only {} apart, {:.1e} of the narrowest socket's width",
            origin[kept[i]] + 1,
            origin[kept[j]] + 1,
            print_quantity(three_digits(gap.width), Dimension::Length),
            gap.width / narrowest
        );
        let help =
            format!("gaps below {SMALLEST_GAP} of that width can't be solved: close or widen it");
        return Err(error_with_help(BAD_OUTLINE, message, &help));
    }
    let holes = posts::checked(holes, &outline, narrowest)?;
    let kinds = kept.iter().enumerate();
    let kinds = kinds.filter_map(|(edge, &k)| Some((edge, asked(k)?)));
    let walls = kinds.fold(Walls::default(), |walls, (edge, kind)| {
        walls.with(edge, kind)
    });
    Ok(single(
        Shape::Polygon {
            corners: outline,
            sockets,
            holes,
        },
        names,
        walls,
    ))
}

/// Rounded to three digits, for people.
fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_with_next_to_nothing_between_them_are_named() {
        let jaw = |gap: f64| {
            [
                (0.0, 0.0),
                (400e-6, 0.0),
                (400e-6, 100e-6),
                (210e-6, 100e-6),
                (210e-6, gap),
                (190e-6, gap),
                (190e-6, 100e-6),
                (0.0, 100e-6),
            ]
            .map(|(x, y)| Point::new(x, y))
            .to_vec()
        };
        let outline = |corners| Outline {
            corners,
            sockets: vec![(7, "a".to_owned()), (1, "b".to_owned())],
            ..Outline::default()
        };
        let refused = polygon(outline(jaw(1e-11))).expect_err("nothing flows there");
        assert!(
            refused.message.contains("corners 1 and ") && refused.message.contains("only 0.01 nm"),
            "{}",
            refused.message
        );
        assert!(polygon(outline(jaw(1e-6))).is_ok());
    }

    #[test]
    fn needless_corners_go_and_socket_ends_stay() {
        let p = Point::new;
        let corners = vec![
            p(0.0, 0.0),
            p(1.0, 0.0),
            p(2.0, 0.0),
            p(2.0, 0.0),
            p(2.0, 1.0),
            p(1.0, 1.0),
            p(0.5, 1.0),
            p(0.0, 1.0),
        ];
        let outline = Outline {
            corners,
            sockets: vec![(5, "top".to_owned())],
            // Two halves of the bottom, of two kinds: the corner between them stays.
            walls: vec![(0, WallKind::Slip)],
            ..Outline::default()
        };
        let realised = polygon(outline).unwrap();
        let walls = &realised.parts[0].walls;
        let Shape::Polygon {
            corners, sockets, ..
        } = &realised.parts[0].shape
        else {
            panic!("an outline is a polygon")
        };
        assert_eq!(
            corners.len(),
            7,
            "one corner at the square's right is needless; those of the socket and of the wall that slips aren't: {corners:?}"
        );
        let slip = (0..7).filter(|&edge| walls.kind(edge) == WallKind::Slip);
        let slip: Vec<Point> = slip.map(|edge| corners[edge]).collect();
        assert_eq!(slip, [p(0.0, 0.0)]);
        assert_eq!(corners[sockets[0]], p(1.0, 1.0));
    }
}
