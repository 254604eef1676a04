//! Components that are one shape: strips and outlines.

use rhai::{Array, Dynamic, Engine, Scope};

use super::Realisation;
use super::definition::{Expression, StripBody, StripDimensions};
use super::fault::{BAD_OUTLINE, BAD_SOCKET, BAD_STRIP, WRONG_KIND, error, error_with_help};
use super::junction::junction_outline;
use super::parse::is_name;
use super::script;
use super::value::{MAX_LIST, evaluate, point};
use crate::chip::{Part, Shape, SocketRef, Strip};
use crate::diagnostic::Diagnostic;
use crate::geometry::outline::{bounds, first_crossing, signed_area};
use crate::geometry::{Motion, Point};
use crate::units::{Dimension, print_quantity};

/// Corners closer than this part of the outline's extent are one.
const SAME_CORNER: f64 = 1e-12;
/// A strip's shortest length, in widths: shorter ones come from rounding.
const SHORTEST: f64 = 1e-6;

/// One part at the origin.
fn single(shape: Shape, names: Vec<String>) -> Realisation {
    let sockets = names
        .into_iter()
        .enumerate()
        .map(|(socket, name)| (name, SocketRef { part: 0, socket }))
        .collect();
    let part = Part {
        name: String::new(),
        shape,
        motion: Motion::IDENTITY,
    };
    Realisation {
        parts: vec![part],
        connections: Vec::new(),
        sockets,
    }
}

/// Evaluates a strip's dimensions.
pub(super) fn strip(body: &StripBody, engine: &Engine, scope: &mut Scope) -> Result<Realisation, Diagnostic> {
    let mut number = |expression: &Expression| -> Result<f64, Diagnostic> {
        let x = evaluate(expression, engine, scope)?;
        let x = x.as_float().or_else(|_| x.as_int().map(|n| n as f64));
        x.map_err(|got| {
            error(
                WRONG_KIND,
                format!("`{}` gives {got} where a number is needed", expression.text),
            )
        })
    };
    let strip = match &body.dimensions {
        StripDimensions::Straight {
            length,
            width_start,
            width_end,
        } => Strip::Straight {
            length: number(length)?,
            width_start: number(width_start)?,
            width_end: number(width_end)?,
        },
        StripDimensions::Arc { radius, angle, width } => Strip::Arc {
            radius: number(radius)?,
            angle: number(angle)?,
            width: number(width)?,
        },
    };
    check_strip(&strip)?;
    Ok(single(Shape::Strip(strip), body.sockets.clone()))
}

