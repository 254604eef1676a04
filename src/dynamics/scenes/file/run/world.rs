//! A scene's liquid in two or three dimensions: the loop of scenes at cut walls, or that of tanks at stairs.

use std::sync::Arc;

use super::{LiquidError, LiquidLog, LiquidSnapshot, Next};
use crate::grid::{CellFlag, Shape, centre_value};
use crate::lcp::{Lcp, LcpSolver, Status, Trace, Watch, solver};
use crate::report::checkpoint::{CheckpointError, Kept, LoopState, load, save};
use crate::scenes::Simulation;
use crate::scenes::eckert::{FlowError, FlowSettings, Tank, TankError, TankFlow};
use crate::scenes::file::LiquidScene;
use crate::scenes::file::settings::{LiquidSettings, Means};
use crate::splitting::{Method, Settings};

/// A loop in one dimension.
enum Loop<const D: usize> {
    /// At cut walls.
    Cut {
        simulation: Arc<Simulation<D>>,
        solver: Box<dyn LcpSolver<D>>,
        pressure: Vec<f64>,
    },
    /// At stairs; a time of the loop is a frame.
    Stairs {
        flow: Box<TankFlow<D>>,
        method: Method,
        settings: Settings,
        frames: usize,
    },
}

/// A scene in one dimension.
pub(super) struct World<const D: usize> {
    state: Loop<D>,
    /// Volume over particles at the start, m^D: what each stands for in energies.
    share: f64,
}

/// A dimension's name for what both have.
pub(super) trait Named<const D: usize> {
    fn next(&self) -> Next;
}

impl Named<2> for World<2> {
    fn next(&self) -> Next {
        match &self.state {
            Loop::Cut { simulation, .. } => Next::Plane(simulation.clone()),
            Loop::Stairs { .. } => Next::Stairs,
        }
    }
}

impl Named<3> for World<3> {
    fn next(&self) -> Next {
        match &self.state {
            Loop::Cut { simulation, .. } => Next::Space(simulation.clone()),
            Loop::Stairs { .. } => Next::Stairs,
        }
    }
}

/// A solver whose pressures are kept by cell, and whose tolerance is another.
struct Watched<'a, const D: usize> {
    inner: &'a mut dyn LcpSolver<D>,
    tolerance: Option<f64>,
    pressure: &'a mut Vec<f64>,
}

impl<const D: usize> LcpSolver<D> for Watched<'_, D> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        // A solver that needs no iteration would never look.
        if trace.cancelled() {
            return (vec![0.0; problem.n()], Status::Cancelled);
        }
        trace.tolerance = self.tolerance.unwrap_or(trace.tolerance);
        let (p, status) = self.inner.run(problem, trace);
        self.pressure.fill(0.0);
        for (p, cell) in p.iter().zip(&problem.places.of) {
            self.pressure[*cell as usize] = *p;
        }
        (p, status)
    }
}

