//! A solved chip as a network: pipes whose middles are developed, and the regions between them.
//!
//! ```text
//!   port ====pipe====|  region: tee with 1.5 widths of its arms  |====pipe==== port
//!                 socket                                      socket
//! ```
//! A pipe that is too short for 1.5 widths at both ends is cut about its middle, a slice of cells wide, if 1.25 widths are left or if the flow is
//! developed there (`developed`); else it belongs to the region around it.
//!
//! The flow of a pipe is the mean of the flux through its sections, which balances exactly at regions: `u` is orthogonal to the gradient of
//! every continuous P1 function, such as the one that is 1 in a region and falls to 0 along its pipes.

mod developed;
mod middle;

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use self::middle::Middle;
use crate::SpeciesError;
use crate::profile::Profile;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_flow::field::Field;

/// Widths of a pipe that belong to the region at its end: the flow is developed to 2e-3 behind them (entry modes fall like exp(-4.2 x/w)).
pub const ENTRY: f64 = 1.5;
/// Below this part of the largest flow a socket is a closed end.
pub const STILL: f64 = 1e-9;

/// Where a pipe's middle ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a port of the chip, by index.
    Port(usize),
    /// At a socket of a region: region, socket.
    Region(usize, usize),
    /// At a wall.
    Closed,
}

/// The developed middle of a straight channel.
#[derive(Clone, Debug)]
pub struct Pipe {
    /// Index into the chip's parts.
    pub part: usize,
    /// m.
    pub width: f64,
    /// From cut to cut, m.
    pub length: f64,
    /// Where the middle begins and ends along the part, m.
    pub along: [f64; 2],
    /// Towards the second end, m^2/s.
    pub flow: f64,
    /// At `along`.
    pub ends: [End; 2],
}

/// What a socket of a region leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// A pipe: its index, which end of it.
    Pipe(usize, usize),
    /// A port of the chip.
    Port(usize),
}

/// A developed cross-section on the rim of a region.
#[derive(Clone, Debug)]
pub struct Socket {
    /// What is beyond.
    pub beyond: Beyond,
    /// m.
    pub width: f64,
    /// Out of the region, m^2/s.
    pub outflow: f64,
    /// Nodes counter-clockwise about the region (vertices and edge middles in turn), and their places 0..1 along it.
    pub nodes: Vec<(u32, f64)>,
}

/// A loop of the rim: nodes in order, vertices and edge middles in turn, the region to the left.
pub type Loop = Vec<u32>;

/// A junction, bend or chamber, or several without a developed pipe between.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Cells of the fields.
    pub cells: Vec<u32>,
    /// Its sockets.
    pub sockets: Vec<Socket>,
    /// The outer loop first, then those round islands.
    pub loops: Vec<Loop>,
    /// m^2.
    pub area: f64,
}

/// A chip's pipes and regions.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Developed middles of straight channels.
    pub pipes: Vec<Pipe>,
    /// All else.
    pub regions: Vec<Region>,
    /// Into the chip at every port, m^2/s, balanced.
    pub port_flow: Vec<f64>,
    /// Greatest flow through a port or pipe, m^2/s.
    pub largest: f64,
    /// Drag of floor and ceiling, 1/m^2.
    pub drag: f64,
    /// For every cell the pipe it lies in, or [`NO_PIPE`].
    pub pipe_of_cell: Vec<u32>,
}

/// A cell of a region.
pub const NO_PIPE: u32 = u32::MAX;

/// The integral of velocity over every cell, whose edges are taken to be straight, m^3/s.
pub fn integrals(fields: &Field<2>) -> Vec<Point> {
    let one = |n: &[u32; 6]| {
        let [a, b, c] = [0, 1, 2].map(|k| fields.nodes[n[k] as usize]);
        // The mean of a quadratic is that of its values at the middles of the edges.
        let middles = n[3..].iter().map(|&k| fields.velocity[k as usize]);
        middles.fold(Point::default(), |s, u| s + u) * ((b - a).cross(c - a) / 6.0)
    };
    parallel::fill(fields.cells.len(), 1 << 12, |c| one(&fields.cells[c]))
}

/// Area between a cell's curved edges and its chords, added to the chords' triangle.
fn area(fields: &Field<2>, cell: usize) -> f64 {
    let x = fields.cells[cell].map(|k| fields.nodes[k as usize]);
    let straight = 0.5 * (x[1] - x[0]).cross(x[2] - x[0]);
    (0..3).fold(straight, |sum, k| {
        let (a, b, m) = (x[k], x[(k + 1) % 3], x[k + 3]);
        // A parabola's segment is two thirds of chord times height.
        sum + (m - (a + b) * 0.5).cross(b - a) * (2.0 / 3.0)
    })
}

