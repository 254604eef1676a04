//! What can be done in the workspace, as data like every other command.

use std::path::PathBuf;

use eframe::egui::{Key, Modifiers};

use super::means::{Means, offer, offers};
use super::settings::{AXES, Colour, Mark, Side, Slice, Walls, size_label, sizes};
use super::subjects::{Group, subject, subjects};
use super::systems::{choice, is_value};
use crate::command::Command;
use crate::context::{ViewContext, Workspace};
use crate::keys::Binding;
use stokeslet_dynamics::stepped::{Hand, Values};

/// One thing to do in the workspace of liquids.
#[derive(Clone, Debug, PartialEq)]
pub enum LiquidCommand {
    /// Takes this scene or tank, from its start.
    Scene(String),
    /// So many cells a side, from the start.
    Size(usize),
    /// Whether a scene makes up for volume that is lost or gained, from the start.
    KeepVolume(bool),
    /// Who solves for a view of a scene; also while it runs, from the next frame on.
    Solver(Side, String),
    /// What walls of a view of a scene do; also while it runs.
    Walls(Side, Walls),
    /// Who solves for a view of a tank; also while it runs, from the next step on.
    Method(Side, String),
    /// A setting of a view of another system's scene, by its key; without a value the usual one. Also while it runs.
    Set(Side, String, Option<String>),
    /// Another of the sizes that another system's scene has by name, from the start; the empty name is its usual one.
    Scale(String),
    /// The pointer holds what is seen in a view, or lets go.
    Hold(Option<(usize, Hand)>),
    /// Two views of the same scene or tank, or one. The second goes on from where the first is.
    Compare(bool),
    /// Frame after frame.
    Play,
    /// No more frames; the one under way is given up.
    Pause,
    /// The one or the other.
    PlayOrPause,
    /// One frame.
    Step,
    /// Back to the start.
    Restart,
    /// What colours show.
    Colour(Colour),
    /// Draws it, or no longer.
    Mark(Mark),
    /// Where a scene in space is cut.
    Slice(Slice),
    /// Asks for a file and writes what the command line writes.
    Export(LiquidFormat),
    /// As [`LiquidCommand::Export`], into this file.
    ExportTo(LiquidFormat, PathBuf),
}

/// What a run is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiquidFormat {
    /// The picture of the command line: the views side by side.
    Png,
    /// A row a frame and view.
    Csv,
    /// Particles with their velocities; a file a view, as all that follow.
    Vtu,
    /// Numbers on cells.
    Vti,
    /// Points or meshes with colours.
    Ply,
    /// The surface of a liquid in space.
    Obj,
    /// The pressure problem that the next frame begins with.
    Npz,
}

impl LiquidFormat {
    /// All of them.
    pub const ALL: [LiquidFormat; 7] = [
        LiquidFormat::Png,
        LiquidFormat::Csv,
        LiquidFormat::Vtu,
        LiquidFormat::Vti,
        LiquidFormat::Ply,
        LiquidFormat::Obj,
        LiquidFormat::Npz,
    ];

    /// Whether runs of a group are written so.
    pub fn is_of(self, group: Group) -> bool {
        match (self, group) {
            (LiquidFormat::Png | LiquidFormat::Csv, _) => true,
            (format, Group::System(system)) => system.formats().contains(&format.extension()),
            (format, Group::Scenes | Group::Tanks) => format == LiquidFormat::Vtu,
        }
    }

    /// What it is for people.
    pub fn label(self) -> &'static str {
        match self {
            LiquidFormat::Png => "picture (PNG)",
            LiquidFormat::Csv => "history (CSV)",
            LiquidFormat::Vtu => "particles (VTU)",
            LiquidFormat::Vti => "fields on cells (VTI)",
            LiquidFormat::Ply => "points (PLY)",
            LiquidFormat::Obj => "surface (OBJ)",
            LiquidFormat::Npz => "pressure problem (NPZ)",
        }
    }

    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            LiquidFormat::Png => "png",
            LiquidFormat::Csv => "csv",
            LiquidFormat::Vtu => "vtu",
            LiquidFormat::Vti => "vti",
            LiquidFormat::Ply => "ply",
            LiquidFormat::Obj => "obj",
            LiquidFormat::Npz => "npz",
        }
    }
}

