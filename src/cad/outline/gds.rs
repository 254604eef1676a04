//! GDSII: cells for kinds of parts, referenced by TOP; layer 1 the flow, 2 the frame, 3 the control layer, 10 the names of ports, 11 notes.
//! Flow as deep as the chip has datatype 0; each other depth one of its own, from 1 in order of depth, and its depth in its cells' names.
//!
//! Integers of the database unit throughout. A corner of a socket is rounded once, in the chip's frame, and is that of both
//! parts that meet there: nothing gapes. References turn by whole quarters only, which no reader rounds; what else turns a part
//! is in its cell, so parts share a cell where their integers agree.

mod on_layer;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use self::on_layer::OnLayer;
use super::arc::{MOST_TURN, chord_turn, flatten};
use super::joined::joined;
use super::part::{Edge, PartOutline, kind_name, outline, rectangle};
use super::triangulate::triangulate;
use super::walls::quarters;
use super::{OutlineError, Outlines, Settings};
use crate::shape::{Shape, Strip};
use stokeslet_base::geometry::{Motion, Point};

/// How far chords may be from their arcs unless asked otherwise, m.
const DEFAULT_TOLERANCE: f64 = 5e-9;
/// Corners of a polygon from which it is cut, where it can be.
const CUT_FROM: usize = 4000;
/// Corners of a polygon that every reader takes.
const MOST_CORNERS: usize = 8190;
/// Datatypes of flow that isn't as deep as the chip.
const MOST_DEPTHS: usize = 255;
const FLOW: i16 = 1;
const FRAME: i16 = 2;
const PORTS: i16 = 10;

type Grid = (i64, i64);

/// Polygons of a cell, in its own integers.
type Cell = Vec<Vec<Grid>>;

/// Database units (m) of which the first that keeps the area is taken where none is asked for.
const USUAL_GRIDS: [f64; 2] = [1e-9, 1e-10];
/// What the grid may change of the chip's area before a finer one is taken.
const AREA_TOLERANCE: f64 = 5e-7;

/// The chip as a library of cells, on the grid that is asked for, or else on the coarsest usual one that keeps its area: walls that slant
/// and many equal posts are all rounded to the same side.
///
/// # Errors
/// Parts beyond 32-bit integers, polygons of too many corners.
pub(super) fn write(outlines: &Outlines, settings: &Settings) -> Result<Vec<u8>, OutlineError> {
    if settings.grid > 0.0 {
        let cells = Cells::new(outlines, settings, settings.grid)?;
        return Ok(cells.records(outlines, settings));
    }
    let [usual, fine] = USUAL_GRIDS;
    let mut cells = Cells::new(outlines, settings, usual)?;
    let exact = outlines.area();
    if (cells.area() - exact).abs() > AREA_TOLERANCE * exact {
        // A chip beyond the reach of fine integers keeps the usual ones.
        cells = Cells::new(outlines, settings, fine).unwrap_or(cells);
    }
    Ok(cells.records(outlines, settings))
}

/// All cells, and where they lie.
struct Cells {
    /// Name, datatype and polygons, in order of first use.
    kinds: Vec<(String, usize, Cell)>,
    /// Cell and place of each part.
    references: Vec<(usize, CellPlacement)>,
    overlays: Vec<OnLayer>,
    /// Database unit, m.
    grid: f64,
}

