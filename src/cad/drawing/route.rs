//! An island becomes places and ways: components in rows, channels in columns between them, tracks where they change columns.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use super::bipolar::{Bipolar, orient};
use super::netlist::{Freedom, Group, Netlist, Vertex};
use super::planar::{Island, Segment};
use super::rings::{Facing, Pose, Spacing, Ways, arrange, tracks, turn_of};
use crate::library::junction_outline;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::geometry::{Motion, Point};

/// How a group is put on the drawing.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// From where the design has it to where it is drawn.
    pub motion: Motion,
    /// Directions of a junction's channels by socket of the group, rad; then the motion only moves its origin.
    pub directions: Option<Vec<f64>>,
    /// Which socket each one's wire goes to, where they are alike.
    pub exchanged: Option<Vec<usize>>,
}

/// An island on the drawing.
#[derive(Clone, Debug, Default)]
pub(super) struct Routed {
    /// By vertex of the netlist.
    pub groups: BTreeMap<usize, Put>,
    /// Way-points of every segment in the wire's direction, both ends included.
    pub ways: BTreeMap<usize, Vec<Point>>,
    /// Its corners.
    pub low: Point,
    pub high: Point,
}

/// Draws an island, its source at the bottom; the vertex around which channels can't be laid where there is one.
///
/// - `source`: vertex of the netlist
/// - `gap`: between walls, m
pub(super) fn route(
    netlist: &Netlist,
    segments: &[Segment],
    island: &Island,
    source: usize,
    gap: f64,
) -> Result<Routed, usize> {
    let local = island.vertices.iter().position(|&v| v == source);
    let bipolar = orient(island.plane.clone(), local.unwrap_or(0)).ok_or(source)?;
    let mut page = Page {
        netlist,
        segments,
        island,
        bipolar,
        gap,
        poses: Vec::new(),
        columns: Vec::new(),
        x: vec![None; island.segments.len()],
        halves: vec![[const { Vec::new() }; 2]; island.segments.len()],
        routed: Routed::default(),
    };
    page.pose()?;
    page.columns()?;
    page.rows();
    Ok(page.routed)
}

#[derive(Clone, Debug)]
struct Posed {
    put: Put,
    ways: Ways,
}

struct Page<'a> {
    netlist: &'a Netlist,
    segments: &'a [Segment],
    island: &'a Island,
    bipolar: Bipolar,
    gap: f64,
    /// By local vertex; `None` for open ends and points.
    poses: Vec<Option<Posed>>,
    /// Columns of edges, then of vertices.
    columns: Vec<Vec<[f64; 2]>>,
    /// Where each edge runs.
    x: Vec<Option<f64>>,
    /// Way of each edge from its lower vertex, and from its upper one.
    halves: Vec<[Vec<Point>; 2]>,
    routed: Routed,
}

