//! Elliptic regions and the pipes between them, solved together on the unknowns of their sockets.
//!
//! ```text
//! region:  (A - q B) c + J = 0 on every socket     A: the region eliminated on to its sockets, J: what leaves by the socket, all over D
//! pipe:    c_0 = P+ a + P- e- b,   c_L = P+ e+ a + P- b,   J = F+ ... alike       a, b: amplitudes of modes down- and upstream
//! ```
//! | far end of the pipe | closed with |
//! | --- | --- |
//! | region of the group | both traces determine a and b |
//! | port or other region, downstream | the pipe goes on without end: b = 0 |
//! | port, upstream | what enters: `J_0 = int u c_in v` (Danckwerts), whatever the pipe's length |
//! | region solved before, upstream | its a, or what its tubes carry; only modes that decay upstream are added |
//! | closed end, no flow | diffusion alone |

use std::sync::Arc;

use faer::{Mat, MatRef};
use stokeslet_fronts::algebra::product;

use super::Elliptic;
use super::dissection::{Block, eliminate};
use super::ends::{Both, at_distance, column, list, over, solve, stacked};
use super::pipe::InPipe;
use super::section::{Modes, Section, still};
use crate::SpeciesError;
use crate::network::{Beyond, End};
use crate::stream::Stream;
use stokeslet_base::geometry::Point;

/// What a group's solution is.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// By region of the group, by socket: nodal values counter-clockwise, less the reference.
    pub traces: Vec<Vec<Vec<f64>>>,
    /// Pipes that are known as modes now.
    pub pipes: Vec<(usize, InPipe)>,
    /// By port that a region of the group leads to directly: what leaves there, as a pipe of no length.
    pub ports: Vec<(usize, InPipe)>,
}

/// What flows towards a region of the group from what was solved before.
pub struct Upstream<'a> {
    /// The stream of a port where fluid enters, in a channel of a profile.
    pub port: &'a (dyn Fn(usize, crate::profile::Profile) -> Stream + Sync),
    /// Streams of pipes.
    pub pipes: &'a [Option<[Stream; 2]>],
    /// Modes of pipes.
    pub modes: &'a [Option<InPipe>],
}

type Found<T> = Result<T, SpeciesError>;

/// How the far side of a socket is closed, kept until the traces are known.
enum Closing {
    /// Upstream end of a pipe of the group: pipe, matrix of both ends, where the other trace is.
    Both(usize, Both, [usize; 2]),
    /// Without end: pipe or none, place.
    Endless(Option<usize>, Option<usize>, Arc<Modes>, usize, f64),
    /// From a port by a pipe: pipe, matrix, what enters, place.
    FromPort(usize, Both, Vec<f64>, usize),
    /// From a pipe known as modes: pipe, place.
    Behind(usize, usize),
}

/// Places of a socket's unknowns: in a row, against the pipe's eta where the region is downstream.
#[derive(Clone, Copy)]
struct Place {
    from: usize,
    n: usize,
    reversed: bool,
}

impl Place {
    fn at(self, i: usize) -> usize {
        self.from + if self.reversed { self.n - 1 - i } else { i }
    }
}

/// The system of a group under construction.
struct System {
    blocks: Vec<Block>,
    rhs: Vec<f64>,
    /// By unknown: where its socket is.
    at: Vec<Point>,
}

impl System {
    fn add(&mut self, rows: Place, columns: Place, block: MatRef<'_, f64>, sign: f64) {
        let mut unknowns: Vec<u32> = (0..rows.n).map(|i| rows.at(i) as u32).collect();
        let mut first = 0;
        if rows.from != columns.from {
            first = rows.n;
            unknowns.extend((0..columns.n).map(|j| columns.at(j) as u32));
        }
        let n = unknowns.len();
        let mut values = Mat::<f64>::zeros(n, n);
        for j in 0..columns.n {
            for i in 0..rows.n {
                values[(i, first + j)] = sign * block[(i, j)];
            }
        }
        let sum = unknowns
            .iter()
            .fold(Point::default(), |sum, &k| sum + self.at[k as usize]);
        self.blocks.push(Block {
            unknowns,
            values,
            at: sum * (1.0 / n as f64),
        });
    }

