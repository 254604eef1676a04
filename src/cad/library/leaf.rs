//! Components that are one shape: strips and outlines.

use rhai::{Array, Dynamic, Engine, Map, Scope};

use super::Realisation;
use super::definition::{Expression, StripBody, StripDimensions};
use super::fault::{BAD_OUTLINE, BAD_STRIP, WRONG_KIND, error, error_with_help};
use super::junction::junction_outline;
use super::parse::is_name;
use super::polygon::{Outline, polygon};
use super::posts;
use super::script;
use super::value::{MAX_LIST, evaluate, point};
use crate::shape::{LEFT_WALL, Part, RIGHT_WALL, Shape, SocketRef, Strip, WallKind, Walls};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Motion;
use stokeslet_base::units::{Dimension, print_quantity};

/// A strip's shortest length, in widths: shorter ones come from rounding.
const SHORTEST: f64 = 1e-6;

/// One part at the origin.
pub(super) fn single(shape: Shape, names: Vec<String>, walls: Walls) -> Realisation {
    let sockets = names
        .into_iter()
        .enumerate()
        .map(|(socket, name)| (name, SocketRef { part: 0, socket }))
        .collect();
    let part = Part {
        name: String::new(),
        shape,
        motion: Motion::IDENTITY,
        walls,
        depth: None,
    };
    Realisation {
        parts: vec![part],
        connections: Vec::new(),
        sockets,
    }
}

/// Evaluates a strip's dimensions.
pub(super) fn strip(
    body: &StripBody,
    engine: &Engine,
    scope: &mut Scope,
) -> Result<Realisation, Diagnostic> {
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
        StripDimensions::Arc {
            radius,
            angle,
            width,
        } => Strip::Arc {
            radius: number(radius)?,
            angle: number(angle)?,
            width: number(width)?,
        },
    };
    check_strip(&strip)?;
    let mut walls = Walls::default();
    for (edge, asked) in [RIGHT_WALL, LEFT_WALL].into_iter().zip(&body.walls) {
        if let Some(expression) = asked
            && let Some(kind) = wall_kind(&evaluate(expression, engine, scope)?)?
        {
            walls = walls.with(edge, kind);
        }
    }
    let names = body.sockets.clone();
    Ok(single(Shape::Strip(strip), names, walls))
}

/// What a definition says of a wall: nothing where it leaves that to the chip.
fn wall_kind(said: &Dynamic) -> Result<Option<WallKind>, Diagnostic> {
    let name = said.clone().into_string().unwrap_or_default();
    match WallKind::of_name(&name) {
        None if name == AS_THE_CHIP => Ok(None),
        Some(kind) => Ok(Some(kind)),
        None => Err(error_with_help(
            WRONG_KIND,
            format!("a wall can't be `{said}`"),
            format!(
                "kinds of walls are {AS_THE_CHIP}, {}",
                WallKind::ALL.map(WallKind::name).join(", ")
            ),
        )),
    }
}

