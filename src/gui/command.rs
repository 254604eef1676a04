//! Everything that can be done, as data: menus, shortcuts, the command palette, tests and undo all speak of these.

mod labels;

use std::path::PathBuf;

use eframe::egui::KeyboardShortcut;

use super::context::{Selection, Tool, Workspace};
use super::files::export::PictureFormat;
use super::files::outline::OutlineKind;
use super::keys::SHORTCUTS;
use super::liquids::{LIQUID_SHORTCUTS, LiquidCommand};
pub use super::panels::table::Panel;
use super::results::Quantity;
use super::studies::{Question, StudyCommand};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, PascalSecond};
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::design::{
    Bend, Edit, Inlet, Overlay, OverlayLayer, OverlayShape, Placement, PortCondition, Value,
};
pub use stokeslet_cad::edits::ChannelEnd;
use stokeslet_cad::edits::{Align, Axis, Joint};
use stokeslet_flow::export::Format;

/// One thing to do. [`super::app::App::apply`] does it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    // Files.
    /// An empty design.
    New,
    /// Asks for a file.
    Open,
    /// Opens this file.
    OpenPath(PathBuf),
    /// Opens a design that came with the program, by its name.
    OpenExample(String),
    /// Shows the examples.
    Gallery,
    /// Writes the file; asks for one if it has none.
    Save,
    /// Asks for a file and writes it.
    SaveAs,
    /// Writes this file.
    SaveTo(PathBuf),
    /// Asks for a folder, solves if need be, and writes these formats as the command line does.
    Export(Vec<Format>),
    /// As [`Command::Export`], into this folder.
    ExportTo(Vec<Format>, PathBuf),
    /// Asks for a file and writes the chip's outline, without a solve.
    Outline(OutlineKind),
    /// As [`Command::Outline`], into this file.
    OutlineTo(OutlineKind, PathBuf),
    /// Asks for a file and writes a picture of what the canvas shows.
    Picture(PictureFormat),
    /// As [`Command::Picture`], into this file.
    PictureTo(PictureFormat, PathBuf),
    /// Leaves; asks first if something isn't saved.
    Quit,

    // The way back.
    /// One step back.
    Undo,
    /// One step forward.
    Redo,
    /// To this step of the history.
    GoTo(usize),

    // Selection.
    /// Selects exactly these.
    Select(Selection),
    /// Adds to the selection, or takes out of it.
    ToggleSelected(String),
    /// All components and channels.
    SelectAll,
    /// Shows a place on the canvas and selects what it belongs to (a problem was clicked): item or port by name.
    Show(String),

    /// Hides these on the canvas, or shows them again.
    SetHidden(Selection, bool),
    /// Hides what is selected.
    HideSelected,
    /// Shows all that was hidden.
    ShowHidden,

    // Editing.
    /// Places a component; the name is made from the kind.
    Place {
        /// Its library entry.
        kind: String,
        /// Where: absolute, or attached to a socket.
        placement: Placement,
    },
    /// Moves what is selected by this much, m; what is attached follows, channels are routed anew.
    Move(Point),
    /// As [`Command::Move`], shown only: the pointer is still down.
    PreviewMove(Point),
    /// What a command would do, shown only: the pointer rests on its button.
    Preview(Box<Command>),
    /// The drag was given up.
    EndPreview,
    /// Turns what is selected by quarter turns, counter-clockwise.
    Rotate(i32),
    /// Mirrors what is selected.
    Mirror(Axis),
    /// Copies what is selected, beside itself.
    Duplicate,
    /// Copies what is selected, this far away, m.
    DuplicateBy(Point),
    /// Copies what is selected in columns and rows.
    Array {
        /// Columns and rows, what is selected being the first.
        count: (u32, u32),
        /// From one to the next, m.
        step: Point,
    },
    /// Copies what is selected around a centre, in equal angles.
    CircularPattern {
        /// How many, what is selected being the first.
        count: u32,
        /// The centre, m.
        centre: Point,
    },
    /// Copies what is selected as a mirror on this line shows it.
    MirrorCopy(Point, Point),
    /// Selects what is selected together from now on, by a click on any of it.
    Group,
    /// The end of that.
    Ungroup,
    /// To the clipboard.
    Copy,
    /// To the clipboard, and away.
    Cut,
    /// Asks the system for the clipboard's text, which comes back as [`Command::Paste`].
    AskToPaste,
    /// Text of the clipboard, at a place of the chip (or beside where it came from).
    Paste(String, Option<Point>),
    /// Removes what is selected, with channels, connections and ports that need it.
    Delete,
    /// Lines up what is selected.
    Align(Align),
    /// Draws channels in the place of links.
    DrawLinks,
    /// What goes between widths that differ from now on; what is selected of that is changed.
    SetJoint(Joint),
    /// Draws a channel.
    Channel {
        /// Where it starts: a socket, or a place on a pipe (a tee is inserted there).
        from: ChannelEnd,
        /// Where it ends.
        to: ChannelEnd,
        /// Way-points between, m.
        via: Vec<Point>,
        /// How it turns.
        bend: Bend,
    },
    /// Draws something on the control layer, or a note.
    AddOverlay(OverlayLayer, OverlayShape),
    /// Changes a control shape or a note.
    SetOverlay(Overlay),
    /// Moves one way-point of a channel.
    MoveWayPoint {
        /// The channel.
        channel: String,
        /// Which way-point.
        index: usize,
        /// Where to, m.
        to: Point,
    },
    /// Opens a socket `item.socket` to the outside.
    AddPort(String),
    /// Opens all free ends of what is selected, or of the chip.
    OpenEnds,
    /// Sets what holds at a port.
    SetCondition(String, PortCondition),
    /// Removes a port.
    RemovePort(String),
    /// Renames a component or channel.
    Rename(String, String),
    /// Renames a port.
    RenamePort(String, String),
    /// Puts the cursor into the name of what is selected.
    EditName,
    /// Sets a parameter of a component, or takes it back to its default.
    SetParameter {
        /// The component.
        component: String,
        /// The parameter.
        parameter: String,
        /// Its new value.
        value: Option<Value>,
    },
    /// Writes a length or an angle of a component beside it, or no longer.
    SetDimension {
        /// The component.
        component: String,
        /// Its parameter.
        parameter: String,
        /// Whether it is to be written.
        is_written: bool,
    },
    /// Writes all lengths and angles of what is selected beside it; where they all are, none.
    ToggleDimensions,
    /// Opens a field on the canvas for a parameter of a component.
    EditDimension(String, String),
    /// Gives the selected component, which hangs on another, a place of its own: where it lies.
    Detach,
    /// Puts a component at a position and angle as typed.
    SetPlacement(String, Placement),
    /// Sets width and bend of a channel.
    SetChannelShape {
        /// The channel.
        channel: String,
        /// Across; `None` for that of the socket it starts from.
        width: Option<Metre>,
        /// How it turns.
        bend: Bend,
    },
    /// Gives a component or channel a depth of its own, or takes it back to the chip's.
    SetItemDepth {
        /// The component or channel.
        item: String,
        /// Its new depth.
        depth: Option<Metre>,
    },
    /// Sets the chip's title.
    SetTitle(Option<String>),
    /// Sets the viscosity of the chip's fluid.
    SetViscosity(PascalSecond),
    /// Sets the chip's depth model.
    SetModel(DepthModel),
    /// Sets the chip's depth.
    SetDepth(Option<Metre>),
    /// Sets the chip's usual width.
    SetWidth(Metre),
    /// Sets the resolution in the design file; the solver's own is [`Command::SolveAt`].
    SetResolution(Option<u32>),
    /// Gives a variable this value, or adds it; a text that begins with `=` is an expression.
    SetVariable(String, Value),
    /// Removes a variable that nothing uses.
    RemoveVariable(String),
    /// Replaces the whole text of the file.
    SetText(String),
    /// Adds a dissolved species that enters by this port; by the one that drives the most where none is named.
    AddSpecies(Option<String>),
    /// Removes a species.
    RemoveSpecies(String),
    /// Sets how fast a species diffuses, m^2/s.
    SetDiffusivity(String, f64),
    /// Sets what of a species enters by a port.
    SetInlet(String, Inlet),
    /// Anything that a design file can be changed by, with its label.
    Edit(String, Vec<Edit>),

    // Workspaces.
    /// Goes to a workspace; the other stays as it is.
    Enter(Workspace),
    /// Something about liquids.
    Liquid(LiquidCommand),

    // Many chips.
    /// Something about sweeps, goals and tolerances.
    Study(StudyCommand),

    // Looking.
    /// Chooses what the pointer does.
    SetTool(Tool),
    /// Closer, about the middle.
    ZoomIn,
    /// Farther.
    ZoomOut,
    /// All of the chip.
    Fit,
    /// What is selected.
    FitSelection,
    /// Shows or hides a panel.
    TogglePanel(Panel),
    /// Shows or hides something on the canvas.
    ToggleLayer(Layer),
    /// Dark, light, or what the system says.
    SetTheme(Theme),
    /// Shows the list of commands to search.
    CommandPalette,
    /// Shows the list of shortcuts.
    Shortcuts,
    /// Shows what the program is.
    About,
    /// The five steps for newcomers: shows the next, or none.
    Hint(Option<usize>),

    // Solving.
    /// Solves at the design's resolution.
    Solve,
    /// Solves at this resolution.
    SolveAt(u32),
    /// Stops the solve.
    Cancel,
    /// Solves after every edit, or not.
    SetLive(bool),

    // Results.
    /// What colours show.
    Colour(Option<Quantity>),
    /// Ends of the colour scale; `None` for those of the field.
    SetRange(Option<[f64; 2]>),
    /// Keeps a point probe.
    AddProbe(Point),
    /// Takes a profile along a line.
    AddLine(Point, Point),
    /// Seeds a streamline.
    AddSeed(Point),
    /// Keeps what the ruler measured.
    AddRuler(Point, Point),
    /// Forgets kept probes, lines, seeds and rulers.
    ClearProbes,
    /// Keeps what is solved, to be held against what comes.
    KeepBefore,
    /// Forgets what was kept.
    ForgetBefore,
    /// Forgets one line.
    RemoveLine(usize),
    /// Puts the ends of one line somewhere else.
    MoveLine(usize, [Point; 2]),
    /// Puts all profiles on the clipboard, as CSV.
    CopyProfiles,
    /// Lets tracers flow, or stand; shows them if need be.
    TogglePlay,
    /// How fast they flow, over the usual.
    SetPace(f64),
}

