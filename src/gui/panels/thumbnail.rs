//! Small pictures of components and designs, drawn from their true outlines.
//!
//! A picture is made once, in units of its own size, and scaled when it is painted.

use eframe::egui::{Color32, Mesh, Painter, Pos2, Rect, Shape as Painted, Stroke, Ui, pos2, vec2};
use lyon::math::point;
use lyon::path::Path;
use lyon::tessellation::{BuffersBuilder, FillOptions, FillTessellator, FillVertex, VertexBuffers};
use rustc_hash::FxHashSet;

use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::library::{Realisation, boundary};
use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};

/// Chords of a whole circle: a thumbnail is small.
const CHORDS: usize = 32;
/// Beyond this many parts a picture shows the areas only: its walls would be a smear.
const MOST_WALLED: usize = 400;

/// A picture, its longer side being 1, y down.
#[derive(Clone, Debug, Default)]
pub struct Thumbnail {
    vertices: Vec<Pos2>,
    triangles: Vec<u32>,
    walls: Vec<Vec<Pos2>>,
    size: [f32; 2],
}

impl Thumbnail {
    /// The thumbnail of a component: its sockets are open.
    pub fn of_component(component: &Realisation) -> Self {
        let inner = component.connections.iter().flat_map(|c| [c.a, c.b]);
        let own = component.sockets.iter().map(|(_, socket)| *socket);
        Self::of(&component.parts, &inner.chain(own).collect())
    }

    /// The thumbnail of a chip: where neither a connection nor a port is, there is a wall.
    pub fn of_chip(chip: &Chip) -> Self {
        let inner = chip.connections.iter().flat_map(|c| [c.a, c.b]);
        let ports = chip.ports.iter().map(|port| port.socket);
        Self::of(&chip.parts, &inner.chain(ports).collect())
    }

    /// The thumbnail of placed parts, those sockets being open; empty for none.
    fn of(parts: &[Part], open: &FxHashSet<SocketRef>) -> Self {
        let outlines: Vec<Vec<Point>> = parts
            .iter()
            .map(|part| {
                boundary(&part.shape, CHORDS)
                    .into_iter()
                    .map(part.motion.to_apply())
                    .collect()
            })
            .collect();
        let corners: Vec<Point> = outlines.iter().flatten().copied().collect();
        if corners.is_empty() {
            return Self::default();
        }
        let (low, high) = bounds(&corners);
        let span = high - low;
        let longer = span.x.max(span.y).max(f64::MIN_POSITIVE);
        let at = |p: Point| {
            pos2(
                ((p.x - low.x) / longer) as f32,
                ((high.y - p.y) / longer) as f32,
            )
        };
        let mut picture = Self {
            size: [(span.x / longer) as f32, (span.y / longer) as f32],
            ..Self::default()
        };
        for (index, (part, outline)) in parts.iter().zip(&outlines).enumerate() {
            let outline: Vec<Pos2> = outline.iter().map(|&p| at(p)).collect();
            let to_picture = |p: Point| at(part.motion.apply(p));
            let posts: Vec<Vec<Pos2>> = part
                .shape
                .holes()
                .iter()
                .map(|hole| hole.chords(CHORDS).into_iter().map(to_picture).collect())
                .collect();
            picture.fill(&outline, &posts);
            if parts.len() <= MOST_WALLED {
                let is_open = |socket: usize| {
                    open.contains(&SocketRef {
                        part: index,
                        socket,
                    })
                };
                picture.walls.extend(walls(&part.shape, &outline, &is_open));
                let closed = |post: &Vec<Pos2>| post.iter().chain(post.first()).copied().collect();
                picture.walls.extend(posts.iter().map(closed));
            }
        }
        picture
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    fn fill(&mut self, outline: &[Pos2], posts: &[Vec<Pos2>]) {
        let mut builder = Path::builder();
        for around in [outline].into_iter().chain(posts.iter().map(Vec::as_slice)) {
            for (k, p) in around.iter().enumerate() {
                match k {
                    0 => {
                        builder.begin(point(p.x, p.y));
                    }
                    _ => {
                        builder.line_to(point(p.x, p.y));
                    }
                }
            }
            builder.end(true);
        }
        let mut buffers: VertexBuffers<Pos2, u32> = VertexBuffers::new();
        let mut sink = BuffersBuilder::new(&mut buffers, |vertex: FillVertex<'_>| {
            let p = vertex.position();
            pos2(p.x, p.y)
        });
        let options = FillOptions::tolerance(1e-3);
        // A shape that can't be tessellated is left blank: a picture is not worth an error.
        if FillTessellator::new()
            .tessellate_path(&builder.build(), &options, &mut sink)
            .is_ok()
        {
            let first = self.vertices.len() as u32;
            self.vertices.extend(buffers.vertices);
            self.triangles
                .extend(buffers.indices.iter().map(|k| first + k));
        }
    }