impl Page<'_> {
    fn width(&self, edge: usize) -> f64 {
        let segment = &self.segments[self.island.segments[edge]];
        self.netlist.wires[segment.wire].width
    }

    fn spacing(&self, v: usize) -> Spacing {
        let edges = self.bipolar.below[v].iter().chain(&self.bipolar.above[v]);
        Spacing {
            width: edges.map(|&e| self.width(e)).fold(0.0, f64::max),
            gap: self.gap,
        }
    }

    /// The socket of the group at local vertex `v` that an edge meets.
    fn socket(&self, edge: usize, v: usize) -> usize {
        let segment = &self.segments[self.island.segments[edge]];
        let end = usize::from(segment.ends[0] != self.island.vertices[v]);
        segment.sockets[end]
    }

    fn pose(&mut self) -> Result<(), usize> {
        for v in 0..self.island.vertices.len() {
            let vertex = self.island.vertices[v];
            let Vertex::Group(group) = &self.netlist.vertices[vertex] else {
                self.poses.push(None);
                continue;
            };
            // Counter-clockwise from the left below.
            let (below, above) = (&self.bipolar.below[v], &self.bipolar.above[v]);
            let edges: Vec<usize> = below.iter().chain(above.iter().rev()).copied().collect();
            let order: Vec<usize> = edges.iter().map(|&e| self.socket(e, v)).collect();
            let poses = match group.freedom {
                Freedom::Rigid => rigid(group, &order),
                Freedom::Symmetric => symmetric(group, &order),
                Freedom::Junction => junction(group, &order, below.len()),
            };
            let spacing = self.spacing(v);
            let (put, ways) = arrange(poses, below.len(), spacing).ok_or(vertex)?;
            self.poses.push(Some(Posed { put, ways }));
        }
        Ok(())
    }

    fn columns(&mut self) -> Result<(), usize> {
        let n = self.island.vertices.len();
        let edges: Vec<f64> = (0..self.island.segments.len())
            .map(|e| {
                let jogs = self.island.plane.edges[e].map(|v| self.spacing(v).jog());
                self.width(e) + self.gap + jogs[0].max(jogs[1])
            })
            .collect();
        let vertices: Vec<f64> = (0..n)
            .map(|v| match &self.poses[v] {
                None => 0.0,
                Some(posed) => {
                    let n_below = self.bipolar.below[v].len() as f64;
                    let free = 2.0 * (n_below + 1.0) * self.spacing(v).jog();
                    posed.ways.high.x - posed.ways.low.x + self.gap + free
                }
            })
            .collect();
        let (edges, vertices) = self
            .bipolar
            .columns(&edges, &vertices)
            .ok_or(self.island.vertices[0])?;
        self.columns = vec![edges, vertices];
        Ok(())
    }

    /// Where an edge may run: its column without half of its width and gap on either side.
    fn range(&self, edge: usize) -> [f64; 2] {
        let [a, b] = self.columns[0][edge];
        let half = (self.width(edge) + self.gap) / 2.0;
        [a + half, b - half]
    }

    fn rows(&mut self) {
        let mut levels: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (v, level) in self.bipolar.level.iter().enumerate() {
            levels.entry(*level).or_default().push(v);
        }
        let mut y = 0.0;
        for row in levels.values() {
            let mut top = y;
            for &v in row {
                top = f64::max(top, self.vertex(v, y));
            }
            y = top;
        }
        let mut all = Vec::new();
        for (e, halves) in self.halves.iter().enumerate() {
            let segment = self.island.segments[e];
            let mut way = halves[0].clone();
            way.extend(halves[1].iter().rev());
            // Halves run upwards; the wire may run the other way.
            let [a, b] = self.island.plane.edges[e];
            if self.bipolar.level[a] > self.bipolar.level[b] {
                way.reverse();
            }
            all.extend(way.iter().copied());
            self.routed.ways.insert(segment, way);
        }
        for (v, posed) in self.poses.iter().enumerate() {
            if let Some(posed) = posed {
                let put = &self.routed.groups[&self.island.vertices[v]];
                let moved = put.motion.translation;
                all.extend([posed.ways.low + moved, posed.ways.high + moved]);
            }
        }
        (self.routed.low, self.routed.high) = bounds(&all);
    }

    /// Puts a vertex above `y`; the height that it reaches.
    fn vertex(&mut self, v: usize, y: f64) -> f64 {
        let spacing = self.spacing(v);
        let (below, above) = (self.bipolar.below[v].clone(), self.bipolar.above[v].clone());
        let own: Vec<f64> = below.iter().filter_map(|&e| self.x[e]).collect();
        let Some(posed) = self.poses[v].clone() else {
            return self.point(&below, &above, &own, y, spacing);
        };
        let column = |way: &Vec<Point>| way.last().map_or(0.0, |p| p.x);
        let local: Vec<f64> = posed.ways.points.iter().map(column).collect();
        let n_below = below.len();
        let shift = self.shift(v, &posed.ways, &local[..n_below], &own, spacing);
        let from: Vec<f64> = local[..n_below].iter().map(|x| x + shift).collect();
        let down = tracks(&from, &own, spacing);
        let n_tracks = down.iter().copied().max().unwrap_or(0) as f64;
        let foot = posed.ways.low.y - n_tracks * spacing.pitch() - spacing.width;
        let motion = Point::new(shift, y - foot);
        for (k, &e) in below.iter().enumerate() {
            let mut way: Vec<Point> = posed.ways.points[k].iter().map(|&p| p + motion).collect();
            if down[k] > 0 {
                let track = posed.ways.low.y + motion.y - (down[k] as f64 - 0.5) * spacing.pitch();
                way.extend([Point::new(from[k], track), Point::new(own[k], track)]);
            }
            self.halves[e][1] = way;
        }
        // Counter-clockwise means right to left above.
        let n = posed.ways.points.len();
        let mut starts = Vec::new();
        for (k, &e) in above.iter().enumerate() {
            let way = &posed.ways.points[n - 1 - k];
            self.halves[e][0] = way.iter().map(|&p| p + motion).collect();
            starts.push(local[n - 1 - k] + shift);
        }
        let mut put = posed.put.clone();
        put.motion.translation = motion;
        self.routed.groups.insert(self.island.vertices[v], put);
        self.fan(&above, &starts, posed.ways.high.y + motion.y, spacing)
    }

    /// Puts an open end, or a point of a wire, above `y`; the height that it reaches.
    fn point(
        &mut self,
        below: &[usize],
        above: &[usize],
        own: &[f64],
        y: f64,
        spacing: Spacing,
    ) -> f64 {
        let at_y = y + spacing.straight();
        let middle = |e: usize| {
            let [a, b] = self.range(e);
            (a + b) / 2.0
        };
        let starts: Vec<f64> = match own {
            [] => above.iter().map(|&e| middle(e)).collect(),
            own => own.to_vec(),
        };
        let at = Point::new(starts.first().copied().unwrap_or(0.0), at_y);
        match (below, above) {
            (&[down], &[up]) => {
                self.halves[down][1].push(at);
                self.halves[up][0].push(at);
                return self.fan(&[up], &[at.x], at_y + spacing.width, spacing);
            }
            (edges, []) | ([], edges) => {
                // A wire that turns back here runs across, from the column of one edge to that of the other.
                let end = usize::from(above.is_empty());
                for (k, &e) in edges.iter().enumerate() {
                    self.halves[e][end].push(at);
                    if k > 0 {
                        self.halves[e][end].push(Point::new(starts[k], at_y));
                    }
                    self.x[e] = Some(starts[k]);
                }
            }
            // No point of a wire has more than two edges.
            _ => {}
        }
        at_y + spacing.straight()
    }

    /// Chooses columns for the edges that lead up and takes them there; the height where all run straight.
    fn fan(&mut self, above: &[usize], starts: &[f64], y: f64, spacing: Spacing) -> f64 {
        let jog = spacing.jog();
        let mut to = Vec::new();
        for (&e, &start) in above.iter().zip(starts) {
            let [a, b] = self.range(e);
            let mut x = start.clamp(a.min(b), b.max(a));
            // A step sideways has to have room for its two bends.
            let step = x - start;
            if step != 0.0 && step.abs() < jog {
                x = if step > 0.0 { start + jog } else { start - jog };
            }
            to.push(x);
        }
        let up = tracks(starts, &to, spacing);
        let n_tracks = up.iter().copied().max().unwrap_or(0) as f64;
        for (k, &e) in above.iter().enumerate() {
            if up[k] > 0 {
                let track = y + (up[k] as f64 - 0.5) * spacing.pitch();
                self.halves[e][0].extend([Point::new(starts[k], track), Point::new(to[k], track)]);
            }
            self.x[e] = Some(to[k]);
        }
        y + n_tracks * spacing.pitch() + spacing.width
    }

    /// How far to the right a component goes within its column, so that channels from below meet it straight, or by whole steps.
    fn shift(&self, v: usize, ways: &Ways, local: &[f64], own: &[f64], spacing: Spacing) -> f64 {
        let [left, right] = self.columns[1][v];
        let (least, most) = (left - ways.low.x, right - ways.high.x);
        let jog = spacing.jog();
        let middle = (least + most) / 2.0;
        let fits = |shift: f64| {
            local.iter().zip(own).all(|(x, own)| {
                let step = (x + shift - own).abs();
                step < 1e-9 * spacing.width || step >= jog * (1.0 - 1e-9)
            })
        };
        let mut tried = vec![middle, least, most];
        for (x, own) in local.iter().zip(own) {
            tried.extend([own - x, own - x - jog, own - x + jog]);
        }
        let cost = |shift: f64| -> f64 {
            let steps = local
                .iter()
                .zip(own)
                .map(|(x, own)| (x + shift - own).abs());
            steps.sum::<f64>() + 1e-3 * (shift - middle).abs()
        };
        tried
            .into_iter()
            .filter(|s| (least..=most).contains(s) && fits(*s))
            .min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
            .unwrap_or(middle)
    }
}

