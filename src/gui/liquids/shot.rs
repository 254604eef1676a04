//! A simulation at the end of a frame, for views: nothing in it changes any more.

use std::sync::Arc;

use rayon::prelude::*;

use super::settings::{Slice, Walls};
use crate::liquid::lcp::SolveLog;
use crate::liquid::particles::extend_into_solid;
use crate::liquid::pressure::Separation;
use crate::liquid::scenes::{Frame, Simulation};

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

/// A simulation at the end of a frame.
#[derive(Clone, Debug)]
pub struct Snapshot<const D: usize> {
    /// Particles, velocities, walls.
    pub simulation: Arc<Simulation<D>>,
    /// The liquid's level set at cell centres, continued into walls, m.
    pub liquid: Arc<Vec<f64>>,
    /// Pressure over density a cell of the last solve, m²/s²; 0 where there was no unknown.
    pub pressure: Arc<Vec<f64>>,
    /// What cells did in the last solve.
    pub contact: Arc<Vec<Contact>>,
    /// The fastest particle's speed, m/s.
    pub fastest: f64,
}

impl<const D: usize> Snapshot<D> {
    /// Of a simulation whose pressure was never solved for.
    pub fn at_start(simulation: Arc<Simulation<D>>) -> Self {
        let cells = simulation.mac.cells;
        let mut liquid = simulation.liquid();
        let walls = &simulation.walls().distance;
        extend_into_solid(&cells, simulation.mac.dx, walls, &mut liquid);
        Self {
            liquid: Arc::new(liquid),
            pressure: Arc::new(vec![0.0; cells.len()]),
            contact: Arc::new(vec![Contact::None; cells.len()]),
            fastest: fastest(&simulation),
            simulation,
        }
    }

    /// The least and the greatest pressure, m²/s².
    pub fn pressures(&self) -> [f64; 2] {
        let ends = |[low, high]: [f64; 2], p: &f64| [low.min(*p), high.max(*p)];
        self.pressure.iter().fold([0.0; 2], ends)
    }

    /// The cell that holds a point, if it is on the grid.
    pub fn cell(&self, x: [f64; D]) -> Option<usize> {
        let mac = &self.simulation.mac;
        let mut c = [0; D];
        for a in 0..D {
            let at = x[a] / mac.dx;
            if !(0.0..mac.cells.n[a] as f64).contains(&at) {
                return None;
            }
            c[a] = at as usize;
        }
        Some(mac.cells.index(c))
    }
}

/// The speed of the fastest particle, m/s; what isn't a number is none.
pub fn fastest<const D: usize>(simulation: &Simulation<D>) -> f64 {
    let speed = |x: &[f64; D]| {
        let v = simulation.mac.velocity(*x);
        v.iter().map(|v| v * v).sum::<f64>().sqrt()
    };
    simulation
        .x
        .par_iter()
        .with_min_len(1024)
        .map(speed)
        .reduce(|| 0.0, f64::max)
}

/// A place of the picture in the scene: that of the slice in space.
pub fn place<const D: usize>(slice: Slice, at: [f64; 2]) -> [f64; D] {
    let mut x = [slice.at; D];
    let axes = if D == 3 { slice.seen_axes() } else { [0, 1] };
    for (axis, at) in axes.into_iter().zip(at) {
        x[axis] = at;
    }
    x
}

/// A snapshot of either dimension.
#[derive(Clone, Debug)]
pub enum Shot {
    /// In the plane.
    Plane(Snapshot<2>),
    /// In space.
    Space(Snapshot<3>),
}

/// Speed and pressure at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Magnitude of the velocity, m/s.
    pub speed: f64,
    /// Pressure over density, m²/s².
    pub pressure: f64,
    /// What the cell does.
    pub contact: Contact,
}

impl Shot {
    /// Frames done.
    pub fn frames(&self) -> usize {
        match self {
            Shot::Plane(s) => s.simulation.frames,
            Shot::Space(s) => s.simulation.frames,
        }
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        match self {
            Shot::Plane(s) => s.simulation.time,
            Shot::Space(s) => s.simulation.time,
        }
    }

    /// How many particles.
    pub fn particles(&self) -> usize {
        match self {
            Shot::Plane(s) => s.simulation.x.len(),
            Shot::Space(s) => s.simulation.x.len(),
        }
    }

    /// Side of a cell, m.
    pub fn dx(&self) -> f64 {
        match self {
            Shot::Plane(s) => s.simulation.mac.dx,
            Shot::Space(s) => s.simulation.mac.dx,
        }
    }

