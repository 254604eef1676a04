//! Posts of an outline, as a script gives them, checked against it and against each other.

use rhai::{Array, Dynamic, Engine, EvalAltResult, Map};

use super::fault::{BAD_OUTLINE, error, error_with_help};
use super::value::point;
use crate::shape::Hole;
use crate::shape::gaps::SMALLEST_GAP;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{contains, first_crossing, signed_area};
use stokeslet_base::units::{Dimension, print_quantity};

/// Makes the functions known that outline scripts list posts by.
pub(super) fn register(engine: &mut Engine) {
    engine.register_fn("posts", posts);
    engine.register_fn("holes", holes);
}

/// `posts(centres, radii)`: round posts; one radius does for all.
fn posts(centres: Array, radii: Array) -> Result<Array, Box<EvalAltResult>> {
    if !centres.is_empty() && radii.len() != 1 && radii.len() != centres.len() {
        let (n, m) = (centres.len(), radii.len());
        return Err(format!(
            "there are {n} posts and {m} radii: give one for all, or one for each"
        )
        .into());
    }
    let post = |(k, centre): (usize, Dynamic)| {
        let mut map = Map::new();
        let radius = radii.get(k).or(radii.first()).cloned();
        map.insert("circle".into(), centre);
        map.insert("radius".into(), radius.unwrap_or_default());
        Dynamic::from_map(map)
    };
    Ok(centres.into_iter().enumerate().map(post).collect())
}

/// `holes(corners, counts)`: polygonal posts, their corners one behind the other.
fn holes(corners: Array, counts: Array) -> Result<Array, Box<EvalAltResult>> {
    let mut rest = corners.into_iter();
    let mut out = Array::new();
    for count in counts {
        let n = usize::try_from(count.as_int().unwrap_or(0)).unwrap_or(0);
        let own: Array = rest.by_ref().take(n).collect();
        if own.len() < n {
            return Err(
                "the posts' corners are fewer than the numbers of corners add up to".into(),
            );
        }
        let mut map = Map::new();
        map.insert("hole".into(), Dynamic::from_array(own));
        out.push(Dynamic::from_map(map));
    }
    match rest.count() {
        0 => Ok(out),
        n => Err(format!("{n} corners are left that belong to no post").into()),
    }
}

/// Reads `#{ circle: [x, y], radius: r }` and `#{ hole: [[x, y], ...] }`.
pub(super) fn read(item: &Dynamic) -> Option<Hole> {
    let map = item.read_lock::<Map>()?;
    match (map.get("circle"), map.get("radius"), map.get("hole")) {
        (Some(centre), Some(radius), None) if map.len() == 2 => {
            let radius = radius
                .as_float()
                .or_else(|_| radius.as_int().map(|n| n as f64));
            Some(Hole::Circle {
                centre: point(centre)?,
                radius: radius.ok()?,
            })
        }
        (None, None, Some(corners)) if map.len() == 1 => {
            let corners = corners.read_lock::<Array>()?;
            let corners: Option<Vec<Point>> = corners.iter().map(point).collect();
            Some(Hole::Polygon(corners?))
        }
        _ => None,
    }
}

/// Posts fit to be meshed, polygons clockwise and without needless corners.
///
/// # Shapes and units
/// - `outline`: counter-clockwise, m; `narrowest`: width of its narrowest socket, m
/// # Errors
/// Posts that are no shapes or too small, that lie outside, or nearer than [`SMALLEST_GAP`] widths to the outline or to each other: named
/// by their numbers and places in the component's own frame.
pub(super) fn checked(
    holes: Vec<Hole>,
    outline: &[Point],
    narrowest: f64,
) -> Result<Vec<Hole>, Diagnostic> {
    let smallest = if narrowest.is_finite() {
        SMALLEST_GAP * narrowest
    } else {
        0.0
    };
    let mut out: Vec<Hole> = Vec::with_capacity(holes.len());
    for (k, hole) in holes.into_iter().enumerate() {
        let hole = simple(k, hole)?;
        if size(&hole) < smallest {
            let what = format!("{} is only {} across", name(k, &hole), show(size(&hole)));
            return Err(small(what));
        }
        against_outline(k, &hole, outline, smallest)?;
        let reach = Point::new(smallest, smallest);
        let (low, high) = hole.bounds();
        let (low, high) = (low - reach, high + reach);
        for (j, other) in out.iter().enumerate() {
            let theirs = other.bounds();
            let is_far = theirs.0.x > high.x
                || theirs.1.x < low.x
                || theirs.0.y > high.y
                || theirs.1.y < low.y;
            let apart = if is_far {
                f64::INFINITY
            } else {
                hole.apart_from(other)
            };
            if apart <= 0.0 {
                let what = format!("{} and {} overlap or touch", name(j, other), name(k, &hole));
                return Err(error_with_help(
                    BAD_OUTLINE,
                    what,
                    "move them apart, or make them one polygon",
                ));
            }
            if apart < smallest {
                let names = (name(j, other), name(k, &hole));
                return Err(small(format!(
                    "{} and {} are only {} apart",
                    names.0,
                    names.1,
                    show(apart)
                )));
            }
        }
        out.push(hole);
    }
    Ok(out)
}