/// Quarter turns and their mirror images, the plain ones first.
fn rigid(group: &Group, order: &[usize]) -> Vec<Pose<Put>> {
    let mut out = Vec::new();
    for mirror in [false, true] {
        for k in 0..4 {
            out.push(turned(group, order, mirror, k, None));
        }
    }
    out
}

fn turned(
    group: &Group,
    order: &[usize],
    mirror: bool,
    quarter: i32,
    exchanged: Option<Vec<usize>>,
) -> Pose<Put> {
    let motion = Motion {
        angle: FRAC_PI_2 * f64::from(quarter),
        mirror,
        translation: Point::default(),
    };
    let (low, high) = bounds(&[motion.apply(group.low), motion.apply(group.high)]);
    let facing = |&socket: &usize| -> Facing {
        let socket = &group.sockets[socket];
        (motion.apply(socket.at), motion.turn(socket.direction))
    };
    Pose {
        sockets: order.iter().map(facing).collect(),
        tag: Put {
            motion,
            directions: None,
            exchanged,
        },
        low,
        high,
    }
}

/// Sockets that are alike are given out around the component, from each of them on.
fn symmetric(group: &Group, order: &[usize]) -> Vec<Pose<Put>> {
    let n = order.len();
    let mut around: Vec<usize> = (0..group.sockets.len()).collect();
    let turn = |k: usize| {
        let socket = &group.sockets[k];
        turn_of(
            (socket.at, socket.direction),
            group.low,
            group.high,
            socket.width,
        )
    };
    around.sort_by(|&a, &b| turn(a).total_cmp(&turn(b)));
    let mut out = Vec::new();
    if around.len() != n {
        return rigid(group, order);
    }
    for offset in 0..n {
        let given: Vec<usize> = (0..n).map(|k| around[(k + offset) % n]).collect();
        let mut exchanged = vec![0; n];
        for (own, new) in order.iter().zip(&given) {
            exchanged[*own] = *new;
        }
        out.push(turned(group, &given, false, 0, Some(exchanged)));
    }
    out
}