impl Cells {
    fn new(outlines: &Outlines, settings: &Settings, grid: f64) -> Result<Self, OutlineError> {
        let tolerance = settings.tolerance_or(DEFAULT_TOLERANCE);
        check_reach(outlines, grid, settings.margin)?;
        let depths = depths(outlines);
        let mut known: BTreeMap<(usize, Cell), usize> = BTreeMap::new();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let mut kinds: Vec<(String, usize, Cell)> = Vec::new();
        let mut references: Vec<(usize, CellPlacement)> = Vec::new();
        let parts = outlines.chip.parts.iter().zip(&outlines.parts);
        for (k, (part, shared)) in parts.enumerate() {
            let own_depth = outlines.chip.depth_of(k);
            let depth = depths.iter().position(|d| Some(*d) == own_depth);
            let datatype = depth.map_or(0, |at| at + 1);
            let placement = CellPlacement::of(&part.motion, grid);
            let own = outline(&part.shape, pieces_of(&part.shape, tolerance));
            let cell = placement.cell(&own, shared, &part.shape, &part.motion, tolerance, grid)?;
            if let Some(long) = cell.iter().find(|polygon| polygon.len() > MOST_CORNERS) {
                return Err(OutlineError::TooManyCorners {
                    part: part.name.clone(),
                    corners: long.len(),
                    limit: MOST_CORNERS,
                });
            }
            let at = *known.entry((datatype, cell.clone())).or_insert_with(|| {
                let mut name = kind_name(&part.shape);
                if let Some(at) = depth {
                    // Names have no points.
                    let um = ((depths[at] * 1e12).round() / 1e6).to_string();
                    let _ = write!(name, "_{}um", um.replace('.', "p"));
                }
                let count = names.entry(name.clone()).or_insert(0);
                *count += 1;
                if *count > 1 {
                    let _ = write!(name, "_{count}");
                }
                kinds.push((name, datatype, cell));
                kinds.len() - 1
            });
            references.push((at, placement));
        }
        let overlays = outlines.overlays.iter();
        let limit = f64::from(i32::MAX - 1) * grid - settings.margin;
        let usual = outlines.usual_width;
        let overlays = overlays.map(|o| OnLayer::of(o, usual, tolerance, (grid, limit)));
        Ok(Self {
            kinds,
            references,
            overlays: overlays.collect::<Result<_, _>>()?,
            grid,
        })
    }

    /// Area of all parts on the grid, m².
    fn area(&self) -> f64 {
        let of_cell = |(_, _, polygons): &(String, usize, Cell)| -> i128 {
            polygons.iter().map(|polygon| twice_area(polygon)).sum()
        };
        let of_kinds: Vec<i128> = self.kinds.iter().map(of_cell).collect();
        let twice: i128 = self
            .references
            .iter()
            .map(|(cell, _)| of_kinds[*cell])
            .sum();
        twice as f64 / 2.0 * self.grid * self.grid
    }

    fn records(&self, outlines: &Outlines, settings: &Settings) -> Vec<u8> {
        let grid = self.grid;
        let mut out = Records(Vec::new());
        out.int16(0x00, &[600]);
        out.int16(0x01, &[0; 12]);
        out.text(0x02, "STOKESLET");
        out.real(0x03, &[grid / 1e-6, grid]);
        for (name, datatype, polygons) in &self.kinds {
            out.int16(0x05, &[0; 12]);
            out.text(0x06, name);
            for polygon in polygons {
                out.boundary((FLOW, *datatype as i16), polygon);
            }
            out.empty(0x07);
        }
        out.int16(0x05, &[0; 12]);
        out.text(0x06, "TOP");
        for ((cell, placement), part) in self.references.iter().zip(&outlines.chip.parts) {
            out.reference(&self.kinds[*cell].0, placement, &part.name);
        }
        for port in &outlines.ports {
            let middle = to_grid((port.ends.0 + port.ends.1) * 0.5, grid);
            out.label(PORTS, &port.name, middle);
        }
        for overlay in &self.overlays {
            overlay.put(&mut out);
        }
        if settings.margin > 0.0 {
            let (low, high) = outlines.sheet();
            let margin = Point::new(settings.margin, settings.margin);
            let (a, c) = (to_grid(low - margin, grid), to_grid(high + margin, grid));
            out.boundary((FRAME, 0), &[a, (c.0, a.1), c, (a.0, c.1)]);
        }
        out.empty(0x07);
        out.empty(0x04);
        out.0
    }
}

/// Twice the area of a polygon, whichever way it goes round.
fn twice_area(polygon: &[Grid]) -> i128 {
    let next = polygon.iter().cycle().skip(1);
    let cross = polygon
        .iter()
        .zip(next)
        .map(|(a, b)| i128::from(a.0) * i128::from(b.1) - i128::from(b.0) * i128::from(a.1));
    cross.sum::<i128>().abs()
}

/// Depths that aren't the chip's, m, each once, in order; at most as many as there are datatypes that every reader takes.
fn depths(outlines: &Outlines) -> Vec<f64> {
    let chip = outlines.chip;
    let all = (0..chip.parts.len()).filter(|&k| chip.depth_ratio(k) != 1.0);
    let mut depths: Vec<f64> = all.filter_map(|k| chip.depth_of(k)).collect();
    depths.sort_by(f64::total_cmp);
    depths.dedup();
    depths.truncate(MOST_DEPTHS);
    depths
}