impl<const D: usize> World<D>
where
    TankError: From<FlowError<D>>,
{
    pub fn new(scene: &LiquidScene, settings: &LiquidSettings) -> Result<Self, LiquidError> {
        let mut own = scene.scene::<D>();
        if let Some(particles) = settings.particles {
            own.particles = particles;
        }
        if scene.keep_volume {
            own = own.keeping_volume();
        }
        let n = scene.cells;
        let state = match settings.means() {
            Some(Means::Cut(name, separation)) => Loop::Cut {
                solver: solver(name).ok_or(LiquidError::Empty)?,
                pressure: vec![0.0; own.lattice(n).len()],
                simulation: Arc::new(Simulation::new(own, n, separation)),
            },
            Some(Means::Stairs(method)) => {
                let dx = scene.side() / n as f64;
                // Of a tank the side is 1.
                let unit = |shape: Shape<D>| Shape::Scaled {
                    by: 1.0 / scene.side(),
                    shape: Box::new(shape),
                };
                let tank = Tank {
                    name: "own",
                    solid: Shape::Complement(Box::new(unit(own.open.clone()))),
                    liquid: unit(own.liquid.clone()),
                    steps: scene.frames(),
                };
                let how = flow_settings::<D>(settings, scene.gravity, scene.side(), scene.frame);
                let mut flow = TankFlow::on(&tank, own.lattice(n), how);
                // Walls along the cells can't move through them: a container that swings is seen from itself.
                let velocity_at = |x: [f64; D]| {
                    let mut v = own.velocity_at(x.map(|x| x * dx));
                    if let Some(motion) = &own.motion {
                        v[motion.axis] -= motion.speed(0.0);
                    }
                    v.map(|v| v * scene.frame / dx)
                };
                flow.set_velocity(&velocity_at);
                Loop::Stairs {
                    flow: Box::new(flow),
                    method,
                    settings: settings.splitting::<D>(),
                    frames: 0,
                }
            }
            None => return Err(LiquidError::Empty),
        };
        let mut world = Self { state, share: 0.0 };
        let particles = world.particles();
        if particles == 0 {
            return Err(LiquidError::Empty);
        }
        world.share = world.volume(scene) / particles as f64;
        Ok(world)
    }

    fn particles(&self) -> usize {
        match &self.state {
            Loop::Cut { simulation, .. } => simulation.x.len(),
            Loop::Stairs { flow, .. } => flow.x.len(),
        }
    }

    /// Volume of the cells of liquid, m^D.
    fn volume(&self, scene: &LiquidScene) -> f64 {
        let dx = scene.side() / scene.cells as f64;
        self.wet() as f64 * dx.powi(D as i32)
    }

    /// Cells of liquid.
    fn wet(&self) -> usize {
        match &self.state {
            Loop::Cut { simulation, .. } => {
                let (mac, walls) = (&simulation.mac, simulation.walls());
                let liquid = simulation.liquid();
                let is_open = |i: usize| {
                    centre_value(&mac.cells, &walls.distance, mac.cells.coordinates(i)) > 0.0
                };
                (0..liquid.len())
                    .filter(|i| liquid[*i] < 0.0 && is_open(*i))
                    .count()
            }
            Loop::Stairs { flow, .. } => {
                let wet = flow.flags.iter().filter(|f| **f == CellFlag::Fluid);
                wet.count()
            }
        }
    }

    pub fn frames(&self) -> usize {
        match &self.state {
            Loop::Cut { simulation, .. } => simulation.frames,
            Loop::Stairs { frames, .. } => *frames,
        }
    }

    pub fn adopt(
        &mut self,
        all: &LiquidSettings,
        gravity: f64,
        side: f64,
        frame: f64,
    ) -> Result<(), LiquidError> {
        match (&mut self.state, all.means()) {
            (
                Loop::Cut {
                    simulation,
                    solver: now,
                    ..
                },
                Some(Means::Cut(name, separation)),
            ) => {
                if now.name() != name {
                    *now = solver(name).ok_or(LiquidError::Empty)?;
                }
                let simulation = Arc::make_mut(simulation);
                simulation.separation = separation;
                simulation.scene.gravity = gravity;
                Ok(())
            }
            (
                Loop::Stairs {
                    flow,
                    method,
                    settings,
                    ..
                },
                Some(Means::Stairs(other)),
            ) => {
                *method = other;
                *settings = all.splitting::<D>();
                let particles = flow.settings.particles;
                flow.settings = FlowSettings {
                    particles,
                    ..flow_settings::<D>(all, gravity, side, frame)
                };
                Ok(())
            }
            _ => Err(LiquidError::Fixed("walls")),
        }
    }

    pub fn frame(
        &mut self,
        scene: &LiquidScene,
        settings: &LiquidSettings,
        watch: Watch<'_>,
    ) -> Result<LiquidLog, LiquidError> {
        let dx = scene.side() / scene.cells as f64;
        let mut log = match &mut self.state {
            Loop::Cut {
                simulation,
                solver,
                pressure,
            } => {
                let (mut next, memory) = ((**simulation).clone(), solver.memory());
                let mut found = pressure.clone();
                let mut watched = Watched {
                    inner: &mut **solver,
                    tolerance: settings.tolerance,
                    pressure: &mut found,
                };
                match next.frame(&mut watched, watch, &mut |_| {}) {
                    Ok(frame) => {
                        (*simulation, *pressure) = (Arc::new(next), found);
                        LiquidLog {
                            frame: simulation.frames,
                            time: 0.0,
                            cells: frame.unknowns,
                            detached: frame.detached,
                            pockets: frame.pockets,
                            divergence: frame.divergence,
                            volume: frame.volume,
                            max_speed: frame.max_speed,
                            solves: frame.solves,
                            kinetic: 0.0,
                            potential: 0.0,
                        }
                    }
                    Err(error) => {
                        solver.recall(memory);
                        return Err(error.into());
                    }
                }
            }
            Loop::Stairs {
                flow,
                method,
                settings: how,
                frames,
            } => {
                let mut next = flow.clone();
                let motion = scene.motion();
                let (mut rest, mut steps) = (1.0f64, Vec::new());
                while rest > 1e-9 {
                    // No farther than a cell a step, and no longer than is asked for.
                    let own = next.v.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
                    let fastest = next.mac.max_component().max(own).max(1e-12);
                    let most = settings.step.map_or(0.5, |step| step / scene.frame);
                    let n = (rest / most.min(1.0 / fastest)).ceil().clamp(1.0, 1e4);
                    next.settings.dt = rest / n;
                    if let Some(motion) = &motion {
                        // In the middle of the step.
                        let time = (*frames as f64 + 1.0 - rest + 0.5 * rest / n) * scene.frame;
                        next.push[motion.axis] =
                            -motion.acceleration(time) * scene.frame * scene.frame / dx;
                    }
                    rest -= rest / n;
                    let step = next.step(*method, how, watch, &mut |_| {});
                    steps.push(step.map_err(TankError::from)?);
                }
                *flow = next;
                *frames += 1;
                let last = steps.last();
                let a_frame = scene.frame;
                LiquidLog {
                    frame: *frames,
                    time: 0.0,
                    cells: last.map_or(0, |s| s.volume),
                    detached: last.map_or(0, |s| s.log.detached.len()),
                    pockets: last.map_or(0, |s| s.log.pockets),
                    divergence: steps
                        .iter()
                        .map(|s| s.log.divergence_left)
                        .fold(0.0, f64::max)
                        / a_frame,
                    volume: last.map_or(0, |s| s.filled) as f64 * dx.powi(D as i32),
                    max_speed: last.map_or(0.0, |s| s.max_speed) * dx / a_frame,
                    solves: steps.into_iter().map(|s| s.log.solve).collect(),
                    kinetic: 0.0,
                    potential: 0.0,
                }
            }
        };
        log.time = log.frame as f64 * scene.frame;
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for k in 0..self.particles() {
            let (x, v) = self.particle(k, scene);
            kinetic += 0.5 * v.iter().map(|v| v * v).sum::<f64>();
            potential -= scene.gravity * x[1];
        }
        log.kinetic = kinetic * self.share;
        log.potential = potential * self.share;
        Ok(log)
    }

    /// A particle's place and velocity, SI.
    fn particle(&self, k: usize, scene: &LiquidScene) -> ([f64; D], [f64; D]) {
        match &self.state {
            Loop::Cut { simulation, .. } => {
                let x = simulation.x[k];
                (x, simulation.mac.velocity(x))
            }
            Loop::Stairs { flow, .. } => {
                let dx = scene.side() / scene.cells as f64;
                let x = flow.x[k].map(|x| x * dx);
                (x, flow.v[k].map(|v| v * dx / scene.frame))
            }
        }
    }

    pub fn snapshot(
        &self,
        scene: &LiquidScene,
        frames: usize,
        time: f64,
        next: Next,
    ) -> LiquidSnapshot {
        let dx = scene.side() / scene.cells as f64;
        let in_space = |v: [f64; D]| std::array::from_fn(|k| v.get(k).copied().unwrap_or(0.0));
        let all = (0..self.particles()).map(|k| self.particle(k, scene));
        let (x, v) = all.map(|(x, v)| (in_space(x), in_space(v))).unzip();
        let (mac, scale) = match &self.state {
            Loop::Cut { simulation, .. } => (&simulation.mac, 1.0),
            Loop::Stairs { flow, .. } => (&flow.mac, dx / scene.frame),
        };
        let cells = mac.cells;
        let velocity = cells.map(|_, c| in_space(mac.velocity(mac.centre(c)).map(|v| v * scale)));
        let lower = |c: [usize; D]| {
            std::array::from_fn(|axis| mac.u[axis][cells.faces(axis).index(c)] * scale)
        };
        let faces = cells.map(|_, c| in_space(lower(c)));
        let (pressure, liquid, walls) = match &self.state {
            Loop::Cut {
                simulation,
                pressure,
                ..
            } => {
                let distance: &Arc<Vec<f64>> = &simulation.walls().distance;
                (
                    pressure.clone(),
                    simulation.liquid(),
                    cells.map(|_, c| centre_value(&cells, distance, c)),
                )
            }
            Loop::Stairs { flow, .. } => {
                let half = |is: bool| if is { -0.5 * dx } else { 0.5 * dx };
                let of = |flag: CellFlag| -> Vec<f64> {
                    flow.flags.iter().map(|f| half(*f == flag)).collect()
                };
                (Vec::new(), of(CellFlag::Fluid), of(CellFlag::Solid))
            }
        };
        LiquidSnapshot {
            dimension: D,
            frames,
            time,
            side: scene.side(),
            cells: std::array::from_fn(|k| cells.n.get(k).copied().unwrap_or(1)),
            dx,
            x,
            v,
            pressure,
            velocity,
            faces,
            liquid,
            walls,
            next,
        }
    }

    pub fn save(&self, key: &str) -> Vec<u8> {
        match &self.state {
            Loop::Cut {
                simulation, solver, ..
            } => {
                let kept = Kept {
                    memory: solver.memory(),
                    log: String::new(),
                };
                save(key, &LoopState::of_scene(simulation), &kept)
            }
            Loop::Stairs { flow, frames, .. } => {
                // Steps of a frame vary: both are kept.
                let kept = Kept {
                    memory: vec![*frames as u32],
                    log: String::new(),
                };
                save(key, &LoopState::of_tank(flow), &kept)
            }
        }
    }

    pub fn load(&mut self, bytes: &[u8], key: &str) -> Result<(), CheckpointError> {
        match &mut self.state {
            Loop::Cut {
                simulation, solver, ..
            } => {
                let faces = simulation.mac.u.each_ref().map(Vec::len);
                let (state, kept) = load(bytes, key, faces)?;
                state.restore_scene(Arc::make_mut(simulation));
                solver.recall(kept.memory);
            }
            Loop::Stairs { flow, frames, .. } => {
                let faces = flow.mac.u.each_ref().map(Vec::len);
                let (state, kept) = load(bytes, key, faces)?;
                let done = kept.memory.first().ok_or(CheckpointError::Damaged)?;
                *frames = *done as usize;
                state.restore_tank(flow);
                flow.flag();
            }
        }
        Ok(())
    }
}

/// How the loop of tanks runs: a time is a frame, lengths are cells.
fn flow_settings<const D: usize>(
    settings: &LiquidSettings,
    gravity: f64,
    side: f64,
    frame: f64,
) -> FlowSettings {
    let usual = FlowSettings::of::<D>();
    FlowSettings {
        gravity: -gravity * frame * frame / side,
        flip: settings.flip.unwrap_or(usual.flip),
        particles: settings.particles.unwrap_or(usual.particles),
        ..usual
    }
}
