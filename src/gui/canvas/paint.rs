//! The chip as triangles: areas, walls, highlights, all of it in a few meshes a frame.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use eframe::egui::epaint::{CubicBezierShape, Vertex};
use eframe::egui::{
    Align2, Color32, FontId, Mesh, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2,
};

use super::View;
use super::outline::{Outline, Outlines};
use super::scene::{Placed, Scene};
use super::stroke::{Pen, stroke};
use super::theme::Colours;
use crate::background;
use crate::context::FEW_PARTS;
use stokeslet_base::geometry::Point;
use stokeslet_cad::shape::{Socket, SocketRef};

/// Width of walls, points, where channels are wide enough.
const WALL: f32 = 1.6;
/// Names are written on items at least this large, points.
const NAMED: f32 = 44.0;
/// At most so many names.
const MOST_NAMES: usize = 400;
/// Between the pointer and what is written beside it, points.
const AWAY: f32 = 16.0;
/// Sockets are drawn where they are at least this wide, points.
const SOCKET: f32 = 3.0;

/// Tints of parts by the number of their shape.
const TINTS: [u32; 8] = [
    0x4c_9f_d8, 0xe0_9f_3e, 0x5f_b4_6b, 0xc9_6a_a8, 0x8d_7b_d6, 0x3f_b3_ac, 0xd9_77_57, 0x9a_a8_3c,
];

/// What the chip's meshes depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Where it is on the screen.
    pub view: View,
    /// What it is drawn with.
    pub colours: Colours,
    /// Whether parts are told apart.
    pub parts: bool,
    /// Size of a pixel, points.
    pub pixel: f32,
}

/// The meshes of a chip as it was last seen: nothing is computed again while only the pointer moves.
#[derive(Clone, Debug, Default)]
pub struct Painted {
    look: Option<Look>,
    scene: Weak<Scene>,
    areas: Vec<Arc<Mesh>>,
    walls: Vec<Arc<Mesh>>,
}

impl Painted {
    /// Areas and walls of a chip.
    pub fn new(look: Look, scene: &Arc<Scene>, outlines: &Outlines) -> Self {
        let pieces = chip(&look, scene, outlines);
        let pieces = pieces
            .into_iter()
            .map(|(areas, walls)| (Arc::new(areas), Arc::new(walls)));
        let (areas, walls) = pieces.unzip();
        Self {
            look: Some(look),
            scene: Arc::downgrade(scene),
            areas,
            walls,
        }
    }

    /// Where and how the chip was seen.
    pub fn look(&self) -> Option<&Look> {
        self.look.as_ref()
    }

    /// Whether it is this chip, seen like this.
    pub fn is_of(&self, look: &Look, scene: &Arc<Scene>) -> bool {
        self.look.as_ref() == Some(look) && std::ptr::eq(self.scene.as_ptr(), &raw const **scene)
    }

    /// Areas and walls.
    pub fn meshes(&self) -> [Vec<Arc<Mesh>>; 2] {
        [self.areas.clone(), self.walls.clone()]
    }
}

/// From a part's own frame to the screen, in one go.
struct ToScreen {
    x: [f64; 3],
    y: [f64; 3],
}

impl ToScreen {
    fn new(view: &View, placed: &Placed) -> Self {
        let k = 1.0 / view.scale;
        let centre = view.rect.center();
        let from_middle = placed.origin - view.middle;
        Self {
            x: [
                placed.x_axis.x * k,
                placed.y_axis.x * k,
                f64::from(centre.x) + from_middle.x * k,
            ],
            y: [
                -placed.x_axis.y * k,
                -placed.y_axis.y * k,
                f64::from(centre.y) - from_middle.y * k,
            ],
        }
    }

    fn at(&self, p: Point) -> Pos2 {
        pos2(
            (self.x[0] * p.x + self.x[1] * p.y + self.x[2]) as f32,
            (self.y[0] * p.x + self.y[1] * p.y + self.y[2]) as f32,
        )
    }
}