/// What the canvas may show besides the chip.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Layer {
    /// Lines of the grid.
    Grid,
    /// Names of components.
    Names,
    /// Sockets.
    Sockets,
    /// Arrows of the velocity.
    Arrows,
    /// Streamlines from the inlets.
    Streamlines,
    /// Particles that flow with the fluid.
    Tracers,
    /// Edges of cells.
    Mesh,
    /// Parts by kind, and where they meet.
    Parts,
    /// Valves and the channels that press them.
    Control,
    /// What people should know.
    Notes,
    /// Lengths and angles that are written beside their components.
    Dimensions,
}

/// How the window looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Theme {
    /// As the system does.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Command {
    /// The keys that ask for it, if there are any.
    pub fn shortcut(&self) -> Option<KeyboardShortcut> {
        SHORTCUTS
            .iter()
            .chain(LIQUID_SHORTCUTS)
            .find(|(_, _, command)| command() == *self)
            .map(|&(modifiers, key, _)| KeyboardShortcut::new(modifiers, key))
    }

    /// The commands that menus, the palette of commands and shortcuts offer: those that need no more than themselves.
    pub fn offered() -> Vec<Command> {
        use Command as C;
        let mut all = vec![
            C::New,
            C::Open,
            C::Gallery,
            C::Save,
            C::SaveAs,
            C::Export(Format::ALL.to_vec()),
            C::Quit,
            C::Undo,
            C::Redo,
            C::SelectAll,
            C::Select(Selection::default()),
            C::Cut,
            C::Copy,
            C::AskToPaste,
            C::Duplicate,
            C::Group,
            C::Ungroup,
            C::EditName,
            C::OpenEnds,
            C::ToggleDimensions,
            C::HideSelected,
            C::ShowHidden,
            C::Detach,
            C::Delete,
            C::Rotate(1),
            C::Rotate(-1),
            C::Mirror(Axis::X),
            C::Mirror(Axis::Y),
            C::DrawLinks,
            C::SetJoint(Joint::Taper),
            C::SetJoint(Joint::Step),
            C::ZoomIn,
            C::ZoomOut,
            C::Fit,
            C::FitSelection,
            C::Solve,
            C::Cancel,
            C::SetLive(true),
            C::SetLive(false),
            C::SolveAt(16),
            C::SolveAt(24),
            C::ClearProbes,
            C::KeepBefore,
            C::ForgetBefore,
            C::CopyProfiles,
            C::SetRange(None),
            C::Study(StudyCommand::Ask(Question::Tolerances)),
            C::Study(StudyCommand::Stop),
            C::Study(StudyCommand::TakeFound),
            C::Study(StudyCommand::CopyTable),
            C::AddSpecies(None),
            C::Colour(Some(Quantity::Species(0))),
            C::Colour(Some(Quantity::Age)),
            C::TogglePlay,
            C::Colour(None),
            C::CommandPalette,
            C::Shortcuts,
            C::Hint(Some(0)),
            C::About,
        ];
        all.extend(PictureFormat::ALL.map(C::Picture));
        all.extend(OutlineKind::ALL.map(C::Outline));
        all.extend(Workspace::ALL.map(C::Enter));
        all.extend(Align::ALL.map(C::Align));
        all.extend(Quantity::of_flow().map(|q| C::Colour(Some(q))));
        all.extend(Tool::ALL.map(C::SetTool));
        all.extend(Panel::ALL.map(C::TogglePanel));
        all.extend(Layer::ALL.map(C::ToggleLayer));
        all.extend([Theme::System, Theme::Light, Theme::Dark].map(C::SetTheme));
        all.extend(LiquidCommand::offered().into_iter().map(C::Liquid));
        all
    }
}

