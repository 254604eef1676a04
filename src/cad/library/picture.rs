//! A component as a picture: its channels, its sockets with names, and a scale bar.

use rustc_hash::FxHashSet;
use svg::Document;
use svg::node::Text as Content;
use svg::node::element::path::Data;
use svg::node::element::{Group, Line, Path, Rectangle, Text};

use super::Realisation;
use super::boundary::{Arc, Edge, boundary, edges, hole_edges};
use super::builder::socket_of;
use crate::shape::{Part, Socket, SocketRef};
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::units::{Dimension, print_quantity};

/// The component fits into this box, px.
const BOX: Point = Point::new(560.0, 380.0);
/// Room beside it for arrows and names, px.
const SIDE: f64 = 135.0;
/// Room above it for the title, the arrows and names, px.
const ABOVE: f64 = 160.0;
/// Room below it for the arrows, names and the scale bar, px.
const BELOW: f64 = 130.0;
/// Length of an arrow, px.
const ARROW: f64 = 24.0;

/// Most of a neighbouring channel that is hinted at beyond a socket, px.
const HINT: f64 = 40.0;

const FLUID: &str = "#cfe5f4";
const WALL: &str = "#1f4e79";
const SOCKET: &str = "#d35400";
const INK: &str = "#2b2b2b";
const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Chip coordinates (m, y up) to the picture's (px, y down).
#[derive(Clone, Copy)]
struct View {
    scale: f64,
    origin: Point,
}

impl View {
    fn at(&self, p: Point) -> (f64, f64) {
        (
            hundredths(self.origin.x + p.x * self.scale),
            hundredths(self.origin.y - p.y * self.scale),
        )
    }
}

/// Hundredths of a pixel are enough, and keep files small.
fn hundredths(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// Draws a component, as the text of an SVG file.
pub fn picture(title: &str, doc: &str, realisation: &Realisation) -> String {
    let corners: Vec<Point> = realisation
        .parts
        .iter()
        .flat_map(|part| {
            boundary(&part.shape, 90)
                .into_iter()
                .map(|p| part.motion.apply(p))
        })
        .collect();
    let (low, high) = bounds(&corners);
    let size = high - low;
    // A part that is a hundred times larger than a pixel in neither direction still has a size; zero would divide.
    let scale = (BOX.x / size.x.max(f64::MIN_POSITIVE))
        .min(BOX.y / size.y.max(f64::MIN_POSITIVE))
        .min(BOX.y / 2.0 / narrowest(realisation));
    let width = (size.x * scale + 2.0 * SIDE).max(480.0).ceil();
    let height = (size.y * scale + ABOVE + BELOW).ceil();
    let left = (width - size.x * scale) / 2.0;
    let view = View {
        scale,
        origin: Point::new(left - low.x * scale, height - BELOW + low.y * scale),
    };

    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", FONT)
        .add(
            Rectangle::new()
                .set("width", width)
                .set("height", height)
                .set("fill", "white"),
        )
        .add(
            text(title, (width / 2.0, 30.0), "middle")
                .set("font-size", 20)
                .set("font-weight", "bold")
                .set("fill", INK),
        )
        .add(
            text(doc, (width / 2.0, 52.0), "middle")
                .set("font-size", 13)
                .set("fill", "#666666"),
        );
    document = document
        .add(fluid(realisation, view))
        .add(walls(realisation, view));
    for (name, at) in &realisation.sockets {
        document = document.add(socket(name, &socket_of(&realisation.parts, *at), view));
    }
    document
        .add(scale_bar(view.scale, width, height))
        .to_string()
}

/// Width of the narrowest of the component's own sockets, m: small components are not blown up beyond it.
fn narrowest(realisation: &Realisation) -> f64 {
    let widths = realisation
        .sockets
        .iter()
        .map(|(_, at)| socket_of(&realisation.parts, *at).width);
    widths.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE)
}

fn text(content: &str, (x, y): (f64, f64), anchor: &str) -> Text {
    Text::new("")
        .add(Content::new(content))
        .set("x", x)
        .set("y", y)
        .set("text-anchor", anchor)
}

/// All parts filled; a hair of the same colour hides the seams between them.
fn fluid(realisation: &Realisation, view: View) -> Path {
    let mut data = Data::new();
    for part in &realisation.parts {
        for (k, edge) in edges(part).into_iter().enumerate() {
            if k == 0 {
                data = data.move_to(view.at(edge.from));
            }
            data = draw(&edge, data, view);
        }
        data = data.close();
        data = holes(part, data, view);
    }
    let path = Path::new().set("d", data);
    let has_posts = realisation
        .parts
        .iter()
        .any(|p| !p.shape.holes().is_empty());
    let path = if has_posts {
        path.set("fill-rule", "evenodd")
    } else {
        path
    };
    path.set("fill", FLUID)
        .set("stroke", FLUID)
        .set("stroke-width", 0.6)
}

/// Every edge that is no open socket.
fn walls(realisation: &Realisation, view: View) -> Path {
    let connected = realisation.connections.iter().flat_map(|c| [c.a, c.b]);
    let open: FxHashSet<SocketRef> = connected
        .chain(realisation.sockets.iter().map(|(_, at)| *at))
        .collect();
    let mut data = Data::new();
    for (part, shape) in realisation.parts.iter().enumerate() {
        let mut pen: Option<Point> = None;
        for edge in edges(shape) {
            if edge
                .socket
                .is_some_and(|socket| open.contains(&SocketRef { part, socket }))
            {
                pen = None;
                continue;
            }
            if pen != Some(edge.from) {
                data = data.move_to(view.at(edge.from));
            }
            data = draw(&edge, data, view);
            pen = Some(edge.to);
        }
        data = holes(shape, data, view);
    }
    Path::new()
        .set("d", data)
        .set("fill", "none")
        .set("stroke", WALL)
        .set("stroke-width", 1.6)
        .set("stroke-linecap", "round")
        .set("stroke-linejoin", "round")
}