/// Areas and walls in pieces, one after the other.
fn chip(look: &Look, scene: &Scene, outlines: &Outlines) -> Vec<(Mesh, Mesh)> {
    let scale = look.view.scale;
    let shown = scene.seen(&look.view).map(|k| {
        let shape = &scene.layout.parts[k].shape;
        (k, outlines.get(scene.parts[k].shape, shape, scale))
    });
    let shown: Vec<(usize, Arc<Outline>)> = shown.collect();
    if shown.len() <= FEW_PARTS {
        return vec![piece(look, scene, &shown, room(&shown))];
    }
    let (first, rest) = shown.split_at(shown.len() / 2);
    // Taken here, in a frame where the last meshes were given back: a new thread's own memory would be touched for the first time.
    let (own, others) = (room(first), Mutex::new(room(rest)));
    let others = || std::mem::take(&mut *others.lock().unwrap_or_else(PoisonError::into_inner));
    let of = |parts, room| piece(look, scene, parts, room);
    let (first, rest) = background::both(|| of(first, own), || of(rest, others()));
    vec![first, rest]
}

/// Room for the areas and thin walls of some parts; what wouldn't be used of it would have the next begin in memory that was never touched.
fn room(parts: &[(usize, Arc<Outline>)]) -> (Mesh, Mesh) {
    let (mut areas, mut walls) = (Mesh::default(), Mesh::default());
    let sum = |count: fn(&Outline) -> usize| parts.iter().map(|(_, o)| count(o)).sum::<usize>();
    let seams = sum(|o| o.edges.iter().filter(|e| e.socket.is_some()).count());
    let round = sum(|o| o.round);
    areas.reserve_vertices(sum(|o| o.points.len()) + 4 * seams);
    areas.reserve_triangles(sum(|o| o.triangles.len() / 3) + 2 * seams);
    walls.reserve_vertices(3 * round);
    walls.reserve_triangles(4 * round);
    (areas, walls)
}

/// Areas and walls of some parts, written where there is room.
fn piece(
    look: &Look,
    scene: &Scene,
    parts: &[(usize, Arc<Outline>)],
    (mut areas, mut walls): (Mesh, Mesh),
) -> (Mesh, Mesh) {
    let colours = &look.colours;
    let mut screen = Vec::new();
    for (k, outline) in parts {
        let k = *k;
        let placed = &scene.parts[k];
        to_screen(outline, &look.view, placed, &mut screen);
        let colour = if look.parts {
            let [_, r, g, b] = TINTS[placed.shape % TINTS.len()].to_be_bytes();
            let tint = Color32::from_rgb(r, g, b);
            colours.fluid.lerp_to_gamma(tint, 0.45)
        } else {
            colours.fluid
        };
        fill(&mut areas, outline, &screen, colour);
        let is_open = |socket| scene.open.contains(&SocketRef { part: k, socket });
        for edge in outline
            .edges
            .iter()
            .filter(|e| e.socket.is_some_and(is_open))
        {
            let n = outline.round;
            seam(
                &mut areas,
                screen[edge.from],
                screen[(edge.from + 1) % n],
                look.pixel,
                colour,
            );
        }
        let across = (placed.width / look.view.scale) as f32;
        let pen = Pen {
            width: (0.3 * across).clamp(0.5, WALL),
            colour: colours.wall,
            pixel: look.pixel,
        };
        chains(outline, is_open, |chain, closed| {
            let points: Vec<Pos2> = chain.map(|k| screen[k]).collect();
            stroke(&mut walls, &points, closed, pen);
        });
        for post in &outline.posts {
            stroke(&mut walls, &screen[post.clone()], true, pen);
        }
        if look.parts {
            let pen = Pen {
                width: 1.0,
                colour: colours.wall.gamma_multiply(0.6),
                ..pen
            };
            for edge in outline
                .edges
                .iter()
                .filter(|e| e.socket.is_some_and(is_open))
            {
                let ends = [screen[edge.from], screen[(edge.from + 1) % outline.round]];
                stroke(&mut walls, &ends, false, pen);
            }
        }
    }
    (areas, walls)
}

fn to_screen(outline: &Outline, view: &View, placed: &Placed, screen: &mut Vec<Pos2>) {
    let to = ToScreen::new(view, placed);
    screen.clear();
    screen.extend(outline.points.iter().map(|&p| to.at(p)));
}

fn fill(mesh: &mut Mesh, outline: &Outline, screen: &[Pos2], colour: Color32) {
    let first = mesh.vertices.len() as u32;
    let vertices = screen.iter().map(|&p| Vertex::untextured(p, colour));
    mesh.vertices.extend(vertices);
    let indices = outline.triangles.iter().map(|&k| first + k);
    mesh.indices.extend(indices);
}

