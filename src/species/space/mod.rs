//! Species in three dimensions (`model = "full"`): pipes by the eigenbasis of their cross-section, regions by the mapping method.
//!
//! ```text
//! inlets' cells --stage 1--> --stage 2, side by side--> --map--> outlets' cells --stage 3--> --pipe: exact--> the next region
//!                  duct              joined              map                        duct           duct
//! ```
//! | module | turns what into what |
//! | --- | --- |
//! | `slab` | the nodes of a flow that was solved in space into the velocity at any point, and its mean over the depth for the network |
//! | `line` | a point of a region into the sockets from which its fluid comes and to which it goes |
//! | [`map`] | lines into fluxes between cells, balanced |
//! | `joined` | sections of several inlets into one and back |
//! | [`crate::duct`] | the cells of a section at the begin of a pipe into those at any place of it |
//! | `nodal` | all of it into values at nodes |
//!
//! Only the lower half of the depth is followed, since what enters is the same above and below. A section has cells of equal size, about three for every
//! eight tubes that the plane would have; the estimate's second run has half as many each way, with the same map, its fluxes added up.
//!
//! The mean of the flow over the depth is a plane flow that conserves: its stream function tells where streams meet and part, and each stage's
//! exchange is that of a pipe as long as the flux-weighted mean of its equivalent length ([`crate::region`]). Diffusion along the flow is left out, as by tubes in the plane, and estimated by the same rule.
//!
//! Proven, by the tests of `tests/space.rs`: balance, constants and range to rounding whatever is followed; a joint between two pipes is
//! one pipe; flow times age is the volume; a tee at Pe 30 and 100 against quadratic tetrahedra on all of the chip; the layer between two streams
//! behind a tee is broader at the floor than at mid-depth. Chains of tens of junctions, in each of which the map smears by up to half a cell
//! (the estimate sees it: it is twice as much with cells twice as large), were only seen beside the shallow model ([`crate::method`]).

mod joined;
mod line;
pub mod map;
mod nodal;
mod slab;

use std::sync::{Arc, Mutex, PoisonError};

use stokeslet_base::parallel;

use self::joined::Joined;
use self::map::Map;
use self::slab::Slab;
use crate::SpeciesError;
use crate::copies::CopyOf;
use crate::duct::{Duct, Station};
use crate::network::{Beyond, End, Network, Pipe, STILL, Socket};
use crate::plan::{Plan, Step};
use crate::profile::Profile;
use crate::region::{Chain, Table, Way, Ways};
use crate::stream::Stream;
use crate::transport::{Followed, Settling, Task, Within};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::Field;
/// Places at which a stage's equivalent length is read for its mean.
const STAGES: usize = 40;
/// Most cells across a section: an eigenbasis is dense.
const MOST: usize = 96;

/// Cells across a section are a multiple of this, in both runs of an estimate.
const UNIT: usize = 8;

/// Cells across a section that is followed with so many tubes in the plane.
fn cells_across(tubes: usize) -> usize {
    let twice = 2 * UNIT;
    (tubes * 3 / 8 / twice * twice).clamp(twice, MOST)
}

/// Cells across, and over half the depth of a section of some depth over its width: about squares, and half as many each way with half as many across.
fn cells(depth: f64, ny: usize) -> [usize; 2] {
    let rows = (0.5 * depth * UNIT as f64).round().clamp(1.0, UNIT as f64);
    [ny, ny / UNIT * rows as usize]
}

/// The mean of the flow over the depth, as the plane knows it.
#[derive(Clone, Copy, Debug)]
pub struct Fluid<'a> {
    /// Pipes and regions.
    pub net: &'a Network,
    /// By region.
    pub ways: &'a [Ways],
    /// By region: which earlier one it is a copy of, and its flow over that one's.
    pub alike: &'a [CopyOf],
}

/// The fluid of a chip in three dimensions.
#[derive(Clone, Debug)]
pub struct Space {
    slab: Arc<Slab>,
    /// By cells across the finer run, and whether it is the coarser one; made at their first use.
    levels: Arc<Mutex<Levels>>,
}

/// Cells across the finer run of an estimate, and whether the coarser one is meant.
type Key = (usize, bool);
/// Those that were made.
type Levels = Vec<(Key, Arc<Level>)>;

/// Sections and maps of one number of cells across.
#[derive(Debug)]
struct Level {
    /// Depth over width of those that there are.
    ducts: Vec<(f64, Duct)>,
    /// By region.
    maps: Vec<Map>,
    /// By region: where streams of several inlets run side by side before they part again.
    joined: Vec<Option<Joined>>,
    /// By region.
    lambdas: Vec<Lambdas>,
}

/// Equivalent lengths over widths of a region's inlets and outlets, in the order of its map.
#[derive(Clone, Debug, Default)]
struct Lambdas {
    inlets: Vec<f64>,
    outlets: Vec<f64>,
}

