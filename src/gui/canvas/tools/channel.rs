//! The channel tool: from a socket, a pipe or empty space through way-points to a socket, a pipe or into empty space.

use eframe::egui::{CursorIcon, Key, Mesh, Pos2};
use lyon::math::point;
use lyon::path::{LineJoin, Path};
use lyon::tessellation::{
    BuffersBuilder, StrokeOptions, StrokeTessellator, StrokeVertex, VertexBuffers,
};

use super::typed::{self, Leg};
use super::{TOUCH, ToolInput, Tools};
use crate::canvas::paint::{lit_socket, tag};
use crate::canvas::pick::StraightRun;
use crate::canvas::route::{Draft, length, rounded};
use crate::command::{ChannelEnd, Command};
use stokeslet_base::geometry::Point;
use stokeslet_cad::shape::Socket;
use stokeslet_flow::export::readable::Quantity;

/// Where a channel could end now.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// A socket, a pipe, or empty space.
    pub to: ChannelEnd,
    /// Way-points before it.
    pub via: Vec<Point>,
    /// There, m.
    pub at: Point,
    /// What is lit up.
    pub socket: Option<Socket>,
}

/// Hears the pointer with the channel tool.
pub fn hear(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    input.cursor(CursorIcon::Crosshair);
    if tools.draft.is_some() {
        typed::hear(&mut tools.typed, input);
    } else {
        tools.typed.clear();
    }
    if input.key(Key::B) {
        tools.round = !tools.round;
    }
    let Some(draft) = &mut tools.draft else {
        tools.end = start(input);
        if input.clicked() {
            tools.draft = tools.end.take().map(|end| begin(end, input));
        }
        return;
    };
    if input.key(Key::Backspace) && draft.via.pop().is_none() {
        tools.draft = None;
        return;
    }
    let mut end = end(draft, input);
    if !tools.typed.is_empty() {
        end = typed_end(draft, &tools.typed, input);
        if input.key(Key::Enter)
            && let Some(end) = end.take()
        {
            draft.via.push(end.at);
            tools.typed.clear();
            tools.fixed_at = input.pointer;
            return;
        }
    }
    let finish = |draft: &Draft, end: &End| {
        let mut via = draft.via.clone();
        via.extend(end.via.iter().copied());
        (via, end.to.clone())
    };
    let mut done = None;
    if input.response.double_clicked() || input.key(Key::Enter) {
        // The first click of the two has set the way-point where the channel ends.
        let at_click = input.response.double_clicked();
        // So has one click where the pointer still rests when Enter is pressed.
        let last = draft.via.last().copied();
        let rests = last
            .zip(input.place())
            .is_some_and(|(a, b)| (a - b).norm() <= input.reach())
            // After a typed leg the channel may end there, wherever the pointer is, until it moves.
            || (last.is_some() && tools.fixed_at.is_some() && tools.fixed_at == input.pointer);
        let at_last = at_click || rests;
        done = match (&end, last) {
            (Some(end), _) if !at_last || !matches!(end.to, ChannelEnd::Free(_)) => {
                Some(finish(draft, end))
            }
            (_, Some(last)) => {
                let via = draft.via[..draft.via.len() - 1].to_vec();
                Some((via, ChannelEnd::Free(last)))
            }
            (_, None) => None,
        };
    } else if input.clicked()
        && let Some(end) = &end
    {
        if let ChannelEnd::Free(at) = end.to {
            draft.via.push(at);
            tools.typed.clear();
        } else {
            done = Some(finish(draft, end));
        }
    }
    if let Some((via, to)) = done {
        let (from, width) = (draft.from.clone(), draft.width);
        tools.draft = None;
        tools.fixed_at = None;
        tools.typed.clear();
        out.push(Command::Channel {
            from,
            to,
            via,
            bend: tools.bend(width),
        });
    } else {
        tools.end = end;
    }
}