/// A strip of half a pixel beyond an open socket: neighbours' sockets agree but for rounding, and the background must not show between.
fn seam(mesh: &mut Mesh, a: Pos2, b: Pos2, pixel: f32, colour: Color32) {
    let d = b - a;
    let out = -d.rot90().normalized() * (0.5 * pixel);
    let first = mesh.vertices.len() as u32;
    for p in [a - out, b - out, b + out, a + out] {
        mesh.vertices.push(Vertex::untextured(p, colour));
    }
    let quad = [0, 1, 2, 0, 2, 3].map(|k| first + k);
    mesh.indices.extend(quad);
}

/// Runs of neighbouring edges that `is_open` leaves, as indices of points; with none left out, one run round the shape.
fn chains(
    outline: &Outline,
    is_open: impl Fn(usize) -> bool,
    mut draw: impl FnMut(&mut dyn Iterator<Item = usize>, bool),
) {
    let n = outline.round;
    let edges = &outline.edges;
    let left_out = |k: usize| edges[k].socket.is_some_and(&is_open);
    let Some(first) = (0..edges.len()).find(|&k| left_out(k)) else {
        draw(&mut (0..n), true);
        return;
    };
    let mut run: Option<(usize, usize)> = None;
    for step in 1..=edges.len() {
        let k = (first + step) % edges.len();
        if left_out(k) {
            if let Some((from, chords)) = run.take() {
                draw(&mut (from..=from + chords).map(|i| i % n), false);
            }
        } else {
            let (from, chords) = run.unwrap_or((edges[k].from, 0));
            run = Some((from, chords + edges[k].chords));
        }
    }
}

/// The outer outline of some parts, and what is inside.
pub fn highlight(
    parts: impl Iterator<Item = usize>,
    scene: &Scene,
    outlines: &Outlines,
    view: &View,
    pen: Pen,
    inside: Color32,
) -> Mesh {
    let mut mesh = Mesh::default();
    let (low, high) = view.seen();
    let seen = super::scene::Bounds { low, high };
    let mut screen = Vec::new();
    for k in parts.filter(|&k| scene.parts[k].bounds.meets(&seen)) {
        let placed = &scene.parts[k];
        let outline = outlines.get(placed.shape, &scene.layout.parts[k].shape, view.scale);
        to_screen(&outline, view, placed, &mut screen);
        if inside.a() > 0 {
            fill(&mut mesh, &outline, &screen, inside);
        }
        // Between parts of one item there is no outline.
        let is_inner = |socket| {
            let socket = SocketRef { part: k, socket };
            scene.open.contains(&socket) && scene.outer(socket).is_none()
        };
        chains(&outline, is_inner, |chain, closed| {
            let points: Vec<Pos2> = chain.map(|k| screen[k]).collect();
            stroke(&mut mesh, &points, closed, pen);
        });
    }
    mesh
}

/// The background, over what is hidden.
pub fn cover(scene: &Scene, outlines: &Outlines, view: &View, colours: &Colours) -> Mesh {
    let mut mesh = Mesh::default();
    let mut screen = Vec::new();
    let (low, high) = view.seen();
    let seen = super::scene::Bounds { low, high };
    let items = scene
        .hidden
        .items
        .iter()
        .filter_map(|name| scene.item(name));
    let parts = items.flat_map(|item| scene.parts_of(item));
    for &part in parts.filter(|&&part| scene.parts[part].bounds.meets(&seen)) {
        let placed = &scene.parts[part];
        let shape = &scene.layout.parts[part].shape;
        let outline = outlines.get(placed.shape, shape, view.scale);
        to_screen(&outline, view, placed, &mut screen);
        fill(&mut mesh, &outline, &screen, colours.background);
    }
    mesh
}

/// Parts that aren't on the chip yet, moved by `placed` of each.
pub fn ghost(
    parts: &[(Placed, &stokeslet_cad::shape::Shape)],
    outlines: &Outlines,
    view: &View,
    pen: Pen,
    inside: Color32,
) -> Mesh {
    let mut mesh = Mesh::default();
    let mut screen = Vec::new();
    for (placed, shape) in parts {
        let outline = outlines.get(placed.shape, shape, view.scale);
        to_screen(&outline, view, placed, &mut screen);
        fill(&mut mesh, &outline, &screen, inside);
        chains(
            &outline,
            |_| false,
            |chain, closed| {
                let points: Vec<Pos2> = chain.map(|k| screen[k]).collect();
                stroke(&mut mesh, &points, closed, pen);
            },
        );
    }
    mesh
}

