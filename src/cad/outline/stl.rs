//! STL in millimetres: the fluid, or a block with the channel open at the top; binary, or text with a solid for each port.
//!
//! Caps and walls share their corners, so the surface is closed; corners of arcs keep the area, so the volume is area times depth. Parts
//! of several depths have one lid: the fluid's floor is stepped, laid downwards (z = 0 is the lid), that of a block in its top.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::arc::{chord_turn, flatten, radius};
use super::triangulate::{Line, Triangles, triangulate};
use super::{OutlineError, Outlines, Settings, Solid};
use stokeslet_base::geometry::Point;

/// How far chords may be from their arcs unless asked otherwise, m.
const DEFAULT_TOLERANCE: f64 = 1e-6;
/// Block around the chip where none is asked for, m.
const DEFAULT_MARGIN: f64 = 2e-3;
/// More points than this make no file that anything opens.
const MOST_POINTS: f64 = 2e7;

/// Corners in mm as the file holds them.
type Triangle = [[f32; 3]; 3];

/// Triangles, and the port that each lies in.
type Surface = Vec<(Triangle, Option<usize>)>;

/// The chip as a solid.
///
/// # Errors
/// A chip without a depth; chords so long that they cross.
pub(super) fn write(outlines: &Outlines, settings: &Settings) -> Result<Vec<u8>, OutlineError> {
    let depths = Depths::of(outlines, settings)?;
    let tolerance = settings.tolerance_or(DEFAULT_TOLERANCE);
    let (loops, edges) = chords(outlines, &depths, tolerance)?;
    let labels: Vec<Vec<u32>> = edges
        .iter()
        .map(|on| on.iter().map(|edge| edge.label).collect())
        .collect();
    let lines = depths.lines(outlines);
    let walls = (&loops[..], &labels[..]);
    let surface = match settings.solid {
        Solid::Channel => channel(&triangulate(walls, &lines, &[])?, &edges, &lines, &depths),
        Solid::Block => {
            let margin = settings.margin_or(DEFAULT_MARGIN);
            let (low, high) = outlines.bounds();
            let (low, high) = (
                low - Point::new(margin, margin),
                high + Point::new(margin, margin),
            );
            let frame = [
                low,
                Point::new(high.x, low.y),
                high,
                Point::new(low.x, high.y),
            ];
            let mesh = triangulate(walls, &lines, &frame)?;
            block(&mesh, &edges, &lines, &frame, (&depths, settings.floor))
        }
    };
    Ok(if settings.has_patches {
        patches(&surface, outlines).into_bytes()
    } else {
        binary(&surface)
    })
}

/// The depths of a chip's parts.
struct Depths {
    /// m, each once; labels are numbers in it.
    values: Vec<f64>,
    /// By part.
    label: Vec<u32>,
}

impl Depths {
    /// One for all where the settings say it, or else the parts' own.
    fn of(outlines: &Outlines, settings: &Settings) -> Result<Self, OutlineError> {
        let n = outlines.chip.parts.len();
        let mut depths = Self {
            values: Vec::new(),
            label: Vec::with_capacity(n),
        };
        for part in 0..n {
            let depth = settings.depth.or(outlines.chip.depth_of(part));
            let depth = depth.ok_or(OutlineError::NeedsDepth)?;
            let known = depths.values.iter().position(|d| *d == depth);
            let label = known.unwrap_or_else(|| {
                depths.values.push(depth);
                depths.values.len() - 1
            });
            depths.label.push(label as u32);
        }
        Ok(depths)
    }

