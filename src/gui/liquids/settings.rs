//! What is chosen in the workspace, kept between runs: scene or tank, size, solvers, walls, methods, what is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::means::{Means, offer};
use super::subjects::{AnySubject, Group, SubjectEntry, subject, subjects};
use super::systems::{Changes, OwnScene, sound, systems};
use stokeslet_dynamics::pressure::Separation;

/// Cells a side that are offered in the plane.
const PLANE: [usize; 6] = [16, 32, 64, 128, 256, 512];
/// The same in space, where a step of 256 would take minutes and gigabytes.
const SPACE: [usize; 4] = [16, 32, 64, 128];

/// One of the two views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that is always there.
    Left,
    /// The one that it is compared with.
    Right,
}

impl Side {
    /// Both.
    pub const ALL: [Side; 2] = [Side::Left, Side::Right];

    /// Its place in lists.
    pub fn index(self) -> usize {
        match self {
            Side::Left => 0,
            Side::Right => 1,
        }
    }

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// What walls do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Walls {
    /// They only push.
    Separating,
    /// They hold the liquid.
    Sticking,
}

impl Walls {
    /// Both.
    pub const ALL: [Walls; 2] = [Walls::Separating, Walls::Sticking];

    /// The command line's word for it.
    pub fn label(self) -> &'static str {
        match self {
            Walls::Separating => "separating",
            Walls::Sticking => "sticking",
        }
    }

    /// The simulation's word for it.
    pub fn separation(self) -> Separation {
        match self {
            Walls::Separating => Separation::Cut,
            Walls::Sticking => Separation::Sticking,
        }
    }
}

/// Who solves for a view of a scene, and what its walls do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// A name of the registry of solvers.
    pub solver: String,
    /// What walls do.
    pub walls: Walls,
}

impl Choice {
    /// With separating walls.
    pub fn of(solver: &str) -> Self {
        Self {
            solver: solver.to_owned(),
            walls: Walls::Separating,
        }
    }
}

/// What colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Colour {
    /// Nothing: liquid is blue.
    Plain,
    /// Magnitude of the velocity: m/s of scenes, cells a time of tanks.
    Speed,
    /// Pressure over density, m²/s².
    Pressure,
}

impl Colour {
    /// All of them.
    pub const ALL: [Colour; 3] = [Colour::Speed, Colour::Pressure, Colour::Plain];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Colour::Plain => "no colours",
            Colour::Speed => "speed",
            Colour::Pressure => "pressure",
        }
    }
}

/// What is drawn besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mark {
    /// Particles.
    Particles,
    /// Cells that have left the wall.
    Detached,
    /// What pushes where things touch.
    Contacts,
    /// How fast cells turn, behind the particles.
    Vorticity,
}

impl Mark {
    /// All of them.
    pub const ALL: [Mark; 4] = [
        Mark::Particles,
        Mark::Detached,
        Mark::Contacts,
        Mark::Vorticity,
    ];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Mark::Particles => "particles",
            Mark::Detached => "detached cells",
            Mark::Contacts => "contacts",
            Mark::Vorticity => "vorticity",
        }
    }
}

/// A plane through a scene in space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Across which axis: 0, 1 or 2.
    pub axis: usize,
    /// Where on it, m.
    pub at: f64,
}

/// Names of the axes.
pub const AXES: [&str; 3] = ["x", "y", "z"];

impl Slice {
    /// The axes that are seen: to the right, and upwards.
    pub fn seen_axes(self) -> [usize; 2] {
        match self.axis {
            0 => [2, 1],
            1 => [0, 2],
            _ => [0, 1],
        }
    }
}

/// Everything that is chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiquidSettings {
    /// A name of the list of subjects: a scene's or a tank's.
    pub scene: String,
    /// Cells a side of what is in the plane, and of what is in space.
    pub sizes: [usize; 2],
    /// Whether scenes make up for volume that is lost or gained.
    pub keep_volume: bool,
    /// What the views of scenes do; the second only counts while two are compared.
    pub choices: [Choice; 2],
    /// Splitting methods of the views of tanks, in the same way.
    pub methods: [String; 2],
    /// Changed settings of the views of other systems' scenes, in the same way, by the system's name.
    pub systems: BTreeMap<String, [Changes; 2]>,
    /// Which of its sizes another system's scene has; empty for its usual one.
    pub scale: String,
    /// The scene of one's own that was opened last; files may be gone when the program starts again.
    #[serde(skip)]
    pub own: Option<Arc<OwnScene>>,
    /// Whether two views run side by side.
    pub compare: bool,
    /// What colours show of liquids.
    pub colour: Colour,
    /// What colours show of other systems' scenes, by the system's name.
    pub colours: BTreeMap<String, Colour>,
    /// What is drawn besides.
    pub marks: BTreeSet<Mark>,
    /// Where scenes in space are cut.
    pub slice: Slice,
}

