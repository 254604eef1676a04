//! What can be simulated, in one list: the scenes of \[000\] and \[001\], the tanks of \[003\], and the scenes of every other system. Whoever
//! chooses, draws or starts one needs not ask which it is; where they differ, [`Group`] says how.

use std::sync::LazyLock;

use super::settings::{Colour, Mark};
use super::systems::{entry, systems};
use stokeslet_dynamics::grid::{Lattice, Shape};
use stokeslet_dynamics::scenes::eckert::{AnyTank, TANKS, Tank};
use stokeslet_dynamics::scenes::{AnyScene, SCENES, Scene};
use stokeslet_dynamics::stepped::{Feature, System};
use stokeslet_flow::export::readable::{Quantity, Scale, figures};

/// Which loop simulates it, and with it who may solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Scenes of \[000\] and \[001\]: a solver of complementarity problems, in SI.
    Scenes,
    /// Tanks of \[003\]: a splitting method, in cells and in the thesis's time.
    Tanks,
    /// Scenes of another system: its settings, in SI.
    System(&'static dyn System),
}

impl Group {
    /// Those of liquids, which have solvers and methods.
    pub const LIQUIDS: [Group; 2] = [Group::Scenes, Group::Tanks];

    /// All of them.
    pub fn all() -> Vec<Group> {
        let systems = systems().iter().copied().map(Group::System);
        Group::LIQUIDS.into_iter().chain(systems).collect()
    }

    /// The system, if it is one with settings of its own.
    pub fn system(self) -> Option<&'static dyn System> {
        match self {
            Group::Scenes | Group::Tanks => None,
            Group::System(system) => Some(system),
        }
    }

    fn has(self, feature: Feature) -> bool {
        self.system()
            .is_some_and(|system| system.features().contains(&feature))
    }

    /// Its heading.
    pub fn label(self) -> &'static str {
        match self {
            Group::Scenes => "Scenes",
            Group::Tanks => "Tanks",
            Group::System(system) => system.label(),
        }
    }

    /// What one of them is called.
    pub fn noun(self) -> &'static str {
        match self {
            Group::Scenes | Group::System(_) => "scene",
            Group::Tanks => "tank",
        }
    }

    /// In a sentence.
    pub fn summary(self) -> &'static str {
        match self {
            Group::Scenes => {
                "Of [000] and [001]: smooth walls, a complementarity problem a substep"
            }
            Group::Tanks => {
                "Of [003]: walls along the cells, pressure and walls are minded in turn"
            }
            Group::System(system) => system.about(),
        }
    }

    /// What solves in it is called.
    pub fn solved_by(self) -> &'static str {
        match self {
            Group::Scenes => "solver",
            Group::Tanks => "method",
            Group::System(_) => "settings",
        }
    }

    /// What "step" makes one of.
    pub fn frame(self) -> &'static str {
        match self {
            Group::Scenes => "frame",
            Group::Tanks | Group::System(_) => "step",
        }
    }

    /// What is seen where two views are compared.
    pub fn two_views(self) -> &'static str {
        match self {
            Group::Scenes => "Two views of the same scene, with another solver or other walls",
            Group::Tanks => "Two views of the same tank, with another method",
            Group::System(_) => "Two views of the same scene, with other settings",
        }
    }

    /// What a frame has several of, or is itself: a pressure each.
    pub fn part(self) -> &'static str {
        match self {
            Group::Scenes => "substep",
            Group::Tanks | Group::System(_) => "step",
        }
    }

    /// Whether its runs tell a pressure: splitting methods only hand out velocities.
    pub fn has_pressure(self) -> bool {
        self == Group::Scenes || self.has(Feature::Pressure)
    }

    /// Whether what is seen of it can be held by the pointer.
    pub fn has_hand(self) -> bool {
        self.has(Feature::Hand)
    }

    /// What may be drawn besides.
    pub fn marks(self) -> Vec<Mark> {
        let is_there = |mark: &Mark| match (self, mark) {
            (Group::Scenes | Group::Tanks, Mark::Particles | Mark::Detached) => true,
            // Elsewhere particles are all there is to see.
            (Group::System(_), Mark::Particles | Mark::Vorticity) => self.has(Feature::Vorticity),
            (Group::System(_), Mark::Contacts) => self.has(Feature::Contacts),
            _ => false,
        };
        Mark::ALL.into_iter().filter(is_there).collect()
    }

    /// What colours may show.
    pub fn colours(self) -> Vec<Colour> {
        let is_told = |colour: &Colour| *colour != Colour::Pressure || self.has_pressure();
        Colour::ALL.into_iter().filter(is_told).collect()
    }

    /// What follows a length in metres of scenes; a tank's side is 1.
    pub fn metre(self) -> &'static str {
        match self {
            Group::Scenes | Group::System(_) => " m",
            Group::Tanks => "",
        }
    }

    /// What follows a time; that of tanks is the thesis's.
    pub fn second(self) -> &'static str {
        match self {
            Group::Scenes | Group::System(_) => " s",
            Group::Tanks => "",
        }
    }

    /// A length as people read it.
    pub fn length(self, x: f64) -> String {
        match self {
            Group::Scenes | Group::System(_) => Quantity::Length.show(x),
            Group::Tanks => figures(x),
        }
    }

    /// The unit of speeds up to this one.
    pub fn speed_scale(self, fastest: f64) -> Scale {
        match self {
            Group::Scenes | Group::System(_) => Quantity::Speed.scale_for(fastest),
            Group::Tanks => Scale {
                unit: "cells a time",
                factor: 1.0,
            },
        }
    }

    /// A speed as people read it.
    pub fn speed(self, speed: f64) -> String {
        match self {
            Group::Scenes | Group::System(_) => Quantity::Speed.show(speed),
            Group::Tanks => format!("{} {}", figures(speed), self.speed_scale(speed).unit),
        }
    }

    /// What the marks of detached cells mean.
    pub fn detached(self) -> &'static str {
        match self {
            Group::Scenes => {
                "Mark cells at walls that have left: their pressure is 0 and they may go"
            }
            Group::Tanks => "Mark cells of walls that let go: the last step took them for air",
            Group::System(_) => "",
        }
    }
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectEntry {
    /// Its name on the command line; of other systems behind the system's.
    pub name: String,
    /// Which loop simulates it.
    pub group: Group,
    /// 2 or 3.
    pub dimension: usize,
    /// In a sentence.
    pub summary: String,
    /// How large it is where its size isn't a number of cells; else empty.
    pub size: String,
    /// Other sizes of that kind, by name.
    pub sizes: Vec<String>,
}