    fn greatest(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// Where parts of two depths meet.
    fn lines(&self, outlines: &Outlines) -> Vec<Line> {
        let steps = outlines.steps().into_iter();
        let lines = steps.map(|(ends, parts)| (ends, parts.map(|part| self.label[part])));
        lines.filter(|(_, [a, b])| a != b).collect()
    }
}

/// An edge of the walls.
#[derive(Clone, Copy)]
struct WallEdge {
    port: Option<usize>,
    /// Label of the depth to its left.
    label: u32,
}

/// The loops with chords for arcs, and what every edge is.
type Chords = (Vec<Vec<Point>>, Vec<Vec<WallEdge>>);

fn chords(outlines: &Outlines, depths: &Depths, tolerance: f64) -> Result<Chords, OutlineError> {
    let arcs = outlines.loops.iter().flat_map(|walls| {
        let n = walls.edges.len();
        (0..n)
            .filter(|&k| walls.edges[k].turn != 0.0)
            .map(move |k| {
                let (edge, end) = (walls.edges[k], walls.edges[(k + 1) % n].from);
                edge.turn.abs() / chord_turn(radius(edge.from, end, edge.turn), tolerance)
            })
    });
    let points: f64 = arcs.sum();
    if points > MOST_POINTS {
        return Err(OutlineError::TooManyPoints { points });
    }
    let (mut loops, mut edges) = (Vec::new(), Vec::new());
    for walls in &outlines.loops {
        let n = walls.edges.len();
        let (mut polygon, mut on) = (Vec::new(), Vec::new());
        for (k, edge) in walls.edges.iter().enumerate() {
            let end = walls.edges[(k + 1) % n].from;
            polygon.push(edge.from);
            polygon.extend(flatten(edge.from, end, edge.turn, tolerance));
            let edge = WallEdge {
                port: edge.socket,
                label: depths.label[walls.parts[k]],
            };
            on.resize(polygon.len(), edge);
        }
        loops.push(polygon);
        edges.push(on);
    }
    Ok((loops, edges))
}

/// An upright face: its ends (numbers of points; what is deeper to the left), from which depth to which, and its port.
struct Face {
    ends: [u32; 2],
    /// Labels: of the shallower, which has no face where there is none, and of the deeper.
    between: [Option<u32>; 2],
    port: Option<usize>,
}

/// Walls that are walls of one side only, and steps in depth. Where two parts touch without a joint, fluid is on both sides: there is a
/// step where one is deeper.
fn faces(mesh: &Triangles, edges: &[Vec<WallEdge>], lines: &[Line], depths: &Depths) -> Vec<Face> {
    let all = || {
        mesh.corners.iter().zip(edges).flat_map(|(numbers, on)| {
            let next = numbers.iter().cycle().skip(1);
            numbers.iter().zip(next).zip(on)
        })
    };
    let known: FxHashMap<(u32, u32), u32> =
        all().map(|((&a, &b), edge)| ((a, b), edge.label)).collect();
    let depth = |label: u32| depths.values[label as usize];
    let step = |ends: [u32; 2], left: u32, right: u32| {
        (depth(left) > depth(right)).then_some(Face {
            ends,
            between: [Some(right), Some(left)],
            port: None,
        })
    };
    let walls = all().filter_map(|((&a, &b), edge)| {
        if a == b {
            return None;
        }
        match known.get(&(b, a)) {
            Some(&other) => step([a, b], edge.label, other),
            None => Some(Face {
                ends: [a, b],
                between: [None, Some(edge.label)],
                port: edge.port,
            }),
        }
    });
    let steps = mesh.lines.iter().zip(lines).filter_map(|(&[a, b], line)| {
        let [left, right] = line.1;
        step([a, b], left, right).or_else(|| step([b, a], right, left))
    });
    walls.chain(steps).collect()
}

/// By point: heights of the caps that meet there, m, in order.
fn levels(mesh: &Triangles, height: impl Fn(u32) -> f64) -> Vec<Vec<f64>> {
    let mut levels = vec![Vec::new(); mesh.points.len()];
    for (numbers, label) in &mesh.triangles {
        let Some(z) = label.map(&height) else {
            continue;
        };
        for &k in numbers {
            let here: &mut Vec<f64> = &mut levels[k as usize];
            if !here.contains(&z) {
                here.push(z);
            }
        }
    }
    levels
        .iter_mut()
        .for_each(|here| here.sort_by(f64::total_cmp));
    levels
}

fn corner(p: Point, z: f64) -> [f32; 3] {
    [(p.x * 1e3) as f32, (p.y * 1e3) as f32, (z * 1e3) as f32]
}

/// Triangles of caps that look up or down, at a height by label; `None` outside of the walls.
fn cap(
    surface: &mut Surface,
    mesh: &Triangles,
    looks: Looks,
    height: impl Fn(Option<u32>) -> Option<f64>,
) {
    for (numbers, label) in &mesh.triangles {
        let Some(z) = height(*label) else {
            continue;
        };
        let [a, b, c] = numbers.map(|k| corner(mesh.points[k as usize], z));
        let triangle = match looks {
            Looks::Up => [a, b, c],
            Looks::Down => [a, c, b],
        };
        surface.push((triangle, None));
    }
}

/// Where a cap looks to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    Up,
    Down,
}

