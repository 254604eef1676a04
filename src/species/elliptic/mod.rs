//! The second engine: elliptic regions for low Peclet numbers, closed with exact pipe operators.
//!
//! ```text
//! Psi --cubic--> divergence-free velocity --operator--> region on its sockets --group--> traces on sockets, modes in pipes
//!                                     Section --modes--> pipe of any length -----^
//! ```
//! | module | turns what into what |
//! | --- | --- |
//! | [`dissection`] | dense blocks into the matrix on what is kept, and everything else from that |
//! | [`element`] | an order into a Lagrange basis and the nodes of a region |
//! | [`section`] | a developed profile into the modes of its pipe |
//! | [`operator`] | a region into a dense matrix on its sockets |
//! | [`pipe`] | amplitudes of modes into concentrations along a pipe |
//! | `ends` | modes of a pipe into what they are at its ends |
//! | [`group`] | regions that feel each other into concentrations |
//!
//! # Accuracy
//! Order 3 or 4 by the Peclet number and the resolution ([`order_for`]), 1 for a first look ([`error_of_order_1`]). Where layers are thinner than cells it overshoots: the
//! range that is left is reported, never clipped, and the engine isn't chosen by itself above [`most_peclet`].

pub mod dissection;
pub mod element;
mod ends;
pub mod group;
pub mod operator;
pub mod pipe;
pub mod section;

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use self::operator::{Assembled, Condensed, Cubic, Integrals, cubic};
use self::section::{Modes, Section};
use crate::network::{Beyond, End, Network, STILL};
use crate::psi::Psi;

/// Element order for a Peclet number at a number of cells a width: 3 to `Pe (8/r)^2 = 100`, 4 above. Order 2 would do below 30, but its difference to
/// order 1 says little of its error: 2.5e-3 for one of 8e-5 in a crossing at Pe 30.
pub fn order_for(peclet: f64, cells: usize) -> usize {
    let scaled = peclet * (8.0 / cells as f64).powi(2);
    if scaled <= 100.0 { 3 } else { 4 }
}

/// Error of an outlet's mean or segregation by elements of order 1, over the range: these have no lower order beside them.
///
/// Measured, not derived: on all small designs and on crossings and tees between short pipes, where it is greatest, errors are less than half of it up to Pe 100
/// (`looks` of the tests). They grow with the Peclet number until streams no longer mix before they part, and fall with the power 1.6 of the cells; 1.5 is on the
/// safe side. Where layers are thinner than cells, which was not measured, it grows with the square of both.
pub fn error_of_order_1(peclet: f64, cells: usize) -> f64 {
    let coarser = 8.0 / cells as f64;
    let thin = (peclet * coarser.powi(2) / 100.0).max(1.0);
    3e-3 * peclet / (1.0 + peclet / 4.0) * coarser.powf(1.5) * thin.powi(2)
}

/// Greatest Peclet number that elements of order 4 resolve: 1000 at 8 cells a width.
pub fn most_peclet(cells: usize) -> f64 {
    1000.0 * (cells as f64 / 8.0).powi(2)
}

/// Below this part of itself a mode that decays upstream isn't felt at the other end of a pipe.
const UNFELT: f64 = 1e-14;

/// What a result depends on, in rounded numbers.
type Key = Vec<i64>;

/// Regions, and which of them are copies with the same flow over D.
#[derive(Clone, Debug)]
pub struct Copies {
    regions: Vec<usize>,
    /// Places among the regions of the first of every kind.
    firsts: Vec<usize>,
    /// By region: the place of its kind's first among the firsts.
    of: Vec<usize>,
}

/// What elements know of the inside of regions once they are solved.
#[derive(Clone, Debug, Default)]
pub struct Insides {
    kept: FxHashMap<usize, Arc<Condensed>>,
    /// By region: the first of its kind, which is what is eliminated again where it isn't kept; so it doesn't matter which are.
    firsts: FxHashMap<usize, usize>,
}

