//! The text of a drawing becomes channels, other shapes and ports of its flow layer, in metres with y upwards.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::graph::error;
use super::super::json;
use super::outline;
use stokeslet_base::diagnostic::{Diagnostic, Reporter, Severity};
use stokeslet_base::geometry::Point;

/// Larger drawings are refused.
const MAX_FEATURES: usize = 5000;
/// Corners of all shapes; drawings with more are refused.
const MAX_CORNERS: usize = 50_000;
/// Farthest coordinate, um.
const FARTHEST: f64 = 1e7;
/// Widths and radii, um.
const SIZES: (f64, f64) = (0.01, 1e6);
/// Ends nearer to each other than this, um, make no channel.
const NEAR: f64 = 1e-3;

/// A straight channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duct {
    pub from: Point,
    pub to: Point,
    pub width: f64,
    /// Ends are half circles beyond its points.
    pub is_round: bool,
}

impl Duct {
    /// Along it, a unit vector.
    pub fn axis(&self) -> Point {
        (self.to - self.from).normalized()
    }

    /// Between its points, m.
    pub fn length(&self) -> f64 {
        (self.to - self.from).norm()
    }
}

/// A punched hole.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    pub name: String,
    pub centre: Point,
    pub radius: f64,
}

/// The flow layer of a drawing.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub name: String,
    pub ducts: Vec<Duct>,
    /// Outlines of everything else, any direction.
    pub blocks: Vec<Vec<Point>>,
    pub holes: Vec<Hole>,
    /// Heights of its channels, m.
    pub depths: Vec<f64>,
}

/// A feature's parameters, read with the place of what is wrong.
pub(super) struct Given<'a, 'o> {
    pub place: String,
    pub params: &'a Map<String, Value>,
    pub out: &'o mut Reporter,
    pub is_broken: bool,
}

impl Given<'_, '_> {
    /// Reports what a parameter should be.
    pub fn refuse(&mut self, key: &str, wanted: &str) {
        let message = match self.params.get(key) {
            Some(value) => {
                let text: String = value.to_string().chars().take(60).collect();
                format!("`{key}` is {text}")
            }
            None => format!("`{key}` is missing"),
        };
        let at = Some(format!("{}.params.{key}", self.place));
        self.out.report(error("D329", at, message, wanted));
        self.is_broken = true;
    }

    /// A width or radius, um.
    pub fn size(&mut self, key: &str, default: Option<f64>) -> f64 {
        let given = self.params.get(key).filter(|value| !value.is_null());
        match (given.map(json::number), default) {
            (None, Some(default)) => default,
            (Some(Some(size)), _) if (SIZES.0..=SIZES.1).contains(&size) => size,
            _ => {
                self.refuse(key, "a length from 0.01 um to 1 m, in um");
                1.0
            }
        }
    }

    /// A whole number.
    pub fn count(&mut self, key: &str, default: u32, greatest: u32) -> u32 {
        let given = self.params.get(key).filter(|value| !value.is_null());
        match given.map(json::number) {
            None => default,
            Some(Some(n)) if n >= 1.0 && n <= f64::from(greatest) && n.fract() == 0.0 => n as u32,
            _ => {
                self.refuse(key, &format!("a whole number from 1 to {greatest}"));
                1
            }
        }
    }

    /// A point, um, y downwards.
    pub fn point(&mut self, key: &str) -> Point {
        match self.params.get(key).and_then(point) {
            Some(point) => point,
            None => {
                self.refuse(key, "a point, two numbers of at most 10 m in um");
                Point::default()
            }
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.params.get(key).and_then(Value::as_str)
    }

    /// Degrees clockwise on the drawing; 0 where none are given.
    pub fn rotation(&mut self) -> f64 {
        let given = self.params.get("rotation").filter(|value| !value.is_null());
        match given.map(json::number) {
            None => 0.0,
            Some(Some(degrees)) if degrees.abs() <= 3600.0 => degrees,
            _ => {
                self.refuse("rotation", "an angle in degrees");
                0.0
            }
        }
    }
}

fn point(value: &Value) -> Option<Point> {
    let (x, y) = match value {
        Value::Array(list) => match &list[..] {
            [x, y] | [x, y, _] => (json::number(x)?, json::number(y)?),
            _ => return None,
        },
        Value::Object(_) => (json::number_at(value, "x")?, json::number_at(value, "y")?),
        _ => return None,
    };
    (x.abs() <= FARTHEST && y.abs() <= FARTHEST).then(|| Point::new(x, y))
}

/// Whether a JSON object is a drawing: it has features with shapes.
pub(in super::super) fn is_drawing(root: &Map<String, Value>) -> bool {
    let is_feature = |feature: &Value| kind(feature).is_some();
    let of = |node: &Value| {
        features(node)
            .iter()
            .any(|(_, feature)| is_feature(feature))
    };
    layers(root).iter().any(|(_, layer)| of(layer))
}

fn kind(feature: &Value) -> Option<String> {
    let of = |key| json::text_of(feature, key);
    of("macro").or_else(|| of("type"))
}

/// The layers that have features, with their places.
fn layers(root: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut out = Vec::new();
    for key in ["features", "layers"] {
        let list = root.get(key).and_then(Value::as_array);
        for (k, layer) in list.into_iter().flatten().enumerate() {
            if layer.get("features").is_some() {
                out.push((format!("{key}[{k}]"), layer));
            }
        }
    }
    out
}

fn features(layer: &Value) -> Vec<(String, &Value)> {
    match layer.get("features") {
        Some(Value::Object(map)) => map.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(k, v)| (k.to_string(), v))
            .collect(),
        _ => Vec::new(),
    }
}