impl LiquidCommand {
    /// What it does, for menus and the palette of commands. What only liquids have begins with them, what every system's scenes have with
    /// "Scene".
    pub fn label(&self) -> String {
        use LiquidCommand as L;
        match self {
            L::Scene(scene) => {
                let group = subject(scene).map_or(Group::Scenes, |entry| entry.group);
                let whose = group.system().map_or("Liquids", |system| system.label());
                format!("{whose}: {} {}", group.noun(), title(scene))
            }
            L::Size(size) => format!("Liquids: {size} cells a side"),
            L::KeepVolume(true) => "Liquids: keep the volume".to_owned(),
            L::KeepVolume(false) => "Liquids: let the volume drift, as the papers do".to_owned(),
            L::Solver(side, name) => choosing(*side, Group::Scenes, name),
            L::Method(side, name) => choosing(*side, Group::Tanks, name),
            L::Walls(side, walls) => {
                format!("Liquids: {} walls {}", side.label(), walls.label())
            }
            L::Set(side, key, Some(value)) => {
                format!("Scene: {} {} {value}", side.label(), key.replace('_', " "))
            }
            L::Set(side, key, None) => {
                format!("Scene: {} usual {}", side.label(), key.replace('_', " "))
            }
            L::Scale(name) if name.is_empty() => "Scene: usual size".to_owned(),
            L::Scale(name) => format!("Scene: size {name}"),
            L::Hold(Some(_)) => "Scene: hold".to_owned(),
            L::Hold(None) => "Scene: let go".to_owned(),
            L::Compare(true) => "Scene: compare two views".to_owned(),
            L::Compare(false) => "Scene: one view".to_owned(),
            L::Play => "Play".to_owned(),
            L::Pause => "Pause".to_owned(),
            L::PlayOrPause => "Play or pause".to_owned(),
            L::Step => "Step one frame".to_owned(),
            L::Restart => "Restart".to_owned(),
            L::Colour(Colour::Plain) => "Scene: no colours".to_owned(),
            L::Colour(colour) => format!("Scene: colour by {}", colour.label()),
            L::Mark(mark) => format!("Scene: show {}", mark.label()),
            L::Slice(slice) => format!(
                "Liquids: slice across {} at {:.2}",
                AXES[slice.axis.min(2)],
                slice.at
            ),
            L::Export(format) | L::ExportTo(format, _) => {
                format!("Export scene as {}…", format.label())
            }
        }
    }

    /// Those that need no more than themselves.
    pub fn offered() -> Vec<LiquidCommand> {
        use LiquidCommand as L;
        let mut all = vec![
            L::PlayOrPause,
            L::Step,
            L::Restart,
            L::Play,
            L::Pause,
            L::Compare(true),
            L::Compare(false),
            L::KeepVolume(true),
            L::KeepVolume(false),
        ];
        all.extend(LiquidFormat::ALL.map(L::Export));
        all.extend(subjects().iter().map(|s| L::Scene(s.name.clone())));
        all.extend(sizes("circle").into_iter().map(L::Size));
        all.extend(Colour::ALL.map(L::Colour));
        all.extend(Mark::ALL.map(L::Mark));
        all.extend(Side::ALL.into_iter().flat_map(settings_of));
        all.extend((0..3).map(|axis| L::Slice(Slice { axis, at: 0.5 })));
        for side in Side::ALL {
            all.extend(Walls::ALL.map(|walls| L::Walls(side, walls)));
            for group in Group::LIQUIDS {
                let offers = offers(group).into_iter().flat_map(|(_, all)| all);
                all.extend(offers.map(|offer| L::choose(group, side, offer.name)));
            }
        }
        all
    }

    /// Chooses who solves for a view.
    pub fn choose(group: Group, side: Side, name: &str) -> Self {
        match group {
            Group::Tanks => LiquidCommand::Method(side, name.to_owned()),
            _ => LiquidCommand::Solver(side, name.to_owned()),
        }
    }