/// A length in whole units. What is half a unit but for noise goes the same way everywhere.
fn round(x: f64, grid: f64) -> i64 {
    let units = x / grid;
    let snapped = (units * 1024.0).round() / 1024.0;
    (snapped + 0.5).floor() as i64
}

fn to_grid(p: Point, grid: f64) -> Grid {
    (round(p.x, grid), round(p.y, grid))
}

fn check_reach(outlines: &Outlines, grid: f64, margin: f64) -> Result<(), OutlineError> {
    let limit = f64::from(i32::MAX - 1) * grid - margin;
    for (part, walls) in outlines.chip.parts.iter().zip(&outlines.parts) {
        let reach = walls
            .edges
            .iter()
            .map(|e| e.from.x.abs().max(e.from.y.abs()));
        let reach = reach.fold(0.0, f64::max);
        within_reach(|| part.name.clone(), reach, grid, limit)?;
    }
    Ok(())
}

fn within_reach(
    part: impl Fn() -> String,
    reach: f64,
    grid: f64,
    limit: f64,
) -> Result<(), OutlineError> {
    if reach.is_nan() || reach > limit {
        return Err(OutlineError::TooFar {
            part: part(),
            reach_mm: reach * 1e3,
            grid_nm: grid * 1e9,
            limit_mm: limit * 1e3,
        });
    }
    Ok(())
}

/// Arcs in pieces that have few enough chords for a polygon each.
fn pieces_of(shape: &Shape, tolerance: f64) -> f64 {
    match shape {
        Shape::Strip(Strip::Arc { radius, width, .. }) => {
            let step = chord_turn(radius + width / 2.0, tolerance);
            (step * (CUT_FROM / 2 - 10) as f64).min(MOST_TURN)
        }
        _ => MOST_TURN,
    }
}

/// Where a cell lies: mirrored, turned by whole quarters, shifted by whole units.
struct CellPlacement {
    mirror: bool,
    quarters: i64,
    origin: Grid,
    /// What is left of the turn, rad.
    rest: f64,
}

impl CellPlacement {
    fn of(motion: &Motion, grid: f64) -> Self {
        let (quarters, rest) = quarters(motion);
        Self {
            mirror: motion.mirror,
            quarters,
            origin: to_grid(motion.translation, grid),
            rest,
        }
    }

    /// A point of the chip as the cell sees it, exactly.
    fn local(&self, p: Grid) -> Grid {
        let (x, y) = (p.0 - self.origin.0, p.1 - self.origin.1);
        let (x, y) = match self.quarters {
            0 => (x, y),
            1 => (y, -x),
            2 => (-x, -y),
            _ => (-y, x),
        };
        (x, if self.mirror { -y } else { y })
    }