/// Flux-weighted mean of a stage's equivalent length.
fn mean(table: &Table, profile: Profile) -> f64 {
    let middle = |k: usize| (k as f64 + 0.5) / STAGES as f64;
    let (mut sum, mut whole) = (0.0, 0.0);
    for eta in (0..STAGES).map(middle) {
        sum += profile.speed(eta) * table.at(eta).0;
        whole += profile.speed(eta);
    }
    sum / whole
}

/// Stages of a region's mean flow as lengths of its sections, and of the section that joins them.
fn stages<'a>(
    ways: &Ways,
    map: &Map,
    duct: impl Fn(f64) -> Option<&'a Duct>,
) -> (Lambdas, Option<Joined>) {
    let of = |list: &[Way]| list.iter().map(|w| mean(&w.table, w.profile)).collect();
    let mut lambdas = Lambdas {
        inlets: of(&ways.inlets),
        outlets: of(&ways.outlets),
    };
    let flow = |chain: &Chain| {
        let bundles = chain.bundles.iter().map(|&b| &ways.bundles[b]);
        bundles.map(|b| b.psi[1] - b.psi[0]).sum::<f64>()
    };
    let whole: f64 = ways.chains.iter().map(flow).sum();
    let side_by_side: f64 = ways
        .chains
        .iter()
        .map(|c| flow(c) / whole * mean(&c.table, c.profile))
        .sum();
    match (&mut lambdas.inlets[..], &mut lambdas.outlets[..]) {
        ([one], [other]) => {
            *one += 0.5 * side_by_side;
            *other += 0.5 * side_by_side;
        }
        ([one], _) | (_, [one]) => *one += side_by_side,
        _ => {
            // Those of the chain that carries most, from right to left.
            let most = ways
                .chains
                .iter()
                .max_by(|a, b| flow(a).total_cmp(&flow(b)));
            let mut order: Vec<usize> = Vec::new();
            for &b in most.iter().flat_map(|c| &c.bundles) {
                if !order.contains(&ways.bundles[b].inlet) {
                    order.push(ways.bundles[b].inlet);
                }
            }
            let sockets = order.iter().filter_map(|&i| map.inlets.get(i));
            let sections: Option<Vec<(&map::MapSocket, &Duct)>> =
                sockets.map(|m| Some((m, duct(m.width)?))).collect();
            let both = sections.unwrap_or_default();
            let lambda = most.map_or(0.0, |c| mean(&c.table, c.profile));
            if let (Some(joined), true) = (Joined::new(&both, lambda), both.len() > 1) {
                return (lambdas, Some(joined));
            }
        }
    }
    (lambdas, None)
}

impl Level {
    fn duct(&self, depth: f64) -> Option<&Duct> {
        let known = self.ducts.iter().find(|d| is_alike(d.0, depth));
        known.map(|d| &d.1)
    }
}

/// Whether two depths over widths are one, to rounding.
fn is_alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

impl Space {
    /// Sorts the nodes of a flow in space; `middle` is what it is at mid-depth.
    ///
    /// # Errors
    /// [`SpeciesError::NoFields`] where it isn't the extrusion of that plane.
    pub fn new(
        in_space: &Field<3>,
        middle: &Field<2>,
        backwards: bool,
    ) -> Result<Self, SpeciesError> {
        let slab = Slab::new(in_space, middle).ok_or(SpeciesError::NoFields)?;
        let slab = if backwards { slab.reversed() } else { slab };
        Ok(Self {
            slab: Arc::new(slab),
            levels: Arc::default(),
        })
    }

    /// Means of the flow over the depth, at the nodes of the plane.
    pub fn mean(&self) -> &Field<2> {
        &self.slab.mean
    }

    /// Those of that velocity over the cells of the plane, as the tetrahedra have them, m^3/s.
    pub fn integrals(&self) -> &[Point] {
        &self.slab.integrals
    }