/// All of them; the first is what unknown names fall back to.
pub fn subjects() -> &'static [SubjectEntry] {
    static ALL: LazyLock<Vec<SubjectEntry>> = LazyLock::new(|| {
        let scenes = SCENES.iter().map(|scene| SubjectEntry {
            name: scene.name.to_owned(),
            group: Group::Scenes,
            dimension: scene.dimension,
            summary: scene.summary.to_owned(),
            size: String::new(),
            sizes: Vec::new(),
        });
        let tanks = |dimension, ending| {
            TANKS.iter().map(move |tank| SubjectEntry {
                name: format!("{}{ending}", tank.name),
                group: Group::Tanks,
                dimension,
                summary: tank.summary.to_owned(),
                size: String::new(),
                sizes: Vec::new(),
            })
        };
        let others = systems().iter().flat_map(|system| {
            let scenes = system.scenes();
            scenes.into_iter().map(|scene| entry(*system, &scene))
        });
        scenes
            .chain(tanks(2, ""))
            .chain(tanks(3, "-3d"))
            .chain(others)
            .collect()
    });
    &ALL
}

/// A name's row.
pub fn subject(name: &str) -> Option<&'static SubjectEntry> {
    subjects().iter().find(|entry| entry.name == name)
}

/// The scene of a system, by the name that it has here: the system and the scene's file.
pub fn scene_file(name: &str) -> Option<(&'static dyn System, &'static str)> {
    let (system, scene) = name.split_once('/')?;
    let system = systems().iter().find(|s| s.name() == system)?;
    Some((*system, system.file(scene)?))
}

/// A liquid that is simulated, as it is described.
#[derive(Clone, Debug)]
pub enum Subject<const D: usize> {
    /// In a smooth container.
    Scene(Scene<D>),
    /// In a box, with obstacles.
    Tank(Tank<D>),
}

/// In either dimension.
#[derive(Clone, Debug)]
pub enum AnySubject {
    /// In the plane.
    Plane(Subject<2>),
    /// In space.
    Space(Subject<3>),
}

