//! Sections become values at nodes: those of the plane at mid-depth, or those of all levels.

use stokeslet_base::parallel;

use super::line::{Arrival, Window, follow};
use super::slab::At;
use super::{Fluid, Space, cells_across, station};
use crate::SpeciesError;
use crate::duct::{Duct, Station};
use crate::field::{between, nodes_of_pipes, place_in_pipe, stations};
use crate::network::{Network, STILL};
use crate::stream::Stream;
use crate::transport::{Followed, Task};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;

/// How far towards the middle of its cell a node is read: on walls nothing moves.
const OFF_WALL: f64 = 0.05;

/// One node of the plane, on all levels that are wanted.
type Column = (u32, Vec<f64>);

impl Space {
    /// Values of a followed species (or of ages) at mid-depth, at the nodes of the plane.
    ///
    /// # Errors
    /// [`SpeciesError::Singular`].
    pub fn at_mid_depth(
        &self,
        chip: &Chip,
        fluid: Fluid<'_>,
        followed: &Followed,
        task: &Task<'_>,
    ) -> Result<Vec<f64>, SpeciesError> {
        let last = self.slab.levels - 1;
        let columns = self.columns(chip, fluid, followed, task, &[last])?;
        Ok(columns.into_iter().map(|c| c[0]).collect())
    }

    /// The same at all nodes of the flow in space.
    ///
    /// # Errors
    /// [`SpeciesError::Singular`].
    pub fn in_space(
        &self,
        chip: &Chip,
        fluid: Fluid<'_>,
        followed: &Followed,
        task: &Task<'_>,
    ) -> Result<Vec<f64>, SpeciesError> {
        let levels: Vec<usize> = (0..self.slab.levels).collect();
        let columns = self.columns(chip, fluid, followed, task, &levels)?;
        let value = |&(column, level): &(u32, u32)| columns[column as usize][level as usize];
        Ok(self.slab.place.iter().map(value).collect())
    }

    /// By node of the plane: values on some levels.
    fn columns(
        &self,
        chip: &Chip,
        fluid: Fluid<'_>,
        followed: &Followed,
        task: &Task<'_>,
        levels: &[usize],
    ) -> Result<Vec<Vec<f64>>, SpeciesError> {
        let key = (cells_across(task.tubes), false);
        let level = self.level(fluid, key, &CancelToken::new())?;
        let net = fluid.net;
        let fields = &self.slab.mean;
        let heights: Vec<f64> = levels
            .iter()
            .map(|&l| self.slab.height(l) / self.slab.depth)
            .collect();
        let nodes_of_pipe = nodes_of_pipes(net, fields);
        let of_pipe = |p: usize| {
            let nodes = &nodes_of_pipe[p];
            let pipe = &net.pipes[p];
            let duct = level.duct(self.slab.depth / pipe.width);
            let begin = followed.pipes[p]
                .as_ref()
                .filter(|_| pipe.flow.abs() >= STILL * net.largest);
            let (Some(duct), Some([begin, _])) = (duct, begin) else {
                return nodes
                    .iter()
                    .map(|&n| (n, vec![0.0; heights.len()]))
                    .collect();
            };
            let place = place_in_pipe(chip, fields, pipe);
            let at: Vec<[f64; 2]> = nodes.iter().map(|&n| place(n)).collect();
            let parts = stations(at.iter().map(|a| a[0]));
            let ways: Vec<Station> = parts
                .iter()
                .map(|part| station(task, pipe.flow.abs(), [part * pipe.length, pipe.width]))
                .collect();
            let sections = duct.at(&begin.value, &ways);
            let value = |&[from, eta]: &[f64; 2], height: f64| {
                let (k, t) = between(&parts, from);
                (1.0 - t) * duct.value(&sections[k - 1], eta, height)
                    + t * duct.value(&sections[k], eta, height)
            };
            let columns = nodes
                .iter()
                .zip(&at)
                .map(|(&n, at)| (n, heights.iter().map(|&h| value(at, h)).collect()));
            columns.collect::<Vec<Column>>()
        };
        let of_region = |r: usize| {
            self.in_region(net, followed, r, &heights, |width| {
                level.duct(self.slab.depth / width)
            })
        };
        let mut out = vec![vec![0.0; heights.len()]; fields.nodes.len()];
        let regions = net.regions.len();
        let found = parallel::map(regions + nodes_of_pipe.len(), 1, |k| {
            match k.checked_sub(regions) {
                Some(p) => of_pipe(p),
                None => of_region(k),
            }
        });
        for (node, values) in found.into_iter().flatten() {
            out[node as usize] = values;
        }
        Ok(out)
    }