/// An upright rectangle that looks to the right of the way from a to b, with a corner wherever a cap meets its sides.
fn upright(
    surface: &mut Surface,
    (a, of_a): (Point, &[f64]),
    (b, of_b): (Point, &[f64]),
    (low, high): (f64, f64),
    port: Option<usize>,
) {
    let chain = |p: Point, levels: &[f64]| -> Vec<(f64, [f32; 3])> {
        let within = levels.iter().copied().filter(|z| *z > low && *z < high);
        let all = std::iter::once(low).chain(within).chain([high]);
        all.map(|z| (z, corner(p, z))).collect()
    };
    let (a, b) = (chain(a, of_a), chain(b, of_b));
    let (mut i, mut j) = (0, 0);
    while i + 1 < a.len() || j + 1 < b.len() {
        let is_b = j + 1 < b.len() && (i + 1 == a.len() || b[j + 1].0 <= a[i + 1].0);
        if is_b {
            surface.push(([a[i].1, b[j].1, b[j + 1].1], port));
            j += 1;
        } else {
            surface.push(([a[i].1, b[j].1, a[i + 1].1], port));
            i += 1;
        }
    }
}

fn channel(mesh: &Triangles, edges: &[Vec<WallEdge>], lines: &[Line], depths: &Depths) -> Surface {
    let depth = |label: u32| depths.values[label as usize];
    let levels = levels(mesh, depth);
    let mut surface = Vec::new();
    cap(&mut surface, mesh, Looks::Down, |label| label.map(|_| 0.0));
    cap(&mut surface, mesh, Looks::Up, |label| label.map(depth));
    for face in faces(mesh, edges, lines, depths) {
        let [a, b] = face
            .ends
            .map(|k| (mesh.points[k as usize], &levels[k as usize][..]));
        let [low, high] = face.between.map(|label| label.map_or(0.0, depth));
        upright(&mut surface, a, b, (low, high), face.port);
    }
    surface
}

fn block(
    mesh: &Triangles,
    edges: &[Vec<WallEdge>],
    lines: &[Line],
    frame: &[Point; 4],
    (depths, thickness): (&Depths, f64),
) -> Surface {
    let top = depths.greatest();
    let floor = |label: u32| top - depths.values[label as usize];
    let levels = levels(mesh, floor);
    let mut surface = Vec::new();
    cap(&mut surface, mesh, Looks::Up, |label| label.map(floor));
    cap(&mut surface, mesh, Looks::Up, |label| match label {
        Some(_) => None,
        None => Some(top),
    });
    for face in faces(mesh, edges, lines, depths) {
        let [a, b] = face
            .ends
            .map(|k| (mesh.points[k as usize], &levels[k as usize][..]));
        let [high, low] = face.between.map(|label| label.map_or(top, floor));
        upright(&mut surface, b, a, (low, high), face.port);
    }
    for k in 0..4 {
        let [a, b] = [frame[k], frame[(k + 1) % 4]];
        upright(&mut surface, (a, &[]), (b, &[]), (-thickness, top), None);
    }
    let [a, b, c, d] = frame.map(|p| corner(p, -thickness));
    surface.push(([a, c, b], None));
    surface.push(([a, d, c], None));
    surface
}

/// Unit normal to the right-handed side of a triangle; zero where it has no area.
fn normal(t: &Triangle) -> [f32; 3] {
    let side = |k: usize| [0, 1, 2].map(|i| f64::from(t[k][i]) - f64::from(t[0][i]));
    let (u, v) = (side(1), side(2));
    let n = [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ];
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    n.map(|x| {
        if length > 0.0 {
            (x / length) as f32
        } else {
            0.0
        }
    })
}

fn binary(surface: &Surface) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(84 + 50 * surface.len());
    let mut head = [b' '; 80];
    // Not "solid": readers take that for text.
    let title = b"Stokeslet; millimetres";
    head[..title.len()].copy_from_slice(title);
    bytes.extend(head);
    bytes.extend((surface.len() as u32).to_le_bytes());
    for (triangle, _) in surface {
        let numbers = normal(triangle)
            .into_iter()
            .chain(triangle.iter().flatten().copied());
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
        bytes.extend([0, 0]);
    }
    bytes
}

/// Text: a solid for each port, one for the walls.
fn patches(surface: &Surface, outlines: &Outlines) -> String {
    let mut text = String::new();
    let named = (0..outlines.ports.len()).map(Some).chain([None]);
    for patch in named {
        let name = patch.map_or_else(|| "walls", |k| outlines.ports[k].name.as_str());
        let _ = writeln!(text, "solid {name}");
        for (triangle, _) in surface.iter().filter(|(_, port)| *port == patch) {
            let [x, y, z] = normal(triangle);
            let _ = writeln!(text, "facet normal {x} {y} {z}\n outer loop");
            for [x, y, z] in triangle {
                let _ = writeln!(text, "  vertex {x} {y} {z}");
            }
            text.push_str(" endloop\nendfacet\n");
        }
        let _ = writeln!(text, "endsolid {name}");
    }
    text
}