    /// What walls do.
    pub fn walls(&self) -> Walls {
        let separation = match self {
            Shot::Plane(s) => s.simulation.separation,
            Shot::Space(s) => s.simulation.separation,
        };
        match separation {
            Separation::Sticking => Walls::Sticking,
            _ => Walls::Separating,
        }
    }

    /// The fastest particle's speed, m/s.
    pub fn fastest(&self) -> f64 {
        match self {
            Shot::Plane(s) => s.fastest,
            Shot::Space(s) => s.fastest,
        }
    }

    /// What there is at a place of the picture; none outside the liquid.
    pub fn probe(&self, slice: Slice, at: [f64; 2]) -> Option<Probe> {
        match self {
            Shot::Plane(s) => probe(s, place(slice, at)),
            Shot::Space(s) => probe(s, place(slice, at)),
        }
    }
}

fn probe<const D: usize>(snapshot: &Snapshot<D>, x: [f64; D]) -> Option<Probe> {
    let cell = snapshot.cell(x)?;
    if snapshot.liquid[cell] >= 0.0 {
        return None;
    }
    let v = snapshot.simulation.mac.velocity(x);
    Some(Probe {
        speed: v.iter().map(|v| v * v).sum::<f64>().sqrt(),
        pressure: snapshot.pressure[cell],
        contact: snapshot.contact[cell],
    })
}

/// A frame of a view, for plots and tables. Residuals of all but the last solve are left out: they would fill the memory.
#[derive(Clone, Debug)]
pub struct Row {
    /// What walls did.
    pub walls: Walls,
    /// What it took.
    pub frame: Frame,
    /// Time at its end, s.
    pub time: f64,
    /// The fastest particle's speed at its end, m/s.
    pub fastest: f64,
    /// The least and the greatest pressure of the last solve, m²/s².
    pub pressures: [f64; 2],
}

/// How far two views are from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// The farthest that a particle is from its twin, m.
    pub farthest: f64,
    /// The mean distance of twins, m.
    pub mean: f64,
    /// The greatest difference of the last pressures in a cell, m²/s².
    pub pressure: f64,
    /// The greatest pressure of either, m²/s².
    pub of: f64,
}

impl Apart {
    /// Of two snapshots of the same scene; none where they have not the same particles.
    pub fn of<const D: usize>(a: &Snapshot<D>, b: &Snapshot<D>) -> Option<Self> {
        let (x, y) = (&a.simulation.x, &b.simulation.x);
        if x.len() != y.len() || a.pressure.len() != b.pressure.len() {
            return None;
        }
        let (mut farthest, mut sum) = (0.0f64, 0.0);
        for (x, y) in x.iter().zip(y) {
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
            mean: sum / x.len().max(1) as f64,
            pressure,
            of,
        })
    }
}

/// Why a view has no next frame.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which view, from 0.
    pub view: usize,
    /// A sentence for people.
    pub message: String,
    /// What the solve did that failed, if it was one.
    pub log: Option<SolveLog>,
}

impl Failure {
    /// How the solve ended, in a word.
    pub fn status(&self) -> &'static str {
        self.log.as_ref().map_or("failed", |log| log.status.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liquid::scenes::{scene2, scene3};

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
            Snapshot::at_start(still),
            Snapshot::at_start(Arc::new(moved)),
        );
        b.pressure = Arc::new(vec![-2.0; b.pressure.len()]);
        let apart = Apart::of(&a, &b).expect("the same particles");
        assert!((apart.farthest - 0.3).abs() < 1e-12 && (apart.mean * n - 0.3).abs() < 1e-12);
        assert_eq!((apart.pressure, apart.of), (2.0, 2.0));
    }

    #[test]
    fn a_probe_reads_the_liquid_and_nothing_else() {
        let scene = scene3("ball-box").expect("a scene");
        let shot = Shot::Space(Snapshot::at_start(Arc::new(Simulation::new(
            scene,
            16,
            Separation::Cut,
        ))));
        let slice = Slice { axis: 2, at: 0.5 };
        let inside = shot.probe(slice, [0.5, 0.55]).expect("in the ball");
        assert!((inside.speed - 4.0).abs() < 1e-12, "{inside:?}");
        assert_eq!(shot.probe(slice, [0.85, 0.85]), None);
        assert_eq!(shot.probe(slice, [7.0, -3.0]), None);
    }
}