    /// Values in a region: those of the socket that fluid came from, in the first half of its way, or of that which it goes to.
    fn in_region<'a>(
        &self,
        net: &Network,
        followed: &Followed,
        r: usize,
        heights: &[f64],
        duct: impl Fn(f64) -> Option<&'a Duct> + Sync,
    ) -> Vec<Column> {
        let (slab, region) = (&self.slab, &net.regions[r]);
        let windows = Window::of_region(region, &slab.mean);
        let within = &followed.regions[r];
        // By socket: its stream at the region's rim, and where streams meet.
        let mut streams: Vec<Option<[&Stream; 2]>> = vec![None; region.sockets.len()];
        let (mut inlets, mut outlets) = (within.inlets.iter(), within.outlets.iter());
        for (stream, socket) in streams.iter_mut().zip(&region.sockets) {
            if socket.outflow < 0.0 {
                *stream = inlets.next().map(|[rim, inner]| [rim, inner]);
            } else if socket.outflow > 0.0 {
                *stream = outlets.next().map(|[inner, rim]| [rim, inner]);
            }
        }
        let at_socket = |arrival: &Arrival, part: f64| {
            let [rim, inner] = streams[arrival.socket]?;
            let duct = duct(region.sockets[arrival.socket].width)?;
            let read = |s: &Stream| duct.value(&s.value, arrival.eta, arrival.height);
            Some((1.0 - part) * read(rim) + part * read(inner))
        };
        let flow: f64 = within.inlets.iter().map(|i| i[0].total()).sum();
        let rate: f64 = within.inlets.iter().map(|i| i[0].rate()).sum();
        let mean = if flow > 0.0 { rate / flow } else { 0.0 };
        // Every node once, with the middle of one of its cells.
        let mut nodes: Vec<(u32, Point)> = Vec::new();
        for &c in &region.cells {
            let cell = slab.mean.cells[c as usize];
            let corner = |k: usize| slab.mean.nodes[cell[k] as usize];
            let middle = (corner(0) + corner(1) + corner(2)) * (1.0 / 3.0);
            nodes.extend(cell.map(|n| (n, middle)));
        }
        nodes.sort_by_key(|n| n.0);
        nodes.dedup_by_key(|n| n.0);
        let value = |plane: Point, height: f64| {
            let at = At {
                plane,
                height: height.max(OFF_WALL * heights_step(slab.levels)) * slab.depth,
            };
            let (came, goes) = (
                follow(slab, &windows, at, false),
                follow(slab, &windows, at, true),
            );
            match (came, goes) {
                (Some(a), Some(b)) => {
                    let part = a.length / (a.length + b.length).max(f64::MIN_POSITIVE);
                    match part < 0.5 {
                        true => at_socket(&a, 2.0 * part),
                        false => at_socket(&b, 2.0 * (1.0 - part)),
                    }
                }
                (Some(a), None) => at_socket(&a, 1.0),
                (None, Some(b)) => at_socket(&b, 1.0),
                (None, None) => None,
            }
        };
        let column = |&(node, middle): &(u32, Point)| {
            let at = slab.mean.nodes[node as usize];
            let inside = at + (middle - at) * OFF_WALL;
            let values = heights.iter().map(|&h| value(inside, h)).collect();
            (node, values)
        };
        let mut columns: Vec<(u32, Vec<Option<f64>>)> = parallel::each(&nodes, 16, column);
        let cells: Vec<[usize; 6]> = region
            .cells
            .iter()
            .map(|&c| slab.mean.cells[c as usize].map(|n| nodes.partition_point(|o| o.0 < n)))
            .collect();
        spread(&mut columns, &cells);
        let whole = |values: Vec<Option<f64>>| values.into_iter().map(|c| c.unwrap_or(mean));
        columns
            .into_iter()
            .map(|(node, values)| (node, whole(values).collect()))
            .collect()
    }
}

/// Gives nodes in corners and eddies, whose lines got lost, what their neighbours have; cells by places in the list of columns.
fn spread(columns: &mut [(u32, Vec<Option<f64>>)], cells: &[[usize; 6]]) {
    loop {
        let mut found: Vec<(usize, usize, f64)> = Vec::new();
        for cell in cells {
            for level in 0..columns[cell[0]].1.len() {
                let known = cell.iter().filter_map(|&k| columns[k].1[level]);
                let (n, sum) = known.fold((0, 0.0), |(n, sum), c| (n + 1, sum + c));
                if (1..6).contains(&n) {
                    let unknown = cell.iter().filter(|&&k| columns[k].1[level].is_none());
                    found.extend(unknown.map(|&k| (k, level, sum / f64::from(n))));
                }
            }
        }
        if found.is_empty() {
            return;
        }
        for (k, level, c) in found {
            columns[k].1[level].get_or_insert(c);
        }
    }
}

/// Part of the depth between two levels.
fn heights_step(levels: usize) -> f64 {
    0.5 / (levels - 1) as f64
}