/// Both ends of a socket on the screen.
pub fn socket_ends(view: &View, socket: &Socket) -> [Pos2; 2] {
    let half = Point::unit(socket.direction).left() * (socket.width / 2.0);
    [socket.middle - half, socket.middle + half].map(|p| view.to_screen(p))
}

/// Joints of links: a dashed thread from each socket to the one it is joined with, wherever that lies.
pub fn threads(painter: &Painter, view: &View, scene: &Scene, colours: &Colours) {
    let stroke = Stroke::new(1.2, colours.port.gamma_multiply(0.8));
    for joint in &scene.apart {
        let [(a, from), (b, to)] = joint.ends;
        let reach = 0.35 * (a - b).norm();
        let curve = CubicBezierShape::from_points_stroke(
            [
                a,
                a + Point::unit(from) * reach,
                b + Point::unit(to) * reach,
                b,
            ]
            .map(|p| view.to_screen(p)),
            false,
            Color32::TRANSPARENT,
            stroke,
        );
        if !curve.visual_bounding_rect().intersects(view.rect) {
            continue;
        }
        let points = curve.flatten(Some(0.5));
        painter.extend(Shape::dashed_line(&points, stroke, 5.0, 4.0));
    }
}

/// Free sockets: a bar across each, with a dot where a channel can be caught.
pub fn sockets(painter: &Painter, view: &View, scene: &Scene, colours: &Colours) {
    for &k in &scene.free {
        let socket = &scene.layout.sockets[k].geometry;
        let across = (socket.width / view.scale) as f32;
        let middle = view.to_screen(socket.middle);
        if across < SOCKET || !view.rect.expand(across).contains(middle) {
            continue;
        }
        let ends = socket_ends(view, socket);
        painter.line_segment(ends, Stroke::new(2.0, colours.socket));
        if across > 10.0 {
            painter.circle_filled(middle, 3.0, colours.socket);
        }
    }
}

/// Lights up one socket: what would be connected, what can be clicked.
pub fn lit_socket(painter: &Painter, view: &View, socket: &Socket, colour: Color32) {
    let middle = view.to_screen(socket.middle);
    painter.line_segment(socket_ends(view, socket), Stroke::new(3.0, colour));
    painter.circle_filled(middle, 9.0, colour.gamma_multiply(0.25));
    painter.circle_stroke(middle, 6.0, Stroke::new(2.0, colour));
}

/// Names of items that are large enough to carry one.
pub fn names(painter: &Painter, view: &View, scene: &Scene, colours: &Colours) {
    let (low, high) = view.seen();
    let seen = super::scene::Bounds { low, high };
    let font = FontId::proportional(12.0);
    let mut left = MOST_NAMES;
    for (item, bounds) in scene.boxes.iter().enumerate() {
        let Some(bounds) = bounds.filter(|b| b.meets(&seen) && !scene.hides(item)) else {
            continue;
        };
        let size = bounds.size();
        if (size.x.max(size.y) / view.scale) as f32 <= NAMED || left == 0 {
            continue;
        }
        let Some(anchor) = scene.anchor(item) else {
            continue;
        };
        left -= 1;
        let galley = painter.layout_no_wrap(scene.name(item).to_owned(), font.clone(), colours.ink);
        let place = Align2::CENTER_CENTER.anchor_size(view.to_screen(anchor), galley.size());
        painter.rect_filled(place.expand2(vec2(4.0, 1.0)), 4.0, colours.paper);
        painter.galley(place.min, galley, colours.ink);
    }
}

/// A red badge at the upper right corner of an item.
pub fn badge(painter: &Painter, at: Pos2, colours: &Colours) {
    painter.circle_filled(at, 8.0, colours.error);
    painter.circle_stroke(at, 8.0, Stroke::new(1.0, colours.background));
    let font = FontId::proportional(12.0);
    painter.text(at, Align2::CENTER_CENTER, "!", font, Color32::WHITE);
}

/// Lines of text on paper below a place, moved to where it can be read; returns where it is.
pub fn tag(painter: &Painter, view: &View, at: Pos2, text: &str, colours: &Colours) -> Rect {
    tag_on(painter, view, at, text, colours, Side::Below)
}

/// Where a tag is, seen from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where the pointer doesn't cover it.
    Below,
    /// Clear of what is written below, such as the values of a probe.
    Above,
}