    /// Sections and maps of a run with so many tubes, or of the estimate's other run, whose maps are added up from those of the first.
    fn level(
        &self,
        fluid: Fluid<'_>,
        (ny, coarser): Key,
        cancel: &CancelToken,
    ) -> Result<Arc<Level>, SpeciesError> {
        // Never held while work is shared out: a thread that waits for its share may take over somebody else's, who asks for the same.
        let known = || {
            let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
            let found = levels.iter().find(|l| l.0 == (ny, coarser));
            found.map(|l| l.1.clone())
        };
        if let Some(level) = known() {
            return Ok(level);
        }
        let finer = match coarser {
            true => Some(self.level(fluid, (ny, false), cancel)?),
            false => None,
        };
        let net = fluid.net;
        let mut depths: Vec<f64> = Vec::new();
        let widths = net.pipes.iter().map(|p| p.width);
        let sockets = net.regions.iter().flat_map(|r| &r.sockets);
        for width in widths.chain(sockets.map(|m| m.width)) {
            let depth = self.slab.depth / width;
            if !depths.iter().any(|d| is_alike(*d, depth)) {
                depths.push(depth);
            }
        }
        let across = if coarser { ny / 2 } else { ny };
        let section = |&depth: &f64| Ok((depth, Duct::new(depth, cells(depth, across))?));
        let ducts = parallel::each(&depths, 1, section);
        let mut level = Level {
            ducts: ducts.into_iter().collect::<Result<_, SpeciesError>>()?,
            maps: Vec::new(),
            joined: Vec::new(),
            lambdas: Vec::new(),
        };
        level.maps = match &finer {
            Some(finer) => finer.maps.iter().map(Map::coarser).collect(),
            None => self.maps(fluid, &level, cancel)?,
        };
        let duct = |width: f64| level.duct(self.slab.depth / width);
        let both = fluid.ways.iter().zip(&level.maps);
        (level.lambdas, level.joined) = both.map(|(w, m)| stages(w, m, duct)).unzip();
        let level = Arc::new(level);
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.iter().all(|l| l.0 != (ny, coarser)) {
            levels.push(((ny, coarser), level.clone()));
        }
        Ok(level)
    }

    /// By region; those of copies are those of their originals.
    fn maps(
        &self,
        fluid: Fluid<'_>,
        level: &Level,
        cancel: &CancelToken,
    ) -> Result<Vec<Map>, SpeciesError> {
        let regions = &fluid.net.regions;
        let originals = parallel::map(regions.len(), 1, |r| {
            let (region, copy) = (&regions[r], &fluid.alike[r]);
            if cancel.is_cancelled() {
                return Err(SpeciesError::Cancelled);
            }
            let of = |m: &Socket| level.duct(self.slab.depth / m.width);
            let ducts: Option<Vec<&Duct>> = region.sockets.iter().map(of).collect();
            Ok(match (ducts, copy) {
                (Some(ducts), None) => Map::new(&self.slab, region, &ducts),
                _ => Map::default(),
            })
        });
        let mut maps: Vec<Map> = originals.into_iter().collect::<Result<_, SpeciesError>>()?;
        for (r, copy) in fluid.alike.iter().enumerate() {
            if let Some((of, factor)) = *copy {
                maps[r] = maps[of].faster(factor);
            }
        }
        Ok(maps)
    }

    /// Makes sections and maps of both runs of an estimate, which species share.
    ///
    /// # Errors
    /// [`SpeciesError::Singular`], [`SpeciesError::Cancelled`].
    pub(crate) fn prepare(
        &self,
        fluid: Fluid<'_>,
        tubes: usize,
        cancel: &CancelToken,
    ) -> Result<(), SpeciesError> {
        let key = (cells_across(tubes), true);
        self.level(fluid, key, cancel).map(|_| ())
    }

    /// Cells across a channel, and over half its depth, of streams that were followed with so many tubes.
    pub fn cells(&self, width: f64, tubes: usize) -> [usize; 2] {
        cells(self.slab.depth / width, cells_across(tubes))
    }

    /// Follows one species, or ages, through the chip; `coarser` with half the cells each way.
    ///
    /// # Errors
    /// [`SpeciesError::Cancelled`], [`SpeciesError::Singular`].
    pub fn follow(
        &self,
        fluid: Fluid<'_>,
        task: &Task<'_>,
        coarser: bool,
        cancel: &CancelToken,
    ) -> Result<Followed, SpeciesError> {
        let level = self.level(fluid, (cells_across(task.tubes), coarser), cancel)?;
        let net = fluid.net;
        let solve = SpeciesSolve {
            net,
            level: &level,
            task,
            depth: self.slab.depth,
        };
        let plan = Plan::tubes(net);
        let mut out = Followed::empty(net);
        for (p, pipe) in net.pipes.iter().enumerate() {
            let first = pipe.ends[usize::from(pipe.flow < 0.0)];
            if let (End::Port(k), true) = (first, pipe.flow.abs() >= STILL * net.largest) {
                let stream = solve.entering(k, pipe.width)?;
                out.ports[k] = Some(stream.clone());
                out.pipes[p] = Some(solve.through(pipe, stream)?);
            }
        }
        let mut settling = Settling::default();
        for _ in 0..plan.rounds() {
            for regions in &plan.levels {
                let step = |step: &Step| {
                    let Step::Tubes(r) = step else {
                        return Ok(None);
                    };
                    match cancel.is_cancelled() {
                        true => Err(SpeciesError::Cancelled),
                        false => solve.region(*r, &out.pipes).map(|found| Some((*r, found))),
                    }
                };
                let found = parallel::each(regions, 1, step).into_iter();
                for (r, (within, pipes)) in
                    found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
                {
                    out.regions[r] = within;
                    for (p, both) in pipes {
                        out.pipes[p] = Some(both);
                    }
                }
            }
            if settling.is_settled(&out) {
                break;
            }
        }
        out.gather_ports(net, |r| {
            let sockets = |list: &[map::MapSocket]| list.iter().map(|m| m.socket).collect();
            let map = &level.maps[r];
            [sockets(&map.inlets), sockets(&map.outlets)]
        });
        Ok(out)
    }
}