/// The elliptic engine for one diffusivity.
pub struct Elliptic<'a> {
    /// Pipes and regions.
    pub net: &'a Network,
    /// By region.
    pub psi: &'a [Psi],
    /// By region, made at its first use.
    pub cubics: &'a [OnceLock<Option<Cubic>>],
    /// m^2/s.
    pub diffusivity: f64,
    /// Order of the elements, everywhere the same: pipes' traces meet node by node.
    pub order: usize,
    /// Taken out before and put back after, so that a constant is exact.
    pub reference: f64,
    /// Integrals of the order, made where elements are assembled.
    integrals: OnceLock<Integrals>,
    kept_modes: Mutex<FxHashMap<Key, Arc<Modes>>>,
    /// By region, once [`Self::prepare`] was told of it.
    condensed: FxHashMap<usize, Option<Arc<Condensed>>>,
}

impl<'a> Elliptic<'a> {
    /// The engine with nothing kept yet.
    pub fn new(
        net: &'a Network,
        psi: &'a [Psi],
        cubics: &'a [OnceLock<Option<Cubic>>],
        [diffusivity, reference]: [f64; 2],
        order: usize,
    ) -> Self {
        Self {
            net,
            psi,
            cubics,
            diffusivity,
            order,
            reference,
            integrals: OnceLock::new(),
            kept_modes: Mutex::default(),
            condensed: FxHashMap::default(),
        }
    }

    /// Whether a socket's region lies downstream of what is beyond, so that its nodes run against eta.
    fn is_downstream(&self, r: usize, m: usize) -> bool {
        let socket = &self.net.regions[r].sockets[m];
        match socket.beyond {
            // Nothing flows: looking from the pipe's first end to its second.
            Beyond::Pipe(_, end) if socket.outflow == 0.0 => end == 1,
            _ => socket.outflow < 0.0,
        }
    }

    /// Elements on every socket of a region, over eta looking along the flow; `None` where a pipe's two ends are cut
    /// differently, or two sockets share a corner.
    pub fn sections(&self, r: usize) -> Option<Vec<Section>> {
        let net = self.net;
        let of = |r: usize, m: usize| {
            let socket = &net.regions[r].sockets[m];
            let mut knots: Vec<f64> = socket
                .nodes
                .iter()
                .step_by(2)
                .map(|n| n.1.clamp(0.0, 1.0))
                .collect();
            if self.is_downstream(r, m) {
                knots.reverse();
                knots.iter_mut().for_each(|t| *t = 1.0 - *t);
            }
            let n = knots.len();
            if n < 2
                || socket.nodes.len().is_multiple_of(2)
                || knots[0].abs() > 1e-6
                || (knots[n - 1] - 1.0).abs() > 1e-6
            {
                return None;
            }
            (knots[0], knots[n - 1]) = (0.0, 1.0);
            Some(Section {
                knots,
                order: self.order,
                profile: net.profile(socket.width),
            })
        };
        let sockets = &net.regions[r].sockets;
        let mut nodes: Vec<u32> = sockets
            .iter()
            .flat_map(|m| m.nodes.iter().map(|n| n.0))
            .collect();
        let count = nodes.len();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.len() < count {
            // Two sockets share a corner: neither can be closed alone.
            return None;
        }
        (0..sockets.len())
            .map(|m| {
                let here = of(r, m)?;
                if let Beyond::Pipe(p, end) = sockets[m].beyond
                    && let End::Region(r2, m2) = net.pipes[p].ends[1 - end]
                {
                    let there = of(r2, m2)?;
                    let same = here.knots.len() == there.knots.len()
                        && here
                            .knots
                            .iter()
                            .zip(&there.knots)
                            .all(|(a, b)| (a - b).abs() < 1e-6);
                    if !same {
                        return None;
                    }
                }
                Some(here)
            })
            .collect()
    }

