//! A simulation at the end of a frame, for views: nothing in it changes any more.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::run::AnyRun;
use super::settings::{Slice, Walls};
use super::subjects::Group;
use stokeslet_dynamics::stepped::look::{Mesh, Points, Role};
use stokeslet_dynamics::stepped::{RunSnapshot, System};

/// What a cell at a wall does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// It is at no wall, or the wall can't be left.
    #[default]
    None,
    /// The wall pushes: p > 0.
    Held,
    /// It has left: p = 0.
    Detached,
}

/// A simulation at the end of a frame, and what its last solve said of cells.
#[derive(Clone, Debug)]
pub struct Snapshot<const D: usize> {
    /// Particles, velocities, walls, liquid.
    pub run: AnyRun<D>,
    /// Pressure over density a cell of the last solve, m²/s²; 0 where there was no unknown, empty where none is told.
    pub pressure: Arc<Vec<f64>>,
    /// What cells did in the last solve.
    pub contact: Arc<Vec<Contact>>,
    /// The fastest particle's speed: m/s of scenes, cells a time of tanks.
    pub fastest: f64,
}

impl<const D: usize> Snapshot<D> {
    /// The snapshot of a run whose pressure was never solved for.
    pub fn at_start(run: AnyRun<D>) -> Self {
        let n = run.cells().len();
        let told = if run.group().has_pressure() { n } else { 0 };
        Self {
            pressure: Arc::new(vec![0.0; told]),
            contact: Arc::new(vec![Contact::None; n]),
            fastest: fastest(&run),
            run,
        }
    }

    /// The least and the greatest pressure, m²/s².
    pub fn pressures(&self) -> [f64; 2] {
        let ends = |[low, high]: [f64; 2], p: &f64| [low.min(*p), high.max(*p)];
        self.pressure.iter().fold([0.0; 2], ends)
    }

    /// Pressure over density at a place, m²/s²; 0 where none is known.
    pub fn pressure(&self, x: [f64; D]) -> f64 {
        let pressure = |cell: usize| self.pressure.get(cell).copied();
        self.run.cell(x).and_then(pressure).unwrap_or(0.0)
    }
}

/// The speed of the fastest particle; what isn't a number is none.
pub fn fastest<const D: usize>(run: &AnyRun<D>) -> f64 {
    (0..run.particles())
        .into_par_iter()
        .with_min_len(1024)
        .map(|k| run.speed(run.particle(k)))
        .reduce(|| 0.0, f64::max)
}

/// A place of the picture in the scene: that of the slice in space.
pub fn place<const D: usize>(slice: Slice, at: [f64; 2]) -> [f64; D] {
    let mut x = [slice.at; D];
    for (axis, at) in seen_axes::<D>(slice).into_iter().zip(at) {
        x[axis] = at;
    }
    x
}

/// The axes of the picture: to the right, and upwards.
pub fn seen_axes<const D: usize>(slice: Slice) -> [usize; 2] {
    if D == 3 { slice.seen_axes() } else { [0, 1] }
}

/// A scene of another system at the end of a step.
#[derive(Clone, Debug)]
pub struct SystemShot {
    /// Whose scene.
    pub system: &'static dyn System,
    /// What there is to see.
    pub seen: RunSnapshot,
    /// The fastest of all, m/s.
    pub fastest: f64,
    /// The least and the greatest pressure, Pa; 0 where none is told.
    pub pressures: [f64; 2],
    /// How much of the vorticity colours span, 1/s, where it is told.
    pub vorticity: Option<f64>,
}

impl SystemShot {
    /// The shot of what is seen of a run.
    pub fn new(system: &'static dyn System, seen: RunSnapshot) -> Self {
        Self {
            system,
            fastest: seen.look.fastest(),
            pressures: seen.look.pressures().unwrap_or_default(),
            vorticity: seen.look.vorticity(),
            seen,
        }
    }

    /// One more than the greatest number in each list of points; 0 where their order never changes.
    pub fn born(&self) -> Vec<u32> {
        let lists = self.seen.look.points.iter();
        lists
            .map(|points| points.id.iter().max().map_or(0, |most| most + 1))
            .collect()
    }