/// Finds pipes and regions of a solved chip from its flow in the plane, or its mean over the depth.
///
/// # Shapes and units
/// - `integrals`: of the velocity over every cell of the fields, m^3/s ([`integrals`])
/// - `port_flow`: into the chip at every port, m^2/s
/// # Errors
/// [`SpeciesError::NoFields`] where only ports were solved, [`SpeciesError::Still`] where nothing flows, [`SpeciesError::Topology`].
pub fn network(
    chip: &Chip,
    fields: &Field<2>,
    integrals: &[Point],
    port_flow: Vec<f64>,
) -> Result<Network, SpeciesError> {
    if fields.cells.is_empty() {
        return Err(SpeciesError::NoFields);
    }
    let mut net = Network {
        drag: match (chip.model, chip.depth) {
            // The mean over the depth is nearly that of the shallow model.
            (DepthModel::Full, depth) => DepthModel::Shallow.drag(depth),
            _ => chip.drag(),
        },
        port_flow,
        pipe_of_cell: vec![NO_PIPE; fields.cells.len()],
        ..Network::default()
    };
    let mut cells_of: Vec<Vec<u32>> = vec![Vec::new(); chip.parts.len()];
    for (c, &p) in fields.part.iter().enumerate() {
        cells_of[p as usize].push(c as u32);
    }
    let port_at = |part: usize, socket: usize| {
        chip.ports
            .iter()
            .position(|p| p.socket.part == part && p.socket.socket == socket)
    };
    let mut socket_of_node: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut open: Vec<(Beyond, Vec<u32>, f64)> = Vec::new();
    let found = parallel::map(chip.parts.len(), 1, |p| {
        let is_port = [0, 1].map(|socket| port_at(p, socket).is_some());
        Middle::of(
            chip,
            (fields, integrals),
            p,
            &cells_of[p],
            is_port,
            net.drag,
        )
    });
    for (p, middle) in found.into_iter().enumerate() {
        let Some(middle) = middle else {
            continue;
        };
        let index = net.pipes.len();
        for &c in &middle.cells {
            net.pipe_of_cell[c as usize] = index as u32;
        }
        for (end, nodes) in middle.ends.into_iter().enumerate() {
            let Some(nodes) = nodes else {
                continue;
            };
            let m = open.len() as u32;
            for &n in &nodes {
                socket_of_node.entry(n).or_default().push(m);
            }
            open.push((Beyond::Pipe(index, end), nodes, middle.width));
        }
        let [from, to] = middle.along;
        net.pipes.push(Pipe {
            part: p,
            width: middle.width,
            length: to - from,
            along: middle.along,
            flow: middle.flow,
            ends: [0, 1].map(|socket| port_at(p, socket).map_or(End::Closed, End::Port)),
        });
    }
    // Ports that no pipe leads to.
    for (k, port) in chip.ports.iter().enumerate() {
        if net.pipes.iter().any(|p| p.ends.contains(&End::Port(k))) {
            continue;
        }
        let part = &chip.parts[port.socket.part];
        let sockets = part.shape.sockets();
        let Some(socket) = sockets.get(port.socket.socket) else {
            continue;
        };
        let (middle, out) = (
            part.motion.apply(socket.middle),
            Point::unit(part.motion.turn(socket.direction)),
        );
        let tiny = 1e-6 * socket.width;
        let mut nodes: Vec<u32> = cells_of[port.socket.part]
            .iter()
            .flat_map(|&c| fields.cells[c as usize])
            .filter(|&n| {
                let d = fields.nodes[n as usize] - middle;
                d.dot(out).abs() < tiny && d.cross(out).abs() < 0.5 * socket.width + tiny
            })
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let m = open.len() as u32;
        for &n in &nodes {
            socket_of_node.entry(n).or_default().push(m);
        }
        open.push((Beyond::Port(k), nodes, socket.width));
    }
    net.gather_regions(fields, &open, &socket_of_node)?;
    net.balance()?;
    Ok(net)
}

impl Network {
    /// The profile of a channel of this width.
    pub fn profile(&self, width: f64) -> Profile {
        Profile::new(width, self.drag)
    }