    /// The polygons of a part in its cell: shared corners where it has sockets, its own in between.
    fn cell(
        &self,
        own: &PartOutline,
        shared: &PartOutline,
        shape: &Shape,
        motion: &Motion,
        tolerance: f64,
        grid: f64,
    ) -> Result<Cell, OutlineError> {
        let sockets = shared_sockets(shared);
        // Own to cell: the rest of the turn, and where the origin falls between the lines of the grid.
        let turn = Motion::new(
            if self.mirror { -self.rest } else { self.rest },
            Point::default(),
        );
        let exact = motion.translation * (1.0 / grid);
        let between = Point::new(
            exact.x - self.origin.0 as f64,
            exact.y - self.origin.1 as f64,
        );
        let straight = Motion {
            angle: self.quarters as f64 * std::f64::consts::FRAC_PI_2,
            mirror: self.mirror,
            translation: Point::default(),
        };
        let between = straight.inverse().rotate(between) * grid;
        let place = turn.to_apply();
        let place = |p: Point| to_grid(place(p) + between, grid);
        let n = own.edges.len();
        let corner = |k: usize| -> Grid {
            // A corner belongs to the socket that starts or ends there.
            let (here, before) = (own.edges[k], own.edges[(k + n - 1) % n]);
            let ends = |socket: usize| sockets.get(&socket).copied();
            let from_here = here.socket.and_then(ends).map(|(start, _)| start);
            let from_before = before.socket.and_then(ends).map(|(_, end)| end);
            let swap = |socket: Option<usize>, is_start: bool| {
                let (start, end) = ends(socket?)?;
                Some(if is_start { end } else { start })
            };
            let at = if self.mirror {
                swap(here.socket, true).or_else(|| swap(before.socket, false))
            } else {
                from_here.or(from_before)
            };
            at.map_or_else(|| place(here.from), |p| self.local(to_grid(p, grid)))
        };
        let wall = |k: usize| -> Vec<Grid> {
            let Edge { from, turn, .. } = own.edges[k];
            let inner = flatten(from, own.end(k), turn, tolerance);
            std::iter::once(corner(k))
                .chain(inner.into_iter().map(place))
                .collect()
        };
        let total: usize = (0..n).map(|k| wall(k).len()).sum();
        let is_arc = matches!(shape, Shape::Strip(Strip::Arc { .. }));
        let polygons = if is_arc && total > CUT_FROM {
            // Edges: pieces outwards, a socket, the same pieces back, a socket.
            let pieces = n / 2 - 1;
            let cut = (0..pieces).map(|k| {
                let back = n - 2 - k;
                let mut polygon = wall(k);
                polygon.push(corner(k + 1));
                polygon.extend(wall(back));
                polygon.push(corner(back + 1));
                polygon
            });
            cut.collect()
        } else {
            vec![(0..n).flat_map(wall).collect()]
        };
        let polygons: Cell = polygons.into_iter().map(clean).collect();
        if own.holes.is_empty() {
            return Ok(polygons);
        }
        let mut loops = polygons;
        loops.extend(own.holes.iter().map(|hole| {
            let n = hole.len();
            let wall = |k: usize| {
                let Edge { from, turn, .. } = hole[k];
                let inner = flatten(from, hole[(k + 1) % n].from, turn, tolerance);
                std::iter::once(from).chain(inner).map(place)
            };
            clean((0..n).flat_map(wall).collect())
        }));
        without_holes(&loops, grid)
    }
}

/// Polygons of this format have no holes: what lies between an outline and the walls of posts, cut from corner to corner.
fn without_holes(loops: &[Vec<Grid>], grid: f64) -> Result<Cell, OutlineError> {
    let on_plane = |p: &Grid| Point::new(p.0 as f64 * grid, p.1 as f64 * grid);
    let loops: Vec<Vec<Point>> = loops
        .iter()
        .map(|polygon| polygon.iter().map(on_plane).collect())
        .collect();
    let labels: Vec<Vec<u32>> = loops.iter().map(|polygon| vec![0; polygon.len()]).collect();
    let made = triangulate((&loops, &labels), &[], &[])?;
    let inside = made.triangles.iter().filter(|(_, label)| label.is_some());
    let triangles: Vec<[u32; 3]> = inside.map(|(corners, _)| *corners).collect();
    let pieces = joined(&triangles, CUT_FROM).into_iter();
    let on_grid = |k: u32| to_grid(made.points[k as usize], grid);
    Ok(pieces
        .map(|piece| piece.into_iter().map(on_grid).collect())
        .collect())
}

/// Start and end of every socket's edge, in the part's own sense of going round, in the chip's frame.
fn shared_sockets(shared: &PartOutline) -> BTreeMap<usize, (Point, Point)> {
    let ends = shared.edges.iter().enumerate();
    ends.filter_map(|(k, e)| Some((e.socket?, (e.from, shared.end(k)))))
        .collect()
}

/// Without corners that fell on each other.
fn clean(mut polygon: Vec<Grid>) -> Vec<Grid> {
    polygon.dedup();
    while polygon.len() > 1 && polygon.first() == polygon.last() {
        polygon.pop();
    }
    polygon
}

/// The stream of records.
struct Records(Vec<u8>);

impl Records {
    fn record(&mut self, kind: u8, data: u8, payload: &[u8]) {
        let length = (payload.len() + 4) as u16;
        self.0.extend(length.to_be_bytes());
        self.0.extend([kind, data]);
        self.0.extend(payload);
    }