/// The walls of a part's posts, each closed.
fn holes(part: &Part, mut data: Data, view: View) -> Data {
    for around in hole_edges(part) {
        for (k, edge) in around.iter().enumerate() {
            if k == 0 {
                data = data.move_to(view.at(edge.from));
            }
            data = draw(edge, data, view);
        }
        data = data.close();
    }
    data
}

/// Continues a path along an edge.
fn draw(edge: &Edge, data: Data, view: View) -> Data {
    let (x, y) = view.at(edge.to);
    match edge.arc {
        None => data.line_to((x, y)),
        Some(Arc {
            radius,
            left,
            large,
        }) => {
            let r = hundredths(radius * view.scale);
            // The picture's y axis points down: what turns left has sweep 0.
            data.elliptical_arc_to((r, r, 0, u8::from(large), u8::from(!left), x, y))
        }
    }
}

/// A hint of the channel that may follow, a dashed line across the socket, an arrow out of it, its name.
fn socket(name: &str, socket: &Socket, view: View) -> Group {
    let out = Point::unit(socket.direction);
    let across = out.left() * (socket.width / 2.0);
    let ((x1, y1), (x2, y2)) = (
        view.at(socket.middle - across),
        view.at(socket.middle + across),
    );
    let dashes = Line::new()
        .set("x1", x1)
        .set("y1", y1)
        .set("x2", x2)
        .set("y2", y2)
        .set("stroke", SOCKET)
        .set("stroke-width", 1.4)
        .set("stroke-dasharray", "4 3");
    let (x, y) = view.at(socket.middle);
    // In the picture's axes, y down.
    let (dx, dy) = (out.x, -out.y);
    let point = |along: f64, side: f64| {
        (
            hundredths(x + dx * along - dy * side),
            hundredths(y + dy * along + dx * side),
        )
    };
    let (half, hint) = (
        socket.width / 2.0 * view.scale,
        (socket.width * 0.6 * view.scale).min(HINT),
    );
    let (corners, wall) = (
        [(0.0, -half), (hint, -half), (hint, half), (0.0, half)],
        |side: f64| {
            Data::new()
                .move_to(point(0.0, side * half))
                .line_to(point(hint, side * half))
        },
    );
    let area = corners.iter().fold(
        Data::new().move_to(point(0.0, half)),
        |data, &(along, side)| data.line_to(point(along, side)),
    );
    let follows = Group::new()
        .set("opacity", 0.4)
        .add(Path::new().set("d", area.close()).set("fill", FLUID))
        .add(
            Path::new()
                .set("d", wall(-1.0))
                .set("stroke", WALL)
                .set("stroke-dasharray", "3 3"),
        )
        .add(
            Path::new()
                .set("d", wall(1.0))
                .set("stroke", WALL)
                .set("stroke-dasharray", "3 3"),
        );
    let point = |along: f64, side: f64| point(along + hint, side);
    let shaft = Data::new()
        .move_to(point(4.0, 0.0))
        .line_to(point(ARROW - 7.0, 0.0));
    let tip = Data::new()
        .move_to(point(ARROW, 0.0))
        .line_to(point(ARROW - 9.0, 4.5))
        .line_to(point(ARROW - 9.0, -4.5))
        .close();
    let (tx, ty) = point(ARROW + 7.0, 0.0);
    let anchor = if dx > 0.35 {
        "start"
    } else if dx < -0.35 {
        "end"
    } else {
        "middle"
    };
    // Texts hang from their baseline: half a letter down beside an arrow, a whole one below it.
    let label = text(name, (tx, ty + 4.5 + 6.0 * dy), anchor)
        .set("font-size", 13)
        .set("font-weight", "bold")
        .set("fill", SOCKET);
    Group::new()
        .add(follows)
        .add(dashes)
        .add(
            Path::new()
                .set("d", shaft)
                .set("stroke", SOCKET)
                .set("stroke-width", 2),
        )
        .add(Path::new().set("d", tip).set("fill", SOCKET))
        .add(label)
}

/// A bar of a round length, about a fifth of the picture.
fn scale_bar(scale: f64, width: f64, height: f64) -> Group {
    let wanted = width / 5.0 / scale;
    let decade = 10f64.powf(wanted.log10().floor());
    let length = [5.0, 2.0, 1.0]
        .into_iter()
        .map(|k| k * decade)
        .find(|&l| l <= wanted)
        .unwrap_or(decade);
    let (x, y, px) = (24.0, height - 22.0, length * scale);
    let bar = Data::new()
        .move_to((x, y - 5.0))
        .line_by((0, 5))
        .line_by((px, 0))
        .line_by((0, -5));
    Group::new()
        .add(
            Path::new()
                .set("d", bar)
                .set("fill", "none")
                .set("stroke", INK)
                .set("stroke-width", 1.5),
        )
        .add(
            text(
                &print_quantity(length, Dimension::Length),
                (x + px / 2.0, y - 8.0),
                "middle",
            )
            .set("font-size", 12)
            .set("fill", INK),
        )
}