    /// How far two are from each other; none where they have no points in common.
    fn apart(&self, other: &Self, born: &[u32]) -> Option<Apart> {
        let (mut farthest, mut sum, mut count) = (0.0f64, 0.0, 0usize);
        let mut take = |x: &[f64; 3], y: &[f64; 3]| {
            let d = (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt();
            farthest = farthest.max(d);
            sum += d;
            count += 1;
        };
        let (lists, others) = (&self.seen.look.points, &other.seen.look.points);
        for (k, (a, b)) in lists.iter().zip(others).enumerate() {
            if matches!(a.role, Role::Wall | Role::Fixed) {
                continue;
            }
            if a.id.is_empty() {
                if a.at.len() != b.at.len() {
                    return None;
                }
                a.at.iter().zip(&b.at).for_each(|(x, y)| take(x, y));
                continue;
            }
            let born = born.get(k).copied().unwrap_or(0);
            let known = |points: &Points| -> HashMap<u32, [f64; 3]> {
                let all = points.id.iter().zip(&points.at);
                all.filter(|(id, _)| **id < born)
                    .map(|(id, x)| (*id, *x))
                    .collect()
            };
            let twins = known(b);
            // In the order of one of the lists, so that the mean is the same every time.
            for (id, x) in a.id.iter().zip(&a.at) {
                if let Some(y) = twins.get(id) {
                    take(x, y);
                }
            }
        }
        let moving = |mesh: &&Mesh| !matches!(mesh.role, Role::Ground | Role::Fixed);
        let (a, b) = (&self.seen.look.meshes, &other.seen.look.meshes);
        for (a, b) in a.iter().filter(moving).zip(b.iter().filter(moving)) {
            if a.points.len() != b.points.len() {
                return None;
            }
            a.points.iter().zip(&b.points).for_each(|(x, y)| take(x, y));
        }
        (count > 0).then(|| Apart {
            farthest,
            mean: sum / count as f64,
            pressure: 0.0,
            of: 0.0,
        })
    }
}

/// A snapshot of either dimension, or of another system.
#[derive(Clone, Debug)]
pub enum Shot {
    /// In the plane.
    Plane(Snapshot<2>),
    /// In space.
    Space(Snapshot<3>),
    /// A shot of another system.
    System(Box<SystemShot>),
}

/// Speed and pressure at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Magnitude of the velocity: m/s of scenes, cells a time of tanks.
    pub speed: f64,
    /// Pressure over density, m²/s², where it is told.
    pub pressure: Option<f64>,
    /// What the cell does.
    pub contact: Contact,
}

impl Shot {
    /// Which loop it is of.
    pub fn group(&self) -> Group {
        match self {
            Shot::Plane(s) => s.run.group(),
            Shot::Space(s) => s.run.group(),
            Shot::System(s) => Group::System(s.system),
        }
    }

    /// Frames done.
    pub fn frames(&self) -> usize {
        match self {
            Shot::Plane(s) => s.run.frames(),
            Shot::Space(s) => s.run.frames(),
            Shot::System(s) => s.seen.done,
        }
    }

    /// Time: s of scenes, the thesis's of tanks.
    pub fn time(&self) -> f64 {
        match self {
            Shot::Plane(s) => s.run.time(),
            Shot::Space(s) => s.run.time(),
            Shot::System(s) => s.seen.time,
        }
    }

    /// How many particles.
    pub fn particles(&self) -> usize {
        match self {
            Shot::Plane(s) => s.run.particles(),
            Shot::Space(s) => s.run.particles(),
            Shot::System(s) => {
                let look = &s.seen.look;
                let moving = look.points.iter().filter(|p| p.role != Role::Wall);
                let vertices = look.meshes.iter().filter(|m| m.role != Role::Ground);
                moving.map(|p| p.at.len()).sum::<usize>()
                    + vertices.map(|m| m.points.len()).sum::<usize>()
            }
        }
    }

    /// Side of a cell: m of scenes, sides of the box of tanks.
    pub fn dx(&self) -> f64 {
        match self {
            Shot::Plane(s) => s.run.dx(),
            Shot::Space(s) => s.run.dx(),
            Shot::System(_) => 0.0,
        }
    }

    /// What walls do; of a tank that is up to who solves.
    pub fn walls(&self) -> Option<Walls> {
        match self {
            Shot::Plane(s) => s.run.walls(),
            Shot::Space(s) => s.run.walls(),
            Shot::System(_) => None,
        }
    }

    /// The fastest particle's speed: m/s of scenes, cells a time of tanks.
    pub fn fastest(&self) -> f64 {
        match self {
            Shot::Plane(s) => s.fastest,
            Shot::Space(s) => s.fastest,
            Shot::System(s) => s.fastest,
        }
    }

    /// Cells that have left the wall in the last solve.
    pub fn detached(&self) -> usize {
        let contact = match self {
            Shot::Plane(s) => &s.contact,
            Shot::Space(s) => &s.contact,
            Shot::System(_) => return 0,
        };
        contact.iter().filter(|c| **c == Contact::Detached).count()
    }

    /// The scene of another system.
    pub fn system(&self) -> Option<&SystemShot> {
        match self {
            Shot::Plane(_) | Shot::Space(_) => None,
            Shot::System(shot) => Some(&**shot),
        }
    }

    /// The head of its table.
    pub fn head(&self) -> &str {
        match self {
            Shot::Plane(s) => s.run.head(),
            Shot::Space(s) => s.run.head(),
            Shot::System(s) => &s.seen.head,
        }
    }