impl Default for LiquidSettings {
    fn default() -> Self {
        Self {
            scene: "circle".to_owned(),
            sizes: [64, 32],
            keep_volume: true,
            choices: [Choice::of("fas-mg"), Choice::of("pi-mgpcg")],
            methods: ["iop-sep-bc", "orig-ps"].map(str::to_owned),
            systems: BTreeMap::new(),
            scale: String::new(),
            own: None,
            compare: false,
            colour: Colour::Speed,
            colours: BTreeMap::new(),
            marks: BTreeSet::from(Mark::ALL),
            slice: Slice { axis: 2, at: 0.5 },
        }
    }
}

impl LiquidSettings {
    /// The row of what is chosen.
    pub fn entry(&self) -> &SubjectEntry {
        match self.own_named(&self.scene) {
            Some(own) => &own.entry,
            None => subject(&self.scene).unwrap_or(&subjects()[0]),
        }
    }

    /// The scene of one's own, if this is its name.
    pub fn own_named(&self, scene: &str) -> Option<&Arc<OwnScene>> {
        self.own.as_ref().filter(|own| own.entry.name == scene)
    }

    /// What was changed of a view of this system's scenes.
    pub fn changes(&self, system: &str, side: Side) -> Changes {
        let of = self.systems.get(system);
        of.map_or_else(Changes::new, |sides| sides[side.index()].clone())
    }

    /// Changes a setting of a view of the chosen system's scene, or takes the usual value.
    pub fn change(&mut self, side: Side, key: &str, value: Option<&str>) {
        let Some(system) = self.group().system() else {
            return;
        };
        let sides = self.systems.entry(system.name().to_owned()).or_default();
        match value {
            Some(value) => sides[side.index()].insert(key.to_owned(), value.to_owned()),
            None => sides[side.index()].remove(key),
        };
    }

    /// Whether a scene or a tank is chosen.
    pub fn group(&self) -> Group {
        self.entry().group
    }

    /// Cells a side of the chosen scene.
    pub fn size(&self) -> usize {
        self.sizes[usize::from(self.entry().dimension == 3)]
    }

    /// Chooses cells a side of the chosen scene.
    pub fn set_size(&mut self, size: usize) {
        let which = usize::from(self.entry().dimension == 3);
        self.sizes[which] = size;
    }

    /// Whether what is chosen keeps its volume: tanks go without.
    pub fn keeps_volume(&self) -> bool {
        self.keep_volume && self.group() == Group::Scenes
    }

    /// What the views that are shown do.
    pub fn shown(&self) -> Vec<Means> {
        let means = |k: usize| match self.group() {
            Group::Scenes => Means::Solver(self.choices[k].clone()),
            Group::Tanks => Means::Method(self.methods[k].clone()),
            Group::System(system) => {
                Means::of_system(system, self.changes(system.name(), Side::ALL[k]))
            }
        };
        (0..1 + usize::from(self.compare)).map(means).collect()
    }

    /// What colours show: the chosen, or speed where nobody tells a pressure.
    pub fn shown_colour(&self) -> Colour {
        let group = self.group();
        let chosen = match group.system() {
            None => self.colour,
            Some(system) => match self.colours.get(system.name()) {
                Some(colour) => *colour,
                // Bodies are known by their own colours, liquids have none.
                None if group.has_pressure() => Colour::Speed,
                None => Colour::Plain,
            },
        };
        match chosen {
            Colour::Pressure if !group.has_pressure() => Colour::Speed,
            colour => colour,
        }
    }

    /// Chooses what colours show of what is chosen.
    pub fn set_colour(&mut self, colour: Colour) {
        match self.group().system() {
            None => self.colour = colour,
            Some(system) => {
                self.colours.insert(system.name().to_owned(), colour);
            }
        }
    }

    /// Whether something is drawn besides.
    pub fn marks(&self, mark: Mark) -> bool {
        self.marks.contains(&mark) && self.group().marks().contains(&mark)
    }

    /// Sizes, solvers and places that a hand might have written wrong.
    pub fn within_bounds(mut self) -> Self {
        let default = Self::default();
        if subject(&self.scene).is_none() {
            self.scene = default.scene;
        }
        if !PLANE.contains(&self.sizes[0]) {
            self.sizes[0] = default.sizes[0];
        }
        if !SPACE.contains(&self.sizes[1]) {
            self.sizes[1] = default.sizes[1];
        }
        self.settle_size();
        for system in systems() {
            for changes in self.systems.get_mut(system.name()).into_iter().flatten() {
                *changes = sound(*system, changes);
            }
        }
        for (choice, default) in self.choices.iter_mut().zip(default.choices) {
            if offer(Group::Scenes, &choice.solver).is_none() {
                choice.solver = default.solver;
            }
        }
        for (method, default) in self.methods.iter_mut().zip(default.methods) {
            if offer(Group::Tanks, method).is_none() {
                *method = default;
            }
        }
        self.slice.axis = self.slice.axis.min(2);
        self.slice.at = if self.slice.at.is_finite() {
            self.slice.at.clamp(0.0, 1.0)
        } else {
            default.slice.at
        };
        self
    }