/// Reads a drawing; none where nothing can be made of it.
pub(super) fn read(text: &str, out: &mut Reporter) -> Option<Drawing> {
    let root = json::object(text, out)?;
    let layers = layers(&root);
    let name_of = |layer: &Value| {
        json::text_of(layer, "name")
            .unwrap_or_default()
            .to_lowercase()
    };
    // Old drawings have other words for types, such as "XY": their names tell.
    let is_flow = |layer: &Value| {
        let kind = json::text_of(layer, "type").unwrap_or_default();
        match kind.to_lowercase().as_str() {
            "flow" => true,
            "control" | "integration" => false,
            _ => name_of(layer).contains("flow"),
        }
    };
    let named: Vec<&(String, &Value)> = layers.iter().filter(|(_, l)| is_flow(l)).collect();
    // Layers without names: the first is the flow layer.
    let flow = if named.is_empty() {
        let nameless = |(_, l): &&(String, &Value)| name_of(l).is_empty();
        layers.iter().filter(nameless).take(1).collect()
    } else {
        named
    };
    if flow.is_empty() {
        let message = "the drawing has no flow layer".to_owned();
        let help = "a layer of type FLOW, or with \"flow\" in its name";
        out.report(error("D320", Some("features".to_owned()), message, help));
        return None;
    }
    let all: Vec<(String, &Value)> = flow
        .iter()
        .flat_map(|(place, layer)| {
            let named = move |(key, feature)| (format!("{place}.features.{key}"), feature);
            features(layer).into_iter().map(named)
        })
        .collect();
    if all.len() > MAX_FEATURES {
        let message = format!("the flow layer has {} features", all.len());
        out.report(error("D313", None, message, "at most 5000"));
        return None;
    }
    let board = root.get("params").and_then(|params| {
        let at = |key| json::number_at(params, key);
        Some([at("width")?, at("length")?])
    });
    let mut drawing = Drawing {
        name: json::text(&root, "name").unwrap_or_default(),
        ..Drawing::default()
    };
    let mut unknown: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut n_corners = 0;
    for (place, feature) in &all {
        let empty = Map::new();
        let params = feature.get("params").and_then(Value::as_object);
        let Some(kind) = kind(feature) else {
            let message = "the feature says neither `macro` nor `type`".to_owned();
            out.report(error("D320", Some(place.clone()), message, ""));
            continue;
        };
        let mut given = Given {
            place: place.clone(),
            params: params.unwrap_or(&empty),
            out,
            is_broken: false,
        };
        let before = (
            drawing.ducts.len(),
            drawing.blocks.len(),
            drawing.holes.len(),
        );
        if !add(&kind, feature, &mut given, board, &mut drawing) {
            unknown.entry(kind).or_insert((0, place.clone())).0 += 1;
        }
        let is_broken = given.is_broken;
        let added = drawing.blocks[before.1..].iter().map(Vec::len);
        n_corners += added.sum::<usize>() + drawing.ducts.len() - before.0;
        if n_corners > MAX_CORNERS {
            let message = format!("the flow layer has more than {MAX_CORNERS} corners");
            out.report(error("D313", Some(place.clone()), message, ""));
            return None;
        }
        // What is broken was told; half of it isn't drawn.
        if is_broken {
            drawing.ducts.truncate(before.0);
            drawing.blocks.truncate(before.1);
            drawing.holes.truncate(before.2);
        }
    }
    for (kind, (n, place)) in unknown {
        let message = format!("{n} shapes `{kind}` of the flow layer are not known and left out");
        let help = "what they joined may fall apart; draw them as channels";
        let fault = error("D321", Some(place), message, help);
        out.report(Diagnostic {
            severity: Severity::Warning,
            ..fault
        });
    }
    distinct(&mut drawing.ducts);
    if out.has_errors() {
        return None;
    }
    if drawing.ducts.is_empty() && drawing.blocks.is_empty() {
        let message = "the flow layer has no channel".to_owned();
        out.report(error("D320", Some("features".to_owned()), message, ""));
        return None;
    }
    Some(drawing)
}