    /// What there is at a place of the picture; none outside the liquid.
    pub fn probe(&self, slice: Slice, at: [f64; 2]) -> Option<Probe> {
        match self {
            Shot::Plane(s) => probe(s, place(slice, at)),
            Shot::Space(s) => probe(s, place(slice, at)),
            Shot::System(_) => None,
        }
    }
}

fn probe<const D: usize>(snapshot: &Snapshot<D>, x: [f64; D]) -> Option<Probe> {
    let run = &snapshot.run;
    let cell = run.cell(x).filter(|cell| run.is_liquid(*cell))?;
    Some(Probe {
        speed: run.speed(x),
        pressure: snapshot.pressure.get(cell).copied(),
        contact: snapshot.contact[cell],
    })
}

/// How far two views are from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// The farthest that a particle is from its twin: m of scenes, sides of the box of tanks.
    pub farthest: f64,
    /// The mean distance of twins.
    pub mean: f64,
    /// The greatest difference of the last pressures in a cell, m²/s²; 0 where none is told.
    pub pressure: f64,
    /// The greatest pressure of either, m²/s².
    pub of: f64,
}

impl Apart {
    /// How far apart two scenes of another system are. Points that come and go are twins if they were there when the views
    /// parted: `born` is [`SystemShot::born`] of then. The same number given later may mean another point.
    pub fn of_systems(a: &SystemShot, b: &SystemShot, born: &[u32]) -> Option<Self> {
        a.apart(b, born)
    }

    /// How far apart two snapshots of the same scene are; none where they have not the same particles.
    pub fn of<const D: usize>(a: &Snapshot<D>, b: &Snapshot<D>) -> Option<Self> {
        let n = a.run.particles();
        if n != b.run.particles() || a.pressure.len() != b.pressure.len() {
            return None;
        }
        let (mut farthest, mut sum) = (0.0f64, 0.0);
        for k in 0..n {
            let (x, y) = (a.run.particle(k), b.run.particle(k));
            let d = (0..D).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt();
            farthest = farthest.max(d);
            sum += d;
        }
        let (mut pressure, mut of) = (0.0f64, 0.0f64);
        for (p, q) in a.pressure.iter().zip(&*b.pressure) {
            pressure = pressure.max((p - q).abs());
            of = of.max(p.abs()).max(q.abs());
        }
        Some(Self {
            farthest,
            mean: sum / n.max(1) as f64,
            pressure,
            of,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_dynamics::pressure::Separation;
    use stokeslet_dynamics::scenes::{Simulation, scene2, scene3};

    #[test]
    fn the_slice_decides_what_is_seen_where() {
        let slice = |axis| Slice { axis, at: 0.25 };
        assert_eq!(place::<3>(slice(2), [0.1, 0.9]), [0.1, 0.9, 0.25]);
        assert_eq!(place::<3>(slice(0), [0.1, 0.9]), [0.25, 0.9, 0.1]);
        assert_eq!(place::<3>(slice(1), [0.1, 0.9]), [0.1, 0.25, 0.9]);
        assert_eq!(place::<2>(slice(0), [0.1, 0.9]), [0.1, 0.9]);
    }

    #[test]
    fn twins_are_apart_by_what_one_was_moved() {
        let scene = scene2("circle").expect("a scene");
        let still = Arc::new(Simulation::new(scene, 16, Separation::Cut));
        let mut moved = (*still).clone();
        moved.x[0][1] += 0.3;
        let n = moved.x.len() as f64;
        let (a, mut b) = (
            Snapshot::at_start(AnyRun::of_scene(still)),
            Snapshot::at_start(AnyRun::of_scene(Arc::new(moved))),
        );
        b.pressure = Arc::new(vec![-2.0; b.pressure.len()]);
        let apart = Apart::of(&a, &b).expect("the same particles");
        assert!((apart.farthest - 0.3).abs() < 1e-12 && (apart.mean * n - 0.3).abs() < 1e-12);
        assert_eq!((apart.pressure, apart.of), (2.0, 2.0));
    }

    #[test]
    fn a_probe_reads_the_liquid_and_nothing_else() {
        let scene = scene3("ball-box").expect("a scene");
        let simulation = Simulation::new(scene, 16, Separation::Cut);
        let run = AnyRun::of_scene(Arc::new(simulation));
        let shot = Shot::Space(Snapshot::at_start(run));
        let slice = Slice { axis: 2, at: 0.5 };
        let inside = shot.probe(slice, [0.5, 0.55]).expect("in the ball");
        assert!((inside.speed - 4.0).abs() < 1e-12, "{inside:?}");
        assert_eq!(shot.probe(slice, [0.85, 0.85]), None);
        assert_eq!(shot.probe(slice, [7.0, -3.0]), None);
    }
}