    /// A size that the scene allows: the chosen one, or the least.
    pub fn settle_size(&mut self) {
        if !self.entry().sizes.contains(&self.scale) {
            self.scale.clear();
        }
        let sizes = sizes(&self.scene);
        if !sizes.contains(&self.size())
            && let Some(least) = sizes.first()
        {
            self.set_size(*least);
        }
    }
}

/// Cells a side that a scene or tank may have, from coarse to fine; none of what isn't there.
pub fn sizes(scene: &str) -> Vec<usize> {
    let of = |all: &[usize], fits: &dyn Fn(usize) -> bool| -> Vec<usize> {
        // What a grid holds a finer one holds: only the coarsest are looked at.
        all.iter().copied().skip_while(|n| !fits(*n)).collect()
    };
    match AnySubject::of(scene) {
        Some(AnySubject::Plane(subject)) => of(&PLANE, &|n| subject.fits(n)),
        Some(AnySubject::Space(subject)) => of(&SPACE, &|n| subject.fits(n)),
        None => Vec::new(),
    }
}

/// `64² = 4,096 cells`.
pub fn size_label(size: usize, dimension: usize) -> String {
    let cells = size.pow(dimension as u32);
    let power = if dimension == 3 { "³" } else { "²" };
    format!("{size}{power} = {} cells", thousands(cells))
}

/// `4,096`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_sizes_and_what_swings_or_is_thin_starts_finer() {
        for entry in subjects().iter().filter(|e| e.group.system().is_none()) {
            let sizes = sizes(&entry.name);
            assert!(sizes.len() >= 3, "{}: {sizes:?}", entry.name);
            let is_thin = entry.group == Group::Tanks && !entry.name.starts_with("breaking-dam");
            let least = if entry.name == "swinging-circle" || is_thin {
                32
            } else {
                16
            };
            assert_eq!(sizes[0], least, "{}", entry.name);
        }
        assert!(sizes("bathtub").is_empty());
        assert_eq!(size_label(64, 3), "64³ = 262,144 cells");
        assert_eq!(size_label(16, 2), "16² = 256 cells");
    }

    #[test]
    fn what_a_hand_wrote_wrong_is_mended() {
        let wrong = LiquidSettings {
            scene: "bathtub".to_owned(),
            sizes: [17, 1 << 40],
            choices: [Choice::of("gauss"), Choice::of("pgs")],
            methods: ["mprgp", "iop-sep"].map(str::to_owned),
            slice: Slice {
                axis: 9,
                at: f64::NAN,
            },
            ..LiquidSettings::default()
        };
        let mended = wrong.within_bounds();
        let default = LiquidSettings::default();
        assert_eq!(
            (&mended.scene, mended.sizes),
            (&default.scene, default.sizes)
        );
        assert_eq!(mended.choices[0].solver, "fas-mg");
        assert_eq!(mended.choices[1].solver, "pgs", "a right one stays");
        assert_eq!(mended.methods, ["iop-sep-bc", "iop-sep"], "no solver here");
        assert_eq!(mended.slice, default.slice);
        let swinging = LiquidSettings {
            scene: "swinging-circle".to_owned(),
            sizes: [16, 32],
            ..default
        };
        assert_eq!(swinging.within_bounds().size(), 32);
    }

    #[test]
    fn settings_of_before_there_were_tanks_are_read_and_tanks_are_kept() {
        let old = r#"{ "scene": "maze", "sizes": [128, 16], "compare": true,
            "choices": [{ "solver": "pgs", "walls": "Sticking" }, { "solver": "mprgp", "walls": "Separating" }] }"#;
        let read: LiquidSettings = serde_json::from_str(old).unwrap();
        let read = read.within_bounds();
        assert_eq!((read.scene.as_str(), read.size()), ("maze", 128));
        assert_eq!(read.methods, LiquidSettings::default().methods);
        assert_eq!(read.shown()[0].label(), "PGS");
        let tank = LiquidSettings {
            scene: "stairs-3d".to_owned(),
            ..read
        };
        let text = serde_json::to_string(&tank).unwrap();
        let again: LiquidSettings = serde_json::from_str(&text).unwrap();
        // Thin obstacles need cells that hold them.
        assert_eq!((again.sizes[1], again.within_bounds().size()), (16, 32));
    }

    #[test]
    fn a_tank_takes_methods_and_has_no_pressure_to_show() {
        let mut settings = LiquidSettings {
            colour: Colour::Pressure,
            compare: true,
            ..LiquidSettings::default()
        };
        assert_eq!(settings.shown_colour(), Colour::Pressure);
        settings.scene = "breaking-dam".to_owned();
        assert_eq!(settings.shown_colour(), Colour::Speed);
        let names: Vec<_> = settings.shown().iter().map(Means::walls).collect();
        assert_eq!(names, [Walls::Separating, Walls::Sticking]);
        assert_eq!(settings.shown()[0], Means::Method("iop-sep-bc".to_owned()));
    }
}
