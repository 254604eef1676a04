//! Which part of the flow of each cell of the inlets reaches each cell of the outlets of a region: the mapping method of mixers
//! (Spencer, Wiley 1951; Singh, Meijer et al., Microfluid. Nanofluid. 5, 2008).
//!
//! ```text
//!             cells of the outlets                      fluxes F: rows sum to the flow of the outlets' cells (constants stay constants),
//!            | F  F  .  . |                                       columns to that of the inlets' (nothing is lost)
//! inlets --> | .  F  F  . |  c_out = F c_in / W_out     balanced by turns (Sinkhorn, Knopp 1967), since lines of a flow that isn't
//!            | .  .  F  F |                                       divergence free to rounding don't keep their flux
//! ```
//! Half of the flux is followed forwards from every cell of the inlets, half backwards from every cell of the outlets, so no cell is forgotten.

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use super::line::{Arrival, Window, follow};
use super::slab::{At, Slab};
use crate::duct::{Duct, cell_flows};
use crate::network::Region;

/// Lines of a cell, along each side.
const LINES: usize = 2;
/// Rounds of balancing.
const ROUNDS: usize = 400;
/// Part of a flux that may begin or end in the cell beside its own, before balancing.
const ROOM: f64 = 2e-2;
/// Imbalance of a cell that is rounding, over the flow.
const ROUNDING: f64 = 1e-15;
/// Into the region from its socket, over the socket's width: lines begin there.
const INSIDE: f64 = 1e-6;

/// Flux between two cells.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flux {
    /// Among all cells of the inlets, socket by socket.
    from: u32,
    /// Among all cells of the outlets.
    to: u32,
    /// m^2/s.
    flux: f64,
    /// Mean time from one to the other, s.
    time: f64,
}

/// Fluxes that are added up by the cells that they are between, with their flux-weighted times.
#[derive(Default)]
struct Merged(FxHashMap<(u32, u32), [f64; 2]>);

impl Merged {
    fn add(&mut self, cells: (u32, u32), flux: f64, time: f64) {
        let [sum, carried] = self.0.entry(cells).or_default();
        *sum += flux;
        *carried += flux * time;
    }

    /// By cell of an outlet.
    fn fluxes(self) -> Vec<Flux> {
        let fluxes = self
            .0
            .into_iter()
            .map(|((from, to), [flux, carried])| Flux {
                from,
                to,
                flux,
                time: carried / flux,
            });
        let mut fluxes: Vec<Flux> = fluxes.collect();
        fluxes.sort_unstable_by_key(|f| (f.to, f.from));
        fluxes
    }
}

/// A socket of a map.
#[derive(Clone, Debug)]
pub struct MapSocket {
    /// Index into the region's sockets.
    pub socket: usize,
    /// Its flow, m^2/s, positive.
    pub flow: f64,
    /// m.
    pub width: f64,
    /// Its cells.
    pub cells: [usize; 2],
    /// Number of its first cell.
    pub first: usize,
}

/// A region as a linear map from the cells of its inlets to those of its outlets.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Where fluid enters.
    pub inlets: Vec<MapSocket>,
    /// Where it leaves.
    pub outlets: Vec<MapSocket>,
    /// By cell of an outlet.
    fluxes: Vec<Flux>,
    /// Flow of every cell of the outlets, m^2/s.
    leaving: Vec<f64>,
}

/// A socket while its lines are followed.
struct Section<'a> {
    socket: MapSocket,
    duct: &'a Duct,
    /// Flows of the parts of its cells, over that through the half.
    parts: Vec<f64>,
}

impl Section<'_> {
    fn cell_of(&self, arrival: &Arrival) -> u32 {
        (self.socket.first + self.duct.cell(arrival.eta, arrival.height)) as u32
    }
}

