//! Parameters as places of a component that can be dragged: each where it moves the component most.
//!
//! ```text
//!   component, parameter p --realise at p and p + h--> two outlines, corner by corner
//!       --what it is attached by stays--> d(place)/dp of each corner; the fastest is the handle
//! ```

use super::Drawing;
use super::sockets::own_sockets;
use crate::design::{Component, Placement, Spanned, Value};
use crate::library::{Parameter, ParameterKind, Realisation, boundary};
use crate::shape::Socket;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::{Dimension, parse_quantity};

/// Chords of a whole turn, where walls are round.
const CHORDS: usize = 36;
/// Step of a difference, over the value or, where that is nothing, the chip's width or a radian.
const STEP: f64 = 1e-4;
/// A socket is taken before a wall unless the wall moves faster than it by more than this: outer walls of bends do, by a little.
const AS_FAST: f64 = 0.5;
/// Places that move this much as fast as the fastest are as good.
const ALIKE: f64 = 0.99;
/// Places that move less than this for one unit of the parameter (for an angle, times the chip's width) tell nothing.
const SLOWEST: f64 = 0.05;

/// A parameter with a place that follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// The parameter's name.
    pub parameter: String,
    /// Dimension of its value: a length or an angle.
    pub dimension: Dimension,
    /// Now, m or rad.
    pub value: f64,
    /// The place on the chip, m.
    pub at: Point,
    /// How fast it moves with the value: m per m, or m per rad.
    pub rate: Point,
    /// Least and greatest value.
    pub range: [Option<f64>; 2],
    /// Whether an expression gives the value: it can't be dragged.
    pub is_expression: bool,
    /// The ends of what is measured, m, where that is a line: a length between the place and another, which stays while the place moves by
    /// all of a change, or moves by half of it the other way.
    pub span: Option<[Point; 2]>,
}

/// How far speeds may be from 1, 1/2 and 0 at the ends of a measured length.
const EVEN: f64 = 0.02;

impl Handle {
    /// The value, within its range, that brings the place nearest to `to` (m), to first order.
    pub fn value_at(&self, to: Point) -> f64 {
        let by = (to - self.at).dot(self.rate) / self.rate.dot(self.rate);
        self.within(self.value + by)
    }

    /// The nearest value of its range.
    pub fn within(&self, value: f64) -> f64 {
        let [min, max] = self.range;
        let value = min.map_or(value, |min| value.max(min));
        max.map_or(value, |max| value.min(max))
    }
}

/// The handles of a component: of its lengths and angles that are no expressions, those that move it. None of what isn't placed.
///
/// # Accuracy and cost
/// The component is realised once a parameter; rates are one-sided differences, good to 1e-4.
pub fn handles(drawing: &Drawing<'_>, component: &str) -> Vec<Handle> {
    let all = &drawing.design.components;
    let index = all.iter().position(|c| c.name.value == component);
    let found = index.map_or_else(Vec::new, |index| handles_of(drawing, index, |_| true));
    found.into_iter().filter(|h| !h.is_expression).collect()
}