/// What a channel would start from at the pointer.
fn start(input: &ToolInput<'_>) -> Option<End> {
    let place = input.place()?;
    let on_run = || {
        let run = run_at(input, place)?;
        Some(End {
            to: on_pipe(input, &run),
            via: Vec::new(),
            at: run.at,
            socket: Some(Socket {
                middle: run.at,
                direction: run.along,
                width: run.width,
            }),
        })
    };
    let nowhere = || {
        let at = input.snap(place);
        input.design().map(|_| End {
            to: ChannelEnd::Free(at),
            via: Vec::new(),
            at,
            socket: None,
        })
    };
    socket_at(input, place).or_else(on_run).or_else(nowhere)
}

fn begin(end: End, input: &ToolInput<'_>) -> Draft {
    // From empty space on it is as wide as the design says.
    let usual = input.design().map_or(0.0, |design| design.width.0);
    let (axis, width) = end.socket.map_or((0.0, usual), |m| (m.direction, m.width));
    Draft {
        from: end.to,
        start: end.at,
        axis,
        width,
        via: Vec::new(),
    }
}

/// Where the channel would end at the pointer.
fn end(draft: &Draft, input: &ToolInput<'_>) -> Option<End> {
    let place = input.place()?;
    if let Some(mut end) = socket_at(input, place).filter(|end| end.to != draft.from) {
        end.via = end
            .socket
            .map_or_else(Vec::new, |socket| draft.finish(&socket));
        return Some(end);
    }
    let clear_of_start = |run: &StraightRun| (run.at - draft.start).norm() > 2.0 * draft.width;
    if let Some(run) = run_at(input, place).filter(clear_of_start) {
        let normal = Point::unit(run.along).left();
        let side = if normal.dot(draft.last() - run.at) < 0.0 {
            -normal
        } else {
            normal
        };
        let socket = Socket {
            middle: run.at,
            direction: side.angle(),
            width: run.width,
        };
        return Some(End {
            to: on_pipe(input, &run),
            via: draft.finish(&socket),
            at: run.at,
            socket: Some(socket),
        });
    }
    let at = draft.next(place, input.ctrl(), input.grid);
    Some(End {
        to: ChannelEnd::Free(at),
        via: Vec::new(),
        at,
        socket: None,
    })
}

/// Where a leg of the typed length ends.
fn typed_end(draft: &Draft, text: &str, input: &ToolInput<'_>) -> Option<End> {
    let leg = Leg::read(text, &typed::usual_unit(draft.width))?;
    let place = input.place()?;
    let toward = draft.next(place, input.ctrl(), None);
    let is_first = draft.via.is_empty() && !matches!(draft.from, ChannelEnd::Free(_));
    // From a socket there is one direction only.
    let leg = match is_first {
        true => Leg { angle: None, ..leg },
        false => leg,
    };
    let at = leg.end(draft.last(), toward)?;
    Some(End {
        to: ChannelEnd::Free(at),
        via: Vec::new(),
        at,
        socket: None,
    })
}

fn socket_at(input: &ToolInput<'_>, place: Point) -> Option<End> {
    let k = input.scene.free_socket_at(place, input.reach())?;
    let socket = &input.scene.layout.sockets[k];
    Some(End {
        to: ChannelEnd::Socket(input.scene.layout.full_name(socket)),
        via: Vec::new(),
        at: socket.geometry.middle,
        socket: Some(socket.geometry),
    })
}

/// The run under the pointer; the place on it is where a line of the grid crosses, if it runs along the axes.
fn run_at(input: &ToolInput<'_>, place: Point) -> Option<StraightRun> {
    let reach = TOUCH * input.view.scale;
    let mut run = input.scene.run_at(place, reach, input.design()?)?;
    let along = Point::unit(run.along);
    let snapped = input.snap(run.at);
    if along.y == 0.0 {
        run.at.x = snapped.x;
    } else if along.x == 0.0 {
        run.at.y = snapped.y;
    }
    Some(run)
}

fn on_pipe(input: &ToolInput<'_>, run: &StraightRun) -> ChannelEnd {
    ChannelEnd::OnPipe {
        item: input.scene.name(run.item).to_owned(),
        at: run.at,
    }
}