/// Adds what a feature draws; false where its kind isn't known.
fn add(
    kind: &str,
    feature: &Value,
    given: &mut Given<'_, '_>,
    board: Option<[f64; 2]>,
    drawing: &mut Drawing,
) -> bool {
    let is_round = match kind {
        "Channel" => Some(false),
        "RoundedChannel" | "Connection" => Some(true),
        _ => None,
    };
    if let Some(is_round) = is_round {
        let runs = runs(given);
        let key = if given.params.contains_key("channelWidth") {
            "channelWidth"
        } else {
            "width"
        };
        let width = given.size(key, None);
        for [from, to] in runs {
            let is_frame = board.is_some_and(|board| on_one_edge(from, to, board));
            if (to - from).norm() > NEAR && !is_frame {
                drawing.ducts.push(Duct {
                    from: up(from),
                    to: up(to),
                    width: width / 1e6,
                    is_round,
                });
            }
        }
        let height = given.params.get("height").and_then(json::number);
        let height = height.filter(|h| (SIZES.0..=SIZES.1).contains(h));
        drawing.depths.extend(height.map(|height| height / 1e6));
        return true;
    }
    match kind {
        "Port" => {
            let (centre, radius) = (
                given.point("position"),
                given.size("portRadius", Some(700.0)),
            );
            let name = json::text_of(feature, "name").unwrap_or_default();
            drawing.holes.push(Hole {
                name,
                centre: up(centre),
                radius: radius / 1e6,
            });
            true
        }
        // The edge of the board, marks and words, posts of valves: nothing that fluid passes.
        "EDGE" | "Text" | "TEXT" | "AlignmentMarks" | "ALIGNMENT MARKS" => true,
        _ => {
            let Some(shapes) = outline::shapes(kind, given) else {
                return false;
            };
            drawing.ducts.extend(shapes.ducts);
            drawing.blocks.extend(shapes.blocks);
            true
        }
    }
}

/// The straight runs of a channel, um, y downwards.
fn runs(given: &mut Given<'_, '_>) -> Vec<[Point; 2]> {
    let listed = ["segments", "wayPoints"].iter().find_map(|key| {
        let list = given.params.get(*key)?.as_array()?;
        (!list.is_empty()).then_some((*key, list.clone()))
    });
    let Some((key, list)) = listed else {
        return vec![[given.point("start"), given.point("end")]];
    };
    let mut out = Vec::new();
    if key == "segments" {
        for segment in &list {
            let ends = segment.as_array().map(|ends| &ends[..]);
            match ends {
                Some([a, b]) => match (point(a), point(b)) {
                    (Some(a), Some(b)) => out.push([a, b]),
                    _ => given.refuse(key, "pairs of points"),
                },
                _ => given.refuse(key, "pairs of points"),
            }
        }
        return out;
    }
    let points: Vec<Option<Point>> = list.iter().map(point).collect();
    for pair in points.windows(2) {
        match pair {
            [Some(a), Some(b)] => out.push([*a, *b]),
            _ => given.refuse(key, "a list of points"),
        }
    }
    out
}

/// Whether a run lies on an edge of the board: the frame that 3DuF draws as channels.
fn on_one_edge(from: Point, to: Point, [width, length]: [f64; 2]) -> bool {
    let on = |a: f64, b: f64, end: f64| a == b && (a == 0.0 || a == end);
    on(from.x, to.x, width) || on(from.y, to.y, length)
}

/// Metres, y upwards, of micrometres downwards.
pub(super) fn up(p: Point) -> Point {
    Point::new(p.x / 1e6, -p.y / 1e6)
}

/// Drops channels that are drawn twice.
fn distinct(ducts: &mut Vec<Duct>) {
    let nm = |x: f64| (x * 1e9).round() as i64;
    let mut seen = BTreeSet::new();
    ducts.retain(|duct| {
        let mut ends = [duct.from, duct.to].map(|p| (nm(p.x), nm(p.y)));
        ends.sort_unstable();
        seen.insert((ends, nm(duct.width), duct.is_round))
    });
}