/// Refuses strips that are no channels.
pub(super) fn check_strip(strip: &Strip) -> Result<(), Diagnostic> {
    let show = |x: f64| print_quantity(x, Dimension::Length);
    match *strip {
        Strip::Straight {
            length,
            width_start,
            width_end,
        } => {
            let widest = width_start.max(width_end);
            // Negated comparisons, so that NaN fails them too.
            if !(width_start > 0.0 && width_end > 0.0 && widest.is_finite()) {
                let message = format!(
                    "its widths are {} and {}, but must be positive",
                    show(width_start),
                    show(width_end)
                );
                return Err(error(BAD_STRIP, message));
            }
            if !(length > SHORTEST * widest && length.is_finite()) {
                return Err(error(
                    BAD_STRIP,
                    format!("its length is {}, but must be positive", show(length)),
                ));
            }
        }
        Strip::Arc { radius, angle, width } => {
            if !(width > 0.0 && width.is_finite()) {
                return Err(error(
                    BAD_STRIP,
                    format!("its width is {}, but must be positive", show(width)),
                ));
            }
            if !(radius > width / 2.0 * (1.0 + SHORTEST) && radius.is_finite()) {
                let message = format!(
                    "the radius {} leaves no inner wall: it must exceed half the width {}",
                    show(radius),
                    show(width)
                );
                return Err(error_with_help(
                    BAD_STRIP,
                    message,
                    "the radius is that of the centre line; make it larger",
                ));
            }
            if !(angle * radius > SHORTEST * width && angle < std::f64::consts::TAU * (1.0 - SHORTEST)) {
                return Err(error(
                    BAD_STRIP,
                    format!(
                        "it turns by {:.6} deg, but must by more than 0 and less than 360",
                        angle.to_degrees()
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// Runs an outline's script.
pub(super) fn outline(ast: &rhai::AST, engine: &mut Engine, scope: &mut Scope) -> Result<Realisation, Diagnostic> {
    engine.register_fn("junction", |directions: Array, widths: Array, names: Array| {
        junction(&directions, &widths, &names)
    });
    let value = engine
        .eval_ast_with_scope::<Dynamic>(scope, ast)
        .map_err(|e| script::fault("its outline", &e))?;
    let (corners, edges) = read_corners(&value)?;
    polygon(corners, edges)
}

/// The corners of a junction as outline scripts give them.
fn junction(directions: &Array, widths: &Array, names: &Array) -> Result<Array, Box<rhai::EvalAltResult>> {
    if directions.len() != widths.len() || names.len() != widths.len() {
        return Err(format!(
            "junction got {} directions, {} widths and {} names",
            directions.len(),
            widths.len(),
            names.len()
        )
        .into());
    }
    if directions.len() > MAX_MOUTHS {
        return Err(format!("a junction has at most {MAX_MOUTHS} mouths, got {}", directions.len()).into());
    }
    let number = |x: &Dynamic| {
        x.as_float()
            .or_else(|_| x.as_int().map(|n| n as f64))
            .map_err(|got| format!("junction needs numbers, got {got}"))
    };
    let mut mouths = Vec::with_capacity(directions.len());
    for (direction, width) in directions.iter().zip(widths) {
        mouths.push((number(direction)?, number(width)?));
    }
    let outline = junction_outline(&mouths).map_err(|e| e.to_string())?;
    let mut corners: Array = Vec::with_capacity(outline.corners.len());
    for (k, p) in outline.corners.iter().enumerate() {
        let mut corner: Array = vec![Dynamic::from_float(p.x), Dynamic::from_float(p.y)];
        if let Some(mouth) = outline.sockets.iter().position(|&s| s == k) {
            corner.push(names[mouth].clone());
        }
        corners.push(Dynamic::from_array(corner));
    }
    // Sockets are numbered along the outline: start from the first mouth, so that their order is the given one where that is sorted.
    if let Some(&first) = outline.sockets.first() {
        corners.rotate_left(first);
    }
    Ok(corners)
}

/// Most mouths of one junction: more don't fit around a point.
const MAX_MOUTHS: usize = 64;

/// The corner that an edge starts from, and the socket that it is.
type NamedEdge = (usize, String);

/// Reads `[x, y]` and `[x, y, "socket"]`; edges are the corner that they start from and the socket's name.
fn read_corners(value: &Dynamic) -> Result<(Vec<Point>, Vec<NamedEdge>), Diagnostic> {
    let wrong = |got: String| {
        error_with_help(
            BAD_OUTLINE,
            format!("its outline gives {got}"),
            "give a list of [x, y] and [x, y, \"socket\"], in metres",
        )
    };
    let Some(list) = value.read_lock::<Array>() else {
        return Err(wrong(format!(
            "a value of type {} instead of a list of corners",
            value.type_name()
        )));
    };
    if list.len() > MAX_LIST {
        return Err(wrong(format!("{} corners; {MAX_LIST} are the limit", list.len())));
    }
    let (mut corners, mut edges) = (Vec::with_capacity(list.len()), Vec::new());
    for (k, item) in list.iter().enumerate() {
        let corner = item.read_lock::<Array>().and_then(|item| {
            let place = point(&Dynamic::from_array(item.iter().take(2).cloned().collect()))?;
            let name = match item.get(2) {
                None => None,
                Some(name) => Some(name.clone().into_string().ok().filter(|n| is_name(n))?),
            };
            (item.len() <= 3).then_some((place, name))
        });
        let Some((place, name)) = corner else {
            return Err(wrong(format!("`{item}` for corner {k}")));
        };
        if !(place.x.is_finite() && place.y.is_finite()) {
            return Err(wrong(format!("a corner {k} that is not finite")));
        }
        edges.extend(name.map(|name| (k, name)));
        corners.push(place);
    }
    Ok((corners, edges))
}

/// A polygon with needless corners removed; refused where it folds over itself.
fn polygon(corners: Vec<Point>, edges: Vec<NamedEdge>) -> Result<Realisation, Diagnostic> {
    let n = corners.len();
    let (low, high) = bounds(&corners);
    let tolerance = SAME_CORNER * (high - low).norm();
    let starts: Vec<bool> = (0..n).map(|k| edges.iter().any(|(edge, _)| *edge == k)).collect();
    let distinct = |k: usize| (corners[(k + 1) % n] - corners[k]).norm() > tolerance;
    for (k, name) in &edges {
        if !distinct(*k) {
            let message = format!("socket `{name}` has no width: the edge that it names has length zero");
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
            format!("its outline has {} corners; an area needs at least 3", outline.len()),
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