/// Handles of those parameters that are wanted, of the component of this number.
pub(super) fn handles_of(
    drawing: &Drawing<'_>,
    index: usize,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Handle> {
    let component = &drawing.design.components[index];
    let defaults = drawing.design.defaults_of(component);
    let library = drawing.library;
    let kind = component.kind.value.as_str();
    let (Some(definition), Some(motion)) = (
        library.get(kind),
        drawing.layout.motions.get(index).copied().flatten(),
    ) else {
        return Vec::new();
    };
    let given = &component.parameters;
    let Ok(now) = library.realise(kind, given, &defaults) else {
        return Vec::new();
    };
    let (sockets, places) = places(&now);
    let is_expression = |parameter: &str| {
        let name = component.name.value.as_str();
        let keys = ["components", name, "parameters", parameter];
        drawing.design.parametric.expression(&keys).is_some()
    };
    let parameters = definition.parameters.iter();
    let varied = parameters.filter(|p| {
        matches!(p.kind, ParameterKind::Length | ParameterKind::Angle) && is_wanted(&p.name)
    });
    let handle = |parameter: &Parameter| -> Option<Handle> {
        let (value, dimension) = value_of(drawing, component, &parameter.name)?;
        let unit = match dimension {
            Dimension::Length => drawing.design.width.0,
            _ => 1.0,
        };
        let step = STEP * if value == 0.0 { unit } else { value.abs() };
        let mut moved = [step, -step].into_iter().filter_map(|step| {
            let varied = Value::Quantity(value + step, dimension);
            let given = with(given, &parameter.name, varied);
            let then = library.realise(kind, &given, &defaults).ok()?;
            let rates = rates(component, [&now, &then], &places, step)?;
            Some((rates, has_other_widths(&now, &then)))
        });
        let (rates, is_width) = moved.next()?;
        let speed = |k: usize| rates[k].norm();
        let greatest = (0..places.len()).map(speed).fold(0.0, f64::max);
        let first = |mut among: std::ops::Range<usize>, least: f64| {
            among.find(|&k| speed(k) >= least * greatest)
        };
        // A mirrored place moves as fast: always the same of the two, also after the next step of a drag.
        let at = match is_width {
            true => wall(&rates, sockets),
            false => first(0..sockets, AS_FAST).or(first(0..places.len(), ALIKE)),
        }?;
        let rate = motion.rotate(rates[at]);
        let slowest = match dimension {
            Dimension::Length => SLOWEST,
            _ => SLOWEST * drawing.design.width.0,
        };
        (rate.norm() >= slowest).then(|| Handle {
            parameter: parameter.name.clone(),
            dimension,
            value,
            at: motion.apply(places[at]),
            rate,
            range: library
                .range(kind, &parameter.name, &defaults)
                .unwrap_or_default(),
            is_expression: is_expression(&parameter.name),
            span: match dimension {
                Dimension::Length => span(&places, &rates, at, value),
                _ => None,
            }
            .map(|ends| ends.map(|p| motion.apply(p))),
        })
    };
    varied.filter_map(handle).collect()
}

/// A quantity among a component's parameters, SI: what the design gives, or the library's default.
pub fn value_of(
    drawing: &Drawing<'_>,
    component: &Component,
    parameter: &str,
) -> Option<(f64, Dimension)> {
    let mut given = component.parameters.iter();
    let given = given.find(|(name, _)| name.value == parameter);
    match given.map(|(_, value)| &value.value) {
        Some(Value::Quantity(value, dimension)) => Some((*value, *dimension)),
        Some(_) => None,
        None => {
            let defaults = drawing.design.defaults_of(component);
            let kind = &component.kind.value;
            let usual = drawing.library.default_value(kind, parameter, &defaults);
            parse_quantity(&usual.ok()?).ok()
        }
    }
}

/// Places of a component's outline in its own frame, m: its sockets, whose number comes first, then the middles of all edges.
fn places(realisation: &Realisation) -> (usize, Vec<Point>) {
    let sockets = own_sockets(realisation);
    let n_sockets = sockets.len();
    let mut out: Vec<Point> = sockets
        .into_iter()
        .map(|(_, socket)| socket.middle)
        .collect();
    for part in &realisation.parts {
        let place = part.motion.to_apply();
        let corners = boundary(&part.shape, CHORDS);
        let next = corners.iter().cycle().skip(1);
        out.extend(
            corners
                .iter()
                .zip(next)
                .map(|(a, b)| place((*a + *b) * 0.5)),
        );
    }
    (n_sockets, out)
}

/// How fast every place moves, in the frame in which what the component is attached by stays; `None` where the outlines can't be compared.
fn rates(
    component: &Component,
    [now, then]: [&Realisation; 2],
    places_now: &[Point],
    step: f64,
) -> Option<Vec<Point>> {
    let (_, places_then) = places(then);
    if places_then.len() != places_now.len() {
        return None;
    }
    let stays = match &component.placement {
        Placement::Absolute { .. } => Motion::IDENTITY,
        Placement::Attached(attachment) => {
            let socket = |of: &Realisation| {
                let sockets = own_sockets(of);
                let mut all = sockets.into_iter();
                let found = all.find(|(name, _)| *name == attachment.socket.value);
                found.map(|(_, socket)| frame(&socket))
            };
            socket(now)?.after(&socket(then)?.inverse())
        }
    };
    let both = places_now.iter().zip(places_then);
    let rate = |(now, then): (&Point, Point)| (stays.apply(then) - *now) * (1.0 / step);
    Some(both.map(rate).collect())
}

/// The ends of a length whose one end is a place of the outline, in its own frame, m: the other end stays, or moves as fast the other way.
fn span(places: &[Point], rates: &[Point], at: usize, value: f64) -> Option<[Point; 2]> {
    let rate = rates[at];
    let speed = rate.norm();
    let opposite = match speed {
        one if (one - 1.0).abs() < EVEN => Point::default(),
        half if (half - 0.5).abs() < EVEN => rate * -1.0,
        _ => return None,
    };
    let other = places[at] - rate * (value / speed);
    let is_other = |k: usize| {
        let is_there = (places[k] - other).norm() < EVEN * value.abs();
        is_there && (rates[k] - opposite).norm() < EVEN
    };
    let found = (0..places.len()).any(is_other);
    found.then_some([other, places[at]])
}

/// The first wall that moves as one does whose middle stays, whatever else a width moves: by half of the width.
fn wall(rates: &[Point], sockets: usize) -> Option<usize> {
    let off = |k: usize| (rates[k].norm() - 0.5).abs();
    let least = (sockets..rates.len())
        .map(off)
        .fold(f64::INFINITY, f64::min);
    (sockets..rates.len()).find(|&k| off(k) <= least + 0.01)
}

/// Whether a socket of one is wider than that of the other.
fn has_other_widths(now: &Realisation, then: &Realisation) -> bool {
    let (now, then) = (own_sockets(now), own_sockets(then));
    let mut both = now.iter().zip(&then);
    both.any(|((_, a), (_, b))| (a.width - b.width).abs() > 1e-9 * a.width)
}

/// Whether a component can have this value, whatever the ranges of its other parameters make of it.
pub fn can_be(drawing: &Drawing<'_>, component: &str, parameter: &str, value: &Value) -> bool {
    let mut all = drawing.design.components.iter();
    let Some(component) = all.find(|c| c.name.value == component) else {
        return false;
    };
    let given = with(&component.parameters, parameter, value.clone());
    let defaults = drawing.design.defaults_of(component);
    let library = drawing.library;
    library
        .realise(&component.kind.value, &given, &defaults)
        .is_ok()
}

/// The frame of a socket: its middle and where it looks.
fn frame(socket: &Socket) -> Motion {
    Motion::new(socket.direction, socket.middle)
}

type Given = Vec<(Spanned<String>, Spanned<Value>)>;

/// The parameters with one of them set.
fn with(given: &[(Spanned<String>, Spanned<Value>)], parameter: &str, value: Value) -> Given {
    let mut out: Given = given
        .iter()
        .filter(|(name, _)| name.value != parameter)
        .cloned()
        .collect();
    out.push((
        Spanned::nowhere(parameter.to_owned()),
        Spanned::nowhere(value),
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::lay_out;
    use crate::design::{Edit, parse, rewrite};
    use crate::library::Library;

    fn found(components: &str, component: &str) -> Vec<Handle> {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"100 um\" }}\n[variables]\nl = \"1 mm\"\n[components]\n{components}\n"
        );
        let (design, mistakes) = parse(&text, "x");
        let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
        let library = Library::embedded();
        let layout = lay_out(&design, &library);
        let drawing = Drawing::new(&design, &layout, &library);
        handles(&drawing, component)
    }

    fn named<'h>(all: &'h [Handle], name: &str) -> &'h Handle {
        let found = all.iter().find(|h| h.parameter == name);
        found.unwrap_or_else(|| panic!("no {name}: {all:?}"))
    }

    #[test]
    fn a_pipe_is_drawn_out_by_the_end_that_is_free_to_move() {
        let pipe = "p = { kind = \"pipe\", at = [\"1 mm\", \"2 mm\"], rotation = \"90 deg\", mirror = true, parameters = { length = \"1 mm\" } }";
        let all = found(pipe, "p");
        let length = named(&all, "length");
        assert!(
            (length.at - Point::new(1e-3, 3e-3)).norm() < 1e-9,
            "{length:?}"
        );
        assert!(
            (length.rate - Point::new(0.0, 1.0)).norm() < 1e-6,
            "{length:?}"
        );
        assert_eq!(length.value, 1e-3);
        assert!((length.value_at(Point::new(7e-3, 4e-3)) - 2e-3).abs() < 1e-9);
        let width = named(&all, "width");
        assert!((width.rate.norm() - 0.5).abs() < 1e-6, "a wall: {width:?}");
        assert!((width.at.x - 1e-3).abs() > 4.9e-5, "{width:?}");
        // Hanging by its far end it grows the other way.
        let hung = format!(
            "{pipe}\nq = {{ kind = \"pipe\", attach = \"b\", to = \"p.b\", parameters = {{ length = \"500 um\" }} }}"
        );
        let all = found(&hung, "q");
        let length = named(&all, "length");
        assert!(
            (length.at - Point::new(1e-3, 3.5e-3)).norm() < 1e-9,
            "{length:?}"
        );
        assert!(
            (length.rate - Point::new(0.0, 1.0)).norm() < 1e-6,
            "{length:?}"
        );
    }

    #[test]
    fn expressions_have_no_handles_and_counts_neither() {
        let pipe = "p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], parameters = { length = \"=2 * l\" } }";
        let all = found(pipe, "p");
        assert!(all.iter().all(|h| h.parameter != "length"), "{all:?}");
        // Its width moves the far socket too, and is dragged by a wall.
        let serpentine = "s = { kind = \"serpentine_round\", at = [\"0 mm\", \"0 mm\"] }";
        let all = found(serpentine, "s");
        assert!(all.iter().all(|h| h.parameter != "legs"), "{all:?}");
        named(&all, "height");
        let (width, pitch) = (named(&all, "width"), named(&all, "pitch"));
        assert!((width.at - pitch.at).norm() > 4e-5, "{width:?} {pitch:?}");
        assert_eq!(found(serpentine, "nothing"), []);
    }

    /// What each handle of each component of the library promises: the value that it gives for a place near by brings the handle there.
    #[test]
    fn every_handle_of_the_library_goes_where_it_is_dragged() {
        let library = Library::embedded();
        let (mut n, mut kinds) = (0, 0);
        for definition in library.definitions() {
            let kind = &definition.name;
            let body = format!(
                "c = {{ kind = \"{kind}\", at = [\"0 mm\", \"0 mm\"], rotation = \"30 deg\" }}\n"
            );
            let text = format!(
                "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"100 um\", depth = \"50 um\", model = \"shallow\" }}\n[components]\n{body}"
            );
            let open = |text: &str| {
                let (design, mistakes) = parse(text, "x");
                let design = design.unwrap_or_else(|| panic!("{kind}: {mistakes:?}"));
                let layout = lay_out(&design, &library);
                let drawing = Drawing::new(&design, &layout, &library);
                handles(&drawing, "c")
            };
            let all = open(&text);
            kinds += usize::from(!all.is_empty());
            for handle in &all {
                // A hundredth of its value, the way that it can go.
                let value = handle.within(1.01 * handle.value);
                let to = handle.at + handle.rate * (value - handle.value);
                assert!((handle.value_at(to) - value).abs() <= 1e-9 * value.abs());
                let edit = Edit::SetParameter {
                    component: "c".to_owned(),
                    parameter: handle.parameter.clone(),
                    value: Some(Value::Quantity(value, handle.dimension)),
                };
                let then = open(&rewrite(&text, &[edit]).unwrap());
                let Some(then) = then.iter().find(|h| h.parameter == handle.parameter) else {
                    continue;
                };
                // What is at the end of its range proves nothing.
                n += usize::from(to != handle.at);
                let off = (then.at - to).norm() / (to - handle.at).norm().max(1e-12);
                let is_there = off < 0.05 || to == handle.at;
                assert!(is_there, "{kind} {}: {off}", handle.parameter);
            }
        }
        println!("{n} handles of {kinds} components");
        assert!(n > 40 && kinds > 15, "{n} handles of {kinds} components");
    }
}