impl Map {
    /// Follows the lines of a region.
    ///
    /// # Accuracy and cost
    /// Smears by half a cell. Four lines a cell of the sockets, side by side on the caller's pool.
    pub fn new(slab: &Slab, region: &Region, ducts: &[&Duct]) -> Self {
        let windows = Window::of_region(region, &slab.mean);
        let sections = |outwards: bool| {
            let mut first = 0;
            let mut out = Vec::new();
            for (m, socket) in region.sockets.iter().enumerate() {
                if socket.outflow == 0.0 || (socket.outflow > 0.0) != outwards {
                    continue;
                }
                let duct = ducts[m];
                out.push(Section {
                    socket: MapSocket {
                        socket: m,
                        flow: socket.outflow.abs(),
                        width: socket.width,
                        cells: duct.cells,
                        first,
                    },
                    duct,
                    parts: cell_flows(duct.depth, duct.cells.map(|n| LINES * n)),
                });
                first += duct.flow.len();
            }
            out
        };
        let (inlets, outlets) = (sections(false), sections(true));
        let mut out = Self::default();
        let mut found = Merged::default();
        for forwards in [true, false] {
            let (begins, ends) = match forwards {
                true => (&inlets, &outlets),
                false => (&outlets, &inlets),
            };
            for section in begins {
                let [ny, nz] = section.duct.cells.map(|n| LINES * n);
                let window = &windows[section.socket.socket];
                let lines = parallel::map(ny * nz, 1, |k| {
                    let eta = ((k % ny) as f64 + 0.5) / ny as f64;
                    let height = 0.5 * ((k / ny) as f64 + 0.5) / nz as f64;
                    let plane = window.inside(eta, INSIDE);
                    let at = At {
                        plane,
                        height: height * slab.depth,
                    };
                    let cell = section.duct.cell(eta, height);
                    let flux = 0.5 * section.socket.flow * section.parts[k];
                    (cell, flux, follow(slab, &windows, at, forwards))
                });
                for (cell, flux, arrival) in lines {
                    let end = arrival.as_ref().and_then(|a| {
                        let end = ends.iter().find(|e| e.socket.socket == a.socket)?;
                        Some((end.cell_of(a), a))
                    });
                    let Some((other, arrival)) = end else {
                        continue;
                    };
                    let here = (section.socket.first + cell) as u32;
                    let key = if forwards {
                        (here, other)
                    } else {
                        (other, here)
                    };
                    found.add(key, flux, arrival.time);
                }
            }
        }
        let cells = |sections: &[Section<'_>]| -> Vec<f64> {
            let flows = sections
                .iter()
                .flat_map(|s| s.duct.flow.iter().map(|w| w * s.socket.flow));
            flows.collect()
        };
        let (entering, leaving) = (cells(&inlets), cells(&outlets));
        out.fluxes = found.fluxes();
        out.leaving = leaving;
        out.inlets = inlets.into_iter().map(|s| s.socket).collect();
        out.outlets = outlets.into_iter().map(|s| s.socket).collect();
        out.reach_all(entering.len());
        out.reach_neighbours();
        out.balance(&entering);
        out.fit_times(region.area);
        out
    }

    /// Gives cells that no line begins or ends in the partners of their nearest neighbours.
    fn reach_all(&mut self, entering: usize) {
        let (mut has_in, mut has_out) = (vec![false; entering], vec![false; self.leaving.len()]);
        for f in &self.fluxes {
            has_in[f.from as usize] = true;
            has_out[f.to as usize] = true;
        }
        let mut more = Vec::new();
        for (sockets, has, is_out) in [
            (&self.inlets, &has_in, false),
            (&self.outlets, &has_out, true),
        ] {
            for socket in sockets {
                let [ny, nz] = socket.cells;
                let cells = || socket.first..socket.first + ny * nz;
                for cell in cells().filter(|&c| !has[c]) {
                    let place = |c: usize| ((c - socket.first) % ny, (c - socket.first) / ny);
                    let (i, j) = place(cell);
                    let distance = |c: &usize| {
                        let (k, l) = place(*c);
                        i.abs_diff(k).pow(2) + j.abs_diff(l).pow(2)
                    };
                    let nearest = cells().filter(|&c| has[c]).min_by_key(distance);
                    let known = self.fluxes.iter().filter(|f| {
                        let of = if is_out { f.to } else { f.from };
                        nearest.is_none_or(|n| of as usize == n)
                    });
                    more.extend(known.map(|f| match is_out {
                        true => Flux {
                            to: cell as u32,
                            ..*f
                        },
                        false => Flux {
                            from: cell as u32,
                            ..*f
                        },
                    }));
                }
            }
        }
        self.fluxes.extend(more);
        self.fluxes.sort_by_key(|f| (f.to, f.from));
    }