/// Draws the channel so far and where it would go on.
pub fn paint(tools: &Tools, input: &ToolInput<'_>) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    for &k in &input.scene.free {
        let socket = &input.scene.layout.sockets[k].geometry;
        let at = view.to_screen(socket.middle);
        if view.rect.contains(at) {
            painter.circle_stroke(at, 6.0, (1.5, colours.socket));
        }
    }
    let lit = tools.end.as_ref().and_then(|end| end.socket.as_ref());
    if let Some(socket) = lit {
        lit_socket(painter, view, socket, colours.fits);
    }
    let Some(draft) = &tools.draft else {
        if let (Some(end), Some(at)) = (&tools.end, input.pointer) {
            tag(
                painter,
                view,
                at,
                &format!("start {}", show(&end.to)),
                colours,
            );
        }
        return;
    };
    let mut points = vec![draft.start];
    points.extend(&draft.via);
    let fixed = points.len();
    if let Some(end) = &tools.end {
        points.extend(&end.via);
        points.push(end.at);
    }
    let bend = tools.bend(draft.width);
    let path = rounded(&points, bend);
    let path: Vec<Pos2> = path.iter().map(|&p| view.to_screen(p)).collect();
    let across = ((draft.width / view.scale) as f32).max(2.0);
    painter.add(band(&path, across, colours.ghost_fill));
    painter.line(path, (1.0, colours.ghost));
    for p in &points[1..fixed] {
        let at = view.to_screen(*p);
        painter.circle(at, 4.0, colours.background, (1.5, colours.accent));
    }
    if let (false, Some(at)) = (tools.typed.is_empty(), input.pointer) {
        let unit = typed::usual_unit(draft.width);
        let what = match (
            Leg::read(&tools.typed, &unit),
            tools.typed.trim().parse::<f64>(),
        ) {
            (None, _) => format!("{}…", tools.typed),
            (Some(_), Ok(_)) => format!("{} {unit}  (Enter)", tools.typed),
            (Some(_), Err(_)) => format!("{}  (Enter)", tools.typed),
        };
        tag(painter, view, at, &what, colours);
        return;
    }
    if let (Some(end), Some(at)) = (&tools.end, input.pointer) {
        let mut text = Quantity::Length.show(length(&points, bend));
        text += if tools.round { ", round bends" } else { "" };
        if end.socket.is_some() {
            text = format!("end {}\n{text}", show(&end.to));
        }
        tag(painter, view, at, &text, colours);
    }
}

fn show(end: &ChannelEnd) -> String {
    match end {
        ChannelEnd::Socket(name) => format!("at {name}"),
        ChannelEnd::OnPipe { item, .. } => format!("on {item}, with a tee"),
        ChannelEnd::Free(_) => "in empty space".to_owned(),
    }
}

/// A line with a width, as one sheet of triangles: where it bends it doesn't lie on itself, so it may be translucent.
fn band(path: &[Pos2], width: f32, colour: eframe::egui::Color32) -> Mesh {
    let mut mesh = Mesh::default();
    let mut builder = Path::builder();
    let mut points = path.iter().map(|p| point(p.x, p.y));
    let Some(first) = points.next() else {
        return mesh;
    };
    builder.begin(first);
    for p in points {
        builder.line_to(p);
    }
    builder.end(false);
    let mut buffers: VertexBuffers<lyon::math::Point, u32> = VertexBuffers::new();
    let options = StrokeOptions::default()
        .with_line_width(width)
        .with_line_join(LineJoin::Miter);
    let done = StrokeTessellator::new().tessellate_path(
        &builder.build(),
        &options,
        &mut BuffersBuilder::new(&mut buffers, |vertex: StrokeVertex<'_, '_>| {
            vertex.position()
        }),
    );
    // Without triangles there still is the middle line.
    if done.is_ok() {
        for v in &buffers.vertices {
            mesh.colored_vertex(Pos2::new(v.x, v.y), colour);
        }
        mesh.indices = buffers.indices;
    }
    mesh
}