    fn give(&mut self, rows: Place, values: &[f64]) {
        for (i, v) in values.iter().enumerate() {
            self.rhs[rows.at(i)] += v;
        }
    }

    fn solve(self) -> Option<Vec<f64>> {
        let all = eliminate(&self.blocks, &self.rhs, self.rhs.len())?;
        all.fronts.solve(&[])
    }
}

impl Elliptic<'_> {
    /// Solves the regions of a group.
    ///
    /// # Errors
    /// [`SpeciesError::Singular`] names the first region whose problem or whose pipes can't be solved for.
    pub fn solve_group(&self, regions: &[usize], upstream: &Upstream<'_>) -> Found<Solved> {
        let net = self.net;
        let fail = || SpeciesError::Singular { region: regions[0] };
        let sections = regions
            .iter()
            .map(|&r| self.sections(r).ok_or_else(fail))
            .collect::<Found<Vec<_>>>()?;
        let mut places: Vec<Vec<Place>> = Vec::new();
        let mut total = 0;
        for (k, &r) in regions.iter().enumerate() {
            let sockets = net.regions[r].sockets.iter().enumerate().zip(&sections[k]);
            places.push(
                sockets
                    .map(|((m, _), section)| {
                        let place = Place {
                            from: total,
                            n: section.n(),
                            reversed: self.is_downstream(r, m),
                        };
                        total += place.n;
                        place
                    })
                    .collect(),
            );
        }
        let index = |r: usize| regions.iter().position(|&x| x == r);
        let mut system = System {
            blocks: Vec::new(),
            rhs: vec![0.0; total],
            at: Vec::with_capacity(total),
        };
        for (k, &r) in regions.iter().enumerate() {
            for (place, socket) in places[k].iter().zip(&net.regions[r].sockets) {
                let middle = socket.nodes[socket.nodes.len() / 2].0;
                let at = self.psi[r].place_of(middle).ok_or_else(fail)?;
                system.at.extend(std::iter::repeat_n(at, place.n));
            }
        }
        let mut closings = Vec::new();
        for (k, &r) in regions.iter().enumerate() {
            let condensed = self
                .condensed(r)
                .ok_or(SpeciesError::Singular { region: r })?;
            let matrix = &condensed.matrix;
            let all = Place {
                from: places[k].first().map_or(0, |p| p.from),
                n: matrix.nrows(),
                reversed: false,
            };
            system.add(all, all, matrix.as_ref(), 1.0);
            for (m, socket) in net.regions[r].sockets.iter().enumerate() {
                let (at, section) = (places[k][m], &sections[k][m]);
                if socket.outflow == 0.0 {
                    if let Beyond::Pipe(p, end) = socket.beyond {
                        self.close_still(p, end, at, section, &mut system, &|r, m| {
                            index(r).map(|k| places[k][m])
                        })
                        .ok_or_else(fail)?;
                    }
                    continue;
                }
                let flow = socket.outflow.abs();
                let modes = self
                    .modes(section, flow / self.diffusivity, socket.width)
                    .ok_or_else(fail)?;
                system.add(at, at, modes.carried.as_ref(), -socket.outflow.signum());
                let leaves = socket.outflow > 0.0;
                match socket.beyond {
                    Beyond::Port(port) if !leaves => {
                        system.give(
                            at,
                            &self.entering(section, &(upstream.port)(port, section.profile)),
                        );
                    }
                    Beyond::Port(port) => {
                        system.add(
                            at,
                            at,
                            over(&modes.down_flux, &modes.down_shape).as_ref(),
                            1.0,
                        );
                        closings.push(Closing::Endless(
                            None,
                            Some(port),
                            modes,
                            self.slot(k, m),
                            flow,
                        ));
                    }
                    Beyond::Pipe(p, end) => {
                        let length = net.pipes[p].length / net.pipes[p].width;
                        let other = net.pipes[p].ends[1 - end];
                        let in_group = match other {
                            End::Region(r2, m2) => index(r2).map(|k2| (k2, m2)),
                            _ => None,
                        };
                        match (leaves, in_group, other) {
                            (true, Some((k2, m2)), _) => {
                                let shapes = [&modes.down_shape, &modes.up_shape];
                                let fluxes = [&modes.down_flux, &modes.up_flux];
                                let both = Both::new(&modes, length, shapes);
                                let n = section.n();
                                let flux = |x: f64| at_distance(&modes, length, x, fluxes);
                                let w = over(&stacked(&flux(0.0), &flux(length)), &both.matrix);
                                let far = places[k2][m2];
                                for (rows, first, sign) in [(at, 0, 1.0), (far, n, -1.0)] {
                                    system.add(
                                        rows,
                                        at,
                                        w.as_ref().submatrix(first, 0, n, n),
                                        sign,
                                    );
                                    system.add(
                                        rows,
                                        far,
                                        w.as_ref().submatrix(first, n, n, n),
                                        sign,
                                    );
                                }
                                closings.push(Closing::Both(
                                    p,
                                    both,
                                    [self.slot(k, m), self.slot(k2, m2)],
                                ));
                            }
                            (true, None, _) => {
                                system.add(
                                    at,
                                    at,
                                    over(&modes.down_flux, &modes.down_shape).as_ref(),
                                    1.0,
                                );
                                closings.push(Closing::Endless(
                                    Some(p),
                                    None,
                                    modes,
                                    self.slot(k, m),
                                    flow,
                                ));
                            }
                            (false, Some(_), _) => {} // closed from its other end
                            (false, None, End::Port(port)) => {
                                let entering =
                                    self.entering(section, &(upstream.port)(port, section.profile));
                                let n = section.n();
                                let fluxes = [&modes.down_flux, &modes.up_flux];
                                let both = Both::new(&modes, length, fluxes);
                                let ends = at_distance(&modes, length, length, fluxes);
                                let w = over(&ends, &both.matrix);
                                system.add(at, at, w.as_ref().submatrix(0, n, n, n), -1.0);
                                let given = w.as_ref().submatrix(0, 0, n, n) * column(&entering);
                                system.give(at, &list(&given, 0, n));
                                closings.push(Closing::FromPort(
                                    p,
                                    both,
                                    entering,
                                    self.slot(k, m),
                                ));
                            }
                            (false, None, _) => {
                                let decays = over(&modes.up_flux, &modes.up_shape);
                                let (entering, values) = self
                                    .arriving(p, section, &modes, upstream)
                                    .ok_or(SpeciesError::Circular)?;
                                system.add(at, at, decays.as_ref(), -1.0);
                                let back = &decays * column(&values);
                                let given: Vec<f64> = entering
                                    .iter()
                                    .enumerate()
                                    .map(|(i, j)| j - back[(i, 0)])
                                    .collect();
                                system.give(at, &given);
                                if upstream.modes[p].is_some() {
                                    closings.push(Closing::Behind(p, self.slot(k, m)));
                                }
                            }
                        }
                    }
                }
            }
        }
        let x = system.solve().ok_or_else(fail)?;
        let trace = |k: usize, m: usize| -> Vec<f64> {
            (0..places[k][m].n)
                .map(|i| x[places[k][m].from + i])
                .collect()
        };
        let along = |slot: usize| -> Vec<f64> {
            let (k, m) = (slot / SLOTS, slot % SLOTS);
            (0..places[k][m].n).map(|i| x[places[k][m].at(i)]).collect()
        };
        let section_of = |slot: usize| sections[slot / SLOTS][slot % SLOTS].clone();
        let mut out = Solved {
            traces: regions
                .iter()
                .enumerate()
                .map(|(k, &r)| {
                    (0..net.regions[r].sockets.len())
                        .map(|m| trace(k, m))
                        .collect()
                })
                .collect(),
            ..Solved::default()
        };
        for closing in closings {
            let (p, slot, down, up) = match closing {
                Closing::Both(p, both, [a, b]) => {
                    let ends: Vec<f64> = along(a).into_iter().chain(along(b)).collect();
                    let [down, up] = both.amplitudes(&ends);
                    (p, a, down, up)
                }
                Closing::Endless(p, port, modes, slot, flow) => {
                    let values = along(slot);
                    let x = solve(&modes.down_shape, column(&values).as_ref());
                    let down = list(&x, 0, values.len());
                    let Some(p) = p else {
                        let behind = InPipe {
                            section: section_of(slot),
                            modes,
                            length: 0.0,
                            down,
                            up: Vec::new(),
                            reference: self.reference,
                            flow,
                        };
                        out.ports.extend(port.map(|port| (port, behind)));
                        continue;
                    };
                    (p, slot, down, Vec::new())
                }
                Closing::FromPort(p, both, entering, slot) => {
                    let ends: Vec<f64> = entering.into_iter().chain(along(slot)).collect();
                    let [down, up] = both.amplitudes(&ends);
                    (p, slot, down, up)
                }
                Closing::Behind(p, slot) => {
                    if let Some(before) = &upstream.modes[p] {
                        let mut pipe = before.clone();
                        let far = pipe.at(pipe.length);
                        let rest: Vec<f64> = along(slot)
                            .iter()
                            .zip(&far)
                            .map(|(c, f)| c - (f - pipe.reference))
                            .collect();
                        let x = solve(&pipe.modes.up_shape, column(&rest).as_ref());
                        pipe.up = list(&x, 0, rest.len());
                        out.pipes.push((p, pipe));
                    }
                    continue;
                }
            };
            let section = section_of(slot);
            out.pipes
                .push((p, self.in_pipe(p, section, down, up).ok_or_else(fail)?));
        }
        Ok(out)
    }

    /// A pipe from port to port.
    pub fn lone_pipe(&self, p: usize, section: Section, entering: &Stream) -> Option<InPipe> {
        let pipe = &self.net.pipes[p];
        let modes = self.modes(&section, pipe.flow.abs() / self.diffusivity, pipe.width)?;
        let given = column(&self.entering(&section, entering));
        let x = solve(&modes.down_flux, given.as_ref());
        let down = list(&x, 0, section.n());
        self.in_pipe(p, section, down, Vec::new())
    }

    fn in_pipe(&self, p: usize, section: Section, down: Vec<f64>, up: Vec<f64>) -> Option<InPipe> {
        let pipe = &self.net.pipes[p];
        let modes = self.modes(&section, pipe.flow.abs() / self.diffusivity, pipe.width)?;
        let (length, flow) = (pipe.length / pipe.width, pipe.flow.abs());
        Some(InPipe {
            section,
            modes,
            length,
            down,
            up,
            reference: self.reference,
            flow,
        })
    }

    fn slot(&self, k: usize, m: usize) -> usize {
        k * SLOTS + m
    }

    /// What a stream carries less the reference, over D, as functional on the nodes.
    fn entering(&self, section: &Section, stream: &Stream) -> Vec<f64> {
        let mut rest = stream.clone();
        rest.value.iter_mut().for_each(|c| *c -= self.reference);
        section
            .carried(&rest)
            .iter()
            .map(|j| j / self.diffusivity)
            .collect()
    }

    /// What arrives through a pipe from what was solved before: functional and nodal values; `None` where nothing was.
    fn arriving(
        &self,
        p: usize,
        section: &Section,
        modes: &Modes,
        upstream: &Upstream<'_>,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        if let Some(before) = &upstream.modes[p] {
            let m = &before.modes;
            let n = section.n();
            let far = Mat::from_fn(n, 1, |k, _| {
                before.down[k] * (-m.down[k] * before.length).exp()
            });
            return Some((
                list(&product(m.down_flux.as_ref(), far.as_ref()), 0, n),
                list(&product(m.down_shape.as_ref(), far.as_ref()), 0, n),
            ));
        }
        let [_, stream] = upstream.pipes[p].as_ref()?;
        let functional = self.entering(section, stream);
        let values = modes.nodal(&functional);
        Some((functional, values))
    }

    /// Adds what a pipe without flow conducts.
    fn close_still(
        &self,
        p: usize,
        end: usize,
        at: Place,
        section: &Section,
        system: &mut System,
        place: &dyn Fn(usize, usize) -> Option<Place>,
    ) -> Option<()> {
        let pipe = &self.net.pipes[p];
        let length = pipe.length / pipe.width;
        let other = match pipe.ends[1 - end] {
            End::Region(r, m) => place(r, m),
            _ => None,
        };
        let [near, far] = still(section, length, other.is_none())?;
        system.add(at, at, near.as_ref(), 1.0);
        if let Some(other) = other {
            system.add(at, other, far.as_ref(), 1.0);
        }
        Some(())
    }
}

/// Most sockets of a region that are told apart.
const SLOTS: usize = 1 << 16;