impl AnySubject {
    /// By name.
    pub fn of(name: &str) -> Option<Self> {
        let scene = AnyScene::of(name).map(|scene| match scene {
            AnyScene::Plane(scene) => Self::Plane(Subject::Scene(scene)),
            AnyScene::Space(scene) => Self::Space(Subject::Scene(scene)),
        });
        let tank = || {
            AnyTank::of(name).map(|tank| match tank {
                AnyTank::Plane(tank) => Self::Plane(Subject::Tank(tank)),
                AnyTank::Space(tank) => Self::Space(Subject::Tank(tank)),
            })
        };
        scene.or_else(tank)
    }
}

impl<const D: usize> Subject<D> {
    /// Whether a grid of `n` cells a side holds it: of a tank, whether every obstacle has a cell.
    pub fn fits(&self, n: usize) -> bool {
        match self {
            Subject::Scene(scene) => scene.fits(n),
            Subject::Tank(tank) => {
                let obstacles = match &tank.solid {
                    Shape::Union(parts) => &parts[..],
                    one => std::slice::from_ref(one),
                };
                n > 3 && obstacles.iter().all(|part| has_a_cell(part, n))
            }
        }
    }

    /// The same with the volume kept; a tank as it is.
    pub fn keeping_volume(self) -> Self {
        match self {
            Subject::Scene(scene) => Subject::Scene(scene.keeping_volume()),
            Subject::Tank(_) => self,
        }
    }

    /// Whether a place is in a wall, before there is a grid.
    pub fn is_wall(&self, x: [f64; D]) -> bool {
        /// About as thick as the layer of solid cells around a tank of a common size.
        const LAYER: f64 = 0.025;
        match self {
            Subject::Scene(scene) => scene.open.distance(x) >= 0.0,
            Subject::Tank(tank) => {
                let is_in_layer = |x: &f64| !(LAYER..=1.0 - LAYER).contains(x);
                x.iter().any(is_in_layer) || tank.solid.distance(x) < 0.0
            }
        }
    }

    /// Whether a place that is in no wall is in the liquid at the start.
    pub fn is_liquid(&self, x: [f64; D]) -> bool {
        match self {
            Subject::Scene(scene) => scene.liquid.distance(x) < 0.0,
            Subject::Tank(tank) => tank.liquid.distance(x) < 0.0,
        }
    }
}

/// Whether the centre of any cell is in a body.
fn has_a_cell<const D: usize>(body: &Shape<D>, n: usize) -> bool {
    let centre = |c: usize| (c as f64 + 0.5) / n as f64;
    match body {
        // Most obstacles are; axis by axis no frame of the window waits for it.
        Shape::Cuboid { low, high } => {
            let is_between = |a: usize| (0..n).map(centre).any(|x| low[a] < x && x < high[a]);
            (0..D).all(is_between)
        }
        _ => {
            let cells = Lattice::<D>::cube(n);
            (0..cells.len()).any(|i| body.distance(cells.coordinates(i).map(centre)) < 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_there_once_in_its_dimension_and_group() {
        for entry in subjects() {
            let found = AnySubject::of(&entry.name).expect("a row of the list");
            let (dimension, group) = match found {
                AnySubject::Plane(Subject::Scene(_)) => (2, Group::Scenes),
                AnySubject::Plane(Subject::Tank(_)) => (2, Group::Tanks),
                AnySubject::Space(Subject::Scene(_)) => (3, Group::Scenes),
                AnySubject::Space(Subject::Tank(_)) => (3, Group::Tanks),
            };
            assert_eq!(
                (entry.dimension, entry.group),
                (dimension, group),
                "{entry:?}"
            );
            let alike = subjects().iter().filter(|e| e.name == entry.name);
            assert_eq!(alike.count(), 1, "{}", entry.name);
        }
        assert_eq!(subjects().len(), SCENES.len() + 2 * TANKS.len());
        assert!(subject("breaking-dam-3d").is_some_and(|e| e.dimension == 3));
        assert!(AnySubject::of("bathtub").is_none() && subject("bathtub").is_none());
    }

    #[test]
    fn a_tank_fits_where_none_of_its_obstacles_falls_between_cells() {
        let fits = |name: &str, n| match AnySubject::of(name).expect("a name") {
            AnySubject::Plane(subject) => subject.fits(n),
            AnySubject::Space(subject) => subject.fits(n),
        };
        assert!(fits("breaking-dam", 16) && fits("breaking-dam-3d", 16));
        assert!(!fits("stairs", 16), "a plane of 0.03, cells of 0.0625");
        assert!(fits("stairs", 32) && fits("stairs-3d", 32));
        assert!(!fits("breaking-dam", 3), "nothing but walls");
    }
}