/// Name of walls that are as the chip's `walls` says.
const AS_THE_CHIP: &str = "chip";

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
        Strip::Arc {
            radius,
            angle,
            width,
        } => {
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
            if !(angle * radius > SHORTEST * width
                && angle < std::f64::consts::TAU * (1.0 - SHORTEST))
            {
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
pub(super) fn outline(
    ast: &rhai::AST,
    engine: &mut Engine,
    scope: &mut Scope,
) -> Result<Realisation, Diagnostic> {
    engine.register_fn(
        "junction",
        |directions: Array, widths: Array, names: Array| junction(&directions, &widths, &names),
    );
    posts::register(engine);
    let value = engine
        .eval_ast_with_scope::<Dynamic>(scope, ast)
        .map_err(|e| script::fault("its outline", &e))?;
    let outline = read_corners(&value)?;
    polygon(outline)
}

/// The corners of a junction as outline scripts give them.
fn junction(
    directions: &Array,
    widths: &Array,
    names: &Array,
) -> Result<Array, Box<rhai::EvalAltResult>> {
    if directions.len() != widths.len() || names.len() != widths.len() {
        return Err(format!(
            "junction got {} directions, {} widths and {} names",
            directions.len(),
            widths.len(),
            names.len()
        )
        .into());
    }
    if directions.len() > MAX_SOCKETS {
        return Err(format!(
            "a junction has at most {MAX_SOCKETS} sockets, got {}",
            directions.len()
        )
        .into());
    }
    let number = |x: &Dynamic| {
        x.as_float()
            .or_else(|_| x.as_int().map(|n| n as f64))
            .map_err(|got| format!("junction needs numbers, got {got}"))
    };
    let mut sockets = Vec::with_capacity(directions.len());
    for (direction, width) in directions.iter().zip(widths) {
        sockets.push((number(direction)?, number(width)?));
    }
    let name = |k: usize| {
        names
            .get(k)
            .map_or_else(|| (k + 1).to_string(), Dynamic::to_string)
    };
    let outline = junction_outline(&sockets).map_err(|e| e.of_sockets(&name))?;
    let mut corners: Array = Vec::with_capacity(outline.corners.len());
    for (k, p) in outline.corners.iter().enumerate() {
        let mut corner: Array = vec![Dynamic::from_float(p.x), Dynamic::from_float(p.y)];
        if let Some(socket) = outline.sockets.iter().position(|&s| s == k) {
            corner.push(names[socket].clone());
        }
        corners.push(Dynamic::from_array(corner));
    }
    // Sockets are numbered along the outline: start from the one that came first, so that their order is the given one where that is sorted.
    if let Some(&first) = outline.sockets.first() {
        corners.rotate_left(first);
    }
    Ok(corners)
}

/// Most sockets of one junction: more don't fit around a point.
const MAX_SOCKETS: usize = 64;

/// What an outline says of an edge.
#[derive(Default)]
struct EdgeWords {
    wall: Option<Dynamic>,
    /// rad
    turn: Option<f64>,
}

impl EdgeWords {
    /// `None` where something else is said, or nothing.
    fn read(map: &Map) -> Option<Self> {
        let turn = match map.get("turn") {
            None => None,
            Some(turn) => Some(
                turn.as_float()
                    .or_else(|_| turn.as_int().map(|n| n as f64))
                    .ok()?,
            ),
        };
        let wall = map.get("wall").cloned();
        let known = usize::from(turn.is_some()) + usize::from(wall.is_some());
        (known == map.len() && known > 0).then_some(Self { wall, turn })
    }
}

/// Reads `[x, y]`, `[x, y, "socket"]` and `[x, y, #{ wall: "slip", turn: 0.5 }]` (one of the two, or both); edges start from their
/// corner. Posts stand anywhere among them.
fn read_corners(value: &Dynamic) -> Result<Outline, Diagnostic> {
    let wrong = |got: String| {
        error_with_help(
            BAD_OUTLINE,
            format!("its outline gives {got}"),
            "give a list of [x, y], [x, y, \"socket\"] and [x, y, #{ wall: \"slip\", turn: 0.5 }], and for posts of #{ circle: [x, y], radius: r } and #{ hole: [[x, y], ...] }, in metres",
        )
    };
    let Some(list) = value.read_lock::<Array>() else {
        return Err(wrong(format!(
            "a value of type {} instead of a list of corners",
            value.type_name()
        )));
    };
    if list.len() > MAX_LIST {
        return Err(wrong(format!(
            "{} corners; {MAX_LIST} are the limit",
            list.len()
        )));
    }
    let mut out = Outline::default();
    for item in list.iter() {
        if item.is_map() {
            let post = out.holes.len() + 1;
            let hole =
                posts::read(item).ok_or_else(|| wrong(format!("`{item}` for post {post}")))?;
            out.holes.push(hole);
            continue;
        }
        let k = out.corners.len();
        let corner = item.read_lock::<Array>().and_then(|item| {
            let place = point(&Dynamic::from_array(item.iter().take(2).cloned().collect()))?;
            let name = match item.get(2).filter(|edge| !edge.is_map()) {
                None => None,
                Some(name) => Some(name.clone().into_string().ok().filter(|n| is_name(n))?),
            };
            let edge = match item.get(2).filter(|edge| edge.is_map()) {
                None => EdgeWords::default(),
                Some(edge) => EdgeWords::read(&*edge.read_lock::<Map>()?)?,
            };
            (item.len() <= 3).then_some((place, name, edge))
        });
        let Some((place, name, EdgeWords { wall, turn })) = corner else {
            return Err(wrong(format!("`{item}` for corner {}", k + 1)));
        };
        if !(place.x.is_finite() && place.y.is_finite()) {
            return Err(wrong(format!("a corner {} that is not finite", k + 1)));
        }
        out.sockets.extend(name.map(|name| (k, name)));
        out.arcs.extend(turn.map(|turn| (k, turn)));
        if let Some(wall) = wall {
            out.walls.extend(wall_kind(&wall)?.map(|kind| (k, kind)));
        }
        out.corners.push(place);
    }
    Ok(out)
}