    /// Modes of a pipe of a width; kept by section and Peclet number.
    pub fn modes(&self, section: &Section, peclet: f64, width: f64) -> Option<Arc<Modes>> {
        let key = self.kind_of_pipe(section, peclet, width);
        if let Some(known) = lock(&self.kept_modes).get(&key) {
            return Some(known.clone());
        }
        let modes = Arc::new(Modes::new(section, peclet)?);
        Some(lock(&self.kept_modes).entry(key).or_insert(modes).clone())
    }

    /// What modes depend on.
    fn kind_of_pipe(&self, section: &Section, peclet: f64, width: f64) -> Key {
        let mut key: Key = section
            .knots
            .iter()
            .map(|k| (k * 1e9).round() as i64)
            .collect();
        let digits = |x: f64| (x.ln() * 1e12).round() as i64;
        // The profile depends on the width where there is drag.
        let profile = if self.net.drag > 0.0 {
            digits(width)
        } else {
            0
        };
        key.extend([digits(peclet), profile]);
        key
    }

    /// Which of these regions are copies with the same flow over D, and the stream functions of the first of every kind: for any order.
    pub fn copies(&self, regions: Vec<usize>) -> Copies {
        let keys = parallel::each(&regions, 1, |&r| self.kind(r));
        let (firsts, of) = firsts_of(keys);
        parallel::each(&firsts, 1, |&k| {
            // Where there is none, the elimination says so.
            let _ = self.cubic(regions[k]);
        });
        Copies {
            regions,
            firsts,
            of,
        }
    }