    /// Why it can't be done now.
    ///
    /// # Errors
    /// What keeps it from being done, as the end of "not now: ...".
    pub fn is_enabled(&self, context: &ViewContext<'_>) -> Result<(), &'static str> {
        use LiquidCommand as L;
        let when = |is_so: bool, why_not| if is_so { Ok(()) } else { Err(why_not) };
        if context.workspace != Workspace::Liquids {
            return Err("it is about scenes that are stepped: open the workspace Liquids first");
        }
        let settings = &context.settings.liquids;
        let liquids = context.liquids;
        let group = settings.group();
        let is_scene = group == Group::Scenes;
        let is_shown = |side: Side| when(side == Side::Left || settings.compare, NOT_COMPARED);
        match self {
            L::Scene(scene) => when(
                subject(scene).is_some() || settings.own_named(scene).is_some(),
                "there is no scene or tank of this name",
            ),
            L::Size(size) => when(
                sizes(&settings.scene).contains(size),
                "the scene or tank has no grid of this size",
            ),
            L::KeepVolume(on) => {
                when(is_scene, "only scenes can keep their volume")?;
                when(*on != settings.keep_volume, "it is so already")
            }
            L::Solver(side, name) => {
                when(is_scene, "solvers are for scenes: a tank takes a method")?;
                let is_one = offer(Group::Scenes, name).is_some();
                when(is_one, "there is no solver of this name")?;
                is_shown(*side)
            }
            L::Method(side, name) => {
                let is_tank = group == Group::Tanks;
                when(is_tank, "methods are for tanks: a scene takes a solver")?;
                let is_one = offer(Group::Tanks, name).is_some();
                when(is_one, "there is no method of this name")?;
                is_shown(*side)
            }
            L::Walls(side, _) => {
                when(group.system().is_none(), "only liquids have such walls")?;
                when(is_scene, WALLS_OF_METHODS)?;
                is_shown(*side)
            }
            L::Set(side, key, value) => {
                let system = group.system().ok_or("liquids have no such settings")?;
                let choice = choice(system, key).ok_or("there is no setting of this name")?;
                let is_one = value.as_ref().is_none_or(|value| is_value(choice, value));
                when(is_one, "it can't have this value")?;
                is_shown(*side)
            }
            L::Scale(name) => {
                let has_it = name.is_empty() || settings.entry().sizes.contains(name);
                when(has_it, "the scene has no size of this name")
            }
            L::Hold(Some(_)) => when(group.has_hand(), "nothing here can be held"),
            L::Colour(Colour::Pressure) => when(group.has_pressure(), NO_PRESSURE),
            L::Mark(mark) => when(group.marks().contains(mark), "there is none to show here"),
            L::Compare(on) => when(*on != settings.compare, "it is so already"),
            L::Play => when(!liquids.is_playing, "it is playing"),
            L::Pause => when(liquids.is_playing, "nothing is playing"),
            L::Slice(slice) => {
                let is_space = settings.entry().dimension == 3;
                when(is_space, "it is all in the plane")?;
                when(
                    group.system().is_none(),
                    "it is seen whole: drag to turn it",
                )?;
                let is_one = slice.axis < 3 && (0.0..=1.0).contains(&slice.at);
                when(is_one, "there is no such slice")
            }
            L::Export(format) | L::ExportTo(format, _) => {
                when(format.is_of(group), "nothing here is written so")?;
                when(liquids.frame().is_some(), "nothing is simulated yet")
            }
            L::PlayOrPause | L::Step | L::Restart | L::Colour(_) | L::Hold(None) => Ok(()),
        }
    }
}

const NOT_COMPARED: &str = "there is one view only: compare first";
const WALLS_OF_METHODS: &str = "of a tank the method says what walls do";
const NO_PRESSURE: &str = "no pressure is told here";

fn choosing(side: Side, group: Group, name: &str) -> String {
    let label = offer(group, name).map_or(name, |offer| offer.label);
    let noun = group.solved_by();
    format!("Liquids: {} {noun} {label} ({name})", side.label())
}

/// Keys of the workspace; they go before those that hold everywhere.
pub const LIQUID_SHORTCUTS: &[Binding] = {
    const NONE: Modifiers = Modifiers::NONE;
    const fn of(colour: Colour) -> Command {
        Command::Liquid(LiquidCommand::Colour(colour))
    }
    &[
        (NONE, Key::Space, || {
            Command::Liquid(LiquidCommand::PlayOrPause)
        }),
        (NONE, Key::Period, || Command::Liquid(LiquidCommand::Step)),
        (NONE, Key::Home, || Command::Liquid(LiquidCommand::Restart)),
        (NONE, Key::Num1, || of(Colour::Speed)),
        (NONE, Key::Num2, || of(Colour::Pressure)),
        (NONE, Key::Num0, || of(Colour::Plain)),
        (NONE, Key::P, || {
            Command::Liquid(LiquidCommand::Mark(Mark::Particles))
        }),
        (NONE, Key::D, || {
            Command::Liquid(LiquidCommand::Mark(Mark::Detached))
        }),
        (NONE, Key::C, || {
            Command::Liquid(LiquidCommand::Mark(Mark::Contacts))
        }),
        (NONE, Key::V, || {
            Command::Liquid(LiquidCommand::Mark(Mark::Vorticity))
        }),
    ]
};

/// A name as a title: `sphere-cuboid` is `Sphere cuboid`, `stairs-3d` is `Stairs 3D`, `apic/inlet` is `Inlet`.
pub fn title(scene: &str) -> String {
    let own = scene.rsplit('/').next().unwrap_or(scene);
    crate::words::capital(&own.replace("-3d", " 3D").replace(['-', '_'], " "))
}

/// What a view is called: who solves, and what walls do; the settings of another system.
pub fn view_name(choice: &Means) -> String {
    match choice {
        Means::Settings { label, .. } => label.clone(),
        _ => format!("{}, {}", choice.label(), choice.walls().label()),
    }
}

/// Words that settings of the systems' scenes may have; each once.
fn settings_of(side: Side) -> Vec<LiquidCommand> {
    let systems = Group::all().into_iter().filter_map(Group::system);
    let mut all: Vec<LiquidCommand> = Vec::new();
    for choice in systems.flat_map(|system| system.choices()) {
        let Values::Words(words) = choice.values else {
            continue;
        };
        for word in words {
            let (key, value) = (choice.key.to_owned(), Some((*word).to_owned()));
            let set = LiquidCommand::Set(side, key, value);
            if !all.contains(&set) {
                all.push(set);
            }
        }
    }
    all
}

/// A size of a scene or tank, with its cells.
pub fn size_text(scene: &str, size: usize) -> String {
    size_label(size, subject(scene).map_or(2, |entry| entry.dimension))
}