    fn gather_regions(
        &mut self,
        fields: &Field<2>,
        open: &[(Beyond, Vec<u32>, f64)],
        socket_of_node: &FxHashMap<u32, Vec<u32>>,
    ) -> Result<(), SpeciesError> {
        let n_cells = fields.cells.len();
        const NONE: u32 = u32::MAX;
        // Cells on both sides of every edge, by the node in its middle.
        let mut beside: Vec<[u32; 2]> = vec![[NONE; 2]; fields.nodes.len()];
        for c in (0..n_cells).filter(|&c| self.pipe_of_cell[c] == NO_PIPE) {
            for &middle in &fields.cells[c][3..] {
                let sides = &mut beside[middle as usize];
                sides[usize::from(sides[0] != NONE)] = c as u32;
            }
        }
        // Connected cells, in the order of their first cell.
        let mut region_of = vec![NONE; n_cells];
        for start in 0..n_cells {
            if self.pipe_of_cell[start] != NO_PIPE || region_of[start] != NONE {
                continue;
            }
            let r = self.regions.len() as u32;
            let mut region = Region::default();
            let mut stack = vec![start as u32];
            region_of[start] = r;
            while let Some(c) = stack.pop() {
                region.cells.push(c);
                for &middle in &fields.cells[c as usize][3..] {
                    for &next in &beside[middle as usize] {
                        if next != NONE && region_of[next as usize] == NONE {
                            region_of[next as usize] = r;
                            stack.push(next);
                        }
                    }
                }
            }
            region.cells.sort_unstable();
            region.area = region.cells.iter().map(|&c| area(fields, c as usize)).sum();
            self.regions.push(region);
        }
        let rims = parallel::map(self.regions.len(), 1, |r| {
            let loops = rim(fields, &self.regions[r].cells, &beside, r)?;
            let mut sockets = Vec::new();
            for (k, rim) in loops.iter().enumerate() {
                sockets.extend(sockets_on(fields, rim, open, socket_of_node, k, r)?);
            }
            Ok((loops, sockets))
        });
        let rims: Vec<(Vec<Loop>, Vec<Socket>)> =
            rims.into_iter().collect::<Result<_, SpeciesError>>()?;
        for (r, (loops, sockets)) in rims.into_iter().enumerate() {
            for (m, socket) in sockets.iter().enumerate() {
                if let Beyond::Pipe(p, end) = socket.beyond {
                    self.pipes[p].ends[end] = End::Region(r, m);
                }
            }
            self.regions[r].sockets = sockets;
            self.regions[r].loops = loops;
        }
        Ok(())
    }

    /// Gives sockets their flows; what rounding leaves over at regions is spread over the network by least squares.
    fn balance(&mut self) -> Result<(), SpeciesError> {
        let pipes = self.pipes.iter().map(|p| p.flow.abs());
        self.largest = pipes
            .chain(self.port_flow.iter().map(|q| q.abs()))
            .fold(0.0, f64::max);
        if !(self.largest > 0.0 && self.largest.is_finite()) {
            return Err(SpeciesError::Still);
        }
        for pipe in &mut self.pipes {
            for end in 0..2 {
                if let End::Port(k) = pipe.ends[end] {
                    // One number for the pipe and its port; a pipe between two ports keeps its own.
                    let inflow = if end == 0 { pipe.flow } else { -pipe.flow };
                    self.port_flow[k] = inflow;
                }
            }
        }
        // Unknown potentials of regions; each pipe or port between a region and something else can be corrected.
        let n = self.regions.len();
        let excess = |net: &Network| -> Vec<f64> {
            let mut out = vec![0.0; n];
            for (r, region) in net.regions.iter().enumerate() {
                out[r] = region.sockets.iter().map(|m| net.outflow(m)).sum();
            }
            out
        };
        for _ in 0..3 {
            let b = excess(self);
            if b.iter().all(|x| x.abs() <= 1e-15 * self.largest) {
                break;
            }
            let x = self.potentials(&b);
            let at = |end: End| match end {
                End::Region(r, _) => x[r],
                _ => 0.0,
            };
            let corrections: Vec<f64> = self
                .pipes
                .iter()
                .map(|p| at(p.ends[0]) - at(p.ends[1]))
                .collect();
            for (p, d) in corrections.into_iter().enumerate() {
                let pipe = &mut self.pipes[p];
                pipe.flow -= d;
                for end in 0..2 {
                    if let End::Port(k) = pipe.ends[end] {
                        self.port_flow[k] = if end == 0 { pipe.flow } else { -pipe.flow };
                    }
                }
            }
            for (region, correction) in self.regions.iter().zip(x.iter().take(n)) {
                for socket in &region.sockets {
                    if let Beyond::Port(k) = socket.beyond {
                        self.port_flow[k] += correction;
                    }
                }
            }
        }
        for r in 0..n {
            for m in 0..self.regions[r].sockets.len() {
                let q = self.outflow(&self.regions[r].sockets[m]);
                self.regions[r].sockets[m].outflow = if q.abs() < STILL * self.largest {
                    0.0
                } else {
                    q
                };
            }
        }
        Ok(())
    }

    fn outflow(&self, socket: &Socket) -> f64 {
        match socket.beyond {
            Beyond::Pipe(p, 0) => self.pipes[p].flow,
            Beyond::Pipe(p, _) => -self.pipes[p].flow,
            Beyond::Port(k) => -self.port_flow[k],
        }
    }