/// As [`tag`], on one side of the place.
pub fn tag_on(
    painter: &Painter,
    view: &View,
    at: Pos2,
    text: &str,
    colours: &Colours,
    side: Side,
) -> Rect {
    let font = FontId::proportional(13.0);
    let galley = painter.layout_no_wrap(text.to_owned(), font, colours.ink);
    let place = tag_place(
        view.rect.shrink(4.0),
        at,
        galley.size() + vec2(14.0, 8.0),
        side,
    );
    let line = Stroke::new(1.0, colours.paper_line);
    painter.rect(place, 5.0, colours.paper, line, StrokeKind::Inside);
    painter.galley(place.min + vec2(7.0, 4.0), galley, colours.ink);
    place
}

/// Beside `at`, on the other side of it where there is no room, and always within.
fn tag_place(within: Rect, at: Pos2, size: Vec2, side: Side) -> Rect {
    let (right, left) = (at.x + AWAY, at.x - AWAY - size.x);
    let (below, above) = (at.y + AWAY, at.y - AWAY - size.y);
    let x = if right + size.x > within.right() {
        left
    } else {
        right
    };
    let y = match side {
        Side::Below if below + size.y > within.bottom() => above,
        Side::Below => below,
        Side::Above if above < within.top() => below,
        Side::Above => above,
    };
    let corner = pos2(x.max(within.left()), y.max(within.top()));
    Rect::from_min_size(corner, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::layout_of;
    use crate::canvas::theme::LIGHT;

    fn look(view: View) -> Look {
        Look {
            view,
            colours: LIGHT,
            parts: false,
            pixel: 1.0,
        }
    }

    #[test]
    fn tags_stay_within_the_canvas_and_clear_of_the_pointer() {
        let within = Rect::from_min_max(pos2(0.0, 0.0), pos2(300.0, 200.0));
        let size = vec2(90.0, 40.0);
        for side in [Side::Below, Side::Above] {
            for at in [
                (5.0, 5.0),
                (295.0, 5.0),
                (5.0, 195.0),
                (295.0, 195.0),
                (150.0, 100.0),
            ] {
                let at = pos2(at.0, at.1);
                let place = tag_place(within, at, size, side);
                assert!(within.contains_rect(place), "{at}: {place}");
                assert!(!place.contains(at), "{at}: {place}");
            }
        }
        let middle = pos2(150.0, 100.0);
        assert!(tag_place(within, middle, size, Side::Above).bottom() < middle.y);
        assert!(tag_place(within, middle, size, Side::Below).top() > middle.y);
    }

    #[test]
    fn walls_leave_sockets_open() {
        let outline = crate::canvas::outline::outline(
            &stokeslet_cad::shape::Shape::Strip(stokeslet_cad::shape::Strip::Straight {
                length: 1.0,
                width_start: 0.1,
                width_end: 0.1,
            }),
            1e-3,
        );
        let runs = |open: &[usize]| {
            let mut runs = Vec::new();
            chains(
                &outline,
                |socket| open.contains(&socket),
                |chain, closed| runs.push((chain.collect::<Vec<usize>>(), closed)),
            );
            runs
        };
        assert_eq!(runs(&[]), [(vec![0, 1, 2, 3], true)]);
        assert_eq!(runs(&[1]), [(vec![2, 3, 0, 1], false)]);
        assert_eq!(runs(&[0, 1]), [(vec![2, 3], false), (vec![0, 1], false)]);
    }

    #[test]
    fn what_is_not_seen_is_not_drawn_and_nothing_is_drawn_twice() {
        let layout = layout_of(
            "p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\nq = { kind = \"pipe\", at = [\"50 mm\", \"0 mm\"] }",
            "",
        );
        let outlines = Outlines::default();
        let scene = Scene::new(layout, &outlines);
        let pieces = chip(&look(View::default()), &scene, &outlines);
        let [(areas, walls)] = &pieces[..] else {
            panic!("{} pieces of two pipes", pieces.len());
        };
        assert_eq!(areas.vertices.len(), 4, "one pipe of four corners");
        assert_eq!(walls.vertices.len(), 16);
        assert!(areas.is_valid() && walls.is_valid());
        let (layout, scene) = (scene.layout.clone(), Arc::new(scene));
        let seen = look(View::default());
        let painted = Painted::new(seen, &scene, &outlines);
        assert!(painted.is_of(&seen, &scene));
        let mut moved = View::default();
        moved.pan(vec2(1.0, 0.0));
        assert!(!painted.is_of(&look(moved), &scene));
        let another = Arc::new(Scene::new(layout, &outlines));
        assert!(!painted.is_of(&seen, &another));
    }
}