    /// Lets a little of every flux begin or end in the cells beside its own, where balancing may need room.
    fn reach_neighbours(&mut self) {
        let beside = |sockets: &[MapSocket], cell: u32| -> Vec<u32> {
            let cell = cell as usize;
            let held =
                |m: &&MapSocket| (m.first..m.first + m.cells[0] * m.cells[1]).contains(&cell);
            let Some(socket) = sockets.iter().find(held) else {
                return Vec::new();
            };
            let [ny, nz] = socket.cells;
            let (i, j) = ((cell - socket.first) % ny, (cell - socket.first) / ny);
            let sides = [
                (i > 0).then(|| cell - 1),
                (i + 1 < ny).then(|| cell + 1),
                (j > 0).then(|| cell - ny),
                (j + 1 < nz).then(|| cell + ny),
            ];
            sides.into_iter().flatten().map(|c| c as u32).collect()
        };
        let mut found = Merged::default();
        for f in &self.fluxes {
            found.add((f.from, f.to), f.flux, f.time);
            for from in beside(&self.inlets, f.from) {
                found.add((from, f.to), ROOM * f.flux, f.time);
            }
            for to in beside(&self.outlets, f.to) {
                found.add((f.from, to), ROOM * f.flux, f.time);
            }
        }
        self.fluxes = found.fluxes();
    }

    /// Scales columns and rows by turns until both sum to the flows of their cells; what is left is moved between columns within rows.
    fn balance(&mut self, entering: &[f64]) {
        let whole: f64 = entering.iter().sum();
        let sums = |fluxes: &[Flux], n: usize, of: &dyn Fn(&Flux) -> u32| {
            let mut sums = vec![0.0; n];
            for f in fluxes {
                sums[of(f) as usize] += f.flux;
            }
            sums
        };
        // Factors of columns and rows; fluxes are sorted by rows.
        let mut column = vec![1.0; entering.len()];
        let mut row = vec![1.0; self.leaving.len()];
        for _ in 0..ROUNDS {
            let mut sums = vec![0.0; entering.len()];
            for f in &self.fluxes {
                sums[f.from as usize] += f.flux * row[f.to as usize];
            }
            let mut off = 0.0_f64;
            for ((factor, sum), wanted) in column.iter_mut().zip(&sums).zip(entering) {
                off = off.max((sum * *factor - wanted).abs());
                *factor = wanted / sum;
            }
            let mut sums = vec![0.0; self.leaving.len()];
            for f in &self.fluxes {
                sums[f.to as usize] += f.flux * column[f.from as usize];
            }
            for ((factor, sum), wanted) in row.iter_mut().zip(&sums).zip(&self.leaving) {
                *factor = wanted / sum;
            }
            if off <= ROUNDING * whole {
                break;
            }
        }
        for f in &mut self.fluxes {
            f.flux *= column[f.from as usize] * row[f.to as usize];
        }
        // Rows are exact now. Columns with too much give it to those with too little, in the rows where they have it.
        let columns = sums(&self.fluxes, entering.len(), &|f| f.from);
        let lacks: Vec<(u32, f64)> = (0..entering.len() as u32)
            .map(|k| (k, entering[k as usize] - columns[k as usize]))
            .filter(|l| l.1 > ROUNDING * whole)
            .collect();
        let lacking: f64 = lacks.iter().map(|l| l.1).sum();
        let mut given: FxHashMap<u32, [f64; 2]> = FxHashMap::default();
        for f in &mut self.fluxes {
            let (column, wanted) = (columns[f.from as usize], entering[f.from as usize]);
            if column - wanted > ROUNDING * whole {
                let part = f.flux * (1.0 - wanted / column);
                f.flux -= part;
                let [sum, time] = given.entry(f.to).or_default();
                *sum += part;
                *time += part * f.time;
            }
        }
        let mut given: Vec<(u32, [f64; 2])> = given.into_iter().collect();
        given.sort_unstable_by_key(|g| g.0);
        for (to, [sum, time]) in given {
            self.fluxes.extend(lacks.iter().map(|&(from, lack)| Flux {
                from,
                to,
                flux: sum * lack / lacking,
                time: time / sum,
            }));
        }
        self.fluxes.sort_by_key(|f| (f.to, f.from));
    }