    /// Solves the network's graph Laplacian by conjugate gradients: excess `b` is carried to ports by the smallest corrections.
    fn potentials(&self, b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let apply = |x: &[f64]| -> Vec<f64> {
            let mut y = vec![0.0; n];
            let end = |e: End| match e {
                End::Region(r, _) => Some(r),
                _ => None,
            };
            for pipe in &self.pipes {
                let (a, c) = (end(pipe.ends[0]), end(pipe.ends[1]));
                if pipe.ends.contains(&End::Closed) {
                    continue;
                }
                let d = a.map_or(0.0, |a| x[a]) - c.map_or(0.0, |c| x[c]);
                if let Some(a) = a {
                    y[a] += d;
                }
                if let Some(c) = c {
                    y[c] -= d;
                }
            }
            for (r, region) in self.regions.iter().enumerate() {
                let ports = region
                    .sockets
                    .iter()
                    .filter(|m| matches!(m.beyond, Beyond::Port(_)))
                    .count();
                y[r] += ports as f64 * x[r];
            }
            y
        };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut x = vec![0.0; n];
        let mut residual = b.to_vec();
        let mut direction = residual.clone();
        let mut size = dot(&residual, &residual);
        let enough = size * 1e-24;
        for _ in 0..20 * n + 20 {
            if size <= enough {
                break;
            }
            let image = apply(&direction);
            let curvature = dot(&direction, &image);
            if curvature <= 0.0 {
                break;
            }
            let step = size / curvature;
            for k in 0..n {
                x[k] += step * direction[k];
                residual[k] -= step * image[k];
            }
            let next = dot(&residual, &residual);
            for k in 0..n {
                direction[k] = residual[k] + next / size * direction[k];
            }
            size = next;
        }
        x
    }
}

/// Loops of edges that only one cell of the region has; the outer one (largest area) first.
fn rim(
    fields: &Field<2>,
    cells: &[u32],
    beside: &[[u32; 2]],
    region: usize,
) -> Result<Vec<Loop>, SpeciesError> {
    let mut next: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
    let mut starts = Vec::new();
    for &c in cells {
        let n = fields.cells[c as usize];
        for k in 0..3 {
            let (a, b) = (n[k], n[(k + 1) % 3]);
            if beside[n[k + 3] as usize][1] == u32::MAX {
                next.entry(a).or_default().push((n[k + 3], b));
                starts.push(a);
            }
        }
    }
    let mut loops: Vec<(f64, Loop)> = Vec::new();
    for start in starts {
        let mut rim = Vec::new();
        let mut at = start;
        while let Some((middle, to)) = next.get_mut(&at).and_then(Vec::pop) {
            rim.extend([at, middle]);
            at = to;
            if at == start {
                break;
            }
        }
        if rim.is_empty() {
            continue;
        }
        if at != start {
            return Err(SpeciesError::Topology { region });
        }
        let p = |k: usize| fields.nodes[rim[k % rim.len()] as usize];
        let area: f64 = (0..rim.len()).map(|k| 0.5 * p(k).cross(p(k + 1))).sum();
        loops.push((area, rim));
    }
    loops.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(loops.into_iter().map(|l| l.1).collect())
}

/// Runs of edges of a loop that lie on one socket.
fn sockets_on(
    fields: &Field<2>,
    rim: &Loop,
    open: &[(Beyond, Vec<u32>, f64)],
    socket_of_node: &FxHashMap<u32, Vec<u32>>,
    which: usize,
    region: usize,
) -> Result<Vec<Socket>, SpeciesError> {
    let n_edges = rim.len() / 2;
    // The middle of an edge lies on one socket at most.
    let socket_of = |e: usize| {
        socket_of_node
            .get(&rim[2 * e + 1])
            .and_then(|m| m.first().copied())
    };
    let first = (0..n_edges).find(|&e| socket_of(e) != socket_of((e + n_edges - 1) % n_edges));
    let Some(first) = first else {
        return Ok(Vec::new());
    };
    let mut out: Vec<Socket> = Vec::new();
    let mut last = None;
    for k in 0..n_edges {
        let e = (first + k) % n_edges;
        let socket = socket_of(e);
        if let Some(m) = socket {
            if which > 0 {
                return Err(SpeciesError::Topology { region });
            }
            let (beyond, _, width) = &open[m as usize];
            if socket != last {
                out.push(Socket {
                    beyond: *beyond,
                    width: *width,
                    outflow: 0.0,
                    nodes: vec![(rim[2 * e], 0.0)],
                });
            }
            let end = rim[(2 * e + 2) % rim.len()];
            if let Some(open) = out.last_mut() {
                let origin = fields.nodes[open.nodes[0].0 as usize];
                for n in [rim[2 * e + 1], end] {
                    let t = (fields.nodes[n as usize] - origin).norm() / open.width;
                    open.nodes.push((n, t));
                }
            }
        }
        last = socket;
    }
    Ok(out)
}