    fn empty(&mut self, kind: u8) {
        self.record(kind, 0, &[]);
    }

    fn int16(&mut self, kind: u8, values: &[i16]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
        self.record(kind, 2, &bytes);
    }

    fn real(&mut self, kind: u8, values: &[f64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|&v| real8(v)).collect();
        self.record(kind, 5, &bytes);
    }

    fn text(&mut self, kind: u8, text: &str) {
        // Printable ASCII, an even number of bytes, as the format has it.
        let mut bytes: Vec<u8> = text
            .chars()
            .map(|c| {
                if (' '..='~').contains(&c) {
                    c as u8
                } else {
                    b'_'
                }
            })
            .take(126)
            .collect();
        if bytes.len() % 2 == 1 {
            bytes.push(0);
        }
        self.record(kind, 6, &bytes);
    }

    fn points(&mut self, points: impl Iterator<Item = Grid>) {
        let bytes: Vec<u8> = points
            .flat_map(|(x, y)| [x as i32, y as i32])
            .flat_map(i32::to_be_bytes)
            .collect();
        self.record(0x10, 3, &bytes);
    }

    fn boundary(&mut self, (layer, datatype): (i16, i16), polygon: &[Grid]) {
        if polygon.len() < 3 {
            return;
        }
        self.empty(0x08);
        self.int16(0x0d, &[layer]);
        self.int16(0x0e, &[datatype]);
        self.points(polygon.iter().chain(&polygon[..1]).copied());
        self.empty(0x11);
    }

    fn reference(&mut self, cell: &str, placement: &CellPlacement, part: &str) {
        self.empty(0x0a);
        self.text(0x12, cell);
        if placement.mirror || placement.quarters != 0 {
            self.record(0x1a, 1, &(u16::from(placement.mirror) << 15).to_be_bytes());
            self.real(0x1c, &[placement.quarters as f64 * 90.0]);
        }
        self.points(std::iter::once(placement.origin));
        self.int16(0x2b, &[1]);
        self.text(0x2c, part);
        self.empty(0x11);
    }

    /// A line as wide as `width` database units, with ends where its points are.
    fn path(&mut self, layer: i16, width: i64, points: &[Grid]) {
        self.empty(0x09);
        self.int16(0x0d, &[layer]);
        self.int16(0x0e, &[0]);
        self.int16(0x21, &[0]);
        self.record(0x0f, 3, &(width as i32).to_be_bytes());
        self.points(points.iter().copied());
        self.empty(0x11);
    }

    fn label(&mut self, layer: i16, text: &str, at: Grid) {
        self.empty(0x0c);
        self.int16(0x0d, &[layer]);
        self.int16(0x16, &[0]);
        self.points(std::iter::once(at));
        self.text(0x19, text);
        self.empty(0x11);
    }
}

/// Eight bytes: sign, excess-64 exponent of 16, 56 bits of mantissa in [1/16, 1).
pub(super) fn real8(value: f64) -> [u8; 8] {
    if value == 0.0 || !value.is_finite() {
        return [0; 8];
    }
    let mut exponent = 64_i32;
    let mut mantissa = value.abs();
    while mantissa >= 1.0 {
        mantissa /= 16.0;
        exponent += 1;
    }
    while mantissa < 1.0 / 16.0 {
        mantissa *= 16.0;
        exponent -= 1;
    }
    let bits = (mantissa * (1_u64 << 56) as f64) as u64;
    let sign = u64::from(value < 0.0) << 63;
    (sign | ((exponent as u64) << 56) | bits).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_are_those_of_the_format() {
        assert_eq!(real8(1.0), [0x41, 0x10, 0, 0, 0, 0, 0, 0]);
        assert_eq!(
            real8(1e-3),
            [0x3e, 0x41, 0x89, 0x37, 0x4b, 0xc6, 0xa7, 0xf0]
        );
        assert_eq!(real8(-270.0), [0xc3, 0x10, 0xe0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn halves_go_one_way_whatever_the_noise() {
        for k in -5..5 {
            let x = (f64::from(k) + 0.5) * 1e-9;
            assert_eq!(round(x + 1e-20, 1e-9), i64::from(k) + 1);
            assert_eq!(round(x - 1e-20, 1e-9), i64::from(k) + 1);
        }
    }
}