impl Layer {
    /// All of them, in the order of the menu.
    pub const ALL: [Layer; 11] = [
        Layer::Grid,
        Layer::Names,
        Layer::Sockets,
        Layer::Arrows,
        Layer::Streamlines,
        Layer::Tracers,
        Layer::Mesh,
        Layer::Parts,
        Layer::Control,
        Layer::Notes,
        Layer::Dimensions,
    ];

    /// The one that shows overlays of a layer of the design.
    pub fn of(layer: OverlayLayer) -> Self {
        match layer {
            OverlayLayer::Control => Layer::Control,
            OverlayLayer::Notes => Layer::Notes,
        }
    }

    /// Its name in the menu.
    pub fn label(self) -> &'static str {
        match self {
            Layer::Grid => "grid",
            Layer::Names => "names",
            Layer::Sockets => "sockets",
            Layer::Arrows => "arrows",
            Layer::Streamlines => "streamlines",
            Layer::Tracers => "tracers",
            Layer::Mesh => "mesh",
            Layer::Parts => "parts and separators",
            Layer::Control => "control layer",
            Layer::Notes => "notes",
            Layer::Dimensions => "dimensions",
        }
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::Key;

    use super::*;

    #[test]
    fn offered_commands_have_labels_of_their_own() {
        let mut labels: Vec<String> = Command::offered().iter().map(Command::label).collect();
        let n = labels.len();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), n, "two offered commands read alike");
        assert_eq!(
            Command::Undo.shortcut().map(|s| s.logical_key),
            Some(Key::Z)
        );
    }
}