    /// Paints it into the middle of `rect`.
    pub fn paint(&self, painter: &Painter, rect: Rect, colours: Colours) {
        if self.is_empty() {
            return;
        }
        // Narrow chips are not blown up sideways; a channel of no width still has a pixel.
        let [w, h] = self.size;
        let scale = (rect.width() / w.max(1e-6)).min(rect.height() / h.max(1e-6));
        let min = rect.center() - vec2(w, h) * (scale / 2.0);
        let place = |p: &Pos2| min + p.to_vec2() * scale;
        let mut mesh = Mesh::default();
        mesh.reserve_vertices(self.vertices.len());
        for vertex in &self.vertices {
            mesh.colored_vertex(place(vertex), colours.fluid);
        }
        mesh.indices.clone_from(&self.triangles);
        painter.add(mesh);
        let stroke = Stroke::new(if self.walls.len() > 60 { 0.8 } else { 1.2 }, colours.wall);
        for wall in &self.walls {
            painter.add(Painted::line(wall.iter().map(place).collect(), stroke));
        }
        if self.walls.is_empty() {
            let stroke = Stroke::new(0.6, colours.wall);
            for corners in self.triangles.chunks_exact(3) {
                let corners: Vec<Pos2> = corners
                    .iter()
                    .map(|&k| place(&self.vertices[k as usize]))
                    .collect();
                painter.add(Painted::line(corners, stroke));
            }
        }
    }
}

/// Colours of fluid and walls, as on the canvas.
#[derive(Clone, Copy, Debug)]
pub struct Colours {
    /// Areas.
    pub fluid: Color32,
    /// Lines.
    pub wall: Color32,
}

impl Colours {
    /// Those of the theme.
    pub fn of(ui: &Ui) -> Self {
        match ui.visuals().dark_mode {
            true => Self {
                fluid: Color32::from_rgb(0x2b, 0x4c, 0x66),
                wall: Color32::from_rgb(0x8e, 0xc3, 0xea),
            },
            false => Self {
                fluid: Color32::from_rgb(0xcf, 0xe5, 0xf4),
                wall: Color32::from_rgb(0x1f, 0x4e, 0x79),
            },
        }
    }
}

/// The outline without the edges that are open sockets.
fn walls(shape: &Shape, outline: &[Pos2], is_open: &dyn Fn(usize) -> bool) -> Vec<Vec<Pos2>> {
    let n = outline.len();
    // The edge of every socket, by its first corner.
    let edges: Vec<usize> = match shape {
        Shape::Polygon { sockets, .. } => sockets.clone(),
        Shape::Strip(Strip::Straight { .. }) => vec![3, 1],
        Shape::Strip(Strip::Arc { .. }) => vec![n - 1, n / 2 - 1],
    };
    let sockets = edges.into_iter().enumerate();
    let open: Vec<usize> = sockets
        .filter(|(socket, _)| is_open(*socket))
        .map(|(_, edge)| edge)
        .collect();
    if open.is_empty() {
        let closed = outline.iter().chain(outline.first()).copied();
        return vec![closed.collect()];
    }
    let mut open = open;
    open.sort_unstable();
    (0..open.len())
        .map(|k| {
            let (from, to) = (open[k] + 1, open[(k + 1) % open.len()]);
            let steps = (to + n - from % n) % n;
            (0..=steps).map(|step| outline[(from + step) % n]).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_cad::library::{Defaults, Library};

    #[test]
    fn every_component_has_a_picture_of_its_area_and_its_walls() {
        let library = Library::embedded();
        let defaults = Defaults {
            width: 1e-4,
            depth: Some(5e-5),
        };
        for definition in library.definitions() {
            let realised = library.realise(&definition.name, &[], &defaults).unwrap();
            let picture = Thumbnail::of_component(&realised);
            assert!(!picture.is_empty(), "{}", definition.name);
            assert!(!picture.walls.is_empty(), "{}", definition.name);
            let inside =
                |p: &Pos2| (-1e-4..=1.0001).contains(&p.x) && (-1e-4..=1.0001).contains(&p.y);
            assert!(picture.vertices.iter().all(inside), "{}", definition.name);
        }
        assert!(Thumbnail::of_component(&Realisation::default()).is_empty());
    }

    #[test]
    fn walls_leave_the_sockets_open() {
        let library = Library::embedded();
        let defaults = Defaults {
            width: 1e-4,
            depth: None,
        };
        for (kind, walls) in [
            ("pipe", 2),
            ("tee", 3),
            ("cross", 4),
            ("closed_end", 1),
            ("arc", 2),
        ] {
            let realised = library.realise(kind, &[], &defaults).unwrap();
            let picture = Thumbnail::of_component(&realised);
            assert_eq!(picture.walls.len(), walls, "{kind}: {:?}", picture.walls);
        }
    }
}