/// One species on its way.
struct SpeciesSolve<'a> {
    net: &'a Network,
    level: &'a Level,
    task: &'a Task<'a>,
    depth: f64,
}

/// Streams of pipes, at both ends.
type Pipes = Vec<(usize, [Stream; 2])>;

impl SpeciesSolve<'_> {
    fn duct(&self, width: f64) -> Result<&Duct, SpeciesError> {
        let duct = self.level.duct(self.depth / width);
        duct.ok_or(SpeciesError::NoFields)
    }

    /// What enters by a port.
    fn entering(&self, port: usize, width: f64) -> Result<Stream, SpeciesError> {
        let duct = self.duct(width)?;
        let [ny, _] = duct.cells;
        let edge = |k: usize| k as f64 / ny as f64;
        let value = |k: usize| match self.task.ages {
            true => 0.0,
            false => self.task.inflow[port].mean(edge(k % ny), edge(k % ny + 1)),
        };
        let values = (0..duct.flow.len()).map(value).collect();
        Ok(section(duct, self.net.port_flow[port].abs(), values))
    }

    /// Both ends of a pipe that a stream enters.
    fn through(&self, pipe: &Pipe, stream: Stream) -> Result<[Stream; 2], SpeciesError> {
        let duct = self.duct(pipe.width)?;
        let mut end = stream.clone();
        let to = station(self.task, pipe.flow.abs(), [pipe.length, pipe.width]);
        duct.advance(&mut end.value, to);
        Ok([stream, end])
    }

    /// Streams within a region, and those of the pipes behind it.
    fn region(
        &self,
        r: usize,
        pipes: &[Option<[Stream; 2]>],
    ) -> Result<(Within, Pipes), SpeciesError> {
        let map = &self.level.maps[r];
        let sockets = &self.net.regions[r].sockets;
        let lambdas = &self.level.lambdas[r];
        let stage = |m: &map::MapSocket, lambda: f64| Station {
            x: lambda * self.task.diffusivity / m.flow,
            time: 0.0,
        };
        let mut within = Within::default();
        for (m, &lambda) in map.inlets.iter().zip(&lambdas.inlets) {
            let duct = self.duct(m.width)?;
            let begin = match sockets[m.socket].beyond {
                Beyond::Port(k) => self.entering(k, m.width)?,
                // On a circle that hasn't been gone round yet.
                Beyond::Pipe(p, _) => pipes[p].as_ref().map_or_else(
                    || section(duct, m.flow, vec![0.0; duct.flow.len()]),
                    |both| both[1].clone(),
                ),
            };
            let mut met = begin.clone();
            duct.advance(&mut met.value, stage(m, lambda));
            within.inlets.push([begin, met]);
        }
        let mut entering: Vec<f64> = within
            .inlets
            .iter()
            .flat_map(|i| i[1].value.clone())
            .collect();
        if let Some(joined) = &self.level.joined[r] {
            let duct = self.duct(joined.width)?;
            joined.exchange(&mut entering, duct, self.task.diffusivity);
        }
        let mut behind = Vec::new();
        let outlets = map.outlets.iter().zip(&lambdas.outlets);
        for ((m, &lambda), values) in outlets.zip(map.apply(&entering, self.task.ages)) {
            let duct = self.duct(m.width)?;
            let parted = section(duct, m.flow, values);
            let mut end = parted.clone();
            duct.advance(&mut end.value, stage(m, lambda));
            if let Beyond::Pipe(p, _) = sockets[m.socket].beyond {
                behind.push((p, self.through(&self.net.pipes[p], end.clone())?));
            }
            within.outlets.push([parted, end]);
        }
        Ok((within, behind))
    }
}

/// So far along a channel `[length, width]` with some flow, m and m^2/s.
fn station(task: &Task<'_>, flow: f64, [length, width]: [f64; 2]) -> Station {
    let time = if task.ages {
        length * width / flow
    } else {
        0.0
    };
    Station {
        x: length / width * task.diffusivity / flow,
        time,
    }
}

/// The cells of a section as a stream: means, rates and ranges are those of tubes.
fn section(duct: &Duct, flow: f64, values: Vec<f64>) -> Stream {
    Stream {
        flow: duct.flow.iter().map(|w| w * flow).collect(),
        value: values,
        square: Vec::new(),
    }
}