fn small(what: String) -> Diagnostic {
    let help =
        format!("nothing below {SMALLEST_GAP} of the narrowest socket's width can be solved");
    error_with_help(BAD_OUTLINE, what, help)
}

/// Number and place of a post, for people.
fn name(k: usize, hole: &Hole) -> String {
    let at = hole.middle();
    format!("post {} at ({}, {})", k + 1, show(at.x), show(at.y))
}

fn show(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    print_quantity(rounded, Dimension::Length)
}

/// The smaller side of the box around it, m.
fn size(hole: &Hole) -> f64 {
    let (low, high) = hole.bounds();
    (high.x - low.x).min(high.y - low.y)
}

/// A circle of positive radius, or a simple polygon clockwise.
fn simple(k: usize, hole: Hole) -> Result<Hole, Diagnostic> {
    let bad = |what: String| Err(error(BAD_OUTLINE, what));
    match hole {
        Hole::Circle { centre, radius } => {
            if !(centre.x.is_finite() && centre.y.is_finite()) {
                return bad(format!("the place of post {} is not finite", k + 1));
            }
            if !(radius > 0.0 && radius.is_finite()) {
                return bad(format!(
                    "{} has the radius {}",
                    name(k, &hole),
                    show(radius)
                ));
            }
            Ok(hole)
        }
        Hole::Polygon(ref corners) => {
            if !corners.iter().all(|p| p.x.is_finite() && p.y.is_finite()) {
                return bad(format!("a corner of post {} is not finite", k + 1));
            }
            let corners = without_needless(corners);
            if corners.len() < 3 {
                return bad(format!(
                    "{} has fewer than 3 corners that enclose an area",
                    name(k, &hole)
                ));
            }
            if first_crossing(&corners).is_some() {
                return bad(format!("{} folds over itself", name(k, &hole)));
            }
            let turned = if signed_area(&corners) > 0.0 {
                corners.into_iter().rev().collect()
            } else {
                corners
            };
            Ok(Hole::Polygon(turned))
        }
    }
}

/// Corners that turn, each once.
fn without_needless(corners: &[Point]) -> Vec<Point> {
    const SAME: f64 = 1e-12;
    let (low, high) = stokeslet_base::geometry::outline::bounds(corners);
    let tolerance = SAME * (high - low).norm();
    let n = corners.len();
    let distinct: Vec<Point> = (0..n)
        .filter(|&k| (corners[(k + 1) % n] - corners[k]).norm() > tolerance)
        .map(|k| corners[k])
        .collect();
    let n = distinct.len();
    (0..n)
        .filter(|&k| {
            let (a, b) = (
                distinct[k] - distinct[(k + n - 1) % n],
                distinct[(k + 1) % n] - distinct[k],
            );
            a.cross(b).abs() > SAME * a.norm() * b.norm() || a.dot(b) < 0.0
        })
        .map(|k| distinct[k])
        .collect()
}

fn against_outline(
    k: usize,
    hole: &Hole,
    outline: &[Point],
    smallest: f64,
) -> Result<(), Diagnostic> {
    let n = outline.len();
    let edges = (0..n).map(|e| (e, hole.distance_to(outline[e], outline[(e + 1) % n])));
    let (edge, way) = edges
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((0, f64::INFINITY));
    let there = format!(
        "the edge from ({}, {})",
        show(outline[edge].x),
        show(outline[edge].y)
    );
    let help = "posts lie inside of the outline, clear of its walls and sockets: move it, or make it smaller";
    if way <= 0.0 {
        let what = format!(
            "{} crosses or touches {there} of the outline",
            name(k, hole)
        );
        return Err(error_with_help(BAD_OUTLINE, what, help));
    }
    // Clear of every edge: then all of it is on one side.
    let inside = match hole {
        Hole::Circle { centre, .. } => *centre,
        Hole::Polygon(corners) => corners[0],
    };
    if !contains(outline, inside) {
        let what = format!("{} lies outside of the outline", name(k, hole));
        return Err(error_with_help(BAD_OUTLINE, what, help));
    }
    if way < smallest {
        return Err(small(format!(
            "{} is only {} from {there} of the outline",
            name(k, hole),
            show(way)
        )));
    }
    Ok(())
}
