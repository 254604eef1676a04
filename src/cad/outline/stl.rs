//! STL in millimetres: the fluid, or a block with the channel open at the top; binary, or text with a solid for each port.
//!
//! Caps and walls share their corners, so the surface is closed; corners of arcs keep the area, so the volume is area times depth.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::arc::{chord_turn, flatten, radius};
use super::triangulate::{Triangles, triangulate};
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
    let depth = settings
        .depth
        .or(outlines.chip.depth)
        .ok_or(OutlineError::NeedsDepth)?;
    let tolerance = settings.tolerance_or(DEFAULT_TOLERANCE);
    let (loops, ports) = chords(outlines, tolerance)?;
    let surface = match settings.solid {
        Solid::Channel => channel(&triangulate(&loops, &[])?, &ports, depth),
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
            block(
                &triangulate(&loops, &frame)?,
                &ports,
                &frame,
                depth,
                settings.floor,
            )
        }
    };
    Ok(if settings.has_patches {
        patches(&surface, outlines).into_bytes()
    } else {
        binary(&surface)
    })
}

/// The loops with chords for arcs, and the port of every edge.
type Chords = (Vec<Vec<Point>>, Vec<Vec<Option<usize>>>);

fn chords(outlines: &Outlines, tolerance: f64) -> Result<Chords, OutlineError> {
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
    let (mut loops, mut ports) = (Vec::new(), Vec::new());
    for walls in &outlines.loops {
        let n = walls.edges.len();
        let (mut polygon, mut on) = (Vec::new(), Vec::new());
        for (k, edge) in walls.edges.iter().enumerate() {
            let end = walls.edges[(k + 1) % n].from;
            polygon.push(edge.from);
            polygon.extend(flatten(edge.from, end, edge.turn, tolerance));
            on.resize(polygon.len(), edge.socket);
        }
        loops.push(polygon);
        ports.push(on);
    }
    Ok((loops, ports))
}

/// Edges of the walls that are walls of one side only: where two parts touch without a joint, fluid is on both.
fn walls_of<'a>(
    mesh: &'a Triangles,
    ports: &'a [Vec<Option<usize>>],
) -> impl Iterator<Item = (u32, u32, Option<usize>)> + 'a {
    let edges = || {
        mesh.corners.iter().zip(ports).flat_map(|(numbers, on)| {
            let next = numbers.iter().cycle().skip(1);
            numbers.iter().zip(next).zip(on)
        })
    };
    let all: FxHashSet<(u32, u32)> = edges().map(|((&a, &b), _)| (a, b)).collect();
    edges().filter_map(move |((&a, &b), &port)| {
        (a != b && !all.contains(&(b, a))).then_some((a, b, port))
    })
}

fn corner(p: Point, z: f64) -> [f32; 3] {
    [(p.x * 1e3) as f32, (p.y * 1e3) as f32, (z * 1e3) as f32]
}

/// Triangles of a cap at height z that look up or down.
fn cap(surface: &mut Surface, mesh: &Triangles, of_inside: Side, looks: Looks, z: f64) {
    for (numbers, inside) in &mesh.triangles {
        if *inside != (of_inside == Side::Inside) {
            continue;
        }
        let [a, b, c] = numbers.map(|k| corner(mesh.points[k as usize], z));
        let triangle = match looks {
            Looks::Up => [a, b, c],
            Looks::Down => [a, c, b],
        };
        surface.push((triangle, None));
    }
}

/// Which side of the walls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inside,
    Outside,
}

/// Where a cap looks to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    Up,
    Down,
}

/// An upright rectangle that looks to the right of the way from a to b.
fn upright(surface: &mut Surface, a: Point, b: Point, low: f64, high: f64, port: Option<usize>) {
    let [a0, b0, b1, a1] = [
        corner(a, low),
        corner(b, low),
        corner(b, high),
        corner(a, high),
    ];
    surface.push(([a0, b0, b1], port));
    surface.push(([a0, b1, a1], port));
}

fn channel(mesh: &Triangles, ports: &[Vec<Option<usize>>], depth: f64) -> Surface {
    let mut surface = Vec::new();
    cap(&mut surface, mesh, Side::Inside, Looks::Down, 0.0);
    cap(&mut surface, mesh, Side::Inside, Looks::Up, depth);
    for (a, b, port) in walls_of(mesh, ports) {
        let (a, b) = (mesh.points[a as usize], mesh.points[b as usize]);
        upright(&mut surface, a, b, 0.0, depth, port);
    }
    surface
}

fn block(
    mesh: &Triangles,
    ports: &[Vec<Option<usize>>],
    frame: &[Point; 4],
    depth: f64,
    floor: f64,
) -> Surface {
    let mut surface = Vec::new();
    cap(&mut surface, mesh, Side::Inside, Looks::Up, 0.0);
    cap(&mut surface, mesh, Side::Outside, Looks::Up, depth);
    for (a, b, port) in walls_of(mesh, ports) {
        let (a, b) = (mesh.points[a as usize], mesh.points[b as usize]);
        upright(&mut surface, b, a, 0.0, depth, port);
    }
    for k in 0..4 {
        upright(
            &mut surface,
            frame[k],
            frame[(k + 1) % 4],
            -floor,
            depth,
            None,
        );
    }
    let [a, b, c, d] = frame.map(|p| corner(p, -floor));
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