    /// Scales times so that flow times time is the region's area: what stands in eddies is with what passes them.
    fn fit_times(&mut self, area: f64) {
        let known: f64 = self.fluxes.iter().map(|f| f.flux * f.time).sum();
        if known > 0.0 {
            self.fluxes.iter_mut().for_each(|f| f.time *= area / known);
        }
    }

    /// That of a region of the same shape that flows as this one, but so many times as fast.
    pub fn faster(&self, factor: f64) -> Self {
        let mut out = self.clone();
        for socket in out.inlets.iter_mut().chain(&mut out.outlets) {
            socket.flow *= factor;
        }
        out.leaving.iter_mut().for_each(|w| *w *= factor);
        for f in &mut out.fluxes {
            f.flux *= factor;
            f.time /= factor;
        }
        out
    }

    /// The same between cells twice as long and high: fluxes are sums, so nothing is lost.
    pub fn coarser(&self) -> Self {
        let halves = |sockets: &[MapSocket]| {
            let mut numbers = Vec::new();
            let mut out = Vec::new();
            let mut first = 0;
            for socket in sockets {
                let [ny, nz] = socket.cells;
                let cells = [ny / 2, nz / 2];
                numbers.extend(
                    (0..ny * nz).map(|k| (first + k / ny / 2 * cells[0] + k % ny / 2) as u32),
                );
                out.push(MapSocket {
                    cells,
                    first,
                    ..socket.clone()
                });
                first += cells[0] * cells[1];
            }
            (out, numbers, first)
        };
        let (inlets, from, _) = halves(&self.inlets);
        let (outlets, to, n) = halves(&self.outlets);
        let mut found = Merged::default();
        for f in &self.fluxes {
            let cells = (from[f.from as usize], to[f.to as usize]);
            found.add(cells, f.flux, f.time);
        }
        let mut leaving = vec![0.0; n];
        for (k, w) in self.leaving.iter().enumerate() {
            leaving[to[k] as usize] += w;
        }
        Self {
            inlets,
            outlets,
            fluxes: found.fluxes(),
            leaving,
        }
    }

    /// Concentrations of all cells of the outlets, socket by socket, from those of all cells of the inlets; as ages where they gain the time on the way.
    pub fn apply(&self, entering: &[f64], ages: bool) -> Vec<Vec<f64>> {
        let mut leaving = vec![0.0; self.leaving.len()];
        for f in &self.fluxes {
            let gained = if ages { f.time } else { 0.0 };
            leaving[f.to as usize] += f.flux * (entering[f.from as usize] + gained);
        }
        leaving
            .iter_mut()
            .zip(&self.leaving)
            .for_each(|(c, w)| *c /= w);
        let part = |m: &MapSocket| leaving[m.first..m.first + m.cells[0] * m.cells[1]].to_vec();
        self.outlets.iter().map(part).collect()
    }
}