/// Right angles for up to four channels, even angles for more.
fn junction(group: &Group, order: &[usize], n_below: usize) -> Vec<Pose<Put>> {
    let n = order.len();
    let mut fans: Vec<Vec<f64>> = Vec::new();
    if n <= 4 {
        for mask in 0..16_u32 {
            if mask.count_ones() as usize != n {
                continue;
            }
            let sides: Vec<u32> = (0..4).filter(|k| mask >> k & 1 == 1).collect();
            for offset in 0..n {
                let side = |k: usize| f64::from(sides[(k + offset) % n]);
                fans.push((0..n).map(|k| FRAC_PI_2 * (side(k) - 1.0)).collect());
            }
        }
    } else {
        let middle = (n_below as f64 - 1.0) / 2.0;
        let angle = |k: usize| -FRAC_PI_2 + (k as f64 - middle) * TAU / n as f64;
        fans.push((0..n).map(angle).collect());
    }
    // Arms are numbered by the names of their sockets; those whose link isn't drawn take the widest gaps.
    let arms: Vec<usize> = group.sockets.iter().map(|s| arm(&s.name)).collect();
    let idle: Vec<usize> = (0..arms.len()).filter(|k| !order.contains(k)).collect();
    let pose = |fan: Vec<f64>| {
        let mut all = fan.clone();
        for _ in &idle {
            all.push(middle_of_widest_gap(&all));
        }
        let sockets = || order.iter().chain(&idle).zip(&all);
        let channels: Vec<(f64, f64)> = sockets()
            .map(|(&socket, &direction)| (direction, group.sockets[socket].width))
            .collect();
        let outline = junction_outline(&channels).ok()?;
        let (low, high) = bounds(&outline.corners);
        let mut directions = vec![0.0; arms.len()];
        for (&socket, &direction) in sockets() {
            *directions.get_mut(arms[socket])? = direction;
        }
        let reach = |(k, &direction): (usize, &f64)| {
            (Point::unit(direction) * outline.reaches[k], direction)
        };
        Some(Pose {
            sockets: fan.iter().enumerate().map(reach).collect(),
            tag: Put {
                motion: Motion::IDENTITY,
                directions: Some(directions),
                exchanged: None,
            },
            low,
            high,
        })
    };
    fans.into_iter().filter_map(pose).collect()
}

/// Index of the arm that a junction's socket `name.m3` is.
fn arm(socket: &str) -> usize {
    let number = socket.rsplit_once(".m").and_then(|(_, k)| k.parse().ok());
    number.map_or(usize::MAX, |k: usize| k.wrapping_sub(1))
}

/// Halfway between the two neighbours among directions that are farthest apart, rad.
fn middle_of_widest_gap(directions: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = directions.iter().map(|d| d.rem_euclid(TAU)).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let gap = |k: usize| (sorted[(k + 1) % n] - sorted[k]).rem_euclid(TAU);
    // One direction alone has all of the circle beside it.
    let width = |k: usize| if n == 1 { TAU } else { gap(k) };
    let widest = (0..n).max_by(|&a, &b| width(a).total_cmp(&width(b)));
    widest.map_or(0.0, |k| sorted[k] + width(k) / 2.0)
}