    /// Eliminates regions and finds the modes of their pipes, side by side. Copies share what the first of them has, so that
    /// threads change no bit. What [`Condensed::inside`] needs is kept of so many numbers.
    pub fn prepare(&mut self, copies: &Copies, numbers: usize) {
        let Copies {
            regions,
            firsts,
            of,
        } = copies;
        let left = AtomicUsize::new(numbers);
        let made = parallel::each(firsts, 1, |&k| {
            let mut made = self.assembled(regions[k])?.condense()?;
            let take = |left: usize| left.checked_sub(made.numbers());
            if left.fetch_update(Relaxed, Relaxed, take).is_err() {
                made.forget_inside();
            }
            Some(Arc::new(made))
        });
        let shared = regions.iter().zip(of).map(|(&r, &k)| (r, made[k].clone()));
        self.condensed.extend(shared);
        let pipes: Vec<(Section, f64, f64)> = regions
            .iter()
            .filter_map(|&r| Some((r, self.sections(r)?)))
            .flat_map(|(r, sections)| {
                let sockets = self.net.regions[r].sockets.iter();
                sockets
                    .zip(sections)
                    .filter(|(socket, _)| socket.outflow != 0.0)
                    .map(|(socket, section)| {
                        let peclet = socket.outflow.abs() / self.diffusivity;
                        (section, peclet, socket.width)
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let keys = pipes.iter().map(|(s, p, w)| self.kind_of_pipe(s, *p, *w));
        let (firsts, _) = firsts_of(keys.collect());
        // Where there are none, the group says so.
        parallel::each(&firsts, 1, |&k| {
            let (section, peclet, width) = &pipes[k];
            let _ = self.modes(section, *peclet, *width);
        });
    }

    /// The cubic stream function of a region.
    fn cubic(&self, r: usize) -> Option<&Cubic> {
        self.cubics[r]
            .get_or_init(|| cubic(self.net, &self.net.regions[r], &self.psi[r]))
            .as_ref()
    }

    /// A region assembled.
    pub fn assembled(&self, r: usize) -> Option<Assembled> {
        let region = &self.net.regions[r];
        Assembled::new(
            region,
            &self.psi[r],
            self.cubic(r)?,
            self.integrals.get_or_init(|| Integrals::new(self.order)),
            self.diffusivity,
        )
    }

    /// What is inside of the regions that [`Self::prepare`] was told of.
    pub fn insides(&self, copies: &Copies) -> Insides {
        let known = self.condensed.iter();
        let kept = known.filter_map(|(&r, made)| Some((r, made.clone()?)));
        let first = |(&r, &k): (&usize, &usize)| (r, copies.regions[copies.firsts[k]]);
        Insides {
            kept: kept.filter(|(_, made)| made.knows_inside()).collect(),
            firsts: copies.regions.iter().zip(&copies.of).map(first).collect(),
        }
    }

    /// Values at the quadratic nodes of a region from those on its sockets, in the order of its stream function's nodes.
    pub fn inside(&self, insides: &Insides, r: usize, on_sockets: &[f64]) -> Option<Vec<f64>> {
        let psi = &self.psi[r];
        if let Some(kept) = insides.kept.get(&r) {
            return kept.inside(psi, on_sockets);
        }
        let first = insides.firsts.get(&r).copied().unwrap_or(r);
        let again = self.assembled(first)?.condense()?;
        again.inside(psi, on_sockets)
    }

    /// A region on its sockets, over D; copies with the same flow share one.
    pub fn condensed(&self, r: usize) -> Option<Arc<Condensed>> {
        match self.condensed.get(&r) {
            Some(known) => known.clone(),
            None => self.assembled(r)?.condense().map(Arc::new),
        }
    }

    /// What a region's matrix depends on: its nodes in the frame of its first socket, and psi there over D.
    fn kind(&self, r: usize) -> Key {
        let (psi, region) = (&self.psi[r], &self.net.regions[r]);
        let Some(socket) = region.sockets.first() else {
            return Vec::new();
        };
        let local: FxHashMap<u32, usize> =
            psi.nodes.iter().enumerate().map(|(k, &n)| (n, k)).collect();
        let end = |n: Option<&(u32, f64)>| {
            n.and_then(|n| local.get(&n.0))
                .map_or_else(Default::default, |&k| psi.at[k])
        };
        let (origin, far) = (end(socket.nodes.first()), end(socket.nodes.last()));
        let across = (far - origin) * (1.0 / (socket.width * socket.width));
        let largest = region
            .sockets
            .iter()
            .map(|m| m.outflow.abs())
            .fold(f64::MIN_POSITIVE, f64::max);
        let mut key = Vec::with_capacity(3 * psi.nodes.len() + 2);
        key.push(((largest / self.diffusivity).ln() * 1e10).round() as i64);
        key.push(
            (socket.width.ln() * 1e10 * f64::from(u8::from(self.net.drag > 0.0))).round() as i64,
        );
        let mut cells = rustc_hash::FxHasher::default();
        psi.cells.hash(&mut cells);
        key.push(i64::from_ne_bytes(cells.finish().to_ne_bytes()));
        for (at, value) in psi.at.iter().zip(&psi.value) {
            let x = *at - origin;
            let place = [x.dot(across), x.cross(across), value / largest];
            key.extend(place.map(|x| (x * 1e8).round() as i64));
        }
        key
    }

    /// Whether what is at the downstream end of a pipe is felt at its upstream end.
    pub fn is_felt(&self, p: usize, section: &Section) -> bool {
        let pipe = &self.net.pipes[p];
        if pipe.flow.abs() < STILL * self.net.largest {
            return true;
        }
        let modes = self.modes(section, pipe.flow.abs() / self.diffusivity, pipe.width);
        modes.is_none_or(|m| (-m.up[0] * pipe.length / pipe.width).exp() > UNFELT)
    }
}

/// The first of every kind, and for each the place of its kind's first among these.
fn firsts_of(keys: Vec<Key>) -> (Vec<usize>, Vec<usize>) {
    let mut known: FxHashMap<Key, usize> = FxHashMap::default();
    let mut firsts = Vec::new();
    let of = keys.into_iter().enumerate().map(|(k, key)| {
        *known.entry(key).or_insert_with(|| {
            firsts.push(k);
            firsts.len() - 1
        })
    });
    let of = of.collect();
    (firsts, of)
}

fn lock<T>(kept: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A thread that panicked can't have left a map half changed: entries go in whole.
    kept.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
