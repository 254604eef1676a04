//! Corners as a script gives them become a simple polygon without needless corners.

use super::Realisation;
use super::fault::{BAD_OUTLINE, BAD_SOCKET, error, error_with_help};
use super::leaf::single;
use crate::shape::Shape;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{bounds, first_crossing, signed_area};

/// Corners closer than this part of the outline's extent are one.
const SAME_CORNER: f64 = 1e-12;

/// The corner that an edge starts from, and the socket that it is.
pub(super) type NamedEdge = (usize, String);

/// A polygon with needless corners removed; refused where it folds over itself.
pub(super) fn polygon(
    corners: Vec<Point>,
    edges: Vec<NamedEdge>,
) -> Result<Realisation, Diagnostic> {
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
    // Of corners that lie on each other the last stays: an edge that is a socket starts from it.
    let kept: Vec<usize> = (0..n).filter(|&k| distinct(k)).collect();
    let needed = |position: usize| {
        let at = |offset: usize| kept[(position + offset) % kept.len()];
        let (before, k, after) = (at(kept.len() - 1), at(0), at(1));
        let (a, b) = (corners[k] - corners[before], corners[after] - corners[k]);
        // A mouth's ends are always corners.
        let bends = a.cross(b).abs() > SAME_CORNER * a.norm() * b.norm() || a.dot(b) < 0.0;
        bends || starts[k] || starts[before]
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
            kept[i], kept[j]
        );
        return Err(error_with_help(
            BAD_OUTLINE,
            message,
            "a dimension is too large or too small for the others",
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
    Ok(single(
        Shape::Polygon {
            corners: outline,
            sockets,
        },
        names,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needless_corners_go_and_mouth_ends_stay() {
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
        let realised = polygon(corners, vec![(5, "top".to_owned())]).unwrap();
        let Shape::Polygon { corners, sockets } = &realised.parts[0].shape else {
            panic!("an outline is a polygon")
        };
        assert_eq!(
            corners.len(),
            6,
            "two corners of the square's bottom are needless, those of the mouth aren't: {corners:?}"
        );
        assert_eq!(corners[sockets[0]], p(1.0, 1.0));
    }
}
